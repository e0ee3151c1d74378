"""Rotary embedding of a query and a key: both layouts and pairings, forward and backward, from one token of a sample to 16,384.

Public kernels: Liger's, flash-attention's (Triton) and FlashInfer's. Each is given tables and layouts as it asks for them, made beforehand. Liger writes
over queries, keys and gradients in [B, T, H, D], and is given copies, which each call but the first rotates on; any other layout it copies itself. Its kernel
is Triton's, or another one where CuTe DSL is installed. All three read one angle for each pair; at points with `half_tables` hand does too, so the work is the
same.
"""

from __future__ import annotations

import shutil
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import torch
from torch import Tensor

from contests import Function, Job
from inductor_lab.errors import LabError
from inductor_lab.kernels.rotary.kernel import AXES, CANDIDATES, rotary


@dataclass(frozen=True)
class Point:
    """What is timed: a row of the results."""

    batch: int
    tokens: int
    heads: int = 32
    kv_heads: int = 8
    columns: int = 128
    layout: str = "BHTD"
    """How both lie in memory; `qkv`: slices of a projection's [B, T, H + 2 K, D], seen as BHTD."""
    interleaved: bool = False
    backward: bool = False
    """Whether forward and backward are timed, as one call."""
    dtype: str = "bfloat16"
    half_tables: bool = False
    """Whether cos and sin are an angle for each pair; else for each member, as transformers has them."""
    decoding: bool = False
    """Whether each sample's token has a position of its own."""


LONG = [(1, 8192, 32, 8, 128), (1, 2048, 32, 8, 128), (4, 4096, 32, 8, 128), (1, 16_384, 32, 8, 256)]
POINTS = [
    Point(*LONG[0], layout="qkv"),
    *(Point(*LONG[0], layout, pairs) for layout in AXES for pairs in (False, True)),
    *(Point(*size, layout, pairs) for size in LONG[1:] for layout, pairs in (("BHTD", False), ("BTHD", True))),
    *(Point(1, tokens, layout="qkv", half_tables=half) for half in (False, True) for tokens in (1024, 512, 128)),
    *(Point(batch, 1, decoding=True) for batch in (1, 16, 256)),
    *(Point(*LONG[0], layout, pairs, backward=True) for layout in AXES for pairs in (False, True)),
    Point(*LONG[2], backward=True),
    Point(*LONG[0], half_tables=True),
    *(Point(*LONG[0], dtype=dtype) for dtype in ("float16", "float32")),
    *(Point(1, 8192, 32, kv_heads) for kv_heads in (32, 1)),
]
"""The one that kernels of two head counts are counted at first."""
SMOKE = [
    Point(2, 5, 4, 2, 8, backward=True),
    Point(1, 5, 4, 2, 8, "BTHD", True, dtype="float32", half_tables=True),
    Point(1, 6, 4, 2, 8, "qkv"),
    Point(3, 1, 4, 2, 8, decoding=True),
]


def half_split(query: Tensor, key: Tensor, cos: Tensor, sin: Tensor) -> tuple[Tensor, Tensor]:
    """As transformers has it for Llama: cos and sin [.., D] that broadcast."""

    def rotate(x: Tensor) -> Tensor:
        a, b = x.chunk(2, dim=-1)
        return x * cos + torch.cat((-b, a), dim=-1) * sin

    return rotate(query), rotate(key)


def neighbours(query: Tensor, key: Tensor, cos: Tensor, sin: Tensor) -> tuple[Tensor, Tensor]:
    """As transformers has it for GPT-J."""

    def rotate(x: Tensor) -> Tensor:
        return x * cos + torch.stack((-x[..., 1::2], x[..., ::2]), dim=-1).flatten(-2) * sin

    return rotate(query), rotate(key)


def half_split_of_halves(query: Tensor, key: Tensor, cos: Tensor, sin: Tensor) -> tuple[Tensor, Tensor]:
    """cos and sin [.., D / 2]."""

    def rotate(x: Tensor) -> Tensor:
        a, b = x.chunk(2, dim=-1)
        return torch.cat((a * cos - b * sin, b * cos + a * sin), dim=-1)

    return rotate(query), rotate(key)


def neighbours_of_halves(query: Tensor, key: Tensor, cos: Tensor, sin: Tensor) -> tuple[Tensor, Tensor]:
    def rotate(x: Tensor) -> Tensor:
        a, b = x[..., ::2], x[..., 1::2]
        return torch.stack((a * cos - b * sin, b * cos + a * sin), dim=-1).flatten(-2)

    return rotate(query), rotate(key)


def decoded(query: Tensor, key: Tensor, cos: Tensor, sin: Tensor, positions: Tensor) -> tuple[Tensor, Tensor]:
    """positions [B, 1]: a row of the tables for each sample."""
    cos, sin = cos[positions][:, None], sin[positions][:, None]

    def rotate(x: Tensor) -> Tensor:
        a, b = x.chunk(2, dim=-1)
        return x * cos + torch.cat((-b, a), dim=-1) * sin

    return rotate(query), rotate(key)


FORMS: dict[tuple[bool, bool], Callable[..., Any]] = {
    (False, False): half_split,
    (True, False): neighbours,
    (False, True): half_split_of_halves,
    (True, True): neighbours_of_halves,
}
"""(interleaved, half tables) -> what is computed."""


def job(point: Point, device: str) -> Job:
    query, key = drawn(point, device)
    rows = 4096 if point.decoding else point.tokens
    halves = angles(rows, point.columns, query)
    tables = halves
    if not point.half_tables:
        tables = [t.repeat_interleave(2, -1) if point.interleaved else torch.cat([t, t], -1) for t in halves]
    layout = "BTHD" if point.layout == "BTHD" else "BHTD"
    positions = torch.randint(0, rows, (point.batch, 1), device=device) if point.decoding else None
    given = [t[:, None] if layout == "BTHD" else t for t in tables]  # a head's rows broadcast
    read = point.batch if point.decoding else point.tokens
    width = sum(t.shape[-1] for t in tables) * query.element_size()
    passes = 2 if point.backward else 1
    grad = [torch.randn_like(x) for x in (query, key)] if point.backward else None
    return Job(
        lambda configuration: rotary(
            query, key, *tables, positions=positions, layout=layout, interleaved=point.interleaved, configuration=configuration
        ),
        decoded if point.decoding else FORMS[point.interleaved, point.half_tables],  # type: ignore[arg-type]
        (query, key, *given, *([] if positions is None else [positions])),
        CANDIDATES,
        passes * (2 * (query.numel() + key.numel()) * query.element_size() + read * width),
        grad=grad,
        public={
            "liger": lambda: liger(point, query, key, *tables, grad),
            "flash_attention": lambda: flash_attention(point, query, key, *halves, positions),
            "flashinfer": lambda: flashinfer(point, query, key, *halves, positions),
        },
    )  # fmt: skip


def drawn(point: Point, device: str) -> tuple[Tensor, Tensor]:
    """query and key, as they lie."""
    how: dict[str, Any] = {"device": device, "dtype": getattr(torch, point.dtype)}
    if point.layout == "qkv":
        counts = (point.heads, point.kv_heads, point.kv_heads)
        qkv = torch.randn(point.batch, point.tokens, sum(counts), point.columns, **how).transpose(1, 2)
        query, key, _ = qkv.split(counts, dim=1)
        return query.detach(), key.detach()
    shapes = [(point.batch, count, point.tokens, point.columns) for count in (point.heads, point.kv_heads)]
    both = [torch.randn([shape[axis] for axis in AXES[point.layout]], **how) for shape in shapes]
    return both[0].requires_grad_(point.backward), both[1].requires_grad_(point.backward)


def angles(rows: int, columns: int, like: Tensor) -> list[Tensor]:
    """cos and sin [rows, columns / 2] of real angles: what rotates in place again and again stays as long as it was."""
    frequency = 1 / 10_000 ** (torch.arange(0, columns, 2, device=like.device) / columns)
    angle = torch.outer(torch.arange(rows, device=like.device).float(), frequency)
    return [angle.cos().to(like.dtype), angle.sin().to(like.dtype)]


def liger(point: Point, query: Tensor, key: Tensor, cos: Tensor, sin: Tensor, grad: list[Tensor] | None) -> Function:
    from liger_kernel.transformers.rope import liger_rotary_pos_emb

    if point.interleaved or point.decoding:
        raise LabError("liger rotates halves, without positions")
    if point.half_tables:  # it asks for both halves of a row, and reads the first
        cos, sin = (torch.cat([t, t], -1) for t in (cos, sin))
    own = [x.detach().clone().requires_grad_(point.backward) for x in (query, key)]
    of_result = [x.clone() for x in grad or ()]
    tables = cos[None], sin[None]

    def run() -> Any:
        seen = [x.transpose(1, 2) if point.layout == "BTHD" else x for x in own]
        found = liger_rotary_pos_emb(seen[0], seen[1], *tables)
        found = [x.transpose(1, 2) for x in found] if point.layout == "BTHD" else found
        return torch.autograd.grad(found, own, of_result) if point.backward else found

    return run


def flash_attention(
    point: Point, query: Tensor, key: Tensor, cos: Tensor, sin: Tensor, positions: Tensor | None
) -> Function:
    """A launch for each; tables [T, D / 2], both of [B, T, H, D] in any strides, with a first position for each sample."""
    from flash_attn.layers.rotary import apply_rotary_emb

    first = 0 if positions is None else positions.flatten()

    def run() -> Any:
        own = [x if point.layout == "BTHD" else x.transpose(1, 2) for x in (query, key)]
        found = [apply_rotary_emb(x, cos, sin, point.interleaved, seqlen_offsets=first) for x in own]
        return found if point.layout == "BTHD" else [x.transpose(1, 2) for x in found]

    return run


def flashinfer(
    point: Point, query: Tensor, key: Tensor, cos: Tensor, sin: Tensor, positions: Tensor | None
) -> Function:
    """One launch, by positions; cos and sin side by side in float32."""
    from flashinfer.rope import apply_rope_with_cos_sin_cache

    if point.backward or point.dtype == "float32" or (point.layout == "BHTD" and not point.decoding):
        raise LabError("flashinfer takes rows of all heads of a token in 16 bits, and has no gradient")
    table = torch.cat([cos, sin], -1).float()
    if positions is None:
        positions = torch.arange(point.tokens, device=query.device).repeat(point.batch)
    by_token = [x if point.layout == "BTHD" else x.transpose(1, 2) for x in (query, key)]
    rows = [x.flatten(2).flatten(0, 1) for x in by_token]
    at = positions.flatten()

    def run() -> Any:
        found = apply_rope_with_cos_sin_cache(at, rows[0], rows[1], point.columns, table, is_neox=not point.interleaved)
        shaped = [own.view(x.shape) for own, x in zip(found, by_token, strict=True)]
        return shaped if point.layout == "BTHD" else [x.transpose(1, 2) for x in shaped]

    return run


def capture(name: str, folder: Path) -> None:
    """That of query and key of different heads, which the steps are of; torch 2.11 gives its values other names."""
    shutil.copytree(Path(__file__).parents[2] / "kernels" / "captured" / name, folder)
