"""Jobs on the cards that there are: each a process or several, one a card unless asked, ended in time; what has its result is not run again.

A result is there whole or not at all, and what is left to do follows from the results. jobs.json has how each job ended; what failed, with its last line
there, is tried again behind all that was not tried yet. A row that failed is a row, and says why, until `--again`.
"""

from __future__ import annotations

import argparse
import json
import math
import os
import signal
import subprocess
import sys
import tempfile
import threading
import time
from collections.abc import Callable, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from typing import Any, NoReturn

from circumstances import LEFT, Results, write

from inductor_lab.errors import LabError

ROOT = Path(__file__).resolve().parents[2]
LAST_ROW = 75
"""Seconds before the end in which no further row is begun."""


@dataclass(frozen=True)
class Job:
    """One process after the other in a folder of its own; the last one's output is the result, or it adds rows to a file by itself."""

    name: str
    commands: Sequence[Sequence[str]]
    """In a word FILE is the results file, and SECONDS how many there are before its last row."""
    file: str
    seconds: float = math.inf
    """Its limit."""
    rows: tuple[str, str] | None = None
    """Name and value of what all rows have that it adds to `file`; None where its output is the result."""
    points: Sequence[Mapping[str, Any]] | None = None
    """What tells each of its rows from the others: it is done when all are there. None where only jobs.json knows."""

    @property
    def needs(self) -> float:
        """Seconds that should be left when it begins."""
        return min(self.seconds / 2, 2 * LAST_ROW)


class Run:
    """Jobs on the cards that there are, one a card."""

    def __init__(self, folder: Path, waiting: Sequence[Job], seconds: float, what: str = "") -> None:
        self.folder, self.waiting = folder, list(waiting)
        self.begun, self.end = time.monotonic(), time.monotonic() + seconds
        self.results = Results(folder / "jobs.json", what)
        self.lock, self.processes = threading.Lock(), set[subprocess.Popen[bytes]]()
        self.cores = 1
        """A job's share: what computes on all of them, as torch does, waits for the others' threads most of its time."""
        self.adding: set[tuple[str, tuple[str, str]]] = set()
        """The rows that jobs are adding: two may be for the same."""

    def on(self, cards: Sequence[str]) -> None:
        """Until there is nothing left to do, or no time for it."""
        self.cores = max(1, (os.cpu_count() or 1) // len(cards))
        threads = [threading.Thread(target=self._each, args=[card], daemon=True) for card in cards]
        try:
            for thread in threads:
                thread.start()
            for thread in threads:
                thread.join()
        finally:
            self.end = 0
            for process in [*self.processes]:
                stop(process)

    def _each(self, card: str) -> None:
        while job := self._next():
            begun = time.monotonic()
            print(f"{begun - self.begun:4.0f} s  {job.name} begins{card and f' on card {card}'}", flush=True)
            try:
                told = self._done(job, card)
            except Exception as error:  # which ends no other job
                told = {"failed": f"{type(error).__name__}: {error}"}
            with self.lock:
                self.adding.discard((job.file, job.rows or ("", "")))
                if time.monotonic() < self.end:  # else it was cut off
                    self.results.remove("job", job.name)
                    self.results.add({"job": job.name, "seconds": round(time.monotonic() - begun, 1), **told})

    def _next(self) -> Job | None:
        with self.lock:
            for job in self.waiting:
                adds = (job.file, job.rows or ("", ""))
                if self.end - time.monotonic() >= job.needs and adds not in self.adding:
                    self.waiting.remove(job)
                    self.adding.add(adds)
                    return job
        return None

    def _done(self, job: Job, card: str) -> dict[str, Any]:
        """What is to be said of it."""
        end = min(self.end, time.monotonic() + job.seconds)
        extensions = Path(tempfile.gettempdir(), "extensions")
        environment = {"OMP_NUM_THREADS": str(self.cores)} | os.environ
        environment |= {"PYTHONPATH": str(ROOT), "TORCH_EXTENSIONS_DIR": str(extensions)}
        with tempfile.TemporaryDirectory() as made:
            Path(made, "captured").symlink_to(ROOT / "captured")
            out, log = Path(made, "out"), Path(made, "log")
            for words in job.commands:
                before = f"{max(0, end - time.monotonic() - LAST_ROW):.0f}"
                asked = [one.replace("FILE", str(self.folder / job.file)).replace("SECONDS", before) for one in words]
                with out.open("wb") as stdout, log.open("wb") as stderr:
                    process = subprocess.Popen(
                        asked, env=environment | {"CUDA_VISIBLE_DEVICES": card}, cwd=made, stdout=stdout, stderr=stderr,
                        start_new_session=True,
                    )  # fmt: skip
                    self.processes.add(process)
                    try:
                        code = process.wait(max(0.0, end - time.monotonic()) if end < math.inf else None)
                    except subprocess.TimeoutExpired:
                        return {"failed": f"it took longer than {job.seconds:.0f} s"}
                    finally:
                        stop(process)
                        self.processes.discard(process)
                if words is job.commands[-1] and job.rows is None and (found := result(out)):
                    write(self.folder / job.file, found)
                elif code == LEFT:
                    return {"left": True}
                elif code or (words is job.commands[-1] and job.rows is None):
                    return {"failed": last_line(log) or last_line(out) or f"exit code {code}, and nothing said"}
        return {}


def result(out: Path) -> dict[str, Any]:
    """What a verb said in JSON; a verdict is one, whatever it is."""
    try:
        found = json.loads(out.read_text(encoding="utf-8"))
    except ValueError:
        return {}
    return found if isinstance(found, dict) and "verdict" in found else {}


def last_line(path: Path) -> str:
    lines = [line.strip() for line in path.read_text(encoding="utf-8", errors="replace").splitlines() if line.strip()]
    return lines[-1][:300] if lines else ""


def stop(process: subprocess.Popen[bytes]) -> None:
    """End it, and what it began."""
    for how in (signal.SIGTERM, signal.SIGKILL):  # the talk's script ends its own row
        with suppress(ProcessLookupError):
            os.killpg(process.pid, how)
        with suppress(subprocess.TimeoutExpired):
            process.wait(5)


def left(folder: Path, every: Sequence[Job], again: Sequence[str]) -> list[Job]:
    """What is still to be done, first what was not tried yet; of `again` what was measured is gone then.

    Raises:
        LabError: there is no such job.
    """
    if unknown := sorted({*again} - {job.name for job in every}):
        raise LabError(f"there is no {unknown[0]}: it is {', '.join(job.name for job in every)}")
    ended = Results(folder / "jobs.json", "")
    for job in every:
        if job.name in again and job.rows is None:
            (folder / job.file).unlink(missing_ok=True)
        elif job.name in again:
            Results(folder / job.file, "").remove(*job.rows)  # type: ignore[misc]
            for other in every:
                if other.rows == job.rows and other.file == job.file:
                    ended.remove("job", other.name)
    told = {row["job"]: row for row in ended.rows()}

    def done(job: Job) -> bool:
        if job.rows is None:
            return (folder / job.file).exists()
        if job.points is not None:
            rows = Results(folder / job.file, "").rows()
            return all(any(point.items() <= row.items() for row in rows) for point in job.points)
        return job.name in told and not {"failed", "left"} & told[job.name].keys()

    return sorted([job for job in every if not done(job)], key=lambda job: "failed" in told.get(job.name, {}))


def cards(small: bool) -> list[str]:
    """What CUDA is to see for each.

    Raises:
        LabError: there is none.
    """
    import torch

    if small:
        return [""]
    if not torch.cuda.is_available():
        raise LabError("This needs a GPU; --smoke -o FOLDER runs a part of it without one")
    seen = os.environ.get("CUDA_VISIBLE_DEVICES", "")
    return seen.split(",") if seen else [str(number) for number in range(torch.cuda.device_count())]


def main(
    script: str,
    doc: str,
    every: Callable[[argparse.Namespace], Sequence[Job]],
    folder: Path,
    *,
    options: Callable[[argparse.ArgumentParser], None] = lambda parser: None,
    begin: Callable[[Path, argparse.Namespace], None] = lambda folder, asked: None,
    end: Callable[[Path, argparse.Namespace], None] = lambda folder, asked: None,
) -> NoReturn:
    """The command line of a script of jobs.

    Args:
        every: What was asked -> all jobs, the most important first.
        folder: Where results are, unless `-o` says so.
        options: Adds what else may be asked; `smoke` runs without a card, `beside` so many jobs at once on each.
        begin: Called with the folder before the jobs.
        end: And behind them.
    """
    parser = argparse.ArgumentParser(description=doc, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("-o", "--output", type=Path, metavar="FOLDER", default=folder)
    parser.add_argument(
        "--stop", type=float, default=math.inf, metavar="SECONDS", help="when all ends; what is cut off is begun anew"
    )
    parser.add_argument("--again", nargs="+", default=[], metavar="JOB", help="measure these anew")
    parser.add_argument("--list", action="store_true", help="only tell what is left to do")
    options(parser)
    asked = parser.parse_args()
    signal.signal(signal.SIGTERM, lambda *_: sys.exit("ended"))
    try:
        folder, wanted = asked.output.resolve(), every(asked)
        on = [] if asked.list else cards(getattr(asked, "smoke", False)) * getattr(asked, "beside", 1)
        folder.mkdir(parents=True, exist_ok=True)
        waiting = left(folder, wanted, asked.again)
        if waiting and not asked.list:
            end_by = time.monotonic() + asked.stop
            running = Run(folder, waiting, 0.0, doc.partition("\n")[0])
            running.results.begin(script, cards=len(on))
            begin(folder, asked)
            running.end = end_by
            running.on(on)
            end(folder, asked)
            waiting = left(folder, wanted, ())
    except LabError as error:
        print(f"error: {error}", file=sys.stderr)
        sys.exit(2)
    print("\n".join(["left:", *(job.name for job in waiting)]) if waiting else "nothing is left to do")
    sys.exit(0)
