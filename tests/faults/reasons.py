"""Why a mutant passes that no rule proves to compute the same: read by hand. What has no reason here is to be looked into."""

from __future__ import annotations

from collections.abc import Mapping

SAME = "computes the same: "
OF_TWO = "the result is one of the two bfloat16 numbers around float64's"
CUT_OFF = f"{SAME}the quotient is cut off at 1 wherever 1e-6 counts"
EMPTY = f"{SAME}a lane outside holds a part of no elements"
AGAIN = f"{SAME}what is loaded is made a float32 in the next step"
ALIKE = f"{SAME}above 20 the logarithm of 1 + e^x is x in float32"
INFINITE = "differs only where an infinity is taken from an equal one"
SMALL = "the term weighs 5e-5 beside terms of 1"
NARROW = "moves the exponent by half a rounding of the bfloat16 that is written"
STARTED = "1e-6 in each of a thousand terms shows where they are all tiny, which is drawn in most runs"
BACK_DOOR = "the element is above 100 in most runs, not in each"

REASONS: Mapping[tuple[str, str], str] = {
    ("argmax_bf16", "1.0 -> 1.01"): OF_TWO,
    ("argmax_bf16", "arg0 + 1.0 -> (arg0 + (1.0) * 1.01)"): OF_TWO,
    ("foreach", "1e-06 -> 1.0029"): CUT_OFF,
    ("foreach", "+ 1e-12"): CUT_OFF,
    ("spread_parts", "running_m2) -> (next_m2)"): EMPTY,
    ("integer_mean", ".to(tl.float32)"): AGAIN,
    ("softplus_sum", "20.0 -> 20.06"): ALIKE,
    ("", "all masked: "): INFINITE,
    ("losses_backward", "1.0 - sigmoid -> "): SMALL,
    ("gated_backward_bf16", "primals_1_4 * primals_1_4 * -0.5 -> "): NARROW,
    ("many_losses", "begun with: 0.0 -> 1e-6"): STARTED,
    ("label_smoothing", "begun with: 0.0 -> 1e-6"): STARTED,
    ("", "back doors: "): BACK_DOOR,
}
"""(kernel or any, a part of the mutant's name) -> why; the first that fits."""


def reason(name: str) -> str:
    """Why a mutant of this name passes; empty where nobody has looked."""
    kernel = name.partition(" line ")[0]
    return next((why for (of, part), why in REASONS.items() if of in ("", kernel) and part in name), "")


def is_same(name: str) -> bool:
    """Whether a mutant of this name was read, and no input tells it from the kernel."""
    return reason(name).startswith(SAME)
