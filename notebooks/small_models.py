"""Two small functions with a reduction, captured for the notebooks: `inductor-lab capture small_models:rms_norm --gpu h200`.

Their rows have 384 elements, which is no power of two.
"""

from __future__ import annotations

from collections.abc import Callable

import torch
from torch import Tensor

ROWS, COLUMNS = 64, 384


def rms_norm() -> tuple[Callable[..., Tensor], tuple[Tensor, Tensor]]:
    """Each row divided by the root of its mean square, as in Llama; and its inputs."""

    def normalised(x: Tensor, weight: Tensor) -> Tensor:
        return x * torch.rsqrt(x.pow(2).mean(-1, keepdim=True) + 1e-5) * weight

    return normalised, (torch.randn(ROWS, COLUMNS), torch.randn(COLUMNS))


def softmax() -> tuple[Callable[..., Tensor], tuple[Tensor]]:
    """Each row as probabilities; and its input."""

    def probabilities(x: Tensor) -> Tensor:
        return torch.softmax(x, dim=-1)

    return probabilities, (torch.randn(ROWS, COLUMNS),)
