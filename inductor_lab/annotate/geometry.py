"""How a launch covers its elements: programs, warps, waves.

The block is the first configuration that Inductor's heuristics list for a pointwise kernel (`pointwise` and
`triton_config` in torch/_inductor/runtime/triton_heuristics.py, 2.11 to 2.13); the autotuner may choose another. Blocks
of reductions depend on more than the text tells, so for them only the rows are counted.
"""

from __future__ import annotations

from dataclasses import dataclass
from math import ceil, prod

from inductor_lab.annotate.quantity import plural
from inductor_lab.annotate.roofline import Card
from inductor_lab.computation import Computation
from inductor_lab.records import Kernel

TILES = {2: {"x": 32, "y": 32}, 3: {"x": 16, "y": 16, "z": 16}}


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
    hints = {axis: kernel.size_hints.get(axis) or _power(numel[axis]) for axis in numel}
    if kernel.category != "pointwise" or not numel or len(numel) != len(found.numel) or "x" not in numel:
        return None
    total = prod(hints.values())
    wanted = {"x": max(256, min(total // 128, 1024))} if len(hints) == 1 else TILES.get(len(hints), {})
    if set(wanted) != set(hints):
        return None
    target = prod(wanted.values())
    if total < target:
        target //= 8
    blocks = {axis: min(size, hints[axis]) for axis, size in wanted.items()}
    for axis in blocks:
        while blocks[axis] < hints[axis] and prod(blocks.values()) < target:
            blocks[axis] *= 2
    block = prod(blocks.values())
    warps = _power(min(max(block // 256, 1), 8))
    programs = prod(ceil(numel[axis] / blocks[axis]) for axis in blocks)
    return Geometry(programs, block, blocks, max(warps, 4) if block >= 128 else warps)


def _power(number: int) -> int:
    """The next power of two."""
    return 1 << max(number - 1, 0).bit_length()


def sentence(kernel: Kernel, found: Computation, card: Card) -> str:
    """The launch in words."""
    shape = geometry(kernel, found)
    if shape is None:
        return _without_blocks(found)
    tile = f"{shape.block:,} elements"
    if len(shape.blocks) > 1:
        tile += f" ({' x '.join(str(shape.blocks[axis]) for axis in reversed(shape.blocks))})"
    each = shape.block / (shape.warps * card.warp)
    resident = min(card.threads // (shape.warps * card.warp), 32)
    waves = shape.programs / (card.processors * resident)
    warps = plural(shape.warps, "warp")
    text = f"{plural(shape.programs, 'program')} of {tile}, {warps}" + (
        f": {plural(round(each), 'element')} a thread" if each >= 1 else ""
    )
    if shape.programs < card.processors:
        return f"{text}; {shape.programs} of {card.processors} SMs {'has' if shape.programs == 1 else 'have'} work"
    return f"{text}; {waves:.1f} waves over {card.processors} SMs (at most {resident} programs resident on each)"


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
