"""Reductions, scans and sorts.

Folded dimensions are kept with size 1, so that what they came to broadcasts. torch searches, scans and sorts along one dimension: what a kernel
does that along is made its last one. Scans that torch has no name for are a helper's, which combines by the kernel's own function.
"""

from __future__ import annotations

import ast
from collections.abc import Callable, Sequence
from dataclasses import replace

from inductor_lab.computation.folds import RUNNING, Partial, running
from inductor_lab.computation.idioms import number
from inductor_lab.computation.tree import (
    Constant,
    Expression,
    Load,
    Position,
    Reduction,
    Scan,
)
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
    tensor,
    to,
    tuple_of,
)
from inductor_lab.eject.printing.combining import Combination, combination, combining_function
from inductor_lab.eject.printing.nouns import bare
from inductor_lab.eject.refusal import NoReference, UnprintableError

SIMPLE = {"sum": "sum", "prod": "prod", "max": "amax", "min": "amin", "any": "any"}
"""A fold -> the method of torch that it is."""
ONE_AT_A_TIME = {"prod"}
"""Reductions of torch that take one dimension."""
WITH_PLACES = {"cummax", "cummin"}
"""Scans of torch that give the places too."""


def reduction(printer: Printer, node: Reduction | Partial) -> Value:
    """One result of a reduction."""
    if isinstance(node, Partial):
        raise NoReference("a tile that a loop has folded lane by lane is used before it is folded whole")
    over = sorted(printer.space.folded(node))
    values = [printer.spread(tensor(printer.value(one), one.dtype), over) for one in node.inputs]
    if node.name in SIMPLE:
        return folded(printer, values[0], node.name, over, node.dtype)
    if node.name not in OTHERS:
        raise NoReference(f"eager PyTorch has no reduction by `{node.name}`")
    return OTHERS[node.name](printer, node, values, over)


def folded(printer: Printer, value: Value, name: str, over: Sequence[int], dtype: str) -> Value:
    """A simple reduction, its dimensions kept with size 1."""
    if not over:
        return to(value, storage_dtype(dtype)) if name != "any" else to(value, "bool")
    if name in ONE_AT_A_TIME:
        node = value.node
        for dim in over:
            node = method(node, SIMPLE[name], literal(dim - printer.rank), keepdim=ast.Constant(True))
        found = _kept(value, node, over)
    else:
        found = _along(printer, value, value.node, SIMPLE[name], over)
    whole = name in {"sum", "prod"} and not floating(value.dtype)
    return replace(found, dtype="bool" if name == "any" else "int64" if whole else value.dtype)


def _arg(printer: Printer, node: Reduction, values: Sequence[Value], over: Sequence[int]) -> Value:
    value = values[0]
    if node.part == "value":
        return folded(printer, value, {"argmax": "max", "argmin": "min"}[node.name], over, node.dtype)
    if not over:
        return Value(literal(0), frozenset(), -1, "int")
    place = method(flat(printer, value, over), node.name, literal(-1), keepdim=ast.Constant(True))
    if len(values) == 1 or is_place(printer, node.inputs[1], over):
        found = _kept(value, unflat(printer, place, over, long=False), over)
        return replace(found, dtype="int64", folded=tuple(over) if len(over) == 1 else ())
    index = flat(printer, printer.spread(values[1], value.dims), over)
    taken = method(index, "gather", literal(-1), place)
    return _kept(value, unflat(printer, taken, over, long=False), over)


def _largest_number(printer: Printer, node: Reduction, values: Sequence[Value], over: Sequence[int]) -> Value:
    (value,) = values
    number_ = changed(value, filled("torch.where({0}.isnan(), -math.inf, {0})", value.node))
    return folded(printer, number_, "max", over, node.dtype)


def _parity(printer: Printer, _: Reduction, values: Sequence[Value], over: Sequence[int]) -> Value:
    printer.helpers.add("xor_sum")
    (value,) = values
    for dim in over:
        value = _kept(value, call("xor_sum", value.node, literal(dim - printer.rank)), [dim])
    return value


def _welford(printer: Printer, node: Reduction, values: Sequence[Value], over: Sequence[int]) -> Value:
    """The mean, the squared deviations or the count: of elements, or of parts that have them already."""
    if [number(one) if isinstance(one, Constant) else None for one in node.inputs[1:]] == [0, 1]:
        node, values = replace(node, inputs=node.inputs[:1]), values[:1]
    if len(values) > 1:
        return _welford_of_parts(printer, node, values, over)
    (value,) = values
    if not over:
        zero = filled("{0} - {0}", value.node)
        return changed(value, {"mean": value.node, "m2": zero, "weight": filled("{0} + 1", zero)}[node.part])
    if node.part == "mean":
        return _along(printer, value, value.node, "mean", over)
    if node.part == "weight":
        return _along(printer, value, call("torch.ones_like", value.node), "sum", over)
    mean = printer.value(_part(printer, node, "mean"))
    return _along(printer, value, method(filled("{0} - {1}", value.node, mean.node), "square"), "sum", over)


def _welford_of_parts(printer: Printer, node: Reduction, values: Sequence[Value], over: Sequence[int]) -> Value:
    means, m2s, weights = values
    if not over:
        return {"mean": means, "m2": m2s, "weight": weights}[node.part]
    if node.part == "weight":
        return _along(printer, weights, weights.node, "sum", over)
    weight = printer.value(_part(printer, node, "weight"))
    if node.part == "mean":
        total = _along(printer, means, filled("{0} * {1}", means.node, weights.node), "sum", over)
        form = "{0} / {1}" if isinstance(bare(node.inputs[2]), Load) else "torch.where({1} == 0, 0.0, {0} / {1})"
        return _kept(means, filled(form, total.node, weight.node), over)
    mean = printer.value(_part(printer, node, "mean"))
    deviations = filled("{0} * ({1} - {2}) ** 2", weights.node, means.node, mean.node)
    if number(node.inputs[1]) != 0:
        deviations = filled("{0} + {1}", m2s.node, deviations)
    return _along(printer, m2s, deviations, "sum", over)


def _part(printer: Printer, node: Reduction, part: str) -> Reduction:
    """Another result of the same reduction, the very node where the kernel has it."""
    key = (node.name, part, tuple(map(id, node.inputs)))
    return printer.siblings.setdefault(key, replace(node, part=part))


def _softmax(printer: Printer, node: Reduction, values: Sequence[Value], over: Sequence[int]) -> Value:
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
    return _along(printer, largest, power, "sum", over)


def _kept(value: Value, node: ast.expr, over: Sequence[int]) -> Value:
    return changed(value, node, dims=value.dims - set(over), weight=value.weight + 3, folded=tuple(over))


def _along(printer: Printer, value: Value, node: ast.expr, by: str, over: Sequence[int]) -> Value:
    """What a method of torch makes along the folded dimensions, of a text that has the dimensions of a value."""
    places = [literal(dim - printer.rank) for dim in over]
    along = places[0] if len(places) == 1 else tuple_of(places)
    return _kept(value, method(node, by, along, keepdim=ast.Constant(True)), over)


OTHERS: dict[str, Callable[[Printer, Reduction, Sequence[Value], Sequence[int]], Value]] = {
    "fmax": _largest_number, "argmax": _arg, "argmin": _arg, "welford": _welford, "online_softmax": _softmax, "xor": _parity,
}  # fmt: skip
"""Reductions that are more than a method of torch."""


def scan(printer: Printer, node: Scan) -> Value:
    """A scan or a sort along the reduced axes, which stand last."""
    axes = frozenset(axis for axis in printer.space.axes if axis.startswith("r"))
    over = sorted(printer.space.of_axes(axes))
    values = [printer.spread(tensor(printer.value(one), one.dtype), over) for one in node.inputs]
    dims = frozenset[int]().union(*(value.dims for value in values))
    values = [printer.spread(value, dims) for value in values]
    if not over:
        return values[node.part]
    rows = [flat(printer, one, over) for one in values]
    if node.name.startswith("sort"):
        value, (made, dtype) = values[0], _sorted(printer, node, values[0].dtype, rows, over)
    else:
        value = values[node.part]
        made, dtype = _scanned(printer, node, values, rows, over)
    return Value(unflat(printer, made, over, long=True), value.dims, value.rank, dtype, value.weight + 3)


def _scanned(
    printer: Printer, node: Scan, values: Sequence[Value], rows: Sequence[ast.expr], over: Sequence[int]
) -> tuple[ast.expr, str]:
    """A scan of rows, and its dtype."""
    reverse = node.name.endswith("_reversed")
    kind = node.name.removesuffix("_reversed")
    rows = [method(one, "flip", literal(-1)) for one in rows] if reverse else rows
    try:
        by = _running(printer, node, kind, over)
    except UnprintableError as reason:
        raise NoReference(str(reason)) from reason
    dtype = values[node.part].dtype
    if isinstance(by, Combination):
        printer.helpers.add("scanned")
        every = call("scanned", _combining(printer, by, values), *rows)
        made: ast.expr = ast.Subscript(every, literal(node.part), ast.Load())
    elif by in WITH_PLACES:
        made = ast.Attribute(method(rows[0], by, literal(-1)), ("values", "indices")[node.part], ast.Load())
        dtype = "int64" if node.part else dtype
    else:
        made = method(rows[0], by, literal(-1))
        dtype = "int64" if kind in {"sum", "prod"} and not floating(dtype) else dtype
    return (method(made, "flip", literal(-1)) if reverse else made), dtype


def _running(printer: Printer, node: Scan, kind: str, over: Sequence[int]) -> str | Combination:
    """The method of torch that a scan is; what it combines by where torch has no name for it."""
    if kind in {"sum", "prod"} or (kind in {"max", "min"} and len(node.inputs) <= 2):
        return RUNNING[kind]
    function = combining_function(kind, printer.functions)
    known = running(kind)
    places = known in WITH_PLACES and is_place(printer, node.inputs[1], over)
    return known if places or known == "logcumsumexp" else combination(function, node.inputs)


def _combining(printer: Printer, combined: Combination, values: Sequence[Value]) -> ast.expr:
    """The combining function as a lambda: its arguments are the results for what came before, then for what is next."""
    short = (
        ["before", "next"] if len(values) == 1 else [f"{w}_{n}" for w in ("before", "next") for n in range(len(values))]
    )
    printer.parameters = {
        name: changed(value, ast.Name(told, ast.Load()), weight=1)
        for name, told, value in zip(combined.arguments, short, (*values, *values), strict=True)
    }
    printer.kept.append(combined)
    try:
        made = [printer.value(result).node for result in combined.results]
    finally:
        printer.parameters = {}
    arguments = ast.arguments([], [ast.arg(told) for told in short], None, [], [], None, [])
    return ast.Lambda(arguments, tuple_of(made))


def _sorted(
    printer: Printer, node: Scan, dtype: str, rows: Sequence[ast.expr], over: Sequence[int]
) -> tuple[ast.expr, str]:
    """The rows sorted, or what is sorted along with them; and its dtype."""
    keywords = {"descending": ast.Constant(True)} if "_descending" in node.name else {}
    if node.part == 0:
        return ast.Attribute(call("torch.sort", rows[0], dim=literal(-1), **keywords), "values", ast.Load()), dtype
    if "_unstable" in node.name:  # of equals any may come first: here the one that the network of the kernel puts there
        printer.helpers.add("network_argsort")
        made = call("network_argsort", rows[0], **keywords)
    else:
        both = call("torch.sort", rows[0], dim=literal(-1), stable=ast.Constant(True), **keywords)
        made = ast.Attribute(both, "indices", ast.Load())
    if not is_place(printer, node.inputs[1], over):
        made = method(rows[1], "gather", literal(-1), made)
    return made, "int64"


def flat(printer: Printer, value: Value, over: Sequence[int]) -> ast.expr:
    """The folded dimensions as one, the last."""
    if len(over) == 1 and over[0] == printer.rank - 1:
        return value.node
    if list(over) != list(range(printer.rank - len(over), printer.rank)):
        raise NoReference("it folds along axes that are not the innermost")
    return method(value.node, "flatten", literal(-len(over)))


def unflat(printer: Printer, node: ast.expr, over: Sequence[int], *, long: bool) -> ast.expr:
    """Back to the dimensions of the space, one element along each or all."""
    if len(over) == 1:
        return node
    sizes = [printer.size_of(dim) if long else ast.Constant(1) for dim in over]
    return method(node, "unflatten", literal(-1), tuple_of(sizes))


def is_place(printer: Printer, given: Expression, over: Sequence[int]) -> bool:
    """Whether a value is the place along the folded dimensions."""
    given = bare(given)
    only = given.index.only() if isinstance(given, Position) else None
    digits = printer.space.digits(only) if only is not None else None
    return digits is not None and [dim for dim, _ in digits] == list(over)
