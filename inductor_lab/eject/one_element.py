"""A job of one element, as jobs of many are written: what stands at the tensor's only place is read and written at the offset.

tmp0 = tl.load(in_ptr0 + (0)), as wide as the block        tl.load(in_ptr0 + x0, x0 < 1)

The element is the same, and lanes outside hold nothing that is stored.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace

from inductor_lab.computation.folds import masks
from inductor_lab.computation.index import Coordinate, Index
from inductor_lab.computation.records import Computation
from inductor_lab.computation.schedule import Access
from inductor_lab.computation.tree import Broadcast, Constant, Expression, Inside, Load, Operation
from inductor_lab.eject.rewriting import Rewriting

FIRST = Index(0)
"""The only place."""


def as_many(part: Computation, others: Sequence[Computation]) -> Iterator[Computation]:
    """The job as each of the others is written that reads as many tensors of many elements; nothing for a job of more than an element."""
    if [axis.numel for axis in part.schedule.axes] != [1]:
        return
    (axis,) = part.schedule.axes
    offset, known = Index.of(Coordinate(axis.name, 1, None)), set[frozenset[str]]()
    for other in others:
        pairs = list(zip(part.accesses, other.accesses, strict=False))
        moved = frozenset(one.pointer for one, many in pairs if one.index == FIRST and many.index == offset)
        if moved and moved not in known and len(part.accesses) == len(other.accesses):
            known.add(moved)
            yield _AtOffset(moved, offset, axis.name).computation(part)


class _AtOffset(Rewriting):
    def __init__(self, pointers: frozenset[str], offset: Index, axis: str) -> None:
        super().__init__()
        self.pointers, self.offset = pointers, offset
        self.axes = frozenset({axis})
        self.inside = self.nodes.make(Inside, "bool", self.axes, axis)

    def simple(self, value: Expression) -> Expression:
        match value:
            case Load(pointer=pointer, index=index, mask=None) if pointer in self.pointers and index == FIRST:
                return self.nodes.make(
                    Load, value.dtype, self.axes, pointer, self.offset, self.inside, None, value.version
                )
            case Broadcast(operand=Load(index=self.offset) as load):
                return load
            case Operation(name="where", inputs=(condition, Load(index=self.offset) as load, Constant())) if masks(
                condition
            ):
                return load
        return value

    def access(self, access: Access) -> Access:
        if access.pointer not in self.pointers or access.index != FIRST:
            return access
        return replace(access, index=self.offset, mask=access.mask or self.inside)
