"""How a kernel uses each of its pointers (`in`, `out`, `inout`), and the words for what it does (`load`, `mul`, `sum`).

An address may be kept in a variable, advanced, wrapped as a block pointer or a descriptor, or handed to another function of the same
source: all of that is followed. Templates and user-written kernels do it; what Inductor fuses itself names the parameter in the call.
"""

from __future__ import annotations

import ast
from collections.abc import Iterator, Mapping

from inductor_lab.computation.operators import OPERATORS, called
from inductor_lab.read.syntax import blocks, expressions, statements, walk

MADE_OF_ITS_FIRST_ARGUMENT = {"make_block_ptr", "advance", "make_tensor_descriptor", "multiple_of", "max_contiguous"}
"""Calls whose result points where their first argument does."""
BOTH_WAYS = {"exclusive_scan_decoupled_lookback", "exclusive_scan_decoupled_lookback_64", "x_grid_barrier"}
"""Helpers of Inductor's runtime that read and write the workspace or the semaphores that they are given."""
DEPTH = 4
"""How deep calls of functions of the same source are followed: one that calls itself must not hang the reader."""


def compiled_away(
    function: ast.FunctionDef, functions: Mapping[str, ast.FunctionDef], known: Mapping[str, str]
) -> set[str]:
    """Parameters with a role that only branches reach which are never compiled: `OUTPUT_MAX : tl.constexpr = False`."""
    if not any(map(_fixed, functions.values())):
        return set()
    return known.keys() - roles(function, functions, compiled=True).keys()


def roles(
    function: ast.FunctionDef, functions: Mapping[str, ast.FunctionDef], depth: int = DEPTH, compiled: bool = False
) -> dict[str, str]:
    """The role of each parameter that memory is reached through. A load first, or an atomic, means that its old value counts.

    A size that is added to a pointer has a role too: the signature tells which is which.

    Args:
        compiled: Leave out branches that a constant of the body rules out.
    """
    found: dict[str, str] = {}
    bases = {argument.arg: {argument.arg} for argument in function.args.args}
    fixed = _fixed(function) if compiled else {}
    for node in _in_order(function.body, fixed):
        if isinstance(node, ast.Assign) and len(node.targets) == 1 and isinstance(node.targets[0], ast.Name):
            bases[node.targets[0].id] = _bases(node.value, bases)
        elif isinstance(node, ast.Call):
            for name, role in _accesses(node, bases, functions, depth, compiled):
                found[name] = _after(found.get(name), role)
    return found


def _after(before: str | None, role: str) -> str:
    """The role of a pointer that had one, after one more access."""
    if before is None or before == role:
        return role
    return "out" if (before, role) == ("out", "in") else "inout"  # it reads back what it wrote itself


def _fixed(function: ast.FunctionDef) -> dict[str, object]:
    """Names that the body gives a constant when it is compiled."""
    return {
        statement.target.id: statement.value.value
        for statement in function.body
        if isinstance(statement, ast.AnnAssign)
        and isinstance(statement.target, ast.Name)
        and isinstance(statement.value, ast.Constant)
    }


def _reached(statement: ast.stmt, fixed: Mapping[str, object]) -> Iterator[list[ast.stmt]]:
    for name, block in blocks(statement).items():
        match statement:
            case ast.If(test=ast.Name(id=tested)) if tested in fixed and bool(fixed[tested]) != (name == "body"):
                continue
        yield block


def _in_order(statements: list[ast.stmt], fixed: Mapping[str, object]) -> Iterator[ast.AST]:
    """Every call and assignment as it is reached: calls before the assignment that keeps their result."""
    for statement in statements:
        calls = [node for node in expressions(statement) if isinstance(node, ast.Call)]
        yield from sorted(calls, key=lambda call: (call.end_lineno or 0, call.end_col_offset or 0))  # inner ones first
        yield statement
        for block in _reached(statement, fixed):
            yield from _in_order(block, fixed)


def _bases(value: ast.expr, bases: Mapping[str, set[str]]) -> set[str]:
    """The parameters that an address was made from."""
    match value:
        case ast.Name(id=name):
            return bases.get(name, set())
        case ast.BinOp(left=left, op=ast.Add() | ast.Sub(), right=right):
            return _bases(left, bases) | _bases(right, bases)
        case ast.IfExp(body=body, orelse=orelse):
            return _bases(body, bases) | _bases(orelse, bases)
        case ast.Call(func=ast.Attribute(value=pointer, attr="to")):
            return _bases(pointer, bases)
        case ast.Call(args=[first, *_]) | ast.Call(keywords=[ast.keyword(value=first), *_]) if (
            called(value) in MADE_OF_ITS_FIRST_ARGUMENT
        ):
            return _bases(first, bases)
    return set()


def _accesses(
    call: ast.Call,
    bases: Mapping[str, set[str]],
    functions: Mapping[str, ast.FunctionDef],
    depth: int,
    compiled: bool,
) -> Iterator[tuple[str, str]]:
    """The parameters that one call reaches memory through, each with its role there."""
    name = called(call)
    role = "in" if name.startswith("load") else "out" if name.startswith("store") else "inout"
    if name in BOTH_WAYS:
        for argument in call.args:
            yield from ((base, "inout") for base in _bases(argument, bases))
    elif name in {"load", "store", "load_tensor_descriptor", "store_tensor_descriptor"} or name.startswith("atomic"):
        method = isinstance(call.func, ast.Attribute) and _bases(call.func.value, bases)
        address = method or (_bases(call.args[0], bases) if call.args else set())
        yield from ((base, role) for base in address)
    elif isinstance(call.func, ast.Name) and name in functions and depth:
        inner = functions[name]
        known = roles(inner, functions, depth - 1, compiled)
        parameters = [argument.arg for argument in inner.args.args]
        passed = [*zip(parameters, call.args, strict=False), *((k.arg or "", k.value) for k in call.keywords)]
        for parameter, value in passed:
            if parameter in known:
                yield from ((base, known[parameter]) for base in _bases(value, bases))


PLUMBING = {
    "full", "broadcast_to", "arange", "program_id", "zeros", "range", "static_range", "device_assert", "reshape", "debug_barrier",
}  # fmt: skip
"""Calls that move no data and compute no value of the model."""


def operations(function: ast.FunctionDef) -> tuple[str, ...]:
    """What the body does to values, in the order in which it first does it. Index arithmetic and plumbing are left out."""
    seen: dict[str, None] = {}
    for statement in statements(function.body):
        match statement:
            case ast.Assign(targets=[ast.Name(id=name) | ast.Tuple(elts=[ast.Name(id=name), *_])], value=value):
                seen.update(dict.fromkeys(_operations(value) if name.lstrip("_").startswith("tmp") else ()))
            case ast.Expr(value=ast.Call() as call):
                seen.update(dict.fromkeys(_operations(call)))
    return tuple(seen)


def _operations(value: ast.expr) -> list[str]:
    """Operations of one expression, innermost first. The address and mask of a load or store are not looked into."""
    match value:
        case ast.Call():
            name = called(value)
            if name in {"load", "store"} or name.startswith("atomic"):
                return [name + {"load": ".gather", "store": ".scatter"}.get(name, "") if _indirect(value) else name]
            inner = [op for argument in value.args for op in _operations(argument)]
            if isinstance(value.func, ast.Attribute):
                inner = _operations(value.func.value) + inner
            if name in PLUMBING:
                return inner
            return [
                *inner,
                f"cast.{ast.unparse(value.args[0]).rpartition('.')[2]}" if name == "to" and value.args else name,
            ]
        case ast.BinOp(left=left, op=op, right=right):
            return [*_operations(left), *_operations(right), OPERATORS.get(type(op), "operator")]
        case ast.UnaryOp(op=op, operand=operand):
            return [*_operations(operand), OPERATORS[type(op)]] if type(op) in OPERATORS else _operations(operand)
        case ast.Compare(left=left, ops=ops, comparators=comparators):
            inner = _operations(left) + [op for comparator in comparators for op in _operations(comparator)]
            return inner + [OPERATORS[type(op)] for op in ops if type(op) in OPERATORS]
        case ast.Subscript(value=inner_value):
            return _operations(inner_value)
    return []


def _indirect(call: ast.Call) -> bool:
    """True when the address depends on a loaded value."""
    address = call.args[:1]
    return any(isinstance(n, ast.Name) and n.id.startswith("tmp") for part in address for n in walk(part))
