"""How long a graph's module takes on the card: the step, by `bench`'s own method, and each launch's part of it.

The module is compiled by Inductor from its own text, with the configurations that its autotuner kept where the capture saw them, and recorded
as a CUDA graph, so that the time is the card's and not Python's; with grafts, a second one has hand kernels at their launches, and a third is the
first once more, compiled on its own: how far the two differ, also by where their code lies, is noise. A launch's time is what CUPTI, through
torch.profiler, sees of its kernels while the graph runs, on the same cold cache.

What hand kernels save is told end to end, by paired rounds, and by their launches' own times.
"""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import partial
from itertools import islice
from statistics import median
from types import ModuleType
from typing import Any

from inductor_lab.measure.timing.kernels import timing
from inductor_lab.measure.timing.samples import Method, flusher, kernels_run, measure, recorded
from inductor_lab.measure.timing.significance import median_interval
from inductor_lab.records import Graph, Saving, Timing
from inductor_lab.replay import module
from inductor_lab.replay.launches import Launches

SECONDS = 0.5
"""For which a step is timed."""
WARM_UP = 3
"""Calls before a step is recorded: Inductor tunes, libraries make their workspaces."""
PROFILED = 20
"""Steps that are profiled."""
METHOD = Method(rounds=None, seconds=SECONDS)
"""Of what is a CUDA graph already, and is not recorded again."""
AGAIN = "again"
"""The generated step a second time: A/A."""


@dataclass(frozen=True)
class Times:
    """Of one graph."""

    step: Mapping[str, Timing]
    """`generated`, and `grafted` where there is a graft."""
    launches: Sequence[Mapping[str, float]]
    """Microseconds of each launch, in order, by the same names; without those that the profile does not show."""
    notes: tuple[str, ...] = ()
    saving: Saving | None = None
    """Where there is a graft."""


def timed(graph: Graph, values: Sequence[Any], launches: Launches, lines: Sequence[int]) -> Times:
    """Time a graph's module on these inputs, which it may overwrite.

    Args:
        lines: Where the module's launches are, in the order in which they ran; a span's is that of its first step.
    """
    try:
        steps = {"generated": module.compiled(graph, launches.kept())}
        grafted = {line for line in lines if launches.hand(line)}
        if grafted:
            steps["grafted"] = launches.compiled(grafted, held=False)
            steps[AGAIN] = module.compiled(graph, launches.kept())
        runs = {name: recorded(name, partial(_step, call, values), warm_up=WARM_UP) for name, call in steps.items()}
    except (
        Exception
    ) as error:  # another torch's module, or one that no CUDA graph can hold: Inductor and CUDA raise anything
        why = " ".join(str(error).split())[:200]
        return Times({}, [{}] * len(lines), (f"graph {graph.id} was not timed: {type(error).__name__}: {why}",))
    measured = measure(runs, method=METHOD)
    runs.pop(AGAIN, None)
    step = {name: timing(measured.times[name], None, replace(METHOD, launch="graph")) for name in runs}
    ran: dict[str, list[list[float]]] = {}
    for name, run in runs.items():
        ran[name] = _by_line(
            launches, lines, grafted if name == "grafted" else set(), kernels_run(run, flusher(), count=PROFILED)
        )
    took = [{name: median(ran[name][place]) for name in runs if ran[name][place]} for place in range(len(lines))]
    if not grafted:
        return Times(step, took)
    replaced = [place for place, line in enumerate(lines) if line in grafted]
    generated, hand = ([ran[name][place] for place in replaced] for name in ("generated", "grafted"))
    return Times(step, took, saving=saving(measured.times, generated, hand))


def _step(call: module.Module, values: Sequence[Any]) -> object:
    return call(list(values))  # which empties its list


def _by_line(
    launches: Launches, lines: Sequence[int], grafted: set[int], ran: Sequence[tuple[str, float]]
) -> list[list[float]]:
    """Each launch's time in each step, and each span's, where it is launches alone: under which names a library's kernels run is not known."""
    expected: list[set[str]] = []
    places: list[range] = []
    unknown: set[int] = set()
    for line in lines:
        span, hand = launches.span_at(line), launches.hand(line) if line in grafted else None
        if span and any(step.call for step in span.steps):
            unknown.add(line)
        of = [step.line for step in span.steps if step.kernel] if span else [line]
        names = [set(_kernels(hand))] if hand else [{launches.called(one)} for one in of]
        places.append(range(len(expected), len(expected) + len(names)))
        expected += names
    times = by_launch(ran, expected)
    return [
        [] if line in unknown else together([times[one] for one in place])
        for line, place in zip(lines, places, strict=True)
    ]


def _kernels(file: ModuleType) -> Iterator[str]:
    for value in vars(file).values():
        function = getattr(value, "fn", None)
        if type(value).__module__.startswith("triton.") and function is not None:
            yield getattr(function, "__name__", None) or function.fn.__name__


def by_launch(
    ran: Sequence[tuple[str, float]], expected: Sequence[set[str]], steps: int = PROFILED
) -> list[list[float]]:
    """Each launch's time in each step, found by its names in order; none of one that is not there in every step.

    What launches of one name run is shared out evenly among them: a hand kernel's may run several kernels.
    """
    at = 0
    found: list[list[float]] = [[] for _ in expected]
    counts = Counter(name for name, _ in ran)
    each = [sum(counts[name] for name in names) / (steps * expected.count(names)) for names in expected]
    for _ in range(steps):
        for place, names in enumerate(expected):
            matches = list(islice((i for i in range(at, len(ran)) if ran[i][0] in names), math.ceil(each[place])))
            if matches and len(matches) == each[place]:
                found[place].append(sum(ran[i][1] for i in matches))
                at = matches[-1] + 1
    return [times if len(times) == steps else [] for times in found]


LaunchTimes = Sequence[Sequence[float]]
"""Of each launch its microseconds in each profiled step; none where the profile does not show it in every one."""


def saving(rounds: Mapping[str, Sequence[float]], generated: LaunchTimes, grafted: LaunchTimes) -> Saving:
    """Generated less grafted.

    Args:
        rounds: The step's microseconds in each round: `generated`, `grafted`, and `again`, the generated one a second time.
        generated: The launches that have a hand kernel, with the generated one.
        grafted: The same launches with the hand kernel.
    """
    step, interval = median_interval(_less(rounds["generated"], rounds["grafted"]))
    _, (low, high) = median_interval(_less(rounds["generated"], rounds["again"]))
    noise = max(abs(low), abs(high))
    if not (generated and all(generated) and all(grafted)):
        return Saving(step, interval, noise)
    theirs, (theirs_low, theirs_high) = median_interval(together(generated))
    ours, (ours_low, ours_high) = median_interval(together(grafted))
    return Saving(step, interval, noise, theirs - ours, (theirs_low - ours_high, theirs_high - ours_low))


def _less(one: Sequence[float], other: Sequence[float]) -> list[float]:
    return [theirs - ours for theirs, ours in zip(one, other, strict=True)]


def together(launches: LaunchTimes) -> list[float]:
    """All of them, step by step; nothing where one of them is not known."""
    return [sum(step) for step in zip(*launches, strict=True)] if all(launches) else []
