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
class Cost:
    """Of one launch, the first, and of all launches together, each by its own shapes."""

    launches: int
    read: int | None
    """Bytes of the first launch, as are those below; None where they can not be counted."""
    written: int | None
    flops: int | None
    seconds: float | None
    """What bytes and operations need at least on the card, launching left out; None where they are not counted."""
    limit: str
    """`memory`, `arithmetic`, `special functions` or `launch`."""
    least: bool
    """Whether the bytes are the least that it moves, as of a template's product."""
    floor: float | None
    """Seconds that it takes at least, launching it included."""
    all_bytes: int | None
    """Of all launches; None where one of them can not be counted."""
    all_seconds: float | None
    """Their floor: of each the larger of what its bytes and operations need and of what launching costs."""
    bound: float | None = None
    """The same with launching left out, as an edit of the kernel changes nothing of it: what a CUDA graph of them comes near."""
    estimate: float | None = None
    """About what they take, launching left out (`costs.launches.estimate`); None of a template and a library call."""

    @property
    def moved(self) -> int | None:
        """Bytes of the first launch; None where they are not counted."""
        return self.read + self.written if self.read is not None and self.written is not None else None

    @property
    def gap(self) -> float | None:
        """What an edit may gain: how far the estimate is from the bound."""
        return None if self.bound is None else (self.estimate or self.bound) - self.bound


@dataclass(frozen=True, kw_only=True)
class Listed(Cost):
    """A kernel's row in a catalog: what its launches cost, what else a list says of it, and what it may be chosen by."""

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
    ops: tuple[str, ...]
    source: tuple[str, ...]
    """`models.py:31`, the user's lines, the best first."""
    code: tuple[str, ...]
    """What stands in those lines."""


@dataclass(frozen=True, kw_only=True)
class Called(Cost):
    """The library calls of one operator, as a catalog lists them beside the kernels: what they cost."""

    name: str
    """`mm`, `convolution`."""


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
