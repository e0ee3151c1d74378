"""What each name of a body stands for, as one expression over the tensors: temporaries put in, Inductor's idioms folded
back.

tmp8 = triton_helpers.maximum(tmp7, tmp6)      relu(in_ptr0 + in_out_ptr0 + in_ptr1 * 0.5)
"""

from __future__ import annotations

import ast
import re

from inductor_lab.annotate.idioms import folded, number
from inductor_lab.annotate.operations import REDUCTIONS, TRANSPARENT

LARGEST = 160
"""Expressions of more syntax nodes than this stay a name: one temporary used often would grow without end."""

READABLE = {
    "max2": "max", "min2": "min", "max_with_index": "argmax", "min_with_index": "argmin", "welford": "mean",
    "xor_sum": "xor",
    "associative_scan": "scan", "rsqrt": "rsqrt", "online_softmax_reduce": "online_softmax",
}  # fmt: skip
TUPLES = {
    "welford": ("mean", "square_deviation", "count"), "online_softmax_reduce": ("max", "sum_exp"),
    "max_with_index": ("max", "argmax"), "min_with_index": ("min", "argmin"),
}  # fmt: skip
"""Calls that return several values, and what each is."""


class Expressions:
    """The meaning of every name so far. Feed it statements in order."""

    def __init__(self, pointers: set[str], addresses: dict[str, int]) -> None:
        self.pointers = pointers
        self.addresses = addresses
        """How many different addresses each pointer is loaded from."""
        self.names: dict[str, ast.expr] = {}

    def assign(self, statement: ast.stmt) -> ast.expr | None:
        """Take in one statement; the expression it gives its (first) name, None where it gives none."""
        match statement:
            case ast.Assign(targets=[ast.Name(id=name)], value=value) if is_value(name):
                meaning = self.expand(value)
                self.names[name] = meaning if _nodes(meaning) <= LARGEST else ast.Name(name)
                return meaning
            case ast.Assign(targets=[ast.Tuple(elts=targets)], value=value):
                meaning = self.expand(value)
                parts = TUPLES.get(_function(value), ())
                for position, target in enumerate(targets):
                    if isinstance(target, ast.Name):
                        self.names[target.id] = _part(meaning, parts[position] if position < len(parts) else "")
                return meaning
        return None

    def expand(self, node: ast.expr) -> ast.expr:
        """The expression with temporaries replaced and idioms folded."""
        match node:
            case ast.Name(id=name):
                return self.names.get(name, node)
            case ast.Constant(value=float()):
                return node
            case ast.BinOp(left=left, op=op, right=right):
                return folded(ast.BinOp(self.expand(left), op, self.expand(right)))
            case ast.UnaryOp(op=op, operand=operand):
                return folded(ast.UnaryOp(op, self.expand(operand)))
            case ast.Compare(left=left, ops=ops, comparators=comparators):
                return ast.Compare(self.expand(left), ops, [self.expand(c) for c in comparators])
            case ast.Subscript(value=value):
                return self.expand(value)
            case ast.IfExp(orelse=other):
                return self.expand(other)  # signbit for floats, < 0 for integers: the same question
            case ast.Call():
                return self.call(node)
        return node

    def call(self, node: ast.Call) -> ast.expr:
        name = _function(node)
        if (
            isinstance(node.func, ast.Attribute)
            and name in {"to", "broadcast_to", "reshape"}
            and not _is_module(node.func.value)
        ):
            return self.expand(node.func.value)
        if name == "load" and node.args:
            return self.load(node.args[0])
        if name in {"full", "zeros"}:
            return node.args[1] if name == "full" and len(node.args) > 1 else ast.Constant(0.0)
        if name in TRANSPARENT | {"broadcast_to"} and node.args:
            return self.expand(node.args[0])
        if name in REDUCTIONS and node.args:
            return ast.Call(ast.Name(READABLE.get(name, name)), [accumulated(self.expand(node.args[0]))], [])
        if name == "welford_reduce" and node.args:
            return self.expand(node.args[0])
        if name.startswith("online_softmax_combine") and len(node.args) > 2:
            return self.expand(node.args[2])
        if name == "associative_scan" and node.args and isinstance(node.args[0], ast.Tuple):
            return ast.Call(ast.Name("scan"), [self.expand(e) for e in node.args[0].elts], [])
        arguments = [self.expand(argument) for argument in node.args]
        return folded(ast.Call(ast.Name(READABLE.get(name, name)), arguments, []))

    def load(self, address: ast.expr) -> ast.expr:
        """The tensor's name; with its index where that depends on data, or where the tensor is read at several
        addresses."""
        match address:
            case ast.BinOp(left=ast.Name(id=name), op=ast.Add(), right=offset) if name in self.pointers:
                chosen = [n for n in ast.walk(offset) if isinstance(n, ast.Name) and n.id.startswith("tmp")]
                if chosen:
                    inside = [self.names.get(n.id, n) for n in chosen]
                    index = inside[0] if len(inside) == 1 else ast.Tuple(inside)
                    return ast.Subscript(ast.Name(name), index)
                if self.addresses.get(name, 1) > 1:
                    return ast.Subscript(ast.Name(name), offset)
                return ast.Name(name)
        return address


def accumulated(node: ast.expr) -> ast.expr:
    """What a loop adds up: `v` of `where(mask, _tmp + v, _tmp)`."""
    match node:
        case (
            ast.Call(func=ast.Name(id="where"), args=[_, inner, ast.Name()])
            | ast.Call(func=ast.Name(id="where"), args=[_, inner, ast.Constant()])
        ):
            return accumulated(inner)
        case ast.BinOp(left=ast.Name(id=name), right=value) if name.startswith("_tmp"):
            return value
        case ast.BinOp(left=ast.Constant(), op=ast.Add(), right=value):
            return value
        case ast.Call(args=[ast.Name(id=name), value]) if name.startswith("_tmp"):
            return value
        case ast.Call(func=ast.Name(id="maximum" | "minimum"), args=[ast.Call(), value]):
            return value
    return node


def text(node: ast.expr, limit: int | None = None) -> str:
    """An expression as text, numbers to six digits. Beyond the limit indices are left out, then the rest is cut."""
    written = ast.unparse(ast.fix_missing_locations(_Numbers().visit(ast.parse(ast.unparse(node), mode="eval")).body))
    written = re.sub(r"float\('([^']*)'\)", r"\1", re.sub(r"\b(tl|triton_helpers|libdevice|tl_math)\.", "", written))
    if limit is not None and len(written) > limit:
        written = re.sub(r"\[[^\[\]]*\b[xyzr]\d[^\[\]]*\]", "[…]", written)
        return written if len(written) <= limit else written[: limit - 1].rstrip() + "…"
    return written


class _Numbers(ast.NodeTransformer):
    def visit_Constant(self, node: ast.Constant) -> ast.Constant:
        return ast.Constant(number(node.value)) if isinstance(node.value, float) else node


def is_value(name: str) -> bool:
    """True for names that hold values of the model: `tmp3`, `_tmp6`, `tmp2_mean`."""
    return name.lstrip("_").startswith("tmp")


def _part(meaning: ast.expr, name: str) -> ast.expr:
    if not name:
        return meaning
    inside = meaning.args[:1] if isinstance(meaning, ast.Call) else [meaning]
    return ast.Call(ast.Name(name), list(inside), [])


def _function(node: ast.expr) -> str:
    return ast.unparse(node.func).rpartition(".")[2] if isinstance(node, ast.Call) else ""


def _is_module(node: ast.expr) -> bool:
    return isinstance(node, ast.Name) and node.id in {"tl", "triton_helpers", "libdevice", "tl_math", "math"}


def _nodes(node: ast.expr) -> int:
    return sum(1 for _ in ast.walk(node))
