"""What tensors may hold at other sizes: an end of a range that moves with a size is told by it.

(-9998, 9999), places in a table of 10000 rows      (2 - s2, s2 - 1)
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace

from inductor_lab.computation.records import Computation
from inductor_lab.eject.fills import Fill as Drawn
from inductor_lab.eject.inputs import inputs
from inductor_lab.eject.refusal import UndeterminedError
from inductor_lab.eject.sizes import fixed
from inductor_lab.eject.tensors import Fill, Tensor
from inductor_lab.records import SizeLike
from inductor_lab.records.size import Size

CLOSE = 2
"""How far from a size an end may be that follows it."""
SMALL = 4
"""A size that all have at once where it is tried whether a range goes too far."""
Tried = Sequence[tuple[Mapping[str, int], Drawn | None]]
"""Sizes, the captured ones first, and what a tensor may hold there."""


def with_ranges(found: Computation, tensors: Mapping[str, Tensor], sizes: Mapping[str, int]) -> dict[str, Tensor]:
    """The tensors with ranges in symbols.

    Args:
        found: The computation in symbols.
        sizes: Symbol -> what it was.

    Raises:
        UndeterminedError: no size tells where a range ends.
    """
    ranged = {name: tensor for name, tensor in tensors.items() if isinstance(tensor.fill, tuple)}
    halved = [{**sizes, symbol: size // 2 + 1} for symbol, size in sizes.items()]
    drawn = []
    for tried in (sizes, *halved, dict.fromkeys(sizes, SMALL)) if ranged else ():
        types = {name: fixed(tensor.symbolic or tensor.type, tried) for name, tensor in tensors.items()}
        drawn.append((tried, inputs(found, types, tried)))
    moved = dict(tensors)
    for name, tensor in ranged.items():
        moved[name] = replace(tensor, fill=_range(tensor, [(tried, of.get(name)) for tried, of in drawn]))
    return moved


def _range(tensor: Tensor, drawn: Tried) -> Fill:
    """A range to both sides of 0 ends as far below as above, also where the addresses alone ask for one side."""
    assert isinstance(tensor.fill, tuple)
    low, high, *others = tensor.fill
    top = _end(tensor, int(high), 1, drawn)
    below = drawn[0][1]
    if low == -int(high) and isinstance(below, tuple) and below[0] != low:
        return (f"-{top}" if str(top).isidentifier() else f"-({top})", top, *others)
    return (_end(tensor, int(low), 0, drawn), top, *others)


def _end(tensor: Tensor, end: int, n: int, drawn: Tried) -> SizeLike:
    """What an end is the same as, and goes nowhere too far."""
    candidates: list[SizeLike] = [end, *_told(end, drawn[0][0])]
    for told in candidates:
        if all(
            isinstance(fill, tuple) and _inside(Size.of(told).bound(sizes), int(fill[n]), n) for sizes, fill in drawn
        ):
            return told
    if end in (0, 1):
        return end
    raise UndeterminedError(f"{tensor.name} holds {tensor.fill[0]} to {tensor.fill[1]}, which no size tells")


def _inside(end: int, furthest: int, n: int) -> bool:
    return end <= furthest if n else end >= furthest


def _told(end: int, sizes: Mapping[str, int]) -> Iterator[str]:
    """An end by a size that it is close to; where it is far below all, by the smaller of it and one."""
    for symbol, size in sizes.items():
        if abs(more := end - size) <= CLOSE:
            yield symbol if not more else f"{symbol} {'-' if more < 0 else '+'} {abs(more)}"
        if abs(more := end + size) <= CLOSE:
            yield f"{more} - {symbol}" if more else f"-{symbol}"
    for symbol in sizes if end > 0 else ():
        yield f"min({end}, {symbol})"
