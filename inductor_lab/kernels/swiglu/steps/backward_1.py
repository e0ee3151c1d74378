"""A program writes both halves of what it has read: the generated kernel goes over both halves, and reads all of it for each."""

import triton

from inductor_lab.kernels.swiglu.kernel import backward


def launch(grad, both, cat, *, BLOCK=1024, num_warps=4):
    rows, columns = grad.shape
    BLOCK = min(BLOCK, triton.next_power_of_2(columns))
    blocks = triton.cdiv(columns, BLOCK)
    backward[rows * blocks,](
        grad, both, both[:, columns:], cat, cat[:, columns:], columns, blocks,
        grad.stride(0), both.stride(0), both.stride(0), cat.stride(0), cat.stride(0), BLOCK=BLOCK, num_warps=num_warps,
    )  # fmt: skip
    return cat
