"""What DLRM's pages say that no card is needed for: the reader's memory, a training and an export as typed, and what a learning rate of 0.1 does.

    python tests/benchmarks/dlrm_cpu.py -o tests/benchmarks/results/dlrm/cpu.json        some minutes; goes on where it stopped

Each row is of the commands that a user types, in processes of their own. Logs are `criteo sample`'s, with its seed.
"""

from __future__ import annotations

import argparse
import json
import math
import os
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable
from itertools import product
from pathlib import Path
from typing import Any

from circumstances import LEFT, Results

Row = dict[str, Any]
ROOT = Path(__file__).resolve().parents[2]
LOG = "sample -o log.parquet --rows 12000 --cap 1000"
TRAINED = "--config small --data log.parquet --missing zero"
STEPS, EARLY = 168, 28
"""One pass over a log of 12,000 rows, and the step whose loss is told beside the last one's."""
PASS = """
import resource
from inductor_lab.criteo.reader import ClickLog, batches
rows = sum(len(labels) for labels, _, _ in batches(ClickLog("log.parquet", missing="zero"), 1024))
print(rows, 1024 * resource.getrusage(resource.RUSAGE_SELF).ru_maxrss)
"""


def said(folder: Path, *words: str) -> str:
    """What Python says of them, without what is drawn while it runs."""
    environment = os.environ | {"PYTHONPATH": str(ROOT)}
    done = subprocess.run(
        [sys.executable, *words],
        cwd=folder,
        env=environment,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT if "--json" not in words else None,
        text=True,
        check=False,
    )
    if done.returncode:
        sys.exit(done.stdout)
    return done.stdout


def run(folder: Path, module: str, options: str) -> str:
    return said(folder, "-m", f"inductor_lab.{module}", *options.split())


def reader(rows: int) -> Callable[[Path], Row]:
    """The most memory that a pass over a log takes, the interpreter and torch included."""

    def measured(folder: Path) -> Row:
        run(folder, "criteo", f"sample -o log.parquet --rows {rows}")
        passed, peak = said(folder, "-c", PASS).split()
        return {"asked": rows, "rows": int(passed), "peak_bytes": int(peak)}

    return measured


def console(*commands: tuple[str, str]) -> Callable[[Path], Row]:
    """What commands say, one behind the other."""

    def measured(folder: Path) -> Row:
        typed = [f"python -m inductor_lab.{module} {options}" for module, options in commands]
        return {"commands": [[one, run(folder, *own).splitlines()] for one, own in zip(typed, commands, strict=True)]}

    return measured


def export(interaction: str) -> Callable[[Path], Row]:
    """How large an ONNX file is, and how far onnxruntime is from eager."""

    def measured(folder: Path) -> Row:
        found = json.loads(run(folder, "models.dlrm_onnx", f"--interaction {interaction} -o model.onnx --json"))
        return {"interaction": interaction, "bytes": found["bytes"], "difference": found["difference"]}

    return measured


def trained(rate: float, counts: str) -> Callable[[Path], Row]:
    """The losses of a pass, and how the rows that were held out are told apart."""

    def measured(folder: Path) -> Row:
        run(folder, "criteo", LOG)
        how = f"{TRAINED} --learning-rate {rate} --{counts} --steps {STEPS} --loss-every {EARLY} --json"
        found = json.loads(run(folder, "models.dlrm_train", how))
        losses = {one["step"]: one["loss"] for one in found["losses"]}
        own = {"learning_rate": rate, "counts": counts, "early": losses[EARLY], "last": losses[STEPS]}
        return own | {"held_out": found["held_out"]}

    return measured


ROWS: dict[str, Callable[[Path], Row]] = {
    **{f"reader {rows}": reader(rows) for rows in (200_000, 2_000_000)},
    "console training": console(("criteo", LOG), ("models.dlrm_train", f"{TRAINED} --learning-rate 0.001")),
    "console export": console(("models.dlrm_onnx", "--interaction outer -o outer.onnx")),
    **{f"export {one}": export(one) for one in ("outer", "cat", "dot")},
    **{
        f"rate {rate} {counts}": trained(rate, counts)
        for rate, counts in product((0.1, 0.001), ("raw-counts", "log-counts"))
    },
}
"""Name of a row -> what measures it."""


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("-o", "--output", type=Path)
    parser.add_argument("--rows", nargs="+", choices=ROWS, default=list(ROWS), metavar="NAME", help="only these")
    parser.add_argument("--stop", type=float, default=math.inf, help="seconds after which no row is begun")
    asked = parser.parse_args()
    begun = time.monotonic()
    results = Results(asked.output, (__doc__ or "").partition("\n")[0])
    done = [row["name"] for row in results.rows()]
    left = [name for name in asked.rows if name not in done]
    if left:
        results.begin("dlrm_cpu.py", card=f"{len(os.sched_getaffinity(0))} cores of a CPU")
    for name in left:
        if time.monotonic() - begun > asked.stop:
            sys.exit(LEFT)
        with tempfile.TemporaryDirectory() as folder:
            results.add({"name": name, **ROWS[name](Path(folder))})


if __name__ == "__main__":
    main()
