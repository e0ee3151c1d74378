"""Turns a comparison into a CI result: passed, failed, error or skipped, by a limit or by stored times.

`decided` measures for longer where a first comparison could not tell. A `Baseline` is a file of times with their noise: slower than then is what is
beyond the noise of both. `junit` follows Jenkins' schema (junit-10.xsd), which GitLab and the GitHub actions that show test reports read too.
"""

from __future__ import annotations

import json
import os
import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from datetime import UTC, datetime
from pathlib import Path
from typing import Any
from xml.etree import ElementTree as Xml

import inductor_lab
from inductor_lab import files
from inductor_lab.document import from_dict, to_dict
from inductor_lab.ejected import content_hash
from inductor_lab.errors import LabError
from inductor_lab.measure.timing.samples import MAX_ROUNDS, ROUNDS, Method
from inductor_lab.measure.timing.significance import SAME
from inductor_lab.quantity import took
from inductor_lab.records import SCHEMA, Paired, PerfDiff, Timing

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
    made = [Check(file, one.name, *speed(one, allowed)) for one in _contests(found)]
    return [replace(made[0], seconds=seconds), *made[1:]]


def _contests(found: PerfDiff) -> tuple[Paired, ...]:
    """The hand kernel against the generated one, and against each other that was asked for."""
    main = Paired("generated", found.verdict, found.ratio, found.ratio_interval, found.noise, found.margin)
    return main, *found.against


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


def percent(ratio: float) -> str:
    """1.05 is 5.0 %."""
    return f"{100 * (ratio - 1):.1f} %"


def undecided(found: PerfDiff) -> bool:
    """Whether measuring for longer may tell more."""
    return any(one.verdict == "inconclusive" and one.ratio is not None for one in _contests(found))


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


# ---------------------------------------------------------------- baselines


METHOD = ("launch", "cache")
"""What must be the same for two times to be compared."""
Interval = tuple[float, float]


@dataclass(frozen=True)
class Stored:
    """What was measured of one file."""

    sha256: str
    """`content_hash` of the file."""
    measured: str
    """When: ISO 8601, UTC."""
    versions: Mapping[str, str]
    method: Mapping[str, str | int | None]
    """`launch`, `cache` and `rounds`."""
    hand: Timing
    generated: Timing
    ratio_interval: Interval
    margin: float
    settings: Mapping[str, Mapping[str, int]] = field(default_factory=dict)
    ratio: float | None = None
    noise: float | None = None


class Baseline:
    """A file of stored times, by each ejected file's path from there."""

    def __init__(self, path: Path, card: str = "", files: Mapping[str, Stored] | None = None) -> None:
        self.path, self.card, self.files = path, card, dict(files or {})

    def need(self, files: Sequence[Path], card: str, method: Method) -> None:
        """Before anything is timed: can these files be compared on this card?

        Raises:
            LabError: it was stored on another card, by another method, or has not all of them.
        """
        self.need_card(card)
        if lacking := [str(file) for file in files if self._key(file) not in self.files]:
            raise LabError(
                f"{self.path} has no {', '.join(lacking)}; add it with `inductor-lab diff {lacking[0]} --save-baseline {self.path}`."
            )
        for name in METHOD:
            ways = {self.files[self._key(file)].method.get(name) for file in files}
            if others := ways - {getattr(method, name)}:
                raise LabError(f"{self.path} was measured with --{name} {others.pop()}: use the same.")

    def need_card(self, card: str) -> None:
        """LabError where what is stored was measured on another card."""
        if self.files and self.card != card:
            raise LabError(
                f"{self.path} was measured on {self.card}, and this is {card}: times of two cards are not compared; store another "
                "file for this one with --save-baseline."
            )

    def add(self, file: Path, found: PerfDiff, sha256: str) -> None:
        """Keep what was measured of a file, in the place of what was kept of it before.

        Args:
            sha256: `content_hash` of what was measured, which may have been saved anew since.

        Raises:
            LabError: it was measured on another card, or too badly to compare with.
        """
        self.need_card(found.device)
        if why := _unfit(found):
            raise LabError(f"{self.path} is left as it is: {file} {why}; measure again to store it.")
        assert found.ratio_interval is not None  # of what was timed
        self.card = found.device
        measured_by = {name: found.conditions.get(name) for name in (*METHOD, "rounds")}
        self.files[self._key(file)] = Stored(
            sha256, f"{datetime.now(UTC):%Y-%m-%dT%H:%M:%SZ}", versions(),
            {name: value for name, value in measured_by.items() if isinstance(value, str | int | None)},
            found.hand["timing"], found.generated["timing"], found.ratio_interval, found.margin or 0.0,
            found.settings, found.ratio, found.noise,
        )  # fmt: skip

    def held(self, file: Path, found: PerfDiff) -> tuple[str, str]:
        """`failed` or `passed`, and the sentence that says why.

        What the card or the versions do to a kernel's time they do to the generated kernel's too, which was timed both times: it fails where the
        hand kernel is slower than it was, and slower beside the generated one than it was.
        """
        stored = self.files[self._key(file)]
        now, was = found.hand["timing"], stored.hand
        told = f"{took(now)}, on {stored.measured[:10]} {took(was)}{self._since(file, stored)}"
        margins = found.margin or 0.0, stored.margin
        if found.verdict == "inconclusive":
            return "failed", f"inconclusive: {told}; {UNDECIDED}"
        if not slower(now.interval, was.interval, *margins):
            return "passed", f"no slower than it was, beyond the noise of both: {told}"
        by = f"slower than it was by {percent(now.median / was.median)}, beyond the noise of both"
        if slower(_inverse(found.ratio_interval or (1.0, 1.0)), _inverse(stored.ratio_interval), *margins):
            return "failed", f"{by}: {told}"
        return "passed", f"{by}, but so is the generated kernel, so it is the card or the versions: {told}"

    def write(self) -> None:
        """On the disk, whole or not at all."""
        document = {"schema": SCHEMA, "card": self.card, "files": to_dict(self.files)}
        files.write(self.path, json.dumps(document, indent=1, sort_keys=True) + "\n")

    def _key(self, file: Path) -> str:
        return Path(os.path.relpath(file.absolute(), self.path.absolute().parent)).as_posix()

    @staticmethod
    def _since(file: Path, stored: Stored) -> str:
        """What is not as it was then."""
        edited = ["the file was edited since"] if stored.sha256 != content_hash(file) else []
        then = stored.versions
        changed = [
            f"{name} was {then.get(name)}, is {now}" for name, now in versions().items() if then.get(name) != now
        ]
        return "".join(f"; {one}" for one in (*edited, *changed))


def stored(path: Path, *, new: bool = False) -> Baseline:
    """The baseline of a file.

    Args:
        new: It need not be there yet.

    Raises:
        LabError: it is not there, or no baseline.
    """
    if new and not path.exists():
        if not path.absolute().parent.is_dir():
            raise LabError(f"There is no folder {path.parent} to write {path.name} in.")
        return Baseline(path)
    try:
        found = json.loads(path.read_text(encoding="utf-8"))
        if found["schema"] != SCHEMA:
            raise ValueError
        return Baseline(path, found["card"], {name: from_dict(Stored, one) for name, one in found["files"].items()})
    except FileNotFoundError as error:
        raise LabError(f"There is no baseline {path}; --save-baseline {path} stores one.") from error
    except OSError as error:
        raise LabError(f"{path} can not be read: {error.strerror}.") from error
    except (ValueError, KeyError, TypeError, AttributeError) as error:
        raise LabError(f"{path} is no baseline; --save-baseline stores one, under another name.") from error


def slower(now: Interval, was: Interval, margin: float, was_margin: float) -> bool:
    """Whether now is longer than then, whatever the noise of both did."""
    return now[0] / (1 + margin) > was[1] * (1 + was_margin)


def _unfit(found: PerfDiff) -> str:
    """Why nothing should be held to these times; empty where it may be."""
    states: list[Any] = [found.conditions.get(name) or {} for name in ("before", "after")]
    if slowed := dict.fromkeys(reason for state in states for reason in state.get("throttled", ())):
        return f"was measured while the card slowed itself down ({', '.join(slowed)})"
    return "is inconclusive, which is too wide to compare with" if found.verdict == "inconclusive" else ""


def _inverse(interval: Interval) -> Interval:
    low, high = interval
    return 1 / high, 1 / low


def versions() -> dict[str, str]:
    """Of what a kernel's time depends on besides the card."""
    import torch
    import triton

    return {
        "inductor_lab": inductor_lab.__version__,
        "torch": str(torch.__version__),
        "triton": str(triton.__version__),
        "cuda": str(torch.version.cuda or torch.version.hip or ""),
    }


# ---------------------------------------------------------------- JUnit XML


SUITE = "inductor-lab diff"
ELEMENTS = {"failed": "failure", "error": "error", "skipped": "skipped"}
NO_XML = re.compile("[^\t\n\r\x20-\ud7ff\ue000-\ufffd\U00010000-\U0010ffff]")
"""Characters that no XML may hold: a compiler's message can be coloured."""


def junit(checks: Sequence[Check], properties: Mapping[str, str]) -> str:
    """One test suite: a test case for each check, named by the file and by whom it was held against."""
    counts = {
        "tests": str(len(checks)),
        "failures": str(_count(checks, "failed")),
        "errors": str(_count(checks, "error")),
        "time": f"{sum(check.seconds for check in checks):.3f}",
    }
    root = Xml.Element("testsuites", {"name": SUITE, **counts})
    when = f"{datetime.now(UTC):%Y-%m-%dT%H:%M:%S}"
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
