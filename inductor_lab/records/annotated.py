"""What can be said of a capture without running it: the rows of its catalog, remarks on kernels, where fusion stopped."""

from __future__ import annotations

from dataclasses import dataclass


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
