"""Which blocks, warps and stages an ejected kernel is fastest with: tried around the present ones, timed where there is a GPU.

    found = tune("mine.py")
    print(found.verdict, found.best)

What the compiler makes of each configuration rules some out, short rounds most of the others; the last few are timed against the present
one as `diff` does it, and what wins is verified before it is written. Without a GPU what the compiler made of each is all that speaks for one.
"""

from __future__ import annotations

from inductor_lab.measure.tuning.search import tune

__all__ = ["tune"]
