"""Causal self-attention with rotary position embedding; with fewer key than query heads it is grouped-query attention.

Inductor leaves the products and the attention to libraries, and writes the rotation of the query and of the key.
Grouped queries: Ainslie et al. 2023, arXiv:2305.13245.
"""

from __future__ import annotations

import torch
from torch import Tensor, nn

from inductor_lab.models.rotary import angles, rotate


class RotaryAttention(nn.Module):
    """`heads` query heads of dim / heads each; each of the `kv_heads` keys and values serves several."""

    def __init__(self, dim: int, heads: int, kv_heads: int) -> None:
        super().__init__()
        self.heads = heads
        self.kv_heads = kv_heads
        self.head_dim = dim // heads
        self.qkv = nn.Linear(dim, (heads + 2 * kv_heads) * self.head_dim, bias=False)
        self.out = nn.Linear(dim, dim, bias=False)

    def forward(self, x: Tensor, cos: Tensor, sin: Tensor) -> Tensor:
        """x [batch, tokens, dim], cos and sin [tokens, head_dim] -> [batch, tokens, dim]."""
        batch, tokens, dim = x.shape
        qkv = self.qkv(x).view(batch, tokens, -1, self.head_dim).transpose(1, 2)
        query, key, value = qkv.split((self.heads, self.kv_heads, self.kv_heads), dim=1)
        query, key = rotate(query, cos, sin), rotate(key, cos, sin)
        y = nn.functional.scaled_dot_product_attention(
            query, key, value, is_causal=True, enable_gqa=self.kv_heads != self.heads
        )  # [batch, heads, tokens, head_dim]
        return self.out(y.transpose(1, 2).reshape(batch, tokens, dim))


def example(
    *, batch: int, tokens: int, dim: int, heads: int, kv_heads: int
) -> tuple[RotaryAttention, tuple[Tensor, Tensor, Tensor]]:
    """The model and its inputs: x [batch, tokens, dim], cos and sin [tokens, dim / heads]."""
    model = RotaryAttention(dim, heads, kv_heads)
    return model, (torch.randn(batch, tokens, dim), *angles(tokens, dim // heads))
