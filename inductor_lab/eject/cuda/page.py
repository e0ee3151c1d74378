"""What is printed of a CUDA kernel so far: its lines, and which values stand behind a name just now."""

from __future__ import annotations

import ast
from collections import Counter
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from types import MappingProxyType

from inductor_lab.computation.folds import masks
from inductor_lab.computation.index import Coordinate, Index
from inductor_lab.computation.operators import TABLE
from inductor_lab.computation.records import Computation
from inductor_lab.computation.schedule import Access
from inductor_lab.computation.tree import Expression, Load
from inductor_lab.eject.cuda.code import Code
from inductor_lab.eject.cuda.numbers import Numbers
from inductor_lab.eject.cuda.shapes import seen, uses
from inductor_lab.eject.refusal import UnprintableError
from inductor_lab.eject.tensors import Tensor
from inductor_lab.eject.triton.layout import Layout

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
Place = tuple[str, Index | None, Expression | None]
"""A pointer, an address, and the mask of the access, where it has one."""


@dataclass
class Page:
    """One kernel while it is printed."""

    found: Computation
    tensors: Mapping[str, Tensor]
    """What each pointer holds, by parameter."""
    layout: Layout
    numbers: Numbers
    uses: Counter[Expression]
    """How often each value is used."""
    lines: list[str] = field(default_factory=list)
    bound: dict[Expression, Code] = field(default_factory=dict)
    """Values that stand behind a name just now."""
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

    def fresh(self, wanted: str, value: Expression | None = None) -> str:
        return self.layout.fresh(wanted, value)

    def pack(self, of: Access | Load) -> str:
        """The variable that holds the elements of an access, where it is one for several; else empty."""
        return self.packs.get(place_of(of), "") if self.packs else ""


def place_of(of: Access | Load) -> Place:
    """Where an access goes, and when."""
    return of.pointer, of.index, None if of.mask is None or masks(of.mask) else seen(of.mask)


def empty_page(
    found: Computation,
    tensors: Mapping[str, Tensor],
    taken: Iterable[str],
    values: Mapping[str, str],
    numbers: Numbers,
    functions: Mapping[str, ast.FunctionDef] = MappingProxyType({}),
) -> Page:
    """An empty page for a kernel, or one job of it.

    Raises:
        UnprintableError: its schedule does not tell it whole.
    """
    if found.schedule.opaque:
        raise UnprintableError(found.schedule.opaque)
    names = {*taken, *RESERVED, *(f"{tensor.name}_ptr" for tensor in tensors.values())}
    return Page(
        found, tensors, Layout(found, tensors, names, values), numbers, uses(found.schedule), functions=functions
    )
