"""Times the hand kernel against every contestant in the same rounds, and checks all of them before and after."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property, partial
from pathlib import Path
from types import ModuleType
from typing import Any

from inductor_lab.ejected import load
from inductor_lab.errors import LabError
from inductor_lab.machine import LAUNCHERS
from inductor_lab.measure.contest.configurations import best_of, both, matching
from inductor_lab.measure.contest.contestants import Contestant, RefusedError, check_named, entered
from inductor_lab.measure.contest.correctness import CrashedError, Judge
from inductor_lab.measure.timing.kernels import Bound, Prepared, paired
from inductor_lab.measure.timing.samples import Function, Measured, first_line, recorded
from inductor_lab.measure.tuning.settings import told
from inductor_lab.records import Paired

Progress = Callable[[str], None]
NEEDS_GPU = (
    "{asked} needs a GPU, and there is none here; leave it out to compare what the compiler made of both kernels."
)


@dataclass(frozen=True)
class Pairing:
    """The hand kernel and another, by the names under which they are timed, and what each is launched under."""

    ours: str
    theirs: str
    again: str
    """Theirs, a second time."""
    settings: tuple[Mapping[str, int], Mapping[str, int]]
    notes: tuple[str, ...] = ()


class Contest:
    """Whoever takes part beside the hand and the generated kernel."""

    def __init__(self, path: Path, module: ModuleType, kernels: Prepared, launch: str = "bare") -> None:
        self.path, self.module, self.kernels, self.launch = path, module, kernels, launch
        self.settings = both(module)
        self.functions: dict[str, Function] = {}
        self.contestants: dict[str, Contestant] = {}
        self.refused: dict[str, str] = {}
        self.pairings: dict[str, Pairing] = {}
        """`matched`, `best`, and each contestant."""
        self.notes: list[str] = []

    @cached_property
    def judge(self) -> Judge:
        return Judge(self.module, self.kernels)

    def match(self) -> None:
        """Both kernels under the generated one's configuration; a note where that can not be."""
        settings, why = matching(self.module)
        if settings is None:
            self.notes.append(why)
            return
        hand, ours = self.settings["hand"], "hand"
        if not settings.items() <= hand.items():  # else the main comparison is this one
            if wrong := self._wrong("hand", settings):
                self.notes.append(
                    f"Under the generated kernel's configuration the hand kernel can not be timed: {wrong}."
                )
                return
            hand, ours = {**hand, **settings}, "matched hand"
            self.functions[ours] = self._launched("hand", settings)
        self.pairings["matched"] = Pairing(ours, "generated", "again", (hand, self.settings["generated"]))

    def find_best(self, progress: Progress) -> None:
        """Each kernel under the best configuration that a sweep finds."""
        hand, generated = (
            best_of(self.path, self.module, which, partial(self._wrong, which), progress)
            for which in ("hand", "generated")
        )
        again = load(self.path).module
        self.functions["best hand"] = self._launched("hand", hand.settings)
        self.functions["best"] = self._launched("generated", generated.settings)
        self.functions["best again"] = self._launched("generated", generated.settings, again)
        both_settings, notes = (hand.settings, generated.settings), (hand.note, generated.note)
        self.pairings["best"] = Pairing("best hand", "best", "best again", both_settings, notes)

    def enter(self, who: str) -> None:
        """One more contestant; why not, where it can not take part.

        Raises:
            CrashedError: it crashed on the GPU, and nobody can be timed any more.
        """
        self.kernels.restore()
        try:
            made = entered(who, self.path, self.module, self.kernels.tensors)
            if wrong := self._judged(who, made.function, returns=made.returns):
                raise RefusedError(wrong)
            if self.launch == "graph":
                recorded(who, made.function, self.kernels.restore)
        except CrashedError:
            raise
        except (RefusedError, LabError) as error:
            self.refused[who] = str(error)
            return
        except Exception as error:  # compiling or tracing what others wrote
            self.refused[who] = f"it can not be made ({type(error).__name__}: {first_line(error)})"
            return
        self.contestants[who] = made
        self.functions |= {who: made.function, f"{who} again": made.again}
        self.pairings[who] = Pairing("hand", who, f"{who} again", (self.settings["hand"], {}), made.notes)

    def check(self) -> None:
        """Behind the timing: who computes something else now is refused."""
        for who, made in list(self.contestants.items()):
            if wrong := self._judged(who, made.function, returns=made.returns):
                self.refused[who] = f"after it was timed, {wrong}"
        for pairing in self.pairings.values():
            if pairing.ours == "hand":  # under what the file states
                continue
            for which, own in zip(("hand", "generated"), pairing.settings, strict=True):
                if wrong := self._wrong(which, own):
                    raise LabError(
                        f"{self.path}: under {told(own)} the {which} kernel is wrong after it was timed: {wrong}."
                    )

    def results(self, found: Measured, moved: int | None) -> dict[str, Any]:
        """The fields of PerfDiff that come of it."""
        told = {
            name: paired(name, found, (one.ours, one.theirs, one.again), moved, one.settings, one.notes)
            for name, one in self.pairings.items()
        }
        told |= {who: Paired(who, "refused", notes=(f"Refused: {why}.",)) for who, why in self.refused.items()}
        under: dict[str, Any] = {name: told.pop(name) for name in ("matched", "best") if name in told}
        return {**under, "settings": self.settings, "against": tuple(told.values())}

    def _wrong(self, which: str, settings: Mapping[str, int]) -> str:
        return self._judged(
            f"the {which} kernel under {told(settings)}", self._launched(which, settings), returns=False
        )

    def _judged(self, who: str, function: Function, *, returns: bool) -> str:
        try:
            return self.judge.wrong(function, returns=returns)
        except CrashedError as error:
            raise CrashedError(f"{who} {error}") from error

    def _launched(self, which: str, settings: Mapping[str, int], module: ModuleType | None = None) -> Function:
        return Bound(getattr(module or self.module, LAUNCHERS[which]), self.kernels.tensors, settings)


def contest(
    path: Path,
    module: ModuleType,
    kernels: Prepared,
    against: Sequence[str],
    *,
    best: bool,
    progress: Progress,
    launch: str = "bare",
) -> Contest:
    """Everybody that was asked for, ready to be timed.

    Args:
        launch: The method's. Who can not be recorded is refused where it is `graph`.
    """
    made = Contest(path, module, kernels, launch)
    made.match()
    if best:
        made.find_best(progress)
    for who in dict.fromkeys(against):
        if who != "generated":
            progress(f"making {who} and checking what it computes")
            made.enter(who)
    return made


def check_asked(against: Sequence[str], *, best: bool, gpu: bool) -> None:
    """What can not be done is said before anything else is.

    Raises:
        LabError: a contestant that nobody is, or there is no GPU to time anybody on.
    """
    for who in against:
        check_named(who)
    if not gpu and (asked := "--best" if best else "--against" if set(against) - {"generated"} else ""):
        raise LabError(NEEDS_GPU.format(asked=asked))
