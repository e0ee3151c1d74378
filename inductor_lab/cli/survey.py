"""The verbs on whole captures: report, compare, spans, status and query."""

from __future__ import annotations

import gzip
import json
from collections.abc import Collection, Sequence
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from inductor_lab.cli import output
from inductor_lab.cli.options import CaptureName, Json, argument, ejected, files, gpus, option
from inductor_lab.errors import LabError
from inductor_lab.records import Comparison, CompiledCode, Kernel, KernelPair, MachineCode

if TYPE_CHECKING:
    from rich.text import Text

    from inductor_lab.records import Status
    from inductor_lab.records.span import FoundSpan
    from inductor_lab.report.history import Profile


COSTLIEST = 20
"""Kernels that are compiled unless more are asked for: each takes about a second."""


def compare(
    old: CaptureName,
    new: CaptureName,
    report: Annotated[
        Path | None, option("--report FILE", "One HTML file with both, pair by pair, instead of a summary.")
    ] = None,
    code: Annotated[
        bool, option("--code", "In the report also the code at each stage, for each capture's card.")
    ] = False,
    kernels: Annotated[
        int | None,
        option("--kernels N", f"For --code: how many pairs, the costliest first; {COSTLIEST} unless given.", min=1),
    ] = None,
    json: Json = False,
) -> None:
    """Kernels added, removed, changed, moved; fusion that moved.

    Two torch versions, two cards, or two edits of a model. Exits with 1 when they differ.
    """
    from inductor_lab import shelf
    from inductor_lab.compare import compare as align
    from inductor_lab.report import comparison

    if code and not report:
        raise LabError("--code is for the page: name its file with --report FILE.")
    if kernels and not code:
        raise LabError("--kernels is for --code; add that, or leave it out.")
    found = align(shelf.whole(old), shelf.whole(new))
    if report:
        _write(found, report, (kernels or COSTLIEST) if code else 0)
    if json:
        output.document(comparison.document(found))
    elif not report:
        output.show(*comparison.comparison(found))
    raise typer.Exit(int(found.differs))


def _write(found: Comparison, file: Path, count: int) -> None:
    from inductor_lab.costs.roofline import card
    from inductor_lab.measure.history import of_capture
    from inductor_lab.measure.why.texts import every, programs
    from inductor_lab.report import comparison

    chosen = _costliest(found, count) if count else []
    made = [
        compiled([getattr(pair, side) for pair in chosen], card(capture.gpu).key) if chosen else ({}, {})
        for side, capture in (("a", found.a), ("b", found.b))
    ]
    codes, machine = zip(*made, strict=True)
    with output.progress(f"Writing {file}"):
        texts = every(found, codes)
        kept = of_capture(found.a) | of_capture(found.b)
        output.write(file, comparison.page(found, texts, programs(found.a, found.b), machine, kept))
    output.note(f"{file}: open it in a browser.")


def _costliest(found: Comparison, count: int) -> list[KernelPair]:
    """What changed, or where the cards differ any pair, by what the new side costs."""
    from inductor_lab.costs.launches import costliest
    from inductor_lab.costs.roofline import card

    pairs = (*found.changed, *(found.same if found.a.gpu.arch != found.b.gpu.arch else ()))
    by_kernel = {pair.b.id: pair for pair in pairs}
    return [by_kernel[kernel.id] for kernel in costliest(found.b, card(found.b.gpu)) if kernel.id in by_kernel][:count]


def compiled(kernels: Sequence[Kernel], gpu: str) -> tuple[dict[str, tuple[CompiledCode, ...]], dict[str, MachineCode]]:
    """By kernel id the code at each stage, one without a stage that says why of a kernel that does not compile; and what became of it."""
    from inductor_lab.machine import inspect_kernel
    from inductor_lab.machine.stages import stages
    from inductor_lab.machine.targets import target_named
    from inductor_lab.quantity import plural

    target_named(gpu)
    codes: dict[str, tuple[CompiledCode, ...]] = {}
    machine: dict[str, MachineCode] = {}
    with output.progress(f"Compiling {plural(len(kernels), 'kernel')} for {gpu}") as step:
        for kernel in kernels:
            step(kernel.id)
            try:
                codes[kernel.id], machine[kernel.id] = stages(kernel, gpu), inspect_kernel(kernel, gpu)
            except LabError as error:
                codes[kernel.id] = (CompiledCode("", gpu, "", missing=str(error)),)
    return codes, machine


def report(
    name: CaptureName,
    file: Annotated[Path | None, option("-o --output FILE", "CAPTURE.html unless given.")] = None,
    code: Annotated[
        bool,
        option(
            "--code", "With the code at each stage, TTIR to SASS or AMDGCN, of the costliest kernels, compiled here."
        ),
    ] = False,
    kernels: Annotated[
        int | None, option("--kernels N", f"For --code: how many the costliest are; {COSTLIEST} unless given.", min=1)
    ] = None,
    gpu: Annotated[str, option("--gpu NAME", "For --code: the capture's card unless given.", gpus)] = "",
    trace: Annotated[
        Path | None, option("--trace FILE", "A profile that torch.profiler exported: its kernels' times are shown.")
    ] = None,
) -> None:
    """One HTML file with every kernel of a capture."""
    from inductor_lab import shelf, store
    from inductor_lab.costs.launches import costliest
    from inductor_lab.costs.roofline import card
    from inductor_lab.measure.history import of_capture
    from inductor_lab.report import html

    if (kernels or gpu) and not code:
        raise LabError("--kernels and --gpu are for --code; add that, or leave them out.")
    capture = shelf.whole(name)
    seen = _profile(trace) if trace else None
    on = card(capture.gpu)
    made = compiled(costliest(capture, on)[: kernels or COSTLIEST], gpu or on.key)[0] if code else {}
    file = file or Path(f"{store.safe_name(capture.name)}.html")
    with output.progress(f"Writing {file}"):
        output.write(file, html.page(capture, kept=of_capture(capture), code=made, profile=seen))
    output.note(f"{file}: open it in a browser.")


def _profile(file: Path) -> Profile:
    from inductor_lab.report.history import profile

    try:
        packed = file.read_bytes()
        document = json.loads(gzip.decompress(packed) if packed[:2] == b"\x1f\x8b" else packed)
    except OSError as error:
        raise LabError(f"Can not read {file}: {error.strerror or error}.") from error
    except (ValueError, RecursionError, EOFError) as error:
        raise LabError(f"{file} is no JSON: export a profile with torch.profiler's export_chrome_trace.") from error
    return profile(document, str(file))


SORTS = {"saves": "all", "stake": "stake"}
TOP = 20


def spans(
    name: CaptureName,
    top: Annotated[
        int | None, option("--top N", f"The first N; {TOP}, or with --json all, unless given.", min=1)
    ] = None,
    gpu: Annotated[str, option("--gpu NAME", "The capture's card unless given.", gpus)] = "",
    most: Annotated[int, option("--most N", "Steps of a span at most.", min=2)] = 32,
    filters: Annotated[
        list[str] | None, option("--filter TEXT", "Spans with this in their name or in what they do. Repeatable.")
    ] = None,
    sort: Annotated[
        str,
        option(
            "--sort KEY",
            "saves: what no edit of the single steps could; stake: what the steps take now less what one kernel needs.",
        ),
    ] = "saves",
    all_: Annotated[bool, option("--all", "Also those that overlap a better one.")] = False,
    refused: Annotated[bool, option("--refused", "Also what can not be part of a span, and why.")] = False,
    json: Json = False,
) -> None:
    """Consecutive steps that one kernel would do faster.

    Launches and library calls: what moves between them through memory, and what one kernel saves that need not move it. A span is
    CAPTURE:GRAPH:FIRST-LAST, by the numbers of its steps: they begin at 0 and count library calls too, which numbers of kernels don't.
    """
    from inductor_lab import shelf, store
    from inductor_lab.costs.roofline import card
    from inductor_lab.gpus import find_gpu
    from inductor_lab.measure.history import of_capture
    from inductor_lab.report import lists
    from inductor_lab.report.history import seconds
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
        kernels = {kernel.id for kernel in capture.kernels}
        document = [_document(row, kernels) for row in rows]
        output.document({"card": on.key, "of": len(matching), "spans": document, "refused": store.to_dict(walls)})
        return
    if found and not matching:
        output.line(f"None of {len(found)} spans is what --filter asks for.")
        return
    if rows:
        output.show(lists.span_table(rows, whole=output.unbounded()))
    for sentence in (*lists.span_words(rows, len(matching), on), *(lists.refusals(walls) if refused else ())):
        output.line(sentence)


def _document(row: FoundSpan, kernels: Collection[str]) -> dict[str, Any]:
    """A span for scripts: the steps by what they are, all times in microseconds."""
    from inductor_lab import store

    told = store.to_dict(row)
    for name in ("name", "calls"):
        del told[name]
    times = {"now": told.pop("seconds"), "all": row.all, "stake": row.stake}
    times |= {name: told[name] for name in ("least", "bound", "saves")}
    return {
        "id": row.name,
        **told,
        "launches": [step for step in row.steps if step in kernels],
        "extern_calls": [step for step in row.steps if step not in kernels],
        "between": row.apart - row.moved,
        **{name: 1e6 * seconds for name, seconds in times.items()},
    }


COLOURS = {"fresh": "bold green", "stale": "bold red", "unknown": "bold yellow"}


def status(
    files: Annotated[
        list[Path] | None,
        argument("[FILE...]", "Ejected files, or folders for all below them; this folder unless given.", ejected),
    ] = None,
    json: Json = False,
) -> None:
    """Which ejected files are no longer what their captures hold.

    The body, the shapes or the inputs are others, or there is no such kernel any more. Exits with 1 when one is stale.
    """
    from inductor_lab import staleness, store
    from inductor_lab.report.render import short_table

    asked = files or [Path()]
    named = [one for one in asked if not one.is_dir()]
    for file in named:
        output.need(file)
    below = [path for folder in asked if folder.is_dir() for path in staleness.found(folder) if path not in named]
    if not named and not below:
        where = f"below {', '.join(map(str, files))}" if files else "below this folder"
        raise LabError(f"There is no ejected file {where}; write one with `inductor-lab eject KERNEL -o FILE`.")
    found = staleness.statuses(named) + staleness.statuses(below, named=False)
    if json:
        output.document({"files": [store.to_dict(one) for one in found]})
    else:
        output.show(short_table(("file", "", "kernel", ""), map(_status, found)))
    if any(one.state == "stale" for one in found):
        raise typer.Exit(1)


def _status(one: Status) -> tuple[str | Text, ...]:
    from rich.text import Text

    said = "; ".join([*(["edited"] if one.edited else []), *one.changes])
    return one.file, Text(one.state, COLOURS[one.state]), one.kernel, said


def query(
    sql: Annotated[str, argument("[SQL]", "One SELECT; without it, the tables are listed.")] = "",
    over: Annotated[
        list[str] | None,
        option(
            "--over PATH", "A folder, file or glob of captures and logs; repeatable. captured/ unless given.", files()
        ),
    ] = None,
    kept: Annotated[
        Path | None,
        option("--store PATH", "Keep what was read: FILE.duckdb, or a folder for Parquet. Read again is what changed."),
    ] = None,
    json: Json = False,
) -> None:
    """SQL over the kernels of many captures and logs."""
    from inductor_lab import store

    if not sql:
        _tables(json)
        return
    from inductor_lab.query import query as ask
    from inductor_lab.report.render import short_table

    places = over or ([] if kept and kept.exists() else [str(store.HOME)])
    if not over and places and not store.HOME.is_dir():
        raise LabError(f"There is no {store.HOME}/ here; name folders or logs with --over.")
    with output.progress("Reading " + ", ".join(places or [str(kept)])) as step:
        answer = ask(sql, places, kept, step)
    if json:
        columns = [{"name": name, "type": kind} for name, kind in zip(answer.columns, answer.types, strict=True)]
        named = [store.to_dict(dict(zip(_unique(answer.columns), row, strict=True))) for row in answer.rows]
        output.document({"columns": columns, "rows": named})
        return
    table = short_table(
        answer.columns, (["" if value is None else _cell(value) for value in row] for row in answer.rows)
    )
    for column, values in zip(
        table.columns, zip(*answer.rows, strict=True), strict=False
    ):  # none where there is no row
        if {type(value) for value in values} <= {int, float, bool, type(None)}:
            column.justify = "right"
    output.show(table)


def _unique(columns: tuple[str, ...]) -> list[str]:
    """Keys of a row: the second `id` of a join is `id_1`."""
    found: list[str] = []
    for name in columns:
        found.append(name if name not in found else f"{name}_{sum(each.startswith(name) for each in found)}")
    return found


def _tables(json: bool) -> None:
    from inductor_lab.report.render import short_table
    from inductor_lab.tables import TABLES

    columns = ("name", "type", "holds")
    if json:
        described = {
            table: [dict(zip(columns, (name, *said), strict=True)) for name, said in held.items()]
            for table, held in TABLES.items()
        }
        output.document({"tables": described})
        return
    listed = [(table, name, *said) for table, held in TABLES.items() for name, said in held.items()]
    output.show(short_table(("table", "column", "type", "holds"), listed))


def _cell(value: Any) -> str:
    return ", ".join(map(_cell, value)) if isinstance(value, list) else str(value)
