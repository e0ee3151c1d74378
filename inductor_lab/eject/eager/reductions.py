"""Reductions: folded dimensions are kept with size 1, so that what they came to broadcasts."""

from __future__ import annotations

import ast
from collections.abc import Sequence
from dataclasses import replace

from inductor_lab.computation.folds import Partial
from inductor_lab.computation.idioms import number
from inductor_lab.computation.tree import Constant, Load, Reduction
from inductor_lab.eject.eager.flattened import bare, flat, is_place, unflat
from inductor_lab.eject.eager.printer import Printer
from inductor_lab.eject.eager.torch_values import (
    Value,
    call,
    changed,
    filled,
    floating,
    literal,
    method,
    storage_dtype,
    tuple_of,
)
from inductor_lab.eject.refusal import NoReference

SIMPLE = {"sum": "sum", "prod": "prod", "max": "amax", "min": "amin", "any": "any"}
ONE_AT_A_TIME = {"prod"}
"""Reductions of torch that take one dimension."""


def reduction(printer: Printer, node: Reduction | Partial) -> Value:
    """One result of a reduction."""
    if isinstance(node, Partial):
        raise NoReference("a tile that a loop has folded lane by lane is used before it is folded whole")
    over = sorted(printer.space.folded(node))
    values = [printer.spread(printer.tensor(printer.value(one), one.dtype), over) for one in node.inputs]
    if node.name == "fmax":
        values[0] = changed(values[0], filled("torch.where({0}.isnan(), -math.inf, {0})", values[0].node))
        return folded(printer, values[0], "max", over, node.dtype)
    if node.name in SIMPLE:
        return folded(printer, values[0], node.name, over, node.dtype)
    if node.name in {"argmax", "argmin"}:
        return _arg(printer, node, values, over)
    if node.name == "welford":
        return _welford(printer, node, values, over)
    if node.name == "online_softmax":
        return _softmax(printer, node, values, over)
    if node.name == "xor":
        printer.helpers.add("xor_sum")
        value = values[0]
        for dim in over:
            value = _kept(value, call("xor_sum", value.node, literal(dim - printer.rank)), [dim])
        return value
    raise NoReference(f"eager PyTorch has no reduction by `{node.name}`")


def folded(printer: Printer, value: Value, name: str, over: Sequence[int], dtype: str) -> Value:
    """A simple reduction, its dimensions kept with size 1."""
    if not over:
        return printer.to(value, storage_dtype(dtype)) if name != "any" else printer.to(value, "bool")
    keep = ast.Constant(True)
    if name in ONE_AT_A_TIME:
        node = value.node
        for dim in over:
            node = method(node, SIMPLE[name], literal(dim - printer.rank), keepdim=keep)
    else:
        node = method(value.node, SIMPLE[name], _along(printer, over), keepdim=keep)
    found = _kept(value, node, over)
    if name == "any":
        return replace(found, dtype="bool")
    if name in {"sum", "prod"} and not floating(value.dtype):
        return replace(found, dtype="int64")
    return found


def _arg(printer: Printer, node: Reduction, values: Sequence[Value], over: Sequence[int]) -> Value:
    value = values[0]
    if node.part == "value":
        return folded(printer, value, {"argmax": "max", "argmin": "min"}[node.name], over, node.dtype)
    if not over:
        return Value(literal(0), frozenset(), -1, "int")
    made = method(flat(printer, value, over), node.name, literal(-1), keepdim=ast.Constant(True))
    found = _kept(value, unflat(printer, made, over, long=False), over)
    found = replace(found, dtype="int64", folded=tuple(over) if len(over) == 1 else ())
    if len(values) == 1:
        return found
    if is_place(printer, bare(node.inputs[1]), over):
        return found
    index = flat(printer, printer.spread(values[1], value.dims), over)
    place = method(flat(printer, value, over), node.name, literal(-1), keepdim=ast.Constant(True))
    taken = method(index, "gather", literal(-1), place)
    return _kept(value, unflat(printer, taken, over, long=False), over)


def _welford(printer: Printer, node: Reduction, values: Sequence[Value], over: Sequence[int]) -> Value:
    along, keep = _along(printer, over) if over else tuple_of([]), {"keepdim": ast.Constant(True)}
    if len(values) == 1:
        value = values[0]
        if not over:
            zero = filled("{0} - {0}", value.node)
            made = {"mean": value.node, "m2": zero, "weight": filled("{0} + 1", zero)}[node.part]
            return changed(value, made)
        if node.part == "mean":
            return _kept(value, method(value.node, "mean", along, **keep), over)
        if node.part == "weight":
            return _kept(value, method(call("torch.ones_like", value.node), "sum", along, **keep), over)
        mean = printer.value(_part(printer, node, "mean"))
        squared = method(filled("{0} - {1}", value.node, mean.node), "square")
        return _kept(value, method(squared, "sum", along, **keep), over)
    if all(isinstance(one, Constant) for one in node.inputs[1:]) and [number(one) for one in node.inputs[1:]] == [0, 1]:
        return _welford(printer, replace(node, inputs=node.inputs[:1]), values[:1], over)
    means, m2s, weights = values
    if not over:
        return {"mean": means, "m2": m2s, "weight": weights}[node.part]
    if node.part == "weight":
        return _kept(weights, method(weights.node, "sum", along, **keep), over)
    weight = printer.value(_part(printer, node, "weight"))
    if node.part == "mean":
        total = method(filled("{0} * {1}", means.node, weights.node), "sum", along, **keep)
        form = "{0} / {1}" if isinstance(bare(node.inputs[2]), Load) else "torch.where({1} == 0, 0.0, {0} / {1})"
        return _kept(means, filled(form, total, weight.node), over)
    mean = printer.value(_part(printer, node, "mean"))
    apart = filled("{0} * ({1} - {2}) ** 2", weights.node, means.node, mean.node)
    if number(node.inputs[1]) != 0:
        apart = filled("{0} + {1}", m2s.node, apart)
    return _kept(m2s, method(apart, "sum", along, **keep), over)


def _part(printer: Printer, node: Reduction, part: str) -> Reduction:
    """Another result of the same reduction, the very node where the kernel has it."""
    key = (node.name, part, tuple(map(id, node.inputs)))
    return printer.siblings.setdefault(key, replace(node, part=part))


def _softmax(printer: Printer, node: Reduction, values: Sequence[Value], over: Sequence[int]) -> Value:
    keep = {"keepdim": ast.Constant(True)}
    largest = values[0]
    if node.part == "max":
        return folded(printer, largest, "max", over, node.dtype)
    highest = printer.value(_part(printer, node, "max"))
    printer.helpers.add("shifted_exp")
    power = call("shifted_exp", largest.node, highest.node)
    if len(values) > 1:
        power = filled("{0} * {1}", values[1].node, power)
    if not over:
        return changed(largest, power)
    return _kept(largest, method(power, "sum", _along(printer, over), **keep), over)


def _kept(value: Value, node: ast.expr, over: Sequence[int]) -> Value:
    return changed(value, node, dims=value.dims - set(over), weight=value.weight + 3, folded=tuple(over))


def _along(printer: Printer, over: Sequence[int]) -> ast.expr:
    places = [literal(dim - printer.rank) for dim in over]
    return places[0] if len(places) == 1 else tuple_of(places)
