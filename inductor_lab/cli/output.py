"""Where words go: data to stdout, progress and notes to stderr, and what `--keep` keeps to the results beside the captures."""

from __future__ import annotations

import os
import sys
import time
from collections.abc import Callable, Iterable, Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from inductor_lab.document import REPLACED, printed, to_dict
from inductor_lab.errors import LabError
from inductor_lab.records import SCHEMA


def keeper(file: Path, wanted: bool) -> Callable[..., None]:
    """What keeps a record of the file, where that is wanted.

    Raises:
        LabError: it is no ejected file, or nothing can be written.
    """
    if not wanted:
        return lambda found, device="": None
    from inductor_lab.measure.history import Keeper

    keeping = Keeper(file)

    def keep(found: Any, device: str = "") -> None:
        keeping.add(found, device)
        note(f"{keeping.path}: the result is kept there")

    return keep


def document(fields: Mapping[str, Any]) -> None:
    """One JSON document on stdout."""
    print(printed({"schema": SCHEMA, **fields}), end="")


def result(found: Any, json: bool, shown: Callable[[Any], Iterable[Any]]) -> None:
    """A record as one JSON document, or as it is shown to people."""
    if json:
        document(to_dict(found))
    else:
        show(*shown(found))


def show(*renderables: Any) -> None:
    """Tables and text for people, on stdout; plain where stdout is no terminal."""
    from rich.console import Console

    from inductor_lab.report import render

    if sys.stdout.isatty():
        render.draw(Console(highlight=False), *renderables)
    else:
        print(render.text(*renderables, width=_width()))


def line(sentence: str) -> None:
    """One line of data on stdout, however long."""
    print(sentence.translate(REPLACED))


def code(diff: str) -> None:
    """A unified diff on stdout, in colours on a terminal; no line is wrapped."""
    if not sys.stdout.isatty():
        print(diff.translate(REPLACED), end="")
        return
    from rich.console import Console
    from rich.text import Text

    console = Console(highlight=False)
    for line in diff.translate(REPLACED).splitlines():
        style = next((colour for mark, colour in DIFF_COLOURS.items() if line.startswith(mark)), "")
        console.print(Text(line, style), soft_wrap=True)


DIFF_COLOURS = {"---": "bold", "+++": "bold", "@@": "cyan", "-": "red", "+": "green"}


def write(file: Path, text: str) -> None:
    """A page that was asked for.

    Raises:
        LabError: it can not be written there.
    """
    try:
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_text(text, encoding="utf-8")
    except OSError as error:
        raise LabError(f"Can not write {file}: {error.strerror}; choose another name.") from error


def _width() -> int:
    """A pipe has no width: what the user says of it, or enough for the longest names."""
    from inductor_lab.report.render import WIDTH

    columns = os.environ.get("COLUMNS", "")
    return int(columns) if columns.isdecimal() and int(columns) >= NARROWEST else WIDTH


def unbounded() -> bool:
    """Whether stdout is a pipe of which nobody told a width: a list is taken apart by its lines there, and none is cut."""
    return not sys.stdout.isatty() and not os.environ.get("COLUMNS", "").isdecimal()


NARROWEST = 40
"""Columns below which no table can be read."""


def note(sentence: str) -> None:
    """One line for people, on stderr."""
    print(sentence.translate(REPLACED), file=sys.stderr, flush=True)


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


SOON, OFTEN = 2, 10
"""Seconds that nobody asks what is done; seconds between two lines that say it where there is no terminal."""


@contextmanager
def bar(doing: str) -> Iterator[Callable[..., None]]:
    """While something long is counted: after two seconds a bar with the time left on a terminal, a line now and then elsewhere.

    Yields a function that takes how much is done, of how much, and what else there is to say.
    """
    from rich.console import Console
    from rich.progress import BarColumn, Progress, TaskProgressColumn, TextColumn, TimeRemainingColumn

    console = Console(stderr=True)
    columns = (TextColumn("{task.description}"), BarColumn(), TaskProgressColumn(), TimeRemainingColumn())
    shown = Progress(*columns, TextColumn("{task.fields[said]}"), console=console, transient=True)
    task = shown.add_task(doing, said="")
    due = time.monotonic() + SOON

    def tell(done: int, of: int, said: str = "") -> None:
        nonlocal due
        shown.update(task, completed=done, total=of, said=said)
        if time.monotonic() < due:
            return
        if console.is_terminal:
            shown.start()
        else:
            due = time.monotonic() + OFTEN
            note(f"{doing}: {done:,} of {of:,}{f', {said}' if said else ''}")

    try:
        yield tell
    finally:
        if shown.live.is_started:
            shown.stop()


def need(file: Path) -> None:
    """An ejected file that a verb is given.

    Raises:
        LabError: there is none, it is a folder, or the CUDA C++ beside one.
    """
    if file.is_dir():
        raise LabError(f"{file} is a folder: name a file in it.")
    if file.suffix == ".cu":
        raise LabError(f"{file} is launched by the Python file beside it: name {file.with_suffix('.py')}.")
    if not file.is_file() and ":" in file.name:
        raise LabError(f"{file} names a kernel, and this needs a file: inductor-lab eject {file} -o FILE")
    if not file.is_file():
        raise LabError(f"There is no file {file}; write one with `inductor-lab eject KERNEL -o {file}`.")
