"""Symbolic sizes: a `Dim` is Inductor's text of a size, an environment binds its symbols, and the launcher takes them from tensors.

Fixed sizes are the case in which nothing is left to bind.
"""

from __future__ import annotations

import ast
import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass

from inductor_lab.computation.sizes import worked_out
from inductor_lab.records import Graph, LaunchArgument, Size, TensorType

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
        return worked_out(self.text, environment)


def _symbols(text: str) -> Iterable[str]:
    return re.findall(r"(?<![\w.])[A-Za-z_]\w*\b(?![.(])", text)  # what is called, or looked into, is none


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
                    name for name in _symbols(text) if re.fullmatch(r"(?!buf|arg|primals|tangents)[a-z]+\w*\d+", name)
                }
    return found


def fixed(type_: TensorType, environment: Mapping[str, int]) -> TensorType:
    """A tensor's type with its symbols bound."""
    return TensorType(
        type_.dtype,
        tuple(Dim.of(size).bound(environment) for size in type_.shape),
        tuple(Dim.of(size).bound(environment) for size in type_.stride),
    )
