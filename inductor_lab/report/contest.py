"""Whom a hand kernel was held against besides the generated one, as one table: matched, each at its best, and every contestant."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from inductor_lab.report.each_kernel import is_several, kernels
from inductor_lab.report.results import Result

LAUNCHED = {"graph": "both from CUDA graphs", "bare": "both launched bare"}
ASKS = {**LAUNCHED, "matched": "one configuration", "best": "each at its best"}
"""What are the launches worth? Is the code better? Is it worth it?"""
COLUMNS = ("hand kernel against", "", "ratio", "95 %", "hand", "the other", "")


def besides(found: Mapping[str, Any]) -> tuple[Result, ...]:
    """What there is to tell of a PerfDiff's dict behind the comparison itself: each kernel of a span, and the other contests."""
    return tuple(filter(None, (each_kernel(found), contests(found))))


def each_kernel(found: Mapping[str, Any]) -> Result | None:
    """The kernels of both sides; None where each is one."""
    sides = {name: found.get(name) or {} for name in ("hand", "generated")}
    if not any(map(is_several, sides.values())):
        return None
    return Result("Each kernel", "", "plain", "", *kernels(sides), ())


def contests(found: Mapping[str, Any]) -> Result | None:
    """Of the dict of a PerfDiff; None where the hand kernel was held against the generated one alone, as it stands."""
    told = [found[name] for name in ("launched", "matched", "best") if found.get(name)] + list(
        found.get("against") or ()
    )
    if not told:
        return None
    return Result(
        "Against others", "", "plain", "", COLUMNS, tuple(tuple(_row(one)) for one in told), tuple(_notes(told))
    )


def configuration(settings: Mapping[str, int] | None) -> str:
    """`BLOCK=1024, num_warps=4`; empty where none is stated."""
    return ", ".join(f"{name}={value}" for name, value in (settings or {}).items())


def _row(one: Mapping[str, Any]) -> Iterator[str]:
    yield ASKS.get(one["name"], str(one["name"]))
    yield str(one["verdict"])
    interval = one.get("interval")
    yield f"{one['ratio']:.3f}x" if one.get("ratio") is not None else ""
    yield f"{interval[0]:.3f} to {interval[1]:.3f}" if interval else ""
    for timing in (one.get("hand"), one.get("timing")):
        yield f"{timing['median']:.2f} us" if timing else ""
    if one["name"] in ASKS and one["name"] not in LAUNCHED:
        hand, other = configuration(one.get("hand_settings")), configuration(one.get("settings"))
        yield f"{hand or 'none'}; generated {other or 'none'}"
    else:
        yield ""


def _notes(told: list[Mapping[str, Any]]) -> Iterator[str]:
    """Each once, with those whom it is about."""
    about: dict[str, list[str]] = {}
    for one in told:
        for note in one.get("notes") or ():
            about.setdefault(str(note), []).append(ASKS.get(one["name"], str(one["name"])))
    yield from (f"{', '.join(names)}: {note}" for note, names in about.items())
