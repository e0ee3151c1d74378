"""A body's lines as a terminal shows them: what only says which elements a program has becomes one line an axis, and a name for a number none.

Half of a short kernel is `xoffset`, `xindex`, `xmask` and second names for them (`rindex`, `x0 = xindex`), the same in every kernel.

    tmp8 = 32
    tmp9 = tmp5 < tmp8        ->        tmp9 = x0 < 32
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import groupby

from inductor_lab.records import Note

FRAME = re.compile(r"([xyzr])(\d_)?(numel|offset|index|mask|base)|([XYZR])\d?_?BLOCK(?:_\d+)?")
"""Names that Inductor gives to what each axis of a launch is."""
ALIAS = re.compile(r"([xyzr])\d(_\d+)? = \w*index")
"""`x0 = xindex`: a name of the model's dimension for the same positions."""
PLAIN = re.compile(
    r"\s*(tmp\d+) = (?:full\(tmp\d+\.shape, )?(-?\d[\d.e+-]*|-?float\('\w+'\)|True|False|[xyzr]\d(?:_\d+)?)(?:, tmp\d+\.dtype\))?"
)
"""A name for a number, or a second one for a position: lines that use it say the same with that."""
POSITIONS = ("index", "base")
NO_LINE = Note(0, "")


@dataclass(frozen=True)
class Line:
    """One line of a listing."""

    label: str
    """`7`, or `1, 5-7` where it stands for several."""
    code: str
    text: str
    origin: str


def listing(short: Mapping[int, str], notes: Mapping[int, Note], *, full: bool = False) -> Iterator[Line]:
    """The lines with what is said of each.

    Args:
        short: Code by its line.
        full: Each by itself.
    """
    short = short if full else _inlined(short)
    for axis, run in groupby(short, lambda number: bool(_axis(short[number])) and not full):
        numbers = list(run)
        if not axis:
            yield from (_line(number, short, notes) for number in numbers)
            continue
        for name in dict.fromkeys(_axis(short[number]) for number in numbers):
            group = [number for number in numbers if _axis(short[number]) == name]
            yield _line(group[0], short, notes) if len(group) == 1 else _folded(group, short, notes)


def _inlined(short: Mapping[int, str]) -> dict[int, str]:
    """The lines without those that name a number, which stands where the name stood."""
    plain: dict[str, str] = {}
    found = {}
    for number, code in short.items():
        if named := PLAIN.fullmatch(code):
            plain[named[1]] = named[2]
            continue
        target, equals, value = code.partition(" = ")
        value = re.sub(r"\btmp\d+\b(?!\.)", lambda name: plain.get(name[0], name[0]), value if equals else target)
        found[number] = f"{target}{equals}{value}" if equals else value
        plain.pop(target.strip(), None)
    return found


def _axis(code: str) -> str:
    """`x` of a line that says where a program stands along x; empty of any other line."""
    found = FRAME.fullmatch(_target(code)) or ALIAS.fullmatch(code.strip())
    return next(group for group in found.groups() if group and len(group) == 1).lower() if found else ""


def _target(code: str) -> str:
    return re.split(r": constexpr| = ", code.strip(), maxsplit=1)[0]


def _line(number: int, short: Mapping[int, str], notes: Mapping[int, Note]) -> Line:
    note = notes.get(number, NO_LINE)
    return Line(str(number), short[number], note.text, note.origin)


def _folded(group: Sequence[int], short: Mapping[int, str], notes: Mapping[int, Note]) -> Line:
    """One line for an axis: its positions with all their names, and what was said of each line."""
    values = {_target(short[number]): short[number].partition(" = ")[2] for number in group}
    offsets = {name: value for name, value in values.items() if name.endswith("offset")}
    places = [name for name in values if name.endswith(POSITIONS) and values[name] not in values]
    aliases = [name for name in values if values[name] in places and not name.endswith(POSITIONS)]
    indent = " " * (len(short[group[0]]) - len(short[group[0]].lstrip()))
    code = ", ".join(name for name in values if values[name] not in values)
    if len(places) == 1:
        value = values[places[0]]
        for name, offset in offsets.items():
            value = value.replace(name, offset)
        code = " = ".join([*aliases, places[0], value])
    return Line(_label(group), indent + code, "; ".join(_said(group, short, notes, values)), "")


def _said(
    group: Sequence[int], short: Mapping[int, str], notes: Mapping[int, Note], values: Mapping[str, str]
) -> Iterator[str]:
    """What is said of the lines but those that give a second name to an axis' own; a mask and a dimension with their names."""
    for number in group:
        name, text = _target(short[number]), notes.get(number, NO_LINE).text
        if FRAME.fullmatch(name) and FRAME.fullmatch(values[name]):
            continue
        if text:
            yield f"{name}: {text}" if name.endswith("mask") or not FRAME.fullmatch(name) else text


def _label(numbers: Sequence[int]) -> str:
    """`1, 5-7`."""
    runs = [list(run) for _, run in groupby(enumerate(numbers), lambda pair: pair[1] - pair[0])]
    return ", ".join(f"{run[0][1]}-{run[-1][1]}" if len(run) > 1 else str(run[0][1]) for run in runs)
