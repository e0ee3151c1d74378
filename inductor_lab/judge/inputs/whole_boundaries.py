"""Whole numbers on the boundaries of what a kernel compares: the numbers themselves, and those on either side."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import torch
from torch import Tensor

from inductor_lab.judge.inputs.comparisons import File, compared, difference

MOVED = 2 / 3
"""Of a tensor's elements: a third lands on a boundary, a sixth on each side."""
HASHED = 2654435761
"""Knuth's multiplier: a bit of the product tells places apart."""
LONG = 1 << 18
"""Differences of a file: so many are not looked through bit by bit."""


def on_numbers(file: File, values: Mapping[str, Tensor], generator: torch.Generator) -> dict[str, Tensor]:
    """The inputs with whole numbers moved to what they are compared with, as far as the range that they are drawn from has it."""
    found = dict(values)
    free = [name for name in file.TAKES if _free(values[name], file.ARGUMENTS[name][-1])]
    counts = [one.numel() for one in _apart(file, values)] if free else []
    shares: dict[int, tuple[str, Tensor]] = {}
    for name in free:
        # an element that decides more than one of a comparison's differences is met by chance
        fitting = [number for number, count in enumerate(counts) if count <= values[name].numel()]
        for number, one in _followed(file, values, name, fitting).items() if fitting else ():
            if number not in shares or _count(shares[number][1]) <= _count(one):
                shares[number] = name, one
    for name in dict.fromkeys(name for name in file.TAKES if name in {of for of, _ in shares.values()}):
        mine = [(number, one) for number, (of, one) in shares.items() if of == name]
        found[name] = _moved(file, found, name, mine, generator)
    return found


def _moved(
    file: File, values: Mapping[str, Tensor], name: str, mine: list[tuple[int, Tensor]], generator: torch.Generator
) -> Tensor:
    """A tensor with a share of its elements for each comparison moved along the difference's slope, a step of Newton's method."""
    x, fill = values[name], file.ARGUMENTS[name][-1]
    step = torch.where(_inside(x.long() + 1, fill), 1, -1)
    apart = _apart(file, values)
    beyond = _apart(file, {**values, name: _like(x, torch.where(_inside(x.long() + step, fill), x.long() + step, x))})
    owner = (_random(x, generator) * len(mine) / MOVED).long()
    toss = _random(x, generator)
    beside = (toss < 0.25).long() - (toss > 0.75).long()
    moved = x.long()
    for place, (number, decided) in enumerate(mine):
        at = decided.clamp(min=0)
        slope = _whole(beyond[number] - apart[number]).flatten()[at] * step
        distance = torch.div(_whole(apart[number]).flatten()[at], slope.where(slope != 0, 1), rounding_mode="floor")
        there = x.long() - distance + beside
        chosen = (owner == place) & (decided >= 0) & (slope != 0) & _inside(there, fill)
        moved = torch.where(chosen, there, moved)
    return _like(x, moved)


def _followed(file: File, values: Mapping[str, Tensor], name: str, fitting: list[int]) -> dict[int, Tensor]:
    """By comparison, of these: for each element of a tensor the number of a difference that it decides alone; -1 where it decides none.

    A comparison may read a slice of a tensor, or its transpose. Which element a difference goes with is read off it, bit for bit, while each
    element is one of two numbers of the tensor's range, by a bit of its own place. Others could choose a table's row that is not there.
    """
    x = values[name]
    low, high, *_ = _range(file.ARGUMENTS[name][-1])
    place = torch.arange(x.numel(), device=x.device).reshape(x.shape)

    def apart(chosen: Tensor) -> list[Tensor]:
        return _apart(file, {**values, name: _like(x, torch.where(chosen, high - 1, low))})

    none = apart(place < 0)
    rose = _less(apart(place >= 0), none)
    rises = {number: rose[number].flatten() for number in fitting if rose[number].any()}
    if not rises:
        return {}
    found: dict[int, Tensor] = {}
    tossed = (place * HASHED >> 16) & 1 > 0
    changed = _less(apart(tossed), none)
    for number, rise in rises.items():  # most often each element has its own, in the same order
        if rise.numel() == x.numel() and torch.equal(changed[number].flatten(), rise * tossed.flatten()):
            found[number] = torch.where(rise.reshape(x.shape) != 0, place, -1)
    others = {number: rise for number, rise in rises.items() if number not in found}
    if not others or sum(one.numel() for one in none) > LONG:
        return found
    alone = {number: rise != 0 for number, rise in others.items()}
    places = {number: torch.zeros_like(rise) for number, rise in others.items()}
    for bit in range((x.numel() - 1).bit_length()):
        changed = _less(apart((place >> bit) & 1 > 0), none)
        for number, rise in others.items():
            one = changed[number].flatten()
            alone[number] &= (one == 0) | (one == rise)
            places[number] += (one != 0).long() << bit
    return found | {
        number: _by_element(x, at[alone[number]], alone[number].nonzero().flatten()) for number, at in places.items()
    }


def _by_element(x: Tensor, at: Tensor, numbers: Tensor) -> Tensor:
    """Of several differences that go with an element, the last."""
    there = at < x.numel()
    last = torch.full((x.numel(),), -1, device=x.device).scatter_reduce(0, at[there], numbers[there], "amax")
    return last.reshape(x.shape)


def _count(decided: Tensor) -> int:
    return int((decided >= 0).sum())


def _apart(file: File, values: Mapping[str, Tensor]) -> list[Tensor]:
    return [difference(left, right).detach() for _, left, right in compared(file, values)]


def _less(one: list[Tensor], other: list[Tensor]) -> list[Tensor]:
    return [_whole(a - b) for a, b in zip(one, other, strict=True)]


def _whole(apart: Tensor) -> Tensor:
    return apart.nan_to_num(0.0, 0.0, 0.0).round().long()


def _like(x: Tensor, numbers: Tensor) -> Tensor:
    return torch.empty_like(x).copy_(numbers)


def _free(x: Tensor, fill: object) -> bool:
    whole = not x.is_floating_point() and x.dtype != torch.bool and 0 not in x.stride()
    return whole and (fill == "any" or isinstance(fill, tuple)) and fill[0] != "same" and "distinct" not in fill


def _range(fill: Any) -> tuple[int, ...]:
    return (-100, 101) if fill == "any" else fill


def _random(like: Tensor, generator: torch.Generator) -> Tensor:
    return torch.rand(like.shape, generator=generator).to(like.device)


def _inside(there: Tensor, fill: Any) -> Tensor:
    """Whether numbers are among those that an argument may hold."""
    if fill == "any":
        return torch.ones_like(there, dtype=torch.bool)
    low, high, *others = fill
    return ((there >= low) & (there < high)) | torch.isin(there, torch.tensor(others, device=there.device).long())
