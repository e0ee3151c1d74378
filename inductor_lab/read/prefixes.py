"""What stands before a line of Inductor's text in a log, taken off: time, process, place, compile id, rank, whatever a collector added.

Torch writes the prefix in front of every line of a message (`TorchLogsFormatter` in torch/_logging/_internal.py):

    [rank3]:V1120 09:28:41.455000 463 torch/_inductor/graph.py:2552] [0/0] [__output_code] TEXT     2.3 and later
    [2023-12-12 21:02:34,424] [0/0] torch._inductor.graph.__output_code: [DEBUG] TEXT               2.0 to 2.2

Launchers and collectors write theirs before it: `[default0]:`, `3: `, `(RayTrainWorker pid=12, ip=10.0.0.1)`, `pod-1 | `, syslog's time and host.
What is left of all that, when everything that changes from line to line is gone, names the stream that the line belongs to (`lead`). Where
something stands before a line that nobody can foresee, torch's own thread and compile id are still there (`origin`): see `streams`.
"""

from __future__ import annotations

import re
from dataclasses import dataclass

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
