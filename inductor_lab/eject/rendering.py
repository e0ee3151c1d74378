"""What a printer gives to the template: typed, every value ready to be placed."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field


@dataclass(frozen=True)
class Parameter:
    """One parameter of a kernel."""

    name: str
    annotation: str = ""
    comment: str = ""


@dataclass(frozen=True)
class KernelText:
    """A kernel and how it is launched."""

    parameters: tuple[Parameter, ...]
    lines: tuple[str, ...]
    """The body."""
    remark: str
    """Why a program owns what it owns; empty where the text says it."""
    launcher: tuple[str, ...]
    """What the launcher works out before the launch."""
    grid: str
    arguments: str
    """What the launch passes."""
    blocks: Mapping[str, str]
    """Inductor's names of blocks -> this kernel's: `XBLOCK` -> `BLOCK`."""
    fixed: frozenset[str] = frozenset()
    """Axes whose block must go on dividing the size: no mask stands at their end."""
    helpers: frozenset[str] = field(default_factory=frozenset)
    """Functions of Inductor's `triton_helpers` that it calls."""
    options: str = ""
    """Options of the launch beside the blocks."""
    to_the_letter: bool = False
    """True for the generated kernel's own text: its lines stay as long as they are."""
