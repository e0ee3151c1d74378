"""The sentences for a body's frame: sizes, programs, positions, masks, coordinates, loops.

xmask = xindex < xnumel          true inside: the last program may reach past 3,000
"""

from __future__ import annotations

from math import prod

from inductor_lab.annotate.context import Context
from inductor_lab.bind.geometry import idle, only_folds, tried_sizes
from inductor_lab.computation.groups import AXIS
from inductor_lab.computation.index import Coordinate
from inductor_lab.computation.schedule import Axis, Frame, Loop
from inductor_lab.quantity import plural

SAID = {
    "end": "programs up to the end of job {job}",
    "number": "this program's number inside its job",
    "job": "the programs of one job: what follows is a kernel of its own",
    "next job": "the programs of the next job",
    "nothing": "programs beyond the last job have nothing to do",
    "job in turn": "of each {number} programs one is this job's: what follows is a kernel of its own",
    "nothing in turn": "no program comes here: each of {number} in turn has a job",
    "share": "which part of a row this program folds, where several share one",
    "sharers": "how many programs share a row, and what follows from that",
    "shared": "only where rows are shared",
    "one": "one of the programs that share a row does this",
    "power": "only where their number is a power of 2",
    "workspace": "memory in which programs leave their parts of a row for each other",
    "wait": "waits until all programs that share these rows are here",
    "rows": "the rows of its group that there are",
    "next rows": "the next turn's rows",
    "tile": "a tile of a tensor, by its shape and strides",
    "next tile": "moved on to the next turn's tile",
    "start": "there is one block alone: it starts at 0",
}
"""What is said of a piece that needs no look at the kernel."""


def frame(piece: Frame, context: Context) -> str:
    """The sentence on a piece of the frame."""
    if piece.piece in SAID:
        turns = " in turn" if piece.number and f"{piece.piece} in turn" in SAID else ""
        return SAID[piece.piece + turns].format(job=piece.number + 1, number=piece.number)
    if piece.piece == "program":
        if not (whole := context.kernel_computation).parts:
            return "which program this is"
        jobs = [one.what for one in whole.told if isinstance(one.what, Frame) and one.what.piece == "job"]
        order = "in turns" if any(job.number for job in jobs) else "one after the other"
        return f"which program this is: several jobs share the grid, {order}"
    if piece.piece == "block":
        return _block(piece.axis, piece.number, context)
    if piece.piece == "numel":
        return _numel(piece.axis, context)
    axis = context.computation.schedule.axis(piece.axis)
    if axis is None:
        return "both dimensions of the reduction as one"
    return {"offset": _offset, "index": _index, "base": _base, "mask": _mask}[piece.piece](axis, context)


def _reduced(axis: str) -> bool:
    return axis.startswith("r")


def _several(context: Context) -> bool:
    """Whether there are results along more than one axis."""
    return sum(not _reduced(axis) for axis in context.computation.numel) > 1


def _columns(context: Context) -> bool:
    """Whether neighbours in memory are of different rows, in every tensor that is read along them."""
    folded = context.facts.folded
    steps = [context.facts.of(load).steps for load in context.computation.loads]
    along = [one for one in steps if any(one.get(axis, 1) for axis in folded)]
    return bool(along) and all(
        all(one.get(axis, 1) not in {-1, 0, 1} for axis in folded)
        and any(step in {-1, 1} for axis, step in one.items() if axis not in folded)
        for one in along
    )


def _numel(axis: str, context: Context) -> str:
    count = context.computation.numel[axis]
    if not isinstance(count, int):
        return f"{count} elements"
    if _reduced(axis):
        if count == 1:
            return "no reduction: a row is one element"
        does = "folds" if only_folds(context.computation) else "has"
        return f"each row {does} {plural(count, 'element')}" + (": in memory, a column" if _columns(context) else "")
    if _several(context):
        return f"{count:,} along {axis}"
    if context.facts.folded:
        if not only_folds(context.computation):
            return plural(count, "row")
        return "one result" if count == 1 else f"{count:,} results, one a row"
    along = ((count, 1),)  # a tensor that is written in another order has no part in what the positions are
    written = {one.pointer for one in context.computation.stores if context.facts.of(one).runs.get(axis) == along}
    shapes = (tensor.type.shape for tensor in context.tensors.values() if tensor.type and tensor.pointer in written)
    shape = [size for size in next(shapes, ()) if isinstance(size, int)]
    if len(shape) > 1 and prod(shape) == count:
        return f"{' x '.join(map(str, shape))} elements"
    return plural(count, "element")


def _block(axis: str, size: int, context: Context) -> str:
    if _reduced(axis):
        return f"the whole reduction in one block of {size}: persistent, no loop"
    what = plural(size, "row" if context.facts.folded else "element")
    return f"each program {_has(context)} {what}: fixed, not tuned"


def _offset(axis: Axis, context: Context) -> str:
    if axis.reduced:
        return f"each program owns {axis.block} consecutive elements of its row"
    if axis.group:
        return f"each program owns a group of {axis.group} consecutive rows"
    what = "rows" if context.facts.folded else "elements"
    along = f" along {axis.name}" if _several(context) else ""
    return f"each program {_has(context)} {axis.block} consecutive {what}{along}"


def _has(context: Context) -> str:
    """What a program does with its rows: where programs share the reduction too, it has a part of each."""
    shared = any(axis.reduced and axis.program for axis in context.computation.schedule.axes)
    return "works on a part of" if shared else "owns"


def _index(axis: Axis, context: Context) -> str:
    if not axis.reduced:
        return "this program's one row" if axis.dimension is None else f"their flat positions{_side(axis)}"
    if axis.looped:
        return "this block's positions along the reduction"
    shared = axis.program or context.kernel.category == "cooperative_reduction"
    return f"their places in the row{_side(axis)}" if shared else _base(axis, context)


def _base(axis: Axis, context: Context) -> str:
    last = axis.fixed - 1 if axis.fixed else f"{axis.block} - 1"
    return f"positions 0 to {last} along the reduction{_side(axis)}"


def _side(axis: Axis) -> str:
    if axis.rank != 2 or axis.dimension is None:
        return ""
    return ", laid out across the tile" if axis.dimension else ", laid out down the tile"


def _mask(axis: Axis, context: Context) -> str:
    size, whole = axis.numel, axis.fixed == axis.numel
    if axis.reduced and (whole or (axis.fixed and not axis.masked)):
        return "always true: the block is exactly the reduction's length"
    if not axis.masked:
        if axis.reduced:
            return f"always true: every {axis.block} that may be chosen divides the row's length"
        if size == 1:
            return "always true: there is one row, and XBLOCK is 1"
        count = f" {size:,}, so no mask is needed" if isinstance(size, int) else f" {size}"
        return f"always true: every {axis.block} that may be chosen divides{count}"
    if axis.name in (lanes := idle(context.computation)):
        row, block = lanes[axis.name]
        rest = f"other {block - row:,} always idle" if block - row > 1 else "last is always idle"
        return f"true for {row:,} of the block's {block:,} lanes; the {rest}"
    if blocks := _filled(axis, context):
        return f"always true: {axis.block} is {blocks}" + (
            "" if blocks == "1" else f", {'each of which' if ' or ' in blocks else 'which'} divides {size:,}"
        )
    past = f"{size:,}" if isinstance(size, int) else size
    even = size & -size if isinstance(size, int) else 1
    if even >= 128:
        return f"true inside: blocks of up to {even:,} end at {past}, longer ones reach past it"
    return f"true inside: the last {'block of the reduction' if axis.reduced else 'program'} may reach past {past}"


MOST_ALONG_Y = 65_535
"""Programs that CUDA takes in the second dimension of a grid."""


def _filled(axis: Axis, context: Context) -> str:
    """`1, 8 or 32`: the sizes of an axis' block that may be chosen, where all of them are known and each ends where the axis does."""
    shared = axis.reduced and context.kernel.category == "cooperative_reduction"
    if axis.group or shared:  # a program's part of the axis ends elsewhere
        return ""
    sizes = tried_sizes(context.kernel, context.card, axis.block)
    if not all(size == 1 or (isinstance(axis.numel, int) and axis.numel % size == 0) for size in sizes):
        return ""
    if axis.name == "y" and sizes and not (isinstance(axis.numel, int) and axis.numel // sizes[0] <= MOST_ALONG_Y):
        return ""  # a second dimension of the grid then holds the rest, with programs beyond the end
    *others, last = [f"{size:,}" for size in sizes] or [""]
    return f"{', '.join(others)} or {last}" if others else last


def coordinate(found: Coordinate, context: Context) -> str:
    """The sentence on `x0 = xindex % 64`."""
    of, extent = _position(found.axis, context), context.computation.extent(found)
    span = f", 0 to {extent - 1:,}" if extent else ""
    if found.stride == 1 and found.size in {None, context.computation.numel.get(found.axis)}:
        return of + span
    depth = "the outer" if found.size is None else "the inner" if found.stride == 1 else "a middle"
    stride = f"{found.stride:,}" if isinstance(found.stride, int) else found.stride
    return f"{depth} part of {of}{span}" + ("" if found.stride == 1 else f": moves on every {stride}")


def _position(axis: str, context: Context) -> str:
    """What is counted along an axis."""
    if _reduced(axis):
        return "the position along the reduction"
    what = "the row's number" if context.facts.folded else "the position"
    if _several(context):
        return f"{what} along {axis}"
    return what if context.facts.folded else "the flat position"


def loop(found: Loop, context: Context, *, sharing: bool) -> str:
    """The sentence on a loop's head.

    Args:
        sharing: Whether a program has just a part of a row.
    """
    if not found.axis:
        return f"the kernel's own loop, {found.target} its turn"
    axis = context.computation.schedule.axis(found.axis)
    if found.axis == AXIS:
        return "the rows of the group, XBLOCK at a time"
    length = context.computation.numel.get(found.axis)
    row = f"the {length:,} elements of a row" if isinstance(length, int) else "a row"
    part = "this program's part of a row" if sharing else row
    return f"walk over {part}, {axis.block if axis else 'a block'} at a time"
