"""Configurations held against the present one: by their programs and what the compiler makes of each, which needs no GPU, and by the clock.

Timed are all in a short round, and the best few in longer ones. What was found is kept in a file beside the ejected one, a line each (`Results`), so
that a run that was ended goes on where it was.
"""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, replace
from math import prod
from pathlib import Path
from types import ModuleType
from typing import Any

from inductor_lab import files
from inductor_lab.document import from_dict, to_dict
from inductor_lab.ejected import load
from inductor_lab.errors import LabError
from inductor_lab.gpus import Card
from inductor_lab.machine import LAUNCHERS, CaughtLaunch, inspect_module, launches_of
from inductor_lab.machine.instructions import width
from inductor_lab.machine.targets import residency
from inductor_lab.measure.timing.kernels import Bound, bytes_moved, failure, laid, timing
from inductor_lab.measure.timing.samples import Function, Method, first_line, measure
from inductor_lab.measure.timing.significance import Compared, compared
from inductor_lab.measure.tuning.settings import told
from inductor_lab.records import Candidate, MachineCode, Timing

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


# ---------------------------------------------------------------- what can be said without running one


MOST_ELEMENTS = 1 << 20
"""TRITON_MAX_TENSOR_NUMEL: elements of one tensor of a kernel."""
FAR = 0.25
"""Part of the best candidate's occupancy below which one is not worth timing."""
FULL = 0.25
"""Occupancy that a launch must be able to reach for its lack to say something: what has few programs leaves any card idle."""
ENOUGH = 0.75
"""Occupancy from which on more of it promises nothing: enough loads are under way."""


def pointless(
    module: ModuleType, settings: Mapping[str, int], present: Mapping[str, int], card: Card, which: str = "hand"
) -> str:
    """Why a configuration need not even be compiled; empty where it must be."""
    launches = launches_of(module, which, settings)
    if max(map(tile, launches)) > MOST_ELEMENTS:
        return f"a program would hold {max(map(tile, launches)):,} elements, more than Triton allows"
    before = launches_of(module, which, present)
    own = [_threads_for_each(launch, card) for launch in before]
    for launch, most in zip(launches, own if len(own) == len(launches) else [max(own)] * len(launches), strict=True):
        if _threads_for_each(launch, card) > max(most, 1):
            return f"{threads(launch, card)} threads for {tile(launch)} elements"
    programs = [launch.programs for launch in launches]
    for name in (name for name in settings if "BLOCK" in name and settings[name] > present[name]):
        halved = {**settings, name: settings[name] // 2}
        if _programs(module, halved, which) == programs and _is_shared(module, settings, name, which):
            return f"half of {name} already makes as few programs"
        row = launches[0].keywords.get(name.removeprefix("BLOCK_"))
        if isinstance(row, int) and name.startswith("BLOCK_") and halved[name] >= row:
            return f"half of {name} already holds all of {name.removeprefix('BLOCK_')}"
    return ""


def tile(launch: CaughtLaunch) -> int:
    """Elements of a program's tile, as far as the launch passes its blocks; of several jobs the largest."""
    blocks: dict[str, int] = {}
    for name, value in launch.keywords.items():
        if "BLOCK" in name and isinstance(value, int) and value > 0:
            axis = re.sub(r"_\d+$", "", name)
            blocks[axis] = max(blocks.get(axis, 1), value)
    return prod(blocks.values())


def threads(launch: CaughtLaunch, card: Card) -> int:
    """Threads of a program."""
    warps = launch.keywords.get("num_warps", 4)
    return (warps if isinstance(warps, int) else 4) * card.warp_size


def _threads_for_each(launch: CaughtLaunch, card: Card) -> float:
    """Threads for each element. A present configuration with more than one may hold a row that the launch does not pass.

    A tile below a warp counts as one here: `lanes` tells from the compiled code what of the warp is idle.
    """
    return threads(launch, card) / max(tile(launch), card.warp_size)


def _programs(module: ModuleType, settings: Mapping[str, int], which: str) -> list[int]:
    return [launch.programs for launch in launches_of(module, which, settings)]


def _is_shared(module: ModuleType, settings: Mapping[str, int], name: str, which: str) -> bool:
    """Whether programs share the axis of a block, so that a smaller block makes more of them."""
    return _programs(module, {**settings, name: 1}, which) != _programs(module, settings, which)


def compiled(module: ModuleType, settings: Mapping[str, int], gpu: str, card: Card, which: str = "hand") -> Candidate:
    """What the compiler makes of a configuration; `dropped` where it can not be launched on the card."""
    try:
        codes = inspect_module(module, gpu, which, settings)
    except LabError as error:
        return Candidate(settings, "dropped", f"it does not compile: {str(error).rpartition(': ')[2]}")
    return _candidate(settings, codes, _programs(module, settings, which), card)


def _candidate(
    settings: Mapping[str, int], codes: tuple[MachineCode, ...], programs: list[int], card: Card
) -> Candidate:
    """The worst of a file's launches; of all their threads those that have an element."""
    launches = list(zip(codes, programs, strict=True))
    started = [count * code.num_warps * card.warp_size for code, count in launches]
    holding = [count * (code.elements or 1) for code, count in launches]
    filled = [residency(code, count, card) for code, count in launches]
    fits = all(one.held for one in filled)
    return Candidate(
        settings,
        "ranked" if fits else "dropped",
        "" if fits else "no program of it fits on the card",
        registers=_most(code.registers for code in codes),
        spills=_most(code.spills for code in codes),
        shared_memory=max(code.shared_memory for code in codes),
        programs=sum(programs),
        occupancy=min(one.occupancy for one in filled),
        width=_most(width(name) for code in codes for name in code.loads),
        lanes=sum(map(min, holding, started)) / sum(started),
    )


def _most(values: Iterable[int | None]) -> int | None:
    return max((value for value in values if value is not None), default=None)


def pruned(found: list[Candidate], present: Mapping[str, int]) -> list[Candidate]:
    """The same, with those dropped that spill more or have more idle threads than the present one, or keep far less of the card busy than the best."""
    own = next(one for one in found if one.settings == present)
    best = max((one.occupancy or 0.0 for one in found if one.outcome != "dropped"), default=0.0)

    def judged(one: Candidate) -> Candidate:
        if one.outcome == "dropped" or one.settings == present:
            return one
        if (one.spills or 0) > (own.spills or 0):
            return replace(one, outcome="dropped", why=f"it spills {one.spills} bytes a thread")
        if _lanes(one) < _lanes(own):
            return replace(one, outcome="dropped", why=f"only {one.lanes:.0%} of its threads have an element")
        if best >= FULL and one.occupancy is not None and one.occupancy < FAR * best:
            return replace(
                one, outcome="dropped", why=f"it keeps {one.occupancy:.0%} of the card's warps, the best {best:.0%}"
            )
        return one

    return [judged(one) for one in found]


def rank(one: Candidate, card: Card, distance: float) -> tuple[float, ...]:
    """By what a configuration is put in order where nothing is timed: spills, then idle threads, then idle multiprocessors, then load width,
    then occupancy up to what is enough.
    """
    # From half as many programs as multiprocessors on, twice as many would put two on one and end no sooner.
    alone = max(card.processors // (one.programs or 1), 1)
    return (one.spills or 0, -_lanes(one), alone, -(one.width or 0), -min(one.occupancy or 0.0, ENOUGH), distance)


def _lanes(one: Candidate) -> float:
    return 1.0 if one.lanes is None else one.lanes


# ---------------------------------------------------------------- timed


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
        before = timing([*times["present"], *times["again"]], self.moved)
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
