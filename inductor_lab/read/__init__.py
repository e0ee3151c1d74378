"""Text in, records out: whatever Inductor wrote, from whatever source, as one Capture. Pure: no torch, no triton, nothing executed."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

from inductor_lab.errors import LabError
from inductor_lab.read import module as modules
from inductor_lab.read.artifacts import BY_KIND, PARSED, Artifact
from inductor_lab.read.kernel import parameters
from inductor_lab.read.origins import Origins, together
from inductor_lab.read.parsing import ParallelReader, Parsed
from inductor_lab.read.provenance import NodeMappings
from inductor_lab.read.sources import Document, documents
from inductor_lab.records import (
    Capture,
    CompileEvent,
    ExternCall,
    Gpu,
    Graph,
    Kernel,
    Launch,
    LaunchArgument,
    Problem,
)

__all__ = ["Parsed", "read"]


def read(
    sources: str | Path | Sequence[str | Path], name: str, as_: str = "auto", parsed: Parsed | None = None
) -> Capture:
    """One catalog of everything in the sources, each a path or `-`. Traffic is left empty: `annotate` counts it.

    `as_` says what the sources are (`sources.KINDS`) where they would be taken for something else. With `parsed`, which keeps what was
    parsed for the next reading, everything is read in this process; without it, on all cores where there is enough to read.

    Raises:
        LabError: a source can not be read, or is no path but the text of a log, or none of them holds generated code.
    """
    sources = [sources] if isinstance(sources, (str, Path)) else sources
    for source in sources:
        if isinstance(source, str) and (lines := source.count("\n")):
            raise LabError(
                f"a source is a path, and a text of {lines + 1:,} lines is none; write it into a file, and give its path"
            )
    reader = _Reader(name, parsed or Parsed())
    with ParallelReader(() if parsed else sources, as_, reader.parsed) as files:
        for source in sources:
            reader.add(documents(source, as_, files.read))
    reader.add_kernel_files()
    if not reader.graphs:
        listed = ", ".join(str(source) for source in sources)
        first = next((f" ({found.where}: {found.message})" for found in reader.problems), "")
        raise LabError(
            f"{listed}: no Inductor output code found; make a log with TORCH_LOGS=output_code python your_script.py 2> run.log "
            f"(and TORCHINDUCTOR_FORCE_DISABLE_CACHES=1, or a warm cache hides it){first}"
        )
    return reader.capture()


class _Reader:
    """Collects documents: what speaks of a module waits for it, or finds it (`artifacts`)."""

    def __init__(self, name: str, parsed: Parsed) -> None:
        self.name = name
        self.graphs: list[Graph] = []
        self.kernels: dict[str, Kernel] = {}
        self.definitions: Counter[str] = Counter()
        self.launches: dict[str, list[Launch]] = {}
        self.extern_calls: list[ExternCall] = []
        self.events: dict[CompileEvent, None] = {}
        """Each once: a log and a trace of one run tell the same."""
        self.problems: list[Problem] = []
        self.gpu = Gpu("", "", False)
        self.parsed = parsed
        self.copies: Counter[str] = Counter()
        self.kernel_files: dict[str, Document] = {}
        """Kernels' own cache files: they count only where no module defines the kernel."""
        self.waiting: dict[str, dict[str, Any]] = {}
        """Stream -> what the graph of its next module gets."""
        self.latest: dict[str, int] = {}
        """Stream -> the number of its last graph."""
        self.modules: dict[str, modules.Module] = {}
        """Stream -> its last module."""
        self.origins = Origins(parsed.source)

    def add(self, found: Iterable[Document]) -> None:
        for document in found:
            if document.kind == "problem":
                self.problems.append(Problem(document.where, document.text))
            elif document.kind in PARSED:
                self.add_artifact(BY_KIND[document.kind], document)
            elif document.kind == "kernel":
                self.kernel_files.setdefault(document.text, document)
            else:
                self.add_module(document)

    def add_artifact(self, artifact: Artifact, document: Document) -> None:
        """What speaks of a module: of the one that its stream writes next, or wrote last."""
        try:
            found = self.parsed.artifact(artifact.kind, document.text)
        except ValueError as error:
            self.problems.append(Problem(document.where, str(error)))
            return
        if artifact.of == "capture":
            self.events.update(dict.fromkeys(replace(event, compile_id=document.compile_id) for event in found))
        elif artifact.of == "next":
            self.waiting.setdefault(document.stream, {}).update(artifact.fields(found))
        elif document.stream in self.latest:
            number = self.latest[document.stream]
            if isinstance(found, NodeMappings):
                self.origins.add_mappings(self.graphs[number].id, found)
            self.graphs[number] = replace(self.graphs[number], **artifact.fields(found))

    def add_kernel_files(self) -> None:
        for text, document in self.kernel_files.items():
            _, module = self.parsed.module(text)
            if not all(self.known(definition) for definition in module.definitions):
                self.add_module(document)
        self.kernel_files.clear()

    def known(self, definition: modules.Definition) -> bool:
        try:
            return self.parsed.source(definition.text)[0].body_sha256 in self.kernels
        except ValueError:
            return False

    def add_module(self, document: Document) -> None:
        text, module = self.parsed.module(document.text)
        first, self.modules[document.stream] = self.modules.get(document.stream), module
        if first and document.stream not in self.waiting and self.is_written_again(first, module):
            return
        graph_id = self.unique(module.graph_id or f"graph_{len(self.graphs)}")
        told = self.waiting.pop(document.stream, {})
        graph = Graph(graph_id, document.compile_id, module.kind, text, hints=module.hints, **told)
        self.latest[document.stream] = len(self.graphs)
        self.graphs.append(graph)
        self.origins.add_module(graph_id, text, module, graph.nodes)
        for line, message in module.problems:
            self.problems.append(Problem(f"{document.where} (line {line} of graph {graph_id})", message))
        defined: dict[str, str] = {}
        for definition in module.definitions:
            defined[definition.name] = self.add_definition(definition, graph_id, document.where)
        missing: dict[str, int] = {}
        for run in module.runs:
            if run.name in defined:
                digest = defined[run.name]
                arguments = _bind(self.kernels[digest], run.values)
                self.launches[digest].append(Launch(graph_id, run.line, arguments))
            else:
                missing.setdefault(run.name, run.line)
        for name, line in missing.items():
            place = f"{document.where} (line {line} of graph {graph_id})"
            self.problems.append(Problem(place, f"{name} is launched but not defined in this module"))
        self.extern_calls.extend(replace(call, graph=graph_id) for call in module.externs)

    def is_written_again(self, first: modules.Module, second: modules.Module) -> bool:
        """Whether two modules of a stream are one graph, written once to tune its kernels, in Python or C++, and then in the C++ that is kept.

        The graph is traced, and printed, once: where it was printed again it was compiled again.
        """
        if not second.in_cpp or (first.in_cpp and (second.definitions or not second.runs)):
            return False
        bodies, again = ({(one.name, self.parsed.source(one.text)[0].body_sha256) for one in module.definitions}
                         for module in (first, second))  # fmt: skip
        launched, once_more = (Counter(run.name for run in module.runs) for module in (first, second))
        return again <= bodies and launched == once_more

    def add_definition(self, definition: modules.Definition, graph_id: str, where: str) -> str:
        kernel, problems = self.parsed.source(definition.text)
        digest = kernel.body_sha256
        self.definitions[digest] += 1
        if digest not in self.kernels:
            id_, claim = f"{self.name}:{len(self.kernels)}", definition.claim
            self.kernels[digest] = replace(
                kernel, id=id_, name=definition.name, graph=graph_id, claim=claim, line=definition.line
            )
            self.launches[digest] = []
            self.note_gpu(kernel.meta)
            place = f"{where} (line {definition.line} of graph {graph_id})"
            self.problems.extend(Problem(place, f"{definition.name} {problem}") for problem in problems)
        return digest

    def note_gpu(self, meta: Mapping[str, object]) -> None:
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
        copy = self.copies[graph_id]
        self.copies[graph_id] += 1
        return f"{graph_id}.{copy}" if copy else graph_id

    def finished(self, digest: str, kernel: Kernel) -> Kernel:
        """The kernel with all its launches, and where it and they come from."""
        launches = [replace(launch, provenance=self.origins.of(launch.graph).launch(launch.line))
                    for launch in self.launches[digest]]  # fmt: skip
        parts = [launch.provenance for launch in launches] or [self.origins.of(kernel.graph).definition(kernel.name)]
        whole = together(parts)
        return replace(
            kernel,
            definitions=self.definitions[digest],
            launches=tuple(launches),
            source=whole.source,
            provenance=whole,
        )

    def called(self) -> tuple[ExternCall, ...]:
        """The library calls, and where each comes from."""
        return tuple(replace(call, provenance=self.origins.of(call.graph).call(call)) for call in self.extern_calls)

    def capture(self) -> Capture:
        found = tuple(self.finished(digest, kernel) for digest, kernel in self.kernels.items())
        return Capture(
            name=self.name, torch="", triton="", gpu=self.gpu, command="", created="",
            graphs=tuple(self.graphs), kernels=found, extern_calls=self.called(), problems=tuple(self.problems),
            events=tuple(self.events),
        )  # fmt: skip


def _bind(kernel: Kernel, values: tuple[LaunchArgument, ...]) -> tuple[LaunchArgument, ...]:
    """Give the values of a launch their parameters' names; a pointer's dtype fills in what the wrapper does not tell.

    Values of a kernel that was not read keep their numbers.
    """
    if not kernel.arguments:
        return values
    bound = []
    for value, parameter in zip(values, parameters(kernel, [value.name for value in values]), strict=True):
        if parameter is None:
            continue
        type_ = value.type if parameter.pointer else None
        if type_ is not None and (not type_.dtype or re.fullmatch(r"[a-z]\w*", type_.dtype) is None):
            type_ = replace(type_, dtype=parameter.dtype)
        bound.append(LaunchArgument(parameter.name, value.value, type_, value.storage if parameter.pointer else ""))
    return tuple(bound)
