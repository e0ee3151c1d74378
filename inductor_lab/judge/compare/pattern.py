"""Says in one sentence where a tensor is wrong, and what its wrong elements have in common.

A cause is named where the data prove it: rows that are masked throughout, a NaN that was dropped, a block that no program took.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, replace
from functools import reduce
from itertools import chain, combinations, islice

import numpy as np
import torch
from torch import Tensor

from inductor_lab.judge.compare.places import (
    MOST,
    axis_name,
    box,
    last_block,
    place,
    profiles,
    ranges,
    stride,
)

HALF = 0.5
"""The same for a sign: more wrong elements than this have it all by no accident, and others of it may be within the limit."""
LUCKY = 0.25
"""What no program wrote is told whole where this part of it is wrong: what was there before may be right elsewhere."""
FEW = 3
"""Fewer elements have a value of any input in common."""


@dataclass(frozen=True)
class Where:
    """The first wrong element of a tensor, how many there are, and what they have in common."""

    index: tuple[int, ...]
    value: float | int | bool
    eager: float | int | bool
    exact: float | int | bool
    ulps: float
    wrong: int
    of: int
    pattern: str


@dataclass(frozen=True)
class WrongTensor:
    """A tensor that a kernel wrote, and which of its elements are wrong, all of its shape."""

    wrong: Tensor
    out: Tensor
    eager: Tensor
    exact: Tensor
    inputs: Mapping[str, Tensor]


def where(
    out: Tensor,
    want: Tensor,
    exact: Tensor,
    wrong: Tensor,
    inputs: Mapping[str, Tensor],
    blocks: Mapping[str, int] | None = None,
    unwritten: Tensor | None = None,
) -> Where:
    """Tell of the wrong elements of what a kernel wrote; some element must be wrong. Numbers that are not finite stay as they are.

    Args:
        blocks: What the launcher's blocks were.
        unwritten: The elements that no program wrote, None where that is not known.
    """
    wrong = wrong.reshape(out.shape)
    flat = int(wrong.flatten().to(torch.uint8).argmax())
    index = tuple(int(at) for at in np.unravel_index(flat, out.shape))
    value, eager, ideal = (x.reshape(out.shape).flatten()[flat].item() for x in (out, want, exact))
    seen = {name: _plain(x) for name, x in inputs.items()}
    tensor = WrongTensor(wrong, out, _plain(want.reshape(out.shape)), exact.reshape(out.shape), seen)
    count, ulps = int(wrong.sum()), _ulps(value, ideal, out.dtype)
    return Where(index, value, eager, ideal, ulps, count, wrong.numel(), pattern(tensor, blocks or {}, unwritten))


def _plain(x: Tensor) -> Tensor:
    """The same numbers in a dtype that has all operations, which float8 has not."""
    return x.float() if x.is_floating_point() and x.itemsize == 1 else x


def _ulps(value: float, exact: float, dtype: torch.dtype) -> float:
    """The error in units of the last place that the exact value has in the dtype."""
    error = float(abs(value - exact))
    if not dtype.is_floating_point or not math.isfinite(error):
        return error
    info = torch.finfo(dtype)
    size = max(abs(exact), info.smallest_normal)
    return error / (info.eps * 2.0 ** math.floor(math.log2(size)))


def pattern(of: WrongTensor, blocks: Mapping[str, int], unwritten: Tensor | None) -> str:
    """What the wrong elements have in common, and which of them no program wrote."""
    wrong = of.wrong
    missing = torch.zeros_like(wrong) if unwritten is None else wrong & unwritten.reshape(wrong.shape)
    if unwritten is None or not bool(missing.any()):
        return _common(of, blocks)
    if not torch.equal(missing, wrong):
        return f"{_common(of, {})}; written by no program: {place(missing)}"
    left = unwritten.reshape(wrong.shape)
    left = left if int(wrong.sum()) >= LUCKY * int(left.sum()) else wrong
    too_few = f"one block too few ({block}): " if (block := last_block(left, blocks)) else ""
    return f"{too_few}{place(left)}, written by no program"


def _common(of: WrongTensor, blocks: Mapping[str, int]) -> str:
    """What the wrong elements have in common: a cause, a place, the value of an input or of the result."""
    wrong = of.wrong
    if bool(wrong.all()):
        return "every element"
    if cause := _cause(of):
        return f"only {cause}"
    block = last_block(wrong, blocks)
    common = (
        (f"exactly the last block ({block}): {place(wrong)}" if block else "")
        or next(chain(ranges(wrong), _by_inputs(wrong, of.inputs)), "")
        or _overflow(of)
        or stride(wrong)
        or next(_by_inputs(wrong, {"eager": of.eager}), "")
        or ("nearly every element" if int(wrong.sum()) >= MOST * wrong.numel() else box(wrong))
    )
    some = wrong & (of.out.isnan() != of.eager.isnan())
    cause = _cause(replace(of, wrong=some)) if bool(some.any()) else ""
    return f"{common}; {int(some.sum()):,} of them {cause}" if cause else common


def _cause(of: WrongTensor) -> str:
    """What goes wrong at just these elements; empty where nothing proves it."""
    return next(chain(_masked(of), _dropped(of)), "")


def _by_row(wrong: Tensor, inputs: Mapping[str, Tensor]) -> Iterator[tuple[Tensor, dict[str, Tensor]]]:
    """Which rows are wrong, and the inputs as these rows: of the result's shape, or with a dimension more that the kernel folds."""
    if wrong.ndim > 1 and wrong.shape[-1] > 1:
        beside = {name: _beside(wrong, x) for name, x in inputs.items()}
        columns = wrong.shape[-1]
        yield wrong.reshape(-1, columns).any(1), {n: x.reshape(-1, columns) for n, x in beside.items() if x is not None}
    longer = {n: x.flatten(0, -2) for n, x in inputs.items() if x.ndim > 1 and x.shape[-1] > 1}
    yield wrong.flatten(), {name: x for name, x in longer.items() if len(x) == wrong.numel()}


def _beside(wrong: Tensor, x: Tensor) -> Tensor | None:
    """An input's value for each element, where it has the result's shape or is spread over it."""
    if x.numel() == wrong.numel():
        return x.reshape(wrong.shape)
    spread = x.ndim <= wrong.ndim and all(
        a in (1, b) for a, b in zip(reversed(x.shape), reversed(wrong.shape), strict=False)
    )
    return x.expand(wrong.shape) if spread else None


def _masked(of: WrongTensor) -> Iterator[str]:
    """Rows of which a mask hides all, or which are -inf throughout: each wrong row is one, and few others.

    A flag is taken for a mask where what it hides elsewhere is 0, or where nothing finite is left of a row that it hides.
    """
    for rows, seen in _by_row(of.wrong, of.inputs):
        hidden = {f"{n} is -inf": x == -math.inf for n, x in seen.items() if x.is_floating_point()}
        flags = [(n, x) for n, x in seen.items() if x.dtype == torch.bool]
        hidden |= {f"{n} is {value}": x == value for n, x in flags for value in (True, False)}
        hidden = {name: hides for name, hides in hidden.items() if bool(hides.any())}
        result = of.exact.reshape(len(rows), -1)
        for names in chain(combinations(hidden, 1), combinations(hidden, 2)):
            hides = reduce(torch.logical_or, (hidden[name] for name in names))
            whole = hides.all(1)
            if not bool(whole[rows].all()) or bool(whole.all()) or int(whole.sum()) > 2 * int(rows.sum()):
                continue
            partly = hides & ~whole[:, None]
            others = result[partly] if result.shape == hides.shape else result[:0]
            nothing = bool(others.numel()) and bool(((others == 0) | ~others.isfinite()).all())
            hiding = nothing or not bool(result[rows].isfinite().any()) or all(name.endswith("-inf") for name in names)
            if hiding and (bool(partly.any()) or bool(result[rows].isnan().all())):
                yield f"in fully masked rows, where {' or '.join(names)} throughout"


def _dropped(of: WrongTensor) -> Iterator[str]:
    """A number where eager has NaN and an input has one, there or in the row."""
    wrong, inputs = of.wrong, of.inputs
    if not bool((of.eager.isnan() & ~of.out.isnan())[wrong].all()):
        return
    beside = {name: x for name in inputs if (x := _beside(wrong, inputs[name])) is not None}
    ways = [("", wrong, {name: x.isnan() for name, x in beside.items()})]
    ways += [
        ("in rows ", rows, {name: x.isnan().any(1) for name, x in seen.items()})
        for rows, seen in _by_row(wrong, inputs)
    ]
    for prefix, places, found in ways:
        names = [name for name, nan in found.items() if bool((nan & places).any())]
        if names and bool(reduce(torch.logical_or, (found[name] for name in names))[places].all()):
            yield f"{prefix}where a NaN of {' or '.join(names)} is dropped"


def _by_inputs(wrong: Tensor, inputs: Mapping[str, Tensor]) -> Iterator[str]:
    """Where an input has a certain value, or lies to one side of one."""
    for name, x in inputs.items():
        for wrong_there, spread, prefix in _lined_up(wrong, x):
            yield from (f"{prefix} {name} is {text}" for text in _values(wrong_there, spread))


def _lined_up(wrong: Tensor, x: Tensor) -> Iterator[tuple[Tensor, Tensor, str]]:
    """An input beside the wrong elements: of the same shape, spread over them, or one value for each index of a leading dimension."""
    if x.numel() < 2:
        return
    if (beside := _beside(wrong, x)) is not None:
        yield wrong, beside, "only where"
        if x.numel() == wrong.numel():
            return
    for dim, some, whole in profiles(wrong):
        if wrong.ndim > 1 and x.numel() == wrong.shape[dim] and bool(whole[some].all()):
            yield some, x.flatten(), f"{axis_name(dim, wrong.ndim)}s where"


def _values(wrong: Tensor, x: Tensor) -> Iterator[str]:
    """What the input is where it is wrong, and nearly nowhere else."""

    def only(condition: Tensor, most: float = MOST) -> bool:
        """True of every wrong element, of few right ones, and not of most right ones where these are few."""
        held = int(condition.count_nonzero())
        if count < most * held or 2 * (held - count) > right:
            return False
        return int((condition & wrong).count_nonzero()) == count

    count = int(wrong.count_nonzero())
    right = wrong.numel() - count
    if not right:
        return
    mine = x[wrong]
    if x.is_floating_point():
        if bool(mine.isnan().all()) and only(x.isnan()):
            yield "NaN"
        if bool(mine.isinf().all()) and only(x.isinf()):
            yield "infinite"
        if bool(mine.isnan().any()):
            return
    first = mine[0]
    if bool((mine == first).all()):
        told_apart = count >= FEW or not x.is_floating_point() or float(first) in (-1.0, 0.0, 1.0)
        if told_apart and only(x == first):
            yield ("exactly 0" if x.is_floating_point() and not first else _number(first))
        return
    if x.dtype == torch.bool or count < FEW:
        return
    yield from islice(_sides(wrong, x, only), 1)


def _sides(wrong: Tensor, x: Tensor, only: Callable[..., bool]) -> Iterator[str]:
    """Where the input lies where it is wrong, the plainest words first."""
    low, high = x[wrong].min(), x[wrong].max()
    sign = "negative" if bool(high < 0) else "positive" if bool(low > 0) else ""
    of_sign = x < 0 if sign == "negative" else x > 0
    if sign and only(of_sign):
        yield sign
    if only(x >= low):
        yield _bound(x, low, above=True)
    if only(x <= high):
        yield _bound(x, high, above=False)
    if sign and only(of_sign, HALF):
        yield sign
    if not sign and x.dtype.is_signed:
        size = x.abs()
        low, high = size[wrong].min(), size[wrong].max()
        if only(size >= low):
            yield f"{_bound(size, low, above=True)} in magnitude"
        if only(size <= high):
            yield f"{_bound(size, high, above=False)} in magnitude"


def _bound(x: Tensor, bound: Tensor, *, above: bool) -> str:
    """`> 3` where a round number lies between what is wrong and what is not, else the number itself."""
    others = x[x < bound] if above else x[x > bound]
    sign = ">" if above else "<"
    if others.numel():
        low, high = sorted((float(others.max() if above else others.min()), float(bound)))
        for digits in range(4):
            told = round(high if low < round(high, digits) <= high and not above else low, digits)
            if low <= told <= high:
                equal = told == float(bound)
                return f"{sign}{'=' if equal else ''} {told:g}"
    return f"{sign}= {_number(bound)}"


def _number(value: Tensor) -> str:
    if value.is_floating_point():
        return f"{float(value):g}"
    return str(bool(value) if value.dtype == torch.bool else int(value))


def _overflow(of: WrongTensor) -> str:
    dtype, exact, wrong = of.out.dtype, of.exact, of.wrong
    if not dtype.is_floating_point:
        return ""
    beyond = exact.isfinite() & (exact.abs() > torch.finfo(dtype).max)
    all_of_them = bool(beyond[wrong].all()) and int(beyond.sum()) * MOST <= int(wrong.sum())
    return f"only where the result is too large for {str(dtype).removeprefix('torch.')}" if all_of_them else ""
