"""Where flex attention's result lies: the steps of an address, and what they say of a tensor."""

from __future__ import annotations

import ast
from collections.abc import Sequence

from inductor_lab.eject.refusal import NoReference
from inductor_lab.records import TensorType


def lies_at(type_: TensorType, shape: Sequence[int], strides: Sequence[int]) -> bool:
    """Whether a tensor is of this shape and lies in memory by these strides; the stride of one element alone is none."""
    if tuple(type_.shape) != tuple(shape) or len(strides) != len(shape):
        return False
    return all(size == 1 or step == found for size, step, found in zip(shape, strides, type_.stride, strict=True))


def laid(type_: TensorType, shape: Sequence[int], strides: Sequence[int]) -> str:
    """How a value of a shape is turned to lie in a tensor by strides of the value's own: nothing, or `.permute(0, 2, 1, 3)`.

    Raises:
        NoReference: no order of its dimensions fills the tensor.
    """
    if lies_at(type_, shape, strides):
        return ""
    order = sorted(
        range(len(shape)), key=lambda d: (shape[d] > 1, -strides[d])
    )  # a dimension of one may stand anywhere
    if _dense([shape[d] for d in order], [strides[d] for d in order]) and _dense(type_.shape, type_.stride):
        return f".permute({', '.join(map(str, order))})"
    raise NoReference("its result is stored as another view of its memory")


def _dense(shape: Sequence[object], strides: Sequence[object]) -> bool:
    """Whether a tensor lies row after row, without a gap."""
    step = 1
    for size, stride in reversed(list(zip(shape, strides, strict=True))):
        if not isinstance(size, int) or (size > 1 and stride != step):
            return False
        step *= size
    return True


def steps(address: ast.expr, statements: Sequence[ast.stmt], axes: Sequence[str]) -> tuple[int, ...]:
    """How far an address moves with each variable.

    Raises:
        NoReference: it is no sum of them.
    """
    known = {
        statement.targets[0].id: statement.value
        for statement in statements
        if isinstance(statement, ast.Assign) and isinstance(statement.targets[0], ast.Name)
    }
    found = _linear(address, {name: value for name, value in known.items() if name not in axes}, axes)
    return tuple(found.get(axis, 0) for axis in axes)


def _linear(node: ast.expr, known: dict[str, ast.expr], axes: Sequence[str]) -> dict[str, int]:
    match node:
        case ast.Name(id=name) if name in axes:
            return {name: 1}
        case ast.Name(id=name) if name in known:
            return _linear(known[name], {n: v for n, v in known.items() if n != name}, axes)
        case ast.Constant(value=int() as number):
            return {"": number} if number else {}
        case ast.BinOp(left=left, op=ast.Add(), right=right):
            both = [_linear(side, known, axes) for side in (left, right)]
            return {name: both[0].get(name, 0) + both[1].get(name, 0) for name in both[0] | both[1]}
        case ast.BinOp(left=ast.Constant(value=int() as factor), op=ast.Mult(), right=right):
            return {name: factor * step for name, step in _linear(right, known, axes).items()}
        case ast.Call(func=ast.Attribute(attr="broadcast_to"), args=[inside, _]):
            return _linear(inside, known, axes)
    raise NoReference("its result is stored where no sum of its places tells")
