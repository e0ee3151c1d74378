"""Reports what differs from a capture on the real card, once each, as `problem:` lines in the log. The log is stderr, or what `told_to` names."""

from __future__ import annotations

import sys
from collections.abc import Iterator
from contextlib import contextmanager
from typing import TextIO

PROBLEM, ERROR = "[inductor_lab] problem: ", "[inductor_lab] error: "
"""How lines of the log begin that are ours: of a capture that goes on, and of one that ends with them."""

_said: set[str] = set()
_log: TextIO | None = None


def problem(message: str) -> None:
    """Something that is not as it would be on the card; the reader keeps it with the capture. Each is said once."""
    line = f"{PROBLEM}{' '.join(message.split())}"
    if line not in _said:
        _said.add(line)
        tell(line + "\n")


@contextmanager
def reported(what: str) -> Iterator[None]:
    """An error (a full disk, memory that is out) is a problem of the capture, and none of the program.

    Args:
        what: The sentence, behind which the error is told.
    """
    try:
        yield
    except Exception as error:
        problem(f"{what} ({type(error).__name__}: {first_line(error)})")


def first_line(error: Exception) -> str:
    """Of what an error says; its type where it says nothing."""
    return (str(error).strip() or type(error).__name__).splitlines()[0]


def tell(text: str) -> None:
    """Text for the capture's reader: stderr in a captured process, whose stderr is the log."""
    stream = _log or sys.stderr
    stream.write(text)
    stream.flush()


@contextmanager
def told_to(log: TextIO) -> Iterator[None]:
    """While this lasts, problems go to `log`, and each is said again."""
    global _log, _said
    before = _log, _said
    _log, _said = log, set()
    try:
        yield
    finally:
        _log, _said = before
