"""What the model's graph rounds more often than the reference does is right where a kernel has it too, and no excuse for another fault."""

from __future__ import annotations

from functools import partial

import pytest
import torch
from torch import Tensor
from variants import compared, drawn, nudges

from inductor_lab.judge.compare.limits import Finding
from inductor_lab.judge.compare.reference import by_graph


def reference(x: Tensor, weight: Tensor) -> Tensor:
    """An RMSNorm as Inductor's kernel has it: rounded once."""
    wide = x.float() if x.itemsize < 4 else x
    return (weight * (wide * (wide.square().mean(-1, keepdim=True) + 1e-5).rsqrt())).to(x.dtype)


def graph(x: Tensor, weight: Tensor) -> Tensor:
    """The same as the model has it: what is normalized is rounded before the weight is multiplied."""
    wide = x.float()
    return weight * (wide * (wide.square().mean(-1, keepdim=True) + 1e-5).rsqrt()).to(x.dtype)


def inputs() -> tuple[Tensor, Tensor]:
    """Rows of which one is of equal numbers but for a few zeros: normalized all are 1.0036, which bfloat16 rounds down to 1."""
    x, weight = drawn(0, (16, 4096), "normal", torch.bfloat16), drawn(1, (4096,), "normal", torch.bfloat16)
    x[15], x[15, :29] = 2.0, 0.0
    return x, weight


def held(out: Tensor, x: Tensor, weight: Tensor, want: Tensor, *, from_eager: bool = False) -> Finding:
    right = reference(x.double(), weight.double())
    nudged = partial(nudges, lambda x: reference(x, weight.to(x.dtype)), x)
    return compared(out, want, right, reference(x, weight), nudged, from_eager=from_eager)


def test_a_row_that_the_graph_rounds_to_one_side_is_no_bias() -> None:
    x, weight = inputs()
    hand = graph(x, weight)
    found = held(hand, x, weight, reference(x, weight))
    assert "is biased: row 15 is too" in found.message
    assert not by_graph(found, partial(held, hand, x, weight), hand, graph(x, weight)).message


@pytest.mark.parametrize("by", [1.008, 0.992])
@pytest.mark.parametrize("rows", [slice(None), slice(0, 1), slice(15, 16)])
def test_a_fault_beside_it_is_told_by_the_reference(by: float, rows: slice) -> None:
    x, weight = inputs()
    hand = graph(x, weight)
    hand[rows] = (hand[rows].float() * by).to(hand.dtype)
    found = held(hand, x, weight, reference(x, weight))
    assert found.message
    assert by_graph(found, partial(held, hand, x, weight), hand, graph(x, weight)) is found


def test_whole_numbers_are_the_graph_s_or_wrong() -> None:
    out = torch.arange(8)
    found = Finding(message="differs from eager at 1 of 8 elements")
    assert not by_graph(found, held, out, out.clone()).message
    assert by_graph(found, held, out, out + 1) is found
