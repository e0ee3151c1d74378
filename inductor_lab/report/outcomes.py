"""Verdicts, comparisons, machine code, times and replayed modules in a terminal and in a notebook, in the words that the HTML page uses too."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence

from rich.table import Table
from rich.text import Text

from inductor_lab.errors import LabError
from inductor_lab.quantity import plural, rate, took
from inductor_lab.records import (
    Candidate,
    PerfDiff,
    Replay,
    ReplayedGraph,
    ReplayedLaunch,
    Timing,
    Tuning,
    Verdict,
)
from inductor_lab.report.render import short_table
from inductor_lab.report.results import Machine, ratio_cells, results
from inductor_lab.report.words import configuration, counted_launches, interval

LAUNCH_COLOURS = {"pass": "bold green", "fail": "bold red"}
SHARE = "of the step"
EQUAL = {
    "eager": "eager's, at most {:.1e} from float64",
    "generated": "the generated module's, at most {:.1e} from them",
}


def replayed(found: Replay) -> Iterator[Table | Text]:
    """The verdict in one line, each graph's outputs, each launch."""
    ran = f"{plural(len(found.graphs), 'graph')}, {counted_launches(len(found.launches))} on {found.device}"
    departs = f"; the first that departs is {found.first}" if found.first else ""
    yield Text.assemble((f"{found.verdict}  ", LAUNCH_COLOURS[found.verdict]), f"{ran}, {_inputs(found)}{departs}")
    for graph in found.graphs:
        if not graph.outputs and graph.against == "generated":  # a note says why nothing of it is held
            continue
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
    rows = (_launch_row(launch, _time(launch, steps[launch.graph], times)) for launch in found.launches)
    return short_table(("line", "kernel", "", *times, "from float64", "eager", ""), rows, numbers=times)


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


def _time(launch: ReplayedLaunch, step: float, columns: Sequence[str]) -> Iterator[str]:
    """Its microseconds, by whom a column names, and its part of the step; empty where it is not known."""
    took = {**launch.microseconds, "us": launch.microseconds.get("generated")}
    now = launch.microseconds.get("grafted") or took["us"]
    for column in columns:
        if column == SHARE:
            yield f"{now / step:.1%}" if now and step else ""
        else:
            yield f"{value:.1f}" if (value := took.get(column)) is not None else ""


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


def _launch_row(launch: ReplayedLaunch, times: Iterable[str]) -> tuple[str | Text, ...]:
    wrong = [f"{name} {message}" for name, message in launch.buffers.items() if message != "pass"]
    said = (
        launch.message
        or "; ".join(wrong)
        or (f"also the graph's {', '.join(launch.buffers)}" if launch.buffers else "")
    )
    verdict = "fail" if launch.verdict == "fail" or wrong else launch.verdict
    name = f"{launch.kernel.rpartition(':')[2]} {launch.name}" + (" (grafted)" if launch.grafted else "")
    errors = (f"{launch.errors[party]:.1e}" if party in launch.errors else "" for party in ("hand", "eager"))
    return str(launch.line), name, Text(verdict, LAUNCH_COLOURS.get(verdict, "bold")), *times, *errors, said


COLOURS = {"good": "bold green", "bad": "bold red", "plain": "bold"}


def outcome(found: Verdict | PerfDiff | Machine) -> Iterator[Table | Text]:
    """The verdict in one line; then every case with its distance from float64, or times and machine code, hand beside generated, and whoever else
    the hand kernel was held against."""
    for one in results(found):
        head = Text.assemble((f"{one.word}  " if one.word else "", COLOURS[one.tone]), one.sentence)
        if head.plain.strip():
            yield head
        if one.rows:
            yield short_table(one.columns, one.rows)
        yield from map(Text, one.notes)


def verdicts(found: Mapping[str, Verdict | LabError]) -> Iterator[Table | Text]:
    """One line a file: the verdict, and of what fails the first case and why."""
    yield short_table(("file", "", "seconds", ""), ((name, *_verdict_row(one)) for name, one in found.items()))


def _verdict_row(one: Verdict | LabError) -> tuple[str | Text, ...]:
    if isinstance(one, LabError):
        return "error", "", str(one)
    first = next((case for case in one.cases if not case.passed), None)
    said = f"{first.name}: {first.message}" if first else f"{len(one.cases)} cases"
    seconds = sum(case.seconds for case in one.cases)
    return Text(one.verdict, COLOURS["bad" if first else "good"]), f"{seconds:.1f}", said


def perf_diffs(found: Mapping[str, PerfDiff | LabError]) -> Iterator[Table | Text]:
    """One line a file."""
    columns = ("file", "", "ratio", "95 %", "hand", "generated", "")
    yield short_table(columns, ((name, *_diff_row(one)) for name, one in found.items()))


def _diff_row(one: PerfDiff | LabError) -> tuple[str, ...]:
    if isinstance(one, LabError):
        return "error", "", "", "", "", str(one)
    sides = (one.hand.get("timing"), one.generated.get("timing"))
    return one.verdict, *ratio_cells(one.ratio, one.ratio_interval, sides), one.device


def timing(found: Timing) -> Text:
    """The median, its interval, the rate, and how it was measured."""
    moved = f", {rate(found.bytes_per_second)}" if found.bytes_per_second else ""
    spread = f", eight in ten from {found.quantiles[0]:.2f} to {found.quantiles[1]:.2f}" if found.quantiles else ""
    how = f"launched {'from a CUDA graph' if found.launch == 'graph' else 'bare'}, {found.cache} L2"
    beside = f"; {found.profiled:.2f} us by CUPTI" if found.profiled else ""
    samples = f"{interval(found.interval, 2)}; {found.samples} samples{spread}"
    return Text(f"{found.median:.2f} us  ({samples}){moved}; {how}{beside}")


def tuning(found: Tuning) -> Iterator[Table | Text]:
    """What was found in one line, then every configuration: its facts, its time, and why it was left out."""
    yield Text.assemble((f"{found.verdict}  ", COLOURS[TUNED[found.verdict]]), " ".join(_found(found)))
    told = len(found.present) > FEW
    settings = ["configuration"] if told else found.present
    columns = (*settings, "", "time", "registers", "spills", "shared", "programs", "occupancy", "load", "")
    yield short_table(columns, (_row(one, found.present, told) for one in found.candidates))
    left = f"{plural(found.left_out, 'configuration')} beyond --limit. " if found.left_out else ""
    resumed = f"{plural(found.resumed, 'result')} from an earlier run." if found.resumed else ""
    yield from (Text(note) for note in (*found.notes, f"{left}{resumed}") if note)


FEW = 3
"""Settings that have a column each; a span has some of each kernel."""
TUNED = {"faster": "good", "same": "plain", "refused": "bad", "untimed": "plain"}


def _found(found: Tuning) -> Iterator[str]:
    if found.best == found.present:
        yield f"{configuration(found.present)} stays: {'nothing that verifies is faster' if found.timed else 'none comes before it'}"
    else:
        changed = {
            name: value for name, value in found.best.items() if value != found.present[name] or len(found.best) <= FEW
        }
        yield f"{configuration(changed)} instead of {configuration({name: found.present[name] for name in changed})}"
    yield f"on {found.device};" if found.timed else f"for {found.device}, by the static facts alone;"
    if found.ratio is not None and found.ratio_interval and found.before and found.after:
        before = f"before {found.before.median:.2f} us"
        yield f"{found.after.median:.2f} us, {before}: {found.ratio:.3f}x ({interval(found.ratio_interval, 3)});"
    elif found.before:
        yield f"{found.before.median:.2f} us;"
    yield f"written to {found.file}" if found.written else f"{found.file} is as it was"


def _row(one: Candidate, present: Mapping[str, int], told: bool) -> Iterator[str]:
    """The cells of a configuration; empty where nothing is known. Of many settings those are `told` that are not as they were."""
    if told:
        yield configuration({name: value for name, value in one.settings.items() if value != present[name]})
    else:
        yield from map(str, one.settings.values())
    yield one.outcome + (" (present)" if one.settings == present else "")
    yield took(one.timing) if one.timing else ""
    for number in (one.registers, one.spills, one.shared_memory, one.programs):
        yield "" if number is None else f"{number:,}"
    yield "" if one.occupancy is None else f"{one.occupancy:.0%}"
    yield "" if one.width is None else f"{one.width} bit"
    yield one.why
