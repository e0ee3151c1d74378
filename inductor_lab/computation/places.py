"""How many addresses an index reaches that is computed of coordinates, under a mask that is no range: counted, place by place.

in_ptr1 + (x0 + 192*((r0_2 % 16) // 2) + 1536*(((r0_2 + 128*x1) // 16) % 16 // 2)), where (r0_2 + 128*x1) // 16 % 2 == 0
48 of x0, at each of 256 places that r0_2 and x1 make there
"""

from __future__ import annotations

import itertools
from collections.abc import Mapping, Sequence
from math import prod
from typing import Protocol

from inductor_lab.computation.addresses import limits
from inductor_lab.computation.folds import conjuncts
from inductor_lab.computation.index import Coordinate, Index, behind
from inductor_lab.computation.operators import TABLE
from inductor_lab.computation.schedule import Access
from inductor_lab.computation.tree import Broadcast, Constant, Expression, Inside, Operation, Position

Digit = tuple[str, int]
Place = Mapping[Digit, int]
MOST_PLACES = 1 << 12


class Cutting(Protocol):
    """What is asked of a computation."""

    def cut(self, of: Coordinate | Expression | None) -> list[tuple[Digit, int, int]] | None: ...
    def extent(self, coordinate: Coordinate) -> int | None: ...


def reached(found: Cutting, accesses: Sequence[Access], ranges: Mapping[Digit, tuple[int, int]]) -> int | None:
    """The addresses of accesses of one index at most; None where it is made of what is loaded, and where there are too many places.

    Args:
        ranges: From where to where the masks let each digit go that the index moves with.
    """
    index, places = accesses[0].index, _Places(found)
    asked = [
        [part for part in conjuncts(access.mask) if not limits(part) and places.follow(part)] for access in accesses
    ]
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


class _Places:
    """Whole numbers at a place."""

    def __init__(self, found: Cutting) -> None:
        self.found = found

    def digits(self, values: Sequence[Expression]) -> set[Digit]:
        return {digit for one in behind(*values) for digit, _, _ in self.found.cut(one) or ()}

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
            parts = self.found.cut(of)
            return bool(parts) and prod(size for _, size, _ in parts or ()) == self.found.extent(of)
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
            return sum(weight * place.get(digit, 0) for digit, _, weight in self.found.cut(of) or ())
        return self.value(of, place) if of is not None else 0
