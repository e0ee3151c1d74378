"""Which spans the steps replace, each the whole layer: of 64 tokens in float32, and, the last two, of one token in half precision."""

from __future__ import annotations

import torch
from torch import Tensor

from inductor_lab.kernels.steps import Step

STEPS = {
    **{f"step_{number}": Step("sparse_ffn_h200", "0_inference:0-3") for number in (1, 2, 3, 4)},
    **{f"step_{number}": Step("sparse_ffn_token", "0_inference:0-3") for number in (5, 6)},
}


def layer(x: Tensor, active: Tensor, up: Tensor, down: Tensor) -> Tensor:
    """`sparse_ffn` in eager; with `one_token`'s inputs, `inductor_lab.capture_model(layer, *one_token(), gpu="h200").save(FOLDER)`, their capture."""
    return torch.nn.functional.leaky_relu(x @ up[active].T) @ down[active]


def one_token(*, dim: int = 4096, neurons: int = 11008, active: int = 1101) -> tuple[Tensor, ...]:
    """Of Llama-2 7B's sizes with a tenth of its neurons: x [1, dim], active [active] int64, up and down [neurons, dim], bfloat16."""
    up, down = (torch.randn(neurons, dim, dtype=torch.bfloat16) / dim**0.5 for _ in range(2))
    chosen = torch.randperm(neurons)[:active].sort().values
    return torch.randn(1, dim, dtype=torch.bfloat16), chosen, up, down
