"""Kernels for tests, written as text: a signature, a body, and the tensors that a launch passes."""

from __future__ import annotations

import re
import textwrap
from collections.abc import Iterable
from dataclasses import replace

from inductor_lab.read.kernel import read_source
from inductor_lab.records import (
    Capture,
    Claim,
    Gpu,
    Graph,
    Kernel,
    Launch,
    LaunchArgument,
    Node,
    SourceLine,
    TensorType,
)

ROWS = """
    xnumel = 8
    r0_numel = 128
    R0_BLOCK: tl.constexpr = 128
    xoffset = tl.program_id(0) * XBLOCK
    xindex = xoffset + tl.arange(0, XBLOCK)[:, None]
    xmask = xindex < xnumel
    r0_index = tl.arange(0, R0_BLOCK)[None, :]
    r0_mask = r0_index < r0_numel
    r0_1 = r0_index
    x0 = xindex
    tmp0 = tl.load(in_ptr0 + (r0_1 + 128*x0), xmask, other=0.0)
"""
"""Rows of 128 elements, each held whole, the first tensor's in `tmp0`: the beginning of a reduction's body."""
LETTERS = {
    "float32": "*fp32",
    "float16": "*fp16",
    "bfloat16": "*bf16",
    "int64": "*i64",
    "int32": "*i32",
    "int16": "*i16",
    "int8": "*i8",
    "uint8": "*u8",
    "bool": "*i1",
}


def tensor(text: str) -> TensorType:
    """`float32[4096, 1024]`, contiguous; `float32[128, 16; 432, 1]` with strides."""
    dtype, _, inside = text.rstrip("]").partition("[")
    inside, _, told = inside.partition(";")
    shape = tuple(int(size) for size in inside.split(",") if size.strip())
    if told:
        return TensorType(dtype, shape, tuple(map(int, told.split(","))))
    strides, step = [], 1
    for size in reversed(shape):
        strides.append(step)
        step *= size
    return TensorType(dtype, shape, tuple(reversed(strides)))


def kernel(
    body: str,
    tensors: dict[str, str],
    *,
    category: str = "pointwise",
    numel: int | str = "",
    claim: Claim | None = None,
    source: tuple[SourceLine, ...] = (),
    name: str = "triton_poi_fused_test_0",
    passed: dict[str, str] | None = None,
) -> Kernel:
    """A kernel of this body, launched once with these tensors. XBLOCK is its constexpr, R0_BLOCK too in a loop."""
    sizes = [size for size in ("ynumel", "xnumel", "r0_numel", "ks0", "load_seed_offset") if size in body]
    blocks = (
        (["YBLOCK"] if "YBLOCK" in body else [])
        + ["XBLOCK"]
        + (["R0_BLOCK"] if "R0_BLOCK" in body and "R0_BLOCK: tl.constexpr =" not in body else [])
    )
    signature = {pointer: LETTERS[tensor(kind).dtype] for pointer, kind in tensors.items()}
    signature |= dict.fromkeys(sizes, "i32") | dict.fromkeys(blocks, "constexpr")
    parameters = [*tensors, *sizes, *(f"{block} : tl.constexpr" for block in blocks)]
    text = (
        f"@triton_heuristics.{category}(size_hints={{}}, triton_meta={{'signature': {signature!r}}})\n@triton.jit\n"
        f"def {name}({', '.join(parameters)}):\n" + textwrap.indent(textwrap.dedent(body).strip(), "    ")
    )
    read, _ = read_source(text)
    arguments = tuple(
        LaunchArgument(pointer, (passed or {}).get(pointer, f"buf{position}"), tensor(kind))
        for position, (pointer, kind) in enumerate(tensors.items())
    ) + tuple(LaunchArgument(size, str(numel or (passed or {}).get(size, size))) for size in sizes)
    return replace(
        read,
        id="test:0",
        category=category,
        graph="0_inference",
        definitions=1,
        launches=(Launch("0_inference", 1, arguments),),
        source=source,
        claim=claim or Claim(),
        line=1,
        size_hints={},
        meta={},
    )


def capture(*kernels: Kernel, nodes: tuple[Node, ...] = (), command: str = "", name: str = "test") -> Capture:
    """A capture of these kernels on an H200."""
    graph = Graph("0_inference", "0/0", "inference", "", nodes)
    gpu = Gpu("NVIDIA H200", "sm_90", virtual=True)
    return Capture(name, "2.13.0", "3.7.1", gpu, command, "2026-11-20T10:00:00+00:00", (graph,), kernels, (), ())


def one_of_a_kind(kernels: Iterable[Kernel]) -> list[Kernel]:
    """The first of those whose bodies differ in their numbers alone, as 26 lookups in 26 tables do."""
    kinds: dict[str, Kernel] = {}
    for kernel in kernels:
        kinds.setdefault(re.sub(r"\d+", "", kernel.body), kernel)
    return list(kinds.values())


ADD_RELU = """
    xnumel = 4194304
    xoffset = tl.program_id(0) * XBLOCK
    xindex = xoffset + tl.arange(0, XBLOCK)[:]
    xmask = tl.full([XBLOCK], True, tl.int1)[:]
    x0 = (xindex % 1024)
    x2 = xindex
    tmp0 = tl.load(in_ptr0 + (x0), None, eviction_policy='evict_last')
    tmp1 = tl.load(in_out_ptr0 + (x2), None)
    tmp3 = tl.load(in_ptr1 + (x2), None)
    tmp2 = tmp0 + tmp1
    tmp4 = tl.full([1], 0.5, tl.float32)
    tmp5 = tmp3 * tmp4
    tmp6 = tmp2 + tmp5
    tmp7 = tl.full([1], 0, tl.int32)
    tmp8 = triton_helpers.maximum(tmp7, tmp6)
    tl.store(in_out_ptr0 + (x2), tmp8, None)
"""
ADD_RELU_TENSORS = {"in_out_ptr0": "float32[4096, 1024]", "in_ptr0": "float32[1024]", "in_ptr1": "float32[4096, 1024]"}

EMBEDDING = """
    xnumel = 2048
    xoffset = tl.program_id(0) * XBLOCK
    xindex = xoffset + tl.arange(0, XBLOCK)[:]
    xmask = xindex < xnumel
    x1 = xindex // 16
    x0 = (xindex % 16)
    tmp0 = tl.load(in_ptr0 + (26*x1), xmask, eviction_policy='evict_last')
    tmp3 = tl.load(in_ptr1 + (0))
    tmp4 = tl.broadcast_to(tmp3, [XBLOCK])
    tmp1 = tl.full([1], 1, tl.int64)
    tmp2 = tmp0 + tmp1
    tmp5 = (tmp2 % tmp4)
    tmp6 = tl.full([1], 0, tl.int32)
    tmp7 = tmp5 != tmp6
    tmp8 = (libdevice.signbit(tmp5) != 0) if (tmp5).dtype is tl.float32 else tmp5 < 0
    tmp9 = (libdevice.signbit(tmp4) != 0) if (tmp4).dtype is tl.float32 else tmp4 < 0
    tmp10 = tmp8 != tmp9
    tmp11 = tmp7 & tmp10
    tmp12 = tmp5 + tmp4
    tmp13 = tl.where(tmp11, tmp12, tmp5)
    tmp14 = tl.full([XBLOCK], 10000, tl.int32)
    tmp15 = tmp13 + tmp14
    tmp16 = tmp13 < 0
    tmp17 = tl.where(tmp16, tmp15, tmp13)
    tl.device_assert(((0 <= tmp17) & (tmp17 < 10000)) | ~(xmask), "index out of bounds: 0 <= tmp17 < 10000")
    tmp19 = tl.load(in_ptr2 + (x0 + 16*tmp17), xmask)
    tl.store(out_ptr0 + (x0 + 432*x1), tmp19, xmask)
"""
EMBEDDING_TENSORS = {
    "in_ptr0": "int64[128, 26]",
    "in_ptr1": "int64[26]",
    "in_ptr2": "float32[10000, 16]",
    "out_ptr0": "float32[128, 432]",
}

OUTER_PRODUCT = """
    xnumel = 23887872
    xoffset = tl.program_id(0) * XBLOCK
    xindex = xoffset + tl.arange(0, XBLOCK)[:]
    xmask = tl.full([XBLOCK], True, tl.int1)[:]
    x3 = xindex // 432
    x0 = (xindex % 432)
    x2 = xindex // 186624
    x4 = xindex
    tmp0 = tl.load(in_ptr0 + (x3), None, eviction_policy='evict_last')
    tmp1 = tl.load(in_ptr0 + (x0 + 432*x2), None, eviction_policy='evict_last')
    tmp2 = tmp0 * tmp1
    tl.store(out_ptr0 + (x4), tmp2, None)
"""
OUTER_PRODUCT_TENSORS = {"in_ptr0": "float32[128, 432]", "out_ptr0": "float32[128, 432, 432]"}

ROTARY = """
    xnumel = 4194304
    xoffset = tl.program_id(0) * XBLOCK
    xindex = xoffset + tl.arange(0, XBLOCK)[:]
    xmask = tl.full([XBLOCK], True, tl.int1)[:]
    x4 = (xindex % 1024)
    x5 = xindex // 1024
    x0 = (xindex % 64)
    x2 = ((xindex // 1024) % 1024)
    x1 = ((xindex // 64) % 16)
    x6 = xindex
    tmp0 = tl.load(in_ptr0 + (x4 + 3072*x5), None).to(tl.float32)
    tmp1 = tl.load(in_ptr1 + (x0 + 64*x2), None, eviction_policy='evict_last').to(tl.float32)
    tmp17 = tl.load(in_ptr2 + (x0 + 64*x2), None, eviction_policy='evict_last').to(tl.float32)
    tmp2 = tmp0 * tmp1
    tmp3 = x0
    tmp6 = tl.full([1], 32, tl.int64)
    tmp7 = tmp3 < tmp6
    tmp8 = tl.load(in_ptr0 + (32 + 64*x1 + 3072*x5 + (x0)), tmp7, other=0.0).to(tl.float32)
    tmp9 = -tmp8
    tmp10 = tl.full(tmp9.shape, 0.0, tmp9.dtype)
    tmp11 = tl.where(tmp7, tmp9, tmp10)
    tmp12 = tmp3 >= tmp6
    tmp15 = tl.load(in_ptr0 + (64*x1 + 3072*x5 + ((-32) + x0)), tmp12, other=0.0).to(tl.float32)
    tmp16 = tl.where(tmp7, tmp11, tmp15)
    tmp18 = tmp16 * tmp17
    tmp19 = tmp2 + tmp18
    tl.store(out_ptr0 + (x6), tmp19, None)
"""
ROTARY_TENSORS = {
    "in_ptr0": "bfloat16[4096, 3072]",
    "in_ptr1": "bfloat16[1024, 64]",
    "in_ptr2": "bfloat16[1024, 64]",
    "out_ptr0": "bfloat16[4, 1024, 16, 64]",
}

LOOPED_SUM = """
    xnumel = 256
    r0_numel = 128
    rnumel = r0_numel
    RBLOCK: tl.constexpr = R0_BLOCK
    xoffset = tl.program_id(0) * XBLOCK
    xindex = xoffset + tl.arange(0, XBLOCK)[:, None]
    xmask = xindex < xnumel
    r0_base = tl.arange(0, R0_BLOCK)[None, :]
    rbase = r0_base
    x0 = xindex
    _tmp6 = tl.full([XBLOCK, R0_BLOCK], 0, tl.float32)
    for r0_offset in tl.range(0, r0_numel, R0_BLOCK):
        r0_index = r0_offset + r0_base
        r0_mask = r0_index < r0_numel
        roffset = r0_offset
        rindex = r0_index
        r0_1 = r0_index
        tmp0 = tl.load(in_out_ptr0 + (x0 + 256*r0_1), r0_mask & xmask, eviction_policy='evict_first', other=0.0)
        tmp3 = tl.load(in_ptr0 + (x0 + 256*r0_1), r0_mask & xmask, eviction_policy='evict_first', other=0.0)
        tmp1 = tl.full([1, 1], 0.0, tl.float32)
        tmp2 = tmp0 <= tmp1
        tmp4 = tl.where(tmp2, tmp1, tmp3)
        tmp5 = tl.broadcast_to(tmp4, [XBLOCK, R0_BLOCK])
        tmp7 = _tmp6 + tmp5
        _tmp6 = tl.where(r0_mask & xmask, tmp7, _tmp6)
        tl.store(in_out_ptr0 + (x0 + 256*r0_1), tmp4, r0_mask & xmask)
    tmp6 = tl.sum(_tmp6, 1)[:, None]
    tl.store(out_ptr0 + (x0), tmp6, xmask)
"""
LOOPED_SUM_TENSORS = {"in_out_ptr0": "float32[128, 256]", "in_ptr0": "float32[128, 256]", "out_ptr0": "float32[1, 256]"}

PERSISTENT_SUM = """
    xnumel = 1
    r0_numel = 128
    R0_BLOCK: tl.constexpr = 128
    xoffset = tl.program_id(0) * XBLOCK
    xindex = xoffset + tl.arange(0, XBLOCK)[:, None]
    xmask = tl.full([XBLOCK], True, tl.int1)[:, None]
    r0_index = tl.arange(0, R0_BLOCK)[None, :]
    r0_offset = 0
    r0_mask = tl.full([R0_BLOCK], True, tl.int1)[None, :]
    r0_0 = r0_index
    tmp0 = tl.load(in_ptr0 + (r0_0), None)
    tmp1 = tl.load(in_out_ptr0 + (r0_0), None)
    tmp2 = tmp0 * tmp1
    tmp3 = tl.broadcast_to(tmp2, [XBLOCK, R0_BLOCK])
    tmp5 = tl.sum(tmp3, 1)[:, None].to(tl.float32)
    tl.store(in_out_ptr0 + (tl.broadcast_to(r0_0, [XBLOCK, R0_BLOCK])), tmp2, None)
    tl.store(out_ptr0 + (tl.full([1, 1], 0, tl.int32).broadcast_to(XBLOCK, 1)), tmp5, None)
"""
PERSISTENT_SUM_TENSORS = {"in_out_ptr0": "float32[128]", "in_ptr0": "float32[128]", "out_ptr0": "float32[1, 1]"}

SCATTER = """
    xnumel = 1048576
    xoffset = tl.program_id(0) * XBLOCK
    xindex = xoffset + tl.arange(0, XBLOCK)[:]
    xmask = tl.full([XBLOCK], True, tl.int1)[:]
    x1 = xindex // 1024
    x2 = xindex
    x0 = (xindex % 1024)
    tmp0 = tl.load(in_ptr0 + (x1), None, eviction_policy='evict_last')
    tmp6 = tl.load(in_ptr1 + (x2), None)
    tl.atomic_add(out_ptr0 + (x0 + 1024*tmp0), tmp6, None, sem='relaxed')
"""
SCATTER_TENSORS = {"in_ptr0": "int64[1024]", "in_ptr1": "float32[1024, 1024]", "out_ptr0": "float32[4096, 1024]"}

HEAD = "    xnumel = {numel}\n    xoffset = tl.program_id(0) * XBLOCK\n    xindex = xoffset + tl.arange(0, XBLOCK)[:]\n    xmask = xindex < xnumel\n"

CAT = (
    HEAD.format(numel=2400)
    + """
    x1 = ((xindex // 6) % 100)
    x0 = (xindex % 6)
    x2 = xindex // 600
    x3 = xindex
    tmp0 = x1
    tmp5 = tl.full([1], 50, tl.int64)
    tmp6 = tmp0 < tmp5
    tmp7 = tl.load(in_ptr0 + (x0 + 6*x1 + 300*x2), tmp6 & xmask, other=0.0)
    tmp8 = tmp0 >= tmp5
    tmp11 = tl.load(in_ptr1 + (x0 + 6*((-50) + x1) + 300*x2), tmp8 & xmask, other=0.0)
    tmp12 = tl.where(tmp6, tmp7, tmp11)
    tl.store(out_ptr0 + (x3), tmp12, xmask)
"""
)

TRANSPOSE = """
    ynumel = 96
    xnumel = 256
    yoffset = tl.program_id(1) * YBLOCK
    yindex = yoffset + tl.arange(0, YBLOCK)[:, None]
    ymask = yindex < ynumel
    xoffset = tl.program_id(0) * XBLOCK
    xindex = xoffset + tl.arange(0, XBLOCK)[None, :]
    xmask = xindex < xnumel
    x1 = xindex
    y0 = yindex
    tmp0 = tl.load(in_ptr0 + (y0 + 96*x1), ymask & xmask)
    tl.store(out_ptr0 + (x1 + 256*y0), tmp0, ymask & xmask)
"""

ROWS_OF_20 = """
xnumel = 600
xoffset = tl.program_id(0) * XBLOCK
xindex = xoffset + tl.arange(0, XBLOCK)[:]
xmask = xindex < xnumel
x0 = (xindex % 20)
x1 = xindex // 20
x2 = xindex
"""
"""The head of a body of 30 rows."""
