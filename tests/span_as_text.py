"""A span's file as text, at small sizes: a pointwise launch, a product by the library, a pointwise launch in place."""

from __future__ import annotations

SPAN = '''"""y = relu((x * 2) @ weight + bias); scratch = 3 (...): steps 4 to 6 of `sample`.

Rendered  sha256 @RENDERED@, this file's as it was ejected
"""

import math

import torch
import triton
import triton.language as tl


def launch(x, weight, bias, y, scratch, *, double_BLOCK=256, double_num_warps=4, bias_relu_BLOCK=256, bias_relu_num_warps=4):
    scaled = torch.empty_strided((64, 32), (32, 1), dtype=torch.float32, device=x.device)
    launch_double(x, scaled, BLOCK=double_BLOCK, num_warps=double_num_warps)
    torch.mm(scaled, weight.t(), out=y)
    launch_bias_relu(y, bias, scratch, BLOCK=bias_relu_BLOCK, num_warps=bias_relu_num_warps)
    return y, scratch


@triton.jit
def double(x_ptr, out_ptr, NUMEL: tl.constexpr, BLOCK: tl.constexpr):
    offset = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    tl.store(out_ptr + offset, tl.load(x_ptr + offset, offset < NUMEL) * 2.0, offset < NUMEL)


def launch_double(x, scaled, *, BLOCK=256, num_warps=4):
    double[(triton.cdiv(2048, BLOCK),)](x, scaled, 2048, BLOCK=BLOCK, num_warps=num_warps)


@triton.jit
def bias_relu(y_ptr, bias_ptr, scratch_ptr, NUMEL: tl.constexpr, BLOCK: tl.constexpr):
    offset = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    inside = offset < NUMEL
    total = tl.load(y_ptr + offset, inside) + tl.load(bias_ptr + offset % 16, inside)
    tl.store(y_ptr + offset, tl.where(total < 0, 0.0, total), inside)
    tl.store(scratch_ptr + offset, total * 3.0, inside)


def launch_bias_relu(y, bias, scratch, *, BLOCK=256, num_warps=4):
    bias_relu[(triton.cdiv(1024, BLOCK),)](y, bias, scratch, 1024, BLOCK=BLOCK, num_warps=num_warps)


# ---------------------------------------------------------------- what it must equal, and on what


def reference(x, weight, bias):
    total = (x * 2) @ weight.t() + bias
    return torch.relu(total), total * 3


aten = None
UNKNOWN = "the sample has no graph"
ARGUMENTS = {
    "x": ((64, 32), (32, 1), torch.float32, "normal"),
    "weight": ((16, 32), (32, 1), torch.float32, "normal"),
    "bias": ((16,), (1,), torch.float32, "normal"),
    "y": ((64, 16), (16, 1), torch.float32, "out"),
    "scratch": ((64, 16), (16, 1), torch.float32, "out"),
}
TAKES = ("x", "weight", "bias")
WRITTEN = ("y", "scratch")
UNREAD = ("scratch",)
BYTES = {"read": 10304, "written": 4096}
INTERPRETER = {"launch": {}, "launch_generated": {}}
TAIL = {"gpu": {}, "interpreter": {"double_BLOCK": 4096}}
ORIGIN = {
    "schema": 1,
    "capture": "sample",
    "graph": "0_inference",
    "kernel": "sample:0_inference:4-6",
    "span": [
        {"kernel": "sample:0", "name": "triton_poi_fused_mul_0", "body_sha256": "00000000"},
        {"call": "extern_kernels.mm"},
        {"kernel": "sample:1", "name": "triton_poi_fused_add_relu_1", "body_sha256": "11111111"},
    ],
    "name": "double_mm_bias_relu",
    "body_sha256": "22222222",
    "arch": "sm_90",
    "parameters": {"arg0_1": "x", "arg1_1": "weight", "arg2_1": "bias", "buf1": "y", "buf3": "scratch"},
    "numbers": {},
    "sizes": {},
    "blocks": {
        "XBLOCK_0": "double_BLOCK",
        "num_warps_0": "double_num_warps",
        "XBLOCK_1": "bias_relu_BLOCK",
        "num_warps_1": "bias_relu_num_warps",
    },
}


@triton.jit
def generated_0(in_ptr0, out_ptr0, xnumel, XBLOCK: tl.constexpr):
    xnumel = 2048
    xindex = tl.program_id(0) * XBLOCK + tl.arange(0, XBLOCK)[:]
    xmask = xindex < xnumel
    tl.store(out_ptr0 + (xindex), tl.load(in_ptr0 + (xindex), xmask) * 2.0, xmask)


@triton.jit
def generated_1(in_out_ptr0, in_ptr0, out_ptr0, xnumel, XBLOCK: tl.constexpr):
    xnumel = 1024
    xindex = tl.program_id(0) * XBLOCK + tl.arange(0, XBLOCK)[:]
    xmask = xindex < xnumel
    tmp2 = tl.load(in_out_ptr0 + (xindex), xmask) + tl.load(in_ptr0 + (xindex % 16), xmask)
    tl.store(in_out_ptr0 + (xindex), tl.where(tmp2 < 0, 0.0, tmp2), xmask)
    tl.store(out_ptr0 + (xindex), tmp2 * 3.0, xmask)


def launch_generated_0(x, scaled, *, XBLOCK=256, num_warps=4, num_stages=1):
    grid = (triton.cdiv(2048, XBLOCK),)
    generated_0[grid](x, scaled, 2048, XBLOCK=XBLOCK, num_warps=num_warps, num_stages=num_stages)


def launch_generated_1(y, bias, scratch, *, XBLOCK=256, num_warps=4, num_stages=1):
    grid = (triton.cdiv(1024, XBLOCK),)
    generated_1[grid](y, bias, scratch, 1024, XBLOCK=XBLOCK, num_warps=num_warps, num_stages=num_stages)


def launch_generated(x, weight, bias, y, scratch, *, XBLOCK_0=256, num_warps_0=4, XBLOCK_1=256, num_warps_1=4):
    scaled = torch.empty_strided((64, 32), (32, 1), dtype=torch.float32, device=x.device)
    launch_generated_0(x, scaled, XBLOCK=XBLOCK_0, num_warps=num_warps_0)
    torch.mm(scaled, weight.t(), out=y)
    launch_generated_1(y, bias, scratch, XBLOCK=XBLOCK_1, num_warps=num_warps_1)
    return y, scratch


DECORATORS = (
    """
triton_heuristics.pointwise(
    size_hints={'x': 2048},
    filename=__file__,
    triton_meta={
        'signature': {'in_ptr0': '*fp32', 'out_ptr0': '*fp32', 'xnumel': 'i32', 'XBLOCK': 'constexpr'},
        'device': DeviceProperties(), 'constants': {}, 'configs': [{}],
    },
    inductor_meta={'grid_type': 'Grid1D', 'kernel_name': 'triton_poi_fused_mul_0', 'mutated_arg_names': [], 'force_disable_caches': True},
    min_elem_per_thread=0
)
""",
    "",
)


# ---------------------------------------------------------------- check and time (the same in every ejected file)


def example_inputs(device="cuda", seed=0):
    rng = torch.Generator("cpu").manual_seed(seed)
    read = [torch.randn(ARGUMENTS[name][0], generator=rng).to(device) for name in TAKES]
    return (*read, *(torch.full(ARGUMENTS[name][0], math.nan, device=device) for name in WRITTEN))
'''
