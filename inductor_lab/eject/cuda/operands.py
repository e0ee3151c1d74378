"""The tree as a thread runs it, what a value's C++ text is made of, and whether a value varies along what is folded.

A thread runs for elements that exist, so the masks of axes are true and what only they choose is known; it holds one element and no tile, so
nothing is spread; and it holds a half as a float anyway:

    tl.where(xmask, x.to(tl.float32), 0.0) + tl.broadcast_to(y, [XBLOCK])            x + y
"""

from __future__ import annotations

from collections.abc import Container, Iterable

from inductor_lab.computation.folds import Partial, masks
from inductor_lab.computation.index import Coordinate, Index
from inductor_lab.computation.records import Computation
from inductor_lab.computation.schedule import Access, Carry, Define, Step
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
)
from inductor_lab.eject.cuda.code import WIDENED
from inductor_lab.eject.triton.operands import of_access, parts, reached
from inductor_lab.eject.triton.simplification import Rewriting


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
        return value


def held_dtype(value: Expression) -> str:
    """The dtype that a variable of a value is held in; a bare number's is the widest of its kind."""
    return {"float": "float32", "int": "int32"}.get(value.dtype, value.dtype)


def under(*values: Expression, stop: Container[Expression] = ()) -> dict[Expression, None]:
    """Everything that values are made of, themselves too; nothing below those to stop at."""
    return reached(values, lambda node: () if node in stop else parts(node))


def scanned(steps: Iterable[Step]) -> bool:
    """Whether some step is a scan."""
    return any(runs(value) for step in steps if isinstance(step, Define) for value in step.values)


def runs(value: Expression) -> bool:
    """Whether a value is a running fold, which goes along the row."""
    return isinstance(value, Scan) and not sorts(value)


def sorts(value: Expression) -> bool:
    """Whether a value is of a row that is sorted, which must be there whole."""
    return isinstance(value, Scan) and value.name.startswith("sort")


def goes_on(carry: Carry) -> bool:
    """Whether a loop carries on where a scan has come to: the last element of each block's, and what operations make of it."""
    made = reached([carry.end], lambda node: node.inputs if isinstance(node, Operation) else ())
    return any(isinstance(node, Operation) and node.name == "last" for node in made)


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
