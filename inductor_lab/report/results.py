"""Measured results as words for the page: verdict, machine code, comparisons and contestants."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from inductor_lab.quantity import number, rate, took
from inductor_lab.records import Case, KernelSide, MachineCode, Paired, PerfDiff, Timing, Verdict
from inductor_lab.report import explanation, words
from inductor_lab.report.explanation import code_cells, is_several, kernels, step_told

LAUNCHED = {"graph": "both from CUDA graphs", "bare": "both launched bare"}
ASKS = {**LAUNCHED, "matched": "one configuration", "best": "each at its best"}
"""What are the launches worth? Is the code better? Is it worth it?"""
COLUMNS = ("hand kernel against", "", "ratio", "95 %", "hand", "the other", "")


def results(found: Verdict | PerfDiff | Machine) -> tuple[Result, ...]:
    """All that there is to tell of what was found, the sentence first."""
    return (result(found), *(besides(found) if isinstance(found, PerfDiff) else ()))


def besides(found: PerfDiff) -> tuple[Result, ...]:
    """What there is to tell behind a comparison itself: each kernel of a span, and the other contests."""
    return tuple(filter(None, (each_kernel(found), contests(found))))


def each_kernel(found: PerfDiff) -> Result | None:
    """The kernels of both sides; None where each is one."""
    sides = {"hand": found.hand, "generated": found.generated}
    if not any(map(is_several, sides.values())):
        return None
    return Result("Each kernel", "", "plain", "", *kernels(sides), ())


def contests(found: PerfDiff) -> Result | None:
    """None where the hand kernel was held against the generated one alone, as it stands."""
    told = [one for one in (found.launched, found.matched, found.best, *found.against) if one]
    if not told:
        return None
    return Result(
        "Against others", "", "plain", "", COLUMNS, tuple(tuple(_row(one)) for one in told), tuple(_contest_notes(told))
    )


def _row(one: Paired) -> Iterator[str]:
    yield ASKS.get(one.name, one.name)
    yield one.verdict
    yield from ratio_cells(one.ratio, one.interval, (one.hand, one.timing))
    if one.name in ASKS and one.name not in LAUNCHED:
        hand, other = words.configuration(one.hand_settings), words.configuration(one.settings)
        yield f"{hand or 'none'}; generated {other or 'none'}"
    else:
        yield ""


def ratio_cells(
    ratio: float | None, interval: tuple[float, float] | None, times: Iterable[Timing | None]
) -> Iterator[str]:
    """A ratio, its interval, the times; each empty where it is not known."""
    yield f"{ratio:.3f}x" if ratio is not None else ""
    yield "{:.3f} to {:.3f}".format(*interval) if interval else ""
    for timing in times:
        yield f"{timing.median:.2f} us" if timing else ""


def _contest_notes(told: Sequence[Paired]) -> Iterator[str]:
    """Each once, with those whom it is about."""
    about: dict[str, list[str]] = {}
    for one in told:
        for note in one.notes:
            about.setdefault(note, []).append(ASKS.get(one.name, one.name))
    yield from (f"{', '.join(names)}: {note}" for note, names in about.items())


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


Machine = Mapping[str, Sequence[MachineCode]]
"""`hand`, `generated` or a kernel's name -> what the compiler made of each launch."""


def result(found: Verdict | PerfDiff | Machine) -> Result:
    """What was found, in words."""
    if isinstance(found, Verdict):
        return _verdict(found)
    return _diff(found) if isinstance(found, PerfDiff) else _machine(found)


def tone(word: str) -> str:
    return "good" if word in GOOD else "bad" if word in BAD else "plain"


def _verdict(found: Verdict) -> Result:
    kinds = tuple(found.errors)
    drawn = [case for case in found.cases if case.passed and DRAWN.search(case.name)]
    rows = [_case(case, kinds) for case in found.cases if case not in drawn]
    if drawn:
        errors = {kind: [case.errors[kind] for case in drawn if kind in case.errors] for kind in kinds}
        worst = {kind: max(several) for kind, several in errors.items() if several}
        (message, *others) = {case.message for case in drawn}
        rows.append(_case(Case(f"{len(drawn)} drawn anew", True, worst, "" if others else message), kinds))
    device = f" on {found.device}" if found.device else ""
    allowed = f"; distance from float64 allowed: {_number(found.limit)}" if found.limit else ""
    sentence = f"{sum(case.passed for case in found.cases)} of {len(found.cases)} cases{device}{allowed}"
    notes = (*_where(next((case.where for case in found.cases if case.where), {})), *found.notes)
    columns = ("case", "", *kinds, "")
    return Result("Verified", found.verdict, tone(found.verdict), sentence, columns, tuple(rows), notes)


def _case(case: Case, kinds: Sequence[str]) -> tuple[str, ...]:
    errors = (_number(case.errors.get(kind)) for kind in kinds)
    return case.name, "pass" if case.passed else "fail", *errors, case.message


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


def _diff(found: PerfDiff) -> Result:
    sentence = "no time was measured: no GPU here"
    if found.ratio is not None:
        span = f" ({words.interval(found.ratio_interval, 3)})" if found.ratio_interval else ""
        sentence = f"{found.ratio:.3f}x the generated kernel's speed{span} on {found.device}".strip()
    sides = (found.hand, found.generated)
    cells: dict[str, list[str]] = {}
    several = any(map(is_several, sides))
    for position, side in enumerate(sides):
        for title, cell in _side(side, several).items():
            cells.setdefault(title, ["", ""])[position] = cell
    if any(found.settings.values()):
        stated = [words.configuration(found.settings.get(name)) for name in ("hand", "generated")]
        cells = {"configuration": stated, **cells}
    if not several:
        cells |= explanation.counted(sides)
    rows = tuple((title, *both) for title, both in cells.items())
    step = step_told(found.step) if found.step else ()
    notes = (*explanation.sentences(found), *_measured(found), *step, *found.notes)
    columns = ("", "hand", "generated") if rows else ()
    return Result(COMPARED, found.verdict, tone(found.verdict), sentence, columns, rows, notes)


COMPARED = "Against the generated kernel"


def _measured(found: PerfDiff) -> Iterator[str]:
    """How the times were taken, and what difference would be none."""
    how: Mapping[str, Any] = found.conditions
    if not how:
        return
    launch = "from a CUDA graph" if how.get("launch") == "graph" else "bare"
    yield (
        f"{how.get('rounds')} rounds, launched {launch}, {how.get('cache')} L2; launching, {how.get('overhead', 0.0):.1f} us, is taken off{_clocks(how)}."
    )
    if found.noise is not None and found.margin is not None:
        yield f"The generated kernel differs from itself by up to {found.noise:.1%}; a difference up to {found.margin:.1%} is none."


def _clocks(how: Mapping[str, Any]) -> str:
    after = how.get("after") or {}
    return f"; SM at {after['sm_mhz']} MHz, {after.get('celsius')} C" if after.get("sm_mhz") else ""


def _side(side: KernelSide, several: bool) -> dict[str, str]:
    """Time, rate and machine code of one kernel of a comparison; of `several` the code has a row for each, elsewhere."""
    cells = {}
    if timing := side.get("timing"):
        cells["time"] = took(timing)
        if timing.bytes_per_second:
            cells["rate"] = rate(timing.bytes_per_second)
        if timing.profiled:
            cells["by CUPTI"] = f"{timing.profiled:.2f} us"
    codes = side.get("machine", ())
    if several:
        launches = side.get("launches") or codes
        return cells | explanation.placed(side) | ({"launches": str(len(launches))} if launches else {})
    code = code_cells(codes[0]) if codes else {}
    return cells | explanation.placed(side) | code | explanation.filled(side)


def _machine(found: Machine) -> Result:
    codes = [(name, code) for name, several in found.items() for code in several]
    target = next((f"{code.gpu} ({code.arch})" for _, code in codes), "")
    sides: dict[str, KernelSide] = {name: {"machine": tuple(several)} for name, several in found.items()}
    if any(map(is_several, sides.values())):
        return Result(COMPILED, "", "plain", target, *kernels(sides), ())
    cells = [code_cells(code) for _, code in codes]
    titles = dict.fromkeys(title for one in cells for title in one)
    rows = tuple((title, *(one.get(title, "") for one in cells)) for title in titles)
    return Result(COMPILED, "", "plain", target, ("", *(name for name, _ in codes)), rows, ())


COMPILED = "Machine code"


def _number(value: Any) -> str:
    if not isinstance(value, (int, float)):
        return ""
    return f"{value:.2e}" if value else "0"
