"""The contests of the hand kernels, small in Triton's interpreter, and the pages that are made of their results."""

from __future__ import annotations

import json
import runpy
from pathlib import Path
from typing import Any

import pytest
import torch
from asked import some
from folders import ROOT
from forking import interpreted

pytest.importorskip("triton")

BENCHMARKS = ROOT / "tests" / "benchmarks"
CONTESTS = sorted(path.stem for path in (BENCHMARKS / "contests").glob("[a-z]*.py"))


@pytest.fixture
def contests(monkeypatch: pytest.MonkeyPatch) -> Any:
    monkeypatch.syspath_prepend(BENCHMARKS)
    return __import__("contests")


@pytest.mark.parametrize("kernel", some(CONTESTS, ["add_mul_activation"]))
def test_a_contest_runs(kernel: str) -> None:
    said = interpreted(BENCHMARKS / "hand_kernels.py", kernel, "--smoke")
    rows = [json.loads(line) for line in said.splitlines()]
    assert rows and not any(who in row["refused"] for row in rows for who in ("hand", "eager")), said


def double(x: torch.Tensor) -> torch.Tensor:
    return x + x


def test_who_is_wrong_or_overwrites_its_inputs_is_not_timed(contests: Any) -> None:
    x = torch.randn(5)
    job = contests.Job(lambda configuration: 2 * x, double, (x,), [], 40)
    job.public.update(
        overwrites=lambda: lambda: x.mul_(2), wrong=lambda: lambda: 2 * x + 0.01, absent=lambda: missing()
    )
    job.beside.update(half=lambda: x / 2)
    functions, refused = contests.checked(job, ("hand", "eager", *job.public, *job.beside))
    assert list(functions) == ["hand", "eager", "half"]
    assert refused["overwrites"] == "LabError: it overwrites its inputs: each call would be given another one's results"
    assert "from float64's, over" in refused["wrong"] and refused["absent"].startswith("ModuleNotFoundError")


def missing() -> None:
    import not_installed  # noqa: F401


def test_gradients_are_what_a_contestant_of_training_computes(contests: Any) -> None:
    x, grad = torch.randn(5, requires_grad=True), torch.randn(5)
    job = contests.Job(lambda configuration: 2 * x, double, (x,), [], 40, grad=grad)
    job.public.update(wrong=lambda: lambda: 2 * x + 0.01 * x**2)
    functions, refused = contests.checked(job, ("hand", "eager", "wrong"))
    assert list(functions) == ["hand", "eager"] and [*refused] == ["wrong"]
    assert torch.equal(functions["hand"]()[0], 2 * grad)


class InPlace(torch.autograd.Function):
    """Doubles, and writes the gradient over the one that it is given, as Liger's rotation does."""

    @staticmethod
    def forward(ctx: Any, x: torch.Tensor) -> torch.Tensor:
        return 2 * x

    @staticmethod
    def backward(ctx: Any, grad: torch.Tensor) -> torch.Tensor:
        return grad.mul_(2)


def test_who_overwrites_the_gradient_spoils_it_for_nobody_behind(contests: Any) -> None:
    x, grad = torch.randn(5, requires_grad=True), torch.randn(5)
    given = grad.clone()
    job = contests.Job(lambda configuration: 2 * x, double, (x,), [], 40, grad=[grad])
    job.public.update(overwrites=lambda: lambda: InPlace.apply(x), behind=lambda: lambda: x + x)
    functions, refused = contests.checked(job, ("hand", "overwrites", "behind", "eager"))
    assert list(functions) == ["hand", "behind", "eager"]
    assert refused == {
        "overwrites": "LabError: it overwrites the gradient of its result: each call would be given another one's results"
    }
    assert torch.equal(grad, given)


# ---------------------------------------------------------------- pages

MADE = runpy.run_path(str(BENCHMARKS / "hand_pages.py"))


@pytest.mark.parametrize("page", MADE["pages"](), ids=lambda page: page.parent.name)
def test_a_page_says_what_was_measured(page: Path) -> None:
    text = page.read_text(encoding="utf-8")
    assert MADE["filled"](text, MADE["pages"]()[page]) == text, "make kernel-pages"


def test_the_picture_shows_what_was_measured() -> None:
    made = MADE["picture"]()
    assert MADE["PICTURE"].read_text(encoding="utf-8") == made, "make kernel-pages"
    timed = [row for kernel in MADE["FOLDERS"] for row in MADE["rows"](MADE["results"](kernel), "time") if "us" in row]
    assert made.count(' r="4" ') == len(timed) > 0
    assert MADE["across"](0.001) == 0 and round(MADE["across"](1) / MADE["across"](1000), 9) == 0.4
    assert MADE["down"](2) == 0 and MADE["down"](0) == MADE["PANEL"][1]


def point(hand: float, default: float, **fields: Any) -> dict[str, Any]:
    us = {"hand": [hand, [hand, hand]], "again": [hand, [hand, hand]], "default": [default, [default, default]]}
    ratio = {name: [own[0] / hand, [0.99 * own[0] / hand, 1.02 * own[0] / hand]] for name, own in us.items()}
    return {
        "verb": "time", **fields, "bytes": 1, "us": us, "ratio": ratio, "best": "default", "share": 0.9,
        "called_us": {"hand": 9, "default": 30},
        "copy_share": 0.8, "copy_bytes_per_s": 4.3e12, "refused": {"liger": "not installed"},
    }  # fmt: skip


RUN = {"card": "NVIDIA H200", "torch": "2.11.0", "triton": "3.6.0"}


def test_a_table_of_points_and_a_place_under_the_roofline() -> None:
    found = {"runs": [RUN], "rows": [point(2, 4, rows=1, dtype="bf16"), point(4, 4, rows=5, dtype="bf16")]}
    told = MADE["of_points"](found)
    assert "| 1 | 2.00 | 4.00 default | 2.00 (1.98 to 2.04) | 90% | 80% | 9.0 for 30.0 | 4.00 |" in told
    assert "- liger, 2 times: not installed" in told and "dtype" not in told  # the same at each point
    assert MADE["place"](found) == (
        "90% to 90% of the bound at 2 points, half of them at 90% or more; ahead of the best other one at 1, behind at 0, level at 1."
    )


def test_what_a_step_gained() -> None:
    row = {
        "us": {"hand": [2, [2, 2]], "generated": [4, [4, 4]]}, "ratio": [2, [1.9, 2.1]],
        "in_the_model": {"saved": 2.04, "step": {"generated": 50, "grafted": 48}},
    }  # fmt: skip
    assert MADE["gained"](row) == ["2.00 for 4.00", "2.00 (1.90 to 2.10)", "2.0 of 50.0 us"]
    assert MADE["gained"]({"failed": "diff took longer"}) == ["", "", "diff took longer"]
    assert MADE["verdict"]({"verdict": "pass", "cases": 102, "wrong": {}}) == "pass, 102 cases"
    wrong = {"edge values": "mm is NaN where float64 says 2", "all edges": "mm is inf"}
    assert MADE["verdict"]({"verdict": "fail", "cases": 102, "wrong": wrong}) == (
        "fail, 2 of 102 cases; edge values: mm is NaN where float64 says 2"
    )
