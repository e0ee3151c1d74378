"""One token of `kernel.sparse_ffn`: no matrix, so that both products multiply and add without a tensor core.

Few neurons have two launches: one makes the hidden layer, a program some neurons; in the other one a program has some columns of the result, and all
neurons. Of many neurons a program has some from their sums to what they give the whole result, and a second launch adds up the parts of all programs.
Either way nothing is cleared or added by atomics, and the second launch begins while the first one runs, where the card can.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cache
from typing import Any

import torch
import triton
import triton.language as tl
from torch import Tensor


@dataclass(frozen=True)
class One:
    """One token: neurons of a program of the first launch; columns of one of the second, and how many tiles of how many rows it loads at once."""

    neurons: int = 2
    num_warps: int = 4
    columns: int = 16
    rows: int = 128
    tiles: int = 4
    down_warps: int = 8


@dataclass(frozen=True)
class Parts:
    """One token and many neurons: programs that share the neurons out, the tiles of loads of each, and columns of a program that adds up."""

    programs: int = 264
    num_warps: int = 8
    stages: int = 3
    columns: int = 16


@cache
def linked(device: torch.device) -> bool:
    """Whether the second launch can begin while the first one runs, and wait for it where it needs it: Hopper's and later can."""
    return device.type == "cuda" and bool(torch.version.cuda) and torch.cuda.get_device_capability(device) >= (9, 0)


def shared(
    x: Tensor, up: Tensor, active: Tensor, gate: Tensor | None, count: Tensor | None, activation: str
) -> dict[str, Any]:
    """What the first launches are told; the assertion of the range is compiled in, overflow of int64 is none of its business."""
    return {
        "x_ptr": x, "up_ptr": up, "gate_ptr": gate, "active_ptr": active, "count_ptr": count,
        "columns": x.shape[1], "neurons": len(up), "bound": len(active),
        "x_strides": x.stride(), "up_strides": up.stride(), "gate_strides": None if gate is None else gate.stride(),
        "active_stride": active.stride(0), "ACTIVATION": activation, "debug": True, "sanitize_overflow": False,
    }  # fmt: skip


def in_two(
    x: Tensor, up: Tensor, down: Tensor, active: Tensor, gate: Tensor | None, count: Tensor | None, activation: str, how: One
) -> Tensor:  # fmt: skip
    columns, bound, link = x.shape[1], len(active), linked(x.device)
    between, out = x.new_empty(bound, dtype=torch.float32), x.new_empty(1, columns)
    hidden_of_one[(-(-bound // how.neurons),)](
        **shared(x, up, active, gate, count, activation), hidden_ptr=between,
        NEURONS=how.neurons, COLUMNS=1 << (columns - 1).bit_length(), LINKED=link, num_warps=how.num_warps,
    )  # fmt: skip
    down_of_one[(-(-columns // how.columns),)](
        between, down, active, count, out, columns, len(up), bound, active.stride(0), down.stride(),
        NEURONS=how.rows, TILES=how.tiles, COLUMNS=how.columns, LINKED=link, launch_pdl=link, num_warps=how.down_warps,
    )  # fmt: skip
    return out


def by_parts(
    x: Tensor, up: Tensor, down: Tensor, active: Tensor, gate: Tensor | None, count: Tensor | None, activation: str, how: Parts
) -> Tensor:  # fmt: skip
    columns, link, programs = x.shape[1], linked(x.device), min(how.programs, len(active))
    parts, out = x.new_empty(programs, columns, dtype=torch.float32), x.new_empty(1, columns)
    part_of_one[(programs,)](
        **shared(x, up, active, gate, count, activation), down_ptr=down, down_strides=down.stride(), part_ptr=parts,
        COLUMNS=1 << (columns - 1).bit_length(), STAGES=how.stages, LINKED=link, num_warps=how.num_warps,
    )  # fmt: skip
    sum_of_parts[(-(-columns // how.columns),)](
        parts, out, programs, columns, PARTS=1 << (programs - 1).bit_length(), COLUMNS=how.columns, LINKED=link, launch_pdl=link,
    )  # fmt: skip
    return out


# ---------------------------------------------------------------- the kernels


@triton.jit
def hidden_of_one(
    x_ptr,  # [1, columns]
    up_ptr,  # [neurons, columns]
    gate_ptr,  # [neurons, columns], or None
    active_ptr,  # [bound]
    count_ptr,  # [1], or None
    hidden_ptr,  # f32[bound], written
    columns, neurons, bound,
    x_strides, up_strides, gate_strides, active_stride,
    ACTIVATION: tl.constexpr, NEURONS: tl.constexpr, COLUMNS: tl.constexpr, LINKED: tl.constexpr,
):  # fmt: skip
    if LINKED:
        tl.extra.cuda.gdc_launch_dependents()
    place = tl.program_id(0) * NEURONS + tl.arange(0, NEURONS)
    row, there = rows(active_ptr, place, counted(count_ptr, bound), neurons, active_stride)
    column = tl.arange(0, COLUMNS)[None, :]
    x = tl.load(at(x_ptr, tl.zeros_like(column), column, x_strides), column < columns, other=0).to(tl.float32)
    own = row[:, None]
    between = tl.sum(x * weights(up_ptr, own, column, up_strides, columns).to(tl.float32), 1)
    if gate_ptr is not None:
        gate = weights(gate_ptr, own, column, gate_strides, columns).to(tl.float32)
        between *= activated(tl.sum(x * gate, 1), ACTIVATION)
    else:
        between = activated(between, ACTIVATION)
    tl.store(hidden_ptr + place, between, there)
    tl.device_assert((row >= 0) | ~there, "index out of range in active")  # here no load waits for it


@triton.jit
def down_of_one(
    hidden_ptr,  # f32[bound]
    down_ptr,  # [neurons, columns]
    active_ptr,  # [bound]
    count_ptr,  # [1], or None
    out_ptr,  # [columns], written
    columns, neurons, bound,
    active_stride, down_strides,
    NEURONS: tl.constexpr,  # fewer than threads: then each thread loads its own rows' numbers, and nothing goes through shared memory
    TILES: tl.constexpr,  # of so many rows that are on their way at once
    COLUMNS: tl.constexpr, LINKED: tl.constexpr,
):  # fmt: skip
    own = tl.program_id(0) * COLUMNS + tl.arange(0, COLUMNS)
    place = tl.arange(0, NEURONS)
    count = counted(count_ptr, bound)
    # The first rows are on their way while the hidden layer is made.
    row = places(active_ptr, place, count, neurons, active_stride, NEURONS, TILES)
    down = tiles(down_ptr, row, own, down_strides, columns, TILES)
    row = places(active_ptr, place + TILES * NEURONS, count, neurons, active_stride, NEURONS, TILES)
    if LINKED:
        tl.extra.cuda.gdc_wait()
    y = tl.zeros([NEURONS, COLUMNS], tl.float32)
    for first in range(0, count, TILES * NEURONS):
        between = ()
        for tile in tl.static_range(TILES):
            at_ = first + tile * NEURONS + place
            between = between + (tl.load(hidden_ptr + at_, at_ < count, other=0),)
        for tile in tl.static_range(TILES):
            y += between[tile][:, None] * down[tile].to(tl.float32)
        down = tiles(down_ptr, row, own, down_strides, columns, TILES)
        row = places(active_ptr, first + 2 * TILES * NEURONS + place, count, neurons, active_stride, NEURONS, TILES)
    tl.store(out_ptr + own, tl.sum(y, 0).to(out_ptr.dtype.element_ty), own < columns)


@triton.jit
def places(active_ptr, place, count, neurons, active_stride, NEURONS: tl.constexpr, TILES: tl.constexpr):
    """The rows [NEURONS] of each tile."""
    found = ()
    for tile in tl.static_range(TILES):
        row, _ = rows(active_ptr, tile * NEURONS + place, count, neurons, active_stride)
        found = found + (row,)
    return found


@triton.jit
def tiles(down_ptr, row, column, down_strides, columns, TILES: tl.constexpr):
    """The rows [NEURONS, COLUMNS] of each tile."""
    found = ()
    for tile in tl.static_range(TILES):
        found = found + (weights(down_ptr, row[tile][:, None], column[None, :], down_strides, columns),)
    return found


@triton.jit
def part_of_one(
    x_ptr,  # [1, columns]
    up_ptr,  # [neurons, columns]
    gate_ptr,  # [neurons, columns], or None
    down_ptr,  # [neurons, columns]
    active_ptr,  # [bound]
    count_ptr,  # [1], or None
    part_ptr,  # f32[programs, columns], written: what a program's neurons give the result
    columns, neurons, bound,
    x_strides, up_strides, gate_strides, down_strides, active_stride,
    ACTIVATION: tl.constexpr, COLUMNS: tl.constexpr, STAGES: tl.constexpr, LINKED: tl.constexpr,
):  # fmt: skip
    if LINKED:
        tl.extra.cuda.gdc_launch_dependents()
    column = tl.arange(0, COLUMNS)[None, :]
    count = counted(count_ptr, bound)
    wrong = tl.zeros([1], tl.int1)
    x = tl.load(at(x_ptr, tl.zeros_like(column), column, x_strides), column < columns, other=0).to(tl.float32)
    total = tl.zeros([COLUMNS], tl.float32)
    # A neuron a turn. As tensors, numbers and rows are loaded into shared memory some turns ahead.
    for place in tl.range(tl.program_id(0), count, tl.num_programs(0), num_stages=STAGES):
        row, _ = rows(active_ptr, place + tl.arange(0, 1), count, neurons, active_stride)
        wrong |= row < 0
        own = row[:, None]
        up = weights(up_ptr, own, column, up_strides, columns).to(tl.float32)
        down = weights(down_ptr, own, column, down_strides, columns).to(tl.float32)
        between = tl.sum(x * up, 1)
        if gate_ptr is not None:
            gate = weights(gate_ptr, own, column, gate_strides, columns).to(tl.float32)
            between *= activated(tl.sum(x * gate, 1), ACTIVATION)
        else:
            between = activated(between, ACTIVATION)
        total += tl.sum(between[:, None] * down, 0)
    column = tl.arange(0, COLUMNS)
    tl.store(part_ptr + tl.program_id(0) * columns + column, total, column < columns)
    tl.device_assert(~wrong, "index out of range in active")  # here no load waits for it


@triton.jit
def sum_of_parts(
    part_ptr,  # f32[parts, columns]
    out_ptr,  # [columns], written
    parts, columns,
    PARTS: tl.constexpr, COLUMNS: tl.constexpr, LINKED: tl.constexpr,
):  # fmt: skip
    part, column = tl.arange(0, PARTS)[:, None], tl.program_id(0) * COLUMNS + tl.arange(0, COLUMNS)[None, :]
    if LINKED:
        tl.extra.cuda.gdc_wait()
    own = tl.load(part_ptr + part * columns + column, (part < parts) & (column < columns), other=0)
    total = tl.sum(own, 0, keep_dims=True)
    tl.store(out_ptr + column, total.to(out_ptr.dtype.element_ty), column < columns)


@triton.jit
def counted(count_ptr, bound):
    """How many of the bound there are."""
    count = bound
    if count_ptr is not None:
        count = tl.minimum(tl.load(count_ptr).to(tl.int32), bound)
    return count


@triton.jit
def at(pointer, row, column, strides):
    """The address of each element, in 64 bits."""
    return pointer + row.to(tl.int64) * strides[0] + column.to(tl.int64) * strides[1]


@triton.jit
def weights(pointer, row, column, strides, columns):
    """What is read once: it need not stay in the cache."""
    inside = (row >= 0) & (column < columns)
    return tl.load(at(pointer, row, column, strides), inside, other=0, eviction_policy="evict_first")


@triton.jit
def rows(active_ptr, place, count, neurons, active_stride):
    """The rows of these places of `active`, below 0 where there is none or it is out of range, and which of the places there are."""
    there = place < count
    row = tl.load(active_ptr + place.to(tl.int64) * active_stride, there, other=0).to(tl.int64)
    row = tl.where(row < 0, row + neurons, row)
    return tl.where(there & (row < neurons), row, -1), there


@triton.jit
def activated(x, ACTIVATION: tl.constexpr):
    """float32 in and out."""
    if ACTIVATION == "relu":
        x = tl.where(x < 0, 0.0, x)  # NaN stays
    elif ACTIVATION == "leaky_relu":
        x = tl.where(x > 0, x, x * 0.01)
    elif ACTIVATION == "silu":
        x = x / (1 + tl.exp(-x))
    elif ACTIVATION == "gelu":
        x = 0.5 * x * (1 + tl.erf(x * 0.7071067811865476))
    return x
