"""The verb `diff`: compare each file, hold them to a limit and to a baseline, show them, write JUnit XML."""

from __future__ import annotations

import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import asdict, dataclass, replace
from functools import partial
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

WHO = ("eager", "torchscript", "default", "coordinate_descent_tuning", "max-autotune", "combo_kernels")
"""The first of `contest.contestants.NAMES`, which the help must not import."""
MEASURED_BY = ("launch", "cache", "rounds", "seed")
"""Conditions of a measurement that stand in the JUnit XML: a time means nothing without them."""
NEEDS_TIMES = "{option} needs a measured time, and there is no GPU here; leave it out to compare the code alone."


@dataclass(frozen=True)
class Asked:
    """What the command line asks for."""

    gpu: str
    options: Mapping[str, Any]
    """Of `measure.diff.diff`: method, against, best, show, profile."""
    fail_slower: float | None
    junit: Path | None
    baseline: Path | None
    save_baseline: Path | None
    inside: str
    """The capture in whose step the edit is looked at."""

    @property
    def limited(self) -> bool:
        """Whether a file is held to something."""
        return self.fail_slower is not None or self.baseline is not None


@dataclass(frozen=True)
class Found:
    """What came of one file."""

    file: Path
    content: str
    """`content_hash` of what was compared."""
    outcome: PerfDiff | LabError
    checks: Sequence[Check]

    @property
    def diff(self) -> PerfDiff | None:
        """None of what can not be compared."""
        return None if isinstance(self.outcome, LabError) else self.outcome


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

    options = {
        "against": against or (), "best": best, "show": show or (), "profile": profile,
        "method": Method(launch, cache, rounds),
    }  # fmt: skip
    asked = Asked(gpu, options, fail_slower, junit, baseline, save_baseline, inside)
    files = list(dict.fromkeys(files))
    for file in files:
        output.need(file)
    stored = _begun(files, asked)
    keepers = {file: keeper(file, keep) for file in files}
    found = [_one(file, asked, stored, alone=len(files) == 1 and junit is None) for file in files]
    if junit:
        _write_junit(junit, found)
    _show(found, asked, json)
    for one in found:
        if one.diff:
            keepers[one.file](one.diff)
    _note_further(found, asked, stored, json)
    _finish(found, asked)


def _begun(files: Sequence[Path], asked: Asked) -> Baseline | None:
    """What can not be done is said before anything is compared; the baseline, where there is one."""
    from inductor_lab.machine import present_gpu, target_named
    from inductor_lab.measure import ci
    from inductor_lab.measure.contest.contest import check_asked
    from inductor_lab.step import its_kernel

    for file in files if asked.inside else ():
        its_kernel(file, asked.inside)
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
    check_asked(asked.options["against"], best=asked.options["best"], gpu=here)
    if asked.junit and not asked.junit.absolute().parent.is_dir():
        raise LabError(f"There is no folder {asked.junit.parent} to write {asked.junit.name} in.")
    if not (path := asked.baseline or asked.save_baseline):
        return None
    import torch

    stored = ci.stored(path, new=asked.save_baseline is not None)
    card = torch.cuda.get_device_name()
    if asked.baseline:
        stored.need(files, card, asked.options["method"])
    else:
        stored.need_card(card)
    return stored


def _one(file: Path, asked: Asked, stored: Baseline | None, *, alone: bool) -> Found:
    """One file's comparison, and what it is held to. An error is raised where there is no other file to go on with."""
    from inductor_lab.ejected import content_hash
    from inductor_lab.measure.ci import Check, checks, decided

    began, content = time.monotonic(), content_hash(file)
    found: PerfDiff | LabError
    with output.progress(f"Comparing {file}") as step:
        try:
            compare = partial(decided, _compared) if asked.limited else _compared
            found = compare(file, asked.gpu, progress=step, **asked.options)
            if asked.inside:
                found = _in_the_step(found, file, asked.inside, step)
        except LabError as raised:
            if alone:
                raise
            found = raised
    made = checks(str(file), found, asked.fail_slower, time.monotonic() - began)
    if asked.baseline and stored and not isinstance(found, LabError):
        made.append(Check(str(file), "baseline", *stored.held(file, found)))
    return Found(file, content, found, made)


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


def _show(found: Sequence[Found], asked: Asked, json: bool) -> None:
    from inductor_lab.report import outcomes

    alone = len(found) == 1
    if json:
        documents = {str(one.file): _document(one, asked.limited) for one in found}
        output.document(next(iter(documents.values())) if alone else {"files": documents})
        return
    if not alone:
        output.show(*outcomes.perf_diffs({str(one.file): one.outcome for one in found}))
    elif found[0].diff:
        output.show(*outcomes.outcome(found[0].diff))
    for one in found:
        for stage, text in (one.diff.texts if one.diff else {}).items():
            of = "" if alone else f" of {one.file}"
            output.code(text or f"No difference in {stage}{of} that counts.\n")
    for check in (check for one in found for check in one.checks if asked.limited and check.outcome != "error"):
        output.note(f"{check.outcome}: {check.file} against {check.name}: {check.sentence}")


def _document(one: Found, limited: bool) -> dict[str, Any]:
    from inductor_lab import store

    if isinstance(one.outcome, LabError):
        return {"error": str(one.outcome)}
    told: dict[str, Any] = store.to_dict(one.outcome)
    return {**told, "checks": [asdict(check) for check in one.checks]} if limited else told


def _write_junit(path: Path, found: Sequence[Found]) -> None:
    from inductor_lab.measure.ci import junit, versions

    diffs = [one.diff for one in found if one.diff]
    told: dict[str, list[object]] = {"device": [diff.device for diff in diffs]}
    told |= {name: [diff.conditions[name] for diff in diffs if name in diff.conditions] for name in MEASURED_BY}
    properties = {name: ", ".join(map(str, dict.fromkeys(values))) for name, values in told.items() if values}
    text = junit([check for one in found for check in one.checks], {**properties, **versions()})
    try:
        path.write_text(text, encoding="utf-8")
    except OSError as error:
        raise LabError(f"Can not write {path}: {error.strerror}.") from error


def _note_further(found: Sequence[Found], asked: Asked, stored: Baseline | None, json: bool) -> None:
    """What one may ask next: of the model's step, and of the baseline that is stored now."""
    from inductor_lab.step import capture_of

    first = found[0].file
    if not json and not asked.inside and (model := capture_of(first)):
        output.note(f"What it is worth in its model's step: inductor-lab diff {first} --in {model}")
    if asked.save_baseline and stored:
        for one in found:
            if one.diff:
                stored.add(one.file, one.diff, one.content)
        stored.write()
        kept = asked.save_baseline
        output.note(f"{kept}: what was measured, to compare with: inductor-lab diff {first} --baseline {kept}")


def _finish(found: Sequence[Found], asked: Asked) -> None:
    """Exit as what was found says: what could not be compared comes before what is slower."""
    if asked.fail_slower is not None and any(one.diff and one.diff.ratio is None for one in found):
        raise LabError(NEEDS_TIMES.format(option="--fail-slower"))
    every = [check for one in found for check in one.checks]
    if errors := [check for check in every if check.outcome == "error"]:
        told = "; ".join(f"{check.file} against {check.name}: {check.sentence}" for check in errors)
        raise LabError(f"Not everything could be compared: {told}")
    if any(check.outcome == "failed" for check in every):
        raise typer.Exit(1)
