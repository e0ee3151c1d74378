"""The verbs to begin with: demo, doctor, models."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from inductor_lab.cli import output
from inductor_lab.cli.options import Gpu, Json


def demo(
    gpu: Gpu = "auto",
    folder: Annotated[
        Path, typer.Option("-o", "--output", metavar="DIR", help="Where everything it makes goes.")
    ] = Path("inductor-lab-demo"),
) -> None:
    """The whole loop on this machine, GPU or not."""
    from inductor_lab.cli.demo import run

    run(folder, gpu)


def doctor(json: Json = False) -> None:
    """What is installed, which GPU there is, what works.

    What can be is tried: a tiny kernel is captured, verified, inspected and replayed.
    """
    from inductor_lab import store
    from inductor_lab.cli.trial import tried
    from inductor_lab.doctor import examine

    with output.progress("Looking around") as step:
        checks = tried(examine(), step)
    if json:
        output.document(
            {
                "checks": store.to_dict(checks),
                "works": {check.name: check.works for check in checks if check.kind == "ability"},
            }
        )
        return
    for check in checks:
        mark = {True: "yes", False: "no ", None: "   "}[check.works]
        print(f"{mark}  {check.name:<26} {check.detail}")


def models(json: Json = False) -> None:
    """The built-in workloads."""
    from inductor_lab import store
    from inductor_lab.models import WORKLOADS

    if json:
        output.document({"workloads": [store.to_dict(workload) for workload in WORKLOADS.values()]})
        return
    for workload in WORKLOADS.values():
        print(f"{workload.name:<18} {workload.summary}")
        print(f"{'':<18} sizes {', '.join(workload.sizes)}; dtypes {', '.join(workload.dtypes)}")
