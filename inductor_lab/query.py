"""SQL over everything that was read: captures and logs in one DuckDB file or Parquet folder, and a query's answer.

A source is read again only when its size or time stamp changed. The query itself sees the tables and nothing else: the
database is opened again read-only, without access to files, and its settings locked.
"""

from __future__ import annotations

import json
import os
import tempfile
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import Any

from inductor_lab import workers
from inductor_lab.errors import LabError
from inductor_lab.tables import TABLES, Parsed, Rows, rows, sources, stamp, work

FILES = {".duckdb", ".db", ".ddb"}
"""Endings of a store that is one DuckDB file; any other name is a folder of Parquet files, one for each table."""

ALLOWED = {"SELECT", "EXPLAIN"}
"""Statements that only read. DuckDB counts DESCRIBE, SHOW, SUMMARIZE, FROM, VALUES and WITH among the first."""


@dataclass(frozen=True)
class Answer:
    """What a query found."""

    columns: tuple[str, ...]
    types: tuple[str, ...]
    """DuckDB's: `VARCHAR`, `BIGINT`, `VARCHAR[]`."""
    rows: tuple[tuple[Any, ...], ...]


def query(
    sql: str, over: Sequence[str] = (), kept: Path | None = None, progress: Callable[[str], None] = lambda step: None
) -> Answer:
    """Bring the store up to date with what is `over`, then ask it. Without a store everything is read for this once.

    Raises:
        LabError: duckdb is not installed, a source or the store can not be used, or the SQL is wrong.
    """
    _check(sql)
    with _store(kept) as file:
        if over:
            _update(file, over, progress)
            _write_parquet(file, kept)
        return _ask(file, sql)


def keep(parts: Iterable[Rows], kept: Path) -> None:
    """Put what `rows` returned, on this machine or on many, into a store; what it had of these sources is replaced."""
    with _store(kept) as file:
        _insert(file, parts, ())
        _write_parquet(file, kept)


def _duckdb() -> Any:
    try:
        import duckdb
    except ModuleNotFoundError as error:
        raise LabError("`query` needs DuckDB, which is not installed; pip install 'inductor_lab[query]'.") from error
    return duckdb


# The store


@contextmanager
def _store(kept: Path | None) -> Iterator[Path]:
    """A DuckDB file with all tables: the user's own, or one for this once, filled from the Parquet files if any."""
    duckdb = _duckdb()
    with tempfile.TemporaryDirectory(prefix="inductor-lab-") as folder:
        file = kept if kept and kept.suffix in FILES else Path(folder) / "store.duckdb"
        try:
            file.parent.mkdir(parents=True, exist_ok=True)
            with duckdb.connect(str(file)) as database:
                _make_tables(database, file)
                if kept and file is not kept:
                    _read_parquet(database, kept)
        except (duckdb.Error, OSError) as error:
            raise LabError(f"{kept or file} can not be used as a store: {_sentence(error)}") from error
        yield file


CREATE = "\n".join(
    f'CREATE TABLE "{table}" (' + ", ".join(f'"{name}" {kind}' for name, (kind, _) in columns.items()) + ");"
    for table, columns in TABLES.items()
)
"""Makes all tables, in a database that has none."""


def _make_tables(database: Any, file: Path) -> None:
    there: dict[str, list[str]] = {}
    written = {table: list(columns) for table, columns in TABLES.items()}
    for table, column in database.execute("SELECT table_name, column_name FROM information_schema.columns").fetchall():
        there.setdefault(table, []).append(column)
    if there and there != written:
        raise LabError(f"{file} holds other tables than this version of inductor_lab writes; choose another --store.")
    if not there:
        database.execute(CREATE)


def _read_parquet(database: Any, folder: Path) -> None:
    if folder.exists() and not (
        folder.is_dir() and (not any(folder.iterdir()) or _parquet(folder, "sources").is_file())
    ):
        raise LabError(
            f"{folder} is no store; --store takes a .duckdb file, or a folder of its own that gets Parquet files."
        )
    for table, columns in TABLES.items():
        if _parquet(folder, table).is_file():
            names = ", ".join(f'"{name}"' for name in columns)
            database.execute(
                f'INSERT INTO "{table}" SELECT {names} FROM read_parquet(?)', [str(_parquet(folder, table))]
            )


def _write_parquet(file: Path, kept: Path | None) -> None:
    if kept is None or kept == file:
        return
    duckdb = _duckdb()
    try:
        kept.mkdir(parents=True, exist_ok=True)
        with duckdb.connect(str(file)) as database:
            for table in TABLES:
                # Whole or not at all: another process may be reading.
                new = kept / f".{table}.{os.getpid()}.parquet"
                quoted = str(new).replace("'", "''")
                database.execute(f"COPY \"{table}\" TO '{quoted}' (FORMAT parquet)")
                os.replace(new, _parquet(kept, table))
    except (duckdb.Error, OSError) as error:
        raise LabError(f"{kept} can not be written: {_sentence(error)}") from error


def _parquet(folder: Path, table: str) -> Path:
    return folder / f"{table}.parquet"


# Reading what changed


def _update(file: Path, over: Sequence[str], progress: Callable[[str], None]) -> None:
    wanted = [os.path.abspath(source) for source in sources(over)]
    own = {os.path.abspath(file)}
    with _duckdb().connect(str(file), read_only=True) as database:
        found = database.execute("SELECT source, size, modified FROM sources").fetchall()
    known = {source: (size, modified) for source, size, modified in found}
    stale = [source for source in wanted if source not in own and known.get(source) != stamp(source)]
    gone = [source for source in known if stamp(source) is None]
    if stale or gone:
        _insert(file, _read(stale, progress), gone)


def _read(stale: Sequence[str], progress: Callable[[str], None]) -> Iterator[Rows]:
    """The rows of every source, on all cores where there is enough to read."""
    shared = workers.parts({source: work(source) for source in stale})
    if not shared:
        yield from _told(map(partial(rows, parsed=Parsed()), stale), len(stale), progress)
        return
    with workers.Workers(f"{__name__}:reading") as pool:
        yield from _told(_flat(shared, pool.answers(shared)), len(stale), progress)


def _flat(shared: Sequence[Sequence[str]], answers: Iterable[Any]) -> Iterator[Rows]:
    for part, answer in zip(shared, answers, strict=True):
        if isinstance(answer, LabError):
            raise LabError(workers.lost(part))
        yield from answer


def reading() -> Callable[[list[str]], list[Rows]]:
    """What each process does with a part of the sources; what it parsed it keeps for the next."""
    parsed = Parsed()
    return lambda part: [rows(source, parsed) for source in part]


def _told(parts: Iterable[Rows], total: int, progress: Callable[[str], None]) -> Iterator[Rows]:
    step = max(1, total // 10)
    for number, part in enumerate(parts, 1):
        if number % step == 0:
            progress(f"{number} of {total} sources")
        yield part


def _insert(file: Path, parts: Iterable[Rows], gone: Sequence[str]) -> None:
    """Replace these sources' rows, all or nothing. They pass through files: memory holds one source at a time."""
    duckdb = _duckdb()
    with tempfile.TemporaryDirectory(prefix="inductor-lab-") as spool:
        files = {table: Path(spool) / f"{table}.json" for table in TABLES}
        replaced = [*gone]
        handles = {table: path.open("w", encoding="utf-8") for table, path in files.items()}
        try:
            for part in parts:
                replaced += [row["source"] for row in part["sources"]]
                for table, found in part.items():
                    handles[table].writelines(json.dumps(row) + "\n" for row in found)
        finally:
            for handle in handles.values():
                handle.close()
        try:
            with duckdb.connect(str(file)) as database:
                database.execute("BEGIN")
                for table, columns in TABLES.items():
                    described = ", ".join(f"'{name}': '{kind}'" for name, (kind, _) in columns.items())
                    database.execute(f'DELETE FROM "{table}" WHERE source IN (SELECT unnest(?))', [replaced])
                    database.execute(
                        f"INSERT INTO \"{table}\" SELECT * FROM read_json(?, format = 'newline_delimited', "
                        f"columns = {{{described}}}, maximum_object_size = 1000000000)",
                        [str(files[table])],
                    )
                database.execute("COMMIT")
        except duckdb.Error as error:
            raise LabError(f"{file} can not be written: {_sentence(error)}") from error


# Asking


def _check(sql: str) -> None:
    """Raise LabError for SQL that can not be right, before anything is read: it is prepared over tables without rows."""
    duckdb = _duckdb()
    with duckdb.connect(":memory:", config={"enable_external_access": "false"}) as database, _sql_errors():
        database.execute(CREATE)
        if _statement(database, sql).type.name == "SELECT":  # an EXPLAIN can not be prepared
            database.execute(f"PREPARE checked AS {sql}")


def _ask(file: Path, sql: str) -> Answer:
    duckdb = _duckdb()
    locked = {"enable_external_access": "false", "lock_configuration": "true"}
    with duckdb.connect(str(file), read_only=True, config=locked) as database, _sql_errors():
        found = database.execute(_statement(database, sql))
        columns = [(name, str(kind)) for name, kind, *_ in found.description]
        answer = found.fetchall()
    return Answer(tuple(name for name, _ in columns), tuple(kind for _, kind in columns), tuple(answer))


def _statement(database: Any, sql: str) -> Any:
    statements = database.extract_statements(sql)
    if len(statements) != 1 or statements[0].type.name not in ALLOWED:
        raise LabError("A query is one SELECT (or DESCRIBE, SUMMARIZE, EXPLAIN): the tables are read-only.")
    return statements[0]


@contextmanager
def _sql_errors() -> Iterator[None]:
    try:
        yield
    except _duckdb().Error as error:
        raise LabError(f"{_sentence(error)} `inductor-lab query` alone lists the tables and their columns.") from error


def _sentence(error: Exception) -> str:
    """`Catalog Error: Table with name kernel does not exist! Did you mean "kernels"?`: without the quoted query, and ended."""
    whole = error.strerror if isinstance(error, OSError) and error.strerror else str(error)
    said = " ".join(whole.split("\n\nLINE ")[0].split("\nLINE ")[0].split())
    return said if said.endswith((".", "?", "!")) else f"{said}."
