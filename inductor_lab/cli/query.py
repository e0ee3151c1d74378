"""The verb that asks across captures and logs: query."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated, Any

import typer

from inductor_lab.cli import output
from inductor_lab.cli.options import Json, complete_source


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
