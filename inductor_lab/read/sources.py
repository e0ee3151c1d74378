"""Where Inductor's text comes from: logs in, whole output_code modules and post-grad graphs out.

A log line of torch's structured logging, as `torch/_logging/_internal.py` writes it (2.0 to 2.15):

    V1120 09:28:41.455000 463 torch/_inductor/graph.py:2552] [0/0] [__output_code] TEXT

Level and date, time, thread, file and line, then the compile id where there is one, the artifact, and one line of its text. Every line of
a message carries the prefix, so lines of several ranks and threads that were mixed into one file can be told apart again: whatever stands
before the artifact, less the time and the place, names the stream that a line belongs to.
"""

from __future__ import annotations

import gzip
import re
import sys
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import IO

from inductor_lab.errors import LabError

LINE = re.compile(
    r"^(?P<rank>.*?)[VIDWEC]\d{4} (?:\d{4}-)?[\d:.]+ (?P<thread>\d+) (?P<place>\S+?:\d+)\] (?P<compile>(?:\[[^\]\s]*\] ?)*?)"
    r"\[__(?P<artifact>[a-z_]+)\] ?(?P<text>.*)$"
)
PROBLEM = "[inductor_lab] problem: "
"""A line that our own capture prints where generated code can not be true to the card."""


@dataclass(frozen=True)
class Document:
    """One message of a log, put together again."""

    kind: str
    """`output_code`, `post_grad_graphs` or `problem`."""
    stream: str
    """Names the rank, thread and compile id that it belongs to."""
    compile_id: str
    text: str
    where: str
    """`file:line` of its first line."""


def documents(source: str | Path) -> Iterator[Document]:
    """Every module and graph in one source: a log (`.gz` too), an output_code module, a folder of them, or `-` for standard input.

    Raises:
        LabError: the source does not exist, or is not text.
    """
    if str(source) == "-":
        yield from _from_lines(sys.stdin, "stdin")
        return
    path = Path(source)
    if path.is_dir():
        for child in sorted(p for p in path.rglob("*") if p.is_file() and p.suffix in {".log", ".txt", ".py", ".gz"}):
            yield from documents(child)
        return
    if not path.exists():
        raise LabError(
            f"{path} does not exist; give a log, an output_code module, a folder of them, or - for standard input"
        )
    try:
        with _open(path) as lines:
            yield from _from_lines(lines, str(path))
    except (UnicodeDecodeError, gzip.BadGzipFile, EOFError) as error:
        raise LabError(f"{path} is not a readable text log: {error}") from error


def _open(path: Path) -> IO[str]:
    if path.suffix == ".gz":
        return gzip.open(path, "rt", encoding="utf-8")
    return path.open(encoding="utf-8")


def _from_lines(lines: Iterable[str], name: str) -> Iterator[Document]:
    """Take a mixed log apart by stream. Text without any prefix is taken as one module if it looks like one."""
    open_documents: dict[tuple[str, str], _Open] = {}
    bare: list[str] = []
    prefixed = False
    for number, line in enumerate(lines, 1):
        line = line.rstrip("\n")
        match = LINE.match(line) if "[__" in line else None
        if match is None:
            if line.startswith(PROBLEM):
                yield Document("problem", "", "", line[len(PROBLEM) :], f"{name}:{number}")
            elif not prefixed:
                bare.append(line)
            continue
        if not prefixed:
            prefixed, bare = True, []
        artifact, text = match["artifact"], match["text"]
        if artifact not in {"output_code", "post_grad_graphs"}:
            continue
        compile_id = match["compile"].strip().strip("[]")
        stream = f"{match['rank'].strip()} {match['thread']} {compile_id}"
        key = (stream, artifact)
        if _starts(artifact, text):
            if key in open_documents:
                yield open_documents.pop(key).close()
            open_documents[key] = _Open(artifact, stream, compile_id, [], f"{name}:{number}")
        elif artifact == "output_code" and text.startswith("Output code written to:"):
            if key in open_documents:
                yield open_documents.pop(key).close()
        elif key in open_documents:
            open_documents[key].lines.append(text)
            if artifact == "post_grad_graphs" and text.lstrip().startswith("return "):
                yield open_documents.pop(key).close()
    for document in open_documents.values():
        yield document.close()
    if not prefixed and any("async_compile" in line for line in bare):
        yield Document("output_code", name, "", "\n".join(bare) + "\n", f"{name}:1")


def _starts(artifact: str, text: str) -> bool:
    return text.startswith("Output code:") if artifact == "output_code" else text.startswith("TRACED GRAPH")


@dataclass
class _Open:
    kind: str
    stream: str
    compile_id: str
    lines: list[str]
    where: str

    def close(self) -> Document:
        return Document(self.kind, self.stream, self.compile_id, "\n".join(self.lines).rstrip() + "\n", self.where)
