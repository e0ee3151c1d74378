"""Does an ejected file compute what eager computes? On the GPU where there is one, else in Triton's interpreter.

The file runs in a process of its own, so that one that crashes, exits or never returns fails like one that is wrong: without its mask, a
kernel in the interpreter writes into this machine's memory.
"""

from __future__ import annotations

import json
import signal
import subprocess
import sys
import tempfile
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

from inductor_lab.document import from_dict, to_dict
from inductor_lab.errors import LabError
from inductor_lab.records import Case, Verdict

Progress = Callable[[str], None]
TIMEOUT = 1800.0  # seconds for one file


def verify(path: str | Path, *, seeds: int = 3, progress: Progress | None = None) -> Verdict:
    """Hold a file's `launch` and `launch_generated` to float64: several seeds (the last one drawn now), edge values, cut-off tails.

    Raises:
        LabError: the file is not there or no ejected file, its reference does not run, or torch or triton are missing.
    """
    (found,) = verify_all([path], seeds=seeds, progress=progress)
    if isinstance(found, LabError):
        raise found
    return found


def verify_all(
    paths: Sequence[str | Path], *, seeds: int = 3, progress: Progress | None = None
) -> list[Verdict | LabError]:
    """`verify` for many files: one process judges them in turn, and a new one goes on behind a file that ended it."""
    waiting = [Path(path).absolute() for path in paths]
    results: list[Verdict | LabError] = []
    while waiting:
        judged = _judged(waiting, seeds, progress or (lambda text: None))
        results += judged
        waiting = waiting[len(judged) :]
    return results


def _judged(paths: Sequence[Path], seeds: int, progress: Progress) -> list[Verdict | LabError]:
    """What one process made of the files, up to and including the one that ended it: at least one result."""
    with tempfile.TemporaryDirectory(prefix="inductor-lab-") as folder:
        told, said = Path(folder, "told.jsonl"), Path(folder, "said.txt")
        told.touch()
        with said.open("wb") as output:
            child = subprocess.Popen(
                [sys.executable, "-m", "inductor_lab.judge.process", str(told), str(seeds), *map(str, paths)],
                stdin=subprocess.DEVNULL, stdout=output, stderr=output,
            )  # fmt: skip
            try:
                status = _followed(child, told, progress, TIMEOUT * len(paths))
            finally:
                child.kill()
                child.wait()
        lines = [json.loads(line) for line in told.read_text(encoding="utf-8").splitlines() if line.endswith("}")]
        results = [_result(line) for line in lines if "verdict" in line or "error" in line]
        if len(results) < len(paths):
            open_case = lines[-1].get("case", "") if lines else ""  # the last line is a case, unless none had begun
            results.append(_ended(status, open_case, said.read_text(encoding="utf-8", errors="replace")))
        return results


def _followed(child: subprocess.Popen[bytes], told: Path, progress: Progress, timeout: float) -> int | None:
    """Wait for the child and pass on the cases that it begins; None when it took too long."""
    position, waited = 0, 0.0
    while True:
        try:
            status: int | None = child.wait(0.2)
        except subprocess.TimeoutExpired:
            status, waited = None, waited + 0.2
        with told.open(encoding="utf-8") as lines:
            lines.seek(position)
            for line in lines:
                if line.endswith("\n") and '"case"' in line:
                    progress(json.loads(line)["case"])
            position = lines.tell()
        if status is not None or waited > timeout:
            return status


def _result(line: dict[str, Any]) -> Verdict | LabError:
    return LabError(line["error"]) if "error" in line else from_dict(Verdict, line)


def _ended(status: int | None, case: str, said: str) -> Verdict | LabError:
    """The result of a file whose process ended before its verdict."""
    last = next((line for line in reversed(said.splitlines()) if line.strip()), "")
    if not case:
        return LabError(f"verifying did not begin: {last or f'the process ended with exit status {status}'}")
    if status is None:
        how = f"it did not end within {TIMEOUT:.0f} s"
    elif status < 0:
        how = f"it crashed ({signal.Signals(-status).name}): it reads or writes memory that is not its own"
    else:
        how = f"it ended the process with exit status {status}"
    failed = Case(case, False, {"hand": float("inf"), "generated": 0.0, "eager": 0.0}, how)
    return Verdict("fail", failed.errors, 0.0, (failed,), "a process of its own", ())


def message(verdict: Verdict | LabError) -> dict[str, Any]:
    """A result as one line of the file that the processes share."""
    return {"error": str(verdict)} if isinstance(verdict, LabError) else dict(to_dict(verdict))
