"""The verb that finds the best blocks, warps and stages."""

from __future__ import annotations

from typing import Annotated

import typer

from inductor_lab.cli import output
from inductor_lab.cli.keeping import Keep, keeper
from inductor_lab.cli.options import EjectedFile, Json, Target


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
