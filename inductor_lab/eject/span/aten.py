"""A span as the model's graph says it: the nodes between the values that it reads and those that it writes.

    mm = matmul(x, weight.t())          of the two library calls and the launch between that read x, weight and bias
    relu = relu(mm + bias)

It is accepted only where it reads exactly what the span reads; whether it computes the same is for the judge to find.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace

from inductor_lab.bind.bindings import Bindings, bind
from inductor_lab.bind.made_of import operator as operator_of
from inductor_lab.eject import naming
from inductor_lab.eject.aten import MOST_NAMED, Reference, over
from inductor_lab.eject.expand import expanded
from inductor_lab.eject.graph_biases import without_biases
from inductor_lab.eject.graph_sizes import launch_in_numbers, named, nodes_in_numbers
from inductor_lab.eject.graph_values import Values
from inductor_lab.eject.refusal import NoGraphForm
from inductor_lab.eject.span.names import operator
from inductor_lab.eject.span.plan import SpanPlan
from inductor_lab.records import ExternCall, Node
from inductor_lab.records.span import SpanStep


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
        for number, step in enumerate(plan.span.steps):
            self.written |= dict(self._of_launch(number, step) if step.kernel else self._of_call(step))
        for tensor in plan.tensors:
            made_before = self._made_before(tensor.parameter) if tensor.role != "out" else None
            if made_before and tensor.parameter not in self.read:
                self.read[tensor.parameter] = made_before.name

    def _of_launch(self, number: int, step: SpanStep) -> Iterator[tuple[str, str]]:
        """What a launch writes of whole tensors; and what it reads of them, where no step has written there before."""
        bound = self._bound(number, step)
        self.products |= bound.products
        for argument in step.arguments:
            if not argument.value.isidentifier():
                continue
            if argument.name in bound.read and argument.value not in self.written:
                self.read.setdefault(argument.value, bound.read[argument.name])
            if argument.name in bound.written:
                yield argument.value, bound.written[argument.name]

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
        if outs and outs[0].isidentifier():
            yield outs[0], own[-1].name
        for part, variable in enumerate(step.results):
            if variable and not step.parts:
                yield variable, own[-1].name
            elif variable:
                yield from ((variable, node.name) for node in self.nodes.values() if _is_part(node, own[-1], part))

    def _nodes(self, call: ExternCall) -> list[Node]:
        nodes = [self.nodes[name] for name in call.provenance.nodes if name in self.nodes]
        return [node for node in nodes if operator_of(node) == operator(call.target)]

    def _made_before(self, variable: str) -> Node | None:
        """The node that a library call before the span made, whose result nobody else has looked at."""
        first = self.plan.span.steps[0].line
        made = [call for call in self.calls if call.line < first and call.outputs and call.outputs[0].value == variable]
        return next(reversed(self._nodes(made[-1])), None) if made else None


def _is_part(node: Node, of: Node, part: int) -> bool:
    return operator_of(node) == "getitem" and node.call == f"{of.name}[{part}]"
