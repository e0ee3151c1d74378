"""One file under judgement: inputs are drawn, what is right is worked out, the other process runs the kernel, and what it wrote is compared."""

from __future__ import annotations

import gc
import math
import socket
import time
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass, replace
from functools import cached_property, partial
from pathlib import Path
from types import ModuleType, SimpleNamespace
from typing import Any

import torch

from inductor_lab.ejected import demanded, is_span
from inductor_lab.errors import SHORT, LabError, short_of_memory
from inductor_lab.judge import alone
from inductor_lab.judge.compare import limits, pattern
from inductor_lab.judge.compare.baseline import Baseline, Generated, Part, differ
from inductor_lab.judge.compare.orders import furthest_order
from inductor_lab.judge.compare.reference import Nearby, agrees_with_graph, by_graph, expected, graph_values
from inductor_lab.judge.inputs import boundaries, families
from inductor_lab.judge.inputs.cases import Asked, Plan, Time, elements, is_large, own_blocks
from inductor_lab.judge.inputs.coverage import Coverage
from inductor_lab.judge.inputs.placement import Placement, copied, place_inputs, strayed, there, with_room
from inductor_lab.judge.process.kernel_process import HangsError, answer, in_words, send
from inductor_lab.judge.watch.launcher import SEVERAL, library
from inductor_lab.judge.watch.watch import Sample, WholeNeeded
from inductor_lab.records import Case

FEW = 1 << 22
"""Elements of all arguments together that one core works through in less time than it takes to share them."""
PATIENCE = 120.0
"""Seconds."""
LONG, WHOLE = 2.0, 3.0
"""About so many seconds a case takes where there are few cases; and one in which all programs run, where some run in the others."""
NOT_JUDGED = "not judged here"
"""What a stand-in's error begins with."""
TMA = "it writes behind a tensor where Inductor's own kernel does too: a card's TMA stores whole 16 bytes"
OTHERS = "its programs own other elements than the generated kernel's"
Results = tuple[torch.Tensor, ...]
"""One tensor as the hand kernel, eager and float64 have it; or all that a kernel writes."""


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
    results: Results = ()
    """That tensor as the hand kernel, eager and float64 have it."""
    agrees: bool = True
    """False where the generated kernel itself is not what the reference says."""
    runs: bool = True
    extreme: bool = False
    """Whether eager itself overflows among such values."""


@dataclass(frozen=True)
class Launched:
    """Both kernels, run on the same inputs."""

    plan: Plan
    file: Any
    """The module, or the same for other sizes."""
    placement: Placement
    sample: Sample | None
    """The programs that ran; all for None."""
    generated: Generated | None
    """None where it is not for these sizes."""
    told: Mapping[str, Any]
    """What the process that ran the kernel tells of it."""
    parts: list[bytearray]
    """The memory that it sent back."""

    @cached_property
    def after(self) -> dict[str, torch.Tensor]:
        """The arguments as the hand kernel left them."""
        return self.placement.after(self.parts)

    def leaves_the_same(self, names: Sequence[str]) -> bool:
        """Whether both kernels leave these tensors alike, to the bit."""
        return self.generated is not None and self.generated.equals(self.after, names)


def failed_case(name: str, message: str) -> Case:
    """A case that failed without a number."""
    return Case(name, False, {"hand": math.inf, "generated": 0.0, "eager": 0.0}, message)


class Judge:
    """One file, the channel to the process that runs its kernel, and what was found so far."""

    def __init__(self, path: Path, file: ModuleType, channel: socket.socket, asked: Asked) -> None:
        self.path, self.file, self.channel, self.asked = path, file, channel, asked
        if elements(file) < FEW:
            torch.set_num_threads(1)
        limit = asked.limit or PATIENCE
        try:
            told, _ = self._received("importing it", limit)
        except HangsError as error:
            raise LabError(f"{path} can not be judged: {error}") from error
        if "error" in told:
            raise LabError(told["error"])
        self.coverage = Coverage(file)
        self.plain: Placement | None = None
        """Inputs of normal numbers, and what the reference makes of them in float64, as far as a case has asked."""
        self.exact: tuple[torch.Tensor, ...] | None = None
        self.same_graph: bool | None = None
        """Whether the graph's own form is what the reference computes; None until it was asked."""
        self.baseline = Baseline(path, file)
        self.whole = SEVERAL if is_span(file) else ""
        """Why some programs of a large launch would say nothing; empty while they do."""
        self.ran: Sample | None = None
        """The programs that ran in the last case of which some did."""
        self.notes: list[str] = []

    # ---- cases

    @cached_property
    def time(self) -> Time:
        """What there is time for."""
        if not alone.INTERPRETING:
            return Time()
        inputs = Plan("", "normal", 0)
        seconds, own = self.baseline.seen(self.placed(inputs, self.drawn(inputs)))
        return Time(is_large(self.file) or seconds > LONG, seconds <= WHOLE, own, seconds)

    def drawn(self, plan: Plan) -> dict[str, torch.Tensor]:
        """The inputs of a case, by name."""
        arguments = self.sized(plan).ARGUMENTS
        values = families.drawn(arguments, plan.family, plan.seed, plan.layout)
        for name in self.file.TAKES:  # what is written in part is given as poison
            shape, _, dtype, *_ = arguments[name]
            if name not in values:
                values[name] = torch.full(shape, torch.nan if dtype.is_floating_point else 1, dtype=dtype)
        if not plan.boundaries:
            return values

        def sought(device: str) -> dict[str, torch.Tensor]:
            given = there(values, device)
            found = boundaries.on_boundaries(self.file, given, plan.seed)
            return {name: copied(x, "cpu") for name, x in found.items() if x is not given[name]}

        return values | with_room(sought)

    def sized(self, plan: Plan) -> Any:
        """The file as it is for the sizes of a case."""
        if not plan.sizes:
            return self.file
        return SimpleNamespace(**{**vars(self.file), "ARGUMENTS": self.file.arguments(**plan.sizes)})

    def placed(self, plan: Plan, values: Mapping[str, torch.Tensor]) -> Placement:
        """The inputs of a case in memory."""
        return place_inputs(self.sized(plan), values, plan.seed)

    def tried(self, plan: Plan, values: Mapping[str, torch.Tensor], placement: Placement | None = None) -> Tried:
        """Hold the kernel to what is right on these inputs, which may lie in memory already."""
        if placement is None:
            gc.collect()  # the one before has left tensors in cycles
            placement = self.placed(plan, values)
        began, file = time.monotonic(), self.sized(plan)
        if self.plain is None and (plan.family == "normal" or self.asked.case) and not plan.sizes:
            self.plain = placement
        if not plan.sizes:
            self.coverage.add(values)
        try:
            sample = self.baseline.sample(placement, plan.seed) if plan.sampled and not self.whole else None
            found = self._tried(plan, file, placement, sample, began)
            if sample:
                self.ran = sample
        except WholeNeeded as why:
            self.whole, self.ran = str(why), None
            found = self._tried(plan, file, placement, None, began)
        case = replace(found.case, name=plan.name, seconds=round(time.monotonic() - began, 3))
        return replace(found, case=case, extreme=plan.is_extreme)

    def _tried(self, plan: Plan, file: Any, placement: Placement, sample: Sample | None, began: float) -> Tried:
        self._send(plan, placement, sample)
        by_itself = plan.sizes and getattr(file, "BASELINE_SIZES", None)
        generated = None if by_itself else self.baseline.run(file, placement, sample, plan.generated)
        took = time.monotonic() - began
        told, parts = self._received("its launch", self.asked.limit or max(PATIENCE, 30 * took))
        if told.get("short"):
            raise LabError(f"there is no verdict: in the process that runs the kernel {SHORT}")
        if why := told.get("whole"):
            raise WholeNeeded(why)
        if told.get("blocks"):
            self.note("launched under its own blocks: the launcher does not take those of the check")
        for sentence in told.get("notes", ()):
            self.note(sentence)
        return with_room(partial(self._held_on, Launched(plan, file, placement, sample, generated, told, parts)))

    def _held_on(self, launched: Launched, device: str) -> Tried:
        if device != alone.DEVICE:
            self.note("eager and float64 were computed on the CPU: the card's memory is too small for them")
        return self._held(replace(launched, placement=replace(launched.placement, device=device)))

    def _expected(self, file: Any, placement: Placement, exact: bool = False) -> tuple[torch.Tensor, ...]:
        try:
            found = expected(file, placement.read(), exact=exact)
            return tuple(x.to(placement.device) for x in found)  # what takes no tensor makes its own on the card
        except Exception as error:
            if short_of_memory(error):
                raise
            text = " ".join(str(error).split())[:300]
            raise LabError(f"the reference in {self.path} does not run: {type(error).__name__}: {text}") from error

    def agrees_with_graph(self) -> bool | None:
        """Whether the graph's own form is what the reference computes; None where the file has no such form, or no inputs were tried."""
        file = self.file
        if not file.reference or not getattr(file, "aten", None) or self.plain is None:
            return None
        if file.aten is not file.reference and self.same_graph is None:
            self.same_graph = with_room(self._same_graph)
        return self.same_graph is not False

    def _same_graph(self, device: str) -> bool:
        assert self.plain
        plain = replace(self.plain, device=device)
        exact = [x.to(device) for x in self.exact or self._expected(self.file, plain, exact=True)]
        return agrees_with_graph(self.file, plain, exact)

    # ---- what is wrong

    def _held(self, launched: Launched) -> Tried:
        plan, file, placement = launched.plan, launched.file, launched.placement
        if error := launched.told.get("error"):
            return self._does_not_run(error)
        message = self._trespass(launched)
        names = (plan.only,) if plan.only else demanded(file)
        if not message and not plan.measured and launched.leaves_the_same(names):
            return Tried(Case("", True, {}, "to the bit what the generated kernel computes"), "eager", 0.0)
        eager = self._expected(file, placement) if file.reference else None
        exact = self._expected(file, placement, exact=True) if file.reference else None
        if self.plain and placement.memories is self.plain.memories:
            self.exact = exact
        found: dict[str, tuple[limits.Finding, Results]] = {}
        for name in names:
            found[name] = self._found(launched, name, eager, exact)
            if found[name][0].message:  # how close the others are costs as much again for each, and changes nothing
                break
        if not found:  # a kernel that only asserts writes nothing
            nothing = dict.fromkeys(limits.PARTIES, 0.0)
            return Tried(Case("", not message, nothing, message), "eager", 0.0)
        findings = [finding for finding, _ in found.values()]
        worst = max(findings, key=lambda one: limits.nearness(one.errors["hand"], one.limit))
        by_generated = not file.reference or any(one.against == "generated" for one in findings)
        against = "generated" if by_generated else "eager"
        agrees = all(one.errors["generated"] <= max(one.limit, one.errors["eager"]) for one in findings)
        tried = Tried(Case("", not message, worst.errors, message), against, worst.limit, agrees=agrees)
        for name, (finding, results) in found.items():
            if finding.message:
                nothing_wrote = "".join(f": {why}" for why in launched.told.get("unwritten", ())[:1])
                text = message or f"{name} {finding.message}{nothing_wrote}"
                case = replace(tried.case, passed=False, message=text)
                return replace(tried, case=case, written=name, wrong=finding.wrong, results=results)
        return tried

    def _found(
        self, launched: Launched, name: str, eager: Results | None, exact: Results | None
    ) -> tuple[limits.Finding, Results]:
        """What is found of one tensor, and that tensor as the hand kernel, eager and float64 have it."""
        file, placement, generated = launched.file, launched.placement, launched.generated
        number = file.WRITTEN.index(name)
        out = launched.after[name].to(placement.device)
        again = partial(self.baseline.beside, file, placement, name, launched.sample)
        draws = Nearby(file, placement.read, placement.device, number, out.shape).draws(again)
        if eager is None or exact is None:
            assert generated
            mine = generated.views[name]
            return _compared(launched, name, out, None, draws, None), (out, mine, mine)
        want, ideal = (each[number].reshape(out.shape) for each in (eager, exact))
        held = partial(_compared, launched, name, out, ideal, draws)
        found = held(want)
        added_into = out.dtype in limits.NARROW and name in file.TAKES
        if found.message and not launched.sample and out.is_floating_point() and (found.few or added_into):
            furthest = furthest_order(file, placement, number, ideal)
            if furthest is not None:
                asked = furthest.isfinite() if added_into or found.wrong is None else furthest.isfinite() & found.wrong
                want = torch.where(asked, furthest.to(out.dtype), want)
                found = held(want)
        if found.message and self._is_of_the_graph(launched, out) and (graph := graph_values(file, placement)):
            found = by_graph(found, held, out, graph[number].reshape(out.shape).to(out))
        return found, (out, want, ideal)

    def _is_of_the_graph(self, launched: Launched, out: torch.Tensor) -> bool:
        """Whether the graph's own form is another one than the reference, and computes the same: for other sizes than its own it may not."""
        if launched.plan.sizes and out.is_floating_point():
            return False
        return bool(self.agrees_with_graph()) and self.file.aten is not self.file.reference

    def _trespass(self, launched: Launched) -> str:
        """What the kernel or its launcher did that no right one does, in the order of how much it explains; empty for nothing."""
        file, placement, generated, told = launched.file, launched.placement, launched.generated, launched.told
        known = generated.faults if generated else frozenset()
        faults = [x["message"] for x in told.get("faults", ()) if (x["kind"], x["tensor"]) not in known]
        if fault := _first(faults):  # with its line; which memory lay there is chance
            return fault
        message = strayed(file, placement, launched.parts, launched.sample is not None)
        if message and generated and not alone.INTERPRETING:
            message = strayed(file, placement, launched.parts, theirs=placement.memories_of(generated.views))
            if not message:
                self.note(TMA)
        if message := message or _first(told["did"]):
            return message
        writable = {placement.layout[name]["memory"] for name in file.WRITTEN}
        read_only = [name for name, how in placement.layout.items() if how["memory"] not in writable]
        stored = {*told.get("stored", ()), *told["changed"]} - (generated.stored if generated else frozenset())
        back = (f"it changed {name}, which it must only read, and put it back" for name in read_only if name in stored)
        return next(back, "")

    def _does_not_run(self, error: Mapping[str, Any]) -> Tried:
        if NOT_JUDGED in error["text"]:
            text = error["text"].partition(NOT_JUDGED)[2].strip(": '\")")
            raise LabError(f"{self.path} is {NOT_JUDGED}: {text}")
        return Tried(failed_case("", f"it does not run: {in_words(error)}"), "eager", 0.0, runs=False)

    # ---- where

    def where(self, tried: Tried, values: Mapping[str, torch.Tensor]) -> dict[str, Any]:
        """The first wrong element and what the wrong ones have in common, and who wrote it; empty where no element is wrong."""
        if tried.wrong is None or not bool(tried.wrong.any()):
            return {}
        out, want, ideal = (each.cpu() for each in tried.results)
        place = int(tried.wrong.reshape(-1).nonzero()[0])
        send(self.channel, {"who": tried.written, "place": place})
        told, parts = self._received("it is asked who wrote an element")
        blocks = told.pop("blocks")
        unwritten = torch.frombuffer(parts[0], dtype=torch.bool) if parts else None
        found = asdict(pattern.where(out, want, ideal, tried.wrong.cpu(), values, blocks, unwritten))
        return {"tensor": tried.written, **found, **told}

    # ---- the other process

    def _send(self, plan: Plan, placement: Placement, sample: Sample | None) -> None:
        blocks, doubled = (own_blocks(self.file), False) if sample else (plan.blocks, plan.doubled)
        asked = {"config": dict(blocks), "doubled": doubled, "tensors": placement.layout, "choice": plan.choice}
        asked["library"] = library(self.file)
        if sample:
            asked["sample"] = {"grid": sample.grid, "places": sorted(sample.places)}
        torch.cuda.empty_cache()  # the kernel runs in another process
        send(self.channel, asked, [memory.numpy().data for memory in placement.memories])

    def _received(self, doing: str, limit: float = PATIENCE) -> tuple[dict[str, Any], list[bytearray]]:
        return answer(self.channel, doing, limit)

    def note(self, sentence: str) -> None:
        """Say something once."""
        if sentence not in self.notes:
            self.notes.append(sentence)


def _first(sentences: Sequence[Any]) -> str:
    """Of what the other process says; one without words hides nothing behind it."""
    return next(filter(None, map(str, sentences)), "")


def _compared(
    launched: Launched, name: str, out: torch.Tensor, ideal: torch.Tensor | None, draws: limits.Draws, want: torch.Tensor | None,
    from_eager: bool = False,
) -> limits.Finding:  # fmt: skip
    """What is found of a tensor where eager has this, None where it is not known: of all, or of what the programs wrote which ran, of either kernel.

    Raises:
        WholeNeeded: what the generated kernel's programs wrote is left by the hand kernel's: another of its programs may write it.
    """
    generated, alike = launched.generated, families.are_alike(launched.plan.family, launched.plan.layout)
    mine = generated.views[name].to(out.device) if generated else None
    if not launched.sample:
        return limits.compared(out, want, ideal, mine, draws, from_eager=from_eager, alike=alike)
    assert generated and mine is not None
    wrote, changed = generated.wrote[name], differ(out, launched.placement.read()[name])
    if not bool((wrote | changed).any()):
        return limits.Finding(dict.fromkeys(limits.PARTIES, 0.0))
    part = Part.of(wrote | changed)
    if want is None or ideal is None:
        if bool((changed & ~wrote).any()):
            raise WholeNeeded(OTHERS)
        found = limits.compared(part(out), None, None, part(mine), draws.each(part))
    else:
        eager = part(want).to(out.dtype)
        hand, mine = part(out).where(part.counts, eager), part(mine).where(part(wrote), eager)
        found = limits.compared(hand, eager, part(ideal), mine, draws.each(part), part.counts, from_eager, alike)
    if found.wrong is None:
        return found
    wrong = part.marked(found.wrong, out.shape)
    if bool((wrong & wrote & ~changed).any()):
        raise WholeNeeded(OTHERS)
    return replace(found, wrong=wrong)
