"""Captures and kernels as objects to work with in Python and in a notebook: thin, over the frozen records, which stay free of effects."""

from __future__ import annotations

import shutil
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import replace
from fnmatch import fnmatchcase
from functools import partial
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any, overload

from inductor_lab.annotate import explain, titled
from inductor_lab.records import Capture, Kernel, MachineCode, Note, PerfDiff, Replay, Tuning, Verdict

INPUTS = ("drawn", "real")
"""What an ejected kernel's example inputs can be."""


class ResultView:
    """What a verb found, shown as the command line shows it; every field of its record can be asked for here too."""

    def __init__(self, kind: str, record: Any) -> None:
        """Args:
        kind: A key of `SHOWN`.
        """
        self.record = record
        self._kind = kind

    def __rich__(self) -> Any:
        from rich.console import Group

        return Group(*SHOWN[self._kind](self.record))

    def __str__(self) -> str:
        from inductor_lab.report import render

        return render.text(self.__rich__()).rstrip()

    __repr__ = __str__

    def _repr_html_(self) -> str:
        from inductor_lab.report import markup

        return markup.html(self.__rich__())

    def __getitem__(self, key: str) -> Any:
        """Of machine code of a file: `hand` or `generated`."""
        return self.record[key]

    def __iter__(self) -> Iterator[Any]:
        return iter(self.record)

    def __getattr__(self, name: str) -> Any:
        if name.startswith("_"):  # copy and pickle ask before there is a record
            raise AttributeError(name)
        return getattr(self.record, name)

    def __dir__(self) -> list[str]:
        return sorted({*super().__dir__(), *dir(self.record)})

    def __eq__(self, other: object) -> bool:
        return isinstance(other, ResultView) and self.record == other.record

    __hash__ = None  # type: ignore[assignment]


def _verdict(found: Verdict) -> Iterable[Any]:
    from inductor_lab.report import outcomes

    return outcomes.verdict(found)


def _machine(found: MachineCode | Mapping[str, Sequence[MachineCode]]) -> Iterable[Any]:
    from inductor_lab.report import outcomes

    return outcomes.machine_code({found.kernel: [found]} if isinstance(found, MachineCode) else found)


def _diff(found: PerfDiff) -> Iterable[Any]:
    from inductor_lab.report import outcomes

    return outcomes.perf_diff(found)


def _tuning(found: Tuning) -> Iterable[Any]:
    from inductor_lab.report import outcomes

    return outcomes.tuning(found)


def _replay(found: Replay) -> Iterable[Any]:
    from inductor_lab.report.replayed import replayed

    return replayed(found)


SHOWN: Mapping[str, Callable[[Any], Iterable[Any]]] = {
    "verdict": _verdict,
    "machine": _machine,
    "diff": _diff,
    "tuning": _tuning,
    "replay": _replay,
}
"""What was found -> how it is shown."""


class Explanation:
    """What `inductor-lab show` prints of one kernel. `print` it, or let a notebook show it."""

    def __init__(self, kernel: Kernel, capture: Capture, *, full: bool = False) -> None:
        self.kernel = kernel
        self.full = full
        self.notes: tuple[Note, ...] = tuple(explain(kernel, capture))
        """Remarks on the whole kernel (line 0), then one for each line of its body."""
        self._capture = capture

    def __rich__(self) -> Any:
        from inductor_lab.report import terminal

        return terminal.show(self.kernel, self._capture, full=self.full)

    def __str__(self) -> str:
        from inductor_lab.report import render

        return render.text(self.__rich__()).rstrip()

    __repr__ = __str__

    def _repr_html_(self) -> str:
        from inductor_lab.report import markup

        return markup.html(self.__rich__())


class KernelView:
    """One kernel; every field of its record (`records.Kernel`) can be asked for here too."""

    def __init__(self, record: Kernel, capture: Capture, home: CaptureView | None = None) -> None:
        self.record = record
        self._capture = capture
        self._home = home

    def explain(self, *, full: bool = False) -> Explanation:
        """What it computes, from which line of the model, what it moves, and its body line by line; all of a long one if `full`."""
        return Explanation(self.record, self._capture, full=full)

    def show(self, *, full: bool = False) -> None:
        """Print the explanation."""
        print(self.explain(full=full))

    def eject(
        self,
        path: str | Path,
        *,
        style: str = "readable",
        target: str = "triton",
        generalize: bool = False,
        template: str | Path | None = None,
        inputs: str = "drawn",
    ) -> Path:
        """Write the kernel as one standalone file, and return its path. An edited file is never overwritten.

        The arguments are those of `inductor_lab.eject.eject_files`; for CUDA C++ a `.cu` file and a CMake project stand beside it.
        `verify_file`, `inspect_file` and `diff_file` take the path.

        Args:
            inputs: `drawn`, or `real`: what the launch was given in the program, kept beside the file; for a capture that kept its inputs.

        Raises:
            LabError: the kernel can not be ejected or generalized, the capture has no real inputs, or another file is there.
        """
        from inductor_lab.eject import eject_files
        from inductor_lab.ejected import write_all
        from inductor_lab.errors import LabError

        if inputs not in INPUTS:
            raise LabError(f"There is no inputs={inputs!r}; it takes {' or '.join(INPUTS)}.")
        path = Path(path)
        chosen = Path(template) if template else None
        print_files = partial(
            eject_files, self._capture, self.record, style=style, target=target, generalize=generalize, template=chosen
        )
        if inputs == "real":
            self._eject_with_inputs(path, print_files)
            return path
        write_all({path.parent / name: text for name, text in print_files(file=path.name).items()})
        return path

    def _eject_with_inputs(self, path: Path, print_files: Callable[..., Mapping[str, str]]) -> None:
        from inductor_lab.replay.run import eject_with_inputs

        with (self._home or CaptureView(self._capture))._folder() as folder:
            eject_with_inputs(folder, self.record.id, path, print_files)

    def verify(self, file: str | Path | None = None, **asked: Any) -> ResultView:
        """Hold a file that `eject` wrote, edited or not, to eager PyTorch, judged by float64; without one, the kernel as it is ejected.

        Args:
            asked: effort ("quick", "default", "thorough"), seeds, case and the rest that `verify_file` takes.

        Raises:
            LabError: the kernel can not be ejected, it is no ejected file, or torch or triton are missing.
        """
        from inductor_lab.verify import verify

        with self._file(file) as path:
            return ResultView("verdict", verify(path, **asked))

    def diff(self, file: str | Path | None = None, gpu: str = "auto") -> ResultView:
        """Such a file's hand kernel against the generated one, with times where there is a GPU.

        Raises:
            LabError: as `verify`, or there is no such card, or a kernel does not compile.
        """
        from inductor_lab.diff import diff
        from inductor_lab.machine import gpu_meant

        with self._file(file) as path:
            return ResultView("diff", diff(path, gpu=None if gpu == "auto" else gpu_meant(gpu)))

    @contextmanager
    def _file(self, file: str | Path | None) -> Iterator[Path]:
        """The file, or one of the kernel for as long as it is judged."""
        if file is not None:
            yield Path(file)
            return
        with TemporaryDirectory() as folder:
            yield self.eject(Path(folder) / "kernel.py")

    def inspect(self, gpu: str = "auto", **choices: int) -> ResultView:
        """Registers, spills, load and store width of the generated kernel: compiled from its text, never run.

        `auto` is the card that is here, else the one that it was generated for.

        Args:
            choices: Blocks, num_warps and num_stages in the place of Inductor's: `inspect("h200", XBLOCK=512, num_warps=8)`.

        Raises:
            LabError: there is no such card, Triton is missing, or the kernel does not compile.
        """
        from inductor_lab.machine import gpu_meant, inspect_kernel

        found = inspect_kernel(self.record, gpu_meant(gpu, self._capture.gpu.arch), choices)
        return ResultView("machine", found)

    def code(self, stage: str = "sass", gpu: str = "auto", **choices: int) -> str:
        """What the compiler makes of the generated kernel at a stage: `ttir`, `ttgir`, `ptx`, `sass`.

        The other arguments, and what can be wrong, are those of `inspect`.
        """
        from inductor_lab.machine import code_of_kernel, gpu_meant

        return code_of_kernel(self.record, gpu_meant(gpu, self._capture.gpu.arch), stage, choices)

    def __getattr__(self, name: str) -> Any:
        if name.startswith("_"):  # copy and pickle ask before there is a record
            raise AttributeError(name)
        return getattr(self.record, name)

    def __dir__(self) -> list[str]:
        return sorted({*super().__dir__(), *dir(self.record)})

    def __eq__(self, other: object) -> bool:
        return isinstance(other, KernelView) and self.record == other.record

    def __hash__(self) -> int:
        return hash(self.record.body_sha256)

    def __repr__(self) -> str:
        return f"<{self.record.id} {self.record.name}: {titled(self.record)}>"

    def __rich__(self) -> Any:
        return self.explain().__rich__()

    def _repr_html_(self) -> str:
        return self.explain()._repr_html_()


class Kernels(Sequence[KernelView]):
    """The kernels of a capture, by position or by name."""

    def __init__(self, kernels: Iterable[KernelView], capture: Capture) -> None:
        self._kernels = tuple(kernels)
        self._capture = capture

    @overload
    def __getitem__(self, key: int | str) -> KernelView: ...
    @overload
    def __getitem__(self, key: slice) -> Kernels: ...
    def __getitem__(self, key: int | str | slice) -> KernelView | Kernels:
        """By position, or the one that `named` finds; a slice is several.

        Raises:
            KeyError: no kernel, or several, are called that.
        """
        if isinstance(key, int):
            return self._kernels[key]
        if isinstance(key, slice):
            return Kernels(self._kernels[key], self._capture)
        found = self.named(key)
        if len(found) != 1:
            listed = ": " + ", ".join(kernel.record.name for kernel in found) if found else ""
            raise KeyError(f"{len(found)} kernels are called {key!r}{listed}")
        return found[0]

    def named(self, name: str) -> Kernels:
        """All that Inductor called so, or that are titled so; a glob (`triton_red_*`, `rms_norm*`) or the first digits of their bodies' hash."""
        return Kernels(
            [kernel for kernel in self if fnmatchcase(kernel.record.name, name)]
            or [kernel for kernel in self if fnmatchcase(titled(kernel.record), name)]
            or [kernel for kernel in self if len(name) >= 8 and kernel.record.body_sha256.startswith(name)],
            self._capture,
        )

    def __len__(self) -> int:
        return len(self._kernels)

    def __repr__(self) -> str:
        return f"[{', '.join(map(repr, self))}]"

    def __rich__(self) -> Any:
        from inductor_lab.report import terminal

        return terminal.kernels(replace(self._capture, kernels=tuple(kernel.record for kernel in self)))

    def _repr_html_(self) -> str:
        from inductor_lab.report import markup

        return markup.html(self.__rich__())


class CaptureView:
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
        self.log = log
        """The log that it was read from, where there was one."""
        self.kernels = Kernels((KernelView(kernel, record, self) for kernel in record.kernels), record)
        self._saved = folder
        self._values = values
        """What its graphs were given, for as long as this object lives."""

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
        from inductor_lab import store

        self._saved = self._write(Path(folder or store.HOME / store.safe_name(self.record.name)))
        return self._saved

    def _write(self, folder: Path) -> Path:
        from inductor_lab import store

        if self._values is None:
            return store.save(self.record, folder, self.log)
        with TemporaryDirectory() as part:  # the store takes the files, and it may be saved again
            values = Path(shutil.copytree(self._values.name, Path(part) / "values"))
            return store.save(self.record, folder, self.log, values)

    def replay(self, grafts: Mapping[int | str, str | Path] | None = None, *, seed: int | None = None) -> ResultView:
        """Run the captured module again, each launch and output held to eager PyTorch: on the GPU where there is one, else interpreted.

        Args:
            grafts: A kernel, as `self[...]` finds it -> an ejected file, whose hand kernel runs in its place.
            seed: What inputs are drawn by; None takes those that the capture kept.

        Raises:
            LabError: it can not be replayed here, or torch or triton are missing.
            KeyError: there is no such kernel.
        """
        from inductor_lab.replay.run import replay

        files = {self[kernel].record.id: Path(file) for kernel, file in (grafts or {}).items()}
        with self._folder() as folder:
            return ResultView("replay", replay(folder, seed=seed, grafts=files))

    @contextmanager
    def _folder(self) -> Iterator[Path]:
        """Where it is saved, with what it kept; for one that is not, a folder for as long as it is needed."""
        if self._saved is not None and self._saved.is_dir():
            yield self._saved
            return
        with TemporaryDirectory() as folder:
            yield self._write(Path(folder) / "capture")

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
        from inductor_lab.history import of_capture
        from inductor_lab.report import html

        path = Path(path)
        path.write_text(html.page(self.record, kept=of_capture(self.record)), encoding="utf-8")
        return path

    def __getattr__(self, name: str) -> Any:
        if name.startswith("_"):
            raise AttributeError(name)
        return getattr(self.record, name)

    def __dir__(self) -> list[str]:
        return sorted({*super().__dir__(), *dir(self.record)})

    def __eq__(self, other: object) -> bool:
        return isinstance(other, CaptureView) and self.record == other.record

    def __hash__(self) -> int:
        return hash((self.record.name, self.record.created))

    def __rich__(self) -> Any:
        return self.kernels.__rich__()

    def __str__(self) -> str:
        from inductor_lab.report import render

        return render.text(self.__rich__())

    def __repr__(self) -> str:
        return f"<capture {self.record.name}: {len(self)} kernels for {self.record.gpu.name or self.record.gpu.arch or '?'}>"

    def _repr_html_(self) -> str:
        return self.kernels._repr_html_()
