"""Times of a kernel that somebody measured, each of one launch: from a profile, or from comparisons with a hand kernel."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
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


def _timing(found: Mapping[str, Any], who: str) -> Mapping[str, Any] | None:
    side = found.get(who)
    timing = side.get("timing") if isinstance(side, Mapping) else None
    return timing if isinstance(timing, Mapping) else None
