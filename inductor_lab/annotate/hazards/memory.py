"""What a kernel moves more often, or in smaller pieces, than its values need.

Beside the others of its graph: buffers that nobody reads, fills for a scatter, tensors that its neighbour reads too.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from math import gcd

from inductor_lab.annotate.context import Context
from inductor_lab.annotate.facts import runs
from inductor_lab.annotate.steps import Step, steps
from inductor_lab.annotate.stops import LEAST_TOLD, told
from inductor_lab.bind.elements import nbytes, type_of
from inductor_lab.bind.geometry import COVERED, geometry
from inductor_lab.bind.heuristics import candidates
from inductor_lab.computation import Access, Computation
from inductor_lab.computation.idioms import number, seen
from inductor_lab.computation.space import Box, distinct, normal
from inductor_lab.computation.tree import Constant, Load
from inductor_lab.quantity import duration, plural, size
from inductor_lab.records import Capture, LaunchArgument


def unread(context: Context, capture: Capture) -> Iterator[str]:
    """Outputs that every launch leaves, and nobody reads."""
    launches = context.kernel.launches
    for pointer in context.unread:
        moved = sum(nbytes(a.type) or 0 for launch in launches for a in launch.arguments if a.name == pointer)
        behind = "the launch" if len(launches) == 1 else f"all {len(launches)} launches"
        own = any(load.pointer == pointer for load in context.computation.loads)
        rest, keep = (", only the kernel itself", "keep the value and ") if own else ("", "")
        if moved >= FEW_BYTES:
            yield (
                f"nobody reads {pointer} after {behind}{rest}: {size(moved)} written, "
                f"{duration(moved / context.card.reachable)}; {keep}leave out the store"
            )


def fills(context: Context, capture: Capture) -> Iterator[str]:
    """A number everywhere, where the next that touches the buffer writes only where its data points."""
    value = _everywhere(context.computation)
    found: list[tuple[LaunchArgument, Step]] = []
    earlier = True  # whether a kernel stands before each of them that could fill besides
    for of_graph, place in _places(context, capture) if value is not None else ():
        for written in of_graph[place].writes:
            following = next((s for s in of_graph[place + 1 :] if s.touches(written.storage)), None)
            if written.storage and following and _scatters(following, written.storage):
                found.append((written, following))
                last = max((n for n, s in enumerate(of_graph[:place]) if s.touches(written.storage)), default=-1)
                earlier &= any(s.kernel and s.id != context.kernel.id for s in of_graph[last + 1 : place])
    instead = " or ".join(["a memset"] * (value == 0) + ["a kernel before it, besides its own work,"] * earlier)
    if found and instead:
        (largest, scattering), others = max(found, key=lambda pair: nbytes(pair[0].type) or 0), len(found) - 1
        moved = size(sum(nbytes(written.type) or 0 for written, _ in found))
        are = f" and {plural(others, 'other buffer')}, {moved}, are" if others else f", {moved}, is"
        more = len({step.id for _, step in found} - {scattering.id})
        follow = (
            f"{scattering.id} and {plural(more, 'other')}, write only where their"
            if more
            else f"{scattering.id}, writes only where its"
        )
        yield f"{largest.value}{are} set to {value:g} since what follows, {follow} data points: {instead} can do that instead"


def _places(context: Context, capture: Capture) -> Iterator[tuple[Sequence[Step], int]]:
    """Each launch of the kernel: the steps of its graph, and which of them it is."""
    for graph in dict.fromkeys(launch.graph for launch in context.kernel.launches):
        of_graph = steps(capture).get(graph, [])
        yield from ((of_graph, place) for place, step in enumerate(of_graph) if step.id == context.kernel.id)


def _everywhere(found: Computation) -> float | None:
    """The number that is all that a body stores."""
    stored = [access.value for access in found.accesses if access.kind == "store" and not access.gathered]
    values = {number(value) for value in stored if value is not None}
    whole = len(stored) == len(found.accesses) and not found.branches
    return values.pop() if whole and len(values) == 1 else None


SCATTERING = ("scatter", "index_put", "index_add")
"""In the names of library calls that write at places which a tensor names."""


def _scatters(step: Step, storage: str) -> bool:
    """Whether a step writes a buffer at addresses that data decides, and nowhere else."""
    if step.kernel is None:
        return any(word in step.id for word in SCATTERING) and any(a.storage == storage for a in step.writes)
    names = {argument.name for argument in step.writes if argument.storage == storage}
    stores = [a for job in step.jobs() for a in job.stores if a.pointer in names]
    return bool(stores) and all(store.gathered for store in stores)


def stopped(context: Context, capture: Capture) -> Iterator[str]:
    """What it leaves in memory for others; a fill is told already where they add to it."""
    yield from told(context.kernel, capture, but="added" if any(fills(context, capture)) else "")


def read_again(context: Context, capture: Capture) -> Iterator[str]:
    """Tensors of which the launch right before loads the same elements, and leaves nothing that this one waits for."""
    found: list[tuple[int, Step, list[str]]] = []
    for of_graph, place in _places(context, capture):
        before, step = of_graph[place - 1], of_graph[place]
        waits = place - 1 in step.producers.values() or any(step.touches(a.storage) for a in before.writes)
        if place and before.kernel and step.kernel and not waits:
            pairs = [(a, b) for a in step.reads for b in before.reads if (a.value, a.type) == (b.value, b.type)]
            common = {a.value: _common(before, b.name, step, a.name) * context.width(a.name) for a, b in pairs}
            found.append((sum(common.values()), before, [name for name, moved in common.items() if moved]))
    worth = [each for each in found if each[0] >= LEAST_TOLD]
    if worth:
        moved, before, names = max(worth, key=lambda each: each[0])
        launches, alike = len(context.kernel.launches), sum(each[1].id == before.id for each in worth)
        often = f" (so in {alike} of {launches} launches)" if launches > 1 else ""
        source = "at best from L2" if moved <= context.card.l2 else "from memory"
        yield (
            f"{', '.join(names)}, {size(moved)} {source}, which {before.id} loads right before{often}: "
            "neither needs what the other makes, so one kernel could load them once"
        )


def _common(one: Step, pointer: str, other: Step, of_other: str) -> int:
    """Elements of one tensor that two steps both load; none where data, branches or symbolic sizes decide which."""
    boxes = _loaded(one, pointer), _loaded(other, of_other)
    return distinct(boxes[0]) + distinct(boxes[1]) - distinct(boxes[0] + boxes[1])


def _loaded(step: Step, pointer: str) -> list[Box]:
    boxes = [job.box(a) for job in step.jobs() if not job.branches for a in job.loads if a.pointer == pointer]
    known = [box for box in boxes if box]
    return known if len(known) == len(boxes) else []


WIDE = 256
"""Rows of this many bytes or more are gathered about as fast as they are streamed."""
LEAST_NARROW = 1 << 16
"""A tensor of fewer bytes, 64 Ki, is served by the nearest cache however it is cut."""
FEW_BYTES = 4096
"""What is written or read twice below this costs nothing that could be measured."""

# In small pieces


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
    for access in context.computation.accesses if context.kernel.category in COVERED and len(axes) > 1 else ():
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


# More often than once


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
