"""Times of a kernel that somebody measured, each of one launch: from comparisons with a hand kernel, or from a profile.

The profile is the JSON that torch.profiler exported, as times by the kernel's name; the file is read elsewhere.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from inductor_lab.errors import LabError
from inductor_lab.records import Kept


@dataclass(frozen=True)
class Seen:
    """Kernels of one name in a profile."""

    count: int
    seconds: float
    """Of all together."""


@dataclass(frozen=True)
class Profile:
    """What ran on the card."""

    file: str
    """As it was given: the page names it, for Perfetto."""
    kernels: Mapping[str, Seen]


def profile(document: Any, file: str) -> Profile:
    """Of a trace in Chrome's format, as `torch.profiler.profile.export_chrome_trace` writes it.

    Raises:
        LabError: it is no such trace, or no kernel ran in it.
    """
    events = document.get("traceEvents") if isinstance(document, Mapping) else document
    if not isinstance(events, list):
        raise LabError(f"{file} is no profile: export one with torch.profiler's export_chrome_trace.")
    found: dict[str, Seen] = {}
    for name, seconds in _kernels(events):
        before = found.get(name, Seen(0, 0.0))
        found[name] = Seen(before.count + 1, before.seconds + seconds)
    if not found:
        raise LabError(f"{file} holds no kernel that ran on a GPU: profile with ProfilerActivity.CUDA.")
    return Profile(file, found)


def _kernels(events: Iterable[Any]) -> Iterable[tuple[str, float]]:
    """Name and seconds of every kernel that ran."""
    for event in events:
        if isinstance(event, Mapping) and event.get("cat") == "kernel":
            name, microseconds = event.get("name"), event.get("dur")
            if isinstance(name, str) and isinstance(microseconds, int | float):
                yield name, microseconds * 1e-6


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
