"""The readable Triton printer: a computation's schedule as a person would have written it, the same to the bit.

Names come from the tensors and from what is done; sizes are parameters; a constant stands where it is used; a value that is used once is
written where it is used; a mask that Inductor dropped because its block happened to divide the size is back, because the block may now
change. The arithmetic, its order and every cast are the tree's.

The frame is `block_layout.py`'s; the statements are printed by `body.py`, their values by `values.py`, where an access goes and when it happens by
`tiles.py`.
"""

from __future__ import annotations

from collections.abc import Container, Iterable, Iterator, Mapping
from types import MappingProxyType

from inductor_lab.computation.records import Computation
from inductor_lab.eject.binding.tensors import Tensor
from inductor_lab.eject.device_functions import OURS
from inductor_lab.eject.printing.nouns import kept
from inductor_lab.eject.printing.operands import parts_of, uses
from inductor_lab.eject.refusal import UnprintableError
from inductor_lab.eject.rendering import KernelText, Parameter, passed_for
from inductor_lab.eject.triton.block_layout import BlockLayout
from inductor_lab.eject.triton.body import Statements
from inductor_lab.eject.triton.page import Line, Page, assigned
from inductor_lab.eject.triton.simplification import simplified
from inductor_lab.eject.triton.values import Expressions


def readable(
    found: Computation,
    tensors: Mapping[str, Tensor],
    taken: Iterable[str],
    values: Mapping[str, str],
    remarks: Mapping[str, str] = MappingProxyType({}),
    sources: Mapping[int, str] = MappingProxyType({}),
) -> KernelText:
    """The kernel's text and its launch.

    Args:
        tensors: What each pointer holds, by parameter.
        taken: Names that nothing of the kernel may have.
        values: Scalars that the launch passes, by parameter, as the launcher's own text.
        remarks: Comments on them.
        sources: Lines of the body -> lines of the user's program.

    Raises:
        UnprintableError: a step or a node has no form here.
    """
    if found.schedule.opaque:
        raise UnprintableError(found.schedule.opaque)
    found = simplified(found)
    names = {*taken, *OURS, *(f"{tensor.name}_ptr" for tensor in tensors.values())}
    layout = BlockLayout(found, tensors, names, values)
    page = Page(found, tensors, layout, uses(found.schedule, parts_of), sources=sources)
    Statements(page, Expressions(page)).block(found.schedule.steps)
    lines = [*_frame(page), *page.lines]
    parameters = tuple(_parameters(page, {name for line in lines for name in line.names()}, remarks))
    remark = f"{_remark(found)} {layout.windows.remark()}".strip()
    return KernelText(
        parameters, tuple(text for line in lines for text in line.text()), remark, layout.launcher(), layout.grid(),
        passed_for(parameters), layout.blocks, helpers=frozenset(page.helpers),
    )  # fmt: skip


def _frame(page: Page) -> list[Line]:
    """Offsets, masks and coordinates of the axes that programs share; reductions that one block holds whole."""
    named: list[tuple[str, str]] = []
    for axis in page.found.schedule.axes:
        named += page.layout.positions(axis)
        if not axis.looped:
            named += page.layout.mask(axis, axis.name in page.inside)
            named += page.layout.coordinates.statements(axis)
    return assigned(named)


def _parameters(page: Page, named: Container[str], remarks: Mapping[str, str]) -> Iterator[Parameter]:
    """Tensors, run-time sizes, compile-time sizes, blocks.

    Args:
        named: What the statements say.
    """
    layout = page.layout
    for tensor in page.tensors.values():
        yield Parameter(f"{tensor.name}_ptr", "", tensor.comment(), tensor.name)
    for name, passed in layout.scalars():
        if name in named:
            seed = f"{passed}: which of the seeds" if name in layout.seed_offsets.values() else ""
            yield Parameter(name, "", remarks.get(name, seed), passed)
    for name, passed, comment in layout.constants():
        if name in named:
            yield Parameter(name, ": tl.constexpr", comment, passed)
    for name in layout.tuned():
        yield Parameter(name, ": tl.constexpr", passed=name)


def _remark(found: Computation) -> str:
    """Why a program owns what it owns."""
    schedule, each = found.schedule, kept(found)
    free = [axis for axis in schedule.axes if not axis.reduced]
    reduced = [axis for axis in schedule.axes if axis.reduced]
    if not reduced:
        if len(free) > 1:
            return "One program owns a tile of elements."
        return "One program owns BLOCK consecutive elements, shared by its threads."
    if schedule.group:
        return "One program takes a group of rows, BLOCK at a time, each held whole, and folds the group's columns."
    how = "a block of each at a time" if any(axis.looped for axis in reduced) else "each held whole"
    several = free and free[0].dimension is not None
    return f"One program takes {f'BLOCK {each}s' if several else f'one {each}'}, {how}."
