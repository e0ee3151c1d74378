"""Runs Inductor's own kernel under the judge; of a large launch only the programs that can differ, and a few that are drawn.

A program of a large launch does what its neighbours do, elsewhere. What differs lies at the ends of an axis, where a mask begins, and where the
programs of a foreach kernel go on to its next tensors: such an edge is found by halving. The first and the last run, those around an edge, and some
that are drawn.
"""

from __future__ import annotations

import itertools
import math
import random
from collections.abc import Callable, Iterable, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, field
from inspect import signature
from pathlib import Path
from types import ModuleType
from typing import Any

import torch
from torch import Tensor

from inductor_lab.ejected import is_span
from inductor_lab.errors import LabError, short_of_memory
from inductor_lab.judge import alone
from inductor_lab.judge.compare.reference import inputs_beside, widened
from inductor_lab.judge.inputs.cases import own_blocks
from inductor_lab.judge.inputs.placement import Placement
from inductor_lab.judge.interpreter import fast_paths
from inductor_lab.judge.interpreter.interface import NotJudged
from inductor_lab.judge.watch.watch import Grid, Place, Sample, Watch, WholeNeeded
from inductor_lab.judge.watch.watched_memory import bits

NOTHING: Mapping[str, int] = {}
MUCH = 0.5
"""Seconds, about, that the programs take together which run; a launch that takes no longer runs whole."""
FEWEST, MOST = 6, 64
"""Programs of one launch."""
PROBES = 17
"""Programs that are looked at first to find edges."""
MOST_TOGETHER = 1000
"""Programs of a launch all of which have to run."""


@dataclass(frozen=True)
class Generated:
    """What Inductor's kernel made of the inputs, and what it did on the way."""

    views: Mapping[str, torch.Tensor]
    faults: frozenset[tuple[str, str]] = frozenset()
    stored: frozenset[str] = frozenset()
    wrote: Mapping[str, torch.Tensor] = field(default_factory=dict)
    """Of a launch of which some programs ran: which elements they wrote, by tensor."""

    def equals(self, after: Mapping[str, torch.Tensor], written: Iterable[str]) -> bool:
        """Whether another kernel left the same in every tensor, NaN and the sign of 0 included."""
        return all(torch.equal(bits(after[name].cpu()), bits(self.views[name].cpu())) for name in written)


class Baseline:
    """The baseline of one file."""

    def __init__(self, path: Path, file: ModuleType) -> None:
        self.path, self.file = path, file
        self._grid: Grid | None = None
        self._count = 0
        self._edges: list[int] = []

    def run(
        self, file: Any, placement: Placement, sample: Sample | None = None, changed: Mapping[str, int] = NOTHING
    ) -> Generated:
        """Launch it.

        Args:
            file: The module, or the same for other sizes.
            sample: The programs that run, under the blocks that the launcher has; all, under larger ones, for None.
            changed: Blocks that are others than those.

        Raises:
            LabError: it does not run here.
            WholeNeeded: some programs alone say nothing.
        """
        views = placement.on(alone.DEVICE)
        if not alone.INTERPRETING:
            try:
                file.launch_generated(*views.values(), **changed)
            except Exception:
                if not changed:
                    raise
                return self.run(file, placement)
            return Generated(views)
        blocks = file.INTERPRETER["launch_generated"]
        blocks = own_blocks(file, "launch_generated") if sample else {**blocks, **changed}
        try:
            watch = self._watched(file, views, sample, blocks)
        except LabError:
            if not changed:
                raise
            return self.run(file, placement, sample)  # a block of it that can not be less
        wrote = {}
        if sample:
            wrote = {name: torch.from_numpy(watch.writer(name)[0] > 0) for name in file.WRITTEN}
        faults = frozenset((fault.kind, fault.tensor) for fault in watch.faults)
        return Generated(views, faults, frozenset(watch.stored), wrote)

    def beside(self, file: Any, placement: Placement, name: str, sample: Sample | None) -> list[torch.Tensor]:
        """What it makes of inputs that are off by the last bit of a float32, up or down.

        A narrower dtype has no such bits: there its own last bit is moved, and so much of the answer taken as the smaller step would give.
        """
        begun = self.run(file, placement, sample).views[name].to(placement.device)
        found = []
        for moved, part in inputs_beside(file, placement):
            made = self.run(file, moved, sample).views[name].to(placement.device)
            if begun.is_floating_point() or begun.is_complex():
                made = widened(begun) + (widened(made) - widened(begun)) * part
            found.append(made)
        return found

    def seen(self, placement: Placement) -> tuple[float, bool]:
        """What a few programs tell of a launch: (about how many seconds all of them take, can it be tried under its own blocks).

        The seconds are those under the larger blocks that the interpreter gets, by what one program computes and by no clock. Under its own
        blocks some of the programs run, or all of not too many.
        """
        views, seconds = placement.on(alone.DEVICE), 0.0
        if is_span(self.file):
            return self._all_of(views)
        with suppress(WholeNeeded):
            _, seconds = self._one(views, self.file.INTERPRETER["launch_generated"])
        try:
            self._look(views)
        except WholeNeeded as why:
            return seconds, why.programs <= MOST_TOGETHER
        return seconds, True

    def _all_of(self, views: Mapping[str, torch.Tensor]) -> tuple[float, bool]:
        """The same of a span: all of it runs, since a launch may read what one before it wrote.

        Under its own blocks it has as many more programs as they are smaller, at most.
        """
        blocks, parameters = self.file.INTERPRETER["launch_generated"], signature(self.file.launch_generated).parameters
        smaller: dict[str, float] = {}
        for name, block in blocks.items():
            number = name.rpartition("_")[2]
            smaller[number] = smaller.get(number, 1.0) * block / parameters[name].default
        begun = fast_paths.DONE.seconds
        watch = self._watched(self.file, views, None, blocks)
        own = watch.programs * max(smaller.values(), default=1.0)
        return fast_paths.DONE.seconds - begun, own <= MOST_TOGETHER

    def sample(self, placement: Placement, seed: int) -> Sample | None:
        """The programs of a large launch that run: of the generated kernel, and as far along of the hand kernel; None for all of few.

        Raises:
            WholeNeeded: some programs alone say nothing.
        """
        if self._grid is None:
            self._look(placement.on(alone.DEVICE))
        assert self._grid
        return chosen(self._grid, self._count, self._edges, seed) if self._count else None

    def _look(self, views: Mapping[str, torch.Tensor]) -> None:
        """How many programs there are, how many of them run, and where something else begins."""
        blocks = own_blocks(self.file, "launch_generated")
        grid, seconds = self._one(views, blocks)

        def told(programs: Sequence[int]) -> dict[int, frozenset[str]]:
            places = frozenset((program, 0, 0) for program in programs)
            watch = self._watched(self.file, views, Sample(grid, places), blocks)
            return {program: watch.stored_by(program) for program in programs}

        if seconds > MUCH:
            self._count = how_many(seconds / math.prod(grid))
            self._edges = edges(grid[0], told) if len(self.file.WRITTEN) > 1 else []
        self._grid = grid

    def _one(self, views: Mapping[str, torch.Tensor], blocks: Mapping[str, int]) -> tuple[Grid, float]:
        """How many programs there are, and about how long all take if they are like one in the middle."""
        first = self._watched(self.file, views, Sample((1, 1, 1), frozenset({(0, 0, 0)})), blocks)
        middle: Place = tuple(count // 2 for count in first.grid)  # type: ignore[assignment]
        begun = fast_paths.DONE.seconds
        self._watched(self.file, views, Sample(first.grid, frozenset({middle})), blocks)
        return first.grid, (fast_paths.DONE.seconds - begun) * math.prod(first.grid)

    def _watched(
        self, file: Any, views: Mapping[str, torch.Tensor], sample: Sample | None, blocks: Mapping[str, int]
    ) -> Watch:
        with Watch(views, sample) as watch:
            try:
                file.launch_generated(*views.values(), **blocks)
            except (Exception, NotJudged) as error:
                if short_of_memory(error):
                    raise
                text = " ".join(str(error).split())[:300]
                where = "Triton's interpreter on the CPU"
                raise LabError(
                    f"{self.path} can not be judged on {where}: Inductor's own kernel does not run: {type(error).__name__}: {text}"
                ) from error
        return watch


# ------------------------------------------------------------ which programs run


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
