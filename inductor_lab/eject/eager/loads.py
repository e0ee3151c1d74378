"""Loads: views where the address is affine, paddings where a mask bounds a dimension, by place anywhere else.

A place along a dimension is a range, a coordinate a sum of digits, an address a sum of products (`position`). Where the data decides the
address, the tensor is indexed by its own dimensions if that is sure, `table[ids]`, else by the place in memory.
"""

from __future__ import annotations

import ast
from collections.abc import Mapping, Sequence
from dataclasses import replace

from inductor_lab.computation.folds import narrowing
from inductor_lab.computation.idioms import number, wrapped
from inductor_lab.computation.index import Coordinate, Index
from inductor_lab.computation.tree import Constant, Expression, Load, index_of
from inductor_lab.eject.eager.printer import Printer, Range
from inductor_lab.eject.eager.torch_values import (
    ALL,
    NEW,
    Value,
    broadcast,
    call,
    changed,
    extents,
    literal,
    method,
    name,
    permuted,
    storage_dtype,
    subscript,
    tensor,
    to,
    tuple_of,
)
from inductor_lab.eject.eager.views import aligned, seen_by
from inductor_lab.eject.refusal import NoReference
from inductor_lab.records import TensorType
from inductor_lab.records.size import ONE, Size, memory_order


def all_of(printer: Printer, conditions: Sequence[Expression]) -> Value:
    """Conditions together, as a tensor."""
    total = tensor(printer.value(conditions[0]), "bool")
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
            value = to(value, "int64")
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
    part = printer.space.ranges.get(dim)
    key = -1 - dim, ((dim, *part),) if part else ()
    if key not in printer.done:
        first = [literal(part[0])] if part and part[0] else []
        bounds = [*first, literal(part[1]) if part else printer.size_of(dim)]
        after = printer.rank - 1 - dim
        node = call("torch.arange", *bounds, device=name("DEVICE"))
        if after:
            node = subscript(node, [ALL, *[NEW] * after])
        made = Value(node, frozenset({dim}), after + 1, "int64", 4)
        printer.done[key] = printer.variable(_place(printer, dim), made)
    return printer.done[key]


def _place(printer: Printer, dim: int) -> str:
    """The body's own name of a coordinate."""
    names = (n for n, of in printer.job.coordinates.items() if printer.space.digits(of) == [(dim, ONE)])
    return next(names, f"{printer.space.dims[dim].axis.rstrip('_')}_place")


def load(printer: Printer, node: Load) -> Value:
    """A load as a view, padded where its mask ends; by the place of each element where it is none."""
    if node.index is None:
        raise NoReference(f"{node.pointer} is read through a block pointer")
    ranges, others = printer.space.split(node.mask)
    if any(low >= high for low, high in ranges.values()):
        return _other(printer, node)
    filler = 0 if node.other is None else number(node.other)
    if not others and (not ranges or filler is not None):
        with printer.space.within(ranges):
            inner = viewed(printer, node, node.index)
            inner = printer.spread(inner, ranges) if inner is not None else None
        if inner is not None:
            return padded(printer, inner, ranges, filler or 0) if ranges else inner
    return gathered(printer, node, node.index, narrowing(node.mask) if ranges or others else [])


def _other(printer: Printer, node: Load) -> Value:
    """What masked elements hold."""
    if node.other is not None:
        return printer.value(node.other)
    kind = "float" if "float" in node.dtype else "int"
    return Value(literal(0.0 if kind == "float" else 0), frozenset(), -1, kind)


def viewed(printer: Printer, node: Load, index: Index) -> Value | None:
    """An affine load as a view of its tensor."""
    found = seen_by(printer, typed(printer, node.pointer), index)
    if found is None:
        return None
    made = aligned(printer, content(printer, node.pointer, node.version), found)
    return loaded(node, replace(made, dtype=node.dtype))


def padded(printer: Printer, value: Value, ranges: Mapping[int, Range], other: float) -> Value:
    """The value of a part in the middle of what it is a part of."""
    first = min(ranges)
    pads: list[ast.expr] = []
    for dim in range(printer.rank - 1, first - 1, -1):
        low, high = printer.space.range_of(dim)
        inner = ranges.get(dim, (low, high))
        pads += [literal(inner[0] - low), literal(high - inner[1])]
    keywords = {"value": literal(other if "float" in value.dtype else int(other))} if other else {}
    node = call("torch.nn.functional.pad", value.node, tuple_of(pads), **keywords)
    return changed(value, node, weight=value.weight + 2 + len(pads))


def gathered(printer: Printer, node: Load, index: Index, conditions: Sequence[Expression]) -> Value:
    """A load by its address in memory, where a mask holds."""
    if not conditions and (found := indexed(printer, node, index)) is not None:
        return found
    address = position(printer, index)
    memory = memory_of(printer, node.pointer, node.version)
    if not conditions:
        return loaded(node, broadcast(subscript(memory, [address.node]), [address], node.dtype))
    condition = all_of(printer, conditions)
    other = printer.value(node.other) if node.other is not None else None
    values = [address, condition, *([other] if other else [])]
    printer.helpers.add("at")
    arguments = [tensor(address, "int64").node, condition.node]
    if other is not None and not (isinstance(node.other, Constant) and node.other.value == 0):
        arguments.append(other.node)
    return loaded(node, broadcast(call("at", memory, *arguments), values, node.dtype))


def indexed(printer: Printer, node: Load, address: Index) -> Value | None:
    """`table[ids]`: a load whose address the data decides, by the tensor's own dimensions."""
    found = places(printer, node.pointer, address)
    if found is None:
        return None
    base = content(printer, node.pointer, node.version)
    kept = _without_walked(printer, typed(printer, node.pointer), found)
    index = [value.node for value in kept]
    made = ast.Subscript(base, index[0] if len(index) == 1 else tuple_of(index), ast.Load())
    weight = sum(value.weight for value in kept) + 2
    return loaded(node, replace(broadcast(made, found, node.dtype), weight=weight))


def _without_walked(printer: Printer, type_: TensorType, found: Sequence[Value]) -> list[Value]:
    """The places without the last ones, where those walk along all of their dimension as the space does."""
    kept, rank = list(found), max(0, *(value.rank for value in found))
    trailing = 0
    while len(kept) > 1 and trailing < rank:
        dim = printer.rank - 1 - trailing
        last = kept[-1]
        if (
            last.dims != {dim}
            or last.node is not arange(printer, dim).node
            or printer.space.count(dim) != Size.of(type_.shape[len(kept) - 1])
        ):
            break
        if any(dim in value.dims for value in kept[:-1]):
            break
        kept.pop()
        trailing += 1
    return [_squeezed(value, trailing) for value in kept] if trailing else kept


def places(printer: Printer, pointer: str, index: Index) -> list[Value] | None:
    """An address as one place along each dimension of its tensor; None where it is not sure that each stays inside."""
    type_ = typed(printer, pointer)
    shape, stride = extents(type_.shape), extents(type_.stride)
    if index.constant or any(step.number == 0 for step in stride) or not index.expressions():
        return None
    outer = max((n for n, size in enumerate(shape) if not size.is_one), key=lambda n: stride[n].order, default=None)
    parts: list[list[tuple[Value, Size]]] = [[] for _ in shape]
    for term in index.terms:
        step = term.step(printer.bound)
        if isinstance(term.of, Expression):
            at = next((n for n, width in enumerate(stride) if width == step and not shape[n].is_one), None)
            if at is None or parts[at]:
                return None
            inner = _from_the_end(term.of, shape[at])
            if inner is None and at != outer:
                return None
            value = printer.value(inner if inner is not None else term.of)
            parts[at].append((value if value.dtype in {"int64", "int"} else to(value, "int64"), ONE))
            continue
        digits = None if term.of is None else printer.space.digits(term.of)
        if digits is None:
            return None
        for dim, weight in digits:
            fitting = _dimension(shape, stride, step * weight, printer.space.dims[dim].size)
            if fitting is None:
                return None
            at, scale = fitting
            parts[at].append((arange(printer, dim), scale))
    return [summed(printer, part, 0) for part in parts]


def _from_the_end(value: Expression, size: Size) -> Expression | None:
    """What a place is before it is wrapped round: one that counts from the end of so many where it is negative."""
    inner = wrapped(value)
    if inner is None:
        return None
    by = index_of(value.operands[1]).plus(index_of(inner).times(-1))
    return inner if by == Index(0) or (by.is_constant and Size(by.constant) == size) else None


def _dimension(shape: Sequence[Size], stride: Sequence[Size], step: Size, count: Size) -> tuple[int, Size] | None:
    """The dimension of a tensor along which so many steps of this width in memory go, and how wide they are along it."""
    fitting = [
        (n, scale)
        for n, width in enumerate(stride)
        if not shape[n].is_one and (scale := step.over(width)) is not None and shape[n].over(scale * count) is not None
    ]
    return max(fitting, key=lambda found: stride[found[0]].order, default=None)


def _squeezed(value: Value, trailing: int) -> Value:
    """The value without its last dimensions, along which it has one element."""
    if value.rank <= 0:
        return value
    if value.short is not None and value.short[0] == trailing:
        return changed(value, value.short[1], rank=value.rank - trailing)
    node = value.node
    if trailing >= value.rank:
        return changed(value, method(node, "reshape", ast.Tuple([], ast.Load())), rank=0)
    for _ in range(trailing):
        node = method(node, "squeeze", literal(-1))
    return changed(value, node, rank=value.rank - trailing)


def content(printer: Printer, pointer: str, version: int) -> ast.expr:
    """What a tensor holds after so many stores of the job."""
    versions = printer.versions[pointer]
    if version >= len(versions):
        raise NoReference(f"it reads {pointer} again after stores that are not told apart")
    return versions[version]


def typed(printer: Printer, pointer: str) -> TensorType:
    """The type of a tensor that the launch passes."""
    if pointer not in printer.tensors:
        raise NoReference(f"the launch does not pass {pointer}")
    return printer.tensors[pointer].told


def loaded(node: Load, made: Value) -> Value:
    """A loaded value in a dtype that torch computes in."""
    return to(made, storage_dtype(node.dtype))


def memory_of(printer: Printer, pointer: str, version: int) -> ast.expr:
    """A tensor as it lies in memory: one row."""
    type_ = typed(printer, pointer)
    return as_memory(printer, content(printer, pointer, version), type_)


def as_memory(printer: Printer, base: ast.expr, type_: TensorType) -> ast.expr:
    """A content of a tensor as one row."""
    order = memory_order(type_.shape, type_.stride)
    if order is None:
        printer.helpers.add("memory")
        return call("memory", base, tuple_of(printer.extents(type_.stride)))
    if len(type_.shape) == 1:
        return base
    if order != sorted(order):
        rest = [n for n in range(len(type_.shape)) if n not in order]
        base = permuted(base, [*rest, *order])
    return method(base, "flatten")
