"""Does what a launch wrote, or a graph returned, agree with eager PyTorch? By the judge's own limit.

A graph that is too large for that, whose every value would stay in float64, is held to the module as Inductor generated it: both modules run on
the same inputs, one with the hand kernels. Each hand kernel's run is held to its own reference, the outputs of the one to those of the other; where
no hand kernel is given, each launch is held to its reference. What waits for the other lies on the card where there is room, else in the
host's memory.

real_llama_3_1_8b: 8.0e9 weights, 36 GB go into its backward graph; all its nodes' values in float64 are 729 GB.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass, replace
from functools import cache, partial
from operator import attrgetter
from types import SimpleNamespace
from typing import Any

import torch
from torch import Tensor

from inductor_lab.bind.bindings import bind
from inductor_lab.eject import sizes
from inductor_lab.eject.binding.plan import Plan, plan
from inductor_lab.ejected import demanded
from inductor_lab.judge import alone
from inductor_lab.judge.compare import limits
from inductor_lab.judge.compare.allowances import JUMP, around
from inductor_lab.judge.compare.reference import expected, signs
from inductor_lab.judge.inputs.domains import Domain
from inductor_lab.records import Capture, Graph, Kernel, Node, ReplayedLaunch
from inductor_lab.records.span import Span
from inductor_lab.replay.graph import SEED
from inductor_lab.replay.inputs import bits, copied, on_the_cpu
from inductor_lab.replay.launches import Launched, launch_blocks
from inductor_lab.replay.module import Module

Values = Mapping[str, Any]
DRAWS = (1, 2)
ALIKE = 0.1
"""How far a value may be from a node's, of its norm, to be taken for it: another node's is about as far as it is long."""
FURTHER = 2.0
"""How many times as far as a last bit of the inputs moves an output may it be from the generated module's, in the root mean square: a last bit of the
narrowest dtype that the graph computes in (`_coarsest`)."""


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
    try:
        return _held_to_reference(launched, before)
    except torch.OutOfMemoryError:
        return "unknown", {}, "its reference in float64 does not fit on the card beside the graph's tensors"


def _held_to_reference(launched: Launched, before: Mapping[str, Tensor]) -> tuple[str, dict[str, float], str]:
    if changed := _changed(launched, before):
        return "fail", {}, f"it changed {changed}, which it must only read"
    if not launched.file.reference:
        return "unknown", {}, "it has no reference in eager PyTorch"
    file = SimpleNamespace(
        TAKES=launched.file.TAKES,
        reference=partial(launched.file.reference, **launched.numbers),
        WRITTEN=launched.file.WRITTEN,
    )
    eager = expected(file, before)
    exact = expected(file, before, exact=True)
    generated = cache(partial(_generated, launched, before))
    worst: limits.Finding | None = None
    for name in demanded(launched.file):
        number = file.WRITTEN.index(name)
        out = launched.tensors[name]
        want, ideal = (each[number].reshape(out.shape) for each in (eager, exact))

        def nudged(number: int = number, shape: torch.Size = out.shape) -> list[Tensor]:
            draws = (expected(file, before, exact=True, nudge=draw) for draw in DRAWS)
            return [results[number].reshape(shape) for results in draws]

        found = limits.compared(out, want, ideal, None, limits.Draws(nudged))
        if found.message and launched.hand:
            found = limits.compared(out, want, ideal, generated()[number].reshape(out.shape), limits.Draws(nudged))
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


# ------------------------------------------------------------ to the module as it was generated


def too_large(graph: Graph) -> str:
    """Why a graph can not be held to eager on the card that is there, in a sentence; empty where it can, or where there is no card."""
    if alone.DEVICE == "cpu":
        return ""
    needs, has = held_by_eager(graph), torch.cuda.mem_get_info()[1]
    if needs < has:
        return ""
    return (
        f"graph {graph.id} is held to the module as it was generated: to hold it to eager takes {needs / 1e9:,.0f} GB of values in float64, "
        f"the card has {has / 1e9:,.0f}"
    )


def held_by_eager(graph: Graph) -> int:
    """Bytes of all values of a graph in eager, in float64, and there with last bits moved twice; a view has none of its own."""
    symbols = sizes.hints(graph)
    found = 0
    for node in graph.nodes:
        if node.type and not _is_view(node):
            type_ = sizes.fixed(node.type, symbols)
            dtype = getattr(torch, type_.dtype)
            wide = 8 if dtype.is_floating_point else dtype.itemsize
            found += math.prod(map(int, type_.shape)) * (dtype.itemsize + 3 * wide)
    return found


def _is_view(node: Node) -> bool:
    try:
        returned = attrgetter(node.target)(torch.ops)._schema.returns
    except (
        AttributeError,
        RuntimeError,
    ):  # a placeholder, a Python function, an operator of a library that is not here
        return node.target == "getitem"
    return any(one.alias_info is not None for one in returned)


def on_the_host(values: Mapping[str, Any]) -> dict[str, Any]:
    """The same, where they take no memory of the card's."""
    return {name: _at(x, "cpu") for name, x in values.items()}


def held_to_generated(
    graph: Graph, given: Mapping[str, Any], generated: Module, hand: Module, drawn: Iterable[str]
) -> tuple[dict[str, Any], dict[str, str], dict[str, float]]:
    """What the module with hand kernels returns, on the host; each output -> `pass`, or how it differs from the generated module's; and how far it is.

    Args:
        given: The graph's inputs on the host, in the module's order; they are left as they are.
        drawn: Outputs that are states of a random generator, which are not held.

    Raises:
        LabError: a hand kernel does not run.
    """
    waits = ""

    def returned(call: Module, draw: int = 0) -> dict[str, Any]:
        nonlocal waits
        found = returned_by(call, graph, given, draw)
        waits = waits or _has_room(found)
        return {name: _at(x, waits) for name, x in found.items()}

    want = returned(generated)
    again = cache(partial(returned, generated))

    def others(name: str) -> list[Tensor]:
        return [again(draw)[name] for draw in DRAWS]

    out = returned(hand)
    told, errors = dict[str, str](), dict[str, float]()
    for name in (name for name in out if name not in set(drawn)):
        told[name], far = _compared(out[name], want[name], partial(others, name))
        errors |= {} if far is None else {name: far}
    return on_the_host(out), told, errors


def returned_by(call: Module, graph: Graph, given: Mapping[str, Any], draw: int = 0) -> dict[str, Any]:
    """What a module returns on the card, by the outputs' names; for a draw, on inputs that are a last bit of what the graph computes in away."""
    stays, generator = on_the_cpu(graph), torch.Generator("cpu").manual_seed(draw)
    taken = [copied(x, "cpu" if name in stays else alone.DEVICE) for name, x in given.items()]
    if draw:
        taken = [_moved(x, generator, _coarsest(graph)) for x in taken]
    torch.manual_seed(SEED)
    return {name: x for name, x in zip(graph.outputs, call(taken), strict=True) if name}


def _has_room(found: Mapping[str, Any]) -> str:
    """Where the outputs of as many runs as there are wait for each other: on the card, beside what a run takes at most, or on the host."""
    if alone.DEVICE == "cpu":
        return "cpu"
    bytes_ = sum(x.nbytes for x in found.values() if isinstance(x, Tensor))
    room = torch.cuda.mem_get_info()[0] + torch.cuda.memory_reserved()
    fits = torch.cuda.max_memory_allocated() + (2 + len(DRAWS)) * bytes_ < room * 0.6  # the rest: references in float64
    return alone.DEVICE if fits else "cpu"


def _compared(out: Any, want: Any, again: Callable[[], list[Tensor]]) -> tuple[str, float | None]:
    if not isinstance(out, Tensor):
        return "pass" if out == want else f"is {out}, the generated module returns {want}", None
    out, want = (_at(x, alone.DEVICE) for x in (out, want))
    if torch.equal(bits(out), bits(want)):
        return "pass", 0.0 if out.is_floating_point() else None
    if out.is_floating_point() and (far := _moved_as_far(out, want, again)) is not None:
        return "pass", far
    found = limits.against_generated(out, want, lambda: [_at(x, alone.DEVICE) for x in again()])
    return found.message or "pass", found.errors.get("hand")


def _moved_as_far(out: Tensor, want: Tensor, again: Callable[[], list[Tensor]]) -> float | None:
    """How far an output is off, a part of the largest value, where the last bits of the module's inputs move it as far; else None.

    All layers multiply what one kernel rounds. So an output is held in the root mean square, and each element by the most that any is moved in
    its row or its column, whichever is less. Logits of a language model are gigabytes: nothing is wider here than it must be.
    """
    wide = torch.promote_types(out.dtype, torch.float32)

    def apart(x: Tensor) -> Tensor:
        far = (_at(x, alone.DEVICE).to(wide) - want).abs_().nan_to_num_(0.0, 0.0, 0.0).squeeze()
        return far.reshape(-1, far.shape[-1] if far.ndim > 1 else far.numel())

    same = (out == want) | (out.isnan() & want.isnan())
    if not out.numel() or not bool((same | (out.isfinite() & want.isfinite())).all()):
        return None
    moved, most = torch.zeros(()), 0.0
    for other in again():
        far = apart(other)
        moved, most = torch.maximum(moved.to(far), far), max(most, float(torch.linalg.vector_norm(far)))
    error, limit = apart(out), around(moved)
    if float(torch.linalg.vector_norm(error)) > FURTHER * most:
        return None
    if bool((error > JUMP * (moved.amax() if limit is None else limit)).any()):
        return None
    return float(error.amax() / want.nan_to_num(0.0, 0.0, 0.0).abs().amax())


def _at(x: Any, device: str) -> Any:
    """The same tensor where it lies there."""
    return copied(x, device) if isinstance(x, Tensor) and x.device.type != device else x


def _coarsest(graph: Graph) -> float:
    """The last bit of the narrowest floating dtype that a graph computes in: weights are float32 under autocast, and rounded to half precision first."""
    dtypes = {getattr(torch, node.type.dtype) for node in graph.nodes if node.type}
    return max((torch.finfo(dtype).eps for dtype in dtypes.intersection(limits.NARROW)), default=0.0)


def _moved(x: Any, generator: torch.Generator, bit: float = 0.0) -> Any:
    """Each value off by a last bit of its own dtype, or by one that is as coarse as that, or not; whole numbers as they are."""
    if not (isinstance(x, Tensor) and x.is_floating_point()):
        return x
    return x + x * (max(torch.finfo(x.dtype).eps, bit) / 2) * signs(x, generator).to(x.dtype)
