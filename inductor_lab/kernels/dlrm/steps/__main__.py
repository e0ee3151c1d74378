"""`python -m inductor_lab.kernels.dlrm.steps STEP --capture FOLDER -o FILE`: a step as an ejected file."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from inductor_lab.errors import LabError
from inductor_lab.kernels.dlrm.steps import STEPS, written


def main(
    step: Annotated[str, typer.Argument(help=", ".join(STEPS))],
    capture: Annotated[
        Path,
        typer.Option(
            help="captured/dlrm_h200, of `lookups_forward_1` and `lookups_backward_1` captured/dlrm_train_h200"
        ),
    ],
    output: Annotated[Path, typer.Option("-o", "--output")],
) -> None:
    """Write the span's file with the step's kernel."""
    try:
        if step not in STEPS:
            raise LabError(f"There is no step {step!r}; it is {', '.join(STEPS)}.")
        output.write_text(written(step, capture, output.name), encoding="utf-8")
    except LabError as error:
        typer.echo(f"error: {error}", err=True)
        raise typer.Exit(2) from error


typer.run(main)
