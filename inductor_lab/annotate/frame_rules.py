"""The sentences for a body's frame: sizes, programs, positions, masks, coordinates, loops."""

from __future__ import annotations

import ast
import re

from inductor_lab.annotate.context import Context, expression_text
from inductor_lab.annotate.geometry import blocks_in, idle, only_folds
from inductor_lab.annotate.statements import value_of
from inductor_lab.computation.index import Coordinate
from inductor_lab.quantity import plural

AXIS = {"x": "position", "y": "position on the second axis", "z": "position on the third axis"}


def numel(found: re.Match[str], _: ast.stmt, context: Context) -> str:
    axis, count = found["axis"], int(found["count"])
    if axis.startswith("r"):
        if count == 1:
            return "no reduction: a row is one element"
        return f"each row {'folds' if only_folds(context.computation) else 'has'} {plural(count, 'element')}"
    shape = next((t.type.shape for t in context.tensors.values() if t.type and t.pointer in _outputs(context)), ())
    sizes = [size for size in shape if isinstance(size, int)]
    total = 1
    for size in sizes:
        total *= size
    if (
        axis == "x"
        and total == count
        and len(sizes) == len(shape)
        and len(sizes) > 1
        and len(context.computation.numel) == 1
    ):
        return f"{' x '.join(str(size) for size in sizes)} elements"
    if _reduces(context) and _outer_axes(context) == 1:
        if not only_folds(context.computation):
            return plural(count, "row")
        return "one result" if count == 1 else f"{count:,} results, one a row"
    return plural(count, "element") if _one_axis(context) else f"{count:,} along {axis}"


def _one_axis(context: Context) -> bool:
    return (
        len([axis for axis, size in context.computation.numel.items() if not (axis.startswith("r") and size == 1)]) == 1
    )


def _outer_axes(context: Context) -> int:
    """Axes along which there are results."""
    return len([axis for axis in context.computation.numel if not axis.startswith("r")])


def _outputs(context: Context) -> set[str]:
    return {access.pointer for access in context.computation.accesses if access.kind == "store"}


def offset(found: re.Match[str], _: ast.stmt, context: Context) -> str:
    axis = found["axis"]
    if axis.startswith("r"):
        return f"each program owns {axis.upper()}BLOCK consecutive elements of its row"
    if group := context.computation.schedule.group:
        return f"each program owns a group of {group} consecutive rows"
    rows = "rows" if _reduces(context) else "elements"
    along = "" if len([a for a in context.computation.numel if not a.startswith("r")]) == 1 else f" along {axis}"
    return f"each program owns {axis.upper()}BLOCK consecutive {rows}{along}"


def fixed_block(found: re.Match[str], _: ast.stmt, context: Context) -> str:
    return (
        f"each program owns {plural(int(found['size']), 'row' if _reduces(context) else 'element')}: fixed, not tuned"
    )


def program(found: re.Match[str], _: ast.stmt, context: Context) -> str:
    several = ": several jobs share the grid, one after the other" if context.kernel_computation.parts else ""
    return f"which program this is{several}"


def job_end(found: re.Match[str], _: ast.stmt, __: Context) -> str:
    return f"programs up to the end of job {int(found['job']) + 1}"


def index(found: re.Match[str], statement: ast.stmt, _: Context) -> str:
    own = ast.unparse(statement)
    side = (
        ", laid out down the tile" if "[:, None]" in own else ", laid out across the tile" if "[None, :]" in own else ""
    )
    return f"{'their places in the row' if found['axis'].startswith('r') else 'their flat positions'}{side}"


def mask_true(found: re.Match[str], _: ast.stmt, context: Context) -> str:
    size = context.computation.numel.get(found["axis"])
    if found["axis"].startswith("r"):
        block = f"{found['axis'].upper()}BLOCK"
        if {block, "RBLOCK"} & blocks_in(context.kernel_computation).keys():
            return "always true: the block is exactly the reduction's length"
        return f"always true: every {block} that may be chosen divides the row's length"
    if size == 1:
        return "always true: there is one row, and XBLOCK is 1"
    block = f"{found['axis'].upper()}BLOCK"
    return (
        f"always true: every {block} that may be chosen divides {size:,}, so no mask is needed"
        if isinstance(size, int)
        else "always true"
    )


def mask_bound(found: re.Match[str], _: ast.stmt, context: Context) -> str:
    axis = found["axis"]
    size = context.computation.numel.get(axis)
    if axis in (lanes := idle(context.computation)):
        row, block = lanes[axis]
        rest = f"other {block - row:,} always idle" if block - row > 1 else "last is always idle"
        return f"true for {row:,} of the block's {block:,} lanes; the {rest}"
    if size is not None and blocks_in(context.kernel_computation).get(f"{axis.upper()}BLOCK") == size:
        return "always true: the block is exactly the reduction's length"
    past = f"{size:,}" if isinstance(size, int) else f"{axis}numel"
    what = "block of the reduction" if axis.startswith("r") else "program"
    even = size & -size if isinstance(size, int) else 1
    if even >= 128:
        return f"true inside: blocks of up to {even:,} end at {past}, longer ones reach past it"
    return f"true inside: the last {what} may reach past {past}"


def coordinate(found: re.Match[str], _: ast.stmt, context: Context) -> str:
    found_coordinate = context.computation.coordinates.get(found["name"])
    if found_coordinate is None:
        return f"a position computed from {expression_text(value_of(_))}"
    extent = context.extent(found_coordinate)
    span = f", 0 to {extent - 1:,}" if extent else ""
    reduction = found_coordinate.axis.startswith("r")
    whole = context.computation.numel.get(found_coordinate.axis)
    others = [
        c for c in context.computation.coordinates.values() if c.axis == found_coordinate.axis and c != found_coordinate
    ]
    if found_coordinate.stride == 1 and (found_coordinate.size is None or found_coordinate.size == whole):
        axis = found_coordinate.axis
        folded = (
            "the position along the reduction"
            if reduction
            else "the row"
            if _reduces(context) and _outer_axes(context) == 1
            else f"the row's place along {axis}"
            if _reduces(context)
            else AXIS.get(axis, "position")
        )
        alone = _one_axis(context)
        flat = "element: the flat position itself" if alone else f"position along {axis}"
        return f"{flat if folded == AXIS['x'] else folded}{span}"
    stride = found_coordinate.stride if isinstance(found_coordinate.stride, str) else f"{found_coordinate.stride:,}"
    if not _one_axis(context):
        return _part(found_coordinate, _reduces(context)) + span + _moves(found_coordinate, stride)
    if found_coordinate.size is None:
        return f"row{span}: moves on every {stride} elements"
    if found_coordinate.stride == 1:
        sizes = [c.size for c in others if c.stride == 1 and isinstance(c.size, int)]
        finer = isinstance(found_coordinate.size, int) and any(size < found_coordinate.size for size in sizes)
        return f"{'position inside a row' if finer else 'column'}{span}"
    return f"a middle dimension{span}: moves on every {stride} elements"


def _part(coordinate: Coordinate, reduces: bool) -> str:
    """Of a position that is taken apart where there are several axes, so that row and column could be taken for these."""
    depth = "the outer" if coordinate.size is None else "the inner" if coordinate.stride == 1 else "a middle"
    rows = reduces and not coordinate.axis.startswith("r")
    along = (
        "of the row's number"
        if rows
        else "along the reduction"
        if reduces
        else f"of the position along {coordinate.axis}"
    )
    return f"{depth} part {along}"


def _moves(coordinate: Coordinate, stride: str) -> str:
    return "" if coordinate.stride == 1 else f": moves on every {stride}"


def _reduces(context: Context) -> bool:
    return any(axis.startswith("r") and size != 1 for axis, size in context.computation.numel.items())


def reduction_positions(found: re.Match[str], _: ast.stmt, context: Context) -> str:
    return f"positions 0 to {found['block']} - 1 along the reduction, laid out across the tile"


def loop(found: re.Match[str], _: ast.stmt, context: Context) -> str:
    length = context.computation.numel.get(found["axis"])
    over = f"the {length:,} elements of a row" if isinstance(length, int) else "a row"
    return f"walk over {over}, {found['axis'].upper()}BLOCK at a time"
