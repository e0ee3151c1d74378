"""Options and arguments that several verbs share."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from contextlib import suppress
from functools import wraps
from pathlib import Path
from typing import Annotated, Any

import typer
from typer.core import TyperCommand

from inductor_lab.gpus import DEFAULT, GPUS
from inductor_lab.listing import FIELDS, ORDERS

Complete = Callable[[str], list[str]]


class Verb(TyperCommand):
    """A command whose help calls its arguments what `metavar` does: Typer 0.29 adds brackets, braces, dots and Python's types."""

    def __init__(self, *given: Any, **named: Any) -> None:
        super().__init__(*given, **named)
        for one in self.params:
            if one.param_type_name == "argument" and (name := one.metavar):
                one.get_usage_pieces = lambda context, name=name: [name]  # type: ignore[method-assign]
                one.get_help_record = lambda context, name=name, one=one: (name, one.help or "")  # type: ignore[method-assign]


def _silent(complete: Complete) -> Complete:
    """A completion of what lies on the disk: nothing there, or something broken there, completes to nothing."""

    @wraps(complete)
    def silent(incomplete: str) -> list[str]:
        try:
            return complete(incomplete)
        except Exception:
            return []

    return silent


@_silent
def complete_capture(incomplete: str) -> list[str]:
    """Captures under captured/; where none of them begins so, folders, of which one may be a capture."""
    from inductor_lab import store

    found = _begin(store.names(), incomplete)
    return found or [name for name in complete_file(incomplete, ()) if name.endswith("/")]


@_silent
def complete_kernel(incomplete: str) -> list[str]:
    """`capture:`, then `capture:index`, or `capture:name` where a letter of the name was typed."""
    from inductor_lab import shelf, store

    capture, colon, begun = incomplete.rpartition(":")
    if not colon:
        return _begin([f"{name}:" for name in store.names()], incomplete)
    entries = shelf.opened(store.folder_of(capture)).entries
    by_index = not begun or begun.isdecimal()
    found = [entry.id if by_index else f"{capture}:{entry.name}" for entry in entries]
    return _begin(list(dict.fromkeys(found)), incomplete)


def complete_sort(incomplete: str) -> list[str]:
    return _begin(ORDERS, incomplete)


def complete_filter(context: typer.Context, incomplete: str) -> list[str]:
    """A field, then what the capture's kernels have of it."""
    field, colon, begun = incomplete.partition(":")
    if not colon:
        return _begin([f"{name}:" for name in FIELDS], incomplete)
    return [f"{field}:{value}" for value in _values(context.params.get("name") or "", field) if value.startswith(begun)]


def _values(capture: str, field: str) -> list[str]:
    """What stands in a field of a capture's kernels; of all captures, where none is named yet."""
    from inductor_lab import shelf, store

    found: dict[str, None] = {}
    for name in [capture] if capture else store.names():
        with suppress(Exception):  # a broken capture completes to nothing
            rows = shelf.opened(store.folder_of(name)).rows
            found |= dict.fromkeys(text for row in rows for text in FIELDS[field].texts(row))
    return list(found)


def _begin(names: Iterable[str], incomplete: str) -> list[str]:
    return [name for name in names if name.startswith(incomplete)]


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


def complete_source_kind(incomplete: str) -> list[str]:
    """What `read --as` takes."""
    from inductor_lab.read.sources import KINDS

    return _begin(KINDS, incomplete)


def complete_template(incomplete: str) -> list[str]:
    """What `eject --template` takes."""
    return complete_file(incomplete, (".jinja",))


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


def gpu_help(auto: str) -> str:
    """What `--gpu` takes, and what `auto` is."""
    return f"auto: {auto}. real: the one that is here. Or {', '.join(GPUS)}."


Json = Annotated[bool, typer.Option("--json", help="One JSON document on stdout.")]
MADE_FOR = gpu_help(f"the card that is here, else {DEFAULT}")
COMPILED_FOR = gpu_help("the card that is here, else the one that the kernel was captured for")
Gpu = Annotated[str, typer.Option("--gpu", metavar="NAME", autocompletion=complete_gpu, help=MADE_FOR)]
Target = Annotated[str, typer.Option("--gpu", metavar="NAME", autocompletion=complete_gpu, help=COMPILED_FOR)]
STAGES = ("source", "ttir", "ttgir", "llir", "ptx", "sass", "amdgcn")
"""As `machine.inspection.STAGES`, which the help must not import."""
CAPTURE_HELP = "Its name under captured/, or its folder."
KERNEL_HELP = "CAPTURE:INDEX, CAPTURE:NAME (globs allowed), or its body hash's first 8 digits."
CaptureName = Annotated[str, typer.Argument(metavar="CAPTURE", help=CAPTURE_HELP, autocompletion=complete_capture)]
KernelName = Annotated[str, typer.Argument(metavar="KERNEL", help=KERNEL_HELP, autocompletion=complete_kernel)]
EjectedFile = Annotated[
    Path, typer.Argument(metavar="FILE", help="A file that `eject` wrote.", autocompletion=complete_ejected)
]
