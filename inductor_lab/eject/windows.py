"""The places of a window, as pooling reads them: told apart by the row and the column of the window that each is at.

    x[2 * row - 1, 2 * column - 1]     x_at_0_0       the loads of one tensor go along the same coordinates, and their constants
    x[2 * row - 1, 2 * column]         x_at_0_1       are every row of a few with every column of a few

The tests of the edges are called after the places that they guard: `inside_row_0`, `inside_column_2`, and `inside_0_2` for both.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from math import prod

from inductor_lab.computation.index import Index, Term
from inductor_lab.computation.schedule import Access
from inductor_lab.computation.tree import Expression, Load, Operation
from inductor_lab.eject.binding.tensors import Tensor

MOST = 16
"""A window is at most so wide along a dimension."""
WORDS = {1: "column", 2: "row", 3: "depth"}
"""What a dimension of an image is called, counted from the last."""

Address = tuple[str, Index]
Place = tuple[int, ...]
"""Along each dimension of the window."""


class Windows:
    """The windows of one kernel."""

    def __init__(self, loads: Iterable[Access], tensors: Mapping[str, Tensor]) -> None:
        self.tensors = tensors
        self.places: dict[Address, Place] = {}
        """Where in its window each load is."""
        self.dimensions: dict[str, tuple[int, ...]] = {}
        """Pointer -> the dimensions of the tensor that its window goes along."""
        self.sliding: set[str] = set()
        """Those whose window coordinates move; of the others it is all that there is along its dimensions."""
        loads = list(loads)
        groups: dict[tuple[str, tuple[Term, ...]], set[int]] = {}
        for access in loads:
            groups.setdefault((access.pointer, access.index.terms), set()).add(access.index.constant)
        for (pointer, terms), constants in groups.items():
            if sum(known == pointer for known, _ in groups) == 1 and pointer in tensors:
                self._window(pointer, terms, constants)
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
        found: set[str] = set()
        waiting, seen = [value] if self.places else [], set()
        while waiting and len(found) < 2:
            node = waiting.pop()
            if node in seen:
                continue
            seen.add(node)
            if isinstance(node, Load):
                found.add(self.role(node.pointer, node.index) if node.index is not None else "")
            else:
                waiting.extend(node.operands)
        return found.pop() if len(found) == 1 else ""

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
        """What tells each load from the others of its window."""
        return {address: self.role(*address) for address in self.places}

    def role(self, pointer: str, index: Index) -> str:
        """What tells one load from the others of its window: `at_0_2`; empty for a load of none."""
        place = self.places.get((pointer, index))
        return f"at_{'_'.join(map(str, place))}" if place is not None else ""


def word(place: int, tensor: Tensor) -> str:
    """`row`, `column`: what a dimension of an image is called."""
    return WORDS.get(len(tensor.told.shape) - place, f"d{place}")


def _steps(offset: int, tensor: Tensor) -> Place:
    """An offset from the first place of a window in steps along each dimension; empty where it is none."""
    pairs = enumerate(zip(tensor.told.stride, tensor.told.shape, strict=True))
    found = [0] * len(tensor.told.shape)
    known = [(stride, n) for n, (stride, size) in pairs if isinstance(stride, int) and stride > 0 and size != 1]
    for stride, n in sorted(known, reverse=True):
        found[n], offset = divmod(offset, stride)
    return tuple(found) if not offset and max(found, default=MOST) < MOST else ()


def _conjunctions(mask: Expression | None) -> list[Expression]:
    """A mask and what it is made of, where both of two things must hold."""
    match mask:
        case Operation(name="and", inputs=(left, right)):
            return [mask, *_conjunctions(left), *_conjunctions(right)]
    return [mask] if isinstance(mask, Operation) else []
