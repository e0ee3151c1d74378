"""Configurations timed against the present one: a short round for all, longer ones for the best few. Needs a GPU.

What was found is kept in a file beside the ejected one, a line each (`Results`), so that a run that was ended goes on where it was.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, replace
from pathlib import Path
from types import ModuleType
from typing import Any

from inductor_lab import files
from inductor_lab.document import from_dict, to_dict
from inductor_lab.ejected import load
from inductor_lab.errors import LabError
from inductor_lab.machine import LAUNCHERS
from inductor_lab.measure.timing.kernels import Bound, bytes_moved, failure, laid, timing
from inductor_lab.measure.timing.samples import Function, Method, first_line, measure
from inductor_lab.measure.timing.significance import Compared, compared
from inductor_lab.measure.tuning.settings import told
from inductor_lab.records import Candidate, Timing

TOGETHER = 8
"""Configurations that share a short round: after each, what was found is kept."""
SHORT, LONGER = 12, 60
"""Samples of each configuration in the first two rounds."""
SECOND, LAST = 8, 3
"""Configurations that come into the second round, and into the last."""
Progress = Callable[[str], None]


@dataclass(frozen=True)
class Rival:
    """A configuration of the last round, beside the present one in the same rounds."""

    settings: Mapping[str, int]
    timing: Timing
    before: Timing
    compared: Compared


class Clock:
    """The hand or the generated kernel of one file, launched under any configuration on the same tensors."""

    def __init__(self, path: Path, module: ModuleType, results: Results, which: str = "hand") -> None:
        self.path, self.results, self.which = path, results, which
        self.tensors, self.restore = laid(module)
        self.module = module
        self.moved = bytes_moved(module)

    def short(self, waiting: Sequence[Candidate], progress: Progress) -> list[Candidate]:
        """Each with its time in a short round; those that do not run are dropped. What is known already is not timed again."""
        known = self.results.measured
        unknown = [one for one in waiting if name_of(one.settings) not in known]
        for start in range(0, len(unknown), TOGETHER):
            part = unknown[start : start + TOGETHER]
            progress(f"timing {start + 1} to {start + len(part)} of {len(unknown)}, in short rounds")
            running = [one for one in part if self._runs(one)]
            times = self._measured([one.settings for one in running], rounds=SHORT)
            for one in running:
                self.results.add("measured", replace(one, outcome="timed", timing=times[name_of(one.settings)]))
        found = (
            (one, known[name_of(one.settings)]) for one in waiting
        )  # a verdict that failed in an earlier run is one still
        return [replace(one, outcome=now.outcome, why=now.why, timing=now.timing) for one, now in found]

    def longer(self, waiting: Sequence[Candidate]) -> list[Candidate]:
        """The same ones after a longer round."""
        times = self._measured([one.settings for one in waiting], rounds=LONGER)
        return [replace(one, timing=times[name_of(one.settings)]) for one in waiting]

    def last(self, rivals: Sequence[Candidate], present: Mapping[str, int], seconds: float) -> list[Rival]:
        """The best few against the present one, which runs twice: the fastest first."""
        again = load(self.path).module  # loaded on its own: where a kernel's code lies has its own share in the noise
        functions = {
            "present": self._function(present),
            "again": self._function(present, again),
            **{name_of(one.settings): self._function(one.settings) for one in rivals},
        }
        times = measure(functions, self.restore, Method(rounds=None, seconds=seconds)).times
        before = timing(times["present"] + times["again"], self.moved)
        found = []
        for one in rivals:
            own = times[name_of(one.settings)]
            ratio = compared(own, times["present"], times["again"])
            found.append(Rival(one.settings, timing(own, self.moved), before, ratio))
        return sorted(found, key=lambda rival: rival.timing.median)

    def _function(self, settings: Mapping[str, int], module: ModuleType | None = None) -> Function:
        return Bound(getattr(module or self.module, LAUNCHERS[self.which]), self.tensors, settings)

    def _measured(self, settings: Sequence[Mapping[str, int]], rounds: int) -> dict[str, Timing]:
        if not settings:
            return {}
        functions = {name_of(one): self._function(one) for one in settings}
        times = measure(functions, self.restore, Method(rounds=rounds)).times
        return {name: timing(samples, self.moved) for name, samples in times.items()}

    def _runs(self, one: Candidate) -> bool:
        """Whether a configuration can be launched; the reason why not is kept.

        Raises:
            LabError: the GPU can do nothing more in this process, which this configuration is to blame for.
        """
        self.restore()
        error = failure(self._function(one.settings))
        if error is None:
            return True
        why = f"it fails on this GPU: {first_line(error)}"
        self.results.add("measured", replace(one, outcome="dropped", why=why))
        if failure(self.restore):
            raise LabError(
                f"{self.path} under {told(one.settings)} broke off what the GPU does ({first_line(error)}); run this again: it will be left out."
            )
        return False


ENDING = ".tune.jsonl"


class Results:
    """What was found so far under one key: the file that is tuned, the card, and the versions of what compiles."""

    def __init__(self, file: Path, key: str, *, fresh: bool = False) -> None:
        self.path = file.with_name(file.name + ENDING)
        self.key = key
        self.compiled: dict[str, Candidate] = {}
        self.measured: dict[str, Candidate] = {}
        for line in [] if fresh else self._lines():
            if line.get("key") == key:
                found = from_dict(Candidate, line["candidate"])
                (self.compiled if line["step"] == "compiled" else self.measured)[name_of(found.settings)] = found
        self.begun = len(self.compiled) + len(self.measured)
        """Results of earlier runs."""

    def _lines(self) -> Iterator[dict[str, Any]]:
        for line in files.lines(self.path):
            with suppress(ValueError, KeyError, TypeError):
                from_dict(Candidate, line["candidate"])
                yield line

    def add(self, step: str, candidate: Candidate) -> None:
        """Keep one more, on the disk before this returns: what was `compiled`, or `measured`."""
        (self.compiled if step == "compiled" else self.measured)[name_of(candidate.settings)] = candidate
        files.append(self.path, {"key": self.key, "step": step, "candidate": to_dict(candidate)})


def name_of(settings: Mapping[str, int]) -> str:
    """The key of a configuration."""
    return json.dumps(dict(settings), sort_keys=True)
