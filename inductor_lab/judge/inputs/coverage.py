"""Tracks which way every comparison of a kernel has gone so far, and makes inputs that go both ways.

Whole numbers are moved onto the boundaries here (`on_numbers`): the numbers themselves, and those on either side.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from types import ModuleType, SimpleNamespace

import torch
from torch import Tensor

from inductor_lab.judge.alone import Exact
from inductor_lab.judge.inputs.domains import domain
from inductor_lab.judge.inputs.placement import there, with_room

File = ModuleType | SimpleNamespace
FACTORS = (-1.0, 1e-3, 1e3, -1e3)
"""Floats are multiplied by these to see which way a comparison can go at all."""
WAYS = ("below", "exactly on", "above")
TOLD = 4
"""Comparisons that are named; of more it is said how many there are."""
MOVED = 2 / 3
"""Of a tensor's elements: a third lands on a boundary, a sixth on each side."""
HASHED = 2654435761
"""Knuth's multiplier: a bit of the product tells places apart."""
LONG = 1 << 18
"""Differences of a file: so many are not looked through bit by bit."""


def compared(file: File, values: Mapping[str, Tensor], *, exact: bool = False) -> list[tuple[str, Tensor, Tensor]]:
    """(what, left, right) of each comparison, both sides as tensors; none where a file compares nothing.

    Args:
        values: What the kernel reads, by name; in float64 where `exact` says that dtypes do not round.
    """
    function = getattr(file, "compares", None)
    if function is None:
        return []
    read = [values[name] for name in file.TAKES]
    if exact:
        with Exact():
            rows = function(*read)
    else:
        rows = function(*read)
    return [(what, *sides(left, right)) for what, left, right in rows]


def sides(left: Tensor | float, right: Tensor | float) -> tuple[Tensor, Tensor]:
    """Both as tensors, where one of them lies; a number is in the dtype of what it is compared with."""
    one, other = (side for side in (left, right))
    if not isinstance(one, Tensor):
        one = torch.as_tensor(one, dtype=other.dtype if isinstance(other, Tensor) else None)
    if not isinstance(other, Tensor):
        fits = not one.dtype.is_floating_point and isinstance(other, float)  # a whole number beside a fraction
        other = torch.as_tensor(other, dtype=torch.float64 if fits else one.dtype)
    where = other.device if one.is_cpu else one.device
    return one.to(where), other.to(where)


def difference(left: Tensor, right: Tensor) -> Tensor:
    """Left less right, exactly enough to tell its sign: whole numbers as such, floats in float64."""
    if left.is_floating_point() or right.is_floating_point():
        return left.double() - right.double()
    return left.long() - right.long()


# ------------------------------------------------------------ which way they went


@dataclass
class Taken:
    """One comparison: for how many elements its left side was smaller, equal, larger."""

    what: str
    below: int = 0
    on: int = 0
    above: int = 0

    @property
    def counts(self) -> tuple[int, int, int]:
        return self.below, self.on, self.above

    def add(self, below: int, on: int, above: int) -> None:
        """Count the elements of one run."""
        self.below += below
        self.on += on
        self.above += above


class Coverage:
    """Adds up over the cases of one file."""

    def __init__(self, file: File) -> None:
        self.file = file
        self.taken: list[Taken] = []
        self.last: Mapping[str, Tensor] = {}

    def add(self, values: Mapping[str, Tensor]) -> None:
        """Count which way each comparison goes for these inputs, in the dtypes in which the kernel computes."""
        self.last = values
        _count(self.file, values, self.taken)

    def missing(self) -> list[str]:
        """What no case tried, in sentences. A side that a comparison does not seem to have is no gap: |x| is never below 0."""
        if all(all(one.counts) for one in self.taken):
            return []
        could = [Taken(one.what) for one in self.taken]
        for values in _wild(self.file, self.last):
            _count(self.file, values, could)
        sentences, unmet = list[str](), list[str]()
        for one, can in zip(self.taken, could, strict=True):
            for way in (0, 2):
                if not one.counts[way] and can.counts[way]:
                    sentences.append(f"`{one.what}` was never tried {WAYS[way]} its boundary")
            if not one.on and (can.on or any(one.counts)):
                unmet.append(f"`{one.what}`")
        if len(sentences) > TOLD:
            sentences[TOLD:] = [f"of other boundaries {len(sentences) - TOLD} sides were never tried"]
        if unmet:
            others = f" and {len(unmet) - TOLD} more" if len(unmet) > TOLD else ""
            sentences.append(f"no input was found exactly on the boundary of {', '.join(unmet[:TOLD])}{others}")
        return sentences


def _count(file: File, values: Mapping[str, Tensor], taken: list[Taken]) -> None:
    found = with_room(lambda device: _ways(file, there(values, device)))
    if not taken:
        taken += [Taken(what) for what, _ in found]
    for one, (_, counts) in zip(taken, found, strict=True):
        one.add(*counts)


def _ways(file: File, values: Mapping[str, Tensor]) -> list[tuple[str, tuple[int, int, int]]]:
    """Of each comparison, for how many elements the left side is smaller, equal, larger; a NaN is neither."""
    found = []
    for what, left, right in compared(file, values):
        apart = difference(left, right)
        on = (left == right).expand(apart.shape)  # two infinities of one sign are equal
        found.append((what, (int((apart < 0).sum()), int(on.sum()), int((apart > 0).sum()))))
    return found


def _wild(file: File, values: Mapping[str, Tensor]) -> Iterator[dict[str, Tensor]]:
    """Inputs far from those that were drawn, valid all the same: they tell which ways a comparison can go."""
    domains = {name: domain(file.ARGUMENTS, name) for name in values}
    for factor in FACTORS:
        yield {name: domains[name].scaled(x, factor) for name, x in values.items()}
    for last in (False, True):
        yield {name: domains[name].at_end(x, last=last) for name, x in values.items()}


# ------------------------------------------------------------ whole numbers on their boundaries


def on_numbers(file: File, values: Mapping[str, Tensor], generator: torch.Generator) -> dict[str, Tensor]:
    """The inputs with whole numbers moved to what they are compared with, as far as the range that they are drawn from has it."""
    found = dict(values)
    free = [
        name
        for name in file.TAKES
        if not values[name].is_floating_point() and domain(file.ARGUMENTS, name).moves(values[name])
    ]
    counts = [one.numel() for one in _apart(file, values)] if free else []
    shares: dict[int, tuple[str, Tensor]] = {}
    for name in free:
        # an element that decides more than one of a comparison's differences is met by chance
        fitting = [number for number, count in enumerate(counts) if count <= values[name].numel()]
        for number, one in _followed(file, values, name, fitting).items() if fitting else ():
            if number not in shares or (shares[number][1] >= 0).sum() <= (one >= 0).sum():
                shares[number] = name, one
    for name in dict.fromkeys(name for name in file.TAKES if name in {of for of, _ in shares.values()}):
        mine = [(number, one) for number, (of, one) in shares.items() if of == name]
        found[name] = _moved(file, found, name, mine, generator)
    return found


def _moved(
    file: File, values: Mapping[str, Tensor], name: str, mine: list[tuple[int, Tensor]], generator: torch.Generator
) -> Tensor:
    """A tensor with a share of its elements for each comparison moved along the difference's slope, a step of Newton's method."""
    x, of = values[name], domain(file.ARGUMENTS, name)
    step = torch.where(of.holds(x.long() + 1), 1, -1)
    apart = _apart(file, values)
    beyond = _apart(file, {**values, name: _like(x, torch.where(of.holds(x.long() + step), x.long() + step, x))})
    owner = (_random(x, generator) * len(mine) / MOVED).long()
    toss = _random(x, generator)
    beside = (toss < 0.25).long() - (toss > 0.75).long()
    moved = x.long()
    for place, (number, decided) in enumerate(mine):
        at = decided.clamp(min=0)
        slope = _whole(beyond[number] - apart[number]).flatten()[at] * step
        distance = torch.div(_whole(apart[number]).flatten()[at], slope.where(slope != 0, 1), rounding_mode="floor")
        there = x.long() - distance + beside
        chosen = (owner == place) & (decided >= 0) & (slope != 0) & of.holds(there)
        moved = torch.where(chosen, there, moved)
    return _like(x, moved)


def _followed(file: File, values: Mapping[str, Tensor], name: str, fitting: list[int]) -> dict[int, Tensor]:
    """By comparison, of these: for each element of a tensor the number of a difference that it decides alone; -1 where it decides none.

    A comparison may read a slice of a tensor, or its transpose. Which element a difference goes with is read off it, bit for bit, while each
    element is one of two numbers of the tensor's range, by a bit of its own place. Others could choose a table's row that is not there.
    """
    x = values[name]
    low, high = domain(file.ARGUMENTS, name).ends
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


def _apart(file: File, values: Mapping[str, Tensor]) -> list[Tensor]:
    return [difference(left, right).detach() for _, left, right in compared(file, values)]


def _less(one: list[Tensor], other: list[Tensor]) -> list[Tensor]:
    return [_whole(a - b) for a, b in zip(one, other, strict=True)]


def _whole(apart: Tensor) -> Tensor:
    return apart.nan_to_num(0.0, 0.0, 0.0).round().long()


def _like(x: Tensor, numbers: Tensor) -> Tensor:
    return torch.empty_like(x).copy_(numbers)


def _random(like: Tensor, generator: torch.Generator) -> Tensor:
    return torch.rand(like.shape, generator=generator, dtype=torch.float32).to(like.device)
