"""Does what a launch wrote, or a graph returned, agree with eager PyTorch? By the judge's own limit."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, replace
from functools import cache, partial
from types import SimpleNamespace
from typing import Any

import torch
from torch import Tensor

from inductor_lab.bind.bindings import bind
from inductor_lab.eject import sizes
from inductor_lab.eject.binding.plan import Plan, plan
from inductor_lab.ejected import demanded
from inductor_lab.errors import short_of_memory
from inductor_lab.judge.compare import limits
from inductor_lab.judge.compare.reference import by_element, expected
from inductor_lab.judge.inputs.domains import Domain
from inductor_lab.judge.inputs.placement import there, with_room
from inductor_lab.judge.watch.watched_memory import bits
from inductor_lab.records import Capture, Graph, Kernel, ReplayedLaunch
from inductor_lab.records.span import Span
from inductor_lab.replay.launches import Launched, launch_blocks

Values = Mapping[str, Any]
DRAWS = (1, 2)
ALIKE = 0.1
"""How far a value may be from a node's, of its norm, to be taken for it: another node's is about as far as it is long."""


@dataclass
class EagerValues:
    """A graph in eager and in float64; and in float64 for inputs that are a last bit away, and with values that are rounded."""

    graph: Graph
    eager: Values
    exact: Values
    nudged: Callable[[int], Values]
    """A draw's number -> every node's value."""
    rounded: Callable[[int], Values]

    def held(self, out: Any, node: str) -> limits.Finding:
        """A value that should be a node's."""
        want, ideal = self.eager[node], self.exact[node]
        if not isinstance(want, Tensor):
            same = out == want
            return limits.Finding(message="" if same else f"is {out}, eager has {want}")

        def rounded() -> list[Tensor]:
            return [self.rounded(draw)[node].to(out.device) for draw in DRAWS]

        def moved() -> list[Tensor]:
            """Half precision anywhere before moves what is wider too; what is narrow itself, `compared` asks for apart."""
            nudged = [self.nudged(draw)[node].to(out.device) for draw in DRAWS]
            return nudged if out.dtype in limits.NARROW else nudged + rounded()

        return limits.compared(
            out, want.to(out.device), ideal.to(out.device), None, limits.Draws(moved, roughly=rounded)
        )


def held_launch(
    capture: Capture, launched: Launched, before: Mapping[str, Tensor], meant: EagerValues | None
) -> ReplayedLaunch:
    """What a launch, or a span's hand kernel, wrote, held to its own reference on the inputs that it was given, and to the graph's nodes where
    those are known. What nobody reads is not.
    """
    verdict, errors, message = _by_reference(launched, before)
    buffers = {}
    if meant is not None:
        left = _left_by_span(capture, launched, launched.of, meant) if isinstance(launched.of, Span) else ()
        left = _left(launched, launched.of, before, meant) if isinstance(launched.of, Kernel) else left
        for called, out, node in left:
            if _fits(out, meant.eager.get(node)):
                buffers[called] = meant.held(out.reshape(meant.eager[node].shape), node).message or "pass"
    grafted = launched.hand is not None
    return ReplayedLaunch(
        launched.of.id, launched.name, launched.graph, launched.line, grafted, verdict, errors, message, buffers
    )


Left = Iterator[tuple[str, Tensor, str]]
"""(what it is called, a tensor that was written, the node whose value it should be)."""


def _left(launched: Launched, kernel: Kernel, before: Mapping[str, Tensor], meant: EagerValues) -> Left:
    assert launched.plan is not None, "it is a kernel's"
    for name, node in _nodes(launched.plan, kernel, meant.graph, before, meant.eager).items():
        if name in demanded(launched.file):
            yield name, launched.tensors[name], node


def _left_by_span(capture: Capture, launched: Launched, span: Span, meant: EagerValues) -> Left:
    called = launched.file.ORIGIN["parameters"]
    variables = {variable: launched.tensors[name] for variable, name in called.items()}
    for value, node in _nodes_of_span(capture, span, meant).items():
        variable = _base(value)
        if called.get(variable) not in demanded(launched.file):
            continue
        if value == variable:
            yield called[variable], variables[variable], node
        else:  # a tensor may be called `view` too
            yield node, eval("_" + value, {"_view": _view, **variables, **sizes.hints(meant.graph)}), node


def _nodes_of_span(capture: Capture, span: Span, meant: EagerValues) -> dict[str, str]:
    """What a span leaves, as its steps are passed it -> the node whose value it is; not what a library call wrote over since."""
    found: dict[str, str] = {}
    kernels = {kernel.id: kernel for kernel in capture.kernels}
    for step in span.steps:
        told: dict[str, str] = {}
        passed = {argument.name: argument.value for argument in step.arguments}
        written = [passed["out"]] if "out" in passed else [*passed.values()][:1]
        if step.kernel:
            kernel = kernels[step.kernel]
            launch = next(one for one in kernel.launches if (one.graph, one.line) == (span.graph, step.line))
            planned = plan(capture, replace(kernel, launches=(launch,)))
            parameters = {tensor.name: parameter for parameter, tensor in planned.tensors.items()}
            nodes = _nodes(planned, kernel, meant.graph, {}, meant.eager)
            told = {passed[parameters[name]]: node for name, node in nodes.items()}
            written = [passed[parameter] for parameter, tensor in planned.tensors.items() if tensor.role != "in"]
        found = {value: node for value, node in found.items() if not any(_meet(value, one) for one in written)} | told
    return found


def _base(value: str) -> str:
    """`buf3` of itself and of `view(buf3, (128, 16), (432, 1), 16)`."""
    return value.removeprefix("view(").partition(",")[0]


def _meet(one: str, other: str) -> bool:
    """Whether two are the same memory, or one is a part of the other; two parts lie beside each other."""
    return one == other or (_base(one) == _base(other) and (one == _base(one) or other == _base(other)))


def _view(x: Tensor, shape: tuple[int, ...], stride: tuple[int, ...], offset: int) -> Tensor:
    return torch.as_strided(x, shape, stride, x.storage_offset() + offset)


def _by_reference(launched: Launched, before: Mapping[str, Tensor]) -> tuple[str, dict[str, float], str]:
    if changed := _changed(launched, before):
        return "fail", {}, f"it changed {changed}, which it must only read"
    if not launched.file.reference:
        return "unknown", {}, "it has no reference in eager PyTorch"
    try:
        return with_room(partial(_held_to_reference, launched, before))
    except Exception as error:
        if not short_of_memory(error):
            raise
        return "unknown", {}, "its reference in float64 does not fit into memory"


def _held_to_reference(
    launched: Launched, before: Mapping[str, Tensor], device: str
) -> tuple[str, dict[str, float], str]:
    before = there(before, device)
    written = there({name: launched.tensors[name] for name in demanded(launched.file)}, device)
    file = SimpleNamespace(
        TAKES=launched.file.TAKES,
        reference=partial(launched.file.reference, **launched.numbers),
        WRITTEN=launched.file.WRITTEN,
        aten=None if launched.file.aten is launched.file.reference else launched.file.aten,
    )
    eager, exact = expected(file, before), expected(file, before, exact=True)
    generated = cache(partial(_generated, launched, before))  # on the card
    worst: limits.Finding | None = None
    for name in demanded(launched.file):
        number = file.WRITTEN.index(name)
        out = written[name]
        want, ideal = (each[number].to(device).reshape(out.shape) for each in (eager, exact))

        def nudged(number: int = number, shape: torch.Size = out.shape) -> list[Tensor]:
            draws = (expected(file, before, exact=True, nudge=draw) for draw in DRAWS)
            return [results[number].to(device).reshape(shape) for results in draws]

        found = limits.compared(out, want, ideal, None, limits.Draws(nudged))
        if found.message and launched.hand:
            mine = generated()[number].to(device).reshape(out.shape)
            found = by_element(file, before, number, out, want, ideal, mine)
        if found.message:
            return "fail", dict(found.errors), f"{name} {found.message}"
        if worst is None or limits.nearness(found.errors["hand"], found.limit) > limits.nearness(
            worst.errors["hand"], worst.limit
        ):
            worst = found
    return "pass", {name: worst.errors[name] if worst else 0.0 for name in ("hand", "eager")}, ""


def _generated(launched: Launched, before: Mapping[str, Tensor]) -> list[Tensor]:
    """What Inductor's kernels write in a hand kernel's place, on the same inputs."""
    file, given = launched.file, dict[str, Tensor]()
    for name, (_, _, dtype, fill) in file.ARGUMENTS.items():
        x = launched.tensors[name]
        if same := Domain(fill, dtype).same:
            given[name] = given[same]
        else:
            given[name] = torch.empty_strided(x.shape, x.stride(), dtype=x.dtype, device=x.device)
            if name in before:
                given[name].copy_(before[name])
    file.launch_generated(*given.values(), **launched.numbers, **launch_blocks(file, "launch_generated"))
    return [given[name] for name in file.WRITTEN]


def _changed(launched: Launched, before: Mapping[str, Tensor]) -> str:
    """A tensor that is not what it was, and shares its memory with none that is written; empty for none."""
    written = {launched.tensors[name].untyped_storage().data_ptr() for name in launched.file.WRITTEN}
    for name, was in before.items():
        now = launched.tensors[name]
        if now.untyped_storage().data_ptr() not in written and not torch.equal(bits(now), bits(was)):
            return name
    return ""


def _nodes(planned: Plan, kernel: Kernel, graph: Graph, before: Values, eager: Values) -> dict[str, str]:
    """What the launch of a plan writes, by the file's names -> the node whose value it is, where that is certain.

    The kernel's comment names the nodes of its first launch. Another launch's are those of its own line, where it was given what they are made
    of: of twelve slices that one body copies, the comment says which the first is.
    """
    launch, nodes = planned.launch, {node.name: node for node in graph.nodes}
    tied = bind(kernel, launch, nodes, graph.outputs, planned.found)
    told = set(nodes) if launch == kernel.launches[0] else set(launch.provenance.nodes)  # the claim is the first's
    if told < set(nodes) and not _reads(planned, tied.read, before, eager):
        return {}
    return {
        tensor.name: tied.written[parameter]
        for parameter, tensor in planned.tensors.items()
        if tensor.role != "in" and tied.written.get(parameter) in told and parameter not in tied.likely
    }


def _reads(planned: Plan, tied: Mapping[str, str], before: Values, eager: Values) -> bool:
    """Whether a launch was given the values of the nodes that it is tied to, but for roundings."""
    for parameter, tensor in planned.tensors.items():
        given = before.get(tensor.name)
        node: Any = eager.get(tied.get(parameter, ""))
        if not isinstance(given, Tensor) or not _fits(given, node):
            continue
        wide = torch.complex128 if given.is_complex() else torch.float64
        one, other = given.reshape(-1).to(wide), node.reshape(-1).to(given.device, wide)
        if torch.linalg.norm(one - other) > ALIKE * torch.linalg.norm(other):
            return False
    return True


def _fits(out: Tensor, value: Any) -> bool:
    return isinstance(value, Tensor) and out.dtype == value.dtype and out.numel() == value.numel()
