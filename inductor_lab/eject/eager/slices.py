"""An affine address in text: its tensor reshaped, indexed, permuted, with dimensions where those of the space stand."""

from __future__ import annotations

import ast
from collections.abc import Sequence

from inductor_lab.computation.index import Index
from inductor_lab.eject.eager.printer import Printer
from inductor_lab.eject.eager.torch_values import ALL, NEW, Value, literal, method, part, permuted, subscript
from inductor_lab.eject.eager.views import Slot, View, view
from inductor_lab.eject.refusal import NoReference
from inductor_lab.records import TensorType
from inductor_lab.records.size import Size


def seen_by(printer: Printer, type_: TensorType, index: Index) -> View | None:
    """How an address walks through a tensor under the ranges of just now."""
    if index.expressions() or any(term.of is None for term in index.terms):
        return None
    factors = printer.space.factors(index)
    if factors is None:
        return None
    counts = {dim: printer.count(dim) for dim in factors}
    lows = {dim: printer.ranges[dim][0] for dim in factors if dim in printer.ranges}
    factors = {dim: factor for dim, factor in factors.items() if not counts[dim].is_one or not lows.get(dim)}
    ones = {dim for dim, count in counts.items() if count.is_one}
    start = index.constant
    factors = {dim: factor for dim, factor in factors.items() if dim not in ones}
    for dim in ones:
        original = printer.space.factors(index)
        assert original is not None
        if not original[dim].is_number:
            return None
        start += original[dim].number * lows.get(dim, 0)
    return view(type_, factors, start, counts, lows)


def cut(printer: Printer, base: ast.expr, found: View) -> tuple[ast.expr, list[Slot], list[ast.expr]]:
    """The tensor in its slots, and the index that leaves those which are walked along."""
    if found.reshaped:
        base = method(base, "reshape", *(printer.extent(slot.size) for slot in found.slots))
    indices: list[ast.expr] = []
    for slot in found.slots:
        if slot.dim is None:
            indices.append(literal(slot.start))
        elif slot.full:
            indices.append(ALL)
        else:
            high = slot.start + slot.count.number if slot.count.is_number else None
            if high is None:
                raise NoReference("a part of a tensor whose size is symbolic")
            indices.append(part(slot.start, None if slot.size == Size(high) else high))
    return base, list(found.slots), indices


def aligned(printer: Printer, base: ast.expr, found: View) -> Value:
    """A view whose dimensions stand where those of the space stand."""
    base, slots, indices = cut(printer, base, found)
    walked = [slot.dim for slot in slots if slot.dim is not None]
    back = [slot.dim for slot in slots if slot.back and slot.dim is not None]
    ordered = walked == sorted(walked)
    if ordered:
        backwards, rank = _in_order(printer, slots, indices)
        node = subscript(base, backwards[::-1])
    else:
        backwards = []
        node, rank = _turned(printer, subscript(base, indices), walked)
    if back:
        node = method(node, "flip", *(literal(dim - printer.rank) for dim in sorted(back)))
    weight = 1 if isinstance(node, ast.Name) else 5 if found.reshaped else 3
    after = printer.rank - 1 - max(walked) if ordered and walked and not back else 0
    shorter = (after, subscript(base, _without(backwards, after))) if after else None
    return Value(node, frozenset(walked), rank, "", weight, short=shorter)


def _in_order(printer: Printer, slots: Sequence[Slot], indices: Sequence[ast.expr]) -> tuple[list[ast.expr], int]:
    """The index of slots that stand as the dimensions of the space do, the last first, and how many dimensions it leaves."""
    dims = {slot.dim for slot in slots}
    made: list[ast.expr] = []
    at = printer.rank - 1
    for slot, index in zip(reversed(slots), reversed(indices), strict=True):
        if slot.dim is None:
            alone = slot.size.is_one and at >= 0 and at not in dims and _room(slots, slot, at)
            made.append(ALL if alone else index)
            at -= 1 if alone else 0
            continue
        while at > slot.dim:
            made.append(NEW)
            at -= 1
        made.append(index)
        at -= 1
    return made, printer.rank - 1 - at


def _turned(printer: Printer, node: ast.expr, walked: Sequence[int]) -> tuple[ast.expr, int]:
    """A view with its dimensions put into the order of the space, and how many it has then."""
    first = min(walked)
    node = permuted(node, [walked.index(dim) for dim in sorted(walked)])
    inserted = [ALL if dim in walked else NEW for dim in range(first, printer.rank)]
    return subscript(node, inserted), printer.rank - first


def _without(indices: Sequence[ast.expr], count: int) -> list[ast.expr]:
    """An index, last dimension first, without the last dimensions that broadcasting needs; in the tensor's order."""
    kept = []
    for index in indices:
        if count and (index is NEW or index is ALL):
            count -= 1
            if index is NEW:
                continue
            index = literal(0)
        kept.append(index)
    return kept[::-1]


def _room(slots: Sequence[Slot], slot: Slot, at: int) -> bool:
    """Whether a dimension of one element may stand for one of the space: those before it still find their places."""
    before = slots[: next(n for n, s in enumerate(slots) if s is slot)]
    walked = [s.dim for s in before if s.dim is not None]
    return not walked or max(walked) < at
