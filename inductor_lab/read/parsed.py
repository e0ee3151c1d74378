"""Each distinct text parsed once: ranks, recompiles and cache hits write the same modules and kernels again and again.

Here too is the one place where a text that no parser can stand (nested thousands deep) becomes a sentence.
"""

from __future__ import annotations

import gc
import re
import warnings
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from dataclasses import replace
from itertools import islice
from typing import Any, TypeVar

from inductor_lab.read import completeness, cpp, identity, kernel, module
from inductor_lab.read.artifacts import PARSED
from inductor_lab.read.message import Document
from inductor_lab.read.recovery import blank_hostile_lines
from inductor_lab.read.syntax import TOO_DEEP

KEPT = 1 << 26
"""Characters of modules and graphs, 64 Mi, that are kept from one reading to the next."""
_Result = TypeVar("_Result")


class Parsed:
    """What was parsed, by its text. One can serve any number of readings, one after the other."""

    def __init__(self) -> None:
        self._modules: dict[str, tuple[str, module.Module]] = {}
        self._sources: dict[str, kernel.Source | str] = {}
        self._artifacts: dict[str, dict[str, Any]] = {kind: {} for kind in PARSED}
        """Kind -> text -> what it says, or what is wrong with it."""
        self._texts: dict[str, str] = {}
        self._told = [0 for _ in self._all()]
        """How many of each were in `news` before."""

    def module(self, text: str) -> tuple[str, module.Module]:
        """The text, always the same object for equal texts and without what was left out, and what the module holds."""
        if text not in self._modules:
            self._modules[text] = _module(text)
        return self._modules[text]

    def source(self, text: str) -> kernel.Source:
        """What is not understood of it is in its problems."""
        try:
            return _again(self._sources, text, kernel.list_source)
        except ValueError as error:
            nothing = kernel.list_source("")
            digest = identity.text_hash(text)
            self._sources[text] = replace(nothing, body_sha256=digest, problems=(f"was not read: {error}",))
            return _again(self._sources, text, kernel.list_source)

    def artifact(self, kind: str, text: str) -> Any:
        """What `artifacts.ARTIFACTS` has for this kind to parse it with, always the same object for equal texts.

        Raises:
            ValueError: the text is no artifact of this kind.
        """
        return _again(self._artifacts[kind], text, PARSED[kind])

    def met(self, document: Document) -> Document:
        """The document, everything in it parsed, its text the same object as that of every equal one."""
        if document.kind == "problem":
            return document
        text = self._texts.setdefault(document.text, document.text)
        with suppress(ValueError):
            if document.kind in PARSED:
                self.artifact(document.kind, text)
            else:
                for definition in self.module(text)[1].definitions:
                    with suppress(ValueError):
                        self.source(definition.text)
        return replace(document, text=text)

    def news(self) -> Parsed:
        """What was parsed since it was last asked for."""
        found = Parsed()
        for number, (into, known) in enumerate(zip(found._all(), self._all(), strict=True)):
            into.update(islice(known.items(), self._told[number], None))
            self._told[number] = len(known)
        return found

    def update(self, other: Parsed) -> None:
        """Take over what another has parsed; what is known stays."""
        for known, found in zip(self._all(), other._all(), strict=True):
            for text, result in found.items():
                known.setdefault(text, result)

    def trim(self) -> None:
        """Forget modules and graphs when they are many: between two readings, where what they share is their kernels' bodies."""
        large = (self._modules, *self._artifacts.values())
        if sum(len(text) for known in large for text in known) > KEPT:
            for known in (*large, self._texts):
                known.clear()

    def _all(self) -> tuple[dict[str, Any], ...]:
        return self._modules, self._sources, *self._artifacts.values()


def _module(text: str) -> tuple[str, module.Module]:
    safe, problems = blank_hostile_lines(text)
    try:
        found = _survived(cpp.read_module if cpp.is_cpp(safe) else module.read_module, safe)
    except ValueError as error:
        found = module.Module("", "unknown", problems=[(1, f"the module was not read: {error}")])
    found.problems[:0] = problems
    found.problems += _lost(safe, found)
    found.problems += completeness.defined_twice((one.name, one.text, one.line) for one in found.definitions)
    return safe, found


_DEFINED = re.compile(r"^\w+ = async_compile\.triton\(|^[ \t]*async_compile\.triton\('", re.MULTILINE)


def _lost(text: str, found: module.Module) -> list[tuple[int, str]]:
    """Kernels that the text plainly defines and the reader did not come upon: it may have taken the text for something else."""
    defined = len(_DEFINED.findall(text))
    if defined <= len(found.definitions):
        return []
    return [(1, f"the text defines {defined} kernels, and {len(found.definitions)} were read")]


def _again(known: dict[str, _Result | str], text: str, read: Callable[[str], _Result]) -> _Result:
    """A result that was kept, or the error that was."""
    if text not in known:
        try:
            known[text] = _survived(read, text)
        except ValueError as error:
            known[text] = str(error)
    found = known[text]
    if isinstance(found, str):
        raise ValueError(found)
    return found


def _survived(read: Callable[[str], _Result], text: str) -> _Result:
    try:
        with _quiet():
            return read(text)
    except (RecursionError, MemoryError):
        raise ValueError(TOO_DEEP) from None
    except (SyntaxError, AttributeError, TypeError, KeyError, IndexError) as error:
        # Text that was changed by hand or on its way can have any shape; what follows from it is no reason to stop.
        raise ValueError(
            f"it does not have the shape of what Inductor writes ({type(error).__name__}: {error})"
        ) from None


@contextmanager
def _quiet() -> Iterator[None]:
    """While one text is parsed: without Python's warnings of odd strings in it, and without looking for garbage.

    A syntax tree is many small objects and no cycles: the collector went through them for a fifth of the time, and never found anything.
    """
    collecting = gc.isenabled()
    gc.disable()
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            yield
    finally:
        if collecting:
            gc.enable()
