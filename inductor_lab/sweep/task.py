"""What a process of a sweep does: questions in, rows out. The same on this machine and through Ray."""

from __future__ import annotations

import hashlib
import os
import sys
import tempfile
from collections.abc import Callable
from pathlib import Path
from types import ModuleType
from typing import Any

from inductor_lab.document import to_dict
from inductor_lab.errors import LabError

Question = dict[str, Any]
"""A point and how to measure it: `file`, `text` (the file's), `sizes`, `dtype`, `method`, `contestants`, `seed`."""


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
        modules[key] = _module(Path(question["file"]), question["text"])
    point = Point(question["sizes"], question["dtype"])
    found = measured.row(
        modules[key], point, Method(**question["method"]), tuple(question["contestants"]), question["seed"]
    )
    if found.outcome == "failed" and measured.broken():
        print(f"{point.name}: {found.why}", file=sys.stderr, flush=True)
        os._exit(1)  # whoever asked starts another process, and goes on with the other points
    return {"machine": machine, "row": to_dict(found)}


def _module(path: Path, text: str) -> ModuleType:
    """The file; where it is not here, or another one, as on another host, a copy."""
    from inductor_lab.ejected import load

    if not path.is_file() or path.read_text(encoding="utf-8") != text:
        path = Path(tempfile.mkdtemp(prefix="inductor_lab_sweep_")) / path.name
        path.write_text(text, encoding="utf-8")
    return load(path).module


def hash_of(text: str) -> str:
    return hashlib.sha256(text.encode()).hexdigest()
