"""The sizes that `--sweep` names: `rows=2**6..2**18,cols=1024,4096`, read and never evaluated; and which symbols of an ejected file they are.

A user may call a size by its symbol, `s0`, by the dimension that it is, `mm.shape[0]`, or `rows`, `cols` and `numel` of the largest tensor.
"""

from __future__ import annotations

import math
import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from types import ModuleType

from inductor_lab.ejected import is_span
from inductor_lab.errors import LabError, unknown

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
    value = int(base) ** int(power or 1)
    if not 1 <= value <= LARGEST:
        raise LabError(f"--sweep: {name} can not be {text}: a size is 1 or more and at most 2**40.")
    return value


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
