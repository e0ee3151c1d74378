"""The outer product and its linear layer against eager in float64; `test_kernels.py` runs this."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
import torch
import triton
import triton.language as tl
from torch import Tensor
from triton.runtime.interpreter import InterpreterBuilder, TensorHandle

from inductor_lab.kernels.dlrm import outer, outer_ieee
from inductor_lab.kernels.dlrm.outer import Folded, Tiles, fold, outer_linear, part_of
from inductor_lab.kernels.steps.dlrm import folded

ON = "cuda" if torch.cuda.is_available() else "cpu"
SMALL = Tiles(block_b=32, block_h=16, block_j=16, programs=24)


def eager(x: Tensor, weight: Tensor, bias: Tensor | None, relu: bool) -> Tensor:
    products = (x[:, :, None].double() * x[:, None, :].double()).flatten(1)
    found = torch.nn.functional.linear(products, weight.double(), None if bias is None else bias.double())
    return found.relu() if relu else found


def drawn(batch: int, features: int, hidden: int, dtype: torch.dtype = torch.float32) -> tuple[Tensor, Tensor, Tensor]:
    generator = torch.Generator().manual_seed(batch)
    x = torch.randn(batch, features, generator=generator).to(dtype)
    weight = (torch.randn(hidden, features * features, generator=generator) / features).to(dtype)
    return x.to(ON), weight.to(ON), torch.randn(hidden, generator=generator).to(ON, dtype)


@pytest.mark.parametrize(
    ("batch", "features", "hidden"), [(1, 48, 32), (77, 33, 20), (129, 32, 20), (300, 17, 20), (3, 9 * 16, 8)]
)
def test_it_is_what_eager_has_with_the_weight_as_it_is_and_folded(batch: int, features: int, hidden: int) -> None:
    x, weight, bias = drawn(batch, features, hidden)
    for given in (weight, fold(weight, 16)):
        for bias_, relu in ((bias, True), (None, False)):
            out = outer_linear(x, given, bias_, relu=relu, precision="ieee", tiles=SMALL)
            torch.testing.assert_close(out.double(), eager(x, weight, bias_, relu), rtol=1e-5, atol=1e-5)


@triton.jit
def parts_of(out_ptr, tiles, PARTS: tl.constexpr):  # i32[PARTS]
    tl.store(out_ptr + tl.program_id(0), part_of(tiles, tl.program_id(0), PARTS))


def test_many_features_and_outputs_pass_no_32_bits_and_no_axis(monkeypatch: pytest.MonkeyPatch) -> None:
    tiles, parts = 512 * 32_768, 264
    found = torch.empty(parts, dtype=torch.int32, device=ON)
    parts_of[parts,](found, tiles, parts)
    assert found.tolist() == [tiles * part // parts for part in range(parts)]

    grids: list[tuple[int, ...]] = []
    launcher = type("", (), {"__getitem__": lambda self, grid: lambda *given, **sizes: grids.append(grid)})
    monkeypatch.setattr(outer, "add_pairs", launcher())
    outer.added(torch.empty(70_000, 4), 2, 64)
    assert grids == [(70_000,)]  # a card's other axes end at 65,535


@pytest.mark.skipif(ON == "cpu", reason="17 million tiles")
@pytest.mark.parametrize(("features", "hidden", "each"), [(32_900, 1, 2.0**-20), (2, 70_000, 0.25)])
def test_many_features_and_outputs_on_a_card(features: int, hidden: int, each: float) -> None:
    x = torch.ones(2, features, device=ON, dtype=torch.float16)
    weight = torch.full((hidden, features * features), each, device=ON, dtype=torch.float16)
    for given in (weight, fold(weight)):
        out = outer_linear(x, given)
        torch.testing.assert_close(out, torch.full_like(out, features * features * each), rtol=1e-2, atol=0)


def test_half_precision_sums_in_float32() -> None:
    x, weight, bias = drawn(20, 32, 16, torch.float16)  # Triton's interpreter multiplies the bits of bfloat16
    out = outer_linear(x, fold(weight, 16), bias, relu=True, tiles=SMALL)
    assert out.dtype == torch.float16
    torch.testing.assert_close(out.double(), eager(x, weight, bias, True), rtol=2e-2, atol=2e-2)


def test_strides_an_empty_batch_and_nan() -> None:
    x, weight, bias = drawn(6, 32, 16)
    apart = torch.cat([x, x], dim=1)[:, :32]
    same = outer_linear(x, weight, bias, precision="ieee", tiles=SMALL)
    assert torch.equal(outer_linear(apart, weight.t().contiguous().t(), bias, precision="ieee", tiles=SMALL), same)
    assert outer_linear(x[:0], weight, bias).shape == (0, 16)
    x[2, 5] = torch.nan
    out = outer_linear(x, weight, bias, relu=True, precision="ieee", tiles=SMALL)
    assert out[2].isnan().all() and not out[[0, 1, 3, 4, 5]].isnan().any()


def test_shapes_that_do_not_fit_are_told() -> None:
    x, weight, bias = drawn(4, 16, 8)
    with pytest.raises(ValueError, match="x has 15 features: the weight is asked to have 15 \\* 15 columns"):
        outer_linear(x[:, :15], weight, bias)
    with pytest.raises(ValueError, match="x has 15 features"):
        outer_linear(x[:, :15], fold(weight, 16), bias)
    with pytest.raises(ValueError, match="255 columns are no square"):
        fold(weight[:, :255])


X, WEIGHT, BIAS = torch.zeros(4, 8), torch.zeros(16, 64), torch.zeros(16)


@pytest.mark.parametrize(
    ("change", "said"),
    [
        ({"x": torch.zeros(4, 2, 8)}, r"x is \[B, F\] of float32, bfloat16 or float16, and not \[4, 2, 8\]"),
        ({"x": X.double()}, "and not .* of torch.float64"),
        ({"x": X.bfloat16()}, "weight is .* of torch.float32 on cpu, and not .* of torch.bfloat16 on cpu, as x is"),
        ({"weight": WEIGHT.to("meta")}, "weight is .* on meta"),
        ({"bias": torch.zeros(15)}, r"bias is \[15\] .*, and not \[16\]"),
        ({"out": torch.zeros(4, 15)}, r"out is \[4, 15\] .*, and not \[4, 16\]"),
        ({"out": torch.zeros(16, 4).t()}, "out has to be contiguous"),
        ({"precision": "fp32"}, "there is no precision 'fp32': it is ieee, tf32, tf32x3"),
        ({"bias": BIAS.clone().requires_grad_()}, "there is no gradient of this: call it under torch.no_grad()"),
    ],
)
def test_what_does_not_belong_together_is_told(change: dict[str, Any], said: str) -> None:
    with pytest.raises(ValueError, match=said):
        outer_linear(**({"x": X, "weight": WEIGHT, "bias": BIAS} | change))


def test_a_gradient_is_not_left_out_in_silence() -> None:
    weight = WEIGHT.clone().requires_grad_()
    with pytest.raises(ValueError, match="no gradient"):
        fold(weight)
    with torch.no_grad():
        assert outer_linear(X.to(ON), fold(weight.to(ON), 16), tiles=SMALL).shape == (4, 16)


def test_a_bias_with_strides_and_a_result_to_write_into() -> None:
    x, weight, _ = drawn(5, 17, 16)
    bias, out = torch.arange(32.0, device=ON)[::2], torch.empty(5, 16, device=ON)
    assert outer_linear(x, weight, bias, precision="ieee", tiles=SMALL, out=out) is out
    torch.testing.assert_close(out.double(), eager(x, weight, bias, False), rtol=1e-5, atol=1e-5)


def test_the_one_in_cuda_asks_for_a_card_before_anything() -> None:
    with pytest.raises(ValueError, match="float32 on a CUDA device is asked for"):
        outer_ieee.outer_linear(X, WEIGHT)


def test_a_folded_weight_is_about_half() -> None:
    weight = torch.randn(8, 64 * 64, device=ON)
    folded = fold(weight, 16)
    assert isinstance(folded, Folded) and folded.tiles.numel() == 8 * 16 * (16 + 32 + 48 + 64)
    assert folded.tiles.sum().item() == pytest.approx(weight.sum().item(), abs=1e-2)


def test_the_step_folds_again_for_a_changed_weight_and_other_blocks() -> None:
    weight = torch.randn(2, 32 * 32, device=ON)
    first = folded(weight, 32, 16)
    assert folded(weight, 32, 16) is first
    assert torch.equal(folded(weight, 32, 32), fold(weight, 32).tiles)
    weight += 1
    assert torch.equal(folded(weight, 32, 32), fold(weight, 32).tiles)


@torch.inference_mode()
def test_the_step_folds_a_weight_without_a_version_each_time() -> None:
    weight = torch.randn(2, 32 * 32, device=ON)
    for _ in range(2):
        assert torch.equal(folded(weight, 32, 32), fold(weight, 32).tiles)
        weight += 1


def test_an_infinite_product_is_no_nan_folded_or_not() -> None:
    x, weight, bias = drawn(6, 32, 16)
    x, weight = x.abs(), weight.abs() * (torch.arange(16, device=ON)[:, None] % 2 - 0.5).sign()  # inf - inf is nowhere
    x[0] *= 1e30
    x[1, 3], x[2, :16], x[3] = torch.inf, torch.inf, torch.inf
    right = eager(x, weight, bias, False).float()
    assert right[:4].isinf().all() and right[4:].isfinite().all()
    for given in (weight, fold(weight, 16)):
        out = outer_linear(x, given, bias, precision="ieee", tiles=SMALL)
        torch.testing.assert_close(out, right, rtol=1e-5, atol=1e-5)


def test_three_tf32_products_of_the_largest_numbers(monkeypatch: pytest.MonkeyPatch) -> None:
    if ON == "cpu":
        monkeypatch.setattr(InterpreterBuilder, "create_dot", three_products)
    x, weight, bias = drawn(6, 32, 16)
    largest = torch.finfo(torch.float32).max
    x[:, 3], x[:, 5] = 1e-5, largest  # whose products with each other and themselves have no weight, or a small one
    weight = weight.view(16, 32, 32)
    weight[:, 5], weight[:, :, 5] = 0, 0
    weight[:, 5, 3], weight[:, 3, 3] = 1e-5, largest
    weight = weight.flatten(1)
    right = eager(x, weight, bias, False)
    for given in (weight, fold(weight, 16)):
        out = outer_linear(x, given, bias, precision="tf32x3", tiles=SMALL)
        torch.testing.assert_close(out.double(), right, rtol=1e-5, atol=0)


def three_products(builder: Any, a: Any, b: Any, to: Any, *rest: Any) -> TensorHandle:
    """What Triton makes of `tf32x3`: the upper parts are rounded to TF32, and what is NaN of the products with a lower part counts as 0."""
    with np.errstate(all="ignore"):
        (a_up, a_low), (b_up, b_low) = (upper_and_lower(one.data) for one in (a, b))
        low = a_low @ b_up + a_up @ b_low
        return TensorHandle(np.where(np.isnan(low), np.float32(0), low) + a_up @ b_up + to.data, to.dtype.scalar)


def upper_and_lower(number: Any) -> tuple[Any, Any]:
    bits = np.ascontiguousarray(number).view(np.uint32)
    up = ((bits + np.uint32(0x1000)) & np.uint32(0xFFFFE000)).view(np.float32)
    return up, ((number - up).view(np.uint32) & np.uint32(0xFFFFE000)).view(np.float32)
