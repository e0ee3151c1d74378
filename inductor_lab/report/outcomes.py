"""Verdicts, comparisons, machine code and times in a terminal and in a notebook, in the words that the HTML page uses too."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import asdict

from rich.table import Table
from rich.text import Text

from inductor_lab.errors import LabError
from inductor_lab.quantity import plural
from inductor_lab.records import Candidate, MachineCode, PerfDiff, Timing, Tuning, Verdict
from inductor_lab.report.contest import besides
from inductor_lab.report.results import Result, result

COLOURS = {"good": "bold green", "bad": "bold red", "plain": "bold"}


def verdict(found: Verdict) -> Iterator[Table | Text]:
    """The verdict in one line, then every case with its distance from float64."""
    yield from _rendered(result("verdict", asdict(found)))


def verdicts(found: Mapping[str, Verdict | LabError]) -> Iterator[Table | Text]:
    """One line a file: the verdict, and of what fails the first case and why."""
    table = Table(box=None, pad_edge=False, padding=(0, 2, 0, 0), header_style="bold")
    for column in ("file", "", "seconds", ""):
        table.add_column(column, overflow="fold")
    for name, one in found.items():
        if isinstance(one, LabError):
            table.add_row(Text(name), Text("error"), "", Text(str(one)))
            continue
        first = next((case for case in one.cases if not case.passed), None)
        said = f"{first.name}: {first.message}" if first else f"{len(one.cases)} cases"
        seconds = sum(case.seconds for case in one.cases)
        table.add_row(Text(name), Text(one.verdict, COLOURS["bad" if first else "good"]), f"{seconds:.1f}", Text(said))
    yield table


def machine_code(codes: Mapping[str, Sequence[MachineCode]]) -> Iterator[Table | Text]:
    """One column for each kernel: hand beside generated."""
    yield from _rendered(
        result("machine", {which: [asdict(code) for code in several] for which, several in codes.items()})
    )


def perf_diff(found: PerfDiff) -> Iterator[Table | Text]:
    """The verdict in one line, then times and machine code side by side; then whoever else it was held against."""
    told = asdict(found)
    yield from _rendered(result("diff", told))
    for other in besides(told):
        yield from _rendered(other)


def perf_diffs(found: Mapping[str, PerfDiff | LabError]) -> Iterator[Table | Text]:
    """One line a file."""
    table = Table(box=None, pad_edge=False, padding=(0, 2, 0, 0), header_style="bold")
    for column in ("file", "", "ratio", "95 %", "hand", "generated", ""):
        table.add_column(column, overflow="fold")
    for name, one in found.items():
        if isinstance(one, LabError):
            table.add_row(Text(name), Text("error"), "", "", "", "", Text(str(one)))
            continue
        ratio = f"{one.ratio:.3f}x" if one.ratio is not None else ""
        span = "{:.3f} to {:.3f}".format(*one.ratio_interval) if one.ratio_interval else ""
        sides = [side.get("timing") for side in (one.hand, one.generated)]
        times = [f"{side.median:.2f} us" if isinstance(side, Timing) else "" for side in sides]
        table.add_row(*map(Text, (name, one.verdict, ratio, span, *times, one.device)))
    yield table


def timing(found: Timing) -> Text:
    """The median, its interval, the rate, and how it was measured."""
    low, high = found.interval
    rate = f", {found.bytes_per_second / 1e12:.2f} TB/s" if found.bytes_per_second else ""
    spread = f", eight in ten from {found.quantiles[0]:.2f} to {found.quantiles[1]:.2f}" if found.quantiles else ""
    how = f"launched {'from a CUDA graph' if found.launch == 'graph' else 'bare'}, {found.cache} L2"
    beside = f"; {found.profiled:.2f} us by CUPTI" if found.profiled else ""
    samples = f"95 %: {low:.2f} to {high:.2f}; {found.samples} samples{spread}"
    return Text(f"{found.median:.2f} us  ({samples}){rate}; {how}{beside}")


def tuning(found: Tuning) -> Iterator[Table | Text]:
    """What was found in one line, then every configuration: its facts, its time, and why it was left out."""
    yield Text.assemble((f"{found.verdict}  ", COLOURS[TUNED[found.verdict]]), " ".join(_found(found)))
    table = Table(box=None, pad_edge=False, padding=(0, 2, 0, 0), header_style="bold")
    told = len(found.present) > FEW
    for column in (
        *(["configuration"] if told else found.present),
        "",
        "time",
        "registers",
        "spills",
        "shared",
        "programs",
        "occupancy",
        "load",
        "",
    ):
        table.add_column(column, overflow="fold")
    for one in found.candidates:
        table.add_row(*map(Text, _row(one, found.present, told)))
    yield table
    left = f"{plural(found.left_out, 'configuration')} beyond --limit. " if found.left_out else ""
    resumed = f"{plural(found.resumed, 'result')} from an earlier run." if found.resumed else ""
    yield from (Text(note) for note in (*found.notes, f"{left}{resumed}") if note)


FEW = 3
"""Settings that have a column each; a span has some of each kernel."""
TUNED = {"faster": "good", "same": "plain", "refused": "bad", "untimed": "plain"}


def _found(found: Tuning) -> Iterator[str]:
    if found.best == found.present:
        yield f"{_settings(found.present)} stays: {'nothing that verifies is faster' if found.timed else 'none comes before it'}"
    else:
        changed = {
            name: value for name, value in found.best.items() if value != found.present[name] or len(found.best) <= FEW
        }
        yield f"{_settings(changed)} instead of {_settings({name: found.present[name] for name in changed})}"
    yield f"on {found.device};" if found.timed else f"for {found.device}, by the static facts alone;"
    if found.ratio is not None and found.ratio_interval and found.before and found.after:
        low, high = found.ratio_interval
        yield f"{found.after.median:.2f} us, before {found.before.median:.2f} us: {found.ratio:.3f}x (95 %: {low:.3f} to {high:.3f});"
    elif found.before:
        yield f"{found.before.median:.2f} us;"
    yield f"written to {found.file}" if found.written else f"{found.file} is as it was"


def _settings(settings: Mapping[str, int]) -> str:
    return ", ".join(f"{name}={value}" for name, value in settings.items())


def _row(one: Candidate, present: Mapping[str, int], told: bool) -> Iterator[str]:
    """The cells of a configuration; empty where nothing is known. Of many settings those are `told` that are not as they were."""
    if told:
        yield _settings({name: value for name, value in one.settings.items() if value != present[name]})
    else:
        yield from map(str, one.settings.values())
    yield one.outcome + (" (present)" if one.settings == present else "")
    yield (
        f"{one.timing.median:.2f} us ({one.timing.interval[0]:.2f} to {one.timing.interval[1]:.2f})"
        if one.timing
        else ""
    )
    for number in (one.registers, one.spills, one.shared_memory, one.programs):
        yield "" if number is None else f"{number:,}"
    yield "" if one.occupancy is None else f"{one.occupancy:.0%}"
    yield "" if one.width is None else f"{one.width} bit"
    yield one.why


def _rendered(found: Result) -> Iterator[Table | Text]:
    head = Text.assemble((f"{found.word}  " if found.word else "", COLOURS[found.tone]), found.sentence)
    if head.plain.strip():
        yield head
    if found.rows:
        table = Table(box=None, pad_edge=False, padding=(0, 2, 0, 0), header_style="bold")
        for column in found.columns:
            table.add_column(column, overflow="fold")
        for row in found.rows:
            table.add_row(*(Text(cell) for cell in row))
        yield table
    yield from map(Text, found.notes)
