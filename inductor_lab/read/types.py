"""Types of tensors, as FX prints them and as a wrapper's expressions make them; sizes and strides as text, and as Python that floors no fraction."""

from __future__ import annotations

import ast
import re
from collections.abc import Mapping
from functools import lru_cache
from math import lcm

from inductor_lab.computation.operators import called
from inductor_lab.dtypes import FX
from inductor_lab.records import SizeLike, TensorType
from inductor_lab.records.size import contiguous

DEVICES = re.compile(r"_(cuda|cpu|cpu_pinned|xpu|mtia|mps|npu)$")
MADE_FROM = {
    "empty_strided": (0, 1, 2),
    "rand_strided": (0, 1, 2),
    "empty_strided_p2p": (0, 1, 2),
    "empty": (0, None, None),
    "zeros": (0, None, None),
    "alloc_from_pool": (3, 4, 2),
    "generate_example_value": (0, 1, 3),
    "_make_strided_tensor": (0, 1, 3),
}
"""What makes a tensor -> the positions of its shape, strides and dtype; strides that are not told are contiguous ones."""
VIEWS = {"reinterpret_tensor", "as_strided", "_reinterpret_tensor"}
"""Calls that give the memory of their first argument another shape: it comes second, the strides third."""
SAME = {"copy_if_misaligned", "clone_if_misaligned", "copy_misaligned"}
"""Calls that give their first argument back, at times copied."""
_FX_TYPE = re.compile(r"^(\w+)\[([^\]]*)\](?:\[([^\]]*)\])?")


def fx_type(text: str) -> TensorType | None:
    """`f32[4096, 1024][1024, 1]cuda:0` as a type; None for anything else (`Sym(s77)`). Missing strides are contiguous ones."""
    match = _FX_TYPE.match(text.strip())
    if match is None or match[1] not in FX:
        return None
    shape = sizes(match[2])
    return TensorType(FX[match[1]], shape, contiguous(shape) if match[3] is None else sizes(match[3]))


@lru_cache(maxsize=4096)
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


# What an expression of a wrapper makes


def is_alias(call: ast.Call) -> bool:
    """Whether a call gives the memory of its first argument: a view of it, or itself."""
    return called(call) in VIEWS | SAME


def tensor_type(value: ast.expr, types: Mapping[str, TensorType]) -> TensorType | None:
    """The type of an expression of the wrapper; an empty dtype where only the shape is told.

    Args:
        types: Of variables.
    """
    match value:
        case ast.Name(id=name):
            return types.get(name)
        case ast.Call(func=ast.Attribute(attr="view"), args=[told]) if (fold := folded_lines(value)) is not None:
            known, shape = types.get(fold[0]), extents(told)
            return TensorType(known.dtype if known else "", shape, contiguous(shape))
        case ast.Call(args=[first, *_] as arguments, keywords=keywords):
            name = called(value)
            if name in SAME:
                return tensor_type(first, types)
            if name in VIEWS and len(arguments) >= 3:
                known = tensor_type(first, types)
                return TensorType(known.dtype if known else "", extents(arguments[1]), extents(arguments[2]))
            places = MADE_FROM.get(DEVICES.sub("", name))
            if places is None:
                return None
            at = [arguments[place] if place is not None and place < len(arguments) else None for place in places]
            if at[0] is None:
                return None
            named = next((keyword.value for keyword in keywords if keyword.arg == "dtype"), at[2])
            shape = extents(at[0])
            strides = extents(at[1]) if at[1] is not None else ()
            dtype = ast.unparse(named).removeprefix("torch.") if named is not None else ""
            return TensorType(dtype, shape, strides or contiguous(shape))
    return None


def folded_lines(value: ast.expr) -> tuple[str, str, ast.Call] | None:
    """The workspace of `ws[a : b].view(512, 4096).sum(dim=0).view([4096])`, its fold and the lines that are folded (mix-order reductions, 2.10 on)."""
    match value:
        case ast.Call(func=ast.Attribute(value=ast.Call() as inner, attr="view")) if folded_lines(inner) is not None:
            return folded_lines(inner)
        case ast.Call(
            func=ast.Attribute(
                value=ast.Call(
                    func=ast.Attribute(value=ast.Subscript(value=ast.Name(id=workspace)), attr="view")
                ) as lines,
                attr=fold,
            ),
            args=[],
            keywords=[ast.keyword(arg="dim")],
        ):
            return workspace, fold, lines
    return None


def extents(node: ast.expr) -> tuple[SizeLike, ...]:
    """The sizes of a tuple or a list, or one number."""
    sizes = node.elts if isinstance(node, (ast.Tuple, ast.List)) else [node] if isinstance(node, ast.Constant) else ()
    return tuple(map(_extent, sizes))


def _extent(node: ast.expr) -> SizeLike:
    told = node if isinstance(node, (ast.Constant, ast.Name)) else whole(node)
    return told.value if isinstance(told, ast.Constant) and isinstance(told.value, int) else ast.unparse(told)
