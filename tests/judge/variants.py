"""Right ways to compute the same, and wrong ones, written in torch: what the judge's limits must let through, and what they must find."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator
from dataclasses import dataclass

import torch
from torch import Tensor

from inductor_lab.judge.compare import limits

Function = Callable[[Tensor], Tensor]


@dataclass(frozen=True)
class Form:
    """What eager computes, in whatever dtype it is given, and other ways to compute it in float32 or less."""

    eager: Function
    right: dict[str, Function]


def one_after_another(block: int) -> Function:
    """A sum as a loop over blocks takes it: lanes that add up one after another, then one sum of them."""

    def total(x: Tensor) -> Tensor:
        lanes = torch.zeros(*x.shape[:-1], block, dtype=x.dtype)
        for start in range(0, x.shape[-1], block):
            part = x[..., start : start + block]
            lanes[..., : part.shape[-1]] += part
        return pairwise(lanes)

    return total


def pairwise(x: Tensor) -> Tensor:
    while x.shape[-1] > 1:
        if x.shape[-1] % 2:
            x = torch.nn.functional.pad(x, (0, 1))
        x = x[..., ::2] + x[..., 1::2]
    return x[..., 0]


def kahan(x: Tensor) -> Tensor:
    x = torch.nn.functional.pad(x, (0, -x.shape[-1] % 32)).unflatten(-1, (-1, 32))
    total = torch.zeros_like(x[..., 0, :])
    lost = torch.zeros_like(total)
    for step in range(x.shape[-2]):
        part = x[..., step, :] - lost
        larger = total + part
        lost = (larger - total) - part
        total = larger
    return pairwise(total)


def in_float64(x: Tensor) -> Tensor:
    return x.double().sum(-1).to(x.dtype)


def as_product(x: Tensor) -> Tensor:
    """A product with ones, 64 of a row at a time."""
    x = torch.nn.functional.pad(x, (0, -x.shape[-1] % 64)).unflatten(-1, (-1, 64))
    return one_after_another(1)((x @ torch.ones(64, 1, dtype=x.dtype))[..., 0])


SUMS = {
    **{f"blocks of {block}": one_after_another(block) for block in (32, 256, 4096)},
    "pairwise": pairwise,
    "kahan": kahan,
    "float64": in_float64,
    "product": as_product,
}
LOG2E = 1.4426950408889634


def softmax(x: Tensor) -> Tensor:
    return torch.softmax(x, -1)


def softmax_by(total: Function, exp: Function = torch.exp) -> Function:
    def computed(x: Tensor) -> Tensor:
        powers = exp(x - x.amax(-1, keepdim=True))
        return powers / total(powers)[..., None]

    return computed


def online_softmax(x: Tensor) -> Tensor:
    largest = torch.full(x.shape[:-1], -math.inf, dtype=x.dtype)
    total = torch.zeros_like(largest)
    for part in x.split(64, -1):
        new = torch.maximum(largest, part.amax(-1))
        total = total * torch.exp(largest - new) + torch.exp(part - new[..., None]).sum(-1)
        largest = new
    return torch.exp(x - largest[..., None]) / total[..., None]


def by_exp2(x: Tensor) -> Tensor:
    return torch.exp2(x * LOG2E)


def naive_softmax(x: Tensor) -> Tensor:
    return torch.exp(x) / torch.exp(x).sum(-1, keepdim=True)


def layer_norm(x: Tensor) -> Tensor:
    return torch.nn.functional.layer_norm(x, x.shape[-1:], eps=1e-5)


def two_passes(x: Tensor) -> Tensor:
    mean = pairwise(x)[..., None] / x.shape[-1]
    return (x - mean) / torch.sqrt(pairwise((x - mean).square())[..., None] / x.shape[-1] + 1e-5)


def welford(x: Tensor) -> Tensor:
    mean = torch.zeros_like(x[..., :16])
    squares = torch.zeros_like(mean)
    for count, part in enumerate(x.split(16, -1), 1):
        delta = part - mean
        mean = mean + delta / count
        squares = squares + delta * (part - mean)
    weight = float(x.shape[-1] // 16)
    while mean.shape[-1] > 1:
        left, right = mean[..., ::2], mean[..., 1::2]
        delta = right - left
        squares = squares[..., ::2] + squares[..., 1::2] + delta * delta * (weight / 2)
        mean, weight = left + delta * 0.5, weight * 2
    return (x - mean) * torch.rsqrt(squares / x.shape[-1] + 1e-5)


def naive_norm(x: Tensor) -> Tensor:
    mean = x.mean(-1, keepdim=True)
    return (x - mean) * torch.rsqrt(x.square().mean(-1, keepdim=True) - mean.square() + 1e-5)


def rms_norm(x: Tensor) -> Tensor:
    return x * torch.rsqrt(x.square().mean(-1, keepdim=True) + 1e-6)


def chain(x: Tensor) -> Tensor:
    return x * 1.7 + 0.3 * x.sin()


def by_fma(x: Tensor) -> Tensor:
    return (x.double() * 1.7 + (0.3 * x.sin()).double()).to(x.dtype)


def gelu(x: Tensor) -> Tensor:
    return torch.nn.functional.gelu(x, approximate="tanh")


def gelu_by(tanh: Function) -> Function:
    return lambda x: 0.5 * x * (1 + tanh(0.7978845608028654 * (x + 0.044715 * x * x * x)))


def tanh_by_exp(x: Tensor) -> Tensor:
    power = torch.exp(-2 * x.abs())
    return torch.copysign((1 - power) / (1 + power), x)


def naive_variance(x: Tensor) -> Tensor:
    return x.square().mean(-1) - x.mean(-1).square()


def variance_by_two_passes(x: Tensor) -> Tensor:
    mean = pairwise(x)[..., None] / x.shape[-1]
    return pairwise((x - mean).square()) / x.shape[-1]


FORMS = {
    "sum": Form(lambda x: x.sum(-1), SUMS),
    "mean of all": Form(
        lambda x: x.sum() * (1 / x.numel()),
        {name: lambda x, f=f: f(x.flatten()) / x.numel() for name, f in SUMS.items()},
    ),
    "softmax": Form(
        softmax,
        {
            "online": online_softmax,
            "exp2": softmax_by(lambda x: x.sum(-1), by_exp2),
            **{name: softmax_by(total) for name, total in SUMS.items()},
        },
    ),
    "log_softmax": Form(
        lambda x: torch.log_softmax(x, -1),
        {"in steps": lambda x: x - x.amax(-1, keepdim=True) - (x - x.amax(-1, keepdim=True)).exp().sum(-1, True).log()},
    ),
    "layer_norm": Form(layer_norm, {"two passes": two_passes, "welford": welford}),
    "variance": Form(lambda x: x.var(-1, correction=0), {"two passes": variance_by_two_passes}),
    "rms_norm": Form(
        rms_norm,
        {
            "square root": lambda x: x / torch.sqrt(pairwise(x.square())[..., None] / x.shape[-1] + 1e-6),
            "float64": lambda x: rms_norm(x.double()).to(x.dtype),
        },
    ),
    "chain": Form(chain, {"fma": by_fma, "other order": lambda x: 0.3 * torch.sin(x) + 1.7 * x}),
    "division": Form(lambda x: x / 7.3, {"by reciprocal": lambda x: x * (1 / 7.3)}),
    "rsqrt": Form(lambda x: torch.rsqrt(x.square() + 1), {"square root": lambda x: 1 / torch.sqrt(x * x + 1)}),
    "tanh": Form(torch.tanh, {"by exp": tanh_by_exp, "by sigmoid": lambda x: 2 * torch.sigmoid(2 * x) - 1}),
    "gelu": Form(gelu, {"exp": gelu_by(tanh_by_exp), "tanh": gelu_by(torch.tanh)}),
    "silu": Form(
        torch.nn.functional.silu, {"exp2": lambda x: x / (1 + by_exp2(-x)), "exp": lambda x: x / (1 + torch.exp(-x))}
    ),
    "cumsum": Form(
        lambda x: x.cumsum(-1), {"blocks of 64": lambda x: scanned(x, 64), "by halves": lambda x: doubled(x)}
    ),
}


def scanned(x: Tensor, block: int) -> Tensor:
    """Block after block, with what the blocks before it add up to."""
    before = torch.zeros_like(x[..., :1])
    parts = []
    for part in x.split(block, -1):
        parts.append(doubled(part) + before)
        before = parts[-1][..., -1:]
    return torch.cat(parts, -1)


def doubled(x: Tensor) -> Tensor:
    """Each element with what ends 1, 2, 4 ... before it."""
    step = 1
    while step < x.shape[-1]:
        x = x + torch.nn.functional.pad(x, (step, 0))[..., :-step]
        step *= 2
    return x


INPUTS: dict[str, Function] = {
    "normal": lambda x: x,
    "offset": lambda x: 1e4 + x,
    "large": lambda x: 300 * x,
    "tiny": lambda x: 1e-20 * x,
    "mixed": lambda x: x * torch.logspace(-12, 12, len(x), dtype=x.dtype)[:, None],
    "constant": lambda x: x[:, :1].expand_as(x).clone(),
}


def nudges(function: Function, x: Tensor, seed: int = 0) -> list[Tensor]:
    """Float64's results for inputs off by the last bit of a float32, up or down, and all up."""
    generator = torch.Generator().manual_seed(seed)
    bit = torch.finfo(torch.promote_types(x.dtype, torch.float32)).eps
    signs = [2.0 * torch.randint(0, 2, x.shape, generator=generator) - 1 for _ in range(4)]
    signs.append(x.sign())
    return [function(x.double() * (1 + bit * sign.double())) for sign in signs]


def drawn(seed: int, shape: tuple[int, ...], family: str, dtype: torch.dtype) -> Tensor:
    values = torch.randn(shape, generator=torch.Generator().manual_seed(seed), dtype=torch.float64)
    return INPUTS[family](values).to(dtype)


def computed(function: Function, x: Tensor) -> Tensor:
    """As a kernel does it: in float32 where the dtype is narrower."""
    return function(x.to(torch.promote_types(x.dtype, torch.float32))).to(x.dtype)


def variants() -> Iterator[tuple[str, str]]:
    for name, form in FORMS.items():
        for variant in form.right:
            yield name, variant


# ---------------------------------------------------------------- held to the limits


def compared(
    out: Tensor, eager: Tensor, exact: Tensor, generated: Tensor | None, nudged: limits.Draw, *, from_eager: bool = False,
    **others: limits.Draw,
) -> limits.Finding:  # fmt: skip
    """What the judge finds, by what inputs that are a last bit away give."""
    return limits.compared(out, eager, exact, generated, limits.Draws(nudged, **others), from_eager=from_eager)
