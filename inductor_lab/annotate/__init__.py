"""Records in, notes out.

What each kernel computes, moves and costs, derived from its body. Pure: no torch, no triton, nothing executed.
"""

from __future__ import annotations

from dataclasses import replace

from inductor_lab.annotate.explain import explain
from inductor_lab.annotate.naming import Namer
from inductor_lab.annotate.summary import computes, summary, titled
from inductor_lab.annotate.traffic import traffic
from inductor_lab.records import Capture, Kernel

__all__ = ["annotate", "computes", "explain", "summary", "titled", "traffic"]


def annotate(capture: Capture) -> Capture:
    """The capture with what each kernel is called, computes and moves filled in."""
    namer = Namer(capture)

    def annotated(kernel: Kernel) -> Kernel:
        named = namer.name(kernel)
        told = {"title": named.title, "recognised": named.recognised}
        return replace(kernel, traffic=traffic(kernel), computes=computes(kernel), **told)  # type: ignore[arg-type]

    return replace(capture, kernels=tuple(map(annotated, capture.kernels)))
