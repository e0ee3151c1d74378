"""Captures on disk: written whole or not at all, read back as records, found by name.

A capture is one folder, `captured/NAME/`:

    capture.json      the catalog that `--json` prints; texts are lists of lines, so that a diff reads well
    modules/ID.py     each graph's output_code module, as Inductor wrote it
    log.txt.gz        the log that it was read from, where there was one
    values/ID.npz     what each graph was given and returned at its first call, where the user asked for it

Nothing else in inductor_lab knows this layout.
"""

from __future__ import annotations

import dataclasses
import fnmatch
import itertools
import json
import os
import re
import shutil
import tempfile
from collections.abc import Callable, Iterable, Sequence
from contextlib import suppress
from pathlib import Path
from typing import Any, Protocol, TypeVar

from inductor_lab.document import from_dict as from_dict
from inductor_lab.document import printed
from inductor_lab.document import to_dict as to_dict
from inductor_lab.errors import LabError, unknown
from inductor_lab.records import SCHEMA, Capture, Graph, Kernel, Summary

HOME = Path("captured")
"""Where captures live unless told otherwise, below the working directory."""

DOCUMENT = "capture.json"
RESULTS = "results.jsonl"
"""What was measured of ejected files, beside the captures: `history.py` writes it."""

LISTS = ("graphs", "kernels", "extern_calls", "events", "problems")
"""Fields of a Capture that stand beside `capture` in the document; all others are inside it."""


# The document


def catalog(capture: Capture, *, address: str | None = None, lines: bool = False) -> dict[str, Any]:
    """The document that `--json` prints and `capture.json` holds; a graph's `module` is the file that has its text.

    `address` is how the capture is named on the command line; kernel ids begin with it.
    """
    files = module_files(capture)
    data = to_dict(capture, lines=lines)
    for graph in data["graphs"]:
        graph["module"] = files[graph["id"]]
    for kernel in data["kernels"] if address else ():
        kernel["id"] = f"{address}:{kernel['id'].rpartition(':')[2]}"
    head = {key: value for key, value in data.items() if key not in LISTS}
    return {"schema": SCHEMA, "capture": head, **{key: data[key] for key in LISTS}}


def module_files(capture: Capture) -> dict[str, str]:
    """Graph id -> its module's file inside the capture's folder. Ids come from logs: they never lead out of it."""
    files: dict[str, str] = {}
    for graph in capture.graphs:
        stem = safe_name(graph.id)
        while f"modules/{stem}.py" in files.values():
            stem += "_"
        files[graph.id] = f"modules/{stem}.py"
    return files


def safe_name(text: str) -> str:
    """`text` as one plain file name."""
    return re.sub(r"[^A-Za-z0-9_.-]+", "_", text).strip(".") or "_"


# Writing


def save(capture: Capture, folder: str | Path, log: str | None = None, values: Path | None = None) -> Path:
    """Write the capture as `folder` and return it. Another process sees the old capture or the new, no half of one.

    Args:
        values: A folder whose files of values are moved into the capture's.
    """
    folder = Path(folder)
    check_folder(folder)
    try:
        folder.parent.mkdir(parents=True, exist_ok=True)
        temporary = Path(tempfile.mkdtemp(prefix=f".{folder.name}.", dir=folder.parent))
    except OSError as error:
        raise LabError(f"Can not write {folder}: {error.strerror}; choose another folder with -o.") from error
    try:
        temporary.chmod(0o755)  # mkdtemp makes it private
        _fill(temporary, capture, log)
        if values is not None and any(graph.values for graph in capture.graphs):
            _take(capture, values, temporary)
        _swap(temporary, folder)
    finally:
        shutil.rmtree(temporary, ignore_errors=True)
    return folder


def check_folder(folder: Path) -> None:
    """Raise LabError for a folder that a capture must not replace, so that it can be said before a long run and not after."""
    if folder.exists() and not _replaceable(folder):
        raise LabError(f"{folder} exists and is not a capture; choose another folder with -o.")


def free_folder(name: str, command: str) -> Path:
    """`captured/NAME` where it is free or holds a capture of the same command; else the first free `captured/NAME_2`, `_3` ..."""
    for number in itertools.count(1):
        folder = HOME / (name if number == 1 else f"{name}_{number}")
        if not folder.exists() or not (folder / DOCUMENT).is_file():
            return folder
        try:
            if load(folder).command == command:
                return folder
        except LabError:  # broken: not ours to replace unasked
            continue
    raise AssertionError("unreachable")


def _replaceable(folder: Path) -> bool:
    return folder.is_dir() and ((folder / DOCUMENT).is_file() or not any(folder.iterdir()))


def _fill(folder: Path, capture: Capture, log: str | None) -> None:
    (folder / "modules").mkdir()
    files = module_files(capture)
    for graph in capture.graphs:
        (folder / files[graph.id]).write_text(graph.module, encoding="utf-8")
    document = printed(catalog(capture, lines=True))
    (folder / DOCUMENT).write_text(document, encoding="utf-8")
    if log is not None:
        import gzip  # here alone: a list reads no log

        # No time stamp, so that the same log gives the same bytes.
        (folder / "log.txt.gz").write_bytes(gzip.compress(log.encode(), mtime=0))


def _take(capture: Capture, values: Path, folder: Path) -> None:
    (folder / "values").mkdir()
    for graph in capture.graphs:
        if graph.values:
            shutil.move(values / Path(graph.values).name, folder / graph.values)


def _swap(new: Path, folder: Path) -> None:
    """Put `new` where `folder` is; a folder that is not empty can not be renamed over, so the old one steps aside."""
    old = new.with_name(new.name + ".old")
    if folder.exists():
        os.rename(folder, old)
    try:
        os.rename(new, folder)
    except OSError:
        if old.exists():
            os.rename(old, folder)
        raise
    shutil.rmtree(old, ignore_errors=True)


# Reading


def load(folder: str | Path) -> Capture:
    """The capture in `folder`; kernel ids begin with the name that finds it from here."""
    folder = Path(folder)
    data = _document(folder)
    try:
        for graph in data["graphs"]:
            graph["module"] = _module(folder, graph["module"])
        capture = from_dict(Capture, {**data["capture"], **{key: data.get(key, []) for key in LISTS}})
    except (KeyError, TypeError, ValueError, AttributeError) as error:
        why = f"it lacks {error}" if isinstance(error, KeyError) else error
        raise LabError(
            f"{folder / DOCUMENT} is not a capture that this version can read ({why}); capture again."
        ) from error
    name = address(folder)
    kernels = (dataclasses.replace(kernel, id=f"{name}:{kernel.id.rpartition(':')[2]}") for kernel in capture.kernels)
    return dataclasses.replace(capture, kernels=tuple(kernels))


def _document(folder: Path) -> dict[str, Any]:
    path = folder / DOCUMENT
    try:
        data = json.loads(path.read_text(encoding="utf-8"))
    except FileNotFoundError as error:
        raise LabError(
            f"{folder} holds no capture (no {DOCUMENT}); `inductor-lab list` shows those that there are."
        ) from error
    except (OSError, ValueError) as error:
        raise LabError(f"{path} is unreadable ({error}); capture again.") from error
    if not isinstance(data, dict) or data.get("schema") != SCHEMA:
        raise LabError(f"{path} is not a document of schema {SCHEMA}; it needs another version of inductor_lab.")
    return data


def _module(folder: Path, name: str) -> str:
    path = folder / "modules" / Path(name).name
    try:
        return path.read_text(encoding="utf-8")
    except OSError as error:
        raise ValueError(f"no module {path.name}") from error


def values_file(folder: Path, graph: Graph) -> Path | None:
    """The values that a graph was given and returned, where they were kept and are still there."""
    file = folder / "values" / Path(graph.values).name
    return file if graph.values and file.is_file() else None


def results(folder: Path) -> tuple[Path, ...]:
    """The files that may hold what was measured of the kernels in `folder`: beside it, and under captured/ here."""
    return tuple(dict.fromkeys(place.resolve() / RESULTS for place in (folder.absolute().parent, HOME)))


def address(folder: Path) -> str:
    """How the command line names the capture in `folder`: its name when it is under captured/, else the path."""
    return folder.name if folder.resolve().parent == HOME.resolve() else str(folder)


# Finding


def names() -> list[str]:
    """The name of every capture under captured/, readable or not."""
    return sorted(path.parent.name for path in HOME.glob(f"*/{DOCUMENT}") if not path.parent.name.startswith("."))


def summed(capture: Capture, folder: Path) -> Summary:
    """The line about the capture in `folder`."""
    return Summary(
        name=address(folder),
        torch=capture.torch,
        gpu=capture.gpu,
        command=capture.command,
        created=capture.created,
        graphs=len(capture.graphs),
        kernels=len(capture.kernels),
        launches=sum(len(kernel.launches) for kernel in capture.kernels),
        problems=len(capture.problems),
    )


def find_capture(name: str) -> Capture:
    """The capture called `name`, under captured/ or as a folder's path; LabError with near names when there is none."""
    return load(folder_of(name))


def folder_of(name: str) -> Path:
    """Where the capture called `name` is, as for `find_capture`; under the captured/ of a folder above, where one works below it."""
    above = (Path(*[".."] * up) / HOME / name for up in range(1, len(Path.cwd().parents) + 1))
    for folder in (HOME / name, Path(name), *above) if Path(name).name == name else (Path(name),):
        if (folder / DOCUMENT).is_file():
            return folder
    if not (known := names()):
        raise LabError(
            f"There is no capture {name!r} and none under {HOME}/; make one with `inductor-lab capture lora_mlp`."
        )
    if Path(name).is_file():
        raise LabError(f"{name} is a file, and no capture yet; `inductor-lab read {name}` makes one of a log or trace.")
    raise unknown(f"There is no capture {name!r}", name, known, "`inductor-lab list` shows all.")


class Named(Protocol):
    """What of a kernel a name can mean."""

    @property
    def id(self) -> str: ...
    @property
    def name(self) -> str: ...
    @property
    def body_sha256(self) -> str: ...


Which = TypeVar("Which", bound=Named)


Opened = TypeVar("Opened")


def find(
    name: str, opened: Callable[[Path], Opened], kernels: Callable[[Opened], Sequence[Which]]
) -> tuple[Opened, tuple[Which, ...]]:
    """What `capture:index`, `capture:name`, `capture:glob*` or 8 digits of a body's hash name, at least one; of a hash the first capture's, as the
    same body in two captures is the same kernel.

    Args:
        opened: What makes a capture of its folder.
        kernels: What a capture has to be named.
    """
    if re.search(r":\d+-\d+$", name):
        raise LabError(
            f"{name} is a span, which is no kernel; a file of it takes all verbs: inductor-lab eject {name} -o FILE."
        )
    capture, _, which = name.rpartition(":")
    if capture:
        found = opened(folder_of(capture))
        return found, named(kernels(found), capture, which)
    for one in names() if _is_hash(name) else ():
        with suppress(LabError):
            found = opened(HOME / one)
            if same := _with_hash(kernels(found), name):
                return found, tuple(same[:1])
    raise _no_kernel(name)


def find_kernels(name: str) -> tuple[Capture, tuple[Kernel, ...]]:
    """The capture and the kernels that `name` names, as in `find`."""
    return find(name, load, lambda capture: capture.kernels)


def named(kernels: Sequence[Which], capture: str, which: str) -> tuple[Which, ...]:
    """Those that an index, a name, a glob or 8 digits of a body's hash mean, at least one; LabError with near names when there is none."""
    if which.isdecimal():
        found = [kernel for kernel in kernels if kernel.id.rpartition(":")[2] == str(int(which))]
    else:
        found = [kernel for kernel in kernels if fnmatch.fnmatchcase(kernel.name, which)] or _with_hash(kernels, which)
    if found:
        return tuple(found)
    if not kernels:
        raise LabError(f"The capture {capture!r} has no kernels.")
    all_ = f"{capture}:0 to {capture}:{len(kernels) - 1}"
    if not which:
        raise LabError(f"Name a kernel of {capture!r}: it has {all_}; `inductor-lab list {capture}` shows all.")
    if re.fullmatch(r"-?\d+", which):
        raise LabError(f"There is no kernel {which!r} in {capture!r}; it has {all_}.")
    known = [kernel.name for kernel in kernels]
    raise unknown(
        f"There is no kernel {which!r} in {capture!r}", which, known, f"`inductor-lab list {capture}` shows all."
    )


MOST_NAMED = 6
"""Kernels that a sentence lists."""


def some(kernels: Sequence[str]) -> str:
    """The first of them, and how many more there are."""
    more = len(kernels) - MOST_NAMED
    return ", ".join(kernels[:MOST_NAMED]) + (f" and {more} more" if more > 0 else "")


def find_kernel(name: str, *, or_all: str = "") -> tuple[Capture, Kernel]:
    """The one kernel that `name` names, as in `find_kernels`; LabError when it names several, with what else one may do."""
    capture, kernels = find_kernels(name)
    if len(kernels) > 1:
        several = some([f"{kernel.id} ({kernel.name})" for kernel in kernels])
        raise LabError(f"{name!r} names {len(kernels)} kernels; choose one of {several}{or_all}.")
    return capture, kernels[0]


def _no_kernel(word: str) -> LabError:
    """What to say of a word that names no kernel of any capture."""
    if any((folder / DOCUMENT).is_file() for folder in (HOME / word, Path(word))):
        return LabError(f"{word!r} is a capture; name one of its kernels, such as {word}:0.")
    if _is_hash(word):
        return LabError(f"No kernel under {HOME}/ has a body whose hash begins with {word}.")
    way_out = "give capture:index, capture:name or the first 8 digits of a body's hash."
    return unknown(f"{word!r} is no kernel", word, names(), way_out)


def _is_hash(text: str) -> bool:
    """Whether it may be the beginning of a body's hash."""
    return re.fullmatch(r"[0-9a-f]{8,64}", text) is not None


def _with_hash(kernels: Iterable[Which], digits: str) -> list[Which]:
    return [kernel for kernel in kernels if _is_hash(digits) and kernel.body_sha256.startswith(digits)]
