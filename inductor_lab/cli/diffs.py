"""The verb `diff`: compare each file, hold them to a limit and to a baseline, show them, write JUnit XML."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass, field, replace
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from inductor_lab.cli import output
from inductor_lab.cli.options import (
    ROUNDS,
    STAGES,
    Cache,
    EjectedFiles,
    Json,
    Keep,
    Launch,
    Profile,
    Rounds,
    Target,
    captures,
    option,
)
from inductor_lab.cli.output import keeper
from inductor_lab.errors import LabError
from inductor_lab.records import PerfDiff

if TYPE_CHECKING:
    from inductor_lab.measure.ci import Baseline, Check
    from inductor_lab.measure.timing.samples import Method

WHO = ("eager", "torchscript", "default", "coordinate_descent_tuning", "max-autotune", "combo_kernels")
"""The first of `contest.contestants.NAMES`, which the help must not import."""
MEASURED_BY = ("launch", "cache", "rounds", "seed")
"""Conditions of a measurement that stand in the JUnit XML: a time means nothing without them."""
NEEDS_TIMES = "{option} needs a measured time, and there is no GPU here; leave it out to compare the code alone."


@dataclass(frozen=True)
class Asked:
    """What the command line asks for."""

    gpu: str
    method: Method
    against: Sequence[str] = ()
    best: bool = False
    fail_slower: float | None = None
    junit: Path | None = None
    save_baseline: Path | None = None
    baseline: Path | None = None
    show: Sequence[str] = ()
    profile: bool = False
    inside: str = ""
    """The capture in whose step the edit is looked at."""
    keep: bool = False


@dataclass
class Found:
    """What came of one file."""

    diff: PerfDiff | LabError
    checks: list[Check] = field(default_factory=list)


Against = Annotated[
    list[str] | None,
    option(
        "--against WHO",
        f"One more contestant, again and again: {', '.join(WHO)}, module:function, another ejected file.",
        WHO,
    ),
]
WORTH = "What the edit is worth in this model's step: timed on a GPU, else by launches and bytes."
DIFFERENCE = "Also the difference of both kernels' code there, names set apart; again for several."


def diff(
    files: EjectedFiles,
    against: Against = None,
    best: Annotated[
        bool, option("--best", "Also both kernels under the best configuration that a sweep finds for each.")
    ] = False,
    fail_slower: Annotated[
        float | None,
        option("--fail-slower PERCENT", "Exit with 1 when slower by more than this, or inconclusive.", min=0),
    ] = None,
    inside: Annotated[str, option("--in CAPTURE", WORTH, captures)] = "",
    baseline: Annotated[
        Path | None, option("--baseline JSON", "Exit with 1 when slower than was stored there, beyond the noise.")
    ] = None,
    save_baseline: Annotated[
        Path | None, option("--save-baseline JSON", "Store what is measured, with its noise.")
    ] = None,
    junit: Annotated[Path | None, option("--junit XML", "Write it as JUnit XML too.")] = None,
    gpu: Target = "auto",
    launch: Launch = "bare",
    cache: Cache = "cold",
    rounds: Rounds = ROUNDS,
    keep: Keep = False,
    show: Annotated[list[str] | None, option(f"--show {'|'.join(STAGES)}", DIFFERENCE, STAGES)] = None,
    profile: Profile = False,
    json: Json = False,
) -> None:
    """The hand kernel against the generated one, and why they differ.

    Times with their interval and ceilings measured beside them on a GPU; the machine code and `--show` with or without one.
    """
    for stage in show or ():
        if stage not in STAGES:
            raise LabError(f"There is no {stage!r} to show; it is {', '.join(STAGES[:-1])} or {STAGES[-1]}.")
    from inductor_lab.measure.timing.samples import Method

    method = Method(launch, cache, rounds)
    _run(
        files,
        Asked(
            gpu,
            method,
            against or (),
            best,
            fail_slower,
            junit,
            save_baseline,
            baseline,
            show or (),
            profile,
            inside,
            keep,
        ),
        json,
    )


def _run(files: Sequence[Path], asked: Asked, json: bool) -> None:
    """Compare the files; exits with 1 where one is slower than is allowed, or than it was.

    Raises:
        LabError: what was asked can not be done, or not with all files and contestants.
    """
    from inductor_lab.ejected import content_hash
    from inductor_lab.step import capture_of, its_kernel

    for file in files:
        output.need(file)
        if asked.inside:
            its_kernel(file, asked.inside)
    kept = _begun(files, asked)
    keepers = {file: keeper(file, "diff", asked.keep) for file in files}
    found, measured = {}, {}
    for file in files:
        measured[file] = content_hash(file)
        with output.progress(f"Comparing {file}") as step:
            found[file] = _one(file, asked, kept, step, alone=len(files) == 1 and asked.junit is None)
    if asked.junit:
        _write_junit(asked.junit, found)
    _show(found, asked, json)
    for file, one in found.items():
        if isinstance(one.diff, PerfDiff):
            keepers[file](one.diff)
    if not json and not asked.inside and (model := capture_of(files[0])):
        output.note(f"What it is worth in its model's step: inductor-lab diff {files[0]} --in {model}")
    if asked.save_baseline and kept:
        for file, one in found.items():
            if isinstance(one.diff, PerfDiff):
                kept.add(file, one.diff, measured[file])
        kept.write()
        output.note(
            f"{asked.save_baseline}: what was measured, to compare with: inductor-lab diff {files[0]} --baseline {asked.save_baseline}"
        )
    _finish(found, asked)


def _begun(files: Sequence[Path], asked: Asked) -> Baseline | None:
    """What can not be done is said before anything is compared; the baseline, where there is one."""
    from inductor_lab.machine import present_gpu, target_named
    from inductor_lab.measure import ci
    from inductor_lab.measure.contest.contest import check_asked

    here = present_gpu() is not None
    options = {"--baseline": asked.baseline, "--save-baseline": asked.save_baseline}
    if asked.baseline and asked.save_baseline:
        raise LabError(
            "--baseline and --save-baseline exclude each other: compare first, then store what is to be kept."
        )
    if not here and (option := next((name for name, wanted in options.items() if wanted), "")):
        raise LabError(NEEDS_TIMES.format(option=option))
    if asked.gpu not in ("auto", "real"):
        target_named(asked.gpu)
    check_asked(asked.against, best=asked.best, gpu=here)
    if asked.junit and not asked.junit.absolute().parent.is_dir():
        raise LabError(f"There is no folder {asked.junit.parent} to write {asked.junit.name} in.")
    if not (path := asked.baseline or asked.save_baseline):
        return None
    import torch

    kept = ci.stored(path, new=asked.save_baseline is not None)
    card = torch.cuda.get_device_name()
    if asked.baseline:
        kept.need(files, card, asked.method)
    else:
        kept.need_card(card)
    return kept


def _one(file: Path, asked: Asked, kept: Baseline | None, step: Callable[[str], None], *, alone: bool) -> Found:
    """One file's comparison, and what it is held to. An error is raised where there is no other file to go on with."""
    from inductor_lab.measure.ci import Check, checks, decided

    began = time.monotonic()
    limited = asked.fail_slower is not None or asked.baseline is not None
    names = ("method", "against", "best", "show", "profile")
    options: dict[str, Any] = {**{name: getattr(asked, name) for name in names}, "progress": step}
    found: PerfDiff | LabError
    try:
        found = decided(_compared, file, asked.gpu, **options) if limited else _compared(file, asked.gpu, **options)
    except LabError as error:
        if alone:
            raise
        found = error
    if asked.inside and isinstance(found, PerfDiff):
        found = _in_the_step(found, file, asked.inside, step)
    made = checks(str(file), found, asked.fail_slower, time.monotonic() - began)
    if asked.baseline and kept and isinstance(found, PerfDiff):
        made.append(Check(str(file), "baseline", *kept.held(file, found)))
    return Found(found, made)


def _compared(file: Path, gpu: str, **options: Any) -> PerfDiff:
    from inductor_lab.api import diff_file

    found: PerfDiff = diff_file(file, gpu, **options).record
    return found


def _in_the_step(found: PerfDiff, file: Path, capture: str, step: Callable[[str], None]) -> PerfDiff:
    """With what the edit is worth there; a replay that fails takes nothing of what was measured."""
    from inductor_lab.step import effect

    try:
        return replace(found, step=effect(file, capture, timed=found.ratio is not None, progress=step))
    except LabError as error:
        return replace(found, notes=(*found.notes, f"The step of {capture} was not looked at: {error}"))


def _show(found: Mapping[Path, Found], asked: Asked, json: bool) -> None:
    from inductor_lab.report import outcomes

    limited = asked.fail_slower is not None or asked.baseline is not None
    if json:
        documents = {str(file): _document(one, limited) for file, one in found.items()}
        output.document(next(iter(documents.values())) if len(found) == 1 else {"files": documents})
        return
    if len(found) > 1:
        output.show(*outcomes.perf_diffs({str(file): one.diff for file, one in found.items()}))
    else:
        for one in (one.diff for one in found.values() if isinstance(one.diff, PerfDiff)):
            output.show(*outcomes.perf_diff(one))
    for stage, text in _texts(found):
        output.code(text or f"No difference in {stage} that counts.\n")
    for check in (check for one in found.values() for check in one.checks if limited and check.outcome != "error"):
        output.note(f"{check.outcome}: {check.file} against {check.name}: {check.sentence}")


def _texts(found: Mapping[Path, Found]) -> Iterator[tuple[str, str]]:
    """What differs in each file's code, where that was asked for."""
    for file, one in found.items():
        if isinstance(one.diff, PerfDiff):
            for stage, text in one.diff.texts.items():
                yield stage if len(found) == 1 else f"{stage} of {file}", text


def _document(one: Found, limited: bool) -> dict[str, Any]:
    from inductor_lab import store

    if isinstance(one.diff, LabError):
        return {"error": str(one.diff)}
    told: dict[str, Any] = store.to_dict(one.diff)
    return {**told, "checks": [asdict(check) for check in one.checks]} if limited else told


def _write_junit(path: Path, found: Mapping[Path, Found]) -> None:
    from inductor_lab.measure.ci import junit, versions

    diffs = [one.diff for one in found.values() if isinstance(one.diff, PerfDiff)]
    told = {"device": [diff.device for diff in diffs]}
    told |= {name: [diff.conditions[name] for diff in diffs if name in diff.conditions] for name in MEASURED_BY}
    properties = {name: ", ".join(map(str, dict.fromkeys(values))) for name, values in told.items() if values}
    text = junit([check for one in found.values() for check in one.checks], {**properties, **versions()})
    try:
        path.write_text(text, encoding="utf-8")
    except OSError as error:
        raise LabError(f"Can not write {path}: {error.strerror}.") from error


def _finish(found: Mapping[Path, Found], asked: Asked) -> None:
    """Exit as what was found says: what could not be compared comes before what is slower."""
    if asked.fail_slower is not None and any(
        isinstance(one.diff, PerfDiff) and one.diff.ratio is None for one in found.values()
    ):
        raise LabError(NEEDS_TIMES.format(option="--fail-slower"))
    errors = [check for one in found.values() for check in one.checks if check.outcome == "error"]
    if errors:
        told = "; ".join(f"{check.file} against {check.name}: {check.sentence}" for check in errors)
        raise LabError(f"Not everything could be compared: {told}")
    if any(check.outcome == "failed" for one in found.values() for check in one.checks):
        raise typer.Exit(1)
