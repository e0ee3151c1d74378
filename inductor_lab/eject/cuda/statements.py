"""The statements of a CUDA kernel, for one element at a time: what gets a name, what is written where it is used, and what is stored."""

from __future__ import annotations

from collections.abc import Callable, Iterable

from inductor_lab.computation.folds import Partial
from inductor_lab.computation.schedule import Access, Assert, Define
from inductor_lab.computation.tree import (
    Carried,
    Constant,
    Expression,
    Inside,
    Load,
    Position,
    Random,
    Reduction,
    Scan,
    Size,
)
from inductor_lab.eject.cuda.code import CHOICE, TRUE, Code
from inductor_lab.eject.cuda.expressions import Expressions
from inductor_lab.eject.cuda.operands import held_dtype, parts, under
from inductor_lab.eject.cuda.page import Page
from inductor_lab.eject.refusal import UnprintableError
from inductor_lab.eject.triton.operands import used_elsewhere

INLINE = 56
"""Characters up to which a value that is used once is written where it is used."""
PLAIN = (Constant, Size, Position, Inside, Carried, Partial, Reduction)
"""What gets no statement of its own here."""


class Statements:
    """What is computed for one element, or for one row."""

    def __init__(self, page: Page) -> None:
        self.page = page
        self.expressions = Expressions(page)
        self.elsewhere = used_elsewhere(page.found.schedule)
        self.scans: Callable[[Scan], None] | None = None
        """What prints a scan; none where no threads share a row."""
        self.held: dict[Expression, str] = {}
        """What a thread loads once for several sweeps -> the array that keeps it."""
        self.kept: set[Expression] = set()
        """Those of them that were loaded."""

    def define(self, step: Define, wanted: Iterable[Expression] | None = None) -> None:
        """The values of a step that are used.

        Args:
            wanted: Only those of them.
        """
        chosen = None if wanted is None else set(wanted)
        for value in step.values:
            if value in self.page.bound or not self.page.uses[value] or (chosen is not None and value not in chosen):
                continue
            if isinstance(value, PLAIN):
                continue
            if isinstance(value, Scan):
                self.scan(value)
            elif not self._inlined(value):
                self.bind(value)

    def scan(self, value: Scan) -> None:
        """A scan, where a row's threads are there to do it."""
        if self.scans is None:
            raise UnprintableError(f"a scan ({value.name}) outside of a row is not printed in CUDA C++ yet")
        self.scans(value)

    def bind(self, value: Expression, word: str = "") -> str:
        """Give a value a name."""
        code, array = self.expressions.of(value), self.held.get(value, "")
        if value in self.kept:
            code = Code(f"HOLDS ? {array}[k] : {code.at(CHOICE)}", CHOICE)
        name = self.page.fresh(word or self.page.layout.word(value), value)
        self.page.emit(f"const {self.page.numbers.held(held_dtype(value))} {name} = {code.text};")
        self.page.bound[value] = Code(name)
        if array and value not in self.kept:
            self.page.emit(f"if (HOLDS) {array}[k] = {name};")
            self.kept.add(value)
        return name

    def _inlined(self, value: Expression) -> bool:
        """True for what is written where it is used: used once, here, read from no memory, and short."""
        if self.page.uses[value] != 1 or value in self.elsewhere or isinstance(value, (Load, Random)):
            return False
        unnamed = (node for node in under(*parts(value), stop=self.page.bound) if node not in self.page.bound)
        if any(isinstance(node, (Load, Random)) for node in unnamed):
            return False
        return len(self.expressions.of(value).text) <= INLINE

    def store(self, access: Access, when: str = "") -> None:
        """A store or an atomic addition; `when` is what must hold besides."""
        self.page.emit(self.expressions.store(access, when))

    def check(self, step: Assert) -> None:
        """A condition at which the kernel stops where it does not hold."""
        test = self.expressions.mask(step.check.condition)
        if test != TRUE and not self.page.numbers.double:
            self.page.emit(f"assert({test.text});")
