"""A flat kernel whose thread takes VEC elements: what is one for all of them and what they load first, then each, then what they store.

const int first = (blockIdx.x * blockDim.x + threadIdx.x) * VEC;
const int column = first % COLUMNS;                    VEC divides COLUMNS, or the launcher takes one element at a time
const auto x_pack = load<VEC>(x_ptr + first);
Pack<float, VEC> out_pack;
for (int k = 0; k < VEC; ++k) out_pack[k] = x_pack[k] * float(column + k);
store(out_ptr + first, out_pack);
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence

from inductor_lab.computation.schedule import Access, Assert, Define, Effect
from inductor_lab.eject.cuda.axes import coordinates
from inductor_lab.eject.cuda.code import SUM, Code
from inductor_lab.eject.cuda.pack_lines import PackLines
from inductor_lab.eject.cuda.packs import Packs
from inductor_lab.eject.cuda.page import Page, Place, place_of
from inductor_lab.eject.cuda.shapes import seen
from inductor_lab.eject.cuda.signature import index_type
from inductor_lab.eject.cuda.statements import Statements
from inductor_lab.eject.refusal import UnprintableError


class Packed:
    """The body of one kernel.

    Args:
        places: What is accessed for all of a thread's elements at once.
    """

    def __init__(self, page: Page, packs: Packs, places: Mapping[Place, Access]) -> None:
        self.page, self.packs, self.axis, self.places = page, packs, packs.axis, places
        self.names = page.layout.names[self.axis.name]
        self.kind = index_type(page)
        self.statements = Statements(page, page.found.schedule)
        every = page.layout.coordinates.by_axis.get(self.axis.name, ())
        self.whole = [coordinate for coordinate in every if packs.whole(coordinate)]
        self.cut = {c: page.layout.coordinates.name(c) for c in every if packs.cut(c)}
        """Coordinates whose value for the first element tells all the others', and their names."""
        self.lined = PackLines(page, self.statements, places)
        self.left = self.lined.left = "" if self.cut else f", {self.names.numel} - first"
        """How many elements there are still; where positions are cut, whole packs of them."""
        self.checked: set[int] = set()
        """Lines whose checks were printed."""

    def lines(self) -> list[str]:
        """The statements.

        Raises:
            UnprintableError: a step has no form here.
        """
        head, loop, tail = self._head(), self._loop(), self._tail()
        of_first = [line for line in self._coordinates([*head, *loop, *tail]) if _name(line) in self.cut.values()]
        self.page.divided = self.packs.divided(self._sizes({_name(line) for line in of_first}), self.places)
        self.page.helpers = {"Pack": None, **({"to_the_end": None} if self.left else {}), **self.page.helpers}
        wide = "int64_t(blockIdx.x)" if self.kind == "int64_t" else "blockIdx.x"
        return [
            f"const {self.kind} first = ({wide} * blockDim.x + threadIdx.x) * VEC;",
            f"if (first >= {self.names.numel}) return;",
            *(re.sub(rf"\b{self.names.index}\b", "first", line) for line in of_first),
            *head,
            "#pragma unroll",
            "for (int k = 0; k < VEC; ++k) {",
            *("    " + line for line in self._each(loop)),
            "}",
            *tail,
        ]

    def _sizes(self, said: set[str]) -> list[str]:
        """What the axis is cut by, of the coordinates that the text says."""
        cut = self.page.layout.coordinates.cut
        return [
            *(cut(coordinate) for coordinate, name in self.cut.items() if name in said),
            *([self.names.numel] if self.cut else []),
        ]

    def _coordinates(self, lines: Sequence[str]) -> list[str]:
        return coordinates(self.page, self.axis, lines)

    # ------------------------------------------------------------ before the elements

    def _head(self) -> list[str]:
        """What is one for all elements, and what they load, in the order of the text."""
        page, made = self.page, set[Place]()
        page.lines, page.moved = [], dict.fromkeys(self.whole, Code("first"))
        for step in page.found.schedule.steps:
            match step:
                case Define(values=values, loads=loads):
                    self.statements.define(step, [value for value in map(seen, values) if self.packs.shared(value)])
                    for access in loads:
                        if (place := place_of(access)) in page.packs and place not in made:
                            made.add(place)
                            self._load(place)
                case Assert(check=check) if self.packs.shared(check.condition):
                    self.checked.add(check.line)
                    self.statements.check(step)
        for place in self.places:
            if place not in made:
                page.emit(f"{self.lined.type(place)} {page.packs[place]};")
        return page.lines

    def _load(self, place: Place) -> None:
        kind = "auto" if place in self.lined.stored else "const auto"
        self.page.emit(f"{kind} {self.page.packs[place]} = {self.lined.loaded(place)};")

    # ------------------------------------------------------------ each element

    def _loop(self) -> list[str]:
        """What is computed for one of them."""
        page = self.page
        page.lines = []
        page.moved = {c: Code(f"{name} + k", SUM) for c, name in self.cut.items() if self.packs.along(c)}
        outer, taken = dict(page.bound), set(page.layout.taken)
        for step in page.found.schedule.steps:
            match step:
                case Define():
                    self.statements.define(step)
                case Effect(access=access):
                    self.statements.store(access)
                case Assert(check=check) if check.line not in self.checked:
                    self.statements.check(step)
                case Assert():
                    pass
                case _:
                    raise UnprintableError(f"a {type(step).__name__.lower()} in a kernel that folds nothing")
        page.bound = outer
        page.layout.forget(taken)
        return page.lines

    def _each(self, loop: Sequence[str]) -> list[str]:
        """The elements' own positions before what is computed for them."""
        index, numel = self.names.index, self.names.numel
        inner = [*(line for line in self._coordinates(loop) if _name(line) not in self.cut.values()), *loop]
        used = re.search(rf"\b{index}\b", "\n".join(inner))
        if not self.left:
            return [f"const {self.kind} {index} = first + k;", *inner] if used else inner
        if all(place_of(store) in self.places for store in self.page.found.stores):
            # what is stored twice is the same
            return [f"const {self.kind} {index} = min(first + k, {numel} - 1);", *inner] if used else inner
        return [f"const {self.kind} {index} = first + k;", f"if ({index} >= {numel}) break;", *inner]

    # ------------------------------------------------------------ behind them

    def _tail(self) -> list[str]:
        """What they store or add."""
        page = self.page
        page.lines, page.moved = [], dict.fromkeys(self.whole, Code("first"))
        for place in dict.fromkeys(map(place_of, page.found.stores)):
            if place in self.places:
                self.lined.store(place)
        page.moved = {}
        return page.lines


def _name(line: str) -> str:
    """What a line defines."""
    return line.partition(" = ")[0].rpartition(" ")[2]
