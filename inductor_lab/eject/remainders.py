"""Whole numbers of which only a remainder is used: a negative one has a remainder too."""

from __future__ import annotations

from inductor_lab.computation.idioms import named
from inductor_lab.computation.records import Computation
from inductor_lab.computation.tree import Load, pointers


def hashed(found: Computation) -> set[str]:
    """The pointers of which only remainders are used, `(id + 1) % rows`."""
    inside, outside = set[str](), set[str]()
    for job in found.every():
        waiting = [part for a in job.stores for part in (a.value, a.mask, *a.index.expressions()) if part is not None]
        waiting += [check.condition for check in job.checks]
        seen: set[int] = set()
        while waiting:
            node = waiting.pop()
            if id(node) in seen:
                continue
            seen.add(id(node))
            said = named(node)
            if said is not None and said[0] == "remainder":
                inside |= pointers(said[1][0])
                waiting += said[1][1:]
                continue
            outside |= {node.pointer} if isinstance(node, Load) else set()
            waiting += node.operands
    return inside - outside
