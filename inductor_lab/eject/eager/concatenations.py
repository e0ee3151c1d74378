"""Selections that put two pieces one after the other: `torch.cat`, or the padding of one where the other is a number."""

from __future__ import annotations

import ast
from collections.abc import Sequence

from inductor_lab.computation.folds import narrowing
from inductor_lab.computation.tree import Expression, Load, walk
from inductor_lab.eject.eager.loads import padded
from inductor_lab.eject.eager.masks import bounded, range_of, within
from inductor_lab.eject.eager.printer import Printer
from inductor_lab.eject.eager.torch_values import Value, call, literal, text


def concatenated(printer: Printer, inputs: Sequence[Expression]) -> Value | None:
    """`where(x0 < 32, a, b)` whose sides are only read where they hold: two pieces, one after the other."""
    condition, one, other = inputs
    real = narrowing(condition)
    if len(real) != 1 or (found := bounded(printer, real[0])) is None:
        return None
    dim, (low, high) = found
    begin, end = range_of(printer, dim)
    if max(low, begin) >= min(high, end):
        return printer.value(other)
    if low <= begin and high >= end:
        return printer.value(one)
    if not any(_bounded_load(printer, side, dim) for side in (one, other)):
        return None
    if low <= begin:
        pieces = [(one, (begin, high)), (other, (high, end))]
    elif high >= end:
        pieces = [(other, (begin, low)), (one, (low, end))]
    else:
        return None
    made: list[Value] = []
    for side, bounds in pieces:
        with within(printer, {dim: bounds}):
            made.append(printer.value(side))
    for place, (value, filler) in enumerate(((made[0], made[1]), (made[1], made[0]))):
        fill = _told(filler.node)
        if filler.number and not value.number and fill is not None:
            bounds = pieces[place][1]
            with within(printer, {dim: bounds}):
                value = printer.spread(value, [dim])
            return padded(printer, value, {dim: bounds}, fill)
    dims = made[0].dims | made[1].dims | {dim}
    rank = max(value.rank for value in made)
    for place, (_, bounds) in enumerate(pieces):
        with within(printer, {dim: bounds}):
            made[place] = printer.ranked(printer.spread(made[place], dims), rank)
    dtype = next((value.dtype for value in made if value.dtype == one.dtype), made[0].dtype)
    made = [printer.to(value, dtype) for value in made]
    parts = [p for value in made for p in _parts(value.node, dim - printer.rank)]
    node = call("torch.cat", ast.List(parts, ast.Load()), literal(dim - printer.rank))
    return Value(node, dims, max(value.rank for value in made), dtype, sum(value.weight for value in made) + 2)


def _bounded_load(printer: Printer, value: Expression, dim: int) -> bool:
    for node in walk(value):
        if isinstance(node, Load):
            for condition in narrowing(node.mask):
                found = bounded(printer, condition)
                if found is not None and found[0] == dim:
                    return True
    return False


def _parts(node: ast.expr, dim: int) -> list[ast.expr]:
    match node:
        case ast.Call(func=ast.Attribute(value=ast.Name(id="torch"), attr="cat"), args=[ast.List(elts=parts), at]) if (
            text(at) == str(dim)
        ):
            return list(parts)
    return [node]


def _told(node: ast.expr) -> float | None:
    """The number that a text is."""
    match node:
        case ast.Constant(value=(bool() | int() | float()) as value):
            return value
        case ast.UnaryOp(op=ast.USub(), operand=operand) if (inner := _told(operand)) is not None:
            return -inner
        case ast.Attribute(attr="inf" | "nan" as word):
            return float(word)
    return None
