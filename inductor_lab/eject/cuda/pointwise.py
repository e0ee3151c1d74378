"""A CUDA kernel without folds: one thread for an element, or for as many side by side as one instruction loads.

Of a thread that takes VEC elements: what is one for all of them and what they load first, then each, then what they store.

const int first = (blockIdx.x * blockDim.x + threadIdx.x) * VEC;
const int column = first % COLUMNS;                    VEC divides COLUMNS, or the launcher takes one element at a time
const auto x_pack = load<VEC>(x_ptr + first);
Pack<float, VEC> out_pack;
for (int k = 0; k < VEC; ++k) out_pack[k] = x_pack[k] * float(column + k);
store(out_ptr + first, out_pack);
"""

from __future__ import annotations

from collections.abc import Container, Mapping, Sequence

from inductor_lab.computation.schedule import Access, Assert, Axis, Define, Effect
from inductor_lab.eject.cuda.code import SUM, Code, block, words
from inductor_lab.eject.cuda.packs import PackLines, Packs, packs_of
from inductor_lab.eject.cuda.page import Page, Place, place_of
from inductor_lab.eject.cuda.values import Statements
from inductor_lab.eject.refusal import UnprintableError


def element(page: Page, statements: Statements | None = None, checked: Container[int] = ()) -> list[str]:
    """What is computed for one element.

    Args:
        checked: Lines whose checks were printed before.
    """
    statements = statements or Statements(page)
    for step in page.found.schedule.steps:
        match step:
            case Define():
                statements.define(step)
            case Effect(access=access):
                statements.store(access)
            case Assert(check=check):
                if check.line not in checked:
                    statements.check(step)
            case _:
                raise UnprintableError(f"a {type(step).__name__.lower()} in a kernel that folds nothing")
    return page.lines


def flat(page: Page, axis: Axis) -> tuple[list[str], int]:
    """The body of a kernel over one axis, and how many elements a thread takes at most."""
    if found := packs_of(page, axis):
        return Packed(page, *found).lines(), found[0].width
    return [*_own(page, axis), *page.placed([axis], element(page))], 1


def tile(page: Page, axes: Sequence[Axis]) -> list[str]:
    """The body of a kernel over several axes; a thread goes on along all but the first, whose count the grid does not limit."""
    lines, kind = page.placed(axes, element(page)), page.index_type
    for axis, way in zip(axes[1:], "yz", strict=False):
        names = page.names(axis)
        step = f"{names.index} += gridDim.{way} * blockDim.{way}"
        head = f"for ({kind} {names.index} = {_thread(page, way)}; {names.index} < {names.numel}; {step})"
        lines = block(head, lines)
    return [*_own(page, axes[0]), *lines]


def _own(page: Page, axis: Axis) -> list[str]:
    """A thread's position along x; beyond the end it has nothing to do."""
    names = page.names(axis)
    return [
        f"const {page.index_type} {names.index} = {_thread(page, 'x')};",
        f"if ({names.index} >= {names.numel}) return;",
    ]


def _thread(page: Page, way: str) -> str:
    """Which thread of the launch it is."""
    number = f"int64_t(blockIdx.{way})" if page.index_type == "int64_t" else f"blockIdx.{way}"
    return f"{number} * blockDim.{way} + threadIdx.{way}"


class Packed:
    """The body of one kernel whose threads take several elements at once.

    Args:
        places: What is accessed for all of a thread's elements at once.
    """

    def __init__(self, page: Page, packs: Packs, places: Mapping[Place, Access]) -> None:
        self.page, self.packs, self.axis, self.places = page, packs, packs.axis, places
        self.names = page.names(self.axis)
        self.statements = Statements(page)
        every = page.layout.coordinates.by_axis.get(self.axis.name, ())
        self.cut = {page.layout.coordinates.name(c): c for c in every if packs.cut(c)}
        """Coordinates whose value for the first element tells all the others', by name."""
        self.lined = PackLines(page, self.statements, packs, places)
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
        said = self.page.coordinates(self.axis, [*head, *loop, *tail], position="first")
        of_first = {name: line for name, line in said.items() if name in self.cut}
        self.page.divided = self.packs.divided(self._sizes(of_first), self.places)
        self.page.calls("Pack", *(["to_the_end"] if self.left else []))
        return [
            f"const {self.page.index_type} first = ({_thread(self.page, 'x')}) * VEC;",
            f"if (first >= {self.names.numel}) return;",
            *of_first.values(),
            *head,
            "#pragma unroll",
            *block("for (int k = 0; k < VEC; ++k)", self._each(loop)),
            *tail,
        ]

    def _sizes(self, said: Mapping[str, str]) -> list[str]:
        """What the axis is cut by, of the coordinates that the text says."""
        cut = self.page.layout.coordinates.cut
        sizes = [cut(coordinate) for name, coordinate in self.cut.items() if name in said]
        return [*sizes, *([self.names.numel] if self.cut else [])]

    # ------------------------------------------------------------ before the elements

    def _head(self) -> list[str]:
        """What is one for all elements, and what they load, in the order of the text."""
        page, made = self.page, set[Place]()
        page.lines, page.moved = [], self.lined.first
        for step in page.found.schedule.steps:
            match step:
                case Define(values=values, loads=loads):
                    self.statements.define(step, [value for value in values if self.packs.shared(value)])
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
        self.page.moved = {c: Code(f"{name} + k", SUM) for name, c in self.cut.items() if self.packs.along(c)}
        with self.page.scope():
            return element(self.page, self.statements, self.checked)

    def _each(self, loop: Sequence[str]) -> list[str]:
        """The elements' own positions before what is computed for them."""
        index, numel, kind = self.names.index, self.names.numel, self.page.index_type
        said = self.page.coordinates(self.axis, loop)
        inner = [*(line for name, line in said.items() if name not in self.cut), *loop]
        if self.left and not all(place_of(store) in self.places for store in self.page.found.stores):
            return [f"const {kind} {index} = first + k;", f"if ({index} >= {numel}) break;", *inner]
        if index not in words(inner):
            return inner
        place = f"min(first + k, {numel} - 1)" if self.left else "first + k"  # what is stored twice is the same
        return [f"const {kind} {index} = {place};", *inner]

    # ------------------------------------------------------------ after them

    def _tail(self) -> list[str]:
        """What they store or add."""
        page = self.page
        page.lines, page.moved = [], self.lined.first
        for place in dict.fromkeys(map(place_of, page.found.stores)):
            if place in self.places:
                self.lined.store(place)
        page.moved = {}
        return page.lines
