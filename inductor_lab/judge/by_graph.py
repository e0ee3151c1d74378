"""Does the graph's own form of a kernel (`aten`) compute what its reference does? Both in float64, on the inputs of a case."""

from __future__ import annotations

import inspect
from collections.abc import Sequence
from contextlib import nullcontext
from itertools import compress
from typing import Any

import torch

from inductor_lab.ejected import demanded
from inductor_lab.judge import alone
from inductor_lab.judge.expected import widened
from inductor_lab.judge.laid import Laid

ENOUGH = 1 << 20
"""Elements of a tensor that are compared."""
NEAR = 1e-6
"""Of the largest value."""


def agrees(file: Any, laid: Laid, exact: Sequence[torch.Tensor]) -> bool:
    """Whether it does.

    Args:
        exact: What the reference makes of the same inputs in float64.
    """
    try:
        by_graph = values(file, laid, exact=True)
    except (RuntimeError, TypeError, IndexError, ValueError):  # shapes that do not fit: it is another computation
        return False
    read = [name in demanded(file) for name in file.WRITTEN]
    return len(by_graph) == len(exact) and all(map(_near, compress(by_graph, read), compress(exact, read)))


def values(file: Any, laid: Laid, exact: bool = False) -> list[torch.Tensor]:
    """What the graph's form makes of the inputs, in their own dtypes or in float64.

    On the CPU where one may be an index: if the graph is another computation it may lie outside, and on a card that ends the process.
    """
    names = [name for name in inspect.signature(file.aten).parameters if name in laid.layout]
    floats = all(laid.layout[name]["dtype"].startswith(("float", "bfloat", "complex")) for name in names)
    views = laid.read_on(alone.DEVICE if floats else "cpu")
    read = [views[name] for name in names]
    read = [widened(x) if exact else x.clone() for x in read]
    with alone.Exact() if exact else nullcontext():
        made = file.aten(*read)
    return [torch.as_tensor(one, device=alone.DEVICE) for one in made]  # a number is on no device


def _near(got: torch.Tensor, want: torch.Tensor) -> bool:
    if got.numel() != want.numel():
        return False
    every = want.numel() // ENOUGH | 1  # odd: no single column of many
    got, want = (x.reshape(-1)[::every] for x in (got, want))
    return bool(alone.distance(got, want, want) < NEAR)
