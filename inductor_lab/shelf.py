"""A cache of parsed captures, from which `list` reads one row a kernel and `show` one kernel with its graphs.

`capture.json` stays the truth, but for what this version derives otherwise: titles, traffic and phases are made anew, so that no capture shows
what an older version said. Beside it, in the user's cache, one SQLite file a capture holds its rows, and each graph and kernel as a document of
its own. It is made again when the capture, or what the rows are made with, changed; it may be deleted at any time.

    INDUCTOR_LAB_CACHE    the cache's folder; `off`: nothing is kept. $XDG_CACHE_HOME/inductor_lab or ~/.cache/inductor_lab unless set.

A file is written under another name and renamed, so that a reader sees all of it or none; the oldest go when all are over `LARGEST`.
"""

from __future__ import annotations

import hashlib
import json
import os
import sqlite3
import tempfile
import zlib
from collections.abc import Iterable, Iterator, Sequence
from contextlib import closing, suppress
from dataclasses import asdict, dataclass, replace
from functools import cached_property
from pathlib import Path
from typing import Any

import inductor_lab
from inductor_lab import store
from inductor_lab.document import from_dict, to_dict
from inductor_lab.errors import LabError
from inductor_lab.records import Called, Capture, Graph, Kernel, Listed, Summary

LARGEST = 1 << 29
"""Bytes of all files together."""
MADE_WITH = (
    "annotate", "bind", "computation", "costs", "records",
    "aten.py", "document.py", "dtypes.py", "fragment.py", "gpus.py", "quantity.py", "shelf.py",
)  # fmt: skip
"""What the rows and documents depend on, beside the version: an edit of it makes them stale."""

TABLES = """
    CREATE TABLE about (stamp TEXT, summary TEXT, calls TEXT, head BLOB);
    CREATE TABLE graphs (number INTEGER PRIMARY KEY, id TEXT, kind TEXT, document BLOB);
    CREATE TABLE kernels (number INTEGER PRIMARY KEY, name TEXT, body TEXT, row TEXT, document BLOB);
    CREATE TABLE launches (graph TEXT, kernel INTEGER);
    CREATE INDEX launches_by_graph ON launches (graph);
    CREATE INDEX launches_by_kernel ON launches (kernel);
"""


@dataclass(frozen=True)
class Entry:
    """What a name is compared with."""

    id: str
    name: str
    body_sha256: str


class Shelved:
    """One capture, of which each part is read when it is asked for."""

    def __init__(self, folder: Path, database: sqlite3.Connection) -> None:
        self.folder, self.database = folder, database

    @cached_property
    def address(self) -> str:
        return store.address(self.folder)

    @cached_property
    def head(self) -> Capture:
        """The capture without graphs and kernels."""
        ((packed,),) = self.database.execute("SELECT head FROM about")
        return from_dict(Capture, _unpacked(packed))

    @cached_property
    def summary(self) -> Summary:
        ((text,),) = self.database.execute("SELECT summary FROM about")
        return replace(from_dict(Summary, json.loads(text)), name=self.address)

    @cached_property
    def calls(self) -> tuple[Called, ...]:
        """What a list says of the library calls."""
        ((text,),) = self.database.execute("SELECT calls FROM about")
        return tuple(Called(**row) for row in json.loads(text))

    @cached_property
    def entries(self) -> tuple[Entry, ...]:
        """What each kernel is called."""
        found = self.database.execute("SELECT number, name, body FROM kernels ORDER BY number")
        return tuple(Entry(f"{self.address}:{number}", name, body) for number, name, body in found)

    @cached_property
    def rows(self) -> tuple[Listed, ...]:
        """What a list says of each kernel."""
        found = self.database.execute("SELECT number, row FROM kernels ORDER BY number")
        return tuple(Listed(**{**_tuples(json.loads(row)), "id": f"{self.address}:{number}"}) for number, row in found)

    @cached_property
    def graphs(self) -> tuple[str, ...]:
        """Their ids."""
        return tuple(id_ for (id_,) in self.database.execute("SELECT id FROM graphs ORDER BY number"))

    @cached_property
    def kinds(self) -> tuple[str, ...]:
        """What each graph is part of."""
        return tuple(kind for (kind,) in self.database.execute("SELECT kind FROM graphs ORDER BY number"))

    @cached_property
    def whole(self) -> Capture:
        """The capture, as this version annotates it."""
        return self._capture(self.graphs, [number_of(entry.id) for entry in self.entries])

    def part(self, kernels: Iterable[str]) -> Capture:
        """What explains these kernels: the graphs that define or launch them, and every kernel of those graphs.

        Args:
            kernels: Their ids.
        """
        asked = [number_of(id_) for id_ in kernels]
        graphs = {graph for (graph,) in self._of("SELECT graph FROM launches WHERE kernel IN", asked)}
        numbers = {number for (number,) in self._of("SELECT kernel FROM launches WHERE graph IN", sorted(graphs))}
        return self._capture(sorted(graphs), sorted({*asked, *numbers}))

    def only(self, kernels: Iterable[str]) -> Capture:
        """The capture with these kernels alone, in this order, and every graph."""
        numbers = [number_of(id_) for id_ in kernels]
        found = self._capture(self.graphs, numbers)
        places = {number: place for place, number in enumerate(numbers)}
        ordered = sorted(found.kernels, key=lambda kernel: places[number_of(kernel.id)])
        return replace(found, kernels=tuple(ordered))

    def _capture(self, graphs: Sequence[str], kernels: Sequence[int]) -> Capture:
        order = "ORDER BY number"
        some = self._of("SELECT document FROM graphs WHERE id IN", graphs, order)
        made = self._of("SELECT number, document FROM kernels WHERE number IN", kernels, order)
        return replace(
            self.head,
            graphs=tuple(from_dict(Graph, _unpacked(document)) for (document,) in some),
            kernels=tuple(
                replace(from_dict(Kernel, _unpacked(document)), id=f"{self.address}:{number}")
                for number, document in made
            ),
        )

    def _of(self, sql: str, values: Sequence[Any], order: str = "") -> list[Any]:
        """The rows for many values, as one parameter: SQLite takes no list."""
        return self.database.execute(f"{sql} (SELECT value FROM json_each(?)) {order}", [json.dumps(values)]).fetchall()


def number_of(kernel: str) -> int:
    """A kernel's place in its capture, from its id."""
    return int(kernel.rpartition(":")[2])


# Asking


def opened(folder: Path) -> Shelved:
    """The capture in `folder`, from the shelf; put there first where it is not, or was changed since.

    Raises:
        LabError: there is no capture that can be read.
    """
    stamp = _stamp(folder)
    return _kept(folder, stamp) or _put(folder, _annotated(store.load(folder)), stamp)


def put(folder: Path, capture: Capture) -> Shelved:
    """The capture that was just annotated and saved in `folder`, on the shelf."""
    return _put(folder, capture, _stamp(folder))


def whole(name: str) -> Capture:
    """The capture called `name`, as `store.folder_of` finds it and this version annotates it."""
    return opened(store.folder_of(name)).whole


def captures() -> list[tuple[Path, Summary]]:
    """Every readable capture under captured/, in the order of their names."""
    found = []
    for name in store.names():
        with suppress(LabError):  # one broken folder must not hide the others; naming it tells what is wrong
            found.append((store.HOME / name, opened(store.HOME / name).summary))
    return found


def find(name: str) -> tuple[Shelved, tuple[str, ...]]:
    """What `store.find_kernels` finds, without reading the others: the capture, and the ids of its kernels that `name` names."""
    found, entries = store.find(name, opened, lambda shelved: shelved.entries)
    return found, tuple(entry.id for entry in entries)


# Keeping


def _annotated(capture: Capture) -> Capture:
    from inductor_lab.annotate import annotate  # not where the shelf has all that is asked

    return annotate(capture)


def _folder() -> Path | None:
    """Where the shelf is; None where the user wants none."""
    named = os.environ.get("INDUCTOR_LAB_CACHE", "")
    if named.lower() == "off":
        return None
    home = os.environ.get("XDG_CACHE_HOME", "")
    with suppress(RuntimeError):  # a user without a home
        return Path(named) if named else (Path(home) if home else Path.home() / ".cache") / "inductor_lab"
    return None


def _file(folder: Path) -> Path | None:
    place = _folder()
    name = hashlib.sha256(os.fsencode(folder.resolve() / store.DOCUMENT)).hexdigest()[:32]
    return place / f"{name}.sqlite" if place else None


def _stamp(folder: Path) -> str:
    """What tells one state of a capture, and of what reads it, from another."""
    try:
        found = (folder / store.DOCUMENT).stat()
    except OSError:
        return ""  # reading it will tell what is wrong
    return f"{found.st_size} {found.st_mtime_ns} {inductor_lab.__version__} {_made_with()}"


def _made_with() -> int:
    """When the newest of the modules was changed."""
    package = Path(inductor_lab.__file__).parent
    places = [package / name for name in MADE_WITH]
    files = [file for place in places for file in (place.rglob("*.py") if place.is_dir() else [place])]
    return max((file.stat().st_mtime_ns for file in files if file.is_file()), default=0)


def _kept(folder: Path, stamp: str) -> Shelved | None:
    """What the shelf has of this state of a capture."""
    file = _file(folder)
    if file is None or not stamp or not file.is_file():
        return None
    try:
        # Immutable: the file is never written to, only replaced, so that no lock is needed, in a folder that can not be written to either.
        database = sqlite3.connect(f"{file.absolute().as_uri()}?mode=ro&immutable=1", uri=True)
        if database.execute("SELECT stamp FROM about").fetchall() == [(stamp,)]:
            with suppress(OSError):
                os.utime(file)  # used last
            return Shelved(folder, database)
    except sqlite3.Error:
        pass  # torn, or of another version: as good as none
    return None


def _put(folder: Path, capture: Capture, stamp: str) -> Shelved:
    """Fill a database in memory, use it, and leave a copy on the shelf where there is one."""
    database = sqlite3.connect(":memory:")
    database.executescript(TABLES)
    _fill(database, folder, capture, stamp)
    database.commit()
    file = _file(folder)
    if file is not None and stamp:
        with suppress(OSError, sqlite3.Error):  # a full disk, a home that can not be written to: read again next time
            _write(file, database)
    return Shelved(folder, database)


def _fill(database: sqlite3.Connection, folder: Path, capture: Capture, stamp: str) -> None:
    from inductor_lab.annotate.summary import called, listed

    summary = json.dumps(to_dict(store.summed(capture, folder)))
    head = replace(capture, graphs=(), kernels=())
    calls = json.dumps([asdict(row) for row in called(capture)])
    database.execute("INSERT INTO about VALUES (?, ?, ?, ?)", [stamp, summary, calls, _packed(head)])
    database.executemany(
        "INSERT INTO graphs VALUES (?, ?, ?, ?)",
        ((number, graph.id, graph.phase or graph.kind, _packed(graph)) for number, graph in enumerate(capture.graphs)),
    )
    rows = zip(capture.kernels, listed(capture), strict=True)
    database.executemany(
        "INSERT INTO kernels VALUES (?, ?, ?, ?, ?)",
        (
            (number_of(kernel.id), kernel.name, kernel.body_sha256, json.dumps(asdict(row)), _packed(kernel))
            for kernel, row in rows
        ),
    )
    database.executemany("INSERT INTO launches VALUES (?, ?)", _launches(capture))


def _launches(capture: Capture) -> Iterator[tuple[str, int]]:
    for kernel in capture.kernels:
        for graph in dict.fromkeys([kernel.graph, *(launch.graph for launch in kernel.launches)]):
            yield graph, number_of(kernel.id)


def _write(file: Path, database: sqlite3.Connection) -> None:
    file.parent.mkdir(parents=True, exist_ok=True)
    handle, name = tempfile.mkstemp(prefix=".", suffix=".sqlite", dir=file.parent)
    os.close(handle)
    try:
        with closing(sqlite3.connect(name)) as copy:
            database.backup(copy)
        os.replace(name, file)
    finally:
        Path(name).unlink(missing_ok=True)
    _trim(file.parent, keep=file)


def _trim(place: Path, keep: Path) -> None:
    """The files that were used last stay."""
    sizes = {}
    for file in place.glob("*.sqlite"):
        with suppress(OSError):  # another process took it away
            sizes[file] = file.stat()
    total = sum(found.st_size for found in sizes.values())
    for file in sorted(sizes, key=lambda file: sizes[file].st_mtime_ns):
        if total > LARGEST and file != keep:
            total -= sizes[file].st_size
            file.unlink(missing_ok=True)


def _packed(record: Any) -> bytes:
    return zlib.compress(json.dumps(to_dict(record)).encode("utf-8", "surrogatepass"), 1)


def _unpacked(packed: bytes) -> Any:
    return json.loads(zlib.decompress(packed).decode("utf-8", "surrogatepass"))


def _tuples(row: dict[str, Any]) -> dict[str, Any]:
    return {key: tuple(value) if isinstance(value, list) else value for key, value in row.items()}
