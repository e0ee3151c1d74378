"""The names and sizes of one kernel, its addresses as sums of them, and the page that a printer of any language puts statements on.

Coordinates are `coordinates.py`'s, the numbers in addresses `strides.py`'s, those in masks `bounds.py`'s.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, field
from typing import Generic, TypeVar

from inductor_lab.computation import groups
from inductor_lab.computation.index import Coordinate, Index, Term
from inductor_lab.computation.records import Computation
from inductor_lab.computation.schedule import Axis
from inductor_lab.computation.tree import Expression, Operation
from inductor_lab.eject.binding.tensors import Tensor
from inductor_lab.eject.printing.bounds import Bounds
from inductor_lab.eject.printing.coordinates import Coordinates
from inductor_lab.eject.printing.nouns import Sizes, bare, named, noun, owners
from inductor_lab.eject.printing.strides import Strides, Windows

Factor = Coordinate | Expression | str
"""Of an address: a coordinate, what was loaded or computed, or a size by its name."""


class Layout:
    """Names and sizes of one kernel."""

    def __init__(
        self, found: Computation, tensors: Mapping[str, Tensor], taken: set[str], values: Mapping[str, str]
    ) -> None:
        self.found, self.tensors = found, tensors
        self.values = values
        self.axes = {axis.name: axis for axis in found.schedule.axes}
        self.passed = {name: text for name, text in found.sizes.items() if not name.endswith("numel")}
        """Sizes that the kernel is passed beside those of its axes -> Inductor's text for each."""
        self.names = dict(named(found, self.passed))
        self.sizes = Sizes(taken, frozenset(tensor.name for tensor in tensors.values()))
        self.owners = owners(found, tensors)
        for names in self.names.values():
            taken |= names.all()
        offsets = [text for name, text in values.items() if name.startswith("load_seed_offset") and text.isdigit()]
        self.seed_offsets = {int(text): self.fresh("seed_offset") for text in dict.fromkeys(offsets)}
        """Which of the seeds a kernel takes -> the parameter that says so: as a constant it has cost 8 % of a 5 us kernel (H200, Triton 3.6)."""
        self.coordinates = Coordinates(found, tensors, self.names, self.sizes, self.renamed)
        self.windows = Windows(found.loads, tensors)
        self.strides = Strides(found, tensors, self.coordinates, self.sizes, self.windows)
        self.bounds = Bounds(found, self.strides)
        self.roles = self.windows.roles() | self.bounds.halves
        """What tells the loads of one tensor from each other."""

    @property
    def taken(self) -> set[str]:
        return self.sizes.taken

    def fresh(self, wanted: str, value: Expression | None = None) -> str:
        """A name that nothing has yet, and no tensor but the value's own."""
        return self.sizes.fresh(wanted, self.owners.get(bare(value), ()) if value is not None else ())

    def word(self, value: Expression) -> str:
        """What a value is called: after its tensor, what is done or how it is tested, and the one place of a window that it is made of."""
        if value in self.windows.tests:
            return self.windows.tests[value]
        word = noun(value, self.tensors, self.roles, self.found.numel)
        place = self.windows.of(value) if isinstance(value, Operation) else ""
        return f"{word}_{place}" if place else word

    def forget(self, names: set[str]) -> None:
        """Free what was named since `names` were all: what a loop named is unknown behind it. Sizes and coordinates keep theirs."""
        self.sizes.forget(names, self.coordinates.named.values())

    @property
    def blocks(self) -> dict[str, str]:
        """Inductor's names of blocks -> ours."""
        blocks = {axis.block: self.names[axis.name].block for axis in self.axes.values()}
        grouped = [self.names[axis.name].group for axis in self.axes.values() if axis.group]
        return blocks | dict.fromkeys([groups.SIZE] if grouped else [], "".join(grouped))

    # ------------------------------------------------------------ the launch

    def launcher(self) -> dict[str, str]:
        """What the launcher works out first: the number of elements along each shared axis."""
        made: dict[str, str] = {}
        for axis in self.axes.values():
            if (axis.reduced and isinstance(axis.numel, int)) or axis.numel in self.passed:
                continue
            text = (
                self.coordinates.sources.of(axis, 1, axis.numel)
                if isinstance(axis.numel, int)
                else self.values.get(f"{axis.name}numel", str(axis.numel))
            )
            made[self.names[axis.name].numel] = text
        return made

    def scalars(self) -> list[tuple[str, str]]:
        """Run-time numbers: (parameter, what the launch passes)."""
        numels = [
            (self.names[axis.name].numel, self.names[axis.name].numel)
            for axis in self.axes.values()
            if not isinstance(axis.numel, int) and axis.numel not in self.passed
        ]
        seeds = [(name, str(offset)) for offset, name in self.seed_offsets.items()]
        return numels + seeds + [(name, self.values.get(name, text)) for name, text in self.passed.items()]

    def size_words(self) -> dict[str, str]:
        """The sizes of whole axes, and what each of them counts, `channels`; empty where the graph does not say it."""
        return {self.names[axis].numel.upper(): self.coordinates.word_of(axis) for axis in self.axes}

    def scalar(self, name: str) -> str:
        """A number that the launch passes, by Inductor's name for it."""
        match = re.fullmatch(r"([xyz]|r\d*_?)(numel|offset|base)", name)
        if match and match[1] in self.names:
            names = self.names[match[1]]
            return self._numel(self.axes[match[1]]) if match[2] == "numel" else names.start
        if match and match[1] == "r" and "r0_" in self.names:
            return self.scalar(f"r0_{match[2]}")
        return self.blocks.get(name, name)

    def _numel(self, axis: Axis) -> str:
        name = self.names[axis.name].numel
        return name.upper() if isinstance(axis.numel, int) else name

    def renamed(self, text: str) -> str:
        """A text of Inductor's with our names for blocks, sizes and offsets."""
        return re.sub(
            r"\b([XYZR]\d?_?BLOCK|(?:[xyz]|r\d*_?)(?:numel|offset|base))(?:_\d+)?\b",
            lambda found: self.scalar(found[1]),
            text,
        )

    # ------------------------------------------------------------ addresses and positions

    def seed(self, pointer: str, index: Index) -> str:
        """The parameter that says which seed of a tensor of seeds is loaded; empty where none is."""
        tensor = self.tensors[pointer]
        one = tensor.role == "in" and tensor.type.dtype == "int64" and not index.terms
        return self.seed_offsets.get(index.constant, "") if one else ""

    def summands(self, index: Index, pointer: str) -> Iterator[tuple[bool, Iterator[Factor]]]:
        """An address or a position in the order of the text: whether each summand is taken off, and its factors; the constant last.

        Args:
            pointer: Empty for a position that is no address.
        """
        for term in index.terms:
            yield term.factor < 0, self._factors(term, index, pointer)
        if index.constant or not index.terms:
            yield index.constant < 0, iter([self.constant(index, pointer)])

    def _factors(self, term: Term, index: Index, pointer: str) -> Iterator[Factor]:
        if term.of is not None:
            yield term.of
        step = abs(term.factor)
        if step != 1 or (term.of is None and not term.sizes):
            yield str(step) if term.sizes else self.strides.step(step, index, pointer)
        yield from map(self.scalar, term.sizes)

    def constant(self, index: Index, pointer: str) -> str:
        """What an address or a position adds or takes off, apart from its sign."""
        told = self.bounds.places.get((pointer, index))
        return told or self.strides.place(abs(index.constant), index, pointer)

    def position_dtype(self, index: Index) -> str:
        """The dtype that a position has as it is written."""
        for term in index.terms:
            if (
                isinstance(term.of, Coordinate)
                and term.of.axis in self.axes
                and self.axes[term.of.axis].dtype == "int64"
            ):
                return "int64"
            if isinstance(term.of, Expression) and term.of.dtype == "int64":
                return "int64"
        return "int32"


# ------------------------------------------------------------ the page that is printed on by it


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
