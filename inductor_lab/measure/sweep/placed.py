"""An ejected file at one point: its tensors as large as the point's sizes make them, in the point's dtype, with values drawn on the card."""

from __future__ import annotations

import inspect
import textwrap
from collections.abc import Callable
from types import ModuleType, SimpleNamespace
from typing import Any

from inductor_lab.ejected import is_span
from inductor_lab.errors import LabError
from inductor_lab.measure.sweep.results import Point

DTYPES = ("float64", "float32", "bfloat16", "float16")
NARROW = ("bfloat16", "float16")


def float_dtypes(module: ModuleType) -> tuple[str, ...]:
    """Of the file's floating tensors, each once."""
    dtypes = [dtype for _, _, dtype, _ in module.ARGUMENTS.values() if dtype.is_floating_point]
    return tuple(dict.fromkeys(str(dtype).removeprefix("torch.") for dtype in dtypes))


def check_dtypes(module: ModuleType, asked: list[str]) -> list[str]:
    """The dtypes of a sweep: those asked for, or the file's own; one empty one where it has none, or several.

    Raises:
        LabError: there is no such dtype, or the file has no one dtype to change.
    """
    own = float_dtypes(module)
    if not asked:
        return [own[0]] if len(own) == 1 else [""]
    if is_span(module):
        raise LabError(
            f"{module.__file__} is a span, which makes its inner buffers in the dtypes that were captured; leave --dtypes out."
        )
    for name in asked:
        if name not in DTYPES:
            raise LabError(f"--dtypes: there is no dtype {name!r} to sweep; it takes {', '.join(DTYPES)}.")
    if len(own) != 1:
        held = f"tensors of several floating dtypes ({', '.join(own)})" if own else "no floating tensors"
        raise LabError(f"{module.__file__} has {held}, so --dtypes can not change them; leave it out.")
    return list(dict.fromkeys(asked))


def own_sizes(module: ModuleType) -> dict[str, int]:
    """The sizes that the file was captured with; empty where it is for fixed shapes."""
    return dict(getattr(module, "SIZES", {})) if hasattr(module, "arguments") else {}


def is_own(module: ModuleType, point: Point) -> bool:
    """Whether a point is what was captured."""
    return point.sizes == own_sizes(module) and point.dtype in ("", *float_dtypes(module))


def has_generated(module: ModuleType, point: Point) -> bool:
    """Whether the generated kernel is for this point: a generalized file's is for the captured sizes alone."""
    own = getattr(module, "BASELINE_SIZES", None)
    return (own is None or point.sizes == own) and point.dtype in ("", *float_dtypes(module))


def placed(module: ModuleType, point: Point, seed: int, device: str) -> SimpleNamespace:
    """The file with the point's tensors: what `timing.prepared.laid` and the judge take for a module."""
    import torch

    arguments = module.arguments(**point.sizes) if point.sizes else module.ARGUMENTS
    if point.dtype:
        arguments = {
            name: (shape, stride, getattr(torch, point.dtype) if dtype.is_floating_point else dtype, fill)
            for name, (shape, stride, dtype, fill) in arguments.items()
        }
    if is_own(module, point) and getattr(module, "REAL", ""):
        tensors = dict(zip(arguments, module.example_inputs(device), strict=True))
    else:
        from inductor_lab.judge import alone

        with torch.device(device):  # the card draws itself: a CPU takes seconds for each gigabyte
            tensors = alone.drawn(arguments, seed, device, draws=device)
    forms = {name: _in_dtype(module, name, point.dtype) for name in ("reference", "aten")}
    views = tuple(tensors.values())
    return SimpleNamespace(**{**vars(module), **forms, "ARGUMENTS": arguments, "example_inputs": lambda _: views})


def _in_dtype(module: ModuleType, name: str, dtype: str) -> Callable[..., Any] | None:
    """A function of the file that rounds what it returns to the file's own narrow dtype, rounding to the point's instead."""
    function: Callable[..., Any] | None = getattr(module, name, None)
    (own, *more) = float_dtypes(module) or ("",)
    if function is None or more or not dtype or dtype == own or own not in NARROW:
        return function
    text = textwrap.dedent(inspect.getsource(function))
    if f"torch.{own}" not in text:
        return function
    made = dict(vars(module))
    exec(text.replace(f"torch.{own}", f"torch.{dtype}"), made)
    changed: Callable[..., Any] = made[function.__name__]
    return changed


def bytes_moved(module: ModuleType, point: Point, file: Any) -> int | None:
    """Bytes that one launch must move at a point: what is read and what is written, each element once.

    For other sizes than the file's own they are those of its tensors, where that is what the file counted at its own sizes, or counted
    nothing because its sizes were symbolic; None elsewhere, as for a gather, which reads a part of its table.
    """
    counted = getattr(module, "BYTES", None)
    total = counted["read"] + counted["written"] if counted else None
    if is_own(module, point) and total:
        return int(total)
    return _whole(file) if _every_element(module, total) else None


def _every_element(module: ModuleType, total: int | None) -> bool:
    """Whether a launch touches each element of its tensors: by the file's count, or, without one, by nothing being looked up in them."""
    if total is not None:
        return _whole(module) == total
    return all(dtype.is_floating_point for _, _, dtype, _ in module.ARGUMENTS.values())


def _whole(file: Any) -> int:
    """Bytes of all tensors, once where they are read and once where they are written."""
    total = 0
    for name, (shape, stride, dtype, fill) in file.ARGUMENTS.items():
        elements = 1
        for size, step in zip(shape, stride, strict=True):
            elements *= size if step or size == 0 else 1
        total += elements * dtype.itemsize * ((fill != "out" and fill[0] != "same") + (name in file.WRITTEN))
    return total
