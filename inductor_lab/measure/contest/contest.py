"""Times the hand kernel against every contestant in the same rounds, and checks all of them before and after."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
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
AGAIN = " again"
HAND = " hand"
"""What the times of a comparison's own hand kernel are called, behind the comparison's name."""
NEEDS_GPU = (
    "{asked} needs a GPU, and there is none here; leave it out to compare what the compiler made of both kernels."
)


class Contest:
    """Whoever takes part beside the hand and the generated kernel."""

    def __init__(self, path: Path, module: ModuleType, kernels: Prepared, launch: str = "bare") -> None:
        self.path, self.module, self.kernels, self.launch = path, module, kernels, launch
        self.settings = both(module)
        self.functions: dict[str, Function] = {}
        self.contestants: dict[str, Contestant] = {}
        self.refused: dict[str, str] = {}
        self.under: dict[str, tuple[Mapping[str, int], Mapping[str, int]]] = {}
        """`matched`, `best` -> the hand kernel's configuration and the generated one's."""
        self.notes: list[str] = []
        self.of_best: tuple[str, ...] = ()

    @cached_property
    def judge(self) -> Judge:
        return Judge(self.module, self.kernels)

    def match(self) -> None:
        """Both kernels under the generated one's configuration; a note where that can not be."""
        settings, why = matching(self.module)
        if settings is None:
            self.notes.append(why)
            return
        if settings.items() <= self.settings["hand"].items():  # the main comparison is this one
            self.under["matched"] = (self.settings["hand"], self.settings["generated"])
            return
        if wrong := self._wrong("hand", settings):
            self.notes.append(f"Under the generated kernel's configuration the hand kernel can not be timed: {wrong}.")
            return
        self.under["matched"] = ({**self.settings["hand"], **settings}, self.settings["generated"])
        self.functions["matched" + HAND] = self._launched("hand", settings)

    def find_best(self, progress: Progress) -> None:
        """Each kernel under the best configuration that a sweep finds."""
        hand, generated = (
            best_of(self.path, self.module, which, partial(self._wrong, which), progress)
            for which in ("hand", "generated")
        )
        self.of_best = (hand.note, generated.note)
        self.under["best"] = (hand.settings, generated.settings)
        again = load(self.path).module
        self.functions["best" + HAND] = self._launched("hand", hand.settings)
        self.functions["best"] = self._launched("generated", generated.settings)
        self.functions["best" + AGAIN] = self._launched("generated", generated.settings, again)

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
        self.functions[who] = made.function
        self.functions[who + AGAIN] = made.again

    def check(self) -> None:
        """Behind the timing: who computes something else now is refused."""
        for who, made in list(self.contestants.items()):
            if wrong := self._judged(who, made.function, returns=made.returns):
                self.refused[who] = f"after it was timed, {wrong}"
        for name, settings in self.under.items():
            if name + HAND not in self.functions:
                continue
            for which, own in zip(("hand", "generated"), settings, strict=True):
                if wrong := self._wrong(which, own):
                    raise LabError(
                        f"{self.path}: under {told(own)} the {which} kernel is wrong after it was timed: {wrong}."
                    )

    def results(self, found: Measured, moved: int | None) -> dict[str, Any]:
        """The fields of PerfDiff that come of it."""
        pairs = {
            "matched": (self._key("matched"), "generated", "again"),
            "best": ("best" + HAND, "best", "best" + AGAIN),
        }
        under = {
            name: paired(name, found, pairs[name], moved, settings, self.of_best if name == "best" else ())
            for name, settings in self.under.items()
        }
        return {**under, "settings": self.settings, "against": tuple(self._against(found, moved))}

    def _against(self, found: Measured, moved: int | None) -> Sequence[Paired]:
        own: tuple[Mapping[str, int], Mapping[str, int]] = (self.settings["hand"], {})
        return [
            Paired(who, "refused", notes=(f"Refused: {self.refused[who]}.",))
            if who in self.refused
            else paired(who, found, ("hand", who, who + AGAIN), moved, own, self.contestants[who].notes)
            for who in dict.fromkeys((*self.contestants, *self.refused))
        ]

    def _key(self, name: str) -> str:
        return name + HAND if name + HAND in self.functions else "hand"

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
