"""A click log as a torch data set: its items are row groups, so that each is read once, whichever worker does it.

Of a file larger than memory, a worker holds the row group that it reads and two that are ready. `describe` reads a whole log once and tells what is in it:
rows, clicks, and of each column what is missing, how many values there are, and how often the first comes.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import Any, Literal, NamedTuple, get_args

import numpy as np
import torch
from torch import Tensor
from torch.utils.data import DataLoader, Dataset

from inductor_lab.criteo.format import COLUMNS, DENSE, HASHES, LABEL, SPARSE, Table, parquet
from inductor_lab.errors import LabError

Missing = Literal["error", "zero", "skip"]
"""What becomes of a row with a missing value: an error, 0 in its place, or the row is left out."""


class Rows(NamedTuple):
    """Some rows of a log."""

    labels: Tensor
    """[rows] float32, 1 where it was clicked."""
    dense: Tensor
    """[rows, 13] float32."""
    sparse: Tensor
    """[rows, 26] int64, in [0, 2**32)."""

    def __getitem__(self, which: Any) -> Any:
        """Rows by a slice or a tensor of indices; a field by its number."""
        return tuple.__getitem__(self, which) if isinstance(which, int) else Rows(*(field[which] for field in self))

    def to(self, device: torch.device) -> Rows:
        return Rows(*(field.to(device, non_blocking=True) for field in self))


class ClickLog(Dataset[Rows]):
    """The rows [first, last) of a Parquet file, one item a row group. Rows are counted from 0, in the file.

    Raises:
        LabError: pyarrow is missing; there is no such file, it is no Parquet, has no rows, or lacks a column. For `missing` "error", the
            first missing value by row and column. As an item is read: the first value that can not be, by row and column.
    """

    def __init__(
        self, path: Path | str, *, first: int = 0, last: int | None = None, missing: Missing = "error"
    ) -> None:
        if missing not in get_args(Missing):
            raise LabError(f"Missing values can be {', '.join(get_args(Missing))}, and not {missing!r}.")
        self.path, self.missing = Path(path), missing
        self.metadata = _metadata(self.path)
        last = self.metadata.num_rows if last is None else min(last, self.metadata.num_rows)
        self.spans = list(_spans(self.metadata, first, last))
        """For each item: its row group, the row of the file that this begins with, and the rows of it that are ours."""
        self.rows = sum(len(ours) for _, _, ours in self.spans)
        if not self.rows:
            raise LabError(f"{self.path} has no rows{f' from {first} to {last}' if self.metadata.num_rows else ''}.")
        if missing == "error" and self.missing_values:
            for item, (group, _, _) in enumerate(self.spans):
                if _nulls(self.metadata.row_group(group)):
                    self[item]

    def __len__(self) -> int:
        return len(self.spans)

    @cached_property
    def missing_values(self) -> dict[str, int]:
        """Column -> how many values it lacks, of the columns that lack some, as the file's statistics have it of our row groups."""
        groups = [_nulls(self.metadata.row_group(group)) for group, _, _ in self.spans]
        counts = {name: sum(found.get(name, 0) for found in groups) for name in COLUMNS}
        return {name: count for name, count in counts.items() if count}

    def __getitem__(self, item: int) -> Rows:
        group, begins, ours = self.spans[item]
        try:
            file = parquet().ParquetFile(self.path, metadata=self.metadata)
            # A worker is a process, and has one core.
            table = file.read_row_group(group, columns=list(COLUMNS), use_threads=False)
        except OSError as error:
            raise LabError(f"Can not read row group {group} of {self.path}: {_first_line(error)}.") from error
        table = table.slice(ours.start - begins, len(ours))
        columns = {name: table[name].combine_chunks() for name in COLUMNS}
        absent = {name: column.is_null().to_numpy(zero_copy_only=False) for name, column in columns.items()}
        values = {name: column.fill_null(0).to_numpy(zero_copy_only=False) for name, column in columns.items()}
        refused = {name: _malformed(name, said) for name, said in values.items()}
        if self.missing == "error":
            refused = {name: wrong | absent[name] for name, wrong in refused.items()}
        if found := [(int(wrong.argmax()), name) for name, wrong in refused.items() if wrong.any()]:
            row, name = min(found, key=lambda one: one[0])
            value = "missing" if absent[name][row] else values[name][row]
            raise LabError(f"{self.path}, row {ours.start + row}: {name} is {value}; {_way_out(name, value)}.")
        rows = Rows(
            torch.from_numpy(values[LABEL].astype(np.float32)),
            torch.from_numpy(np.column_stack([values[name] for name in DENSE]).astype(np.float32)),
            torch.from_numpy(np.column_stack([values[name] for name in SPARSE]).astype(np.int64)),
        )
        if self.missing == "skip":
            return rows[torch.from_numpy(~np.logical_or.reduce(list(absent.values())))]
        return rows


def batches(
    log: ClickLog, size: int, *, shuffled: tuple[int, ...] | None = None, rest: bool = False, workers: int = 0
) -> Iterator[Rows]:
    """One pass over a log, in batches of `size`; the rows that fill none come last with `rest`, else not at all.

    `shuffled` is a seed, such as (seed, epoch): the row groups come in random order, and the rows of each. It is the same order for any
    number of `workers`, processes that read ahead.

    Raises:
        LabError: as `ClickLog` for an item.
    """
    random = None if shuffled is None else np.random.default_rng(shuffled)
    order = range(len(log)) if random is None else random.permutation(len(log)).tolist()
    # Its own generator: the caller's random state is left as it was.
    loader = DataLoader(
        _WithErrors(log), batch_size=None, sampler=order, num_workers=workers, generator=torch.Generator()
    )
    left: list[Rows] = []
    for rows in _raising(loader):
        if random is not None:
            rows = rows[torch.from_numpy(random.permutation(len(rows.labels)))]
        joined = Rows(*map(torch.cat, zip(*left, rows, strict=True))) if left else rows
        full = len(joined.labels) // size * size
        yield from (joined[begin : begin + size] for begin in range(0, full, size))
        left = [joined[full:]]
    if rest and left and len(left[0].labels):
        yield left[0]


class _WithErrors(Dataset[Rows | LabError]):
    """A log whose items are what they hold, or what is wrong with it.

    An error that a worker raises, torch raises again inside the iterator: the error's traceback holds the iterator, and when both are collected each
    worker is waited for for 5 s. In the traceback of an error that came as a value, and is raised here, there is no iterator.
    """

    def __init__(self, log: ClickLog) -> None:
        self.log = log

    def __getitem__(self, item: int) -> Rows | LabError:
        try:
            return self.log[item]
        except LabError as error:
            return error


def _raising(found: Iterable[Rows | LabError]) -> Iterator[Rows]:
    for rows in found:
        if isinstance(rows, LabError):
            raise rows
        yield rows


def _metadata(path: Path) -> Any:
    """The file's footer, with every column there and of a type that can be read."""
    arrow = parquet()
    from pyarrow import types

    if not path.is_file():
        raise LabError(f"There is no file {path}.")
    try:
        metadata = arrow.read_metadata(path)
    except OSError as error:
        raise LabError(f"Can not read {path}: {_first_line(error)}.") from error
    except ValueError as error:
        raise LabError(f"{path} is no Parquet file: {_first_line(error)}.") from error
    schema = metadata.schema.to_arrow_schema()
    for name in COLUMNS:
        if name not in schema.names:
            raise LabError(
                f"{path} has no column {name}; it has to have {LABEL}, {DENSE[0]} to 12 and {SPARSE[0]} to 25."
            )
        kind = schema.field(name).type
        if not (types.is_integer(kind) or (name in DENSE and types.is_floating(kind))):
            raise LabError(f"{path}: the column {name} is of type {kind}, and has to be of whole numbers.")
    return metadata


def _spans(metadata: Any, first: int, last: int) -> Iterator[tuple[int, int, range]]:
    begins = 0
    for group in range(metadata.num_row_groups):
        ends = begins + metadata.row_group(group).num_rows
        if ours := range(max(begins, first), min(ends, last)):
            yield group, begins, ours
        begins = ends


def _nulls(group: Any) -> dict[str, int]:
    """Column -> missing values in a row group, where its statistics tell."""
    columns = (group.column(i) for i in range(group.num_columns))
    told = ((column.path_in_schema, column.statistics) for column in columns)
    return {name: said.null_count for name, said in told if said is not None and said.null_count}


def _malformed(name: str, values: np.ndarray) -> np.ndarray:
    """Where a column's values can not be."""
    if name in DENSE:
        return ~np.isfinite(values)
    return (values < 0) | (values >= (2 if name == LABEL else HASHES))


def _way_out(name: str, value: Any) -> str:
    """What there is to do about a value."""
    if isinstance(value, str):
        return 'with missing="zero" it is read as 0, with "skip" the row is left out'
    if name == LABEL:
        return "a label is 0 or 1"
    return "a count has to be finite" if name in DENSE else "a category is an unsigned 32-bit hash"


def _first_line(error: BaseException) -> str:
    return str(error).strip().partition("\n")[0].rstrip(".")


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
