"""A feed-forward layer of the neurons that a router chose, without a copy of their weights: y = activation(x U[i]^T) D[i].

Inductor copies the chosen rows of both weights, multiplies, and reads the hidden layer again: three passes over what one has to read. Here are
two launches, whose loads gather. The first one makes the hidden layer, a program some neurons; in the second one a program has some columns of
the result, and all neurons. So nothing is cleared, nothing added up by several programs, and the bits are always the same. One token is no
matrix: both of its kernels multiply and add without a tensor core. The second launch begins while the first one runs, where the card can.

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
"""Numbers of a row that a program of `One` holds in registers; of longer rows, `Tiles`."""


@dataclass(frozen=True)
class One:
    """One token: neurons of a program of the first launch; columns of one of the second, and how many rows it loads at once."""

    neurons: int = 1
    num_warps: int = 4
    columns: int = 32
    rows: int = 512
    down_warps: int = 16


@dataclass(frozen=True)
class Tiles:
    """Products: tiles of tokens and neurons, of what the first launch sums at once; of columns and neurons in the second one."""

    tokens: int = 16
    neurons: int = 16
    chunk: int = 256
    num_stages: int = 4
    columns: int = 32
    rows: int = 128
    down_stages: int = 7
    """Of two loads behind each other, the neurons' numbers and their rows: half as many tiles of rows are on their way."""


Configuration = One | Tiles
CANDIDATES: list[Configuration] = [
    *(
        One(neurons, warps, columns, rows, down_warps)
        for neurons, warps in ((1, 4), (1, 8), (2, 4))
        for columns, rows, down_warps in ((16, 256, 8), (16, 512, 8), (32, 256, 8), (32, 512, 8), (32, 512, 16), (64, 256, 16))
    ),
    *(
        Tiles(tokens, neurons, chunk, columns=columns, rows=rows)
        for tokens, neurons, chunk, columns, rows in (
            (16, 16, 256, 16, 128), (16, 16, 256, 32, 128), (16, 16, 512, 32, 128), (16, 16, 256, 64, 64), (16, 32, 256, 32, 128),
            (64, 16, 128, 32, 64), (64, 32, 128, 32, 64), (64, 32, 128, 64, 64), (64, 64, 64, 64, 64), (64, 32, 128, 128, 64),
        )
    ),
]  # fmt: skip
"""What is worth timing."""
PROCESSORS = 132
"""Multiprocessors of an H200."""


def chosen(tokens: int, columns: int, active: int, *, itemsize: int, gated: bool) -> Configuration:
    """The configuration for so many active neurons: of few, the second launch has more programs, of fewer columns."""
    padded = triton.next_power_of_2(max(columns, 1))
    if tokens == 1 and padded <= LARGEST:
        warps = max(1, min(16, padded * itemsize // 2048))  # 64 bytes of a row for a thread
        few = active <= 1280
        return One(num_warps=warps, columns=(32 if few else 64) // itemsize, down_warps=8 if few else 16)
    if tokens <= 16:
        chunk = 1024 if active // 16 <= 2 * PROCESSORS else 512  # deep where there are few programs
        return Tiles(chunk=chunk // itemsize // (1 + gated), columns=64 // itemsize)
    return Tiles(tokens=64, neurons=32, chunk=256 // itemsize, columns=64 if active > 2048 else 32, rows=64)


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
    configuration: Configuration | None = None,
) -> Tensor:
    """x [T, D], up and down [F, D], active [L] neurons of all the tokens -> [T, D]: activation(x @ up[active].T) @ down[active].

    With `gate` [F, D] the hidden layer is activation(x @ gate[active].T) * (x @ up[active].T), as Llama's. Sums are float32, and IEEE's
    where the tensors are float32. A neuron that `active` has twice counts twice, and a negative one from the end, as in eager. Weights of
    any strides are right; rows of neurons are fast. It has no gradient.

    Args:
        active: int32 or int64. One out of range is a device-side assertion on a card, as in eager.
        count: [1] int32 or int64 on the device: how many of `active` there are, from the first, at most L. None: all. See `indices`.
        configuration: One of `CANDIDATES`; else what `chosen` says.

    Raises:
        ValueError: shapes, dtypes or devices do not belong together, a gradient is asked for, or rows are too long for `One`.
        IndexError: on the CPU, in Triton's interpreter, a neuron that is not there.
    """
    weights = {"up": up, "down": down} | ({} if gate is None else {"gate": gate})
    _check(x, weights, active, count, activation)
    (tokens, columns), bound = x.shape, len(active)
    if not bound or not x.numel():
        return x.new_zeros(tokens, columns)
    how = configuration or chosen(tokens, columns, bound, itemsize=x.element_size(), gated=gate is not None)
    with torch.cuda.device_of(x):
        if isinstance(how, Tiles):
            return _tiles(x, up, down, active, gate, count, activation, how)
        if tokens > 1 or triton.next_power_of_2(columns) > LARGEST:
            raise ValueError(f"one token of at most {LARGEST} numbers is for One, not {list(x.shape)}: ask for Tiles")
        return _one(x, up, down, active, gate, count, activation, how)


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


def linked(device: torch.device) -> bool:
    """Whether the second launch can begin while the first one runs, and wait for it where it needs it: Hopper's and later can."""
    return device.type == "cuda" and torch.cuda.get_device_capability(device) >= (9, 0)


def _shared(
    x: Tensor, up: Tensor, active: Tensor, gate: Tensor | None, count: Tensor | None, activation: str
) -> dict[str, Any]:
    """What the first launches are told; the assertion of the range is compiled in, overflow of int64 is none of its business."""
    return {
        "x_ptr": x, "up_ptr": up, "gate_ptr": gate, "active_ptr": active, "count_ptr": count,
        "columns": x.shape[1], "neurons": len(up), "bound": len(active),
        "x_strides": x.stride(), "up_strides": up.stride(), "gate_strides": None if gate is None else gate.stride(),
        "active_stride": active.stride(0), "ACTIVATION": activation, "debug": True, "sanitize_overflow": False,
    }  # fmt: skip


def _one(
    x: Tensor, up: Tensor, down: Tensor, active: Tensor, gate: Tensor | None, count: Tensor | None, activation: str, how: One
) -> Tensor:  # fmt: skip
    columns, bound, link = x.shape[1], len(active), linked(x.device)
    between, out = x.new_empty(bound, dtype=torch.float32), x.new_empty(1, columns)
    hidden_of_one[(triton.cdiv(bound, how.neurons),)](
        **_shared(x, up, active, gate, count, activation), hidden_ptr=between,
        NEURONS=how.neurons, COLUMNS=triton.next_power_of_2(columns), LINKED=link, num_warps=how.num_warps,
    )  # fmt: skip
    down_of_one[(triton.cdiv(columns, how.columns),)](
        between, down, active, count, out, columns, len(up), bound, active.stride(0), down.stride(),
        NEURONS=how.rows, COLUMNS=how.columns, LINKED=link, launch_pdl=link, num_warps=how.down_warps,
    )  # fmt: skip
    return out


def _tiles(
    x: Tensor, up: Tensor, down: Tensor, active: Tensor, gate: Tensor | None, count: Tensor | None, activation: str, how: Tiles
) -> Tensor:  # fmt: skip
    (tokens, columns), bound = x.shape, len(active)
    tiles, padded = triton.cdiv(tokens, how.tokens), triton.cdiv(bound, how.rows) * how.rows
    between, out = x.new_empty(tokens, padded), x.new_empty(tokens, columns)
    hidden[(tiles * triton.cdiv(padded, how.neurons),)](
        **_shared(x, up, active, gate, count, activation), hidden_ptr=between, tokens=tokens, padded=padded,
        TOKENS=how.tokens, NEURONS=how.neurons, COLUMNS=how.chunk, num_stages=how.num_stages,
    )  # fmt: skip
    mapped_down[tiles, triton.cdiv(columns, how.columns)](
        between, down, active, count, out, tokens, columns, len(up), bound, padded, active.stride(0), down.stride(),
        TOKENS=how.tokens, NEURONS=how.rows, COLUMNS=how.columns, num_stages=how.down_stages,
    )  # fmt: skip
    return out


# ---------------------------------------------------------------- the kernels


@triton.jit
def hidden_of_one(
    x_ptr,  # [1, columns]
    up_ptr,  # [neurons, columns]
    gate_ptr,  # [neurons, columns], or None
    active_ptr,  # [bound]
    count_ptr,  # [1], or None
    hidden_ptr,  # f32[bound], written
    columns, neurons, bound,
    x_strides, up_strides, gate_strides, active_stride,
    ACTIVATION: tl.constexpr, NEURONS: tl.constexpr, COLUMNS: tl.constexpr, LINKED: tl.constexpr,
):  # fmt: skip
    if LINKED:
        tl.extra.cuda.gdc_launch_dependents()
    place = tl.program_id(0) * NEURONS + tl.arange(0, NEURONS)
    row, there = rows(active_ptr, place, counted(count_ptr, bound), neurons, active_stride)
    column = tl.arange(0, COLUMNS)[None, :]
    x = tl.load(at(x_ptr, tl.zeros_like(column), column, x_strides), column < columns, other=0).to(tl.float32)
    own = row[:, None]
    between = tl.sum(x * weights(up_ptr, own, column, up_strides, columns).to(tl.float32), 1)
    if gate_ptr is not None:
        gate = weights(gate_ptr, own, column, gate_strides, columns).to(tl.float32)
        between *= activated(tl.sum(x * gate, 1), ACTIVATION)
    else:
        between = activated(between, ACTIVATION)
    tl.store(hidden_ptr + place, between, there)
    tl.device_assert((row >= 0) | ~there, "index out of range in active")  # here no load waits for it


@triton.jit
def down_of_one(
    hidden_ptr,  # f32[bound]
    down_ptr,  # [neurons, columns]
    active_ptr,  # [bound]
    count_ptr,  # [1], or None
    out_ptr,  # [columns], written
    columns, neurons, bound,
    active_stride, down_strides,
    NEURONS: tl.constexpr, COLUMNS: tl.constexpr, LINKED: tl.constexpr,
):  # fmt: skip
    own = tl.program_id(0) * COLUMNS + tl.arange(0, COLUMNS)
    place = tl.arange(0, NEURONS)
    count = counted(count_ptr, bound)
    # Rows are on their way while those before are added up, and their numbers before that; the first ones while the hidden layer is made.
    row, _ = rows(active_ptr, place, count, neurons, active_stride)
    down = weights(down_ptr, row[:, None], own[None, :], down_strides, columns)
    row, _ = rows(active_ptr, NEURONS + place, count, neurons, active_stride)
    if LINKED:
        tl.extra.cuda.gdc_wait()
    y = tl.zeros([NEURONS, COLUMNS], tl.float32)
    for first in range(0, count, NEURONS):
        between = tl.load(hidden_ptr + first + place, first + place < count, other=0)
        ahead = weights(down_ptr, row[:, None], own[None, :], down_strides, columns)
        row, _ = rows(active_ptr, first + 2 * NEURONS + place, count, neurons, active_stride)
        y += between[:, None] * down.to(tl.float32)
        down = ahead
    tl.store(out_ptr + own, tl.sum(y, 0).to(out_ptr.dtype.element_ty), own < columns)


@triton.jit
def hidden(
    x_ptr,  # [tokens, columns]
    up_ptr,  # [neurons, columns]
    gate_ptr,  # [neurons, columns], or None
    active_ptr,  # [bound]
    count_ptr,  # [1], or None
    hidden_ptr,  # [tokens, padded], written
    tokens, columns, neurons, bound,
    padded,  # so many of the hidden layer, 0 behind the active ones: no mask keeps the second launch from loading 16 bytes
    x_strides, up_strides, gate_strides, active_stride,
    ACTIVATION: tl.constexpr, TOKENS: tl.constexpr, NEURONS: tl.constexpr, COLUMNS: tl.constexpr,
):  # fmt: skip
    # Tiles of tokens follow each other: what the first one gathers is in the cache for the next.
    tiles = tl.cdiv(tokens, TOKENS)
    tile, block = tl.program_id(0) % tiles, tl.program_id(0) // tiles
    count = counted(count_ptr, bound)
    place = block * NEURONS + tl.arange(0, NEURONS)
    row, there = rows(active_ptr, place, count, neurons, active_stride)
    tl.device_assert((row >= 0) | ~there, "index out of range in active")
    row = row[None, :]
    token = (tile * TOKENS + tl.arange(0, TOKENS))[:, None]
    up_sum = tl.zeros([TOKENS, NEURONS], tl.float32)
    gate_sum = tl.zeros([TOKENS, NEURONS], tl.float32)
    end = tl.where(block * NEURONS < count, columns, 0)  # behind the last neuron there is nothing to do
    for start in range(0, end, COLUMNS):
        column = start + tl.arange(0, COLUMNS)
        across, along = column[None, :], column[:, None]
        x = tl.load(at(x_ptr, token, across, x_strides), (token < tokens) & (across < columns), other=0)
        up = tl.load(at(up_ptr, row, along, up_strides), (row >= 0) & (along < columns), other=0)
        up_sum = tl.dot(x, up, up_sum, input_precision="ieee")
        if gate_ptr is not None:
            gate = tl.load(at(gate_ptr, row, along, gate_strides), (row >= 0) & (along < columns), other=0)
            gate_sum = tl.dot(x, gate, gate_sum, input_precision="ieee")
    # Rounded where eager stores it: what is too large for half precision there is so here.
    up_sum = up_sum.to(hidden_ptr.dtype.element_ty).to(tl.float32)
    if gate_ptr is not None:
        up_sum *= activated(gate_sum.to(hidden_ptr.dtype.element_ty).to(tl.float32), ACTIVATION)
    else:
        up_sum = activated(up_sum, ACTIVATION)
    up_sum = tl.where(row >= 0, up_sum, 0.0)  # an infinity of x times the zero that stands for no weight is NaN
    own = hidden_ptr + token.to(tl.int64) * padded + place[None, :]
    tl.store(own, up_sum.to(hidden_ptr.dtype.element_ty), (token < tokens) & (place < padded)[None, :])


@triton.jit
def mapped_down(
    hidden_ptr,  # [tokens, padded]
    down_ptr,  # [neurons, columns]
    active_ptr,  # [bound], in range
    count_ptr,  # [1], or None
    out_ptr,  # [tokens, columns], written
    tokens, columns, neurons, bound, padded,
    active_stride, down_strides,
    TOKENS: tl.constexpr, NEURONS: tl.constexpr, COLUMNS: tl.constexpr,
):  # fmt: skip
    token = (tl.program_id(0) * TOKENS + tl.arange(0, TOKENS))[:, None]
    column = (tl.program_id(1) * COLUMNS + tl.arange(0, COLUMNS))[None, :]
    count = counted(count_ptr, bound)
    own = hidden_ptr + token.to(tl.int64) * padded
    y = tl.zeros([TOKENS, COLUMNS], tl.float32)
    for first in range(0, count, NEURONS):
        # An assertion of the range in this loop would keep the compiler from loading ahead; `hidden` has it.
        place = first + tl.arange(0, NEURONS)
        row, _ = rows(active_ptr, place, count, neurons, active_stride)
        between = tl.load(own + place[None, :], token < tokens, other=0)
        row = row[:, None]
        down = tl.load(at(down_ptr, row, column, down_strides), (row >= 0) & (column < columns), other=0)
        y = tl.dot(between, down, y, input_precision="ieee")
    place = token.to(tl.int64) * columns + column
    tl.store(out_ptr + place, y.to(out_ptr.dtype.element_ty), (token < tokens) & (column < columns))


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
def weights(pointer, row, column, strides, columns):
    """What is read once: it need not stay in the cache."""
    inside = (row >= 0) & (column < columns)
    return tl.load(at(pointer, row, column, strides), inside, other=0, eviction_policy="evict_first")


@triton.jit
def rows(active_ptr, place, count, neurons, active_stride):
    """The rows of these places of `active`, below 0 where there is none or it is out of range, and which of the places there are."""
    there = place < count
    row = tl.load(active_ptr + place.to(tl.int64) * active_stride, there, other=0).to(tl.int64)
    row = tl.where(row < 0, row + neurons, row)
    return tl.where(there & (row < neurons), row, -1), there


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
