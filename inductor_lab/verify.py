"""Does an ejected file compute what eager computes? On the GPU where there is one, else in Triton's interpreter.

Files are judged in processes of their own (`judge/process/server.py`), so that one that crashes, exits or never returns fails like one that is wrong.
"""

from __future__ import annotations

import atexit
import os
import tempfile
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import ExitStack, contextmanager
from pathlib import Path
from queue import SimpleQueue
from threading import Event
from typing import Any

from inductor_lab import judge
from inductor_lab.document import from_dict
from inductor_lab.errors import LabError
from inductor_lab.judge.process import free_memory
from inductor_lab.processes import Child, Lines, how_ended, kill_group, last_line
from inductor_lab.records import Case, Verdict

Progress = Callable[[str], None]
PATIENCE = 5.0
"""Seconds that a process has to end."""
TIMEOUT = 1800.0
"""Seconds for one file, whatever its launches may take."""


def verify(path: str | Path, *, progress: Progress | None = None, **asked: Any) -> Verdict:
    """Hold a file's `launch` to eager PyTorch, judged by float64, on inputs that its own computation asks for.

    Args:
        asked: effort ("quick", "default", "thorough"), seeds, seed (fixes those that are drawn), case (the name of the only one to
            run), inputs (a file that `save` made), save (where the smallest failing inputs are written), fail_fast, limit (seconds for one launch).

    Raises:
        LabError: the file is not there or no ejected file, its reference does not run, there is no such case, the kernel needs what the
            interpreter has not, or torch or triton are missing.
    """
    (found,) = verify_all([path], progress=progress, **asked)
    if isinstance(found, LabError):
        raise found
    return found


def verify_all(
    paths: Sequence[str | Path], *, progress: Progress | None = None, **asked: Any
) -> list[Verdict | LabError]:
    """`verify` for many files, on all cores, as far as there is memory."""
    progress = progress or (lambda text: None)
    count, fewer = free_memory.side_by_side(paths, at_once(len(paths)))
    if fewer:
        progress(fewer)
    with Judges(count) as judges:
        try:
            return judges.judged(paths, progress, asked)
        except KeyboardInterrupt as error:
            raise StoppedError(judges.done) from error


class StoppedError(KeyboardInterrupt):
    """Ctrl-C, and the cases that had come to an end by then, by file."""

    def __init__(self, done: Mapping[str, Sequence[Case]]) -> None:
        super().__init__()
        self.done = done


PROCESSES = 2
"""Processes that judge one file: one judges, one runs the kernel."""


def at_once(files: int) -> int:
    """How many of some files the cores judge at once."""
    return min(files, max((os.cpu_count() or 1) // PROCESSES, 1))


class Judges:
    """A context: servers that judge files, and stay for the next ones."""

    def __init__(self, files: int) -> None:
        self.count = at_once(files)
        self.idle: SimpleQueue[_Server] = SimpleQueue()
        self.stack = ExitStack()
        self.stop = Event()
        self.done: dict[str, list[Case]] = {}
        """The cases that have come to an end, by file: what there is where a verdict is not waited for."""

    def __enter__(self) -> Judges:
        for _ in range(self.count):
            self.idle.put(self.stack.enter_context(_server()))
        self.pool = self.stack.enter_context(ThreadPoolExecutor(max(self.count, 1)))
        return self

    def __exit__(self, *_: object) -> None:
        self.stop.set()
        self.stack.close()

    def judged(
        self, paths: Sequence[str | Path], progress: Progress, asked: Mapping[str, Any]
    ) -> list[Verdict | LabError]:
        """A result for each file, in order."""

        def one(path: str | Path) -> Verdict | LabError:
            server = self.idle.get()
            begin = progress if len(paths) == 1 else lambda case: progress(f"{Path(path).name}: {case}")
            try:
                if not server.is_free():  # it gave a file up, or has waited for too long
                    server.close()
                    server = self.stack.enter_context(_server())
                done = self.done[str(path)] = []
                return server.judged(path, asked, begin, done, self.stop)
            finally:
                self.idle.put(server)

        return list(self.pool.map(one, paths))


LEFT: list[_Server] = []
"""The server that stays when a call ends, for the next one of this process: importing torch takes longer than judging most files."""


@contextmanager
def _server() -> Iterator[_Server]:
    server = LEFT.pop() if LEFT else _Server()
    if not server.fits():
        server.close()
        server = _Server()
    server.said.seek(0)  # what it printed of other files; its process goes on from here too
    server.said.truncate()
    try:
        yield server
    finally:
        if server.fits() and not LEFT:
            LEFT.append(server)
        else:
            server.close()


@atexit.register
def close() -> None:
    """End the server that waits for the next call, and give its memory back."""
    while LEFT:
        LEFT.pop().close()


def _let_go() -> None:
    """In a process that was forked of ours: the server ends with us, not with it."""
    for server in LEFT:
        server.let_go()
    LEFT.clear()


os.register_at_fork(after_in_child=_let_go)

SEED = "INDUCTOR_LAB_SEED"
"""The variable that fixes the seeds which are drawn else, so that a run can be repeated."""
PASSING = {"PYTEST_CURRENT_TEST", "INDUCTOR_LAB_CACHE", SEED}
"""Variables of the environment that say nothing to a judge."""


class _Server:
    """A process that judges files in turn, and what it tells."""

    def __init__(self) -> None:
        self.begun_with = _begun_with()
        self.said = tempfile.TemporaryFile()  # noqa: SIM115 # close() closes it
        self.child = Child("inductor_lab.judge.process.server:main", said=self.said)
        self.news = Lines(self.child.answers)
        self.busy = False
        self.judging = 0
        self.number = 0

    def fits(self) -> bool:
        """Whether another call may have it: it waits, and was begun as one would be now."""
        return self.is_free() and self.begun_with == _begun_with()

    def is_free(self) -> bool:
        """Whether it waits for a file: one that was given up it may still be at."""
        return not self.busy and self.child.process.poll() is None

    def judged(
        self, path: str | Path, asked: Mapping[str, Any], progress: Progress, done: list[Case], stop: Event
    ) -> Verdict | LabError:
        """The verdict on one file; `done` is given its cases as they end."""
        start, case = self.said.seek(0, os.SEEK_END), ""
        self.number += 1
        self.busy = True
        try:
            self.child.send(
                {"number": self.number, "folder": str(_here()), "path": str(path), "seed": _seed(), **asked}
            )
        except BrokenPipeError:
            return self._broken(start)
        result: Verdict | LabError | None = None
        end = time.monotonic() + TIMEOUT
        for line in self.news.read(lambda: not stop.is_set() and time.monotonic() < end):
            if line["number"] not in (self.number, 0):  # of a file that was given up
                continue
            if "pid" in line:
                self.judging = line["pid"]
            elif "case" in line:
                case = line["case"]
                progress(f"{case} ({line['far']})" if line["far"] else case)
            elif "did" in line:
                done.append(from_dict(Case, line["did"]))
            elif "found" in line:
                result = from_dict(Verdict, line["found"])
            elif "error" in line:
                result = LabError(line["error"])
            elif "broke" in line:
                result = LabError(f"judging {path} broke in {case or 'its beginning'}: {line['broke']}")
            elif "ended" in line:
                self.judging, self.busy = 0, False
                return result or _ended(line["ended"], case, done)
        if stop.is_set():
            return LabError("it was stopped")
        if time.monotonic() >= end:
            self._kill()
            return result or _ended(None, case, done)
        return result or self._broken(start)

    def _broken(self, start: int) -> LabError:
        self.said.seek(start)
        last = last_line(self.said.read().decode(errors="replace"))
        return LabError(f"verifying did not begin: {last or 'the process that judges has ended'}")

    def _kill(self) -> None:
        if self.judging:
            kill_group(self.judging)
            self.judging = 0

    def close(self) -> None:
        """End it, and what it began; it removes its files itself."""
        if self.said.closed:
            return
        self._kill()
        self.child.close(PATIENCE)
        self.said.close()

    def let_go(self) -> None:
        """Of all that leads to it."""
        self.child.let_go()
        self.said.close()


def _seed() -> int | None:
    """The seed that the environment fixes.

    Raises:
        LabError: it is no number.
    """
    told = os.environ.get(SEED, "")
    if told and not told.isdecimal():
        raise LabError(f"{SEED} is {told!r}, which is no number; unset it, or set it to the seed that a verdict names.")
    return int(told) if told else None


def _here() -> Path:
    try:
        return Path.cwd()
    except OSError:  # it was removed
        return Path()


def _begun_with() -> tuple[dict[str, str], int]:
    """What a server is made of: the environment, and when its code was written."""
    environment = {name: value for name, value in os.environ.items() if name not in PASSING}
    return environment, max(path.stat().st_mtime_ns for path in Path(judge.__path__[0]).rglob("*.py"))


def _ended(status: int | None, case: str, done: Sequence[Case]) -> Verdict | LabError:
    """The result of a file whose judge ended before its verdict."""
    how = f"it did not end within {TIMEOUT:.0f} s" if status is None else f"the process that judges {how_ended(status)}"
    if not case or status is not None:
        return LabError(f"there is no verdict: {f'in {case} ' if case else ''}{how}")
    failed = Case(case, False, {"hand": float("inf"), "generated": 0.0, "eager": 0.0}, how)
    return Verdict("fail", failed.errors, 0.0, (*done, failed), "a process of its own", ())
