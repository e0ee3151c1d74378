"""What a kernel moves more often, or in smaller pieces, than its values need."""

from __future__ import annotations

from collections.abc import Iterator

from inductor_lab.annotate.context import Context
from inductor_lab.computation import Access
from inductor_lab.computation.footprint import distinct, normal
from inductor_lab.computation.idioms import seen
from inductor_lab.computation.index import Coordinate
from inductor_lab.computation.tree import Constant
from inductor_lab.quantity import size

WIDE = 256
"""Rows of this many bytes or more are gathered about as fast as they are streamed."""
FEW_BYTES = 4096
"""What is written or read twice below this costs nothing that could be measured."""


def gathers(context: Context) -> Iterator[str]:
    rows: dict[int, list[str]] = {}
    least, called = context.card.transfer
    for access in context.computation.accesses:
        if access.gathered and access.kind == "load":
            ones = [t.of for t in access.index.terms if t.factor == 1 and not t.sizes and isinstance(t.of, Coordinate)]
            width = max((context.extent(term) or 1 for term in ones), default=1) * context.width(access.pointer)
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
        step, width = min(step for step in steps if step), context.width(pointer)
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
        width = context.width(pointer)
        if by_address > once and (by_address - once) * width >= FEW_BYTES:
            yield (
                f"read twice: {pointer} has {len(loads)} loads, {size(by_address * width)} by address "
                f"for {size(once * width)}: cheap only while the repeats hit in cache"
            )


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
