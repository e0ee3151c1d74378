"""The epilogue of a LoRA layer in steps: columns as a number, as a parameter, any activation, and last any rows and strides."""

import triton
import triton.language as tl

from inductor_lab.kernels.add_mul_activation.kernel import activated, add_mul_act


@triton.jit
def add_mul_relu_1024(x_ptr, bias_ptr, y_ptr, numel, BLOCK: tl.constexpr):
    offset = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    inside = offset < numel
    bias = tl.load(bias_ptr + offset % 1024, inside, eviction_policy="evict_last")
    total = bias + tl.load(x_ptr + offset, inside) + tl.load(y_ptr + offset, inside) * 0.5
    tl.store(x_ptr + offset, tl.where(total < 0, 0.0, total), inside)


def step_1(mm, bias, mm_2, *, BLOCK=1024, num_warps=4):
    """The columns are a number in the text, as Inductor has them: the kernel is right for 1,024 alone, and the compiler makes an AND of the remainder."""
    numel = mm.numel()
    add_mul_relu_1024[(triton.cdiv(numel, BLOCK),)](mm, bias, mm_2, numel, BLOCK=BLOCK, num_warps=num_warps)
    return mm


@triton.jit
def add_mul_relu(x_ptr, bias_ptr, y_ptr, numel, columns, scale, BLOCK: tl.constexpr):
    offset = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    inside = offset < numel
    bias = tl.load(bias_ptr + offset % columns, inside, eviction_policy="evict_last")
    total = bias + tl.load(x_ptr + offset, inside) + tl.load(y_ptr + offset, inside) * scale
    tl.store(x_ptr + offset, tl.where(total < 0, 0.0, total), inside)


def step_2(mm, bias, mm_2, *, BLOCK=1024, num_warps=4):
    """The columns are a parameter and so is the factor: one compiled kernel for every width, for which each element pays a division."""
    numel, columns = mm.numel(), bias.shape[0]
    grid = (triton.cdiv(numel, BLOCK),)
    add_mul_relu[grid](mm, bias, mm_2, numel, columns, 0.5, BLOCK=BLOCK, num_warps=num_warps)
    return mm


@triton.jit
def add_mul_activation(x_ptr, bias_ptr, y_ptr, numel, columns, scale, ACTIVATION: tl.constexpr, BLOCK: tl.constexpr):
    offset = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    inside = offset < numel
    bias = tl.load(bias_ptr + offset % columns, inside, eviction_policy="evict_last")
    total = bias + tl.load(x_ptr + offset, inside) + tl.load(y_ptr + offset, inside) * scale
    tl.store(x_ptr + offset, activated(total, ACTIVATION), inside)


def step_3(mm, bias, mm_2, *, BLOCK=1024, num_warps=4):
    """Any activation, chosen by a condition at compile time: what is compiled holds the one that is asked for, and no branch."""
    numel, columns = mm.numel(), bias.shape[0]
    add_mul_activation[(triton.cdiv(numel, BLOCK),)](
        mm, bias, mm_2, numel, columns, 0.5, ACTIVATION="relu", BLOCK=BLOCK, num_warps=num_warps
    )
    return mm


def step_4(mm, bias, mm_2, *, BLOCK=1024, num_warps=4):
    """Any rows, strides and more than 2^31 elements: 64 bits where a program begins, 32 behind that, and a width that is a power of two compiled in again."""
    return launch_add_mul_act(mm, mm_2, bias, BLOCK, num_warps)


def bfloat16(addmm, mm, *, BLOCK=2048, num_warps=4):
    """The same kernel without a bias, which bfloat16's product adds in the library, and with twice as many elements a program for the same bytes."""
    return launch_add_mul_act(addmm, mm, None, BLOCK, num_warps)


def launch_add_mul_act(x, y, bias, BLOCK, num_warps):
    numel, columns = x.numel(), x.shape[1]
    add_mul_act[(triton.cdiv(numel, BLOCK),)](
        x, y, bias, x, numel, columns, x.stride(0), y.stride(0), x.stride(0),
        DENSE=True, COLUMNS=columns if columns & (columns - 1) == 0 else 0, ALIGNED=16 if columns % 16 == 0 else 1,
        INDEX=tl.int32 if numel < 2**31 - BLOCK else tl.int64,
        SCALE=0.5, ACTIVATION="relu", COMPUTE=tl.float32, BLOCK=BLOCK, num_warps=num_warps,
    )  # fmt: skip
    return x
