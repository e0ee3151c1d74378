"""The iteration space of a kernel: its axes split at the sizes that coordinates use, and the addresses that an access reaches.

    x0 = xindex % 64, x1 = xindex // 64 of 4096     x is cut at 64: digits (x, 1) of 64 values, (x, 64) of 64
    in_ptr0 + (x1 + 64*x0)                          steps {(x, 64): 1, (x, 1): 64}, a box of 4096 addresses

Digits are like those of a mixed-radix number, so that coordinates which overlap (`x % 1024` and `x % 64`) can be compared. Their sizes may be
symbolic (`Digits`); a computation keeps those of the axes whose size is a number, and what would need others is None.
"""

from __future__ import annotations

import itertools
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from math import inf, prod
from types import MappingProxyType

from inductor_lab.computation.folds import conjuncts
from inductor_lab.computation.index import Coordinate, Index, behind
from inductor_lab.computation.operators import TABLE
from inductor_lab.computation.schedule import Access
from inductor_lab.computation.tree import Broadcast, Constant, Expression, Inside, Limit, Operation, Position, limits
from inductor_lab.records import SizeLike
from inductor_lab.records.size import ONE, Size

Digit = tuple[str, int]
"""An axis, and where on it the digit counts: the stride of the coordinate that it is."""
NO_NAMES: Mapping[str, str] = MappingProxyType({})


@dataclass(frozen=True)
class Digits:
    """An axis cut where coordinates start and end; the sizes are numbers or symbolic.

    `nested` is False where cuts were left out because they do not nest with others: `x % 30` beside `x % 50`.
    """

    whole: Size
    """Elements along the axis."""
    cuts: tuple[Size, ...]
    """Where each digit starts, 1 first; each divides the next. None where no coordinate can be told in digits."""
    nested: bool = True

    @staticmethod
    def make(numel: int, coordinates: Iterable[Coordinate]) -> Digits:
        """The digits in which each of the coordinates can be told; no digits where not all of them can."""
        cuts = {cut for coordinate in coordinates for cut in bounds(coordinate) if cut is not None}
        found = Digits.cut(Size(numel), sorted(cuts, key=lambda cut: cut.order))
        return found if found.nested else replace(found, cuts=())

    @staticmethod
    def cut(whole: Size, cuts: Iterable[Size], *, exact: bool = False) -> Digits:
        """Cut an axis wherever that nests with the whole and with the cuts before.

        Args:
            exact: Whether the digits must make up the whole; else the slowest digit may be cut short.
        """
        kept, nested = [ONE], True
        for cut in cuts:
            if cut in kept or _reaches(cut, whole):
                continue
            ends = whole.over(cut) is not None or (not exact and cut.is_number and whole.is_number)
            if ends and all(cut.over(other) is not None or other.over(cut) is not None for other in kept):
                kept.append(cut)
            else:
                nested = False
        return Digits(whole, tuple(sorted(kept, key=lambda cut: cut.order)), nested)

    @cached_property
    def sizes(self) -> tuple[tuple[Size, Size], ...]:
        """(stride, size) of each digit, fastest first."""
        pairs = itertools.pairwise((*self.cuts, self.whole))
        return tuple((low, high.over(low) or Size(-(-high.number // low.number))) for low, high in pairs)

    @cached_property
    def parts(self) -> tuple[tuple[int, int], ...]:
        """The same in numbers, of an axis whose size is one."""
        return tuple((stride.number, size.number) for stride, size in self.sizes)

    def places(self, coordinate: Coordinate, names: Mapping[str, str] = NO_NAMES) -> list[tuple[int, Size]] | None:
        """A coordinate as (number of a digit, its weight in the coordinate), fastest first; None where the digits do not tell it.

        Args:
            names: What a symbol of its sizes stands for.
        """
        start, end = bounds(coordinate, names)
        if start != ONE and _reaches(start, self.whole):
            return []
        end = None if end is not None and _reaches(end, self.whole) else end
        at, found = start, list[tuple[int, Size]]()
        for number, (stride, size) in enumerate(self.sizes):
            if stride == at and at != end and (weight := at.over(start)) is not None:
                found.append((number, weight))
                at = stride * size
        last = bool(found) and found[-1][0] + 1 == len(self.sizes)
        return found if at == end or (end is None and last) else None

    def of(self, coordinate: Coordinate) -> tuple[tuple[int, int, int], ...] | None:
        """A coordinate's digits in numbers, (stride on the axis, size, weight in the coordinate); None where the axis has no digits."""
        places = self.places(coordinate) if self.cuts else None
        return None if places is None else tuple((*self.parts[number], weight.number) for number, weight in places)


def bounds(coordinate: Coordinate, names: Mapping[str, str] = NO_NAMES) -> tuple[Size, Size | None]:
    """Where a coordinate starts on its axis, and where it ends; None for the end of the axis."""
    start = Size.of(coordinate.stride, names)
    return start, None if coordinate.size is None else start * Size.of(coordinate.size, names)


def _reaches(cut: Size, whole: Size) -> bool:
    """Whether a cut is the end of the axis, or past it."""
    return cut == whole or (cut.is_number and whole.is_number and cut.number > whole.number)


def digits_of(numel: Mapping[str, SizeLike], coordinates: Sequence[Coordinate]) -> dict[str, Digits]:
    """The digits of each axis whose size is known, by the coordinates that a body uses."""
    cut = {axis: [c for c in coordinates if c.axis == axis] for axis in numel}
    return {axis: Digits.make(size, cut[axis]) for axis, size in numel.items() if isinstance(size, int)}


class Space:
    """The iterations of one job: every axis, and the digits that its coordinates cut it into."""

    numel: Mapping[str, SizeLike]
    """Elements along each axis, `x`, `y`, `z`, `r0_`; the launch's expression where it is symbolic."""
    digits: Mapping[str, Digits]

    def elements(self, axes: frozenset[str]) -> int | None:
        """Iterations over these axes; None where a size is symbolic."""
        known = [size for axis in axes if isinstance(size := self.numel.get(axis), int)]
        return prod(known) if len(known) == len(axes) else None

    def extent(self, coordinate: Coordinate) -> int | None:
        """How many values a coordinate takes; None where that is symbolic."""
        if isinstance(coordinate.size, int):
            return coordinate.size
        numel = self.numel.get(coordinate.axis)
        if coordinate.size is not None or isinstance(coordinate.stride, str) or not isinstance(numel, int):
            return None
        return -(-numel // coordinate.stride)

    def cut(self, of: Coordinate | Expression | None) -> list[tuple[Digit, int, int]] | None:
        """A coordinate's digits as (digit, size, weight in the coordinate); None where it has none."""
        if not isinstance(of, Coordinate) or of.axis not in self.digits:
            return None
        parts = self.digits[of.axis].of(of)
        return None if parts is None else [((of.axis, stride), size, weight) for stride, size, weight in parts]

    @cached_property
    def cuts(self) -> dict[Digit, int]:
        """The sizes of all digits."""
        return {(axis, stride): size for axis, digits in self.digits.items() for stride, size in digits.parts}

    def steps(self, index: Index) -> dict[Digit, int] | None:
        """How far in memory one step of each digit goes; None where data or a symbolic size decides that."""
        found = Counter[Digit]()
        for term in index.terms:
            parts = None if term.sizes else self.cut(term.of)
            if parts is None:
                return None
            for digit, _, weight in parts:
                found[digit] += term.factor * weight
        return found

    def ranges(self, mask: Expression | None) -> dict[Digit, tuple[int, int]]:
        """From where to where a mask lets each digit go."""
        found = {digit: (0, size) for digit, size in self.cuts.items()}
        for digit, least, most in filter(None, map(self.narrowed, limits(mask))):
            low = max(found[digit][0], least)
            found[digit] = low, max(low, min(found[digit][1], most))
        return found

    def box(self, access: Access) -> Box | None:
        """The addresses of an access that does not depend on data; None where it does, or where a size is symbolic."""
        steps, ranges = self.steps(access.index), self.ranges(access.mask)
        if steps is None:
            return None
        start = access.index.constant + sum(step * ranges[digit][0] for digit, step in steps.items())
        return Box(start, tuple((step, ranges[digit][1] - ranges[digit][0]) for digit, step in steps.items()))

    def decided(self, condition: Expression | None) -> bool | None:
        """Whether a condition is true of every element, or of none: `x0 < 64` where x0 stays below 64; None where neither is known."""
        parts = conjuncts(condition)
        if any(isinstance(part, Constant) and not part.value for part in parts):
            return False
        bounds = [limits(part) for part in parts if not isinstance(part, Constant)]
        if any(limit.high is not None and limit.high <= limit.low for each in bounds for limit in each):
            return False
        if any(low >= high for low, high in self.ranges(condition).values()):  # x1 < 1 and x1 >= 1
            return False
        return True if all(each and all(map(self._certain, each)) for each in bounds) else None

    def _certain(self, limit: Limit) -> bool:
        extents = [self.extent(term.of) if isinstance(term.of, Coordinate) else None for term in limit.index.terms]
        sizes = [inf if extent is None else extent for extent in extents]
        most = sum(term.factor * (size - 1) for term, size in zip(limit.index.terms, sizes, strict=True))
        return limit.low == 0 and (limit.high is None or most < limit.high)

    def narrowed(self, limit: Limit) -> tuple[Digit, int, int] | None:
        """The digit that a mask's bound narrows, from where to where; None where it cuts through several.

        `x3 + 16*x1 < 16` with x3 below 16 narrows x1: all that is finer than the slowest digit stays below one step of it. So does
        `2*x0 < 47`: x0 stays below 24.
        """
        found: list[tuple[int, Digit, int]] = []
        for term in limit.index.terms:
            parts = self.cut(term.of)
            if not parts:
                return None
            found += [(term.factor * weight, digit, size) for digit, size, weight in parts]
        *finer, (weight, digit, size) = sorted(found)
        reached = sum(step * (extent - 1) for step, _, extent in finer)
        if reached >= weight or any(0 < bound % weight <= reached for bound in (limit.low, limit.high or 0)):
            return None
        return digit, -(-limit.low // weight), size if limit.high is None else -(-limit.high // weight)

    def reach(self, *accesses: Access) -> int | None:
        """How many different addresses the coordinates behind accesses of one index can make at most: iterations without repeats, as their masks allow."""
        cuts = list(map(self.cut, accesses[0].index.coordinates()))
        if None in cuts:
            return None
        digits = {digit for parts in cuts for digit, _, _ in parts or ()}
        each = [self.ranges(access.mask) for access in accesses]
        ranges = {digit: (min(one[digit][0] for one in each), max(one[digit][1] for one in each)) for digit in digits}
        most = prod(high - low for low, high in ranges.values())
        counted = _reached(self, accesses, ranges) if accesses[0].index.expressions() else None
        return most if counted is None else min(counted, most)


# ---- addresses that are computed of coordinates, counted place by place

Place = Mapping[Digit, int]
MOST_PLACES = 1 << 12


def _reached(space: Space, accesses: Sequence[Access], ranges: Mapping[Digit, tuple[int, int]]) -> int | None:
    """The addresses of accesses of one index at most; None where it is made of what is loaded, and where there are too many places.

    Args:
        ranges: From where to where the masks let each digit go that the index moves with.
    """
    index, places = accesses[0].index, _Places(space)
    masks = [conjuncts(access.mask) for access in accesses]
    asked = [[part for part in parts if not limits(part) and places.follow(part)] for parts in masks]
    inner = places.digits([*index.expressions(), *(part for parts in asked for part in parts)])
    if not all(map(places.follow, index.expressions())) or not inner <= ranges.keys():
        return None
    each = {digit: range(*ranges[digit]) for digit in sorted(inner)}
    if prod(map(len, each.values())) > MOST_PLACES:
        return None
    at: set[int] = set()
    for values in itertools.product(*each.values()):
        place = dict(zip(each, values, strict=True))
        if any(all(places.value(part, place) for part in parts) for parts in asked):
            at.add(places.sum(index, place))
    return len(at) * prod(len(range(*ranges[digit])) for digit in ranges.keys() - inner)


@dataclass(frozen=True)
class _Places:
    """Whole numbers at a place."""

    space: Space

    def digits(self, values: Sequence[Expression]) -> set[Digit]:
        return {digit for one in behind(*values) for digit, _, _ in self.space.cut(one) or ()}

    def follow(self, value: Expression) -> bool:
        """Whether it is arithmetic of coordinates, each of whole digits."""
        match value:
            case Constant() | Inside():
                return True
            case Position(index=index):
                return all(self._is_whole(term.of) and not term.sizes for term in index.terms)
            case Broadcast(operand=operand):
                return self.follow(operand)
            case Operation(name=name, inputs=inputs):
                return name in TABLE and TABLE[name].whole is not None and all(map(self.follow, inputs))
        return False

    def _is_whole(self, of: Coordinate | Expression | None) -> bool:
        if isinstance(of, Coordinate):
            parts = self.space.cut(of)
            return bool(parts) and prod(size for _, size, _ in parts or ()) == self.space.extent(of)
        return of is not None and self.follow(of)

    def value(self, value: Expression, place: Place) -> int:
        match value:
            case Constant(value=number):
                return int(number)
            case Position(index=index):
                return self.sum(index, place)
            case Broadcast(operand=operand):
                return self.value(operand, place)
            case Operation(name=name, inputs=(left, right)) if whole := TABLE[name].whole:
                return whole(self.value(left, place), self.value(right, place))
        return 1  # inside of the launch

    def sum(self, index: Index, place: Place) -> int:
        """Of the digits that stand there: what others add is the same for all places."""
        return index.constant + sum(term.factor * self._of(term.of, place) for term in index.terms)

    def _of(self, of: Coordinate | Expression | None, place: Place) -> int:
        if isinstance(of, Coordinate):
            return sum(weight * place.get(digit, 0) for digit, _, weight in self.space.cut(of) or ())
        return self.value(of, place) if of is not None else 0


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
    """The same addresses with positive, ascending strides, and with dimensions that continue or overlap each other merged."""
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
    if len(unique) < 2:
        return sum(box.count for box in unique)
    outer = {box.dimensions[-1] if box.dimensions else None for box in unique}
    if len(outer) == 1 and (shared := outer.pop()):
        inner = [Box(box.start, box.dimensions[:-1]) for box in unique]
        first = min(box.start for box in inner)
        last = max(box.start + box.span for box in inner)
        if last - first <= shared[0]:  # copies of the inside do not meet each other
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
