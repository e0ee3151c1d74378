"""What a compiler and a card make of a kernel: its machine code, and how launches fill the card."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field


@dataclass(frozen=True)
class MachineCode:
    """What Triton's compiler made of one kernel for one target."""

    kernel: str
    gpu: str
    arch: str
    registers: int | None
    """Registers a thread; None where the target's tools do not tell."""
    spills: int | None
    """Bytes of local memory (stack) a thread."""
    shared_memory: int
    """Bytes a program."""
    num_warps: int
    loads: Mapping[str, int] = field(default_factory=dict)
    """Count of each global load instruction, `LDG.E.128: 2`."""
    stores: Mapping[str, int] = field(default_factory=dict)
    constants: Mapping[str, object] = field(default_factory=dict)
    """The constexprs it was compiled with."""
    instructions: Mapping[str, int] = field(default_factory=dict)
    """Kind of instruction (`fp32`, `special functions`, `barriers`) -> how many stand in the code; empty for a target whose code is not read so."""
    loops: bool | None = None
    """Whether some of them run more than once: then the counts are not of what runs."""
    elements: int | None = None
    """Elements of a program's largest tensor; None for what Triton did not compile."""


@dataclass(frozen=True)
class CompiledCode:
    """One kernel at one stage of its compilation for one card, with the line of the kernel that each of its lines is from."""

    stage: str
    """`ttir`, `ttgir`, `llir`, `ptx`, `sass`, `amdgcn`; empty where it was not compiled at all."""
    gpu: str
    text: str
    """Without the remarks that only tell lines."""
    lines: tuple[int, ...] = ()
    """For each line of `text`, the line of the kernel's body (1-based) that it is from; 0 where none is told."""
    missing: str = ""
    """Why there is no text."""


@dataclass(frozen=True)
class Residency:
    """How one launch fills a card."""

    programs: int
    held: int
    """Programs that one multiprocessor holds at once."""
    limit: str
    """What keeps it from holding more: `registers`, `shared memory`, `threads` or `programs`."""
    occupancy: float
    """The part of the card's warps that are there at once."""
    waves: float
    """Programs over those that the whole card holds at once."""
