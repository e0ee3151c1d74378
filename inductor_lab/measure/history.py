"""Results of ejected files, kept beside the captures: `captured/results.jsonl`, a line for each, in the order in which they came.

One file for all captures of a folder, and none inside a capture: capturing again replaces a capture's folder, and one body may stand in several
captures, which all show what was measured of it. It is written where a user asks (`--keep`), and only added to.
"""

from __future__ import annotations

import os
import platform
from collections.abc import Collection, Iterator, Mapping
from contextlib import suppress
from datetime import UTC, datetime
from importlib import metadata
from pathlib import Path

from inductor_lab import files, store
from inductor_lab.document import from_dict, to_dict
from inductor_lab.ejected import content_hash
from inductor_lab.errors import LabError
from inductor_lab.records import SCHEMA, Capture, Kept, PerfDiff, Timing, Tuning, Verdict

PACKAGES = ("torch", "triton", "inductor_lab")
KINDS = {Verdict: "verdict", Timing: "timing", PerfDiff: "diff", Tuning: "tuning"}
"""Record -> what a line calls it."""
LEFT_OUT = "texts"
"""A field that the file itself tells: whole listings of code, which would fill a history."""


def of_capture(capture: Capture) -> dict[str, tuple[Kept, ...]]:
    """The results of a capture's kernels and spans, as `kept`; of one that is on no disk, those under captured/ here."""
    name = capture.kernels[0].id.rpartition(":")[0] if capture.kernels else ""
    try:
        folder = store.folder_of(name)
    except LabError:
        folder = store.HOME / store.safe_name(name)
    return kept(folder, {kernel.body_sha256 for kernel in capture.kernels}, capture.name)


def kept(folder: Path, bodies: Collection[str], capture: str = "") -> dict[str, tuple[Kept, ...]]:
    """A body's hash -> its results, the oldest first: of those that lie beside a capture's folder, and of those under captured/ here.

    Args:
        capture: Whose spans' results are there too; empty for none.

    Raises:
        LabError: a file can not be read.
    """
    found: dict[str, list[Kept]] = {}
    for place in store.results(folder) if bodies else ():
        for one in _read(place, bodies, f"{capture}:" if capture else ""):
            found.setdefault(one.body_sha256, []).append(one)
    return {body: tuple(sorted(results, key=lambda one: one.date)) for body, results in found.items()}


def _read(path: Path, bodies: Collection[str], spans: str) -> Iterator[Kept]:
    asked = [*bodies, *([f'"{spans}'] if spans else [])]
    for line in files.lines(path, lambda text: any(word in text for word in asked)):
        with suppress(ValueError, KeyError, TypeError):
            one = from_dict(Kept, line)
            own = one.body_sha256 in bodies or (spans and one.span.startswith(spans))
            if line.get("schema") == SCHEMA and own:
                yield one


class Keeper:
    """Keeps results of one ejected file, beside the capture that it names; where that is not here, in captured/."""

    def __init__(self, file: Path) -> None:
        """Raises:
        LabError: it is no ejected file, or nothing can be written there: this is said before anything is measured.
        """
        from inductor_lab.staleness import origin_of

        self.file = file
        self.origin = origin_of(file, files.seen(file).text)
        self.content = content_hash(file)
        self.path = _beside(str(self.origin["capture"])) / store.RESULTS
        there = next(place for place in (self.path, *self.path.absolute().parents) if place.exists())
        if not os.access(there, os.W_OK) or self.path.is_dir():
            raise LabError(f"--keep can not write {self.path}.")

    def add(self, found: Verdict | Timing | PerfDiff | Tuning, device: str = "") -> Kept:
        """Keep a record.

        Args:
            device: Where it was measured, of a record that does not tell.

        Raises:
            LabError: the file was saved in the meantime, and the record is of what it was; or nothing can be written.
        """
        if not self.file.is_file() or content_hash(self.file) != self.content:
            raise LabError(
                f"{self.file} was saved in the meantime: what was found is of another text, and is not kept."
            )
        one = Kept(
            kind=KINDS[type(found)],
            date=datetime.now(UTC).isoformat(timespec="seconds"),
            file=str(self.file),
            file_sha256=self.content,
            body_sha256=str(self.origin["body_sha256"]),
            kernel=f"{self.origin['name']} of {self.origin['capture']}",
            device=getattr(found, "device", "") or device,
            versions=_versions(),
            result=found,
            span=str(self.origin["kernel"]) if "span" in self.origin else "",
        )
        try:
            self.path.parent.mkdir(parents=True, exist_ok=True)
        except OSError as error:
            raise LabError(f"Can not write {self.path}: {error.strerror}.") from error
        line = to_dict(one)
        line["result"].pop(LEFT_OUT, None)
        files.append(self.path, {"schema": SCHEMA, **line})
        return one


def _beside(capture: str) -> Path:
    try:
        return store.folder_of(capture).parent
    except LabError:
        return store.HOME


def _versions() -> Mapping[str, str]:
    found = {"python": platform.python_version()}
    for package in PACKAGES:
        with suppress(metadata.PackageNotFoundError):
            found[package] = metadata.version(package)
    return found
