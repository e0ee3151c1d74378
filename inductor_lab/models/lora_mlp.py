"""An MLP whose linear layers are frozen and corrected by trained low-rank products (LoRA).

    y = x W^T + bias + scale * (x A^T) B^T        A [rank, in], B [out, rank]

Algorithm: Hu et al. 2021, arXiv:2106.09685. The case study of the CUDA MODE talk on fusing kernels: Inductor
fuses the add, the scale and the activation into one kernel after the matrix products.
"""

from __future__ import annotations

from collections.abc import Sequence
from itertools import pairwise

import torch
from torch import Tensor, nn


class LoRALinear(nn.Module):
    """A frozen linear layer plus `scale` times a rank-`rank` product. Only `A` and `B` are trained."""

    def __init__(self, in_features: int, out_features: int, rank: int, scale: float) -> None:
        super().__init__()
        self.base = nn.Linear(in_features, out_features).requires_grad_(False)
        self.A = nn.Parameter(torch.randn(rank, in_features) / in_features**0.5)
        # The paper starts B at zero, and then any error in the low-rank path goes unseen: here it is random.
        self.B = nn.Parameter(torch.randn(out_features, rank) / rank**0.5)
        self.scale = scale

    def forward(self, x: Tensor) -> Tensor:
        """x [rows, in_features] -> [rows, out_features]."""
        return self.base(x) + self.scale * ((x @ self.A.T) @ self.B.T)


class LoRAMLP(nn.Module):
    """LoRALinear layers of these widths with a ReLU between them."""

    def __init__(self, widths: Sequence[int], rank: int, scale: float) -> None:
        super().__init__()
        self.layers = nn.ModuleList(LoRALinear(a, b, rank, scale) for a, b in pairwise(widths))

    def forward(self, x: Tensor) -> Tensor:
        """x [rows, widths[0]] -> [rows, widths[-1]]."""
        for layer in self.layers[:-1]:
            x = torch.relu(layer(x))
        return self.layers[-1](x)


def example(*, rows: int, widths: Sequence[int], rank: int, scale: float) -> tuple[LoRAMLP, tuple[Tensor]]:
    """The model and one input: x [rows, widths[0]]."""
    return LoRAMLP(widths, rank, scale), (torch.randn(rows, widths[0]),)
