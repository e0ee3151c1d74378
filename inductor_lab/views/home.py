"""Where a capture lies: in the folder that it was loaded from or saved to, else in one for as long as it is needed."""

from __future__ import annotations

import shutil
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from tempfile import TemporaryDirectory

from inductor_lab import store
from inductor_lab.records import Capture


class Home:
    """One capture's, with its log and with the values that its graphs were given, where they were kept."""

    def __init__(
        self,
        capture: Capture,
        log: str | None = None,
        *,
        folder: Path | None = None,
        values: TemporaryDirectory[str] | None = None,
    ) -> None:
        self.log = log
        self._capture = capture
        self._saved = folder
        self._values = values

    def save(self, folder: Path | None) -> Path:
        """Keep it there, or as `captured/NAME`."""
        self._saved = self._write(folder or store.HOME / store.safe_name(self._capture.name))
        return self._saved

    @contextmanager
    def folder(self) -> Iterator[Path]:
        """Where it is saved, with what it kept; for one that is not, a folder for as long as it is needed."""
        if self._saved is not None and self._saved.is_dir():
            yield self._saved
            return
        with TemporaryDirectory() as folder:
            yield self._write(Path(folder) / "capture")

    def _write(self, folder: Path) -> Path:
        if self._values is None:
            return store.save(self._capture, folder, self.log)
        with TemporaryDirectory() as part:  # the store takes the files, and it may be saved again
            values = Path(shutil.copytree(self._values.name, Path(part) / "values"))
            return store.save(self._capture, folder, self.log, values)
