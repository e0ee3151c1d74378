"""What people see, read back: what is printed on a terminal, and what the scripts of a page draw."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from html.parser import HTMLParser
from io import StringIO
from typing import Any

from kernels_as_text import ADD_RELU, ADD_RELU_TENSORS, LOOPED_SUM, LOOPED_SUM_TENSORS, capture, kernel
from rich.console import Console

from inductor_lab.annotate import annotate
from inductor_lab.records import Capture
from inductor_lab.report import html

HOSTILE = "<script>alert(1)</script></textarea>{{ 7 * 7 }}{% raw %}\"'><img src=x onerror=alert(2)> [red]markup[/red]"


def sample(**more: Any) -> Capture:
    first = kernel(ADD_RELU, ADD_RELU_TENSORS, **more)
    second = replace(kernel(LOOPED_SUM, LOOPED_SUM_TENSORS, category="reduction"), id="test:1")
    return annotate(capture(first, second))


def printed(renderable: Any, width: int = 100) -> str:
    stream = StringIO()
    Console(file=stream, width=width, no_color=True, highlight=False).print(renderable)
    return stream.getvalue()


class _Page(HTMLParser):
    """Counts elements, and finds anything that would be fetched or run."""

    def __init__(self) -> None:
        super().__init__()
        self.tags: dict[str, int] = {}
        self.loud: list[str] = []
        self.ids: list[str] = []

    def handle_starttag(self, tag: str, attributes: list[tuple[str, str | None]]) -> None:
        self.tags[tag] = self.tags.get(tag, 0) + 1
        for name, value in attributes:
            if name.startswith("on") or name == "src" or (name == "href" and not (value or "").startswith("#")):
                self.loud.append(f"{tag} {name}={value}")
            if name == "id":
                self.ids.append(value or "")


def parsed(text: str) -> _Page:
    page = _Page()
    page.feed(text)
    return page


def drawn(page: str) -> str:
    """Everything that a page's scripts draw, as one text: each value in a line."""

    def values(data: Any) -> Iterator[str]:
        if isinstance(data, dict | list):
            for inner in data.values() if isinstance(data, dict) else data:
                yield from values(inner)
        else:
            yield str(data)

    return "\n".join(values(html.unpacked(page)))
