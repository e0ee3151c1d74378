"""A feed-forward layer of the neurons that a router chose, without a copy of their weights: y = activation(x U[i]^T) D[i].

Inductor copies the chosen rows of both weights, multiplies, and reads the hidden layer again: three passes over what one has to read. Up to
four tokens need no tensor core: a program takes some neurons, has their sums, their activation and what they add to the result in
registers, and hands its part over once, by atomic additions or as one of the parts that a second kernel adds up in a fixed order. More
tokens are two products, whose loads gather.

Liu et al. 2023 (Deja Vu), arXiv:2310.17157; Zheng et al. 2024 (Learn to be efficient), arXiv:2402.06126.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import torch
import triton
import triton.language as tl
from torch import Tensor

ACTIVATIONS = ("identity", "relu", "leaky_relu", "silu", "gelu")
"""`leaky_relu` has torch's slope of 0.01, `gelu` is the exact one."""
DTYPES = (torch.bfloat16, torch.float16, torch.float32)
LARGEST = 16384
"""Numbers of the result that the programs of `fused` hold in registers; of longer rows, `products`."""


@dataclass(frozen=True)
class Fused:
    """One kernel: so many neurons at once, in so many programs at most; `rotated`: each begins with other columns."""

    neurons: int = 4
    programs: int = 264
    num_warps: int = 8
    rotated: bool = False


@dataclass(frozen=True)
class Products:
    """Two kernels: tiles of tokens and neurons, of columns in the second one, whose sum is made in parts, and of what the first sums at once."""

    tokens: int = 16
    neurons: int = 32
    columns: int = 128
    splits: int = 1
    chunk: int = 128
    num_warps: int = 4
    num_stages: int = 4


Configuration = Fused | Products
CANDIDATES: list[Configuration] = [
    *(
        Fused(neurons, programs, warps, rotated)
        for neurons, warps in ((1, 4), (2, 4), (2, 8), (4, 8), (8, 8), (4, 16))
        for programs in (132, 264, 396)
        for rotated in (False, True)
    ),
    *(
        Products(tokens, neurons, columns, splits, chunk, warps)
        for tokens, neurons, columns, chunk, warps in (
            (16, 16, 128, 128, 4), (16, 16, 128, 256, 4), (16, 32, 64, 256, 4), (16, 32, 128, 256, 4),
            (64, 16, 128, 128, 4), (64, 32, 128, 128, 4), (64, 64, 128, 64, 8),
        )
        for splits in (1, 2, 4, 8)
    ),
]  # fmt: skip
"""What is worth timing."""
PROCESSORS = 132
"""Multiprocessors of an H200."""


def chosen(tokens: int, columns: int, active: int, neurons: int, *, itemsize: int, gated: bool) -> Configuration:
    """The configuration for so many active ones of the neurons: what is dense enough has more to do in a program."""
    padded, tile = (triton.next_power_of_2(max(size, 1)) for size in (columns, tokens))
    if tokens <= 4 and tile * padded <= LARGEST:
        warps = 4 if padded <= 1024 else 8 if padded * tile <= 8192 else 16
        together = PROCESSORS * (1 if warps == 16 else 2 if padded * tile > 4096 else 3)  # as their registers allow
        # Four rows of two matrices in bfloat16, of 4096 columns, take 64 of a thread's registers.
        most = max(1, min(8, 4 * 4096 * 2 // (padded * itemsize)) // (1 + gated))
        least = 1 << max(1, active // (2 * PROCESSORS)).bit_length() - 1
        rows = min(most, least)
        groups = triton.cdiv(max(active, 1), rows)
        return Fused(rows, triton.cdiv(groups, triton.cdiv(groups, together)), warps)  # each as often as the others
    tile, single = 16 if tokens <= 16 else 64, itemsize == 4
    block = 64 if single else 128
    tiles = triton.cdiv(tokens, tile) * triton.cdiv(columns, block)
    # Of a sparse layer the sum is short: it is not worth many parts.
    splits = min(8, max(1, 2 * PROCESSORS // max(tiles, 1)), max(1, active // 128))
    rows = 16 if tile == 16 or active < neurons / 4 else 32
    return Products(tile, rows, block, splits, block if tile == 64 else 2 * block, num_stages=3 if single else 4)


# ---------------------------------------------------------------- what is called


def sparse_ffn(
    x: Tensor,
    up: Tensor,
    down: Tensor,
    active: Tensor,
    *,
    gate: Tensor | None = None,
    count: Tensor | None = None,
    activation: str = "leaky_relu",
    deterministic: bool | None = None,
    configuration: Configuration | None = None,
) -> Tensor:
    """x [T, D], up and down [F, D], active [L] neurons of all the tokens -> [T, D]: activation(x @ up[active].T) @ down[active].

    With `gate` [F, D] the hidden layer is activation(x @ gate[active].T) * (x @ up[active].T), as Llama's. Sums are float32, and IEEE's
    where the tensors are float32. A neuron that `active` has twice counts twice, and a negative one from the end, as in eager. Weights of
    any strides are right; rows of neurons are fast. It has no gradient.

    Args:
        active: int32 or int64. One out of range is a device-side assertion on a card, as in eager.
        count: [1] int32 or int64 on the device: how many of `active` there are, from the first, at most L. None: all. See `indices`.
        deterministic: Add up in a fixed order. None: as `torch.use_deterministic_algorithms` asks. More than four tokens always are.
        configuration: One of `CANDIDATES`; else what `chosen` says.

    Raises:
        ValueError: shapes, dtypes or devices do not belong together, a gradient is asked for, or rows are too long for `Fused`.
        IndexError: on the CPU, in Triton's interpreter, a neuron that is not there.
    """
    weights = {"up": up, "down": down} | ({} if gate is None else {"gate": gate})
    _check(x, weights, active, count, activation)
    (tokens, columns), bound = x.shape, len(active)
    if not bound or not x.numel():
        return x.new_zeros(tokens, columns)
    how = configuration or chosen(tokens, columns, bound, len(up), itemsize=x.element_size(), gated=gate is not None)
    if isinstance(how, Products):
        return _products(x, up, down, active, gate, count, activation, how)
    if triton.next_power_of_2(columns) > LARGEST:
        raise ValueError(
            f"rows of {columns} numbers are too long for one kernel, which holds {LARGEST}: ask for Products"
        )
    if deterministic is None:
        deterministic = torch.are_deterministic_algorithms_enabled()
    return _fused(x, up, down, active, gate, count, activation, how, deterministic)


def _check(x: Tensor, weights: dict[str, Tensor], active: Tensor, count: Tensor | None, activation: str) -> None:
    if x.ndim != 2 or x.dtype not in DTYPES:
        raise ValueError(f"x is [T, D] in bfloat16, float16 or float32, not {list(x.shape)} of {x.dtype}")
    neurons = len(weights["up"]) if weights["up"].ndim else 0
    for name, weight in weights.items():
        if weight.shape != (neurons, x.shape[1]) or weight.dtype != x.dtype:
            wanted = f"[{neurons}, {x.shape[1]}] of {x.dtype}, a row for each neuron of `up` and x's columns"
            raise ValueError(f"{name} is {list(weight.shape)} of {weight.dtype}, and not {wanted}")
    if active.ndim != 1 or active.dtype not in (torch.int32, torch.int64):
        raise ValueError(f"active is [L] of int32 or int64, not {list(active.shape)} of {active.dtype}")
    if count is not None and (count.shape != (1,) or count.dtype not in (torch.int32, torch.int64)):
        raise ValueError(f"count is [1] of int32 or int64, not {list(count.shape)} of {count.dtype}")
    if activation not in ACTIVATIONS:
        raise ValueError(f"there is no activation {activation!r}: it is {', '.join(ACTIVATIONS)}")
    for other in (*weights.values(), active, *([] if count is None else [count])):
        if other.device != x.device:
            raise ValueError(f"all tensors lie on one device, not on {x.device} and {other.device}")
    if torch.is_grad_enabled() and any(one.requires_grad for one in (x, *weights.values())):
        raise ValueError("sparse_ffn has no gradient: call it under torch.no_grad(), or with detached tensors")
    if x.device.type == "cpu":  # Triton's interpreter has no assertions
        asked = active if count is None else active[: int(count)]
        if ((asked < -neurons) | (asked >= neurons)).any():
            raise IndexError(f"index out of range in active: there are {neurons} neurons")


def _shared(x: Tensor, up: Tensor, active: Tensor, gate: Tensor | None, count: Tensor | None) -> dict[str, Any]:
    """What the kernels that read x are told; the assertion of the range is compiled in, overflow of int64 is none of its business."""
    return {
        "x_ptr": x, "up_ptr": up, "gate_ptr": gate, "active_ptr": active, "count_ptr": count,
        "tokens": len(x), "columns": x.shape[1], "neurons": len(up), "bound": len(active),
        "x_strides": x.stride(), "up_strides": up.stride(), "gate_strides": None if gate is None else gate.stride(),
        "active_stride": active.stride(0), "debug": True, "sanitize_overflow": False,
    }  # fmt: skip


def _fused(
    x: Tensor, up: Tensor, down: Tensor, active: Tensor, gate: Tensor | None, count: Tensor | None,
    activation: str, how: Fused, deterministic: bool,
) -> Tensor:  # fmt: skip
    tokens, columns = x.shape
    padded = triton.next_power_of_2(columns)
    tile = min(4, triton.next_power_of_2(tokens), LARGEST // padded)
    tiles = triton.cdiv(tokens, tile)
    programs = min(how.programs, triton.cdiv(len(active), how.neurons))
    out, tickets = x.new_empty(tokens, columns), None
    if deterministic:
        total = x.new_empty(programs, tokens, columns, dtype=torch.float32)
    elif out.dtype == torch.float32:
        total = out.zero_()
    else:  # one memset clears both
        cleared = x.new_zeros(tokens * columns + tiles, dtype=torch.float32)
        total, tickets = cleared[: tokens * columns], cleared[tokens * columns :].view(torch.int32)
    with torch.cuda.device_of(x):
        fused[programs, tiles](
            **_shared(x, up, active, gate, count),
            down_ptr=down, down_strides=down.stride(), total_ptr=total, out_ptr=out, ticket_ptr=tickets,
            ACTIVATION=activation, ATOMIC=not deterministic, ROTATED=how.rotated,
            TOKENS=tile, NEURONS=how.neurons, COLUMNS=padded, num_warps=how.num_warps,
        )  # fmt: skip
        if deterministic:
            _sum(total, out, count, len(active), how.neurons)
    return out


def _products(
    x: Tensor, up: Tensor, down: Tensor, active: Tensor, gate: Tensor | None, count: Tensor | None,
    activation: str, how: Products,
) -> Tensor:  # fmt: skip
    tokens, columns = x.shape
    bound, tiles = len(active), triton.cdiv(tokens, how.tokens)
    between, out = x.new_empty(tokens, bound), x.new_empty(tokens, columns)
    parts = out[None] if how.splits == 1 else x.new_empty(how.splits, tokens, columns, dtype=torch.float32)
    sizes = {"TOKENS": how.tokens, "NEURONS": how.neurons, "num_warps": how.num_warps, "num_stages": how.num_stages}
    with torch.cuda.device_of(x):
        hidden[(tiles * triton.cdiv(bound, how.neurons),)](
            **_shared(x, up, active, gate, count), hidden_ptr=between, ACTIVATION=activation, COLUMNS=how.chunk, **sizes
        )
        mapped_down[tiles, triton.cdiv(columns, how.columns), how.splits](
            between, down, active, count, parts, tokens, columns, len(up), bound, active.stride(0), down.stride(),
            COLUMNS=how.columns, **sizes,
        )  # fmt: skip
        if how.splits > 1:
            _sum(parts, out, None, how.splits, 1)
    return out


def _sum(parts: Tensor, out: Tensor, count: Tensor | None, bound: int, neurons: int) -> None:
    columns = 32
    summed[(triton.cdiv(out.numel(), columns),)](
        parts, out, count, len(parts), bound, out.numel(), NEURONS=neurons, PARTS=32, COLUMNS=columns, num_warps=4
    )


# ---------------------------------------------------------------- the kernels


@triton.jit
def fused(
    x_ptr,  # [tokens, columns]
    up_ptr,  # [neurons, columns]
    gate_ptr,  # [neurons, columns], or None
    down_ptr,  # [neurons, columns]
    active_ptr,  # [bound]
    count_ptr,  # [1], or None
    total_ptr,  # f32[tokens, columns], added to, or f32[programs, tokens, columns], written
    out_ptr,  # [tokens, columns], written by the last program where there are tickets
    ticket_ptr,  # i32[tiles of tokens], zero; None where `total` is all that is asked for
    tokens,
    columns,
    neurons,
    bound,
    x_strides,
    up_strides,
    gate_strides,
    down_strides,
    active_stride,
    ACTIVATION: tl.constexpr,
    ATOMIC: tl.constexpr,
    ROTATED: tl.constexpr,
    TOKENS: tl.constexpr,
    NEURONS: tl.constexpr,
    COLUMNS: tl.constexpr,
):
    # A program owns groups of neurons, `programs` apart whatever their count is, and whole rows of tokens: [TOKENS, NEURONS, COLUMNS].
    program, programs = tl.program_id(0), tl.num_programs(0)
    token = tl.program_id(1) * TOKENS + tl.arange(0, TOKENS)[:, None, None]
    column = tl.arange(0, COLUMNS)
    if ROTATED:  # programs that end together begin to add at other columns
        STEP: tl.constexpr = 64 if COLUMNS > 64 else COLUMNS
        column = tl.max_contiguous(tl.multiple_of((column + program * STEP) % COLUMNS, STEP), STEP)
    column = column[None, None, :]
    ours = (token < tokens) & (column < columns)
    x = tl.load(at(x_ptr, token, column, x_strides), ours, other=0).to(tl.float32)
    count = counted(count_ptr, bound)
    y = tl.zeros([TOKENS, 1, COLUMNS], tl.float32)
    for first in range(program * NEURONS, count, programs * NEURONS):
        row, there = rows(active_ptr, first + tl.arange(0, NEURONS), count, neurons, active_stride)
        tl.device_assert(((row >= 0) & (row < neurons)) | ~there, "index out of range in active")
        row, inside = row[None, :, None], there[None, :, None] & (column < columns)
        up = weights(up_ptr, row, column, up_strides, inside)
        down = weights(down_ptr, row, column, down_strides, inside)  # on its way while the first is added up
        between = tl.sum(x * up, 2, keep_dims=True)
        if gate_ptr is not None:
            gate = weights(gate_ptr, row, column, gate_strides, inside)
            between *= activated(tl.sum(x * gate, 2, keep_dims=True), ACTIVATION)
        else:
            between = activated(between, ACTIVATION)
        between = tl.where(
            there[None, :, None], between, 0.0
        )  # an infinity of x times the zero that stands for no weight
        y += tl.sum(between * down, 1, keep_dims=True)
    place = token.to(tl.int64) * columns + column
    if ATOMIC:
        tl.atomic_add(total_ptr + place, y, ours, sem="relaxed")
        if ticket_ptr is not None:
            tl.debug_barrier()  # all threads have added before the ticket says so
            if tl.atomic_add(ticket_ptr + tl.program_id(1), 1, sem="acq_rel") == programs - 1:
                y = tl.load(total_ptr + place, ours, other=0, cache_modifier=".cg")
                tl.store(out_ptr + place, y.to(out_ptr.dtype.element_ty), ours)
    else:
        tl.store(total_ptr + program.to(tl.int64) * tokens * columns + place, y, ours)


@triton.jit
def hidden(
    x_ptr,  # [tokens, columns]
    up_ptr,  # [neurons, columns]
    gate_ptr,  # [neurons, columns], or None
    active_ptr,  # [bound]
    count_ptr,  # [1], or None
    hidden_ptr,  # [tokens, bound], written
    tokens,
    columns,
    neurons,
    bound,
    x_strides,
    up_strides,
    gate_strides,
    active_stride,
    ACTIVATION: tl.constexpr,
    TOKENS: tl.constexpr,
    NEURONS: tl.constexpr,
    COLUMNS: tl.constexpr,
):
    # Tiles of tokens follow each other: what the first one gathers is in the cache for the next.
    tiles = tl.cdiv(tokens, TOKENS)
    tile, block = tl.program_id(0) % tiles, tl.program_id(0) // tiles
    count = counted(count_ptr, bound)
    place = block * NEURONS + tl.arange(0, NEURONS)
    row, there = rows(active_ptr, place, count, neurons, active_stride)
    tl.device_assert(((row >= 0) & (row < neurons)) | ~there, "index out of range in active")
    row, there = row[None, :], there[None, :]
    token = (tile * TOKENS + tl.arange(0, TOKENS))[:, None]
    up_sum = tl.zeros([TOKENS, NEURONS], tl.float32)
    gate_sum = tl.zeros([TOKENS, NEURONS], tl.float32)
    end = tl.where(block * NEURONS < count, columns, 0)  # behind the last neuron there is nothing to do
    for start in range(0, end, COLUMNS):
        column = start + tl.arange(0, COLUMNS)
        across, along = column[None, :], column[:, None]
        x = tl.load(at(x_ptr, token, across, x_strides), (token < tokens) & (across < columns), other=0)
        up = tl.load(at(up_ptr, row, along, up_strides), there & (along < columns), other=0)
        up_sum = tl.dot(x, up, up_sum, input_precision="ieee")
        if gate_ptr is not None:
            gate = tl.load(at(gate_ptr, row, along, gate_strides), there & (along < columns), other=0)
            gate_sum = tl.dot(x, gate, gate_sum, input_precision="ieee")
    # Rounded where eager stores it: what is too large for half precision there is so here.
    up_sum = up_sum.to(hidden_ptr.dtype.element_ty).to(tl.float32)
    if gate_ptr is not None:
        up_sum *= activated(gate_sum.to(hidden_ptr.dtype.element_ty).to(tl.float32), ACTIVATION)
    else:
        up_sum = activated(up_sum, ACTIVATION)
    own = hidden_ptr + token.to(tl.int64) * bound + place[None, :]
    tl.store(own, up_sum.to(hidden_ptr.dtype.element_ty), (token < tokens) & there)


@triton.jit
def mapped_down(
    hidden_ptr,  # [tokens, bound]
    down_ptr,  # [neurons, columns]
    active_ptr,  # [bound], in range
    count_ptr,  # [1], or None
    parts_ptr,  # [splits, tokens, columns], written; of one split the result itself
    tokens,
    columns,
    neurons,
    bound,
    active_stride,
    down_strides,
    TOKENS: tl.constexpr,
    NEURONS: tl.constexpr,
    COLUMNS: tl.constexpr,
):
    token = (tl.program_id(0) * TOKENS + tl.arange(0, TOKENS))[:, None]
    column = (tl.program_id(1) * COLUMNS + tl.arange(0, COLUMNS))[None, :]
    split, splits = tl.program_id(2), tl.num_programs(2)
    count = counted(count_ptr, bound)
    own = hidden_ptr + token.to(tl.int64) * bound
    y = tl.zeros([TOKENS, COLUMNS], tl.float32)
    for first in range(split * NEURONS, count, splits * NEURONS):
        # An assertion of the range in this loop would keep the compiler from loading ahead; `hidden` has it.
        place = first + tl.arange(0, NEURONS)
        row, there = rows(active_ptr, place, count, neurons, active_stride)
        between = tl.load(own + place[None, :], (token < tokens) & there[None, :], other=0)
        down = tl.load(at(down_ptr, row[:, None], column, down_strides), there[:, None] & (column < columns), other=0)
        y = tl.dot(between, down, y, input_precision="ieee")
    place = (split.to(tl.int64) * tokens + token) * columns + column
    tl.store(parts_ptr + place, y.to(parts_ptr.dtype.element_ty), (token < tokens) & (column < columns))


@triton.jit
def summed(
    parts_ptr,  # f32[parts, numel]
    out_ptr,  # [numel], written
    count_ptr,  # [1], or None
    parts,
    bound,
    numel,
    NEURONS: tl.constexpr,
    PARTS: tl.constexpr,
    COLUMNS: tl.constexpr,
):
    """The parts one after the other, of those programs that had neurons."""
    offset = tl.program_id(0).to(tl.int64) * COLUMNS + tl.arange(0, COLUMNS)
    written = tl.minimum(parts, tl.cdiv(counted(count_ptr, bound), NEURONS))
    total = tl.zeros([PARTS, COLUMNS], tl.float32)
    for first in range(0, written, PARTS):
        part = first + tl.arange(0, PARTS)[:, None]
        inside = (part < written) & (offset < numel)[None, :]
        total += tl.load(parts_ptr + part.to(tl.int64) * numel + offset[None, :], inside, other=0)
    tl.store(out_ptr + offset, tl.sum(total, 0).to(out_ptr.dtype.element_ty), offset < numel)


@triton.jit
def counted(count_ptr, bound):
    """How many of the bound there are."""
    count = bound
    if count_ptr is not None:
        count = tl.minimum(tl.load(count_ptr).to(tl.int32), bound)
    return count


@triton.jit
def at(pointer, row, column, strides):
    """The address of each element, in 64 bits."""
    return pointer + row.to(tl.int64) * strides[0] + column.to(tl.int64) * strides[1]


@triton.jit
def weights(pointer, row, column, strides, inside):
    """What is read once: it need not stay in the cache."""
    return tl.load(at(pointer, row, column, strides), inside, other=0, eviction_policy="evict_first").to(tl.float32)


@triton.jit
def rows(active_ptr, place, count, neurons, active_stride):
    """The rows of these places of `active`, and which of them there are."""
    there = place < count
    row = tl.load(active_ptr + place.to(tl.int64) * active_stride, there, other=0).to(tl.int64)
    return tl.where(row < 0, row + neurons, row), there


@triton.jit
def activated(x, ACTIVATION: tl.constexpr):
    """float32 in and out."""
    if ACTIVATION == "relu":
        x = tl.where(x < 0, 0.0, x)  # NaN stays
    elif ACTIVATION == "leaky_relu":
        x = tl.where(x > 0, x, x * 0.01)
    elif ACTIVATION == "silu":
        x = x / (1 + tl.exp(-x))
    elif ACTIVATION == "gelu":
        x = 0.5 * x * (1 + tl.erf(x * 0.7071067811865476))
    return x
