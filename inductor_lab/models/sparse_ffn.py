"""A feed-forward layer that computes only the neurons a router chose: gather, product, activation, gather, product.

    y = activation(x U[i]^T) D[i]        U, D [neurons, dim], i [active]

Both weights hold one row a neuron, so that a chosen neuron is one contiguous read.
Idea: Liu et al. 2023 (Deja Vu), arXiv:2310.17157.
"""

from __future__ import annotations

import torch
from torch import Tensor, nn


class SparseFFN(nn.Module):
    """The layer itself. Which neurons are active is an input: a router runs earlier, beside the layer before."""

    def __init__(self, dim: int, neurons: int) -> None:
        super().__init__()
        self.up = nn.Parameter(torch.randn(neurons, dim) / dim**0.5)
        self.down = nn.Parameter(torch.randn(neurons, dim) / neurons**0.5)

    def forward(self, x: Tensor, active: Tensor) -> Tensor:
        """x [tokens, dim], active [active] int64, the chosen neurons -> [tokens, dim]."""
        hidden = nn.functional.leaky_relu(x @ self.up[active].T)
        return hidden @ self.down[active]


class Router(nn.Module):
    """Guesses, from a low-rank product, which neurons will matter for these tokens. Not a part of what is compiled."""

    def __init__(self, dim: int, neurons: int, rank: int) -> None:
        super().__init__()
        self.score = nn.Sequential(nn.Linear(dim, rank, bias=False), nn.Linear(rank, neurons, bias=False))

    @torch.no_grad()
    def forward(self, x: Tensor, active: int) -> Tensor:
        """x [tokens, dim] -> the `active` best neurons over all tokens, ascending: [active] int64, no neuron twice."""
        chosen = self.score(x).relu().sum(0).topk(active).indices
        return chosen.sort().values  # ascending: neighbours in memory are read one after the other


def example(*, tokens: int, dim: int, neurons: int, active: int) -> tuple[SparseFFN, tuple[Tensor, Tensor]]:
    """The model and its inputs: x [tokens, dim], active [active]."""
    model = SparseFFN(dim, neurons)
    x = torch.randn(tokens, dim)
    return model, (x, Router(dim, neurons, rank=max(dim // 8, 1))(x, active))
