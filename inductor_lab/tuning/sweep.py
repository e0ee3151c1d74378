"""The sweep: compile, leave out, time, verify, write."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from types import ModuleType

import inductor_lab
from inductor_lab.ejected import load, seen, write_over
from inductor_lab.errors import LabError
from inductor_lab.gpus import Card, card_of
from inductor_lab.machine import gpu_meant, need_triton, present_gpu, target_named
from inductor_lab.records import Candidate, Tuning
from inductor_lab.tuning.checked import Check
from inductor_lab.tuning.evidence import evidence
from inductor_lab.tuning.facts import compiled, pointless, pruned, rank
from inductor_lab.tuning.results import Results, name_of
from inductor_lab.tuning.settings import identity, rewritten, stated, told
from inductor_lab.tuning.space import around, distance
from inductor_lab.tuning.timing import LAST, SECOND, Clock, Rival

Progress = Callable[[str], None]
LIMIT = 40
"""Configurations that are tried unless more are asked for."""
NOT_TIMED = (
    "Nothing was timed: there is no such GPU here. The order is by what the compiler made of each for {gpu}: spills, width of the loads, "
    "occupancy."
)
ORDER = ("chosen", "refused", "timed", "ranked", "dropped")


@dataclass
class Sweep:
    """One file under one card."""

    path: Path
    module: ModuleType
    present: Mapping[str, int]
    gpu: str
    card: Card
    results: Results
    progress: Progress
    notes: list[str] = field(default_factory=list)

    def facts(self, wanted: Sequence[Mapping[str, int]], limit: int) -> tuple[list[Candidate], int]:
        """What the compiler makes of each configuration, the present one first, with why it is dropped; how many are beyond the limit."""
        reasons = [pointless(self.module, settings, self.present, self.card) for settings in wanted]
        if reasons[0]:
            raise LabError(f"{self.path} can not be tuned from {told(self.present)}: {reasons[0]}.")
        tried = [settings for settings, why in zip(wanted, reasons, strict=True) if not why]
        found = []
        for number, settings in enumerate(tried[:limit], 1):
            if name_of(settings) not in self.results.compiled:
                self.progress(f"compiling {number} of {min(limit, len(tried))}: {told(settings)}")
                self.results.add("compiled", compiled(self.module, settings, self.gpu, self.card))
            found.append(self.results.compiled[name_of(settings)])
        if found[0].outcome == "dropped":
            raise LabError(f"{self.path} can not be tuned from {told(self.present)}: {found[0].why}.")
        found = pruned(found, self.present)
        found += [Candidate(settings, "dropped", why) for settings, why in zip(wanted, reasons, strict=True) if why]
        return found, max(len(tried) - limit, 0)

    def timed(self, found: Sequence[Candidate], seconds: float) -> tuple[list[Candidate], list[Rival]]:
        """The candidates with their times, and the best of them against the present one."""
        clock = Clock(self.path, self.module, self.results)
        own, *others = clock.short([one for one in found if one.outcome != "dropped"], self.progress)
        if own.outcome == "dropped":
            raise LabError(f"{self.path} can not be tuned from {told(self.present)}: {own.why}")
        running = sorted((one for one in others if one.outcome == "timed"), key=_median)
        self.progress(f"timing the best {min(SECOND, len(running))}, longer")
        best = sorted(clock.longer(running[:SECOND]), key=_median)
        self.progress(f"timing the best {min(LAST, len(best))} against the present one")
        rivals = clock.last(best[:LAST], self.present, seconds) if best else []
        times = {name_of(one.settings): one for one in (own, *others, *best)}
        for rival in rivals:
            one = times[name_of(rival.settings)]
            times[name_of(rival.settings)] = replace(one, timing=rival.timing)
            times[name_of(self.present)] = replace(own, timing=rival.before)
        return [times.get(name_of(one.settings), one) for one in found], rivals


def tune(
    path: str | Path,
    *,
    gpu: str = "auto",
    limit: int = LIMIT,
    write: bool | None = None,
    fresh: bool = False,
    seconds: float = 1.0,
    progress: Progress = lambda step: None,
) -> Tuning:
    """Find the best configuration of an ejected file's `launch`, and write it there.

    Args:
        gpu: For another card than the one that is here nothing is timed.
        limit: Configurations to try, the nearest to the present one first.
        write: Whether the file is changed; unless given, where times speak for it.
        fresh: Begin anew: leave what an earlier run has found.
        seconds: How long each configuration of the last round is timed.

    Raises:
        LabError: it is no ejected file, states no configuration, does not compile or run, or there is no such GPU.
    """
    file = seen(Path(path))
    said = stated(file.text, str(path))
    need_triton()
    module = load(path).module
    captured_for = str(getattr(module, "ORIGIN", {}).get("arch", ""))
    meant = gpu_meant(gpu, captured_for)
    here = present_gpu() if gpu in ("auto", "real") else None
    device, card = _device(here, meant)
    results = Results(Path(path), _key(file.text, device), fresh=fresh)
    sweep = Sweep(Path(path), module, said.present, meant, card, results, progress)

    found, left_out = sweep.facts(around(said), limit)
    rivals: list[Rival] = []
    if here:
        found, rivals = sweep.timed(found, seconds)
    else:
        sweep.notes.append(NOT_TIMED.format(gpu=device))
    writes = bool(here) if write is None else write
    check = Check(file.text, results, progress) if here or writes else None
    chosen, found, failed = _chosen(found, rivals, said.present, check, timed=bool(here))
    rival = next((one for one in rivals if one.settings == chosen), None)
    changed = writes and chosen != said.present
    tried = sum(one.outcome != "dropped" for one in found)
    if changed:
        reason = evidence(device, said.present, chosen, rival, tried, len(found))
        write_over(file, rewritten(file.text, chosen, reason))
    before = next((one.before for one in rivals), None)
    verdict = "same" if here else "untimed"
    if failed and chosen == said.present:
        verdict = "refused"
    elif here and chosen != said.present:
        verdict = "faster"
    return Tuning(
        verdict, str(path), device, bool(here), said.present, chosen, before,
        rival.timing if rival else before, rival.ratio if rival else None, rival.interval if rival else None,
        rival.noise if rival else None, changed, tuple(_ordered(found, said.present)), results.begun,
        left_out, tuple(sweep.notes),
    )  # fmt: skip


def _device(here: str | None, meant: str) -> tuple[str, Card]:
    """What the card is called, and its row."""
    if not here:
        card = card_of(meant, target_named(meant).name)
        return meant, card
    import torch

    name = torch.cuda.get_device_name()
    return name, card_of(name, here)


def _key(text: str, device: str) -> str:
    import torch
    import triton

    versions = [inductor_lab.__version__, torch.__version__, triton.__version__]
    return hashlib.sha256(json.dumps([identity(text), device, *versions]).encode()).hexdigest()[:16]


def _chosen(
    found: list[Candidate],
    rivals: Sequence[Rival],
    present: Mapping[str, int],
    check: Check | None,
    *,
    timed: bool,
) -> tuple[Mapping[str, int], list[Candidate], bool]:
    """The best configuration that verifies, the candidates with what was refused, and whether any was."""
    better = [one.settings for one in rivals if one.verdict == "faster"]
    if not timed:
        ranked = [one for one in found if one.outcome != "dropped"]
        ranked.sort(key=lambda one: rank(one, distance(one.settings, present)))
        better = [one.settings for one in ranked]
        better = better[: better.index(present)]
    outcomes: dict[str, tuple[str, str]] = {}
    best = present
    for settings in better:
        wrong = check.wrong(settings) if check else ""
        if not wrong:
            best = settings
            break
        outcomes[name_of(settings)] = ("refused", wrong)
    refused = bool(outcomes)
    outcomes[name_of(best)] = ("chosen", "")
    told_ = [
        replace(one, outcome=outcomes[name][0], why=outcomes[name][1])
        if (name := name_of(one.settings)) in outcomes
        else one
        for one in found
    ]
    return best, told_, refused


def _ordered(found: Sequence[Candidate], present: Mapping[str, int]) -> list[Candidate]:
    """The best first, what was dropped last."""

    def place(one: Candidate) -> tuple[float, ...]:
        time = _median(one) if one.timing else float("inf")
        return (ORDER.index(one.outcome), time, *rank(one, distance(one.settings, present)))

    return sorted(found, key=place)


def _median(one: Candidate) -> float:
    assert one.timing is not None
    return one.timing.median
