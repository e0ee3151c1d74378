"""A body that is launched no more: which kernel of the model is most like it, and where they differ first."""

from __future__ import annotations

import ast
import textwrap
from collections.abc import Iterable
from difflib import SequenceMatcher
from pathlib import Path

from inductor_lab.read.kernel import Source

SIMILAR = 0.5
"""Below this two bodies have little to do with each other."""


def nearest(file: Path, launched: Iterable[Source]) -> str:
    """A part of a sentence about the kernel that is nearest to a file's generated one."""
    ours = _generated(file)
    alike = [(SequenceMatcher(None, ours, _lines(source.body), autojunk=False), source) for source in launched]
    if not alike:
        return ""
    matcher, source = max(alike, key=lambda one: one[0].ratio())
    if matcher.ratio() < SIMILAR:
        return ""
    return f"nearest is {source.name} (body {source.body_sha256[:8]}){_difference(matcher, ours, _lines(source.body))}"


def _generated(file: Path) -> list[str]:
    """The body of the kernel that a file was ejected from."""
    text = file.read_text(encoding="utf-8")
    for statement in ast.parse(text).body:
        if isinstance(statement, ast.FunctionDef) and statement.name == "generated":
            return _lines("\n".join(text.splitlines()[statement.body[0].lineno - 1 : statement.end_lineno]))
    return []


def _lines(body: str) -> list[str]:
    return [line.rstrip() for line in textwrap.dedent(body).splitlines() if line.strip()]


def _difference(matcher: SequenceMatcher[str], ours: list[str], theirs: list[str]) -> str:
    for what, first, end, other, other_end in matcher.get_opcodes():
        if what != "equal":
            here, there = (lines[0].strip() if lines else "" for lines in (ours[first:end], theirs[other:other_end]))
            return f", which has `{there}`" + (f" for `{here}`" if here else "") if there else f", which lacks `{here}`"
    return ", which differs in its arguments or helpers"
