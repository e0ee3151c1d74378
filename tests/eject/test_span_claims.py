"""What a later launch of a body computes: the comment above its kernel is of the first one."""

from __future__ import annotations

from dataclasses import replace

from kernels_as_text import ROWS, capture, kernel

from inductor_lab.eject.span.kernels import _alone, of_launch
from inductor_lab.records import Claim, Graph, Launch, LaunchArgument, Node, Provenance

CALLS = {
    "mul": "aten.mul.Tensor(x, w)",
    "sum_1": "aten.sum.dim_IntList(mul, [0])",
    "mul_1": "aten.mul.Tensor(y, w)",
    "sum_2": "aten.sum.dim_IntList(mul_1, [0])",
    "sum_3": "aten.sum.dim_IntList(mul_1, [1])",
}
NODES = {name: Node(name, "placeholder", "", (), None, None) for name in ("x", "y", "w")}
for name, call in CALLS.items():
    operator, _, passed = call.partition("(")
    given = tuple(one for one in NODES if one in passed.rstrip(")").split(", "))
    NODES[name] = Node(name, operator, f"torch.ops.{call}", given, None, None)
FIRST = replace(
    kernel(ROWS, {"in_ptr0": "float32[8, 128]", "out_ptr0": "float32[8]"}),
    claim=Claim(inputs=("x", "w"), nodes=("mul", "sum_1"), outputs=("sum_1",)),
)


def later(nodes: tuple[str, ...] = ()) -> Launch:
    return replace(FIRST.launches[0], line=90, provenance=Provenance("graph", nodes))


def test_the_first_launch_is_what_the_comment_says() -> None:
    assert of_launch(FIRST, FIRST.launches[0], NODES, {}) is FIRST.claim


def test_a_later_launch_with_nodes_of_its_own_has_their_names() -> None:
    claim = of_launch(FIRST, later(("mul_1", "sum_2")), NODES, {})
    assert (claim.inputs, claim.nodes, claim.outputs) == (("y", "w"), ("mul_1", "sum_2"), ("sum_2",))


def test_one_without_is_followed_from_what_it_reads_and_claims_nothing_where_that_leads_nowhere() -> None:
    claim = of_launch(FIRST, later(), NODES, {"x": "y", "w": "w"})
    assert (claim.inputs, claim.nodes, claim.outputs) == (("y", "w"), ("mul_1", "sum_2"), ("sum_2",))
    assert of_launch(FIRST, later(), NODES, {"x": "y", "w": "x"}) == Claim(), "nobody multiplies these"
    assert of_launch(FIRST, later(), NODES, {"x": "y"}) == Claim(), "w is not known"


def test_a_buffer_that_the_comment_names_is_the_launchs_own() -> None:
    parts = replace(FIRST, claim=replace(FIRST.claim, inputs=("buf4", "w"), nodes=("sum_1",)))
    first = replace(
        parts.launches[0], arguments=(LaunchArgument("in_ptr0", "buf4"), LaunchArgument("out_ptr0", "buf5"))
    )
    other = replace(
        later(("sum_2",)), arguments=(LaunchArgument("in_ptr0", "buf8"), LaunchArgument("out_ptr0", "buf9"))
    )
    claim = of_launch(replace(parts, launches=(first, other)), other, NODES, {})
    assert claim.inputs == ("buf8",) and claim.outputs == ("sum_2",)


def test_a_template_s_later_launch_has_its_own_nodes_else_the_first_ones_form() -> None:
    graph = Graph("0_inference", "", "inference", "", tuple(NODES.values()))
    template = replace(FIRST, category="template", launches=(FIRST.launches[0], later(("mul_1", "sum_2")), later()))
    found = replace(capture(template), graphs=(replace(graph, id=FIRST.launches[0].graph),))
    _, own, unknown = (_alone(found, template, launch) for launch in template.launches)
    assert own.claim.outputs == ("sum_2",) and own.launches == (template.launches[1],)
    assert unknown.claim is template.claim and unknown.launches == (template.launches[0],)
