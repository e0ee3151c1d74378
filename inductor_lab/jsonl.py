"""A file that grows by lines of JSON: each is on the disk, whole, before its writer goes on; what a killed process left torn is passed over."""

from __future__ import annotations

import json
import os
from collections.abc import Callable, Iterator, Mapping
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
