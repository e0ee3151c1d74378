"""An affine address as a view: which dimension of the iteration space walks along which part of a tensor.

in_ptr0 + (x0 + 64*x1 + 192*x2) of f32[8, 192]      reshape to 8, 3, 64: x2, x1, x0
in_ptr0 + (1024 + x0 + 4096*x1) of f32[16, 4096]    x1, and x0 in [1024:2048]
"""

from __future__ import annotations

import ast
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace

from inductor_lab.computation.index import Coordinate, Index
from inductor_lab.eject.eager.printer import Printer
from inductor_lab.eject.eager.torch_values import ALL, NEW, Value, extents, literal, method, part, permuted, subscript
from inductor_lab.eject.refusal import NoReference
from inductor_lab.records import TensorType
from inductor_lab.records.size import ONE, Size, product


@dataclass(frozen=True)
class Slot:
    """One dimension of the tensor, or a part of one, in the tensor's order."""

    size: Size
    stride: Size
    dim: int | None = None
    """The dimension of the space that walks along it; None for one place."""
    start: int = 0
    """The place, or the first of those that are walked along."""
    count: Size = ONE
    """How many places are walked along."""
    back: bool = False
    """Walked from its end."""

    @property
    def full(self) -> bool:
        return self.dim is not None and self.count == self.size


@dataclass(frozen=True)
class View:
    """The slots of a whole tensor."""

    slots: tuple[Slot, ...]
    reshaped: bool
    """Whether the slots are cut otherwise than the tensor's dimensions."""

    @property
    def walked(self) -> list[int]:
        """The dimensions of the space that walk along the tensor's, in the tensor's order."""
        return [slot.dim for slot in self.slots if slot.dim is not None]

    @property
    def back(self) -> list[int]:
        """Places in `walked` of those that go from the end."""
        return [n for n, slot in enumerate(s for s in self.slots if s.dim is not None) if slot.back]

    @property
    def full(self) -> bool:
        """Every element of the tensor once."""
        return all(slot.full or slot.size.is_one for slot in self.slots)


@dataclass(frozen=True)
class _Group:
    """Dimensions beside each other that are one stretch of memory."""

    sizes: tuple[Size, ...]
    stride: Size

    @property
    def size(self) -> Size:
        return product(self.sizes)


def seen_by(printer: Printer, type_: TensorType, index: Index) -> View | None:
    """The view that an address walks through a tensor, under the ranges of just now; None where it is not one."""
    coordinates_only = all(isinstance(term.of, Coordinate) for term in index.terms)
    factors = printer.space.factors(index) if coordinates_only else None
    if factors is None:
        return None
    start, back = index.constant, set[int]()
    steps: dict[int, Size] = {}
    counts = {dim: printer.space.count(dim) for dim in factors}
    for dim, factor in factors.items():
        low, _ = printer.space.ranges.get(dim, (0, 0))
        turned = factor.number < 0
        if not factor.is_number and (low or turned or counts[dim].is_one):
            return None
        start += factor.number * low
        if counts[dim].is_one:
            continue
        if turned:
            if not counts[dim].is_number:
                return None
            start += factor.number * (counts[dim].number - 1)
            back.add(dim)
        steps[dim] = Size(abs(factor.number), factor.factors)
    return _view(type_, steps, counts, start, back)


def _view(
    type_: TensorType, steps: Mapping[int, Size], counts: Mapping[int, Size], start: int, back: set[int]
) -> View | None:
    """The view of an address that begins somewhere.

    Args:
        steps: Dimension of the space -> elements of memory from one place to the next.
        counts: Dimension -> places along it.
        back: Dimensions that are walked from their end.
    """
    groups: list[_Group | Slot] = []
    for size, step in zip(extents(type_.shape), extents(type_.stride), strict=True):
        last = groups[-1] if groups else None
        if size.is_one or step.number == 0:
            groups.append(Slot(size, Size(0)))
        elif isinstance(last, _Group) and last.stride == size * step:
            groups[-1] = _Group((*last.sizes, size), step)
        else:
            groups.append(_Group((size,), step))
    walked = _assigned([group for group in groups if isinstance(group, _Group)], steps, counts)
    if walked is None:
        return None
    slots: list[Slot] = []
    reshaped = False
    for group in groups:
        if isinstance(group, Slot):
            slots.append(group)
            continue
        made = _cut(group, walked.get(group.stride, []), counts)
        if made is None:
            return None
        reshaped |= tuple(slot.size for slot in made) != group.sizes
        slots += made
    started = _started(slots, start, back)
    if started is None:
        return None
    return View(tuple(slot for slot in started if not (reshaped and slot.size.is_one)), reshaped)


def _assigned(
    groups: list[_Group], factors: Mapping[int, Size], counts: Mapping[int, Size]
) -> dict[Size, list[tuple[Size, int]]] | None:
    """Stride of a group -> (step in it, dimension), fastest first."""
    found: dict[Size, list[tuple[Size, int]]] = {}
    for dim, factor in factors.items():
        fitting = []
        for group in groups:
            step = factor.over(group.stride)
            if step is not None and _fits(step * counts[dim], group.size, step):
                fitting.append((group.stride, step))
        if not fitting:
            return None
        stride, step = max(fitting, key=lambda pair: pair[0].order)
        found.setdefault(stride, []).append((step, dim))
    for steps in found.values():
        steps.sort(key=lambda pair: pair[0].order)
    return found


def _fits(extent: Size, size: Size, step: Size) -> bool:
    if extent.is_number and size.is_number and step.is_number:
        return extent.number - step.number < size.number
    return size.over(extent) is not None or (extent.is_number and not size.is_number)


def _cut(group: _Group, steps: list[tuple[Size, int]], counts: Mapping[int, Size]) -> list[Slot] | None:
    """One group's slots, slowest first."""
    if not steps:
        strides = [product(group.sizes[n + 1 :]) for n in range(len(group.sizes))]
        return [Slot(size, step * group.stride) for size, step in zip(group.sizes, strides, strict=True)]
    edges = {product(group.sizes[n:]) for n in range(len(group.sizes))}
    made: list[Slot] = []
    at = ONE
    for number, (step, dim) in enumerate(steps):
        gap = step.over(at)
        if gap is None:
            return None
        if not gap.is_one:
            made.append(Slot(gap, at * group.stride))
        above = steps[number + 1][0] if number + 1 < len(steps) else group.size
        room, count = above.over(step), counts[dim]
        if room is None:
            return None
        at = above
        rest = room.over(count)
        if rest is not None and rest.is_one:
            made.append(Slot(room, step * group.stride, dim, count=count))
        elif rest is not None and (step * room not in edges or step * count in edges):
            made.append(Slot(count, step * group.stride, dim, count=count))
            made.append(Slot(rest, step * count * group.stride))
        elif room.is_number and count.is_number and count.number <= room.number:
            inner = next((e for e in edges if (cut := e.over(step)) and cut.is_number and cut.number < room.number
                          and cut.number >= count.number and not room.number % cut.number), None)  # fmt: skip
            if inner is not None and (first := inner.over(step)) is not None and (over := room.over(first)) is not None:
                made.append(Slot(first, step * group.stride, dim, count=count))
                made.append(Slot(over, inner * group.stride))
            else:
                made.append(Slot(room, step * group.stride, dim, count=count))
        elif count.is_number and number + 1 == len(steps):  # the first places of a symbolic size
            made.append(Slot(room, step * group.stride, dim, count=count))
        else:
            return None
    return made[::-1]


def _started(slots: list[Slot], start: int, back: set[int]) -> list[Slot] | None:
    """The slots with the constant of the address told by them, widest strides first."""
    slots = [replace(slot, back=slot.dim in back) for slot in slots]
    for n in sorted(range(len(slots)), key=lambda n: slots[n].stride.order, reverse=True):
        slot, stride = slots[n], slots[n].stride
        if not stride.is_number or not stride.number or slot.full or start <= 0 or slot.size.is_one:
            continue
        most = slot.size.number - (slot.count.number if slot.dim is not None else 1) if slot.size.is_number else 10**18
        first = min(start // stride.number, most)
        slots[n] = replace(slot, start=first)
        start -= first * stride.number
    return None if start else slots


def aligned(printer: Printer, base: ast.expr, found: View) -> Value:
    """A view whose dimensions stand where those of the space stand."""
    base, indices = cut(printer, base, found)
    walked = found.walked
    back = [walked[n] for n in found.back]
    ordered = walked == sorted(walked)
    if ordered:
        backwards, rank = _in_order(printer, found.slots, indices)
        node = subscript(base, backwards[::-1])
    else:
        backwards = []
        node, rank = _turned(printer, subscript(base, indices), walked)
    if back:
        node = method(node, "flip", *(literal(dim - printer.rank) for dim in sorted(back)))
    weight = 1 if isinstance(node, ast.Name) else 5 if found.reshaped else 3
    after = printer.rank - 1 - max(walked) if ordered and walked and not back else 0
    shorter = (after, subscript(base, _without(backwards, after))) if after else None
    return Value(node, frozenset(walked), rank, "", weight, short=shorter)


def cut(printer: Printer, base: ast.expr, found: View) -> tuple[ast.expr, list[ast.expr]]:
    """The tensor in its slots, and the index that leaves those which are walked along."""
    if found.reshaped:
        base = method(base, "reshape", *(printer.extent(slot.size) for slot in found.slots))
    indices: list[ast.expr] = []
    for slot in found.slots:
        if slot.dim is None:
            indices.append(literal(slot.start))
        elif slot.full:
            indices.append(ALL)
        else:
            high = slot.start + slot.count.number if slot.count.is_number else None
            if high is None:
                raise NoReference("a part of a tensor whose size is symbolic")
            indices.append(part(slot.start, None if slot.size == Size(high) else high))
    return base, indices


def _in_order(printer: Printer, slots: Sequence[Slot], indices: Sequence[ast.expr]) -> tuple[list[ast.expr], int]:
    """The index of slots that stand as the dimensions of the space do, the last first, and how many dimensions it leaves."""
    dims = {slot.dim for slot in slots}
    made: list[ast.expr] = []
    at = printer.rank - 1
    for slot, index in zip(reversed(slots), reversed(indices), strict=True):
        if slot.dim is None:
            alone = slot.size.is_one and at >= 0 and at not in dims and _room(slots, slot, at)
            made.append(ALL if alone else index)
            at -= 1 if alone else 0
            continue
        while at > slot.dim:
            made.append(NEW)
            at -= 1
        made.append(index)
        at -= 1
    return made, printer.rank - 1 - at


def _turned(printer: Printer, node: ast.expr, walked: Sequence[int]) -> tuple[ast.expr, int]:
    """A view with its dimensions put into the order of the space, and how many it has then."""
    first = min(walked)
    node = permuted(node, [walked.index(dim) for dim in sorted(walked)])
    inserted = [ALL if dim in walked else NEW for dim in range(first, printer.rank)]
    return subscript(node, inserted), printer.rank - first


def _without(indices: Sequence[ast.expr], count: int) -> list[ast.expr]:
    """An index, last dimension first, without the last dimensions that broadcasting needs; in the tensor's order."""
    kept = []
    for index in indices:
        if count and (index is NEW or index is ALL):
            count -= 1
            if index is NEW:
                continue
            index = literal(0)
        kept.append(index)
    return kept[::-1]


def _room(slots: Sequence[Slot], slot: Slot, at: int) -> bool:
    """Whether a dimension of one element may stand for one of the space: those before it still find their places."""
    before = slots[: next(n for n, s in enumerate(slots) if s is slot)]
    walked = [s.dim for s in before if s.dim is not None]
    return not walked or max(walked) < at
