"""What eager makes of the same inputs when it adds up in another order: where much cancels, its own order may have been a lucky one."""

from __future__ import annotations

from typing import Any

import torch
from torch import Tensor
from torch.utils._python_dispatch import TorchDispatchMode

from inductor_lab.judge.compare.reference import expected
from inductor_lab.judge.inputs.placement import Placement

aten = torch.ops.aten
FACTORS = {aten.mm: 0, aten.bmm: 0, aten.addmm: 1, aten.baddbmm: 1}
"""Matrix products, and which argument is the first factor: [.., M, K], before the second, [.., K, N]."""
ORDERS = 8
"""In which eager adds up."""


class Shuffled(TorchDispatchMode):
    """What `index_put` accumulates arrives in an order that is drawn; so do the terms of a matrix product."""

    def __init__(self, seed: int) -> None:
        super().__init__()
        self.generator = torch.Generator("cpu").manual_seed(seed)
        self.shuffled = False
        """Whether there was anything to shuffle."""

    def __torch_dispatch__(self, function: Any, types: Any, args: Any = (), kwargs: Any = None) -> Any:
        if function is aten.index_put.default and args[3:4] == (True,) and None not in args[1]:
            into, indices, values, _ = args
            indices = torch.broadcast_tensors(*indices)
            values = values.expand(*indices[0].shape, *into.shape[len(indices) :])
            order = self._order(indices[0].numel())
            places = [index.reshape(-1)[order] for index in indices]
            args = into, places, values.flatten(0, indices[0].dim() - 1)[order], True
        elif (left := FACTORS.get(function.overloadpacket)) is not None:
            order = self._order(args[left].shape[-1])
            one, other = args[left].index_select(-1, order), args[left + 1].index_select(-2, order)
            args = *args[:left], one, other, *args[left + 2 :]
        return function(*args, **(kwargs or {}))

    def _order(self, count: int) -> Tensor:
        self.shuffled = True
        return torch.randperm(count, generator=self.generator)


def furthest_order(file: Any, placement: Placement, number: int, ideal: Tensor) -> Tensor | None:
    """What eager makes of the tensor of this number, of several orders the value that is furthest from float64, each element by itself.

    On the CPU everywhere: a card's `index_put` sorts and adds in float32. None where the reference adds nothing up in an order of its own.
    """
    read = placement.read("cpu")
    found = torch.full_like(ideal, torch.nan)
    for seed in range(ORDERS):
        with Shuffled(seed) as order:
            made = expected(file, read)[number].reshape(ideal.shape).to(ideal)
        if not order.shuffled:
            return None
        keeps = ((made - ideal).abs() <= (found - ideal).abs()) | ~made.isfinite()  # an order may overflow on the way
        found = torch.where(keeps, found, made)
    return found
