"""Reads reductions that fold rows and columns in one kernel, in which a program takes a group of rows.

    xoffset = tl.program_id(0) * RSPLIT_SIZE                     a program's group of rows
    accum0 = tl.full([R0_BLOCK], 0, tl.float32)[None, :]
    for _ in tl.range(0, split_size, XBLOCK):                    XBLOCK of them at a time
        x0 = xindex
        ...                                                      what a kernel of one row a program has
        tmp28 = tl.sum(tmp27, 0)
        accum0 = accum0 + tmp28
    tl.store(ws_ptr + (tl.program_id(0) + 0 * tl.num_programs(0)) * r0_numel + r0_index, accum0, r0_mask)

The loop is one along the rows, x; a group is the coordinate x // RSPLIT_SIZE, and what is left of it a `Reduction` of a `group` of x. The
forms are those of `MixOrderReduction` in torch/_inductor (codegen_body in codegen/triton.py, 2.10 to 2.15): norm backwards, chiefly.
"""

from __future__ import annotations

import ast
from collections.abc import Sequence

from inductor_lab.computation.index import Coordinate, Index
from inductor_lab.computation.nodes import Evaluator
from inductor_lab.computation.operators import called
from inductor_lab.computation.tree import Call, Constant, Expression, Position, Reduction
from inductor_lab.records import Kernel

SIZE = "RSPLIT_SIZE"
"""The rows of a program."""
STAGES = "NUM_STAGES"
"""How far ahead the loop along them loads."""
AXIS = "x"
"""The axis that is cut into groups."""
TURNS = "tl.range(0, split_size, XBLOCK"
"""The loop along a group."""
FRAME = frozenset({"split_size = min(RSPLIT_SIZE, xnumel - xoffset)", "xindex += XBLOCK"})
"""What the loop needs and means nothing else."""
LEFT = "ws_ptr"
"""Where each program leaves what it folded its group to: one row a group, those of `accum1` behind those of `accum0`."""
PROGRAMS = {"program_id", "num_programs"}


def of(kernel: Kernel) -> int | None:
    """The rows of a program; None for a kernel that folds no groups of them."""
    told = kernel.meta.get("inductor_meta")
    size = told.get(SIZE) if isinstance(told, dict) else None
    return size if isinstance(size, int) and any(a.name == SIZE for a in kernel.arguments) else None


def along_rows(values: Evaluator, node: ast.Call) -> bool:
    """True for `tl.sum(tile, 0)`, which folds the rows of a block."""
    match node.args[1:]:
        case [ast.Constant(value=0)]:
            return values.group is not None
    return False


def block(values: Evaluator, name: str, tile: Expression, call: Call) -> Expression:
    """A fold along the rows of a block."""
    values.cost(name, tile.axes | {AXIS})
    return _fold(values, name, tile, call)


def folded(values: Evaluator, taken: Sequence[Expression]) -> Expression | None:
    """The fold of a whole group, from what a turn of the loop takes in; None where that is no fold along the rows."""
    match taken:
        case [Reduction(name=name, inputs=(tile,), over=over)] if over == {AXIS}:
            return _fold(values, name, tile, None)
    return None


def _fold(values: Evaluator, name: str, tile: Expression, call: Call | None) -> Expression:
    return values.make(
        Reduction, tile.dtype, tile.axes | {AXIS}, name, "", (tile,), frozenset({AXIS}), call, values.group
    )


def program(values: Evaluator, node: ast.Call) -> Expression | None:
    """Which group a program has, and how many there are; None where the rows are not counted."""
    if called(node) == "program_id":
        return values.make(Position, "int32", frozenset({AXIS}), Index.of(Coordinate(AXIS, values.group or 1, None)))
    rows = values.names.get(f"{AXIS}numel")
    return values.constant(-(-int(rows.value) // (values.group or 1)), "int32") if isinstance(rows, Constant) else None
