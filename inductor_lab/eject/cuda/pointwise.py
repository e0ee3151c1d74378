"""A CUDA kernel without folds: one thread for an element, or for as many side by side as one instruction loads (`packed`)."""

from __future__ import annotations

from inductor_lab.computation.schedule import Assert, Axis, Define, Effect
from inductor_lab.eject.cuda.axes import coordinates
from inductor_lab.eject.cuda.packed import Packed
from inductor_lab.eject.cuda.packs import packs_of
from inductor_lab.eject.cuda.page import Page
from inductor_lab.eject.cuda.signature import index_type
from inductor_lab.eject.cuda.statements import Statements
from inductor_lab.eject.refusal import UnprintableError

THREADS = 256
TILE = (32, 8)
"""Threads along x and y of a tile."""


def element(page: Page) -> list[str]:
    """What is computed for one element."""
    statements = Statements(page, page.found.schedule)
    for step in page.found.schedule.steps:
        match step:
            case Define():
                statements.define(step)
            case Effect(access=access):
                statements.store(access)
            case Assert():
                statements.check(step)
            case _:
                raise UnprintableError(f"a {type(step).__name__.lower()} in a kernel that folds nothing")
    return page.lines


def flat(page: Page, axis: Axis) -> tuple[list[str], int]:
    """The body of a kernel over one axis, and how many elements a thread takes at most."""
    if found := packs_of(page, axis):
        return Packed(page, *found).lines(), found[0].width
    lines, names, kind = element(page), page.layout.names[axis.name], index_type(page)
    start = "int64_t(blockIdx.x)" if kind == "int64_t" else "blockIdx.x"
    return [
        f"const {kind} {names.index} = {start} * blockDim.x + threadIdx.x;",
        f"if ({names.index} >= {names.numel}) return;",
        *coordinates(page, axis, lines),
        *lines,
    ], 1


def tile(page: Page, axes: list[Axis]) -> list[str]:
    """The body of a kernel over several axes; a thread goes on along all but the first, whose count the grid does not limit."""
    lines, kind = element(page), index_type(page)
    lines = [*(line for axis in axes for line in coordinates(page, axis, lines)), *lines]
    for axis, way in zip(axes, "xyz", strict=False):
        names = page.layout.names[axis.name]
        start = f"blockIdx.{way} * blockDim.{way} + threadIdx.{way}"
        start = f"int64_t(blockIdx.{way}) * blockDim.{way} + threadIdx.{way}" if kind == "int64_t" else start
        if way == "x":
            lines = [f"const {kind} {names.index} = {start};", f"if ({names.index} >= {names.numel}) return;", *lines]
            continue
        head, rest = lines[:2], lines[2:]
        step = f"for ({kind} {names.index} = {start}; {names.index} < {names.numel}; {names.index} += gridDim.{way} * blockDim.{way}) {{"
        lines = [*head, step, *("    " + line for line in rest), "}"]
    return lines
