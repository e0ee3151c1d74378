"""The numbers that a launch passes: as Python over the symbols of its sizes, or, where no log tells them, as parameters of the launcher.

.run(..., s77*64, ...)               s77 * 64
.run(..., arg2_1.item(), ...)        arg2_1_item=1, an unbacked scalar
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass

from inductor_lab.computation.records import Computation
from inductor_lab.eject import naming
from inductor_lab.eject.device_functions import NAMES
from inductor_lab.records import Argument, Kernel, Launch
from inductor_lab.records.size import Size

LONGEST = 40
"""Characters of a name."""


@dataclass(frozen=True)
class UnbackedScalar:
    """A number that a launch passes and no log tells: the value of a tensor of one element, `arg2_1.item()`."""

    name: str
    """The launcher's parameter, `arg2_1_item`."""
    text: str
    """What the module passes."""
    tried: str
    """The value that it has unless a caller passes another."""

    def comment(self) -> str:
        return f"{self.text}: the log does not tell it, {self.tried} is tried"


def scalars(
    kernel: Kernel, launch: Launch, environment: Mapping[str, int], known: Mapping[str, int], taken: set[str]
) -> tuple[dict[str, str], dict[str, UnbackedScalar]]:
    """Parameter -> the launcher's text for a number that is passed, and those of them that the log does not tell.

    Args:
        environment: Symbol -> its value; the symbols that the launcher finds in its tensors.
        known: Those of which the graph tells the value.
        taken: Names that nothing else may have.
    """
    passed = {argument.name: argument.value for argument in launch.arguments}
    arguments = {a.name: a for a in kernel.arguments if a.role == "size" and a.name in passed}
    told = {name: _python(passed[name], environment, known) for name in arguments}
    unbacked = _unbacked(
        {name: passed[name] for name, text in told.items() if text is None},
        arguments,
        taken | naming.RESERVED | NAMES | set(environment),
    )
    return {name: unbacked[name].name if text is None else text for name, text in told.items()}, unbacked


def _python(text: str, environment: Mapping[str, int], known: Mapping[str, int]) -> str | None:
    """A number that the launch passes, as Python over the symbols; None for a value of the program's run."""
    if re.fullmatch(r"-?\d+(\.\d*)?(e-?\d+)?", text):
        return text
    named = re.sub(
        r"\b[A-Za-z_]\w*\b",
        lambda found: str(known[found[0]]) if found[0] in known and found[0] not in environment else found[0],
        text,
    )
    try:
        size = Size.of(named)
        size.bound(environment)
    except ValueError:
        return None
    return size.python


def _unbacked(
    passed: Mapping[str, str], arguments: Mapping[str, Argument], taken: set[str]
) -> dict[str, UnbackedScalar]:
    """A name and a value for each, by parameter; what is passed twice has one name.

    Args:
        passed: Parameter -> the module's text.
        arguments: The kernel's own, by name.
        taken: Names that nothing else may have.
    """
    found: dict[str, UnbackedScalar] = {}
    named: dict[tuple[str, str], str] = {}
    for parameter, text in passed.items():
        tried = _tried(arguments[parameter].dtype)
        if (text, tried) not in named:
            named[text, tried] = naming.unique(re.sub(r"\W+", "_", text).strip("_")[:LONGEST], taken)
        found[parameter] = UnbackedScalar(named[text, tried], text, tried)
    return found


def _tried(dtype: str) -> str:
    """A number that neither leaves others as they are nor makes them 0, where there is such a one."""
    return "0.5" if "float" in dtype else "True" if dtype == "bool" else "1"


def numels(found: Computation, scalars: Mapping[str, str], environment: Mapping[str, int]) -> dict[str, int]:
    """`xnumel`, `r0_numel` ... in numbers, of several jobs the largest; without those that a size of unknown value decides."""
    numels: dict[str, int] = {}
    for part in found.every():
        for axis, numel in part.numel.items():
            text = scalars.get(f"{axis}numel", str(numel)) if not isinstance(numel, int) else str(numel)
            try:
                numels[f"{axis}numel"] = max(numels.get(f"{axis}numel", 0), Size.of(text).bound(environment))
            except ValueError:
                continue
    return numels
