"""act(x W^T + 0.5 (x A^T) B^T + bias) at a large model's sizes, few rows and many, other ranks and precisions, odd sizes, backward; and the talk's MLP."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from itertools import pairwise
from typing import Any

import torch
from torch import Tensor
from torch.nn.functional import gelu, linear, silu

from contests import Job
from inductor_lab.kernels.lora_linear.kernel import CANDIDATES, lora_linear


@dataclass(frozen=True)
class Point:
    """What is timed: a row of the results."""

    rows: int
    widths: str
    """Of x, and of each layer's result, with the activation behind each but the last of several."""
    rank: int = 16
    precision: str = "bf16"
    activation: str = "relu"
    backward: bool = False
    """Whether forward and backward are timed, as one call: the gradients of x, A and B, with the base layer frozen."""


SQUARE = Point(4096, "4096-4096")
POINTS = [
    SQUARE,
    *(Point(rows, "4096-4096") for rows in (1, 16, 8192)),
    *(Point(rows, "4096-14336") for rows in (1, 16, 4096, 8192)),
    Point(8, "16-8-4", 5, "ieee"),
    replace(SQUARE, backward=True),
    *(replace(SQUARE, rank=rank) for rank in (5, 12, 64)),
    *(replace(SQUARE, precision=precision) for precision in ("fp16", "tf32", "ieee")),
    *(replace(SQUARE, activation=activation) for activation in ("gelu", "silu")),
    *(replace(SQUARE, rows=rows) for rows in (64, 256, 1024)),
    Point(4093, "4099-4091", 12),
    replace(SQUARE, activation="gelu", backward=True),
]
"""What there are goals of comes first."""
SMOKE = [
    Point(5, "24-12", 5, "ieee"),
    Point(19, "32-17", 12, "fp16", "silu"),
    Point(19, "32-24", 16, "ieee", "gelu", True),
    Point(8, "16-8-4", 5, "ieee"),
]
LIMIT = {"tf32": 2.0**-9}
"""Of the largest value. A tensor core drops 13 bits of each float32 that it is given, cuBLAS rounds them: its error is no limit for a kernel's."""
DTYPES = {"bf16": torch.bfloat16, "fp16": torch.float16}
ACTIVATIONS: dict[str, Callable[[Tensor], Tensor]] = {"relu": torch.relu, "gelu": gelu, "silu": silu}


def relu_layer(x: Tensor, weight: Tensor, a: Tensor, b: Tensor, bias: Tensor) -> Tensor:
    return torch.relu(linear(x, weight, bias) + 0.5 * ((x @ a.T) @ b.T))


def gelu_layer(x: Tensor, weight: Tensor, a: Tensor, b: Tensor, bias: Tensor) -> Tensor:
    return gelu(linear(x, weight, bias) + 0.5 * ((x @ a.T) @ b.T))


def silu_layer(x: Tensor, weight: Tensor, a: Tensor, b: Tensor, bias: Tensor) -> Tensor:
    return silu(linear(x, weight, bias) + 0.5 * ((x @ a.T) @ b.T))


def two_layers(
    x: Tensor, weight: Tensor, a: Tensor, b: Tensor, bias: Tensor,
    weight_2: Tensor, a_2: Tensor, b_2: Tensor, bias_2: Tensor,
) -> Tensor:  # fmt: skip
    x = torch.relu(linear(x, weight, bias) + 0.5 * ((x @ a.T) @ b.T))
    return linear(x, weight_2, bias_2) + 0.5 * ((x @ a_2.T) @ b_2.T)


FORMS: dict[str, Any] = {"relu": relu_layer, "gelu": gelu_layer, "silu": silu_layer}


def job(point: Point, device: str) -> Job:
    how: dict[str, Any] = {"device": device, "dtype": DTYPES.get(point.precision, torch.float32)}
    widths, learns = [int(width) for width in point.widths.split("-")], {"requires_grad": point.backward}
    given, flops = [torch.randn(point.rows, widths[0], **how, **learns)], 0
    for depth, outputs in pairwise(widths):
        weight, bias = torch.randn(outputs, depth, **how) / depth**0.5, torch.randn(outputs, **how)
        a, b = torch.randn(point.rank, depth, **how, **learns), torch.randn(outputs, point.rank, **how, **learns)
        with torch.no_grad():
            a /= depth**0.5
        given += [weight, a, b, bias]
        # Backward has the product with the weight once more, and two with each factor.
        base, low_rank = 2 * point.rows * depth * outputs, 2 * point.rows * point.rank * (depth + outputs)
        flops += 2 * base + 3 * low_rank if point.backward else base + low_rank
    x, result = given[0], point.rows * widths[-1] * given[0].element_size()
    moved = sum(one.nbytes for one in given) + result
    if (
        point.backward
    ):  # x, the weight and what tells the activation's derivative again, the result's gradient, and that of x
        moved += 2 * x.nbytes + given[1].nbytes + 2 * result
    several = len(widths) > 2

    def hand(configuration: dict[str, int] | None) -> Tensor:
        options: dict[str, Any] = {"scale": 0.5, "configuration": configuration}
        options["precision"] = "tf32" if point.precision == "tf32" else "ieee"
        found = lora_linear(*given[:5], activation=point.activation, **options)  # type: ignore[arg-type]
        return lora_linear(found, *given[5:], **options) if several else found

    one = not several and not point.backward
    return Job(
        hand,
        two_layers if several else FORMS[point.activation],  # type: ignore[arg-type]
        tuple(given),
        CANDIDATES,
        moved,
        flops,
        point.precision,
        grad=torch.randn(point.rows, widths[-1], **how) if point.backward else None,
        limit=LIMIT.get(point.precision),
        public={"two products and addmm_": lambda: into_one(point.activation, *given)} if one else {},
        beside=parts(point.activation, *given) if one else {},
    )


def into_one(activation: str, x: Tensor, weight: Tensor, a: Tensor, b: Tensor, bias: Tensor) -> Callable[[], Tensor]:
    """The library's form with the fewest passes: the second low-rank product is added to the base product where it lies."""
    return lambda: ACTIVATIONS[activation](linear(x, weight, bias).addmm_(x @ a.T, b.T, alpha=0.5))


def parts(
    activation: str, x: Tensor, weight: Tensor, a: Tensor, b: Tensor, bias: Tensor
) -> dict[str, Callable[[], Tensor]]:
    """The base product alone; and what giving up reuse of the base weight buys: the factors added to a copy of it, in advance."""
    merged = weight + 0.5 * b @ a
    return {
        "base product alone": lambda: linear(x, weight, bias),
        "merged weight": lambda: ACTIVATIONS[activation](linear(x, merged, bias)),
    }
