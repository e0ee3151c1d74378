"""Numbers that a kernel compares a tensor's elements with, added to what they are drawn from."""

from __future__ import annotations

from collections.abc import Container, Mapping

from inductor_lab.computation.records import Computation
from inductor_lab.eject.compared import fits
from inductor_lab.eject.fills import Fill
from inductor_lab.eject.reach import Reach
from inductor_lab.eject.valid import valid

FEW = 64
"""Numbers of a range that chance alone draws each."""


def with_compared(
    found: Computation,
    reach: Reach,
    fills: Mapping[str, Fill],
    dtypes: Mapping[str, str],
    asked: Container[str],
    told: Mapping[str, Mapping[int, bool]],
) -> dict[str, Fill]:
    """The fills with those numbers. Outside of its range an element may be one that a condition keeps from every address.

    Args:
        asked: Pointers of which something is asked.
        told: Pointer -> the numbers, and whether each is told from all others.
    """
    made = dict(fills)
    for pointer, numbers in told.items():
        for value, alone in sorted(numbers.items()):
            fill = made.get(pointer)
            if not isinstance(fill, tuple) or not fits(value, dtypes[pointer]):
                continue
            more: Fill = (*fill, value)
            if fill[0] <= value < fill[1]:  # the edge values are the ends
                made[pointer] = more if fill[1] - fill[0] > FEW and value not in (fill[0], fill[1] - 1) else fill
            elif pointer not in asked or (alone and valid(found, reach, {**made, pointer: more}, pointer)):
                made[pointer] = more
    return made
