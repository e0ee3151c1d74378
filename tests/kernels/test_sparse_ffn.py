"""The sparse feed-forward layer's cases, in Triton's interpreter and on a card; its steps, and the faults that `verify` must see."""

from __future__ import annotations

import importlib
import re
from pathlib import Path

import pytest
import torch
from asked import some
from folders import ROOT
from sparse_ffn_faults import FAULTS, around, planted

import inductor_lab
from inductor_lab.verify import verify

pytest.importorskip("triton")

from inductor_lab.kernels.sparse_ffn import one_token
from inductor_lab.kernels.steps import definitions, edit, steps, written
from inductor_lab.kernels.steps.sparse_ffn import layer
from inductor_lab.kernels.steps.sparse_ffn import one_token as drawn

STEPS = steps("sparse_ffn")

# ---------------------------------------------------------------- the steps


def judged(text: str, file: Path) -> str:
    file.write_text(text, encoding="utf-8")
    return verify(file, effort="quick").verdict


@pytest.mark.parametrize("step", [pytest.param(step, marks=pytest.mark.slow) for step in STEPS])
def test_a_step_computes_what_its_span_does(step: str, tmp_path: Path) -> None:
    own = ROOT / "captured" / STEPS[step].capture
    if not own.exists():
        small = drawn(dim=64, neurons=96, active=24)
        inductor_lab.capture_model(layer, *small, gpu="h200").save(own := tmp_path / "token")
    assert judged(written("sparse_ffn", step, own, f"{step}.py"), tmp_path / f"{step}.py") == "pass"


def test_the_last_step_is_the_kernel() -> None:
    text, names = edit("sparse_ffn", "step_7"), ["hidden_of_one", "down_of_one"]
    assert all(text.count(part) == 1 for part in definitions(Path(one_token.__file__).read_text("utf-8"), names))
    assert "inductor_lab.kernels" not in text


# ---------------------------------------------------------------- faults


@pytest.fixture(scope="module")
def ejected(tmp_path_factory: pytest.TempPathFactory) -> tuple[str, str]:
    return around(tmp_path_factory.mktemp("faults"))


@pytest.mark.parametrize("fault", some(FAULTS, ["right", "the result is not cleared before each block that is tried"]))
def test_a_fault_is_seen(fault: str, ejected: tuple[str, str], tmp_path: Path) -> None:
    verdict = judged(planted(fault, ejected), tmp_path / "layer.py")
    assert verdict == ("pass" if fault == "right" else "fail")


def test_the_page_counts_sectors_right(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.syspath_prepend(ROOT / "tests" / "benchmarks")
    sectors = importlib.import_module("contests.sparse_ffn").sectors
    page = Path(one_token.__file__).with_name("README.md").read_text(encoding="utf-8")
    rows = [[float(number) for number in row] for row in re.findall(r"\| (\d+) % \| ([\d.]+) % \| ([\d.]+) \|", page)]
    assert len(rows) == 4
    for active, touched, read in rows:
        share = 1 - (1 - active / 100) ** 16
        assert touched == round(100 * share, 1) and read == round(100 * share / active, 1)
    torch.manual_seed(0)
    assert sectors(torch.randperm(160_000)[:16_000], 2) / 10_000 == pytest.approx(1 - 0.9**16, rel=0.01)
    assert sectors(torch.arange(16), 2) == 1 and sectors(torch.arange(16), 4) == 2
