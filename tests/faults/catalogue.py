"""All faults and all right variants; and the faults that no judge can tell from rounding."""

from __future__ import annotations

from faults import arithmetic, constants, gaming, memory, reductions, right
from faults.records import Variant

FAULTS: tuple[Variant, ...] = (
    *constants.FAULTS,
    *arithmetic.FAULTS,
    *reductions.FAULTS,
    *memory.FAULTS,
    *gaming.FAULTS,
)
RIGHT: tuple[Variant, ...] = right.RIGHT

WITHIN_ROUNDING: dict[str, tuple[float, float]] = {
    "negated: the negative of 0 is 0, not -0": (
        0.0,
        2.0**-24,
    ),  # 0 and -0 are equal, and which one a sum leaves is up to its order
}
"""A fault's name: its measured relative error, and what its dtype can tell. `tests/judge/test_faults.py` lets these pass, and no others."""

INTERPRETER_ALONE: frozenset[str] = frozenset(
    {
        "running_mean: two programs update each element, and the second finds what the first wrote",
        "relu: the load has no mask",
        "gelu: the load has no mask, and the value is thrown away",
        "row_sum: lanes behind the row are read, and masked later",
        "layer_norm: the weight is read behind its end",
        "rotary: the upper half is read of the upper half too",
        "rolled: the row before the first is read",
        "label_loss: an ignored label is read as an address",
        "row_sum: a sum over lanes that were loaded with neither value nor mask",
        "count_positive: a count over lanes that were loaded with neither value nor mask",
        "relu: its input is negated, and negated again",
        "softmax: the row is kept in its input, and put back",
        "row_sum: it writes far behind its output",
        "embedding_backward_2: the atomic addition has none",  # its lanes behind the end hold 0 on the card, and add it to row 0
    }
)
"""What leaves every result as it is and no trace in memory: each access is seen in the interpreter, and none on a GPU."""
