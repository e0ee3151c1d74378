"""From the mask that a router predicts to the neurons that `kernel.sparse_ffn` takes, on the card, in one launch.

`mask.nonzero()` makes the host wait, for its shape is how many there are. Here the shape is a bound, and how many there are stays on the card.
"""

from __future__ import annotations

import torch
import triton
import triton.language as tl
from torch import Tensor


def indices(mask: Tensor, *, bound: int | None = None) -> tuple[Tensor, Tensor]:
    """mask [F] bool, which neurons a router predicts -> their numbers, ascending, [bound] int32, and how many they are, [1] int32.

    Nobody waits for the card: the shapes do not depend on the mask, and both tensors are what `sparse_ffn` takes as `active` and `count`.
    Behind the first `count` numbers stands nothing that is used. Of several tokens ask for `mask.any(0)`.

    Args:
        bound: At most so many are there; F unless told. More than that are a device-side assertion.

    Raises:
        ValueError: no mask [F] of bool; a bound below 0; on the CPU, more neurons than the bound.
    """
    if mask.ndim != 1 or mask.dtype != torch.bool:
        raise ValueError(f"mask is [F] of bool, not {list(mask.shape)} of {mask.dtype}")
    bound = len(mask) if bound is None else bound
    if bound < 0 or (mask.device.type == "cpu" and int(mask.sum()) > bound):
        raise ValueError(f"a bound of {bound} has no room for the neurons of the mask")
    active = torch.empty(bound, dtype=torch.int32, device=mask.device)
    count = torch.empty(1, dtype=torch.int32, device=mask.device)
    with torch.cuda.device_of(mask):
        # The assertion of the bound is compiled in, those of overflow are not.
        compacted[(1,)](
            mask, active, count, len(mask), bound, mask.stride(0),
            BLOCK=4096, num_warps=16, debug=True, sanitize_overflow=False,
        )  # fmt: skip
    return active, count


@triton.jit
def compacted(
    mask_ptr,  # bool[neurons]
    active_ptr,  # i32[bound], written
    count_ptr,  # i32[1], written
    neurons,
    bound,
    mask_stride,
    BLOCK: tl.constexpr,
):
    """One program for all of them: a place is how many came before."""
    before = tl.zeros([], tl.int32)
    for start in range(0, neurons, BLOCK):
        neuron = start + tl.arange(0, BLOCK)
        on = tl.load(mask_ptr + neuron.to(tl.int64) * mask_stride, neuron < neurons, other=0).to(tl.int32)
        place = before + tl.cumsum(on, 0) - on
        tl.store(active_ptr + place, neuron, (on != 0) & (place < bound))
        before += tl.sum(on, 0)
    tl.device_assert(before <= bound, "more neurons than the bound")
    tl.store(count_ptr, tl.minimum(before, bound))
