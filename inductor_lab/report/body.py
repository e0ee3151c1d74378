"""A kernel's body as a terminal shows it: each line short, lines of the frame folded, a long body cut to its first job.

Half of a short kernel is `xoffset`, `xindex`, `xmask` and second names for them (`rindex`, `x0 = xindex`), the same in every kernel: what only says
which elements a program has becomes one line an axis, a name for a number none, and what is left loses what says nothing (`load(in_ptr0 + x0, evict_last)`).

    tmp8 = 32
    tmp9 = tmp5 < tmp8        ->        tmp9 = x0 < 32
"""

from __future__ import annotations

import ast
import re
from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import groupby

from inductor_lab.annotate.summary import computes, summary
from inductor_lab.computation import computation
from inductor_lab.computation.schedule import Frame
from inductor_lab.records import Kernel, Note

MOST_STORES = 4
MOST_LINES = 60
"""Lines of a body that are read in one go."""
MOST_ARGUMENTS = 24
BRANCHING = {"template", "user_autotune"}
"""Kernels whose branches are no jobs."""
LONGEST_STORE = 160
"""Characters of one of several stores."""


@dataclass(frozen=True)
class Brief:
    """A kernel as it is shown."""

    computes: tuple[str, ...]
    """What it computes, a line a store."""
    unsaid: str
    """`53 more stores; 19 jobs, this is the first`: what the lines leave out; empty where they tell all."""
    lines: frozenset[int]
    """Those of the body that are shown, from 1."""
    arguments: frozenset[str]
    """Those that are shown."""
    left: str
    """`846 lines and 130 arguments more`; empty where all is shown."""


def brief(kernel: Kernel, *, full: bool = False) -> Brief:
    """What to show; all of it if `full`."""
    source = kernel.body.splitlines()
    whole = [number for number, line in enumerate(source, 1) if line.strip()]
    every = [argument.name for argument in kernel.arguments if argument.role != "constexpr"]
    first = _first_job(kernel) if len(whole) > MOST_LINES and not full else ()
    chosen = whole if full else [number for number in whole if not first or number in first][:MOST_LINES]
    named = set(re.findall(r"\w+", "\n".join(source[number - 1] for number in chosen)))
    shown = every if full else [name for name in every if not first or name in named][:MOST_ARGUMENTS]
    stores, unsaid = _stores(kernel, first=bool(first), full=full)
    left = _left(len(whole) - len(chosen), len(every) - len(shown))
    return Brief(stores, unsaid, frozenset(chosen), frozenset(shown), left)


def _stores(kernel: Kernel, *, first: bool, full: bool) -> tuple[tuple[str, ...], str]:
    """What it computes, or its first job does, and what is left out of that."""
    every = computes(kernel, LONGEST_STORE)
    if len(every) < 2:
        return (summary(kernel),), ""
    jobs = computation(kernel).parts if first else ()
    count = sum(access.value is not None for access in jobs[0].stores) if jobs else len(every)
    shown = every if full else every[: min(count, MOST_STORES)]
    left = len(every) - len(shown)
    said = [f"the first of {len(jobs)} jobs"] if jobs else []
    said += [f"{left} more store{'s' if left > 1 else ''}"] if left else []
    return shown, ", ".join(said)


def _first_job(kernel: Kernel) -> Collection[int]:
    """The lines that find the first of several jobs, and its own; none of a kernel that does one, or whose text is not followed."""
    try:
        found = computation(kernel)
    except ValueError:
        return ()
    heads = [one.line for one in found.told if isinstance(one.what, Frame) and one.what.piece == "job"]
    if not heads or not found.parts or kernel.category in BRANCHING:
        return ()
    others = {one.line for one in found.told if isinstance(one.what, Frame) and _of_others(one.what)}
    return {*range(1, max(one.last for one in found.parts[0].told) + 1)} - others


def _of_others(piece: Frame) -> bool:
    """Whether a piece of the frame before the first job is about the others, or about blocks."""
    return piece.piece == "block" or (piece.piece == "end" and piece.number > 0)


def _left(lines: int, arguments: int) -> str:
    counts = [
        f"{count:,} {word}{'s' if count > 1 else ''}"
        for count, word in ((lines, "line"), (arguments, "argument"))
        if count
    ]
    return f"{' and '.join(counts)} more" if counts else ""


MODULES = {"tl", "triton_helpers", "libdevice", "tl_math"}
SILENT = {"sem"}
"""Keywords that a reader of a listing can miss: they are the same everywhere."""
ELSE = "else:"


def lines(body: str) -> dict[int, str]:
    """Each statement's short form by its line, with its indentation; the body's own lines where it is not Python."""
    source = body.splitlines()
    try:
        tree = ast.parse(body)
    except SyntaxError:
        return {number: line for number, line in enumerate(source, 1) if line.strip()}
    found = {}
    for statement in (node for node in ast.walk(tree) if isinstance(node, ast.stmt)):
        line = source[statement.lineno - 1]
        indent = line[: len(line) - len(line.lstrip())]
        short = ast.unparse(ast.fix_missing_locations(_Short().visit(statement)))
        chained = "el" if isinstance(statement, ast.If) and line.lstrip().startswith("elif") else ""
        found[statement.lineno] = indent + chained + short.split("\n")[0]
    found |= {number: line for number, line in enumerate(source, 1) if line.strip() == ELSE}
    return dict(sorted(found.items()))


class _Short(ast.NodeTransformer):
    def visit_Attribute(self, node: ast.Attribute) -> ast.expr:
        self.generic_visit(node)
        return ast.Name(node.attr) if isinstance(node.value, ast.Name) and node.value.id in MODULES else node

    def visit_Subscript(self, node: ast.Subscript) -> ast.expr:
        self.generic_visit(node)
        return node.value if ast.unparse(node.slice) == ":" else node

    def visit_Call(self, node: ast.Call) -> ast.expr:
        name = ast.unparse(node.func).rpartition(".")[2]
        if name == "full" and len(node.args) > 1 and ast.unparse(node.args[0]) in {"[1]", "[1, 1]", "[XBLOCK]"}:
            held = node.args[1]
            return held if ast.unparse(held) != "True" else ast.Name("all_true")
        if name in {"load", "store"} or name.startswith("atomic"):
            node.args = [argument for argument in node.args if ast.unparse(argument) != "None"]
            policies = [
                k.value.value for k in node.keywords if k.arg == "eviction_policy" and isinstance(k.value, ast.Constant)
            ]
            node.keywords = [k for k in node.keywords if k.arg not in SILENT | {"eviction_policy"}]
            node.args += [ast.Name(str(policy)) for policy in policies]
        if name == "device_assert":
            node.args = node.args[:1]
        self.generic_visit(node)
        return _number(node) or node


def _number(node: ast.Call) -> ast.Constant | None:
    """`384 .to(float32)` and `0 .broadcast_to(XBLOCK, 1)` as the numbers that they are, 384.0 and 0; None for anything else."""
    match node:
        case ast.Call(func=ast.Attribute(value=ast.Constant() as held, attr="broadcast_to")):
            return held
        case ast.Call(
            func=ast.Attribute(value=ast.Constant(value=int() | float() as value), attr="to"),
            args=[ast.Name(id=dtype)],
            keywords=[],
        ) if "float" in dtype and not isinstance(value, bool):
            return ast.Constant(float(value))
    return None


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
