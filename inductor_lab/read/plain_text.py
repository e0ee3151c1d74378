"""Text without any prefix: modules copied out of a log, `output_code.py`, Inductor's cache files, AOTInductor's C++.

    state      a line                                                           what it does                        next state
    outside    `# AOT ID`, an import, ... (any, where the source is a module)   begins what may be a module         head
    head       that holds generated code                                        goes on it                          code, or file
               any other                                                        goes on it                          head
    code       `Output code written to` and its kin                             ends it                             outside
               that begins the next module                                      ends it, and is met again           outside
               `if __name__ ==`                                                 goes on it                          main
               any other                                                        goes on it                          code
    main       that is indented                                                 goes on it                          main
               any other                                                        ends it, and is met again           outside
    file       `# AOT ID`                                                       ends it, and is met again           outside
               any other                                                        goes on it                          file

`file` is `code` where the source is one module from its first line to its last. What never held generated code is dropped when it ends.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable

from inductor_lab.read.artifacts import LOGGED
from inductor_lab.read.message import MESSAGE_LIMIT, Document, Message

_MAY_START = ("# AOT ID", "import ", "from ", 'r"""', "#include <torch", "async_compile", "cpp_wrapper_src")
_STARTS_NEXT = ("# AOT ID", "from ctypes import c_void_p", *LOGGED["output_code"].starts)
_ENDS = LOGGED["output_code"].ends
_INSIDE = ("", " ", "\t")
"""How a line begins that ends nothing."""
_KERNEL = re.compile(r"^@triton\.jit\s+def (\w+)\(", re.MULTILINE)


def _holds_code(line: str) -> bool:
    return "async_compile" in line or "cpp_wrapper_src" in line or line.startswith("void AOTInductorModel::")


class PlainText:
    """The one module that is open, or none: which is the state, and what each next line does to it."""

    def __init__(self, name: str, whole: bool, forced: bool) -> None:
        self.name = name
        self.whole = whole
        """The source is one module from its first line to its last."""
        self.forced = forced
        """It was said to be a module: it is given even when nothing in it looks like one."""
        self.open: Message | None = None
        self.coded = False
        """The open text holds generated code."""
        self.state: Callable[[str, int], Iterable[Document]] = self.outside
        """Takes the next line and its number, gives what ends with it, and sets the state that the line after it meets."""

    def outside(self, line: str, number: int) -> Iterable[Document]:
        """No module is open."""
        if line.startswith(_MAY_START) or self.whole:
            self.open = Message("output_code", self.name, "", f"{self.name}:{number}")
            self.state = self.head
            self.head(line, number)
        return ()

    def head(self, line: str, number: int) -> Iterable[Document]:
        """What may be a module is open: no line of it holds generated code yet."""
        if _holds_code(line):
            self.coded = True
            self.state = self.file if self.whole else self.code
        return self._add(line)

    def code(self, line: str, number: int) -> Iterable[Document]:
        """It holds generated code."""
        if line[:1] not in _INSIDE:
            if line.startswith(_ENDS):
                return self._end()
            if line.startswith(_STARTS_NEXT):
                return [*self._end(), *self.state(line, number)]
            if line.startswith("if __name__ =="):
                self.state = self.main
        return self._add(line)

    def main(self, line: str, number: int) -> Iterable[Document]:
        """Its `__main__` block has begun: what is not indented is no more of it."""
        if line[:1] in _INSIDE:
            return self._add(line)
        return self._end() if line.startswith(_ENDS) else [*self._end(), *self.state(line, number)]

    def file(self, line: str, number: int) -> Iterable[Document]:
        """The source is one module, which holds generated code, unless two files were put together by `cat`."""
        if line.startswith(_MAY_START[0]):
            return [*self._end(), *self.state(line, number)]
        return self._add(line)

    def _add(self, line: str) -> Iterable[Document]:
        assert self.open
        self.open.add(line)
        if self.open.size <= MESSAGE_LIMIT:
            return ()
        message = self.open
        found = self._end()
        return [message.too_long(), *found] if found else ()

    def _end(self) -> list[Document]:
        """Whatever is open -> outside."""
        message, coded = self.open, self.coded
        self.open, self.coded, self.state = None, False, self.outside
        if message is None:
            return []
        if coded or self.forced:
            return list(message.close())
        if any("triton_heuristics" in line or line.startswith("@triton.jit") for line in message.lines):
            text = "\n".join(message.lines)
            named = _KERNEL.findall(text)
            if named and "'''" not in text:
                module = f"{named[-1]} = async_compile.triton({named[-1]!r}, '''\n{text}\n''', device_str='')\n"
                return [Document("kernel", self.name, "", module, message.where)]
        return []

    def rest(self) -> list[Document]:
        """What was never ended."""
        return self._end()
