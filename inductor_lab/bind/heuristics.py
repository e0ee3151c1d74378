"""The configuration that Inductor launches a kernel with, or would try first: what a launch needs beside its arguments.

A capture asks Inductor for them (`Kernel.candidates`), and on a real card sees which one the autotuner kept (`Kernel.autotuned`). For a text that
somebody else made, an older capture and another card `blocks.py` lists them by the sizes, as Inductor 2.12 to 2.15 does for NVIDIA's, 2.13 for AMD's.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import replace
from typing import Any

from inductor_lab.bind.blocks import Configuration, as_dict, chosen, native_product, number, power_of_two
from inductor_lab.computation import computation
from inductor_lab.gpus import DEFAULT, GPUS, Card
from inductor_lab.records import Kernel


def configuration(kernel: Kernel, card: Card | None = None) -> Configuration | None:
    """What Inductor's autotuner kept on a card, where the capture saw it, else what it tries first; None where the text tells no size to choose blocks by.

    Args:
        card: None for the capture's own, or an H200 where the capture did not ask Inductor.

    Raises:
        ValueError: the body is not Python, and its sizes are needed.
    """
    if seen := kept(kernel, card):
        return seen
    listed = _asked(kernel, card) or _every(kernel, card or GPUS[DEFAULT])
    return _stated(kernel, listed[0]) if listed else None


def kept(kernel: Kernel, card: Card | None = None) -> Configuration | None:
    """What the autotuner kept, where the capture saw it on such a card."""
    return _seen(kernel.autotuned) if kernel.autotuned and (card is None or _is_of(kernel, card)) else None


def candidates(kernel: Kernel, card: Card | None = None) -> list[Configuration]:
    """Every configuration that Inductor's autotuner times, the first one first; none where they are not all known.

    Raises:
        ValueError: the body is not Python, and its sizes are needed.
    """
    meta = {**kernel.meta, **as_dict(kernel.meta.get("inductor_meta"))}
    listed = _asked(kernel, card)
    if not listed and (any(meta.get(key) for key in FILTERED) or native_product(_heuristic(kernel), meta)):
        return []
    found = [_stated(kernel, one) for one in listed or _every(kernel, card or GPUS[DEFAULT])]
    return [one for place, one in enumerate(found) if one not in found[:place]]


FILTERED = ("deterministic", "force_filter_reduction_configs", "are_deterministic_algorithms_enabled")
"""Options that have Inductor keep one of its list by other rules than time."""


def _asked(kernel: Kernel, card: Card | None) -> list[Configuration]:
    """What Inductor itself listed, where the capture asked it for such a card."""
    return [_seen(one) for one in kernel.candidates] if card is None or _is_of(kernel, card) else []


def _every(kernel: Kernel, card: Card) -> list[Configuration]:
    heuristic = _heuristic(kernel)
    inductor_meta = as_dict(kernel.meta.get("inductor_meta"))
    if heuristic in GIVEN:
        return GIVEN[heuristic](kernel.meta)
    if "heuristic_0" in (grid := as_dict(inductor_meta.get("combo_grid_meta"))):
        found = _combo(kernel, grid, card)
        return [found] if found else []
    return chosen(heuristic, _hints(kernel), {**kernel.meta, **inductor_meta, "ks": _dynamic(kernel)}, card)


def _stated(kernel: Kernel, found: Configuration) -> Configuration:
    """What of a configuration the kernel takes."""
    parameters = {argument.name for argument in kernel.arguments if argument.role == "constexpr"}
    constants = dict(found.constants)
    if "RBLOCK" in parameters and "R0_BLOCK" in constants:  # before 2.6
        constants["RBLOCK"] = constants["R0_BLOCK"]
    kept = {name: value for name, value in constants.items() if name in parameters}
    sizes = as_dict(as_dict(kernel.meta.get("inductor_meta")).get("tma_min_block_sizes"))
    for block, least in sizes.items():  # what a tensor descriptor takes
        if block in kept:
            kept[block] = max(kept[block], least)
    return replace(found, constants=kept)


def _is_of(kernel: Kernel, card: Card) -> bool:
    """True where the kernel was generated for cards of this architecture."""
    cc = as_dict(as_dict(kernel.meta.get("triton_meta")).get("device")).get("cc")
    return card.arch in (f"sm_{cc}", cc)


def _seen(autotuned: Mapping[str, int]) -> Configuration:
    constants = dict(autotuned)
    warps, stages = constants.pop("num_warps", 4), constants.pop("num_stages", 1)
    return Configuration(constants, warps, stages)


def _heuristic(kernel: Kernel) -> str:
    """The decorator's name, which for kernels that stand for several is not the category."""
    named = re.search(r"^@triton_heuristics\.(\w+)\(", kernel.text, re.MULTILINE)
    return named[1] if named else kernel.category


def _dynamic(kernel: Kernel) -> int:
    return sum("ks" in argument.name for argument in kernel.arguments)


def _hints(kernel: Kernel) -> dict[str, int]:
    hints = kernel.size_hints or {axis: n for axis, n in computation(kernel).numel.items() if isinstance(n, int)}
    return {("r0_" if axis == "r" else axis): power_of_two(hint) for axis, hint in hints.items()}


# ---------------------------------------------------------------- decorators that say it themselves


def _template(meta: Mapping[str, Any]) -> list[Configuration]:
    return [Configuration({}, number(meta, "num_warps", 4), number(meta, "num_stages", 1))]


def _foreach(meta: Mapping[str, Any]) -> list[Configuration]:
    """8 warps since 2.3; before that the decorator says how many."""
    return [Configuration({}, number(meta, "num_warps", 8), 1)]


def _listed(meta: Mapping[str, Any]) -> list[Configuration]:
    """`configs=[{'BLOCK': 64, 'num_warps': 4}]` of a user's kernel, `config={...}` of a fixed one; Triton's own where there is none."""
    configs = meta.get("configs")
    fixed = as_dict(meta.get("config"))
    return [_written(as_dict(one)) for one in ([fixed] if fixed else configs if isinstance(configs, list) else [])] or [
        _written({})
    ]


def _written(one: dict[str, Any]) -> Configuration:
    inner = as_dict(one.pop("kwargs", None))
    constants = {name: value for name, value in {**one, **inner}.items() if isinstance(value, int)}
    warps, stages = constants.pop("num_warps", 4), constants.pop("num_stages", 3)
    return Configuration(constants, warps, stages)


GIVEN = {"template": _template, "foreach": _foreach, "user_autotune": _listed, "fixed_config": _listed}


def _combo(kernel: Kernel, grid: dict[str, Any], card: Card) -> Configuration | None:
    """Several kernels in one, each with blocks of its own (2.12 and later); where all share one they are chosen as for one kernel."""
    if isinstance(grid.get("stitched_num_warps"), int):
        return Configuration(
            as_dict(grid.get("default_config")), grid["stitched_num_warps"], number(grid, "stitched_num_stages", 1)
        )
    constants: dict[str, int] = {}
    warps = stages = 1
    for part in range(number(grid, "num_kernels", 0)):
        hints = {axis: power_of_two(hint) for axis, hint in as_dict(grid.get(f"size_hints_{part}")).items()}
        own = {
            **as_dict(kernel.meta.get("inductor_meta")),
            **as_dict(grid.get(f"inductor_meta_{part}")),
            "reduction_hint": grid.get(f"reduction_hint_{part}", ""),
        }
        found = next(iter(chosen(str(grid[f"heuristic_{part}"]), hints, own, card)), None)
        if found is None:
            return None
        constants |= {f"{name}_{part}": value for name, value in found.constants.items()}
        warps, stages = max(warps, found.num_warps), max(stages, found.num_stages)
    return Configuration(constants, warps, stages)
