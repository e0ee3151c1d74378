"""The product is never stored: each program makes the tile of it that its part of the matrix product needs. Three TF32 products for each of float32."""

from inductor_lab.kernels.dlrm.outer import multiply


def launch(cat, arg37, bias, mm, *, BLOCK_H=128, BLOCK_J=64, num_warps=8, num_stages=3):
    multiply(
        cat, arg37, bias, mm,
        folded=False, relu=True, precision="tf32x3",
        block_h=BLOCK_H, block_j=BLOCK_J, num_warps=num_warps, num_stages=num_stages,
    )  # fmt: skip
    return mm
