"""Text without any prefix: modules copied out of a log, `output_code.py`, Inductor's cache files, AOTInductor's C++.

A module begins with its `# AOT ID` or its imports, and ends with `Output code written to`, with what follows its `__main__` block, or where the
next begins. Anything that turns out to hold no generated code is dropped.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator

from inductor_lab.read.message import MESSAGE_LIMIT, Document, Message

_MAY_START = ("# AOT ID", "import ", "from ", "#include <torch", "async_compile", "cpp_wrapper_src")
_STARTS_NEXT = ("# AOT ID", "from ctypes import c_void_p", "Output code:")
_ENDS = "Output code written to:"
_INSIDE = ("", " ", "\t")
"""How a line begins that ends nothing."""
_KERNEL = re.compile(r"^@triton\.jit\s+def (\w+)\(", re.MULTILINE)


def _holds_code(line: str) -> bool:
    return "async_compile" in line or "cpp_wrapper_src" in line


class Bare:
    """The one module that is open, and what each next line does to it."""

    def __init__(self, name: str, whole: bool, forced: bool) -> None:
        self.name = name
        self.whole = whole
        """The source is one module from its first line to its last."""
        self.forced = forced
        """It was said to be a module: it is given even when nothing in it looks like one."""
        self.open: Message | None = None
        self.coded = False
        """The open text holds generated code."""
        self.ending = False
        """Its `__main__` block has begun."""

    def take(self, line: str, number: int) -> Iterable[Document]:
        """What ends with this line."""
        if self.open is None:
            if line.startswith(_MAY_START) or self.whole:
                self._start(line, number)
            return ()
        if not self.coded:
            self.coded = _holds_code(line)
        elif self.whole and line.startswith(_MAY_START[0]):  # two files by `cat`
            return [*self._end(), *self.take(line, number)]
        elif line[:1] not in _INSIDE and not self.whole:
            if line.startswith(_ENDS):
                return self._end()
            if self.ending or line.startswith(_STARTS_NEXT):
                return [*self._end(), *self.take(line, number)]
            self.ending = line.startswith("if __name__ ==")
        self.open.add(line)
        if self.open.size > MESSAGE_LIMIT:
            message = self.open
            found = list(self._end())
            return [message.too_long(), *found] if found else ()
        return ()

    def _start(self, line: str, number: int) -> None:
        self.open = Message("output_code", self.name, "", f"{self.name}:{number}")
        self.coded = _holds_code(line)
        self.ending = False
        self.open.add(line)

    def _end(self) -> Iterator[Document]:
        message, self.open = self.open, None
        if message is None:
            return
        if self.coded or self.forced:
            yield from message.close()
        elif any("triton_heuristics" in line or line.startswith("@triton.jit") for line in message.lines):
            text = "\n".join(message.lines)
            named = _KERNEL.findall(text)
            if named and "'''" not in text:
                module = f"{named[-1]} = async_compile.triton({named[-1]!r}, '''\n{text}\n''', device_str='')\n"
                yield Document("kernel", self.name, "", module, message.where)

    def rest(self) -> Iterator[Document]:
        """What was never ended."""
        yield from self._end()
