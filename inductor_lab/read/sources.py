"""Where Inductor's text comes from: files, folders and standard input in, whole messages out, one at a time.

Bytes become lines in `files`, lines become messages in `scanner`, folders are gone through in `folders`.
"""

from __future__ import annotations

import re
import sys
from collections.abc import Iterator
from functools import partial
from pathlib import Path
from typing import IO

from inductor_lab.errors import LabError
from inductor_lab.read import files
from inductor_lab.read.folders import NO_TEXT, Read, in_folder
from inductor_lab.read.message import Document, problem
from inductor_lab.read.scanner import Position, scan

__all__ = ["KINDS", "Document", "documents"]

KINDS = ("auto", "log", "trace", "module", "debug", "tlparse")
"""What `--as` takes: what a source is said to be, where it would be taken for something else."""


def documents(source: str | Path, as_: str = "auto", read: Read | None = None) -> Iterator[Document]:
    """Every module and graph in one source: a log, trace or module (`.gz`, `.zst`, `.tar`, `.zip` too), a folder of them, or `-` for standard input.

    `read` reads one file, where another way than `from_file` is wanted.

    Raises:
        LabError: the source does not exist, or is not text.
    """
    if as_ not in KINDS:
        raise LabError(f"{as_} is no kind of source; one of {', '.join(KINDS)}")
    if str(source) == "-":
        yield from _from_stream(sys.stdin.buffer, "stdin", as_)
        return
    path, read = Path(source), read or partial(from_file, as_=as_)
    if path.is_dir():
        yield from in_folder(path, as_, read)
        return
    if not path.exists():
        raise LabError(
            f"{path} does not exist; give a log, an output_code module, a folder of them, or - for standard input"
        )
    yield from read(path)


def name_of(source: str) -> str:
    """What a capture of it is called: `dlrm main` of `runs/dlrm main.log.gz`."""
    return (
        "stdin"
        if source == "-"
        else re.sub(r"(\.(gz|bz2|xz|zst|zip|log|txt|py|cpp|tgz|tar))+$", "", Path(source).resolve().name)
    )


def from_file(path: Path, as_: str = "auto", name: str | None = None) -> Iterator[Document]:
    """One file, shown as `name`.

    Raises:
        LabError: it is not text, or can not be opened.
    """
    try:
        raw = path.open("rb")
    except OSError as error:
        raise LabError(f"{path} can not be opened: {error.strerror}; give another file") from error
    with raw:
        yield from _from_stream(raw, name or str(path), as_)


def _from_stream(raw: IO[bytes], name: str, as_: str) -> Iterator[Document]:
    """A broken archive gives what stands before the break, and a problem; one that gives nothing at all is refused."""
    given = False
    number = Position()
    try:
        for inner, stream, counted in files.opened(raw, name):
            head = stream.peek(4096)[:4096]
            packed = inner != name and files.is_archive(head)
            if packed or not files.looks_like_text(head):
                if inner == name:
                    raise LabError(f"{name} is not a readable text log: {NO_TEXT}")
                if files.named_like_a_log(inner):
                    why = "it is an archive inside another one: unpack it first" if packed else NO_TEXT
                    yield problem(f"it was not read: {why}", f"{inner}:1")
                continue
            for document in scan(files.lines(stream, counted), inner, as_, number):
                given = True
                yield document
    except files.UNREADABLE as error:
        if not given:
            raise LabError(f"{name} is not a readable text log: {error}") from error
        yield problem(f"reading stopped here: {error}", f"{name}:{number.line}")
