"""Kaggle's tab-separated text as Parquet: a label, 13 whole numbers, 26 hashes of eight hexadecimal digits; an empty field is missing.

It goes block by block, packed or not. What stays in memory is which values each column of categories has.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import numpy as np

from inductor_lab.criteo.format import COLUMNS, DENSE, GROUP, LABEL, SPARSE, parquet, schema, whole, write_metadata
from inductor_lab.errors import LabError

BLOCK = 16 << 20
"""Bytes of text that are read at a time: some 70,000 lines."""
FORMS = {
    LABEL: (r"^[01]$", "a label is 0 or 1"),
    **dict.fromkeys(DENSE, (r"^-?[0-9]{1,18}$", "a count is a whole number")),
    **dict.fromkeys(SPARSE, (r"^[0-9a-fA-F]{1,8}$", "a category is up to eight hexadecimal digits")),
}
"""Column -> what its text looks like, and that in words."""


def convert(
    text: Path,
    path: Path,
    metadata: Path,
    *,
    skip: bool = False,
    progress: Callable[[int, int], None] = lambda done, of: None,
) -> tuple[int, list[str]]:
    """Write the log and its metadata; how many rows it has, and what was wrong with each line that was left out.

    Without `skip` the first malformed line is an error. `progress` is told bytes of the text.

    Raises:
        LabError: a line is malformed, with its number from 1 and what is wrong; there are none; a file can not be read or written.
    """
    arrow = parquet()
    import pyarrow

    wrong: dict[int, str] = {}
    seen = [np.empty(0, np.int64) for _ in SPARSE]
    rows = read = 0
    with _blocks(text, wrong, progress) as blocks, whole(path, metadata) as (log, tables):
        with arrow.ParquetWriter(log, schema()) as writer:
            for block in blocks:
                good = _well_formed(block, read, wrong)
                read += len(block)
                if wrong and not skip:
                    raise LabError(f"{text}, line {min(wrong)}: {wrong[min(wrong)]}.")
                kept = block.filter(pyarrow.array(good))
                columns = [_numbers(name, kept.column(name)) for name in COLUMNS]
                writer.write_table(pyarrow.table(columns, schema=schema()), row_group_size=GROUP)
                rows += len(kept)
                for table, column in enumerate(columns[-len(SPARSE) :]):
                    seen[table] = np.union1d(seen[table], column.drop_null().to_numpy())
        if not rows:
            raise LabError(f"{text} has no well-formed line.")
        # An embedding table has at least a row: where all are missing, that of 0.
        write_metadata(tables, (values if len(values) else np.zeros(1, np.int64) for values in seen))
    return rows, [f"line {line}: {why}" for line, why in sorted(wrong.items())]


@contextmanager
def _blocks(text: Path, wrong: dict[int, str], progress: Callable[[int, int], None]) -> Iterator[Iterator[Any]]:
    """Batches of 40 columns of text each. A line of another number of fields is in none, and in `wrong` before those behind it come."""
    import pyarrow
    from pyarrow import csv

    def other(line: Any) -> str:
        wrong[line.number] = f"it has {line.actual_columns} fields, and not {line.expected_columns}"
        return "skip"

    with _reading(text):
        size = text.stat().st_size
        with text.open("rb") as file:
            stream = pyarrow.CompressedInputStream(file, "gzip") if text.suffix == ".gz" else file
            reader = csv.open_csv(
                stream,
                # With threads lines have no numbers. Every byte is a letter of Latin-1: what is wrong with it is told by its line.
                csv.ReadOptions(column_names=COLUMNS, block_size=BLOCK, use_threads=False, encoding="latin1"),
                csv.ParseOptions(delimiter="\t", quote_char=False, ignore_empty_lines=False, invalid_row_handler=other),
                csv.ConvertOptions(
                    column_types=dict.fromkeys(COLUMNS, pyarrow.string()), null_values=[""], strings_can_be_null=True
                ),
            )
            yield _each(reader, text, lambda: progress(file.tell(), size))


def _each(reader: Any, text: Path, read: Callable[[], None]) -> Iterator[Any]:
    """The reader's batches; that one can not be read is told here, before it looks like something wrong with what is written."""
    with _reading(text):
        for block in reader:
            read()
            yield block


@contextmanager
def _reading(text: Path) -> Iterator[None]:
    import pyarrow

    try:
        yield
    except pyarrow.ArrowInvalid as error:
        raise LabError(f"Can not read {text}: {str(error).strip().partition(chr(10))[0]}.") from error
    except OSError as error:
        raise LabError(f"Can not read {text}: {error.strerror or error}.") from error


def _well_formed(block: Any, before: int, wrong: dict[int, str]) -> np.ndarray:
    """Which rows of a block can be read: [rows] bool. What is wrong with the others goes into `wrong`; `before` rows came earlier."""
    import pyarrow.compute as pc

    good = np.ones(len(block), bool)
    ragged = sorted(wrong)
    for name, (form, said) in FORMS.items():
        column = block.column(name)
        fits = pc.match_substring_regex(column, form).fill_null(name != LABEL).to_numpy(zero_copy_only=False)
        for row in np.flatnonzero(good & ~fits).tolist():
            field = column[row].as_py()
            wrong[_line(before + row, ragged)] = f"{name} is {'missing' if field is None else repr(field)}, and {said}"
        good &= fits
    return good


def _line(row: int, ragged: list[int]) -> int:
    """The number, from 1, of the line that the row is in, counted from 0 over lines of 40 fields; `ragged` are the others', ascending."""
    line = row + 1
    for other in ragged:
        line += other <= line
    return line


def _numbers(name: str, column: Any) -> Any:
    """Text that is well-formed as int64, null where it was."""
    import pyarrow
    import pyarrow.compute as pc

    if name not in SPARSE:
        return column.cast(pyarrow.int64())
    digits = pc.utf8_lpad(pc.utf8_lower(column).fill_null(""), 8, "0").cast(pyarrow.binary(8))
    codes = (
        np.frombuffer(digits.buffers()[1], np.uint8, len(digits) * 8, digits.offset * 8).reshape(-1, 8).astype(np.int64)
    )
    numbers = np.where(codes > ord("9"), codes - ord("a") + 10, codes - ord("0")) @ (16 ** np.arange(8)[::-1])
    return pyarrow.array(numbers, mask=column.is_null().to_numpy(zero_copy_only=False))
