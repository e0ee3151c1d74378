"""Verdicts, comparisons, machine code and times in a terminal, in the words that the HTML page uses too."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import asdict

from rich.table import Table
from rich.text import Text

from inductor_lab.errors import LabError
from inductor_lab.records import MachineCode, PerfDiff, Timing, Verdict
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
    """The verdict in one line, then times and machine code side by side."""
    yield from _rendered(result("diff", asdict(found)))


def timing(found: Timing) -> Text:
    """The median, its interval, and the rate."""
    low, high = found.interval
    rate = f", {found.bytes_per_second / 1e12:.2f} TB/s" if found.bytes_per_second else ""
    return Text(f"{found.median:.2f} us  (95 %: {low:.2f} to {high:.2f}; {found.samples} samples){rate}")


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
