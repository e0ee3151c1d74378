"""What may cost time in a kernel, or surprise: few remarks, each true of this body, with its numbers."""

from __future__ import annotations

from collections.abc import Callable, Iterator

from inductor_lab.annotate.context import Context
from inductor_lab.annotate.hazards.arithmetic import choices, one_hots, redundant_remainders
from inductor_lab.annotate.hazards.lanes import idle_lanes, too_small, unfilled_blocks
from inductor_lab.annotate.hazards.memory import (
    atomics,
    gathered_twice,
    gathers,
    narrow,
    read_back,
    repeated,
    strides,
    written_twice,
)

CHECKS: tuple[Callable[[Context], Iterator[str]], ...] = (
    gathers,
    atomics,
    strides,
    narrow,
    repeated,
    gathered_twice,
    read_back,
    written_twice,
    idle_lanes,
    unfilled_blocks,
    redundant_remainders,
    one_hots,
    choices,
    too_small,
)


def hazards(context: Context) -> list[str]:
    """Every remark that holds, the most general first."""
    if context.computation.branches:
        return []
    return list(dict.fromkeys(remark for check in CHECKS for remark in check(context)))
