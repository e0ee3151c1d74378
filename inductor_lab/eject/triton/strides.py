"""The numbers of a readable kernel's addresses by what they are: how far one step along a dimension goes, where a slice begins.

    row * (R * COLUMNS)        one row further is as far as all that the faster coordinates of this address span
    row * X_STRIDE_0           a stride of the tensor
    + 3 * X_STRIDE_0 + 32      a place in the tensor: along its dimensions

A number gets a name where one of these says that it must be this number; where it is only equal to one, it stays a number.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping

from inductor_lab.computation.index import Coordinate, Index
from inductor_lab.computation.records import Computation
from inductor_lab.eject.tensors import Tensor
from inductor_lab.eject.triton.coordinates import Coordinates
from inductor_lab.eject.triton.nouns import Sizes
from inductor_lab.eject.triton.patterns import Windows, walking

FEW = 8
"""A step is told as at most so many strides, and a place as at most so many along all but the last dimension."""

MANY = 3
"""Products of more sizes than this are told as the tensor's stride where they are one."""


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
        """(stride, dimension) of those that one can walk along, the widest first."""
        tensor = self.tensors.get(pointer)
        if tensor is None:
            return []
        pairs = enumerate(zip(tensor.told.stride, tensor.told.shape, strict=True))
        found = [(stride, place) for place, (stride, size) in pairs if isinstance(stride, int) and size != 1]
        return sorted((pair for pair in found if pair[0] > 1), key=lambda pair: -pair[0])

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
