"""The outer product and its linear layer against eager in float64; `test_kernels.py` runs this."""

from __future__ import annotations

import ctypes
import shutil
import subprocess
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import torch
import triton
import triton.language as tl
from torch import Tensor
from triton.runtime.interpreter import InterpreterBuilder, TensorHandle

ON = "cuda" if torch.cuda.is_available() else "cpu"
if ON == "cpu":
    from inductor_lab.judge import stand_ins

    stand_ins.install()  # Triton's interpreter multiplies the bits of bfloat16

from inductor_lab.kernels.dlrm import outer, outer_ieee  # noqa: E402
from inductor_lab.kernels.dlrm.outer import Folded, Tiles, fold, outer_linear, part_of, sum_parts  # noqa: E402
from inductor_lab.kernels.steps.dlrm import folded  # noqa: E402

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


@pytest.mark.parametrize("tiles", [SMALL, replace(SMALL, products=True)])
@pytest.mark.parametrize(
    ("batch", "features", "hidden"), [(1, 48, 32), (77, 33, 20), (129, 32, 20), (300, 17, 20), (3, 9 * 16, 8)]
)
def test_it_is_what_eager_has_with_the_weight_as_it_is_and_folded(
    batch: int, features: int, hidden: int, tiles: Tiles
) -> None:
    x, weight, bias = drawn(batch, features, hidden)
    for given in (weight, fold(weight, 16)):
        for bias_, relu in ((bias, True), (None, False)):
            out = outer_linear(x, given, bias_, relu=relu, precision="ieee", tiles=tiles)
            torch.testing.assert_close(out.double(), eager(x, weight, bias_, relu), rtol=1e-5, atol=1e-5)


@pytest.mark.parametrize("dtype", [torch.bfloat16, torch.float16])
def test_half_products_are_rounded_as_eager_rounds_them(dtype: torch.dtype) -> None:
    x, weight, bias = drawn(5, 32, 20, dtype)
    rounded = (x[:, :, None] * x[:, None, :]).flatten(1).double() @ weight.double().T + bias.double()
    out = outer_linear(x, weight, bias, tiles=replace(SMALL, products=True))
    torch.testing.assert_close(out.double(), rounded, rtol=torch.finfo(dtype).eps, atol=1e-5)


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


@pytest.mark.parametrize("dtype", [torch.float16, torch.bfloat16])
def test_half_precision_sums_in_float32(dtype: torch.dtype) -> None:
    x, weight, bias = drawn(20, 32, 16, dtype)
    out = outer_linear(x, fold(weight, 16), bias, relu=True, tiles=SMALL)
    assert out.dtype == dtype
    torch.testing.assert_close(out.double(), eager(x, weight, bias, True), rtol=2e-2, atol=2e-2)


ON_A_CARD = pytest.mark.skipif(ON == "cpu", reason="5,248 features are minutes in the interpreter")
LIMITS = {torch.float32: 1e-5, torch.bfloat16: 2e-2}


@pytest.mark.parametrize("dtype", LIMITS)
@pytest.mark.parametrize(
    ("tables", "columns"),
    [
        (20, 16),
        (40, 16),
        (20, 48),
        (3, 128),
        pytest.param(40, 48, marks=ON_A_CARD),
        pytest.param(40, 128, marks=ON_A_CARD),
    ],
)
def test_other_numbers_of_tables_and_columns(tables: int, columns: int, dtype: torch.dtype) -> None:
    x, weight, bias = drawn(2, (tables + 1) * columns, 4, dtype)
    tiles = Tiles(block_b=16, block_h=16, block_j=512, programs=2) if ON == "cpu" else None
    for given in (weight, fold(weight, 512 if ON == "cpu" else 64)):
        out = outer_linear(x, given, bias, relu=True, precision="ieee", tiles=tiles)
        right = eager(x, weight, bias, True)
        torch.testing.assert_close(out.double(), right, rtol=LIMITS[dtype], atol=LIMITS[dtype])


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


# ---------------------------------------------------------------- in CUDA C++

SHAPES = [(1, 48, 32), (77, 33, 20), (129, 17, 130), (300, 5, 20), (3, 9 * 16, 8), (130, 32, 129)]
"""Samples, features, outputs: a block has 128 samples, 128 outputs, 16 features j."""


@pytest.mark.skipif(ON == "cpu", reason="CUDA C++")
@pytest.mark.parametrize(
    ("batch", "features", "hidden"),
    [*SHAPES, *((batch, 27 * 16, 512) for batch in (1, 77, 129, 300)), (9, 21 * 48, 70)],
)
def test_the_one_in_cuda_is_what_eager_has(batch: int, features: int, hidden: int) -> None:
    x, weight, bias = drawn(batch, features, hidden)
    for given in (weight, fold(weight, outer_ieee.BLOCK_J)):
        for bias_, relu in ((bias, True), (None, False)):
            out = torch.full((batch, hidden), torch.nan, device=ON)
            assert outer_ieee.outer_linear(x, given, bias_, relu=relu, out=out) is out
            torch.testing.assert_close(out.double(), eager(x, weight, bias_, relu), rtol=1e-5, atol=1e-5)


@pytest.mark.skipif(ON == "cpu", reason="CUDA C++")
def test_the_one_in_cuda_of_nan_strides_an_empty_batch_and_what_does_not_fit() -> None:
    x, weight, bias = drawn(6, 33, 20)
    same = outer_ieee.outer_linear(x, weight, bias)
    apart = torch.cat([x, x], dim=1)[:, :33]
    assert torch.equal(outer_ieee.outer_linear(apart, weight.t().contiguous().t(), bias), same)
    assert outer_ieee.outer_linear(x[:0], weight, bias).shape == (0, 20)
    x[2, 5], x[4, 7] = torch.nan, torch.inf
    out = outer_ieee.outer_linear(x, weight, bias, relu=True)
    assert out[[2, 4]].isnan().all() and torch.equal(out[[0, 1, 3, 5]], same[[0, 1, 3, 5]].relu())
    with pytest.raises(ValueError, match="x has 32 features"):
        outer_ieee.outer_linear(x[:, :32], weight, bias)
    with pytest.raises(ValueError, match="folded in blocks of 16 is asked for, this has 32"):
        outer_ieee.outer_linear(x, fold(weight, 32))
    with pytest.raises(ValueError, match="float32 on a CUDA device is asked for"):
        outer_ieee.outer_linear(x.half(), weight.half())


HOST = r"""
#include <algorithm>
#include <barrier>
#include <cmath>
#include <cstdint>
#include <thread>
#include <vector>
#define __global__
#define __shared__ static
#define __align__(bytes) __attribute__((aligned(bytes)))
#define __launch_bounds__(...)
struct dim3 { int x, y; };
struct float4 { float x, y, z, w; };
static thread_local dim3 threadIdx, blockIdx, gridDim;
static std::barrier<>* block_of_threads;
static void __syncthreads() { block_of_threads->arrive_and_wait(); }
using std::max, std::min;
%s
extern "C" void run(const float* x, const float* tiles, float* partial, int batch, int features, int hidden, int parts) {
    std::barrier<> all(THREADS);
    block_of_threads = &all;
    const int blocks = (batch + BLOCK - 1) / BLOCK * ((hidden + BLOCK - 1) / BLOCK);
    std::vector<std::thread> threads;
    for (int thread = 0; thread < THREADS; ++thread)
        threads.emplace_back([=] {
            threadIdx = {thread, 0}, gridDim = {blocks, parts};
            for (int part = 0; part < parts; ++part)
                for (int block = 0; block < blocks; ++block) {
                    blockIdx = {block, part};
                    partial_products(x, tiles, partial, batch, features, hidden);
                    __syncthreads();
                }
        });
    for (auto& one : threads) one.join();
}
"""
"""Runs the kernel by as many threads of the CPU as a block has, one block after the other."""


@pytest.fixture(scope="module")
def on_the_host(tmp_path_factory: pytest.TempPathFactory) -> Callable[..., Tensor]:
    """`outer_ieee`'s kernel, built by g++; what lies around its tensors is NaN, and stays so."""
    if shutil.which("g++") is None:
        pytest.skip("there is no g++")
    folder: Path = tmp_path_factory.mktemp("built")
    kernel = outer_ieee.SOURCE[outer_ieee.SOURCE.index("constexpr") : outer_ieee.SOURCE.index("void launch(")]
    (folder / "host.cpp").write_text(HOST.replace("%s", kernel))
    built = [
        "g++",
        "-std=c++20",
        "-O2",
        "-w",
        "-fno-strict-aliasing",
        "-pthread",
        "-shared",
        "-fPIC",
        "host.cpp",
        "-o",
        "host.so",
    ]
    subprocess.run(built, cwd=folder, check=True)
    library = ctypes.CDLL(str(folder / "host.so"))

    def run(x: Tensor, given: Folded, parts: int) -> Tensor:
        (batch, features), hidden = x.shape, given.tiles.shape[1]
        around = [
            torch.full((4096 + size,), torch.nan) for size in (x.numel(), given.tiles.numel(), parts * batch * hidden)
        ]
        own = [one[2048:-2048] for one in around]
        own[0].copy_(x.flatten())
        own[1].copy_(given.tiles.flatten())
        library.run(*(ctypes.c_void_p(one.data_ptr()) for one in own), batch, features, hidden, parts)
        assert all(one[:2048].isnan().all() and one[-2048:].isnan().all() for one in around)
        return own[2].view(parts, batch, hidden)

    return run


@pytest.mark.skipif(ON == "cuda", reason="the card runs it itself")
@pytest.mark.parametrize(("batch", "features", "hidden"), SHAPES)
def test_the_one_in_cuda_built_for_the_cpu(
    batch: int, features: int, hidden: int, on_the_host: Callable[..., Tensor]
) -> None:
    x, weight, bias = drawn(batch, features, hidden)
    out = torch.empty(batch, hidden)
    sum_parts(on_the_host(x, fold(weight, outer_ieee.BLOCK_J), 3), bias, out, True)
    torch.testing.assert_close(out.double(), eager(x, weight, bias, True), rtol=1e-5, atol=1e-5)


@pytest.mark.skipif(ON == "cuda", reason="the card runs it itself")
def test_the_one_in_cuda_built_for_the_cpu_of_nan_and_more_parts_than_tiles(on_the_host: Callable[..., Tensor]) -> None:
    x, weight, _ = drawn(6, 17, 20)
    given = fold(weight, outer_ieee.BLOCK_J)
    same = on_the_host(x, given, 40).sum(0)  # of 33 tiles
    torch.testing.assert_close(same.double(), eager(x, weight, None, False), rtol=1e-5, atol=1e-5)
    x[2, 5], x[4, 7] = torch.nan, torch.inf
    out = on_the_host(x, given, 40).sum(0)
    assert out[[2, 4]].isnan().all() and torch.equal(out[[0, 1, 3, 5]], same[[0, 1, 3, 5]])


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
