"""The contests of the hand kernels, small in Triton's interpreter, and the pages that are made of their results."""

from __future__ import annotations

import importlib
import itertools
import json
import runpy
from dataclasses import asdict
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


@pytest.mark.slow
def test_the_parts_run() -> None:
    said = interpreted(BENCHMARKS / "where_time_goes.py", "--smoke")
    assert {line.split()[0] for line in said.splitlines()} == {"launches", *CONTESTS}


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


def test_what_lies_beyond_the_picture_stands_at_its_edge(contests: Any) -> None:
    drawn = __import__("roofline")
    assert drawn.across(0.001) == 0 and round(drawn.across(1) / drawn.across(1000), 9) == 0.4
    assert drawn.down(2) == 0 and drawn.down(0) == drawn.PANEL[1]


def point(hand: float, default: float, **fields: Any) -> dict[str, Any]:
    us = {"hand": [hand, [hand, hand]], "again": [hand, [hand, hand]], "default": [default, [default, default]]}
    ratio = {name: [own[0] / hand, [0.99 * own[0] / hand, 1.02 * own[0] / hand]] for name, own in us.items()}
    return {
        "verb": "time", **fields, "bytes": 1, "us": us, "ratio": ratio, "best": "default", "share": 0.9,
        "called_us": {"hand": 9, "default": 30}, "recordings": 24,
        "copy_share": 0.8, "copy_bytes_per_s": 4.3e12, "refused": {"liger": "not installed"},
    }  # fmt: skip


RUN = {
    "command": "python tests/benchmarks/hand_kernels.py rotary",
    "card": "NVIDIA H200",
    "torch": "2.11.0",
    "triton": "3.6.0",
}


def test_a_table_of_points_and_a_place_under_the_roofline() -> None:
    rows = [point(2, 4, rows=1, dtype="bf16"), point(4, 4, rows=5, dtype="bf16", code="a1")]
    found = {"runs": [RUN], "rows": rows}
    told = MADE["of_points"](found)
    assert "| 1 | 2.00 | 4.00 default | 2.00 (1.98 to 2.04) | 90% | 80% | 9.0 for 30.0 | 4.00 |  |" in told
    assert "Microseconds in 24 recordings of a CUDA graph" in told and "by the clock" not in told
    tuned = RUN | {"command": f"{RUN['command']} --tune", "took_s": 190, "cores": 4}
    whole = found | {"runs": [tuned, RUN | {"took_s": 400, "cores": 16}, RUN | {"took_s": 50, "cores": 8}]}
    assert "at most. All runs together took 450 s by the clock, with 8 cores.\n" in MADE["of_points"](whole)
    assert "- liger, 2 times: not installed" in told and "dtype" not in told  # the same at each point
    assert MADE["place"](found) == (
        "90% to 90% of the bound at 2 points, half of them at 90% or more; ahead of the best other one at 1, behind at 0, level at 1."
    )


def test_a_bound_is_by_the_highest_rate_that_was_measured() -> None:
    slow = point(4, 4, rows=1, precision="fp16") | {"flops": 8e6, "flops_per_s": 1e12, "bound_us": 8, "share": 2}
    fast, ieee = slow | {"precision": "bf16", "flops_per_s": 4e12}, slow | {"precision": "ieee"}
    found = {"runs": [RUN], "rows": [slow, fast, ieee]}
    assert [row["share"] for row in MADE["points"](found)] == [0.5, 0.5, 2]
    assert (
        "in TFLOP/s: bf16 4 (others down to 1), fp32 1. Somebody is faster than fp32's, which was measured too low.\n"
        in MADE["of_points"](found)
    )


@pytest.mark.parametrize(
    ("default", "again", "place"),
    [
        (4.3, [0.99, 1.01], "ahead"),
        (4.17, [0.99, 1.0], "level"),
        (3.7, [1, 1], "behind"),
        (4.3, [0.9, 1], "not certain"),
    ],
)
def test_a_difference_inside_the_noise_is_none(default: float, again: list[float], place: str) -> None:
    """By the same margin as `diff`: here 0.15 us are 3.75 % of the hand kernel's 4 us."""
    row = point(4, default)
    row["ratio"] |= {"again": [1, again], "default": [default / 4, [default / 4 - 0.01, default / 4 + 0.01]]}
    assert MADE["stands"](row) == place


def test_a_goal_is_met_or_missed_or_not_certain(contests: Any) -> None:
    goals = __import__("goals")
    base = point(100, 150, code="a1") | {"copy_share": 1, "recordings": 1}

    def said(goal: Any, low: float, high: float, **fields: Any) -> str:
        row = base | {"ratio": {"default": [(low + high) / 2, [low, high]], "again": [1, [1, 1]]}} | fields
        return str(goals.reached(row, goal, [row], [])[1])

    twice, level = goals.Goal({}, 2, against="default"), goals.Goal({}, 1, against="default")
    assert said(twice, 2.2, 2.4) == "met" and said(twice, 2.01, 2.03) == "met, within 3.5%"
    assert said(twice, 2.01, 2.03, recordings=24) == "met" and said(twice, 1.9, 2.1) == "not certain"
    assert said(twice, 1.49, 1.51) == "missed by 25%" and said(twice, 1.95, 1.97) == "missed by 2%, within 3.5%"
    assert said(level, 0.992, 0.996) == "met, within 3.5%" and said(level, 0.7, 0.72) == "missed by 29%"
    most = goals.Goal({}, 1.05, "takes", "default")
    assert said(most, 1.2, 1.3) == "met" and said(most, 0.849, 0.851) == "missed by 12%"
    assert goals.reached(base, goals.Goal({}, 1, against="liger"), [], []) == ("", "liger not timed")
    assert goals.reached(base, goals.Goal({}, 90, "us"), [], []) == ("100.00 (100.00 to 100.00)", "missed by 11%")


def test_each_goal_is_of_a_point_that_is_timed(contests: Any) -> None:
    goals = __import__("goals")
    for kernel in sorted(goals.GOALS):
        known = [asdict(one) for one in importlib.import_module(f"contests.{kernel}").POINTS]
        assert all(any(goal.holds(one) for one in known) for goal in goals.GOALS[kernel]), kernel


def test_a_goal_has_a_line_and_one_for_each_point_that_is_not_known_to_meet_it(monkeypatch: pytest.MonkeyPatch) -> None:
    """With several points met, the least of them, if nobody misses."""
    goals = __import__("goals")

    def said(*defaults: float, **fields: Any) -> str:
        rows = [point(4, default, rows=number, **fields) for number, default in enumerate(defaults, 1)]
        return str(MADE["of_goals"]("none", {"runs": [RUN], "rows": rows}))

    monkeypatch.setitem(MADE["GOALS"], "none", (goals.Goal({"rows": (1, 2)}, 1.2),))
    assert "| 1.2x best | rows 1 or 2 | least 1.25 (1.24 to 1.27) | met at 2 of 2 |  |" in said(8, 5, 1)
    told = said(8, 4)
    assert "| 1.2x best | rows 1 or 2 |  | met at 1 of 2 |  |\n" in told
    assert "| 1.2x best | rows 2 | 1.00 (0.99 to 1.02) | missed by 17% |  |\n" in told
    assert "| 1.2x best | rows 1 | 2.00 (1.98 to 2.04) | met |  |\n" in said(8)
    monkeypatch.setitem(MADE["GOALS"], "none", (goals.Goal({"rows": 5}, 1.2),))
    assert "| 1.2x best | rows 5 |  | not timed yet |  |" in said(8)


def test_how_much_longer_a_call_from_python_takes_is_told_of_both_cards(monkeypatch: pytest.MonkeyPatch) -> None:
    slow, quick = {"hand": 9, "default": 6}, {"hand": 4, "default": 5}
    rows = [point(2, 4, rows=1) | {"called_us": slow}, point(4, 4, rows=2) | {"called_us": quick}]
    here = {"runs": [RUN], "rows": [*rows, point(2, 4, rows=3) | {"called_us": {}}]}
    there = {"runs": [RUN], "rows": [rows[1], point(2, 4, rows=4) | {"called_us": slow}]}
    assert list(MADE["from_python"](here).values()) == [1.5, 0.8]
    names = MADE["pages"].__globals__
    monkeypatch.setitem(names, "FOLDERS", ["swiglu"])
    monkeypatch.setitem(names, "results", lambda _, name: here if name == "results.json" else there)
    told = MADE["of_calls"]()
    assert (
        "a hand kernel took 0.80 times as long as the best other one in the median, and longer at 0 of 1 points."
        in told
    )
    assert "On an H100 of another host it took 0.80 times as long" in told
    there["rows"] = []
    told = MADE["of_calls"]()
    assert "took 1.15 times as long as the best other one in the median, and longer at 1 of 2 points. A host" in told
    here["rows"] = []
    assert MADE["of_calls"]() == ""


def test_another_card_s_page_says_which_verdicts_are_others_there(monkeypatch: pytest.MonkeyPatch) -> None:
    def judged(*told: tuple[str, str]) -> list[dict[str, Any]]:
        wrong = {"pass": {}, "fail": {"ties": "off by 3 %"}}
        return [
            {"verb": "verify", "step": step, "verdict": word, "cases": 9, "wrong": wrong[word]} for step, word in told
        ]

    rows = [point(2, 4, rows=1), *judged(("a", "pass"), ("b", "fail"), ("c", "fail"))]
    files = {
        "results.json": {"runs": [RUN], "rows": judged(("a", "pass"), ("b", "pass"), ("c", "fail"), ("d", "pass"))},
        "results_h100.json": {"runs": [RUN | {"code": "abc"}], "rows": rows},
    }
    monkeypatch.setitem(MADE["pages"].__globals__, "results", lambda _, name="results.json": files[name])
    told = MADE["on_another_card"]("swiglu")
    assert "ahead of the best other one at 1," in told and "`verify --thorough` passes 1 of 3 steps there." in told
    assert told.endswith(" Otherwise than above, `b`: fail, 1 of 9 cases; ties: off by 3 %. Not judged: 1.\n")
    files["results_h100.json"] = {"runs": [], "rows": []}
    assert MADE["on_another_card"]("swiglu") == ""


def test_a_committed_point_that_misses_its_goal_says_why_and_no_other_has_a_reason() -> None:
    said = set()
    for kernel in MADE["GOALS"]:
        for line in MADE["of_goals"](kernel, MADE["results"](kernel)).splitlines():
            if line.startswith("| ") and not line.startswith(("| ---", "| goal")):
                *_, says, reason, _ = (cell.strip() for cell in line.split("|"))
                assert bool(reason) != says.startswith(("met", "not timed")), f"tests/benchmarks/goals.py, WHY: {line}"
                said.add(reason)
    goals = __import__("goals")
    unused = [where for where, reason in goals.WHY if where.get("kernel") in goals.GOALS and reason not in said]
    assert not unused, "nothing misses its goal for these reasons any more"


def test_bytes_and_launches_take_longer_together_than_what_one_token_misses() -> None:
    """The reason that `goals.py` has for it."""
    goals = __import__("goals")
    empty = {
        row["point"].split()[-1]: row["parts"]["whole, for no neuron"]["cold"][0]
        for row in json.loads(MADE["PARTS"].read_text())["rows"] if row["subject"] == "sparse_ffn"
    }  # fmt: skip
    timed, seen = MADE["points"](MADE["results"]("sparse_ffn")), 0
    for goal, row in itertools.product(goals.GOALS["sparse_ffn"], timed):
        reason = goals.why({"kernel": "sparse_ffn", "goal": goal.says} | row)
        if not goal.holds(row) or "its bytes at the rate of a large copy" not in reason:
            continue
        value, says = goals.reached(row, goal, timed, [])
        if not says.startswith("met"):
            part = goal.reach / float(value.split()[0])
            asked = row["us"]["hand"][0] * (part if goal.most else 1 / part)
            assert 1e6 * row["bytes"] / row["copy_bytes_per_s"] + empty[f"{row['sparsity']:g}"] > asked
            seen += 1
    assert seen


def test_what_a_step_gained() -> None:
    whole: dict[str, Any] = {"saved": 2.04, "step": {"generated": 50, "grafted": 48}}
    row = {
        "us": {"hand": [2, [2, 2]], "generated": [4, [4, 4]]}, "ratio": [2, [1.9, 2.1]], "in_the_model": whole,
    }  # fmt: skip
    assert MADE["gained"](row) == ["2.00 for 4.00", "2.00 (1.90 to 2.10)", "2.0 of 50.0 us"]
    whole["notes"] = ["The module computes something else at /tmp/of/rms_norm:0."]
    assert MADE["gained"](row)[2] == "2.0 of 50.0 us. The module computes something else at rms_norm:0."
    assert MADE["gained"]({"failed": "diff took longer"}) == ["", "", "diff took longer"]
    assert MADE["verdict"]({"verdict": "pass", "cases": 102, "wrong": {}}) == "pass, 102 cases"
    wrong = {"edge values": "mm is NaN where float64 says 2", "all edges": "mm is inf"}
    assert MADE["verdict"]({"verdict": "fail", "cases": 102, "wrong": wrong}) == (
        "fail, 2 of 102 cases; edge values: mm is NaN where float64 says 2"
    )
