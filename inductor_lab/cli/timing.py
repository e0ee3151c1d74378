"""The verbs that time: bench, diff."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from inductor_lab.cli import output
from inductor_lab.cli.keeping import Keep, keeper
from inductor_lab.cli.options import STAGES, EjectedFile, Json, Target, complete_capture, complete_ejected
from inductor_lab.errors import LabError

ROUNDS = 300
"""As `timing.measure.ROUNDS`, which the help must not import."""
WHO = ("eager", "torchscript", "default", "coordinate_descent_tuning", "max-autotune", "combo_kernels")
"""The first of `contest.contestants.NAMES`, which the help must not import."""
Launch = Annotated[
    str,
    typer.Option(
        "--launch",
        metavar="bare|graph",
        help="From Python, or replayed from a CUDA graph.",
        autocompletion=lambda: ["bare", "graph"],
    ),
]
Cache = Annotated[
    str,
    typer.Option(
        "--cache",
        metavar="cold|warm",
        help="The L2 cache before each sample: flushed, or as the same launch left it.",
        autocompletion=lambda: ["cold", "warm"],
    ),
]
Rounds = Annotated[int, typer.Option("--rounds", metavar="N", min=25, help="Samples of each kernel.")]

Inside = Annotated[
    str,
    typer.Option(
        "--in",
        metavar="CAPTURE",
        help="What the edit is worth in this model's step: timed on a GPU, else by launches and bytes.",
        autocompletion=complete_capture,
    ),
]
Sweep = Annotated[
    str,
    typer.Option("--sweep", metavar="SIZES", help="Sizes to time: rows=2**6..2**18,cols=1024,4096."),
]
Dtypes = Annotated[str, typer.Option("--dtypes", metavar="NAMES", help="Dtypes to time: float32,bfloat16.")]
Folder = Annotated[
    Path | None, typer.Option("-o", "--output", metavar="DIR", help="A sweep's folder; FILE_sweep unless given.")
]
Gpus = Annotated[str, typer.Option("--gpus", metavar="NUMBERS", help="Share a sweep over GPUs of this host: 0,1.")]
Engine = Annotated[
    str,
    typer.Option(
        "--engine",
        metavar="ray",
        help="Share a sweep over the hosts of a Ray cluster.",
        autocompletion=lambda: ["ray"],
    ),
]
Profile = Annotated[
    bool, typer.Option("--profile", help="CUPTI's kernel time beside the events', and whether they agree.")
]
Show = Annotated[
    list[str] | None,
    typer.Option(
        "--show",
        metavar="|".join(STAGES),
        help="Also the difference of both kernels' code there, names set apart; again for several.",
        autocompletion=lambda: list(STAGES),
    ),
]


def bench(
    file: EjectedFile,
    launch: Launch = "bare",
    cache: Cache = "cold",
    rounds: Rounds = ROUNDS,
    keep: Keep = False,
    sweep: Sweep = "",
    dtypes: Dtypes = "",
    folder: Folder = None,
    gpus: Gpus = "",
    engine: Engine = "",
    profile: Profile = False,
    json: Json = False,
) -> None:
    """Time the kernel of a file, on a GPU; --sweep over sizes.

    The inputs are restored and the L2 cache is flushed before each sample; what launching costs is taken off.
    A sweep times the kernel beside eager PyTorch, torch.compile and a copy of as many bytes. Its folder holds
    results.json, tables and plots; the same command again goes on where it was ended.
    """
    output.need(file)
    if sweep or dtypes:
        from inductor_lab.cli.sweep import run

        if profile:
            raise LabError("--profile looks at one kernel, and a sweep times many; leave it out.")
        if keep:
            raise LabError("--keep keeps one result, and a sweep has a folder of its own for many; leave it out.")
        run(file, sweep, dtypes, folder, gpus, engine, launch, cache, rounds, json)
        return
    if folder or gpus or engine:
        raise LabError(
            "-o, --gpus and --engine belong to a sweep: name its sizes with --sweep, or dtypes with --dtypes."
        )
    from inductor_lab import store
    from inductor_lab.measure.bench import bench as measure
    from inductor_lab.measure.timing.crosscheck import disagreement
    from inductor_lab.measure.timing.samples import Method
    from inductor_lab.report import outcomes

    kept = keeper(file, "timing", keep)
    with output.progress(f"Timing {file}") as step:
        timing = measure(file, method=Method(launch, cache, rounds), profile=profile, progress=step)
    if json:
        output.document(store.to_dict(timing))
    else:
        output.show(outcomes.timing(timing))
        for note in timing.notes:
            output.note(note)
        if profile and (said := disagreement("hand", timing)):
            output.note(said)
    if keep:
        import torch

        kept(timing, torch.cuda.get_device_name())


def diff(
    files: Annotated[
        list[Path], typer.Argument(metavar="FILE...", autocompletion=complete_ejected, help="Files that eject wrote.")
    ],
    against: Annotated[
        list[str] | None,
        typer.Option(
            "--against",
            metavar="WHO",
            autocompletion=lambda: list(WHO),
            help=f"One more contestant, again and again: {', '.join(WHO)}, module:function, another ejected file.",
        ),
    ] = None,
    best: Annotated[
        bool, typer.Option("--best", help="Also both kernels under the best configuration that a sweep finds for each.")
    ] = False,
    fail_slower: Annotated[
        float | None,
        typer.Option(
            "--fail-slower",
            metavar="PERCENT",
            min=0,
            help="Exit with 1 when slower by more than this, or inconclusive.",
        ),
    ] = None,
    inside: Inside = "",
    baseline: Annotated[
        Path | None,
        typer.Option(
            "--baseline", metavar="JSON", help="Exit with 1 when slower than was stored there, beyond the noise."
        ),
    ] = None,
    save_baseline: Annotated[
        Path | None, typer.Option("--save-baseline", metavar="JSON", help="Store what is measured, with its noise.")
    ] = None,
    junit: Annotated[Path | None, typer.Option("--junit", metavar="XML", help="Write it as JUnit XML too.")] = None,
    gpu: Target = "auto",
    launch: Launch = "bare",
    cache: Cache = "cold",
    rounds: Rounds = ROUNDS,
    keep: Keep = False,
    show: Show = None,
    profile: Profile = False,
    json: Json = False,
) -> None:
    """The hand kernel against the generated one, and why they differ.

    Times with their interval and ceilings measured beside them on a GPU; the machine code and `--show` with or without one.
    """
    for stage in show or ():
        if stage not in STAGES:
            raise LabError(f"There is no {stage!r} to show; it is {', '.join(STAGES[:-1])} or {STAGES[-1]}.")
    from inductor_lab.cli.diffs import Asked, run
    from inductor_lab.measure.timing.samples import Method

    method = Method(launch, cache, rounds)
    asked = Asked(
        gpu, method, against or (), best, fail_slower, junit, save_baseline, baseline, show or (), profile, inside, keep
    )
    run(files, asked, json)
