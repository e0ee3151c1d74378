"""What is in a click log: rows, clicks, and of each column what is missing, how many values there are, and how often the first comes."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

import numpy as np

from inductor_lab.criteo.format import DENSE, SPARSE, Table, parquet
from inductor_lab.criteo.reader import ClickLog


@dataclass(frozen=True)
class Column:
    """One column of a log."""

    name: str
    missing: int
    values: int
    """Distinct ones."""
    least: int | float
    largest: int | float
    most_frequent: float
    """Share of the value that comes most often among those that are there."""
    unlisted: int | None
    """Distinct categories that the metadata does not list; None where it lists none, or nobody gave it."""


@dataclass(frozen=True)
class Log:
    """A whole log."""

    rows: int
    row_groups: int
    largest_group: int
    """Rows of the largest row group: a reader holds whole ones."""
    clicks: int
    columns: list[Column]


def describe(
    path: Path, tables: list[Table] | None = None, progress: Callable[[int, int], None] = lambda done, of: None
) -> Log:
    """Read a log once, held to what it has to be; one column's distinct values are in memory at a time.

    Raises:
        LabError: as `ClickLog` for the file and its values.
    """
    log = ClickLog(path, missing="zero")
    clicks = 0
    for item in range(len(log)):  # each value is one that can be
        clicks += int(log[item].labels.sum())
        progress(item, 2 * len(log))
    columns = []
    for done, name in enumerate((*DENSE, *SPARSE)):
        listed = tables[SPARSE.index(name)].tokenizer_values if tables and name in SPARSE else None
        columns.append(_column(log, name, listed))
        progress(len(log) * (40 + done) // 39, 2 * len(log))
    return Log(log.rows, len(log), max(len(ours) for _, _, ours in log.spans), clicks, columns)


def _column(log: ClickLog, name: str, listed: list[int] | None) -> Column:
    file = parquet().ParquetFile(log.path, metadata=log.metadata)
    values, counts, missing = np.empty(0), np.empty(0, np.int64), 0
    for group, _, _ in log.spans:
        column = file.read_row_group(group, columns=[name])[name]
        missing += column.null_count
        found, often = np.unique(column.drop_null().to_numpy(), return_counts=True)
        known = np.concatenate([values, found]) if len(values) else found
        values, where = np.unique(known, return_inverse=True)
        counts = np.bincount(where, np.concatenate([counts, often]), len(values))
    unlisted = int((~np.isin(values, np.array(listed, np.int64))).sum()) if listed else None
    if not len(values):
        return Column(name, missing, 0, 0, 0, 0.0, unlisted)
    return Column(
        name, missing, len(values), values[0].item(), values[-1].item(), counts.max() / counts.sum(), unlisted
    )
