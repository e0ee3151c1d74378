"""The order of a body's statements, and its axes: which program has which part, and whether the text masks the end of each.

    xoffset = tl.program_id(0) * XBLOCK          Frame("offset", "x")
    tmp8 = triton_helpers.maximum(tmp7, tmp6)    Define(("tmp8",), (Operation("maximum", ...),))
    tl.store(out_ptr0 + (x0), tmp8, xmask)       Effect(Access("store", "out_ptr0", ...))

A `Schedule` has the axes as the frame sets them up, the steps, the loops and what they carry on; a `Statement` may be a piece of the frame as well,
whose names are those of torch/_inductor/codegen/triton.py, triton_combo_kernel.py and triton_foreach.py, 2.0 to 2.15.
"""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator
from dataclasses import dataclass

from inductor_lab.computation.index import Index
from inductor_lab.computation.tree import Carried, Expression, Limit, limits, pointers
from inductor_lab.records import SizeLike

BLOCKS = {"XBLOCK": "x", "YBLOCK": "y", "ZBLOCK": "z", "RBLOCK": "r", "R0_BLOCK": "r0_", "R1_BLOCK": "r1_"}
"""Blocks -> the axes that they share out."""


@dataclass(frozen=True, eq=False)
class Access:
    """One load, store or atomic operation, as the text does it."""

    kind: str
    """`load`, `store`, or `atomic_add` and the like."""
    pointer: str
    line: int
    """1-based line of the body."""
    index: Index
    mask: Expression | None
    value: Expression | None
    """What is stored or added; for a load the loaded value."""
    eviction: str
    looped: bool
    """True inside a reduction's loop."""
    keywords: str = ""
    """What the call says beside its mask, `sem='relaxed'`."""
    searched: Expression | None = None
    """Of a binary search's loads how many boundaries there are: what is read sends them on, so that the index is that of their values alone."""
    dtype: str = ""
    """Of the elements in memory, where that is known."""

    @property
    def gathered(self) -> frozenset[str]:
        """The pointers whose contents decide the address."""
        return pointers(*self.index.expressions())

    @property
    def limits(self) -> tuple[Limit, ...]:
        """Bounds on coordinates that hold where the access happens."""
        return limits(self.mask)


@dataclass(frozen=True)
class Reached:
    """A load or a store at an address that is no sum of positions."""

    kind: str
    through: str
    """`workspace`, `block` (a block pointer or a descriptor); empty for an address that is not followed."""


@dataclass(frozen=True, eq=False)
class Check:
    """A condition that the kernel stops at where it is false (`tl.device_assert`)."""

    line: int
    condition: Expression
    message: str


@dataclass(frozen=True)
class Axis:
    """One axis of the launch: how programs share it, and where it lies in a program's tile."""

    name: str
    """`x`, `y`, `z`, `r0_`, `r`."""
    numel: SizeLike
    block: str
    """`XBLOCK`, `R0_BLOCK`, `RBLOCK`."""
    fixed: int | None
    """The block's size where the body fixes it (`R0_BLOCK: tl.constexpr = 128`)."""
    dimension: int | None
    """Its dimension in the tile; None where a program has just one position of it."""
    rank: int
    """Dimensions of the tile."""
    masked: bool
    """Whether the text tests the end (`xindex < xnumel`); where it does not, the block divides the size."""
    dtype: str
    """Of positions: `int32`, or `int64` where there are too many for it."""
    program: str
    """Which program along it, as the text has it: `tl.program_id(0)`, `pid_offset` in one job of several; empty for an axis that no programs
    share."""
    looped: bool = False
    """Whether a loop goes along it, a block at a time."""
    group: int | None = None
    """How many of its positions a program takes, a block after the other, where they are more than a block (`RSPLIT_SIZE`)."""
    grows: bool = False
    """Whether the fixed block must hold all of an axis whose size may change."""

    @property
    def reduced(self) -> bool:
        return self.name.startswith("r")


@dataclass(frozen=True, eq=False)
class Define:
    """Names that get values; several by one call that has several results."""

    line: int
    names: tuple[str, ...]
    values: tuple[Expression, ...]
    loads: tuple[Access, ...]
    """What is read for it."""


@dataclass(frozen=True, eq=False)
class Effect:
    """A store or an atomic operation."""

    access: Access


@dataclass(frozen=True, eq=False)
class Assert:
    """A check of the values."""

    check: Check


@dataclass(frozen=True, eq=False)
class Barrier:
    """Memory is ordered: `tl.debug_barrier()`."""

    text: str


@dataclass(frozen=True, eq=False)
class Carry:
    """A name that a loop carries on."""

    name: str
    start: Expression
    """What it holds before the loop."""
    before: Carried
    """What it holds when a turn begins."""
    end: Expression
    """What it holds when a turn ends."""
    after: Expression
    """What it holds behind the loop."""


@dataclass(frozen=True, eq=False)
class Loop:
    """A loop along an axis, one block of it a turn."""

    line: int
    target: str
    """The name that it counts with, `r0_offset`."""
    iterator: str
    """`tl.range(0, r0_numel, R0_BLOCK)`, as the text has it."""
    keywords: str
    """What the text tells the compiler of the loop: `num_stages=2`."""
    axis: str
    """The axis; empty where it is none of the frame's."""
    carries: tuple[Carry, ...]
    steps: tuple[Step, ...]


Step = Define | Effect | Assert | Barrier | Loop


@dataclass(frozen=True)
class Schedule:
    """What a body does, in order."""

    axes: tuple[Axis, ...]
    steps: tuple[Step, ...]
    opaque: str = ""
    """Why the steps do not tell all that the body does; empty where they do."""

    def axis(self, name: str) -> Axis | None:
        return next((axis for axis in self.axes if axis.name == name), None)

    @property
    def group(self) -> int | None:
        """How many rows a program takes in turns, and folds the columns of; None where it does not (`groups`)."""
        return next((axis.group for axis in self.axes if axis.group), None)

    def every(self) -> Iterator[Step]:
        """Every step in order, a loop before what it holds."""
        yield from every(self.steps)


EMPTY = Schedule((), ())


def every(steps: tuple[Step, ...]) -> Iterator[Step]:
    for step in steps:
        yield step
        if isinstance(step, Loop):
            yield from every(step.steps)


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
