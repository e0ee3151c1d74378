"""The verbs that make a catalog and read it: capture, read, list, show."""

from __future__ import annotations

import shlex
from dataclasses import replace
from datetime import UTC, datetime
from pathlib import Path
from typing import Annotated

import typer
from typer.core import TyperCommand

from inductor_lab.cli import output
from inductor_lab.cli.options import (
    Gpu,
    Json,
    KernelName,
    complete_capture,
    complete_dtype,
    complete_keep,
    complete_mode,
    complete_size,
    complete_source,
    complete_target,
)
from inductor_lab.errors import LabError
from inductor_lab.records import Capture

Folder = Annotated[
    Path | None, typer.Option("-o", "--output", metavar="DIR", help="The capture's folder; captured/NAME unless given.")
]


class WithCommand(TyperCommand):
    """A verb whose arguments end at `--`: what follows is the user's command, word for word in `context.obj`."""

    def parse_args(self, ctx: typer.Context, args: list[str]) -> list[str]:
        if "--" in args:
            split = args.index("--")
            args, ctx.obj = args[:split], args[split + 1 :]
        return super().parse_args(ctx, args)


def capture(
    context: typer.Context,
    target: Annotated[
        str,
        typer.Argument(
            metavar="[TARGET | -- COMMAND...]",
            help="A workload, module:callable or a script.py.",
            autocompletion=complete_target,
        ),
    ] = "",
    gpu: Gpu = "auto",
    train: Annotated[bool, typer.Option("--train", help="Forward and backward.")] = False,
    dynamic: Annotated[bool, typer.Option("--dynamic", help="torch.compile(dynamic=True).")] = False,
    mode: Annotated[
        str | None,
        typer.Option("--mode", help="torch.compile's mode, such as max-autotune.", autocompletion=complete_mode),
    ] = None,
    setting: Annotated[
        list[str] | None, typer.Option("--set", metavar="KEY=VALUE", help="An Inductor setting; repeatable.")
    ] = None,
    size: Annotated[
        str | None,
        typer.Option(
            "--size", help="A workload's size; `inductor-lab models` lists them.", autocompletion=complete_size
        ),
    ] = None,
    dtype: Annotated[
        str | None,
        typer.Option("--dtype", help="A workload's dtype: fp32 or bf16.", autocompletion=complete_dtype),
    ] = None,
    keep: Annotated[
        str,
        typer.Option(
            "--keep",
            metavar="WHAT",
            help="Of each graph's inputs: nothing, statistics, or inputs: the values themselves, for replay and eject --inputs real.",
            autocompletion=complete_keep,
        ),
    ] = "statistics",
    keep_limit: Annotated[
        float,
        typer.Option(
            "--keep-limit", metavar="GB", min=0, help="Values that --keep inputs keeps of one graph, at most."
        ),
    ] = 2.0,
    folder: Folder = None,
    json: Json = False,
) -> None:
    """Run a program and keep the kernels that Inductor wrote.

    For this machine's GPU, or with --gpu for one that you don't have.
    """
    from inductor_lab.annotate import quantity
    from inductor_lab.capture.run import capture as run

    command: list[str] | None = context.obj
    if target and command:
        raise LabError(f"Give one target: {target}, or the command behind --; not both.")
    if not target and not command:
        raise LabError(
            "Give a target: a workload (`inductor-lab models`), module:callable, script.py, or `-- any command`."
        )
    with output.progress(f"Capturing {target or ' '.join(command or [])}") as step:
        found, path = run(
            command or target,
            gpu=gpu,
            size=size,
            train=train,
            dynamic=dynamic,
            mode=mode,
            settings=tuple(setting or ()),
            keep=keep,
            keep_limit=keep_limit,
            dtype=dtype,
            output=folder,
            progress=step,
        )
    _show_catalog(found, path, json)
    if values := list(path.glob("values/*.npz")):
        written = sum(file.stat().st_size for file in values)
        output.note(
            f"{path / 'values'}: inputs and outputs of {quantity.plural(len(values), 'graph')}, {quantity.size(written)}"
        )
    for problem in found.problems:
        if problem.where == "program":
            raise LabError(f"{problem.message}; what was compiled before that is kept in {path}.")


def read(
    sources: Annotated[
        list[str],
        typer.Argument(
            metavar="SOURCE...",
            autocompletion=complete_source,
            help="Logs, traces, modules (packed too: .gz, .bz2, .xz, .zst, .tar, .zip), TORCH_COMPILE_DEBUG or tlparse folders, or - for stdin.",
        ),
    ],
    folder: Folder = None,
    as_: Annotated[
        str,
        typer.Option("--as", metavar="KIND", help="What the sources are: auto, log, trace, module, debug or tlparse."),
    ] = "auto",
    name: Annotated[
        str | None, typer.Option("--name", help="The capture's name; made from the first source unless given.")
    ] = None,
    json: Json = False,
) -> None:
    """Make a capture from logs that others made.

    Logs of several ranks, traces, output_code modules, folders of them, stdin (-). Nothing in them is executed.
    """
    from inductor_lab import store
    from inductor_lab.annotate import annotate
    from inductor_lab.read import read as read_sources
    from inductor_lab.read.sources import name_of

    name = store.safe_name(name or (folder.resolve().name if folder else name_of(sources[0])))
    with output.progress("Reading " + ", ".join(sources)):
        found = replace(
            annotate(read_sources(sources, name, as_)),
            command="inductor-lab read " + shlex.join(sources),
            created=datetime.now(UTC).isoformat(timespec="seconds"),
        )
        path = store.save(found, folder or store.HOME / name)
    _show_catalog(found, path, json)


def _show_catalog(capture: Capture, path: Path, json: bool) -> None:
    """The catalog, and where it is kept."""
    from inductor_lab import store
    from inductor_lab.annotate.quantity import plural

    address = store.address(path)
    if json:
        output.document(store.catalog(capture, address=address))
    else:
        _show_kernels(capture, address)
    output.note(f"{path}: {plural(len(capture.kernels), 'kernel')}. Next: inductor-lab show {address}:0")


def _show_kernels(capture: Capture, address: str = "") -> None:
    """The table, with ids that any verb takes from this folder."""
    from inductor_lab.history import of_capture
    from inductor_lab.report import terminal
    from inductor_lab.report.history import last_ratio

    if address:
        kernels = (replace(k, id=f"{address}:{k.id.rpartition(':')[2]}") for k in capture.kernels)
        capture = replace(capture, kernels=tuple(kernels))
    output.show(terminal.kernels(capture, {body: last_ratio(results) for body, results in of_capture(capture).items()}))
    for problem in capture.problems:
        output.note(f"problem: {problem.where}: {problem.message}")


def list_(
    name: Annotated[str, typer.Argument(metavar="[CAPTURE]", autocompletion=complete_capture)] = "", json: Json = False
) -> None:
    """The captures, or one capture's kernels."""
    from inductor_lab import store

    if name:
        capture = store.find_capture(name)
        if json:
            output.document(store.catalog(capture))
        else:
            _show_kernels(capture)
        return
    found = store.captures()
    if json:
        output.document({"captures": [{"path": str(path), **store.to_dict(summary)} for path, summary in found]})
    elif found:
        from inductor_lab.report import terminal

        output.show(terminal.captures(found))
    else:
        output.note(f"No captures under {store.HOME}/ yet. Make one: inductor-lab capture lora_mlp")


def show(
    kernel: KernelName,
    full: Annotated[bool, typer.Option("--full", help="Every store, argument, launch and line of a long one.")] = False,
    json: Json = False,
) -> None:
    """One kernel, annotated line by line.

    What it computes, from which line of the model, what it moves.
    """
    from inductor_lab import store
    from inductor_lab.annotate import explain
    from inductor_lab.history import of_capture
    from inductor_lab.report import terminal
    from inductor_lab.report.history import last_told

    capture, kernels = store.find_kernels(kernel)
    kept = of_capture(replace(capture, kernels=kernels))
    if json:
        found = [
            {
                **store.to_dict(each),
                "notes": store.to_dict(explain(each, capture)),
                "results": store.to_dict(kept.get(each.body_sha256, ())),
            }
            for each in kernels
        ]
        output.document({"kernels": found})
        return
    told = {body: last_told(results) for body, results in kept.items()}
    output.show(*(terminal.show(each, capture, full=full, measured=told.get(each.body_sha256, "")) for each in kernels))
