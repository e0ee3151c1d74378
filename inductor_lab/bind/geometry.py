"""How a launch covers its elements: programs, warps, waves, and lanes that have nothing to do.

Blocks are those that the autotuner kept on the card, where the capture saw it; else of the first configuration that Inductor's heuristics list.
"""

from __future__ import annotations

from dataclasses import dataclass
from math import ceil, prod

from inductor_lab.bind.blocks import Configuration, as_dict, power_of_two
from inductor_lab.bind.heuristics import candidates, configuration, kept
from inductor_lab.computation import Computation
from inductor_lab.gpus import Card
from inductor_lab.quantity import plural
from inductor_lab.records import Kernel


@dataclass(frozen=True)
class Geometry:
    """A launch under one configuration."""

    programs: int
    blocks: dict[str, int]
    """Elements along each axis that a program holds at a time, `{"x": 32, "y": 32}`, `{"x": 1, "r0_": 1024}`."""
    warps: int
    split: int = 1
    """Programs that share each row."""

    @property
    def block(self) -> int:
        """Elements that one program holds at a time."""
        return prod(self.blocks.values())

    @property
    def rows(self) -> int:
        """Results of one program, where it folds."""
        return prod(size for axis, size in self.blocks.items() if not axis.startswith("r"))


def geometry(kernel: Kernel, found: Computation, card: Card) -> Geometry | None:
    """The launch under the first configuration; None for kernels of several jobs, templates, user kernels and symbolic sizes."""
    numel = {axis: size for axis, size in found.numel.items() if isinstance(size, int)}
    if found.parts or not numel or len(numel) < len(found.numel) or kernel.category not in COVERED:
        return None
    config = configuration(kernel, card)
    if config is None:
        return None
    given = {**config.constants, **found.fixed}
    split = given.get("RSPLIT", 1)
    whole = {axis: power_of_two(ceil(size / split)) for axis, size in numel.items() if axis.startswith("r")}
    blocks = {
        axis: given.get(f"{axis.upper()}BLOCK", given.get("RBLOCK", whole[axis]) if axis in whole else 1)
        for axis in numel
    }  # a row, or one program's share of it, is held whole where neither the body nor the configuration states its block
    programs = prod(ceil(numel[axis] / blocks[axis]) for axis in blocks if not axis.startswith("r"))
    if rows := given.get("RSPLIT_SIZE"):
        programs = ceil(numel.get("x", 1) / rows)
    if kernel.category == "split_scan":
        split = prod(ceil(numel[axis] / blocks[axis]) for axis in whole)
    return Geometry(programs * split, blocks, config.num_warps, split)


def of_jobs(kernel: Kernel, card: Card) -> int | None:
    """The programs of jobs side by side along one axis, one behind the other or in turns; None of any other launch, and of symbolic sizes.

    As `ComboKernelGrid` counts them (torch/_inductor/runtime/triton_heuristics.py, 2.13).
    """
    meta = as_dict(kernel.meta.get("inductor_meta"))
    grid, chosen = as_dict(meta.get("combo_grid_meta")), configuration(kernel, card)
    jobs = range(int(grid.get("num_kernels", 0)))
    sizes = [size for job in jobs if isinstance(size := grid.get(f"xnumel_{job}"), int)]
    if not jobs or len(sizes) < len(jobs) or any(f"ynumel_{job}" in grid for job in jobs) or grid.get("default_config"):
        return None
    block = chosen.constants.get("XBLOCK") if chosen else None
    if not block:
        return None
    programs = [
        size if grid.get(f"no_x_dim_{job}") else ceil(size / block) for job, size in zip(jobs, sizes, strict=True)
    ]
    match meta.get("grid_type"):
        case "SequentialComboKernelGrid":
            return max(sum(programs), int(grid.get("min_blocks") or 0))
        case "RoundRobinComboKernelGrid":
            return max(max(programs) * len(programs), int(grid.get("min_blocks") or 0))
    return None


COVERED = {"pointwise", "reduction", "persistent_reduction", "split_scan", "cooperative_reduction"}
"""Categories whose grid follows from their blocks."""


def idle(found: Computation) -> dict[str, tuple[int, int]]:
    """Reduced axes that a body takes in one block longer than they are: axis -> (elements, lanes)."""
    held = {
        axis: found.fixed.get(f"{axis.upper()}BLOCK", found.fixed.get("RBLOCK", 0))
        for axis in found.numel
        if axis.startswith("r")
    }
    return {
        axis: (size, held[axis])
        for axis, size in found.numel.items()
        if isinstance(size, int) and axis in held and 1 < size < held[axis]
    }


def partial(shape: Geometry, found: Computation) -> dict[str, tuple[int, int]]:
    """Axes whose last block, or last turn of a loop, is not filled: axis -> (elements, lanes). What a body holds in one block is `idle`'s."""
    lanes = {
        axis: ceil(n / shape.blocks[axis]) * shape.blocks[axis] for axis, n in _sizes(found) if axis in shape.blocks
    }
    whole = idle(found)
    return {axis: (n, lanes[axis]) for axis, n in _sizes(found) if n < lanes.get(axis, 0) and axis not in whole}


def _sizes(found: Computation) -> list[tuple[str, int]]:
    return [(axis, size) for axis, size in found.numel.items() if isinstance(size, int)]


def sentence(kernel: Kernel, found: Computation, card: Card) -> str:
    """The launch in words."""
    jobs = [job for job in found.every() if job.numel]  # the branches of a template have none of Inductor's axes
    if found.parts and jobs:
        sizes = ", ".join(_count(job) for job in jobs[:MOST_JOBS])
        chosen = configuration(kernel, card)
        warps = f"; {plural(chosen.num_warps, card.warp)} a program" if chosen else ""
        return f"{len(jobs)} jobs side by side, of {sizes}{', …' if len(jobs) > MOST_JOBS else ''}{warps}"
    shape = geometry(kernel, found, card)
    if shape is None:
        return _without_blocks(found)
    threads = shape.warps * card.warp_size
    each = shape.block / threads
    warps = plural(shape.warps, card.warp) + (f" of {card.warp_size}" if card.warp_size != 32 else "")
    folds = any(axis.startswith("r") and size != 1 for axis, size in found.numel.items())
    if folds:
        group = found.schedule.group
        own = f"{group} rows, {shape.rows} at a time" if group else plural(shape.rows, "row")
        if shape.programs > ceil(_rows(found) / shape.rows):
            own = "a part of " + own
    else:
        own = plural(shape.block, "element")
        along = [size for axis, size in shape.blocks.items() if not axis.startswith("r")]
        if len(along) > 1:
            own += f" ({' x '.join(str(size) for size in reversed(along))})"
    looped = any(axis.startswith("r") and found.numel[axis] > size * shape.split for axis, size in shape.blocks.items())  # type: ignore[operator]
    text = f"{plural(shape.programs, 'program')} of {own}, {warps}"
    if each >= 1:
        text += f": {plural(round(each), 'element')} a thread{' at a time' if looped else ''}"
    if (others := listed(kernel, card)) and not kept(kernel, card):
        text += f" (the first of {len(others)} that the autotuner times: it may keep another)"
    return (f"{_without_blocks(found)}; " if folds else "") + text + _coverage(shape, card, threads)


def listed(kernel: Kernel, card: Card) -> list[Configuration]:
    """The configurations that Inductor's autotuner chooses from; none where it has no choice, or is not known to have one."""
    found = candidates(kernel, card) if kernel.category in COVERED else []
    return found if len(found) > 1 else []


def tried_sizes(kernel: Kernel, card: Card, block: str) -> list[int]:
    """Every size of a block that the autotuner may choose, as Inductor listed them; none where it may go on from there, or was not asked."""
    meta = {**kernel.meta, **as_dict(kernel.meta.get("inductor_meta"))}
    if not kernel.candidates or kernel.category not in COVERED | {"combo"} or meta.get("coordinate_descent_tuning"):
        return []
    seen = kept(kernel, card)
    sizes = {one.constants.get(block, 0) for one in [*candidates(kernel, card), *([seen] if seen else [])]}
    return sorted(sizes) if all(sizes) else []


def tried(kernel: Kernel, card: Card) -> str:
    """Those configurations in words: `R0_BLOCK 2,048, XBLOCK 1, 8 warps; ...`."""
    seen = kept(kernel, card)
    return "; ".join(
        f"{_block(one)}, {plural(one.num_warps, card.warp)}{', kept' if one == seen else ''}"
        for one in listed(kernel, card)
    )


def _block(one: Configuration) -> str:
    return ", ".join(f"{name} {value:,}" for name, value in sorted(one.constants.items()))


def _coverage(shape: Geometry, card: Card, threads: int) -> str:
    processors = plural(card.processors, card.processor)
    if shape.programs < card.processors:
        return f"; {shape.programs} of {processors} {'has' if shape.programs == 1 else 'have'} work"
    resident = max(min(card.threads // threads, card.programs), 1)
    most = f"(at most {resident} programs resident on each)"
    waves = shape.programs / (card.processors * resident)
    if waves < 1:
        return f"; {shape.programs / card.processors:.1f} programs for each of {processors} {most}"
    return f"; {waves:.1f} waves over {processors} {most}"


def _rows(found: Computation) -> int:
    return prod(size for axis, size in found.numel.items() if not axis.startswith("r") and isinstance(size, int))


MOST_JOBS = 4
"""Jobs of one kernel that are told by their size."""


def _count(job: Computation) -> str:
    elements = job.elements(frozenset(job.numel))
    if elements is None:
        return "a symbolic size"
    rows = _rows(job)
    folds = any(axis.startswith("r") and size != 1 for axis, size in job.numel.items())
    return f"{plural(rows, 'row')} of {elements // max(rows, 1):,}" if folds else plural(elements, "element")


def _without_blocks(found: Computation) -> str:
    rows = {axis: size for axis, size in found.numel.items() if not axis.startswith("r")}
    folded = {axis: size for axis, size in found.numel.items() if axis.startswith("r")}
    if not found.numel:  # a template, or a user's own
        return "not decoded: the body has no axes of Inductor's; the launch in the wrapper states the grid"
    if any(not isinstance(size, int) for size in found.numel.values()):
        return "sizes are symbolic: the grid is computed at each launch"
    count = prod(size for size in rows.values() if isinstance(size, int))
    if not folded:
        return f"{count:,} elements; the autotuner chooses the block"
    length = prod(size for size in folded.values() if isinstance(size, int))
    if not only_folds(found):
        return f"{plural(count, 'row')} of {plural(length, 'element')}"
    each = "folded from" if count == 1 else "each folded from"
    return f"{plural(count, 'row')}, {each} {length:,} elements"


def only_folds(found: Computation) -> bool:
    """Whether a row leaves one value in each tensor: a norm or a scan writes along its rows besides."""
    return not any(c.axis.startswith("r") for store in found.stores for c in store.index.coordinates())
