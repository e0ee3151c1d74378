"""Which fused attention the card would choose, put into a graph that is traced on the CPU.

`scaled_dot_product_attention` looks at the device and becomes one of several operators. Traced on the CPU it becomes
the CPU's own. Here the choice is made for the card, by the rules of
aten/src/ATen/native/transformers/cuda/sdp_utils.cpp and with the calls of .../transformers/attention.cpp (torch 2.11 to
2.13). Autograd, shapes and strides of the chosen operator then come from torch itself: its formulas and meta functions
do not ask for the device.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager, contextmanager, nullcontext
from dataclasses import dataclass
from typing import Any
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
        with _no_autocast(query.device.type) as narrow:
            query, key, value, attn_mask = map(narrow, (query, key, value, attn_mask))
            inputs = Inputs(query, key, value, attn_mask, dropout_p, is_causal, scale, enable_gqa)
            choice = chosen(inputs, card)
            if choice == MATH:
                return _math(inputs)
            with _meta_functions_of(card):
                return FUSED[choice][1](inputs)

    return attention


def chosen(inputs: Inputs, card: Card) -> str:
    """The first of the card's kernels that serves a call, by its name in `Card.attention`; `math` where none does."""
    return next((name for name in card.attention if FUSED[name][0](inputs, card)), MATH)


@contextmanager
def _no_autocast(device: str) -> Iterator[Callable[[Any], Any]]:
    """Autocast narrows what attention is given before it looks at it, and is off inside (aten/src/ATen/autocast_mode.h).

    Gives a function that narrows, where autocast is on: what of floats is no float64.
    """
    if not torch.is_autocast_enabled(device):
        yield lambda x: x
        return
    dtype = torch.get_autocast_dtype(device)

    def narrow(x: Any) -> Any:
        wide = isinstance(x, Tensor) and x.is_floating_point() and x.dtype != torch.float64
        return x.to(dtype) if wide else x

    with torch.autocast(device, enabled=False):
        yield narrow


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
    def tensors(self) -> tuple[Tensor, Tensor, Tensor]:
        return self.query, self.key, self.value

    @property
    def saves_for_backward(self) -> bool:
        return torch.is_grad_enabled() and any(x.requires_grad for x in self.tensors)

    @property
    def same_heads(self) -> bool:
        return bool(self.query.size(-3) == self.key.size(-3) == self.value.size(-3))

    @property
    def dense(self) -> bool:
        """What all fused kernels want; of a mask that its last dimension is contiguous, as a permuted bias's is not.

        Symbolic sizes get the guards that torch itself would put on them.
        """
        return (
            all(x.dim() == 4 and x.stride(-1) == 1 and x.size(-2) != 0 for x in self.tensors)
            and (self.mask is None or self.mask.stride(-1) == 1)
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


def _cudnn_takes(mask: Tensor | None, inputs: Inputs) -> bool:
    """Masks that broadcast to the scores, from two or four dimensions, and that nothing is learned of (`check_attn_mask_shape`)."""
    if mask is None:
        return True
    if mask.dim() not in (2, 4) or mask.requires_grad:
        return False
    scores = (*inputs.query.shape[:3], inputs.key.size(2))
    return all(size in (1, wanted) for size, wanted in zip(mask.shape, scores[-mask.dim() :], strict=True))


def _cudnn_serves(inputs: Inputs, card: Card) -> bool:
    widths = (inputs.query.size(-1), inputs.value.size(-1))
    widest = 256 if card.capability == (9, 0) else 192 if card.capability[0] == 10 and widths == (192, 128) else 128
    return (
        torch.backends.cuda.cudnn_sdp_enabled()
        and not _must_be_deterministic()
        and inputs.query.dtype in HALVES
        and inputs.dense
        and _cudnn_takes(inputs.mask, inputs)
        and all(width <= widest and width % 8 == 0 for width in widths)
        and inputs.key.size(-2) != 1
        and not (inputs.dropout and inputs.query.size(-2) == 1)
    )


def _must_be_deterministic() -> bool:
    return torch.are_deterministic_algorithms_enabled() and not torch.is_deterministic_algorithms_warn_only_enabled()


def _cudnn(inputs: Inputs) -> Tensor:
    mask = inputs.additive_mask(-65504.0)  # cuDNN's: the lowest float16, not minus infinity
    return aten._scaled_dot_product_cudnn_attention(
        *inputs.tensors, mask, inputs.saves_for_backward, inputs.dropout, inputs.causal, False, scale=inputs.scale
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
        and (width <= 192 or not inputs.saves_for_backward or not _small(card) or (width > 224 and not inputs.dropout))
        and not (inputs.causal and inputs.query.size(-2) != inputs.key.size(-2))
    )


def _small(card: Card) -> bool:
    """Cards whose multiprocessors have too little shared memory for the backward of wide heads: sm_86 to sm_89, sm_120, sm_121."""
    return card.backend == "cuda" and ((8, 6) <= card.capability <= (8, 9) or card.capability in ((12, 0), (12, 1)))


def _flash(inputs: Inputs) -> Tensor:
    width = inputs.query.size(-1)
    missing = -width % 8  # the kernel reads 8 at a time
    padded = (pad(x, (0, missing)) if missing else x for x in inputs.tensors)
    scale = 1 / math.sqrt(width) if inputs.scale is None else inputs.scale
    out = aten._scaled_dot_product_flash_attention(*padded, inputs.dropout, inputs.causal, False, scale=scale)[0]
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
        *inputs.tensors, mask, inputs.saves_for_backward, inputs.dropout, inputs.causal, scale=inputs.scale
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
    how = {"scale": inputs.scale, "enable_gqa": inputs.grouped}
    return aten._scaled_dot_product_attention_math(
        *inputs.tensors, inputs.additive_mask(), inputs.dropout, inputs.causal, None, **how
    )[0]


MATH = "math"

FUSED: dict[str, tuple[Callable[[Inputs, Card], bool], Callable[[Inputs], Tensor]]] = {
    "cudnn": (_cudnn_serves, _cudnn),
    "flash": (_flash_serves, _flash),
    "efficient": (_efficient_serves, _efficient),
}
"""Name in `Card.attention` -> does it serve these inputs, and the call that torch makes."""
