"""`python -m inductor_lab.models.dlrm_train`: the command line of the training."""

from __future__ import annotations

import math
import time
from contextlib import ExitStack
from dataclasses import asdict
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Annotated, Any

import typer

from inductor_lab.cli import main, output
from inductor_lab.errors import LabError

app = typer.Typer(add_completion=False, rich_markup_mode=None, pretty_exceptions_enable=False)

MODES = ("default", "reduce-overhead", "max-autotune")
TOP = 10
"""Operators of a profile that are shown; `--json` has all."""

# What the export takes as well
Interaction = Annotated[str | None, typer.Option("--interaction", metavar="outer|cat|dot")]
Hash = Annotated[str | None, typer.Option("--hash", metavar="index-list|index-device|modulus")]
LogCounts = Annotated[bool | None, typer.Option("--log-counts/--raw-counts", help="log(1 + count) instead of counts.")]
Json = Annotated[bool, typer.Option("--json", help="Print JSON.")]

# The training's own
Config = Annotated[str, typer.Option("--config", metavar="small|main|FILE.json", help="Widths, batch, learning rate.")]
Data = Annotated[Path | None, typer.Option("--data", metavar="LOG.parquet", help="A log of clicks.")]
Metadata = Annotated[
    Path | None, typer.Option("--metadata", metavar="FILE.json", help="Its tables; the log's name with .json.")
]
Generated = Annotated[int | None, typer.Option("--rows", help="Instead of --data: generate that many rows.")]
Steps = Annotated[int | None, typer.Option("--steps", help="Steps in all; one pass where not given.")]
Missing = Annotated[str, typer.Option("--missing", metavar="error|zero|skip", help="Rows with a missing value.")]
Mode = Annotated[str, typer.Option("--mode", metavar="|".join(MODES), help="torch.compile's.")]
Checkpoint = Annotated[
    Path | None, typer.Option("--checkpoint", metavar="FILE", help="Kept here, and gone on from where it is there.")
]
Every = Annotated[int, typer.Option("--checkpoint-every", help="Steps between two checkpoints.")]
LossEvery = Annotated[int, typer.Option("--loss-every", help="Steps between two looks at the loss, which wait for it.")]
Profiled = Annotated[Path | None, typer.Option("--profile", metavar="DIR", help="Chrome trace of some steps.")]


@app.command()
def train(
    config: Config,
    data: Data = None,
    metadata: Metadata = None,
    rows: Generated = None,
    steps: Steps = None,
    hash_: Hash = None,
    interaction: Interaction = None,
    learning_rate: Annotated[float | None, typer.Option("--learning-rate", help="Adam's.")] = None,
    log_counts: LogCounts = None,
    missing: Missing = "error",
    device: Annotated[str, typer.Option("--device", help="cpu, cuda, cuda:1")] = "cpu",
    compiled: Annotated[bool, typer.Option("--compile", help="Through torch.compile.")] = False,
    mode: Mode = "default",
    checkpoint: Checkpoint = None,
    every: Every = 500,
    loss_every: LossEvery = 50,
    profile: Profiled = None,
    workers: Annotated[int, typer.Option("--workers", help="Processes that read ahead.")] = 0,
    json: Json = False,
) -> None:
    """Train the talk's DLRM on a log of clicks, and evaluate it on the last tenth."""
    from inductor_lab.models.dlrm_train import configuration as configurations
    from inductor_lab.models.dlrm_train.training import begin

    if (data is None) == (rows is None):
        raise LabError("Name a log with --data, or let one be generated with --rows.")
    _check(mode, steps, every, loss_every, workers)
    configuration = configurations.read(
        config, hash=hash_, interaction=interaction, learning_rate=learning_rate, log_counts=log_counts
    )
    _need(device)
    how: dict[str, Any] = {"device": device, "compiled": compiled, "mode": mode, "workers": workers}
    with ExitStack() as stack:
        if data is None:
            data = _generated(Path(stack.enter_context(TemporaryDirectory())), rows or 0)
            missing = "zero" if missing == "error" else missing
        training = begin(configuration, data, metadata or data.with_suffix(".json"), missing=missing, **how)
        _tell_missing(training)
        if checkpoint is not None and checkpoint.exists():
            training.resume(checkpoint)
            output.note(f"goes on behind step {training.steps:,} of {checkpoint}")
        steps = steps or max(training.train.rows // configuration.batch, 1)
        profiled = _profile(profile, steps - training.steps) if profile else None
        trained = _trained(training, steps, checkpoint, every, loss_every, profiled)
        with output.bar("evaluated rows") as progress:
            loss, area = training.evaluate(progress)
    _tell(training, trained, loss, area, profiled, mode if compiled else None, json)


def _check(mode: str, steps: int | None, every: int, loss_every: int, workers: int) -> None:
    if mode not in MODES:
        raise LabError(f"There is no mode {mode!r}; there are {', '.join(MODES)}.")
    if min(every, loss_every) < 1 or workers < 0 or (steps is not None and steps < 1):
        raise LabError("Steps are 1 or more, and workers 0 or more.")


def _profile(folder: Path, left: int) -> Any:
    from inductor_lab.models.dlrm_train.training import PROFILED, WARM, Profile

    if left < WARM + PROFILED:
        raise LabError(f"A profile is of {PROFILED} steps behind {WARM}, and {max(left, 0)} are left.")
    return Profile(folder)


def _tell(
    training: Any, trained: dict[str, Any], loss: float, area: float, profiled: Any, compiled: str | None, json: bool
) -> None:
    """What came of a training and of its evaluation."""
    found = {
        "configuration": asdict(training.configuration),
        "device": str(training.device),
        "compiled": compiled,
        "rows": {"trained": training.train.rows, "held_out": training.held_out.rows},
        **trained,
        "held_out": {"loss": loss, "auc": None if math.isnan(area) else area},
    }
    if profiled:
        found["profile"] = {"trace": str(profiled.trace), "operators": [asdict(one) for one in profiled.operators]}
    if json:
        output.document(found)
        return
    last = f"; loss {trained['losses'][-1]['loss']:.4f} at the last" if trained["losses"] else ""
    output.line(
        f"{trained['steps']:,} steps of {training.configuration.batch} rows in {trained['seconds']:.1f} s{last}"
    )
    output.line(f"{training.held_out.rows:,} rows held out: loss {loss:.4f}, AUC {area:.4f}")
    if profiled:
        _show(profiled)


def _need(device: str) -> None:
    import torch

    try:
        torch.empty(1, device=device)
    except (RuntimeError, AssertionError) as error:
        raise LabError(
            f"There is no device {device!r} here: {str(error).partition(chr(10))[0].rstrip('.')}."
        ) from error


def _generated(folder: Path, rows: int) -> Path:
    from inductor_lab.criteo.sample import write_sample

    with output.bar("generated rows") as progress:
        write_sample(folder / "log.parquet", folder / "log.json", rows, progress=progress)
    return folder / "log.parquet"


def _tell_missing(training: Any) -> None:
    """What is made of values that are not there is never done in silence."""
    counts = [log.missing_values for log in (training.train, training.held_out)]
    if total := sum(sum(count.values()) for count in counts):
        columns = len({name for count in counts for name in count})
        done = "read as 0" if training.train.missing == "zero" else "left out, with their rows"
        output.note(f"{total:,} missing values in {columns} columns are {done}")


def _trained(
    training: Any, steps: int, checkpoint: Path | None, every: int, loss_every: int, profiled: Any
) -> dict[str, Any]:
    """Run the steps: seconds, and the loss now and then."""
    losses: list[dict[str, float]] = []
    began, first = time.monotonic(), training.steps
    with output.bar("steps") as progress:
        run = training.run(steps)
        for loss in profiled.over(run, training.device) if profiled else run:
            if training.steps % loss_every == 0 or training.steps == steps:
                losses.append({"step": training.steps, "loss": loss.item()})
            progress(training.steps, steps, f"loss {losses[-1]['loss']:.4f}" if losses else "")
            if checkpoint is not None and (training.steps % every == 0 or training.steps == steps):
                training.save(checkpoint)
    return {
        "steps": training.steps - first,
        "first_step": first,
        "seconds": time.monotonic() - began,
        "losses": losses,
    }


def _show(profiled: Any) -> None:
    from rich import box
    from rich.table import Table

    table = Table(box=box.SIMPLE)
    for name, side in (
        ("operator", "left"),
        ("calls", "right"),
        ("host us a step", "right"),
        ("card us a step", "right"),
    ):
        table.add_column(name, justify=side)
    for one in profiled.operators[:TOP]:
        table.add_row(one.name, f"{one.calls:,}", f"{one.cpu:,.1f}", f"{one.device:,.1f}")
    output.show(table)
    output.line(f"{profiled.trace}: open it at https://ui.perfetto.dev")


if __name__ == "__main__":
    main(app=app, name="python -m inductor_lab.models.dlrm_train")
