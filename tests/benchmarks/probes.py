"""Small models beside the workloads, each for one thing in which a virtual GPU could differ from a real one.

    inductor-lab capture probes:layer_norm --train            from this folder
    inductor-lab capture probes:bf16.layer_norm --train       the same in bfloat16

`real_against_virtual.py` captures them all, on a card and without one. Each function returns (model, inputs).
"""

from __future__ import annotations

from collections.abc import Callable
from types import SimpleNamespace
from typing import Any

import torch
from torch import Tensor, nn
from torch.nn import functional
from torch.utils._pytree import tree_map

Program = tuple[Callable[..., Any], tuple[Any, ...]]


def conv_net() -> Program:
    """Convolutions (whose memory format is chosen by the card), batch norm with running statistics, pooling."""
    layers = nn.Sequential(
        *(nn.Conv2d(3, 32, 3, padding=1), nn.BatchNorm2d(32), nn.ReLU(), nn.MaxPool2d(2)),
        *(nn.Conv2d(32, 64, 3, padding=1), nn.BatchNorm2d(64), nn.ReLU(), nn.AdaptiveAvgPool2d(1)),
        *(nn.Flatten(), nn.Linear(64, 10)),
    )
    return layers, (torch.randn(32, 3, 64, 64),)


class TransformerBlock(nn.Module):
    """Norm, attention, norm, MLP, with residuals and dropout."""

    def __init__(self, width: int, heads: int) -> None:
        super().__init__()
        self.heads = heads
        self.norms = nn.ModuleList(nn.LayerNorm(width) for _ in range(2))
        self.qkv, self.out = nn.Linear(width, 3 * width), nn.Linear(width, width)
        self.mlp = nn.Sequential(nn.Linear(width, 4 * width), nn.GELU(), nn.Linear(4 * width, width), nn.Dropout(0.1))

    def forward(self, x: Tensor) -> Tensor:
        """x [batch, tokens, width] -> the same shape."""
        qkv = self.qkv(self.norms[0](x)).unflatten(-1, (3, self.heads, -1))
        query, key, value = qkv.permute(2, 0, 3, 1, 4).unbind(0)
        attended = functional.scaled_dot_product_attention(query, key, value, is_causal=True)
        x = x + self.out(attended.transpose(1, 2).flatten(2))
        return x + self.mlp(self.norms[1](x))


def transformer_block() -> Program:
    """Everything at once: attention, random numbers, two norms, products with an epilogue."""
    return TransformerBlock(256, heads=4), (torch.randn(4, 128, 256),)


def layer_norm() -> Program:
    """A reduction with its pointwise ends, and the split reduction of its weight's gradient."""
    return nn.LayerNorm(1024), (torch.randn(2048, 1024, requires_grad=True),)


def softmax() -> Program:
    """An online softmax over rows too long to be held."""
    return lambda x: functional.softmax(x * 0.5, dim=-1), (torch.randn(512, 8192, requires_grad=True),)


def dropout() -> Program:
    """Random numbers from a seed and an offset; the backward draws them again or keeps the mask."""
    return lambda x: functional.dropout(x.relu(), 0.1, training=True), (torch.randn(1024, 1024, requires_grad=True),)


class NextToken(nn.Module):
    """An embedding, a product and cross entropy."""

    def __init__(self, vocabulary: int, width: int) -> None:
        super().__init__()
        self.embedding, self.head = nn.Embedding(vocabulary, width), nn.Linear(width, vocabulary)

    def forward(self, tokens: Tensor, wanted: Tensor) -> Tensor:
        """tokens and wanted [rows] int64 -> the loss, a scalar."""
        return functional.cross_entropy(self.head(self.embedding(tokens)).float(), wanted)


def cross_entropy() -> Program:
    """A gather forward, atomic adds backward, and an index in the loss."""
    return NextToken(8000, 128), (torch.randint(8000, (512,)), torch.randint(8000, (512,)))


def adamw_step() -> Program:
    """An optimiser's step over many tensors: foreach kernels that write in place."""

    def step(parameters: list[Tensor], gradients: list[Tensor], first: list[Tensor], second: list[Tensor]) -> None:
        torch._foreach_mul_(parameters, 1 - 1e-3 * 0.01)
        torch._foreach_lerp_(first, gradients, 1 - 0.9)
        torch._foreach_mul_(second, 0.999)
        torch._foreach_addcmul_(second, gradients, gradients, 1 - 0.999)
        scale = torch._foreach_add(torch._foreach_sqrt(second), 1e-8)
        torch._foreach_addcdiv_(parameters, first, scale, -1e-3)

    shapes = [(256, 128), (256,), (512, 256), (512,), (64, 512)]
    return step, tuple([torch.rand(shape) for shape in shapes] for _ in range(4))


def attention_mask() -> Program:
    """Attention with a mask, which not every fused kernel takes."""

    def attend(query: Tensor, key: Tensor, value: Tensor, mask: Tensor) -> Tensor:
        return functional.scaled_dot_product_attention(query, key * 2, value, attn_mask=mask)

    tensors = tuple(torch.randn(4, 8, 200, 64, requires_grad=True) for _ in range(3))
    return attend, (*tensors, torch.rand(200, 200) > 0.3)


def cumsum() -> Program:
    """A scan of rows, and one of a vector so long that it is split."""
    inputs = (torch.randn(64, 4096, requires_grad=True), torch.randn(1 << 20, requires_grad=True))
    return lambda rows, long: (rows.sigmoid().cumsum(1), long.sigmoid().cumsum(0)), inputs


def group_norm() -> Program:
    """Statistics over channels and places of a picture."""
    return nn.Sequential(nn.GroupNorm(8, 64), nn.SiLU()), (torch.randn(8, 64, 32, 32, requires_grad=True),)


def max_pool() -> Program:
    """A maximum with its index, which the backward scatters by."""
    return lambda x: functional.max_pool2d(x.relu(), 3, 2, 1), (torch.randn(8, 32, 56, 56, requires_grad=True),)


def sort() -> Program:
    """Rows short enough to be sorted in one program, and the permutation back."""
    return lambda x: torch.sort(x * 2, dim=-1)[0].relu(), (torch.randn(1024, 256, requires_grad=True),)


def scatter() -> Program:
    """Atomic adds into rows that meet."""

    def add(table: Tensor, rows: Tensor, values: Tensor) -> Tensor:
        places = rows[:, None].expand_as(values)
        return table.index_add(0, rows, values.relu()) + torch.zeros_like(table).scatter_add(0, places, values)

    tensors = (torch.randn(1000, 64, requires_grad=True), torch.randn(4096, 64, requires_grad=True))
    return add, (tensors[0], torch.randint(1000, (4096,)), tensors[1])


def statistics() -> Program:
    """A whole tensor reduced to scalars, in two steps because the card has more processors than that."""
    return lambda x: (x.var(), x.amax(), x.abs().sum()), (torch.randn(1 << 22, requires_grad=True),)


def mixed_precision() -> Program:
    """Autocast, whose list of operators is the device's own."""
    layers = nn.Sequential(nn.Linear(256, 512), nn.LayerNorm(512), nn.GELU(), nn.Linear(512, 64), nn.Softmax(-1))

    class Autocast(nn.Module):
        def __init__(self) -> None:
            super().__init__()
            self.layers = layers

        def forward(self, x: Tensor) -> Tensor:
            with torch.autocast(x.device.type, dtype=torch.bfloat16):
                return self.layers(x)

    return Autocast(), (torch.randn(512, 256),)


def interpolate() -> Program:
    """Arithmetic on indices in floating point."""

    def enlarge(x: Tensor) -> Tensor:
        return functional.interpolate(x, scale_factor=2.0, mode="bilinear", align_corners=False)

    return enlarge, (torch.randn(4, 16, 32, 32, requires_grad=True),)


PROBES = (
    conv_net, transformer_block, layer_norm, softmax, dropout, cross_entropy, adamw_step, attention_mask, cumsum,
    group_norm, max_pool, sort, scatter, statistics, mixed_precision, interpolate,
)  # fmt: skip


def _in_bfloat16(probe: Callable[[], Program]) -> Callable[[], Program]:
    def cast(x: Any) -> Any:
        if not isinstance(x, Tensor) or not x.is_floating_point():
            return x
        return x.detach().bfloat16().requires_grad_(x.requires_grad)

    def made() -> Program:
        model, inputs = probe()
        return model.bfloat16() if isinstance(model, nn.Module) else model, tree_map(cast, inputs)

    return made


bf16 = SimpleNamespace(**{probe.__name__: _in_bfloat16(probe) for probe in PROBES})
"""Each probe with its parameters and floating-point inputs in bfloat16."""
