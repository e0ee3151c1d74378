"""Rich renderables as plain text or on a console: what a log says is shown, and steers no terminal.

A long table is drawn in one pass: rich measures each cell of a table of its own several times, a second for a thousand rows. Columns are as wide as
their widest cell; one column takes what is left and is wrapped; where too little is left, columns go, the last named first.
"""

from __future__ import annotations

import io
from collections.abc import Callable, Container, Iterable, Iterator, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Generic, TypeVar

from rich.cells import cell_len, chop_cells, set_cell_size
from rich.console import Console, ConsoleOptions, RenderResult
from rich.segment import Segment, Segments
from rich.style import Style

from inductor_lab.document import REPLACED

if TYPE_CHECKING:
    import rich.table
    from rich.text import Text

GAP = 2
LEAST = 28
"""Columns of text that the wrapped column needs."""


Cell = tuple[tuple[str, str], ...]
"""The lines of a cell, each a text and its style; what a log puts into one may not end a line."""
Row = TypeVar("Row", contravariant=True)


@dataclass(frozen=True)
class Column(Generic[Row]):
    """One column of a table of records."""

    title: str
    text: Callable[[Row], str]
    """What it says of a record."""
    style: str = ""
    below: tuple[tuple[Callable[[Row], str | None], str], ...] = ()
    """What further lines of the cell say, each with its style; None for no such line."""
    number: bool = False
    """Whether it stands on the right."""
    wrapped: bool = False
    """Whether it takes what the others leave."""
    leaves: int = 0
    """In which order it goes where there is too little room, from 1; 0 for never."""

    def cell(self, row: Row) -> Cell:
        """What stands in a record's row."""
        lines = ((self.text(row), self.style), *((text(row), style) for text, style in self.below))
        return tuple((_line(text), style) for text, style in lines if text is not None)


class LongTable:
    """Rows of cells of one or more lines.

    Args:
        whole: Each row is one line, as a pipe wants it: what another table would wrap is cut.
    """

    def __init__(self, columns: Sequence[Column[Row]], rows: Iterable[Row], *, whole: bool = False) -> None:
        self.columns, self.whole = columns, whole
        self.rows = [[column.cell(row) for column in columns] for row in rows]

    def __rich_console__(self, console: Console, options: ConsoleOptions) -> RenderResult:
        styles = {style: console.get_style(style) if style else Style.null() for style in self._styles()}
        for line in self.lines(options.max_width):
            yield from (Segment(text, styles[style]) for text, style in line)
            yield Segment.line()

    def text(self, width: int) -> str:
        """Without colours, for a pipe."""
        return "\n".join("".join(text for text, _ in line) for line in self.lines(width))

    def lines(self, width: int) -> Iterator[list[tuple[str, str]]]:
        """Each line's texts with their styles."""
        widths = self._widths()
        shown = self._shown(widths, width)
        others = sum(widths[place] + GAP for place in shown if not self.columns[place].wrapped)
        for place in shown:
            if self.columns[place].wrapped:
                widths[place] = min(widths[place], max(width - others, LEAST // 2))
        heads: list[Cell] = [((column.title, "bright_black"),) for column in self.columns]
        for row in (heads, *self.rows):
            yield from self._drawn(row, shown, widths)

    def _widths(self) -> list[int]:
        return [
            max((_length(text) for cell in (((column.title, ""),), *cells) for text, _ in cell), default=0)
            for column, cells in zip(
                self.columns, zip(*self.rows, strict=True) if self.rows else [()] * len(self.columns), strict=True
            )
        ]

    def _shown(self, widths: Sequence[int], width: int) -> list[int]:
        """The columns for which there is room."""
        places = list(range(len(self.columns)))
        for place in sorted((p for p in places if self.columns[p].leaves), key=lambda p: self.columns[p].leaves):
            least = sum((min(widths[p], LEAST) if self.columns[p].wrapped else widths[p]) + GAP for p in places)
            if least - GAP <= width:
                break
            places.remove(place)
        return places

    def _styles(self) -> set[str]:
        return {style for row in self.rows for cell in row for _, style in cell} | {"bright_black"}

    def _drawn(
        self, row: Sequence[Cell], shown: Sequence[int], widths: Sequence[int]
    ) -> Iterator[list[tuple[str, str]]]:
        """The lines of one row."""
        fitted = _cut if self.whole else _folded
        cells = {p: list(fitted(row[p], widths[p])) if self.columns[p].wrapped else row[p] for p in shown}
        for number in range(max(map(len, cells.values()))):
            line, space = [], ""
            for place in shown:
                text, style = cells[place][number] if number < len(cells[place]) else ("", "")
                left = " " * (widths[place] - _length(text))
                before, after = (left, "") if self.columns[place].number else ("", left)
                if text:
                    line += [(space + before, ""), (text, style)]
                    space = after + " " * GAP
                else:
                    space += left + " " * GAP
            yield line


def _length(text: str) -> int:
    """Columns that a text takes; most are plain ASCII, for which this is quick."""
    return len(text) if text.isascii() else cell_len(text)


def _line(text: str) -> str:
    return " ".join(text.split()) if "\n" in text or "\t" in text else text


def _folded(cell: Cell, width: int) -> Iterator[tuple[str, str]]:
    """The first line of a cell in as many as it needs; what stands below it in one."""
    (first, style), *others = cell
    yield from ((line, style) for line in folded(first, width))
    yield from _cut(others, width)


def _cut(cell: Iterable[tuple[str, str]], width: int) -> Iterator[tuple[str, str]]:
    """Each line of a cell, what is too long for it left out."""
    for text, style in cell:
        yield (text if cell_len(text) <= width else set_cell_size(text, width - 1) + "…"), style


def folded(text: str, width: int) -> Iterator[str]:
    """A text in lines of this width, cut between words where there is a place to cut."""
    line = ""
    for word in text.split(" "):
        longer = f"{line} {word}" if line else word
        if cell_len(longer) <= width:
            line = longer
            continue
        if line:
            yield line
        *full, line = chop_cells(word, width) or [""]
        yield from full
    yield line


WIDTH = 140
"""Columns where nothing says how many there are: 80 would cut names that a script then looks for."""


def short_table(
    titles: Iterable[str], rows: Iterable[Iterable[str | Text]], *, head: str = "bold", numbers: Container[str] = ()
) -> rich.table.Table:
    """A table of rich's, without lines; what is wide is wrapped.

    Args:
        numbers: Titles of what stands on the right, and is not wrapped.
    """
    from rich.table import Table  # not for who draws a long one
    from rich.text import Text

    table = Table(box=None, header_style=head, pad_edge=False, padding=(0, GAP, 0, 0))
    for title in titles:
        right = title in numbers
        table.add_column(Text(title), justify="right" if right else "left", no_wrap=right, overflow="fold")
    for row in rows:
        table.add_row(*(Text(cell) if isinstance(cell, str) else cell for cell in row))
    return table


def draw(console: Console, *renderables: Any) -> None:
    """Rich's own colours stay, characters of the text that steer a terminal do not."""
    for renderable in renderables:
        console.print(Segments(_safe(console, renderable)), end="")


def text(*renderables: Any, width: int = WIDTH) -> str:
    """Without colours, and without what only fills the width."""
    return "\n".join(_plain(renderable, width) for renderable in renderables)


def _plain(renderable: Any, width: int) -> str:
    if isinstance(renderable, LongTable):
        return renderable.text(width).translate(REPLACED)
    console = Console(highlight=False, width=width, color_system=None, file=io.StringIO(), force_jupyter=False)
    draw(console, renderable)
    lines = console.file.getvalue().splitlines()  # type: ignore[attr-defined]
    return "\n".join(line.rstrip() for line in lines)


def _safe(console: Console, renderable: Any) -> list[Segment]:
    drawn = console.render_str(renderable) if isinstance(renderable, str) else renderable
    return [Segment(s.text.translate(REPLACED), s.style, s.control) for s in console.render(drawn)]
