"""What a sweep found: a row for each point, kept in a folder with what was asked and on what it ran, so that a run that was ended goes on where it was."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from inductor_lab import files
from inductor_lab.document import from_dict, printed, to_dict
from inductor_lab.errors import LabError
from inductor_lab.records import SCHEMA, Timing

CONTESTANTS = ("hand", "generated", "inductor", "eager", "copy")
"""Unless told otherwise: the file's kernel, Inductor's own one where it is for these sizes, `torch.compile` of the file's eager form at these
sizes, that form itself, and a copy that moves as many bytes."""


@dataclass(frozen=True)
class Point:
    """Where a kernel is timed."""

    sizes: Mapping[str, int]
    """Symbol -> size; empty for a file of fixed shapes."""
    dtype: str
    """Of the floating tensors; empty where there are none, or of several dtypes."""

    @property
    def name(self) -> str:
        return " ".join([*(f"{name}={size}" for name, size in self.sizes.items()), *filter(None, [self.dtype])])


@dataclass(frozen=True)
class Row:
    """What was found at one point."""

    sizes: Mapping[str, int]
    dtype: str
    outcome: str
    """`timed`; `does not fit` into the card's memory, and `why` says what does not; `wrong`: the kernel does not compute what eager computes; `failed`."""
    why: str = ""
    bytes: int | None = None
    """Moved by one launch, each element once; None where that is not known for these sizes."""
    times: Mapping[str, Timing] = field(default_factory=dict)
    """Contestant -> its time."""
    against: str = ""
    """Whom the ratio is against."""
    ratio: float | None = None
    """Their time / the hand kernel's."""
    ratio_interval: tuple[float, float] | None = None
    noise: float | None = None
    margin: float | None = None
    verdict: str = ""
    """`faster`, `slower`, `same` or `inconclusive`."""
    copy_ceiling: float | None = None
    """Bytes each second of a large copy, measured in the same process."""
    device: str = ""
    conditions: Mapping[str, Any] = field(default_factory=dict)
    notes: tuple[str, ...] = ()

    @property
    def point(self) -> Point:
        return Point(self.sizes, self.dtype)


FILE = "results.json"
WAY_OUT = "choose another folder with -o"
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
        files.write(self.path, printed(self.document(list(self.rows.values()))), WAY_OUT)

    def of(self, points: Sequence[Point]) -> list[Row]:
        """The rows of some points, in their order; none for a point that was not measured."""
        return [self.rows[point.name] for point in points if point.name in self.rows]

    def document(self, rows: Sequence[Row]) -> dict[str, Any]:
        """What is written, and what `--json` prints."""
        described = {**self.head, "machine": dict(self.machine), "commands": self.commands}
        return {"schema": SCHEMA, **described, "rows": [to_dict(row) for row in rows]}


def _word(field: str) -> str:
    return {"file_sha256": "version of the file"}.get(field, field)
