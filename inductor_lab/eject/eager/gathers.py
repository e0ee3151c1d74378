"""Loads whose address the data decides: by the tensor's own dimensions where that is sure, else by the place in memory."""

from __future__ import annotations

import ast
from collections.abc import Sequence

from inductor_lab.computation.addresses import index_of
from inductor_lab.computation.idioms import wrapped
from inductor_lab.computation.index import Index
from inductor_lab.computation.tree import Constant, Expression, Load
from inductor_lab.eject.eager.contents import content, loaded, row, typed
from inductor_lab.eject.eager.masks import all_of
from inductor_lab.eject.eager.positions import arange, position, summed
from inductor_lab.eject.eager.printer import Printer
from inductor_lab.eject.eager.torch_values import Value, call, changed, literal, method, subscript
from inductor_lab.eject.refusal import NoReference
from inductor_lab.records import TensorType
from inductor_lab.records.size import ONE, Size


def gathered(printer: Printer, node: Load, conditions: Sequence[Expression]) -> Value:
    """A load by its address in memory, where a mask holds."""
    if node.index is None:
        raise NoReference(f"{node.pointer} is read through a block pointer")
    if not conditions and (found := indexed(printer, node)) is not None:
        return found
    address = position(printer, node.index)
    memory = row(printer, node.pointer, node.version)
    if not conditions:
        made = Value(
            subscript(memory, [address.node]), address.dims, max(address.rank, 0), node.dtype, address.weight + 2
        )
        return loaded(printer, node, made)
    condition = all_of(printer, conditions)
    other = printer.value(node.other) if node.other is not None else None
    values = [address, condition, *([other] if other else [])]
    dims = frozenset[int]().union(*(value.dims for value in values))
    rank = max(0, *(value.rank for value in values))
    printer.helpers.add("at")
    arguments = [printer.tensor(address, "int64").node, condition.node]
    if other is not None and not (isinstance(node.other, Constant) and node.other.value == 0):
        arguments.append(other.node)
    made = Value(call("at", memory, *arguments), dims, rank, node.dtype, sum(v.weight for v in values) + 2)
    return loaded(printer, node, made)


def indexed(printer: Printer, node: Load) -> Value | None:
    """`table[ids]`: a load whose address the data decides, by the tensor's own dimensions."""
    if node.index is None:
        return None
    found = places(printer, node.pointer, node.index)
    if found is None:
        return None
    base = content(printer, node.pointer, node.version)
    dims = frozenset[int]().union(*(value.dims for value in found))
    rank = max(0, *(value.rank for value in found))
    kept = _walked(printer, typed(printer, node.pointer), found, rank)
    index = [value.node for value in kept]
    made = ast.Subscript(base, index[0] if len(index) == 1 else ast.Tuple(index, ast.Load()), ast.Load())
    return loaded(printer, node, Value(made, dims, rank, node.dtype, sum(value.weight for value in kept) + 2))


def _walked(printer: Printer, type_: TensorType, found: Sequence[Value], rank: int) -> list[Value]:
    """The places without the last ones, where those walk along all of their dimension as the space does."""
    kept = list(found)
    trailing = 0
    while len(kept) > 1 and trailing < rank:
        dim = printer.rank - 1 - trailing
        last = kept[-1]
        if (
            last.dims != {dim}
            or last.node is not arange(printer, dim).node
            or printer.count(dim) != Size.of(type_.shape[len(kept) - 1])
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
    shape = [Size.of(size) for size in type_.shape]
    stride = [Size.of(step) for step in type_.stride]
    if index.constant or any(step.number == 0 for step in stride) or not index.expressions():
        return None
    outer = max((n for n, size in enumerate(shape) if not size.is_one), key=lambda n: stride[n].order, default=None)
    parts: list[list[tuple[Value, Size]]] = [[] for _ in shape]
    for term in index.terms:
        factor = Size.of("*".join(("1", *(f"({size})" for size in term.sizes))), printer.bound) * Size(term.factor)
        if isinstance(term.of, Expression):
            at = next((n for n, step in enumerate(stride) if step == factor and not shape[n].is_one), None)
            if at is None or parts[at]:
                return None
            inner = _from_the_end(term.of, shape[at])
            if inner is None and at != outer:
                return None
            value = printer.value(inner if inner is not None else term.of)
            parts[at].append((value if value.dtype in {"int64", "int"} else printer.to(value, "int64"), ONE))
            continue
        digits = None if term.of is None else printer.space.digits(term.of)
        if digits is None:
            return None
        for dim, weight in digits:
            fitting = _dimension(shape, stride, factor * weight, printer.space.dims[dim].size)
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
