"""What a replay tells of times: launches matched with what the card ran, and the table and the sentences of it."""

from __future__ import annotations

import pytest

pytest.importorskip("torch")

from inductor_lab.cli.replay import _told
from inductor_lab.records import Replay, ReplayedGraph, ReplayedLaunch, Timing
from inductor_lab.replay.times import medians
from inductor_lab.report import render


def test_launches_are_found_by_name_in_the_order_of_the_step() -> None:
    step = [("gemm", 9.0), ("relu", 1.0), ("relu", 2.0), ("memset", 0.5), ("sum", 4.0)]
    ran = [(name, took + number) for number in range(3) for name, took in step]
    assert medians(ran, [{"relu"}, {"relu"}, {"sum", "sum_hand"}], 3) == [2.0, 3.0, 5.0]
    assert medians(ran, [{"relu"}, {"other"}, {"sum"}], 3) == [2.0, None, 5.0]
    assert medians([], [{"relu"}], 3) == [None]


def shown(*, grafted: bool) -> str:
    times = {"generated": 20.0, "grafted": 10.0} if grafted else {"generated": 20.0}
    step = {name: Timing(80.0 + took, (99.0, 101.0), 25, None) for name, took in times.items()}
    launches = (
        ReplayedLaunch("m:0", "relu", "0", 7, grafted, "pass", {"hand": 1e-7, "eager": 1e-7}, "", {}, times),
        ReplayedLaunch("m:1", "sum", "0", 9, False, "pass", {"hand": 1e-7, "eager": 1e-7}, "", {}),
    )
    graph = ReplayedGraph("0", "drawn", {"out": "pass"}, {"out": 1e-7}, step)
    found = Replay("pass", "", "NVIDIA H200", 0, (graph,), launches)
    return "\n".join(render.text(one).rstrip() for one in _told(found))


def test_the_step_and_each_launch_s_part_are_shown() -> None:
    text = shown(grafted=False)
    assert "the step as a CUDA graph takes generated 100.0 us [99.0, 101.0]; 20% of it in kernels" in text
    row = next(line.split() for line in text.splitlines() if "m:" not in line and " relu" in line)
    assert row[:6] == ["7", "0", "relu", "pass", "20.0", "20.0%"] and "of the step" in text


def test_what_a_graft_is_worth_in_the_step_is_shown() -> None:
    text = shown(grafted=True)
    assert "generated 100.0 us [99.0, 101.0], grafted 90.0 us [99.0, 101.0], -10.0%; 11% of it in kernels" in text
    row = next(line.split() for line in text.splitlines() if "(grafted)" in line)
    assert row[:7] == ["7", "0", "relu", "(grafted)", "pass", "20.0", "10.0"] and "11.1%" in row
