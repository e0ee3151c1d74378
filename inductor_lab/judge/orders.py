"""Eager that adds into a narrow tensor in other orders: `index_put` rounds after each addition, as atomics do, and so the order matters."""

from __future__ import annotations

from typing import Any

import torch
from torch import Tensor
from torch.utils._python_dispatch import TorchDispatchMode

from inductor_lab.judge.expected import expected
from inductor_lab.judge.laid import Laid

ORDERS = 8


class Shuffled(TorchDispatchMode):
    """What `index_put` accumulates arrives in an order that is drawn."""

    def __init__(self, seed: int) -> None:
        super().__init__()
        self.generator = torch.Generator("cpu").manual_seed(seed)

    def __torch_dispatch__(self, function: Any, types: Any, args: Any = (), kwargs: Any = None) -> Any:
        if function is torch.ops.aten.index_put.default and args[3:4] == (True,) and None not in args[1]:
            into, indices, values, _ = args
            indices = torch.broadcast_tensors(*indices)
            values = values.expand(*indices[0].shape, *into.shape[len(indices) :])
            order = torch.randperm(indices[0].numel(), generator=self.generator)
            places = [index.reshape(-1)[order] for index in indices]
            args = into, places, values.flatten(0, indices[0].dim() - 1)[order], True
        return function(*args, **(kwargs or {}))


def furthest(file: Any, laid: Laid, number: int, ideal: Tensor) -> Tensor:
    """What eager makes of the tensor of this number, of several orders the value that is furthest from float64, each element by itself.

    On the CPU everywhere: a card's `index_put` sorts and adds in float32.
    """
    read = laid.read_on("cpu")
    found = torch.full_like(ideal, torch.nan)
    for seed in range(ORDERS):
        with Shuffled(seed):
            made = expected(file, read)[number].reshape(ideal.shape).to(ideal)
        found = torch.where((made - ideal).abs() <= (found - ideal).abs(), found, made)
    return found
