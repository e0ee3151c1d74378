"""What a value's C++ text is made of, and whether it varies along what is folded.

A thread runs for elements that exist, so the masks of axes are true and what only they choose is known.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable

from inductor_lab.computation.folds import Partial, masks
from inductor_lab.computation.index import Coordinate, Index
from inductor_lab.computation.schedule import Access, Assert, Carry, Define, Effect, Loop, Schedule, Step
from inductor_lab.computation.tree import (
    Broadcast,
    Carried,
    Cast,
    Expression,
    Inside,
    Load,
    Named,
    Operation,
    Position,
    Reduction,
    Scan,
)
from inductor_lab.eject.cuda.code import WIDENED
from inductor_lab.eject.triton.operands import chosen_sides


def seen(value: Expression) -> Expression:
    """The value itself behind broadcasts, names, a choice that only the masks of axes make, and a half that is held as a float anyway."""
    while True:
        match value:
            case Broadcast(operand=inner) | Named(inputs=(inner,)):
                value = inner
            case Operation(name="where", inputs=(condition, kept, _)) if masks(condition):
                value = kept
            case Cast(operand=inner, dtype="float32") if inner.dtype in WIDENED:
                value = inner
            case _:
                return value


def held_dtype(value: Expression) -> str:
    """The dtype that a variable of a value is held in; a bare number's is the widest of its kind."""
    return {"float": "float32", "int": "int32"}.get(value.dtype, value.dtype)


def parts(value: Expression) -> tuple[Expression, ...]:
    """What a value's own text is made of."""
    return tuple(map(seen, _parts(value)))


def _parts(value: Expression) -> tuple[Expression, ...]:
    match value:
        case Carried() | Inside():
            return ()
        case Position(index=index):
            return index.expressions()
        case Reduction() | Partial():
            return value.call.values if value.call is not None else ()
        case Operation(name="where", inputs=(_, _, _)):
            return chosen_sides(value)
    return value.operands


def under(*values: Expression, stop: Iterable[Expression] = ()) -> dict[Expression, None]:
    """Everything that values are made of, themselves too; nothing below those to stop at."""
    ends = set(stop)
    return _reached(map(seen, values), lambda node: () if node in ends else parts(node))


def _reached(
    roots: Iterable[Expression], below: Callable[[Expression], Iterable[Expression]]
) -> dict[Expression, None]:
    found: dict[Expression, None] = {}
    waiting = list(roots)
    while waiting:
        node = waiting.pop()
        if node not in found:
            found[node] = None
            waiting += below(node)
    return found


def of_access(access: Access) -> tuple[Expression, ...]:
    """The values that a store is made of."""
    found = (*access.index.expressions(), *(value for value in (access.mask, access.value) if value is not None))
    return tuple(map(seen, found))


def uses(schedule: Schedule) -> Counter[Expression]:
    """How often each value is used by what has an effect; what is never used is not printed."""
    roots: list[Expression] = []
    for step in schedule.every():
        match step:
            case Effect(access=access):
                roots += of_access(access)
            case Assert(check=check):
                roots.append(seen(check.condition))
            case Loop(carries=carries):
                roots += [seen(carry.end) for carry in carries if not goes_on(carry)]
    found = Counter(roots)
    for node in under(*roots):
        found.update(parts(node))
    return found


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
    made = _reached([seen(carry.end)], lambda node: map(seen, node.inputs) if isinstance(node, Operation) else ())
    return any(isinstance(node, Operation) and node.name == "last" for node in made)


class Varying:
    """Which values differ along the folded axes, and how many folds lie under each."""

    def __init__(self, axes: frozenset[str]) -> None:
        self.axes = axes
        self._along: dict[Expression, bool] = {}
        self._level: dict[Expression, int] = {}

    def along(self, value: Expression) -> bool:
        """True for a value that a thread has for each element that it folds."""
        value = seen(value)
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
        value = seen(value)
        if value not in self._level:
            below = max((self.level(part) for part in parts(value)), default=0)
            self._level[value] = below + (isinstance(value, Reduction) or sorts(value))
        return self._level[value]
