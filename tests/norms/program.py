"""The program whose modules stand beside it: norms and what is like them, rows of which lie side by side, at a model's sizes.

inductor-lab capture --gpu h200 -o made -- python tests/norms/program.py      # with torch 2.13; made/modules/0_inference.py is rms_norm.txt
"""

from __future__ import annotations

import torch
from torch.nn import functional

Tensor = torch.Tensor


@torch.compile
def rms_norm(x: Tensor, residual: Tensor, weight: Tensor) -> Tensor:
    """Behind a residual addition."""
    total = x + residual
    return functional.rms_norm(total, (total.shape[-1],), weight, 1e-6)


@torch.compile
def layer_norm(x: Tensor, weight: Tensor, bias: Tensor) -> Tensor:
    """Of a row that a program holds whole."""
    return functional.layer_norm(x, (x.shape[-1],), weight, bias)


@torch.compile
def layer_norm_wide(x: Tensor, weight: Tensor, bias: Tensor) -> Tensor:
    """Of a row that is read in a loop."""
    return functional.layer_norm(x, (x.shape[-1],), weight, bias)


@torch.compile
def softmax(x: Tensor) -> Tensor:
    """Along a row."""
    return torch.softmax(x, -1)


@torch.compile
def logsumexp(x: Tensor) -> Tensor:
    """Of a vocabulary's logits."""
    return torch.logsumexp(x.float(), -1)


def drawn(dtype: torch.dtype, *shape: int) -> Tensor:
    return torch.randn(*shape, device="cuda", dtype=dtype)


if __name__ == "__main__":
    half, single, rows = torch.bfloat16, torch.float32, 4096
    rms_norm(drawn(half, rows, 2048), drawn(half, rows, 2048), drawn(half, 2048))
    layer_norm(drawn(single, rows, 1024), drawn(single, 1024), drawn(single, 1024))
    layer_norm_wide(drawn(half, rows, 8192), drawn(half, 8192), drawn(half, 8192))
    softmax(drawn(half, rows, 1024))
    logsumexp(drawn(half, rows, 32000))
