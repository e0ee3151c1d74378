"""Processes of Python that we start: how they begin, what they are sent and answer, how they end.

    child = Child("inductor_lab.replay.run:main", said=file)
    child.send({"seed": 0})                       # in the child: json.loads(sys.stdin.readline())
    for answer in Lines(child.answers).read():    # in the child: lines of JSON to `answers`
        ...
    child.close()

A child is a fresh interpreter, and not one of `multiprocessing`: a fork would be unsafe beside the threads of whoever imported us, and `spawn` would
run the importing script again. It has a session of its own: Ctrl-C is for us, who end it. It ends when we have, whatever ended us (`end_with`).
"""

from __future__ import annotations

import json
import os
import select
import shutil
import signal
import subprocess
import sys
from collections.abc import Callable, Iterator, Mapping
from contextlib import suppress
from importlib import import_module
from pathlib import Path
from threading import Thread
from time import sleep
from typing import IO, Any

from inductor_lab.errors import SHORT

CHILD = "from inductor_lab.processes import run; run()"
LOOK = 0.5
"""Seconds between two looks of a process at whether its parent is still there."""
SOON = 0.2
"""Seconds between two looks at whether a reader still waits."""


class Child:
    """A process that runs one of our functions: it is sent lines of JSON, and its answers come from `answers`.

    Args:
        task: `module:function`; what `run` gives it is the number of this process, the descriptor for its answers, and `words`.
        environment: Variables beside those that we have.
        folder: Where it works; in ours without.
        said: A file for all that it prints; our stderr without.
    """

    def __init__(
        self,
        task: str,
        *words: str,
        environment: Mapping[str, str] | None = None,
        folder: str | None = None,
        said: IO[Any] | None = None,
    ) -> None:
        home = str(Path(__file__).parents[1])
        path = os.pathsep.join(filter(None, (home, os.environ.get("PYTHONPATH"))))
        self.process = subprocess.Popen(
            [sys.executable, "-c", CHILD, task, str(os.getpid()), *words],
            stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=said,
            env={**os.environ, **(environment or {}), "PYTHONPATH": path}, cwd=folder, start_new_session=True,
        )  # fmt: skip
        assert self.process.stdin and self.process.stdout
        self.requests, self.answers = self.process.stdin, self.process.stdout

    def send(self, request: Any) -> None:
        """Raises: BrokenPipeError: it has ended."""
        self.requests.write(json.dumps(request).encode() + b"\n")
        self.requests.flush()

    def close(self, patience: float = 0.0) -> None:
        """End it; one that removes what it made has some seconds to do so."""
        if patience:
            self.process.terminate()
            with suppress(subprocess.TimeoutExpired):
                self.process.wait(patience)
        self.process.kill()
        self.process.wait()
        self.let_go()

    def let_go(self) -> None:
        """Close what leads to it; it may go on."""
        for pipe in (self.requests, self.answers):
            with suppress(OSError):
                pipe.close()


class Lines:
    """Lines of JSON that another process writes; a line that has not come to its end is kept for the next reading."""

    def __init__(self, pipe: IO[bytes]) -> None:
        self.descriptor = pipe.fileno()
        self.begun = b""

    def read(self, waits: Callable[[], bool] = lambda: True) -> Iterator[Any]:
        """What comes, until nobody can write any more or nobody `waits`, which is asked again and again."""
        while waits():
            if select.select([self.descriptor], [], [], SOON)[0]:
                read = os.read(self.descriptor, 1 << 16)
                if not read:
                    return
                *lines, self.begun = (self.begun + read).split(b"\n")
                yield from map(json.loads, lines)


def kill_group(leader: int) -> None:
    """A process that leads a group, and all that it started in it."""
    with suppress(ProcessLookupError, PermissionError):
        os.killpg(leader, signal.SIGKILL)


def how_ended(code: int) -> str:
    """How a process ended, by its exit code: `crashed (SIGSEGV)`, `ended with exit status 3`."""
    if code >= 0:
        return f"ended with exit status {code}"
    try:
        name = signal.Signals(-code).name
    except ValueError:  # one of the real-time signals has no name
        name = f"signal {-code}"
    if name == "SIGKILL":
        return f"was killed ({name}), as the system does where {SHORT}"
    return f"crashed ({name})"


def last_line(said: str) -> str:
    """The last line that a process printed, by which Python says what ended it; empty for none."""
    return next((line.rstrip() for line in reversed(said.splitlines()) if line.strip()), "")


# In the process


def run() -> None:
    """Call what it was started for.

    Nothing else may write where answers are read, and no process that this one starts may hold it open when this one is lost.
    """
    task, parent, *words = sys.argv[1:]
    answers = os.dup(1)
    os.dup2(2, 1)
    module, _, function = task.partition(":")
    getattr(import_module(module), function)(int(parent), answers, *words)


def end_with(parent: int, folder: Path | None = None) -> None:
    """End when the process that began this one has ended, and remove the folder that it would have removed."""

    def look() -> None:
        while os.getppid() == parent:
            sleep(LOOK)
        if folder:
            shutil.rmtree(folder, ignore_errors=True)
        os._exit(1)

    Thread(target=look, daemon=True).start()
