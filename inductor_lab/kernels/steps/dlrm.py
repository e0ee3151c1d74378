"""DLRM's lookups, outer product and dot products in steps."""

from __future__ import annotations

from typing import TYPE_CHECKING

import triton
import triton.language as tl

from inductor_lab.kernels.dlrm.lookups import gather
from inductor_lab.kernels.dlrm.outer import added, multiply
from inductor_lab.kernels.dlrm.outer_ieee import BLOCK_J, multiply_ieee
from inductor_lab.kernels.dlrm.pairwise import products

if TYPE_CHECKING:
    from torch import Tensor


@triton.jit
def lookups(
    category_ptr,  # i64[batch, tables]
    cardinality_ptr,  # i64[tables]
    tables,  # f32[rows, COLUMNS] each
    out_ptr,  # f32[batch, (1 + tables) * COLUMNS]; its first COLUMNS columns are somebody else's
    batch,
    out_stride,
    COLUMNS: tl.constexpr,
    BLOCK: tl.constexpr,
):
    feature = tl.program_id(1)
    table = tables[0]
    for number in tl.static_range(1, len(tables)):
        table = tl.where(feature == number, tables[number], table)
    offset = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    inside = offset < batch * COLUMNS
    sample, column = offset // COLUMNS, offset % COLUMNS
    category = tl.load(category_ptr + sample * len(tables) + feature, inside)
    cardinality = tl.load(cardinality_ptr + feature)
    row = (category + 1) % cardinality
    row = tl.where(row < 0, row + cardinality, row)
    looked_up = tl.load(table + row * COLUMNS + column, inside)
    tl.store(out_ptr + sample * out_stride + (feature + 1) * COLUMNS + column, looked_up, inside)


def lookups_1(index, index_2, *given, BLOCK=256, num_warps=4):
    """One grid for 26 launches: its second dimension is the table, which a program chooses from all the pointers."""
    *tables, out = given
    batch, columns = out.shape[0], tables[0].shape[1]
    lookups[triton.cdiv(batch * columns, BLOCK), len(tables)](
        index, index_2, tuple(tables), out, batch, out.stride(0), COLUMNS=columns, BLOCK=BLOCK, num_warps=num_warps
    )
    return out


def lookups_2(index, index_2, *given, SAMPLES=8, FEATURES=4, num_warps=4):
    """A tile of samples, tables and columns: a table is chosen and a category hashed once, not for each element, and a thread moves 16 bytes."""
    *tables, out = given
    batch, columns = out.shape[0], tables[0].shape[1]
    groups = triton.cdiv(len(tables), FEATURES)
    gather[(triton.cdiv(batch, SAMPLES) * groups,)](
        index, index_2, (tables[0], *tables),  # the first stands for the dense columns, which are somebody else's
        None, out, batch, index.stride(0), index.stride(1), out.stride(0),
        FIRST=1, GROUPS=groups, COLUMNS=columns, PADDED=columns, SAMPLES=SAMPLES, FEATURES=FEATURES, num_warps=num_warps,
    )  # fmt: skip
    return out


@triton.jit
def lookups_of_rows(
    row_ptr,  # i64[batch, tables]
    tables,  # f32[rows, COLUMNS] each
    rows,  # of each table
    out_ptr,  # f32[batch, (1 + tables) * COLUMNS]; its first COLUMNS columns are somebody else's
    batch,
    row_stride,
    out_stride,
    COLUMNS: tl.constexpr,
    BLOCK: tl.constexpr,
):
    feature = tl.program_id(1)
    table, count = tables[0], rows[0]
    for number in tl.static_range(1, len(tables)):
        table = tl.where(feature == number, tables[number], table)
        count = tl.where(feature == number, rows[number], count)
    offset = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    inside = offset < batch * COLUMNS
    sample, column = offset // COLUMNS, offset % COLUMNS
    row = tl.load(row_ptr + sample * row_stride + feature, inside)
    row = tl.where(row < 0, row + count, row)
    looked_up = tl.load(table + row * COLUMNS + column, inside)
    tl.store(out_ptr + sample * out_stride + (feature + 1) * COLUMNS + column, looked_up, inside)


def lookups_forward_1(remainder, *given, BLOCK=256, num_warps=4):
    """`lookups_1` for training, whose hash is a launch of its own: backward reads the rows too."""
    *tables, out = given
    batch, columns = out.shape[0], tables[0].shape[1]
    lookups_of_rows[triton.cdiv(batch * columns, BLOCK), len(tables)](
        remainder, tuple(tables), tuple(len(one) for one in tables), out, batch, remainder.stride(0), out.stride(0),
        COLUMNS=columns, BLOCK=BLOCK, num_warps=num_warps,
    )  # fmt: skip
    return out


@triton.jit
def scatter_add(
    row_ptrs,  # i64[batch] each, with strides [row_stride]
    first_ptr,  # f32[batch, (1 + tables) * COLUMNS]
    second_ptr,  # the same; their sum is the gradient
    table_ptrs,  # f32[rows, COLUMNS] each, added to
    rows,  # of each table
    batch,
    row_stride,
    gradient_stride,
    COLUMNS: tl.constexpr,
    SAMPLES: tl.constexpr,
):
    feature = tl.program_id(1)
    row_ptr, table_ptr, count = row_ptrs[0], table_ptrs[0], rows[0]
    for number in tl.static_range(1, len(table_ptrs)):
        row_ptr = tl.where(feature == number, row_ptrs[number], row_ptr)
        table_ptr = tl.where(feature == number, table_ptrs[number], table_ptr)
        count = tl.where(feature == number, rows[number], count)
    sample = tl.program_id(0) * SAMPLES + tl.arange(0, SAMPLES)
    column = tl.arange(0, COLUMNS)[None, :]
    inside = sample < batch
    row = tl.load(row_ptr + sample * row_stride, inside, other=0)
    own = sample[:, None] * gradient_stride + (feature + 1) * COLUMNS + column
    gradient = tl.load(first_ptr + own, inside[:, None]) + tl.load(second_ptr + own, inside[:, None])
    gradient = tl.where(row[:, None] == -1, 0.0, gradient)  # embedding's padding, which no row of a hash is
    row = tl.where(row < 0, row + count, row)
    tl.atomic_add(table_ptr + row[:, None] * COLUMNS + column, gradient, inside[:, None], sem="relaxed")


def lookups_backward_1(select_25, sum_5, sum_4, *given, SAMPLES=32, num_warps=4):
    """One grid for 26 launches that add to a table each: the sum of both gradients stays where it was fused, at their load."""
    selects, tables = (
        (select_25, *given[:25]),
        given[:24:-1],
    )  # rows from the last table to the first, tables from the first on
    rows = tuple(len(one) for one in tables)
    batch, columns = len(select_25), tables[0].shape[1]
    scatter_add[triton.cdiv(batch, SAMPLES), len(tables)](
        selects[::-1], sum_5, sum_4, tables, rows, batch, select_25.stride(0), sum_5.stride(0),
        COLUMNS=columns, SAMPLES=SAMPLES, num_warps=num_warps,
    )  # fmt: skip
    return tables[::-1]


def outer_1(cat, arg37, bias, mm, *, BLOCK_H=128, BLOCK_J=64, num_warps=8, num_stages=3):
    """The product is never stored: each program makes the tile of it that its part of the matrix product needs. Three TF32 products for each of float32."""
    multiply(
        cat, arg37, bias, mm,
        folded=False, relu=True, precision="tf32x3",
        block_h=BLOCK_H, block_j=BLOCK_J, num_warps=num_warps, num_stages=num_stages,
    )  # fmt: skip
    return mm


KEPT = {}


def folded(weight, features, block_j):
    if weight.is_inference():  # it has no version that would tell of a change
        return added(weight, features, block_j)
    was, version, tiles = KEPT.get("weight", (None, 0, None))
    if was is not weight or version != weight._version or tiles.shape[2] != block_j:
        tiles = added(weight, features, block_j)
        KEPT["weight"] = (weight, weight._version, tiles)
    return tiles


def outer_2(cat, arg37, bias, mm, *, BLOCK_H=128, BLOCK_J=64, num_warps=8, num_stages=3):
    """The weights of x_i * x_j and x_j * x_i are added, once for each version of the weight: half the bytes and half the operations."""
    multiply(
        cat, folded(arg37, cat.shape[1], BLOCK_J), bias, mm,
        folded=True, relu=True, precision="tf32x3",
        block_h=BLOCK_H, block_j=BLOCK_J, num_warps=num_warps, num_stages=num_stages,
    )  # fmt: skip
    return mm


def outer_3(cat, arg37, bias, mm):
    """The same in IEEE float32, in CUDA C++ (`outer_ieee.py`): it is compiled where the file first runs, half a minute."""
    multiply_ieee(cat, folded(arg37, cat.shape[1], BLOCK_J), bias, mm, relu=True)
    return mm


def pairwise_1(features, cat_1, *, SAMPLES=1, num_warps=1, num_stages=1):
    """A product in the library and a gather that finds each place by square roots in float64, in one: the square is never stored."""
    batch, count, columns = features.shape
    products[(triton.cdiv(batch, SAMPLES),)](
        features, cat_1, cat_1, batch, features.stride(0), features.stride(1), cat_1.stride(0),
        COUNT=count, COLUMNS=columns, ROWS=triton.next_power_of_2(count), CHUNK=columns, DIAGONAL=0, PRECISION="ieee", SUM=tl.float32,
        SAMPLES=SAMPLES, num_warps=num_warps, num_stages=num_stages,
    )  # fmt: skip
    return cat_1


def interaction(features: Tensor) -> Tensor:
    """`pairwise` in eager, to be captured: `inductor_lab.capture_model(interaction, torch.randn(64, 27, 16), gpu="h200").save(FOLDER)`."""
    import torch

    count = features.shape[1]
    row, column = torch.tril_indices(count, count, -1, device=features.device)
    return torch.cat([features[:, 0], torch.bmm(features, features.mT)[:, row, column]], dim=1)
