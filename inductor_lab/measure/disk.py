"""What was measured, on the disk whole or not at all: a file that grows by lines of JSON, and a text that takes another's place.

Each line is there before its writer goes on; what a killed process left torn is passed over.
"""

from __future__ import annotations

import json
import os
import tempfile
from collections.abc import Callable, Iterator, Mapping
from contextlib import suppress
from pathlib import Path
from typing import Any

from inductor_lab.errors import LabError


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


def read(path: Path, wanted: Callable[[str], bool] = lambda line: True) -> Iterator[dict[str, Any]]:
    """Every whole line, none where there is no file.

    Args:
        wanted: Whether a line's text is worth parsing.

    Raises:
        LabError: the file can not be read.
    """
    try:
        with path.open(encoding="utf-8", errors="replace") as stream:
            for line in stream:
                if wanted(line) and isinstance(found := _parsed(line), dict):
                    yield found
    except FileNotFoundError:
        return
    except OSError as error:
        raise LabError(f"{path} can not be read: {error.strerror}; move it away to begin anew.") from error


def _parsed(line: str) -> Any:
    try:
        return json.loads(line)
    except ValueError:
        return None


def write(path: Path, text: str, way_out: str = "") -> None:
    """The whole text, or the file that was there.

    Args:
        way_out: What its user can do where it can not be written.

    Raises:
        LabError: it can not be written.
    """
    temporary = ""
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        descriptor, temporary = tempfile.mkstemp(prefix=f".{path.name}.", suffix=".tmp", dir=path.parent)
        with open(descriptor, "w", encoding="utf-8") as stream:
            stream.write(text)
            stream.flush()
            os.fsync(stream.fileno())
        os.chmod(temporary, 0o666 & ~_umask())
        os.replace(temporary, path)
    except OSError as error:
        with suppress(OSError):
            os.unlink(temporary)
        raise LabError(f"Can not write {path}: {error.strerror}{way_out and f'; {way_out}'}.") from error


def _umask() -> int:
    mask = os.umask(0)
    os.umask(mask)
    return mask
