"""An ejected file brought up to date: what its kernel is ejected as now, merged by lines with what a person made of it.

Three versions meet: the file as it was ejected, which stands packed at its end, as it is, and as it is ejected today. `git merge-file`
merges them: its markers are what people know, and their tools resolve.
"""

from __future__ import annotations

import ast
import re
import subprocess
import tempfile
from collections.abc import Iterator
from dataclasses import dataclass, replace
from pathlib import Path

from inductor_lab import store
from inductor_lab.edited import Made, as_ejected, how_made, is_edited, rendered_hash, without_blocks
from inductor_lab.eject import STYLES, eject
from inductor_lab.ejected import keep, seen, write_over
from inductor_lab.errors import LabError
from inductor_lab.records import Capture, Kernel
from inductor_lab.records.span import Span
from inductor_lab.staleness import as_it_was, conflict, kernel_now, origin_of

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
    called = re.search(r"^    python (\S+) ", text, re.MULTILINE)
    for made in _ways() if kernel else ():
        for name in {path.name, called[1] if called else path.name}:
            try:
                again = eject(capture, kernel, style=made.style, generalize=made.generalize, file=name)
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
