"""Whether an ejected file computes what eager computes, and is still what its capture says."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field


@dataclass(frozen=True)
class Case:
    """One set of inputs that a kernel was checked on."""

    name: str
    """`seed 0`, `edge values`, `block 2048`."""
    passed: bool
    errors: Mapping[str, float]
    """Distance from float64 of `hand`, `generated` and `eager`, relative to the largest exact value; none where both kernels are alike to
    the bit and it was not measured."""
    message: str = ""
    """Why it failed; when it passed empty, or what it passed by."""
    seconds: float = 0.0
    """What it took, drawing the inputs not included."""
    where: Mapping[str, object] = field(default_factory=dict)
    """The first wrong element of the first case that fails: `tensor`, `index`, what it is and should be, what the wrong ones have in common,
    `program` and `lane` that wrote it, the `smallest` inputs that still fail."""


@dataclass(frozen=True)
class Verdict:
    """Whether an ejected file computes what eager computes."""

    verdict: str
    """`pass` or `fail`."""
    errors: Mapping[str, float]
    """The worst case's errors, keys as in `Case.errors`."""
    limit: float
    """The largest error allowed in that worst case."""
    cases: tuple[Case, ...]
    device: str
    """`NVIDIA H200`, `Triton's interpreter on the CPU`, or of a .cu file without a GPU `the CPU, as C++ built by g++`."""
    notes: tuple[str, ...] = ()
    judged_sha256: str = ""
    """Of what judged it: reference, inputs and baseline, as the ejected file's header has it. Who does not trust an editor compares."""


@dataclass(frozen=True)
class Status:
    """Whether an ejected file is still what its capture says."""

    file: str
    state: str
    """`fresh`; `stale`: the capture holds another kernel now, or another reference for it, or a merge left conflicts in the file;
    `unknown`: there is no such capture."""
    edited: bool
    kernel: str
    """The kernel's id now; empty where there is none."""
    changes: tuple[str, ...]
    """What changed, and how to merge it, a sentence each; versions and the card too, which alone make no file stale."""
