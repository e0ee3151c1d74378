"""Plans and prints each distinct kernel of a span, under names that are unique in the span's file.

Inductor writes the comment above a kernel once, for the launch that it generates first; of a later launch it is told with that one's nodes:

sum_24 = sum(mul_61, [0, 1, 2]) of mul_61      of a later launch, which is given mul_77: sum_31 = sum(mul_77, [0, 1, 2])
"""

from __future__ import annotations

import ast
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace

from inductor_lab.eject import naming
from inductor_lab.eject.binding.plan import Plan, plan
from inductor_lab.eject.cuda.page import cplusplus
from inductor_lab.eject.device_functions import NAMES, exchanged
from inductor_lab.eject.file import rendering
from inductor_lab.eject.rendering import Baseline, HandKernel, KernelText, Rendering
from inductor_lab.eject.span.antiunification import Number
from inductor_lab.eject.span.deduplication import LaunchNumbers, by_hand, generated, one_baseline, one_for_all
from inductor_lab.eject.targets import TARGETS
from inductor_lab.errors import LabError
from inductor_lab.records import Capture, Claim, Kernel, Launch, Node
from inductor_lab.records.size import substituted
from inductor_lab.records.span import Span


@dataclass(frozen=True)
class Part:
    """One kernel of a span, which several of its steps may launch."""

    number: int
    """Of `generated_0`."""
    plan: Plan
    text: KernelText
    parts: Rendering
    """As a file of its own would have it."""
    printed: Rendering
    """As it stands in this one, for all kernels that have its name."""
    baseline: Baseline
    """The same of Inductor's, for all that have its number."""
    given: LaunchNumbers
    """What its launches give the one, besides tensors."""
    given_generated: Mapping[str, Number]

    @property
    def hand(self) -> HandKernel:
        return self.printed.hand

    def setting(self, key: str) -> str:
        """What a setting of its launcher is called in this file: `double_BLOCK`."""
        return f"{self.plan.name}_{key}"

    def generated_setting(self, key: str) -> str:
        """The same of Inductor's: `XBLOCK_0`."""
        return f"{key}_{self.number}"


def kernels(capture: Capture, span: Span, style: str, file: str, target: str = "triton") -> list[Part | None]:
    """For each step the kernel that it launches, one for all launches of a body with the same arguments; None for a library call.

    Args:
        target: What they are written in, one of `TARGETS`.

    Raises:
        LabError: one can not be ejected.
    """
    found: dict[object, int] = {}
    steps, plans, texts, parts = list[int | None](), list[Plan](), list[KernelText](), list[Rendering]()
    foreign = {*cplusplus()} if target == "cuda" else set[str]()
    for step in span.steps:
        if not step.kernel:
            steps.append(None)
            continue
        kernel, launch = launched(capture, span, step.kernel, step.line)
        key = (kernel.body_sha256, _types(launch))
        if key not in found:
            found[key] = len(plans)
            planned = replace(plan(capture, _alone(capture, kernel, launch)), table=None)
            if target == "cuda":  # its text has its name: each is one of its own
                taken = foreign | {*naming.RESERVED, *NAMES, *(one.name for one in plans), *_tensors(planned)}
                planned = replace(planned, name=naming.unique(planned.name, taken))
            plans.append(planned)
            texts.append(TARGETS[target](planned, style))
            parts.append(rendering(plans[-1], texts[-1], file=file, several=True))
        steps.append(found[key])
    made = _together(plans, texts, parts, foreign)
    return [None if at is None else made[at] for at in steps]


def _together(
    plans: Sequence[Plan], texts: Sequence[KernelText], parts: Sequence[Rendering], foreign: Iterable[str]
) -> list[Part]:
    """The kernels under names of this file, and of none of those that are foreign to it; those that are alike under one."""
    hands = by_hand(plans, parts)
    baselines = generated(plans, parts, hands)
    of_hand = {at: shared for shared in hands for at in shared.members}
    of_inductor = {at: (number, shared) for number, shared in enumerate(baselines) for at in shared.members}
    functions = _Functions(foreign)
    names, printed, own = dict[int, str](), dict[int, Rendering](), dict[int, Baseline]()
    for at, (of, one) in enumerate(zip(plans, parts, strict=True)):
        hand, (_, theirs) = of_hand[at], of_inductor[at]
        if at == hand.members[0]:
            beside = {name for member in hand.members for name in _tensors(plans[member])}
            names[hand.first] = naming.unique(of.name, functions.taken | beside)
            functions.taken.add(names[hand.first])
        if at == hand.first:
            others = [parts[member] for member in hand.members if member != at]
            printed[at] = one_for_all(of, functions.by_hand(one, names[at]), hand.numbers, others)
        if at == theirs.first:
            own[at] = functions.baseline(one.baseline)
            own[at] = one_baseline(of, own[at], theirs.numbers) if theirs.members[1:] else own[at]
    made = []
    for at, (of, text, one) in enumerate(zip(plans, texts, parts, strict=True)):
        hand, (number, theirs) = of_hand[at], of_inductor[at]
        given, plan_ = (hand.given(at), theirs.given(at).launch), replace(of, name=names[hand.first])
        made.append(Part(number, plan_, text, one, printed[hand.first], own[theirs.first], *given))
    return made


def _tensors(plan: Plan) -> set[str]:
    """Parameters of a kernel's launcher, which calls it by its name."""
    return {tensor.name for tensor in plan.tensors.values()}


def once(parts: Iterable[Part | None], key: Callable[[Part], object] = id) -> list[Part]:
    """The first kernel of each key; each kernel, unless one is given."""
    found: dict[object, Part] = {}
    for part in parts:
        if part is not None:
            found.setdefault(key(part), part)
    return list(found.values())


def launched(capture: Capture, span: Span, id_: str, line: int) -> tuple[Kernel, Launch]:
    """The kernel that a line of the span's graph launches."""
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

    def __init__(self, others: Iterable[str]) -> None:
        self.taken = {*naming.RESERVED, *NAMES, *others}
        self.texts: dict[str, str] = {}

    def by_hand(self, parts: Rendering, name: str) -> Rendering:
        """A kernel, its reference and what it compares under such names, without functions that another kernel of the file has brought."""
        hand, reference, comparing = parts.hand, parts.reference, parts.comparing
        names = self._names([*hand.functions, *(reference.functions if reference else ()), *comparing.functions])
        own = [parameter.name for parameter in hand.parameters]
        hand = replace(hand, name=name, functions=self._new(hand.functions, names), body=_body(hand.body, names, own))
        if reference is not None:
            lines, results = _body(reference.lines, names, ()), exchanged(reference.results, names)
            reference = replace(
                reference, functions=self._new(reference.functions, names), lines=lines, results=results
            )
        comparing = replace(
            comparing, functions=self._new(comparing.functions, names), lines=_body(comparing.lines, names, ()),
            rows=tuple(exchanged(row, names) for row in comparing.rows),
        )  # fmt: skip
        return replace(parts, hand=hand, reference=reference, comparing=comparing)

    def baseline(self, baseline: Baseline) -> Baseline:
        """The same of Inductor's kernel, whose functions have other names than those of kernels to be edited."""
        names = self._names(baseline.functions)
        own = [parameter.name for parameter in baseline.takes]
        return replace(
            baseline, functions=self._new(baseline.functions, names), body=_body(baseline.body, names, own),
            helpers={helper: names.get(called, called) for helper, called in baseline.helpers.items()},
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


def is_claimed(kernel: Kernel, launch: Launch) -> bool:
    """Whether the comment is of this launch."""
    first = kernel.launches[0]
    return (first.graph, first.line) == (launch.graph, launch.line) or launch.provenance.nodes == kernel.claim.nodes


def of_launch(kernel: Kernel, launch: Launch, nodes: Mapping[str, Node], known: Mapping[str, str]) -> Claim:
    """The claim with this launch's nodes; one that claims nothing where they are not known.

    Args:
        nodes: Of the graph, by name.
        known: What the first launch reads -> what this one reads in its place, as far as that is known.
    """
    if is_claimed(kernel, launch):
        return kernel.claim
    claim, own = kernel.claim, launch.provenance.nodes
    names = _matched(claim, own, nodes) if len(own) == len(claim.nodes) else _followed(claim, known, nodes)
    if not names:
        return Claim()
    first = {argument.name: argument.value for argument in kernel.launches[0].arguments}
    names |= {first[argument.name]: argument.value for argument in launch.arguments if argument.name in first}
    inputs, made, outputs = (
        tuple(names[name] for name in told if name in names) for told in (claim.inputs, claim.nodes, claim.outputs)
    )
    return replace(claim, inputs=inputs, nodes=made, outputs=outputs, fragment=())


def _matched(claim: Claim, own: tuple[str, ...], nodes: Mapping[str, Node]) -> dict[str, str]:
    """Name -> name, where the launch's nodes are known, in the same order; none where they are not alike."""
    names = dict(zip(claim.nodes, own, strict=True))
    for name, other in [*names.items()]:
        node, its = nodes.get(name), nodes.get(other)
        if node is None or its is None or (node.target, len(node.arguments)) != (its.target, len(its.arguments)):
            return {}
        pairs = zip(node.arguments, its.arguments, strict=True)
        if any(names.setdefault(argument, given) != given for argument, given in pairs):
            return {}
    return names


def _followed(claim: Claim, known: Mapping[str, str], nodes: Mapping[str, Node]) -> dict[str, str]:
    """The same from what is read on: each node is the graph's that makes the same call of them; none where one is not there."""
    names, calls = dict(known), {node.call: node.name for node in nodes.values() if node.arguments}
    for name in claim.nodes:
        node = nodes.get(name)
        if node is None or not node.arguments or not names.keys() >= {*node.arguments}:
            return {}
        made = calls.get(ast.unparse(substituted(node.tree, {name: ast.Name(given) for name, given in names.items()})))
        if made is None:
            return {}
        names[name] = made
    return names
