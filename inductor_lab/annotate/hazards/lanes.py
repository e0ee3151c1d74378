"""Lanes, programs and multiprocessors that have nothing to do."""

from __future__ import annotations

from collections.abc import Iterator

from inductor_lab.annotate.context import Context
from inductor_lab.annotate.geometry import geometry, idle, listed, partial
from inductor_lab.annotate.heuristics import kept
from inductor_lab.quantity import plural

FEW_LANES = 32
"""A block that is no longer than one warp idles whatever its length."""


def idle_lanes(context: Context) -> Iterator[str]:
    """Reductions that stand in one block which is much longer than they are."""
    for size_of_row, lanes in idle(context.computation).values():
        if lanes >= FEW_LANES and (lanes - size_of_row) * 8 >= lanes:
            yield (
                f"{lanes - size_of_row:,} of each {lanes:,} lanes never have work: a row has {size_of_row:,} elements, and its "
                "block is the next power of two"
            )


def unfilled_blocks(context: Context) -> Iterator[str]:
    """Axes that the blocks of the configuration do not divide: of a tile of several axes, or of a loop along a row."""
    shape = geometry(context.kernel, context.computation, context.card)
    if shape is None or shape.block < FEW_LANES or len(context.computation.numel) < 2:
        return
    for axis, (elements, lanes) in partial(shape, context.computation).items():
        if (lanes - elements) * 8 < lanes:
            continue
        block = shape.blocks[axis]
        named = f"{axis.upper()}BLOCK {block:,}"
        along = "a row" if axis.startswith("r") else axis
        several = not kept(context.kernel, context.card) and listed(context.kernel, context.card)
        chosen = ", the first that the autotuner times" if several else ""
        yield f"{lanes - elements:,} of each {lanes:,} lanes along {along} never have work: {elements:,} elements by {named}{chosen}"


def too_small(context: Context) -> Iterator[str]:
    shape = geometry(context.kernel, context.computation, context.card)
    if shape and shape.programs * 4 <= context.card.processors:
        yield f"{plural(shape.programs, 'program')} for {plural(context.card.processors, context.card.processor)}"
