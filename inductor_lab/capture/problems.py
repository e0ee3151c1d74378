"""What is not as it would be on the card, said once each, in the log, where the capture's reader finds it: stderr, or what `told_to` names."""

from __future__ import annotations

import sys
from collections.abc import Iterator
from contextlib import contextmanager
from typing import TextIO

MARK = "[inductor_lab] problem: "

_said: set[str] = set()
_log: TextIO | None = None


def problem(message: str) -> None:
    """Something that is not as it would be on the card; the reader keeps it with the capture. Each is said once."""
    line = f"{MARK}{' '.join(message.split())}"
    if line not in _said:
        _said.add(line)
        tell(line + "\n")


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
