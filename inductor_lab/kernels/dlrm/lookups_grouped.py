"""The gradient of `lookups.py` for a batch that looks up each row several times: what goes to one row is added up before it goes to memory.

An atomic addition for each sample and column is bound by the L2 cache, which adds some 400 billion floats a second. Here the lookups are grouped
by their row first, as a counting sort does it: each draws a number among those of its row, each row a place, and each lookup is written to that place.
Then a program takes a run of them one after the other, and stores a sum where the row changes; only a row that goes on in another run is added to atomically.
"""

from __future__ import annotations

from collections.abc import Sequence

import torch
import triton
import triton.language as tl
from torch import Tensor

from inductor_lab.kernels.dlrm.lookups import rows_of

Configuration = dict[str, int]
"""LENGTH of a run, of which AHEAD are loaded at once; the warps of a program."""
CANDIDATES: list[Configuration] = [
    {"LENGTH": length, "AHEAD": ahead, "num_warps": 1}
    for length, ahead in ((16, 8), (32, 4), (32, 8), (32, 16), (64, 8))
]
CANDIDATES += [
    {"LENGTH": length, "AHEAD": ahead, "RUNS": runs, "num_warps": warps}
    for length, ahead, runs, warps in (
        (32, 8, 2, 1),
        (32, 8, 8, 1),
        (16, 8, 8, 1),
        (32, 4, 8, 1),
        (32, 8, 4, 4),
        (16, 16, 8, 4),
    )
]
"""What is worth timing."""
CHOSEN = CANDIDATES[2]
CLEARED = 8192
"""Numbers that a program sets to zero at most, where it gives rows their places."""
SAMPLES, BLOCK = 64, 1024
"""Samples of one table that a program hashes, and lookups that one puts into their places."""


def gradients(
    grad: Tensor,
    sparse: Tensor,
    rows: Sequence[int],
    cardinalities: Tensor | None,
    *,
    configuration: Configuration | None = None,
) -> list[Tensor]:
    """As `lookups.gradients`: grad [B, (T + 1) * D], sparse [B, T] -> the gradient [rows, D] of each table; B * T and all rows are below 2**31."""
    batch, tables = sparse.shape
    columns, total, count = grad.shape[1] // (tables + 1), sum(rows), sparse.numel()
    configuration = configuration or CHOSEN
    grad = grad.contiguous()
    flat = grad.new_empty(total, columns, dtype=torch.float64 if grad.dtype == torch.float64 else torch.float32)
    places = sparse.new_zeros(total + 1, dtype=torch.int32)  # the last is where the next row's lookups go
    found, drawn = sparse.new_empty(2, batch, tables, dtype=torch.int32)
    runs = triton.cdiv(count, configuration["LENGTH"])
    grouped = sparse.new_empty(runs * configuration["LENGTH"] + 1)
    starts = tuple(sum(rows[:table]) for table in range(tables))
    padded = triton.next_power_of_2(columns)
    clear = max(16, CLEARED // padded)
    with torch.cuda.device_of(grad):
        draw[triton.cdiv(batch, SAMPLES), triton.cdiv(tables, 4)](
            sparse, cardinalities, starts, places, found, drawn, batch, sparse.stride(0), sparse.stride(1), SAMPLES=SAMPLES, TABLES=4
        )  # fmt: skip
        give_places[triton.cdiv(total, clear),](
            places, flat, total, COLUMNS=columns, PADDED=padded, ROWS=clear, LENGTH=configuration["LENGTH"]
        )
        group[triton.cdiv(len(grouped), BLOCK),](
            found, drawn, places, grouped, count, len(grouped), TABLES=tables, BLOCK=BLOCK
        )
        if "RUNS" in configuration:
            programs = triton.cdiv(runs, configuration["RUNS"])
            add_runs[programs,](grouped, grad, flat, runs, COLUMNS=columns, PADDED=padded, **configuration)
        else:
            add[runs,](grouped, grad, flat, COLUMNS=columns, PADDED=padded, **configuration)
    return list(flat.to(grad.dtype).split(list(rows)))


@triton.jit
def draw(
    sparse_ptr,  # i64[batch, tables]
    cardinality_ptr,  # i64[tables]; None where sparse are rows
    starts,  # first row of each table among all
    places_ptr,  # i32[rows of all tables], counted up
    found_ptr,  # i32[batch, tables], the row among all, written
    drawn_ptr,  # i32[batch, tables], the number among those of the row, written
    batch,
    sample_stride,
    table_stride,
    SAMPLES: tl.constexpr,
    TABLES: tl.constexpr,
):
    sample = tl.program_id(0).to(tl.int64) * SAMPLES + tl.arange(0, SAMPLES)
    table = tl.program_id(1) * TABLES + tl.arange(0, TABLES)
    inside = (sample < batch)[:, None] & (table < len(starts))[None, :]
    row = rows_of(sparse_ptr, cardinality_ptr, sample, table + 1, inside, sample_stride, table_stride, len(starts) + 1)
    start = tl.zeros([TABLES], tl.int32)
    for number in tl.static_range(1, len(starts)):
        start = tl.where(table == number, starts[number], start)
    row = row.to(tl.int32) + start[None, :]
    at = sample[:, None] * len(starts) + table[None, :]
    tl.store(found_ptr + at, row, inside)
    tl.store(drawn_ptr + at, tl.atomic_add(places_ptr + row, 1, inside, sem="relaxed"), inside)


@triton.jit
def give_places(
    places_ptr,  # i32[total + 1], how often each row is looked up, and behind them 0; its first place, written
    flat_ptr,  # [total, COLUMNS], 0 where a row is not looked up, or in several runs
    total,
    COLUMNS: tl.constexpr,
    PADDED: tl.constexpr,
    ROWS: tl.constexpr,
    LENGTH: tl.constexpr,
):
    row = tl.program_id(0) * ROWS + tl.arange(0, ROWS)
    count = tl.load(places_ptr + row, row < total, other=0)
    first = tl.atomic_add(places_ptr + total, tl.sum(count), sem="relaxed") + tl.cumsum(count) - count
    tl.store(places_ptr + row, first, row < total)
    cleared = (row < total) & ((count == 0) | (first // LENGTH != (first + count - 1) // LENGTH))
    column = tl.arange(0, PADDED)[None, :]
    at = row.to(tl.int64)[:, None] * COLUMNS + column
    tl.store(flat_ptr + at, tl.zeros([ROWS, PADDED], flat_ptr.dtype.element_ty), cleared[:, None] & (column < COLUMNS))


@triton.jit
def group(
    found_ptr,  # i32[batch, TABLES]
    drawn_ptr,  # i32[batch, TABLES]
    places_ptr,  # i32[rows of all tables]
    grouped_ptr,  # i64[size], row * 2**32 + feature of the gradient, written; row -1 behind the last
    count,
    size,
    TABLES: tl.constexpr,
    BLOCK: tl.constexpr,
):
    lookup = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    inside = lookup < count
    row, drawn = tl.load(found_ptr + lookup, inside, other=0), tl.load(drawn_ptr + lookup, inside, other=0)
    place = tl.load(places_ptr + row, inside, other=0) + drawn
    feature = lookup + lookup // TABLES + 1  # a sample has the dense one too
    entry = tl.where(inside, (row.to(tl.int64) << 32) + feature, -(2**32))
    tl.store(grouped_ptr + tl.where(inside, place, lookup), entry, lookup < size)


@triton.jit
def add(
    grouped_ptr,  # i64[whole runs and one], row * 2**32 + feature
    grad_ptr,  # [features, COLUMNS]
    flat_ptr,  # [rows of all tables, COLUMNS], written; added to where a row is in several runs
    COLUMNS: tl.constexpr,
    PADDED: tl.constexpr,
    LENGTH: tl.constexpr,
    AHEAD: tl.constexpr,
):
    first = tl.program_id(0) * LENGTH
    column = tl.arange(0, PADDED)
    entry = tl.load(grouped_ptr + first)
    before = tl.load(grouped_ptr + first - 1, first > 0, other=-1)
    whole = before >> 32 != entry >> 32  # all of the row's lookups so far are in this run
    total = tl.zeros([PADDED], flat_ptr.dtype.element_ty)
    for start in range(0, LENGTH, AHEAD):
        entries, gradients = (entry,), ()
        for ahead in tl.static_range(AHEAD):
            entries = entries + (tl.load(grouped_ptr + first + start + ahead + 1),)
        for ahead in tl.static_range(AHEAD):
            feature = entries[ahead] & 0xFFFFFFFF
            gradients = gradients + (tl.load(grad_ptr + feature * COLUMNS + column, column < COLUMNS, other=0),)
        for ahead in tl.static_range(AHEAD):
            total += gradients[ahead].to(total.dtype)
            row = entries[ahead] >> 32
            ends = entries[ahead + 1] >> 32 != row
            if ends | (start + ahead == LENGTH - 1):
                target = flat_ptr + row * COLUMNS + column
                if ends & whole:
                    tl.store(target, total, (column < COLUMNS) & (row >= 0))
                else:
                    tl.atomic_add(target, total, (column < COLUMNS) & (row >= 0), sem="relaxed")
                total = tl.zeros_like(total)
                whole = ends
        entry = entries[AHEAD]


@triton.jit
def add_runs(
    grouped_ptr,  # i64[whole runs and one], row * 2**32 + feature
    grad_ptr,  # [features, COLUMNS]
    flat_ptr,  # [rows of all tables, COLUMNS], written; added to where a row is in several runs
    runs,
    COLUMNS: tl.constexpr,
    PADDED: tl.constexpr,
    LENGTH: tl.constexpr,
    AHEAD: tl.constexpr,
    RUNS: tl.constexpr,
):
    run = tl.program_id(0) * RUNS + tl.arange(0, RUNS)
    there = run < runs
    first = run * LENGTH
    column = tl.arange(0, PADDED)[None, :]
    kept = column < COLUMNS
    entry = tl.load(grouped_ptr + first, there, other=-1)
    before = tl.load(grouped_ptr + first - 1, there & (first > 0), other=-1)
    whole = before >> 32 != entry >> 32  # all of the row's lookups so far are in this run
    total = tl.zeros([RUNS, PADDED], flat_ptr.dtype.element_ty)
    for start in range(0, LENGTH, AHEAD):
        entries, gradients = (entry,), ()
        for ahead in tl.static_range(AHEAD):
            entries = entries + (tl.load(grouped_ptr + first + start + ahead + 1, there, other=-1),)
        for ahead in tl.static_range(AHEAD):
            feature = entries[ahead] & 0xFFFFFFFF
            mask = (entries[ahead] >= 0)[:, None] & kept
            gradients = gradients + (tl.load(grad_ptr + feature[:, None] * COLUMNS + column, mask, other=0),)
        for ahead in tl.static_range(AHEAD):
            total += gradients[ahead].to(total.dtype)
            row = entries[ahead] >> 32
            ends = entries[ahead + 1] >> 32 != row
            leaves = (ends | (start + ahead == LENGTH - 1)) & (row >= 0)
            target = flat_ptr + row[:, None] * COLUMNS + column
            tl.store(target, total, (leaves & ends & whole)[:, None] & kept)
            tl.atomic_add(target, total, (leaves & ~(ends & whole))[:, None] & kept, sem="relaxed")
            total = tl.where(leaves[:, None], 0, total)
            whole = whole | ends
        entry = entries[AHEAD]
