"""What was measured of a kernel: in comparisons with a hand kernel that were kept, or in a profile.

Of what was kept the last result in a line, the last of each kind in full, and a small chart of ratios over time. A profile is the JSON that
torch.profiler exported, as times by the kernel's name; the file is read elsewhere.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

from inductor_lab.errors import LabError
from inductor_lab.gpus import GPUS
from inductor_lab.records import Kept
from inductor_lab.report.results import Result, result, tone
from inductor_lab.report.words import configuration, day, interval, side_timing

VERBS = {"timing": "bench", "diff": "diff", "verdict": "verify", "tuning": "tune"}
"""Kind of a result -> the verb that made it."""
MOST = 12
"""Results that a history lists, and points that its chart has."""
STEP, HEIGHT, LEFT, TOP = 30.0, 64.0, 46.0, 10.0
"""Of the chart, in its own units: between points, of the plot, and the room beside and above it."""


@dataclass(frozen=True)
class Point:
    """A comparison in the chart: a ratio with its interval."""

    x: float
    y: float
    low: float
    high: float
    """Where the interval ends, downwards as SVG counts."""
    tone: str
    title: str


@dataclass(frozen=True)
class Chart:
    """Ratios over time, the oldest on the left; all of one card, launch and cache."""

    width: float
    height: float
    left: float
    right: float
    one: float
    """Where the line of the generated kernel's own speed is."""
    points: tuple[Point, ...]
    labels: tuple[tuple[float, str], ...]
    """Height and text of what stands beside the axis."""


@dataclass(frozen=True)
class Past:
    """One result in the list."""

    date: str
    file: str
    edit: str
    """The first digits of the hash of what was measured."""
    verb: str
    said: str
    tone: str
    device: str


@dataclass(frozen=True)
class History:
    """Of one kernel."""

    stats: tuple[tuple[str, str], ...]
    """The last time and the last ratio, each with what it is."""
    results: tuple[Result, ...]
    """The last of each kind."""
    chart: Chart | None
    """None where fewer than two comparisons were timed as the last one was."""
    past: tuple[Past, ...]
    """The last first."""
    earlier: int
    """How many more there are."""


def history(kept: Sequence[Kept]) -> History | None:
    """From a kernel's results, the oldest first; None without any."""
    if not kept:
        return None
    last = {one.kind: one for one in kept}
    blocks = (_block(one) for kind in VERBS if (one := last.get(kind)) and kind in ("verdict", "diff"))
    past = tuple(_past(one) for one in reversed(kept[-MOST:]))
    return History(_stats(kept), tuple(blocks), _chart(kept), past, max(0, len(kept) - MOST))


def last_told(kept: Sequence[Kept]) -> str:
    """The last result that has a time, else the last, in a line: for a terminal."""
    one = next((one for one in reversed(kept) if _timing(one)), kept[-1])
    rate = f", {_rate(one)}" if _rate(one) else ""
    return f"{said(one)}{rate}: {one.file} on {one.device or 'an unknown card'}, {day(one.date)}"


def last_ratio(kept: Sequence[Kept]) -> str:
    """`1.210x faster`, or the last time or verdict: for a column."""
    compared = next((one for one in reversed(kept) if _ratio(one) is not None), None)
    if compared:
        return f"{_ratio(compared):.3f}x {compared.result['verdict']}"
    return said(kept[-1]).partition(" (")[0]


def said(one: Kept) -> str:
    """What a result found, in a few words."""
    found: Mapping[str, Any] = one.result
    timing = _timing(one)
    took = f"{timing['median']:.2f} us" if timing else ""
    if one.kind == "diff":
        if _ratio(one) is None:
            return "not timed"
        return f"{found['verdict']} {found['ratio']:.3f}x ({_span(one)}){f', {took}' if took else ''}"
    if one.kind == "timing":
        return f"{took} ({interval(found['interval'], 2)})"
    if one.kind == "verdict":
        cases = found.get("cases") or ()
        return f"{found['verdict']}, {sum(bool(case['passed']) for case in cases)} of {len(cases)} cases"
    return f"{found['verdict']}: {configuration(found['best'])}{f', {took}' if took else ''}"


def _timing(one: Kept) -> Mapping[str, Any] | None:
    """The hand kernel's."""
    found: Mapping[str, Any] = one.result
    if one.kind == "timing":
        return found
    if one.kind == "tuning":
        return found.get("after") or found.get("before")
    return side_timing(found, "hand")


def _ratio(one: Kept) -> float | None:
    found: Mapping[str, Any] = one.result
    return found.get("ratio") if one.kind == "diff" and found.get("ratio_interval") else None


def _interval(one: Kept) -> tuple[float, float]:
    """Of the ratio, where there is one."""
    found: Mapping[str, Any] = one.result
    low, high = found["ratio_interval"]
    return low, high


def _span(one: Kept) -> str:
    return interval(_interval(one), 3)


def _rate(one: Kept) -> str:
    """`4.20 TB/s, 98 % of a copy`; the part where the copy's rate was measured in the same run, or on such a card, and the cache was cold as its."""
    timing = _timing(one)
    per_second = timing.get("bytes_per_second") if timing else None
    if not per_second:
        return ""
    found: Mapping[str, Any] = one.result
    place = (found.get("hand") or {}).get("roofline") or {}
    ceiling = next((card.measured for card in GPUS.values() if card.name == one.device), None)
    share = place.get("bytes_share") or (per_second / ceiling if ceiling else None)
    if timing and timing.get("cache") == "warm":
        share = None
    return f"{per_second / 1e12:.2f} TB/s" + (f", {share:.0%} of a copy".replace("%", " %") if share else "")


def _stats(kept: Sequence[Kept]) -> tuple[tuple[str, str], ...]:
    found = []
    if timed := next((one for one in reversed(kept) if _timing(one)), None):
        timing = _timing(timed) or {}
        told = ", ".join(filter(None, (_rate(timed), timing.get("launch"), timing.get("cache"))))
        found.append((f"{timing['median']:.2f} us", f"measured, {told}" if told else "measured"))
    if compared := next((one for one in reversed(kept) if _ratio(one) is not None), None):
        found.append(
            (f"{_ratio(compared):.3f}x", f"{said(compared).partition(' ')[0]} ({_span(compared)}), {compared.file}")
        )
    return tuple(found)


def _block(one: Kept) -> Result:
    """A result in full, with the file and the day."""
    shown = result(one.kind, one.result)
    return replace(shown, sentence="; ".join(filter(None, (shown.sentence, _when(one)))))


def _past(one: Kept) -> Past:
    return Past(
        day(one.date), one.file, one.file_sha256[:8], VERBS.get(one.kind, one.kind), said(one), _tone(one), one.device
    )


def _tone(one: Kept) -> str:
    word = str(one.result.get("verdict", ""))
    return "plain" if word == "same" else tone(word)


def _when(one: Kept) -> str:
    return f"{one.file}, {day(one.date)}"


def _measured_as(one: Kept) -> tuple[str, str, str]:
    """Card, launch and cache: ratios of others are not set beside it."""
    timing = _timing(one) or {}
    return one.device, timing.get("launch", ""), timing.get("cache", "")


def _chart(kept: Sequence[Kept]) -> Chart | None:
    """Of the comparisons that were timed as the last one was."""
    compared = [one for one in kept if _ratio(one) is not None]
    compared = [one for one in compared if _measured_as(one) == _measured_as(compared[-1])][-MOST:]
    if len(compared) < 2:
        return None
    spans = [_interval(one) for one in compared]
    least, most = min(1.0, *(low for low, _ in spans)), max(1.0, *(high for _, high in spans))
    room = max(0.02, 0.1 * (most - least))
    bottom, top = least - room, most + room

    def height(ratio: float) -> float:
        return round(TOP + HEIGHT * (top - ratio) / (top - bottom), 1)

    points = []
    for place, (one, (low, high)) in enumerate(zip(compared, spans, strict=True)):
        how = ", ".join(filter(None, _measured_as(one)))
        title = f"{day(one.date)} {one.file} {one.file_sha256[:8]}: {said(one)} on {how}"
        x = round(LEFT + STEP * (place + 0.5), 1)
        points.append(Point(x, height(_ratio(one) or 1.0), height(low), height(high), _tone(one), title))
    right = LEFT + STEP * len(compared)
    beside = [(height(ratio), f"{ratio:.2f}x") for ratio in (least, most) if abs(height(ratio) - height(1.0)) > 12]
    return Chart(
        right + 6, HEIGHT + 2 * TOP, LEFT, right, height(1.0), tuple(points), (*beside, (height(1.0), "1.00x"))
    )


# ---- times of one launch: from a comparison, or from a profile


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
    for name, seconds in _launched(events):
        before = found.get(name, Seen(0, 0.0))
        found[name] = Seen(before.count + 1, before.seconds + seconds)
    if not found:
        raise LabError(f"{file} holds no kernel that ran on a GPU: profile with ProfilerActivity.CUDA.")
    return Profile(file, found)


def _launched(events: Iterable[Any]) -> Iterable[tuple[str, float]]:
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
    last = next((one for one in reversed(kept) if one.kind == "diff" and side_timing(one.result, "generated")), None)
    return of_comparison(last.result, _when(last)) if last else ()


def of_comparison(found: Mapping[str, Any], when: str = "") -> tuple[Measured, ...]:
    """Of the dict of a PerfDiff: the generated kernel's time, and the hand kernel's."""
    told = ", ".join(filter(None, (f"on {found.get('device') or 'an unknown card'}", when)))
    times = [(who, side_timing(found, who)) for who in ("generated", "hand")]
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
    when = _when(last)
    return MeasuredRoof(f"on {last.device or 'an unknown card'}, {when}", rates.pop("copy"), rates)


def _rates(found: Mapping[str, Any]) -> dict[str, float]:
    """What each ceiling of a PerfDiff's dict is called, and how much of it a second."""
    ceilings = found.get("ceilings") or ()
    return {one["name"]: one["per_second"] for one in ceilings if one.get("per_second")}
