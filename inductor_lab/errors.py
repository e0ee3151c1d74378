"""Everything that can be wrong with what the user gave us: one sentence, with the way out."""

from __future__ import annotations

import difflib
from collections.abc import Iterable


class LabError(Exception):
    """Wrong usage, a missing GPU, a missing capture, unreadable input. The command line prints it and exits with 2."""


MOST_NEAR = 3
"""Names that a wrong one may have meant."""


def unknown(said: str, name: str, known: Iterable[str], way_out: str) -> LabError:
    """What is wrong with a name, the near ones and the way out.

    `There is no capture 'lara': did you mean lora? 'inductor-lab list' shows all.`, and with a semicolon where none is near.
    """
    near = difflib.get_close_matches(name, dict.fromkeys(known), n=MOST_NEAR, cutoff=0.5)
    if not near:
        return LabError(f"{said}; {way_out}")
    *others, last = near
    meant = f"{', '.join(others)} or {last}" if others else last
    return LabError(f"{said}: did you mean {meant}? {way_out[0].upper()}{way_out[1:]}")


SHORT = "memory runs out: it needs a machine with more, or a capture of smaller sizes"


def short_of_memory(error: BaseException | None) -> bool:
    """Whether an exception, or one that it came of, says that no memory is left, the host's or a card's: Python's own, numpy's, torch's and the driver's."""
    while error is not None:
        if isinstance(error, MemoryError) or "out of memory" in str(error) or "can't allocate memory" in str(error):
            return True
        error = error.__cause__
    return False
