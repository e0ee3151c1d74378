"""Error recovery for the parser: as much of a module as is Python. What was cut off, changed or made to hurt is left out, and said.

Parsing is the one step whose cost a text can choose: an expression nested thousands deep takes all of the parser's stack, and a text that
is broken in a string has to be tried at many places. Both have a bound here.
"""

from __future__ import annotations

import ast
import re

from inductor_lab.read.syntax import parse

DEEPEST = 60
"""Brackets inside brackets. Indices that Inductor writes reach some twenty."""
LONGEST_TERM = 600, 150
"""Characters without a comma or a bracket, and the operators among them, that together no term of Inductor's has."""
MOST_CODE = 100_000
"""Lines outside the kernels' texts: a syntax tree takes some 2 kB for each. Wrappers have some twenty for each kernel."""
TRIES = 20
"""Places at which a broken module is tried to be cut."""
_STRING = re.compile(r"'''.*?'''", re.DOTALL)
_BRACKETS = re.compile(r"[(\[{]|[)\]}]")
_SEPARATOR = re.compile(r"[,()\[\]{}]")
_OPERATOR = re.compile(r"[-+*/.~%|&^=<>:]|\b(?:not|and|or|if|await)\b")

Problems = list[tuple[int, str]]


def blank_hostile_lines(text: str) -> tuple[str, Problems]:
    """The text with every line emptied that nests deeper than any that Inductor writes, and where those stood."""
    lines = text.split("\n")
    hostile = [number for number, line in enumerate(lines, 1) if len(line) > DEEPEST and _hostile(line)]
    if not hostile:
        return text, []
    problems = [
        (n, f"a line of {len(lines[n - 1])} characters that is no code of Inductor's was left out") for n in hostile
    ]
    for number in hostile:
        lines[number - 1] = ""
    return "\n".join(lines), problems


def _hostile(line: str) -> bool:
    if line.count("(") + line.count("[") + line.count("{") > DEEPEST and _depth(line) > DEEPEST:
        return True
    length, operators = LONGEST_TERM
    if len(line) < length or line.lstrip().startswith("#"):
        return False
    return any(len(term) >= length and len(_OPERATOR.findall(term)) > operators for term in _SEPARATOR.split(line))


def _depth(line: str) -> int:
    depth = deepest = 0
    for bracket in _BRACKETS.findall(line):
        depth += 1 if bracket in "([{" else -1
        deepest = max(deepest, depth)
    return deepest


def parse_prefix(text: str) -> tuple[ast.Module, Problems]:
    """The longest beginning of the text, up to the end of a statement, that is Python, as a tree; and what was wrong with the rest.

    Raises:
        ValueError: it has more code than any wrapper, or is nested too deeply.
    """
    if len(text) > MOST_CODE and _STRING.sub("", text).count("\n") > MOST_CODE:
        raise ValueError(f"it has more than {MOST_CODE} lines outside its kernels")
    try:
        return parse(text), []
    except SyntaxError as error:
        lines, end, told = text.split("\n"), (error.lineno or 1) - 1, error.msg
    for _ in range(TRIES):
        while end > 0 and not _starts_statement(lines, end):
            end -= 1
        if end <= 0:
            break
        try:
            return parse("\n".join(lines[:end])), [(end + 1, _told(told, end + 1))]
        except SyntaxError as error:  # often a string that began earlier: the error says where
            end = min(end - 1, (error.lineno or end) - 1)
    return ast.Module([], []), [(1, _told(told, 1))]


def _starts_statement(lines: list[str], index: int) -> bool:
    return index >= len(lines) or (bool(lines[index]) and not lines[index][0].isspace())


def _told(reason: str, line: int) -> str:
    return f"the module is not whole: {reason}; what stands before line {line} was read"
