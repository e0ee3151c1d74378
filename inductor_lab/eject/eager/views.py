"""An affine address as a view: which dimension of the iteration space walks along which part of a tensor.

in_ptr0 + (x0 + 64*x1 + 192*x2) of f32[8, 192]      reshape to 8, 3, 64: x2, x1, x0
in_ptr0 + (1024 + x0 + 4096*x1) of f32[16, 4096]    x1, and x0 in [1024:2048]
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace

from inductor_lab.records import TensorType
from inductor_lab.records.size import ONE, Size, product


@dataclass(frozen=True)
class Slot:
    """One dimension of the tensor, or a part of one, in the tensor's order."""

    size: Size
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


@dataclass(frozen=True)
class _Place:
    """A slot while its start is looked for."""

    slot: Slot
    stride: Size


def view(
    type_: TensorType, factors: Mapping[int, Size], start: int, counts: Mapping[int, Size], lows: Mapping[int, int]
) -> View | None:
    """The view that an address walks through; None where it is not one.

    Args:
        factors: Dimension of the space -> elements of memory from one place to the next.
        start: The constant of the address.
        counts: Dimension -> places along it.
        lows: Dimension -> the first place, where that is not 0.
    """
    back: set[int] = set()
    forward: dict[int, Size] = {}
    for dim, factor in factors.items():
        low = lows.get(dim, 0)
        if low:
            if not factor.is_number:
                return None
            start += factor.number * low
        if factor.number < 0:
            if not factor.is_number or not counts[dim].is_number:
                return None
            start += factor.number * (counts[dim].number - 1)
            back.add(dim)
            factor = Size(-factor.number)
        forward[dim] = factor
    shape, stride = [Size.of(size) for size in type_.shape], [Size.of(step) for step in type_.stride]
    groups: list[_Group | Slot] = []
    for size, step in zip(shape, stride, strict=True):
        last = groups[-1] if groups else None
        if size.is_one or step.number == 0:
            groups.append(Slot(size))
        elif isinstance(last, _Group) and last.stride == size * step:
            groups[-1] = _Group((*last.sizes, size), step)
        else:
            groups.append(_Group((size,), step))
    walked = _assigned([group for group in groups if isinstance(group, _Group)], forward, counts)
    if walked is None:
        return None
    places: list[_Place] = []
    reshaped = False
    for group in groups:
        if isinstance(group, Slot):
            places.append(_Place(group, Size(0)))
            continue
        made = _cut(group, walked.get(group.stride, []), counts)
        if made is None:
            return None
        reshaped |= tuple(place.slot.size for place in made) != group.sizes
        places += made
    slots = _started(places, start, back)
    if slots is None:
        return None
    if reshaped:
        slots = [slot for slot in slots if not slot.size.is_one]
    return View(tuple(slots), reshaped)


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
        steps.sort(key=lambda pair: sum(pair[0].over(other) is not None for other, _ in steps))
    return found


def _fits(extent: Size, size: Size, step: Size) -> bool:
    if extent.is_number and size.is_number and step.is_number:
        return extent.number - step.number < size.number
    return size.over(extent) is not None or (extent.is_number and not size.is_number)


def _cut(group: _Group, steps: list[tuple[Size, int]], counts: Mapping[int, Size]) -> list[_Place] | None:
    """One group's slots, slowest first."""
    if not steps:
        strides = [product(group.sizes[n + 1 :]) for n in range(len(group.sizes))]
        return [_Place(Slot(size), step * group.stride) for size, step in zip(group.sizes, strides, strict=True)]
    edges = {product(group.sizes[n:]) for n in range(len(group.sizes))}
    made: list[_Place] = []
    at = ONE
    for number, (step, dim) in enumerate(steps):
        gap = step.over(at)
        if gap is None:
            return None
        if not gap.is_one:
            made.append(_Place(Slot(gap), at * group.stride))
        above = steps[number + 1][0] if number + 1 < len(steps) else group.size
        room, count = above.over(step), counts[dim]
        if room is None:
            return None
        at = above
        rest = room.over(count)
        if rest is not None and rest.is_one:
            made.append(_Place(Slot(room, dim, 0, count), step * group.stride))
        elif rest is not None and (step * room not in edges or step * count in edges):
            made.append(_Place(Slot(count, dim, 0, count), step * group.stride))
            made.append(_Place(Slot(rest), step * count * group.stride))
        elif room.is_number and count.is_number and count.number <= room.number:
            inner = next((e for e in edges if (cut := e.over(step)) and cut.is_number and cut.number < room.number
                          and cut.number >= count.number and not room.number % cut.number), None)  # fmt: skip
            if inner is not None and (first := inner.over(step)) is not None and (over := room.over(first)) is not None:
                made.append(_Place(Slot(first, dim, 0, count), step * group.stride))
                made.append(_Place(Slot(over), inner * group.stride))
            else:
                made.append(_Place(Slot(room, dim, 0, count), step * group.stride))
        elif count.is_number and number + 1 == len(steps):  # the first places of a symbolic size
            made.append(_Place(Slot(room, dim, 0, count), step * group.stride))
        else:
            return None
    return made[::-1]


def _started(places: list[_Place], start: int, back: set[int]) -> list[Slot] | None:
    """The slots with the constant of the address told by them, widest strides first."""
    slots = [place.slot for place in places]
    order = sorted(range(len(places)), key=lambda n: places[n].stride.order, reverse=True)
    for n in order:
        slot, stride = slots[n], places[n].stride
        if not stride.is_number or not stride.number or slot.full or start <= 0 or slot.size.is_one:
            continue
        most = slot.size.number - (slot.count.number if slot.dim is not None else 1) if slot.size.is_number else 10**18
        first = min(start // stride.number, most)
        slots[n] = replace(slot, start=first)
        start -= first * stride.number
    if start:
        return None
    return [replace(slot, back=slot.dim in back) if slot.dim is not None else slot for slot in slots]
