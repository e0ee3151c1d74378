"""Times of a kernel that somebody measured, each of one launch: from a profile, or from comparisons with a hand kernel."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from inductor_lab.records import Kept
from inductor_lab.report.profile import Profile


@dataclass(frozen=True)
class Measured:
    """One time."""

    who: str
    """`generated`, Inductor's kernel, or `hand`."""
    seconds: float
    """Of one launch."""
    count: int
    """How many launches a profile has of it; 0 from a comparison."""
    told: str
    """`on NVIDIA H200, 2026-11-22 10:02`: where and when."""


def of_profile(name: str, profile: Profile | None, alike: int = 1) -> tuple[Measured, ...]:
    """Of the kernels of this name in a profile; `alike` says how many of the capture bear it."""
    seen = profile.kernels.get(name) if profile else None
    if profile is None or seen is None:
        return ()
    shared = f", of the {alike} kernels of this name together" if alike > 1 else ""
    return (Measured("generated", seen.seconds / seen.count, seen.count, f"in {profile.file}{shared}"),)


def of_kept(kept: Sequence[Kept]) -> tuple[Measured, ...]:
    """Of the last comparison that was timed."""
    last = next((one for one in reversed(kept) if one.kind == "diff" and _timing(one.result, "generated")), None)
    return of_comparison(last.result, f"{last.file}, {last.date[:16].replace('T', ' ')}") if last else ()


def of_comparison(found: Mapping[str, Any], when: str = "") -> tuple[Measured, ...]:
    """Of the dict of a PerfDiff: the generated kernel's time, and the hand kernel's."""
    told = ", ".join(filter(None, (f"on {found.get('device') or 'an unknown card'}", when)))
    times = [(who, _timing(found, who)) for who in ("generated", "hand")]
    return tuple(Measured(who, timing["median"] * 1e-6, 0, told) for who, timing in times if timing)


def seconds(kept: Mapping[str, Sequence[Kept]], card: str) -> dict[str, float]:
    """A body's hash -> seconds of one launch of the generated kernel, of those that a kept comparison timed on this card."""
    found = {}
    for body, results in kept.items():
        for time in of_kept([one for one in results if one.device == card]):
            if time.who == "generated":
                found[body] = time.seconds
    return found


@dataclass(frozen=True)
class MeasuredRoof:
    """What a card did at most when a kernel was compared on it: the ceilings of one `diff`."""

    told: str
    """`on NVIDIA H200, mine.py, 2026-11-22 10:02`."""
    bandwidth: float
    """Bytes a second of a large copy."""
    flops: Mapping[str, float]
    """Operations a second of a large product, by precision: `fp32`, `bf16`."""


def roof(kept: Iterable[Kept]) -> MeasuredRoof | None:
    """Of the last comparison that measured a card; None where none did."""
    timed = (one for one in kept if one.kind == "diff" and _rates(one.result).get("copy"))
    last = max(timed, key=lambda one: one.date, default=None)
    if last is None:
        return None
    rates = _rates(last.result)
    when = f"{last.file}, {last.date[:16].replace('T', ' ')}"
    return MeasuredRoof(f"on {last.device or 'an unknown card'}, {when}", rates.pop("copy"), rates)


def _rates(found: Mapping[str, Any]) -> dict[str, float]:
    """What each ceiling of a PerfDiff's dict is called, and how much of it a second."""
    ceilings = found.get("ceilings") or ()
    return {one["name"]: one["per_second"] for one in ceilings if one.get("per_second")}


def _timing(found: Mapping[str, Any], who: str) -> Mapping[str, Any] | None:
    side = found.get(who)
    timing = side.get("timing") if isinstance(side, Mapping) else None
    return timing if isinstance(timing, Mapping) else None
