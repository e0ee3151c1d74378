"""A CUDA kernel as the templates get it: parameters, compile-time sizes, and the statements that launch it.

rows<32><<<cdiv(rows, 4), dim3(32, 4), 0, stream>>>(x_ptr, out_ptr, rows);         a warp for each row of up to 512 elements
rows<128><<<rows, 128, 0, stream>>>(x_ptr, out_ptr, rows);
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from inductor_lab.computation.schedule import Axis
from inductor_lab.computation.tree import Size
from inductor_lab.eject.binding.tensors import Tensor
from inductor_lab.eject.cuda.code import HEADERS, PRODUCT, is_float, stored, translated, words
from inductor_lab.eject.cuda.page import Page
from inductor_lab.eject.cuda.threads import Geometry
from inductor_lab.eject.refusal import UnprintableError

THREADS = 256
"""Threads of a block where each takes elements by itself."""
TILE = (32, 8)
"""The same along x and y of a tile."""
LANES = ((32, 512), (128, 2048), (512, 0))
"""Threads that share a row, and up to how many elements of it; 0 for any number."""
PACKED_LANES = ((32, 1024), (128, 4096), (256, 8192), (512, 0))
"""The same where a thread takes several elements at once."""
WARPS = 4
"""Rows of a block where one warp takes a row."""
COLUMN_LANES = ((8, 64), (32, 0))
"""The same of columns, 32 of which are a block's."""
MOST = 65535
"""Blocks along y and z of a grid."""


@dataclass(frozen=True)
class Parameter:
    """One parameter of the kernel and of its launcher."""

    type: str
    name: str
    passed: str
    """What the Python launcher passes for it: `x`, `numel`."""
    comment: str = ""
    restrict: bool = False

    @property
    def declared(self) -> str:
        """`const float* __restrict__ x_ptr`."""
        return f"{self.type} {'__restrict__ ' if self.restrict else ''}{self.name}"


@dataclass(frozen=True)
class Constant:
    """A size that is compiled in: `constexpr int COLUMNS = 1024;`."""

    name: str
    value: int
    passed: str
    """Where the Python launcher finds it: `x.shape[1]`."""
    comment: str

    @property
    def said(self) -> str:
        """`x.shape[1]: columns`; empty where it is a number, and no more is said of it."""
        passed = "" if self.passed == str(self.value) else self.passed
        return ": ".join(filter(None, (passed, self.comment)))


@dataclass(frozen=True)
class Cuda:
    """The fields of templates/cuda/kernel.cu.jinja, and of the test program's."""

    name: str
    parameters: tuple[Parameter, ...]
    body: tuple[str, ...]
    helpers: tuple[str, ...]
    """Device functions above the kernel."""
    constants: tuple[Constant, ...] = ()
    headers: tuple[str, ...] = ()
    title: str = ""
    remark: str = ""
    """How threads share the work."""
    template: str = ""
    """`template <int VEC>`; empty for a kernel without parameters of its own."""
    bounds: str = ""
    """Threads of a block, at most: a number, or counted by the template's LANES."""
    launcher: tuple[str, ...] = ()
    """The statements of `launch`."""
    takes: str = ""
    """What the kernel takes where that is not what `launch` does: `const __grid_constant__ Jobs jobs`."""

    @property
    def arguments(self) -> str:
        """What one kernel's call is given by the launcher."""
        return ", ".join(parameter.name for parameter in self.parameters)


def parameters(page: Page, lines: Sequence[str], remarks: Mapping[str, str]) -> tuple[Parameter, ...]:
    """What the kernel takes: its tensors, and of the numbers those that its text says."""
    named = words(lines)
    return (*pointers(page.tensors), *(each for each in _numbers(page, remarks) if each.name in named))


def overwritten(tensors: Mapping[str, Tensor]) -> frozenset[str]:
    """The names of tensors whose memory another pointer writes."""
    return frozenset(tensor.overwrites for tensor in tensors.values() if tensor.overwrites)


def pointers(tensors: Mapping[str, Tensor]) -> list[Parameter]:
    """One for each tensor."""
    shared = overwritten(tensors)
    found = []
    for tensor in tensors.values():
        alone = not tensor.overwrites and tensor.name not in shared
        kind = f"{'const ' if tensor.role == 'in' else ''}{stored(tensor.type.dtype)}*"
        found.append(Parameter(kind, f"{tensor.name}_ptr", tensor.name, tensor.comment(), restrict=alone))
    return found


def headers(tensors: Mapping[str, Tensor]) -> tuple[str, ...]:
    """CUDA's own that the types of the tensors need."""
    return tuple(dict.fromkeys(HEADERS[t.type.dtype] for t in tensors.values() if t.type.dtype in HEADERS))


def _numbers(page: Page, remarks: Mapping[str, str]) -> list[Parameter]:
    layout, kind = page.layout, page.index_type
    floats = {node.name: stored(node.dtype) for node in page.uses if isinstance(node, Size) and is_float(node.dtype)}
    found: dict[str, Parameter] = {}
    for axis in page.free:
        if isinstance(axis.numel, int):
            name = page.names(axis).numel
            found[name] = Parameter(kind, name, name)
    for name, passed in layout.scalars():
        if not name.isidentifier():
            raise UnprintableError(f"a number that is passed as `{name}`")
        found[name] = Parameter(floats.get(name, kind), name, passed, remarks.get(name, ""))
    return list(found.values())


def constants(page: Page, lines: Sequence[str]) -> tuple[Constant, ...]:
    """Sizes that are compiled in, those that the text says."""
    named, comments = words(lines), page.layout.size_words()
    sizes = page.layout.sizes.values.items()
    return tuple(Constant(name, *size, comments.get(name, "")) for name, size in sizes if name in named)


# ------------------------------------------------------------ the statements that launch it


def empty(page: Page) -> list[str]:
    """Nothing is launched for no elements."""
    free = [page.names(axis).numel for axis in page.free]
    return [f"if ({' || '.join(f'{numel} == 0' for numel in free)}) return 0;"] if free else []


def flat(page: Page, name: str, axis: Axis, many: int, arguments: str) -> list[str]:
    """One thread for an element, or for as many as a vector holds where every tensor begins at a multiple of it."""
    numel = page.names(axis).numel
    one = f"cdiv({numel}, {THREADS})"
    if many == 1:
        return [f"{name}<<<{one}, {THREADS}, 0, stream>>>({arguments});"]
    several = f"cdiv({numel}, {THREADS} * {many})"
    return packed_or_not(name, many, _whole_packs(page, many), (several, one), str(THREADS), arguments)


def packed_or_not(name: str, many: int, test: str, blocks: tuple[str, str], threads: str, arguments: str) -> list[str]:
    """Several elements a thread where a test says that they lie so, else one.

    Args:
        blocks: How many blocks there are of each.
    """
    several, one = blocks
    return [
        f"if ({test}) {{",
        f"    {name}<{many}><<<{several}, {threads}, 0, stream>>>({arguments});",
        "} else {",
        f"    {name}<1><<<{one}, {threads}, 0, stream>>>({arguments});",
        "}",
    ]


def _whole_packs(page: Page, many: int) -> str:
    """Whether all that is accessed for several elements at once lies so that it can be."""
    page.calls("aligned")
    pointers = {pointer: None for pointer, _, _ in page.packs}
    tests = [f"aligned<{many}>({page.tensors[pointer].name}_ptr)" for pointer in pointers]
    return " && ".join([*tests, *(f"{translated(number).at(PRODUCT)} % {many} == 0" for number in page.divided)])


def tiled(page: Page, name: str, axes: Sequence[Axis], arguments: str) -> list[str]:
    """Tiles of two dimensions; the grid's y and z hold 65,535 blocks, and a thread goes on from there."""
    numels = [page.names(axis).numel for axis in axes]
    sizes = [f"unsigned(cdiv({numels[0]}, {TILE[0]}))", f"unsigned(min(cdiv({numels[1]}, {TILE[1]}), int64_t({MOST})))"]
    sizes += [f"unsigned({along_grid(numel)})" for numel in numels[2:]]
    return [
        f"const dim3 grid({', '.join(sizes)});",
        f"{name}<<<grid, dim3({TILE[0]}, {TILE[1]}), 0, stream>>>({arguments});",
    ]


def along_grid(numel: str) -> str:
    """As many blocks as y or z of a grid can have."""
    return f"min(int64_t({numel}), int64_t({MOST}))"


def rows(page: Page, name: str, geometry: Geometry, arguments: str) -> list[str]:
    """As many threads for a row as its length asks for."""
    size, count = page.length(page.folded), _row_count(page)
    made, choices = list[str](), COLUMN_LANES if geometry.columns else LANES
    for number, (lanes, most) in enumerate(choices):
        side = 32 if geometry.columns else WARPS if lanes == 32 else 1
        block = f"dim3(32, {lanes})" if geometry.columns else f"dim3({lanes}, {side})" if side > 1 else str(lanes)
        blocks = f"cdiv({count}, {side})" if side > 1 else count
        test = f"if ({size} <= {most}) " if most else ""
        launch = f"{name}<{lanes}><<<{blocks}, {block}, 0, stream>>>({arguments});"
        made.append(f"{'else ' if number else ''}{test}{launch}")
    return made


def packed_rows(page: Page, name: str, many: int, arguments: str) -> list[str]:
    """The same where a thread takes several elements at once, of rows whose length is compiled in."""
    size, count = page.length(page.folded), _row_count(page)
    *some, (most, _) = PACKED_LANES
    lanes = " : ".join([*(f"{size} <= {limit} ? {lanes}" for lanes, limit in some), str(most)])
    block = f"<<<cdiv({count}, PER_BLOCK), dim3(LANES, PER_BLOCK), 0, stream>>>({arguments});"
    return [
        f"constexpr int LANES = {lanes};  // threads of a row",
        f"constexpr int PER_BLOCK = LANES == 32 ? {WARPS} : 1;  // of a block",
        f"if ({_whole_packs(page, many)}) {name}<LANES, {many}>{block}",
        f"else {name}<LANES, 1>{block}",
    ]


def _row_count(page: Page) -> str:
    """How many rows there are."""
    free = [page.names(axis).numel for axis in page.free]
    return " * ".join([f"int64_t({free[0]})", *free[1:]]) if len(free) > 1 else free[0] if free else "1"
