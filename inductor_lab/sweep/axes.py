"""The sizes that `--sweep` names: `rows=2**6..2**18,cols=1024,4096`. Read, never evaluated."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from inductor_lab.errors import LabError

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
