"""Each kernel of a file under the best configuration that a short sweep finds: what `tune` does, for both, and nothing is written into the file."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from pathlib import Path
from types import ModuleType

from inductor_lab.contest.configurations import settings_of
from inductor_lab.ejected import seen
from inductor_lab.errors import LabError
from inductor_lab.machine import LAUNCHERS
from inductor_lab.tuning.settings import Stated, stated
from inductor_lab.tuning.space import around
from inductor_lab.tuning.sweep import LIMIT, begun

Progress = Callable[[str], None]
SECONDS = 0.5
"""Of each configuration in a sweep's last round: what wins is timed once more, beside everybody else."""


@dataclass(frozen=True)
class Best:
    """The configuration of one kernel."""

    settings: Mapping[str, int]
    note: str


def best_of(
    path: Path, module: ModuleType, which: str, wrong: Callable[[Mapping[str, int]], str], progress: Progress
) -> Best:
    """The fastest configuration of the `hand` or `generated` kernel that computes the same; the present one where none is faster.

    Args:
        wrong: Why a configuration does not compute the same; empty where it does.

    Raises:
        LabError: the present configuration does not compile or run.
    """
    launcher = LAUNCHERS[which]
    text = seen(path).text
    try:
        said = stated(text, str(path), launcher)
    except LabError:
        return Best(settings_of(getattr(module, launcher)), f"The {which} kernel has no configuration to choose.")
    own = settings_of(getattr(module, launcher))  # of the generated kernel, what Inductor's autotuner keeps here
    said = replace(said, present={name: own.get(name, value) for name, value in said.present.items()})
    numbers = getattr(module, "ORIGIN", {}).get("numbers") or {}
    sweep = begun(path, text, said, "auto", False, lambda step: progress(f"{which}: {step}"), which)
    tried = timed = 0
    for part in said.parts:
        found, beyond = sweep.facts(wider(replace(part, present=sweep.present), numbers)[1], LIMIT)
        found, rivals = sweep.timed(found, SECONDS)
        tried, timed = tried + len(found) + len(beyond), timed + sum(one.timing is not None for one in found)
        better = (settings for settings in sweep.better(found, rivals) if not wrong(settings))
        sweep.present = next(better, sweep.present)
    return Best(sweep.present, f"The {which} kernel's best of {tried} configurations, {timed} of them timed.")


def wider(said: Stated, numbers: Mapping[str, str]) -> tuple[Stated, list[dict[str, int]]]:
    """A kernel's configurations, where blocks of a kernel as Inductor wrote it may grow too, and what they are.

    It may lack a mask, which Inductor leaves out where every block it tries divides the size. A block that divides the size needs none, and where
    the present one does not divide it there is one.
    """
    sizes = {name: numbers.get(f"{name.removesuffix('BLOCK').lower()}numel", "") for name in said.shrinking}
    known = {name: int(size) for name, size in sizes.items() if size.isdecimal()}

    def right(settings: Mapping[str, int]) -> bool:
        return all(
            settings[name] <= said.present[name] or size % settings[name] == 0 or size % said.present[name] != 0
            for name, size in known.items()
        )

    said = replace(said, shrinking=said.shrinking - set(known))
    return said, [settings for settings in around(said) if right(settings)]
