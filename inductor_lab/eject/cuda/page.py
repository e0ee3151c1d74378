"""The state of the CUDA printer: lines so far, the values that have a name, and device functions that are called."""

from __future__ import annotations

import ast
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cache, cached_property
from types import MappingProxyType

from inductor_lab.computation.folds import masks
from inductor_lab.computation.index import Coordinate, Index
from inductor_lab.computation.operators import TABLE
from inductor_lab.computation.records import Computation
from inductor_lab.computation.schedule import Access, Axis
from inductor_lab.computation.tree import Expression, Load
from inductor_lab.eject.binding.tensors import Tensor
from inductor_lab.eject.cuda.code import Code, Numbers, translated, words
from inductor_lab.eject.cuda.threads import of_a_thread
from inductor_lab.eject.printing.layout import BasePage, Layout
from inductor_lab.eject.printing.nouns import Names
from inductor_lab.eject.printing.operands import goes_on, parts, uses
from inductor_lab.eject.refusal import UnprintableError
from inductor_lab.paths import templates_folder

KEYWORDS = """
    alignas alignof and and_eq asm assert auto bitand bitor bool break case catch char class compl const constexpr continue decltype default
    delete do double else enum explicit export extern false float for friend goto if inline int long mutable namespace new noexcept not not_eq
    nullptr operator or or_eq private protected public register return short signed sizeof static static_assert struct switch template this
    throw true try typedef typeid typename union unsigned using virtual void volatile wchar_t while xor xor_eq
"""
OURS = """
    blockDim blockIdx gridDim threadIdx dim3 stream launch cdiv aligned load store add_all add_words fold fold_columns shuffled Pack LANES VEC THREADS NAN
    INFINITY INT32_MIN INT64_MIN lane inside first place last flat k item ITEMS HOLDS PER_BLOCK T Sum Product Largest Smallest Any Parity Welford Softmax Best
    start within Before Tile FloatProduct TensorProduct Product product left right pack across tiles grid
    Sortable OutOfOrder padded sort_row wait_for_row
"""
RESERVED = {*KEYWORDS.split(), *OURS.split()} | {row.c for row in TABLE.values() if row.c}
"""Names that nothing of a kernel may have."""
LAST = 2**31 - 2**16
"""Elements up to which a position in the last block still has 32 bits."""
Place = tuple[str, Index | None, Expression | None]
"""A pointer, an address, and the mask of the access, where it has one."""


@dataclass
class Page(BasePage[str, Code]):
    """One kernel in CUDA C++."""

    numbers: Numbers = field(kw_only=True)
    helpers: dict[str, None] = field(default_factory=dict)
    """Functions of templates/cuda/helpers/ that it calls, in the order of their first use."""
    packs: Mapping[Place, str] = field(default_factory=dict)
    """What a thread loads or stores for several elements at once -> the variable that holds it."""
    packs_read: set[Place] = field(default_factory=set)
    """Those of which an element was read, in the statements that are being printed."""
    packs_written: set[Place] = field(default_factory=set)
    """Those of which an element was set."""
    moved: Mapping[Coordinate, Code] = field(default_factory=dict)
    """Coordinates that are another element's just now than their name says."""
    divided: tuple[str, ...] = ()
    """What their number must divide, as the launcher says it."""
    functions: Mapping[str, ast.FunctionDef] = field(default_factory=dict)
    """Functions above the kernel in its source, by name: what a scan combines by."""
    own: dict[str, tuple[tuple[str, ...], str]] = field(default_factory=dict)
    """Function objects of this kernel alone: name -> what it combines, and its text."""

    def emit(self, text: str) -> None:
        self.lines.append(text)

    def calls(self, *helpers: str) -> None:
        """Have functions of templates/cuda/helpers/ stand above the kernel."""
        self.helpers |= dict.fromkeys(helpers)

    def pack(self, of: Access | Load) -> str:
        """The variable that holds the elements of an access, where it is one for several; else empty."""
        return self.packs.get(place_of(of), "") if self.packs else ""

    # ------------------------------------------------------------ axes

    @property
    def axes(self) -> tuple[Axis, ...]:
        return self.found.schedule.axes

    @property
    def free(self) -> list[Axis]:
        """The axes that nothing folds."""
        return [axis for axis in self.axes if not axis.reduced]

    @property
    def folded(self) -> Axis:
        """The one axis that is folded.

        Raises:
            UnprintableError: there are several.
        """
        reduced = [axis for axis in self.axes if axis.reduced]
        if len(reduced) != 1:
            raise UnprintableError("a reduction along several axes of a tile is not printed in CUDA C++ yet")
        return reduced[0]

    def names(self, axis: Axis) -> Names:
        """What belongs to an axis, by name."""
        return self.layout.names[axis.name]

    def length(self, axis: Axis) -> str:
        """How many positions an axis has: compiled in where it is folded and its size is known, else passed."""
        return self.layout.scalar(f"{axis.name}numel") if axis.reduced else self.names(axis).numel

    @cached_property
    def index_type(self) -> str:
        """The type of positions: 64 bits only where an axis has more elements than 32 bits count, those of its last block included."""
        most = max((axis.numel for axis in self.axes if isinstance(axis.numel, int)), default=0)
        return "int64_t" if most > LAST or any(axis.dtype == "int64" for axis in self.axes) else "int"

    def coordinates(self, axis: Axis, lines: Iterable[str], kind: str = "", position: str = "") -> dict[str, str]:
        """What cuts an axis into the coordinates that some lines say: their names, each with the statement that defines it.

        Args:
            kind: Their type, where it is not the axis' own.
            position: The position that is cut, where it is not the thread's own: `first`.
        """
        named, kind = words(lines), kind or ("int64_t" if axis.dtype == "int64" else "int")
        found = self.layout.coordinates.statements(axis, position)
        return {name: f"const {kind} {name} = {translated(text).text};" for name, text in found if name in named}

    def placed(self, axes: Iterable[Axis], lines: Sequence[str]) -> list[str]:
        """Statements behind the coordinates that they say."""
        return [*(line for axis in axes for line in self.coordinates(axis, lines).values()), *lines]


def empty_page(
    found: Computation,
    tensors: Mapping[str, Tensor],
    taken: Iterable[str],
    values: Mapping[str, str],
    numbers: Numbers,
    functions: Mapping[str, ast.FunctionDef] = MappingProxyType({}),
) -> Page:
    """An empty page for a kernel, or one subkernel of it.

    Raises:
        UnprintableError: its schedule does not tell it whole.
    """
    if found.schedule.opaque:
        raise UnprintableError(found.schedule.opaque)
    found = of_a_thread(found)
    names = {*taken, *RESERVED, *(f"{tensor.name}_ptr" for tensor in tensors.values())}
    return Page(
        found,
        tensors,
        Layout(found, tensors, names, values),
        uses(found.schedule, parts, lambda carry: not goes_on(carry)),
        numbers=numbers,
        functions=functions,
    )


def place_of(of: Access | Load) -> Place:
    """Where an access goes, and when."""
    return of.pointer, of.index, None if of.mask is None or masks(of.mask) else of.mask


# ------------------------------------------------------------ device functions

NEEDS = {
    "rand_uniform": ("philox", "uniform_of"), "rand_normal": ("philox", "uniform_of", "normal_of"), "rand_bits": ("philox",),
    "rand_between": ("philox",), "rand_uniform_4x": ("philox", "uniform_of"), "rand_normal_4x": ("philox", "uniform_of", "normal_of"),
    "Largest": ("maximum",), "Smallest": ("minimum",), "Softmax": ("maximum",), "aligned": ("Pack",), "to_the_end": ("Pack",),
    "add_all": ("Pack",), "sort_row": ("Sortable", "OutOfOrder"),
    "MergeWelford": ("Welford",), "MergeSoftmax": ("maximum", "Softmax"), "MergeLargest": ("Best",), "MergeSmallest": ("Best",),
    "Tile": ("Pack",), "FloatProduct": ("Tile",), "TensorProduct": ("Tile",),
}  # fmt: skip
"""A function -> those that it calls. `Welford` holds `MergeWelford`, `Softmax` `MergeSoftmax`."""
INSIDE = {"MergeWelford": "Welford", "MergeSoftmax": "Softmax"}
FIRST = ("cdiv", "Pack", "to_the_end", "aligned", "maximum", "minimum", "shuffled", "Tile")
"""What stands above all others."""


def device_functions(called: Iterable[str]) -> tuple[str, ...]:
    """The texts of functions and of those that they call, the latter first."""
    names: dict[str, None] = {}
    for word in called:
        name = word.partition("<")[0]
        for each in (*NEEDS.get(name, ()), name):
            names[INSIDE.get(each, each)] = None
    ordered = sorted(names, key=lambda name: FIRST.index(name) if name in FIRST else len(FIRST))
    return tuple(library()[name] for name in ordered)


def above(page: Page) -> tuple[str, ...]:
    """All that stands above one kernel: the functions that it calls, and what only it combines by."""
    return (*device_functions(page.helpers), *(text for _, text in page.own.values()))


@cache
def library() -> dict[str, str]:
    """The device functions: name -> text."""
    files = sorted((templates_folder() / "cuda" / "helpers").glob("*.cuh"))
    return {file.stem: file.read_text(encoding="utf-8").rstrip() for file in files}


def shared() -> frozenset[str]:
    """The texts that any kernel may have above it, and none writes itself."""
    return frozenset(library().values())


def cplusplus() -> frozenset[str]:
    """Names that no kernel may have where several stand in one file."""
    return frozenset(RESERVED | {*library()})
