"""Rewrites a computation from its leaves up: a printer says what becomes of each value and each access.

class OfAnElement(Rewriting):
    def simple(self, value: Expression) -> Expression:
        return value.operand if isinstance(value, Broadcast) else value

tl.broadcast_to(x * scale, [XBLOCK]) + y        x * scale + y
"""

from __future__ import annotations

import dataclasses
from typing import Any

from inductor_lab.computation.index import Coordinate
from inductor_lab.computation.nodes import Nodes
from inductor_lab.computation.records import Computation
from inductor_lab.computation.schedule import Access, Schedule
from inductor_lab.computation.tree import Expression, Operation


class Rewriting:
    """A subclass says by `simple` and `access` what changes."""

    def __init__(self) -> None:
        self.nodes = Nodes()
        self.seen: dict[int, Any] = {}

    def computation(self, found: Computation) -> Computation:
        schedule = dataclasses.replace(found.schedule, steps=self.record(found.schedule.steps))
        accesses, checks = self.record(found.accesses), self.record(found.checks)
        return dataclasses.replace(found, accesses=accesses, checks=checks, schedule=schedule)

    def record(self, value: Any) -> Any:
        """A step, an address, a tuple of them, with each value in it."""
        if isinstance(value, tuple):
            return tuple(map(self.record, value))
        if isinstance(value, Expression):
            return self.value(value)
        if not dataclasses.is_dataclass(value) or isinstance(value, (type, Coordinate, Schedule)):
            return value
        if id(value) not in self.seen:
            made: Any = type(value)(
                **{field.name: self.record(getattr(value, field.name)) for field in dataclasses.fields(value)}
            )
            self.seen[id(value)] = self.access(made) if isinstance(made, Access) else made
        return self.seen[id(value)]

    def value(self, value: Expression) -> Expression:
        if id(value) not in self.seen:
            fields = [self.record(getattr(value, field.name)) for field in dataclasses.fields(value)]
            self.seen[id(value)] = self.simple(self.nodes.make(type(value), *fields))
        found: Expression = self.seen[id(value)]
        return found

    def simple(self, value: Expression) -> Expression:
        """A value whose operands are as they shall be."""
        return value

    def chosen(self, value: Expression, opposite: Expression | None = None) -> Expression:
        """A choice by a test: what another choice by it would take, and by its opposite; any other value as it is."""
        if not isinstance(value, Operation) or value.name != "where" or len(value.inputs) != 3:
            return value
        condition, one, other = not_asked_again(*value.inputs, opposite=opposite)
        if (one, other) == value.inputs[1:]:
            return value
        return self.nodes.make(Operation, value.dtype, value.axes, "where", (condition, one, other), "", "")

    def access(self, access: Access) -> Access:
        """An access whose address and value are as they shall be."""
        return access


def not_asked_again(
    condition: Expression, one: Expression, other: Expression, *, opposite: Expression | None = None
) -> tuple[Expression, Expression, Expression]:
    """A choice whose sides do not ask the same condition again, nor its opposite: `where(c, where(c, a, b), d)` is `where(c, a, d)`."""
    while isinstance(one, Operation) and one.name == "where" and one.inputs[0] is condition:
        one = one.inputs[1]
    while isinstance(other, Operation) and other.name == "where" and other.inputs[0] in (condition, opposite):
        other = other.inputs[2 if other.inputs[0] is condition else 1]
    return condition, one, other
