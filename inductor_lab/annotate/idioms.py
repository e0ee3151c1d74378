"""The forms in which Inductor writes well-known functions, folded back into their names: a table of (pattern, what it
is).

Sources: `TritonOverrides` in torch/_inductor/codegen/triton.py and torch/_inductor/lowering.py, 2.11 to 2.15.
"""

from __future__ import annotations

import ast
from collections.abc import Callable


def same(one: ast.expr, other: ast.expr) -> bool:
    """True where two expressions are the same text."""
    return ast.dump(one) == ast.dump(other)


def constant(node: ast.expr) -> float | None:
    """The number that an expression is, else None."""
    match node:
        case ast.Constant(value=int() | float() as value) if not isinstance(value, bool):
            return float(value)
        case ast.UnaryOp(op=ast.USub(), operand=ast.Constant(value=int() | float() as value)):
            return -float(value)
    return None


def number(value: float) -> float | int:
    """A float to six significant digits."""
    return float(f"{value:.6g}")


def call(name: str, *arguments: ast.expr) -> ast.expr:
    return ast.Call(ast.Name(name), list(arguments), [])


def relu(node: ast.expr) -> ast.expr | None:
    """maximum(0, x)"""
    match node:
        case ast.Call(func=ast.Name(id="maximum"), args=[zero, x]) if constant(zero) == 0 and constant(x) is None:
            return call("relu", x)
    return None


def leaky_relu(node: ast.expr) -> ast.expr | None:
    """where(x > 0, x, x * slope)"""
    match node:
        case ast.Call(
            func=ast.Name(id="where"),
            args=[
                ast.Compare(left=x, ops=[ast.Gt()], comparators=[zero]),
                one,
                ast.BinOp(left=again, op=ast.Mult(), right=slope),
            ],
        ) if constant(zero) == 0 and same(x, one) and same(x, again) and constant(slope) is not None:
            return call("leaky_relu", x, slope)
    return None


def wrapped(node: ast.expr) -> ast.expr | None:
    """where(i < 0, i + n, i): an index that may count from the end."""
    match node:
        case ast.Call(
            func=ast.Name(id="where"),
            args=[ast.Compare(left=i, ops=[ast.Lt()], comparators=[zero]), ast.BinOp(left=one, op=ast.Add()), other],
        ) if constant(zero) == 0 and same(i, one) and same(i, other):
            return i
    return None


def remainder(node: ast.expr) -> ast.expr | None:
    """where((a % b != 0) & ((a % b < 0) != (b < 0)), a % b + b, a % b): Python's remainder out of C's."""
    match node:
        case ast.Call(
            func=ast.Name(id="where"),
            args=[
                ast.BinOp(op=ast.BitAnd()),
                ast.BinOp(left=ast.BinOp(left=a, op=ast.Mod(), right=b) as mod, op=ast.Add(), right=again),
                other,
            ],
        ) if same(mod, other) and same(b, again):
            return call("remainder", a, b)
    return None


def selected(node: ast.expr) -> ast.expr | None:
    """where(c, where(c, a, filler), where(not c, b, filler)): the concatenation of two pieces."""
    match node:
        case ast.Call(func=ast.Name(id="where"), args=[condition, one, other]):
            first, second = _chosen(one, condition, False), _chosen(other, condition, True)
            if first is not one or second is not other:
                return call("where", condition, first, second)
    return None


def _chosen(node: ast.expr, condition: ast.expr, opposite: bool) -> ast.expr:
    match node:
        case ast.Call(func=ast.Name(id="where"), args=[inner, value, filler]) if constant(filler) == 0:
            if (same(inner, condition) and not opposite) or (opposite and _opposite(inner, condition)):
                return value
    return node


def _opposite(one: ast.expr, other: ast.expr) -> bool:
    """True for `x >= 32` beside `x < 32`."""
    match one, other:
        case ast.Compare(left=a, ops=[ast.GtE()], comparators=[m]), ast.Compare(
            left=b, ops=[ast.Lt()], comparators=[n]
        ):
            return same(a, b) and same(m, n)
    return False


def unmasked(node: ast.expr) -> ast.expr | None:
    """where(r0_mask & xmask, x, filler): only the elements that exist."""
    match node:
        case ast.Call(func=ast.Name(id="where"), args=[condition, value, _]):
            names = [n.id for n in ast.walk(condition) if isinstance(n, ast.Name)]
            if names and all(name.endswith("mask") for name in names):
                return value
    return None


def silu(node: ast.expr) -> ast.expr | None:
    """x * sigmoid(x), x / (exp(-x) + 1)"""
    match node:
        case ast.BinOp(
            left=x,
            op=ast.Div(),
            right=ast.BinOp(
                left=ast.Call(func=ast.Name(id="exp"), args=[ast.UnaryOp(op=ast.USub(), operand=again)]),
                op=ast.Add(),
                right=one,
            ),
        ) if same(x, again) and constant(one) == 1:
            return call("silu", x)
        case ast.BinOp(left=x, op=ast.Mult(), right=ast.Call(func=ast.Name(id="sigmoid"), args=[again])) if same(
            x, again
        ):
            return call("silu", x)
    return None


def gelu(node: ast.expr) -> ast.expr | None:
    """x * 0.5 * (erf(x * 0.7071) + 1)"""
    match node:
        case ast.BinOp(
            left=ast.BinOp(left=x, op=ast.Mult(), right=half),
            op=ast.Mult(),
            right=ast.BinOp(
                left=ast.Call(func=ast.Name(id="erf"), args=[ast.BinOp(left=again, op=ast.Mult())]),
                op=ast.Add(),
                right=one,
            ),
        ) if constant(half) == 0.5 and constant(one) == 1 and same(x, again):
            return call("gelu", x)
    return None


IDIOMS: tuple[Callable[[ast.expr], ast.expr | None], ...] = (
    unmasked, relu, leaky_relu, wrapped, remainder, selected, silu, gelu,
)  # fmt: skip


def folded(node: ast.expr) -> ast.expr:
    """The expression by its name, where it is one of the idioms."""
    for idiom in IDIOMS:
        found = idiom(node)
        if found is not None:
            return found
    return node
