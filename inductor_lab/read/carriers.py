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

from inductor_lab.read.files import LINE_LIMIT

_KUBERNETES = re.compile(r"\d{4}-\d\d-\d\dT[\d:.]+(?:Z|[+-]\d\d:\d\d) (?P<stream>stdout|stderr) (?P<end>[PF])(?: |$)")
_TEXT = ("log", "MESSAGE", "message", "textPayload")
"""Keys under which a record of JSON holds the line."""
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
        if first == '{"':
            line, stream, ends = _record(line)
        elif first == "20" and (match := _KUBERNETES.match(line)):
            line, stream, ends = line[match.end() :], match["stream"], match["end"] == "F"
        else:
            return line
        if ends and stream not in self.begun:
            return line
        pieces = self.begun.setdefault(stream, [])
        pieces.append(line)
        if not ends and sum(map(len, pieces)) < LINE_LIMIT:
            return None
        del self.begun[stream]
        return "".join(pieces)[:LINE_LIMIT]

    def rest(self) -> Iterator[str]:
        """What never ended."""
        for pieces in self.begun.values():
            yield "".join(pieces)
        self.begun = {}


def _record(line: str) -> tuple[str, str, bool]:
    """The text, the stream and whether the line ends with it; the line itself where it is no record of a line."""
    if not any(f'"{key}"' in line for key in _TEXT):
        return line, "", True
    try:
        record = json.loads(line)
    except (ValueError, RecursionError):
        return line, "", True
    text = next((record[key] for key in _TEXT if isinstance(record.get(key), str)), None)
    if text is None:
        return line, "", True
    stream = record.get("stream")
    goes_on = "log" in record and stream in _STREAMS and not text.endswith("\n")
    return _COLOUR.sub("", text.rstrip("\r\n")), stream if stream in _STREAMS else "", not goes_on
