"""What a node's call says: its operands, its numbers, and which result of another node it is."""

from __future__ import annotations

import ast
from dataclasses import replace

import pytest

from inductor_lab.records import Node
from inductor_lab.replay.graph import draws


def node(call: str) -> Node:
    return Node("made", "", call, (), None, None)


def test_operands_are_what_is_given_by_position() -> None:
    made = node("torch.ops.aten.permute.default(x, [1, 0], memory_format=torch.contiguous_format)")
    assert [*map(ast.unparse, made.operands)] == ["x", "[1, 0]"]
    assert node("x[0]").operands == node("").operands == node("…").operands == ()


@pytest.mark.parametrize(
    ("given", "numbers"),
    [
        ("x, 0.5", (0.5,)),
        ("-1, x", (-1,)),
        ("x, 1e-05, True, [2, 3], -inf", (1e-05,)),
        ("q, k, 0.1, scale=0.125", (0.1,)),
        ("2*s0, x", ()),
    ],
)
def test_numbers_are_operands_themselves(given: str, numbers: tuple[float, ...]) -> None:
    assert node(f"torch.ops.aten.mul.Tensor({given})").numbers == numbers


def test_a_number_is_given_by_name_too() -> None:
    made = node(
        "torch.ops.aten.scaled_dot_product_attention.default(q, k, v, dropout_p=0.1, scale=0.125, is_causal=True)"
    )
    assert made.numbers == () and made.number("dropout_p") == 0.1
    assert made.number("is_causal") is None and made.number("attn_mask") is None
    attention = replace(made, target="aten._scaled_dot_product_efficient_attention.default")
    assert draws(attention) and not draws(replace(attention, call=made.call.replace("0.1,", "0.0,")))


def test_a_part_is_one_result_of_a_node() -> None:
    assert [node(call).part for call in ("var_mean[1]", "var_mean['out']", "f(x)[0]", "relu(x)", "")] == [
        1,
        *[None] * 4,
    ]


def test_a_text_that_is_no_python_is_told_by_its_node() -> None:
    with pytest.raises(SyntaxError, match="made"):
        assert node("torch.ops.aten.add.Tensor(x,").tree
