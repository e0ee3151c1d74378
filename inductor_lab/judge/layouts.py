"""Which elements of a tensor are of one kind: its rows, its columns, groups as another tensor counts them, runs along a dimension, or all.

A kernel that takes a mean over channels, a statistic of each group, a part of a sum, goes wrong where all of *its* elements are -inf, or
huge, or the same. What its groups are the tensors' sizes tell: a smaller one has an element for each.
"""

from __future__ import annotations

import itertools
import math
from collections.abc import Callable, Collection, Sequence
from typing import NamedTuple, TypeVar

import torch

T = TypeVar("T")

LAYOUTS = ("rows", "columns", "groups", "runs", "whole")
RUNS = 5
"""Parts of a dimension: a loop over it meets one kind after another."""


class Layout(NamedTuple):
    """How a shape is divided: as axes, of which some tell groups apart.

    (4, 48, 15, 15) in 32 groups of 1350:  split (32, 1350), groups (0,), merged (21600,)
    """

    split: tuple[int, ...]
    groups: tuple[int, ...]
    """Axes of `split`; an element's place along them is its group."""
    merged: tuple[int, ...]
    """The shape with `split`'s parts put together again; a dimension may be longer than it is."""

    @property
    def rows(self) -> int:
        """How many groups."""
        return math.prod(self.split[axis] for axis in self.groups)

    def filled(self, shape: tuple[int, ...], draw: Callable[[int, int], torch.Tensor]) -> torch.Tensor:
        """A tensor of which each group is a row of what is drawn: of so many rows, and columns."""
        order = [*self.groups, *(axis for axis in range(len(self.split)) if axis not in self.groups)]
        sizes = [self.split[axis] for axis in order]
        made = draw(self.rows, math.prod(sizes) // self.rows)
        made = made.reshape(sizes).permute([order.index(axis) for axis in range(len(order))]).reshape(self.merged)
        if len(self.merged) == len(shape):
            made = made[tuple(slice(size) for size in shape)]
        return made.reshape(shape).contiguous()


def layout(name: str, shape: tuple[int, ...], counts: Collection[int], generator: torch.Generator) -> Layout:
    """One of `LAYOUTS` for a shape of one dimension or more.

    Args:
        counts: How many elements the other tensors have: so many groups a kernel may have.
    """
    last = len(shape) - 1
    axes = tuple(range(len(shape)))
    if not last and name in ("rows", "columns"):
        return Layout(shape, axes, shape)
    first = len(shape) > 2 and bool(torch.rand((), generator=generator) < 0.5)
    if name == "rows":
        return Layout(shape, (0,) if first else axes[:-1], shape)
    if name == "columns":
        return Layout(shape, (1,) if first else (last,), shape)
    if name == "runs":
        along = _one_of([axis for axis in axes if shape[axis] >= RUNS] or [last], generator)
        long = -(-shape[along] // RUNS)
        split = (*shape[:along], RUNS, long, *shape[along + 1 :])
        others = tuple(axis + (axis > along) for axis in axes if axis != along)
        return Layout(split, (*(others if first else ()), along), (*shape[:along], RUNS * long, *shape[along + 1 :]))
    return _one_of(_groups(shape, counts), generator) if name == "groups" else Layout(shape, (), shape)


def _groups(shape: tuple[int, ...], counts: Collection[int]) -> list[Layout]:
    """Every way to have as many groups as another tensor has elements: some dimensions, or pieces one after another; else any dimensions."""
    numel = math.prod(shape)
    axes = range(len(shape))
    some = [each for count in range(1, len(shape)) for each in itertools.combinations(axes, count)]
    wanted = sorted({count for count in counts if 1 < count < numel and numel % count == 0})
    told = [Layout(shape, each, shape) for each in some if math.prod(shape[axis] for axis in each) in wanted]
    told += [Layout((count, numel // count), (0,), (numel,)) for count in wanted]
    return told or [Layout(shape, each, shape) for each in some or [()]]


def _one_of(several: Sequence[T], generator: torch.Generator) -> T:
    return several[int(torch.randint(0, len(several), (), generator=generator))]
