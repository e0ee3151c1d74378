"""The gradient of `lookups.py` for a batch that looks up each row several times: what goes to one row is added up before it goes to memory.

An atomic addition for each sample and column is bound by the L2 cache. Here the lookups are grouped by their row first, as a counting sort does it:
they are counted, a row is given as many places, and each lookup is written to one. Then a program takes a run of them one after the other, and stores a
sum where the row changes. Only a row that goes on in another run is added to atomically, and only that, or one that nobody asks for, is cleared before.
"""

from __future__ import annotations

from collections.abc import Sequence

import torch
import triton
import triton.language as tl
from torch import Tensor

Configuration = dict[str, int]
"""LENGTH of a run, of which AHEAD are loaded at once; the warps of a program, each of which adds up as many runs as have 128 columns."""
CANDIDATES: list[Configuration] = [
    {"LENGTH": length, "AHEAD": ahead, "num_warps": warps}
    for length, ahead, warps in ((16, 8, 1), (32, 8, 1), (64, 8, 1), (64, 16, 1), (64, 16, 4))
]
"""What is worth timing."""
CHOSEN = CANDIDATES[2]
TILE = {"SAMPLES": 128, "TABLES": 4, "num_warps": 4}
"""Samples and tables of a program that counts lookups, or gives them their places."""
CLEARED = 8192
"""Numbers that a program sets to zero at most, where it gives rows their places."""
FROM_COLUMNS, FROM_LOOKUPS, FROM_EACH = 64, 200_000, 0.8
"""Columns, lookups, and lookups for each row, from which on this was faster on an H200 than the atomic additions of `lookups.py`, in its order, of
26 tables of 10,000 rows (tests/benchmarks/results/dlrm/lookups_tried.json). It lies between 32 and 64 columns at 65,536 samples, and between 4,096 and
8,192 samples at 64 columns; lookups and lookups for each row grew together there. Atomic additions table after table, as no kernel adds, were the fastest
at 32 columns."""


def faster(batch: int, rows: Sequence[int], columns: int) -> bool:
    """Whether to group the lookups of so many samples in tables of so many rows; places and rows are counted in 32 bits."""
    lookups, total = batch * len(rows), sum(rows)
    large = columns >= FROM_COLUMNS and lookups >= max(FROM_LOOKUPS, FROM_EACH * total)
    return large and max(lookups, total) < 2**31


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
    runs = -(-count // configuration["LENGTH"])
    grouped = sparse.new_empty(runs * configuration["LENGTH"] + 1)
    starts = tuple(sum(rows[:table]) for table in range(tables))
    padded = 1 << (columns - 1).bit_length()
    clear = max(16, CLEARED // padded)
    side_by_side = max(1, 128 // padded) * configuration["num_warps"]
    grid = -(-batch // TILE["SAMPLES"]), -(-tables // TILE["TABLES"])
    lookups = sparse, cardinalities, starts, places
    sizes = {"batch": batch, "sample_stride": sparse.stride(0), "table_stride": sparse.stride(1), **TILE}
    with torch.cuda.device_of(grad):
        place[grid](*lookups, None, **sizes)
        give_places[-(-total // clear),](
            places, flat, grouped, total, count, len(grouped), COLUMNS=columns, PADDED=padded, ROWS=clear, LENGTH=configuration["LENGTH"]
        )  # fmt: skip
        place[grid](*lookups, grouped, **sizes)
        add[-(-runs // side_by_side),](
            grouped, grad, flat, runs, COLUMNS=columns, PADDED=padded, RUNS=side_by_side, **configuration
        )
    return list(flat.to(grad.dtype).split(list(rows)))


@triton.jit
def place(
    sparse_ptr,  # i64[batch, tables]
    cardinality_ptr,  # i64[tables]; None where sparse are rows
    starts,  # first row of each table among those of all
    places_ptr,  # i32[rows of all tables], counted up
    grouped_ptr,  # i64[batch * tables and more], row * 2**32 + feature of the gradient, written; None to count alone
    batch,
    sample_stride,
    table_stride,
    SAMPLES: tl.constexpr,
    TABLES: tl.constexpr,
):
    # Programs that follow each other own the same tables: their counters lie close together.
    sample = (tl.program_id(0).to(tl.int64) * SAMPLES + tl.arange(0, SAMPLES))[:, None]
    table = (tl.program_id(1).to(tl.int64) * TABLES + tl.arange(0, TABLES))[None, :]
    inside = (sample < batch) & (table < len(starts))
    row = tl.load(sparse_ptr + sample * sample_stride + table * table_stride, inside, other=0)
    if cardinality_ptr is not None:
        cardinality = tl.load(cardinality_ptr + table, table < len(starts), other=1)
        row = (row + 1) % cardinality
        row = tl.where(row < 0, row + cardinality, row)
    start = tl.zeros([1, TABLES], tl.int64)
    for number in tl.static_range(1, len(starts)):
        start = tl.where(table == number, starts[number], start)
    row += start
    at = tl.atomic_add(places_ptr + row, 1, inside, sem="relaxed")
    if grouped_ptr is not None:
        feature = sample * (len(starts) + 1) + table + 1  # a sample's first is dense
        tl.store(grouped_ptr + at, (row << 32) + feature, inside)


@triton.jit
def give_places(
    places_ptr,  # i32[total + 1], how often each row is looked up, and behind them 0; its first place, written
    flat_ptr,  # [total, COLUMNS], 0 where a row is not looked up, or in several runs
    grouped_ptr,  # i64[size]; row -1 behind the last lookup
    total,
    lookups,
    size,
    COLUMNS: tl.constexpr,
    PADDED: tl.constexpr,
    ROWS: tl.constexpr,
    LENGTH: tl.constexpr,
):
    if tl.program_id(0) == 0:
        behind = lookups + tl.arange(0, LENGTH)
        tl.store(grouped_ptr + behind, tl.full([LENGTH], -(2**32), tl.int64), behind < size)
    row = tl.program_id(0) * ROWS + tl.arange(0, ROWS)
    count = tl.load(places_ptr + row, row < total, other=0)
    first = tl.atomic_add(places_ptr + total, tl.sum(count), sem="relaxed") + tl.cumsum(count) - count
    tl.store(places_ptr + row, first, row < total)
    cleared = (row < total) & ((count == 0) | (first // LENGTH != (first + count - 1) // LENGTH))
    column = tl.arange(0, PADDED)[None, :]
    at = row.to(tl.int64)[:, None] * COLUMNS + column
    tl.store(flat_ptr + at, tl.zeros([ROWS, PADDED], flat_ptr.dtype.element_ty), cleared[:, None] & (column < COLUMNS))


@triton.jit
def add(
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
