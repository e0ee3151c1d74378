"""What a kernel computes, from its body: each store as a typed tree over loads, sizes and constants, each address decoded.

Pure: no torch, no triton, nothing executed. Whoever explains, counts, compares or ejects a kernel asks here instead of its text.
"""

from __future__ import annotations

from inductor_lab.computation.build import computation, launched, product
from inductor_lab.computation.records import Computation
from inductor_lab.computation.schedule import Access, Check
from inductor_lab.computation.tree import Expression
from inductor_lab.records import Kernel

__all__ = ["Access", "Check", "Computation", "Expression", "computation", "jobs_of", "launched", "product"]


def jobs_of(kernel: Kernel) -> list[Computation]:
    """What each job of a kernel computes, by its first launch; none where its body is not Python."""
    try:
        return [*computation(kernel).every()]
    except ValueError:
        return []
