"""Messages of torch's logging: lines of several ranks and threads that were mixed into one file, told apart by their prefix.

Each stream (a prefix without what changes, and an artifact) is a state machine of its own:

    state    a line of it                       what it does                                                    next state
    closed   the artifact's first line          begins a message                                                open
             any other                          goes on the message of another prefix where that can only be    closed
                                                the same one (`streams`), else it is an orphan
    open     the artifact's first line          ends the message, begins the next                               open
             its last line                      ends the message                                                closed
             any other                          goes on the message; one that is too long is cut off            open, closed

A stream that is open has its message in `Logged.open`.
"""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import Iterable, Iterator

from inductor_lab.read.artifacts import LOGGED
from inductor_lab.read.message import LINE_COST, MESSAGE_LIMIT, Document, Message
from inductor_lab.read.prefixes import Prefix
from inductor_lab.read.streams import Orphans, going_on, near

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
