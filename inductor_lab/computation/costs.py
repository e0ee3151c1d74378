"""What operations on floats cost, where it is not one: a transcendental function counts as one. A table, no code.

Names are those that Inductor writes (`TritonOverrides` in torch/_inductor/codegen/triton.py and `triton_helpers.py`, 2.11 to 2.15).
"""

from __future__ import annotations

FLOPS: dict[str, int] = {
    "where": 0, "abs": 0, "copysign": 0, "neg": 0, "last": 0,  # a selection, a changed sign bit
    "any": 0, "welford": 0, "online_softmax": 0, "sort": 0,  # the last step of a fold that was counted; comparisons
    "fma": 2,
    "maximum_with_index": 1, "minimum_with_index": 1,
    "welford_reduce": 7,  # triton_helpers.welford_reduce: two differences, a division, a product, three sums
    "welford_combine": 9,
    "online_softmax_combine": 5, "online_softmax_combine_with_sum": 6,
}  # fmt: skip
"""Floating-point operations for one element."""
