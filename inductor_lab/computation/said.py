"""What a call may say: how many arguments it has, and which keywords. All else has a meaning that no rule reads.

Functions are those that Inductor writes (torch/_inductor/codegen/triton.py and runtime/triton_helpers.py, 2.0 to 2.15), by their last word. One that
is not here takes values alone, as many as it likes: each becomes an operand of its node, none gets lost.
"""

from __future__ import annotations

import ast
from collections.abc import Mapping

from inductor_lab.computation.folds import FOLDS, PARTS, SEVERAL
from inductor_lab.computation.operators import called, is_module

_BLOCK = "shape strides block_shape offsets order"
_SAYS: Mapping[str, tuple[int, str]] = {
    "load": (2, "mask other eviction_policy cache_modifier volatile boundary_check padding_option"),
    "store": (3, "mask eviction_policy cache_modifier boundary_check"),
    "atomic_add": (3, "mask sem scope"), "atomic_min": (3, "mask sem scope"), "atomic_max": (3, "mask sem scope"),
    "arange": (2, ""), "program_id": (1, "axis"), "num_programs": (1, "axis"), "cdiv": (2, ""), "pointer_type": (1, ""),
    "make_block_ptr": (6, _BLOCK), "make_tensor_descriptor": (1, _BLOCK), "advance": (2, ""),
    "full": (3, ""), "zeros": (2, "dtype"), "broadcast_to": (2, ""), "reshape": (2, ""), "to": (1, "bitcast"), "float": (1, ""), "int": (1, ""),
    "where": (3, ""), "maximum": (3, "propagate_nan"), "minimum": (3, "propagate_nan"),
    "div_floor_integer": (2, ""), "remainder_integer": (2, ""),
    "reduce": (3, ""), **dict.fromkeys(FOLDS, (2, "")), **{name: (len(PARTS[fold]) + 1, "") for name, fold in SEVERAL.items()},
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
    most, keywords = _SAYS.get(name, (len(call.args), ""))
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
