"""What a comparison is to CI: passed, failed, an error or skipped, and the sentence that says why. Pure."""

from __future__ import annotations

from dataclasses import dataclass, replace

from inductor_lab.errors import LabError
from inductor_lab.records import Paired, PerfDiff
from inductor_lab.timing.statistics import SAME

NO_GPU = "no time was measured: there is no GPU here"
UNDECIDED = (
    "which is no pass: what was measured is too wide to tell; try more --rounds, or a card on which nothing else runs"
)

BLIND = ", but a difference of up to {} is none here, as the kernel is too short or the noise too loud"


@dataclass(frozen=True)
class Check:
    """One thing that was held to a limit."""

    file: str
    name: str
    """Against whom: `generated`, `eager`, `baseline`."""
    outcome: str
    """`passed`, `failed`, `error` or `skipped`."""
    sentence: str
    seconds: float = 0.0


def checks(file: str, found: PerfDiff | LabError, allowed: float | None, seconds: float = 0.0) -> list[Check]:
    """One for each whom the hand kernel was held against.

    Args:
        allowed: Percent by which it may be slower; None where nothing is asked of it.
    """
    if isinstance(found, LabError):
        return [Check(file, "generated", "error", str(found), seconds)]
    main = Paired("generated", found.verdict, found.ratio, found.ratio_interval, found.noise, found.margin)
    made = [Check(file, one.name, *speed(one, allowed)) for one in (main, *found.against)]
    return [replace(made[0], seconds=seconds), *made[1:]]


def speed(found: Paired, allowed: float | None) -> tuple[str, str]:
    """The outcome of one comparison, and its sentence.

    It fails where the whole interval says that the hand kernel is slower by more than is allowed, and that is beyond the noise; and where it is
    inconclusive, or the whole interval is beyond the limit and the margin of what can not be told apart is too. It passes where the interval lies
    across the limit: then nothing says that it is slower by more.
    """
    if found.verdict == "refused":
        return "error", " ".join(found.notes)
    if found.ratio is None or found.interval is None:
        return "skipped" if allowed is None else "error", NO_GPU
    low, high = found.interval
    told = f"{found.verdict}: {found.ratio:.3f}x the speed of {found.name} (95 %: {low:.3f} to {high:.3f})"
    if allowed is None:
        return "passed", told
    if found.verdict == "inconclusive":
        return "failed", f"{told}, {UNDECIDED}"
    beyond = f"slower by {percent(1 / high)} at the least, and {allowed:g} % is allowed"
    if found.verdict == "slower" and 1 / high > 1 + allowed / 100:
        return "failed", f"{told}, so {beyond}"
    blind = BLIND.format(percent(1 + found.margin)) if found.margin and found.margin > allowed / 100 else ""
    if found.verdict != "slower" and 1 / high > 1 + max(allowed / 100, SAME):
        return "failed", f"{told}, {beyond}{blind}, which is no pass"
    return "passed", f"{told}; {allowed:g} % slower is allowed{blind}"


def undecided(found: PerfDiff) -> bool:
    """Whether measuring for longer may tell more."""
    return any(one.verdict == "inconclusive" and one.ratio is not None for one in (found, *found.against))


def percent(ratio: float) -> str:
    """1.05 is 5.0 %."""
    return f"{100 * (ratio - 1):.1f} %"
