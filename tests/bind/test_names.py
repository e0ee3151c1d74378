"""What an input of a graph is called, in a table, in an expression, and where several launches pass different ones."""

from __future__ import annotations

from dataclasses import replace

import pytest
from kernels_as_text import ADD_RELU, ADD_RELU_TENSORS, capture, kernel, tensor

from inductor_lab.annotate import annotate
from inductor_lab.bind.names import called, full_name, plain_name, shared, tensors, term
from inductor_lab.computation import computation
from inductor_lab.document import from_dict, to_dict
from inductor_lab.records import Claim, Graph, Input, Node

WEIGHT, LABELS = Input("parameter", "norm.weight"), Input("argument", "labels")
GRADIENT, STATE = Input("gradient", "loss"), Input("exp_avg", "norm.weight")


@pytest.mark.parametrize(
    ("one", "names"),
    [
        (WEIGHT, ("norm.weight", "parameter norm.weight", "norm.weight")),
        (Input("buffer", "scale"), ("scale", "buffer scale", "scale")),
        (LABELS, ("labels", "labels", "labels")),
        (GRADIENT, ("gradient of loss", "gradient of loss", "loss.grad")),
        (STATE, ("exp_avg of norm.weight", "exp_avg of norm.weight", "norm.weight.exp_avg")),
    ],
)
def test_an_input_is_called_as_in_the_program(one: Input, names: tuple[str, str, str]) -> None:
    assert (plain_name(one), full_name(one), term(one)) == names


@pytest.mark.parametrize(
    ("told", "found"),
    [
        ([WEIGHT], WEIGHT),
        ([WEIGHT, WEIGHT], WEIGHT),
        ([Input("parameter", f"layers.{n}.norm.weight") for n in range(3)], WEIGHT),
        ([Input("exp_avg", name) for name in ("norm.weight", "norm.bias")], Input("exp_avg", "")),
        ([WEIGHT, Input("parameter", "norm.bias")], None),
        ([WEIGHT, STATE], None),
        ([WEIGHT, None], None),
        ([None], None),
    ],
)
def test_several_launches_share_the_end_of_a_path(told: list[Input | None], found: Input | None) -> None:
    assert shared(told) == found


@pytest.mark.parametrize(
    ("results", "told", "found"),
    [
        (("out", "sum_1"), "loss", "loss"),  # nothing else is called so
        (("sum_1", "saved"), "sum_1", "sum_1"),
        (("out", "sum_1"), "sum_1", "out"),  # the other one is of another shape
        (("out", "other", "sum_1"), "sum_1", None),  # either of two
    ],
)
def test_a_gradient_is_not_called_by_a_name_that_another_tensor_has_in_the_graph(
    results: tuple[str, ...], told: str, found: str | None
) -> None:
    scalar, column = tensor("float32[]"), tensor("float32[4, 1]")
    types = {result: column if result == "sum_1" and "out" in results else scalar for result in results}
    made = tuple(Node(name, "aten.sum.default", "", (), kind, None) for name, kind in types.items())
    given = tuple(Node(name, "placeholder", "", (), types.get(name, scalar), None) for name in ("saved", "tangents_1"))
    forward = Graph("0_forward", "", "forward", "", made, results)
    backward = Graph("0_backward", "", "backward", "", given, called={"tangents_1": Input("gradient", told)})
    named = called(backward, (forward, backward))
    assert named == ({"tangents_1": Input("gradient", found)} if found else {})


def test_gradients_stand_in_the_order_of_the_results() -> None:
    results = ("where", "maximum", "minimum")
    made = tuple(Node(name, "aten.where.self", "", (), tensor("float32[8]"), None) for name in results)
    names = {"tangents_1": "maximum", "tangents_2": "where"}
    given = tuple(Node(name, "placeholder", "", (), tensor("float32[8]"), None) for name in names)
    forward = Graph("0_forward", "", "forward", "", made, results)
    backward = Graph(
        "0_backward", "", "backward", "", given, called={n: Input("gradient", o) for n, o in names.items()}
    )
    assert called(backward, (forward, backward)) == {}


def test_a_name_of_the_program_stands_for_the_node_s() -> None:
    one = kernel(ADD_RELU, ADD_RELU_TENSORS)
    value = next(argument.value for argument in one.launches[0].arguments if argument.name == "in_ptr0")
    node = Node(value, "placeholder", "", (), None, None)
    graph = Graph(one.graph, "", "inference", "", (node,), called={value: WEIGHT})
    found = replace(capture(one), graphs=(graph,))
    bare = replace(found, graphs=(replace(graph, called={}),))
    assert tensors(one, found, computation(one))["in_ptr0"].label == "norm.weight"
    assert tensors(one, bare, computation(one))["in_ptr0"].label == value
    assert "norm.weight" in annotate(found).kernels[0].title and "norm.weight" not in annotate(bare).kernels[0].title
    assert from_dict(Graph, to_dict(graph)) == graph
    older = {key: value for key, value in to_dict(graph).items() if key != "called"}
    assert from_dict(Graph, older).called == {}


TWICE = """
    xnumel = 128
    xoffset = tl.program_id(0) * XBLOCK
    xindex = xoffset + tl.arange(0, XBLOCK)[:]
    xmask = xindex < xnumel
    x0 = xindex
    tmp0 = tl.load(in_ptr0 + (x0), xmask)
    tmp1 = tmp0 + tmp0
    tl.store(out_ptr0 + (x0), tmp1, xmask)
    tmp2 = tl.load(out_ptr0 + (x0), xmask)
    tmp3 = tl_math.exp(tmp2)
    tl.store(out_ptr0 + (x0), tmp3, xmask)
"""


def test_a_buffer_that_holds_two_nodes_in_turn_is_called_as_neither() -> None:
    row = tensor("float32[128]")
    found = (
        Node("add", "aten.add.Tensor", "torch.ops.aten.add.Tensor(x, x)", ("x",), row, None),
        Node("exp", "aten.exp.default", "torch.ops.aten.exp.default(add)", ("add",), row, None),
    )
    claim = Claim(nodes=("add", "exp"), inputs=("x",), outputs=("add", "exp"), fragment=found)
    passed = {"in_ptr0": "x", "out_ptr0": "buf1"}
    made = kernel(TWICE, {"in_ptr0": "float32[128]", "out_ptr0": "float32[128]"}, claim=claim, passed=passed)
    once = replace(made, body=made.body.replace("tl.load(out_ptr0", "tl.load(in_ptr0"))
    assert tensors(made, capture(made), computation(made))["out_ptr0"].label == "buf1"
    assert tensors(once, capture(once), computation(once))["out_ptr0"].label == "exp"
