"""The same kernel without a bias, which bfloat16's product adds in the library, and with twice as many elements a program for the same bytes."""

import triton
import triton.language as tl

from inductor_lab.kernels.add_mul_activation.kernel import add_mul_act


def launch(addmm, mm, *, BLOCK=2048, num_warps=4):
    numel, columns = addmm.numel(), addmm.shape[1]
    add_mul_act[(triton.cdiv(numel, BLOCK),)](
        addmm, mm, None, addmm, numel, columns, addmm.stride(0), mm.stride(0), addmm.stride(0),
        DENSE=True, COLUMNS=columns if columns & (columns - 1) == 0 else 0, ALIGNED=16 if columns % 16 == 0 else 1,
        INDEX=tl.int32 if numel < 2**31 - BLOCK else tl.int64,
        SCALE=0.5, ACTIVATION="relu", COMPUTE=tl.float32, BLOCK=BLOCK, num_warps=num_warps,
    )  # fmt: skip
    return addmm
