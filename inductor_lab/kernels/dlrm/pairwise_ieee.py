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
constexpr int STEPS = 3, WIDTH = SLICES * STEPS;  // of a chunk, in groups of four columns; a slice has every third group
constexpr int STRIDE = 4 * 11;  // of a row of a chunk: what eight threads read at once then lies in other banks, whose number is 3 modulo 8

int warps_of(int count) {
    const int edges = (count + EDGE - 1) / EDGE;
    return (edges * (edges + 1) / 2 + TILES - 1) / TILES;
}

int floats_of(int count, int pairs) {  // in shared memory: two chunks of whole tiles, then each slice's sums
    return std::max(2 * STRIDE * ((count + EDGE - 1) / EDGE * EDGE), SLICES * pairs);
}

// features [B, count, columns]; out [B, columns + pairs]
template <int THREADS>  // at most; with up to 128 there are registers enough to read operands ahead
__global__ void __launch_bounds__(THREADS, THREADS > 128 ? 1 : 4) pair_products(
    const float* __restrict__ features, float* __restrict__ out, int64_t sample_stride, int64_t feature_stride,
    int count, int columns, int pairs, int diagonal, bool aligned
) {
    extern __shared__ __align__(16) float chunks[];
    const float* own = features + blockIdx.x * sample_stride;
    float* result = out + int64_t(blockIdx.x) * (columns + pairs);
    const int at_once = blockDim.x / WIDTH, own_row = threadIdx.x / WIDTH, own_column = threadIdx.x % WIDTH * 4;

    const int lane = threadIdx.x % 32, slice = lane / TILES;
    int high = 0, low = threadIdx.x / 32 * TILES + lane % TILES;  // (0, 0), (1, 0), (1, 1) ...
    while (low > high) low -= ++high;
    high *= EDGE, low *= EDGE;
    const bool busy = slice < SLICES && high < count;
    const int size = STRIDE * ((count + EDGE - 1) / EDGE * EDGE);
    float total[EDGE][EDGE] = {};

    for (int first = -4 * WIDTH, now = 1; first < columns; first += 4 * WIDTH, now ^= 1) {
        const int column = first + 4 * WIDTH + own_column;  // of the next chunk, which is on its way while this one is multiplied
        if (column - own_column < columns && own_row < at_once) {
            float* to = chunks + (now ^ 1) * size + own_row * STRIDE + own_column;
            const float* from = own + own_row * feature_stride + column;
            if (aligned && column < columns) {
#pragma unroll 3
                for (int row = own_row; row < count; row += at_once, from += at_once * feature_stride, to += at_once * STRIDE)
                    __pipeline_memcpy_async(to, from, 16);
            } else {
                for (int row = own_row; row < count; row += at_once, from += at_once * feature_stride, to += at_once * STRIDE)
                    for (int k = 0; k < 4; ++k) to[k] = column + k < columns ? from[k] : 0.0f;
            }
        }
        __pipeline_commit();
        if (first < 0) {
            for (int i = threadIdx.x; i < columns; i += blockDim.x) result[i] = own[i];
            continue;
        }
        __pipeline_wait_prior(1);
        __syncthreads();
        const float* chunk = chunks + now * size;
        if (busy) {
            const float* a = chunk + high * STRIDE + slice * 4;
            const float* b = chunk + low * STRIDE + slice * 4;
#pragma unroll 1
            for (int left = min(4 * WIDTH, columns - first); left > 0; left -= 4 * SLICES, a += 4 * SLICES, b += 4 * SLICES) {
                float4 other[EDGE], next = *reinterpret_cast<const float4*>(a);
#pragma unroll
                for (int n = 0; n < EDGE; ++n) other[n] = *reinterpret_cast<const float4*>(b + n * STRIDE);
#pragma unroll
                for (int m = 0; m < EDGE; ++m) {
                    const float4 one = next;
                    if (m + 1 < EDGE) next = *reinterpret_cast<const float4*>(a + (m + 1) * STRIDE);
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
        __syncthreads();  // the chunk is read to its end
    }
#pragma unroll
    for (int m = 0; m < EDGE; ++m) {
        const int row = high + m;
        float* sums = chunks + slice * pairs + row * (row - 1 + 2 * diagonal) / 2 + low;
#pragma unroll
        for (int n = 0; n < EDGE; ++n)
            if (busy && row < count && low + n < row + diagonal) sums[n] = total[m][n];
    }
    __syncthreads();
    for (int i = threadIdx.x; i < pairs; i += blockDim.x)
        result[columns + i] = chunks[i] + chunks[pairs + i] + chunks[2 * pairs + i];
}

void launch(torch::Tensor features, torch::Tensor out, int64_t diagonal) {
    const int count = features.size(1), columns = features.size(2), pairs = out.size(1) - columns;
    const int bytes = 4 * floats_of(count, pairs);
    const auto* from = features.data_ptr<float>();
    const bool aligned = columns % 4 == 0 && features.stride(0) % 4 == 0 && features.stride(1) % 4 == 0 && uint64_t(from) % 16 == 0;
    const int threads = 32 * warps_of(count);
    const auto kernel = threads > 128 ? pair_products<608> : pair_products<128>;
    C10_CUDA_CHECK(cudaFuncSetAttribute(kernel, cudaFuncAttributeMaxDynamicSharedMemorySize, bytes));
    C10_CUDA_CHECK(cudaFuncSetAttribute(kernel, cudaFuncAttributePreferredSharedMemoryCarveout, 100));
    kernel<<<features.size(0), threads, bytes, c10::cuda::getCurrentCUDAStream()>>>(
        from, out.data_ptr<float>(), features.stride(0), features.stride(1), count, columns, pairs, diagonal, aligned);
    C10_CUDA_KERNEL_LAUNCH_CHECK();
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
