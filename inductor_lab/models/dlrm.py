"""The deep learning recommendation model that the CUDA MODE talk on fusing kernels takes apart.

13 counts and 26 categories of an advertisement's display go in, the probability of a click comes out:

    dense  -> bottom MLP ----------------.
                                          cat -> outer product with itself -> top MLP -> sigmoid
    sparse -> hash -> 26 embedding rows -'

Model: Naumov et al. 2019, arXiv:1906.00091; with the talk's full outer product in place of the paper's dot products.
"""

from __future__ import annotations

from collections.abc import Sequence
from itertools import pairwise

import torch
from torch import Tensor, nn


class DLRM(nn.Module):
    """`bottom` and `top` are layer widths; the last of `bottom` is also the embedding dimension D.

    With T tables, the interaction has (D * (T + 1)) ** 2 features: 432 * 432 = 186,624 for 26 tables of D = 16.
    """

    def __init__(self, cardinalities: Sequence[int], bottom: Sequence[int], top: Sequence[int]) -> None:
        super().__init__()
        embedding_dim = bottom[-1]
        features = embedding_dim * (len(cardinalities) + 1)
        self.embeddings = nn.ModuleList(nn.Embedding(rows, embedding_dim) for rows in cardinalities)
        # On the model's device: a list here would be copied to the GPU in every forward.
        self.register_buffer("cardinalities", torch.tensor(cardinalities))
        self.bottom = mlp(bottom, last_relu=True)
        self.top = mlp((features * features, *top), last_relu=False)

    def forward(self, dense: Tensor, sparse: Tensor) -> Tensor:
        """dense [batch, 13] float, sparse [batch, tables] int64 of any value -> click probability [batch]."""
        rows = modulus_hash(sparse, self.cardinalities)
        looked_up = [table(rows[:, i]) for i, table in enumerate(self.embeddings)]
        features = torch.cat([self.bottom(dense), *looked_up], dim=1)
        return torch.sigmoid(self.top(interaction(features))).squeeze(-1)


def modulus_hash(category: Tensor, cardinality: Tensor) -> Tensor:
    """Row of the embedding table for each category: [batch, tables], in [0, cardinality)."""
    return (category + 1) % cardinality


def interaction(features: Tensor) -> Tensor:
    """Every feature times every feature: [batch, F] -> [batch, F * F]."""
    return (features[:, :, None] * features[:, None, :]).flatten(1)


def mlp(widths: Sequence[int], *, last_relu: bool) -> nn.Sequential:
    """Linear layers of these widths with a ReLU between them, and after the last one if asked."""
    layers: list[nn.Module] = []
    for fan_in, fan_out in pairwise(widths):
        layers += [nn.Linear(fan_in, fan_out), nn.ReLU()]
    return nn.Sequential(*(layers if last_relu else layers[:-1]))


def example(
    *, batch: int, bottom: Sequence[int], top: Sequence[int], tables: int, cardinality: int
) -> tuple[DLRM, tuple[Tensor, Tensor]]:
    """The model and one batch: dense [batch, bottom[0]], sparse [batch, tables]."""
    model = DLRM([cardinality] * tables, bottom, top)
    dense = torch.randn(batch, bottom[0])
    # Criteo's categories are 32-bit hashes: far outside of the tables, which is what modulus_hash is for.
    sparse = torch.randint(0, 2**32, (batch, tables))
    return model, (dense, sparse)
