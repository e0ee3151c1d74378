"""How a launch covers its elements: programs, warps, waves.

The block is the first configuration that Inductor's heuristics list for a pointwise kernel; the autotuner may choose
another. Blocks of reductions depend on more than the text tells, so for them only the rows are counted.
"""

from __future__ import annotations

from dataclasses import dataclass
from math import ceil, prod

from inductor_lab.annotate.heuristics import first_config
from inductor_lab.annotate.quantity import plural
from inductor_lab.computation import Computation
from inductor_lab.gpus import Card
from inductor_lab.records import Kernel


@dataclass(frozen=True)
class Geometry:
    """A launch under one configuration."""

    programs: int
    block: int
    """Elements of one program."""
    blocks: dict[str, int]
    """Elements along each axis, `{"x": 32, "y": 32}`."""
    warps: int


def geometry(kernel: Kernel, found: Computation) -> Geometry | None:
    """The launch of a pointwise kernel under the first configuration; None for other categories and symbolic sizes."""
    numel = {axis: size for axis, size in found.numel.items() if isinstance(size, int)}
    config = first_config(kernel) if kernel.category == "pointwise" and len(numel) == len(found.numel) else None
    if config is None:
        return None
    blocks = {axis: config.get(f"{axis.upper()}BLOCK", 1) for axis in numel}
    programs = prod(ceil(numel[axis] / blocks[axis]) for axis in blocks)
    return Geometry(programs, prod(blocks.values()), blocks, config["num_warps"])


def sentence(kernel: Kernel, found: Computation, card: Card) -> str:
    """The launch in words."""
    if found.parts:
        jobs = list(found.every())
        sizes = ", ".join(_count(job) for job in jobs[:MOST_JOBS])
        return f"{len(jobs)} jobs side by side, of {sizes}{', …' if len(jobs) > MOST_JOBS else ''}"
    shape = geometry(kernel, found)
    if shape is None:
        return _without_blocks(found)
    tile = f"{shape.block:,} elements"
    if len(shape.blocks) > 1:
        tile += f" ({' x '.join(str(shape.blocks[axis]) for axis in reversed(shape.blocks))})"
    threads = shape.warps * card.warp_size
    each = shape.block / threads
    resident = max(min(card.threads // threads, card.programs), 1)
    waves = shape.programs / (card.processors * resident)
    warps = plural(shape.warps, card.warp) + (f" of {card.warp_size}" if card.warp_size != 32 else "")
    text = f"{plural(shape.programs, 'program')} of {tile}, {warps}" + (
        f": {plural(round(each), 'element')} a thread" if each >= 1 else ""
    )
    if shape.programs < card.processors:
        return f"{text}; {shape.programs} of {plural(card.processors, card.processor)} {'has' if shape.programs == 1 else 'have'} work"
    return f"{text}; {waves:.1f} waves over {plural(card.processors, card.processor)} (at most {resident} programs resident on each)"


MOST_JOBS = 4
"""Jobs of one kernel that are told by their size."""


def _count(job: Computation) -> str:
    elements = job.elements(frozenset(job.numel))
    return "a symbolic size" if elements is None else plural(elements, "element")


def _without_blocks(found: Computation) -> str:
    rows = {axis: size for axis, size in found.numel.items() if not axis.startswith("r")}
    folded = {axis: size for axis, size in found.numel.items() if axis.startswith("r")}
    if any(not isinstance(size, int) for size in found.numel.values()) or not found.numel:
        return "sizes are symbolic: the grid is computed at each launch"
    count = prod(size for size in rows.values() if isinstance(size, int))
    if not folded:
        return f"{count:,} elements; the autotuner chooses the block"
    length = prod(size for size in folded.values() if isinstance(size, int))
    each = "folded from" if count == 1 else "each folded from"
    return f"{plural(count, 'row')}, {each} {length:,} elements; XBLOCK rows a program, the autotuner chooses how many"
