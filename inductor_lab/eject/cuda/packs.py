"""Finds accesses that a thread can make for several neighbouring elements at once (vector loads and stores).

A thread takes VEC elements from `first` on, a multiple of VEC. In `x[offset // D * D + offset % D]` the row is one for all of them where VEC
divides D, and the column goes up by one: they lie side by side from a multiple of VEC on. So do those behind a constant that VEC divides, in
a row that the data chooses; and `column < D / 2` is one answer for all of them where VEC divides D / 2.

const auto x_pack = load<VEC>(x_ptr + first);
Pack<float, VEC> out_pack;                     its elements are set one by one
store(out_ptr + first, out_pack);

Along a row that LANES threads share, a thread takes a pack at each step of a sweep:

for (int first = lane * VEC; first < COLUMNS; first += LANES * VEC) {
    const auto x_pack = load<VEC>(x_ptr + first + row * COLUMNS);
    Pack<float, VEC> out_pack;
    #pragma unroll
    for (int k = 0; k < VEC; ++k) {
        out_pack[k] = x_pack[k] * scale;
    }
    if (inside) store(out_ptr + first + row * COLUMNS, out_pack);
}
"""

from __future__ import annotations

import ast
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field

from inductor_lab.computation.folds import masks
from inductor_lab.computation.index import Coordinate, Index
from inductor_lab.computation.operators import MIRRORED
from inductor_lab.computation.schedule import Access, Axis
from inductor_lab.computation.tree import Cast, Constant, Expression, Load, Operation, Position, Size
from inductor_lab.dtypes import ITEMSIZE
from inductor_lab.eject.cuda.code import SUM, TRUE, Code, block, guarded, stored, words
from inductor_lab.eject.cuda.launch import overwritten
from inductor_lab.eject.cuda.page import Page, Place, place_of
from inductor_lab.eject.cuda.values import Statements
from inductor_lab.eject.printing.operands import parts

WIDEST = 16
"""Bytes of one instruction."""
WIDTHS = (16, 8, 4, 2)
"""Elements that a thread may take."""
WARP = 32
PACKED = {"load": (), "store": (), "atomic_add": ("float32", "float16", "bfloat16")}
"""What several elements are accessed by -> the dtypes that can be; none named for all."""
BETWEEN = {"lt": 0, "ge": 0, "le": 1, "gt": 1}
"""Comparisons of a position with a number -> how far past the number the answer changes."""
ATOM = (ast.Name, ast.Constant)


@dataclass
class Packs:
    """Those of one kernel for one number of elements.

    Args:
        width: The number of elements.
        cuts: Whether coordinates that an axis is cut into are known for the first element; else only the axis itself is.
    """

    page: Page
    axis: Axis
    width: int
    cuts: bool = True
    _shared: dict[Expression, bool] = field(default_factory=dict)

    # ------------------------------------------------------------ positions

    def along(self, coordinate: Coordinate) -> bool:
        """Whether a coordinate goes up by one from element to element."""
        if coordinate.axis != self.axis.name or coordinate.stride != 1:
            return False
        return self.whole(coordinate) or self._divides(coordinate.size)

    def still(self, coordinate: Coordinate) -> bool:
        """Whether a coordinate is the same for all elements."""
        return coordinate.axis == self.axis.name and coordinate.stride != 1 and self._divides(coordinate.stride)

    def cut(self, coordinate: Coordinate) -> bool:
        """Whether the coordinate is known where the first element's is, and is not the axis itself."""
        if not self.cuts or self.whole(coordinate) or not self._rows_end_with_packs():
            return False
        return self.along(coordinate) or self.still(coordinate)

    def _fixed(self, coordinate: Coordinate) -> bool:
        """Whether a coordinate is known before the elements are looked at, and one for all of them."""
        return coordinate.axis != self.axis.name or (self.cut(coordinate) and self.still(coordinate))

    def _divides(self, number: object) -> bool:
        return isinstance(number, int) and number % self.width == 0

    def _rows_end_with_packs(self) -> bool:
        """Where rows are whole packs, so are all elements."""
        return not isinstance(self.axis.numel, int) or self._divides(self.axis.numel)

    def beside(self, index: Index) -> bool:
        """Whether an address goes up by one from element to element, and begins at a multiple of their number."""
        moving = 0
        for term in index.terms:
            steps = abs(term.factor) % self.width == 0
            match term.of:
                case Coordinate() as coordinate if self.along(coordinate) and self._known(coordinate):
                    moving += 1
                    if term.factor != 1 or term.sizes:
                        return False
                case Coordinate() as coordinate if steps and self._fixed(coordinate):
                    pass
                case Expression() as value if steps and self.shared(value):
                    pass
                case _:
                    return False
        return moving == 1 and self._divides(index.constant)

    def _known(self, coordinate: Coordinate) -> bool:
        return self.whole(coordinate) or self.cut(coordinate)

    def whole(self, coordinate: Coordinate) -> bool:
        """Whether it is the axis itself."""
        return self.page.layout.coordinates.spans_axis(coordinate)

    # ------------------------------------------------------------ values

    def shared(self, value: Expression) -> bool:
        """Whether a value is the same for all elements, and can be known before they are looked at."""
        if value not in self._shared:
            self._shared[value] = self._of(value)
        return self._shared[value]

    def _of(self, value: Expression) -> bool:
        match value:
            case Constant() | Size():
                return True
            case Position(index=index):
                return self._same(index)
            case Load(index=index, pointer=pointer) if index is not None and self._read_only(pointer):
                return self._same(index) and all(map(self.shared, parts(value)))
            case Operation(name=name, inputs=(_, _)) if name in BETWEEN and self.answered(value):
                return True
            case Operation() | Cast():
                return masks(value) or all(map(self.shared, parts(value)))
        return masks(value)

    def _same(self, index: Index) -> bool:
        return all(
            self._fixed(term.of) if isinstance(term.of, Coordinate) else term.of is None or self.shared(term.of)
            for term in index.terms
        )

    def answered(self, value: Operation) -> bool:
        """Whether a position's comparison with a number changes its answer between packs alone."""
        name, (left, right) = value.name, value.inputs
        if isinstance(left, Constant):
            name, left, right = MIRRORED[name], right, left
        match left, right:
            case Position(index=index), Constant(value=int() as number):
                return self.beside(index) and self._divides(number + BETWEEN[name])
        return False

    def _read_only(self, pointer: str) -> bool:
        tensor = self.page.tensors[pointer]
        return tensor.role == "in" and tensor.name not in overwritten(self.page.tensors)

    # ------------------------------------------------------------ accesses

    def places(self) -> dict[Place, Access]:
        """What is accessed for all elements at once, by where it is."""
        shared = overwritten(self.page.tensors)
        again = {a.pointer for a in self.page.found.loads if isinstance(a.value, Load) and a.value.version}
        added = {place_of(store) for store in self.page.found.stores if store.kind != "store"}
        several = {place for place, count in Counter(map(place_of, self.page.found.stores)).items() if count > 1}
        found: dict[Place, Access] = {}
        for access in self._wanted():
            if place_of(access) in added & several:  # what is added twice is not written once
                continue
            tensor = self.page.tensors[access.pointer]
            alone = not tensor.overwrites and tensor.name not in shared and access.pointer not in again
            fits = ITEMSIZE[tensor.type.dtype] * self.width <= WIDEST
            if alone and fits and self._at_once(access, tensor.type.dtype):
                found.setdefault(place_of(access), access)
        return found

    def _at_once(self, access: Access, dtype: str) -> bool:
        if access.kind not in PACKED or (PACKED[access.kind] and dtype not in PACKED[access.kind]):
            return False
        return self.beside(access.index) and (access.mask is None or self.shared(access.mask))

    def _wanted(self) -> Iterable[Access]:
        """Accesses that the kernel's text makes."""
        for access in self.page.found.accesses:
            if access.kind != "load" or (access.value is not None and self.page.uses[access.value]):
                yield access

    def worth_it(self, places: dict[Place, Access]) -> bool:
        """Whether more of what neighbours would read and write side by side is packed than is not; and whatever is added atomically."""
        left = [access for access in self._wanted() if place_of(access) not in places]
        if any(access.kind not in {"load", "store"} for access in left):
            return False
        return sum(map(self._of_neighbours, left)) < len(places)

    def _of_neighbours(self, access: Access) -> bool:
        """Whether elements beside each other are beside each other in memory."""
        return any(
            abs(term.factor) == 1
            and isinstance(term.of, Coordinate)
            and (term.of.axis, term.of.stride) == (self.axis.name, 1)
            for term in access.index.terms
        )

    # ------------------------------------------------------------ what the launcher asks

    def divided(self, sizes: Iterable[str], places: Mapping[Place, Access]) -> tuple[str, ...]:
        """What their number must divide, so that the packs are what they are taken for; as the text says it.

        Args:
            sizes: Sizes that it must divide besides.
            places: What is accessed at once.
        """
        found = [*sizes]
        for place, access in places.items():
            found += self._steps(access.index, place[0])
        for node in self.page.uses:
            if isinstance(node, Operation) and node.name in BETWEEN and self.answered(node):
                found += self._compared(node)
        trees = [ast.parse(text, mode="eval").body for text in found]
        named = (tree for tree in trees if any(isinstance(node, ast.Name) for node in ast.walk(tree)))
        asked = {ast.unparse(tree): _factors(tree) for tree in named}  # without brackets around the whole
        return tuple(text for text, factors in asked.items() if not factors & asked.keys())

    def _steps(self, index: Index, pointer: str) -> list[str]:
        """The factors and the constant of an address."""
        layout = self.page.layout
        steps = [abs(term.factor) for term in index.terms if abs(term.factor) != 1]
        found = [layout.strides.step(step, index, pointer) for step in steps]
        if index.constant:
            found.append(layout.constant(index, pointer))
        return found

    def _compared(self, value: Operation) -> list[str]:
        """The number that a position is compared with."""
        found = []
        for place, side in enumerate(value.inputs):
            if isinstance(side, Position):
                found += self._steps(side.index, "")
            name = self.page.layout.bounds.numbers.get((value, place))
            if isinstance(side, Constant) and name:
                found.append(f"({name} + {BETWEEN[value.name]})" if BETWEEN[value.name] else name)
        return found


def _factors(tree: ast.expr) -> set[str]:
    """The factors of a product of names and numbers, of which one that is asked for anyway tells enough; none of anything else."""
    found = set[str]()
    while isinstance(tree, ast.BinOp) and isinstance(tree.op, ast.Mult) and isinstance(tree.right, ATOM):
        found.add(ast.unparse(tree.right))
        tree = tree.left
    return {*found, ast.unparse(tree)} if found and isinstance(tree, ATOM) else set()


def packs_of(page: Page, axis: Axis) -> tuple[Packs, dict[Place, Access]] | None:
    """As many accesses as can be at once, of as many elements as can be; none where it does not pay."""
    return _best([Packs(page, axis, width) for width in WIDTHS])


def _best(choices: Sequence[Packs]) -> tuple[Packs, dict[Place, Access]] | None:
    tried = [(packs, packs.places()) for packs in choices]
    if not tried:
        return None
    packs, places = max(tried, key=lambda pair: len(pair[1]))  # the first, that is the widest, where there are as many
    return (packs, places) if places and packs.worth_it(places) else None


class PackLines:
    """The packs of one kernel, each with a variable of its own.

    Args:
        places: What is accessed for several elements at once.
    """

    def __init__(self, page: Page, statements: Statements, packs: Packs, places: Mapping[Place, Access]) -> None:
        self.page, self.statements, self.packs, self.places = page, statements, packs, places
        every = page.layout.coordinates.by_axis.get(packs.axis.name, ())
        self.first = {coordinate: Code("first") for coordinate in every if packs.whole(coordinate)}
        """The axis itself at the first element."""
        self.left = ""
        """`, numel - first`, where the last pack may be no whole one."""
        self.stored = {place_of(store): store for store in reversed(page.found.stores) if place_of(store) in places}
        """What is stored or added at once; of several at one place, the first."""
        words = {
            place: page.layout.word(a.value) if a.kind == "load" and a.value else "" for place, a in places.items()
        }
        page.packs = {place: page.fresh(f"{word or page.tensors[place[0]].name}_pack") for place, word in words.items()}

    def type(self, place: Place) -> str:
        return f"Pack<{stored(self.page.tensors[place[0]].type.dtype)}, VEC>"

    def declared(self, place: Place) -> str:
        """The variable of what is set element by element."""
        return f"{self.type(place)} {self.page.packs[place]};"

    def loaded(self, place: Place) -> str:
        """The elements of a load; zeros where its mask says no."""
        access = self.places[place]
        mask, call = self.statements.mask(access.mask), f"load<VEC>({self._address(access)}{self.left})"
        return call if mask == TRUE else f"{mask.text} ? {call} : {self.type(place)}{{}}"

    def store(self, place: Place, when: str = "") -> None:
        """Store or add what was set.

        Args:
            when: What must hold besides.
        """
        access = self.stored[place]
        function = "store" if access.kind == "store" else "add_all"
        if function == "add_all":
            self.page.calls("add_all")
        mask = self.statements.mask(access.mask)
        call = f"{function}({self._address(access)}, {self.page.packs[place]}{self.left});"
        self.page.emit(guarded(call, when, mask))

    def _address(self, access: Access) -> str:
        index = self.statements.sum(access.index, access.pointer).at(SUM)
        return f"{self.statements.pointer(access.pointer)} + {index}"


def each_of_pack(lines: Sequence[str]) -> list[str]:
    """What is done for each element of a pack."""
    return ["#pragma unroll", *block("for (int k = 0; k < VEC; ++k)", lines)]


# ------------------------------------------------------------ along a row


class RowPacks(PackLines):
    """The packs of one kernel that folds rows."""

    def __init__(self, page: Page, statements: Statements, packs: Packs, places: Mapping[Place, Access]) -> None:
        super().__init__(page, statements, packs, places)
        self.held: dict[Place, str] = {}
        """What a thread loads once for several sweeps -> the array that keeps its packs."""
        self.kept: set[Place] = set()
        """Those of them that were loaded."""
        page.divided = packs.divided([page.length(packs.axis)], places)
        page.calls("Pack")

    def hold(self, place: Place) -> None:
        """Have a load's packs kept in registers."""
        name = self.held[place] = self.page.fresh(f"{self.page.tensors[place[0]].name}_held")
        self.page.emit(f"{self.type(place)} {name}[HOLDS ? ITEMS : 1];")

    def step(self, body: Sequence[str], gathered: Mapping[str, tuple[str, str]]) -> list[str]:
        """One step of a sweep, from the statements for one element.

        Args:
            gathered: Arrays that these fill -> the type of an element, and the statement that takes the array in.
        """
        page = self.page
        read, written = (
            [place for place in self.places if place in some] for some in (page.packs_read, page.packs_written)
        )
        page.moved = self.first
        with page.scope() as made:
            for place in read:
                self._load(place, changed=place in written)
            made += [self.declared(place) for place in written if place not in read]
            made += [f"{kind} {array}[VEC];" for array, (kind, _) in gathered.items()]
            made += each_of_pack(self._element(body))
            made += [taken for _, taken in gathered.values()]
            for place in written:
                self.store(place, "inside")
        page.moved = {}
        page.packs_read.clear()
        page.packs_written.clear()
        return made

    def _load(self, place: Place, changed: bool) -> None:
        name, array, code = self.page.packs[place], self.held.get(place), self.loaded(place)
        if array and place in self.kept:
            code = f"HOLDS ? {array}[item] : {code}"
        self.page.emit(f"{'auto' if changed else 'const auto'} {name} = {code};")
        if array and place not in self.kept:
            self.page.emit(f"if (HOLDS) {array}[item] = {name};")
            self.kept.add(place)

    def _element(self, body: Sequence[str]) -> list[str]:
        """An element's own positions before what is computed for it."""
        index, inner = self.page.names(self.packs.axis).index, self.page.placed([self.packs.axis], body)
        return [f"const {self.page.index_type} {index} = first + k;", *inner] if index in words(inner) else inner


def row_packs(page: Page, statements: Statements, axis: Axis) -> RowPacks | None:
    """Those along a row that a warp's threads or more share; none where it does not pay, or its length is only known at a launch."""
    size = axis.numel
    if not isinstance(size, int):
        return None
    found = _best([Packs(page, axis, n, cuts=False) for n in WIDTHS if size % n == 0 and size >= n * WARP])
    flat = {place: access for place, access in found[1].items() if access.kind in {"load", "store"}} if found else {}
    return RowPacks(page, statements, found[0], flat) if found and flat else None
