"""Small kernels as text, each with its graph: ejected in milliseconds, judged in the interpreter in as little."""

from __future__ import annotations

from dataclasses import dataclass, replace

from kernels_as_text import LOOPED_SUM, capture, kernel

from inductor_lab.eject import eject
from inductor_lab.read.provenance import graph
from inductor_lab.records import Claim


@dataclass(frozen=True)
class Small:
    """One small kernel: its body, its tensors in the order of the parameters, its graph."""

    body: str
    tensors: dict[str, str]
    graph: str
    written: tuple[str, ...]
    category: str = "pointwise"
    hints: tuple[tuple[str, int], ...] = (("x", 4096),)


HEAD = """
    xnumel = 3000
    xoffset = tl.program_id(0) * XBLOCK
    xindex = xoffset + tl.arange(0, XBLOCK)[:]
    xmask = xindex < xnumel
    x0 = (xindex % 75)
    x2 = xindex
"""
AFFINE = (
    HEAD
    + """
    tmp0 = tl.load(in_ptr0 + (x0), xmask, eviction_policy='evict_last')
    tmp1 = tl.load(in_out_ptr0 + (x2), xmask)
    tmp3 = tl.load(in_ptr1 + (x2), xmask)
    tmp2 = tmp0 + tmp1
    tmp4 = tl.full([1], 0.5, tl.float32)
    tmp5 = tmp3 * tmp4
    tmp6 = tmp2 + tmp5
    tmp7 = tl.full([1], 0, tl.int32)
    tmp8 = triton_helpers.maximum(tmp7, tmp6)
    tl.store(in_out_ptr0 + (x2), tmp8, xmask)
"""
)
AFFINE_GRAPH = """
def forward(self, bias_1: "f32[75][1]cuda:0", base: "f32[40, 75][75, 1]cuda:0", lora: "f32[40, 75][75, 1]cuda:0"):
    add: "f32[40, 75][75, 1]cuda:0" = torch.ops.aten.add.Tensor(bias_1, base)
    mul: "f32[40, 75][75, 1]cuda:0" = torch.ops.aten.mul.Tensor(lora, 0.5)
    add_1: "f32[40, 75][75, 1]cuda:0" = torch.ops.aten.add.Tensor(add, mul)
    relu: "f32[40, 75][75, 1]cuda:0" = torch.ops.aten.relu.default(add_1)
    return (relu,)
"""
SMALL = {
    "affine": Small(
        AFFINE, {"in_out_ptr0": "float32[40, 75] base", "in_ptr0": "float32[75] bias_1", "in_ptr1": "float32[40, 75] lora"}, AFFINE_GRAPH, ("relu",)
    ),
    "affine_bf16": Small(
        AFFINE.replace("'evict_last')", "'evict_last').to(tl.float32)").replace("(x2), xmask)\n    tmp", "(x2), xmask).to(tl.float32)\n    tmp"),
        {"in_out_ptr0": "bfloat16[40, 75] base", "in_ptr0": "bfloat16[75] bias_1", "in_ptr1": "bfloat16[40, 75] lora"},
        AFFINE_GRAPH.replace("f32", "bf16"), ("relu",),
    ),
    "even": Small(
        """
    xnumel = 4096
    xoffset = tl.program_id(0) * XBLOCK
    xindex = xoffset + tl.arange(0, XBLOCK)[:]
    xmask = tl.full([XBLOCK], True, tl.int1)[:]
    x0 = xindex
    tmp0 = tl.load(in_ptr0 + (x0), None)
    tmp1 = tl.full([1], 2.0, tl.float32)
    tmp2 = tmp0 * tmp1
    tl.store(out_ptr0 + (x0), tmp2, None)
""",
        {"in_ptr0": "float32[4096] x", "out_ptr0": "float32[4096] mul"},
        """
def forward(self, x: "f32[4096][1]cuda:0"):
    mul: "f32[4096][1]cuda:0" = torch.ops.aten.mul.Tensor(x, 2.0)
    return (mul,)
""", ("mul",),
    ),
    "leaky": Small(
        HEAD
        + """
    tmp0 = tl.load(in_out_ptr0 + (x2), xmask)
    tmp1 = tl.full([1], 0.0, tl.float32)
    tmp2 = tmp0 > tmp1
    tmp3 = tl.full([1], 0.01, tl.float32)
    tmp4 = tmp0 * tmp3
    tmp5 = tl.where(tmp2, tmp0, tmp4)
    tl.store(out_ptr0 + (x2), tmp2, xmask)
    tl.store(in_out_ptr0 + (x2), tmp5, xmask)
""",
        {"in_out_ptr0": "float32[40, 75] x", "out_ptr0": "bool[40, 75] gt"},
        """
def forward(self, x: "f32[40, 75][75, 1]cuda:0"):
    gt: "b8[40, 75][75, 1]cuda:0" = torch.ops.aten.gt.Scalar(x, 0)
    mul: "f32[40, 75][75, 1]cuda:0" = torch.ops.aten.mul.Tensor(x, 0.01)
    where: "f32[40, 75][75, 1]cuda:0" = torch.ops.aten.where.self(gt, x, mul)
    return (gt, where)
""", ("gt", "where"),
    ),
    "gather": Small(
        HEAD.replace("x2 = xindex", "x1 = xindex // 75")
        + """
    x2 = xindex
    tmp0 = tl.load(in_ptr0 + (x1), xmask, eviction_policy='evict_last')
    tmp1 = tl.full([XBLOCK], 50, tl.int32)
    tmp2 = tmp0 + tmp1
    tmp3 = tmp0 < 0
    tmp4 = tl.where(tmp3, tmp2, tmp0)
    tl.device_assert(((0 <= tmp4) & (tmp4 < 50)) | ~(xmask), "index out of bounds: 0 <= tmp4 < 50")
    tmp6 = tl.load(in_ptr1 + (x0 + 75*tmp4), xmask)
    tl.store(out_ptr0 + (x2), tmp6, xmask)
""",
        {"in_ptr0": "int64[40] ids", "in_ptr1": "float32[50, 75] table_1", "out_ptr0": "float32[40, 75] embedding"},
        """
def forward(self, ids: "i64[40][1]cuda:0", table_1: "f32[50, 75][75, 1]cuda:0"):
    embedding: "f32[40, 75][75, 1]cuda:0" = torch.ops.aten.embedding.default(table_1, ids)
    return (embedding,)
""", ("embedding",),
    ),
    "count": Small(
        HEAD
        + """
    tmp0 = tl.load(in_ptr0 + (x2), xmask)
    tmp1 = tl.full([1], 3, tl.int64)
    tmp2 = tmp0 * tmp1
    tl.store(out_ptr0 + (x2), tmp2, xmask)
""",
        {"in_ptr0": "int64[40, 75] n", "out_ptr0": "int64[40, 75] mul"},
        """
def forward(self, n: "i64[40, 75][75, 1]cuda:0"):
    mul: "i64[40, 75][75, 1]cuda:0" = torch.ops.aten.mul.Tensor(n, 3)
    return (mul,)
""", ("mul",),
    ),
    "sum": Small(
        LOOPED_SUM.replace("256", "50").replace("r0_numel = 128", "r0_numel = 300"),
        {"in_out_ptr0": "float32[300, 50] kept", "in_ptr0": "float32[300, 50] grad", "out_ptr0": "float32[1, 50] sum_1"},
        """
def forward(self, kept: "f32[300, 50][50, 1]cuda:0", grad: "f32[300, 50][50, 1]cuda:0"):
    le: "b8[300, 50][50, 1]cuda:0" = torch.ops.aten.le.Scalar(kept, 0)
    full_default: "f32[][]cuda:0" = torch.ops.aten.full.default([], 0.0, dtype = torch.float32)
    where: "f32[300, 50][50, 1]cuda:0" = torch.ops.aten.where.self(le, full_default, grad)
    sum_1: "f32[1, 50][50, 1]cuda:0" = torch.ops.aten.sum.dim_IntList(where, [0], True)
    return (where, sum_1)
""", ("where", "sum_1"), "reduction", (("x", 64), ("r0_", 512)),
    ),
    "functions": Small(
        HEAD
        + """
    tmp0 = tl.load(in_ptr0 + (x2), xmask)
    tmp1 = libdevice.tanh(tmp0)
    tmp2 = libdevice.erf(tmp0)
    tmp3 = tmp0 * tmp0
    tmp4 = tl.full([1], 1.0, tl.float32)
    tmp5 = tmp3 + tmp4
    tmp6 = libdevice.rsqrt(tmp5)
    tmp7 = tl_math.exp(tmp1)
    tmp8 = tmp7 + tmp2
    tmp9 = tmp8 * tmp6
    tl.store(out_ptr0 + (x2), tmp9, xmask)
""",
        {"in_ptr0": "float32[40, 75] x", "out_ptr0": "float32[40, 75] mul_1"},
        """
def forward(self, x: "f32[40, 75][75, 1]cuda:0"):
    tanh: "f32[40, 75][75, 1]cuda:0" = torch.ops.aten.tanh.default(x)
    erf: "f32[40, 75][75, 1]cuda:0" = torch.ops.aten.erf.default(x)
    mul: "f32[40, 75][75, 1]cuda:0" = torch.ops.aten.mul.Tensor(x, x)
    add: "f32[40, 75][75, 1]cuda:0" = torch.ops.aten.add.Tensor(mul, 1.0)
    rsqrt: "f32[40, 75][75, 1]cuda:0" = torch.ops.aten.rsqrt.default(add)
    exp: "f32[40, 75][75, 1]cuda:0" = torch.ops.aten.exp.default(tanh)
    add_1: "f32[40, 75][75, 1]cuda:0" = torch.ops.aten.add.Tensor(exp, erf)
    mul_1: "f32[40, 75][75, 1]cuda:0" = torch.ops.aten.mul.Tensor(add_1, rsqrt)
    return (mul_1,)
""", ("mul_1",),
    ),
}  # fmt: skip


def ejected(name: str, style: str = "readable") -> str:
    small = SMALL[name]
    nodes, outputs = graph(small.graph)
    inputs = tuple(node.name for node in nodes if node.target == "placeholder")
    computed = tuple(node.name for node in nodes if node.target != "placeholder")
    claim = Claim(inputs=inputs, nodes=computed, outputs=small.written)
    types = {parameter: text.rpartition(" ")[0] for parameter, text in small.tensors.items()}
    made = kernel(small.body, types, category=small.category, claim=claim, name=f"triton_{name}")
    (launch,) = made.launches
    values = {
        line.split(" = ")[0].strip(): line.split(" = ")[1] for line in small.body.splitlines() if "numel = " in line
    }
    passed = tuple(replace(a, value=values.get(a.name, a.value)) for a in launch.arguments)
    made = replace(made, launches=(replace(launch, arguments=passed),), size_hints=dict(small.hints))
    found = capture(made, nodes=nodes, name=name)
    (one,) = found.graphs
    return eject(replace(found, graphs=(replace(one, outputs=outputs),)), made, style=style)


def edited(text: str, *changes: tuple[str, str]) -> str:
    for before, after in changes:
        assert before in text, f"{before!r} does not stand in the file"
        text = text.replace(before, after)
    return text
