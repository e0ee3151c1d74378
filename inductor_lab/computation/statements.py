"""What each statement of a body is, in the order of the text: recorded while the trees are made, so that nobody reads the text again.

    xoffset = tl.program_id(0) * XBLOCK          Frame("offset", "x")
    tmp8 = triton_helpers.maximum(tmp7, tmp6)    Define(("tmp8",), (Operation("maximum", ...),))
    tl.store(out_ptr0 + (x0), tmp8, xmask)       Effect(Access("store", "out_ptr0", ...))

Names of the frame are those of torch/_inductor/codegen/triton.py, triton_combo_kernel.py and triton_foreach.py, 2.0 to 2.15.
"""

from __future__ import annotations

import ast
import re
from dataclasses import dataclass

from inductor_lab.computation.evaluator import BLOCKS
from inductor_lab.computation.schedule import Assert, Barrier, Define, Effect, Loop, Reached


@dataclass(frozen=True)
class Frame:
    """A piece of what Inductor puts around a body's arithmetic."""

    piece: str
    """Of an axis: `numel`, `offset`, `start` (an offset of 0), `index`, `base`, `mask`, `block` (its size is fixed). Of a kernel of several jobs: `program`,
    `end` (of a job), `number` (of a program in its job), `job`, `next job`, `nothing` (to do). Where programs share a row: `sharers` (how many), `share`
    (which part), `workspace`, `wait`; and what is done only then (`shared`), by one of them (`one`), or for a power of 2 of them (`power`).
    Of a group of rows: `rows`, `next rows`. Where a name is given to a tile of a tensor: `tile`."""
    axis: str = ""
    number: int = 0
    """Which job, or a block's size; of `job`, `next job` and `nothing` how many jobs take programs in turns, 0 where they come one after the other."""


@dataclass(frozen=True)
class Alias:
    """Another name for a piece of the frame: `rindex = r0_index`."""

    of: str


@dataclass(frozen=True)
class Fixed:
    """A number or a word that is fixed when the kernel is compiled: `BLOCK_M: tl.constexpr = 32`."""

    value: str


@dataclass(frozen=True)
class Said:
    """What only the text tells: a condition, a promise to the compiler, what no rule reads."""

    kind: str
    """`only where`, `promise`, `checked` (by the compiler), `return`, `text`; empty for what is not understood."""
    text: str = ""


What = Frame | Alias | Fixed | Reached | Said | Define | Effect | Assert | Barrier | Loop


@dataclass(frozen=True, eq=False)
class Statement:
    """One statement, and the lines on which it stands; of a loop or a branch its head."""

    line: int
    last: int
    what: What


_PIECES = {
    "program": r"x?pid", "end": r"num_xblocks_(\d+)", "number": r"x?pid_offset", "share": r"rsplit_(?:id|chunk|start|end)|num_rblocks",
    "sharers": r"rsplit_\w+|(?:HAS_)?RSPLIT\w*", "workspace": r"\w+_ws", "rows": r"split_size",
}  # fmt: skip
"""Pieces of the frame that are no axis' own -> the names that hold them."""
_NAMED = [(piece, re.compile(pattern)) for piece, pattern in _PIECES.items()]
_ONE_OF_ITS_ROW = {"rsplit_id", "RSPLIT", "HAS_RSPLIT", "RSPLIT_IS_POWER_OF_2"}
"""Names that tell which program of a row this is: what only one of them does is done once a row."""


def piece(name: str) -> Frame | None:
    """What a name of the frame that is no axis' own holds; None for any other name."""
    for of, pattern in _NAMED:
        if found := pattern.fullmatch(name):
            return Frame(of, number=int(found[1]) if found.groups() else 0)
    return None


def constexpr(name: str, value: ast.expr) -> Frame | Alias | Fixed:
    """`R0_BLOCK: tl.constexpr = 128`, `RBLOCK: tl.constexpr = R0_BLOCK`, `GROUP_M: tl.constexpr = 8`."""
    axis = BLOCKS.get(re.sub(r"_\d+$", "", name), "")
    match value:
        case ast.Constant(value=int(size)) if axis:
            return Frame("block", axis, size)
        case ast.Name(id=of) if axis:
            return Alias(of)
    return piece(name) or Fixed(ast.unparse(value))


def branch(test: ast.expr) -> Frame | Said:
    """`if rsplit_id == (0 % RSPLIT)`, or a condition of somebody else's."""
    names = {node.id for node in ast.walk(test) if isinstance(node, ast.Name)}
    if not names or not names <= _ONE_OF_ITS_ROW:
        return Said("only where", ast.unparse(test))
    return Frame("one" if "rsplit_id" in names else "power" if "RSPLIT_IS_POWER_OF_2" in names else "shared")
