"""SwiGLU at Llama's widths, of two tensors and of the halves of one, forward and backward, beside Liger."""

from __future__ import annotations

import itertools
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import torch
from torch import Tensor
from torch.nn.functional import silu

from contests import Job
from inductor_lab.kernels.swiglu import kernel, model


@dataclass(frozen=True)
class Point:
    """What is timed: a row of the results."""

    what: str
    """`forward`, or `backward` alone."""
    tokens: int
    columns: int
    halves: bool
    """Whether gate and up are halves of one tensor."""
    dtype: str = "bfloat16"


WHAT = ("forward", "backward")
TOKENS = (4096, 16_384, 1, 128)
POINTS = [
    *(Point(what, tokens, columns, halves)
      for columns, tokens, halves, what in itertools.product((11_008, 14_336), TOKENS, (True, False), WHAT)),
    *(Point(what, 4096, 11_008, halves, "float32") for halves, what in itertools.product((True, False), WHAT)),
]  # fmt: skip
"""The captured size first."""
SMOKE = [
    Point(what, 5, 33, halves, dtype)
    for what, halves, dtype in itertools.product(WHAT, (True, False), ("bfloat16", "float32"))
]


def forward(gate: Tensor, up: Tensor) -> Tensor:
    return silu(gate) * up


def halves_forward(both: Tensor) -> Tensor:
    gate, up = both.chunk(2, dim=-1)
    return silu(gate) * up


def backward(grad: Tensor, gate: Tensor, up: Tensor) -> tuple[Tensor, Tensor]:
    """As autograd has it of `forward`."""
    return torch.ops.aten.silu_backward(grad * up, gate), grad * silu(gate)


def halves_backward(grad: Tensor, both: Tensor) -> Tensor:
    gate, up = both.chunk(2, dim=-1)
    return torch.cat([torch.ops.aten.silu_backward(grad * up, gate), grad * silu(gate)], dim=-1)


FORMS = {
    ("forward", False): forward,
    ("forward", True): halves_forward,
    ("backward", False): backward,
    ("backward", True): halves_backward,
}


def job(point: Point, device: str) -> Job:
    how: dict[str, Any] = {"device": device, "dtype": getattr(torch, point.dtype)}
    width = (1 + point.halves) * point.columns
    gate = torch.randn(point.tokens, width, **how)
    up = None if point.halves else torch.randn(point.tokens, width, **how)
    grad = torch.randn(point.tokens, point.columns, **how)
    inputs = (gate,) if up is None else (gate, up)

    def forwarded(configuration: dict[str, int] | None) -> Tensor:
        return kernel.forwarded(gate, up, configuration=configuration)

    def gradients(configuration: dict[str, int] | None) -> Any:
        found = kernel.gradients(grad, gate, up, configuration=configuration)
        return found[0] if up is None else found

    ahead = point.what == "forward"
    return Job(
        forwarded if ahead else gradients,
        FORMS[point.what, point.halves],  # type: ignore[arg-type]
        inputs if ahead else (grad, *inputs),
        kernel.CANDIDATES,
        (3 if ahead else 5) * grad.numel() * grad.element_size(),
        public={"liger": lambda: liger(point.what, grad, *inputs)},
    )


def liger(what: str, grad: Tensor, *inputs: Tensor) -> Callable[[], Any]:
    """Its backward of two tensors writes over them: here over copies, of which each but the first call reads what the one before wrote."""
    from liger_kernel.ops import swiglu

    match what, len(inputs):
        case "forward", 1:
            return lambda: swiglu.swiglu_fused_gate_up_forward(*inputs)[-1]
        case "forward", _:
            return lambda: swiglu.swiglu_forward(*inputs)[-1]
        case _, 1:
            return lambda: swiglu.swiglu_fused_gate_up_backward(*inputs, grad)
    own = [one.clone() for one in inputs]
    return lambda: swiglu.swiglu_backward(*own, grad)


def capture(name: str, folder: Path) -> None:
    """Made here, as it is not among the committed ones."""
    from inductor_lab.capture.run import capture as made

    made(str(model.__file__), output=folder, name=name)
