"""Text in, records out: whatever Inductor wrote, from whatever source, as one Capture. Pure: no torch, no triton, nothing executed."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import replace
from pathlib import Path

from inductor_lab.errors import LabError
from inductor_lab.read import kernel as kernels
from inductor_lab.read import module as modules
from inductor_lab.read import provenance
from inductor_lab.read.sources import Document, documents
from inductor_lab.records import (
    Argument,
    Capture,
    ExternCall,
    Gpu,
    Graph,
    Kernel,
    Launch,
    LaunchArgument,
    Node,
    Problem,
    Traffic,
)

__all__ = ["read"]


def read(sources: Sequence[str | Path], name: str) -> Capture:
    """One catalog of everything in the sources. Traffic is left empty: `annotate` counts it.

    Raises:
        LabError: a source can not be read, or none of them holds generated code.
    """
    reader = _Reader(name)
    for source in sources:
        reader.add(documents(source))
    if not reader.graphs:
        listed = ", ".join(str(source) for source in sources)
        raise LabError(
            f"{listed}: no Inductor output code found; make a log with TORCH_LOGS=output_code python your_script.py 2> run.log "
            f"(and TORCHINDUCTOR_FORCE_DISABLE_CACHES=1, or a warm cache hides it)"
        )
    return reader.capture()


class _Reader:
    """Collects documents: a post-grad graph waits for the module that its stream writes next."""

    def __init__(self, name: str) -> None:
        self.name = name
        self.graphs: list[Graph] = []
        self.kernels: dict[str, Kernel] = {}
        self.definitions: Counter[str] = Counter()
        self.launches: dict[str, list[Launch]] = {}
        self.extern_calls: list[ExternCall] = []
        self.problems: list[Problem] = []
        self.gpu = Gpu("", "", False)
        self.waiting: dict[str, tuple[tuple[Node, ...], tuple[str, ...]]] = {}

    def add(self, found: Iterable[Document]) -> None:
        for document in found:
            if document.kind == "problem":
                self.problems.append(Problem(document.where, document.text))
            elif document.kind == "post_grad_graphs":
                try:
                    self.waiting[document.stream] = provenance.graph(document.text)
                except ValueError as error:
                    self.problems.append(Problem(document.where, str(error)))
            else:
                self.add_module(document)

    def add_module(self, document: Document) -> None:
        module = modules.read_module(document.text)
        nodes, outputs = self.waiting.pop(document.stream, ((), ()))
        graph_id = self.unique(module.graph_id or f"graph_{len(self.graphs)}")
        self.graphs.append(Graph(graph_id, document.compile_id, module.kind, document.text, nodes, outputs))
        for line, message in module.problems:
            self.problems.append(Problem(f"{document.where} (line {line} of graph {graph_id})", message))
        defined: dict[str, str] = {}
        for definition in module.definitions:
            digest = self.add_definition(definition, graph_id, nodes)
            if digest:
                defined[definition.name] = digest
        for run in module.runs:
            if run.name in defined:
                digest = defined[run.name]
                arguments = _bind(self.kernels[digest].arguments, run.values)
                self.launches[digest].append(Launch(graph_id, run.line, arguments))
            else:
                self.problems.append(
                    Problem(f"{graph_id}:{run.line}", f"{run.name} is launched but not defined in this module")
                )
        self.extern_calls.extend(ExternCall(target, graph_id, line) for target, line in module.externs)

    def add_definition(self, definition: modules.Definition, graph_id: str, nodes: tuple[Node, ...]) -> str | None:
        try:
            source = kernels.read_source(definition.text)
        except ValueError as error:
            self.problems.append(Problem(f"{graph_id}:{definition.line}", f"{definition.name} was not read: {error}"))
            return None
        digest = source.body_sha256
        self.definitions[digest] += 1
        if digest not in self.kernels:
            claim = provenance.claim(list(definition.comment))
            self.kernels[digest] = Kernel(
                id=f"{self.name}:{len(self.kernels)}",
                name=definition.name,
                category=source.category,
                graph=graph_id,
                body_sha256=digest,
                definitions=0,
                arguments=source.arguments,
                launches=(),
                ops=source.ops,
                source=provenance.source_lines(nodes, claim.nodes),
                traffic=Traffic(),
                claim=claim,
                text=definition.text,
                body=source.body,
                line=definition.line,
                size_hints=source.size_hints,
                meta=source.meta,
            )
            self.launches[digest] = []
            self.note_gpu(source.meta)
        return digest

    def note_gpu(self, meta: dict[str, object]) -> None:
        triton_meta = meta.get("triton_meta")
        device = triton_meta.get("device") if isinstance(triton_meta, dict) else None
        if isinstance(device, dict) and not self.gpu.arch and device.get("cc"):
            arch = (
                f"sm_{device['cc']}"
                if device.get("type") == "cuda" and isinstance(device["cc"], int)
                else str(device["cc"])
            )
            self.gpu = Gpu("", arch, False)

    def unique(self, graph_id: str) -> str:
        """Inductor numbers graphs for each process: the second `0_forward` of a log of several ranks becomes `0_forward.1`."""
        taken = {graph.id for graph in self.graphs}
        if graph_id not in taken:
            return graph_id
        return next(f"{graph_id}.{n}" for n in range(1, len(taken) + 2) if f"{graph_id}.{n}" not in taken)

    def capture(self) -> Capture:
        found = tuple(
            replace(kernel, definitions=self.definitions[digest], launches=tuple(self.launches[digest]))
            for digest, kernel in self.kernels.items()
        )
        return Capture(
            name=self.name, torch="", triton="", gpu=self.gpu, command="", created="",
            graphs=tuple(self.graphs), kernels=found, extern_calls=tuple(self.extern_calls), problems=tuple(self.problems),
        )  # fmt: skip


def _bind(parameters: tuple[Argument, ...], values: tuple[LaunchArgument, ...]) -> tuple[LaunchArgument, ...]:
    """Give the values of a launch their parameters' names; a pointer's dtype fills in what the wrapper does not tell."""
    bound = []
    for parameter, value in zip((p for p in parameters if p.role != "constexpr"), values, strict=False):
        type_ = value.type if parameter.pointer else None
        if type_ is not None and (not type_.dtype or re.fullmatch(r"[a-z]\w*", type_.dtype) is None):
            type_ = replace(type_, dtype=parameter.dtype)
        bound.append(LaunchArgument(parameter.name, value.value, type_, value.storage if parameter.pointer else ""))
    return tuple(bound)
