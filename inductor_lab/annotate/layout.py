"""In which order an access walks through memory: runs of consecutive elements, jumps, transposes.

x over 64*(x1 % 1024) + 65536*(x0 // 64) + x0 % 64        in runs of 64 consecutive elements, 65,536 apart
x, y over y + 3136*x                                      consecutive along y, 3,136 apart along x
r0_ over x + 512*r0                                       512 apart along the reduction, consecutive from row to row
"""

from __future__ import annotations

from collections.abc import Sequence

from inductor_lab.computation import Access, Computation
from inductor_lab.computation.index import Coordinate

Run = tuple[int, int]
"""(elements, step between them), in elements of the tensor."""


def layout(access: Access, found: Computation) -> str:
    """How neighbouring iterations step through memory; empty where they follow each other, or where that is not known."""
    walked = {axis: walk for axis, size in found.numel.items() if size != 1 and (walk := runs(access, found, axis))}
    moving = {axis: walk for axis, walk in walked.items() if walk[0][1]}
    if not moving or len(walked) < sum(size != 1 for size in found.numel.values()):
        return ""
    reduced = [axis for axis in moving if axis.startswith("r")]
    if reduced:
        return _along_rows(moving, reduced)
    if len(moving) > 1:
        ordered = sorted(moving, key=lambda axis: moving[axis][0][1])
        return ", ".join(f"{_along(moving[axis])} along {axis}" for axis in ordered)
    (walk,) = moving.values()
    (length, step), *outer = walk
    if step > 1:
        return f"transposed: neighbouring elements of the launch are {step:,} apart" if outer else ""
    if outer and outer[0][1]:
        return f"in runs of {length:,} consecutive elements, {abs(outer[0][1]):,} apart"
    return ""


def runs(access: Access, found: Computation, axis: str) -> tuple[Run, ...]:
    """The steps along one axis of the launch, innermost first, those joined that go on; empty where the address is not all known."""
    digits = found.digits.get(axis)
    if (
        digits is None
        or not digits.nested
        or any(not isinstance(t.of, Coordinate) or t.sizes for t in access.index.terms)
    ):
        return ()
    steps = {stride: 0 for stride, _ in digits.parts}
    for term in access.index.terms:
        if isinstance(term.of, Coordinate) and term.of.axis == axis:
            parts = digits.of(term.of)
            if parts is None:
                return ()
            for stride, _, weight in parts:
                steps[stride] += term.factor * weight
    sizes = {stride: _limited(access, found, axis, stride, size) for stride, size in digits.parts}
    return tuple(joined([(sizes[stride], steps[stride]) for stride, size in digits.parts if sizes[stride] != 1]))


def _limited(access: Access, found: Computation, axis: str, stride: int, size: int) -> int:
    """How many values of a digit a mask leaves: half of them, in one side of a concatenation."""
    low, high = 0, size
    for limit in access.limits:
        if limit.coordinate.axis == axis and found.digits[axis].of(limit.coordinate) == ((stride, size, 1),):
            low, high = max(low, limit.low), min(high, limit.high if limit.high is not None else size)
    return max(high - low, 1)


def joined(walk: Sequence[Run]) -> list[Run]:
    """The same walk in as few runs as it takes."""
    found: list[Run] = []
    for size, step in walk:
        if found and step == found[-1][0] * found[-1][1]:
            found[-1] = (found[-1][0] * size, found[-1][1])
        else:
            found.append((size, step))
    return found


def _along_rows(moving: dict[str, tuple[Run, ...]], reduced: list[str]) -> str:
    """Nothing of a row that lies in one piece."""
    walk = min((moving[axis] for axis in reduced), key=lambda walk: abs(walk[0][1]))
    across = [abs(walk[0][1]) for axis, walk in moving.items() if axis not in reduced]
    if abs(walk[0][1]) == 1 and len(walk) > 1:
        return f"{_along(walk)} along the reduction"
    if abs(walk[0][1]) == 1 or not across:
        return ""
    return f"{abs(walk[0][1]):,} apart along the reduction, {_apart(min(across))} from row to row"


def _along(walk: tuple[Run, ...]) -> str:
    """`consecutive`, or how long it is so."""
    (length, step), *outer = walk
    return f"in runs of {length:,}" if abs(step) == 1 and outer and outer[0][1] else _apart(step)


def _apart(step: int) -> str:
    return "consecutive" if abs(step) == 1 else f"{abs(step):,} apart"
