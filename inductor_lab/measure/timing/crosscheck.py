"""The events' time of a kernel beside CUPTI's, two clocks that know nothing of each other; and CUPTI's of each kernel of a span.

Between two kernels that do nothing the profiler sees those of one call, in order:

    [flush, empty, double 2.1 us, sgemm 4.0 us, bias_relu 1.9 us, empty, flush, ...]  ->  double 2.1 us, sgemm 4.0 us, bias_relu 1.9 us
"""

from __future__ import annotations

import statistics

from inductor_lab.measure.timing.kernels import Prepared
from inductor_lab.measure.timing.samples import EMPTY, Method, empty_kernel, flusher, kernels_run
from inductor_lab.records import KernelTime, Timing

CALLS = 30
AGREED, LONG = 0.03, 10.0
"""How far apart both may be, from how many microseconds on."""


def _calls(kernels: Prepared, name: str, method: Method) -> list[list[tuple[str, float]]]:
    """What each call runs, the library's kernels included, with their microseconds, on the cache that the method names.

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

    parts: list[list[tuple[str, float]]] = [[]]
    for kernel, microseconds in kernels_run(call, prepare, count=CALLS):
        if kernel == EMPTY:
            parts.append([])
        else:
            parts[-1].append((kernel, microseconds))
    own = parts[1::2]  # behind an even number of marks stands what prepares the next call
    names = [[kernel for kernel, _ in one] for one in own]
    return own if len(own) == CALLS and all(one == names[0] for one in names) else []


def profiled(kernels: Prepared, name: str, method: Method) -> float | None:
    """Microseconds that a function's kernels take together by CUPTI, the median of its calls; None where the profiler sees none."""
    calls = _calls(kernels, name, method)
    return statistics.median(sum(time for _, time in one) for one in calls) if calls and calls[0] else None


def launch_times(kernels: Prepared, name: str, method: Method) -> tuple[KernelTime, ...]:
    """Each kernel that a call runs, with its median by CUPTI; empty where the profiler does not see them."""
    each = zip(*_calls(kernels, name, method), strict=True)
    return tuple(KernelTime(runs[0][0], statistics.median(time for _, time in runs)) for runs in each)


def disagreement(which: str, timing: Timing) -> str:
    """What to say where the events and CUPTI tell different times; empty where they agree, or a kernel is too short to tell."""
    told = timing.profiled
    if told is None:
        return f"The profiler did not see the {which} kernel."
    apart = timing.median / told - 1
    if told <= LONG or abs(apart) <= AGREED:
        return ""
    return f"The {which} kernel takes {timing.median:.2f} us by events and {told:.2f} us by CUPTI, {abs(apart):.1%} apart: trust neither alone."
