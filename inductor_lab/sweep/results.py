"""A sweep's folder: what it was asked, on what it ran, and each row as it is finished, so that a run that was ended goes on where it was."""

from __future__ import annotations

import json
import os
import tempfile
from collections.abc import Mapping, Sequence
from contextlib import suppress
from pathlib import Path
from typing import Any

from inductor_lab.document import from_dict, printed, to_dict
from inductor_lab.errors import LabError
from inductor_lab.records import SCHEMA
from inductor_lab.sweep.row import Point, Row

FILE = "results.json"
SAME = ("file_sha256", "method", "seed", "contestants")
"""Fields that must be the same for rows to stand beside each other."""
MACHINE = ("device", "torch", "triton", "driver")
"""And of the machine."""
KEPT = ("timed", "does not fit", "wrong")
"""Outcomes that are not asked again."""


class Results:
    """The results in a folder, under one description of what was asked."""

    def __init__(self, folder: Path, head: Mapping[str, Any], command: str = "") -> None:
        """
        Raises:
            LabError: the folder holds the results of something else, or can not be read.
        """
        self.folder, self.path = folder, folder / FILE
        self.head = dict(head)
        self.machine: Mapping[str, str] = {}
        self.rows: dict[str, Row] = {}
        self.commands: list[str] = []
        if self.path.is_file():
            self._resume()
        elif folder.exists() and (not folder.is_dir() or any(folder.iterdir())):
            raise LabError(f"{folder} exists and holds no results of a sweep; choose another folder with -o.")
        self.begun = bool(self.rows)
        self.command = command

    def _resume(self) -> None:
        try:
            found = json.loads(self.path.read_text(encoding="utf-8"))
            rows = [from_dict(Row, row) for row in found["rows"]]
            other = [name for name in SAME if found[name] != json.loads(json.dumps(self.head[name]))]
            self.machine, self.commands = found["machine"], list(found["commands"])
            self.head["created"] = found["created"]
        except (OSError, ValueError, KeyError, TypeError, AttributeError) as error:
            raise LabError(
                f"{self.path} can not be read as a sweep's results; remove it, or choose another folder with -o."
            ) from error
        if other:
            raise LabError(
                f"{self.folder} holds a sweep with another {_word(other[0])}; choose another folder with -o, or remove it."
            )
        self.rows = {row.point.name: row for row in rows}

    def missing(self, points: Sequence[Point]) -> list[Point]:
        """Those that are still to be measured."""
        return [point for point in points if not self._has(point)]

    def _has(self, point: Point) -> bool:
        row = self.rows.get(point.name)
        return row is not None and row.outcome in KEPT

    def on(self, machine: Mapping[str, str]) -> None:
        """Say what it runs on.

        Raises:
            LabError: the folder's rows were measured on something else.
        """
        for name in MACHINE if self.begun and self.machine else ():
            if self.machine.get(name) != machine.get(name):
                raise LabError(
                    f"{self.folder} holds times of {name} {self.machine.get(name)}, and this is {machine.get(name)}; "
                    "choose another folder with -o."
                )
        self.machine = self.machine or dict(machine)

    def add(self, row: Row) -> None:
        """Keep one more, and the command that measured it: on the disk, whole, before this returns."""
        if self.command:
            self.commands.append(self.command)
            self.command = ""
        self.rows[row.point.name] = row
        self.write()

    def write(self) -> None:
        write(self.path, printed(self.document(list(self.rows.values()))))

    def of(self, points: Sequence[Point]) -> list[Row]:
        """The rows of some points, in their order; none for a point that was not measured."""
        return [self.rows[point.name] for point in points if point.name in self.rows]

    def document(self, rows: Sequence[Row]) -> dict[str, Any]:
        """What is written, and what `--json` prints."""
        described = {**self.head, "machine": dict(self.machine), "commands": self.commands}
        return {"schema": SCHEMA, **described, "rows": [to_dict(row) for row in rows]}


def _word(field: str) -> str:
    return {"file_sha256": "version of the file"}.get(field, field)


def write(path: Path, text: str) -> None:
    """The whole text, or the file that was there.

    Raises:
        LabError: it can not be written.
    """
    temporary = ""
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        descriptor, temporary = tempfile.mkstemp(prefix=f".{path.name}.", suffix=".tmp", dir=path.parent)
        with open(descriptor, "w", encoding="utf-8") as stream:
            stream.write(text)
            stream.flush()
            os.fsync(stream.fileno())
        os.chmod(temporary, 0o666 & ~_umask())
        os.replace(temporary, path)
    except OSError as error:
        with suppress(OSError):
            os.unlink(temporary)
        raise LabError(f"Can not write {path}: {error.strerror}; choose another folder with -o.") from error


def _umask() -> int:
    mask = os.umask(0)
    os.umask(mask)
    return mask
