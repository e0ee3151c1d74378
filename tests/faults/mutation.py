"""Mutants of a readable ejected file: each has one operator, constant, index term, mask or argument of a kernel changed.

A change is a part of the text and what stands there instead, so that the rest of the file stays to the letter.
"""

from __future__ import annotations

import ast
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from itertools import accumulate

from faults.records import BEGINS, parted, without_launcher

OPERATORS: dict[type[ast.operator], tuple[str, ...]] = {
    ast.Add: ("-",), ast.Sub: ("+",), ast.Mult: ("+",), ast.Div: ("*",), ast.FloorDiv: ("%",), ast.Mod: ("//",),
    ast.BitAnd: ("|",), ast.BitOr: ("&",), ast.RShift: ("<<",), ast.LShift: (">>",),
}  # fmt: skip
COMPARISONS: dict[type[ast.cmpop], tuple[str, ...]] = {
    ast.Lt: ("<=", ">"), ast.LtE: ("<", ">"), ast.Gt: (">=", "<"), ast.GtE: (">", "<"), ast.Eq: ("!=",), ast.NotEq: ("==",),
}  # fmt: skip
FUNCTIONS = {
    "tl.maximum": "tl.minimum", "tl.minimum": "tl.maximum", "maximum": "minimum", "minimum": "maximum", "tl.sum": "tl.max", "tl.max": "tl.sum",
    "max2": "tl.sum", "libdevice.exp": "tl.exp2", "libdevice.rsqrt": "tl.sqrt", "libdevice.erf": "libdevice.tanh",
    "libdevice.tanh": "libdevice.erf", "tl_math.log": "tl.log2", "tl.sqrt_rn": "tl.abs", "libdevice.sqrt": "tl.abs",
}  # fmt: skip
SWAPPED: dict[type[ast.operator], str] = {ast.Sub: "-", ast.Div: "/", ast.FloorDiv: "//", ast.Mod: "%"}
DROPPED = (ast.Add, ast.Sub, ast.Mult, ast.Div, ast.BitAnd, ast.BitOr, ast.Mod, ast.FloorDiv)


@dataclass(frozen=True)
class Mutant:
    """One change of one kernel's file."""

    kernel: str
    kind: str
    line: int
    before: str
    after: str
    text: str
    """The whole file."""
    column: int = 0

    @property
    def name(self) -> str:
        return f"{self.kernel} line {self.line}:{self.column}: {self.kind}: {self.before} -> {self.after}"

    @property
    def begin(self) -> int:
        """Where in the file the change begins."""
        lines = self.text.splitlines(keepends=True)
        above = sum(map(len, lines[: self.line - 1]))
        return above + len(lines[self.line - 1].encode()[: self.column].decode())

    @property
    def original(self) -> str:
        """The file without the change."""
        return self.text[: self.begin] + self.before + self.text[self.begin + len(self.after) :]


def around(mutant: Mutant, node: ast.expr) -> tuple[int, int, str, str]:
    """Where an expression around the change begins and ends in the original, its text there, and its text after the change."""
    text = mutant.original
    begin, end = Places(text).of(node)
    return begin, end, text[begin:end], mutant.text[begin : end + len(mutant.text) - len(text)]


Change = tuple[str, ast.expr, str]
Source = Callable[[ast.AST], str]
Changes = Callable[[ast.FunctionDef, Source], Iterator[Change]]


def mutants(kernel: str, text: str, made_by: Changes | None = None) -> list[Mutant]:
    """Every mutant of the functions that are there to be edited; the launcher stays.

    Args:
        made_by: What is changed in a function; `changes` unless given.
    """
    start = text.index(BEGINS) + len(BEGINS)
    part, _ = parted(text[start:])
    part = without_launcher(part)
    lines_above = text[:start].count("\n")
    places = Places(part)
    made: dict[str, Mutant] = {}
    for function in ast.parse(part).body:
        if isinstance(function, ast.FunctionDef):
            for kind, node, after in (made_by or changes)(function, places.source):
                begin, end = places.of(node)
                changed = text[: start + begin] + after + text[start + end :]
                line, before = lines_above + node.lineno, part[begin:end]
                made.setdefault(changed, Mutant(kernel, kind, line, before, after, changed, node.col_offset))
    made.pop(text, None)
    return list(made.values())


class Places:
    """Where the nodes of a text stand in it."""

    def __init__(self, text: str) -> None:
        self.text = text
        self.lines = text.splitlines(keepends=True)
        self.begins = [0, *accumulate(len(line) for line in self.lines)]

    def at(self, line: int, column: int) -> int:
        return self.begins[line - 1] + len(self.lines[line - 1].encode()[:column].decode())  # columns count bytes

    def of(self, node: ast.AST) -> tuple[int, int]:
        assert isinstance(node, (ast.expr, ast.stmt))
        return self.at(node.lineno, node.col_offset), self.at(node.end_lineno or 0, node.end_col_offset or 0)

    def source(self, node: ast.AST) -> str:
        begin, end = self.of(node)
        return self.text[begin:end]


def changes(function: ast.FunctionDef, source: Source) -> Iterator[Change]:
    """(kind, what is changed, what stands there instead) for every node of the function's statements."""
    for statement in function.body:
        for node in walked(statement):
            for rule in RULES:
                yield from rule(node, source)


def walked(node: ast.AST) -> Iterator[ast.AST]:
    """The nodes below, less what no value depends on: assertions, hints, docstrings, shapes."""
    if isinstance(node, ast.Expr) and isinstance(node.value, ast.Constant):
        return
    if isinstance(node, ast.Call) and called(node).endswith("device_assert"):
        return
    yield node
    for name, field in ast.iter_fields(node):
        for child in field if isinstance(field, list) else [field]:
            hint = isinstance(child, ast.keyword) and child.arg in ("eviction_policy", "sem", "cache_modifier")
            if isinstance(child, ast.AST) and not hint and not (isinstance(node, ast.Subscript) and name == "slice"):
                yield from () if isinstance(child, ast.List) else walked(child)


def called(node: ast.Call) -> str:
    return ast.unparse(node.func)


def operator_changed(node: ast.AST, source: Source) -> Iterator[Change]:
    if isinstance(node, ast.BinOp):
        for other in OPERATORS.get(type(node.op), ()):
            yield "operator", node, f"(({source(node.left)}) {other} ({source(node.right)}))"


def operand_dropped(node: ast.AST, source: Source) -> Iterator[Change]:
    """A term of an index, a factor, one of two masks."""
    if isinstance(node, ast.BinOp) and isinstance(node.op, DROPPED):
        yield "operand dropped", node, f"({source(node.left)})"
        if isinstance(node.op, (ast.Add, ast.Mult, ast.BitAnd, ast.BitOr)):
            yield "operand dropped", node, f"({source(node.right)})"


def operands_swapped(node: ast.AST, source: Source) -> Iterator[Change]:
    if isinstance(node, ast.BinOp) and type(node.op) in SWAPPED:
        yield "operands swapped", node, f"(({source(node.right)}) {SWAPPED[type(node.op)]} ({source(node.left)}))"


def comparison_changed(node: ast.AST, source: Source) -> Iterator[Change]:
    if isinstance(node, ast.Compare) and len(node.ops) == 1:
        left, right = source(node.left), source(node.comparators[0])
        for other in COMPARISONS.get(type(node.ops[0]), ()):
            yield "comparison", node, f"(({left}) {other} ({right}))"


def bound_moved(node: ast.AST, source: Source) -> Iterator[Change]:
    """A mask off by one."""
    if isinstance(node, ast.Compare) and isinstance(node.ops[0], ast.Lt) and source(node.comparators[0]).isupper():
        for step in ("- 1", "+ 1"):
            yield "mask by one", node.comparators[0], f"({source(node.comparators[0])} {step})"


def constant_changed(node: ast.AST, source: Source) -> Iterator[Change]:
    if isinstance(node, ast.Constant) and type(node.value) in (int, float):
        value = node.value
        others = (value + 1, -value, 0) if isinstance(value, int) else (value * 1.01, value + 1, -value, 0.0)
        for other in dict.fromkeys(others):
            if other != value:
                yield "constant", node, f"({other!r})" if other < 0 else repr(other)


def sign_dropped(node: ast.AST, source: Source) -> Iterator[Change]:
    if isinstance(node, ast.UnaryOp) and isinstance(node.op, (ast.USub, ast.Invert)):
        yield "sign", node, f"({source(node.operand)})"


def call_changed(node: ast.AST, source: Source) -> Iterator[Change]:
    """Another function, arguments in another order, a cast or a mask left out."""
    if not isinstance(node, ast.Call):
        return
    name, given = called(node), [source(one) for one in node.args]
    if name in FUNCTIONS:
        yield "function", node.func, FUNCTIONS[name]
    if name == "tl.where":
        condition, first, second = given
        yield "arguments swapped", node, f"tl.where({condition}, {second}, {first})"
        yield "branch taken", node, f"({first})"
        yield "branch taken", node, f"({second})"
    if name.endswith(".to") and isinstance(node.func, ast.Attribute):
        yield "cast dropped", node, f"({source(node.func.value)})"
    masked = {"tl.load": 1, "tl.store": 2, "tl.atomic_add": 2}.get(name, len(given))
    if masked < len(given):
        yield "mask dropped", node.args[masked], "None"


RULES: tuple[Callable[[ast.AST, Source], Iterator[Change]], ...] = (
    operator_changed, operand_dropped, operands_swapped, comparison_changed, bound_moved, constant_changed, sign_dropped, call_changed,
)  # fmt: skip
