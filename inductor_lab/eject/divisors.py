"""Whole numbers that divide, and of which nothing else is asked: of either sign, 0 only where something else divides in its place.

tmp2 = tmp0 // tmp1                                      1 and more; -2, -3 and the most negative one
tmp2 = tmp0 // tl.where(tmp1 == 0, 1, tmp1)              0 too
tmp2 = tmp0 // tl.where(tmp1 == 0, 1, tl.abs(tmp1))      any
tmp2 = tmp0 // (tmp1 + 1)                                0 and more: -1 would divide by 0

Nothing is divided by -1: of the smallest number of a dtype that is no number of it, and torch's own division stops there on some processors.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from dataclasses import replace

from inductor_lab.computation.operators import DIVISIONS
from inductor_lab.computation.records import Computation
from inductor_lab.computation.tree import Expression, Operation, walk
from inductor_lab.eject.intervals import Bounds, Interval, exactly
from inductor_lab.eject.unasked import Inside, asking, made_of, unasked

Divides = Callable[[str, tuple[int, int]], bool]
"""Whether no division is by 0 while a pointer holds a range of numbers."""


def divisions(job: Computation) -> Iterator[tuple[Expression, Expression]]:
    """What is divided by what, in whole numbers."""
    roots = [part for a in job.stores for part in (a.value, a.mask, *a.index.expressions()) if part is not None]
    for node in walk(*roots):
        if _divides(node):
            left, right = node.operands
            yield left, right


def dividing(found: Computation) -> set[str]:
    """The pointers whose numbers divide."""
    return made_of(right for job in found.every() for _, right in divisions(job))


def divisors(
    found: Computation,
    bounds: Callable[[Computation], Bounds],
    inside: Inside,
    usual: Mapping[str, tuple[int, int]],
    divides: Divides,
) -> dict[str, tuple[int, ...]]:
    """Pointer -> its numbers, where it may hold more than positive ones.

    Args:
        usual: Pointer -> the range of the usual numbers of its dtype.
    """
    free = unasked(found, bounds, inside, _asking)
    fills: dict[str, tuple[int, ...]] = {}
    for pointer in sorted(dividing(found)):
        least, end = usual[pointer]
        if free.get(pointer, exactly(0)) is not None or not divides(pointer, (1, end)):
            continue  # something else is asked, or it is compared with places
        negative, zero = least < 0 and divides(pointer, (least, 0)), divides(pointer, (0, 1))
        if negative and zero and not _by_minus_one(found, bounds, pointer, least):
            fills[pointer] = (least, end)
        elif negative or zero:
            others = (-2, -3, least) if negative else ()
            fills[pointer] = (0, end, *others) if zero else (1, end - 1, *others)
    return fills


def _by_minus_one(found: Computation, bounds: Callable[[Computation], Bounds], pointer: str, least: int) -> bool:
    """Whether a negative number of a tensor may come to a division by -1."""
    for job in found.every():
        known = replace(bounds(job), loads={pointer: Interval(least, -1)}, found={})
        if any(pointer in made_of([right]) and known.of(right).holds(-1) for _, right in divisions(job)):
            return True
    return False


def _asking(node: Expression) -> tuple[Expression, ...]:
    """The operands of which something else is asked than to divide."""
    return () if _divides(node) else asking(node)


def _divides(node: Expression) -> bool:
    return (
        isinstance(node, Operation)
        and node.name in DIVISIONS
        and len(node.inputs) == 2
        and all("int" in operand.dtype for operand in node.inputs)
    )
