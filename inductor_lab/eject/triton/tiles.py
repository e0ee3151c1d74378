"""Pointers, shapes and masks of a readable kernel's loads and stores: which axes a value spans, and which mask an access keeps.

A mask has the tests that the text has, and those that it left out because its block happened to divide the size: a block may be changed by
whoever edits the file, so the test of the end is back wherever a block could then reach past it.
"""

from __future__ import annotations

import ast
import re
from collections import Counter
from collections.abc import Callable

from inductor_lab.computation.folds import Partial, conjuncts
from inductor_lab.computation.index import Coordinate, Index
from inductor_lab.computation.schedule import Access, Schedule
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
from inductor_lab.eject.printing.layout import Factor
from inductor_lab.eject.printing.operands import parts_of
from inductor_lab.eject.triton.block_layout import BlockLayout
from inductor_lab.eject.triton.page import (
    Page,
    call_to,
    dtype_name,
    name_node,
    number_of,
    parsed,
    product,
    signed,
    summed,
    typed,
    unparsed,
)


class Shapes:
    """The shapes of one kernel's values."""

    def __init__(self, schedule: Schedule, layout: BlockLayout) -> None:
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


LONG = 20
"""Characters from which an address that several accesses share gets a name."""
SHORT = 12
"""Characters from which a position gets one that several values are made of."""


class Addresses:
    """Where each access goes."""

    def __init__(self, page: Page, shapes: Shapes, node: Callable[[Expression], ast.expr]) -> None:
        self.page, self.shapes, self.node = page, shapes, node
        self.repeated = Counter(access.index for access in page.found.accesses)

    def of(self, access: Access, spanned: frozenset[str]) -> ast.expr:
        """The pointer's tile; as wide as what is stored there, also where the address itself does not move along all of it."""
        pointer: ast.expr = name_node(f"{self.page.tensors[access.pointer].name}_ptr")
        index = access.index
        if access.kind == "load" and (seed := self.page.layout.seed(access.pointer, index)):
            pointer = ast.BinOp(pointer, ast.Add(), name_node(seed))
        elif index.terms or index.constant:
            pointer = ast.BinOp(pointer, ast.Add(), self.position(index, access.pointer))
        moving = self.shapes.spanned(self.shapes.of_index(index))
        lacking = self.shapes.spanned(spanned) - moving
        if lacking and (access.kind != "load" or not moving):
            zeros = call_to("tl.full", self.page.layout.tile(lacking), ast.Constant(0), name_node("tl.int32"))
            pointer = ast.BinOp(pointer, ast.Add(), zeros)
        return pointer

    def position(self, index: Index, pointer: str, used: int = 0) -> ast.expr:
        """An address or a position, by a name where a long one is said again.

        Args:
            pointer: Empty for a position that is no address.
            used: How many values are made of it.
        """
        positions = self.page.positions
        if index in positions:
            return name_node(positions[index])
        written = self.sum(index, pointer)
        text = unparsed(written)
        said = used or self.repeated[index]
        if said < 2 or len(text) < (SHORT if said > 2 and used else LONG):
            return written
        positions[index] = self.page.fresh("element" if pointer else "position")
        self.page.emit(positions[index], written)
        return name_node(positions[index])

    def sum(self, index: Index, pointer: str) -> ast.expr:
        """An address or a position, in the order of the text. Beside a tile of several dimensions a constant stands where it is added to
        the fewest elements: first, or taken off the last summand."""
        layout = self.page.layout
        parts = [(off, product(map(self._factor, factors))) for off, factors in layout.summands(index, pointer)]
        if index.constant and index.terms and layout.rank > 1:
            constant = parts.pop()
            if index.constant > 0:
                parts.insert(0, constant)
            else:
                parts[-1] = summed([parts[-1], constant])
        return signed(*summed(parts))

    def _factor(self, factor: Factor) -> ast.expr:
        match factor:
            case Coordinate():
                return parsed(self.page.layout.coordinates.name(factor))
            case Expression():
                return self.node(factor)
        return parsed(factor)


class Masks:
    """Where an access happens."""

    def __init__(self, page: Page, shapes: Shapes, node: Callable[[Expression], ast.expr]) -> None:
        self.page, self.shapes, self.node = page, shapes, node

    def named(self, axis: str) -> ast.expr:
        """The name of an axis' own mask, which then is set up."""
        self.page.inside.add(axis)
        return name_node(self.page.layout.names[axis].inside)

    def end(self, axis: str) -> ast.expr:
        """The test of an axis' end as a value."""
        if self.page.layout.masks(axis):
            return self.named(axis)
        return typed(Constant("bool", frozenset(), True))

    def of(self, access: Access, more: frozenset[str]) -> ast.expr | None:
        """The mask of an access; None where it always happens.

        Args:
            more: Axes along which what is stored is wide, whether the address moves with them or not.
        """
        layout = self.page.layout
        ends = {part.axis for part in conjuncts(access.mask) if isinstance(part, Inside)}
        present = {axis for axis in ends if layout.masks(axis)}
        parts = [part for part in self._parts(access.mask) if not isinstance(part, Inside) or part.axis in present]
        moving = self.shapes.of_index(access.index) | more
        written = [self.node(part) for part in parts] + [
            self.named(name) for name in self._left_out() if name in moving and name not in present
        ]
        if not written:
            return None
        both = written[0]
        for part in written[1:]:
            both = ast.BinOp(both, ast.BitAnd(), part)
        return both

    def _parts(self, mask: Expression | None) -> list[Expression]:
        """What must hold together; what has a name already stays whole."""
        match mask:
            case Operation(name="and", inputs=inputs) if mask not in self.page.bound:
                return [part for one in inputs for part in self._parts(one)]
        return [] if mask is None else [mask]

    def _left_out(self) -> list[str]:
        """Axes whose end the text does not test although a block could reach past it."""
        axes = self.page.found.schedule.axes
        return [axis.name for axis in axes if not axis.masked and self.page.layout.may_end_inside(axis)]

    def kept(self, written: ast.expr, accumulator: str) -> ast.expr:
        """What a turn of a loop makes of its accumulator; lanes outside keep what they had, also where the text left the mask out."""
        axes = {axis.name for axis in self.page.found.schedule.axes if axis.looped and axis.reduced}
        for name in self._left_out():
            if name in axes:
                written = call_to("tl.where", self.named(name), written, name_node(accumulator))
        return written

    def filled(self, written: ast.expr, fold: Reduction) -> ast.expr:
        """What is folded along the rows of a block; rows that do not exist have what changes nothing."""
        nothing = ast.Constant({"sum": 0.0, "prod": 1.0}[fold.name])
        for axis in sorted(fold.over):
            if self.page.layout.masks(axis):
                written = call_to("tl.where", self.named(axis), written, nothing)
        return written

    def assertion(self, condition: Expression, message: str) -> ast.expr:
        """A check; lanes outside hold anything where their mask was dropped."""
        test = self.node(condition)
        for name in self._left_out():
            if name in self.shapes.of(condition):
                test = ast.BinOp(test, ast.BitOr(), ast.UnaryOp(ast.Invert(), self.named(name)))
        message = re.sub(r"\b_?tmp\w*", "index", message)
        return call_to("tl.device_assert", test, ast.Constant(message))
