"""Records in, notes out.

What each kernel computes, moves and costs, derived from its body. Pure: no torch, no triton, nothing executed.
"""

from __future__ import annotations

from dataclasses import replace

from inductor_lab.annotate.explain import explain
from inductor_lab.annotate.summary import computes, summary, titled
from inductor_lab.annotate.traffic import traffic
from inductor_lab.records import Capture

__all__ = ["annotate", "computes", "explain", "summary", "titled", "traffic"]


def annotate(capture: Capture) -> Capture:
    """The capture with what each kernel computes and moves filled in."""
    kernels = (replace(kernel, traffic=traffic(kernel), computes=computes(kernel)) for kernel in capture.kernels)
    return replace(capture, kernels=tuple(kernels))
