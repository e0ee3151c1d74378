"""The nouns of inductor_lab, one frozen dataclass each. Nothing here reads, writes or computes.

    program -> Capture -> Graph -> Kernel, Launch -> (annotated) -> Ejected file -> Verdict -> Timing -> PerfDiff -> report

Field names are the keys of the JSON that every `--json` prints: a record and its document are the same thing.
Sizes are ints, or strings where the compiler left them symbolic (`"ks0"`, `"s77"`).
"""

from __future__ import annotations

from inductor_lab.records.annotated import Called, FusionStop, Listed, Note
from inductor_lab.records.captured import (
    Argument,
    Capture,
    Claim,
    CompileEvent,
    ExternCall,
    Gpu,
    Graph,
    Input,
    Kernel,
    Launch,
    LaunchArgument,
    Node,
    Observed,
    Problem,
    Provenance,
    SizeLike,
    SourceLine,
    TensorType,
    Traffic,
)
from inductor_lab.records.compared import (
    Beside,
    BesideRow,
    Comparison,
    ExternChange,
    FusionChange,
    KernelPair,
    Move,
    Span,
)
from inductor_lab.records.judged import Case, Status, Verdict
from inductor_lab.records.kept import Kept
from inductor_lab.records.machine import CompiledCode, MachineCode, Residency
from inductor_lab.records.replayed import Grafted, Replay, ReplayedGraph, ReplayedLaunch, Saving
from inductor_lab.records.timed import (
    Autotuned,
    Candidate,
    Ceiling,
    KernelTime,
    Paired,
    PerfDiff,
    Roofline,
    StepEffect,
    Timing,
    Tuning,
)

SCHEMA = 1

__all__ = [
    "SCHEMA",
    "Argument",
    "Autotuned",
    "Beside",
    "BesideRow",
    "Called",
    "Candidate",
    "Capture",
    "Case",
    "Ceiling",
    "Claim",
    "Comparison",
    "CompileEvent",
    "CompiledCode",
    "ExternCall",
    "ExternChange",
    "FusionChange",
    "FusionStop",
    "Gpu",
    "Grafted",
    "Graph",
    "Input",
    "Kept",
    "Kernel",
    "KernelPair",
    "KernelTime",
    "Launch",
    "LaunchArgument",
    "Listed",
    "MachineCode",
    "Move",
    "Node",
    "Note",
    "Observed",
    "Paired",
    "PerfDiff",
    "Problem",
    "Provenance",
    "Replay",
    "ReplayedGraph",
    "ReplayedLaunch",
    "Residency",
    "Roofline",
    "Saving",
    "SizeLike",
    "SourceLine",
    "Span",
    "Status",
    "StepEffect",
    "TensorType",
    "Timing",
    "Traffic",
    "Tuning",
    "Verdict",
]
