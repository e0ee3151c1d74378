"""A sweep's rows as tables: CSV for programs, Markdown for people."""

from __future__ import annotations

import csv
import io
from collections.abc import Callable, Iterator, Mapping, Sequence
from operator import attrgetter
from typing import Any

from inductor_lab.measure.sweep.results import CONTESTANTS, Row
from inductor_lab.records import Timing

Axes = Mapping[str, str]
"""Name of a size, as the user called it -> its symbol."""


def contestants(rows: Sequence[Row]) -> list[str]:
    """Whoever was timed anywhere, in the order of `CONTESTANTS`; others behind them."""
    found = dict.fromkeys(name for row in rows for name in row.times)
    known = [name for name in CONTESTANTS if name in found]
    return [*known[:-1], *(name for name in found if name not in known), *known[-1:]] if known else list(found)


Column = tuple[str, Callable[[Row], Any]]
"""What stands above it, and its cell in a row."""
TIMES: Mapping[str, Callable[[Timing], Any]] = {
    "us": lambda time: time.median,
    "us_low": lambda time: time.interval[0],
    "us_high": lambda time: time.interval[1],
    "bytes_per_second": lambda time: time.bytes_per_second,
}


def _sizes(axes: Axes) -> list[Column]:
    return [(name, lambda row, symbol=symbol: row.sizes[symbol]) for name, symbol in axes.items()]


def _named(*fields: str) -> list[Column]:
    return [(field, attrgetter(field)) for field in fields]


def _of(name: str, cell: Callable[[Timing], Any]) -> Callable[[Row], Any]:
    """A cell of a contestant's time; empty where it has none."""
    return lambda row: cell(row.times[name]) if name in row.times else ""


def as_csv(rows: Sequence[Row], axes: Axes) -> str:
    """One line a point; microseconds, and bytes each second."""
    columns = [
        *_sizes(axes),
        *_named("dtype", "outcome", "bytes"),
        *((f"{name}_{field}", _of(name, cell)) for name in contestants(rows) for field, cell in TIMES.items()),
        *_named("against", "ratio"),
        ("ratio_low", lambda row: row.ratio_interval and row.ratio_interval[0]),
        ("ratio_high", lambda row: row.ratio_interval and row.ratio_interval[1]),
        *_named("verdict", "copy_ceiling", "device", "why"),
    ]
    stream = io.StringIO()
    writer = csv.writer(stream, lineterminator="\n")
    writer.writerow([title for title, _ in columns])
    writer.writerows([cell(row) for _, cell in columns] for row in rows)
    return stream.getvalue()


def lines(rows: Sequence[Row], axes: Axes) -> list[list[str]]:
    """The table for people, its head first: a rate where bytes are known, a time elsewhere."""
    by_rate = any(row.bytes for row in rows)
    unit, shown = ("GB/s", _rate) if by_rate else ("us", _microseconds)
    columns = [*_sizes(axes), *_named("dtype"), *((f"{name}, {unit}", _of(name, shown)) for name in contestants(rows))]
    if by_rate:
        columns.append(("hand, us", _of("hand", _microseconds)))
    if any(row.against for row in rows):
        columns += [*_named("against"), ("against / hand", _told)]
    columns.append(("", lambda row: row.verdict or (f"{row.outcome}: {row.why}" if row.why else row.outcome)))
    return [[title for title, _ in columns], *([str(cell(row)) for _, cell in columns] for row in rows)]


def _microseconds(time: Timing) -> str:
    return f"{time.median:.2f}"


def _rate(time: Timing) -> str:
    return f"{time.bytes_per_second / 1e9:.1f}" if time.bytes_per_second else ""


def _told(row: Row) -> str:
    if row.ratio is None or row.ratio_interval is None:
        return ""
    low, high = row.ratio_interval
    return f"{row.ratio:.3f} ({low:.3f} to {high:.3f})"


def as_markdown(rows: Sequence[Row], axes: Axes, head: Mapping[str, Any]) -> str:
    """The table with what it was measured on, and how."""
    text = [[cell.replace("|", "\\|").replace("\n", " ") for cell in line] for line in lines(rows, axes)]
    first, *others = [f"| {' | '.join(line)} |" for line in text]
    table = [first, "|" + "---|" * len(text[0]), *others]
    return "\n".join([f"# {head['file']}", "", about(rows, head), "", *table, *_notes(rows), ""])


def about(rows: Sequence[Row], head: Mapping[str, Any]) -> str:
    """One paragraph: the card, the method, the ceiling."""
    machine, method = head.get("machine") or {}, head["method"]
    devices = list(dict.fromkeys(row.device for row in rows if row.device))
    said = [
        f"{' and '.join(devices)}, torch {machine.get('torch', '')}, triton {machine.get('triton', '')}."
        if devices
        else "",
        f"{method['launch']} launches, {method['cache']} L2 cache, {method['rounds']} interleaved rounds, "
        "medians, launch cost taken off; intervals at 95 %.",
    ]
    if ceiling := copy_ceiling(rows):
        said.append(f"Copy ceiling, measured in the same run: {ceiling / 1e9:,.0f} GB/s.")
    return " ".join(filter(None, said))


def _notes(rows: Sequence[Row]) -> Iterator[str]:
    """What was said of single rows, each with them."""
    notes: dict[str, list[str]] = {}
    for row in rows:
        for note in row.notes:
            notes.setdefault(note, []).append(row.point.name)
    if notes:
        yield ""
    for note, points in notes.items():
        others = f" and {len(points) - 3} more" if len(points) > 3 else ""
        yield f"- {', '.join(points[:3])}{others}: {note}"


def copy_ceiling(rows: Sequence[Row]) -> float | None:
    """The median of what the processes measured."""
    import statistics

    found = [row.copy_ceiling for row in rows if row.copy_ceiling]
    return statistics.median(found) if found else None
