"""The points of a sweep: the sizes that `--sweep` names, `rows=2**6..2**18,cols=1024,4096`, which of a file's they are, and the file at each of them.

A user may call a size by its symbol, `s0`, by the dimension that it is, `mm.shape[0]`, or `rows`, `cols` and `numel` of the largest tensor.
What is written is read and never evaluated. A file is placed at a point: its tensors as large as the sizes make them, in the point's dtype, with
values drawn on the card.
"""

from __future__ import annotations

import inspect
import math
import re
import textwrap
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from types import ModuleType, SimpleNamespace
from typing import Any

from inductor_lab.ejected import is_span
from inductor_lab.errors import LabError, unknown
from inductor_lab.measure.sweep.results import Point
from inductor_lab.measure.timing.kernels import bytes_moved as counted_bytes

MOST_POINTS = 5000
LARGEST = 2**40
WAY_OUT = "write rows=2**6..2**18 (each twice the one before), rows=64..1024:64 (steps of 64) or rows=100,200"
_NUMBER = r"\d[\d_]*(?:\*\*\d+)?"
_RANGE = re.compile(rf"(?P<low>{_NUMBER})\.\.(?P<high>{_NUMBER})(?::(?P<times>\*)?(?P<step>{_NUMBER}))?")


@dataclass(frozen=True)
class Axis:
    """One size and its values, in the order in which they were written, each once."""

    name: str
    values: tuple[int, ...]


def axes(text: str) -> tuple[Axis, ...]:
    """What `--sweep` says.

    A comma separates values and axes: a part with `=` begins an axis. A value is a number (`1024`, `2**10`), a range that doubles
    (`64..4096`), one with steps (`64..1024:64`) or one with another factor (`4..262144:*4`).

    Raises:
        LabError: it can not be read.
    """
    found: dict[str, list[int]] = {}
    name = ""
    for part in text.replace(" ", "").split(","):
        head, equals, value = part.rpartition("=")
        if equals:
            name = head
            if not name or name in found:
                raise LabError(
                    f"--sweep names {name!r} twice." if name else f"--sweep: {part!r} names no size; {WAY_OUT}."
                )
            found[name] = []
        if not name:
            raise LabError(f"--sweep: {part!r} stands before any name; {WAY_OUT}.")
        found[name] += _values(value, name)
    made = tuple(Axis(one, tuple(dict.fromkeys(values))) for one, values in found.items())
    check_count(made)
    return made


def check_count(made: Sequence[Axis], dtypes: int = 1) -> None:
    """LabError where there are more points than anybody waits for."""
    count = dtypes
    for axis in made:
        count *= len(axis.values)
    if count > MOST_POINTS:
        raise LabError(f"--sweep asks for {count:,} points, more than {MOST_POINTS:,}: name fewer values.")


def _values(text: str, name: str) -> Iterator[int]:
    if re.fullmatch(_NUMBER, text):
        yield _number(text, name)
        return
    range_ = _RANGE.fullmatch(text)
    if not range_:
        raise LabError(f"--sweep: {text!r} is no value of {name}; {WAY_OUT}.")
    low, high = _number(range_["low"], name), _number(range_["high"], name)
    doubles = range_["step"] is None
    step = 2 if doubles else _number(range_["step"], name)
    grows = doubles or bool(range_["times"])
    if low > high:
        raise LabError(f"--sweep: the range {text} of {name} ends before it begins.")
    if grows and step < 2:
        raise LabError(f"--sweep: the range {text} of {name} never ends: its factor must be 2 or more.")
    if not grows and (high - low) // step >= MOST_POINTS:
        raise LabError(f"--sweep: the range {text} of {name} has more than {MOST_POINTS:,} values.")
    value = low
    while value <= high:
        yield value
        value = value * step if grows else value + step


def _number(text: str, name: str) -> int:
    base, _, power = text.replace("_", "").partition("**")
    if len(base) > 13 or len(power) > 2:
        raise LabError(f"--sweep: {text} is too large for {name}.")
    value: int = int(base) ** int(power or 1)
    if not 1 <= value <= LARGEST:
        raise LabError(f"--sweep: {name} can not be {text}: a size is 1 or more and at most 2**40.")
    return value


# ---------------------------------------------------------------- which sizes and dtypes of a file they are


PRIMES = (10007, 10009, 10037, 10039, 10061, 10067, 10069, 10079, 10091, 10093, 10099, 10103)
"""Sizes by which a dimension tells the symbol that it is."""
WORDS = {1: (("numel", "n"),), 2: (("rows",), ("cols", "columns"))}
"""Dimensions of the largest tensor -> what each is called."""


def names_of_sizes(module: ModuleType) -> dict[str, str]:
    """Name -> symbol: `s0`, `mm.shape[0]` and, where the largest tensor has one or two dimensions, `rows`, `cols` or `numel`."""
    symbols = dict(module.SIZES)
    found = {symbol: symbol for symbol in symbols}
    found |= {str(place): symbol for symbol, place in module.ORIGIN.get("sizes", {}).items() if symbol in symbols}
    if len(symbols) > len(PRIMES):
        return found
    values = dict(zip(symbols, PRIMES, strict=False))
    told = {value: symbol for symbol, value in values.items()}
    shape = max((spec[0] for spec in module.arguments(**values).values()), key=math.prod)
    for size, words in zip(shape, WORDS.get(len(shape), ()), strict=False):
        if size in told:
            found |= dict.fromkeys((word for word in words if word not in symbols), told[size])
    return found


def symbols_of(module: ModuleType, axes: Sequence[Axis], file: str) -> dict[str, str]:
    """Axis -> the symbol that it names.

    Raises:
        LabError: the file is for one launch's shapes, or has no such size, or two axes name one.
    """
    if not axes:
        return {}
    if not hasattr(module, "SIZES") or not hasattr(module, "arguments"):
        if is_span(module):
            raise LabError(
                f"{file} is a span of fixed shapes, which no option generalizes: --sweep times one of a capture with symbolic sizes "
                "(`torch.compile(dynamic=True)`), or its kernels, each ejected by itself."
            )
        kernel = module.ORIGIN.get("kernel", "KERNEL") if hasattr(module, "ORIGIN") else "KERNEL"
        raise LabError(
            f"{file} is right for the shapes of one launch alone; `inductor-lab eject {kernel} --generalize -o OTHER.py` "
            "writes the kernel for any, which --sweep can time."
        )
    known = names_of_sizes(module)
    found: dict[str, str] = {}
    for axis in axes:
        if axis.name not in known:
            raise unknown(f"{file} has no size {axis.name!r}", axis.name, known, f"it has {_told(known)}.")
        if known[axis.name] in found.values():
            raise LabError(f"--sweep names {known[axis.name]} twice, once as {axis.name}.")
        found[axis.name] = known[axis.name]
    return found


def _told(known: Mapping[str, str]) -> str:
    """Each symbol with its other names."""
    each = {
        symbol: [name for name, of in known.items() if of == symbol and name != symbol] for symbol in known.values()
    }
    return ", ".join(f"{symbol} ({', '.join(others)})" if others else symbol for symbol, others in each.items())


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


# ---------------------------------------------------------------- the file at a point


def placed(module: ModuleType, point: Point, seed: int, device: str) -> SimpleNamespace:
    """The file with the point's tensors: what `timing.kernels.laid` and the judge take for a module."""
    import torch

    arguments = module.arguments(**point.sizes) if point.sizes else module.ARGUMENTS
    if point.dtype:
        arguments = {
            name: (shape, stride, getattr(torch, point.dtype) if dtype.is_floating_point else dtype, fill)
            for name, (shape, stride, dtype, fill) in arguments.items()
        }
    if is_own(module, point) and getattr(module, "REAL", None):
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
    total = counted_bytes(module)
    if is_own(module, point) and total:
        return total
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
