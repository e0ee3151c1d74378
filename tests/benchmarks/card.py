"""One card for several processes: they compile beside each other, and whoever uses the card has it alone.

A process holds the card by a lock on a file, for as long as it computes or measures, and lends it while it only compiles: what Dynamo and Inductor do, but
for the candidates that Inductor times, and what Triton compiles afterwards. No time is taken, and no candidate chosen, while somebody else computes.
A verb of inductor_lab takes turns, too: `python tests/benchmarks/card.py diff FILE ...`.
The names of torch and Triton were checked on torch 2.11 and 2.13.
"""

from __future__ import annotations

import fcntl
import importlib
import math
import multiprocessing
import os
import tempfile
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from concurrent.futures import ProcessPoolExecutor, ThreadPoolExecutor, as_completed
from concurrent.futures.process import BrokenProcessPool
from contextlib import contextmanager
from pathlib import Path
from queue import SimpleQueue
from typing import Any, TypeVar

import torch
import triton

from inductor_lab.errors import LabError
from inductor_lab.measure.timing.samples import first_line
from inductor_lab.processes import Child, end_with

Result = TypeVar("Result")
HERE = Path(__file__).resolve().parent
COMPILE = 2
"""Processes of Inductor's that compile for one of ours."""
CORES = len(os.sched_getaffinity(0))
JOBS, ROOM = 8, 16e9
"""Processes that keep one card at work, as more would wait for it; and bytes of its memory for each: inputs, copies, results in float64."""
JUDGES = max(1, min(7, CORES // 2))
"""Processes that judge beside each other: nothing is timed then."""


def jobs() -> int:
    """How many processes take turns here: half as many as there are cores at most, as what compiles for them is idle most of the time."""
    memory = torch.cuda.get_device_properties().total_memory if torch.cuda.is_available() else math.inf
    return max(1, int(min(JOBS, CORES // 2, memory / ROOM)))


class LostError(LabError):
    """After what somebody did, this process can compute on the card no more.

    Args:
        who: Empty where nobody knows.
    """

    def __init__(self, who: str, why: str) -> None:
        super().__init__(who, why)

    def __str__(self) -> str:
        return f"after {self.args[0] or 'somebody'}'s call the card was lost for this process: {self.args[1]}"


def is_lost() -> bool:
    """Whether whatever comes next on the card fails in this process."""
    try:
        if torch.cuda.is_initialized():
            torch.cuda.synchronize()
    except RuntimeError:
        return True
    return False


def said(work: Callable[[], dict[str, Any]], lost: Mapping[str, str]) -> dict[str, Any]:
    """What a row's work says; `failed`, and why, where it says nothing and others may go on.

    Args:
        lost: With whom the card was lost when it was tried before, and why; an empty name is nobody's.

    Raises:
        LostError: in this process nothing can be computed any more.
    """
    if why := lost.get("") or lost.get("hand"):
        return {"failed": why}
    try:
        return work()
    except LostError:
        raise
    except LabError as error:
        return {"failed": str(error)}
    except RuntimeError as error:
        if is_lost():
            raise LostError("", f"{type(error).__name__}: {first_line(error)}") from error
        raise


class Card:
    """Where it is lent, somebody else may have it until it is taken back."""

    def __init__(self, path: Path) -> None:
        self.lock = path.open("w")
        self.ours = self.lends = False
        self.since = self.had = 0.0
        """When it was taken last, and for how many seconds it was ours, all turns that have ended together."""

    def take(self, *_: object) -> None:
        fcntl.flock(self.lock, fcntl.LOCK_EX)
        self.ours, self.since = True, time.monotonic()

    def give(self, *_: object) -> None:
        """When it has done all that it was given, with the memory that nothing is in."""
        lost = is_lost()  # waits; where the card is lost, nothing runs there
        if self.ours:
            if not lost:
                torch.cuda.empty_cache()
            self.had += time.monotonic() - self.since
        self.ours = False
        fcntl.flock(self.lock, fcntl.LOCK_UN)

    @contextmanager
    def held(self, held: bool = True) -> Iterator[None]:
        """Ours meanwhile, or lent; nothing changes where it is so already."""
        begin, end = (self.take, self.give) if held else (self.give, self.take)
        if changes := self.ours != held:
            begin()
        try:
            yield
        finally:
            if changes:
                end()

    def during(self, function: Callable[..., Any], held: bool) -> Callable[..., Any]:
        """The function while the card is ours, or lent."""

        def inside(*arguments: Any, **options: Any) -> Any:
            with self.held(held):
                return function(*arguments, **options)

        return inside


FIRST = os.environ.get("CUDA_VISIBLE_DEVICES", "0").partition(",")[0]
CARD = Card(Path(tempfile.gettempdir(), f"inductor_lab_card_{FIRST}_{os.getuid()}"))
"""The one that torch takes unless told otherwise; another command that asks for the same waits too."""


def share() -> None:
    """In a process that works beside others, before it compiles anything: what Triton compiles lends, what Inductor times holds."""
    from torch._inductor.runtime.benchmarking import InductorBenchmarker
    from torch._inductor.select_algorithm import AlgorithmSelectorCache as Selector

    importlib.import_module("scipy.stats")  # intervals need it: a second and more, which would be the card's
    CARD.lends = True
    triton.compile = triton.compiler.compile = CARD.during(triton.compiler.compile, held=False)
    InductorBenchmarker.benchmark_gpu = CARD.during(InductorBenchmarker.benchmark_gpu, held=True)  # type: ignore[method-assign]
    timed = Selector.benchmark_in_current_process.__func__  # type: ignore[attr-defined]
    Selector.benchmark_in_current_process = classmethod(CARD.during(timed, held=True))  # type: ignore[method-assign,assignment]


def compiling_lends() -> None:
    """What Dynamo and Inductor do from here on lends, where the card is shared; `torch.compiler.reset` forgets it."""
    from torch._dynamo.callback import callback_handler

    if CARD.lends:
        callback_handler.register_start_callback(CARD.give)
        callback_handler.register_end_callback(CARD.take)


def verb() -> None:
    """One of inductor_lab, as the command line has it. What it imports comes before it holds the card, and what it only compiles lends it."""
    from inductor_lab.cli import main

    diff: Any = importlib.import_module("inductor_lab.measure.diff")
    replays: Any = importlib.import_module("inductor_lab.replay.run")
    share()
    diff.machine = CARD.during(diff.machine, held=False)
    replays._answer = CARD.during(replays._answer, held=False)
    replays.Child = lambda task, **options: Child("card:replaying", **options)
    os.environ["PYTHONPATH"] = os.pathsep.join(filter(None, (str(HERE), os.environ.get("PYTHONPATH"))))
    with CARD.held():
        main()


def replaying(parent: int, told: int) -> None:
    """The process of a verb's replay, which takes its own turns, behind all that it imports and is asked."""
    run, module, session, launches = (
        importlib.import_module(f"inductor_lab.replay.{name}") for name in ("run", "module", "session", "launches")
    )
    share()
    for owner, name, held in (
        (module, "compiled", False),
        (session, "replayed", True),
        (launches, "keep_launch_inputs", True),
    ):
        setattr(owner, name, CARD.during(getattr(owner, name), held))
    run.main(parent, told)


def each(
    work: Callable[..., Result], on: Sequence[tuple[Any, ...]], processes: int, *, timed: bool = True
) -> Iterator[Result]:
    """The results of all these arguments as they come, in this process or in several others.

    A process that ends or loses the card is replaced, and its work done once more with `lost`: whose call it was, or an empty name -> why.

    Args:
        timed: Whether some of it measures on the card, so that they take turns; else they do not even import Inductor.
    """
    if processes == 1 or not on:
        yield from (work(*arguments) for arguments in on)
        return
    os.environ.setdefault("TORCHINDUCTOR_COMPILE_THREADS", str(COMPILE))
    idle: SimpleQueue[ProcessPoolExecutor] = SimpleQueue()
    count = min(processes, len(on))
    with ThreadPoolExecutor(count) as threads:
        for _ in range(count):
            idle.put(_process(timed))
        try:
            for done in as_completed([threads.submit(_done, idle, work, arguments, timed) for arguments in on]):
                yield done.result()
        finally:
            threads.shutdown(cancel_futures=True)  # nobody asks for the rest
            for _ in range(count):
                idle.get().shutdown(wait=False)


def _done(
    idle: SimpleQueue[ProcessPoolExecutor], work: Callable[..., Result], arguments: tuple[Any, ...], timed: bool
) -> Result:
    lost: dict[str, str] = {}
    process = idle.get()
    try:
        while True:
            try:
                return process.submit(work, *arguments, **({"lost": lost} if lost else {})).result()
            except (LostError, BrokenProcessPool) as error:
                who, why = error.args if isinstance(error, LostError) else ("", "its process ended")
                process.shutdown(wait=False)
                process = _process(timed)
                if who in lost:
                    raise
                lost = {**lost, who: why}
    finally:
        idle.put(process)


def _process(timed: bool) -> ProcessPoolExecutor:
    """One, as all processes of a pool are lost with the first."""
    return ProcessPoolExecutor(1, multiprocessing.get_context("spawn"), _begun, (timed,))  # a fork has no card


def _begun(timed: bool) -> None:
    end_with(os.getppid())  # also where ours is killed
    if timed:
        share()


if __name__ == "__main__":
    verb()
