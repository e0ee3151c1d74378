"""Atomic changes of files: a text replaced whole, a version kept beside it, lines of JSON appended.

Another process, or one that goes on after a crash, finds the old file or the new one. A line is on the disk before its writer goes on; what a killed
process left torn is passed over.
"""

from __future__ import annotations

import json
import os
import tempfile
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from itertools import count
from pathlib import Path
from typing import Any

from inductor_lab.errors import LabError


@contextmanager
def _beside(place: Path, content: bytes) -> Iterator[str]:
    """A hidden file in the same folder, on the disk before its name is used, with the mode of what it is to replace; gone at the end unless renamed."""
    descriptor, temporary = tempfile.mkstemp(prefix=f".{place.name}.", suffix=".tmp", dir=place.parent)
    try:
        with open(descriptor, "wb") as stream:
            stream.write(content)
            stream.flush()
            os.fsync(stream.fileno())
        os.chmod(temporary, place.stat().st_mode & 0o7777 if place.exists() else 0o666 & ~_umask())
        yield temporary
    finally:
        with suppress(FileNotFoundError):
            os.unlink(temporary)


def _umask() -> int:
    mask = os.umask(0)
    os.umask(mask)
    return mask


def write(path: Path, text: str, way_out: str = "") -> None:
    """The whole text, or the file that was there.

    Args:
        way_out: What its user can do where it can not be written.

    Raises:
        LabError: it can not be written.
    """
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        with _beside(path, text.encode()) as temporary:
            os.replace(temporary, path)
    except OSError as error:
        raise LabError(f"Can not write {path}: {error.strerror}{way_out and f'; {way_out}'}.") from error


# ---------------------------------------------------------------- a file that is read and written over


@dataclass(frozen=True)
class Seen:
    """A file as it was read, which what is written over it is made of."""

    path: Path
    content: bytes

    @property
    def text(self) -> str:
        """Its text, lines ended by a line feed alone."""
        return self.content.decode("utf-8").replace("\r\n", "\n")


def seen(path: Path) -> Seen:
    """Read a file that will be changed; of a link, the file that it leads to.

    Raises:
        LabError: it can not be read.
    """
    try:
        path = path.resolve()
        file = Seen(path, path.read_bytes())
        file.text  # noqa: B018  is it text?
    except (OSError, UnicodeDecodeError) as error:
        raise LabError(f"{path} can not be read: {error}") from error
    return file


def write_over(file: Seen, text: str) -> None:
    """Put a text in the place of a file.

    Raises:
        LabError: the folder can not be written, or the file was saved since it was read.
    """
    ends = "\r\n" if b"\r\n" in file.content else "\n"
    try:
        with _beside(file.path, text.replace("\n", ends).encode()) as temporary:
            if file.path.read_bytes() != file.content:
                raise LabError(f"{file.path} was saved in the meantime and is left as it is; run this again.")
            os.replace(temporary, file.path)
    except OSError as error:
        raise LabError(f"Can not write {file.path}: {error.strerror}.") from error


def keep(file: Seen) -> Path:
    """What was read, beside the file as FILE.orig; FILE.orig.1 where that is another version.

    Raises:
        LabError: the folder can not be written.
    """
    names = (file.path.with_name(f"{file.path.name}.orig" + (f".{number}" if number else "")) for number in count())
    try:
        with _beside(file.path, file.content) as temporary:
            return next(name for name in names if _linked(temporary, name, file.content))
    except OSError as error:
        raise LabError(f"Can not write beside {file.path}: {error.strerror}.") from error


def _linked(temporary: str, name: Path, content: bytes) -> bool:
    """Whether a name is now a file with this content: the new one, which takes no other's place, or one that was there."""
    try:
        os.link(temporary, name)
    except FileExistsError:
        return name.is_file() and name.read_bytes() == content
    except OSError:  # a file system without links
        if name.exists():
            return False
        os.replace(temporary, name)
    return True


# ---------------------------------------------------------------- lines of JSON


def append(path: Path, record: Mapping[str, Any]) -> None:
    """Add a line.

    Raises:
        LabError: the file can not be written.
    """
    line = json.dumps(record)
    try:
        with path.open("ab+") as stream:
            if stream.tell() and not _ends_a_line(path):
                line = f"\n{line}"
            stream.write(f"{line}\n".encode())
            stream.flush()
            os.fsync(stream.fileno())
    except OSError as error:
        raise LabError(f"Can not write {path}: {error.strerror}.") from error


def _ends_a_line(path: Path) -> bool:
    with path.open("rb") as stream:
        stream.seek(-1, os.SEEK_END)
        return stream.read() == b"\n"


def lines(path: Path, wanted: Callable[[str], bool] = lambda line: True) -> Iterator[dict[str, Any]]:
    """Every whole line, none where there is no file.

    Args:
        wanted: Whether a line's text is worth parsing.

    Raises:
        LabError: the file can not be read.
    """
    try:
        with path.open(encoding="utf-8", errors="replace") as stream:
            for line in filter(wanted, stream):
                with suppress(ValueError):
                    if isinstance(found := json.loads(line), dict):
                        yield found
    except FileNotFoundError:
        return
    except OSError as error:
        raise LabError(f"{path} can not be read: {error.strerror}; move it away to begin anew.") from error
