"""Messages of torch's logging: lines of several ranks and threads that were mixed into one file, told apart by their prefix.

Each stream (a prefix without what changes, and an artifact) is a state machine of its own:

    state    a line of it                       what it does                                                    next state
    closed   the artifact's first line          begins a message                                                open
             any other                          goes on the message of another prefix where that can only be    closed
                                                the same one (`going_on`), else it is an orphan
    open     the artifact's first line          ends the message, begins the next                               open
             its last line                      ends the message                                                closed
             any other                          goes on the message; one that is too long is cut off            open, closed

A stream that is open has its message in `Logged.open`.

A progress bar on the same terminal stands before one line, `grep -n` and clocks of any form put something new before each. Torch's own part
of the prefix, the thread and the compile id, is still there: a line goes on the message of that origin, where there is only one it can be.
"""

from __future__ import annotations

import re
from collections import OrderedDict
from collections.abc import Iterable, Iterator

from inductor_lab.read.artifacts import LOGGED
from inductor_lab.read.message import LINE_COST, MESSAGE_LIMIT, Document, Message, Prefix, problem

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


SEARCHED = 256
"""Open messages among which the one of a line behind another prefix is looked for: more would take too long for each line."""
REMEMBERED = 4096
"""Streams in which messages began."""
OPEN_LIMIT = 1 << 27
"""Bytes of all messages that have not ended, together, 128 Mi; the oldest is given up first."""
_Key = tuple[str, str]
"""A stream: its prefix, and the artifact."""


class Logged:
    """The messages of one file that are open, by stream."""

    def __init__(self, name: str) -> None:
        self.name = name
        self.open: OrderedDict[_Key, Message] = OrderedDict()  # the oldest is found at once
        self.size = 0
        """Bytes of all open messages."""
        self.begun: set[_Key] = set()
        """Where messages began: lines that stand there are no other message's."""
        self.orphans = Orphans(name)

    def take(self, prefix: Prefix, artifact: str, text: str, number: int) -> Iterable[Document]:
        """What ends with this line."""
        wanted = LOGGED.get(artifact)
        if wanted is None:
            return ()
        key = (prefix.stream, artifact)
        message = self.open.get(key)
        if message is not None:
            message.steady = True
        elif 0 < len(self.open) <= SEARCHED and prefix.origin and key not in self.begun:
            message, key = self._elsewhere(prefix, artifact)
        if text.startswith(wanted.starts):
            ended = self._end(key) if message is not None and near(message, prefix) else ()
            started = self._started(prefix, artifact, number)
            if wanted.whole:
                self.open[prefix.stream, artifact].add(text)
            return [*ended, *started]
        if message is None:
            self.orphans.met(prefix, artifact, text, number)
            return ()
        if text.startswith(wanted.ends):
            self.orphans.met(prefix, artifact, text, number)  # what ends it may begin what is no module
            return self._end(key)
        message.add(text)
        self.size += len(text) + LINE_COST
        if message.size > MESSAGE_LIMIT or self.size > OPEN_LIMIT:
            return self._cut(key if message.size > MESSAGE_LIMIT else next(iter(self.open)))
        if wanted.last and text.lstrip().startswith(wanted.last):
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
            return [*ended, *self._cut(next(iter(self.open)))]
        return ended

    def _elsewhere(self, prefix: Prefix, artifact: str) -> tuple[Message | None, _Key]:
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

    def _closed(self, key: _Key) -> Message:
        message = self.open.pop(key)
        self.size -= message.size
        return message

    def _end(self, key: _Key) -> Iterator[Document]:
        """Open -> ended."""
        message = self._closed(key)
        return message.close() if message.lines else iter(())  # before 2.1 a prefix stood before the first line only

    def _cut(self, key: _Key) -> list[Document]:
        """Open -> given up: the lines of it that follow are no loss."""
        message = self._closed(key)
        self.orphans.expect(message.prefix, message.kind)
        return message.cut_off()

    def rest(self) -> Iterator[Document]:
        """What never ended, and what never began."""
        for key in list(self.open):
            yield from self._end(key)
        yield from self.orphans.told()
