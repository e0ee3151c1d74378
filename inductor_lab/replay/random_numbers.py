"""Random numbers that a graph in eager draws as the captured kernels do: of a seed and a position alone (Philox), by the helpers of ejected files.

`inductor_random` and `inductor_randint` of torch/_inductor/inductor_prims.py, as their lowerings have it (torch 2.11 to 2.13): the element's place in a
contiguous tensor is its offset.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping
from functools import cache
from typing import Any

import torch
from torch import Tensor

from inductor_lab.eject.device_functions import eager_text
from inductor_lab.eject.eager.pointwise import RANDOM as HELPERS
from inductor_lab.records import Capture, Graph

FOURFOLD = "4x("
"""In the text of a kernel that takes four numbers of each draw: `triton_helpers.rand4x`, `randn4x`."""
RANDOM, RANDINT, SEEDS = (f"prims.inductor_{name}.default" for name in ("random", "randint", "seeds"))

Draw = Callable[..., Tensor]


def draws(capture: Capture, graph: Graph) -> dict[str, Draw]:
    """Node -> what draws its numbers, called as the node calls its operator; four of each draw where its kernel does so."""
    fourfold = {
        name
        for kernel in capture.kernels
        if FOURFOLD in kernel.text
        for launch in kernel.launches
        if launch.graph == graph.id
        for name in launch.provenance.nodes
    }
    by_target = {RANDOM: _one, RANDINT: _whole, SEEDS: _seeds}
    found = {node.name: by_target[node.target] for node in graph.nodes if node.target in by_target}
    return {name: _four if name in fourfold and draw is _one else draw for name, draw in found.items()}


def _seeds(count: int, device: torch.device) -> Tensor:
    """By torch's own generator, as the module calls it (`RandomSeeds` of torch/_inductor/ir.py)."""
    limits = torch.iinfo(torch.int64)
    return torch.randint(limits.min, limits.max, [count], device=device)


def _one(size: list[int], seed: Tensor, mode: str, **how: Any) -> Tensor:
    return _drawn(mode, size, seed)


def _four(size: list[int], seed: Tensor, mode: str, **how: Any) -> Tensor:
    return _drawn(f"{mode}4x", size, seed)


def _whole(low: int, high: int, size: list[int], seed: Tensor) -> Tensor:
    return _drawn("randint64", size, seed, low, high)


def _drawn(helper: str, size: list[int], seed: Tensor, *limits: int) -> Tensor:
    offsets = torch.arange(math.prod(size), device=seed.device)
    numbers: Tensor = _helpers()[HELPERS[helper]](seed, offsets, *limits)
    return numbers.reshape(size)


@cache
def _helpers() -> Mapping[str, Callable[..., Any]]:
    names: dict[str, Any] = {"torch": torch}
    for name in ("philox", *HELPERS.values()):
        exec(eager_text(name), names)
    return names
