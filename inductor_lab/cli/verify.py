"""The verbs that judge: verify of one file, many, or one on every save; replay, which runs a captured module again."""

from __future__ import annotations

import time
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from typing import Annotated, Any

import typer

from inductor_lab.cli import output
from inductor_lab.cli.options import CaptureName, EjectedFiles, Json, Keep, grafts, option
from inductor_lab.cli.output import keeper
from inductor_lab.errors import LabError
from inductor_lab.records import Capture, Verdict

AGAINST = ("eager", "generated")


PUT = "An ejected file whose kernel runs in the generated one's place; of a span, 4-29=FILE."
KEPT = "Keep what each kernel is given, INDEX.npz, and each grafted span, GRAPH_4-29.npz, for `verify FILE --case DIR/INDEX.npz`."
HELD = "What outputs are held to; unless given, eager, and the generated module where a graph's values in float64 do not fit on the card."
DRAWN = "Draw all inputs by it; unless given, those are used that the capture kept."


def replay(
    capture: CaptureName,
    graft: Annotated[list[str] | None, option("--graft KERNEL=FILE", PUT, grafts)] = None,
    keep: Annotated[Path | None, option("--keep DIR", KEPT)] = None,
    seed: Annotated[int | None, option("--seed N", DRAWN, min=0)] = None,
    against: Annotated[str, option("--against eager|generated", HELD, AGAINST)] = "",
    json: Json = False,
) -> None:
    """Run a captured module again, held to eager.

    On the GPU where there is one, and timed there, else on the CPU, each kernel in Triton's interpreter. Each launch is held to its reference, each
    output to the graph in eager. Exits with 1 when something departs.
    """
    from inductor_lab import store
    from inductor_lab.replay.run import replay as run
    from inductor_lab.report.outcomes import replayed

    if against not in ("", *AGAINST):
        raise LabError(f"--against {against}: a replay is held to {' or '.join(AGAINST)}.")
    found = store.find_capture(capture)
    files: dict[str, Path] = {}
    for text in graft or ():
        kernel, file = _graft(found, capture, text)
        if files.setdefault(kernel, file) != file:
            raise LabError(f"{kernel} can have one hand kernel: {files[kernel]} or {file}.")
    with output.progress(f"Replaying {capture}") as step:
        result = run(store.folder_of(capture), seed=seed, grafts=files, keep=keep, against=against, progress=step)
    output.result(result, json, replayed)
    if result.verdict != "pass":
        raise typer.Exit(1)


def _graft(capture: Capture, name: str, text: str) -> tuple[str, Path]:
    """`0=mine.py`, `dlrm:0=mine.py`, a name or a hash: the kernel's id and the file; of a span, `4-29=mine.py`, its name."""
    from inductor_lab import store
    from inductor_lab.spans import addressed, is_address

    kernel, equals, file = text.partition("=")
    if not equals or not kernel or not file:
        raise LabError(f"--graft {text}: write KERNEL=FILE, as in --graft {name}:0=mine.py.")
    output.need(Path(file))
    which = kernel.removeprefix(f"{name}:")
    if is_address(which) and which.partition(":")[0] not in store.names() and (span := addressed(capture, which)):
        return span.id, Path(file)
    asked, one = store.find_kernel(kernel if ":" in kernel else f"{name}:{kernel}")
    if asked != capture:
        raise LabError(f"--graft {text}: that kernel is of {asked.name}, not of {name}.")
    return one.id, Path(file)


SUFFIX = ".npz"
LOOK = 0.3
"""Seconds between two looks at whether a watched file was saved."""


DRAWS = "How many draws of normal values; the last is drawn anew each time."
FIXED = "Draw what is drawn anew each time from this, to run the same again."
FAST = "Stop at the first case that fails, and look no further into it."
WATCHED = "Verify and inspect again on each save, until Ctrl-C; with the few cases that find most."


def verify(
    files: EjectedFiles,
    quick: Annotated[bool, option("--quick", "The few cases that find most.")] = False,
    thorough: Annotated[bool, option("--thorough", "Every kind of inputs alone, and more seeds.")] = False,
    seeds: Annotated[int, option("--seeds N", DRAWS, min=1)] = 2,
    seed: Annotated[int | None, option("--seed N", FIXED, min=0)] = None,
    case: Annotated[str, option("--case NAME", "Run this case alone, or the inputs that --save wrote.")] = "",
    save: Annotated[Path | None, option("--save FAILURE", "Write the smallest inputs that fail: FAILURE.npz.")] = None,
    fail_fast: Annotated[bool, option("--fail-fast", FAST)] = False,
    limit: Annotated[
        float | None, option("--timeout SECONDS", "How long one launch may take; 120 unless given.", min=1)
    ] = None,
    watch: Annotated[bool, option("--watch", WATCHED)] = False,
    keep: Keep = False,
    json: Json = False,
) -> None:
    """Check files against eager PyTorch, judged by float64.

    Inputs are drawn from what the kernel computes: both sides of each comparison, ties, extremes. Exits with 1 when one fails.
    """
    for file in files:
        output.need(file)
    if quick and thorough:
        raise LabError("--quick and --thorough exclude each other; leave one out.")
    if len(files) > 1 and (watch or case or save):
        raise LabError("--watch, --case and --save are for one file.")
    if watch and keep:
        raise LabError("--keep is for one result, and --watch has one on each save; leave one out.")
    if save and not save.absolute().parent.is_dir():
        raise LabError(f"There is no folder {save.parent} to write {save.name} in; choose another with --save.")
    if fail_fast and save:
        raise LabError("--save needs the failing inputs made small, which --fail-fast leaves out; drop one of them.")
    inputs = _inputs(case)
    asked = {
        "effort": "thorough" if thorough else "quick" if quick or watch else "default", "seeds": seeds,
        "case": "" if inputs else case, "inputs": inputs, "fail_fast": fail_fast, "limit": limit,
        "save": str(_npz(save)) if save else "", **({} if seed is None else {"seed": seed}),
    }  # fmt: skip
    if watch:
        _watch(files[0], asked, json)
    elif len(files) == 1:
        _one(files[0], asked, json, save, keep)
    else:
        _several(files, asked, json, keep)


def _inputs(case: str) -> str:
    """The file of inputs that a case names, as --save wrote it; empty where it is the name of a case."""
    kept = _npz(Path(case))
    if not case or not (case.endswith(SUFFIX) or kept.is_file()):
        return ""
    if not kept.is_file():
        raise LabError(f"There is no file {kept}; `verify FILE --save {kept}` writes one when FILE fails.")
    return str(kept)


def _npz(file: Path) -> Path:
    """What `--save` calls the file: named as it was asked for, with numpy's ending."""
    return file if file.name.endswith(SUFFIX) else Path(f"{file}{SUFFIX}")


def _one(file: Path, asked: Mapping[str, Any], json: bool, save: Path | None, keep: bool) -> None:
    from inductor_lab.report import outcomes
    from inductor_lab.verify import verify as check

    kept = keeper(file, keep)
    with _told(), output.progress(f"Verifying {file}") as step:
        verdict = check(file, progress=step, **asked)
    output.result(verdict, json, outcomes.outcome)
    kept(verdict)
    if verdict.verdict != "pass":
        if save and verdict.device:
            written = _npz(save)
            output.note(
                f"{written}: inputs that fail; run them again with: inductor-lab verify {file} --case {written}"
            )
        raise typer.Exit(1)


@contextmanager
def _told() -> Iterator[None]:
    """Whoever stops it is told what was found by then."""
    from inductor_lab.verify import StoppedError

    try:
        yield
    except StoppedError as stopped:
        for file, cases in stopped.done.items():
            words = [f"{case.name} {'passed' if case.passed else 'failed: ' + case.message}" for case in cases]
            output.note(f"stopped; of {file}: {'; '.join(words) or 'no case had ended'}")
        raise


def _several(files: list[Path], asked: Mapping[str, Any], json: bool, keep: bool) -> None:
    """One line for each file, or one document for all."""
    from inductor_lab import store
    from inductor_lab.report import outcomes
    from inductor_lab.verify import verify_all

    keepers = {str(file): keeper(file, keep) for file in files}
    with _told(), output.progress(f"Verifying {len(files)} files") as step:
        found = dict(zip(map(str, files), verify_all(files, progress=step, **asked), strict=True))
    if json:
        verdicts = {
            name: {"error": str(one)} if isinstance(one, LabError) else store.to_dict(one)
            for name, one in found.items()
        }
        output.document({"files": verdicts})
    else:
        output.show(*outcomes.verdicts(found))
    for name, one in found.items():
        if isinstance(one, Verdict):
            keepers[name](one)
    if broken := [name for name, one in found.items() if isinstance(one, LabError)]:
        raise LabError(f"{len(broken)} of {len(files)} files can not be judged: {', '.join(broken)}.")
    if any(isinstance(one, Verdict) and one.verdict != "pass" for one in found.values()):
        raise typer.Exit(1)


def _watch(file: Path, asked: Mapping[str, Any], json: bool) -> None:
    """Verify and inspect at once, and after each save."""
    from inductor_lab import store
    from inductor_lab.api import inspect_file
    from inductor_lab.report import outcomes
    from inductor_lab.verify import Judges

    seen: int | None = None
    try:
        with Judges(1) as judges:
            while True:
                if (now := _saved(file)) == seen or now is None:
                    time.sleep(LOOK)
                    continue
                seen = now
                try:
                    with output.progress(f"Verifying {file}") as step:
                        (found,) = judges.judged([file], step, asked)
                    if isinstance(found, LabError):
                        raise found
                    if not json:
                        output.show(*outcomes.outcome(found))
                    with output.progress(f"Compiling {file}"):
                        codes = inspect_file(file).record
                    if json:
                        machine = {which: [store.to_dict(code) for code in several] for which, several in codes.items()}
                        output.document({**store.to_dict(found), "machine": machine})
                    else:
                        output.show(*outcomes.outcome(codes))
                except LabError as error:
                    output.note(f"error: {error}")
                output.note(f"Waiting for {file} to be saved; Ctrl-C ends.")
    except KeyboardInterrupt:
        output.note("")


def _saved(file: Path) -> int | None:
    try:
        return file.stat().st_mtime_ns
    except OSError:  # an editor that writes a new file and moves it
        return None
