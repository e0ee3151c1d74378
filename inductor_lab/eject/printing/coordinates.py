"""Splits a flat axis of a readable kernel into coordinates, such as `row` and `column`, by `(axis // stride) % size`.

    row = offset // COLUMNS, column = offset % COLUMNS              two digits
    plane = offset // (ROWS * COLUMNS), row = offset // COLUMNS % ROWS    three
    channel = offset // PIXELS % CHANNELS                            where the graph says what they are (`dimension_names`)

The launcher takes each size from the tensor whose dimension the coordinate walks along.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence

from inductor_lab.computation.index import Coordinate, behind
from inductor_lab.computation.records import Computation, Pattern, pattern
from inductor_lab.computation.schedule import Assert, Axis, Define, Effect, Loop
from inductor_lab.computation.space import Digits
from inductor_lab.eject.binding.tensors import Tensor
from inductor_lab.eject.graph import dimension_names
from inductor_lab.eject.printing.nouns import Names, Sizes

NESTED = ("column", "row", "plane", "volume")
"""What the digits of a flat loop are called, the fastest first, where nothing else is known of them."""


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
        self.digits = {axis: self._digits(axis) for axis in self.axes}
        self.words = self._words()
        """What a coordinate walks along, where the graph says what the dimensions are."""
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
        """Of every coordinate and every digit; one that tensors call otherwise, or a word for several of them, tells nothing."""
        asked = {self._plain(coordinate) for coordinates in self.by_axis.values() for coordinate in coordinates}
        for axis, digits in self.digits.items():
            asked |= {self._plain(Coordinate(axis, *part)) for part in (digits.parts if digits is not None else ())}
        found: dict[Coordinate, str] = {}
        for coordinate in asked:
            extent = self.found.extent(coordinate)
            if extent is None or not isinstance(coordinate.stride, int):
                continue
            words = {
                tuple(tensor.dimensions[place] for place in run)
                for tensor, run in self.sources.runs(coordinate.axis, coordinate.stride, extent)
                if tensor.dimensions
            }
            told = words.pop() if len(words) == 1 else ()
            found[coordinate] = told[0] if len(told) == 1 else dimension_names.TOGETHER.get(told, "")
        said = Counter(found.values())
        return {coordinate: word for coordinate, word in found.items() if word and said[word] == 1}

    def _plain(self, coordinate: Coordinate) -> Coordinate:
        """A coordinate without a size that ends where its axis does."""
        numel = self.axes[coordinate.axis].numel
        numbers = isinstance(coordinate.size, int) and isinstance(coordinate.stride, int) and isinstance(numel, int)
        last = numbers and coordinate.stride * coordinate.size >= numel  # type: ignore[operator]
        return Coordinate(coordinate.axis, coordinate.stride, None) if last else coordinate

    def word_of(self, axis: str) -> str:
        """What a whole axis walks along: `channels`; empty where the graph does not say it."""
        word = self.words.get(Coordinate(axis, 1, None), "")
        return dimension_names.SIZES[word].lower() if word else ""

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
        place = [start for start, _ in digits.parts].index(stride)
        size = digits.parts[place][1]
        word = self._word(axis.name, place)
        wanted = dimension_names.SIZES.get(word, word.upper())
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
            if self._plain(coordinate) in self.words:
                wanted = self.words[self._plain(coordinate)]
            elif parts:
                wanted = self._spanning(axis.name, [stride for stride, _, _ in parts])
            elif index == "offset" and coordinate in (nested := _nested(rest)):
                wanted = NESTED[nested.index(coordinate)]
            elif len(nested := _nested(rest)) == 2:
                wanted = f"{index}_{('inner', 'outer')[nested.index(coordinate)]}"
            else:
                wanted = f"{index}_d{rest.index(coordinate)}"
            self.named[coordinate] = self.sizes.fresh(wanted)

    def _word(self, axis: str, place: int) -> str:
        """What one digit is called, counted from the fastest."""
        digits, index = self.digits[axis], self.names[axis].index
        assert digits is not None
        words = [self.words.get(self._plain(Coordinate(axis, *part)), "") for part in digits.parts]
        level = len(words) - 1 - place
        if words[place]:
            return words[place]
        if index != "offset":
            return f"{index}_{('inner', 'outer')[place]}" if len(words) == 2 else f"{index}_d{level}"
        unknown = words[:place].count("")
        free = [word for word in NESTED if word not in words]
        return free[unknown] if unknown < len(free) and self._is_nested(axis) else f"d{level}"

    def _is_nested(self, axis: str) -> bool:
        """Whether the digits of an axis are a row and a column, or each a dimension of a tensor and no part of one."""
        digits = self.digits[axis]
        parts = digits.parts[:-1] if digits is not None else ()
        return len(parts) == 1 or not any(self.sources.of(self.axes[axis], *part).isdigit() for part in parts)

    def _spanning(self, axis: str, strides: Sequence[int]) -> str:
        """What a coordinate of one digit or several is called: `flat_row` of all planes, `in_plane` of the row and the column there."""
        digits = self.digits[axis]
        assert digits is not None
        order = [stride for stride, _ in digits.parts]
        first, last = order.index(min(strides)), order.index(max(strides))
        word = self._word(axis, first)
        if first == last:
            return word
        if not (self._is_nested(axis) and self.names[axis].index == "offset"):
            levels = [len(order) - 1 - place for place in range(last, first - 1, -1)]
            said = "".join(map(str, levels)) if len(levels) < 3 else f"{levels[0]}_to_{levels[-1]}"
            return f"d{said}" if self.names[axis].index == "offset" else f"{self.names[axis].index}_d{said}"
        if last == len(order) - 1:
            return f"flat_{word}"
        around = self._word(axis, last + 1)
        return f"in_{around}" if first == 0 else f"{word}_in_{around}"

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

    def statements(self, axis: Axis, position: str = "") -> list[tuple[str, str]]:
        """The coordinates that an axis was asked for, each a name and what it is.

        Args:
            position: What is cut into them, where it is not the axis' own position.
        """
        position = position or self.names[axis.name].index
        return [(self.named[c], self._divided(c, position)) for c in self.used.get(axis.name, {})]

    def cut(self, coordinate: Coordinate) -> str:
        """How many positions it stays the same for, or after how many it begins anew."""
        return self._grouped(coordinate.axis, 1, coordinate.stride if coordinate.stride != 1 else coordinate.size or 1)

    def _divided(self, coordinate: Coordinate, text: str) -> str:
        if coordinate.stride != 1:
            text += f" // {self._grouped(coordinate.axis, 1, coordinate.stride)}"
        if coordinate.size is not None:
            text += f" % {self._grouped(coordinate.axis, coordinate.stride, coordinate.size)}"
        return text

    def _grouped(self, axis: str, start: int | str, size: int | str) -> str:
        told = self._product(self.axes[axis], start, size) if isinstance(start, int) and isinstance(size, int) else ""
        text = told or self.renamed(str(size))
        return text if text.isidentifier() or text.isdigit() else f"({text})"


def _nested(coordinates: Sequence[Coordinate]) -> list[Coordinate]:
    """Coordinates whose sizes tell no digits in the order of an axis, the fastest first; none where that is not sure."""
    first = [c for c in coordinates if c.stride == 1 and c.size is not None]
    last = [c for c in coordinates if c.stride != 1 and c.size is None]
    between = [c for c in coordinates if c.stride != 1 and c.size is not None]
    return (
        [*first, *between, *last] if len(first) == 1 >= max(len(last), len(between)) and (last or not between) else []
    )


# ------------------------------------------------------------ where a launcher finds each size


class Sources:
    """The tensors of one kernel, by what walks along their dimensions."""

    def __init__(self, found: Computation, tensors: Mapping[str, Tensor]) -> None:
        self.found, self.tensors = found, tensors
        self.patterns = list(self._patterns())
        """Each access of a tensor, told by its dimensions."""

    def _patterns(self) -> Iterator[tuple[Tensor, Pattern]]:
        for access in self.found.accesses:
            tensor = self.tensors.get(access.pointer)
            told = pattern(self.found, access, tensor.told) if tensor is not None else None
            if tensor is not None and told is not None:
                yield tensor, told

    def of(self, axis: Axis, stride: int, size: int) -> str:
        """Where the launcher finds a size: in a tensor's shape; else the number itself."""
        runs = list(self.runs(axis.name, stride, size))
        for tensor, run in runs:
            if len(run) == 1:
                return f"{tensor.name}.shape[{run[0]}]"
        if not axis.reduced and stride == 1 and size == axis.numel:
            written = {access.pointer for access in self.found.stores}
            for _, tensor in sorted(self.tensors.items(), key=lambda item: item[0] not in written):
                if tensor.told == tensor.type and tensor.numel() == size:
                    return f"{tensor.name}.numel()"
        for tensor, run in runs:
            return " * ".join(f"{tensor.name}.shape[{place}]" for place in run)
        return str(size)

    def runs(self, axis: str, stride: int, size: int) -> Iterator[tuple[Tensor, list[int]]]:
        """The dimensions that so many positions of an axis are, one step each so many positions: one, or several around each other."""
        for tensor, told in self.patterns:
            for coordinate, places in _walked(told).items():
                if coordinate.axis == axis and (run := _run(tensor, coordinate, places, stride, size)):
                    yield tensor, run


def _walked(told: Pattern) -> dict[Coordinate, list[int]]:
    """The dimensions that each coordinate walks along from their beginning, step by step."""
    walked: dict[Coordinate, list[int]] = {}
    for place, dimension in enumerate(told):
        for coordinate in dimension.coordinates:
            walked.setdefault(coordinate, []).append(place)
    return {
        coordinate: places
        for coordinate, places in walked.items()
        if all(told[place].start == 0 for place in places) and any(abs(told[place].step) == 1 for place in places)
    }


def _run(tensor: Tensor, coordinate: Coordinate, places: list[int], stride: int, size: int) -> list[int]:
    """Those of a coordinate's dimensions that a digit of its axis is: one, or several around each other."""
    shape, strides = tensor.told.shape, tensor.told.stride
    steps = {place: step for place in places if isinstance(step := strides[place], int) and step > 0}
    if not isinstance(coordinate.stride, int) or len(steps) < len(places):
        return []
    found: list[int] = []
    product, least = 1, min(steps.values())
    for place in sorted(places, key=steps.__getitem__):
        extent = shape[place]
        if isinstance(extent, int) and product < size and coordinate.stride * (steps[place] // least) >= stride:
            if not found and coordinate.stride * (steps[place] // least) != stride:
                return []
            found.append(place)
            product *= extent
    return sorted(found) if product == size else []
