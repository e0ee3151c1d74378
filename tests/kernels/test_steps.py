"""Each step is right as an ejected file; the last one is the kernel, to the letter."""

from __future__ import annotations

from pathlib import Path

import pytest
import torch
from folders import ROOT

import inductor_lab

pytest.importorskip("triton")

from inductor_lab.errors import LabError
from inductor_lab.judge.process.file_parts import forbidden_name
from inductor_lab.kernels.dlrm import lookups
from inductor_lab.kernels.steps import definitions, steps, written
from inductor_lab.kernels.steps.dlrm import interaction
from inductor_lab.verify import verify

STEPS = steps("dlrm")


def capture(step: str) -> Path:
    return ROOT / "captured" / STEPS[step].capture


MARKS = {
    "lookups_1": pytest.mark.slow,
    "lookups_forward_1": pytest.mark.slow,
    "lookups_backward_1": pytest.mark.slow,
    "lookups_2": pytest.mark.slow,  # 26 tables of 10,000 rows
    "outer_1": pytest.mark.gpu,  # 24 billion multiplications a case
    "outer_2": pytest.mark.gpu,
    "outer_3": pytest.mark.gpu,
}

UNEQUAL = "groups of every kind"
"""Inputs of very different sizes, whose products nearly cancel: there `outer_3` may be further from float64 than eager allows. Each run draws others; of
the last verdict (tests/benchmarks/results/dlrm/verify_outer_3.json) all three pass."""


@pytest.mark.parametrize("step", [pytest.param(step, marks=MARKS.get(step, ())) for step in STEPS])
def test_a_step_computes_what_its_span_does(step: str, tmp_path: Path) -> None:
    own, file = capture(step), tmp_path / f"{step}.py"
    if step == "pairwise_1":
        inductor_lab.capture_model(interaction, torch.randn(64, 27, 16), gpu="h200").save(own := tmp_path / "pairwise")
    file.write_text(written("dlrm", step, own, file.name), encoding="utf-8")
    wrong = [case.name for case in verify(file, effort="quick").cases if not case.passed]
    assert not [name for name in wrong if step != "outer_3" or not name.startswith(UNEQUAL)]


@pytest.mark.parametrize("step", ["outer_1", "outer_2", "outer_3"])
def test_a_step_that_only_a_card_computes_uses_nothing_that_is_refused(step: str) -> None:
    assert forbidden_name(written("dlrm", step, capture(step), "outer.py")) == ""


def test_the_last_step_is_the_kernel() -> None:
    text = written("dlrm", "lookups_2", capture("lookups_2"), "lookups.py")
    kernel = definitions(Path(lookups.__file__).read_text(encoding="utf-8"), ["gather"])
    assert len(kernel) == 4 and all(text.count(part) == 1 for part in kernel)
    assert "inductor_lab.kernels" not in text


def test_a_capture_that_is_not_there_or_another_one(tmp_path: Path) -> None:
    with pytest.raises(LabError):
        written("dlrm", "lookups_1", tmp_path / "nowhere", "lookups.py")
    with pytest.raises(LabError, match=r"interaction:0_inference:0-1 and takes 2 values: .*dlrm_h200 takes 4"):
        written("dlrm", "pairwise_1", capture("lookups_1"), "pairwise.py")


def test_what_is_no_step() -> None:
    with pytest.raises(LabError, match=r"There is no hand kernel 'norms'; it is .*dlrm"):
        written("norms", "step_1", capture("lookups_1"), "norms.py")
    with pytest.raises(LabError, match="dlrm has no step 'step_1'; it has lookups_1"):
        written("dlrm", "step_1", capture("lookups_1"), "dlrm.py")
