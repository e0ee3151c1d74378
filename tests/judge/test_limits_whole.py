"""Whole numbers and bools equal eager's, but where rounding decides them; and there they are no further off than rounding is."""

from __future__ import annotations

import math
from collections.abc import Callable
from functools import partial

import pytest
import torch
from torch import Tensor
from variants import compared, drawn, nudges, one_after_another, pairwise

from inductor_lab.judge.compare.limits import Finding

Function = Callable[[Tensor], Tensor]


def judged(out: Tensor, eager: Function, x: Tensor, generated: Tensor | None = None) -> Finding:
    return compared(out, eager(x), eager(x.double()), generated, partial(nudges, eager, x))


def scaled(x: Tensor) -> Tensor:
    return (x * x.flip(-1) + 3.0) * 1e12


def multiplied_last(x: Tensor) -> Tensor:
    return x * (x.flip(-1) * 1e12) + 3e12


def hashed(x: Tensor) -> Tensor:
    return ((x * 43758.5453).sin() * 43758.5453).to(torch.int32) * 40503 % 1009


def quantised(x: Tensor) -> Tensor:
    return (x / (x.abs().amax(-1, keepdim=True) / 127)).round().clamp(-128, 127).to(torch.int8)


def quantised_by_reciprocal(x: Tensor) -> Tensor:
    return (x * (127 / x.abs().amax(-1, keepdim=True))).round().clamp(-128, 127).to(torch.int8)


def bucket(x: Tensor) -> Tensor:
    return torch.bucketize(x, torch.linspace(-2, 2, 33, dtype=x.dtype))


RIGHT: dict[str, tuple[Function, Function]] = {
    "large numbers": (lambda x: scaled(x).to(torch.int64), lambda x: multiplied_last(x).to(torch.int64)),
    "six digits": (lambda x: (x * x.flip(-1) * 1e6).to(torch.int32), lambda x: (x * 1e6 * x.flip(-1)).to(torch.int32)),
    "floor": (lambda x: (x * 10 / 3).floor().to(torch.int16), lambda x: (x * (10 / 3)).floor().to(torch.int16)),
    "quantised": (quantised, quantised_by_reciprocal),
    "the sign of a sum": (lambda x: x.sum(-1) > 0, lambda x: one_after_another(32)(x) > 0),
    "above the mean": (lambda x: x > x.mean(-1, keepdim=True), lambda x: x > pairwise(x)[:, None] / x.shape[-1]),
    "the largest": (lambda x: x.softmax(-1).argmax(-1), lambda x: x.argmax(-1)),
    "the order": (lambda x: x.softmax(-1).argsort(-1), lambda x: x.exp().argsort(-1)),
    "buckets": (lambda x: bucket(x / 1.7), lambda x: bucket(x * (1 / 1.7))),
}  # fmt: skip


@pytest.mark.parametrize("name", RIGHT)
@pytest.mark.parametrize("family", ["normal", "constant"])
@pytest.mark.parametrize("beside", [True, False])
def test_another_way_to_the_same_whole_numbers_passes(name: str, family: str, beside: bool) -> None:
    eager, other = RIGHT[name]
    for seed in range(3):
        x = drawn(seed, (64, 128), family, torch.float32)
        found = judged(other(x), eager, x, eager(x) if beside else None)
        assert not found.message, seed
        assert math.isfinite(found.errors["hand"])


@pytest.mark.parametrize("name", RIGHT)
def test_none_of_them_may_be_anything(name: str) -> None:
    eager, _ = RIGHT[name]
    x = drawn(0, (64, 128), "normal", torch.float32)
    for wrong in (torch.zeros_like(eager(x)), eager(0.5 - x), eager(x.flip(0))):
        assert judged(wrong, eager, x, eager(x)).message
        assert judged(wrong, eager, x).message


@pytest.mark.parametrize("beside", [True, False])
def test_a_large_number_that_is_a_hundredth_off_is_found_though_rounding_moves_every_element(beside: bool) -> None:
    x = drawn(0, (64, 32), "normal", torch.float32)

    def eager(x: Tensor) -> Tensor:
        return scaled(x).to(torch.int64)

    found = judged((scaled(x) * 1.01).to(torch.int64), eager, x, eager(x) if beside else None)
    assert found.message == "differs from eager at 2048 of 2048 elements"
    assert found.errors["hand"] > 1000 * found.limit


def test_what_nobody_can_tell_must_be_what_one_of_them_has() -> None:
    """A hash of what float32 loses: float64, eager and another order agree nowhere, and a distance says nothing."""
    x = drawn(0, (64, 32), "normal", torch.float32)
    generated = hashed(x * (1 + 2.0**-22))
    assert judged(torch.zeros_like(hashed(x)), hashed, x, generated).message
    for out in (generated, hashed(x), hashed(x.double())):
        assert not judged(out, hashed, x, generated).message


def test_one_element_may_follow_float64_and_another_the_generated_kernel() -> None:
    eager = torch.arange(256, dtype=torch.int32).reshape(16, 16)
    exact, generated = (eager.index_put((torch.tensor(0), torch.tensor(at)), eager.new_tensor(9)) for at in (5, 7))
    both = torch.where(exact != eager, exact, generated)
    for out, against in ((exact, "eager"), (generated, "generated"), (both, "generated")):
        found = compared(out, eager, exact, generated, list)
        assert (found.message, found.against) == ("", against)
    assert compared(both + (eager == 99), eager, exact, generated, list).message


def test_what_no_rounding_reaches_is_exact_however_large() -> None:
    x = (1 << 60) + torch.arange(1024).reshape(32, 32)
    assert compared(x + (x % 1024 == 77), x, x, x, lambda: [x]).message == "differs from eager at 1 of 1024 elements"
