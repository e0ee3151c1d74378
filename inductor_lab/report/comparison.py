"""Two captures side by side: for a terminal, as the document that `compare --json` prints, and as a page.

The page holds both captures, as the page of one holds them, and which kernel of one belongs to which of the other.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, fields, is_dataclass, replace
from typing import Any

from rich.console import Group, RenderableType
from rich.padding import Padding
from rich.table import Table
from rich.text import Text

from inductor_lab.annotate import titled
from inductor_lab.records import (
    Beside,
    Capture,
    Comparison,
    ExternChange,
    FusionChange,
    Kept,
    Kernel,
    KernelPair,
    Launch,
    MachineCode,
    Move,
)
from inductor_lab.report import contents
from inductor_lab.report.facts import ArgumentRow
from inductor_lab.report.html import filled
from inductor_lab.report.lists import made_for
from inductor_lab.report.render import short_table
from inductor_lab.report.results import Result, result
from inductor_lab.report.rows import Contents
from inductor_lab.report.terminal import DIM, HEAD, WARN

SCRIPTS = ("dom", "words", "code", "data", "table", "kernel", "beside", "compared", "app")


@dataclass(frozen=True)
class PairRow:
    """A kernel of both captures, or of one."""

    a: int
    """Which kernel of the old capture, -1 for none."""
    b: int
    state: str
    """`same`, `moved`, `changed`, `added` or `removed`."""
    similarity: float
    places: tuple[tuple[str, ...], tuple[str, ...]]
    """Of one that moved: the launches that each capture has elsewhere."""
    arguments: tuple[tuple[int, int], ...]
    """Which arguments of both belong together; -1 for none."""
    texts: tuple[Beside, ...]
    machine: Result | None
    """What the compiler made of both."""
    as_in: int
    """Which pair before it changed in the same way but for numbers, -1 for none."""


@dataclass(frozen=True)
class FusionRow:
    """Operations that are cut into kernels in another way."""

    kind: str
    a: tuple[int, ...]
    b: tuple[int, ...]
    nodes: tuple[str, ...]
    source: tuple[str, ...]


@dataclass(frozen=True)
class Compared:
    """The whole page."""

    name: str
    a: Contents
    b: Contents
    pairs: tuple[PairRow, ...]
    fusions: tuple[FusionRow, ...]
    calls: tuple[ExternChange, ...]
    program: Beside


def page(
    found: Comparison,
    texts: Mapping[tuple[str, str], Sequence[Beside]],
    program: Beside,
    machine: Sequence[Mapping[str, MachineCode]] = ({}, {}),
    kept: Mapping[str, Sequence[Kept]] | None = None,
) -> str:
    """The page of two captures.

    Args:
        texts: By the ids of both kernels, empty for none: their texts side by side.
        program: The lines of both programs.
        machine: Of the old capture and of the new one, by kernel id: what the compiler makes of it.
        kept: By the body's hash, what was kept of ejected files.
    """
    held = compared(found, texts, program, machine, kept or {})
    return filled(held.name, held.name, held, SCRIPTS)


def compared(
    found: Comparison,
    texts: Mapping[tuple[str, str], Sequence[Beside]],
    program: Beside,
    machine: Sequence[Mapping[str, MachineCode]],
    kept: Mapping[str, Sequence[Kept]],
) -> Compared:
    """Everything that the page draws."""
    a, b = (contents.contents(capture, contents.Beside({}, kept, {}, None)) for capture in (found.a, found.b))
    numbers = [{row.id: number for number, row in enumerate(side.kernels)} for side in (a, b)]
    moves = {(move.a.id, move.b.id): move for move in found.moved}
    order = {pair.b.id: number for number, pair in enumerate(found.changed)}
    first = {pair.b.id: order[group[0].b.id] for group in grouped(found.changed) for pair in group[1:]}

    def row(state: str, old: Kernel | None, new: Kernel | None, similarity: float = 1.0, as_in: int = -1) -> PairRow:
        ids = old.id if old else "", new.id if new else ""
        i, j = (side.get(one, -1) for side, one in zip(numbers, ids, strict=True))
        move = moves.get(ids)
        made = zip(("old", "new"), machine, ids, strict=True)
        codes = {name: side[one] for name, side, one in made if one in side}
        return PairRow(
            i,
            j,
            "moved" if move else state,
            similarity,
            (_places(move.left), _places(move.now)) if move else ((), ()),
            _arguments(a.kernels[i].arguments if old else (), b.kernels[j].arguments if new else ()),
            tuple(texts.get(ids, ())),
            _machine(codes) if codes else None,
            as_in,
        )

    pairs = (
        *(row("changed", pair.a, pair.b, pair.similarity, first.get(pair.b.id, -1)) for pair in found.changed),
        *(row("added", None, kernel) for kernel in found.added),
        *(row("removed", kernel, None) for kernel in found.removed),
        *(row("same", pair.a, pair.b) for pair in found.same),
    )
    fusions = tuple(
        FusionRow(
            change.kind,
            tuple(numbers[0][kernel.id] for kernel in change.a),
            tuple(numbers[1][kernel.id] for kernel in change.b),
            change.nodes,
            tuple(f"{line.place}  {line.code.strip()}" for line in change.source),
        )
        for change in found.fusions
    )
    return Compared(f"{found.a.name} → {found.b.name}", a, b, pairs, fusions, found.extern_calls, program)


def _machine(codes: Mapping[str, MachineCode]) -> Result:
    """In the words of `inspect`, and how many instructions of each kind stand in the code, where it is read so."""
    told = result({name: [code] for name, code in codes.items()})
    counts = [{"instructions": sum(code.instructions.values()), **code.instructions} for code in codes.values()]
    kinds = dict.fromkeys(kind for count in counts for kind in count if any(count.values()))
    rows = ((kind, *(str(count.get(kind, 0)) if any(count.values()) else "" for count in counts)) for kind in kinds)
    return replace(told, rows=(*told.rows, *rows))


def _places(launches: Sequence[Launch]) -> tuple[str, ...]:
    return tuple(map(place_of, launches))


def _arguments(old: Sequence[ArgumentRow], new: Sequence[ArgumentRow]) -> tuple[tuple[int, int], ...]:
    """Which belong together, by what they share, the surest first; what is left stands alone behind."""
    found: dict[int, int] = {}
    for key in SHARED:
        for j, other in enumerate(new):
            twins = (i for i, one in enumerate(old) if i not in found.values() and key(one) == key(other))
            if all(key(other)) and j not in found and (twin := next(twins, None)) is not None:
                found[j] = twin
    paired = [(found.get(j, -1), j) for j in range(len(new))]
    return (*paired, *((i, -1) for i in range(len(old)) if i not in found.values()))


SHARED: tuple[Callable[[ArgumentRow], tuple[str, ...]], ...] = (
    lambda one: (one.holds, one.role),
    lambda one: (one.type, one.role, one.name),
    lambda one: (one.type, one.role),
    lambda one: (one.name,),
)


FEW = 6
"""A longer row of kernels ends with how many more there are."""

LONGEST = 40
"""Lines of one diff that are shown; `--json` has all."""

COLOURS = {"+": "green", "-": "red", "@": DIM}


def comparison(found: Comparison) -> Iterator[RenderableType]:
    """What stayed, then everything that did not: fusion, changed bodies, added and removed kernels, library calls."""
    yield Group(_captures(found), Text(), _counts(found))
    if found.relaunched:
        yield _section("Launched more or less often", [_launches(pair) for pair in found.relaunched])
    if found.moved:
        yield _section("Moved: the same body, launched elsewhere", [_move(move) for move in found.moved])
    if found.fusions:
        yield _section("Fusion boundaries that moved", [_fusion(change) for change in found.fusions])
    for group in grouped(found.changed):
        yield _change(group)
    for title, mark, kernels in (("Removed", "-", found.removed), ("Added", "+", found.added)):
        if kernels:
            yield _section(title, [_kernel(kernel, mark) for kernel in kernels])
    if found.extern_calls:
        calls = [Text(f"  {call.target}  {call.a} -> {call.b}") for call in found.extern_calls]
        yield _section("Library calls", calls)


def _captures(found: Comparison) -> Table:
    def row(mark: str, one: Capture) -> tuple[str | Text, ...]:
        counts = str(len(one.kernels)), str(_launched(one))
        return Text(mark, COLOURS[mark]), Text(one.name, HEAD), one.torch or "?", made_for(one.gpu), *counts

    counted = "kernels", "launches"
    columns = ("", "capture", "torch", "made for", *counted)
    return short_table(columns, (row("-", found.a), row("+", found.b)), head=DIM, numbers=counted)


def _launched(capture: Capture) -> int:
    return sum(len(kernel.launches) for kernel in capture.kernels)


def _counts(found: Comparison) -> Text:
    if not found.differs:
        moved = f", {len(found.moved)} moved" if found.moved else ""
        return Text(f"the same: {len(found.same)} of {len(found.same)} kernels{moved}", "bold green")
    counts: dict[str, Sequence[object]] = {
        "same": found.same, "moved": found.moved, "changed": found.changed, "added": found.added, "removed": found.removed,
        "launched more or less often": found.relaunched, "cut in another way": found.fusions,
    }  # fmt: skip
    return Text(", ".join(f"{len(several)} {word}" for word, several in counts.items() if several), HEAD)


def _section(title: str, lines: Sequence[RenderableType]) -> RenderableType:
    return Padding(Group(Text(title, HEAD), *lines), (1, 0, 0, 0))


def _launches(pair: KernelPair) -> Text:
    return Text(f"  {_ids([pair])}  {len(pair.a.launches)} -> {len(pair.b.launches)}  {pair.b.name}", overflow="fold")


def _move(move: Move) -> Text:
    left, now = (_row([place_of(launch) for launch in launches]) for launches in (move.left, move.now))
    return Text(f"  {move.a.id} -> {move.b.id}  {left} -> {now}  {move.b.name}", overflow="fold")


def place_of(launch: Launch) -> str:
    """`0_forward:123`, graph and line of its module."""
    return f"{launch.graph}:{launch.line}"


def _kernel(kernel: Kernel, mark: str) -> RenderableType:
    table = Table.grid(padding=(0, 2))
    table.add_column(no_wrap=True)
    table.add_column(overflow="fold")
    said = Text(titled(kernel))
    said.append(f"\n{kernel.name}, {len(kernel.launches)} x", DIM)
    table.add_row(Text(f"{mark} {kernel.id}", COLOURS[mark]), said)
    return Padding(table, (0, 0, 0, 2))


def _fusion(change: FusionChange) -> RenderableType:
    lines = [Text(f"{change.kind}: {_row([k.id for k in change.a])} -> {_row([k.id for k in change.b])}", WARN)]
    lines.append(Text(f"  {_row(change.nodes)}"))
    for line in change.source[:FEW]:
        lines.append(Text(f"  {line.place}  {line.code.strip()}", DIM))
    return Padding(Group(*lines), (0, 0, 0, 2))


def _ids(pairs: Sequence[KernelPair]) -> str:
    return _row([f"{pair.a.id} -> {pair.b.id}" for pair in pairs])


def _row(names: Sequence[str]) -> str:
    return ", ".join(names[:FEW]) + (f" and {len(names) - FEW} more" if len(names) > FEW else "")


def grouped(pairs: Sequence[KernelPair]) -> list[list[KernelPair]]:
    """Pairs changed in the same way but for numbers, together: a new torch changes all 26 embeddings alike."""
    groups: dict[tuple[str, ...], list[KernelPair]] = {}
    for pair in pairs:
        changed = (line for line in pair.diff[2:] if line[:1] in "+-")
        groups.setdefault(tuple(re.sub(r"\d+", "#", line) for line in changed), []).append(pair)
    return list(groups.values())


def _change(pairs: Sequence[KernelPair]) -> RenderableType:
    first = pairs[0]
    lines = [Text(f"  {first.b.name}", DIM, overflow="fold")]
    lines += [Text(f"  {line}", COLOURS.get(line[:1], ""), overflow="fold") for line in first.diff[2 : 2 + LONGEST]]
    if len(first.diff) > 2 + LONGEST:
        lines.append(Text(f"  ... {len(first.diff) - 2 - LONGEST} more lines of the diff", DIM))
    if len(pairs) > 1:
        lines.append(Text(f"  and, but for numbers, the same change of {_ids(pairs[1:])}", WARN))
    return _section(f"Changed {_ids(pairs[:1])}", lines)


# The document


def document(found: Comparison) -> dict[str, Any]:
    """Kernels are named by what other verbs accept, and not told in full."""
    verdict = "different" if found.differs else "same"
    same = [{"a": _reference(pair.a), "b": _reference(pair.b)} for pair in found.same]
    told = {name: _told(getattr(found, name)) for name in TOLD}
    return {"verdict": verdict, "a": _head(found.a), "b": _head(found.b), "same": same, **told}


TOLD = ("moved", "changed", "added", "removed", "fusions", "extern_calls")


def _told(value: Any) -> Any:
    """A record as a dict, with a reference for a kernel, a place for a launch, a text for the lines of a diff."""
    match value:
        case Kernel():
            return _reference(value)
        case Launch():
            return place_of(value)
        case KernelPair(a=a, b=b):
            return {
                "a": _reference(a),
                "b": _reference(b),
                "similarity": value.similarity,
                "diff": "\n".join(value.diff),
            }
        case tuple() | list():
            return [_told(one) for one in value]
        case _ if is_dataclass(value):
            return {field.name: _told(getattr(value, field.name)) for field in fields(value)}
    return value


def _head(capture: Capture) -> dict[str, Any]:
    gpu = {"name": capture.gpu.name, "arch": capture.gpu.arch, "virtual": capture.gpu.virtual}
    counts = {"kernels": len(capture.kernels), "launches": _launched(capture)}
    return {"name": capture.name, "torch": capture.torch, "triton": capture.triton, "gpu": gpu, **counts}


def _reference(kernel: Kernel) -> dict[str, Any]:
    return {
        "id": kernel.id,
        "name": kernel.name,
        "category": kernel.category,
        "graph": kernel.graph,
        "body_sha256": kernel.body_sha256,
        "launches": len(kernel.launches),
    }
