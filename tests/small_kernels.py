"""Small kernels as text, each with its graph: ejected in milliseconds, judged in the interpreter in as little."""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import cache
from typing import Any

from kernels_as_text import LOOPED_SUM, capture, kernel

from inductor_lab.eject import eject
from inductor_lab.read.provenance import graph
from inductor_lab.records import Capture, Claim, Kernel


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
RUNNING_MEAN = (
    HEAD
    + """
    tmp0 = tl.load(in_ptr0 + (x2), xmask)
    tmp1 = tl.load(in_ptr1 + (x2), xmask)
    tmp2 = tl.full([1], 0.1, tl.float32)
    tmp3 = tmp0 * tmp2
    tmp4 = tl.full([1], 0.9, tl.float32)
    tmp5 = tmp1 * tmp4
    tmp6 = tmp3 + tmp5
    tl.store(out_ptr0 + (x2), tmp6, xmask)
"""
)
RUNNING_MEAN_GRAPH = """
def forward(self, batch: "f32[40, 75][75, 1]cuda:0", running: "f32[40, 75][75, 1]cuda:0"):
    mul: "f32[40, 75][75, 1]cuda:0" = torch.ops.aten.mul.Tensor(batch, 0.1)
    mul_1: "f32[40, 75][75, 1]cuda:0" = torch.ops.aten.mul.Tensor(running, 0.9)
    add: "f32[40, 75][75, 1]cuda:0" = torch.ops.aten.add.Tensor(mul, mul_1)
    return (add,)
"""
SMALL = {
    "running_mean": Small(
        RUNNING_MEAN, {"in_ptr0": "float32[40, 75] batch", "in_ptr1": "float32[40, 75] running", "out_ptr0": "float32[40, 75] running"},
        RUNNING_MEAN_GRAPH, ("add",),
    ),
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
        {"in_ptr0": "float32[4096] hidden", "out_ptr0": "float32[4096] mul"},
        """
def forward(self, hidden: "f32[4096][1]cuda:0"):
    mul: "f32[4096][1]cuda:0" = torch.ops.aten.mul.Tensor(hidden, 2.0)
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
        {"in_out_ptr0": "float32[40, 75] hidden", "out_ptr0": "bool[40, 75] gt"},
        """
def forward(self, hidden: "f32[40, 75][75, 1]cuda:0"):
    gt: "b8[40, 75][75, 1]cuda:0" = torch.ops.aten.gt.Scalar(hidden, 0)
    mul: "f32[40, 75][75, 1]cuda:0" = torch.ops.aten.mul.Tensor(hidden, 0.01)
    where: "f32[40, 75][75, 1]cuda:0" = torch.ops.aten.where.self(gt, hidden, mul)
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
        {"in_ptr0": "float32[40, 75] hidden", "out_ptr0": "float32[40, 75] mul_1"},
        """
def forward(self, hidden: "f32[40, 75][75, 1]cuda:0"):
    tanh: "f32[40, 75][75, 1]cuda:0" = torch.ops.aten.tanh.default(hidden)
    erf: "f32[40, 75][75, 1]cuda:0" = torch.ops.aten.erf.default(hidden)
    mul: "f32[40, 75][75, 1]cuda:0" = torch.ops.aten.mul.Tensor(hidden, hidden)
    add: "f32[40, 75][75, 1]cuda:0" = torch.ops.aten.add.Tensor(mul, 1.0)
    rsqrt: "f32[40, 75][75, 1]cuda:0" = torch.ops.aten.rsqrt.default(add)
    exp: "f32[40, 75][75, 1]cuda:0" = torch.ops.aten.exp.default(tanh)
    add_1: "f32[40, 75][75, 1]cuda:0" = torch.ops.aten.add.Tensor(exp, erf)
    mul_1: "f32[40, 75][75, 1]cuda:0" = torch.ops.aten.mul.Tensor(add_1, rsqrt)
    return (mul_1,)
""", ("mul_1",),
    ),
    "tile": Small(
        """
    ynumel = 64
    xnumel = 40
    yoffset = tl.program_id(1) * YBLOCK
    yindex = yoffset + tl.arange(0, YBLOCK)[:, None]
    ymask = tl.full([YBLOCK], True, tl.int1)[:, None]
    xoffset = tl.program_id(0) * XBLOCK
    xindex = xoffset + tl.arange(0, XBLOCK)[None, :]
    xmask = xindex < xnumel
    x1 = xindex
    y0 = yindex
    tmp0 = tl.load(in_ptr0 + (y0), None, eviction_policy='evict_last')
    tmp1 = tl.load(in_ptr1 + (y0 + 64*x1), xmask, eviction_policy='evict_last')
    tmp2 = tmp0 - tmp1
    tl.store(out_ptr0 + (x1 + 40*y0), tmp2, xmask)
""",
        {"in_ptr0": "float32[64] bias_1", "in_ptr1": "float32[40, 64] hidden", "out_ptr0": "float32[64, 40] clone"},
        """
def forward(self, bias_1: "f32[64][1]cuda:0", hidden: "f32[40, 64][64, 1]cuda:0"):
    sub: "f32[40, 64][64, 1]cuda:0" = torch.ops.aten.sub.Tensor(bias_1, hidden)
    permute: "f32[64, 40][1, 64]cuda:0" = torch.ops.aten.permute.default(sub, [1, 0])
    clone: "f32[64, 40][40, 1]cuda:0" = torch.ops.aten.clone.default(permute, memory_format = torch.contiguous_format)
    return (clone,)
""", ("clone",), "pointwise", (("y", 64), ("x", 64)),
    ),
    "rows_of_three": Small(
        """
    ynumel = 3
    xnumel = 10
    r0_numel = 64
    R0_BLOCK: tl.constexpr = 64
    yoffset = tl.program_id(1) * YBLOCK
    yindex = yoffset + tl.arange(0, YBLOCK)[:, None, None]
    ymask = yindex < ynumel
    xoffset = tl.program_id(0) * XBLOCK
    xindex = xoffset + tl.arange(0, XBLOCK)[None, :, None]
    xmask = xindex < xnumel
    r0_index = tl.arange(0, R0_BLOCK)[None, None, :]
    r0_offset = 0
    r0_mask = tl.full([R0_BLOCK], True, tl.int1)[None, None, :]
    r0_2 = r0_index
    y0 = yindex
    x1 = xindex
    tmp0 = tl.load(in_ptr0 + (x1 + 10*r0_2 + 640*y0), xmask & ymask, other=0.0)
    tmp1 = tl.broadcast_to(tmp0, [YBLOCK, XBLOCK, R0_BLOCK])
    tmp3 = tl.where(xmask & ymask, tmp1, 0)
    tmp4 = tl.sum(tmp3, 2)[:, :, None]
    tl.store(out_ptr0 + (x1 + 10*y0), tmp4, xmask & ymask)
""",
        {"in_ptr0": "float32[3, 64, 10] hidden", "out_ptr0": "float32[3, 10] sum_1"},
        """
def forward(self, hidden: "f32[3, 64, 10][640, 10, 1]cuda:0"):
    sum_1: "f32[3, 10][10, 1]cuda:0" = torch.ops.aten.sum.dim_IntList(hidden, [1])
    return (sum_1,)
""", ("sum_1",), "persistent_reduction", (("y", 4), ("x", 16), ("r0_", 64)),
    ),
    "welford": Small(
        """
    xnumel = 50
    r0_numel = 300
    rnumel = r0_numel
    RBLOCK: tl.constexpr = R0_BLOCK
    xoffset = tl.program_id(0) * XBLOCK
    xindex = xoffset + tl.arange(0, XBLOCK)[:, None]
    xmask = xindex < xnumel
    r0_base = tl.arange(0, R0_BLOCK)[None, :]
    rbase = r0_base
    x0 = xindex
    tmp2_mean = tl.zeros([XBLOCK, R0_BLOCK], tl.float32)
    tmp2_m2 = tl.zeros([XBLOCK, R0_BLOCK], tl.float32)
    tmp2_weight = tl.zeros([XBLOCK, R0_BLOCK], tl.float32)
    for r0_offset in tl.range(0, r0_numel, R0_BLOCK):
        r0_index = r0_offset + r0_base
        r0_mask = r0_index < r0_numel
        roffset = r0_offset
        rindex = r0_index
        r0_1 = r0_index
        tmp0 = tl.load(in_ptr0 + (r0_1 + 300*x0), r0_mask & xmask, eviction_policy='evict_first', other=0.0)
        tmp1 = tl.broadcast_to(tmp0, [XBLOCK, R0_BLOCK])
        tmp2_mean_next, tmp2_m2_next, tmp2_weight_next = triton_helpers.welford_reduce(
            tmp1, tmp2_mean, tmp2_m2, tmp2_weight, roffset == 0
        )
        tmp2_mean = tl.where(r0_mask & xmask, tmp2_mean_next, tmp2_mean)
        tmp2_m2 = tl.where(r0_mask & xmask, tmp2_m2_next, tmp2_m2)
        tmp2_weight = tl.where(r0_mask & xmask, tmp2_weight_next, tmp2_weight)
    tmp3, tmp4, tmp5 = triton_helpers.welford(tmp2_mean, tmp2_m2, tmp2_weight, 1)
    tmp2 = tmp3[:, None]
    tmp6 = tmp4[:, None]
    tl.store(out_ptr0 + (x0), tmp2, xmask)
    tmp8 = tl.full([1, 1], 300.0, tl.float32)
    tmp9 = (tmp6 / tmp8)
    tl.store(out_ptr1 + (x0), tmp9, xmask)
""",
        {"in_ptr0": "float32[50, 300] hidden", "out_ptr0": "float32[50] mean", "out_ptr1": "float32[50] var"},
        """
def forward(self, hidden: "f32[50, 300][300, 1]cuda:0"):
    mean: "f32[50][1]cuda:0" = torch.ops.aten.mean.dim(hidden, [1])
    var: "f32[50][1]cuda:0" = torch.ops.aten.var.correction(hidden, [1], correction = 0)
    return (mean, var)
""", ("mean", "var"), "reduction", (("x", 64), ("r0_", 512)),
    ),
    "argmax": Small(
        """
    xnumel = 50
    r0_numel = 300
    rnumel = r0_numel
    RBLOCK: tl.constexpr = R0_BLOCK
    xoffset = tl.program_id(0) * XBLOCK
    xindex = xoffset + tl.arange(0, XBLOCK)[:, None]
    xmask = xindex < xnumel
    r0_base = tl.arange(0, R0_BLOCK)[None, :]
    rbase = r0_base
    x0 = xindex
    _tmp2 = tl.full([XBLOCK, R0_BLOCK], float("-inf"), tl.float32)
    _tmp2_index = tl.full([XBLOCK, R0_BLOCK], 2147483647, tl.int32)
    for r0_offset in tl.range(0, r0_numel, R0_BLOCK):
        r0_index = r0_offset + r0_base
        r0_mask = r0_index < r0_numel
        roffset = r0_offset
        rindex = r0_index
        r0_1 = r0_index
        tmp0 = tl.load(in_ptr0 + (r0_1 + 300*x0), r0_mask & xmask, eviction_policy='evict_first', other=0.0)
        tmp1 = tl.broadcast_to(tmp0, [XBLOCK, R0_BLOCK])
        _tmp2_next, _tmp2_index_next = triton_helpers.maximum_with_index(_tmp2, _tmp2_index, tmp1, rindex)
        _tmp2 = tl.where(r0_mask & xmask, _tmp2_next, _tmp2)
        _tmp2_index = tl.where(r0_mask & xmask, _tmp2_index_next, _tmp2_index)
    tmp2_val, tmp2_idx = triton_helpers.max_with_index(_tmp2, _tmp2_index, 1)
    tmp2 = tmp2_idx[:, None]
    tl.store(out_ptr0 + (x0), tmp2, xmask)
""",
        {"in_ptr0": "float32[50, 300] hidden", "out_ptr0": "int64[50] argmax"},
        """
def forward(self, hidden: "f32[50, 300][300, 1]cuda:0"):
    argmax: "i64[50][1]cuda:0" = torch.ops.aten.argmax.default(hidden, 1)
    return (argmax,)
""", ("argmax",), "reduction", (("x", 64), ("r0_", 512)),
    ),
    "halves": Small(
        HEAD.replace("75", "60")
        + """
    x1 = xindex // 60
    tmp0 = x0
    tmp1 = tl.full([1], 30, tl.int64)
    tmp2 = tmp0 < tmp1
    tmp3 = tl.load(in_ptr0 + (30 + 60*x1 + (x0)), tmp2 & xmask, other=0.0)
    tmp4 = -tmp3
    tmp5 = tl.full(tmp4.shape, 0.0, tmp4.dtype)
    tmp6 = tl.where(tmp2, tmp4, tmp5)
    tmp7 = tmp0 >= tmp1
    tmp8 = tl.load(in_ptr0 + (60*x1 + ((-30) + x0)), tmp7 & xmask, other=0.0)
    tmp9 = tl.where(tmp2, tmp6, tmp8)
    tl.store(out_ptr0 + (x2), tmp9, xmask)
""",
        {"in_ptr0": "float32[50, 60] hidden", "out_ptr0": "float32[50, 60] cat"},
        """
def forward(self, hidden: "f32[50, 60][60, 1]cuda:0"):
    split = torch.ops.aten.split.Tensor(hidden, 30, -1)
    getitem: "f32[50, 30][60, 1]cuda:0" = split[0]
    getitem_1: "f32[50, 30][60, 1]cuda:0" = split[1]
    neg: "f32[50, 30][30, 1]cuda:0" = torch.ops.aten.neg.default(getitem_1)
    cat: "f32[50, 60][60, 1]cuda:0" = torch.ops.aten.cat.default([neg, getitem], -1)
    return (cat,)
""", ("cat",),
    ),
    "wide": Small(
        HEAD.replace("tl.program_id(0) * XBLOCK", "tl.program_id(0).to(tl.int64) * XBLOCK").replace("[:]", "[:].to(tl.int64)", 1)
        + """
    tmp0 = tl.load(in_ptr0 + (x2), xmask)
    tmp1 = x2
    tmp2 = tmp1.to(tl.float32)
    tmp3 = tmp0 + tmp2
    tl.store(out_ptr0 + (x2), tmp3, xmask)
""",
        {"in_ptr0": "float32[3000] hidden", "out_ptr0": "float32[3000] add"},
        """
def forward(self, hidden: "f32[3000][1]cuda:0"):
    iota: "i64[3000][1]cuda:0" = torch.ops.prims.iota.default(3000, start = 0, step = 1, dtype = torch.int64)
    add: "f32[3000][1]cuda:0" = torch.ops.aten.add.Tensor(hidden, iota)
    return (add,)
""", ("add",),
    ),
    "scatter": Small(
        HEAD.replace("x2 = xindex", "x1 = xindex // 75")
        + """
    x2 = xindex
    tmp0 = tl.load(in_ptr0 + (x1), xmask, eviction_policy='evict_last')
    tmp1 = tl.load(in_ptr1 + (x2), xmask)
    tl.device_assert(((0 <= tmp0) & (tmp0 < 50)) | ~(xmask), "index out of bounds: 0 <= tmp0 < 50")
    tl.atomic_add(out_ptr0 + (x0 + 75*tmp0), tmp1, xmask, sem='relaxed')
""",
        {"in_ptr0": "int64[40] ids", "in_ptr1": "float32[40, 75] hidden", "out_ptr0": "float32[50, 75] index_put"},
        """
def forward(self, ids: "i64[40][1]cuda:0", hidden: "f32[40, 75][75, 1]cuda:0"):
    full: "f32[50, 75][75, 1]cuda:0" = torch.ops.aten.full.default([50, 75], 0, dtype = torch.float32)
    index_put: "f32[50, 75][75, 1]cuda:0" = torch.ops.aten.index_put.default(full, [ids], hidden, True)
    return (index_put,)
""", ("index_put",),
    ),
    "counted": Small(
        HEAD
        + """
    tmp0 = tl.load(in_ptr0 + (x2), xmask)
    tl.device_assert(((0 <= tmp0) & (tmp0 < 50)) | ~(xmask), "index out of bounds: 0 <= tmp0 < 50")
    tmp1 = tl.full([1], 1.0, tl.float32)
    tl.atomic_add(out_ptr0 + (tl.broadcast_to(tmp0, [XBLOCK])), tmp1, xmask, sem='relaxed')
""",
        {"in_ptr0": "int64[3000] ids", "out_ptr0": "float32[50] index_put"},
        """
def forward(self, ids: "i64[3000][1]cuda:0"):
    full: "f32[50][1]cuda:0" = torch.ops.aten.full.default([50], 0, dtype = torch.float32)
    ones: "f32[3000][1]cuda:0" = torch.ops.aten.full.default([3000], 1, dtype = torch.float32)
    index_put: "f32[50][1]cuda:0" = torch.ops.aten.index_put.default(full, [ids], ones, True)
    return (index_put,)
""", ("index_put",),
    ),
    "maximum": Small(
        HEAD
        + """
    tmp0 = tl.load(in_ptr0 + (x2), xmask)
    tmp1 = tl.load(in_ptr1 + (x2), xmask)
    tmp2 = triton_helpers.maximum(tmp0, tmp1)
    tmp3 = tmp0 * tmp2
    tl.store(out_ptr0 + (x2), tmp3, xmask)
""",
        {"in_ptr0": "float32[40, 75] maximum", "in_ptr1": "float32[40, 75] any", "out_ptr0": "float32[40, 75] mul"},
        """
def forward(self, maximum: "f32[40, 75][75, 1]cuda:0", any: "f32[40, 75][75, 1]cuda:0"):
    maximum_1: "f32[40, 75][75, 1]cuda:0" = torch.ops.aten.maximum.default(maximum, any)
    mul: "f32[40, 75][75, 1]cuda:0" = torch.ops.aten.mul.Tensor(maximum, maximum_1)
    return (mul,)
""", ("mul",),
    ),
}  # fmt: skip


def ejected(name: str, style: str = "readable", **changes: Any) -> str:
    """The file of one small kernel.

    Args:
        changes: Fields of `Small` that are to be others.
    """
    return eject(*captured(name, **changes), style=style) if changes else _as_it_is(name, style)


@cache
def _as_it_is(name: str, style: str) -> str:
    return eject(*captured(name), style=style)


def captured(name: str, **changes: Any) -> tuple[Capture, Kernel]:
    """One small kernel in a capture of its own."""
    small = replace(SMALL[name], **changes)
    nodes, outputs = graph(small.graph)
    inputs = tuple(node.name for node in nodes if node.target == "placeholder")
    computed = tuple(node.name for node in nodes if node.target != "placeholder")
    operators = dict.fromkeys(node.target.rpartition(".")[0] for node in nodes if node.target.startswith("aten."))
    claim = Claim(aten=tuple(operators), inputs=inputs, nodes=computed, outputs=small.written)
    types = {parameter: text.rpartition(" ")[0] for parameter, text in small.tensors.items()}
    made = kernel(small.body, types, category=small.category, claim=claim, name=f"triton_{name}")
    (launch,) = made.launches
    values = {
        line.split(" = ")[0].strip(): line.split(" = ")[1] for line in small.body.splitlines() if "numel = " in line
    }
    held = {parameter: text.rpartition(" ")[2] for parameter, text in small.tensors.items()}
    values |= {parameter: name for parameter, name in held.items() if name in inputs}  # what is passed is certain
    passed = tuple(
        replace(a, value=values.get(a.name, a.value), storage=values.get(a.name, a.storage)) for a in launch.arguments
    )
    made = replace(made, launches=(replace(launch, arguments=passed),), size_hints=dict(small.hints))
    found = capture(made, nodes=nodes, name=name)
    (one,) = found.graphs
    return replace(found, graphs=(replace(one, outputs=outputs),)), made


def edited(text: str, *changes: tuple[str, str]) -> str:
    for before, after in changes:
        assert before in text, f"{before!r} does not stand in the file"
        text = text.replace(before, after)
    return text
