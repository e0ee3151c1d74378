"""Axes of a Triton kernel: how programs, blocks and loops share them, which of them need a mask at their end, and the launch grid."""

from __future__ import annotations

import ast
import re
from collections.abc import Callable, Iterable

from inductor_lab.computation import groups
from inductor_lab.computation.schedule import Axis, Loop
from inductor_lab.eject.printing.layout import Layout
from inductor_lab.eject.printing.nouns import kept


def grid_of(axes: Iterable[Axis], programs: Callable[[Axis], str]) -> str:
    """The launch grid, from how many programs each axis has; empty where none tells its own.

    A y beyond CUDA's 65,535 continues in z where the body asks for it.
    """
    found: dict[int, str] = {}
    overflow = False
    for axis in axes:
        place = re.search(r"tl\.program_id\((\d)\)", axis.program)
        if place is not None:
            found[int(place[1])] = programs(axis)
            overflow = overflow or "tl.program_id(2)" in axis.program
    if not found:
        return ""
    ordered = [found.get(place, "1") for place in range(max(found) + 1)]
    if overflow and len(ordered) == 2:
        ordered = [ordered[0], f"min({ordered[1]}, 65535)", f"triton.cdiv({ordered[1]}, 65535)"]
    return f"({ordered[0]},)" if len(ordered) == 1 else f"({', '.join(ordered)})"


class BlockLayout(Layout):
    """The layout of a kernel whose programs hold blocks of each axis."""

    # ------------------------------------------------------------ axes

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

    def grid(self) -> str:
        """The launch grid."""
        return grid_of(self.axes.values(), self._programs) or "(1,)"

    def _programs(self, axis: Axis) -> str:
        """How many programs an axis has."""
        names = self.names[axis.name]
        return f"triton.cdiv({names.numel}, {names.group or names.block})" if axis.fixed != 1 else names.numel

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

    # ------------------------------------------------------------ tiles

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
