"""The verb that runs a captured module again."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from inductor_lab.cli import output
from inductor_lab.cli.options import CaptureName, Json, complete_graft
from inductor_lab.errors import LabError
from inductor_lab.records import Capture

AGAINST = ("eager", "generated")


def replay(
    capture: CaptureName,
    graft: Annotated[
        list[str] | None,
        typer.Option(
            "--graft",
            metavar="KERNEL=FILE",
            help="An ejected file whose kernel runs in the generated one's place; of a span, 4-29=FILE.",
            autocompletion=complete_graft,
        ),
    ] = None,
    keep: Annotated[
        Path | None,
        typer.Option(
            "--keep",
            metavar="DIR",
            help="Keep what each kernel is given, INDEX.npz, and each grafted span, GRAPH_4-29.npz, for `verify FILE --case DIR/INDEX.npz`.",
        ),
    ] = None,
    seed: Annotated[
        int | None,
        typer.Option(
            "--seed",
            metavar="N",
            min=0,
            help="Draw all inputs by it; unless given, those are used that the capture kept.",
        ),
    ] = None,
    against: Annotated[
        str,
        typer.Option(
            "--against",
            metavar="eager|generated",
            help="What outputs are held to; unless given, eager, and the generated module where a graph's values in float64 do not fit on the card.",
            autocompletion=lambda: list(AGAINST),
        ),
    ] = "",
    json: Json = False,
) -> None:
    """Run a captured module again, held to eager.

    On the GPU where there is one, and timed there, else on the CPU, each kernel in Triton's interpreter. Each launch is held to its reference, each
    output to the graph in eager. Exits with 1 when something departs.
    """
    from inductor_lab import store
    from inductor_lab.replay.run import replay as run
    from inductor_lab.report.replayed import replayed

    if against not in ("", *AGAINST):
        raise LabError(f"--against {against}: a replay is held to {' or '.join(AGAINST)}.")
    found = store.find_capture(capture)
    grafts: dict[str, Path] = {}
    for text in graft or ():
        kernel, file = _graft(found, capture, text)
        if grafts.setdefault(kernel, file) != file:
            raise LabError(f"{kernel} can have one hand kernel: {grafts[kernel]} or {file}.")
    with output.progress(f"Replaying {capture}") as step:
        result = run(store.folder_of(capture), seed=seed, grafts=grafts, keep=keep, against=against, progress=step)
    if json:
        output.document(store.to_dict(result))
    else:
        output.show(*replayed(result))
    if result.verdict != "pass":
        raise typer.Exit(1)


def _graft(capture: Capture, name: str, text: str) -> tuple[str, Path]:
    """`0=mine.py`, `dlrm:0=mine.py`, a name or a hash: the kernel's id and the file; of a span, `4-29=mine.py`, its name."""
    from inductor_lab import store
    from inductor_lab.spans.address import addressed, is_address

    kernel, equals, file = text.partition("=")
    if not equals or not kernel or not file:
        raise LabError(f"--graft {text}: write KERNEL=FILE, as in --graft {name}:0=mine.py.")
    output.need(Path(file))
    which = kernel.removeprefix(f"{name}:")
    if is_address(which) and which.partition(":")[0] not in store.names() and (span := addressed(capture, which)):
        return span.id, Path(file)
    asked, one = store.find_kernel(kernel if ":" in kernel else f"{name}:{kernel}")
    if asked != capture:
        raise LabError(f"--graft {text}: that kernel is of {asked.name}, not of {name}.")
    return one.id, Path(file)
