"""Which nodes of the graph a template's pointers hold: read off its claim, its signature and the graph, nothing of its loop."""

from __future__ import annotations

import ast

import pytest
from kernels_as_text import kernel, tensor

from inductor_lab.bind.bindings import Bindings, bind
from inductor_lab.computation import computation
from inductor_lab.eject.binding.tensors import Tensor
from inductor_lab.eject.graph import _as_held, _viewed
from inductor_lab.read.provenance import graph
from inductor_lab.records import Claim, Node

BODY = """
tmp0 = tl.load(in_ptr2 + tl.arange(0, 64))
tmp1 = tmp0 + acc
tl.store(out_ptr0 + tl.arange(0, 64), tmp1)
tl.store(out_ptr1 + tl.arange(0, 64), tmp1)
"""
IMAGE = "float32[2, 4, 3, 3]"
POINTERS = {
    "arg_A": IMAGE,
    "arg_B": "float32[4, 4, 1, 1]",
    "in_ptr2": "float32[18, 4]",
    "out_ptr0": IMAGE,
    "out_ptr1": IMAGE,
}
CONVOLUTION = "torch.ops.aten.convolution.default({}, {}, None, [1, 1], [0, 0], [1, 1], False, [0, 0], 1)"


def nodes() -> dict[str, Node]:
    """Two convolutions of which the sum is taken: the first is another launch's."""
    parameters = [f'{name}: "f32[2, 4, 3, 3][36, 9, 3, 1]cuda:0"' for name in ("x", "y")]
    parameters += [f'{name}: "f32[4, 4, 1, 1][4, 1, 1, 1]cuda:0"' for name in ("v", "w")]
    image = '"f32[2, 4, 3, 3][36, 9, 3, 1]cuda:0"'
    lines = [
        f"def forward(self, {', '.join(parameters)}):",
        f"first: {image} = {CONVOLUTION.format('x', 'v')}",
        f"second: {image} = {CONVOLUTION.format('y', 'w')}",
        f"add: {image} = torch.ops.aten.add.Tensor(first, second)",
        f"relu: {image} = torch.ops.aten.relu.default(add)",
        "return (relu,)",
    ]
    found, _ = graph("\n    ".join(lines))
    return {node.name: node for node in found}


def bound(inputs: tuple[str, ...], passed: dict[str, str]) -> Bindings:
    claim = Claim(nodes=("first", "second", "add", "relu"), inputs=inputs, outputs=("buf1", "relu"))
    made = kernel(BODY, POINTERS, category="template", claim=claim, passed=passed)
    return bind(made, made.launches[0], nodes(), ("relu",), computation(made))


def test_operands_another_launch_s_product_and_the_epilogue() -> None:
    found = bound(("y", "w", "buf2"), {"arg_A": "y", "arg_B": "w"})
    assert found.read == {"arg_A": "y", "arg_B": "w", "in_ptr2": "first"}
    assert found.written == {"out_ptr0": "relu", "out_ptr1": "relu"}  # one value in two buffers
    assert found.products == {"second"}


def test_a_copy_in_another_layout_is_the_operand_that_it_copies() -> None:
    """The graph has no name for what a convolution's inputs were laid out anew in."""
    found = bound(("buf0", "w", "buf2"), {"arg_B": "w"})
    assert found.read == {"arg_A": "y", "arg_B": "w", "in_ptr2": "first"}
    assert found.written["out_ptr0"] == "relu"


def test_without_its_operands_nothing_is_written() -> None:
    """A product of what the kernel does not read is no value of it."""
    made = kernel(BODY, {**POINTERS, "arg_A": "float32[5]"}, category="template", claim=Claim(nodes=("second", "relu")))
    assert bind(made, made.launches[0], nodes(), ("relu",), computation(made)).written == {}


@pytest.mark.parametrize("text", ["relu(x)", "x + y"])
def test_a_matrix_of_pixels_is_seen_as_images_and_given_back_as_a_matrix(text: str) -> None:
    rows = Tensor("p", "t", tensor("float32[18, 4]"), "in", "normal")
    image = nodes()["first"]
    value, view = ast.parse(text, mode="eval").body, _viewed(rows, image.type, {})
    assert view and ast.unparse(view) == "t.reshape(2, 3, 3, 4).movedim(-1, 1)"
    held = ast.unparse(_as_held(value, rows.type, image.type, {}))
    assert held == f"{text if text == 'relu(x)' else f'({text})'}.movedim(1, -1)"
    assert _as_held(value, tensor(IMAGE), image.type, {}) is value
