"""Every node of a computation, those that only positions and calls name too."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from inductor_lab.computation.folds import Partial
from inductor_lab.computation.index import Index
from inductor_lab.computation.records import Computation
from inductor_lab.computation.schedule import Assert, Define, Loop
from inductor_lab.computation.tree import Call, Carried, Expression, Load, Position, Reduction


def every(found: Computation) -> Iterator[Expression]:
    """Every node of what is used or has a name, once."""
    named = (value for step in found.schedule.every() if isinstance(step, Define) for value in step.values)
    return _under([*used(found), *named])


def used(found: Computation) -> Iterator[Expression]:
    """What an access, a loop or a check is made of."""
    for access in found.accesses:
        yield from access.index.expressions()
        yield from (part for part in (access.mask, access.value) if part is not None)
    for step in found.schedule.every():
        match step:
            case Loop(carries=carries):
                for carry in carries:
                    yield from (carry.start, carry.before, carry.end, carry.after)
            case Assert(check=check):
                yield check.condition


def indices(found: Computation) -> Iterator[Index]:
    """Every address, and every position that is a value."""
    yield from (access.index for access in found.accesses)
    for node in every(found):
        index = getattr(node, "index", None)
        if isinstance(index, Index):
            yield index


def below(node: Expression) -> list[Expression]:
    """What a node is made of: its operands, then what its call and its position name."""
    parts = list(node.operands)
    if isinstance(node, Position):
        parts += node.index.expressions()
    call = getattr(node, "call", None)
    if isinstance(call, Call):
        parts += call.values
    if isinstance(node, Carried):
        parts.append(node.start)
    return parts


def arithmetic(value: Expression) -> list[Expression]:
    """A value and what it is computed from, down to what is loaded or folded: each once, a node before what it is made of."""
    found: dict[Expression, None] = {}
    waiting = [value]
    while waiting:
        node = waiting.pop()
        if node in found or isinstance(node, (Load, Reduction, Partial, Carried)):
            continue
        found[node] = None
        waiting += reversed(below(node))
    return list(found)


def _under(roots: Iterable[Expression]) -> Iterator[Expression]:
    seen: set[Expression] = set()
    waiting = list(roots)
    while waiting:
        node = waiting.pop()
        if node not in seen:
            seen.add(node)
            yield node
            waiting += below(node)
