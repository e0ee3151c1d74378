"""The values that an argument's example inputs are drawn from: a range of integers, or a word such as `positive`."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from contextlib import suppress
from dataclasses import dataclass
from math import ceil, floor, inf

from inductor_lab.computation.intervals import Interval
from inductor_lab.eject.binding.tensors import Fill
from inductor_lab.errors import LabError
from inductor_lab.records import SizeLike

Domain = tuple[int, ...] | str
"""A range of whole numbers, its end not included, and numbers that some elements are besides; or one of `DOMAINS`."""
MOST = 10_000
"""Whole numbers of which nothing is asked are smaller."""


@dataclass(frozen=True)
class Word:
    """A domain that is no range."""

    means: str
    interval: Interval | None = None
    """Between which numbers it keeps what is drawn, where that is known."""


DOMAINS = {
    "bool": Word("either", Interval(0, 1)),
    "any": Word("any whole number"),
    "normal": Word("normal numbers"),
    "finite": Word("normal without infinities and NaN"),  # at the edges: in which order they meet decides what comes of them
    "positive": Word("above 0", Interval(1e-300, inf)),
    "count": Word("above 0 and finite", Interval(1e-300, inf)),
    "unit": Word("between -1 and 1", Interval(-1, 1)),
    "above_one": Word("above 1", Interval(1, inf)),
    "sorted": Word("in ascending order"),
    "out": Word("output, poisoned"),
}  # fmt: skip
"""The words of ARGUMENTS, which the judge draws, too."""
ASKS_NOTHING = ("any", "normal")
NARROWER = ("finite", "positive", "count", "above_one")
"""Each is within those before it, but `positive`, which has infinities; of that and `finite` both are `count`."""


def most_of(dtype: str) -> int:
    """The largest of the usual numbers of an integer dtype."""
    return {"int8": 127, "uint8": 255}.get(dtype, MOST)


def usual(dtype: str) -> tuple[int, int]:
    """The usual numbers of an integer dtype, of both signs where it has them."""
    return (0 if dtype.startswith("u") else -most_of(dtype)), most_of(dtype) + 1


def limits(dtype: str) -> tuple[int, int]:
    """The smallest and the largest number of an integer dtype: `uint8`, `int64`."""
    bits = int(dtype.lstrip("uint"))
    return (0, (1 << bits) - 1) if dtype.startswith("u") else (-(1 << bits - 1), (1 << bits - 1) - 1)


def domain(dtype: str, wanted: Interval | None, word: str | None) -> Domain:
    """What a tensor is drawn from of which an interval or a word is asked."""
    if dtype == "bool":
        return "bool"
    if not dtype.startswith(("int", "uint")):
        return word or "normal"
    if word == "sorted":
        return word
    most = most_of(dtype)
    if wanted is None:
        return (1, most)
    low = 1 if word in {"positive", "count"} else 0
    first = ceil(max(wanted.low, low)) if wanted.high >= low else ceil(max(wanted.low, -most))
    last = min(floor(wanted.high), limits(dtype)[1]) if wanted.high < inf else max(first, most)
    return (first, max(last, first) + 1)


def between(fill: Fill, number: Callable[[SizeLike], int | None]) -> Interval | None:
    """Between which numbers is what is drawn; None where that is not known.

    Args:
        number: A size as a number.
    """
    if isinstance(fill, str):
        return DOMAINS[fill].interval
    low, high, *others = map(number, fill)
    if low is None or high is None:
        return None
    known = [other for other in others if other is not None]
    return Interval(min(low, *known, high - 1), max(high - 1, *known, low))


def together(name: str, fills: Iterable[Fill], wishes: Iterable[Fill] = ()) -> Fill:
    """What all of some demands on one tensor leave, and those wishes that go together with them.

    Raises:
        LabError: nothing.
    """
    found: Fill | None = None
    for one in fills:
        found = one if found is None else _both(name, found, one)
    for one in wishes:
        with suppress(LabError):
            found = one if found is None else _both(name, found, one)
    return "normal" if found is None else found


def _both(name: str, one: Fill, other: Fill) -> Fill:
    if one == other or other in ASKS_NOTHING:
        return one
    if one in ASKS_NOTHING:
        return other
    if isinstance(one, tuple) and isinstance(other, tuple):
        low, high = max(int(one[0]), int(other[0])), min(int(one[1]), int(other[1]))
        if low < high:
            return (low, high, *(value for value in one[2:] if value in other[2:]))
    elif one in NARROWER and other in NARROWER:
        pair = {one, other}
        return "count" if pair == {"finite", "positive"} else max(pair, key=lambda word: NARROWER.index(str(word)))
    elif {one, other} == {"finite", "unit"}:
        return "unit"
    said = " and ".join(
        f"{fill[0]} up to {fill[1]}" if isinstance(fill, tuple) else DOMAINS[fill].means for fill in (one, other)
    )
    raise LabError(f"`{name}` would have to hold {said}: its kernels ask what does not go together")
