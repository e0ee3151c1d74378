"""The verbs that time one kernel: bench, also over many sizes (`--sweep`), and tune, which finds the best blocks, warps and stages."""

from __future__ import annotations

import shlex
import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from inductor_lab.cli import output
from inductor_lab.cli.options import ROUNDS, Cache, EjectedFile, Json, Keep, Launch, Profile, Rounds, Target, option
from inductor_lab.cli.output import keeper
from inductor_lab.errors import LabError

if TYPE_CHECKING:
    from inductor_lab.measure.sweep.results import Row
    from inductor_lab.measure.sweep.sweep import Engine
    from inductor_lab.measure.timing.samples import Method


def tune(
    file: EjectedFile,
    gpu: Target = "auto",
    limit: Annotated[
        int,
        option(
            "--limit N",
            "How many configurations to try, the nearest to the present one first; untimed, as many around each better one.",
            min=1,
        ),
    ] = 40,
    write: Annotated[
        bool | None,
        option(
            "--write/--no-write",
            "Change the file, or leave it. Unless given it is changed where times speak for it, so only with a GPU.",
            show_default=False,
        ),
    ] = None,
    fresh: Annotated[
        bool, option("--fresh", "Begin anew: leave what an earlier run wrote to FILE.tune.jsonl.")
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
    from inductor_lab.measure.tuning import tune as sweep
    from inductor_lab.report import outcomes

    kept = keeper(file, keep)
    try:
        with output.progress(f"Tuning {file}") as step:
            found = sweep(file, gpu=gpu, limit=limit, write=write, fresh=fresh, progress=step)
    except KeyboardInterrupt:
        output.note("Stopped; the same command goes on from here.")
        raise
    output.result(found, json, outcomes.tuning)
    kept(found)
    if not found.timed and not found.written and found.best != found.present:
        output.note(f"To verify it and write it all the same: inductor-lab tune {file} --write")
    if found.verdict == "refused":
        raise typer.Exit(1)


def _sweep(
    file: Path, sizes: str, dtypes: str, folder: Path | None, gpus: str, engine: str, method: Method, json: bool
) -> None:
    """`bench --sweep`."""
    from inductor_lab.measure.sweep import results
    from inductor_lab.measure.sweep.points import axes
    from inductor_lab.measure.sweep.sweep import sweep

    asked = axes(sizes) if sizes else ()
    names = [name.strip().removeprefix("torch.") for name in dtypes.split(",")] if dtypes else []
    chosen = _engine(engine, gpus)
    folder = folder or file.with_name(f"{file.stem}_sweep")
    command = shlex.join(["inductor-lab", *sys.argv[1:]])
    with _progress(f"Sweeping {file}") as progress:
        swept = sweep(
            file, asked, names, folder=folder, method=method, engine=chosen, command=command, progress=progress
        )
    for note in swept.notes:
        output.note(note)
    if json:
        output.document(swept.document())
    else:
        from inductor_lab.report.render import short_table

        head, *cells = results.lines(swept.rows, swept.axes)
        output.show(short_table(head, cells), results.about(swept.rows, swept.document()))
    there = len(swept.points) - swept.measured
    earlier = f" ({there} of an earlier run)" if there else ""
    plots = "".join(f", {path.name}" for path in swept.plots)
    output.note(f"{len(swept.points)} rows{earlier} in {folder}: results.json, table.csv, table.md{plots}")


def _engine(name: str, gpus: str) -> Engine:
    from functools import partial

    from inductor_lab.measure.sweep import sweep as sweeping

    if name not in ("", "ray"):
        raise LabError(f"There is no engine {name!r}: it is ray, or leave --engine out.")
    if name and gpus:
        raise LabError("--gpus names GPUs of this host, and --engine ray takes those of its cluster: give one of both.")
    return sweeping.through_ray if name else partial(sweeping.on_this_host, gpus=sweeping.gpu_numbers(gpus))


@contextmanager
def _progress(doing: str) -> Iterator[Callable[[int, int, Row], None]]:
    """A bar with the time left on a terminal, a line for each row elsewhere."""
    if sys.stderr.isatty():
        with output.bar(doing) as tell:
            yield lambda done, count, row: tell(done, count, _said(row))
    else:
        with output.progress(doing) as step:
            yield lambda done, count, row: step(f"{done} of {count}: {_said(row)}")


def _said(row: Row) -> str:
    """What was found at a point, in few words."""
    hand = row.times.get("hand")
    if hand is None:
        return f"{row.point.name}: {row.outcome}{f': {row.why}' if row.why else ''}"
    against = f", {row.ratio:.2f}x {row.against}'s speed" if row.ratio else ""
    return f"{row.point.name}: {hand.median:.2f} us{against}"


def bench(
    file: EjectedFile,
    launch: Launch = "bare",
    cache: Cache = "cold",
    rounds: Rounds = ROUNDS,
    keep: Keep = False,
    sweep: Annotated[str, option("--sweep SIZES", "Sizes to time: rows=2**6..2**18,cols=1024,4096.")] = "",
    dtypes: Annotated[str, option("--dtypes NAMES", "Dtypes to time: float32,bfloat16.")] = "",
    folder: Annotated[Path | None, option("-o --output DIR", "A sweep's folder; FILE_sweep unless given.")] = None,
    gpus: Annotated[str, option("--gpus NUMBERS", "Share a sweep over GPUs of this host: 0,1.")] = "",
    engine: Annotated[str, option("--engine ray", "Share a sweep over the hosts of a Ray cluster.", ("ray",))] = "",
    profile: Profile = False,
    json: Json = False,
) -> None:
    """Time the kernel of a file, on a GPU; --sweep over sizes.

    The inputs are restored and the L2 cache is flushed before each sample; what launching costs is taken off.
    A sweep times the kernel beside eager PyTorch, torch.compile and a copy of as many bytes. Its folder holds
    results.json, tables and plots; the same command again goes on where it was ended.
    """
    output.need(file)
    from inductor_lab.measure.timing.samples import Method

    if sweep or dtypes:
        if profile:
            raise LabError("--profile looks at one kernel, and a sweep times many; leave it out.")
        if keep:
            raise LabError("--keep keeps one result, and a sweep has a folder of its own for many; leave it out.")
        _sweep(file, sweep, dtypes, folder, gpus, engine, Method(launch, cache, rounds), json)
        return
    if folder or gpus or engine:
        raise LabError(
            "-o, --gpus and --engine belong to a sweep: name its sizes with --sweep, or dtypes with --dtypes."
        )
    from inductor_lab.measure.diff import bench as measure
    from inductor_lab.measure.timing.kernels import disagreement
    from inductor_lab.report import outcomes

    kept = keeper(file, keep)
    with output.progress(f"Timing {file}") as step:
        timing = measure(file, method=Method(launch, cache, rounds), profile=profile, progress=step)
    output.result(timing, json, lambda found: [outcomes.timing(found)])
    if not json:
        for note in timing.notes:
            output.note(note)
        if profile and (said := disagreement("hand", timing)):
            output.note(said)
    if keep:
        import torch

        kept(timing, torch.cuda.get_device_name())
