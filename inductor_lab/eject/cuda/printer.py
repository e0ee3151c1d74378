"""Prints a kernel as the parts of a `.cu` file, by its kind; elementwise kernels, one thread for one or several elements, are printed here.

Of a thread that takes VEC elements: what is one for all of them and what they load first, then each, then what they store.

const int first = (blockIdx.x * blockDim.x + threadIdx.x) * VEC;
const int column = first % COLUMNS;                    VEC divides COLUMNS, or the launcher takes one element at a time
const auto x_pack = load<VEC>(x_ptr + first);
Pack<float, VEC> out_pack;
for (int k = 0; k < VEC; ++k) out_pack[k] = x_pack[k] * float(column + k);
store(out_ptr + first, out_pack);
"""

from __future__ import annotations

import ast
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from types import MappingProxyType

from inductor_lab.computation.records import Computation
from inductor_lab.computation.schedule import Access, Assert, Axis, Define
from inductor_lab.eject.binding.tensors import Tensor
from inductor_lab.eject.cuda import launch, matmul, subkernels
from inductor_lab.eject.cuda.code import SUM, Code, Numbers, block, words
from inductor_lab.eject.cuda.launch import Cuda, constants, headers, parameters
from inductor_lab.eject.cuda.packs import PackLines, Packs, each_of_pack, packs_of
from inductor_lab.eject.cuda.page import Page, Place, above, empty_page, place_of
from inductor_lab.eject.cuda.rows import Rows
from inductor_lab.eject.cuda.threads import geometry_of, scanned
from inductor_lab.eject.cuda.values import Statements
from inductor_lab.eject.printing.nouns import kept
from inductor_lab.eject.refusal import UnprintableError
from inductor_lab.eject.rendering import KernelText

FLAT = "A thread takes VEC elements side by side, which one instruction loads or stores where the tensors are aligned."
ONE = "A thread takes one element."
TILED = "Of 32 x 8 elements a thread takes one, straight from memory to memory, and goes on where the grid ends."
ROWS = "LANES threads share a row: each accumulates its part of it, and they combine what they have."
SCANNED = "LANES threads share a row: they go along it together, LANES elements at a time, and each chunk goes on from the one before."
COLUMNS = "32 rows lie side by side in a block, and LANES threads share each."


def text(
    found: Computation,
    tensors: Mapping[str, Tensor],
    taken: Iterable[str],
    values: Mapping[str, str],
    name: str,
    remarks: Mapping[str, str],
    functions: Mapping[str, ast.FunctionDef] = MappingProxyType({}),
) -> KernelText:
    """The kernel, and how the Python file beside it launches it.

    Raises:
        UnprintableError: a step or a node has no form here.
    """
    if found.schedule.group:
        raise UnprintableError(
            "it folds the columns of a group of rows beside the rows, which is not printed in CUDA C++ yet"
        )
    if found.parts:
        cuda, launcher = subkernels.printed(found, tensors, taken, values, name), dict[str, str]()
    else:
        page = empty_page(found, tensors, taken, values, Numbers(), functions)
        cuda, launcher = _kernel(page, name, remarks), page.layout.launcher()
    passed = [each.passed for each in cuda.parameters]
    passed += [f"{each.name}={each.passed}" for each in cuda.constants]
    return KernelText((), (), "", launcher, "()", ", ".join(passed), {}, cuda=cuda)


def _kernel(page: Page, name: str, remarks: Mapping[str, str]) -> Cuda:
    """A kernel that is no launch of several subkernels."""
    kind = _kind(page, name)
    page.calls("cdiv")
    takes = parameters(page, kind.body, remarks)
    launched = (*launch.empty(page), *kind.launch(", ".join(each.name for each in takes)))
    needed = (*headers(page.tensors), *(["mma.h"] if "TensorProduct" in page.helpers else []))
    return Cuda(
        name, takes, tuple(kind.body), above(page), constants(page, [*kind.body, *launched]), needed,
        remark=kind.remark, template=kind.template, bounds=kind.bounds, launcher=launched,
    )  # fmt: skip


@dataclass(frozen=True)
class Kind:
    """How one kind of kernel is written and launched."""

    remark: str
    template: str
    bounds: str
    body: Sequence[str]
    launch: Callable[[str], list[str]]
    """Arguments of the kernel -> the statements that launch it."""


def _kind(page: Page, name: str) -> Kind:
    axes = page.axes
    if (product := matmul.product_of(page)) is not None:
        tiles = matmul.Products(page, product)
        body = tiles.lines()
        template = "template <int VEC>" if tiles.many > 1 else ""
        return Kind(matmul.REMARK, template, str(tiles.threads), body, partial(tiles.launched, name))
    if any(axis.reduced for axis in axes):
        shared = geometry_of(page.found, page.folded.name)
        remark = COLUMNS if shared.columns else SCANNED if scanned(page.found.schedule.every()) else ROWS
        rows = Rows(page, shared)
        body, launched = rows.lines(), partial(launch.rows, page, name, shared)
        if rows.packs is not None:
            launched = partial(launch.packed_rows, page, name, rows.packs.packs.width)
        template = f"template <int LANES{', int VEC' if rows.packs else ''}>"
        return Kind(remark.replace("row", kept(page.found)), template, shared.threads, body, launched)
    if len(axes) > 1:
        ordered = sorted(axes, key=lambda axis: axis.name)
        body = tile(page, ordered)
        return Kind(TILED, "", str(launch.THREADS), body, partial(launch.tiled, page, name, ordered))
    body, many = flat(page, axes[0])
    remark, template = (FLAT, "template <int VEC>") if many > 1 else (ONE, "")
    return Kind(remark, template, str(launch.THREADS), body, partial(launch.flat, page, name, axes[0], many))


# ------------------------------------------------------------ kernels that fold nothing


def flat(page: Page, axis: Axis) -> tuple[list[str], int]:
    """The body of a kernel over one axis, and how many elements a thread takes at most."""
    if found := packs_of(page, axis):
        return Packed(page, *found).lines(), found[0].width
    return [*_own(page, axis), *page.placed([axis], Statements(page).element())], 1


def tile(page: Page, axes: Sequence[Axis]) -> list[str]:
    """The body of a kernel over several axes; a thread goes on along all but the first, whose count the grid does not limit."""
    lines, kind = page.placed(axes, Statements(page).element()), page.index_type
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


class Packed(PackLines):
    """The body of one kernel whose threads take several elements at once.

    Args:
        places: What is accessed for all of a thread's elements at once.
    """

    def __init__(self, page: Page, packs: Packs, places: Mapping[Place, Access]) -> None:
        super().__init__(page, Statements(page), packs, places)
        self.axis = packs.axis
        self.names = page.names(self.axis)
        every = page.layout.coordinates.by_axis.get(self.axis.name, ())
        self.cut = {page.layout.coordinates.name(c): c for c in every if packs.cut(c)}
        """Coordinates whose value for the first element tells all the others', by name."""
        self.left = "" if self.cut else f", {self.names.numel} - first"
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
            *each_of_pack(self._each(loop)),
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
        page.lines, page.moved = [], self.first
        for step in page.found.schedule.steps:
            match step:
                case Define(loads=loads):
                    self.statements.define(step, self.packs.shared)
                    for access in loads:
                        if (place := place_of(access)) in page.packs and place not in made:
                            made.add(place)
                            self._load(place)
                case Assert(check=check) if self.packs.shared(check.condition):
                    self.checked.add(check.line)
                    self.statements.check(step)
        for place in self.places:
            if place not in made:
                page.emit(self.declared(place))
        return page.lines

    def _load(self, place: Place) -> None:
        kind = "auto" if place in self.stored else "const auto"
        self.page.emit(f"{kind} {self.page.packs[place]} = {self.loaded(place)};")

    # ------------------------------------------------------------ each element

    def _loop(self) -> list[str]:
        """What is computed for one of them."""
        self.page.moved = {c: Code(f"{name} + k", SUM) for name, c in self.cut.items() if self.packs.along(c)}
        with self.page.scope():
            return self.statements.element(self.checked)

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
        page.lines, page.moved = [], self.first
        for place in dict.fromkeys(map(place_of, page.found.stores)):
            if place in self.places:
                self.store(place)
        page.moved = {}
        return page.lines
