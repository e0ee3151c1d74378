"""Are ejected files still what their captures say? Each is compared with the capture that it names, as it is on disk now.

A file tells where it is from by its `ORIGIN`, which is read and not executed, and by the hashes in its header.
"""

from __future__ import annotations

import ast
import re
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import replace
from pathlib import Path
from typing import Any

from inductor_lab import store
from inductor_lab.edited import judged_hash, rendered_hash
from inductor_lab.eject import STYLES, eject
from inductor_lab.errors import LabError
from inductor_lab.records import Capture, Kernel, Status

REAL = re.compile(r'^REAL = "(.*?)"  #', re.MULTILINE)
JUDGED = re.compile(r"^Judged    sha256 (\w+),", re.MULTILINE)
MARK = "\nRendered  sha256 "
HEAD = 20_000
"""Characters in which the mark of an ejected file stands."""
PASSED_BY = {"captured", "node_modules", "build", "dist", "site-packages"}


def found(folder: Path) -> list[Path]:
    """The ejected files below a folder, hidden folders and captures left out."""
    return sorted(path for path in _python(folder) if MARK in _head(path))


def _python(folder: Path) -> Iterator[Path]:
    for path in folder.iterdir():
        if path.is_dir() and not path.is_symlink() and not path.name.startswith(".") and path.name not in PASSED_BY:
            yield from _python(path)
        elif path.suffix == ".py" and path.is_file():
            yield path


def _head(path: Path) -> str:
    try:
        with path.open(encoding="utf-8") as stream:
            return stream.read(HEAD)
    except (OSError, UnicodeDecodeError):
        return ""


def statuses(paths: Iterable[Path]) -> list[Status]:
    """What became of each file's kernel.

    Raises:
        LabError: a file is not there or no ejected file.
    """
    captures: dict[str, Capture | LabError] = {}
    made = []
    for path in paths:
        text = _read(path)
        origin = _origin(path, text)
        name = str(origin["capture"])
        if name not in captures:
            captures[name] = _capture(name)
        made.append(_status(path, text, origin, captures[name]))
    return made


def _read(path: Path) -> str:
    try:
        return path.read_text(encoding="utf-8")
    except (OSError, UnicodeDecodeError) as error:
        raise LabError(f"{path} can not be read: {error}") from error


def _origin(path: Path, text: str) -> Mapping[str, Any]:
    try:
        for statement in ast.parse(text).body:
            if isinstance(statement, ast.Assign) and ast.unparse(statement.targets[0]) == "ORIGIN":
                origin = ast.literal_eval(statement.value)
                if isinstance(origin, dict) and {"capture", "name", "body_sha256"} <= origin.keys():
                    return origin
    except (SyntaxError, ValueError) as error:
        raise LabError(f"{path} can not be read: {error}") from error
    raise LabError(f"{path} is no ejected file: it has no ORIGIN; `inductor-lab eject` makes one")


def _capture(name: str) -> Capture | LabError:
    try:
        return store.find_capture(name)
    except LabError as error:
        return error


def _status(path: Path, text: str, origin: Mapping[str, Any], capture: Capture | LabError) -> Status:
    edited = f"{MARK}{rendered_hash(text)}," not in text
    if isinstance(capture, LabError):
        return Status(str(path), "unknown", edited, "", (f"there is no capture {origin['capture']!r} here",))
    told = _other_versions(origin, capture)
    same = [kernel for kernel in capture.kernels if kernel.body_sha256 == origin["body_sha256"]]
    if same:
        otherwise = _judged_otherwise(text, _as_it_was(origin, capture), same[0])
        return Status(str(path), "stale" if otherwise else "fresh", edited, same[0].id, (*otherwise, *told))
    alike = [kernel for kernel in capture.kernels if kernel.name == origin["name"]]
    alike = [one for one in alike if one.graph == origin.get("graph")] or alike
    if alike:
        why = f"the body has changed: eject {alike[0].id} beside it and compare"
        return Status(str(path), "stale", edited, alike[0].id, (why, *told))
    return Status(str(path), "stale", edited, "", (f"{origin['name']} is not captured any more", *told))


def _other_versions(origin: Mapping[str, Any], capture: Capture) -> tuple[str, ...]:
    now = {"torch": capture.torch, "triton": capture.triton, "gpu": capture.gpu.name, "arch": capture.gpu.arch}
    return tuple(
        f"{what} {origin[what]} then, {value} now"
        for what, value in now.items()
        if origin.get(what) and origin[what] != value
    )


def _as_it_was(origin: Mapping[str, Any], capture: Capture) -> Capture:
    """The capture with the versions and the card that stand in a file: they are part of what is ejected."""
    was = {key: str(origin.get(key, "")) for key in ("torch", "triton", "gpu", "arch")}
    return replace(
        capture, torch=was["torch"], triton=was["triton"], gpu=replace(capture.gpu, name=was["gpu"], arch=was["arch"])
    )


def _judged_otherwise(text: str, capture: Capture, kernel: Kernel) -> tuple[str, ...]:
    """Whether the kernel is ejected with another reference, other inputs or another baseline now: other shapes, or a newer inductor_lab."""
    before = JUDGED.search(text)
    if before is None:
        return ()
    real = named[1] if (named := REAL.search(text)) else ""
    for style, generalize in (*((style, False) for style in STYLES), ("readable", True)):
        try:
            if judged_hash(eject(capture, kernel, style=style, generalize=generalize, real=real)) == before[1]:
                return ()
        except LabError:
            continue
    return ("the body is the same, but its shapes, its reference or its inputs are ejected otherwise now",)
