"""What carries a log and wraps each line on its way: Docker, Kubernetes, journald and collectors, terminals. Unwrapped, and cut lines joined.

{"log":"V1120 09:28:41 ... TEXT\\n","stream":"stderr","time":"2026-01-02T03:04:05Z"}     Docker's json-file; no \\n: it goes on
2026-01-02T03:04:05.123456789Z stderr P V1120 09:28:41 ... TE                             Kubernetes (CRI); P: it goes on
2026-01-02T03:04:05.123456790Z stderr F XT                                                F: it ends here
{"MESSAGE":"V1120 09:28:41 ... TEXT","_PID":"463"}                                        journalctl -o json, fluentd, Cloud Logging
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from typing import Any

from inductor_lab.read.files import LINE_LIMIT

_KUBERNETES = re.compile(r"\d{4}-\d\d-\d\dT[\d:.]+(?:Z|[+-]\d\d:\d\d) (?P<stream>stdout|stderr) (?P<end>[PF])(?: |$)")
_TEXT = ("log", "MESSAGE", "message", "textPayload", "msg", "@message", "line", "body", "text", "content")
"""Keys under which a record of JSON holds the line."""
_WRITER = re.compile(
    r"(?:^|[_.])(?:pod|host|hostname|container|node|instance|machine|rank|pid|task|worker)(?:_?(?:name|id|ip|uid))?$",
    re.IGNORECASE,
)
"""Keys that say who wrote the line: two pods have the same process id."""
_DEEPEST = 3
_STREAMS = ("stdout", "stderr")
_COLOUR = re.compile(r"\x1b\[[0-9;]*[A-Za-z]")


class Carried:
    """Lines as they stand in the file in, lines as the program wrote them out."""

    def __init__(self) -> None:
        self.begun: dict[str, list[str]] = {}
        """Pieces of lines that go on, by the stream that they were written to."""

    def take(self, line: str) -> str | None:
        """The line that is whole now; None while it goes on."""
        if "\x1b" in line:
            line = _COLOUR.sub("", line)
        first = line[:2]
        writer = ""
        if first == '{"' or line.startswith('{ "'):
            line, stream, ends, writer = _record(line)
        elif first == "20" and (match := _KUBERNETES.match(line)):
            line, stream, ends = line[match.end() :], match["stream"], match["end"] == "F"
        else:
            return line
        stream = f"{stream} {writer}"
        if ends and stream not in self.begun:
            return _signed(line, writer)
        pieces = self.begun.setdefault(stream, [])
        pieces.append(line)
        if not ends and sum(map(len, pieces)) < LINE_LIMIT:
            return None
        del self.begun[stream]
        return _signed("".join(pieces)[:LINE_LIMIT], writer)

    def rest(self) -> Iterator[str]:
        """What never ended."""
        for pieces in self.begun.values():
            yield "".join(pieces)
        self.begun = {}


def _signed(line: str, writer: str) -> str:
    """A line of torch's logging with its writer before it, as a launcher would put it there."""
    return f"{writer}| {line}" if writer and "__" in line else line


def is_record(line: str) -> bool:
    """A record of JSON that holds a line of text."""
    return line.startswith(('{"', '{ "')) and _record(line)[0] != line


def _record(line: str) -> tuple[str, str, bool, str]:
    """The text, the stream, whether the line ends with it, and who wrote it; the line itself where it is no record of a line."""
    if not any(f'"{key}"' in line for key in _TEXT):
        return line, "", True, ""
    try:
        record = json.loads(line)
    except (ValueError, RecursionError):
        return line, "", True, ""
    inner = record.get("jsonPayload")
    holders = (record, inner) if isinstance(inner, dict) else (record,)
    text = next((one[key] for one in holders for key in _TEXT if isinstance(one.get(key), str)), None)
    if text is None:
        return line, "", True, ""
    stream = record.get("stream")
    goes_on = "log" in record and stream in _STREAMS and not text.endswith("\n")
    return (
        _COLOUR.sub("", text.rstrip("\r\n")),
        stream if stream in _STREAMS else "",
        not goes_on,
        " ".join(_writers(record)),
    )


def _writers(record: dict[str, Any], depth: int = _DEEPEST) -> Iterator[str]:
    for key, value in record.items():
        if isinstance(value, dict) and depth:
            yield from _writers(value, depth - 1)
        elif isinstance(value, (str, int)) and _WRITER.search(key):
            yield str(value)
