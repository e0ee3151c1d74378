"""The coordinates of a readable kernel: an axis cut into digits, each with a size of its own, `(axis // stride) % size` told by them.

    row = offset // COLUMNS, column = offset % COLUMNS         two digits
    d0 = offset // (D1 * D2), d1 = offset // D2 % D1            three and more, the slowest first

The launcher takes each size from the tensor whose dimension the coordinate walks along.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Mapping
from math import prod

from inductor_lab.computation.index import Coordinate, Digits, behind
from inductor_lab.computation.records import Computation
from inductor_lab.computation.schedule import Assert, Axis, Define, Effect, Loop
from inductor_lab.eject import meanings
from inductor_lab.eject.axes import Names
from inductor_lab.eject.parameters import Sizes
from inductor_lab.eject.size_sources import Sources, walked
from inductor_lab.eject.tensors import Tensor


class Coordinates:
    """Names of one kernel's coordinates, and of the sizes that they are cut by."""

    def __init__(
        self,
        found: Computation,
        tensors: Mapping[str, Tensor],
        names: Mapping[str, Names],
        sizes: Sizes,
        renamed: Callable[[str], str],
    ) -> None:
        self.found = found
        self.tensors = tensors
        self.axes = {axis.name: axis for axis in found.schedule.axes}
        self.names = names
        self.sizes = sizes
        self.renamed = renamed
        self.sources = Sources(found, tensors)
        self.by_axis = self._by_axis()
        self.words = self._words()
        """What a coordinate walks along, where the graph says what the dimensions are."""
        self.digits = {axis: self._digits(axis) for axis in self.axes}
        self.named: dict[Coordinate, str] = {}
        self.used: dict[str, dict[Coordinate, None]] = {}
        """Axis -> the coordinates that were asked for."""
        self._sizes: dict[tuple[str, int], str] = {}
        """(axis, stride of the digit) -> the name of its size."""
        for axis in self.axes.values():
            self._name_sizes(axis)
        for coordinates in self.by_axis.values():
            self._name(coordinates)

    # ------------------------------------------------------------ what there is

    def _by_axis(self) -> dict[str, list[Coordinate]]:
        """Every coordinate of the body, those that it names first."""
        all_: dict[Coordinate, None] = dict.fromkeys(self.found.coordinates.values())
        for step in self.found.schedule.every():
            match step:
                case Define(values=values):
                    all_ |= dict.fromkeys(behind(*values))
                case Effect(access=access):
                    all_ |= dict.fromkeys(access.index.coordinates())
                    all_ |= dict.fromkeys(behind(*filter(None, (access.mask, access.value))))
                case Assert(check=check):
                    all_ |= dict.fromkeys(behind(check.condition))
                case Loop(carries=carries):
                    all_ |= dict.fromkeys(behind(*(carry.start for carry in carries)))
        for access in self.found.accesses:
            all_ |= dict.fromkeys(access.index.coordinates())
        found: dict[str, list[Coordinate]] = {}
        for coordinate in all_:
            if not self.is_program(coordinate):
                found.setdefault(coordinate.axis, []).append(coordinate)
        return {axis: coordinates for axis, coordinates in found.items() if axis in self.axes}

    def _words(self) -> dict[Coordinate, str]:
        found: dict[Coordinate, set[str]] = {}
        for tensor, told in self.sources.patterns:
            for coordinate, places in walked(told).items() if tensor.dimensions else ():
                sizes = [told.dimensions[place].size for place in places]
                whole = all(isinstance(size, int) for size in sizes) and self.found.extent(coordinate) == prod(
                    size for size in sizes if isinstance(size, int)
                )
                words = tuple(tensor.dimensions[place] for place in sorted(places))
                word = words[0] if len(words) == 1 else meanings.TOGETHER.get(words, "")
                found.setdefault(coordinate, set()).add(word if whole else "")
        certain = {coordinate: next(iter(words)) for coordinate, words in found.items() if len(words) == 1}
        said = Counter(certain.values())
        return {coordinate: word for coordinate, word in certain.items() if word and said[word] == 1}

    def word_of(self, axis: str) -> str:
        """What a whole axis walks along: `channels`; empty where the graph does not say it."""
        numel = self.axes[axis].numel
        word = next((word for at in (None, numel) if (word := self.words.get(Coordinate(axis, 1, at), ""))), "")
        return meanings.SIZES[word].lower() if word else ""

    def _digits(self, axis: str) -> Digits | None:
        """The axis cut by every coordinate; where that does not nest, as the addresses alone cut it."""
        numel = self.axes[axis].numel
        told = self.found.digits.get(axis)
        if not isinstance(numel, int):
            return told
        whole = Digits.make(numel, self.by_axis.get(axis, ()))
        return whole if whole.nested else told

    # ------------------------------------------------------------ sizes

    def _name_sizes(self, axis: Axis) -> None:
        names, digits = self.names[axis.name], self.digits[axis.name]
        if isinstance(axis.numel, int):
            passed = names.numel if not axis.reduced else self.sources.of(axis, 1, axis.numel)
            self.sizes.add(names.numel.upper(), axis.numel, passed)
        if digits is not None and digits.nested and len(digits.parts) > 1:
            for stride, _ in digits.parts[:-1]:  # fastest first; the slowest gets its name where it is needed
                self._name_size(axis, stride)

    def _name_size(self, axis: Axis, stride: int) -> str:
        """The size of the digit that begins at a stride."""
        digits = self.digits[axis.name]
        assert digits is not None
        count = len(digits.parts)
        place = [start for start, _ in digits.parts].index(stride)
        level, size = count - 1 - place, digits.parts[place][1]
        index = self.names[axis.name].index
        if count == 2:
            words = ("COLUMNS", "ROWS") if index == "offset" else (f"{index.upper()}_INNER", f"{index.upper()}_OUTER")
            wanted = words[place]
        else:
            wanted = f"D{level}" if index == "offset" else f"{index.upper()}_D{level}"
        alone = Coordinate(axis.name, stride, None if place == count - 1 else size)
        wanted = meanings.SIZES.get(self.words.get(alone, ""), wanted)
        name = self.sizes.add(self.sizes.fresh(wanted), size, self.sources.of(axis, stride, size))
        self._sizes[axis.name, stride] = name
        return name

    def extent(self, coordinate: Coordinate, below: int | None = None) -> str:
        """How many values a coordinate takes, as a product of sizes; empty where they have no names.

        Args:
            below: Only its digits up to this number.
        """
        axis = self.axes.get(coordinate.axis)
        whole = self.found.extent(coordinate)
        if axis is None or whole is None or not isinstance(coordinate.stride, int):
            return ""
        if self.is_program(coordinate):
            return "tl.num_programs(0)" if below is None else ""
        wanted = whole if below is None else below
        if coordinate.stride == 1 and wanted == axis.numel:
            return self.names[axis.name].numel.upper()
        return self._product(axis, coordinate.stride, wanted)

    def _product(self, axis: Axis, start: int, size: int) -> str:
        """A number of consecutive positions as the product of the digits that it spans."""
        digits = self.digits[axis.name]
        spanned: list[int] = []
        product = 1
        for stride, count in digits.parts if digits is not None and digits.nested else ():
            if stride >= start and product < size:
                spanned.append(stride)
                product *= count
        if product != size or not spanned:
            return ""
        names = [self._sizes.get((axis.name, stride)) or self._name_size(axis, stride) for stride in spanned]
        return " * ".join(reversed(names))

    # ------------------------------------------------------------ names

    def _name(self, coordinates: list[Coordinate]) -> None:
        axis = self.axes[coordinates[0].axis]
        index = self.names[axis.name].index
        digits = self.digits[axis.name]
        rest = [c for c in coordinates if not self.spans_axis(c)]
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
            self.named[coordinate] = self.sizes.fresh(self.words.get(coordinate, wanted))

    def is_program(self, coordinate: Coordinate) -> bool:
        """True for the group of positions that a program has."""
        group = self.axes[coordinate.axis].group if coordinate.axis in self.axes else None
        return group is not None and (coordinate.stride, coordinate.size) == (group, None)

    def program(self, axis: Axis) -> str:
        """The name of the program along an axis of groups."""
        group = Coordinate(axis.name, axis.group or 1, None)
        if group not in self.named:
            self.named[group] = self.sizes.fresh("program")
        return self.named[group]

    def spans_axis(self, coordinate: Coordinate) -> bool:
        """True for the whole axis."""
        numel = self.axes[coordinate.axis].numel if coordinate.axis in self.axes else None
        return coordinate.stride == 1 and (coordinate.size is None or coordinate.size == numel)

    def name(self, coordinate: Coordinate) -> str:
        """The name of a coordinate, which then is set up."""
        if coordinate.axis not in self.axes:
            return f"{coordinate.axis}index"
        if self.spans_axis(coordinate):
            return self.names[coordinate.axis].index
        if self.is_program(coordinate):
            return self.program(self.axes[coordinate.axis])
        self.used.setdefault(coordinate.axis, {})[coordinate] = None
        if coordinate not in self.named:
            self.named[coordinate] = self.sizes.fresh(f"{self.names[coordinate.axis].index}_part")
        return self.named[coordinate]

    def lines(self, axis: Axis) -> list[str]:
        """What cuts an axis into the coordinates that were asked for."""
        return [f"{self.named[c]} = {self._divided(c)}" for c in self.used.get(axis.name, {})]

    def cut(self, coordinate: Coordinate) -> str:
        """How many positions it stays the same for, or after how many it begins anew."""
        return self._grouped(coordinate.axis, 1, coordinate.stride if coordinate.stride != 1 else coordinate.size or 1)

    def _divided(self, coordinate: Coordinate) -> str:
        text = self.names[coordinate.axis].index
        if coordinate.stride != 1:
            text += f" // {self._grouped(coordinate.axis, 1, coordinate.stride)}"
        if coordinate.size is not None:
            text += f" % {self._grouped(coordinate.axis, coordinate.stride, coordinate.size)}"
        return text

    def _grouped(self, axis: str, start: int | str, size: int | str) -> str:
        told = self._product(self.axes[axis], start, size) if isinstance(start, int) and isinstance(size, int) else ""
        text = told or self.renamed(str(size))
        return text if text.isidentifier() or text.isdigit() else f"({text})"
