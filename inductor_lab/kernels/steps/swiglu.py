"""SwiGLU of the halves of one tensor, forward and backward: each the kernel at once, in the place of what Inductor writes."""

import triton

from inductor_lab.kernels.swiglu.kernel import backward, forward


def forward_1(both, mul, *, BLOCK=1024, num_warps=4):
    """A program stays in one row: no division for each number tells where it is, as Inductor's does whose blocks go on in the next row."""
    rows, columns = mul.shape
    BLOCK = min(BLOCK, triton.next_power_of_2(columns))
    blocks = triton.cdiv(columns, BLOCK)
    forward[rows * blocks,](
        both, both[:, columns:], mul, columns, blocks,
        both.stride(0), both.stride(0), mul.stride(0), MANY=rows > 1, BLOCK=BLOCK, num_warps=num_warps,
    )  # fmt: skip
    return mul


def backward_1(grad, both, cat, *, BLOCK=1024, num_warps=4):
    """A program writes both halves of what it has read: the generated kernel goes over both halves, and reads all of it for each."""
    rows, columns = grad.shape
    BLOCK = min(BLOCK, triton.next_power_of_2(columns))
    blocks = triton.cdiv(columns, BLOCK)
    backward[rows * blocks,](
        grad, both, both[:, columns:], cat, cat[:, columns:], columns, blocks,
        grad.stride(0), both.stride(0), both.stride(0), cat.stride(0), cat.stride(0), MANY=rows > 1, BLOCK=BLOCK, num_warps=num_warps,
    )  # fmt: skip
    return cat
