"""What the catalogue is made of: a planted fault, and a right variant, of one ejected file."""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import dataclass

Change = tuple[str, str] | Callable[[str], str]
"""A text and what is put in its place, or a function of the part of a file that is there to be edited."""

BEGINS = "the kernel: edit this\n"
ENDS = "# ---------------------------------------------------------------- what it must equal, and on what\n"
LAUNCHER = re.compile(r"^def launch\(.*?(?=\n\n\n|\Z)", re.MULTILINE | re.DOTALL)


@dataclass(frozen=True)
class Variant:
    """One edit of one kernel's readable file."""

    kernel: str
    """Its name in `models.MODELS`; a graph's second kernel has `_2` behind it."""
    kind: str
    what: str
    """One sentence of what is changed; of a fault, what is wrong."""
    changes: tuple[Change, ...]
    says: str = ""
    """Words that the message of the verdict must hold."""
    gpu: bool = False
    """Only a GPU can show it."""

    @property
    def name(self) -> str:
        return f"{self.kernel}: {self.what}"


def variants(kind: str, *rows: tuple[str | Change, ...], says: str = "", gpu: bool = False) -> tuple[Variant, ...]:
    """Variants of one kind, each written as a row: the kernel, what is changed, and the changes."""
    return tuple(Variant(kernel, kind, what, tuple(changes), says, gpu) for kernel, what, *changes in rows)  # type: ignore[misc]


def applied(text: str, changes: tuple[Change, ...]) -> str:
    """The file after the changes, which see only the part that is there to be edited: the kernel and its launcher.

    Raises:
        ValueError: a text to be replaced does not stand there, or nothing changed.
    """
    start = text.index(BEGINS) + len(BEGINS)
    before, part, behind = text[:start], *parted(text[start:])
    made = part
    for change in changes:
        made = change(made) if callable(change) else replaced(made, *change)
    if made == part:
        raise ValueError("the changes change nothing")
    return before + made + behind


def parted(text: str) -> tuple[str, str]:
    at = text.index(ENDS)
    return text[:at], text[at:]


def without_launcher(part: str) -> str:
    """Kernels and helpers where they stand, and blanks in the place of the launcher."""
    return LAUNCHER.sub(lambda found: re.sub(r"[^\n]", " ", found[0]), part)


def replaced(text: str, old: str, new: str) -> str:
    if old not in text:
        raise ValueError(f"{old!r} does not stand in the part that is there to be edited")
    return text.replace(old, new)


def body(new: str) -> Callable[[str], str]:
    """Another text for the statements of the last kernel before the launcher, below its parameters."""

    def put(part: str) -> str:
        launcher = part.index("\ndef launch(")
        kernel = r"@triton\.jit\ndef \w+\((?:[^()]|\([^()]*\))*?\n\):\n(?=(?:(?!@triton\.jit)[\s\S])*\Z)"
        head = re.search(kernel, part[:launcher])
        if not head:
            raise ValueError("no kernel stands there")
        return part[: head.end()] + new.strip("\n") + "\n\n" + part[launcher:]

    return put


def whole(new: str) -> Callable[[str], str]:
    """Another text for all that is there to be edited: kernels and launcher."""
    return lambda part: f"\n\n{new.strip()}\n\n\n"


def launcher(new: str) -> Callable[[str], str]:
    """Another body for the launcher; its signature and what it says stay."""

    def put(part: str) -> str:
        head = re.search(r"def launch\([^\n]*\):\n(    \"\"\".*?\"\"\"\n)?", part, re.S)
        if not head:
            raise ValueError("no launcher stands there")
        behind = LAUNCHER.search(part)
        assert behind is not None
        return part[: head.end()] + new.strip("\n") + "\n" + part[behind.end() :]

    return put


def first(new: str) -> Callable[[str], str]:
    """Statements put before those of the launcher."""

    def put(part: str) -> str:
        head = re.search(r"def launch\([^\n]*\):\n(    \"\"\".*?\"\"\"\n)?", part, re.S)
        if not head:
            raise ValueError("no launcher stands there")
        return part[: head.end()] + new.strip("\n") + "\n" + part[head.end() :]

    return put


def above(new: str) -> Callable[[str], str]:
    """Definitions put above the first kernel."""
    return lambda part: f"\n\n{new.strip()}\n\n\n{part.lstrip()}"
