"""Arithmetic that is dear, or that is done for nothing."""

from __future__ import annotations

from collections.abc import Iterator

from inductor_lab.annotate.context import Context
from inductor_lab.computation.index import Coordinate, behind
from inductor_lab.computation.tree import Operation, pointers


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


def _digits(context: Context, coordinate: Coordinate) -> list[tuple[int, int]]:
    digits = context.computation.digits.get(coordinate.axis)
    parts = digits.of(coordinate) if digits else None
    return [(stride, extent) for stride, extent, _ in parts or ()]
