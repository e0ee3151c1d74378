"""The talk's table: two of its fused kernels over its nine sizes, beside eager, TorchScript, Inductor and the copy ceiling.

    python tests/benchmarks/talk_table.py

The talk ("CUDA Mode: Fusing Kernels") ends with a table of GB/s over batch and weight sizes from 4 x 4 to 262144 x 1024. Here the kernels are
what Inductor made of the same two expressions, ejected from committed captures for any sizes: relu(x + 0.5 y + bias), the talk's
fused_add_mul_relu, and relu(x + bias), its pointwise add_relu. Needs a GPU; a run that was ended goes on where it was.
"""

from __future__ import annotations

import argparse
import sys
import tempfile
from functools import partial
from pathlib import Path

from circumstances import command

from inductor_lab.eject import eject
from inductor_lab.errors import LabError
from inductor_lab.measure.sweep import results
from inductor_lab.measure.sweep import sweep as sweeping
from inductor_lab.measure.sweep.results import CONTESTANTS, Row
from inductor_lab.measure.sweep.sweep import sweep
from inductor_lab.measure.timing.samples import CACHES, LAUNCHES, Method
from inductor_lab.store import load

ROOT = Path(__file__).parents[2]
RESULTS = ROOT / "tests" / "benchmarks" / "results" / "talk"
KERNELS = {"add_mul_relu": ("lora_mlp_h200", 0), "add_relu": ("dlrm_h200", 0)}
"""Name -> capture and number of its kernel."""
SIZES = [{"rows": 4 ** (n + 1), "cols": 2 ** (n + 2)} for n in range(9)]
"""The talk's batch and weight sizes: both grow."""
WHO = (*CONTESTANTS, "torchscript")


def ejected(name: str, folder: Path) -> Path:
    """The kernel as a file for any sizes."""
    capture, number = KERNELS[name]
    found = load(ROOT / "captured" / capture)
    path = folder / f"{name}.py"
    path.write_text(eject(found, found.kernels[number], generalize=True, file=path.name), encoding="utf-8")
    return path


def progress(done: int, count: int, row: Row) -> None:
    hand = row.times.get("hand")
    said = f"{hand.median:.2f} us" if hand else f"{row.outcome}: {row.why}"
    print(f"  {done} of {count}: {row.point.name}: {said}", file=sys.stderr, flush=True)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("-o", "--output", type=Path, default=RESULTS, help="folder of the results")
    parser.add_argument("--kernels", nargs="+", choices=KERNELS, default=list(KERNELS))
    parser.add_argument("--dtypes", default="float32", help="float32,bfloat16")
    parser.add_argument("--launch", choices=LAUNCHES, default="bare")
    parser.add_argument("--cache", choices=CACHES, default="cold")
    parser.add_argument("--rounds", type=int, default=300)
    parser.add_argument("--gpus", default="", help="share the sizes over GPUs of this host: 0,1")
    asked = parser.parse_args()
    engine = partial(sweeping.on_this_host, gpus=sweeping.gpu_numbers(asked.gpus))
    for name in asked.kernels:
        print(name, file=sys.stderr)
        with tempfile.TemporaryDirectory() as folder:
            swept = sweep(
                ejected(name, Path(folder)),
                points=SIZES,
                dtypes=asked.dtypes.split(","),
                folder=asked.output / name,
                method=Method(asked.launch, asked.cache, asked.rounds),
                contestants=WHO,
                engine=engine,
                command=command("talk_table.py"),
                progress=progress,
            )
        print(results.as_markdown(swept.rows, swept.axes, swept.document()))


if __name__ == "__main__":
    try:
        main()
    except LabError as error:
        sys.exit(f"error: {error}")
