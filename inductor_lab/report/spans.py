"""The list of a capture's spans: what one kernel would save, by what, and why Inductor left several."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator, Sequence

from inductor_lab.costs.roofline import LAUNCH_SECONDS
from inductor_lab.gpus import Card
from inductor_lab.quantity import article, duration, plural, size
from inductor_lab.records.span import FoundSpan, RefusedSpan
from inductor_lab.report.render import Cell, Column, Table

DIM, HEAD = "bright_black", "bold"
COLUMNS = (
    Column("span"),
    Column("does", wrapped=True),
    Column("moves", number=True, leaves=2),
    Column("now", number=True, leaves=1),
    Column("one kernel", number=True),
    Column("saves", number=True),
)
LONGEST = 120
"""Letters of what a span does."""


def table(rows: Sequence[FoundSpan], *, whole: bool = False) -> Table:
    """A row for each span: what its steps take, what one kernel needs at least, and what merging them saves, all that are alike together.

    Args:
        whole: A line for each span, as a pipe's reader takes it apart by lines.
    """
    return Table(FLAT if whole else COLUMNS, [_flat(row) if whole else _cells(row) for row in rows], whole=whole)


def _cells(row: FoundSpan) -> tuple[Cell, ...]:
    many = len(row.alike) > 1
    return (
        (
            (row.name, HEAD),
            (_made_of(row), DIM),
            *([(_overlaps(row), DIM)] if row.hidden else []),
        ),
        ((short(row.title), ""), (f"apart: {reasons(row)}", DIM)),
        ((size(row.moved), ""), (f"of {size(row.apart)}", DIM)),
        ((duration(row.seconds), ""), *([("measured", DIM)] if row.measured else [])),
        ((duration(row.bound), ""), (row.limit.replace("special functions", "exponentials"), DIM)),
        ((duration(row.all), ""), *([(f"{len(row.alike)} x {duration(row.saves)}", DIM)] if many else [])),
    )


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


def _overlaps(row: FoundSpan) -> str:
    return f"overlaps {row.hidden.rpartition(':')[2]}"


def _made_of(row: FoundSpan) -> str:
    return ", ".join(
        plural(n, word).replace("launchs", "launches")
        for n, word in ((row.launches, "launch"), (row.calls, "call"))
        if n
    )


def short(title: str) -> str:
    return title if len(title) <= LONGEST else title[: LONGEST - 1] + "…"


FLAT = (
    Column("span"),
    Column("alike", number=True),
    Column("launches", number=True),
    Column("calls", number=True),
    Column("moves", number=True),
    Column("of", number=True),
    Column("now", number=True),
    Column("one kernel", number=True),
    Column("saves", number=True),
    Column("limit"),
    Column("apart"),
    Column("does"),
)
"""What is long stands last, so that no line is cut."""


def _flat(row: FoundSpan) -> tuple[Cell, ...]:
    does = "; ".join([short(row.title), *([_overlaps(row)] if row.hidden else [])])
    texts = (
        row.name, str(len(row.alike)), str(row.launches), str(row.calls), size(row.moved), size(row.apart),
        duration(row.seconds), duration(row.bound), duration(row.all), row.limit, reasons(row), does,
    )  # fmt: skip
    return tuple(((text, ""),) for text in texts)


def told(rows: Sequence[FoundSpan], of: int, on: Card) -> Iterator[str]:
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
    reasons = Counter(_reason(one) for one in found)
    first = {_reason(one): one.name for one in reversed(found)}
    for reason, count in reasons.most_common():
        more = f", and {count - 1:,} more" if count > 1 else ""
        yield f"{first[reason]}{more}: {reason}"


def _reason(one: RefusedSpan) -> str:
    """Without lines and buffers, by which alone several differ."""
    return re.sub(r"^line \d+: |\b(of )?(buf|primals_|arg|workspace_)\d+(_\d+)?\b", "", one.why).strip()
