"""Where a tensor is wrong, and what its wrong elements have in common: one short sentence, the first that is true of all and of few others."""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping
from dataclasses import dataclass

import torch
from torch import Tensor

MOST = 0.98
"""A sentence says enough where this part of what it is true of is wrong: a wrong element may be right by luck."""
HALF = 0.5
"""The same for a sign: more wrong elements than this have it all by no accident, and others of it may be within the limit."""
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


def where(out: Tensor, want: Tensor, exact: Tensor, wrong: Tensor, inputs: Mapping[str, Tensor]) -> Where:
    """Tell of the wrong elements of what a kernel wrote; some element must be wrong. Numbers that are not finite stay as they are."""
    wrong = wrong.reshape(out.shape)
    flat = int(wrong.flatten().to(torch.uint8).argmax())
    index, rest = [], flat
    for size in reversed(out.shape):
        rest, at = divmod(rest, size)
        index.insert(0, at)
    values = [x.reshape(out.shape).flatten()[flat].item() for x in (out, want, exact)]
    ulps = _ulps(values[0], values[2], out.dtype)
    count = int(wrong.sum())
    common = pattern(wrong, exact.reshape(out.shape), inputs, out, want.reshape(out.shape))
    return Where(tuple(index), *values, ulps, count, wrong.numel(), common)


def _ulps(value: float, exact: float, dtype: torch.dtype) -> float:
    """The error in units of the last place that the exact value has in the dtype."""
    error = float(abs(value - exact))
    if not dtype.is_floating_point or not math.isfinite(error):
        return error
    info = torch.finfo(dtype)
    size = max(abs(exact), info.smallest_normal)
    return error / (info.eps * 2.0 ** math.floor(math.log2(size)))


def pattern(wrong: Tensor, exact: Tensor, inputs: Mapping[str, Tensor], out: Tensor, want: Tensor) -> str:
    """What the wrong elements have in common."""
    if bool(wrong.all()):
        return "every element"
    found: Iterator[str] = (text for rule in (_lines, _last, _after, _by_inputs) for text in rule(wrong, inputs))
    return (
        next(found, "")
        or _overflow(wrong, exact, out)
        or _every(wrong)
        or next(_by_inputs(wrong, {"eager": want}), "")
        or ("nearly every element" if int(wrong.sum()) >= MOST * wrong.numel() else _box(wrong))
    )


def _name(dim: int, rank: int) -> str:
    if rank == 1:
        return "element"
    return "column" if dim == rank - 1 else "row" if dim == rank - 2 and rank == 2 else f"index of dimension {dim}"


def _profiles(wrong: Tensor) -> Iterator[tuple[int, Tensor, Tensor]]:
    """For each dimension that has several indices: whether some of each index is wrong, and whether all of it is."""
    for dim in reversed(range(wrong.ndim)):
        if wrong.shape[dim] > 1:
            counts = wrong.sum([d for d in range(wrong.ndim) if d != dim]) if wrong.ndim > 1 else wrong.long()
            yield dim, counts > 0, counts >= MOST * (wrong.numel() // wrong.shape[dim])


def _lines(wrong: Tensor, inputs: Mapping[str, Tensor]) -> Iterator[str]:
    """One column, one row, the last one."""
    for dim, some, whole in _profiles(wrong):
        if int(some.sum()) == 1 and bool(whole[some].all()):
            at, name = int(some.to(torch.uint8).argmax()), _name(dim, wrong.ndim)
            of = "" if wrong.ndim == 1 else "every element of "
            yield f"{of}the last {name}" if at == len(some) - 1 else f"{of}{name} {at}"


def _last(wrong: Tensor, inputs: Mapping[str, Tensor]) -> Iterator[str]:
    """The end or the beginning, counted through the whole tensor."""
    flat = wrong.flatten()
    count = int(flat.sum())
    if count == 1:
        return
    if bool(flat[-count:].all()):
        columns = wrong.shape[-1] if wrong.ndim > 1 else 1
        if wrong.ndim == 2 and count % columns == 0:
            yield f"every row from {(flat.numel() - count) // columns} on"
        yield f"the last {count} elements (flat)"
    elif bool(flat[:count].all()):
        yield f"the first {count} elements (flat)"


def _after(wrong: Tensor, inputs: Mapping[str, Tensor]) -> Iterator[str]:
    """Every column from one on, or up to one; every so many."""
    for dim, some, whole in _profiles(wrong):
        at = some.nonzero().flatten()
        if not bool(whole[some].all()) or len(at) == len(some):
            continue
        name, first, last = _name(dim, wrong.ndim), int(at[0]), int(at[-1])
        if last - first + 1 == len(at):
            if last == len(some) - 1:
                yield f"every {name} from {first} on"
            elif first == 0:
                yield f"every {name} up to {last}"
            elif wrong.ndim > 1:
                yield f"every {name} from {first} to {last}"
        step = int(at[1] - at[0]) if len(at) > 1 else 0
        if len(at) > 2 and bool((at.diff() == step).all()) and len(at) == len(some[first::step]):
            yield f"every {_ordinal(step)} {name}" + (f", from {first} on" if first else "")


def _ordinal(number: int) -> str:
    tail = "th" if number % 100 in (11, 12, 13) else {1: "st", 2: "nd", 3: "rd"}.get(number % 10, "th")
    return f"{number}{tail}"


def _by_inputs(wrong: Tensor, inputs: Mapping[str, Tensor]) -> Iterator[str]:
    """Where an input has a certain value, or lies to one side of one."""
    for name, x in inputs.items():
        for wrong_there, spread, prefix in _lined_up(wrong, x):
            yield from (f"{prefix} {name} is {text}" for text in _values(wrong_there, spread))


def _lined_up(wrong: Tensor, x: Tensor) -> Iterator[tuple[Tensor, Tensor, str]]:
    """An input beside the wrong elements: of the same shape, spread over them, or one value for each index of a leading dimension."""
    if x.numel() < 2:
        return
    if x.numel() == wrong.numel():
        yield wrong, x.reshape(wrong.shape), "only where"
        return
    if x.ndim <= wrong.ndim and all(
        a in (1, b) for a, b in zip(reversed(x.shape), reversed(wrong.shape), strict=False)
    ):
        yield wrong, x.expand(wrong.shape), "only where"
    for dim, some, whole in _profiles(wrong):
        if wrong.ndim > 1 and x.numel() == wrong.shape[dim] and bool(whole[some].all()):
            yield some, x.flatten(), f"{_name(dim, wrong.ndim)}s where"


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
    low, high = mine.min(), mine.max()
    negative, positive = bool(high < 0), bool(low > 0)
    if negative and only(x < 0):
        yield "negative"
    elif positive and only(x > 0):
        yield "positive"
    elif only(x >= low):
        yield _bound(x, low, above=True)
    elif only(x <= high):
        yield _bound(x, high, above=False)
    elif negative and only(x < 0, HALF):
        yield "negative"
    elif positive and only(x > 0, HALF):
        yield "positive"
    elif x.dtype.is_signed and not negative and not positive:
        size = x.abs()
        low, high = size[wrong].min(), size[wrong].max()
        if only(size >= low):
            yield f"{_bound(size, low, above=True)} in magnitude"
        elif only(size <= high):
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
    return (
        str(bool(value))
        if value.dtype == torch.bool
        else f"{float(value):g}"
        if value.is_floating_point()
        else str(int(value))
    )


def _overflow(wrong: Tensor, exact: Tensor, out: Tensor) -> str:
    if not out.is_floating_point():
        return ""
    beyond = exact.abs() > torch.finfo(out.dtype).max
    return (
        "only where float64 overflows the dtype"
        if bool(beyond[wrong].all()) and int(beyond.sum()) * MOST <= int(wrong.sum())
        else ""
    )


def _every(wrong: Tensor) -> str:
    """Every so many elements, counted through the whole tensor."""
    at = wrong.flatten().nonzero().flatten()
    if len(at) < 3:
        return ""
    step = int(at[1] - at[0])
    whole = len(at) == -(-(wrong.numel() - int(at[0])) // step)
    if not whole or not bool((at.diff() == step).all()):
        return ""
    return f"every {_ordinal(step)} element" + (f", from {int(at[0])} on" if int(at[0]) else "")


def _box(wrong: Tensor) -> str:
    """The smallest range of each dimension that holds them."""
    parts = []
    profiles = list(_profiles(wrong))
    if profiles and all(bool(some[0] & some[-1]) for _, some, _ in profiles):
        return "all over the tensor"
    for dim, some, _ in reversed(profiles):
        at = some.nonzero().flatten()
        first, last, name = int(at[0]), int(at[-1]), _name(dim, wrong.ndim)
        name = name.replace("index", "indices", 1) if name.startswith("index") and first != last else name
        plural = "s" if first != last and not name.startswith("ind") else ""
        parts.append(f"{name}{plural} {first}" + (f" to {last}" if last > first else ""))
    return ("in " if parts else "") + ", ".join(parts)
