"""DLRM in the talk's parts, each exchangeable: how a category finds its row, and what dense and sparse features do to each other.

`dlrm.py` is what the talk ends with. This is how it gets there: a dense arch without a ReLU behind its last layer, tables of their real
sizes, three hashes and three interactions.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence

import torch
from torch import Tensor, nn

from inductor_lab.models import dlrm

# ---------------------------------------------------------------- category -> row


def index_hash(category: Tensor, tokenizer_values: Tensor) -> Tensor:
    """Where each category stands among a table's values: [batch] and [rows] -> [batch]; 0 for one that is not among them.

    Every category is compared with every value: batch * rows comparisons.
    """
    return (category[:, None] == tokenizer_values.view(1, -1)).int().argmax(1)


class IndexList(nn.Module):
    """The talk's first hash: the values are Python lists, made a tensor and copied to the device in every forward."""

    def __init__(self, tokenizer_values: Sequence[Sequence[int]]) -> None:
        super().__init__()
        self.tokenizer_values = [list(values) for values in tokenizer_values]

    def forward(self, sparse: Tensor) -> Tensor:
        """[batch, tables] categories -> [batch, tables] rows."""
        rows = []
        for table, values in enumerate(self.tokenizer_values):
            tokenizers = torch.tensor(values).to(sparse.device)
            rows.append(index_hash(sparse[:, table], tokenizers))
        return torch.stack(rows, 1)


class IndexDevice(nn.Module):
    """The talk's second: the same, the values on the device from the beginning."""

    def __init__(self, tokenizer_values: Sequence[Sequence[int]]) -> None:
        super().__init__()
        for table, values in enumerate(tokenizer_values):
            # They are the log's, and in no checkpoint.
            self.register_buffer(f"values_{table}", torch.tensor(values), persistent=False)

    def forward(self, sparse: Tensor) -> Tensor:
        """[batch, tables] categories -> [batch, tables] rows."""
        return torch.stack([index_hash(sparse[:, i], values) for i, values in enumerate(self.buffers())], 1)


class Modulus(nn.Module):
    """The talk's third: categories that are equal modulo a table's size share a row, and nothing is looked for."""

    def __init__(self, cardinalities: Sequence[int]) -> None:
        super().__init__()
        self.register_buffer("cardinalities", torch.tensor(cardinalities), persistent=False)

    def forward(self, sparse: Tensor) -> Tensor:
        """[batch, tables] categories -> [batch, tables] rows."""
        return dlrm.modulus_hash(sparse, self.cardinalities)


HASHES = ("index-list", "index-device", "modulus")

# ---------------------------------------------------------------- interactions


def outer(features: Sequence[Tensor]) -> Tensor:
    """The talk's: every feature times every other, [batch, D] each -> [batch, (D * len(features)) ** 2]."""
    return dlrm.interaction(torch.cat(list(features), 1))


def cat(features: Sequence[Tensor]) -> Tensor:
    """None: [batch, D] each -> [batch, D * len(features)]."""
    return torch.cat(list(features), 1)


def dot(features: Sequence[Tensor]) -> Tensor:
    """The paper's: the dense features, and the product of each two vectors: [batch, D] each -> [batch, D + n * (n - 1) / 2].

    The pairs are the strictly lower triangle of X X^T, row by row (`dlrm_s_pytorch.py`, `interact_features`).
    """
    stacked = torch.stack(list(features), 1)
    row, column = torch.tril_indices(len(features), len(features), -1, device=stacked.device)
    return torch.cat([features[0], torch.bmm(stacked, stacked.mT)[:, row, column]], 1)


INTERACTIONS: Mapping[str, tuple[Callable[[Sequence[Tensor]], Tensor], Callable[[int, int], int]]] = {
    "outer": (outer, lambda n, d: (n * d) ** 2),
    "cat": (cat, lambda n, d: n * d),
    "dot": (dot, lambda n, d: d + n * (n - 1) // 2),
}
"""Name -> what it does, and how many features come of n vectors of D."""

# ---------------------------------------------------------------- the model


class SparseArch(nn.Module):
    """A hash, and an embedding table for each column of categories."""

    def __init__(self, hash_: nn.Module, cardinalities: Sequence[int], embedding_dim: int) -> None:
        super().__init__()
        self.hash = hash_
        self.embeddings = nn.ModuleList(nn.Embedding(rows, embedding_dim) for rows in cardinalities)

    def forward(self, sparse: Tensor) -> list[Tensor]:
        """[batch, tables] categories -> [batch, D] for each table."""
        rows = self.hash(sparse)
        return [table(rows[:, i]) for i, table in enumerate(self.embeddings)]


class TalkDLRM(nn.Module):
    """`bottom` and `top` are layer widths; the last of `bottom` is also the embedding dimension D.

    `hash_` maps categories to rows of tables of these `cardinalities`. `bottom_relu` puts a ReLU behind the last dense layer, as `dlrm.DLRM`
    has it and the talk has not.
    """

    def __init__(
        self,
        hash_: nn.Module,
        cardinalities: Sequence[int],
        bottom: Sequence[int],
        top: Sequence[int],
        *,
        interaction: str = "outer",
        bottom_relu: bool = False,
    ) -> None:
        super().__init__()
        self.interact, width = INTERACTIONS[interaction]
        self.dense_arch = dlrm.mlp(bottom, last_relu=bottom_relu)
        self.sparse_arch = SparseArch(hash_, cardinalities, bottom[-1])
        self.prediction = dlrm.mlp((width(len(cardinalities) + 1, bottom[-1]), *top), last_relu=False)

    def forward(self, dense: Tensor, sparse: Tensor) -> Tensor:
        """dense [batch, 13] float, sparse [batch, tables] int64 -> click probability [batch]."""
        features = self.interact([self.dense_arch(dense), *self.sparse_arch(sparse)])
        return torch.sigmoid(self.prediction(features)).squeeze(-1)
