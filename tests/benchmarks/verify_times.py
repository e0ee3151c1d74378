"""How long `inductor-lab verify` takes from the prompt, one file at a time: by default and with --quick, by wall clock and by processor time.

    python tests/benchmarks/corpus_eject.py DIR -o WORK --verify 0
    python tests/benchmarks/verify_times.py WORK/files --sample 100 -o tests/benchmarks/results/verify_times.json

The files are those of every distinct kernel in captured/, ejected here, and so many drawn of the folder. On an idle machine: other work counts.
"""

from __future__ import annotations

import argparse
import json
import os
import random
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from pathlib import Path
from statistics import median

from circumstances import circumstances

from inductor_lab import store
from inductor_lab.eject import eject

ROOT = Path(__file__).resolve().parents[2]
EFFORTS = {"quick": ["--quick"], "default": []}
Row = dict[str, object]


def captured(folder: Path) -> Iterator[Path]:
    """A file of each kernel body in captured/, once."""
    seen = set()
    for name in sorted(path for path in (ROOT / "captured").iterdir() if path.is_dir()):
        capture = store.load(name)
        for number, kernel in enumerate(capture.kernels):
            if kernel.body_sha256 not in seen:
                seen.add(kernel.body_sha256)
                path = folder / f"{name.name}_{number}.py"
                path.write_text(eject(capture, kernel, file=path.name), encoding="utf-8")
                yield path


def timed(path: Path, words: list[str]) -> Row:
    """One verify as a user begins it: seconds that were waited for, seconds of all its processes, its exit code."""
    command = [sys.executable, "-m", "inductor_lab", "verify", str(path), *words]
    began, before = time.perf_counter(), os.times()
    code = subprocess.run(command, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, check=False).returncode
    after = os.times()
    spent = after.children_user + after.children_system - before.children_user - before.children_system
    return {"wall": round(time.perf_counter() - began, 2), "processor": round(spent, 2), "exit": code}


def table(rows: list[Row]) -> dict[str, dict[str, object]]:
    """Least, median, nine of ten and most of each effort, over what passed."""
    found = {}
    for effort in EFFORTS:
        took = sorted(row[effort]["wall"] for row in rows)  # type: ignore[index]
        spent = sorted(row[effort]["processor"] for row in rows)  # type: ignore[index]
        found[effort] = {
            "files": len(took), "least": took[0], "median": median(took), "nine_of_ten": took[int(len(took) * 0.9)], "most": took[-1],
            "processor_median": median(spent), "processor_most": spent[-1],
        }  # fmt: skip
    return found


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("folder", type=Path, nargs="?", help="ejected files of a corpus")
    parser.add_argument("--sample", type=int, default=100)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("-o", "--output", type=Path)
    asked = parser.parse_args()
    with tempfile.TemporaryDirectory(prefix="inductor-lab-times-") as temporary:
        groups = {"captured": list(captured(Path(temporary)))}
        if asked.folder:
            paths = sorted(asked.folder.glob("*.py"))
            groups["corpus"] = random.Random(asked.seed).sample(paths, min(asked.sample, len(paths)))
        timed(groups["captured"][0], [])  # what Python compiles at first, and what the disk has not read
        rows = {name: [_row(path) for path in paths] for name, paths in groups.items()}
    made = {**circumstances(), "table": {name: table(of) for name, of in rows.items()}, "rows": rows}
    print(json.dumps(made["table"], indent=1))
    if asked.output:
        asked.output.write_text(json.dumps(made, indent=1) + "\n", encoding="utf-8")
    sys.exit(any(row[effort]["exit"] for of in rows.values() for row in of for effort in EFFORTS))  # type: ignore[index]


def _row(path: Path) -> Row:
    row: Row = {"file": path.name, **{effort: timed(path, words) for effort, words in EFFORTS.items()}}
    print(row, file=sys.stderr, flush=True)
    return row


if __name__ == "__main__":
    main()
