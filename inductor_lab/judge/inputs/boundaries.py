"""Inputs on the boundaries of what a kernel compares: where `total > 3` and `total >= 3` differ, and a slope begins.

Each comparison gets a share of the elements of one tensor. Newton's method moves them, in float64, to where both sides are equal; the last
bits are found by trying, in the dtypes in which the kernel computes. Half of them stay there, the others go one value up or down.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

import torch
from torch import Tensor

from inductor_lab.judge.inputs.coverage import File, compared, difference, on_numbers
from inductor_lab.judge.inputs.domains import domain
from inductor_lab.judge.inputs.placement import once

WHOLE = {1: torch.int8, 2: torch.int16, 4: torch.int32, 8: torch.int64}
MOVED = 2 / 3
"""Of a tensor's elements: half of them come to lie on a boundary, a quarter on each side of it."""
STEP = 1e-4
"""The part of the way that is gone to see how a difference answers."""
WEAK = 1e-2
"""Of the usual answer: a weaker one comes from elements that others move."""
STRONG = 8
"""Times the usual answer: an element that many differences depend on, such as a row's maximum, is not moved for one of them."""
BESIDE = 1e-3
"""Of the usual distance: so near a sum is led to its boundary."""
NEARER = 1e-2
"""What is left of a difference where the search was of use."""
SCARCE = 32
"""Elements that all go to the boundary and stay there: the sides are easily met."""
TINY = 1e-9
"""Of where an element began."""
FEW = 1 / 8
"""Of a tensor's elements: a comparison that depends on fewer, a tie of the largest two, has its share of those alone."""
ARRIVED = 1e-20
"""Of the squared differences at the start."""
NEIGHBOURS = (0, 1, -1, 2, -2)
"""Values of the tensor's dtype around the one that was found, of which one may be exactly on the boundary."""
ROUNDS, FEW_ROUNDS = 4, 2
"""Steps of Newton's method; fewer where they take long."""
LONG = 1 << 21
"""Elements of all tensors, times comparisons."""


def beside(x: Tensor, steps: Tensor | int) -> Tensor:
    """The values so many steps above, in the tensor's own dtype; -0.0 and 0.0 are one place. What is not finite stays."""
    whole = WHOLE[x.dtype.itemsize]
    lowest = torch.iinfo(whole).min
    bits = x.contiguous().view(whole).long()
    places = torch.where(bits < 0, lowest - bits, bits) + steps
    found = torch.where(places < 0, lowest - places, places).to(whole).view(x.dtype)
    return torch.where(torch.isfinite(x) & torch.isfinite(found) & (torch.as_tensor(steps) != 0), found, x)


@dataclass(frozen=True)
class Share:
    """The elements that one comparison moves."""

    number: int
    """Which comparison."""
    name: str
    """The tensor."""
    elements: Tensor
    """Which of its elements."""
    weights: Tensor
    """For the differences: 0 for those that are not aimed at, others so that no two of them cancel in a gradient."""


@dataclass
class Search:
    """The state of a search."""

    file: File
    drawn: dict[str, Tensor]
    wide: dict[str, Tensor]
    """What is read, in float64."""
    generator: torch.Generator
    places: dict[str, Tensor]
    """The tensors that may be moved, in float64, every element once."""
    leaves: dict[str, Tensor]
    """The same where they began, and the differences there: they tell which elements a difference depends on."""
    first: list[Tensor]
    shares: list[Share]
    aside: dict[int, Tensor] = field(default_factory=dict)
    """How far from its boundary each difference is led that a sum decides: on which side of it a sum lies is up to the order of its terms."""

    @staticmethod
    def begin(file: File, drawn: dict[str, Tensor], generator: torch.Generator) -> Search:
        places = {
            name: drawn[name][once(drawn[name].stride())].double()
            for name in file.TAKES
            if drawn[name].is_floating_point() and domain(file.ARGUMENTS, name).moves(drawn[name])
        }
        leaves = {name: place.clone().requires_grad_() for name, place in places.items()}
        wide = {name: drawn[name].double() if drawn[name].is_floating_point() else drawn[name] for name in file.TAKES}
        search = Search(file, drawn, wide, generator, places, leaves, [], [])
        search.first = search.differences(leaves)
        search.shares = search.shared()
        search.places = {name: place for name, place in places.items() if name in {one.name for one in search.shares}}
        return search

    def differences(self, places: Mapping[str, Tensor]) -> list[Tensor]:
        """Left less right of each comparison, in float64."""
        values = self.wide | {name: place.expand(self.drawn[name].shape) for name, place in places.items()}
        with torch.enable_grad():
            found = [difference(left, right) for _, left, right in compared(self.file, values, exact=True)]
            return [apart - self.aside.get(number, 0.0) for number, apart in enumerate(found)]

    def shared(self) -> list[Share]:
        """Elements for each comparison, of the tensor whose elements tell its differences apart best."""
        chosen: list[tuple[int, str, Tensor, Tensor]] = []
        for number, apart in enumerate(self.first):
            if not self.leaves or not apart.requires_grad or not apart.numel():
                continue
            weights = self.random(apart) + 0.5
            answers = pulled(apart, self.leaves, weights)
            name = max(answers, key=lambda name: int(answers[name].count_nonzero()))
            if answers[name].count_nonzero() * 2 < apart.numel():  # each element decides several: one is aimed at
                weights *= self.random(apart) * apart.numel() < answers[name].count_nonzero() / 2
                answers = pulled(apart, self.leaves, weights, name)
            if answers[name].count_nonzero() > 2 * apart.numel():
                side = torch.where(self.random(apart) < 0.5, 1.0, -1.0)
                self.aside[number] = BESIDE * side * _finite(apart.detach()).abs().median()
            if answers[name].any():
                chosen.append((number, name, _usual(answers[name]), weights))
        shares = []
        for name in dict.fromkeys(name for _, name, _, _ in chosen):
            mine = [(number, reached, weights) for number, of, reached, weights in chosen if of == name]
            owners = self.owners(name, [reached for _, reached, _ in mine])
            shares += [Share(number, name, o, w) for (number, _, w), o in zip(mine, owners, strict=True)]
        return shares

    def owners(self, name: str, reached: list[Tensor]) -> list[Tensor]:
        """Which of a tensor's elements each comparison moves: no element is moved by two."""
        toss = self.random(self.places[name])
        rare = [float(one.double().mean()) < FEW for one in reached]
        share = MOVED / max(rare.count(False), 1)
        taken = torch.zeros_like(reached[0])
        found = [taken] * len(reached)
        for place in (place for place, few in enumerate(rare) if few):
            found[place] = reached[place] & ~taken
            if found[place].sum() > SCARCE:
                found[place] = found[place] & (self.random(toss) < MOVED)
            taken = taken | found[place]
        for part, place in enumerate(place for place, few in enumerate(rare) if not few):
            found[place] = reached[place] & ~taken & (toss >= part * share) & (toss < (part + 1) * share)
        return found

    def random(self, like: Tensor) -> Tensor:
        """Numbers from 0 to 1, as many as a tensor has elements; of the seed alone."""
        return torch.rand(like.shape, generator=self.generator, dtype=torch.float64).to(like.device)

    def step(self) -> bool:
        """One step of Newton's method for every comparison: the shortest way along its own elements. False where all have arrived."""
        leaves = {name: place.clone().requires_grad_() for name, place in self.places.items()}
        aparts = self.differences(leaves)
        trial = {name: place.clone() for name, place in self.places.items()}
        tried: list[tuple[Share, Tensor, float]] = []
        for share in self.shares:
            apart = _finite(aparts[share.number].detach()) * (share.weights > 0)
            way = pulled(aparts[share.number], leaves, apart, share.name)[share.name] * share.elements
            length = float(way.square().sum())
            if length > ARRIVED * float(self.first[share.number].detach().nan_to_num(0.0, 0.0, 0.0).square().sum()):
                moved = min(1.0, float(share.elements.sum() / apart.count_nonzero()))
                part = STEP * moved * float(apart.square().sum()) / length
                trial[share.name] -= part * way
                tried.append((share, apart, part))
        if not tried:
            return False
        answers = [answer.detach() for answer in self.differences(trial)]
        for share, apart, part in tried:
            gain = _finite((apart - answers[share.number]) / (part * apart))
            strong = gain > WEAK * gain[gain > 0].mean() if (gain > 0).any() else gain > 0
            wanted = torch.where(strong, apart / torch.where(strong, gain, 1.0), 0.0)
            way = pulled(aparts[share.number], leaves, wanted, share.name)[share.name]
            self.places[share.name] = self.places[share.name] - way * share.elements
        return True

    def settled(self) -> dict[str, Tensor]:
        """The tensors in their own dtypes, with what did not come near a boundary as it was."""
        start = {name: self.drawn[name][once(self.drawn[name].stride())] for name in self.places}
        rounded = {name: _rounded(place, start[name]) for name, place in self.places.items()}
        with torch.no_grad():
            ends = self.differences({name: x.double() for name, x in rounded.items()})
        kept = {name: torch.zeros_like(x, dtype=torch.bool) for name, x in start.items()}
        for share in self.shares:
            end, before = ends[share.number].abs(), self.first[share.number].detach().abs()
            kept[share.name] |= self.behind(share, end <= NEARER * before)
        kept = {name: kept[name] & domain(self.file.ARGUMENTS, name).holds(rounded[name]) for name in kept}
        found = {name: torch.where(kept[name], rounded[name], start[name]) for name in start}
        steps = self.exactly(found, kept)
        for name in found:
            toss = torch.where(self.scarce(name), 0.5, self.random(found[name]))
            beyond = steps[name] + (toss < 0.25).long() - (toss > 0.75).long()
            moved = beside(found[name], beyond)
            found[name] = torch.where(kept[name] & domain(self.file.ARGUMENTS, name).holds(moved), moved, found[name])
        return self.whole(found)

    def exactly(self, found: Mapping[str, Tensor], kept: Mapping[str, Tensor]) -> dict[str, Tensor]:
        """For each element that was moved, how many values of its dtype away it is exactly on the boundary; 0 where none is."""
        steps = {name: torch.zeros_like(x, dtype=torch.int64) for name, x in found.items()}
        open_ = {name: where.clone() for name, where in kept.items()}
        for step in NEIGHBOURS:
            tried = {name: torch.where(open_[name], step, steps[name]) for name in found}
            values = self.drawn | self.whole({name: beside(x, tried[name]) for name, x in found.items()})
            rows = compared(self.file, values)
            for share in self.shares:
                if share.number in self.aside:
                    continue
                _, left, right = rows[share.number]
                hit = open_[share.name] & self.behind(share, left == right)
                steps[share.name] = torch.where(hit, step, steps[share.name])
                open_[share.name] &= ~hit
            if not any(bool(where.any()) for where in open_.values()):
                break
        return steps

    def scarce(self, name: str) -> Tensor:
        """The elements of a tensor that a comparison moves which moves few."""
        few = [share.elements for share in self.shares if share.name == name and share.elements.sum() <= SCARCE]
        return torch.stack(few).any(0) if few else torch.zeros_like(self.places[name], dtype=torch.bool)

    def behind(self, share: Share, differences: Tensor) -> Tensor:
        """The elements of a share that some of its comparison's differences depend on."""
        first = self.first[share.number]
        marked = differences.expand(first.shape) * share.weights
        return (pulled(first, self.leaves, marked, share.name)[share.name] != 0) & share.elements

    def whole(self, found: Mapping[str, Tensor]) -> dict[str, Tensor]:
        """Every element as often as its tensor has it."""
        return {name: x.expand(self.drawn[name].shape) for name, x in found.items()}


def pulled(apart: Tensor, leaves: Mapping[str, Tensor], weights: Tensor, *names: str) -> dict[str, Tensor]:
    """How the weighted sum of differences answers to each element of these tensors, of all if none is named."""
    names = names or tuple(leaves)
    with torch.enable_grad():  # the weights as `grad_outputs` would have torch import sympy, to compare shapes
        weighed = (apart * weights.to(apart.dtype)).sum()
    found = torch.autograd.grad(weighed, [leaves[name] for name in names], retain_graph=True, allow_unused=True)
    return {
        name: torch.zeros_like(leaves[name]) if one is None else _finite(one)
        for name, one in zip(names, found, strict=True)
    }


def _rounded(place: Tensor, start: Tensor) -> Tensor:
    """Where the search ended, in the dtype where it began; 0 where it is as near to 0 as it can tell, since floats go on and on there."""
    place = torch.where(place.abs() <= TINY * start.double().abs(), 0.0, place)
    if start.dtype == torch.float64:
        return place
    return (place * (1 + TINY)).to(start.dtype)  # half-way between two floats, two that meet would be rounded apart


def _finite(x: Tensor) -> Tensor:
    return x.nan_to_num(0.0, 0.0, 0.0)


def _usual(answers: Tensor) -> Tensor:
    """The elements that answer, but not for many differences at once."""
    some = answers != 0
    return some & (answers.abs() <= STRONG * answers.abs().sum() / some.sum())


def on_boundaries(file: File, values: Mapping[str, Tensor], seed: int) -> dict[str, Tensor]:
    """Inputs of which about a third of the elements lie on a boundary, a third right beside one, and the others as they were drawn.

    Args:
        values: Every argument by name, as drawn; they are left as they are.
    """
    generator = torch.Generator("cpu").manual_seed(seed)
    found = on_numbers(file, values, generator)
    if getattr(file, "compares", None) is not None:
        search = Search.begin(file, found, generator)
        work = sum(place.numel() for place in search.places.values()) * len(search.shares)
        for _ in range(ROUNDS if work <= LONG else FEW_ROUNDS):
            if not search.step():
                break
        found |= search.settled() if search.shares else {}
    for name in file.ARGUMENTS:
        if same := domain(file.ARGUMENTS, name).same:
            found[name] = found[same]
    return found
