"""Turns the tree into what one thread computes: without masks and tiles, and with the way threads share rows.

A thread runs for elements that exist, so the masks of axes are true and what only they choose is known; it holds one element and no tile, so
nothing is spread; and it holds a half as a float anyway:

    tl.where(xmask, x.to(tl.float32), 0.0) + tl.broadcast_to(y, [XBLOCK])            x + y
"""

from __future__ import annotations

from collections.abc import Container, Iterable, Iterator
from dataclasses import dataclass

from inductor_lab.computation.folds import Partial, masks
from inductor_lab.computation.index import Coordinate, Index
from inductor_lab.computation.records import Computation
from inductor_lab.computation.schedule import Access, Define, Step
from inductor_lab.computation.tree import (
    Broadcast,
    Carried,
    Cast,
    Expression,
    Load,
    Named,
    Operation,
    Position,
    Reduction,
    Scan,
    walk,
)
from inductor_lab.eject.cuda.code import WIDENED
from inductor_lab.eject.printing.operands import of_access, parts, unscaled
from inductor_lab.eject.printing.rewriting import Rewriting


def of_a_thread(found: Computation) -> Computation:
    """The computation that a thread does for elements that exist."""
    return _OfAThread().computation(found)


class _OfAThread(Rewriting):
    def simple(self, value: Expression) -> Expression:
        match value:
            case Broadcast(operand=inner) | Named(inputs=(inner,)):
                return inner
            case Operation(name="where", inputs=(condition, kept, _)) if masks(condition):
                return kept
            case Cast(operand=inner, dtype="float32") if inner.dtype in WIDENED:
                return inner
            case Operation(name="mul") if (same := unscaled(value)) is not None:
                return same
        return self.chosen(value)


def held_dtype(value: Expression) -> str:
    """The dtype that a variable of a value is held in; a bare number's is the widest of its kind."""
    return {"float": "float32", "int": "int32"}.get(value.dtype, value.dtype)


def under(*values: Expression, stop: Container[Expression] = ()) -> dict[Expression, None]:
    """Everything that values are made of, themselves too, from the last on; nothing below those to stop at."""
    return dict.fromkeys(walk(*reversed(values), parts=lambda node: () if node in stop else parts(node)[::-1]))


def defined(steps: Iterable[Step]) -> Iterator[Expression]:
    """The values of steps."""
    return (value for step in steps if isinstance(step, Define) for value in step.values)


def scanned(steps: Iterable[Step]) -> bool:
    """Whether some step is a scan."""
    return any(map(runs, defined(steps)))


def runs(value: Expression) -> bool:
    """Whether a value is a running fold, which goes along the row."""
    return isinstance(value, Scan) and not sorts(value)


def sorts(value: Expression) -> bool:
    """Whether a value is of a row that is sorted, which must be there whole."""
    return isinstance(value, Scan) and value.name.startswith("sort")


class Varying:
    """Which values differ along the folded axes, and how many folds lie under each."""

    def __init__(self, axes: frozenset[str]) -> None:
        self.axes = axes
        self._along: dict[Expression, bool] = {}
        self._level: dict[Expression, int] = {}

    def along(self, value: Expression) -> bool:
        """True for a value that a thread has for each element that it folds."""
        if value not in self._along:
            self._along[value] = self._of(value)
        return self._along[value]

    def _of(self, value: Expression) -> bool:
        match value:
            case Reduction():
                return False
            case Partial() | Carried() | Scan():
                return True
            case Position(index=index):
                return self.moves(index)
            case Load(index=index) if index is not None and self.moves(index):
                return True
        return any(self.along(part) for part in parts(value))

    def moves(self, index: Index) -> bool:
        return any(
            term.of.axis in self.axes
            if isinstance(term.of, Coordinate)
            else term.of is not None and self.along(term.of)
            for term in index.terms
        )

    def stored(self, access: Access) -> bool:
        """True for a store that is done for each element."""
        return self.moves(access.index) or any(self.along(value) for value in of_access(access))

    def level(self, value: Expression) -> int:
        """How many folds and sorts, one after the other, a value waits for."""
        if value not in self._level:
            below = max((self.level(part) for part in parts(value)), default=0)
            self._level[value] = below + (isinstance(value, Reduction) or sorts(value))
        return self._level[value]


# ------------------------------------------------------------ the threads of a block


@dataclass(frozen=True)
class Geometry:
    """How the threads of a block share its rows."""

    columns: bool
    """True where rows lie side by side, and threads beside each other take different ones."""
    block: str = "blockIdx.x"
    """Which block it is."""
    serial: bool = False
    """Whether one thread does it all, as on the host."""

    @property
    def threads(self) -> str:
        """Threads of a block, by those that share a row: 32 columns, four rows of a warp each, or one row."""
        return "32 * LANES" if self.columns else "LANES < 128 ? 128 : LANES"

    @property
    def fold(self) -> str:
        """The function that combines a row's threads; empty where one thread does it all."""
        return "" if self.serial else "fold_columns" if self.columns else "fold"

    @property
    def scan(self) -> str:
        """The function that scans them; the same."""
        return "" if self.serial else "scan_columns" if self.columns else "scan_row"

    @property
    def lane(self) -> str:
        return "threadIdx.y" if self.columns else "threadIdx.x"

    @property
    def row(self) -> str:
        return "threadIdx.x" if self.columns else "threadIdx.y"


HOST = Geometry(False, serial=True)


def geometry_of(found: Computation, folded: str) -> Geometry:
    """Threads beside each other read what lies side by side: along the row, or in 32 rows at once.

    Args:
        folded: The axis of a row.
    """
    along = across = 0
    for access in found.accesses:
        coordinates = [(term, term.of) for term in access.index.terms if isinstance(term.of, Coordinate)]
        swept = any(coordinate.axis == folded for _, coordinate in coordinates)
        for term, coordinate in coordinates:
            if abs(term.factor) == 1 and coordinate.stride == 1 and not term.sizes:
                along += coordinate.axis == folded
                across += coordinate.axis != folded and swept
    whole = any(map(sorts, defined(found.schedule.every())))  # 32 rows are more than fit into shared memory
    return Geometry(across > along and not whole)
