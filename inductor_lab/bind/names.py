"""Which tensor of the model stands behind each pointer of a kernel.

The wrapper's names (`arg1_1`, `primals_3`) are nodes of the graph already; what a buffer (`buf3`) holds is found out by `bindings`, where that
is only likely by what the launch or the library call before says that wrote it.

    triton_poi_fused_add_mul_16.run(buf15, buf19, ...)      return %add_40, %add_44      buf15: add_40, buf19: add_44

Of a body launched several times the comment is about the first launch alone: what another writes is not known here, and neither is what is passed
as a part of a variable's memory.
"""

from __future__ import annotations

import itertools
import re
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass

from inductor_lab.bind.bindings import BUFFER, Bindings, bind
from inductor_lab.bind.dependencies import is_part
from inductor_lab.computation import Computation, computation, groups
from inductor_lab.records import Capture, ExternCall, Graph, Input, Kernel, Launch, LaunchArgument, Node, TensorType

WORKSPACE = re.compile(r"(ws_ptr|sem_ptr|.*_ws|semaphores?\w*|workspace\w*)$")
"""Parameters that are scratch memory of a launch: no tensor of the model."""


def scratch(kernel: Kernel, parameter: str) -> bool:
    """Whether nothing but the launch itself needs a parameter's memory; what groups of rows are folded to is folded on behind the launch."""
    return WORKSPACE.match(parameter) is not None and groups.of(kernel) is None


@dataclass(frozen=True)
class Tensor:
    """One pointer argument of the first launch."""

    pointer: str
    value: str
    """The wrapper's name for it."""
    type: TensorType | None
    node: Node | None
    """The node whose value it holds when the kernel starts (for an output: that the kernel computes)."""
    certain: bool
    input: Input | None = None
    """What it is in the user's program, where it is an input of the graph of which that is known."""
    later: Node | None = None
    """Of what is written in place: the node whose value it holds behind the launch, where that is sure."""

    @property
    def label(self) -> str:
        """The program's name, else the node's, marked where it is only likely; the wrapper's where no node is known."""
        if self.node is None:
            return plain_name(self.input) if self.input else self.value
        name = plain_name(self.input) if self.input else self.node.name
        return name if self.certain else f"{name}?"

    @property
    def becomes(self) -> str:
        """The graph's name for what is written over it; empty of what the program has a name for, and where none is sure."""
        return self.later.name if self.later and self.later != self.node and not self.input else ""


# What an input of a graph is called

OF_THE_MODEL = frozenset({"parameter", "buffer"})


def plain_name(one: Input) -> str:
    """`layers.0.norm.weight`, `labels`, `gradient of loss`, `exp_avg of norm.weight`."""
    return one.name if one.kind in OF_THE_MODEL | {"argument"} else f"{one.kind} of {one.name}"


def full_name(one: Input) -> str:
    """The same with the kind: `parameter layers.0.norm.weight`."""
    return f"{one.kind} {one.name}" if one.kind in OF_THE_MODEL else plain_name(one)


def term(one: Input) -> str:
    """As it stands in an expression: `layers.0.norm.weight`, `loss.grad`, `norm.weight.exp_avg`."""
    return ".".join(filter(None, parts(one)))


def parts(one: Input) -> tuple[str, str]:
    """Of which tensor it is, and what of it: `("norm.weight", "exp_avg")`."""
    return one.name, "" if one.kind in OF_THE_MODEL | {"argument"} else "grad" if one.kind == "gradient" else one.kind


def shared(told: Sequence[Input | None]) -> Input | None:
    """What several launches pass for one pointer: the end of the path that all have; None where they share nothing."""
    known = {one for one in told if one}
    if None in told or len({one.kind for one in known}) != 1:
        return None
    first, *others = known
    if not others:
        return first
    steps = zip(*(one.name.split(".")[::-1] for one in known), strict=False)
    alike = list(itertools.takewhile(lambda step: len({*step}) == 1, steps))
    name = ".".join(step[0] for step in alike[::-1])
    return Input(first.kind, name) if name or parts(first)[1] else None


def called(graph: Graph, graphs: Sequence[Graph]) -> Mapping[str, Input]:
    """What a graph's inputs are in the program, its gradients by names that no other tensor of the pass has.

    A result is called as Dynamo does before the graph is taken apart, `sum_1`; behind that the name may be another node's, and the result `sum_2`.
    Gradients come in the order of the results. One that is then not known has no name of the program.
    """
    forward = next((one for one in graphs if one.id == graph.id.replace("_backward", "_forward")), graph)
    if graph.kind != "backward" or forward is graph:
        return graph.called
    types = {node.name: node.type for node in (*graph.nodes, *forward.nodes)}
    saved = {node.name for node in graph.nodes if node.target == "placeholder"}
    fitting = {
        name: {result for result in forward.outputs if result and alike(types.get(result), types.get(name))}
        for name, one in graph.called.items()
        if one.kind == "gradient" and one.name in types
    }
    at = {
        name: forward.outputs.index(graph.called[name].name)
        for name in fitting
        if graph.called[name].name in fitting[name]
    }
    turned = {name for pair in itertools.combinations(at, 2) if at[pair[0]] >= at[pair[1]] for name in pair}
    found = {name: one for name, one in graph.called.items() if name not in fitting or name in at.keys() - turned}
    taken = {one.name for one in found.values()}
    for name in fitting.keys() - found.keys():
        if len(returned := fitting[name] - saved - taken) == 1:
            found[name] = Input("gradient", *returned)
    return found


def alike(one: TensorType | None, other: TensorType | None) -> bool:
    """Whether two tensors have one dtype and one shape, as far as both are known."""
    return one is not None and other is not None and (one.dtype, one.shape) == (other.dtype, other.shape)


def passed_as(graph: Graph | None) -> Mapping[str, str]:
    """The wrapper's variables of a graph's inputs -> the program's names."""
    return {name: plain_name(one) for name, one in graph.called.items()} if graph else {}


def graph_of(kernel: Kernel, capture: Capture) -> Graph | None:
    """The graph of the kernel's first launch."""
    wanted = kernel.launches[0].graph if kernel.launches else kernel.graph
    return next((graph for graph in capture.graphs if graph.id == wanted), None)


def nodes_of(kernel: Kernel, capture: Capture) -> dict[str, Node]:
    """Nodes by name: the whole graph where the log held it, else the comment's fragment."""
    graph = graph_of(kernel, capture)
    return {node.name: node for node in (*kernel.claim.fragment, *(graph.nodes if graph else ()))}


def tensors(kernel: Kernel, capture: Capture, found: Computation | None) -> dict[str, Tensor]:
    """Every pointer of the kernel, by name."""
    graph, nodes = graph_of(kernel, capture), nodes_of(kernel, capture)
    passed = {argument.name: argument for argument in (kernel.launches[0].arguments if kernel.launches else ())}
    outputs, called = (graph.outputs, graph.called) if graph else ((), {})
    tied = (
        bind(kernel, kernel.launches[0], nodes, outputs, found)
        if kernel.launches and found
        else Bindings({}, {}, frozenset())
    )
    if found and (likely := tied.likely & tied.read.keys()):
        variables = {variable for name in likely for variable in (passed[name].value, passed[name].storage)}
        there = written_before(capture, kernel.launches[0], variables, nodes, outputs)
        tied = bind(kernel, kernel.launches[0], nodes, outputs, found, there)
    jobs = list(found.every()) if found else []
    twice = {store.pointer for job in jobs for store in job.stores if job.overwrites(store)}
    result = {}
    for pointer in (argument for argument in kernel.arguments if argument.pointer):
        argument = passed.get(pointer.name, LaunchArgument(pointer.name, pointer.name))
        last = tied.written if pointer.name not in twice else {}  # of what is read in between
        name = (last if pointer.role == "out" else tied.read).get(pointer.name)
        node = nodes.get(name) if name and not BUFFER.fullmatch(name) else None
        held = node.name if node else argument.value if pointer.role == "in" else ""
        result[pointer.name] = Tensor(
            pointer.name, argument.value, argument.type, node, pointer.name not in tied.likely, called.get(held),
            nodes.get(tied.written.get(pointer.name, "")) if pointer.role == "inout" and pointer.name not in tied.unsure else None,
        )  # fmt: skip
    return result


# What earlier steps left in a variable


def written_before(
    capture: Capture, launch: Launch, variables: Collection[str], nodes: Mapping[str, Node], outputs: Collection[str]
) -> dict[str, str]:
    """Variable -> node, for what the last step of the launch's graph before it has written there, where that is known."""
    steps: dict[str, tuple[int, Kernel | ExternCall]] = {}
    for call in capture.extern_calls:
        if call.graph == launch.graph and call.line < launch.line:
            for output in call.outputs:
                if output.value in variables:
                    steps[output.value] = max(steps.get(output.value, (0, call)), (call.line, call), key=_line)
    for kernel in capture.kernels:
        roles = {one.name: one.role for one in kernel.arguments if one.pointer}
        for one in kernel.launches:
            if one.graph == launch.graph and one.line < launch.line:
                for argument in one.arguments:
                    if argument.value in variables and roles.get(argument.name, "in") != "in":
                        last = steps.get(argument.value, (0, kernel))
                        steps[argument.value] = max(last, (one.line, kernel), key=_line)
    found = {
        variable: _called(variable, step, nodes)
        if isinstance(step, ExternCall)
        else _launched(variable, line, step, nodes, outputs)
        for variable, (line, step) in steps.items()
    }
    return {variable: name for variable, name in found.items() if name in nodes}


def _line(step: tuple[int, Kernel | ExternCall]) -> int:
    return step[0]


def _launched(variable: str, line: int, kernel: Kernel, nodes: Mapping[str, Node], outputs: Collection[str]) -> str:
    """What the kernel's first launch is sure to write to a variable."""
    first = kernel.launches[0]
    pointer = next((one.name for one in first.arguments if one.value == variable), "")
    if first.line != line:
        return ""
    try:
        tied = bind(kernel, first, nodes, outputs, computation(kernel))
    except (ValueError, RecursionError):  # its body is not followed
        return ""
    return "" if pointer in tied.unsure else tied.written.get(pointer, "")


def _called(variable: str, call: ExternCall, nodes: Mapping[str, Node]) -> str:
    """The node of a library call, or the part of its result that the variable is."""
    (name,) = call.provenance.nodes if len(call.provenance.nodes) == 1 else ("",)
    (place, *_) = (one.name for one in call.outputs if one.value == variable)
    parts = (node.name for node in nodes.values() if is_part(node, name, place))
    return next(parts, "") if place.isdigit() else name
