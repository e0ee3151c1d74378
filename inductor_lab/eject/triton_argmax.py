"""The larger of two values with its index, which Inductor writes out for each place of a pooling window: one call of a helper.

    first = (a > b) | ((a != a) > (b != b)) | (((a == b) | ((a != a) & (b != b))) & (a_index < b_index))
    best = tl.where(first, a, b)
    best_place = tl.where(first, a_index, b_index)         best, best_place = maximum_with_index(a, a_index, b, b_index)

The form is that of `get_reduction_combine_fn` in torch/_inductor/ir.py (2.13). Integers have no NaN, and no test of one.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

from inductor_lab.computation.tree import Constant, Expression, Operation

HELPERS = {"gt": "maximum_with_index", "lt": "minimum_with_index"}
"""How the values are compared -> the helper."""


@dataclass(frozen=True)
class Compared:
    """Two values and their indices, one pair of which is chosen."""

    helper: str
    values: tuple[Expression, Expression]
    indices: tuple[Expression, ...]
    """Empty where the condition does not tell them: the first two places of a window, of which the first index is the lower one."""


def compared(condition: Expression) -> Compared | None:
    """What a condition compares; None where it is no such comparison."""
    match condition:
        case Operation(name="or", inputs=(Operation(name="or", inputs=(better, nan)), tie)):
            return _compared(better, nan, tie)
        case Operation(name="or", inputs=(better, tie)):
            return _compared(better, None, tie)
    return None


def _compared(better: Expression, nan: Expression | None, tie: Expression) -> Compared | None:
    """Args:
    better: `a > b`.
    nan: `(a != a) > (b != b)`.
    tie: Both are equal, and the first has the lower index where that is to be tested.
    """
    match better:
        case Operation(name=("gt" | "lt") as name, inputs=(a, b)) if nan is None or _first_is_nan(nan, a, b):
            match tie:
                case Operation(name="and", inputs=(equal, Operation(name="lt", inputs=(a_index, b_index)))):
                    return Compared(HELPERS[name], (a, b), (a_index, b_index)) if _equal(equal, a, b, nan) else None
            return Compared(HELPERS[name], (a, b), ()) if _equal(tie, a, b, nan) else None
    return None


def _equal(value: Expression, a: Expression, b: Expression, nan: Expression | None) -> bool:
    """True for `a == b`, or of floats where both are NaN."""
    match value:
        case Operation(name="eq", inputs=(left, right)):
            return left is a and right is b and nan is None
        case Operation(
            name="or",
            inputs=(Operation(name="eq", inputs=(left, right)), Operation(name="and", inputs=(one, other))),
        ):
            return nan is not None and left is a and right is b and _is_nan(one, a) and _is_nan(other, b)
    return False


def _first_is_nan(value: Expression, a: Expression, b: Expression) -> bool:
    match value:
        case Operation(name="gt", inputs=(one, other)):
            return _is_nan(one, a) and _is_nan(other, b)
    return False


def _is_nan(test: Expression, of: Expression) -> bool:
    match test:
        case Operation(name="ne", inputs=(one, other)):
            return one is of and other is of
    return False


def chosen_of(value: Expression) -> Compared | None:
    """What a choice chooses from; None for another one."""
    if not isinstance(value, Operation) or value.name != "where" or len(value.inputs) != 3:
        return None
    condition, one, other = value.inputs
    found = compared(condition)
    if found is None or (one, other) in {found.values, found.indices}:
        return found
    return found if not found.indices and _counted(one, other) else None


def results(choices: Iterable[Expression]) -> dict[Expression, dict[str, Expression]]:
    """Condition -> the values that it chooses, by what they are of the larger one: its `value` or its `index`."""
    found: dict[Expression, dict[str, Expression]] = {}
    for choice in choices:
        chosen = chosen_of(choice)
        if chosen is not None and isinstance(choice, Operation):
            part = "value" if choice.inputs[1:] == chosen.values else "index"
            found.setdefault(choice.inputs[0], {})[part] = choice
    return found


def _counted(one: Expression, other: Expression) -> bool:
    """True for two numbers of which the first is the lower one."""
    return isinstance(one, Constant) and isinstance(other, Constant) and one.value < other.value
