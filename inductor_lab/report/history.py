"""What was measured of a kernel over time: the last result in a line, the last of each kind in full, and a small chart of ratios."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

from inductor_lab.gpus import GPUS
from inductor_lab.records import Kept
from inductor_lab.report.results import BAD, GOOD, Result, result

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
    return f"{said(one)}{rate}: {one.file} on {one.device or 'an unknown card'}, {_day(one)}"


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
        low, high = found["interval"]
        return f"{took} (95 %: {low:.2f} to {high:.2f})"
    if one.kind == "verdict":
        cases = found.get("cases") or ()
        return f"{found['verdict']}, {sum(bool(case['passed']) for case in cases)} of {len(cases)} cases"
    best = ", ".join(f"{name}={value}" for name, value in found["best"].items())
    return f"{found['verdict']}: {best}{f', {took}' if took else ''}"


def _timing(one: Kept) -> Mapping[str, Any] | None:
    """The hand kernel's."""
    found: Mapping[str, Any] = one.result
    if one.kind == "timing":
        return found
    if one.kind == "tuning":
        return found.get("after") or found.get("before")
    return (found.get("hand") or {}).get("timing")


def _ratio(one: Kept) -> float | None:
    found: Mapping[str, Any] = one.result
    return found.get("ratio") if one.kind == "diff" and found.get("ratio_interval") else None


def _interval(one: Kept) -> tuple[float, float]:
    """Of the ratio, where there is one."""
    found: Mapping[str, Any] = one.result
    low, high = found["ratio_interval"]
    return low, high


def _span(one: Kept) -> str:
    low, high = _interval(one)
    return f"95 %: {low:.3f} to {high:.3f}"


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
    return replace(shown, sentence="; ".join(filter(None, (shown.sentence, f"{one.file}, {_day(one)}"))))


def _past(one: Kept) -> Past:
    return Past(
        _day(one), one.file, one.file_sha256[:8], VERBS.get(one.kind, one.kind), said(one), _tone(one), one.device
    )


def _tone(one: Kept) -> str:
    word = str(one.result.get("verdict", ""))
    return "plain" if word == "same" else "good" if word in GOOD else "bad" if word in BAD else "plain"


def _day(one: Kept) -> str:
    return one.date[:16].replace("T", " ")


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
        title = f"{_day(one)} {one.file} {one.file_sha256[:8]}: {said(one)} on {how}"
        x = round(LEFT + STEP * (place + 0.5), 1)
        points.append(Point(x, height(_ratio(one) or 1.0), height(low), height(high), _tone(one), title))
    right = LEFT + STEP * len(compared)
    beside = [(height(ratio), f"{ratio:.2f}x") for ratio in (least, most) if abs(height(ratio) - height(1.0)) > 12]
    return Chart(
        right + 6, HEIGHT + 2 * TOP, LEFT, right, height(1.0), tuple(points), (*beside, (height(1.0), "1.00x"))
    )
