"""What only trying tells: which numbers keep an address such as `t + 45*(t // 3) - 49` inside."""

from __future__ import annotations

import itertools
from bisect import bisect_left
from collections.abc import Mapping, Sequence
from functools import partial

from inductor_lab.computation.index import Index
from inductor_lab.computation.records import Computation
from inductor_lab.computation.tree import pointers
from inductor_lab.eject.fills import Fill
from inductor_lab.eject.intervals import Bounds, Interval, exactly
from inductor_lab.eject.reach import Reach, addresses, stays

TRIED = 512
"""Values of a range that are tried."""


def narrow(job: Computation, reach: Reach, fills: dict[str, Fill]) -> None:
    """Narrow the fills that still lead outside."""
    free = reach.bounds(job)
    sizes = free.sizes
    for pointer, index in addresses(job):
        last = reach.last(pointer, free)
        for chosen in sorted(pointers(*index.expressions())):
            fill = fills.get(chosen)
            if last is None or not isinstance(fill, tuple):
                continue
            known = {p: Interval(f[0], f[1] - 1) for p, f in fills.items() if isinstance(f, tuple)}
            if stays(Bounds(job.numel, sizes, known), index, last):
                break
            job_bounds = [Bounds(job.numel, sizes, known | {chosen: exactly(value)}) for value in range(TRIED)]
            valid = [value for value, bounds in enumerate(job_bounds) if stays(bounds, index, last)]
            valid = [value for value in valid if fill[0] <= value < fill[1]] or valid
            if valid:
                first, end = longest(valid)
                if end == TRIED:
                    leaves = partial(_leaves, job, sizes, known, chosen, index, last, first)
                    end += max(bisect_left(range(end, fill[1] + 1), True, key=leaves) - 1, 0)
                fills[chosen] = first, end


def _leaves(
    job: Computation,
    sizes: Mapping[str, int],
    known: Mapping[str, Interval],
    chosen: str,
    index: Index,
    last: int,
    first: int,
    end: int,
) -> bool:
    """Whether some value of `range(first, end)` may lead outside."""
    bounds = Bounds(job.numel, sizes, {**known, chosen: Interval(first, end - 1)})
    return not stays(bounds, index, last)


def longest(values: Sequence[int]) -> tuple[int, int]:
    """The longest run of consecutive numbers, its end not included."""
    best, start, length = values[0], values[0], 1
    for before, value in itertools.pairwise(values):
        start = start if value == before + 1 else value
        if value - start + 1 > length:
            best, length = start, value - start + 1
    return best, best + length
