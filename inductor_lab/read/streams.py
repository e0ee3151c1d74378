"""Which open message a line of a log goes on, where it does not stand behind the message's own prefix; and the lines that go on none.

A progress bar on the same terminal stands before one line, `grep -n` and clocks of any form put something new before each. Torch's own part
of the prefix, the thread and the compile id, is still there: a line goes on the message of that origin, where there is only one it can be.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator

from inductor_lab.read.message import Document, Message, problem
from inductor_lab.read.prefixes import Prefix

_ANOTHER = re.compile(r"(?:Output|AOT) [\w ]+:|Serialized |Auto-tuning code", re.ASCII)
"""Messages of the artifact `output_code` that are no module, and can be many lines long."""
_NO_CODE = re.compile(r"[\w -]+ written to\b|\s*$", re.ASCII)
_MOST = 1000
"""Streams that are remembered for their lost lines: a log without end must not fill the memory."""


def near(message: Message, prefix: Prefix) -> bool:
    """The line's lead is the message's, but for what a program printed before one of them."""
    first = message.prefix
    if first is None or not prefix.origin or first.origin != prefix.origin:
        return False
    long, short = sorted((first.lead, prefix.lead), key=len, reverse=True)
    return not short or (long.endswith(short) and not long[: -len(short)][-1:].isalnum())


def varied(message: Message, prefix: Prefix) -> bool:
    """The line's lead is the message's, but for its numbers."""
    first = message.prefix
    return first is not None and first.origin == prefix.origin != "" and first.wording == prefix.wording


def going_on(messages: Iterable[Message], prefix: Prefix) -> Message | None:
    """The open message that a line goes on; None where it is none, or can be several."""
    of_it = [message for message in messages if message.prefix and message.prefix.origin == prefix.origin]
    found = [message for message in of_it if near(message, prefix)]
    if not found:
        found = [message for message in of_it if varied(message, prefix)]
        if len(found) > 1:  # of those that never had two lines behind one prefix, the last begun
            found = [message for message in found if not message.steady][-1:]
    return found[0] if len(found) == 1 else None


class Orphans:
    """Lines of code whose message never began: lost, but not in silence."""

    def __init__(self, name: str) -> None:
        self.name = name
        self.found: dict[tuple[str, str, str], tuple[int, int]] = {}
        """Lead, origin and artifact -> the first line's number, and how many there are."""
        self.expected: set[tuple[str, str, str]] = set()
        """Where lines are no loss: after a graph's `return`, in a message that was cut off or is no module."""

    def met(self, prefix: Prefix, artifact: str, text: str, number: int) -> None:
        """A line that goes on no message."""
        key = (prefix.wording, prefix.origin, artifact)
        if _ANOTHER.match(text):
            self.expected.add(key)
        elif key not in self.expected and not _NO_CODE.match(text) and (key in self.found or len(self.found) < _MOST):
            first, count = self.found.get(key, (number, 0))
            self.found[key] = first, count + 1

    def expect(self, prefix: Prefix | None, artifact: str, expected: bool = True) -> None:
        """More lines of this stream are no loss; or are one from here on."""
        if prefix is not None:
            key = (prefix.wording, prefix.origin, artifact)
            (self.expected.add if expected else self.expected.discard)(key)

    def told(self) -> Iterator[Document]:
        """A problem for each stream."""
        for (_, _, artifact), (first, count) in self.found.items():
            lines = "1 line" if count == 1 else f"{count} lines"
            told = (
                f"{lines} of {artifact} from here on belong to no message that begins in this log: they were not read"
            )
            yield problem(told, f"{self.name}:{first}")
