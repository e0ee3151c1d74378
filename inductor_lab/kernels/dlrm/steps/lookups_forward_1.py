"""`lookups_1` for training, whose hash is a launch of its own: backward reads the rows too."""

import triton
import triton.language as tl


@triton.jit
def lookups(
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


# fmt: off
def launch(
    remainder, table, table_2, table_3, table_4, table_5, table_6, table_7, table_8, table_9, table_10, table_11,
    table_12, table_13, table_14, table_15, table_16, table_17, table_18, table_19, table_20, table_21, table_22,
    table_23, table_24, table_25, table_26, buf35,
    *, BLOCK=256, num_warps=4,
):
    tables = (
        table, table_2, table_3, table_4, table_5, table_6, table_7, table_8, table_9, table_10, table_11, table_12,
        table_13, table_14, table_15, table_16, table_17, table_18, table_19, table_20, table_21, table_22, table_23,
        table_24, table_25, table_26,
    )
    batch, columns = buf35.shape[0], table.shape[1]
    lookups[triton.cdiv(batch * columns, BLOCK), len(tables)](
        remainder, tables, tuple(len(one) for one in tables), buf35, batch, remainder.stride(0), buf35.stride(0),
        COLUMNS=columns, BLOCK=BLOCK, num_warps=num_warps,
    )
    return buf35
