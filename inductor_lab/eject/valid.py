"""Whether a kernel stays inside its memory and stops nowhere, whichever numbers of their fills the elements of its tensors are."""

from __future__ import annotations

import itertools
from collections.abc import Iterator, Mapping
from math import prod

from inductor_lab.computation.records import Computation
from inductor_lab.computation.tree import Expression, Load, pointers, walk
from inductor_lab.eject.divisors import divisions
from inductor_lab.eject.fills import Fill
from inductor_lab.eject.intervals import Bounds, Interval, exactly
from inductor_lab.eject.reach import Reach, addresses, stays

WAYS = 512
"""Ways to choose among the ranges and the single numbers of fills that are tried."""


def valid(found: Computation, reach: Reach, fills: Mapping[str, Fill], pointer: str) -> bool:
    """Whether every address that a tensor decides stays inside, every check of it holds and nothing is divided by 0."""
    return all(_valid(job, reach, fills, pointer) for job in found.every())


def _valid(job: Computation, reach: Reach, fills: Mapping[str, Fill], pointer: str) -> bool:
    known = reach.bounds(job)
    for target, index in addresses(job):
        decides = index.expressions()
        if pointer in pointers(*decides):
            last = reach.last(target, known)
            if not all(stays(bounds, index, last) for bounds in _ways(known, fills, *decides)):
                return False
    checks = [check.condition for check in job.checks if pointer in pointers(check.condition)]
    by = [right for _, right in divisions(job) if pointer in pointers(right)]
    return all(
        bounds.decided(condition) for condition in checks for bounds in _ways(known, fills, condition)
    ) and not any(bounds.of(right).holds(0) for right in by for bounds in _ways(known, fills, right))


def _ways(known: Bounds, fills: Mapping[str, Fill], *roots: Expression) -> Iterator[Bounds]:
    """The bounds of some values, for each way in which what they load is in its range or one of the numbers besides."""
    filled = [(n, fills.get(n.pointer)) for n in walk(*roots) if isinstance(n, Load)]
    rooms = {id(n): [Interval(f[0], f[1] - 1), *map(exactly, f[2:])] for n, f in filled if isinstance(f, tuple)}
    if prod(map(len, rooms.values())) > WAYS:
        yield Bounds(known.numel, known.sizes)  # nothing is known of what is loaded
    else:
        for way in itertools.product(*rooms.values()):
            yield Bounds(known.numel, known.sizes, found=dict(zip(rooms, way, strict=True)))
