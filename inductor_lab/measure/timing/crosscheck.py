"""The events' time of a kernel beside CUPTI's, two clocks that know nothing of each other; and CUPTI's of each kernel of a span.

Between two kernels that do nothing the profiler sees those of one call, in order:

    [flush, empty, double 2.1 us, sgemm 4.0 us, bias_relu 1.9 us, empty, flush, ...]  ->  double 2.1 us, sgemm 4.0 us, bias_relu 1.9 us
"""

from __future__ import annotations

import statistics
from collections.abc import Container, Mapping, Sequence

from inductor_lab.measure.timing.prepared import Prepared
from inductor_lab.measure.timing.samples import EMPTY, Method, empty_kernel, flusher, kernel_times, kernels_run
from inductor_lab.records import KernelTime, Timing

CALLS = 30
AGREED, LONG = 0.03, 10.0
"""How far apart both may be, from how many microseconds on."""


def profiled(kernels: Prepared, name: str, method: Method) -> float | None:
    """Microseconds that a function's kernels take together by CUPTI, the median of its calls, on the cache that the method names.

    None where the profiler sees none. What restores the inputs and flushes the cache is told by its own profile, and left out.
    """
    flush = flusher() if method.cache == "cold" else lambda: None

    def prepare() -> None:
        kernels.restore()
        flush()

    others = kernel_times(prepare, count=2)
    calls = _by_call(kernel_times(kernels.functions[name], prepare, count=CALLS), others, CALLS)
    return statistics.median(calls) if calls else None


def _by_call(found: Mapping[str, Sequence[float]], others: Container[str], count: int) -> list[float]:
    """What each call took: its kernels' times together."""
    mine = [times for kernel, times in found.items() if kernel not in others]
    if not mine or any(len(times) % count for times in mine):  # a run was missed
        return []
    each = [
        [sum(times[i : i + len(times) // count]) for i in range(0, len(times), len(times) // count)] for times in mine
    ]
    return [sum(parts) for parts in zip(*each, strict=True)]


def disagreement(which: str, timing: Timing) -> str:
    """What to say where the events and CUPTI tell different times; empty where they agree, or a kernel is too short to tell."""
    told = timing.profiled
    if told is None:
        return f"The profiler did not see the {which} kernel."
    apart = timing.median / told - 1
    if told <= LONG or abs(apart) <= AGREED:
        return ""
    return f"The {which} kernel takes {timing.median:.2f} us by events and {told:.2f} us by CUPTI, {abs(apart):.1%} apart: trust neither alone."


def launch_times(kernels: Prepared, name: str, method: Method) -> tuple[KernelTime, ...]:
    """Each kernel that a call runs, the library's included, with its median by CUPTI, on the cache that the method names.

    Empty where the profiler sees no GPU, or not the same kernels in every call.
    """
    flush = flusher() if method.cache == "cold" else lambda: None
    mark = empty_kernel()

    def prepare() -> None:
        kernels.restore()
        flush()
        mark()

    def call() -> None:
        kernels.functions[name]()
        mark()

    ran = kernels_run(call, prepare, count=CALLS)
    calls: list[list[tuple[str, float]]] = [[]]
    for kernel, microseconds in ran:
        if kernel == EMPTY:
            calls.append([])
        else:
            calls[-1].append((kernel, microseconds))
    own = calls[1::2]  # behind an even number of marks stands what prepares the next call
    names = [[kernel for kernel, _ in one] for one in own]
    if len(own) != CALLS or any(one != names[0] for one in names):
        return ()
    times = ([microseconds for _, microseconds in one] for one in own)
    return tuple(
        KernelTime(kernel, statistics.median(several))
        for kernel, several in zip(names[0], zip(*times, strict=True), strict=True)
    )
