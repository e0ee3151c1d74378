"""How many distinct addresses a set of strided accesses touches: integer arithmetic on boxes, nothing else.

A box is what one load reaches: `start + sum(stride * i)` for every `i` in `range(size)` of every dimension. The count
is exact for what Inductor writes in practice (nested, adjacent, shifted and overlapping boxes); where it is not, it is
an upper bound.
"""

from __future__ import annotations

from dataclasses import dataclass
from math import prod

Dimension = tuple[int, int]
"""(stride, size), both in elements."""

MOST_RUNS = 50_000
"""Boxes are written out as runs of addresses only up to this many; beyond, the sum of their sizes is the answer."""


@dataclass(frozen=True)
class Box:
    """A start and dimensions.

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
    """How many different addresses the boxes hold together."""
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
