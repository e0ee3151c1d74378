"""Generators of difficult numbers for each dtype: offsets, outliers, ties, infinities, and the ends of integer ranges.

Floats: offsets, outliers, ties, infinities; a `Domain` bends them to what it holds. Whole numbers: the ends of a range, one number for all,
sentinels, both signs, more than 31 bits.
"""

from __future__ import annotations

from dataclasses import dataclass, replace

import torch
from torch import Tensor

from inductor_lab.judge.inputs.domains import Range

ODD_ROWS = 4
"""Every fourth row has an odd value, in one of every fourth column: most of what is reduced, along either, has none."""


@dataclass(frozen=True)
class Rows:
    """Rows of numbers that are to be drawn."""

    rows: int
    columns: int
    generator: torch.Generator

    @property
    def shape(self) -> tuple[int, int]:
        return self.rows, self.columns

    def integers(self, low: int, high: int, columns: int | None = None, dtype: torch.dtype = torch.int64) -> Tensor:
        """Whole numbers from one to another, without it."""
        shape = self.rows, self.columns if columns is None else columns
        return torch.randint(low, high, shape, generator=self.generator, dtype=dtype)

    def number(self, below: int) -> int:
        """One from 0 on."""
        return int(torch.randint(0, below, (), generator=self.generator))

    def chance(self, columns: int | None = None) -> Tensor:
        """From 0 to 1 in float32."""
        shape = self.rows, self.columns if columns is None else columns
        return torch.rand(shape, generator=self.generator, dtype=torch.float32)

    def one_in(self, share: int, columns: int | None = None) -> Tensor:
        """Whether each place is one of those that are chosen, one in so many."""
        return self.integers(0, share, columns, torch.uint8) == 0


# ------------------------------------------------------------ floats


@dataclass(frozen=True)
class Floats(Rows):
    """Rows of floats: in float32, or in float64 for a tensor of that."""

    dtype: torch.dtype

    @property
    def wide(self) -> torch.dtype:
        """The dtype that values are worked out in."""
        return torch.float64 if self.dtype == torch.float64 else torch.float32

    @property
    def half(self) -> bool:
        """Whether the dtype has no small numbers."""
        return bool(self.dtype.itemsize == 1 or (self.dtype.itemsize == 2 and self.dtype != torch.bfloat16))

    def normal(self, columns: int | None = None) -> Tensor:
        shape = self.rows, self.columns if columns is None else columns
        return torch.randn(shape, generator=self.generator, dtype=self.wide)

    def uniform(self) -> Tensor:
        """From 0 to 1."""
        return torch.rand(self.shape, generator=self.generator, dtype=self.wide)

    def whole(self, low: int, high: int, columns: int | None = None) -> Tensor:
        """Whole numbers as floats."""
        return self.integers(low, high, columns, torch.int8).to(self.wide)

    def magnitudes(self, least: float, octaves: float) -> Tensor:
        """As many of each magnitude, of either sign."""
        return least * torch.exp2(octaves * self.uniform()) * self.signs()

    def signs(self, columns: int | None = None) -> Tensor:
        """1 or -1."""
        return 2.0 * self.whole(0, 2, columns) - 1.0


def offset(draw: Floats) -> Tensor:
    """A mean of 1e4, or as large as leaves the dtype some digits for the spread; positive or negative by rows."""
    mean = min(1e4, 1 / torch.finfo(draw.dtype).eps)
    return draw.normal() + mean * draw.signs(1)


def large(draw: Floats) -> Tensor:
    """Up to 1e3; float16 up to nearly its largest in a few places."""
    most = min(1e3, torch.finfo(draw.dtype).max)
    drawn = most * (2 * draw.uniform() - 1)
    return torch.where(draw.one_in(16), 60 * drawn, drawn) if draw.dtype == torch.float16 else drawn


def spread(draw: Floats) -> Tensor:
    """Normal numbers, from half to sixteen times as large by rows."""
    scale = torch.exp2(draw.whole(-1, 5, 1))
    return draw.normal() * scale


def tiny(draw: Floats) -> Tensor:
    """Around 1e-6 in half of the rows and 1e-20 in the others, nearer to 1 in float16; a few denormals."""
    scales = (1e-3, 1e-5) if draw.half else (1e-6, 1e-20)
    low = draw.chance(1) < 0.5
    drawn = draw.normal() * torch.where(low, *torch.tensor(scales, dtype=draw.wide))
    return torch.where(draw.one_in(16), drawn.sign() * torch.finfo(draw.dtype).tiny / 4, drawn)


def constant(draw: Floats) -> Tensor:
    """All of a row equal; zero in a quarter of the rows."""
    each = draw.normal(1)
    return (each * (draw.chance(1) >= 0.25)).repeat(1, draw.columns)


def masked(draw: Floats) -> Tensor:
    """-inf: all of every second row, and of the others half of the places."""
    drawn = draw.normal()
    hidden = draw.chance() < 0.5
    hidden[draw.number(min(2, draw.rows)) :: 2] = True
    return drawn.masked_fill(hidden, -torch.inf)


def cancellation(draw: Floats) -> Tensor:
    """Neighbours that are huge and cancel but for a small part."""
    huge = min(1e4, 1 / torch.finfo(draw.dtype).eps) * draw.normal(-(-draw.columns // 2))
    pairs = torch.stack((huge, -huge), -1).flatten(1)[:, : draw.columns]
    return pairs + draw.normal()


def sparse(draw: Floats) -> Tensor:
    """1 or -1 in at least one place of each row and of each column, where there are several rows; zero elsewhere."""
    drawn = torch.zeros(draw.shape, dtype=draw.wide)
    if draw.rows == 1:
        drawn[draw.chance() < 1 / 8] = 1.0
    else:
        drawn[torch.arange(draw.rows), torch.randint(0, draw.columns, (draw.rows,), generator=draw.generator)] = 1.0
        drawn[torch.randint(0, draw.rows, (draw.columns,), generator=draw.generator), torch.arange(draw.columns)] = 1.0
    return drawn * draw.signs()


def odd(draw: Floats) -> Tensor:
    """In one place of eight an odd value, another in the next row: NaN, inf, -inf, zeros of both signs."""
    kinds = torch.tensor([[torch.nan, torch.nan], [torch.inf, torch.inf], [-torch.inf, -torch.inf], [0.0, -0.0]])
    kind = (torch.arange(draw.rows) + draw.number(4)) % 4
    drawn = spread(draw)
    value = torch.where(drawn > 0, *kinds.to(drawn.dtype)[kind].T.unsqueeze(-1))
    return torch.where(draw.one_in(8), value, drawn)


def edges(draw: Floats) -> Tensor:
    """Normal numbers, and one odd value in every fourth row; two where it is NaN, and there is room: which one counts?"""
    drawn, told = draw.normal(), torch.finfo(draw.dtype)
    odd = torch.tensor(
        [torch.nan, torch.inf, -torch.inf, 0.0, -0.0, told.max, -told.max, told.tiny, told.tiny / 4],
        dtype=drawn.dtype,
    )
    first = draw.number(min(draw.rows, ODD_ROWS))
    column = draw.number(min(draw.columns, ODD_ROWS))
    at = torch.arange(first, draw.rows, ODD_ROWS)
    places = len(range(column, draw.columns, ODD_ROWS))
    chosen = torch.randint(0, places, at.shape, generator=draw.generator)
    start = draw.number(len(odd))
    values = odd[(torch.arange(len(at)) + start) % len(odd)]  # each in turn, however few rows there are
    drawn[at, column + ODD_ROWS * chosen] = values
    twice = values.isnan()
    drawn[at[twice], column + ODD_ROWS * ((chosen[twice] + 1) % places)] = torch.nan
    return drawn


def powers(draw: Floats) -> Tensor:
    """Magnitudes from 2^-20 to 2^20, or to what the dtype holds."""
    most = min(20, int(torch.finfo(draw.dtype).max).bit_length() - 2)
    exponent = draw.whole(-20, most)
    return torch.exp2(exponent) * (1 + draw.uniform()) * draw.signs()


# ------------------------------------------------------------ whole numbers


@dataclass(frozen=True)
class Wholes(Rows):
    """Rows of whole numbers, in int64."""

    range: Range

    def told(self, drawn: Tensor, share: int) -> Tensor:
        """With one in so many replaced by what the kernel compares with."""
        if not self.range.others:
            return drawn
        picked = self.other()
        return torch.where(self.one_in(share), picked, drawn)

    def other(self, columns: int | None = None) -> Tensor:
        """What the kernel compares with."""
        others = self.range.others
        return torch.tensor(others)[self.integers(0, len(others), columns)]


def uniform(draw: Wholes) -> Tensor:
    """Any of the range; where every number is allowed half of them are small, and in every fourth row all magnitudes of the dtype."""
    of = draw.range
    drawn = draw.integers(of.low, of.high)
    if of.free:
        near = draw.integers(max(of.low, -16), min(of.high, 17))
        drawn = torch.where(draw.one_in(2), near, drawn)
        drawn = torch.where(draw.one_in(4, 1), beyond(draw), drawn)
    return draw.told(drawn, 4)


def ends(draw: Wholes) -> Tensor:
    """Half of them the first or the last number of the range."""
    drawn = uniform(draw)
    end = torch.where(draw.one_in(2), draw.range.low, draw.range.high - 1)
    return torch.where(draw.one_in(2), end, drawn)


def equal(draw: Wholes) -> Tensor:
    """One number for all of a row."""
    return uniform(replace(draw, columns=1)).repeat(1, draw.columns)


def alike(draw: Wholes) -> Tensor:
    """Few different numbers, of which a narrower dtype would take most for the same; one number for all of a row where an address bounds them."""
    if not draw.range.free:
        return equal(draw)
    bits = torch.iinfo(draw.range.dtype).bits
    above = torch.tensor([0, *(1 << more for more in (8, 16, 24, 32, 53) if more < bits - 1)])
    drawn = draw.integers(0, 3)
    return drawn + above[draw.integers(0, len(above))]


def sentinels(draw: Wholes) -> Tensor:
    """Half of them what the kernel compares with, in every fourth row all of them."""
    if not draw.range.others:
        return uniform(draw)
    drawn = draw.told(uniform(draw), 2)
    chosen = draw.other(1)
    return torch.where(torch.arange(draw.rows)[:, None] % 4 == 3, chosen, drawn)


def ignored(draw: Wholes) -> Tensor:
    """One of what the kernel compares with for all; False."""
    of = draw.range
    if not of.others:
        return least(draw)
    return torch.full(draw.shape, of.others[draw.number(len(of.others))])


def taken(draw: Wholes) -> Tensor:
    """None of what the kernel compares with, where the range has others; True."""
    of = draw.range
    if (of.low, of.high) == (0, 2) and not of.others:
        return torch.ones(draw.shape, dtype=torch.int64)
    drawn = uniform(replace(draw, range=replace(of, others=())))
    for other in of.others:
        beside = drawn + (1 if other < of.high - 1 else -1)
        drawn = torch.where(drawn == other, beside.clamp(of.low, of.high - 1), drawn)
    return drawn


def least(draw: Wholes) -> Tensor:
    """0, or the first number of a range without it."""
    return torch.full(draw.shape, min(max(0, draw.range.low), draw.range.high - 1))


def signs(draw: Wholes) -> Tensor:
    """A third zero and at least a third negative, where the range has them."""
    drawn, low = uniform(draw), draw.range.low
    if not low <= 0 < draw.range.high:
        return drawn
    third = draw.integers(0, 3, dtype=torch.int8)
    negative = draw.integers(low, max(low, 0) + (low == 0))
    return torch.where(third == 0, negative, drawn).masked_fill(third == 1, 0)


def beyond(draw: Wholes) -> Tensor:
    """Powers of two and their neighbours, as far as the dtype goes, where no address bounds them."""
    if not draw.range.free:
        return uniform(draw)
    told = torch.iinfo(draw.range.dtype)
    exponent = draw.integers(0, min(told.bits - (told.min < 0), 63))
    drawn = (1 << exponent) + draw.integers(-1, 2)
    return torch.where(draw.one_in(2), -drawn, drawn) if told.min < 0 else drawn.clamp_min(0)


def ascending(draw: Wholes) -> Tensor:
    """From one end of the range to the other along each row; in every second row as by counting, where there is room."""
    of = draw.range
    steps = torch.arange(draw.columns, dtype=torch.float64) * ((of.high - of.low) / max(draw.columns, 1))
    spread = (of.low + steps.floor().long()).clamp(max=of.high - 1).repeat(draw.rows, 1)
    room = of.high - of.low - draw.columns
    if room <= 0:
        return spread
    first = of.low + draw.integers(0, room, 1)
    if of.free and of.dtype == torch.int64:
        first = torch.where(draw.one_in(2, 1), beyond(replace(draw, columns=1)), first)
    counted = first + draw.chance().lt(0.9).cumsum(1)
    return torch.where(torch.arange(draw.rows)[:, None] % 2 == 0, spread, counted)
