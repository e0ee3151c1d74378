"""What only the card's libraries do, written out: fused LSTM and GRU cells, and cuDNN's batch norm have no CPU kernels.

Gates and formulas as in torch.nn.LSTMCell and torch.nn.GRUCell; what the backward needs is kept in `workspace`, whose
layout is the card's own affair (ATen/native/cuda/RNN.cu). Batch norm is torch's own (ATen/native/cudnn/BatchNorm.cpp
keeps the inverse of the standard deviation, as it does); a build without cuDNN never asks for it.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import torch
from torch import Tensor


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
