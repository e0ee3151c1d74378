"""RMSNorm and SwiGLU: each step is right as an ejected file, and the last of each is the kernel; faults that such kernels are written with fail."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest
import torch

import inductor_lab

pytest.importorskip("triton")

from inductor_lab.kernels.rms_norm.model import AddRMSNorm
from inductor_lab.kernels.steps import HERE, definitions, steps, written
from inductor_lab.kernels.swiglu.model import halves
from inductor_lab.verify import verify

SLOW = {
    ("rms_norm", "forward_1"),
    ("rms_norm", "backward_1"),
    ("rms_norm", "backward_2"),
    ("swiglu", "forward_1"),
    ("swiglu", "backward_1"),
}
STEPS = [
    pytest.param(kernel, step, marks=[pytest.mark.slow] * ((kernel, step) in SLOW))
    for kernel in ("rms_norm", "swiglu")
    for step in steps(kernel)
]


@pytest.fixture(scope="module")
def captured(tmp_path_factory: pytest.TempPathFactory) -> Callable[[str], Path]:
    """A kernel's `model.py` at sizes for the interpreter, of which Inductor writes as many kernels as of the real ones."""
    folder = tmp_path_factory.mktemp("captured")
    rows = torch.randn(3, 256, 1040, dtype=torch.bfloat16)
    both = torch.randn(60, 2 * 344, dtype=torch.bfloat16, requires_grad=True)
    given = {
        "rms_norm": (AddRMSNorm(1040).bfloat16(), rows[0].requires_grad_(), rows[1].requires_grad_()),
        "swiglu": (halves, both),
    }

    def of(kernel: str) -> Path:
        if not (path := folder / kernel).exists():
            inductor_lab.capture_model(*given[kernel], gpu="h200", train=True).save(path)
        return path

    return of


@pytest.mark.parametrize(("kernel", "step"), STEPS)
def test_a_step_computes_what_was_captured(
    kernel: str, step: str, captured: Callable[[str], Path], tmp_path: Path
) -> None:
    file = tmp_path / f"{step}.py"
    file.write_text(text := written(kernel, step, captured(kernel), file.name), encoding="utf-8")
    own = definitions((HERE.parent / kernel / "kernel.py").read_text(encoding="utf-8"), [step.partition("_")[0]])
    assert len(own) > 1 and all(text.count(part) == 1 for part in own)
    assert verify(file, effort="quick").verdict == "pass"


@pytest.mark.slow
def test_a_row_that_the_model_rounds_to_one_side_is_no_fault(tmp_path: Path) -> None:
    """Inductor's kernel rounds once where the model, and ours, round what is normalized too: of a row of like numbers all the same way."""
    x, residual = torch.randn(2, 16, 4096, dtype=torch.bfloat16)
    model, file = AddRMSNorm(4096).bfloat16(), tmp_path / "forward_1.py"
    inductor_lab.capture_model(model, x.requires_grad_(), residual.requires_grad_(), gpu="h200", train=True).save(
        tmp_path / "of"
    )
    file.write_text(written("rms_norm", "forward_1", tmp_path / "of", file.name), encoding="utf-8")
    assert verify(file, effort="quick", case="rows of every kind").verdict == "pass"


@pytest.mark.parametrize(
    ("kernel", "step", "right", "wrong", "says"),
    [
        pytest.param(
            "rms_norm",
            "backward_2",
            "(scale * scale * scale) / COLUMNS",
            "(scale * scale * scale) / BLOCK",
            "add_3",
            marks=pytest.mark.slow,
        ),
        ("swiglu", "backward_1", "sigmoid * (1 + gate * (1 - sigmoid))", "sigmoid * gate * (1 - sigmoid)", "cat"),
        pytest.param(
            "swiglu",
            "backward_1",
            "grad.stride(0), both.stride(0)",
            "both.stride(0), both.stride(0)",
            "loads grad[60, 0]",
            marks=pytest.mark.slow,
        ),
        pytest.param(
            "swiglu",
            "backward_1",
            "both[:, columns:], cat, cat[:",
            "both[:, columns:], both, cat[:",
            "it changed both",
            marks=pytest.mark.slow,
        ),
    ],
    ids=["a mean over the block", "a derivative", "a stride of another tensor", "in place, unasked"],
)
def test_a_fault_fails(
    kernel: str, step: str, right: str, wrong: str, says: str, captured: Callable[[str], Path], tmp_path: Path
) -> None:
    file = tmp_path / "wrong.py"
    text = written(kernel, step, captured(kernel), file.name)
    assert text.count(right) == 1
    file.write_text(text.replace(right, wrong), encoding="utf-8")
    verdict = verify(file, effort="quick", fail_fast=True)
    assert verdict.verdict == "fail" and says in str(verdict), verdict
