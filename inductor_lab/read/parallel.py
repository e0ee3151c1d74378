"""Several big files at once, on the machine's cores, with the same result as one after the other.

A file is read and parsed in a process of its own, started as a fresh interpreter: a fork would be unsafe beside the threads of whoever
imported us, and a pool of Python's would run the importing script again. What comes back holds each distinct text once.
"""

from __future__ import annotations

import os
import pickle
import subprocess
import sys
from collections import deque
from collections.abc import Iterator, Sequence
from concurrent.futures import Future, ThreadPoolExecutor
from pathlib import Path

from inductor_lab.errors import LabError
from inductor_lab.read.message import Document
from inductor_lab.read.parsed import Parsed
from inductor_lab.read.sources import from_file

BIG = 16 << 20
"""Bytes from which a file is worth a process, which takes some 0.15 s to start."""
_CHILD = "from inductor_lab.read.parallel import serve; serve()"

_Result = tuple[list[Document], Parsed, str]
"""Documents, what was parsed of them, and the sentence of a `LabError`, or nothing."""


class Ahead:
    """Reads files; those that are big, and not alone, before they are asked for. A context: at its end no process is left."""

    def __init__(self, sources: Sequence[str | Path], as_: str, parsed: Parsed) -> None:
        self.as_ = as_
        self.parsed = parsed
        cores = os.cpu_count() or 1
        big = list(_big_files(sources)) if cores > 1 else []
        self.waiting = deque(dict.fromkeys(big)) if len(big) > 1 else deque[Path]()
        self.started: dict[Path, Future[_Result]] = {}
        self.limit = cores
        """Files read and not yet asked for: more would only fill the memory."""
        self.pool = ThreadPoolExecutor(max_workers=cores) if self.waiting else None
        self._start_more()

    def __enter__(self) -> Ahead:
        return self

    def __exit__(self, *_: object) -> None:
        if self.pool:
            self.pool.shutdown(cancel_futures=True)

    def read(self, path: Path) -> Iterator[Document]:
        """Raises: LabError: as `from_file`."""
        future = self.started.pop(path, None)
        if future is None:
            yield from from_file(path, self.as_)
            return
        found, parsed, error = future.result()
        self._start_more()
        self.parsed.update(parsed)
        yield from found
        if error:
            raise LabError(error)

    def _start_more(self) -> None:
        while self.pool and self.waiting and len(self.started) < self.limit:
            path = self.waiting.popleft()
            self.started[path] = self.pool.submit(_in_a_process, path, self.as_)


def _big_files(sources: Sequence[str | Path]) -> Iterator[Path]:
    for source in sources:
        path = Path(source)
        if path.is_file():
            if path.stat().st_size >= BIG:
                yield path
        elif path.is_dir():
            for top, folders, names in os.walk(path):
                folders.sort()
                files = (Path(top) / name for name in sorted(names))
                yield from (file for file in files if file.is_file() and file.stat().st_size >= BIG)


def _in_a_process(path: Path, as_: str) -> _Result:
    home = str(Path(__file__).parents[2])
    environment = {**os.environ, "PYTHONPATH": os.pathsep.join(filter(None, (home, os.environ.get("PYTHONPATH"))))}
    child = subprocess.run(
        [sys.executable, "-c", _CHILD, str(path.absolute()), str(path), as_],
        stdout=subprocess.PIPE,
        env=environment,
        cwd="/",
    )
    if child.returncode:
        raise LabError(
            f"{path} was not read: the process that read it ended with status {child.returncode}; read it alone"
        )
    result: _Result = pickle.loads(child.stdout)
    return result


def serve() -> None:
    """The child: one file in, one pickle out."""
    path, name, as_ = sys.argv[1:]
    parsed, found, error = Parsed(), [], ""
    try:
        for document in from_file(Path(path), as_, name):
            found.append(parsed.met(document))
    except LabError as raised:
        error = str(raised)
    sys.stdout.buffer.write(pickle.dumps((found, parsed, error), protocol=pickle.HIGHEST_PROTOCOL))
