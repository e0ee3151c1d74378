"""A flat kernel whose thread takes VEC elements: what is one for all of them and what they load first, then each, then what they store.

const int first = (blockIdx.x * blockDim.x + threadIdx.x) * VEC;
const int column = first % COLUMNS;                    VEC divides COLUMNS, or the launcher takes one element at a time
const auto x_pack = load<VEC>(x_ptr + first);
Pack<float, VEC> out_pack;
for (int k = 0; k < VEC; ++k) out_pack[k] = x_pack[k] * float(column + k);
store(out_ptr + first, out_pack);
"""

from __future__ import annotations

import ast
import re
from collections.abc import Iterable, Mapping, Sequence

from inductor_lab.computation.index import Index
from inductor_lab.computation.schedule import Access, Assert, Define, Effect
from inductor_lab.computation.tree import Constant, Operation, Position
from inductor_lab.eject.cuda.axes import coordinates
from inductor_lab.eject.cuda.code import SUM, TRUE, Code
from inductor_lab.eject.cuda.numbers import stored
from inductor_lab.eject.cuda.packs import BETWEEN, Packs
from inductor_lab.eject.cuda.page import Page, Place, place_of
from inductor_lab.eject.cuda.shapes import seen
from inductor_lab.eject.cuda.signature import index_type
from inductor_lab.eject.cuda.statements import Statements
from inductor_lab.eject.triton_nouns import noun
from inductor_lab.eject.triton_page import UnprintableError


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
        self.left = "" if self.cut else f", {self.names.numel} - first"
        """How many elements there are still; where positions are cut, whole packs of them."""
        self.checked: set[int] = set()
        """Lines whose checks were printed."""

    def lines(self) -> list[str]:
        """The statements.

        Raises:
            UnprintableError: a step has no form here.
        """
        self.page.packs = self._named()
        head, loop, tail = self._head(), self._loop(), self._tail()
        of_first = [line for line in self._coordinates([*head, *loop, *tail]) if _name(line) in self.cut.values()]
        self.page.divided = tuple(self._divided({_name(line) for line in of_first}))
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

    def _named(self) -> dict[Place, str]:
        """A variable for each pack."""
        named = {}
        for place, access in self.places.items():
            tensor = self.page.tensors[access.pointer].name
            loaded = access.value if access.kind == "load" else None
            word = noun(loaded, self.page.tensors, self.statements.roles) if loaded is not None else tensor
            named[place] = self.page.fresh(f"{word}_pack")
        return named

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
                            self._load(access)
                case Assert(check=check) if self.packs.shared(check.condition):
                    self.checked.add(check.line)
                    self.statements.check(step)
        for place, access in self.places.items():
            if place not in made:
                page.emit(f"{self._type(access)} {page.packs[place]};")
        return page.lines

    def _type(self, access: Access) -> str:
        return f"Pack<{stored(self.page.tensors[access.pointer].type.dtype)}, VEC>"

    def _load(self, access: Access) -> None:
        """The elements of a load; zeros where its mask says no."""
        mask, call = self.statements.expressions.mask(access.mask), f"load<VEC>({self._address(access)}{self.left})"
        if mask != TRUE:
            call = f"{mask.text} ? {call} : {self._type(access)}{{}}"
        changed = any(place_of(store) == place_of(access) for store in self.page.found.stores)
        self.page.emit(f"{'' if changed else 'const '}auto {self.page.packs[place_of(access)]} = {call};")

    def _address(self, access: Access) -> str:
        expressions = self.statements.expressions
        return f"{expressions.pointer(access.pointer)} + {expressions.sum(access.index, access.pointer).at(SUM)}"

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
                access = next(store for store in page.found.stores if place_of(store) == place)
                function = "store" if access.kind == "store" else "add_all"
                if function == "add_all":
                    page.helpers["add_all"] = None
                mask = self.statements.expressions.mask(access.mask)
                call = f"{function}({self._address(access)}, {page.packs[place]}{self.left});"
                page.emit(call if mask == TRUE else f"if ({mask.text}) {call}")
        page.moved = {}
        return page.lines

    # ------------------------------------------------------------ what the launcher asks

    def _divided(self, said: Iterable[str]) -> list[str]:
        """What the number of elements must divide, so that the packs are what they are taken for; sizes, as the text has them."""
        layout, named = self.page.layout, set(said)
        found = [layout.coordinates.cut(coordinate) for coordinate, name in self.cut.items() if name in named]
        found += [self.names.numel] if self.cut else []
        for place, access in self.places.items():
            found += self._steps(access.index, place[0])
        for node in self.page.uses:
            if isinstance(node, Operation) and node.name in BETWEEN and self.packs.answered(node):
                found += self._compared(node)
        plain = (ast.unparse(ast.parse(text, mode="eval")) for text in found)  # without brackets around the whole
        sizes = [text for text in dict.fromkeys(plain) if re.search(r"[^\W\d]", text)]
        return [text for text in sizes if not _product_of_one(text, sizes)]

    def _steps(self, index: Index, pointer: str) -> list[str]:
        """The factors and the constant of an address."""
        layout = self.page.layout
        steps = [abs(term.factor) for term in index.terms if abs(term.factor) != 1]
        found = [layout.strides.step(step, index, pointer) for step in steps]
        if index.constant:
            told = layout.bounds.places.get((pointer, index))
            found.append(told or layout.strides.place(abs(index.constant), index, pointer))
        return found

    def _compared(self, value: Operation) -> list[str]:
        """The number that a position is compared with."""
        found = []
        for place, side in enumerate(map(seen, value.inputs)):
            if isinstance(side, Position):
                found += self._steps(side.index, "")
            name = self.page.layout.bounds.numbers.get((value, place))
            if isinstance(side, Constant) and name:
                found.append(f"({name} + {BETWEEN[value.name]})" if BETWEEN[value.name] else name)
        return found


def _product_of_one(text: str, sizes: Sequence[str]) -> bool:
    """Whether a number is a product with a size that is asked for anyway."""
    return (
        "*" in text and bool(re.fullmatch(r"\w+( \* \w+)+", text)) and any(size in text.split(" * ") for size in sizes)
    )


def _name(line: str) -> str:
    """What a line defines."""
    return line.partition(" = ")[0].rpartition(" ")[2]
