"""Records of correctness: what verify, replay and graft found of an ejected file."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

from inductor_lab.records.timings import PerfDiff, Timing, Tuning


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


@dataclass(frozen=True)
class Kept:
    """One result of an ejected file, as it was kept: a line of `results.jsonl`."""

    kind: str
    """`verdict`, `timing`, `diff` or `tuning`."""
    date: str
    """ISO 8601, UTC."""
    file: str
    """As it was typed."""
    file_sha256: str
    """Of the text that was measured, a .cu beside it included."""
    body_sha256: str
    """Of the kernel that the file was ejected from."""
    kernel: str
    """Its name, and of which capture: `triton_poi_fused_relu_0 of lora_mlp`."""
    device: str
    versions: Mapping[str, str]
    """torch, triton, inductor_lab, Python."""
    result: Verdict | Timing | PerfDiff | Tuning
    """How it was measured is in it."""
    span: str = ""
    """Of a span's file the steps that it is of, `lora_mlp:0_inference:1-3`; its hash is `body_sha256`."""


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
