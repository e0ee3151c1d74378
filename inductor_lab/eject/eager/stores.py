"""Stores and atomic operations: each gives its tensor a new content, told by its type, its mask and its address.

A store to all of a tensor is its value in the tensor's shape, one to a part is written in a copy, and where the data decides the address, or
whether it happens, it is an `index_put` or a helper that puts elements into the tensor's memory.
"""

from __future__ import annotations

import ast
from collections.abc import Sequence
from dataclasses import replace

from inductor_lab.computation.schedule import Access
from inductor_lab.computation.space import distinct
from inductor_lab.computation.tree import Expression
from inductor_lab.eject.eager.loads import all_of, as_memory, places, position, typed
from inductor_lab.eject.eager.printer import Printer
from inductor_lab.eject.eager.reductions import folded
from inductor_lab.eject.eager.torch_values import (
    ALL,
    Line,
    Value,
    broadcast,
    call,
    dtype_of,
    extents,
    in_dtype,
    literal,
    method,
    name,
    permuted,
    subscript,
    tensor,
    to,
    tuple_of,
)
from inductor_lab.eject.eager.views import View, aligned, cut, seen_by
from inductor_lab.eject.refusal import NoReference
from inductor_lab.records import TensorType
from inductor_lab.records.size import memory_order, product

ATOMIC = {"store": "", "atomic_add": "add", "atomic_max": "amax", "atomic_min": "amin", "atomic_xchg": ""}
"""An access -> how what it stores is put together with what is there."""


def store(printer: Printer, access: Access) -> None:
    """Print a store or an atomic operation, and keep what its tensor holds then."""
    type_, versions = typed(printer, access.pointer), printer.versions[access.pointer]
    if access.value is None:
        raise NoReference(f"what is stored in {access.pointer} is not told")
    ranges, others = printer.space.split(access.mask)
    if any(low >= high for low, high in ranges.values()):
        versions.append(versions[-1])
        return
    with printer.space.within(ranges):
        found = seen_by(printer, type_, access.index)
        if access.kind == "store" and found is not None:
            after = _placed(printer, access, access.value, found, others)
        elif access.kind == "atomic_add" and found is not None and not others:
            after = _added(printer, access, access.value, found)
        elif access.kind in ATOMIC:
            after = _scattered(printer, access, access.value, others)
        else:
            raise NoReference(f"eager PyTorch has no {access.kind}")
    versions.append(after)


def _placed(
    printer: Printer, access: Access, stored: Expression, found: View, others: Sequence[Expression]
) -> ast.expr:
    """A store at an affine address."""
    type_ = typed(printer, access.pointer)
    value = in_dtype(printer.value(stored), type_.dtype)
    if others:
        condition, old = all_of(printer, others), _old(printer, access, found)
        node = call("torch.where", condition.node, value.node, old.node)
        value = broadcast(node, [condition, value, old], type_.dtype)
    if found.full:
        return renewed(printer, access.pointer, shaped(printer, value, type_, found))
    return _written(printer, access, found, value)


def _added(printer: Printer, access: Access, stored: Expression, found: View) -> ast.expr:
    """An atomic addition to addresses that are known: the sum over the dimensions that do not move the address."""
    type_ = typed(printer, access.pointer)
    value = tensor(printer.value(stored), type_.dtype)
    over = sorted(_executed(printer, access, stored) - set(found.walked))
    if over:
        value = folded(printer, printer.spread(value, over), "sum", over, value.dtype)
    value = to(value, type_.dtype)
    if found.full:
        before = printer.versions[access.pointer][-1]
        return renewed(printer, access.pointer, ast.BinOp(before, ast.Add(), shaped(printer, value, type_, found)))
    old = _old(printer, access, found)
    total = broadcast(ast.BinOp(old.node, ast.Add(), value.node), [old, value], type_.dtype)
    return _written(printer, access, found, total)


def _old(printer: Printer, access: Access, found: View) -> Value:
    """What stands where something is stored."""
    before = aligned(printer, printer.versions[access.pointer][-1], found)
    return replace(before, dtype=typed(printer, access.pointer).dtype)


def _scattered(printer: Printer, access: Access, stored: Expression, others: Sequence[Expression]) -> ast.expr:
    """A store or an atomic operation where the data decides the address, or whether it happens."""
    type_, before, how = typed(printer, access.pointer), printer.versions[access.pointer][-1], ATOMIC[access.kind]
    value = in_dtype(printer.value(stored), type_.dtype)
    executed = _executed(printer, access, stored) if how else frozenset[int]()
    if not others and how in {"", "add"}:
        found = places(printer, access.pointer, access.index)
        if found is not None:
            dims = value.dims | executed
            covered = frozenset[int]().union(*(v.dims for v in found))
            if dims - covered:
                found[0] = printer.spread(tensor(found[0], "int64"), dims | covered)
            indices = tuple_of([tensor(v, "int64").node for v in found])
            keywords = {"accumulate": ast.Constant(True)} if how else {}
            made = method(before, "index_put", indices, value.node, **keywords)
            return renewed(printer, access.pointer, made)
    address = printer.spread(tensor(position(printer, access.index), "int64"), executed)
    printer.helpers.add("put")
    options: dict[str, ast.expr] = {"mask": all_of(printer, others).node} if others else {}
    options |= {"how": ast.Constant(how)} if how else {}
    made = call("put", as_memory(printer, before, type_), address.node, value.node, **options)
    return renewed(printer, access.pointer, from_memory(printer, made, type_))


def _executed(printer: Printer, access: Access, stored: Expression) -> frozenset[int]:
    """The dimensions over which an atomic operation is repeated."""
    axes = stored.axes | frozenset(c.axis for c in access.index.coordinates())
    axes |= frozenset(axis for e in access.index.expressions() for axis in e.axes)
    axes |= access.mask.axes if access.mask is not None else frozenset()
    return printer.space.of_axes(axes)


def _written(printer: Printer, access: Access, found: View, value: Value) -> ast.expr:
    """A part of a tensor, written in a copy of it."""
    target = _copy(printer, access)
    base, indices = cut(printer, target, found)
    if found.reshaped and isinstance(base, ast.Call):
        base = method(target, "view", *base.args)
    if found.reshaped and not any(isinstance(i, (ast.Constant, ast.Slice)) and i is not ALL for i in indices):
        place: ast.expr = ast.Subscript(base, ALL, ast.Load())
    else:
        place = subscript(base, indices)
        if place is base:
            place = ast.Subscript(base, ast.Constant(...), ast.Load())
    printer.lines.append(Line("", _arranged(printer, value, found), place))
    return target


def _copy(printer: Printer, access: Access) -> ast.expr:
    """The tensor that a part is written to: a copy of what was there, or an empty one where the kernel writes all of it."""
    type_, before = typed(printer, access.pointer), printer.versions[access.pointer][-1]
    copies = [line.target for line in printer.lines if line.copied]
    if isinstance(before, ast.Name) and before.id in copies and access.pointer not in printer.reread:
        return before
    known = isinstance(before, ast.Name) and before.id == printer.tensors[access.pointer].name
    if known and _all_written(printer, access.pointer, type_):
        shape = tuple_of(printer.extents(type_.shape))
        made = call("torch.empty", shape, dtype=dtype_of(type_.dtype), device=name("DEVICE"))
    else:
        made = method(before, "clone")
    return renewed(printer, access.pointer, made, copied=True)


def _all_written(printer: Printer, pointer: str, type_: TensorType) -> bool:
    """Whether the stores of this job together write every element."""
    stores = [access for access in printer.job.stores if access.pointer == pointer]
    if any(access.kind != "store" or printer.space.split(access.mask)[1] for access in stores):
        return False
    boxes = [box for access in stores if (box := printer.job.box(access)) is not None]
    numel = product(extents(type_.shape))
    every = len(boxes) == len(stores) and numel.is_number and distinct(boxes) == numel.number
    return every and memory_order(type_.shape, type_.stride) is not None


def shaped(printer: Printer, value: Value, type_: TensorType, found: View) -> ast.expr:
    """The value as the whole tensor, in its own shape."""
    walked = found.walked
    node = _arranged(printer, value, found)
    if found.reshaped or len(walked) != len(type_.shape):
        shape = printer.extents(type_.shape)
        own = range(printer.rank - value.rank, printer.rank)
        ones = [size == 1 for size in type_.shape]
        ordered = not found.reshaped and not found.back and walked == sorted(walked) and value.dims == set(walked)
        if ordered and ones == [dim not in walked for dim in own]:
            return value.node  # the dimensions that it has of size 1 are the tensor's own
        if not found.reshaped and not walked and not shape:
            return node
        return method(node, "reshape", *(shape or [ast.Tuple([], ast.Load())]))
    return node


def _arranged(printer: Printer, value: Value, found: View) -> ast.expr:
    """The value with exactly the dimensions that walk along the tensor, in the tensor's order."""
    walked = found.walked
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
    return method(node, "flip", *map(literal, found.back)) if found.back else node


def _unkept(value: Value, dropped: Sequence[int]) -> ast.expr | None:
    """`x.sum(-1)` of `x.sum(-1, keepdim=True)` where just that dimension goes."""
    match value.node:
        case ast.Call(func=function, args=arguments, keywords=[*others, ast.keyword(arg="keepdim")]) if (
            value.folded and sorted(value.folded) == sorted(dropped)
        ):
            return ast.Call(function, arguments, others)
    return None


def from_memory(printer: Printer, made: ast.expr, type_: TensorType) -> ast.expr:
    """A row of memory as the tensor that lies in it."""
    shape = printer.extents(type_.shape)
    order = memory_order(type_.shape, type_.stride)
    if order is None:
        return method(made, "as_strided", tuple_of(shape), tuple_of(printer.extents(type_.stride)))
    if len(shape) == 1:
        return made
    if order == sorted(order):
        return method(made, "reshape", *(shape or [ast.Tuple([], ast.Load())]))
    rest = [n for n in range(len(shape)) if n not in order]
    widest_first = [*rest, *order]
    made = method(made, "reshape", *(shape[n] for n in widest_first))
    return permuted(made, [widest_first.index(n) for n in range(len(shape))])


def renewed(printer: Printer, pointer: str, made: ast.expr, *, copied: bool = False) -> ast.expr:
    """A variable for what a tensor holds from now on."""
    fresh = printer.fresh(printer.tensors[pointer].name + "_new")
    printer.lines.append(Line(fresh, made, copied=copied))
    return name(fresh)
