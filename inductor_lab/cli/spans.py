"""The verb that says which consecutive steps are worth one hand kernel."""

from __future__ import annotations

from dataclasses import replace
from typing import Annotated

import typer

from inductor_lab.cli import output
from inductor_lab.cli.options import CaptureName, Json, complete_gpu
from inductor_lab.errors import LabError

SORTS = {"saves": "all", "stake": "stake"}
TOP = 20


def spans(
    name: CaptureName,
    top: Annotated[
        int | None,
        typer.Option("--top", metavar="N", min=1, help=f"The first N; {TOP}, or with --json all, unless told."),
    ] = None,
    gpu: Annotated[
        str,
        typer.Option("--gpu", metavar="NAME", autocompletion=complete_gpu, help="The capture's card unless given."),
    ] = "",
    most: Annotated[int, typer.Option("--most", metavar="N", min=2, help="Steps of a span at most.")] = 32,
    filters: Annotated[
        list[str] | None,
        typer.Option("--filter", metavar="TEXT", help="Spans with this in their name or in what they do. Repeatable."),
    ] = None,
    sort: Annotated[
        str,
        typer.Option(
            "--sort",
            metavar="KEY",
            help="saves: what no edit of the single steps could; stake: what the steps take now less what one kernel needs.",
        ),
    ] = "saves",
    all_: Annotated[bool, typer.Option("--all", help="Also those that overlap a better one.")] = False,
    refused: Annotated[bool, typer.Option("--refused", help="Also what can not be part of a span, and why.")] = False,
    json: Json = False,
) -> None:
    """Consecutive steps that one kernel would do faster.

    Launches and library calls: what moves between them through memory, and what they cost beside one kernel that need not. A span is
    CAPTURE:GRAPH:FIRST-LAST, by the numbers of its steps: they begin at 0 and count library calls too, which numbers of kernels don't.
    """
    from inductor_lab import shelf, store
    from inductor_lab.costs.roofline import card
    from inductor_lab.gpus import find_gpu
    from inductor_lab.measure.history import of_capture
    from inductor_lab.report import spans as shown
    from inductor_lab.report.measured import seconds
    from inductor_lab.spans.find import spans as find

    if sort not in SORTS:
        raise LabError(f"--sort knows no {sort!r}: it takes {', '.join(SORTS)}.")
    capture = replace(shelf.whole(name), name=store.address(store.folder_of(name)))
    on = find_gpu(gpu) if gpu else card(capture.gpu)
    found, walls = find(capture, on=on, most=most, measured=seconds(of_capture(capture), on.name), overlapping=all_)
    words = [text.lower() for text in filters or ()]
    matching = [row for row in found if all(word in f"{row.name} {row.title}".lower() for word in words)]
    rows = sorted(matching, key=lambda row: -float(getattr(row, SORTS[sort])))[: top or (None if json else TOP)]
    if json:
        document = [{**store.to_dict(row), "all": row.all, "stake": row.stake} for row in rows]
        output.document({"card": on.key, "of": len(matching), "spans": document, "refused": store.to_dict(walls)})
        return
    if found and not matching:
        output.line(f"None of {len(found)} spans is what --filter asks for.")
        return
    if rows:
        output.show(shown.table(rows, whole=output.unbounded()))
    for sentence in (*shown.told(rows, len(matching), on), *(shown.refusals(walls) if refused else ())):
        output.line(sentence)
