"""A sweep's rows as tables: CSV for programs, Markdown for people."""

from __future__ import annotations

import csv
import io
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from inductor_lab.measure.sweep.results import CONTESTANTS, Row

Axes = Mapping[str, str]
"""Name of a size, as the user called it -> its symbol."""


def contestants(rows: Sequence[Row]) -> list[str]:
    """Whoever was timed anywhere, in the order of `CONTESTANTS`; others behind them."""
    found = dict.fromkeys(name for row in rows for name in row.times)
    known = [name for name in CONTESTANTS if name in found]
    return [*known[:-1], *(name for name in found if name not in known), *known[-1:]] if known else list(found)


def as_csv(rows: Sequence[Row], axes: Axes) -> str:
    """One line a point; microseconds, and bytes each second."""
    stream = io.StringIO()
    names = contestants(rows)
    fields = ["us", "us_low", "us_high", "bytes_per_second"]
    head = [f"{name}_{field}" for name in names for field in fields]
    measured = ["against", "ratio", "ratio_low", "ratio_high", "verdict", "copy_ceiling", "device", "why"]
    writer = csv.writer(stream, lineterminator="\n")
    writer.writerow([*axes, "dtype", "outcome", "bytes", *head, *measured])
    for row in rows:
        writer.writerow([*_sizes(row, axes), row.dtype, row.outcome, row.bytes, *_times(row, names), *_ratio(row)])
    return stream.getvalue()


def _sizes(row: Row, axes: Axes) -> list[int]:
    return [row.sizes[symbol] for symbol in axes.values()]


def _times(row: Row, names: Sequence[str]) -> Iterator[Any]:
    for name in names:
        timing = row.times.get(name)
        yield from (timing.median, *timing.interval, timing.bytes_per_second) if timing else (None,) * 4


def _ratio(row: Row) -> list[Any]:
    low, high = row.ratio_interval or (None, None)
    return [row.against, row.ratio, low, high, row.verdict, row.copy_ceiling, row.device, row.why]


def header(rows: Sequence[Row], axes: Axes) -> list[str]:
    """Of the table for people: a rate where bytes are known, a time elsewhere."""
    by_rate = any(row.bytes for row in rows)
    return [
        *axes,
        "dtype",
        *(f"{name}, {'GB/s' if by_rate else 'us'}" for name in contestants(rows)),
        *(["hand, us"] if by_rate else []),
        *(["against", "against / hand"] if any(row.against for row in rows) else []),
        "",
    ]


def cells(rows: Sequence[Row], axes: Axes) -> Iterator[list[str]]:
    """The table's lines."""
    names = contestants(rows)
    by_rate = any(row.bytes for row in rows)
    compared = any(row.against for row in rows)
    for row in rows:
        hand = row.times.get("hand")
        yield [
            *map(str, _sizes(row, axes)),
            row.dtype,
            *(_cell(row, name, by_rate) for name in names),
            *([f"{hand.median:.2f}" if hand else ""] if by_rate else []),
            *([row.against, _told(row)] if compared else []),
            row.verdict or (f"{row.outcome}: {row.why}" if row.why else row.outcome),
        ]


def _cell(row: Row, name: str, by_rate: bool) -> str:
    timing = row.times.get(name)
    if timing is None or (by_rate and not timing.bytes_per_second):
        return ""
    return f"{timing.bytes_per_second / 1e9:.1f}" if by_rate and timing.bytes_per_second else f"{timing.median:.2f}"


def _told(row: Row) -> str:
    if row.ratio is None or row.ratio_interval is None:
        return ""
    low, high = row.ratio_interval
    return f"{row.ratio:.3f} ({low:.3f} to {high:.3f})"


def as_markdown(rows: Sequence[Row], axes: Axes, head: Mapping[str, Any]) -> str:
    """The table with what it was measured on, and how."""
    made = [header(rows, axes), *cells(rows, axes)]
    text = [[cell.replace("|", "\\|").replace("\n", " ") for cell in line] for line in made]
    lines = [f"| {' | '.join(line)} |" for line in text]
    lines.insert(1, "|" + "---|" * len(text[0]))
    return "\n".join([f"# {head['file']}", "", about(rows, head), "", *lines, *_notes(rows), ""])


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
