"""The kernels of a capture, to choose from."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import replace
from fnmatch import fnmatchcase
from typing import Any, overload

from inductor_lab.annotate import titled
from inductor_lab.records import Capture
from inductor_lab.views.kernel import KernelView
from inductor_lab.views.shown import Shown


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
