"""A template's grid over the blocks of its own body, so that an edited block counts: `(triton.cdiv(256, BLOCK_M) * ..., 1, 1)`.

Since torch 2.7 the wrapper passes the numbers that Inductor's function of sizes and blocks made. Here are those functions again, over the
names that the templates give their sizes; one is taken only where it makes the numbers that the launch states.
"""

from __future__ import annotations

import ast
from collections.abc import Mapping
from dataclasses import dataclass

from inductor_lab.eject.grid import grid
from inductor_lab.eject.plan import Plan
from inductor_lab.records.size import Size

_TILES = "cdiv(M, BLOCK_M) * cdiv(N, BLOCK_N)"
GRIDS = (
    "(cdiv(BATCH * OUT_D * OUT_H * OUT_W, BLOCK_M), cdiv(OUT_C, BLOCK_N), GROUPS)",
    "(cdiv(BATCH * OUT_H * OUT_W, BLOCK_M), cdiv(OUT_C, BLOCK_N), GROUPS)",
    f"({_TILES}, BATCH, 1)",
    f"(min(NUM_SMS, {_TILES}), 1, 1)",
    f"({_TILES}, 1, 1)",
)
"""mm_common.py, bmm.py and conv.py of torch/_inductor/kernel/ (2.7 to 2.13)."""


@dataclass(frozen=True)
class BlockGrid:
    """A grid as Python over blocks."""

    text: str
    blocks: Mapping[str, int]
    """The blocks that it names, as the body has them."""
    lines: frozenset[int]
    """Lines of the body, from 0, that say what they are."""


def block_grid(plan: Plan) -> BlockGrid | None:
    """None where no known function makes the launch's numbers of what the body says."""
    if plan.kernel.category != "template":
        return None
    known: dict[str, int] = {}
    said: dict[str, int] = {}
    for statement in ast.parse(plan.kernel.body).body:
        match statement:
            case ast.AnnAssign(target=ast.Name(id=name), value=ast.Constant(value=int(number))):
                known[name], said[name] = number, statement.lineno - 1
            case ast.Assign(targets=[ast.Name(id=name)], value=ast.Constant(value=int(number))):
                known[name] = number
    stated = _numbers(grid(plan), {})
    for text in GRIDS:
        if stated is None or _numbers(text, known) != stated:
            continue
        blocks = {name: known[name] for name in said if "BLOCK" in name and name in text}
        if any(plan.kernel.text.count(f"{name} : tl.constexpr = ") != 1 for name in blocks):
            return None  # its helpers have blocks of their own
        return BlockGrid(_spelled(text, known, blocks), blocks, frozenset(said[name] for name in blocks))
    return None


def _spelled(text: str, known: Mapping[str, int], blocks: Mapping[str, int]) -> str:
    """With numbers for sizes, and the blocks by name."""
    tree = ast.parse(text, mode="eval")
    for node in ast.walk(tree):
        if isinstance(node, ast.Name) and node.id in known and node.id not in blocks:
            node.id = str(known[node.id])
    return ast.unparse(tree).replace("cdiv", "triton.cdiv")


def _numbers(text: str, known: Mapping[str, int]) -> list[int] | None:
    """The programs along each direction; None where a name is not known."""
    parts = ast.parse(text, mode="eval").body
    try:
        return (
            [Size.of(ast.unparse(part)).bound(known) for part in parts.elts] if isinstance(parts, ast.Tuple) else None
        )
    except ValueError:
        return None
