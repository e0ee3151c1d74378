"""A captured module that was run again, and what became of hand kernels in it."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

from inductor_lab.records.timed import Timing


@dataclass(frozen=True)
class ReplayedLaunch:
    """One launch of a captured module that was run again, or one run of a span's hand kernel."""

    kernel: str
    """The kernel's id; of a span's hand kernel the span's name."""
    name: str
    graph: str
    line: int
    """1-based, in the graph's module; of a span that of its first step."""
    grafted: bool
    """Whether a hand kernel ran in place of the generated one."""
    verdict: str
    """`pass`; `fail`: it does not compute what its reference does of what it was given; `unknown`: it has no reference."""
    errors: Mapping[str, float]
    """The largest distance from float64 of what it wrote and of what eager makes of the same inputs, `hand` and `eager`."""
    message: str
    """Why it fails, or why nothing is known."""
    buffers: Mapping[str, str]
    """What it wrote -> `pass`, or how it differs from the node of the graph whose value it is; what is no node's value is not here."""
    microseconds: Mapping[str, float] = field(default_factory=dict)
    """On the card, within the step: `generated`, and `grafted` in the step with hand kernels; empty without a GPU."""


@dataclass(frozen=True)
class Saving:
    """What hand kernels save of a graph's step, in microseconds: generated less grafted, so below 0 they cost."""

    step: float
    """Of the whole step as a CUDA graph: the median over paired rounds."""
    step_interval: tuple[float, float]
    noise: float
    """How far from 0 the same interval of the generated step against itself reaches (A/A)."""
    launches: float | None = None
    """Of the launches that have a hand kernel, by the profiler: what the step should save; None where it does not show them all."""
    launches_interval: tuple[float, float] | None = None


@dataclass(frozen=True)
class ReplayedGraph:
    """One graph of a captured module that was run again."""

    graph: str
    inputs: str
    """`kept`: as the program had them; `statistics`: drawn by the seed, as the program's were on the whole; `drawn`: by the seed alone."""
    outputs: Mapping[str, str]
    """Output -> `pass`, or how it differs from the graph in eager PyTorch, or from what the generated module returns: see `against`."""
    errors: Mapping[str, float]
    """Output -> its largest distance from float64, or from the generated module's, a part of the largest value; whole numbers have none."""
    step: Mapping[str, Timing] = field(default_factory=dict)
    """The whole graph's time on the card as a CUDA graph: `generated`, and `grafted` with hand kernels; empty without a GPU."""
    program: Mapping[str, str] = field(default_factory=dict)
    """Output -> `pass`, or how what the program computed differs from the graph in eager PyTorch, on the program's own inputs; none where they
    were not kept, or the graph draws random numbers."""
    saving: Saving | None = None
    """What hand kernels save of the step; None without any, or without a GPU."""
    against: str = "eager"
    """What the outputs are held to: `eager`, or `generated`, the module as Inductor wrote it, where eager's values would be too large."""


@dataclass(frozen=True)
class Replay:
    """A captured module, run launch by launch beside eager."""

    verdict: str
    """`pass` or `fail`."""
    first: str
    """The first launch that departs, `kernel:3 at line 187 of 0_inference`; empty for none."""
    device: str
    seed: int
    graphs: tuple[ReplayedGraph, ...]
    launches: tuple[ReplayedLaunch, ...]
    notes: tuple[str, ...] = ()


@dataclass(frozen=True)
class Grafted:
    """What became of one hand kernel in a model of the user's own."""

    file: str
    kernel: str
    """The generated kernel whose place it takes; of a span its name, `dlrm:0_inference:8-33`."""
    body_sha256: str
    launches: int
    recorded: int
    """Those of the launches that a CUDA graph recorded: what it replays is not counted."""
    devices: Mapping[str, int]
    """Device -> launches, `cuda:0`."""
    passed_over: int
    """Launches of the body that the generated kernel did, because the sizes were others than the file's."""
    message: str
    """Why the generated kernel ran; empty where it did not."""
