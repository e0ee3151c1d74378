"""Options and arguments that several verbs share."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Annotated

import typer

from inductor_lab.gpus import GPUS


def _completion(kind: str) -> Callable[[str], list[str]]:
    """Shell completion from what is under captured/; nothing there, or something broken there, completes to nothing."""

    def complete(incomplete: str) -> list[str]:
        from inductor_lab import store

        capture, colon, _ = incomplete.rpartition(":")
        if kind == "kernel" and colon:
            found = [kernel.id for kernel in store.find_capture(capture).kernels]
        else:
            found = [name + (":" if kind == "kernel" else "") for name in store.names()]
        return [name for name in found if name.startswith(incomplete)]

    def silent(incomplete: str) -> list[str]:
        try:
            return complete(incomplete)
        except Exception:
            return []

    return silent


def complete_gpu(incomplete: str) -> list[str]:
    return [name for name in ("auto", "real", *GPUS) if name.startswith(incomplete)]


def gpu_help() -> str:
    return f"auto, real, {', '.join(GPUS)}."


Json = Annotated[bool, typer.Option("--json", help="One JSON document on stdout.")]
Gpu = Annotated[str, typer.Option("--gpu", metavar="NAME", autocompletion=complete_gpu, help=gpu_help())]
CaptureName = Annotated[str, typer.Argument(metavar="CAPTURE", autocompletion=_completion("capture"))]
KernelName = Annotated[str, typer.Argument(metavar="KERNEL", autocompletion=_completion("kernel"))]
EjectedFile = Annotated[Path, typer.Argument(metavar="FILE", help="A file that `eject` wrote.")]
