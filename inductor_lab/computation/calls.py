"""Rules for special calls in a body: constants, choices, searches and Inductor's helpers.

Functions are those that Inductor writes (torch/_inductor/codegen/triton.py and runtime/triton_helpers.py, 2.0 to 2.15), by their last word. What
`SAYS` does not allow one has a meaning that no rule reads. A function that is not there takes values alone, as many as it likes: each becomes an
operand of its node, none gets lost.
"""

from __future__ import annotations

import ast
import math
from collections.abc import Callable, Mapping

from inductor_lab.computation import folds
from inductor_lab.computation.nodes import Evaluator
from inductor_lab.computation.operators import called, function_name, is_module
from inductor_lab.computation.schedule import Access
from inductor_lab.computation.tree import (
    Carried,
    Constant,
    Expression,
    Load,
    Operation,
    Position,
    Scan,
    Size,
    index_of,
    of_text,
    union,
)


def _full(values: Evaluator, node: ast.Call) -> Expression:
    """`tl.full(shape, value, dtype)`: the number itself; its shape says nothing that its users do not."""
    if len(node.args) < 2:
        return values.unknown(node)
    value = values.of(node.args[1])
    dtype = ast.unparse(node.args[2]) if len(node.args) > 2 else ""
    if dtype.endswith(".dtype") and isinstance(node.args[2], ast.Attribute):
        return retyped(values, value, values.of(node.args[2].value).dtype)
    return retyped(values, value, of_text(dtype))


def retyped(values: Evaluator, value: Expression, dtype: str) -> Expression:
    if not dtype or not isinstance(value, Constant):
        return value
    floating = dtype.startswith(("float", "bfloat"))
    number = float(value.value) if floating else int(value.value) if math.isfinite(value.value) else value.value
    return values.constant(bool(number) if dtype == "bool" else number, dtype)


def _zeros(values: Evaluator, node: ast.Call) -> Expression:
    texts = [ast.unparse(argument) for argument in (*node.args[1:], *(k.value for k in node.keywords))]
    return retyped(values, values.constant(0), next(filter(None, map(of_text, texts)), "float32"))


def _float(values: Evaluator, node: ast.Call) -> Expression:
    match node.args[0]:
        case ast.Constant(value=str() as text):
            return values.constant(float(text)) if text.strip("+-").lower() in {"inf", "nan"} else values.unknown(node)
    return values.of(node.args[0])


def _rounding_down(values: Evaluator, node: ast.Call, exact: str, name: str) -> Expression:
    """Python's // and %: those of positions, which are not negative, are coordinates; others round down, where C's round to zero."""
    left, right = values.of(node.args[0]), values.of(node.args[-1])
    if all(isinstance(side, (Position, Constant, Size)) for side in (left, right)):
        found = values.exact(left, exact, right)
        if found is not None:
            return found
    return values.operation(name, left, right)


def _maximum(values: Evaluator, node: ast.Call) -> Expression:
    """`triton_helpers.maximum` lets a NaN through, `tl.maximum` only where `tl.PropagateNan.ALL` says so, its third argument."""
    name = called(node)
    ours = ast.unparse(node.func).startswith("triton_helpers")
    inputs = tuple(values.of(argument) for argument in node.args[:2])
    told = [ast.unparse(part) for part in (*node.args[2:], *(keyword.value for keyword in node.keywords))]
    if not {text.partition("PropagateNan.")[2] for text in told} <= {"ALL", "NONE"}:
        return values.unknown(node, *inputs)
    through = ours or any(text.endswith("ALL") for text in told)
    keywords = "propagate_nan=tl.PropagateNan.ALL" if through and not ours else ""
    return values.operation(
        name if through else {"maximum": "fmax", "minimum": "fmin"}[name], *inputs, spelling=ast.unparse(node.func), keywords=keywords
    )  # fmt: skip


def _where(values: Evaluator, node: ast.Call) -> Expression:
    if len(node.args) != 3:
        return values.unknown(node)
    made = values.operation("where", *(values.of(argument) for argument in node.args))
    scan = folds.looped_scan(made)
    if scan is None:
        return made
    test, *sides = node.args
    written = [values.of(side) for side in sides]
    call = folds.call_of(node, ast.unparse(test), *written) if written[0] is not written[1] else None
    return values.make(Scan, scan.dtype, scan.axes, scan.name, scan.part, scan.inputs, call)


def _reduce(values: Evaluator, node: ast.Call) -> Expression:
    """`tl.reduce(value, 1, _triton_helper_fn_add0)`."""
    name = function_name(ast.unparse(node.args[-1])) if len(node.args) > 2 else "reduce"
    value = node.args[0].elts[0] if isinstance(node.args[0], ast.Tuple) and node.args[0].elts else node.args[0]
    return folds.reduced(values, node, folds.ACCUMULATED.get(name, name), "", values.of(value))


def _select_one(values: Evaluator, node: ast.Call) -> Expression:
    """The one element along the row where a condition holds: the last of a block's scan."""
    value = values.of(node.args[0])
    return values.make(Operation, value.dtype, folds.unreduced(value.axes), "last", (value,))


def _exclusive_scan_decoupled_lookback(values: Evaluator, node: ast.Call) -> Expression:
    """What all earlier blocks of a split scan came to; the workspace is read and written meanwhile."""
    value = values.of(node.args[1]) if len(node.args) > 1 else values.unknown(node)
    return values.make(Carried, value.dtype, value.axes, "earlier blocks", value)


def _bucketize_binary_search(values: Evaluator, node: ast.Call) -> Expression:
    """The place of each value among sorted boundaries, which are read where the search goes."""
    value = values.of(node.args[0])
    made: list[Expression] = [value]
    if len(node.args) > 1 and isinstance(node.args[1], ast.Name) and node.args[1].id in values.pointers:
        pointer = node.args[1].id
        index = index_of(value)
        load = values.make(Load, values.pointers[pointer].dtype, value.axes, pointer, index, None, None, 0)
        many = values.of(node.args[2]) if len(node.args) > 2 else values.unknown(node)
        values.accesses.append(
            Access("load", pointer, node.lineno, index, None, load, "", values.looped, searched=many)
        )
        made.append(load)
    told = node.args[2:3] + node.args[4:6] + node.args[7:9]  # size and stride of a row, where it starts, right, sorter
    made += [values.of(argument) for argument in told]
    return values.make(Operation, "int64", value.axes, "bucketize", tuple(made))


def _inline_asm(values: Evaluator, node: ast.Call) -> Expression:
    """`tl.inline_asm_elementwise(asm, constraints, [inputs], ...)`: what the assembly does is not read."""
    lists = [argument for argument in node.args if isinstance(argument, ast.List)]
    inputs = tuple(values.of(element) for one in lists for element in one.elts)
    match node.args[:1]:
        case [ast.Constant(value=str() as text)] if text.split(" ")[0] in ASSEMBLY and text.count(";") == 1:
            return values.operation(ASSEMBLY[text.split(" ")[0]], *inputs)
    return values.make(Operation, inputs[0].dtype if inputs else "", union(inputs), "inline_asm", inputs)


ASSEMBLY = {"fma.rn.f32": "fma", "rcp.approx.ftz.f32": "reciprocal"}
"""Single instructions that Inductor writes itself, for a float32 arctangent."""


CALLS: dict[str, Callable[[Evaluator, ast.Call], Expression]] = {
    "broadcast_to": lambda values, node: values.spread(values.of(node.args[0]), node.args[1:]),
    "full": _full,
    "zeros": _zeros,
    "float": _float,
    "div_floor_integer": lambda values, node: _rounding_down(values, node, "floordiv", "floor_divide"),
    "remainder_integer": lambda values, node: _rounding_down(values, node, "mod", "remainder"),
    "where": _where,
    "maximum": _maximum,
    "minimum": _maximum,
    "reduce": _reduce,
    "select_one": _select_one,
    "exclusive_scan_decoupled_lookback": _exclusive_scan_decoupled_lookback,
    "bucketize_binary_search": _bucketize_binary_search,
    "inline_asm_elementwise": _inline_asm,
    "exclusive_scan_decoupled_lookback_64": _exclusive_scan_decoupled_lookback,
}
"""Calls with a meaning of their own, by their last word; others are operations of that name."""


# ---- what a call may say

_BLOCK = "shape strides block_shape offsets order"
SAYS: Mapping[str, tuple[int, str]] = {
    "load": (2, "mask other eviction_policy cache_modifier volatile boundary_check padding_option"),
    "store": (3, "mask eviction_policy cache_modifier boundary_check"),
    "atomic_add": (3, "mask sem scope"), "atomic_min": (3, "mask sem scope"), "atomic_max": (3, "mask sem scope"),
    "arange": (2, ""), "program_id": (1, "axis"), "num_programs": (1, "axis"), "cdiv": (2, ""), "pointer_type": (1, ""),
    "make_block_ptr": (6, _BLOCK), "make_tensor_descriptor": (1, _BLOCK), "advance": (2, ""),
    "full": (3, ""), "zeros": (2, "dtype"), "broadcast_to": (2, ""), "reshape": (2, ""), "to": (1, "bitcast"), "float": (1, ""), "int": (1, ""),
    "where": (3, ""), "maximum": (3, "propagate_nan"), "minimum": (3, "propagate_nan"),
    "div_floor_integer": (2, ""), "remainder_integer": (2, ""),
    "reduce": (3, ""), **dict.fromkeys(folds.FOLDS, (2, "")), **{name: (len(folds.PARTS[fold]) + 1, "") for name, fold in folds.SEVERAL.items()},
    "online_softmax_reduce": (5, ""),  # behind the dimension: whether exponentials are fast, and of 2.15 what a zero's sign does
    "associative_scan": (3, "reverse"), "sort_with_index": (4, "stable descending"), "select_one": (2, "dim keep_dims"),
    "exclusive_scan_decoupled_lookback": (4, "DTYPE_VALUE_AS_UINT DTYPE_PACK"), "exclusive_scan_decoupled_lookback_64": (4, ""),
    "bucketize_binary_search": (11, ""), "inline_asm_elementwise": (3, "dtype is_pure pack constraints"),
    "dot": (3, "input_precision allow_tf32 out_dtype max_num_imprecise_acc"), "device_assert": (2, ""), "debug_barrier": (0, ""),
}  # fmt: skip
"""Function -> the most arguments that it has, and its keywords."""
_OF_A_VALUE: Mapping[str, float] = {"load": 1, "store": 2, "broadcast_to": float("inf"), "reshape": float("inf")}
"""The most arguments of a descriptor's methods, and of those of a value that take sizes one after another."""
_ALONG = {"range", "static_range"}
"""What a loop goes along: what else it says is for the compiler, and is kept with the loop."""


def is_read(call: ast.Call) -> bool:
    """Whether all that a call says is read."""
    name = called(call)
    if name in _ALONG:
        return True
    most, keywords = SAYS.get(name, (len(call.args), ""))
    of_value = isinstance(call.func, ast.Attribute) and not is_module(call.func.value)
    return len(call.args) <= (_OF_A_VALUE.get(name, most) if of_value else most) and {
        keyword.arg for keyword in call.keywords
    } <= set(keywords.split())


def unread(statement: ast.stmt) -> ast.Call | None:
    """The first call of a statement that says more than is read; those of statements inside it are theirs."""
    waiting: list[ast.AST] = [statement]
    while waiting:
        node = waiting.pop(0)
        if isinstance(node, ast.Call) and not is_read(node):
            return node
        waiting += [child for child in ast.iter_child_nodes(node) if not isinstance(child, ast.stmt)]
    return None
