"""A product in the library and a gather that finds each place by square roots in float64, in one: the square is never stored."""

import triton
import triton.language as tl

from inductor_lab.kernels.dlrm.pairwise import products


def launch(features, cat_1, *, SAMPLES=1, num_warps=1, num_stages=1):
    batch, count, columns = features.shape
    products[(triton.cdiv(batch, SAMPLES),)](
        features,
        cat_1,
        cat_1,
        batch,
        features.stride(0),
        features.stride(1),
        cat_1.stride(0),
        COUNT=count,
        COLUMNS=columns,
        ROWS=triton.next_power_of_2(count),
        CHUNK=columns,
        DIAGONAL=0,
        PRECISION="ieee",
        SUM=tl.float32,
        SAMPLES=SAMPLES,
        num_warps=num_warps,
        num_stages=num_stages,
    )
    return cat_1
