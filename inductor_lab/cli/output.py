"""Where words go: data to stdout, progress and notes to stderr."""

from __future__ import annotations

import io
import sys
import time
from collections.abc import Callable, Iterable, Iterator, Mapping
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any

from inductor_lab.document import STEERING, printed
from inductor_lab.records import SCHEMA

if TYPE_CHECKING:
    from rich.console import Console


def document(fields: Mapping[str, Any]) -> None:
    """One JSON document on stdout."""
    print(printed({"schema": SCHEMA, **fields}), end="")


_REPLACED = dict.fromkeys(STEERING, "\N{REPLACEMENT CHARACTER}")


def show(*renderables: Any) -> None:
    """Tables and text for people, on stdout; plain where stdout is no terminal."""
    from rich.console import Console

    if sys.stdout.isatty():
        _print(Console(highlight=False), renderables)
        return
    # A pipe has no width: 80 columns would cut names that a script then looks for. What only fills the width goes.
    console = Console(highlight=False, width=160, no_color=True, file=io.StringIO())
    _print(console, renderables)
    print("\n".join(line.rstrip() for line in console.file.getvalue().splitlines()))  # type: ignore[attr-defined]


def _print(console: Console, renderables: Iterable[Any]) -> None:
    """What a log says can not steer the terminal: rich's own colours stay, such characters of the text do not."""
    from rich.segment import Segment, Segments

    for renderable in renderables:
        drawn = console.render_str(renderable) if isinstance(renderable, str) else renderable
        lines = (Segment(s.text.translate(_REPLACED), s.style, s.control) for s in console.render(drawn))
        console.print(Segments(lines), end="")


def note(sentence: str) -> None:
    """One line for people, on stderr."""
    print(sentence.translate(_REPLACED), file=sys.stderr, flush=True)


@contextmanager
def progress(doing: str) -> Iterator[Callable[[str], None]]:
    """While something slow runs: a spinner on a terminal, a line with the seconds it took elsewhere.

    Yields a function that takes what is being done now.
    """
    began = time.monotonic()
    if sys.stderr.isatty():
        from rich.console import Console

        with Console(stderr=True).status(f"{doing} ...") as status:
            yield lambda step: status.update(f"{doing}: {step}")
    else:
        note(f"{doing} ...")
        yield lambda step: note(f"  {step}")
    note(f"{doing}: {time.monotonic() - began:.1f} s")
