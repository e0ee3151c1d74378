"""Rich renderables as plain text or on a console: what a log says is shown, and steers no terminal."""

from __future__ import annotations

import io
from typing import Any

from rich.console import Console
from rich.segment import Segment, Segments

from inductor_lab.document import REPLACED
from inductor_lab.report.table import Table

WIDTH = 140
"""Columns where nothing says how many there are: 80 would cut names that a script then looks for."""


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
    console = Console(highlight=False, width=width, color_system=None, file=io.StringIO(), force_jupyter=False)
    draw(console, renderable)
    lines = console.file.getvalue().splitlines()  # type: ignore[attr-defined]
    return "\n".join(line.rstrip() for line in lines)


def _safe(console: Console, renderable: Any) -> list[Segment]:
    drawn = console.render_str(renderable) if isinstance(renderable, str) else renderable
    return [Segment(s.text.translate(REPLACED), s.style, s.control) for s in console.render(drawn)]
