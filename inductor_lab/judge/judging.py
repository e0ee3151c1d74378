"""The process that judges one file: draws inputs, works out what is right, has the other process run the kernel, and compares."""

from __future__ import annotations

import math
import secrets
import socket
import time
from collections.abc import Iterable, Mapping
from dataclasses import asdict, dataclass, replace
from pathlib import Path
from types import ModuleType, SimpleNamespace
from typing import Any

import torch

from inductor_lab.errors import LabError
from inductor_lab.judge import alone, boundaries, families, limits, pattern, saved, smallest, wire
from inductor_lab.judge.laid import Laid, lay, strayed
from inductor_lab.judge.last_bits import Nearby
from inductor_lab.judge.not_judged import NotJudged
from inductor_lab.judge.plan import Plan, plans
from inductor_lab.judge.raised import in_words
from inductor_lab.judge.watch import Watch
from inductor_lab.records import Case

FEW = 1 << 22
"""Elements of all arguments together that one core works through in less time than it takes to share them."""
PATIENCE = 120.0
"""Seconds."""
NOT_JUDGED = "not judged here"
"""What a stand-in's error begins with."""


@dataclass(frozen=True)
class Asked:
    """What the user asked of one file."""

    effort: str = "default"
    seeds: int = 2
    case: str = ""
    """The only case to run; empty for all."""
    inputs: str = ""
    """A file of saved inputs to run instead."""
    save: str = ""
    """Where the smallest inputs that fail are written."""
    fail_fast: bool = False
    """The first case that fails is the last, and nothing is asked about it."""
    limit: float | None = None
    """Seconds that a launch may take; None for PATIENCE, or for much longer than the generated kernel takes."""


@dataclass(frozen=True)
class Tried:
    """One launch of both kernels on the same inputs."""

    case: Case
    against: str
    """`eager` or `generated`."""
    limit: float
    written: str = ""
    """The tensor that is wrong."""
    wrong: torch.Tensor | None = None
    """Which of its elements."""
    results: tuple[torch.Tensor, ...] = ()
    """That tensor as the hand kernel, eager and float64 have it."""
    agrees: bool = True
    """False where the generated kernel itself is not what the reference says."""


class Judge:
    """One file, the channel to the process that runs its kernel, and what was found so far."""

    def __init__(self, path: Path, file: ModuleType, channel: socket.socket, asked: Asked) -> None:
        self.path, self.file, self.channel, self.asked = path, file, channel, asked
        if sum(math.prod(spec[0]) for spec in file.ARGUMENTS.values()) < FEW:
            torch.set_num_threads(1)
        limit = asked.limit or PATIENCE
        try:
            told, _ = self._received("importing it", limit)
        except HangsError as error:
            raise LabError(f"{path} can not be judged: {error}") from error
        if "error" in told:
            raise LabError(told["error"])
        self.has: Mapping[str, int] = told["parameters"]
        self.coverage = boundaries.Coverage(file)
        self.notes: list[str] = []

    # ---- cases

    def plans(self) -> list[Plan]:
        """The cases to run.

        Raises:
            LabError: no case is called what the user asked for.
        """
        drawn = 1000 + secrets.randbelow(10**6)
        found = list(plans(self.file, self.has, self.asked.effort, self.asked.seeds, drawn))
        wanted = self.asked.case
        if not wanted:
            return found
        if wanted.startswith("seed ") and wanted[5:].partition(",")[0].isdecimal():
            return [Plan(wanted, "normal", int(wanted[5:].partition(",")[0]), found[0].blocks)]
        more = plans(self.file, self.has, "thorough", self.asked.seeds, drawn)
        chosen = [plan for plan in more if plan.name == wanted]
        if not chosen:
            real = [saved.REAL] if getattr(self.file, "REAL", "") else []
            names = ", ".join([*real, *(plan.name for plan in found)])
            raise LabError(f"There is no case {wanted!r} of {self.path}; it has: {names}.")
        return chosen

    def drawn(self, plan: Plan) -> dict[str, torch.Tensor]:
        """The inputs of a case, by name."""
        arguments = self.sized(plan).ARGUMENTS
        values = families.drawn(arguments, plan.family, plan.seed)
        for name in self.file.TAKES:  # what is written in part is given as poison
            shape, _, dtype, *_ = arguments[name]
            if name not in values:
                values[name] = torch.full(shape, torch.nan if dtype.is_floating_point else 1, dtype=dtype)
        return boundaries.on_boundaries(self.file, values, plan.seed) if plan.boundaries else values

    def sized(self, plan: Plan) -> Any:
        """The file as it is for the sizes of a case."""
        if not plan.sizes:
            return self.file
        return SimpleNamespace(**{**vars(self.file), "ARGUMENTS": self.file.arguments(**plan.sizes)})

    def tried(self, plan: Plan, values: Mapping[str, torch.Tensor]) -> Tried:
        """Hold the kernel to what is right on these inputs."""
        began = time.monotonic()
        file = self.sized(plan)
        laid = lay(file, values, plan.seed)
        if not plan.sizes:
            self.coverage.add(values)
        self._send(plan, laid)
        generated = None if plan.sizes and getattr(file, "BASELINE_SIZES", None) else self._generated(file, laid)
        took = time.monotonic() - began
        told, parts = self._received("its launch", self.asked.limit or max(PATIENCE, 30 * took))
        if told.get("blocks"):
            self.note("launched under its own blocks: the launcher does not take those of the check")
        for sentence in told.get("notes", ()):
            self.note(sentence)
        found = self._held(plan, file, laid, told, parts, generated)
        case = replace(found.case, name=plan.name, seconds=round(time.monotonic() - began, 3))
        return replace(found, case=case)

    def _expected(self, file: Any, laid: Laid, exact: bool = False) -> tuple[torch.Tensor, ...]:
        try:
            return tuple(alone.expected(file, laid.on(alone.DEVICE), exact=exact))
        except Exception as error:
            text = " ".join(str(error).split())[:300]
            raise LabError(f"the reference in {self.path} does not run: {type(error).__name__}: {text}") from error

    def _generated(self, file: Any, laid: Laid) -> _Generated:
        views = laid.on(alone.DEVICE)
        blocks = file.INTERPRETER["launch_generated"] if alone.INTERPRETING else {}
        if not alone.INTERPRETING:
            file.launch_generated(*views.values(), **blocks)
            return _Generated(views, frozenset(), frozenset())
        with Watch(views) as watch:
            try:
                file.launch_generated(*views.values(), **blocks)
            except (Exception, NotJudged) as error:
                text = " ".join(str(error).split())[:300]
                raise LabError(
                    f"{self.path} can not be judged on {device()}: Inductor's own kernel does not run: {type(error).__name__}: {text}"
                ) from error
        stored = frozenset(name for name in views if bool((watch.writer(name)[0] >= 0).any()))
        return _Generated(views, frozenset((fault.kind, fault.tensor) for fault in watch.faults), stored)

    # ---- what is wrong

    def _held(
        self,
        plan: Plan,
        file: Any,
        laid: Laid,
        told: Mapping[str, Any],
        parts: list[bytearray],
        generated: _Generated | None,
    ) -> Tried:
        if error := told.get("error"):
            return self._does_not_run(error)
        after = laid.after(parts)
        message = strayed(file, laid, parts) or _trespassed(told, generated, file, laid)
        if not message and generated and not plan.measured and generated.equals(after, file.WRITTEN):
            return Tried(Case("", True, {}, "to the bit what the generated kernel computes"), "eager", 0.0)
        eager = self._expected(file, laid) if file.reference else None
        exact = self._expected(file, laid, exact=True) if file.reference else None
        findings = []
        for number, name in enumerate(file.WRITTEN):
            out = after[name].to(alone.DEVICE)
            mine = generated.views[name] if generated else None
            if eager is None or exact is None:
                findings.append(_against_generated(out, mine))
                continue
            want, ideal = (each[number].reshape(out.shape) for each in (eager, exact))
            nearby = Nearby(file, laid, number, out.shape)
            findings.append(
                (
                    limits.compared(out, want, ideal, mine, nearby.nudged, nearby.moved, nearby.flushed),
                    (out, want, ideal),
                )
            )
        worst = max(findings, key=lambda one: alone.nearness(one[0].errors["hand"], one[0].limit))[0]
        against = "generated" if any(one.against == "generated" for one, _ in findings) else "eager"
        against = against if file.reference else "generated"
        agrees = all(one.errors["generated"] <= one.limit for one, _ in findings)
        tried = Tried(Case("", not message, worst.errors, message), against, worst.limit, agrees=agrees)
        for name, (found, results) in zip(file.WRITTEN, findings, strict=True):
            if found.message and not tried.written:
                text = message or f"{name} {found.message}"
                return replace(
                    tried,
                    case=replace(tried.case, passed=False, message=text),
                    written=name,
                    wrong=found.wrong,
                    results=results,
                )
        return tried

    def _does_not_run(self, error: Mapping[str, Any]) -> Tried:
        if NOT_JUDGED in error["text"]:
            text = error["text"].partition(NOT_JUDGED)[2].strip(": '\")")
            raise LabError(f"{self.path} is {NOT_JUDGED}: {text}")
        message = f"it does not run: {in_words(error)}"
        errors = {"hand": float("inf"), "generated": 0.0, "eager": 0.0}
        return Tried(Case("", False, errors, message), "eager", 0.0)

    # ---- where

    def where(self, tried: Tried, values: Mapping[str, torch.Tensor]) -> dict[str, Any]:
        """The first wrong element and what the wrong ones have in common, and who wrote it; empty where no element is wrong."""
        if tried.wrong is None or not bool(tried.wrong.any()):
            return {}
        out, want, ideal = (each.cpu() for each in tried.results)
        found = asdict(pattern.where(out, want, ideal, tried.wrong.cpu(), values))
        place = int(tried.wrong.reshape(-1).nonzero()[0])
        wire.send(self.channel, {"who": tried.written, "places": [place]})
        told, _ = self._received("it is asked who wrote an element")
        return {"tensor": tried.written, **found, **(told["wrote"][0] if told["wrote"] else {})}

    def smallest(self, plan: Plan, values: Mapping[str, torch.Tensor]) -> tuple[dict[str, torch.Tensor], str]:
        """Simpler inputs on which it still fails, and what they are in words."""
        return smallest.reduced(self.file.ARGUMENTS, values, lambda simpler: not self.tried(plan, simpler).case.passed)

    # ---- the other process

    def _send(self, plan: Plan, laid: Laid) -> None:
        asked = {"config": dict(plan.blocks), "doubled": plan.doubled, "tensors": laid.layout, "choice": plan.choice}
        try:
            wire.send(self.channel, asked, [memory.numpy().data for memory in laid.memories])
        except wire.ClosedError as error:
            raise EndedError from error

    def _received(self, doing: str, limit: float = PATIENCE) -> tuple[dict[str, Any], list[bytearray]]:
        self.channel.settimeout(limit)
        try:
            return wire.receive(self.channel)
        except TimeoutError as error:
            raise HangsError(f"{doing} did not end within {limit:.0f} s") from error
        except wire.GarbledError as error:
            raise HangsError(
                f"{doing} is answered by what is no answer: the file changes how its process speaks"
            ) from error
        except wire.ClosedError as error:
            raise EndedError from error

    def note(self, sentence: str) -> None:
        """Say something once."""
        if sentence not in self.notes:
            self.notes.append(sentence)


class EndedError(Exception):
    """The process that runs the kernel has ended."""


class HangsError(Exception):
    """It does not answer."""


@dataclass(frozen=True)
class _Generated:
    """What Inductor's kernel made of the inputs, and what it did on the way."""

    views: Mapping[str, torch.Tensor]
    faults: frozenset[tuple[str, str]]
    stored: frozenset[str]

    def equals(self, after: Mapping[str, torch.Tensor], written: Iterable[str]) -> bool:
        """Whether another kernel left the same in every tensor, NaN and the sign of 0 included."""
        whole = {1: torch.uint8, 2: torch.int16, 4: torch.int32, 8: torch.int64}

        def bits(x: torch.Tensor) -> torch.Tensor:
            return x.contiguous().cpu().view(whole[x.element_size()])

        return all(torch.equal(bits(after[name]), bits(self.views[name])) for name in written)


def _against_generated(
    out: torch.Tensor, mine: torch.Tensor | None
) -> tuple[limits.Finding, tuple[torch.Tensor, torch.Tensor, torch.Tensor]]:
    """There is no reference: sums may be taken in another order than the generated kernel's, no more."""
    assert mine is not None
    limit = 4 * torch.finfo(out.dtype).eps + 64 * torch.finfo(torch.float32).eps if out.is_floating_point() else 0.0
    ideal = mine.double() if out.is_floating_point() else mine
    far = alone.distance(out, mine, ideal)
    wrong = None
    if far > limit:
        scale = ideal[torch.isfinite(ideal)].abs().max() if ideal.is_floating_point() and ideal.numel() else 1.0
        wrong = ~((out.double() - ideal.double()).abs() <= limit * scale) & ~(
            (out == mine) | (out.isnan() & mine.isnan())
        )
    message = f"is {far:.2e} from what the generated kernel computes, the limit {limit:.2e}" if far > limit else ""
    errors = {"hand": far, "generated": 0.0, "eager": 0.0}
    return limits.Finding(errors, limit, wrong, message, "generated"), (out, mine, ideal)


def _trespassed(told: Mapping[str, Any], generated: _Generated | None, file: Any, laid: Laid) -> str:
    """What the kernel or its launcher did that no right one does, in the order of how much it explains; empty for nothing."""
    faults = [f for f in told.get("faults", ()) if not generated or (f["kind"], f["tensor"]) not in generated.faults]
    if faults:
        return str(faults[0]["message"])
    if told["did"]:
        return str(told["did"][0])
    writable = {laid.layout[name]["memory"] for name in file.WRITTEN}
    read_only = [name for name, how in laid.layout.items() if how["memory"] not in writable]
    stored = {*told.get("stored", ()), *told["changed"]} - (generated.stored if generated else frozenset())
    return next(
        (f"it changed {name}, which it must only read, and put it back" for name in read_only if name in stored), ""
    )


def device() -> str:
    """Where kernels run."""
    return str(torch.cuda.get_device_name()) if alone.DEVICE == "cuda" else "Triton's interpreter on the CPU"


def first(cases: Iterable[Case]) -> Case | None:
    """The first case that failed."""
    return next((case for case in cases if not case.passed), None)
