"""The verbs that time: bench, also over many sizes (`--sweep`), diff, and tune, which finds the best blocks, warps and stages."""

from __future__ import annotations

import shlex
import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from inductor_lab.cli import output
from inductor_lab.cli.options import STAGES, EjectedFile, Json, Target, complete_capture, complete_ejected
from inductor_lab.cli.output import Keep, keeper
from inductor_lab.errors import LabError

if TYPE_CHECKING:
    from rich.table import Table

    from inductor_lab.measure.sweep.results import Row
    from inductor_lab.measure.sweep.sweep import Engine, Swept


def tune(
    file: EjectedFile,
    gpu: Target = "auto",
    limit: Annotated[
        int,
        typer.Option(
            "--limit",
            metavar="N",
            min=1,
            help="How many configurations to try, the nearest to the present one first; untimed, as many around each better one.",
        ),
    ] = 40,
    write: Annotated[
        bool | None,
        typer.Option(
            "--write/--no-write",
            help="Change the file, or leave it. Unless given it is changed where times speak for it, so only with a GPU.",
            show_default=False,
        ),
    ] = None,
    fresh: Annotated[
        bool, typer.Option("--fresh", help="Begin anew: leave what an earlier run wrote to FILE.tune.jsonl.")
    ] = False,
    keep: Keep = False,
    json: Json = False,
) -> None:
    """Try other blocks, warps and stages; write the best into the file.

    Powers of two around the defaults of `launch`. What does not fit, spills more, has more idle threads or keeps far less of the card
    busy is not timed; what wins against the present configuration is verified, then written with its evidence. Without a GPU nothing
    is timed: the order is by spills, idle threads, idle multiprocessors, load width and occupancy, and it goes on around the
    first until none comes before it. An ended run goes on where it was. Exits with 1 when what is better does not verify.
    """
    output.need(file)
    from inductor_lab import store
    from inductor_lab.measure.tuning import tune as sweep
    from inductor_lab.report import outcomes

    kept = keeper(file, "tuning", keep)
    try:
        with output.progress(f"Tuning {file}") as step:
            found = sweep(file, gpu=gpu, limit=limit, write=write, fresh=fresh, progress=step)
    except KeyboardInterrupt:
        output.note("Stopped; the same command goes on from here.")
        raise
    if json:
        output.document(store.to_dict(found))
    else:
        output.show(*outcomes.tuning(found))
    kept(found)
    if not found.timed and not found.written and found.best != found.present:
        output.note(f"To verify it and write it all the same: inductor-lab tune {file} --write")
    if found.verdict == "refused":
        raise typer.Exit(1)


def run(
    file: Path,
    sizes: str,
    dtypes: str,
    folder: Path | None,
    gpus: str,
    engine: str,
    launch: str,
    cache: str,
    rounds: int,
    json: bool,
) -> None:
    """The verb, after it was told to sweep."""
    from inductor_lab.measure.sweep.points import axes
    from inductor_lab.measure.sweep.sweep import sweep
    from inductor_lab.measure.timing.samples import Method

    asked = axes(sizes) if sizes else ()
    names = [name.strip().removeprefix("torch.") for name in dtypes.split(",")] if dtypes else []
    chosen = _engine(engine, gpus)
    with _progress(f"Sweeping {file}") as progress:
        swept = sweep(
            file,
            asked,
            names,
            folder=folder or file.with_name(f"{file.stem}_sweep"),
            method=Method(launch, cache, rounds),
            engine=chosen,
            command=shlex.join(["inductor-lab", *sys.argv[1:]]),
            progress=progress,
        )
    for note in swept.notes:
        output.note(note)
    if json:
        output.document(swept.document())
    else:
        from inductor_lab.measure.sweep import tables

        output.show(_table(swept), tables.about(swept.rows, swept.document()))
    _say_where(swept)


def _engine(name: str, gpus: str) -> Engine:
    from functools import partial

    from inductor_lab.measure.sweep import sweep as sweeping

    if name not in ("", "ray"):
        raise LabError(f"There is no engine {name!r}: it is ray, or leave --engine out.")
    if name and gpus:
        raise LabError("--gpus names GPUs of this host, and --engine ray takes those of its cluster: give one of both.")
    return sweeping.through_ray if name else partial(sweeping.on_this_host, gpus=sweeping.gpu_numbers(gpus))


def _say_where(swept: Swept) -> None:
    there = len(swept.points) - swept.measured
    earlier = f" ({there} of an earlier run)" if there else ""
    plots = "".join(f", {path.name}" for path in swept.plots)
    folder = swept.results.folder
    output.note(f"{len(swept.points)} rows{earlier} in {folder}: results.json, table.csv, table.md{plots}")


def _table(swept: Swept) -> Table:
    from rich.table import Table
    from rich.text import Text

    from inductor_lab.measure.sweep import tables

    table = Table(box=None, pad_edge=False, padding=(0, 2, 0, 0), header_style="bold")
    for column in tables.header(swept.rows, swept.axes):
        table.add_column(column, overflow="fold")
    for cells in tables.cells(swept.rows, swept.axes):
        table.add_row(*map(Text, cells))
    return table


@contextmanager
def _progress(doing: str) -> Iterator[Callable[[int, int, Row], None]]:
    """A bar with the time left on a terminal, a line for each row elsewhere."""
    if not sys.stderr.isatty():
        with output.progress(doing) as said:
            yield lambda done, count, row: said(f"{done} of {count}: {_said(row)}")
        return
    from rich.console import Console
    from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeRemainingColumn

    columns = (TextColumn("{task.description}"), BarColumn(), MofNCompleteColumn(), TimeRemainingColumn())
    with Progress(*columns, TextColumn("{task.fields[last]}"), console=Console(stderr=True)) as bar:
        task = bar.add_task(doing, total=None, last="")
        yield lambda done, count, row: bar.update(task, completed=done, total=count, last=_said(row))


def _said(row: Row) -> str:
    """What was found at a point, in few words."""
    hand = row.times.get("hand")
    if hand is None:
        return f"{row.point.name}: {row.outcome}{f': {row.why}' if row.why else ''}"
    against = f", {row.ratio:.2f}x {row.against}'s speed" if row.ratio else ""
    return f"{row.point.name}: {hand.median:.2f} us{against}"


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
    from inductor_lab.measure.diff import bench as measure
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
