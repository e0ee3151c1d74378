"""An ejected file's kernels timed: one alone (`bench`), or the hand kernel against the generated one, with what the compiler made of both (`diff`).

For `diff` both run on the same tensors, in the same rounds, and the generated kernel twice (A/A), the second loaded on its own: what it differs from
itself is noise, and a difference inside the noise is "same". The generated kernel has the configuration that the model would run: what Inductor's
autotuner keeps on this card, in this run. How it is measured: docs/timing.md.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace
from pathlib import Path
from types import ModuleType

from inductor_lab.ejected import is_span, load
from inductor_lab.errors import LabError
from inductor_lab.machine import LAUNCHERS, inspect_module, present_gpu, target_named
from inductor_lab.machine.inspection import need_stage
from inductor_lab.measure.contest.configurations import AsRun, as_run, both
from inductor_lab.measure.contest.contest import Contest, check_asked, contest
from inductor_lab.measure.timing.ceilings import ceilings
from inductor_lab.measure.timing.kernels import (
    Prepared,
    bytes_moved,
    check_results,
    conditions,
    conditions_told,
    disagreement,
    launch_times,
    paired,
    prepared,
    profiled,
    timing,
)
from inductor_lab.measure.timing.samples import LAUNCHES, Method, measure, need_gpu
from inductor_lab.measure.why.explanation import explained, operations
from inductor_lab.measure.why.texts import difference
from inductor_lab.records import KernelSide, Paired, PerfDiff, Timing

NOT_TIMED = "No time was measured: there is no GPU here. What the compiler made of both is for {gpu}."
NO_PROFILE = "A profiler was asked for, and there is no GPU here for it to see."
NOT_CHECKED = "`inductor-lab verify` tells whether the hand kernel is correct."
CHECKED = "On the inputs that were timed the hand kernel is correct, before and behind the timing; `inductor-lab verify` tries others."
SIDES = ("hand", "generated", "again")


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


def diff(
    path: str | Path,
    *,
    gpu: str | None = None,
    method: Method | None = None,
    against: Sequence[str] = (),
    best: bool = False,
    show: Sequence[str] = (),
    profile: bool = False,
    progress: Callable[[str], None] = lambda step: None,
) -> PerfDiff:
    """Compare an ejected file's hand kernel with the generated one.

    With a GPU: times, the results checked again behind them, and machine facts for this GPU (or `gpu`).
    Without one: the machine facts alone, for `gpu` or an H200; the ratio is None and the verdict "inconclusive".
    `hand` and `generated` hold `timing` and `roofline` (with a GPU), `machine` and `residency` (a tuple, one a launch). Of a span each kernel is timed
    as well (`launches`), and both are launched the other way too, bare or from CUDA graphs (`launched`).
    `against` names more contestants, which are timed in the same rounds; `best` asks for each kernel's best configuration as well.
    `show` names stages of compilation (`machine.inspection.STAGES`) whose difference is told as text; `profile` adds CUPTI's times.
    Raises LabError for an unknown GPU, a file that was not ejected, a kernel that does not compile or run, and what needs a GPU without one.
    """
    target_named(gpu or "h200")
    present = present_gpu()
    check_asked(against, best=best, gpu=present is not None)
    for stage in show:
        need_stage(stage, target_named(gpu or present or "h200"))
    module = load(path).module
    if present is None:
        progress(f"compiling both for {gpu or 'h200'}")
        hand, generated = machine(module, gpu or "h200")
        not_timed = NOT_TIMED.format(gpu=gpu or "h200")
        told = (not_timed, *([NO_PROFILE] if profile else []), NOT_CHECKED)
        untimed = PerfDiff("inconclusive", None, None, None, hand, generated, "no GPU", told, settings=both(module))
        return _with_texts(explained(untimed, module, gpu or "h200"), module, gpu or "h200", show)

    timed, kernels, method = _timed(path, module, method or Method(), against, best, profile, progress)
    notes = list(timed.notes)
    progress("timing what the card reaches at most")
    try:
        most = ceilings(["fp32", operations(module)[1]])
    except LabError as error:  # the times stand without them
        most = ()
        notes.append(str(error))
    progress(f"compiling both for {gpu or present}")
    try:
        hand, generated = machine(module, gpu or present)
    except LabError as error:  # the times stand without it
        hand, generated = {}, {}
        notes.append(str(error).removeprefix(f"{module.__file__}: "))  # a result is kept, its file's folder need not be
    if is_span(module):
        progress("profiling each launch")
        hand["launches"] = launch_times(kernels, "hand", method)
        generated["launches"] = launch_times(kernels, "generated", method)
    found = replace(timed, hand={**timed.hand, **hand}, generated={**timed.generated, **generated}, notes=tuple(notes))
    here = found.device if gpu in (None, present) else ""
    return _with_texts(explained(found, module, gpu or present, most, here), module, gpu or present, show)


def _timed(
    path: str | Path,
    module: ModuleType,
    method: Method,
    against: Sequence[str],
    best: bool,
    profile: bool,
    progress: Callable[[str], None],
) -> tuple[PerfDiff, Prepared, Method]:
    """What the times say, each contestant checked before and behind them; the kernels, and how they were timed."""
    import torch

    again = load(path).module  # a module of its own: Triton loads its kernels' code once more, elsewhere
    launchers = {"hand": module.launch, "generated": module.launch_generated, "again": again.launch_generated}
    kernels = prepared(module, launchers)
    progress("asking Inductor's autotuner for its configuration")
    model = as_run(module, kernels.tensors)
    model.stated_by(module, again)
    others = contest(Path(path), module, kernels, against, best=best, progress=progress, launch=method.launch)
    _need_right(path, others, kernels, "before it was timed")
    progress("timing")
    found = measure({**kernels.functions, **others.functions}, kernels.restore, method, progress)
    _need_right(path, others, kernels, "after it was timed")
    others.check()
    span = is_span(module)
    otherwise = _launched_otherwise(module, kernels, found.method, progress) if span else None
    moved = bytes_moved(module)
    main = paired("generated", found, SIDES, moved, ({}, {}))
    ours, theirs = main.hand, main.timing
    assert ours and theirs
    notes = [*model.notes, CHECKED, *others.notes, *conditions_told(found)]
    if profile:
        ours = replace(ours, profiled=profiled(kernels, "hand", found.method))
        theirs = replace(theirs, profiled=profiled(kernels, "generated", found.method))
        if not span:  # whose launches the card has to begin one after the other, which no profiler counts
            notes += filter(None, (disagreement("hand", ours), disagreement("generated", theirs)))
    timed = PerfDiff(
        verdict=main.verdict,
        ratio=main.ratio,
        ratio_interval=main.interval,
        noise=main.noise,
        hand={"timing": ours},
        generated={"timing": theirs},
        device=torch.cuda.get_device_name(),
        notes=tuple(notes),
        margin=main.margin,
        conditions=conditions(found, model.autotuned),
        launched=otherwise,
        **others.results(found, moved),
    )
    return timed, kernels, found.method


def _launched_otherwise(
    module: ModuleType, kernels: Prepared, method: Method, progress: Callable[[str], None]
) -> Paired:
    """Both from CUDA graphs where they were launched bare, bare where from CUDA graphs."""
    method = replace(method, launch=next(way for way in LAUNCHES if way != method.launch))
    progress(f"timing both {'from CUDA graphs' if method.launch == 'graph' else 'launched bare'}")
    try:
        found = measure({name: kernels.functions[name] for name in SIDES}, kernels.restore, method, progress)
    except LabError as error:
        return Paired(method.launch, "refused", notes=(f"Refused: {error}.",))
    settings = both(module)
    return paired(method.launch, found, SIDES, bytes_moved(module), (settings["hand"], settings["generated"]))


def _need_right(path: str | Path, others: Contest, kernels: Prepared, when: str) -> None:
    """LabError where one of both kernels does not compute what it must: its time is none of a kernel for this."""
    for which in ("hand", "generated"):
        if wrong := others.judge.wrong(kernels.functions[which], returns=False):
            raise LabError(f"{path}: the {which} kernel is wrong {when}: {wrong}; `inductor-lab verify` tells more")


def _with_texts(found: PerfDiff, module: ModuleType, gpu: str, show: Sequence[str]) -> PerfDiff:
    return replace(found, texts={stage: difference(module, gpu, stage) for stage in show})


def machine(module: ModuleType, gpu: str) -> tuple[KernelSide, KernelSide]:
    """What the compiler made of both kernels."""
    return {"machine": inspect_module(module, gpu, "hand")}, {"machine": inspect_module(module, gpu, "generated")}
