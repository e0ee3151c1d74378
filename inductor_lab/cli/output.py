"""Where words go: data to stdout, progress and notes to stderr."""

from __future__ import annotations

import io
import sys
import time
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from typing import Any

from inductor_lab.document import printed
from inductor_lab.records import SCHEMA


def document(fields: Mapping[str, Any]) -> None:
    """One JSON document on stdout."""
    print(printed({"schema": SCHEMA, **fields}), end="")


def show(*renderables: Any) -> None:
    """Tables and text for people, on stdout; plain where stdout is no terminal."""
    from rich.console import Console

    if sys.stdout.isatty():
        Console(highlight=False).print(*renderables, sep="\n")
        return
    # A pipe has no width: 80 columns would cut names that a script then looks for. What only fills the width goes.
    console = Console(highlight=False, width=160, no_color=True, file=io.StringIO())
    console.print(*renderables, sep="\n")
    print("\n".join(line.rstrip() for line in console.file.getvalue().splitlines()))


def note(sentence: str) -> None:
    """One line for people, on stderr."""
    print(sentence, file=sys.stderr, flush=True)


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
