"""Names the numbers in a readable kernel's addresses: strides, and where a slice begins.

    row * (R * COLUMNS)        one row further is as far as all that the faster coordinates of this address span
    row * X_STRIDE_0           a stride of the tensor
    + 3 * X_STRIDE_0 + 32      a place in the tensor: along its dimensions

A number gets a name where one of these says that it must be this number; where it is only equal to one, it stays a number.

A pooling window: the loads of one tensor go along the same coordinates, and their constants are every row of a few with every column of a few.
The tests of the edges are called after the places that they guard: `inside_row_0`, `inside_column_2`, and `inside_0_2` for both.

    x[2 * row - 1, 2 * column - 1]             x_at_0_0
    x[2 * row - 1, 2 * column]                 x_at_0_1
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from math import prod

from inductor_lab.computation.index import Coordinate, Index, Term
from inductor_lab.computation.records import Computation
from inductor_lab.computation.schedule import Access
from inductor_lab.computation.tree import Expression, Load, Operation, walk
from inductor_lab.eject.binding.tensors import Tensor
from inductor_lab.eject.printing.coordinates import Coordinates
from inductor_lab.eject.printing.nouns import Address, Sizes
from inductor_lab.eject.printing.patterns import walking

FEW = 8
"""A step is told as at most so many strides, and a place as at most so many along all but the last dimension."""

MANY = 3
"""Products of more sizes than this are told as the tensor's stride where they are one."""


def walkable(tensor: Tensor) -> list[tuple[int, int]]:
    """(stride, dimension) of the dimensions of more than one place, the widest stride first."""
    pairs = enumerate(zip(tensor.told.stride, tensor.told.shape, strict=True))
    found = [(stride, place) for place, (stride, size) in pairs if isinstance(stride, int) and stride > 0 and size != 1]
    return sorted(found, key=lambda pair: -pair[0])


class Strides:
    """The steps and places of one kernel's addresses."""

    def __init__(
        self,
        found: Computation,
        tensors: Mapping[str, Tensor],
        coordinates: Coordinates,
        sizes: Sizes,
        windows: Windows,
    ) -> None:
        self.windows = windows
        self.tensors, self.coordinates, self.sizes = tensors, coordinates, sizes
        self.extent: Callable[[Coordinate], int | None] = found.extent
        self.beside: dict[str, list[Index]] = {}
        """Pointer -> all its addresses."""
        for access in found.accesses:
            self.beside.setdefault(access.pointer, []).append(access.index)

    def step(self, value: int, index: Index, pointer: str) -> str:
        """How far one step of a coordinate goes: a product of sizes, or some steps along a dimension of the tensor.

        Args:
            index: The address that it stands in.
            pointer: Empty for a position that is no address.
        """
        spanned = self._spanned(value, index, "")
        if spanned and spanned.count("*") < MANY:
            return spanned
        return (
            self._along(value, pointer, 1)
            or spanned
            or self._spanned(value, index, pointer)
            or self._along(value, pointer)
            or str(value)
        )

    def _along(self, value: int, pointer: str, most: int = FEW) -> str:
        """A few steps along a dimension of the tensor."""
        for stride, place in self._dimensions(pointer):
            if value % stride == 0 and value // stride <= most:
                name = self._stride(stride, place, pointer)
                return name if value == stride else f"{value // stride} * {name}"
        return ""

    def _spanned(self, value: int, index: Index, pointer: str) -> str:
        """What the faster coordinates of an address span together, where that is the number.

        Args:
            pointer: The tensor whose strides may be part of it.
        """
        for term in index.terms:
            coordinate = walking(term.of)
            extent = self.extent(coordinate) if coordinate is not None and not term.sizes else None
            if coordinate is None or extent is None or extent < 2:
                continue
            if abs(term.factor) * extent != value:
                continue
            step = abs(term.factor)
            inner = self._spanned(step, index, pointer) or self._along(step, pointer, 1) if step != 1 else ""
            size = self.coordinates.extent(coordinate)
            if size and (inner or step == 1):
                return f"{size} * {inner}" if inner else size
        return ""

    def _dimensions(self, pointer: str) -> list[tuple[int, int]]:
        """(stride, dimension) of those that one can walk along in steps of more than an element, the widest first."""
        tensor = self.tensors.get(pointer)
        return [pair for pair in walkable(tensor) if pair[0] > 1] if tensor is not None else []

    def _stride(self, value: int, place: int, pointer: str) -> str:
        """One step along a dimension: what another address of the tensor spans, if that is short, or the tensor's own stride."""
        for index in self.beside.get(pointer, ()):
            spanned = self._spanned(value, index, "")
            if spanned and spanned.count("*") < 2:
                return spanned
        tensor = self.tensors[pointer]
        return self.sizes.named(f"{tensor.capitals()}_STRIDE_{place}", value, f"{tensor.name}.stride({place})")

    def place(self, value: int, index: Index, pointer: str) -> str:
        """Where an address begins: at the end of what is walked backwards, or along the tensor's dimensions; else the number itself."""
        if (pointer, index) in self.windows.places and pointer in self.windows.sliding:
            return self._around(value, pointer)
        return self._end(value, index, pointer) or self._rows(value, index) or self._inside(value, index, pointer)

    def _rows(self, value: int, index: Index) -> str:
        """Behind one or more rows for each program, where an address has the program in it."""
        for term in index.terms:
            if isinstance(term.of, Coordinate) and self.coordinates.is_program(term.of):
                rows, whole = divmod(value, abs(term.factor) * (self.extent(term.of) or value + 1))
                told = "" if whole or not rows else self._spanned(value // rows, index, "")
                if told:
                    return told if rows == 1 else f"{rows} * {told}"
        return ""

    def _around(self, value: int, pointer: str) -> str:
        """A place of a window in steps from the one that its coordinates name, back along one dimension and on along another."""
        text, rest = "", value
        for stride, dimension in (*self._dimensions(pointer), (1, -1)):
            steps = (2 * rest + stride) // (2 * stride)
            rest -= steps * stride
            if not steps:
                continue
            name = self._stride(stride, dimension, pointer) if stride > 1 else ""
            step = f"{abs(steps)} * {name}" if name and abs(steps) > 1 else name or str(abs(steps))
            text = f"{text} {'-' if steps < 0 else '+'} {step}" if text else step if steps > 0 else f"-{step}"
        return text

    def _end(self, value: int, index: Index, pointer: str) -> str:
        """The last place of the one coordinate that is walked backwards."""
        back = [term for term in index.terms if term.factor < 0]
        if len(back) != 1 or back[0].sizes or not isinstance(back[0].of, Coordinate):
            return ""
        extent, step = self.extent(back[0].of), -back[0].factor
        size = self.coordinates.extent(back[0].of) if extent and value == (extent - 1) * step else ""
        if not size or step == 1:
            return f"{size} - 1" if size else ""
        told = self.step(step, index, pointer)
        return f"({size} - 1) * {told if told.isidentifier() else f'({told})'}"

    def _inside(self, value: int, index: Index, pointer: str) -> str:
        parts, rest = [], value
        for stride, dimension in self._dimensions(pointer):
            steps, after = divmod(rest, stride)
            if steps > FEW:
                return str(value)
            if steps:
                name = self._stride(stride, dimension, pointer)
                parts.append(name if steps == 1 else f"{steps} * {name}")
                rest = after
        if rest:
            parts.append(self._part(rest, index, pointer) or str(rest))
        return " + ".join(parts) if parts else str(value)

    def _part(self, value: int, index: Index, pointer: str) -> str:
        """The beginning of one of the equal parts that a row is cut into, where a coordinate walks along one of them."""
        tensor = self.tensors.get(pointer)
        for term in index.terms if tensor is not None else ():
            extent = self.extent(term.of) if isinstance(term.of, Coordinate) and not term.sizes else None
            if not isinstance(term.of, Coordinate) or extent is None or term.factor != 1 or value % extent:
                continue
            assert tensor is not None
            rows = [size for size, stride in zip(tensor.told.shape, tensor.told.stride, strict=True) if stride == 1]
            whole = [size for size in rows if isinstance(size, int) and value < size and size % extent == 0]
            if extent > 1 and whole and value // extent <= FEW and (size := self.coordinates.extent(term.of)):
                parted = size if size.isidentifier() else f"({size})"
                return parted if value == extent else f"{value // extent} * {parted}"
        return ""


# ------------------------------------------------------------ several loads of one tensor

MOST = 16
"""A window is at most so wide along a dimension."""
WORDS = {1: "column", 2: "row", 3: "depth"}
"""What a dimension of an image is called, counted from the last."""
Place = tuple[int, ...]
"""Along each dimension of the window."""


class Windows:
    """The loads of one kernel that differ in their constant alone: a window, or places along one dimension."""

    def __init__(self, loads: Iterable[Access], tensors: Mapping[str, Tensor]) -> None:
        self.tensors = tensors
        self.places: dict[Address, Place] = {}
        """Where in its window each load is."""
        self.dimensions: dict[str, tuple[int, ...]] = {}
        """Pointer -> the dimensions of the tensor that its window goes along."""
        self.along: dict[Address, int] = {}
        """Which place along the one dimension each of several loads is at."""
        self.sliding: set[str] = set()
        """Those whose window coordinates move; of the others it is all that there is along its dimensions."""
        loads = list(loads)
        groups: dict[tuple[str, tuple[Term, ...]], set[int]] = {}
        for access in loads:
            groups.setdefault((access.pointer, access.index.terms), set()).add(access.index.constant)
        for (pointer, terms), constants in groups.items():
            if sum(known == pointer for known, _ in groups) == 1 and pointer in tensors:
                self._window(pointer, terms, constants)
                self._one_dimension(pointer, terms, constants)
        self.tests = self._tests(loads)
        """Masks of one row, one column or one place of a window -> their names."""

    def _window(self, pointer: str, terms: tuple[Term, ...], constants: set[int]) -> None:
        tensor = self.tensors[pointer]
        steps = {constant: _steps(constant - min(constants), tensor) for constant in constants}
        if not all(steps.values()):
            return
        along = [sorted({step[place] for step in steps.values()}) for place in range(len(tensor.told.shape))]
        wide = tuple(place for place, found in enumerate(along) if len(found) > 1)
        if len(wide) < 2 or prod(map(len, along)) != len(constants):
            return
        self.dimensions[pointer] = wide
        walked = [_steps(abs(term.factor), tensor) for term in terms]
        if any(steps[place] for steps in walked for place in wide if steps):
            self.sliding.add(pointer)
        for constant, step in steps.items():
            self.places[pointer, Index(constant, terms)] = tuple(along[place].index(step[place]) for place in wide)

    def _one_dimension(self, pointer: str, terms: tuple[Term, ...], constants: set[int]) -> None:
        """Several loads along a dimension at whose stride nothing else walks."""
        type_ = self.tensors[pointer].type
        if len(constants) < 2 or min(constants) < 0:
            return
        for stride, size in zip(type_.stride, type_.shape, strict=True):
            if not isinstance(stride, int) or not isinstance(size, int) or stride < 1 or size < 2:
                continue
            walks = any(abs(term.factor) == stride for term in terms)
            if not walks and all(constant % stride == 0 and constant // stride < size for constant in constants):
                self.along |= {(pointer, Index(constant, terms)): constant // stride for constant in constants}
                return

    def _tests(self, loads: Iterable[Access]) -> dict[Expression, str]:
        guarded: dict[Expression, set[tuple[str, Place]]] = {}
        for access in loads:
            place = self.places.get((access.pointer, access.index))
            if place is None:
                continue
            for test in _conjunctions(access.mask):
                guarded.setdefault(test, set()).add((access.pointer, place))
        return {
            test: name
            for test, places in guarded.items()
            if len({pointer for pointer, _ in places}) == 1 and (name := self._test(places))
        }

    def _test(self, places: set[tuple[str, Place]]) -> str:
        """The name of what all these places have in common; empty for nothing."""
        pointer = next(pointer for pointer, _ in places)
        along = [{place[n] for _, place in places} for n in range(len(self.dimensions[pointer]))]
        common = [(n, min(found)) for n, found in enumerate(along) if len(found) == 1]
        if len(common) == len(along):
            return "inside_" + "_".join(str(number) for _, number in common)
        if len(common) != 1:
            return ""
        n, number = common[0]
        return f"inside_{word(self.dimensions[pointer][n], self.tensors[pointer])}_{number}"

    def of(self, value: Expression) -> str:
        """The role of the one place that a value is made of; empty where it is of several, or of none."""
        if not self.places:
            return ""
        found: set[str] = set()
        for node in walk(value, parts=lambda node: () if isinstance(node, Load) else node.operands):
            if isinstance(node, Load):
                found.add(self.role(node.pointer, node.index) if node.index is not None else "")
                if len(found) > 1:
                    return ""
        return found.pop() if found else ""

    def remark(self) -> str:
        """What the names of the places mean: `x_at_0_1` for the first tensor of which a window is read."""
        for pointer, wide in self.dimensions.items():
            tensor = self.tensors[pointer]
            name = f"{tensor.name}_at_{'_'.join(str(min(number, 1)) for number in range(len(wide)))}"
            if pointer not in self.sliding:
                return (
                    f"{name} is read at {' and '.join(f'{min(n, 1)} along dimension {d}' for n, d in enumerate(wide))}."
                )
            at = ", ".join(f"{word(place, tensor)} {min(number, 1)}" for number, place in enumerate(wide))
            return f"{name} is read at {at} of the window."
        return ""

    def roles(self) -> dict[Address, str]:
        """What tells the loads of one tensor from each other: `at_0_2` in a window, `at_2` along one dimension."""
        along = {address: f"at_{place}" for address, place in self.along.items()}
        return along | {address: self.role(*address) for address in self.places}

    def role(self, pointer: str, index: Index) -> str:
        """What tells one load from the others of its window: `at_0_2`; empty for a load of none."""
        place = self.places.get((pointer, index))
        return f"at_{'_'.join(map(str, place))}" if place is not None else ""


def word(place: int, tensor: Tensor) -> str:
    """`row`, `column`: what a dimension of an image is called."""
    return WORDS.get(len(tensor.told.shape) - place, f"d{place}")


def _steps(offset: int, tensor: Tensor) -> Place:
    """An offset from the first place of a window in steps along each dimension; empty where it is none."""
    found = [0] * len(tensor.told.shape)
    for stride, place in walkable(tensor):
        found[place], offset = divmod(offset, stride)
    return tuple(found) if not offset and max(found, default=MOST) < MOST else ()


def _conjunctions(mask: Expression | None) -> list[Expression]:
    """A mask and what it is made of, where both of two things must hold."""
    match mask:
        case Operation(name="and", inputs=(left, right)):
            return [mask, *_conjunctions(left), *_conjunctions(right)]
    return [mask] if isinstance(mask, Operation) else []
