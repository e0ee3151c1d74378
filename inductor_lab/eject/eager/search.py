"""The search for each value among sorted boundaries."""

from __future__ import annotations

import ast

from inductor_lab.computation.tree import Constant, Load, Operation, Unknown, joined
from inductor_lab.eject.eager.contents import row as row_of
from inductor_lab.eject.eager.printer import Printer
from inductor_lab.eject.eager.torch_values import Value, call, changed, dtype_of, method, subscript, text
from inductor_lab.eject.refusal import NoReference
from inductor_lab.records.size import Size


def bucketize(printer: Printer, node: Operation) -> Value:
    """`torch.bucketize`, or a helper where the boundaries of one row after the other lie in one tensor."""
    if len(node.inputs) != 7 or not isinstance(node.inputs[1], Load):
        raise NoReference("it searches among boundaries that are not told")
    value, load, size, stride, start, right, sorter = node.inputs
    assert isinstance(load, Load)
    if not (isinstance(sorter, Unknown) and sorter.text == "None"):
        raise NoReference("it searches among boundaries in the order of another tensor")
    found = printer.tensor(printer.value(value), joined(value))
    row = row_of(printer, load.pointer, load.version)
    if load.dtype != found.dtype:
        row = method(row, "to", dtype_of(found.dtype))
    keywords = {"right": ast.Constant(True)} if isinstance(right, Constant) and right.value else {}
    type_ = printer.tensors[load.pointer].type
    one = isinstance(stride, Constant) and stride.value == 1 and isinstance(start, Constant) and start.value == 0
    length = printer.value(size)
    if one and type_ is not None:
        whole = len(type_.shape) == 1 and Size.of(type_.shape[0]) == (
            Size(int(size.value)) if isinstance(size, Constant) else Size.of(printer.bound.get(text(length.node), "?"))
        )
        row = row if whole else subscript(row, [ast.Slice(None, length.node, None)])
        made = call("torch.bucketize", found.node, row, **keywords)
        return changed(found, made, dtype="int64", weight=found.weight + 2)
    printer.helpers.add("bucket")
    first = printer.tensor(printer.value(start), "int64")
    made = call("bucket", found.node, row, first.node, printer.value(stride).node, length.node, **keywords)
    return Value(made, found.dims | first.dims, max(found.rank, first.rank), "int64", found.weight + first.weight + 3)
