"""Lines that are too long for a screen are broken as a person would break them, and mean what they meant."""

from __future__ import annotations

import ast
import textwrap

import pytest

from inductor_lab.eject.file import wrapping
from inductor_lab.eject.file.wrapping import WIDTH, paragraph, wrapped

A, B, C, D = (letter * 32 for letter in "abcd")
"""Long names: three of them and what stands around them are more than a line."""


@pytest.mark.parametrize(
    ("before", "after"),
    [
        ("x = a + b", "x = a + b"),
        (f"x = tl.load({A} + ({B} * {C}), inside)", f"x = tl.load(\n    {A} + ({B} * {C}), inside\n)"),
        (
            f"x = tl.load({A} + {B}, {C}, other={D})",
            f"x = tl.load(\n    {A} + {B},\n    {C},\n    other={D},\n)",
        ),
        (
            f"x = tl.load({A} + ({B} * {C}), inside).to(tl.float32)",
            f"x = tl.load(\n    {A} + ({B} * {C}), inside\n).to(tl.float32)",
        ),
        (f"total = {A} * {B} + {C} - {D}", f"total = (\n    {A} * {B}\n    + {C}\n    - {D}\n)"),
        (f"def launch({A}, {B}, {C}, *, {D}=1):", f"def launch(\n    {A},\n    {B},\n    {C},\n    *,\n    {D}=1,\n):"),
        (f"x = f({A}, {B})  # {C}, {D}", f"# {C}, {D}\nx = f({A}, {B})"),
        (f"return ({A}, {B}, {C}, {D})", f"return (\n    {A},\n    {B},\n    {C},\n    {D},\n)"),
        (f"{A}_{B}_{C}_{D} = 1", f"{A}_{B}_{C}_{D} = 1"),  # there is no place to break it
        (f'TEXT = "{A} {B}, {C} {D}"', f'TEXT = "{A} {B}, {C} {D}"'),
        (f"x = f({A}, {B}, {C}, {D}", f"x = f({A}, {B}, {C}, {D}"),  # no line of its own
    ],
)
def test_a_long_line_is_broken_inside_its_bracket(before: str, after: str) -> None:
    assert wrapped(before) == after
    assert wrapped(textwrap.indent(before, "  ")) == textwrap.indent(after, "  ")


@pytest.mark.parametrize(
    "line",
    [
        f"tl.store({A}_ptr + (r + row * {B}), tl.where(a if {C} else b, -x - -{D} * 2.0, y[:, None]), inside & other)",
        f"x = {A} if {B} else tl.full([{C}, {D}], True, tl.int1)",
        f"a, b = tl.reduce(({A}, {B}), 1, {C}), ({D},)",
        f"x = sum(f({A}, {B}, i, j) for i, j in zip({C}, {D}))",
        f'assert {A} == {B}, "as long as {C}"',
        f"assert x.{A}, f({B}, {C}, {D})",
        f'tl.device_assert((0 <= {A}) & ({A} < {B}) | ~{C}, "index out of bounds: 0 <= index, and, so (on < {D}")',
    ],
)
def test_what_is_broken_means_what_it_meant(line: str) -> None:
    after = wrapped(line)
    assert ast.dump(ast.parse(after)) == ast.dump(ast.parse(line))
    assert wrapped(after) == after  # once is enough


def test_a_sentence_goes_on_below_its_first_word() -> None:
    told = paragraph("Replaces  " + ", ".join(["aten.add"] * 20), 10)
    first, *rest = told.splitlines()
    assert rest and all(line.startswith(" " * 10 + "aten.add") for line in rest) and len(first) <= WIDTH


def test_a_docstring_closes_on_a_line_of_its_own() -> None:
    after = wrapped(f'    """The same in eager PyTorch: {A} and {B} and {C} and {D}."""')
    assert after.endswith('.\n    """') and all(len(line) <= WIDTH for line in after.splitlines())


def test_a_long_line_is_taken_apart_once_however_deep_its_brackets_are(monkeypatch: pytest.MonkeyPatch) -> None:
    taken_apart: list[str] = []
    tokens = wrapping._tokens
    monkeypatch.setattr(wrapping, "_tokens", lambda code: taken_apart.append(code) or tokens(code))
    line = f"x = {'f(' * 40}{A} + {B} * {C}{')' * 40} + {D}"
    broken = wrapped(line)
    assert taken_apart == [line] and ast.dump(ast.parse(broken)) == ast.dump(ast.parse(line))
