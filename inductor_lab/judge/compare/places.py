"""Where wrong elements lie in a tensor: in one column, at its end, in every fourth row, in a block that no program took.

the last 3 columns, from 61 on          each sentence is true of all of them and of few others
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from itertools import chain

import torch
from torch import Tensor

MOST = 0.98
"""A sentence says enough where this part of what it is true of is wrong: a wrong element may be right by luck."""


def place(wrong: Tensor) -> str:
    """Where they lie."""
    if bool(wrong.all()):
        return "every element"
    return next(ranges(wrong), "") or stride(wrong) or box(wrong)


def ranges(wrong: Tensor) -> Iterator[str]:
    """One line, the end or the beginning, lines from one on or every so many."""
    return chain(_line(wrong), _end(wrong), _ranges(wrong))


def last_block(wrong: Tensor, blocks: Mapping[str, int]) -> str:
    """The block, `BLOCK=1024`, whose last one of elements, rows or columns is wrong and nothing else; empty where none is."""
    rows = wrong.reshape(-1, wrong.shape[-1]) if wrong.ndim else wrong.reshape(1, 1)
    for name, size in blocks.items():
        for lines in (wrong.reshape(-1, 1), rows, rows.T):
            begins = (len(lines) - 1) // size * size
            last = lines[begins:]
            if size > 1 and begins and int(last.sum()) >= MOST * last.numel() and not bool(lines[:begins].any()):
                return f"{name}={size}"
    return ""


def axis_name(dim: int, rank: int) -> str:
    if rank == 1:
        return "element"
    return "column" if dim == rank - 1 else "row" if dim == rank - 2 and rank == 2 else f"index of dimension {dim}"


def _plural(name: str) -> str:
    return name.replace("index", "indices", 1) if name.startswith("index") else f"{name}s"


def _numbered(name: str, number: str) -> str:
    """`column 3`, `index 3 of dimension 1`."""
    noun, of, dimension = name.partition(" of ")
    return f"{noun} {number}{of}{dimension}"


def profiles(wrong: Tensor) -> Iterator[tuple[int, Tensor, Tensor]]:
    """For each dimension that has several indices: whether some of each index is wrong, and whether all of it is."""
    for dim in reversed(range(wrong.ndim)):
        if wrong.shape[dim] > 1:
            counts = wrong.sum([d for d in range(wrong.ndim) if d != dim]) if wrong.ndim > 1 else wrong.long()
            yield dim, counts > 0, counts >= MOST * (wrong.numel() // wrong.shape[dim])


def _line(wrong: Tensor) -> Iterator[str]:
    """One column, one row, the last one."""
    for dim, some, whole in profiles(wrong):
        if int(some.sum()) == 1 and bool(whole[some].all()):
            at, name = int(some.to(torch.uint8).argmax()), axis_name(dim, wrong.ndim)
            of = "" if wrong.ndim == 1 else "every element of "
            yield f"{of}the last {name}" if at == len(some) - 1 else f"{of}{_numbered(name, str(at))}"


def _end(wrong: Tensor) -> Iterator[str]:
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


def _ranges(wrong: Tensor) -> Iterator[str]:
    """Every column from one on, or up to one; every so many."""
    for dim, some, whole in profiles(wrong):
        at = some.nonzero().flatten()
        if not bool(whole[some].all()) or len(at) == len(some):
            continue
        name, first, last = axis_name(dim, wrong.ndim), int(at[0]), int(at[-1])
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


def stride(wrong: Tensor) -> str:
    """Every so many elements, counted through the whole tensor."""
    at = wrong.flatten().nonzero().flatten()
    if len(at) < 3:
        return ""
    step = int(at[1] - at[0])
    whole = len(at) == -(-(wrong.numel() - int(at[0])) // step)
    if not whole or not bool((at.diff() == step).all()):
        return ""
    return f"every {_ordinal(step)} element" + (f", from {int(at[0])} on" if int(at[0]) else "")


def box(wrong: Tensor) -> str:
    """The smallest range of each dimension that holds them, where it is not all of it."""
    parts = []
    for dim, some, _ in reversed(list(profiles(wrong))):
        at = some.nonzero().flatten()
        first, last, name = int(at[0]), int(at[-1]), axis_name(dim, wrong.ndim)
        if last - first + 1 < len(some):
            parts.append(
                _numbered(_plural(name), f"{first} to {last}") if last > first else _numbered(name, f"{first}")
            )
    return f"in {', '.join(parts)}" if parts else "all over the tensor"
