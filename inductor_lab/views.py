"""Captures and kernels as objects to work with in Python and in a notebook: thin, over the frozen records, which stay free of effects."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from fnmatch import fnmatchcase
from pathlib import Path
from typing import Any, overload

from inductor_lab.annotate import explain, summary
from inductor_lab.records import Capture, Kernel, MachineCode, Note


class Explanation:
    """What `inductor-lab show` prints of one kernel. `print` it, or let a notebook show it."""

    def __init__(self, kernel: Kernel, capture: Capture) -> None:
        self.kernel = kernel
        self.notes: tuple[Note, ...] = tuple(explain(kernel, capture))
        """Remarks on the whole kernel (line 0), then one for each line of its body."""
        self._capture = capture

    def __str__(self) -> str:
        from inductor_lab.report import render, terminal

        return render.text(terminal.show(self.kernel, self._capture)).rstrip()

    __repr__ = __str__

    def _repr_html_(self) -> str:
        from inductor_lab.report import render, terminal

        return render.html(terminal.show(self.kernel, self._capture))


class KernelView:
    """One kernel; every field of its record (`records.Kernel`) can be asked for here too."""

    def __init__(self, record: Kernel, capture: Capture) -> None:
        self.record = record
        self._capture = capture

    def explain(self) -> Explanation:
        """What it computes, from which line of the model, what it moves, and every line of its body explained."""
        return Explanation(self.record, self._capture)

    def show(self) -> None:
        """Print the explanation."""
        print(self.explain())

    def eject(
        self,
        path: str | Path,
        *,
        style: str = "readable",
        target: str = "triton",
        generalize: bool = False,
        template: str | Path | None = None,
    ) -> Path:
        """Write the kernel as one standalone file, and return its path. An edited file is never overwritten.

        The arguments are those of `inductor_lab.eject.eject`. `verify_file`, `inspect_file` and `diff_file` take the path.

        Raises:
            LabError: the kernel can not be ejected or generalized, or another file is there.
        """
        from inductor_lab.eject import eject
        from inductor_lab.ejected import write_new

        path = Path(path)
        chosen = Path(template) if template else None
        text = eject(
            self._capture, self.record, style=style, target=target, generalize=generalize, template=chosen, file=path.name
        )  # fmt: skip
        write_new(path, text)
        return path

    def inspect(self, gpu: str = "auto") -> MachineCode:
        """Registers, spills, load and store width of the generated kernel: compiled from its text, never run.

        `auto` is the card that is here, else the one that it was generated for.

        Raises:
            LabError: there is no such card, Triton is missing, or the kernel does not compile.
        """
        from inductor_lab.machine import gpu_meant, inspect_kernel

        return inspect_kernel(self.record, gpu_meant(gpu, self._capture.gpu.arch))

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
        return f"<{self.record.id} {self.record.name}: {summary(self.record)}>"

    def _repr_html_(self) -> str:
        return self.explain()._repr_html_()


class Kernels(Sequence[KernelView]):
    """The kernels of a capture, by position or by name."""

    def __init__(self, kernels: Iterable[KernelView]) -> None:
        self._kernels = tuple(kernels)

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
            return Kernels(self._kernels[key])
        found = self.named(key)
        if len(found) != 1:
            listed = ": " + ", ".join(kernel.record.name for kernel in found) if found else ""
            raise KeyError(f"{len(found)} kernels are called {key!r}{listed}")
        return found[0]

    def named(self, name: str) -> Kernels:
        """All that Inductor called so, a glob (`triton_red_*`) or the first digits of their bodies' hash."""
        return Kernels(
            [kernel for kernel in self if fnmatchcase(kernel.record.name, name)]
            or [kernel for kernel in self if len(name) >= 8 and kernel.record.body_sha256.startswith(name)]
        )

    def __len__(self) -> int:
        return len(self._kernels)

    def __repr__(self) -> str:
        return f"[{', '.join(map(repr, self))}]"


class CaptureView:
    """One capture; every field of its record (`records.Capture`) can be asked for here too."""

    def __init__(self, record: Capture, log: str | None = None) -> None:
        self.record = record
        self.log = log
        """The log that it was read from, where there was one."""
        self.kernels = Kernels(KernelView(kernel, record) for kernel in record.kernels)

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

        return store.save(self.record, folder or store.HOME / store.safe_name(self.record.name), self.log)

    def report(self, path: str | Path) -> Path:
        """Write the HTML page of all kernels."""
        from inductor_lab.report import html

        path = Path(path)
        path.write_text(html.page(self.record), encoding="utf-8")
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

    def __str__(self) -> str:
        from inductor_lab.report import render, terminal

        return render.text(terminal.kernels(self.record))

    def __repr__(self) -> str:
        return f"<capture {self.record.name}: {len(self)} kernels for {self.record.gpu.name or self.record.gpu.arch or '?'}>"

    def _repr_html_(self) -> str:
        from inductor_lab.report import render, terminal

        return render.html(terminal.kernels(self.record))
