"""The launch geometry of a CUDA kernel: how the threads of a block share its elements or rows, and the statements that launch it.

Rows that are folded are shared along them, or across, as memory lies.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from inductor_lab.computation.index import Coordinate
from inductor_lab.computation.schedule import Access, Axis
from inductor_lab.eject.cuda.code import PRODUCT, translated
from inductor_lab.eject.cuda.operands import sorts
from inductor_lab.eject.cuda.page import Page
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
class Geometry:
    """How the threads of a block share its rows."""

    columns: bool
    """True where rows lie side by side, and threads beside each other take different ones."""
    block: str = "blockIdx.x"
    """Which block it is."""

    @property
    def threads(self) -> str:
        """Threads of a block, by those that share a row: 32 columns, four rows of a warp each, or one row."""
        return "32 * LANES" if self.columns else "LANES < 128 ? 128 : LANES"

    @property
    def fold(self) -> str:
        return "fold_columns" if self.columns else "fold"

    @property
    def scan(self) -> str:
        return "scan_columns" if self.columns else "scan_row"

    @property
    def lane(self) -> str:
        return "threadIdx.y" if self.columns else "threadIdx.x"

    @property
    def row(self) -> str:
        return "threadIdx.x" if self.columns else "threadIdx.y"


HOST = Geometry(False)


def geometry_of(page: Page) -> Geometry:
    """Threads beside each other read what lies side by side: along the row, or in 32 rows at once."""
    axis = folded(page).name
    along = across = 0
    for access in page.found.accesses:
        for term in access.index.terms:
            if isinstance(term.of, Coordinate) and abs(term.factor) == 1 and term.of.stride == 1 and not term.sizes:
                along += term.of.axis == axis
                across += term.of.axis != axis and _swept(access, axis)
    whole = any(sorts(value) for value in page.uses)  # 32 rows are more than fit into shared memory
    return Geometry(across > along and not whole)


def folded(page: Page) -> Axis:
    """The one axis that is folded.

    Raises:
        UnprintableError: there are several.
    """
    reduced = [axis for axis in page.axes if axis.reduced]
    if len(reduced) != 1:
        raise UnprintableError("a reduction along several axes of a tile is not printed in CUDA C++ yet")
    return reduced[0]


def _swept(access: Access, axis: str) -> bool:
    """Whether an access goes along the folded axis."""
    return any(isinstance(term.of, Coordinate) and term.of.axis == axis for term in access.index.terms)


# ------------------------------------------------------------ the launch


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
    size, count = page.length(folded(page)), _row_count(page)
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
    size, count = page.length(folded(page)), _row_count(page)
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
