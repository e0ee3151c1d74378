"""Everything that a kernel compares, for given inputs: both sides, as `compares` of an ejected file says them, and which way each was taken."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from types import ModuleType, SimpleNamespace

import torch
from torch import Tensor

from inductor_lab.judge.alone import Exact

File = ModuleType | SimpleNamespace
FACTORS = (-1.0, 1e-3, 1e3, -1e3)
"""Floats are multiplied by these to see which way a comparison can go at all."""
WAYS = ("below", "exactly on", "above")
TOLD = 4
"""Comparisons that are named; of more it is said how many there are."""


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
    """Both as tensors; a number is in the dtype of what it is compared with."""
    one, other = (side for side in (left, right))
    if not isinstance(one, Tensor):
        one = torch.as_tensor(one, dtype=other.dtype if isinstance(other, Tensor) else None)
    if not isinstance(other, Tensor):
        fits = not one.dtype.is_floating_point and isinstance(other, float)  # a whole number beside a fraction
        other = torch.as_tensor(other, dtype=torch.float64 if fits else one.dtype)
    return one, other.to(one.device)


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

    def add(self, left: Tensor, right: Tensor) -> None:
        """Count the elements of one run; a NaN is neither."""
        apart = difference(left, right)
        self.below += int((apart < 0).sum())
        self.on += int((left == right).expand(apart.shape).sum())  # two infinities of one sign are equal
        self.above += int((apart > 0).sum())


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
    rows = compared(file, values)
    if not taken:
        taken += [Taken(what) for what, _, _ in rows]
    for one, (_, left, right) in zip(taken, rows, strict=True):
        one.add(left, right)


def _wild(file: File, values: Mapping[str, Tensor]) -> Iterator[dict[str, Tensor]]:
    """Inputs far from those that were drawn, valid all the same: they tell which ways a comparison can go."""
    for factor in FACTORS:
        yield {name: _scaled(x, file.ARGUMENTS[name][-1], factor) for name, x in values.items()}
    for place in (0, 1):
        yield {name: _end(x, file.ARGUMENTS[name][-1], place) for name, x in values.items()}


def _scaled(x: Tensor, fill: object, factor: float) -> Tensor:
    if not x.is_floating_point() or fill in ("unit", "sorted", "above_one"):
        return x
    return (x.double() * (abs(factor) if fill in ("positive", "count") else factor)).to(x.dtype)


def _end(x: Tensor, fill: object, place: int) -> Tensor:
    """All whole numbers at one end of their range."""
    if not isinstance(fill, tuple) or fill[0] == "same" or "distinct" in fill or x.is_floating_point():
        return x
    return torch.full_like(x, fill[0] if place == 0 else fill[1] - 1)
