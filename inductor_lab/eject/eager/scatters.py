"""Atomic operations, and stores where the data decides the address or whether they happen."""

from __future__ import annotations

import ast
from collections.abc import Sequence
from dataclasses import replace

from inductor_lab.computation.schedule import Access
from inductor_lab.computation.tree import Expression
from inductor_lab.eject.eager.casts import in_dtype
from inductor_lab.eject.eager.contents import renewed, rowed, unrowed
from inductor_lab.eject.eager.gathers import places
from inductor_lab.eject.eager.masks import all_of
from inductor_lab.eject.eager.parts import written
from inductor_lab.eject.eager.positions import position
from inductor_lab.eject.eager.printer import Printer
from inductor_lab.eject.eager.shapes import shaped
from inductor_lab.eject.eager.slices import aligned
from inductor_lab.eject.eager.torch_values import Value, call, changed, literal, method, tuple_of
from inductor_lab.eject.eager.views import View
from inductor_lab.records import TensorType

ATOMIC = {"store": "", "atomic_add": "add", "atomic_max": "amax", "atomic_min": "amin", "atomic_xchg": ""}
"""An access -> how what it stores is put together with what is there."""


def added(
    printer: Printer, access: Access, stored: Expression, type_: TensorType, found: View, before: ast.expr
) -> ast.expr:
    """An atomic addition to addresses that are known: the sum over the dimensions that do not move the address."""
    walked = [slot.dim for slot in found.slots if slot.dim is not None]
    value = printer.value(stored)
    value = printer.tensor(value, type_.dtype)
    over = sorted(_executed(printer, access, stored) - set(walked))
    if over:
        value = printer.spread(value, over)
        which: ast.expr = (
            literal(over[0] - printer.rank) if len(over) == 1 else tuple_of([literal(d - printer.rank) for d in over])
        )
        node = method(value.node, "sum", which, keepdim=ast.Constant(True))
        value = changed(value, node, dims=value.dims - set(over), folded=tuple(over))
    value = printer.to(value, type_.dtype)
    if found.full:
        made = ast.BinOp(before, ast.Add(), shaped(printer, value, walked, type_, found))
        return renewed(printer, access.pointer, made)
    old = replace(aligned(printer, before, found), dtype=type_.dtype)
    total = Value(
        ast.BinOp(old.node, ast.Add(), value.node), old.dims | value.dims, max(old.rank, value.rank), type_.dtype, 9
    )
    return written(printer, access, before, type_, found, total, walked)


def scattered(
    printer: Printer,
    access: Access,
    stored: Expression,
    type_: TensorType,
    others: Sequence[Expression],
    before: ast.expr,
) -> ast.expr:
    """A store or an atomic operation where the data decides the address, or whether it happens."""
    accumulate = access.kind == "atomic_add"
    value = in_dtype(printer, printer.value(stored), type_.dtype)
    if not others and ATOMIC[access.kind] in {"", "add"}:
        found = places(printer, access.pointer, access.index)
        if found is not None:
            dims = value.dims | _executed(printer, access, stored) if accumulate else value.dims
            covered = frozenset[int]().union(*(v.dims for v in found))
            if dims - covered:
                found[0] = printer.spread(printer.tensor(found[0], "int64"), dims | covered)
            indices = tuple_of([printer.tensor(v, "int64").node for v in found])
            keywords = {"accumulate": ast.Constant(True)} if accumulate else {}
            made = method(before, "index_put", indices, value.node, **keywords)
            return renewed(printer, access.pointer, made)
    address = printer.tensor(position(printer, access.index), "int64")
    if accumulate or ATOMIC[access.kind]:
        address = printer.spread(address, _executed(printer, access, stored))
    printer.helpers.add("put")
    arguments = [address.node, value.node]
    options: dict[str, ast.expr] = {}
    if others:
        options["mask"] = all_of(printer, others).node
    if ATOMIC[access.kind]:
        options["how"] = ast.Constant(ATOMIC[access.kind])
    made = call("put", rowed(printer, before, type_), *arguments, **options)
    made = unrowed(printer, made, type_)
    return renewed(printer, access.pointer, made)


def _executed(printer: Printer, access: Access, stored: Expression) -> frozenset[int]:
    """The dimensions over which an atomic operation is repeated."""
    axes = stored.axes | frozenset(c.axis for c in access.index.coordinates())
    axes |= frozenset(axis for e in access.index.expressions() for axis in e.axes)
    axes |= access.mask.axes if access.mask is not None else frozenset()
    return printer.space.of_axes(axes)
