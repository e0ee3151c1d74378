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


MODULES = {"tl", "triton_helpers", "libdevice", "tl_math", "math", "triton"}


def is_module(node: ast.expr) -> bool:
    """True for `tl`, `triton.language.math`."""
    while isinstance(node, ast.Attribute):
        node = node.value
    return isinstance(node, ast.Name) and node.id in MODULES


def function_name(text: str) -> str:
    """`add` of `_triton_helper_fn_add0`, Inductor's name for a combining function."""
    return text.removeprefix("_triton_helper_fn_").rstrip("0123456789") or text
