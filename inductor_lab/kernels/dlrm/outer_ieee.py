"""The outer product and its linear layer in float32 as IEEE has it, in CUDA C++: what `outer.py` does, by FMA units instead of tensor cores.

24.5 GFLOP at DLRM's sizes, half of it with weights folded: bound by arithmetic, so that folding pays in every call, unless it is given what `fold` made.
A block of 256 threads owns 128 samples and 128 outputs, a thread 8 * 8 of them; of each tile (one i, 16 columns j) it multiplies 8 products and
puts them into shared memory, while the next tile's weights are on their way.

    y = outer_linear(x, fold(weight, BLOCK_J), bias, relu=True)         # x f32[B, F] -> f32[B, H], on a card
    y = outer_linear(x, weight, bias, relu=True)                        # the same with the weight [H, F * F] as it is

An infinite x is NaN where F is no multiple of 16: zeros fill the last tile up, and times infinity they are none.
It is compiled by nvcc at its first call, half a minute, and kept where PyTorch keeps extensions.
"""

from __future__ import annotations

import torch
from torch import Tensor

from inductor_lab.kernels.dlrm.outer import Folded, check, fold, sum_parts

BLOCK = 128
"""Samples, and outputs, of one block of threads."""
BLOCK_J = 16
PROGRAMS = 264
"""Two for each SM of an H100 or H200."""

SOURCE = r"""
#include <torch/extension.h>
#include <c10/cuda/CUDAStream.h>

constexpr int BLOCK = 128, BLOCK_J = 16, THREADS = 256;

// x [B, F]; tiles [.., H, 16]; partial [parts, B, H]
__global__ void __launch_bounds__(THREADS, 2) partial_products(
    const float* __restrict__ x, const float* __restrict__ tiles, float* __restrict__ partial,
    int batch, int features, int hidden
) {
    __shared__ __align__(16) float products[2][BLOCK_J][BLOCK];  // [j, sample]
    __shared__ __align__(16) float weights[2][BLOCK_J][BLOCK];   // [j, output]
    const int h_blocks = (hidden + BLOCK - 1) / BLOCK;
    const int first_b = blockIdx.x / h_blocks * BLOCK, first_h = blockIdx.x % h_blocks * BLOCK;
    const int part = blockIdx.y, parts = gridDim.y;
    const int blocks = (features + BLOCK_J - 1) / BLOCK_J;
    const int count = BLOCK_J * (blocks - 1) * blocks / 2 + features;  // of tiles, block of j after block of j
    const int begin = int64_t(count) * part / parts, end = int64_t(count) * (part + 1) / parts;

    // To fill a tile: one sample and one output, 8 of the 16 columns.
    const int own = threadIdx.x % BLOCK, own_j = threadIdx.x / BLOCK * 8;
    const bool in_batch = first_b + own < batch, in_hidden = first_h + own < hidden;
    const float* own_x = x + int64_t(first_b + own) * features;

    // To multiply: 64 samples * 32 outputs a warp, 8 * 8 a thread, in groups of four.
    const int warp = threadIdx.x / 32, lane = threadIdx.x % 32;
    const int b = warp / 4 * 64 + lane / 4 * 4, h = warp % 4 * 32 + lane % 4 * 4;
    float total[8][8] = {};

    for (int block = 0; block < blocks; ++block) {
        const int before = BLOCK_J * block * (block + 1) / 2;
        const int first = max(begin - before, 0), last = min(end - before, min(features, (block + 1) * BLOCK_J));
        if (first >= last) continue;
        const int j = block * BLOCK_J + own_j;
        const float4* from = reinterpret_cast<const float4*>(tiles + (int64_t(before + first) * hidden + first_h + own) * BLOCK_J + own_j);
        float x_j[8];
        float4 next[2] = {};
#pragma unroll
        for (int k = 0; k < 8; ++k) x_j[k] = in_batch && j + k < features ? own_x[j + k] : 0.0f;
        float x_i = in_batch ? own_x[first] : 0.0f;
        if (in_hidden) next[0] = from[0], next[1] = from[1];
        __syncthreads();  // the block before is read to its end
#pragma unroll
        for (int k = 0; k < 8; ++k) {
            products[0][own_j + k][own] = x_i * x_j[k];
            weights[0][own_j + k][own] = reinterpret_cast<const float*>(next)[k];
        }
        __syncthreads();
        int now = 0;
        for (int i = first; i < last; ++i) {
            const bool more = i + 1 < last;
            if (more) {
                from += hidden * BLOCK_J / 4;
                x_i = in_batch ? own_x[i + 1] : 0.0f;
                if (in_hidden) next[0] = from[0], next[1] = from[1];
            }
#pragma unroll
            for (int k = 0; k < BLOCK_J; ++k) {
                float p[8], w[8];
                *reinterpret_cast<float4*>(p) = *reinterpret_cast<const float4*>(&products[now][k][b]);
                *reinterpret_cast<float4*>(p + 4) = *reinterpret_cast<const float4*>(&products[now][k][b + 32]);
                *reinterpret_cast<float4*>(w) = *reinterpret_cast<const float4*>(&weights[now][k][h]);
                *reinterpret_cast<float4*>(w + 4) = *reinterpret_cast<const float4*>(&weights[now][k][h + 16]);
#pragma unroll
                for (int m = 0; m < 8; ++m)
#pragma unroll
                    for (int n = 0; n < 8; ++n) total[m][n] = fmaf(p[m], w[n], total[m][n]);
            }
            if (more) {
                now ^= 1;
#pragma unroll
                for (int k = 0; k < 8; ++k) {
                    products[now][own_j + k][own] = x_i * x_j[k];
                    weights[now][own_j + k][own] = reinterpret_cast<const float*>(next)[k];
                }
                __syncthreads();
            }
        }
    }
#pragma unroll
    for (int m = 0; m < 8; ++m) {
        const int sample = first_b + b + m / 4 * 32 + m % 4;
#pragma unroll
        for (int n = 0; n < 8; ++n) {
            const int output = first_h + h + n / 4 * 16 + n % 4;
            if (sample < batch && output < hidden)
                partial[(int64_t(part) * batch + sample) * hidden + output] = total[m][n];
        }
    }
}

void launch(torch::Tensor x, torch::Tensor tiles, torch::Tensor partial) {
    const int batch = x.size(0), features = x.size(1), parts = partial.size(0), hidden = partial.size(2);
    const dim3 grid((batch + BLOCK - 1) / BLOCK * ((hidden + BLOCK - 1) / BLOCK), parts);
    partial_products<<<grid, THREADS, 0, c10::cuda::getCurrentCUDAStream()>>>(
        x.data_ptr<float>(), tiles.data_ptr<float>(), partial.data_ptr<float>(), batch, features, hidden);
    C10_CUDA_KERNEL_LAUNCH_CHECK();
}
"""


def outer_linear(
    x: Tensor, weight: Tensor | Folded, bias: Tensor | None = None, *, relu: bool = False, out: Tensor | None = None
) -> Tensor:
    """As `outer.outer_linear`, f32 throughout: x [B, F], weight [H, F * F] or `fold(weight, BLOCK_J)`, bias [H] -> [B, H].

    Raises:
        ValueError: shapes, dtypes or devices do not belong together, or a gradient is asked for.
    """
    if x.device.type != "cuda" or x.dtype != torch.float32:
        raise ValueError(f"float32 on a CUDA device is asked for, this is {x.dtype} on {x.device}")
    hidden = check(x, weight, bias, out)
    folded = weight if isinstance(weight, Folded) else fold(weight, BLOCK_J)
    if folded.block_j != BLOCK_J:
        raise ValueError(f"a weight folded in blocks of {BLOCK_J} is asked for, this has {folded.block_j}")
    out = x.new_empty((len(x), hidden)) if out is None else out
    if len(x):
        multiply_ieee(x.contiguous(), folded.tiles, bias, out, relu=relu)
    return out


BUILT = []
"""The module that nvcc made of SOURCE, once it has."""


def multiply_ieee(
    x: torch.Tensor, tiles: torch.Tensor, bias: torch.Tensor | None, out: torch.Tensor, *, relu: bool
) -> None:
    """Write out [B, H] of arguments that belong together; `tiles` are those of `fold(weight, BLOCK_J)`."""
    from torch.utils.cpp_extension import load_inline

    if not BUILT:
        declared = "void launch(torch::Tensor, torch::Tensor, torch::Tensor);"
        BUILT.append(load_inline("outer_ieee", declared, SOURCE, functions=["launch"], extra_cuda_cflags=["-O3"]))
    batch, hidden = out.shape
    outputs = -(-batch // BLOCK) * -(-hidden // BLOCK)
    partial = x.new_empty((max(1, PROGRAMS // max(1, outputs)), batch, hidden))
    with torch.cuda.device_of(x):
        BUILT[0].launch(x, tiles, partial)
    sum_parts(partial, bias, out, relu)
