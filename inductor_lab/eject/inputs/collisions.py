"""Which index tensors must hold distinct values, so that no two programs store to one place.

tl.store(out_ptr + (200*x1 + index), value)      index of i64[512, 200] at 200*x1 + x0: no two along dimension 1 may be the same
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from math import prod

from inductor_lab.computation.folds import plain
from inductor_lab.computation.idioms import number, wrapped
from inductor_lab.computation.index import Coordinate, behind
from inductor_lab.computation.records import Computation
from inductor_lab.computation.schedule import Access
from inductor_lab.computation.space import Digits
from inductor_lab.computation.tree import Cast, Expression, Load, Operation, Scan
from inductor_lab.eject.inputs.domain import Domain
from inductor_lab.eject.inputs.intervals import Bounds, bound_names
from inductor_lab.eject.inputs.uses import uncast
from inductor_lab.records import SizeLike, TensorType

Digit = tuple[str, int, int]
"""An axis, the step of its position, and how many values there are of it: `(x // step) % size`."""


@dataclass
class Collisions:
    """What is asked of the indices of one kernel, and where that is not enough."""

    distinct: dict[str, tuple[int, ...]] = field(default_factory=dict)
    """Pointer -> the dimensions along which, taken together, no two of its elements may be the same."""
    colliding: list[str] = field(default_factory=list)
    """Pointers that several programs may write in one place, whatever is drawn."""


def collisions(
    found: Computation, tensors: Mapping[str, TensorType], domains: Mapping[str, Domain], sizes: Mapping[str, int]
) -> Collisions:
    """What the stores of a kernel ask of its indices; an atomic operation asks nothing, and neither does a store of one value.

    Args:
        domains: Pointer -> what it is drawn from.
        sizes: `ks0`, `s77` -> a number, where sizes are symbolic.
    """
    made = Collisions()
    for job in found.every():
        bounds = Bounds(job.numel, bound_names(job, sizes))
        for access in job.stores:
            if access.kind == "store" and access.gathered and not _distinct(access, bounds, tensors, domains, made):
                made.colliding.append(access.pointer)
    made.colliding = list(dict.fromkeys(made.colliding))
    return made


def _distinct(
    access: Access, bounds: Bounds, tensors: Mapping[str, TensorType], domains: Mapping[str, Domain], made: Collisions
) -> bool:
    """Whether no two programs store different values in one place, once what is asked of the indices holds."""
    if access.value is None:
        return False
    if any(map(_order, access.index.expressions())):
        return True
    read = [load for e in access.index.expressions() if (load := _loaded(e)) is not None]
    moving = {c for c in behind(access.value) if c.axis in access.value.axes}
    addressed = {term.of for term in access.index.terms if isinstance(term.of, Coordinate)}
    space = _Space(bounds, {*moving, *addressed, *(c for load in read if load.index for c in load.index.coordinates())})
    if not space.nested:
        return not moving
    open_ = space.digits(moving) - space.digits(addressed)
    for load in read if open_ else ():
        along = _dimensions(load, open_, space, tensors.get(load.pointer))
        along = tuple(sorted({*along, *made.distinct.get(load.pointer, ())})) if along else ()
        if along and different(tensors[load.pointer].shape, along) <= many(domains.get(load.pointer)):
            made.distinct[load.pointer] = along
            return True
    return not open_


def different(shape: Sequence[SizeLike], along: Sequence[int]) -> int:
    """How many elements of a tensor must differ."""
    return prod(size for dimension in along if isinstance(size := shape[dimension], int))


def many(drawn: object) -> int:
    """How many different numbers are drawn from."""
    return drawn[1] - drawn[0] if isinstance(drawn, tuple) and drawn[0] >= 0 else 0


def _order(value: Expression) -> bool:
    """Whether it is the order that a sort finds: no place stands twice in it."""
    value = uncast(value)
    return isinstance(value, Scan) and value.name.startswith("sort") and value.part == 1


def _loaded(value: Expression) -> Load | None:
    """What is loaded, where different numbers stay different on the way to an address; else None."""
    value = plain(wrapped(value) or value)
    match value:
        case Load():
            return value if value.index is not None and not value.index.expressions() else None
        case Cast(operand=operand, dtype=dtype) if "int" in dtype and "int" in operand.dtype:
            return _loaded(operand)
        case Operation(name="add", inputs=(one, other)) | Operation(name="sub", inputs=(one, other)):
            left, right = _loaded(one), _loaded(other)
            return left if number(other) is not None else right if number(one) is not None else None
    return None


class _Space:
    """The axes of a kernel with their sizes as numbers, cut into the digits of some coordinates."""

    def __init__(self, bounds: Bounds, coordinates: Collection[Coordinate]) -> None:
        self.bounds = bounds
        held: dict[str, list[Coordinate]] = {}
        for coordinate in coordinates:
            held.setdefault(coordinate.axis, []).append(self._in_numbers(coordinate))
        self.cuts = {axis: Digits.make(self._numel(axis), of) for axis, of in held.items()}
        self.nested = all(digits.nested for digits in self.cuts.values())

    def of(self, coordinate: Coordinate) -> Iterator[tuple[Digit, int]]:
        """The digits of a coordinate, each with its weight in it."""
        for step, size, weight in self.cuts[coordinate.axis].of(self._in_numbers(coordinate)) or ():
            yield (coordinate.axis, step, size), weight

    def digits(self, coordinates: Iterable[Coordinate]) -> set[Digit]:
        return {digit for coordinate in coordinates for digit, _ in self.of(coordinate)}

    def _numel(self, axis: str) -> int:
        return self.bounds.number(self.bounds.numel.get(axis, 1)) or 1

    def _in_numbers(self, coordinate: Coordinate) -> Coordinate:
        size = None if coordinate.size is None else self.bounds.number(coordinate.size) or self._numel(coordinate.axis)
        return Coordinate(coordinate.axis, self.bounds.number(coordinate.stride) or 1, size)


def _dimensions(load: Load, open_: Collection[Digit], space: _Space, type_: TensorType | None) -> tuple[int, ...]:
    """The dimensions of a tensor that digits walk along; none where not all of them do."""
    if type_ is None or load.index is None:
        return ()
    along: set[int] = set()
    left = set(open_)
    for term in load.index.terms:
        factor = space.bounds.factor(term.factor, term.sizes)
        if not isinstance(term.of, Coordinate) or not factor:
            return ()
        for digit, weight in space.of(term.of):
            if digit in left and (found := walked(type_, factor * weight, factor * weight * digit[2])):
                along |= found
                left.discard(digit)
    return () if left else tuple(sorted(along))


def walked(type_: TensorType, step: int, end: int) -> set[int]:
    """The dimensions that an address moves along which goes from one step to another."""
    walked: set[int] = set()
    for dimension, (size, stride) in enumerate(zip(type_.shape, type_.stride, strict=True)):
        if isinstance(size, int) and isinstance(stride, int) and size > 1 and stride < end and stride * size > step:
            walked.add(dimension)
    return walked
