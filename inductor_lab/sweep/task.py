"""What a process of a sweep does: questions in, rows out. The same on this machine and through Ray."""

from __future__ import annotations

import hashlib
import os
import sys
import tempfile
from collections.abc import Callable, Mapping
from pathlib import Path
from types import ModuleType
from typing import Any

from inductor_lab.document import to_dict
from inductor_lab.errors import LabError

Question = dict[str, Any]
"""A point and how to measure it: `file`, `text` (the file's), `sizes`, `dtype`, `method`, `contestants`, `seed`, `beside`."""
BESIDE = "beside"
"""Paths of the files without which the swept one is not whole: the CUDA C++ that it launches, what the program gave its launch."""
HELD = "held"
"""Path -> what it holds, for a host that may not have it."""
COPIES = "INDUCTOR_LAB_SWEEP_COPIES"
"""The variable that names a folder for copies of files, which whoever asks removes: a process that it kills can not."""

_copies: list[tempfile.TemporaryDirectory[str]] = []
"""Removed as the process ends: CUDA C++ is built when it is first launched, and a traceback quotes a file's lines."""


def measuring() -> Callable[[Question], dict[str, Any]]:
    """What answers a process's questions: `{"machine": facts, "row": what was found}`, or `{"error": sentence}`."""
    modules: dict[str, ModuleType] = {}

    def answer(question: Question) -> dict[str, Any]:
        try:
            return _answer(question, modules)
        except LabError as error:
            return {"error": str(error)}

    return answer


def _answer(question: Question, modules: dict[str, ModuleType]) -> dict[str, Any]:
    from inductor_lab.sweep import measured
    from inductor_lab.sweep.row import Point
    from inductor_lab.timing.measure import Method

    machine = measured.machine()
    key = hash_of(question["text"])
    if key not in modules:
        modules[key] = _module(Path(question["file"]), question["text"], question.get(HELD, {}))
    point = Point(question["sizes"], question["dtype"])
    found = measured.row(
        modules[key], point, Method(**question["method"]), tuple(question["contestants"]), question["seed"]
    )
    if found.outcome == "failed" and measured.broken():
        print(f"{point.name}: {found.why}", file=sys.stderr, flush=True)
        os._exit(1)  # whoever asked starts another process, and goes on with the other points
    return {"machine": machine, "row": to_dict(found)}


def _module(path: Path, text: str, beside: Mapping[str, bytes]) -> ModuleType:
    """The file; where it or what stands beside it is not here, or another one, as on another host, a copy."""
    from inductor_lab.ejected import load

    whole = {path: text.encode(), **{Path(other): content for other, content in beside.items()}}
    if not all(one.is_file() and one.read_bytes() == content for one, content in whole.items()):
        folder = tempfile.TemporaryDirectory(prefix="inductor_lab_sweep_", dir=os.environ.get(COPIES))
        _copies.append(folder)
        for one, content in whole.items():
            Path(folder.name, one.name).write_bytes(content)
        path = Path(folder.name, path.name)
    return load(path).module


def hash_of(text: str) -> str:
    return hashlib.sha256(text.encode()).hexdigest()
