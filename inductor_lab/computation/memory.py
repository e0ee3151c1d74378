"""Loads, stores and atomic operations: recorded in the order of the text, their addresses as sums.

Block pointers and tensor descriptors are the sums that they stand for: each dimension's offset is that of one axis, or a part of it.

    tl.make_block_ptr(in_ptr0, shape=[8, 300], strides=[300, 1], block_shape=[XBLOCK, R0_BLOCK], offsets=[xoffset, r0_offset])
    in_ptr0 + (300*xindex + r0_index), where x and r0_ are inside

Their forms are those of `BlockPtrOptions` and `TensorDescriptorOptions` in torch/_inductor/codegen/triton.py, 2.3 to 2.15.
"""

from __future__ import annotations

import ast
import re
from collections.abc import Sequence

from inductor_lab.computation.folds import Partial
from inductor_lab.computation.index import Index
from inductor_lab.computation.nodes import NOWHERE, Block, Evaluator
from inductor_lab.computation.operators import called, is_module
from inductor_lab.computation.schedule import Access, Reached
from inductor_lab.computation.tree import Expression, Inside, Load, Position, Reduction, index_of, union

MAKERS = {"make_block_ptr", "make_tensor_descriptor"}
_OFFSET = re.compile(r"\b([xyzr]|r\d_)offset\b")
_BLOCK = re.compile("block_ptr|desc")
"""In the name of a tile of a tensor."""


def access(values: Evaluator, node: ast.Call, name: str) -> Expression:
    """A load, a store or an atomic operation: recorded in order, and its value."""
    if (found := tile(values, node, name)) is not None:
        return found
    method = isinstance(node.func, ast.Attribute) and not is_module(node.func.value)
    if method or not node.args:
        values.reached.append(Reached(name, "block" if method else ""))
        return values.unknown(node, *(values.of(argument) for argument in node.args))
    keywords = {keyword.arg: keyword.value for keyword in node.keywords}
    place = 1 if name == "load" else 2
    pointer, index = address(values, node.args[0])
    mask = masked(values, node.args[place] if len(node.args) > place else keywords.get("mask"))
    stored = values.of(node.args[1]) if name != "load" and len(node.args) > 1 else None
    if not pointer:
        return workspace(values, node, name, stored)
    other = values.of(keywords["other"]) if "other" in keywords else None
    return recorded(values, node, name, pointer, index, mask, other, stored)


def tile(values: Evaluator, node: ast.Call, name: str) -> Expression | None:
    """A load or a store through a block pointer or a descriptor; None where it is none, or not of an axis."""
    found = through_block(values, node) if name in {"load", "store"} else None
    if found is None:
        return None
    block, offsets, given = found
    pointer, base = address(values, block.base)
    place = resolved(values, block, offsets) if pointer else None
    if place is None:
        return None
    stored = values.of(given) if given is not None and name == "store" else None
    return recorded(values, node, name, pointer, base.plus(place[0]), place[1], None, stored)


def recorded(
    values: Evaluator, node: ast.Call, name: str, pointer: str, index: Index, mask: Expression | None, other: Expression | None,
    stored: Expression | None,
) -> Expression:  # fmt: skip
    """One access, kept in order; its value."""
    eviction = next((k.value for k in node.keywords if k.arg == "eviction_policy"), None)
    policy = str(eviction.value) if isinstance(eviction, ast.Constant) else ""
    before = sum(access.pointer == pointer and access.kind != "load" for access in values.accesses)
    dtype = values.pointers[pointer].dtype
    axes = (
        union(index.expressions()) | frozenset(c.axis for c in index.coordinates()) | (mask.axes if mask else NOWHERE)
    )
    value = stored
    if name != "store":
        value = values.make(Load, dtype, axes, pointer, index, mask, other, before)
    held = value if name == "load" else stored
    beside = ", ".join(
        f"{keyword.arg}={ast.unparse(keyword.value)}"
        for keyword in node.keywords
        if keyword.arg not in {"mask", "other", "eviction_policy", "boundary_check", "padding_option"}
    )
    values.accesses.append(
        Access(name, pointer, node.lineno, index, mask, held, policy, values.looped, beside, dtype=dtype)
    )
    return value if value is not None else values.unknown(node)


def workspace(values: Evaluator, node: ast.Call, name: str, stored: Expression | None) -> Expression:
    """Programs that share a reduction leave their parts in a workspace, and fold what all of them left (`tmp2_ws`)."""
    base = next((n.id for n in ast.walk(node.args[0]) if isinstance(n, ast.Name)), "")
    through = "workspace" if base.endswith("_ws") else "block" if _BLOCK.search(base) else ""
    values.reached.append(Reached(name, through))
    if base.endswith("_ws") and stored is not None:
        values.left[base] = stored
    if base.endswith("_ws") and name == "load" and isinstance(part := values.left.get(base), Reduction):
        return values.make(Partial, part.dtype, part.axes | part.over, part.name, part.part, part.inputs)
    return values.unknown(node, *((stored,) if stored is not None else ()))


def masked(values: Evaluator, node: ast.expr | None) -> Expression | None:
    if node is None or (isinstance(node, ast.Constant) and node.value is None):
        return None
    return values.of(node)


def address(values: Evaluator, node: ast.expr) -> tuple[str, Index]:
    """The pointer and the offset of `in_ptr0 + (x0 + 16*x1)`; no pointer for what is not such a sum (block pointers)."""
    match node:
        case ast.Name(id=name) if name in values.pointers and name not in values.names:
            return name, Index(0)
        case ast.BinOp(left=ast.Name(id=name), op=ast.Add(), right=offset) if (
            name in values.pointers and name not in values.names
        ):
            return name, index_of(values.of(offset))
        case ast.BinOp(left=ast.BinOp(op=ast.Add()) as left, op=ast.Add(), right=offset) if values.group:
            pointer, index = address(values, left)
            return pointer, index.plus(index_of(values.of(offset)))
    return "", Index(0)


# ---- block pointers and descriptors


def block_of(values: Evaluator, node: ast.expr) -> Block | None:
    """The block that an expression makes or names."""
    match node:
        case ast.Name(id=name):
            return values.blocks.get(name)
        case ast.Call(args=[base, *_], keywords=keywords) if called(node) in MAKERS:
            told = {keyword.arg: keyword.value for keyword in keywords}
            parts = [_elements(told.get(name)) for name in ("strides", "block_shape", "offsets")]
            return Block(base, parts[0], parts[1], parts[2]) if parts[0] and len(parts[0]) == len(parts[1]) else None
    return None


def through_block(values: Evaluator, node: ast.Call) -> tuple[Block, tuple[ast.expr, ...], ast.expr | None] | None:
    """The block, the offsets and the stored value of `tl.load(block)`, `tl.store(block, value)`, `descriptor.load(offsets)`."""
    match node:
        case ast.Call(func=ast.Attribute(value=owner), args=[offsets, *rest]) if (
            block := block_of(values, owner)
        ) is not None:
            return block, _elements(offsets), rest[0] if rest else None
        case ast.Call(args=[first, *rest]) if (block := block_of(values, first)) is not None:
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
