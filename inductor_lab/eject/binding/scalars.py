"""Numbers that a launch passes and no log tells: the value of a tensor of one element, `arg2_1.item()`. The launcher has a parameter for each."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass

from inductor_lab.eject.naming import unique
from inductor_lab.records import Argument

LONGEST = 40
"""Characters of a name."""


@dataclass(frozen=True)
class Untold:
    """One such number."""

    name: str
    """The launcher's parameter, `arg2_1_item`."""
    text: str
    """What the module passes."""
    tried: str
    """The value that it has unless a caller passes another."""

    def comment(self) -> str:
        return f"{self.text}: the log does not tell it, {self.tried} is tried"


def untold(passed: Mapping[str, str], arguments: Mapping[str, Argument], taken: set[str]) -> dict[str, Untold]:
    """A name and a value for each, by parameter; what is passed twice has one name.

    Args:
        passed: Parameter -> the module's text.
        arguments: The kernel's own, by name.
        taken: Names that nothing else may have.
    """
    found: dict[str, Untold] = {}
    named: dict[tuple[str, str], str] = {}
    for parameter, text in passed.items():
        tried = _tried(arguments[parameter].dtype)
        if (text, tried) not in named:
            named[text, tried] = unique(re.sub(r"\W+", "_", text).strip("_")[:LONGEST], taken)
        found[parameter] = Untold(named[text, tried], text, tried)
    return found


def _tried(dtype: str) -> str:
    """A number that neither leaves others as they are nor makes them 0, where there is such a one."""
    return "0.5" if "float" in dtype else "True" if dtype == "bool" else "1"
