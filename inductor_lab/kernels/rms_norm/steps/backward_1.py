"""One pass for both gradients: a program sums what its rows give the weight while it has them, and a second kernel adds the programs' sums."""

import torch
import triton

from inductor_lab.kernels.rms_norm.kernel import backward, sum_parts


def launch(
    mul_1_grad, add, rsqrt, weight, summed_grad, sum_1, add_3,
    *, PROGRAMS=264, rms_norm_backward_BLOCK=1, rms_norm_backward_num_warps=8, sum_kernel_BLOCK=16, sum_kernel_num_warps=4,
):  # fmt: skip
    rows, columns = add.shape
    programs = min(PROGRAMS, triton.cdiv(rows, rms_norm_backward_BLOCK))
    parts = torch.empty(programs, columns, dtype=torch.float32, device=add.device)
    backward[programs,](
        mul_1_grad, summed_grad, add, rsqrt, weight, add_3, parts,
        rows, mul_1_grad.stride(0), summed_grad.stride(0), add.stride(0),
        COLUMNS=columns, BLOCK=triton.next_power_of_2(columns), ROWS=rms_norm_backward_BLOCK, ROUNDED=True,
        STAGES=1, num_warps=rms_norm_backward_num_warps,
    )  # fmt: skip
    sum_parts[triton.cdiv(columns, sum_kernel_BLOCK),](
        parts, sum_1, programs,
        COLUMNS=columns, ACROSS=sum_kernel_BLOCK, DOWN=128, num_warps=sum_kernel_num_warps,
    )  # fmt: skip
    return sum_1, add_3
