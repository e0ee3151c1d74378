"""Inductor's text of a size as a number, where its symbols are known: `(15 + s0) // 16` with s0 = 100 -> 7.

The texts are those of `PythonPrinter` and `CppPrinter` in torch/utils/_sympy/printers.py: `s77*s27`, `FloorDiv(s0, 2)`, `max(1, s0)`, `math.trunc(s0)`.
"""

from __future__ import annotations

import ast
import operator
from collections.abc import Callable, Mapping
from functools import lru_cache

from inductor_lab.records import Size


def _up(a: int, b: int) -> int:
    return -(-a // b)


_OPERATORS: dict[type[ast.operator], Callable[[int, int], int]] = {
    ast.Add: operator.add, ast.Sub: operator.sub, ast.Mult: operator.mul, ast.FloorDiv: operator.floordiv, ast.Div: operator.floordiv,
    ast.Mod: operator.mod, ast.Pow: operator.pow,
}  # fmt: skip
_FUNCTIONS: Mapping[str, Callable[..., int]] = {
    "max": max, "Max": max, "min": min, "Min": min, "FloorDiv": operator.floordiv, "CeilDiv": _up, "cdiv": _up,
    "Mod": operator.mod, "PythonMod": operator.mod, "ModularIndexing": lambda a, b, c: a // b % c,
    "int": int, "floor": int, "trunc": int, "TruncToInt": int,
}  # fmt: skip
"""By their last name, `trunc` of `math.trunc`."""
LARGEST = 1 << 128
"""What is beyond this is no size: a hostile text may multiply for ever."""


def worked_out(size: Size, symbols: Mapping[str, int]) -> int:
    """The number that a size is.

    Raises:
        ValueError: a symbol is not known, or the text is no size.
    """
    if isinstance(size, int):
        return size
    try:
        return _value(_parsed(size), symbols)
    except (SyntaxError, KeyError, TypeError, ArithmeticError, RecursionError, MemoryError) as error:
        raise ValueError(f"{size} is no size that can be worked out") from error


def number(size: Size, symbols: Mapping[str, int]) -> int | None:
    """The same; None where it can not be worked out."""
    try:
        return worked_out(size, symbols)
    except ValueError:
        return None


@lru_cache(maxsize=4096)
def _parsed(text: str) -> ast.expr:
    return ast.parse(text, mode="eval").body


def _value(node: ast.expr, symbols: Mapping[str, int]) -> int:
    match node:
        case ast.Constant(value=int(value)):
            return int(value)
        case ast.Name(id=name):
            return symbols[name]
        case ast.UnaryOp(op=ast.USub(), operand=inner):
            return -_value(inner, symbols)
        case ast.BinOp(left=left, op=op, right=right) if type(op) in _OPERATORS:
            a, b = _value(left, symbols), _value(right, symbols)
            if isinstance(op, ast.Pow) and not 0 <= b < LARGEST.bit_length():
                raise ArithmeticError
            found = _OPERATORS[type(op)](a, b)
        case ast.Call(func=ast.Name(id=name) | ast.Attribute(attr=name), args=given, keywords=[]) if name in _FUNCTIONS:
            found = _FUNCTIONS[name](*(_value(one, symbols) for one in given))
        case _:
            raise KeyError
    if abs(found) > LARGEST:
        raise ArithmeticError
    return found
