"""How the threads of a block share rows that are folded: along them, or across, as memory lies."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from inductor_lab.computation.index import Coordinate
from inductor_lab.computation.schedule import Access, Axis
from inductor_lab.eject.cuda.page import Page
from inductor_lab.eject.cuda.shapes import sorts
from inductor_lab.eject.refusal import UnprintableError


@dataclass(frozen=True)
class Geometry:
    """How the threads of a block share its rows."""

    columns: bool
    """True where rows lie side by side, and threads beside each other take different ones."""
    block: str = "blockIdx.x"
    """Which block it is."""

    @property
    def threads(self) -> str:
        """Threads of a block, by those that share a row: 32 columns, four rows of a warp each, or one row."""
        return "32 * LANES" if self.columns else "LANES < 128 ? 128 : LANES"

    @property
    def fold(self) -> str:
        return "fold_columns" if self.columns else "fold"

    @property
    def scan(self) -> str:
        return "scan_columns" if self.columns else "scan_row"

    @property
    def lane(self) -> str:
        return "threadIdx.y" if self.columns else "threadIdx.x"

    @property
    def row(self) -> str:
        return "threadIdx.x" if self.columns else "threadIdx.y"


HOST = Geometry(False)


def folded(axes: Sequence[Axis]) -> Axis:
    """The one axis that is folded.

    Raises:
        UnprintableError: there are several.
    """
    reduced = [axis for axis in axes if axis.reduced]
    if len(reduced) != 1:
        raise UnprintableError("a reduction along several axes of a tile is not printed in CUDA C++ yet")
    return reduced[0]


def unravelled(axes: Sequence[tuple[str, str]], kind: str) -> list[str]:
    """The index along each axis of a flat one, the fastest first."""
    made, rest = [], "flat"
    for number, (index, numel) in enumerate(axes):
        last = number == len(axes) - 1
        text = rest if last else f"{rest} % {numel}"
        made.append(f"const {kind} {index} = {text};")
        rest = f"{rest} / {numel}"
    return made


def geometry_of(page: Page) -> Geometry:
    """Threads beside each other read what lies side by side: along the row, or in 32 rows at once."""
    axis = folded(page.found.schedule.axes).name
    along = across = 0
    for access in page.found.accesses:
        for term in access.index.terms:
            if isinstance(term.of, Coordinate) and abs(term.factor) == 1 and term.of.stride == 1 and not term.sizes:
                along += term.of.axis == axis
                across += term.of.axis != axis and _swept(access, axis)
    whole = any(sorts(value) for value in page.uses)  # 32 rows are more than fit into shared memory
    return Geometry(across > along and not whole)


def _swept(access: Access, axis: str) -> bool:
    """Whether an access goes along the folded axis."""
    return any(isinstance(term.of, Coordinate) and term.of.axis == axis for term in access.index.terms)
