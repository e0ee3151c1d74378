"""Captures, kernels and one explained kernel as rich renderables.

Text from a log is shown as text, never read as markup.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping

from rich.cells import cell_len
from rich.console import Console, ConsoleOptions, Group, RenderableType, RenderResult
from rich.padding import Padding
from rich.table import Table
from rich.text import Text

from inductor_lab.annotate.hazards import unsought
from inductor_lab.annotate.summary import listed
from inductor_lab.listing import parts
from inductor_lab.records import Capture, Kernel
from inductor_lab.report.body import Brief, Line, brief, lines, listing
from inductor_lab.report.facts import Facts, arguments, facts, launches, spoken, traced
from inductor_lab.report.lists import kernels as list_of_kernels
from inductor_lab.report.render import short_table
from inductor_lab.report.words import counted_launches

DIM, CODE, SAID, WARN, HEAD = "bright_black", "cyan", "", "yellow", "bold"

NARROW = 100
"""Columns below which code and explanation stand one below the other."""
WIDE = 130
"""Columns from which the operator and the source line stand beside the explanation; below, behind it."""
LONGEST_SAID = 100
"""Columns of an explanation, however wide the terminal: a longer line is hard to read."""


def kernels(capture: Capture, measured: Mapping[str, str] | None = None) -> RenderableType:
    """One row for each kernel, as `listed.kernels` draws it."""
    rows = listed(capture)
    return list_of_kernels(rows, parts(rows), measured)


def show(kernel: Kernel, capture: Capture, *, full: bool = False, measured: str = "") -> RenderableType:
    """One kernel, explained: what it computes, the facts, its tensors, its launches, the lines of its body, the hazards, what to do next.

    Args:
        full: Every store, argument, launch and line of a long one too.
        measured: The last result of its ejected files, in a line.
    """
    known, shown = facts(kernel, capture), brief(kernel, full=full)
    parts: list[RenderableType] = [_Headline(known, shown), Text(), *_sources(known)]
    parts += [
        _facts(known, measured),
        Text(),
        _arguments(known, shown),
        Text(),
        *_launches(known, full=full),
        _Body(known, shown, full=full),
        Text(),
        _outlook(known, shown),
    ]
    return Padding(Group(*parts), (0, 0, 1, 0))


class _Headline:
    """What a person would call it and what it stores; beside that, or below it on a narrow terminal, its id."""

    def __init__(self, known: Facts, shown: Brief) -> None:
        self.known, self.shown = known, shown

    def __rich_console__(self, console: Console, options: ConsoleOptions) -> RenderResult:
        kernel = self.known.kernel
        words = "  ".join([kernel.category.replace("_", " "), *self.known.marks])
        called = Text.assemble((kernel.id, HEAD), ("  " + words, DIM))
        stored = [spoken(line, self.known.tensors) for line in self.shown.computes]
        titled = f" {'; '.join(stored)}," in f" {kernel.title},"
        first, *others = dict.fromkeys(filter(None, (kernel.title, *([] if titled else stored))))
        if options.max_width < NARROW:
            yield called
            yield Text(first, HEAD, overflow="fold")
        else:
            table = Table.grid(padding=(0, 2), expand=True)
            table.add_column(ratio=1, overflow="fold")
            table.add_column(justify="right", no_wrap=True)
            table.add_row(Text(first, HEAD), called)
            yield table
        yield from (Text(line, SAID if kernel.title else HEAD, overflow="fold") for line in others)
        if self.shown.unsaid:
            yield Text(f"({self.shown.unsaid})", DIM)
        launched = counted_launches(len(kernel.launches))
        yield Text(f"{kernel.name}, {launched}, body {kernel.body_sha256[:8]}", DIM, overflow="fold")


def _sources(known: Facts) -> Iterator[RenderableType]:
    if known.kernel.source:
        table = Table.grid(padding=(0, 2))
        table.add_column(no_wrap=True)
        table.add_column(overflow="fold")
        for line in known.kernel.source:
            table.add_row(Text(f"  {line.place}", DIM), Text(line.code.strip()))
        yield table
        yield Text()


def _facts(known: Facts, measured: str) -> Table:
    table = _pairs()
    for title, kind in (("moves", "traffic"), ("estimate", "estimate"), ("launch", "launch"), ("choices", "choices")):
        for text in known.notes.get(kind, ()):
            table.add_row(title, Text(text.removeprefix("moves ")))
    if measured:
        table.add_row("measured", Text(measured))
    if told := traced(known.kernel):
        table.add_row("lines", Text(told, DIM))
    claimed = ", ".join(known.kernel.claim.aten)
    remarks = "; ".join(remark.removeprefix("the comment names ") for remark in known.notes.get("claim", ()))
    if claimed or remarks:
        table.add_row("comment", Text(claimed + (f"  ({remarks})" if remarks else ""), DIM))
    return table


def _pairs() -> Table:
    table = Table.grid(padding=(0, 2))
    table.add_column(style=DIM, no_wrap=True, min_width=9)
    table.add_column(overflow="fold")
    return table


def _arguments(known: Facts, shown: Brief) -> Table:
    first = "passed first" if len(known.kernel.launches) > 1 else "passed"
    rows = (
        (Text(f"  {row.name}", CODE), row.passed, row.type, row.holds, Text(row.role, DIM))
        for row in arguments(known)
        if row.name in shown.arguments
    )
    return short_table(("  argument", first, "type", "holds", ""), rows, head=DIM)


MOST_LAUNCHES = 8
"""Launches of one kernel that a terminal lists unless all are asked for."""


def _launches(known: Facts, *, full: bool) -> Iterator[RenderableType]:
    """What tells the launches of one kernel apart; nothing where there is one."""
    every = launches(known.kernel, known.called)
    if not every:
        return
    listed = every if full else every[:MOST_LAUNCHES]
    rows = (
        (Text(f"  {one.number}", CODE), Text(one.at, DIM), one.passed or "the same", Text(one.place or "not told", DIM))
        for one in listed
    )
    yield short_table(("  launch", "at", "passed", "from"), rows, head=DIM)
    if len(every) > len(listed):
        yield Text(f"  and {len(every) - len(listed)} more", DIM)
    yield Text()


class _Body:
    """The lines: number, short code, explanation, and the operator and source line; on a narrow terminal one below the other."""

    def __init__(self, known: Facts, shown: Brief, *, full: bool) -> None:
        short = {n: code for n, code in lines(known.kernel.body).items() if n in shown.lines}
        self.lines = list(listing(short, {note.line: note for note in known.lines}, full=full))

    def __rich_console__(self, console: Console, options: ConsoleOptions) -> RenderResult:
        labels = max((len(line.label) for line in self.lines), default=1) + 2
        yield self._stacked(labels) if options.max_width < NARROW else self._beside(labels, options.max_width)

    def _beside(self, labels: int, width: int) -> Table:
        """Each width is told: to find them out, rich would lay out every cell twice."""
        table = Table.grid(padding=(0, 2, 0, 0))
        origins = min(_longest(line.origin for line in self.lines), int(width * 0.2)) if width >= WIDE else 0
        code = _longest(line.code for line in self.lines if line.label.isdecimal())
        code = min(code, int(width * (0.4 if origins else 0.45)))
        left = width - labels - code - origins - 2 * (4 if origins else 3)
        told = [Text(line.text) if origins else _with_origin(line) for line in self.lines]
        said = min(_longest(map(str, told)), left, LONGEST_SAID)
        table.add_column(justify="right", style=DIM, width=labels)
        table.add_column(style=CODE, overflow="fold", width=code)
        table.add_column(overflow="fold", width=said)
        if origins:
            table.add_column(style=DIM, overflow="fold", width=origins)
        for line, text in zip(self.lines, told, strict=True):
            table.add_row(Text(line.label), Text(line.code), text, *([Text(line.origin)] if origins else []))
        return table

    def _stacked(self, labels: int) -> Table:
        table = Table.grid(padding=(0, 2, 0, 0))
        table.add_column(justify="right", style=DIM, width=labels)
        table.add_column(overflow="fold")
        for line in self.lines:
            indent = len(line.code) - len(line.code.lstrip())
            told = _with_origin(line)
            table.add_row(Text(line.label), Text(line.code, CODE))
            if told:
                table.add_row(Text(), Padding(told, (0, 0, 0, indent + 2)))
        return table


def _with_origin(line: Line) -> Text:
    """What is said of a line, and the operator and source line behind that."""
    return Text.assemble(line.text, (f"  {line.origin}" if line.origin else "", DIM))


def _longest(texts: Iterable[str]) -> int:
    """Columns of the widest of some texts."""
    return max((cell_len(text) for text in texts), default=0)


def _outlook(known: Facts, shown: Brief) -> Table:
    table = _pairs()
    hazards = [Text(hazard, WARN) for hazard in known.notes.get("hazard", ())]
    if why := unsought(known.kernel):
        hazards.append(Text(f"not looked for in its body: {why}", DIM))
    for position, hazard in enumerate(hazards or [Text("none found")]):
        table.add_row("hazards" if position == 0 else "", hazard)
    if shown.left:
        table.add_row("left out", Text(f"{shown.left}: inductor-lab show {known.kernel.id} --full"))
    table.add_row("next", Text(f"inductor-lab eject {known.kernel.id}", HEAD))
    return table
