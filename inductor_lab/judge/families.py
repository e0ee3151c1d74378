"""Inputs beyond normal numbers: the kinds of values at which kernels go wrong, each within what a tensor's fill asks.

    drawn(file.ARGUMENTS, "rows", seed)["x"]      row by row: normal, 1e4 + normal, up to 1e3, 1e-20, constant, all -inf, ...

A fill holds in every family: an index stays in its range, what stands under a root stays positive, what is sorted is sorted.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from typing import Any, NamedTuple

import torch

from inductor_lab.judge import float_families as floats
from inductor_lab.judge import whole_families as whole
from inductor_lab.judge.alone import apart, valid_values


class Family(NamedTuple):
    """A kind of values: for floats, for whole numbers, and what it finds."""

    floats: floats.Draw
    whole: whole.Draw
    purpose: str


FAMILIES: Mapping[str, Family] = {
    "normal": Family(floats.normal, whole.uniform, "what most tensors hold"),
    "offset": Family(floats.offset, whole.uniform, "a small spread beside a large mean: a variance as E[x^2] - E[x]^2"),
    "large": Family(floats.large, whole.beyond, "an exponential without the maximum, an overflow in float16"),
    "tiny": Family(floats.tiny, whole.signs, "an eps that is missing or another, denormals; both signs of whole numbers"),
    "constant": Family(floats.constant, whole.equal, "no variance, so that eps decides; indices that all collide"),
    "masked": Family(floats.masked, whole.sentinels, "rows that are -inf in part or throughout; labels that are all ignored"),
    "cancellation": Family(floats.cancellation, whole.uniform, "huge next to tiny, and pairs whose sum is nearly nothing"),
    "ties": Family(floats.ties, whole.equal, "few different values: which of two equal ones is taken"),
    "exact": Family(floats.exact, whole.uniform, "sums without any rounding: one summand too few shows in every dtype"),
    "sparse": Family(floats.sparse, whole.ends, "nearly all zero: what each single element adds"),
    "edges": Family(floats.edges, whole.ends, "NaN, infinities, both zeros, the largest and the smallest in single places"),
    "powers": Family(floats.powers, whole.beyond, "all magnitudes, more than narrow floats and narrow integers hold"),
    "ascending": Family(floats.normal, whole.ascending, "sorted indices: neighbours are the same"),
    "descending": Family(floats.normal, whole.descending, "indices in reverse"),
}  # fmt: skip
"""What all of a tensor can be drawn from."""
BY_ROWS = tuple(name for name in FAMILIES if name != "edges")
"""Single odd values have a case of their own."""
BY_COLUMNS = tuple(name for name in BY_ROWS if name != "masked")
"""A column that is -inf leaves nothing of what is summed along rows."""
MIXED = ("rows", "columns")
"""What is asked for like a family, and draws each row or each column from another one."""


def drawn(arguments: Mapping[str, tuple[Any, ...]], family: str, seed: int) -> dict[str, torch.Tensor]:
    """The values of every argument that is read, by name: the same tensor for two names of one memory.

    Infinities and NaN are for the largest tensors: a smaller one is broadcast, and an odd value there would reach every row.
    """
    generator = torch.Generator("cpu").manual_seed(seed)
    largest = max((_elements(*spec[:2]) for spec in arguments.values() if _read(spec[-1])), default=0)
    found: dict[str, torch.Tensor] = {}
    for name, (shape, stride, dtype, fill) in arguments.items():
        if fill[0] == "same" and fill[1] in found:
            found[name] = found[fill[1]]
        elif _read(fill):
            odd = _elements(shape, stride) == largest
            made = values(shape, dtype, fill, family, generator, odd=odd)
            once = tuple(slice(1) if step == 0 else slice(None) for step in stride)
            found[name] = made[once].expand(shape).contiguous() if 0 in stride else made
    return found


def values(
    shape: Sequence[int], dtype: torch.dtype, fill: Any, family: str, generator: torch.Generator, *, odd: bool = True
) -> torch.Tensor:
    """One tensor of a family, or mixed from all of them by `rows` or `columns`.

    Args:
        fill: What is valid, as a file's ARGUMENTS has it.
        odd: Whether there may be infinities and NaN; never where the fill takes none.
    """
    shape = tuple(shape)
    flat = family in MIXED and len(shape) < 2 and dtype.is_floating_point
    normal = flat and bool(torch.rand((), generator=generator) < 0.5)  # a bias, a scale: half of the time
    if family == "normal" or normal or not math.prod(shape):
        return valid_values(shape, dtype, fill, generator)
    if dtype.is_floating_point and not isinstance(fill, tuple):
        return _floats(shape, dtype, fill, family, generator, odd)
    return _whole(shape, dtype, fill, family, generator)


def _floats(
    shape: tuple[int, ...], dtype: torch.dtype, fill: str, family: str, generator: torch.Generator, odd: bool
) -> torch.Tensor:
    def draw(name: str, rows: int, columns: int) -> torch.Tensor:
        return FAMILIES[name].floats(rows, columns, dtype, generator)

    made = _laid(shape, family, generator, draw)
    odd = odd and fill not in floats.FINITE and (family == "edges" or fill == "normal")
    made = floats.within(made, fill, dtype, odd)
    return (made.sort(-1).values if fill == "sorted" else made).to(dtype)


def _whole(
    shape: tuple[int, ...], dtype: torch.dtype, fill: Any, family: str, generator: torch.Generator
) -> torch.Tensor:
    range_, along = whole.allowed(fill, shape, dtype)

    def draw(name: str, rows: int, columns: int) -> torch.Tensor:
        return FAMILIES[name].whole(rows, columns, range_, generator)

    made = _laid(shape, family, generator, draw)
    if along:
        made = apart(made, list(along), generator)
        if family in ("ascending", "descending"):
            made = made.sort(along[-1], descending=family == "descending").values
    elif fill == "sorted":
        made = made.sort(-1).values
    return made.to(dtype)


# ------------------------------------------------------------ rows and columns


def _laid(shape: tuple[int, ...], family: str, generator: torch.Generator, draw: Any) -> torch.Tensor:
    """A tensor of one family, its rows along the last dimension; or of all of them, by rows or by columns."""
    if len(shape) < 2:
        count = math.prod(shape)
        if family in MIXED:
            return _each(count, 1, BY_ROWS, generator, draw).reshape(shape)
        # single odd values, among as many elements as in a tensor of rows
        return draw(family, *((count, 1) if family == "edges" else (1, count))).reshape(shape)
    if family == "columns":
        place = -1 if len(shape) == 2 or torch.rand((), generator=generator) < 0.5 else 1
        turned = torch.empty(shape, device="meta").movedim(place, 0).shape
        made = _each(turned[0], math.prod(turned[1:]), BY_COLUMNS, generator, draw)
        return made.reshape(turned).movedim(0, place).contiguous()
    first = family == "rows" and len(shape) > 2 and bool(torch.rand((), generator=generator) < 0.5)
    rows = shape[0] if first else math.prod(shape[:-1])
    columns = math.prod(shape) // rows
    made = _each(rows, columns, BY_ROWS, generator, draw) if family == "rows" else draw(family, rows, columns)
    return made.reshape(shape)


def _each(rows: int, columns: int, names: Sequence[str], generator: torch.Generator, draw: Any) -> torch.Tensor:
    """Rows of which each is of another family than its neighbours; single elements are drawn like one row of each."""
    order = torch.randperm(len(names), generator=generator).tolist()[:rows]
    made: torch.Tensor | None = None
    for first, number in enumerate(order):
        count = len(range(first, rows, len(order)))
        part = draw(names[number], *((count, columns) if columns > 1 else (1, count))).reshape(count, columns)
        made = part.new_empty((rows, columns)) if made is None else made
        made[first :: len(order)] = part
    assert made is not None
    return made


def _read(fill: Any) -> bool:
    """Whether values are drawn for an argument."""
    return bool(fill != "out" and fill[0] != "same")


def _elements(shape: Sequence[int], stride: Sequence[int]) -> int:
    """How many elements a tensor holds; an expanded dimension is one."""
    return math.prod(size for size, step in zip(shape, stride, strict=True) if step or not size)
