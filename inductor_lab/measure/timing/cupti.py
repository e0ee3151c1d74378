"""What CUPTI tells of each kernel that ran, through torch.profiler; and a kernel that does nothing, by which the cost of launching is known."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Mapping, Sequence
from functools import cache

Function = Callable[[], object]
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


def kernel_times(
    function: Function, restore: Function = lambda: None, *, count: int = 30
) -> Mapping[str, Sequence[float]]:
    """Kernel's name -> microseconds of each of its runs, in order; empty where the profiler can not see the GPU.

    Args:
        restore: Runs before each call; what it launches is in the result too.
    """
    found: dict[str, list[float]] = defaultdict(list)
    for name, microseconds in kernels_run(function, restore, count=count):
        found[name].append(microseconds)
    return found


def kernels_run(
    function: Function, restore: Function = lambda: None, *, count: int = 30
) -> Sequence[tuple[str, float]]:
    """The same, kernel by kernel as they ran: (name, microseconds)."""
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
