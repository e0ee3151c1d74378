"""Everything that is measured of DLRM, on a card: the grafted model, the kernels and their steps, the talk's experiments.

    python tests/benchmarks/dlrm.py                                   into tests/benchmarks/results/dlrm; goes on where it stopped
    python tests/benchmarks/dlrm.py --stop 560 -o FOLDER              what nine minutes allow; the same again does the next part
    python tests/benchmarks/dlrm.py --again diff_outer_2 grafted      these anew
    python tests/benchmarks/dlrm.py --smoke -o FOLDER                 a part at tiny sizes, in Triton's interpreter

A job is processes with one limit and one card; where there are several cards, jobs run beside each other. A result is there whole or not at all. jobs.json
has how each job ended; what failed, with its last line there, is tried again behind all that was not tried yet. A row that failed is a row,
and says why, until `--again`.
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
from collections.abc import Sequence
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from circumstances import LEFT, Results, write

from inductor_lab.errors import LabError
from inductor_lab.kernels.dlrm.steps import STEPS

HERE = Path(__file__).resolve().parent
ROOT = HERE.parents[1]
LAB = (sys.executable, "-m", "inductor_lab")
LAST_ROW = 75
"""Seconds before the end in which no further row is begun."""
GOALS = {
    "lookups": "--batches 128 65536 --columns 16",
    "outer": "--batches 128",
    "outer_folded": "--batches 128",
    "pairwise": "--batches 2048",
}
"""Where the kernels have one: first."""
KERNELS = (*GOALS, "lookups_backward", "pairwise_backward")


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

    @property
    def needs(self) -> float:
        """Seconds that should be left when it begins."""
        return min(self.seconds / 2, 2 * LAST_ROW)


def jobs() -> list[Job]:
    """The most important first."""
    first = ("lookups_2", "outer_2", "outer_3", "outer_1")
    steps = [job for step in (*first, *(one for one in STEPS if one not in first)) for job in of_step(step)]
    return [
        script("grafted"),
        *steps[: 2 * len(first)],
        *(script("kernels", f"goal_{one}", ("kernel", one), f"--kernels {one} {GOALS[one]}") for one in GOALS),
        *steps[2 * len(first) :],
        *(script("talk", one, ("experiment", one), f"--experiments {one}") for one in ("hash", "item", "modes")),
        *(script("kernels", one, ("kernel", one), f"--kernels {one}") for one in KERNELS),
    ]


def smoke() -> list[Job]:
    """Some of it, small."""
    told = script("kernels", "lookups", ("kernel", "lookups"), "--kernels lookups --smoke")
    return [script("grafted", options="--smoke"), told, script("talk", options="--experiments hash --smoke")]


def script(of: str, name: str = "", rows: tuple[str, str] = ("", ""), options: str = "") -> Job:
    """`dlrm_OF.py`, which goes on where it stopped."""
    words = [sys.executable, str(HERE / f"dlrm_{of}.py"), "-o", "FILE", "--stop", "SECONDS", *options.split()]
    return Job(name or of, [words], f"{of}.json", rows=rows)


def of_step(step: str) -> list[Job]:
    """A step's file, timed in its model, and judged."""
    capture, made = f"captured/{STEPS[step].capture}", []
    if step == "pairwise_1":
        capture = "made/interaction"
        text = (
            "import torch, inductor_lab; from inductor_lab.kernels.dlrm.steps import interaction; "
            f"inductor_lab.capture_model(interaction, torch.randn(2048, 27, 16, device='cuda')).save({capture!r})"
        )
        made = [(sys.executable, "-c", text)]
    file = f"{step}.py"
    made += [(sys.executable, "-m", "inductor_lab.kernels", "dlrm", step, "--capture", capture, "-o", file)]
    diff, verify = (*LAB, "diff", file, "--in", capture, "--json"), (*LAB, "verify", file, "--thorough", "--json")
    return [
        Job(f"diff_{step}", [*made, diff], f"diff_{step}.json", 200),
        Job(f"verify_{step}", [*made, verify], f"verify_{step}.json", 300),
    ]


class Run:
    """Jobs on the cards that there are, one a card."""

    def __init__(self, folder: Path, waiting: Sequence[Job], seconds: float) -> None:
        self.folder, self.waiting = folder, list(waiting)
        self.begun, self.end = time.monotonic(), time.monotonic() + seconds
        self.results = Results(folder / "jobs.json", (__doc__ or "").partition("\n")[0])
        self.lock, self.processes = threading.Lock(), set[subprocess.Popen[bytes]]()
        self.adding: set[tuple[str, tuple[str, str]]] = set()
        """The rows that jobs are adding: two may be for the same."""

    def on(self, cards: Sequence[str]) -> None:
        """Until there is nothing left to do, or no time for it."""
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
        extensions = Path(tempfile.gettempdir(), "dlrm_extensions")
        environment = os.environ | {"PYTHONPATH": str(ROOT), "TORCH_EXTENSIONS_DIR": str(extensions)}
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


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("-o", "--output", type=Path, metavar="FOLDER", default=HERE / "results" / "dlrm")
    parser.add_argument(
        "--stop", type=float, default=math.inf, metavar="SECONDS", help="when all ends; what is cut off is begun anew"
    )
    parser.add_argument("--again", nargs="+", default=[], metavar="JOB", help="measure these anew")
    parser.add_argument("--list", action="store_true", help="only tell what is left to do")
    parser.add_argument("--smoke", action="store_true", help="a part at tiny sizes, without a card")
    asked = parser.parse_args()
    folder, every = asked.output.resolve(), smoke() if asked.smoke else jobs()
    on = [] if asked.list else cards(asked.smoke)
    folder.mkdir(parents=True, exist_ok=True)
    waiting = left(folder, every, asked.again)
    if asked.list or not waiting:
        print("\n".join(job.name for job in waiting) or "nothing is left to do")
        return 0
    signal.signal(signal.SIGTERM, lambda *_: sys.exit("ended"))
    for lock in Path(tempfile.gettempdir(), "dlrm_extensions").glob("*/lock"):  # of a build that was ended
        lock.unlink()
    run = Run(folder, waiting, asked.stop)
    run.results.begin("dlrm.py", cards=len(on))
    run.on(on)
    waiting = left(folder, every, ())
    print(f"left: {', '.join(job.name for job in waiting) or 'nothing'}")
    return 0


if __name__ == "__main__":
    try:
        sys.exit(main())
    except LabError as error:
        print(f"error: {error}", file=sys.stderr)
        sys.exit(2)
