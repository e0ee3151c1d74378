"""Inputs beyond normal numbers: the kinds of values at which kernels go wrong, each within what a tensor's fill asks.

    drawn(file.ARGUMENTS, "every kind", seed)["x"]      row by row: normal, 1e4 + normal, up to 1e3, 1e-20, constant, all -inf, ...

A fill holds in every family: an index stays in its range, what stands under a root stays positive, what is sorted is sorted.

A kernel that takes a mean over channels, a statistic of each group, a part of a sum, goes wrong where all of *its* elements are -inf, or
huge, or the same. What its groups are the tensors' sizes tell: a smaller one has an element for each (`Layout`).
"""

from __future__ import annotations

import itertools
import math
from collections import Counter
from collections.abc import Callable, Collection, Mapping, Sequence
from functools import partial
from typing import Any, NamedTuple, TypeVar

import torch

from inductor_lab.judge import alone
from inductor_lab.judge.alone import apart, valid_values
from inductor_lab.judge.inputs import draws
from inductor_lab.judge.inputs.domains import Domain
from inductor_lab.judge.inputs.draws import Floats, Wholes
from inductor_lab.judge.inputs.placement import once

Draw = Callable[[str, int, int], torch.Tensor]
"""(family, rows, columns) -> values."""


class Family(NamedTuple):
    """A kind of values: for floats, for whole numbers, and what it finds."""

    floats: Callable[[Floats], torch.Tensor]
    whole: Callable[[Wholes], torch.Tensor]
    purpose: str


FAMILIES: Mapping[str, Family] = {
    "normal": Family(Floats.normal, draws.uniform, "what most tensors hold"),
    "offset": Family(draws.offset, draws.uniform, "a small spread beside a large mean: a variance as E[x^2] - E[x]^2"),
    "large": Family(draws.large, draws.beyond, "an exponential without the maximum, an overflow in float16"),
    "moderate": Family(lambda draw: draw.magnitudes(4, 4.5), draws.uniform, "4 to 90: where exponentials, sigmoids and float16 saturate, and float32 does not"),
    "tiny": Family(draws.tiny, draws.signs, "an eps that is missing or another, denormals; both signs of whole numbers"),
    "far": Family(lambda draw: draw.magnitudes(100, 4.9), draws.beyond, "100 to 3000: outliers, as a few channels of large models have them"),
    "spread": Family(draws.spread, draws.uniform, "one element that is 3, or -10, where most are not"),
    "faint": Family(lambda draw: draw.normal() * (1e-3 if draw.half else 1e-4), draws.uniform, "a term that another one covers"),
    "near one": Family(lambda draw: (1 + 0.05 * draw.normal()) * draw.signs(), draws.uniform, "a product of many, which is neither 0 nor infinite"),
    "zero": Family(lambda draw: torch.zeros(draw.shape, dtype=draw.wide), draws.least, "what is left of a sum where a term is nothing; a division by 0"),
    "binary": Family(lambda draw: draw.whole(0, 2), draws.ends, "labels and probabilities of exactly 0 and 1"),
    "constant": Family(draws.constant, draws.equal, "no variance, so that eps decides; indices that all collide"),
    "masked": Family(draws.masked, draws.sentinels, "rows that are -inf in part or throughout; labels that are all ignored"),
    "cancellation": Family(draws.cancellation, draws.uniform, "huge next to tiny, and pairs whose sum is nearly nothing"),
    "ties": Family(lambda draw: draw.whole(-2, 3) / 2, draws.alike, "few different values: which of two equal ones is taken"),
    "exact": Family(lambda draw: draw.whole(-3, 4), draws.uniform, "sums without any rounding: one summand too few shows in every dtype"),
    "sparse": Family(draws.sparse, draws.ends, "nearly all zero: what each single element adds"),
    "odd": Family(draws.odd, draws.ends, "several NaN, or infinities, or zeros of both signs, in one row: which one counts?"),
    "edges": Family(draws.edges, draws.ends, "NaN, infinities, both zeros, the largest and the smallest in single places"),
    "powers": Family(draws.powers, draws.beyond, "all magnitudes, more than narrow floats and narrow integers hold"),
    "ascending": Family(Floats.normal, draws.ascending, "sorted indices: neighbours are the same"),
    "descending": Family(Floats.normal, lambda draw: draws.ascending(draw).flip(-1), "indices in reverse"),
    "ignored": Family(draws.spread, draws.ignored, "labels that are all ignored, masks that hide all"),
    "taken": Family(draws.spread, draws.taken, "no label that is ignored, masks that hide nothing"),
    "lowest": Family(lambda draw: torch.full(draw.shape, -torch.inf, dtype=draw.wide), draws.uniform, "nothing but -inf: a maximum of -inf, a sum of nothing"),
    "highest": Family(lambda draw: torch.full(draw.shape, torch.inf, dtype=draw.wide), draws.uniform, "nothing but inf"),
}  # fmt: skip
"""What all of a tensor can be drawn from."""
ODD = {"odd", "edges"}
ALIKE = {"constant", "ties"}
"""Of these the terms of a sum are a few numbers, each many times."""
MASKS = {"masked", "ignored", "taken", "lowest", "highest"}
FINITE = tuple(name for name in FAMILIES if name not in ODD | MASKS)
MIXES: Mapping[str, tuple[str, ...]] = {
    "every kind": (*FINITE, "masked"),
    "finite": FINITE,
    "terms": ("spread", "faint", "tiny", "zero"),
    "saturated": ("binary", "moderate", "spread", "moderate"),
    "outliers": ("far", "spread", "far", "faint"),
    "masks": ("masked", "ignored", "taken", "lowest", "spread"),
    "odd values": ("odd", "spread", "odd", "highest"),
    "infinite": ("highest", "spread", "spread", "lowest", "spread", "spread"),
}
"""What is asked for like a family, and draws each group of a layout from another one; a column that is -inf leaves nothing of a row's sum."""
T = TypeVar("T")
LAYOUTS = ("rows", "columns", "groups", "runs", "whole")
RUNS = 5
"""Parts of a dimension: a loop over it meets one kind after another."""


def are_alike(family: str, layout: str) -> bool:
    """Whether the terms of a sum may be few different numbers: all tensors are of such a family, or one may be that is of one family throughout."""
    return family in ALIKE or (layout in ("whole", "groups") and not ALIKE.isdisjoint(MIXES.get(family, ())))


def drawn(
    arguments: Mapping[str, tuple[Any, ...]], family: str, seed: int, layout: str = "rows"
) -> dict[str, torch.Tensor]:
    """The values of every argument that is read, by name: the same tensor for two names of one memory.

    Infinities and NaN are for the largest tensors and those with as many groups, unless masks are what is tried: a smaller one is broadcast,
    and an odd value there would reach every row; a bias, a scale is normal half of the time. Tensors of one shape have the same groups, so
    that rows of a kind meet rows of another.
    """
    if family == "normal":  # as the file's own check draws them
        return {
            name: x.contiguous()
            for name, x in alone.drawn(arguments, seed, "cpu").items()
            if arguments[name][-1] != "out"
        }
    generator = torch.Generator("cpu").manual_seed(seed)
    domains = {name: Domain(fill, dtype) for name, (_, _, dtype, fill) in arguments.items()}
    read = {name: spec for name, spec in arguments.items() if domains[name].is_drawn}
    counts = {_elements(*spec[:2]) for spec in arguments.values()}
    largest = max((_elements(*spec[:2]) for spec in read.values()), default=0)
    shapes = dict.fromkeys(tuple(spec[0]) for spec in read.values() if math.prod(spec[0]))
    layouts = {shape: layout_of(layout if shape else "whole", shape, counts, generator) for shape in shapes}
    rows = {name: layouts[tuple(spec[0])].rows for name, spec in read.items() if math.prod(spec[0])}
    of_largest = {rows.get(name) for name, spec in read.items() if _elements(*spec[:2]) == largest}
    turns = Turns(Counter(rows.values()), generator)
    found: dict[str, torch.Tensor] = {}
    for name, (shape, stride, *_) in arguments.items():
        if (of := domains[name]).same in found:
            found[name] = found[of.same]
        elif name in read:
            smaller = _elements(shape, stride) < largest
            tries_masks = family in MASKS or family in ("masks", "infinite")
            odd = not smaller or tries_masks or (family in MIXES and rows.get(name) in of_largest)
            mixed = family in MIXES and family not in ("terms", "infinite")
            flat = smaller and mixed and rows.get(name) == math.prod(shape)
            kind = "normal" if flat and torch.rand((), generator=generator, dtype=torch.float32) < 0.5 else family
            made = values(shape, of, kind, generator, layouts.get(tuple(shape)), turns, odd=odd)
            found[name] = made[once(stride)].expand(shape).contiguous() if 0 in stride else made
    return found


class Turns:
    """Which family of a mix each group of a tensor is of.

    Args:
        tensors: How many tensors there are of so many groups: of the mix `terms` one of them leads in a group, or none does.
    """

    def __init__(self, tensors: Mapping[int, int], generator: torch.Generator) -> None:
        self.generator = generator
        self.leaders = {
            rows: torch.randint(0, count + 1, (rows,), generator=generator) for rows, count in tensors.items()
        }
        self.place: Counter[int] = Counter()

    def of(self, family: str, rows: int) -> torch.Tensor:
        """A number of each group's family: all of them in an order that does not repeat."""
        count = len(MIXES[family])
        if family == "terms":
            self.place[rows] += 1
            others = torch.randint(0, count, (rows,), generator=self.generator)
            return others.masked_fill(self.leaders.get(rows, others) == self.place[rows] - 1, 0)
        chances = torch.rand((-(-rows // count), count), generator=self.generator, dtype=torch.float32)
        return chances.argsort(1).flatten()[:rows]


def values(
    shape: Sequence[int],
    of: Domain,
    family: str,
    generator: torch.Generator,
    layout: Layout | None = None,
    turns: Turns | None = None,
    *,
    odd: bool = True,
) -> torch.Tensor:
    """One tensor of a family, or of a mix, each group of the layout from another family; rows for None.

    Args:
        odd: Whether there may be infinities and NaN; never where the domain has none.
    """
    shape = tuple(shape)
    if family == "normal" or not math.prod(shape):
        return valid_values(shape, of.dtype, of.fill, generator)
    layout = layout or layout_of("rows" if shape else "whole", shape, (), generator)
    numbers, along = of.range(shape) if of.is_whole else (None, ())

    def draw(name: str, rows: int, columns: int) -> torch.Tensor:
        if numbers:
            return FAMILIES[name].whole(Wholes(rows, columns, generator, numbers))
        return FAMILIES[name].floats(Floats(rows, columns, generator, of.dtype))

    made = layout.filled(shape, partial(_drawn, family, turns or Turns({}, generator), draw))
    if along:
        made = apart(made, list(along), generator)
        if family in ("ascending", "descending"):
            made = made.sort(along[-1], descending=family == "descending").values
    if not of.is_whole:
        made = of.bent(made, odd and of.word.odd and (family == "edges" or of.fill == "normal"))
    return (made.sort(-1).values if of.is_sorted else made).to(of.dtype)


def _drawn(family: str, turns: Turns, draw: Draw, rows: int, columns: int) -> torch.Tensor:
    """Rows of one family, or of a mix; single elements are drawn like one row of each."""
    if family not in MIXES:  # single odd values, among as many elements as in a tensor of rows
        return draw(family, *((rows, columns) if columns > 1 or family == "edges" else (1, rows)))
    order = turns.of(family, rows)
    made: torch.Tensor | None = None
    for number, name in enumerate(MIXES[family]):
        at = (order == number).nonzero().flatten()
        if at.numel():
            part = draw(name, *((at.numel(), columns) if columns > 1 else (1, at.numel())))
            made = part.new_empty((rows, columns)) if made is None else made
            made[at] = part.reshape(-1, columns)
    assert made is not None
    return made


def _elements(shape: Sequence[int], stride: Sequence[int]) -> int:
    """How many elements a tensor holds; an expanded dimension is one."""
    return math.prod(1 if step == 0 else size for size, step in zip(shape, stride, strict=True))


# ------------------------------------------------------------ which elements are of one kind


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


def layout_of(name: str, shape: tuple[int, ...], counts: Collection[int], generator: torch.Generator) -> Layout:
    """One of `LAYOUTS` for a shape of one dimension or more.

    Args:
        counts: How many elements the other tensors have: so many groups a kernel may have.
    """
    last = len(shape) - 1
    axes = tuple(range(len(shape)))
    if not last and name in ("rows", "columns"):
        return Layout(shape, axes, shape)
    first = len(shape) > 2 and bool(torch.rand((), generator=generator, dtype=torch.float32) < 0.5)
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
