"""One kernel, and what can be done with it; several to choose from; and where their capture lies.

A capture's home is the folder that it was loaded from or saved to, else one for as long as it is needed.
"""

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

from inductor_lab import store
from inductor_lab.annotate import titled
from inductor_lab.records import Capture, Kernel, MachineCode, Note, Replay, Tuning
from inductor_lab.report import facts


class Shown:
    """Shown as the command line shows it."""

    def __rich__(self) -> Any:
        raise NotImplementedError

    def __str__(self) -> str:
        from inductor_lab.report import render

        return render.text(self.__rich__()).rstrip()

    def _repr_html_(self) -> str:
        from inductor_lab.report import markup

        return markup.html(self.__rich__())


class OfRecord(Shown):
    """Every field of its record can be asked for here too."""

    record: Any

    def __getattr__(self, name: str) -> Any:
        if name.startswith("_") or name == "record":  # copy and pickle ask before there is a record
            raise AttributeError(name)
        return getattr(self.record, name)

    def __dir__(self) -> list[str]:
        return sorted({*super().__dir__(), *dir(self.record)})

    def __eq__(self, other: object) -> bool:
        return type(self) is type(other) and self.record == other.record


class ResultView(OfRecord):
    """What a verb found, shown as the command line shows it; every field of its record can be asked for here too."""

    def __init__(self, record: Any) -> None:
        self.record = record

    def __rich__(self) -> Any:
        from rich.console import Group

        from inductor_lab.report import lists, outcomes

        match self.record:
            case tuple() as spans:
                return lists.span_table(spans)
            case MachineCode() as code:
                return Group(*outcomes.outcome({code.kernel: [code]}))
            case Tuning() as found:
                return Group(*outcomes.tuning(found))
            case Replay() as found:
                return Group(*outcomes.replayed(found))
        return Group(*outcomes.outcome(self.record))

    def __repr__(self) -> str:
        return str(self)

    def __getitem__(self, key: str | int) -> Any:
        """Of machine code of a file: `hand` or `generated`; of spans by position."""
        return self.record[key]

    def __iter__(self) -> Iterator[Any]:
        return iter(self.record)


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


INPUTS = ("drawn", "real")
"""What an ejected kernel's example inputs can be."""


class Explanation(Shown):
    """What `inductor-lab show` prints of one kernel. `print` it, or let a notebook show it."""

    def __init__(self, kernel: Kernel, capture: Capture, *, full: bool = False) -> None:
        self.kernel = kernel
        self.full = full
        self.notes: tuple[Note, ...] = tuple(facts.told(kernel, capture)[1])
        """Remarks on the whole kernel (line 0), then one for each line of its body."""
        self._capture = capture

    def __rich__(self) -> Any:
        from inductor_lab.report import terminal

        return terminal.show(self.kernel, self._capture, full=self.full)

    def __repr__(self) -> str:
        return str(self)


class KernelView(OfRecord):
    """One kernel; every field of its record (`records.Kernel`) can be asked for here too."""

    def __init__(self, record: Kernel, capture: Capture, home: Home | None = None) -> None:
        self.record = record
        self._capture = capture
        self._home = home or Home(capture)

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

        with self._home.folder() as folder:
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
            return ResultView(verify(path, **asked))

    def diff(self, file: str | Path | None = None, gpu: str = "auto") -> ResultView:
        """Such a file's hand kernel against the generated one, with times where there is a GPU.

        Raises:
            LabError: as `verify`, or there is no such card, or a kernel does not compile.
        """
        from inductor_lab.machine import gpu_meant
        from inductor_lab.measure.diff import diff

        with self._file(file) as path:
            return ResultView(diff(path, gpu=None if gpu == "auto" else gpu_meant(gpu)))

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
        return ResultView(found)

    def code(self, stage: str = "", gpu: str = "auto", **choices: int) -> str:
        """What the compiler makes of the generated kernel at a stage: `ttir`, `ttgir`, `llir`, `ptx`, `sass`; `amdgcn` for AMD.

        Unless a stage is given it is the machine code, `sass` or `amdgcn`. The other arguments, and what can be wrong, are those of `inspect`.
        """
        from inductor_lab.machine import code_of_kernel, gpu_meant

        return code_of_kernel(self.record, gpu_meant(gpu, self._capture.gpu.arch), stage, choices)

    def __hash__(self) -> int:
        return hash(self.record.body_sha256)

    def __repr__(self) -> str:
        return f"<{self.record.id} {self.record.name}: {titled(self.record)}>"

    __str__ = __repr__

    def __rich__(self) -> Any:
        return self.explain().__rich__()


class Kernels(Shown, Sequence[KernelView]):
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

    __str__ = __repr__

    def __rich__(self) -> Any:
        from inductor_lab.report import terminal

        return terminal.kernels(replace(self._capture, kernels=tuple(kernel.record for kernel in self)))
