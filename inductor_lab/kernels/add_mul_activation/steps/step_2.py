"""The columns are a parameter and so is the factor: one compiled kernel for every width, for which each element pays a division."""

import triton
import triton.language as tl


@triton.jit
def add_mul_relu(x_ptr, bias_ptr, y_ptr, numel, columns, scale, BLOCK: tl.constexpr):
    offset = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    inside = offset < numel
    bias = tl.load(bias_ptr + offset % columns, inside, eviction_policy="evict_last")
    total = bias + tl.load(x_ptr + offset, inside) + tl.load(y_ptr + offset, inside) * scale
    tl.store(x_ptr + offset, tl.where(total < 0, 0.0, total), inside)


def launch(mm, bias, mm_2, *, BLOCK=1024, num_warps=4):
    numel, columns = mm.numel(), bias.shape[0]
    grid = (triton.cdiv(numel, BLOCK),)
    add_mul_relu[grid](mm, bias, mm_2, numel, columns, 0.5, BLOCK=BLOCK, num_warps=num_warps)
    return mm
