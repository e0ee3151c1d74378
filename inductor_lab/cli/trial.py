"""One tiny kernel through the verbs that run code, so that `doctor` says what works here and not only what is installed."""

from __future__ import annotations

import tempfile
from collections.abc import Callable, Iterator, Sequence
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from inductor_lab.doctor import Check

PROGRAM = """
import torch

device = "cuda" if torch.cuda.is_available() else "cpu"
torch.compile(lambda x: (x * 2).relu().sum(-1))(torch.randn(100, 200, device=device))
"""
CAPTURE, VERIFY, INSPECT, REPLAY = "capture for a virtual GPU", "verify", "inspect", "replay"
LONGEST = 300
"""Characters of what went wrong."""


def tried(checks: Sequence[Check], step: Callable[[str], None]) -> tuple[Check, ...]:
    """The checks, those of what could be tried told by what came of it."""
    able = {check.name for check in checks if check.kind == "ability" and check.works}
    wrong = dict(_wrong(able, step))
    return tuple(replace(c, works=False, detail=wrong[c.name]) if c.name in wrong else c for c in checks)


def _wrong(able: set[str], step: Callable[[str], None]) -> Iterator[tuple[str, str]]:
    """What does not work of what should, and why."""
    with tempfile.TemporaryDirectory(prefix="inductor-lab-doctor-") as folder:
        trial = _Trial(Path(folder))
        for verb in (CAPTURE, VERIFY, INSPECT, REPLAY):
            if verb not in able:
                continue
            step(f"trying {verb}")
            try:
                trial.does[verb]()
            except Exception as error:  # whatever it is, it is what doctor is for
                said = " ".join(str(error).split()) or type(error).__name__
                yield verb, f"tried, and it does not: {said[:LONGEST]}"
                if verb == CAPTURE:
                    return  # there is nothing to try the others on


class _Trial:
    """A program, its capture and one ejected file."""

    def __init__(self, folder: Path) -> None:
        self.script, self.captured, self.file = folder / "program.py", folder / "tiny", folder / "mine.py"
        self.does = {CAPTURE: self.capture, VERIFY: self.verify, INSPECT: self.inspect, REPLAY: self.replay}

    def capture(self) -> None:
        from inductor_lab.capture.run import capture
        from inductor_lab.eject import eject

        self.script.write_text(PROGRAM)
        found, _ = capture(str(self.script), gpu="h200", output=self.captured)
        self.file.write_text(eject(found, found.kernels[0]))

    def verify(self) -> None:
        from inductor_lab.verify import verify

        verdict = verify(self.file, effort="quick")
        if verdict.verdict != "pass":
            raise RuntimeError(next(case.message for case in verdict.cases if not case.passed))

    def inspect(self) -> None:
        from inductor_lab.machine import inspect

        inspect(self.file, gpu="h200")

    def replay(self) -> None:
        from inductor_lab.replay.run import replay

        result = replay(self.captured)
        if result.verdict != "pass":
            raise RuntimeError("a launch departs from eager")
