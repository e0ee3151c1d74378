"""Which programs of a launch run where all of them would take long: the first and the last, those around an edge, and some that are drawn.

A program of a large launch does what its neighbours do, elsewhere. What differs lies at the ends of an axis, where a mask begins, and where the
programs of a foreach kernel go on to its next tensors: such an edge is found by halving, on the generated kernel.
"""

from __future__ import annotations

import itertools
import random
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import torch
from torch import Tensor

from inductor_lab.judge.watch.watched_memory import bits

Grid = tuple[int, int, int]
Place = tuple[int, int, int]
MUCH = 0.5
"""Seconds, about, that the programs take together which run; a launch that takes no longer runs whole."""
FEWEST, MOST = 6, 64
"""Programs of one launch."""
PROBES = 17
"""Programs that are looked at first to find edges."""


class WholeNeeded(BaseException):
    """Some programs alone say nothing: a sentence why. No `Exception`: neither the interpreter nor a launcher may make it one of theirs."""

    def __init__(self, why: str, programs: int = 0) -> None:
        super().__init__(why)
        self.programs = programs
        """How many there are, where that is known."""


@dataclass(frozen=True)
class Sample:
    """Programs of a launch of so many along each axis; of another launch those that lie as far along."""

    grid: Grid
    places: frozenset[Place]

    def of(self, grid: Grid) -> frozenset[Place]:
        """The programs of a launch of another size, of one of which every axis has its first and its last."""
        if grid == self.grid:
            return self.places

        def moved(at: int, count: int, other: int) -> int:
            if 2 * at >= count and count - at <= 2:
                return other - (count - at)
            return min(at, 1) if at < 2 else at * other // count

        return frozenset(
            tuple(min(max(moved(*each), 0), each[2] - 1) for each in zip(place, self.grid, grid, strict=True))  # type: ignore[misc]
            for place in self.places
        )


def how_many(seconds: float) -> int:
    """How many programs of a launch run of which one takes so long."""
    return int(min(max(MUCH / max(seconds, 1e-6), FEWEST), MOST))


def chosen(grid: Grid, count: int, edges: Sequence[int], seed: int) -> Sample:
    """About so many programs.

    Args:
        edges: Along the first axis, programs at which something else begins.
    """
    generator = random.Random(seed)
    nx, ny, nz = grid
    begins = [0, *edges, nx]
    found: set[Place] = set()
    across = sorted(itertools.product(_ends(ny), _ends(nz)))
    for first, end in itertools.pairwise(begins):
        for x in _ends(end - first):
            found.update((first + x, y, z) for y, z in (across if len(begins) == 2 else across[:1]))
    parts = [range(first, end) for first, end in itertools.pairwise(begins) if end > first]
    while len(found) < min(count, nx * ny * nz):
        part = generator.choice(parts) if generator.random() < 0.5 else range(nx)
        x, y, z = generator.choice(part), generator.randrange(ny), generator.randrange(nz)
        found.update((each, y, z) for each in (x, x + 1) if each < nx)
    return Sample(grid, frozenset(found))


def _ends(count: int) -> list[int]:
    """The first two and the last two."""
    return sorted({0, min(1, count - 1), max(count - 2, 0), count - 1}) if count > 0 else []


def edges(programs: int, told: Callable[[Sequence[int]], Mapping[int, Any]]) -> list[int]:
    """The programs at which something else begins, of those that some probes lie on either side of.

    Args:
        told: What each of these programs does, in a form that can be compared.
    """
    known = dict(told(sorted({round(number * (programs - 1) / (PROBES - 1)) for number in range(PROBES)})))
    while True:
        places = sorted(known)
        asked = [(a + b) // 2 for a, b in itertools.pairwise(places) if known[a] != known[b] and b - a > 1]
        if not asked:
            return [b for a, b in itertools.pairwise(places) if known[a] != known[b]]
        known |= told(asked)


# ------------------------------------------------------------ what they wrote


@dataclass(frozen=True)
class Part:
    """Rows of the last dimension and columns that hold all marked elements of a tensor."""

    rows: Tensor
    columns: Tensor
    counts: Tensor
    """Which elements of these rows and columns are marked."""

    @staticmethod
    def of(marked: Tensor) -> Part:
        flat = marked.reshape(-1, marked.shape[-1]) if marked.ndim else marked.reshape(1, 1)
        rows = flat.any(1).nonzero().flatten()
        columns = flat[rows].any(0).nonzero().flatten()
        return Part(rows, columns, flat[rows][:, columns])

    def __call__(self, x: Tensor) -> Tensor:
        """The same part of another tensor of as many elements, in that shape."""
        flat = x.reshape(-1, x.shape[-1]) if x.ndim else x.reshape(1, 1)
        return flat[self.rows][:, self.columns]

    def marked(self, part: Tensor, shape: torch.Size) -> Tensor:
        """Where the marked elements of the part lie in the whole."""
        found = torch.zeros(shape, dtype=torch.bool, device=part.device)
        flat = found.view(-1, shape[-1]) if shape else found.view(1, 1)
        flat[self.rows.unsqueeze(1), self.columns] = part & self.counts
        return found


def differ(x: Tensor, y: Tensor) -> Tensor:
    """Which elements of two tensors of one shape and dtype have other bits."""
    other = bits(x) != bits(y)
    return other.any(-1) if x.is_complex() else other
