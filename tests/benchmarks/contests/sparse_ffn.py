"""A sparse feed-forward layer at the sizes of Llama-2 7B and OPT-6.7B, two and three matrices, from all neurons to a twentieth of them, 1 to 130 tokens.

Beside it `atomic`, step 5, which adds up by atomics in one kernel; and what computes something else: `dense`, the library's products with all neurons;
TEAL's two products, in float16, the first of as large a part of x's columns; CATS's two, without a function between them, behind a gate that is not timed.
Both stand beside our two by rows. They are given what leaves as many neurons, and threshold on the card where ours takes indices; each tunes itself for this
sparsity.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import torch
from torch import Tensor
from torch.nn.functional import leaky_relu, silu

import inductor_lab
from contests import Job
from inductor_lab.kernels.sparse_ffn.kernel import CANDIDATES, Tiles, sparse_ffn
from inductor_lab.kernels.steps.sparse_ffn import layer, one_token, step_5

LARGEST = 512
"""Outputs of a block of TEAL's, at most: 11,008 are no multiple."""
SECTOR = 32
"""Bytes that a card reads at least."""


@dataclass(frozen=True)
class Point:
    """What is timed: a row of the results."""

    tokens: int
    sparsity: float
    columns: int = 4096
    neurons: int = 11_008
    matrices: int = 2
    """Three: gated, with silu."""
    variant: str = "by rows"
    """How `down` is stored: `by columns`, as [columns, neurons]."""
    dtype: str = "bfloat16"


SPARSITIES = (0.9, 0.0, 0.5, 0.75, 0.95)
LLAMA, OPT = (4096, 11_008), (4096, 16_384)
POINTS = [
    *(Point(1, sparsity, *LLAMA, matrices) for matrices in (2, 3) for sparsity in SPARSITIES),
    *(Point(1, sparsity, *OPT) for sparsity in SPARSITIES),
    Point(1, 0.9, *LLAMA, variant="by columns"),
    *(Point(tokens, sparsity, *LLAMA) for tokens in (4, 16, 130) for sparsity in SPARSITIES),
]
"""The one that the goals are counted at first."""
SMOKE = [
    Point(1, 0.5, 64, 48),
    Point(4, 0.9, 48, 80, 3),
    Point(1, 0.75, 64, 48, variant="by columns"),
    Point(2, 0.0, 32, 40),
    Point(17, 0.5, 64, 48, 3),
]


def gated(x: Tensor, active: Tensor, up: Tensor, down: Tensor, gate: Tensor) -> Tensor:
    return (silu(x @ gate[active].T) * (x @ up[active].T)) @ down[active]


def job(point: Point, device: str) -> Job:
    how: dict[str, Any] = {"device": device, "dtype": getattr(torch, point.dtype)}
    count = round((1 - point.sparsity) * point.neurons)
    active = torch.randperm(point.neurons, device=device)[:count].sort().values
    x = torch.randn(point.tokens, point.columns, **how)
    up, down, gate = (
        torch.randn(point.neurons, point.columns, **how) / point.columns**0.5 if number < point.matrices else None
        for number in range(3)
    )
    assert up is not None and down is not None
    if point.variant == "by columns":
        down = down.T.contiguous().T

    def hand(configuration: dict[str, Any] | None) -> Tensor:
        return sparse_ffn(
            x, up, down, active, gate=gate, activation="silu" if gate is not None else "leaky_relu",
            configuration=configuration["is"] if configuration else None,
        )  # fmt: skip

    alike = (point.tokens, point.matrices, point.variant) == (1, 2, "by rows")
    row = point.columns * x.element_size()
    gathered = (
        count * row if point.variant != "by columns" else point.columns * sectors(active, x.element_size()) * SECTOR
    )
    return Job(
        hand,
        layer if gate is None else gated,
        (x, active, up, down, *([] if gate is None else [gate])),
        [{"is": one} for one in CANDIDATES if isinstance(one, Tiles) != (point.tokens == 1)],
        (point.matrices - 1) * count * row + gathered + 2 * point.tokens * row + count * active.element_size(),
        2 * point.matrices * point.tokens * count * point.columns,
        "ieee" if point.dtype == "float32" else "bf16",
        beside={"dense": dense(x, up, down, gate)} | (two_products(x, up, down, active) if alike else {}),
    )


def sectors(active: Tensor, itemsize: int) -> int:
    """Of one row of a weight that is stored as [columns, neurons]: the sectors that these neurons, none twice, lie in."""
    return int((active.cpu() * itemsize // SECTOR).unique().numel())


def dense(x: Tensor, up: Tensor, down: Tensor, gate: Tensor | None) -> Callable[[], Tensor]:
    def run() -> Tensor:
        hidden = x @ up.T
        return (leaky_relu(hidden) if gate is None else silu(x @ gate.T) * hidden) @ down

    return run


def two_products(x: Tensor, up: Tensor, down: Tensor, active: Tensor) -> dict[str, Callable[[], Any]]:
    return {
        "teal": teal(x, up, down, active),
        "cats": cats(x, up, down, active),
        "atomic": lambda: step_5(active, up, down, x, torch.empty_like(x)),
    }


def teal(x: Tensor, up: Tensor, down: Tensor, active: Tensor) -> Callable[[], Any]:
    """Each reads the weights of those inputs that are not zero: as large a part of x's, and the active neurons'."""
    kept = round(len(active) / len(up) * x.shape[1])
    part = torch.zeros_like(x, dtype=torch.float16)
    part[:, torch.randperm(x.shape[1], device=x.device)[:kept]] = 1
    hidden = torch.zeros(1, 1, len(up), dtype=torch.float16, device=x.device)
    hidden[..., active] = 1
    percent = round(100 * len(active) / len(up))
    by_inputs: list[Tensor] = []

    def run() -> Any:
        from TEAL.kernels.sparse_gemv import splitk_sparse_gemv

        if not by_inputs:
            by_inputs.extend((with_room(up.T), with_room(down)))
        how = (0.5, percent)  # the threshold, and what it tunes itself for
        return splitk_sparse_gemv(part[None], by_inputs[0], *how), splitk_sparse_gemv(hidden, by_inputs[1], *how)

    return run


def with_room(weight: Tensor) -> Tensor:
    """[inputs, outputs] as TEAL asks for it: a row for each input, turned round. Its kernel reads the last of a row's blocks to its end: room for that."""
    last = weight.new_zeros(LARGEST)
    return torch.cat([weight.flatten(), last]).half()[: weight.numel()].view(weight.shape).T


def cats(x: Tensor, up: Tensor, down: Tensor, active: Tensor) -> Callable[[], Any]:
    """What comes behind its dense gate, whose values are above the threshold at the active neurons.

    That is its `gemv_gemv_triton`, written out: the package that has it asks for an extension of which that uses nothing.
    """
    gates = torch.zeros(1, 1, len(up), dtype=x.dtype, device=x.device)
    gates[..., active] = 1
    begun: list[bool] = []

    def run() -> Any:
        from flash_gemv import kernels

        if not begun:  # it tunes itself for sizes alone
            begun.append(True)
            for kernel in (
                kernels.gather_gemv_elemul_flag_kernel,
                kernels.gather_transposed_gemv_flag_atomicadd_kernel,
            ):
                kernel.cache.clear()
        flags = gates.abs() > 0.5
        return kernels.gather_transposed_gemv_flag_3d(
            kernels.gather_gemv_elemul_flag_3d(x[None], gates, up, flags), down, flags
        )

    return run


def capture(name: str, folder: Path) -> None:
    """Made here, as it is not among the committed ones: the one token of `step_5`."""
    inductor_lab.capture_model(layer, *one_token(), gpu="h200", name=name).save(folder)
