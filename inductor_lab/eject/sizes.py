"""Symbolic sizes: a `Dim` is Inductor's text of a size, an environment binds its symbols, and the launcher takes them from tensors.

Fixed sizes are the case in which nothing is left to bind. The texts are those of `PythonPrinter` in torch/utils/_sympy/printers.py:
`s77*s27`, `(15 + s0) // 16`, `FloorDiv(s0, 2)`, `max(1, s0)`.
"""

from __future__ import annotations

import ast
import operator
import re
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass

from inductor_lab.records import Graph, LaunchArgument, Size, TensorType

_OPERATORS: dict[type[ast.operator], Callable[[int, int], int]] = {
    ast.Add: operator.add, ast.Sub: operator.sub, ast.Mult: operator.mul, ast.FloorDiv: operator.floordiv, ast.Mod: operator.mod,
    ast.Pow: operator.pow,
}  # fmt: skip
_FUNCTIONS: dict[str, Callable[..., int]] = {
    "max": max, "Max": max, "min": min, "Min": min, "FloorDiv": operator.floordiv, "CeilDiv": lambda a, b: -(-a // b),
    "Mod": operator.mod, "PythonMod": operator.mod, "ModularIndexing": lambda a, b, c: a // b % c, "int": int, "floor": int, "TruncToInt": int,
}  # fmt: skip
UNHINTED = 24
"""What a symbol is taken for where the text tells no value of it."""


@dataclass(frozen=True)
class Dim:
    """One size: a number, or an expression over symbols."""

    text: str

    @staticmethod
    def of(size: Size) -> Dim:
        return Dim(str(size))

    @property
    def symbols(self) -> frozenset[str]:
        return frozenset(_symbols(self.text))

    def bound(self, environment: Mapping[str, int]) -> int:
        """The number that it is.

        Raises:
            ValueError: a symbol is not bound, or the text is no size.
        """
        try:
            return _value(ast.parse(self.text, mode="eval").body, environment)
        except (SyntaxError, ZeroDivisionError, KeyError) as error:
            raise ValueError(f"{self.text} is no size that can be worked out") from error


def _symbols(text: str) -> Iterable[str]:
    return (name for name in re.findall(r"[A-Za-z_]\w*", text) if name not in _FUNCTIONS)


def _value(node: ast.expr, environment: Mapping[str, int]) -> int:
    match node:
        case ast.Constant(value=bool() | int() as value):
            return int(value)
        case ast.Name(id=name):
            return environment[name]
        case ast.BinOp(left=left, op=op, right=right) if type(op) in _OPERATORS:
            return _OPERATORS[type(op)](_value(left, environment), _value(right, environment))
        case ast.BinOp(left=left, op=ast.Div(), right=right):
            return _value(left, environment) // _value(right, environment)
        case ast.UnaryOp(op=ast.USub(), operand=operand):
            return -_value(operand, environment)
        case ast.Call(func=ast.Name(id=name) | ast.Attribute(attr=name), args=arguments) if name in _FUNCTIONS:
            return _FUNCTIONS[name](*(_value(argument, environment) for argument in arguments))
    raise KeyError(ast.unparse(node))


def python(text: str) -> str:
    """A size as Python that stands alone: `FloorDiv(s0, 2)` as `s0 // 2`."""
    try:
        return ast.unparse(_Plain().visit(ast.parse(text, mode="eval").body))
    except SyntaxError:
        return text


class _Plain(ast.NodeTransformer):
    def visit_Call(self, node: ast.Call) -> ast.expr:
        self.generic_visit(node)
        match node:
            case ast.Call(func=ast.Name(id="FloorDiv"), args=[a, b]):
                return ast.BinOp(a, ast.FloorDiv(), b)
            case ast.Call(func=ast.Name(id="CeilDiv"), args=[a, b]):
                return ast.UnaryOp(ast.USub(), ast.BinOp(ast.UnaryOp(ast.USub(), a), ast.FloorDiv(), b))
            case ast.Call(func=ast.Name(id="Mod" | "PythonMod"), args=[a, b]):
                return ast.BinOp(a, ast.Mod(), b)
            case ast.Call(func=ast.Name(id="ModularIndexing"), args=[a, b, c]):
                return ast.BinOp(ast.BinOp(a, ast.FloorDiv(), b), ast.Mod(), c)
            case ast.Call(func=ast.Name(id="Max" | "Min" as name)):
                return ast.Call(ast.Name(name.lower()), node.args, [])
            case ast.Call(func=ast.Name(id="TruncToInt"), args=[a]):
                return a
        return node

    def visit_BinOp(self, node: ast.BinOp) -> ast.expr:
        self.generic_visit(node)
        return ast.BinOp(node.left, ast.FloorDiv(), node.right) if isinstance(node.op, ast.Div) else node


def hints(graph: Graph) -> dict[str, int]:
    """What the symbols of a graph were when it was compiled: from the inputs that Inductor writes for its own benchmark."""
    given = {name: int(value) for name, value in re.findall(r"^ {4}(\w+) = (\d+)$", graph.module, re.MULTILINE)}
    named = re.findall(r"^\s+([a-z]\w*) = (\w+)$", graph.module, re.MULTILINE)
    return given | {symbol: given[name] for symbol, name in named if name in given}


def environment(symbols: Iterable[str], known: Mapping[str, int]) -> dict[str, int]:
    """A value for every symbol; different ones for those of which nothing is known."""
    found: dict[str, int] = {}
    for symbol in sorted(symbols):
        found[symbol] = known.get(symbol, UNHINTED + 8 * len(found))
    return found


def symbols(arguments: Iterable[LaunchArgument]) -> set[str]:
    """The symbols of the shapes, strides and sizes of one launch; a tensor whose value is asked for, `buf3.item()`, is none."""
    found: set[str] = set()
    for argument in arguments:
        texts = (
            [argument.value]
            if argument.type is None
            else [*map(str, argument.type.shape), *map(str, argument.type.stride)]
        )
        for text in texts:
            if argument.type is not None or re.fullmatch(r"[\w\s+*/%(),.-]+", text):
                found |= {
                    name
                    for name in _symbols(re.sub(r"\w+\.item\(\)", "", text))
                    if re.fullmatch(r"(?!buf|arg|primals|tangents)[a-z]+\w*\d+", name)
                }
    return found


def fixed(type_: TensorType, environment: Mapping[str, int]) -> TensorType:
    """A tensor's type with its symbols bound."""
    return TensorType(
        type_.dtype,
        tuple(Dim.of(size).bound(environment) for size in type_.shape),
        tuple(Dim.of(size).bound(environment) for size in type_.stride),
    )
