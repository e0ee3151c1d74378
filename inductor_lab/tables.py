"""Captures and logs as plain rows: five tables of what Inductor wrote, and one of what was read.

`rows(source)` is one pure step from a path to rows that any engine can run: `workers` here, Dask or Ray Data on a
cluster (docs/scale.md).
"""

from __future__ import annotations

import glob
import os
from collections.abc import Callable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

from inductor_lab import store
from inductor_lab.annotate import annotate, summary
from inductor_lab.errors import LabError
from inductor_lab.read import Parsed, read
from inductor_lab.read.parsing import PACKED
from inductor_lab.records import Capture, Traffic

__all__ = ["TABLES", "Parsed", "Rows", "rows", "sources", "stamp"]

Rows = dict[str, list[dict[str, Any]]]
"""Table -> its rows."""

_FROM = {
    "source": ("VARCHAR", "what it was read from: a key of `sources`"),
    "capture": ("VARCHAR", "the capture's name; for a log, the file's name"),
}
TABLES: Mapping[str, Mapping[str, tuple[str, str]]] = {
    "kernels": {
        **_FROM,
        "id": ("VARCHAR", "`capture:index`, which other verbs take where the source is a capture"),
        "name": ("VARCHAR", "Inductor's name; not a key, Inductor reuses them"),
        "category": ("VARCHAR", "pointwise, reduction, persistent_reduction, template ..."),
        "graph": ("VARCHAR", "the first graph that defines it"),
        "kind": ("VARCHAR", "inference, forward, backward or unknown"),
        "body_sha256": ("VARCHAR", "the key of a kernel: the same body in many sources is the same kernel"),
        "definitions": ("BIGINT", "how often the source defines this body"),
        "launches": ("BIGINT", "how often the source launches it"),
        "ops": ("VARCHAR[]", "what the body does, derived from the body"),
        "computes": ("VARCHAR", "the same in one line"),
        "aten": ("VARCHAR[]", "what the comment above it claims"),
        "read": ("BIGINT", "bytes that one launch must read; NULL where it can not be counted"),
        "written": ("BIGINT", "bytes that one launch must write"),
        "flops": ("BIGINT", "floating-point operations of one launch"),
        "file": ("VARCHAR", "the user's program"),
        "line": ("BIGINT", "its line"),
        "code": ("VARCHAR", "what stands there"),
        "origin": ("VARCHAR", "how file and line are known: artifact, graph, comment or unknown"),
        "body": ("VARCHAR", "the statements of the kernel function"),
    },
    "launches": {
        **_FROM,
        "kernel": ("VARCHAR", "`kernels.id`"),
        "body_sha256": ("VARCHAR", "`kernels.body_sha256`"),
        "graph": ("VARCHAR", "`graphs.id`"),
        "line": ("BIGINT", "line of the `.run(` call in the graph's module"),
        "arguments": (
            "STRUCT(name VARCHAR, value VARCHAR, dtype VARCHAR, shape VARCHAR[])[]",
            "parameter, what is passed, and its type where the wrapper tells it",
        ),
    },
    "graphs": {
        **_FROM,
        "id": ("VARCHAR", "Inductor's AOT id, `0_inference`"),
        "compile_id": ("VARCHAR", "Dynamo's, `0/0`"),
        "kind": ("VARCHAR", "inference, forward, backward or unknown"),
        "phase": ("VARCHAR", "the same, or optimizer where its nodes come from torch/optim"),
        "nodes": ("BIGINT", "nodes of the post-grad graph; 0 where the log held none"),
        "kernels": ("BIGINT", "distinct kernels that it launches"),
        "launches": ("BIGINT", "launches"),
        "extern_calls": ("BIGINT", "library calls"),
    },
    "extern_calls": {
        **_FROM,
        "graph": ("VARCHAR", "`graphs.id`"),
        "target": ("VARCHAR", "`extern_kernels.mm`"),
        "line": ("BIGINT", "line in the graph's module"),
        "read": ("BIGINT", "bytes that it reads at least; NULL where the wrapper does not tell"),
        "written": ("BIGINT", "bytes that it writes"),
        "flops": ("BIGINT", "floating-point operations; NULL where no formula is known"),
        "file": ("VARCHAR", "the user's file that it comes from; NULL where the text does not say"),
        "code_line": ("BIGINT", "line in that file"),
    },
    "events": {
        **_FROM,
        "kind": ("VARCHAR", "graph_break or recompile"),
        "compile_id": ("VARCHAR", "Dynamo's, `0/1`"),
        "place": ("VARCHAR", "`model.py:6`; of a recompile the function"),
        "reason": ("VARCHAR", "why, as Dynamo explains it"),
    },
    "problems": {
        **_FROM,
        "place": ("VARCHAR", "`file:line`, or the id of a kernel or graph"),
        "message": ("VARCHAR", "what was not understood"),
    },
    "sources": {
        **_FROM,
        "torch": ("VARCHAR", "its version, empty where the text does not say"),
        "triton": ("VARCHAR", "its version"),
        "gpu": ("VARCHAR", "the card's name"),
        "arch": ("VARCHAR", "sm_90, gfx942"),
        "virtual": ("BOOLEAN", "made for a card that was not there"),
        "created": ("VARCHAR", "when, ISO 8601"),
        "size": ("BIGINT", "bytes when it was read"),
        "modified": ("BIGINT", "its time stamp then, ns: a source is read again when size or time stamp differ"),
        "problem": ("VARCHAR", "why nothing was read from it; NULL when something was"),
    },
}
"""Table -> column -> (DuckDB's type, what it holds). One row for each thing that the source holds."""

DEBUG_FOLDER = "torch_compile_debug"
"""A folder of this name is one source: its files say more together than alone."""

MARKS = (store.DOCUMENT, "compile_directory.json", "output_code.py", "output_code.cpp")
"""So is a folder with one of these: a capture, what tlparse wrote, one graph of a debug folder or cache."""

DATA = frozenset({
    ".duckdb", ".parquet", ".html", ".json", ".png", ".svg", ".pt", ".pth", ".safetensors", ".bin", ".so", ".o", ".cubin", ".pyc",
    ".csv",
})  # fmt: skip
"""Endings of files that hold no log."""


# What to read


def sources(over: Sequence[str]) -> list[str]:
    """Every capture and log in these folders, files and globs, each once.

    Raises:
        LabError: nothing is there.
    """
    found: dict[str, None] = {}
    for pattern in over:
        matches = [pattern] if os.path.exists(pattern) else sorted(glob.glob(pattern, recursive=True))
        if not matches:
            raise LabError(
                f"There is nothing at {pattern}; --over takes folders, files and globs of captures and logs."
            )
        for match in matches:
            found |= dict.fromkeys(_below(match))
    return list(found)


def _below(path: str) -> Iterator[str]:
    if os.path.isfile(path) or _is_one(path):
        yield path
        return
    for folder, folders, files in os.walk(path):
        whole = [name for name in folders if _is_one(os.path.join(folder, name))]
        yield from (os.path.join(folder, name) for name in sorted(whole))
        folders[:] = sorted(name for name in folders if name not in whole and not name.startswith("."))
        for name in sorted(files):
            path = os.path.join(folder, name)
            # A pipe or socket would be waited for.
            if _may_be_log(name) and os.path.isfile(path):
                yield path


def _may_be_log(name: str) -> bool:
    return not name.startswith(".") and name != store.RESULTS and os.path.splitext(name)[1] not in DATA


def _is_one(folder: str) -> bool:
    return os.path.basename(folder) == DEBUG_FOLDER or any(os.path.isfile(os.path.join(folder, mark)) for mark in MARKS)


def stamp(source: str) -> tuple[int, int] | None:
    """Size and time stamp (ns) of what is read; None when it is gone."""
    path = Path(source)
    document = path / store.DOCUMENT
    if path.is_dir() and not document.is_file():
        files = [file.stat() for file in path.rglob("*") if file.is_file()]
        return sum(file.st_size for file in files), max((file.st_mtime_ns for file in files), default=0)
    try:
        found = (document if path.is_dir() else path).stat()
    except OSError:
        return None
    return found.st_size, found.st_mtime_ns


def work(source: str) -> int:
    """Bytes of text that a source is, about: by which it is known how many processes are worth their start."""
    size, _ = stamp(source) or (0, 0)
    return size * PACKED.get(Path(source).suffix.lower(), 1)


# One source


def rows(source: str, parsed: Parsed | None = None) -> Rows:
    """Everything that one capture or log holds. What can not be read is one row of `sources` with the reason.

    `parsed` keeps what was parsed from one source to the next: most logs of one cluster hold the same kernels.
    """
    parsed = parsed or Parsed()
    size, modified = stamp(source) or (0, 0)
    name = os.path.basename(os.path.normpath(source))
    head: dict[str, Any] = {"source": source, "capture": name, "size": size, "modified": modified}
    try:
        capture = _capture(source, name, parsed)
        parsed.trim()
    except LabError as error:
        return _cleaned({"sources": [{**head, "problem": str(error)}]})
    except Exception as error:
        # One log of thousands must not end the run, whatever it holds.
        return _cleaned({"sources": [{**head, "problem": f"{type(error).__name__}: {error}"}]})
    made_for = {"gpu": capture.gpu.name, "arch": capture.gpu.arch, "virtual": capture.gpu.virtual}
    head |= {"capture": capture.name, "torch": capture.torch, "triton": capture.triton, "created": capture.created}
    origin = {"source": source, "capture": capture.name}
    return _cleaned(
        {"sources": [{**head, **made_for}]}
        | {table: [{**origin, **row} for row in make(capture)] for table, make in _MAKE.items()}
    )


def _capture(source: str, name: str, parsed: Parsed) -> Capture:
    if os.path.isfile(os.path.join(source, store.DOCUMENT)):
        return store.load(Path(source))
    return annotate(read([source], name, parsed=parsed))


def _row(table: str, record: Any, **other: Any) -> dict[str, Any]:
    """A row of a table, less where it is from: what is given here, and else the record's own fields of those names."""
    columns = [column for column in TABLES[table] if column not in _FROM]
    return {column: other[column] if column in other else getattr(record, column) for column in columns}


def _kernels(capture: Capture) -> Iterator[dict[str, Any]]:
    kinds = {graph.id: graph.kind for graph in capture.graphs}
    for kernel in capture.kernels:
        source = kernel.source[0] if kernel.source else None
        yield _row(
            "kernels",
            kernel,
            kind=kinds.get(kernel.graph, "unknown"),
            launches=len(kernel.launches),
            computes=summary(kernel),
            aten=kernel.claim.aten,
            file=source.file if source else None,
            line=source.line if source else None,
            code=source.code if source else None,
            origin=kernel.provenance.origin,
            **_counted(kernel.traffic),
        )


def _counted(traffic: Traffic) -> dict[str, int | None]:
    return {"read": traffic.read, "written": traffic.written, "flops": traffic.flops}


def _launches(capture: Capture) -> Iterator[dict[str, Any]]:
    for kernel in capture.kernels:
        for launch in kernel.launches:
            arguments = [
                {
                    "name": argument.name,
                    "value": argument.value,
                    "dtype": argument.type.dtype if argument.type else None,
                    "shape": [str(size) for size in argument.type.shape] if argument.type else None,
                }
                for argument in launch.arguments
            ]
            yield _row("launches", launch, kernel=kernel.id, body_sha256=kernel.body_sha256, arguments=arguments)


def _graphs(capture: Capture) -> Iterator[dict[str, Any]]:
    launched = [(launch.graph, kernel.body_sha256) for kernel in capture.kernels for launch in kernel.launches]
    calls = [call.graph for call in capture.extern_calls]
    for graph in capture.graphs:
        bodies = [body for launched_by, body in launched if launched_by == graph.id]
        yield _row(
            "graphs",
            graph,
            nodes=len(graph.nodes),
            kernels=len(set(bodies)),
            launches=len(bodies),
            extern_calls=calls.count(graph.id),
        )


def _extern_calls(capture: Capture) -> Iterator[dict[str, Any]]:
    for call in capture.extern_calls:
        place = call.provenance.source[0] if call.provenance.source else None
        file, line = (place.file, place.line) if place else (None, None)
        yield _row("extern_calls", call, file=file, code_line=line, **_counted(call.traffic))


def _events(capture: Capture) -> Iterator[dict[str, Any]]:
    return (_row("events", event, place=event.where) for event in capture.events)


def _problems(capture: Capture) -> Iterator[dict[str, Any]]:
    return (_row("problems", problem, place=problem.where) for problem in capture.problems)


_MAKE: Mapping[str, Callable[[Capture], Iterator[dict[str, Any]]]] = {
    "kernels": _kernels,
    "launches": _launches,
    "graphs": _graphs,
    "extern_calls": _extern_calls,
    "events": _events,
    "problems": _problems,
}


def table_of(capture: Capture, table: str) -> list[dict[str, Any]]:
    """One table of one capture.

    Raises:
        LabError: there is no such table.
    """
    if table not in _MAKE:
        raise LabError(f"A capture has no table {table!r}; it has {', '.join(_MAKE)}.")
    return list(_MAKE[table](capture))


def _cleaned(found: Rows) -> Rows:
    return {table: [writable(row) for row in several] for table, several in found.items()}


def writable(value: Any) -> Any:
    """What a database takes: text without NUL and half characters, integers of 64 bits. Logs hold anything."""
    if isinstance(value, str):
        return value.encode("utf-8", "replace").decode("utf-8").replace("\0", "\ufffd")
    if isinstance(value, dict):
        return {key: writable(inner) for key, inner in value.items()}
    if isinstance(value, (list, tuple)):
        return [writable(inner) for inner in value]
    if isinstance(value, int) and not -(2**63) <= value < 2**63:
        return None
    return value
