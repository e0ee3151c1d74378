"""The masks of a readable kernel: the tests that a text has, and those that it left out because its block happened to divide the size.

A block may be changed by whoever edits the file, so the test of the end is back wherever a block could then reach past it.
"""

from __future__ import annotations

import ast
import re
from collections.abc import Callable

from inductor_lab.computation.folds import conjuncts
from inductor_lab.computation.schedule import Access
from inductor_lab.computation.tree import Constant, Expression, Inside, Operation, Reduction
from inductor_lab.eject.triton_page import Page
from inductor_lab.eject.triton_shapes import Shapes
from inductor_lab.eject.triton_text import call_to, name_node, typed, unparsed


class Masks:
    """Where an access happens."""

    def __init__(self, page: Page, shapes: Shapes, node: Callable[[Expression], ast.expr]) -> None:
        self.page, self.shapes, self.node = page, shapes, node

    def named(self, axis: str) -> ast.expr:
        """The name of an axis' own mask, which then is set up."""
        self.page.inside.add(axis)
        return name_node(self.page.layout.inside(axis))

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

    def assertion(self, condition: Expression, message: str) -> str:
        """A check; lanes outside hold anything where their mask was dropped."""
        test = self.node(condition)
        for name in self._left_out():
            if name in self.shapes.of(condition):
                test = ast.BinOp(test, ast.BitOr(), ast.UnaryOp(ast.Invert(), self.named(name)))
        message = re.sub(r"\b_?tmp\w*", "index", message)
        return unparsed(call_to("tl.device_assert", test, ast.Constant(message)))
