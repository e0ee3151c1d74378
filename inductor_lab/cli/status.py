"""The verb that says which ejected files are stale."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from inductor_lab.cli import output
from inductor_lab.cli.options import Json, complete_ejected
from inductor_lab.errors import LabError

COLOURS = {"fresh": "bold green", "stale": "bold red", "unknown": "bold yellow"}


def status(
    files: Annotated[
        list[Path] | None,
        typer.Argument(
            metavar="[FILE...]",
            autocompletion=complete_ejected,
            help="Ejected files, or folders for all below them; this folder unless given.",
        ),
    ] = None,
    json: Json = False,
) -> None:
    """Which ejected files are no longer what their captures hold.

    The body, the shapes or the inputs are others, or there is no such kernel any more. Exits with 1 when one is stale.
    """
    from rich.table import Table
    from rich.text import Text

    from inductor_lab import staleness, store

    asked = files or [Path()]
    named = [one for one in asked if not one.is_dir()]
    for file in named:
        output.need(file)
    below = [path for folder in asked if folder.is_dir() for path in staleness.found(folder) if path not in named]
    if not named and not below:
        where = f"below {', '.join(map(str, files))}" if files else "below this folder"
        raise LabError(f"There is no ejected file {where}; write one with `inductor-lab eject KERNEL -o FILE`.")
    found = staleness.statuses(named) + staleness.statuses(below, named=False)
    if json:
        output.document({"files": [store.to_dict(one) for one in found]})
    else:
        table = Table(box=None, pad_edge=False, padding=(0, 2, 0, 0), header_style="bold")
        for column in ("file", "", "kernel", ""):
            table.add_column(column, overflow="fold")
        for one in found:
            said = "; ".join([*(["edited"] if one.edited else []), *one.changes])
            table.add_row(Text(one.file), Text(one.state, COLOURS[one.state]), Text(one.kernel), Text(said))
        output.show(table)
    if any(one.state == "stale" for one in found):
        raise typer.Exit(1)
