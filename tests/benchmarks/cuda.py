"""`eject --as cuda`, unedited, against Inductor's own kernel: is it right, and how fast is it? Needs a GPU and nvcc.

    python tests/benchmarks/cuda.py -o tests/benchmarks/results/cuda_gpu.json
    python tests/benchmarks/cuda.py --only split_scan 'rotary, bf16'

All files are built and verified side by side first; each is timed after that, with nothing else on the card. A row that does not
build, verify or run says so and has no ratio.
"""

from __future__ import annotations

import argparse
import json
import re
import sys
import tempfile
from concurrent.futures import ProcessPoolExecutor
from multiprocessing import get_context
from pathlib import Path
from typing import Any

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))

from circumstances import circumstances, command
from cuda_categories import CATEGORIES, REAL, of_category

from inductor_lab.eject import eject_files
from inductor_lab.ejected import write_all
from inductor_lab.errors import LabError
from inductor_lab.measure.diff import diff
from inductor_lab.measure.timing.samples import Method
from inductor_lab.records import Capture, Kernel
from inductor_lab.store import load
from inductor_lab.verify import verify

ROOT = Path(__file__).resolve().parents[2]


def kernel_of(name: str) -> tuple[Capture, Kernel]:
    """One of a category, at its own size, or one that was captured on the card."""
    if name in CATEGORIES:
        return of_category(name, small=False)
    capture, number = REAL[name]
    found = load(ROOT / "captured" / capture)
    return found, found.kernels[number]


def checked(name: str, folder: Path) -> dict[str, Any]:
    """The row of a file that was written, built and verified."""
    found, kernel = kernel_of(name)
    row: dict[str, Any] = {"what": name, "kernel": kernel.id, "category": kernel.category}
    file = re.sub(r"\W+", "_", name) + ".py"
    try:
        texts = eject_files(found, kernel, target="cuda", file=file)
        write_all({folder / written: text for written, text in texts.items()})
        judged = verify(folder / file, effort="quick")
        said = (
            {"message": first.message} if (first := next((case for case in judged.cases if case.message), None)) else {}
        )
        return row | {"file": file, "verified": judged.verdict, **said}
    except LabError as error:
        return row | {"verified": "error", "message": str(error)}


def timed(file: Path, seconds: float) -> dict[str, Any]:
    """What the instrument says of it."""
    try:
        told = diff(file, method=Method(rounds=None, seconds=seconds))
    except LabError as error:
        return {"verdict": "error", "message": str(error)}
    return {
        "verdict": told.verdict,
        "generated_to_hand": told.ratio and round(told.ratio, 4),
        "interval": told.ratio_interval and [round(end, 4) for end in told.ratio_interval],
    }


def main() -> None:
    """Check all, time what is right, write one row each."""
    import torch

    names = [*REAL, *CATEGORIES]
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--only", nargs="+", choices=names, default=names, metavar="NAME")
    parser.add_argument("--seconds", type=float, default=1.0, help="of timing, for each kernel")
    parser.add_argument("--jobs", type=int, default=8, help="files built at once")
    parser.add_argument("-o", "--output", type=Path)
    asked = parser.parse_args()
    if not torch.cuda.is_available():
        sys.exit("error: there is no GPU here, and this compares times.")
    with tempfile.TemporaryDirectory() as home:
        folder = Path(home)
        with ProcessPoolExecutor(asked.jobs, mp_context=get_context("spawn")) as pool:
            rows = list(pool.map(checked, asked.only, [folder] * len(asked.only)))
        for row in rows:
            row |= (
                timed(folder / file, asked.seconds)
                if (file := row.pop("file", "")) and row["verified"] == "pass"
                else {}
            )
            print(json.dumps(row), flush=True)
    document = {
        "what": "`eject --as cuda`, unedited: the .cu against Inductor's Triton kernel, cold L2, bare launches",
        **circumstances(),
        "command": command("cuda.py"),
        "rows": rows,
    }
    if asked.output:
        asked.output.write_text(json.dumps(document, indent=1) + "\n", encoding="utf-8")


if __name__ == "__main__":
    main()
