"""One grid for 26 launches that add to a table each: the sum of both gradients stays where it was fused, at their load."""

import triton
import triton.language as tl


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


# fmt: off
def launch(
    select_25, sum_5, sum_4, select_24, select_23, select_22, select_21, select_20, select_19, select_18, select_17,
    select_16, select_15, select_14, select_13, select_12, select_11, select_10, select_9, select_8, select_7,
    select_6, select_5, select_4, select_3, select_2, select_1, select, index_put, index_put_1, index_put_2,
    index_put_3, index_put_4, index_put_5, index_put_6, index_put_7, index_put_8, index_put_9, index_put_10,
    index_put_11, index_put_12, index_put_13, index_put_14, index_put_15, index_put_16, index_put_17, index_put_18,
    index_put_19, index_put_20, index_put_21, index_put_22, index_put_23, index_put_24, index_put_25,
    *, SAMPLES=32, num_warps=4,
):
    row_ptrs = (
        select, select_1, select_2, select_3, select_4, select_5, select_6, select_7, select_8, select_9, select_10,
        select_11, select_12, select_13, select_14, select_15, select_16, select_17, select_18, select_19,
        select_20, select_21, select_22, select_23, select_24, select_25,
    )
    tables = (
        index_put_25, index_put_24, index_put_23, index_put_22, index_put_21, index_put_20, index_put_19,
        index_put_18, index_put_17, index_put_16, index_put_15, index_put_14, index_put_13, index_put_12,
        index_put_11, index_put_10, index_put_9, index_put_8, index_put_7, index_put_6, index_put_5, index_put_4,
        index_put_3, index_put_2, index_put_1, index_put,
    )
    rows = tuple(len(one) for one in tables)
    batch, columns = len(select), index_put.shape[1]
    scatter_add[triton.cdiv(batch, SAMPLES), len(tables)](
        row_ptrs, sum_5, sum_4, tables, rows, batch, select.stride(0), sum_5.stride(0),
        COLUMNS=columns, SAMPLES=SAMPLES, num_warps=num_warps,
    )
    return tables[::-1]
