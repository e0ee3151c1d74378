"""Two captures, aligned."""

from __future__ import annotations

from dataclasses import dataclass

from inductor_lab.records.captured import Capture, Kernel, Launch, SourceLine


@dataclass(frozen=True)
class KernelPair:
    """The kernel of each capture that computes the same thing."""

    a: Kernel
    b: Kernel
    similarity: float
    """0 to 1: how alike are what they compute, from which lines, and where they stand; 1 for the same body."""
    diff: tuple[str, ...] = ()
    """Unified diff of signature and body, temporaries renumbered; empty when they are the same."""


@dataclass(frozen=True)
class Move:
    """A kernel whose body is the same, launched at another place among those that are the same, or in another kind of graph."""

    a: Kernel
    b: Kernel
    left: tuple[Launch, ...]
    """The launches of `a` that `b` has not in this order."""
    now: tuple[Launch, ...]


@dataclass(frozen=True)
class FusionChange:
    """Operations that are cut into kernels in another way."""

    kind: str
    """`split` (one kernel became several), `fused` (several became one) or `moved`."""
    a: tuple[Kernel, ...]
    b: tuple[Kernel, ...]
    nodes: tuple[str, ...]
    """The ATen nodes concerned, by their names in `b`."""
    source: tuple[SourceLine, ...]
    """The user's lines that these nodes come from, as `b` has them."""


@dataclass(frozen=True)
class ExternChange:
    """A library call that one capture makes more often than the other."""

    target: str
    a: int
    b: int


@dataclass(frozen=True)
class Comparison:
    """Two captures, aligned: `a` is the old one, `b` the new one."""

    a: Capture
    b: Capture
    same: tuple[KernelPair, ...]
    """One body in both; how often it is launched may differ."""
    moved: tuple[Move, ...]
    """Of these, what is launched elsewhere. Order alone is no difference."""
    changed: tuple[KernelPair, ...]
    added: tuple[Kernel, ...]
    """In `b` only."""
    removed: tuple[Kernel, ...]
    """In `a` only."""
    fusions: tuple[FusionChange, ...]
    extern_calls: tuple[ExternChange, ...]

    @property
    def relaunched(self) -> tuple[KernelPair, ...]:
        """Kernels with the same body and another number of launches."""
        return tuple(pair for pair in self.same if len(pair.a.launches) != len(pair.b.launches))

    @property
    def differs(self) -> bool:
        """Whether anything but the captures' names and versions differs."""
        found = (self.changed, self.added, self.removed, self.relaunched, self.fusions, self.extern_calls)
        return any(found)


Span = tuple[int, int]
"""Characters of a line, from and to."""


@dataclass(frozen=True)
class BesideRow:
    """A line of either text, or a line of each that belong together."""

    a: str | None
    b: str | None
    alike: bool
    """Whether they mean the same: names that each side chose freely may differ."""
    at: tuple[str, str] = ("", "")
    """Where each line is from: the kernel's line, or a place of the program."""
    lit: tuple[tuple[Span, ...], tuple[Span, ...]] = ((), ())
    """The parts of two lines in which they differ."""


@dataclass(frozen=True)
class Beside:
    """One text of two kernels, or of two programs, side by side."""

    name: str
    """`source`, `computation`, `program`, or a stage of compilation."""
    rows: tuple[BesideRow, ...]
    missing: tuple[str, str] = ("", "")
    """Why a side has no text."""
