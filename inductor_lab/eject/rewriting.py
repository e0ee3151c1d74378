"""A computation made anew from the bottom up, its equal values one object: what a rule changes, and all that is made of it.

tl.load(x_ptr)     a rule: read at the offset     tl.load(x_ptr + offset)
"""

from __future__ import annotations

import dataclasses
from typing import Any

from inductor_lab.computation.index import Coordinate
from inductor_lab.computation.nodes import Nodes
from inductor_lab.computation.records import Computation
from inductor_lab.computation.schedule import Access, Schedule
from inductor_lab.computation.tree import Expression


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

    def access(self, access: Access) -> Access:
        """An access whose address and value are as they shall be."""
        return access
