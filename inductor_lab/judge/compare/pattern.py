"""Where a tensor is wrong, and what its wrong elements have in common: one short sentence, the first that is true of all and of few others.

A cause is named where the data prove it: rows that are masked throughout, a NaN that was dropped, a block that no program took.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from functools import reduce
from itertools import chain, combinations

import torch
from torch import Tensor

MOST = 0.98
"""A sentence says enough where this part of what it is true of is wrong: a wrong element may be right by luck."""
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

    blocks: what the launcher's blocks were. unwritten: the elements that no program wrote, None where that is not known.
    """
    wrong = wrong.reshape(out.shape)
    flat = int(wrong.flatten().to(torch.uint8).argmax())
    index, rest = [], flat
    for size in reversed(out.shape):
        rest, at = divmod(rest, size)
        index.insert(0, at)
    values = [x.reshape(out.shape).flatten()[flat].item() for x in (out, want, exact)]
    ulps = _ulps(values[0], values[2], out.dtype)
    count = int(wrong.sum())
    seen = {name: _plain(x) for name, x in inputs.items()}
    eager = _plain(want.reshape(out.shape))
    common = pattern(wrong, exact.reshape(out.shape), seen, out, eager, blocks or {}, unwritten)
    return Where(tuple(index), *values, ulps, count, wrong.numel(), common)


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


def pattern(
    wrong: Tensor,
    exact: Tensor,
    inputs: Mapping[str, Tensor],
    out: Tensor,
    want: Tensor,
    blocks: Mapping[str, int],
    unwritten: Tensor | None,
) -> str:
    """What the wrong elements have in common, and which of them no program wrote."""
    missing = torch.zeros_like(wrong) if unwritten is None else wrong & unwritten.reshape(wrong.shape)
    if not bool(missing.any()):
        return _common(wrong, exact, inputs, out, want, blocks)
    if not torch.equal(missing, wrong):
        return f"{_common(wrong, exact, inputs, out, want, {})}; written by no program: {_place(missing)}"
    assert unwritten is not None
    left = unwritten.reshape(wrong.shape)
    left = left if int(wrong.sum()) >= LUCKY * int(left.sum()) else wrong
    too_few = f"one block too few ({block}): " if (block := _last_block(left, blocks)) else ""
    return f"{too_few}{_place(left)}, written by no program"


def _common(
    wrong: Tensor, exact: Tensor, inputs: Mapping[str, Tensor], out: Tensor, want: Tensor, blocks: Mapping[str, int]
) -> str:
    """What the wrong elements have in common: a cause, a place, the value of an input or of the result."""
    if bool(wrong.all()):
        return "every element"
    if cause := _cause(wrong, exact, inputs, out, want):
        return f"only {cause}"
    block = _last_block(wrong, blocks)
    place = (
        (f"exactly the last block ({block}): {_place(wrong)}" if block else "")
        or next(chain(_lines(wrong), _last(wrong), _after(wrong), _by_inputs(wrong, inputs)), "")
        or _overflow(wrong, exact, out)
        or _every(wrong)
        or next(_by_inputs(wrong, {"eager": want}), "")
        or ("nearly every element" if int(wrong.sum()) >= MOST * wrong.numel() else _box(wrong))
    )
    some = wrong & (out.isnan() != want.isnan())
    cause = _cause(some, exact, inputs, out, want) if bool(some.any()) else ""
    return f"{place}; {int(some.sum()):,} of them {cause}" if cause else place


def _cause(wrong: Tensor, exact: Tensor, inputs: Mapping[str, Tensor], out: Tensor, want: Tensor) -> str:
    """What goes wrong at just these elements; empty where nothing proves it."""
    return next(chain(_masked(wrong, exact, inputs), _dropped(wrong, inputs, out, want)), "")


def _place(wrong: Tensor) -> str:
    """Where they lie."""
    if bool(wrong.all()):
        return "every element"
    return next(chain(_lines(wrong), _last(wrong), _after(wrong)), "") or _every(wrong) or _box(wrong)


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


def _masked(wrong: Tensor, exact: Tensor, inputs: Mapping[str, Tensor]) -> Iterator[str]:
    """Rows of which a mask hides all, or which are -inf throughout: each wrong row is one, and few others.

    A flag is taken for a mask where what it hides elsewhere is 0, or where nothing finite is left of a row that it hides.
    """
    for rows, seen in _by_row(wrong, inputs):
        hidden = {f"{n} is -inf": x == -math.inf for n, x in seen.items() if x.is_floating_point()}
        flags = [(n, x) for n, x in seen.items() if x.dtype == torch.bool]
        hidden |= {f"{n} is {value}": x == value for n, x in flags for value in (True, False)}
        hidden = {name: hides for name, hides in hidden.items() if bool(hides.any())}
        result = exact.reshape(len(rows), -1)
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


def _dropped(wrong: Tensor, inputs: Mapping[str, Tensor], out: Tensor, want: Tensor) -> Iterator[str]:
    """A number where eager has NaN and an input has one, there or in the row."""
    if not bool((want.isnan() & ~out.isnan())[wrong].all()):
        return
    beside = {name: x for name in inputs if (x := _beside(wrong, inputs[name])) is not None}
    ways = [("", wrong, {name: x.isnan() for name, x in beside.items()})]
    ways += [
        ("in rows ", rows, {name: x.isnan().any(1) for name, x in seen.items()})
        for rows, seen in _by_row(wrong, inputs)
    ]
    for lines, places, found in ways:
        names = [name for name, nan in found.items() if bool((nan & places).any())]
        if names and bool(reduce(torch.logical_or, (found[name] for name in names))[places].all()):
            yield f"{lines}where a NaN of {' or '.join(names)} is dropped"


def _last_block(wrong: Tensor, blocks: Mapping[str, int]) -> str:
    """The block, `BLOCK=1024`, whose last one of elements, rows or columns is wrong and nothing else; empty where none is."""
    rows = wrong.reshape(-1, wrong.shape[-1]) if wrong.ndim else wrong.reshape(1, 1)
    for name, size in blocks.items():
        for lines in (wrong.reshape(-1, 1), rows, rows.T):
            begins = (len(lines) - 1) // size * size
            last = lines[begins:]
            if size > 1 and begins and int(last.sum()) >= MOST * last.numel() and not bool(lines[:begins].any()):
                return f"{name}={size}"
    return ""


def _name(dim: int, rank: int) -> str:
    if rank == 1:
        return "element"
    return "column" if dim == rank - 1 else "row" if dim == rank - 2 and rank == 2 else f"index of dimension {dim}"


def _plural(name: str) -> str:
    return name.replace("index", "indices", 1) if name.startswith("index") else f"{name}s"


def _numbered(name: str, number: str) -> str:
    """`column 3`, `index 3 of dimension 1`."""
    noun, of, dimension = name.partition(" of ")
    return f"{noun} {number}{of}{dimension}"


def _profiles(wrong: Tensor) -> Iterator[tuple[int, Tensor, Tensor]]:
    """For each dimension that has several indices: whether some of each index is wrong, and whether all of it is."""
    for dim in reversed(range(wrong.ndim)):
        if wrong.shape[dim] > 1:
            counts = wrong.sum([d for d in range(wrong.ndim) if d != dim]) if wrong.ndim > 1 else wrong.long()
            yield dim, counts > 0, counts >= MOST * (wrong.numel() // wrong.shape[dim])


def _lines(wrong: Tensor) -> Iterator[str]:
    """One column, one row, the last one."""
    for dim, some, whole in _profiles(wrong):
        if int(some.sum()) == 1 and bool(whole[some].all()):
            at, name = int(some.to(torch.uint8).argmax()), _name(dim, wrong.ndim)
            of = "" if wrong.ndim == 1 else "every element of "
            yield f"{of}the last {name}" if at == len(some) - 1 else f"{of}{_numbered(name, str(at))}"


def _last(wrong: Tensor) -> Iterator[str]:
    """The end or the beginning, counted through the whole tensor."""
    flat = wrong.flatten()
    count = int(flat.sum())
    if count == 1:
        return
    by_row = ", counted row by row" if wrong.ndim > 1 else ""
    if bool(flat[-count:].all()):
        columns = wrong.shape[-1] if wrong.ndim > 1 else 1
        if wrong.ndim == 2 and count % columns == 0:
            yield f"the last {count // columns} rows, from {(flat.numel() - count) // columns} on"
        yield f"the last {count:,} elements{by_row}"
    elif bool(flat[:count].all()):
        yield f"the first {count:,} elements{by_row}"


def _after(wrong: Tensor) -> Iterator[str]:
    """Every column from one on, or up to one; every so many."""
    for dim, some, whole in _profiles(wrong):
        at = some.nonzero().flatten()
        if not bool(whole[some].all()) or len(at) == len(some):
            continue
        name, first, last = _name(dim, wrong.ndim), int(at[0]), int(at[-1])
        if last - first + 1 == len(at):
            if last == len(some) - 1:
                yield f"the last {len(at)} {_plural(name)}, from {first} on"
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
    if (beside := _beside(wrong, x)) is not None:
        yield wrong, beside, "only where"
        if x.numel() == wrong.numel():
            return
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
    beyond = exact.isfinite() & (exact.abs() > torch.finfo(out.dtype).max)
    return (
        f"only where the result is too large for {str(out.dtype).removeprefix('torch.')}"
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
    """The smallest range of each dimension that holds them, where it is not all of it."""
    parts = []
    for dim, some, _ in reversed(list(_profiles(wrong))):
        at = some.nonzero().flatten()
        first, last, name = int(at[0]), int(at[-1]), _name(dim, wrong.ndim)
        if last - first + 1 < len(some):
            parts.append(
                _numbered(_plural(name), f"{first} to {last}") if last > first else _numbered(name, f"{first}")
            )
    return f"in {', '.join(parts)}" if parts else "all over the tensor"
