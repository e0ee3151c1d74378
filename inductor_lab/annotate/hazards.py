"""What may cost time in a kernel, or surprise: few remarks, each true of this body, with its numbers."""

from __future__ import annotations

from collections.abc import Callable, Iterator

from inductor_lab.annotate.context import Context
from inductor_lab.annotate.geometry import geometry, idle, listed, partial
from inductor_lab.annotate.heuristics import kept
from inductor_lab.computation import Access
from inductor_lab.computation.footprint import distinct, normal
from inductor_lab.computation.idioms import seen
from inductor_lab.computation.index import Coordinate, behind
from inductor_lab.computation.tree import Constant, Operation, pointers
from inductor_lab.dtypes import ITEMSIZE
from inductor_lab.quantity import plural, size

WIDE = 256
"""Rows of this many bytes or more are gathered about as fast as they are streamed."""
FEW_BYTES = 4096
"""What is written or read twice below this costs nothing that could be measured."""
FEW_LANES = 32
"""A block that is no longer than one warp idles whatever its length."""


def gathers(context: Context) -> Iterator[str]:
    rows: dict[int, list[str]] = {}
    least, called = context.card.transfer
    for access in context.computation.accesses:
        if access.gathered and access.kind == "load":
            ones = [t.of for t in access.index.terms if t.factor == 1 and not t.sizes and isinstance(t.of, Coordinate)]
            width = max((context.extent(term) or 1 for term in ones), default=1) * _width(context, access.pointer)
            rows.setdefault(width, []).append(access.pointer)
    for width, named in rows.items():
        if width < WIDE:
            whole = (
                f"{width / least:.0f} {called}s of {least} bytes each"
                if width >= least
                else f"less than a {called} of {least}"
            )
            names = " and ".join(dict.fromkeys(named))
            yield f"gather: rows of {size(width)} from {names}, wherever the data points: {whole}"


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
        step, width = min(step for step in steps if step), _width(context, pointer)
        least, _ = context.card.transfer
        used = max(width, least // step)
        doing = "read" if found[0].kind == "load" else "written"
        yield f"stride: {pointer} is {doing} {step} elements apart, so {used} of each {least} bytes moved are used"


def repeated(context: Context) -> Iterator[str]:
    """Tensors that several loads reach at the same elements."""
    for pointer in dict.fromkeys(a.pointer for a in context.computation.accesses if a.kind == "load"):
        loads = [a for a in context.computation.accesses if a.pointer == pointer and a.kind == "load"]
        boxes = [box for a in loads if (box := context.computation.box(a))]
        if len(loads) < 2 or len(boxes) < len(loads):
            continue
        by_address, once = sum(box.count for box in boxes), distinct(boxes)
        width = _width(context, pointer)
        if by_address > once and (by_address - once) * width >= FEW_BYTES:
            yield (
                f"read twice: {pointer} has {len(loads)} loads, {size(by_address * width)} by address "
                f"for {size(once * width)}: cheap only while the repeats hit in cache"
            )


def redundant_remainders(context: Context) -> Iterator[str]:
    total = context.total()
    for assigned in context.computation.lines.values():
        match next(iter(assigned.values()), None):
            case Operation(name="mod", inputs=(_, by)) as value if pointers(by) and total:
                needed = 1
                for _, extent in {digit for coordinate in behind(value) for digit in _digits(context, coordinate)}:
                    needed *= extent
                repeats = total // max(needed, 1)
                often = f", here for each element, {repeats} times for each of {needed:,} values" if repeats > 1 else ""
                yield f"remainder: an integer % by a loaded number takes tens of instructions{often}"


def idle_lanes(context: Context) -> Iterator[str]:
    """Reductions that stand in one block which is much longer than they are."""
    for size_of_row, lanes in idle(context.computation).values():
        if lanes >= FEW_LANES and (lanes - size_of_row) * 8 >= lanes:
            yield (
                f"idle: {lanes - size_of_row:,} of each {lanes:,} lanes never have work: a row has {size_of_row:,} elements, and its "
                "block is the next power of two"
            )


def unfilled_blocks(context: Context) -> Iterator[str]:
    """Axes that the blocks of the configuration do not divide: of a tile of several axes, or of a loop along a row."""
    shape = geometry(context.kernel, context.computation, context.card)
    if shape is None or shape.block < FEW_LANES or len(context.computation.numel) < 2:
        return
    for axis, (elements, lanes) in partial(shape, context.computation).items():
        if (lanes - elements) * 8 < lanes:
            continue
        block = shape.blocks[axis]
        named = f"{axis.upper()}BLOCK {block:,}"
        along = "a row" if axis.startswith("r") else axis
        several = not kept(context.kernel, context.card) and listed(context.kernel, context.card)
        chosen = ", the first that the autotuner times" if several else ""
        yield f"idle: {lanes - elements:,} of each {lanes:,} lanes along {along} never have work: {elements:,} elements by {named}{chosen}"


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
            moved = count * _width(context, named[0]) if count else None
            few = ", too little to cost time" if moved is not None and moved < FEW_BYTES else ""
            yield f"written {_times(len(named))}: {' and '.join(named)} get the same {size(moved) if moved else 'values'}{few}"


def _times(count: int) -> str:
    return {2: "twice"}.get(count, f"{count} times")


def too_small(context: Context) -> Iterator[str]:
    shape = geometry(context.kernel, context.computation, context.card)
    if shape and shape.programs * 4 <= context.card.processors:
        yield f"small: {plural(shape.programs, 'program')} for {plural(context.card.processors, context.card.processor)}"


def _digits(context: Context, coordinate: Coordinate) -> list[tuple[int, int]]:
    digits = context.computation.digits.get(coordinate.axis)
    parts = digits.of(coordinate) if digits else None
    return [(stride, extent) for stride, extent, _ in parts or ()]


def _width(context: Context, pointer: str) -> int:
    return next((ITEMSIZE.get(a.dtype, 4) for a in context.kernel.arguments if a.name == pointer), 4)


CHECKS: tuple[Callable[[Context], Iterator[str]], ...] = (
    gathers,
    atomics,
    strides,
    repeated,
    written_twice,
    idle_lanes,
    unfilled_blocks,
    redundant_remainders,
    too_small,
)


def hazards(context: Context) -> list[str]:
    """Every remark that holds, the most general first."""
    if context.computation.branches:
        return []
    return list(dict.fromkeys(remark for check in CHECKS for remark in check(context)))
