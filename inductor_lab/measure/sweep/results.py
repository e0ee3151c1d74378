"""Keeps a sweep's rows in a folder, so that one that was stopped can go on; and writes them as CSV and Markdown."""

from __future__ import annotations

import csv
import io
import json
import statistics
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from operator import attrgetter
from pathlib import Path
from typing import Any

from inductor_lab import files
from inductor_lab.document import from_dict, printed, to_dict
from inductor_lab.errors import LabError
from inductor_lab.records import SCHEMA, Timing

CONTESTANTS = ("hand", "generated", "inductor", "eager", "copy")
"""Unless told otherwise: the file's kernel, Inductor's own one where it is for these sizes, `torch.compile` of the file's eager form at these
sizes, that form itself, and a copy that moves as many bytes."""


@dataclass(frozen=True)
class Point:
    """Where a kernel is timed."""

    sizes: Mapping[str, int]
    """Symbol -> size; empty for a file of fixed shapes."""
    dtype: str
    """Of the floating tensors; empty where there are none, or of several dtypes."""

    @property
    def name(self) -> str:
        return " ".join([*(f"{name}={size}" for name, size in self.sizes.items()), *filter(None, [self.dtype])])


@dataclass(frozen=True)
class Row:
    """What was found at one point."""

    sizes: Mapping[str, int]
    dtype: str
    outcome: str
    """`timed`; `does not fit` into the card's memory, and `why` says what does not; `wrong`: the kernel does not compute what eager computes; `failed`."""
    why: str = ""
    bytes: int | None = None
    """Moved by one launch, each element once; None where that is not known for these sizes."""
    times: Mapping[str, Timing] = field(default_factory=dict)
    """Contestant -> its time."""
    against: str = ""
    """Whom the ratio is against."""
    ratio: float | None = None
    """Their time / the hand kernel's."""
    ratio_interval: tuple[float, float] | None = None
    noise: float | None = None
    margin: float | None = None
    verdict: str = ""
    """`faster`, `slower`, `same` or `inconclusive`."""
    copy_ceiling: float | None = None
    """Bytes each second of a large copy, measured in the same process."""
    device: str = ""
    conditions: Mapping[str, Any] = field(default_factory=dict)
    notes: tuple[str, ...] = ()

    @property
    def point(self) -> Point:
        return Point(self.sizes, self.dtype)


FILE = "results.json"
WAY_OUT = "choose another folder with -o"
SAME = {"file_sha256": "version of the file", "method": "method", "seed": "seed", "contestants": "contestants"}
"""Fields that must be the same for rows to stand beside each other -> what they are called."""
MACHINE = ("device", "torch", "triton", "driver")
"""And of the machine."""
KEPT = ("timed", "does not fit", "wrong")
"""Outcomes that are not asked again."""


class Results:
    """The results in a folder, under one description of what was asked."""

    def __init__(self, folder: Path, head: Mapping[str, Any], command: str = "") -> None:
        """
        Raises:
            LabError: the folder holds the results of something else, or can not be read.
        """
        self.folder, self.path = folder, folder / FILE
        self.head = dict(head)
        self.machine: Mapping[str, str] = {}
        self.rows: dict[str, Row] = {}
        self.commands: list[str] = []
        if self.path.is_file():
            self._resume()
        elif folder.exists() and (not folder.is_dir() or any(folder.iterdir())):
            raise LabError(f"{folder} exists and holds no results of a sweep; choose another folder with -o.")
        self.begun = bool(self.rows)
        self.command = command

    def _resume(self) -> None:
        try:
            found = json.loads(self.path.read_text(encoding="utf-8"))
            rows = [from_dict(Row, row) for row in found["rows"]]
            other = [name for name in SAME if found[name] != json.loads(json.dumps(self.head[name]))]
            self.machine, self.commands = found["machine"], list(found["commands"])
            self.head["created"] = found["created"]
        except (OSError, ValueError, KeyError, TypeError, AttributeError) as error:
            raise LabError(
                f"{self.path} can not be read as a sweep's results; remove it, or choose another folder with -o."
            ) from error
        if other:
            raise LabError(
                f"{self.folder} holds a sweep with another {SAME[other[0]]}; choose another folder with -o, or remove it."
            )
        self.rows = {row.point.name: row for row in rows}

    def missing(self, points: Sequence[Point]) -> list[Point]:
        """Those that are still to be measured."""
        known = {name for name, row in self.rows.items() if row.outcome in KEPT}
        return [point for point in points if point.name not in known]

    def on(self, machine: Mapping[str, str]) -> None:
        """Say what it runs on.

        Raises:
            LabError: the folder's rows were measured on something else.
        """
        for name in MACHINE if self.begun and self.machine else ():
            if self.machine.get(name) != machine.get(name):
                raise LabError(
                    f"{self.folder} holds times of {name} {self.machine.get(name)}, and this is {machine.get(name)}; "
                    "choose another folder with -o."
                )
        self.machine = self.machine or dict(machine)

    def add(self, row: Row) -> None:
        """Keep one more, and the command that measured it: on the disk, whole, before this returns."""
        if self.command:
            self.commands.append(self.command)
            self.command = ""
        self.rows[row.point.name] = row
        self.write()

    def write(self) -> None:
        files.write(self.path, printed(self.document(list(self.rows.values()))), WAY_OUT)

    def of(self, points: Sequence[Point]) -> list[Row]:
        """The rows of some points, in their order; none for a point that was not measured."""
        return [self.rows[point.name] for point in points if point.name in self.rows]

    def document(self, rows: Sequence[Row]) -> dict[str, Any]:
        """What is written, and what `--json` prints."""
        described = {**self.head, "machine": dict(self.machine), "commands": self.commands}
        return {"schema": SCHEMA, **described, "rows": [to_dict(row) for row in rows]}


# ---------------------------------------------------------------- as tables


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
    return [(name, _size(symbol)) for name, symbol in axes.items()]


def _size(symbol: str) -> Callable[[Row], int]:
    return lambda row: row.sizes[symbol]


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
    cards = devices(rows)
    said = [
        f"{cards}, torch {machine.get('torch', '')}, triton {machine.get('triton', '')}." if cards else "",
        f"{method['launch']} launches, {method['cache']} L2 cache, {method['rounds']} interleaved rounds, "
        "medians, launch cost taken off; intervals at 95 %.",
    ]
    if ceiling := copy_ceiling(rows):
        said.append(f"Copy ceiling, measured in the same run: {ceiling / 1e9:,.0f} GB/s.")
    return " ".join(filter(None, said))


def devices(rows: Iterable[Row]) -> str:
    """The cards on which something was found."""
    return " and ".join(dict.fromkeys(row.device for row in rows if row.device))


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
    found = [row.copy_ceiling for row in rows if row.copy_ceiling]
    return statistics.median(found) if found else None
