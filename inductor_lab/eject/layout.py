"""The frame of a readable kernel: what its axes, coordinates, sizes and blocks are called, and from which tensor each size is taken.

A coordinate `(axis // stride) % size` is written with the sizes of the axis' digits, so that a literal in an index has a name; the launcher
takes each size from the tensor whose dimension the coordinate walks along.
"""

from __future__ import annotations

import ast
import re
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from math import prod

from inductor_lab.computation.dimensions import Pattern, pattern
from inductor_lab.computation.index import Coordinate, Digits, Index, Term
from inductor_lab.computation.records import Computation
from inductor_lab.computation.schedule import Axis
from inductor_lab.computation.tree import Expression
from inductor_lab.eject.tensors import Tensor

FEW = 8
"""A constant offset is told as at most so many strides."""


@dataclass(frozen=True)
class Names:
    """What belongs to one axis."""

    index: str
    numel: str
    block: str
    inside: str
    start: str


class Layout:
    """Names and sizes of one kernel."""

    def __init__(
        self, found: Computation, tensors: Mapping[str, Tensor], taken: set[str], values: Mapping[str, str]
    ) -> None:
        self.found = found
        self.tensors = tensors
        self.taken = taken
        self.values = values
        self.axes = {axis.name: axis for axis in found.schedule.axes}
        self.names = dict(self._named())
        self.patterns = list(self._patterns())
        self.sizes: dict[str, tuple[int, str]] = {}
        """A compile-time size -> its value, and the launcher's text for it."""
        self.by_value: dict[int, str] = {}
        """A number -> the size or the product of sizes that it is."""
        self.digits: dict[tuple[str, int], str] = {}
        """(axis, stride of the digit) -> the name of its size."""
        self.coordinate_names: dict[Coordinate, str] = {}
        self.used: dict[str, dict[Coordinate, None]] = {}
        """Axis -> the coordinates that were asked for since its loop began."""
        self._name_sizes()

    def fresh(self, wanted: str) -> str:
        """A name that nothing has yet."""
        name, number = wanted, 2
        while name in self.taken:
            name, number = f"{wanted}_{number}", number + 1
        self.taken.add(name)
        return name

    def forget(self, names: set[str]) -> None:
        """Free what was named since `names` were all: what a loop named is unknown behind it. Sizes and coordinates keep theirs."""
        self.taken &= names | set(self.sizes) | set(self.coordinate_names.values())

    # ------------------------------------------------------------ names of axes

    def _named(self) -> Iterator[tuple[str, Names]]:
        free = [axis for axis in self.axes.values() if not axis.reduced]
        reduced = [axis for axis in self.axes.values() if axis.reduced]
        for axis in self.axes.values():
            if axis.reduced:
                number = axis.name[1:-1] if len(reduced) > 1 else ""
                index, numel, block, inside = f"r{number}", f"R{number}", f"BLOCK_R{number}", f"inside_r{number}"
            elif len(free) == 1 and not reduced:
                index, numel, block, inside = "offset", "numel", "BLOCK", "inside"
            elif len(free) == 1:
                index, numel, block, inside = "row", "rows", "BLOCK", "inside"
            else:
                index, numel = axis.name, f"{axis.name}_size"
                block, inside = f"BLOCK_{axis.name.upper()}", f"inside_{axis.name}"
            self.taken |= {index, numel, numel.upper(), block, inside, f"{index}_start"}
            yield axis.name, Names(index, numel, block, inside, f"{index}_start")

    @property
    def blocks(self) -> dict[str, str]:
        """Inductor's names of blocks -> ours."""
        return {axis.block: self.names[axis.name].block for axis in self.axes.values()}

    @property
    def fixed(self) -> frozenset[str]:
        """Axes without a mask although their block could change: none here."""
        return frozenset()

    def inside(self, axis: str) -> str:
        return self.names[axis].inside

    def start(self, axis: Axis) -> str:
        return self.names[axis.name].start

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

    # ------------------------------------------------------------ sizes

    def _patterns(self) -> Iterator[tuple[Tensor, Pattern]]:
        for access in self.found.accesses:
            tensor = self.tensors.get(access.pointer)
            found = pattern(self.found, access, tensor.type) if tensor is not None else None
            if tensor is not None and found is not None:
                yield tensor, found

    def _name_sizes(self) -> None:
        for axis in self.axes.values():
            names = self.names[axis.name]
            if isinstance(axis.numel, int):
                name = names.numel.upper()
                passed = f"{names.numel}" if not axis.reduced else self.source(axis, 1, axis.numel)
                self.sizes[name] = (axis.numel, passed)
                self._known(axis.numel, name)
            digits = self.found.digits.get(axis.name)
            if digits is not None and digits.whole and len(digits.parts) > 1:
                self._name_digits(axis, digits)
        for coordinates in self._by_axis().values():
            self._name_coordinates(coordinates)

    def _known(self, value: int, text: str) -> None:
        if value > 1:
            self.by_value.setdefault(value, text)

    def _name_digits(self, axis: Axis, digits: Digits) -> None:
        names, count = self.names[axis.name], len(digits.parts)
        inner: list[str] = []
        product = 1
        for place, (stride, size) in enumerate(digits.parts[:-1]):  # fastest first; the slowest needs no size
            level = count - 1 - place
            if count == 2:
                wanted = "COLUMNS" if names.index == "offset" else f"{names.index.upper()}_INNER"
            else:
                wanted = f"D{level}" if names.index == "offset" else f"{names.index.upper()}_D{level}"
            name = self.fresh(wanted)
            self.sizes[name] = (size, self.source(axis, stride, size))
            self.digits[axis.name, stride] = name
            self._known(size, name)
            inner.append(name)
            product *= size
            self._known(product, " * ".join(reversed(inner)))

    def source(self, axis: Axis, stride: int, size: int) -> str:
        """Where the launcher finds a size: in a tensor's shape; else the number itself."""
        digits = self.found.digits.get(axis.name)
        for tensor, found in self.patterns:
            for place, dimension in enumerate(found.dimensions):
                if dimension.size != size or abs(dimension.step) != 1 or dimension.start != 0:
                    continue
                for coordinate in dimension.coordinates:
                    parts = digits.of(coordinate) if digits is not None and coordinate.axis == axis.name else None
                    if parts and parts[0][0] == stride and prod(part[1] for part in parts) == size:
                        return f"{tensor.name}.shape[{place}]"
        if not axis.reduced and stride == 1 and size == axis.numel:
            written = {access.pointer for access in self.found.stores}
            ordered = sorted(self.tensors.items(), key=lambda item: item[0] not in written)
            for _, tensor in ordered:
                if tensor.numel() == size:
                    return f"{tensor.name}.numel()"
        return str(size)

    def launcher(self, lines: Iterable[str]) -> list[str]:
        """What the launcher works out first: the number of elements along each shared axis."""
        made = []
        for axis in self.axes.values():
            if axis.reduced and isinstance(axis.numel, int):
                continue
            text = (
                self.source(axis, 1, axis.numel)
                if isinstance(axis.numel, int)
                else self.values.get(f"{axis.name}numel", str(axis.numel))
            )
            made.append(f"{self.names[axis.name].numel} = {text}")
        return made

    def scalars(self) -> list[tuple[str, str, str]]:
        """Run-time numbers: (parameter, what the launch passes, comment)."""
        numels = [
            (self.names[axis.name].numel, self.names[axis.name].numel, "")
            for axis in self.axes.values()
            if not isinstance(axis.numel, int)
        ]
        return numels + [
            (name, self.values.get(name, text), "")
            for name, text in self.found.sizes.items()
            if not name.endswith("numel")
        ]

    def constants(self) -> list[tuple[str, str, str]]:
        """Compile-time sizes: (parameter, what the launch passes, comment)."""
        return [(name, passed, str(value)) for name, (value, passed) in self.sizes.items()] + [
            (self.names[axis.name].block, *self._held(axis)) for axis in self.axes.values() if axis.fixed is not None
        ]

    def _held(self, axis: Axis) -> tuple[str, str]:
        """A fixed block, and why it is."""
        if axis.grows:
            return f"triton.next_power_of_2({self.names[axis.name].numel})", "all of it"
        return str(axis.fixed), "all of it: the size must stay"

    def tuned(self) -> list[str]:
        """Blocks that a caller chooses."""
        return [
            self.names[axis.name].block for axis in self.axes.values() if axis.fixed is None and self._blocked(axis)
        ]

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
            r"\b(?:[XYZR]\d?_?BLOCK|(?:[xyz]|r\d*_?)(?:numel|offset|base))\b", lambda found: self.scalar(found[0]), text
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
            axes[int(place[1])] = f"triton.cdiv({names.numel}, {names.block})" if axis.fixed != 1 else names.numel
        ordered = [axes.get(place, "1") for place in range(max(axes, default=0) + 1)]
        if overflow and len(ordered) == 2:
            ordered = [ordered[0], f"min({ordered[1]}, 65535)", f"triton.cdiv({ordered[1]}, 65535)"]
        return f"({ordered[0]},)" if len(ordered) == 1 else f"({', '.join(ordered)})"

    # ------------------------------------------------------------ the frame's lines

    def positions(self, axis: Axis) -> list[str]:
        names = self.names[axis.name]
        if axis.looped:
            return []
        if axis.dimension is None:
            return [f"{names.index} = {axis.program or '0'}"]
        tile = f"tl.arange(0, {names.block}){self._place(axis)}"
        return [
            f"{names.index} = {axis.program} * {names.block} + {tile}" if axis.program else f"{names.index} = {tile}"
        ]

    def turn(self, axis: Axis) -> list[str]:
        """The first line of a loop: this block's positions."""
        names = self.names[axis.name]
        return [f"{names.index} = {names.start} + tl.arange(0, {names.block}){self._place(axis)}"]

    def range_(self, axis: Axis, iterator: str, keywords: str) -> str:
        names = self.names[axis.name]
        function = iterator.partition("(")[0]
        more = f", {keywords}" if keywords else ""
        return f"{function}(0, {self._numel(axis)}, {names.block}{more})"

    def mask(self, axis: Axis, used: bool) -> list[str]:
        """The test of the end; where the text has none, only if the block does not divide the size."""
        if not used or not self.masks(axis.name):
            return []
        names = self.names[axis.name]
        test = f"{names.index} < {self._numel(axis)}"
        if not axis.masked and isinstance(axis.numel, int):
            shape = ", ".join(names.block if place == axis.dimension else "1" for place in range(axis.rank))
            test = f"{test} if {self._numel(axis)} % {names.block} else tl.full([{shape}], True, tl.int1)"
        return [f"{names.inside} = {test}"]

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
        sizes = ["1"] * self.rank
        for axis in self.axes.values():
            if axis.name in axes and axis.dimension is not None:
                sizes[axis.dimension] = self.names[axis.name].block
        return ast.List([ast.Name(size) for size in sizes], ast.Load())

    def reduced_dimension(self, over: frozenset[str]) -> int:
        """The dimension of the tile that a fold goes along."""
        found = [
            a.dimension
            for a in self.axes.values()
            if a.reduced and (a.name in over or not over) and a.dimension is not None
        ]
        return found[-1] if found else 0

    def place_of_rest(self) -> str:
        """What gives a folded tile its dimension back: `[:, None]`."""
        free = [axis for axis in self.axes.values() if not axis.reduced and axis.dimension is not None]
        rank = max((axis.rank for axis in self.axes.values()), default=1)
        if rank < 2 or not free:
            return ""
        reduced = {axis.dimension for axis in self.axes.values() if axis.reduced}
        return f"[{', '.join('None' if place in reduced else ':' for place in range(rank))}]"

    # ------------------------------------------------------------ coordinates

    def _by_axis(self) -> dict[str, list[Coordinate]]:
        found: dict[str, dict[Coordinate, None]] = {}
        for coordinate in self.found.coordinates.values():
            found.setdefault(coordinate.axis, {})[coordinate] = None
        for access in self.found.accesses:
            for coordinate in access.index.coordinates():
                found.setdefault(coordinate.axis, {})[coordinate] = None
        return {axis: list(coordinates) for axis, coordinates in found.items() if axis in self.axes}

    def _name_coordinates(self, coordinates: list[Coordinate]) -> None:
        axis = self.axes[coordinates[0].axis]
        index = self.names[axis.name].index
        digits = self.found.digits.get(axis.name)
        rest = [c for c in coordinates if not self._whole(c)]
        for coordinate in rest:
            parts = digits.of(coordinate) if digits is not None else None
            count = len(digits.parts) if digits is not None else 0
            if parts and count == 2:
                column = coordinate.stride == 1
                wanted = (
                    ("column" if column else "row")
                    if index == "offset"
                    else f"{index}_{'inner' if column else 'outer'}"
                )
            elif parts and digits is not None:
                order = [stride for stride, _ in digits.parts]
                levels = sorted(count - 1 - order.index(stride) for stride, _, _ in parts)
                word = "".join(map(str, levels)) if len(levels) < 3 else f"{levels[0]}_to_{levels[-1]}"
                wanted = f"d{word}" if index == "offset" else f"{index}_d{word}"
            elif len(rest) == 2 and isinstance(coordinate.stride, str) != isinstance(coordinate.size, str):
                wanted = "column" if coordinate.stride == 1 else "row"
                wanted = wanted if index == "offset" else f"{index}_{'inner' if coordinate.stride == 1 else 'outer'}"
            else:
                wanted = f"{index}_d{rest.index(coordinate)}"
            self.coordinate_names[coordinate] = self.fresh(wanted)

    def _whole(self, coordinate: Coordinate) -> bool:
        """True for the whole axis."""
        numel = self.axes[coordinate.axis].numel if coordinate.axis in self.axes else None
        return coordinate.stride == 1 and (coordinate.size is None or coordinate.size == numel)

    def coordinate(self, coordinate: Coordinate) -> str:
        """The name of a coordinate."""
        if coordinate.axis not in self.axes:
            return f"{coordinate.axis}index"
        if self._whole(coordinate):
            return self.names[coordinate.axis].index
        self.used.setdefault(coordinate.axis, {})[coordinate] = None
        if coordinate not in self.coordinate_names:
            self.coordinate_names[coordinate] = self.fresh(f"{self.names[coordinate.axis].index}_part")
        return self.coordinate_names[coordinate]

    def coordinates(self, axis: Axis) -> list[str]:
        """The lines that cut an axis into the coordinates that were asked for."""
        return [f"{self.coordinate_names[c]} = {self._divided(c)}" for c in self.used.get(axis.name, {})]

    def _divided(self, coordinate: Coordinate) -> str:
        text = self.names[coordinate.axis].index
        if coordinate.stride != 1:
            text += f" // {self._grouped(self._extent(coordinate.axis, 1, coordinate.stride))}"
        if coordinate.size is not None:
            text += f" % {self._grouped(self._extent(coordinate.axis, coordinate.stride, coordinate.size))}"
        return text

    def _extent(self, axis: str, start: int | str, size: int | str) -> str:
        """A number of consecutive positions as the product of the digits that it spans."""
        if isinstance(size, str) or isinstance(start, str):
            return self.renamed(str(size))
        digits = self.found.digits.get(axis)
        names: list[str] = []
        product = 1
        for stride, count in digits.parts if digits is not None and digits.whole else ():
            if stride >= start and product < size:
                names.append(self.digits.get((axis, stride), ""))
                product *= count
        if product == size and names and all(names):
            return " * ".join(reversed(names))
        return self.by_value.get(size, str(size))

    @staticmethod
    def _grouped(text: str) -> str:
        return text if text.isidentifier() or text.isdigit() else f"({text})"

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

    # ------------------------------------------------------------ numbers in addresses

    def factor(self, value: int, pointer: str, term: Term) -> str:
        """A coordinate's step: a size or a product of sizes, or a stride of the tensor."""
        if value in self.by_value:
            return self.by_value[value]
        return self._stride(value, pointer, FEW) or str(value)

    def offset(self, value: int, pointer: str) -> ast.expr:
        """A constant in an address."""
        text = self._stride(value, pointer, FEW) if pointer and value >= FEW else ""
        return ast.parse(text or str(value), mode="eval").body

    def _stride(self, value: int, pointer: str, most: int) -> str:
        """A number as a few steps along a dimension of the tensor."""
        tensor = self.tensors.get(pointer)
        if tensor is None or tensor.type is None:
            return ""
        best = ""
        for place, stride in sorted(
            enumerate(tensor.type.stride), key=lambda item: -item[1] if isinstance(item[1], int) else 0
        ):
            if not isinstance(stride, int) or stride < 2 or value % stride or value // stride > most:
                continue
            name = self.by_value.get(stride, "")
            if not name:
                name = f"{tensor.name.upper()}_STRIDE_{place}"
                if name not in self.sizes:
                    name = self.fresh(name)
                    self.sizes[name] = (stride, f"{tensor.name}.stride({place})")
            best = name if value == stride else f"{value // stride} * {name}"
            break
        return best
