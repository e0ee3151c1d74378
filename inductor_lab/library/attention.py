"""Fused attention, and what else only the card's libraries do, written out: fused LSTM and GRU cells, and cuDNN's batch norm.

Signatures from aten/src/ATen/native/native_functions.yaml (torch 2.11 to 2.13). The logarithm of the sums is in float32 or wider, and dropout,
whose random numbers only the card draws, is refused. Gates and formulas of the cells are as in torch.nn.LSTMCell and torch.nn.GRUCell; what the
backward needs is kept in `workspace`, whose layout is the card's own affair (ATen/native/cuda/RNN.cu). Batch norm is torch's own
(ATen/native/cudnn/BatchNorm.cpp keeps the inverse of the standard deviation, as it does); a build without cuDNN never asks for it.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence
from functools import partial
from typing import Any

import torch
from torch import Tensor
from torch.utils._python_dispatch import TorchDispatchMode
from torch.utils._pytree import tree_map

from inductor_lab.records import Graph

NAMES = (
    "_scaled_dot_product_flash_attention",
    "_scaled_dot_product_efficient_attention",
    "_scaled_dot_product_cudnn_attention",
)


class WrittenOut(TorchDispatchMode):
    """While it is on, what no card computes runs as it is written out, here and in `cells`."""

    def __init__(self, card: bool = False) -> None:
        """Args:
        card: Whether there is one: what is not in float64 is left to its own operators then.
        """
        super().__init__()
        self.card = card

    def __torch_dispatch__(
        self, operator: Any, types: Any, args: Sequence[Any] = (), kwargs: Mapping[str, Any] | None = None
    ) -> Any:
        name = operator._schema.name
        if name in KERNELS and not self.card:
            return KERNELS[name](*args, **(kwargs or {}))
        if name not in RUNS or (self.card and args[0].dtype != torch.float64):
            return operator(*args, **(kwargs or {}))
        return _computed(operator, *args, **(kwargs or {}))


def install() -> None:
    """From now on the CPU has them too, written out: what is launched in an interpreter calls them as on a card."""
    for name in RUNS:
        operator = getattr(torch.ops.aten, name.removeprefix("aten::")).default
        _ON_CPU.impl(operator._name, partial(_computed, operator), "CPU")


def _computed(operator: Any, *args: Any, **kwargs: Any) -> tuple[Any, ...]:
    given = dict(zip((one.name for one in operator._schema.arguments), args, strict=False)) | kwargs
    if given.get("dropout_p"):
        raise NotImplementedError(f"{operator.name()} drops by random numbers that only the card draws")
    lies = operator(*tree_map(_shape, args), **tree_map(_shape, kwargs))  # torch's own meta functions
    found, device = RUNS[operator._schema.name](given), given["query"].device
    return tuple(_laid(found[at] if at < len(found) else None, like, device) for at, like in enumerate(lies))


def random_state(graph: Graph) -> frozenset[str]:
    """Nodes that hold the state of the random numbers of a fused attention, a whole number each: the card leaves in it what it likes."""
    fused = {node.name for node in graph.nodes if "_scaled_dot_product" in node.target}
    return frozenset(
        node.name
        for node in graph.nodes
        if node.target == "getitem"
        and node.arguments[0] in fused
        and node.type is not None
        and node.type.dtype in ("int64", "uint64")
    )


def _shape(x: Any) -> Any:
    return torch.empty_strided(x.shape, x.stride(), dtype=x.dtype, device="meta") if isinstance(x, Tensor) else x


def _laid(x: Tensor | None, like: Any, device: torch.device) -> Any:
    """A result with the shape and strides that the card gives it; zeros for what nothing here reads: random state, lengths."""
    if not isinstance(like, Tensor):
        return like
    dtype = like.dtype if x is None else x.dtype
    made = torch.empty_strided(like.shape, like.stride(), dtype=dtype, device=device).zero_()
    if x is None or not made.numel():  # sums that were not asked for
        return made
    if x.numel() == made.numel():
        return made.copy_(x.reshape(like.shape))
    made[tuple(slice(size) for size in x.shape)].copy_(x)  # sums of a number of queries that is rounded up
    return made


# ---------------------------------------------------------------- fused attention


def _scores(query: Tensor, key: Tensor, bias: Tensor | None, causal: bool, scale: float | None) -> Tensor:
    """[batch, heads, queries, keys], in float32 or wider, before the softmax."""
    wide = torch.promote_types(query.dtype, torch.float32)
    factor = 1 / math.sqrt(query.size(-1)) if scale is None else scale
    scores = (query.to(wide) @ key.to(wide).transpose(-2, -1)) * factor
    if bias is not None:
        scores = scores + bias
    if causal:
        visible = torch.ones(scores.shape[-2:], dtype=torch.bool, device=scores.device).tril()
        scores = scores.masked_fill(~visible, -math.inf)
    return scores


def _forward(given: dict[str, Any]) -> tuple[Tensor, ...]:
    """The output, and the logarithm of each query's sum."""
    query, key, value = given["query"], given["key"], given["value"]
    scores = _scores(query, key, given.get("attn_bias"), given.get("is_causal", False), given.get("scale"))
    sums = scores.logsumexp(-1)
    weights = (scores - sums.unsqueeze(-1)).exp().nan_to_num(0.0)
    return (weights @ value.to(weights.dtype)).to(query.dtype), sums


def _backward(given: dict[str, Any]) -> tuple[Tensor, ...]:
    """The gradients of query, key, value and bias: the softmax by the sums that the forward has kept, as the card takes it."""
    grad = given["grad_out"] if "grad_out" in given else given["grad_out_"]
    query, key, value, bias = (given.get(name) for name in ("query", "key", "value", "attn_bias"))
    assert query is not None and key is not None and value is not None
    bias = bias if bias is not None and bias.numel() else None
    scores = _scores(query, key, bias, given.get("is_causal", False), given.get("scale"))
    factor = 1 / math.sqrt(query.size(-1)) if given.get("scale") is None else given["scale"]
    sums = given["logsumexp"].reshape(*scores.shape[:2], -1, 1)[:, :, : scores.size(2)]
    weights, grad, out = (scores - sums).exp().nan_to_num(0.0), grad.to(scores.dtype), given["out"].to(scores.dtype)
    inner = weights * (grad @ value.to(scores.dtype).transpose(-2, -1) - (grad * out).sum(-1, keepdim=True))
    by_query, by_key = (
        (inner @ key.to(scores.dtype)) * factor,
        (inner.transpose(-2, -1) @ query.to(scores.dtype)) * factor,
    )
    by_value = weights.transpose(-2, -1) @ grad
    found = (by_query.to(query.dtype), by_key.to(key.dtype), by_value.to(value.dtype))
    return found if bias is None else (*found, inner.to(bias.dtype))


RUNS = {f"aten::{name}{suffix}": run for name in NAMES for suffix, run in (("", _forward), ("_backward", _backward))}
"""An operator -> what computes it here."""
_ON_CPU = torch.library.Library("aten", "IMPL")
# ---------------------------------------------------------------- recurrent cells, and cuDNN's batch norm


def _sum(gates: Tensor, bias: Tensor | None) -> Tensor:
    return gates if bias is None else gates + bias


def lstm_cell(
    of_input: Tensor,
    of_hidden: Tensor,
    cell: Tensor,
    input_bias: Tensor | None = None,
    hidden_bias: Tensor | None = None,
) -> tuple[Tensor, Tensor, Tensor]:
    """Gates [batch, 4 hidden] and the cell's state -> the new hidden state, the new cell state, the workspace."""
    i, f, g, o = (_sum(of_input, input_bias) + _sum(of_hidden, hidden_bias)).chunk(4, 1)
    i, f, g, o = i.sigmoid(), f.sigmoid(), g.tanh(), o.sigmoid()
    new = f * cell + i * g
    return o * new.tanh(), new, torch.cat((i, f, g, o), 1)


def lstm_cell_backward(
    grad_hidden: Tensor | None, grad_cell: Tensor | None, cell: Tensor, new: Tensor, workspace: Tensor, has_bias: bool
) -> tuple[Any, ...]:
    """The gradients of gates, of the cell's state, and of the bias."""
    if grad_hidden is None and grad_cell is None:
        return None, None, None
    i, f, g, o = workspace.chunk(4, 1)
    hidden = torch.zeros_like(new) if grad_hidden is None else grad_hidden
    activated = new.tanh()
    total = hidden * o * (1 - activated * activated)
    total = total if grad_cell is None else total + grad_cell
    gates = torch.cat(
        (
            total * g * i * (1 - i),
            total * cell * f * (1 - f),
            total * i * (1 - g * g),
            hidden * activated * o * (1 - o),
        ),
        1,
    )
    return gates, total * f, gates.sum(0) if has_bias else None


def gru_cell(
    of_input: Tensor,
    of_hidden: Tensor,
    state: Tensor,
    input_bias: Tensor | None = None,
    hidden_bias: Tensor | None = None,
) -> tuple[Tensor, Tensor]:
    """Gates [batch, 3 hidden] and the state -> the new state, the workspace."""
    input_r, input_z, input_n = _sum(of_input, input_bias).chunk(3, 1)
    hidden_r, hidden_z, hidden_n = _sum(of_hidden, hidden_bias).chunk(3, 1)
    r, z = (input_r + hidden_r).sigmoid(), (input_z + hidden_z).sigmoid()
    n = (input_n + r * hidden_n).tanh()
    return (1 - z) * n + z * state, torch.cat((r, z, n, state, hidden_n), 1)


def gru_cell_backward(grad: Tensor, workspace: Tensor, has_bias: bool) -> tuple[Any, ...]:
    """The gradients of both gates, of the state, and of both biases."""
    r, z, n, state, hidden_n = workspace.chunk(5, 1)
    to_n = grad * (1 - z) * (1 - n * n)
    to_r = to_n * hidden_n * r * (1 - r)
    to_z = grad * (state - n) * z * (1 - z)
    of_input, of_hidden = torch.cat((to_r, to_z, to_n), 1), torch.cat((to_r, to_z, to_n * r), 1)
    biases = (of_input.sum(0), of_hidden.sum(0)) if has_bias else (None, None)
    return of_input, of_hidden, grad * z, *biases


def batch_norm(
    x: Tensor, weight: Tensor, bias: Tensor | None, mean: Tensor | None, var: Tensor | None, *how: Any
) -> tuple[Tensor, Tensor, Tensor, Tensor]:
    """x [batch, channels, ...]; training, momentum and epsilon -> the result, its mean, 1 / deviation, an empty reserve."""
    result, of_mean, of_deviation = torch.ops.aten.native_batch_norm(x, weight, bias, mean, var, *how)
    return result, of_mean, of_deviation, torch.empty(0, dtype=torch.uint8, device=x.device)


def batch_norm_backward(
    x: Tensor,
    grad: Tensor,
    weight: Tensor,
    mean: Tensor | None,
    var: Tensor | None,
    of_mean: Tensor | None,
    of_deviation: Tensor | None,
    epsilon: float,
    reserve: Tensor,
) -> tuple[Tensor, Tensor, Tensor]:
    """The gradients of the input, the weight and the bias."""
    found: tuple[Tensor, Tensor, Tensor] = torch.ops.aten.native_batch_norm_backward(
        grad, x, weight, mean, var, of_mean, of_deviation, True, epsilon, [True, True, True]
    )
    return found


KERNELS: dict[str, Callable[..., Any]] = {
    "aten::_thnn_fused_lstm_cell": lstm_cell,
    "aten::_thnn_fused_lstm_cell_backward_impl": lstm_cell_backward,
    "aten::_thnn_fused_gru_cell": gru_cell,
    "aten::_thnn_fused_gru_cell_backward": gru_cell_backward,
}
"""Operator -> the function that stands for its kernel, and for its shapes, which torch does not know either."""
OF_CUDNN: dict[str, Callable[..., Any]] = {
    "aten::cudnn_batch_norm": batch_norm,
    "aten::cudnn_batch_norm_backward": batch_norm_backward,
}
"""The same of operators whose shapes torch knows."""
