"""The verbs that write HTML pages: report of one capture, compare of two, with machine code and a profile's times where they are asked for."""

from __future__ import annotations

import gzip
import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from inductor_lab.cli import output
from inductor_lab.cli.options import CaptureName, Json, complete_gpu
from inductor_lab.errors import LabError
from inductor_lab.records import Capture, Comparison, CompiledCode, Kernel, KernelPair, MachineCode

if TYPE_CHECKING:
    from inductor_lab.report.history import Profile


COSTLIEST = 20
"""Kernels that are compiled unless more are asked for: each takes about a second."""


def compare(
    old: CaptureName,
    new: CaptureName,
    report: Annotated[
        Path | None,
        typer.Option("--report", metavar="FILE", help="One HTML file with both, pair by pair, instead of a summary."),
    ] = None,
    code: Annotated[
        bool, typer.Option("--code", help="In the report also the code at each stage, for each capture's card.")
    ] = False,
    kernels: Annotated[
        int, typer.Option("--kernels", metavar="N", min=1, help="How many pairs, the costliest first, with --code.")
    ] = COSTLIEST,
    json: Json = False,
) -> None:
    """Kernels added, removed, changed, moved; fusion that moved.

    Two torch versions, two cards, or two edits of a model. Exits with 1 when they differ.
    """
    from inductor_lab import shelf
    from inductor_lab.compare import compare as align
    from inductor_lab.report import comparison

    if code and not report:
        raise LabError("--code is for the page: name its file with --report FILE.")
    found = align(shelf.whole(old), shelf.whole(new))
    if report:
        _write(found, report, kernels if code else 0)
    if json:
        output.document(comparison.document(found))
    elif not report:
        output.show(*comparison.comparison(found))
    raise typer.Exit(int(found.differs))


def _write(found: Comparison, file: Path, count: int) -> None:
    from inductor_lab.costs.roofline import card
    from inductor_lab.measure.history import of_capture
    from inductor_lab.measure.why.pairs import every, programs
    from inductor_lab.report import comparison

    chosen = _costliest(found, count) if count else []
    made = [
        compiled([getattr(pair, side) for pair in chosen], card(capture.gpu).key) if chosen else {}
        for side, capture in (("a", found.a), ("b", found.b))
    ]
    with output.progress(f"Writing {file}"):
        texts = every(found, [{kernel: one.stages for kernel, one in side.items()} for side in made])
        machine = [{kernel: one.machine for kernel, one in side.items() if one.machine} for side in made]
        kept = of_capture(found.a) | of_capture(found.b)
        output.write(file, comparison.page(found, texts, programs(found.a, found.b), machine, kept))
    output.note(f"{file}: open it in a browser.")


def _costliest(found: Comparison, count: int) -> list[KernelPair]:
    """What changed, or where the cards differ any pair, by what the new side costs."""
    from inductor_lab.costs.launches import costliest
    from inductor_lab.costs.roofline import card

    pairs = (*found.changed, *(found.same if found.a.gpu.arch != found.b.gpu.arch else ()))
    by_kernel = {pair.b.id: pair for pair in pairs}
    return [by_kernel[kernel.id] for kernel in costliest(found.b, card(found.b.gpu)) if kernel.id in by_kernel][:count]


@dataclass(frozen=True)
class Made:
    """Of one kernel."""

    stages: tuple[CompiledCode, ...]
    """One without a stage, which says why, of a kernel that does not compile."""
    machine: MachineCode | None = None


def compiled(kernels: Sequence[Kernel], gpu: str) -> Mapping[str, Made]:
    """By kernel id."""
    from inductor_lab.machine import inspect_kernel
    from inductor_lab.machine.stages import stages
    from inductor_lab.machine.targets import target_named
    from inductor_lab.quantity import plural

    target_named(gpu)
    made: dict[str, Made] = {}
    with output.progress(f"Compiling {plural(len(kernels), 'kernel')} for {gpu}") as step:
        for kernel in kernels:
            step(kernel.id)
            try:
                made[kernel.id] = Made(stages(kernel, gpu), inspect_kernel(kernel, gpu))
            except LabError as error:
                made[kernel.id] = Made((CompiledCode("", gpu, "", missing=str(error)),))
    return made


def report(
    name: CaptureName,
    file: Annotated[
        Path | None, typer.Option("-o", "--output", metavar="FILE", help="CAPTURE.html unless given.")
    ] = None,
    code: Annotated[
        bool,
        typer.Option(
            "--code",
            help="With the code at each stage, TTIR to SASS or AMDGCN, of the costliest kernels, compiled here.",
        ),
    ] = False,
    kernels: Annotated[
        int, typer.Option("--kernels", metavar="N", min=1, help="How many the costliest are, with --code.")
    ] = COSTLIEST,
    gpu: Annotated[
        str,
        typer.Option(
            "--gpu", metavar="NAME", autocompletion=complete_gpu, help="For --code: the capture's card unless given."
        ),
    ] = "",
    trace: Annotated[
        Path | None,
        typer.Option(
            "--trace", metavar="FILE", help="A profile that torch.profiler exported: its kernels' times are shown."
        ),
    ] = None,
) -> None:
    """One HTML file with every kernel of a capture."""
    from inductor_lab import shelf, store
    from inductor_lab.measure.history import of_capture
    from inductor_lab.report import html

    capture = shelf.whole(name)
    seen = _profile(trace) if trace else None
    made = _compiled(capture, kernels, gpu) if code else {}
    file = file or Path(f"{store.safe_name(capture.name)}.html")
    with output.progress(f"Writing {file}"):
        text = html.page(capture, kept=of_capture(capture), code=made, profile=seen)
    output.write(file, text)
    output.note(f"{file}: open it in a browser.")


def _profile(file: Path) -> Profile:
    from inductor_lab.report.history import profile

    try:
        packed = file.read_bytes()
        document = json.loads(gzip.decompress(packed) if packed[:2] == b"\x1f\x8b" else packed)
    except OSError as error:
        raise LabError(f"Can not read {file}: {error.strerror or error}.") from error
    except (ValueError, RecursionError, EOFError) as error:
        raise LabError(f"{file} is no JSON: export a profile with torch.profiler's export_chrome_trace.") from error
    return profile(document, str(file))


def _compiled(capture: Capture, count: int, gpu: str) -> Mapping[str, Sequence[CompiledCode]]:
    """The code of the costliest kernels; why there is none, of one that does not compile."""
    from inductor_lab.costs.launches import costliest
    from inductor_lab.costs.roofline import card

    on = card(capture.gpu)
    made = compiled(costliest(capture, on)[:count], gpu or on.key)
    return {kernel: one.stages for kernel, one in made.items()}
