"""act(x + scale * y + bias) in one kernel, its gradient in another: what is left of a LoRA layer behind its matrix products.

Each element is read and written once, so that the copy rate is the bound. What a program adds of the bias is found by a remainder: of a power of two,
which is compiled in, it is one AND, and of any other number of columns, which is a parameter, a division.
Stands alone: torch and triton are all it needs.
"""

from __future__ import annotations

import math
from functools import cache
from typing import Any

import torch
import triton
import triton.language as tl
from torch import Tensor
from torch.autograd.forward_ad import unpack_dual
from torch.autograd.function import once_differentiable

Configuration = dict[str, int]
"""BLOCK, the elements that a program owns, and its warps."""
CANDIDATES: list[Configuration] = [
    {"BLOCK": block, "num_warps": warps}
    for block, warps in ((256, 2), (512, 4), (512, 8), (1024, 4), (1024, 8), (2048, 4), (2048, 8), (4096, 8))
]
"""What is worth timing."""
SMALL, LARGE, HALF = CANDIDATES[4], CANDIDATES[3], CANDIDATES[5]
"""For few elements; for many; and for many of two bytes, of which each thread has two 16-byte loads of x and of y."""
MANY = 2**23
"""Elements from which on there are many."""
WIDTH, TILE = 256, 4096
"""Bytes of a row, and elements, that a program of backward has at once."""
PROGRAMS = 4 * 132
"""Of backward, at most, and so parts of the bias's gradient."""
ACTIVATIONS = ("identity", "relu", "sigmoid", "gelu", "silu")
OF_RESULT = ("identity", "relu", "sigmoid")
"""Whose derivative is known by the result: backward need not read x, y and bias."""
DTYPES = (torch.float32, torch.bfloat16, torch.float16, torch.float64)
LONG = 2**31 - 2**16
"""Elements whose places take 64 bits; a block's may lie behind the last."""
MOST = 2**30
"""Columns, for a place in a row has 32 bits; of rows there may be any number."""


def chosen(numel: int, element_size: int) -> Configuration:
    """The configuration for so many elements of so many bytes."""
    if numel < MANY:
        return SMALL
    return HALF if element_size == 2 else LARGE


def add_mul_activation(
    x: Tensor,
    y: Tensor,
    bias: Tensor | None = None,
    *,
    scale: float = 0.5,
    activation: str = "relu",
    out: Tensor | None = None,
    configuration: Configuration | None = None,
) -> Tensor:
    """x and y [..., N], bias [N] -> act(x + scale * y + bias) [..., N].

    Computed in float32, of float64 in float64, and rounded once. A NaN comes through. Differentiable once; the bias's gradient is
    added up in a fixed order. Copied where the columns of a row do not lie beside each other.

    Args:
        scale: Compiled in.
        activation: One of `ACTIVATIONS`, compiled in; `gelu` is the one with erf.
        out: What is written and returned, x itself too; then there is no gradient.
        configuration: One of `CANDIDATES`; else what `chosen` says.

    Raises:
        ValueError: shapes, dtypes or devices do not belong together, no such activation, `out` can not be written, or a gradient is asked of it.
    """
    _check(x, y, bias, activation, out)
    tensors = (x, y) if bias is None else (x, y, bias)
    differentiable = torch.is_grad_enabled() and any(one.requires_grad for one in tensors)
    if out is None and not differentiable and all(unpack_dual(one).tangent is None for one in tensors):
        out = torch.empty_like(x, memory_format=torch.contiguous_format)
    if out is not None:
        return _forward(x, y, bias, out, scale, activation, configuration)
    return _AddMulActivation.apply(x, y, bias, scale, activation, configuration)  # type: ignore[no-any-return, no-untyped-call]


def _check(x: Tensor, y: Tensor, bias: Tensor | None, activation: str, out: Tensor | None) -> None:
    tensors = {name: one for name, one in {"x": x, "y": y, "bias": bias, "out": out}.items() if one is not None}
    if activation not in ACTIVATIONS:
        raise ValueError(f"there is no activation {activation!r}: it is {', '.join(ACTIVATIONS)}")
    wrong = x.ndim == 0 or y.shape != x.shape or (bias is not None and bias.shape != x.shape[-1:])
    if wrong or (out is not None and out.shape != x.shape):
        shapes = ", ".join(f"{name} {list(one.shape)}" for name, one in tensors.items())
        raise ValueError(f"{shapes} do not belong together: x, y and out are [..., N], bias [N]")
    if any(one.dtype != x.dtype or one.device != x.device for one in tensors.values()) or x.dtype not in DTYPES:
        told = ", ".join(f"{name} {one.dtype} on {one.device}" for name, one in tensors.items())
        raise ValueError(f"one floating-point dtype and one device are needed, not {told}")
    if x.shape[-1] >= MOST:
        raise ValueError(f"{x.shape[-1]:,} columns are too many: fewer than {MOST:,} are taken")
    if out is not None:
        if torch.is_grad_enabled() and any(one.requires_grad for one in tensors.values()):
            raise ValueError(
                "what is written into `out` has no gradient: leave `out` away, or call it under torch.no_grad()"
            )
        if not _is_rows(out):
            raise ValueError(
                f"out has strides {list(out.stride())}: it must be rows of one stride whose columns lie beside each other"
            )


def _is_rows(x: Tensor) -> bool:
    """Whether it is [rows, N] without being copied."""
    try:
        return x.view(-1, x.shape[-1]).stride(1) == 1 or x.shape[-1] == 1
    except RuntimeError:  # also where it has no elements, of which nothing is written
        return x.numel() == 0


def _rows(x: Tensor) -> Tensor:
    """[rows, N], whose columns lie beside each other."""
    x = x.reshape(-1, x.shape[-1])
    return x if x.stride(1) == 1 else x.contiguous()


def _forward(
    x: Tensor,
    y: Tensor,
    bias: Tensor | None,
    out: Tensor,
    scale: float,
    activation: str,
    configuration: Configuration | None,
) -> Tensor:
    if not x.numel():
        return out
    columns, numel = x.shape[-1], x.numel()
    rows = [_rows(x), _rows(y), out.view(-1, columns)]
    bias = None if bias is None else bias.contiguous()
    configuration = configuration or chosen(numel, x.element_size())
    with torch.cuda.device_of(x):
        add_mul_act[-(-numel // configuration["BLOCK"]),](
            rows[0], rows[1], bias, rows[2], numel, columns, *(one.stride(0) for one in rows),
            DENSE=len(rows[0]) == 1 or all(one.stride(0) == columns for one in rows),
            COLUMNS=columns if columns & (columns - 1) == 0 else 0, ALIGNED=math.gcd(columns, 16),
            INDEX=tl.int32 if numel < LONG else tl.int64,
            SCALE=scale, ACTIVATION=activation, COMPUTE=_computed(x), **configuration,
        )  # fmt: skip
    return out


@cache
def linked(device: torch.device) -> bool:
    """Whether a launch can begin while the one before it runs, and wait for it: Hopper's and later can."""
    return device.type == "cuda" and bool(torch.version.cuda) and torch.cuda.get_device_capability(device) >= (9, 0)


def _computed(x: Tensor) -> tl.dtype:
    return tl.float64 if x.dtype == torch.float64 else tl.float32


class _AddMulActivation(torch.autograd.Function):
    @staticmethod
    def forward(
        ctx: Any,
        x: Tensor,
        y: Tensor,
        bias: Tensor | None,
        scale: float,
        activation: str,
        configuration: Configuration | None,
    ) -> Tensor:
        out = torch.empty_like(x, memory_format=torch.contiguous_format)
        _forward(x, y, bias, out, scale, activation, configuration)
        ctx.how, ctx.has_bias = (scale, activation), bias is not None
        if activation == "identity":
            ctx.save_for_backward()
        elif activation in OF_RESULT:
            ctx.save_for_backward(out)
        else:
            ctx.save_for_backward(x, y, bias)
        return out

    @staticmethod
    @once_differentiable  # type: ignore[untyped-decorator]
    def backward(ctx: Any, grad: Tensor) -> tuple[Tensor | None, ...]:
        how = dict(zip(("scale", "activation"), ctx.how, strict=True))
        return *gradients(grad, ctx.saved_tensors, ctx.needs_input_grad[:3], **how), None, None, None


def gradients(
    grad: Tensor,
    saved: tuple[Tensor | None, ...],
    needed: tuple[bool, bool, bool],
    *,
    scale: float = 0.5,
    activation: str = "relu",
) -> tuple[Tensor | None, Tensor | None, Tensor | None]:
    """The gradients of x, y [..., N] and bias [N] that are `needed`, from the result's.

    Args:
        saved: Of an activation of `OF_RESULT` the result, else x, y and bias; of `identity` nothing.
    """
    shape, columns = grad.shape, grad.shape[-1]
    if not grad.numel():
        dx, dy, db = (
            grad.new_zeros(like) if one else None for one, like in zip(needed, (shape, shape, columns), strict=True)
        )
        return dx, dy, db
    grad = _rows(grad)
    wanted = [torch.empty(grad.shape, dtype=grad.dtype, device=grad.device) if one else None for one in needed[:2]]
    first, second, bias = (*saved, None, None, None)[:3]
    first, second = (None if one is None else _rows(one) for one in (first, second))
    bias = None if bias is None else bias.contiguous()
    block = min(WIDTH // grad.element_size(), 1 << (columns - 1).bit_length())
    at_once = min(TILE // block, 1 << (len(grad) - 1).bit_length())
    blocks = -(-columns // block)
    parts = min(-(-len(grad) // at_once), -(-PROGRAMS // blocks))
    sums = torch.promote_types(grad.dtype, torch.float32)
    partial = torch.empty((parts, columns), dtype=sums, device=grad.device) if needed[2] else None
    db, link = torch.empty(columns, dtype=grad.dtype, device=grad.device) if needed[2] else None, linked(grad.device)
    with torch.cuda.device_of(grad):
        add_mul_act_backward[blocks, parts](
            grad, first, second, bias, *wanted, partial, len(grad), columns,
            grad.stride(0), 0 if first is None else first.stride(0), 0 if second is None else second.stride(0),
            SCALE=scale, ACTIVATION=activation, COMPUTE=_computed(grad), ROWS=at_once, BLOCK=block, LINKED=link,
        )  # fmt: skip
        if db is not None:
            sum_parts[-(-columns // 8),](partial, db, parts, columns, ACROSS=8, DOWN=256, LINKED=link, launch_pdl=link)
    dx, dy = (None if one is None else one.view(shape) for one in wanted)
    return dx, dy, db


@triton.jit
def add_mul_act(
    x_ptr,  # [rows, columns], with strides [x_stride, 1]
    y_ptr,  # the same, with its own stride
    bias_ptr,  # [columns], or None
    out_ptr,  # [rows, columns], written; may be x_ptr
    numel,
    columns,
    x_stride,
    y_stride,
    out_stride,
    DENSE: tl.constexpr,  # the rows of all three lie one behind the other
    COLUMNS: tl.constexpr,  # the columns, where they are a power of two; else 0
    ALIGNED: tl.constexpr,  # what divides columns and BLOCK; a remainder's divisors are lost, and with them loads of 16 bytes
    INDEX: tl.constexpr,  # int64 for LONG elements or more
    SCALE: tl.constexpr,
    ACTIVATION: tl.constexpr,
    COMPUTE: tl.constexpr,
    BLOCK: tl.constexpr,
):
    # One program owns BLOCK consecutive elements. Where they begin may take 64 bits, a place in a row takes 32.
    begin = tl.program_id(0).to(INDEX) * BLOCK
    offset = tl.arange(0, BLOCK)
    width = COLUMNS if COLUMNS > 0 else columns
    place = tl.multiple_of((begin % width).to(tl.int32), ALIGNED) + offset
    column = place % width
    if DENSE:
        x_at, y_at, out_at = x_ptr + begin + offset, y_ptr + begin + offset, out_ptr + begin + offset
    else:
        row = (begin // width + place // width).to(tl.int64)
        x_at = x_ptr + row * x_stride + column
        y_at = y_ptr + row * y_stride + column
        out_at = out_ptr + row * out_stride + column
    bias_at = None if bias_ptr is None else bias_ptr + column
    # Only the last block has a mask: by that of a number of elements that nothing divides each is loaded alone.
    if begin + BLOCK <= numel:
        add_mul_act_at(x_at, y_at, bias_at, out_at, None, SCALE, ACTIVATION, COMPUTE)
    else:
        add_mul_act_at(x_at, y_at, bias_at, out_at, offset < numel - begin, SCALE, ACTIVATION, COMPUTE)


@triton.jit
def add_mul_act_at(
    x_at, y_at, bias_at, out_at, inside, SCALE: tl.constexpr, ACTIVATION: tl.constexpr, COMPUTE: tl.constexpr
):
    total = tl.load(x_at, inside).to(COMPUTE)
    if bias_at is not None:
        total = tl.load(bias_at, inside, eviction_policy="evict_last").to(COMPUTE) + total
    total += tl.load(y_at, inside).to(COMPUTE) * SCALE
    NARROW: tl.constexpr = out_at.dtype.element_ty.primitive_bitwidth == 16
    tl.store(out_at, activated(total, ACTIVATION, NARROW).to(out_at.dtype.element_ty), inside)


@triton.jit
def activated(total, ACTIVATION: tl.constexpr, NARROW: tl.constexpr = False):
    """A condition on what is known at compile time costs nothing: the other branches are not there."""
    if ACTIVATION == "relu":
        total = tl.where(total < 0, 0.0, total)  # a NaN comes through
    elif ACTIVATION == "sigmoid":
        total = 1 / (1 + tl.exp(-total))
    elif ACTIVATION == "gelu":
        total *= normal(total, NARROW)[0]
    elif ACTIVATION == "silu":
        total = total / (1 + tl.exp(-total))
    else:
        tl.static_assert(ACTIVATION == "identity")
    return total


@triton.jit
def normal(value, NARROW: tl.constexpr):
    """The normal distribution at `value`, and its density. NARROW: what is rounded to 16 bits behind it, to 7.5e-8 (Abramowitz and Stegun 26.2.17)."""
    density = 0.3989422804014327 * tl.exp2(-0.7213475204444817 * value * value)
    if NARROW:
        above_one = 1 + 0.2316419 * tl.abs(value)
        t = tl.rsqrt(above_one * above_one)  # one instruction; a division is eight
        tail = t * (0.319381530 + t * (-0.356563782 + t * (1.781477937 + t * (-1.821255978 + t * 1.330274429))))
        tail *= density
        below = tl.where(value < 0, tail, 1 - tail)
    else:
        below = 0.5 * (1 + tl.erf(value * 0.7071067811865476))
    return below, density


@triton.jit
def add_mul_act_backward(
    grad_ptr,  # [rows, columns], with strides [grad_stride, 1]
    first_ptr,  # the result, or x; None for the identity
    second_ptr,  # y, or None
    bias_ptr,  # [columns], or None
    dx_ptr,  # [rows, columns], contiguous, written; or None
    dy_ptr,  # the same
    partial_ptr,  # [parts, columns], the bias's gradient of each part; or None
    rows,
    columns,
    grad_stride,
    first_stride,
    second_stride,
    SCALE: tl.constexpr,
    ACTIVATION: tl.constexpr,
    COMPUTE: tl.constexpr,
    ROWS: tl.constexpr,
    BLOCK: tl.constexpr,
    LINKED: tl.constexpr,  # `sum_parts` may begin when this has, and waits
):
    if LINKED:
        tl.extra.cuda.gdc_launch_dependents()
    # One program owns BLOCK columns of each ROWS rows out of `parts`, so that it sums the bias's gradient without anybody else.
    part = tl.program_id(1).to(tl.int64)
    column = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    sum = tl.zeros([BLOCK], COMPUTE)
    for start in range(part * ROWS, rows, tl.num_programs(1) * ROWS):
        row = (start + tl.arange(0, ROWS))[:, None]
        inside = (row < rows) & (column < columns)[None, :]
        own = tl.load(grad_ptr + row * grad_stride + column, inside, other=0).to(COMPUTE)
        if ACTIVATION != "identity":
            value = tl.load(first_ptr + row * first_stride + column, inside, other=0).to(COMPUTE)
            if second_ptr is not None:
                if bias_ptr is not None:
                    value += tl.load(bias_ptr + column, column < columns, other=0).to(COMPUTE)[None, :]
                value += tl.load(second_ptr + row * second_stride + column, inside, other=0).to(COMPUTE) * SCALE
            own = derived(own, value, ACTIVATION, grad_ptr.dtype.element_ty.primitive_bitwidth == 16)
        if dx_ptr is not None:
            tl.store(dx_ptr + row * columns + column, own.to(dx_ptr.dtype.element_ty), inside)
        if dy_ptr is not None:
            tl.store(dy_ptr + row * columns + column, (own * SCALE).to(dy_ptr.dtype.element_ty), inside)
        if partial_ptr is not None:
            sum += tl.sum(tl.where(inside, own, 0), 0)
    if partial_ptr is not None:
        tl.store(partial_ptr + part * columns + column, sum, column < columns)


@triton.jit
def sum_parts(
    partial_ptr,  # [parts, columns]
    db_ptr,  # [columns], written
    parts,
    columns,
    ACROSS: tl.constexpr,
    DOWN: tl.constexpr,
    LINKED: tl.constexpr,
):
    if LINKED:
        tl.extra.cuda.gdc_wait()
    column = tl.program_id(0) * ACROSS + tl.arange(0, ACROSS)[None, :]
    total = tl.zeros([DOWN, ACROSS], partial_ptr.dtype.element_ty)
    for first in range(0, parts, DOWN):
        part = first + tl.arange(0, DOWN)[:, None]
        total += tl.load(partial_ptr + part * columns + column, (part < parts) & (column < columns), other=0)
    total = tl.sum(total, 0, keep_dims=True)
    tl.store(db_ptr + column, total.to(db_ptr.dtype.element_ty), column < columns)


@triton.jit
def derived(own, value, ACTIVATION: tl.constexpr, NARROW: tl.constexpr):
    """The gradient before the activation; `value` is its result for relu and sigmoid, else what it was given."""
    if ACTIVATION == "relu":
        own = tl.where(value <= 0, 0.0, own)
    elif ACTIVATION == "sigmoid":
        own = own * value * (1 - value)
    elif ACTIVATION == "gelu":
        below, density = normal(value, NARROW)
        own = own * (below + value * density)
    else:
        tl.static_assert(ACTIVATION == "silu")
        share = 1 / (1 + tl.exp(-value))
        own = own * share * (1 + value * (1 - share))
    return own
