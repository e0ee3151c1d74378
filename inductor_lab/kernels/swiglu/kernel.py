"""SwiGLU, silu(gate) * up, of two tensors or of the halves of one, and its gradients, each in one pass.

Forward and backward read and write everything once, with a handful of operations for each number: both are bound by bytes. What Inductor leaves is
backward of two halves, where one kernel over both reads everything twice and computes both gradients for each number, to write one of them.

Shazeer 2020, arXiv:2002.05202. Backward computes the sigmoid again: what it would read instead is as large as an input.
"""

from __future__ import annotations

from typing import Any

import torch
import triton
import triton.language as tl
from torch import Tensor
from torch.autograd.forward_ad import unpack_dual
from torch.autograd.function import once_differentiable

Configuration = dict[str, int]
"""BLOCK of a row's columns that a program owns, and its warps."""
CANDIDATES: list[Configuration] = [
    {"BLOCK": block, "num_warps": warps}
    for block, warps in ((256, 4), (512, 2), (512, 4), (512, 8), (1024, 4), (1024, 8), (2048, 4), (2048, 8), (4096, 8))
]
"""What is worth timing."""
SMALL, LARGE = CANDIDATES[2], CANDIDATES[4]
FILLED = 16 * 132
"""Programs of LARGE that keep an H200's 132 multiprocessors busy; where there are fewer, SMALL."""
DTYPES = (torch.float32, torch.bfloat16, torch.float16, torch.float64)


def chosen(rows: int, columns: int) -> Configuration:
    """The configuration for so many rows of so many columns."""
    return LARGE if rows * columns >= FILLED * LARGE["BLOCK"] else SMALL


def swiglu(gate: Tensor, up: Tensor, *, in_place: bool = False, configuration: Configuration | None = None) -> Tensor:
    """gate and up [..., F] -> silu(gate) * up, contiguous. Differentiable once in both.

    Computed in float32, of float64 in float64, and rounded once, where eager rounds silu(gate) as well. Rows may lie apart, as those of halves of one
    tensor do; tensors are copied where a row's numbers do.

    Args:
        in_place: Backward writes the gradients over gate and up, for callers to whom both belong: nobody else may read them behind forward.
        configuration: One of `CANDIDATES`; else what `chosen` says.

    Raises:
        ValueError: shapes, dtypes or devices do not belong together, or `in_place` of what had to be copied.
    """
    _check(gate)
    if (up.shape, up.dtype, up.device) != (gate.shape, gate.dtype, gate.device):
        raise ValueError(f"up is {_told(up)}, and not {_told(gate)}, as gate is")
    if in_place:
        _check_in_place(gate, up)
    if not _differentiable(gate, up):
        return forwarded(gate, up, configuration=configuration)
    result: Tensor = _SwiGLU.apply(gate, up, in_place, configuration)  # type: ignore[no-untyped-call]
    return result


def swiglu_halves(both: Tensor, *, in_place: bool = False, configuration: Configuration | None = None) -> Tensor:
    """both [..., 2 * F], gate before up as of one product for both -> silu(gate) * up [..., F]; its gradient is one tensor too.

    Arguments and errors are those of `swiglu`.
    """
    _check(both)
    if both.shape[-1] % 2:
        raise ValueError(f"two halves have an even number of columns, and not {both.shape[-1]}")
    if in_place:
        _check_in_place(both)
    if not _differentiable(both):
        return forwarded(both, None, configuration=configuration)
    result: Tensor = _SwiGLU.apply(both, None, in_place, configuration)  # type: ignore[no-untyped-call]
    return result


def _check(tensor: Tensor) -> None:
    if tensor.dtype not in DTYPES:
        raise ValueError(f"gate and up are of {', '.join(map(str, DTYPES))}, and not of {tensor.dtype}")
    if not tensor.ndim:
        raise ValueError("gate and up are [..., F], and not single numbers")


def _differentiable(*tensors: Tensor) -> bool:
    """Whether autograd has to know: of a gradient, or of a derivative forward, which it refuses."""
    gradient = torch.is_grad_enabled() and any(tensor.requires_grad for tensor in tensors)
    return gradient or any(unpack_dual(tensor).tangent is not None for tensor in tensors)


def _told(tensor: Tensor) -> str:
    return f"{list(tensor.shape)} of {tensor.dtype} on {tensor.device}"


class _SwiGLU(torch.autograd.Function):
    @staticmethod
    def forward(
        ctx: Any, gate: Tensor, up: Tensor | None, in_place: bool, configuration: Configuration | None
    ) -> Tensor:
        ctx.save_for_backward(gate, up)
        ctx.how = in_place, configuration
        return forwarded(gate, up, configuration=configuration)

    @staticmethod
    @once_differentiable  # type: ignore[untyped-decorator]
    def backward(ctx: Any, grad: Tensor) -> tuple[Tensor | None, ...]:
        gate, up = ctx.saved_tensors
        in_place, configuration = ctx.how
        return *gradients(grad, gate, up, in_place=in_place, configuration=configuration), None, None


def forwarded(gate: Tensor, up: Tensor | None, *, configuration: Configuration | None = None) -> Tensor:
    """The result; without `up` of the halves of `gate`."""
    pair = _pair(gate, up)
    columns = pair[0].shape[1]
    out = gate.new_empty(*gate.shape[:-1], columns)
    if out.numel():
        launch(forward, [*pair, out.view(-1, columns)], configuration=configuration)
    return out


def gradients(
    grad: Tensor, gate: Tensor, up: Tensor | None, *, in_place: bool = False, configuration: Configuration | None = None
) -> tuple[Tensor, Tensor | None]:
    """Those of gate and up, contiguous, or gate and up themselves; without `up` that of both halves, and None."""
    gate_grad, up_grad = gate, up
    if not in_place:
        gate_grad = torch.empty(gate.shape, dtype=gate.dtype, device=gate.device)
        up_grad = None if up is None else torch.empty_like(gate_grad)
    if grad.numel():
        launch(backward, [_rows(grad), *_pair(gate, up), *_pair(gate_grad, up_grad)], configuration=configuration)
    if in_place:  # autograd tells who goes backward a second time
        torch.autograd.graph.increment_version([one for one in (gate, up) if one is not None])
    return gate_grad, up_grad


def launch(kernel: Any, tensors: list[Tensor], *, configuration: Configuration | None = None) -> None:
    """Launch `forward` of gate, up, out or `backward` of grad, gate, up and both gradients, [rows, F] each, not empty."""
    rows, columns = tensors[0].shape
    if all(one.is_contiguous() for one in tensors):  # one long row: no block ends within
        rows, columns, tensors = 1, rows * columns, [one.view(1, -1) for one in tensors]
    sizes = configuration or chosen(rows, columns)
    blocks = -(-columns // sizes["BLOCK"])
    with torch.cuda.device_of(tensors[0]):
        kernel[rows * blocks,](
            *tensors, columns, blocks, *(one.stride(0) for one in tensors), MANY=rows > 1, **sizes
        )  # fmt: skip


def _pair(gate: Tensor, up: Tensor | None) -> tuple[Tensor, Tensor]:
    """Both as [rows, F]; without `up` the halves of `gate`."""
    rows, half = _rows(gate), gate.shape[-1] // 2
    return (rows[:, :half], rows[:, half:]) if up is None else (rows, _rows(up))


def _rows(tensor: Tensor) -> Tensor:
    """[rows, F], whose columns lie beside each other."""
    rows = tensor.flatten(0, -2) if tensor.ndim > 1 else tensor[None]
    return rows if rows.stride(1) == 1 or rows.shape[1] == 1 else rows.contiguous()


def _check_in_place(*tensors: Tensor) -> None:
    if any(_rows(one).data_ptr() != one.data_ptr() for one in tensors):
        raise ValueError(
            "in_place asks for rows whose numbers lie beside each other, and a stride apart: these would be copied"
        )


@triton.jit
def forward(
    gate_ptr,  # [rows, columns]
    up_ptr,  # [rows, columns]
    out_ptr,  # [rows, columns], written
    columns,
    blocks,  # of a row
    gate_stride,
    up_stride,
    out_stride,
    MANY: tl.constexpr,  # rows: of one there is nothing to divide
    BLOCK: tl.constexpr,
):
    row, column, inside = owned(columns, blocks, MANY, BLOCK)
    gate = computed(tl.load(gate_ptr + row * gate_stride + column, inside))
    up = computed(tl.load(up_ptr + row * up_stride + column, inside))
    out = gate * tl.sigmoid(gate) * up
    tl.store(out_ptr + row * out_stride + column, out.to(out_ptr.dtype.element_ty), inside)


@triton.jit
def backward(
    grad_ptr,  # [rows, columns], of the result
    gate_ptr,  # [rows, columns]
    up_ptr,  # [rows, columns]
    gate_grad_ptr,  # [rows, columns], written
    up_grad_ptr,  # [rows, columns], written
    columns,
    blocks,
    grad_stride,
    gate_stride,
    up_stride,
    gate_grad_stride,
    up_grad_stride,
    MANY: tl.constexpr,  # rows: of one there is nothing to divide
    BLOCK: tl.constexpr,
):
    row, column, inside = owned(columns, blocks, MANY, BLOCK)
    grad = computed(tl.load(grad_ptr + row * grad_stride + column, inside))
    gate = computed(tl.load(gate_ptr + row * gate_stride + column, inside))
    up = computed(tl.load(up_ptr + row * up_stride + column, inside))
    sigmoid = tl.sigmoid(gate)
    up_grad = grad * (gate * sigmoid)  # of two large numbers grad * gate is infinite, and 0 times that NaN
    gate_grad = grad * up * sigmoid * (1 + gate * (1 - sigmoid))
    tl.store(gate_grad_ptr + row * gate_grad_stride + column, gate_grad.to(gate_grad_ptr.dtype.element_ty), inside)
    tl.store(up_grad_ptr + row * up_grad_stride + column, up_grad.to(up_grad_ptr.dtype.element_ty), inside)


@triton.jit
def owned(columns, blocks, MANY: tl.constexpr, BLOCK: tl.constexpr):
    """The row of this program, its columns [BLOCK], both in 64 bits, and which of them there are."""
    row, block = tl.program_id(0) * 0, tl.program_id(0)
    if MANY:
        row, block = block // blocks, block % blocks
    column = block.to(tl.int64) * BLOCK + tl.arange(0, BLOCK)
    return row.to(tl.int64), column, column < columns


@triton.jit
def computed(x):
    """What is computed with: float32 at least."""
    return x if x.dtype == tl.float64 else x.to(tl.float32)
