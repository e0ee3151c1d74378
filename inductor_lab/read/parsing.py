"""Each distinct text parsed once, and many files at once on the machine's cores (`workers`), with the same result as one after the other.

Ranks, recompiles and cache hits write the same modules and kernels again and again. Each process reads a part of the files at a time and
keeps what it has parsed; it sends every text, and everything that it parsed, once: what comes back is as small as what is distinct.
Here too is the one place where a text that no parser can stand (nested thousands deep) becomes a sentence.
"""

from __future__ import annotations

import gc
import re
import warnings
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import contextmanager, suppress
from dataclasses import replace
from itertools import islice
from pathlib import Path
from typing import Any, TypeVar

from inductor_lab import workers
from inductor_lab.errors import LabError
from inductor_lab.read import cpp, identity, kernel, module
from inductor_lab.read.artifacts import PARSED
from inductor_lab.read.message import Document
from inductor_lab.read.sources import files_below, from_file
from inductor_lab.read.syntax import TOO_DEEP, blank_hostile_lines

KEPT = 1 << 26
"""Characters of modules and graphs, 64 Mi, that are kept from one reading to the next."""
_Result = TypeVar("_Result")


class Parsed:
    """What was parsed, by its text. One can serve any number of readings, one after the other."""

    def __init__(self) -> None:
        self._modules: dict[str, tuple[str, module.Module]] = {}
        self._sources: dict[str, kernel.Read | str] = {}
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

    def source(self, text: str) -> kernel.Read:
        """A kernel as its text tells it, and what is not understood of that."""
        try:
            return _again(self._sources, text, kernel.list_source)
        except ValueError as error:
            nothing = replace(kernel.UNREAD, text=text, body_sha256=identity.text_hash(text))
            self._sources[text] = nothing, (f"was not read: {error}",)
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
    found.functions.clear()  # for spans, which have one module read at a time; what the catalog lists of them stays
    found.problems[:0] = problems
    found.problems += _lost(safe, found)
    found.problems += _defined_twice(found.definitions)
    return safe, found


_DEFINED = re.compile(r"^\w+ = async_compile\.triton\(|^[ \t]*async_compile\.triton\('", re.MULTILINE)


def _lost(text: str, found: module.Module) -> list[tuple[int, str]]:
    """Kernels that the text plainly defines and the reader did not come upon: it may have taken the text for something else."""
    defined = len(_DEFINED.findall(text))
    if defined <= len(found.definitions):
        return []
    return [(1, f"the text defines {defined} kernels, and {len(found.definitions)} were read")]


def _defined_twice(definitions: Iterable[module.Definition]) -> Iterator[tuple[int, str]]:
    """Kernels that have the name of another one: a launch does not say which of them it means."""
    known: dict[str, str] = {}
    for one in definitions:
        if known.setdefault(one.name, one.text) != one.text:
            yield (
                one.line,
                f"{one.name} is defined a second time, otherwise: all its launches are counted with the last one",
            )


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


PACKED = {".gz": 20, ".tgz": 20, ".zst": 20, ".zip": 20, ".bz2": 20, ".xz": 20}
"""How many times its size a packed log is, about: only to share the work evenly."""

_File = tuple[list[Document], str]
"""Documents of one file, and the sentence of a `LabError`, or nothing."""
_Part = tuple[list[_File], Parsed]
"""The files of one part, and what was parsed of them for the first time."""


class ParallelReader:
    """Reads files, before they are asked for where there are many, or big ones. A context: at its end no process is left."""

    def __init__(self, sources: Sequence[str | Path], as_: str, parsed: Parsed) -> None:
        self.as_ = as_
        self.parsed = parsed
        self.parts = workers.parts({path: _work(path) for source in sources for path in _files(Path(source), as_)})
        self.part_of = {path: number for number, part in enumerate(self.parts) for path in part}
        self.workers = workers.Workers(f"{__name__}:reading", remember=True) if self.parts else None
        requests = ([[[str(path.absolute()), str(path)] for path in part], as_] for part in self.parts)
        self.answers = enumerate(self.workers.answers(requests)) if self.workers else None
        self.found: dict[Path, _File] = {}

    def __enter__(self) -> ParallelReader:
        return self

    def __exit__(self, *error: object) -> None:
        if self.workers:
            self.workers.__exit__(*error)

    def read(self, path: Path) -> Iterator[Document]:
        """Raises: LabError: as `from_file`."""
        number = self.part_of.pop(path, None)
        if number is None:
            yield from from_file(path, self.as_)
            return
        while path not in self.found:  # files of the parts before it were not asked for
            self._take_next()
        found, error = self.found.pop(path)
        yield from found
        if error:
            raise LabError(error)

    def _take_next(self) -> None:
        assert self.answers
        number, answer = next(self.answers)
        paths = self.parts[number]
        if isinstance(answer, LabError):
            files: list[_File] = [([], workers.lost(paths))] * len(paths)
        else:
            files, parsed = answer
            self.parsed.update(parsed)
        self.found.update(zip(paths, files, strict=True))


def _work(path: Path) -> int:
    """Bytes of text that a file is, about."""
    try:
        return path.stat().st_size * PACKED.get(path.suffix.lower(), 1)
    except OSError:
        return 0


def _files(source: Path, as_: str) -> Iterator[Path]:
    if source.is_dir():
        yield from files_below(source, as_)
    elif source.is_file():
        yield source


def reading() -> Callable[[tuple[list[tuple[str, str]], str]], _Part]:
    """What each process does with a part: (absolute path, shown path) of each file, and what they are said to be."""
    parsed = Parsed()

    def read_part(request: tuple[list[tuple[str, str]], str]) -> _Part:
        names, as_ = request
        files: list[_File] = []
        for path, name in names:
            found, error = [], ""
            try:
                for document in from_file(Path(path), as_, name):
                    found.append(parsed.met(document))
            except LabError as raised:
                error = str(raised)
            files.append((found, error))
        return files, parsed.news()

    return read_part
