"""The dtypes of a generated body's expressions, and its constants: what must be known to fold one without changing a bit."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterable, Mapping

TRITON_DTYPE = {"bool": "int1"}
"""Triton's name of a dtype, where it differs from torch's."""
COORDINATE = re.compile(r"(?:[xyz]|r\d+_)\d+$")
SAME = {"tl.broadcast_to", "tl.sum", "tl.max", "tl.min", "tl.sigmoid", "tl.reshape"}
"""Calls whose result has the dtype of their first argument."""
ORDER = ["int1", "int8", "int16", "int32", "int64", "float16", "float32", "float64"]
"""The wider of two operands decides, for the pairs that Inductor's text has."""


class Dtypes:
    """Triton's dtype of every name of a body; an empty string where it is not known."""

    def __init__(self, pointers: Mapping[str, str]) -> None:
        """pointers: Parameter -> torch's dtype of what it points to."""
        self.pointers = pointers
        self.names: dict[str, str] = {}
        self.constants: dict[str, ast.Call] = {}
        """Names that stand for one number: `tmp4 = tl.full([1], 0.5, tl.float32)`."""

    def read(self, statements: Iterable[ast.stmt]) -> None:
        for statement in statements:
            match statement:
                case ast.For(body=body):
                    self.read(body)
                case ast.Assign(targets=[ast.Name(id=name)], value=value):
                    self.names[name] = self.of(value)
                    if isinstance(value, ast.Call) and _is_number(value):
                        self.constants[name] = value

    def of(self, value: ast.expr) -> str:
        match value:
            case ast.Name(id=name):
                return "int32" if COORDINATE.match(name) or name.endswith("index") else self.names.get(name, "")
            case ast.Compare():
                return "int1"
            case ast.IfExp(orelse=inner) | ast.UnaryOp(operand=inner) | ast.Subscript(value=inner):
                return self.of(inner)
            case ast.BinOp(left=left, right=right):
                if isinstance(left, ast.Constant) or isinstance(right, ast.Constant):
                    return self.of(left) or self.of(right)
                return wider(self.of(left), self.of(right))
            case ast.Call(func=ast.Attribute(attr="to"), args=[target, *_]):
                return ast.unparse(target).rpartition(".")[2]
            case ast.Call(func=function, args=arguments):
                return self._of_call(ast.unparse(function), arguments)
        return ""

    def _of_call(self, name: str, arguments: list[ast.expr]) -> str:
        last = name.rpartition(".")[2]
        if name == "tl.full" and len(arguments) == 3:
            return ast.unparse(arguments[2]).rpartition(".")[2]
        if name == "tl.load":
            found = (
                self.pointers[n.id] for n in ast.walk(arguments[0]) if isinstance(n, ast.Name) and n.id in self.pointers
            )
            dtype = next(found, "")
            return TRITON_DTYPE.get(dtype, dtype)
        if name == "tl.where" and len(arguments) == 3:
            return wider(self.of(arguments[1]), self.of(arguments[2]))
        if name in {"triton_helpers.maximum", "triton_helpers.minimum"}:
            return wider(self.of(arguments[0]), self.of(arguments[1]))
        if name in SAME or name.startswith(("tl_math.", "triton_helpers.", "libdevice.")):
            return "" if last.startswith(("is", "sign")) or not arguments else self.of(arguments[0])
        return ""

    def is_zero(self, value: ast.expr) -> bool:
        """True for a name that stands for 0."""
        found = self.constants.get(value.id) if isinstance(value, ast.Name) else None
        return found is not None and ast.unparse(found.args[1]) in {"0", "0.0"}

    def foldable(self, name: str, user: ast.AST) -> bool:
        """True when the bare number does the same in `user`: the other operand has the constant's dtype already, or a wider one."""
        mine = self.names[name]
        match user:
            case ast.BinOp(left=left, right=right) | ast.Compare(left=left, comparators=[right]):
                others = self._variables(left, right)
            case ast.Call(func=function, args=[_, left, right]) if ast.unparse(function) == "tl.where":
                others = self._variables(left, right)
            case ast.Call(func=function, args=[ast.Name(id=first) as left, right]) if (
                ast.unparse(function) == "triton_helpers.maximum" and first == name and self.is_zero(left)
            ):
                others = [right]
            case _:
                return False
        integers = isinstance(user, ast.Compare) and mine.startswith("int")  # comparing integers, no width matters
        return any(
            other == mine
            or (mine == "int32" and other in {"int64", "float32", "float64"})
            or (integers and other.startswith("int"))
            for other in map(self.of, others)
        )

    def _variables(self, *sides: ast.expr) -> list[ast.expr]:
        return [side for side in sides if not (isinstance(side, ast.Name) and side.id in self.constants)]


def _is_number(call: ast.Call) -> bool:
    """True for `tl.full([1], 0.5, tl.float32)`; a tile of a reduction is an accumulator."""
    return (
        ast.unparse(call.func) == "tl.full"
        and len(call.args) == 3
        and "BLOCK, R" not in ast.unparse(call.args[0])
        and isinstance(call.args[1], (ast.Constant, ast.UnaryOp))
    )


def wider(a: str, b: str) -> str:
    """The dtype of two operands together; empty when unsure."""
    if a == b:
        return a
    return max(a, b, key=ORDER.index) if a in ORDER and b in ORDER else ""
