"""Loads, stores and atomic operations: recorded in the order of the text, their addresses as sums."""

from __future__ import annotations

import ast
import re

from inductor_lab.computation import blocks
from inductor_lab.computation.addresses import index_of
from inductor_lab.computation.evaluator import Evaluator
from inductor_lab.computation.folds import Partial
from inductor_lab.computation.index import Index
from inductor_lab.computation.nodes import NOWHERE
from inductor_lab.computation.operators import is_module
from inductor_lab.computation.schedule import Access, Reached
from inductor_lab.computation.tree import Expression, Load, Reduction, union

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
    taken = blocks.taken(values, node) if name in {"load", "store"} else None
    if taken is None:
        return None
    block, offsets, given = taken
    pointer, base = address(values, block.base)
    found = blocks.resolved(values, block, offsets) if pointer else None
    if found is None:
        return None
    stored = values.of(given) if given is not None and name == "store" else None
    return recorded(values, node, name, pointer, base.plus(found[0]), found[1], None, stored)


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
