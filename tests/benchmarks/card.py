"""One card for several processes: they compile beside each other, and whoever uses the card has it alone.

A process holds the card by a lock on a file, for as long as it computes or measures, and lends it while it only compiles: what Dynamo and Inductor do, but
for the candidates that Inductor times, and what Triton compiles afterwards. No time is taken, and no candidate chosen, while somebody else computes.
The names of torch and Triton were checked on torch 2.11 and 2.13.
"""

from __future__ import annotations

import fcntl
import multiprocessing
import os
import tempfile
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import ProcessPoolExecutor, as_completed
from contextlib import AbstractContextManager, contextmanager
from functools import wraps
from pathlib import Path
from typing import Any, TypeVar

import torch
import triton

Result = TypeVar("Result")
COMPILE = 2
"""Processes of Inductor's that compile for one of ours."""
JOBS = max(1, min(6, (os.cpu_count() or 1) // (1 + COMPILE)))
"""Processes that keep one card at work: more would wait for it. One core stays free for who has it, as others wait."""


class Card:
    """Where it is lent, somebody else may have it until it is taken back."""

    def __init__(self, path: Path) -> None:
        self.lock = path.open("w")
        self.ours = self.lends = False

    def take(self) -> None:
        fcntl.flock(self.lock, fcntl.LOCK_EX)
        self.ours = True

    def give(self) -> None:
        """When it has done all that it was given."""
        if torch.cuda.is_initialized():
            torch.cuda.synchronize()
        self.ours = False
        fcntl.flock(self.lock, fcntl.LOCK_UN)

    @contextmanager
    def held(self) -> Iterator[None]:
        yield from self._while(ours=True)

    @contextmanager
    def lent(self) -> Iterator[None]:
        yield from self._while(ours=False)

    def _while(self, *, ours: bool) -> Iterator[None]:
        begin, end = (self.take, self.give) if ours else (self.give, self.take)
        if self.ours == ours:
            yield
            return
        begin()
        try:
            yield
        finally:
            end()


FIRST = os.environ.get("CUDA_VISIBLE_DEVICES", "0").partition(",")[0]
CARD = Card(Path(tempfile.gettempdir(), f"inductor_lab_card_{FIRST}_{os.getuid()}"))
"""The one that torch takes unless told otherwise; another command that asks for the same waits too."""


def compiling_lends() -> None:
    """What is compiled from here on lends the card; `torch.compiler.reset` forgets it."""
    from torch._dynamo.callback import callback_handler

    if CARD.lends:
        callback_handler.register_start_callback(lambda _: CARD.give())
        callback_handler.register_end_callback(lambda _: CARD.take())


def share() -> None:
    """In each process that works beside others, before it compiles anything."""
    from torch._inductor.runtime.benchmarking import InductorBenchmarker
    from torch._inductor.select_algorithm import AlgorithmSelectorCache

    CARD.lends = True
    _within(CARD.lent, triton.compiler, "compile")
    triton.compile = triton.compiler.compile
    _within(CARD.held, InductorBenchmarker, "benchmark_gpu")
    candidates = AlgorithmSelectorCache.benchmark_in_current_process.__func__  # type: ignore[attr-defined]
    AlgorithmSelectorCache.benchmark_in_current_process = classmethod(_wrapped(CARD.held, candidates))  # type: ignore[method-assign,assignment]


def _within(context: Callable[[], AbstractContextManager[None]], of: Any, name: str) -> None:
    setattr(of, name, _wrapped(context, getattr(of, name)))


def _wrapped(context: Callable[[], AbstractContextManager[None]], function: Callable[..., Any]) -> Callable[..., Any]:
    @wraps(function)
    def inside(*arguments: Any, **options: Any) -> Any:
        with context():
            return function(*arguments, **options)

    return inside


def each(work: Callable[..., Result], on: Sequence[tuple[Any, ...]], processes: int) -> Iterator[Result]:
    """The results of all these arguments as they come, in this process or in several others."""
    if min(processes, len(on)) <= 1:
        yield from (work(*arguments) for arguments in on)
        return
    os.environ.setdefault("TORCHINDUCTOR_COMPILE_THREADS", str(COMPILE))
    spawn = multiprocessing.get_context("spawn")  # a fork has no card
    with ProcessPoolExecutor(min(processes, len(on)), spawn, initializer=share) as pool:
        try:
            for done in as_completed([pool.submit(work, *arguments) for arguments in on]):
                yield done.result()
        finally:
            pool.shutdown(wait=False, cancel_futures=True)  # nobody asks for the rest
