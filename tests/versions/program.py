"""A training step that asks for cuda, with what Inductor writes differently from version to version: norms, softmax, pooling, an embedding, dropout,
a cross-entropy, AdamW. `inductor-lab capture program.py` runs it; it knows nothing of this project."""

from __future__ import annotations

import torch
from torch import nn
from torch.nn import functional

torch.manual_seed(0)


class Block(nn.Module):
    def __init__(self, width: int, heads: int) -> None:
        super().__init__()
        self.heads = heads
        self.before, self.behind = nn.RMSNorm(width), nn.LayerNorm(width)
        self.qkv, self.out = nn.Linear(width, 3 * width), nn.Linear(width, width)
        self.up, self.down = nn.Linear(width, 2 * width), nn.Linear(2 * width, width)

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        """[batch, tokens, width] -> the same."""
        batch, tokens, width = x.shape
        q, k, v = self.qkv(self.before(x)).view(batch, tokens, 3, self.heads, -1).permute(2, 0, 3, 1, 4)
        scores = q @ k.transpose(-1, -2) / q.shape[-1] ** 0.5
        scores = scores.masked_fill(torch.ones_like(scores, dtype=torch.bool).triu(1), float("-inf"))
        mixed = (scores.softmax(-1) @ v).transpose(1, 2).reshape(batch, tokens, width)
        x = x + functional.dropout(self.out(mixed), 0.1)
        return x + self.down(functional.gelu(self.up(self.behind(x))))


class Model(nn.Module):
    def __init__(self, vocabulary: int, width: int) -> None:
        super().__init__()
        self.embedding, self.block, self.head = (
            nn.Embedding(vocabulary, width),
            Block(width, 4),
            nn.Linear(width, vocabulary),
        )
        self.picture = nn.Sequential(nn.Conv2d(3, 8, 3), nn.BatchNorm2d(8), nn.Hardswish(), nn.MaxPool2d(3, 2, 1))

    def forward(self, tokens: torch.Tensor, pixels: torch.Tensor, labels: torch.Tensor) -> torch.Tensor:
        """tokens and labels int64[batch, length], pixels [batch, 3, 18, 18] -> the loss."""
        seen = self.picture(pixels).flatten(2).amax(-1)
        x = self.block(self.embedding(tokens % self.embedding.num_embeddings) + seen.cumsum(-1).mean(-1)[:, None, None])
        return functional.cross_entropy(self.head(x).flatten(0, 1), labels.flatten())


model = Model(100, 64).to("cuda")
optimizer = torch.optim.AdamW(model.parameters(), lr=1e-3, foreach=True)
step = torch.compile(optimizer.step)
loss_of = torch.compile(model)
tokens, labels = torch.randint(0, 300, (2, 24), device="cuda"), torch.randint(0, 100, (2, 24), device="cuda")
for _ in range(2):
    loss_of(tokens, torch.randn(2, 3, 18, 18, device="cuda"), labels).backward()
    step()
    optimizer.zero_grad(set_to_none=False)
