"""A span in ATen, from the model's graph: the nodes between the values that it reads and those that it writes.

    mm = matmul(x, weight.t())          of the two library calls and the launch between that read x, weight and bias
    relu = relu(mm + bias)

It is accepted only where it reads exactly what the span reads; whether it computes the same is for the judge to find.
"""

from __future__ import annotations

import ast
import re
from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from dataclasses import replace

from inductor_lab.annotate.steps import Step, steps
from inductor_lab.aten import RESHAPES
from inductor_lab.bind.bindings import Bindings, bind
from inductor_lab.bind.dependencies import is_part
from inductor_lab.bind.dependencies import operator as operator_of
from inductor_lab.bind.elements import numel
from inductor_lab.computation import Computation, computation
from inductor_lab.eject.binding.tensors import Tensor
from inductor_lab.eject.graph import Reference, over
from inductor_lab.eject.graph.nodes import Values, expanded, without_biases
from inductor_lab.eject.refusal import NoGraphForm
from inductor_lab.eject.sizes import launch_in_numbers, named, nodes_in_numbers
from inductor_lab.eject.span.kernels import is_claimed, launched, of_launch
from inductor_lab.eject.span.plan import SpanPlan, operator
from inductor_lab.eject.span.views import bases, said
from inductor_lab.records import ExternCall, Graph, Kernel, Launch, LaunchArgument, Node, TensorType
from inductor_lab.records.size import is_row_by_row
from inductor_lab.records.span import SpanStep

RETURNS = re.compile(r"^ +return (\(.*, \))$", re.MULTILINE)


def aten(plan: SpanPlan) -> Reference:
    """The graph's own form.

    Raises:
        NoGraphForm: there is none, and why.
    """
    if not plan.graph.nodes:
        raise NoGraphForm("the text holds no graph; capture with TORCH_LOGS=output_code,post_grad_graphs")
    tied = _Tied(plan)
    tensors = {tensor.parameter: tensor for tensor in plan.tensors}
    values = Values(tied.read, tied.written, tied.nodes, frozenset(tied.products))
    return over(values, tensors, plan.environment, passes=True)


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
        self.returns = [(self._whole(text), node) for text, node in _returns(plan.graph)]
        self.read = {
            tensor.parameter: tensor.parameter
            for tensor in plan.tensors
            if (node := self.nodes.get(tensor.parameter)) is not None and node.target == "placeholder"
        }
        of = steps(plan.capture)[plan.span.graph]
        self.written: dict[str, str] = {}
        self.products: set[str] = set()
        seen: set[str] = set()
        for number, step in enumerate(plan.span.steps):
            new = dict(self._of_launch(number, step, seen) if step.kernel else self._of_call(step, seen))
            changed = {base for value in self._changed(number, step) for base in bases(value)} | {*step.results}
            seen |= changed
            self.written = {name: node for name, node in self.written.items() if name not in changed} | new
        for tensor in plan.tensors:
            name = tensor.parameter
            if tensor.role != "out" and name not in self.read and (value := self._made_before(of, tensor)):
                self.read[name] = value
            if tensor.role == "in" or name in self.written:
                continue
            if value := self._returned(of, tensor) or self._read_behind(of, tensor):
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
        match self._told(value):
            case ast.Name(variable) | ast.Call(ast.Attribute(ast.Name(variable), "view")):
                return variable
        return ""

    def _told(self, value: str) -> ast.expr:
        return said(value, {tensor.name: (tensor.name, tensor.type) for tensor in self.plan.span.tensors})

    def _bound(self, number: int, step: SpanStep) -> Bindings:
        part = self.plan.parts[number]
        assert part is not None, "it is a launch"
        return self._of(step.kernel, step.line, part.plan.found)

    def _of(self, id_: str, line: int, found: Computation) -> Bindings:
        """What a launch of this graph reads and writes. The comment above its kernel is another launch's perhaps."""
        kernel, launch = launched(self.plan.capture, self.plan.span, id_, line)
        claim = of_launch(kernel, launch, self.nodes, self._known(kernel, launch, found))
        launch = launch_in_numbers(launch, self.plan.environment)
        of_this = replace(kernel, launches=(launch,), claim=claim)
        return bind(of_this, launch, self.compared, self.plan.graph.outputs, found)

    def _known(self, kernel: Kernel, launch: Launch, found: Computation) -> dict[str, str]:
        """What a kernel's first launch reads -> what this one does, where both are known."""
        first = kernel.launches[0]
        if is_claimed(kernel, launch) or first.graph != launch.graph:
            return {}
        first = launch_in_numbers(first, self.plan.environment)
        read = bind(kernel, first, self.compared, self.plan.graph.outputs, found).read
        held = {
            **{name: name for name, node in self.nodes.items() if node.target == "placeholder"},
            **self.read,
            **self.written,
        }
        values = {argument.name: self._whole(argument.value) or argument.value for argument in launch.arguments}
        return {node: held[values[name]] for name, node in read.items() if values.get(name) in held}

    def _of_call(self, step: SpanStep, seen: Collection[str]) -> Iterator[tuple[str, str]]:
        """The node of a library call: the last of those that it is of which has its operator; and what it reads, as of a launch."""
        own = [node for call in self.calls if call.line == step.line for node in self._nodes(call)]
        if not own:
            return
        passed = {argument.name: argument.value for argument in step.arguments}
        given = [one.id if isinstance(one, ast.Name) else "" for one in own[-1].operands]
        if passed.get("bias") == "None" and operator_of(own[-1]) == "convolution" and any(given[2:3]):
            return  # a kernel behind the span adds it: what is in memory is no value of the graph
        self.products.add(own[-1].name)
        for place, name in enumerate(given):
            variable, node = self._seen_as(passed.get(str(place), "None"), name)
            if variable and variable not in seen:
                self.read.setdefault(variable, node)
        outs = [argument.value for argument in step.arguments if argument.name == "out"]
        if outs and (variable := self._whole(outs[0])):
            yield variable, own[-1].name
        for part, variable in enumerate(step.results):
            if variable and not step.parts:
                yield variable, own[-1].name
            elif variable:
                yield from ((variable, node.name) for node in self.nodes.values() if is_part(node, own[-1].name, part))

    def _nodes(self, call: ExternCall) -> list[Node]:
        nodes = [self.nodes[name] for name in call.provenance.nodes if name in self.nodes]
        return [node for node in nodes if operator_of(node).strip("_") == operator(call.target)]

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
        if numel(argument.type) != tensor.numel() or not _lies_alike(argument.type, tensor.symbolic or tensor.type):
            return ""
        if isinstance(step.made, ExternCall):
            own = next(reversed(self._nodes(step.made)), None)
            if own is None or own.type:
                return own.name if own else ""
            return next((node.name for node in self.nodes.values() if is_part(node, own.name, argument.name)), "")
        return told(self._of(step.made.id, step.line, computation(step.made))).get(argument.name, "")

    def _seen_as(self, value: str, name: str) -> tuple[str, str]:
        """The variable of which a call is passed all, and the node in it where what is passed is this one; empty where that is not told."""
        node, variable = self.nodes.get(name), self._whole(value)
        match self._told(value):
            case ast.Call(ast.Attribute(ast.Name(variable), "t")) if node is not None:
                node = self.nodes.get(node.arguments[0]) if operator_of(node) == "permute" else None
        tensor = next((one for one in self.plan.tensors if one.parameter == variable), None)
        if node is None or tensor is None:
            return "", ""
        whole, shape = node, tensor.type.shape
        while _shape(self.compared.get(whole.name)) != shape and operator_of(whole) in RESHAPES and whole.arguments:
            whole = self.nodes.get(whole.arguments[0], whole)
        found = whole if _shape(self.compared.get(whole.name)) == shape else node
        type_ = self.compared[found.name].type if found.name in self.compared else None
        fits = type_ is not None and (type_.dtype, numel(type_)) == (tensor.type.dtype, tensor.numel())
        return (variable, found.name) if fits else ("", "")

    def _returned(self, of: Sequence[Step], tensor: Tensor) -> str:
        """The node in a tensor that the graph returns and that nobody writes behind the span."""
        written = (argument.storage for step in of[self.plan.span.last + 1 :] for argument in step.writes)
        if tensor.parameter in written:
            return ""
        told = [self.compared.get(name) for variable, name in self.returns if variable == tensor.parameter]
        node = told[0] if told else None
        alike = node and node.type and (node.type.dtype, numel(node.type)) == (tensor.type.dtype, tensor.numel())
        return node.name if node and alike else ""


def _lies_alike(one: TensorType | None, other: TensorType) -> bool:
    """Whether elements that follow each other in one do so in the other: what is passed may be the same memory with its dimensions turned."""
    if one is None or (one.shape, one.stride) == (other.shape, other.stride):
        return True
    return is_row_by_row(one.shape, one.stride) and is_row_by_row(other.shape, other.stride)


def _shape(node: Node | None) -> tuple[object, ...] | None:
    return node.type.shape if node and node.type else None


def _returns(graph: Graph) -> list[tuple[str, str]]:
    """What the wrapper returns, as it says it, and the node that it is."""
    found = RETURNS.search(graph.module)
    told = ast.parse(found[1], mode="eval").body if found else None
    parts = told.elts if isinstance(told, ast.Tuple) else []
    texts = [ast.unparse(part).replace("reinterpret_tensor(", "view(") for part in parts]
    return [*zip(texts, graph.outputs, strict=True)] if len(texts) == len(graph.outputs) else []
