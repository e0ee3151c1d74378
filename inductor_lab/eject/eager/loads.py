"""Loads: views where the address is affine, paddings where a mask bounds a dimension, by place anywhere else."""

from __future__ import annotations

import ast
from collections.abc import Mapping
from dataclasses import replace

from inductor_lab.computation.folds import narrowing
from inductor_lab.computation.idioms import number
from inductor_lab.computation.tree import Load
from inductor_lab.eject.eager.contents import content, loaded, typed
from inductor_lab.eject.eager.gathers import gathered, indexed
from inductor_lab.eject.eager.masks import Range, range_of, split, within
from inductor_lab.eject.eager.printer import Printer
from inductor_lab.eject.eager.slices import aligned, seen_by
from inductor_lab.eject.eager.torch_values import Value, call, changed, literal, tuple_of
from inductor_lab.eject.refusal import NoReference


def load(printer: Printer, node: Load) -> Value:
    """A load as a view, padded where its mask ends; by the place of each element where it is none."""
    ranges, others = split(printer, node.mask)
    if any(low >= high for low, high in ranges.values()):
        return _other(printer, node)
    if others:
        return gathered(printer, node, narrowing(node.mask))
    if not ranges:
        return viewed(printer, node) or indexed(printer, node) or gathered(printer, node, [])
    if node.other is not None and number(node.other) is None:
        return gathered(printer, node, narrowing(node.mask))
    with within(printer, ranges):
        inner = viewed(printer, node)
    if inner is None:
        return gathered(printer, node, narrowing(node.mask))
    with within(printer, ranges):
        inner = printer.spread(inner, ranges)
    return padded(printer, inner, ranges, number(node.other) if node.other is not None else 0)


def _other(printer: Printer, node: Load) -> Value:
    """What masked elements hold."""
    if node.other is not None:
        return printer.value(node.other)
    kind = "float" if "float" in node.dtype else "int"
    return Value(literal(0.0 if kind == "float" else 0), frozenset(), -1, kind)


def viewed(printer: Printer, node: Load) -> Value | None:
    """An affine load as a view of its tensor."""
    type_ = typed(printer, node.pointer)
    if node.index is None:
        raise NoReference(f"{node.pointer} is read through a block pointer")
    found = seen_by(printer, type_, node.index)
    if found is None:
        return None
    made = aligned(printer, content(printer, node.pointer, node.version), found)
    return loaded(printer, node, replace(made, dtype=node.dtype))


def padded(printer: Printer, value: Value, ranges: Mapping[int, Range], other: float | None) -> Value:
    """The value of a part in the middle of what it is a part of."""
    first = min(ranges)
    pads: list[ast.expr] = []
    for dim in range(printer.rank - 1, first - 1, -1):
        low, high = range_of(printer, dim)
        inner = ranges.get(dim, (low, high))
        pads += [literal(inner[0] - low), literal(high - inner[1])]
    keywords = {"value": literal(_as(other, value.dtype))} if other else {}
    node = call("torch.nn.functional.pad", value.node, tuple_of(pads), **keywords)
    return changed(value, node, weight=value.weight + 2 + len(pads))


def _as(other: float, dtype: str) -> int | float:
    return other if "float" in dtype else int(other)
