"""Floors of fractions as whole numbers: sympy makes `math.floor(15/16 + (1/16)*s0)` of `(15 + s0) // 16` (mix-order reductions, dynamic sizes)."""

from __future__ import annotations

import ast
from math import lcm


def whole(node: ast.expr) -> ast.expr:
    """The same expression, each floor of a sum of fractions by whole division."""
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
