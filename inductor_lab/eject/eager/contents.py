"""What a tensor holds just now: in its own shape, and as the row of memory that it lies in."""

from __future__ import annotations

import ast
from dataclasses import replace

from inductor_lab.computation.tree import Load
from inductor_lab.eject.eager.lines import Line
from inductor_lab.eject.eager.printer import Printer
from inductor_lab.eject.eager.torch_values import (
    WIDE_UNSIGNED,
    Value,
    call,
    method,
    name,
    permuted,
    storage_dtype,
    tuple_of,
)
from inductor_lab.eject.refusal import NoReference
from inductor_lab.records import TensorType
from inductor_lab.records.size import ONE, Size


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
    type_ = printer.tensors[pointer].type
    if type_ is None:
        raise NoReference(f"the shape of {pointer} is not told")
    return type_


def loaded(printer: Printer, node: Load, made: Value) -> Value:
    """A loaded value in a dtype that torch computes in."""
    return (
        printer.to(replace(made, dtype=node.dtype), storage_dtype(node.dtype)) if node.dtype in WIDE_UNSIGNED else made
    )


def renewed(printer: Printer, pointer: str, made: ast.expr, *, copied: bool = False) -> ast.expr:
    """A variable for what a tensor holds from now on."""
    fresh = printer.fresh(printer.tensors[pointer].name + "_new")
    printer.lines.append(Line(fresh, made, copied=copied))
    return name(fresh)


def row(printer: Printer, pointer: str, version: int) -> ast.expr:
    """A tensor as it lies in memory: one row."""
    type_ = typed(printer, pointer)
    base = content(printer, pointer, version)
    return rowed(printer, base, type_)


def rowed(printer: Printer, base: ast.expr, type_: TensorType) -> ast.expr:
    """A content of a tensor as one row."""
    order = dense(type_)
    if order is None:
        printer.helpers.add("memory")
        strides = tuple_of([printer.extent(Size.of(step)) for step in type_.stride])
        return call("memory", base, strides)
    if len(type_.shape) == 1:
        return base
    if order != sorted(order):
        rest = [n for n in range(len(type_.shape)) if n not in order]
        base = permuted(base, [*rest, *order])
    return method(base, "flatten")


def unrowed(printer: Printer, made: ast.expr, type_: TensorType) -> ast.expr:
    """A row of memory as the tensor that lies in it."""
    shape = [printer.extent(Size.of(size)) for size in type_.shape]
    order = dense(type_)
    if order is None:
        strides = [printer.extent(Size.of(step)) for step in type_.stride]
        return method(made, "as_strided", tuple_of(shape), tuple_of(strides))
    if len(shape) == 1:
        return made
    if order == sorted(order):
        return method(made, "reshape", *(shape or [ast.Tuple([], ast.Load())]))
    rest = [n for n in range(len(shape)) if n not in order]
    places_ = [*rest, *order]
    made = method(made, "reshape", *(shape[n] for n in places_))
    return permuted(made, [places_.index(n) for n in range(len(shape))])


def dense(type_: TensorType) -> list[int] | None:
    """The dimensions by their strides, the widest first, where together they fill their memory without a gap."""
    shape = [Size.of(size) for size in type_.shape]
    stride = [Size.of(step) for step in type_.stride]
    places = [n for n, size in enumerate(shape) if not size.is_one]
    order: list[int] = []
    expected = ONE
    left = set(places)
    while left:
        found = next((n for n in sorted(left, reverse=True) if stride[n] == expected), None)
        if found is None:
            return None
        order.append(found)
        left.remove(found)
        expected *= shape[found]
    return order[::-1]
