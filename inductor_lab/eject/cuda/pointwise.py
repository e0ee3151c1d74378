"""A CUDA kernel without folds: one thread for an element, or for as many side by side as one instruction loads."""

from __future__ import annotations

from inductor_lab.computation.folds import masks
from inductor_lab.computation.index import Coordinate, Index
from inductor_lab.computation.schedule import Access, Assert, Axis, Define, Effect
from inductor_lab.computation.tree import Load
from inductor_lab.dtypes import ITEMSIZE
from inductor_lab.eject.cuda.axes import coordinates
from inductor_lab.eject.cuda.numbers import stored
from inductor_lab.eject.cuda.page import Page
from inductor_lab.eject.cuda.signature import index_type, overwritten
from inductor_lab.eject.cuda.statements import Statements
from inductor_lab.eject.triton_page import UnprintableError

THREADS = 256
TILE = (32, 8)
"""Threads along x and y of a tile."""
WIDEST = 16
"""Bytes of one instruction."""


def element(page: Page) -> list[str]:
    """What is computed for one element."""
    statements = Statements(page, page.found.schedule)
    for step in page.found.schedule.steps:
        match step:
            case Define():
                statements.define(step)
            case Effect(access=access):
                statements.store(access)
            case Assert():
                statements.check(step)
            case _:
                raise UnprintableError(f"a {type(step).__name__.lower()} in a kernel that folds nothing")
    return page.lines


def flat(page: Page, axis: Axis) -> tuple[list[str], int]:
    """The body of a kernel over one axis, and how many elements a thread takes at most."""
    page.packed = _packed(page, axis)
    lines = element(page)
    names, kind = page.layout.names[axis.name], index_type(page)
    inner = [*coordinates(page, axis, lines), *lines]
    wide = "int64_t(blockIdx.x)" if kind == "int64_t" else "blockIdx.x"
    start = f"({wide} * blockDim.x + threadIdx.x)"
    if not page.packed:
        return [
            f"const {kind} {names.index} = {start[1:-1]};",
            f"if ({names.index} >= {names.numel}) return;",
            *inner,
        ], 1
    page.helpers = {"Pack": None, **page.helpers}
    read, written = _directions(page)
    many = WIDEST // max(ITEMSIZE[page.tensors[pointer].type.dtype] for pointer in page.packed)
    left = f"{names.numel} - first"
    lines = [f"const {kind} first = {start} * VEC;", f"if (first >= {names.numel}) return;"]
    for pointer in page.packed:
        name = page.tensors[pointer].name
        if pointer in read:
            lines.append(f"auto {name}_pack = load<VEC>({name}_ptr + first, {left});")
        else:
            lines.append(f"Pack<{_element(page, pointer)}, VEC> {name}_pack;")
    lines += ["#pragma unroll", "for (int k = 0; k < VEC; ++k) {", f"    const {kind} {names.index} = first + k;"]
    lines += [f"    if ({names.index} >= {names.numel}) break;", *("    " + line for line in inner), "}"]
    for pointer in page.packed:
        if pointer in written:
            name = page.tensors[pointer].name
            lines.append(f"store({name}_ptr + first, {name}_pack, {left});")
    return lines, many


def tile(page: Page, axes: list[Axis]) -> list[str]:
    """The body of a kernel over several axes; a thread goes on along all but the first, whose count the grid does not limit."""
    lines, kind = element(page), index_type(page)
    lines = [*(line for axis in axes for line in coordinates(page, axis, lines)), *lines]
    for axis, way in zip(axes, "xyz", strict=False):
        names = page.layout.names[axis.name]
        start = f"blockIdx.{way} * blockDim.{way} + threadIdx.{way}"
        start = f"int64_t(blockIdx.{way}) * blockDim.{way} + threadIdx.{way}" if kind == "int64_t" else start
        if way == "x":
            lines = [f"const {kind} {names.index} = {start};", f"if ({names.index} >= {names.numel}) return;", *lines]
            continue
        head, rest = lines[:2], lines[2:]
        step = f"for ({kind} {names.index} = {start}; {names.index} < {names.numel}; {names.index} += gridDim.{way} * blockDim.{way}) {{"
        lines = [*head, step, *("    " + line for line in rest), "}"]
    return lines


def _packed(page: Page, axis: Axis) -> tuple[str, ...]:
    """Pointers that a thread goes along element by element, wherever it reads or writes them."""
    whole, candidates = Index.of(Coordinate(axis.name, 1, None)), dict[str, bool]()
    for access in page.found.accesses:
        same = access.index in (whole, Index.of(Coordinate(axis.name, 1, axis.numel)))
        plain = same and _always(access)
        fresh = not (isinstance(access.value, Load) and access.value.version)
        candidates[access.pointer] = candidates.get(access.pointer, True) and plain and fresh
    alone = {p for p, good in candidates.items() if good and not page.tensors[p].overwrites}
    shared = overwritten(page.tensors)
    found = {pointer for pointer in alone if page.tensors[pointer].name not in shared}
    return tuple(pointer for pointer in page.tensors if pointer in found)


def _always(access: Access) -> bool:
    """Whether an access happens for every element that exists."""
    return access.kind in {"load", "store"} and (access.mask is None or masks(access.mask))


def _directions(page: Page) -> tuple[set[str], set[str]]:
    """Pointers that are read, and those that are written."""
    return {access.pointer for access in page.found.loads}, {access.pointer for access in page.found.stores}


def _element(page: Page, pointer: str) -> str:
    return stored(page.tensors[pointer].type.dtype)
