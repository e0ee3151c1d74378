"""`python -m inductor_lab.kernels KERNEL STEP --capture FOLDER -o FILE`: a step of a hand kernel as an ejected file."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from inductor_lab.errors import LabError
from inductor_lab.kernels.steps import STEPS, steps, written

ALL = "; ".join(f"of {kernel} {', '.join(found)}" for kernel, found in STEPS.items())


def main(
    kernel: Annotated[str, typer.Argument(help=", ".join(STEPS))],
    step: Annotated[str, typer.Argument(help=ALL)],
    output: Annotated[Path, typer.Option("-o", "--output")],
    capture: Annotated[
        Path | None, typer.Option(help="The folder of the step's capture, which is one of captured/ unless given.")
    ] = None,
) -> None:
    """Write the ejected file of what a step replaces, with the step's kernel."""
    try:
        of = steps(kernel).get(step)
        output.write_text(
            written(kernel, step, capture or Path("captured", of.capture if of else ""), output.name), encoding="utf-8"
        )
    except LabError as error:
        typer.echo(f"error: {error}", err=True)
        raise typer.Exit(2) from error


typer.run(main)
