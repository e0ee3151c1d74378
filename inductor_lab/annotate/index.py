"""Addresses as sums: `32 + 64*x1 + 3072*x5` is a constant and coordinates with factors.

A coordinate is `(axis // stride) % size`, Inductor's way to give a flat loop its dimensions. `Digits` cuts an axis
where any coordinate does, like the digits of a mixed-radix number, so that coordinates which overlap (`x % 1024` and `x
% 64`) can be compared.
"""

from __future__ import annotations

import itertools
from collections.abc import Iterable
from dataclasses import dataclass


@dataclass(frozen=True, order=True)
class Coordinate:
    """`(axis // stride) % size`; no size means no `%`."""

    axis: str
    stride: int
    size: int | None


@dataclass(frozen=True)
class Opaque:
    """An integer that is no sum of coordinates.

    Loaded, symbolic, or of another form. It knows what it was made from.
    """

    text: str
    coordinates: frozenset[Coordinate] = frozenset()
    tensors: frozenset[str] = frozenset()


Term = Coordinate | Opaque


@dataclass(frozen=True)
class Linear:
    """A constant plus terms, each with its factor."""

    constant: int
    terms: tuple[tuple[Term, int], ...] = ()

    @staticmethod
    def of(term: Term) -> Linear:
        return Linear(0, ((term, 1),))

    @property
    def is_constant(self) -> bool:
        return not self.terms

    def only(self) -> Coordinate | None:
        """The coordinate that this is, if it is just one."""
        match self:
            case Linear(constant=0, terms=((Coordinate() as coordinate, 1),)):
                return coordinate
        return None

    def plus(self, other: Linear) -> Linear:
        total = dict(self.terms)
        for term, factor in other.terms:
            total[term] = total.get(term, 0) + factor
        return Linear(self.constant + other.constant, tuple((term, factor) for term, factor in total.items() if factor))

    def times(self, factor: int) -> Linear:
        return Linear(self.constant * factor, tuple((term, f * factor) for term, f in self.terms) if factor else ())

    def coordinates(self) -> Iterable[Coordinate]:
        for term, _ in self.terms:
            yield from term.coordinates if isinstance(term, Opaque) else (term,)


def divided(value: Linear, by: int) -> Linear | None:
    """`value // by` where that is again a coordinate or a constant."""
    if value.is_constant and by:
        return Linear(value.constant // by)
    coordinate = value.only()
    if coordinate is None or by <= 0 or (coordinate.size is not None and coordinate.size % by):
        return None
    size = coordinate.size // by if coordinate.size is not None else None
    return Linear.of(Coordinate(coordinate.axis, coordinate.stride * by, size)) if size != 1 else Linear(0)


def remainder(value: Linear, by: int) -> Linear | None:
    """`value % by` where that is again a coordinate or a constant."""
    if value.is_constant and by:
        return Linear(value.constant % by)
    coordinate = value.only()
    if coordinate is None or by <= 0 or (coordinate.size is not None and coordinate.size % by):
        return None
    return Linear.of(Coordinate(coordinate.axis, coordinate.stride, by))


@dataclass(frozen=True)
class Limit:
    """`low <= coordinate < high` where a mask is true; no high means no upper bound."""

    coordinate: Coordinate
    low: int
    high: int | None

    @staticmethod
    def make(left: Linear, op: str, right: Linear) -> Limit | None:
        """The bound that `left op right` puts on one coordinate; None for anything else."""
        turned = {"Lt": "Gt", "Gt": "Lt", "LtE": "GtE", "GtE": "LtE"}
        if left.is_constant:
            left, op, right = right, turned.get(op, op), left
        if not right.is_constant or len(left.terms) != 1:
            return None
        term, factor = left.terms[0]
        if factor != 1 or isinstance(term, Opaque):
            return None
        at = right.constant - left.constant
        bounds = {"Lt": (0, at), "LtE": (0, at + 1), "GtE": (at, None), "Gt": (at + 1, None), "Eq": (at, at + 1)}
        if op not in bounds:
            return None
        low, high = bounds[op]
        return Limit(term, max(low, 0), high)

    def inverse(self) -> Limit | None:
        """What holds where this does not, if that is one range."""
        if self.low == 0 and self.high is not None:
            return Limit(self.coordinate, self.high, None)
        return Limit(self.coordinate, 0, self.low) if self.high is None else None


@dataclass(frozen=True)
class Digits:
    """An axis cut at every place where a coordinate starts or ends: ((stride, size), ...), fastest first.

    `whole` is False where the cuts do not nest (`x % 30` beside `x % 50`); then no coordinate can be told in digits.
    """

    parts: tuple[tuple[int, int], ...]
    whole: bool = True

    @staticmethod
    def make(numel: int, coordinates: Iterable[Coordinate]) -> Digits:
        cuts = {1}
        for coordinate in coordinates:
            cuts |= {coordinate.stride} | ({coordinate.stride * coordinate.size} if coordinate.size else set())
        ordered = sorted(cut for cut in cuts if cut < numel or cut == 1)
        if any(high % low for low, high in itertools.pairwise(ordered)):
            return Digits((), whole=False)
        ends = [*ordered[1:], None]
        return Digits(
            tuple((low, high // low if high else -(-numel // low)) for low, high in zip(ordered, ends, strict=True))
        )

    def of(self, coordinate: Coordinate) -> tuple[tuple[int, int, int], ...] | None:
        """A coordinate's digits as (stride on the axis, size, weight in the coordinate).

        None where the axis has no digits.
        """
        if not self.whole:
            return None
        end = coordinate.stride * coordinate.size if coordinate.size else None
        inside = [
            (stride, size)
            for stride, size in self.parts
            if stride >= coordinate.stride and (end is None or stride < end)
        ]
        return tuple((stride, size, stride // coordinate.stride) for stride, size in inside)
