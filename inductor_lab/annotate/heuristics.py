"""The configuration that Inductor launches a kernel with, or would try first: what a launch needs beside its arguments.

After `pointwise`, `_reduction_configs`, `_persistent_reduction_configs` and the categories built on them in
torch/_inductor/runtime/triton_heuristics.py (2.11 to 2.13). Inductor may time a few more and keep another one; which one it kept does
not stand in the log, but a capture on a real card sees it (`Kernel.autotuned`).
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass, field
from math import ceil, prod
from typing import Any

from inductor_lab.computation import computation
from inductor_lab.gpus import DEFAULT, GPUS, Card
from inductor_lab.records import Kernel

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


def configuration(kernel: Kernel, card: Card | None = None) -> Configuration | None:
    """What Inductor's autotuner kept on a card, where the capture saw it, else what it tries first; None where the text tells no size to choose blocks by.

    Args:
        card: None for the capture's own, or an H200 where the autotuner was not seen.

    Raises:
        ValueError: the body is not Python, and its sizes are needed.
    """
    if kernel.autotuned and (card is None or _is_of(kernel, card)):
        return _seen(kernel.autotuned)
    card = card or GPUS[DEFAULT]
    heuristic = _heuristic(kernel)
    inductor_meta = _dict(kernel.meta.get("inductor_meta"))
    parameters = {argument.name for argument in kernel.arguments if argument.role == "constexpr"}
    if heuristic in GIVEN:
        found: Configuration | None = GIVEN[heuristic](kernel.meta)
    elif "combo_grid_meta" in inductor_meta:
        found = _combo(kernel, heuristic, _dict(inductor_meta["combo_grid_meta"]), card)
    else:
        found = _chosen(heuristic, _hints(kernel), {**kernel.meta, **inductor_meta, "ks": _dynamic(kernel)}, card)
    if found is None:
        return None
    constants = dict(found.constants)
    if "RBLOCK" in parameters and "R0_BLOCK" in constants:  # before 2.6
        constants["RBLOCK"] = constants["R0_BLOCK"]
    kept = {name: value for name, value in constants.items() if name in parameters}
    for block, least in _dict(inductor_meta.get("tma_min_block_sizes")).items():  # what a tensor descriptor takes
        if block in kept:
            kept[block] = max(kept[block], least)
    return Configuration(kept, found.num_warps, found.num_stages)


def one_of_several(kernel: Kernel) -> bool:
    """Whether Inductor times other configurations of a reduction beside the first, and may keep another one."""
    meta = {**kernel.meta, **_dict(kernel.meta.get("inductor_meta"))}
    heuristic, hints, hint = _heuristic(kernel), _hints(kernel), _hint(meta)
    if kernel.autotuned or meta.get("RSPLIT_SIZE") or heuristic not in {"reduction", "persistent_reduction"}:
        return False
    tuned = bool(meta.get("max_autotune") or meta.get("max_autotune_pointwise")) or "y" in hints
    if heuristic == "reduction":
        return tuned or hint == "DEFAULT"
    elements = _reduced(hints)
    settled = hint != "DEFAULT" and (hint != "INNER" or elements >= 256)
    return (tuned or not settled) and elements * 8 <= PERSISTENT_ELEMENTS and hints.get("x", 1) >= 8


def _is_of(kernel: Kernel, card: Card) -> bool:
    """True where the kernel was generated for cards of this architecture."""
    cc = _dict(_dict(kernel.meta.get("triton_meta")).get("device")).get("cc")
    return card.arch in (f"sm_{cc}", cc)


def _seen(autotuned: Mapping[str, int]) -> Configuration:
    constants = dict(autotuned)
    warps, stages = constants.pop("num_warps", 4), constants.pop("num_stages", 1)
    return Configuration(constants, warps, stages)


def power_of_two(number: int) -> int:
    """The next power of two, at least 1."""
    return 1 << max(number - 1, 0).bit_length()


def _heuristic(kernel: Kernel) -> str:
    """The decorator's name, which for kernels that stand for several is not the category."""
    named = re.search(r"^@triton_heuristics\.(\w+)\(", kernel.text, re.MULTILINE)
    return named[1] if named else kernel.category


def _dict(value: object) -> dict[str, Any]:
    return dict(value) if isinstance(value, Mapping) else {}


def _dynamic(kernel: Kernel) -> int:
    return sum("ks" in argument.name for argument in kernel.arguments)


def _hints(kernel: Kernel) -> dict[str, int]:
    hints = kernel.size_hints or {axis: n for axis, n in computation(kernel).numel.items() if isinstance(n, int)}
    return {("r0_" if axis == "r" else axis): power_of_two(hint) for axis, hint in hints.items()}


# ---------------------------------------------------------------- decorators that say it themselves


def _template(meta: Mapping[str, Any]) -> Configuration:
    return Configuration({}, _number(meta, "num_warps", 4), _number(meta, "num_stages", 1))


def _foreach(meta: Mapping[str, Any]) -> Configuration:
    """8 warps since 2.3; before that the decorator says how many."""
    return Configuration({}, _number(meta, "num_warps", 8), 1)


def _listed(meta: Mapping[str, Any]) -> Configuration:
    """`configs=[{'BLOCK': 64, 'num_warps': 4}]` of a user's kernel, `config={...}` of a fixed one; Triton's own where there is none."""
    configs = meta.get("configs")
    first = _dict(meta.get("config")) or _dict(configs[0] if isinstance(configs, list) and configs else None)
    inner = _dict(first.pop("kwargs", None))
    constants = {name: value for name, value in {**first, **inner}.items() if isinstance(value, int)}
    warps, stages = constants.pop("num_warps", 4), constants.pop("num_stages", 3)
    return Configuration(constants, warps, stages)


def _number(meta: Mapping[str, Any], key: str, default: int) -> int:
    value = meta.get(key)
    return value if isinstance(value, int) else default


GIVEN = {"template": _template, "foreach": _foreach, "user_autotune": _listed, "fixed_config": _listed}


# ---------------------------------------------------------------- those that Inductor chooses


def _chosen(heuristic: str, hints: dict[str, int], meta: Mapping[str, Any], card: Card) -> Configuration | None:
    """The first configuration of one of Inductor's heuristics; None for an unknown one, and without sizes."""
    if not hints:
        return None
    if meta.get("no_x_dim"):
        hints = {**hints, "x": 1}
    triton_meta = _dict(meta.get("triton_meta"))
    if triton_meta.get("native_matmul") and heuristic in {"reduction", "persistent_reduction"}:
        return _native_matmul(hints)
    match heuristic:
        case "pointwise":
            return _pointwise(hints, card, _number(meta, "min_elem_per_thread", 0))
        case "reduction":
            return _reduction(hints, meta, card)
        case "persistent_reduction":
            return _mixed_order(_persistent(hints, meta, card), hints, meta)
        case "split_scan":
            found, least = _reduction(hints, meta, card), _number(meta, "min_split_scan_rblock", 256)
            raised = {name: max(n, least) if name.startswith("R") else n for name, n in found.constants.items()}
            return Configuration(raised, found.num_warps, found.num_stages)
        case "cooperative_reduction":
            return _cooperative(hints, meta, card)
    return None


def _warps(wanted: int, card: Card, most: int = 8, least: int = 2, intensive: bool = False) -> int:
    """Half as many where 64 threads go in step."""
    if card.warp_size == 64:
        most, least = (most + 1) // 2, (least + 1) // 2
    return power_of_two(min(max(wanted, least), most // 2 if intensive else most))


def _pointwise(hints: dict[str, int], card: Card, each: int) -> Configuration:
    numel = prod(hints.values())
    axes = sorted(hints)  # x, y, z
    wide = max(256, min(numel // 128, 1024))
    block = dict(zip(axes, {1: (wide,), 2: (32, 32), 3: (16, 16, 16)}[len(axes)], strict=True))
    target = prod(block.values())
    if numel < target:
        target //= 8
    block = {axis: min(size, hints[axis]) for axis, size in block.items()}
    for axis in axes:
        most = min(hints[axis], MOST[axis])
        while block[axis] < most and (block[axis] * MOST_PROGRAMS[axis] < hints[axis] or prod(block.values()) < target):
            block[axis] *= 2
    warps = _warps(prod(block.values()) // 256, card, least=1)
    if prod(block.values()) >= 128 and card.backend == "cuda":
        warps = max(warps, 4)
    block["x"] *= ceil(max(prod(block.values()), each * card.warp_size * warps) / prod(block.values()))
    block["x"] = min(block["x"], hints["x"])
    return Configuration(_blocks(block), warps)


def _blocks(sizes: Mapping[str, int]) -> dict[str, int]:
    return {f"{axis.upper()}BLOCK": size for axis, size in sizes.items()}


def _reduced(hints: Mapping[str, int]) -> int:
    return prod(hint for axis, hint in hints.items() if axis.startswith("r"))


def _tile(
    hints: Mapping[str, int], x: int, r: int, card: Card, hint: str, *, intensive: bool = False, warps: int | None = None,
    least: int = 2,
) -> Configuration:  # fmt: skip
    """`triton_config_reduction`"""
    sizes = {"x": min(x, hints["x"]), **_along(hints, r)}
    folded = sorted(axis for axis in sizes if axis.startswith("r"))
    target = prod(sizes.values())
    if prod(hints.values()) < target:
        target //= 8
    for axis in ("x", *folded):
        while sizes[axis] < hints[axis] and prod(sizes.values()) < target:
            sizes[axis] *= 2
    if warps is None:
        warps = r // 128 if hint == "INNER" else prod(sizes.values()) // 128
    warps = _warps(warps, card, 16 if r <= 8192 else 32, least, intensive)
    for axis in folded:
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
    sizes = {axis: min(size, hints[axis]) for axis, size in sizes.items()}
    target = prod(sizes.values())
    if prod(hints.values()) < target:
        target //= 8
    for axis in ("x", *sorted(axis for axis in sizes if axis.startswith("r")), "y"):
        while sizes[axis] < hints[axis] and prod(sizes.values()) < target:
            sizes[axis] *= 2
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
    return _dict(meta.get("tiling_scores")) or dict.fromkeys(hints, 1)


def _hint(meta: Mapping[str, Any]) -> str:
    return str(meta.get("reduction_hint", "")).rpartition(".")[2]


def _reduction(hints: dict[str, int], meta: Mapping[str, Any], card: Card) -> Configuration:
    r, hint = _reduced(hints), _hint(meta)
    loads = _number(meta, "num_load", 0)
    work = loads + _number(meta, "num_reduction", 0)
    intensive = hints["x"] >= 1024 and work >= 10
    most = 1024 if intensive or (card.backend == "cuda" and card.capability[0] >= 10) else 2048

    def tile(x: int, along: int, warps: int | None = None) -> Configuration:
        if "y" in hints:
            sizes = _shared_out(hints, _scores(hints, meta), x * along)
            return _tiled(hints, sizes, card, intensive)
        return _tile(hints, x, along, card, hint, intensive=intensive, warps=warps)

    if meta.get("add_persistent_rblock") and work <= 8:
        return _tile(hints, max(4096 // r, 1), min(r, 32_768), card, hint, intensive=intensive)
    autotuned = meta.get("max_autotune") or meta.get("max_autotune_pointwise") or "y" in hints
    if hint == "OUTER" and not autotuned:
        return tile(*_outer(hints["x"], r, loads, _number(meta, "ks", 0), card))
    if hint == "OUTER_TINY" and not autotuned:
        return tile(2 * (256 // r) if r <= 256 else 1, min(r, most))
    return tile(2 if r <= 2048 else 1, min(r, most))


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


def _persistent(hints: dict[str, int], meta: Mapping[str, Any], card: Card) -> Configuration:
    x, r, hint = hints["x"], _reduced(hints), _hint(meta)
    autotuned = meta.get("max_autotune") or meta.get("max_autotune_pointwise")
    if "y" in hints:
        scores = {axis: score for axis, score in _scores(hints, meta).items() if axis in ("x", "y")}
        sizes = {**_shared_out(hints, scores, 1), **_along(hints, r)}
        return _tiled(hints, sizes, card)
    rows = 1
    if not autotuned and hint == "INNER" and 256 <= r <= 1024 and x // 8 >= 128 and not meta.get("RSPLIT_SIZE"):
        return _tile(hints, min(1024 // r, 8), r, card, hint, intensive=True, warps=1, least=1)
    if not autotuned and hint == "OUTER":
        choices = (1, 8, 32, 128) if card.backend == "cuda" else (1, 4, 8, 16, 32, 64, 128, 256)
        rows = max(rows for rows in choices if rows == 1 or (r * rows <= PERSISTENT_ELEMENTS and rows <= x))
    if not autotuned and hint == "OUTER_TINY":
        return _tile(hints, 2 * (256 // r) if r <= 256 else 1, r, card, "")
    return _tile(hints, rows, r, card, hint, intensive=True)


def _mixed_order(found: Configuration, hints: Mapping[str, int], meta: Mapping[str, Any]) -> Configuration:
    """A row's reduction that folds columns too (`RSPLIT_SIZE` rows a program) takes several rows at a time."""
    size = _number(meta, "RSPLIT_SIZE", 0)
    if not size:
        return found
    r = hints["r0_"]
    rows = min(max(size // 32, 4 if r <= 512 else 1), 16)
    most = 1 if meta.get("mix_order_reduction_allow_multi_stages") is False else 2 if r > 8192 else 3
    stages = min(max(size // rows // 4, 1), most)
    constants = {**found.constants, "RSPLIT_SIZE": size, "XBLOCK": rows, "NUM_STAGES": stages}
    return Configuration(constants, max(found.num_warps // 2, 1) if r <= 1024 else found.num_warps)


def _cooperative(hints: dict[str, int], meta: Mapping[str, Any], card: Card) -> Configuration:
    """No more programs than multiprocessors: they wait for one another."""
    target = 1 << (card.processors.bit_length() - 1)
    split = max(1, min(hints["r0_"], target // hints["x"], MOST_SPLITS))
    part = {"x": hints["x"], "r0_": hints["r0_"] // split}
    found = (_persistent if meta.get("persistent_reduction") else _reduction)(part, meta, card)
    return Configuration({**found.constants, "RSPLIT": split}, found.num_warps, found.num_stages)


def _native_matmul(hints: Mapping[str, int]) -> Configuration:
    """A product written as a reduction: 32 x 32 tiles."""
    batch = {"z": 1} if "z" in hints else {}
    return Configuration(_blocks({"x": 32, "y": 32, **batch, "r0_": 16}), 2)


def _combo(kernel: Kernel, heuristic: str, grid: dict[str, Any], card: Card) -> Configuration | None:
    """Several kernels in one: each has blocks of its own (2.12 and later), or all share one."""
    if "heuristic_0" not in grid:
        return _chosen(heuristic, _hints(kernel), {**kernel.meta, **_dict(kernel.meta.get("inductor_meta"))}, card)
    if isinstance(grid.get("stitched_num_warps"), int):
        return Configuration(
            _dict(grid.get("default_config")), grid["stitched_num_warps"], _number(grid, "stitched_num_stages", 1)
        )
    constants: dict[str, int] = {}
    warps = stages = 1
    for part in range(_number(grid, "num_kernels", 0)):
        hints = {axis: power_of_two(hint) for axis, hint in _dict(grid.get(f"size_hints_{part}")).items()}
        own = {
            **_dict(kernel.meta.get("inductor_meta")),
            **_dict(grid.get(f"inductor_meta_{part}")),
            "reduction_hint": grid.get(f"reduction_hint_{part}", ""),
        }
        found = _chosen(str(grid[f"heuristic_{part}"]), hints, own, card)
        if found is None:
            return None
        constants |= {f"{name}_{part}": value for name, value in found.constants.items()}
        warps, stages = max(warps, found.num_warps), max(stages, found.num_stages)
    return Configuration(constants, warps, stages)
