"""Lines of an ejected file that are too long for a screen, broken as a person would: inside a bracket, one part a line where they are many.

    x = tl.load(x_ptr + (column + row * COLUMNS), inside_r & inside, other=0.0, eviction_policy="evict_first")

    x = tl.load(
        x_ptr + (column + row * COLUMNS), inside_r & inside, other=0.0, eviction_policy="evict_first"
    )

It works on the text of single lines: what it does not know how to break stays as it is.
"""

from __future__ import annotations

import io
import itertools
import re
import textwrap
import tokenize
from dataclasses import dataclass

WIDTH = 120
OPEN, CLOSE = "([{", ")]}"
PRECEDENCE = (
    ("if", "else"), ("or",), ("and",), ("==", "!=", "<", "<=", ">", ">="), ("|",), ("^",), ("&",), ("+", "-"), ("*", "/", "//", "%", "@"),
)  # fmt: skip
"""Operators at which an expression is broken, those that bind least first."""
STATEMENT = re.compile(r"(return |assert |[\w.]+(?:, ?[\w.]+)*,? = )")
"""What stands before an expression that may be put into brackets."""


def wrapped(text: str, inside: int = 0) -> str:
    """The text with every line that is too long broken; the others as they are.

    Args:
        inside: How far it will be indented.
    """
    around = " " * inside
    return "\n".join(part[inside:] for line in text.split("\n") for part in _line(around + line))


def paragraph(text: str, hang: int = 0) -> str:
    """A sentence of a docstring on as many lines as it needs.

    Args:
        hang: How far the lines after the first are indented.
    """
    lines = textwrap.wrap(
        text, WIDTH, subsequent_indent=" " * hang, break_long_words=False, break_on_hyphens=False, drop_whitespace=True
    )
    return "\n".join(lines) if len(text) > WIDTH else text


@dataclass(frozen=True)
class _Token:
    text: str
    start: int
    end: int
    depth: int
    """How many brackets are open around it; of a bracket itself, around the pair."""


def _line(line: str) -> list[str]:
    if len(line) <= WIDTH:
        return [line]
    indent = line[: len(line) - len(line.lstrip())]
    code = line[len(indent) :]
    if code.startswith('"""') and code.endswith('"""') and len(code) > 6:
        told = textwrap.wrap(code[:-3], WIDTH - len(indent), break_long_words=False, break_on_hyphens=False)
        return [indent + part for part in (*told, '"""')]
    if code.startswith("# "):
        return _comment(code[2:], indent)
    tokens = _tokens(code)
    if tokens is None:
        return [line]
    comment = tokens[-1].text if tokens and tokens[-1].text.startswith("#") else ""
    if comment:
        code, tokens = code[: tokens[-1].start].rstrip(), tokens[:-1]
    above = _comment(comment[2:], indent) if comment else []
    return above + _broken(code, indent)


def _comment(text: str, indent: str) -> list[str]:
    return textwrap.wrap(
        text, WIDTH, initial_indent=f"{indent}# ", subsequent_indent=f"{indent}# ", break_long_words=False, break_on_hyphens=False
    )  # fmt: skip


def _tokens(code: str) -> list[_Token] | None:
    """The words of one line; None where it does not stand alone."""
    found, depth = [], 0
    try:
        for token in tokenize.generate_tokens(io.StringIO(code).readline):
            if token.type in {tokenize.NEWLINE, tokenize.NL, tokenize.ENDMARKER, tokenize.INDENT, tokenize.DEDENT}:
                continue
            depth -= token.string in CLOSE
            found.append(_Token(token.string, token.start[1], token.end[1], depth))
            depth += token.string in OPEN
    except (tokenize.TokenError, SyntaxError):
        opened = [t for t in found if t.text in OPEN]
        if found and found[-1].text.startswith("#") and opened:  # the first line of a table, and what is said of it
            return found
        return None
    return found if not depth else None


def _broken(code: str, indent: str, behind: int = 0) -> list[str]:
    """One line of code, without a comment, as several.

    Args:
        behind: Characters that come after it.
    """
    tokens = _tokens(code) if len(indent) + len(code) + behind > WIDTH else None
    if tokens is None:
        return [indent + code]
    group = _longest(tokens, len(code))
    if group is None:
        return _bracketed(code, indent) or [indent + code]
    first, last = group
    head, body, tail = code[: first.end], code[first.end : last.start].strip(), code[last.start :]
    inner = indent + "    "
    if len(inner) + len(body) <= WIDTH and not body.endswith(",") and not code.startswith("def "):
        return [indent + head, inner + body, indent + tail]
    return [indent + head, *_parts(body, inner), indent + tail]


def _longest(tokens: list[_Token], length: int) -> tuple[_Token, _Token] | None:
    """The outermost pair of brackets that holds most of the line; None where several share it."""
    pairs: list[tuple[_Token, _Token]] = []
    for token in tokens:
        if token.depth == 0 and token.text in OPEN:
            pairs.append((token, token))
        elif token.depth == 0 and token.text in CLOSE and pairs:
            pairs[-1] = (pairs[-1][0], token)
    best = max(pairs, key=lambda pair: pair[1].start - pair[0].start, default=None)
    if best is None or 2 * (best[1].start - best[0].start) < length:
        return None
    return best


def _bracketed(code: str, indent: str) -> list[str]:
    """An expression that no bracket holds, in one of its own; nothing where the line is none."""
    start = STATEMENT.match(code)
    if start is None:
        return []
    parts = _parts(code[start.end() :], indent + "    ")
    lines = [f"{indent}{start[1]}(", *parts, f"{indent})"]
    return lines if len(parts) > 1 or all(len(line) <= WIDTH for line in lines) else []


def _parts(body: str, indent: str) -> list[str]:
    """What stands between brackets: by its commas, else by the operators that bind least, one part a line."""
    tokens = list(_tokens(f"({body})") or ())[1:-1]
    commas = [token.start - 1 for token in tokens if token.depth == 1 and token.text == ","]
    if any(token.depth == 1 and token.text in {"for", "lambda"} for token in tokens):  # its commas separate no parts
        return [indent + body]
    if commas:
        parts = [body[a:b].strip() for a, b in zip((0, *(c + 1 for c in commas)), (*commas, len(body)), strict=True)]
        lines: list[str] = []
        for part in filter(None, parts):
            *before, last = _broken(part, indent, 1)
            lines += [*before, last if part.startswith("**") and len(parts) == 1 else f"{last},"]
        return lines
    if len(indent) + len(body) <= WIDTH:
        return [indent + body]
    for operators in PRECEDENCE:
        cuts = [
            token.start - 1
            for before, token in itertools.pairwise(tokens)
            if token.depth == 1 and token.text in operators and (before.text in CLOSE or _is_operand(before.text))
        ]
        if cuts:
            parts = [body[a:b].strip() for a, b in zip((0, *cuts), (*cuts, len(body)), strict=True)]
            return [line for part in parts for line in _broken(part, indent)]
    return _broken(body, indent)


def _is_operand(text: str) -> bool:
    return text[-1].isalnum() or text[-1] in "_\"'"
