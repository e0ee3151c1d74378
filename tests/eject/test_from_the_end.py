"""Indices of PyTorch's own indexing count from the end where they are negative: drawn so where the kernel wraps them round and nothing else reads them."""

from __future__ import annotations

import textwrap
from dataclasses import replace

import pytest
from kernels_as_text import kernel

from inductor_lab.computation import computation
from inductor_lab.eject.inputs.domain import Domain
from inductor_lab.eject.inputs.solver import inputs_of_launch
from inductor_lab.records import Claim, Node

WRAPPED = """
xnumel = 1024
xoffset = tl.program_id(0) * XBLOCK
xindex = xoffset + tl.arange(0, XBLOCK)[:]
xmask = xindex < xnumel
tmp0 = tl.load(in_ptr0 + (xindex), xmask)
tmp1 = tl.full([XBLOCK], 50, tl.int32)
tmp2 = tmp0 + tmp1
tmp3 = tmp0 < 0
tmp4 = tl.where(tmp3, tmp2, tmp0)
tl.device_assert(((0 <= tmp4) & (tmp4 < 50)) | ~(xmask), "index out of bounds: 0 <= tmp4 < 50")
tmp5 = tl.load(in_ptr1 + (tmp4), xmask)
"""
STORE = "tl.store(out_ptr0 + (xindex), value, xmask)\n"


def drawn(lines: str, *targets: str, index: str = "int64", wrapped: str = WRAPPED, **sizes: int) -> Domain:
    made = kernel(
        wrapped + textwrap.dedent(lines) + STORE,
        {"in_ptr0": f"{index}[1024]", "in_ptr1": "float32[50]", "out_ptr0": "float32[1024]"},
    )
    made = replace(made, claim=Claim(fragment=tuple(Node(target, target, "", (), None, None) for target in targets)))
    found, (launch,) = computation(made), made.launches
    types = {a.name: a.type for a in launch.arguments if a.type is not None}
    return inputs_of_launch(made, found, types, sizes)[0]["in_ptr0"]


@pytest.mark.parametrize("target", ["aten.index.Tensor", "aten._unsafe_index.Tensor", "aten.index_put.default"])
def test_an_index_that_is_wrapped_round_may_count_from_the_end(target: str) -> None:
    assert drawn("value = tmp5\n", target) == (-50, 50)


def test_a_size_that_the_launch_passes_is_the_number_that_it_is() -> None:
    by_size = WRAPPED.replace("tl.full([XBLOCK], 50, tl.int32)", "ks0").replace("tmp4 < 50)", "tmp4 < ks0)")
    assert drawn("value = tmp5\n", "aten.index.Tensor", wrapped=by_size, ks0=50) == (-50, 50)
    assert drawn("value = tmp5\n", "aten.index.Tensor", wrapped=by_size, ks0=40) == (-40, 40)


@pytest.mark.parametrize(
    ("lines", "targets"),
    [
        ("value = tmp5\n", ["aten.gather.default"]),
        ("value = tmp5\n", ["aten.index.Tensor", "aten.gather.default"]),
        ("value = tmp5 + tmp0\n", ["aten.index.Tensor"]),
        ("value = tl.where(tmp3, tmp5, 0.0)\n", ["aten.index.Tensor"]),
        ("value = tmp5 + tl.load(in_ptr1 + (tmp0), xmask)\n", ["aten.index.Tensor"]),
        ("value = tmp5 + tl.load(in_ptr1 + (tl.where(tmp3, tmp0 + 40, tmp0)), xmask)\n", ["aten.index.Tensor"]),
        ("tl.device_assert(tmp0 >= 0, 'negative')\nvalue = tmp5\n", ["aten.index.Tensor"]),
    ],
)
def test_not_where_the_graph_or_another_use_takes_none(lines: str, targets: list[str]) -> None:
    low, _ = drawn(lines, *targets)
    assert low == 0
