"""A log, line by line, as a state machine: lines in, whole messages out. Only messages that have not ended are held in memory.

One file can hold lines behind torch's prefix, a trace's events and text without any prefix, so what a line is is decided for each line:

    state       a line                                           what it does                                    next state
    between     behind a prefix of torch's logging               goes to `logged`, by thread, rank and place     between
                the header of a trace's event                    begins the event                                in_event
                `[inductor_lab] problem: ...`                    is given as a problem                           between
                any other                                        goes to `plain`, which has states of its own     between
    in_event    behind a tab (or what stands for it)             goes on the event                               in_event
                any other                                        ends the event, and is met again                between

The first line of an event is `first_of_event`, which also looks at what stands for the tab. TORCH_TRACE has one line of JSON for each event,
and below it the event's text, each line behind a tab (`trace_structured`, torch/_logging):

    V1120 09:28:41.456000 463 torch/_inductor/graph.py:2575] {"inductor_output_code": {"filename": ...}, ..., "has_payload": "MD5"}
        # AOT ID: ['0_inference']

The MD5 is not checked: traces are handed on with names and paths taken out, which leaves the code whole.
"""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from typing import Any

from inductor_lab.read import files
from inductor_lab.read.artifacts import EVENTS, LOGGED
from inductor_lab.read.files import Carried
from inductor_lab.read.message import MESSAGE_LIMIT, Document, Message, Prefixes, problem, second_prefix
from inductor_lab.read.plain_text import PlainText
from inductor_lab.read.streams import Logged

PROBLEM = "[inductor_lab] problem: "
"""A line that our own capture prints where generated code can not be true to the card."""

State = Callable[[str, int], Iterable[Document]]
"""Takes the next line and its number, gives what ends with it, and sets the state that the line after it meets."""


@dataclass
class Position:
    """The line that is being read, for problems that are found outside."""

    line: int = 0


def scan(lines: Iterable[str], name: str, as_: str = "auto", position: Position | None = None) -> Iterator[Document]:
    """Take a mixed log apart. What is never ended is given at the end."""
    position = position or Position()
    scanner = Scanner(name, as_)
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


def _quotes(artifact: str) -> bool:
    """Whether a log may stand in its text; of one that is not read nobody knows."""
    return artifact not in LOGGED or LOGGED[artifact].quotes


class Scanner:
    """The messages of one file that are open, and what each next line does to them."""

    def __init__(self, name: str, as_: str) -> None:
        self.name = name
        whole = as_ == "module" or (as_ == "auto" and name.endswith((".py", ".cpp")))
        self.plain = PlainText(name, whole, forced=as_ == "module") if as_ != "trace" else None
        self.logged = Logged(name) if as_ in {"auto", "log"} and not whole else None
        self.traced = as_ in {"auto", "trace"} and not whole
        self.carried = Carried()
        self.prefixes = Prefixes()
        self.state: State = self.between
        self.event: Message | None = None
        """The event that is open, in the two states of an event."""
        self.tab = "\t"
        """What stands before each line of its text."""

    def take(self, line: str, number: int) -> Iterable[Document]:
        """What ends with this line of the file."""
        whole = self.carried.take(line)
        return () if whole is None else self.state(whole, number)

    def between(self, line: str, number: int) -> Iterable[Document]:
        """No event is open."""
        if "__" in line and self.logged:
            taken = self.prefixes.split(line)
            if taken is not None:
                prefix, artifact, text = taken
                second = second_prefix(text, quotes=_quotes(artifact)) if "[__" in text else -1
                if second >= 0:  # two processes wrote into one line
                    first = self.logged.take(prefix, artifact, text[:second], number)
                    return [*first, *self.between(text[second:], number)]
                return self.logged.take(prefix, artifact, text, number)
        if self.traced and '] {"' in line:
            begun = event_of(line, self.name, number)
            if begun is not None:
                self.event, lead = begun
                self.tab = lead + "\t"
                self.state = self.first_of_event
                return ()
        if line.startswith(PROBLEM):
            return (problem(line[len(PROBLEM) :], f"{self.name}:{number}"),)
        return self.plain.state(line, number) if self.plain else ()

    def first_of_event(self, line: str, number: int) -> Iterable[Document]:
        """The line after an event's header: an editor or a terminal may have made spaces of its tab."""
        if line.startswith("    "):
            self.tab = line[: len(line) - len(line.lstrip(" "))]
        self.state = self.in_event
        return self.in_event(line, number)

    def in_event(self, line: str, number: int) -> Iterable[Document]:
        """The text of a trace's event."""
        assert self.event
        if line.startswith(self.tab):
            self.event.add(line[len(self.tab) :])
            return self._end_event() if self.event.size > MESSAGE_LIMIT else ()
        if not line and self.tab.isspace() and self.tab != "\t":  # the spaces of an empty line were taken off
            self.event.add("")
            return ()
        return [*self._end_event(), *self.between(line, number)]

    def _end_event(self) -> list[Document]:
        message, self.event, self.state = self.event, None, self.between
        if message is None:
            return []
        return message.cut_off() if message.size > MESSAGE_LIMIT else list(message.close())

    def rest(self, number: int) -> Iterator[Document]:
        """What never ended, after the last line."""
        for line in self.carried.rest():
            yield from self.state(line, number)
        yield from self._end_event()
        if self.logged:
            yield from self.logged.rest()
        if self.plain:
            yield from self.plain.rest()


# The header of a trace's event


_HEADER = re.compile(r"[VDIWEC]\d{4} [\d:.]+ (?P<thread>\d+) ?[^\]]{0,500}?:\d+\] \{")
_NAMED = re.compile("|".join(f'"{name}"' for name in EVENTS))
_LONGEST = 1 << 20


def event_of(line: str, name: str, number: int) -> tuple[Message, str] | None:
    """The event that a header announces, and what a launcher wrote before the line, as before each line of the text; None for any other line and for
    events that hold no code.

    Args:
        name: Of the file.
        number: Of the line in it.
    """
    named = _NAMED.search(line)
    if named is None:
        return None
    match = _HEADER.search(line, 0, 2000)
    if match is None:
        return None
    lead, where = line[: match.start()], f"{name}:{number}"
    try:
        if len(line) > _LONGEST:
            raise ValueError("longer than 1 MiB")
        header = json.loads(line[match.end() - 1 :])
    except (ValueError, RecursionError) as error:
        found = f"the header of an event is not whole JSON ({type(error).__name__}): its text was read without it"
        kind = EVENTS[named[0].strip('"')]
        return Message(kind, f"{name} {match['thread']}", "", where, event=True, problem=found), lead
    called = _name(header)
    if called is None or "has_payload" not in header:
        return None
    compile_id = _compile_id(header)
    rank = header.get("rank", "")
    stream = f"{name} {lead}{rank} {match['thread']} {compile_id}"
    return Message(EVENTS[called], stream, compile_id, where, event=True), lead


def _name(header: dict[str, Any]) -> str | None:
    for key in ("artifact", "graph_dump"):
        inner = header.get(key)
        if isinstance(inner, dict):
            return inner["name"] if inner.get("name") in EVENTS else None
    return next((name for name in EVENTS if name in header), None)


def _compile_id(header: dict[str, Any]) -> str:
    """`0/0`, `!1/0/0` under compiled autograd, `0/0_1` for a second attempt, as `torch._guards.CompileId` prints them."""
    if header.get("frame_id") is None:
        return ""
    autograd = header.get("compiled_autograd_id")
    attempt = header.get("attempt")
    return (
        ("" if autograd is None else f"!{autograd}/")
        + f"{header['frame_id']}/{header.get('frame_compile_id', 0)}"
        + (f"_{attempt}" if attempt else "")
    )
