"""Inputs on the boundaries of what a kernel compares: where `total > 3` and `total >= 3` differ, and a slope begins.

Each comparison gets a share of the elements of one tensor. Newton's method moves them, in float64, to where both sides are equal; the last
bits are found by trying, in the dtypes in which the kernel computes. Half of them stay there, the others go one value up or down.
"""

from __future__ import annotations

from collections.abc import Mapping

import torch
from torch import Tensor

from inductor_lab.judge.compared import File
from inductor_lab.judge.coverage import Coverage
from inductor_lab.judge.newton import Search
from inductor_lab.judge.whole_numbers import on_numbers

__all__ = ["Coverage", "on_boundaries"]

ROUNDS, FEW_ROUNDS = 4, 2
"""Steps of Newton's method; fewer where they take long."""
LONG = 1 << 21
"""Elements of all tensors, times comparisons."""


def on_boundaries(file: File, values: Mapping[str, Tensor], seed: int) -> dict[str, Tensor]:
    """Inputs of which about a third of the elements lie on a boundary, a third right beside one, and the others as they were drawn.

    Args:
        values: Every argument by name, as drawn; they are left as they are.
    """
    generator = torch.Generator("cpu").manual_seed(seed)
    found = on_numbers(file, values, generator)
    if getattr(file, "compares", None) is not None:
        search = Search.begin(file, found, generator)
        work = sum(place.numel() for place in search.places.values()) * len(search.shares)
        for _ in range(ROUNDS if work <= LONG else FEW_ROUNDS):
            if not search.step():
                break
        found |= search.settled() if search.shares else {}
    for name, (*_, fill) in file.ARGUMENTS.items():
        if fill[0] == "same":
            found[name] = found[fill[1]]
    return found
