"""The kernels of a span: each distinct one planned and printed as its own file would have it, under names that are its own in this one."""

from __future__ import annotations

import ast
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace

from inductor_lab.eject import naming
from inductor_lab.eject.cuda.helpers import cplusplus
from inductor_lab.eject.exchange import exchanged
from inductor_lab.eject.file.parts import rendering
from inductor_lab.eject.helpers import NAMES
from inductor_lab.eject.plan import Plan, plan
from inductor_lab.eject.rendering import HandKernel, KernelText, Rendering
from inductor_lab.eject.span.claims import of_launch
from inductor_lab.eject.targets import TARGETS
from inductor_lab.errors import LabError
from inductor_lab.records import Capture, Kernel, Launch
from inductor_lab.records.span import Span


@dataclass(frozen=True)
class Part:
    """One kernel of a span, which several of its steps may launch."""

    number: int
    """Of `generated_0`."""
    plan: Plan
    text: KernelText
    parts: Rendering

    @property
    def hand(self) -> HandKernel:
        return self.parts.hand


def kernels(capture: Capture, span: Span, style: str, file: str, target: str = "triton") -> list[Part | None]:
    """For each step the kernel that it launches, one for all launches of a body with the same arguments; None for a library call.

    Args:
        target: What they are written in, one of `TARGETS`.

    Raises:
        LabError: one can not be ejected.
    """
    found: dict[object, Part] = {}
    functions, made = _Functions(cplusplus() if target == "cuda" else ()), list[Part | None]()
    for step in span.steps:
        if not step.kernel:
            made.append(None)
            continue
        kernel, launch = _launched(capture, span, step.kernel, step.line)
        key = (kernel.body_sha256, _types(launch))
        if key not in found:
            planned = plan(capture, _alone(capture, kernel, launch))
            beside = {tensor.name for tensor in planned.tensors.values()}  # parameters of its launcher, which calls it
            name = naming.unique(planned.name, functions.taken | beside)
            functions.taken.add(name)
            planned = replace(planned, table=None, name=name)
            text = TARGETS[target](planned, style)
            parts = functions.settled(rendering(planned, text, file=file, apart=True))
            found[key] = Part(len(found), planned, text, parts)
        made.append(found[key])
    return made


def distinct(parts: Iterable[Part | None]) -> list[Part]:
    """Each kernel once."""
    return list({part.number: part for part in parts if part is not None}.values())


def _launched(capture: Capture, span: Span, id_: str, line: int) -> tuple[Kernel, Launch]:
    for kernel in capture.kernels:
        for launch in kernel.launches:
            if kernel.id == id_ and (launch.graph, launch.line) == (span.graph, line):
                return kernel, launch
    raise LabError(f"{span.name}: {capture.name} has no launch of {id_} in line {line} of graph {span.graph}")


def _alone(capture: Capture, kernel: Kernel, launch: Launch) -> Kernel:
    """The kernel with this launch alone.

    A template's reference is printed from nodes of the graph: those of this launch, else of the first one, which computes the same of what it is given.
    """
    claim, first = kernel.claim, kernel.launches[0]
    if kernel.category == "template":
        nodes = {node.name: node for graph in capture.graphs if graph.id == launch.graph for node in graph.nodes}
        claim = of_launch(kernel, launch, nodes, {})
        if not claim.nodes and (first.graph, _types(first)) == (launch.graph, _types(launch)):
            claim, launch = kernel.claim, first
    return replace(kernel, launches=(launch,), claim=claim if claim.nodes else kernel.claim)


def _types(launch: Launch) -> tuple[tuple[str, object], ...]:
    return tuple((argument.name, argument.type or argument.value) for argument in launch.arguments)


class _Functions:
    """The functions that kernels call. What is alike stands once; what has the name of another one is given its own."""

    def __init__(self, others: Iterable[str] = ()) -> None:
        self.taken = {*naming.RESERVED, *NAMES, *others}
        self.texts: dict[str, str] = {}

    def settled(self, parts: Rendering) -> Rendering:
        """The same parts under such names, without functions that another kernel of the file has brought."""
        hand, baseline = parts.hand, parts.baseline
        references = parts.reference.functions if parts.reference else ()
        comparing = parts.comparing
        names = self._names([*hand.functions, *references, *comparing.functions, *baseline.functions])
        hand_own = [parameter.name for parameter in hand.parameters]
        base_own = [word.partition(":")[0].strip() for word in baseline.parameters.split(",")]
        reference = parts.reference
        if reference is not None:
            lines, results = _body(reference.lines, names, ()), exchanged(reference.results, names)
            reference = replace(reference, functions=self._new(references, names), lines=lines, results=results)
        return replace(
            parts,
            hand=replace(hand, functions=self._new(hand.functions, names), body=_body(hand.body, names, hand_own)),
            reference=reference,
            comparing=replace(
                comparing, functions=self._new(comparing.functions, names), lines=_body(comparing.lines, names, ()),
                rows=tuple(exchanged(row, names) for row in comparing.rows),
            ),
            baseline=replace(
                baseline, functions=self._new(baseline.functions, names), body=_body(baseline.body, names, base_own),
                namespace=exchanged(baseline.namespace, names),
            ),
        )  # fmt: skip

    def _names(self, texts: Sequence[str]) -> dict[str, str]:
        """Names that mean something else in the file already -> those for these functions; who calls one of them is another function too."""
        names: dict[str, str] = {}
        while True:
            clash = {
                name
                for text in texts
                for name in defined(text)
                if name not in names and self.texts.get(name, exchanged(text, names)) != exchanged(text, names)
            }
            if not clash:
                return names
            names |= {name: naming.unique(name, self.taken) for name in sorted(clash)}

    def _new(self, texts: Sequence[str], names: Mapping[str, str]) -> tuple[str, ...]:
        fresh = []
        for text in (exchanged(text, names) for text in texts):
            if text not in self.texts.values():
                fresh.append(text)
                self.texts |= dict.fromkeys(defined(text) or [text], text)
                self.taken |= {*defined(text)}
        return tuple(fresh)


def _body(lines: Sequence[str], names: Mapping[str, str], own: Sequence[str]) -> tuple[str, ...]:
    return tuple(exchanged("\n".join(lines), names, own).split("\n")) if lines else ()


def defined(text: str) -> list[str]:
    """The names that a text gives something to, outside of functions."""
    found = []
    for statement in ast.parse(text).body:
        match statement:
            case ast.FunctionDef(name=name) | ast.ClassDef(name=name) | ast.Assign(targets=[ast.Name(id=name)]):
                found.append(name)
    return found
