"""What an edit is worth in a captured model: estimated by bytes, or measured in the step and held to what its launches save."""

from __future__ import annotations

import json
import shutil
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from conftest import Result
from kernels_as_text import ADD_RELU, ADD_RELU_TENSORS, LOOPED_SUM, LOOPED_SUM_TENSORS, capture, kernel, tensor

from inductor_lab import step, store
from inductor_lab.annotate import annotate
from inductor_lab.eject.span import eject_span
from inductor_lab.errors import LabError
from inductor_lab.records import (
    Capture,
    Launch,
    PerfDiff,
    Replay,
    ReplayedGraph,
    ReplayedLaunch,
    Saving,
    StepEffect,
    Timing,
    Traffic,
)
from inductor_lab.report.explanation import step_told
from inductor_lab.report.results import result
from inductor_lab.spans import span

Lab = Callable[..., Result]
CAPTURED = Path(__file__).parents[1] / "captured"


def model(second: dict[str, str] | None = None) -> Capture:
    """Two kernels; the first is launched again on tensors of other shapes, where there are any."""
    first = kernel(ADD_RELU, ADD_RELU_TENSORS)
    other = replace(kernel(LOOPED_SUM, LOOPED_SUM_TENSORS, category="reduction"), id="test:1")
    if second is not None:
        (launch,) = first.launches
        typed = (
            replace(one, type=tensor(second[one.name]) if one.name in second else one.type) for one in launch.arguments
        )
        first = replace(first, launches=(launch, Launch(launch.graph, launch.line + 9, tuple(typed))))
    return annotate(capture(first, other))


def moved(traffic: Traffic) -> int:
    return (traffic.read or 0) + (traffic.written or 0)


# ---------------------------------------------------------------- launches and bytes


def test_a_kernel_s_part_is_of_the_bytes_of_all_launches() -> None:
    found = model()
    first, second = found.kernels
    counted = step.estimated(found, [first])
    assert (counted.launches, counted.all_launches, counted.uncounted) == (1, 2, 0)
    assert counted.bytes == moved(first.traffic) and counted.all_bytes == moved(first.traffic) + moved(second.traffic)
    assert counted.share == pytest.approx((counted.bytes or 0) / (counted.all_bytes or 1))


def test_a_launch_on_other_shapes_counts_by_its_own() -> None:
    """Its last tensor is too small for what the first launch reads of it."""
    small = {name: text.replace("4096", "1") for name, text in ADD_RELU_TENSORS.items()}
    found = model(small)
    counted = step.estimated(found, [found.kernels[0]])
    once = moved(found.kernels[0].traffic)
    assert counted.launches == 2 and once < (counted.bytes or 0) < 1.1 * once
    same = model(dict(ADD_RELU_TENSORS))
    assert step.estimated(same, [same.kernels[0]]).bytes == 2 * once


def test_a_span_is_estimated_by_its_launches_in_all_its_places(tmp_path: Path) -> None:
    found = store.load(CAPTURED / "lora_mlp_h200")
    spans = [span(found, "0_inference", *steps) for steps in ((1, 3), (8, 11))]
    for one, launched in zip(spans, found.kernels, strict=True):
        file = tmp_path / f"{one.first}.py"
        file.write_text(eject_span(found, one))
        held, places = step.its_kernel(file, str(CAPTURED / "lora_mlp_h200"))
        assert [place.id for place in places] == [one.id] and held.name == found.name
        counted = step.estimated(found, places)
        assert (counted.kernel, counted.launches, counted.all_launches) == (one.name, 1, 3)
        assert counted.bytes == moved(launched.traffic)
    with pytest.raises(LabError, match="no steps of dlrm_h200 are that span"):
        step.its_kernel(file, "dlrm_h200")


def test_what_can_not_be_counted_is_told_and_not_guessed() -> None:
    found = model()
    first, second = found.kernels
    unknown = replace(found, kernels=(first, replace(second, traffic=Traffic())))
    assert step.estimated(unknown, [first]).uncounted == 1 and step.estimated(unknown, [first]).share == 1.0
    assert (
        step.estimated(unknown, [unknown.kernels[1]]).bytes is None
        and step.estimated(unknown, [unknown.kernels[1]]).share is None
    )
    (told,) = step_told(step.estimated(unknown, [first]))
    assert "an estimate, no step was timed: 1 of 2 launches" in told and "(1 launch could not be counted)" in told
    (told,) = step_told(step.estimated(unknown, [unknown.kernels[1]]))
    assert "can not be counted" in told


# ---------------------------------------------------------------- times


def replayed(saving: Saving | None, *, hand: float | None = 20.0, verdict: str = "pass") -> Replay:
    """A step of 1000 us that launches the kernel twice, 24 us each, and a graph that does not."""

    def timing(median: float) -> Timing:
        return Timing(median, (median - 1, median + 1), 300, None)

    took = {"generated": 24.0} | ({} if hand is None else {"grafted": hand})
    launches = tuple(
        ReplayedLaunch("test:0", "add_relu", "0_forward", line, True, "pass", {}, "", {}, took) for line in (3, 9)
    )
    other = ReplayedLaunch("test:1", "sum", "1_backward", 5, False, "pass", {}, "", {}, {"generated": 50.0})
    times = {"generated": timing(900.0), "grafted": timing(892.0)} if saving else {}
    graphs = (
        ReplayedGraph("0_forward", "drawn", {}, {}, times, {}, saving),
        ReplayedGraph("1_backward", "drawn", {}, {}, {"generated": timing(100.0)} if saving else {}),
    )
    return Replay(
        verdict, "" if verdict == "pass" else "test:0 at line 3", "NVIDIA H200", 0, graphs, (*launches, other)
    )


def measured(saving: Saving | None, **more: Any) -> StepEffect:
    found = model(dict(ADD_RELU_TENSORS))
    return step.measured(found, [found.kernels[0]], replayed(saving, **more))


def told(effect: StepEffect) -> str:
    return "\n".join(step_told(effect))


def test_the_kernel_s_part_and_both_savings_are_of_all_graphs_and_launches() -> None:
    found = measured(Saving(8.1, (7.6, 8.6), 0.5, 8.0, (7.9, 8.1)))
    assert found.verdict == "faster" and found.agreement == "agrees"
    assert found.step == {"generated": 1000.0, "grafted": 992.0}
    assert found.microseconds == {"generated": 48.0, "grafted": 40.0} and found.share == pytest.approx(0.048)
    assert (found.launches, found.all_launches, found.saved, found.expected) == (2, 3, 8.1, 8.0)
    text = told(found)
    assert "1,000.0 us as a CUDA graph, this kernel is 4.8 %: 48.0 us in 2 launches." in text
    assert "Its launches save 8.00 us (95 %: 7.90 to 8.10); the step saves 8.10 us (95 %: 7.60 to 8.60), 0.8 %." in text
    assert text.endswith("The two agree.")


@pytest.mark.parametrize(
    ("saved", "agreement", "said"),
    [
        ((3.0, (2.5, 3.5)), "less", "the step saves less"),
        ((14.0, (13.0, 15.0)), "more", "the step saves more"),
        (
            (6.8, (6.4, 7.2)),
            "agrees",
            "The two agree",
        ),  # within what the profiler and the events differ by: 3 % of 48 us
    ],
)
def test_a_disagreement_beyond_the_noise_is_said(
    saved: tuple[float, tuple[float, float]], agreement: str, said: str
) -> None:
    found = measured(Saving(*saved, 0.5, 8.0, (7.9, 8.1)))
    assert (found.verdict, found.agreement) == ("faster", agreement)
    assert said in told(found) and ("disagree" in told(found)) == (agreement != "agrees")


def test_noise_decides_whether_the_step_shows_it() -> None:
    within = measured(Saving(0.4, (0.1, 0.7), 0.5, 0.3, (0.2, 0.4)))
    assert within.verdict == "same" and "is not beyond its noise of 0.50 us" in told(within)
    still = measured(Saving(0.45, (0.35, 0.55), 0.1, 0.3, (0.2, 0.4)))  # 1 % of 48 us is more than the noise
    assert still.verdict == "same" and "is not beyond the 0.48 us that can not be told apart" in told(still)
    assert step._beyond(0.1, step.SAME, {"generated": 4.0}, 2) == 2 * step.CLOCK  # launches too short to tell apart
    slower = measured(Saving(-9.0, (-9.5, -8.5), 0.5, -8.0, (-8.2, -7.8)))
    assert (
        slower.verdict == "slower"
        and "Its launches cost 8.00 us" in told(slower)
        and "the step costs 9.00 us" in told(slower)
    )


def test_launches_that_the_profiler_does_not_show_leave_the_step_alone() -> None:
    found = measured(Saving(8.0, (7.5, 8.5), 0.5), hand=None)
    assert (found.expected, found.agreement, found.verdict) == (None, "", "faster")
    assert "The step saves 8.00 us" in told(found) and "agree" not in told(found)


def test_a_step_that_could_not_be_timed_is_estimated_and_a_wrong_one_is_said() -> None:
    bare = measured(None)
    assert bare.verdict == "untimed" and "an estimate" in told(bare)
    wrong = measured(Saving(8.0, (7.5, 8.5), 0.5, 8.0, (7.9, 8.1)), verdict="fail")
    assert "first at test:0 at line 3: its time is that of another computation" in told(wrong)


# ---------------------------------------------------------------- the command line


@pytest.fixture
def file(lab: Lab, workdir: Path) -> Path:
    assert lab("eject", f"{CAPTURED / 'lora_mlp_h200'}:0", "-o", "mine.py").code == 0
    return workdir / "mine.py"


def test_without_a_gpu_diff_tells_launches_and_bytes(lab: Lab, file: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    import inductor_lab.measure.diff

    plain = PerfDiff("inconclusive", None, None, None, {}, {}, "no GPU")
    monkeypatch.setattr(inductor_lab.measure.diff, "diff", lambda file, gpu, **asked: plain)
    shown = lab("diff", file, "--in", CAPTURED / "lora_mlp_h200")
    assert (
        shown.code == 0 and "an estimate, no step was timed" in shown.out and "Library calls are not in it" in shown.out
    )
    found = json.loads(lab("diff", file, "--in", CAPTURED / "lora_mlp_h200", "--json").out)
    assert found["step"]["verdict"] == "untimed" and 0 < found["step"]["share"] <= 1 and found["ratio"] is None
    assert "--in" not in lab("diff", file).err  # the capture that it names is not here
    shutil.copytree(CAPTURED / "lora_mlp_h200", "captured/lora_mlp_h200")
    assert lab("diff", file).err.endswith(f"inductor-lab diff {file} --in lora_mlp_h200\n")
    wrong = lab("diff", file, "--in", CAPTURED / "dlrm_h200")
    assert wrong.code == 2 and "no kernel of" in wrong.err and "has that body" in wrong.err
    assert lab("diff", file, "--in", "nothing").code == 2


def test_with_a_gpu_diff_replays_the_capture_with_the_file(
    lab: Lab, file: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    import inductor_lab.measure.diff
    import inductor_lab.replay.run

    found = store.load(CAPTURED / "lora_mlp_h200")
    asked: dict[str, Any] = {}

    def replay(folder: Path, **given: Any) -> Replay:
        asked.update(given, folder=folder)
        return replayed(Saving(8.1, (7.6, 8.6), 0.5, 8.0, (7.9, 8.1)))

    timed = PerfDiff("faster", 1.2, (1.19, 1.21), 0.01, {}, {}, "NVIDIA H200")
    monkeypatch.setattr(inductor_lab.measure.diff, "diff", lambda file, gpu, **asked: timed)
    monkeypatch.setattr(inductor_lab.replay.run, "replay", replay)
    out = json.loads(lab("diff", file, "--in", CAPTURED / "lora_mlp_h200", "--json").out)
    assert out["step"]["verdict"] == "faster" and out["step"]["saved"] == 8.1 and out["ratio"] == 1.2
    assert asked["folder"] == CAPTURED / "lora_mlp_h200" and asked["grafts"] == {found.kernels[0].id: file}


def test_the_step_is_told_with_the_comparison() -> None:
    effect = measured(Saving(8.1, (7.6, 8.6), 0.5, 8.0, (7.9, 8.1)))
    found = PerfDiff("faster", 1.2, (1.19, 1.21), 0.01, {}, {}, "NVIDIA H200", notes=("Only time.",), step=effect)
    notes = result(found).notes
    assert "this kernel is 4.8 %" in notes[0] and notes[-1] == "Only time."
