"""What Python's operators and Triton's calls are called: the words of `Kernel.ops` and of the trees."""

from __future__ import annotations

import ast

OPERATORS: dict[type[ast.AST], str] = {
    ast.Add: "add", ast.Sub: "sub", ast.Mult: "mul", ast.Div: "div", ast.FloorDiv: "floordiv", ast.Mod: "mod", ast.Pow: "pow",
    ast.LShift: "shift_left", ast.RShift: "shift_right", ast.BitAnd: "and", ast.BitOr: "or", ast.BitXor: "xor", ast.MatMult: "dot",
    ast.USub: "neg", ast.Invert: "not", ast.Not: "not",
    ast.Lt: "lt", ast.LtE: "le", ast.Gt: "gt", ast.GtE: "ge", ast.Eq: "eq", ast.NotEq: "ne",
}  # fmt: skip


def called(call: ast.Call) -> str:
    """The last word of what is called: `tl.load` is `load`."""
    match call.func:
        case ast.Attribute(attr=name) | ast.Name(id=name):
            return name
    return ""
