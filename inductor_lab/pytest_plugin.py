"""Ejected files in a user's own tests: `@pytest.mark.inductor_lab_file("mine.py", fail_slower=5)`, and `pytest --inductor-lab-diff mine.py`.

pytest loads this in every run of whoever has inductor_lab installed: nothing heavy is imported before a file is asked for.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from inductor_lab.errors import LabError

if TYPE_CHECKING:
    from inductor_lab.records import PerfDiff, Verdict

MARKER = "inductor_lab_file"
DESCRIBED = (
    f"{MARKER}(path, fail_slower=None, against=()): before the test itself, verify an ejected file; with fail_slower also time it: it fails "
    "where it is slower than the generated kernel, or a contestant, by more percent than that, or inconclusive. Without a GPU the time is "
    "skipped. Files, path and those in against, are named from the test's own folder."
)
EJECTED = re.compile(r"^def launch_generated\(", re.MULTILINE)


class Held:
    """An ejected file, verified and timed when that is first asked for."""

    def __init__(self, path: Path, fail_slower: float | None = None, against: Sequence[str] = ()) -> None:
        self.path, self.fail_slower, self.against = path, fail_slower, tuple(against)
        self.verdict: Verdict | None = None
        self.diff: PerfDiff | None = None

    def check_correct(self) -> None:
        """Fails where the kernel does not compute what eager computes."""
        from inductor_lab.verify import verify

        try:
            self.verdict = verify(self.path, fail_fast=True)  # the first case that fails is what is said
        except LabError as error:
            pytest.fail(str(error), pytrace=False)
        if first := next((case for case in self.verdict.cases if not case.passed), None):
            pytest.fail(f"{self.path} is wrong: {first.name}: {first.message}", pytrace=False)

    def check_fast(self) -> None:
        """Fails where it is slower than is allowed; skipped where there is no GPU."""
        from inductor_lab.machine import present_gpu
        from inductor_lab.measure.ci import checks, decided
        from inductor_lab.measure.diff import diff
        from inductor_lab.measure.timing.samples import Method

        if present_gpu() is None:
            verified = "; it was verified" if self.verdict else ""
            pytest.skip(f"{self.path}: no time can be measured, there is no GPU here{verified}")
        try:
            self.diff = decided(diff, self.path, method=Method(), progress=lambda step: None, against=self.against)
        except LabError as error:
            pytest.fail(str(error), pytrace=False)
        made = checks(str(self.path), self.diff, self.fail_slower)
        if wrong := [
            f"{self.path} against {one.name}: {one.sentence}" for one in made if one.outcome in ("failed", "error")
        ]:
            pytest.fail("\n".join(wrong), pytrace=False)


# ---------------------------------------------------------------- the marker


def pytest_configure(config: pytest.Config) -> None:
    config.addinivalue_line("markers", DESCRIBED)


@pytest.fixture
def inductor_lab_file(request: pytest.FixtureRequest) -> Held:
    """The file of the test's marker: `path`, and its `verdict` and `diff` records where they were made."""
    held = _held(request.node)
    if held is None:
        pytest.fail(f"the fixture inductor_lab_file needs @pytest.mark.{MARKER}(path)", pytrace=False)
    return held


@pytest.hookimpl(tryfirst=True)
def pytest_runtest_call(item: pytest.Item) -> None:
    """The file of a marked test is checked first, as part of the test."""
    if held := _held(item):
        held.check_correct()
        if held.fail_slower is not None:
            held.check_fast()


HELD = pytest.StashKey[Held]()


def _held(item: pytest.Item) -> Held | None:
    """One for each test."""
    marker = item.get_closest_marker(MARKER)
    if marker is None:
        return None
    if HELD not in item.stash:
        path, *rest = marker.args or ("",)
        if not path or rest or set(marker.kwargs) - {"fail_slower", "against"}:
            pytest.fail(f"@pytest.mark.{MARKER} takes (path, fail_slower=None, against=())", pytrace=False)
        folder, asked = item.path.parent, dict(marker.kwargs)
        against = [_from(folder, who) for who in asked.pop("against", ())]
        item.stash[HELD] = Held(folder / path, against=against, **asked)
    return item.stash[HELD]


def _from(folder: Path, who: str) -> str:
    """A contestant's name; where it names a file, `other.py` or `other.py:function`, that file as seen from a folder."""
    file, ending, function = who.partition(".py")
    return f"{folder / file}{ending}{function}" if ending and function[:1] in ("", ":") else who


# ---------------------------------------------------------------- files that are collected


def pytest_addoption(parser: pytest.Parser) -> None:
    group = parser.getgroup("inductor_lab")
    group.addoption(
        "--inductor-lab-diff",
        action="store_true",
        help="Collect ejected files: each is verified, and timed against its generated kernel; without a GPU the time is skipped.",
    )
    group.addoption(
        "--inductor-lab-fail-slower",
        type=float,
        metavar="PERCENT",
        default=5.0,
        help="By how much a collected file may be slower than its generated kernel; 5 unless given.",
    )


def pytest_collect_file(file_path: Path, parent: pytest.Collector) -> pytest.Collector | None:
    if not parent.config.getoption("--inductor-lab-diff") or file_path.suffix != ".py":
        return None
    text = file_path.read_text(encoding="utf-8", errors="replace")
    return EjectedFile.from_parent(parent, path=file_path) if EJECTED.search(text) else None


class EjectedFile(pytest.File):
    """An ejected file: one test of what it computes, one of how long it takes."""

    def collect(self) -> Iterator[pytest.Item]:
        held = Held(self.path, self.config.getoption("--inductor-lab-fail-slower"))
        yield Checked.from_parent(self, name="inductor_lab_verify", check=held.check_correct)
        yield Checked.from_parent(self, name="inductor_lab_diff", check=held.check_fast)


class Checked(pytest.Item):
    """One of both."""

    def __init__(self, *, check: Callable[[], None], **given: object) -> None:
        super().__init__(**given)  # type: ignore[arg-type]
        self.check = check

    def runtest(self) -> None:
        self.check()

    def reportinfo(self) -> tuple[Path, int | None, str]:
        return self.path, None, f"{self.path.name}: {self.name}"
