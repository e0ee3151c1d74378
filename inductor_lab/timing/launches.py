"""What each kernel of a span takes: between two kernels that do nothing a profiler sees those of one call, in order.

[flush, empty, double 2.1 us, sgemm 4.0 us, bias_relu 1.9 us, empty, flush, ...]  ->  double 2.1 us, sgemm 4.0 us, bias_relu 1.9 us
"""

from __future__ import annotations

import statistics

from inductor_lab.records import KernelTime
from inductor_lab.timing.crosscheck import CALLS
from inductor_lab.timing.empty import EMPTY, empty_kernel
from inductor_lab.timing.measure import Method, flusher
from inductor_lab.timing.prepared import Prepared
from inductor_lab.timing.profiled import kernels_run


def launch_times(kernels: Prepared, name: str, method: Method) -> tuple[KernelTime, ...]:
    """Each kernel that a call runs, the library's included, with its median by CUPTI, on the cache that the method names.

    None where the profiler sees no GPU, or not the same kernels in every call.
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
