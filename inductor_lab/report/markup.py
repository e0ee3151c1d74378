"""Rich renderables as HTML that a notebook lays out: a table is a table, so the same view serves the terminal and the browser.

No style sheet and no script, for GitHub shows neither; no background and few colours, so that it reads on light and on dark.
"""

from __future__ import annotations

import io
from collections.abc import Iterable, Iterator
from typing import Any

from markupsafe import Markup, escape
from rich.console import Console, Group
from rich.padding import Padding
from rich.segment import Segment
from rich.style import Style
from rich.table import Table
from rich.text import Text

from inductor_lab.document import REPLACED

WIDTH = 200
"""Columns that a view may think it has: a browser wraps by itself."""
COLOURS = {"bright_black": "opacity: 0.7", "cyan": "font-family: monospace; white-space: pre-wrap",
           "yellow": "color: #b26a00", "green": "color: #2e8b57", "red": "color: #d0402b"}  # fmt: skip
"""A terminal's colour -> a page's style, on light or dark. Cyan is code."""
CELL = "text-align: left; vertical-align: top; padding: 0.1em 0.8em 0.1em 0"
SHORT = "white-space: nowrap"
NUMBER = CELL.replace("left", "right")


def html(*renderables: Any) -> str:
    """One block; what a log says is text in it, never markup."""
    console = Console(highlight=False, width=WIDTH, file=io.StringIO(), force_jupyter=False)
    blocks = Markup("").join(_block(console, one) for one in renderables)
    return str(Markup('<div style="overflow-x: auto; line-height: 1.4">{}</div>').format(blocks))


def _block(console: Console, shown: Any) -> Markup:
    match shown:
        case str():
            return _paragraph(console.render_str(shown))
        case Text():
            return _paragraph(shown)
        case Table():
            return _table(console, shown)
        case Padding():
            return _block(console, shown.renderable)
        case Group():
            return Markup("").join(_block(console, one) for one in shown.renderables)
    return _drawn(console, shown)


def _drawn(console: Console, shown: Any) -> Markup:
    """What draws itself: of renderables in turn, or of characters."""
    if hasattr(shown, "__rich__"):
        return _block(console, shown.__rich__())
    parts = list(shown.__rich_console__(console, console.options))
    if not any(isinstance(part, Segment) for part in parts):
        return Markup("").join(_block(console, part) for part in parts)
    lines = "".join(part.text for part in parts if isinstance(part, Segment))
    return Markup("<pre>{}</pre>").format(_clean(lines))


def _paragraph(text: Text) -> Markup:
    return Markup("<div>{}</div>").format(_text(text)) if text.plain.strip() else Markup("<br>")


def _table(console: Console, table: Table) -> Markup:
    """Its header where it has one, then its rows, as they are and not as they would be cut for a terminal."""
    columns = table.columns
    styles = [NUMBER if column.justify == "right" else CELL for column in columns]
    head = Markup("")
    if table.show_header and any(str(column.header) for column in columns):
        named = (_cell(console, "th", style, column.header) for style, column in zip(styles, columns, strict=True))
        head = Markup("<thead><tr>{}</tr></thead>").format(Markup("").join(named))
    rows = (_row(console, cells, columns, styles) for cells in zip(*(column.cells for column in columns), strict=True))
    return Markup("<table>{}<tbody>{}</tbody></table>").format(head, Markup("").join(rows))


def _row(console: Console, cells: Iterable[Any], columns: Iterable[Any], styles: Iterable[str]) -> Markup:
    shown = (
        _cell(console, "td", style, cell, console.get_style(column.style))
        for cell, column, style in zip(cells, columns, styles, strict=True)
    )
    return Markup("<tr>{}</tr>").format(Markup("").join(shown))


def _cell(console: Console, tag: str, style: str, shown: Any, column: Style | None = None) -> Markup:
    own = "; ".join(filter(None, (_css(column) if column else "", SHORT if _is_short(shown) else "")))
    inner = _text(shown) if isinstance(shown, Text) else _text(console.render_str(shown)) if isinstance(shown, str) else _block(console, shown)  # fmt: skip
    return Markup('<{0} style="{1}">{2}</{0}>').format(tag, "; ".join(filter(None, (style, own))), inner)


def _is_short(shown: Any) -> bool:
    """Whether a cell is a word or a number, which no browser should break."""
    return isinstance(shown, (str, Text)) and len(str(shown)) < 24


def _text(text: Text) -> Markup:
    """Its runs, each in its style, lines apart."""
    return Markup("<br>").join(
        Markup("").join(_run(run, style) for run, style in _runs(line)) for line in text.split("\n")
    )


def _runs(line: Text) -> Iterator[tuple[str, Style]]:
    console = Console(file=io.StringIO(), force_jupyter=False)
    whole = console.get_style(line.style, default="")
    for segment in line.render(console, end=""):
        yield segment.text, whole + (segment.style or Style())


def _run(text: str, style: Style) -> Markup:
    css = _css(style) if text.strip() else ""
    return Markup('<span style="{}">{}</span>').format(css, _clean(text)) if css else _clean(text)


def _clean(text: str) -> Markup:
    return escape(text.translate(REPLACED))


def _css(style: Style) -> str:
    colour = COLOURS.get(style.color.name, "") if style.color else ""
    return "; ".join(part for part in (colour, "font-weight: bold" if style.bold else "") if part)
