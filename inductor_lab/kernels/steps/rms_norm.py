"""RMSNorm behind a residual in steps: forward the kernel at once, backward in one pass for both gradients, then with rows that are loaded ahead."""

import torch
import triton

from inductor_lab.kernels.rms_norm.kernel import backward, forward, sum_parts


def forward_1(rsqrt, primals_1, residual, weight, out, mul_1, *, BLOCK=1, num_warps=8):
    """A program holds its rows whole: what was loaded and added once is scaled where it lies, and not loaded again."""
    rows, columns = primals_1.shape
    forward[triton.cdiv(rows, BLOCK),](
        primals_1, residual, weight, mul_1, out, rsqrt,
        rows, primals_1.stride(0), residual.stride(0),
        EPS=1e-5, COLUMNS=columns, BLOCK=triton.next_power_of_2(columns), ROWS=BLOCK, ROUNDED=True, num_warps=num_warps,
    )  # fmt: skip
    return rsqrt, out, mul_1


def backward_1(
    mul_1_grad, add, rsqrt, weight, summed_grad, sum_1, add_3,
    *, PROGRAMS=264, rms_norm_backward_BLOCK=1, rms_norm_backward_num_warps=8, sum_kernel_BLOCK=16, sum_kernel_num_warps=4,
):  # fmt: skip
    """One pass for both gradients: a program sums what its rows give the weight while it has them, and a second kernel adds the programs' sums."""
    return launch_backward(
        mul_1_grad, add, rsqrt, weight, summed_grad, sum_1, add_3, PROGRAMS, 1,
        rms_norm_backward_BLOCK, rms_norm_backward_num_warps, sum_kernel_BLOCK, sum_kernel_num_warps,
    )  # fmt: skip


def backward_2(
    mul_1_grad, add, rsqrt, weight, summed_grad, sum_1, add_3,
    *, PROGRAMS=132, STAGES=4, rms_norm_backward_BLOCK=1, rms_norm_backward_num_warps=16, sum_kernel_BLOCK=16, sum_kernel_num_warps=4,
):  # fmt: skip
    """While one row is computed the next three are on their way into shared memory: registers leave a multiprocessor one program, which would wait for each."""
    return launch_backward(
        mul_1_grad, add, rsqrt, weight, summed_grad, sum_1, add_3, PROGRAMS, STAGES,
        rms_norm_backward_BLOCK, rms_norm_backward_num_warps, sum_kernel_BLOCK, sum_kernel_num_warps,
    )  # fmt: skip


def launch_backward(
    grad, x, scale, weight, added, weight_grad, x_grad, PROGRAMS, STAGES, ROWS, num_warps, sum_BLOCK, sum_num_warps
):
    rows, columns = x.shape
    programs = min(PROGRAMS, triton.cdiv(rows, ROWS))
    parts = torch.empty(programs, columns, dtype=torch.float32, device=x.device)
    backward[programs,](
        grad, added, x, scale, weight, x_grad, parts,
        rows, grad.stride(0), added.stride(0), x.stride(0),
        COLUMNS=columns, BLOCK=triton.next_power_of_2(columns), ROWS=ROWS, ROUNDED=True,
        STAGES=STAGES, LINKED=False, num_warps=num_warps,
    )  # fmt: skip
    sum_parts[triton.cdiv(columns, sum_BLOCK),](
        parts, weight_grad, programs, COLUMNS=columns, ACROSS=sum_BLOCK, DOWN=128, LINKED=False, num_warps=sum_num_warps
    )
    return weight_grad, x_grad
