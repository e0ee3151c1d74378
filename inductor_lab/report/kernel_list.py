"""The list of a capture's kernels: a row each with its part of the whole, the library calls between them, the sum, what was left out."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import Protocol

from inductor_lab.gpus import card_of
from inductor_lab.quantity import article, duration, plural, size
from inductor_lab.records import Called, CompileEvent, Gpu, Listed
from inductor_lab.report.render import Cell, Column, Table

DIM, HEAD = "bright_black", "bold"


class Row(Protocol):
    """One capture as `shelf.captures` sums it up."""

    @property
    def name(self) -> str: ...
    @property
    def torch(self) -> str: ...
    @property
    def gpu(self) -> Gpu: ...
    @property
    def created(self) -> str: ...
    @property
    def kernels(self) -> int: ...
    @property
    def launches(self) -> int: ...
    @property
    def problems(self) -> int: ...


def captures(rows: Iterable[tuple[Path, Row]], *, whole: bool = False) -> Table:
    """One row for each capture."""
    return Table(CAPTURES, [_capture(row) for _, row in rows], whole=whole)


CAPTURES = (
    Column("capture"),
    Column("kernels", number=True),
    Column("launches", number=True),
    Column("made for", leaves=3),
    Column("torch", leaves=2),
    Column("created", leaves=1),
    Column(""),
)


def _capture(row: Row) -> tuple[Cell, ...]:
    gpu = (row.gpu.name or row.gpu.arch or "?") + (" (virtual)" if row.gpu.virtual else "")
    told = (gpu, row.torch or "?", row.created[:16].replace("T", " "))
    return (
        ((row.name, HEAD),),
        ((f"{row.kernels:,}", ""),),
        ((f"{row.launches:,}", ""),),
        *(((text, DIM),) for text in told),
        ((plural(row.problems, "problem") if row.problems else "", "yellow"),),
    )


COLUMNS = (
    Column("id"),
    Column("computes", wrapped=True),
    Column("category", leaves=2),
    Column("launches", number=True, leaves=3),
    Column("moves", number=True),
    Column("share", number=True),
    Column("bound", number=True),
    Column("estimate", number=True),
    Column("source", leaves=1),
)
MEASURED = Column("measured")


def kernels(
    rows: Sequence[Listed],
    shares: Mapping[str, float],
    measured: Mapping[str, str] | None = None,
    *,
    whole: bool = False,
) -> Table:
    """A row for each kernel: what all its launches move, need at least and are likely to take, launching left out.

    Args:
        shares: Id -> its part of the bytes of the whole capture.
        measured: A body's hash -> what was last measured of it; a column, where there is any.
        whole: A line for each kernel, as a pipe's reader takes it apart by lines; what has no room is cut.
    """
    made = [_flat(row, shares) if whole else _cells(row, shares) for row in rows]
    columns = (*(FLAT if whole else COLUMNS), *([MEASURED] if measured else []))
    if measured:
        made = [(*cells, ((measured.get(row.body_sha256, ""), ""),)) for cells, row in zip(made, rows, strict=True)]
    return Table(columns, made, whole=whole)


def _cells(row: Listed, shares: Mapping[str, float]) -> tuple[Cell, ...]:
    kinds = ", ".join(kind for kind in row.kinds if kind != "unknown")
    one = row.launches == 1 or row.bytes is None
    return (
        ((row.id, HEAD),),
        ((row.title, ""), (row.name, DIM)),
        ((row.category.replace("_", " "), ""), (kinds, DIM)),
        ((f"{row.launches:,}", ""),),
        ((_bytes(row), ""), *([] if one else [(f"{size(row.moved)} each", DIM)])),
        ((percent(shares.get(row.id)), ""),),
        ((_time(row.bound), ""),),
        ((_time(row.estimate), ""),),
        ((row.source[0] if row.source else "unknown", DIM),),
    )


FLAT = (
    Column("id"),
    Column("launches", number=True),
    Column("moves", number=True),
    Column("share", number=True),
    Column("bound", number=True),
    Column("estimate", number=True),
    Column("category", leaves=2),
    Column("kind", leaves=1),
    Column("source", leaves=4),
    Column("name", leaves=3),
    Column("computes", wrapped=True),
)


def _flat(row: Listed, shares: Mapping[str, float]) -> tuple[Cell, ...]:
    texts = (
        row.id, f"{row.launches:,}", _bytes(row), percent(shares.get(row.id)), _time(row.bound), _time(row.estimate), row.category,
        ",".join(row.kinds), row.source[0] if row.source else "unknown", row.name, row.title,
    )  # fmt: skip
    return tuple(((text, ""),) for text in texts)


def _bytes(row: Listed) -> str:
    return f"{'≥ ' if row.least else ''}{size(row.bytes)}"


def _time(seconds: float | None) -> str:
    return "–" if seconds is None else duration(seconds)


def percent(part: float | None) -> str:
    """`23.4%`; a dash where it is not known."""
    if part is None:
        return "–"
    return f"{part:.1%}" if part >= 0.0005 or not part else "<0.1%"


def told(
    cut: str,
    shown: Sequence[Listed],
    every: Sequence[Listed],
    library: Sequence[Called],
    gpu: Gpu,
    kinds: Iterable[str],
) -> Iterator[str]:
    """What stands below the rows: what was left out of them, the sum of all, the library calls.

    Args:
        cut: How they were chosen; empty where all are shown in the capture's order.
        kinds: What each graph is part of.
    """
    if cut:
        part = sum(row.bytes or 0 for row in shown) / (sum(row.bytes or 0 for row in every) or 1)
        yield cut + (f"; they move {percent(part)} of all bytes" if 0 < len(shown) < len(every) else "")
    yield totals(every, gpu, kinds)
    if beside := calls(library):
        yield beside


def totals(every: Sequence[Listed], gpu: Gpu, kinds: Iterable[str]) -> str:
    """`674 kernels in 1,203 launches move 12.3 GB, at least 4.1 ms on an H200, 1.2 ms of it for launching; 12 graphs: 6 forward, 6 backward`."""
    launches = sum(row.launches for row in every)
    uncounted = sum(row.bytes is None for row in every)
    moved = size(sum(row.bytes or 0 for row in every))
    least = sum(row.cost or 0.0 for row in every)
    waited = sum((row.cost or 0.0) - row.bound for row in every if row.bound is not None)
    label = card_of(gpu.name, gpu.arch).label
    launched = f", {duration(waited)} of it for launching" if waited > least / 10 else ""
    beside = f", {plural(uncounted, 'kernel')} not counted" if uncounted else ""
    told = f"{plural(len(every), 'kernel')} in {_launches(launches)} move {moved}, at least {duration(least)} on {article(label)} {label}{launched}{beside}"
    return f"{told}; {graphs(kinds)}"


def graphs(kinds: Iterable[str]) -> str:
    """`12 graphs: 6 forward, 6 backward`."""
    found = Counter(kinds)
    known = [f"{count} {kind}" for kind, count in found.items() if kind != "unknown"]
    told = f": {', '.join(known)}" if len(known) > 1 else f", {next(iter(found))}" if known else ""
    return plural(sum(found.values()), "graph") + told


def _launches(count: int) -> str:
    return f"{count:,} launch{'es' if count != 1 else ''}"


MOST_CALLS = 8
"""Library functions that are named."""


def calls(found: Sequence[Called]) -> str:
    """`beside them 27 library calls, at least 1.2 GB and 600.0 us: 20 mm (900.0 MB, 450.0 us), ...`; empty where there is none."""
    if not found:
        return ""
    moved, least = sum(row.bytes or 0 for row in found), sum(row.cost or 0.0 for row in found)
    whole = f", at least {size(moved)} and {duration(least)}" if moved else ""
    named = [f"{row.calls:,} {row.name}{_counted(row)}" for row in found[:MOST_CALLS]]
    more = len(found) - len(named)
    told = "; ".join(named) + (f"; and {more} more" if more else "")
    return f"beside them {plural(sum(row.calls for row in found), 'library call')}{whole}: {told}"


MOST_EVENTS = 3
"""Graph breaks, and recompiles, of which the place is named."""


def events(found: Sequence[CompileEvent]) -> Iterator[str]:
    """`2 graph breaks: model.py:6 (print is not traced), ...`: why there are several graphs."""
    for kind, word in (("graph_break", "graph break"), ("recompile", "recompile")):
        some = [event for event in found if event.kind == kind]
        if some:
            named = [f"{event.where or 'somewhere'} ({_short(event.reason)})" for event in some[:MOST_EVENTS]]
            more = f"; and {len(some) - len(named)} more" if len(some) > len(named) else ""
            yield f"{plural(len(some), word)}: {'; '.join(named)}{more}"


def _short(reason: str) -> str:
    """The first line of a reason, of which a list needs no more."""
    line = reason.strip().partition("\n")[0]
    return line if len(line) <= LONGEST_REASON else line[: LONGEST_REASON - 1] + "…"


LONGEST_REASON = 90


def _counted(row: Called) -> str:
    return f" ({size(row.bytes)}, {duration(row.cost)})" if row.bytes is not None and row.cost is not None else ""
