"""One capture, and what can be done with it."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

from inductor_lab.records import Capture
from inductor_lab.views.kernel import Home, Kernels, KernelView, OfRecord, ResultView


class CaptureView(OfRecord):
    """One capture; every field of its record (`records.Capture`) can be asked for here too."""

    def __init__(
        self,
        record: Capture,
        log: str | None = None,
        *,
        folder: Path | None = None,
        values: TemporaryDirectory[str] | None = None,
    ) -> None:
        self.record = record
        self._home = Home(record, log, folder=folder, values=values)
        self.kernels = Kernels((KernelView(kernel, record, self._home) for kernel in record.kernels), record)

    @property
    def log(self) -> str | None:
        """The log that it was read from, where there was one."""
        return self._home.log

    def __getitem__(self, key: str | int) -> KernelView:
        """One of `kernels`: by position, by Inductor's name or a glob, or by the first digits of the body's hash.

        Raises:
            KeyError: no kernel, or several, are called that.
        """
        return self.kernels[key]

    def __iter__(self) -> Iterator[KernelView]:
        return iter(self.kernels)

    def __len__(self) -> int:
        return len(self.kernels)

    def show(self) -> None:
        """Print the table of kernels."""
        print(self)

    def save(self, folder: str | Path | None = None) -> Path:
        """Keep it as a folder that the command line finds, `captured/NAME` unless told otherwise."""
        return self._home.save(Path(folder) if folder else None)

    def replay(self, grafts: Mapping[int | str, str | Path] | None = None, *, seed: int | None = None) -> ResultView:
        """Run the captured module again, each launch and output held to eager PyTorch: on the GPU where there is one, else interpreted.

        Args:
            grafts: A kernel, as `self[...]` finds it, or a span, `4-29` or `0_inference:8-33` -> an ejected file, whose hand kernel runs in its place.
            seed: What inputs are drawn by; None takes those that the capture kept.

        Raises:
            LabError: it can not be replayed here, or torch or triton are missing.
            KeyError: there is no such kernel.
        """
        from inductor_lab.replay.run import replay
        from inductor_lab.spans import addressed

        def named(which: int | str) -> str:
            found = addressed(self.record, which) if isinstance(which, str) else None
            return found.id if found else self[which].record.id

        files = {named(which): Path(file) for which, file in (grafts or {}).items()}
        with self._home.folder() as folder:
            return ResultView(replay(folder, seed=seed, grafts=files))

    def spans(self, gpu: str = "", *, most: int = 32, overlapping: bool = False) -> ResultView:
        """Consecutive steps that one kernel would do faster (`records.span.FoundSpan`), what saves most first.

        Args:
            gpu: The capture's card unless given.
            most: Steps of one.
            overlapping: Also those that overlap a better one.

        Raises:
            LabError: there is no such card.
        """
        from inductor_lab.costs.roofline import card
        from inductor_lab.gpus import find_gpu
        from inductor_lab.measure.history import of_capture
        from inductor_lab.report.history import seconds
        from inductor_lab.spans.find import spans

        on = find_gpu(gpu) if gpu else card(self.record.gpu)
        measured = seconds(of_capture(self.record), on.name)
        return ResultView(spans(self.record, on=on, most=most, measured=measured, overlapping=overlapping)[0])

    def eject(
        self, span: str, path: str | Path, *, style: str = "readable", template: str | Path | None = None
    ) -> Path:
        """Write a span of it as one standalone file, and return its path. An edited file is never overwritten.

        Args:
            span: `4-29` from kernel 4 to kernel 29, `0_inference:8-33` steps of a graph, `model.py:41-44` lines of the program; or a span's name.
            style: Of its kernels, `readable` or `verbatim`.

        Raises:
            LabError: it is no span or can not be ejected as one, or another file is there.
        """
        from inductor_lab.eject import eject
        from inductor_lab.ejected import write_all
        from inductor_lab.errors import LabError
        from inductor_lab.spans import addressed

        path, found = Path(path), addressed(self.record, span)
        if found is None:
            raise LabError(f"{span!r} is no span of {self.record.name}; a kernel alone is ejected by its own `eject`.")
        chosen = Path(template) if template else None
        write_all({path: eject(self.record, found, style=style, template=chosen, file=path.name)})
        return path

    def dataframe(self, table: str = "kernels") -> Any:
        """A table of it as a pandas DataFrame: `kernels`, `launches`, `graphs`, `extern_calls` or `problems`, with the columns of `query`.

        Raises:
            LabError: there is no such table, or pandas is missing.
        """
        from inductor_lab.errors import LabError
        from inductor_lab.tables import table_of

        try:
            from pandas import DataFrame
        except ModuleNotFoundError as error:
            raise LabError("dataframe() needs pandas: pip install pandas") from error
        return DataFrame(table_of(self.record, table))

    def report(self, path: str | Path) -> Path:
        """Write the HTML page of all kernels."""
        from inductor_lab.measure.history import of_capture
        from inductor_lab.report import html

        path = Path(path)
        path.write_text(html.page(self.record, kept=of_capture(self.record)), encoding="utf-8")
        return path

    def __hash__(self) -> int:
        return hash((self.record.name, self.record.created))

    def __rich__(self) -> Any:
        return self.kernels.__rich__()

    def __repr__(self) -> str:
        return f"<capture {self.record.name}: {len(self)} kernels for {self.record.gpu.name or self.record.gpu.arch or '?'}>"
