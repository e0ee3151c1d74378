"""How long a graph's module takes on the card: the step, by `bench`'s own method, and each launch's part of it.

The module is compiled by Inductor from its own text, with all of Inductor's tuning, and recorded as a CUDA graph, so that the time is the
card's and not Python's; with grafts, a second one has hand kernels at their launches. A launch's time is what CUPTI, through torch.profiler,
sees of its kernels while the graph runs.
"""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from statistics import median
from types import ModuleType
from typing import Any

import torch
from torch.autograd.profiler_util import DeviceType
from torch.profiler import ProfilerActivity, profile

from inductor_lab import bench
from inductor_lab.records import Graph, Timing
from inductor_lab.replay import module
from inductor_lab.replay.launches import Launches

SECONDS = 0.5
"""For which a step is timed."""
PROFILED = 5
"""Steps that are profiled."""


@dataclass(frozen=True)
class Times:
    """Of one graph."""

    step: Mapping[str, Timing]
    """`generated`, and `grafted` where there is a graft."""
    launches: Sequence[Mapping[str, float]]
    """Microseconds of each launch, in order, by the same names; without those that the profile does not show."""
    notes: tuple[str, ...] = ()


def timed(graph: Graph, values: Sequence[Any], launches: Launches, lines: Sequence[int]) -> Times:
    """Time a graph's module on these inputs, which it may overwrite.

    Args:
        lines: Where the module's launches are, in the order in which they ran.
    """
    try:
        steps = {"generated": module.compiled(graph)}
        grafted = {line for line in lines if launches.is_grafted(line)}
        if grafted:
            steps["grafted"] = _with_hand_kernels(graph, launches, grafted)
        runs = {name: _recorded(call, values) for name, call in steps.items()}
    except (
        Exception
    ) as error:  # another torch's module, or one that no CUDA graph can hold: Inductor and CUDA raise anything
        why = " ".join(str(error).split())[:200]
        return Times({}, [{}] * len(lines), (f"graph {graph.id} was not timed: {type(error).__name__}: {why}",))
    samples = bench.measure(runs, seconds=SECONDS)
    step = {name: bench.timing(times, None) for name, times in samples.items()}
    took: list[dict[str, float]] = [{} for _ in lines]
    for name, run in runs.items():
        expected = [_names(launches, line, name == "grafted" and line in grafted) for line in lines]
        for place, median_ in enumerate(medians(_profiled(run), expected)):
            if median_ is not None:
                took[place][name] = median_
    return Times(step, took)


def _recorded(call: module.Module, values: Sequence[Any]) -> Callable[[], object]:
    """What runs the module again as a CUDA graph; its outputs live as long as that does."""
    side = torch.cuda.Stream()
    side.wait_stream(torch.cuda.current_stream())
    with torch.cuda.stream(side):
        for _ in range(3):  # Inductor tunes, libraries make their workspaces
            call(list(values))
    torch.cuda.current_stream().wait_stream(side)
    recorded = torch.cuda.CUDAGraph()
    with torch.cuda.graph(recorded):
        kept = call(list(values))

    def run(kept: object = kept) -> None:
        recorded.replay()

    return run


def _with_hand_kernels(graph: Graph, launches: Launches, grafted: set[int]) -> module.Module:
    def kernels(generated: Mapping[str, Any]) -> dict[str, Any]:
        return {launches.called(line): _Either(generated[launches.called(line)], launches, grafted) for line in grafted}

    return module.compiled(graph, kernels)


class _Either:
    """A kernel of the module: the hand kernel at the launches that have one, the generated one at others."""

    def __init__(self, generated: Any, launches: Launches, grafted: set[int]) -> None:
        self.generated, self.launches, self.grafted = generated, launches, grafted

    def run(self, *given: Any, **named: Any) -> None:
        line = sys._getframe(1).f_lineno
        if line in self.grafted:
            self.launches.prepared(line, given)[1]()
        else:
            self.generated.run(*given, **named)


def _names(launches: Launches, line: int, grafted: bool) -> set[str]:
    """Names under which the card knows what a launch runs."""
    return set(_kernels(launches.grafted_file(line))) if grafted else {launches.called(line)}


def _kernels(file: ModuleType) -> Iterator[str]:
    for value in vars(file).values():
        function = getattr(value, "fn", None)
        if type(value).__module__.startswith("triton.") and function is not None:
            yield getattr(function, "__name__", None) or function.fn.__name__


def _profiled(run: Callable[[], object]) -> list[tuple[str, float]]:
    """(name, microseconds) of what the card ran over some steps, in order."""
    torch.cuda.synchronize()
    with profile(activities=[ProfilerActivity.CUDA]) as profiled:
        for _ in range(PROFILED):
            run()
        torch.cuda.synchronize()
    events = [event for event in profiled.events() or () if event.device_type == DeviceType.CUDA]
    events.sort(key=lambda event: event.time_range.start)
    return [(event.name, event.time_range.elapsed_us()) for event in events]


def medians(
    ran: Sequence[tuple[str, float]], expected: Sequence[set[str]], steps: int = PROFILED
) -> list[float | None]:
    """The median time of each launch over some steps, found by its names in order; None for one that is not there in every step."""
    at = 0
    found: list[list[float]] = [[] for _ in expected]
    for _ in range(steps):
        for place, names in enumerate(expected):
            match = next((i for i in range(at, len(ran)) if ran[i][0] in names), None)
            if match is not None:
                found[place].append(ran[match][1])
                at = match + 1
    return [median(times) if len(times) == steps else None for times in found]
