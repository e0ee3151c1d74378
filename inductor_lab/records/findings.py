"""Records of what is known without running: catalog rows, remarks on kernels, fusion stops, and comparisons of captures."""

from __future__ import annotations

from dataclasses import dataclass

from inductor_lab.records.captures import Capture, Gpu, Kernel, Launch, SourceLine


@dataclass(frozen=True)
class Summary:
    """One line about a capture."""

    name: str
    """What the command line calls it."""
    torch: str
    gpu: Gpu
    command: str
    created: str
    graphs: int
    kernels: int
    launches: int
    problems: int


@dataclass(frozen=True)
class Listed:
    """A kernel's row in a catalog: what a list says of it, and what it may be chosen by."""

    id: str
    name: str
    title: str
    recognised: tuple[str, ...]
    category: str
    body_sha256: str
    graph: str
    graphs: tuple[str, ...]
    """Every graph that defines or launches it."""
    kinds: tuple[str, ...]
    """What its launches are part of: `forward`, `backward`, `optimizer`, `inference`, `unknown`."""
    launches: int
    moved: int | None
    """Bytes that its first launch reads and writes; None where they can not be counted."""
    least: bool
    """Whether that is only the least, as of a template's product."""
    bytes: int | None
    """What all its launches move; None where one of them can not be counted."""
    floor: float | None
    """Seconds that its first launch takes at least: by the card's roofline, and not less than a launch itself."""
    cost: float | None
    """Seconds that all its launches take at least."""
    ops: tuple[str, ...]
    source: tuple[str, ...]
    """`models.py:31`, the user's lines, the best first."""
    code: tuple[str, ...]
    """What stands in those lines."""
    bound: float | None = None
    """Seconds that all its launches take at least, launching left out: what a CUDA graph of them comes near."""
    estimate: float | None = None
    """Seconds that they take by a count of what they do, launching left out; None of a template."""

    @property
    def gap(self) -> float | None:
        """What an edit may gain: how far the estimate is from the bound."""
        return None if self.bound is None else (self.estimate or self.bound) - self.bound


@dataclass(frozen=True)
class Called:
    """The library calls of one operator, as a catalog lists them beside the kernels."""

    name: str
    """`mm`, `convolution`."""
    calls: int
    bytes: int | None
    """The least that all move; None where one of them can not be counted."""
    cost: float | None
    """Seconds that all take at least."""


@dataclass(frozen=True)
class Note:
    """One remark on a kernel, tied to a line of its body (1-based) or to the whole kernel (0)."""

    line: int
    text: str
    kind: str = "explain"
    """`explain`, `traffic`, `estimate`, `hazard`, `launch`, `choices` (what the autotuner times), `claim`."""
    origin: str = ""
    """`aten.relu, models.py:36`: what a line came from; empty where that is not clear."""
    node: str = ""
    """The graph's node that the line computes, or whose value it loads or stores; empty where that is not clear."""


@dataclass(frozen=True)
class FusionStop:
    """A buffer that one generated kernel writes to memory and another reads again: where fusion stopped."""

    graph: str
    buffer: str
    """The wrapper's name where it is written."""
    bytes: int | None
    """Of the buffer: it is written once, and read once by this consumer."""
    producer: str
    """A kernel's id."""
    consumer: str
    reason: str
    """`cycle`, `template`, `added`, `reduction`, `sizes`, `order`, `mutation`, `limit` or `unknown`."""
    why: str
    """The same as a sentence, with its numbers."""


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


Characters = tuple[int, int]
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
    lit: tuple[tuple[Characters, ...], tuple[Characters, ...]] = ((), ())
    """The parts of two lines in which they differ."""


@dataclass(frozen=True)
class Beside:
    """One text of two kernels, or of two programs, side by side."""

    name: str
    """`source`, `computation`, `program`, or a stage of compilation."""
    rows: tuple[BesideRow, ...]
    missing: tuple[str, str] = ("", "")
    """Why a side has no text."""
