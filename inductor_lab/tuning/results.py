"""What a sweep has found so far, in a file beside the ejected one: a line each, so that a run that was ended goes on where it was."""

from __future__ import annotations

import json
import os
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from inductor_lab.document import from_dict, to_dict
from inductor_lab.errors import LabError
from inductor_lab.records import Candidate

ENDING = ".tune.jsonl"


class Results:
    """The results under one key: the file that is tuned, the card, and the versions of what compiles."""

    def __init__(self, file: Path, key: str, *, fresh: bool = False) -> None:
        self.path = file.with_name(file.name + ENDING)
        self.key = key
        self.compiled: dict[str, Candidate] = {}
        self.measured: dict[str, Candidate] = {}
        for line in [] if fresh else self._lines():
            if line.get("key") == key:
                found = from_dict(Candidate, line["candidate"])
                (self.compiled if line["step"] == "compiled" else self.measured)[name_of(found.settings)] = found
        self.begun = len(self.compiled) + len(self.measured)
        """Results of earlier runs."""

    def _lines(self) -> list[dict[str, Any]]:
        """Every whole line; the last may be torn where a run was killed."""
        try:
            text = self.path.read_text(encoding="utf-8", errors="replace")
        except FileNotFoundError:
            return []
        except OSError as error:
            raise LabError(f"{self.path} can not be read: {error.strerror}; remove it to begin anew.") from error
        found = []
        for line in text.splitlines():
            try:
                made = json.loads(line)
                from_dict(Candidate, made["candidate"])
            except (ValueError, KeyError, TypeError):
                continue
            found.append(made)
        return found

    def add(self, step: str, candidate: Candidate) -> None:
        """Keep one more, on the disk before this returns: what was `compiled`, or `measured`."""
        (self.compiled if step == "compiled" else self.measured)[name_of(candidate.settings)] = candidate
        line = json.dumps({"key": self.key, "step": step, "candidate": to_dict(candidate)})
        try:
            with self.path.open("ab+") as stream:
                if stream.tell() and not _ends_a_line(self.path):
                    line = f"\n{line}"
                stream.write(f"{line}\n".encode())
                stream.flush()
                os.fsync(stream.fileno())
        except OSError as error:
            raise LabError(f"Can not write {self.path}: {error.strerror}.") from error


def _ends_a_line(path: Path) -> bool:
    with path.open("rb") as stream:
        stream.seek(-1, os.SEEK_END)
        return stream.read() == b"\n"


def name_of(settings: Mapping[str, int]) -> str:
    """The key of a configuration."""
    return json.dumps(dict(settings), sort_keys=True)
