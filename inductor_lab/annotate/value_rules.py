"""The sentences for a body's values: constants, arithmetic, selections, reductions, checks."""

from __future__ import annotations

import ast
import re

from inductor_lab.annotate.context import Context, expression_text
from inductor_lab.annotate.statements import call_of, value_of
from inductor_lab.computation.idioms import named, wrapped
from inductor_lab.computation.tree import Reduction


def constant(found: re.Match[str], statement: ast.stmt, _: Context) -> str:
    call = call_of(statement)
    kind = ast.unparse(call.args[2]).removeprefix("tl.") if len(call.args) > 2 else ""
    match value_of(statement):
        case ast.Call(func=ast.Attribute(attr="to"), args=[ast.Attribute(attr=last)]):
            kind = last
    constant = expression_text(call.args[1]) if len(call.args) > 1 else "0"
    return f"the constant {constant}" + (f" as {kind}" if kind and "dtype" not in kind else "") + ", baked in"


def filler(found: re.Match[str], statement: ast.stmt, _: Context) -> str:
    return f"{found['fill']}, for the places that the mask leaves out"


def accumulator(found: re.Match[str], statement: ast.stmt, _: Context) -> str:
    return f"an accumulator for each element of the tile, starting at {found['start'] or '0'}"


def accumulate(found: re.Match[str], statement: ast.stmt, context: Context) -> str:
    what = {"+": "adds", "*": "multiplies in"}.get(found["op"], "folds in")
    return f"{what} this block's {context.meaning(ast.Name(found['value']), 44)}"


def column(_: re.Match[str], __: ast.stmt, context: Context) -> str:
    return f"one value for each column: {context.computation.schedule.group} rows are folded to it, a turn of the loop after the other"


def left(_: re.Match[str], __: ast.stmt, context: Context) -> str:
    return (
        "the group's columns, each folded to one value: a line of partial results, which are folded behind the launch"
    )


def keep(found: re.Match[str], _: ast.stmt, __: Context) -> str:
    return "lanes outside the tensor keep what they had"


def broadcast(found: re.Match[str], statement: ast.stmt, context: Context) -> str:
    call, cast_to = value_of(statement), ""
    match call:
        case ast.Call(func=ast.Attribute(value=ast.Call() as repeated, attr="to"), args=[dtype]):
            call, cast_to = repeated, f" as {ast.unparse(dtype).removeprefix('tl.')}"
    inner = call.args[0] if isinstance(call, ast.Call) and call.args else call
    return f"{context.meaning(inner, 36)}{cast_to}, repeated over the tile"


def coordinate_value(found: re.Match[str], _: ast.stmt, context: Context) -> str:
    return f"{found['name']} as a number to compute with"


FOLDS = {
    "sum": "the sum", "max2": "the largest", "min2": "the smallest", "fmax2": "the largest that is a number", "max": "the largest", "min": "the smallest",
    "prod": "the product", "any": "whether any is true",
}  # fmt: skip


def reduce(found: re.Match[str], statement: ast.stmt, context: Context) -> str:
    value = context.value()
    whole = context.writer.whole(value, 48) if value is not None else None
    shown = f": {whole}" if whole is not None else ""
    if isinstance(value, Reduction) and value.group:
        return f"{FOLDS.get(found['name'], found['name'])} of each column over this turn's rows{shown}"
    return f"{FOLDS.get(found['name'], found['name'])} over the row, one value left for each row{shown}"


def compare(found: re.Match[str], statement: ast.stmt, context: Context) -> str:
    node, value = value_of(statement), context.value()
    meaning = context.meaning(node)
    if not isinstance(node, (ast.Compare, ast.BinOp)) or (value is not None and value.dtype not in ("bool", "")):
        return meaning  # a comparison inside arithmetic, or bits
    if (settled := _settled(meaning)) is not None:
        return "always true" if settled else "never true"
    return f"{meaning}: always true" if _certain(meaning, context) else f"true where {meaning}"


def _settled(condition: str) -> bool | None:
    """What a condition without any name comes to: `False & True`."""
    words = [word.strip("() ") for word in condition.split("&")]
    return all(word == "True" for word in words) if {*words} <= {"True", "False"} else None


def _certain(meaning: str, context: Context) -> bool:
    """True for a comparison that no element fails: `x0 >= 0`, or `x0 < 64` where x0 stays below 64."""
    found = re.fullmatch(r"(?P<name>[xyzr]\d?_?\d+) (?P<op>>=|<) (?P<bound>\d+)", meaning)
    coordinate = context.computation.coordinates.get(found["name"]) if found else None
    if found is None or coordinate is None:
        return False
    extent = context.extent(coordinate)
    return int(found["bound"]) == 0 if found["op"] == ">=" else extent is not None and extent <= int(found["bound"])


def where(found: re.Match[str], statement: ast.stmt, context: Context) -> str:
    node = value_of(statement)
    if not isinstance(node, ast.Call) or len(node.args) != 3:
        return "a selection"
    value = context.value()
    function = named(value) if value is not None else None
    known = function[0] if function else None
    if value is not None and wrapped(value) and context.addresses(value):
        return f"{context.meaning(node)}: a negative index counts from the end"
    if known == "remainder":
        return f"{context.meaning(node)}: C's % keeps the dividend's sign, Python's the divisor's; this mends it"
    if known == "leaky_relu":
        return f"{context.meaning(node)}"
    condition, one, other = (context.meaning(argument, 30) for argument in node.args)
    if (settled := _settled(condition)) is not None:
        return f"{one if settled else other}: the condition {'always' if settled else 'never'} holds"
    by_position = re.match(r"\(?[xyzr]\d", condition) is not None
    if other in {"0.0", "0"}:
        return f"{one} where {condition}, 0 elsewhere"
    joins = (
        "; a concatenation is not built, each element chooses its side"
        if by_position and "aten.cat" in context.kernel.claim.aten
        else ""
    )
    return f"{one} where {condition}, else {other}{joins}"


def maximum(found: re.Match[str], statement: ast.stmt, context: Context) -> str:
    value = context.value()
    meaning = context.meaning(value_of(statement))
    call = call_of(statement)
    if value is not None and "float" not in value.dtype and value.dtype:
        return meaning  # whole numbers know no NaN
    if ast.unparse(call.func).startswith("tl.") and len(call.args) + len(call.keywords) < 3:
        return f"{meaning}; NaN gives way to the other"
    if value is not None and (function := named(value)) and function[0] == "relu":
        shown = meaning if meaning.startswith("relu") else f"relu of {found['last']}"
        return f"{shown}; NaN stays NaN (tl.maximum alone would drop it)"
    return f"{meaning}; NaN stays NaN"


def signbit(found: re.Match[str], statement: ast.stmt, context: Context) -> str:
    return f"whether {context.meaning(ast.Name(found['name']), 40)} is negative (the first form is for floats)"


def remainder(found: re.Match[str], statement: ast.stmt, context: Context) -> str:
    return f"{context.meaning(value_of(statement))}, as C takes it: the sign is the dividend's"


def cast(found: re.Match[str], statement: ast.stmt, context: Context) -> str:
    return f"{context.meaning(ast.Name(found['name']), 40)} as {found['to']}"


def arithmetic(found: re.Match[str], statement: ast.stmt, context: Context) -> str:
    node, value = value_of(statement), context.value()
    whole = isinstance(node, ast.BinOp) and isinstance(node.op, ast.Add) and value is not None and "int" in value.dtype
    meaning = context.meaning(node)
    return f"{meaning} (integers)" if whole else meaning


def helper(found: re.Match[str], statement: ast.stmt, context: Context) -> str:
    return context.meaning(value_of(statement))


HELPERS = {
    "welford_reduce": "takes this block into a running mean and squared deviation: one pass, no cancellation",
    "welford": "merges the tile's partial means and deviations into one of each a row",
    "online_softmax_combine": "takes this block into a running maximum and sum of exponentials: softmax's first pass",
    "online_softmax_reduce": "merges the tile's maxima and sums of exponentials into one of each a row",
    "maximum_with_index": "takes this block into the largest so far, and where it stood",
    "minimum_with_index": "takes this block into the smallest so far, and where it stood",
    "sort_with_index": "sorts the row inside the program, values and their places together",
    "exclusive_scan_decoupled_lookback": "waits for what the programs before this one came to, and hands on its own",
    "bucketize_binary_search": "finds each value's place among sorted boundaries, reading log2 of their number",
    "max_with_index": "the largest of the row, and where it stands",
    "min_with_index": "the smallest of the row, and where it stands",
    "max_with_first_index": "the largest of the row, and where it stands first",
    "min_with_first_index": "the smallest of the row, and where it stands first",
    "associative_scan": "the running fold along the row",
    "select_one": "picks the one element where the condition holds",
}  # fmt: skip


def known_helper(found: re.Match[str], statement: ast.stmt, context: Context) -> str:
    name = next((known for known in sorted(HELPERS, key=len, reverse=True) if found["name"].startswith(known)), "")
    return HELPERS.get(name, f"calls {found['name']}")


def bounds_check(found: re.Match[str], _: ast.stmt, __: Context) -> str:
    return f"stops the kernel if {found['message']}" if found["message"] else "stops the kernel if this is false"
