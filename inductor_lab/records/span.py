"""A span: consecutive launches and library calls of one graph, and the memory that they touch."""

from __future__ import annotations

from dataclasses import dataclass

from inductor_lab.records.captured import TensorType


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
    def body_sha256(self) -> str:
        return self.sha256
