"""Samples of kernels on a GPU: interleaved in random order, each on a known cache, free of what launching costs.

Every sample is: restore the inputs, prepare the cache, then one launch between two CUDA events. The cache is `cold`: a buffer of several times the
L2's size is read, so that the launch finds none of its data and no dirty lines whose write-back it would be charged for; or `warm`: the
same launch ran just before. Either way the GPU is kept busy for longer than the CPU takes to launch: where it reached the first event before the
second was queued, it may have waited for the CPU. Such a sample's round is thrown away, and what keeps the GPU busy is made longer.

What two events cost around a launch, about 3 us, is measured in the same rounds on a kernel that does nothing, and taken off, but for what that
kernel itself takes by CUPTI. What is left is within 3 % of CUPTI's time for kernels over 10 us (docs/timing.md). What the card runs at meanwhile, clocks,
temperature and throttling, is read through NVML and never set.
"""

from __future__ import annotations

import math
import random
import statistics
import time
from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cache

from inductor_lab.errors import LabError

Function = Callable[[], object]
Progress = Callable[[str], None]
L2_TIMES = 5
FLUSH_BYTES = 512 * 2**20  # at least; about 0.15 ms on an H200, longer than Python takes to launch most kernels
SLEEP = 100_000  # cycles; 50 us at 2 GHz
LONGEST = 512
"""How often it flushes, or sleeps, before a launch, at most: 77 ms on an H200."""
ROUNDS = 300
"""Unless told otherwise: half a second for two kernels of a few microseconds, and enough to see 1 %."""
MIN_ROUNDS, MAX_ROUNDS = 25, 2000
BATCH = 8  # rounds that are queued before the CPU waits for the GPU
WARM_UP = 0.2  # seconds of the same rounds, thrown away: clocks rise, caches of compiled kernels fill
TELLING = 2.0  # seconds that are worth being told about
RECORDINGS = 24
"""How often each function is recorded anew where CUDA graphs are timed. Of the same launches one graph takes up to 3.5 % longer than another
(docs/timing.md), always in all of its replays: neither more samples nor their interval would show it."""
LAUNCHES, CACHES = ("bare", "graph"), ("cold", "warm")
LATE = (
    "The launch of {} keeps the CPU for longer than the GPU can be kept busy before it, or waits for the GPU: its time would be the CPU's. "
    "`--launch graph` of `bench` and `diff` times the GPU alone."
)
NO_GPU = "Timing needs a GPU, and there is none here: `inspect` and `diff` tell what the compiler made of a kernel"


@dataclass(frozen=True)
class Method:
    """How samples are taken. It is stated beside every time."""

    launch: str = "bare"
    """`bare`: launched from Python. `graph`: replayed from a CUDA graph."""
    cache: str = "cold"
    """`cold` or `warm`, the L2 cache as the launch finds it."""
    rounds: int | None = ROUNDS
    """None to go on for `seconds` for each function, within 25 and 2000 rounds."""
    seconds: float = 1.0
    seed: int = 0
    """Of the order in each round."""

    def __post_init__(self) -> None:
        for name, value, known in (("launch", self.launch, LAUNCHES), ("cache", self.cache, CACHES)):
            if value not in known:
                raise LabError(f"There is no {name} {value!r}; it is {' or '.join(known)}.")


@dataclass(frozen=True)
class Measured:
    """What came of it."""

    times: Mapping[str, Sequence[float]]
    """Function -> microseconds in each round: `times[name][i]` was measured in round i, beside the others' i."""
    method: Method
    overhead: float
    """Microseconds that were taken off each sample."""
    before: State
    after: State
    retried: bool = False
    """Whether a first run was thrown away because the card slowed itself down."""
    empty: float | None = 0.0
    """Microseconds that the kernel that does nothing runs, by CUPTI, and that were not taken off; None where the profiler sees no GPU."""

    @property
    def throttled(self) -> tuple[str, ...]:
        """Why the card ran slower than it can, also in the second run."""
        return tuple(dict.fromkeys(self.before.throttled + self.after.throttled))


def measure(
    functions: Mapping[str, Function],
    restore: Function = lambda: None,
    method: Method = Method(),
    progress: Progress = lambda step: None,
) -> Measured:
    """Take samples of every function; once more where the card slowed itself down meanwhile (heat, power).

    A round calls each function once, in a random order. `restore` runs before each call and is not charged; `progress` is told what takes long.

    Raises:
        LabError: there is no GPU, or a function can not be recorded in a CUDA graph.
    """
    need_gpu()
    for function in functions.values():  # compiles
        restore()
        function()
    found = _measured(functions, restore, method, progress)
    if not found.throttled:
        return found
    progress("timing again, as the card slowed itself down")
    return replace(_measured(functions, restore, method, progress), retried=True)


def _measured(functions: Mapping[str, Function], restore: Function, method: Method, progress: Progress) -> Measured:
    import torch

    order = random.Random(method.seed)
    functions = {**functions, EMPTY: empty_kernel()}
    prepare, busy = _prepared_cache(restore, method.cache), 1

    def batch(ready: Mapping[str, Function], size: int) -> list[dict[str, float]]:
        """`size` rounds, queued at once, read when the GPU has done them all: those without a late sample."""
        nonlocal busy
        rounds, late = [], Counter[str]()
        for _ in range(size):
            events, before = {}, late.total()
            for name in order.sample(list(ready), len(ready)):
                restore()
                prepare(ready[name], busy)
                start, end = torch.cuda.Event(enable_timing=True), torch.cuda.Event(enable_timing=True)
                start.record()
                ready[name]()
                end.record()
                late[name] += start.query()
                events[name] = start, end
            if late.total() == before:
                rounds.append(events)
        torch.cuda.synchronize()
        if 2 * len(rounds) < size:
            if busy == LONGEST:
                raise LabError(LATE.format(late.most_common(1)[0][0]))
            busy *= 2
        return [{name: 1e3 * start.elapsed_time(end) for name, (start, end) in events.items()} for events in rounds]

    done: list[dict[str, float]] = []
    limit, recordings = method.rounds or MAX_ROUNDS, RECORDINGS if method.launch == "graph" else 1
    for recording in range(1, recordings + 1):
        ready = functions
        if method.launch == "graph":
            ready = {
                name: recorded(name, functions[name], restore) for name in order.sample([*functions], len(functions))
            }
        begun = time.perf_counter()
        if recording == 1:
            while time.perf_counter() < begun + WARM_UP:
                batch(ready, 2)
            before = card_state()
            started = begun = time.perf_counter()
        else:
            batch(ready, 1)  # a graph's first replay
        part = recording / recordings
        deadline, least = begun + method.seconds * (len(functions) - 1) / recordings, math.ceil(MIN_ROUNDS * part)
        while len(done) < limit * part and (method.rounds or len(done) < least or time.perf_counter() < deadline):
            first = not done
            done += batch(ready, min(BATCH, math.ceil(limit * part) - len(done)))
            if first and done and method.rounds:
                left = (time.perf_counter() - started) / len(done) * (limit - len(done))
                if left > TELLING:
                    progress(f"{limit} rounds, about {left:.0f} s")
    overhead = max(0.0, statistics.median(times[EMPTY] for times in done) - (_empty_takes() or 0.0))
    times = {name: [max(times[name] - overhead, RESOLVED) for times in done] for name in functions if name != EMPTY}
    return Measured(times, method, overhead, before, card_state(), empty=_empty_takes())


RESOLVED = 0.032
"""Microseconds, the step of an event's clock: no kernel takes less."""
EMPTY = "inductor_lab_empty"
"""The name under which a profiler knows the kernel that does nothing."""


@cache
def empty_kernel() -> Function:
    """The launch of a kernel that does nothing, with one pointer, as one program: what is timed around it is what launching costs."""
    import torch
    import triton

    @triton.jit
    def inductor_lab_empty(x):  # type: ignore[no-untyped-def]
        pass

    x = torch.zeros(1, device="cuda")
    return lambda: inductor_lab_empty[(1,)](x, num_warps=4)


@cache
def _empty_takes() -> float | None:
    """Microseconds that the empty kernel runs, by CUPTI; None where the profiler sees no GPU."""
    try:
        times = [microseconds for name, microseconds in kernels_run(empty_kernel(), count=20) if name == EMPTY]
    except RuntimeError:  # somebody's profiler is at work already
        return None
    return statistics.median(times) if times else None


def kernels_run(
    function: Function, restore: Function = lambda: None, *, count: int = 30
) -> Sequence[tuple[str, float]]:
    """What CUPTI tells, through torch.profiler, of each kernel as it ran: (name, microseconds); empty where the profiler can not see the GPU.

    Args:
        restore: Runs before each call; what it launches is in the result too.
    """
    import torch
    from torch.autograd.profiler_util import DeviceType
    from torch.profiler import ProfilerActivity, profile

    torch.cuda.synchronize()
    with profile(activities=[ProfilerActivity.CUDA], acc_events=True) as profiled:
        for _ in range(count):
            restore()
            function()
        torch.cuda.synchronize()
    events = [event for event in profiled.events() or () if event.device_type == DeviceType.CUDA]
    events.sort(key=lambda event: event.time_range.start)
    return [(event.name, event.time_range.elapsed_us()) for event in events]


def recorded(name: str, function: Function, restore: Function = lambda: None, *, warm_up: int = 1) -> Function:
    """What replays the function from a CUDA graph.

    Args:
        warm_up: Calls before it is recorded: what compiles, tunes or makes a workspace can not be recorded.

    Raises:
        LabError: it can not be recorded.
    """
    import torch

    side = torch.cuda.Stream()
    side.wait_stream(torch.cuda.current_stream())
    try:
        with torch.cuda.stream(side):
            for _ in range(warm_up):
                restore()
                function()
        torch.cuda.current_stream().wait_stream(side)
        graph = torch.cuda.CUDAGraph()
        with torch.cuda.graph(graph):
            kept = function()
    except RuntimeError as error:
        raise LabError(f"{name} can not be recorded in a CUDA graph ({first_line(error)})") from error

    def replay(kept: object = kept) -> None:  # what it returns lives in the graph's memory
        graph.replay()

    return replay


def _prepared_cache(restore: Function, cache: str) -> Callable[[Function, int], None]:
    """What makes the cache what it should be for a function, and keeps the GPU busy: a few times longer where that is asked for."""
    import torch

    def warm(function: Function, times: int) -> None:
        function()
        restore()
        torch.cuda._sleep(times * SLEEP)  # touches no memory

    if cache == "warm":
        return warm
    flush = flusher()

    def cold(function: Function, times: int) -> None:
        for _ in range(times):
            flush()

    return cold


def flusher() -> Function:
    """A function that replaces what the L2 cache holds."""
    import torch

    cache_size = getattr(torch.cuda.get_device_properties(torch.cuda.current_device()), "L2_cache_size", 0)
    buffer = torch.zeros(max(FLUSH_BYTES, L2_TIMES * cache_size) // 4, device="cuda")
    return lambda: buffer.sum()


SLOWED = {
    0x4: "power cap",
    0x8: "hardware slowdown",
    0x20: "thermal limit",
    0x40: "hardware thermal slowdown",
    0x80: "power brake",
}
"""Bits of NVML's clocks event reasons that mean slower than asked for (nvml.h, nvmlClocksEventReason*)."""


@dataclass(frozen=True)
class State:
    """The card at one moment; all None where it can not be asked."""

    sm_mhz: int | None = None
    memory_mhz: int | None = None
    celsius: int | None = None
    watts: float | None = None
    throttled: tuple[str, ...] = ()


def card_state() -> State:
    """What the current device runs at: clocks, temperature, power, and why it runs slower than it can."""
    try:
        import pynvml
        import torch

        pynvml.nvmlInit()
        handle = pynvml.nvmlDeviceGetHandleByUUID(f"GPU-{torch.cuda.get_device_properties().uuid}".encode())
        reasons = pynvml.nvmlDeviceGetCurrentClocksThrottleReasons(handle)
        return State(
            pynvml.nvmlDeviceGetClockInfo(handle, pynvml.NVML_CLOCK_SM),
            pynvml.nvmlDeviceGetClockInfo(handle, pynvml.NVML_CLOCK_MEM),
            pynvml.nvmlDeviceGetTemperature(handle, pynvml.NVML_TEMPERATURE_GPU),
            pynvml.nvmlDeviceGetPowerUsage(handle) / 1000,
            tuple(name for bit, name in SLOWED.items() if reasons & bit),
        )
    except Exception:  # no NVML, a container that hides it, AMD's: the times stand without it
        return State()


def first_line(error: Exception) -> str:
    return (str(error).strip() or type(error).__name__).splitlines()[0]


def need_gpu() -> None:
    """LabError where nothing can be timed: no GPU, or kernels that are interpreted."""
    import torch

    if not torch.cuda.is_available():
        raise LabError(NO_GPU)
    from triton import knobs

    if knobs.runtime.interpret:
        raise LabError("TRITON_INTERPRET is set, so kernels run on the CPU: unset it to time them on the GPU")
