"""Any rows, strides and more than 2^31 elements: 64 bits where a program begins, 32 behind that, and a width that is a power of two compiled in again."""

import triton
import triton.language as tl

from inductor_lab.kernels.add_mul_activation.kernel import add_mul_act


def launch(mm, bias, mm_2, *, BLOCK=1024, num_warps=4):
    numel, columns = mm.numel(), mm.shape[1]
    add_mul_act[(triton.cdiv(numel, BLOCK),)](
        mm, mm_2, bias, mm, numel, columns, mm.stride(0), mm_2.stride(0), mm.stride(0),
        DENSE=True, COLUMNS=columns if columns & (columns - 1) == 0 else 0, ALIGNED=16 if columns % 16 == 0 else 1,
        INDEX=tl.int32 if numel < 2**31 - BLOCK else tl.int64,
        SCALE=0.5, ACTIVATION="relu", COMPUTE=tl.float32, BLOCK=BLOCK, num_warps=num_warps,
    )  # fmt: skip
    return mm
