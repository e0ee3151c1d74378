"""Contestants by the names that `--against` takes, each as a function that runs on the tensors of the file that is timed."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from types import ModuleType
from typing import Any

from inductor_lab.contest import compiled
from inductor_lab.contest.given import function_named, other_file
from inductor_lab.contest.refusal import RefusedError
from inductor_lab.ejected import load
from inductor_lab.errors import LabError
from inductor_lab.timing.eager import Bound, eager_form
from inductor_lab.timing.measure import Function

RETURNS = "It writes to memory of its own."
FROM_EAGER = ("eager", "torchscript", *compiled.INDUCTOR)
"""What is made of the eager form that the file holds."""
NAMES = ("generated", *FROM_EAGER)
"""What `--against` takes, besides module:function and other ejected files."""


@dataclass(frozen=True)
class Contestant:
    """One that runs."""

    name: str
    function: Function
    again: Function
    """The same, made once more: the difference between both is noise."""
    returns: bool
    """It returns tensors, rather than writing where the kernel does."""
    notes: tuple[str, ...] = ()


def check_named(who: str) -> None:
    """A name that says nobody is told at once, before anything is compiled or timed.

    Raises:
        LabError: it is none of the names, no module:function, no file that is there.
    """
    if who in NAMES:
        return
    if ":" in who:
        function_named(who)
    elif not who.endswith(".py"):
        raise LabError(
            f"There is no {who} to compare with; --against takes {', '.join(NAMES)}, module:function or another ejected file."
        )
    elif not Path(who).is_file():
        raise LabError(
            f"There is no file {who} to compare with; --against takes an ejected file of the same arguments."
        )


def entered(who: str, path: Path, module: ModuleType, tensors: Sequence[Any]) -> Contestant:
    """A contestant on the tensors of an ejected module.

    Raises:
        RefusedError: it can not take part, and why.
    """
    named = dict(zip(module.ARGUMENTS, tensors, strict=True))
    taken = [named[name] for name in module.TAKES]
    if who in FROM_EAGER:
        (function, notes), (again, _) = (_made(who, path, named) for _ in range(2))
        return Contestant(who, function, again, True, (*notes, RETURNS))
    if ":" in who:
        function = Bound(function_named(who), taken)
        return Contestant(who, function, function, True, (RETURNS,))
    functions = [Bound(other_file(Path(who), module), tensors) for _ in range(2)]
    return Contestant(who, functions[0], functions[1], False)


def _made(who: str, path: Path, named: Mapping[str, Any]) -> tuple[Function, tuple[str, ...]]:
    """What a name makes of the file's eager form, imported anew: what is compiled once must not be compiled a second time for another setting.

    Raises:
        RefusedError: it can not be made.
    """
    module = load(path).module
    form = eager_form(module, named)
    if form is None:
        raise RefusedError("the file has no reference to make it of")
    function, notes = _of(who, form)
    name = "reference" if form.function is module.reference else "aten"
    return Bound(function, form.tensors), (*notes, f"What runs is the file's `{name}`.")


def _of(who: str, form: Bound) -> tuple[Callable[..., object], tuple[str, ...]]:
    if who == "eager":
        return form.function, ()
    if who == "torchscript":
        return compiled.torchscript(form.function, form.tensors)
    return compiled.inductor(form.function, who), ()
