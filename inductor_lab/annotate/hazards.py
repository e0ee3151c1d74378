"""Hazards, one function and one row each: what may be slow or surprising in a kernel, with its numbers.

gather          rows of 64 B from in_ptr1, wherever the data points: at least 2 sectors of 32 bytes each

What it moves more often, or in smaller pieces, than its values need; arithmetic that is dear, or that is done for nothing; lanes, programs and
multiprocessors that have nothing to do.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from math import gcd, prod

from inductor_lab.annotate.context import LONGEST, Context
from inductor_lab.annotate.facts import runs
from inductor_lab.bind import geometry
from inductor_lab.bind.elements import nbytes, type_of
from inductor_lab.bind.heuristics import candidates, kept
from inductor_lab.computation import Access, computation
from inductor_lab.computation.idioms import number, seen
from inductor_lab.computation.index import Coordinate, Term, behind
from inductor_lab.computation.space import Box, distinct, normal
from inductor_lab.computation.tree import (
    Cast,
    Constant,
    Expression,
    Load,
    Operation,
    Reduction,
    index_of,
    pointers,
    walk,
)
from inductor_lab.quantity import plural, size
from inductor_lab.records import Kernel

WIDE = 256
"""Rows of this many bytes or more are gathered about as fast as they are streamed."""
LEAST_NARROW = 1 << 16
"""A tensor of fewer bytes, 64 Ki, is served by the nearest cache however it is cut."""
FEW_BYTES = 4096
"""What is written or read twice below this costs nothing that could be measured."""

# ---- in small pieces


def gathers(context: Context) -> Iterator[str]:
    """Loads of short rows, or of single elements, at places that the data decides."""
    found: dict[tuple[str, int], list[str]] = {}
    least, called = context.card.transfer
    for access in context.computation.loads:
        held = nbytes(type_of(context.kernel, access.pointer))
        if access.gathered and not access.searched and (held is None or held >= LEAST_NARROW):
            _, length = context.facts.of(access).row or ("", 1)
            width = length * context.width(access.pointer)
            found.setdefault(("rows" if length > 1 else "elements", width), []).append(access.pointer)
    for (what, width), named in found.items():
        if width < WIDE:
            own = f"each may take a {called} of {least} bytes of its own"
            sectors = own if width < least else f"at least {plural(-(-width // least), called)} of {least} bytes each"
            yield f"{what} of {size(width)} from {_listed(named)}, wherever the data points: {sectors}"


def _listed(pointers: Sequence[str]) -> str:
    return " and ".join(dict.fromkeys(pointers))


def atomics(context: Context) -> Iterator[str]:
    """Additions to memory; which of them meet is the data's to say."""
    dtypes = {a.name: a.dtype for a in context.kernel.arguments}
    if added := [dtypes[a.pointer] for a in context.computation.accesses if a.kind.startswith("atomic")]:
        order = ", in an order that differs from run to run, and with it the last bits of the sums"
        rounded = any("float" in dtype for dtype in added)
        yield f"where several additions meet at one place, each waits for the one before{order if rounded else ''}"


def strides(context: Context) -> Iterator[str]:
    """Tensors of which all accesses together leave half of each sector or more unused: their addresses are so many residues of a common step."""
    job, (least, _) = context.computation, context.card.transfer
    for pointer in dict.fromkeys(access.pointer for access in job.accesses):
        found = [access for access in job.accesses if access.pointer == pointer]
        boxes = [normal(box) for access in found if (box := job.box(access))]
        step, width = gcd(*(stride for box in boxes for stride, _ in box.dimensions)), context.width(pointer)
        if len(boxes) < len(found) or step <= 1:
            continue
        span = max(box.start + box.span for box in boxes) - min(box.start for box in boxes)
        if span * width < LEAST_NARROW:
            continue
        residues, sector = {box.start % step for box in boxes}, least // width
        whole, rest = divmod(sector, step)
        together = max(sum((other - one) % step < rest for other in residues) for one in residues)
        used = (whole * len(residues) + together) * width
        if 2 * used <= least:
            doing = "read" if found[0].kind == "load" else "written"
            yield f"{pointer} is {doing} in steps of {step} elements: of each {least} bytes moved, at most {used} are used"


def narrow(context: Context) -> Iterator[str]:
    """Tensors whose neighbouring elements are other programs', under every block that Inductor has for the axis that they lie along.

    Along a reduction, or the rows of a program's group, they are the same program's, in the next turn of its loop.
    """
    least, called = context.card.transfer
    in_turns = {axis.name for axis in context.computation.schedule.axes if axis.group}
    axes = [axis for axis, extent in context.computation.numel.items() if extent != 1]
    found: dict[tuple[str, int], dict[str, list[Box]]] = {}
    for access in context.computation.accesses if context.kernel.category in geometry.COVERED and len(axes) > 1 else ():
        walks = {axis: runs(access, context.computation, axis) for axis in axes}
        along = [axis for axis, walk in walks.items() if walk and abs(walk[0][1]) == 1]
        if len(along) != 1 or along[0].startswith("r") or along[0] in in_turns or not all(walks.values()):
            continue
        width, box = context.width(access.pointer), context.facts.of(access).box
        if walks[along[0]][0][0] * width >= least and box and context.facts.of(access).values:
            found.setdefault((along[0], width), {}).setdefault(access.pointer, []).append(box)
    for (axis, width), of in found.items():
        each = {pointer: distinct(boxes) * width for pointer, boxes in of.items()}
        moved = {pointer: several for pointer, several in each.items() if several >= LEAST_NARROW}
        block = f"{axis.upper()}BLOCK"
        tried = [one.constants[block] for one in candidates(context.kernel, context.card) if block in one.constants]
        if moved and (held := max(tried, default=least)) * width < least:
            most = "at most " if len(set(tried)) > 1 else ""
            yield (
                f"of each {least} bytes, a {called}, of {_listed(list(moved))} ({size(sum(moved.values()))}) a program uses {most}{held * width}, as it holds "
                f"{most}{plural(held, 'element')} along {axis}; with {block} {least // width} it would use all, but no such block is timed"
            )


def _moved(context: Context, access: Access) -> int:
    """Bytes of the elements that an access reaches, each once; 0 where that is not known."""
    return (context.facts.of(access).values or 0) * context.width(access.pointer)


# ---- more often than once


def repeated(context: Context) -> Iterator[str]:
    """Tensors that several loads reach at the same elements, or by the same indices, as the second loop along a row does."""
    for pointer in dict.fromkeys(access.pointer for access in context.computation.loads):
        loads = [a for a in context.computation.loads if a.pointer == pointer and not _own_store(context, a)]
        boxes = [box for a in loads if context.facts.of(a).ranged and (box := context.computation.box(a))]
        width = context.width(pointer)
        if len(boxes) < len(loads):
            yield from _gathered_twice(context, [a for a in loads if a.gathered and not a.searched], width)
            continue
        by_address, once = sum(box.count for box in boxes) * width, distinct(boxes) * width
        if by_address - once >= FEW_BYTES:
            again = [a for a in loads if a.looped and any(a is not b and a.index == b.index for b in loads)]
            held = _row(context, again[0]) if again else ""
            only = f"; {held} loads it once" if held else ""
            yield f"{pointer} has {len(loads)} loads, {size(by_address)} by address for {size(once)}: cheap only while the repeats hit in cache{only}"


def _gathered_twice(context: Context, loads: Sequence[Access], width: int) -> Iterator[str]:
    alike = {(a.index, id(a.mask)): [b for b in loads if (b.index, b.mask) == (a.index, a.mask)] for a in loads}
    for same in alike.values():
        again = (context.computation.reach(same[0]) or 0) * width * (len(same) - 1)
        if again >= FEW_BYTES:
            yield f"{len(same)} loads gather {same[0].pointer} by the same indices, {size(again)} again: keep what was loaded"


def read_back(context: Context) -> Iterator[str]:
    """What a program stores and loads again itself, as the second loop along a row does with what the first one wrote."""
    for load in context.computation.loads:
        if (store := _own_store(context, load)) and (moved := _moved(context, load)) >= FEW_BYTES:
            held = _row(context, load) if store.looped else ""
            here = "cheap only while it hits in cache" if store.looped else "the value is still in a register"
            yield (
                f"{load.pointer} is stored and loaded again by the same program, {size(moved)}: "
                f"{f'{held} has it in registers' if held else here}"
            )


def _own_store(context: Context, load: Access) -> Access | None:
    """The store before a load, by the same program, to the very elements that it reads."""
    store = context.computation.stored(load.value) if isinstance(load.value, Load) else None
    return store if store and store.mask is load.mask else None


def _row(context: Context, access: Access) -> str:
    """What has the row that one result takes of a tensor, where its elements follow each other and fill no more than a quarter of a
    multiprocessor's registers; empty where they do not."""
    folded = [axis for axis, extent in context.computation.numel.items() if axis.startswith("r") and extent != 1]
    along = runs(access, context.computation, folded[0]) if len(folded) == 1 else ()
    if len(along) != 1 or along[0][1] != 1:
        return ""
    (length, _), (axis,), shape = along[0], folded, geometry.geometry(context.kernel, context.computation, context.card)
    if shape and shape.blocks[axis] >= length:
        return f"a body without a loop, as {axis.upper()}BLOCK {shape.blocks[axis]:,} holds a whole row,"
    row = size(length * context.width(access.pointer))
    return f"a block that holds a whole row, {row} of it," if length <= context.card.registers // 4 else ""


def written_twice(context: Context) -> Iterator[str]:
    """One value that is stored in several tensors of one dtype, for the same elements."""
    dtypes = {argument.name: argument.dtype for argument in context.kernel.arguments}
    same: dict[tuple[int, int, str], list[Access]] = {}
    for access in context.computation.accesses:
        if access.kind == "store" and access.value is not None and not isinstance(seen(access.value), Constant):
            key = id(seen(access.value)), id(access.mask), dtypes.get(access.pointer, "")
            same.setdefault(key, []).append(access)
    for stores in same.values():
        if len({store.pointer for store in stores}) > 1 and not any(store.gathered for store in stores):
            moved = _moved(context, stores[0])
            few = ", too little to cost time" if 0 < moved < FEW_BYTES else ""
            steps = [context.computation.steps(store.index) for store in stores]
            laid = (
                ", each laid out in its own way" if None not in steps and any(one != steps[0] for one in steps) else ""
            )
            yield f"{_listed([s.pointer for s in stores])} get the same {size(moved) if moved else 'values'}{laid}{few}"


# ---- arithmetic, lanes and programs

FEW_LANES = 32
"""A block that is no longer than one warp idles whatever its length."""


def idle(context: Context) -> Iterator[str]:
    """An eighth of the lanes or more: along reductions that stand in one block, and along axes that the blocks of the configuration do not divide."""
    shape = geometry.geometry(context.kernel, context.computation, context.card)
    listed = geometry.listed(context.kernel, context.card)
    rows = max([shape.rows if shape else 1, *(one.constants.get("XBLOCK", 1) for one in listed)])
    every = [found for job in context.computation.every() for found in geometry.idle(job).values()]
    for elements, lanes in dict.fromkeys(every):
        if lanes * rows >= FEW_LANES and (lanes - elements) * 8 >= lanes:
            yield f"{lanes - elements:,} of {lanes:,} lanes never have work: a row has {elements:,} elements, and its block is the next power of two"
    if shape is None:
        return
    several = listed and not kept(context.kernel, context.card)
    chosen = ", the first that the autotuner times" if several else ""
    threads = shape.warps * context.card.warp_size
    if shape.block * 2 <= threads and shape.programs > context.card.processors:
        held = f"a program holds {plural(shape.block, 'element')} at a time" + (
            " under the configuration that the autotuner times first" if several else ""
        )
        yield f"{threads - shape.block:,} of a program's {threads:,} threads have no element of their own: {held}"
    if shape.block < FEW_LANES or len(context.computation.numel) < 2:
        return
    for axis, (elements, lanes) in geometry.partial(shape, context.computation).items():
        if (lanes - elements) * 8 >= lanes:
            along, block = "a row" if axis.startswith("r") else axis, shape.blocks[axis]
            of = f"{axis.upper()}BLOCK {block:,}{chosen}"
            yield f"{lanes - elements:,} of {lanes:,} lanes along {along} have no element: {elements:,} elements in {plural(lanes // block, 'block')} of {of}"


def too_small(context: Context) -> Iterator[str]:
    shape, card = geometry.geometry(context.kernel, context.computation, context.card), context.card
    rows = [size for axis, size in context.computation.numel.items() if not axis.startswith("r")]
    whole = context.kernel.category in {"reduction", "persistent_reduction"} and not context.computation.parts
    one = whole and rows == [1]  # row, however long that is, is folded by one program
    programs = shape.programs if shape else int(one) or geometry.of_jobs(context.kernel, card)
    if programs and programs * 4 <= card.processors:
        yield f"{plural(programs, 'program')} for {plural(card.processors, card.processor)}"


def redundant_remainders(context: Context) -> Iterator[str]:
    total, digits = context.total(), context.computation.digits
    for assigned in context.computation.lines.values():
        match next(iter(assigned.values()), None):
            case Operation(name="mod", inputs=(_, by)) as value if pointers(by) and total:
                parts = {
                    (of.axis, stride, extent)
                    for of in behind(value)
                    for stride, extent, _ in (of.axis in digits and digits[of.axis].of(of)) or ()
                }
                needed = max(prod(extent for _, _, extent in parts), 1)
                often = f", here for each element, {total // needed} times for each of {needed:,} values"
                yield f"an integer % by a loaded number takes tens of instructions{often if total // needed > 1 else ''}"


def one_hots(context: Context) -> Iterator[str]:
    """Sums along a row of which at most one element is not zero, as the gradient of a cross entropy's is: `where(label == column, -1, 0)`."""
    for node in walk(*(value for names in context.computation.lines.values() for value in names.values())):
        if not isinstance(node, Reduction) or node.name != "sum" or len(node.over) != 1 or node.group:
            continue
        (axis,) = node.over
        chosen = _chosen(node.inputs[0], axis)
        columns, walked = context.computation.numel.get(axis), context.total()
        if chosen is None or columns == 1:
            continue
        which = context.writer.whole(chosen, LONGEST) or f"an index made of {' and '.join(sorted(pointers(chosen)))}"
        every = f"{walked:,} elements in all" if walked else "for each row"
        many = f"{columns:,}" if isinstance(columns, int) else columns
        yield (
            f"a sum walks {many} columns, {every}, though at most the one at {which} is not 0: "
            "take the value at that column, if it is one of them, instead of summing"
        )


def _chosen(value: Expression, axis: str) -> Expression | None:
    """The index of the only position along an axis at which a value can differ from zero, as far as its factors are finite; None if there is no such."""
    match _bare(value):
        case Operation(name="where", inputs=(condition, _, other)) if number(other) == 0:
            return _named(condition, axis)
        case Operation(name="mul" | "div" | "neg" as name, inputs=inputs):
            match [one for one in inputs if axis in one.axes]:
                case [along] if name != "div" or along is inputs[0]:
                    return _chosen(along, axis)
        case Operation(name="eq" | "and") as condition:  # a truth value that is summed as 0 or 1
            return _named(condition, axis)
    return None


def _named(condition: Expression, axis: str) -> Expression | None:
    """`i` of `i == column`, a condition that holds at one position of the axis at most."""
    match _bare(condition):
        case Operation(name="and", inputs=(one, other)):
            return _named(one, axis) or _named(other, axis)
        case Operation(name="eq", inputs=(one, other)):
            for position, index in ((one, other), (other, one)):
                terms = index_of(_bare(position)).terms
                if terms == (Term(1, Coordinate(axis, 1, None)),) and axis not in index.axes:
                    return index
    return None


def _bare(value: Expression) -> Expression:
    """The value whatever its dtype."""
    value = seen(value)
    while isinstance(value, Cast):
        value = seen(value.operand)
    return value


MANY_RANGES = 3
"""A choice between two halves, as a rotation makes it, costs a lane one load too many."""


def choices(context: Context) -> Iterator[str]:
    """Loads under masks that exclude each other, as those of a concatenation: each lane issues all, and keeps those of one range."""
    found: dict[Coordinate, list[tuple[int, int]]] = {}
    for load in context.computation.loads:
        for coordinate in {limit.coordinate for limit in load.limits if limit.coordinate}:
            extent = context.computation.extent(coordinate)
            bounds = [limit for limit in load.limits if limit.coordinate == coordinate]
            if extent is not None:
                low = max(limit.low for limit in bounds)
                high = min(extent if limit.high is None else limit.high for limit in bounds)
                found.setdefault(coordinate, []).append((low, high))
    if not found:
        return
    coordinate, ranges = max(found.items(), key=lambda each: _apart(each[1]))
    if (apart := _apart(ranges)) >= MANY_RANGES:
        together = max(sum(low <= at < high for low, high in ranges) for at, _ in ranges)
        named = (name for name, each in context.computation.coordinates.items() if each == coordinate)
        hold = "holds" if together == 1 else "hold"
        yield (
            f"every lane issues {len(ranges)} loads under tests of {next(named, coordinate.axis)}, of which at most {together} {hold} at once, "
            f"as {apart} ranges exclude each other: a program, or a launch, for each range issues only its own"
        )


def _apart(ranges: list[tuple[int, int]]) -> int:
    """How many of some ranges exclude each other."""
    count, end = 0, 0
    for low, high in sorted(ranges, key=lambda each: each[1]):
        if end <= low < high:
            count, end = count + 1, high
    return count


# ---- all of them


OF_A_BODY: tuple[tuple[str, Callable[[Context], Iterator[str]]], ...] = (
    ("gather", gathers),
    ("atomics", atomics),
    ("stride", strides),
    ("narrow", narrow),
    ("read twice", repeated),
    ("read back", read_back),
    ("written twice", written_twice),
    ("idle", idle),
    ("remainder", redundant_remainders),
    ("one-hot", one_hots),
    ("choice", choices),
    ("small", too_small),
)
"""The most general first."""
OF_ITS_LAUNCH = {"idle", "small"}
"""Those that hold where a branch decides what happens too: blocks and programs tell them."""


def of_body(context: Context) -> list[str]:
    """Every remark that the body and its launch tell, `word: sentence`."""
    whole = not context.computation.branches
    checks = [(word, check) for word, check in OF_A_BODY if whole or word in OF_ITS_LAUNCH]
    return list(dict.fromkeys(f"{word}: {remark}" for word, check in checks for remark in check(context)))


def unsought(kernel: Kernel) -> str:
    """Why those of its body were not looked for, `statements that only some programs do`; empty where they were."""
    try:
        found = computation(kernel)
    except ValueError:
        return "its text is not Python"
    return found.schedule.opaque if found.branches else ""
