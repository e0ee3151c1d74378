"""A linear layer with a low-rank correction (LoRA), bias and activation in one kernel, and its gradients.

    y = activation(x W^T + scale (x A^T) B^T + bias)        x [..., K], W [N, K], A [r, K], B [N, r], bias [N] -> [..., N]

Eager and Inductor call the library three times and write two results of [rows, N] before a third pass adds them. Here s = scale x A^T is
computed first, [rows, r] and small, and s B^T is added to the sum of the main product: of [rows, N] nothing but y is written. The kernel of the
main product begins when that of s has begun, and waits for it behind its loop alone (programmatic dependent launch).

    y = lora_linear(x, weight, a, b, bias, scale=0.5, activation="relu")

Stands alone: torch and triton are all it needs. From Hopper on tiles are read and written by tensor descriptors (TMA) where strides allow it.
Algorithms: Hu et al. 2021, arXiv:2106.09685; the low-rank product in the main one's sum: LoRAFusion, arXiv:2510.00206.
"""

from __future__ import annotations

from functools import cache
from typing import Any, Literal, get_args

import torch
import triton
import triton.language as tl
from torch.autograd.function import once_differentiable
from triton.tools.tensor_descriptor import TensorDescriptor

Activation = Literal["identity", "relu", "sigmoid", "gelu", "silu"]
Precision = Literal["ieee", "tf32"]
Configuration = dict[str, int]
Tensor = torch.Tensor
DTYPES = (torch.float32, torch.bfloat16, torch.float16)
RANKS = 64
"""Columns of the low-rank factors that are multiplied at once."""
PROCESSORS = 132
"""Multiprocessors of an H100 or H200, to choose sizes by."""
CANDIDATES: list[Configuration] = [
    dict(zip(("BLOCK_M", "BLOCK_N", "BLOCK_K", "TURNED", "num_warps", "num_stages"), sizes, strict=True))
    for sizes in (
        (64, 16, 256, 1, 4, 4), (64, 64, 128, 0, 4, 5), (64, 128, 64, 0, 4, 5), (128, 128, 64, 0, 4, 3), (128, 128, 64, 0, 8, 4), (128, 128, 32, 0, 8, 3),
    )
]  # fmt: skip
"""What is worth timing. TURNED: the weight's rows are BLOCK_M's and those of x BLOCK_N's, as tensor cores multiply 64 rows at once.

BLOCK_K is of numbers of 2 bytes; of float32 there are half as many. Of (128, 128, 64, 0, 4, 3) a multiprocessor has two programs: one multiplies while the
other writes its tile, which is worth more than the larger tile of one program.
"""
FEW, *GROWING, UNALIGNED, IEEE = CANDIDATES


def chosen(rows: int, outputs: int, *, ieee: bool = False, aligned: bool = True) -> Configuration:
    """The configuration for a product of [rows, outputs]: the smallest tiles of which each multiprocessor has one at most, else the largest.

    Args:
        ieee: Of float32 without tensor cores.
        aligned: Tiles can be read by descriptors; else they come through registers, of which the largest take those of more warps.
    """
    if rows <= 16:
        return FEW
    if ieee:
        return GROWING[0] if rows <= 256 else IEEE
    sizes = GROWING if aligned else [*GROWING[:-1], UNALIGNED]
    tiles = [-(-rows // one["BLOCK_M"]) * -(-outputs // one["BLOCK_N"]) for one in sizes]
    return next((one for one, count in zip(sizes, tiles, strict=True) if count <= PROCESSORS), sizes[-1])


def lora_linear(
    x: Tensor, weight: Tensor, a: Tensor, b: Tensor, bias: Tensor | None = None, *, scale: float = 1.0,
    activation: Activation = "identity", precision: Precision = "ieee", configuration: Configuration | None = None,
) -> Tensor:  # fmt: skip
    """activation(x weight^T + scale (x a^T) b^T + bias): x [..., K], weight [N, K], a [r, K], b [N, r], bias [N] -> [..., N].

    Of any strides. Sums are float32's and always in the same order. Differentiable once in all tensors; the gradient of `weight`, a plain
    product, is the library's and computed only where it is asked for.

    Args:
        activation: gelu is the exact one, by erf.
        precision: Of float32's products; bfloat16 and float16 are multiplied as they are.
        configuration: One of `CANDIDATES`, else what `chosen` says; of the gradient of `x` too.

    Raises:
        ValueError: shapes, dtypes or devices do not belong together, a size but the rows' is 0, or there is no such activation or precision.
    """
    for value, known, what in ((activation, Activation, "activation"), (precision, Precision, "precision")):
        if value not in get_args(known):
            raise ValueError(f"there is no {what} {value!r}: it is {', '.join(get_args(known))}")
    if x.dtype not in DTYPES or weight.ndim != 2 or a.ndim != 2 or not weight.numel() or not len(a):
        told = f"x {list(x.shape)} of {x.dtype}, weight {list(weight.shape)} and a {list(a.shape)}"
        raise ValueError(f"{told} are not [..., K] of float32, bfloat16 or float16, [N, K] and [r, K], N, K, r > 0")
    (outputs, depth), rank = weight.shape, len(a)
    wanted = {"x": (x, (*x.shape[:-1], depth)), "weight": (weight, weight.shape), "a": (a, (rank, depth)), "b": (b, (outputs, rank))}  # fmt: skip
    for name, (given, shape) in (wanted | ({} if bias is None else {"bias": (bias, (outputs,))})).items():
        if (given.shape, given.dtype, given.device) != (shape, x.dtype, x.device):
            told = f"{name} is {list(given.shape)} of {given.dtype} on {given.device}"
            raise ValueError(f"{told}, and not {list(shape)} of {x.dtype} on {x.device}, as weight, a and x ask for")
    rows = x.reshape(-1, depth)
    out: Tensor = _LoRALinear.apply(rows, weight, a, b, bias, scale, activation, precision, configuration)  # type: ignore[no-untyped-call]
    return out.view(*x.shape[:-1], outputs)


class _LoRALinear(torch.autograd.Function):
    @staticmethod
    def forward(ctx: Any, x: Tensor, weight: Tensor, a: Tensor, b: Tensor, bias: Tensor | None, *how: Any) -> Tensor:
        scale, activation, precision, configuration = ctx.how = how
        out = x.new_empty(len(x), len(weight))
        before = torch.empty_like(out) if activation in ("gelu", "silu") and any(ctx.needs_input_grad) else None
        s = first_product(x, a.t(), scale, precision)
        multiply(x, weight, s, b, out, precision, configuration, bias, before, activation, early=True)
        ctx.save_for_backward(x, weight, a, b, s, out if activation in ("relu", "sigmoid") else before)
        return out

    @staticmethod
    @once_differentiable  # type: ignore[untyped-decorator]
    def backward(ctx: Any, grad: Tensor) -> tuple[Tensor | None, ...]:
        x, weight, a, b, s, kept = ctx.saved_tensors
        scale, activation, precision, configuration = ctx.how
        of_x, of_weight, of_a, of_b, of_bias = ctx.needs_input_grad[:5]
        x_grad = torch.empty_like(x, memory_format=torch.contiguous_format) if of_x else None
        if kept is not None:
            grad = through(grad, kept, activation)
        if of_x or of_a:
            inner = first_product(grad, b, scale, precision)
        if of_x:
            multiply(grad, weight.t(), inner, a.t(), x_grad, precision, configuration, early=True)
        weight_grad = grad.t() @ (x if max(x.stride()) < 2**31 - 1 else x.contiguous()) if of_weight else None
        a_grad = over_rows(x, inner, precision).t() if of_a else None
        b_grad = over_rows(grad, s, precision) if of_b else None
        return x_grad, weight_grad, a_grad, b_grad, grad.sum(0) if of_bias else None, *[None] * len(ctx.how)


# ---------------------------------------------------------------- launches


def multiply(
    x: Tensor, weight: Tensor, s: Tensor, b: Tensor, out: Tensor, precision: str = "ieee", configuration: Configuration | None = None,
    bias: Tensor | None = None, before: Tensor | None = None, activation: str = "identity", early: bool = False,
) -> None:  # fmt: skip
    """Write `out` [M, N]: activation(x weight^T + s b^T + bias), x [M, K], weight [N, K], s [M, r], b [N, r].

    Also `before` [M, N], what the activation is given. With `early` the launch before this one makes s, and all else was there when that began.
    """
    if not len(out):
        return
    ieee = x.dtype == torch.float32 and precision == "ieee"
    lie = described(x, 16, 16, True)[1] != "strides" != described(weight, 16, 16, True)[1]
    own = dict(configuration or chosen(*out.shape, ieee=ieee, aligned=lie))
    own["BLOCK_K"] = _block(x.shape[1], own["BLOCK_K"] * 2 // x.element_size())
    if own["TURNED"]:
        x, weight, s, b, out, before = weight, x, b, s, out.t(), None if before is None else before.t()
    (rows, outputs), rank = out.shape, b.shape[1]
    x_tiles, x_read = described(x, own["BLOCK_M"], own["BLOCK_K"], not ieee)
    weight_tiles, weight_read = described(weight, own["BLOCK_N"], own["BLOCK_K"], not ieee)
    # In halves, and not of float32: what waits to be written takes the shared memory that reading ahead needs.
    half = own["BLOCK_N"] // (1 if own["TURNED"] else 2)
    out_tiles, out_written = described(out, own["BLOCK_M"], half, out.element_size() == 2)
    block_r = 16 if ieee else _block(rank, RANKS)  # what FMA multiplies lies in registers
    if early := early and _hopper(x.device):
        own["launch_pdl"] = True
    with torch.cuda.device_of(x):
        product[-(-rows // own["BLOCK_M"]) * -(-outputs // own["BLOCK_N"]),](
            x_tiles, weight_tiles, s, b, None if bias is None else bias.contiguous(), out_tiles, before,
            rows, outputs, x.shape[1], rank, *x.stride(), *weight.stride(), *s.stride(), *b.stride(), *out.stride(),
            X_READ=x_read, WEIGHT_READ=weight_read, OUT_WRITTEN=out_written, ACTIVATION=activation, PRECISION=precision,
            EARLY=early, BLOCK_R=block_r, LOOPS=-(-rank // block_r), **own,
        )  # fmt: skip


def first_product(x: Tensor, factor: Tensor, scale: float, precision: str) -> Tensor:
    """scale x factor, x [M, K], factor [K, r] -> [M, r]."""
    (rows, depth), rank = x.shape, factor.shape[1]
    s = x.new_empty(rows, rank)
    (block_m, stages), block_r = (16, 4) if rows <= 16 * PROCESSORS else (32, 6), _block(rank, RANKS)
    block_k = _block(depth, 8192 // max(block_m, block_r) // x.element_size())
    with torch.cuda.device_of(x):
        narrow[-(-rows // block_m), -(-rank // block_r)](
            x, factor, s, rows, depth, rank, scale, *x.stride(), *factor.stride(), PRECISION=precision, EARLY=_hopper(x.device),
            BLOCK_M=block_m, BLOCK_K=block_k, BLOCK_R=block_r, num_warps=4, num_stages=stages,
        )  # fmt: skip
    return s


def through(grad: Tensor, kept: Tensor, activation: str) -> Tensor:
    """The gradient [M, N] before the activation, contiguous; `kept` [M, N] is contiguous."""
    out = torch.empty_like(kept)
    with torch.cuda.device_of(grad):
        derive[-(-out.numel() // 2048),](grad.contiguous(), kept, out, out.numel(), ACTIVATION=activation, BLOCK=2048, num_warps=8)  # fmt: skip
    return out


def over_rows(tall: Tensor, s: Tensor, precision: str) -> Tensor:
    """tall^T s in float32 and then rounded: tall [M, C], s [M, r] -> [C, r]."""
    (rows, columns), rank = tall.shape, s.shape[1]
    block_m, block_r = 256 // tall.element_size(), _block(rank, RANKS)
    blocks = -(-columns // 64)
    parts = max(1, min(4 * PROCESSORS // blocks, -(-rows // (4 * block_m))))
    found = tall.new_empty((parts, columns, rank), dtype=torch.float32)
    with torch.cuda.device_of(tall):
        turned[blocks, -(-rank // block_r), parts](
            tall, s, found, rows, columns, rank, *tall.stride(), *s.stride(),
            PRECISION=precision, BLOCK_M=block_m, BLOCK_C=64, BLOCK_R=block_r, num_warps=4, num_stages=3,
        )  # fmt: skip
    return found.sum(0).to(tall.dtype)


def described(matrix: Tensor, block_rows: int, block_columns: int, tma: bool) -> tuple[object, str]:
    """A descriptor of tiles [block_rows, block_columns] and how it reads them; where there can be none the matrix itself, read by `strides`."""
    turned_ = matrix.stride(1) != 1
    lying, block = (matrix.t(), [block_columns, block_rows]) if turned_ else (matrix, [block_rows, block_columns])
    pitch = lying.stride(0) * lying.element_size()
    lies = lying.stride(1) == 1 and pitch > 0 and pitch % 16 == 0 and lying.data_ptr() % 16 == 0
    if not (tma and lies and (not matrix.is_cuda or _hopper(matrix.device))):
        return matrix, "strides"
    return TensorDescriptor.from_tensor(lying, block), "turned" if turned_ else "tiles"


@cache
def _hopper(device: torch.device) -> bool:
    return device.type == "cuda" and bool(torch.version.cuda) and torch.cuda.get_device_capability(device) >= (9, 0)


def _block(size: int, most: int) -> int:
    """A side of a block: `tl.dot` takes no fewer than 16."""
    return max(16, min(most, 1 << (size - 1).bit_length()))


# ---------------------------------------------------------------- kernels


@triton.jit
def product(
    x,  # [rows, depth], or its descriptor
    weight,  # [outputs, depth], or its descriptor
    s_ptr,  # [rows, rank]
    b_ptr,  # [outputs, rank]
    bias_ptr,  # [outputs], or where TURNED [rows]; or None
    out,  # [rows, outputs], or its descriptor
    before_ptr,  # [rows, outputs], what the activation is given; or None
    rows, outputs, depth, rank,
    x_row, x_depth, weight_output, weight_depth, s_row, s_rank, b_output, b_rank,
    out_row, out_output,
    X_READ: tl.constexpr, WEIGHT_READ: tl.constexpr, OUT_WRITTEN: tl.constexpr,
    ACTIVATION: tl.constexpr, PRECISION: tl.constexpr, TURNED: tl.constexpr,
    EARLY: tl.constexpr,  # s may not be there yet
    LOOPS: tl.constexpr,  # blocks of the rank
    BLOCK_M: tl.constexpr, BLOCK_N: tl.constexpr, BLOCK_K: tl.constexpr, BLOCK_R: tl.constexpr,
):  # fmt: skip
    """A program owns [BLOCK_M, BLOCK_N]; 16 tiles of rows share a tile of the weight while the L2 cache has it."""
    row_tiles, output_tiles = tl.cdiv(rows, BLOCK_M), tl.cdiv(outputs, BLOCK_N)
    tile, together = tl.program_id(0), 16 * output_tiles
    first = tile // together * 16
    group = tl.minimum(row_tiles - first, 16)
    row, output = (first + tile % together % group) * BLOCK_M, tile % together // group * BLOCK_N
    total = tl.zeros([BLOCK_M, BLOCK_N], tl.float32)
    for k in range(0, depth, BLOCK_K):
        of_x = tile_of(x, row, k, rows, depth, x_row, x_depth, X_READ, BLOCK_M, BLOCK_K)
        w = tile_of(weight, output, k, outputs, depth, weight_output, weight_depth, WEIGHT_READ, BLOCK_N, BLOCK_K)
        total = tl.dot(of_x, w.T, total, input_precision=PRECISION)
    if EARLY:
        tl.extra.cuda.gdc_wait()
    for loop in tl.static_range(LOOPS):
        r = loop * BLOCK_R
        s = tile_of(s_ptr, row, r, rows, rank, s_row, s_rank, "strides", BLOCK_M, BLOCK_R)
        b = tile_of(b_ptr, output, r, outputs, rank, b_output, b_rank, "strides", BLOCK_N, BLOCK_R)
        total = tl.dot(s, b.T, total, input_precision=PRECISION)
    m, n = row + tl.arange(0, BLOCK_M), output + tl.arange(0, BLOCK_N)
    if bias_ptr is not None:
        if TURNED:
            total += tl.load(bias_ptr + m, m < rows, 0.0).to(tl.float32)[:, None]
        else:
            total += tl.load(bias_ptr + n, n < outputs, 0.0).to(tl.float32)[None, :]
    inside = (m < rows)[:, None] & (n < outputs)[None, :]
    offset = (m.to(tl.int64) * out_row)[:, None] + (n.to(tl.int64) * out_output)[None, :]
    if before_ptr is not None:
        tl.store(before_ptr + offset, total, inside)
    y = activated(total, ACTIVATION, s_ptr.dtype.element_ty.primitive_bitwidth == 16)
    if OUT_WRITTEN == "tiles":
        left, right = tl.split(tl.permute(tl.reshape(y, [BLOCK_M, 2, BLOCK_N // 2]), (0, 2, 1)))
        out.store([row, output], left.to(out.dtype))
        out.store([row, output + BLOCK_N // 2], right.to(out.dtype))
    elif OUT_WRITTEN == "turned":
        out.store([output, row], y.T.to(out.dtype))
    else:
        tl.store(out + offset, y, inside)


@triton.jit
def tile_of(source, row, column, rows, columns, row_stride, column_stride, READ: tl.constexpr, R: tl.constexpr, C: tl.constexpr):  # fmt: skip
    """[R, C] of a matrix [rows, columns] from (row, column) on, and zeros outside."""
    if READ == "tiles":
        found = source.load([row, column])
    elif READ == "turned":
        found = source.load([column, row]).T
    else:
        r, c = row + tl.arange(0, R), column + tl.arange(0, C)
        offset = (r.to(tl.int64) * row_stride)[:, None] + (c.to(tl.int64) * column_stride)[None, :]
        found = tl.load(source + offset, (r < rows)[:, None] & (c < columns)[None, :], 0.0)
    return found


@triton.jit
def narrow(
    x_ptr,  # [rows, depth]
    factor_ptr,  # [depth, rank]
    s_ptr,  # [rows, rank], written
    rows, depth, rank, scale,
    x_row, x_depth, factor_depth, factor_rank,
    PRECISION: tl.constexpr,
    EARLY: tl.constexpr,  # the next launch may begin when this one has
    BLOCK_M: tl.constexpr, BLOCK_K: tl.constexpr, BLOCK_R: tl.constexpr,
):  # fmt: skip
    """A program owns BLOCK_M rows, so that x is read once. Small in shared memory, that a program of `product` finds room beside it."""
    if EARLY:
        tl.extra.cuda.gdc_launch_dependents()
    row, first = tl.program_id(0) * BLOCK_M, tl.program_id(1) * BLOCK_R
    m, r = row + tl.arange(0, BLOCK_M), first + tl.arange(0, BLOCK_R)
    total = tl.zeros([BLOCK_M, BLOCK_R], tl.float32)
    for k in range(0, depth, BLOCK_K):
        x = tile_of(x_ptr, row, k, rows, depth, x_row, x_depth, "strides", BLOCK_M, BLOCK_K)
        factor = tile_of(factor_ptr, k, first, depth, rank, factor_depth, factor_rank, "strides", BLOCK_K, BLOCK_R)
        total = tl.dot(x, factor, total, input_precision=PRECISION)
    inside = (m < rows)[:, None] & (r < rank)[None, :]
    tl.store(s_ptr + m.to(tl.int64)[:, None] * rank + r[None, :], scale * total, inside)


@triton.jit
def derive(
    grad_ptr,  # [numel]
    kept_ptr,  # [numel], of the activation
    out_ptr,  # [numel], written
    numel, ACTIVATION: tl.constexpr, BLOCK: tl.constexpr,
):  # fmt: skip
    at = tl.program_id(0).to(tl.int64) * BLOCK + tl.arange(0, BLOCK)
    grad, kept = tl.load(grad_ptr + at, at < numel, 0.0), tl.load(kept_ptr + at, at < numel, 0.0)
    slope = derivative(kept.to(tl.float32), ACTIVATION, grad_ptr.dtype.element_ty.primitive_bitwidth == 16)
    tl.store(out_ptr + at, grad.to(tl.float32) * slope, at < numel)


@triton.jit
def turned(
    tall_ptr,  # [rows, columns]
    s_ptr,  # [rows, rank]
    found_ptr,  # f32[parts, columns, rank], written
    rows, columns, rank,
    tall_row, tall_column, s_row, s_rank,
    PRECISION: tl.constexpr, BLOCK_M: tl.constexpr, BLOCK_C: tl.constexpr, BLOCK_R: tl.constexpr,
):  # fmt: skip
    """A program owns BLOCK_C columns of a part of the rows."""
    column, first = tl.program_id(0) * BLOCK_C, tl.program_id(1) * BLOCK_R
    part, parts = tl.program_id(2), tl.num_programs(2)
    c, r = column + tl.arange(0, BLOCK_C), first + tl.arange(0, BLOCK_R)
    steps = tl.cdiv(rows, BLOCK_M)
    total = tl.zeros([BLOCK_C, BLOCK_R], tl.float32)
    for step in range(part * steps // parts, (part + 1) * steps // parts):
        row = step * BLOCK_M
        tall = tile_of(tall_ptr, row, column, rows, columns, tall_row, tall_column, "strides", BLOCK_M, BLOCK_C)
        s = tile_of(s_ptr, row, first, rows, rank, s_row, s_rank, "strides", BLOCK_M, BLOCK_R)
        total = tl.dot(tall.T, s, total, input_precision=PRECISION)
    owned = part.to(tl.int64) * columns + c
    tl.store(found_ptr + owned[:, None] * rank + r[None, :], total, (c < columns)[:, None] & (r < rank)[None, :])


@triton.jit
def activated(z, ACTIVATION: tl.constexpr, NARROW: tl.constexpr):
    if ACTIVATION == "relu":
        z = tl.where(z < 0, 0.0, z)  # NaN stays NaN
    elif ACTIVATION == "sigmoid":
        z = tl.sigmoid(z)
    elif ACTIVATION == "silu":
        z = z * tl.sigmoid(z)
    elif ACTIVATION == "gelu":
        z *= normal(z, NARROW)[0]
    return z


@triton.jit
def derivative(kept, ACTIVATION: tl.constexpr, NARROW: tl.constexpr):
    """Of the activation, from what it returned if that is relu or sigmoid, else from what it was given."""
    if ACTIVATION == "relu":
        slope = tl.where(kept <= 0, 0.0, 1.0)
    elif ACTIVATION == "sigmoid":
        slope = kept * (1.0 - kept)
    elif ACTIVATION == "silu":
        logistic = tl.sigmoid(kept)
        slope = logistic * (1.0 + kept * (1.0 - logistic))
    else:
        below, density = normal(kept, NARROW)
        slope = below + kept * density
    return slope


@triton.jit
def normal(z, NARROW: tl.constexpr):
    """The normal distribution at z, and its density. NARROW: what is rounded to 16 bits behind it, to 7.5e-8 (Abramowitz and Stegun 26.2.17)."""
    density = 0.3989422804014327 * tl.exp2(-0.7213475204444817 * z * z)
    if NARROW:
        t = 1 + 0.2316419 * tl.abs(z)
        t = tl.rsqrt(t * t)  # one over it by one instruction; a division is eight
        tail = t * (0.319381530 + t * (-0.356563782 + t * (1.781477937 + t * (-1.821255978 + t * 1.330274429))))
        below = tl.where(z < 0, density * tail, 1 - density * tail)
    else:
        below = 0.5 * (1 + tl.erf(z * 0.7071067811865476))
    return below, density
