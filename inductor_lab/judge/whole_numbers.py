"""Whole numbers on the boundaries of what a kernel compares: the numbers themselves, and those on either side."""

from __future__ import annotations

from collections.abc import Mapping

import torch
from torch import Tensor

from inductor_lab.judge.compared import File, compared, difference

MOVED = 2 / 3
"""Of a tensor's elements: a third lands on a boundary, a sixth on each side."""


def on_numbers(file: File, values: Mapping[str, Tensor], generator: torch.Generator) -> dict[str, Tensor]:
    """The inputs with whole numbers moved to what they are compared with, as far as the range that they are drawn from has it."""
    found = dict(values)
    free = [name for name in file.TAKES if _free(values[name], file.ARGUMENTS[name][-1])]
    if not free:
        return found
    apart = [difference(left, right).detach() for _, left, right in compared(file, values)]
    for name in free:
        x = values[name]
        fitting = [one.nan_to_num(0.0, 0.0, 0.0).round().long() for one in apart if one.numel() == x.numel()]
        if not fitting:
            continue
        owner = (_random(x, generator) * len(fitting) / MOVED).long()
        toss = _random(x, generator)
        beside = (toss < 0.25).long() - (toss > 0.75).long()
        moved = x.long()
        for place, one in enumerate(fitting):
            there = x.long() - one.reshape(x.shape) + beside
            moved = torch.where((owner == place) & _inside(there, file.ARGUMENTS[name][-1]), there, moved)
        found[name] = torch.empty_like(x).copy_(moved)
    return found


def _free(x: Tensor, fill: object) -> bool:
    whole = not x.is_floating_point() and x.dtype != torch.bool and 0 not in x.stride()
    return whole and isinstance(fill, tuple) and fill[0] != "same" and "distinct" not in fill


def _random(like: Tensor, generator: torch.Generator) -> Tensor:
    return torch.rand(like.shape, generator=generator).to(like.device)


def _inside(there: Tensor, fill: tuple[int, ...]) -> Tensor:
    """Whether numbers are among those that an argument may hold."""
    low, high, *others = fill
    return ((there >= low) & (there < high)) | torch.isin(there, torch.tensor(others, device=there.device).long())
