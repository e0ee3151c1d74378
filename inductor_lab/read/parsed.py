"""Each distinct text parsed once: ranks, recompiles and cache hits write the same modules and kernels again and again.

Here too is the one place where a text that no parser can stand (nested thousands deep) becomes a sentence.
"""

from __future__ import annotations

import warnings
from collections.abc import Callable
from contextlib import suppress
from dataclasses import replace
from typing import TypeVar

from inductor_lab.read import cpp, kernel, module, provenance
from inductor_lab.read.message import Document
from inductor_lab.read.whole import harmless, parsable, too_tall
from inductor_lab.records import Node

TOO_DEEP = "its expressions are nested too deeply"
Graph = tuple[tuple[Node, ...], tuple[str, ...]]
_Result = TypeVar("_Result")


class Parsed:
    """What was parsed, by its text."""

    def __init__(self) -> None:
        self._modules: dict[str, tuple[str, module.Module]] = {}
        self._sources: dict[str, kernel.Source | str] = {}
        self._graphs: dict[str, Graph | str] = {}
        self._texts: dict[str, str] = {}

    def module(self, text: str) -> tuple[str, module.Module]:
        """The text, always the same object for equal texts and without what was left out, and what the module holds."""
        if text not in self._modules:
            self._modules[text] = _module(text)
        return self._modules[text]

    def source(self, text: str) -> kernel.Source:
        """What is not understood of it is in its problems."""
        try:
            return _again(self._sources, text, _source)
        except ValueError as error:
            self._sources[text] = replace(kernel.list_source(""), problems=(f"was not read: {error}",))
            return _again(self._sources, text, _source)

    def graph(self, text: str) -> Graph:
        """Raises: ValueError: the text is no printed graph."""
        return _again(self._graphs, text, provenance.graph)

    def met(self, document: Document) -> Document:
        """The document, everything in it parsed, its text the same object as that of every equal one."""
        if document.kind == "problem":
            return document
        text = self._texts.setdefault(document.text, document.text)
        with suppress(ValueError):
            if document.kind == "post_grad_graphs":
                self.graph(text)
            else:
                for definition in self.module(text)[1].definitions:
                    with suppress(ValueError):
                        self.source(definition.text)
        return replace(document, text=text)

    def update(self, other: Parsed) -> None:
        """Take over what another has parsed; what is known stays."""
        self._modules = {**other._modules, **self._modules}
        self._sources = {**other._sources, **self._sources}
        self._graphs = {**other._graphs, **self._graphs}


def _module(text: str) -> tuple[str, module.Module]:
    safe, problems = harmless(text)
    if cpp.is_cpp(safe):
        read, part = cpp.read_module, safe
    else:
        read = module.read_module
        try:
            part, cut = _survived(parsable, safe)
        except ValueError as error:
            part, cut = "", [(1, f"the module was not read: {error}")]
        problems += cut
    try:
        found = _survived(read, part)
    except ValueError as error:
        found = module.Module("", "unknown", problems=[(1, f"the module was not read: {error}")])
    found.problems[:0] = problems
    return safe, found


def _source(text: str) -> kernel.Source:
    with suppress(SyntaxError):  # which the reader tells better
        if too_tall(text):
            raise ValueError(TOO_DEEP)
    return kernel.list_source(text)


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
        with warnings.catch_warnings():  # Python's on odd strings in someone else's text
            warnings.simplefilter("ignore")
            return read(text)
    except (RecursionError, MemoryError):
        raise ValueError(TOO_DEEP) from None
    except (SyntaxError, AttributeError, TypeError, KeyError, IndexError) as error:
        # Text that was changed by hand or on its way can have any shape; what follows from it is no reason to stop.
        raise ValueError(
            f"it does not have the shape of what Inductor writes ({type(error).__name__}: {error})"
        ) from None
