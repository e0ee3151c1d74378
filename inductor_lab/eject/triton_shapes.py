"""Along which axes the tile of a value is wide, as it is printed: what must be broadcast, and which masks an address needs."""

from __future__ import annotations

import ast
from collections.abc import Callable

from inductor_lab.computation.folds import Partial
from inductor_lab.computation.index import Coordinate, Index
from inductor_lab.computation.schedule import Schedule
from inductor_lab.computation.tree import (
    Broadcast,
    Carried,
    Constant,
    Expression,
    Inside,
    Load,
    Operation,
    Position,
    Reduction,
    Scan,
    Size,
)
from inductor_lab.eject.layout import Layout
from inductor_lab.eject.triton_text import call_to, dtype_name, number_of
from inductor_lab.eject.triton_values import parts_of


class Shapes:
    """The shapes of one kernel's values."""

    def __init__(self, schedule: Schedule, layout: Layout) -> None:
        self.layout = layout
        self.every = frozenset(axis.name for axis in schedule.axes)
        self.free = frozenset(axis.name for axis in schedule.axes if not axis.reduced)
        self.carried: dict[Expression, frozenset[str]] = {}
        """What a loop carries on that is less than a tile: where the scan of each row has come to, the sums of a group's columns."""
        self._known: dict[Expression, frozenset[str]] = {}

    def of(self, value: Expression) -> frozenset[str]:
        if value not in self._known:
            self._known[value] = self._of(value)
        return self._known[value]

    def _of(self, value: Expression) -> frozenset[str]:
        match value:
            case Constant() | Size():
                return frozenset()
            case Position(index=index):
                return self.of_index(index)
            case Inside(axis=axis):
                return frozenset({axis})
            case Reduction(group=int(), over=over):
                return self.every - over
            case Reduction() | Operation(name="last"):
                return self.free
            case Carried() if value in self.carried:
                return self.carried[value]
            case Load():
                moving = self.of_index(value.index) if value.index else frozenset()
                return moving | (self.of(value.mask) if value.mask is not None else frozenset())
            case Scan() | Partial() | Carried():
                return self.every
            case Broadcast(operand=operand):
                return value.axes | self.of(operand)
        return frozenset().union(*(self.of(part) for part in parts_of(value)))

    def of_index(self, index: Index) -> frozenset[str]:
        axes: frozenset[str] = frozenset()
        for term in index.terms:
            if isinstance(term.of, Coordinate):
                axes |= {term.of.axis} if not self.layout.coordinates.is_program(term.of) else frozenset()
            elif term.of is not None:
                axes |= self.of(term.of)
        return axes

    def spanned(self, axes: frozenset[str]) -> frozenset[str]:
        """Those that are dimensions of the tile."""
        return frozenset(axis for axis in axes if self.layout.spans(axis))

    def broadcast(self, value: Expression, axes: frozenset[str], node: Callable[[Expression], ast.expr]) -> ast.expr:
        """A value as wide as some axes; itself where it is."""
        mine, wanted = self.of(value), self.spanned(axes)
        if wanted <= self.spanned(mine):
            return node(value)
        if isinstance(value, Constant) and value.dtype not in {"int", "float"}:
            return call_to("tl.full", self.layout.tile(wanted), number_of(value.value), dtype_name(value.dtype))
        return call_to("tl.broadcast_to", node(value), self.layout.tile(wanted | mine))
