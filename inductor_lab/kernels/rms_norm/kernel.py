"""RMSNorm as Llama has it, a residual added before where there is one; the gradients of both in one pass.

Inductor reads a row of more than 1,024 columns twice: once for its mean square, and once more to scale it. In backward two kernels read the
gradient and the row, one of them along the rows and one along the columns. Here a program holds a row whole. In backward it goes
through several, the next three on their way while one is computed, and sums what they give the weight on the chip: a second kernel adds the sums of all
programs, always in the same order.

Zhang and Sennrich 2019, arXiv:1910.07467; rounded as by transformers' LlamaRMSNorm, or once.
"""

from __future__ import annotations

from functools import cache
from typing import Any

import torch
import triton
import triton.language as tl
from torch import Tensor
from torch.autograd.forward_ad import unpack_dual
from torch.autograd.function import once_differentiable

Configuration = dict[str, int]
"""ROWS that a program holds at once, and its warps; in backward also how many PROGRAMS share the rows out, and in how many STAGES they load them."""
CANDIDATES: list[Configuration] = [
    {"ROWS": rows, "num_warps": warps} for rows in (1, 2, 4, 16) for warps in (2, 4, 8, 16) if rows == 1 or warps < 16
]
"""What is worth timing forward: several rows are for short ones."""
BACKWARD: list[Configuration] = [
    {"ROWS": rows, "PROGRAMS": programs, "num_warps": warps, "STAGES": stages}
    for rows, programs, warps, stages in (
        (1, 132, 16, 2), (1, 132, 16, 3), (1, 132, 16, 4), (1, 132, 32, 3), (1, 132, 32, 4), (1, 264, 8, 3), (1, 264, 8, 4), (1, 264, 16, 3),
        (1, 528, 4, 4), (4, 528, 4, 4), (8, 528, 4, 4), (16, 528, 4, 2), (1, 132, 8, 1), (1, 132, 16, 1),
    )
]  # fmt: skip
"""What is worth timing backward. The sums, and so the last bits of the weight's gradient, depend on PROGRAMS and ROWS, on no card."""
SHORT = 1024
"""Columns up to which a program takes several rows."""
MOST = 16_384
"""Columns of a row at most: with so many, backward's sum, row, gradient and weight fill the registers of a multiprocessor and spill a little."""
FULL = 4096
"""Numbers of a block of which one program runs backward on a multiprocessor, and of smaller ones several."""
SHARED = 227 * 1024
"""Bytes of shared memory that a program may have on an H200."""
DTYPES = (torch.float32, torch.bfloat16, torch.float16, torch.float64)


def chosen(columns: int) -> Configuration:
    """The configuration forward: of a row eight to sixteen numbers a thread."""
    block = 1 << (columns - 1).bit_length()
    rows = max(1, min(16, SHORT // block))
    return {"ROWS": rows, "num_warps": max(1, min(16, rows * block // 512))}


def chosen_backward(columns: int, itemsize: int, shared: int = SHARED) -> Configuration:
    """The configuration backward, of numbers of so many bytes: as many programs as run at once on an H200's 132 multiprocessors, and for each the next
    three rows of three tensors on their way, or as many as there is room for in so much shared memory."""
    rows = chosen(columns)["ROWS"]
    block = rows * (1 << (columns - 1).bit_length())
    programs = max(1, min(4, FULL // block))
    return {
        "ROWS": rows,
        "PROGRAMS": 132 * programs,
        "num_warps": max(1, min(32, block // 256)),
        "STAGES": 1 + min(3, (shared - 4096) // (3 * programs * block * itemsize)),
    }


def rms_norm(
    x: Tensor, weight: Tensor, *, eps: float = 1e-6, rounded: bool = True, configuration: Configuration | None = None
) -> Tensor:
    """x [..., N], weight [N] of the same dtype -> weight * x / sqrt(mean(x * x) + eps), of each row. Differentiable once in both.

    Sums and products are float32, of float64 float64. The result is contiguous; rows of `x` may lie apart, and are copied where their numbers do.

    Args:
        eps: transformers' and Mistral's is 1e-6, Llama's 1e-5.
        rounded: The normalized row is rounded to the dtype before the weight is multiplied, as in transformers; else once, behind it, as in
            `torch.nn.functional.rms_norm`.
        configuration: One of `CANDIDATES`; else what `chosen` says.

    Raises:
        ValueError: shapes, dtypes or devices do not belong together, or a row has no column, or more than `MOST`.
    """
    _check(x, weight)
    if not _differentiable(x, weight):
        return forwarded(x, None, weight, eps, rounded=rounded, configuration=configuration)[0]
    result: Tensor = _RMSNorm.apply(x, None, weight, eps, rounded, configuration)[0]  # type: ignore[no-untyped-call]
    return result


def add_rms_norm(
    x: Tensor,
    residual: Tensor,
    weight: Tensor,
    *,
    eps: float = 1e-6,
    rounded: bool = True,
    configuration: Configuration | None = None,
) -> tuple[Tensor, Tensor]:
    """x and residual [..., N] -> `rms_norm` of x + residual, and x + residual rounded to the dtype, which is what was normalized.

    Arguments and errors are those of `rms_norm`; differentiable once in all three tensors.
    """
    _check(x, weight)
    if (residual.shape, residual.dtype, residual.device) != (x.shape, x.dtype, x.device):
        raise ValueError(f"the residual is {_told(residual)}, and not {_told(x)}, as x is")
    if not _differentiable(x, residual, weight):
        out, summed, _ = forwarded(x, residual, weight, eps, rounded=rounded, configuration=configuration)
        return out, summed
    result: tuple[Tensor, Tensor] = _RMSNorm.apply(x, residual, weight, eps, rounded, configuration)  # type: ignore[no-untyped-call]
    return result


def _check(x: Tensor, weight: Tensor) -> None:
    if x.dtype not in DTYPES:
        raise ValueError(f"x is of {', '.join(map(str, DTYPES))}, and not of {x.dtype}")
    if not x.ndim or not 0 < x.shape[-1] <= MOST:
        raise ValueError(f"x is [..., N] with N from 1 to {MOST:,}, and not {list(x.shape)}")
    if (weight.shape, weight.dtype, weight.device) != (x.shape[-1:], x.dtype, x.device):
        raise ValueError(
            f"the weight is {_told(weight)}, and not [{x.shape[-1]}] of {x.dtype} on {x.device}, as x asks"
        )


def _differentiable(*tensors: Tensor) -> bool:
    """Whether autograd has to know: of a gradient, or of a derivative forward, which it refuses."""
    gradient = torch.is_grad_enabled() and any(tensor.requires_grad for tensor in tensors)
    return gradient or any(unpack_dual(tensor).tangent is not None for tensor in tensors)


def _told(tensor: Tensor) -> str:
    return f"{list(tensor.shape)} of {tensor.dtype} on {tensor.device}"


class _RMSNorm(torch.autograd.Function):
    @staticmethod
    def forward(
        ctx: Any,
        x: Tensor,
        residual: Tensor | None,
        weight: Tensor,
        eps: float,
        rounded: bool,
        configuration: Configuration | None,
    ) -> tuple[Tensor, Tensor | None]:
        ctx.set_materialize_grads(False)
        ctx.rounded = rounded
        out, summed, scale = forwarded(x, residual, weight, eps, rounded=rounded, configuration=configuration)
        ctx.save_for_backward(x if summed is None else summed, scale, weight)
        return out, summed

    @staticmethod
    @once_differentiable  # type: ignore[untyped-decorator]
    def backward(ctx: Any, grad: Tensor | None, added: Tensor | None) -> tuple[Tensor | None, ...]:
        x, scale, weight = ctx.saved_tensors
        x_grad, weight_grad = added, None
        if grad is not None:
            how = {"rounded": ctx.rounded, "weighted": ctx.needs_input_grad[2]}
            x_grad, weight_grad = gradients(grad, x, scale, weight, added, **how)
        return x_grad, x_grad if ctx.needs_input_grad[1] else None, weight_grad, None, None, None


def forwarded(
    x: Tensor,
    residual: Tensor | None,
    weight: Tensor,
    eps: float,
    *,
    rounded: bool = True,
    configuration: Configuration | None = None,
) -> tuple[Tensor, Tensor | None, Tensor]:
    """The result [..., N], x + residual where there is one, and what each row is multiplied by, [rows]: what backward wants."""
    rows, columns = _rows(x), x.shape[-1]
    out = torch.empty(x.shape, dtype=x.dtype, device=x.device)
    summed = None if residual is None else torch.empty_like(out)
    scale = torch.empty(len(rows), dtype=_sums(x), device=x.device)
    if len(rows):
        added = rows if residual is None else _rows(residual)
        sizes = dict(configuration or chosen(columns))
        with torch.cuda.device_of(x):
            forward[-(-len(rows) // sizes["ROWS"]),](
                rows, None if residual is None else added, weight.contiguous(), out, summed, scale,
                len(rows), rows.stride(0), added.stride(0),
                EPS=eps, COLUMNS=columns, BLOCK=1 << (columns - 1).bit_length(), ROUNDED=rounded, **sizes,
            )  # fmt: skip
    return out, summed, scale


def gradients(
    grad: Tensor,
    x: Tensor,
    scale: Tensor,
    weight: Tensor,
    added: Tensor | None = None,
    *,
    rounded: bool = True,
    weighted: bool = True,
    configuration: Configuration | None = None,
) -> tuple[Tensor, Tensor | None]:
    """The gradients of `x`, [..., N], and of the weight from the result's.

    Args:
        x: What was normalized: of `add_rms_norm` the sum.
        scale: [rows], as `forwarded` gives it.
        added: A gradient that x has besides, of `add_rms_norm` that of the sum.
        weighted: Whether the weight's is wanted at all.
        configuration: One of `BACKWARD`; else what `chosen_backward` says.
    """
    columns = x.shape[-1]
    sizes = dict(configuration or chosen_backward(columns, x.element_size(), _shared(x.device)))
    x_grad = torch.empty(x.shape, dtype=x.dtype, device=x.device)
    weight_grad = torch.empty(columns, dtype=x.dtype, device=x.device) if weighted else None
    blocks = -(-scale.numel() // sizes["ROWS"])
    programs = min(sizes.pop("PROGRAMS"), blocks)
    if programs == blocks:
        sizes["STAGES"] = 1  # a program has no other rows to load meanwhile
    if not programs:
        return x_grad, None if weight_grad is None else weight_grad.zero_()
    parts = weight_grad  # of a single program the sum is whole
    if weight_grad is not None and programs > 1:
        parts = torch.empty(programs, columns, dtype=scale.dtype, device=x.device)
    own, rows, others = _rows(grad), _rows(x), None if added is None else _rows(added)
    link = linked(x.device)
    with torch.cuda.device_of(x):
        backward[programs,](
            own, others, rows, scale, weight.contiguous(), x_grad, parts,
            len(rows), own.stride(0), own.stride(0) if others is None else others.stride(0), rows.stride(0),
            COLUMNS=columns, BLOCK=1 << (columns - 1).bit_length(), ROUNDED=rounded, LINKED=link and parts is not weight_grad, **sizes,
        )  # fmt: skip
        if parts is not weight_grad:
            sum_parts[-(-columns // 16),](
                parts, weight_grad, programs, COLUMNS=columns, ACROSS=16, DOWN=128, LINKED=link, launch_pdl=link
            )
    return x_grad, weight_grad


@cache
def linked(device: torch.device) -> bool:
    """Whether a launch can begin while the one before it runs, and wait for it: Hopper's and later can."""
    return device.type == "cuda" and bool(torch.version.cuda) and torch.cuda.get_device_capability(device) >= (9, 0)


@cache
def _shared(device: torch.device) -> int:
    """Bytes of shared memory that a program may have."""
    return torch.cuda.get_device_properties(device).shared_memory_per_block_optin if device.type == "cuda" else SHARED


def _rows(tensor: Tensor) -> Tensor:
    """[rows, N], whose columns lie beside each other."""
    rows = tensor.reshape(-1, tensor.shape[-1])
    return rows if rows.stride(1) == 1 or rows.shape[1] == 1 else rows.contiguous()


def _sums(x: Tensor) -> torch.dtype:
    return torch.float64 if x.dtype == torch.float64 else torch.float32


@triton.jit
def forward(
    x_ptr,  # [rows, COLUMNS]
    residual_ptr,  # [rows, COLUMNS], or None
    weight_ptr,  # [COLUMNS]
    out_ptr,  # [rows, COLUMNS], contiguous, written
    summed_ptr,  # the same, written: x + residual; None without a residual
    scale_ptr,  # float32 or float64 [rows], written
    rows,
    x_stride,
    residual_stride,
    EPS: tl.constexpr,  # an argument would be float32, in float64 too
    COLUMNS: tl.constexpr,
    BLOCK: tl.constexpr,
    ROWS: tl.constexpr,
    ROUNDED: tl.constexpr,
):
    column = tl.arange(0, BLOCK)[None, :]
    row, inside = owned(tl.program_id(0), rows, column, COLUMNS, ROWS)
    SUM: tl.constexpr = scale_ptr.dtype.element_ty
    x = tl.load(x_ptr + row * x_stride + column, inside, other=0)
    weight = tl.load(weight_ptr + column, column < COLUMNS, other=0).to(SUM)
    if residual_ptr is not None:
        residual = tl.load(residual_ptr + row * residual_stride + column, inside, other=0)
        x = (x.to(SUM) + residual.to(SUM)).to(x.dtype)
        tl.store(summed_ptr + row * COLUMNS + column, x, inside)
    x = x.to(SUM)
    scale = tl.rsqrt(tl.sum(x * x, 1, keep_dims=True) / COLUMNS + EPS)
    normalized = x * scale
    if ROUNDED:
        normalized = normalized.to(out_ptr.dtype.element_ty).to(SUM)
    tl.store(out_ptr + row * COLUMNS + column, (normalized * weight).to(out_ptr.dtype.element_ty), inside)
    tl.store(scale_ptr + row, scale, row < rows)


@triton.jit
def backward(
    grad_ptr,  # [rows, COLUMNS], of the result
    added_ptr,  # [rows, COLUMNS], what x's gradient has besides, or None
    x_ptr,  # [rows, COLUMNS], what was normalized
    scale_ptr,  # float32 or float64 [rows]
    weight_ptr,  # [COLUMNS]
    x_grad_ptr,  # [rows, COLUMNS], contiguous, written
    part_ptr,  # [programs, COLUMNS], written: the weight's gradient of a program's rows; None where nobody wants it
    rows,
    grad_stride,
    added_stride,
    x_stride,
    COLUMNS: tl.constexpr,
    BLOCK: tl.constexpr,
    ROWS: tl.constexpr,
    ROUNDED: tl.constexpr,
    STAGES: tl.constexpr,  # one more than blocks of rows that are on their way into shared memory meanwhile
    LINKED: tl.constexpr,  # `sum_parts` may begin when this has, and waits
):
    if LINKED:
        tl.extra.cuda.gdc_launch_dependents()
    SUM: tl.constexpr = scale_ptr.dtype.element_ty
    column = tl.arange(0, BLOCK)[None, :]
    weight = tl.load(weight_ptr + column, column < COLUMNS, other=0).to(SUM)
    part = tl.zeros([ROWS, BLOCK], SUM)
    for block in tl.range(tl.program_id(0), tl.cdiv(rows, ROWS), tl.num_programs(0), num_stages=STAGES):
        row, inside = owned(block, rows, column, COLUMNS, ROWS)
        grad = tl.load(grad_ptr + row * grad_stride + column, inside, other=0).to(SUM)
        x = tl.load(x_ptr + row * x_stride + column, inside, other=0).to(SUM)
        scale = tl.load(scale_ptr + row, row < rows, other=0)
        inner = grad * weight
        # in autograd's order: of large numbers it is infinite where autograd's is, and nowhere else
        mean_grad = tl.sum(inner * x, 1, keep_dims=True) * -0.5 * (scale * scale * scale) / COLUMNS
        x_grad = scale * inner + mean_grad * (x * 2)
        if added_ptr is not None:
            x_grad += tl.load(added_ptr + row * added_stride + column, inside, other=0).to(SUM)
        tl.store(x_grad_ptr + row * COLUMNS + column, x_grad.to(x_grad_ptr.dtype.element_ty), inside)
        normalized = x * scale
        if ROUNDED:
            normalized = normalized.to(x_grad_ptr.dtype.element_ty).to(SUM)
        part += grad * normalized
    if part_ptr is not None:
        own = part_ptr + tl.program_id(0) * COLUMNS + column
        tl.store(own, tl.sum(part, 0, keep_dims=True).to(part_ptr.dtype.element_ty), column < COLUMNS)


@triton.jit
def sum_parts(
    part_ptr,  # float32 or float64 [parts, COLUMNS]
    weight_grad_ptr,  # [COLUMNS], written
    parts,
    COLUMNS: tl.constexpr,
    ACROSS: tl.constexpr,
    DOWN: tl.constexpr,
    LINKED: tl.constexpr,
):
    if LINKED:
        tl.extra.cuda.gdc_wait()
    column = tl.program_id(0) * ACROSS + tl.arange(0, ACROSS)[None, :]
    total = tl.zeros([DOWN, ACROSS], part_ptr.dtype.element_ty)
    for first in range(0, parts, DOWN):
        part = first + tl.arange(0, DOWN)[:, None]
        total += tl.load(part_ptr + part * COLUMNS + column, (part < parts) & (column < COLUMNS), other=0)
    total = tl.sum(total, 0, keep_dims=True)
    tl.store(weight_grad_ptr + column, total.to(weight_grad_ptr.dtype.element_ty), column < COLUMNS)


@triton.jit
def owned(block, rows, column, COLUMNS: tl.constexpr, ROWS: tl.constexpr):
    """The rows [ROWS, 1] of a block, in 64 bits, and which numbers of them there are."""
    row = block.to(tl.int64) * ROWS + tl.arange(0, ROWS)[:, None]
    return row, (row < rows) & (column < COLUMNS)
