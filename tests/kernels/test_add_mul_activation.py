"""add_mul_activation: each step is right as an ejected file, and the faults of the lecture that it began with are caught."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any

import pytest
import torch
from asked import some
from folders import ROOT

pytest.importorskip("triton")

from inductor_lab.eject import eject, eject_files
from inductor_lab.ejected import write_all
from inductor_lab.kernels.add_mul_activation import kernel
from inductor_lab.kernels.steps import definitions, steps, written
from inductor_lab.store import load
from inductor_lab.verify import verify

STEPS = steps("add_mul_activation")

CAPTURE = ROOT / "captured" / "lora_mlp_h200"
SMALLER = {"4194304": str(64 * 1024), "4096": "64", "8388608": str(128 * 1024), "131072": str(16 * 1024)}
"""Elements, rows and the interpreter's blocks of the captured kernels: fewer, as many to a row."""


def ejected(step: str, file: Path) -> str:
    return written("add_mul_activation", step, ROOT / "captured" / STEPS[step].capture, file.name)


@pytest.mark.parametrize("step", some(STEPS, ["step_4", "bfloat16"]))
def test_a_step_computes_what_its_kernel_does(step: str, tmp_path: Path) -> None:
    file = tmp_path / f"{step}.py"
    small = re.sub(r"\b\d{4,}\b", lambda size: SMALLER.get(size[0], size[0]), ejected(step, file))
    file.write_text(small, encoding="utf-8")
    assert verify(file, effort="quick").verdict == "pass"


@pytest.mark.slow
@pytest.mark.parametrize("step", STEPS)
def test_a_step_as_large_as_it_was_captured(step: str, tmp_path: Path) -> None:
    file = tmp_path / f"{step}.py"
    file.write_text(ejected(step, file), encoding="utf-8")
    assert verify(file, effort="quick").verdict == "pass"


def test_the_last_step_is_the_kernel() -> None:
    text = written("add_mul_activation", "step_4", CAPTURE, "add.py")
    parts = definitions(Path(kernel.__file__).read_text(encoding="utf-8"), ["add_mul_act"])
    assert len(parts) == 4 and all(text.count(part) == 1 for part in parts)


@pytest.mark.parametrize(
    ("right", "wrong", "says"),
    [
        ("tl.where(total < 0, 0.0, total), inside)", "tl.where(total < 0, 0.0, total))", "stores to mm[5, 0], 1 element behind a tensor of shape [5, 7]"),
        ("    tl.store(mm_ptr", "    tl.store(mm_2_ptr + offset, total, inside)\n    tl.store(mm_ptr", "it changed mm_2, which it must only read"),
    ],
    ids=["a store without a mask", "an input that is overwritten"],
)  # fmt: skip
def test_a_fault_in_triton_fails(right: str, wrong: str, says: str, tmp_path: Path) -> None:
    found = load(CAPTURE)
    text = eject(found, found.kernels[0], generalize=True, file="wrong.py")
    assert text.count(right) == 1
    file = tmp_path / "wrong.py"
    file.write_text(text.replace(right, wrong), encoding="utf-8")
    verdict = verify(file, effort="thorough", case="sizes s0=5, s1=7")
    assert verdict.verdict == "fail" and says in verdict.cases[0].message


@pytest.mark.slow
def test_a_block_of_more_threads_than_there_may_be_fails(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """The lecture's launch has a thread for each column. Up to 1,024 columns that is right."""
    monkeypatch.setenv("TORCH_EXTENSIONS_DIR", str(tmp_path / "built"))
    found, file = load(CAPTURE), tmp_path / "add.py"
    texts = eject_files(found, found.kernels[0], target="cuda", generalize=True, file=file.name)
    lectures = {
        "aligned<4>(mm_ptr) && aligned<4>(mm_2_ptr)": "false",
        "<<<cdiv(numel, 256), 256, 0, stream>>>": "<<<cdiv(numel, s1), s1, 0, stream>>>",
        "__launch_bounds__(256) ": "",
    }
    for right, wrong in lectures.items():
        assert texts["add.cu"].count(right) == 1
        texts["add.cu"] = texts["add.cu"].replace(right, wrong)
    write_all({tmp_path / name: text for name, text in texts.items()})
    for sizes, message in (("s0=2049, s1=513", ""), ("s0=4097, s1=1025", "add.cu failed with CUDA's error 9")):
        (case,) = verify(file, effort="thorough", case=f"sizes {sizes}").cases
        assert case.passed == (not message) and message in case.message


def test_an_input_that_is_overwritten_in_the_timed_loop_is_not_timed(monkeypatch: pytest.MonkeyPatch) -> None:
    """The lecture times its kernel on its own results, which ReLU soon makes all the same."""
    monkeypatch.syspath_prepend(ROOT / "tests" / "benchmarks")
    from contests import Job, checked
    from contests.add_mul_activation import Point, job, relu

    given = job(Point(4, 8, "float32", "relu", False), "cpu").given

    def lecture(configuration: Any) -> torch.Tensor:
        return given[0].copy_(relu(*given))

    functions, refused = checked(Job(lecture, relu, given, [], 0), ("hand", "eager"))
    assert list(functions) == ["eager"] and "it overwrites its inputs" in refused["hand"]
