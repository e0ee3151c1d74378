"""Outer product and the linear layer behind it, the product never stored.

DLRM multiplies every feature with every other and feeds the products to a linear layer:

    linear((x[:, :, None] * x[:, None, :]).flatten(1), weight, bias)        # x [B, F], weight [H, F * F] -> [B, H]

At F = 432 the products of a batch of 128 are 95 MB, written and read again for one matrix product. As a sum over features it needs none of them:

    y[b, h] = sum over i of x[b, i] * (sum over j of x[b, j] * weight[h, i, j])

A program keeps BLOCK_J columns j of x, multiplies them with one tile of the weight for each i, and scales what comes out by column i. The sum over i and j is
split among programs; a second kernel adds the parts, always in the same order, with bias and ReLU.

Products come in pairs, x_i * x_j = x_j * x_i: `fold` adds the two weights of each pair, which halves bytes and operations. For inference that is done once.

    y = outer_linear(x, weight, bias, relu=True, precision="tf32")
    y = outer_linear(x, fold(weight), bias, relu=True, precision="tf32x3")  # half the weight; three TF32 products for each of float32

Float32 as IEEE has it is bound by the card's FMA units, which Triton's `dot` does not fill: `outer_ieee.py` has that in CUDA C++.
Stands alone: torch and triton are all it needs.
"""

from __future__ import annotations

from dataclasses import asdict, dataclass
from typing import Literal, get_args

import torch
import triton
import triton.language as tl
from torch import Tensor

Precision = Literal["ieee", "tf32", "tf32x3"]


@dataclass(frozen=True)
class Tiles:
    """How the work is cut. `block_j` of a folded weight is that of its memory."""

    block_b: int = 128
    block_h: int = 128
    block_j: int = 64
    num_warps: int = 8
    num_stages: int = 4
    programs: int = 132
    """So many programs share all tiles: one for each SM of an H100 or H200."""
    products: bool = False
    """Scale x_j by x_i before it is multiplied, and not what comes out. The sum then stays where the matrix instructions add to it: nobody waits for those of
    one tile, and half the registers hold as many sums. An infinite x is NaN where F is no multiple of `block_j`, as zeros fill the last tile up.
    In bfloat16 at a batch of 2,048 `Tiles(block_h=256, products=True)` was the fastest on an H200 (docs/dlrm.md)."""


TILES = {"ieee": Tiles(num_stages=2), "tf32": Tiles(), "tf32x3": Tiles(num_stages=3), "half": Tiles(num_stages=5)}
"""By the precision of products, tuned on an H200 at B 128, F 432, H 512; `half` is bfloat16's and float16's."""
CANDIDATES = [
    *TILES.values(),
    *(
        Tiles(b, h, j, warps, stages, programs, products=True)
        for b, h, j, warps, stages, programs in (
            (128, 128, 64, 8, 4, 132), (128, 128, 64, 8, 5, 132), (256, 128, 64, 8, 5, 132), (128, 256, 64, 8, 4, 132),
            (128, 128, 32, 8, 6, 132), (128, 128, 32, 8, 6, 264), (256, 128, 32, 8, 6, 132), (128, 256, 32, 8, 5, 132),
            (256, 128, 16, 8, 6, 132), (64, 128, 64, 4, 4, 264),
        )
    ),
]  # fmt: skip
"""What is worth timing."""
DTYPES = (torch.float32, torch.bfloat16, torch.float16)


@dataclass(frozen=True)
class Folded:
    """The weights of each pair of features, added: tile after tile [H, block_j], as the kernel reads them."""

    tiles: Tensor  # [number of tiles, H, block_j]
    features: int

    @property
    def block_j(self) -> int:
        return self.tiles.shape[2]


def fold(weight: Tensor, block_j: int = 64) -> Folded:
    """Add the weights of x_i * x_j and x_j * x_i: [H, F * F] -> tiles, about half of that.

    For each block of `block_j` columns j only the rows i up to the block's end are kept, one tile each. The blocks on the diagonal stay as they are:
    half of one would be zeros, which cost as much as weights do, and make an infinite product NaN.

    Raises:
        ValueError: the weight is none of [H, F * F], or a gradient of it is asked for.
    """
    if weight.ndim != 2 or weight.dtype not in DTYPES:
        raise ValueError(
            f"a weight [H, F * F] of float32 or half is asked for, not {list(weight.shape)} of {weight.dtype}"
        )
    products = weight.shape[1]
    features = round(products**0.5)
    if features * features != products:
        raise ValueError(f"a weight [H, F * F] is asked for, and {products} columns are no square")
    _without_gradient(weight)
    return Folded(added(weight.contiguous(), features, block_j), features)


def added(weight: torch.Tensor, features: int, block_j: int) -> torch.Tensor:
    """The tiles of `Folded`."""
    blocks = -(-features // block_j)
    count = block_j * (blocks - 1) * blocks // 2 + features
    tiles = weight.new_empty((count, weight.shape[0], block_j))
    block_h = max(1, 4096 // block_j**2)
    grid = -(-weight.shape[0] // block_h) * blocks**2  # one axis: the others end at 65,535
    with torch.cuda.device_of(weight):
        add_pairs[grid,](weight, tiles, weight.shape[0], F=features, BLOCK_H=block_h, BLOCK_J=block_j, num_warps=8)
    return tiles


@triton.jit
def add_pairs(
    weight_ptr,  # [H, F, F]
    tiles_ptr,  # [tiles, H, BLOCK_J]
    hidden,
    F: tl.constexpr,
    BLOCK_H: tl.constexpr,
    BLOCK_J: tl.constexpr,
):
    """One program: BLOCK_J rows i, BLOCK_J columns j, and the same block mirrored, of BLOCK_H outputs."""
    blocks = tl.cdiv(F, BLOCK_J)
    block_i, block_j = tl.program_id(0) % blocks, tl.program_id(0) // blocks % blocks
    if block_i > block_j:
        return
    h = tl.program_id(0) // (blocks * blocks) * BLOCK_H + tl.arange(0, BLOCK_H)[:, None, None]
    column = tl.arange(0, BLOCK_J)[None, None, :]
    i, i_along = block_i * BLOCK_J + tl.arange(0, BLOCK_J)[None, :, None], block_i * BLOCK_J + column
    j, j_down = block_j * BLOCK_J + column, block_j * BLOCK_J + tl.arange(0, BLOCK_J)[None, :, None]
    row = weight_ptr + h.to(tl.int64) * (F * F)
    upper = tl.load(row + i.to(tl.int64) * F + j, (h < hidden) & (i < F) & (j < F), 0.0)
    lower = tl.load(row + j_down.to(tl.int64) * F + i_along, (h < hidden) & (j_down < F) & (i_along < F), 0.0)
    upper, lower = upper.to(tl.float32), lower.to(tl.float32)
    pairs = tl.where(block_i == block_j, upper, upper + tl.trans(lower, (0, 2, 1)))
    tile = (BLOCK_J * block_j * (block_j + 1) // 2 + i).to(
        tl.int64
    )  # the blocks before have BLOCK_J, 2 BLOCK_J, ... rows
    tl.store(tiles_ptr + (tile * hidden + h) * BLOCK_J + column, pairs, (h < hidden) & (i < F))


@triton.jit
def partial_products(
    x_ptr,  # [B, F]
    weight_ptr,  # [H, F * F], or folded [tiles, H, BLOCK_J]
    partial_ptr,  # f32[parts, B, H]
    batch,
    hidden,
    F: tl.constexpr,
    FOLDED: tl.constexpr,
    PRECISION: tl.constexpr,
    BLOCK_B: tl.constexpr,
    BLOCK_H: tl.constexpr,
    BLOCK_J: tl.constexpr,
    PRODUCTS: tl.constexpr,  # x_i scales x_j, and not the sum over j
):
    """One program: BLOCK_B samples, BLOCK_H outputs, one part of the tiles, which are counted block of j after block of j."""
    h_blocks = tl.cdiv(hidden, BLOCK_H)
    b = tl.program_id(0) // h_blocks * BLOCK_B + tl.arange(0, BLOCK_B)
    h = tl.program_id(0) % h_blocks * BLOCK_H + tl.arange(0, BLOCK_H)
    in_batch, in_hidden = b < batch, h < hidden
    part, parts = tl.program_id(1), tl.num_programs(1)
    blocks = tl.cdiv(F, BLOCK_J)
    tiles = BLOCK_J * (blocks - 1) * blocks // 2 + F if FOLDED else blocks * F
    # The upper part of a number from 3.402e38 on is infinite in TF32; of its half it is not.
    HALVED: tl.constexpr = PRECISION == "tf32x3" and x_ptr.dtype.element_ty == tl.float32
    begin, end = part_of(tiles, part, parts), part_of(tiles, part + 1, parts)
    total = tl.zeros((BLOCK_B, BLOCK_H), dtype=tl.float32)
    for block in range(blocks):
        before = BLOCK_J * block * (block + 1) // 2 if FOLDED else block * F
        first = tl.maximum(begin - before, 0)
        last = tl.minimum(end - before, tl.minimum(F, (block + 1) * BLOCK_J) if FOLDED else F)
        if first < last:
            column = tl.arange(0, BLOCK_J)
            j = block * BLOCK_J + column
            x_j = tl.load(x_ptr + b.to(tl.int64)[:, None] * F + j[None, :], in_batch[:, None] & (j < F)[None, :], 0.0)
            if HALVED:
                x_j *= 0.5
            if FOLDED:
                tile = weight_ptr + ((before + first).to(tl.int64) * hidden + h[:, None]) * BLOCK_J + column[None, :]
                step = hidden * BLOCK_J
                inside = in_hidden[:, None]
            else:
                tile = weight_ptr + h.to(tl.int64)[:, None] * (F * F) + first.to(tl.int64) * F + j[None, :]
                step = F
                inside = in_hidden[:, None] & (j < F)[None, :]
            for i in range(first, last):
                x_i = feature(x_ptr, b.to(tl.int64) * F + i, in_batch, PRODUCTS)
                weight = tl.load(tile, inside, 0.0)
                if HALVED:
                    weight *= 0.5
                if PRODUCTS:
                    total = tl.dot((x_i[:, None] * x_j).to(x_j.dtype), weight.T, total, input_precision=PRECISION)
                else:
                    total += x_i[:, None] * tl.dot(x_j, weight.T, input_precision=PRECISION)
                tile += step
    if HALVED:
        total *= 4.0
    out = partial_ptr + (part * batch + b).to(tl.int64)[:, None] * hidden + h[None, :]
    tl.store(out, total, in_batch[:, None] & in_hidden[None, :])


@triton.jit
def feature(x_ptr, offset, inside, IN_HALVES: tl.constexpr):
    """x at these places, in float32.

    In halves, a load of 16 bits is none that Triton sends ahead through shared memory: from there x_i would come in another layout than x_j is
    multiplied in, and all of their products would change theirs in every turn.
    """
    if IN_HALVES and x_ptr.dtype.element_ty == tl.float32:
        half_ptr = x_ptr.to(tl.pointer_type(tl.uint16)) + 2 * offset
        lower = tl.load(half_ptr, inside, 0).to(tl.uint32)
        upper = tl.load(half_ptr + 1, inside, 0).to(tl.uint32)
        return (lower | (upper << 16)).to(tl.float32, bitcast=True)
    return tl.load(x_ptr + offset, inside, 0.0).to(tl.float32)


@triton.jit
def part_of(tiles, part, parts):
    """The first tile of a part; tiles times parts is above 2**31 from some 32,000 features on."""
    return (tl.cast(tiles, tl.int64) * part // parts).to(tl.int32)


@triton.jit
def add_parts(
    partial_ptr,  # f32[PARTS, B, H]
    bias_ptr,  # [H], or nothing
    out_ptr,  # [B, H]
    numel,
    hidden,
    parts,
    BIAS: tl.constexpr,
    RELU: tl.constexpr,
    PARTS: tl.constexpr,
    BLOCK: tl.constexpr,
):
    """out = relu(sum over parts + bias): all parts of BLOCK outputs are on their way at once, and always added in the same order."""
    offset = tl.program_id(0).to(tl.int64) * BLOCK + tl.arange(0, BLOCK)
    inside = offset < numel
    part = tl.arange(0, PARTS)
    found = tl.load(
        partial_ptr + part[:, None] * numel + offset[None, :], (part < parts)[:, None] & inside[None, :], 0.0
    )
    total = tl.sum(found, axis=0)
    if BIAS:
        total += tl.load(bias_ptr + offset % hidden, inside, 0.0)
    if RELU:
        total = tl.where(total < 0, 0.0, total)  # NaN stays NaN
    tl.store(out_ptr + offset, total, inside)


def outer_linear(
    x: Tensor,
    weight: Tensor | Folded,
    bias: Tensor | None = None,
    *,
    relu: bool = False,
    precision: Precision = "tf32x3",
    tiles: Tiles | None = None,
    out: Tensor | None = None,
) -> Tensor:
    """linear((x[:, :, None] * x[:, None, :]).flatten(1), weight, bias): x [B, F] -> [B, H]. It has no gradient.

    Args:
        weight: [H, F * F], or what `fold` made of it.
        bias: [H].
        relu: Also max(., 0).
        precision: Of float32's products; bfloat16 and float16 are multiplied as they are. Sums are float32's.
        tiles: Other than what `TILES` has.
        out: Where to write [B, H], contiguous.

    Raises:
        ValueError: shapes, dtypes or devices do not belong together, there is no such precision, or a gradient is asked for.
    """
    if precision not in get_args(Precision):
        raise ValueError(f"there is no precision {precision!r}: it is {', '.join(get_args(Precision))}")
    hidden = check(x, weight, bias, out)
    own = asdict(tiles or TILES[precision if x.dtype == torch.float32 else "half"])
    folded = isinstance(weight, Folded)
    if isinstance(weight, Folded):
        own["block_j"] = weight.block_j
    values = weight.tiles if isinstance(weight, Folded) else weight
    out = x.new_empty((len(x), hidden)) if out is None else out
    if len(x):
        multiply(x.contiguous(), values.contiguous(), bias, out, folded=folded, relu=relu, precision=precision, **own)
    return out


def multiply(
    x: torch.Tensor,
    weight: torch.Tensor,
    bias: torch.Tensor | None,
    out: torch.Tensor,
    *,
    folded: bool,
    relu: bool,
    precision: str,
    block_b: int = 128,
    block_h: int = 128,
    block_j: int = 64,
    num_warps: int = 8,
    num_stages: int = 4,
    programs: int = 132,
    products: bool = False,
) -> None:
    """Write out [B, H] of arguments that belong together; what they are cut into is `Tiles`."""
    (batch, features), hidden = x.shape, out.shape[1]
    block_b = min(block_b, max(16, 1 << (batch - 1).bit_length()))
    outputs = -(-batch // block_b) * -(-hidden // block_h)
    parts = max(1, programs // outputs)
    partial = torch.empty((parts, batch, hidden), dtype=torch.float32, device=x.device)
    with torch.cuda.device_of(x):
        partial_products[outputs, parts](
            x, weight, partial, batch, hidden,
            F=features, FOLDED=folded, PRECISION=precision, BLOCK_B=block_b, BLOCK_H=block_h, BLOCK_J=block_j,
            PRODUCTS=products, num_warps=num_warps, num_stages=num_stages,
        )  # fmt: skip
    sum_parts(partial, bias, out, relu)


def sum_parts(partial: torch.Tensor, bias: torch.Tensor | None, out: torch.Tensor, relu: bool) -> None:
    """Write out [B, H]: the sum of `partial` f32[parts, B, H], with bias [H] and ReLU where asked."""
    block, bias = 64, None if bias is None else bias.contiguous()
    with torch.cuda.device_of(out):
        add_parts[-(-out.numel() // block),](
            partial, bias, out, out.numel(), out.shape[1], partial.shape[0],
            BIAS=bias is not None, RELU=relu, PARTS=1 << (partial.shape[0] - 1).bit_length(), BLOCK=block, num_warps=2,
        )  # fmt: skip


def check(x: Tensor, weight: Tensor | Folded, bias: Tensor | None, out: Tensor | None) -> int:
    """The number of outputs, H, of arguments that belong together.

    Raises:
        ValueError: they do not, or a gradient is asked for.
    """
    if x.ndim != 2 or x.dtype not in DTYPES:
        raise ValueError(f"x is [B, F] of float32, bfloat16 or float16, and not {list(x.shape)} of {x.dtype}")
    features = x.shape[1]
    if isinstance(weight, Folded):
        values, hidden, fits = weight.tiles, weight.tiles.shape[1], weight.features == features
    else:
        values, hidden, fits = weight, len(weight), weight.shape == (len(weight), features * features)
    if not fits:
        raise ValueError(f"x has {features} features: the weight is asked to have {features} * {features} columns")
    wanted = {"weight": (values, values.shape), "bias": (bias, (hidden,)), "out": (out, (len(x), hidden))}
    for name, (other, shape) in wanted.items():
        if other is not None and (other.shape, other.dtype, other.device) != (shape, x.dtype, x.device):
            is_, asked = (
                f"{list(other.shape)} of {other.dtype} on {other.device}",
                f"{list(shape)} of {x.dtype} on {x.device}",
            )
            raise ValueError(f"{name} is {is_}, and not {asked}, as x is")
    if out is not None and not out.is_contiguous():
        raise ValueError("out has to be contiguous")
    _without_gradient(x, values, bias)
    return hidden


def _without_gradient(*given: Tensor | None) -> None:
    if torch.is_grad_enabled() and any(one is not None and one.requires_grad for one in given):
        raise ValueError("there is no gradient of this: call it under torch.no_grad(), or with detached tensors")
