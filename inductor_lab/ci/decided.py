"""A file's comparison for CI: measured a second time, for longer, where the first could not tell."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from typing import Any

from inductor_lab.ci.checks import undecided
from inductor_lab.records import PerfDiff
from inductor_lab.timing.measure import MAX_ROUNDS, ROUNDS, Method

LONGER = 4
"""Times as many rounds."""


def decided(
    diff: Callable[..., PerfDiff], *files: Any, method: Method, progress: Callable[[str], None], **asked: Any
) -> PerfDiff:
    """What `diff` finds; where that is inconclusive, what it finds in four times as many rounds."""
    found = diff(*files, method=method, progress=progress, **asked)
    rounds = min(LONGER * (method.rounds or ROUNDS), MAX_ROUNDS)
    if not undecided(found) or rounds <= (method.rounds or ROUNDS):
        return found
    progress(f"inconclusive; measuring again, in {rounds} rounds")
    return diff(*files, method=replace(method, rounds=rounds), progress=progress, **asked)
