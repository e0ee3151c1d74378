"""Python's text as a syntax tree, whatever is wrong with the text; and the tree walked: `ast.walk` in half its time, with a bound on the height.

Parsing is the one step whose cost a text can choose: an expression nested thousands deep takes all of the parser's stack, and a text that
is broken in a string has to be tried at many places. Both have a bound here. What was cut off, changed or made to hurt is left out, and said.
"""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator

TALLEST = 150
"""Levels of a syntax tree: what works on it later may recurse, and Python's stack is a thousand calls."""
TOO_DEEP = "its expressions are nested too deeply"
_LEAVES = frozenset({ast.Name, ast.Constant, ast.Pass})


def parse(text: str) -> ast.Module:
    """The tree of a text that may be anyone's.

    Raises:
        SyntaxError: it is no Python.
        ValueError: it is nested so deeply that no parser can stand it.
    """
    try:
        return ast.parse(text)
    except (RecursionError, MemoryError):
        raise ValueError(TOO_DEEP) from None


def walk(root: ast.AST) -> list[ast.AST]:
    """The node and all below it, level by level; without the contexts and operators, which have nothing below them.

    Raises:
        ValueError: there are more than `TALLEST` levels.
    """
    found, level = [root], [root]
    for _ in range(TALLEST):
        below: list[ast.AST] = []
        for node in level:
            if node.__class__ not in _LEAVES:
                for name in node._fields:
                    value = getattr(node, name, None)
                    if value.__class__ is list:
                        below += [child for child in value if isinstance(child, ast.AST)]
                    elif isinstance(value, ast.AST) and value._fields:
                        below.append(value)
        if not below:
            return found
        found += below
        level = below
    raise ValueError(TOO_DEEP)


def statements(block: list[ast.stmt]) -> Iterator[ast.stmt]:
    """Every statement of a block and of the blocks inside it, as they stand."""
    for statement in block:
        yield statement
        for inner in blocks(statement).values():
            yield from statements(inner)


def blocks(statement: ast.AST) -> dict[str, list[ast.stmt]]:
    """The blocks inside a statement, by the name of their field."""
    found = {name: getattr(statement, name, None) for name in ("body", "orelse", "finalbody")}
    return {name: block for name, block in found.items() if isinstance(block, list) and block}


def expressions(statement: ast.stmt) -> Iterator[ast.AST]:
    """The nodes of a statement without those of the statements inside it."""
    for name in statement._fields:
        value = getattr(statement, name, None)
        for child in value if isinstance(value, list) else (value,):
            if isinstance(child, ast.AST) and child._fields and not isinstance(child, ast.stmt):
                yield from walk(child)


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


def parse_prefix(text: str) -> tuple[ast.Module, Problems, str]:
    """The longest beginning of the text, up to the end of a statement, that is Python, as a tree; and what was wrong with the rest.

    Last comes what Python's parser said of the whole, `invalid syntax in line 3`; nothing where it is Python.

    Raises:
        ValueError: it has more code than any wrapper, or is nested too deeply.
    """
    if len(text) > MOST_CODE and _STRING.sub("", text).count("\n") > MOST_CODE:
        raise ValueError(f"it has more than {MOST_CODE} lines outside its kernels")
    try:
        return parse(text), [], ""
    except SyntaxError as error:
        lines, end, told = text.split("\n"), (error.lineno or 1) - 1, error.msg
        broken = f"{error.msg} in line {error.lineno}"
    for _ in range(TRIES):
        while end > 0 and not _starts_statement(lines, end):
            end -= 1
        if end <= 0:
            break
        try:
            return parse("\n".join(lines[:end])), [(end + 1, _told(told, end + 1))], broken
        except SyntaxError as error:  # often a string that began earlier: the error says where
            end = min(end - 1, (error.lineno or end) - 1)
    return ast.Module([], []), [(1, _told(told, 1))], broken


def _starts_statement(lines: list[str], index: int) -> bool:
    return index >= len(lines) or (bool(lines[index]) and not lines[index][0].isspace())


def _told(reason: str, line: int) -> str:
    return f"the module is not whole: {reason}; what stands before line {line} was read"
