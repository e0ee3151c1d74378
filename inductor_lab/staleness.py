"""Ejected files and the captures that they are from: whether each is still what its capture says (`statuses`), and brought up to date (`update`).

A file tells where it is from by its `ORIGIN`, which is read and not executed, and by the hashes in its header. It is compared with the capture as that
is on disk now.

For an update three versions meet: the file as it was ejected, which stands packed at its end, as it is, and as it is ejected today.
`git merge-file` merges them by lines: its markers are what people know, and their tools resolve.
"""

from __future__ import annotations

import ast
import re
import shlex
import subprocess
import tempfile
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from inductor_lab import store
from inductor_lab.eject import STYLES, eject
from inductor_lab.ejected import (
    Made,
    as_ejected,
    how_made,
    is_edited,
    judged_hash,
    judged_part,
    rendered_hash,
    without_blocks,
)
from inductor_lab.errors import LabError
from inductor_lab.files import keep, seen, write_over
from inductor_lab.records import Capture, Kernel, Status
from inductor_lab.records.span import Span
from inductor_lab.spans import again

REAL = re.compile(r'^REAL = "(.*?)"  #', re.MULTILINE)
JUDGED = re.compile(r"^Judged    sha256 (\w+),", re.MULTILINE)
MARK = "\nRendered  sha256 "
CONFLICT = re.compile(r"^<{7} ", re.MULTILINE)
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


def statuses(paths: Iterable[Path], *, named: bool = True) -> list[Status]:
    """What became of each file's kernel.

    Args:
        named: Whether somebody asked for these; of files that were `found`, one that is half edited keeps nothing from the others.

    Raises:
        LabError: a file that was named is not there or no ejected file.
    """
    captures: dict[str, Capture | LabError] = {}
    made = []
    for path in paths:
        text = _read(path)
        if line := conflict(text):
            left = f"conflicts of a merge are left in it, the first at line {line}: resolve them"
            made.append(Status(str(path), "stale", True, "", (left,)))
            continue
        try:
            origin = origin_of(path, text)
        except LabError as error:
            if named:
                raise
            made.append(Status(str(path), "unknown", True, "", (str(error),)))
            continue
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


def conflict(text: str) -> int:
    """The line of the first conflict that a merge left in a text; 0 for none."""
    found = CONFLICT.search(text)
    return text.count("\n", 0, found.start()) + 1 if found else 0


def origin_of(path: Path, text: str) -> Mapping[str, Any]:
    """What a file says of where it is from.

    Raises:
        LabError: it is no ejected file.
    """
    try:
        for statement in ast.parse(text, path.name).body:
            if isinstance(statement, ast.Assign) and ast.unparse(statement.targets[0]) == "ORIGIN":
                origin = ast.literal_eval(statement.value)
                needed = {"capture", "name", "body_sha256"}
                if isinstance(origin, dict) and needed | ({"kernel"} if "span" in origin else set()) <= origin.keys():
                    if wrong := next((name for name in sorted(needed) if not isinstance(origin[name], str)), ""):
                        raise LabError(
                            f"{path} can not be read: {wrong} of its ORIGIN is {origin[wrong]!r}, and is a text"
                        )
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
    edited = is_edited(text, path)
    if isinstance(capture, LabError):
        return Status(str(path), "unknown", edited, "", (f"there is no capture {origin['capture']!r} here",))
    told = _other_versions(origin, capture)
    kernel = kernel_now(origin, capture)
    if kernel is None:
        return Status(str(path), "stale", edited, "", (f"{origin['name']} is not captured any more", *told))
    if kernel.body_sha256 != origin["body_sha256"]:
        otherwise: tuple[str, ...] = ("the body has changed",)
    else:
        target = str(origin.get("target", "triton"))
        here = _called(kernel, str(origin["capture"]))
        otherwise = _judged_otherwise(text, as_it_was(origin, capture), here, path.name, target)
    gone = tuple(_gone(path, text, origin))
    if not otherwise:
        return Status(str(path), "stale" if gone else "fresh", edited, kernel.id, (*gone, *told))
    merge = f"merge it with: inductor-lab eject {kernel.id} -o {shlex.quote(str(path))} --update"
    if origin.get("target") == "cuda":
        merge = f"eject {kernel.id} --as cuda under another name and carry the edit over: --update is for Triton"
    return Status(str(path), "stale", edited, kernel.id, (*otherwise, merge, *gone, *told))


def _gone(path: Path, text: str, origin: Mapping[str, Any]) -> Iterator[str]:
    """What lay beside the file and does no more, without which it does not run."""
    source = path.with_suffix(".cu")
    if origin.get("target") == "cuda" and not source.is_file():
        yield f"{source.name}, which holds its kernel, is missing: put it back, or eject both again"
    if (real := REAL.search(text)) and real[1] and not path.with_name(real[1]).is_file():
        yield f'{real[1]}, which holds what the program gave it, is missing: put it back, eject it again with --inputs real, or set REAL = ""'


def _called(kernel: Kernel | Span, capture: str) -> Kernel | Span:
    """The same under the capture's name beside it."""
    if isinstance(kernel, Span):
        return replace(kernel, name=f"{capture}:{kernel.graph}:{kernel.first}-{kernel.last}", capture=capture)
    return replace(kernel, id=f"{capture}:{kernel.id.rpartition(':')[2]}")


def kernel_now(origin: Mapping[str, Any], capture: Capture) -> Kernel | Span | None:
    """The kernel of a capture that a file's is now: the one with its body, else the one with its name, of its graph if it can be."""
    if "span" in origin:
        return again(capture, origin)
    same = [kernel for kernel in capture.kernels if kernel.body_sha256 == origin["body_sha256"]]
    alike = [kernel for kernel in capture.kernels if kernel.name == origin["name"]]
    alike = [one for one in alike if one.graph == origin.get("graph")] or alike
    return next(iter([*same, *alike]), None)


def _other_versions(origin: Mapping[str, Any], capture: Capture) -> tuple[str, ...]:
    now = {"torch": capture.torch, "triton": capture.triton, "gpu": capture.gpu.name, "arch": capture.gpu.arch}
    return tuple(
        f"{what} {origin[what]} then, {value} now"
        for what, value in now.items()
        if origin.get(what) and origin[what] != value
    )


def as_it_was(origin: Mapping[str, Any], capture: Capture) -> Capture:
    """The capture with the versions and the card that stand in a file: they are part of what is ejected."""
    was = {key: str(origin.get(key, "")) for key in ("torch", "triton", "gpu", "arch")}
    return replace(
        capture, torch=was["torch"], triton=was["triton"], gpu=replace(capture.gpu, name=was["gpu"], arch=was["arch"])
    )


def _judged_otherwise(text: str, capture: Capture, kernel: Kernel | Span, file: str, target: str) -> tuple[str, ...]:
    """Whether the kernel is ejected with another reference, other inputs or another baseline now: other shapes, or a newer inductor_lab."""
    before = JUDGED.search(text)
    if before is None:
        return ()
    real = named[1] if (named := REAL.search(text)) else ""
    for made in _ways():
        try:
            now = _ejected(capture, kernel, replace(made, language=target, real=real), file)
            if judged_hash(now) == before[1] or judged_part(now) == judged_part(text):  # the check may be an older one
                return ()
        except LabError:
            continue
    return ("the body is the same, but its shapes, its reference or its inputs are ejected otherwise now",)


# ---------------------------------------------------------------- brought up to date


LABELS = ("edited", "as it was ejected", "ejected now")
MOST = 127
"""Conflicts that git's exit status can tell."""


@dataclass(frozen=True)
class Update:
    """What became of a file."""

    kernel: Kernel | Span
    conflicts: int
    kept: Path | None
    """The file as it was before; None where there was nothing to do."""
    broken: str
    """Where the merged text is no Python although nothing conflicts; empty where it is."""
    left: str = ""
    """The file of real inputs that is for what the kernel took before, so that inputs are drawn now; empty for none."""


def own_kernel(path: Path) -> tuple[Capture, Kernel | Span]:
    """What a file's kernel is now, in the capture that the file names.

    Raises:
        LabError: there is no such capture or kernel any more, or it is no ejected file.
    """
    text = seen(path).text
    _need_resolved(path, text)
    origin = origin_of(path, text)
    capture = store.find_capture(str(origin["capture"]))
    kernel = kernel_now(origin, capture)
    if kernel is None:
        raise LabError(
            f"{origin['name']} is not in {origin['capture']} any more; say what {path} is now: inductor-lab eject KERNEL -o {path} --update."
        )
    return capture, kernel


def update(path: Path, capture: Capture, kernel: Kernel | Span, *, template: Path | None = None) -> Update:
    """Merge what a kernel is ejected as now into a file that was ejected before; what the file was is kept beside it.

    Raises:
        LabError: the kernel can not be ejected, what the file was is not known, git is missing, or something can not be written.
    """
    file = seen(path)
    _need_resolved(path, file.text)
    if (made := how_made(file.text)) is not None and made.language != "triton":
        raise LabError(
            f"{path} has its kernel in a file of its own, which --update does not merge: eject {kernel.id} under another name and compare."
        )
    theirs, base, left = _both(path, file.text, capture, kernel, template)
    text, conflicts = merged(without_blocks(file.text), without_blocks(base), without_blocks(theirs))
    text += theirs.removeprefix(without_blocks(theirs))
    if text == file.text:
        return Update(kernel, 0, None, "")
    kept = keep(file)
    write_over(file, text)
    return Update(kernel, conflicts, kept, "" if conflicts else _broken(text), left)


def merged(ours: str, base: str, theirs: str) -> tuple[str, int]:
    """Three versions as one text, and how many conflicts are marked in it.

    Raises:
        LabError: git is not there or can not merge them.
    """
    with tempfile.TemporaryDirectory() as folder:
        names = []
        for name, text in zip(("ours", "base", "theirs"), (ours, base, theirs), strict=True):
            (Path(folder) / name).write_text(text, encoding="utf-8", newline="")
            names.append(name)
        labels = [word for label in LABELS for word in ("-L", label)]
        command = ["git", "merge-file", "--stdout", *labels, *names]
        try:
            done = subprocess.run(command, cwd=folder, capture_output=True, check=False)
        except FileNotFoundError as error:
            raise LabError(
                "Merging needs git, which is not here: install it, or eject the kernel under another name."
            ) from error
    if not 0 <= done.returncode <= MOST:
        raise LabError(f"git can not merge the file: {done.stderr.decode(errors='replace').strip()}")
    return done.stdout.decode("utf-8"), done.returncode


def _need_resolved(path: Path, text: str) -> None:
    if line := conflict(text):
        raise LabError(f"{path} holds conflicts of an earlier merge, the first at line {line}; resolve them first.")


def _both(
    path: Path, text: str, capture: Capture, kernel: Kernel | Span, template: Path | None
) -> tuple[str, str, str]:
    """The file as it is ejected now, and as it was; and the file of real inputs that is left, for it took others."""
    if (made := how_made(text)) is not None:
        theirs, left = _ejected(capture, kernel, made, path.name, template), ""
        if made.real and _takes(theirs) != _takes(text):
            left, made = made.real, replace(made, real="")
            theirs = _ejected(capture, kernel, made, path.name, template)
        if base := as_ejected(text, theirs):
            return theirs, base, left
    if found := _ejected_again(path, text):
        made, base = found
        return _ejected(capture, kernel, made, path.name, template), base, ""
    if not is_edited(text):
        raise LabError(f"{path} was never edited and does not say how it was ejected: remove it and eject it again.")
    raise LabError(
        f"{path} does not keep what it was before it was edited, and no capture here makes that again: eject {kernel.id} under another "
        "name and carry the edit over by hand."
    )


def _takes(text: str) -> tuple[object, ...]:
    """What decides whether inputs that were kept are still a kernel's: its body, and what it is given."""
    told = {
        ast.unparse(one.targets[0]): one.value
        for one in ast.parse(text).body
        if isinstance(one, ast.Assign) and ast.unparse(one.targets[0]) in ("ORIGIN", "ARGUMENTS", "JOBS", "SIZES")
    }
    body = ast.literal_eval(told.pop("ORIGIN"))["body_sha256"]
    return body, {name: ast.unparse(value) for name, value in told.items()}


def _ejected(capture: Capture, kernel: Kernel | Span, made: Made, name: str, template: Path | None = None) -> str:
    template = template or (Path(made.template) if made.template else None)
    if made.template and template and not template.is_file():
        raise LabError(f"The file was ejected by the template {template}, which is not there; give it with --template.")
    return eject(
        capture,
        kernel,
        style=made.style,
        generalize=made.generalize,
        target=made.language,
        template=template,
        file=name,
        real=made.real,
    )


def _ejected_again(path: Path, text: str) -> tuple[Made, str] | None:
    """A file that keeps nothing, made once more from the capture that it names; None where that makes another file today."""
    origin = origin_of(path, text)
    try:
        capture = as_it_was(origin, store.find_capture(str(origin["capture"])))
    except LabError:
        return None
    kernel = kernel_now(origin, capture)
    if kernel is None:
        return None
    called = re.search(r"^    python (\S+) ", text, re.MULTILINE)
    for made in _ways():
        for name in {path.name, called[1] if called else path.name}:
            try:
                again = _ejected(capture, kernel, made, name)
            except LabError:
                continue
            if f"sha256 {rendered_hash(again)}," in text:
                return made, again
    return None


def _ways() -> Iterator[Made]:
    yield from (Made(style) for style in STYLES)
    yield Made(generalize=True)


def _broken(text: str) -> str:
    try:
        ast.parse(text)
    except SyntaxError as error:
        return f"line {error.lineno}: {error.msg}"
    return ""
