"""What is printed of a readable kernel so far: its lines, and which values and addresses stand behind a name just now."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass, field

from inductor_lab.computation.index import Index
from inductor_lab.computation.records import Computation
from inductor_lab.computation.schedule import Access
from inductor_lab.computation.tree import Expression, Load
from inductor_lab.eject.binding.tensors import Tensor
from inductor_lab.eject.layout import Layout


class UnprintableError(Exception):
    """A computation that the schedule does not tell whole: it is printed as its author wrote it."""


@dataclass
class Page:
    """One kernel while it is printed; every part of the printer reads it, statements write it."""

    found: Computation
    tensors: Mapping[str, Tensor]
    """What each pointer holds, by parameter."""
    layout: Layout
    uses: Counter[Expression]
    """How often each value is used."""
    lines: list[str] = field(default_factory=list)
    """Of the block that is being printed."""
    bound: dict[Expression, str] = field(default_factory=dict)
    """Values that stand behind a name just now."""
    positions: dict[Index, str] = field(default_factory=dict)
    """Addresses that have a name just now."""
    loads: dict[Load, Access] = field(default_factory=dict)
    """What was read, and by which access."""
    helpers: set[str] = field(default_factory=set)
    """Functions of Inductor's `triton_helpers` that it calls."""
    inside: set[str] = field(default_factory=set)
    """Axes whose mask is used."""
    sources: Mapping[int, str] = field(default_factory=dict)
    """Line of the body -> the line of the user's program that it is from, where that is known."""

    def emit(self, text: str) -> None:
        self.lines.append(text)

    def fresh(self, wanted: str, value: Expression | None = None) -> str:
        return self.layout.fresh(wanted, value)
