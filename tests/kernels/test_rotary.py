"""The rotary kernel's cases and steps, in Triton's interpreter and on a card; what is wrong in an edit of its span is found."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest
from folders import ROOT

import inductor_lab

pytest.importorskip("triton")

from inductor_lab.kernels.rotary import kernel
from inductor_lab.kernels.steps import definitions, steps, written
from inductor_lab.models.rotary import example
from inductor_lab.verify import verify

STEPS = steps("rotary")

COMMITTED = Path(__file__).parent / "captured" / "rotary_gqa_bf16_h200"
"""8,192 tokens: minutes in the interpreter."""


@pytest.fixture(scope="module")
def of_step(tmp_path_factory: pytest.TempPathFactory) -> Callable[[str], Path]:
    """A step's capture; that of different heads at a size for the interpreter, with two samples as the committed ones have."""
    small = tmp_path_factory.mktemp("rotary") / "gqa"

    def found(step: str) -> Path:
        if STEPS[step].capture != COMMITTED.name:
            return ROOT / "captured" / STEPS[step].capture
        if not small.exists():
            model, given = example(batch=1, tokens=11, heads=6, kv_heads=2, head_dim=16)
            inductor_lab.capture_model(model, *(x.bfloat16() for x in given), gpu="h200").save(small)
        return small

    return found


@pytest.mark.parametrize(
    "step", [pytest.param(step, marks=pytest.mark.slow) for step in STEPS]
)  # fmt: skip
def test_a_step_computes_what_inductor_s_kernels_do(step: str, of_step: Callable[[str], Path], tmp_path: Path) -> None:
    file = tmp_path / f"{step}.py"
    file.write_text(written("rotary", step, of_step(step), file.name), encoding="utf-8")
    assert verify(file, effort="quick").verdict == "pass"


def test_the_last_step_is_the_kernel() -> None:
    parts = definitions(Path(kernel.__file__).read_text(encoding="utf-8"), ["rotate"])
    for step in ("step_4", "backward_1", "attention_1"):
        folder = COMMITTED if STEPS[step].capture == COMMITTED.name else ROOT / "captured" / STEPS[step].capture
        text = written("rotary", step, folder, f"{step}.py")
        assert len(parts) == 6 and all(text.count(part) == 1 for part in parts)
        assert "inductor_lab.kernels" not in text


FAULTS = {
    "turned the other way": ("CONJUGATE=False", "CONJUGATE=True"),
    "pairs that are neighbours": ("INTERLEAVED=False", "INTERLEAVED=True"),
    "one angle for both of a pair": ("EACH=True", "EACH=False"),
    "the key by the query's heads": ("head - FIRST_HEADS)", "head - FIRST_HEADS + 1)"),
    "a token by its head": ("row = token\n", "row = token * 0 + head\n"),
    "the last token left out": ("there = token < tokens", "there = token < tokens - 1"),
}
"""What is wrong -> in `step_4`, what becomes what."""


@pytest.mark.parametrize(
    "fault", [pytest.param(fault, marks=() if number == 2 else pytest.mark.slow) for number, fault in enumerate(FAULTS)]
)  # fmt: skip
def test_a_fault_fails(fault: str, of_step: Callable[[str], Path], tmp_path: Path) -> None:
    right, wrong = FAULTS[fault]
    text = written("rotary", "step_4", of_step("step_4"), "rope.py")
    assert text.count(right) == 1
    (file := tmp_path / "rope.py").write_text(text.replace(right, wrong), encoding="utf-8")
    assert verify(file, effort="quick", fail_fast=True).verdict == "fail"
