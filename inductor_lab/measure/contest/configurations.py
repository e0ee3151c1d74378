"""The configurations of both kernels of a file: what each states, the generated kernel's in the hand kernel's own names, and the best of each.

The best one is found by a short sweep, as `tune` does it; nothing is written into the file.
"""

from __future__ import annotations

import inspect
from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from pathlib import Path
from types import ModuleType

from inductor_lab.errors import LabError
from inductor_lab.files import seen
from inductor_lab.machine import LAUNCHERS
from inductor_lab.measure.tuning.search import LIMIT, begun
from inductor_lab.measure.tuning.settings import Stated, around, kind_of, stated

WARPS = 4
"""Triton's own, where a launcher states none. What stages default to depends on the card."""


def settings_of(launcher: Callable[..., object]) -> dict[str, int]:
    """Blocks, warps and stages that a launcher states: the numbers that its parameters default to."""
    return {
        name: parameter.default
        for name, parameter in inspect.signature(launcher).parameters.items()
        if kind_of(name) and type(parameter.default) is int
    }


def both(module: ModuleType) -> dict[str, dict[str, int]]:
    """What the hand and the generated kernel of a file are launched under."""
    return {"hand": settings_of(module.launch), "generated": settings_of(module.launch_generated)}


def matching(module: ModuleType) -> tuple[dict[str, int] | None, str]:
    """The generated kernel's configuration in the names of the hand kernel; None, and why, where the hand kernel can not take it."""
    hand, generated = settings_of(module.launch), settings_of(module.launch_generated)
    names: Mapping[str, str] = getattr(module, "ORIGIN", {}).get("blocks") or {}
    wanted = {names.get(name, name): value for name, value in generated.items()}
    several = [names[name] for name, value in generated.items() if name in names and wanted[names[name]] != value]
    if several:
        return (
            None,
            f"The generated kernels have several {' and '.join(dict.fromkeys(several))}, so both can not run under one configuration.",
        )
    lacking = [name for name, value in wanted.items() if name not in hand and not _is_default(name, value)]
    if lacking:
        return (
            None,
            f"The hand kernel takes no {' and no '.join(lacking)}, so both can not run under one configuration.",
        )
    own = [name for name, value in hand.items() if name not in wanted and not _is_default(name, value)]
    if own:
        return None, f"The generated kernel has no {' and no '.join(own)}, so both can not run under one configuration."
    return {name: value for name, value in wanted.items() if name in hand}, ""


def _is_default(name: str, value: int) -> bool:
    return kind_of(name) == "num_warps" and value == WARPS


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
