"""`pairwise_ieee` held to eager in float64, on a card; and its kernel built by g++ where there is none. `test_kernels.py` runs this."""

from __future__ import annotations

import ctypes
import shutil
import subprocess
from collections.abc import Callable
from pathlib import Path

import pytest
import torch
from torch import Tensor

from inductor_lab.kernels.dlrm import pairwise_ieee
from inductor_lab.kernels.dlrm.pairwise import MOST

ON_A_CARD = torch.cuda.is_available()
SHAPES = [
    *((batch, 27, columns) for batch, columns in ((1, 16), (2, 30), (3, 36), (2, 64), (3, 128), (2, 132), (2, 300))),
    *((2, count, 17) for count in (1, 2, 7, 8, 28, 29, 41)),
    (1, 41, 48),
    (1, MOST, 8),
    (1, MOST, 73),
]
"""Samples, features, columns: a tile has 7 features, a warp 10 tiles, a chunk 36 columns."""


def eager(features: Tensor, diagonal: bool) -> Tensor:
    count = features.shape[1]
    row, column = torch.tril_indices(count, count, 0 if diagonal else -1, device=features.device)
    return torch.cat([features[:, 0], torch.bmm(features, features.mT)[:, row, column]], dim=1)


def drawn(*shape: int) -> Tensor:
    torch.manual_seed(sum(shape))
    return torch.randn(*shape, device="cuda" if ON_A_CARD else "cpu")


def near(found: Tensor, right: Tensor) -> bool:
    return bool(found.shape == right.shape and (found - right).abs().max() <= 1e-6 * right.abs().max())


@pytest.mark.skipif(not ON_A_CARD, reason="CUDA C++")
@pytest.mark.parametrize("diagonal", [False, True])
@pytest.mark.parametrize(("batch", "count", "columns"), [*SHAPES, *((batch, 27, 16) for batch in (77, 129, 300))])
def test_result_and_gradient(batch: int, count: int, columns: int, diagonal: bool) -> None:
    features = drawn(batch, count, columns).requires_grad_()
    exact = features.detach().double().requires_grad_()
    found, right = pairwise_ieee.pairwise(features, diagonal=diagonal), eager(exact, diagonal)
    assert near(found, right)
    grad = torch.randn_like(found)
    own, its = torch.autograd.grad(found, features, grad), torch.autograd.grad(right, exact, grad.double())
    assert (own[0] - its[0]).abs().max() <= 1e-5 * its[0].abs().max()


@pytest.mark.skipif(not ON_A_CARD, reason="CUDA C++")
def test_strides_and_an_empty_batch() -> None:
    own = drawn(5, 40, 40)
    for apart in (
        own.mT,
        own[:, 1::2, 4:36],
        own[:, :, 3:35],
        own[:1].expand(3, -1, -1),
        own.view(-1)[1:1281].view(2, 20, 32),
    ):
        assert near(pairwise_ieee.pairwise(apart), eager(apart.double(), False))
    assert pairwise_ieee.pairwise(own[:0]).shape == (0, 40 + 40 * 39 // 2)


@pytest.mark.skipif(not ON_A_CARD, reason="CUDA C++")
def test_nan_and_infinity_stay_with_their_feature() -> None:
    features = drawn(2, 27, 17)
    features[0, 3, 16], features[1, 26, 0] = torch.nan, torch.inf
    torch.testing.assert_close(
        pairwise_ieee.pairwise(features), eager(features.double(), False).float(), equal_nan=True, rtol=1e-5, atol=1e-5
    )


def test_it_asks_for_float32_on_a_card() -> None:
    with pytest.raises(ValueError, match=r"float32 on a CUDA device is asked for, this is torch.float16 on cpu"):
        pairwise_ieee.pairwise(torch.zeros(1, 2, 3).half())


HOST = r"""
#include <algorithm>
#include <barrier>
#include <cmath>
#include <cstdint>
#include <cstring>
#include <thread>
#include <vector>
#define __global__
#define __shared__
#define __align__(bytes) __attribute__((aligned(bytes)))
#define __launch_bounds__(...)
struct dim3 { int x; };
struct float4 { float x, y, z, w; };
static thread_local dim3 threadIdx, blockIdx, blockDim;
static std::barrier<>* block_of_threads;
static void __syncthreads() { block_of_threads->arrive_and_wait(); }
static void __pipeline_memcpy_async(float* to, const float* from, int bytes) { std::memcpy(to, from, bytes); }
static void __pipeline_commit() {}
static void __pipeline_wait_prior(int) {}
using std::min;
constexpr int SHARED = 1 << 16;
float chunks[SHARED];
%s
extern "C" int run(const float* features, float* out, int batch, int count, int columns, int pairs, int diagonal, bool aligned) {
    const int threads = 32 * warps_of(count);
    std::barrier<> all(threads);
    block_of_threads = &all;
    std::fill(chunks, chunks + SHARED, NAN);
    std::vector<std::thread> block;
    for (int thread = 0; thread < threads; ++thread)
        block.emplace_back([=] {
            threadIdx = {thread}, blockDim = {threads};
            for (int sample = 0; sample < batch; ++sample) {
                blockIdx = {sample};
                pair_products<608>(features, out, int64_t(count) * columns, columns, count, columns, pairs, diagonal, aligned);
                __syncthreads();
            }
        });
    for (auto& one : block) one.join();
    return std::all_of(chunks + floats_of(count, pairs), chunks + SHARED, [](float one) { return std::isnan(one); });
}
"""
"""Runs the kernel by as many threads of the CPU as a block has, one block after the other; false where it wrote behind its shared memory."""


@pytest.fixture(scope="module")
def on_the_host(tmp_path_factory: pytest.TempPathFactory) -> Callable[..., Tensor]:
    """The kernel, built by g++; what lies around its tensors is NaN, and stays so."""
    if shutil.which("g++") is None:
        pytest.skip("there is no g++")
    folder: Path = tmp_path_factory.mktemp("built")
    source = pairwise_ieee.SOURCE
    kernel = source[source.index("constexpr") : source.index("void launch(")]
    (folder / "host.cpp").write_text(HOST.replace("%s", kernel))
    options = ["-std=c++20", "-O2", "-w", "-fno-strict-aliasing", "-pthread", "-shared", "-fPIC"]
    subprocess.run(["g++", *options, "host.cpp", "-o", "host.so"], cwd=folder, check=True)
    library = ctypes.CDLL(str(folder / "host.so"))

    def run(features: Tensor, diagonal: bool, aligned: bool) -> Tensor:
        batch, count, columns = features.shape
        pairs = count * (count - 1 + 2 * diagonal) // 2
        sizes = features.numel(), batch * (columns + pairs)
        around = [torch.full((4096 + size,), torch.nan) for size in sizes]
        own = [one[2048:-2048] for one in around]
        own[0].copy_(features.flatten())
        pointers = (ctypes.c_void_p(one.data_ptr()) for one in own)
        assert library.run(*pointers, batch, count, columns, pairs, int(diagonal), aligned)
        assert all(one[:2048].isnan().all() and one[-2048:].isnan().all() for one in around)
        return own[1].view(batch, columns + pairs)

    return run


@pytest.mark.skipif(ON_A_CARD, reason="the card runs it itself")
@pytest.mark.parametrize("diagonal", [False, True])
@pytest.mark.parametrize(("batch", "count", "columns"), SHAPES)
def test_built_for_the_cpu(
    batch: int, count: int, columns: int, diagonal: bool, on_the_host: Callable[..., Tensor]
) -> None:
    features = drawn(batch, count, columns)
    right = eager(features.double(), diagonal)
    for aligned in (False, True)[: 1 + (columns % 4 == 0)]:
        assert near(on_the_host(features, diagonal, aligned), right)
