"""What a click log is on disk: Parquet with a label, 13 counts and 26 categories a row, and beside it a JSON of the tables.

A category is an unsigned 32-bit hash, held as int64. The JSON says of each column of categories how many values it has, and which:
`{"SPARSE_0": {"cardinality": 2, "tokenizer_values": [1651969401, 3857972621]}, ...}`.
"""

from __future__ import annotations

import json
import os
import tempfile
from collections.abc import Iterable, Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from hashlib import sha256
from pathlib import Path
from typing import TYPE_CHECKING, Any

from inductor_lab.errors import LabError

if TYPE_CHECKING:
    import numpy

LABEL = "labels"
DENSE = tuple(f"DENSE_{i}" for i in range(13))
SPARSE = tuple(f"SPARSE_{i}" for i in range(26))
COLUMNS = (LABEL, *DENSE, *SPARSE)
HASHES = 1 << 32
"""A category is below."""
GROUP = 1 << 16
"""Rows of a row group that we write: 20 MB once read. A reader holds whole ones."""


@dataclass(frozen=True)
class Table:
    """One column of categories."""

    cardinality: int
    tokenizer_values: list[int]
    """Its values; where one stands is its row in an embedding table. Empty: nobody counted them."""


def read_metadata(path: Path) -> list[Table]:
    """The tables of SPARSE_0 to SPARSE_25.

    Raises:
        LabError: it is not there, no JSON, or says something else of a column.
    """
    try:
        said: Any = json.loads(path.read_text(encoding="utf-8"))
    except OSError as error:
        raise LabError(f"Can not read the metadata {path}: {error.strerror}.") from error
    except ValueError as error:
        raise LabError(f"{path} is no JSON: {error}.") from error
    return [_table(path, said.get(name) if isinstance(said, dict) else None, name) for name in SPARSE]


def _table(path: Path, said: Any, name: str) -> Table:
    if not isinstance(said, dict):
        raise LabError(f"{path} says nothing of {name}: it has to be an object with a cardinality.")
    cardinality, values = said.get("cardinality"), said.get("tokenizer_values", [])
    if type(cardinality) is not int or cardinality < 1:
        raise LabError(f"{path}: the cardinality of {name} is {cardinality!r}, and has to be a whole number above 0.")
    if not isinstance(values, list) or not all(type(value) is int for value in values):
        raise LabError(f"{path}: the tokenizer_values of {name} have to be a list of whole numbers.")
    if values and len(values) != cardinality:
        raise LabError(f"{path}: {name} has {len(values)} tokenizer_values and a cardinality of {cardinality}.")
    return Table(cardinality, values)


def digest(tables: Iterable[Table]) -> str:
    """The same for the same cardinalities and values: of SHA-256, what tells two apart."""
    found = sha256()
    for table in tables:
        found.update(repr(table).encode())
    return found.hexdigest()[:16]


def write_metadata(path: Path, values: Iterable[numpy.ndarray]) -> None:
    """The values of each column, in the order of the columns: one column is in memory at a time."""
    with path.open("w", encoding="utf-8") as stream:
        for name, column in zip(SPARSE, values, strict=True):
            table = {"cardinality": len(column), "tokenizer_values": column.tolist()}
            stream.write(f"{'{' if name == SPARSE[0] else ','}\n{json.dumps(name)}: {json.dumps(table)}")
        stream.write("\n}\n")


@contextmanager
def whole(*paths: Path) -> Iterator[list[Path]]:
    """Files to write in the place of these, which become them at the end, or of which nothing is left.

    Raises:
        LabError: they can not be written there.
    """
    written: list[Path] = []
    try:
        for path in paths:
            path.parent.mkdir(parents=True, exist_ok=True)
            handle, name = tempfile.mkstemp(prefix=f".{path.name}.", dir=path.parent)
            os.close(handle)
            written.append(Path(name))
        yield written
        for ready, path in zip(written, paths, strict=True):
            ready.chmod(0o644)
            ready.replace(path)
    except OSError as error:
        raise LabError(f"Can not write {paths[0]}: {error.strerror or error}.") from error
    finally:
        for path in written:
            with suppress(OSError):
                path.unlink()


def parquet() -> Any:
    """`pyarrow.parquet`.

    Raises:
        LabError: pyarrow is not installed.
    """
    try:
        import pyarrow.parquet
    except ImportError as error:
        raise LabError("Parquet needs pyarrow: pip install 'inductor_lab[dlrm]'.") from error
    return pyarrow.parquet


def schema() -> Any:
    """Of the files that we write: every column int64, a missing value null."""
    import pyarrow

    return pyarrow.schema([(name, pyarrow.int64()) for name in COLUMNS])
