"""The columns are a number in the text, as Inductor has them: the kernel is right for 1,024 alone, and the compiler makes an AND of the remainder."""

import triton
import triton.language as tl


@triton.jit
def add_mul_relu(x_ptr, bias_ptr, y_ptr, numel, BLOCK: tl.constexpr):
    offset = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    inside = offset < numel
    bias = tl.load(bias_ptr + offset % 1024, inside, eviction_policy="evict_last")
    total = bias + tl.load(x_ptr + offset, inside) + tl.load(y_ptr + offset, inside) * 0.5
    tl.store(x_ptr + offset, tl.where(total < 0, 0.0, total), inside)


def launch(mm, bias, mm_2, *, BLOCK=1024, num_warps=4):
    numel = mm.numel()
    add_mul_relu[(triton.cdiv(numel, BLOCK),)](mm, bias, mm_2, numel, BLOCK=BLOCK, num_warps=num_warps)
    return mm
