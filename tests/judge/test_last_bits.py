"""Inputs that are a last bit away: which of them are, and how far."""

from __future__ import annotations

import math
from types import SimpleNamespace
from typing import Any

import pytest

pytest.importorskip("torch")

import torch

from inductor_lab.judge.compare import limits
from inductor_lab.judge.compare.reference import Nearby, expected
from inductor_lab.judge.inputs import families
from inductor_lab.judge.inputs.placement import place_inputs

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
    return Nearby(file, place_inputs(file, {"x": X, "index": INDEX, "flags": FLAGS}, 0).read, "cpu", 0, torch.Size([6]))


def test_floats_are_moved_by_their_last_bit_and_nothing_else_is() -> None:
    given: list[Any] = []
    near = nearby(given)
    assert len(near.nudged()) == len(near.draws(list).closer()) == 5
    finite = X.isfinite() & (X != 0)
    for (x, index, flags), part in zip(given, [1.0] * 5 + [0.25] * 5, strict=True):
        assert torch.equal(index, INDEX) and torch.equal(flags, FLAGS)
        assert torch.equal(x[~finite], X[~finite].double())
        steps = ((x / X.double() - 1) / torch.finfo(torch.float32).eps)[finite]
        assert torch.allclose(steps.abs(), torch.full_like(steps, part), rtol=1e-6)
    assert all(bool((given[at][0] >= X.double()).all()) for at in (0, 5)), "all up, once"
    assert any(bool((x < X.double()).any()) for x, _, _ in given[1:5])


def test_a_product_is_not_rounded_where_it_is_a_summand() -> None:
    """`x * s - max(x * s)` is 0 at the largest, and what the product's rounding took where the GPU fuses the two."""
    x, scale = torch.rand(4, 64) + 1, torch.tensor(2.7)

    def reference(x: torch.Tensor, scale: torch.Tensor) -> tuple[torch.Tensor]:
        product = x * scale
        return (product - product.amax(-1, keepdim=True),)

    file = SimpleNamespace(
        ARGUMENTS={"x": ((4, 64), (64, 1), torch.float32, "normal"), "scale": ((), (), torch.float32, "normal")},
        TAKES=("x", "scale"), WRITTEN=(), reference=reference,
    )  # fmt: skip
    near = Nearby(file, place_inputs(file, {"x": x, "scale": scale}, 0).read, "cpu", 0, torch.Size([4, 64]))
    largest = (x * scale).argmax(-1, keepdim=True)
    off = torch.stack([draw.gather(-1, largest).abs() for draw in near.nudged()]).amax(0)
    half = torch.finfo(torch.float32).eps / 2 * (x * scale).amax(-1, keepdim=True)
    assert bool((off > 0.9 * half).all()) and bool((off < 1.1 * half).all())
    assert not any(bool(draw.gather(-1, largest).any()) for draw in near.moved()), "an input moves both alike"


def test_a_sum_that_nearly_cancels_may_have_its_terms_rounded_to_bfloat16() -> None:
    """As eager rounds RMSNorm's: two draws of such roundings leave a sum where it is, five do not. Nothing that is wrong passes by that."""
    rows, columns = 4096, 512

    def reference(grad: torch.Tensor, x: torch.Tensor, scale: torch.Tensor) -> tuple[torch.Tensor]:
        return ((grad.to(torch.float32) * (x.to(torch.float32) * scale)).sum(0).to(torch.bfloat16),)

    def kernel(grad: torch.Tensor, x: torch.Tensor, scale: torch.Tensor, out: torch.Tensor) -> torch.Tensor:
        return (grad.float() * (x.float() * scale).bfloat16().float()).sum(0).bfloat16()

    narrow = ((rows, columns), (columns, 1), torch.bfloat16, "normal")
    file = SimpleNamespace(
        ARGUMENTS={
            "grad": narrow, "x": narrow, "scale": ((rows, 1), (1, 1), torch.float32, "normal"),
            "out": ((columns,), (1,), torch.bfloat16, "out"),
        },
        TAKES=("grad", "x", "scale"), WRITTEN=("out",), reference=reference,
    )  # fmt: skip
    laid = place_inputs(file, families.drawn(file.ARGUMENTS, "finite", 70, "whole"), 70)
    (eager,), (exact,) = expected(file, laid.read("cpu")), expected(file, laid.read("cpu"), exact=True)
    near = Nearby(file, lambda: laid.read("cpu"), "cpu", 0, eager.shape)

    def message(out: torch.Tensor) -> str:
        return limits.compared(out.bfloat16(), eager, exact, eager, near.draws()).message

    right = kernel(**laid.read("cpu")).float()
    assert not message(right)
    assert "biased" in message(1.01 * right)
    middle = (exact.abs() - exact.abs().median()).abs().argmin()
    assert "is off by" in message(right * torch.where(torch.arange(columns) == middle, 1.15, 1.0))
