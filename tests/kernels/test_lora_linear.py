"""The linear layer with a low-rank correction: its cases in a process of Triton's interpreter, or on a card; its steps and what may go wrong in them."""

from __future__ import annotations

import re
from pathlib import Path

import pytest
from asked import some
from folders import ROOT

pytest.importorskip("triton")

from inductor_lab.kernels.lora_linear import kernel
from inductor_lab.kernels.steps import definitions, steps, written
from inductor_lab.verify import verify

STEPS = steps("lora_linear")

SMALLER = {"4194304": str(40 * 136), "4096": "40", "1024": "136"}
"""Sizes of the captured span: fewer for the interpreter, none a multiple of its tile, and three tiles of depth."""


def ejected(step: str, folder: Path) -> str:
    return written("lora_linear", step, folder / STEPS[step].capture, "layer.py")


def verdict(text: str, folder: Path, **asked: bool) -> str:
    for size, smaller in SMALLER.items():
        text = re.sub(rf"\b{size}\b", smaller, text)
    (file := folder / "layer.py").write_text(text, encoding="utf-8")
    return verify(file, effort="quick", **asked).verdict


@pytest.mark.parametrize("step", some(STEPS, ["step_4"]))
def test_a_step_computes_what_its_span_does(step: str, tmp_path: Path) -> None:
    assert verdict(ejected(step, ROOT / "captured"), tmp_path) == "pass"


@pytest.mark.slow
@pytest.mark.parametrize("step", STEPS)
def test_a_step_as_large_as_it_was_captured(step: str, tmp_path: Path) -> None:
    (file := tmp_path / "layer.py").write_text(ejected(step, ROOT / "captured"), encoding="utf-8")
    assert verify(file, effort="quick").verdict == "pass"


def test_the_last_step_is_the_kernel() -> None:
    own = definitions(Path(kernel.__file__).read_text(encoding="utf-8"), ["product"])
    text = ejected("step_4", ROOT / "captured")
    assert all(text.count(part) == 1 for part in own) and "inductor_lab.kernels" not in text


FAULTS = {
    "the inner product of the last tile alone": ("step_3", "inner = tl.dot(x, a, inner)", "inner = tl.dot(x, a)"),
    "no scale": ("step_3", "(0.5 * inner)", "inner"),
    "no low-rank product": ("step_2", "total = 0.5 * tl.dot(s, b)", "total = tl.zeros([BLOCK_M, BLOCK_N], tl.float32)"),
    "the activation before the low-rank product": (
        "step_1",
        "total = tl.load(out_ptr, inside, 0.0).to(tl.float32) + ",
        "total = tl.maximum(tl.load(out_ptr, inside, 0.0).to(tl.float32), 0.0) + ",
    ),
    "a store without a mask": ("step_2", "tl.where(total < 0, 0.0, total), in_rows & in_outputs)", "tl.where(total < 0, 0.0, total))"),
    "columns of x outside of it": ("step_2", "in_rows & left[None, :], 0.0)", "in_rows, 0.0)"),
}  # fmt: skip


@pytest.mark.parametrize(
    "fault", [pytest.param(fault, marks=[pytest.mark.slow] * (number > 0)) for number, fault in enumerate(FAULTS)]
)
def test_a_fault_is_found(fault: str, tmp_path: Path) -> None:
    step, right, wrong = FAULTS[fault]
    text = ejected(step, ROOT / "captured")
    assert right in text
    assert verdict(text.replace(right, wrong), tmp_path, fail_fast=True) == "fail"
