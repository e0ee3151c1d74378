"""What can be said of a configuration without running it: its programs, and what the compiler makes of it for a card."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from dataclasses import replace
from math import prod
from types import ModuleType

from inductor_lab.errors import LabError
from inductor_lab.gpus import Card
from inductor_lab.machine import CaughtLaunch, inspect_module, launches_of
from inductor_lab.machine.instructions import width
from inductor_lab.machine.targets import occupancy, resident
from inductor_lab.records import Candidate, MachineCode

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
    found = _candidate(settings, codes, _programs(module, settings, which), card)
    if any(_resident(code, card) == 0 for code in codes):
        return replace(found, outcome="dropped", why="no program of it fits on the card")
    return found


def _resident(code: MachineCode, card: Card) -> int:
    return resident(card, registers=code.registers, shared_memory=code.shared_memory, warps=code.num_warps)


def _candidate(
    settings: Mapping[str, int], codes: tuple[MachineCode, ...], programs: list[int], card: Card
) -> Candidate:
    """The worst of a file's launches; of all their threads those that have an element."""
    started = [count * code.num_warps * card.warp_size for code, count in zip(codes, programs, strict=True)]
    holding = [count * (code.elements or 1) for code, count in zip(codes, programs, strict=True)]
    held = [
        occupancy(
            card, registers=code.registers, shared_memory=code.shared_memory, warps=code.num_warps, programs=count
        )
        for code, count in zip(codes, programs, strict=True)
    ]
    return Candidate(
        settings,
        "ranked",
        registers=_most(code.registers for code in codes),
        spills=_most(code.spills for code in codes),
        shared_memory=max(code.shared_memory for code in codes),
        programs=sum(programs),
        occupancy=min(held),
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
