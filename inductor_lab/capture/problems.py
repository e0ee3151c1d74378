"""What is not as it would be on the card, said once each, on stderr, where the capture's reader finds it."""

from __future__ import annotations

import sys

MARK = "[inductor_lab] problem: "

_said: set[str] = set()


def problem(message: str) -> None:
    """Something that is not as it would be on the card; the reader keeps it with the capture. Each is said once."""
    line = f"{MARK}{' '.join(message.split())}"
    if line not in _said:
        _said.add(line)
        print(line, file=sys.stderr, flush=True)
