"""The sweep: compile, leave out, time, verify, write."""

from __future__ import annotations

import hashlib
import json
import tempfile
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, fields, replace
from datetime import UTC, datetime
from functools import cached_property
from math import inf
from pathlib import Path
from types import ModuleType

import inductor_lab
from inductor_lab.ejected import load
from inductor_lab.errors import LabError
from inductor_lab.files import seen, write_over
from inductor_lab.gpus import Card, card_of
from inductor_lab.judge.inputs.cases import OWN_BLOCKS
from inductor_lab.machine import gpu_meant, need_triton, present_gpu, target_named
from inductor_lab.measure.tuning.candidates import (
    LAST,
    SECOND,
    Clock,
    Results,
    Rival,
    compiled,
    name_of,
    pointless,
    pruned,
    rank,
)
from inductor_lab.measure.tuning.settings import Stated, around, distance, identity, rewritten, stated, told
from inductor_lab.quantity import took
from inductor_lab.records import Candidate, Tuning
from inductor_lab.verify import verify

Progress = Callable[[str], None]
Wrong = Callable[[Mapping[str, int]], str]
"""Why a configuration does not compute the same; empty where it does."""
LIMIT = 40
"""Configurations that are tried unless more are asked for."""
NOT_TIMED = (
    "Nothing was timed: there is no such GPU here. The order is by what the compiler made of each for {gpu}: spills, idle threads, "
    "idle multiprocessors, width of the loads, occupancy."
)
ORDER = ("chosen", "refused", "timed", "ranked", "dropped")


@dataclass
class Tuned:
    """What came of the search."""

    chosen: Mapping[str, int]
    rivals: Sequence[Rival] = ()
    """Of the last round that was timed."""
    tried: dict[str, Candidate] = field(default_factory=dict)
    """Configuration -> what was found, by `name_of`."""
    beyond: set[str] = field(default_factory=set)
    """Configurations that were beyond the limit, by `name_of`."""
    refused: bool = False
    """Whether one that was better did not verify."""

    @property
    def left_out(self) -> int:
        """Configurations that were never tried."""
        return len(self.beyond - self.tried.keys())


@dataclass
class Sweep:
    """One file under one card."""

    path: Path
    module: ModuleType
    present: Mapping[str, int]
    """What others are held against: the file's, and where nothing is timed the best so far."""
    gpu: str
    """What is compiled for."""
    device: str
    card: Card
    here: bool
    """Whether the card is the one of this machine, so that there are times."""
    results: Results
    progress: Progress
    compiled: set[str] = field(default_factory=set)
    """The configurations that were compiled, now or before."""
    which: str = "hand"
    """The kernel: `hand` or `generated`."""

    @cached_property
    def clock(self) -> Clock:
        return Clock(self.path, self.module, self.results, self.which)

    def facts(self, wanted: Sequence[Mapping[str, int]], limit: int) -> tuple[list[Candidate], list[Mapping[str, int]]]:
        """What the compiler makes of each configuration, the present one first, with why it is dropped; those beyond the limit."""
        reasons = [pointless(self.module, settings, self.present, self.card, self.which) for settings in wanted]
        if reasons[0]:
            raise LabError(f"{self.path} can not be tuned from {told(self.present)}: {reasons[0]}.")
        tried = [settings for settings, why in zip(wanted, reasons, strict=True) if not why]
        found = []
        for number, settings in enumerate(tried[:limit], 1):
            if name_of(settings) not in self.results.compiled:
                self.progress(f"compiling {number} of {min(limit, len(tried))}: {told(settings)}")
                self.results.add("compiled", compiled(self.module, settings, self.gpu, self.card, self.which))
            found.append(self.results.compiled[name_of(settings)])
        if found[0].outcome == "dropped":
            raise LabError(f"{self.path} can not be tuned from {told(self.present)}: {found[0].why}.")
        self.compiled.update(name_of(one.settings) for one in found)
        found = pruned(found, self.present)
        found += [Candidate(settings, "dropped", why) for settings, why in zip(wanted, reasons, strict=True) if why]
        return found, tried[limit:]

    def timed(self, found: Sequence[Candidate], seconds: float) -> tuple[list[Candidate], list[Rival]]:
        """The candidates with their times, and the best of them against the present one."""
        clock = self.clock
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

    def chosen(
        self, found: Sequence[Candidate], rivals: Sequence[Rival], wrong: Wrong
    ) -> tuple[Mapping[str, int], list[Candidate], bool]:
        """The best configuration that computes the same, the candidates with what was refused, and whether any was."""
        best, outcomes = self.present, dict[str, tuple[str, str]]()
        for settings in self.better(found, rivals):
            if not (why := wrong(settings)):
                best = settings
                break
            outcomes[name_of(settings)] = ("refused", why)
        refused = bool(outcomes)
        outcomes[name_of(best)] = ("chosen", "")

        def told_of(one: Candidate) -> Candidate:
            outcome, why = outcomes.get(name_of(one.settings), (one.outcome, one.why))
            return replace(one, outcome=outcome, why=why)

        return best, [told_of(one) for one in found], refused

    def tuned(
        self,
        said: Stated,
        limit: int,
        seconds: float,
        wrong: Wrong,
        wanted: Callable[[Stated], list[dict[str, int]]] = around,
    ) -> Tuned:
        """Each kernel's best configuration, one kernel after the other.

        Where nothing is timed, what is tried moves on to around the best until none around it is better.

        Args:
            wanted: Configurations to try, the present one first.
        """
        tuned = Tuned(said.present)
        for part in said.parts:
            around_best = True
            while around_best:
                found, more = self.facts(wanted(replace(part, present=self.present)), limit)
                if self.here:
                    found, tuned.rivals = self.timed(found, seconds)
                tuned.chosen, found, refused = self.chosen(found, tuned.rivals, wrong)
                tuned.refused |= refused
                tuned.tried |= {name_of(one.settings): one for one in found}
                tuned.beyond |= set(map(name_of, more))
                around_best = not self.here and tuned.chosen != self.present
                self.present = tuned.chosen
        return tuned

    def better(self, found: Sequence[Candidate], rivals: Sequence[Rival]) -> list[Mapping[str, int]]:
        """What is better than the present configuration, the best first: by its times, or by rank where there are none."""
        if self.here:
            return [one.settings for one in rivals if one.compared.verdict == "faster"]
        ranked = sorted((one for one in found if one.outcome != "dropped"), key=self._rank)
        settings = [one.settings for one in ranked]
        return settings[: settings.index(self.present)]

    def verdict(self, changed: bool, refused: bool) -> str:
        """What `Tuning.verdict` says."""
        if refused and not changed:
            return "refused"
        if not self.here:
            return "untimed"
        return "faster" if changed else "same"

    def ordered(self, found: Sequence[Candidate]) -> list[Candidate]:
        """The best first, what was dropped last."""

        def place(one: Candidate) -> tuple[float, ...]:
            return (ORDER.index(one.outcome), _median(one) if one.timing else inf, *self._rank(one))

        return sorted(found, key=place)

    def _rank(self, one: Candidate) -> tuple[float, ...]:
        return rank(one, self.card, distance(one.settings, self.present))


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

    A span's kernels are tuned one after the other. Where nothing is timed, what is tried moves on to around the best until none around it is
    better: another run then finds nothing more.

    Args:
        gpu: For another card than the one that is here nothing is timed.
        limit: Configurations to try around one, the nearest to it first.
        write: Whether the file is changed; unless given, where times speak for it.
        fresh: Begin anew: leave what an earlier run has found.
        seconds: How long each configuration of the last round is timed.

    Raises:
        LabError: it is no ejected file, states no configuration, does not compile or run, or there is no such GPU.
    """
    file = seen(Path(path))
    said = stated(file.text, str(path))
    sweep = begun(Path(path), file.text, said, gpu, fresh, progress)
    if not sweep.here and "tl.dot(" in file.text:  # no fact tells what smaller tiles of a product read again
        said = replace(said, fixed=said.fixed | {name for name in said.present if "BLOCK" in name})
    writes = sweep.here if write is None else write
    check = Check(file.path, file.text, sweep.results, progress) if sweep.here or writes else None
    tuned = sweep.tuned(said, limit, seconds, check.wrong if check else lambda settings: "")
    chosen, rivals, found = tuned.chosen, tuned.rivals, list(tuned.tried.values())
    if sweep.here and len(said.apart) > 1 and chosen != said.present:  # all of it, against what the file states
        rivals = sweep.clock.last([tuned.tried[name_of(chosen)]], said.present, seconds)
    rival = next((one for one in rivals if one.settings == chosen), None)
    if written := writes and chosen != said.present:
        timed = sum(one.timing is not None for one in found)
        because = evidence(
            sweep.device, said.present, chosen, rival, timed if rival else len(sweep.compiled), len(found) + tuned.left_out,
            elsewhere=check is not None and name_of(chosen) in check.elsewhere,
        )  # fmt: skip
        write_over(file, rewritten(file.text, chosen, because))
    before = next((one.before for one in rivals), None)
    return Tuning(
        sweep.verdict(chosen != said.present, tuned.refused), str(path), sweep.device, sweep.here, said.present, chosen, before,
        rival.timing if rival else before, rival.compared.ratio if rival else None, rival.compared.interval if rival else None,
        rival.compared.noise if rival else None, written, tuple(sweep.ordered(found)), sweep.results.begun, tuned.left_out,
        () if sweep.here else (NOT_TIMED.format(gpu=sweep.device),),
    )  # fmt: skip


def begun(path: Path, text: str, said: Stated, gpu: str, fresh: bool, progress: Progress, which: str = "hand") -> Sweep:
    """The sweep of a file, imported, for a card, with what earlier runs have found."""
    need_triton()
    module = load(path).module
    meant = gpu_meant(gpu, str(getattr(module, "ORIGIN", {}).get("arch", "")))
    device, card, here = _device(gpu, meant)
    results = Results(path, _key(text, device, which), fresh=fresh)
    return Sweep(path, module, said.present, meant, device, card, here, results, progress, which=which)


def _device(gpu: str, meant: str) -> tuple[str, Card, bool]:
    """What the card is called, its row, and whether it is the one that is here."""
    asked = card_of(meant, target_named(meant).name)
    arch = present_gpu()
    if arch is None:
        return meant, asked, False
    import torch

    name = torch.cuda.get_device_name()
    here = card_of(name, arch)
    if gpu in ("auto", "real") or (here == asked and arch == target_named(meant).name):
        return name, here, True
    return meant, asked, False


def _key(text: str, device: str, which: str) -> str:
    import torch
    import triton

    versions = [inductor_lab.__version__, torch.__version__, triton.__version__]
    of = [identity(text)] if which == "hand" else [identity(text), which]
    facts = [fact.name for fact in fields(Candidate)]  # what an older version kept may lack some
    return hashlib.sha256(json.dumps([*of, device, *versions, *facts]).encode()).hexdigest()[:16]


def _median(one: Candidate) -> float:
    assert one.timing is not None
    return one.timing.median


def evidence(
    device: str,
    present: Mapping[str, int],
    chosen: Mapping[str, int],
    rival: Rival | None,
    tried: int,
    of: int,
    elsewhere: bool,
) -> str:
    """What speaks for a configuration, as the sentence that stands above `launch`: when, where, what against what, and what was measured.

    Args:
        elsewhere: Whether it was verified under other blocks than these.
    """
    import torch
    import triton

    when = f"{datetime.now(UTC):%Y-%m-%d}, {device}, torch {torch.__version__}, triton {triton.__version__}"
    changed = {name: value for name, value in chosen.items() if value != present[name]}
    was = {name: present[name] for name in changed}
    if rival is None:
        return (
            f"{when}: {told(changed)} (was {told(was)}) by what the compiler made of {tried} of {of} configurations; nothing was timed. "
            + ("Verified under larger blocks, which the interpreter is faster at." if elsewhere else "Verified.")
        )
    low, high = rival.compared.interval
    return (
        f"{when}: {told(changed)} (was {told(was)}), the fastest of {of} configurations, {tried} of them timed: {took(rival.timing)}, "
        f"before {took(rival.before)}; {rival.compared.ratio:.3f}x (95 %: {low:.3f} to {high:.3f}). Verified."
    )


class Check:
    """Does the kernel still compute what eager computes under another configuration? A copy of the file is judged, never the file itself.

    What failed once is not asked again.
    """

    def __init__(self, path: Path, text: str, results: Results, progress: Callable[[str], None]) -> None:
        self.path, self.text, self.results, self.progress = path.resolve(), text, results, progress
        self.elsewhere: set[str] = set()
        """Configurations that verified under other blocks, since their own are many programs and there is no GPU."""

    def wrong(self, settings: Mapping[str, int]) -> str:
        """Why a configuration does not verify; empty where it does."""
        known = self.results.measured.get(name_of(settings))
        if known and known.outcome == "refused":
            return known.why
        with tempfile.TemporaryDirectory() as folder:
            copy = Path(folder) / self.path.name
            copy.write_text(rewritten(self.text, settings), encoding="utf-8")
            self._with_its_neighbours(Path(folder))
            found = verify(copy, progress=lambda case: self.progress(f"verifying {told(settings)}: {case}"))
        if found.verdict == "pass":
            if "interpreter" in found.device and OWN_BLOCKS not in (case.name for case in found.cases):
                self.elsewhere.add(name_of(settings))
            return ""
        first = next((case for case in found.cases if not case.passed), None)
        why = f"it does not verify: {first.name}: {first.message}" if first else "it does not verify"
        before = known or Candidate(settings, "refused")
        self.results.add("measured", Candidate(settings, "refused", why, timing=before.timing))
        return why

    def _with_its_neighbours(self, folder: Path) -> None:
        """What the file names and lies beside it, such as the inputs that its launch was given."""
        for neighbour in self.path.parent.iterdir():
            if neighbour != self.path and neighbour.is_file() and neighbour.name in self.text:
                (folder / neighbour.name).symlink_to(neighbour)
