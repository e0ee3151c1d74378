"""The state of a printer of any language: the statements so far, and the values that have a name."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, field
from typing import Generic, TypeVar

from inductor_lab.computation.records import Computation
from inductor_lab.computation.tree import Expression
from inductor_lab.eject.binding.tensors import Tensor
from inductor_lab.eject.printing.layout import Layout

Statement = TypeVar("Statement")
Text = TypeVar("Text")


@dataclass
class BasePage(Generic[Statement, Text]):
    """One kernel while it is printed, in any language; every part of a printer reads it, statements write it."""

    found: Computation
    tensors: Mapping[str, Tensor]
    """What each pointer holds, by parameter."""
    layout: Layout
    uses: Counter[Expression]
    """How often each value is used."""
    lines: list[Statement] = field(default_factory=list)
    """Of the block that is being printed."""
    bound: dict[Expression, Text] = field(default_factory=dict)
    """Values that stand behind a name just now."""

    def fresh(self, wanted: str, value: Expression | None = None) -> str:
        return self.layout.fresh(wanted, value)

    @contextmanager
    def scope(self) -> Iterator[list[Statement]]:
        """Lines of their own, which are what this gives; what they name ends with them."""
        lines, bound, taken = self.lines, dict(self.bound), set(self.layout.taken)
        self.lines = made = list[Statement]()
        try:
            yield made
        finally:
            self.lines, self.bound = lines, bound
            self.layout.forget(taken)
