"""What the page of two captures holds: both, as the page of one holds them, and which kernel of one belongs to which of the other."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import asdict, dataclass, replace

from inductor_lab.records import Beside, Comparison, ExternChange, Kept, Kernel, Launch, MachineCode
from inductor_lab.report import contents
from inductor_lab.report.comparison import grouped, place_of
from inductor_lab.report.html import filled
from inductor_lab.report.results import Result, result
from inductor_lab.report.rows import ArgumentRow, Contents

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
            tuple(f"{line.file.rpartition('/')[2]}:{line.line}  {line.code.strip()}" for line in change.source),
        )
        for change in found.fusions
    )
    return Compared(f"{found.a.name} → {found.b.name}", a, b, pairs, fusions, found.extern_calls, program)


def _machine(codes: Mapping[str, MachineCode]) -> Result:
    """In the words of `inspect`, and how many instructions of each kind stand in the code, where it is read so."""
    told = result("machine", {name: [asdict(code)] for name, code in codes.items()})
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
