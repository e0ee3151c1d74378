"""The memory that a launch passes: its sizes as numbers, and whether every address stays inside its tensor."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass

from inductor_lab.computation.index import Index
from inductor_lab.computation.records import Computation
from inductor_lab.computation.tree import Load
from inductor_lab.eject.inputs.intervals import Bounds
from inductor_lab.records import TensorType


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
