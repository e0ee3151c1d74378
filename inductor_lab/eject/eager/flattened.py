"""The dimensions that are folded, as one: the last, along which torch searches, scans and sorts."""

from __future__ import annotations

import ast
from collections.abc import Sequence

from inductor_lab.computation.folds import plain
from inductor_lab.computation.tree import Broadcast, Cast, Expression, Position
from inductor_lab.eject.eager.printer import Printer
from inductor_lab.eject.eager.torch_values import Value, literal, method, tuple_of
from inductor_lab.eject.refusal import NoReference


def flat(printer: Printer, value: Value, over: Sequence[int]) -> ast.expr:
    """The folded dimensions as one, the last."""
    if len(over) == 1 and over[0] == printer.rank - 1:
        return value.node
    if list(over) != list(range(printer.rank - len(over), printer.rank)):
        raise NoReference("it folds along axes that are not the innermost")
    return method(value.node, "flatten", literal(-len(over)))


def unflat(printer: Printer, node: ast.expr, over: Sequence[int], *, long: bool) -> ast.expr:
    """Back to the dimensions of the space, one element along each or all."""
    if len(over) == 1:
        return node
    sizes = [printer.size_of(dim) if long else ast.Constant(1) for dim in over]
    return method(node, "unflatten", literal(-1), tuple_of(sizes))


def is_place(printer: Printer, given: Expression, over: Sequence[int]) -> bool:
    """Whether a value is the place along the folded dimensions."""
    only = given.index.only() if isinstance(given, Position) else None
    digits = printer.space.digits(only) if only is not None else None
    return digits is not None and [dim for dim, _ in digits] == list(over)


def bare(value: Expression) -> Expression:
    """A value without what changes neither its place nor its number: broadcasts, masks of elements that do not exist, casts."""
    while isinstance(value := plain(value), (Cast, Broadcast)):
        value = value.operand
    return value
