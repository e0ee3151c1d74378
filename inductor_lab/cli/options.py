"""Options and arguments: how one is written, those that several verbs share, and what the shell completes them to.

size: Annotated[str, option("--size SIZE", "A workload's size.", workloads_have("sizes"))] = ""
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from contextlib import suppress
from functools import wraps
from pathlib import Path
from typing import Annotated, Any

import typer
from typer.core import TyperArgument, TyperCommand

from inductor_lab.gpus import DEFAULT, GPUS
from inductor_lab.listing import FIELDS

Complete = Callable[..., Iterable[str]]
"""What completes a word; Typer leaves out what does not begin as the word does."""


class Verb(TyperCommand):
    """A command whose help calls its arguments what `metavar` does: Typer 0.29 adds brackets, braces, dots and Python's types."""

    def __init__(self, *given: Any, **named: Any) -> None:
        super().__init__(*given, **named)
        for one in self.params:
            if isinstance(one, TyperArgument) and (name := one.metavar):
                vars(one).update(_called(name, one.help or ""))


def _called(name: str, help: str) -> dict[str, Callable[[typer.Context], object]]:
    """What an argument has in the place of its class's methods, so that the help calls it this."""
    return {"get_usage_pieces": lambda context: [name], "get_help_record": lambda context: (name, help)}


def option(written: str, help: str, complete: Complete | Sequence[str] | None = None, **more: Any) -> Any:
    """An option as the help writes it, `-o --output DIR`, without a value's name for a flag.

    Args:
        complete: The words that it takes, or what completes one.
        more: As `typer.Option` takes it.
    """
    names = [word for word in written.split() if word.startswith("-")]
    metavar = written.removeprefix(" ".join(names)).strip() or None
    return typer.Option(*names, metavar=metavar, help=help, autocompletion=_completing(complete), **more)


def argument(metavar: str, help: str, complete: Complete | None = None) -> Any:
    """The same of an argument."""
    return typer.Argument(metavar=metavar, help=help, autocompletion=complete)


def _completing(complete: Complete | Sequence[str] | None) -> Complete | None:
    return complete if complete is None or callable(complete) else lambda: list(complete)


# ---------------------------------------------------------------- what the shell completes a word to


def _silent(complete: Callable[[str], Iterable[str]]) -> Callable[[str], list[str]]:
    """A completion of what lies on the disk: nothing there, or something broken there, completes to nothing."""

    @wraps(complete)
    def silent(incomplete: str) -> list[str]:
        try:
            return list(complete(incomplete))
        except Exception:
            return []

    return silent


def files(*endings: str) -> Callable[[str], list[str]]:
    """Files that end so, any where no ending is named; and folders, in which one goes on. Hidden ones where a dot is typed."""

    @_silent
    def complete(incomplete: str) -> Iterable[str]:
        begun = incomplete.rpartition("/")[2]
        head = incomplete.removesuffix(begun)
        for path in sorted(Path(head or ".").expanduser().iterdir()):
            shown = path.name.startswith(begun) and (begun.startswith(".") or not path.name.startswith("."))
            if shown and (path.is_dir() or not endings or path.name.endswith(endings)):
                yield f"{head}{path.name}{'/' if path.is_dir() else ''}"

    return complete


ejected = files(".py")


@_silent
def captures(incomplete: str) -> list[str]:
    """Captures under captured/; where none of them begins so, folders, of which one may be a capture."""
    from inductor_lab import store

    found = [name for name in store.names() if name.startswith(incomplete)]
    return found or [name for name in files()(incomplete) if name.endswith("/")]


@_silent
def kernels(incomplete: str) -> list[str]:
    """`capture:`, then `capture:index`, or `capture:name` where a letter of the name was typed."""
    from inductor_lab import shelf, store

    capture, colon, begun = incomplete.rpartition(":")
    if not colon:
        return [f"{name}:" for name in store.names()]
    entries = shelf.opened(store.folder_of(capture)).entries
    by_index = not begun or begun.isdecimal()
    return list(dict.fromkeys(entry.id if by_index else f"{capture}:{entry.name}" for entry in entries))


def files_or_kernels(incomplete: str) -> list[str]:
    return [*kernels(incomplete), *ejected(incomplete)]


def grafts(incomplete: str) -> list[str]:
    """What `replay --graft` takes: a kernel, then an ejected file."""
    kernel, equals, file = incomplete.partition("=")
    if equals:
        return [f"{kernel}={one}" for one in ejected(file)]
    return [one if one.endswith(":") else f"{one}=" for one in kernels(incomplete)]


def filters(context: typer.Context, incomplete: str) -> list[str]:
    """A field, then what the capture's kernels have of it; those of all captures, where none is named yet."""
    from inductor_lab import shelf, store

    field, colon, _ = incomplete.partition(":")
    if not colon:
        return [f"{name}:" for name in FIELDS]
    capture, found = context.params.get("name") or "", dict[str, None]()
    for name in [capture] if capture else store.names():
        with suppress(Exception):  # a broken capture completes to nothing
            rows = shelf.opened(store.folder_of(name)).rows
            found |= dict.fromkeys(f"{field}:{text}" for row in rows for text in FIELDS[field].texts(row))
    return list(found)


def targets(incomplete: str) -> list[str]:
    """What `capture` takes: a workload, or a script."""
    from inductor_lab.models import WORKLOADS

    return [*WORKLOADS, *ejected(incomplete)]


def workloads_have(field: str) -> Complete:
    """`sizes` or `dtypes` of all workloads: the words before an option whose value is still open are not parsed yet."""

    def complete() -> list[str]:
        from inductor_lab.models import WORKLOADS

        return list(dict.fromkeys(name for workload in WORKLOADS.values() for name in getattr(workload, field)))

    return complete


def gpus() -> list[str]:
    return ["auto", "real", *GPUS]


# ---------------------------------------------------------------- what several verbs share


def gpu_help(auto: str) -> str:
    """What `--gpu` takes, and what `auto` is."""
    return f"auto: {auto}. real: the one that is here. Or {', '.join(GPUS)}."


STAGES = ("source", "ttir", "ttgir", "llir", "ptx", "sass", "amdgcn")
"""As `machine.inspection.STAGES`, which the help must not import."""
CAPTURE_HELP = "Its name under captured/, or its folder."
KERNEL_HELP = "CAPTURE:INDEX, CAPTURE:NAME (globs allowed), or its body hash's first 8 digits."
MADE_FOR = gpu_help(f"the card that is here, else {DEFAULT}")
COMPILED_FOR = gpu_help("the card that is here, else the one that the kernel was captured for")

CaptureName = Annotated[str, argument("CAPTURE", CAPTURE_HELP, captures)]
KernelName = Annotated[str, argument("KERNEL", KERNEL_HELP, kernels)]
EjectedFile = Annotated[Path, argument("FILE", "A file that `eject` wrote.", ejected)]
EjectedFiles = Annotated[list[Path], argument("FILE...", "Files that eject wrote.", ejected)]
Gpu = Annotated[str, option("--gpu NAME", MADE_FOR, gpus)]
Target = Annotated[str, option("--gpu NAME", COMPILED_FOR, gpus)]
Keep = Annotated[
    bool, option("--keep", "Add the result to captured/results.jsonl, which list, show and report tell of.")
]
Json = Annotated[bool, option("--json", "One JSON document on stdout.")]

ROUNDS = 300
"""As `timing.samples.ROUNDS`, which the help must not import."""
Launch = Annotated[str, option("--launch bare|graph", "From Python, or replayed from a CUDA graph.", ("bare", "graph"))]
Cache = Annotated[
    str,
    option(
        "--cache cold|warm",
        "The L2 cache before each sample: flushed, or as the same launch left it.",
        ("cold", "warm"),
    ),
]
Rounds = Annotated[int, option("--rounds N", "Samples of each kernel.", min=25)]

Profile = Annotated[bool, option("--profile", "CUPTI's kernel time beside the events', and whether they agree.")]
