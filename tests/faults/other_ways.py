"""Right variants by machine: each kernel computed in another way, everywhere that the way fits at once. None of them may be rejected.

sums in two halves      tl.sum(x, 1) -> tl.sum(where(r % 2 == 0, x, 0.0), 1) + tl.sum(where(r % 2 == 0, 0.0, x), 1)
"""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator

from faults.blind_spots import Context, blind_spots
from faults.mutation import Change, Mutant, called, mutants
from faults.records import BEGINS
from faults.types import FLOAT

LOG2E = 1.4426950408889634


def other_ways(kernel: str, text: str) -> Iterator[tuple[str, str]]:
    """(what is done in another way, the file) for each way that fits."""
    for rule in RULES:
        changed = everywhere(mutants(kernel, text, blind_spots(text, (rule,))))
        if changed:
            yield rule.__name__.replace("_", " "), changed
    for name, pattern, new in LAUNCHES:
        if "loop" in name and LOOP not in text:
            continue
        start = text.index("\ndef launch(")
        changed = text[:start] + re.sub(pattern, new, text[start:], count=1)
        if changed != text:
            yield name, changed


LOOP = "tl.range(0, R, BLOCK_R)"
LAUNCHES = (
    (
        "smaller blocks of a loop along a row",
        r"\bBLOCK_R=(\d+)",
        lambda found: f"BLOCK_R={max(int(found[1]) // 8, 16)}",
    ),
    ("more rows in a program", r"\bBLOCK=(\d+)", lambda found: f"BLOCK={2 * int(found[1])}"),
)
"""(name, what stands in the launcher, what stands there instead)."""


def everywhere(several: list[Mutant]) -> str:
    """A file with all of these changes, less those inside of another one; "" for none."""
    if not several:
        return ""
    text, end = several[0].original, -1
    parts: list[str] = []
    for one in sorted(several, key=lambda one: (one.begin, -len(one.before))):
        if one.begin >= max(end, text.index(BEGINS)):
            parts += [text[max(end, 0) : one.begin], one.after]
            end = one.begin + len(one.before)
    return "".join([*parts, text[end:]])


def sums_in_float64(node: ast.AST, context: Context) -> Iterator[Change]:
    if isinstance(node, ast.Call) and called(node) == "tl.sum" and context.types.of(node) == FLOAT:
        values, axis = map(context.source, node.args[:2])
        yield "right", node, f"tl.sum(({values}).to(tl.float64), {axis}).to(tl.float32)"


def sums_in_two_halves(node: ast.AST, context: Context) -> Iterator[Change]:
    if (
        isinstance(node, ast.Call)
        and called(node) == "tl.sum"
        and context.types.of(node) == FLOAT
        and "r" in context.types.names
        and LOOP not in context.text  # a compiler has no r behind the loop
    ):
        values, axis = map(context.source, node.args[:2])
        even, odd = (f"tl.sum(tl.where({side}, {values}, 0.0), {axis})" for side in ("r % 2 == 0", "r % 2 != 0"))
        yield "right", node, f"({even} + {odd})"


def means_for_sums(node: ast.AST, context: Context) -> Iterator[Change]:
    """What overflows in one and not in the other decides nothing that eager says."""
    if isinstance(node, ast.Call) and called(node) == "tl.sum" and context.types.of(node) == FLOAT:
        values, axis = map(context.source, node.args[:2])
        yield "right", node, f"(tl.sum(({values}) * 0.015625, {axis}) * 64.0)"


def powers_of_two(node: ast.AST, context: Context) -> Iterator[Change]:
    """As a GPU's own exponential does it."""
    if isinstance(node, ast.Call) and called(node) == "libdevice.exp":
        yield "right", node, f"tl.exp2(({context.source(node.args[0])}) * {LOG2E})"


def fused(node: ast.AST, context: Context) -> Iterator[Change]:
    """a * b + c, rounded once."""
    if not (isinstance(node, ast.BinOp) and isinstance(node.op, ast.Add) and isinstance(node.left, ast.BinOp)):
        return
    several = node.left.left, node.left.right, node.right
    floats = all(context.types.of(one) == FLOAT and not isinstance(one, ast.Constant) for one in several)
    if floats and isinstance(node.left.op, ast.Mult):
        yield "right", node, f"tl.fma({', '.join(map(context.source, several))})"


def choices_turned(node: ast.AST, context: Context) -> Iterator[Change]:
    if isinstance(node, ast.Call) and called(node) == "tl.where":
        condition, first, second = map(context.source, node.args)
        yield "right", node, f"tl.where(({condition}) == 0, {second}, {first})"


def differences_turned(node: ast.AST, context: Context) -> Iterator[Change]:
    if isinstance(node, ast.BinOp) and isinstance(node.op, ast.Sub) and context.types.of(node) == FLOAT:
        yield "right", node, f"(-(({context.source(node.right)}) - ({context.source(node.left)})))"


def divided_by_multiplying(node: ast.AST, context: Context) -> Iterator[Change]:
    divided = isinstance(node, ast.BinOp) and isinstance(node.op, ast.Div) and isinstance(node.right, ast.Constant)
    if divided and context.types.of(node.left) == FLOAT:  # type: ignore[attr-defined]
        yield "right", node, f"({context.source(node.left)}) * {1 / node.right.value!r}"  # type: ignore[attr-defined]


def programs_backwards(node: ast.AST, context: Context) -> Iterator[Change]:
    if isinstance(node, ast.Call) and called(node) == "tl.program_id" and context.source(node.args[0]) == "0":
        yield "right", node, "(tl.num_programs(0) - 1 - tl.program_id(0))"


def in_bfloat16_throughout(node: ast.AST, context: Context) -> Iterator[Change]:
    """Each product, sum and quotient of elements, as eager rounds them; not what is exponentiated or holds a value of a whole row, which
    eager does in float32."""
    narrow = {dtype for dtype in context.types.arguments.values() if "float" in dtype} == {"bfloat16"}
    elements = isinstance(node, ast.BinOp) and isinstance(node.op, (ast.Add, ast.Sub, ast.Mult, ast.Div))
    whole = {"exp(", "tl.sum("} & set(re.findall(r"\bexp\(|tl\.sum\(", context.source(context.function)))
    if narrow and elements and context.types.of(node) == FLOAT and not whole:
        yield "right", node, f"({context.source(node)}).to(tl.bfloat16).to(tl.float32)"


RULES = (
    sums_in_float64, sums_in_two_halves, means_for_sums, powers_of_two, fused, choices_turned, differences_turned,
    divided_by_multiplying, programs_backwards, in_bfloat16_throughout,
)  # fmt: skip
