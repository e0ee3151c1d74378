"""What one job of several does, in blocks of 32 x 8 threads: an element each, an element of a tile, or rows that a warp folds.

Rows that lie side by side are 32 to a block, and 8 threads fold each.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from inductor_lab.computation.schedule import Axis
from inductor_lab.eject.cuda.axes import coordinates
from inductor_lab.eject.cuda.geometry import Geometry, geometry_of
from inductor_lab.eject.cuda.page import Page
from inductor_lab.eject.cuda.pointwise import TILE, element
from inductor_lab.eject.cuda.rows import Rows
from inductor_lab.eject.cuda.signature import constants

THREADS = TILE[0] * TILE[1]


@dataclass(frozen=True)
class Body:
    """The statements of one job."""

    lines: tuple[str, ...]
    sizes: tuple[str, ...]
    """The numbers of elements or rows that it is passed."""
    blocks: str
    """How many blocks it takes, by these numbers."""
    shared: str = "a thread takes one element of a job"
    """How threads share it."""


def body(page: Page) -> Body:
    """A job's, on the card."""
    axes = page.found.schedule.axes
    free = [axis for axis in axes if not axis.reduced]
    sizes = tuple(page.layout.names[axis.name].numel for axis in free)
    if len(free) < len(axes):
        geometry = Geometry(geometry_of(page).columns, "block")
        lines = Rows(page, geometry).lines()
        lanes, rows = (8, 32) if geometry.columns else (32, 8)
        shared = "8 threads share each of 32 columns" if geometry.columns else "a warp takes one row"
        made = [f"constexpr int LANES = {lanes};", *lines]
        return Body(sized(page, made), sizes, f"cdiv({' * '.join(sizes) or '1'}, {rows})", f"{shared} of a job")
    lines = element(page)
    lines = [*(line for axis in free for line in coordinates(page, axis, lines)), *lines]
    if len(free) == 1:
        index = page.layout.names[free[0].name].index
        head = [f"const int {index} = block * {THREADS} + threadIdx.y * {TILE[0]} + threadIdx.x;"]
        return Body(
            sized(page, [*head, f"if ({index} >= {sizes[0]}) return;", *lines]), sizes, f"cdiv({sizes[0]}, {THREADS})"
        )
    return _tile(page, sorted(free, key=lambda axis: axis.name), sizes, lines)


def _tile(page: Page, free: Sequence[Axis], sizes: tuple[str, ...], lines: Sequence[str]) -> Body:
    """Tiles one after the other, those along the first axis first."""
    names = [page.layout.names[axis.name] for axis in free]
    counts = [f"cdiv({names[0].numel}, {TILE[0]})", f"cdiv({names[1].numel}, {TILE[1]})"]
    head = [
        f"const int tiles = int({counts[0]});",
        f"const int {names[0].index} = block % tiles * {TILE[0]} + threadIdx.x;",
    ]
    outer = "block / tiles"
    if len(names) == 3:
        head += [
            f"const int tiles_of_two = tiles * int({counts[1]});",
            f"const int {names[2].index} = block / tiles_of_two;",
        ]
        outer = "block % tiles_of_two / tiles"
    head.append(f"const int {names[1].index} = {outer} * {TILE[1]} + threadIdx.y;")
    head.append(f"if ({names[0].index} >= {names[0].numel} || {names[1].index} >= {names[1].numel}) return;")
    blocks = " * ".join([*counts, *(each.numel for each in names[2:])])
    return Body(sized(page, [*head, *lines]), sizes, blocks)


def sized(page: Page, lines: Sequence[str]) -> tuple[str, ...]:
    """The statements behind the sizes that they say."""
    return (*(f"constexpr int {each.name} = {each.value};" for each in constants(page, lines)), *lines)
