"""`bench --sweep`: what was asked, the progress, and the table."""

from __future__ import annotations

import shlex
import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING

from inductor_lab.cli import output
from inductor_lab.errors import LabError

if TYPE_CHECKING:
    from rich.table import Table

    from inductor_lab.measure.sweep.results import Row
    from inductor_lab.measure.sweep.sweeping import Engine, Swept


def run(
    file: Path,
    sizes: str,
    dtypes: str,
    folder: Path | None,
    gpus: str,
    engine: str,
    launch: str,
    cache: str,
    rounds: int,
    json: bool,
) -> None:
    """The verb, after it was told to sweep."""
    from inductor_lab.measure.sweep.size_axes import axes
    from inductor_lab.measure.sweep.sweeping import sweep
    from inductor_lab.measure.timing.samples import Method

    asked = axes(sizes) if sizes else ()
    names = [name.strip().removeprefix("torch.") for name in dtypes.split(",")] if dtypes else []
    chosen = _engine(engine, gpus)
    with _progress(f"Sweeping {file}") as progress:
        swept = sweep(
            file,
            asked,
            names,
            folder=folder or file.with_name(f"{file.stem}_sweep"),
            method=Method(launch, cache, rounds),
            engine=chosen,
            command=shlex.join(["inductor-lab", *sys.argv[1:]]),
            progress=progress,
        )
    for note in swept.notes:
        output.note(note)
    if json:
        output.document(swept.document())
    else:
        from inductor_lab.measure.sweep import tables

        output.show(_table(swept), tables.about(swept.rows, swept.document()))
    _say_where(swept)


def _engine(name: str, gpus: str) -> Engine:
    from functools import partial

    from inductor_lab.measure.sweep import engines

    if name not in ("", "ray"):
        raise LabError(f"There is no engine {name!r}: it is ray, or leave --engine out.")
    if name and gpus:
        raise LabError("--gpus names GPUs of this host, and --engine ray takes those of its cluster: give one of both.")
    return engines.through_ray if name else partial(engines.on_this_host, gpus=engines.gpu_numbers(gpus))


def _say_where(swept: Swept) -> None:
    there = len(swept.points) - swept.measured
    earlier = f" ({there} of an earlier run)" if there else ""
    plots = "".join(f", {path.name}" for path in swept.plots)
    folder = swept.results.folder
    output.note(f"{len(swept.points)} rows{earlier} in {folder}: results.json, table.csv, table.md{plots}")


def _table(swept: Swept) -> Table:
    from rich.table import Table
    from rich.text import Text

    from inductor_lab.measure.sweep import tables

    table = Table(box=None, pad_edge=False, padding=(0, 2, 0, 0), header_style="bold")
    for column in tables.header(swept.rows, swept.axes):
        table.add_column(column, overflow="fold")
    for cells in tables.cells(swept.rows, swept.axes):
        table.add_row(*map(Text, cells))
    return table


@contextmanager
def _progress(doing: str) -> Iterator[Callable[[int, int, Row], None]]:
    """A bar with the time left on a terminal, a line for each row elsewhere."""
    if not sys.stderr.isatty():
        with output.progress(doing) as said:
            yield lambda done, count, row: said(f"{done} of {count}: {_said(row)}")
        return
    from rich.console import Console
    from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeRemainingColumn

    columns = (TextColumn("{task.description}"), BarColumn(), MofNCompleteColumn(), TimeRemainingColumn())
    with Progress(*columns, TextColumn("{task.fields[last]}"), console=Console(stderr=True)) as bar:
        task = bar.add_task(doing, total=None, last="")
        yield lambda done, count, row: bar.update(task, completed=done, total=count, last=_said(row))


def _said(row: Row) -> str:
    """What was found at a point, in few words."""
    hand = row.times.get("hand")
    if hand is None:
        return f"{row.point.name}: {row.outcome}{f': {row.why}' if row.why else ''}"
    against = f", {row.ratio:.2f}x {row.against}'s speed" if row.ratio else ""
    return f"{row.point.name}: {hand.median:.2f} us{against}"
