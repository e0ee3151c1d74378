"""Floats at which kernels go wrong: each family draws rows of numbers that a dtype holds, and `within` bends them to what a fill asks."""

from __future__ import annotations

from collections.abc import Callable

import torch

Draw = Callable[[int, int, torch.dtype, torch.Generator], torch.Tensor]
"""(rows, columns, dtype, generator) -> values in float32, or in float64 for a tensor of that."""

FINITE = {"finite", "sorted", "count"}
"""Fills that take no infinity and no NaN."""
ODD_ROWS = 4
"""Every fourth row has an odd value, in one of every fourth column: most of what is reduced, along either, has none."""


def normal(rows: int, columns: int, dtype: torch.dtype, generator: torch.Generator) -> torch.Tensor:
    """What every other family is compared with."""
    return torch.randn((rows, columns), generator=generator, dtype=_wide(dtype))


def offset(rows: int, columns: int, dtype: torch.dtype, generator: torch.Generator) -> torch.Tensor:
    """A mean of 1e4, or as large as leaves the dtype some digits for the spread; positive or negative by rows."""
    mean = min(1e4, 1 / torch.finfo(dtype).eps)
    return normal(rows, columns, dtype, generator) + mean * _signs((rows, 1), generator)


def large(rows: int, columns: int, dtype: torch.dtype, generator: torch.Generator) -> torch.Tensor:
    """Up to 1e3; float16 up to nearly its largest in a few places."""
    most = min(1e3, torch.finfo(dtype).max)
    drawn = most * (2 * _uniform((rows, columns), dtype, generator) - 1)
    return torch.where(_few(drawn, generator), 60 * drawn, drawn) if dtype == torch.float16 else drawn


def moderate(rows: int, columns: int, dtype: torch.dtype, generator: torch.Generator) -> torch.Tensor:
    """From 4 to 90, as many of each magnitude."""
    return 4 * torch.exp2(4.5 * _uniform((rows, columns), dtype, generator)) * _signs((rows, columns), generator)


def far(rows: int, columns: int, dtype: torch.dtype, generator: torch.Generator) -> torch.Tensor:
    """From 100 to 3000, as many of each magnitude: what single channels of a large model hold."""
    return 100 * torch.exp2(4.9 * _uniform((rows, columns), dtype, generator)) * _signs((rows, columns), generator)


def spread(rows: int, columns: int, dtype: torch.dtype, generator: torch.Generator) -> torch.Tensor:
    """Normal numbers, from half to sixteen times as large by rows."""
    scale = torch.exp2(_whole(-1, 5, (rows, 1), dtype, generator))
    return normal(rows, columns, dtype, generator) * scale


def faint(rows: int, columns: int, dtype: torch.dtype, generator: torch.Generator) -> torch.Tensor:
    """Around 1e-4, or 1e-3 in float16."""
    return normal(rows, columns, dtype, generator) * (1e-3 if _half(dtype) else 1e-4)


def near_one(rows: int, columns: int, dtype: torch.dtype, generator: torch.Generator) -> torch.Tensor:
    """1 or -1, a twentieth more or less."""
    drawn = 1 + 0.05 * normal(rows, columns, dtype, generator)
    return drawn * _signs((rows, columns), generator)


def zero(rows: int, columns: int, dtype: torch.dtype, generator: torch.Generator) -> torch.Tensor:
    return torch.zeros((rows, columns), dtype=_wide(dtype))


def binary(rows: int, columns: int, dtype: torch.dtype, generator: torch.Generator) -> torch.Tensor:
    """0 or 1."""
    return _whole(0, 2, (rows, columns), dtype, generator)


def lowest(rows: int, columns: int, dtype: torch.dtype, generator: torch.Generator) -> torch.Tensor:
    return torch.full((rows, columns), -torch.inf, dtype=_wide(dtype))


def highest(rows: int, columns: int, dtype: torch.dtype, generator: torch.Generator) -> torch.Tensor:
    return -lowest(rows, columns, dtype, generator)


def tiny(rows: int, columns: int, dtype: torch.dtype, generator: torch.Generator) -> torch.Tensor:
    """Around 1e-6 in half of the rows and 1e-20 in the others, nearer to 1 in float16; a few denormals."""
    scales = (1e-3, 1e-5) if _half(dtype) else (1e-6, 1e-20)
    low = torch.rand((rows, 1), generator=generator) < 0.5
    drawn = normal(rows, columns, dtype, generator) * torch.where(low, *scales)
    return torch.where(_few(drawn, generator), drawn.sign() * torch.finfo(dtype).tiny / 4, drawn)


def constant(rows: int, columns: int, dtype: torch.dtype, generator: torch.Generator) -> torch.Tensor:
    """All of a row equal; zero in a quarter of the rows."""
    each = normal(rows, 1, dtype, generator)
    return (each * (torch.rand((rows, 1), generator=generator) >= 0.25)).repeat(1, columns)


def masked(rows: int, columns: int, dtype: torch.dtype, generator: torch.Generator) -> torch.Tensor:
    """-inf: all of every second row, and of the others half of the places."""
    drawn = normal(rows, columns, dtype, generator)
    hidden = torch.rand((rows, columns), generator=generator) < 0.5
    hidden[int(torch.randint(0, min(2, rows), (), generator=generator)) :: 2] = True
    return drawn.masked_fill(hidden, -torch.inf)


def cancellation(rows: int, columns: int, dtype: torch.dtype, generator: torch.Generator) -> torch.Tensor:
    """Neighbours that are huge and cancel but for a small part."""
    huge = min(1e4, 1 / torch.finfo(dtype).eps) * normal(rows, -(-columns // 2), dtype, generator)
    pairs = torch.stack((huge, -huge), -1).flatten(1)[:, :columns]
    return pairs + normal(rows, columns, dtype, generator)


def ties(rows: int, columns: int, dtype: torch.dtype, generator: torch.Generator) -> torch.Tensor:
    """One of -1, -0.5, 0, 0.5 and 1."""
    return _whole(-2, 3, (rows, columns), dtype, generator) / 2


def exact(rows: int, columns: int, dtype: torch.dtype, generator: torch.Generator) -> torch.Tensor:
    """Whole numbers from -3 to 3."""
    return _whole(-3, 4, (rows, columns), dtype, generator)


def sparse(rows: int, columns: int, dtype: torch.dtype, generator: torch.Generator) -> torch.Tensor:
    """1 or -1 in at least one place of each row and of each column, where there are several rows; zero elsewhere."""
    drawn = torch.zeros((rows, columns), dtype=_wide(dtype))
    if rows == 1:
        drawn[torch.rand(drawn.shape, generator=generator) < 1 / 8] = 1.0
    else:
        drawn[torch.arange(rows), torch.randint(0, columns, (rows,), generator=generator)] = 1.0
        drawn[torch.randint(0, rows, (columns,), generator=generator), torch.arange(columns)] = 1.0
    return drawn * _signs((rows, columns), generator)


def odd(rows: int, columns: int, dtype: torch.dtype, generator: torch.Generator) -> torch.Tensor:
    """In one place of eight an odd value, another in the next row: NaN, inf, -inf, zeros of both signs."""
    kinds = torch.tensor([[torch.nan, torch.nan], [torch.inf, torch.inf], [-torch.inf, -torch.inf], [0.0, -0.0]])
    kind = (torch.arange(rows) + int(torch.randint(0, 4, (), generator=generator))) % 4
    drawn = spread(rows, columns, dtype, generator)
    value = torch.where(drawn > 0, *kinds.to(drawn.dtype)[kind].T.unsqueeze(-1))
    return torch.where(torch.randint(0, 8, drawn.shape, generator=generator, dtype=torch.uint8) == 0, value, drawn)


def edges(rows: int, columns: int, dtype: torch.dtype, generator: torch.Generator) -> torch.Tensor:
    """Normal numbers, and one odd value in every fourth row; two where it is NaN, and there is room: which one counts?"""
    drawn, told = normal(rows, columns, dtype, generator), torch.finfo(dtype)
    odd = torch.tensor(
        [torch.nan, torch.inf, -torch.inf, 0.0, -0.0, told.max, -told.max, told.tiny, told.tiny / 4],
        dtype=drawn.dtype,
    )
    first = int(torch.randint(0, min(rows, ODD_ROWS), (), generator=generator))
    column = int(torch.randint(0, min(columns, ODD_ROWS), (), generator=generator))
    at = torch.arange(first, rows, ODD_ROWS)
    places = len(range(column, columns, ODD_ROWS))
    chosen = torch.randint(0, places, at.shape, generator=generator)
    start = int(torch.randint(0, len(odd), (), generator=generator))
    values = odd[(torch.arange(len(at)) + start) % len(odd)]  # each in turn, however few rows there are
    drawn[at, column + ODD_ROWS * chosen] = values
    twice = values.isnan()
    drawn[at[twice], column + ODD_ROWS * ((chosen[twice] + 1) % places)] = torch.nan
    return drawn


def powers(rows: int, columns: int, dtype: torch.dtype, generator: torch.Generator) -> torch.Tensor:
    """Magnitudes from 2^-20 to 2^20, or to what the dtype holds."""
    most = min(20, int(torch.finfo(dtype).max).bit_length() - 2)
    exponent = _whole(-20, most, (rows, columns), dtype, generator)
    return torch.exp2(exponent) * (1 + _uniform((rows, columns), dtype, generator)) * _signs((rows, columns), generator)


def within(drawn: torch.Tensor, fill: str, dtype: torch.dtype, odd: bool) -> torch.Tensor:
    """Values that a fill allows, near the ones drawn.

    Args:
        odd: Whether infinities and NaN may stay.
    """
    if not odd:
        drawn = drawn.nan_to_num(0.0, 1.0, -1.0).clamp(-(2.0**20), 2.0**20)
    if fill in ("positive", "count"):
        drawn = torch.where(drawn == 0, 1.0, drawn.abs())
        return drawn.clamp(1e-3, 1e3) if fill == "count" else drawn.clamp_min(torch.finfo(dtype).tiny)
    if fill == "above_one":
        return drawn.abs() + 1.0
    if fill == "unit":
        return (drawn / (1 + drawn.abs())).clamp(-0.999, 0.999)
    return drawn


def _wide(dtype: torch.dtype) -> torch.dtype:
    """The dtype that values are worked out in."""
    return torch.float64 if dtype == torch.float64 else torch.float32


def _half(dtype: torch.dtype) -> bool:
    """Whether it has no small numbers."""
    return dtype.itemsize == 1 or (dtype.itemsize == 2 and dtype != torch.bfloat16)


def _uniform(shape: tuple[int, ...], dtype: torch.dtype, generator: torch.Generator) -> torch.Tensor:
    return torch.rand(shape, generator=generator, dtype=_wide(dtype))


def _whole(low: int, high: int, shape: tuple[int, ...], dtype: torch.dtype, generator: torch.Generator) -> torch.Tensor:
    return torch.randint(low, high, shape, generator=generator, dtype=torch.int8).to(_wide(dtype))


def _signs(shape: tuple[int, ...], generator: torch.Generator) -> torch.Tensor:
    return 2.0 * torch.randint(0, 2, shape, generator=generator, dtype=torch.int8) - 1.0


def _few(like: torch.Tensor, generator: torch.Generator) -> torch.Tensor:
    """One place in sixteen."""
    return torch.randint(0, 16, like.shape, generator=generator, dtype=torch.uint8) == 0
