"""Names the numbers that positions are compared with: a size by its name, as in `column < COLUMNS`.

    tl.device_assert(index < TABLE_ROWS)            the table's rows, and `index + TABLE_ROWS` for one that counts from the end
    left = column < A_COLUMNS                       what is read there has so many columns
    mean = total / R                                the sum of a row over its elements
    upper = lane >= LANES // 2                      half of a coordinate, where something is read half of it away

A number gets a name only where what is read or written under the comparison says so; an equal number elsewhere stays a number.
"""

from __future__ import annotations

from collections.abc import Iterator

from inductor_lab.computation.folds import conjuncts
from inductor_lab.computation.index import Coordinate, Index, inside
from inductor_lab.computation.records import Computation, pattern
from inductor_lab.computation.schedule import Access
from inductor_lab.computation.tree import Constant, Expression, Operation, Reduction, index_of, walk
from inductor_lab.eject.binding.tensors import Tensor
from inductor_lab.eject.printing.nouns import bare
from inductor_lab.eject.printing.patterns import partner_of
from inductor_lab.eject.printing.strides import Strides, walkable, word

Bound = tuple[Operation, int]
"""An operation, and which operand of it is the number."""
LONG = 10
"""Elements of a row from which its reciprocal is no other number by chance: 0.5 and 0.125 are."""


class Bounds:
    """What is known of one kernel's numbers."""

    def __init__(self, found: Computation, strides: Strides) -> None:
        self.found, self.windows = found, strides.windows
        self.tensors, self.coordinates, self.sizes = strides.tensors, strides.coordinates, strides.sizes
        self.numbers: dict[Bound, str] = {}
        """Operand -> the size that it is."""
        self.places: dict[tuple[str, Index], str] = {}
        """(pointer, address) -> what the constant of the address is, apart from its sign."""
        self.halves: dict[tuple[str, Index], str] = {}
        """(pointer, address) -> which half of a coordinate is read there, from the other one."""
        for access in found.accesses:
            self._gathered(access)
            self._partner(access)
        self._compared()
        self._averaged()

    # ------------------------------------------------------------ positions that are read from memory

    def _gathered(self, access: Access) -> None:
        """An index counts along one dimension: it is held to its size, and counted from its end where it is negative."""
        tensor = self.tensors.get(access.pointer)
        for term in access.index.terms if tensor is not None else ():
            if not isinstance(term.of, Expression) or term.sizes:
                continue
            assert tensor is not None
            places = [place for stride, place in walkable(tensor) if stride == term.factor]
            if len(places) != 1:
                continue
            index, size = bare(term.of), tensor.told.shape[places[0]]
            if not isinstance(size, int):
                continue
            unwrapped, said = _wrapped(index, size)
            for node in walk(
                *(check.condition for check in self.found.checks), *filter(None, (access.value, access.mask))
            ):
                if isinstance(node, Operation) and node.name == "lt" and bare(node.inputs[0]) in {index, unwrapped}:
                    said.append(((node, 1), size, "{}"))
            for (operation, place), number, text in said:
                if _number(operation.inputs[place]) == number:
                    self.numbers[operation, place] = text.format(self._size(tensor, places[0]))

    def _size(self, tensor: Tensor, place: int) -> str:
        rank, name = len(tensor.told.shape), tensor.capitals()
        windowed = place in self.windows.dimensions.get(tensor.parameter, ())
        wanted = (
            f"{name}_{word(place, tensor).upper()}S"
            if windowed
            else f"{name}_SIZE_{place}"
            if rank > 2
            else f"{name}_{('ROWS', 'COLUMNS')[place]}"
            if rank == 2
            else f"{name}_SIZE"
        )
        size = tensor.told.shape[place]
        assert isinstance(size, int)
        return self.sizes.named(wanted, size, f"{tensor.name}.shape[{place}]")

    # ------------------------------------------------------------ rows that are folded

    def _averaged(self) -> None:
        """A sum divided by the elements that it is of, and anything that is taken by the reciprocal of a long row's size."""
        axes = [axis for axis in self.found.schedule.axes if axis.reduced and isinstance(axis.numel, int)]
        names = {axis.name: self.coordinates.names[axis.name].numel.upper() for axis in axes}
        sizes = {axis.name: axis.numel for axis in axes}
        for node in walk(*(access.value for access in self.found.accesses if access.value is not None)):
            if not isinstance(node, Operation):
                continue
            if node.name == "div" and isinstance(folded := bare(node.inputs[0]), Reduction) and folded.name == "sum":
                for axis in folded.over & names.keys():
                    if len(folded.over) == 1 and _value(node.inputs[1]) == sizes[axis]:
                        self.numbers[node, 1] = names[axis]
            if node.name == "mul":
                for place, value in enumerate(node.inputs):
                    for axis, size in sizes.items():
                        if isinstance(size, int) and size >= LONG and _value(value) == 1 / size:
                            self.numbers[node, place] = f"1 / {names[axis]}"

    # ------------------------------------------------------------ coordinates

    def _compared(self) -> None:
        under: dict[Operation, list[Access]] = {}
        for access in self.found.accesses:
            for part in conjuncts(access.mask):
                if isinstance(part, Operation):
                    under.setdefault(part, []).append(access)
        split: dict[tuple[Coordinate, int], str] = {}
        """Where a coordinate is split -> what that number is."""
        waiting: list[tuple[Operation, Coordinate, int, list[Access]]] = []
        for operation, accesses in under.items():
            told = _limit(operation)
            if told is None:
                continue
            coordinate, step, shift, number = told
            if shift or step > 1:
                self._window(operation, coordinate, step, number, accesses)
                continue
            waiting.append((operation, coordinate, number, accesses))
            name = self._read_whole(operation, coordinate, number, accesses) or self._half(coordinate, number, accesses)
            if name and (coordinate, number) not in split:
                split[coordinate, number] = name
        for operation, coordinate, number, accesses in waiting:
            name = split.get((coordinate, number), "")
            if not name:
                continue
            self.numbers[operation, 1] = name
            for access in accesses:
                step = self._step(access.index, coordinate)
                if step == 1 and abs(access.index.constant) == number:
                    self.places[access.pointer, access.index] = name
                    if self.found.extent(coordinate) == 2 * number:
                        self.halves[access.pointer, access.index] = "upper" if access.index.constant > 0 else "lower"

    def _window(
        self, operation: Operation, coordinate: Coordinate, step: int, number: int, accesses: list[Access]
    ) -> None:
        """`2 * row - 1 < ROWS`: a window that reaches over the edge of what is read."""
        for tensor, place in self._walked(coordinate, accesses, step):
            if operation.name == "lt" and tensor.told.shape[place] == number:
                self.numbers[operation, 1] = self._size(tensor, place)

    def _read_whole(self, operation: Operation, coordinate: Coordinate, number: int, accesses: list[Access]) -> str:
        """The size of the dimension that is read from its beginning to its end below the number."""
        for tensor, place in self._walked(coordinate, [a for a in accesses if not a.index.constant]):
            if operation.name == "lt" and tensor.told.shape[place] == number:
                return self._size(tensor, place)
        return ""

    def _walked(self, coordinate: Coordinate, accesses: list[Access], step: int = 1) -> Iterator[tuple[Tensor, int]]:
        """The dimensions that a coordinate alone walks along, so many steps at once."""
        for access in accesses:
            tensor = self.tensors.get(access.pointer)
            told = pattern(self.found, access, tensor.told) if tensor is not None else None
            for place, dimension in enumerate(told or ()):
                if tensor is not None and dimension.coordinates == (coordinate,) and dimension.step == step:
                    yield tensor, place

    def _half(self, coordinate: Coordinate, number: int, accesses: list[Access]) -> str:
        """Half of a coordinate, where something is read half of it away."""
        if self.found.extent(coordinate) != 2 * number:
            return ""
        for access in accesses:
            if (step := self._step(access.index, coordinate)) and abs(access.index.constant) == step * number:
                below = self.coordinates.extent(coordinate, number)
                whole = self.coordinates.extent(coordinate)
                return below or (f"{_bracketed(whole)} // 2" if whole else "")
        return ""

    def _partner(self, access: Access) -> None:
        """What is read half a coordinate away, on either side."""
        for partner in filter(None, (partner_of(term.of) for term in access.index.terms)):
            self.halves[access.pointer, access.index] = "partner"
            if whole := self.coordinates.extent(partner.coordinate):
                half = self.coordinates.extent(partner.coordinate, partner.number) or f"{_bracketed(whole)} // 2"
                self.numbers[partner.test, 1] = self.numbers[partner.away, 1] = half
                self.numbers[partner.away, 2] = f"-{_bracketed(half)}"
                for node in walk(*(each.value for each in self.found.stores if each.value is not None)):
                    if isinstance(node, Operation) and node.name == "ge" and node.inputs == partner.test.inputs:
                        self.numbers[node, 1] = half

    def _step(self, index: Index, coordinate: Coordinate) -> int:
        """How far one step of a coordinate moves an address; 0 where that is not told."""
        for term in index.terms:
            if isinstance(term.of, Coordinate) and not term.sizes and (found := inside(coordinate, term.of)):
                return abs(term.factor) * found[0]
        return 0


def _bracketed(text: str) -> str:
    return text if text.isidentifier() else f"({text})"


def _value(value: Expression) -> int | float | None:
    """A number, whole or not."""
    value = bare(value)
    return value.value if isinstance(value, Constant) and not isinstance(value.value, bool) else None


def _number(value: Expression) -> int | None:
    number = _value(value)
    return number if isinstance(number, int) else None


def _wrapped(index: Expression, size: int) -> tuple[Expression, list[tuple[Bound, int, str]]]:
    """What an index is made of before it counted from the end where it is negative, `where(i < 0, i + SIZE, i)`, and before it was clamped,
    `maximum(-SIZE, minimum(SIZE - 1, i))`; with each operand that must then be a number, and the text for it.
    """
    match index:
        case Operation(
            name="where",
            inputs=(
                Operation(name="lt", inputs=(tested, zero)),
                Operation(name="add", inputs=(one, _)) as total,
                other,
            ),
        ) if _number(zero) == 0 and bare(tested) is bare(other) is bare(one):
            added: tuple[Bound, int, str] = ((total, 1), size, "{}")
            match inner := bare(one):
                case Operation(name="maximum", inputs=(_, Operation(name="minimum", inputs=(_, held)) as least)):
                    return bare(held), [added, ((least, 0), size - 1, "{} - 1"), ((inner, 0), -size, "-{}")]
            return inner, [added]
    return index, []


def _limit(operation: Operation) -> tuple[Coordinate, int, int, int] | None:
    """(coordinate, its factor, what is added to it, the number that this is compared with) of `coordinate < number` and `>=`."""
    if operation.name not in {"lt", "ge"} or len(operation.inputs) != 2:
        return None
    number, index = _number(operation.inputs[1]), index_of(bare(operation.inputs[0]))
    if number is None or number < 2 or len(index.terms) != 1:
        return None
    term = index.terms[0]
    if term.factor < 1 or term.sizes or not isinstance(term.of, Coordinate):
        return None
    return term.of, term.factor, index.constant, number
