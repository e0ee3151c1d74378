"""`eject --as cuda`, unedited, against Inductor's own kernel or sequence: is it right, and how fast is it? Needs a GPU and nvcc.

    python tests/benchmarks/cuda.py -o tests/benchmarks/results/cuda_gpu.json
    python tests/benchmarks/cuda.py --only split_scan 'rotary, bf16'
    python tests/benchmarks/cuda.py --spans -o tests/benchmarks/results/cuda_gpu.json       spans alone; other rows stay

All files are built and verified side by side first; each is timed after that, with nothing else on the card: a kernel by bare launches, a span as
a CUDA graph. A row that does not build, verify or run says so and has no ratio. Rows that were in the results are replaced by what is measured anew.
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

from circumstances import circumstances, command, write
from cuda_categories import CATEGORIES, REAL, of_category

from inductor_lab.eject import eject_files
from inductor_lab.ejected import write_all
from inductor_lab.errors import LabError
from inductor_lab.measure.diff import diff
from inductor_lab.measure.timing.samples import Method
from inductor_lab.records import Capture, Kernel
from inductor_lab.records.span import Span
from inductor_lab.spans import addressed
from inductor_lab.store import load
from inductor_lab.verify import verify

ROOT = Path(__file__).resolve().parents[2]


SPANS = {
    "26 lookups": "dlrm_h200:0_inference:8-33",
    "26 lookups, backward": "dlrm_train_h200:0_backward:35-60",
    "outer product, mm": "dlrm_h200:0_inference:34-35",
    "relu, mm, relu": "dlrm_h200:0_inference:36-38",
    "LoRA layer": "lora_mlp_h200:0_inference:3-7",
    "LoRA layer, bf16": "lora_mlp_bf16_h200:0_inference:3-7",
    "LoRA layer, bf16, backward": "lora_mlp_train_bf16_h200:0_backward:6-12",
    "LoRA layer, any rows": "lora_mlp_train_dynamic_h200:0_forward:4-7",
    "mm, rotary, bf16": "rotary_attention_bf16_h200:0_inference:0-1",
    "sparse layer": "sparse_ffn_h200:0_inference:0-2",
    "sparse layer, backward": "sparse_ffn_train_h200:0_backward:1-8",
}
"""What was captured on a card -> one of the workloads' most promising spans."""


def subject_of(name: str) -> tuple[Capture, Kernel | Span]:
    """A kernel of a category, at its own size, or one that was captured on the card; a span."""
    if name in SPANS:
        found = load(ROOT / "captured" / SPANS[name].partition(":")[0])
        span = addressed(found, SPANS[name])
        assert span is not None
        return found, span
    if name in CATEGORIES:
        return of_category(name, small=False)
    capture, number = REAL[name]
    found = load(ROOT / "captured" / capture)
    return found, found.kernels[number]


def checked(name: str, folder: Path) -> dict[str, Any]:
    """The row of a file that was written, built and verified."""
    found, subject = subject_of(name)
    category = "span" if isinstance(subject, Span) else subject.category
    row: dict[str, Any] = {"what": name, "kernel": subject.id, "category": category}
    file = re.sub(r"\W+", "_", name) + ".py"
    try:
        texts = eject_files(found, subject, target="cuda", file=file)
        write_all({folder / written: text for written, text in texts.items()})
        judged = verify(folder / file, effort="quick")
        said = (
            {"message": first.message} if (first := next((case for case in judged.cases if case.message), None)) else {}
        )
        return row | {"file": file, "verified": judged.verdict, **said}
    except LabError as error:
        return row | {"verified": "error", "message": str(error)}


def timed(file: Path, launch: str, seconds: float) -> dict[str, Any]:
    """What the instrument says of it."""
    try:
        told = diff(file, method=Method(rounds=None, seconds=seconds, launch=launch))
    except LabError as error:
        return {"verdict": "error", "message": str(error)}
    return {
        "verdict": told.verdict,
        "launch": launch,
        "generated_to_hand": told.ratio and round(told.ratio, 4),
        "interval": told.ratio_interval and [round(end, 4) for end in told.ratio_interval],
    }


def kept(path: Path, rows: list[dict[str, Any]]) -> dict[str, Any]:
    """What a results file holds with these rows.

    Raises:
        LabError: the file is of another card or of other versions.
    """
    now, asked = circumstances(), command("cuda.py")
    code = now.pop("code")
    old: dict[str, Any] = json.loads(path.read_text(encoding="utf-8")) if path.exists() else {}
    if other := [name for name in now if name in old and old[name] != now[name]]:
        raise LabError(f"{path} is of {other[0]} {old[other[0]]}, and here is {now[other[0]]}: choose another file")
    anew = {row["what"] for row in rows}
    before = [row for row in old.get("rows", ()) if row["what"] not in anew]
    return {
        "what": "`eject --as cuda`, unedited: the .cu against Inductor's Triton, cold L2; kernels by bare launches, spans as CUDA graphs",
        **now,
        "code": "each row says its own",
        "command": "; ".join([*filter(None, [old.get("command")]), f"{code}: {asked}"]),
        "rows": [*before, *({**row, "code": code} for row in rows)],
    }


def main() -> None:
    """Check all, time what is right, write one row each."""
    import torch

    names = [*REAL, *CATEGORIES, *SPANS]
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--only", nargs="+", choices=names, default=names, metavar="NAME")
    parser.add_argument("--spans", dest="only", action="store_const", const=[*SPANS], help="only spans")
    parser.add_argument("--seconds", type=float, default=1.0, help="of timing, for each kernel")
    parser.add_argument("--jobs", type=int, default=8, help="files built at once")
    parser.add_argument("-o", "--output", type=Path)
    asked = parser.parse_args()
    if not torch.cuda.is_available():
        sys.exit("error: there is no GPU here, and this compares times.")
    if asked.output:
        kept(asked.output, [])  # or nothing is measured
    with tempfile.TemporaryDirectory() as home:
        folder = Path(home)
        with ProcessPoolExecutor(asked.jobs, mp_context=get_context("spawn")) as pool:
            rows = list(pool.map(checked, asked.only, [folder] * len(asked.only)))
        for row in rows:
            if (file := row.pop("file", "")) and row["verified"] == "pass":
                row |= timed(folder / file, "graph" if row["category"] == "span" else "bare", asked.seconds)
            print(json.dumps(row), flush=True)
    if asked.output:
        write(asked.output, kept(asked.output, rows))


if __name__ == "__main__":
    main()
