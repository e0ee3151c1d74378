"""Which indices must differ so that no two programs store in one place: on a GPU either of them may be the last.

tl.store(out_ptr + (200*x1 + index), value)      index of i64[512, 200] at 200*x1 + x0: no two along dimension 1 may be the same
"""

from __future__ import annotations

import itertools
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from math import prod

from inductor_lab.computation.folds import plain
from inductor_lab.computation.idioms import number, wrapped
from inductor_lab.computation.index import Coordinate, behind
from inductor_lab.computation.records import Computation
from inductor_lab.computation.schedule import Access
from inductor_lab.computation.tree import Cast, Expression, Load, Operation, Scan
from inductor_lab.eject.fills import Fill
from inductor_lab.eject.intervals import Bounds
from inductor_lab.eject.reach import bound_names
from inductor_lab.records import SizeLike, TensorType

Digit = tuple[str, int, int]
"""An axis, the step of its position, and how many values there are of it: `(x // step) % size`."""


@dataclass
class Differing:
    """What is asked of the indices of one kernel."""

    along: dict[str, tuple[int, ...]] = field(default_factory=dict)
    """Pointer -> the dimensions along which, taken together, no two of its elements may be the same."""
    colliding: list[str] = field(default_factory=list)
    """Pointers that several programs may write in one place, whatever is drawn."""


def differing(
    found: Computation, tensors: Mapping[str, TensorType], fills: Mapping[str, Fill], sizes: Mapping[str, int]
) -> Differing:
    """What the stores of a kernel ask of its indices; an atomic operation asks nothing, and neither does a store of one value.

    Args:
        fills: Pointer -> what it is drawn from.
        sizes: `ks0`, `s77` -> a number, where sizes are symbolic.
    """
    asked = Differing()
    for job in found.every():
        bounds = Bounds(job.numel, bound_names(job, sizes))
        for access in job.stores:
            if access.kind == "store" and access.gathered and not _told_apart(access, bounds, tensors, fills, asked):
                asked.colliding.append(access.pointer)
    asked.colliding = list(dict.fromkeys(asked.colliding))
    return asked


def _told_apart(
    access: Access, bounds: Bounds, tensors: Mapping[str, TensorType], fills: Mapping[str, Fill], asked: Differing
) -> bool:
    """Whether no two programs store different values in one place, once what is asked of the indices holds."""
    if access.value is None:
        return False
    if any(map(_order, access.index.expressions())):
        return True
    read = [load for e in access.index.expressions() if (load := _loaded(e)) is not None]
    moving = {c for c in behind(access.value) if c.axis in access.value.axes}
    told = {term.of for term in access.index.terms if isinstance(term.of, Coordinate)}
    cuts = _cuts({*moving, *told, *(c for load in read if load.index for c in load.index.coordinates())}, bounds)
    if not all(map(_nested, cuts.values())):
        return not moving
    untold = {digit for c in moving for digit in _digits(c, cuts, bounds)}
    untold -= {digit for c in told for digit in _digits(c, cuts, bounds)}
    for load in read if untold else ():
        along = _dimensions(load, untold, cuts, bounds, tensors.get(load.pointer))
        along = tuple(sorted({*along, *asked.along.get(load.pointer, ())})) if along else ()
        if along and different(tensors[load.pointer].shape, along) <= many(fills.get(load.pointer)):
            asked.along[load.pointer] = along
            return True
    return not untold


def different(shape: Sequence[SizeLike], along: Sequence[int]) -> int:
    """How many elements of a tensor must differ."""
    return prod(size for dimension in along if isinstance(size := shape[dimension], int))


def many(fill: object) -> int:
    """How many different numbers are drawn from."""
    return fill[1] - fill[0] if isinstance(fill, tuple) and fill[0] >= 0 else 0


def _order(value: Expression) -> bool:
    """Whether it is the order that a sort finds: no place stands twice in it."""
    value = plain(value)
    while isinstance(value, Cast) and "int" in value.dtype:
        value = plain(value.operand)
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


# ------------------------------------------------------------ digits of a position


def _cuts(coordinates: Iterable[Coordinate], bounds: Bounds) -> dict[str, list[int]]:
    """Axis -> the steps at which its coordinates begin and end: between two of them lies one digit."""
    cuts: dict[str, set[int]] = {}
    for coordinate in coordinates:
        cuts.setdefault(coordinate.axis, {1}).update(_ends(coordinate, bounds))
    return {axis: sorted(found) for axis, found in cuts.items()}


def _nested(steps: Sequence[int]) -> bool:
    """Whether each step divides the next; the end of an axis may be anywhere."""
    return all(after % before == 0 for before, after in itertools.pairwise(steps[:-1]))


def _digits(coordinate: Coordinate, cuts: Mapping[str, Sequence[int]], bounds: Bounds) -> Iterator[Digit]:
    low, high = _ends(coordinate, bounds)
    for step, end in itertools.pairwise(cuts[coordinate.axis]):
        if low <= step and end <= high:
            yield coordinate.axis, step, -(-end // step)


def _ends(coordinate: Coordinate, bounds: Bounds) -> tuple[int, int]:
    """From which step of its axis to which: `x // 50` of 5000 from 50 to 5000."""
    step, size = bounds.number(coordinate.stride) or 1, coordinate.size
    last = bounds.number(bounds.numel.get(coordinate.axis, 1)) or 1
    high = last if size is None else step * (bounds.number(size) or last)
    return step, max(high, step)


def _dimensions(
    load: Load, untold: Collection[Digit], cuts: Mapping[str, Sequence[int]], bounds: Bounds, type_: TensorType | None
) -> tuple[int, ...]:
    """The dimensions of a tensor that digits walk along; none where not all of them do."""
    if type_ is None or load.index is None:
        return ()
    along: set[int] = set()
    left = set(untold)
    for term in load.index.terms:
        factor = bounds.factor(term.factor, term.sizes)
        if not isinstance(term.of, Coordinate) or not factor:
            return ()
        first, _ = _ends(term.of, bounds)
        for digit in left & set(_digits(term.of, cuts, bounds)):
            step = factor * (digit[1] // first)
            found = walked(type_, step, step * digit[2])
            along |= found
            left -= {digit} if found else set()
    return () if left else tuple(sorted(along))


def walked(type_: TensorType, step: int, end: int) -> set[int]:
    """The dimensions that an address moves along which goes from one step to another."""
    walked: set[int] = set()
    for dimension, (size, stride) in enumerate(zip(type_.shape, type_.stride, strict=True)):
        if isinstance(size, int) and isinstance(stride, int) and size > 1 and stride < end and stride * size > step:
            walked.add(dimension)
    return walked
