"""Stores: each gives its tensor a new content, told by its type, its mask and its address."""

from __future__ import annotations

import ast
from collections.abc import Sequence
from dataclasses import replace

from inductor_lab.computation.footprint import distinct
from inductor_lab.computation.schedule import Access
from inductor_lab.computation.tree import Expression
from inductor_lab.eject.eager.loads import dense, places, renewed, rowed, typed, unrowed
from inductor_lab.eject.eager.positions import all_of, position, split, within
from inductor_lab.eject.eager.printer import Printer, in_dtype
from inductor_lab.eject.eager.space import Extent
from inductor_lab.eject.eager.torch_values import (
    ALL,
    Line,
    Value,
    call,
    changed,
    dtype_of,
    literal,
    method,
    name,
    permuted,
    subscript,
    tuple_of,
)
from inductor_lab.eject.eager.views import View, aligned, cut, seen_by
from inductor_lab.eject.refusal import NoReference
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


def written(
    printer: Printer, access: Access, before: ast.expr, type_: TensorType, found: View, value: Value, walked: list[int]
) -> ast.expr:
    """A part of a tensor, written in a copy of it."""
    target = _copy(printer, access, before, type_)
    base, _, indices = cut(printer, target, found)
    if found.reshaped and isinstance(base, ast.Call):
        base = method(target, "view", *base.args)
    back = [n for n, slot in enumerate(s for s in found.slots if s.dim is not None) if slot.back]
    arranged = arranged_as(printer, value, walked)
    if back:
        arranged = changed(arranged, method(arranged.node, "flip", *map(literal, back)))
    if found.reshaped and not any(isinstance(i, (ast.Constant, ast.Slice)) and i is not ALL for i in indices):
        place: ast.expr = ast.Subscript(base, ALL, ast.Load())
    else:
        place = subscript(base, indices)
        if place is base:
            place = ast.Subscript(base, ast.Constant(...), ast.Load())
    printer.lines.append(Line("", arranged.node, place))
    return target


def _copy(printer: Printer, access: Access, before: ast.expr, type_: TensorType) -> ast.expr:
    """The tensor that a part is written to: a copy of what was there, or an empty one where the kernel writes all of it."""
    copies = [line.target for line in printer.lines if line.copied]
    if isinstance(before, ast.Name) and before.id in copies and access.pointer not in printer.reread:
        return before
    known = isinstance(before, ast.Name) and before.id == printer.tensors[access.pointer].name
    if known and _all_written(printer, access.pointer, type_):
        shape = tuple_of([printer.extent(Extent.of(size)) for size in type_.shape])
        made = call("torch.empty", shape, dtype=dtype_of(type_.dtype), device=name("DEVICE"))
    else:
        made = method(before, "clone")
    return renewed(printer, access.pointer, made, copied=True)


def _all_written(printer: Printer, pointer: str, type_: TensorType) -> bool:
    """Whether the stores of this job together write every element."""
    boxes = []
    for access in printer.job.stores:
        if access.pointer != pointer:
            continue
        _, others = split(printer, access.mask)
        box = printer.job.box(access)
        if access.kind != "store" or others or box is None:
            return False
        boxes.append(box)
    sizes = [size for size in type_.shape if isinstance(size, int)]
    elements = 1
    for size in sizes:
        elements *= size
    return len(sizes) == len(type_.shape) and distinct(boxes) == elements and dense(type_) is not None


def arranged_as(printer: Printer, value: Value, walked: Sequence[int]) -> Value:
    """The value with exactly these dimensions, in this order."""
    order = sorted(walked)
    value = printer.spread(value, order)
    first = printer.rank - value.rank
    node = value.node
    own = list(range(first, printer.rank))
    dropped = [dim for dim in own if dim not in walked]
    if dropped:
        folded = _unkept(value, dropped)
        if folded is not None:
            node = folded
        elif any(dim in value.dims for dim in dropped):
            raise NoReference("several values are stored in one place")
        else:
            last = len([dim for dim in own if dim in walked and dim < min(dropped)])
            if last == len(order):
                node = subscript(node, [*[ALL] * last, *[literal(0)] * len(dropped)])
            else:
                node = subscript(node, [literal(0) if dim in dropped else ALL for dim in own])
    node = permuted(node, [order.index(dim) for dim in walked])
    return changed(value, node, rank=len(walked))


def _unkept(value: Value, dropped: Sequence[int]) -> ast.expr | None:
    """`x.sum(-1)` of `x.sum(-1, keepdim=True)` where just that dimension goes."""
    match value.node:
        case ast.Call(func=function, args=arguments, keywords=[*others, ast.keyword(arg="keepdim")]) if (
            value.folded and sorted(value.folded) == sorted(dropped)
        ):
            return ast.Call(function, arguments, others)
    return None


def shaped(printer: Printer, value: Value, walked: Sequence[int], type_: TensorType, found: View) -> ast.expr:
    """The value as the whole tensor, in its own shape."""
    back = [n for n, slot in enumerate(s for s in found.slots if s.dim is not None) if slot.back]
    arranged = arranged_as(printer, value, walked)
    node = arranged.node
    if back:
        node = method(node, "flip", *map(literal, back))
    if found.reshaped or len(walked) != len(type_.shape):
        shape = [printer.extent(Extent.of(size)) for size in type_.shape]
        own = range(printer.rank - value.rank, printer.rank)
        ones = [size == 1 for size in type_.shape]
        ordered = not found.reshaped and not back and list(walked) == sorted(walked) and value.dims == set(walked)
        if ordered and ones == [dim not in walked for dim in own]:
            return value.node  # the dimensions that it has of size 1 are the tensor's own
        if not found.reshaped and not walked and not shape:
            return node
        return method(node, "reshape", *(shape or [ast.Tuple([], ast.Load())]))
    return node


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
