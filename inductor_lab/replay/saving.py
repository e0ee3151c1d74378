"""What hand kernels save of a graph's step: end to end by paired rounds, and by their launches' own times."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from inductor_lab.measure.timing.significance import median_interval
from inductor_lab.records import Saving

Launches = Sequence[Sequence[float]]
"""Of each launch its microseconds in each profiled step; none where the profile does not show it in every one."""


def saving(rounds: Mapping[str, Sequence[float]], generated: Launches, grafted: Launches) -> Saving:
    """Generated less grafted.

    Args:
        rounds: The step's microseconds in each round: `generated`, `grafted`, and `again`, the generated one a second time.
        generated: The launches that have a hand kernel, with the generated one.
        grafted: The same launches with the hand kernel.
    """
    step, interval = median_interval(_less(rounds["generated"], rounds["grafted"]))
    _, (low, high) = median_interval(_less(rounds["generated"], rounds["again"]))
    noise = max(abs(low), abs(high))
    if not (generated and all(generated) and all(grafted)):
        return Saving(step, interval, noise)
    theirs, (theirs_low, theirs_high) = median_interval(together(generated))
    ours, (ours_low, ours_high) = median_interval(together(grafted))
    return Saving(step, interval, noise, theirs - ours, (theirs_low - ours_high, theirs_high - ours_low))


def _less(one: Sequence[float], other: Sequence[float]) -> list[float]:
    return [theirs - ours for theirs, ours in zip(one, other, strict=True)]


def together(launches: Launches) -> list[float]:
    """All of them, step by step; nothing where one of them is not known."""
    return [sum(step) for step in zip(*launches, strict=True)] if all(launches) else []
