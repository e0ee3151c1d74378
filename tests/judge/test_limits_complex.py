"""Complex values are held to float64 as their parts are, each as closely as the larger one says."""

from __future__ import annotations

import math
from functools import partial

import pytest
import torch
from torch import Tensor
from variants import compared, drawn, nudges

from inductor_lab.judge.alone import Exact
from inductor_lab.judge.compare.limits import Finding
from inductor_lab.judge.compare.reference import widened


def transformed(x: Tensor) -> Tensor:
    return torch.fft.fft(x)


def there_and_back(x: Tensor) -> Tensor:
    return torch.fft.ifft(torch.fft.fft(x))


def by_halves(x: Tensor) -> Tensor:
    count = x.shape[-1]
    if count == 1:
        return x.to(torch.complex64)
    even, odd = by_halves(x[..., ::2]), by_halves(x[..., 1::2])
    turned = torch.exp(-2j * math.pi * torch.arange(count // 2) / count) * odd
    return torch.cat([even + turned, even - turned], -1)


def judged(out: Tensor, x: Tensor, generated: Tensor | None = None) -> Finding:
    return compared(out, transformed(x), transformed(x.double()), generated, partial(nudges, transformed, x))


@pytest.mark.parametrize("family", ["normal", "offset", "large", "mixed"])
@pytest.mark.parametrize("beside", [True, False])
def test_another_transform_passes(family: str, beside: bool) -> None:
    x = drawn(0, (32, 128), family, torch.float32)
    generated = transformed(x) if beside else None
    for out in (transformed(x), by_halves(x), transformed(x.double()).to(torch.complex64)):
        assert not judged(out, x, generated).message


def test_a_part_that_is_nothing_but_rounding_beside_the_other_passes() -> None:
    x = drawn(0, (32, 128), "normal", torch.float32)
    out = by_halves(by_halves(x).conj()).conj() / 128
    draws = partial(nudges, there_and_back, x)
    assert not compared(out, there_and_back(x), there_and_back(x.double()), None, draws).message


def test_another_result_is_found_and_where() -> None:
    x = drawn(0, (32, 128), "normal", torch.float32)
    right = transformed(x)
    for wrong in (torch.zeros_like(right), 100 * right, right.conj(), right * math.nan, right * 1.0001):
        assert judged(wrong, x).message
    one = right.clone()
    one[3, 7] *= 1j
    found = judged(one, x).wrong
    assert found is not None
    assert found.nonzero().tolist() == [[3, 7]]


def test_complex_inputs_are_widened() -> None:
    x = drawn(0, (4, 8), "normal", torch.float32) + 1j
    assert widened(x).dtype == torch.complex128
    assert widened(x).equal(x.to(torch.complex128))
    nudged = widened(x, torch.Generator().manual_seed(0)) / widened(x)
    assert bool((nudged.real - 1).abs().gt(1e-8).all())
    assert nudged.real.sub(1).abs().max() < 1e-6
    with Exact():
        assert x.real.double().to(torch.complex64).dtype == torch.complex128
