"""Records in, notes out.

What each kernel computes, moves and costs, derived from its body. Pure: no torch, no triton, nothing executed.
"""

from __future__ import annotations

from inductor_lab.annotate.explain import explain
from inductor_lab.annotate.summary import summary
from inductor_lab.annotate.traffic import annotate, traffic

__all__ = ["annotate", "explain", "summary", "traffic"]
