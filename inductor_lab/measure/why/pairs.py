"""Two kernels' texts side by side: source, computation, the code at each stage, and in each what differs. Pure.

tmp4 = tmp0 + tmp1      tmp3 = tmp0 * tmp1        `+` is lit against `*`; tmp4 and tmp3 are one value under two names
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from difflib import SequenceMatcher

from inductor_lab.computation import computation
from inductor_lab.computation.outline import outline
from inductor_lab.measure.why.normal import REGISTERS, Line, body, lines, named
from inductor_lab.measure.why.texts import Row, beside
from inductor_lab.records import Beside, BesideRow, Capture, Characters, Comparison, CompiledCode, Kernel

Code = Sequence[CompiledCode]
"""A kernel's stages."""


def every(
    found: Comparison, codes: Sequence[Mapping[str, Code]] = ({}, {})
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


def texts(a: Kernel | None, b: Kernel | None, code_a: Code = (), code_b: Code = ()) -> tuple[Beside, ...]:
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
        {at: f"{line.file.rpartition('/')[2]}:{line.line}" for at, line in enumerate(ordered, 1)},
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
    matcher = SequenceMatcher(None, *([REGISTERS.sub(r"\1", key) for key in side] for side in keys), autojunk=False)
    changes = [change for change in matcher.get_opcodes() if change[0] != "equal"]
    return (
        tuple((old[i].start(), old[i_end - 1].end()) for _, i, i_end, _, _ in changes if i < i_end),
        tuple((new[j].start(), new[j_end - 1].end()) for _, _, _, j, j_end in changes if j < j_end),
    )
