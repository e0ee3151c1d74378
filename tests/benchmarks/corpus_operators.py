"""Odd functions of plain torch, each for a kind of kernel that models have less often: the second half of the corpus.

    inductor-lab capture corpus_operators:sort_rows --train          from this folder
    inductor-lab capture corpus_operators:every.bf16                 all of them in bfloat16, forward and backward, one capture

`corpus.py` captures them all. Each function returns (function, inputs); inputs that need a gradient ask for it. Sizes are odd on purpose
(1000, 33, 200): where a block divides the size, Inductor leaves out the mask.
"""

from __future__ import annotations

import math
import sys
from collections.abc import Callable, Sequence
from types import SimpleNamespace
from typing import Any

import torch
from probes import PROBES
from torch import Tensor, nn
from torch.nn import functional
from torch.utils._pytree import tree_leaves, tree_map

Program = tuple[Callable[..., Any], tuple[Any, ...]]
Trained = Program
"""A program that is captured with its backward."""


def values(*size: int, **options: Any) -> Tensor:
    """Normal numbers that no gradient is asked for."""
    return torch.randn(*size, **options)


def learned(*size: int, **options: Any) -> Tensor:
    """Normal numbers with a gradient."""
    return torch.randn(*size, requires_grad=True, **options)


class With(nn.Module):
    """A function of layers and inputs, as a module that owns the layers: it can be moved to a card."""

    def __init__(self, function: Callable[..., Any], *layers: nn.Module) -> None:
        super().__init__()
        self.function, self.layers = function, nn.ModuleList(layers)

    def forward(self, *inputs: Tensor) -> Any:
        """Whatever the function returns."""
        return self.function(*self.layers, *inputs)


# Scans


def cumsum_rows() -> Trained:
    """A scan inside each row, and down each column."""
    return lambda x: (x.sigmoid().cumsum(1), (x * 2).cumsum(0)), (learned(200, 1000),)


def cumsum_long() -> Trained:
    """A vector so long that its scan is split over programs that wait for each other."""
    return lambda x: (x * 2).cumsum(0) + 1, (learned(1 << 20),)


def cumprod() -> Program:
    """A scan with products."""
    return lambda x: (x.abs() + 0.5).cumprod(1) - 1, (values(200, 300),)


def logcumsumexp() -> Program:
    """A scan whose combination is no simple operator."""
    return lambda x: torch.logcumsumexp(x * 2, 1), (values(200, 300),)


def cummax_cummin() -> Program:
    """Scans that carry an index along."""
    return lambda x: (*torch.cummax(x * 2, 1), *torch.cummin(x + 1, 1)), (values(100, 300),)


def cumsum_integers() -> Program:
    """Offsets from lengths: a scan of int32 into int64, of bool too."""
    return lambda x, b: (x.cumsum(0) - x, (b.cumsum(1) * b)), (torch.randint(9, (1000,)).int(), values(50, 200) > 0)


# Order


def sort_rows() -> Trained:
    """Rows short enough to be sorted inside one program."""
    return lambda x: torch.sort(x * 2, dim=-1), (learned(512, 200),)


def sort_descending() -> Program:
    """A stable sort, the other way round, and the ranks that it gives."""
    return lambda x: torch.sort(x.relu(), dim=-1, descending=True, stable=True)[1] + 1, (values(512, 64),)


def argsort_integers() -> Program:
    """Tokens sorted by their expert."""
    return lambda x: torch.argsort(x % 8, stable=True) // 2, (torch.randint(100, (500,)),)


def topk() -> Trained:
    """A library's top k, with what stands around it."""
    return lambda x: [y * 2 for y in torch.topk(x.softmax(-1), 4)], (learned(300, 64),)


def argmax_argmin() -> Program:
    """A place beside a value, along rows and along columns."""
    return lambda x: (x.argmax(1), (x * 2).argmin(0), *(x + 1).max(1)), (values(300, 1000),)


def argmax_long() -> Program:
    """A place in a long vector, found in two steps."""
    return lambda x: (x.relu().argmax(), x.argmin()), (values(1 << 21),)


def median_quantile() -> Program:
    """Order statistics; quantile interpolates between two."""
    return lambda x: (torch.quantile(x.float() * 2, 0.3, dim=1), (x + 1).median(1)[0] * 2), (values(100, 200),)


def top_p() -> Program:
    """Nucleus sampling: sort, softmax, cumsum, mask, scatter back, draw."""

    def sample(logits: Tensor) -> Tensor:
        ordered, places = torch.sort(logits, descending=True, dim=-1)
        chance = ordered.softmax(-1)
        ordered = ordered.masked_fill(chance.cumsum(-1) - chance > 0.9, -math.inf)
        kept = torch.empty_like(logits).scatter(1, places, ordered)
        noise = -torch.empty_like(kept).exponential_().log()
        return (kept + noise).argmax(-1)

    return sample, (values(16, 500),)


# Pooling and windows


def max_pool_indices() -> Trained:
    """A maximum in a window, and where it was."""
    return lambda x: functional.max_pool2d(x.relu(), 3, 2, 1, return_indices=True), (learned(4, 16, 57, 57),)


def avg_pool() -> Trained:
    """Means of windows, the padding not counted."""
    return lambda x: functional.avg_pool2d(x * 2, 3, 2, 1, count_include_pad=False), (learned(4, 16, 57, 57),)


def adaptive_pools() -> Trained:
    """Windows of unequal size."""
    return lambda x: (functional.adaptive_avg_pool2d(x, (7, 5)), functional.adaptive_max_pool2d(x, 3)), (
        learned(4, 16, 30, 31),
    )


def pool_one_and_three() -> Trained:
    """Pools of one and of three dimensions."""
    return lambda x, y: (functional.avg_pool1d(x, 4), functional.max_pool3d(y, 2)), (
        learned(8, 16, 100),
        learned(2, 4, 8, 16, 16),
    )


def unfold_fold() -> Trained:
    """Patches out of a picture and back into it, where they overlap."""

    def through(x: Tensor) -> Tensor:
        patches = functional.unfold(x * 2, 4, stride=2, padding=1)
        return functional.fold(patches.relu(), (32, 32), 4, stride=2, padding=1)

    return through, (learned(4, 8, 32, 32),)


def sliding_windows() -> Program:
    """Windows of a signal as a view, weighted and reduced."""
    return lambda x, w: (x.unfold(1, 400, 160) * w).square().mean(-1).log1p(), (values(4, 8000), values(400))


# Tables, gathers and scatters


def embedding() -> Trained:
    """A gather, and its gradient with a row that has none."""
    table = nn.Embedding(1000, 200, padding_idx=0)
    return With(lambda table, tokens: table(tokens).relu(), table), (torch.randint(1000, (16, 50)),)


class Positions(nn.Module):
    """Words, places and kinds summed and normed, as BERT begins."""

    def __init__(self) -> None:
        super().__init__()
        self.words, self.places, self.kinds = nn.Embedding(1000, 256), nn.Embedding(512, 256), nn.Embedding(2, 256)
        self.norm = nn.LayerNorm(256)

    def forward(self, tokens: Tensor, kinds: Tensor) -> Tensor:
        """tokens and kinds [batch, length] -> [batch, length, 256]."""
        places = torch.arange(tokens.shape[1], device=tokens.device)
        return self.norm(self.words(tokens) + self.places(places) + self.kinds(kinds))


def embedding_norm() -> Trained:
    """Three gathers under one norm; three embeddings' gradients."""
    return Positions(), (torch.randint(1000, (8, 100)), torch.randint(2, (8, 100)))


def embedding_bag() -> Trained:
    """Means over bags of rows, as DLRM has them, written with a gather."""
    bags, weights = torch.randint(1000, (64, 20)), learned(64, 20)
    return With(lambda table, i, w: (table(i) * w[..., None]).sum(1), nn.Embedding(1000, 64)), (bags, weights)


def scatter_add() -> Trained:
    """Atomic adds into rows that meet."""

    def add(rows: Tensor, x: Tensor) -> Tensor:
        return torch.zeros(100, 64, device=x.device, dtype=x.dtype).scatter_add(0, rows[:, None].expand_as(x), x.relu())

    return add, (torch.randint(100, (1000,)), learned(1000, 64))


def scatter_reduce() -> Program:
    """Atomic maxima, and means of what meets."""

    def reduce(rows: Tensor, x: Tensor) -> tuple[Tensor, ...]:
        places, base = rows[:, None].expand_as(x), torch.ones(100, 64, device=x.device, dtype=x.dtype)
        return base.scatter_reduce(0, places, x * 2, "amax"), base.scatter_reduce(0, places, x, "mean")

    return reduce, (torch.randint(100, (1000,)), values(1000, 64))


def scatter_values() -> Program:
    """Stores to places that a tensor names; with a number too."""
    return lambda x, i: (x.scatter(1, i, x[:, :50] * 2), (x + 1).scatter(1, i, 3.5)), (
        values(100, 200),
        torch.rand(100, 200).argsort(1)[:, :50],
    )


def index_put_accumulate() -> Trained:
    """x[i, j] += v."""
    return lambda x, i, j, v: x.relu().index_put((i, j), v * 2, accumulate=True), (
        learned(100, 200),
        torch.randint(-100, 100, (500,)),
        torch.randint(200, (500,)),
        learned(500),
    )


def index_put_places() -> Program:
    """A key-value cache that is written at its positions, in place."""

    def write(cache: Tensor, position: Tensor, key: Tensor) -> Tensor:
        cache[:, :, position] = key * 2
        return cache.sum(-1)

    return write, (values(2, 8, 128, 64), torch.arange(7, 19), values(2, 8, 12, 64))


def gather() -> Trained:
    """Values at places that a tensor names; the log probability of a label."""
    return lambda x, i: x.log_softmax(-1).gather(1, i).squeeze(1), (learned(300, 500), torch.randint(500, (300, 1)))


def advanced_indexing() -> Trained:
    """Two tensors and a slice in one bracket; negative places; a mask."""
    return lambda x, i, j: (x[i, :, j] * 2, x[:, -3:, 0] + x[i[0]].sum()), (
        learned(50, 30, 20),
        torch.randint(-50, 50, (40,)),
        torch.randint(20, (40,)),
    )


def index_select_add() -> Trained:
    """Message passing in a graph: rows gathered by edge, added up by target, divided by the count."""

    def pass_on(x: Tensor, source: Tensor, target: Tensor) -> Tensor:
        message = x.index_select(0, source).relu()
        count = torch.zeros(x.shape[0], device=x.device).index_add(
            0, target, torch.ones_like(target, dtype=torch.float32)
        )
        return torch.zeros_like(x).index_add(0, target, message) / count.clamp(min=1)[:, None].to(x.dtype)

    return pass_on, (learned(300, 64), torch.randint(300, (2000,)), torch.randint(300, (2000,)))


def one_hot() -> Program:
    """Classes as rows of 0 and 1, and their counts."""
    return lambda i: (functional.one_hot(i, 40).float().mean(0), functional.one_hot(i, 40) * 2), (
        torch.randint(40, (500,)),
    )


def bincount_histc() -> Program:
    """Counts of values, by a library and by atomic adds."""

    def counts(i: Tensor, x: Tensor) -> tuple[Tensor, ...]:
        bins = ((x.sigmoid() * 32).long()).clamp(0, 31)
        return (
            torch.bincount(i * 2, minlength=100) + 1,
            torch.zeros(32, device=x.device, dtype=torch.int64).scatter_add(0, bins, torch.ones_like(bins)),
        )

    return counts, (torch.randint(50, (1000,)), values(5000))


def bucketize_searchsorted() -> Program:
    """A binary search in each element's program."""
    return lambda x, edges, rows: (
        torch.bucketize(x, edges),
        torch.bucketize(x, edges, right=True, out_int32=True) + 1,
        torch.searchsorted(rows, x[:100, None] * 2),
    ), (values(3000), torch.linspace(-2, 2, 33), values(100, 40).sort(1)[0])


def masked_scatter_select() -> Program:
    """Image tokens put where the text has its marks."""
    return lambda x, m, v: x.masked_scatter(m, v * 2).masked_fill(~m, 0.5), (
        values(100, 64),
        torch.rand(100, 64) > 0.6,
        values(6400),
    )


# Random numbers


def dropout() -> Trained:
    """A mask that is drawn, and kept or drawn again for the gradient."""
    return lambda x: functional.dropout(functional.gelu(x), 0.1, training=True) + x, (learned(300, 1000),)


def random_numbers() -> Program:
    """Uniform, normal, integer, 0 or 1, from seeds of their own."""
    return lambda x: (
        torch.rand_like(x) * 2,
        torch.randn_like(x) + x,
        torch.randint_like(x, 3, 90),
        torch.randint(-5, 7, x.shape, device=x.device),
        torch.bernoulli(x.sigmoid()),
        torch.rand(1000, device=x.device) < 0.3,
    ), (values(200, 300),)


def gumbel_argmax() -> Program:
    """A draw from a distribution in each row: multinomial without a library."""
    return lambda x: (x.log_softmax(-1) - torch.empty_like(x).exponential_().log()).argmax(-1), (values(100, 1000),)


def dropout_channels() -> Trained:
    """Whole channels dropped, and whole samples (stochastic depth)."""
    return (
        lambda x: (
            functional.dropout2d(x.relu(), 0.2, training=True)
            + x * torch.bernoulli(torch.full((x.shape[0], 1, 1, 1), 0.8, device=x.device)).div(0.8).to(x.dtype)
        ),
        (learned(8, 32, 20, 20),),
    )


# Bits, integers and conversions


def bits() -> Program:
    """Shifts, masks and the count of ones; int4 out of bytes."""

    def packed(x: Tensor, byte: Tensor, scale: Tensor) -> tuple[Tensor, ...]:
        half = torch.stack([byte & 0xF, byte >> 4], -1).flatten(1)
        ones = x - ((x >> 1) & 0x55555555)
        ones = (ones & 0x33333333) + ((ones >> 2) & 0x33333333)
        return (x ^ (x << 3) | 5) & ~x, ones, (half.to(torch.int8) - 8).to(scale.dtype) * scale, x.bitwise_not()

    return packed, (torch.randint(1 << 30, (1000,)), torch.randint(256, (100, 64)).to(torch.uint8), values(100, 1))


def hash_integers() -> Program:
    """Products that overflow, and the remainder."""
    return lambda x: ((x * 2654435761 + 17) % 1000, (x.int() * 40503) >> 4, x // 7, x % -5, -x // 3), (
        torch.randint(-(1 << 40), 1 << 40, (3000,)),
    )


def casts() -> Program:
    """A floating number as everything else and back."""

    def cast(x: Tensor) -> tuple[Tensor, ...]:
        y = x * 50
        return (
            *(y.to(dtype) for dtype in (torch.int8, torch.int16, torch.int32, torch.int64, torch.bool)),
            (y.abs()).to(torch.uint8),
            *((x.to(dtype) * 3).float() for dtype in (torch.float16, torch.bfloat16, torch.float64)),
            y.half().relu(),
            y.double().sin(),
        )

    return cast, (values(2000),)


def casts_back() -> Program:
    """Bytes and truth values in arithmetic with floating numbers."""
    return lambda x, u, b, h: (x * u + b, (u.float() / 255 - 0.5) * 2, u + u, u.sum(-1), b & (x > 0), h * x, b.float().mean()), (
        values(200, 300),
        torch.randint(256, (200, 300)).to(torch.uint8),
        torch.rand(200, 300) > 0.5,
        values(200, 300).half(),
    )  # fmt: skip


def float8() -> Program:
    """Eight bits: scaled by the row's largest value, cut off, and back."""

    def through(x: Tensor, y: Tensor) -> tuple[Tensor, ...]:
        scale = x.abs().amax(1, keepdim=True).clamp(min=1e-4) / 448.0
        small = (x / scale).clamp(-448, 448).to(torch.float8_e4m3fn)
        return small, scale, small.float() * scale, y.float() * 2, (x * 2).to(torch.float8_e5m2)

    return through, (values(200, 1000), values(200, 1000).to(torch.float8_e4m3fn))


def quantize() -> Program:
    """Rows as int8 with a scale and a zero point."""

    def through(x: Tensor) -> tuple[Tensor, ...]:
        low, high = x.amin(1, keepdim=True), x.amax(1, keepdim=True)
        scale = (high - low) / 255
        zero = (-128 - (low / scale).round()).clamp(-128, 127)
        q = ((x / scale).round() + zero).clamp(-128, 127).to(torch.int8)
        return q, (q.to(x.dtype) - zero) * scale

    return through, (values(200, 1000),)


def float16() -> Trained:
    """A norm and a softmax in float16."""
    return lambda x, w: (functional.rms_norm(x, (500,), w), (x * 8).softmax(-1)), (
        learned(200, 500, dtype=torch.float16),
        learned(500, dtype=torch.float16),
    )


def float64() -> Trained:
    """A reduction and an elementary function in float64."""
    return lambda x: (x.sin().sum(1), x.exp() / x.std(), x.cumsum(0)), (learned(100, 300, dtype=torch.float64),)


# Moving things


def roll_flip() -> Trained:
    """Places modulo the size, and mirrored."""
    return lambda x: (x.roll((3, -5), (1, 2)) * 2, x.flip(2) + x, x.rot90(1, (1, 2)) - 1), (learned(4, 30, 30),)


def cat_many() -> Trained:
    """Pieces of many sizes side by side; masks choose whose turn it is."""
    return lambda *x: (torch.cat([y.relu() for y in x], 1), torch.stack(x[:3], 1) * 2), (
        learned(100, 30), learned(100, 30), learned(100, 30), *(learned(100, 7 * n) for n in range(1, 10)),
    )  # fmt: skip


def cat_huge() -> Program:
    """More pieces than one kernel takes, and large ones."""
    return lambda *x: torch.cat([y * 2 for y in x]), tuple(values(40_000 + 16 * n) for n in range(40))


def pads() -> Trained:
    """Constant, mirrored, repeated and wrapped borders; a crop is a negative one."""
    return (
        lambda x: (
            tuple(
                functional.pad(x * 2, (3, 2, 1, 4), mode=mode)
                for mode in ("constant", "reflect", "replicate", "circular")
            )
            + (functional.pad(x + 1, (-1, 2, 3, -2), value=7.0),)
        ),
        (learned(2, 8, 20, 21),),
    )


def transposes() -> Trained:
    """Tiles of two and of three dimensions: reads and writes run along memory in different orders."""
    return lambda x, y, z: (x + y.permute(2, 1, 0), (x * 2).permute(1, 2, 0).contiguous(), z + z.t().contiguous()), (
        learned(60, 50, 70),
        learned(70, 50, 60),
        learned(500, 500),
    )


def channels_last() -> Program:
    """Pictures from one memory format to the other, with the norm between."""
    return lambda x, m, s: ((x - m[:, None, None]) / s[:, None, None]).contiguous(memory_format=torch.channels_last), (
        values(8, 3, 64, 64),
        values(3),
        values(3).abs() + 1,
    )


def space_to_depth() -> Trained:
    """Pixel shuffle and back; patches of a picture as tokens."""
    return lambda x: (
        functional.pixel_shuffle(x * 2, 2),
        functional.pixel_unshuffle(x.relu(), 4),
        x.unflatten(2, (8, 4)).unflatten(4, (8, 4)).permute(0, 2, 4, 1, 3, 5).flatten(3).flatten(1, 2) + 1,
    ), (learned(2, 16, 32, 32),)


def windows() -> Trained:
    """Swin's windows: rolled, cut, normed over the channels, put back."""

    def through(norm: nn.Module, x: Tensor) -> Tensor:
        y = norm(x.roll((-3, -3), (1, 2)))
        y = y.unflatten(1, (4, 7)).unflatten(3, (4, 7)).transpose(2, 3).reshape(-1, 49, 96) * 2
        y = y.unflatten(0, (-1, 4, 4)).unflatten(3, (7, 7)).transpose(2, 3).flatten(3, 4).flatten(1, 2)
        return x + y.roll((3, 3), (1, 2))

    return With(through, nn.LayerNorm(96)), (learned(2, 28, 28, 96),)


def repeats() -> Trained:
    """Grouped heads repeated, rows tiled, elements repeated."""
    return lambda x: (
        x[:, :, None].expand(-1, -1, 4, -1, -1).flatten(1, 2) * 2,
        x.repeat(1, 2, 1, 3) + 1,
        x.repeat_interleave(3, -1).relu(),
    ), (learned(2, 4, 30, 32),)


def triangles() -> Trained:
    """Lower and upper triangles, a diagonal, a causal mask with a window."""

    def masks(x: Tensor) -> tuple[Tensor, ...]:
        row = torch.arange(x.shape[-1], device=x.device)
        near = (row[:, None] >= row) & (row[:, None] - row < 50)
        return x.tril(1), x.triu(-3) * 2, torch.diagonal(x, 2, 1, 2) + 1, x.masked_fill(~near, -math.inf).softmax(-1)

    return masks, (learned(4, 200, 200),)


def strided_slices() -> Trained:
    """Every other element, a step backwards, a slice that is written."""

    def through(x: Tensor) -> tuple[Tensor, ...]:
        y = x.clone()
        y[:, ::3] = x[:, 1::3] * 2
        y[10:20, 5:] += 1
        return y, torch.slice_scatter(x, x[:, :50].relu(), 1, 100, 150), x.select_scatter(x[0] * 3, 0, 5)

    return through, (learned(60, 150 * 2),)


def inplace() -> Program:
    """Inputs that are changed, running statistics among them."""

    def change(x: Tensor, mean: Tensor, count: Tensor) -> Tensor:
        mean.mul_(0.9).add_(x.mean(0), alpha=0.1)
        count.add_(1)
        return x.sub_(mean).mul_(2)

    return change, (values(300, 100), values(100), torch.zeros((), dtype=torch.int64))


# Reductions


def statistics() -> Trained:
    """Means, variances and deviations: Welford's way, along rows and columns."""
    return lambda x: (*torch.var_mean(x, 1), x.std(0), x.var((0, 1)), x.mean(1)), (learned(300, 1000),)


def welford_long() -> Program:
    """A variance over more than one program holds."""
    return lambda x: torch.var_mean(x * 2), (values(3_000_000),)


def split_sums() -> Trained:
    """Millions of elements to a few: reduced in two steps."""
    return lambda x: (x.sum(), x.abs().amax(), (x * x).sum(0), x.mean(0), x.prod()), (learned(400_000, 8),)


def norms_and_dots() -> Trained:
    """A gradient's norm, cosines, distances."""
    return lambda x, y: (
        x.norm(), functional.cosine_similarity(x, y), (x - y).norm(dim=1), functional.normalize(x, dim=1), torch.cdist(x[:50].float(), y[:60].float(), p=1.0),
    ), (learned(200, 300), learned(200, 300))  # fmt: skip


def any_all() -> Program:
    """Truth values reduced; numbers that are none found and counted."""
    return lambda x: (
        (x > 3).any(1),
        (x < 3).all(0),
        x.isnan().any(),
        torch.count_nonzero(x.relu(), 1),
        *x.aminmax(dim=1),
    ), (values(200, 300),)


def reduce_middle() -> Trained:
    """A sum over the middle of three dimensions, over the outer two, and a broadcast back."""
    return lambda x: (x.sum(1), (x * 2).mean((0, 2)), x - x.amax(1, keepdim=True), x.prod(2)), (learned(30, 200, 70),)


def reduce_both_ways() -> Trained:
    """Rows and columns of one product: reductions in two orders."""
    return lambda x, w: ((x * w).sum(0), (x * w).sum(1), functional.layer_norm(x, (512,), w)), (
        learned(2000, 512),
        learned(512),
    )


def persistent_or_looped() -> Trained:
    """Rows of 100, of 1000, of 40,000: held whole, or in a loop."""
    return lambda x, y, z: (x.softmax(1), functional.layer_norm(y, (1000,)), z.logsumexp(1), z.softmax(1)), (
        learned(100, 100),
        learned(100, 1000),
        learned(20, 40_000),
    )


def integer_sums() -> Program:
    """Integers and truth values added up; products and maxima of integers."""
    return lambda i, b: (i.sum(1), i.prod(1), i.amax(0), b.sum(), (i * b).sum(0), i.float().mean()), (
        torch.randint(-9, 9, (200, 300)),
        torch.rand(200, 300) > 0.5,
    )


# Losses


def cross_entropy() -> Trained:
    """Labels of which some are ignored, smoothed, weighted."""
    return (
        lambda x, t, w: (
            functional.cross_entropy(x, t, ignore_index=-100)
            + functional.cross_entropy(x * 2, t.clamp(min=0), label_smoothing=0.1)
            + functional.cross_entropy(x + 1, t.clamp(min=0), weight=w)
        ),
        (learned(300, 1000), torch.randint(1000, (300,)).masked_fill(torch.rand(300) > 0.8, -100), torch.rand(1000)),
    )


def nll_pictures() -> Trained:
    """A class for each pixel."""
    return lambda x, t: functional.nll_loss(functional.log_softmax(x, 1), t, ignore_index=255), (
        learned(2, 21, 30, 31),
        torch.randint(21, (2, 30, 31)),
    )


def other_losses() -> Trained:
    """Binary cross entropy, Huber, Kullback-Leibler, focal, hinge."""

    def losses(x: Tensor, y: Tensor) -> Tensor:
        p = y.sigmoid()
        focal = functional.binary_cross_entropy_with_logits(x, p, reduction="none") * (p - x.sigmoid()).abs().square()
        return (
            focal.mean()
            + functional.huber_loss(x, y, delta=0.5)
            + functional.smooth_l1_loss(x, y)
            + functional.kl_div(x.log_softmax(-1), y.softmax(-1), reduction="batchmean")
            + functional.soft_margin_loss(x, y.sign())
            + functional.mse_loss(x, y)
        )

    return losses, (learned(100, 200), values(100, 200))


def contrastive() -> Trained:
    """CLIP's loss: two normed sides, a temperature, both ways."""

    def loss(a: Tensor, b: Tensor, temperature: Tensor) -> Tensor:
        logits = functional.normalize(a, dim=-1) @ functional.normalize(b, dim=-1).t() * temperature.exp()
        right = torch.arange(a.shape[0], device=a.device)
        return (functional.cross_entropy(logits, right) + functional.cross_entropy(logits.t(), right)) / 2

    return loss, (learned(128, 200), learned(128, 200), torch.tensor(2.0, requires_grad=True))


# Norms and activations


def layer_norm() -> Trained:
    """A norm with its residual, and without weights."""
    norm = nn.LayerNorm(768)
    return With(lambda norm, x, y: (norm(x + y), functional.layer_norm(x * 2, (20, 768))), norm), (
        learned(8, 20, 768),
        learned(8, 20, 768),
    )


def rms_norm() -> Trained:
    """Llama's norm, written out and by name."""

    def through(x: Tensor, w: Tensor) -> tuple[Tensor, ...]:
        wide = x.float()
        scaled = wide * torch.rsqrt(wide.square().mean(-1, keepdim=True) + 1e-6)
        return w * scaled.to(x.dtype), functional.rms_norm(x * 2, (1000,), w)

    return through, (learned(200, 1000), learned(1000))


def group_norm() -> Trained:
    """Statistics over channels and places, and the swish behind them."""
    return nn.Sequential(nn.GroupNorm(8, 48), nn.SiLU(), nn.InstanceNorm2d(48, affine=True)), (learned(4, 48, 15, 15),)


def batch_norm() -> Trained:
    """Running statistics in training, in two layouts."""
    return nn.Sequential(nn.BatchNorm2d(24), nn.Hardswish()), (
        learned(8, 24, 30, 30).detach().to(memory_format=torch.channels_last).requires_grad_(),
    )


def conv_bias_relu() -> Trained:
    """What stands behind a library's convolution: the bias, the activation, the residual."""
    model = nn.Sequential(nn.Conv2d(16, 32, 3, padding=1), nn.ReLU(), nn.ConvTranspose2d(32, 16, 2, 2), nn.Sigmoid())
    return With(lambda model, x: model(x) * 2 - 1, model), (learned(2, 16, 20, 20),)


def activations() -> Trained:
    """One of each."""
    names = (
        "gelu relu silu mish elu selu celu leaky_relu relu6 hardswish hardsigmoid hardtanh softplus softsign tanhshrink logsigmoid"
    )  # fmt: skip
    return lambda x: [getattr(functional, name)(x) for name in names.split()] + [functional.gelu(x, approximate="tanh")], (
        learned(3000),
    )  # fmt: skip


def gated() -> Trained:
    """SwiGLU, GeGLU, and a gate's halves in one tensor."""
    return lambda x, y: (functional.silu(x) * y, functional.glu(x, -1), functional.gelu(x[..., ::2]) * x[..., 1::2]), (
        learned(100, 344),
        learned(100, 344),
    )


# Arithmetic


def special_functions() -> Program:
    """What goes to libdevice."""
    return lambda x, y: (
        torch.erf(x), torch.erfinv(x.tanh()), torch.lgamma(x), torch.digamma(y), torch.special.i0(x), torch.special.i1(x), torch.atan2(x, y),
        x.asinh(), y.acosh(), x.tanh().atanh(), x.sinh(), x.cosh(), x.tan(), x.atan(), x.tanh().asin(), x.expm1(), y.log1p(), y.log2(),
        y.log10(), x.exp2(), torch.hypot(x, y), torch.copysign(x, y), torch.nextafter(x, y), torch.special.erfcx(x.float()), torch.polygamma(1, y),
    ), (values(3000), torch.rand(3000) + 1)  # fmt: skip


def powers_and_remainders() -> Program:
    """Powers of all kinds, roots, remainders, roundings."""
    return lambda x, y: (
        x**2, x**3, y**0.5, y**-0.5, y**2.5, y**x, 2.0**x, y.rsqrt(), y.reciprocal(), x % y, torch.fmod(x, y), x // y, x.round(), x.trunc(),
        x.frac(), x.floor(), x.ceil(), x.sign(), torch.round(x, decimals=2), torch.div(x, y, rounding_mode="trunc"), torch.signbit(x),
    ), (values(3000), torch.rand(3000) + 1)  # fmt: skip


def clamps_and_choices() -> Trained:
    """Minimum and maximum with NaN, clamps, choices, comparisons, infinite values."""
    return lambda x, y: (
        torch.maximum(x, y), torch.fmax(x, y), torch.minimum(x, y * 2), x.clamp(-0.5, 0.5), x.clamp(min=y), torch.where(x > y, x, 0.0),
        torch.nan_to_num(x / (y > 0), 1.0, 2.0, 3.0), x.isfinite() | (x == y), torch.lerp(x, y, 0.3), torch.addcdiv(x, y, y.abs() + 1, value=0.5),
        x.logaddexp(y), torch.heaviside(x.detach(), y), x.eq(0).logical_not(), torch.xlogy(y.abs(), y.abs()), x.sinc(), x.logit(1e-3),
    ), (learned(3000), values(3000))  # fmt: skip


def broadcasts() -> Trained:
    """Tensors of one row, one column, one element, and numbers on the CPU."""
    return lambda x, r, c, one: (x * r + c - one, (x > r) * c, x / (c + 2) * one.sigmoid()), (
        learned(60, 90),
        learned(1, 90),
        learned(60, 1),
        learned(()),
    )  # fmt: skip


def positions() -> Program:
    """Sines of positions, and ALiBi's slopes: tensors that no input fills."""

    def encode(x: Tensor) -> tuple[Tensor, ...]:
        place = torch.arange(x.shape[1], device=x.device, dtype=torch.float32)[:, None]
        rate = torch.exp(torch.arange(0, 64, 2, device=x.device) * (-math.log(10_000.0) / 64))
        waves = torch.stack([(place * rate).sin(), (place * rate).cos()], -1).flatten(1)
        slopes = 2.0 ** -torch.linspace(1, 8, 8, device=x.device)
        return x + waves.to(x.dtype), (place.t() - place).abs().neg() * slopes[:, None, None]

    return encode, (values(4, 100, 64),)


def rotary() -> Trained:
    """Rotary positions by halves and by pairs, without complex numbers."""

    def rotate(q: Tensor, cos: Tensor, sin: Tensor) -> tuple[Tensor, ...]:
        left, right = q.chunk(2, -1)
        halves = q * cos + torch.cat([-right, left], -1) * sin
        even, odd = q[..., ::2], q[..., 1::2]
        c, s = cos[..., ::2], sin[..., ::2]
        return halves, torch.stack([even * c - odd * s, even * s + odd * c], -1).flatten(-2)

    return rotate, (learned(2, 8, 100, 64), values(100, 64), values(100, 64))


# Pictures and boxes


def interpolate() -> Trained:
    """Pictures enlarged and made smaller, three ways."""
    return lambda x: (
        functional.interpolate(x, scale_factor=2.0, mode="bilinear"),
        functional.interpolate(x, (17, 29), mode="nearest"),
        functional.interpolate(x, (40, 40), mode="bicubic", align_corners=True),
    ), (learned(2, 8, 20, 20),)


def grid_sample() -> Trained:
    """Pictures read where a flow says."""

    def warp(x: Tensor, theta: Tensor) -> Tensor:
        grid = functional.affine_grid(theta, [2, 8, 20, 20], align_corners=False)
        return functional.grid_sample(x, grid, align_corners=False, padding_mode="border") * 2

    return warp, (learned(2, 8, 20, 20), learned(2, 2, 3))


def boxes() -> Program:
    """Overlaps of all pairs of boxes, and their decoded offsets."""

    def overlaps(a: Tensor, b: Tensor) -> tuple[Tensor, ...]:
        area = [(x[:, 2] - x[:, 0]) * (x[:, 3] - x[:, 1]) for x in (a, b)]
        low, high = torch.maximum(a[:, None, :2], b[:, :2]), torch.minimum(a[:, None, 2:], b[:, 2:])
        shared = (high - low).clamp(min=0).prod(-1)
        ratio = shared / (area[0][:, None] + area[1] - shared + 1e-6)
        best, which = ratio.max(1)
        centre = (a[:, :2] + a[:, 2:]) / 2
        size = (a[:, 2:] - a[:, :2]).clamp(min=1e-3).log()
        return torch.where(best > 0.5, which, -1), torch.cat([centre, size], -1), ratio

    return overlaps, (
        torch.rand(100, 4) + torch.tensor([0, 0, 1.0, 1]),
        torch.rand(70, 4) + torch.tensor([0, 0, 1.0, 1]),
    )


def deformable_attention() -> Trained:
    """Deformable DETR's heart: a few points of each level, sampled and weighted."""

    def attend(value: Tensor, points: Tensor, weights: Tensor) -> Tensor:
        found = [functional.grid_sample(value, p, align_corners=False) for p in points.unbind(1)]
        return (torch.stack(found, -1).flatten(-2) * weights.softmax(-1)[:, None]).sum(-1)

    return attend, (learned(4, 16, 20, 20), learned(4, 2, 50, 3, 2), learned(4, 50, 6))


# Attention and states, written out


def attention_written_out() -> Trained:
    """Scores, a mask, softmax in float32, dropout: nothing for a fused kernel to take."""

    def attend(q: Tensor, k: Tensor, v: Tensor, padding: Tensor) -> Tensor:
        scores = q @ k.transpose(-1, -2) * 0.125
        causal = torch.ones(q.shape[-2], k.shape[-2], device=q.device, dtype=torch.bool).tril()
        scores = scores.masked_fill(~(causal & padding[:, None, None]), torch.finfo(scores.dtype).min)
        return functional.dropout(scores.float().softmax(-1).to(q.dtype), 0.1, training=True) @ v

    return attend, (*(learned(2, 4, 100, 64) for _ in range(3)), torch.rand(2, 100) > 0.2)


def flex_attention_causal() -> Trained:
    """A template with the program's own mask and bias inside."""
    from torch.nn.attention.flex_attention import create_block_mask, flex_attention

    def attend(q: Tensor, k: Tensor, v: Tensor) -> Tensor:
        mask = create_block_mask(lambda b, h, i, j: i >= j, None, None, 256, 256, device=q.device)
        return flex_attention(q, k, v, score_mod=lambda s, b, h, i, j: s + (j - i) * 0.1, block_mask=mask) * 2

    return attend, tuple(learned(1, 4, 256, 64) for _ in range(3))


def selective_scan() -> Trained:
    """A state-space recurrence unrolled over a few steps."""

    def scan(x: Tensor, step: Tensor, a: Tensor, b: Tensor, c: Tensor) -> Tensor:
        step = functional.softplus(step)
        state = torch.zeros(x.shape[0], x.shape[2], a.shape[1], device=x.device, dtype=x.dtype)
        outputs = []
        for t in range(x.shape[1]):
            decay = torch.exp(step[:, t, :, None] * -a.abs())
            state = decay * state + step[:, t, :, None] * b[:, t, None] * x[:, t, :, None]
            outputs.append((state * c[:, t, None]).sum(-1))
        return torch.stack(outputs, 1) * functional.silu(x)

    return scan, (learned(2, 6, 96), learned(2, 6, 96), learned(96, 16), learned(2, 6, 16), learned(2, 6, 16))


def foreach() -> Program:
    """Lists of tensors in one kernel: clipped by their norm, averaged."""

    def clip(tensors: list[Tensor], averages: list[Tensor]) -> tuple[Any, ...]:
        norm = torch.stack(torch._foreach_norm(tensors)).norm()
        scaled = torch._foreach_mul(tensors, (1.0 / (norm + 1e-6)).clamp(max=1.0))
        return norm, scaled, torch._foreach_lerp(averages, scaled, 0.1), torch._foreach_maximum(tensors, averages)

    sizes = [(100, 30), (30,), (64, 100), (7, 9, 11), (1000,)]
    return clip, ([values(*size) for size in sizes], [values(*size) for size in sizes])


def loss_of_tiny() -> Trained:
    """Tensors of one element and of none, which still need their kernels."""
    return lambda x, e: (x.sigmoid() * 3, e.sum() + x.sum(), torch.cat([e, x.expand(3)]), x.abs().sqrt()), (
        learned(1),
        values(0),
    )  # fmt: skip


def large_offsets() -> Program:
    """An index beyond 2**31, in a tensor that is one element in memory."""
    return lambda x: x.expand(70_000, 40_000)[65_000:, 39_000:] * 2, (values(1, 1),)


ALL: tuple[Callable[[], Program], ...] = tuple(
    made
    for made in list(globals().values())
    if getattr(made, "__annotations__", {}).get("return") in ("Program", "Trained")
)
"""Every function above, in order."""

SOME = (
    cumsum_rows, sort_rows, argmax_argmin, max_pool_indices, embedding_norm, scatter_add, gather, dropout, transposes, cat_many, statistics,
    welford_long, split_sums, any_all, reduce_middle, reduce_both_ways, persistent_or_looped, integer_sums, cross_entropy, layer_norm, rms_norm,
    group_norm, batch_norm, broadcasts, quantize, windows,
)  # fmt: skip
"""Those whose kernels change with Inductor's settings."""


# Many in one capture, in another dtype or with sizes left open


def _cast(inputs: Any, dtype: torch.dtype | None) -> Any:
    """Fresh copies on the card; float32 becomes `dtype`, what asks for a gradient goes on asking."""
    card = "cuda" if torch.cuda.is_available() else "cpu"

    def one(x: Any) -> Any:
        if not isinstance(x, Tensor):
            return x
        to = dtype if dtype and x.dtype == torch.float32 else x.dtype
        return x.detach().to(card, to).requires_grad_(x.requires_grad)

    return tree_map(one, inputs)


def _each(
    programs: Sequence[Callable[[], Program]], dtype: torch.dtype | None = None, dynamic: bool | None = None
) -> Callable[[], None]:
    """A function that compiles the programs in turn, forward and where there is one backward, and tells at the end what failed."""

    def run() -> None:
        failed = []
        for made in programs:
            torch._dynamo.reset()
            try:
                function, inputs = made()
                inputs = _cast(inputs, dtype)
                if isinstance(function, nn.Module):
                    function = function.to("cuda" if torch.cuda.is_available() else "cpu", dtype)
                found = tree_leaves(torch.compile(function, dynamic=dynamic)(*inputs))
                sums = [x.float().sum() for x in found if isinstance(x, Tensor) and x.requires_grad]
                if sums:
                    torch.stack(sums).sum().backward()
            except Exception as error:
                failed.append(made.__name__)
                print(f"{made.__name__}: {type(error).__name__}: {str(error).strip()[:300]}", file=sys.stderr)
        if failed:
            raise RuntimeError(f"not compiled: {', '.join(failed)}")

    return run


every = SimpleNamespace(
    fp32=_each(ALL), bf16=_each(ALL, torch.bfloat16), fp16=_each(ALL, torch.float16), dynamic=_each(ALL, dynamic=True)
)
"""All functions, in float32, bfloat16, float16, or float32 with every size left open."""

some = _each(SOME)
"""For settings of Inductor under which other kernels are written."""

probed = SimpleNamespace(fp32=_each(PROBES), bf16=_each(PROBES, torch.bfloat16))
"""The small models of probes.py."""
