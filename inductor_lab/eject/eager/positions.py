"""Where an element stands: the ranges of dimensions that a mask leaves, under which the rest is printed, and places as numbers.

A place is a range along its dimension, a coordinate a sum of digits, an address a sum of products.
"""

from __future__ import annotations

import ast
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager

from inductor_lab.computation.folds import narrowing
from inductor_lab.computation.index import Coordinate, Index
from inductor_lab.computation.tree import Expression, Limit, limits
from inductor_lab.eject.eager.printer import Printer
from inductor_lab.eject.eager.torch_values import ALL, NEW, Value, broadcast, call, changed, literal, name, subscript
from inductor_lab.records.size import ONE, Size

Range = tuple[int, int]
"""The first place, and one past the last."""


def split(printer: Printer, mask: Expression | None) -> tuple[dict[int, Range], list[Expression]]:
    """The ranges of dimensions that a mask leaves, and the conditions beside them that it makes."""
    ranges: dict[int, Range] = {}
    others = []
    for condition in narrowing(mask):
        found = bounded(printer, condition)
        if found is None:
            others.append(condition)
            continue
        dim, (low, high) = found
        before = ranges.get(dim) or range_of(printer, dim)
        ranges[dim] = (max(low, before[0]), max(min(high, before[1]), max(low, before[0])))
    kept = {dim: bounds for dim, bounds in ranges.items() if bounds != range_of(printer, dim)}
    return kept, others


def bounded(printer: Printer, condition: Expression) -> tuple[int, Range] | None:
    """The dimension that a condition bounds, and the places where it holds, where that is all that it says."""
    found = limits(condition)
    return _range(printer, found[0]) if len(found) == 1 else None


def _range(printer: Printer, limit: Limit) -> tuple[int, Range] | None:
    digits = printer.space.digits(limit.coordinate) if limit.coordinate else ()
    if not digits:
        return None
    dim, weight = digits[0]
    size = printer.space.dims[dim].size
    if not weight.is_number or not size.is_number:
        return None
    by = weight.number
    if limit.low % by or (limit.high is not None and limit.high % by):
        return None
    high = size.number if limit.high is None else min(size.number, limit.high // by)
    return dim, (limit.low // by, max(high, limit.low // by))


def range_of(printer: Printer, dim: int) -> Range:
    """The places along a dimension that are printed just now; a symbolic size is larger than any number."""
    size = printer.space.dims[dim].size
    return printer.ranges.get(dim) or (0, size.number if size.is_number else 10**18)


@contextmanager
def within(printer: Printer, ranges: Mapping[int, Range]) -> Iterator[None]:
    """Print under these ranges, beside those of just now."""
    outside = printer.ranges
    printer.ranges = outside | dict(ranges)
    try:
        yield
    finally:
        printer.ranges = outside


def all_of(printer: Printer, conditions: Sequence[Expression]) -> Value:
    """Conditions together, as a tensor."""
    total = printer.tensor(printer.value(conditions[0]), "bool")
    for condition in conditions[1:]:
        value = printer.value(condition)
        total = broadcast(ast.BinOp(total.node, ast.BitAnd(), value.node), [total, value], "bool", weight=1)
    return total


def position(printer: Printer, index: Index) -> Value:
    """An address, or a place as a number."""
    parts: list[tuple[Value, Size]] = []
    for term in index.terms:
        factor = Size(term.factor)
        if term.of is None:
            spelled = printer.product(term.sizes)
            parts.append((Value(spelled, frozenset(), -1, "int"), factor))
            continue
        value = coordinate(printer, term.of) if isinstance(term.of, Coordinate) else printer.value(term.of)
        if term.sizes:
            scaled = ast.BinOp(printer.product(term.sizes), ast.Mult(), value.node)
            value = changed(value, scaled, weight=value.weight + 2)
        if value.dtype not in {"int64", "int"}:
            value = printer.to(value, "int64")
        parts.append((value, factor))
    return summed(printer, parts, index.constant)


def summed(printer: Printer, parts: Sequence[tuple[Value, Size]], constant: int) -> Value:
    """A sum of products, numbers last."""
    if len(parts) == 1 and parts[0][1].is_one and not constant:
        return parts[0][0]
    total: ast.expr | None = None
    dims: frozenset[int] = frozenset()
    rank, weight = -1, 0
    for value, factor in parts:
        term = value.node
        negative = factor.number < 0
        size = Size(abs(factor.number), factor.factors)
        if not size.is_one:
            term = ast.BinOp(printer.extent(size), ast.Mult(), term)
        if total is not None:
            term = ast.BinOp(total, ast.Sub() if negative else ast.Add(), term)
        elif negative:
            term = ast.UnaryOp(ast.USub(), term)
        total = term
        dims |= value.dims
        rank, weight = max(rank, value.rank), weight + value.weight + 2
    if total is None:
        return Value(literal(constant), frozenset(), -1, "int")
    if constant:
        total = ast.BinOp(total, ast.Sub() if constant < 0 else ast.Add(), literal(abs(constant)))
    return Value(total, dims, rank, "int64" if rank >= 0 else "int", weight + 1)


def coordinate(printer: Printer, coordinate: Coordinate) -> Value:
    """A coordinate by its digits; computed from its axis where it has none."""
    digits = printer.space.digits(coordinate)
    if digits is not None:
        return summed(printer, [(arange(printer, dim), weight) for dim, weight in digits], 0)
    axis = [(number, dim) for number, dim in enumerate(printer.space.dims) if dim.axis == coordinate.axis]
    flat = summed(printer, [(arange(printer, number), dim.stride) for number, dim in axis], 0)
    node = flat.node
    stride = Size.of(coordinate.stride, printer.bound)
    if not stride.is_one:
        node = ast.BinOp(node, ast.FloorDiv(), printer.extent(stride))
    if coordinate.size is not None:
        node = ast.BinOp(node, ast.Mod(), printer.extent(Size.of(coordinate.size, printer.bound)))
    return changed(flat, node, weight=flat.weight + 2)


def arange(printer: Printer, dim: int) -> Value:
    """The places along one dimension."""
    key = -1 - dim, ((dim, *printer.ranges[dim]),) if dim in printer.ranges else ()
    if key not in printer.done:
        bounds = [literal(bound) for bound in printer.ranges[dim]] if dim in printer.ranges else [printer.size_of(dim)]
        if dim in printer.ranges and not printer.ranges[dim][0]:
            bounds = bounds[1:]
        after = printer.rank - 1 - dim
        node = call("torch.arange", *bounds, device=name("DEVICE"))
        if after:
            node = subscript(node, [ALL, *[NEW] * after])
        made = Value(node, frozenset({dim}), after + 1, "int64", 4)
        printer.done[key] = printer.variable(_place(printer, dim), made)
    return printer.done[key]


def _place(printer: Printer, dim: int) -> str:
    """The body's own name of a coordinate."""
    for name_, coordinate in printer.job.coordinates.items():
        digits = printer.space.digits(coordinate)
        if digits == [(dim, ONE)]:
            return name_
    return f"{printer.space.dims[dim].axis.rstrip('_')}_place"
