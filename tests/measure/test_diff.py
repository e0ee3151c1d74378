"""The judge of speed: its statistics on made-up samples, and a kernel against its twin. No test asserts a time."""

from __future__ import annotations

import itertools
import random
import statistics
from collections.abc import Callable
from pathlib import Path
from typing import ClassVar

import pytest

from inductor_lab.errors import LabError
from inductor_lab.measure.diff import bench, diff
from inductor_lab.measure.timing import samples as instrument
from inductor_lab.measure.timing.kernels import (
    UNSEEN,
    Prepared,
    bytes_moved,
    check_results,
    conditions,
    conditions_told,
    timing,
)
from inductor_lab.measure.timing.samples import Function, Method, State
from inductor_lab.measure.timing.significance import CLOCK, SAME, Compared, compared, median_interval

EJECTED = """
import torch
import triton
import triton.language as tl


@triton.jit
def scale(x_ptr, y_ptr, numel, BLOCK: tl.constexpr):
    offset = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    inside = offset < numel
    tl.store(x_ptr + offset, tl.load(x_ptr + offset, inside) * 2.0 + tl.load(y_ptr + offset, inside), inside)


@triton.jit
def generated(in_out_ptr0, in_ptr0, xnumel, XBLOCK: tl.constexpr):
    xindex = tl.program_id(0) * XBLOCK + tl.arange(0, XBLOCK)[:]
    xmask = xindex < xnumel
    tmp0 = tl.load(in_out_ptr0 + xindex, xmask)
    tmp1 = tl.load(in_ptr0 + xindex, xmask)
    tl.store(in_out_ptr0 + xindex, tmp0 * 2.0 + tmp1, xmask)


def launch(x, y, *, BLOCK=1024, num_warps=4):
    scale[(triton.cdiv(x.numel(), BLOCK),)](x, y, x.numel(), BLOCK=BLOCK, num_warps=num_warps)


def launch_generated(x, y, *, XBLOCK=1024, num_warps=4):
    generated[(triton.cdiv(x.numel(), XBLOCK),)](x, y, x.numel(), XBLOCK=XBLOCK, num_warps=num_warps)


def reference(x, y):
    return (x * 2.0 + y,)


ARGUMENTS = {
    "x": ((4096, 4096), (4096, 1), torch.float32, "normal"),
    "y": ((4096, 4096), (4096, 1), torch.float32, "normal"),
}
TAKES = ("x", "y")
WRITTEN = ("x",)
BYTES = {"read": 2 * 4096 * 4096 * 4, "written": 4096 * 4096 * 4}
INTERPRETER = {"launch": {}, "launch_generated": {}}
TAIL = {"gpu": {}, "interpreter": {}}


def example_inputs(device, seed=0):
    rng = torch.Generator("cpu").manual_seed(seed)
    return tuple(torch.randn(shape, generator=rng).to(device) for shape, _, _, _ in ARGUMENTS.values())
"""


@pytest.fixture
def ejected(tmp_path: Path) -> Path:
    pytest.importorskip("torch")
    path = tmp_path / "scale.py"
    path.write_text(EJECTED)
    return path


# ---------------------------------------------------------------- statistics


def samples(median: float, spread: float, seed: int, count: int = 200) -> list[float]:
    rng = random.Random(seed)
    return [median * (1 + rng.gauss(0, spread)) for _ in range(count)]


def judged(hand: list[float], generated: list[float], again: list[float]) -> str:
    return compared(hand, generated, again).verdict


def test_the_exact_bootstrap_agrees_with_resampling() -> None:
    values = samples(100, 0.05, seed=1, count=101)
    median, (low, high) = median_interval(values)
    rng = random.Random(2)
    resampled = sorted(statistics.median(rng.choices(values, k=101)) for _ in range(2000))
    assert median == statistics.median(values)
    assert low <= median <= high
    assert low == pytest.approx(resampled[50], rel=0.004)
    assert high == pytest.approx(resampled[1949], rel=0.004)


def test_the_interval_covers_the_true_median_about_95_times_in_100() -> None:
    hits = sum(low <= 100 <= high for low, high in (median_interval(samples(100, 0.1, s, 40))[1] for s in range(300)))
    assert 0.91 * 300 <= hits <= 0.99 * 300


@pytest.mark.parametrize("values", [[3.0], [3.0, 3.0], [1.0, 2.0, 3.0]])
def test_few_samples_still_have_an_interval(values: list[float]) -> None:
    median, (low, high) = median_interval(values)
    assert min(values) <= low <= median <= high <= max(values)


def test_equal_distributions_are_the_same() -> None:
    assert judged(samples(100, 0.01, 1), samples(100, 0.01, 2), samples(100, 0.01, 3)) == "same"


def test_five_percent_is_told_apart_both_ways() -> None:
    base, again = samples(100, 0.01, 2), samples(100, 0.01, 3)
    assert judged(samples(105, 0.01, 1), base, again) == "slower"
    assert judged(samples(95, 0.01, 1), base, again) == "faster"


def test_wide_noise_is_inconclusive() -> None:
    assert judged(samples(101, 0.6, 1, 40), samples(100, 0.6, 2, 40), samples(100, 0.6, 3, 40)) == "inconclusive"


def test_a_clock_that_drifts_over_the_rounds_cancels() -> None:
    drift = [1 + 0.3 * i / 200 for i in range(200)]
    hand, base, again = ([t * d for t, d in zip(samples(100, 0.01, s), drift, strict=True)] for s in (1, 2, 3))
    assert judged(hand, base, again) == "same"


@pytest.mark.parametrize(
    ("interval", "noise", "expected"),
    [
        ((0.998, 1.002), 0.001, "same"),
        ((1.005, 1.015), 0.001, "same"),  # touches 1 %
        ((1.02, 1.03), 0.001, "faster"),
        ((1.02, 1.03), 0.025, "same"),  # inside what the generated kernel differs from itself
        ((0.95, 0.96), 0.001, "slower"),
        ((0.93, 1.08), 0.001, "inconclusive"),
        ((0.99, 1.01), 0.2, "inconclusive"),
        ((1.5, 1.9), 0.2, "faster"),  # wide, but beyond all noise
    ],
)
def test_the_rule(interval: tuple[float, float], noise: float, expected: str) -> None:
    assert Compared(1.0, interval, noise, max(noise, SAME)).verdict == expected


def test_what_the_clock_can_not_tell_apart_is_no_difference() -> None:
    """Copies of one kernel, loaded side by side, differ by a tenth of a microsecond."""
    two, hundred = (
        compared(*(samples(t, 0.01, s) for t, s in ((t0, 1), (t0 + 0.12, 2), (t0 + 0.12, 3)))) for t0 in (2, 100)
    )
    assert (two.verdict, hundred.verdict) == ("same", "same")
    assert two.margin == pytest.approx(CLOCK / 2, rel=0.01) and hundred.margin == SAME
    assert judged(samples(2, 0.01, 1), samples(2.5, 0.01, 2), samples(2.5, 0.01, 3)) == "faster"


# ---------------------------------------------------------------- bytes


class Ejected:
    """Stands for an ejected file that reads a slice of what it is given, and writes all of it."""

    BYTES: ClassVar = {"read": 1024, "written": 4096}


class Uncounted:
    """Stands for one whose addresses could not be counted, or an older one."""

    BYTES = None


def test_bytes_are_those_that_were_counted_from_the_addresses() -> None:
    assert bytes_moved(Ejected) == 5120  # type: ignore[arg-type]


def test_what_was_not_counted_is_not_guessed_from_shapes() -> None:
    assert bytes_moved(Uncounted) is None  # type: ignore[arg-type]
    assert bytes_moved(object()) is None  # type: ignore[arg-type]
    Half = type("Half", (), {"BYTES": {"read": 4, "written": None}})
    assert bytes_moved(Half) is None  # type: ignore[arg-type]
    assert timing([1.0, 2.0, 3.0], None).bytes_per_second is None


def test_bandwidth_is_bytes_over_the_median() -> None:
    assert timing([10.0, 10.0, 10.0], 4_000_000).bytes_per_second == pytest.approx(4e11)


# ---------------------------------------------------------------- without a GPU


@pytest.fixture
def no_gpu(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(pytest.importorskip("torch").cuda, "is_available", lambda: False)


@pytest.mark.usefixtures("no_gpu")
def test_bench_needs_a_gpu_and_says_what_works_without(ejected: Path) -> None:
    with pytest.raises(LabError, match=r"needs a GPU.*`diff`"):
        bench(ejected)


@pytest.mark.usefixtures("no_gpu")
def test_diff_without_a_gpu_tells_the_machine_facts_alone(ejected: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    tl = pytest.importorskip("triton.language")
    if type(tl.sum).__name__ == "InterpretedFunction":
        pytest.skip("Triton was imported under TRITON_INTERPRET: it can not compile in this process")
    monkeypatch.delenv("TRITON_INTERPRET", raising=False)
    result = diff(ejected)
    assert (result.verdict, result.ratio, result.ratio_interval, result.noise) == ("inconclusive", None, None, None)
    assert set(result.hand) == set(result.generated) == {"machine", "residency", "roofline"}
    assert result.ceilings == () and result.hand["roofline"].bytes_per_second is None
    (hand,), (generated,) = result.hand["machine"], result.generated["machine"]
    assert (hand.kernel, hand.arch, generated.kernel) == ("scale", "sm_90", "generated")
    assert hand.loads == generated.loads == {"LDG.E.128": hand.loads["LDG.E.128"]}
    assert "No time was measured" in result.notes[0]
    assert diff(ejected, gpu="a100").hand["machine"][0].arch == "sm_80"


# ---------------------------------------------------------------- the loop, on a GPU made of clocks


class Event:
    """A CUDA event on a clock that every call moves on."""

    calls: ClassVar[list[str]] = []
    clock: ClassVar[float] = 0.0
    takes: ClassVar = {"a": 0.005, "b": 0.006, "empty": 0.003}
    """Milliseconds."""
    late: ClassVar[Callable[[], bool]] = staticmethod(lambda: False)
    """Whether the GPU has reached the first event by now."""

    def __init__(self, enable_timing: bool) -> None:
        assert enable_timing

    def record(self) -> None:
        self.at = Event.clock
        Event.calls.append("event")

    def query(self) -> bool:
        return Event.late()

    def elapsed_time(self, end: Event) -> float:
        return end.at - self.at


def call(name: str) -> Function:
    def run() -> None:
        Event.calls.append(name)
        Event.clock += Event.takes.get(name, 0.0)

    return run


@pytest.fixture
def clocks(monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """What is called, in order, where a GPU is made of clocks."""
    torch = pytest.importorskip("torch")
    monkeypatch.setattr(Event, "calls", [])
    monkeypatch.setattr(torch.cuda, "Event", Event)
    monkeypatch.setattr(torch.cuda, "synchronize", lambda: None)
    monkeypatch.setattr(torch.cuda, "_sleep", lambda cycles: Event.calls.append("sleep"), raising=False)
    monkeypatch.setattr(instrument, "need_gpu", lambda: None)
    monkeypatch.setattr(instrument, "empty_kernel", lambda: call("empty"))
    monkeypatch.setattr(instrument, "_empty_takes", lambda: 1.0)
    monkeypatch.setattr(instrument, "flusher", lambda: lambda: Event.calls.append("flush"))
    monkeypatch.setattr(instrument, "WARM_UP", 0.0)
    monkeypatch.setattr(instrument, "card_state", State)
    return Event.calls


def test_every_round_calls_each_once_after_a_restore_and_a_flush(clocks: list[str]) -> None:
    found = instrument.measure({"a": call("a"), "b": call("b")}, call("restore"), Method(rounds=40))
    assert found.overhead == pytest.approx(2.0)  # 3 us around the empty kernel, which itself runs for 1
    assert found.times == {"a": pytest.approx([3.0] * 40), "b": pytest.approx([4.0] * 40)}
    timed = [clocks[i : i + 5] for i in range(4, len(clocks), 5)]  # after the first call of each, which compiles
    assert all(sample[:3] == ["restore", "flush", "event"] and sample[4] == "event" for sample in timed)
    rounds = [tuple(sample[3] for sample in timed[i : i + 3]) for i in range(0, len(timed), 3)]
    assert {frozenset(one) for one in rounds} == {frozenset({"a", "b", "empty"})} and len(set(rounds)) == 6
    assert len(rounds) == 40


def test_a_graph_is_one_of_many_recordings(clocks: list[str], monkeypatch: pytest.MonkeyPatch) -> None:
    """What a recording takes longer than another is in the samples of all: each is timed in its part of the rounds, in another order."""
    made: list[str] = []

    def recorded(name: str, function: Function, restore: Function) -> Function:
        made.append(name)
        slow, again = call(f"slow {name}"), call(name)
        return slow if name == "a" and made.count("a") % 2 else again

    monkeypatch.setattr(Event, "takes", {**Event.takes, "slow a": 0.007})
    monkeypatch.setattr(instrument, "recorded", recorded)
    monkeypatch.setattr(instrument, "EMPTY", "empty")
    found = instrument.measure({"a": call("a"), "b": call("b")}, call("restore"), Method("graph", rounds=48))
    assert [made.count(name) for name in ("a", "b", "empty")] == [instrument.RECORDINGS] * 3 == [24] * 3
    assert len({tuple(made[i : i + 3]) for i in range(0, len(made), 3)}) == 6
    assert sorted(found.times["a"]) == pytest.approx([3.0] * 24 + [5.0] * 24)
    assert found.times["b"] == pytest.approx([4.0] * 48)


def test_on_a_warm_cache_the_same_launch_ran_just_before(clocks: list[str]) -> None:
    instrument.measure({"a": call("a")}, call("restore"), Method(cache="warm", rounds=2))
    timed = [clocks[i : i + 7] for i in range(2, len(clocks), 7)]
    assert {tuple(sample) for sample in timed} == {
        ("restore", name, "restore", "sleep", "event", name, "event") for name in ("a", "empty")
    }


def test_the_gpu_is_kept_busy_for_longer_until_it_waits_for_no_launch(
    clocks: list[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    """A launch that needs three flushes: rounds behind one and behind two are thrown away."""
    monkeypatch.setattr(Event, "late", staticmethod(lambda: busy(clocks) < 3 and "a" in clocks[-2:]))
    found = instrument.measure({"a": call("a")}, method=Method(rounds=10))
    assert found.times == {"a": pytest.approx([3.0] * 10)}
    assert [clocks.count("flush"), clocks.count("a")] == [2 * (8 + 2 * 8 + 4 * 10), 1 + 8 + 8 + 10]


def busy(calls: list[str]) -> int:
    """Flushes before the last launch."""
    return len(list(itertools.takewhile(lambda one: one == "flush", reversed(calls[:-3]))))


def test_a_round_that_is_late_now_and_then_is_thrown_away(clocks: list[str], monkeypatch: pytest.MonkeyPatch) -> None:
    queries = itertools.count()
    monkeypatch.setattr(Event, "late", staticmethod(lambda: next(queries) % 8 == 0))
    found = instrument.measure({"a": call("a")}, method=Method(rounds=20))
    assert len(found.times["a"]) == 20
    assert clocks.count("flush") == 2 * 27  # one round of four, and no longer flush for it


def test_a_launch_for_which_the_gpu_always_waits_is_not_timed(
    clocks: list[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(Event, "late", staticmethod(lambda: "a" in clocks[-2:]))
    with pytest.raises(LabError, match=r"The launch of a keeps the CPU .* `--launch graph`"):
        instrument.measure({"a": call("a"), "b": call("b")}, method=Method(rounds=20))


def test_how_long_the_rounds_take_is_told_where_it_is_long(clocks: list[str], monkeypatch: pytest.MonkeyPatch) -> None:
    ticks = itertools.count()
    monkeypatch.setattr(instrument.time, "perf_counter", lambda: float(next(ticks)))
    told: list[str] = []
    instrument.measure({"a": call("a")}, method=Method(rounds=40), progress=told.append)
    assert told == ["40 rounds, about 4 s"]  # the clock moves on by a second for the first eight
    instrument.measure({"a": call("a")}, method=Method(rounds=16), progress=told.append)
    assert len(told) == 1


def test_what_a_card_that_slows_itself_down_gives_is_measured_again(
    clocks: list[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    hot = State(1200, 3201, 90, 700.0, ("thermal limit",))
    states = iter([State(), hot, State(), State()])
    monkeypatch.setattr(instrument, "card_state", lambda: next(states))
    found = instrument.measure({"a": call("a")}, method=Method(rounds=3))
    assert found.retried and not found.throttled
    states = iter([hot] * 4)
    assert instrument.measure({"a": call("a")}, method=Method(rounds=3)).throttled == ("thermal limit",)
    states = iter([State()] * 2)
    assert not instrument.measure({"a": call("a")}, method=Method(rounds=3)).retried


@pytest.mark.parametrize("wrong", [{"launch": "thrown"}, {"cache": "lukewarm"}])
def test_a_method_that_is_not_there_is_said(wrong: dict[str, str]) -> None:
    with pytest.raises(LabError, match=r"There is no (launch|cache)"):
        Method(**wrong)  # type: ignore[arg-type]


def test_what_an_empty_kernel_runs_is_given_back_where_a_profiler_sees_it(
    clocks: list[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    found = instrument.measure({"a": call("a")}, method=Method(rounds=3))
    assert found.empty == 1.0 and [*conditions_told(found)] == []
    monkeypatch.setattr(instrument, "_empty_takes", lambda: None)
    unseen = instrument.measure({"a": call("a")}, method=Method(rounds=3))
    assert unseen.overhead == pytest.approx(found.overhead + 1.0)
    assert [*conditions_told(unseen)] == [UNSEEN] and conditions(unseen)["empty"] is None


@pytest.mark.parametrize(("step", "fails"), [(0.0, False), (0.001, False), (0.5, True)])
def test_a_kernel_that_computes_something_else_behind_its_timing_is_an_error(step: float, fails: bool) -> None:
    torch = pytest.importorskip("torch")
    x = torch.ones(100)
    kernels = Prepared("mine.py", {"hand": lambda: x.add_(step)}, lambda: None, [x])  # restores nothing
    check = check_results(kernels, "hand")
    if fails:
        with pytest.raises(LabError, match=r"mine.py: the hand kernel computes something else after it was timed"):
            check()
    else:
        check()


# ---------------------------------------------------------------- on a GPU


@pytest.mark.gpu
def test_a_kernel_against_its_twin_is_the_same(ejected: Path) -> None:
    torch = pytest.importorskip("torch")
    if not torch.cuda.is_available():
        pytest.skip("needs a GPU")
    result = diff(ejected)
    assert result.verdict == "same"
    low, high = result.ratio_interval
    assert low <= result.ratio <= high
    (code,) = result.hand["machine"]
    assert code.registers
    assert code.loads
    single = bench(ejected, method=Method(rounds=30))
    assert single.samples == 30
    assert single.interval[0] <= single.median <= single.interval[1]
    assert single.bytes_per_second == pytest.approx(3 * 4096 * 4096 * 4 / (1e-6 * single.median))
