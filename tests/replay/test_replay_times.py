"""What a replay tells of times: launches matched with what the card ran, and the table and the sentences of it."""

from __future__ import annotations

from collections.abc import Mapping
from types import ModuleType
from typing import Any, cast

import pytest

pytest.importorskip("torch")

from inductor_lab.errors import LabError
from inductor_lab.measure.timing.samples import Measured, Method, State
from inductor_lab.records import Graph, Replay, ReplayedGraph, ReplayedLaunch, Saving, Timing
from inductor_lab.replay import module, times
from inductor_lab.replay.times import by_launch, saving
from inductor_lab.report import render
from inductor_lab.report.outcomes import replayed


def test_launches_are_found_by_name_in_the_order_of_the_step() -> None:
    step = [("gemm", 9.0), ("relu", 1.0), ("relu", 2.0), ("memset", 0.5), ("sum", 4.0)]
    ran = [(name, took + number) for number in range(3) for name, took in step]
    assert by_launch(ran, [{"relu"}, {"relu"}, {"sum", "sum_hand"}], 3) == [
        [1.0, 2.0, 3.0],
        [2.0, 3.0, 4.0],
        [4.0, 5.0, 6.0],
    ]
    assert by_launch(ran, [{"gemm"}, {"other"}, {"sum"}], 3) == [[9.0, 10.0, 11.0], [], [4.0, 5.0, 6.0]]
    assert by_launch([], [{"relu"}], 3) == [[]]


def test_a_hand_kernel_of_several_is_all_of_them() -> None:
    step = [("one", 1.0), ("two", 2.0), ("sum", 4.0), ("one", 1.5), ("two", 2.5)]
    hand = {"one", "two", "unused"}
    assert by_launch(step * 2, [hand, {"sum"}, hand], 2) == [[3.0, 3.0], [4.0, 4.0], [4.0, 4.0]]
    assert by_launch([*step, ("one", 9.0)], [hand, {"sum"}, hand], 1) == [[], [4.0], []]  # not shared out evenly


def test_what_the_step_saves_is_of_paired_rounds_and_what_its_launches_do_of_their_sums() -> None:
    drift = [float(number % 7) for number in range(40)]
    rounds = {
        "generated": [100 + x for x in drift],
        "grafted": [97 + x for x in drift],
        "again": [100.5 + x for x in drift],
    }
    found = saving(rounds, [[10.0] * 20, [5.0] * 20], [[8.0] * 20, [4.0] * 20])
    assert (found.step, found.step_interval, found.noise) == (3.0, (3.0, 3.0), 0.5)
    assert (found.launches, found.launches_interval) == (3.0, (3.0, 3.0))
    unseen = saving(rounds, [[10.0] * 20, []], [[8.0] * 20, [4.0] * 20])
    assert (unseen.step, unseen.launches, unseen.launches_interval) == (3.0, None, None)


class Two:
    """Stands for the launches of a graph: a relu at line 7, which may have a hand kernel, and a sum at line 9."""

    def __init__(self, *grafted: int) -> None:
        self.grafted = grafted

    def kept(self) -> dict[str, Any]:
        return {}

    def span_at(self, line: int) -> None:
        return None

    def compiled(self, lines: set[int], *, held: bool) -> str:
        assert lines == {*self.grafted} and not held
        return "grafted"

    def called(self, line: int) -> str:
        return {7: "relu", 9: "sum"}[line]

    def hand(self, line: int) -> ModuleType | None:
        return ModuleType("hand") if line in self.grafted else None


@pytest.fixture
def card(monkeypatch: pytest.MonkeyPatch) -> None:
    """A card on which the hand kernel takes 2 us less, and the step with it 3 us less."""

    def measured(functions: Mapping[str, Any], method: Method) -> Measured:
        assert method.launch == "bare" and all(name == run for name, run in functions.items())
        took = {"generated": 100.0, "grafted": 97.0, "again": 100.5}
        return Measured({name: [took[name]] * 30 for name in functions}, method, 2.0, State(), State())

    calls = iter(["generated", "again"])  # compiled on its own
    monkeypatch.setattr(times.module, "compiled", lambda graph, kept: next(calls, "generated"))
    monkeypatch.setattr(times, "recorded", lambda name, function, warm_up: function.args[0])
    monkeypatch.setattr(times, "_kernels", lambda file: iter(["hand", "generated_as_ejected"]))
    monkeypatch.setattr(times, "measure", measured)
    hand = {"generated": ("relu", 10.0), "grafted": ("hand", 8.0)}
    monkeypatch.setattr(times, "flusher", lambda: None)
    ran = lambda run, flush, count: [("flush", 50.0), hand[run], ("sum", 4.0)] * count  # noqa: E731
    monkeypatch.setattr(times, "kernels_run", ran)


@pytest.mark.usefixtures("card")
def test_a_graft_s_step_and_launches_are_set_against_the_generated_ones() -> None:
    graph = Graph("0", "", "inference", "")
    found = times.timed(graph, (), cast(Any, Two(7)), [7, 9])
    assert list(found.step) == ["generated", "grafted"] and found.step["grafted"].median == 97.0
    assert {timing.launch for timing in found.step.values()} == {"graph"}
    assert found.launches == [{"generated": 10.0, "grafted": 8.0}, {"generated": 4.0, "grafted": 4.0}]
    assert found.saving == Saving(3.0, (3.0, 3.0), 0.5, 2.0, (2.0, 2.0))
    plain = times.timed(graph, (), cast(Any, Two()), [7, 9])
    assert (list(plain.step), plain.saving) == (["generated"], None)
    assert plain.launches == [{"generated": 10.0}, {"generated": 4.0}]


def test_a_module_s_kernels_are_loaded_anew_each_time() -> None:
    """What Inductor hands out a second time in a process lies where it lay."""
    text = "from torch._inductor.codecache import PyCodeCache\nkernel = PyCodeCache.load('one = object()').one\ncall = lambda inputs: kernel\n"
    graph = Graph("0", "", "inference", text)
    assert module.compiled(graph, {})([]) is not module.compiled(graph, {})([])


def test_what_a_newer_torch_exports_may_be_missing() -> None:
    text = "from torch._C._dynamo.guards import of_another_version\ncall = lambda inputs: inputs\n"
    assert module.compiled(Graph("0", "", "inference", text), {})([1]) == [1]
    needs = text.replace("inputs\n", "of_another_version(inputs)\n")
    with pytest.raises(LabError, match="'of_another_version' is not defined"):
        module.compiled(Graph("0", "", "inference", needs), {})([1])
    with pytest.raises(ImportError):
        module.compiled(Graph("0", "", "inference", "from another_library import anything\n"), {})


def shown(*, grafted: bool) -> str:
    times = {"generated": 20.0, "grafted": 10.0} if grafted else {"generated": 20.0}
    step = {name: Timing(80.0 + took, (99.0, 101.0), 25, None) for name, took in times.items()}
    launches = (
        ReplayedLaunch("m:0", "relu", "0", 7, grafted, "pass", {"hand": 1e-7, "eager": 1e-7}, "", {}, times),
        ReplayedLaunch("m:1", "sum", "0", 9, False, "pass", {"hand": 1e-7, "eager": 1e-7}, "", {}),
    )
    saved = Saving(10.0, (9.8, 10.3), 0.25) if grafted else None
    graph = ReplayedGraph("0", "drawn", {"out": "pass"}, {"out": 1e-7}, step, {}, saved)
    found = Replay("pass", "", "NVIDIA H200", 0, (graph,), launches)
    return "\n".join(render.text(one).rstrip() for one in replayed(found))


@pytest.mark.parametrize(
    ("count", "told"),
    [
        (1, "0: 1 output equals eager's, at most 1.0e-07 from float64; so does the program's own"),
        (2, "0: 2 outputs equal eager's, at most 1.0e-07 from float64; so do the program's own 2"),
    ],
)
def test_one_output_and_several_are_told_in_their_own_number(count: int, told: str) -> None:
    outputs = {f"out{number}": "pass" for number in range(count)}
    graph = ReplayedGraph("0", "kept", outputs, dict.fromkeys(outputs, 1e-7), {}, outputs)
    launch = ReplayedLaunch("m:0", "relu", "0", 7, False, "pass", {"hand": 1e-7, "eager": 1e-7}, "", {})
    found = Replay("pass", "", "NVIDIA H200", 0, (graph,), (launch,) * count)
    first, second, *_ = (render.text(one).strip() for one in replayed(found))
    assert first.startswith(f"pass  1 graph, {('1 launch', '2 launches')[count - 1]} on") and second == told


def test_the_step_and_each_launch_s_part_are_shown() -> None:
    text = shown(grafted=False)
    assert "the step as a CUDA graph takes generated 100.0 us [99.0, 101.0]; 20% of it in kernels" in text
    row = next(line.split() for line in text.splitlines() if "m:" not in line and " relu" in line)
    assert row[:6] == ["7", "0", "relu", "pass", "20.0", "20.0%"] and "of the step" in text


def test_what_a_graft_is_worth_in_the_step_is_shown() -> None:
    text = shown(grafted=True)
    told = " ".join(text.split())
    assert "grafted 90.0 us [99.0, 101.0], -10.0% (10.00 us saved [9.80, 10.30], noise 0.25 us); 11% of it in" in told
    row = next(line.split() for line in text.splitlines() if "(grafted)" in line)
    assert row[:7] == ["7", "0", "relu", "(grafted)", "pass", "20.0", "10.0"] and "11.1%" in row
