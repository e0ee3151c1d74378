"""Messages: what stands before each of their lines in a log, taken off; and the lines put together again, as documents.

Torch writes the prefix in front of every line of a message (`TorchLogsFormatter` in torch/_logging/_internal.py):

    [rank3]:V1120 09:28:41.455000 463 torch/_inductor/graph.py:2552] [0/0] [__output_code] TEXT     2.3 and later
    [2023-12-12 21:02:34,424] [0/0] torch._inductor.graph.__output_code: [DEBUG] TEXT               2.0 to 2.2

Launchers and collectors write theirs before it: `[default0]:`, `3: `, `(RayTrainWorker pid=12, ip=10.0.0.1)`, `pod-1 | `, syslog's time and host.
What is left of all that, when everything that changes from line to line is gone, names the stream that the line belongs to (`lead`). Where
something stands before a line that nobody can foresee, torch's own thread and compile id are still there (`origin`): see `streams`.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass, field

_GLOG = re.compile(
    r"(?P<lead>.*?)[VDIWEC]\d{4} (?:\d{4}-)?\d[\d:.,]* (?P<thread>\d+) [^\]]*?:\d+\] ?(?P<compile>(?:\[[^\]\s]*\] ?)*)$"
)
_DATED = re.compile(
    r"(?P<lead>.*?)\[\d{4}-\d\d-\d\d \d\d:\d\d:\d\d[,.]\d+\] (?P<compile>(?:\[[^\]\s]*\] )*)(?:torch[\w.]*)?$"
)
_MOVING = re.compile(
    r"\d{4}-\d\d-\d\d[T ]\d\d:\d\d:\d\d(?:[.,]\d+)?(?:Z|[+-]\d\d:?\d\d)?|\d\d:\d\d:\d\d(?:[.,]\d+)?|\b(?:stdout|stderr) [FP]\b"
)
"""Times, and the marks of the Kubernetes log format: different on every line of one message."""
_DATED_ARTIFACT = re.compile(r"\.__([a-z_]+): \[[A-Z]+\] ?")
_SECOND = re.compile(r"(?:\[rank\d+\]:)?[VDIWEC]\d{4} \d\d:\d\d:\d\d\.\d+ \d+ [\w/.-]+:\d+\] (?:\[[^\]\s]*\] )?\[__")
_QUOTED = ("'", '"', "\\n")
"""What stands before a line inside a string that is quoted: the first, and each other."""
_NUMBERS = re.compile(r"[\d.]+")
_LONGEST = 1000
"""Characters of a prefix. What is longer is no prefix: it is not searched, so that no line can cost much."""
_REMEMBERED = 4096


@dataclass(frozen=True)
class Prefix:
    """Where a line belongs."""

    stream: str
    compile_id: str
    lead: str = ""
    """What stands before torch's own prefix, less times."""
    origin: str = ""
    """Thread and compile id, which torch writes itself; empty in a format of the user's own."""

    @property
    def wording(self) -> str:
        """The lead without its numbers."""
        return _NUMBERS.sub("", self.lead)


class Prefixes:
    """Takes lines apart. All lines of one message have the same prefix, so each is parsed once and remembered for a while."""

    def __init__(self) -> None:
        self._known: dict[str, Prefix] = {}

    def split(self, line: str) -> tuple[Prefix, str, str] | None:
        """(prefix, artifact, text) of a line of torch's logging; None for any other line."""
        start = line.find("[__")
        if start >= 0:
            end = line.find("]", start, start + 64)
            if end > 0:
                artifact = line[start + 3 : end]
                text = line[end + 2 :] if line[end + 1 : end + 2] == " " else line[end + 1 :]
                head = line[:start]
                prefix = self._known.get(head) or self._prefix(head)
                return (prefix, artifact, text) if prefix else None
        if ".__" in line:
            found = _DATED_ARTIFACT.search(line, 0, _LONGEST)
            if found and (prefix := self._known.get(line[: found.start()]) or self._prefix(line[: found.start()])):
                return prefix, found[1], line[found.end() :]
        return None

    def _prefix(self, head: str) -> Prefix | None:
        if len(head) > _LONGEST:
            return None
        match = _GLOG.match(head) or _DATED.match(head)
        if match:
            thread = match["thread"] if "thread" in match.re.groupindex else ""
            compile_id = match["compile"].strip().rpartition("[")[2].rstrip("]")
            lead, origin = _MOVING.sub("", match["lead"]).strip(), f"{thread} {compile_id}"
            prefix = Prefix(f"{lead} {origin}", compile_id, lead, origin)
        else:  # a format of the user's own (TORCH_LOGS_FORMAT): the artifact's mark is enough
            prefix = Prefix(_MOVING.sub("", head).strip(), "")
        if len(self._known) >= _REMEMBERED:
            self._known.clear()
        self._known[head] = prefix
        return prefix


def second_prefix(text: str, *, quotes: bool) -> int:
    """Where another line's prefix begins inside a text, when two processes wrote at once; -1 for nowhere.

    Args:
        quotes: The text may hold strings of the program, as Dynamo's messages on graph breaks do: a log in one is no line.
    """
    starts = (match.start() for match in _SECOND.finditer(text))
    return next((start for start in starts if not (quotes and text.endswith(_QUOTED, 0, start))), -1)


MESSAGE_LIMIT = 1 << 25
"""Bytes of one message, 32 Mi: what is longer is given as it is, with a problem."""
LINE_COST = 60
"""Bytes that a line takes beside its characters, while it waits."""


@dataclass(frozen=True)
class Document:
    """One message of a log, put together again."""

    kind: str
    """`output_code`, `post_grad_graphs`, `provenance` (JSON, of the module before it), `kernel` (a kernel's own cache file,
    written as a module) or `problem`."""
    stream: str
    """Names the file, rank, thread and compile id that it belongs to."""
    compile_id: str
    text: str
    where: str
    """`file:line` of its first line."""


def problem(message: str, where: str) -> Document:
    return Document("problem", "", "", message, where)


@dataclass
class Message:
    """A message that has not ended."""

    kind: str
    stream: str
    compile_id: str
    where: str
    event: bool = False
    """It is a trace's: without text it was cut off."""
    problem: str = ""
    """What is wrong with the header of an event."""
    lines: list[str] = field(default_factory=list)
    size: int = 1000
    """Bytes, about, with what the message itself takes."""
    prefix: Prefix | None = None
    """What stands before its lines in a log."""
    steady: bool = False
    """A second line stood behind the same prefix."""

    def add(self, line: str) -> None:
        self.lines.append(line)
        self.size += len(line) + LINE_COST

    def too_long(self) -> Document:
        told = (
            f"this message does not end within {MESSAGE_LIMIT >> 20} MiB, or too many others are open: it was cut off"
        )
        return problem(told, self.where)

    def cut_off(self) -> list[Document]:
        """A message that is given up, as far as it goes."""
        return [self.too_long(), *(self.close() if self.lines else ())]

    def close(self) -> Iterator[Document]:
        """The message as a document, and what is wrong with it."""
        if self.event and not self.lines:
            yield problem("this event has no text: it was cut off", self.where)
            return
        if self.problem:
            yield problem(self.problem, self.where)
        yield Document(self.kind, self.stream, self.compile_id, "\n".join(self.lines).rstrip() + "\n", self.where)
