"""The dot products of features in float32 as IEEE has it, in CUDA C++: what `pairwise.py` does, by FMA units and without the upper triangle.

Triton's `dot` makes a square of 32 x 32 products from shared memory, where 27 features need 351. Here a block of threads has one sample in shared
memory, and a thread 7 x 7 products of the lower triangle, of a third of the columns: 14 numbers are read for 49 multiplications.

    y = pairwise(features)                                              # f32[B, F, D] -> f32[B, D + F * (F - 1) / 2], on a card

It is compiled by nvcc at its first call, half a minute, and kept where PyTorch keeps extensions.
"""

from __future__ import annotations

from functools import cache
from typing import Any

import torch
from torch import Tensor
from torch.autograd.function import once_differentiable

from inductor_lab.kernels.dlrm.pairwise import check, gradient

SOURCE = r"""
#include <torch/extension.h>
#include <c10/cuda/CUDAStream.h>
#include <cuda_pipeline.h>

constexpr int EDGE = 7, SLICES = 3, TILES = 10;  // a warp has up to 10 tiles of 7 * 7 products, each in three slices of columns

int warps_of(int count) {
    const int edges = (count + EDGE - 1) / EDGE;
    return (edges * (edges + 1) / 2 + TILES - 1) / TILES;
}

template <int STEPS>
int floats_of(int count, int pairs) {  // in shared memory: a chunk of whole tiles, then each slice's sums
    return std::max((count + EDGE - 1) / EDGE * EDGE * 4 * (SLICES * STEPS | 1), SLICES * pairs);
}

// features [B, count, columns]; out [B, columns + pairs]
template <int STEPS>
__global__ void __launch_bounds__(608) pair_products(
    const float* __restrict__ features, float* __restrict__ out, int64_t sample_stride, int64_t feature_stride,
    int count, int columns, int pairs, int diagonal, bool aligned
) {
    constexpr int WIDTH = SLICES * STEPS;  // of a chunk, in groups of four columns
    constexpr int STRIDE = 4 * (WIDTH | 1);  // odd, in groups: rows of a tile and slices of a row then lie in other banks
    constexpr int ACROSS = STEPS < 4 ? 8 : STEPS < 8 ? 16 : 32;  // threads that copy a row
    extern __shared__ __align__(16) float rows[];
    const float* own = features + blockIdx.x * sample_stride;
    float* result = out + int64_t(blockIdx.x) * (columns + pairs);

    const int lane = threadIdx.x % 32, slice = lane / TILES;
    int high = 0, low = threadIdx.x / 32 * TILES + lane % TILES;  // (0, 0), (1, 0), (1, 1) ...
    while (low > high) low -= ++high;
    high *= EDGE, low *= EDGE;
    const bool busy = slice < SLICES && high < count;
    float total[EDGE][EDGE] = {};

    for (int first = 0; first < columns; first += 4 * WIDTH) {
        __syncthreads();  // the chunk before is read to its end
        if (aligned) {
            const int there = min(4 * WIDTH, columns - first), at_once = blockDim.x / ACROSS;
#pragma unroll 1
            for (int i = threadIdx.x % ACROSS * 4; i < there; i += 4 * ACROSS) {
                const float* from = own + threadIdx.x / ACROSS * feature_stride + first + i;
                float* to = rows + threadIdx.x / ACROSS * STRIDE + i;
#pragma unroll 4
                for (int row = threadIdx.x / ACROSS; row < count; row += at_once, from += at_once * feature_stride, to += at_once * STRIDE)
                    __pipeline_memcpy_async(to, from, 16);
            }
            for (int row = threadIdx.x; row < count; row += blockDim.x)
#pragma unroll 1
                for (int i = there; i < 4 * WIDTH; ++i) rows[row * STRIDE + i] = 0.0f;
        } else {
            for (int i = threadIdx.x; i < count * WIDTH * 4; i += blockDim.x) {
                const int row = i / (WIDTH * 4), column = i % (WIDTH * 4);
                rows[row * STRIDE + column] = first + column < columns ? own[row * feature_stride + first + column] : 0.0f;
            }
        }
        __pipeline_commit();
        __pipeline_wait_prior(0);
        __syncthreads();
        for (int i = threadIdx.x; i < min(4 * WIDTH, columns - first); i += blockDim.x) result[first + i] = rows[i];
        if (!busy) continue;
        const float* a = rows + high * STRIDE + slice * STEPS * 4;
        const float* b = rows + low * STRIDE + slice * STEPS * 4;
#pragma unroll 1
        for (int step = 0; step < STEPS; ++step, a += 4, b += 4) {
            float4 other[EDGE];
#pragma unroll
            for (int n = 0; n < EDGE; ++n) other[n] = *reinterpret_cast<const float4*>(b + n * STRIDE);
#pragma unroll
            for (int m = 0; m < EDGE; ++m) {
                const float4 one = *reinterpret_cast<const float4*>(a + m * STRIDE);
#pragma unroll
                for (int n = 0; n < EDGE; ++n) {
                    total[m][n] = fmaf(one.x, other[n].x, total[m][n]);
                    total[m][n] = fmaf(one.y, other[n].y, total[m][n]);
                    total[m][n] = fmaf(one.z, other[n].z, total[m][n]);
                    total[m][n] = fmaf(one.w, other[n].w, total[m][n]);
                }
            }
        }
    }
    __syncthreads();
#pragma unroll
    for (int m = 0; m < EDGE; ++m) {
        const int row = high + m;
        float* sums = rows + slice * pairs + row * (row - 1 + 2 * diagonal) / 2 + low;
#pragma unroll
        for (int n = 0; n < EDGE; ++n)
            if (busy && row < count && low + n < row + diagonal) sums[n] = total[m][n];
    }
    __syncthreads();
    for (int i = threadIdx.x; i < pairs; i += blockDim.x)
        result[columns + i] = rows[i] + rows[pairs + i] + rows[2 * pairs + i];
}

template <int STEPS>
void launched(torch::Tensor features, torch::Tensor out, int diagonal) {
    const int count = features.size(1), columns = features.size(2), pairs = out.size(1) - columns;
    const int bytes = 4 * floats_of<STEPS>(count, pairs);
    const auto* from = features.data_ptr<float>();
    const bool aligned = columns % 4 == 0 && features.stride(0) % 4 == 0 && features.stride(1) % 4 == 0 && uint64_t(from) % 16 == 0;
    C10_CUDA_CHECK(cudaFuncSetAttribute(pair_products<STEPS>, cudaFuncAttributeMaxDynamicSharedMemorySize, bytes));
    C10_CUDA_CHECK(cudaFuncSetAttribute(pair_products<STEPS>, cudaFuncAttributePreferredSharedMemoryCarveout, 100));
    pair_products<STEPS><<<features.size(0), 32 * warps_of(count), bytes, c10::cuda::getCurrentCUDAStream()>>>(
        from, out.data_ptr<float>(), features.stride(0), features.stride(1), count, columns, pairs, diagonal, aligned);
    C10_CUDA_KERNEL_LAUNCH_CHECK();
}

void launch(torch::Tensor features, torch::Tensor out, int64_t diagonal) {
    const auto columns = features.size(2);  // up to 24, 36, 72, or more than one chunk of 132
    (columns > 72 ? launched<11> : columns > 36 ? launched<6> : columns > 24 ? launched<3> : launched<2>)(features, out, diagonal);
}
"""


@cache
def _module() -> Any:
    from torch.utils.cpp_extension import load_inline

    declared = "void launch(torch::Tensor, torch::Tensor, int64_t);"
    return load_inline("pairwise_ieee", declared, SOURCE, functions=["launch"], extra_cuda_cflags=["-O3"])


def pairwise(features: Tensor, *, diagonal: bool = False) -> Tensor:
    """As `pairwise.pairwise`, f32 on a card: features [B, F, D] -> [B, D + F * (F - 1) / 2]; its gradient is the one of `pairwise.py`.

    Raises:
        ValueError: no float32 on a CUDA device, no features [B, F, D], or more than `pairwise.MOST`.
    """
    if features.device.type != "cuda" or features.dtype != torch.float32:
        raise ValueError(f"float32 on a CUDA device is asked for, this is {features.dtype} on {features.device}")
    check(features)
    result: Tensor = _Pairwise.apply(features, diagonal)  # type: ignore[no-untyped-call]
    return result


class _Pairwise(torch.autograd.Function):
    @staticmethod
    def forward(ctx: Any, features: Tensor, diagonal: bool) -> Tensor:
        features = features if features.stride(2) == 1 else features.contiguous()
        batch, count, columns = features.shape
        ctx.save_for_backward(features)
        ctx.diagonal = diagonal
        out = features.new_empty(batch, columns + count * (count - 1 + 2 * diagonal) // 2)
        if out.numel():
            with torch.cuda.device_of(features):
                _module().launch(features, out, int(diagonal))
        return out

    @staticmethod
    @once_differentiable  # type: ignore[untyped-decorator]
    def backward(ctx: Any, grad: Tensor) -> tuple[Tensor | None, ...]:
        (features,) = ctx.saved_tensors
        return gradient(features, grad, diagonal=ctx.diagonal), None
