"""Whole numbers and bools at which kernels go wrong: the ends of a range, one number for all, sentinels, both signs, more than 31 bits."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from typing import Any

import torch

MOST = 10_000
"""Where nothing is asked of a number, the usual ones are smaller."""
USUAL = (-MOST, MOST + 1)
"""The range of numbers that are compared and nothing else: it bounds no address."""


@dataclass(frozen=True)
class Range:
    """What a fill allows."""

    low: int
    high: int
    """Not included."""
    others: tuple[int, ...] = ()
    """What the kernel compares with; a quarter of the elements."""
    free: bool = False
    """Whether every number of the dtype is allowed besides."""
    dtype: torch.dtype = torch.int64


Draw = Callable[[int, int, Range, torch.Generator], torch.Tensor]
"""(rows, columns, range, generator) -> values in int64."""


def allowed(fill: Any, shape: Sequence[int], dtype: torch.dtype) -> tuple[Range, tuple[int, ...]]:
    """What a fill allows, and the dimensions along which no two may be the same: there is room left to move them apart."""
    if dtype == torch.bool or fill == "bool":
        return Range(0, 2), ()
    if fill == "any":
        told = torch.iinfo(dtype)
        least, most = max(told.min, -(1 << 63)), min(told.max, (1 << 63) - 1)
        ends = tuple({least, most, max(-1, least), 0, 1})
        return Range(max(least, -MOST), min(most, MOST) + 1, ends, True, dtype), ()
    if not isinstance(fill, tuple):
        return (Range(-1000, 1000) if fill == "sorted" else Range(-3, 4)), ()
    low, high, *others = fill
    if others[:1] == ["distinct"]:
        return Range(low, high - math.prod(shape[d] for d in others[1:]) + 1), tuple(others[1:])
    return Range(low, high, tuple(others), (low, high) == USUAL, dtype), ()


def uniform(rows: int, columns: int, range_: Range, generator: torch.Generator) -> torch.Tensor:
    """Any of the range; where every number is allowed half of them are small, and in every fourth row all magnitudes of the dtype."""
    drawn = torch.randint(range_.low, range_.high, (rows, columns), generator=generator)
    if range_.free:
        near = torch.randint(max(range_.low, -16), min(range_.high, 17), (rows, columns), generator=generator)
        drawn = torch.where(_some(drawn, 2, generator), near, drawn)
        drawn = torch.where(_some(drawn[:, :1], 4, generator), beyond(rows, columns, range_, generator), drawn)
    return _told(drawn, range_, 4, generator)


def ends(rows: int, columns: int, range_: Range, generator: torch.Generator) -> torch.Tensor:
    """Half of them the first or the last number of the range."""
    drawn = uniform(rows, columns, range_, generator)
    end = torch.where(_some(drawn, 2, generator), range_.low, range_.high - 1)
    return torch.where(_some(drawn, 2, generator), end, drawn)


def equal(rows: int, columns: int, range_: Range, generator: torch.Generator) -> torch.Tensor:
    """One number for all of a row."""
    return uniform(rows, 1, range_, generator).repeat(1, columns)


def alike(rows: int, columns: int, range_: Range, generator: torch.Generator) -> torch.Tensor:
    """Few different numbers, of which a narrower dtype would take most for the same; one number for all of a row where an address bounds them."""
    if not range_.free:
        return equal(rows, columns, range_, generator)
    bits = torch.iinfo(range_.dtype).bits
    above = torch.tensor([0, *(1 << more for more in (8, 16, 24, 32, 53) if more < bits - 1)])
    drawn = torch.randint(0, 3, (rows, columns), generator=generator)
    return drawn + above[torch.randint(0, len(above), drawn.shape, generator=generator)]


def sentinels(rows: int, columns: int, range_: Range, generator: torch.Generator) -> torch.Tensor:
    """Half of them what the kernel compares with, in every fourth row all of them."""
    if not range_.others:
        return uniform(rows, columns, range_, generator)
    drawn = _told(uniform(rows, columns, range_, generator), range_, 2, generator)
    chosen = torch.tensor(range_.others)[torch.randint(0, len(range_.others), (rows, 1), generator=generator)]
    return torch.where(torch.arange(rows)[:, None] % 4 == 3, chosen, drawn)


def ignored(rows: int, columns: int, range_: Range, generator: torch.Generator) -> torch.Tensor:
    """One of what the kernel compares with for all; False."""
    if not range_.others:
        return least(rows, columns, range_, generator)
    number = int(torch.randint(0, len(range_.others), (), generator=generator))
    return torch.full((rows, columns), range_.others[number])


def taken(rows: int, columns: int, range_: Range, generator: torch.Generator) -> torch.Tensor:
    """None of what the kernel compares with, where the range has others; True."""
    if (range_.low, range_.high) == (0, 2) and not range_.others:
        return torch.ones((rows, columns), dtype=torch.int64)
    drawn = uniform(rows, columns, replace(range_, others=()), generator)
    for other in range_.others:
        beside = drawn + (1 if other < range_.high - 1 else -1)
        drawn = torch.where(drawn == other, beside.clamp(range_.low, range_.high - 1), drawn)
    return drawn


def least(rows: int, columns: int, range_: Range, generator: torch.Generator) -> torch.Tensor:
    """0, or the first number of a range without it."""
    return torch.full((rows, columns), min(max(0, range_.low), range_.high - 1))


def signs(rows: int, columns: int, range_: Range, generator: torch.Generator) -> torch.Tensor:
    """A third zero and at least a third negative, where the range has them."""
    drawn = uniform(rows, columns, range_, generator)
    if not range_.low <= 0 < range_.high:
        return drawn
    third = torch.randint(0, 3, drawn.shape, generator=generator, dtype=torch.int8)
    negative = torch.randint(range_.low, max(range_.low, 0) + (range_.low == 0), drawn.shape, generator=generator)
    return torch.where(third == 0, negative, drawn).masked_fill(third == 1, 0)


def beyond(rows: int, columns: int, range_: Range, generator: torch.Generator) -> torch.Tensor:
    """Powers of two and their neighbours, as far as the dtype goes, where no address bounds them."""
    if not range_.free:
        return uniform(rows, columns, range_, generator)
    told = torch.iinfo(range_.dtype)
    exponent = torch.randint(0, min(told.bits - (told.min < 0), 63), (rows, columns), generator=generator)
    drawn = (1 << exponent) + torch.randint(-1, 2, exponent.shape, generator=generator)
    return torch.where(_some(drawn, 2, generator), -drawn, drawn) if told.min < 0 else drawn.clamp_min(0)


def ascending(rows: int, columns: int, range_: Range, generator: torch.Generator) -> torch.Tensor:
    """From one end of the range to the other along each row; in every second row as by counting, where there is room."""
    steps = torch.arange(columns, dtype=torch.float64) * ((range_.high - range_.low) / max(columns, 1))
    spread = (range_.low + steps.floor().long()).clamp(max=range_.high - 1).repeat(rows, 1)
    room = range_.high - range_.low - columns
    if room <= 0:
        return spread
    first = range_.low + torch.randint(0, room, (rows, 1), generator=generator)
    if range_.free and range_.dtype == torch.int64:
        first = torch.where(_some(first, 2, generator), beyond(rows, 1, range_, generator), first)
    counted = first + torch.rand((rows, columns), generator=generator).lt(0.9).cumsum(1)
    return torch.where(torch.arange(rows)[:, None] % 2 == 0, spread, counted)


def descending(rows: int, columns: int, range_: Range, generator: torch.Generator) -> torch.Tensor:
    """The same, backwards."""
    return ascending(rows, columns, range_, generator).flip(-1)


def _told(drawn: torch.Tensor, range_: Range, share: int, generator: torch.Generator) -> torch.Tensor:
    """With one in so many replaced by what the kernel compares with."""
    if not range_.others:
        return drawn
    picked = torch.tensor(range_.others)[torch.randint(0, len(range_.others), drawn.shape, generator=generator)]
    return torch.where(_some(drawn, share, generator), picked, drawn)


def _some(like: torch.Tensor, share: int, generator: torch.Generator) -> torch.Tensor:
    """One place in so many."""
    return torch.randint(0, share, like.shape, generator=generator, dtype=torch.uint8) == 0
