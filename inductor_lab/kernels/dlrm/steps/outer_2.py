"""The weights of x_i * x_j and x_j * x_i are added, once for each version of the weight: half the bytes and half the operations."""

from inductor_lab.kernels.dlrm.outer import added, multiply

KEPT = {}


def folded(weight, features, block_j):
    if weight.is_inference():  # it has no version that would tell of a change
        return added(weight, features, block_j)
    was, version, tiles = KEPT.get("weight", (None, 0, None))
    if was is not weight or version != weight._version or tiles.shape[2] != block_j:
        tiles = added(weight, features, block_j)
        KEPT["weight"] = (weight, weight._version, tiles)
    return tiles


def launch(cat, arg37, bias, mm, *, BLOCK_H=128, BLOCK_J=64, num_warps=8, num_stages=3):
    multiply(
        cat, folded(arg37, cat.shape[1], BLOCK_J), bias, mm,
        folded=True, relu=True, precision="tf32x3",
        block_h=BLOCK_H, block_j=BLOCK_J, num_warps=num_warps, num_stages=num_stages,
    )  # fmt: skip
    return mm
