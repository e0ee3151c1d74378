"""The configurations that an ejected file is launched with: Inductor's first, one for Triton's interpreter, and blocks that do not divide."""

from __future__ import annotations

import re
from collections.abc import Collection, Iterable, Mapping
from math import prod

from inductor_lab.bind import heuristics
from inductor_lab.bind.blocks import Configuration, as_dict, number, power_of_two
from inductor_lab.computation import groups
from inductor_lab.computation.schedule import Axis
from inductor_lab.gpus import warp_size
from inductor_lab.records import Kernel, Launch

INTERPRETED = 1 << 17
"""Elements a program of Triton's interpreter, which takes milliseconds a program however little it does."""
SHARED, UNEVEN = 4, 3
"""Programs that share a row in Triton's interpreter; as many as share none evenly."""
HELD = re.compile(r"\bR\d?_?BLOCK(?:_\d+)?: tl\.constexpr = (\d+)")
"""A block of a row that the body fixes itself."""
WRITTEN = "user_autotune"
"""The category of kernels that a user wrote."""
SCANNED = 256
"""Elements of a split scan that a program has at least, where the text does not tell."""
REDUCED = 1024
"""Positions of a reduction that one block holds where no heuristic of Inductor's is known for the category."""


def blocks(kernel: Kernel) -> list[str]:
    """The blocks that a launch chooses, the reduced dimensions first. Those of a user's kernel are its author's: its grid is made for them."""
    if kernel.category == WRITTEN:
        return []
    found = [
        a.name
        for a in kernel.arguments
        if a.role == "constexpr" and "BLOCK" in a.name and a.name.rstrip("_0123456789").endswith("BLOCK")
    ]
    return sorted(found, key=lambda name: name.startswith("X"))


def first_config(kernel: Kernel, numels: Mapping[str, int]) -> dict[str, int]:
    """XBLOCK, YBLOCK, R0_BLOCK (those that the signature has), num_warps and num_stages: what Inductor kept or tries first."""
    chosen = fitting(kernel, heuristics.configuration(kernel))
    if chosen is None:
        warps = kernel.meta.get("num_warps")
        chosen = Configuration({"RSPLIT": 8} if _splits(kernel) else {}, warps if isinstance(warps, int) else 4)
    found = {**{name: _default(name, numels) for name in blocks(kernel)}, **chosen.constants}
    found["num_warps"] = chosen.num_warps
    if kernel.autotuned or "dot" in kernel.ops or (kernel.category == WRITTEN and kernel.meta.get("configs")):
        found["num_stages"] = chosen.num_stages
    stages = kernel.meta.get("num_stages")
    if isinstance(stages, int):
        found["num_stages"] = stages
    return found


def fitting(kernel: Kernel, first: Configuration | None) -> Configuration | None:
    """The first configuration with no more programs than a split scan's memory is for: torch 2.11 lists smaller blocks than that, too."""
    if kernel.category != "split_scan" or first is None:
        return first
    least = number(as_dict(kernel.meta.get("inductor_meta")), "min_split_scan_rblock", SCANNED)
    return next((one for one in (first, *heuristics.candidates(kernel)) if _least_of_a_row(one) >= least), first)


def _least_of_a_row(one: Configuration) -> int:
    return min((size for name, size in one.constants.items() if name.startswith("R")), default=0)


def shared_out(kernel: Kernel, axes: Iterable[Axis], config: Mapping[str, int]) -> str:
    """How a launch shares a program's elements out: `1 x 1024 elements in 32 threads, 32 each`; empty where a block is not known.

    Args:
        axes: Of the body's frame.
    """
    blocks_ = [config.get(axis.block, axis.fixed) for axis in axes if axis.dimension is not None]
    sizes = [size for size in blocks_ if size is not None]
    if not sizes or len(sizes) < len(blocks_) or "num_warps" not in config:
        return ""
    device = as_dict(as_dict(kernel.meta.get("triton_meta")).get("device"))
    threads = config["num_warps"] * warp_size(str(device.get("cc", "")))
    each = prod(sizes) // threads
    tile = " x ".join(map(str, sizes)) + (" elements" if prod(sizes) > 1 else " element")
    return f"{tile} in {threads} threads, {each} each" if each else f"{tile} in {threads} threads, some without any"


DECORATOR = re.compile(r"^@(triton_heuristics\.(\w+)\(.*?\))\n@triton\.jit$", re.MULTILINE | re.DOTALL)
STATED = {"template", "fixed_config", WRITTEN}
"""Heuristics that choose nothing: their decorator, and the grid, are for what the text states."""


def decorator(kernel: Kernel) -> str:
    """The heuristic's call as it stands above the kernel, of which torch makes its autotuner; empty where that has no choice, or before torch 2.2."""
    found = DECORATOR.search(kernel.text)
    return found[1] if found and found[2] not in STATED else ""


def constants(kernel: Kernel, launch: Launch) -> dict[str, str]:
    """The constexprs that no configuration chooses, as text: what the kernel was compiled for, and what the launch passes."""
    triton_meta = kernel.meta.get("triton_meta")
    compiled = triton_meta.get("constants") if isinstance(triton_meta, Mapping) else None
    found = {str(name): repr(value) for name, value in compiled.items()} if isinstance(compiled, Mapping) else {}
    numbered = {a.name: found[str(n)] for n, a in enumerate(kernel.arguments) if str(n) in found}  # up to 2.4
    found |= numbered | {argument.name: argument.value for argument in launch.arguments}
    return {a.name: found[a.name] for a in kernel.arguments if a.role == "constexpr" and a.name in found}


def _default(name: str, numels: Mapping[str, int]) -> int:
    axis = name.partition("BLOCK")[0].lower()
    size = power_of_two(numels.get(f"{axis}numel", numels.get(f"{axis.rstrip('_0')}numel", REDUCED)))
    if not name.startswith("R"):
        return (
            min(size, REDUCED)
            if "xnumel" in numels and not any(key.startswith("r") and numels[key] > 1 for key in numels)
            else 1
        )
    return min(size, REDUCED)


def interpreter_config(kernel: Kernel, numels: Mapping[str, int], dropped: Collection[str]) -> dict[str, int]:
    """Blocks for Triton's interpreter: as large as is sensible, and dividing a size whose mask Inductor dropped.

    Args:
        numels: `xnumel`, `r0_numel` ... of the launch.
        dropped: Axes (`x`, `r0_`) whose mask the body does not have.
    """
    budget = max(1, INTERPRETED // _row(kernel, numels))
    sharing = _sharing(kernel, dropped)
    chosen: dict[str, int] = {}
    for name in blocks(kernel):
        axis = name.partition("BLOCK")[0].lower()
        size = numels.get(f"{axis}numel", 1)
        share = -(-size // sharing) if axis.startswith("r") else size
        block = min(power_of_two(share), budget, _of_a_group(kernel, name) or budget)
        while (axis in dropped or _of_a_group(kernel, name)) and size % block:
            block //= 2
        chosen[name] = max(block, 8 if draws_by_four(kernel) and size > 2 else 1)
        budget = max(1, budget // chosen[name])
    if _splits(kernel):
        chosen["RSPLIT"] = sharing
    return chosen


def tail_config(kernel: Kernel, numels: Mapping[str, int], given: Mapping[str, int], most: int) -> dict[str, int]:
    """Blocks that do not divide their sizes, so that the last program is partly outside; none where every block divides.

    Args:
        given: The blocks that are not chosen here.
        most: Elements that one program may hold: a GPU's registers end where the interpreter goes on.
    """
    budget = most // _row(kernel, numels)
    chosen: dict[str, int] = {}
    for name in blocks(kernel):
        if name.startswith("R") and _splits(kernel):
            continue  # a program's share of a row may have no mask of its own (before torch 2.7)
        if _of_a_group(kernel, name):
            continue  # the folds of its columns take in what the lanes behind the last row hold (2.13)
        size = numels.get(f"{name.partition('BLOCK')[0].lower()}numel", 1)
        beside = prod(given.get(other, 1) for other in blocks(kernel) if other != name and other not in chosen)
        fitting = [
            block
            for block in (1 << n for n in range(24))
            if block <= min(budget // beside, 2 * power_of_two(size))
            and size % block
            and not (draws_by_four(kernel) and (size < 3 or block < 4))
        ]
        if fitting:
            chosen[name] = fitting[-1]
            budget = max(budget // fitting[-1], 1)
    return chosen


def uneven(kernel: Kernel, dropped: Collection[str]) -> dict[str, int]:
    """How many programs share a row in Triton's interpreter so that their shares differ; none where it is a power of two (before torch 2.7)."""
    any_number = "RSPLIT_NEXT_POWER_OF_2" in kernel.body
    return {"RSPLIT": UNEVEN} if any_number and _sharing(kernel, dropped) > 1 else {}


def _sharing(kernel: Kernel, dropped: Collection[str]) -> int:
    """Programs that share a row in Triton's interpreter: one where nothing keeps a share inside of the row."""
    return SHARED if _splits(kernel) and not any(axis.startswith("r") for axis in dropped) else 1


def _of_a_group(kernel: Kernel, block: str) -> int | None:
    """What a block must divide: the group of rows that a program has; None where it need not."""
    return groups.of(kernel) if block == f"{groups.AXIS.upper()}BLOCK" else None


def _splits(kernel: Kernel) -> bool:
    """True for a cooperative reduction: several programs share a row."""
    return any(argument.name == "RSPLIT" for argument in kernel.arguments)


def draws_by_four(kernel: Kernel) -> bool:
    """Whether a program takes four random numbers of each draw, but one where it has fewer than four elements: half of 8 draws as 8 does."""
    return "4x(" in kernel.body


def _row(kernel: Kernel, numels: Mapping[str, int]) -> int:
    """Elements of a row that a program holds whatever its blocks are: all, where the launch chooses no block of the reduction. Of several jobs
    side by side the most."""
    if kernel.category == "combo":
        return max(map(int, HELD.findall(kernel.body)), default=1)
    chosen = any(name.startswith("R") for name in blocks(kernel))
    if kernel.category != "persistent_reduction" and (chosen or not _splits(kernel)):
        return 1
    return power_of_two(prod(size for name, size in numels.items() if name.startswith("r")))
