"""The coordinates of an axis as C++ statements."""

from __future__ import annotations

import re
from collections.abc import Sequence

from inductor_lab.computation.schedule import Axis
from inductor_lab.eject.cuda.code import translated
from inductor_lab.eject.cuda.page import Page


def coordinates(page: Page, axis: Axis, lines: Sequence[str], kind: str = "") -> list[str]:
    """What cuts an axis into the coordinates that some lines say.

    Args:
        kind: Their type, where it is not the axis' own.
    """
    named = set(re.findall(r"\w+", "\n".join(lines)))
    kind = kind or ("int64_t" if axis.dtype == "int64" else "int")
    made = []
    for line in page.layout.coordinates.lines(axis):
        name, _, text = line.partition(" = ")
        if name in named:
            made.append(f"const {kind} {name} = {translated(text).text};")
    return made
