"""Do the errors of a tensor lean to one side? A constant that is a little off moves each element by less than a rounding, but all the same way.

The error of an element is taken from float64's value rounded once, in units of the rounding that the dtype (or the last bit of an input)
explains, away from zero. Its mean over a group, more than chance leaves there, is held to an allowance.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from functools import cached_property

import torch
from torch import Tensor

from inductor_lab.quantity import percent

LEAST = 32
"""A group of fewer elements, or of fewer distinct values, tells nothing of a mean."""
SIGMAS = 6.0
CLIPPED = 16.0
"""An error of more units counts as so many: what is far off is told element by element."""
TIES = 32
"""Within so many roundings of the arithmetic, a value between two numbers of the dtype may become either."""
NARROW, WIDE, ROWS = 0.3, 4.0, 8.0
"""Units that a group may lean: a constant in bfloat16 leans so far at most, a sum or a division in float32 so far.

In one row of those, whose one sum moves all of it, `ROWS` times that; and of float64, which judges itself.
"""
SAME = 3.5
"""How many times as rough sums may be whose terms are alike: of numbers added up 450 times each, one after another, all are rounded the same way."""
SAMPLE = 4096


@dataclass(frozen=True)
class Errors:
    """What is known of one written tensor, as rows in float64; `judged`: the elements whose error says something."""

    hand: Tensor
    eager: Tensor
    generated: Tensor | None
    exact: Tensor
    dtype: torch.dtype
    arithmetic: float
    scale: Tensor
    moved: Tensor | None
    judged: Tensor
    calibrated: bool
    alike: bool = False
    """Whether the terms of each sum are alike, so that their roundings go the same way."""
    rough: Tensor | None = None
    """How far each element is moved by the last bits of its inputs in their own dtype, where arithmetic in it throughout is to pass."""

    @cached_property
    def eps(self) -> float:
        return torch.finfo(self.dtype).eps

    @cached_property
    def narrow(self) -> bool:
        return self.eps > 64 * self.arithmetic

    @cached_property
    def allowance(self) -> float:
        if self.narrow:
            return NARROW
        return WIDE * ROWS if self.dtype == torch.float64 else WIDE

    @cached_property
    def once(self) -> Tensor:
        """Float64's values, rounded once."""
        return self.exact.to(self.dtype).double()

    @cached_property
    def weight(self) -> Tensor:
        """One unit of each element over what its error may be by chance: small beside its neighbours, it says little."""
        return torch.where(self.judged, self._unit / self._noise, 0.0)

    @cached_property
    def _unit(self) -> Tensor:
        unit = self.exact.abs() * self.eps
        return unit if self.moved is None else unit + self.moved

    @cached_property
    def _noise(self) -> Tensor:
        return self._unit + self.scale * (4 * self.arithmetic)

    @cached_property
    def _tie(self) -> Tensor | None:
        """How far from float64 a value may be that counts as rounded once."""
        if not self.narrow:
            return None
        return (self.once - self.exact).abs() + self.scale * (2 * TIES * self.arithmetic)

    def leaning(self, values: Tensor) -> Tensor:
        """The error of each element, over what it may be by chance: positive away from zero."""
        error = (values - self.once) * self.exact.sign()
        error = (error / self._noise).clamp(-CLIPPED, CLIPPED)
        keep = self.judged if self._tie is None else self.judged & ((values - self.exact).abs() > self._tie)
        return torch.where(keep, error, 0.0)

    @cached_property
    def others(self) -> list[Tensor]:
        """The errors of eager and of the generated kernel, where they are to be asked."""
        if not self.calibrated:
            return []
        return [self.leaning(values) for values in (self.eager, self.generated) if values is not None]


@dataclass(frozen=True)
class Lean:
    """A group of elements that leans to one side."""

    group: Tensor
    message: str


def found(errors: Errors) -> Lean | None:
    """The first group whose errors lean further to one side than they may: all, by sign, by size, one column, one row."""
    leaning = errors.leaning(errors.hand)
    if not bool(leaning.any()):
        return None
    if _diverse(errors.once[errors.judged]):
        for name, group in _groups(errors, leaning):
            lean = _of_group(errors, leaning, group)
            if lean:
                return Lean(group, f"is biased: {name} are {lean}")
        rough = _rough(errors, leaning)
        if rough:
            return Lean(errors.judged, rough)
    for dim, name in ((1, "row"), (0, "column")):
        at = _of_lines(errors, leaning, dim)
        if at is not None:
            group = torch.zeros_like(errors.judged)
            group.select(1 - dim, at[0]).fill_(True)
            return Lean(group & errors.judged, f"is biased: {name} {at[0]} is {at[1]}")
    return None


def _rough(errors: Errors, leaning: Tensor) -> str:
    """Many small errors to either side: more roundings than eager or the generated kernel have."""
    count = int(errors.judged.sum())

    def spread(values: Tensor) -> float:
        return (values.square().sum() / count).sqrt().item()

    few = min(8.0, count**0.5)
    usual = 0.5 if errors.narrow else errors.allowance * (SAME if errors.alike else 1)
    limits = [usual, *(2 * spread(x) + 0.25 for x in errors.others)]
    if errors.rough is not None:
        limits.append(spread(torch.where(errors.judged, errors.rough / errors._noise, 0.0).clamp(max=CLIPPED)) + 0.25)
    limit = max(limits) + 1 / few
    mine = spread(leaning)
    if mine <= limit:
        return ""
    found, allowed = (percent(each * errors.eps) for each in (mine, limit))
    return f"has rounding errors of {found} in the root mean square; allowed {allowed}"


def _groups(errors: Errors, leaning: Tensor) -> Iterator[tuple[str, Tensor]]:
    """The groups whose mean is more than is allowed, chance apart: all, each sign, each eighth by size of each sign."""
    judged, positive = errors.judged, errors.exact > 0
    size = errors.exact.abs()
    bounds = _sample(size[judged]).quantile(torch.linspace(0, 1, 9, dtype=size.dtype, device=size.device)[1:-1])
    eighths = torch.bucketize(size.contiguous(), bounds)
    number = eighths * 2 + positive  # the weight and the error are 0 where nothing is judged
    total, weight = (
        torch.bincount(number.flatten(), x.flatten(), minlength=16).reshape(8, 2) for x in (leaning, errors.weight)
    )

    def leans(total: Tensor, weight: Tensor) -> bool:
        return abs(total.sum().item()) > errors.allowance * weight.sum().item()

    if leans(total, weight):
        yield "all elements", judged
    for sign, side in (("positive", 1), ("negative", 0)):
        mine = judged & (positive == bool(side))
        if leans(total[:, side], weight[:, side]):
            yield f"all {sign} elements", mine
        for eighth in range(8):
            if leans(total[eighth, side], weight[eighth, side]):
                least = f"{bounds[eighth - 1].item():.3g}" if eighth else "0"
                most = f" to {bounds[eighth].item():.3g}" if eighth < 7 else " on"
                yield f"{sign} elements of size {least}{most}", mine & (number == 2 * eighth + side)


def _of_group(errors: Errors, leaning: Tensor, group: Tensor) -> str:
    """What is wrong with the mean of a group, "" for nothing."""
    if int(group.sum()) < LEAST:
        return ""
    weight = errors.weight * group
    mean, chance = _mean(leaning * group, weight)
    if abs(mean) <= errors.allowance + SIGMAS * chance:
        return ""
    calibrated = [_mean(other * group, weight) for other in errors.others]
    allowed = max([errors.allowance, *(2 * abs(mean) for mean, _ in calibrated)])
    allowed += SIGMAS * max([chance, *(chance for _, chance in calibrated)])
    if abs(mean) <= allowed or not _diverse(errors.once[group]):
        return ""
    return _told(errors, mean, allowed)


def _mean(leaning: Tensor, weight: Tensor) -> tuple[float, float]:
    """The mean in units, and its standard error: of elements that are independent, of whole rows or of whole columns."""
    total = weight.sum()
    mean = leaning.sum() / total
    rest = leaning - mean * weight
    squares = [rest.square().sum()] + [rest.sum(dim).square().sum() for dim in (0, 1) if rest.shape[1 - dim] > 1]
    return mean.item(), (torch.stack(squares).max().sqrt() / total).item()


def _of_lines(errors: Errors, leaning: Tensor, dim: int) -> tuple[int, str] | None:
    """The first row (dim 1) or column (dim 0) that leans too far, and how."""
    if leaning.shape[dim] < LEAST or leaning.shape[1 - dim] == 1:
        return None
    total = errors.weight.sum(dim)
    mean, chance = _line_means(leaning, errors.weight, total, dim)
    allowed = torch.full_like(mean, errors.allowance * (1 if errors.narrow else ROWS))
    for other in errors.others:
        theirs, _ = _line_means(other, errors.weight, total, dim)
        usual = _sample(theirs.abs()).quantile(0.9)  # a row's own scale, rounded: eager may be lucky in this one
        slack = 0.25 if usual > 0.05 else 0.0
        allowed = torch.maximum(allowed, 3 * torch.maximum(theirs.abs(), usual) + slack)
    allowed = allowed + SIGMAS * chance
    off = (mean.abs() > allowed) & (errors.judged.sum(dim) >= LEAST)
    for at in off.nonzero().flatten()[:64].tolist():
        line = errors.once.select(1 - dim, at)[errors.judged.select(1 - dim, at)]
        if _diverse(line):
            return at, _told(errors, mean[at].item(), allowed[at].item())
    return None


def _line_means(leaning: Tensor, weight: Tensor, total: Tensor, dim: int) -> tuple[Tensor, Tensor]:
    mean = torch.where(total > 0, leaning.sum(dim) / total, 0.0)
    rest = leaning - mean.unsqueeze(dim) * weight
    return mean, torch.where(total > 0, rest.square().sum(dim).sqrt() / total, 0.0)


def _told(errors: Errors, mean: float, allowed: float) -> str:
    """How far the mean is off, in roundings, as a part of a value."""
    far, may = (percent(roundings * errors.eps) for roundings in (abs(mean), allowed))
    return f"too {'large' if mean > 0 else 'small'} in magnitude by {far} on average; allowed {may}"


def _sample(values: Tensor) -> Tensor:
    return values.flatten()[:: max(1, values.numel() // SAMPLE)]


def _diverse(values: Tensor) -> bool:
    """Whether there are enough different values for their roundings to be chance."""
    return len(_sample(values).unique()) >= LEAST
