"""`python -m inductor_lab.criteo`: a click log generated, converted or described."""

from __future__ import annotations

from dataclasses import asdict
from pathlib import Path
from typing import Annotated, Any

import typer

from inductor_lab.cli import main, output
from inductor_lab.cli.options import Verb

app = typer.Typer(no_args_is_help=True, add_completion=False, rich_markup_mode=None, pretty_exceptions_enable=False)

Log = Annotated[Path, typer.Argument(metavar="LOG.parquet", help="Parquet: labels, DENSE_0 to 12, SPARSE_0 to 25.")]
Output = Annotated[Path, typer.Option("--output", "-o", metavar="LOG.parquet", help="Where to write.")]
Metadata = Annotated[
    Path | None,
    typer.Option("--metadata", metavar="FILE.json", help="Its tables; the log's name with .json where not given."),
]
Json = Annotated[bool, typer.Option("--json", help="Print JSON.")]


@app.callback()
def about() -> None:
    """Click logs as Criteo publishes them: Parquet, and the metadata of its tables as JSON."""


@app.command(cls=Verb)
def sample(
    log: Output,
    metadata: Metadata = None,
    rows: Annotated[int, typer.Option("--rows", help="How many.")] = 100_000,
    seed: Annotated[int, typer.Option("--seed", help="The same seed, the same log.")] = 0,
    cap: Annotated[
        int, typer.Option("--cap", help="Values of the largest tables at most; 0: as Kaggle has them.")
    ] = 100_000,
    skew: Annotated[float, typer.Option("--skew", help="Zipf's exponent.")] = 1.05,
    missing: Annotated[float, typer.Option("--missing", help="Share of counts and categories that is missing.")] = 0.02,
    json: Json = False,
) -> None:
    """Generate a log: Kaggle's cardinalities, Zipf's skew, missing values."""
    from inductor_lab.criteo.sample import write_sample

    metadata = metadata or log.with_suffix(".json")
    with output.bar("rows") as progress:
        write_sample(log, metadata, rows, seed=seed, cap=cap or None, skew=skew, missing=missing, progress=progress)
    _written(log, metadata, rows, json)


@app.command(cls=Verb)
def convert(
    text: Annotated[Path, typer.Argument(metavar="TEXT", help="Kaggle's train.txt, or it packed as .gz.")],
    log: Output,
    metadata: Metadata = None,
    skip: Annotated[bool, typer.Option("--skip", help="Leave malformed lines out, and say which.")] = False,
    json: Json = False,
) -> None:
    """Convert Kaggle's tab-separated text; an empty field stays missing."""
    from inductor_lab.criteo.convert import convert

    metadata = metadata or log.with_suffix(".json")
    with output.bar("bytes") as progress:
        rows, left_out = convert(text, log, metadata, skip=skip, progress=progress)
    for line in left_out[:NAMED]:
        output.note(f"left out: {text}, {line}")
    if len(left_out) > NAMED:
        output.note(f"left out: {len(left_out) - NAMED:,} more lines")
    _written(log, metadata, rows, json, left_out=left_out)


NAMED = 10
"""Malformed lines that are told one by one; `--json` has all."""


@app.command(cls=Verb)
def describe(log: Log, metadata: Metadata = None, json: Json = False) -> None:
    """Read a whole log: what is missing, how many values, how skewed; what of it the metadata does not list."""
    from inductor_lab.criteo.format import read_metadata
    from inductor_lab.criteo.reader import describe

    beside = log.with_suffix(".json")
    said = metadata or (beside if beside.is_file() else None)
    with output.bar("row groups") as progress:
        found = describe(log, read_metadata(said) if said else None, progress)
    if json:
        output.document(asdict(found))
        return
    output.line(
        f"{log}: {found.rows:,} rows, {found.clicks / found.rows:.1%} clicked, {found.row_groups:,} row groups of "
        f"{found.largest_group:,} rows at most"
    )
    output.show(_table(found.columns, bool(said)))


def _table(columns: list[Any], described: bool) -> Any:
    from rich import box
    from rich.table import Table

    table = Table(box=box.SIMPLE)
    table.add_column("column")
    for name in ("missing", "values", "least", "largest", "most frequent", *(["not in the metadata"] * described)):
        table.add_column(name, justify="right")
    for column in columns:
        unlisted = [""] if column.unlisted is None else [f"{column.unlisted:,}"]
        numbers = (f"{value:,}" for value in (column.missing, column.values, column.least, column.largest))
        table.add_row(column.name, *numbers, f"{column.most_frequent:.1%}", *(unlisted * described))
    return table


def _written(log: Path, metadata: Path, rows: int, json: bool, **more: Any) -> None:
    if json:
        output.document({"log": str(log), "metadata": str(metadata), "rows": rows, **more})
    else:
        output.line(f"{log}: {rows:,} rows; its tables: {metadata}")


if __name__ == "__main__":
    main(app=app, name="python -m inductor_lab.criteo")
