"""The memory that a launch passes: its sizes as numbers, and whether every address stays inside its tensor."""

from __future__ import annotations

import itertools
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from math import prod

from inductor_lab.computation.index import Index
from inductor_lab.computation.records import Computation
from inductor_lab.computation.tree import Expression, Load, pointers, walk
from inductor_lab.eject.inputs.domain import Domain
from inductor_lab.eject.inputs.intervals import Bounds, Interval, exactly
from inductor_lab.eject.inputs.uses import divisions
from inductor_lab.records import TensorType

WAYS = 512
"""Ways to choose among the ranges and the single numbers of domains that are tried."""


@dataclass(frozen=True)
class Allocation:
    """The tensors of a launch."""

    tensors: Mapping[str, TensorType | None]
    """Pointer -> its type, as the launch passes it."""
    sizes: Mapping[str, int]
    """`ks0`, `s77` -> a number, where sizes are symbolic."""

    def bounds(self, job: Computation) -> Bounds:
        """The bounds of a job's values, while nothing is known of what is loaded."""
        return Bounds(job.numel, bound_names(job, self.sizes))

    def last(self, pointer: str, bounds: Bounds) -> int | None:
        """The last address of a tensor; None where its type or a size is not known."""
        type_ = self.tensors.get(pointer)
        if type_ is None:
            return None
        total = 0
        for size, step in zip(type_.shape, type_.stride, strict=True):
            places, stride = bounds.number(size), bounds.number(step)
            if places is None or stride is None:
                return None
            total += max(places - 1, 0) * stride
        return total

    def inside(self, bounds: Bounds, pointer: str, index: Index) -> bool:
        """Whether an address stays inside a tensor, or no data decides it."""
        return not index.expressions() or stays(bounds, index, self.last(pointer, bounds))

    def valid(self, job: Computation, domains: Mapping[str, Domain], pointer: str) -> bool:
        """Whether every address that a tensor decides stays inside, every check of it holds and nothing is divided by 0, whichever numbers of
        their domains the elements of all tensors are."""
        known = self.bounds(job)
        for target, index in addresses(job):
            decides = index.expressions()
            if pointer in pointers(*decides):
                last = self.last(target, known)
                if not all(stays(bounds, index, last) for bounds in _ways(known, domains, *decides)):
                    return False
        checks = [check.condition for check in job.checks if pointer in pointers(check.condition)]
        by = [right for _, right in divisions(job) if pointer in pointers(right)]
        return all(
            bounds.decided(condition) for condition in checks for bounds in _ways(known, domains, condition)
        ) and not any(bounds.of(right).holds(0) for right in by for bounds in _ways(known, domains, right))


def stays(bounds: Bounds, index: Index, last: int | None) -> bool:
    """Whether an address is none before the first and none behind the last."""
    room = bounds.index(index)
    return last is not None and room.low >= 0 and room.high <= last


def addresses(job: Computation) -> Iterator[tuple[str, Index]]:
    """Every address whose place the data decides, with its pointer."""
    found = [(access.pointer, access.index) for access in job.stores]
    found += [(n.pointer, n.index) for n in job.nodes if isinstance(n, Load) and n.index is not None]
    yield from ((pointer, index) for pointer, index in dict.fromkeys(found) if index.expressions())


def bound_names(job: Computation, sizes: Mapping[str, int]) -> dict[str, int]:
    """The names of the body beside those of the launch."""
    known = dict(sizes)
    bounds = Bounds(job.numel, sizes)
    for name, text in job.sizes.items():
        value = bounds.number(text)
        if name not in known and value is not None:
            known[name] = value
    return known


def _ways(known: Bounds, domains: Mapping[str, Domain], *roots: Expression) -> Iterator[Bounds]:
    """The bounds of some values, for each way in which what they load is in its range or one of the numbers besides."""
    drawn = [(n, domains.get(n.pointer)) for n in walk(*roots) if isinstance(n, Load)]
    rooms = {id(n): [Interval(d[0], d[1] - 1), *map(exactly, d[2:])] for n, d in drawn if isinstance(d, tuple)}
    if prod(map(len, rooms.values())) > WAYS:
        yield Bounds(known.numel, known.sizes)  # nothing is known of what is loaded
    else:
        for way in itertools.product(*rooms.values()):
            yield Bounds(known.numel, known.sizes, found=dict(zip(rooms, way, strict=True)))
