"""What an argument of a kernel is drawn from, its domain: a range of whole numbers, or a word such as `positive`."""

from __future__ import annotations

from math import ceil, floor, inf

from inductor_lab.computation.intervals import Interval

Domain = tuple[int, ...] | str
"""A range of whole numbers, its end not included, and numbers that some elements are besides; or a word: `any` (whole number), `normal`,
`positive`, `bool`, `unit` ([-1, 1]), `above_one`, `sorted`, `count` (positive and finite); `finite`: normal, without infinities and NaN at the
edges, since in which order they meet decides what comes of them."""
MOST = 10_000
"""Whole numbers of which nothing is asked are smaller."""


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
