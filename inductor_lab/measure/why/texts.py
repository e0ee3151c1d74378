"""Text differences of two kernels, unified or side by side, apart from mere names. Pure.

    tmp4 = tmp0 + tmp1      tmp3 = tmp0 * tmp1        `+` is lit against `*`; tmp4 and tmp3 are one value under two names

`difference` is what `diff --show` prints of an ejected file's two kernels at one stage of compilation; `texts` has the source, the computation and each
stage of a pair of captured ones.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from difflib import SequenceMatcher
from itertools import groupby, product, zip_longest
from types import ModuleType

from inductor_lab.computation import computation
from inductor_lab.computation.outline import outline
from inductor_lab.machine.inspection import Code, code_of
from inductor_lab.measure.why.normal import REGISTERS, Line, asserted, body, lines, named
from inductor_lab.records import Beside, BesideRow, Capture, Characters, Comparison, CompiledCode, Kernel


@dataclass(frozen=True)
class Row:
    """A line of either text, or one of both."""

    old: Line | None
    new: Line | None
    alike: bool
    names: Mapping[str, str] = field(default_factory=dict)
    """Of two lines that differ: which name of the new one each name of the old one stands for."""


def beside(old: Sequence[Line], new: Sequence[Line]) -> Iterator[Row]:
    """Every line of both, in order. Lines are alike where their skeletons are and each name stands for the one that it stood for before."""
    known: dict[str, str] = {}
    for what, i, i_end, j, j_end in _changes([line.skeleton for line in old], [line.skeleton for line in new]):
        pairs = (
            zip(old[i:i_end], new[j:j_end], strict=True) if what == "equal" else _resembling(old[i:i_end], new[j:j_end])
        )
        for one, other in pairs:
            if one is None or other is None:
                yield Row(one, other, alike=False)
            elif one.skeleton == other.skeleton and _means_the_same(one, other, known):
                yield Row(one, other, alike=True)
            else:
                yield Row(one, other, alike=False, names=_counterparts(one, other, known))


def _changes(old: Sequence[str], new: Sequence[str]) -> Iterator[tuple[str, int, int, int, int]]:
    """As difflib's opcodes, which would pair the longest run of lines that look the same first; of unrolled code that is most of it. What both
    begin and end with stays together."""
    shorter = min(len(old), len(new))
    start = next((at for at in range(shorter) if old[at] != new[at]), shorter)
    end = next((at for at in range(shorter - start) if old[-1 - at] != new[-1 - at]), shorter - start)
    yield "equal", 0, start, 0, start
    matcher = SequenceMatcher(None, old[start : len(old) - end], new[start : len(new) - end], autojunk=False)
    for what, i, i_end, j, j_end in matcher.get_opcodes():
        yield what, start + i, start + i_end, start + j, start + j_end
    yield "equal", len(old) - end, len(old), len(new) - end, len(new)


def _counterparts(one: Line, other: Line, known: Mapping[str, str]) -> Mapping[str, str]:
    """What is assigned stands for each other, what is read for what it stood for before; the rest by its place, where neither has one to spare."""
    same = len(one.names) if len(one.names) == len(other.names) else min(one.assigned, other.assigned)
    by_place = dict(zip(one.names[:same], other.names[:same], strict=True))
    return by_place | {name: known[name] for name in one.names[one.assigned :] if name in known}


MOST_PAIRS = 10_000
"""Lines of one side times lines of the other from which on they are put beside each other as they come."""
RESEMBLING = 0.6
"""What two lines have in common, of 1, from which on they are shown as one that changed."""


def _resembling(old: Sequence[Line], new: Sequence[Line]) -> Iterator[tuple[Line | None, Line | None]]:
    """The lines of a passage that differs, those that resemble each other most side by side, in the order of both."""
    if not old or not new or len(old) * len(new) > MOST_PAIRS:
        yield from zip_longest(old, new)
        return
    alike = [[_resemblance(one, other) for other in new] for one in old]
    best = [[0.0] * (len(new) + 1) for _ in range(len(old) + 1)]
    for i, j in product(reversed(range(len(old))), reversed(range(len(new)))):
        best[i][j] = max(best[i + 1][j], best[i][j + 1], alike[i][j] and alike[i][j] + best[i + 1][j + 1])
    i = j = 0
    while i < len(old) or j < len(new):
        if j == len(new) or (i < len(old) and best[i][j] == best[i + 1][j]):
            yield old[i], None
            i += 1
        elif i == len(old) or best[i][j] == best[i][j + 1]:
            yield None, new[j]
            j += 1
        else:
            yield old[i], new[j]
            i, j = i + 1, j + 1


def _resemblance(one: Line, other: Line) -> float:
    found = SequenceMatcher(None, one.skeleton, other.skeleton).quick_ratio()
    return found if found >= RESEMBLING else 0.0


def _means_the_same(one: Line, other: Line, known: dict[str, str]) -> bool:
    """Whether what is read is the same on both sides; what is assigned stands for it from here on, also where it is not."""
    pairs = list(zip(one.names, other.names, strict=True))
    alike = all(known.setdefault(mine, theirs) == theirs for mine, theirs in pairs[one.assigned :])
    known.update(pairs[: one.assigned])
    return alike


# ---------------------------------------------------------------- unified


CONTEXT = 3
Edit = tuple[str, str]
"""`-`, `+` or a space, and a line."""


def unified(old: Sequence[Line], new: Sequence[Line], titles: tuple[str, str]) -> str:
    """The diff, each line as its side writes it; what is alike as the old side does. Empty where nothing differs."""
    made = list(edits(old, new))
    if all(mark == " " for mark, _ in made):
        return ""
    text = [f"--- {titles[0]}", f"+++ {titles[1]}"]
    for start, end in _hunks(made):
        before, part = made[:start], made[start:end]
        places = [
            f"{sum(mark != other for mark, _ in before) + 1},{sum(mark != other for mark, _ in part)}"
            for other in ("+", "-")
        ]
        text.append(f"@@ -{places[0]} +{places[1]} @@")
        text += [mark + line for mark, line in part]
    return "\n".join(text) + "\n"


def edits(old: Sequence[Line], new: Sequence[Line]) -> Iterator[Edit]:
    """Every line of both, in order; of a passage that differs the old lines first."""
    for alike, run in groupby(beside(old, new), key=lambda row: row.alike):
        rows = list(run)
        yield from ((" " if alike else "-", row.old.shown) for row in rows if row.old)
        if not alike:
            yield from (("+", row.new.shown) for row in rows if row.new)


def _hunks(made: Sequence[Edit]) -> list[tuple[int, int]]:
    """(start, end) of what is shown: every change and the lines around it."""
    found: list[tuple[int, int]] = []
    for position, (mark, _) in enumerate(made):
        if mark == " ":
            continue
        start, end = max(position - CONTEXT, 0), min(position + CONTEXT + 1, len(made))
        if found and start <= found[-1][1]:
            start = found.pop()[0]
        found.append((start, end))
    return found


def difference(module: ModuleType, gpu: str, stage: str) -> str:
    """The unified diff of the generated kernel's code against the hand kernel's; empty where nothing that counts differs.

    Raises:
        LabError: there is no such stage for the kernel or the card, or one does not compile.
    """
    generated, hand = (code_of(module, gpu, which, stage) for which in ("generated", "hand"))
    titles = (_title("generated", generated, stage), _title("hand", hand, stage))
    return unified(_lines(generated, stage), _lines(hand, stage), titles)


def _lines(codes: Sequence[Code], stage: str) -> list[Line]:
    return [line for code in codes for line in lines(stage, code.text, code.kernel, asserted(code.ttgir))]


def _title(which: str, codes: Sequence[Code], stage: str) -> str:
    """`hand: add_relu, BLOCK 1024, num_warps 4 (sass)`."""
    each = "; ".join(", ".join(part for part in (code.kernel, code.given) if part) for code in codes)
    return f"{which}: {each} ({stage})"


# ---------------------------------------------------------------- side by side


Stages = Sequence[CompiledCode]
"""A kernel's stages."""


def every(
    found: Comparison, codes: Sequence[Mapping[str, Stages]] = ({}, {})
) -> dict[tuple[str, str], tuple[Beside, ...]]:
    """The texts of each pair of a comparison and of each kernel that stands alone, by both ids, empty for none.

    Args:
        codes: Of the old capture and of the new one, by kernel id.
    """
    pairs: list[tuple[Kernel | None, Kernel | None]] = [(pair.a, pair.b) for pair in (*found.changed, *found.same)]
    pairs += [(kernel, None) for kernel in found.removed] + [(None, kernel) for kernel in found.added]
    made = {}
    for a, b in pairs:
        ids = a.id if a else "", b.id if b else ""
        made[ids] = texts(a, b, *(code.get(kernel, ()) for code, kernel in zip(codes, ids, strict=True)))
    return made


def texts(a: Kernel | None, b: Kernel | None, code_a: Stages = (), code_b: Stages = ()) -> tuple[Beside, ...]:
    """All texts of a pair; of a kernel that only one capture has, its own beside nothing."""
    found = [_beside("source", _source(a), _source(b)), _beside("computation", _tree(a), _tree(b))]
    for stage in dict.fromkeys(one.stage for one in (*code_a, *code_b)):
        old, new = (next((one for one in code if one.stage == stage), None) for code in (code_a, code_b))
        found.append(_beside(stage, _stage(a, old), _stage(b, new)))
    return tuple(found)


def programs(a: Capture, b: Capture) -> Beside:
    """The lines of both programs from which something was generated."""
    return _beside("program", _program(a), _program(b))


@dataclass(frozen=True)
class _Text:
    """One side."""

    lines: Sequence[Line] = ()
    places: Mapping[int, str] | None = None
    """Where a line of the text is from; its own number where nothing is said."""
    missing: str = ""

    def place(self, line: Line | None) -> str:
        if line is None or not line.at:
            return ""
        return str(line.at) if self.places is None else self.places.get(line.at, "")


def _source(kernel: Kernel | None) -> _Text:
    return _Text(body(kernel.body, [argument.name for argument in kernel.arguments])) if kernel else _Text()


NAME = re.compile(r"\b(?:v|ks|[xyz]|r\d_|[a-z_]+_ptr)\d+\b")
"""What an outline calls values, sizes, coordinates and pointers."""


def _tree(kernel: Kernel | None) -> _Text:
    try:
        return _Text([named(line, NAME, " = ") for line in outline(computation(kernel))] if kernel else ())
    except ValueError as error:
        return _Text(missing=f"Its body was not read as trees: {error}.")


def _stage(kernel: Kernel | None, code: CompiledCode | None) -> _Text:
    if kernel is None or code is None:
        return _Text()
    places = {at: str(line) for at, line in enumerate(code.lines, 1) if line}
    text = code.text.replace(kernel.name, "kernel")
    return _Text(lines(code.stage, text, "kernel") if text else (), places, code.missing)


def _program(capture: Capture) -> _Text:
    nodes = [node for graph in capture.graphs for node in graph.nodes]
    found = {node.source for node in nodes if node.source} | {line for one in capture.kernels for line in one.source}
    ordered = sorted(found, key=lambda line: (line.file, line.line, line.code))
    return _Text(
        [Line(line.code.strip(), line.code.strip(), at=at) for at, line in enumerate(ordered, 1)],
        {at: line.place for at, line in enumerate(ordered, 1)},
    )


def _beside(name: str, old: _Text, new: _Text) -> Beside:
    rows = tuple(
        BesideRow(
            row.old.shown if row.old else None,
            row.new.shown if row.new else None,
            row.alike,
            (old.place(row.old), new.place(row.new)),
            ((), ()) if row.alike else _lit(row),
        )
        for row in beside(old.lines, new.lines)
    )
    return Beside(name, rows, (old.missing, new.missing))


TOKEN = re.compile(r"c\[0x0\]\[\w+\]|\d[\w.]*|[%$#@.]?\w+|\S")
Spans = tuple[Characters, ...]


def _lit(row: Row) -> tuple[Spans, Spans]:
    """The words in which two lines differ, a name that stands for the other one's being none; nothing of a line that stands alone."""
    if row.old is None or row.new is None:
        return (), ()
    old, new = (list(TOKEN.finditer(line.shown)) for line in (row.old, row.new))
    keys = [row.names.get(word[0], word[0]) for word in old], [word[0] for word in new]
    before, after = ([REGISTERS.sub(r"\1", key) for key in side] for side in keys)
    matcher = SequenceMatcher(None, before, after, autojunk=False)
    changes = [change for change in matcher.get_opcodes() if change[0] != "equal"]
    return (
        tuple((old[i].start(), old[i_end - 1].end()) for _, i, i_end, _, _ in changes if i < i_end),
        tuple((new[j].start(), new[j_end - 1].end()) for _, _, _, j, j_end in changes if j < j_end),
    )
