"""`pairwise` held to eager; `test_kernels.py` runs this."""

from __future__ import annotations

from typing import Any

import pytest
import torch
from torch import Tensor

ON = "cuda" if torch.cuda.is_available() else "cpu"
if ON == "cpu":
    from inductor_lab.judge import stand_ins

    stand_ins.install()  # Triton's own interpreter multiplies bfloat16 as whole numbers

from inductor_lab.kernels.dlrm.pairwise import CANDIDATES, MOST, pairwise  # noqa: E402

LIMITS = {torch.float64: 1e-12, torch.float32: 1e-5, torch.float16: 2e-3, torch.bfloat16: 1.6e-2}


def eager(features: Tensor, diagonal: bool = False) -> Tensor:
    count = features.shape[1]
    row, column = torch.tril_indices(count, count, 0 if diagonal else -1, device=features.device)
    return torch.cat([features[:, 0], torch.bmm(features, features.mT)[:, row, column]], dim=1)


def made(*shape: int, dtype: torch.dtype = torch.float32) -> Tensor:
    torch.manual_seed(sum(shape))
    return torch.randn(*shape, dtype=dtype, device=ON, requires_grad=True)


def holds(features: Tensor, diagonal: bool = False, **how: Any) -> None:
    """Result and gradient against float64's, relative to the largest."""
    exact = features.detach().double().requires_grad_()
    found, right = pairwise(features, diagonal=diagonal, **how), eager(exact, diagonal)
    grad = torch.randn_like(found)
    pairs = [
        (found, right),
        (torch.autograd.grad(found, features, grad)[0], torch.autograd.grad(right, exact, grad.double())[0]),
    ]
    for own, its in pairs:
        assert own.shape == its.shape and own.dtype == features.dtype
        assert (own - its).abs().max() <= LIMITS[features.dtype] * its.abs().max()


@pytest.mark.parametrize("batch", [1, 77, 129, 300])
def test_batches(batch: int) -> None:
    holds(made(batch, 9, 16))


@pytest.mark.parametrize("count", [1, 2, 9, 21, 27, 41, MOST])
def test_numbers_of_features(count: int) -> None:
    holds(made(3, count, 16))


def test_twice_as_many_features_in_half_precision() -> None:
    holds(made(3, 2 * MOST, 16, dtype=torch.float16))


@pytest.mark.parametrize("columns", [1, 17, 48, 64, 128])
def test_features_of_other_lengths(columns: int) -> None:
    holds(made(3, 27, columns))


@pytest.mark.parametrize("dtype", LIMITS, ids=str)
def test_dtypes(dtype: torch.dtype) -> None:
    holds(made(3, 27, 48, dtype=dtype))


@pytest.mark.parametrize("columns", [16, 48])
def test_with_the_diagonal(columns: int) -> None:
    holds(made(3, 9, columns), diagonal=True)


@pytest.mark.parametrize("configuration", CANDIDATES, ids=str)
def test_every_configuration_computes_the_same(configuration: dict[str, int]) -> None:
    holds(made(5, 9, 48), configuration=configuration)


@pytest.mark.parametrize(
    "input_precision", ["tf32x3", pytest.param("tf32", marks=pytest.mark.xfail(reason="ten bits"))]
)
def test_three_products_of_ten_bits_are_as_good_as_float32(input_precision: str) -> None:
    holds(made(3, 27, 64), input_precision=input_precision)


def test_what_is_not_contiguous() -> None:
    own = made(5, 16, 9).detach()
    holds(own.mT.requires_grad_())
    holds(made(5, 20, 40).detach()[:, 1::2, 4:36].requires_grad_())


def test_gradcheck() -> None:
    for diagonal in (False, True):
        own = made(2, 3, 4, dtype=torch.float64)
        assert torch.autograd.gradcheck(lambda x, d=diagonal: pairwise(x, diagonal=d), own, fast_mode=True)


@pytest.mark.parametrize(
    ("batch", "count", "strides"),
    [(2, 3, (2**31, 16, 1)), (2, 2, (16, 2**31, 1)), (1, 3, (0, 2**30, 1))],
    ids=["samples apart", "features apart", "a sample's ends apart"],
)
def test_no_bits_beyond_31_are_lost(batch: int, count: int, strides: tuple[int, ...]) -> None:
    """On the CPU in memory that is never touched between what lies so far apart."""
    features = torch.empty(2**31 + 64, dtype=torch.float16, device=ON).as_strided((batch, count, 16), strides)
    features.copy_(made(batch, count, 16, dtype=torch.float16).detach())
    holds(features.requires_grad_())


def test_an_empty_batch() -> None:
    assert pairwise(made(0, 27, 16)).shape == (0, 16 + 27 * 13)


def test_what_it_can_not_do() -> None:
    with pytest.raises(ValueError, match=r"features are \[B, F, D\].*not \[3, 16\] of torch.float32"):
        pairwise(torch.zeros(3, 16))
    with pytest.raises(ValueError, match=r"200 features are too many: .* holds the products of 128 of torch.float32"):
        pairwise(torch.zeros(3, 200, 16))
    with pytest.raises(ValueError, match="there is no precision 'fp32': it is ieee, tf32, tf32x3"):
        pairwise(torch.zeros(3, 2, 16), input_precision="fp32")
