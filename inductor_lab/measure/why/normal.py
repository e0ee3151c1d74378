"""Normalises a kernel's code so that two can be compared: names that the compiler or a person chose freely are set apart. Pure.

Left out: comments, docstrings, locations and debug information, directives, addresses, what pads the code, the name of the kernel.
Set apart as names, which are alike where each stands for one and the same of the other side: variables and parameters, SSA values, PTX's
registers, labels, layouts, and the places of parameters in constant memory.
Made alike: SASS' registers, predicates and barriers (which of them is taken is the assembler's choice), where a call returns to, and the line
number that a failing assertion reports.
Everything else must be equal: operations, their order, types, constants, blocks, cache hints.
"""

from __future__ import annotations

import ast
import re
from collections.abc import Callable, Iterable
from dataclasses import dataclass, replace
from textwrap import dedent

from inductor_lab.machine.instructions import executed

HOLE = "\0"


@dataclass(frozen=True)
class Line:
    """One line that counts."""

    shown: str
    """As it is read in a diff."""
    skeleton: str
    """The same with a hole for each name."""
    names: tuple[str, ...] = ()
    assigned: int = 0
    """How many of the names, from the first on, get a new value here."""
    at: int = 0
    """Which line of the text it is, from 1; 0 where it was spelled anew."""


def lines(stage: str, text: str, kernel: str, asserting: Iterable[int] = ()) -> list[Line]:
    """The lines of a kernel's `source`, `ttir`, `ttgir`, `llir`, `ptx`, `sass` or `amdgcn`.

    Args:
        asserting: The lines of the file that assert something; `asserted` reads them from TTGIR.
    """
    if stage == "source":
        return _cuda(text) if "__global__" in text else _python(text)
    if stage in ("ttir", "ttgir"):
        return _triton(text, kernel)
    if stage == "llir":
        return _llvm(text, kernel, frozenset(asserting))
    if stage == "ptx":
        return _ptx(text, frozenset(asserting))
    return _gcn(text, kernel) if "amdgcn" in text else _sass(text, kernel, frozenset(asserting))


def asserted(ttgir: str) -> frozenset[int]:
    """The lines of the file whose assertions stand in the code."""
    places = dict(re.findall(r'^(#loc\d*) = loc\("[^"]*":(\d+):', ttgir, re.MULTILINE))
    named = dict(re.findall(r'^(#loc\d*) = loc\("[^"]*"\((#loc\d*)\)\)', ttgir, re.MULTILINE))
    used = re.findall(r"tt\.assert .*loc\((#loc\d*)\)", ttgir)
    return frozenset(int(places[place]) for place in (named.get(one, one) for one in used) if place in places)


def named(
    shown: str, pattern: re.Pattern[str], assigns: str = "", kind: Callable[[str], str] = lambda _: "", at: int = 0
) -> Line:
    """A line whose names are what matches; those before `assigns` get a new value."""
    skeleton = pattern.sub(lambda found: HOLE + kind(found[0]), shown)
    before = shown.partition(assigns)[0] if assigns and assigns in shown else ""
    return Line(shown, skeleton, tuple(pattern.findall(shown)), len(pattern.findall(before)), at)


# ---------------------------------------------------------------- source


def _python(text: str) -> list[Line]:
    """A Triton function: its parameters and local variables are names."""
    (function, *_) = (node for node in ast.walk(ast.parse(dedent(text))) if isinstance(node, ast.FunctionDef))
    if isinstance(function.body[0], ast.Expr) and isinstance(function.body[0].value, ast.Constant):
        function.body = function.body[1:] or [ast.Pass()]
    local = {one.arg for one in ast.walk(function.args) if isinstance(one, ast.arg)}
    local |= {one.id for one in ast.walk(function) if isinstance(one, ast.Name) and isinstance(one.ctx, ast.Store)}
    names = _words(local)
    parameters = [Line(f"    {ast.unparse(one)}", "    " + _of_type(one), (one.arg,), 1) for one in function.args.args]
    shown = [line for part in function.body for line in ast.unparse(part).splitlines()]
    return parameters + [named(f"    {line}", names, " = ") for line in shown]


def _words(names: Iterable[str]) -> re.Pattern[str]:
    """Any of these as a word that is no keyword of a call."""
    return re.compile(
        rf"(?<![\w.])(?:{'|'.join(sorted(map(re.escape, names), key=len, reverse=True)) or HOLE})(?!\w|=)"
    )


def body(text: str, arguments: Iterable[str]) -> list[Line]:
    """The lines of a captured kernel's body as they are written; what is no Python has no names."""
    try:
        nodes = list(ast.walk(ast.parse(dedent(text))))
    except (SyntaxError, ValueError, RecursionError, MemoryError):
        nodes = []
    stored = {node.id for node in nodes if isinstance(node, ast.Name) and isinstance(node.ctx, ast.Store)}
    names = _words({*stored, *arguments})
    return [named(line, names, " = ", at=at) for at, line in _numbered(text) if line.strip()]


def _numbered(text: str, first: int = 1) -> Iterable[tuple[int, str]]:
    return enumerate((line.rstrip() for line in text.splitlines()), first)


def _of_type(parameter: ast.arg) -> str:
    return HOLE + (f": {ast.unparse(parameter.annotation)}" if parameter.annotation else "")


def _cuda(text: str) -> list[Line]:
    """CUDA C++, whose names are not told from its words: it is read as it stands, less comments."""
    plain = re.sub(r"//[^\n]*|/\*.*?\*/", "", text, flags=re.DOTALL)
    return [Line(line.rstrip(), line.rstrip()) for line in plain.splitlines() if line.strip()]


# ---------------------------------------------------------------- Triton's and LLVM's representations

LOCATION = re.compile(r"\s*loc\((?:[^()]|\((?:[^()]|\([^()]*\))*\))*\)")
TTGIR_NAME = re.compile(r"%[\w#]+|#(?:blocked|shared|mma|linear|smem|slice)\w*")


def _triton(text: str, kernel: str) -> list[Line]:
    def kind(name: str) -> str:
        return re.sub(r"\d+$", "", name) if name[0] == "#" else "%"

    kept = [(at, LOCATION.sub("", line).rstrip()) for at, line in _numbered(text) if not line.startswith("#loc")]
    kept = [(at, line.replace(f"@{kernel}(", "@kernel(")) for at, line in kept if line.strip()]
    return [named(line, TTGIR_NAME, " = ", kind, at) for at, line in kept]


LLVM_NAME = re.compile(r"%[\w.$-]+|^[\w.$-]+(?=:)")
LLVM_NOISE = re.compile(r'("[^"]*")|,? ?![a-z]+ !\d+| #\d+|;.*')


def _llvm(text: str, kernel: str, asserting: frozenset[int]) -> list[Line]:
    """What stands between a function's braces, and the head before them."""
    found = []
    for function in re.finditer(r"^define .*?^}", text, re.MULTILINE | re.DOTALL):
        for at, line in _numbered(function[0].replace(f"@{kernel}(", "@kernel("), _at(text, function.start())):
            shown = _reported(
                LLVM_NOISE.sub(lambda found: found[1] or "", line).rstrip(), r"@assertFile_\d+, i32 ", asserting, str
            )
            if shown:
                found.append(named(shown, LLVM_NAME, " = ", lambda _: "%", at))
    return found


def _at(text: str, position: int) -> int:
    """The number of the line there, from 1."""
    return text.count("\n", 0, position) + 1


# ---------------------------------------------------------------- PTX

PTX_NUMBER = r"mov\.[bu]32 %r\d+, |st\.param\.b32 \[param\d+\], "
PTX_NAME = re.compile(r"%(?:rd|rs|rh|rq|f|fd|p|r|b)\d+\b|\$\w+|\b\w+_param_\d+\b|\bparam\d+\b|\bassert\w+_\d+\b")


def _ptx(text: str, asserting: frozenset[int]) -> list[Line]:
    """What stands between an entry's braces."""
    found = []
    for entry in re.finditer(r"^\.visible \.entry .*?^\{\n(.*?)^\}", text, re.MULTILINE | re.DOTALL):
        inside = re.sub(r"//[^\n]*", "", entry[1])
        for at, line in _numbered(inside, _at(text, entry.start(1))):
            shown = " ".join(line.split())
            label = re.fullmatch(r"\$\w+:", shown)
            unused = label is not None and inside.count(shown[:-1]) == 1
            if shown and not unused and not re.match(r"\.(?:loc|reg|file|section|pragma)\b", shown):
                found.append(named(_reported(shown, PTX_NUMBER, asserting, str), PTX_NAME, "", _class, at))
    return found


def _class(name: str) -> str:
    """`%rd` of `%rd12`: registers of one type are alike."""
    return re.sub(r"\d+$", "", name) if name[0] == "%" else ""


def _reported(line: str, move: str, asserting: frozenset[int], spelled: Callable[[int], str]) -> str:
    """A line that moves the number of an asserting line into a register: that it is one, not which."""
    numbers = "|".join(spelled(number) for number in asserting)
    return re.sub(rf"({move})(?:{numbers})\b", r"\1LINE", line) if numbers else line


# ---------------------------------------------------------------- machine code

SASS_LINE = re.compile(r"^\s*/\*[0-9a-f]{4,}\*/\s+(.*?)\s*;?\s*$")
SASS_LABEL = re.compile(r"^\s*(\.L_\w+):")
SASS_NAME = re.compile(r"\.L_\w+|c\[0x0\]\[0x[0-9a-f]+\]")
REGISTERS = re.compile(r"\b(UR|UP|R|P|B|SB)\d+\b(?:\.reuse\b)?")


def _sass(text: str, kernel: str, asserting: frozenset[int]) -> list[Line]:
    shown: list[tuple[int, str]] = []
    for at, line in _numbered(executed(text)):
        label, found = SASS_LABEL.match(line), SASS_LINE.match(line)
        if label is not None and text.count(f"({label[1]})") and not re.search(rf"BRA `\({label[1]}\)", line):
            shown.append((at, f"{label[1]}:"))
        elif found is not None and not found[1].startswith("NOP"):
            shown.append((at, found[1].replace(f"({kernel})", "(kernel)")))
    ready = []
    for position, (at, line) in enumerate(shown):
        following = shown[position + 1][1] if position + 1 < len(shown) else ""
        if "CALL.REL" in following:  # where it returns to
            line = re.sub(r"^(MOV R\d+, )0x[0-9a-f]+", r"\1RETURN", line)
        line = _reported(line, r"\bR\d+, (?:RZ, RZ, )?", asserting, hex) if "MOV" in line else line
        ready.append(named(line, SASS_NAME, at=at))
    return [replace(line, skeleton=REGISTERS.sub(r"\1", line.skeleton)) for line in ready]


def _gcn(text: str, kernel: str) -> list[Line]:
    kept: list[Line] = []
    for at, line in _numbered(text):
        shown = line.partition(";")[0].strip().replace(kernel, "kernel")
        if shown.startswith(".section") and kept:
            break
        if shown and not shown.startswith(".") and shown != "kernel:":
            kept.append(Line(shown, re.sub(r"\b([vsa])(?:\d+|\[\d+:\d+\])", r"\1", shown), at=at))
    return kept
