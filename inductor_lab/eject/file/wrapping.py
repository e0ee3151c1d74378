"""Breaks an ejected file's long lines as a person would: inside a bracket, one part a line where there are many.

    x = tl.load(x_ptr + (column + row * COLUMNS), inside_r & inside, other=0.0, eviction_policy="evict_first")

    x = tl.load(
        x_ptr + (column + row * COLUMNS), inside_r & inside, other=0.0, eviction_policy="evict_first"
    )

It works on the text of single lines: what it does not know how to break stays as it is.
"""

from __future__ import annotations

import io
import itertools
import textwrap
import tokenize
from bisect import bisect_left
from dataclasses import dataclass

WIDTH = 120
OPEN, CLOSE = "([{", ")]}"
PRECEDENCE = (
    ("if", "else"), ("or",), ("and",), ("==", "!=", "<", "<=", ">", ">="), ("|",), ("^",), ("&",), ("+", "-"), ("*", "/", "//", "%", "@"),
)  # fmt: skip
"""Operators at which an expression is broken, those that bind least first."""
STATEMENT = ("return", "assert", "=")
"""What an expression follows that may be put into brackets."""


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


@dataclass(frozen=True)
class _Code:
    """A piece of a line, by its place in it: the line is taken apart into tokens once, however often it is broken."""

    line: str
    all_tokens: list[_Token]
    start: int
    end: int

    @property
    def text(self) -> str:
        return self.line[self.start : self.end]

    @property
    def tokens(self) -> list[_Token]:
        first = bisect_left(self.all_tokens, self.start, key=lambda token: token.start)
        return self.all_tokens[first : bisect_left(self.all_tokens, self.end, key=lambda token: token.start)]

    @property
    def outer(self) -> list[_Token]:
        """Those that no bracket of the piece is around."""
        depth = min((token.depth for token in self.tokens), default=0)
        return [token for token in self.tokens if token.depth == depth]

    def piece(self, start: int, end: int) -> _Code:
        """From one place of the line to another, without the blanks around it."""
        text = self.line[start:end]
        start += len(text) - len(text.lstrip())
        return _Code(self.line, self.all_tokens, start, start + len(text.strip()))


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
    if sum(token.text in OPEN for token in tokens) != sum(token.text in CLOSE for token in tokens):
        return [*above, indent + code]
    return above + _broken(_Code(code, tokens, 0, len(code)), indent)


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


def _broken(code: _Code, indent: str, behind: int = 0) -> list[str]:
    """One line of code, without a comment, as several.

    Args:
        behind: Characters that come after it.
    """
    text = code.text
    if len(indent) + len(text) + behind <= WIDTH:
        return [indent + text]
    group = _longest(code)
    if group is None:
        return _bracketed(code, indent) or [indent + text]
    first, last = group
    head, tail = code.line[code.start : first.end], code.line[last.start : code.end]
    body = code.piece(first.end, last.start)
    inner = indent + "    "
    if len(inner) + len(body.text) <= WIDTH and not body.text.endswith(",") and not text.startswith("def "):
        return [indent + head, inner + body.text, indent + tail]
    return [indent + head, *_parts(body, inner), indent + tail]


def _longest(code: _Code) -> tuple[_Token, _Token] | None:
    """The outermost pair of brackets that holds most of the line; None where several share it."""
    pairs: list[tuple[_Token, _Token]] = []
    for token in code.outer:
        if token.text in OPEN:
            pairs.append((token, token))
        elif token.text in CLOSE and pairs:
            pairs[-1] = (pairs[-1][0], token)
    best = max(pairs, key=lambda pair: pair[1].start - pair[0].start, default=None)
    if best is None or 2 * (best[1].start - best[0].start) < code.end - code.start:
        return None
    return best


def _bracketed(code: _Code, indent: str) -> list[str]:
    """An expression that no bracket holds, in one of its own; nothing where the line is none."""
    outer = [token for token in code.tokens if token.depth == 0]
    word = next((token for token in outer if token.text in STATEMENT), None)
    if word is None:
        return []
    end = code.end
    if word.text == "assert":  # a condition and its message in one bracket are a tuple, which is always true
        end = next((token.start for token in outer if token.text == ","), end)
    parts = _parts(code.piece(word.end, end), indent + "    ")
    lines = [f"{indent}{code.line[code.start : word.end]} (", *parts, f"{indent}){code.line[end : code.end]}"]
    return lines if len(parts) > 1 or all(len(line) <= WIDTH for line in lines) else []


def _parts(body: _Code, indent: str) -> list[str]:
    """What stands between brackets: by its commas, else by the operators that bind least, one part a line."""
    outer = body.outer
    commas = [token.start for token in outer if token.text == ","]
    if any(token.text in {"for", "lambda"} for token in outer):  # its commas separate no parts
        return [indent + body.text]
    if commas:
        ends = zip((body.start, *(comma + 1 for comma in commas)), (*commas, body.end), strict=True)
        parts = [body.piece(start, end) for start, end in ends]
        lines: list[str] = []
        for part in parts:
            if part.text:
                *before, last = _broken(part, indent, 1)
                lines += [*before, last if part.text.startswith("**") and len(parts) == 1 else f"{last},"]
        return lines
    if len(indent) + len(body.text) <= WIDTH:
        return [indent + body.text]
    for operators in PRECEDENCE:
        cuts = [
            token.start
            for before, token in itertools.pairwise(outer)
            if token.text in operators and (before.text in CLOSE or _is_operand(before.text))
        ]
        if cuts:
            ends = zip((body.start, *cuts), (*cuts, body.end), strict=True)
            return [line for start, end in ends for line in _broken(body.piece(start, end), indent)]
    return _broken(body, indent)


def _is_operand(text: str) -> bool:
    return text[-1].isalnum() or text[-1] in "_\"'"
