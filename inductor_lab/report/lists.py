"""Tables of captures, kernels and spans, with sentences below them for sums and what was left out."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from pathlib import Path

from inductor_lab.costs.roofline import LAUNCH_SECONDS
from inductor_lab.gpus import Card, card_of
from inductor_lab.quantity import article, duration, plural, size
from inductor_lab.records import Called, CompileEvent, Gpu, Listed, Summary
from inductor_lab.records.span import FoundSpan, RefusedSpan
from inductor_lab.report.render import Column, LongTable
from inductor_lab.report.words import counted_launches, day

DIM, HEAD = "bright_black", "bold"


def captures(rows: Iterable[tuple[Path, Summary]], *, whole: bool = False) -> LongTable:
    """One row for each capture."""
    return LongTable(CAPTURES, [row for _, row in rows], whole=whole)


def made_for(gpu: Gpu) -> str:
    """`NVIDIA H200 (virtual)`, in a table."""
    return (gpu.name or gpu.arch or "?") + (" (virtual)" if gpu.virtual else "")


CAPTURES: tuple[Column[Summary], ...] = (
    Column("capture", lambda row: row.name, HEAD),
    Column("kernels", lambda row: f"{row.kernels:,}", number=True),
    Column("launches", lambda row: f"{row.launches:,}", number=True),
    Column("made for", lambda row: made_for(row.gpu), DIM, leaves=3),
    Column("torch", lambda row: row.torch or "?", DIM, leaves=2),
    Column("created", lambda row: day(row.created), DIM, leaves=1),
    Column("", lambda row: plural(row.problems, "problem") if row.problems else "", "yellow"),
)


def kernels(
    rows: Sequence[Listed],
    shares: Mapping[str, float],
    measured: Mapping[str, str] | None = None,
    *,
    whole: bool = False,
) -> LongTable:
    """A row for each kernel: what all its launches move, need at least and are likely to take, launching left out.

    Args:
        shares: Id -> its part of the bytes of the whole capture.
        measured: A body's hash -> what was last measured of it; a column, where there is any.
        whole: A line for each kernel, as a pipe's reader takes it apart by lines; what has no room is cut.
    """
    numbers: tuple[Column[Listed], ...] = (
        Column("launches", lambda row: f"{row.launches:,}", number=True, leaves=0 if whole else 3),
        Column("moves", _bytes, below=() if whole else ((_each, DIM),), number=True),
        Column("share", lambda row: percent(shares.get(row.id)), number=True),
        Column("bound", lambda row: _time(row.bound), number=True),
        Column("estimate", lambda row: _time(row.estimate), number=True),
    )
    columns = (ID, *numbers, *FLAT) if whole else (ID, *WORDS, *numbers, SOURCE)
    if measured:
        columns = (*columns, Column("measured", lambda row: measured.get(row.body_sha256, "")))
    return LongTable(columns, rows, whole=whole)


def _source(row: Listed) -> str:
    return row.source[0] if row.source else "unknown"


ID: Column[Listed] = Column("id", lambda row: row.id, HEAD)
SOURCE: Column[Listed] = Column("source", _source, DIM, leaves=1)
WORDS: tuple[Column[Listed], ...] = (
    Column("computes", lambda row: row.title, below=((lambda row: row.name, DIM),), wrapped=True),
    Column(
        "category",
        lambda row: row.category.replace("_", " "),
        below=((lambda row: ", ".join(kind for kind in row.kinds if kind != "unknown"), DIM),),
        leaves=2,
    ),
)
FLAT: tuple[Column[Listed], ...] = (
    Column("category", lambda row: row.category, leaves=2),
    Column("kind", lambda row: ",".join(row.kinds), leaves=1),
    Column("source", _source, leaves=4),
    Column("name", lambda row: row.name, leaves=3),
    Column("computes", lambda row: row.title, wrapped=True),
)
"""The same in one line; what is long stands last."""


def _bytes(row: Listed) -> str:
    return f"{'≥ ' if row.least else ''}{size(row.all_bytes)}"


def _each(row: Listed) -> str | None:
    """Of one of several launches."""
    return None if row.launches == 1 or row.all_bytes is None else f"{size(row.moved)} each"


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
        cut: How they were chosen, which is said where there are any; empty where all are shown in the capture's order.
        kinds: What each graph is part of.
    """
    if cut and every:
        part = sum(row.all_bytes or 0 for row in shown) / (sum(row.all_bytes or 0 for row in every) or 1)
        yield cut + (f"; they move {percent(part)} of all bytes" if 0 < len(shown) < len(every) else "")
    yield totals(every, gpu, kinds)
    if beside := calls(library):
        yield beside


def totals(every: Sequence[Listed], gpu: Gpu, kinds: Iterable[str]) -> str:
    """`674 kernels in 1,203 launches move 12.3 GB, at least 4.1 ms on an H200, 1.2 ms of it for launching; 12 graphs: 6 forward, 6 backward`."""
    launches = sum(row.launches for row in every)
    uncounted = sum(row.all_bytes is None for row in every)
    moved = size(sum(row.all_bytes or 0 for row in every))
    least = sum(row.all_seconds or 0.0 for row in every)
    waited = sum((row.all_seconds or 0.0) - row.bound for row in every if row.bound is not None)
    label = card_of(gpu.name, gpu.arch).label
    launched = f", {duration(waited)} of it for launching" if waited > least / 10 else ""
    beside = f", {plural(uncounted, 'kernel')} not counted" if uncounted else ""
    kernels = f"{plural(len(every), 'kernel')} in {counted_launches(launches)}"
    told = f"{kernels} move {moved}, at least {duration(least)} on {article(label)} {label}{launched}{beside}"
    return f"{told}; {graphs(kinds)}"


def graphs(kinds: Iterable[str]) -> str:
    """`12 graphs: 6 forward, 6 backward`."""
    found = Counter(kinds)
    known = [f"{count} {kind}" for kind, count in found.items() if kind != "unknown"]
    told = f": {', '.join(known)}" if len(known) > 1 else f", {next(iter(found))}" if known else ""
    return plural(sum(found.values()), "graph") + told


MOST_CALLS = 8
"""Library functions that are named."""


def calls(found: Sequence[Called]) -> str:
    """`beside them 27 library calls, at least 1.2 GB and 600.0 us: 20 mm (900.0 MB, 450.0 us), ...`; empty where there is none."""
    if not found:
        return ""
    moved, least = sum(row.all_bytes or 0 for row in found), sum(row.all_seconds or 0.0 for row in found)
    whole = f", at least {size(moved)} and {duration(least)}" if moved else ""
    named = [f"{row.launches:,} {row.name}{_counted(row)}" for row in found[:MOST_CALLS]]
    more = len(found) - len(named)
    told = "; ".join(named) + (f"; and {more} more" if more else "")
    return f"beside them {plural(sum(row.launches for row in found), 'library call')}{whole}: {told}"


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
    return (
        f" ({size(row.all_bytes)}, {duration(row.all_seconds)})"
        if row.all_bytes is not None and row.all_seconds is not None
        else ""
    )


# ---- spans


LONGEST = 120
"""Letters of what a span does."""


def span_table(rows: Sequence[FoundSpan], *, whole: bool = False) -> LongTable:
    """A row for each span: what its steps take, what one kernel needs at least, and what merging them saves, all that are alike together.

    Args:
        whole: A line for each span, as a pipe's reader takes it apart by lines.
    """
    return LongTable(FLAT_SPANS if whole else SPANS, rows, whole=whole)


REASONS = {
    "library": "a library call",
    "apart": "none reads another's result",
    "cycle": "a step between them",
    "template": "a template",
    "added": "atomic additions",
    "reduction": "a reduction",
    "sizes": "other sizes",
    "order": "another order",
    "mutation": "an input written to",
    "limit": "Inductor's limit",
    "unknown": "what is not told",
}
"""Why two steps are no one kernel, in a word or two."""


def reasons(row: FoundSpan) -> str:
    """`a library call, a reduction`."""
    return ", ".join(dict.fromkeys(REASONS[one.reason] for one in row.why))


def _overlaps(row: FoundSpan) -> str | None:
    return f"overlaps {row.hidden.rpartition(':')[2]}" if row.hidden else None


def _alike(row: FoundSpan) -> str | None:
    return f"{len(row.alike)} x {duration(row.saves)}" if len(row.alike) > 1 else None


def _made_of(row: FoundSpan) -> str:
    launches = counted_launches(row.launches) if row.launches else ""
    return ", ".join(filter(None, (launches, plural(row.calls, "call") if row.calls else "")))


def _does(row: FoundSpan) -> str:
    return row.title if len(row.title) <= LONGEST else row.title[: LONGEST - 1] + "…"


SPANS: tuple[Column[FoundSpan], ...] = (
    Column("span", lambda row: row.name, HEAD, below=((_made_of, DIM), (_overlaps, DIM))),
    Column("does", _does, below=((lambda row: f"apart: {reasons(row)}", DIM),), wrapped=True),
    Column("moves", lambda row: size(row.moved), below=((lambda row: f"of {size(row.apart)}", DIM),), number=True, leaves=2),
    Column(
        "now", lambda row: duration(row.seconds), below=((lambda row: "measured" if row.measured else None, DIM),), number=True, leaves=1
    ),
    Column(
        "one kernel", lambda row: duration(row.bound), below=((lambda row: row.limit.replace("special functions", "exponentials"), DIM),), number=True
    ),
    Column("saves", lambda row: duration(row.all), below=((_alike, DIM),), number=True),
)  # fmt: skip
FLAT_SPANS: tuple[Column[FoundSpan], ...] = (
    Column("span", lambda row: row.name),
    Column("alike", lambda row: str(len(row.alike)), number=True),
    Column("launches", lambda row: str(row.launches), number=True),
    Column("calls", lambda row: str(row.calls), number=True),
    Column("moves", lambda row: size(row.moved), number=True),
    Column("of", lambda row: size(row.apart), number=True),
    Column("now", lambda row: duration(row.seconds), number=True),
    Column("one kernel", lambda row: duration(row.bound), number=True),
    Column("saves", lambda row: duration(row.all), number=True),
    Column("limit", lambda row: row.limit),
    Column("apart", lambda row: reasons(row)),
    Column("does", lambda row: "; ".join(filter(None, (_does(row), _overlaps(row))))),
)
"""What is long stands last, so that no line is cut."""


def span_words(rows: Sequence[FoundSpan], of: int, on: Card) -> Iterator[str]:
    """What stands below the rows."""
    if not rows:
        yield "No consecutive steps that one kernel would do in less time than each at its best."
        return
    cut = f"{len(rows)} of {plural(of, 'span')}" if len(rows) < of else plural(of, "span")
    best = [row for row in rows if not row.hidden]
    saved = (
        f"one kernel each saves {duration(sum(row.all for row in best))}"
        if best
        else "all overlap better ones; what is saved"
    )
    if 0 < len(best) < len(rows):
        saved += ", without those that overlap better ones,"
    yield (
        f"{cut}; {saved} on {article(on.label)} {on.label}: what the steps need at least, less what one kernel needs. "
        f"A launch counts {duration(LAUNCH_SECONDS)}, as inside a CUDA graph, and so does a wait of all programs for each other."
    )
    yield f"Next: inductor-lab eject {(best or rows)[0].name} -o span.py"


def refusals(found: Sequence[RefusedSpan]) -> Iterator[str]:
    """Each reason, where it holds first, and how often."""
    counts = Counter(_reason(one) for one in found)
    first = {_reason(one): one.name for one in reversed(found)}
    for reason, count in counts.most_common():
        more = f", and {count - 1:,} more" if count > 1 else ""
        yield f"{first[reason]}{more}: {reason}"


def _reason(one: RefusedSpan) -> str:
    """Without lines and buffers, by which alone several differ."""
    return re.sub(r"^line \d+: |\b(of )?(buf|primals_|arg|workspace_)\d+(_\d+)?\b", "", one.why).strip()
