"""The weights of x_i * x_j and x_j * x_i are added, once for each version of the weight: half the bytes and half the operations."""

import torch
import triton

from inductor_lab.kernels.dlrm.outer import add_pairs, add_parts, partial_products

KEPT = {}


def folded(weight, features, block_j):
    was, version, tiles = KEPT.get("weight", (None, 0, None))
    if was is weight and version == weight._version and tiles.shape[2] == block_j:
        return tiles
    blocks = triton.cdiv(features, block_j)
    count = block_j * (blocks - 1) * blocks // 2 + features
    tiles = torch.empty((count, weight.shape[0], block_j), dtype=weight.dtype, device=weight.device)
    add_pairs[blocks, blocks, weight.shape[0]](
        weight, tiles, weight.shape[0], F=features, BLOCK_H=1, BLOCK_J=block_j, num_warps=8
    )
    KEPT["weight"] = (weight, weight._version, tiles)
    return tiles


def launch(cat, arg37, bias, mm, *, BLOCK_H=128, BLOCK_J=64, num_warps=8, num_stages=3):
    (batch, features), hidden = cat.shape, arg37.shape[0]
    tiles = folded(arg37, features, BLOCK_J)
    block_b = min(128, max(16, triton.next_power_of_2(batch)))
    outputs = triton.cdiv(batch, block_b) * triton.cdiv(hidden, BLOCK_H)
    parts = max(1, 132 // outputs)
    partial = torch.empty((parts, batch, hidden), dtype=torch.float32, device=cat.device)
    partial_products[outputs, parts](
        cat, tiles, partial, batch, hidden,
        F=features, FOLDED=True, PRECISION="tf32x3", BLOCK_B=block_b, BLOCK_H=BLOCK_H, BLOCK_J=BLOCK_J,
        num_warps=num_warps, num_stages=num_stages,
    )  # fmt: skip
    add_parts[triton.cdiv(mm.numel(), 64),](
        partial, bias, mm, mm.numel(), hidden, parts,
        BIAS=True, RELU=True, PARTS=triton.next_power_of_2(parts), BLOCK=64, num_warps=2,
    )  # fmt: skip
    return mm
