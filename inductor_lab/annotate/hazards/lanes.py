"""Lanes, programs and multiprocessors that have nothing to do."""

from __future__ import annotations

from collections.abc import Iterator

from inductor_lab.annotate.context import Context
from inductor_lab.bind import geometry
from inductor_lab.bind.heuristics import kept
from inductor_lab.quantity import plural

FEW_LANES = 32
"""A block that is no longer than one warp idles whatever its length."""


def idle(context: Context) -> Iterator[str]:
    """An eighth of the lanes or more: along reductions that stand in one block, and along axes that the blocks of the configuration do not divide."""
    for elements, lanes in geometry.idle(context.computation).values():
        if lanes >= FEW_LANES and (lanes - elements) * 8 >= lanes:
            yield f"{lanes - elements:,} of {lanes:,} lanes never have work: a row has {elements:,} elements, and its block is the next power of two"
    shape = geometry.geometry(context.kernel, context.computation, context.card)
    if shape is None or shape.block < FEW_LANES or len(context.computation.numel) < 2:
        return
    several = not kept(context.kernel, context.card) and geometry.listed(context.kernel, context.card)
    chosen = ", the first that the autotuner times" if several else ""
    for axis, (elements, lanes) in geometry.partial(shape, context.computation).items():
        if (lanes - elements) * 8 >= lanes:
            along, block = "a row" if axis.startswith("r") else axis, shape.blocks[axis]
            of = f"{axis.upper()}BLOCK {block:,}{chosen}"
            yield f"{lanes - elements:,} of {lanes:,} lanes along {along} have no element: {elements:,} elements in {plural(lanes // block, 'block')} of {of}"


def too_small(context: Context) -> Iterator[str]:
    shape, card = geometry.geometry(context.kernel, context.computation, context.card), context.card
    if shape and shape.programs * 4 <= card.processors:
        yield f"{plural(shape.programs, 'program')} for {plural(card.processors, card.processor)}"
