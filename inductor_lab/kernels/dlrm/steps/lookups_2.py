"""A tile of samples, tables and columns: a table is chosen and a category hashed once, not for each element, and a thread moves 16 bytes."""

import triton

from inductor_lab.kernels.dlrm.lookups import gather


# fmt: off
def launch(
    index, index_2, table, table_2, table_3, table_4, table_5, table_6, table_7, table_8, table_9, table_10,
    table_11, table_12, table_13, table_14, table_15, table_16, table_17, table_18, table_19, table_20, table_21,
    table_22, table_23, table_24, table_25, table_26, buf34,
    *, SAMPLES=8, FEATURES=4, num_warps=4,
):
    tables = (
        table,  # stands for the dense columns, which are somebody else's
    table, table_2, table_3, table_4, table_5, table_6, table_7, table_8, table_9, table_10, table_11, table_12,
    table_13, table_14, table_15, table_16, table_17, table_18, table_19, table_20, table_21, table_22, table_23,
    table_24, table_25, table_26,
    )
    batch, columns = buf34.shape[0], table.shape[1]
    groups = triton.cdiv(len(tables) - 1, FEATURES)
    gather[(triton.cdiv(batch, SAMPLES) * groups,)](
        index, index_2, tables, None, buf34, batch, index.stride(0), index.stride(1), buf34.stride(0),
        FIRST=1, GROUPS=groups, COLUMNS=columns, PADDED=columns, SAMPLES=SAMPLES, FEATURES=FEATURES, num_warps=num_warps,
    )
    return buf34
