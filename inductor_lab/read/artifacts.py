"""Everything of Inductor's that is read: the one list of it. A row says where an artifact stands, how it begins and ends, and what reads it.

An artifact that is not a module speaks of one: of the module that its stream (file, rank, thread, compile id) writes next, or wrote last; or
it is an event of the whole capture. To take a new one, write its parser as a module of its own, give it a row here, and give
`records.Graph` the fields that it fills.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Any, Literal

from inductor_lab.read import events, provenance

Fields = Mapping[str, Any]
"""Fields of `records.Graph`."""


@dataclass(frozen=True)
class Artifact:
    """One kind of text that Inductor writes."""

    kind: str
    """What `Document.kind` says. For what is logged it is the name that TORCH_LOGS has for it."""
    of: Literal["itself", "next", "last", "capture"]
    """The module that it speaks of; `capture`: of none, it is an event of the whole."""
    parse: Callable[[str], Any] | None = None
    """Its text -> what it says; raises ValueError for what is none. A module is parsed by `Parsed.module`."""
    fields: Callable[[Any], Fields] = field(default=lambda found: {})
    """What it says -> what the graph of its module gets of it."""
    starts: tuple[str, ...] = ()
    """Its first line in a log begins with one of these; none where it is not logged."""
    ends: tuple[str, ...] = ()
    """The line after its last one begins so."""
    last: str = ""
    """Its last line begins so, but for its indentation."""
    whole: bool = False
    """Whether its first line in a log says something itself."""
    quotes: bool = False
    """Whether it may quote values of the program, among which may be a log."""
    events: tuple[str, ...] = ()
    """Its names in a TORCH_TRACE, and in the files that tlparse makes: a key, an artifact's name or a dump's name, by version."""
    files: tuple[str, ...] = ()
    """Its names in a graph's folder of TORCH_COMPILE_DEBUG."""


ARTIFACTS = (
    Artifact(
        "dynamo_graphs",
        of="next",
        parse=provenance.inputs,
        fields=lambda found: {"inputs": found},
        events=("dynamo_output_graph",),
    ),
    Artifact(
        "post_grad_graphs",
        of="next",
        parse=provenance.graph,
        fields=lambda found: {"nodes": found[0], "outputs": found[1]},
        starts=("TRACED GRAPH",),
        last="return ",
        events=("inductor_post_grad_graph", "after_post_grad_graph"),
        files=("fx_graph_transformed.py",),  # the graph after the post-grad passes
    ),
    Artifact(
        "output_code",
        of="itself",
        starts=(
            "Output code:",
            "Output wrapper code:",  # AOTInductor's, to 2.13
            "AOT wrapper code:",  # from 2.14 on
            "JIT wrapper code for AOT lazy autotuning:",  # the first of its two passes, which has the kernels
        ),
        ends=(
            "Output code written to:",
            "Auto-tuning code",
            "Output kernel code:",
            "AOT kernel code:",
            "Serialized Extern Kernel Nodes:",
            "Wrapper code written to:",
            "AOT wrapper code written to:",
            "JIT wrapper code for AOT lazy autotuning written to:",
        ),
        events=("inductor_output_code", "inductor_aot_wrapper_code"),
        files=("output_code.py", "output_code.cpp"),  # AOTInductor's
    ),
    Artifact(
        "provenance",
        of="last",
        parse=provenance.node_mappings,  # for `origins`, which makes of it where each launch comes from
        events=(
            "inductor_provenance_tracking_node_mappings",
            "inductor_provenance_tracking_kernel_stack_traces",
        ),
        files=("inductor_provenance_tracking_node_mappings.json",),
    ),
    Artifact(
        "graph_breaks",
        of="capture",
        parse=events.graph_break,
        starts=("Graph break",),
        whole=True,
        quotes=True,
        events=("dynamo_graph_break_reason",),
    ),
    Artifact(
        "recompiles",
        of="capture",
        parse=events.recompile,
        starts=("Recompiling function",),
        whole=True,
        quotes=True,
        events=("recompile_reasons",),
    ),
)
"""In the order in which they stand in one stream."""

BY_KIND = {artifact.kind: artifact for artifact in ARTIFACTS}
LOGGED = {artifact.kind: artifact for artifact in ARTIFACTS if artifact.starts}
PARSED = {artifact.kind: artifact.parse for artifact in ARTIFACTS if artifact.parse}
EVENTS = {event: artifact.kind for artifact in ARTIFACTS for event in artifact.events}
FILES = {file: artifact.kind for artifact in ARTIFACTS for file in artifact.files}
