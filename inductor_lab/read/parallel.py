"""Many files at once, on the machine's cores, with the same result as one after the other.

The files are cut into parts of about the same work. Each core has one process, which reads a part at a time and keeps what it has parsed, so
that a body is parsed once in each. It sends every text, and everything that it parsed, once: what comes back is as small as what is distinct.
It is started as a fresh interpreter: a fork would be unsafe beside the threads of whoever imported us, and a pool of Python's would run the
importing script again.
"""

from __future__ import annotations

import json
import os
import pickle
import subprocess
import sys
from collections import deque
from collections.abc import Iterator, Sequence
from concurrent.futures import Future, ThreadPoolExecutor
from contextlib import suppress
from pathlib import Path
from queue import SimpleQueue
from threading import Lock, Thread
from time import sleep
from typing import IO

from inductor_lab.errors import LabError
from inductor_lab.read.folders import files_below
from inductor_lab.read.message import Document
from inductor_lab.read.parsed import Parsed
from inductor_lab.read.sources import from_file

PART = 8 << 20
"""Bytes of text that make a part, at least: some 0.2 s of work. A process takes 0.15 s to start."""
LOOK = 0.5
"""Seconds between two looks of a child at whether its parent is still there."""
PARTS = 8
"""Parts for each core, at most: the last ones should end together."""
PACKED = {".gz": 20, ".tgz": 20, ".zst": 20, ".zip": 20, ".bz2": 20, ".xz": 20}
"""How many times its size a packed log is, about: only to share the work evenly."""
_CHILD = "from inductor_lab.read.parallel import serve; serve()"

_File = tuple[list[Document], str]
"""Documents of one file, and the sentence of a `LabError`, or nothing."""
_Part = tuple[list[_File], Parsed]
"""The files of one part, and what was parsed of them for the first time."""


class ParallelReader:
    """Reads files, before they are asked for where there are many, or big ones. A context: at its end no process is left."""

    def __init__(self, sources: Sequence[str | Path], as_: str, parsed: Parsed) -> None:
        cores = os.cpu_count() or 1
        self.as_ = as_
        self.parsed = parsed
        self.parts = _parts(sources, as_, cores) if cores > 1 else []
        self.part_of = {path: number for number, part in enumerate(self.parts) for path in part}
        self.started: dict[int, Future[_Part]] = {}
        self.waiting = deque(range(len(self.parts)))
        self.found: dict[Path, _File] = {}
        self.children = [_Child() for _ in range(min(cores, len(self.parts)))]
        self.idle: SimpleQueue[_Child] = SimpleQueue()
        for child in self.children:
            self.idle.put(child)
        self.pool = ThreadPoolExecutor(max_workers=cores) if self.parts else None
        for _ in range(cores + 1):  # more would only fill the memory
            self._start_one()

    def __enter__(self) -> ParallelReader:
        return self

    def __exit__(self, *_: object) -> None:
        for child in self.children:
            child.end()
        if self.pool:
            self.pool.shutdown(cancel_futures=True)

    def read(self, path: Path) -> Iterator[Document]:
        """Raises: LabError: as `from_file`."""
        number = self.part_of.pop(path, None)
        if number is None:
            yield from from_file(path, self.as_)
            return
        if path not in self.found:
            while number not in self.started:  # files of the parts before it were not asked for
                self._start_one()
            try:
                files, parsed = self.started.pop(number).result()
                self.parsed.update(parsed)
            except LabError as killed:
                files = [([], str(killed))] * len(self.parts[number])
            self._start_one()
            self.found.update(zip(self.parts[number], files, strict=True))
        found, error = self.found.pop(path)
        yield from found
        if error:
            raise LabError(error)

    def _start_one(self) -> None:
        if self.pool and self.waiting:
            number = self.waiting.popleft()
            self.started[number] = self.pool.submit(self._by_a_child, self.parts[number])

    def _by_a_child(self, paths: list[Path]) -> _Part:
        child = self.idle.get()
        try:
            return child.read(paths, self.as_)
        finally:
            self.idle.put(child)


def _parts(sources: Sequence[str | Path], as_: str, cores: int) -> list[list[Path]]:
    """Files in the order in which they are read, in parts; none when they are better read here."""
    sizes = {path: _work(path) for source in sources for path in _files(Path(source), as_)}
    enough = max(PART, sum(sizes.values()) // (cores * PARTS))
    parts: list[list[Path]] = [[]]
    collected = 0
    for path, size in sizes.items():
        if collected and collected + size > enough:
            parts.append([])
            collected = 0
        parts[-1].append(path)
        collected += size
    return parts if len(parts) > 1 else []


def _files(source: Path, as_: str) -> Iterator[Path]:
    if source.is_dir():
        yield from files_below(source, as_)
    elif source.is_file():
        yield source


def _work(path: Path) -> int:
    try:
        return path.stat().st_size * PACKED.get(path.suffix.lower(), 1)
    except OSError:
        return 0


class _Child:
    """One process that reads; started when it is first needed, and again when it was killed."""

    def __init__(self) -> None:
        self.process: subprocess.Popen[bytes] | None = None
        self.replies: pickle.Unpickler | None = None
        self.ended = False
        self.lock = Lock()

    def read(self, paths: list[Path], as_: str) -> _Part:
        """Raises: LabError: the process was killed."""
        requests, replies = self._running()
        # Both sides keep their memo from one part to the next: an object that was sent before is a number.
        try:
            names = [(str(path.absolute()), str(path)) for path in paths]
            requests.write(json.dumps([names, as_]).encode() + b"\n")
            requests.flush()
            part: _Part = replies.load()
        except (OSError, EOFError, pickle.UnpicklingError, ValueError) as error:
            self._stop()
            listed = f"{paths[0]} and {len(paths) - 1} more were" if len(paths) > 1 else f"{paths[0]} was"
            raise LabError(
                f"{listed} not read: the process that read it ended, likely for lack of memory; read fewer at once"
            ) from error
        return part

    def end(self) -> None:
        """For good."""
        self.ended = True
        self._stop()

    def _running(self) -> tuple[IO[bytes], pickle.Unpickler]:
        with self.lock:
            if self.process is None and not self.ended:
                home = str(Path(__file__).parents[2])
                path = os.pathsep.join(filter(None, (home, os.environ.get("PYTHONPATH"))))
                # In a session of its own: Ctrl-C is for us, who end it.
                self.process = subprocess.Popen(
                    [sys.executable, "-c", _CHILD], stdin=subprocess.PIPE, stdout=subprocess.PIPE,
                    env={**os.environ, "PYTHONPATH": path}, cwd="/", start_new_session=True,
                )  # fmt: skip
                assert self.process.stdout
                self.replies = pickle.Unpickler(self.process.stdout)
            if self.process is None or self.process.stdin is None or self.replies is None:
                raise LabError("reading was ended")
            return self.process.stdin, self.replies

    def _stop(self) -> None:
        with self.lock:
            if self.process:
                self.process.kill()
                self.process.wait()
                for pipe in (self.process.stdin, self.process.stdout):
                    with suppress(OSError):
                        if pipe and not pipe.closed:
                            pipe.close()
                self.process = None


def serve() -> None:
    """The child: parts in, as lines of JSON; pickles out. It ends with its parent, whatever ended that."""
    Thread(target=_end_with, args=(os.getppid(),), daemon=True).start()
    try:
        _serve()
    except BrokenPipeError:
        os._exit(0)  # nobody is there to be told; an ordinary end would try to write once more


def _end_with(parent: int) -> None:
    while os.getppid() == parent:
        sleep(LOOK)
    os._exit(0)


def _serve() -> None:
    parsed = Parsed()
    replies = pickle.Pickler(sys.stdout.buffer, protocol=pickle.HIGHEST_PROTOCOL)
    for line in sys.stdin.buffer:
        names, as_ = json.loads(line)
        files: list[_File] = []
        for path, name in names:
            found, error = [], ""
            try:
                for document in from_file(Path(path), as_, name):
                    found.append(parsed.met(document))
            except LabError as raised:
                error = str(raised)
            files.append((found, error))
        replies.dump((files, parsed.news()))
        sys.stdout.buffer.flush()
