"""What a kernel moves more often, or in smaller pieces, than its values need."""

from __future__ import annotations

from collections.abc import Iterator

from inductor_lab.annotate.context import Context
from inductor_lab.annotate.elements import numel, type_of
from inductor_lab.annotate.geometry import COVERED, geometry
from inductor_lab.annotate.heuristics import candidates
from inductor_lab.annotate.layout import runs
from inductor_lab.computation import Access
from inductor_lab.computation.footprint import distinct, normal
from inductor_lab.computation.idioms import seen
from inductor_lab.computation.index import Coordinate, Index, behind
from inductor_lab.computation.tree import Constant, Load
from inductor_lab.quantity import size

WIDE = 256
"""Rows of this many bytes or more are gathered about as fast as they are streamed."""
LEAST_NARROW = 1 << 16
"""A tensor of fewer bytes, 64 Ki, is served by the nearest cache however it is cut."""
FEW_BYTES = 4096
"""What is written or read twice below this costs nothing that could be measured."""


def gathers(context: Context) -> Iterator[str]:
    """Loads of short rows, or of single elements, at places that the data decides; a small table stays in the nearest cache."""
    rows: dict[tuple[str, int], list[str]] = {}
    least, called = context.card.transfer
    for access in context.computation.loads:
        width = context.width(access.pointer)
        held = numel(type_of(context.kernel, access.pointer))
        if access.gathered and not access.searched and (held is None or held * width >= LEAST_NARROW):
            length = max((context.extent(of) or 1 for of in _row_behind(access)), default=1)
            rows.setdefault(("rows" if length > 1 else "elements", length * width), []).append(access.pointer)
    for (what, width), named in rows.items():
        if width < WIDE:
            whole = (
                f"{width / least:.0f} {called}s of {least} bytes each"
                if width >= least
                else f"less than a {called} of {least}"
            )
            names = " and ".join(dict.fromkeys(named))
            yield f"gather: {what} of {size(width)} from {names}, wherever the data points: {whole}"


def _row_behind(access: Access) -> list[Coordinate]:
    """The coordinate along which neighbouring lanes follow each other from where the data points: the row of a table."""
    deciding = [of for expression in access.index.expressions() for of in behind(expression)]
    along = [t.of for t in access.index.terms if (t.factor, t.sizes) == (1, ()) and isinstance(t.of, Coordinate)]
    return [of for of in along if of.stride == 1 and not any(d.axis == of.axis and d.stride == 1 for d in deciding)]


def atomics(context: Context) -> Iterator[str]:
    if any(a.kind.startswith("atomic") for a in context.computation.accesses):
        yield "atomics: sums differ in their last bits from run to run, as their order does; repeated rows wait in line"


def strides(context: Context) -> Iterator[str]:
    for pointer in dict.fromkeys(access.pointer for access in context.computation.accesses):
        found = [access for access in context.computation.accesses if access.pointer == pointer]
        boxes = [box for access in found if (box := context.computation.box(access))]
        steps = [context.fastest(access) for access in found]
        if (
            len(boxes) < len(found)
            or any(not step or step == 1 for step in steps)
            or (context.computation.reach(found[0]) or 0) <= 1
        ):
            continue
        first = min(box.start for box in map(normal, boxes))
        if distinct(boxes) == max(box.start + box.span for box in map(normal, boxes)) - first:
            continue  # together they leave no gaps
        step, width = min(step for step in steps if step), context.width(pointer)
        least, _ = context.card.transfer
        used = max(width, least // step)
        doing = "read" if found[0].kind == "load" else "written"
        yield f"stride: {pointer} is {doing} {step} elements apart, so {used} of each {least} bytes moved are used"


def narrow(context: Context) -> Iterator[str]:
    """Tensors whose neighbouring elements are other programs', under every block that Inductor has for the axis that they lie along.

    Along a reduction they are the same program's, in the next turn of its loop.
    """
    least, called = context.card.transfer
    axes = [axis for axis, extent in context.computation.numel.items() if extent != 1]
    found: dict[tuple[str, int], dict[str, int]] = {}
    for access in context.computation.accesses if context.kernel.category in COVERED and len(axes) > 1 else ():
        walks = {axis: runs(access, context.computation, axis) for axis in axes}
        along = [axis for axis, walk in walks.items() if walk and abs(walk[0][1]) == 1]
        width, moved = context.width(access.pointer), (context.values(access) or 0) * context.width(access.pointer)
        if (
            len(along) == 1
            and not along[0].startswith("r")
            and all(walks.values())
            and walks[along[0]][0][0] * width >= least
            and moved >= LEAST_NARROW
        ):
            found.setdefault((along[0], width), {})[access.pointer] = moved
    for (axis, width), moved_by in found.items():
        block, named = f"{axis.upper()}BLOCK", f"{' and '.join(moved_by)} ({size(sum(moved_by.values()))})"
        tried = [one.constants[block] for one in candidates(context.kernel, context.card) if block in one.constants]
        if (held := max(tried, default=least)) * width < least:
            most = "at most " if len(set(tried)) > 1 else ""
            yield (
                f"narrow: a program holds {most}{held} along {axis}, the contiguous axis of {named}: each {called} of {least} bytes "
                f"is moved for {least // (held * width)} programs, with {block} {least // width} for one; no such block is timed"
            )


def repeated(context: Context) -> Iterator[str]:
    """Tensors that several loads reach at the same elements."""
    for pointer in dict.fromkeys(a.pointer for a in context.computation.loads):
        loads = [a for a in context.computation.loads if a.pointer == pointer and not _own_store(context, a)]
        boxes = [box for a in loads if (box := context.computation.box(a))]
        if len(loads) < 2 or len(boxes) < len(loads):
            continue
        by_address, once = sum(box.count for box in boxes), distinct(boxes)
        width = context.width(pointer)
        if by_address > once and (by_address - once) * width >= FEW_BYTES:
            rows = [
                _row(context, a) for a in loads if a.looped and any(a is not b and a.index == b.index for b in loads)
            ]
            held = rows[0] if rows else ""
            yield (
                f"read twice: {pointer} has {len(loads)} loads, {size(by_address * width)} by address "
                f"for {size(once * width)}: cheap only while the repeats hit in cache"
            ) + (f"; {held} loads it once" if held else "")


def gathered_twice(context: Context) -> Iterator[str]:
    """Rows that the data points at, loaded again by the same indices, as by the second loop along a row."""
    same: dict[tuple[str, Index, int], list[Access]] = {}
    for access in context.computation.loads:
        if access.gathered and not access.searched and not _own_store(context, access):
            same.setdefault((access.pointer, access.index, id(access.mask)), []).append(access)
    for (pointer, _, _), loads in same.items():
        again = (context.computation.reach(loads[0]) or 0) * context.width(pointer) * (len(loads) - 1)
        if again >= FEW_BYTES:
            yield f"read twice: {pointer} is gathered {_times(len(loads))} by the same indices, {size(again)} again: keep what was loaded"


def read_back(context: Context) -> Iterator[str]:
    """What a program stores and loads again itself, as the second loop along a row does with what the first one wrote."""
    for load in context.computation.loads:
        if (store := _own_store(context, load)) is None:
            continue
        moved = (context.values(load) or 0) * context.width(load.pointer)
        held = _row(context, load) if store.looped else ""
        if moved >= FEW_BYTES:
            kept = f"{held} has it in registers" if held else ""
            here = "" if store.looped else "the value is still in a register"
            yield (
                f"read back: {load.pointer} is stored and loaded again by the same program, {size(moved)}: "
                f"{kept or here or 'cheap only while it hits in cache'}"
            )


def _own_store(context: Context, load: Access) -> Access | None:
    """The store before a load, by the same program, to the very elements that it reads."""
    if not isinstance(load.value, Load) or not load.value.version:
        return None
    before = [a for a in context.computation.stores if a.pointer == load.pointer and a.line < load.line]
    same = before and before[-1].kind == "store" and (before[-1].index, before[-1].mask) == (load.index, load.mask)
    return before[-1] if same else None


def _row(context: Context, access: Access) -> str:
    """What has the row that one result takes of a tensor, where its elements follow each other and fill no more than a quarter of a
    multiprocessor's registers; empty where they do not."""
    folded = [axis for axis, extent in context.computation.numel.items() if axis.startswith("r") and extent != 1]
    along = runs(access, context.computation, folded[0]) if len(folded) == 1 else ()
    if len(along) != 1 or along[0][1] != 1:
        return ""
    (length, _), (axis,), shape = along[0], folded, geometry(context.kernel, context.computation, context.card)
    if shape and shape.blocks[axis] >= length:
        return f"a body without a loop, as {axis.upper()}BLOCK {shape.blocks[axis]:,} holds a whole row,"
    row = size(length * context.width(access.pointer))
    return f"a block that holds a whole row, {row} of it," if length <= context.card.registers // 4 else ""


def written_twice(context: Context) -> Iterator[str]:
    """One value that is stored in several tensors of one dtype, at the same places."""
    same: dict[tuple[int, int, str], list[Access]] = {}
    for access in context.computation.accesses:
        if access.kind == "store" and access.value is not None and not isinstance(seen(access.value), Constant):
            dtype = next((a.dtype for a in context.kernel.arguments if a.name == access.pointer), "")
            same.setdefault((id(seen(access.value)), id(access.mask), dtype), []).append(access)
    for stores in same.values():
        named = list(dict.fromkeys(store.pointer for store in stores))
        count = context.values(stores[0])
        if len(named) > 1 and not any(store.gathered for store in stores):
            moved = count * context.width(named[0]) if count else None
            few = ", too little to cost time" if moved is not None and moved < FEW_BYTES else ""
            yield f"written {_times(len(named))}: {' and '.join(named)} get the same {size(moved) if moved else 'values'}{few}"


def _times(count: int) -> str:
    return {2: "twice"}.get(count, f"{count} times")
