"""Contestants, sweeps and baselines on a real GPU. Run with `pytest -m gpu`. No test asserts a time."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any
from xml.etree import ElementTree as Xml

import pytest
from folders import CAPTURED
from small_kernels import edited

from inductor_lab import store
from inductor_lab.eject import eject
from inductor_lab.measure.contest.contestants import INDUCTOR
from inductor_lab.measure.diff import diff
from inductor_lab.measure.timing.samples import Method

pytestmark = pytest.mark.gpu
CAPTURE = CAPTURED / "lora_mlp_h200"
SHORT = Method(rounds=60)


@pytest.fixture
def mine(workdir: Path) -> Path:
    """relu(bias + mm + mm_2 / 2) on 4096 x 1024, in place."""
    torch = pytest.importorskip("torch")
    if not torch.cuda.is_available():
        pytest.skip("needs a GPU")
    capture = store.load(CAPTURE)
    path = workdir / "mine.py"
    path.write_text(eject(capture, capture.kernels[0]))
    return path


THEIRS = """
import torch


def fused(mm, bias, mm_2):
    return torch.relu(bias + mm + mm_2 * 0.5)


def half(mm, bias, mm_2):
    return torch.relu(bias + mm + mm_2)
"""


@pytest.mark.parametrize("launch", ["bare", "graph"])
def test_everybody_is_checked_and_timed_in_the_same_rounds(mine: Path, launch: str) -> None:
    Path("theirs.py").write_text(THEIRS)
    Path("other.py").write_text(mine.read_text())
    who = ("eager", "torchscript", *INDUCTOR, "theirs.py:fused", "theirs.py:half", "other.py")
    found = diff(mine, method=Method(launch=launch, rounds=60), against=who)
    by_name = {one.name: one for one in found.against}
    assert set(by_name) == set(who)
    assert by_name["theirs.py:half"].verdict == "refused"
    for name in set(who) - {"theirs.py:half"}:
        one = by_name[name]
        assert one.ratio is not None, (name, one.notes)
        assert one.timing and one.timing.launch == launch and one.interval[0] <= one.ratio <= one.interval[1]
    assert by_name["eager"].verdict == "faster"  # three kernels against one
    assert found.matched is not None  # the code under the configuration that the autotuner keeps on this card
    one_configuration = found.matched.hand_settings.items() <= {"BLOCK": 1024, "num_warps": 4}.items()
    assert not one_configuration or found.matched.ratio == found.ratio


def test_each_at_its_best_is_found_without_a_change_to_the_file(mine: Path) -> None:
    mine.write_text(edited(mine.read_text(), ("*, BLOCK=1024, num_warps=4", "*, BLOCK=64, num_warps=1")))
    text = mine.read_text()
    steps: list[str] = []
    found = diff(mine, method=SHORT, best=True, progress=steps.append)
    assert mine.read_text() == text and any("generated: timing" in step for step in steps)
    assert found.best is not None and found.matched is not None
    assert found.best.hand_settings != {"BLOCK": 64, "num_warps": 1}
    assert found.matched.hand_settings in (
        {"BLOCK": 1024, "num_warps": 4},
        {"BLOCK": 512, "num_warps": 8},
    )  # Inductor's candidates
    assert found.settings["hand"] == {"BLOCK": 64, "num_warps": 1}
    assert len(found.best.notes) == 2


def test_a_kernel_with_twice_the_work_fails_its_limit_and_its_baseline(mine: Path, lab: Callable[..., Any]) -> None:
    assert lab("diff", mine, "--save-baseline", "base.json", "--fail-slower", 5).code == 0
    assert lab("diff", mine, "--baseline", "base.json").code == 0
    launched = (
        "    add_mul_relu[grid](mm, bias, mm_2, NUMEL=numel, COLUMNS=bias.shape[0], BLOCK=BLOCK, num_warps=num_warps)\n"
    )
    mine.write_text(edited(mine.read_text(), (launched, launched.replace("(mm, bias", "(mm.clone(), bias") + launched)))
    slow = lab("diff", mine, "--baseline", "base.json", "--fail-slower", 5, "--junit", "report.xml", "--json")
    assert slow.code == 1
    outcomes = {check["name"]: check["outcome"] for check in json.loads(slow.out)["checks"]}
    assert outcomes == {"generated": "failed", "baseline": "failed"}
    assert Xml.parse("report.xml").getroot()[0].get("failures") == "2"
