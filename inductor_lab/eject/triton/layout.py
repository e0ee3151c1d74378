"""Axes of a readable kernel: how programs and loops share them, which of them need a mask at their end, and the launch.

Coordinates are `coordinates.py`'s, the numbers in addresses `strides.py`'s, those in masks `bounds.py`'s.
"""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator, Mapping

from inductor_lab.computation import groups
from inductor_lab.computation.index import Coordinate, Index, Term
from inductor_lab.computation.records import Computation
from inductor_lab.computation.schedule import Axis, Loop
from inductor_lab.computation.tree import Expression, Operation
from inductor_lab.eject.binding.tensors import Tensor
from inductor_lab.eject.triton.bounds import Bounds
from inductor_lab.eject.triton.coordinates import Coordinates
from inductor_lab.eject.triton.nouns import Sizes, bare, kept, named, noun, owners
from inductor_lab.eject.triton.strides import Strides, Windows

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

    # ------------------------------------------------------------ axes

    @property
    def blocks(self) -> dict[str, str]:
        """Inductor's names of blocks -> ours."""
        blocks = {axis.block: self.names[axis.name].block for axis in self.axes.values()}
        grouped = [self.names[axis.name].group for axis in self.axes.values() if axis.group]
        return blocks | dict.fromkeys([groups.SIZE] if grouped else [], "".join(grouped))

    def spans(self, axis: str) -> bool:
        """Whether the axis is a dimension of the tile."""
        return axis in self.axes and self.axes[axis].dimension is not None

    def may_end_inside(self, axis: Axis) -> bool:
        """Whether a block of this axis may reach past the end where the text has no mask, because the block may change."""
        return axis.dimension is not None and (axis.fixed is None or axis.grows)

    def masks(self, axis: str) -> bool:
        """Whether the axis has a mask."""
        found = self.axes.get(axis)
        return found is not None and (found.masked or self.may_end_inside(found))

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

    def constants(self) -> list[tuple[str, str, str]]:
        """Compile-time sizes: (parameter, what the launch passes, comment)."""
        words = self.size_words()
        return [
            (name, passed, f"{value} {words[name]}" if words.get(name) else str(value))
            for name, (value, passed) in self.sizes.values.items()
        ] + [(self.names[axis.name].block, *self._held(axis)) for axis in self.axes.values() if axis.fixed is not None]

    def _held(self, axis: Axis) -> tuple[str, str]:
        """A fixed block, and why it is."""
        whole = f"the whole {kept(self.found)}"
        if axis.grows:
            return f"triton.next_power_of_2({self.names[axis.name].numel})", f"{whole}: a power of two"
        if not axis.reduced:
            return str(axis.fixed), "all of it: the size must stay"
        if not self.masks(axis.name):
            return str(axis.fixed), f"{whole}, no more and no less: nothing masks it"
        return str(axis.fixed), f"{whole}: a power of two, at least {self.names[axis.name].numel.upper()}"

    def tuned(self) -> list[str]:
        """Blocks that a caller chooses."""
        blocks = [
            self.names[axis.name].block for axis in self.axes.values() if axis.fixed is None and self._blocked(axis)
        ]
        said = " ".join(step.keywords for step in self.found.schedule.every() if isinstance(step, Loop))
        stages = [groups.STAGES] if groups.STAGES in said else []
        return blocks + [self.names[axis.name].group for axis in self.axes.values() if axis.group] + stages

    def _blocked(self, axis: Axis) -> bool:
        return axis.dimension is not None or bool(axis.program)

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

    def grid(self) -> str:
        """The launch grid; a y beyond CUDA's 65,535 continues in z where the body asks for it."""
        axes: dict[int, str] = {}
        overflow = False
        for axis in self.axes.values():
            names = self.names[axis.name]
            place = re.search(r"tl\.program_id\((\d)\)", axis.program)
            if place is None:
                continue
            overflow = overflow or "tl.program_id(2)" in axis.program
            owned = names.group or names.block
            axes[int(place[1])] = f"triton.cdiv({names.numel}, {owned})" if axis.fixed != 1 else names.numel
        ordered = [axes.get(place, "1") for place in range(max(axes, default=0) + 1)]
        if overflow and len(ordered) == 2:
            ordered = [ordered[0], f"min({ordered[1]}, 65535)", f"triton.cdiv({ordered[1]}, 65535)"]
        return f"({ordered[0]},)" if len(ordered) == 1 else f"({', '.join(ordered)})"

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

    # ------------------------------------------------------------ the frame's statements, each a name and what it is

    def positions(self, axis: Axis) -> list[tuple[str, str]]:
        names = self.names[axis.name]
        if axis.group:
            program = self.coordinates.program(axis)
            return [
                ("", f"tl.static_assert({names.group} % {names.block} == 0)"),
                (program, axis.program),
                (self._first(axis), f"{program} * {names.group}"),
            ]
        if axis.looped:
            return []
        if axis.dimension is None:
            return [(names.index, axis.program or "0")]
        tile = f"tl.arange(0, {names.block}){self._place(axis)}"
        return [(names.index, f"{axis.program} * {names.block} + {tile}" if axis.program else tile)]

    def turn(self, axis: Axis) -> list[tuple[str, str]]:
        """The first line of a loop: this block's positions."""
        names = self.names[axis.name]
        return [(names.index, f"{names.start} + tl.arange(0, {names.block}){self._place(axis)}")]

    def _first(self, axis: Axis) -> str:
        """The first position of a program's group."""
        return f"first_{self.names[axis.name].index}"

    def last_of_block(self, axis: Axis) -> str:
        """The test of the last position that a turn of a loop along the axis has."""
        block = self.names[axis.name].block
        return f"tl.arange(0, {block}){self._place(axis)} == {block} - 1"

    def range_(self, axis: Axis, iterator: str, keywords: str) -> str:
        names = self.names[axis.name]
        function = iterator.partition("(")[0]
        more = f", {keywords}" if keywords else ""
        if axis.group:
            last = f"min({self._first(axis)} + {names.group}, {self._numel(axis)})"
            return f"{function}({self._first(axis)}, {last}, {names.block}{more})"
        return f"{function}(0, {self._numel(axis)}, {names.block}{more})"

    def mask(self, axis: Axis, used: bool) -> list[tuple[str, str]]:
        """The test of the end; where the text has none, only if the block does not divide the size."""
        if not used or not self.masks(axis.name):
            return []
        names = self.names[axis.name]
        test = f"{names.index} < {self._numel(axis)}"
        if not axis.masked and isinstance(axis.numel, int):
            test = f"({test}) | ({self._numel(axis)} % {names.block} == 0)"
        return [(names.inside, test)]

    def _place(self, axis: Axis) -> str:
        if axis.rank == 1:
            return ""
        return f"[{', '.join(':' if place == axis.dimension else 'None' for place in range(axis.rank))}]"

    @property
    def rank(self) -> int:
        """Dimensions of the tile."""
        return max((axis.rank for axis in self.axes.values() if axis.dimension is not None), default=1)

    def tile(self, axes: frozenset[str]) -> ast.expr:
        """The shape of a tile that is wide along some axes."""
        sizes: list[ast.expr] = [ast.Constant(1)] * self.rank
        for axis in self.axes.values():
            if axis.name in axes and axis.dimension is not None:
                sizes[axis.dimension] = ast.Name(self.names[axis.name].block, ast.Load())
        return ast.List(sizes, ast.Load())

    def reduced_dimension(self, over: frozenset[str]) -> int:
        """The dimension of the tile that a fold goes along."""
        found = [
            a.dimension
            for a in self.axes.values()
            if (a.name in over or (a.reduced and not over)) and a.dimension is not None
        ]
        return found[-1] if found else 0

    def place_of_rest(self, over: frozenset[str] = frozenset()) -> str:
        """What gives a folded tile its dimension back: `[:, None]`."""
        folded = [axis for axis in self.axes.values() if (axis.name in over or (axis.reduced and not over))]
        free = [axis for axis in self.axes.values() if axis not in folded and axis.dimension is not None]
        rank = max((axis.rank for axis in self.axes.values()), default=1)
        if rank < 2 or not free:
            return ""
        reduced = {axis.dimension for axis in folded}
        return f"[{', '.join('None' if place in reduced else ':' for place in range(rank))}]"

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
