"""The verb that sets two captures side by side: compare, in a terminal or as a page."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from inductor_lab.cli import output
from inductor_lab.cli.compiling import COSTLIEST, compiled
from inductor_lab.cli.options import CaptureName, Json
from inductor_lab.errors import LabError
from inductor_lab.records import Comparison, KernelPair


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
    from inductor_lab.report import compared

    chosen = _costliest(found, count) if count else []
    made = [
        compiled([getattr(pair, side) for pair in chosen], card(capture.gpu).key) if chosen else {}
        for side, capture in (("a", found.a), ("b", found.b))
    ]
    with output.progress(f"Writing {file}"):
        texts = every(found, [{kernel: one.stages for kernel, one in side.items()} for side in made])
        machine = [{kernel: one.machine for kernel, one in side.items() if one.machine} for side in made]
        kept = of_capture(found.a) | of_capture(found.b)
        output.write(file, compared.page(found, texts, programs(found.a, found.b), machine, kept))
    output.note(f"{file}: open it in a browser.")


def _costliest(found: Comparison, count: int) -> list[KernelPair]:
    """What changed, or where the cards differ any pair, by what the new side costs."""
    from inductor_lab.costs.launches import costliest
    from inductor_lab.costs.roofline import card

    pairs = (*found.changed, *(found.same if found.a.gpu.arch != found.b.gpu.arch else ()))
    by_kernel = {pair.b.id: pair for pair in pairs}
    return [by_kernel[kernel.id] for kernel in costliest(found.b, card(found.b.gpu)) if kernel.id in by_kernel][:count]
