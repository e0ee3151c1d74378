"""Stores: each gives its tensor a new content, told by its type, its mask and its address."""

from __future__ import annotations

import ast
from collections.abc import Sequence
from dataclasses import replace

from inductor_lab.computation.schedule import Access
from inductor_lab.computation.tree import Expression
from inductor_lab.eject.eager.casts import in_dtype
from inductor_lab.eject.eager.contents import renewed, typed
from inductor_lab.eject.eager.masks import all_of, split, within
from inductor_lab.eject.eager.parts import written
from inductor_lab.eject.eager.printer import Printer
from inductor_lab.eject.eager.scatters import ATOMIC, added, scattered
from inductor_lab.eject.eager.shapes import shaped
from inductor_lab.eject.eager.slices import aligned, seen_by
from inductor_lab.eject.eager.torch_values import Value, call
from inductor_lab.eject.eager.views import View
from inductor_lab.eject.refusal import NoReference
from inductor_lab.records import TensorType


def store(printer: Printer, access: Access) -> None:
    """Print a store or an atomic operation, and keep what its tensor holds then."""
    type_ = typed(printer, access.pointer)
    kind = access.kind
    if access.value is None:
        raise NoReference(f"what is stored in {access.pointer} is not told")
    before = printer.versions[access.pointer][-1]
    ranges, others = split(printer, access.mask)
    if any(low >= high for low, high in ranges.values()):
        printer.versions[access.pointer].append(before)
        return
    stored = access.value
    with within(printer, ranges):
        found = seen_by(printer, type_, access.index)
        if kind == "store" and found is not None:
            after = _placed(printer, access, stored, type_, found, others, before)
        elif kind == "atomic_add" and found is not None and not others:
            after = added(printer, access, stored, type_, found, before)
        elif kind in ATOMIC:
            after = scattered(printer, access, stored, type_, others, before)
        else:
            raise NoReference(f"eager PyTorch has no {kind}")
    printer.versions[access.pointer].append(after)


def _placed(
    printer: Printer, access: Access, stored: Expression, type_: TensorType, found: View, others: Sequence[Expression], before: ast.expr
) -> ast.expr:  # fmt: skip
    """A store at an affine address."""
    value = in_dtype(printer, printer.value(stored), type_.dtype)
    walked = [slot.dim for slot in found.slots if slot.dim is not None]
    if others:
        condition = all_of(printer, others)
        old = replace(aligned(printer, before, found), dtype=type_.dtype)
        node = call("torch.where", condition.node, value.node, old.node)
        value = Value(
            node, condition.dims | value.dims | old.dims, max(condition.rank, value.rank, old.rank), type_.dtype, 9
        )
    if found.full:
        made = shaped(printer, value, walked, type_, found)
        return renewed(printer, access.pointer, made)
    return written(printer, access, before, type_, found, value, walked)
