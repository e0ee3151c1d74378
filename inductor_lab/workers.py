"""Runs work on several cores: worker processes that answer requests in order.

A process keeps what it has learnt from one request to the next. A request of a process that is lost is answered by an error, where the whole pool
of a `concurrent.futures` executor is broken.
"""

from __future__ import annotations

import json
import os
import pickle
import sys
from collections import deque
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from concurrent.futures import Future, ThreadPoolExecutor, as_completed
from importlib import import_module
from queue import SimpleQueue
from threading import Lock
from typing import IO, Any, TypeVar

from inductor_lab.errors import LabError
from inductor_lab.processes import Child, end_with

PART = 8 << 20
"""Work that makes a part, at least, in bytes of text: some 0.2 s. A process takes 0.15 s to start."""
PARTS = 8
"""Parts for each core, at most: the last ones should end together."""
SERVE = "inductor_lab.workers:serve"

_Item = TypeVar("_Item")


class WorkerLostError(LabError):
    """The process that had a request ended before it answered."""


class Workers:
    """A context: at its end no process is left.

    `task` is `module:function`, where the function, called once in each process, returns what turns a request (JSON) into a reply (any
    object that can be pickled). With `remember`, an object that was sent before is a number: for work whose replies share much, and which
    keeps what it sends anyway. With `environments`, there is a process for each, with these variables; one for each core without.
    """

    def __init__(
        self, task: str, *, remember: bool = False, environments: Sequence[Mapping[str, str]] | None = None
    ) -> None:
        each: Sequence[Mapping[str, str]] = environments or [{}] * (os.cpu_count() or 1)
        self.count = len(each)
        self.workers = [_Worker(task, remember, environment) for environment in each]
        self.idle: SimpleQueue[_Worker] = SimpleQueue()
        for worker in self.workers:
            self.idle.put(worker)
        self.pool = ThreadPoolExecutor(max_workers=self.count)

    def __enter__(self) -> Workers:
        return self

    def __exit__(self, *_: object) -> None:
        for worker in self.workers:
            worker.end()
        self.pool.shutdown(cancel_futures=True)

    def answers(self, requests: Iterable[Any]) -> Iterator[Any]:
        """The reply to each request, in order; a `WorkerLostError` in the place of one that never came."""
        asked: deque[Future[Any]] = deque()
        for request in requests:
            asked.append(self.pool.submit(self._answer, request))
            if len(asked) > self.count:  # more would only fill the memory
                yield asked.popleft().result()
        while asked:
            yield asked.popleft().result()

    def as_answered(self, requests: Iterable[Any]) -> Iterator[tuple[int, Any]]:
        """The number of each request with its reply, as they come; all are asked at once."""
        asked = {self.pool.submit(self._answer, request): number for number, request in enumerate(requests)}
        for answered in as_completed(asked):
            yield asked[answered], answered.result()

    def _answer(self, request: Any) -> Any:
        worker = self.idle.get()
        try:
            return worker.ask(request)
        except WorkerLostError as lost:
            return lost
        finally:
            self.idle.put(worker)


def parts(work: Mapping[_Item, int]) -> list[list[_Item]]:
    """Items with the bytes that each is worth, in their order, as parts of about the same work; none where one process does it sooner."""
    cores = os.cpu_count() or 1
    enough = max(PART, sum(work.values()) // (cores * PARTS))
    found: list[list[_Item]] = [[]]
    collected = 0
    for item, size in work.items():
        if collected and collected + size > enough:
            found.append([])
            collected = 0
        found[-1].append(item)
        collected += size
    return found if len(found) > 1 and cores > 1 else []


class _Worker:
    """One process; started when it is first needed, and again when it was killed."""

    def __init__(self, task: str, remember: bool, environment: Mapping[str, str]) -> None:
        self.task = task
        self.environment = environment
        self.remember = remember
        self.child: Child | None = None
        self.replies: pickle.Unpickler | None = None
        self.ended = False
        self.lock = Lock()

    def ask(self, request: Any) -> Any:
        """Raises: WorkerLostError: the process was killed, or reading was ended."""
        child = self._running()
        try:
            child.send(request)
            return self.replies.load() if self.replies else pickle.load(child.answers)
        except (OSError, EOFError, pickle.UnpicklingError, ValueError) as error:
            self._stop()
            raise WorkerLostError("a process ended, likely for lack of memory") from error

    def end(self) -> None:
        """For good."""
        self.ended = True
        self._stop()

    def _running(self) -> Child:
        with self.lock:
            if self.child is None and not self.ended:
                words = self.task, str(int(self.remember))
                self.child = Child(SERVE, *words, environment=self.environment, folder="/")
                self.replies = pickle.Unpickler(self.child.answers) if self.remember else None
            if self.child is None:
                raise WorkerLostError("the work was ended")
            return self.child

    def _stop(self) -> None:
        with self.lock:
            if self.child:
                self.child.close()
                self.child = None


# In the process


def serve(parent: int, answers: int, task: str, remember: str) -> None:
    """Requests in, as lines of JSON; pickles out."""
    end_with(parent)
    module, _, function = task.partition(":")
    work = getattr(import_module(module), function)()
    try:
        _serve(work, sys.stdin.buffer, os.fdopen(answers, "wb"), remember == "1")
    except BrokenPipeError:
        os._exit(0)  # nobody is there to be told; an ordinary end would try to write once more


def _serve(work: Callable[[Any], Any], requests: IO[bytes], replies: IO[bytes], remember: bool) -> None:
    pickler = pickle.Pickler(replies, protocol=pickle.HIGHEST_PROTOCOL)
    for line in requests:
        pickler.dump(work(json.loads(line)))
        if not remember:
            pickler.clear_memo()
        replies.flush()


def lost(items: Sequence[object]) -> str:
    """The sentence for what a lost process was reading."""
    listed = f"{items[0]} and {len(items) - 1} more were" if len(items) > 1 else f"{items[0]} was"
    return f"{listed} not read: the process that read it ended, likely for lack of memory; read fewer at once"
