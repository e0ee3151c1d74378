"""A program holds its rows whole: what was loaded and added once is scaled where it lies, and not loaded again."""

import triton

from inductor_lab.kernels.rms_norm.kernel import forward


def launch(rsqrt, primals_1, residual, weight, out, mul_1, *, BLOCK=1, num_warps=8):
    rows, columns = primals_1.shape
    forward[triton.cdiv(rows, BLOCK),](
        primals_1, residual, weight, mul_1, out, rsqrt,
        rows, primals_1.stride(0), residual.stride(0),
        EPS=1e-5, COLUMNS=columns, BLOCK=triton.next_power_of_2(columns), ROWS=BLOCK, ROUNDED=True, num_warps=num_warps,
    )  # fmt: skip
    return rsqrt, out, mul_1
