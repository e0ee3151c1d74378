"""Block pointers and tensor descriptors as the sums that they stand for: each dimension's offset is that of one axis, or a part of it.

    tl.make_block_ptr(in_ptr0, shape=[8, 300], strides=[300, 1], block_shape=[XBLOCK, R0_BLOCK], offsets=[xoffset, r0_offset])
    in_ptr0 + (300*xindex + r0_index), where x and r0_ are inside

The forms are those of `BlockPtrOptions` and `TensorDescriptorOptions` in torch/_inductor/codegen/triton.py, 2.3 to 2.15.
"""

from __future__ import annotations

import ast
import re
from collections.abc import Sequence

from inductor_lab.computation.addresses import index_of
from inductor_lab.computation.evaluator import Block, Evaluator
from inductor_lab.computation.index import Index
from inductor_lab.computation.operators import called
from inductor_lab.computation.tree import Expression, Inside, Position

MAKERS = {"make_block_ptr", "make_tensor_descriptor"}
_OFFSET = re.compile(r"\b([xyzr]|r\d_)offset\b")


def made(values: Evaluator, node: ast.expr) -> Block | None:
    """The block that an expression makes or names."""
    match node:
        case ast.Name(id=name):
            return values.blocks.get(name)
        case ast.Call(args=[base, *_], keywords=keywords) if called(node) in MAKERS:
            told = {keyword.arg: keyword.value for keyword in keywords}
            parts = [_elements(told.get(name)) for name in ("strides", "block_shape", "offsets")]
            return Block(base, parts[0], parts[1], parts[2]) if parts[0] and len(parts[0]) == len(parts[1]) else None
    return None


def taken(values: Evaluator, node: ast.Call) -> tuple[Block, tuple[ast.expr, ...], ast.expr | None] | None:
    """The block, the offsets and the stored value of `tl.load(block)`, `tl.store(block, value)`, `descriptor.load(offsets)`."""
    match node:
        case ast.Call(func=ast.Attribute(value=owner), args=[offsets, *rest]) if (
            block := made(values, owner)
        ) is not None:
            return block, _elements(offsets), rest[0] if rest else None
        case ast.Call(args=[first, *rest]) if (block := made(values, first)) is not None:
            return block, block.offsets, rest[0] if rest else None
    return None


def resolved(values: Evaluator, block: Block, offsets: Sequence[ast.expr]) -> tuple[Index, Expression | None] | None:
    """What is added to the base, and the mask of the axes; None where an offset is not that of an axis."""
    if len(offsets) != len(block.strides):
        return None
    total, mask = Index(0), None
    for offset, stride, size in zip(offsets, block.strides, block.sizes, strict=True):
        place = _place(values, offset, size)
        step = None if place is None else place.product(index_of(values.of(stride)))
        if step is None:
            return None
        total = total.plus(step)
        for axis in sorted({c.axis for c in step.coordinates()}):
            inside = values.make(Inside, "bool", frozenset({axis}), axis)
            mask = inside if mask is None else values.operation("and", mask, inside, dtype="bool")
    return total, mask


def _place(values: Evaluator, offset: ast.expr, size: ast.expr) -> Index | None:
    """Where each element of the tile stands along one dimension."""
    axes = frozenset(_OFFSET.findall(ast.unparse(offset)))
    named = ast.parse(_OFFSET.sub(r"\1index", ast.unparse(offset)), mode="eval").body
    if not axes:
        axes = values.blocks_of(size)
        named = ast.parse(f"{ast.unparse(offset)} + {next(iter(axes))}index", mode="eval").body if axes else offset
    if any(not isinstance(values.names.get(f"{axis}index"), Position) for axis in axes):
        return None
    found = index_of(values.of(named))
    return None if found.expressions() else found


def _elements(node: ast.expr | None) -> tuple[ast.expr, ...]:
    return tuple(node.elts) if isinstance(node, (ast.List, ast.Tuple)) else ()
