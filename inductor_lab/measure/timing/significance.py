"""What samples say: a median with its interval, a ratio of paired samples, and whether that is a difference at all."""

from __future__ import annotations

import statistics
from collections.abc import Sequence
from dataclasses import dataclass

SAME = 0.01  # a difference below 1 % is none, however small the noise
CLOCK = 0.15
"""Microseconds that can not be told apart: on a cold cache a kernel waits for its instructions, and how long depends on where its code lies.
Copies of one kernel, loaded side by side on an H200, differ by up to 0.11 us (docs/timing.md)."""
WIDE = 0.10  # an interval wider than this, around "same", says nothing
LOUD = 0.05  # nor does "same" when a kernel differs from itself by more than this
CONFIDENCE = 0.95
QUANTILES = (0.1, 0.9)


@dataclass(frozen=True)
class Compared:
    """One function's samples against another's, of the same rounds."""

    ratio: float
    """The median of theirs / ours: above 1 ours is faster."""
    interval: tuple[float, float]
    """Of the ratio, at 95 %."""
    noise: float
    """How far from 1 the same interval of theirs against itself reaches (A/A)."""
    margin: float
    """A difference up to this is none: the noise, 1 %, or what the clock can not tell apart in a kernel so short."""

    @property
    def verdict(self) -> str:
        """`faster` or `slower` where the whole interval is beyond the margin; `same` where it is not; `inconclusive` where it is not and it, or
        the noise, is too wide to call that a tie."""
        low, high = self.interval
        if low > 1 + self.margin:
            return "faster"
        if high < 1 / (1 + self.margin):
            return "slower"
        loud = self.noise > LOUD and self.noise == self.margin
        return "inconclusive" if loud or high - low > max(WIDE, 2 * self.margin) else "same"


def compared(ours: Sequence[float], theirs: Sequence[float], again: Sequence[float]) -> Compared:
    """Ours against theirs, by samples that were taken round by round.

    Each ratio pairs two samples of one round, so what drifts over rounds (clocks, heat) cancels.

    Args:
        again: Theirs, a second time in the same rounds: their difference is noise.
    """
    ratio, interval = median_interval([their / our for their, our in zip(theirs, ours, strict=True)])
    _, (low, high) = median_interval([first / second for first, second in zip(theirs, again, strict=True)])
    noise = max(abs(low - 1), abs(high - 1))
    shorter = min(statistics.median(ours), statistics.median(theirs))
    return Compared(ratio, interval, noise, max(noise, SAME, CLOCK / shorter))


def median_interval(samples: Sequence[float]) -> tuple[float, tuple[float, float]]:
    """The median and its percentile bootstrap interval at 95 %, exactly: what infinitely many resamples would give.

    A resample's median is at or below the k-th smallest sample when at least half of its n draws are among the k
    smallest, a binomial tail (Efron 1979; Maritz and Jarrett 1978). So nothing is drawn, and the result is repeatable.
    """
    import numpy as np
    from scipy.stats import binom

    ordered = sorted(samples)
    n = len(ordered)
    shares = np.arange(1, n + 1) / n

    def rank(half: int, level: float) -> int:
        """The index of the smallest sample that the resampled median reaches with probability `level`."""
        return min(n - 1, int(np.searchsorted(binom.sf(half - 1, n, shares), level)))

    tail = (1 - CONFIDENCE) / 2
    low, high = ordered[rank((n + 1) // 2, tail)], ordered[rank(n // 2 + 1, 1 - tail)]
    return statistics.median(ordered), (low, high)


def quantiles(samples: Sequence[float]) -> tuple[float, float]:
    """The first and the last tenth's bound."""
    import numpy as np

    low, high = np.quantile(samples, QUANTILES)
    return float(low), float(high)
