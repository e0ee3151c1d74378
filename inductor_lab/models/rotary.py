"""Rotary position embedding of a query and a key, alone: a token's position becomes a rotation of its vectors.

Dimension i of a head and dimension i + head_dim / 2 make one pair (the half-split layout of GPT-NeoX and Llama),
and token t turns pair i by the angle t * base ** (-2 i / head_dim).
Algorithm: Su et al. 2021, arXiv:2104.09864.
"""

from __future__ import annotations

import torch
from torch import Tensor, nn


class Rotary(nn.Module):
    """Rotates a query and a key. No parameters: the angles are inputs, as a model shares them among its layers."""

    def forward(self, query: Tensor, key: Tensor, cos: Tensor, sin: Tensor) -> tuple[Tensor, Tensor]:
        """query [batch, heads, tokens, head_dim], key [batch, kv_heads, tokens, head_dim], cos and sin
        [tokens, head_dim] -> the query and the key, rotated."""
        return rotate(query, cos, sin), rotate(key, cos, sin)


def rotate(x: Tensor, cos: Tensor, sin: Tensor) -> Tensor:
    """x [..., tokens, head_dim], cos and sin [tokens, head_dim] -> x rotated, same shape."""
    return x * cos + rotate_half(x) * sin


def rotate_half(x: Tensor) -> Tensor:
    """Each pair (a, b) becomes (-b, a), a quarter turn: [..., head_dim] -> [..., head_dim]."""
    a, b = x.chunk(2, dim=-1)
    return torch.cat((-b, a), dim=-1)


def angles(tokens: int, head_dim: int, base: float = 10_000.0) -> tuple[Tensor, Tensor]:
    """cos and sin of every token's angles, each [tokens, head_dim]; the two halves are equal."""
    frequency = 1 / base ** (torch.arange(0, head_dim, 2).float() / head_dim)
    angle = torch.outer(torch.arange(tokens).float(), frequency)
    angle = torch.cat((angle, angle), dim=-1)
    return angle.cos(), angle.sin()


def example(
    *, batch: int, tokens: int, heads: int, kv_heads: int, head_dim: int
) -> tuple[Rotary, tuple[Tensor, Tensor, Tensor, Tensor]]:
    """The module and its inputs: query, key, cos, sin.

    Query and key are transposed views, as an attention layer has them: a token's heads lie side by side in memory.
    """
    query = torch.randn(batch, tokens, heads, head_dim).transpose(1, 2)
    key = torch.randn(batch, tokens, kv_heads, head_dim).transpose(1, 2)
    return Rotary(), (query, key, *angles(tokens, head_dim))
