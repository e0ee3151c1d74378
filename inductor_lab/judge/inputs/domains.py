"""Reads an argument's fill in a file's ARGUMENTS, which says what values it may hold.

| fill | values |
|---|---|
| "normal", "finite", "positive", "count", "unit", "above_one", "sorted" | floats, as `WORDS` has them |
| (0, 50), (0, 50, -100) | whole numbers from 0 up to 50, without it; beside them those that the kernel compares with |
| (0, 64, "distinct", 1) | no two the same along dimension 1 |
| "any", "bool" | every number of the dtype; both |
| ("same", "x") | those of x, whose memory it is |
| "out" | none: it is written |
"""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, NamedTuple

import torch
from torch import Tensor

MOST = 10_000
"""Where nothing is asked of a number, the usual ones are smaller."""
USUAL = (-MOST, MOST + 1)
"""The range of numbers that are compared and nothing else: it bounds no address."""
SMALL = (-100, 101)
"""Numbers that one where nothing is asked is tried with."""


class Word(NamedTuple):
    """What a word says of floats."""

    holds: Callable[[Tensor], Tensor] = torch.isfinite
    bent: Callable[[Tensor, torch.dtype], Tensor] = lambda x, dtype: x
    """Values that it allows, near others."""
    plain: float | None = 0.0
    """What says least; None: no number alone."""
    odd: bool = True
    """Whether infinities and NaN are values of it."""
    signs: bool = True
    scales: bool = True
    """Whether a value times a factor is one."""


def _above_zero(x: Tensor) -> Tensor:
    return torch.where(x == 0, 1.0, x.abs())


WORDS: Mapping[Any, Word] = {
    "finite": Word(odd=False),
    "positive": Word(lambda x: x > 0, lambda x, dtype: _above_zero(x).clamp_min(torch.finfo(dtype).tiny), 1.0, signs=False),
    "count": Word(lambda x: x > 0, lambda x, dtype: _above_zero(x).clamp(1e-3, 1e3), 1.0, odd=False, signs=False),
    "above_one": Word(lambda x: x >= 1, lambda x, dtype: x.abs() + 1.0, 2.0, scales=False),
    "unit": Word(lambda x: x.abs() < 1, lambda x, dtype: (x / (1 + x.abs())).clamp(-0.999, 0.999), scales=False),
    "sorted": Word(plain=None, odd=False, scales=False),
}  # fmt: skip
NORMAL = Word()


@dataclass(frozen=True)
class Range:
    """Whole numbers that a domain has."""

    low: int
    high: int
    """Not included."""
    others: tuple[int, ...] = ()
    """What the kernel compares with; a quarter of the elements."""
    free: bool = False
    """Whether every number of the dtype is allowed besides."""
    dtype: torch.dtype = torch.int64


@dataclass(frozen=True)
class Domain:
    """The values of one argument."""

    fill: Any
    dtype: torch.dtype

    @property
    def same(self) -> str:
        """The argument whose memory it is; empty for none."""
        return str(self.fill[1]) if self.fill[0] == "same" else ""

    @property
    def is_drawn(self) -> bool:
        """Whether values are drawn for it."""
        return self.fill != "out" and not self.same

    @property
    def is_whole(self) -> bool:
        """Whether its values are whole numbers, though they may be held in floats."""
        return isinstance(self.fill, tuple) or not self.dtype.is_floating_point

    @property
    def is_sorted(self) -> bool:
        return bool(self.fill == "sorted")

    @property
    def is_distinct(self) -> bool:
        return isinstance(self.fill, tuple) and "distinct" in self.fill

    @property
    def word(self) -> Word:
        return WORDS.get(self.fill, NORMAL)

    def holds(self, x: Tensor) -> Tensor:
        """Which values are of it: floats, or whole numbers that may be wider than its dtype."""
        if x.is_floating_point():
            return x.isfinite() & self.word.holds(x)
        if self.fill == "any":
            return torch.ones_like(x, dtype=torch.bool)
        low, high, *others = self.fill
        return ((x >= low) & (x < high)) | torch.isin(x, torch.tensor(others, device=x.device).long())

    def moves(self, x: Tensor) -> bool:
        """Whether each element of such a tensor may be moved by itself, to any other value of the domain."""
        if x.is_floating_point():
            return x.numel() > 0 and self.fill not in ("sorted", "out")
        asked = self.fill == "any" or (isinstance(self.fill, tuple) and not self.same and not self.is_distinct)
        return asked and x.dtype != torch.bool and 0 not in x.stride()

    @property
    def ends(self) -> tuple[int, int]:
        """The first whole number, and the one behind the last."""
        return SMALL if self.fill == "any" else self.fill[:2]

    def range(self, shape: Sequence[int]) -> tuple[Range, tuple[int, ...]]:
        """Its whole numbers, and the dimensions along which no two may be the same: there is room left to move them apart."""
        fill, dtype = self.fill, self.dtype
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
        if self.is_distinct:
            return Range(low, high - math.prod(shape[d] for d in others[1:]) + 1), tuple(others[1:])
        return Range(low, high, tuple(others), (low, high) == USUAL, dtype), ()

    def bent(self, drawn: Tensor, odd: bool) -> Tensor:
        """Floats of it, near the ones drawn.

        Args:
            odd: Whether infinities and NaN may stay.
        """
        if not odd:
            drawn = drawn.nan_to_num(0.0, 1.0, -1.0).clamp(-(2.0**20), 2.0**20)
        return self.word.bent(drawn, self.dtype)

    def plain(self, value: Tensor) -> Tensor:
        """What says least: the lowest whole number, ones where a value must be positive, else zeros; a value itself that depends on others."""
        if isinstance(self.fill, tuple):
            return value if self.is_distinct else torch.full_like(value, self.fill[0])
        return value if self.word.plain is None else torch.full_like(value, self.word.plain)

    def scaled(self, x: Tensor, factor: float) -> Tensor:
        """Values far from these, of the domain all the same."""
        if not x.is_floating_point() or not self.word.scales:
            return x
        return (x.double() * (factor if self.word.signs else abs(factor))).to(x.dtype)

    def at_end(self, x: Tensor, *, last: bool) -> Tensor:
        """All whole numbers at one end of the range that bounds them."""
        if not isinstance(self.fill, tuple) or self.same or self.is_distinct or x.is_floating_point():
            return x
        return torch.full_like(x, self.fill[1] - 1 if last else self.fill[0])


def domain(arguments: Mapping[str, Any], name: str) -> Domain:
    """That of an argument of a file's ARGUMENTS: shape, strides, dtype, fill."""
    _, _, dtype, fill = arguments[name]
    return Domain(fill, dtype)
