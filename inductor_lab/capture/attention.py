"""Which fused attention the card would choose, put into a graph that is traced on the CPU.

`scaled_dot_product_attention` looks at the device and becomes one of several operators. Traced on the CPU it becomes
the CPU's own. Here the choice is made for the card, by the rules of
aten/src/ATen/native/transformers/cuda/sdp_utils.cpp and with the calls of .../transformers/attention.cpp (torch 2.11 to
2.13). Autograd, shapes and strides of the chosen operator then come from torch itself: its formulas and meta functions
do not ask for the device.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from contextlib import AbstractContextManager, nullcontext
from dataclasses import dataclass
from unittest import mock

import torch
from torch import Tensor
from torch.nn.functional import pad, scaled_dot_product_attention

from inductor_lab.gpus import Card

aten = torch.ops.aten

HALVES = (torch.float16, torch.bfloat16)


def choose_for(card: Card, graph: torch.fx.Graph) -> None:
    """Replace each attention of a graph as Dynamo wrote it."""
    chosen = attention_of(card)
    for node in graph.nodes:
        if node.op == "call_function" and node.target is scaled_dot_product_attention:
            node.target = chosen


def attention_of(card: Card) -> Callable[..., Tensor]:
    """`scaled_dot_product_attention` as that card would run it."""

    def attention(
        query: Tensor,
        key: Tensor,
        value: Tensor,
        attn_mask: Tensor | None = None,
        dropout_p: float = 0.0,
        is_causal: bool = False,
        *,
        scale: float | None = None,
        enable_gqa: bool = False,
    ) -> Tensor:
        inputs = Inputs(query, key, value, attn_mask, dropout_p, is_causal, scale, enable_gqa)
        for name in card.attention:
            serves, call = FUSED[name]
            if serves(inputs, card):
                with _meta_functions_of(card):
                    return call(inputs)
        return _math(inputs)

    return attention


def _meta_functions_of(card: Card) -> AbstractContextManager[object]:
    """The meta functions know AMD's random state by torch.version.hip and a GPU that is there."""
    if card.backend != "hip":
        return nullcontext()
    return mock.patch.object(torch.cuda, "is_available", return_value=True)


@dataclass(frozen=True)
class Inputs:
    """One call: query [batch, heads, tokens, width], key and value the same but for tokens and heads."""

    query: Tensor
    key: Tensor
    value: Tensor
    mask: Tensor | None
    dropout: float
    causal: bool
    scale: float | None
    grouped: bool

    @property
    def saves_for_backward(self) -> bool:
        return torch.is_grad_enabled() and any(x.requires_grad for x in (self.query, self.key, self.value))

    @property
    def same_heads(self) -> bool:
        return bool(self.query.size(-3) == self.key.size(-3) == self.value.size(-3))

    @property
    def dense(self) -> bool:
        """What all fused kernels want. Symbolic sizes get the guards that torch itself would put on them."""
        tensors = (self.query, self.key, self.value)
        return (
            all(x.dim() == 4 and x.stride(-1) == 1 and x.size(-2) != 0 for x in tensors)
            and self.query.size(0) == self.key.size(0) == self.value.size(0)
            and (self.same_heads or self.grouped)
        )

    def additive_mask(self, excluded: float = -math.inf) -> Tensor | None:
        """A boolean mask as what is added to the scores."""
        if self.mask is None or self.mask.dtype != torch.bool:
            return self.mask
        return torch.where(
            self.mask, 0.0, torch.scalar_tensor(excluded, dtype=self.query.dtype, device=self.mask.device)
        )


# cuDNN: the card's own choice on Hopper and Blackwell.


def _cudnn_serves(inputs: Inputs, card: Card) -> bool:
    widths = (inputs.query.size(-1), inputs.value.size(-1))
    widest = 256 if card.capability == (9, 0) else 192 if card.capability[0] == 10 and widths == (192, 128) else 128
    return (
        torch.backends.cuda.cudnn_sdp_enabled()
        and inputs.query.dtype in HALVES
        and inputs.dense
        and all(width <= widest and width % 8 == 0 for width in widths)
        and inputs.key.size(-2) != 1
        and not (inputs.dropout and inputs.query.size(-2) == 1)
    )


def _cudnn(inputs: Inputs) -> Tensor:
    return aten._scaled_dot_product_cudnn_attention(
        inputs.query,
        inputs.key,
        inputs.value,
        inputs.additive_mask(-65504.0),  # cuDNN's: the lowest float16, not minus infinity
        inputs.saves_for_backward,
        inputs.dropout,
        inputs.causal,
        False,
        scale=inputs.scale,
    )[0]


# Flash: no masks.


def _flash_serves(inputs: Inputs, card: Card) -> bool:
    width = inputs.query.size(-1)
    return (
        torch.backends.cuda.flash_sdp_enabled()
        and inputs.query.dtype in HALVES
        and inputs.dense
        and inputs.mask is None
        and width == inputs.key.size(-1) == inputs.value.size(-1)
        and width <= 256
        and not (inputs.causal and inputs.query.size(-2) != inputs.key.size(-2))
    )


def _flash(inputs: Inputs) -> Tensor:
    width = inputs.query.size(-1)
    missing = -width % 8  # the kernel reads 8 at a time
    query, key, value = (pad(x, (0, missing)) if missing else x for x in (inputs.query, inputs.key, inputs.value))
    scale = 1 / math.sqrt(width) if inputs.scale is None else inputs.scale
    out = aten._scaled_dot_product_flash_attention(
        query, key, value, inputs.dropout, inputs.causal, False, scale=scale
    )[0]
    return out[..., :width] if missing else out


# Memory-efficient: float32 too, but one key head for each query head.


def _efficient_serves(inputs: Inputs, card: Card) -> bool:
    multiple = 8 if inputs.query.dtype in HALVES else 4
    return (
        torch.backends.cuda.mem_efficient_sdp_enabled()
        and inputs.query.dtype in (torch.float32, *HALVES)
        and inputs.dense
        and inputs.same_heads
        and inputs.query.size(-1) == inputs.key.size(-1)
        and inputs.query.size(-1) % multiple == 0
        and inputs.value.size(-1) % multiple == 0
    )


def _efficient(inputs: Inputs) -> Tensor:
    mask = inputs.additive_mask()
    if mask is not None:
        mask = mask if _aligned(mask) else _padded(mask)
        mask = mask.expand(*inputs.query.shape[:3], inputs.key.size(-2))
    return aten._scaled_dot_product_efficient_attention(
        inputs.query,
        inputs.key,
        inputs.value,
        mask,
        inputs.saves_for_backward,
        inputs.dropout,
        inputs.causal,
        scale=inputs.scale,
    )[0]


ALIGNMENT = 8
"""Elements that a row of a mask must begin at a multiple of."""


def _aligned(mask: Tensor) -> bool:
    """Strides that are not known yet are taken for unaligned, so that no guard is needed (`aligned_tensor` in attention.cpp)."""
    *outer, last = mask.stride()
    return all(isinstance(stride, int) and stride % ALIGNMENT == 0 for stride in outer) and last == 1


def _padded(mask: Tensor) -> Tensor:
    width = mask.size(-1)
    return pad(mask, (0, ALIGNMENT - width % ALIGNMENT))[..., :width]


def _math(inputs: Inputs) -> Tensor:
    """What nothing fused serves is written out, and Inductor fuses what it can."""
    return aten._scaled_dot_product_attention_math(
        inputs.query,
        inputs.key,
        inputs.value,
        inputs.additive_mask(),
        inputs.dropout,
        inputs.causal,
        None,
        scale=inputs.scale,
        enable_gqa=inputs.grouped,
    )[0]


FUSED: dict[str, tuple[Callable[[Inputs, Card], bool], Callable[[Inputs], Tensor]]] = {
    "cudnn": (_cudnn_serves, _cudnn),
    "flash": (_flash_serves, _flash),
    "efficient": (_efficient_serves, _efficient),
}
"""Name in `Card.attention` -> (does it serve these inputs, the call that torch makes)."""
