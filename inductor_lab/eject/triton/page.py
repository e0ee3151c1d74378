"""The state of the Triton printer: the statements so far, and the values that have a name.

Values are Python's own syntax trees: `ast` writes the brackets, and what a statement says is asked of its tree.
"""

from __future__ import annotations

import ast
import math
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import reduce

from inductor_lab.computation.index import Index
from inductor_lab.computation.schedule import Access
from inductor_lab.computation.tree import Constant, Load
from inductor_lab.dtypes import LANGUAGE
from inductor_lab.eject.printing.layout import BasePage
from inductor_lab.eject.triton.block_layout import BlockLayout

TRITON = {torchs: tritons for tritons, torchs in LANGUAGE.items()}
"""Dtypes that `triton.language` calls otherwise than torch."""


@dataclass
class Line:
    """One statement."""

    target: str
    """What its value is called, `largest`, or counts a loop, `r_start`; empty for a call alone."""
    value: ast.expr
    body: list[Line] | None = None
    """What a loop does in each turn."""
    remark: str = ""

    def text(self) -> Iterator[str]:
        """The line, and those of a loop's body."""
        value = unparsed(self.value)
        remark = f"  # {self.remark}" if self.remark else ""
        if self.body is not None:
            yield f"for {self.target} in {value}:{remark}"
            yield from (f"    {line}" for each in self.body for line in each.text())
        else:
            yield f"{self.target} = {value}{remark}" if self.target else value + remark

    def names(self) -> Iterator[str]:
        """What its value says, and a loop's body."""
        yield from names_of(self.value)
        for each in self.body or ():
            yield from each.names()


@dataclass
class Page(BasePage[Line, str]):
    """One kernel in Triton."""

    layout: BlockLayout
    positions: dict[Index, str] = field(default_factory=dict)
    """Addresses that have a name just now."""
    loads: dict[Load, Access] = field(default_factory=dict)
    """What was read, and by which access."""
    helpers: set[str] = field(default_factory=set)
    """Functions of Inductor's `triton_helpers` that it calls."""
    inside: set[str] = field(default_factory=set)
    """Axes whose mask is used."""
    sources: Mapping[int, str] = field(default_factory=dict)
    """Line of the body -> the line of the user's program that it is from, where that is known."""

    def emit(self, target: str, value: ast.expr) -> None:
        """Add a statement: `target = value`; a call alone without a target."""
        self.lines.append(Line(target, value))


def assigned(named: Iterable[tuple[str, str]]) -> list[Line]:
    """Names and what they are, as statements."""
    return [Line(target, parsed(text)) for target, text in named]


def summed(parts: Sequence[tuple[bool, ast.expr]]) -> tuple[bool, ast.expr]:
    """Summands with their signs as one; what is taken off comes last."""
    ordered = sorted(parts, key=lambda part: part[0])
    negative, total = ordered[0]
    for taken_off, part in ordered[1:]:
        total = ast.BinOp(total, ast.Add() if taken_off == negative else ast.Sub(), part)
    return negative, total


def product(factors: Iterable[ast.expr]) -> ast.expr:
    return reduce(lambda one, other: ast.BinOp(one, ast.Mult(), other), factors)


def signed(negative: bool, value: ast.expr) -> ast.expr:
    return ast.UnaryOp(ast.USub(), value) if negative else value


def typed(constant: Constant) -> ast.expr:
    """A number in its own dtype: a tile of one element, `tl.full([1], 0, tl.int32)`."""
    number = number_of(constant.value)
    if constant.dtype in {"int", "float"}:
        return number
    return call_to("tl.full", ast.List([ast.Constant(1)], ast.Load()), number, dtype_name(constant.dtype))


def is_one_element(value: ast.AST) -> bool:
    """Whether a call makes a tile of one element."""
    match value:
        case ast.Call(func=ast.Name(id="tl.full"), args=[ast.List(elts=[ast.Constant(value=1)]), *_]):
            return True
    return False


def number_of(value: bool | int | float) -> ast.expr:
    if isinstance(value, float) and not math.isfinite(value):
        return call_to("float", ast.Constant("nan" if math.isnan(value) else "inf" if value > 0 else "-inf"))
    if not isinstance(value, bool) and math.copysign(1, value) < 0:
        return ast.UnaryOp(ast.USub(), ast.Constant(-value))
    return ast.Constant(value)


def subscripted(value: ast.expr, place: str) -> ast.expr:
    """`value[:, None]`; the value itself without a place."""
    if not place:
        return value
    shape = parsed(f"x{place}")
    assert isinstance(shape, ast.Subscript)
    return ast.Subscript(value, shape.slice)


def dtype_name(dtype: str) -> ast.expr:
    return name_node(f"tl.{TRITON.get(dtype, dtype)}")


def cast_to(value: ast.expr, dtype: str, *, bitcast: bool = False) -> ast.expr:
    call = ast.Call(ast.Attribute(value, "to", ast.Load()), [dtype_name(dtype)], [])
    if bitcast:
        call.keywords.append(ast.keyword("bitcast", ast.Constant(True)))
    return call


def call_to(name: str, *arguments: ast.expr) -> ast.Call:
    return ast.Call(name_node(name), list(arguments), [])


def keywords_of(text: str) -> list[ast.keyword]:
    call = ast.parse(f"f({text})", mode="eval").body
    assert isinstance(call, ast.Call)
    return call.keywords


def names_of(value: ast.expr) -> Iterator[str]:
    """The names that a value says, as often as it says them."""
    return (node.id for node in ast.walk(value) if isinstance(node, ast.Name))


def name_node(text: str) -> ast.Name:
    return ast.Name(text, ast.Load())


def parsed(text: str) -> ast.expr:
    return ast.parse(text, mode="eval").body


def unparsed(node: ast.expr) -> str:
    written = ast.unparse(node)
    return written.replace("'", '"') if '"' not in written else written
