"""The verbs that make a catalog and read it: capture, read, list, show."""

from __future__ import annotations

import shlex
from collections.abc import Mapping, Sequence
from dataclasses import replace
from datetime import UTC, datetime
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from inductor_lab.cli import output
from inductor_lab.cli.options import (
    CAPTURE_HELP,
    Gpu,
    Json,
    KernelName,
    Verb,
    argument,
    captures,
    files,
    filters,
    option,
    targets,
    workloads_have,
)
from inductor_lab.errors import LabError
from inductor_lab.listing import FIELDS, ORDERS, WORST

if TYPE_CHECKING:
    from inductor_lab.listing import Listing
    from inductor_lab.records import Capture, Kept
    from inductor_lab.shelf import Shelved

Folder = Annotated[Path | None, option("-o --output DIR", "The capture's folder; captured/NAME unless given.")]


class WithCommand(Verb):
    """A verb whose arguments end at `--`: what follows is the user's command, word for word in `context.obj`."""

    def parse_args(self, ctx: Any, args: list[str]) -> list[str]:  # click's, or Typer's own copy of it
        if "--" in args:
            split = args.index("--")
            args, ctx.obj = args[:split], args[split + 1 :]
        return super().parse_args(ctx, args)


Keeping = Annotated[
    str,
    option(
        "--keep WHAT",
        "Of each graph's inputs: nothing, statistics, or inputs: the values themselves, for replay and eject --inputs real.",
        ("nothing", "statistics", "inputs"),
    ),
]
MODES = ("default", "max-autotune", "max-autotune-no-cudagraphs", "reduce-overhead")
"""torch.compile's; `torch._inductor.list_mode_options()` has them all, and needs torch."""
SMALL = "For a GPU that is not here: compute nothing large, so that a model of any size takes little time and memory."


def capture(
    context: typer.Context,
    target: Annotated[
        str, argument("[TARGET | -- COMMAND...]", "A workload, module:callable or a script.py.", targets)
    ] = "",
    gpu: Gpu = "auto",
    train: Annotated[bool, option("--train", "Forward and backward.")] = False,
    dynamic: Annotated[bool, option("--dynamic", "torch.compile(dynamic=True).")] = False,
    mode: Annotated[str | None, option("--mode MODE", "torch.compile's mode, such as max-autotune.", MODES)] = None,
    setting: Annotated[list[str] | None, option("--set KEY=VALUE", "An Inductor setting; repeatable.")] = None,
    size: Annotated[
        str | None,
        option("--size SIZE", "A workload's size; `inductor-lab models` lists them.", workloads_have("sizes")),
    ] = None,
    dtype: Annotated[
        str | None, option("--dtype DTYPE", "A workload's dtype: fp32 or bf16.", workloads_have("dtypes"))
    ] = None,
    keep: Keeping = "statistics",
    keep_limit: Annotated[
        float, option("--keep-limit GB", "Values that --keep inputs keeps of one graph, at most.", min=0)
    ] = 2.0,
    shapes_only: Annotated[bool, option("--shapes-only", SMALL)] = False,
    folder: Folder = None,
    json: Json = False,
) -> None:
    """Run a program and keep the kernels that Inductor wrote.

    For this machine's GPU, or with --gpu for one that you don't have.
    """
    from inductor_lab.capture.run import capture as run

    command: list[str] = context.obj or []
    if target and command:
        raise LabError(f"Give one target: {target}, or the command behind --; not both.")
    if not target and not command:
        raise LabError(
            "Give a target: a workload (`inductor-lab models`), module:callable, script.py, or `-- any command`."
        )
    with output.progress(f"Capturing {target or ' '.join(command)}") as step:
        found, path = run(
            command or target, gpu=gpu, size=size, train=train, dynamic=dynamic, mode=mode, settings=tuple(setting or ()), keep=keep,
            keep_limit=keep_limit, shapes_only=shapes_only, dtype=dtype, output=folder, progress=step,
        )  # fmt: skip
    _show_catalog(found, path, json)
    _note_values(path)
    for problem in found.problems:
        if problem.where == "program":
            raise LabError(f"{problem.message}; what was compiled before that is kept in {path}.")


def _note_values(path: Path) -> None:
    """What is kept of inputs and outputs, where anything is."""
    from inductor_lab.quantity import plural, size

    if sizes := [file.stat().st_size for file in path.glob("values/*.npz")]:
        output.note(f"{path / 'values'}: inputs and outputs of {plural(len(sizes), 'graph')}, {size(sum(sizes))}")


def _source_kinds() -> Sequence[str]:
    from inductor_lab.read.sources import KINDS

    return list(KINDS)


def read(
    sources: Annotated[
        list[str],
        argument(
            "SOURCE...",
            "Logs, traces, modules (packed too: .gz, .bz2, .xz, .zst, .tar, .zip), TORCH_COMPILE_DEBUG or tlparse folders, or - for stdin.",
            files(),
        ),
    ],
    folder: Folder = None,
    as_: Annotated[
        str, option("--as KIND", "What the sources are: auto, log, trace, module, debug or tlparse.", _source_kinds)
    ] = "auto",
    name: Annotated[
        str | None, option("--name NAME", "The capture's name; made from the first source unless given.")
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
    folder = folder or store.HOME / name
    store.check_folder(folder)
    _keep_sources(sources, folder)
    with output.progress("Reading " + ", ".join(sources)):
        found = replace(
            annotate(read_sources(sources, name, as_)),
            command="inductor-lab read " + shlex.join(sources),
            created=datetime.now(UTC).isoformat(timespec="seconds"),
        )
        path = store.save(found, folder)
    _show_catalog(found, path, json)


def _keep_sources(sources: Sequence[str], folder: Path) -> None:
    """Refuse to read what lies in the folder that the new capture replaces: `read captured/mlp` would be left without mlp's log.

    Raises:
        LabError: a source is the folder, or lies in it.
    """
    for source in sources:
        there = Path(source).resolve()
        if source != "-" and folder.exists() and folder.resolve() in (there, *there.parents):
            raise LabError(
                f"{source} would be replaced by the capture that is made of it; choose another folder with -o."
            )


def _show_catalog(capture: Capture, path: Path, json: bool) -> None:
    """The catalog, and where it is kept."""
    from inductor_lab import shelf
    from inductor_lab.listing import chosen
    from inductor_lab.quantity import plural

    kept = shelf.put(path, capture)
    if json:
        output.document(_document(kept, capture, chosen(kept.rows)))
    else:
        _show_kernels(kept, chosen(kept.rows, sort=WORST))
    following = f" Next: inductor-lab show {kept.address}:0" if capture.kernels else ""
    output.note(f"{path}: {plural(len(capture.kernels), 'kernel')}.{following}")


def _document(kept: Shelved, capture: Capture, listing: Listing) -> dict[str, Any]:
    """The catalog of the listed kernels, each with what its launches cost; and how they were chosen, where they were."""
    from inductor_lab import store
    from inductor_lab.listing import parts
    from inductor_lab.spans import unread

    found, shares = store.catalog(capture, address=kept.address), parts(kept.rows)
    whole = capture if len(listing.rows) == listing.of else kept.part(row.id for row in listing.rows)
    for kernel, one, row in zip(found["kernels"], capture.kernels, listing.rows, strict=True):
        kernel["unread"] = unread(whole, one)
        kernel["cost"] = {
            "bytes": row.all_bytes,
            "share": shares.get(row.id),
            "floor": row.floor,
            "seconds": row.all_seconds,
            "bound": row.bound,
            "estimate": row.estimate,
        }
    if listing.said:
        found["chosen"] = {"of": listing.of, "matching": listing.matching, "sort": listing.sort or None}
    return found


def _show_kernels(kept: Shelved, listing: Listing) -> None:
    """The table, what was left out of it, and the sums."""
    from inductor_lab.listing import parts
    from inductor_lab.report import lists

    measured = _measured(kept.folder, {row.body_sha256 for row in listing.rows}, "last_ratio")
    if listing.rows:
        output.show(lists.kernels(listing.rows, parts(kept.rows), measured, whole=output.unbounded()))
    below = lists.told(listing.said, listing.rows, kept.rows, kept.calls, kept.head.gpu, kept.kinds)
    for sentence in (*below, *lists.events(kept.head.events)):
        output.line(sentence)
    for problem in kept.head.problems:
        output.note(f"problem: {problem.where}: {problem.message}")


def _results(folder: Path, bodies: set[str]) -> Mapping[str, tuple[Kept, ...]]:
    """A body's hash -> what was measured of it; where nothing was, nothing is imported for it."""
    from inductor_lab import store

    if not any(place.is_file() for place in store.results(folder)):
        return {}
    from inductor_lab.measure.history import kept

    return kept(folder, bodies)


def _measured(folder: Path, bodies: set[str], told: str) -> dict[str, str]:
    """The same in a few words, as this function of `report.history` tells it."""
    if not (results := _results(folder, bodies)):
        return {}
    from inductor_lab.report import history

    return {body: getattr(history, told)(found) for body, found in results.items()}


def list_(
    name: Annotated[str, argument("[CAPTURE]", CAPTURE_HELP, captures)] = "",
    filters: Annotated[
        list[str] | None,
        option(
            "--filter TEXT",
            f"Kernels with this in title, name, source or operations; or field:value of {', '.join(FIELDS)}. Repeatable: all must hold.",
            filters,
        ),
    ] = None,
    sort: Annotated[
        str, option("--sort KEY", f"{', '.join(ORDERS)}; {WORST}, or with --json order, unless given.", ORDERS)
    ] = "",
    top: Annotated[int | None, option("--top N", "The first N.", min=1)] = None,
    json: Json = False,
) -> None:
    """The captures, or the kernels of one.

    What each computes and moves, its part of the whole, the time that it needs and that it is likely to take: what may gain most comes first.
    """
    from inductor_lab import shelf, store

    if name:
        from inductor_lab.listing import chosen

        kept = shelf.opened(store.folder_of(name))
        listing = chosen(kept.rows, filters or (), sort or ("" if json else WORST), top)
        if json:
            output.document(_document(kept, kept.only(row.id for row in listing.rows), listing))
        else:
            _show_kernels(kept, listing)
        return
    if filters or sort or top is not None:
        raise LabError(
            "--filter, --sort and --top choose among one capture's kernels; name it: inductor-lab list CAPTURE."
        )
    found = shelf.captures()
    if json:
        output.document({"captures": [{"path": str(path), **store.to_dict(summary)} for path, summary in found]})
    elif found:
        from inductor_lab.report import lists

        output.show(lists.captures(found, whole=output.unbounded()))
    elif not store.names():
        output.note(f"No captures under {store.HOME}/ yet. Make one: inductor-lab capture lora_mlp")
    for left_out in sorted({*store.names()} - {path.name for path, _ in found}):
        output.note(f"problem: {store.HOME / left_out} can not be read; `inductor-lab list {left_out}` says why")


def show(
    kernel: KernelName,
    full: Annotated[bool, option("--full", "Every store, argument, launch and line of a long one.")] = False,
    json: Json = False,
) -> None:
    """One kernel, annotated line by line.

    What it computes, from which line of the model, what it moves.
    """
    from inductor_lab import shelf, store

    found, ids = shelf.find(kernel)
    capture = found.part(ids)
    kernels = [one for one in capture.kernels if one.id in ids]
    bodies = {one.body_sha256 for one in kernels}
    if json:
        from inductor_lab.report.facts import told as notes
        from inductor_lab.spans import unread

        kept = _results(found.folder, bodies)
        documents = [
            {
                **store.to_dict(each),
                "unread": unread(capture, each),
                "notes": store.to_dict(notes(each, capture)[1]),
                "results": store.to_dict(kept.get(each.body_sha256, ())),
            }
            for each in kernels
        ]
        output.document({"kernels": documents})
        return
    from inductor_lab.report import terminal

    if len(kernels) > 1:
        output.note(f"{kernel} names {len(kernels)} kernels: {store.some([one.id for one in kernels])}")
    told = _measured(found.folder, bodies, "last_told")
    output.show(*(terminal.show(each, capture, full=full, measured=told.get(each.body_sha256, "")) for each in kernels))
