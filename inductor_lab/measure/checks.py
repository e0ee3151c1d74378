"""What a comparison is to CI: passed, failed, an error or skipped, and the sentence that says why; and such checks as JUnit XML. Pure.

`decided` measures for longer where a first comparison could not tell. `junit` follows Jenkins' schema (junit-10.xsd), which GitLab and the GitHub actions
that show test reports read too.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import UTC, datetime
from typing import Any
from xml.etree import ElementTree as Xml

from inductor_lab.errors import LabError
from inductor_lab.measure.timing.samples import MAX_ROUNDS, ROUNDS, Method
from inductor_lab.measure.timing.significance import SAME
from inductor_lab.records import Paired, PerfDiff

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


LONGER = 4
"""Times as many rounds."""


def decided(
    diff: Callable[..., PerfDiff], *files: Any, method: Method, progress: Callable[[str], None], **asked: Any
) -> PerfDiff:
    """What `diff` finds; where that is inconclusive, what it finds in four times as many rounds."""
    found = diff(*files, method=method, progress=progress, **asked)
    rounds = min(LONGER * (method.rounds or ROUNDS), MAX_ROUNDS)
    if not undecided(found) or rounds <= (method.rounds or ROUNDS):
        return found
    progress(f"inconclusive; measuring again, in {rounds} rounds")
    return diff(*files, method=replace(method, rounds=rounds), progress=progress, **asked)


def percent(ratio: float) -> str:
    """1.05 is 5.0 %."""
    return f"{100 * (ratio - 1):.1f} %"


SUITE = "inductor-lab diff"
ELEMENTS = {"failed": "failure", "error": "error", "skipped": "skipped"}
NO_XML = re.compile("[^\t\n\r\x20-\ud7ff\ue000-\ufffd\U00010000-\U0010ffff]")
"""Characters that no XML may hold: a compiler's message can be coloured."""


def junit(checks: Sequence[Check], properties: Mapping[str, str], began: datetime | None = None) -> str:
    """One test suite: a test case for each check, named by the file and by whom it was held against."""
    counts = {
        "tests": str(len(checks)),
        "failures": str(_count(checks, "failed")),
        "errors": str(_count(checks, "error")),
        "time": f"{sum(check.seconds for check in checks):.3f}",
    }
    root = Xml.Element("testsuites", {"name": SUITE, **counts})
    when = f"{began or datetime.now(UTC):%Y-%m-%dT%H:%M:%S}"
    skipped = {"skipped": str(_count(checks, "skipped"))}
    suite = Xml.SubElement(root, "testsuite", {"name": SUITE, **counts, **skipped, "timestamp": when})
    told = Xml.SubElement(suite, "properties")
    for name, value in properties.items():
        Xml.SubElement(told, "property", {"name": name, "value": _clean(value)})
    for check in checks:
        name = f"against {_clean(check.name)}"
        attributes = {"classname": _clean(check.file), "name": name, "time": f"{check.seconds:.3f}"}
        _told(Xml.SubElement(suite, "testcase", attributes), check)
    Xml.indent(root)
    return '<?xml version="1.0" encoding="utf-8"?>\n' + Xml.tostring(root, encoding="unicode") + "\n"


def _told(case: Xml.Element, check: Check) -> None:
    """What became of a test case."""
    sentence = _clean(check.sentence)
    if check.outcome == "passed":
        Xml.SubElement(case, "system-out").text = sentence
        return
    of_type = {} if check.outcome == "skipped" else {"type": "slower" if check.outcome == "failed" else "error"}
    Xml.SubElement(case, ELEMENTS[check.outcome], {"message": sentence, **of_type}).text = sentence


def _count(checks: Sequence[Check], outcome: str) -> int:
    return sum(check.outcome == outcome for check in checks)


def _clean(text: str) -> str:
    return NO_XML.sub("", text)
