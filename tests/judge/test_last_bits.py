"""Inputs that are a last bit away: which of them are, and how far."""

from __future__ import annotations

import math
from types import SimpleNamespace
from typing import Any

import pytest

pytest.importorskip("torch")

import torch

from inductor_lab.judge.laid import lay
from inductor_lab.judge.last_bits import Nearby

X = torch.tensor([1.0, -2.0, math.inf, -math.inf, 0.0, 3e38])
INDEX, FLAGS = torch.tensor([5, 4, 3, 2, 1, 0]), torch.tensor([True, False] * 3)


def nearby(given: list[Any]) -> Nearby:
    """Of a reference that keeps what it is given."""

    def reference(x: torch.Tensor, index: torch.Tensor, flags: torch.Tensor) -> tuple[torch.Tensor]:
        given.append((x, index, flags))
        return (x[index].where(flags, 0.0),)

    spec = {"x": (torch.float32, "normal"), "index": (torch.int64, (0, 6)), "flags": (torch.bool, (0, 2))}
    file = SimpleNamespace(
        ARGUMENTS={name: ((6,), (1,), dtype, fill) for name, (dtype, fill) in spec.items()},
        TAKES=tuple(spec), WRITTEN=(), reference=reference,
    )  # fmt: skip
    return Nearby(file, lay(file, {"x": X, "index": INDEX, "flags": FLAGS}, 0), 0, torch.Size([6]))


def test_floats_are_moved_by_their_last_bit_and_nothing_else_is() -> None:
    given: list[Any] = []
    near = nearby(given)
    assert len(near.nudged()) == len(near.closer()) == 5
    finite = X.isfinite() & (X != 0)
    for (x, index, flags), part in zip(given, [1.0] * 5 + [0.25] * 5, strict=True):
        assert torch.equal(index, INDEX) and torch.equal(flags, FLAGS)
        assert torch.equal(x[~finite], X[~finite].double())
        steps = ((x / X.double() - 1) / torch.finfo(torch.float32).eps)[finite]
        assert torch.allclose(steps.abs(), torch.full_like(steps, part), rtol=1e-6)
    assert all(bool((given[at][0] >= X.double()).all()) for at in (0, 5)), "all up, once"
    assert any(bool((x < X.double()).any()) for x, _, _ in given[1:5])
