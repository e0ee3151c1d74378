"""The product is never stored: each program makes the tile of it that its part of the matrix product needs. Three TF32 products for each of float32."""

import torch
import triton

from inductor_lab.kernels.dlrm.outer import add_parts, partial_products


def launch(cat, arg37, bias, mm, *, BLOCK_H=128, BLOCK_J=64, num_warps=8, num_stages=3):
    (batch, features), hidden = cat.shape, arg37.shape[0]
    block_b = min(128, max(16, triton.next_power_of_2(batch)))
    outputs = triton.cdiv(batch, block_b) * triton.cdiv(hidden, BLOCK_H)
    parts = max(1, 132 // outputs)
    partial = torch.empty((parts, batch, hidden), dtype=torch.float32, device=cat.device)
    partial_products[outputs, parts](
        cat, arg37, partial, batch, hidden,
        F=features, FOLDED=False, PRECISION="tf32x3", BLOCK_B=block_b, BLOCK_H=BLOCK_H, BLOCK_J=BLOCK_J,
        num_warps=num_warps, num_stages=num_stages,
    )  # fmt: skip
    add_parts[triton.cdiv(mm.numel(), 64),](
        partial, bias, mm, mm.numel(), hidden, parts,
        BIAS=True, RELU=True, PARTS=triton.next_power_of_2(parts), BLOCK=64, num_warps=2,
    )  # fmt: skip
    return mm
