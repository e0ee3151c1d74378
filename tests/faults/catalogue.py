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
"""A fault's name: its measured relative error, and what its dtype can tell. `tests/test_faults.py` lets these pass, and no others."""
