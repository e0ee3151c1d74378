"""The verbs that look over whole captures: spans worth one hand kernel, ejected files that are stale (status), and SQL across captures and logs (query)."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import Annotated, Any

import typer

from inductor_lab.cli import output
from inductor_lab.cli.options import CaptureName, Json, complete_ejected, complete_gpu, complete_source
from inductor_lab.errors import LabError

SORTS = {"saves": "all", "stake": "stake"}
TOP = 20


def spans(
    name: CaptureName,
    top: Annotated[
        int | None,
        typer.Option("--top", metavar="N", min=1, help=f"The first N; {TOP}, or with --json all, unless told."),
    ] = None,
    gpu: Annotated[
        str,
        typer.Option("--gpu", metavar="NAME", autocompletion=complete_gpu, help="The capture's card unless given."),
    ] = "",
    most: Annotated[int, typer.Option("--most", metavar="N", min=2, help="Steps of a span at most.")] = 32,
    filters: Annotated[
        list[str] | None,
        typer.Option("--filter", metavar="TEXT", help="Spans with this in their name or in what they do. Repeatable."),
    ] = None,
    sort: Annotated[
        str,
        typer.Option(
            "--sort",
            metavar="KEY",
            help="saves: what no edit of the single steps could; stake: what the steps take now less what one kernel needs.",
        ),
    ] = "saves",
    all_: Annotated[bool, typer.Option("--all", help="Also those that overlap a better one.")] = False,
    refused: Annotated[bool, typer.Option("--refused", help="Also what can not be part of a span, and why.")] = False,
    json: Json = False,
) -> None:
    """Consecutive steps that one kernel would do faster.

    Launches and library calls: what moves between them through memory, and what they cost beside one kernel that need not. A span is
    CAPTURE:GRAPH:FIRST-LAST, by the numbers of its steps: they begin at 0 and count library calls too, which numbers of kernels don't.
    """
    from inductor_lab import shelf, store
    from inductor_lab.costs.roofline import card
    from inductor_lab.gpus import find_gpu
    from inductor_lab.measure.history import of_capture
    from inductor_lab.report import lists
    from inductor_lab.report.history import seconds
    from inductor_lab.spans.find import spans as find

    if sort not in SORTS:
        raise LabError(f"--sort knows no {sort!r}: it takes {', '.join(SORTS)}.")
    capture = replace(shelf.whole(name), name=store.address(store.folder_of(name)))
    on = find_gpu(gpu) if gpu else card(capture.gpu)
    found, walls = find(capture, on=on, most=most, measured=seconds(of_capture(capture), on.name), overlapping=all_)
    words = [text.lower() for text in filters or ()]
    matching = [row for row in found if all(word in f"{row.name} {row.title}".lower() for word in words)]
    rows = sorted(matching, key=lambda row: -float(getattr(row, SORTS[sort])))[: top or (None if json else TOP)]
    if json:
        document = [{**store.to_dict(row), "all": row.all, "stake": row.stake} for row in rows]
        output.document({"card": on.key, "of": len(matching), "spans": document, "refused": store.to_dict(walls)})
        return
    if found and not matching:
        output.line(f"None of {len(found)} spans is what --filter asks for.")
        return
    if rows:
        output.show(lists.span_table(rows, whole=output.unbounded()))
    for sentence in (*lists.span_words(rows, len(matching), on), *(lists.refusals(walls) if refused else ())):
        output.line(sentence)


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


def query(
    sql: Annotated[str, typer.Argument(metavar="[SQL]", help="One SELECT; without it, the tables are listed.")] = "",
    over: Annotated[
        list[str] | None,
        typer.Option(
            "--over",
            metavar="PATH",
            autocompletion=complete_source,
            help="A folder, file or glob of captures and logs; repeatable. captured/ unless given.",
        ),
    ] = None,
    kept: Annotated[
        Path | None,
        typer.Option(
            "--store",
            metavar="PATH",
            help="Keep what was read: FILE.duckdb, or a folder for Parquet. Read again is what changed.",
        ),
    ] = None,
    json: Json = False,
) -> None:
    """SQL over the kernels of many captures and logs."""
    from inductor_lab import store
    from inductor_lab.errors import LabError

    if not sql:
        _tables(json)
        return
    from inductor_lab.query import query as ask

    places = over or ([] if kept and kept.exists() else [str(store.HOME)])
    if not over and places and not store.HOME.is_dir():
        raise LabError(f"There is no {store.HOME}/ here; name folders or logs with --over.")
    with output.progress("Reading " + ", ".join(places or [str(kept)])) as step:
        answer = ask(sql, places, kept, step)
    if json:
        columns = [{"name": name, "type": kind} for name, kind in zip(answer.columns, answer.types, strict=True)]
        named = [store.to_dict(dict(zip(_unique(answer.columns), row, strict=True))) for row in answer.rows]
        output.document({"columns": columns, "rows": named})
        return
    output.show(_table(answer.columns, answer.rows))


def _unique(columns: tuple[str, ...]) -> list[str]:
    """Keys of a row: the second `id` of a join is `id_1`."""
    found: list[str] = []
    for name in columns:
        found.append(name if name not in found else f"{name}_{sum(each.startswith(name) for each in found)}")
    return found


def _tables(json: bool) -> None:
    from inductor_lab.tables import TABLES

    if json:
        described = {
            table: [{"name": name, "type": kind, "holds": holds} for name, (kind, holds) in columns.items()]
            for table, columns in TABLES.items()
        }
        output.document({"tables": described})
        return
    listed = [
        (table, name, kind, holds) for table, columns in TABLES.items() for name, (kind, holds) in columns.items()
    ]
    output.show(_table(("table", "column", "type", "holds"), listed))


def _table(columns: tuple[str, ...], rows: Any) -> Any:
    from rich.table import Table
    from rich.text import Text

    table = Table(box=None, header_style="bold", pad_edge=False, padding=(0, 2, 0, 0))
    for position, name in enumerate(columns):
        numbers = bool(rows) and all(isinstance(row[position], (int, float, type(None))) for row in rows)
        table.add_column(Text(name), justify="right" if numbers else "left", overflow="fold")
    for row in rows:
        table.add_row(*(Text("" if value is None else _cell(value)) for value in row))
    return table


def _cell(value: Any) -> str:
    return ", ".join(map(_cell, value)) if isinstance(value, list) else str(value)
