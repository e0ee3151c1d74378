"""A capture as one HTML file: every kernel with its lines explained, no network, text from a log always escaped.

Python computes every value; `templates/report.html.jinja` holds the page's shape.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass, is_dataclass
from typing import Any

from inductor_lab.annotate import computes, summary
from inductor_lab.annotate.roofline import card
from inductor_lab.paths import templates_folder
from inductor_lab.quantity import article, duration, plural, rate, shape, size
from inductor_lab.records import Capture, Kept, SourceLine
from inductor_lab.report.facts import Facts, Launched, facts, launches, moved, moves, place, role, target, traced
from inductor_lab.report.history import History, history
from inductor_lab.report.results import Result, result
from inductor_lab.report.terminal import holds

TEMPLATE = "report.html.jinja"


@dataclass(frozen=True)
class Row:
    """One line of a body."""

    number: int
    code: Any
    """Highlighted HTML, as markup."""
    text: str
    origin: str


@dataclass(frozen=True)
class ArgumentRow:
    """One argument of the first launch."""

    name: str
    passed: str
    type: str
    holds: str
    role: str


@dataclass(frozen=True)
class View:
    """One kernel as the template shows it."""

    anchor: str
    id: str
    number: str
    """What stands after the capture's name in the id."""
    name: str
    body: str
    computes: str
    computes_whole: tuple[str, ...]
    """The same without the list's limit, one store each."""
    category: str
    marks: tuple[str, ...]
    launches: str
    source: tuple[SourceLine, ...]
    traced: str
    """How these lines are known."""
    place: str
    moves: str
    reads: str
    writes: str
    floor: str
    limit: str
    intensity: str
    total: str
    """Bytes of all its launches."""
    times: str
    """`26 launches of 8.2 KB`; empty where there is one."""
    share: float
    """The total in percent of the largest kernel's."""
    every: tuple[Launched, ...]
    """Its launches, where it has several."""
    launch: tuple[str, ...]
    comment: str
    claims: tuple[str, ...]
    hazards: tuple[str, ...]
    uncounted: str
    arguments: tuple[ArgumentRow, ...]
    rows: tuple[Row, ...]
    text: Any
    results: tuple[Result, ...]
    history: History | None
    """What was kept of its ejected files."""


def page(
    capture: Capture,
    results: Mapping[str, Mapping[str, Any]] | None = None,
    kept: Mapping[str, Sequence[Kept]] | None = None,
) -> str:
    """The page of a capture.

    `results` holds, by kernel id, what was measured: `verdict`, `machine`, `diff`, each a record or its dict; `kept`, by the body's hash, what was
    kept of ejected files, the oldest first.
    """
    import jinja2

    environment = jinja2.Environment(
        loader=jinja2.FileSystemLoader(templates_folder()),
        autoescape=True,
        undefined=jinja2.StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
    )
    on = card(capture.gpu)
    totals = {kernel.id: (moved(kernel) or 0) * max(len(kernel.launches), 1) for kernel in capture.kernels}
    largest = max(totals.values(), default=0) or 1
    views = [
        _view(
            facts(kernel, capture),
            totals[kernel.id],
            largest,
            (results or {}).get(kernel.id, {}),
            history((kept or {}).get(kernel.body_sha256, ())),
        )
        for kernel in capture.kernels
    ]
    return environment.get_template(TEMPLATE).render(
        capture=capture,
        target=target(capture, on),
        card=f"{article(on.label)} {on.label} at {rate(on.reachable)}, {on.source}",
        counts=_counts(capture),
        total=size(sum(totals.values())),
        views=views,
        origins=_origins(capture, views),
    )


def _counts(capture: Capture) -> str:
    launches = sum(len(kernel.launches) for kernel in capture.kernels)
    graphs = ", ".join(f"{graph.kind} {graph.id}" for graph in capture.graphs[:4])
    more = f" and {len(capture.graphs) - 4} more" if len(capture.graphs) > 4 else ""
    return (
        f"{plural(len(capture.kernels), 'kernel')} in {launches:,} launches, "
        f"{plural(len(capture.extern_calls), 'library call')}; {graphs}{more}"
    )


def _view(known: Facts, total: int, largest: int, measured: Mapping[str, Any], past: History | None) -> View:
    kernel, bound = known.kernel, known.bound
    count = len(kernel.launches)
    return View(
        anchor=kernel.id.replace(":", "-"),
        id=kernel.id,
        number=kernel.id.rpartition(":")[2],
        name=kernel.name,
        body=kernel.body_sha256[:8],
        computes=known.computes,
        computes_whole=computes(kernel) or (summary(kernel),),
        category=kernel.category.replace("_", " "),
        marks=known.marks,
        launches="1 launch" if count == 1 else f"{count:,} launches",
        source=kernel.source,
        traced=traced(kernel),
        place=place(kernel),
        moves=moves(kernel) if bound else "",
        reads=size(kernel.traffic.read),
        writes=size(kernel.traffic.written),
        floor=duration(bound.seconds) if bound else "",
        limit={"launch": "the launch itself"}.get(bound.limit, bound.limit) if bound else "",
        intensity=f"{bound.intensity:.2g}" if bound and bound.limit else "",
        total=size(total) if bound else "",
        times=f"{count:,} launches of {size(bound.bytes)}" if bound and count > 1 else "",
        share=round(100 * total / largest, 2),
        every=launches(kernel),
        launch=known.notes.get("launch", ()),
        comment=", ".join(kernel.claim.aten),
        claims=known.notes.get("claim", ()),
        hazards=known.notes.get("hazard", ()),
        uncounted="" if bound else " ".join(known.notes.get("traffic", ())),
        arguments=_arguments(known),
        rows=_rows(known),
        text=_highlighted(kernel.text.strip("\n")),
        results=(
            *(result(kind, _plain(value)) for kind, value in measured.items()),
            *(past.results if past else ()),
        ),
        history=past,
    )


def _plain(value: Any) -> Any:
    """A record as the dict that `--json` prints of it."""
    if is_dataclass(value) and not isinstance(value, type):
        return asdict(value)
    if isinstance(value, Mapping):
        return {key: _plain(inner) for key, inner in value.items()}
    return value


def _arguments(known: Facts) -> tuple[ArgumentRow, ...]:
    kernel = known.kernel
    passed = {a.name: a for a in (kernel.launches[0].arguments if kernel.launches else ())}
    rows = []
    for argument in kernel.arguments:
        tensor = known.tensors.get(argument.name)
        value = passed[argument.name].value if argument.name in passed else ""
        kind = shape(tensor.type) if tensor and tensor.type else argument.dtype
        rows.append(ArgumentRow(argument.name, value, kind, holds(tensor), role(argument)))
    return tuple(rows)


def _rows(known: Facts) -> tuple[Row, ...]:
    said = {line.line: line for line in known.lines}
    code = str(_highlighted(known.kernel.body)).split("\n")
    rows = []
    for number, html in enumerate(code, 1):
        if number in said:
            rows.append(Row(number, _markup(html), said[number].text, said[number].origin))
    return tuple(rows)


def _highlighted(code: str) -> Any:
    """Python as HTML with pygments' class names; pygments escapes the text."""
    from pygments import highlight
    from pygments.formatters import HtmlFormatter
    from pygments.lexers import PythonLexer

    lexer = PythonLexer(stripnl=False, ensurenl=False)
    return _markup(highlight(code, lexer, HtmlFormatter(nowrap=True)))


def _markup(html: str) -> Any:
    from markupsafe import Markup

    return Markup(html)


def _origins(capture: Capture, views: list[View]) -> list[tuple[SourceLine, list[View]]]:
    """The user's lines in the order of the program, each with the kernels that it became part of."""
    lines: dict[SourceLine, list[View]] = {}
    for kernel, view in zip(capture.kernels, views, strict=True):
        for line in kernel.source:
            lines.setdefault(line, []).append(view)
    return sorted(lines.items(), key=lambda pair: (pair[0].file, pair[0].line))
