"""Scans and sorts: running totals, those that torch knows by name, and a helper that combines by the kernel's own function."""

from __future__ import annotations

import ast
from collections.abc import Sequence

from inductor_lab.computation.evaluation import Evaluation
from inductor_lab.computation.folds import running
from inductor_lab.computation.operators import function_name
from inductor_lab.computation.tree import Expression, Scan, Unknown
from inductor_lab.eject.eager.flattened import bare, flat, is_place, unflat
from inductor_lab.eject.eager.printer import Printer
from inductor_lab.eject.eager.torch_values import Value, call, changed, floating, literal, method, tuple_of
from inductor_lab.eject.refusal import NoReference

RUNNING = {"sum": "cumsum", "prod": "cumprod"}
WITH_PLACES = {"max": "cummax", "min": "cummin"}
"""Those of torch that give the places too."""


def scan(printer: Printer, node: Scan) -> Value:
    """A scan or a sort along the reduced axes, which stand last."""
    axes = frozenset(axis for axis in printer.space.numel if axis.startswith("r"))
    over = sorted(printer.space.of_axes(axes))
    values = [printer.spread(printer.tensor(printer.value(one), one.dtype), over) for one in node.inputs]
    dims = frozenset[int]().union(*(value.dims for value in values))
    values = [printer.spread(value, dims) for value in values]
    name = node.name
    value = values[node.part]
    if not over:
        return value
    reverse = name.endswith("_reversed")
    kind = name.removesuffix("_reversed")
    if kind.startswith("sort"):
        return _sorted(printer, node, values, over, descending="_descending" in name)
    row = flat(printer, values[0], over)
    row = method(row, "flip", literal(-1)) if reverse else row
    dtype = value.dtype
    if kind in RUNNING:
        made = method(row, RUNNING[kind], literal(-1))
        dtype = dtype if floating(dtype) else "int64"
    elif kind in WITH_PLACES and len(values) <= 2:
        both = method(row, WITH_PLACES[kind], literal(-1))
        made = ast.Attribute(both, "values" if node.part == 0 else "indices", ast.Load())
        dtype = dtype if node.part == 0 else "int64"
    else:
        function = _function(printer, kind)
        known = running(kind)
        if known in {"cummax", "cummin"} and is_place(printer, bare(node.inputs[1]), over):
            both = method(row, str(known), literal(-1))
            made = ast.Attribute(both, "values" if node.part == 0 else "indices", ast.Load())
            dtype = dtype if node.part == 0 else "int64"
        elif known == "logcumsumexp":
            made = method(row, "logcumsumexp", literal(-1))
        else:
            rows = [flat(printer, one, over) for one in values]
            rows = [method(one, "flip", literal(-1)) if reverse else one for one in rows]
            combine = _combining(printer, function, node, values)
            printer.helpers.add("scanned")
            made = ast.Subscript(call("scanned", combine, *rows), literal(node.part), ast.Load())
    made = method(made, "flip", literal(-1)) if reverse else made
    return Value(unflat(printer, made, over, long=True), dims, value.rank, dtype, value.weight + 3)


def _function(printer: Printer, kind: str) -> ast.FunctionDef:
    """The function that combines two elements, by what it is called without its number."""
    found = [f for name, f in printer.functions.items() if function_name(name) == kind]
    bodies = {ast.unparse(ast.Module(f.body, [])) for f in found}
    if len(bodies) != 1:
        raise NoReference(f"a scan that combines by `{kind}`, whose text is not there")
    return found[0]


def _combining(printer: Printer, function: ast.FunctionDef, node: Scan, values: Sequence[Value]) -> ast.expr:
    """The combining function as a lambda: its arguments are the results for what came before, then for what is next."""
    names = [argument.arg for argument in function.args.args]
    if len(names) != 2 * len(values):
        raise NoReference(f"`{function.name}` combines something else than what is scanned")
    reading = Evaluation()
    for name, given in zip(names, (*node.inputs, *node.inputs), strict=True):
        reading.names[name] = reading.make(Unknown, given.dtype, given.axes, name, ())
    results: tuple[Expression, ...] = ()
    for statement in function.body:
        match statement:
            case ast.Assign(targets=[ast.Name(id=target)], value=value):
                reading.names[target] = reading.of(value)
            case ast.Return(value=ast.Tuple(elts=elements)):
                results = tuple(reading.of(element) for element in elements)
            case ast.Return(value=ast.expr() as value):
                results = (reading.of(value),)
            case ast.Expr(value=ast.Constant()):
                pass
            case _:
                raise NoReference(f"`{function.name}` is more than an expression")
    short = (
        ["before", "next"] if len(values) == 1 else [f"{w}_{n}" for w in ("before", "next") for n in range(len(values))]
    )
    printer.parameters = {
        name: changed(value, ast.Name(told, ast.Load()), weight=1)
        for name, told, value in zip(names, short, (*values, *values), strict=True)
    }
    printer.kept.append(reading)
    try:
        made = [printer.value(result).node for result in results]
    finally:
        printer.parameters = {}
    arguments = ast.arguments([], [ast.arg(told) for told in short], None, [], [], None, [])
    return ast.Lambda(arguments, tuple_of(made))


def _sorted(printer: Printer, node: Scan, values: Sequence[Value], over: Sequence[int], *, descending: bool) -> Value:
    first = values[0]
    row = flat(printer, first, over)
    keywords = {"descending": ast.Constant(True)} if descending else {}
    dims = first.dims
    if node.part == 0:
        made: ast.expr = ast.Attribute(call("torch.sort", row, dim=literal(-1), **keywords), "values", ast.Load())
        return Value(unflat(printer, made, over, long=True), dims, first.rank, first.dtype, first.weight + 3)
    if "_unstable" in node.name:  # of equals any may come first: here the one that the network of the kernel puts there
        printer.helpers.add("network_argsort")
        made = call("network_argsort", row, **keywords)
    else:
        both = call("torch.sort", row, dim=literal(-1), stable=ast.Constant(True), **keywords)
        made = ast.Attribute(both, "indices", ast.Load())
    if not is_place(printer, bare(node.inputs[1]), over):
        made = method(flat(printer, values[1], over), "gather", literal(-1), made)
    return Value(unflat(printer, made, over, long=True), dims, first.rank, "int64", first.weight + 3)
