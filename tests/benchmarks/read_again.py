"""Read committed captures again from their own logs, where the reader has learned something since: `python tests/benchmarks/read_again.py`.

What no log tells stays as it was: the head (versions, card, command), what the autotuner kept, what the program gave its graphs.
"""

from __future__ import annotations

import dataclasses
import gzip
import sys
from pathlib import Path

from inductor_lab import store
from inductor_lab.annotate import annotate
from inductor_lab.read import read
from inductor_lab.records import Capture

CAPTURED = Path(__file__).parents[2] / "captured"
HEAD = ("torch", "triton", "gpu", "command", "created", "environment")
OBSERVED = ("given", "returned", "values")
TUNED = ("autotuned", "candidates")


def again(folder: Path) -> Capture:
    """A capture as its log is read now."""
    old, log = store.load(folder), folder / "log.txt.gz"
    new = annotate(read([log], old.name))
    tuned = {kernel.body_sha256: {name: getattr(kernel, name) for name in TUNED} for kernel in old.kernels}
    seen = {graph.id: {name: getattr(graph, name) for name in OBSERVED} for graph in old.graphs}
    return dataclasses.replace(
        new,
        **{name: getattr(old, name) for name in HEAD},
        kernels=tuple(dataclasses.replace(k, **tuned.get(k.body_sha256, {})) for k in new.kernels),
        graphs=tuple(dataclasses.replace(graph, **seen.get(graph.id, {})) for graph in new.graphs),
        problems=old.problems,
    )


def main(folders: list[Path]) -> None:
    for folder in folders:
        with gzip.open(folder / "log.txt.gz", "rt", encoding="utf-8", newline="") as log:
            text = log.read()
        made = again(folder)
        if list((folder / "values").glob("*")):
            print(f"{folder}: left alone, it holds values")
        else:
            store.save(made, folder, text)
            print(
                f"{folder}: {len(made.kernels)} kernels, {len(made.extern_calls)} library calls, {len(made.events)} events"
            )


if __name__ == "__main__":
    main([Path(name) for name in sys.argv[1:]] or sorted(path.parent for path in CAPTURED.glob("*/log.txt.gz")))
