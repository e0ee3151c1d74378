"""A feed-forward layer of the neurons that a router chose, without a copy of their weights: y = activation(x U[i]^T) D[i].

Inductor copies the chosen rows of both weights, multiplies, and reads the hidden layer again: three passes over what one has to read. Here are
two launches, whose loads gather. The first one makes the hidden layer, a program some neurons; in the second one a program has some columns of
the result, and all neurons. So nothing is cleared, nothing added up by atomics, and the bits are always the same. One token is no matrix, and
`one_token.py` has its kernels: copy both.

Liu et al. 2023 (Deja Vu), arXiv:2310.17157; Zheng et al. 2024 (Learn to be efficient), arXiv:2402.06126.
"""

from __future__ import annotations

from dataclasses import dataclass

import torch
import triton
import triton.language as tl
from torch import Tensor

from inductor_lab.kernels.sparse_ffn.one_token import (
    One,
    Parts,
    activated,
    at,
    by_parts,
    counted,
    in_two,
    rows,
    shared,
)

ACTIVATIONS = ("identity", "relu", "leaky_relu", "silu", "gelu")
"""`leaky_relu` has torch's slope of 0.01, `gelu` is the exact one."""
DTYPES = (torch.bfloat16, torch.float16, torch.float32)
LARGEST = 16384
"""Numbers of a row that a program of `One` holds in registers; of longer rows, `Tiles`."""


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
    num_warps: int = 4


Configuration = One | Tiles | Parts
CANDIDATES: list[Configuration] = [
    *(
        One(neurons, warps, columns, rows, tiles, down_warps)
        for neurons, warps in ((1, 4), (2, 4), (4, 8))
        for columns, rows, tiles, down_warps in ((16, 128, 4, 8), (16, 128, 8, 8), (16, 256, 4, 16), (32, 64, 9, 8), (32, 128, 4, 16), (32, 128, 8, 16))
    ),
    *(Parts(programs, warps, stages) for programs, warps, stages in ((132, 8, 6), (264, 8, 3), (264, 8, 4), (528, 4, 3))),
    *(
        Tiles(tokens, neurons, chunk, stages, columns, rows, num_warps=warps)
        for tokens, neurons, chunk, stages, columns, rows, warps in (
            (16, 16, 256, 4, 16, 128, 4), (16, 16, 256, 4, 32, 128, 4), (16, 16, 512, 4, 32, 128, 4), (16, 16, 256, 4, 64, 64, 4), (16, 32, 256, 4, 32, 128, 4),
            (64, 16, 128, 4, 32, 64, 4), (64, 32, 128, 4, 32, 64, 4), (64, 32, 128, 4, 64, 64, 4), (64, 64, 64, 4, 64, 64, 4), (64, 128, 64, 4, 64, 64, 8),
            (128, 64, 128, 3, 64, 64, 8), (128, 128, 64, 4, 64, 64, 8),
        )
    ),
]  # fmt: skip
"""What is worth timing."""
PROCESSORS = 132
"""Multiprocessors of an H200."""
FEW = 1280
"""Active neurons up to which the hidden layer is worth a launch of its own: what is left of `Parts` then is what it takes for no neuron at all."""


def chosen(tokens: int, columns: int, active: int, *, itemsize: int, gated: bool) -> Configuration:
    """The configuration for so many active neurons."""
    row = (1 << (max(columns, 1) - 1).bit_length()) * itemsize
    if tokens == 1 and row <= LARGEST * itemsize:
        if active > FEW and row <= 16384:  # of two programs on a multiprocessor, each has two tiles in shared memory
            return Parts(num_warps=max(1, row // 1024))
        warps = max(1, min(16, row // 2048))  # 64 bytes of a row for a thread
        if active <= 1024:
            return One(2 - gated, warps, columns=32 // itemsize)
        return One(2 - gated, warps, columns=64 // itemsize, rows=64, tiles=9)
    if tokens <= 16:
        chunk = 1024 if active // 16 <= 2 * PROCESSORS else 512  # deep where there are few programs
        return Tiles(chunk=chunk // itemsize // (1 + gated), columns=64 // itemsize)
    if itemsize == 2 and active > 2048 and not gated:  # large tiles, of which a multiprocessor has one program
        wide = active > 4096
        return Tiles(128, 128, 64, 4, 64, 64, num_warps=8) if wide else Tiles(128, 64, 128, 3, 64, 64, num_warps=8)
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
        if tokens > 1 or columns > LARGEST:
            raise ValueError(
                f"one token of at most {LARGEST} numbers is for One and Parts, not {list(x.shape)}: ask for Tiles"
            )
        if isinstance(how, Parts):
            return by_parts(x, up, down, active, gate, count, activation, how)
        return in_two(x, up, down, active, gate, count, activation, how)


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


def _tiles(
    x: Tensor, up: Tensor, down: Tensor, active: Tensor, gate: Tensor | None, count: Tensor | None, activation: str, how: Tiles
) -> Tensor:  # fmt: skip
    (tokens, columns), bound = x.shape, len(active)
    tiles, padded = -(-tokens // how.tokens), -(-bound // how.rows) * how.rows
    between, out = x.new_empty(tokens, padded), x.new_empty(tokens, columns)
    hidden[(tiles * -(-padded // how.neurons),)](
        **shared(x, up, active, gate, count, activation), hidden_ptr=between, tokens=tokens, padded=padded,
        TOKENS=how.tokens, NEURONS=how.neurons, COLUMNS=how.chunk, num_stages=how.num_stages, num_warps=how.num_warps,
    )  # fmt: skip
    mapped_down[tiles, -(-columns // how.columns)](
        between, down, active, count, out, tokens, columns, len(up), bound, padded, active.stride(0), down.stride(),
        TOKENS=how.tokens, NEURONS=how.rows, COLUMNS=how.columns, num_stages=how.down_stages, num_warps=how.num_warps,
    )  # fmt: skip
    return out


# ---------------------------------------------------------------- the kernels


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
