"""One computation as plain loops of the host: around what is done for one element, or for one row by one thread."""

from __future__ import annotations

from collections.abc import Sequence

from inductor_lab.computation.schedule import Axis
from inductor_lab.eject.cuda import pointwise
from inductor_lab.eject.cuda.axes import coordinates
from inductor_lab.eject.cuda.geometry import HOST
from inductor_lab.eject.cuda.page import Page
from inductor_lab.eject.cuda.rows import Rows
from inductor_lab.eject.cuda.signature import index_type


def lines(page: Page) -> list[str]:
    """The statements.

    Raises:
        UnprintableError: a step or a node has no form there.
    """
    axes = page.found.schedule.axes
    free = [axis for axis in axes if not axis.reduced]
    if len(free) < len(axes):
        return _loops(page, free, Rows(page, HOST, serial=True).lines())
    made = pointwise.element(page)
    return _loops(page, free, [*(line for axis in free for line in coordinates(page, axis, made)), *made])


def _loops(page: Page, free: Sequence[Axis], lines: Sequence[str]) -> list[str]:
    """A loop along each axis around what is done for one element."""
    made, kind = list(lines), index_type(page)
    for axis in reversed(free):
        names = page.layout.names[axis.name]
        made = [
            f"for ({kind} {names.index} = 0; {names.index} < {names.numel}; ++{names.index}) {{",
            *("    " + line for line in made),
            "}",
        ]
    return made
