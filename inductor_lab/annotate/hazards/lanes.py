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
    shape = geometry.geometry(context.kernel, context.computation, context.card)
    listed = geometry.listed(context.kernel, context.card)
    rows = max([shape.rows if shape else 1, *(one.constants.get("XBLOCK", 1) for one in listed)])
    every = [found for job in context.computation.every() for found in geometry.idle(job).values()]
    for elements, lanes in dict.fromkeys(every):
        if lanes * rows >= FEW_LANES and (lanes - elements) * 8 >= lanes:
            yield f"{lanes - elements:,} of {lanes:,} lanes never have work: a row has {elements:,} elements, and its block is the next power of two"
    if shape is None:
        return
    several = listed and not kept(context.kernel, context.card)
    chosen = ", the first that the autotuner times" if several else ""
    threads = shape.warps * context.card.warp_size
    if shape.block * 2 <= threads and shape.programs > context.card.processors:
        held = f"a program holds {plural(shape.block, 'element')} at a time" + (
            " under the configuration that the autotuner times first" if several else ""
        )
        yield f"{threads - shape.block:,} of a program's {threads:,} threads have no element of their own: {held}"
    if shape.block < FEW_LANES or len(context.computation.numel) < 2:
        return
    for axis, (elements, lanes) in geometry.partial(shape, context.computation).items():
        if (lanes - elements) * 8 >= lanes:
            along, block = "a row" if axis.startswith("r") else axis, shape.blocks[axis]
            of = f"{axis.upper()}BLOCK {block:,}{chosen}"
            yield f"{lanes - elements:,} of {lanes:,} lanes along {along} have no element: {elements:,} elements in {plural(lanes // block, 'block')} of {of}"


def too_small(context: Context) -> Iterator[str]:
    shape, card = geometry.geometry(context.kernel, context.computation, context.card), context.card
    rows = [size for axis, size in context.computation.numel.items() if not axis.startswith("r")]
    whole = context.kernel.category in {"reduction", "persistent_reduction"} and not context.computation.parts
    one = whole and rows == [1]  # row, however long that is, is folded by one program
    programs = shape.programs if shape else int(one) or geometry.of_jobs(context.kernel, card)
    if programs and programs * 4 <= card.processors:
        yield f"{plural(programs, 'program')} for {plural(card.processors, card.processor)}"
