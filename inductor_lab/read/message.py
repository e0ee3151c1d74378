"""What the sources give: documents; and a message on its way to being one."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field

from inductor_lab.read import traces
from inductor_lab.read.prefixes import Prefix

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
    event: traces.Event | None = None
    """The header of a trace's event."""
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
        if self.event and self.event.problem:
            yield problem(self.event.problem, self.where)
        yield Document(self.kind, self.stream, self.compile_id, "\n".join(self.lines).rstrip() + "\n", self.where)
