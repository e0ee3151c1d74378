"""What a mask leaves: ranges of dimensions, under which the rest is printed, and the conditions beside them."""

from __future__ import annotations

import ast
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager

from inductor_lab.computation.addresses import Limit, limits
from inductor_lab.computation.folds import narrowing
from inductor_lab.computation.tree import Expression
from inductor_lab.eject.eager.printer import Printer
from inductor_lab.eject.eager.torch_values import Value

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
        total = Value(
            ast.BinOp(total.node, ast.BitAnd(), value.node),
            total.dims | value.dims,
            max(total.rank, value.rank),
            "bool",
            total.weight + value.weight + 1,
        )
    return total
