"""What an edit is worth in the step of a captured model, on a real GPU. Run with `pytest -m gpu`."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from conftest import Result

pytest.importorskip("torch")

pytestmark = pytest.mark.gpu
Lab = Callable[..., Result]
CAPTURED = Path(__file__).parents[1] / "captured" / "lora_mlp_train_h200"
HAND = "    add_mul_relu[grid](\n        mm, bias, mm_2,"


def in_step(lab: Lab, *, doing: str = "", keep: bool = False) -> dict[str, Any]:
    """`diff --in` of a relu that is launched twice in a step of training; `doing` stands before the hand kernel's launch."""
    file = Path("mine.py")
    if not file.exists():
        assert lab("eject", f"{CAPTURED}:0", "-o", file).code == 0
    text = file.read_text()
    assert HAND in text
    file.write_text(text.replace(HAND, f"{doing}{HAND}"))
    found = lab("diff", file, "--in", CAPTURED, "--json", *(["--keep"] if keep else []))
    assert found.code == 0, found.err
    told: dict[str, Any] = json.loads(found.out)["step"]
    return told


def test_an_unedited_kernel_saves_nothing_of_the_step(lab: Lab) -> None:
    found = in_step(lab, keep=True)
    assert found["launches"] == 2 and set(found["microseconds"]) == set(found["step"]) == {"generated", "grafted"}
    assert 0 < found["share"] < 1 and found["agreement"] == "agrees"
    assert found["verdict"] == "same"
    assert abs(found["saved"]) < 0.02 * found["step"]["generated"]
    assert len(Path("captured/results.jsonl").read_text().splitlines()) == 1


def test_all_kernels_that_a_hand_launch_runs_are_its_time(lab: Lab) -> None:
    """It runs a second time, on memory of its own."""
    again = (
        "    add_mul_relu[grid](torch.empty_like(mm), bias, mm_2, NUMEL=numel, COLUMNS=bias.shape[0], BLOCK=BLOCK)\n"
    )
    found = in_step(lab, doing=again)
    assert found["verdict"] == "slower" and found["saved"] < 0 and found["expected"] < 0
    assert found["microseconds"]["grafted"] > 1.5 * found["microseconds"]["generated"]


def test_what_the_launches_do_not_show_is_a_disagreement(lab: Lab) -> None:
    """The launch copies, which is torch's kernel and none of the file's."""
    found = in_step(lab, doing="    for _ in range(4):\n        mm.clone()\n")
    assert found["verdict"] == "slower" and found["agreement"] == "less"
