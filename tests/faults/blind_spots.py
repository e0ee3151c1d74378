"""Mutants of the kinds that `verify` has let pass, each with the right variants that look like it.

- later steps: what a loop carries from one step to the next: the first of two equals, a NaN, an infinity, a mask; what it begins with;
- whole numbers: an int64 through int32, float32 or float64;
- constants: each constant, and each term of a sum, by 0.3 % (1 % where only a narrow float is written, which has no more digits);
- all masked: a guard that is there no more, or one too many: of a division by 0, of a row of nothing but infinities;
- variance: E[x^2] - E[x]^2; eps behind the root, or half as much again;
- clamps: a maximum or a minimum left out;
- narrower inside: one value through float16 or bfloat16;
- back doors: another result where one element of an input is just so.
"""

from __future__ import annotations

import ast
import re
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from functools import cached_property

from faults.mutation import Change, Source, called, walked
from faults.types import BOOL, FLOAT, Types

INF = 'float("inf")'
EXTREMES = ("maximum", "minimum", "tl.maximum", "tl.minimum")
OUTER = ("{} > 2.5", "{} < -3.0", "{} > 100.0")
"""What a back door asks of an element."""


@dataclass
class Context:
    """One function of a file, with what its nodes stand in."""

    function: ast.FunctionDef
    source: Source
    text: str

    @cached_property
    def types(self) -> Types:
        return Types(self.function, self.text)

    @cached_property
    def parents(self) -> dict[ast.AST, ast.AST]:
        return {child: node for node in ast.walk(self.function) for child in ast.iter_child_nodes(node)}

    def loop(self, node: ast.AST) -> str:
        """The variable of the loop over a row that a node stands in; "" outside of one."""
        while node in self.parents:
            node = self.parents[node]
            if isinstance(node, ast.For):
                return ast.unparse(node.target)
        return ""

    @cached_property
    def narrow(self) -> bool:
        """Whether only bfloat16 or float16 is written."""
        written = re.search(r"^WRITTEN = (.*)$", self.text, re.M)
        dtypes = {self.types.arguments.get(name, "") for name in re.findall(r'"(\w+)"', written[1] if written else "")}
        return not dtypes & {"float32", "float64"} and bool(dtypes & {"float16", "bfloat16"})

    def addresses(self, node: ast.AST) -> bool:
        """Whether an expression is part of an address, or of a mask."""
        while node in self.parents:
            node, child = self.parents[node], node
            if isinstance(node, ast.Call) and called(node) in ("tl.load", "tl.store", "tl.atomic_add"):
                value = 1 if called(node) in ("tl.store", "tl.atomic_add") else -1
                return not (value > 0 and node.args[value] is child)
        return False


Rule = Callable[[ast.AST, Context], Iterator[Change]]


def blind_spots(
    text: str, rules: tuple[Rule, ...] | None = None
) -> Callable[[ast.FunctionDef, Source], Iterator[Change]]:
    """What is changed in each function of a file."""

    def changes(function: ast.FunctionDef, source: Source) -> Iterator[Change]:
        context = Context(function, source, text)
        for statement in function.body:
            for node in walked(statement):
                for rule in RULES if rules is None else rules:
                    yield from rule(node, context)

    return changes


def kept(node: ast.AST, context: Context) -> tuple[str, str, str, str] | None:
    """(mask, next value, carried name, loop variable) of `carried = tl.where(mask, next, carried)` in a loop, the next value given."""
    call = context.parents.get(node)
    assign = context.parents.get(call) if call else None
    loop = context.loop(node)
    if not (loop and isinstance(call, ast.Call) and called(call) == "tl.where" and isinstance(assign, ast.Assign)):
        return None
    if call.args[1] is not node or ast.unparse(call.args[2]) != ast.unparse(assign.targets[0]):
        return None
    return context.source(call.args[0]), context.source(node), context.source(call.args[2]), loop


# ------------------------------------------------------------ later steps


def carried(node: ast.AST, context: Context) -> Iterator[Change]:
    """A step that is left out, or a mask that is dropped, behind the first."""
    assert isinstance(node, ast.AST)
    found = kept(node, context)
    if not found:
        return
    mask, new, old, loop = found
    call = context.parents[node]
    assert isinstance(call, ast.Call)
    yield "later steps", call.args[0], f"({mask}) & ({loop} == 0)"
    yield "later steps", call.args[0], f"({mask}) | ({loop} > 0)"
    yield "later steps", node, f"tl.where({loop} > 0, {old}, {new})"


def carried_value(node: ast.AST, context: Context) -> Iterator[Change]:
    """A NaN or an infinity that is lost from one step to the next; the second of two equals."""
    loop = context.loop(node)
    if not loop:
        return
    if (
        isinstance(node, ast.BinOp)
        and isinstance(node.op, ast.Add)
        and context.types.of(node) == FLOAT
        and sums(node, context)
    ):
        left, right = context.source(node.left), context.source(node.right)
        for odd in ("{0} != {0}", f"{{0}} == {INF}", '{0} == float("-inf")'):
            yield "later steps", node, f"({left} + tl.where(({loop} > 0) & ({odd.format(f'({right})')}), 0.0, {right}))"
            yield "later steps", node, f"(tl.where({odd.format(f'({left})')}, 0.0, {left}) + {right})"
    if isinstance(node, ast.Call) and called(node) in ("maximum", "minimum") and context.types.of(node) == FLOAT:
        given = ", ".join(map(context.source, node.args))
        first = context.source(node.args[0])
        yield "later steps", node, f"tl.where({loop} > 0, tl.{called(node)}({given}), {called(node)}({given}))"
        yield (
            "later steps",
            node,
            f"{called(node)}(tl.where({first} != {first}, 0.0, {first}), {context.source(node.args[1])})",
        )
    if isinstance(node, ast.Name) and isinstance(node.ctx, ast.Load) and kept(node, context):
        tuple_ = assigned(node.id, context)
        if tuple_ is not None and called(tuple_).endswith("_with_index") and node.id.startswith("next_place"):
            best, _, value, place = map(context.source, tuple_.args)
            yield "later steps", node, f"tl.where(({loop} > 0) & ({value} == {best}), {place}, {node.id})"
            yield "later steps", node, f"tl.where(({loop} > 0) & ({value} != {value}), {place}, {node.id})"
    if isinstance(node, ast.Call) and called(node) == "triton_helpers.online_softmax_combine":
        most, total, value, *_ = map(context.source, node.args)
        new = f"tl.maximum({most}, {value})"
        yield "later steps", node, f"({new}, {total} * tl.exp({most} - {new}) + tl.exp({value} - {new}))"
        finite = f'tl.where({new} == float("-inf"), 0.0, {new})'
        yield "later steps", node, f"({new}, {total} * tl.exp({most} - {finite}) + tl.exp({value} - {finite}))"
        yield "later steps", node, f"({new}, {total} + tl.exp({value} - {new}))"


def sums(node: ast.BinOp, context: Context) -> bool:
    """Whether a sum is what a loop carries."""
    loops = [one for one in ast.walk(context.function) if isinstance(one, ast.For)]
    stored = {
        name.id
        for loop in loops
        for name in ast.walk(loop)
        if isinstance(name, ast.Name) and isinstance(name.ctx, ast.Store)
    }
    begun = {ast.unparse(one.targets[0]) for one in context.function.body if isinstance(one, ast.Assign)}
    return ast.unparse(node.left) in stored & begun


def assigned(name: str, context: Context) -> ast.Call | None:
    for node in ast.walk(context.function):
        if isinstance(node, ast.Assign) and isinstance(node.targets[0], ast.Tuple) and isinstance(node.value, ast.Call):  # noqa: SIM102
            if name in {ast.unparse(one) for one in node.targets[0].elts}:
                return node.value
    return None


def begun_with(node: ast.AST, context: Context) -> Iterator[Change]:
    """What a loop begins with."""
    if not (
        isinstance(node, ast.Call) and called(node) == "tl.full" and isinstance(context.parents.get(node), ast.Assign)
    ):
        return
    value = node.args[1]
    written = context.source(value)
    others = {
        'float("-inf")': ("-3.4028234663852886e+38", "0.0", "-1e30"), INF: ("3.4028234663852886e+38", "0.0"), "0.0": ("1.0", "1e-6"),
        "-9223372036854775808": ("-2147483648", "0"), "9223372036854775807": ("2147483647", "0"), "1.0": ("0.0",),
    }.get(written, ())  # fmt: skip
    for other in others:
        yield "begun with", value, other


# ------------------------------------------------------------ whole numbers


def narrowed_whole(node: ast.AST, context: Context) -> Iterator[Change]:
    """An int64 through less."""
    if not isinstance(node, (ast.BinOp, ast.Call)) or context.types.of(node) != "int64" or context.addresses(node):
        return
    if isinstance(node, ast.Call) and called(node).endswith("device_assert"):
        return
    text = context.source(node)
    for dtype in ("int32", "float32", "float64"):
        if isinstance(node, ast.Call) and called(node) in ("tl.sum", "max2", "min2"):
            values, axis = context.source(node.args[0]), context.source(node.args[1])
            yield "whole numbers", node, f"{called(node)}(({values}).to(tl.{dtype}), {axis}).to(tl.int64)"
        else:
            yield "whole numbers", node, f"({text}).to(tl.{dtype}).to(tl.int64)"


# ------------------------------------------------------------ constants, terms


def constant_off(node: ast.AST, context: Context) -> Iterator[Change]:
    share = 1.01 if context.narrow else 1.003
    if isinstance(node, ast.Constant) and isinstance(node.value, float) and node.value and not context.addresses(node):
        yield "constants", node, repr(node.value * share)
    if isinstance(node, ast.BinOp) and isinstance(node.op, (ast.Add, ast.Sub)) and context.types.of(node) == FLOAT:
        left, right = context.source(node.left), context.source(node.right)
        sign = "+" if isinstance(node.op, ast.Add) else "-"
        if FLOAT in (context.types.of(node.left), context.types.of(node.right)):
            yield "terms", node, f"(({left}) * {share} {sign} {right})"
            yield "terms", node, f"({left} {sign} ({right}) * {share})"


# ------------------------------------------------------------ guards


def guarded(node: ast.AST, context: Context) -> Iterator[Change]:
    """A guard too many: eager divides by 0 too."""
    if not isinstance(node, ast.BinOp) or context.types.of(node) != FLOAT or context.addresses(node):
        return
    left, right = context.source(node.left), context.source(node.right)
    if isinstance(node.op, ast.Div) and not isinstance(node.right, ast.Constant):
        yield "all masked", node, f"({left} / tl.where(({right}) == 0.0, 1.0, {right}))"
        yield "all masked", node, f"tl.where(({right}) == 0.0, 0.0, {left} / {right})"
        yield "all masked", node, f"({left} / (({right}) + 1e-12))"
        yield "all masked", node, f"({left} / tl.maximum({right}, 1e-3))"
    if isinstance(node.op, ast.Sub) and not isinstance(node.right, ast.Constant):
        yield "all masked", node, f"tl.where(({left}) == ({right}), 0.0, {left} - ({right}))"


def unguarded(node: ast.AST, context: Context) -> Iterator[Change]:
    """A guard too few, a fill that is no infinity, a clamp left out."""
    if not isinstance(node, ast.Call) or context.addresses(node):
        return
    if called(node) == "tl.where" and context.types.of(node) == FLOAT:
        yield "all masked", node, f"({context.source(node.args[1])})"
        yield "all masked", node, f"({context.source(node.args[2])})"
    if called(node) == "float" and context.source(node) in (INF, 'float("-inf")'):
        sign = "-" if "-" in context.source(node) else ""
        yield "all masked", node, f"{sign}1e30"
        yield "all masked", node, f"{sign}3.4028234663852886e+38"
    if called(node) in EXTREMES:
        for one in node.args:
            yield "clamps", node, f"({context.source(one)})"


# ------------------------------------------------------------ variance, maxima


def unstable(node: ast.AST, context: Context) -> Iterator[Change]:
    """A naive variance, an exponential without its maximum, eps behind the root."""
    source = context.source
    squared = isinstance(node, ast.BinOp) and isinstance(node.op, ast.Mult) and source(node.left) == source(node.right)
    if squared and (less := difference(source(node.left), context)):  # type: ignore[attr-defined]
        x, mean = source(less.left), source(less.right)
        yield "variance", node, f"(({x}) * ({x}) - ({mean}) * ({mean}))"  # type: ignore[misc]
    if isinstance(node, ast.Call) and called(node) in (
        "libdevice.exp",
        "tl.exp",
        "libdevice.rsqrt",
        "libdevice.sqrt",
        "tl.sqrt_rn",
    ):
        given = node.args[0]
        if "exp" in called(node) and isinstance(given, ast.BinOp) and isinstance(given.op, ast.Sub):
            x, most = source(given.left), source(given.right)
            yield "variance", node, f"({called(node)}({x}) * {called(node)}(-({most})))"
        if "rt" in called(node) and isinstance(given, ast.BinOp) and isinstance(given.right, ast.Constant):
            inner, eps = source(given.left), given.right.value
            yield "eps", given, f"({inner} + {eps * 1.5!r})"
            yield "eps", given, f"({inner})"
            yield "eps", given, f"tl.maximum({inner}, {eps!r})"
            behind = (
                f"(1.0 / (tl.sqrt({inner}) + {eps!r}))" if "rsqrt" in called(node) else f"(tl.sqrt({inner}) + {eps!r})"
            )
            yield "eps", node, behind


def difference(name: str, context: Context) -> ast.BinOp | None:
    """What a name holds, where it is assigned once and is a difference."""
    values = [
        one.value for one in ast.walk(context.function)
        if isinstance(one, ast.Assign) and ast.unparse(one.targets[0]) == name
    ]  # fmt: skip
    if len(values) == 1 and isinstance(values[0], ast.BinOp) and isinstance(values[0].op, ast.Sub):
        return values[0]
    return None


# ------------------------------------------------------------ narrower inside


def narrowed(node: ast.AST, context: Context) -> Iterator[Change]:
    """One value through a narrower float: float16 saturates, bfloat16 has 8 bits."""
    if not isinstance(node, (ast.BinOp, ast.Call)) or context.types.of(node) != FLOAT or context.addresses(node):
        return
    if isinstance(node, ast.Call) and not called(node).startswith(
        ("libdevice.", "tl_math.", "tl.exp", "tl.log", "tl.sum")
    ):
        return
    dtypes = ("float16",) if context.narrow else ("float16", "bfloat16")
    for dtype in dtypes:
        yield "narrower inside", node, f"({context.source(node)}).to(tl.{dtype}).to(tl.float32)"


# ------------------------------------------------------------ back doors


def back_door(node: ast.AST, context: Context) -> Iterator[Change]:
    """Another result where the first element of an input is just so."""
    if not (isinstance(node, ast.Call) and called(node) == "tl.store"):
        return
    value = node.args[1]
    wrong = f"~({context.source(value)})" if context.types.of(value) == BOOL else f"({context.source(value)}) + 1"
    for one in context.function.args.args:
        fill = re.search(rf'"{one.arg.removesuffix("_ptr")}": .*torch\.(\w+), "(normal|finite)"\)', context.text)
        if one.arg.endswith("_ptr") and fill:
            for place in (0, 1):
                for test in OUTER:
                    element = test.format(f"tl.load({one.arg} + {place}).to(tl.float32)")
                    if place == 0 or "2.5" in test:
                        yield "back doors", value, f"tl.where({element}, {wrong}, {context.source(value)})"


RULES: tuple[Rule, ...] = (
    carried, carried_value, begun_with, narrowed_whole, constant_off, guarded, unguarded, unstable, narrowed, back_door,
)  # fmt: skip
