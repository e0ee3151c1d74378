"""What a kernel's body does to values, as words: `load`, `mul`, `maximum`, `load.gather`, `atomic_add`, `sum`."""

from __future__ import annotations

import ast

from inductor_lab.computation.operators import OPERATORS, called
from inductor_lab.read.syntax import statements, walk
from inductor_lab.read.unparse import unparse

PLUMBING = {
    "full",
    "broadcast_to",
    "arange",
    "program_id",
    "zeros",
    "range",
    "static_range",
    "device_assert",
    "reshape",
    "debug_barrier",
}
"""Calls that move no data and compute no value of the model."""


def operations(function: ast.FunctionDef) -> tuple[str, ...]:
    """What the body does to values, in the order in which it first does it. Index arithmetic and plumbing are left out."""
    seen: dict[str, None] = {}
    for statement in statements(function.body):
        match statement:
            case ast.Assign(targets=[ast.Name(id=name)], value=value) if name.lstrip("_").startswith("tmp"):
                seen.update(dict.fromkeys(_operations(value)))
            case ast.Assign(targets=[ast.Tuple(elts=[ast.Name(id=name), *_])], value=value) if name.lstrip(
                "_"
            ).startswith("tmp"):
                seen.update(dict.fromkeys(_operations(value)))
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
                f"cast.{unparse(value.args[0]).rpartition('.')[2]}" if name == "to" and value.args else name,
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
