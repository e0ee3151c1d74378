"""The graph's own form: ATen calls as a person would write them, each held to the call itself; refused where it reads something else."""

from __future__ import annotations

import math
from typing import Any

import pytest
import torch
from folders import GENERATIONS
from kernels_as_text import kernel
from small_kernels import AFFINE_GRAPH, SMALL, ejected

from inductor_lab.aten import PRODUCTS
from inductor_lab.eject import eject
from inductor_lab.eject import graph as aten
from inductor_lab.eject.binding.tensors import Tensor
from inductor_lab.eject.graph import Reference
from inductor_lab.eject.graph.nodes import Values, expanded, without_biases
from inductor_lab.eject.refusal import NoGraphForm
from inductor_lab.eject.sizes import in_numbers, named, told
from inductor_lab.errors import LabError
from inductor_lab.read import read
from inductor_lab.read.provenance import graph
from inductor_lab.records import Claim, Node, TensorType

INPUTS = {
    "x": "f32[4, 6]", "y": "f32[4, 6]", "z": "f32[4, 6]", "p": "f32[4, 6]", "bias": "f32[6]", "half": "bf16[4, 6]", "m": "b8[4, 6]", "n": "b8[4, 6]",
    "q": "f32[6, 4]", "many": "f32[2, 4, 6]", "more": "f32[2, 6, 3]", "image": "f32[2, 3, 8, 8]", "filter": "f32[4, 3, 3, 3]", "four": "f32[4]",
    "back": "f32[3, 4, 3, 3]",
    "i": "i64[5]", "j": "i64[4, 6]", "k": "i64[4, 6]", "v": "f32[5, 6]", "five": "f32[5]", "w": "f32[4]", "pair": "i64[4, 3]",
}  # fmt: skip


def values(*lines: str, inputs: dict[str, str] | None = None) -> Values:
    """A graph of `name = aten...` lines over INPUTS; its last name is written, its inputs are read."""
    parameters = ", ".join(f'{name}: "{kind}[1]cuda:0"' for name, kind in (inputs or INPUTS).items())
    written = lines[-1].partition(" =")[0].partition(":")[0]
    nodes, _ = graph("\n    ".join([f"def forward(self, {parameters}):", *lines, f"return ({written},)"]))
    used = {argument for node in nodes for argument in node.arguments}
    read = {f"{name}_ptr": name for name in inputs or INPUTS if name in used}
    products = frozenset(
        node.name for node in nodes if node.target.split(".")[1:2] and node.target.split(".")[1] in PRODUCTS
    )
    return Values(read, {"out_ptr": written}, {node.name: node for node in expanded(nodes)}, products)


def spelled(*lines: str) -> Reference:
    found = values(*lines)
    return aten.printed(found, {**found.read, "out_ptr": "out"}, ["out_ptr"])


def tensors() -> dict[str, Any]:
    draw = torch.Generator().manual_seed(0)
    made: dict[str, Any] = {name: torch.randn(4, 6, generator=draw) for name in "xyz"}
    made |= {"p": made["x"].abs() + 0.1, "bias": torch.randn(6, generator=draw), "half": made["y"].bfloat16()}
    made |= {
        "m": made["x"] > 0,
        "n": made["y"] > 0.5,
        "w": torch.randn(4, generator=draw),
        "v": torch.randn(5, 6, generator=draw),
    }
    for name, shape in {
        "q": (6, 4),
        "many": (2, 4, 6),
        "more": (2, 6, 3),
        "image": (2, 3, 8, 8),
        "filter": (4, 3, 3, 3),
        "back": (3, 4, 3, 3),
    }.items():
        made[name] = torch.randn(shape, generator=draw)
    made["four"] = torch.randn(4, generator=draw)
    made |= {"five": torch.randn(5, generator=draw)}
    made |= {
        "i": torch.tensor([0, 3, 1, 3, 2]),
        "j": torch.randint(0, 4, (4, 6), generator=draw),
        "k": torch.randint(1, 9, (4, 6), generator=draw),
    }
    return made | {"pair": torch.tensor([[0, 1, 2]] * 4)}


def check(found: Reference, *lines: str) -> None:
    """What is spelled computes what the ATen calls compute, to the bit."""
    names: dict[str, Any] = {"torch": torch, "math": math, "DEVICE": "cpu", "device": torch.device, **tensors()}
    for line in lines:
        exec(line.replace("device(type='cuda', index=0)", "'cpu'"), names)
    wanted = names[lines[-1].partition(" =")[0].partition(":")[0]]
    names = {"torch": torch, "math": math, "DEVICE": "cpu", **tensors()}
    for statement in found.statements:
        exec(statement, names)
    got = eval(found.results[0], names)
    assert got.dtype == wanted.dtype and got.shape == wanted.shape
    assert torch.equal(got.double().nan_to_num(7.0), wanted.double().nan_to_num(7.0))


SPELLINGS = [
    ("aten.add.Tensor(x, y)", "x + y"),
    ("aten.add.Tensor(x, 1)", "x + 1"),
    ("aten.add.Tensor(x, y, alpha = 2)", "torch.ops.aten.add.Tensor(x, y, alpha=2)"),
    ("aten.sub.Tensor(x, y, alpha = 2)", "torch.ops.aten.sub.Tensor(x, y, alpha=2)"),
    ("aten.sub.Tensor(1, x)", "1 - x"),
    ("aten.mul.Tensor(x, -0.5)", "x * -0.5"),
    ("aten.div.Tensor(x, y)", "x / y"),
    ("aten.div.Tensor_mode(j, k, rounding_mode = 'floor')", "torch.ops.aten.div.Tensor_mode(j, k, rounding_mode='floor')"),
    ("aten.remainder.Tensor(j, k)", "j % k"),
    ("aten.remainder.Scalar(j, 3)", "j % 3"),
    ("aten.neg.default(x)", "-x"),
    ("aten.pow.Tensor_Scalar(p, 2)", "p ** 2"),
    ("aten.pow.Tensor_Scalar(p, -0.5)", "p ** (-0.5)"),
    ("aten.pow.Scalar(2, x)", "2 ** x"),
    ("aten.pow.Tensor_Tensor(p, x)", "p ** x"),
    ("aten.lt.Scalar(x, 0.5)", "x < 0.5"),
    ("aten.le.Tensor(x, y)", "x <= y"),
    ("aten.gt.Scalar(x, 0)", "x > 0"),
    ("aten.ge.Scalar(x, 0)", "x >= 0"),
    ("aten.eq.Scalar(j, 1)", "j == 1"),
    ("aten.ne.Tensor(j, k)", "j != k"),
    ("aten.bitwise_and.Tensor(m, n)", "m & n"),
    ("aten.bitwise_or.Tensor(m, n)", "m | n"),
    ("aten.bitwise_xor.Tensor(m, n)", "m ^ n"),
    ("aten.floor_divide.default(j, k)", "j // k"),
    ("aten.fmod.Tensor(x, p)", "torch.fmod(x, p)"),
    ("aten.exp2.default(x)", "torch.exp2(x)"),
    ("aten.atan2.default(x, y)", "torch.atan2(x, y)"),
    ("aten.round.default(x)", "torch.round(x)"),
    ("aten.round.decimals(x, decimals = 1)", "torch.round(x, decimals=1)"),
    ("aten.leaky_relu.default(x, 0.2)", "torch.nn.functional.leaky_relu(x, 0.2)"),
    ("aten.leaky_relu.default(x)", "torch.ops.aten.leaky_relu.default(x)"),
    ("aten.gelu.default(x)", "torch.nn.functional.gelu(x)"),
    ("aten.gelu.default(x, approximate = 'tanh')", "torch.ops.aten.gelu.default(x, approximate='tanh')"),
    ("aten.bitwise_not.default(m)", "torch.bitwise_not(m)"),
    ("aten.logical_not.default(m)", "torch.logical_not(m)"),
    ("aten.relu.default(x)", "torch.relu(x)"),
    ("aten.sigmoid.default(x)", "torch.sigmoid(x)"),
    ("aten.rsqrt.default(p)", "torch.rsqrt(p)"),
    ("aten.maximum.default(x, y)", "torch.maximum(x, y)"),
    ("aten.where.self(m, x, y)", "torch.where(m, x, y)"),
    ("aten.clamp_min.default(x, 0.5)", "x.clamp_min(0.5)"),
    ("aten.clamp.default(x, -1, 1)", "x.clamp(-1, 1)"),
    ("aten.sum.default(x)", "x.sum()"),
    ("aten.sum.dim_IntList(x, [0])", "x.sum([0])"),
    ("aten.sum.dim_IntList(x, [0], True)", "x.sum([0], keepdim=True)"),
    ("aten.mean.dim(x, [1], True)", "x.mean([1], keepdim=True)"),
    ("aten.amax.default(x, [1], True)", "x.amax([1], keepdim=True)"),
    ("aten.any.dim(m, 1, True)", "m.any(1, keepdim=True)"),
    ("aten.argmax.default(x, 1)", "x.argmax(1)"),
    ("aten.cumsum.default(x, 1)", "x.cumsum(1)"),
    ("aten.view.default(x, [2, 12])", "x.reshape([2, 12])"),
    ("aten.permute.default(x, [1, 0])", "x.permute([1, 0])"),
    ("aten.transpose.int(x, 0, 1)", "x.transpose(0, 1)"),
    ("aten.select.int(x, 1, 2)", "x.select(1, 2)"),
    ("aten.unsqueeze.default(x, 1)", "x.unsqueeze(1)"),
    ("aten.expand.default(bias, [4, 6])", "bias.expand([4, 6])"),
    ("aten.slice.Tensor(x, 1, 2, 5)", "x[:, 2:5]"),
    ("aten.slice.Tensor(x, 0, 1, 9223372036854775807)", "x[1:]"),
    ("aten.slice.Tensor(x, 1, 0, 3)", "x[:, :3]"),
    ("aten.slice.Tensor(x, 1, 0, 0)", "x[:, :0]"),
    ("aten.slice.Tensor(x, 1)", "x"),
    ("aten.slice.Tensor(x, 1, 0, 9223372036854775807, 2)", "x[:, ::2]"),
    ("aten.slice.Tensor(x, 1, -3, 9223372036854775807)", "x[:, -3:]"),
    ("aten.slice.Tensor(x, -1, 1, 3)", "torch.ops.aten.slice.Tensor(x, -1, 1, 3)"),
    ("aten.cat.default([x, y], 1)", "torch.cat([x, y], 1)"),
    ("aten.cat.default([x, y], -1)", "torch.cat([x, y], -1)"),
    ("aten.cat.default([x, y])", "torch.cat([x, y])"),
    ("aten.embedding.default(x, i)", "torch.nn.functional.embedding(i, x)"),
    ("aten.index.Tensor(x, [i])", "x[i]"),
    ("aten.index.Tensor(x, [None, i])", "x[:, i]"),
    ("aten.index.Tensor(x, [i, i])", "x[i, i]"),
    ("aten.index_put.default(x, [i], v)", "x.index_put((i,), v)"),
    ("aten.index_put.default(x, [i], v, True)", "x.index_put((i,), v, accumulate=True)"),
    ("aten.index_put.default(x, [None, i], five, True)", "torch.ops.aten.index_put.default(x, [None, i], five, True)"),
    ("aten.gather.default(x, 1, pair)", "x.gather(1, pair)"),
    ("aten.select_scatter.default(x, w, 1, 0)", "torch.select_scatter(x, w, 1, 0)"),
    ("aten.slice_scatter.default(v, x, 0, 0, 4)", "torch.slice_scatter(v, x, 0, 0, 4)"),
    ("aten._softmax.default(x, 1, False)", "torch.ops.aten._softmax.default(x, 1, False)"),
    ("aten.full.default([4, 6], 0, dtype = torch.float32, layout = torch.strided, device = device(type='cuda', index=0), pin_memory = False)",
     "torch.full([4, 6], 0, dtype=torch.float32, device=DEVICE)"),
    ("aten.full.default([4, 6], -inf, dtype = torch.float32, layout = torch.strided, device = device(type='cuda', index=0))",
     "torch.full([4, 6], -math.inf, dtype=torch.float32, device=DEVICE)"),
    ("aten._to_copy.default(x, dtype = torch.bfloat16)", "x.to(torch.bfloat16)"),
    ("prims.convert_element_type.default(half, torch.float32)", "half.to(torch.float32)"),
    ("prims.iota.default(6, start = 0, step = 1, dtype = torch.int64, device = device(type='cuda', index=0), requires_grad = False)",
     "torch.arange(6, dtype=torch.int64, device=DEVICE)"),
    ("prims.rev.default(x, [1])", "x.flip([1])"),
    ("aten.mm.default(x, q)", "x @ q"),
    ("aten.bmm.default(many, more)", "many @ more"),
    ("aten.addmm.default(four, x, q)", "torch.addmm(four, x, q)"),
    ("aten.addmm.default(four, x, q, beta = 2, alpha = 3)", "torch.addmm(four, x, q, beta=2, alpha=3)"),
    ("aten.convolution.default(image, filter, None, [1, 1], [0, 0], [1, 1], False, [0, 0], 1)", "torch.nn.functional.conv2d(image, filter)"),
    ("aten.convolution.default(image, filter, four, [2, 2], [1, 1], [1, 1], False, [0, 0], 1)",
     "torch.nn.functional.conv2d(image, filter, four, stride=[2, 2], padding=[1, 1])"),
    ("aten.convolution.default(image, back, None, [1, 1], [0, 0], [1, 1], True, [0, 0], 1)",
     "torch.ops.aten.convolution.default(image, back, None, [1, 1], [0, 0], [1, 1], True, [0, 0], 1)"),
]  # fmt: skip


@pytest.mark.parametrize(("call", "text"), SPELLINGS, ids=[call.partition("(")[0] for call, _ in SPELLINGS])
def test_an_aten_call_as_a_person_writes_it(call: str, text: str) -> None:
    found = spelled(f"b = torch.ops.{call}")
    assert found.results == (text,)
    check(found, f"b = torch.ops.{call}".replace("-inf", "-float('inf')"))


LINES = {
    "x - y - z": ["a = aten.sub.Tensor(x, y)", "b = aten.sub.Tensor(a, z)"],
    "x - (y - z)": ["a = aten.sub.Tensor(y, z)", "b = aten.sub.Tensor(x, a)"],
    "x + y - z": ["a = aten.add.Tensor(x, y)", "b = aten.sub.Tensor(a, z)"],
    "x + (y + z)": ["a = aten.add.Tensor(y, z)", "b = aten.add.Tensor(x, a)"],
    "(x + y) * z": ["a = aten.add.Tensor(x, y)", "b = aten.mul.Tensor(a, z)"],
    "x * y + z": ["a = aten.mul.Tensor(x, y)", "b = aten.add.Tensor(a, z)"],
    "x / (y * z)": ["a = aten.mul.Tensor(y, z)", "b = aten.div.Tensor(x, a)"],
    "x / y * z": ["a = aten.div.Tensor(x, y)", "b = aten.mul.Tensor(a, z)"],
    "(j + 1) % k": ["a = aten.add.Tensor(j, 1)", "b = aten.remainder.Tensor(a, k)"],
    "-(x + y)": ["a = aten.add.Tensor(x, y)", "b = aten.neg.default(a)"],
    "-x * y": ["a = aten.neg.default(x)", "b = aten.mul.Tensor(a, y)"],
    "x - -y": ["a = aten.neg.default(y)", "b = aten.sub.Tensor(x, a)"],
    "(-x) ** 2": ["a = aten.neg.default(x)", "b = aten.pow.Tensor_Scalar(a, 2)"],
    "-x ** 2": ["a = aten.pow.Tensor_Scalar(x, 2)", "b = aten.neg.default(a)"],
    "(p ** 2) ** 3": ["a = aten.pow.Tensor_Scalar(p, 2)", "b = aten.pow.Tensor_Scalar(a, 3)"],
    "(-x).sum([0])": ["a = aten.neg.default(x)", "b = aten.sum.dim_IntList(a, [0])"],
    "(x + y)[:, 1:3]": ["a = aten.add.Tensor(x, y)", "b = aten.slice.Tensor(a, 1, 1, 3)"],
    "(x < y) == m": ["a = aten.lt.Tensor(x, y)", "b = aten.eq.Tensor(a, m)"],
    "m != (x < y)": ["a = aten.lt.Tensor(x, y)", "b = aten.ne.Tensor(m, a)"],
    "(x < y) & (y < z)": ["a = aten.lt.Tensor(x, y)", "c = aten.lt.Tensor(y, z)", "b = aten.bitwise_and.Tensor(a, c)"],
    "(m | n) & (x < y)": ["a = aten.bitwise_or.Tensor(m, n)", "c = aten.lt.Tensor(x, y)", "b = aten.bitwise_and.Tensor(a, c)"],
    "(m ^ n) & m": ["a = aten.bitwise_xor.Tensor(m, n)", "b = aten.bitwise_and.Tensor(a, m)"],
    "m ^ n & m": ["a = aten.bitwise_and.Tensor(n, m)", "b = aten.bitwise_xor.Tensor(m, a)"],
    "x + y < z": ["a = aten.add.Tensor(x, y)", "b = aten.lt.Tensor(a, z)"],
    "torch.relu(x + y)": ["a = aten.add.Tensor(x, y)", "c = aten.clone.default(a)", "b = aten.relu.default(c)"],
    "x * 0.5": ["c = aten.full.default([], 0.5, dtype = torch.float32, layout = torch.strided)", "b = aten.mul.Tensor(x, c)"],
    "x * 2.0": ["c = aten.full.default([], 2, dtype = torch.float32, layout = torch.strided)", "b = aten.mul.Tensor(x, c)"],
    "(-2.0) ** x": ["c = aten.full.default([], -2.0, dtype = torch.float32, layout = torch.strided)", "b = aten.pow.Tensor_Tensor(c, x)"],
    "torch.where(m, 0.0, 1.0).to(torch.bfloat16)": [  # two numbers have no dtype; two tensors of one element have
        "c = aten.full.default([], 0.0, dtype = torch.bfloat16)", "d = aten.full.default([], 1, dtype = torch.bfloat16)",
        "b: 'bf16[4, 6][6, 1]cuda:0' = aten.where.self(m, c, d)",
    ],
    "torch.full((), 0.5, dtype=torch.float32, device=DEVICE).expand([4, 6])": [  # a number has no `expand`
        "c: 'f32[][]cuda:0' = aten.full.default([], 0.5, dtype = torch.float32)",
        "b: 'f32[4, 6][0, 0]cuda:0' = aten.expand.default(c, [4, 6])",
    ],
    "torch.full((), 2, dtype=torch.int64, device=DEVICE)": ["b: 'i64[][]cuda:0' = aten.full.default([], 2, dtype = torch.int64)"],
    "torch.where(m, x, -math.inf)": ["c = aten.full.default([], -inf, dtype = torch.float32)", "b = aten.where.self(m, x, c)"],
    "x.clamp_min(0.0)": ["c = aten.full.default([], 0.0, dtype = torch.float32)", "b = aten.maximum.default(c, x)"],
    "x.clamp_max(1.0)": ["c = aten.full.default([], 1.0, dtype = torch.float32)", "b = aten.minimum.default(x, c)"],
    "torch.arange(6, dtype=torch.int64, device=DEVICE) * 2": [
        "a: 'i64[6][1]cuda:0' = prims.iota.default(6, start = 0, step = 1, dtype = torch.int64, device = device(type='cuda', index=0), requires_grad = False)",
        "c: 'i64[6][1]cuda:0' = aten.add.Tensor(a, 0)", "b = aten.mul.Tensor(c, 2)",
    ],
    "torch.relu(x)": ["a: 'f32[4, 6][6, 1]cuda:0' = aten.mul.Tensor(x, 1)", "b = aten.relu.default(a)"],
    "x + 0 + y": ["a: 'f32[4, 6][6, 1]cuda:0' = aten.add.Tensor(x, 0)", "b = aten.add.Tensor(a, y)"],
    "j * 1.0 + y": ["a: 'f32[4, 6][6, 1]cuda:0' = aten.mul.Tensor(j, 1.0)", "b = aten.add.Tensor(a, y)"],
    "y * z + x": ["b = prims.fma.default(y, z, x)"],
}  # fmt: skip


@pytest.mark.parametrize("text", LINES)
def test_operators_bind_as_python_binds_them(text: str) -> None:
    lines = [line.replace("= aten", "= torch.ops.aten").replace("= prims", "= torch.ops.prims") for line in LINES[text]]
    found = spelled(*lines)
    assert found.statements == () and found.results == (text,)
    if "prims.fma" not in lines[0]:  # torch alone does not have it
        check(found, *(line.replace("-inf", "-float('inf')") for line in lines))


def test_a_value_that_is_used_twice_gets_a_name() -> None:
    lines = [
        "gate = torch.ops.aten.sigmoid.default(x)",
        "rest = torch.ops.aten.sub.Tensor(1, gate)",
        "b = torch.ops.aten.mul.Tensor(gate, rest)",
    ]
    found = spelled(*lines)
    assert found.statements == ("gate = torch.sigmoid(x)",) and found.results == ("gate * (1 - gate)",)
    assert found.operators == ("sigmoid", "sub", "mul")
    check(found, *lines)


def test_the_parts_of_a_split_are_taken_from_it() -> None:
    """Rotary embedding: the halves of a row, swapped, one of them negated."""
    lines = [
        "split = torch.ops.aten.split.Tensor(x, 3, -1)", "first = split[0]", "second = split[1]",
        "neg = torch.ops.aten.neg.default(second)", "b = torch.ops.aten.cat.default([neg, first], -1)",
    ]  # fmt: skip
    found = spelled(*lines)
    assert found.statements == ("split = x.split(3, -1)",) and found.results == (
        "torch.cat([-split[1], split[0]], -1)",
    )
    check(found, *lines)


def test_an_online_softmax_is_a_largest_and_a_sum() -> None:
    found = spelled(
        "both = torch.ops.prims.prepare_softmax_online.default(x, 1)", "top = both[0]", "total = both[1]",
        "sub = torch.ops.aten.sub.Tensor(x, top)", "power = torch.ops.aten.exp.default(sub)", "b = torch.ops.aten.div.Tensor(power, total)",
    )  # fmt: skip
    torch.testing.assert_close(run(found), torch.softmax(tensors()["x"], 1))


@pytest.mark.parametrize(
    "how", [([3, 3], [2, 2], [1, 1], [1, 1]), ([2, 3], [1, 2], [0, 1], [1, 1]), ([2, 2], [2, 1], [0, 1], [3, 2])]
)
def test_the_offsets_of_a_max_pool_are_those_of_inductor_s_own_operator(how: tuple[list[int], ...]) -> None:
    own = pytest.importorskip("torch._inductor.inductor_prims")
    window, stride, padding, dilation = how
    pooled = (
        f"both = torch.ops.prims._low_memory_max_pool_with_offsets.default(image, {', '.join(map(str, how))}, False)"
    )
    image = tensors()["image"]
    largest, offsets = own._low_memory_max_pool_with_offsets_aten(image, *how, False)
    assert torch.equal(run(spelled(pooled, "b = both[0]")), largest)
    assert torch.equal(run(spelled(pooled, "b = both[1]")), offsets) and offsets.dtype == torch.int8
    indices = own._low_memory_max_pool_offsets_to_indices_aten(offsets, window, [8, 8], stride, padding, dilation)
    back = f"[8, 8], {stride}, {padding}, {dilation}"
    places = f"b = torch.ops.prims._low_memory_max_pool_offsets_to_indices.default(o, {window}, {back})"
    assert torch.equal(run(spelled(pooled, "o = both[1]", places)), indices)


def run(found: Reference) -> Any:
    names: dict[str, Any] = {"torch": torch, "DEVICE": "cpu", **tensors()}
    for statement in found.statements:
        exec(statement, names)
    return eval(found.results[0], names)


def test_what_only_inductor_has_is_refused() -> None:
    with pytest.raises(LabError, match=r"prims\._low_memory_max_pool_with_offsets.*only Inductor has"):
        spelled(
            "b = torch.ops.prims._low_memory_max_pool_with_offsets.default(more, [2, 2, 2], [2, 2, 2], [0, 0, 0], [1, 1, 1], False)"
        )


def test_what_adds_to_memory_takes_the_memory_as_it_finds_it() -> None:
    """An atomic kernel: the graph's zeros are in the buffer already, filled by another kernel."""
    found = values(
        "zeros = torch.ops.aten.full.default([4, 6], 0, dtype = torch.float32)",
        "put = torch.ops.aten.index_put.default(zeros, [i], v, True)",
    )
    tied = Values({"in_ptr0": "i", "in_ptr1": "v", "out_ptr0": "put"}, {"out_ptr0": "put"}, found.nodes)
    printed = aten.printed(tied, {"in_ptr0": "index", "in_ptr1": "v", "out_ptr0": "grad"}, ["out_ptr0"])
    assert printed.statements == () and printed.results == ("grad.index_put((index,), v, accumulate=True)",)


def test_two_results_share_what_they_have_in_common() -> None:
    found = values("a = torch.ops.aten.add.Tensor(x, y)", "b = torch.ops.aten.mul.Tensor(a, 0.5)")
    tied = Values(found.read, {"out_ptr0": "a", "out_ptr1": "b"}, found.nodes)
    printed = aten.printed(tied, {**found.read, "out_ptr0": "a", "out_ptr1": "b"}, ["out_ptr0", "out_ptr1"])
    assert printed.statements == ("a_value = x + y",) and printed.results == ("a_value", "a_value * 0.5")


# ---------------------------------------------------------------- what is no form of the kernel


def form(text: str) -> str:
    """The body of `aten`, or why there is none."""
    if "\ndef aten(" in text:
        return text.partition("\ndef aten(")[2].partition("return ")[2].partition("\n")[0]
    assert "\naten = None\n" in text
    return text.partition('UNKNOWN = "')[2].partition('"')[0]


def test_the_graph_of_a_kernel_is_printed_over_its_tensors() -> None:
    assert form(ejected("affine")) == "(torch.relu(bias_1 + base + lora * 0.5),)"
    assert form(ejected("halves")) == "(torch.cat([-split[1], split[0]], -1),)"
    assert form(ejected("argmax")) == "(hidden.argmax(1),)"


def test_a_graph_that_does_not_read_what_the_kernel_reads_is_no_form_of_it() -> None:
    """The claim names a node too few: the kernel adds the correction, what is claimed to be written does not."""
    graph = AFFINE_GRAPH.replace("aten.relu.default(add_1)", "aten.relu.default(add)")
    assert form(ejected("affine", graph=graph)) == "it is not known which value of the graph is in `base`"


def test_a_written_tensor_is_no_node_that_ends_in_another_operation() -> None:
    graph = AFFINE_GRAPH.replace("aten.relu.default(add_1)", "aten.sub.Tensor(add_1, 1)")
    assert form(ejected("affine", graph=graph)) == "it is not known which value of the graph is in `base`"


def test_a_pointer_that_holds_no_value_of_the_graph_is_named() -> None:
    """A buffer that is neither an input nor claimed."""
    said = form(
        ejected(
            "affine",
            written=("nothing",),
            graph=AFFINE_GRAPH.replace('f32[40, 75][75, 1]cuda:0" = ', 'f32[7][1]cuda:0" = '),
        )
    )
    assert said == "it is not known which value of the graph is in `base`"


def test_a_scatter_is_a_part_of_what_the_graph_says() -> None:
    """The zeros between what it writes are another kernel's."""
    small = SMALL["scatter"]
    body = small.body.replace("tl.atomic_add", "tl.store").replace(", sem='relaxed'", "")
    said = form(ejected("scatter", body=body))
    assert said == "an index says where `out` is written: the rest of it is another kernel's"


def test_what_only_inductor_has_is_no_form_and_the_file_says_so() -> None:
    graph = AFFINE_GRAPH.replace(
        "aten.relu.default(add_1)", "prims._low_memory_max_pool_with_offsets.default(add_1, [1], [1], [0], [1], False)"
    )
    assert "which only Inductor has" in form(ejected("affine", graph=graph))


def test_the_bits_of_a_value_are_no_form_as_it_is_judged_in_float64() -> None:
    found = values("bits = torch.ops.aten.view.dtype(x, torch.int32)")
    tied = Values(found.read, {"out_ptr0": "bits"}, found.nodes)
    with pytest.raises(NoGraphForm, match=r"aten\.view\.dtype: the bits of a value are others in float64"):
        aten.printed(tied, {**found.read, "out_ptr0": "out"}, ["out_ptr0"])


def test_what_the_graph_has_for_a_scalar_is_seen_as_one() -> None:
    """The log may tell of a buffer no more than that one element of it is read."""
    text = ejected(
        "even",
        body=SMALL["even"].body.replace("(x0), None)", "(0), None)").replace("(0), tmp2", "(x0), tmp2"),
        tensors={"in_ptr0": "float32[1] hidden", "out_ptr0": "float32[4096] expanded"},
        graph="""
def forward(self, hidden: "f32[][]cuda:0"):
    mul: "f32[][]cuda:0" = torch.ops.aten.mul.Tensor(hidden, 2.0)
    expanded: "f32[4096][0]cuda:0" = torch.ops.aten.expand.default(mul, [4096])
    return (expanded,)
""",
        written=("expanded",),
    )
    assert "hidden = hidden.reshape(())" in text.partition("\ndef aten(")[2]


def test_without_a_graph_the_file_says_what_to_capture_with() -> None:
    text = ejected("even", graph="\ndef forward(self):\n    return ()\n", written=())
    assert "capture with TORCH_LOGS=output_code,post_grad_graphs" in form(text)
    assert "* 2.0,)" in text.partition("def reference(")[2].partition("aten = None")[0]


def test_what_is_only_laid_out_anew_is_the_value_that_was_read() -> None:
    """Inductor's comment names no node for it."""
    graph = '\ndef forward(self, hidden: "f32[4096][1]cuda:0"):\n    return (hidden,)\n'
    body = SMALL["even"].body.replace("(x0), tmp2", "(x0), tmp0")
    assert form(ejected("even", body=body, graph=graph, written=())) == "(hidden,)"


def test_what_is_computed_is_no_copy_of_what_was_read() -> None:
    graph = '\ndef forward(self, hidden: "f32[4096][1]cuda:0"):\n    return (hidden,)\n'
    assert "it is not known" in form(ejected("even", graph=graph, written=()))


def test_what_has_no_name_in_the_graph_but_a_buffer_s_is_told_by_that() -> None:
    """As the first half of a reduction in two kernels leaves it."""
    graph = '\ndef forward(self, hidden: "f32[4096][1]cuda:0"):\n    return (hidden,)\n'
    said = form(ejected("even", graph=graph, written=("buf1",)))
    assert said.startswith(
        "Inductor's comment names no value of the graph for what is in `out`: it says the buffer alone"
    )


# ---------------------------------------------------------------- symbolic sizes


SYMBOLIC = """
def forward(self, arg0_1: "Sym(s77)", x: "f32[s77, 4, 6][24, 6, 1]cuda:0", rows: "f32[4*s77, 6][6, 1]cuda:0"):
    mul: "Sym(4*s77)" = arg0_1 * 4
    view: "f32[4*s77, 6][6, 1]cuda:0" = torch.ops.aten.reshape.default(x, [mul, 6])
    slice_1: "f32[s77, 6][6, 1]cuda:0" = torch.ops.aten.slice.Tensor(rows, 0, 0, arg0_1)
    add: "f32[4*s77, 6][6, 1]cuda:0" = torch.ops.aten.add.Tensor(view, rows)
    return (add,)
"""


def test_a_size_of_the_graph_stands_as_its_symbol() -> None:
    """The wrapper says which input it is."""
    nodes = {node.name: node for node in named(graph(SYMBOLIC)[0], "    s77 = arg0_1\n    x0 = xindex\n")}
    tied = Values({"in_ptr0": "x", "in_ptr1": "rows"}, {"out_ptr0": "add", "out_ptr1": "slice_1"}, nodes)
    names = {"in_ptr0": "x", "in_ptr1": "rows", "out_ptr0": "out", "out_ptr1": "out_2"}
    found = aten.printed(tied, names, ["out_ptr0", "out_ptr1"])
    assert found.statements == () and found.results == ("x.reshape([s77 * 4, 6]) + rows", "rows[:s77]")
    assert found.operators == ("add",)


def test_a_size_is_read_off_a_tensor_or_passed() -> None:
    read = Tensor("in_ptr0", "x", TensorType("float32", (3, 8), (8, 1)), "in", "normal", "", SYMBOLIC_TYPE)
    assert told([read], ["s77", "s50"]) == {"s77": "x.shape[0]"}
    assert told([read], ["s27"]) == {"s27": "x.stride(0)"}


SYMBOLIC_TYPE = TensorType("float32", ("s77", "2*s27"), ("s27", 1))


def test_a_type_is_in_numbers_where_all_its_symbols_are_known() -> None:
    assert in_numbers(SYMBOLIC_TYPE, {"s77": 3, "s27": 4}) == TensorType("float32", (3, 8), (4, 1))
    assert in_numbers(SYMBOLIC_TYPE, {"s77": 3}) == SYMBOLIC_TYPE


def test_a_kernel_of_symbolic_sizes_has_a_form() -> None:
    capture = read([GENERATIONS / "g7_torch_2.13_dynamic.txt"], "x")
    assert [form(eject(capture, kernel)) for kernel in capture.kernels] == [
        "(torch.relu(arg2 + arg3).sum([1]),)",
        "(torch.relu(mm),)",
    ]


# ---------------------------------------------------------------- a convolution's bias


CONVOLUTION = """
def forward(self, image: "f32[2, 3, 8, 8][192, 64, 8, 1]cuda:0", filter: "f32[4, 3, 3, 3][27, 9, 3, 1]cuda:0", four: "f32[4][1]cuda:0"):
    convolution: "f32[2, 4, 6, 6][144, 36, 6, 1]cuda:0" = torch.ops.aten.convolution.default(image, filter, four, [1, 1], [0, 0], [1, 1], False, [0, 0], 1)
    relu: "f32[2, 4, 6, 6][144, 36, 6, 1]cuda:0" = torch.ops.aten.relu.default(convolution)
    return (relu,)
"""


def _split(shape: tuple[int, ...]) -> dict[str, Node]:
    """The graph of a kernel that reads a buffer of a shape and claims the convolution."""
    product = Node("buf29", "placeholder", "", (), TensorType("float32", shape, (144, 36, 6, 1)), None)
    claim = Claim(inputs=("buf29", "four"), nodes=("convolution", "relu"), outputs=("relu",), fragment=(product,))
    return {node.name: node for node in without_biases(graph(CONVOLUTION)[0], kernel("\n    pass\n", {}, claim=claim))}


def test_a_bias_that_the_kernel_adds_is_a_sum_of_its_own() -> None:
    nodes = _split((2, 4, 6, 6))
    tied = Values({"in_ptr0": "buf29", "in_ptr1": "four"}, {"out_ptr0": "relu"}, nodes)
    found = aten.printed(tied, {"in_ptr0": "product", "in_ptr1": "bias", "out_ptr0": "out"}, ["out_ptr0"])
    assert found.results == ("torch.relu(product + bias.reshape([-1, 1, 1]))",)
    made = tensors()
    product = torch.nn.functional.conv2d(made["image"], made["filter"])
    got = eval(found.results[0], {"torch": torch, "product": product, "bias": made["four"]})
    torch.testing.assert_close(got, torch.relu(torch.nn.functional.conv2d(made["image"], made["filter"], made["four"])))


def test_a_buffer_of_another_shape_is_no_product_of_the_convolution() -> None:
    nodes = _split((2, 4, 36))
    assert "buf29" not in nodes and nodes["convolution"].target == "aten.convolution.default"
