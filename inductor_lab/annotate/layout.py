"""In which steps an access walks through memory along an axis of the launch.

x over 64*(x1 % 1024) + 65536*(x0 // 64) + x0 % 64        64 consecutive elements, then 65,536 on
"""

from __future__ import annotations

from collections.abc import Sequence

from inductor_lab.computation import Access, Computation

Run = tuple[int, int]
"""(elements, step between them), in elements of the tensor."""


def runs(access: Access, found: Computation, axis: str) -> tuple[Run, ...]:
    """The steps along one axis of the launch, innermost first, those joined that go on; empty where the address is not all known."""
    digits, steps, ranges = found.digits.get(axis), found.steps(access.index), found.ranges(access.mask)
    if digits is None or not digits.nested or steps is None:
        return ()
    walk = [(ranges[axis, stride], steps.get((axis, stride), 0)) for stride, _ in digits.parts]
    return tuple(joined([(high - low, step) for (low, high), step in walk if high - low > 1]))


def joined(walk: Sequence[Run]) -> list[Run]:
    """The same walk in as few runs as it takes."""
    found: list[Run] = []
    for size, step in walk:
        if found and step == found[-1][0] * found[-1][1]:
            found[-1] = (found[-1][0] * size, found[-1][1])
        else:
            found.append((size, step))
    return found
