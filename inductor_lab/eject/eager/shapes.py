"""A value in the shape of the tensor that holds it."""

from __future__ import annotations

import ast
from collections.abc import Sequence

from inductor_lab.eject.eager.printer import Printer
from inductor_lab.eject.eager.torch_values import ALL, Value, changed, literal, method, permuted, subscript
from inductor_lab.eject.eager.views import View
from inductor_lab.eject.refusal import NoReference
from inductor_lab.records import TensorType
from inductor_lab.records.size import Size


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
        shape = [printer.extent(Size.of(size)) for size in type_.shape]
        own = range(printer.rank - value.rank, printer.rank)
        ones = [size == 1 for size in type_.shape]
        ordered = not found.reshaped and not back and list(walked) == sorted(walked) and value.dims == set(walked)
        if ordered and ones == [dim not in walked for dim in own]:
            return value.node  # the dimensions that it has of size 1 are the tensor's own
        if not found.reshaped and not walked and not shape:
            return node
        return method(node, "reshape", *(shape or [ast.Tuple([], ast.Load())]))
    return node
