"""Where Inductor's text comes from: logs, traces and folders in, whole output_code modules and post-grad graphs out, one at a time.

A log is taken line by line. Lines of several ranks and threads that were mixed into one file are told apart by their prefix (`prefixes`);
a trace's events by their headers (`traces`); text without any prefix by how an output_code module begins and ends (`bare`). One file can
hold all three, so what a line is is decided for each line. Only messages that have not ended are held in memory.
"""

from __future__ import annotations

import re
import sys
from collections import OrderedDict
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import IO

from inductor_lab.errors import LabError
from inductor_lab.read import files, traces
from inductor_lab.read.bare import Bare
from inductor_lab.read.carriers import Carried
from inductor_lab.read.folders import NO_TEXT, Read, in_folder
from inductor_lab.read.message import LINE_COST, MESSAGE_LIMIT, Document, Message, problem
from inductor_lab.read.prefixes import WANTED, Prefix, Prefixes, second_prefix
from inductor_lab.read.streams import Orphans, going_on, near

__all__ = ["KINDS", "Document", "documents"]

PROBLEM = "[inductor_lab] problem: "
"""A line that our own capture prints where generated code can not be true to the card."""
KINDS = ("auto", "log", "trace", "module", "debug", "tlparse")
"""What `--as` takes: what a source is said to be, where it would be taken for something else."""
_STARTS = {"output_code": "Output code:", "post_grad_graphs": "TRACED GRAPH"}
_ENDS = ("Output code written to:", "Auto-tuning code")
SEARCHED = 256
"""Open messages among which the one of a line behind another prefix is looked for: more would take too long for each line."""
REMEMBERED = 4096
"""Streams in which messages began."""
OPEN_LIMIT = 1 << 27
"""Bytes of all messages that have not ended, together, 128 Mi; the oldest is given up first."""


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
    number = _Position()
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


@dataclass
class _Position:
    """The line that is being read, for problems that are found outside."""

    line: int = 0


def scan(lines: Iterable[str], name: str, as_: str = "auto", position: _Position | None = None) -> Iterator[Document]:
    """Take a mixed log apart. What is never ended is given at the end."""
    position = position or _Position()
    scanner = _Scanner(name, as_)
    broken: Exception | None = None
    try:
        for number, line in enumerate(lines, 1):
            position.line = number
            found = scanner.take(line, number)
            if found:
                yield from found
    except files.UNREADABLE as error:
        broken = error
    yield from scanner.rest(position.line)
    if broken:
        raise broken


class _Scanner:
    """The messages of one file that are open, and what each next line does to them."""

    def __init__(self, name: str, as_: str) -> None:
        self.name = name
        whole = as_ == "module" or (as_ == "auto" and name.endswith((".py", ".cpp")))
        self.bare = Bare(name, whole, forced=as_ == "module") if as_ != "trace" else None
        self.traced = as_ in {"auto", "trace"} and not whole
        self.logged = as_ in {"auto", "log"} and not whole
        self.carried = Carried()
        self.prefixes = Prefixes()
        self.open: OrderedDict[tuple[str, str], Message] = OrderedDict()  # the oldest is found at once
        self.size = 0
        """Bytes of all open messages."""
        self.begun: set[tuple[str, str]] = set()
        """Where messages began: lines that stand there are no other message's."""
        self.payload: Message | None = None
        self.behind = "\t"
        """What stands before each line of the payload."""
        self.orphans = Orphans(name)

    def take(self, line: str, number: int) -> Iterable[Document]:
        """What ends with this line of the file."""
        whole = self.carried.take(line)
        return () if whole is None else self._take(whole, number)

    def _take(self, line: str, number: int) -> Iterable[Document]:
        if self.payload is not None:
            if not self.payload.lines and line.startswith("    "):  # tabs that an editor or a terminal made spaces
                self.behind = line[: len(line) - len(line.lstrip(" "))]
            if line.startswith(self.behind) or (self.behind.isspace() and self.behind != "\t" and not line):
                self.payload.add(line[len(self.behind) :])
                return self._overflow(self.payload) if self.payload.size > MESSAGE_LIMIT else ()
            ended, self.payload = self.payload, None
            return [*ended.close(), *self._take(line, number)]
        if "__" in line and self.logged:
            taken = self.prefixes.split(line)
            if taken is not None:
                prefix, artifact, text = taken
                if "[__" in text and (second := second_prefix(text)) >= 0:  # two processes wrote into one line
                    first = self._logged(prefix, artifact, text[:second], number)
                    return [*first, *self._take(text[second:], number)]
                return self._logged(prefix, artifact, text, number)
        if self.traced and '] {"' in line:
            event = traces.event(line)
            if event is not None:
                stream = f"{self.name} {event.stream}"
                self.behind = event.lead + "\t"
                self.payload = Message(event.kind, stream, event.compile_id, f"{self.name}:{number}", event)
                return ()
        if line.startswith(PROBLEM):
            return (problem(line[len(PROBLEM) :], f"{self.name}:{number}"),)
        return self.bare.take(line, number) if self.bare else ()

    def _logged(self, prefix: Prefix, artifact: str, text: str, number: int) -> Iterable[Document]:
        if artifact not in WANTED:
            return ()
        key = (prefix.stream, artifact)
        message = self.open.get(key)
        if message is not None:
            message.steady = True
        elif 0 < len(self.open) <= SEARCHED and prefix.origin and key not in self.begun:
            message, key = self._elsewhere(prefix, artifact)
        if text.startswith(_STARTS[artifact]):
            ended = self._end(key) if message is not None and near(message, prefix) else ()
            return [*ended, *self._started(prefix, artifact, number)]
        if message is None:
            self.orphans.met(prefix, artifact, text, number)
            return ()
        if artifact == "output_code" and text.startswith(_ENDS):
            return self._end(key)
        message.add(text)
        self.size += len(text) + LINE_COST
        if message.size > MESSAGE_LIMIT or self.size > OPEN_LIMIT:
            cut = self._closed(key if message.size > MESSAGE_LIMIT else next(iter(self.open)))
            self.orphans.expect(cut.prefix, cut.kind)
            return self._overflow(cut)
        if artifact == "post_grad_graphs" and text.lstrip().startswith("return "):
            self.orphans.expect(prefix, artifact)
            return self._end(key)
        return ()

    def _started(self, prefix: Prefix, artifact: str, number: int) -> Iterable[Document]:
        key = (prefix.stream, artifact)
        ended = self._end(key) if key in self.open else ()
        stream = f"{self.name} {prefix.stream}"
        message = Message(artifact, stream, prefix.compile_id, f"{self.name}:{number}", prefix=prefix)
        self.open[key] = message
        if len(self.begun) >= REMEMBERED:
            self.begun.clear()
        self.begun.add(key)
        self.size += message.size
        self.orphans.expect(prefix, artifact, False)
        if self.size > OPEN_LIMIT:
            cut = self._closed(next(iter(self.open)))
            self.orphans.expect(cut.prefix, cut.kind)
            return [*ended, *self._overflow(cut)]
        return ended

    def _elsewhere(self, prefix: Prefix, artifact: str) -> tuple[Message | None, tuple[str, str]]:
        """The message that a line goes on though it stands behind another prefix, and that message's key."""
        message = going_on((one for one in self.open.values() if one.kind == artifact), prefix)
        if message is None or message.prefix is None:
            return None, (prefix.stream, artifact)
        key = (message.prefix.stream, artifact)
        if not near(message, prefix):  # its graph or module stands behind other numbers: the words name the stream
            message.stream = f"{self.name} {prefix.wording} {prefix.origin}"
        elif len(prefix.lead) < len(message.prefix.lead):  # what stood before its first line was no part of the prefix
            self.open[prefix.stream, artifact] = self.open.pop(key)
            message.prefix, message.stream = prefix, f"{self.name} {prefix.stream}"
            key = (prefix.stream, artifact)
        return message, key

    def _closed(self, key: tuple[str, str]) -> Message:
        message = self.open.pop(key)
        self.size -= message.size
        return message

    def _end(self, key: tuple[str, str]) -> Iterator[Document]:
        message = self._closed(key)
        return message.close() if message.lines else iter(())  # before 2.1 a prefix stood before the first line only

    def _overflow(self, message: Message) -> list[Document]:
        if message is self.payload:
            self.payload = None
        return [message.too_long(), *(message.close() if message.lines else ())]

    def rest(self, number: int) -> Iterator[Document]:
        """What never ended, after the last line."""
        for line in self.carried.rest():
            yield from self._take(line, number)
        if self.payload is not None:
            yield from self.payload.close()
        for key in list(self.open):
            yield from self._end(key)
        yield from self.orphans.told()
        if self.bare:
            yield from self.bare.rest()
