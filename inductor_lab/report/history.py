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
from inductor_lab.quantity import rate
from inductor_lab.records import Kept, PerfDiff, Timing, Tuning, Verdict
from inductor_lab.report.results import Result, result, tone
from inductor_lab.report.words import configuration, day, interval

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
    blocks = filter(None, (_block(kept, kind) for kind in (PerfDiff, Verdict)))
    past = tuple(_past(one) for one in reversed(kept[-MOST:]))
    return History(_stats(kept), tuple(blocks), _chart(kept), past, max(0, len(kept) - MOST))


def last_told(kept: Sequence[Kept]) -> str:
    """The last result that has a time, else the last, in a line: for a terminal."""
    one = next((one for one in reversed(kept) if _timing(one)), kept[-1])
    beside = f", {_rate(one)}" if _rate(one) else ""
    return f"{said(one)}{beside}: {one.file} on {one.device or 'an unknown card'}, {day(one.date)}"


def last_ratio(kept: Sequence[Kept]) -> str:
    """`1.210x faster`, or the last time or verdict: for a column."""
    for one in reversed(kept):
        if ratio := _ratio(one):
            return f"{ratio[0]:.3f}x {_word(one)}"
    return said(kept[-1]).partition(" (")[0]


def said(one: Kept) -> str:
    """What a result found, in a few words."""
    found, timing = one.result, _timing(one)
    took = f", {timing.median:.2f} us" if timing else ""
    match found:
        case PerfDiff():
            ratio = _ratio(one)
            return f"{found.verdict} {ratio[0]:.3f}x ({interval(ratio[1], 3)}){took}" if ratio else "not timed"
        case Timing():
            return f"{found.median:.2f} us ({interval(found.interval, 2)})"
        case Verdict():
            return f"{found.verdict}, {sum(case.passed for case in found.cases)} of {len(found.cases)} cases"
    return f"{found.verdict}: {configuration(found.best)}{took}"


def _timing(one: Kept) -> Timing | None:
    """The hand kernel's."""
    match one.result:
        case Timing() as found:
            return found
        case Tuning() as found:
            return found.after or found.before
        case PerfDiff() as found:
            return found.hand.get("timing")
    return None


def _ratio(one: Kept) -> tuple[float, tuple[float, float]] | None:
    """The ratio with its interval; None of what is no comparison, or was not timed."""
    match one.result:
        case PerfDiff(ratio=float() as ratio, ratio_interval=(low, high)):
            return ratio, (low, high)
    return None


def _rate(one: Kept) -> str:
    """`4.20 TB/s, 98 % of a copy`; the part where the copy's rate was measured in the same run, or on such a card, and the cache was cold as its."""
    timing = _timing(one)
    if timing is None or not timing.bytes_per_second:
        return ""
    place = one.result.hand.get("roofline") if isinstance(one.result, PerfDiff) else None
    ceiling = next((card.measured for card in GPUS.values() if card.name == one.device), None)
    share = (place and place.bytes_share) or (timing.bytes_per_second / ceiling if ceiling else None)
    told = f", {share:.0%} of a copy".replace("%", " %") if share and timing.cache != "warm" else ""
    return rate(timing.bytes_per_second) + told


def _stats(kept: Sequence[Kept]) -> tuple[tuple[str, str], ...]:
    found = []
    for one in reversed(kept):
        if timing := _timing(one):
            told = ", ".join(filter(None, (_rate(one), timing.launch, timing.cache)))
            found.append((f"{timing.median:.2f} us", f"measured, {told}"))
            break
    for one in reversed(kept):
        if ratio := _ratio(one):
            found.append((f"{ratio[0]:.3f}x", f"{_word(one)} ({interval(ratio[1], 3)}), {one.file}"))
            break
    return tuple(found)


def _block(kept: Sequence[Kept], kind: type[PerfDiff] | type[Verdict]) -> Result | None:
    """The last result of a kind in full, with the file and the day."""
    for one in reversed(kept):
        if isinstance(one.result, kind):
            shown = result(one.result)
            return replace(shown, sentence="; ".join(filter(None, (shown.sentence, _when(one)))))
    return None


def _past(one: Kept) -> Past:
    return Past(
        day(one.date), one.file, one.file_sha256[:8], VERBS.get(one.kind, one.kind), said(one), _tone(one), one.device
    )


def _tone(one: Kept) -> str:
    return "plain" if _word(one) == "same" else tone(_word(one))


def _word(one: Kept) -> str:
    """The verdict; empty of a time."""
    return "" if isinstance(one.result, Timing) else one.result.verdict


def _when(one: Kept) -> str:
    return f"{one.file}, {day(one.date)}"


def _measured_as(one: Kept) -> tuple[str, str, str]:
    """Card, launch and cache: ratios of others are not set beside it."""
    timing = _timing(one)
    return (one.device, timing.launch, timing.cache) if timing else (one.device, "", "")


def _chart(kept: Sequence[Kept]) -> Chart | None:
    """Of the comparisons that were timed as the last one was."""
    compared = [(one, *ratio) for one in kept if (ratio := _ratio(one))]
    compared = [row for row in compared if _measured_as(row[0]) == _measured_as(compared[-1][0])][-MOST:]
    if len(compared) < 2:
        return None
    least = min(1.0, *(low for _, _, (low, _) in compared))
    most = max(1.0, *(high for _, _, (_, high) in compared))
    room = max(0.02, 0.1 * (most - least))
    bottom, top = least - room, most + room

    def height(ratio: float) -> float:
        return round(TOP + HEIGHT * (top - ratio) / (top - bottom), 1)

    points = []
    for place, (one, speed, (low, high)) in enumerate(compared):
        how = ", ".join(filter(None, _measured_as(one)))
        title = f"{day(one.date)} {one.file} {one.file_sha256[:8]}: {said(one)} on {how}"
        x = round(LEFT + STEP * (place + 0.5), 1)
        points.append(Point(x, height(speed), height(low), height(high), _tone(one), title))
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
    for one in reversed(kept):
        if isinstance(one.result, PerfDiff) and "timing" in one.result.generated:
            return of_comparison(one.result, _when(one))
    return ()


def of_comparison(found: PerfDiff, when: str = "") -> tuple[Measured, ...]:
    """The generated kernel's time, and the hand kernel's."""
    told = ", ".join(filter(None, (f"on {found.device or 'an unknown card'}", when)))
    times = (("generated", found.generated.get("timing")), ("hand", found.hand.get("timing")))
    return tuple(Measured(who, timing.median * 1e-6, 0, told) for who, timing in times if timing)


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
    last = max((one for one in kept if "copy" in _rates(one)), key=lambda one: one.date, default=None)
    if last is None:
        return None
    rates = _rates(last)
    return MeasuredRoof(f"on {last.device or 'an unknown card'}, {_when(last)}", rates.pop("copy"), rates)


def _rates(one: Kept) -> dict[str, float]:
    """What each ceiling of a comparison is called, and how much of it a second; none of another result."""
    ceilings = one.result.ceilings if isinstance(one.result, PerfDiff) else ()
    return {ceiling.name: ceiling.per_second for ceiling in ceilings if ceiling.per_second}
