"""Rich renderables as plain text, as HTML, or on a console: what a log says is shown, and steers no terminal."""

from __future__ import annotations

import html as html_
import io
from typing import Any

from rich.console import Console
from rich.segment import Segment, Segments
from rich.style import Style

from inductor_lab.document import REPLACED
from inductor_lab.report.table import Table

WIDTH = 160
"""Columns where nothing says how many there are: 80 would cut names that a script then looks for."""
COLOURS = {"bright_black": "opacity: 0.6", "cyan": "color: #0a7ea4", "yellow": "color: #b58900",
           "green": "color: #2e8b57", "red": "color: #c0392b"}  # fmt: skip
"""Of a terminal -> of a page, light or dark."""


def draw(console: Console, *renderables: Any) -> None:
    """Rich's own colours stay, characters of the text that steer a terminal do not."""
    for renderable in renderables:
        console.print(Segments(_safe(console, renderable)), end="")


def text(*renderables: Any, width: int = WIDTH) -> str:
    """Without colours, and without what only fills the width."""
    return "\n".join(_plain(renderable, width) for renderable in renderables)


def _plain(renderable: Any, width: int) -> str:
    if isinstance(renderable, Table):
        return renderable.text(width).translate(REPLACED)
    console = Console(highlight=False, width=width, no_color=True, file=io.StringIO())
    draw(console, renderable)
    lines = console.file.getvalue().splitlines()  # type: ignore[attr-defined]
    return "\n".join(line.rstrip() for line in lines)


def html(*renderables: Any, width: int = WIDTH) -> str:
    """One `<pre>`, its colours in it: it needs no style sheet and no script."""
    console = Console(highlight=False, width=width, file=io.StringIO())
    spans = (_span(segment) for renderable in renderables for segment in _safe(console, renderable))
    return f'<pre style="line-height: 1.3; white-space: pre; overflow-x: auto">{"".join(spans).rstrip()}</pre>'


def _safe(console: Console, renderable: Any) -> list[Segment]:
    drawn = console.render_str(renderable) if isinstance(renderable, str) else renderable
    return [Segment(s.text.translate(REPLACED), s.style, s.control) for s in console.render(drawn)]


def _span(segment: Segment) -> str:
    escaped = html_.escape(segment.text)
    style = _css(segment.style) if segment.style and segment.text.strip() else ""
    return f'<span style="{style}">{escaped}</span>' if style else escaped


def _css(style: Style) -> str:
    colour = COLOURS.get(style.color.name, "") if style.color else ""
    return "; ".join(part for part in (colour, "font-weight: bold" if style.bold else "") if part)
