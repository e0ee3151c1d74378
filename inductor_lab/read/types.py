"""Types as FX prints them; sizes and strides as text, and as Python that floors no fraction."""

from __future__ import annotations

import ast
import re
from math import lcm

from inductor_lab.dtypes import FX
from inductor_lab.records import SizeLike, TensorType
from inductor_lab.records.size import contiguous

_FX_TYPE = re.compile(r"^(\w+)\[([^\]]*)\](?:\[([^\]]*)\])?")


def fx_type(text: str) -> TensorType | None:
    """`f32[4096, 1024][1024, 1]cuda:0` as a type; None for anything else (`Sym(s77)`). Missing strides are contiguous ones."""
    match = _FX_TYPE.match(text.strip())
    if match is None or match[1] not in FX:
        return None
    shape = sizes(match[2])
    return TensorType(FX[match[1]], shape, contiguous(shape) if match[3] is None else sizes(match[3]))


def sizes(text: str) -> tuple[SizeLike, ...]:
    """`4096, 1024` or `s77, 4` as sizes; what is no number stays as it is written."""
    return tuple(map(size, split(text)))


def size(text: str) -> SizeLike:
    return int(text) if re.fullmatch(r"-?\d+", text) else text


def split(text: str, brackets: str = "()") -> list[str]:
    """What the commas outside of brackets part: `s77, Mod(s27, 2)` is two.

    Args:
        brackets: Opening and closing ones in turn; the `>` of C++'s arrow is none.
    """
    found, depth, start = [], 0, 0
    for position, letter in enumerate(text):
        depth += (letter in brackets[::2]) - (letter in brackets[1::2] and text[position - 1 : position] != "-")
        if letter == "," and not depth:
            found.append(text[start:position])
            start = position + 1
    return [item.strip() for item in (*found, text[start:]) if item.strip()]


def whole(node: ast.expr) -> ast.expr:
    """The same expression, each floor of a sum of fractions by whole division.

    sympy makes `math.floor(15/16 + (1/16)*s0)` of `(15 + s0) // 16` (mix-order reductions, dynamic sizes).
    """
    return _Floors().visit(node)  # type: ignore[no-any-return]


class _Floors(ast.NodeTransformer):
    def visit_Call(self, node: ast.Call) -> ast.expr:
        self.generic_visit(node)
        match node:
            case ast.Call(func=ast.Name(id="floor") | ast.Attribute(attr="floor"), args=[inner], keywords=[]):
                above, below = _fraction(inner)
                return ast.BinOp(above, ast.FloorDiv(), ast.Constant(below)) if below != 1 else above
        return node


def _fraction(node: ast.expr) -> tuple[ast.expr, int]:
    """An expression as a numerator over a number."""
    match node:
        case ast.BinOp(left=left, op=ast.Add() | ast.Sub() as op, right=right):
            (a, p), (b, q) = _fraction(left), _fraction(right)
            below = lcm(p, q)
            return ast.BinOp(_times(a, below // p), op, _times(b, below // q)), below
        case ast.BinOp(left=left, op=ast.Mult(), right=right):
            (a, p), (b, q) = _fraction(left), _fraction(right)
            match a, b:
                case ast.Constant(value=int(number)), other:
                    return _times(other, number), p * q
            return ast.BinOp(a, ast.Mult(), b), p * q
        case ast.BinOp(left=left, op=ast.Div(), right=ast.Constant(value=int(number))) if number > 0:
            above, below = _fraction(left)
            return above, below * number
    return node, 1


def _times(node: ast.expr, number: int) -> ast.expr:
    match node:
        case _ if number == 1:
            return node
        case ast.Constant(value=int(value)):
            return ast.Constant(value * number)
    return ast.BinOp(ast.Constant(number), ast.Mult(), node)
