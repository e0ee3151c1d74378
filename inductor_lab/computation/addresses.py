"""What values say of coordinates: the address that an expression is, the bounds that hold where a mask is true, the boxes of addresses reached.

x1 + 64*x0 with x0 < 8 and x1 < 64        an `Index`, two `Limit`s, and a `Box` of 512 addresses
"""

from __future__ import annotations

from dataclasses import dataclass
from math import prod

from inductor_lab.computation.index import Coordinate, Index, Term
from inductor_lab.computation.operators import MIRRORED
from inductor_lab.computation.tree import Broadcast, Constant, Expression, Operation, Position, Size


def index_of(value: Expression) -> Index:
    """The index of an expression: through sums and products of integers down to coordinates, sizes and loads."""
    match value:
        case Position(index=index):
            return index
        case Constant(value=int() as number):
            return Index(int(number))
        case Size(name=name):
            return Index(0, (Term(1, None, (name,)),))
        case Operation(name="add", inputs=(left, right)):
            return index_of(left).plus(index_of(right))
        case Operation(name="sub", inputs=(left, right)):
            return index_of(left).plus(index_of(right).times(-1))
        case Operation(name="neg", inputs=(operand,)):
            return index_of(operand).times(-1)
        case Broadcast(operand=operand):
            return index_of(operand)
        case Operation(name="mul", inputs=(left, right)):
            product = index_of(left).product(index_of(right))
            if product is not None:
                return product
    return Index(0, (Term(1, value),))


@dataclass(frozen=True)
class Limit:
    """`low <= index < high` where a mask is true; no high means no upper bound. The index is a sum of positive multiples of coordinates."""

    index: Index
    low: int
    high: int | None

    @property
    def coordinate(self) -> Coordinate | None:
        """The coordinate that is bounded, where it is one alone."""
        return self.index.only()

    def inverse(self) -> Limit | None:
        """What holds where this does not, if that is one range."""
        if self.low == 0 and self.high is not None:
            return Limit(self.index, self.high, None)
        return Limit(self.index, 0, self.low) if self.high is None else None


def limits(mask: Expression | None) -> tuple[Limit, ...]:
    """The bounds on coordinates, and on sums of them, that hold wherever a mask is true."""
    match mask:
        case Operation(name="and", inputs=(left, right)):
            return (*limits(left), *limits(right))
        case Operation(name="not", inputs=(operand,)):
            inner = limits(operand)
            flipped = inner[0].inverse() if len(inner) == 1 else None
            return (flipped,) if flipped else ()
        case Operation(name=name, inputs=(left, right)):
            found = _limit(index_of(left), name, index_of(right))
            return (found,) if found else ()
    return ()


def _limit(left: Index, name: str, right: Index) -> Limit | None:
    if left.is_constant:
        left, name, right = right, MIRRORED.get(name, name), left
    if not right.is_constant or left.is_constant:
        return None
    if any(term.factor < 1 or term.sizes or not isinstance(term.of, Coordinate) for term in left.terms):
        return None
    at = right.constant - left.constant
    bounds = {"lt": (0, at), "le": (0, at + 1), "ge": (at, None), "gt": (at + 1, None), "eq": (at, at + 1)}
    if name not in bounds:
        return None
    low, high = bounds[name]
    return Limit(Index(0, left.terms), max(low, 0), high)


# ---- boxes of addresses: integer arithmetic alone

Dimension = tuple[int, int]
"""(stride, size), both in elements."""

MOST_RUNS = 50_000
"""Boxes are written out as runs of addresses only up to this many; beyond, the sum of their sizes is the answer."""


@dataclass(frozen=True)
class Box:
    """What one access reaches: `start + sum(stride * i)` for every `i` in `range(size)` of every dimension.

    After `normal` the strides are positive and ascending, and adjacent dimensions are one.
    """

    start: int
    dimensions: tuple[Dimension, ...]

    @property
    def count(self) -> int:
        return min(prod(size for _, size in self.dimensions), self.span)

    @property
    def span(self) -> int:
        """From the first address to one past the last."""
        return 1 + sum(abs(stride) * (size - 1) for stride, size in self.dimensions)


def normal(box: Box) -> Box:
    """The same addresses with positive, ascending strides, and with dimensions that continue or overlap each other
    merged."""
    start = box.start + sum(stride * (size - 1) for stride, size in box.dimensions if stride < 0)
    ascending = sorted((abs(stride), size) for stride, size in box.dimensions if stride and size > 1)
    merged: list[Dimension] = []
    for stride, size in ascending:
        if merged:
            inner, length = merged[-1]
            steps, rest = divmod(stride, inner)
            if not rest and steps <= length:  # the next run starts where this one ends, or inside it
                merged[-1] = (inner, length + steps * (size - 1))
                continue
        merged.append((stride, size))
    return Box(start, tuple(merged))


def distinct(boxes: list[Box]) -> int:
    """How many different addresses the boxes hold together.

    Exact for what Inductor writes in practice (nested, adjacent, shifted and overlapping boxes), else an upper bound.
    """
    unique = list(dict.fromkeys(normal(box) for box in boxes if box.count))
    if not unique:
        return 0
    if len(unique) == 1:
        return unique[0].count
    outer = {box.dimensions[-1] if box.dimensions else None for box in unique}
    if len(outer) == 1 and (shared := outer.pop()):
        inner = [Box(box.start, box.dimensions[:-1]) for box in unique]
        first = min(box.start for box in inner)
        if (
            max(box.start + box.span for box in inner) - first <= shared[0]
        ):  # copies of the inside do not meet each other
            return shared[1] * distinct(inner)
    if sum(prod(size for _, size in _outside(box)) for box in unique) > MOST_RUNS:
        low = min(box.start for box in unique)
        return min(sum(box.count for box in unique), max(box.start + box.span for box in unique) - low)
    return _covered(sorted(run for box in unique for run in _runs(box)))


def _outside(box: Box) -> tuple[Dimension, ...]:
    """The dimensions around the contiguous run."""
    return box.dimensions[1:] if box.dimensions and box.dimensions[0][0] == 1 else box.dimensions


def _runs(box: Box) -> list[tuple[int, int]]:
    """The box as half-open runs of consecutive addresses."""
    outside = _outside(box)
    length = box.dimensions[0][1] if len(outside) < len(box.dimensions) else 1
    starts = [box.start]
    for stride, size in outside:
        starts = [start + stride * step for start in starts for step in range(size)]
    return [(start, start + length) for start in starts]


def _covered(runs: list[tuple[int, int]]) -> int:
    """Addresses under sorted runs."""
    total, end = 0, runs[0][0]
    for low, high in runs:
        total += max(0, high - max(low, end))
        end = max(end, high)
    return total
