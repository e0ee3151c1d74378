"""Arithmetic that is dear, or that is done for nothing; lanes, programs and multiprocessors that have nothing to do."""

from __future__ import annotations

from collections.abc import Iterator
from math import prod

from inductor_lab.annotate.context import LONGEST, Context
from inductor_lab.bind import geometry
from inductor_lab.bind.heuristics import kept
from inductor_lab.computation.addresses import index_of
from inductor_lab.computation.idioms import number, seen
from inductor_lab.computation.index import Coordinate, Term, behind
from inductor_lab.computation.tree import Cast, Expression, Operation, Reduction, pointers, walk
from inductor_lab.quantity import plural

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
