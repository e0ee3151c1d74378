"""DLRM's interaction as its paper has it, in one kernel: the dot product of each two features, behind the dense one; its gradient in another.

Inductor writes all F x F products to memory, gathers the lower triangle and concatenates. Here a program has a sample's features on the chip,
multiplies them with themselves, and stores what is under the diagonal where it belongs. In float32 as IEEE has it `pairwise_ieee.py` is faster.

Naumov et al. 2019, arXiv:1906.00091; the same layout as NVIDIA's dot_based_interact, without its column of padding.
"""

from __future__ import annotations

from typing import Any

import torch
import triton
import triton.language as tl
from torch import Tensor
from torch.autograd.function import once_differentiable

Configuration = dict[str, int]
"""SAMPLES that a program takes one after the other, its warps, and the stages in which it loads ahead."""
CANDIDATES: list[Configuration] = [
    {"SAMPLES": samples, "num_warps": warps, "num_stages": stages}
    for samples, stages in ((1, 1), (2, 2), (4, 2), (8, 3))
    for warps in (1, 2, 4)
]
"""What is worth timing."""
SHORT, LONG, ALONE = CANDIDATES[0], CANDIDATES[3], CANDIDATES[2]
"""For features that are one chunk; for longer ones, whose next chunk is loaded while one is multiplied; and for few samples. Tuned on an H200."""
FILLED = 4 * 132
"""Samples that keep an H200's 132 multiprocessors busy."""
CHUNK = 32
"""Columns that are multiplied at once: of more, a warp's 32 x 32 products in float32 do not fit its registers."""
PRECISIONS = ("ieee", "tf32", "tf32x3")
MOST = 128
"""Features, in half precision twice as many: their gradient takes up to 176 of an H200's 227 KB of shared memory; of more, in float32, 272 and above."""
LEAST = 16
"""Rows and columns of a tile that a tensor core multiplies, at least."""


def chosen(batch: int, count: int, columns: int) -> Configuration:
    """The configuration for so many samples, features and columns; a larger square of products takes more warps, as few samples do."""
    own = SHORT if columns <= CHUNK else LONG
    if batch < FILLED:
        own = ALONE
    return {**own, "num_warps": max(own["num_warps"], (1 << (count - 1).bit_length()) // 32)}


def pairwise(
    features: Tensor,
    *,
    diagonal: bool = False,
    input_precision: str = "ieee",
    configuration: Configuration | None = None,
) -> Tensor:
    """features [B, F, D], the dense one first -> [B, D + F * (F - 1) / 2]: features[:, 0], and behind it the dot products under the diagonal.

    They come row by row, (1, 0), (2, 0), (2, 1) ..., as of `torch.tril_indices(F, F, -1)`; with `diagonal` each feature's with itself too, which
    makes it F * (F + 1) / 2. Sums are float32, of float64 float64. Differentiable once. Copied where a feature's columns do not
    lie beside each other, or a sample's features 2**31 numbers apart.

    Args:
        input_precision: Of a float32 product, also in the gradient: `ieee`, `tf32` (ten bits of each factor), or `tf32x3` (three such
            products, nearly float32's).
        configuration: One of `CANDIDATES`; else what `chosen` says.

    Raises:
        ValueError: no features [B, F, D] of floating-point numbers, more than `MOST`, or no such precision.
    """
    check(features)
    if input_precision not in PRECISIONS:
        raise ValueError(f"there is no precision {input_precision!r}: it is {', '.join(PRECISIONS)}")
    result: Tensor = _Pairwise.apply(features, diagonal, input_precision, configuration)  # type: ignore[no-untyped-call]
    return result


def check(features: Tensor) -> None:
    """Raises: ValueError: no features [B, F, D] of floating-point numbers, or more than `MOST`."""
    if features.ndim != 3 or not features.shape[1] or not features.is_floating_point():
        raise ValueError(
            f"features are [B, F, D], at least one, in floating point, not {list(features.shape)} of {features.dtype}"
        )
    most = MOST if features.element_size() > 2 else 2 * MOST
    if (count := features.shape[1]) > most:
        raise ValueError(
            f"{count} features are too many: shared memory holds the products of {most} of {features.dtype}"
        )


class _Pairwise(torch.autograd.Function):
    @staticmethod
    def forward(
        ctx: Any, features: Tensor, diagonal: bool, input_precision: str, configuration: Configuration | None
    ) -> Tensor:
        features = near(features)
        batch, count, columns = features.shape
        ctx.save_for_backward(features)
        ctx.how = diagonal, input_precision, configuration
        out = features.new_empty(batch, columns + count * (count - 1 + 2 * diagonal) // 2)
        _launch(products, features, out, out, *ctx.how)
        return out

    @staticmethod
    @once_differentiable  # type: ignore[untyped-decorator]
    def backward(ctx: Any, grad: Tensor) -> tuple[Tensor | None, ...]:
        (features,) = ctx.saved_tensors
        diagonal, input_precision, configuration = ctx.how
        how = {"input_precision": input_precision, "configuration": configuration}
        return gradient(features, grad, diagonal=diagonal, **how), None, None, None


def gradient(
    features: Tensor,
    grad: Tensor,
    *,
    diagonal: bool = False,
    input_precision: str = "ieee",
    configuration: Configuration | None = None,
) -> Tensor:
    """The gradient [B, F, D] of `features` from that of `pairwise`'s result."""
    features = near(features)
    written = torch.empty_like(features, memory_format=torch.contiguous_format)
    _launch(products_backward, features, grad.contiguous(), written, diagonal, input_precision, configuration)
    return written


def near(features: Tensor) -> Tensor:
    """The same numbers, each feature's beside each other, a sample's within the 32 bits of the kernels' offsets."""
    is_near = features.shape[1] * features.stride(1) < 2**31
    return features if is_near and features.stride(2) == 1 else features.contiguous()


def _launch(
    kernel: Any,
    features: Tensor,
    pairs: Tensor,
    written: Tensor,
    diagonal: bool,
    input_precision: str,
    configuration: Configuration | None,
) -> None:
    """`pairs` is what goes out forward and comes in backward, [B, D + pairs]; `written` is the result of either."""
    batch, count, columns = features.shape
    if not written.numel():
        return
    configuration = configuration or chosen(len(features), count, columns)
    with torch.cuda.device_of(features):
        kernel[(-(-batch // configuration["SAMPLES"]),)](
            features,
            pairs,
            written,
            batch,
            features.stride(0),
            features.stride(1),
            pairs.stride(0),
            COUNT=count,
            COLUMNS=columns,
            ROWS=max(LEAST, 1 << (count - 1).bit_length()),
            CHUNK=min(CHUNK, max(LEAST, 1 << (columns - 1).bit_length())),
            DIAGONAL=int(diagonal),
            PRECISION=input_precision,
            SUM=tl.float64 if features.dtype == torch.float64 else tl.float32,
            **configuration,
        )


@triton.jit
def products(
    features_ptr,  # [batch, COUNT, COLUMNS]
    pairs_ptr,  # [batch, COLUMNS + pairs], written
    written_ptr,  # the same once more
    batch,
    sample_stride,
    feature_stride,
    pairs_stride,
    COUNT: tl.constexpr,
    COLUMNS: tl.constexpr,
    ROWS: tl.constexpr,
    CHUNK: tl.constexpr,
    DIAGONAL: tl.constexpr,
    PRECISION: tl.constexpr,
    SUM: tl.constexpr,
    SAMPLES: tl.constexpr,
):
    row = tl.arange(0, ROWS)
    place, under = triangle(row[:, None], row[None, :], COUNT, DIAGONAL)
    first = tl.program_id(0).to(tl.int64) * SAMPLES
    for sample in range(first, tl.minimum(first + SAMPLES, batch)):
        pairs = pairs_ptr + sample * pairs_stride
        product = tl.zeros([ROWS, ROWS], SUM)
        for start in range(0, COLUMNS, CHUNK):
            column = start + tl.arange(0, CHUNK)
            inside = (row < COUNT)[:, None] & (column < COLUMNS)[None, :]
            own = features_ptr + sample * sample_stride
            features = tl.load(own + row[:, None] * feature_stride + column[None, :], inside, other=0)
            product = tl.dot(features, tl.trans(features), product, out_dtype=SUM, input_precision=PRECISION)
            tl.store(pairs + column, tl.load(own + column, column < COLUMNS), column < COLUMNS)
        tl.store(pairs + COLUMNS + place, product.to(pairs_ptr.dtype.element_ty), under)


@triton.jit
def products_backward(
    features_ptr,  # [batch, COUNT, COLUMNS]
    pairs_ptr,  # [batch, COLUMNS + pairs], the gradient
    written_ptr,  # [batch, COUNT, COLUMNS], contiguous, written
    batch,
    sample_stride,
    feature_stride,
    pairs_stride,
    COUNT: tl.constexpr,
    COLUMNS: tl.constexpr,
    ROWS: tl.constexpr,
    CHUNK: tl.constexpr,
    DIAGONAL: tl.constexpr,
    PRECISION: tl.constexpr,
    SUM: tl.constexpr,
    SAMPLES: tl.constexpr,
):
    row = tl.arange(0, ROWS)
    # Of i * j both depend: the gradient's triangle is read on both sides of the diagonal, and a square's counts twice.
    high, low = tl.maximum(row[:, None], row[None, :]), tl.minimum(row[:, None], row[None, :])
    place, either = triangle(high, low, COUNT, DIAGONAL)
    first = tl.program_id(0).to(tl.int64) * SAMPLES
    for sample in range(first, tl.minimum(first + SAMPLES, batch)):
        pairs = pairs_ptr + sample * pairs_stride
        gradient = tl.load(pairs + COLUMNS + place, either, other=0)
        gradient = tl.where(high == low, gradient + gradient, gradient)
        for start in range(0, COLUMNS, CHUNK):
            column = start + tl.arange(0, CHUNK)
            inside = (row < COUNT)[:, None] & (column < COLUMNS)[None, :]
            own = features_ptr + sample * sample_stride
            features = tl.load(own + row[:, None] * feature_stride + column[None, :], inside, other=0)
            product = tl.dot(gradient, features, out_dtype=SUM, input_precision=PRECISION)
            dense = tl.load(pairs + column, column < COLUMNS, other=0)[None, :]
            product = tl.where(row[:, None] == 0, product + dense, product)
            written = written_ptr + sample * COUNT * COLUMNS
            tl.store(written + row[:, None] * COLUMNS + column[None, :], product.to(dense.dtype), inside)


@triton.jit
def triangle(high, low, COUNT: tl.constexpr, DIAGONAL: tl.constexpr):
    """Where the product of features `high` and `low` stands among the pairs, and whether it does."""
    return high * (high - 1 + 2 * DIAGONAL) // 2 + low, (low < high + DIAGONAL) & (high < COUNT)
