"""One point measured, on the card of this process: placed, checked, every contestant timed in the same rounds, checked again."""

from __future__ import annotations

import gc
from collections.abc import Iterator, Mapping
from contextlib import contextmanager, suppress
from dataclasses import replace
from functools import cache
from types import ModuleType, SimpleNamespace
from typing import Any

from inductor_lab.errors import LabError
from inductor_lab.measure.contest.configurations import AsRun, as_run
from inductor_lab.measure.contest.contestants import eager_form, made_of
from inductor_lab.measure.contest.correctness import Judge
from inductor_lab.measure.sweep.points import bytes_moved, float_dtypes, has_generated, placed
from inductor_lab.measure.sweep.results import Point, Row
from inductor_lab.measure.timing.ceilings import copy_bytes_per_second
from inductor_lab.measure.timing.kernels import Bound, Prepared, conditions, conditions_told, failure, laid, timing
from inductor_lab.measure.timing.samples import Function, Method, first_line, measure, need_gpu
from inductor_lab.measure.timing.significance import compared
from inductor_lab.records import Autotuned

DEVICE = "cuda"
TENSORS, JUDGING, TIMING = (
    "the kernel's own tensors",
    "the kernel fits, but not what it is judged with: copies of its tensors and what eager makes of them",
    "the kernel fits, but not what is timed beside it, or empties the cache",
)
"""What memory is needed for at a point."""
AGAIN = "again"
"""The one that the ratio is against, a second time in each round: A/A."""


class MemoryShortError(Exception):
    """The card's memory is too short; the text says for what."""


@contextmanager
def _needed_for(what: str) -> Iterator[None]:
    import torch

    try:
        yield
    except torch.OutOfMemoryError as error:
        raise MemoryShortError(f"{what} ({first_line(error)})") from error


def row(module: ModuleType, point: Point, method: Method, names: tuple[str, ...], seed: int = 0) -> Row:
    """What is found at a point; whatever goes wrong there is said in the row."""
    import torch

    empty = Row(point.sizes, point.dtype, "failed")
    try:
        with torch.no_grad():
            return _measured(module, point, method, names, seed)
    except MemoryShortError as error:
        return replace(empty, outcome="does not fit", why=str(error))
    except AssertionError as error:
        return replace(empty, why=str(error) or "the file's `launch` refuses these shapes")
    except LabError as error:
        return replace(empty, why=str(error))
    except Exception as error:
        own = float_dtypes(module)
        written = (
            ""
            if point.dtype in ("", *own)
            else f"; the file is written for {own[0]}, eject one of a {point.dtype} model"
        )
        return replace(empty, why=f"{type(error).__name__}: {first_line(error)}{written}")
    finally:
        gc.collect()
        if DEVICE == "cuda":
            with suppress(RuntimeError):
                torch.cuda.empty_cache()


def broken() -> bool:
    """Whether a kernel crashed in this process, which can use its GPU no more."""
    import torch

    try:
        if DEVICE == "cuda":
            torch.cuda.synchronize()
    except RuntimeError:
        return True
    return False


def _measured(module: ModuleType, point: Point, method: Method, names: tuple[str, ...], seed: int) -> Row:
    ceiling = _ceiling()
    with _needed_for(TENSORS):
        file = placed(module, point, seed, DEVICE)
        kernels = _launched(file)
    held = dict(zip(file.ARGUMENTS, kernels.tensors, strict=True))
    found = Row(point.sizes, point.dtype, "timed", device=_device(), copy_ceiling=ceiling)
    wrong, how = _judged(file, kernels)
    if wrong:
        return replace(found, outcome="wrong", why=wrong)
    moved = bytes_moved(module, point, file)
    functions, notes, autotuned = _contestants(module, point, file, held, moved, names)
    functions = {**kernels.functions, **functions}
    against = next((name for name in ("inductor", "generated", "eager") if name in functions), "")
    if against:
        functions[AGAIN] = functions[against]
    with _needed_for(TIMING):
        taken = measure(functions, kernels.restore, method)
    wrong, how = _judged(file, kernels)
    if wrong:
        return replace(found, outcome="wrong", why=f"after it was timed: {wrong}")
    found = replace(
        found,
        bytes=moved,
        times={name: timing(times, moved, method) for name, times in taken.times.items() if name != AGAIN},
        conditions=conditions(taken, autotuned),
        notes=(*filter(None, [how]), *notes, *conditions_told(taken)),
    )
    if not against:
        return found
    ratio = compared(taken.times["hand"], taken.times[against], taken.times[AGAIN])
    return replace(
        found,
        against=against,
        ratio=ratio.ratio,
        ratio_interval=ratio.interval,
        noise=ratio.noise,
        margin=ratio.margin,
        verdict=ratio.verdict,
    )


def _launched(file: SimpleNamespace) -> Prepared:
    """The kernel on the point's tensors, called once."""
    tensors, restore = laid(file)  # type: ignore[arg-type]
    hand = Bound(file.launch, tensors)
    if error := failure(hand):
        raise error
    return Prepared(str(file.__file__), {"hand": hand}, restore, (), tensors)


def _judged(file: SimpleNamespace, kernels: Prepared) -> tuple[str, str]:
    """What is wrong with what the kernel makes of the tensors, empty for nothing; and how far it was looked at, empty for float64."""
    with _needed_for(JUDGING):
        judge = Judge(file, kernels)  # type: ignore[arg-type]
        return judge.checked(kernels.functions["hand"]), judge.how


def _contestants(
    module: ModuleType,
    point: Point,
    file: SimpleNamespace,
    held: Mapping[str, Any],
    moved: int | None,
    names: tuple[str, ...],
) -> tuple[dict[str, Function], list[str], Autotuned | None]:
    """Whoever can be called here beside the hand kernel, why the others can not, and how Inductor tunes the generated kernel here."""
    import torch

    form, notes = _eager(file, held)
    model = AsRun()
    if generated := "generated" in names and has_generated(module, point):
        model = as_run(file, [*held.values()])  # type: ignore[arg-type]
    there = {"generated": generated, "copy": bool(moved), **dict.fromkeys(FORMS, form is not None)}

    def made(name: str) -> Function:
        if name == "generated":
            return Bound(file.launch_generated, [*held.values()], model.settings)
        if name == "copy":
            return copying(moved or 0, DEVICE)
        assert form is not None
        if name == "inductor":
            torch._dynamo.reset()  # after some sizes it would compile no more
        return Bound(made_of(FORMS[name], form)[0], form.tensors)

    functions: dict[str, Function] = {}
    for name in (name for name in names if there.get(name)):
        try:
            function = made(name)
            error = failure(function)
        except Exception as raised:
            error = raised
        if error is None:
            functions[name] = function
        else:
            notes.append(f"{name} is left out: {type(error).__name__}: {first_line(error)}")
    return functions, [*notes, *model.notes], model.autotuned


FORMS = {"eager": "eager", "inductor": "default", "torchscript": "torchscript"}
"""Contestant -> who makes it of the eager form (`contestants.FROM_EAGER`)."""


def copying(moved: int, device: str) -> Function:
    """A copy of random numbers that reads and writes so many bytes together."""
    import torch

    source = torch.randint(256, (max(1, moved // 2),), dtype=torch.uint8, device=device)
    made = torch.empty_like(source)
    return lambda: made.copy_(source)


def _eager(file: SimpleNamespace, held: Mapping[str, Any]) -> tuple[Bound | None, list[str]]:
    """The eager form, and which it is; none where memory is too short to tell, which is said."""
    import torch

    try:
        form = eager_form(file, held)
    except torch.OutOfMemoryError as error:
        return None, [f"eager and what is compiled of it are left out: {first_line(error)}"]
    if form is None:
        return None, []
    return form, [f"eager is {'the graph of the model' if form.function is file.aten else 'the reference of the file'}"]


@cache
def _ceiling() -> float:
    """Once in a process."""
    return copy_bytes_per_second().per_second


def _device() -> str:
    import torch

    return str(torch.cuda.get_device_name())


@cache
def machine() -> dict[str, str]:
    """What a sweep ran on, for its results.

    Raises:
        LabError: there is no GPU.
    """
    import os
    import platform

    import torch
    import triton

    try:
        need_gpu()
    except LabError as error:
        raise LabError(f"{error}; a sweep's folder that holds all its points is shown without one") from error
    found = torch.cuda.get_device_properties(torch.cuda.current_device())
    return {
        "device": found.name,
        "memory": f"{found.total_memory / 2**30:.0f} GiB",
        "driver": _driver(),
        "cuda": str(torch.version.cuda or torch.version.hip),
        "torch": torch.__version__,
        "triton": triton.__version__,
        "python": platform.python_version(),
        "system": platform.platform(),
        "cores": str(os.cpu_count()),
    }


def _driver() -> str:
    """Empty where it can not be asked."""
    try:
        import pynvml

        pynvml.nvmlInit()
        return str(pynvml.nvmlSystemGetDriverVersion())
    except Exception:  # no NVML, AMD's
        return ""
