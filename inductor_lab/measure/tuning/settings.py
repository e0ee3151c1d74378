"""How an ejected file states its configuration: the defaults of `launch`, read and written by their place in the text; and those around it. Pure.

`def launch(x, out, *, BLOCK=1024, num_warps=4)` states {BLOCK: 1024, num_warps: 4}; `around` has {BLOCK: 512, ...}, {num_warps: 8, ...}: powers of two,
the nearest first.
"""

from __future__ import annotations

import ast
import hashlib
import re
from collections.abc import Collection, Iterator, Mapping
from dataclasses import dataclass, replace
from itertools import product
from math import log2

from inductor_lab.ejected import how_made, unpacked
from inductor_lab.errors import LabError

EVIDENCE = re.compile(r"^# Tuned: .*\n(?:#     .*\n)*(?=def launch\()", re.MULTILINE)
"""The comment above `launch` that says why it has the defaults that it has."""
INDUCTORS = re.compile(r"(?:\w+_)?(?:[XYZR]|R\d_)BLOCK(?:_\d+)?")
"""Blocks of a kernel that stands as Inductor wrote it: it may lack a mask, so a block must go on dividing what it divides."""
KINDS = ("BLOCK", "num_warps", "num_stages")
SCRATCH = ("torch.zeros", "torch.empty")
"""How a launcher makes the memory in which its programs meet: as much as its blocks need."""


@dataclass(frozen=True)
class Stated:
    """What `launch` says."""

    present: Mapping[str, int]
    """Blocks, warps and stages -> their defaults."""
    fixed: frozenset[str]
    """Those that must stay: the launcher's workspace is made for them."""
    shrinking: frozenset[str]
    """Those that can only become smaller."""
    apart: tuple[frozenset[str], ...] = ()
    """The same names, those of one kernel together: what is best for one says nothing of another."""

    @property
    def parts(self) -> Iterator[Stated]:
        """One for each kernel: the settings of all others are fixed."""
        for own in self.apart or (frozenset(self.present),):
            yield replace(self, fixed=self.fixed | (self.present.keys() - own), apart=())


def stated(text: str, name: str = "the file", launcher: str = "launch") -> Stated:
    """The configuration of a file's `launch`, or of another launcher in it.

    Raises:
        LabError: it is no Python, is for CUDA C++, has no such launcher, or that chooses nothing.
    """
    if launcher == "launch" and (made := how_made(text)) is not None and made.language == "cuda":
        raise LabError(
            f"{name} launches CUDA C++, and tune sweeps the blocks, warps and stages of Triton alone: change the numbers in its .cu file, then "
            f"`inductor-lab diff {name}` tells what they are worth."
        )
    launch = _launch(text, name, launcher)
    present = {
        parameter: node.value
        for parameter, node in _defaults(launch).items()
        if kind_of(parameter) and isinstance(node, ast.Constant) and type(node.value) is int and node.value > 0
    }
    if not present:
        raise LabError(
            f"There is nothing to tune in {name}: its `{launcher}` has no parameter such as BLOCK=1024 or num_warps=4."
        )
    blocks = frozenset(parameter for parameter in present if kind_of(parameter) == "BLOCK")
    users = _users(text, launch, present)
    return Stated(
        present,
        frozenset(block for block in blocks if any(map(_makes_scratch, users[block]))),
        frozenset(parameter for parameter in blocks if INDUCTORS.fullmatch(parameter)),
        tuple(_together(launch, present)),
    )


def kind_of(name: str) -> str:
    """`BLOCK`, `num_warps` or `num_stages`, which a launcher's keyword sets; a span's also names the kernel, `add_BLOCK`, `num_warps_1`; else empty."""
    return next((kind for kind in KINDS if kind in name), "")


def rewritten(text: str, settings: Mapping[str, int], evidence: str = "") -> str:
    """The text with other defaults and what speaks for them above `launch`; all else is untouched."""
    text = EVIDENCE.sub("", text)
    launch = _launch(text, "the file")
    lines = text.encode().split(b"\n")  # ast counts bytes
    places = {name: node for name, node in _defaults(launch).items() if name in settings}
    for name, node in sorted(places.items(), key=lambda place: (place[1].lineno, place[1].col_offset), reverse=True):
        if node.lineno != node.end_lineno:
            raise LabError(f"The default of {name} in `launch` is longer than a line; write a number there.")
        line = lines[node.lineno - 1]
        lines[node.lineno - 1] = line[: node.col_offset] + str(settings[name]).encode() + line[node.end_col_offset :]
    if evidence:
        lines.insert(launch.lineno - 1, _comment(evidence).encode())  # below its decorators: EVIDENCE finds it there
    return b"\n".join(lines).decode()


def identity(text: str) -> str:
    """A hash of what is tuned: the file less its present configuration, and less what speaks for that."""
    names = stated(text).present
    return hashlib.sha256(unpacked(rewritten(text, dict.fromkeys(names, 1))).encode()).hexdigest()


def told(settings: Mapping[str, int]) -> str:
    """`BLOCK=1024, num_warps=4`."""
    return ", ".join(f"{name}={value}" for name, value in settings.items())


def _calls(launch: ast.FunctionDef, names: Collection[str]) -> Iterator[tuple[str, frozenset[str]]]:
    """Each call in a launcher: what is called, and the settings that it is given."""
    for call in ast.walk(launch):
        if isinstance(call, ast.Call):
            given = [node for part in (*call.args, *call.keywords) for node in ast.walk(part)]
            yield (
                ast.unparse(call.func),
                frozenset(node.id for node in given if isinstance(node, ast.Name) and node.id in names),
            )


def _users(text: str, launch: ast.FunctionDef, names: Collection[str]) -> Mapping[str, list[ast.FunctionDef]]:
    """Setting -> the launcher of the one kernel that it is passed on to, in a span's file; else `launch` itself."""
    functions = {node.name: node for node in ast.parse(text).body if isinstance(node, ast.FunctionDef)}
    users: dict[str, list[ast.FunctionDef]] = {name: [] for name in names}
    for called, given in _calls(launch, names):
        for name in given if called in functions and called.startswith("launch_") else ():
            users[name].append(functions[called])
    return {name: several or [launch] for name, several in users.items()}


def _together(launch: ast.FunctionDef, names: Collection[str]) -> list[frozenset[str]]:
    """The settings that one call is given, directly or by way of another, in the order of the parameters; last those that none is given."""
    met = [given for _, given in _calls(launch, names) if given]
    groups: dict[frozenset[str], None] = {}
    for name in names:
        own: frozenset[str] = frozenset()
        further = frozenset({name})
        while further != own:
            own, further = further, further.union(*(given for given in met if given & further))
        if any(name in given for given in met):
            groups[own] = None
    return [*groups, *filter(None, [frozenset(names).difference(*groups)])]


def _makes_scratch(launcher: ast.FunctionDef) -> bool:
    return any(isinstance(node, ast.Call) and ast.unparse(node.func) in SCRATCH for node in ast.walk(launcher))


def _launch(text: str, name: str, launcher: str = "launch") -> ast.FunctionDef:
    try:
        tree = ast.parse(text)
    except (SyntaxError, ValueError) as error:
        raise LabError(f"{name} can not be read: {error}") from error
    for node in tree.body:
        if isinstance(node, ast.FunctionDef) and node.name == launcher:
            return node
    raise LabError(f"{name} is no ejected file: it has no `{launcher}`; `inductor-lab eject` makes one.")


def _defaults(launch: ast.FunctionDef) -> dict[str, ast.expr]:
    given = launch.args
    plain = [argument.arg for argument in (*given.posonlyargs, *given.args)]
    found = dict(zip(plain[len(plain) - len(given.defaults) :], given.defaults, strict=True))
    named = zip(given.kwonlyargs, given.kw_defaults, strict=True)
    return found | {argument.arg: node for argument, node in named if node is not None}


def _comment(evidence: str) -> str:
    """Lines of a comment, no longer than a page is wide."""
    lines, line = [], "# Tuned:"
    for word in evidence.split():
        if len(line) + 1 + len(word) > 118:
            lines.append(line)
            line = "#    "
        line += f" {word}"
    return "\n".join([*lines, line])


BLOCKS = WARPS = (-2, -1, 0, 1, 2)
"""Powers of two by which each is multiplied."""
STAGES = (-1, 0, 1)
MOST_WARPS = 32


def around(stated: Stated) -> list[dict[str, int]]:
    """Every configuration, the present one first and those that differ least from it next."""
    names = list(stated.present)
    found = [dict(zip(names, values, strict=True)) for values in product(*(_values(stated, name) for name in names))]
    return sorted(found, key=lambda settings: distance(settings, stated.present))


def distance(settings: Mapping[str, int], present: Mapping[str, int]) -> float:
    """How far two configurations are apart, in powers of two."""
    return sum(abs(log2(settings[name] / value)) for name, value in present.items())


def _values(stated: Stated, name: str) -> Iterator[int]:
    value = stated.present[name]
    if name in stated.fixed:
        yield value
    elif kind_of(name) == "num_stages":
        yield from (value + step for step in STAGES if value + step >= 1)
    elif kind_of(name) == "num_warps":
        yield from (warps for warps in _scaled(value, WARPS) if warps <= MOST_WARPS)
    else:
        yield from (block for block in _scaled(value, BLOCKS) if block <= value or name not in stated.shrinking)


def _scaled(value: int, powers: tuple[int, ...]) -> Iterator[int]:
    """The value times each power of two, where that is a whole number."""
    yield from (int(value * 2.0**power) for power in powers if value * 2.0**power >= 1 and value * 2.0**power % 1 == 0)
