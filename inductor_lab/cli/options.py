"""Options and arguments that several verbs share."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Annotated, Any

import typer
from typer.core import TyperCommand

from inductor_lab.gpus import GPUS


class Verb(TyperCommand):
    """A command whose help calls its arguments what `metavar` does: Typer 0.29 adds brackets, braces, dots and Python's types."""

    def __init__(self, *given: Any, **named: Any) -> None:
        super().__init__(*given, **named)
        for one in self.params:
            if one.param_type_name == "argument" and (name := one.metavar):
                one.get_usage_pieces = lambda context, name=name: [name]  # type: ignore[method-assign]
                one.get_help_record = lambda context, name=name, one=one: (name, one.help or "")  # type: ignore[method-assign]


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


def complete_target(incomplete: str) -> list[str]:
    """What `capture` takes: a workload, or a script."""
    from inductor_lab.models import WORKLOADS

    return [name for name in WORKLOADS if name.startswith(incomplete)] + complete_file(incomplete, (".py",))


def complete_ejected(incomplete: str) -> list[str]:
    return complete_file(incomplete, (".py",))


def complete_graft(incomplete: str) -> list[str]:
    """What `replay --graft` takes: a kernel, then an ejected file."""
    kernel, equals, file = incomplete.partition("=")
    if equals:
        return [f"{kernel}={one}" for one in complete_ejected(file)]
    return [one if one.endswith(":") else f"{one}=" for one in complete_kernel(incomplete)]


def complete_file_or_kernel(incomplete: str) -> list[str]:
    """What `inspect` takes."""
    return [*complete_kernel(incomplete), *complete_file(incomplete, (".py",))]


def complete_source(incomplete: str) -> list[str]:
    """What `read` takes: any file, and folders."""
    return complete_file(incomplete, ())


def complete_file(incomplete: str, endings: tuple[str, ...]) -> list[str]:
    """Files that end so, any where none is asked for; and folders, in which one goes on. Hidden ones where a dot is typed."""
    begun = incomplete.rpartition("/")[2]
    head = incomplete.removesuffix(begun)
    try:
        found = sorted(path for path in Path(head or ".").expanduser().iterdir() if path.name.startswith(begun))
    except (OSError, RuntimeError):  # no such folder, or no such home
        return []
    shown = [path for path in found if begun.startswith(".") or not path.name.startswith(".")]
    return [
        f"{head}{path.name}{'/' if path.is_dir() else ''}"
        for path in shown
        if path.is_dir() or not endings or path.name.endswith(endings)
    ]


def complete_size(incomplete: str) -> list[str]:
    return _of_workloads("sizes", incomplete)


def complete_dtype(incomplete: str) -> list[str]:
    return _of_workloads("dtypes", incomplete)


def _of_workloads(field: str, incomplete: str) -> list[str]:
    """Of all workloads: the words before an option whose value is still open are not parsed yet."""
    from inductor_lab.models import WORKLOADS

    known = dict.fromkeys(name for workload in WORKLOADS.values() for name in getattr(workload, field))
    return [name for name in known if name.startswith(incomplete)]


MODES = ("default", "max-autotune", "max-autotune-no-cudagraphs", "reduce-overhead")
"""torch.compile's; `torch._inductor.list_mode_options()` has them all, and needs torch."""


def complete_mode(incomplete: str) -> list[str]:
    return [mode for mode in MODES if mode.startswith(incomplete)]


def complete_keep(incomplete: str) -> list[str]:
    return [word for word in ("nothing", "statistics", "inputs") if word.startswith(incomplete)]


def complete_gpu(incomplete: str) -> list[str]:
    return [name for name in ("auto", "real", *GPUS) if name.startswith(incomplete)]


def gpu_help() -> str:
    return f"auto, real, {', '.join(GPUS)}."


Json = Annotated[bool, typer.Option("--json", help="One JSON document on stdout.")]
Gpu = Annotated[str, typer.Option("--gpu", metavar="NAME", autocompletion=complete_gpu, help=gpu_help())]
complete_capture, complete_kernel = _completion("capture"), _completion("kernel")
CaptureName = Annotated[str, typer.Argument(metavar="CAPTURE", autocompletion=complete_capture)]
KernelName = Annotated[str, typer.Argument(metavar="KERNEL", autocompletion=complete_kernel)]
EjectedFile = Annotated[
    Path, typer.Argument(metavar="FILE", help="A file that `eject` wrote.", autocompletion=complete_ejected)
]
