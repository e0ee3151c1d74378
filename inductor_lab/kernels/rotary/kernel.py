"""Rotary position embedding of a query and a key in one kernel, and its gradient by the same kernel with the angles turned round.

Inductor writes a kernel for the query and one for the key where they differ in heads, and each of them reads an element twice: as itself,
and as the partner of the other half's. Here a program owns some tokens of some heads, both members of every pair: what is loaded is
loaded once, and a token's cosines and sines by one request for several heads.

Algorithm: Su et al. 2021, arXiv:2104.09864. The tile of tokens, heads and pairs is that of flash-attention's `ops/triton/rotary.py`.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import lru_cache
from typing import Any

import torch
import triton
import triton.language as tl
from torch import Tensor
from torch.autograd.forward_ad import unpack_dual

Configuration = dict[str, int]
"""TOKENS and HEADS that a program owns, in rows of `ROW` bytes (longer rows: fewer), and its warps."""
ROW = 256
CANDIDATES: list[Configuration] = [
    {"TOKENS": tokens, "HEADS": heads, "num_warps": warps}
    for tokens, heads, warps in (
        (1, 8, 4), (1, 8, 2), (1, 4, 1), (2, 4, 2), (2, 8, 2), (2, 8, 4), (4, 4, 4), (4, 8, 4), (8, 8, 8), (2, 16, 4), (16, 2, 4), (1, 32, 8),
    )
]  # fmt: skip
"""What is worth timing. The first is taken: at 25 of 30 points on an H200 no other was faster by more than 2 %.

At 512 tokens three were, by 4 to 6 %; with half of each table, at 128, 512 and 1,024 tokens, others by up to 10, 4 and 5 %; of one decoded token two, by 6 %.
At 128 tokens with whole tables all others are slower, by more than 5 %.
"""
AXES = {"BHTD": (0, 1, 2, 3), "BTHD": (0, 2, 1, 3)}
"""Layout -> where batch, heads, tokens and columns are."""
COMPUTED = {torch.float16: tl.float32, torch.bfloat16: tl.float32, torch.float32: tl.float32, torch.float64: tl.float64}
"""What is computed in."""


@dataclass(frozen=True)
class How:
    """What is compiled in."""

    layout: str
    interleaved: bool
    dimension: int
    conjugate: bool = False
    """The transpose of the rotation, which is the gradient."""
    in_place: bool = False
    configuration: Configuration | None = None


def rotary(
    query: Tensor,
    key: Tensor,
    cos: Tensor,
    sin: Tensor,
    *,
    positions: Tensor | None = None,
    offset: int = 0,
    layout: str = "BHTD",
    interleaved: bool = False,
    dimension: int | None = None,
    in_place: bool = False,
    configuration: Configuration | None = None,
) -> tuple[Tensor, Tensor]:
    """query [B, H, T, D], key [B, K, T, D] of any strides -> both with every pair (a, b) of a head as (a cos - b sin, b cos + a sin).

    Computed in float32 (float64 for float64) and rounded once, as Inductor does it; eager rounds each product. Differentiable in query and
    key any number of times. The results' strides are in the order of the arguments', and dense.

    Args:
        cos, sin: [rows, W], or [B, rows, W] as transformers' are; W is `dimension / 2`, an angle for each pair, or `dimension`, one for
            each member, of which half as much is read where the first half alone is given: `cos[:, : dimension // 2]`.
        positions: [T], or [B, T], integers: the row of each token. Outside of the rows is a device-side assertion, as of an embedding.
        offset: The first token's row, where there are no positions.
        layout: "BHTD", or "BTHD": [B, T, H, D].
        interleaved: Pairs are neighbours (2 i, 2 i + 1), as in GPT-J; else (i, i + dimension / 2), as in GPT-NeoX and Llama.
        dimension: How many of the D columns, the first, are rotated; the others stay. All of them unless told.
        in_place: Write into query and key, and return them: without gradients, and where nobody else reads what was there.
        configuration: One of `CANDIDATES`; else the first.

    Raises:
        ValueError: shapes, dtypes or devices do not belong together, or a gradient is asked for that there is none of.
        IndexError: on the CPU, in Triton's interpreter, a position that has no row.
    """
    how = How(layout, interleaved, query.shape[-1] if dimension is None else dimension, False, in_place, configuration)
    _check(query, key, cos, sin, how)
    cos, sin = _rows(query, cos, sin, positions, offset, layout)
    differentiable = torch.is_grad_enabled() and (query.requires_grad or key.requires_grad)
    differentiable |= any(unpack_dual(x).tangent is not None for x in (query, key))  # forward, which autograd refuses
    if torch.is_grad_enabled() and (cos.requires_grad or sin.requires_grad):
        raise ValueError("cos and sin have no gradient here: give them detached")
    if in_place:
        if differentiable:
            raise ValueError("in place there is no gradient: call it under torch.no_grad(), or not in place")
        if query.data_ptr() == key.data_ptr() or any(_repeats(x) for x in (query, key)):
            raise ValueError("in place, query and key are each asked to have memory of their own for every element")
    if differentiable:
        both: tuple[Tensor, Tensor] = _Rotary.apply(how, cos, sin, positions, query, key)  # type: ignore[no-untyped-call]
        return both
    query, key = rotated([query, key], cos, sin, positions, how)
    return query, key


def _check(query: Tensor, key: Tensor, cos: Tensor, sin: Tensor, how: How) -> None:
    if how.layout not in AXES:
        raise ValueError(f"there is no layout {how.layout!r}: it is {', '.join(AXES)}")
    shapes = f"query {list(query.shape)} and key {list(key.shape)}"
    heads = AXES[how.layout][1]
    if query.ndim != 4 or key.ndim != 4 or any(query.shape[at] != key.shape[at] for at in {0, 1, 2, 3} - {heads}):
        letters = ", ".join(how.layout)
        raise ValueError(
            f"{shapes} do not belong together: both are [{letters}], and differ in heads, the {'second' if heads == 1 else 'third'}, alone"
        )
    if query.dtype not in COMPUTED or key.dtype != query.dtype or not (cos.dtype in COMPUTED and sin.dtype in COMPUTED):
        told = ", ".join(str(x.dtype) for x in (query, key, cos, sin))
        raise ValueError(
            f"query and key have one floating-point dtype of 16, 32 or 64 bits, cos and sin such a one each, not {told}"
        )
    if not 2 <= how.dimension <= query.shape[3] or how.dimension % 2:
        raise ValueError(
            f"{how.dimension} columns of {query.shape[3]} can not be rotated: it is an even number, at least 2"
        )
    widths = (how.dimension // 2, how.dimension)
    if cos.shape != sin.shape or cos.ndim not in (2, 3) or cos.shape[-1] not in widths:
        told = f"cos {list(cos.shape)} and sin {list(sin.shape)}"
        raise ValueError(f"{told} are not both [rows, W] or [B, rows, W] with W {widths[0]} or {widths[1]}")
    if cos.ndim == 3 and len(cos) not in (1, len(query)):
        raise ValueError(f"cos and sin are of {len(cos)} samples, and query of {len(query)}")
    for other in (key, cos, sin):
        if other.device != query.device:
            raise ValueError(f"all tensors lie on one device, not on {query.device} and {other.device}")


def _rows(
    query: Tensor, cos: Tensor, sin: Tensor, positions: Tensor | None, offset: int, layout: str
) -> tuple[Tensor, Tensor]:
    """cos and sin from the first token's row on; where there are positions, as they are."""
    batch, tokens, rows = len(query), query.shape[AXES[layout][2]], cos.shape[-2]
    if positions is None:
        if not 0 <= offset <= rows - tokens:
            raise ValueError(f"{tokens} tokens from row {offset} on are not in the {rows} rows of cos and sin")
        return (cos[..., offset:, :], sin[..., offset:, :]) if offset else (cos, sin)
    if offset:
        raise ValueError("with positions there is no offset: add it to them")
    if positions.is_floating_point() or positions.dtype in (torch.bool, torch.uint8):
        raise ValueError(f"positions are signed integers, not {positions.dtype}")
    if positions.shape not in ((tokens,), (1, tokens), (batch, tokens)):
        raise ValueError(f"positions are [{tokens}] or [{batch}, {tokens}], and not {list(positions.shape)}")
    if positions.device != query.device:
        raise ValueError(f"all tensors lie on one device, not on {query.device} and {positions.device}")
    if positions.device.type == "cpu" and ((positions < 0) | (positions >= rows)).any():
        raise IndexError(f"a position is outside of the {rows} rows of cos and sin")  # the interpreter asserts nothing
    return cos, sin


def _repeats(x: Tensor) -> bool:
    return any(size > 1 and stride == 0 for size, stride in zip(x.shape, x.stride(), strict=True))


class _Rotary(torch.autograd.Function):
    """Linear, so that its gradient is itself with the other sign of the angle: `backward` is differentiable by this class again."""

    @staticmethod
    def forward(
        ctx: Any, how: How, cos: Tensor, sin: Tensor, positions: Tensor | None, *given: Tensor
    ) -> tuple[Tensor, ...]:
        ctx.save_for_backward(cos, sin, positions)
        ctx.how = how
        ctx.set_materialize_grads(False)
        return tuple(rotated(list(given), cos, sin, positions, how))

    @staticmethod
    def backward(ctx: Any, *grads: Tensor | None) -> tuple[Tensor | None, ...]:
        how = replace(ctx.how, conjugate=not ctx.how.conjugate)
        wanted = [needed and grad is not None for needed, grad in zip(ctx.needs_input_grad[4:], grads, strict=True)]
        asked = [grad for grad, want in zip(grads, wanted, strict=True) if want]
        turned = iter(_Rotary.apply(how, *ctx.saved_tensors, *asked) if asked else ())  # type: ignore[no-untyped-call]
        return None, None, None, None, *(next(turned) if want else None for want in wanted)


def rotated(given: list[Tensor], cos: Tensor, sin: Tensor, positions: Tensor | None, how: How) -> list[Tensor]:
    """One or two tensors rotated by one kernel; nothing is checked."""
    first, axes = given[0], AXES[how.layout]
    out = given if how.in_place else [torch.empty_like(x) for x in given]
    batch, _, tokens, columns = (first.shape[axis] for axis in axes)
    heads = [x.shape[axes[1]] for x in given]
    if not batch * tokens * sum(heads):
        return out
    rest = 0 if how.in_place else columns - how.dimension
    padded = 1 << (how.dimension // 2 - 1).bit_length()
    owned = tile(tokens, heads, 2 * padded * first.element_size(), how.configuration or CANDIDATES[0])
    groups = -(-sum(heads) // owned["HEADS"])
    strides = [_strides(x.shape, x.stride(), axes) for x in (*given, *out)]
    second = len(given) == 2
    # Without debugging no assertion is compiled in; overflow of int64 is none of its business.
    asserted = {} if positions is None else {"debug": True, "sanitize_overflow": False}
    with torch.cuda.device_of(first):
        rotate[batch * -(-tokens // owned["TOKENS"]) * groups,](
            first, given[1] if second else None, out[0], out[1] if second else None, cos, sin, positions,
            strides[0], strides[1] if second else None, strides[len(given)], strides[3] if second else None,
            _table_strides(cos.shape, cos.stride()), _table_strides(sin.shape, sin.stride()),
            None if positions is None else _position_strides(positions.shape, positions.stride()),
            tokens, cos.shape[-2],
            FIRST_HEADS=heads[0], SECOND_HEADS=heads[1] if second else 0, HALF=how.dimension // 2, PADDED=padded,
            REST=rest, REST_PADDED=1 << (rest - 1).bit_length(), EACH=cos.shape[-1] == how.dimension,
            INTERLEAVED=how.interleaved, CONJUGATE=how.conjugate, WIDE=COMPUTED[first.dtype], MANY=batch > 1, **owned, **asserted,
        )  # fmt: skip
    return out


def tile(tokens: int, heads: list[int], row_bytes: int, configuration: Configuration) -> Configuration:
    """A configuration for rows of this length and no more tokens and heads than there are."""
    rows = max(1, configuration["TOKENS"] * configuration["HEADS"] * ROW // row_bytes)
    of_heads = min(rows, configuration["HEADS"], 1 << (sum(heads) - 1).bit_length())
    of_tokens = min(rows // of_heads, 1 << (tokens - 1).bit_length())
    return configuration | {"TOKENS": of_tokens, "HEADS": of_heads}


@lru_cache(1024)
def _strides(shape: tuple[int, ...], strides: tuple[int, ...], axes: tuple[int, ...]) -> tuple[Any, ...]:
    """Of sample, head, token and column. What no number of samples or tokens changes is compiled in: a small kernel is mostly addresses."""
    batch, head, token, column = (strides[axis] for axis in axes)
    alone, row = shape[axes[2]] == 1, shape[axes[3]] * column
    within = tl.constexpr(head) if head <= (row if alone else token) else head
    return batch if shape[0] > 1 else tl.constexpr(0), within, tl.constexpr(0 if alone else token), tl.constexpr(column)


@lru_cache(1024)
def _table_strides(shape: tuple[int, ...], strides: tuple[int, ...]) -> tuple[Any, ...]:
    """Of sample, row and column."""
    several = len(shape) == 3 and shape[0] > 1
    batch = strides[0] if several else tl.constexpr(0)
    return batch, tl.constexpr(strides[-2]), tl.constexpr(strides[-1])


@lru_cache(1024)
def _position_strides(shape: tuple[int, ...], strides: tuple[int, ...]) -> tuple[Any, ...]:
    """Of sample and token."""
    several = shape[0] > 1 < len(shape)
    return strides[0] if several else tl.constexpr(0), tl.constexpr(strides[-1] if shape[-1] > 1 else 0)


@triton.jit
def rotate(
    first_ptr,  # [batch, FIRST_HEADS, tokens, columns], the strides of which are told in this order, whatever they are
    second_ptr,  # [batch, SECOND_HEADS, tokens, columns], or None, and its strides too
    first_out_ptr,  # as first_ptr, which it may be
    second_out_ptr,
    cos_ptr,  # [batch, rows, HALF], with EACH [batch, rows, 2 * HALF]
    sin_ptr,
    position_ptr,  # integers [batch, tokens]; None: token 0 has row 0
    first_strides, second_strides, first_out_strides, second_out_strides,
    cos_strides, sin_strides, position_strides,
    tokens, rows,
    FIRST_HEADS: tl.constexpr, SECOND_HEADS: tl.constexpr,
    HALF: tl.constexpr,  # pairs
    PADDED: tl.constexpr,
    REST: tl.constexpr,  # columns behind those that are rotated, to be copied
    REST_PADDED: tl.constexpr,
    EACH: tl.constexpr,  # an angle for each member of a pair
    INTERLEAVED: tl.constexpr, CONJUGATE: tl.constexpr, WIDE: tl.constexpr,
    MANY: tl.constexpr,  # samples: of one there is nothing to divide
    TOKENS: tl.constexpr, HEADS: tl.constexpr,
):  # fmt: skip
    # Programs that follow each other own the same tokens: their cosines and sines are in the cache for the next.
    GROUPS: tl.constexpr = (FIRST_HEADS + SECOND_HEADS + HEADS - 1) // HEADS
    block = tl.program_id(0) // GROUPS
    batch = 0
    if MANY:
        blocks = tl.cdiv(tokens, TOKENS)
        batch = (block // blocks).to(tl.int64)
        block %= blocks
    token = (block * TOKENS + tl.arange(0, TOKENS)).to(tl.int64)[:, None, None]
    begin = (tl.program_id(0) % GROUPS) * HEADS
    head = (begin + tl.arange(0, HEADS)).to(tl.int64)[None, :, None]
    there = token < tokens
    inside = there
    if (FIRST_HEADS + SECOND_HEADS) % HEADS > 0:
        inside = there & (head < FIRST_HEADS + SECOND_HEADS)
    of_first = begin < FIRST_HEADS if FIRST_HEADS % HEADS == 0 else head < FIRST_HEADS
    if second_ptr is not None:  # heads of the second tensor are counted behind the first's
        head = tl.where(of_first, head, head - FIRST_HEADS)
    x_ptr, stride = rows_at(first_ptr, second_ptr, of_first, first_strides, second_strides, batch, head, token)
    out_ptr, out_stride = rows_at(
        first_out_ptr, second_out_ptr, of_first, first_out_strides, second_out_strides, batch, head, token
    )
    row = table_row(position_ptr, position_strides, batch, token, there, TOKENS, HEADS)
    known = inside if position_ptr is None else inside & (row >= 0) & (row < rows)
    a, b = pairs(x_ptr, stride, inside, HALF, PADDED, INTERLEAVED)
    cos_rows = cos_ptr + batch * cos_strides[0] + row * cos_strides[1]
    sin_rows = sin_ptr + batch * sin_strides[0] + row * sin_strides[1]
    # A thread has as many pairs as there are in 16 bytes: no more angles, or they go through shared memory.
    ALONG: tl.constexpr = 64 // first_ptr.dtype.element_ty.primitive_bitwidth
    cos_a, cos_b = angles(cos_rows, cos_strides[2], known, HALF, PADDED, EACH, INTERLEAVED, ALONG)
    sin_a, sin_b = angles(sin_rows, sin_strides[2], known, HALF, PADDED, EACH, INTERLEAVED, ALONG)
    cos_a, cos_b, sin_a, sin_b = cos_a.to(WIDE), cos_b.to(WIDE), sin_a.to(WIDE), sin_b.to(WIDE)
    if CONJUGATE:  # transposed: what a gave to b comes back with b's sine
        sin_a, sin_b = -sin_b, -sin_a
    a, b = a.to(WIDE), b.to(WIDE)
    store_pairs(out_ptr, out_stride, inside, a * cos_a - b * sin_a, b * cos_b + a * sin_b, HALF, PADDED, INTERLEAVED)
    if REST > 0:
        column = 2 * HALF + tl.arange(0, REST_PADDED)[None, None, :]
        kept = inside & (column < 2 * HALF + REST)
        tl.store(out_ptr + column * out_stride, tl.load(x_ptr + column * stride, kept), kept)
    if position_ptr is not None:  # behind everything: no load waits for it
        tl.device_assert((row >= 0) & (row < rows), "a position is outside of the rows of cos and sin", there)


@triton.jit
def table_row(position_ptr, position_strides, batch, token, there, TOKENS: tl.constexpr, HEADS: tl.constexpr):
    """The row of cos and sin of each token, by all heads, though the same: a request of a warp has them once for several.

    A tile of tokens alone would have other threads than that of query and key, and one of both go through shared memory.
    """
    row = token
    if position_ptr is not None:
        row = tl.load(position_ptr + batch * position_strides[0] + token * position_strides[1], there, other=0)
        row = row.to(tl.int64)
    return tl.broadcast_to(row, [TOKENS, HEADS, 1])


@triton.jit
def angles(
    row_ptr, stride, inside, HALF: tl.constexpr, PADDED: tl.constexpr,
    EACH: tl.constexpr, INTERLEAVED: tl.constexpr, ALONG: tl.constexpr,
):  # fmt: skip
    """Cosines or sines of both members of a pair: the same, or with EACH an own one."""
    if EACH:
        a, b = pairs(row_ptr, stride, inside, HALF, PADDED, INTERLEAVED)
    else:
        pair = tl.arange(0, PADDED)[None, None, :]
        if INTERLEAVED:
            pair = tl.max_contiguous(pair, [1, 1, ALONG])
        a = tl.load(row_ptr + pair * stride, inside & (pair < HALF))
        b = a
    return a, b


@triton.jit
def rows_at(first_ptr, second_ptr, of_first, first_strides, second_strides, batch, head, token):
    """Where rows [TOKENS, HEADS, 1] of one tensor or of two begin, and their columns' stride: a program's heads are all of one, or each has its own."""
    if second_ptr is None:
        ptr, strides = first_ptr, first_strides
    else:
        ptr = tl.where(of_first, first_ptr, second_ptr)
        strides = (
            tl.where(of_first, first_strides[0], second_strides[0]),
            tl.where(of_first, first_strides[1], second_strides[1]),
            tl.where(of_first, first_strides[2], second_strides[2]),
            tl.where(of_first, first_strides[3], second_strides[3]),
        )
    return ptr + batch * strides[0] + head * strides[1] + token * strides[2], strides[3]


@triton.jit
def pairs(row_ptr, stride, inside, HALF: tl.constexpr, PADDED: tl.constexpr, INTERLEAVED: tl.constexpr):
    """Both members [.., .., PADDED] of the pairs of rows [.., .., 1]: neighbours by one load, of 16 bytes a thread where memory allows it."""
    if INTERLEAVED:
        column = tl.arange(0, 2 * PADDED)[None, None, :]
        both = tl.load(row_ptr + column * stride, inside & (column < 2 * HALF))
        a, b = tl.split(both.reshape([both.shape[0], both.shape[1], PADDED, 2]))
    else:
        pair = tl.arange(0, PADDED)[None, None, :]
        kept = inside & (pair < HALF)
        a = tl.load(row_ptr + pair * stride, kept)
        b = tl.load(row_ptr + (pair + HALF) * stride, kept)
    return a, b


@triton.jit
def store_pairs(row_ptr, stride, inside, a, b, HALF: tl.constexpr, PADDED: tl.constexpr, INTERLEAVED: tl.constexpr):
    """The other way round, rounded here."""
    dtype: tl.constexpr = row_ptr.dtype.element_ty
    if INTERLEAVED:
        column = tl.arange(0, 2 * PADDED)[None, None, :]
        both = tl.join(a.to(dtype), b.to(dtype)).reshape([a.shape[0], a.shape[1], 2 * PADDED])
        tl.store(row_ptr + column * stride, both, inside & (column < 2 * HALF))
    else:
        pair = tl.arange(0, PADDED)[None, None, :]
        kept = inside & (pair < HALF)
        tl.store(row_ptr + pair * stride, a.to(dtype), kept)
        tl.store(row_ptr + (pair + HALF) * stride, b.to(dtype), kept)
