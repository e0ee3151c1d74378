"""Every block configuration that Inductor's autotuner would time for a kernel's sizes, its first choice first.

After `pointwise`, `_reduction_configs`, `_persistent_reduction_configs` and the categories built on them in
torch/_inductor/runtime/triton_heuristics.py, 2.12 and 2.13, which 2.14 moved to torch/_inductor/heuristics: NVIDIA's are the same up to 2.15, AMD's are
not. A capture asks the Inductor that wrote it (`capture/configurations.py`): this is for texts that somebody else made, and for another card than a capture's.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from functools import partial
from math import ceil, prod
from typing import Any

from inductor_lab.gpus import Card

MOST = {"x": 4096, "y": 1024, "z": 1024, "r0_": 65_536, "r1_": 32_768}
"""TRITON_MAX_BLOCK (torch/_inductor/runtime/hints.py)."""
MOST_PROGRAMS = {"x": (1 << 31) - 1, "y": 65_535, "z": 65_535}
"""Programs along each axis of a grid."""
MOST_SPLITS = 64
PERSISTENT_ELEMENTS = 4096
"""Elements of a tile, where a persistent reduction takes several rows."""


@dataclass(frozen=True)
class Configuration:
    """One way to compile a kernel."""

    constants: Mapping[str, int] = field(default_factory=dict)
    """XBLOCK, R0_BLOCK, RSPLIT and so on, those that the signature has."""
    num_warps: int = 4
    num_stages: int = 1


def power_of_two(number: int) -> int:
    """The next power of two, at least 1."""
    return 1 << max(number - 1, 0).bit_length()


def as_dict(value: object) -> dict[str, Any]:
    """What the text has under a key, where it is a dictionary."""
    return dict(value) if isinstance(value, Mapping) else {}


def number(meta: Mapping[str, Any], key: str, default: int) -> int:
    """What the text has under a key, where it is a number."""
    value = meta.get(key)
    return value if isinstance(value, int) else default


def chosen(heuristic: str, hints: dict[str, int], meta: Mapping[str, Any], card: Card) -> list[Configuration]:
    """What one of Inductor's heuristics lists, each once; nothing for an unknown one, and without sizes. Of a native product the first alone."""
    if not hints:
        return []
    if meta.get("no_x_dim"):
        hints = {**hints, "x": 1}
    if native_product(heuristic, meta):
        return [_native_matmul(hints)]
    found: list[Configuration] = []
    match heuristic:
        case "pointwise":
            found = _pointwise(hints, meta, card)
        case "reduction":
            found = _reduction(hints, meta, card)
        case "persistent_reduction":
            found = [each for one in _persistent(hints, meta, card) for each in _mixed_order(one, hints, meta, card)]
        case "split_scan":
            found = [_raised(one, number(meta, "min_split_scan_rblock", 256)) for one in _reduction(hints, meta, card)]
        case "cooperative_reduction":
            found = _cooperative(hints, meta, card)
    return [one for place, one in enumerate(found) if one not in found[:place]]


def native_product(heuristic: str, meta: Mapping[str, Any]) -> bool:
    """Whether a reduction is a product, whose tiles Inductor has in a table of its own."""
    return bool(as_dict(meta.get("triton_meta")).get("native_matmul")) and heuristic in {
        "reduction",
        "persistent_reduction",
    }


def _autotuned(meta: Mapping[str, Any]) -> bool:
    return bool(meta.get("max_autotune") or meta.get("max_autotune_pointwise"))


def _raised(found: Configuration, least: int) -> Configuration:
    return replace(
        found, constants={name: max(n, least) if name.startswith("R") else n for name, n in found.constants.items()}
    )


def _warps(wanted: int, card: Card, most: int = 8, least: int = 2, intensive: bool = False) -> int:
    """Half as many where 64 threads go in step."""
    if card.warp_size == 64:
        most, least = (most + 1) // 2, (least + 1) // 2
    return power_of_two(min(max(wanted, least), most // 2 if intensive else most))


def _pointwise(hints: dict[str, int], meta: Mapping[str, Any], card: Card) -> list[Configuration]:
    axes, cuda = sorted(hints), card.backend == "cuda"  # x, y, z
    wide = max(256, min(prod(hints.values()) // 128, 1024))
    flat = [tuple(wide if axis == along else 1 for axis in axes) for along in axes]
    several = _autotuned(meta) or (len(axes) < 3 and meta.get("autotune_pointwise", True))
    if len(axes) == 2 and cuda and str(meta.get("tile_hint", "")).endswith("SQUARE"):
        several = _autotuned(meta)
    make = partial(_elementwise, hints, card, number(meta, "min_elem_per_thread", 0))
    tiles = TILES[len(axes)] + flat
    found = [make(tile) for tile in tiles] if len(axes) > 1 else [make((wide,)), make((wide // 2,), a_warp=64)]
    if "ONE_ELEMENT_PER_THREAD" in str(meta.get("autotune_hints", "")):
        thin = [tuple(wide // 4 if axis == along else 1 for axis in axes) for along in axes]
        found += [make(tile, a_warp=card.warp_size) for tile in thin]
    if not cuda and len(axes) == 1:
        found += [make((4096,)), make((2048,), warps=8, stages=2)]
        found += [make((64,), warps=1)] if meta.get("atomic_add_found") else []
    if not cuda and len(axes) == 2:
        found += [make(tile) for tile in ((64, 32), (128, 16), (128, 32), (32, 512))]
    return found if several else found[:1]


TILES: dict[int, list[tuple[int, ...]]] = {
    1: [],
    2: [(32, 32), (64, 64), (256, 16), (16, 256)],
    3: [(16, 16, 16), (64, 8, 8), (8, 64, 8), (8, 8, 64)],
}
"""By the number of axes, the blocks along x, y, z that are tried before those along one alone."""


def _elementwise(
    hints: dict[str, int], card: Card, each: int, wanted: tuple[int, ...], *, a_warp: int = 256, warps: int = 0, stages: int = 1
) -> Configuration:  # fmt: skip
    """`triton_config`

    Args:
        each: Elements that a thread has at least.
        wanted: The block along x, y, z before it is fitted to the sizes.
        a_warp: Elements that a warp is meant to have.
    """
    least = {axis: -(-hint // MOST_PROGRAMS.get(axis, hint)) for axis, hint in hints.items()}
    block = {axis: min(size, hints[axis]) for axis, size in zip(sorted(hints), wanted, strict=True)}
    _grow(block, {axis: min(hints[axis], MOST[axis]) for axis in hints}, _target(hints, prod(wanted)), least)
    warps = warps or _warps(prod(block.values()) // a_warp, card, least=1)
    if prod(block.values()) >= 128 and card.backend == "cuda":
        warps = max(warps, 4)
    block["x"] *= ceil(max(prod(block.values()), each * card.warp_size * warps) / prod(block.values()))
    block["x"] = min(block["x"], hints["x"])
    return Configuration(_blocks(block), warps, stages)


def _target(hints: Mapping[str, int], elements: int) -> int:
    """How many elements a tile is to have: fewer where there are no more."""
    return elements if prod(hints.values()) >= elements else elements // 8


def _grow(sizes: dict[str, int], most: Mapping[str, int], target: int, least: Mapping[str, int] | None = None) -> None:
    """Make a tile larger, one dimension after the other, while it has room and fewer elements than it is to have."""
    for axis in sizes:
        while sizes[axis] < most[axis] and (sizes[axis] < (least or sizes)[axis] or prod(sizes.values()) < target):
            sizes[axis] *= 2


def _blocks(sizes: Mapping[str, int]) -> dict[str, int]:
    return {f"{axis.upper()}BLOCK": size for axis, size in sizes.items()}


def _reduced(hints: Mapping[str, int]) -> int:
    return prod(hint for axis, hint in hints.items() if axis.startswith("r"))


def _tile(
    hints: Mapping[str, int], x: int, r: int, card: Card, hint: str, *, intensive: bool = False, warps: int | None = None,
    least: int = 2,
) -> Configuration:  # fmt: skip
    """`triton_config_reduction`"""
    along = _along(hints, r)
    sizes = {"x": min(x, hints["x"]), **{axis: along[axis] for axis in sorted(along)}}
    target = _target(hints, prod(sizes.values()))
    _grow(sizes, hints, target)
    if warps is None:
        warps = r // 128 if hint == "INNER" else prod(sizes.values()) // 128
    warps = _warps(warps, card, 16 if r <= 8192 else 32, least, intensive)
    for axis in sorted(along):
        while prod(sizes.values()) > target and sizes[axis] > 1:
            sizes[axis] //= 2
    return Configuration(_blocks(sizes), warps)


def _along(hints: Mapping[str, int], r: int) -> dict[str, int]:
    """A number of elements shared out over the reduced dimensions, the last one first."""
    remaining = min(r, _reduced(hints))
    sizes = {}
    for axis in sorted((axis for axis in hints if axis.startswith("r")), reverse=True):
        sizes[axis] = min(hints[axis], MOST[axis], remaining)
        remaining //= sizes[axis]
    return sizes


def _tiled(hints: dict[str, int], sizes: dict[str, int], card: Card, intensive: bool = False) -> Configuration:
    """`triton_config_tiled_reduction`, for kernels with x, y and a reduced dimension."""
    order = sorted(sizes, key=lambda axis: ("xry".index(axis[0]), axis))
    sizes = {axis: min(sizes[axis], hints[axis]) for axis in order}
    _grow(sizes, hints, _target(hints, prod(sizes.values())))
    warps = _warps(prod(sizes.values()) // 256, card, least=1)
    return Configuration(_blocks(sizes), _warps(warps, card, 16, intensive=intensive))


def _shared_out(hints: Mapping[str, int], scores: Mapping[str, float], target: int) -> dict[str, int]:
    """`match_target_block_product`: a tile's elements given to its dimensions by their scores."""
    total = sum(scores.values())
    if not total:
        scores, total = dict.fromkeys(scores, 1), len(scores)
    sizes = {axis: 4 if axis.startswith("r") else 1 for axis in scores}
    sizes |= {axis: 1 for axis, score in scores.items() if score == 0 and not axis.startswith("r")}
    wanted = {axis: score / total for axis, score in scores.items() if score or axis.startswith("r")}
    while prod(sizes[axis] for axis in scores) < target and wanted:
        axis = max(wanted, key=lambda axis: wanted[axis])
        if sizes[axis] >= min(MOST[axis], hints[axis]):
            del wanted[axis]
            continue
        sizes[axis] *= 2
        wanted[axis] /= 2
    return sizes


def _scores(hints: Mapping[str, int], meta: Mapping[str, Any]) -> dict[str, float]:
    return as_dict(meta.get("tiling_scores")) or dict.fromkeys(hints, 1)


def _hint(meta: Mapping[str, Any]) -> str:
    return str(meta.get("reduction_hint", "")).rpartition(".")[2]


def _reduction(hints: dict[str, int], meta: Mapping[str, Any], card: Card) -> list[Configuration]:
    r, hint = _reduced(hints), _hint(meta)
    loads = number(meta, "num_load", 0)
    work = loads + number(meta, "num_reduction", 0)
    heavy = hints["x"] >= 1024 and work >= 10
    most = 1024 if heavy or (card.backend == "cuda" and card.capability[0] >= 10) else 2048

    def tile(x: int, along: int, warps: int | None = None, intensive: bool = heavy) -> Configuration:
        if "y" in hints:
            sizes = _shared_out(hints, _scores(hints, meta), x * along)
            return _tiled(hints, sizes, card, intensive)
        return _tile(hints, x, along, card, hint, intensive=intensive, warps=warps)

    whole = [tile(max(4096 // r, 1), min(r, 32_768))] if meta.get("add_persistent_rblock") and work <= 8 else []
    contiguous = tile(2 if r <= 2048 else 1, min(r, most))
    outer = tile(*_outer(hints["x"], r, loads, number(meta, "ks", 0), card))
    tiny = tile(2 * (256 // r) if r <= 256 else 1, min(r, most))
    settled = {"INNER": contiguous, "OUTER": outer, "OUTER_TINY": tiny}
    if hint in settled and "y" not in hints and not _autotuned(meta):
        return [*whole, settled[hint]]
    others = [(64, 64, None), (8, 512, None), (64, 4, 8)]
    if card.backend == "hip":
        others += [(1024, 8, 4), (512, 8, 4)]
    return [*whole, contiguous, outer, tiny, *(tile(x, along, warps, False) for x, along, warps in others)]


def _outer(x: int, r: int, loads: int, dynamic: int, card: Card) -> tuple[int, int, int | None]:
    """Rows, elements along the reduction and warps where neighbouring threads read neighbouring rows."""
    if card.backend == "hip":
        return 64, 8, None
    if x <= 1024:
        return max(min(x // 128, 8), 2), min(r, 64), None
    if x // 4096 <= 8:
        return 16, 32, None
    if dynamic > 1:
        return 64, max(min(r // 64, 64), 8), None
    if dynamic == 1:
        return 64, 1 if loads >= 3 else min(power_of_two(max(r, 128) // 128), 8), None
    rows = max(min(256, power_of_two(x // 4096)), 64)
    if loads < 4 or r <= 128:
        return rows, 512 // rows, None
    return min(rows, 32), 64 if r >= 2048 else 32, 4


def _persistent(hints: dict[str, int], meta: Mapping[str, Any], card: Card) -> list[Configuration]:
    x, r, hint = hints["x"], _reduced(hints), _hint(meta)
    listed = (1, 8, 32, 128) if card.backend == "cuda" else (1, 4, 8, 16, 32, 64, 128, 256)
    choices = [rows for rows in listed if rows == 1 or r * rows <= PERSISTENT_ELEMENTS]
    if "y" in hints:
        scores = {axis: score for axis, score in _scores(hints, meta).items() if axis in ("x", "y")}
        return [_tiled(hints, {**_shared_out(hints, scores, rows), **_along(hints, r)}, card) for rows in choices]
    every = [_tile(hints, rows, r, card, hint, intensive=True) for rows in choices if rows == 1 or rows <= x]
    tiny = _tile(hints, 2 * (256 // r) if r <= 256 else 1, r, card, "")
    if _autotuned(meta):
        return every if card.backend == "cuda" else [*every, tiny]
    if hint == "INNER" and r >= 256:
        if r > 1024 or x // 8 < 128 or meta.get("RSPLIT_SIZE"):
            return every[:1]
        return [_tile(hints, min(1024 // r, 8), r, card, hint, intensive=True, warps=1, least=1)]
    return {"OUTER": every[-1:], "OUTER_TINY": [tiny]}.get(hint, every)


def _mixed_order(
    found: Configuration, hints: Mapping[str, int], meta: Mapping[str, Any], card: Card
) -> list[Configuration]:
    """A row's reduction that folds columns too (`RSPLIT_SIZE` rows a program) takes several rows at a time."""
    size = number(meta, "RSPLIT_SIZE", 0)
    if not size:
        return [found]
    r = hints["r0_"]
    rows = min(max(size // 32, 4 if r <= 512 else 1), 16)
    most = 1 if meta.get("mix_order_reduction_allow_multi_stages") is False else 2 if r > 8192 else 3
    stages = min(max(size // rows // 4, 1), most)
    constants = {**found.constants, "RSPLIT_SIZE": size, "XBLOCK": rows, "NUM_STAGES": stages}
    short = r <= 1024
    first = Configuration(constants, max(found.num_warps // 2, 1) if short else found.num_warps)
    if not _autotuned(meta):
        return [first]
    if short:
        return [first, replace(first, num_warps=2)]
    room = first.num_warps < (32 if card.backend == "cuda" else 16)
    return [first, replace(first, num_warps=first.num_warps * 2)] if room else [first]


def _cooperative(hints: dict[str, int], meta: Mapping[str, Any], card: Card) -> list[Configuration]:
    """No more programs than multiprocessors: they wait for one another."""
    target = 1 << (card.processors.bit_length() - 1)
    split = max(1, min(hints["r0_"], target // hints["x"], MOST_SPLITS))
    part = {"x": hints["x"], "r0_": hints["r0_"] // split}
    listed = (_persistent if meta.get("persistent_reduction") else _reduction)(part, meta, card)
    return [replace(one, constants={**one.constants, "RSPLIT": split}) for one in listed]


def _native_matmul(hints: Mapping[str, int]) -> Configuration:
    """A product written as a reduction: 32 x 32 tiles."""
    batch = {"z": 1} if "z" in hints else {}
    return Configuration(_blocks({"x": 32, "y": 32, **batch, "r0_": 16}), 2)
