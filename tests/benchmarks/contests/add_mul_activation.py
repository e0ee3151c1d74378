"""act(x + 0.5 y + bias) at the talk's nine sizes: ReLU at all of them, other activations and backward at the three widest, in float32 and bfloat16."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import torch
from torch import Tensor

from contests import Job
from inductor_lab.kernels.add_mul_activation.kernel import CANDIDATES, OF_RESULT, add_mul_activation


@dataclass(frozen=True)
class Point:
    """What is timed: a row of the results."""

    rows: int
    columns: int
    dtype: str
    activation: str
    backward: bool
    """Whether forward and backward are timed, as one call."""


SIZES = [(4 ** (n + 1), 2 ** (n + 2)) for n in range(9)]
"""The talk's: both grow."""
ODD = [(262_144, 1000), (100_003, 1021)]
"""A width that is no power of two, and primes."""
DTYPES = ("float32", "bfloat16")
POINTS = [
    *(Point(*size, dtype, "relu", False) for dtype in DTYPES for size in [*reversed(SIZES), *ODD]),
    *(Point(*SIZES[-1], dtype, other, False) for dtype in DTYPES for other in ("sigmoid", "gelu", "silu")),
    *(Point(*SIZES[n], dtype, other, True) for dtype in DTYPES for other in ("relu", "gelu") for n in (-1, -3)),
]
"""The widest first."""
SMOKE = [
    *(Point(16, 8, dtype, other, True) for dtype in DTYPES for other in ("relu", "gelu")),
    Point(7, 13, "float32", "silu", False),
]


def relu(x: Tensor, y: Tensor, bias: Tensor) -> Tensor:
    return torch.relu(x + 0.5 * y + bias)


def sigmoid(x: Tensor, y: Tensor, bias: Tensor) -> Tensor:
    return torch.sigmoid(x + 0.5 * y + bias)


def gelu(x: Tensor, y: Tensor, bias: Tensor) -> Tensor:
    return torch.nn.functional.gelu(x + 0.5 * y + bias)


def silu(x: Tensor, y: Tensor, bias: Tensor) -> Tensor:
    return torch.nn.functional.silu(x + 0.5 * y + bias)


FORMS: dict[str, Callable[..., Any]] = {"relu": relu, "sigmoid": sigmoid, "gelu": gelu, "silu": silu}


def job(point: Point, device: str) -> Job:
    shape = (point.rows, point.columns)
    how: dict[str, Any] = {"device": device, "dtype": getattr(torch, point.dtype)}
    x, y, bias = (torch.randn(one, requires_grad=point.backward, **how) for one in (shape, shape, shape[1:]))
    # Read x and y, write the result; then read its gradient with the result, or with x and y again, and write two.
    passes = 3 if not point.backward else 7 if point.activation in OF_RESULT else 8
    return Job(
        lambda configuration: add_mul_activation(x, y, bias, activation=point.activation, configuration=configuration),
        FORMS[point.activation],  # type: ignore[arg-type]
        (x, y, bias),
        CANDIDATES,
        (passes * x.numel() + bias.numel()) * x.element_size(),
        grad=torch.randn(shape, **how) if point.backward else None,
    )
