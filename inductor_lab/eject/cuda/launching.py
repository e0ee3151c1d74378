"""How a CUDA kernel is launched: how many threads share a row, whether several elements can be loaded at once, and the grid."""

from __future__ import annotations

from collections.abc import Sequence

from inductor_lab.computation.schedule import Axis
from inductor_lab.eject.cuda.code import PRODUCT, translated
from inductor_lab.eject.cuda.geometry import Geometry
from inductor_lab.eject.cuda.page import Page
from inductor_lab.eject.cuda.pointwise import THREADS, TILE

LANES = ((32, 512), (128, 2048), (512, 0))
"""Threads that share a row, and up to how many elements of it; 0 for any number."""
PACKED_LANES = ((32, 1024), (128, 4096), (256, 8192), (512, 0))
"""The same where a thread takes several elements at once."""
WARPS = 4
"""Rows of a block where one warp takes a row."""
COLUMN_LANES = ((8, 64), (32, 0))
"""The same of columns, 32 of which are a block's."""


def empty(page: Page) -> list[str]:
    """Nothing is launched for no elements."""
    free = [page.layout.names[axis.name].numel for axis in page.found.schedule.axes if not axis.reduced]
    return [f"if ({' || '.join(f'{numel} == 0' for numel in free)}) return 0;"] if free else []


def flat(page: Page, name: str, axis: Axis, many: int, arguments: str) -> list[str]:
    """One thread for an element, or for as many as a vector holds where every tensor begins at a multiple of it."""
    numel = page.layout.names[axis.name].numel
    if many == 1:
        return [f"{name}<<<cdiv({numel}, {THREADS}), {THREADS}, 0, stream>>>({arguments});"]
    return [
        f"if ({_whole_packs(page, many)}) {{",
        f"    {name}<{many}><<<cdiv({numel}, {THREADS} * {many}), {THREADS}, 0, stream>>>({arguments});",
        "} else {",
        f"    {name}<1><<<cdiv({numel}, {THREADS}), {THREADS}, 0, stream>>>({arguments});",
        "}",
    ]


def _whole_packs(page: Page, many: int) -> str:
    """Whether all that is accessed for several elements at once lies so that it can be."""
    page.helpers["aligned"] = None
    pointers = {pointer: None for pointer, _, _ in page.packs}
    tests = [f"aligned<{many}>({page.tensors[pointer].name}_ptr)" for pointer in pointers]
    return " && ".join([*tests, *(f"{translated(number).at(PRODUCT)} % {many} == 0" for number in page.divided)])


def tiled(page: Page, name: str, axes: Sequence[Axis], arguments: str) -> list[str]:
    """Tiles of two dimensions; the grid's y and z hold 65,535 blocks, and a thread goes on from there."""
    numels = [page.layout.names[axis.name].numel for axis in axes]
    sizes = [f"unsigned(cdiv({numels[0]}, {TILE[0]}))", f"unsigned(min(cdiv({numels[1]}, {TILE[1]}), int64_t(65535)))"]
    sizes += [f"unsigned(min(int64_t({numel}), int64_t(65535)))" for numel in numels[2:]]
    return [
        f"const dim3 grid({', '.join(sizes)});",
        f"{name}<<<grid, dim3({TILE[0]}, {TILE[1]}), 0, stream>>>({arguments});",
    ]


def rows(page: Page, name: str, geometry: Geometry, arguments: str) -> list[str]:
    """As many threads for a row as its length asks for."""
    size, count = _row_sizes(page)
    made, choices = list[str](), COLUMN_LANES if geometry.columns else LANES
    for number, (lanes, most) in enumerate(choices):
        side = 32 if geometry.columns else WARPS if lanes == 32 else 1
        block = f"dim3(32, {lanes})" if geometry.columns else f"dim3({lanes}, {side})" if side > 1 else str(lanes)
        launch = f"{name}<{lanes}><<<cdiv({count}, {side}), {block}, 0, stream>>>({arguments});"
        launch = launch.replace(f"cdiv({count}, 1)", count)
        test = f"if ({size} <= {most}) " if most else ""
        made.append(f"{'else ' if number else ''}{test}{launch}")
    return made


def packed_rows(page: Page, name: str, many: int, arguments: str) -> list[str]:
    """The same where a thread takes several elements at once, of rows whose length is compiled in."""
    size, count = _row_sizes(page)
    *some, (most, _) = PACKED_LANES
    lanes = " : ".join([*(f"{size} <= {limit} ? {lanes}" for lanes, limit in some), str(most)])
    block = f"<<<cdiv({count}, PER_BLOCK), dim3(LANES, PER_BLOCK), 0, stream>>>({arguments});"
    return [
        f"constexpr int LANES = {lanes};  // threads of a row",
        f"constexpr int PER_BLOCK = LANES == 32 ? {WARPS} : 1;  // of a block",
        f"if ({_whole_packs(page, many)}) {name}<LANES, {many}>{block}",
        f"else {name}<LANES, 1>{block}",
    ]


def _row_sizes(page: Page) -> tuple[str, str]:
    """A row's length, and how many rows there are."""
    free = [page.layout.names[axis.name].numel for axis in page.found.schedule.axes if not axis.reduced]
    folded = next(axis for axis in page.found.schedule.axes if axis.reduced)
    count = " * ".join([f"int64_t({free[0]})", *free[1:]]) if len(free) > 1 else free[0] if free else "1"
    return page.layout.scalar(f"{folded.name}numel"), count
