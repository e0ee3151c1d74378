"""`--keep`: what a verb found is added to the results beside the captures."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Annotated, Any

import typer

from inductor_lab.cli import output

Keep = Annotated[
    bool,
    typer.Option("--keep", help="Add the result to captured/results.jsonl, which list, show and report tell of."),
]


def keeper(file: Path, kind: str, wanted: bool) -> Callable[..., None]:
    """What keeps a record of the file, where that is wanted.

    Raises:
        LabError: it is no ejected file, or nothing can be written.
    """
    if not wanted:
        return lambda found, device="": None
    from inductor_lab.measure.history import Keeper

    keeping = Keeper(file)

    def keep(found: Any, device: str = "") -> None:
        keeping.add(kind, found, device)
        output.note(f"{keeping.path}: the result is kept there")

    return keep
