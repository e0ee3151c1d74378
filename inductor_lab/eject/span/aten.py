"""A span as the model's graph says it: the nodes between the values that it reads and those that it writes.

    mm = matmul(x, weight.t())          of the two library calls and the launch between that read x, weight and bias
    relu = relu(mm + bias)

It is accepted only where it reads exactly what the span reads; whether it computes the same is for the judge to find.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from dataclasses import replace

from inductor_lab.annotate.steps import Step, steps
from inductor_lab.bind.bindings import Bindings, bind
from inductor_lab.bind.elements import numel
from inductor_lab.bind.made_of import operator as operator_of
from inductor_lab.computation import computation
from inductor_lab.eject import naming
from inductor_lab.eject.aten import MOST_NAMED, Reference, over
from inductor_lab.eject.expand import expanded
from inductor_lab.eject.graph_biases import without_biases
from inductor_lab.eject.graph_sizes import launch_in_numbers, named, nodes_in_numbers
from inductor_lab.eject.graph_values import Values
from inductor_lab.eject.refusal import NoGraphForm
from inductor_lab.eject.span.names import operator
from inductor_lab.eject.span.plan import SpanPlan
from inductor_lab.eject.span.views import bases, said
from inductor_lab.eject.tensors import Tensor
from inductor_lab.records import ExternCall, LaunchArgument, Node
from inductor_lab.records.span import SpanStep

WHOLE = re.compile(r"([a-z_]\w*)(\.view\([^()]*\))?")


def aten(plan: SpanPlan) -> Reference:
    """The graph's own form.

    Raises:
        NoGraphForm: there is none, and why.
    """
    if not plan.graph.nodes:
        raise NoGraphForm("the text holds no graph; capture with TORCH_LOGS=output_code,post_grad_graphs")
    tied = _Tied(plan)
    tensors = {tensor.parameter: tensor for tensor in plan.tensors}
    unknown = [
        tensor.name
        for tensor in plan.tensors
        if (tensor.role != "out" and tensor.parameter not in tied.read)
        or (tensor.role != "in" and tensor.parameter not in tied.written)
    ]
    if unknown:
        shown = ", ".join(f"`{name}`" for name in unknown[:MOST_NAMED])
        more = f" and {len(unknown) - MOST_NAMED} more" if len(unknown) > MOST_NAMED else ""
        raise NoGraphForm(f"it is not known which value of the graph is in {shown}{more}")
    try:
        values = Values(tied.read, tied.written, tied.nodes, frozenset(tied.products))
        return over(values, tensors, plan.environment, naming.RESERVED, passes=True)
    except (KeyError, SyntaxError) as place:
        raise NoGraphForm(f"the graph's text can not be followed at {place}") from place


class _Tied:
    """The nodes behind a span's tensors, as far as they are known."""

    def __init__(self, plan: SpanPlan) -> None:
        self.plan = plan
        made = [*expanded(named(plan.graph.nodes, plan.graph.module))]
        for part in plan.kernels:
            made = [*without_biases(made, part.plan.kernel)]
        self.nodes = {node.name: node for node in made}
        self.calls = [call for call in plan.capture.extern_calls if call.graph == plan.span.graph]
        self.compared = nodes_in_numbers(self.nodes, plan.environment)
        self.read = {
            tensor.parameter: tensor.parameter
            for tensor in plan.tensors
            if (node := self.nodes.get(tensor.parameter)) is not None and node.target == "placeholder"
        }
        self.written: dict[str, str] = {}
        self.products: set[str] = set()
        seen: set[str] = set()
        for number, step in enumerate(plan.span.steps):
            new = dict(self._of_launch(number, step, seen) if step.kernel else self._of_call(step))
            changed = {base for value in self._changed(number, step) for base in bases(value)} | {*step.results}
            seen |= changed
            self.written = {name: node for name, node in self.written.items() if name not in changed} | new
        of = steps(plan.capture)[plan.span.graph]
        for tensor in plan.tensors:
            name = tensor.parameter
            if tensor.role != "out" and name not in self.read and (value := self._made_before(of, tensor)):
                self.read[name] = value
            if tensor.role != "in" and name not in self.written and (value := self._read_behind(of, tensor)):
                self.written[name] = value

    def _changed(self, number: int, step: SpanStep) -> list[str]:
        """What a step may write, of its arguments."""
        part = self.plan.parts[number]
        outs = {"out"} if part is None else {tensor.parameter for tensor in part.plan.written}
        in_place = step.call.endswith("_") or "_." in step.call
        return [one.value for one in step.arguments if one.name in outs or (in_place and one.name == "0")]

    def _of_launch(self, number: int, step: SpanStep, seen: Collection[str]) -> Iterator[tuple[str, str]]:
        """What a launch writes of whole tensors; and what it reads of them, where no step has written there before."""
        bound = self._bound(number, step)
        self.products |= bound.products
        for argument in step.arguments:
            variable = self._whole(argument.value)
            if variable and argument.name in bound.read and variable not in seen:
                self.read.setdefault(variable, bound.read[argument.name])
            if variable and argument.name in bound.written:
                yield variable, bound.written[argument.name]

    def _whole(self, value: str) -> str:
        """The variable of which an argument is all, in its order; empty where it is none or a part."""
        told = WHOLE.fullmatch(
            said(value, {tensor.name: (tensor.name, tensor.type) for tensor in self.plan.span.tensors})
        )
        return told[1] if told else ""

    def _bound(self, number: int, step: SpanStep) -> Bindings:
        part = self.plan.parts[number]
        assert part is not None, "it is a launch"
        launches = [
            launch
            for kernel in self.plan.capture.kernels
            if kernel.id == step.kernel
            for launch in kernel.launches
            if (launch.graph, launch.line) == (self.plan.span.graph, step.line)
        ]
        launch = launch_in_numbers(launches[0], self.plan.environment)
        kernel = replace(part.plan.kernel, launches=(launch,))
        return bind(kernel, launch, self.compared, self.plan.graph.outputs, part.plan.found)

    def _of_call(self, step: SpanStep) -> Iterator[tuple[str, str]]:
        """The node of a library call: the last of those that it is of which has its operator."""
        own = [node for call in self.calls if call.line == step.line for node in self._nodes(call)]
        if not own:
            return
        self.products.add(own[-1].name)
        outs = [argument.value for argument in step.arguments if argument.name == "out"]
        if outs and (variable := self._whole(outs[0])):
            yield variable, own[-1].name
        for part, variable in enumerate(step.results):
            if variable and not step.parts:
                yield variable, own[-1].name
            elif variable:
                yield from ((variable, node.name) for node in self.nodes.values() if _is_part(node, own[-1], part))

    def _nodes(self, call: ExternCall) -> list[Node]:
        nodes = [self.nodes[name] for name in call.provenance.nodes if name in self.nodes]
        return [node for node in nodes if operator_of(node) == operator(call.target)]

    def _made_before(self, of: Sequence[Step], tensor: Tensor) -> str:
        """The node in a tensor before the span: what the last step that writes there makes."""
        for step in reversed(of[: self.plan.span.first]):
            for argument in step.writes:
                if argument.storage == tensor.parameter:
                    return self._in(step, argument, tensor, lambda bound: bound.written)
        return ""

    def _read_behind(self, of: Sequence[Step], tensor: Tensor) -> str:
        """The node in a tensor behind the span: what the first step that touches it reads there."""
        for step in of[self.plan.span.last + 1 :]:
            if step.touches(tensor.parameter):
                read = next((one for one in step.reads if one.storage == tensor.parameter), None)
                return self._in(step, read, tensor, lambda bound: bound.read) if read and step.kernel else ""
        return ""

    def _in(
        self, step: Step, argument: LaunchArgument, tensor: Tensor, told: Callable[[Bindings], Mapping[str, str]]
    ) -> str:
        """The node in an argument that is all of a tensor."""
        if numel(argument.type) != tensor.numel():
            return ""
        if isinstance(step.made, ExternCall):
            return next((node.name for node in reversed(self._nodes(step.made))), "")
        launch = step.made.launches[0]
        outputs = self.plan.graph.outputs
        return told(bind(step.made, launch, self.compared, outputs, computation(step.made))).get(argument.name, "")


def _is_part(node: Node, of: Node, part: int) -> bool:
    return operator_of(node) == "getitem" and node.call == f"{of.name}[{part}]"
