"""What a sweep has found so far, in a file beside the ejected one: a line each, so that a run that was ended goes on where it was."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from contextlib import suppress
from pathlib import Path
from typing import Any

from inductor_lab import jsonl
from inductor_lab.document import from_dict, to_dict
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

    def _lines(self) -> Iterator[dict[str, Any]]:
        for line in jsonl.read(self.path):
            with suppress(ValueError, KeyError, TypeError):
                from_dict(Candidate, line["candidate"])
                yield line

    def add(self, step: str, candidate: Candidate) -> None:
        """Keep one more, on the disk before this returns: what was `compiled`, or `measured`."""
        (self.compiled if step == "compiled" else self.measured)[name_of(candidate.settings)] = candidate
        jsonl.append(self.path, {"key": self.key, "step": step, "candidate": to_dict(candidate)})


def name_of(settings: Mapping[str, int]) -> str:
    """The key of a configuration."""
    return json.dumps(dict(settings), sort_keys=True)
