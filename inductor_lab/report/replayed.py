"""A module that was run again, in a terminal and in a notebook: the verdict, each graph's outputs, each launch."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from rich.table import Table
from rich.text import Text

from inductor_lab.quantity import plural
from inductor_lab.records import Replay, ReplayedGraph, ReplayedLaunch

COLOURS = {"pass": "bold green", "fail": "bold red"}
SHARE = "of the step"
EQUAL = {
    "eager": "eager's, at most {:.1e} from float64",
    "generated": "the generated module's, at most {:.1e} from them",
}


def replayed(found: Replay) -> Iterator[Table | Text]:
    """The verdict in one line, each graph's outputs, each launch."""
    launches = f"{len(found.launches)} launch{'es' * (len(found.launches) != 1)}"
    ran = f"{plural(len(found.graphs), 'graph')}, {launches} on {found.device}"
    departs = f"; the first that departs is {found.first}" if found.first else ""
    yield Text.assemble((f"{found.verdict}  ", COLOURS[found.verdict]), f"{ran}, {_inputs(found)}{departs}")
    for graph in found.graphs:
        wrong = [f"{name} {message}" for name, message in graph.outputs.items() if message != "pass"]
        wrong += [f"the program's {name} {message}" for name, message in graph.program.items() if message != "pass"]
        worst = max(graph.errors.values(), default=0.0)
        yield Text(
            f"{graph.graph}: "
            + ("; ".join(wrong) or f"{_equal(len(graph.outputs))} {EQUAL[graph.against]}".format(worst))
            + (f"; so {_own(len(graph.program))}" if graph.program and not wrong else "")
        )
        if graph.step:
            yield Text(f"{graph.graph}: {_step(graph, found.launches)}")
    yield _launches(found)
    yield from map(Text, found.notes)


def _equal(outputs: int) -> str:
    return "1 output equals" if outputs == 1 else f"{outputs} outputs equal"


def _own(outputs: int) -> str:
    return "does the program's own" if outputs == 1 else f"do the program's own {outputs}"


def _launches(found: Replay) -> Table:
    """A row for each launch, with its time where anything was timed."""
    steps = {graph.graph: _median(graph) for graph in found.graphs}
    grafted = any("grafted" in graph.step for graph in found.graphs)
    times = ("generated", "grafted", SHARE) if grafted else ("us", SHARE) if any(steps.values()) else ()
    table = Table(box=None, pad_edge=False, padding=(0, 2, 0, 0), header_style="bold")
    for column in ("line", "kernel", "", *times, "from float64", "eager", ""):
        table.add_column(column, overflow="fold", justify="right" if column in times else "left")
    for launch in found.launches:
        first, name, verdict, *rest = _row(launch)
        table.add_row(first, name, verdict, *_time(launch, steps[launch.graph], times), *rest)
    return table


def _median(graph: ReplayedGraph) -> float:
    """Microseconds of the step that the launches are part of: the grafted one where there is a graft."""
    timing = graph.step.get("grafted") or graph.step.get("generated")
    return timing.median if timing else 0.0


def _step(graph: ReplayedGraph, launches: Sequence[ReplayedLaunch]) -> str:
    """The step's time, what a graft is worth in it, and the kernels' part."""
    said = ", ".join(
        f"{name} {timing.median:,.1f} us [{timing.interval[0]:,.1f}, {timing.interval[1]:,.1f}]"
        for name, timing in graph.step.items()
    )
    if "grafted" in graph.step:
        said += f", {graph.step['grafted'].median / graph.step['generated'].median - 1:+.1%}"
    if graph.saving:
        low, high = graph.saving.step_interval
        said += f" ({graph.saving.step:,.2f} us saved [{low:,.2f}, {high:,.2f}], noise {graph.saving.noise:.2f} us)"
    which = "grafted" if "grafted" in graph.step else "generated"
    kernels = sum(one.microseconds.get(which, 0.0) for one in launches if one.graph == graph.graph)
    return f"the step as a CUDA graph takes {said}; {kernels / _median(graph):.0%} of it in kernels that Inductor wrote"


def _time(launch: ReplayedLaunch, step: float, columns: Sequence[str]) -> Iterator[Text]:
    """Its microseconds, by whom a column names, and its part of the step; empty where it is not known."""
    took = {**launch.microseconds, "us": launch.microseconds.get("generated")}
    now = launch.microseconds.get("grafted") or took["us"]
    for column in columns:
        if column == SHARE:
            yield Text(f"{now / step:.1%}" if now and step else "")
        else:
            yield Text(f"{value:.1f}" if (value := took.get(column)) is not None else "")


def _inputs(found: Replay) -> str:
    """Where the graphs' inputs are from."""
    words = {
        "kept": "inputs as the program had them",
        "statistics": f"inputs drawn by seed {found.seed} and the program's statistics",
        "drawn": f"inputs drawn by seed {found.seed}",
    }
    several = list(dict.fromkeys(graph.inputs for graph in found.graphs))
    if len(several) == 1:
        return words[several[0]]
    return "; ".join(
        f"{', '.join(graph.graph for graph in found.graphs if graph.inputs == one)}: {words[one]}" for one in several
    )


def _row(launch: ReplayedLaunch) -> tuple[Text, ...]:
    wrong = [f"{name} {message}" for name, message in launch.buffers.items() if message != "pass"]
    said = (
        launch.message
        or "; ".join(wrong)
        or (f"also the graph's {', '.join(launch.buffers)}" if launch.buffers else "")
    )
    verdict = "fail" if launch.verdict == "fail" or wrong else launch.verdict
    name = f"{launch.kernel.rpartition(':')[2]} {launch.name}" + (" (grafted)" if launch.grafted else "")
    errors = (f"{launch.errors[party]:.1e}" if party in launch.errors else "" for party in ("hand", "eager"))
    return (
        Text(str(launch.line)),
        Text(name),
        Text(verdict, COLOURS.get(verdict, "bold")),
        *map(Text, errors),
        Text(said),
    )
