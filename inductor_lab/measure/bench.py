"""The time of one kernel of an ejected file."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

from inductor_lab.ejected import load
from inductor_lab.machine import LAUNCHERS
from inductor_lab.measure.contest.autotuned import AsRun, as_run
from inductor_lab.measure.timing.crosscheck import profiled
from inductor_lab.measure.timing.prepared import (
    bytes_moved,
    check_results,
    conditions,
    conditions_told,
    prepared,
    timing,
)
from inductor_lab.measure.timing.samples import Method, measure, need_gpu
from inductor_lab.records import Timing


def bench(
    path: str | Path,
    which: str = "hand",
    method: Method | None = None,
    *,
    profile: bool = False,
    progress: Callable[[str], None] = lambda step: None,
) -> Timing:
    """Time the `hand` or `generated` kernel of an ejected file on the GPU of this machine, in microseconds.

    `bytes_per_second` is of the bytes that the file says were counted from the generated kernel, each element once; None
    where it says none. `profile` adds what CUPTI tells, `profiled`. The generated kernel is launched under what Inductor's
    autotuner keeps here, which `conditions` and `notes` tell.
    Raises LabError without a GPU, or when the kernel fails.
    """
    need_gpu()
    module = load(path).module
    kernels = prepared(module, {which: getattr(module, LAUNCHERS[which])})
    if which == "generated":
        progress("asking Inductor's autotuner for its configuration")
    model = as_run(module, kernels.tensors) if which == "generated" else AsRun()
    model.stated_by(module)
    check = check_results(kernels, which)
    found = measure(kernels.functions, kernels.restore, method or Method(), progress)
    check()
    taken = replace(
        timing(found.times[which], bytes_moved(module), found.method),
        conditions=conditions(found, model.autotuned),
        notes=(*model.notes, *conditions_told(found)),
    )
    return replace(taken, profiled=profiled(kernels, which, found.method)) if profile else taken
