"""The nouns of a sweep: a point, and what was found there."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from inductor_lab.records import Timing

CONTESTANTS = ("hand", "generated", "inductor", "eager", "copy")
"""Unless told otherwise: the file's kernel, Inductor's own one where it is for these sizes, `torch.compile` of the file's eager form at these
sizes, that form itself, and a copy that moves as many bytes."""


@dataclass(frozen=True)
class Point:
    """Where a kernel is timed."""

    sizes: Mapping[str, int]
    """Symbol -> size; empty for a file of fixed shapes."""
    dtype: str
    """Of the floating tensors; empty where there are none, or of several dtypes."""

    @property
    def name(self) -> str:
        return " ".join([*(f"{name}={size}" for name, size in self.sizes.items()), *filter(None, [self.dtype])])


@dataclass(frozen=True)
class Row:
    """What was found at one point."""

    sizes: Mapping[str, int]
    dtype: str
    outcome: str
    """`timed`; `does not fit` into the card's memory, and `why` says what does not; `wrong`: the kernel does not compute what eager computes; `failed`."""
    why: str = ""
    bytes: int | None = None
    """Moved by one launch, each element once; None where that is not known for these sizes."""
    times: Mapping[str, Timing] = field(default_factory=dict)
    """Contestant -> its time."""
    against: str = ""
    """Whom the ratio is against."""
    ratio: float | None = None
    """Their time / the hand kernel's."""
    ratio_interval: tuple[float, float] | None = None
    noise: float | None = None
    margin: float | None = None
    verdict: str = ""
    """`faster`, `slower`, `same` or `inconclusive`."""
    copy_ceiling: float | None = None
    """Bytes each second of a large copy, measured in the same process."""
    device: str = ""
    conditions: Mapping[str, Any] = field(default_factory=dict)
    notes: tuple[str, ...] = ()

    @property
    def point(self) -> Point:
        return Point(self.sizes, self.dtype)
