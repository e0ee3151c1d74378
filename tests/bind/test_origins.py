"""Lines whose nodes follow from the node of the line that they lead to."""

from __future__ import annotations

import pytest
from kernels_as_text import ROWS, capture, kernel

from inductor_lab.bind.names import tensors
from inductor_lab.bind.origins import origins
from inductor_lab.computation import computation
from inductor_lab.read.provenance import graph
from inductor_lab.records import Claim

WIDE, THIN = '"f32[8, 128][128, 1]cuda:0"', '"f32[8, 1][1, 1]cuda:0"'
NORM = f"""def forward(self, x: {WIDE}, w: "f32[128][1]cuda:0", part: {THIN}):
    pow_1: {WIDE} = torch.ops.aten.pow.Tensor_Scalar(x, 2)
    mean: {THIN} = torch.ops.aten.mean.dim(pow_1, [1], True)
    add: {THIN} = torch.ops.aten.add.Tensor(mean, 1e-06)
    rsqrt: {THIN} = torch.ops.aten.rsqrt.default(add)
    mul: {WIDE} = torch.ops.aten.mul.Tensor(x, rsqrt)
    view: {WIDE} = torch.ops.aten.reshape.default(mul, [8, 128])
    mul_1: {WIDE} = torch.ops.aten.mul.Tensor(w, view)
    mul_2: {WIDE} = torch.ops.aten.mul.Tensor(mul_1, {{last}})
    return (mul_2,)
"""
BODY = f"""{ROWS}
    tmp1 = tl.load(in_ptr1 + (r0_1), None)
    tmp2 = tmp0 * tmp0
    tmp3 = tl.broadcast_to(tmp2, [XBLOCK, R0_BLOCK])
    tmp4 = tl.where(xmask, tmp3, 0)
    tmp5 = tl.sum(tmp4, 1)[:, None]
    tmp6 = tl.full([1, 1], 128.0, tl.float32)
    tmp7 = (tmp5 / tmp6)
    tmp8 = tl.full([1, 1], 1e-06, tl.float32)
    tmp9 = tmp7 + tmp8
    tmp10 = libdevice.rsqrt(tmp9)
    tmp11 = tmp0 * tmp10
    tmp12 = tmp1 * tmp11
    tmp13 = {{last}}
    tl.store(out_ptr0 + (r0_1 + 128*x0), tmp13, xmask)
"""


@pytest.mark.parametrize(
    ("written", "last", "nodes"),
    [
        ("tmp12 * 3.0", "3.0", "pow_1 mean add rsqrt mul mul_1 mul_2"),
        (
            "tmp12 * tmp11",
            "mul",
            "pow_1 mean add rsqrt mul mul_1 mul_2",
        ),  # mul is in mul_1 as well, but mul_1 not in it
        ("tmp12 * 3.0", "4.0", "pow_1 mean add rsqrt"),  # another number: it is not what is stored
    ],
)
def test_the_operands_of_a_line_are_the_arguments_of_its_node(written: str, last: str, nodes: str) -> None:
    """Four lines multiply, and three nodes: by their number alone none is told."""
    found, _ = graph(NORM.format(last=last))
    names = tuple(node.name for node in found if node.target != "placeholder")
    claim = Claim(nodes=names, inputs=("x", "w"), outputs=("mul_2",))
    shapes = {"in_ptr0": "float32[8, 128]", "in_ptr1": "float32[128]", "out_ptr0": "float32[8, 128]"}
    passed = {"in_ptr0": "x", "in_ptr1": "w"}
    body = BODY.format(last=written)
    made = kernel(body, shapes, category="persistent_reduction", claim=claim, passed=passed)
    of, whole = computation(made), capture(made, nodes=tuple(found))
    told = origins(made, whole, of, tensors(made, whole, of))
    lines = {node.name: made.body.splitlines()[line - 1].split()[0] for line, node in told.items()}
    assert sorted(lines) == sorted(nodes.split())
    where = {"pow_1": "tmp2", "mean": "tmp7", "add": "tmp9", "rsqrt": "tmp10", "mul": "tmp11", "mul_1": "tmp12"}
    assert lines.items() <= (where | {"mul_2": "tmp13"}).items()
