"""Many files at once, on the machine's cores (`workers`), with the same result as one after the other.

Each process reads a part of the files at a time and keeps what it has parsed, so that a body is parsed once in each. It sends every text,
and everything that it parsed, once: what comes back is as small as what is distinct.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from pathlib import Path

from inductor_lab import workers
from inductor_lab.errors import LabError
from inductor_lab.read.folders import files_below
from inductor_lab.read.message import Document
from inductor_lab.read.parsed import Parsed
from inductor_lab.read.sources import from_file

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
