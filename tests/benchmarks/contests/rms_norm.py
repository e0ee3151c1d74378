"""RMSNorm at Llama's widths, alone and behind a residual, forward and backward, beside torch's own operator, Liger and Quack."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from itertools import product
from pathlib import Path
from typing import Any

import torch
from torch import Tensor

from contests import Job
from inductor_lab.kernels.rms_norm import kernel, model

EPS = 1e-5


@dataclass(frozen=True)
class Point:
    """What is timed: a row of the results."""

    what: str
    """`forward`, or `backward` alone of what forward left."""
    rows: int
    columns: int
    dtype: str
    residual: bool


WHAT = ("forward", "backward")
ROWS = (4096, 16_384, 1, 128)
POINTS = [
    *(Point(what, rows, 4096, "bfloat16", residual) for rows, residual, what in product(ROWS, (True, False), WHAT)),
    *(Point(what, 4096, 8192, "bfloat16", residual) for residual, what in product((True, False), WHAT)),
    *(Point(what, 4096, 4096, "float32", False) for what in WHAT),
]
"""The captured size first."""
SMOKE = [
    Point(what, 5, 33, dtype, residual)
    for what, dtype, residual in product(WHAT, ("bfloat16", "float32"), (True, False))
]


def wide(x: Tensor) -> Tensor:
    return x.to(torch.promote_types(x.dtype, torch.float32))


def forward(x: Tensor, weight: Tensor) -> Tensor:
    """As transformers have it."""
    own = wide(x)
    return weight * (own * torch.rsqrt(own.pow(2).mean(-1, keepdim=True) + EPS)).to(x.dtype)


def add_forward(x: Tensor, residual: Tensor, weight: Tensor) -> tuple[Tensor, Tensor]:
    summed = x + residual
    return forward(summed, weight), summed


def backward(grad: Tensor, x: Tensor, scale: Tensor, weight: Tensor) -> tuple[Tensor, Tensor]:
    """The gradients of x and the weight, as autograd has them of `forward`."""
    normalized, inner = wide(x) * scale, wide(grad * weight)
    x_grad = scale * (inner - normalized * (inner * normalized).mean(-1, keepdim=True))
    return x_grad.to(x.dtype), (grad * normalized.to(x.dtype)).sum(0)


def add_backward(grad: Tensor, added: Tensor, x: Tensor, scale: Tensor, weight: Tensor) -> tuple[Tensor, Tensor]:
    x_grad, weight_grad = backward(grad, x, scale, weight)
    return added + x_grad, weight_grad


def job(point: Point, device: str) -> Job:
    how: dict[str, Any] = {"device": device, "dtype": getattr(torch, point.dtype)}
    x, residual, grad, added = torch.randn(4, point.rows, point.columns, **how)
    weight = torch.randn(point.columns, **how)
    tensors = 2 + 2 * point.residual if point.what == "forward" else 3 + point.residual
    moved = (tensors * x.numel() + weight.numel()) * x.element_size()
    if point.what == "forward":
        others = (x, residual, weight) if point.residual else (x, weight)

        def own(configuration: dict[str, int] | None) -> Any:
            given = residual if point.residual else None
            return kernel.forwarded(x, given, weight, EPS, configuration=configuration)[: 1 + point.residual]

        form = add_forward if point.residual else forward
        hand = own if point.residual else lambda configuration: own(configuration)[0]
        public = public_forward(x, residual if point.residual else None, weight)
        return Job(hand, form, others, kernel.CANDIDATES, moved, public=public)  # type: ignore[arg-type]
    scale = torch.rsqrt(wide(x).pow(2).mean(-1, keepdim=True) + EPS)
    extra = added if point.residual else None

    def hand(configuration: dict[str, int] | None) -> Any:
        return kernel.gradients(grad, x, scale, weight, extra, configuration=configuration)

    given = (grad, added, x, scale, weight) if point.residual else (grad, x, scale, weight)
    moved += 4 * point.rows + weight.numel() * x.element_size()
    form = add_backward if point.residual else backward
    public = public_backward(grad, extra, x, scale, weight)
    return Job(hand, form, given, kernel.BACKWARD, moved, public=public)  # type: ignore[arg-type]


def public_forward(x: Tensor, residual: Tensor | None, weight: Tensor) -> dict[str, Callable[[], Callable[[], Any]]]:
    def of_torch() -> Callable[[], Any]:
        def alone(x: Tensor) -> Tensor:
            return torch.nn.functional.rms_norm(x, weight.shape, weight, EPS)

        return lambda: alone(x) if residual is None else (alone(summed := x + residual), summed)

    def liger() -> Callable[[], Any]:
        from liger_kernel.ops.fused_add_rms_norm import fused_add_rms_norm_forward
        from liger_kernel.ops.rms_norm import rms_norm_forward

        if residual is None:
            return lambda: rms_norm_forward(x, weight, EPS, 0.0, "llama", None)[0]
        return lambda: fused_add_rms_norm_forward(x, residual, weight, EPS, 0.0, "llama")[:2]

    def quack() -> Callable[[], Any]:
        from quack.rmsnorm import rmsnorm_fwd

        results = slice(0, 2) if residual is not None else 0
        return lambda: rmsnorm_fwd(x, weight, residual=residual, eps=EPS)[results]

    return {"torch": of_torch, "liger": liger, "quack": quack}


def public_backward(
    grad: Tensor, added: Tensor | None, x: Tensor, scale: Tensor, weight: Tensor
) -> dict[str, Callable[[], Callable[[], Any]]]:
    def of_torch() -> Callable[[], Any]:
        def found() -> Any:
            own = torch.ops.aten._fused_rms_norm_backward(grad, x, weight.shape, scale, weight, [True, True])
            return own if added is None else (added + own[0], own[1])

        return found

    def liger() -> Callable[[], Any]:
        from liger_kernel.ops.fused_add_rms_norm import fused_add_rms_norm_backward, fused_add_rms_norm_forward
        from liger_kernel.ops.rms_norm import rms_norm_backward, rms_norm_forward

        if added is None:
            _, of, scales, *sizes, casting = rms_norm_forward(x, weight, EPS, 0.0, "llama", None)
            return lambda: rms_norm_backward(grad, of, weight, scales, 0.0, casting, *sizes, False, None)
        _, summed, scales, *sizes, casting = fused_add_rms_norm_forward(x, x * 0, weight, EPS, 0.0, "llama")
        how = (0.0, casting, *sizes, False)
        return lambda: fused_add_rms_norm_backward(grad, added, summed, weight, scales, *how)[::2]

    def quack() -> Callable[[], Any]:
        from quack.rmsnorm import rmsnorm_bwd

        return lambda: rmsnorm_bwd(x, weight, grad, scale[:, 0], added, has_residual=added is not None)[:2]

    return {"torch": of_torch, "liger": liger, "quack": quack}


def capture(name: str, folder: Path) -> None:
    """Made here, as it is not among the committed ones."""
    from inductor_lab.capture.run import capture as made

    made(str(model.__file__), output=folder, name=name)
