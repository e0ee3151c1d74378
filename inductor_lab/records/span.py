"""A span: consecutive launches and library calls of one graph, and the memory that they touch."""

from __future__ import annotations

from dataclasses import dataclass

from inductor_lab.records.captures import TensorType

ROLES = ("in", "inout", "out", "inner")
"""In this order a file's `launch` takes them, each as they are touched first; what is inner it makes itself."""


@dataclass(frozen=True)
class SpanTensor:
    """A piece of memory that a span touches: an allocation, or what is written over a used one, whole, and no view of it."""

    name: str
    """The wrapper's variable that first named it: `arg0_1`, `buf34`."""
    type: TensorType
    role: str
    """`in`, `out`, `inout` (read and written, or written in part), or `inner`: made and used up inside."""
    unread: bool = False
    """Of `out` and `inout`: nobody behind the span reads what it wrote."""
    storage: str = ""
    """Whose memory the wrapper gives it again: another tensor's name; empty where it has memory of its own."""
    made: bool = False
    """A library call of the span makes it, which is told no buffer."""


@dataclass(frozen=True)
class SpanArgument:
    """What a step is passed."""

    name: str
    """The kernel's parameter; of a library call the position, `0`, or keyword."""
    value: str
    """Python over names of tensors: `buf34`, `view(buf34, (128, 16), (432, 1), 416)`, `4096`, `True`. The last number of a view is its
    distance in elements from where the tensor begins."""


@dataclass(frozen=True)
class SpanStep:
    """One launch or library call."""

    line: int
    """1-based line in the graph's module."""
    kernel: str
    """The kernel's id; empty of a library call."""
    call: str
    """The library call's function as the wrapper has it, `extern_kernels.mm`; empty of a launch."""
    arguments: tuple[SpanArgument, ...]
    results: tuple[str, ...] = ()
    """Tensors that a library call makes itself: one name, or the parts of its result, empty where a part is not used."""
    parts: bool = False
    """Whether the result is a tuple, of which `results` are the parts."""


@dataclass(frozen=True)
class Span:
    """Consecutive steps of a graph, as they can be ejected as one."""

    name: str
    """`dlrm:0_inference:8-33`: the first and the last step, counted from 0 in the order of the graph's module."""
    capture: str
    graph: str
    first: int
    last: int
    steps: tuple[SpanStep, ...]
    tensors: tuple[SpanTensor, ...]
    """In the order in which they are touched first."""
    sha256: str
    """Of the bodies, calls, types and views in order, whatever the variables are called."""

    @property
    def id(self) -> str:
        """What stands where a kernel's id does."""
        return self.name

    @property
    def lines(self) -> set[int]:
        """Those of the module that have its steps."""
        return {step.line for step in self.steps}

    @property
    def body_sha256(self) -> str:
        return self.sha256


@dataclass(frozen=True)
class SpanStop:
    """Why two steps of a span are no one kernel."""

    reason: str
    """As of a `FusionStop`; `library`: one is a library call; `apart`: none reads what another one writes."""
    why: str
    """The same as a sentence."""


@dataclass(frozen=True)
class Window:
    """Consecutive steps, both ends included, and what one kernel in their place would need."""

    first: int
    last: int
    moved: int
    """Bytes of one kernel: what comes in and what goes out, once, and what all programs wait for."""
    apart: int
    """Bytes that the steps read and write, each for itself."""
    seconds: float
    """What the steps take, by their estimates, or measured times where there are some; none less than launching it."""
    least: float
    """What the steps need at least, each a kernel of its own."""
    bound: float
    """What one kernel needs at least."""
    limit: str
    """What needs most of that: `memory`, `products` (at the library's rate), `arithmetic`, `special functions` or `launch`."""
    waits: int
    """How often all programs of one kernel wait for each other; each is counted as a launch."""
    saves: float
    """`least` less `bound`: what no edit of the single steps could gain."""


@dataclass(frozen=True, kw_only=True)
class FoundSpan(Window):
    """A span that may be worth a hand kernel, with what one kernel would save."""

    name: str
    """`dlrm:0_inference:8-33`, as of a `Span`."""
    graph: str
    steps: tuple[str, ...]
    """Kernels' ids, library calls' names."""
    title: str
    """What the steps do, in order: `26 x embedding, cat`."""
    launches: int
    """Of generated kernels."""
    calls: int
    """Of the library."""
    measured: bool
    """Whether some of `seconds` was measured."""
    why: tuple[SpanStop, ...]
    """Why Inductor left several kernels."""
    sha256: str
    alike: tuple[str, ...]
    """All spans of the graph that do the same, itself the first."""
    hidden: str = ""
    """The better span that it overlaps."""

    @property
    def all(self) -> float:
        """Seconds that all that do the same save together."""
        return self.saves * len(self.alike)

    @property
    def stake(self) -> float:
        """Seconds between what all take now and the bound: what their steps could gain each for itself is in it."""
        return (self.seconds - self.bound) * len(self.alike)


@dataclass(frozen=True)
class RefusedSpan:
    """A step that nothing can be moved across, or a span that would be worth it and can not be ejected."""

    name: str
    why: str
