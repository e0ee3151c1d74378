"""How long a word at the prompt takes: the help, a list and one kernel of a capture of a thousand, and what completes them.

    python tests/benchmarks/start_up.py                  of the committed captures, again and again until there are enough
    python tests/benchmarks/start_up.py FOLDER...        of the captures in these folders
    python tests/benchmarks/start_up.py -o FILE          kept as JSON; results/start_up.json has the last

Each measurement is a process of its own. `seconds` is what its user waits, and `processor` the processor's part of that, which says more where
other work runs beside it: both are of the fastest of several. The first time, when the capture is parsed, is there too.
"""

from __future__ import annotations

import argparse
import json
import os
import platform
import resource
import subprocess
import sys
import tempfile
import time
from collections.abc import Mapping
from dataclasses import replace
from importlib import metadata
from pathlib import Path

from inductor_lab import store
from inductor_lab.records import Capture

ROOT = Path(__file__).parents[2]
KERNELS = 1000
VERBS: Mapping[str, str] = {
    "--help": "--help",
    "list of a capture": "list big",
    "list, filtered and sorted": "list big --top 20 --sort bytes --filter category:pointwise",
    "list of all captures": "list",
    "show of one kernel": "show big:500",
}
COMPLETED: Mapping[str, str] = {
    "completion of a kernel": "show big:50",
    "completion of a filter": "list big --filter op:lo",
}


def main() -> None:
    parser = argparse.ArgumentParser(description=(__doc__ or "").split("\n\n")[0])
    parser.add_argument("folders", nargs="*", type=Path, default=[ROOT / "captured"])
    parser.add_argument("--kernels", type=int, default=KERNELS)
    parser.add_argument("--rounds", type=int, default=5)
    parser.add_argument("-o", "--output", type=Path)
    given = parser.parse_args()
    with tempfile.TemporaryDirectory(prefix="inductor-lab-") as place:
        big = assembled(given.folders, given.kernels)
        store.save(big, Path(place) / "captured" / "big")
        result = {
            "made_by": "python tests/benchmarks/start_up.py",
            "python": platform.python_version(),
            "typer": metadata.version("typer"),
            "processors": os.cpu_count(),
            "load": round(os.getloadavg()[0], 1),
            "kernels": len(big.kernels),
            "graphs": len(big.graphs),
            "megabytes": round((Path(place) / "captured" / "big" / store.DOCUMENT).stat().st_size / 1e6, 1),
            "first list, which parses": measured("list big", place, 1),
            **{name: measured(words, place, given.rounds) for name, words in VERBS.items()},
            **{name: measured(words, place, given.rounds, completed=True) for name, words in COMPLETED.items()},
        }
    text = json.dumps(result, indent=1)
    print(text)
    if given.output:
        given.output.write_text(text + "\n", encoding="utf-8")


def assembled(folders: list[Path], count: int) -> Capture:
    """The captures below some folders as one, again under other names of graphs until there are so many kernels."""
    places = sorted(file.parent for folder in folders for file in folder.glob(f"*/{store.DOCUMENT}"))
    found = [store.load(place) for place in places]
    parts: list[Capture] = []
    while sum(len(part.kernels) for part in parts) < count:
        parts.append(_renamed(found[len(parts) % len(found)], len(parts)))
    kernels = [kernel for part in parts for kernel in part.kernels]
    numbered = (replace(kernel, id=f"big:{number}") for number, kernel in enumerate(kernels[:count]))
    return replace(
        found[0],
        name="big",
        graphs=tuple(graph for part in parts for graph in part.graphs),
        kernels=tuple(numbered),
        extern_calls=tuple(call for part in parts for call in part.extern_calls),
        problems=(),
    )


def _renamed(part: Capture, number: int) -> Capture:
    """The capture with its graphs called by a number of their own."""
    kernels = (
        replace(
            kernel,
            graph=f"{number}_{kernel.graph}",
            launches=tuple(replace(one, graph=f"{number}_{one.graph}") for one in kernel.launches),
        )
        for kernel in part.kernels
    )
    return replace(
        part,
        graphs=tuple(replace(graph, id=f"{number}_{graph.id}") for graph in part.graphs),
        kernels=tuple(kernels),
        extern_calls=tuple(replace(call, graph=f"{number}_{call.graph}") for call in part.extern_calls),
    )


def measured(words: str, place: str, rounds: int, *, completed: bool = False) -> dict[str, float]:
    """The fastest of several runs of a command line in a folder."""
    environment = {**os.environ, "PYTHONPATH": str(ROOT), "INDUCTOR_LAB_CACHE": str(Path(place) / "cache")}
    # An installed package is compiled once; a checkout of a user who keeps no compiled files would be, each time.
    environment["PYTHONPYCACHEPREFIX"] = str(Path(place) / "compiled")
    environment.pop("PYTHONDONTWRITEBYTECODE", None)
    command = [sys.executable, "-c", "from inductor_lab.cli import main; main()", *words.split()]
    if completed:
        asked = {"COMP_WORDS": f"inductor-lab {words}", "COMP_CWORD": str(len(words.split()))}
        environment |= {"_INDUCTOR_LAB_COMPLETE": "complete_bash", **asked}
        command = command[:3]
    seconds, processor = [], []
    for _ in range(rounds):
        before, used = time.perf_counter(), resource.getrusage(resource.RUSAGE_CHILDREN)
        subprocess.run(command, cwd=place, env=environment, check=True, capture_output=True)
        seconds.append(time.perf_counter() - before)
        after = resource.getrusage(resource.RUSAGE_CHILDREN)
        processor.append(after.ru_utime + after.ru_stime - used.ru_utime - used.ru_stime)
    return {"seconds": round(min(seconds), 3), "processor": round(min(processor), 3)}


if __name__ == "__main__":
    main()
