"""The verbs about one kernel as a file: eject, inspect. `eject --update` merges what a kernel is now into the file that a person made of it."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from enum import StrEnum
from functools import partial
from pathlib import Path
from typing import Annotated

import typer

from inductor_lab.cli import output
from inductor_lab.cli.options import KERNEL_HELP, STAGES, Json, Target, argument, files, files_or_kernels, option
from inductor_lab.errors import LabError
from inductor_lab.records import Capture, Kernel
from inductor_lab.records.span import Span

Printer = Callable[..., Mapping[str, str]]
"""`eject_files` with everything that the command line asks for."""


def named(name: str, *, or_all: str = "") -> tuple[Capture, Kernel | Span]:
    """The kernel or the span that a name names."""
    from inductor_lab import store
    from inductor_lab.spans import addressed, also

    of, _, which = name.partition(":")
    if not names_span(name):
        return store.find_kernel(name, or_all=or_all)
    capture = store.find_capture(of)
    found = addressed(capture, which)
    assert found
    if others := also(capture, which, found):
        output.note(f"{which} is {found.name}; also steps {', '.join(others)}")
    return capture, found


def names_span(name: str) -> bool:
    """Whether a name is one of a span: `dlrm:4-29`."""
    from inductor_lab.spans import is_address

    return is_address(name.partition(":")[2])


def update_file(name: str, destination: str | None, template: Path | None) -> None:
    """Merge into one file, and say what came of it; exit with 1 where something is left to resolve."""
    from inductor_lab import store
    from inductor_lab.quantity import plural
    from inductor_lab.staleness import own_kernel, update

    own = Path(name)
    if _is_file(own):
        if destination:
            raise LabError(f"Say what {destination} is updated from, KERNEL, or leave -o out: {name} is a file.")
        output.need(own)
        file, (capture, kernel) = own, own_kernel(own)
    else:
        capture, kernel = named(name)
        if destination == "-" or (destination and Path(destination).is_dir()):
            raise LabError(f"--update is for one file: inductor-lab eject {name} -o FILE --update.")
        file = Path(destination or store.safe_name(kernel.id) + ".py")
        output.need(file)
    found = update(file, capture, kernel, template=template)
    if found.kept is None:
        output.note(f"{file} is what {kernel.id} says: there is nothing to merge.")
        return
    if found.left:
        output.note(
            f"{found.left} holds what the kernel was given before, and it takes something else now: example inputs are drawn. "
            f"For real ones: inductor-lab eject {kernel.id} --inputs real -o OTHER.py"
        )
    kept = file.with_name(found.kept.name) if not file.is_symlink() else found.kept
    if found.conflicts:
        output.note(
            f"{file}: {plural(found.conflicts, 'conflict')} with {kernel.id}, marked in it; your version is {kept}. "
            f"Resolve what stands between <<<<<<< and >>>>>>>, then: inductor-lab verify {file}"
        )
        raise typer.Exit(1)
    if found.broken:
        output.note(
            f"{file}: merged with {kernel.id} without conflicts, but it is no Python any more ({found.broken}); your version is {kept}."
        )
        raise typer.Exit(1)
    told = dict.fromkeys((kernel.id, kernel.name))
    output.note(f"{file}: merged with {', '.join(told)}; your version is {kept}. Next: inductor-lab verify {file}")


class Style(StrEnum):
    """How an ejected kernel reads."""

    READABLE = "readable"
    VERBATIM = "verbatim"


class Inputs(StrEnum):
    """What an ejected kernel's example inputs are."""

    DRAWN = "drawn"
    REAL = "real"


def _languages() -> list[str]:
    from inductor_lab.eject import TARGETS

    return list(TARGETS)


KernelOrSpan = Annotated[
    str,
    argument(
        "KERNEL",
        f"{KERNEL_HELP} A span: CAPTURE:4-29 from kernel 4 to kernel 29, as `list` counts them, CAPTURE:GRAPH:8-33 "
        "from step 8 to step 33 of a graph, library calls counted too, as `spans` prints them, "
        "CAPTURE:FILE:41-44 lines of the program. With --update also a file that eject wrote.",
        files_or_kernels,
    ),
]
WHERE = "CAPTURE_INDEX.py unless given; - for stdout; DIR/ for every kernel that a glob names."
READS = "readable renames and simplifies; verbatim keeps the body to the letter."
FILLED = "Your own Jinja template; one called *.cu.jinja is the .cu file's."
WIDE = "Right for other shapes of the same rank; a dimension of which it takes a part keeps its size. Refused where a number may come of a size or not."
GIVEN = "real: the launch's own, as the program passed them, in a file beside; needs `capture --keep inputs`."
MERGED = "Merge what the kernel is now into the FILE that you edited, which stays beside it as FILE.orig; exits with 1 on conflicts."


def eject(
    kernel: KernelOrSpan,
    destination: Annotated[str | None, option("-o --output FILE", WHERE)] = None,
    style: Annotated[Style, option("--style readable|verbatim", READS)] = Style.READABLE,
    language: Annotated[str, option("--as LANGUAGE", "What the kernel is written in.", _languages)] = "triton",
    template: Annotated[Path | None, option("--template PATH", FILLED, files(".jinja"))] = None,
    generalize: Annotated[bool, option("--generalize", WIDE)] = False,
    inputs: Annotated[Inputs, option("--inputs drawn|real", GIVEN)] = Inputs.DRAWN,
    update: Annotated[bool, option("--update", MERGED)] = False,
) -> None:
    """One kernel, or a span of them, as one file to edit.

    Triton, or CUDA C++; a span is launches and library calls one after the other. It holds the kernel, its launcher, the eager
    reference, example inputs, the generated kernel and the check. With --as cuda its kernels stand beside it in CUDA C++, FILE.cu,
    a single one with a CMake project that tests it.
    """
    if update:
        if style is not Style.READABLE or generalize or language != "triton" or inputs is not Inputs.DRAWN:
            raise LabError(
                "--update keeps how the file was ejected; leave --style, --as, --generalize and --inputs out."
            )
        update_file(kernel, destination, template)
        return
    from inductor_lab.eject import TARGETS, eject_files

    if language not in TARGETS:
        raise LabError(f"There is no --as {language} yet; eject prints {', '.join(TARGETS)}.")
    print_files = partial(eject_files, style=style.value, target=language, generalize=generalize, template=template)
    folder = Path(destination) if destination and _is_folder(destination, kernel) else None
    if inputs is Inputs.REAL:
        _eject_with_inputs(kernel, destination, print_files)
    elif folder and not names_span(kernel):
        _eject_all(kernel, folder, print_files)
    else:
        _eject_one(kernel, folder, destination, print_files)


def _eject_one(name: str, folder: Path | None, destination: str | None, print_files: Printer) -> None:
    """A kernel or a span, into a file of the folder, the file that was asked for, or stdout."""
    from inductor_lab import store
    from inductor_lab.ejected import write_all

    capture, found = named(name, or_all=", or all with -o DIR/")
    if destination == "-":
        typer.echo(_shown(print_files(capture, found)), nl=False)
        return
    file = Path(destination) if destination and not folder else (folder or Path()) / f"{store.safe_name(found.id)}.py"
    texts = print_files(capture, found, file=file.name)
    write_all({file.parent / name: text for name, text in texts.items()})
    _note_ejected(file, found.name, texts)


def _note_ejected(file: Path, name: str, texts: Mapping[str, str]) -> None:
    """What was written, and the file that there is to edit."""
    source = next((str(file.parent / one) for one in texts if one.endswith(".cu") and "/" not in one), "it")
    output.note(f"{file}: {name}. Edit {source}, then: inductor-lab verify {file}")


def _shown(texts: Mapping[str, str]) -> str:
    """What stdout is given of several files: the kernel."""
    return next((text for name, text in texts.items() if name.endswith(".cu")), next(iter(texts.values())))


def _eject_with_inputs(name: str, destination: str | None, print_files: Printer) -> None:
    """One kernel, and beside it what its launch was given in the program: both or neither."""
    from inductor_lab import store
    from inductor_lab.quantity import size
    from inductor_lab.replay.run import eject_with_inputs

    if names_span(name):
        raise LabError(f"{name} is a span, whose inputs are drawn; --inputs real is for one kernel.")
    if destination and (destination == "-" or _is_folder(destination, name)):
        raise LabError("--inputs real writes a second file beside one kernel's: name that with -o FILE.")
    capture, found = store.find_kernel(name)
    file = Path(destination or store.safe_name(found.id) + ".py")
    folder = store.folder_of(found.id.rpartition(":")[0])
    with output.progress(f"Replaying {capture.name} up to {found.name}") as step:
        beside, texts = eject_with_inputs(folder, found.id, file, partial(print_files, capture, found), step)
    output.note(f"{beside}: what the launch was given, {size(beside.stat().st_size)}")
    _note_ejected(file, found.name, texts)


def _is_folder(written: str, kernel: str) -> bool:
    """`-o DIR/`, a folder that is there, or any name but a file's for a glob, however many kernels that names."""
    if written.endswith("/") or Path(written).is_dir():
        return True
    globbed = any(mark in kernel.rpartition(":")[2] for mark in "*?[")
    return globbed and written != "-" and not written.endswith(".py")


def _eject_all(name: str, folder: Path, print_files: Printer) -> None:
    """Every kernel that a glob names, each as a file of the folder; those that can not be ejected are said."""
    from inductor_lab import store
    from inductor_lab.ejected import write_all
    from inductor_lab.quantity import plural

    capture, kernels = store.find_kernels(name)
    left = 0
    for kernel in kernels:
        file = folder / (store.safe_name(kernel.id) + ".py")
        try:
            texts = print_files(capture, kernel, file=file.name)
            write_all({folder / name: text for name, text in texts.items()})
            output.note(f"{file}: {kernel.name}")
        except LabError as error:
            left += 1
            output.note(f"left out: {error}")
    if left:
        raise LabError(f"{left} of {plural(len(kernels), 'kernel')} could not be ejected into {folder}.")


def inspect(
    name: Annotated[str, argument("FILE|KERNEL", f"A file that `eject` wrote, or {KERNEL_HELP}", files_or_kernels)],
    gpu: Target = "auto",
    show: Annotated[
        str,
        option(f"--show {'|'.join(STAGES)}", "The code there instead; of a file the hand kernel's.", STAGES),
    ] = "",
    json: Json = False,
) -> None:
    """Registers, spills, load and store width, for any GPU.

    A captured kernel is compiled from its text, with the blocks and warps that Inductor tries first; a file as its launcher
    launches it. Nothing is run: the GPU need not be here.
    """
    from inductor_lab import machine, store
    from inductor_lab.api import inspect_file
    from inductor_lab.ejected import load
    from inductor_lab.machine.inspection import code_of
    from inductor_lab.report import outcomes

    file = Path(name)
    if _is_file(file):
        output.need(file)
        with output.progress(f"Compiling {file}"):
            if show:
                text = "\n".join(code.text for code in code_of(load(file).module, machine.gpu_meant(gpu), "hand", show))
            else:
                codes = inspect_file(file, gpu).record
    else:
        capture, kernel = store.find_kernel(name)
        with output.progress(f"Compiling {kernel.id}"):
            card = machine.gpu_meant(gpu, capture.gpu.arch)
            if show:
                text = machine.code_of_kernel(kernel, card, show)
            else:
                codes = {"generated": (machine.inspect_kernel(kernel, card),)}
    if show:
        output.document({"stage": show, "text": text}) if json else output.line(text.rstrip("\n"))
    else:
        output.result(codes, json, outcomes.outcome)


def _is_file(named: Path) -> bool:
    """Whether an ejected file is meant, and no kernel of a capture."""
    return named.is_file() or named.suffix in (".py", ".cu")
