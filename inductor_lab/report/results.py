"""Measured results as words for the page: verdict, machine code, comparisons and contestants."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from inductor_lab.quantity import number
from inductor_lab.report import explanation, words
from inductor_lab.report.explanation import code_cells, codes, is_several, kernels, step_told

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
        "Against others", "", "plain", "", COLUMNS, tuple(tuple(_row(one)) for one in told), tuple(_contest_notes(told))
    )


def _row(one: Mapping[str, Any]) -> Iterator[str]:
    yield ASKS.get(one["name"], str(one["name"]))
    yield str(one["verdict"])
    interval = one.get("interval")
    yield f"{one['ratio']:.3f}x" if one.get("ratio") is not None else ""
    yield f"{interval[0]:.3f} to {interval[1]:.3f}" if interval else ""
    for timing in (one.get("hand"), one.get("timing")):
        yield f"{timing['median']:.2f} us" if timing else ""
    if one["name"] in ASKS and one["name"] not in LAUNCHED:
        hand, other = words.configuration(one.get("hand_settings")), words.configuration(one.get("settings"))
        yield f"{hand or 'none'}; generated {other or 'none'}"
    else:
        yield ""


def _contest_notes(told: list[Mapping[str, Any]]) -> Iterator[str]:
    """Each once, with those whom it is about."""
    about: dict[str, list[str]] = {}
    for one in told:
        for note in one.get("notes") or ():
            about.setdefault(str(note), []).append(ASKS.get(one["name"], str(one["name"])))
    yield from (f"{', '.join(names)}: {note}" for note, names in about.items())


TITLES = {"verdict": "Verified", "machine": "Machine code", "diff": "Against the generated kernel"}
DRAWN = re.compile(r", seed \d+$")
"""How a case's name ends that is another in each run: those that pass are one row."""
GOOD, BAD = {"pass", "faster", "same"}, {"fail", "slower"}


@dataclass(frozen=True)
class Result:
    """One block of a kernel's results."""

    title: str
    word: str
    """`pass`, `faster`; empty where there is no verdict."""
    tone: str
    """`good`, `bad` or `plain`."""
    sentence: str
    columns: tuple[str, ...]
    rows: tuple[tuple[str, ...], ...]
    notes: tuple[str, ...]


def result(kind: str, value: Any) -> Result:
    """A result from the dict of its record. An unknown kind is shown by its fields."""
    if kind == "verdict" and isinstance(value, Mapping):
        return _verdict(value)
    if kind == "diff" and isinstance(value, Mapping):
        return _diff(value)
    if kind == "machine":
        return _machine(value)
    pairs = value.items() if isinstance(value, Mapping) else [("", value)]
    rows = tuple((str(key), str(inner)) for key, inner in pairs)
    return Result(TITLES.get(kind, kind), "", "plain", "", ("", ""), rows, ())


def tone(word: str) -> str:
    return "good" if word in GOOD else "bad" if word in BAD else "plain"


def _verdict(found: Mapping[str, Any]) -> Result:
    word = str(found.get("verdict", ""))
    cases = found.get("cases") or ()
    kinds = tuple(found.get("errors") or ())
    passed = sum(bool(case.get("passed")) for case in cases)
    drawn = [case for case in cases if case.get("passed") and DRAWN.search(str(case.get("name", "")))]
    rows = [_case(case, kinds) for case in cases if case not in drawn]
    if drawn:
        errors = {kind: [e[kind] for case in drawn if kind in (e := case.get("errors") or {})] for kind in kinds}
        worst = {kind: max(several) for kind, several in errors.items() if several}
        (message, *others) = {str(case.get("message", "")) for case in drawn}
        told = {
            "name": f"{len(drawn)} drawn anew",
            "passed": True,
            "errors": worst,
            "message": "" if others else message,
        }
        rows.append(_case(told, kinds))
    device = f" on {found['device']}" if found.get("device") else ""
    allowed = f"; distance from float64 allowed: {_number(found['limit'])}" if found.get("limit") else ""
    sentence = f"{passed} of {len(cases)} cases{device}{allowed}"
    where: Mapping[str, Any] = next((case["where"] for case in cases if case.get("where")), {})
    notes = (*_where(where), *_notes(found))
    return Result(TITLES["verdict"], word, tone(word), sentence, ("case", "", *kinds, ""), tuple(rows), notes)


def _case(case: Mapping[str, Any], kinds: Sequence[str]) -> tuple[str, ...]:
    errors = case.get("errors") or {}
    word = "pass" if case.get("passed") else "fail"
    return str(case.get("name", "")), word, *(_number(errors.get(kind)) for kind in kinds), str(case.get("message", ""))


def _where(found: Mapping[str, Any]) -> Iterator[str]:
    """The first wrong element, what the wrong ones have in common, and the smallest inputs that still fail."""
    if not found:
        return
    place = f"{found['tensor']}{list(found['index'])}"
    far = ""
    ulps = found["ulps"]
    if not isinstance(found["exact"], int):
        far = f", float64 {_exactly(found['exact'])}"
        far += f", {_count(ulps)} ULP from float64" if isinstance(ulps, int | float) and ulps < 1e9 else ""
    program = found.get("program")
    by = f"; program {tuple(program)} wrote it, lane {found['lane']}" if program else ""
    yield (f"first wrong   {place} is {_exactly(found['value'])}, eager {_exactly(found['eager'])}{far}{by}")
    yield f"all wrong     {found['wrong']:,} of {found['of']:,}: {found['pattern']}"
    if found.get("smallest"):
        yield f"still wrong   with {found['smallest']}"


def _exactly(value: Any) -> str:
    return number(value, 9) if isinstance(value, float) else str(value)


def _count(value: float) -> str:
    return f"{value:,.0f}" if value >= 10 else f"{value:.1f}"


def _diff(found: Mapping[str, Any]) -> Result:
    word = str(found.get("verdict", ""))
    sentence = f"on {found['device']}" if found.get("ratio") is not None else "no time was measured: no GPU here"
    ratio, ends = found.get("ratio"), found.get("ratio_interval")
    if ratio is not None:
        span = f" ({words.interval(ends, 3)})" if ends else ""
        sentence = f"{ratio:.3f}x the generated kernel's speed{span} {sentence}".strip()
    sides = [("hand", found.get("hand") or {}), ("generated", found.get("generated") or {})]
    cells: dict[str, list[str]] = {}
    several = any(is_several(side) for _, side in sides)
    for position, (_, side) in enumerate(sides):
        for title, cell in _side(side, several).items():
            cells.setdefault(title, ["", ""])[position] = cell
    settings = found.get("settings") or {}
    if any(settings.values()):
        cells = {"configuration": [words.configuration(settings.get(name)) for name, _ in sides], **cells}
    if not several:
        cells |= explanation.counted([side for _, side in sides])
    rows = tuple((title, *both) for title, both in cells.items())
    step = found.get("step")
    notes = (*explanation.sentences(found), *_measured(found), *(step_told(step) if step else ()), *_notes(found))
    return Result(TITLES["diff"], word, tone(word), sentence, ("", "hand", "generated") if rows else (), rows, notes)


def _measured(found: Mapping[str, Any]) -> Iterator[str]:
    """How the times were taken, and what difference would be none."""
    how = found.get("conditions") or {}
    if not how:
        return
    launch = "from a CUDA graph" if how.get("launch") == "graph" else "bare"
    yield (
        f"{how.get('rounds')} rounds, launched {launch}, {how.get('cache')} L2; launching, {how.get('overhead', 0.0):.1f} us, is taken off{_clocks(how)}."
    )
    noise, margin = found.get("noise"), found.get("margin")
    if noise is not None and margin is not None:
        yield f"The generated kernel differs from itself by up to {noise:.1%}; a difference up to {margin:.1%} is none."


def _clocks(how: Mapping[str, Any]) -> str:
    after = how.get("after") or {}
    return f"; SM at {after['sm_mhz']} MHz, {after.get('celsius')} C" if after.get("sm_mhz") else ""


def _side(side: Mapping[str, Any], several: bool) -> dict[str, str]:
    """Time, rate and machine code of one kernel of a comparison; of `several` the code has a row for each, elsewhere."""
    cells = {}
    if timing := words.side_timing({"": side}, ""):
        low, high = timing["interval"]
        cells["time"] = f"{timing['median']:.2f} us ({low:.2f} to {high:.2f})"
        if timing.get("bytes_per_second"):
            cells["rate"] = f"{timing['bytes_per_second'] / 1e12:.2f} TB/s"
        if timing.get("profiled"):
            cells["by CUPTI"] = f"{timing['profiled']:.2f} us"
    if several:
        launches = side.get("launches") or codes(side)
        return cells | explanation.placed(side) | ({"launches": str(len(launches))} if launches else {})
    code = code_cells(found[0]) if (found := codes(side)) else {}
    return cells | explanation.placed(side) | code | explanation.filled(side)


def _machine(value: Any) -> Result:
    found: list[tuple[str, Mapping[str, Any]]] = []
    if isinstance(value, Mapping) and "registers" in value:
        found = [("", value)]
    elif isinstance(value, Mapping):
        for name, inner in value.items():
            several = inner if isinstance(inner, Sequence) else [inner]
            found += [(str(name), code) for code in several if isinstance(code, Mapping)]
    elif isinstance(value, Sequence):
        found = [(str(code.get("kernel", "")), code) for code in value if isinstance(code, Mapping)]
    target = next((f"{code.get('gpu', '')} ({code.get('arch', '')})" for _, code in found), "")
    sides = {side: {"machine": [code for name, code in found if name == side]} for side, _ in found}
    if any(map(is_several, sides.values())):
        return Result(TITLES["machine"], "", "plain", target, *kernels(sides), ())
    titles = dict.fromkeys(title for _, code in found for title in code_cells(code))
    rows = tuple((title, *(code_cells(code).get(title, "") for _, code in found)) for title in titles)
    return Result(TITLES["machine"], "", "plain", target, ("", *(name for name, _ in found)), rows, ())


def _notes(found: Mapping[str, Any]) -> tuple[str, ...]:
    return tuple(str(note) for note in found.get("notes") or ())


def _number(value: Any) -> str:
    if not isinstance(value, (int, float)):
        return ""
    return f"{value:.2e}" if value else "0"
