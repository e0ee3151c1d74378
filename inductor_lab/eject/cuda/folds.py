"""How a row is folded: what one thread accumulates, and what combines the threads of a row. One row a fold."""

from __future__ import annotations

from dataclasses import dataclass

from inductor_lab.computation.tree import Constant, Reduction
from inductor_lab.eject.refusal import UnprintableError


@dataclass(frozen=True)
class Fold:
    """One kind of fold."""

    combine: str
    """The function object of templates/cuda/helpers/ that combines two threads' results."""
    update: str
    """One value more: `{0}` is what was accumulated, the others are the values of an element."""
    start: tuple[float | int | bool, ...] = ()
    """What nothing was accumulated into, for each field; infinities for whole numbers are their ends."""
    fields: tuple[str, ...] = ()
    """Results, by what the tree calls them; none where the fold has one."""
    structure: str = ""
    """The type of several results together."""
    needs: tuple[str, ...] = ()
    """Functions that the combination calls."""


INF = float("inf")
FOLDS = {
    "sum": Fold("Sum", "{0} + {1}", (0,)),
    "prod": Fold("Product", "{0} * {1}", (1,)),
    "max": Fold("Largest", "maximum({0}, {1})", (-INF,), needs=("maximum",)),
    "min": Fold("Smallest", "minimum({0}, {1})", (INF,), needs=("minimum",)),
    "fmax": Fold("LargestNumber", "fmax({0}, {1})", (-INF,)),
    "any": Fold("Any", "{0} | {1}", (0,)),
    "xor": Fold("Parity", "{0} ^ {1}", (0,)),
    "welford": Fold("MergeWelford", "{0}.with({1}, {2}, {3})", (0, 0, 0), ("mean", "m2", "weight"), "Welford"),
    "online_softmax": Fold("MergeSoftmax", "{0}.with({1}, {2})", (-INF, 0), ("max", "sum"), "Softmax", ("maximum",)),
    "argmax": Fold("MergeLargest", "MergeLargest()({0}, {{{1}, {2}}})", (-INF, 2**63 - 1), ("value", "index"), "Best"),
    "argmin": Fold("MergeSmallest", "MergeSmallest()({0}, {{{1}, {2}}})", (INF, 2**63 - 1), ("value", "index"), "Best"),
}  # fmt: skip
"""The reduction's name in the tree -> its fold."""
TURNS = {
    "welford_reduce": "{0}.with({1})", "welford_combine": "{0}.with({1}, {2}, {3})",
    "online_softmax_combine": "{0}.with({1})", "online_softmax_combine_with_sum": "{0}.with({1}, {2})",
    "maximum_with_index": FOLDS["argmax"].update, "minimum_with_index": FOLDS["argmin"].update,
}  # fmt: skip
"""The call that a turn of a loop takes values in by -> how that is written."""
FOLDED = frozenset(
    {"tl.sum", "tl.max", "tl.min", "tl.xor_sum", *(f"triton_helpers.{name}" for name in (
        "max2", "fmax2", "min2", "prod", "any", "max_with_index", "min_with_index", "max_with_first_index", "min_with_first_index", "welford",
        "online_softmax_reduce",
    ))}
)  # fmt: skip
"""Calls whose combination is the row's."""


def fold_of(value: Reduction) -> Fold:
    """The row for a reduction.

    Raises:
        UnprintableError: there is none.
    """
    if value.name not in FOLDS or value.call is None or value.call.function not in FOLDED:
        called = value.call.function if value.call is not None else value.name
        raise UnprintableError(f"a reduction by {called} is not printed in CUDA C++ yet")
    return FOLDS[value.name]


def start_of(start: float | int | bool, dtype: str) -> Constant:
    """What nothing was accumulated into, in a dtype."""
    if isinstance(start, float) and not dtype.startswith(("float", "bfloat")):
        if dtype == "bool":
            return Constant("bool", frozenset(), start > 0)
        bits = int("".join(filter(str.isdigit, dtype)) or 32)
        least, most = (0, 2**bits - 1) if dtype.startswith("u") else (-(2 ** (bits - 1)), 2 ** (bits - 1) - 1)
        return Constant(dtype, frozenset(), most if start > 0 else least)
    return Constant(dtype, frozenset(), start)
