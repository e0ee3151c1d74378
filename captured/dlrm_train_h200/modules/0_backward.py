# AOT ID: ['0_backward']
from ctypes import c_void_p, c_long, c_int
import torch
import math
import random
import os
import tempfile
from math import inf, nan
from cmath import nanj
from torch._inductor.hooks import run_intermediate_hooks
from torch._inductor.utils import maybe_profile
from torch._inductor.codegen.memory_planning import _align as align
from torch import device, empty_strided
from torch._inductor.async_compile import AsyncCompile
from torch._inductor.select_algorithm import extern_kernels
import triton
import triton.language as tl
from torch._inductor.runtime.triton_heuristics import start_graph, end_graph
from torch._C import _cuda_getCurrentRawStream as get_raw_stream

aten = torch.ops.aten
inductor_ops = torch.ops.inductor
_quantized = torch.ops._quantized
assert_size_stride = torch._C._dynamo.guards.assert_size_stride
assert_alignment = torch._C._dynamo.guards.assert_alignment
empty_strided_cpu = torch._C._dynamo.guards._empty_strided_cpu
empty_strided_cpu_pinned = torch._C._dynamo.guards._empty_strided_cpu_pinned
empty_strided_cuda = torch._C._dynamo.guards._empty_strided_cuda
empty_strided_xpu = torch._C._dynamo.guards._empty_strided_xpu
empty_strided_mtia = torch._C._dynamo.guards._empty_strided_mtia
reinterpret_tensor = torch._C._dynamo.guards._reinterpret_tensor
alloc_from_pool = torch.ops.inductor._alloc_from_pool
async_compile = AsyncCompile()
empty_strided_p2p = torch._C._distributed_c10d._SymmetricMemory.empty_strided_p2p


# kernel path: ev/cevqjcr2xfqzsbxt53iv65qavqnmrjf4s63h6v5jycqjzqhtweb4.py
# Topologically Sorted Source Nodes: [unsqueeze_2, mul_2, sum_1], Original ATen: [aten.unsqueeze, aten.sigmoid_backward, aten.sum]
# Source node to ATen node mapping:
#   mul_2 => mul_2
#   sum_1 => sum_1
#   unsqueeze_2 => unsqueeze_2
# Graph fragment:
#   %tangents_1 : Tensor "f32[128][1]cuda:0" = PlaceHolder[target=tangents_1]
#   %mul_1 : Tensor "f32[128, 1][1, 1]cuda:0" = PlaceHolder[target=mul_1]
#   %mul_2 : Tensor "f32[128, 1][1, 1]cuda:0" = PlaceHolder[target=mul_2]
#   %unsqueeze_2 : Tensor "f32[128, 1][1, 1]cuda:0"[num_users=1] = call_function[target=torch.ops.aten.unsqueeze.default](args = (%tangents_1, 1), kwargs = {})
#   %mul_2 : Tensor "f32[128, 1][1, 1]cuda:0"[num_users=3] = call_function[target=torch.ops.aten.mul.Tensor](args = (%unsqueeze_2, %mul_1), kwargs = {})
#   %sum_1 : Tensor "f32[1, 1][1, 1]cuda:0"[num_users=1] = call_function[target=torch.ops.aten.sum.dim_IntList](args = (%mul_2, [0], True), kwargs = {})
#   return %mul_2,%sum_1
triton_per_fused_sigmoid_backward_sum_unsqueeze_0 = async_compile.triton('triton_per_fused_sigmoid_backward_sum_unsqueeze_0', '''
import triton
import triton.language as tl

from torch._inductor.runtime import triton_helpers, triton_heuristics
from torch._inductor.runtime.triton_helpers import libdevice, math as tl_math
from torch._inductor.runtime.hints import AutotuneHint, ReductionHint, TileHint, DeviceProperties
triton_helpers.set_driver_to_gpu()

@triton_heuristics.persistent_reduction(
    size_hints={'x': 1, 'r0_': 128},
    reduction_hint=ReductionHint.INNER,
    filename=__file__,
    triton_meta={'signature': {'in_out_ptr0': '*fp32', 'in_ptr0': '*fp32', 'out_ptr0': '*fp32', 'xnumel': 'constexpr', 'r0_numel': 'i32', 'XBLOCK': 'constexpr'}, 'device': DeviceProperties(type='cuda', index=0, multi_processor_count=132, cc=90, major=9, regs_per_multiprocessor=65536, max_threads_per_multi_processor=2048, max_threads_per_block=1024, warp_size=32), 'constants': {'xnumel': 1}, 'native_matmul': False, 'enable_fp_fusion': True, 'launch_pdl': False, 'disable_ftz': False, 'configs': [{(0,): [['tt.divisibility', 16]], (1,): [['tt.divisibility', 16]], (2,): [['tt.divisibility', 16]], (4,): [['tt.divisibility', 16]]}]},
    inductor_meta={'grid_type': 'Grid1D', 'autotune_hints': set(), 'kernel_name': 'triton_per_fused_sigmoid_backward_sum_unsqueeze_0', 'mutated_arg_names': ['in_out_ptr0'], 'optimize_mem': True, 'no_x_dim': None, 'atomic_add_found': False, 'num_load': 2, 'num_store': 2, 'num_reduction': 1, 'backend_hash': '91D1D1166449D9E2EB66EB9770C9E2C3B0FEB787341F27FEB4D3F0338DA50336', 'assert_indirect_indexing': True, 'autotune_local_cache': True, 'autotune_pointwise': True, 'autotune_remote_cache': None, 'force_disable_caches': True, 'dynamic_scale_rblock': True, 'max_autotune': False, 'max_autotune_pointwise': False, 'min_split_scan_rblock': 256, 'spill_threshold': 16, 'store_cubin': False, 'deterministic': False, 'force_filter_reduction_configs': False, 'mix_order_reduction_allow_multi_stages': False, 'are_deterministic_algorithms_enabled': False, 'tiling_scores': {'r0_': 2048}}
)
@triton.jit
def triton_per_fused_sigmoid_backward_sum_unsqueeze_0(in_out_ptr0, in_ptr0, out_ptr0, xnumel, r0_numel, XBLOCK : tl.constexpr):
    xnumel = 1
    r0_numel = 128
    R0_BLOCK: tl.constexpr = 128
    rnumel = r0_numel
    RBLOCK: tl.constexpr = R0_BLOCK
    xoffset = tl.program_id(0) * XBLOCK
    xindex = xoffset + tl.arange(0, XBLOCK)[:, None]
    xmask = tl.full([XBLOCK], True, tl.int1)[:, None]
    r0_index = tl.arange(0, R0_BLOCK)[None, :]
    r0_offset = 0
    r0_mask = tl.full([R0_BLOCK], True, tl.int1)[None, :]
    roffset = r0_offset
    rindex = r0_index
    r0_0 = r0_index
    tmp0 = tl.load(in_ptr0 + (r0_0), None)
    tmp1 = tl.load(in_out_ptr0 + (r0_0), None)
    tmp2 = tmp0 * tmp1
    tmp3 = tl.broadcast_to(tmp2, [XBLOCK, R0_BLOCK])
    tmp5 = tl.sum(tmp3, 1)[:, None].to(tl.float32)
    tl.store(in_out_ptr0 + (tl.broadcast_to(r0_0, [XBLOCK, R0_BLOCK])), tmp2, None)
    tl.store(out_ptr0 + (tl.full([1, 1], 0, tl.int32).broadcast_to(XBLOCK, 1)), tmp5, None)
''', device_str='cuda')


# kernel path: dk/cdkuudvh23iqosnlg6rkdli3sp3undlhsome7qzieu237vrdooot.py
# Topologically Sorted Source Nodes: [le, full_default, where, sum_2], Original ATen: [aten.threshold_backward, aten.sum]
# Source node to ATen node mapping:
#   full_default => full_default
#   le => le
#   sum_2 => sum_2
#   where => where
# Graph fragment:
#   %relu_5 : Tensor "f32[128, 256][256, 1]cuda:0" = PlaceHolder[target=relu_5]
#   %mm : Tensor "f32[128, 256][256, 1]cuda:0" = PlaceHolder[target=mm]
#   %where : Tensor "f32[128, 256][256, 1]cuda:0" = PlaceHolder[target=where]
#   %le : Tensor "b8[128, 256][256, 1]cuda:0"[num_users=1] = call_function[target=torch.ops.aten.le.Scalar](args = (%relu_5, 0), kwargs = {})
#   %full_default : Tensor "f32[][]cuda:0"[num_users=32] = call_function[target=torch.ops.aten.full.default](args = ([], 0.0), kwargs = {dtype: torch.float32, layout: torch.strided, device: cuda:0, pin_memory: False})
#   %where : Tensor "f32[128, 256][256, 1]cuda:0"[num_users=3] = call_function[target=torch.ops.aten.where.self](args = (%le, %full_default, %mm), kwargs = {})
#   %sum_2 : Tensor "f32[1, 256][256, 1]cuda:0"[num_users=1] = call_function[target=torch.ops.aten.sum.dim_IntList](args = (%where, [0], True), kwargs = {})
#   return %where,%sum_2
triton_red_fused_sum_threshold_backward_1 = async_compile.triton('triton_red_fused_sum_threshold_backward_1', '''
import triton
import triton.language as tl

from torch._inductor.runtime import triton_helpers, triton_heuristics
from torch._inductor.runtime.triton_helpers import libdevice, math as tl_math
from torch._inductor.runtime.hints import AutotuneHint, ReductionHint, TileHint, DeviceProperties
triton_helpers.set_driver_to_gpu()

@triton_heuristics.reduction(
    size_hints={'x': 256, 'r0_': 128},
    reduction_hint=ReductionHint.OUTER,
    filename=__file__,
    triton_meta={'signature': {'in_out_ptr0': '*fp32', 'in_ptr0': '*fp32', 'out_ptr0': '*fp32', 'xnumel': 'i32', 'r0_numel': 'i32', 'XBLOCK': 'constexpr', 'R0_BLOCK': 'constexpr'}, 'device': DeviceProperties(type='cuda', index=0, multi_processor_count=132, cc=90, major=9, regs_per_multiprocessor=65536, max_threads_per_multi_processor=2048, max_threads_per_block=1024, warp_size=32), 'constants': {}, 'native_matmul': False, 'enable_fp_fusion': True, 'launch_pdl': False, 'disable_ftz': False, 'configs': [{(0,): [['tt.divisibility', 16]], (1,): [['tt.divisibility', 16]], (2,): [['tt.divisibility', 16]], (3,): [['tt.divisibility', 16]], (4,): [['tt.divisibility', 16]]}]},
    inductor_meta={'grid_type': 'Grid1D', 'autotune_hints': set(), 'kernel_name': 'triton_red_fused_sum_threshold_backward_1', 'mutated_arg_names': ['in_out_ptr0'], 'optimize_mem': True, 'no_x_dim': False, 'atomic_add_found': False, 'num_load': 2, 'num_store': 2, 'num_reduction': 1, 'backend_hash': '91D1D1166449D9E2EB66EB9770C9E2C3B0FEB787341F27FEB4D3F0338DA50336', 'assert_indirect_indexing': True, 'autotune_local_cache': True, 'autotune_pointwise': True, 'autotune_remote_cache': None, 'force_disable_caches': True, 'dynamic_scale_rblock': True, 'max_autotune': False, 'max_autotune_pointwise': False, 'min_split_scan_rblock': 256, 'spill_threshold': 16, 'store_cubin': False, 'deterministic': False, 'force_filter_reduction_configs': False, 'mix_order_reduction_allow_multi_stages': False, 'are_deterministic_algorithms_enabled': False, 'tiling_scores': {'x': 526336, 'r0_': 0}}
)
@triton.jit
def triton_red_fused_sum_threshold_backward_1(in_out_ptr0, in_ptr0, out_ptr0, xnumel, r0_numel, XBLOCK : tl.constexpr, R0_BLOCK : tl.constexpr):
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
''', device_str='cuda')


# kernel path: zm/czmvbcnhlpguwqknltvejyiqgag2tz73b4cpvstn54v3eilvd3ic.py
# Topologically Sorted Source Nodes: [full_default, le_1, where_1, sum_3], Original ATen: [aten.threshold_backward, aten.sum]
# Source node to ATen node mapping:
#   full_default => full_default
#   le_1 => le_1
#   sum_3 => sum_3
#   where_1 => where_1
# Graph fragment:
#   %relu_4 : Tensor "f32[128, 512][512, 1]cuda:0" = PlaceHolder[target=relu_4]
#   %mm_2 : Tensor "f32[128, 512][512, 1]cuda:0" = PlaceHolder[target=mm_2]
#   %where_1 : Tensor "f32[128, 512][512, 1]cuda:0" = PlaceHolder[target=where_1]
#   %full_default : Tensor "f32[][]cuda:0"[num_users=32] = call_function[target=torch.ops.aten.full.default](args = ([], 0.0), kwargs = {dtype: torch.float32, layout: torch.strided, device: cuda:0, pin_memory: False})
#   %le_1 : Tensor "b8[128, 512][512, 1]cuda:0"[num_users=1] = call_function[target=torch.ops.aten.le.Scalar](args = (%relu_4, 0), kwargs = {})
#   %where_1 : Tensor "f32[128, 512][512, 1]cuda:0"[num_users=3] = call_function[target=torch.ops.aten.where.self](args = (%le_1, %full_default, %mm_2), kwargs = {})
#   %sum_3 : Tensor "f32[1, 512][512, 1]cuda:0"[num_users=1] = call_function[target=torch.ops.aten.sum.dim_IntList](args = (%where_1, [0], True), kwargs = {})
#   return %where_1,%sum_3
triton_red_fused_sum_threshold_backward_2 = async_compile.triton('triton_red_fused_sum_threshold_backward_2', '''
import triton
import triton.language as tl

from torch._inductor.runtime import triton_helpers, triton_heuristics
from torch._inductor.runtime.triton_helpers import libdevice, math as tl_math
from torch._inductor.runtime.hints import AutotuneHint, ReductionHint, TileHint, DeviceProperties
triton_helpers.set_driver_to_gpu()

@triton_heuristics.reduction(
    size_hints={'x': 512, 'r0_': 128},
    reduction_hint=ReductionHint.OUTER,
    filename=__file__,
    triton_meta={'signature': {'in_out_ptr0': '*fp32', 'in_ptr0': '*fp32', 'out_ptr0': '*fp32', 'xnumel': 'i32', 'r0_numel': 'i32', 'XBLOCK': 'constexpr', 'R0_BLOCK': 'constexpr'}, 'device': DeviceProperties(type='cuda', index=0, multi_processor_count=132, cc=90, major=9, regs_per_multiprocessor=65536, max_threads_per_multi_processor=2048, max_threads_per_block=1024, warp_size=32), 'constants': {}, 'native_matmul': False, 'enable_fp_fusion': True, 'launch_pdl': False, 'disable_ftz': False, 'configs': [{(0,): [['tt.divisibility', 16]], (1,): [['tt.divisibility', 16]], (2,): [['tt.divisibility', 16]], (3,): [['tt.divisibility', 16]], (4,): [['tt.divisibility', 16]]}]},
    inductor_meta={'grid_type': 'Grid1D', 'autotune_hints': set(), 'kernel_name': 'triton_red_fused_sum_threshold_backward_2', 'mutated_arg_names': ['in_out_ptr0'], 'optimize_mem': True, 'no_x_dim': False, 'atomic_add_found': False, 'num_load': 2, 'num_store': 2, 'num_reduction': 1, 'backend_hash': '91D1D1166449D9E2EB66EB9770C9E2C3B0FEB787341F27FEB4D3F0338DA50336', 'assert_indirect_indexing': True, 'autotune_local_cache': True, 'autotune_pointwise': True, 'autotune_remote_cache': None, 'force_disable_caches': True, 'dynamic_scale_rblock': True, 'max_autotune': False, 'max_autotune_pointwise': False, 'min_split_scan_rblock': 256, 'spill_threshold': 16, 'store_cubin': False, 'deterministic': False, 'force_filter_reduction_configs': False, 'mix_order_reduction_allow_multi_stages': False, 'are_deterministic_algorithms_enabled': False, 'tiling_scores': {'x': 1052672, 'r0_': 0}}
)
@triton.jit
def triton_red_fused_sum_threshold_backward_2(in_out_ptr0, in_ptr0, out_ptr0, xnumel, r0_numel, XBLOCK : tl.constexpr, R0_BLOCK : tl.constexpr):
    xnumel = 512
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
        tmp0 = tl.load(in_ptr0 + (x0 + 512*r0_1), r0_mask & xmask, eviction_policy='evict_first', other=0.0)
        tmp3 = tl.load(in_out_ptr0 + (x0 + 512*r0_1), r0_mask & xmask, eviction_policy='evict_first', other=0.0)
        tmp1 = tl.full([1, 1], 0.0, tl.float32)
        tmp2 = tmp0 <= tmp1
        tmp4 = tl.where(tmp2, tmp1, tmp3)
        tmp5 = tl.broadcast_to(tmp4, [XBLOCK, R0_BLOCK])
        tmp7 = _tmp6 + tmp5
        _tmp6 = tl.where(r0_mask & xmask, tmp7, _tmp6)
        tl.store(in_out_ptr0 + (x0 + 512*r0_1), tmp4, r0_mask & xmask)
    tmp6 = tl.sum(_tmp6, 1)[:, None]
    tl.store(out_ptr0 + (x0), tmp6, xmask)
''', device_str='cuda')


# kernel path: oo/coo7synqt4r4gxhu4tuo6usrlbjuvogbsgmmj7ffc24ikchbtvwy.py
# Topologically Sorted Source Nodes: [full_default, squeeze_1, squeeze_2, add_1, slice_27, eq, unsqueeze_3, where_6, full_default_7, index_put], Original ATen: [aten.threshold_backward, aten.squeeze, aten.add, aten.slice, aten.embedding_dense_backward]
# Source node to ATen node mapping:
#   add_1 => add_1
#   eq => eq
#   full_default => full_default
#   full_default_7 => full_default_7
#   index_put => index_put
#   slice_27 => slice_27
#   squeeze_1 => squeeze_1
#   squeeze_2 => squeeze_2
#   unsqueeze_3 => unsqueeze_3
#   where_6 => where_6
# Graph fragment:
#   %full_default : Tensor "f32[][]cuda:0"[num_users=32] = call_function[target=torch.ops.aten.full.default](args = ([], 0.0), kwargs = {dtype: torch.float32, layout: torch.strided, device: cuda:0, pin_memory: False})
#   %squeeze_1 : Tensor "f32[128, 432][432, 1]cuda:0"[num_users=1] = call_function[target=torch.ops.aten.squeeze.dim](args = (%sum_5, 1), kwargs = {})
#   %squeeze_2 : Tensor "f32[128, 432][432, 1]cuda:0"[num_users=1] = call_function[target=torch.ops.aten.squeeze.dim](args = (%sum_4, 2), kwargs = {})
#   %add_1 : Tensor "f32[128, 432][432, 1]cuda:0"[num_users=27] = call_function[target=torch.ops.aten.add.Tensor](args = (%squeeze_1, %squeeze_2), kwargs = {})
#   %slice_27 : Tensor "f32[128, 16][432, 1]cuda:0"[num_users=1] = call_function[target=torch.ops.aten.slice.Tensor](args = (%add_1, 1, 416, 432), kwargs = {})
#   %eq : Tensor "b8[128][1]cuda:0"[num_users=1] = call_function[target=torch.ops.aten.eq.Scalar](args = (%select_25, -1), kwargs = {})
#   %unsqueeze_3 : Tensor "b8[128, 1][1, 1]cuda:0"[num_users=1] = call_function[target=torch.ops.aten.unsqueeze.default](args = (%eq, -1), kwargs = {})
#   %where_6 : Tensor "f32[128, 16][16, 1]cuda:0"[num_users=1] = call_function[target=torch.ops.aten.where.self](args = (%unsqueeze_3, %full_default, %slice_27), kwargs = {})
#   %full_default_7 : Tensor "f32[10000, 16][16, 1]cuda:0"[num_users=26] = call_function[target=torch.ops.aten.full.default](args = ([10000, 16], 0), kwargs = {dtype: torch.float32, layout: torch.strided, device: cuda:0, pin_memory: False})
#   %index_put : Tensor "f32[10000, 16][16, 1]cuda:0"[num_users=1] = call_function[target=torch.ops.aten.index_put.default](args = (%full_default_7, [%select_25], %where_6, True), kwargs = {})
#   return %index_put
triton_poi_fused_add_embedding_dense_backward_slice_squeeze_threshold_backward_3 = async_compile.triton('triton_poi_fused_add_embedding_dense_backward_slice_squeeze_threshold_backward_3', '''
import triton
import triton.language as tl

from torch._inductor.runtime import triton_helpers, triton_heuristics
from torch._inductor.runtime.triton_helpers import libdevice, math as tl_math
from torch._inductor.runtime.hints import AutotuneHint, ReductionHint, TileHint, DeviceProperties
triton_helpers.set_driver_to_gpu()

@triton_heuristics.pointwise(
    size_hints={'x': 262144}, 
    filename=__file__,
    triton_meta={'signature': {'out_ptr0': '*fp32', 'xnumel': 'i32', 'XBLOCK': 'constexpr'}, 'device': DeviceProperties(type='cuda', index=0, multi_processor_count=132, cc=90, major=9, regs_per_multiprocessor=65536, max_threads_per_multi_processor=2048, max_threads_per_block=1024, warp_size=32), 'constants': {}, 'native_matmul': False, 'enable_fp_fusion': True, 'launch_pdl': False, 'disable_ftz': False, 'configs': [{(0,): [['tt.divisibility', 16]], (1,): [['tt.divisibility', 16]]}]},
    inductor_meta={'grid_type': 'Grid1D', 'autotune_hints': set(), 'kernel_name': 'triton_poi_fused_add_embedding_dense_backward_slice_squeeze_threshold_backward_3', 'mutated_arg_names': [], 'optimize_mem': True, 'no_x_dim': False, 'atomic_add_found': False, 'num_load': 0, 'num_store': 1, 'num_reduction': 0, 'backend_hash': '91D1D1166449D9E2EB66EB9770C9E2C3B0FEB787341F27FEB4D3F0338DA50336', 'assert_indirect_indexing': True, 'autotune_local_cache': True, 'autotune_pointwise': True, 'autotune_remote_cache': None, 'force_disable_caches': True, 'dynamic_scale_rblock': True, 'max_autotune': False, 'max_autotune_pointwise': False, 'min_split_scan_rblock': 256, 'spill_threshold': 16, 'store_cubin': False, 'deterministic': False, 'force_filter_reduction_configs': False, 'mix_order_reduction_allow_multi_stages': False, 'are_deterministic_algorithms_enabled': False, 'tiling_scores': {'x': 1280000}},
    min_elem_per_thread=0
)
@triton.jit
def triton_poi_fused_add_embedding_dense_backward_slice_squeeze_threshold_backward_3(out_ptr0, xnumel, XBLOCK : tl.constexpr):
    xnumel = 160000
    xoffset = tl.program_id(0) * XBLOCK
    xindex = xoffset + tl.arange(0, XBLOCK)[:]
    xmask = xindex < xnumel
    x0 = xindex
    tmp0 = tl.full([1], 0.0, tl.float32)
    tl.store(out_ptr0 + (x0), tmp0, xmask)
''', device_str='cuda')


# kernel path: zl/czls6624cwxue7qv2o6ik4j5joavzrn6fwtur57l37xfejqe4kxb.py
# Topologically Sorted Source Nodes: [view_4, getitem_26, mul_3, getitem_27, mul_4, sum_4, sum_5], Original ATen: [aten.view, aten.unsqueeze, aten.mul, aten.sum]
# Source node to ATen node mapping:
#   getitem_26 => unsqueeze
#   getitem_27 => unsqueeze_1
#   mul_3 => mul_3
#   mul_4 => mul_4
#   sum_4 => sum_4
#   sum_5 => sum_5
#   view_4 => view_4
# Graph fragment:
#   %mm_4 : Tensor "f32[128, 186624][186624, 1]cuda:0" = PlaceHolder[target=mm_4]
#   %cat : Tensor "f32[128, 432][432, 1]cuda:0" = PlaceHolder[target=cat]
#   %view_4 : Tensor "f32[128, 432, 432][186624, 432, 1]cuda:0"[num_users=2] = call_function[target=torch.ops.aten.reshape.default](args = (%mm_4, [128, 432, 432]), kwargs = {})
#   %unsqueeze : Tensor "f32[128, 432, 1][432, 1, 1]cuda:0"[num_users=1] = call_function[target=torch.ops.aten.unsqueeze.default](args = (%cat, 2), kwargs = {})
#   %mul_3 : Tensor "f32[128, 432, 432][186624, 432, 1]cuda:0"[num_users=1] = call_function[target=torch.ops.aten.mul.Tensor](args = (%view_4, %unsqueeze), kwargs = {})
#   %unsqueeze_1 : Tensor "f32[128, 1, 432][432, 432, 1]cuda:0"[num_users=1] = call_function[target=torch.ops.aten.unsqueeze.default](args = (%cat, 1), kwargs = {})
#   %mul_4 : Tensor "f32[128, 432, 432][186624, 432, 1]cuda:0"[num_users=1] = call_function[target=torch.ops.aten.mul.Tensor](args = (%view_4, %unsqueeze_1), kwargs = {})
#   %sum_4 : Tensor "f32[128, 432, 1][432, 1, 1]cuda:0"[num_users=1] = call_function[target=torch.ops.aten.sum.dim_IntList](args = (%mul_4, [2], True), kwargs = {})
#   %sum_5 : Tensor "f32[128, 1, 432][432, 432, 1]cuda:0"[num_users=1] = call_function[target=torch.ops.aten.sum.dim_IntList](args = (%mul_3, [1], True), kwargs = {})
#   return %sum_4,%sum_5
triton_red_fused_mul_sum_unsqueeze_view_4 = async_compile.triton('triton_red_fused_mul_sum_unsqueeze_view_4', '''
import triton
import triton.language as tl

from torch._inductor.runtime import triton_helpers, triton_heuristics
from torch._inductor.runtime.triton_helpers import libdevice, math as tl_math
from torch._inductor.runtime.hints import AutotuneHint, ReductionHint, TileHint, DeviceProperties
triton_helpers.set_driver_to_gpu()

@triton_heuristics.reduction(
    size_hints={'x': 65536, 'r0_': 512},
    reduction_hint=ReductionHint.DEFAULT,
    filename=__file__,
    triton_meta={'signature': {'in_ptr0': '*fp32', 'in_ptr1': '*fp32', 'out_ptr0': '*fp32', 'out_ptr1': '*fp32', 'xnumel': 'i32', 'r0_numel': 'i32', 'XBLOCK': 'constexpr', 'R0_BLOCK': 'constexpr'}, 'device': DeviceProperties(type='cuda', index=0, multi_processor_count=132, cc=90, major=9, regs_per_multiprocessor=65536, max_threads_per_multi_processor=2048, max_threads_per_block=1024, warp_size=32), 'constants': {}, 'native_matmul': False, 'enable_fp_fusion': True, 'launch_pdl': False, 'disable_ftz': False, 'configs': [{(0,): [['tt.divisibility', 16]], (1,): [['tt.divisibility', 16]], (2,): [['tt.divisibility', 16]], (3,): [['tt.divisibility', 16]], (4,): [['tt.divisibility', 16]], (5,): [['tt.divisibility', 16]]}]},
    inductor_meta={'grid_type': 'Grid1D', 'autotune_hints': set(), 'kernel_name': 'triton_red_fused_mul_sum_unsqueeze_view_4', 'mutated_arg_names': [], 'optimize_mem': True, 'no_x_dim': False, 'atomic_add_found': False, 'num_load': 3, 'num_store': 2, 'num_reduction': 2, 'backend_hash': '91D1D1166449D9E2EB66EB9770C9E2C3B0FEB787341F27FEB4D3F0338DA50336', 'assert_indirect_indexing': True, 'autotune_local_cache': True, 'autotune_pointwise': True, 'autotune_remote_cache': None, 'force_disable_caches': True, 'dynamic_scale_rblock': True, 'max_autotune': False, 'max_autotune_pointwise': False, 'min_split_scan_rblock': 256, 'spill_threshold': 16, 'store_cubin': False, 'deterministic': False, 'force_filter_reduction_configs': False, 'mix_order_reduction_allow_multi_stages': False, 'are_deterministic_algorithms_enabled': False, 'tiling_scores': {'x': 96436224, 'r0_': 95772672}}
)
@triton.jit
def triton_red_fused_mul_sum_unsqueeze_view_4(in_ptr0, in_ptr1, out_ptr0, out_ptr1, xnumel, r0_numel, XBLOCK : tl.constexpr, R0_BLOCK : tl.constexpr):
    xnumel = 55296
    r0_numel = 432
    rnumel = r0_numel
    RBLOCK: tl.constexpr = R0_BLOCK
    xoffset = tl.program_id(0) * XBLOCK
    xindex = xoffset + tl.arange(0, XBLOCK)[:, None]
    xmask = xindex < xnumel
    r0_base = tl.arange(0, R0_BLOCK)[None, :]
    rbase = r0_base
    x3 = xindex
    x1 = xindex // 432
    _tmp4 = tl.full([XBLOCK, R0_BLOCK], 0, tl.float32)
    x0 = (xindex % 432)
    _tmp9 = tl.full([XBLOCK, R0_BLOCK], 0, tl.float32)
    for r0_offset in tl.range(0, r0_numel, R0_BLOCK):
        r0_index = r0_offset + r0_base
        r0_mask = r0_index < r0_numel
        roffset = r0_offset
        rindex = r0_index
        r0_2 = r0_index
        tmp0 = tl.load(in_ptr0 + (r0_2 + 432*x3), r0_mask & xmask, eviction_policy='evict_last', other=0.0)
        tmp1 = tl.load(in_ptr1 + (r0_2 + 432*x1), r0_mask & xmask, eviction_policy='evict_last', other=0.0)
        tmp6 = tl.load(in_ptr0 + (x0 + 432*r0_2 + 186624*x1), r0_mask & xmask, eviction_policy='evict_first', other=0.0)
        tmp2 = tmp0 * tmp1
        tmp3 = tl.broadcast_to(tmp2, [XBLOCK, R0_BLOCK])
        tmp5 = _tmp4 + tmp3
        _tmp4 = tl.where(r0_mask & xmask, tmp5, _tmp4)
        tmp7 = tmp6 * tmp1
        tmp8 = tl.broadcast_to(tmp7, [XBLOCK, R0_BLOCK])
        tmp10 = _tmp9 + tmp8
        _tmp9 = tl.where(r0_mask & xmask, tmp10, _tmp9)
    tmp4 = tl.sum(_tmp4, 1)[:, None]
    tmp9 = tl.sum(_tmp9, 1)[:, None]
    tl.store(out_ptr0 + (x3), tmp4, xmask)
    tl.store(out_ptr1 + (x3), tmp9, xmask)
''', device_str='cuda')


# kernel path: 3t/c3tvytx6p4uqmkhxuf7is45i6fneimv6ancnkbwhipmwtiasdkyj.py
# Topologically Sorted Source Nodes: [full_default, squeeze_1, squeeze_2, add_1, slice_27, eq, unsqueeze_3, where_6, full_default_7, index_put], Original ATen: [aten.threshold_backward, aten.squeeze, aten.add, aten.slice, aten.embedding_dense_backward]
# Source node to ATen node mapping:
#   add_1 => add_1
#   eq => eq
#   full_default => full_default
#   full_default_7 => full_default_7
#   index_put => index_put
#   slice_27 => slice_27
#   squeeze_1 => squeeze_1
#   squeeze_2 => squeeze_2
#   unsqueeze_3 => unsqueeze_3
#   where_6 => where_6
# Graph fragment:
#   %select_25 : Tensor "i64[128][26]cuda:0" = PlaceHolder[target=select_25]
#   %sum_5 : Tensor "f32[128, 1, 432][432, 432, 1]cuda:0" = PlaceHolder[target=sum_5]
#   %sum_4 : Tensor "f32[128, 432, 1][432, 1, 1]cuda:0" = PlaceHolder[target=sum_4]
#   %index_put : Tensor "f32[10000, 16][16, 1]cuda:0" = PlaceHolder[target=index_put]
#   %full_default : Tensor "f32[][]cuda:0"[num_users=32] = call_function[target=torch.ops.aten.full.default](args = ([], 0.0), kwargs = {dtype: torch.float32, layout: torch.strided, device: cuda:0, pin_memory: False})
#   %squeeze_1 : Tensor "f32[128, 432][432, 1]cuda:0"[num_users=1] = call_function[target=torch.ops.aten.squeeze.dim](args = (%sum_5, 1), kwargs = {})
#   %squeeze_2 : Tensor "f32[128, 432][432, 1]cuda:0"[num_users=1] = call_function[target=torch.ops.aten.squeeze.dim](args = (%sum_4, 2), kwargs = {})
#   %add_1 : Tensor "f32[128, 432][432, 1]cuda:0"[num_users=27] = call_function[target=torch.ops.aten.add.Tensor](args = (%squeeze_1, %squeeze_2), kwargs = {})
#   %slice_27 : Tensor "f32[128, 16][432, 1]cuda:0"[num_users=1] = call_function[target=torch.ops.aten.slice.Tensor](args = (%add_1, 1, 416, 432), kwargs = {})
#   %eq : Tensor "b8[128][1]cuda:0"[num_users=1] = call_function[target=torch.ops.aten.eq.Scalar](args = (%select_25, -1), kwargs = {})
#   %unsqueeze_3 : Tensor "b8[128, 1][1, 1]cuda:0"[num_users=1] = call_function[target=torch.ops.aten.unsqueeze.default](args = (%eq, -1), kwargs = {})
#   %where_6 : Tensor "f32[128, 16][16, 1]cuda:0"[num_users=1] = call_function[target=torch.ops.aten.where.self](args = (%unsqueeze_3, %full_default, %slice_27), kwargs = {})
#   %full_default_7 : Tensor "f32[10000, 16][16, 1]cuda:0"[num_users=26] = call_function[target=torch.ops.aten.full.default](args = ([10000, 16], 0), kwargs = {dtype: torch.float32, layout: torch.strided, device: cuda:0, pin_memory: False})
#   %index_put : Tensor "f32[10000, 16][16, 1]cuda:0"[num_users=1] = call_function[target=torch.ops.aten.index_put.default](args = (%full_default_7, [%select_25], %where_6, True), kwargs = {})
#   return %buf30
triton_poi_fused_add_embedding_dense_backward_slice_squeeze_threshold_backward_5 = async_compile.triton('triton_poi_fused_add_embedding_dense_backward_slice_squeeze_threshold_backward_5', '''
import triton
import triton.language as tl

from torch._inductor.runtime import triton_helpers, triton_heuristics
from torch._inductor.runtime.triton_helpers import libdevice, math as tl_math
from torch._inductor.runtime.hints import AutotuneHint, ReductionHint, TileHint, DeviceProperties
triton_helpers.set_driver_to_gpu()

@triton_heuristics.pointwise(
    size_hints={'x': 2048}, 
    filename=__file__,
    triton_meta={'signature': {'in_ptr0': '*i64', 'in_ptr1': '*fp32', 'in_ptr2': '*fp32', 'out_ptr0': '*fp32', 'xnumel': 'i32', 'XBLOCK': 'constexpr'}, 'device': DeviceProperties(type='cuda', index=0, multi_processor_count=132, cc=90, major=9, regs_per_multiprocessor=65536, max_threads_per_multi_processor=2048, max_threads_per_block=1024, warp_size=32), 'constants': {}, 'native_matmul': False, 'enable_fp_fusion': True, 'launch_pdl': False, 'disable_ftz': False, 'configs': [{(1,): [['tt.divisibility', 16]], (2,): [['tt.divisibility', 16]], (3,): [['tt.divisibility', 16]], (4,): [['tt.divisibility', 16]]}]},
    inductor_meta={'grid_type': 'Grid1D', 'autotune_hints': set(), 'kernel_name': 'triton_poi_fused_add_embedding_dense_backward_slice_squeeze_threshold_backward_5', 'mutated_arg_names': ['out_ptr0'], 'optimize_mem': True, 'no_x_dim': False, 'atomic_add_found': True, 'num_load': 3, 'num_store': 1, 'num_reduction': 0, 'backend_hash': '91D1D1166449D9E2EB66EB9770C9E2C3B0FEB787341F27FEB4D3F0338DA50336', 'assert_indirect_indexing': True, 'autotune_local_cache': True, 'autotune_pointwise': True, 'autotune_remote_cache': None, 'force_disable_caches': True, 'dynamic_scale_rblock': True, 'max_autotune': False, 'max_autotune_pointwise': False, 'min_split_scan_rblock': 256, 'spill_threshold': 16, 'store_cubin': False, 'deterministic': False, 'force_filter_reduction_configs': False, 'mix_order_reduction_allow_multi_stages': False, 'are_deterministic_algorithms_enabled': False, 'tiling_scores': {'x': 16384}},
    min_elem_per_thread=0
)
@triton.jit
def triton_poi_fused_add_embedding_dense_backward_slice_squeeze_threshold_backward_5(in_ptr0, in_ptr1, in_ptr2, out_ptr0, xnumel, XBLOCK : tl.constexpr):
    xnumel = 2048
    xoffset = tl.program_id(0) * XBLOCK
    xindex = xoffset + tl.arange(0, XBLOCK)[:]
    xmask = xindex < xnumel
    x1 = xindex // 16
    x0 = (xindex % 16)
    tmp0 = tl.load(in_ptr0 + (26*x1), xmask, eviction_policy='evict_last')
    tmp8 = tl.load(in_ptr1 + (416 + x0 + 432*x1), xmask)
    tmp9 = tl.load(in_ptr2 + (416 + x0 + 432*x1), xmask)
    tmp1 = tl.full([XBLOCK], 10000, tl.int32)
    tmp2 = tmp0 + tmp1
    tmp3 = tmp0 < 0
    tmp4 = tl.where(tmp3, tmp2, tmp0)
    tl.device_assert(((0 <= tmp4) & (tmp4 < 10000)) | ~(xmask), "index out of bounds: 0 <= tmp4 < 10000")
    tmp6 = tl.full([1], -1, tl.int64)
    tmp7 = tmp0 == tmp6
    tmp10 = tmp8 + tmp9
    tmp11 = tl.full([1], 0.0, tl.float32)
    tmp12 = tl.where(tmp7, tmp11, tmp10)
    tl.atomic_add(out_ptr0 + (x0 + 16*tmp4), tmp12, xmask, sem='relaxed')
''', device_str='cuda')


# kernel path: 6p/c6pqopwo6s22ffmy7ry6ul6rohhwu6y5l2kee5tzf2aexapas4qf.py
# Topologically Sorted Source Nodes: [full_default, squeeze_1, squeeze_2, add_1, slice_26, full_default_7, eq_1, unsqueeze_4, where_7, index_put_1], Original ATen: [aten.threshold_backward, aten.squeeze, aten.add, aten.slice, aten.embedding_dense_backward]
# Source node to ATen node mapping:
#   add_1 => add_1
#   eq_1 => eq_1
#   full_default => full_default
#   full_default_7 => full_default_7
#   index_put_1 => index_put_1
#   slice_26 => slice_26
#   squeeze_1 => squeeze_1
#   squeeze_2 => squeeze_2
#   unsqueeze_4 => unsqueeze_4
#   where_7 => where_7
# Graph fragment:
#   %select_24 : Tensor "i64[128][26]cuda:0" = PlaceHolder[target=select_24]
#   %sum_5 : Tensor "f32[128, 1, 432][432, 432, 1]cuda:0" = PlaceHolder[target=sum_5]
#   %sum_4 : Tensor "f32[128, 432, 1][432, 1, 1]cuda:0" = PlaceHolder[target=sum_4]
#   %index_put_1 : Tensor "f32[10000, 16][16, 1]cuda:0" = PlaceHolder[target=index_put_1]
#   %full_default : Tensor "f32[][]cuda:0"[num_users=32] = call_function[target=torch.ops.aten.full.default](args = ([], 0.0), kwargs = {dtype: torch.float32, layout: torch.strided, device: cuda:0, pin_memory: False})
#   %squeeze_1 : Tensor "f32[128, 432][432, 1]cuda:0"[num_users=1] = call_function[target=torch.ops.aten.squeeze.dim](args = (%sum_5, 1), kwargs = {})
#   %squeeze_2 : Tensor "f32[128, 432][432, 1]cuda:0"[num_users=1] = call_function[target=torch.ops.aten.squeeze.dim](args = (%sum_4, 2), kwargs = {})
#   %add_1 : Tensor "f32[128, 432][432, 1]cuda:0"[num_users=27] = call_function[target=torch.ops.aten.add.Tensor](args = (%squeeze_1, %squeeze_2), kwargs = {})
#   %slice_26 : Tensor "f32[128, 16][432, 1]cuda:0"[num_users=1] = call_function[target=torch.ops.aten.slice.Tensor](args = (%add_1, 1, 400, 416), kwargs = {})
#   %full_default_7 : Tensor "f32[10000, 16][16, 1]cuda:0"[num_users=26] = call_function[target=torch.ops.aten.full.default](args = ([10000, 16], 0), kwargs = {dtype: torch.float32, layout: torch.strided, device: cuda:0, pin_memory: False})
#   %eq_1 : Tensor "b8[128][1]cuda:0"[num_users=1] = call_function[target=torch.ops.aten.eq.Scalar](args = (%select_24, -1), kwargs = {})
#   %unsqueeze_4 : Tensor "b8[128, 1][1, 1]cuda:0"[num_users=1] = call_function[target=torch.ops.aten.unsqueeze.default](args = (%eq_1, -1), kwargs = {})
#   %where_7 : Tensor "f32[128, 16][16, 1]cuda:0"[num_users=1] = call_function[target=torch.ops.aten.where.self](args = (%unsqueeze_4, %full_default, %slice_26), kwargs = {})
#   %index_put_1 : Tensor "f32[10000, 16][16, 1]cuda:0"[num_users=1] = call_function[target=torch.ops.aten.index_put.default](args = (%full_default_7, [%select_24], %where_7, True), kwargs = {})
#   return %buf32
triton_poi_fused_add_embedding_dense_backward_slice_squeeze_threshold_backward_6 = async_compile.triton('triton_poi_fused_add_embedding_dense_backward_slice_squeeze_threshold_backward_6', '''
import triton
import triton.language as tl

from torch._inductor.runtime import triton_helpers, triton_heuristics
from torch._inductor.runtime.triton_helpers import libdevice, math as tl_math
from torch._inductor.runtime.hints import AutotuneHint, ReductionHint, TileHint, DeviceProperties
triton_helpers.set_driver_to_gpu()

@triton_heuristics.pointwise(
    size_hints={'x': 2048}, 
    filename=__file__,
    triton_meta={'signature': {'in_ptr0': '*i64', 'in_ptr1': '*fp32', 'in_ptr2': '*fp32', 'out_ptr0': '*fp32', 'xnumel': 'i32', 'XBLOCK': 'constexpr'}, 'device': DeviceProperties(type='cuda', index=0, multi_processor_count=132, cc=90, major=9, regs_per_multiprocessor=65536, max_threads_per_multi_processor=2048, max_threads_per_block=1024, warp_size=32), 'constants': {}, 'native_matmul': False, 'enable_fp_fusion': True, 'launch_pdl': False, 'disable_ftz': False, 'configs': [{(0,): [['tt.divisibility', 16]], (1,): [['tt.divisibility', 16]], (2,): [['tt.divisibility', 16]], (3,): [['tt.divisibility', 16]], (4,): [['tt.divisibility', 16]]}]},
    inductor_meta={'grid_type': 'Grid1D', 'autotune_hints': set(), 'kernel_name': 'triton_poi_fused_add_embedding_dense_backward_slice_squeeze_threshold_backward_6', 'mutated_arg_names': ['out_ptr0'], 'optimize_mem': True, 'no_x_dim': False, 'atomic_add_found': True, 'num_load': 3, 'num_store': 1, 'num_reduction': 0, 'backend_hash': '91D1D1166449D9E2EB66EB9770C9E2C3B0FEB787341F27FEB4D3F0338DA50336', 'assert_indirect_indexing': True, 'autotune_local_cache': True, 'autotune_pointwise': True, 'autotune_remote_cache': None, 'force_disable_caches': True, 'dynamic_scale_rblock': True, 'max_autotune': False, 'max_autotune_pointwise': False, 'min_split_scan_rblock': 256, 'spill_threshold': 16, 'store_cubin': False, 'deterministic': False, 'force_filter_reduction_configs': False, 'mix_order_reduction_allow_multi_stages': False, 'are_deterministic_algorithms_enabled': False, 'tiling_scores': {'x': 16384}},
    min_elem_per_thread=0
)
@triton.jit
def triton_poi_fused_add_embedding_dense_backward_slice_squeeze_threshold_backward_6(in_ptr0, in_ptr1, in_ptr2, out_ptr0, xnumel, XBLOCK : tl.constexpr):
    xnumel = 2048
    xoffset = tl.program_id(0) * XBLOCK
    xindex = xoffset + tl.arange(0, XBLOCK)[:]
    xmask = xindex < xnumel
    x1 = xindex // 16
    x0 = (xindex % 16)
    tmp0 = tl.load(in_ptr0 + (26*x1), xmask, eviction_policy='evict_last')
    tmp8 = tl.load(in_ptr1 + (400 + x0 + 432*x1), xmask)
    tmp9 = tl.load(in_ptr2 + (400 + x0 + 432*x1), xmask)
    tmp1 = tl.full([XBLOCK], 10000, tl.int32)
    tmp2 = tmp0 + tmp1
    tmp3 = tmp0 < 0
    tmp4 = tl.where(tmp3, tmp2, tmp0)
    tl.device_assert(((0 <= tmp4) & (tmp4 < 10000)) | ~(xmask), "index out of bounds: 0 <= tmp4 < 10000")
    tmp6 = tl.full([1], -1, tl.int64)
    tmp7 = tmp0 == tmp6
    tmp10 = tmp8 + tmp9
    tmp11 = tl.full([1], 0.0, tl.float32)
    tmp12 = tl.where(tmp7, tmp11, tmp10)
    tl.atomic_add(out_ptr0 + (x0 + 16*tmp4), tmp12, xmask, sem='relaxed')
''', device_str='cuda')


# kernel path: k5/ck5yy5dkq23ac5fszxiq2o27bcr7y5vcfjpkwxcoufh7ln4hmbhr.py
# Topologically Sorted Source Nodes: [full_default, squeeze_1, squeeze_2, add_1, slice_25, full_default_7, eq_2, unsqueeze_5, where_8, index_put_2], Original ATen: [aten.threshold_backward, aten.squeeze, aten.add, aten.slice, aten.embedding_dense_backward]
# Source node to ATen node mapping:
#   add_1 => add_1
#   eq_2 => eq_2
#   full_default => full_default
#   full_default_7 => full_default_7
#   index_put_2 => index_put_2
#   slice_25 => slice_25
#   squeeze_1 => squeeze_1
#   squeeze_2 => squeeze_2
#   unsqueeze_5 => unsqueeze_5
#   where_8 => where_8
# Graph fragment:
#   %select_23 : Tensor "i64[128][26]cuda:0" = PlaceHolder[target=select_23]
#   %sum_5 : Tensor "f32[128, 1, 432][432, 432, 1]cuda:0" = PlaceHolder[target=sum_5]
#   %sum_4 : Tensor "f32[128, 432, 1][432, 1, 1]cuda:0" = PlaceHolder[target=sum_4]
#   %index_put_2 : Tensor "f32[10000, 16][16, 1]cuda:0" = PlaceHolder[target=index_put_2]
#   %full_default : Tensor "f32[][]cuda:0"[num_users=32] = call_function[target=torch.ops.aten.full.default](args = ([], 0.0), kwargs = {dtype: torch.float32, layout: torch.strided, device: cuda:0, pin_memory: False})
#   %squeeze_1 : Tensor "f32[128, 432][432, 1]cuda:0"[num_users=1] = call_function[target=torch.ops.aten.squeeze.dim](args = (%sum_5, 1), kwargs = {})
#   %squeeze_2 : Tensor "f32[128, 432][432, 1]cuda:0"[num_users=1] = call_function[target=torch.ops.aten.squeeze.dim](args = (%sum_4, 2), kwargs = {})
#   %add_1 : Tensor "f32[128, 432][432, 1]cuda:0"[num_users=27] = call_function[target=torch.ops.aten.add.Tensor](args = (%squeeze_1, %squeeze_2), kwargs = {})
#   %slice_25 : Tensor "f32[128, 16][432, 1]cuda:0"[num_users=1] = call_function[target=torch.ops.aten.slice.Tensor](args = (%add_1, 1, 384, 400), kwargs = {})
#   %full_default_7 : Tensor "f32[10000, 16][16, 1]cuda:0"[num_users=26] = call_function[target=torch.ops.aten.full.default](args = ([10000, 16], 0), kwargs = {dtype: torch.float32, layout: torch.strided, device: cuda:0, pin_memory: False})
#   %eq_2 : Tensor "b8[128][1]cuda:0"[num_users=1] = call_function[target=torch.ops.aten.eq.Scalar](args = (%select_23, -1), kwargs = {})
#   %unsqueeze_5 : Tensor "b8[128, 1][1, 1]cuda:0"[num_users=1] = call_function[target=torch.ops.aten.unsqueeze.default](args = (%eq_2, -1), kwargs = {})
#   %where_8 : Tensor "f32[128, 16][16, 1]cuda:0"[num_users=1] = call_function[target=torch.ops.aten.where.self](args = (%unsqueeze_5, %full_default, %slice_25), kwargs = {})
#   %index_put_2 : Tensor "f32[10000, 16][16, 1]cuda:0"[num_users=1] = call_function[target=torch.ops.aten.index_put.default](args = (%full_default_7, [%select_23], %where_8, True), kwargs = {})
#   return %buf34
triton_poi_fused_add_embedding_dense_backward_slice_squeeze_threshold_backward_7 = async_compile.triton('triton_poi_fused_add_embedding_dense_backward_slice_squeeze_threshold_backward_7', '''
import triton
import triton.language as tl

from torch._inductor.runtime import triton_helpers, triton_heuristics
from torch._inductor.runtime.triton_helpers import libdevice, math as tl_math
from torch._inductor.runtime.hints import AutotuneHint, ReductionHint, TileHint, DeviceProperties
triton_helpers.set_driver_to_gpu()

@triton_heuristics.pointwise(
    size_hints={'x': 2048}, 
    filename=__file__,
    triton_meta={'signature': {'in_ptr0': '*i64', 'in_ptr1': '*fp32', 'in_ptr2': '*fp32', 'out_ptr0': '*fp32', 'xnumel': 'i32', 'XBLOCK': 'constexpr'}, 'device': DeviceProperties(type='cuda', index=0, multi_processor_count=132, cc=90, major=9, regs_per_multiprocessor=65536, max_threads_per_multi_processor=2048, max_threads_per_block=1024, warp_size=32), 'constants': {}, 'native_matmul': False, 'enable_fp_fusion': True, 'launch_pdl': False, 'disable_ftz': False, 'configs': [{(1,): [['tt.divisibility', 16]], (2,): [['tt.divisibility', 16]], (3,): [['tt.divisibility', 16]], (4,): [['tt.divisibility', 16]]}]},
    inductor_meta={'grid_type': 'Grid1D', 'autotune_hints': set(), 'kernel_name': 'triton_poi_fused_add_embedding_dense_backward_slice_squeeze_threshold_backward_7', 'mutated_arg_names': ['out_ptr0'], 'optimize_mem': True, 'no_x_dim': False, 'atomic_add_found': True, 'num_load': 3, 'num_store': 1, 'num_reduction': 0, 'backend_hash': '91D1D1166449D9E2EB66EB9770C9E2C3B0FEB787341F27FEB4D3F0338DA50336', 'assert_indirect_indexing': True, 'autotune_local_cache': True, 'autotune_pointwise': True, 'autotune_remote_cache': None, 'force_disable_caches': True, 'dynamic_scale_rblock': True, 'max_autotune': False, 'max_autotune_pointwise': False, 'min_split_scan_rblock': 256, 'spill_threshold': 16, 'store_cubin': False, 'deterministic': False, 'force_filter_reduction_configs': False, 'mix_order_reduction_allow_multi_stages': False, 'are_deterministic_algorithms_enabled': False, 'tiling_scores': {'x': 16384}},
    min_elem_per_thread=0
)
@triton.jit
def triton_poi_fused_add_embedding_dense_backward_slice_squeeze_threshold_backward_7(in_ptr0, in_ptr1, in_ptr2, out_ptr0, xnumel, XBLOCK : tl.constexpr):
    xnumel = 2048
    xoffset = tl.program_id(0) * XBLOCK
    xindex = xoffset + tl.arange(0, XBLOCK)[:]
    xmask = xindex < xnumel
    x1 = xindex // 16
    x0 = (xindex % 16)
    tmp0 = tl.load(in_ptr0 + (26*x1), xmask, eviction_policy='evict_last')
    tmp8 = tl.load(in_ptr1 + (384 + x0 + 432*x1), xmask)
    tmp9 = tl.load(in_ptr2 + (384 + x0 + 432*x1), xmask)
    tmp1 = tl.full([XBLOCK], 10000, tl.int32)
    tmp2 = tmp0 + tmp1
    tmp3 = tmp0 < 0
    tmp4 = tl.where(tmp3, tmp2, tmp0)
    tl.device_assert(((0 <= tmp4) & (tmp4 < 10000)) | ~(xmask), "index out of bounds: 0 <= tmp4 < 10000")
    tmp6 = tl.full([1], -1, tl.int64)
    tmp7 = tmp0 == tmp6
    tmp10 = tmp8 + tmp9
    tmp11 = tl.full([1], 0.0, tl.float32)
    tmp12 = tl.where(tmp7, tmp11, tmp10)
    tl.atomic_add(out_ptr0 + (x0 + 16*tmp4), tmp12, xmask, sem='relaxed')
''', device_str='cuda')


# kernel path: pl/cplr4sbsf3gdq3lrmmx54cz3z76utzh6pokekzqnsmh7yyqqqipi.py
# Topologically Sorted Source Nodes: [full_default, squeeze_1, squeeze_2, add_1, slice_24, full_default_7, eq_3, unsqueeze_6, where_9, index_put_3], Original ATen: [aten.threshold_backward, aten.squeeze, aten.add, aten.slice, aten.embedding_dense_backward]
# Source node to ATen node mapping:
#   add_1 => add_1
#   eq_3 => eq_3
#   full_default => full_default
#   full_default_7 => full_default_7
#   index_put_3 => index_put_3
#   slice_24 => slice_24
#   squeeze_1 => squeeze_1
#   squeeze_2 => squeeze_2
#   unsqueeze_6 => unsqueeze_6
#   where_9 => where_9
# Graph fragment:
#   %select_22 : Tensor "i64[128][26]cuda:0" = PlaceHolder[target=select_22]
#   %sum_5 : Tensor "f32[128, 1, 432][432, 432, 1]cuda:0" = PlaceHolder[target=sum_5]
#   %sum_4 : Tensor "f32[128, 432, 1][432, 1, 1]cuda:0" = PlaceHolder[target=sum_4]
#   %index_put_3 : Tensor "f32[10000, 16][16, 1]cuda:0" = PlaceHolder[target=index_put_3]
#   %full_default : Tensor "f32[][]cuda:0"[num_users=32] = call_function[target=torch.ops.aten.full.default](args = ([], 0.0), kwargs = {dtype: torch.float32, layout: torch.strided, device: cuda:0, pin_memory: False})
#   %squeeze_1 : Tensor "f32[128, 432][432, 1]cuda:0"[num_users=1] = call_function[target=torch.ops.aten.squeeze.dim](args = (%sum_5, 1), kwargs = {})
#   %squeeze_2 : Tensor "f32[128, 432][432, 1]cuda:0"[num_users=1] = call_function[target=torch.ops.aten.squeeze.dim](args = (%sum_4, 2), kwargs = {})
#   %add_1 : Tensor "f32[128, 432][432, 1]cuda:0"[num_users=27] = call_function[target=torch.ops.aten.add.Tensor](args = (%squeeze_1, %squeeze_2), kwargs = {})
#   %slice_24 : Tensor "f32[128, 16][432, 1]cuda:0"[num_users=1] = call_function[target=torch.ops.aten.slice.Tensor](args = (%add_1, 1, 368, 384), kwargs = {})
#   %full_default_7 : Tensor "f32[10000, 16][16, 1]cuda:0"[num_users=26] = call_function[target=torch.ops.aten.full.default](args = ([10000, 16], 0), kwargs = {dtype: torch.float32, layout: torch.strided, device: cuda:0, pin_memory: False})
#   %eq_3 : Tensor "b8[128][1]cuda:0"[num_users=1] = call_function[target=torch.ops.aten.eq.Scalar](args = (%select_22, -1), kwargs = {})
#   %unsqueeze_6 : Tensor "b8[128, 1][1, 1]cuda:0"[num_users=1] = call_function[target=torch.ops.aten.unsqueeze.default](args = (%eq_3, -1), kwargs = {})
#   %where_9 : Tensor "f32[128, 16][16, 1]cuda:0"[num_users=1] = call_function[target=torch.ops.aten.where.self](args = (%unsqueeze_6, %full_default, %slice_24), kwargs = {})
#   %index_put_3 : Tensor "f32[10000, 16][16, 1]cuda:0"[num_users=1] = call_function[target=torch.ops.aten.index_put.default](args = (%full_default_7, [%select_22], %where_9, True), kwargs = {})
#   return %buf36
triton_poi_fused_add_embedding_dense_backward_slice_squeeze_threshold_backward_8 = async_compile.triton('triton_poi_fused_add_embedding_dense_backward_slice_squeeze_threshold_backward_8', '''
import triton
import triton.language as tl

from torch._inductor.runtime import triton_helpers, triton_heuristics
from torch._inductor.runtime.triton_helpers import libdevice, math as tl_math
from torch._inductor.runtime.hints import AutotuneHint, ReductionHint, TileHint, DeviceProperties
triton_helpers.set_driver_to_gpu()

@triton_heuristics.pointwise(
    size_hints={'x': 2048}, 
    filename=__file__,
    triton_meta={'signature': {'in_ptr0': '*i64', 'in_ptr1': '*fp32', 'in_ptr2': '*fp32', 'out_ptr0': '*fp32', 'xnumel': 'i32', 'XBLOCK': 'constexpr'}, 'device': DeviceProperties(type='cuda', index=0, multi_processor_count=132, cc=90, major=9, regs_per_multiprocessor=65536, max_threads_per_multi_processor=2048, max_threads_per_block=1024, warp_size=32), 'constants': {}, 'native_matmul': False, 'enable_fp_fusion': True, 'launch_pdl': False, 'disable_ftz': False, 'configs': [{(0,): [['tt.divisibility', 16]], (1,): [['tt.divisibility', 16]], (2,): [['tt.divisibility', 16]], (3,): [['tt.divisibility', 16]], (4,): [['tt.divisibility', 16]]}]},
    inductor_meta={'grid_type': 'Grid1D', 'autotune_hints': set(), 'kernel_name': 'triton_poi_fused_add_embedding_dense_backward_slice_squeeze_threshold_backward_8', 'mutated_arg_names': ['out_ptr0'], 'optimize_mem': True, 'no_x_dim': False, 'atomic_add_found': True, 'num_load': 3, 'num_store': 1, 'num_reduction': 0, 'backend_hash': '91D1D1166449D9E2EB66EB9770C9E2C3B0FEB787341F27FEB4D3F0338DA50336', 'assert_indirect_indexing': True, 'autotune_local_cache': True, 'autotune_pointwise': True, 'autotune_remote_cache': None, 'force_disable_caches': True, 'dynamic_scale_rblock': True, 'max_autotune': False, 'max_autotune_pointwise': False, 'min_split_scan_rblock': 256, 'spill_threshold': 16, 'store_cubin': False, 'deterministic': False, 'force_filter_reduction_configs': False, 'mix_order_reduction_allow_multi_stages': False, 'are_deterministic_algorithms_enabled': False, 'tiling_scores': {'x': 16384}},
    min_elem_per_thread=0
)
@triton.jit
def triton_poi_fused_add_embedding_dense_backward_slice_squeeze_threshold_backward_8(in_ptr0, in_ptr1, in_ptr2, out_ptr0, xnumel, XBLOCK : tl.constexpr):
    xnumel = 2048
    xoffset = tl.program_id(0) * XBLOCK
    xindex = xoffset + tl.arange(0, XBLOCK)[:]
    xmask = xindex < xnumel
    x1 = xindex // 16
    x0 = (xindex % 16)
    tmp0 = tl.load(in_ptr0 + (26*x1), xmask, eviction_policy='evict_last')
    tmp8 = tl.load(in_ptr1 + (368 + x0 + 432*x1), xmask)
    tmp9 = tl.load(in_ptr2 + (368 + x0 + 432*x1), xmask)
    tmp1 = tl.full([XBLOCK], 10000, tl.int32)
    tmp2 = tmp0 + tmp1
    tmp3 = tmp0 < 0
    tmp4 = tl.where(tmp3, tmp2, tmp0)
    tl.device_assert(((0 <= tmp4) & (tmp4 < 10000)) | ~(xmask), "index out of bounds: 0 <= tmp4 < 10000")
    tmp6 = tl.full([1], -1, tl.int64)
    tmp7 = tmp0 == tmp6
    tmp10 = tmp8 + tmp9
    tmp11 = tl.full([1], 0.0, tl.float32)
    tmp12 = tl.where(tmp7, tmp11, tmp10)
    tl.atomic_add(out_ptr0 + (x0 + 16*tmp4), tmp12, xmask, sem='relaxed')
''', device_str='cuda')


# kernel path: wj/cwjh7hacfceykcaoopffchqd2qgkxk7wxkijg572kkrj4zxigwo3.py
# Topologically Sorted Source Nodes: [full_default, squeeze_1, squeeze_2, add_1, slice_23, full_default_7, eq_4, unsqueeze_7, where_10, index_put_4], Original ATen: [aten.threshold_backward, aten.squeeze, aten.add, aten.slice, aten.embedding_dense_backward]
# Source node to ATen node mapping:
#   add_1 => add_1
#   eq_4 => eq_4
#   full_default => full_default
#   full_default_7 => full_default_7
#   index_put_4 => index_put_4
#   slice_23 => slice_23
#   squeeze_1 => squeeze_1
#   squeeze_2 => squeeze_2
#   unsqueeze_7 => unsqueeze_7
#   where_10 => where_10
# Graph fragment:
#   %select_21 : Tensor "i64[128][26]cuda:0" = PlaceHolder[target=select_21]
#   %sum_5 : Tensor "f32[128, 1, 432][432, 432, 1]cuda:0" = PlaceHolder[target=sum_5]
#   %sum_4 : Tensor "f32[128, 432, 1][432, 1, 1]cuda:0" = PlaceHolder[target=sum_4]
#   %index_put_4 : Tensor "f32[10000, 16][16, 1]cuda:0" = PlaceHolder[target=index_put_4]
#   %full_default : Tensor "f32[][]cuda:0"[num_users=32] = call_function[target=torch.ops.aten.full.default](args = ([], 0.0), kwargs = {dtype: torch.float32, layout: torch.strided, device: cuda:0, pin_memory: False})
#   %squeeze_1 : Tensor "f32[128, 432][432, 1]cuda:0"[num_users=1] = call_function[target=torch.ops.aten.squeeze.dim](args = (%sum_5, 1), kwargs = {})
#   %squeeze_2 : Tensor "f32[128, 432][432, 1]cuda:0"[num_users=1] = call_function[target=torch.ops.aten.squeeze.dim](args = (%sum_4, 2), kwargs = {})
#   %add_1 : Tensor "f32[128, 432][432, 1]cuda:0"[num_users=27] = call_function[target=torch.ops.aten.add.Tensor](args = (%squeeze_1, %squeeze_2), kwargs = {})
#   %slice_23 : Tensor "f32[128, 16][432, 1]cuda:0"[num_users=1] = call_function[target=torch.ops.aten.slice.Tensor](args = (%add_1, 1, 352, 368), kwargs = {})
#   %full_default_7 : Tensor "f32[10000, 16][16, 1]cuda:0"[num_users=26] = call_function[target=torch.ops.aten.full.default](args = ([10000, 16], 0), kwargs = {dtype: torch.float32, layout: torch.strided, device: cuda:0, pin_memory: False})
#   %eq_4 : Tensor "b8[128][1]cuda:0"[num_users=1] = call_function[target=torch.ops.aten.eq.Scalar](args = (%select_21, -1), kwargs = {})
#   %unsqueeze_7 : Tensor "b8[128, 1][1, 1]cuda:0"[num_users=1] = call_function[target=torch.ops.aten.unsqueeze.default](args = (%eq_4, -1), kwargs = {})
#   %where_10 : Tensor "f32[128, 16][16, 1]cuda:0"[num_users=1] = call_function[target=torch.ops.aten.where.self](args = (%unsqueeze_7, %full_default, %slice_23), kwargs = {})
#   %index_put_4 : Tensor "f32[10000, 16][16, 1]cuda:0"[num_users=1] = call_function[target=torch.ops.aten.index_put.default](args = (%full_default_7, [%select_21], %where_10, True), kwargs = {})
#   return %buf38
triton_poi_fused_add_embedding_dense_backward_slice_squeeze_threshold_backward_9 = async_compile.triton('triton_poi_fused_add_embedding_dense_backward_slice_squeeze_threshold_backward_9', '''
import triton
import triton.language as tl

from torch._inductor.runtime import triton_helpers, triton_heuristics
from torch._inductor.runtime.triton_helpers import libdevice, math as tl_math
from torch._inductor.runtime.hints import AutotuneHint, ReductionHint, TileHint, DeviceProperties
triton_helpers.set_driver_to_gpu()

@triton_heuristics.pointwise(
    size_hints={'x': 2048}, 
    filename=__file__,
    triton_meta={'signature': {'in_ptr0': '*i64', 'in_ptr1': '*fp32', 'in_ptr2': '*fp32', 'out_ptr0': '*fp32', 'xnumel': 'i32', 'XBLOCK': 'constexpr'}, 'device': DeviceProperties(type='cuda', index=0, multi_processor_count=132, cc=90, major=9, regs_per_multiprocessor=65536, max_threads_per_multi_processor=2048, max_threads_per_block=1024, warp_size=32), 'constants': {}, 'native_matmul': False, 'enable_fp_fusion': True, 'launch_pdl': False, 'disable_ftz': False, 'configs': [{(1,): [['tt.divisibility', 16]], (2,): [['tt.divisibility', 16]], (3,): [['tt.divisibility', 16]], (4,): [['tt.divisibility', 16]]}]},
    inductor_meta={'grid_type': 'Grid1D', 'autotune_hints': set(), 'kernel_name': 'triton_poi_fused_add_embedding_dense_backward_slice_squeeze_threshold_backward_9', 'mutated_arg_names': ['out_ptr0'], 'optimize_mem': True, 'no_x_dim': False, 'atomic_add_found': True, 'num_load': 3, 'num_store': 1, 'num_reduction': 0, 'backend_hash': '91D1D1166449D9E2EB66EB9770C9E2C3B0FEB787341F27FEB4D3F0338DA50336', 'assert_indirect_indexing': True, 'autotune_local_cache': True, 'autotune_pointwise': True, 'autotune_remote_cache': None, 'force_disable_caches': True, 'dynamic_scale_rblock': True, 'max_autotune': False, 'max_autotune_pointwise': False, 'min_split_scan_rblock': 256, 'spill_threshold': 16, 'store_cubin': False, 'deterministic': False, 'force_filter_reduction_configs': False, 'mix_order_reduction_allow_multi_stages': False, 'are_deterministic_algorithms_enabled': False, 'tiling_scores': {'x': 16384}},
    min_elem_per_thread=0
)
@triton.jit
def triton_poi_fused_add_embedding_dense_backward_slice_squeeze_threshold_backward_9(in_ptr0, in_ptr1, in_ptr2, out_ptr0, xnumel, XBLOCK : tl.constexpr):
    xnumel = 2048
    xoffset = tl.program_id(0) * XBLOCK
    xindex = xoffset + tl.arange(0, XBLOCK)[:]
    xmask = xindex < xnumel
    x1 = xindex // 16
    x0 = (xindex % 16)
    tmp0 = tl.load(in_ptr0 + (26*x1), xmask, eviction_policy='evict_last')
    tmp8 = tl.load(in_ptr1 + (352 + x0 + 432*x1), xmask)
    tmp9 = tl.load(in_ptr2 + (352 + x0 + 432*x1), xmask)
    tmp1 = tl.full([XBLOCK], 10000, tl.int32)
    tmp2 = tmp0 + tmp1
    tmp3 = tmp0 < 0
    tmp4 = tl.where(tmp3, tmp2, tmp0)
    tl.device_assert(((0 <= tmp4) & (tmp4 < 10000)) | ~(xmask), "index out of bounds: 0 <= tmp4 < 10000")
    tmp6 = tl.full([1], -1, tl.int64)
    tmp7 = tmp0 == tmp6
    tmp10 = tmp8 + tmp9
    tmp11 = tl.full([1], 0.0, tl.float32)
    tmp12 = tl.where(tmp7, tmp11, tmp10)
    tl.atomic_add(out_ptr0 + (x0 + 16*tmp4), tmp12, xmask, sem='relaxed')
''', device_str='cuda')


# kernel path: yj/cyj7t7a65ob7bbbxiux3wxlzzj5fowptsn2lvmwnqw3izsm5ariq.py
# Topologically Sorted Source Nodes: [full_default, squeeze_1, squeeze_2, add_1, slice_22, full_default_7, eq_5, unsqueeze_8, where_11, index_put_5], Original ATen: [aten.threshold_backward, aten.squeeze, aten.add, aten.slice, aten.embedding_dense_backward]
# Source node to ATen node mapping:
#   add_1 => add_1
#   eq_5 => eq_5
#   full_default => full_default
#   full_default_7 => full_default_7
#   index_put_5 => index_put_5
#   slice_22 => slice_22
#   squeeze_1 => squeeze_1
#   squeeze_2 => squeeze_2
#   unsqueeze_8 => unsqueeze_8
#   where_11 => where_11
# Graph fragment:
#   %select_20 : Tensor "i64[128][26]cuda:0" = PlaceHolder[target=select_20]
#   %sum_5 : Tensor "f32[128, 1, 432][432, 432, 1]cuda:0" = PlaceHolder[target=sum_5]
#   %sum_4 : Tensor "f32[128, 432, 1][432, 1, 1]cuda:0" = PlaceHolder[target=sum_4]
#   %index_put_5 : Tensor "f32[10000, 16][16, 1]cuda:0" = PlaceHolder[target=index_put_5]
#   %full_default : Tensor "f32[][]cuda:0"[num_users=32] = call_function[target=torch.ops.aten.full.default](args = ([], 0.0), kwargs = {dtype: torch.float32, layout: torch.strided, device: cuda:0, pin_memory: False})
#   %squeeze_1 : Tensor "f32[128, 432][432, 1]cuda:0"[num_users=1] = call_function[target=torch.ops.aten.squeeze.dim](args = (%sum_5, 1), kwargs = {})
#   %squeeze_2 : Tensor "f32[128, 432][432, 1]cuda:0"[num_users=1] = call_function[target=torch.ops.aten.squeeze.dim](args = (%sum_4, 2), kwargs = {})
#   %add_1 : Tensor "f32[128, 432][432, 1]cuda:0"[num_users=27] = call_function[target=torch.ops.aten.add.Tensor](args = (%squeeze_1, %squeeze_2), kwargs = {})
#   %slice_22 : Tensor "f32[128, 16][432, 1]cuda:0"[num_users=1] = call_function[target=torch.ops.aten.slice.Tensor](args = (%add_1, 1, 336, 352), kwargs = {})
#   %full_default_7 : Tensor "f32[10000, 16][16, 1]cuda:0"[num_users=26] = call_function[target=torch.ops.aten.full.default](args = ([10000, 16], 0), kwargs = {dtype: torch.float32, layout: torch.strided, device: cuda:0, pin_memory: False})
#   %eq_5 : Tensor "b8[128][1]cuda:0"[num_users=1] = call_function[target=torch.ops.aten.eq.Scalar](args = (%select_20, -1), kwargs = {})
#   %unsqueeze_8 : Tensor "b8[128, 1][1, 1]cuda:0"[num_users=1] = call_function[target=torch.ops.aten.unsqueeze.default](args = (%eq_5, -1), kwargs = {})
#   %where_11 : Tensor "f32[128, 16][16, 1]cuda:0"[num_users=1] = call_function[target=torch.ops.aten.where.self](args = (%unsqueeze_8, %full_default, %slice_22), kwargs = {})
#   %index_put_5 : Tensor "f32[10000, 16][16, 1]cuda:0"[num_users=1] = call_function[target=torch.ops.aten.index_put.default](args = (%full_default_7, [%select_20], %where_11, True), kwargs = {})
#   return %buf40
triton_poi_fused_add_embedding_dense_backward_slice_squeeze_threshold_backward_10 = async_compile.triton('triton_poi_fused_add_embedding_dense_backward_slice_squeeze_threshold_backward_10', '''
import triton
import triton.language as tl

from torch._inductor.runtime import triton_helpers, triton_heuristics
from torch._inductor.runtime.triton_helpers import libdevice, math as tl_math
from torch._inductor.runtime.hints import AutotuneHint, ReductionHint, TileHint, DeviceProperties
triton_helpers.set_driver_to_gpu()

@triton_heuristics.pointwise(
    size_hints={'x': 2048}, 
    filename=__file__,
    triton_meta={'signature': {'in_ptr0': '*i64', 'in_ptr1': '*fp32', 'in_ptr2': '*fp32', 'out_ptr0': '*fp32', 'xnumel': 'i32', 'XBLOCK': 'constexpr'}, 'device': DeviceProperties(type='cuda', index=0, multi_processor_count=132, cc=90, major=9, regs_per_multiprocessor=65536, max_threads_per_multi_processor=2048, max_threads_per_block=1024, warp_size=32), 'constants': {}, 'native_matmul': False, 'enable_fp_fusion': True, 'launch_pdl': False, 'disable_ftz': False, 'configs': [{(0,): [['tt.divisibility', 16]], (1,): [['tt.divisibility', 16]], (2,): [['tt.divisibility', 16]], (3,): [['tt.divisibility', 16]], (4,): [['tt.divisibility', 16]]}]},
    inductor_meta={'grid_type': 'Grid1D', 'autotune_hints': set(), 'kernel_name': 'triton_poi_fused_add_embedding_dense_backward_slice_squeeze_threshold_backward_10', 'mutated_arg_names': ['out_ptr0'], 'optimize_mem': True, 'no_x_dim': False, 'atomic_add_found': True, 'num_load': 3, 'num_store': 1, 'num_reduction': 0, 'backend_hash': '91D1D1166449D9E2EB66EB9770C9E2C3B0FEB787341F27FEB4D3F0338DA50336', 'assert_indirect_indexing': True, 'autotune_local_cache': True, 'autotune_pointwise': True, 'autotune_remote_cache': None, 'force_disable_caches': True, 'dynamic_scale_rblock': True, 'max_autotune': False, 'max_autotune_pointwise': False, 'min_split_scan_rblock': 256, 'spill_threshold': 16, 'store_cubin': False, 'deterministic': False, 'force_filter_reduction_configs': False, 'mix_order_reduction_allow_multi_stages': False, 'are_deterministic_algorithms_enabled': False, 'tiling_scores': {'x': 16384}},
    min_elem_per_thread=0
)
@triton.jit
def triton_poi_fused_add_embedding_dense_backward_slice_squeeze_threshold_backward_10(in_ptr0, in_ptr1, in_ptr2, out_ptr0, xnumel, XBLOCK : tl.constexpr):
    xnumel = 2048
    xoffset = tl.program_id(0) * XBLOCK
    xindex = xoffset + tl.arange(0, XBLOCK)[:]
    xmask = xindex < xnumel
    x1 = xindex // 16
    x0 = (xindex % 16)
    tmp0 = tl.load(in_ptr0 + (26*x1), xmask, eviction_policy='evict_last')
    tmp8 = tl.load(in_ptr1 + (336 + x0 + 432*x1), xmask)
    tmp9 = tl.load(in_ptr2 + (336 + x0 + 432*x1), xmask)
    tmp1 = tl.full([XBLOCK], 10000, tl.int32)
    tmp2 = tmp0 + tmp1
    tmp3 = tmp0 < 0
    tmp4 = tl.where(tmp3, tmp2, tmp0)
    tl.device_assert(((0 <= tmp4) & (tmp4 < 10000)) | ~(xmask), "index out of bounds: 0 <= tmp4 < 10000")
    tmp6 = tl.full([1], -1, tl.int64)
    tmp7 = tmp0 == tmp6
    tmp10 = tmp8 + tmp9
    tmp11 = tl.full([1], 0.0, tl.float32)
    tmp12 = tl.where(tmp7, tmp11, tmp10)
    tl.atomic_add(out_ptr0 + (x0 + 16*tmp4), tmp12, xmask, sem='relaxed')
''', device_str='cuda')


# kernel path: d6/cd6i4kegabdz3oeikh274hqdjwdlbch4izwuxdo2nisvhqwbrd37.py
# Topologically Sorted Source Nodes: [full_default, squeeze_1, squeeze_2, add_1, slice_21, full_default_7, eq_6, unsqueeze_9, where_12, index_put_6], Original ATen: [aten.threshold_backward, aten.squeeze, aten.add, aten.slice, aten.embedding_dense_backward]
# Source node to ATen node mapping:
#   add_1 => add_1
#   eq_6 => eq_6
#   full_default => full_default
#   full_default_7 => full_default_7
#   index_put_6 => index_put_6
#   slice_21 => slice_21
#   squeeze_1 => squeeze_1
#   squeeze_2 => squeeze_2
#   unsqueeze_9 => unsqueeze_9
#   where_12 => where_12
# Graph fragment:
#   %select_19 : Tensor "i64[128][26]cuda:0" = PlaceHolder[target=select_19]
#   %sum_5 : Tensor "f32[128, 1, 432][432, 432, 1]cuda:0" = PlaceHolder[target=sum_5]
#   %sum_4 : Tensor "f32[128, 432, 1][432, 1, 1]cuda:0" = PlaceHolder[target=sum_4]
#   %index_put_6 : Tensor "f32[10000, 16][16, 1]cuda:0" = PlaceHolder[target=index_put_6]
#   %full_default : Tensor "f32[][]cuda:0"[num_users=32] = call_function[target=torch.ops.aten.full.default](args = ([], 0.0), kwargs = {dtype: torch.float32, layout: torch.strided, device: cuda:0, pin_memory: False})
#   %squeeze_1 : Tensor "f32[128, 432][432, 1]cuda:0"[num_users=1] = call_function[target=torch.ops.aten.squeeze.dim](args = (%sum_5, 1), kwargs = {})
#   %squeeze_2 : Tensor "f32[128, 432][432, 1]cuda:0"[num_users=1] = call_function[target=torch.ops.aten.squeeze.dim](args = (%sum_4, 2), kwargs = {})
#   %add_1 : Tensor "f32[128, 432][432, 1]cuda:0"[num_users=27] = call_function[target=torch.ops.aten.add.Tensor](args = (%squeeze_1, %squeeze_2), kwargs = {})
#   %slice_21 : Tensor "f32[128, 16][432, 1]cuda:0"[num_users=1] = call_function[target=torch.ops.aten.slice.Tensor](args = (%add_1, 1, 320, 336), kwargs = {})
#   %full_default_7 : Tensor "f32[10000, 16][16, 1]cuda:0"[num_users=26] = call_function[target=torch.ops.aten.full.default](args = ([10000, 16], 0), kwargs = {dtype: torch.float32, layout: torch.strided, device: cuda:0, pin_memory: False})
#   %eq_6 : Tensor "b8[128][1]cuda:0"[num_users=1] = call_function[target=torch.ops.aten.eq.Scalar](args = (%select_19, -1), kwargs = {})
#   %unsqueeze_9 : Tensor "b8[128, 1][1, 1]cuda:0"[num_users=1] = call_function[target=torch.ops.aten.unsqueeze.default](args = (%eq_6, -1), kwargs = {})
#   %where_12 : Tensor "f32[128, 16][16, 1]cuda:0"[num_users=1] = call_function[target=torch.ops.aten.where.self](args = (%unsqueeze_9, %full_default, %slice_21), kwargs = {})
#   %index_put_6 : Tensor "f32[10000, 16][16, 1]cuda:0"[num_users=1] = call_function[target=torch.ops.aten.index_put.default](args = (%full_default_7, [%select_19], %where_12, True), kwargs = {})
#   return %buf42
triton_poi_fused_add_embedding_dense_backward_slice_squeeze_threshold_backward_11 = async_compile.triton('triton_poi_fused_add_embedding_dense_backward_slice_squeeze_threshold_backward_11', '''
import triton
import triton.language as tl

from torch._inductor.runtime import triton_helpers, triton_heuristics
from torch._inductor.runtime.triton_helpers import libdevice, math as tl_math
from torch._inductor.runtime.hints import AutotuneHint, ReductionHint, TileHint, DeviceProperties
triton_helpers.set_driver_to_gpu()

@triton_heuristics.pointwise(
    size_hints={'x': 2048}, 
    filename=__file__,
    triton_meta={'signature': {'in_ptr0': '*i64', 'in_ptr1': '*fp32', 'in_ptr2': '*fp32', 'out_ptr0': '*fp32', 'xnumel': 'i32', 'XBLOCK': 'constexpr'}, 'device': DeviceProperties(type='cuda', index=0, multi_processor_count=132, cc=90, major=9, regs_per_multiprocessor=65536, max_threads_per_multi_processor=2048, max_threads_per_block=1024, warp_size=32), 'constants': {}, 'native_matmul': False, 'enable_fp_fusion': True, 'launch_pdl': False, 'disable_ftz': False, 'configs': [{(1,): [['tt.divisibility', 16]], (2,): [['tt.divisibility', 16]], (3,): [['tt.divisibility', 16]], (4,): [['tt.divisibility', 16]]}]},
    inductor_meta={'grid_type': 'Grid1D', 'autotune_hints': set(), 'kernel_name': 'triton_poi_fused_add_embedding_dense_backward_slice_squeeze_threshold_backward_11', 'mutated_arg_names': ['out_ptr0'], 'optimize_mem': True, 'no_x_dim': False, 'atomic_add_found': True, 'num_load': 3, 'num_store': 1, 'num_reduction': 0, 'backend_hash': '91D1D1166449D9E2EB66EB9770C9E2C3B0FEB787341F27FEB4D3F0338DA50336', 'assert_indirect_indexing': True, 'autotune_local_cache': True, 'autotune_pointwise': True, 'autotune_remote_cache': None, 'force_disable_caches': True, 'dynamic_scale_rblock': True, 'max_autotune': False, 'max_autotune_pointwise': False, 'min_split_scan_rblock': 256, 'spill_threshold': 16, 'store_cubin': False, 'deterministic': False, 'force_filter_reduction_configs': False, 'mix_order_reduction_allow_multi_stages': False, 'are_deterministic_algorithms_enabled': False, 'tiling_scores': {'x': 16384}},
    min_elem_per_thread=0
)
@triton.jit
def triton_poi_fused_add_embedding_dense_backward_slice_squeeze_threshold_backward_11(in_ptr0, in_ptr1, in_ptr2, out_ptr0, xnumel, XBLOCK : tl.constexpr):
    xnumel = 2048
    xoffset = tl.program_id(0) * XBLOCK
    xindex = xoffset + tl.arange(0, XBLOCK)[:]
    xmask = xindex < xnumel
    x1 = xindex // 16
    x0 = (xindex % 16)
    tmp0 = tl.load(in_ptr0 + (26*x1), xmask, eviction_policy='evict_last')
    tmp8 = tl.load(in_ptr1 + (320 + x0 + 432*x1), xmask)
    tmp9 = tl.load(in_ptr2 + (320 + x0 + 432*x1), xmask)
    tmp1 = tl.full([XBLOCK], 10000, tl.int32)
    tmp2 = tmp0 + tmp1
    tmp3 = tmp0 < 0
    tmp4 = tl.where(tmp3, tmp2, tmp0)
    tl.device_assert(((0 <= tmp4) & (tmp4 < 10000)) | ~(xmask), "index out of bounds: 0 <= tmp4 < 10000")
    tmp6 = tl.full([1], -1, tl.int64)
    tmp7 = tmp0 == tmp6
    tmp10 = tmp8 + tmp9
    tmp11 = tl.full([1], 0.0, tl.float32)
    tmp12 = tl.where(tmp7, tmp11, tmp10)
    tl.atomic_add(out_ptr0 + (x0 + 16*tmp4), tmp12, xmask, sem='relaxed')
''', device_str='cuda')


# kernel path: xh/cxh2ef733wspfkhu5vbomcafaslhbpimws4ixaxu2zc7fhgdbc7b.py
# Topologically Sorted Source Nodes: [full_default, squeeze_1, squeeze_2, add_1, slice_20, full_default_7, eq_7, unsqueeze_10, where_13, index_put_7], Original ATen: [aten.threshold_backward, aten.squeeze, aten.add, aten.slice, aten.embedding_dense_backward]
# Source node to ATen node mapping:
#   add_1 => add_1
#   eq_7 => eq_7
#   full_default => full_default
#   full_default_7 => full_default_7
#   index_put_7 => index_put_7
#   slice_20 => slice_20
#   squeeze_1 => squeeze_1
#   squeeze_2 => squeeze_2
#   unsqueeze_10 => unsqueeze_10
#   where_13 => where_13
# Graph fragment:
#   %select_18 : Tensor "i64[128][26]cuda:0" = PlaceHolder[target=select_18]
#   %sum_5 : Tensor "f32[128, 1, 432][432, 432, 1]cuda:0" = PlaceHolder[target=sum_5]
#   %sum_4 : Tensor "f32[128, 432, 1][432, 1, 1]cuda:0" = PlaceHolder[target=sum_4]
#   %index_put_7 : Tensor "f32[10000, 16][16, 1]cuda:0" = PlaceHolder[target=index_put_7]
#   %full_default : Tensor "f32[][]cuda:0"[num_users=32] = call_function[target=torch.ops.aten.full.default](args = ([], 0.0), kwargs = {dtype: torch.float32, layout: torch.strided, device: cuda:0, pin_memory: False})
#   %squeeze_1 : Tensor "f32[128, 432][432, 1]cuda:0"[num_users=1] = call_function[target=torch.ops.aten.squeeze.dim](args = (%sum_5, 1), kwargs = {})
#   %squeeze_2 : Tensor "f32[128, 432][432, 1]cuda:0"[num_users=1] = call_function[target=torch.ops.aten.squeeze.dim](args = (%sum_4, 2), kwargs = {})
#   %add_1 : Tensor "f32[128, 432][432, 1]cuda:0"[num_users=27] = call_function[target=torch.ops.aten.add.Tensor](args = (%squeeze_1, %squeeze_2), kwargs = {})
#   %slice_20 : Tensor "f32[128, 16][432, 1]cuda:0"[num_users=1] = call_function[target=torch.ops.aten.slice.Tensor](args = (%add_1, 1, 304, 320), kwargs = {})
#   %full_default_7 : Tensor "f32[10000, 16][16, 1]cuda:0"[num_users=26] = call_function[target=torch.ops.aten.full.default](args = ([10000, 16], 0), kwargs = {dtype: torch.float32, layout: torch.strided, device: cuda:0, pin_memory: False})
#   %eq_7 : Tensor "b8[128][1]cuda:0"[num_users=1] = call_function[target=torch.ops.aten.eq.Scalar](args = (%select_18, -1), kwargs = {})
#   %unsqueeze_10 : Tensor "b8[128, 1][1, 1]cuda:0"[num_users=1] = call_function[target=torch.ops.aten.unsqueeze.default](args = (%eq_7, -1), kwargs = {})
#   %where_13 : Tensor "f32[128, 16][16, 1]cuda:0"[num_users=1] = call_function[target=torch.ops.aten.where.self](args = (%unsqueeze_10, %full_default, %slice_20), kwargs = {})
#   %index_put_7 : Tensor "f32[10000, 16][16, 1]cuda:0"[num_users=1] = call_function[target=torch.ops.aten.index_put.default](args = (%full_default_7, [%select_18], %where_13, True), kwargs = {})
#   return %buf44
triton_poi_fused_add_embedding_dense_backward_slice_squeeze_threshold_backward_12 = async_compile.triton('triton_poi_fused_add_embedding_dense_backward_slice_squeeze_threshold_backward_12', '''
import triton
import triton.language as tl

from torch._inductor.runtime import triton_helpers, triton_heuristics
from torch._inductor.runtime.triton_helpers import libdevice, math as tl_math
from torch._inductor.runtime.hints import AutotuneHint, ReductionHint, TileHint, DeviceProperties
triton_helpers.set_driver_to_gpu()

@triton_heuristics.pointwise(
    size_hints={'x': 2048}, 
    filename=__file__,
    triton_meta={'signature': {'in_ptr0': '*i64', 'in_ptr1': '*fp32', 'in_ptr2': '*fp32', 'out_ptr0': '*fp32', 'xnumel': 'i32', 'XBLOCK': 'constexpr'}, 'device': DeviceProperties(type='cuda', index=0, multi_processor_count=132, cc=90, major=9, regs_per_multiprocessor=65536, max_threads_per_multi_processor=2048, max_threads_per_block=1024, warp_size=32), 'constants': {}, 'native_matmul': False, 'enable_fp_fusion': True, 'launch_pdl': False, 'disable_ftz': False, 'configs': [{(0,): [['tt.divisibility', 16]], (1,): [['tt.divisibility', 16]], (2,): [['tt.divisibility', 16]], (3,): [['tt.divisibility', 16]], (4,): [['tt.divisibility', 16]]}]},
    inductor_meta={'grid_type': 'Grid1D', 'autotune_hints': set(), 'kernel_name': 'triton_poi_fused_add_embedding_dense_backward_slice_squeeze_threshold_backward_12', 'mutated_arg_names': ['out_ptr0'], 'optimize_mem': True, 'no_x_dim': False, 'atomic_add_found': True, 'num_load': 3, 'num_store': 1, 'num_reduction': 0, 'backend_hash': '91D1D1166449D9E2EB66EB9770C9E2C3B0FEB787341F27FEB4D3F0338DA50336', 'assert_indirect_indexing': True, 'autotune_local_cache': True, 'autotune_pointwise': True, 'autotune_remote_cache': None, 'force_disable_caches': True, 'dynamic_scale_rblock': True, 'max_autotune': False, 'max_autotune_pointwise': False, 'min_split_scan_rblock': 256, 'spill_threshold': 16, 'store_cubin': False, 'deterministic': False, 'force_filter_reduction_configs': False, 'mix_order_reduction_allow_multi_stages': False, 'are_deterministic_algorithms_enabled': False, 'tiling_scores': {'x': 16384}},
    min_elem_per_thread=0
)
@triton.jit
def triton_poi_fused_add_embedding_dense_backward_slice_squeeze_threshold_backward_12(in_ptr0, in_ptr1, in_ptr2, out_ptr0, xnumel, XBLOCK : tl.constexpr):
    xnumel = 2048
    xoffset = tl.program_id(0) * XBLOCK
    xindex = xoffset + tl.arange(0, XBLOCK)[:]
    xmask = xindex < xnumel
    x1 = xindex // 16
    x0 = (xindex % 16)
    tmp0 = tl.load(in_ptr0 + (26*x1), xmask, eviction_policy='evict_last')
    tmp8 = tl.load(in_ptr1 + (304 + x0 + 432*x1), xmask)
    tmp9 = tl.load(in_ptr2 + (304 + x0 + 432*x1), xmask)
    tmp1 = tl.full([XBLOCK], 10000, tl.int32)
    tmp2 = tmp0 + tmp1
    tmp3 = tmp0 < 0
    tmp4 = tl.where(tmp3, tmp2, tmp0)
    tl.device_assert(((0 <= tmp4) & (tmp4 < 10000)) | ~(xmask), "index out of bounds: 0 <= tmp4 < 10000")
    tmp6 = tl.full([1], -1, tl.int64)
    tmp7 = tmp0 == tmp6
    tmp10 = tmp8 + tmp9
    tmp11 = tl.full([1], 0.0, tl.float32)
    tmp12 = tl.where(tmp7, tmp11, tmp10)
    tl.atomic_add(out_ptr0 + (x0 + 16*tmp4), tmp12, xmask, sem='relaxed')
''', device_str='cuda')


# kernel path: b2/cb2entg3yaxpoter7ubgkxtwnqtlezqzv3q3u3atkhtupap6jxkr.py
# Topologically Sorted Source Nodes: [full_default, squeeze_1, squeeze_2, add_1, slice_19, full_default_7, eq_8, unsqueeze_11, where_14, index_put_8], Original ATen: [aten.threshold_backward, aten.squeeze, aten.add, aten.slice, aten.embedding_dense_backward]
# Source node to ATen node mapping:
#   add_1 => add_1
#   eq_8 => eq_8
#   full_default => full_default
#   full_default_7 => full_default_7
#   index_put_8 => index_put_8
#   slice_19 => slice_19
#   squeeze_1 => squeeze_1
#   squeeze_2 => squeeze_2
#   unsqueeze_11 => unsqueeze_11
#   where_14 => where_14
# Graph fragment:
#   %select_17 : Tensor "i64[128][26]cuda:0" = PlaceHolder[target=select_17]
#   %sum_5 : Tensor "f32[128, 1, 432][432, 432, 1]cuda:0" = PlaceHolder[target=sum_5]
#   %sum_4 : Tensor "f32[128, 432, 1][432, 1, 1]cuda:0" = PlaceHolder[target=sum_4]
#   %index_put_8 : Tensor "f32[10000, 16][16, 1]cuda:0" = PlaceHolder[target=index_put_8]
#   %full_default : Tensor "f32[][]cuda:0"[num_users=32] = call_function[target=torch.ops.aten.full.default](args = ([], 0.0), kwargs = {dtype: torch.float32, layout: torch.strided, device: cuda:0, pin_memory: False})
#   %squeeze_1 : Tensor "f32[128, 432][432, 1]cuda:0"[num_users=1] = call_function[target=torch.ops.aten.squeeze.dim](args = (%sum_5, 1), kwargs = {})
#   %squeeze_2 : Tensor "f32[128, 432][432, 1]cuda:0"[num_users=1] = call_function[target=torch.ops.aten.squeeze.dim](args = (%sum_4, 2), kwargs = {})
#   %add_1 : Tensor "f32[128, 432][432, 1]cuda:0"[num_users=27] = call_function[target=torch.ops.aten.add.Tensor](args = (%squeeze_1, %squeeze_2), kwargs = {})
#   %slice_19 : Tensor "f32[128, 16][432, 1]cuda:0"[num_users=1] = call_function[target=torch.ops.aten.slice.Tensor](args = (%add_1, 1, 288, 304), kwargs = {})
#   %full_default_7 : Tensor "f32[10000, 16][16, 1]cuda:0"[num_users=26] = call_function[target=torch.ops.aten.full.default](args = ([10000, 16], 0), kwargs = {dtype: torch.float32, layout: torch.strided, device: cuda:0, pin_memory: False})
#   %eq_8 : Tensor "b8[128][1]cuda:0"[num_users=1] = call_function[target=torch.ops.aten.eq.Scalar](args = (%select_17, -1), kwargs = {})
#   %unsqueeze_11 : Tensor "b8[128, 1][1, 1]cuda:0"[num_users=1] = call_function[target=torch.ops.aten.unsqueeze.default](args = (%eq_8, -1), kwargs = {})
#   %where_14 : Tensor "f32[128, 16][16, 1]cuda:0"[num_users=1] = call_function[target=torch.ops.aten.where.self](args = (%unsqueeze_11, %full_default, %slice_19), kwargs = {})
#   %index_put_8 : Tensor "f32[10000, 16][16, 1]cuda:0"[num_users=1] = call_function[target=torch.ops.aten.index_put.default](args = (%full_default_7, [%select_17], %where_14, True), kwargs = {})
#   return %buf46
triton_poi_fused_add_embedding_dense_backward_slice_squeeze_threshold_backward_13 = async_compile.triton('triton_poi_fused_add_embedding_dense_backward_slice_squeeze_threshold_backward_13', '''
import triton
import triton.language as tl

from torch._inductor.runtime import triton_helpers, triton_heuristics
from torch._inductor.runtime.triton_helpers import libdevice, math as tl_math
from torch._inductor.runtime.hints import AutotuneHint, ReductionHint, TileHint, DeviceProperties
triton_helpers.set_driver_to_gpu()

@triton_heuristics.pointwise(
    size_hints={'x': 2048}, 
    filename=__file__,
    triton_meta={'signature': {'in_ptr0': '*i64', 'in_ptr1': '*fp32', 'in_ptr2': '*fp32', 'out_ptr0': '*fp32', 'xnumel': 'i32', 'XBLOCK': 'constexpr'}, 'device': DeviceProperties(type='cuda', index=0, multi_processor_count=132, cc=90, major=9, regs_per_multiprocessor=65536, max_threads_per_multi_processor=2048, max_threads_per_block=1024, warp_size=32), 'constants': {}, 'native_matmul': False, 'enable_fp_fusion': True, 'launch_pdl': False, 'disable_ftz': False, 'configs': [{(1,): [['tt.divisibility', 16]], (2,): [['tt.divisibility', 16]], (3,): [['tt.divisibility', 16]], (4,): [['tt.divisibility', 16]]}]},
    inductor_meta={'grid_type': 'Grid1D', 'autotune_hints': set(), 'kernel_name': 'triton_poi_fused_add_embedding_dense_backward_slice_squeeze_threshold_backward_13', 'mutated_arg_names': ['out_ptr0'], 'optimize_mem': True, 'no_x_dim': False, 'atomic_add_found': True, 'num_load': 3, 'num_store': 1, 'num_reduction': 0, 'backend_hash': '91D1D1166449D9E2EB66EB9770C9E2C3B0FEB787341F27FEB4D3F0338DA50336', 'assert_indirect_indexing': True, 'autotune_local_cache': True, 'autotune_pointwise': True, 'autotune_remote_cache': None, 'force_disable_caches': True, 'dynamic_scale_rblock': True, 'max_autotune': False, 'max_autotune_pointwise': False, 'min_split_scan_rblock': 256, 'spill_threshold': 16, 'store_cubin': False, 'deterministic': False, 'force_filter_reduction_configs': False, 'mix_order_reduction_allow_multi_stages': False, 'are_deterministic_algorithms_enabled': False, 'tiling_scores': {'x': 16384}},
    min_elem_per_thread=0
)
@triton.jit
def triton_poi_fused_add_embedding_dense_backward_slice_squeeze_threshold_backward_13(in_ptr0, in_ptr1, in_ptr2, out_ptr0, xnumel, XBLOCK : tl.constexpr):
    xnumel = 2048
    xoffset = tl.program_id(0) * XBLOCK
    xindex = xoffset + tl.arange(0, XBLOCK)[:]
    xmask = xindex < xnumel
    x1 = xindex // 16
    x0 = (xindex % 16)
    tmp0 = tl.load(in_ptr0 + (26*x1), xmask, eviction_policy='evict_last')
    tmp8 = tl.load(in_ptr1 + (288 + x0 + 432*x1), xmask)
    tmp9 = tl.load(in_ptr2 + (288 + x0 + 432*x1), xmask)
    tmp1 = tl.full([XBLOCK], 10000, tl.int32)
    tmp2 = tmp0 + tmp1
    tmp3 = tmp0 < 0
    tmp4 = tl.where(tmp3, tmp2, tmp0)
    tl.device_assert(((0 <= tmp4) & (tmp4 < 10000)) | ~(xmask), "index out of bounds: 0 <= tmp4 < 10000")
    tmp6 = tl.full([1], -1, tl.int64)
    tmp7 = tmp0 == tmp6
    tmp10 = tmp8 + tmp9
    tmp11 = tl.full([1], 0.0, tl.float32)
    tmp12 = tl.where(tmp7, tmp11, tmp10)
    tl.atomic_add(out_ptr0 + (x0 + 16*tmp4), tmp12, xmask, sem='relaxed')
''', device_str='cuda')


# kernel path: we/cweivir7blnjq6xxwyus747ylrv2sayu5xzcg5ou4teh4nlpeywf.py
# Topologically Sorted Source Nodes: [full_default, squeeze_1, squeeze_2, add_1, slice_18, full_default_7, eq_9, unsqueeze_12, where_15, index_put_9], Original ATen: [aten.threshold_backward, aten.squeeze, aten.add, aten.slice, aten.embedding_dense_backward]
# Source node to ATen node mapping:
#   add_1 => add_1
#   eq_9 => eq_9
#   full_default => full_default
#   full_default_7 => full_default_7
#   index_put_9 => index_put_9
#   slice_18 => slice_18
#   squeeze_1 => squeeze_1
#   squeeze_2 => squeeze_2
#   unsqueeze_12 => unsqueeze_12
#   where_15 => where_15
# Graph fragment:
#   %select_16 : Tensor "i64[128][26]cuda:0" = PlaceHolder[target=select_16]
#   %sum_5 : Tensor "f32[128, 1, 432][432, 432, 1]cuda:0" = PlaceHolder[target=sum_5]
#   %sum_4 : Tensor "f32[128, 432, 1][432, 1, 1]cuda:0" = PlaceHolder[target=sum_4]
#   %index_put_9 : Tensor "f32[10000, 16][16, 1]cuda:0" = PlaceHolder[target=index_put_9]
#   %full_default : Tensor "f32[][]cuda:0"[num_users=32] = call_function[target=torch.ops.aten.full.default](args = ([], 0.0), kwargs = {dtype: torch.float32, layout: torch.strided, device: cuda:0, pin_memory: False})
#   %squeeze_1 : Tensor "f32[128, 432][432, 1]cuda:0"[num_users=1] = call_function[target=torch.ops.aten.squeeze.dim](args = (%sum_5, 1), kwargs = {})
#   %squeeze_2 : Tensor "f32[128, 432][432, 1]cuda:0"[num_users=1] = call_function[target=torch.ops.aten.squeeze.dim](args = (%sum_4, 2), kwargs = {})
#   %add_1 : Tensor "f32[128, 432][432, 1]cuda:0"[num_users=27] = call_function[target=torch.ops.aten.add.Tensor](args = (%squeeze_1, %squeeze_2), kwargs = {})
#   %slice_18 : Tensor "f32[128, 16][432, 1]cuda:0"[num_users=1] = call_function[target=torch.ops.aten.slice.Tensor](args = (%add_1, 1, 272, 288), kwargs = {})
#   %full_default_7 : Tensor "f32[10000, 16][16, 1]cuda:0"[num_users=26] = call_function[target=torch.ops.aten.full.default](args = ([10000, 16], 0), kwargs = {dtype: torch.float32, layout: torch.strided, device: cuda:0, pin_memory: False})
#   %eq_9 : Tensor "b8[128][1]cuda:0"[num_users=1] = call_function[target=torch.ops.aten.eq.Scalar](args = (%select_16, -1), kwargs = {})
#   %unsqueeze_12 : Tensor "b8[128, 1][1, 1]cuda:0"[num_users=1] = call_function[target=torch.ops.aten.unsqueeze.default](args = (%eq_9, -1), kwargs = {})
#   %where_15 : Tensor "f32[128, 16][16, 1]cuda:0"[num_users=1] = call_function[target=torch.ops.aten.where.self](args = (%unsqueeze_12, %full_default, %slice_18), kwargs = {})
#   %index_put_9 : Tensor "f32[10000, 16][16, 1]cuda:0"[num_users=1] = call_function[target=torch.ops.aten.index_put.default](args = (%full_default_7, [%select_16], %where_15, True), kwargs = {})
#   return %buf48
triton_poi_fused_add_embedding_dense_backward_slice_squeeze_threshold_backward_14 = async_compile.triton('triton_poi_fused_add_embedding_dense_backward_slice_squeeze_threshold_backward_14', '''
import triton
import triton.language as tl

from torch._inductor.runtime import triton_helpers, triton_heuristics
from torch._inductor.runtime.triton_helpers import libdevice, math as tl_math
from torch._inductor.runtime.hints import AutotuneHint, ReductionHint, TileHint, DeviceProperties
triton_helpers.set_driver_to_gpu()

@triton_heuristics.pointwise(
    size_hints={'x': 2048}, 
    filename=__file__,
    triton_meta={'signature': {'in_ptr0': '*i64', 'in_ptr1': '*fp32', 'in_ptr2': '*fp32', 'out_ptr0': '*fp32', 'xnumel': 'i32', 'XBLOCK': 'constexpr'}, 'device': DeviceProperties(type='cuda', index=0, multi_processor_count=132, cc=90, major=9, regs_per_multiprocessor=65536, max_threads_per_multi_processor=2048, max_threads_per_block=1024, warp_size=32), 'constants': {}, 'native_matmul': False, 'enable_fp_fusion': True, 'launch_pdl': False, 'disable_ftz': False, 'configs': [{(0,): [['tt.divisibility', 16]], (1,): [['tt.divisibility', 16]], (2,): [['tt.divisibility', 16]], (3,): [['tt.divisibility', 16]], (4,): [['tt.divisibility', 16]]}]},
    inductor_meta={'grid_type': 'Grid1D', 'autotune_hints': set(), 'kernel_name': 'triton_poi_fused_add_embedding_dense_backward_slice_squeeze_threshold_backward_14', 'mutated_arg_names': ['out_ptr0'], 'optimize_mem': True, 'no_x_dim': False, 'atomic_add_found': True, 'num_load': 3, 'num_store': 1, 'num_reduction': 0, 'backend_hash': '91D1D1166449D9E2EB66EB9770C9E2C3B0FEB787341F27FEB4D3F0338DA50336', 'assert_indirect_indexing': True, 'autotune_local_cache': True, 'autotune_pointwise': True, 'autotune_remote_cache': None, 'force_disable_caches': True, 'dynamic_scale_rblock': True, 'max_autotune': False, 'max_autotune_pointwise': False, 'min_split_scan_rblock': 256, 'spill_threshold': 16, 'store_cubin': False, 'deterministic': False, 'force_filter_reduction_configs': False, 'mix_order_reduction_allow_multi_stages': False, 'are_deterministic_algorithms_enabled': False, 'tiling_scores': {'x': 16384}},
    min_elem_per_thread=0
)
@triton.jit
def triton_poi_fused_add_embedding_dense_backward_slice_squeeze_threshold_backward_14(in_ptr0, in_ptr1, in_ptr2, out_ptr0, xnumel, XBLOCK : tl.constexpr):
    xnumel = 2048
    xoffset = tl.program_id(0) * XBLOCK
    xindex = xoffset + tl.arange(0, XBLOCK)[:]
    xmask = xindex < xnumel
    x1 = xindex // 16
    x0 = (xindex % 16)
    tmp0 = tl.load(in_ptr0 + (26*x1), xmask, eviction_policy='evict_last')
    tmp8 = tl.load(in_ptr1 + (272 + x0 + 432*x1), xmask)
    tmp9 = tl.load(in_ptr2 + (272 + x0 + 432*x1), xmask)
    tmp1 = tl.full([XBLOCK], 10000, tl.int32)
    tmp2 = tmp0 + tmp1
    tmp3 = tmp0 < 0
    tmp4 = tl.where(tmp3, tmp2, tmp0)
    tl.device_assert(((0 <= tmp4) & (tmp4 < 10000)) | ~(xmask), "index out of bounds: 0 <= tmp4 < 10000")
    tmp6 = tl.full([1], -1, tl.int64)
    tmp7 = tmp0 == tmp6
    tmp10 = tmp8 + tmp9
    tmp11 = tl.full([1], 0.0, tl.float32)
    tmp12 = tl.where(tmp7, tmp11, tmp10)
    tl.atomic_add(out_ptr0 + (x0 + 16*tmp4), tmp12, xmask, sem='relaxed')
''', device_str='cuda')


# kernel path: mp/cmpy6ui27y5ycegfob2vbz4b5d4gqgior5vo4qcsknrsa7epd2gb.py
# Topologically Sorted Source Nodes: [full_default, squeeze_1, squeeze_2, add_1, slice_17, full_default_7, eq_10, unsqueeze_13, where_16, index_put_10], Original ATen: [aten.threshold_backward, aten.squeeze, aten.add, aten.slice, aten.embedding_dense_backward]
# Source node to ATen node mapping:
#   add_1 => add_1
#   eq_10 => eq_10
#   full_default => full_default
#   full_default_7 => full_default_7
#   index_put_10 => index_put_10
#   slice_17 => slice_17
#   squeeze_1 => squeeze_1
#   squeeze_2 => squeeze_2
#   unsqueeze_13 => unsqueeze_13
#   where_16 => where_16
# Graph fragment:
#   %select_15 : Tensor "i64[128][26]cuda:0" = PlaceHolder[target=select_15]
#   %sum_5 : Tensor "f32[128, 1, 432][432, 432, 1]cuda:0" = PlaceHolder[target=sum_5]
#   %sum_4 : Tensor "f32[128, 432, 1][432, 1, 1]cuda:0" = PlaceHolder[target=sum_4]
#   %index_put_10 : Tensor "f32[10000, 16][16, 1]cuda:0" = PlaceHolder[target=index_put_10]
#   %full_default : Tensor "f32[][]cuda:0"[num_users=32] = call_function[target=torch.ops.aten.full.default](args = ([], 0.0), kwargs = {dtype: torch.float32, layout: torch.strided, device: cuda:0, pin_memory: False})
#   %squeeze_1 : Tensor "f32[128, 432][432, 1]cuda:0"[num_users=1] = call_function[target=torch.ops.aten.squeeze.dim](args = (%sum_5, 1), kwargs = {})
#   %squeeze_2 : Tensor "f32[128, 432][432, 1]cuda:0"[num_users=1] = call_function[target=torch.ops.aten.squeeze.dim](args = (%sum_4, 2), kwargs = {})
#   %add_1 : Tensor "f32[128, 432][432, 1]cuda:0"[num_users=27] = call_function[target=torch.ops.aten.add.Tensor](args = (%squeeze_1, %squeeze_2), kwargs = {})
#   %slice_17 : Tensor "f32[128, 16][432, 1]cuda:0"[num_users=1] = call_function[target=torch.ops.aten.slice.Tensor](args = (%add_1, 1, 256, 272), kwargs = {})
#   %full_default_7 : Tensor "f32[10000, 16][16, 1]cuda:0"[num_users=26] = call_function[target=torch.ops.aten.full.default](args = ([10000, 16], 0), kwargs = {dtype: torch.float32, layout: torch.strided, device: cuda:0, pin_memory: False})
#   %eq_10 : Tensor "b8[128][1]cuda:0"[num_users=1] = call_function[target=torch.ops.aten.eq.Scalar](args = (%select_15, -1), kwargs = {})
#   %unsqueeze_13 : Tensor "b8[128, 1][1, 1]cuda:0"[num_users=1] = call_function[target=torch.ops.aten.unsqueeze.default](args = (%eq_10, -1), kwargs = {})
#   %where_16 : Tensor "f32[128, 16][16, 1]cuda:0"[num_users=1] = call_function[target=torch.ops.aten.where.self](args = (%unsqueeze_13, %full_default, %slice_17), kwargs = {})
#   %index_put_10 : Tensor "f32[10000, 16][16, 1]cuda:0"[num_users=1] = call_function[target=torch.ops.aten.index_put.default](args = (%full_default_7, [%select_15], %where_16, True), kwargs = {})
#   return %buf50
triton_poi_fused_add_embedding_dense_backward_slice_squeeze_threshold_backward_15 = async_compile.triton('triton_poi_fused_add_embedding_dense_backward_slice_squeeze_threshold_backward_15', '''
import triton
import triton.language as tl

from torch._inductor.runtime import triton_helpers, triton_heuristics
from torch._inductor.runtime.triton_helpers import libdevice, math as tl_math
from torch._inductor.runtime.hints import AutotuneHint, ReductionHint, TileHint, DeviceProperties
triton_helpers.set_driver_to_gpu()

@triton_heuristics.pointwise(
    size_hints={'x': 2048}, 
    filename=__file__,
    triton_meta={'signature': {'in_ptr0': '*i64', 'in_ptr1': '*fp32', 'in_ptr2': '*fp32', 'out_ptr0': '*fp32', 'xnumel': 'i32', 'XBLOCK': 'constexpr'}, 'device': DeviceProperties(type='cuda', index=0, multi_processor_count=132, cc=90, major=9, regs_per_multiprocessor=65536, max_threads_per_multi_processor=2048, max_threads_per_block=1024, warp_size=32), 'constants': {}, 'native_matmul': False, 'enable_fp_fusion': True, 'launch_pdl': False, 'disable_ftz': False, 'configs': [{(1,): [['tt.divisibility', 16]], (2,): [['tt.divisibility', 16]], (3,): [['tt.divisibility', 16]], (4,): [['tt.divisibility', 16]]}]},
    inductor_meta={'grid_type': 'Grid1D', 'autotune_hints': set(), 'kernel_name': 'triton_poi_fused_add_embedding_dense_backward_slice_squeeze_threshold_backward_15', 'mutated_arg_names': ['out_ptr0'], 'optimize_mem': True, 'no_x_dim': False, 'atomic_add_found': True, 'num_load': 3, 'num_store': 1, 'num_reduction': 0, 'backend_hash': '91D1D1166449D9E2EB66EB9770C9E2C3B0FEB787341F27FEB4D3F0338DA50336', 'assert_indirect_indexing': True, 'autotune_local_cache': True, 'autotune_pointwise': True, 'autotune_remote_cache': None, 'force_disable_caches': True, 'dynamic_scale_rblock': True, 'max_autotune': False, 'max_autotune_pointwise': False, 'min_split_scan_rblock': 256, 'spill_threshold': 16, 'store_cubin': False, 'deterministic': False, 'force_filter_reduction_configs': False, 'mix_order_reduction_allow_multi_stages': False, 'are_deterministic_algorithms_enabled': False, 'tiling_scores': {'x': 16384}},
    min_elem_per_thread=0
)
@triton.jit
def triton_poi_fused_add_embedding_dense_backward_slice_squeeze_threshold_backward_15(in_ptr0, in_ptr1, in_ptr2, out_ptr0, xnumel, XBLOCK : tl.constexpr):
    xnumel = 2048
    xoffset = tl.program_id(0) * XBLOCK
    xindex = xoffset + tl.arange(0, XBLOCK)[:]
    xmask = xindex < xnumel
    x1 = xindex // 16
    x0 = (xindex % 16)
    tmp0 = tl.load(in_ptr0 + (26*x1), xmask, eviction_policy='evict_last')
    tmp8 = tl.load(in_ptr1 + (256 + x0 + 432*x1), xmask)
    tmp9 = tl.load(in_ptr2 + (256 + x0 + 432*x1), xmask)
    tmp1 = tl.full([XBLOCK], 10000, tl.int32)
    tmp2 = tmp0 + tmp1
    tmp3 = tmp0 < 0
    tmp4 = tl.where(tmp3, tmp2, tmp0)
    tl.device_assert(((0 <= tmp4) & (tmp4 < 10000)) | ~(xmask), "index out of bounds: 0 <= tmp4 < 10000")
    tmp6 = tl.full([1], -1, tl.int64)
    tmp7 = tmp0 == tmp6
    tmp10 = tmp8 + tmp9
    tmp11 = tl.full([1], 0.0, tl.float32)
    tmp12 = tl.where(tmp7, tmp11, tmp10)
    tl.atomic_add(out_ptr0 + (x0 + 16*tmp4), tmp12, xmask, sem='relaxed')
''', device_str='cuda')


# kernel path: bv/cbv2f2zr5j4uf2snnoozuyuwtgcyl5peifulnqhxzc7z6ubrrkyp.py
# Topologically Sorted Source Nodes: [full_default, squeeze_1, squeeze_2, add_1, slice_16, full_default_7, eq_11, unsqueeze_14, where_17, index_put_11], Original ATen: [aten.threshold_backward, aten.squeeze, aten.add, aten.slice, aten.embedding_dense_backward]
# Source node to ATen node mapping:
#   add_1 => add_1
#   eq_11 => eq_11
#   full_default => full_default
#   full_default_7 => full_default_7
#   index_put_11 => index_put_11
#   slice_16 => slice_16
#   squeeze_1 => squeeze_1
#   squeeze_2 => squeeze_2
#   unsqueeze_14 => unsqueeze_14
#   where_17 => where_17
# Graph fragment:
#   %select_14 : Tensor "i64[128][26]cuda:0" = PlaceHolder[target=select_14]
#   %sum_5 : Tensor "f32[128, 1, 432][432, 432, 1]cuda:0" = PlaceHolder[target=sum_5]
#   %sum_4 : Tensor "f32[128, 432, 1][432, 1, 1]cuda:0" = PlaceHolder[target=sum_4]
#   %index_put_11 : Tensor "f32[10000, 16][16, 1]cuda:0" = PlaceHolder[target=index_put_11]
#   %full_default : Tensor "f32[][]cuda:0"[num_users=32] = call_function[target=torch.ops.aten.full.default](args = ([], 0.0), kwargs = {dtype: torch.float32, layout: torch.strided, device: cuda:0, pin_memory: False})
#   %squeeze_1 : Tensor "f32[128, 432][432, 1]cuda:0"[num_users=1] = call_function[target=torch.ops.aten.squeeze.dim](args = (%sum_5, 1), kwargs = {})
#   %squeeze_2 : Tensor "f32[128, 432][432, 1]cuda:0"[num_users=1] = call_function[target=torch.ops.aten.squeeze.dim](args = (%sum_4, 2), kwargs = {})
#   %add_1 : Tensor "f32[128, 432][432, 1]cuda:0"[num_users=27] = call_function[target=torch.ops.aten.add.Tensor](args = (%squeeze_1, %squeeze_2), kwargs = {})
#   %slice_16 : Tensor "f32[128, 16][432, 1]cuda:0"[num_users=1] = call_function[target=torch.ops.aten.slice.Tensor](args = (%add_1, 1, 240, 256), kwargs = {})
#   %full_default_7 : Tensor "f32[10000, 16][16, 1]cuda:0"[num_users=26] = call_function[target=torch.ops.aten.full.default](args = ([10000, 16], 0), kwargs = {dtype: torch.float32, layout: torch.strided, device: cuda:0, pin_memory: False})
#   %eq_11 : Tensor "b8[128][1]cuda:0"[num_users=1] = call_function[target=torch.ops.aten.eq.Scalar](args = (%select_14, -1), kwargs = {})
#   %unsqueeze_14 : Tensor "b8[128, 1][1, 1]cuda:0"[num_users=1] = call_function[target=torch.ops.aten.unsqueeze.default](args = (%eq_11, -1), kwargs = {})
#   %where_17 : Tensor "f32[128, 16][16, 1]cuda:0"[num_users=1] = call_function[target=torch.ops.aten.where.self](args = (%unsqueeze_14, %full_default, %slice_16), kwargs = {})
#   %index_put_11 : Tensor "f32[10000, 16][16, 1]cuda:0"[num_users=1] = call_function[target=torch.ops.aten.index_put.default](args = (%full_default_7, [%select_14], %where_17, True), kwargs = {})
#   return %buf52
triton_poi_fused_add_embedding_dense_backward_slice_squeeze_threshold_backward_16 = async_compile.triton('triton_poi_fused_add_embedding_dense_backward_slice_squeeze_threshold_backward_16', '''
import triton
import triton.language as tl

from torch._inductor.runtime import triton_helpers, triton_heuristics
from torch._inductor.runtime.triton_helpers import libdevice, math as tl_math
from torch._inductor.runtime.hints import AutotuneHint, ReductionHint, TileHint, DeviceProperties
triton_helpers.set_driver_to_gpu()

@triton_heuristics.pointwise(
    size_hints={'x': 2048}, 
    filename=__file__,
    triton_meta={'signature': {'in_ptr0': '*i64', 'in_ptr1': '*fp32', 'in_ptr2': '*fp32', 'out_ptr0': '*fp32', 'xnumel': 'i32', 'XBLOCK': 'constexpr'}, 'device': DeviceProperties(type='cuda', index=0, multi_processor_count=132, cc=90, major=9, regs_per_multiprocessor=65536, max_threads_per_multi_processor=2048, max_threads_per_block=1024, warp_size=32), 'constants': {}, 'native_matmul': False, 'enable_fp_fusion': True, 'launch_pdl': False, 'disable_ftz': False, 'configs': [{(0,): [['tt.divisibility', 16]], (1,): [['tt.divisibility', 16]], (2,): [['tt.divisibility', 16]], (3,): [['tt.divisibility', 16]], (4,): [['tt.divisibility', 16]]}]},
    inductor_meta={'grid_type': 'Grid1D', 'autotune_hints': set(), 'kernel_name': 'triton_poi_fused_add_embedding_dense_backward_slice_squeeze_threshold_backward_16', 'mutated_arg_names': ['out_ptr0'], 'optimize_mem': True, 'no_x_dim': False, 'atomic_add_found': True, 'num_load': 3, 'num_store': 1, 'num_reduction': 0, 'backend_hash': '91D1D1166449D9E2EB66EB9770C9E2C3B0FEB787341F27FEB4D3F0338DA50336', 'assert_indirect_indexing': True, 'autotune_local_cache': True, 'autotune_pointwise': True, 'autotune_remote_cache': None, 'force_disable_caches': True, 'dynamic_scale_rblock': True, 'max_autotune': False, 'max_autotune_pointwise': False, 'min_split_scan_rblock': 256, 'spill_threshold': 16, 'store_cubin': False, 'deterministic': False, 'force_filter_reduction_configs': False, 'mix_order_reduction_allow_multi_stages': False, 'are_deterministic_algorithms_enabled': False, 'tiling_scores': {'x': 16384}},
    min_elem_per_thread=0
)
@triton.jit
def triton_poi_fused_add_embedding_dense_backward_slice_squeeze_threshold_backward_16(in_ptr0, in_ptr1, in_ptr2, out_ptr0, xnumel, XBLOCK : tl.constexpr):
    xnumel = 2048
    xoffset = tl.program_id(0) * XBLOCK
    xindex = xoffset + tl.arange(0, XBLOCK)[:]
    xmask = xindex < xnumel
    x1 = xindex // 16
    x0 = (xindex % 16)
    tmp0 = tl.load(in_ptr0 + (26*x1), xmask, eviction_policy='evict_last')
    tmp8 = tl.load(in_ptr1 + (240 + x0 + 432*x1), xmask)
    tmp9 = tl.load(in_ptr2 + (240 + x0 + 432*x1), xmask)
    tmp1 = tl.full([XBLOCK], 10000, tl.int32)
    tmp2 = tmp0 + tmp1
    tmp3 = tmp0 < 0
    tmp4 = tl.where(tmp3, tmp2, tmp0)
    tl.device_assert(((0 <= tmp4) & (tmp4 < 10000)) | ~(xmask), "index out of bounds: 0 <= tmp4 < 10000")
    tmp6 = tl.full([1], -1, tl.int64)
    tmp7 = tmp0 == tmp6
    tmp10 = tmp8 + tmp9
    tmp11 = tl.full([1], 0.0, tl.float32)
    tmp12 = tl.where(tmp7, tmp11, tmp10)
    tl.atomic_add(out_ptr0 + (x0 + 16*tmp4), tmp12, xmask, sem='relaxed')
''', device_str='cuda')


# kernel path: it/citrwh5o45ltp5rrri3ym635pss7huyyubqymhdwjazbw42ktphp.py
# Topologically Sorted Source Nodes: [full_default, squeeze_1, squeeze_2, add_1, slice_15, full_default_7, eq_12, unsqueeze_15, where_18, index_put_12], Original ATen: [aten.threshold_backward, aten.squeeze, aten.add, aten.slice, aten.embedding_dense_backward]
# Source node to ATen node mapping:
#   add_1 => add_1
#   eq_12 => eq_12
#   full_default => full_default
#   full_default_7 => full_default_7
#   index_put_12 => index_put_12
#   slice_15 => slice_15
#   squeeze_1 => squeeze_1
#   squeeze_2 => squeeze_2
#   unsqueeze_15 => unsqueeze_15
#   where_18 => where_18
# Graph fragment:
#   %select_13 : Tensor "i64[128][26]cuda:0" = PlaceHolder[target=select_13]
#   %sum_5 : Tensor "f32[128, 1, 432][432, 432, 1]cuda:0" = PlaceHolder[target=sum_5]
#   %sum_4 : Tensor "f32[128, 432, 1][432, 1, 1]cuda:0" = PlaceHolder[target=sum_4]
#   %index_put_12 : Tensor "f32[10000, 16][16, 1]cuda:0" = PlaceHolder[target=index_put_12]
#   %full_default : Tensor "f32[][]cuda:0"[num_users=32] = call_function[target=torch.ops.aten.full.default](args = ([], 0.0), kwargs = {dtype: torch.float32, layout: torch.strided, device: cuda:0, pin_memory: False})
#   %squeeze_1 : Tensor "f32[128, 432][432, 1]cuda:0"[num_users=1] = call_function[target=torch.ops.aten.squeeze.dim](args = (%sum_5, 1), kwargs = {})
#   %squeeze_2 : Tensor "f32[128, 432][432, 1]cuda:0"[num_users=1] = call_function[target=torch.ops.aten.squeeze.dim](args = (%sum_4, 2), kwargs = {})
#   %add_1 : Tensor "f32[128, 432][432, 1]cuda:0"[num_users=27] = call_function[target=torch.ops.aten.add.Tensor](args = (%squeeze_1, %squeeze_2), kwargs = {})
#   %slice_15 : Tensor "f32[128, 16][432, 1]cuda:0"[num_users=1] = call_function[target=torch.ops.aten.slice.Tensor](args = (%add_1, 1, 224, 240), kwargs = {})
#   %full_default_7 : Tensor "f32[10000, 16][16, 1]cuda:0"[num_users=26] = call_function[target=torch.ops.aten.full.default](args = ([10000, 16], 0), kwargs = {dtype: torch.float32, layout: torch.strided, device: cuda:0, pin_memory: False})
#   %eq_12 : Tensor "b8[128][1]cuda:0"[num_users=1] = call_function[target=torch.ops.aten.eq.Scalar](args = (%select_13, -1), kwargs = {})
#   %unsqueeze_15 : Tensor "b8[128, 1][1, 1]cuda:0"[num_users=1] = call_function[target=torch.ops.aten.unsqueeze.default](args = (%eq_12, -1), kwargs = {})
#   %where_18 : Tensor "f32[128, 16][16, 1]cuda:0"[num_users=1] = call_function[target=torch.ops.aten.where.self](args = (%unsqueeze_15, %full_default, %slice_15), kwargs = {})
#   %index_put_12 : Tensor "f32[10000, 16][16, 1]cuda:0"[num_users=1] = call_function[target=torch.ops.aten.index_put.default](args = (%full_default_7, [%select_13], %where_18, True), kwargs = {})
#   return %buf54
triton_poi_fused_add_embedding_dense_backward_slice_squeeze_threshold_backward_17 = async_compile.triton('triton_poi_fused_add_embedding_dense_backward_slice_squeeze_threshold_backward_17', '''
import triton
import triton.language as tl

from torch._inductor.runtime import triton_helpers, triton_heuristics
from torch._inductor.runtime.triton_helpers import libdevice, math as tl_math
from torch._inductor.runtime.hints import AutotuneHint, ReductionHint, TileHint, DeviceProperties
triton_helpers.set_driver_to_gpu()

@triton_heuristics.pointwise(
    size_hints={'x': 2048}, 
    filename=__file__,
    triton_meta={'signature': {'in_ptr0': '*i64', 'in_ptr1': '*fp32', 'in_ptr2': '*fp32', 'out_ptr0': '*fp32', 'xnumel': 'i32', 'XBLOCK': 'constexpr'}, 'device': DeviceProperties(type='cuda', index=0, multi_processor_count=132, cc=90, major=9, regs_per_multiprocessor=65536, max_threads_per_multi_processor=2048, max_threads_per_block=1024, warp_size=32), 'constants': {}, 'native_matmul': False, 'enable_fp_fusion': True, 'launch_pdl': False, 'disable_ftz': False, 'configs': [{(1,): [['tt.divisibility', 16]], (2,): [['tt.divisibility', 16]], (3,): [['tt.divisibility', 16]], (4,): [['tt.divisibility', 16]]}]},
    inductor_meta={'grid_type': 'Grid1D', 'autotune_hints': set(), 'kernel_name': 'triton_poi_fused_add_embedding_dense_backward_slice_squeeze_threshold_backward_17', 'mutated_arg_names': ['out_ptr0'], 'optimize_mem': True, 'no_x_dim': False, 'atomic_add_found': True, 'num_load': 3, 'num_store': 1, 'num_reduction': 0, 'backend_hash': '91D1D1166449D9E2EB66EB9770C9E2C3B0FEB787341F27FEB4D3F0338DA50336', 'assert_indirect_indexing': True, 'autotune_local_cache': True, 'autotune_pointwise': True, 'autotune_remote_cache': None, 'force_disable_caches': True, 'dynamic_scale_rblock': True, 'max_autotune': False, 'max_autotune_pointwise': False, 'min_split_scan_rblock': 256, 'spill_threshold': 16, 'store_cubin': False, 'deterministic': False, 'force_filter_reduction_configs': False, 'mix_order_reduction_allow_multi_stages': False, 'are_deterministic_algorithms_enabled': False, 'tiling_scores': {'x': 16384}},
    min_elem_per_thread=0
)
@triton.jit
def triton_poi_fused_add_embedding_dense_backward_slice_squeeze_threshold_backward_17(in_ptr0, in_ptr1, in_ptr2, out_ptr0, xnumel, XBLOCK : tl.constexpr):
    xnumel = 2048
    xoffset = tl.program_id(0) * XBLOCK
    xindex = xoffset + tl.arange(0, XBLOCK)[:]
    xmask = xindex < xnumel
    x1 = xindex // 16
    x0 = (xindex % 16)
    tmp0 = tl.load(in_ptr0 + (26*x1), xmask, eviction_policy='evict_last')
    tmp8 = tl.load(in_ptr1 + (224 + x0 + 432*x1), xmask)
    tmp9 = tl.load(in_ptr2 + (224 + x0 + 432*x1), xmask)
    tmp1 = tl.full([XBLOCK], 10000, tl.int32)
    tmp2 = tmp0 + tmp1
    tmp3 = tmp0 < 0
    tmp4 = tl.where(tmp3, tmp2, tmp0)
    tl.device_assert(((0 <= tmp4) & (tmp4 < 10000)) | ~(xmask), "index out of bounds: 0 <= tmp4 < 10000")
    tmp6 = tl.full([1], -1, tl.int64)
    tmp7 = tmp0 == tmp6
    tmp10 = tmp8 + tmp9
    tmp11 = tl.full([1], 0.0, tl.float32)
    tmp12 = tl.where(tmp7, tmp11, tmp10)
    tl.atomic_add(out_ptr0 + (x0 + 16*tmp4), tmp12, xmask, sem='relaxed')
''', device_str='cuda')


# kernel path: a2/ca2jgn5pmja4ldztfh2ys5vn7cpxhfezc3r3wzwvzhq3xqqdj6eo.py
# Topologically Sorted Source Nodes: [full_default, squeeze_1, squeeze_2, add_1, slice_14, full_default_7, eq_13, unsqueeze_16, where_19, index_put_13], Original ATen: [aten.threshold_backward, aten.squeeze, aten.add, aten.slice, aten.embedding_dense_backward]
# Source node to ATen node mapping:
#   add_1 => add_1
#   eq_13 => eq_13
#   full_default => full_default
#   full_default_7 => full_default_7
#   index_put_13 => index_put_13
#   slice_14 => slice_14
#   squeeze_1 => squeeze_1
#   squeeze_2 => squeeze_2
#   unsqueeze_16 => unsqueeze_16
#   where_19 => where_19
# Graph fragment:
#   %select_12 : Tensor "i64[128][26]cuda:0" = PlaceHolder[target=select_12]
#   %sum_5 : Tensor "f32[128, 1, 432][432, 432, 1]cuda:0" = PlaceHolder[target=sum_5]
#   %sum_4 : Tensor "f32[128, 432, 1][432, 1, 1]cuda:0" = PlaceHolder[target=sum_4]
#   %index_put_13 : Tensor "f32[10000, 16][16, 1]cuda:0" = PlaceHolder[target=index_put_13]
#   %full_default : Tensor "f32[][]cuda:0"[num_users=32] = call_function[target=torch.ops.aten.full.default](args = ([], 0.0), kwargs = {dtype: torch.float32, layout: torch.strided, device: cuda:0, pin_memory: False})
#   %squeeze_1 : Tensor "f32[128, 432][432, 1]cuda:0"[num_users=1] = call_function[target=torch.ops.aten.squeeze.dim](args = (%sum_5, 1), kwargs = {})
#   %squeeze_2 : Tensor "f32[128, 432][432, 1]cuda:0"[num_users=1] = call_function[target=torch.ops.aten.squeeze.dim](args = (%sum_4, 2), kwargs = {})
#   %add_1 : Tensor "f32[128, 432][432, 1]cuda:0"[num_users=27] = call_function[target=torch.ops.aten.add.Tensor](args = (%squeeze_1, %squeeze_2), kwargs = {})
#   %slice_14 : Tensor "f32[128, 16][432, 1]cuda:0"[num_users=1] = call_function[target=torch.ops.aten.slice.Tensor](args = (%add_1, 1, 208, 224), kwargs = {})
#   %full_default_7 : Tensor "f32[10000, 16][16, 1]cuda:0"[num_users=26] = call_function[target=torch.ops.aten.full.default](args = ([10000, 16], 0), kwargs = {dtype: torch.float32, layout: torch.strided, device: cuda:0, pin_memory: False})
#   %eq_13 : Tensor "b8[128][1]cuda:0"[num_users=1] = call_function[target=torch.ops.aten.eq.Scalar](args = (%select_12, -1), kwargs = {})
#   %unsqueeze_16 : Tensor "b8[128, 1][1, 1]cuda:0"[num_users=1] = call_function[target=torch.ops.aten.unsqueeze.default](args = (%eq_13, -1), kwargs = {})
#   %where_19 : Tensor "f32[128, 16][16, 1]cuda:0"[num_users=1] = call_function[target=torch.ops.aten.where.self](args = (%unsqueeze_16, %full_default, %slice_14), kwargs = {})
#   %index_put_13 : Tensor "f32[10000, 16][16, 1]cuda:0"[num_users=1] = call_function[target=torch.ops.aten.index_put.default](args = (%full_default_7, [%select_12], %where_19, True), kwargs = {})
#   return %buf56
triton_poi_fused_add_embedding_dense_backward_slice_squeeze_threshold_backward_18 = async_compile.triton('triton_poi_fused_add_embedding_dense_backward_slice_squeeze_threshold_backward_18', '''
import triton
import triton.language as tl

from torch._inductor.runtime import triton_helpers, triton_heuristics
from torch._inductor.runtime.triton_helpers import libdevice, math as tl_math
from torch._inductor.runtime.hints import AutotuneHint, ReductionHint, TileHint, DeviceProperties
triton_helpers.set_driver_to_gpu()

@triton_heuristics.pointwise(
    size_hints={'x': 2048}, 
    filename=__file__,
    triton_meta={'signature': {'in_ptr0': '*i64', 'in_ptr1': '*fp32', 'in_ptr2': '*fp32', 'out_ptr0': '*fp32', 'xnumel': 'i32', 'XBLOCK': 'constexpr'}, 'device': DeviceProperties(type='cuda', index=0, multi_processor_count=132, cc=90, major=9, regs_per_multiprocessor=65536, max_threads_per_multi_processor=2048, max_threads_per_block=1024, warp_size=32), 'constants': {}, 'native_matmul': False, 'enable_fp_fusion': True, 'launch_pdl': False, 'disable_ftz': False, 'configs': [{(0,): [['tt.divisibility', 16]], (1,): [['tt.divisibility', 16]], (2,): [['tt.divisibility', 16]], (3,): [['tt.divisibility', 16]], (4,): [['tt.divisibility', 16]]}]},
    inductor_meta={'grid_type': 'Grid1D', 'autotune_hints': set(), 'kernel_name': 'triton_poi_fused_add_embedding_dense_backward_slice_squeeze_threshold_backward_18', 'mutated_arg_names': ['out_ptr0'], 'optimize_mem': True, 'no_x_dim': False, 'atomic_add_found': True, 'num_load': 3, 'num_store': 1, 'num_reduction': 0, 'backend_hash': '91D1D1166449D9E2EB66EB9770C9E2C3B0FEB787341F27FEB4D3F0338DA50336', 'assert_indirect_indexing': True, 'autotune_local_cache': True, 'autotune_pointwise': True, 'autotune_remote_cache': None, 'force_disable_caches': True, 'dynamic_scale_rblock': True, 'max_autotune': False, 'max_autotune_pointwise': False, 'min_split_scan_rblock': 256, 'spill_threshold': 16, 'store_cubin': False, 'deterministic': False, 'force_filter_reduction_configs': False, 'mix_order_reduction_allow_multi_stages': False, 'are_deterministic_algorithms_enabled': False, 'tiling_scores': {'x': 16384}},
    min_elem_per_thread=0
)
@triton.jit
def triton_poi_fused_add_embedding_dense_backward_slice_squeeze_threshold_backward_18(in_ptr0, in_ptr1, in_ptr2, out_ptr0, xnumel, XBLOCK : tl.constexpr):
    xnumel = 2048
    xoffset = tl.program_id(0) * XBLOCK
    xindex = xoffset + tl.arange(0, XBLOCK)[:]
    xmask = xindex < xnumel
    x1 = xindex // 16
    x0 = (xindex % 16)
    tmp0 = tl.load(in_ptr0 + (26*x1), xmask, eviction_policy='evict_last')
    tmp8 = tl.load(in_ptr1 + (208 + x0 + 432*x1), xmask)
    tmp9 = tl.load(in_ptr2 + (208 + x0 + 432*x1), xmask)
    tmp1 = tl.full([XBLOCK], 10000, tl.int32)
    tmp2 = tmp0 + tmp1
    tmp3 = tmp0 < 0
    tmp4 = tl.where(tmp3, tmp2, tmp0)
    tl.device_assert(((0 <= tmp4) & (tmp4 < 10000)) | ~(xmask), "index out of bounds: 0 <= tmp4 < 10000")
    tmp6 = tl.full([1], -1, tl.int64)
    tmp7 = tmp0 == tmp6
    tmp10 = tmp8 + tmp9
    tmp11 = tl.full([1], 0.0, tl.float32)
    tmp12 = tl.where(tmp7, tmp11, tmp10)
    tl.atomic_add(out_ptr0 + (x0 + 16*tmp4), tmp12, xmask, sem='relaxed')
''', device_str='cuda')


# kernel path: uz/cuzhvpbnmlphnc3jdeofssjgo33bhpn4wsn3hz2kghiztaoeegx5.py
# Topologically Sorted Source Nodes: [full_default, squeeze_1, squeeze_2, add_1, slice_13, full_default_7, eq_14, unsqueeze_17, where_20, index_put_14], Original ATen: [aten.threshold_backward, aten.squeeze, aten.add, aten.slice, aten.embedding_dense_backward]
# Source node to ATen node mapping:
#   add_1 => add_1
#   eq_14 => eq_14
#   full_default => full_default
#   full_default_7 => full_default_7
#   index_put_14 => index_put_14
#   slice_13 => slice_13
#   squeeze_1 => squeeze_1
#   squeeze_2 => squeeze_2
#   unsqueeze_17 => unsqueeze_17
#   where_20 => where_20
# Graph fragment:
#   %select_11 : Tensor "i64[128][26]cuda:0" = PlaceHolder[target=select_11]
#   %sum_5 : Tensor "f32[128, 1, 432][432, 432, 1]cuda:0" = PlaceHolder[target=sum_5]
#   %sum_4 : Tensor "f32[128, 432, 1][432, 1, 1]cuda:0" = PlaceHolder[target=sum_4]
#   %index_put_14 : Tensor "f32[10000, 16][16, 1]cuda:0" = PlaceHolder[target=index_put_14]
#   %full_default : Tensor "f32[][]cuda:0"[num_users=32] = call_function[target=torch.ops.aten.full.default](args = ([], 0.0), kwargs = {dtype: torch.float32, layout: torch.strided, device: cuda:0, pin_memory: False})
#   %squeeze_1 : Tensor "f32[128, 432][432, 1]cuda:0"[num_users=1] = call_function[target=torch.ops.aten.squeeze.dim](args = (%sum_5, 1), kwargs = {})
#   %squeeze_2 : Tensor "f32[128, 432][432, 1]cuda:0"[num_users=1] = call_function[target=torch.ops.aten.squeeze.dim](args = (%sum_4, 2), kwargs = {})
#   %add_1 : Tensor "f32[128, 432][432, 1]cuda:0"[num_users=27] = call_function[target=torch.ops.aten.add.Tensor](args = (%squeeze_1, %squeeze_2), kwargs = {})
#   %slice_13 : Tensor "f32[128, 16][432, 1]cuda:0"[num_users=1] = call_function[target=torch.ops.aten.slice.Tensor](args = (%add_1, 1, 192, 208), kwargs = {})
#   %full_default_7 : Tensor "f32[10000, 16][16, 1]cuda:0"[num_users=26] = call_function[target=torch.ops.aten.full.default](args = ([10000, 16], 0), kwargs = {dtype: torch.float32, layout: torch.strided, device: cuda:0, pin_memory: False})
#   %eq_14 : Tensor "b8[128][1]cuda:0"[num_users=1] = call_function[target=torch.ops.aten.eq.Scalar](args = (%select_11, -1), kwargs = {})
#   %unsqueeze_17 : Tensor "b8[128, 1][1, 1]cuda:0"[num_users=1] = call_function[target=torch.ops.aten.unsqueeze.default](args = (%eq_14, -1), kwargs = {})
#   %where_20 : Tensor "f32[128, 16][16, 1]cuda:0"[num_users=1] = call_function[target=torch.ops.aten.where.self](args = (%unsqueeze_17, %full_default, %slice_13), kwargs = {})
#   %index_put_14 : Tensor "f32[10000, 16][16, 1]cuda:0"[num_users=1] = call_function[target=torch.ops.aten.index_put.default](args = (%full_default_7, [%select_11], %where_20, True), kwargs = {})
#   return %buf58
triton_poi_fused_add_embedding_dense_backward_slice_squeeze_threshold_backward_19 = async_compile.triton('triton_poi_fused_add_embedding_dense_backward_slice_squeeze_threshold_backward_19', '''
import triton
import triton.language as tl

from torch._inductor.runtime import triton_helpers, triton_heuristics
from torch._inductor.runtime.triton_helpers import libdevice, math as tl_math
from torch._inductor.runtime.hints import AutotuneHint, ReductionHint, TileHint, DeviceProperties
triton_helpers.set_driver_to_gpu()

@triton_heuristics.pointwise(
    size_hints={'x': 2048}, 
    filename=__file__,
    triton_meta={'signature': {'in_ptr0': '*i64', 'in_ptr1': '*fp32', 'in_ptr2': '*fp32', 'out_ptr0': '*fp32', 'xnumel': 'i32', 'XBLOCK': 'constexpr'}, 'device': DeviceProperties(type='cuda', index=0, multi_processor_count=132, cc=90, major=9, regs_per_multiprocessor=65536, max_threads_per_multi_processor=2048, max_threads_per_block=1024, warp_size=32), 'constants': {}, 'native_matmul': False, 'enable_fp_fusion': True, 'launch_pdl': False, 'disable_ftz': False, 'configs': [{(1,): [['tt.divisibility', 16]], (2,): [['tt.divisibility', 16]], (3,): [['tt.divisibility', 16]], (4,): [['tt.divisibility', 16]]}]},
    inductor_meta={'grid_type': 'Grid1D', 'autotune_hints': set(), 'kernel_name': 'triton_poi_fused_add_embedding_dense_backward_slice_squeeze_threshold_backward_19', 'mutated_arg_names': ['out_ptr0'], 'optimize_mem': True, 'no_x_dim': False, 'atomic_add_found': True, 'num_load': 3, 'num_store': 1, 'num_reduction': 0, 'backend_hash': '91D1D1166449D9E2EB66EB9770C9E2C3B0FEB787341F27FEB4D3F0338DA50336', 'assert_indirect_indexing': True, 'autotune_local_cache': True, 'autotune_pointwise': True, 'autotune_remote_cache': None, 'force_disable_caches': True, 'dynamic_scale_rblock': True, 'max_autotune': False, 'max_autotune_pointwise': False, 'min_split_scan_rblock': 256, 'spill_threshold': 16, 'store_cubin': False, 'deterministic': False, 'force_filter_reduction_configs': False, 'mix_order_reduction_allow_multi_stages': False, 'are_deterministic_algorithms_enabled': False, 'tiling_scores': {'x': 16384}},
    min_elem_per_thread=0
)
@triton.jit
def triton_poi_fused_add_embedding_dense_backward_slice_squeeze_threshold_backward_19(in_ptr0, in_ptr1, in_ptr2, out_ptr0, xnumel, XBLOCK : tl.constexpr):
    xnumel = 2048
    xoffset = tl.program_id(0) * XBLOCK
    xindex = xoffset + tl.arange(0, XBLOCK)[:]
    xmask = xindex < xnumel
    x1 = xindex // 16
    x0 = (xindex % 16)
    tmp0 = tl.load(in_ptr0 + (26*x1), xmask, eviction_policy='evict_last')
    tmp8 = tl.load(in_ptr1 + (192 + x0 + 432*x1), xmask)
    tmp9 = tl.load(in_ptr2 + (192 + x0 + 432*x1), xmask)
    tmp1 = tl.full([XBLOCK], 10000, tl.int32)
    tmp2 = tmp0 + tmp1
    tmp3 = tmp0 < 0
    tmp4 = tl.where(tmp3, tmp2, tmp0)
    tl.device_assert(((0 <= tmp4) & (tmp4 < 10000)) | ~(xmask), "index out of bounds: 0 <= tmp4 < 10000")
    tmp6 = tl.full([1], -1, tl.int64)
    tmp7 = tmp0 == tmp6
    tmp10 = tmp8 + tmp9
    tmp11 = tl.full([1], 0.0, tl.float32)
    tmp12 = tl.where(tmp7, tmp11, tmp10)
    tl.atomic_add(out_ptr0 + (x0 + 16*tmp4), tmp12, xmask, sem='relaxed')
''', device_str='cuda')


# kernel path: xx/cxxro7vjuf2nbwwaq3lsfowg5wlnmd6xyznuoiwtxl67fb6mgqho.py
# Topologically Sorted Source Nodes: [full_default, squeeze_1, squeeze_2, add_1, slice_12, full_default_7, eq_15, unsqueeze_18, where_21, index_put_15], Original ATen: [aten.threshold_backward, aten.squeeze, aten.add, aten.slice, aten.embedding_dense_backward]
# Source node to ATen node mapping:
#   add_1 => add_1
#   eq_15 => eq_15
#   full_default => full_default
#   full_default_7 => full_default_7
#   index_put_15 => index_put_15
#   slice_12 => slice_12
#   squeeze_1 => squeeze_1
#   squeeze_2 => squeeze_2
#   unsqueeze_18 => unsqueeze_18
#   where_21 => where_21
# Graph fragment:
#   %select_10 : Tensor "i64[128][26]cuda:0" = PlaceHolder[target=select_10]
#   %sum_5 : Tensor "f32[128, 1, 432][432, 432, 1]cuda:0" = PlaceHolder[target=sum_5]
#   %sum_4 : Tensor "f32[128, 432, 1][432, 1, 1]cuda:0" = PlaceHolder[target=sum_4]
#   %index_put_15 : Tensor "f32[10000, 16][16, 1]cuda:0" = PlaceHolder[target=index_put_15]
#   %full_default : Tensor "f32[][]cuda:0"[num_users=32] = call_function[target=torch.ops.aten.full.default](args = ([], 0.0), kwargs = {dtype: torch.float32, layout: torch.strided, device: cuda:0, pin_memory: False})
#   %squeeze_1 : Tensor "f32[128, 432][432, 1]cuda:0"[num_users=1] = call_function[target=torch.ops.aten.squeeze.dim](args = (%sum_5, 1), kwargs = {})
#   %squeeze_2 : Tensor "f32[128, 432][432, 1]cuda:0"[num_users=1] = call_function[target=torch.ops.aten.squeeze.dim](args = (%sum_4, 2), kwargs = {})
#   %add_1 : Tensor "f32[128, 432][432, 1]cuda:0"[num_users=27] = call_function[target=torch.ops.aten.add.Tensor](args = (%squeeze_1, %squeeze_2), kwargs = {})
#   %slice_12 : Tensor "f32[128, 16][432, 1]cuda:0"[num_users=1] = call_function[target=torch.ops.aten.slice.Tensor](args = (%add_1, 1, 176, 192), kwargs = {})
#   %full_default_7 : Tensor "f32[10000, 16][16, 1]cuda:0"[num_users=26] = call_function[target=torch.ops.aten.full.default](args = ([10000, 16], 0), kwargs = {dtype: torch.float32, layout: torch.strided, device: cuda:0, pin_memory: False})
#   %eq_15 : Tensor "b8[128][1]cuda:0"[num_users=1] = call_function[target=torch.ops.aten.eq.Scalar](args = (%select_10, -1), kwargs = {})
#   %unsqueeze_18 : Tensor "b8[128, 1][1, 1]cuda:0"[num_users=1] = call_function[target=torch.ops.aten.unsqueeze.default](args = (%eq_15, -1), kwargs = {})
#   %where_21 : Tensor "f32[128, 16][16, 1]cuda:0"[num_users=1] = call_function[target=torch.ops.aten.where.self](args = (%unsqueeze_18, %full_default, %slice_12), kwargs = {})
#   %index_put_15 : Tensor "f32[10000, 16][16, 1]cuda:0"[num_users=1] = call_function[target=torch.ops.aten.index_put.default](args = (%full_default_7, [%select_10], %where_21, True), kwargs = {})
#   return %buf60
triton_poi_fused_add_embedding_dense_backward_slice_squeeze_threshold_backward_20 = async_compile.triton('triton_poi_fused_add_embedding_dense_backward_slice_squeeze_threshold_backward_20', '''
import triton
import triton.language as tl

from torch._inductor.runtime import triton_helpers, triton_heuristics
from torch._inductor.runtime.triton_helpers import libdevice, math as tl_math
from torch._inductor.runtime.hints import AutotuneHint, ReductionHint, TileHint, DeviceProperties
triton_helpers.set_driver_to_gpu()

@triton_heuristics.pointwise(
    size_hints={'x': 2048}, 
    filename=__file__,
    triton_meta={'signature': {'in_ptr0': '*i64', 'in_ptr1': '*fp32', 'in_ptr2': '*fp32', 'out_ptr0': '*fp32', 'xnumel': 'i32', 'XBLOCK': 'constexpr'}, 'device': DeviceProperties(type='cuda', index=0, multi_processor_count=132, cc=90, major=9, regs_per_multiprocessor=65536, max_threads_per_multi_processor=2048, max_threads_per_block=1024, warp_size=32), 'constants': {}, 'native_matmul': False, 'enable_fp_fusion': True, 'launch_pdl': False, 'disable_ftz': False, 'configs': [{(0,): [['tt.divisibility', 16]], (1,): [['tt.divisibility', 16]], (2,): [['tt.divisibility', 16]], (3,): [['tt.divisibility', 16]], (4,): [['tt.divisibility', 16]]}]},
    inductor_meta={'grid_type': 'Grid1D', 'autotune_hints': set(), 'kernel_name': 'triton_poi_fused_add_embedding_dense_backward_slice_squeeze_threshold_backward_20', 'mutated_arg_names': ['out_ptr0'], 'optimize_mem': True, 'no_x_dim': False, 'atomic_add_found': True, 'num_load': 3, 'num_store': 1, 'num_reduction': 0, 'backend_hash': '91D1D1166449D9E2EB66EB9770C9E2C3B0FEB787341F27FEB4D3F0338DA50336', 'assert_indirect_indexing': True, 'autotune_local_cache': True, 'autotune_pointwise': True, 'autotune_remote_cache': None, 'force_disable_caches': True, 'dynamic_scale_rblock': True, 'max_autotune': False, 'max_autotune_pointwise': False, 'min_split_scan_rblock': 256, 'spill_threshold': 16, 'store_cubin': False, 'deterministic': False, 'force_filter_reduction_configs': False, 'mix_order_reduction_allow_multi_stages': False, 'are_deterministic_algorithms_enabled': False, 'tiling_scores': {'x': 16384}},
    min_elem_per_thread=0
)
@triton.jit
def triton_poi_fused_add_embedding_dense_backward_slice_squeeze_threshold_backward_20(in_ptr0, in_ptr1, in_ptr2, out_ptr0, xnumel, XBLOCK : tl.constexpr):
    xnumel = 2048
    xoffset = tl.program_id(0) * XBLOCK
    xindex = xoffset + tl.arange(0, XBLOCK)[:]
    xmask = xindex < xnumel
    x1 = xindex // 16
    x0 = (xindex % 16)
    tmp0 = tl.load(in_ptr0 + (26*x1), xmask, eviction_policy='evict_last')
    tmp8 = tl.load(in_ptr1 + (176 + x0 + 432*x1), xmask)
    tmp9 = tl.load(in_ptr2 + (176 + x0 + 432*x1), xmask)
    tmp1 = tl.full([XBLOCK], 10000, tl.int32)
    tmp2 = tmp0 + tmp1
    tmp3 = tmp0 < 0
    tmp4 = tl.where(tmp3, tmp2, tmp0)
    tl.device_assert(((0 <= tmp4) & (tmp4 < 10000)) | ~(xmask), "index out of bounds: 0 <= tmp4 < 10000")
    tmp6 = tl.full([1], -1, tl.int64)
    tmp7 = tmp0 == tmp6
    tmp10 = tmp8 + tmp9
    tmp11 = tl.full([1], 0.0, tl.float32)
    tmp12 = tl.where(tmp7, tmp11, tmp10)
    tl.atomic_add(out_ptr0 + (x0 + 16*tmp4), tmp12, xmask, sem='relaxed')
''', device_str='cuda')


# kernel path: pp/cppnzpopalvsyms5lbcqoljk2gl73qdxpym7xlpgnknsk6lyopww.py
# Topologically Sorted Source Nodes: [full_default, squeeze_1, squeeze_2, add_1, slice_11, full_default_7, eq_16, unsqueeze_19, where_22, index_put_16], Original ATen: [aten.threshold_backward, aten.squeeze, aten.add, aten.slice, aten.embedding_dense_backward]
# Source node to ATen node mapping:
#   add_1 => add_1
#   eq_16 => eq_16
#   full_default => full_default
#   full_default_7 => full_default_7
#   index_put_16 => index_put_16
#   slice_11 => slice_11
#   squeeze_1 => squeeze_1
#   squeeze_2 => squeeze_2
#   unsqueeze_19 => unsqueeze_19
#   where_22 => where_22
# Graph fragment:
#   %select_9 : Tensor "i64[128][26]cuda:0" = PlaceHolder[target=select_9]
#   %sum_5 : Tensor "f32[128, 1, 432][432, 432, 1]cuda:0" = PlaceHolder[target=sum_5]
#   %sum_4 : Tensor "f32[128, 432, 1][432, 1, 1]cuda:0" = PlaceHolder[target=sum_4]
#   %index_put_16 : Tensor "f32[10000, 16][16, 1]cuda:0" = PlaceHolder[target=index_put_16]
#   %full_default : Tensor "f32[][]cuda:0"[num_users=32] = call_function[target=torch.ops.aten.full.default](args = ([], 0.0), kwargs = {dtype: torch.float32, layout: torch.strided, device: cuda:0, pin_memory: False})
#   %squeeze_1 : Tensor "f32[128, 432][432, 1]cuda:0"[num_users=1] = call_function[target=torch.ops.aten.squeeze.dim](args = (%sum_5, 1), kwargs = {})
#   %squeeze_2 : Tensor "f32[128, 432][432, 1]cuda:0"[num_users=1] = call_function[target=torch.ops.aten.squeeze.dim](args = (%sum_4, 2), kwargs = {})
#   %add_1 : Tensor "f32[128, 432][432, 1]cuda:0"[num_users=27] = call_function[target=torch.ops.aten.add.Tensor](args = (%squeeze_1, %squeeze_2), kwargs = {})
#   %slice_11 : Tensor "f32[128, 16][432, 1]cuda:0"[num_users=1] = call_function[target=torch.ops.aten.slice.Tensor](args = (%add_1, 1, 160, 176), kwargs = {})
#   %full_default_7 : Tensor "f32[10000, 16][16, 1]cuda:0"[num_users=26] = call_function[target=torch.ops.aten.full.default](args = ([10000, 16], 0), kwargs = {dtype: torch.float32, layout: torch.strided, device: cuda:0, pin_memory: False})
#   %eq_16 : Tensor "b8[128][1]cuda:0"[num_users=1] = call_function[target=torch.ops.aten.eq.Scalar](args = (%select_9, -1), kwargs = {})
#   %unsqueeze_19 : Tensor "b8[128, 1][1, 1]cuda:0"[num_users=1] = call_function[target=torch.ops.aten.unsqueeze.default](args = (%eq_16, -1), kwargs = {})
#   %where_22 : Tensor "f32[128, 16][16, 1]cuda:0"[num_users=1] = call_function[target=torch.ops.aten.where.self](args = (%unsqueeze_19, %full_default, %slice_11), kwargs = {})
#   %index_put_16 : Tensor "f32[10000, 16][16, 1]cuda:0"[num_users=1] = call_function[target=torch.ops.aten.index_put.default](args = (%full_default_7, [%select_9], %where_22, True), kwargs = {})
#   return %buf62
triton_poi_fused_add_embedding_dense_backward_slice_squeeze_threshold_backward_21 = async_compile.triton('triton_poi_fused_add_embedding_dense_backward_slice_squeeze_threshold_backward_21', '''
import triton
import triton.language as tl

from torch._inductor.runtime import triton_helpers, triton_heuristics
from torch._inductor.runtime.triton_helpers import libdevice, math as tl_math
from torch._inductor.runtime.hints import AutotuneHint, ReductionHint, TileHint, DeviceProperties
triton_helpers.set_driver_to_gpu()

@triton_heuristics.pointwise(
    size_hints={'x': 2048}, 
    filename=__file__,
    triton_meta={'signature': {'in_ptr0': '*i64', 'in_ptr1': '*fp32', 'in_ptr2': '*fp32', 'out_ptr0': '*fp32', 'xnumel': 'i32', 'XBLOCK': 'constexpr'}, 'device': DeviceProperties(type='cuda', index=0, multi_processor_count=132, cc=90, major=9, regs_per_multiprocessor=65536, max_threads_per_multi_processor=2048, max_threads_per_block=1024, warp_size=32), 'constants': {}, 'native_matmul': False, 'enable_fp_fusion': True, 'launch_pdl': False, 'disable_ftz': False, 'configs': [{(1,): [['tt.divisibility', 16]], (2,): [['tt.divisibility', 16]], (3,): [['tt.divisibility', 16]], (4,): [['tt.divisibility', 16]]}]},
    inductor_meta={'grid_type': 'Grid1D', 'autotune_hints': set(), 'kernel_name': 'triton_poi_fused_add_embedding_dense_backward_slice_squeeze_threshold_backward_21', 'mutated_arg_names': ['out_ptr0'], 'optimize_mem': True, 'no_x_dim': False, 'atomic_add_found': True, 'num_load': 3, 'num_store': 1, 'num_reduction': 0, 'backend_hash': '91D1D1166449D9E2EB66EB9770C9E2C3B0FEB787341F27FEB4D3F0338DA50336', 'assert_indirect_indexing': True, 'autotune_local_cache': True, 'autotune_pointwise': True, 'autotune_remote_cache': None, 'force_disable_caches': True, 'dynamic_scale_rblock': True, 'max_autotune': False, 'max_autotune_pointwise': False, 'min_split_scan_rblock': 256, 'spill_threshold': 16, 'store_cubin': False, 'deterministic': False, 'force_filter_reduction_configs': False, 'mix_order_reduction_allow_multi_stages': False, 'are_deterministic_algorithms_enabled': False, 'tiling_scores': {'x': 16384}},
    min_elem_per_thread=0
)
@triton.jit
def triton_poi_fused_add_embedding_dense_backward_slice_squeeze_threshold_backward_21(in_ptr0, in_ptr1, in_ptr2, out_ptr0, xnumel, XBLOCK : tl.constexpr):
    xnumel = 2048
    xoffset = tl.program_id(0) * XBLOCK
    xindex = xoffset + tl.arange(0, XBLOCK)[:]
    xmask = xindex < xnumel
    x1 = xindex // 16
    x0 = (xindex % 16)
    tmp0 = tl.load(in_ptr0 + (26*x1), xmask, eviction_policy='evict_last')
    tmp8 = tl.load(in_ptr1 + (160 + x0 + 432*x1), xmask)
    tmp9 = tl.load(in_ptr2 + (160 + x0 + 432*x1), xmask)
    tmp1 = tl.full([XBLOCK], 10000, tl.int32)
    tmp2 = tmp0 + tmp1
    tmp3 = tmp0 < 0
    tmp4 = tl.where(tmp3, tmp2, tmp0)
    tl.device_assert(((0 <= tmp4) & (tmp4 < 10000)) | ~(xmask), "index out of bounds: 0 <= tmp4 < 10000")
    tmp6 = tl.full([1], -1, tl.int64)
    tmp7 = tmp0 == tmp6
    tmp10 = tmp8 + tmp9
    tmp11 = tl.full([1], 0.0, tl.float32)
    tmp12 = tl.where(tmp7, tmp11, tmp10)
    tl.atomic_add(out_ptr0 + (x0 + 16*tmp4), tmp12, xmask, sem='relaxed')
''', device_str='cuda')


# kernel path: im/cim2fhby3gt6biuykidguvw2nsgkqajkvo7qrsgvfca5mcz5r5ds.py
# Topologically Sorted Source Nodes: [full_default, squeeze_1, squeeze_2, add_1, slice_10, full_default_7, eq_17, unsqueeze_20, where_23, index_put_17], Original ATen: [aten.threshold_backward, aten.squeeze, aten.add, aten.slice, aten.embedding_dense_backward]
# Source node to ATen node mapping:
#   add_1 => add_1
#   eq_17 => eq_17
#   full_default => full_default
#   full_default_7 => full_default_7
#   index_put_17 => index_put_17
#   slice_10 => slice_10
#   squeeze_1 => squeeze_1
#   squeeze_2 => squeeze_2
#   unsqueeze_20 => unsqueeze_20
#   where_23 => where_23
# Graph fragment:
#   %select_8 : Tensor "i64[128][26]cuda:0" = PlaceHolder[target=select_8]
#   %sum_5 : Tensor "f32[128, 1, 432][432, 432, 1]cuda:0" = PlaceHolder[target=sum_5]
#   %sum_4 : Tensor "f32[128, 432, 1][432, 1, 1]cuda:0" = PlaceHolder[target=sum_4]
#   %index_put_17 : Tensor "f32[10000, 16][16, 1]cuda:0" = PlaceHolder[target=index_put_17]
#   %full_default : Tensor "f32[][]cuda:0"[num_users=32] = call_function[target=torch.ops.aten.full.default](args = ([], 0.0), kwargs = {dtype: torch.float32, layout: torch.strided, device: cuda:0, pin_memory: False})
#   %squeeze_1 : Tensor "f32[128, 432][432, 1]cuda:0"[num_users=1] = call_function[target=torch.ops.aten.squeeze.dim](args = (%sum_5, 1), kwargs = {})
#   %squeeze_2 : Tensor "f32[128, 432][432, 1]cuda:0"[num_users=1] = call_function[target=torch.ops.aten.squeeze.dim](args = (%sum_4, 2), kwargs = {})
#   %add_1 : Tensor "f32[128, 432][432, 1]cuda:0"[num_users=27] = call_function[target=torch.ops.aten.add.Tensor](args = (%squeeze_1, %squeeze_2), kwargs = {})
#   %slice_10 : Tensor "f32[128, 16][432, 1]cuda:0"[num_users=1] = call_function[target=torch.ops.aten.slice.Tensor](args = (%add_1, 1, 144, 160), kwargs = {})
#   %full_default_7 : Tensor "f32[10000, 16][16, 1]cuda:0"[num_users=26] = call_function[target=torch.ops.aten.full.default](args = ([10000, 16], 0), kwargs = {dtype: torch.float32, layout: torch.strided, device: cuda:0, pin_memory: False})
#   %eq_17 : Tensor "b8[128][1]cuda:0"[num_users=1] = call_function[target=torch.ops.aten.eq.Scalar](args = (%select_8, -1), kwargs = {})
#   %unsqueeze_20 : Tensor "b8[128, 1][1, 1]cuda:0"[num_users=1] = call_function[target=torch.ops.aten.unsqueeze.default](args = (%eq_17, -1), kwargs = {})
#   %where_23 : Tensor "f32[128, 16][16, 1]cuda:0"[num_users=1] = call_function[target=torch.ops.aten.where.self](args = (%unsqueeze_20, %full_default, %slice_10), kwargs = {})
#   %index_put_17 : Tensor "f32[10000, 16][16, 1]cuda:0"[num_users=1] = call_function[target=torch.ops.aten.index_put.default](args = (%full_default_7, [%select_8], %where_23, True), kwargs = {})
#   return %buf64
triton_poi_fused_add_embedding_dense_backward_slice_squeeze_threshold_backward_22 = async_compile.triton('triton_poi_fused_add_embedding_dense_backward_slice_squeeze_threshold_backward_22', '''
import triton
import triton.language as tl

from torch._inductor.runtime import triton_helpers, triton_heuristics
from torch._inductor.runtime.triton_helpers import libdevice, math as tl_math
from torch._inductor.runtime.hints import AutotuneHint, ReductionHint, TileHint, DeviceProperties
triton_helpers.set_driver_to_gpu()

@triton_heuristics.pointwise(
    size_hints={'x': 2048}, 
    filename=__file__,
    triton_meta={'signature': {'in_ptr0': '*i64', 'in_ptr1': '*fp32', 'in_ptr2': '*fp32', 'out_ptr0': '*fp32', 'xnumel': 'i32', 'XBLOCK': 'constexpr'}, 'device': DeviceProperties(type='cuda', index=0, multi_processor_count=132, cc=90, major=9, regs_per_multiprocessor=65536, max_threads_per_multi_processor=2048, max_threads_per_block=1024, warp_size=32), 'constants': {}, 'native_matmul': False, 'enable_fp_fusion': True, 'launch_pdl': False, 'disable_ftz': False, 'configs': [{(0,): [['tt.divisibility', 16]], (1,): [['tt.divisibility', 16]], (2,): [['tt.divisibility', 16]], (3,): [['tt.divisibility', 16]], (4,): [['tt.divisibility', 16]]}]},
    inductor_meta={'grid_type': 'Grid1D', 'autotune_hints': set(), 'kernel_name': 'triton_poi_fused_add_embedding_dense_backward_slice_squeeze_threshold_backward_22', 'mutated_arg_names': ['out_ptr0'], 'optimize_mem': True, 'no_x_dim': False, 'atomic_add_found': True, 'num_load': 3, 'num_store': 1, 'num_reduction': 0, 'backend_hash': '91D1D1166449D9E2EB66EB9770C9E2C3B0FEB787341F27FEB4D3F0338DA50336', 'assert_indirect_indexing': True, 'autotune_local_cache': True, 'autotune_pointwise': True, 'autotune_remote_cache': None, 'force_disable_caches': True, 'dynamic_scale_rblock': True, 'max_autotune': False, 'max_autotune_pointwise': False, 'min_split_scan_rblock': 256, 'spill_threshold': 16, 'store_cubin': False, 'deterministic': False, 'force_filter_reduction_configs': False, 'mix_order_reduction_allow_multi_stages': False, 'are_deterministic_algorithms_enabled': False, 'tiling_scores': {'x': 16384}},
    min_elem_per_thread=0
)
@triton.jit
def triton_poi_fused_add_embedding_dense_backward_slice_squeeze_threshold_backward_22(in_ptr0, in_ptr1, in_ptr2, out_ptr0, xnumel, XBLOCK : tl.constexpr):
    xnumel = 2048
    xoffset = tl.program_id(0) * XBLOCK
    xindex = xoffset + tl.arange(0, XBLOCK)[:]
    xmask = xindex < xnumel
    x1 = xindex // 16
    x0 = (xindex % 16)
    tmp0 = tl.load(in_ptr0 + (26*x1), xmask, eviction_policy='evict_last')
    tmp8 = tl.load(in_ptr1 + (144 + x0 + 432*x1), xmask)
    tmp9 = tl.load(in_ptr2 + (144 + x0 + 432*x1), xmask)
    tmp1 = tl.full([XBLOCK], 10000, tl.int32)
    tmp2 = tmp0 + tmp1
    tmp3 = tmp0 < 0
    tmp4 = tl.where(tmp3, tmp2, tmp0)
    tl.device_assert(((0 <= tmp4) & (tmp4 < 10000)) | ~(xmask), "index out of bounds: 0 <= tmp4 < 10000")
    tmp6 = tl.full([1], -1, tl.int64)
    tmp7 = tmp0 == tmp6
    tmp10 = tmp8 + tmp9
    tmp11 = tl.full([1], 0.0, tl.float32)
    tmp12 = tl.where(tmp7, tmp11, tmp10)
    tl.atomic_add(out_ptr0 + (x0 + 16*tmp4), tmp12, xmask, sem='relaxed')
''', device_str='cuda')


# kernel path: ym/cymde5tp2uklic4p7sqbukm5cvzeecxglxmpaj6fap74ojgzv66p.py
# Topologically Sorted Source Nodes: [full_default, squeeze_1, squeeze_2, add_1, slice_9, full_default_7, eq_18, unsqueeze_21, where_24, index_put_18], Original ATen: [aten.threshold_backward, aten.squeeze, aten.add, aten.slice, aten.embedding_dense_backward]
# Source node to ATen node mapping:
#   add_1 => add_1
#   eq_18 => eq_18
#   full_default => full_default
#   full_default_7 => full_default_7
#   index_put_18 => index_put_18
#   slice_9 => slice_9
#   squeeze_1 => squeeze_1
#   squeeze_2 => squeeze_2
#   unsqueeze_21 => unsqueeze_21
#   where_24 => where_24
# Graph fragment:
#   %select_7 : Tensor "i64[128][26]cuda:0" = PlaceHolder[target=select_7]
#   %sum_5 : Tensor "f32[128, 1, 432][432, 432, 1]cuda:0" = PlaceHolder[target=sum_5]
#   %sum_4 : Tensor "f32[128, 432, 1][432, 1, 1]cuda:0" = PlaceHolder[target=sum_4]
#   %index_put_18 : Tensor "f32[10000, 16][16, 1]cuda:0" = PlaceHolder[target=index_put_18]
#   %full_default : Tensor "f32[][]cuda:0"[num_users=32] = call_function[target=torch.ops.aten.full.default](args = ([], 0.0), kwargs = {dtype: torch.float32, layout: torch.strided, device: cuda:0, pin_memory: False})
#   %squeeze_1 : Tensor "f32[128, 432][432, 1]cuda:0"[num_users=1] = call_function[target=torch.ops.aten.squeeze.dim](args = (%sum_5, 1), kwargs = {})
#   %squeeze_2 : Tensor "f32[128, 432][432, 1]cuda:0"[num_users=1] = call_function[target=torch.ops.aten.squeeze.dim](args = (%sum_4, 2), kwargs = {})
#   %add_1 : Tensor "f32[128, 432][432, 1]cuda:0"[num_users=27] = call_function[target=torch.ops.aten.add.Tensor](args = (%squeeze_1, %squeeze_2), kwargs = {})
#   %slice_9 : Tensor "f32[128, 16][432, 1]cuda:0"[num_users=1] = call_function[target=torch.ops.aten.slice.Tensor](args = (%add_1, 1, 128, 144), kwargs = {})
#   %full_default_7 : Tensor "f32[10000, 16][16, 1]cuda:0"[num_users=26] = call_function[target=torch.ops.aten.full.default](args = ([10000, 16], 0), kwargs = {dtype: torch.float32, layout: torch.strided, device: cuda:0, pin_memory: False})
#   %eq_18 : Tensor "b8[128][1]cuda:0"[num_users=1] = call_function[target=torch.ops.aten.eq.Scalar](args = (%select_7, -1), kwargs = {})
#   %unsqueeze_21 : Tensor "b8[128, 1][1, 1]cuda:0"[num_users=1] = call_function[target=torch.ops.aten.unsqueeze.default](args = (%eq_18, -1), kwargs = {})
#   %where_24 : Tensor "f32[128, 16][16, 1]cuda:0"[num_users=1] = call_function[target=torch.ops.aten.where.self](args = (%unsqueeze_21, %full_default, %slice_9), kwargs = {})
#   %index_put_18 : Tensor "f32[10000, 16][16, 1]cuda:0"[num_users=1] = call_function[target=torch.ops.aten.index_put.default](args = (%full_default_7, [%select_7], %where_24, True), kwargs = {})
#   return %buf66
triton_poi_fused_add_embedding_dense_backward_slice_squeeze_threshold_backward_23 = async_compile.triton('triton_poi_fused_add_embedding_dense_backward_slice_squeeze_threshold_backward_23', '''
import triton
import triton.language as tl

from torch._inductor.runtime import triton_helpers, triton_heuristics
from torch._inductor.runtime.triton_helpers import libdevice, math as tl_math
from torch._inductor.runtime.hints import AutotuneHint, ReductionHint, TileHint, DeviceProperties
triton_helpers.set_driver_to_gpu()

@triton_heuristics.pointwise(
    size_hints={'x': 2048}, 
    filename=__file__,
    triton_meta={'signature': {'in_ptr0': '*i64', 'in_ptr1': '*fp32', 'in_ptr2': '*fp32', 'out_ptr0': '*fp32', 'xnumel': 'i32', 'XBLOCK': 'constexpr'}, 'device': DeviceProperties(type='cuda', index=0, multi_processor_count=132, cc=90, major=9, regs_per_multiprocessor=65536, max_threads_per_multi_processor=2048, max_threads_per_block=1024, warp_size=32), 'constants': {}, 'native_matmul': False, 'enable_fp_fusion': True, 'launch_pdl': False, 'disable_ftz': False, 'configs': [{(1,): [['tt.divisibility', 16]], (2,): [['tt.divisibility', 16]], (3,): [['tt.divisibility', 16]], (4,): [['tt.divisibility', 16]]}]},
    inductor_meta={'grid_type': 'Grid1D', 'autotune_hints': set(), 'kernel_name': 'triton_poi_fused_add_embedding_dense_backward_slice_squeeze_threshold_backward_23', 'mutated_arg_names': ['out_ptr0'], 'optimize_mem': True, 'no_x_dim': False, 'atomic_add_found': True, 'num_load': 3, 'num_store': 1, 'num_reduction': 0, 'backend_hash': '91D1D1166449D9E2EB66EB9770C9E2C3B0FEB787341F27FEB4D3F0338DA50336', 'assert_indirect_indexing': True, 'autotune_local_cache': True, 'autotune_pointwise': True, 'autotune_remote_cache': None, 'force_disable_caches': True, 'dynamic_scale_rblock': True, 'max_autotune': False, 'max_autotune_pointwise': False, 'min_split_scan_rblock': 256, 'spill_threshold': 16, 'store_cubin': False, 'deterministic': False, 'force_filter_reduction_configs': False, 'mix_order_reduction_allow_multi_stages': False, 'are_deterministic_algorithms_enabled': False, 'tiling_scores': {'x': 16384}},
    min_elem_per_thread=0
)
@triton.jit
def triton_poi_fused_add_embedding_dense_backward_slice_squeeze_threshold_backward_23(in_ptr0, in_ptr1, in_ptr2, out_ptr0, xnumel, XBLOCK : tl.constexpr):
    xnumel = 2048
    xoffset = tl.program_id(0) * XBLOCK
    xindex = xoffset + tl.arange(0, XBLOCK)[:]
    xmask = xindex < xnumel
    x1 = xindex // 16
    x0 = (xindex % 16)
    tmp0 = tl.load(in_ptr0 + (26*x1), xmask, eviction_policy='evict_last')
    tmp8 = tl.load(in_ptr1 + (128 + x0 + 432*x1), xmask)
    tmp9 = tl.load(in_ptr2 + (128 + x0 + 432*x1), xmask)
    tmp1 = tl.full([XBLOCK], 10000, tl.int32)
    tmp2 = tmp0 + tmp1
    tmp3 = tmp0 < 0
    tmp4 = tl.where(tmp3, tmp2, tmp0)
    tl.device_assert(((0 <= tmp4) & (tmp4 < 10000)) | ~(xmask), "index out of bounds: 0 <= tmp4 < 10000")
    tmp6 = tl.full([1], -1, tl.int64)
    tmp7 = tmp0 == tmp6
    tmp10 = tmp8 + tmp9
    tmp11 = tl.full([1], 0.0, tl.float32)
    tmp12 = tl.where(tmp7, tmp11, tmp10)
    tl.atomic_add(out_ptr0 + (x0 + 16*tmp4), tmp12, xmask, sem='relaxed')
''', device_str='cuda')


# kernel path: ph/cphricxz3ctkr66xuac4mjyd2n7qrcvmdjmwklmoudllvzosapii.py
# Topologically Sorted Source Nodes: [full_default, squeeze_1, squeeze_2, add_1, slice_8, full_default_7, eq_19, unsqueeze_22, where_25, index_put_19], Original ATen: [aten.threshold_backward, aten.squeeze, aten.add, aten.slice, aten.embedding_dense_backward]
# Source node to ATen node mapping:
#   add_1 => add_1
#   eq_19 => eq_19
#   full_default => full_default
#   full_default_7 => full_default_7
#   index_put_19 => index_put_19
#   slice_8 => slice_8
#   squeeze_1 => squeeze_1
#   squeeze_2 => squeeze_2
#   unsqueeze_22 => unsqueeze_22
#   where_25 => where_25
# Graph fragment:
#   %select_6 : Tensor "i64[128][26]cuda:0" = PlaceHolder[target=select_6]
#   %sum_5 : Tensor "f32[128, 1, 432][432, 432, 1]cuda:0" = PlaceHolder[target=sum_5]
#   %sum_4 : Tensor "f32[128, 432, 1][432, 1, 1]cuda:0" = PlaceHolder[target=sum_4]
#   %index_put_19 : Tensor "f32[10000, 16][16, 1]cuda:0" = PlaceHolder[target=index_put_19]
#   %full_default : Tensor "f32[][]cuda:0"[num_users=32] = call_function[target=torch.ops.aten.full.default](args = ([], 0.0), kwargs = {dtype: torch.float32, layout: torch.strided, device: cuda:0, pin_memory: False})
#   %squeeze_1 : Tensor "f32[128, 432][432, 1]cuda:0"[num_users=1] = call_function[target=torch.ops.aten.squeeze.dim](args = (%sum_5, 1), kwargs = {})
#   %squeeze_2 : Tensor "f32[128, 432][432, 1]cuda:0"[num_users=1] = call_function[target=torch.ops.aten.squeeze.dim](args = (%sum_4, 2), kwargs = {})
#   %add_1 : Tensor "f32[128, 432][432, 1]cuda:0"[num_users=27] = call_function[target=torch.ops.aten.add.Tensor](args = (%squeeze_1, %squeeze_2), kwargs = {})
#   %slice_8 : Tensor "f32[128, 16][432, 1]cuda:0"[num_users=1] = call_function[target=torch.ops.aten.slice.Tensor](args = (%add_1, 1, 112, 128), kwargs = {})
#   %full_default_7 : Tensor "f32[10000, 16][16, 1]cuda:0"[num_users=26] = call_function[target=torch.ops.aten.full.default](args = ([10000, 16], 0), kwargs = {dtype: torch.float32, layout: torch.strided, device: cuda:0, pin_memory: False})
#   %eq_19 : Tensor "b8[128][1]cuda:0"[num_users=1] = call_function[target=torch.ops.aten.eq.Scalar](args = (%select_6, -1), kwargs = {})
#   %unsqueeze_22 : Tensor "b8[128, 1][1, 1]cuda:0"[num_users=1] = call_function[target=torch.ops.aten.unsqueeze.default](args = (%eq_19, -1), kwargs = {})
#   %where_25 : Tensor "f32[128, 16][16, 1]cuda:0"[num_users=1] = call_function[target=torch.ops.aten.where.self](args = (%unsqueeze_22, %full_default, %slice_8), kwargs = {})
#   %index_put_19 : Tensor "f32[10000, 16][16, 1]cuda:0"[num_users=1] = call_function[target=torch.ops.aten.index_put.default](args = (%full_default_7, [%select_6], %where_25, True), kwargs = {})
#   return %buf68
triton_poi_fused_add_embedding_dense_backward_slice_squeeze_threshold_backward_24 = async_compile.triton('triton_poi_fused_add_embedding_dense_backward_slice_squeeze_threshold_backward_24', '''
import triton
import triton.language as tl

from torch._inductor.runtime import triton_helpers, triton_heuristics
from torch._inductor.runtime.triton_helpers import libdevice, math as tl_math
from torch._inductor.runtime.hints import AutotuneHint, ReductionHint, TileHint, DeviceProperties
triton_helpers.set_driver_to_gpu()

@triton_heuristics.pointwise(
    size_hints={'x': 2048}, 
    filename=__file__,
    triton_meta={'signature': {'in_ptr0': '*i64', 'in_ptr1': '*fp32', 'in_ptr2': '*fp32', 'out_ptr0': '*fp32', 'xnumel': 'i32', 'XBLOCK': 'constexpr'}, 'device': DeviceProperties(type='cuda', index=0, multi_processor_count=132, cc=90, major=9, regs_per_multiprocessor=65536, max_threads_per_multi_processor=2048, max_threads_per_block=1024, warp_size=32), 'constants': {}, 'native_matmul': False, 'enable_fp_fusion': True, 'launch_pdl': False, 'disable_ftz': False, 'configs': [{(0,): [['tt.divisibility', 16]], (1,): [['tt.divisibility', 16]], (2,): [['tt.divisibility', 16]], (3,): [['tt.divisibility', 16]], (4,): [['tt.divisibility', 16]]}]},
    inductor_meta={'grid_type': 'Grid1D', 'autotune_hints': set(), 'kernel_name': 'triton_poi_fused_add_embedding_dense_backward_slice_squeeze_threshold_backward_24', 'mutated_arg_names': ['out_ptr0'], 'optimize_mem': True, 'no_x_dim': False, 'atomic_add_found': True, 'num_load': 3, 'num_store': 1, 'num_reduction': 0, 'backend_hash': '91D1D1166449D9E2EB66EB9770C9E2C3B0FEB787341F27FEB4D3F0338DA50336', 'assert_indirect_indexing': True, 'autotune_local_cache': True, 'autotune_pointwise': True, 'autotune_remote_cache': None, 'force_disable_caches': True, 'dynamic_scale_rblock': True, 'max_autotune': False, 'max_autotune_pointwise': False, 'min_split_scan_rblock': 256, 'spill_threshold': 16, 'store_cubin': False, 'deterministic': False, 'force_filter_reduction_configs': False, 'mix_order_reduction_allow_multi_stages': False, 'are_deterministic_algorithms_enabled': False, 'tiling_scores': {'x': 16384}},
    min_elem_per_thread=0
)
@triton.jit
def triton_poi_fused_add_embedding_dense_backward_slice_squeeze_threshold_backward_24(in_ptr0, in_ptr1, in_ptr2, out_ptr0, xnumel, XBLOCK : tl.constexpr):
    xnumel = 2048
    xoffset = tl.program_id(0) * XBLOCK
    xindex = xoffset + tl.arange(0, XBLOCK)[:]
    xmask = xindex < xnumel
    x1 = xindex // 16
    x0 = (xindex % 16)
    tmp0 = tl.load(in_ptr0 + (26*x1), xmask, eviction_policy='evict_last')
    tmp8 = tl.load(in_ptr1 + (112 + x0 + 432*x1), xmask)
    tmp9 = tl.load(in_ptr2 + (112 + x0 + 432*x1), xmask)
    tmp1 = tl.full([XBLOCK], 10000, tl.int32)
    tmp2 = tmp0 + tmp1
    tmp3 = tmp0 < 0
    tmp4 = tl.where(tmp3, tmp2, tmp0)
    tl.device_assert(((0 <= tmp4) & (tmp4 < 10000)) | ~(xmask), "index out of bounds: 0 <= tmp4 < 10000")
    tmp6 = tl.full([1], -1, tl.int64)
    tmp7 = tmp0 == tmp6
    tmp10 = tmp8 + tmp9
    tmp11 = tl.full([1], 0.0, tl.float32)
    tmp12 = tl.where(tmp7, tmp11, tmp10)
    tl.atomic_add(out_ptr0 + (x0 + 16*tmp4), tmp12, xmask, sem='relaxed')
''', device_str='cuda')


# kernel path: xs/cxszlimmypczrt4cygr6cb7zfyqofn3rrhu3eox4tjstrgivggbb.py
# Topologically Sorted Source Nodes: [full_default, squeeze_1, squeeze_2, add_1, slice_7, full_default_7, eq_20, unsqueeze_23, where_26, index_put_20], Original ATen: [aten.threshold_backward, aten.squeeze, aten.add, aten.slice, aten.embedding_dense_backward]
# Source node to ATen node mapping:
#   add_1 => add_1
#   eq_20 => eq_20
#   full_default => full_default
#   full_default_7 => full_default_7
#   index_put_20 => index_put_20
#   slice_7 => slice_7
#   squeeze_1 => squeeze_1
#   squeeze_2 => squeeze_2
#   unsqueeze_23 => unsqueeze_23
#   where_26 => where_26
# Graph fragment:
#   %select_5 : Tensor "i64[128][26]cuda:0" = PlaceHolder[target=select_5]
#   %sum_5 : Tensor "f32[128, 1, 432][432, 432, 1]cuda:0" = PlaceHolder[target=sum_5]
#   %sum_4 : Tensor "f32[128, 432, 1][432, 1, 1]cuda:0" = PlaceHolder[target=sum_4]
#   %index_put_20 : Tensor "f32[10000, 16][16, 1]cuda:0" = PlaceHolder[target=index_put_20]
#   %full_default : Tensor "f32[][]cuda:0"[num_users=32] = call_function[target=torch.ops.aten.full.default](args = ([], 0.0), kwargs = {dtype: torch.float32, layout: torch.strided, device: cuda:0, pin_memory: False})
#   %squeeze_1 : Tensor "f32[128, 432][432, 1]cuda:0"[num_users=1] = call_function[target=torch.ops.aten.squeeze.dim](args = (%sum_5, 1), kwargs = {})
#   %squeeze_2 : Tensor "f32[128, 432][432, 1]cuda:0"[num_users=1] = call_function[target=torch.ops.aten.squeeze.dim](args = (%sum_4, 2), kwargs = {})
#   %add_1 : Tensor "f32[128, 432][432, 1]cuda:0"[num_users=27] = call_function[target=torch.ops.aten.add.Tensor](args = (%squeeze_1, %squeeze_2), kwargs = {})
#   %slice_7 : Tensor "f32[128, 16][432, 1]cuda:0"[num_users=1] = call_function[target=torch.ops.aten.slice.Tensor](args = (%add_1, 1, 96, 112), kwargs = {})
#   %full_default_7 : Tensor "f32[10000, 16][16, 1]cuda:0"[num_users=26] = call_function[target=torch.ops.aten.full.default](args = ([10000, 16], 0), kwargs = {dtype: torch.float32, layout: torch.strided, device: cuda:0, pin_memory: False})
#   %eq_20 : Tensor "b8[128][1]cuda:0"[num_users=1] = call_function[target=torch.ops.aten.eq.Scalar](args = (%select_5, -1), kwargs = {})
#   %unsqueeze_23 : Tensor "b8[128, 1][1, 1]cuda:0"[num_users=1] = call_function[target=torch.ops.aten.unsqueeze.default](args = (%eq_20, -1), kwargs = {})
#   %where_26 : Tensor "f32[128, 16][16, 1]cuda:0"[num_users=1] = call_function[target=torch.ops.aten.where.self](args = (%unsqueeze_23, %full_default, %slice_7), kwargs = {})
#   %index_put_20 : Tensor "f32[10000, 16][16, 1]cuda:0"[num_users=1] = call_function[target=torch.ops.aten.index_put.default](args = (%full_default_7, [%select_5], %where_26, True), kwargs = {})
#   return %buf70
triton_poi_fused_add_embedding_dense_backward_slice_squeeze_threshold_backward_25 = async_compile.triton('triton_poi_fused_add_embedding_dense_backward_slice_squeeze_threshold_backward_25', '''
import triton
import triton.language as tl

from torch._inductor.runtime import triton_helpers, triton_heuristics
from torch._inductor.runtime.triton_helpers import libdevice, math as tl_math
from torch._inductor.runtime.hints import AutotuneHint, ReductionHint, TileHint, DeviceProperties
triton_helpers.set_driver_to_gpu()

@triton_heuristics.pointwise(
    size_hints={'x': 2048}, 
    filename=__file__,
    triton_meta={'signature': {'in_ptr0': '*i64', 'in_ptr1': '*fp32', 'in_ptr2': '*fp32', 'out_ptr0': '*fp32', 'xnumel': 'i32', 'XBLOCK': 'constexpr'}, 'device': DeviceProperties(type='cuda', index=0, multi_processor_count=132, cc=90, major=9, regs_per_multiprocessor=65536, max_threads_per_multi_processor=2048, max_threads_per_block=1024, warp_size=32), 'constants': {}, 'native_matmul': False, 'enable_fp_fusion': True, 'launch_pdl': False, 'disable_ftz': False, 'configs': [{(1,): [['tt.divisibility', 16]], (2,): [['tt.divisibility', 16]], (3,): [['tt.divisibility', 16]], (4,): [['tt.divisibility', 16]]}]},
    inductor_meta={'grid_type': 'Grid1D', 'autotune_hints': set(), 'kernel_name': 'triton_poi_fused_add_embedding_dense_backward_slice_squeeze_threshold_backward_25', 'mutated_arg_names': ['out_ptr0'], 'optimize_mem': True, 'no_x_dim': False, 'atomic_add_found': True, 'num_load': 3, 'num_store': 1, 'num_reduction': 0, 'backend_hash': '91D1D1166449D9E2EB66EB9770C9E2C3B0FEB787341F27FEB4D3F0338DA50336', 'assert_indirect_indexing': True, 'autotune_local_cache': True, 'autotune_pointwise': True, 'autotune_remote_cache': None, 'force_disable_caches': True, 'dynamic_scale_rblock': True, 'max_autotune': False, 'max_autotune_pointwise': False, 'min_split_scan_rblock': 256, 'spill_threshold': 16, 'store_cubin': False, 'deterministic': False, 'force_filter_reduction_configs': False, 'mix_order_reduction_allow_multi_stages': False, 'are_deterministic_algorithms_enabled': False, 'tiling_scores': {'x': 16384}},
    min_elem_per_thread=0
)
@triton.jit
def triton_poi_fused_add_embedding_dense_backward_slice_squeeze_threshold_backward_25(in_ptr0, in_ptr1, in_ptr2, out_ptr0, xnumel, XBLOCK : tl.constexpr):
    xnumel = 2048
    xoffset = tl.program_id(0) * XBLOCK
    xindex = xoffset + tl.arange(0, XBLOCK)[:]
    xmask = xindex < xnumel
    x1 = xindex // 16
    x0 = (xindex % 16)
    tmp0 = tl.load(in_ptr0 + (26*x1), xmask, eviction_policy='evict_last')
    tmp8 = tl.load(in_ptr1 + (96 + x0 + 432*x1), xmask)
    tmp9 = tl.load(in_ptr2 + (96 + x0 + 432*x1), xmask)
    tmp1 = tl.full([XBLOCK], 10000, tl.int32)
    tmp2 = tmp0 + tmp1
    tmp3 = tmp0 < 0
    tmp4 = tl.where(tmp3, tmp2, tmp0)
    tl.device_assert(((0 <= tmp4) & (tmp4 < 10000)) | ~(xmask), "index out of bounds: 0 <= tmp4 < 10000")
    tmp6 = tl.full([1], -1, tl.int64)
    tmp7 = tmp0 == tmp6
    tmp10 = tmp8 + tmp9
    tmp11 = tl.full([1], 0.0, tl.float32)
    tmp12 = tl.where(tmp7, tmp11, tmp10)
    tl.atomic_add(out_ptr0 + (x0 + 16*tmp4), tmp12, xmask, sem='relaxed')
''', device_str='cuda')


# kernel path: 4i/c4ialv5q3ymjaell2tzsee7mcz34nxanwmauema6nh64uzm3hw6y.py
# Topologically Sorted Source Nodes: [full_default, squeeze_1, squeeze_2, add_1, slice_6, full_default_7, eq_21, unsqueeze_24, where_27, index_put_21], Original ATen: [aten.threshold_backward, aten.squeeze, aten.add, aten.slice, aten.embedding_dense_backward]
# Source node to ATen node mapping:
#   add_1 => add_1
#   eq_21 => eq_21
#   full_default => full_default
#   full_default_7 => full_default_7
#   index_put_21 => index_put_21
#   slice_6 => slice_6
#   squeeze_1 => squeeze_1
#   squeeze_2 => squeeze_2
#   unsqueeze_24 => unsqueeze_24
#   where_27 => where_27
# Graph fragment:
#   %select_4 : Tensor "i64[128][26]cuda:0" = PlaceHolder[target=select_4]
#   %sum_5 : Tensor "f32[128, 1, 432][432, 432, 1]cuda:0" = PlaceHolder[target=sum_5]
#   %sum_4 : Tensor "f32[128, 432, 1][432, 1, 1]cuda:0" = PlaceHolder[target=sum_4]
#   %index_put_21 : Tensor "f32[10000, 16][16, 1]cuda:0" = PlaceHolder[target=index_put_21]
#   %full_default : Tensor "f32[][]cuda:0"[num_users=32] = call_function[target=torch.ops.aten.full.default](args = ([], 0.0), kwargs = {dtype: torch.float32, layout: torch.strided, device: cuda:0, pin_memory: False})
#   %squeeze_1 : Tensor "f32[128, 432][432, 1]cuda:0"[num_users=1] = call_function[target=torch.ops.aten.squeeze.dim](args = (%sum_5, 1), kwargs = {})
#   %squeeze_2 : Tensor "f32[128, 432][432, 1]cuda:0"[num_users=1] = call_function[target=torch.ops.aten.squeeze.dim](args = (%sum_4, 2), kwargs = {})
#   %add_1 : Tensor "f32[128, 432][432, 1]cuda:0"[num_users=27] = call_function[target=torch.ops.aten.add.Tensor](args = (%squeeze_1, %squeeze_2), kwargs = {})
#   %slice_6 : Tensor "f32[128, 16][432, 1]cuda:0"[num_users=1] = call_function[target=torch.ops.aten.slice.Tensor](args = (%add_1, 1, 80, 96), kwargs = {})
#   %full_default_7 : Tensor "f32[10000, 16][16, 1]cuda:0"[num_users=26] = call_function[target=torch.ops.aten.full.default](args = ([10000, 16], 0), kwargs = {dtype: torch.float32, layout: torch.strided, device: cuda:0, pin_memory: False})
#   %eq_21 : Tensor "b8[128][1]cuda:0"[num_users=1] = call_function[target=torch.ops.aten.eq.Scalar](args = (%select_4, -1), kwargs = {})
#   %unsqueeze_24 : Tensor "b8[128, 1][1, 1]cuda:0"[num_users=1] = call_function[target=torch.ops.aten.unsqueeze.default](args = (%eq_21, -1), kwargs = {})
#   %where_27 : Tensor "f32[128, 16][16, 1]cuda:0"[num_users=1] = call_function[target=torch.ops.aten.where.self](args = (%unsqueeze_24, %full_default, %slice_6), kwargs = {})
#   %index_put_21 : Tensor "f32[10000, 16][16, 1]cuda:0"[num_users=1] = call_function[target=torch.ops.aten.index_put.default](args = (%full_default_7, [%select_4], %where_27, True), kwargs = {})
#   return %buf72
triton_poi_fused_add_embedding_dense_backward_slice_squeeze_threshold_backward_26 = async_compile.triton('triton_poi_fused_add_embedding_dense_backward_slice_squeeze_threshold_backward_26', '''
import triton
import triton.language as tl

from torch._inductor.runtime import triton_helpers, triton_heuristics
from torch._inductor.runtime.triton_helpers import libdevice, math as tl_math
from torch._inductor.runtime.hints import AutotuneHint, ReductionHint, TileHint, DeviceProperties
triton_helpers.set_driver_to_gpu()

@triton_heuristics.pointwise(
    size_hints={'x': 2048}, 
    filename=__file__,
    triton_meta={'signature': {'in_ptr0': '*i64', 'in_ptr1': '*fp32', 'in_ptr2': '*fp32', 'out_ptr0': '*fp32', 'xnumel': 'i32', 'XBLOCK': 'constexpr'}, 'device': DeviceProperties(type='cuda', index=0, multi_processor_count=132, cc=90, major=9, regs_per_multiprocessor=65536, max_threads_per_multi_processor=2048, max_threads_per_block=1024, warp_size=32), 'constants': {}, 'native_matmul': False, 'enable_fp_fusion': True, 'launch_pdl': False, 'disable_ftz': False, 'configs': [{(0,): [['tt.divisibility', 16]], (1,): [['tt.divisibility', 16]], (2,): [['tt.divisibility', 16]], (3,): [['tt.divisibility', 16]], (4,): [['tt.divisibility', 16]]}]},
    inductor_meta={'grid_type': 'Grid1D', 'autotune_hints': set(), 'kernel_name': 'triton_poi_fused_add_embedding_dense_backward_slice_squeeze_threshold_backward_26', 'mutated_arg_names': ['out_ptr0'], 'optimize_mem': True, 'no_x_dim': False, 'atomic_add_found': True, 'num_load': 3, 'num_store': 1, 'num_reduction': 0, 'backend_hash': '91D1D1166449D9E2EB66EB9770C9E2C3B0FEB787341F27FEB4D3F0338DA50336', 'assert_indirect_indexing': True, 'autotune_local_cache': True, 'autotune_pointwise': True, 'autotune_remote_cache': None, 'force_disable_caches': True, 'dynamic_scale_rblock': True, 'max_autotune': False, 'max_autotune_pointwise': False, 'min_split_scan_rblock': 256, 'spill_threshold': 16, 'store_cubin': False, 'deterministic': False, 'force_filter_reduction_configs': False, 'mix_order_reduction_allow_multi_stages': False, 'are_deterministic_algorithms_enabled': False, 'tiling_scores': {'x': 16384}},
    min_elem_per_thread=0
)
@triton.jit
def triton_poi_fused_add_embedding_dense_backward_slice_squeeze_threshold_backward_26(in_ptr0, in_ptr1, in_ptr2, out_ptr0, xnumel, XBLOCK : tl.constexpr):
    xnumel = 2048
    xoffset = tl.program_id(0) * XBLOCK
    xindex = xoffset + tl.arange(0, XBLOCK)[:]
    xmask = xindex < xnumel
    x1 = xindex // 16
    x0 = (xindex % 16)
    tmp0 = tl.load(in_ptr0 + (26*x1), xmask, eviction_policy='evict_last')
    tmp8 = tl.load(in_ptr1 + (80 + x0 + 432*x1), xmask)
    tmp9 = tl.load(in_ptr2 + (80 + x0 + 432*x1), xmask)
    tmp1 = tl.full([XBLOCK], 10000, tl.int32)
    tmp2 = tmp0 + tmp1
    tmp3 = tmp0 < 0
    tmp4 = tl.where(tmp3, tmp2, tmp0)
    tl.device_assert(((0 <= tmp4) & (tmp4 < 10000)) | ~(xmask), "index out of bounds: 0 <= tmp4 < 10000")
    tmp6 = tl.full([1], -1, tl.int64)
    tmp7 = tmp0 == tmp6
    tmp10 = tmp8 + tmp9
    tmp11 = tl.full([1], 0.0, tl.float32)
    tmp12 = tl.where(tmp7, tmp11, tmp10)
    tl.atomic_add(out_ptr0 + (x0 + 16*tmp4), tmp12, xmask, sem='relaxed')
''', device_str='cuda')


# kernel path: 2h/c2hbkobycgu6feftmcry7y4yeoldwydljqsundsjgx56d44qq7q4.py
# Topologically Sorted Source Nodes: [full_default, squeeze_1, squeeze_2, add_1, slice_5, full_default_7, eq_22, unsqueeze_25, where_28, index_put_22], Original ATen: [aten.threshold_backward, aten.squeeze, aten.add, aten.slice, aten.embedding_dense_backward]
# Source node to ATen node mapping:
#   add_1 => add_1
#   eq_22 => eq_22
#   full_default => full_default
#   full_default_7 => full_default_7
#   index_put_22 => index_put_22
#   slice_5 => slice_5
#   squeeze_1 => squeeze_1
#   squeeze_2 => squeeze_2
#   unsqueeze_25 => unsqueeze_25
#   where_28 => where_28
# Graph fragment:
#   %select_3 : Tensor "i64[128][26]cuda:0" = PlaceHolder[target=select_3]
#   %sum_5 : Tensor "f32[128, 1, 432][432, 432, 1]cuda:0" = PlaceHolder[target=sum_5]
#   %sum_4 : Tensor "f32[128, 432, 1][432, 1, 1]cuda:0" = PlaceHolder[target=sum_4]
#   %index_put_22 : Tensor "f32[10000, 16][16, 1]cuda:0" = PlaceHolder[target=index_put_22]
#   %full_default : Tensor "f32[][]cuda:0"[num_users=32] = call_function[target=torch.ops.aten.full.default](args = ([], 0.0), kwargs = {dtype: torch.float32, layout: torch.strided, device: cuda:0, pin_memory: False})
#   %squeeze_1 : Tensor "f32[128, 432][432, 1]cuda:0"[num_users=1] = call_function[target=torch.ops.aten.squeeze.dim](args = (%sum_5, 1), kwargs = {})
#   %squeeze_2 : Tensor "f32[128, 432][432, 1]cuda:0"[num_users=1] = call_function[target=torch.ops.aten.squeeze.dim](args = (%sum_4, 2), kwargs = {})
#   %add_1 : Tensor "f32[128, 432][432, 1]cuda:0"[num_users=27] = call_function[target=torch.ops.aten.add.Tensor](args = (%squeeze_1, %squeeze_2), kwargs = {})
#   %slice_5 : Tensor "f32[128, 16][432, 1]cuda:0"[num_users=1] = call_function[target=torch.ops.aten.slice.Tensor](args = (%add_1, 1, 64, 80), kwargs = {})
#   %full_default_7 : Tensor "f32[10000, 16][16, 1]cuda:0"[num_users=26] = call_function[target=torch.ops.aten.full.default](args = ([10000, 16], 0), kwargs = {dtype: torch.float32, layout: torch.strided, device: cuda:0, pin_memory: False})
#   %eq_22 : Tensor "b8[128][1]cuda:0"[num_users=1] = call_function[target=torch.ops.aten.eq.Scalar](args = (%select_3, -1), kwargs = {})
#   %unsqueeze_25 : Tensor "b8[128, 1][1, 1]cuda:0"[num_users=1] = call_function[target=torch.ops.aten.unsqueeze.default](args = (%eq_22, -1), kwargs = {})
#   %where_28 : Tensor "f32[128, 16][16, 1]cuda:0"[num_users=1] = call_function[target=torch.ops.aten.where.self](args = (%unsqueeze_25, %full_default, %slice_5), kwargs = {})
#   %index_put_22 : Tensor "f32[10000, 16][16, 1]cuda:0"[num_users=1] = call_function[target=torch.ops.aten.index_put.default](args = (%full_default_7, [%select_3], %where_28, True), kwargs = {})
#   return %buf74
triton_poi_fused_add_embedding_dense_backward_slice_squeeze_threshold_backward_27 = async_compile.triton('triton_poi_fused_add_embedding_dense_backward_slice_squeeze_threshold_backward_27', '''
import triton
import triton.language as tl

from torch._inductor.runtime import triton_helpers, triton_heuristics
from torch._inductor.runtime.triton_helpers import libdevice, math as tl_math
from torch._inductor.runtime.hints import AutotuneHint, ReductionHint, TileHint, DeviceProperties
triton_helpers.set_driver_to_gpu()

@triton_heuristics.pointwise(
    size_hints={'x': 2048}, 
    filename=__file__,
    triton_meta={'signature': {'in_ptr0': '*i64', 'in_ptr1': '*fp32', 'in_ptr2': '*fp32', 'out_ptr0': '*fp32', 'xnumel': 'i32', 'XBLOCK': 'constexpr'}, 'device': DeviceProperties(type='cuda', index=0, multi_processor_count=132, cc=90, major=9, regs_per_multiprocessor=65536, max_threads_per_multi_processor=2048, max_threads_per_block=1024, warp_size=32), 'constants': {}, 'native_matmul': False, 'enable_fp_fusion': True, 'launch_pdl': False, 'disable_ftz': False, 'configs': [{(1,): [['tt.divisibility', 16]], (2,): [['tt.divisibility', 16]], (3,): [['tt.divisibility', 16]], (4,): [['tt.divisibility', 16]]}]},
    inductor_meta={'grid_type': 'Grid1D', 'autotune_hints': set(), 'kernel_name': 'triton_poi_fused_add_embedding_dense_backward_slice_squeeze_threshold_backward_27', 'mutated_arg_names': ['out_ptr0'], 'optimize_mem': True, 'no_x_dim': False, 'atomic_add_found': True, 'num_load': 3, 'num_store': 1, 'num_reduction': 0, 'backend_hash': '91D1D1166449D9E2EB66EB9770C9E2C3B0FEB787341F27FEB4D3F0338DA50336', 'assert_indirect_indexing': True, 'autotune_local_cache': True, 'autotune_pointwise': True, 'autotune_remote_cache': None, 'force_disable_caches': True, 'dynamic_scale_rblock': True, 'max_autotune': False, 'max_autotune_pointwise': False, 'min_split_scan_rblock': 256, 'spill_threshold': 16, 'store_cubin': False, 'deterministic': False, 'force_filter_reduction_configs': False, 'mix_order_reduction_allow_multi_stages': False, 'are_deterministic_algorithms_enabled': False, 'tiling_scores': {'x': 16384}},
    min_elem_per_thread=0
)
@triton.jit
def triton_poi_fused_add_embedding_dense_backward_slice_squeeze_threshold_backward_27(in_ptr0, in_ptr1, in_ptr2, out_ptr0, xnumel, XBLOCK : tl.constexpr):
    xnumel = 2048
    xoffset = tl.program_id(0) * XBLOCK
    xindex = xoffset + tl.arange(0, XBLOCK)[:]
    xmask = xindex < xnumel
    x1 = xindex // 16
    x0 = (xindex % 16)
    tmp0 = tl.load(in_ptr0 + (26*x1), xmask, eviction_policy='evict_last')
    tmp8 = tl.load(in_ptr1 + (64 + x0 + 432*x1), xmask)
    tmp9 = tl.load(in_ptr2 + (64 + x0 + 432*x1), xmask)
    tmp1 = tl.full([XBLOCK], 10000, tl.int32)
    tmp2 = tmp0 + tmp1
    tmp3 = tmp0 < 0
    tmp4 = tl.where(tmp3, tmp2, tmp0)
    tl.device_assert(((0 <= tmp4) & (tmp4 < 10000)) | ~(xmask), "index out of bounds: 0 <= tmp4 < 10000")
    tmp6 = tl.full([1], -1, tl.int64)
    tmp7 = tmp0 == tmp6
    tmp10 = tmp8 + tmp9
    tmp11 = tl.full([1], 0.0, tl.float32)
    tmp12 = tl.where(tmp7, tmp11, tmp10)
    tl.atomic_add(out_ptr0 + (x0 + 16*tmp4), tmp12, xmask, sem='relaxed')
''', device_str='cuda')


# kernel path: 7i/c7i67stdfa3fzuv3xgwr5bmsrh4dnmfdygddjkyyziejck7bikz3.py
# Topologically Sorted Source Nodes: [full_default, squeeze_1, squeeze_2, add_1, slice_4, full_default_7, eq_23, unsqueeze_26, where_29, index_put_23], Original ATen: [aten.threshold_backward, aten.squeeze, aten.add, aten.slice, aten.embedding_dense_backward]
# Source node to ATen node mapping:
#   add_1 => add_1
#   eq_23 => eq_23
#   full_default => full_default
#   full_default_7 => full_default_7
#   index_put_23 => index_put_23
#   slice_4 => slice_4
#   squeeze_1 => squeeze_1
#   squeeze_2 => squeeze_2
#   unsqueeze_26 => unsqueeze_26
#   where_29 => where_29
# Graph fragment:
#   %select_2 : Tensor "i64[128][26]cuda:0" = PlaceHolder[target=select_2]
#   %sum_5 : Tensor "f32[128, 1, 432][432, 432, 1]cuda:0" = PlaceHolder[target=sum_5]
#   %sum_4 : Tensor "f32[128, 432, 1][432, 1, 1]cuda:0" = PlaceHolder[target=sum_4]
#   %index_put_23 : Tensor "f32[10000, 16][16, 1]cuda:0" = PlaceHolder[target=index_put_23]
#   %full_default : Tensor "f32[][]cuda:0"[num_users=32] = call_function[target=torch.ops.aten.full.default](args = ([], 0.0), kwargs = {dtype: torch.float32, layout: torch.strided, device: cuda:0, pin_memory: False})
#   %squeeze_1 : Tensor "f32[128, 432][432, 1]cuda:0"[num_users=1] = call_function[target=torch.ops.aten.squeeze.dim](args = (%sum_5, 1), kwargs = {})
#   %squeeze_2 : Tensor "f32[128, 432][432, 1]cuda:0"[num_users=1] = call_function[target=torch.ops.aten.squeeze.dim](args = (%sum_4, 2), kwargs = {})
#   %add_1 : Tensor "f32[128, 432][432, 1]cuda:0"[num_users=27] = call_function[target=torch.ops.aten.add.Tensor](args = (%squeeze_1, %squeeze_2), kwargs = {})
#   %slice_4 : Tensor "f32[128, 16][432, 1]cuda:0"[num_users=1] = call_function[target=torch.ops.aten.slice.Tensor](args = (%add_1, 1, 48, 64), kwargs = {})
#   %full_default_7 : Tensor "f32[10000, 16][16, 1]cuda:0"[num_users=26] = call_function[target=torch.ops.aten.full.default](args = ([10000, 16], 0), kwargs = {dtype: torch.float32, layout: torch.strided, device: cuda:0, pin_memory: False})
#   %eq_23 : Tensor "b8[128][1]cuda:0"[num_users=1] = call_function[target=torch.ops.aten.eq.Scalar](args = (%select_2, -1), kwargs = {})
#   %unsqueeze_26 : Tensor "b8[128, 1][1, 1]cuda:0"[num_users=1] = call_function[target=torch.ops.aten.unsqueeze.default](args = (%eq_23, -1), kwargs = {})
#   %where_29 : Tensor "f32[128, 16][16, 1]cuda:0"[num_users=1] = call_function[target=torch.ops.aten.where.self](args = (%unsqueeze_26, %full_default, %slice_4), kwargs = {})
#   %index_put_23 : Tensor "f32[10000, 16][16, 1]cuda:0"[num_users=1] = call_function[target=torch.ops.aten.index_put.default](args = (%full_default_7, [%select_2], %where_29, True), kwargs = {})
#   return %buf76
triton_poi_fused_add_embedding_dense_backward_slice_squeeze_threshold_backward_28 = async_compile.triton('triton_poi_fused_add_embedding_dense_backward_slice_squeeze_threshold_backward_28', '''
import triton
import triton.language as tl

from torch._inductor.runtime import triton_helpers, triton_heuristics
from torch._inductor.runtime.triton_helpers import libdevice, math as tl_math
from torch._inductor.runtime.hints import AutotuneHint, ReductionHint, TileHint, DeviceProperties
triton_helpers.set_driver_to_gpu()

@triton_heuristics.pointwise(
    size_hints={'x': 2048}, 
    filename=__file__,
    triton_meta={'signature': {'in_ptr0': '*i64', 'in_ptr1': '*fp32', 'in_ptr2': '*fp32', 'out_ptr0': '*fp32', 'xnumel': 'i32', 'XBLOCK': 'constexpr'}, 'device': DeviceProperties(type='cuda', index=0, multi_processor_count=132, cc=90, major=9, regs_per_multiprocessor=65536, max_threads_per_multi_processor=2048, max_threads_per_block=1024, warp_size=32), 'constants': {}, 'native_matmul': False, 'enable_fp_fusion': True, 'launch_pdl': False, 'disable_ftz': False, 'configs': [{(0,): [['tt.divisibility', 16]], (1,): [['tt.divisibility', 16]], (2,): [['tt.divisibility', 16]], (3,): [['tt.divisibility', 16]], (4,): [['tt.divisibility', 16]]}]},
    inductor_meta={'grid_type': 'Grid1D', 'autotune_hints': set(), 'kernel_name': 'triton_poi_fused_add_embedding_dense_backward_slice_squeeze_threshold_backward_28', 'mutated_arg_names': ['out_ptr0'], 'optimize_mem': True, 'no_x_dim': False, 'atomic_add_found': True, 'num_load': 3, 'num_store': 1, 'num_reduction': 0, 'backend_hash': '91D1D1166449D9E2EB66EB9770C9E2C3B0FEB787341F27FEB4D3F0338DA50336', 'assert_indirect_indexing': True, 'autotune_local_cache': True, 'autotune_pointwise': True, 'autotune_remote_cache': None, 'force_disable_caches': True, 'dynamic_scale_rblock': True, 'max_autotune': False, 'max_autotune_pointwise': False, 'min_split_scan_rblock': 256, 'spill_threshold': 16, 'store_cubin': False, 'deterministic': False, 'force_filter_reduction_configs': False, 'mix_order_reduction_allow_multi_stages': False, 'are_deterministic_algorithms_enabled': False, 'tiling_scores': {'x': 16384}},
    min_elem_per_thread=0
)
@triton.jit
def triton_poi_fused_add_embedding_dense_backward_slice_squeeze_threshold_backward_28(in_ptr0, in_ptr1, in_ptr2, out_ptr0, xnumel, XBLOCK : tl.constexpr):
    xnumel = 2048
    xoffset = tl.program_id(0) * XBLOCK
    xindex = xoffset + tl.arange(0, XBLOCK)[:]
    xmask = xindex < xnumel
    x1 = xindex // 16
    x0 = (xindex % 16)
    tmp0 = tl.load(in_ptr0 + (26*x1), xmask, eviction_policy='evict_last')
    tmp8 = tl.load(in_ptr1 + (48 + x0 + 432*x1), xmask)
    tmp9 = tl.load(in_ptr2 + (48 + x0 + 432*x1), xmask)
    tmp1 = tl.full([XBLOCK], 10000, tl.int32)
    tmp2 = tmp0 + tmp1
    tmp3 = tmp0 < 0
    tmp4 = tl.where(tmp3, tmp2, tmp0)
    tl.device_assert(((0 <= tmp4) & (tmp4 < 10000)) | ~(xmask), "index out of bounds: 0 <= tmp4 < 10000")
    tmp6 = tl.full([1], -1, tl.int64)
    tmp7 = tmp0 == tmp6
    tmp10 = tmp8 + tmp9
    tmp11 = tl.full([1], 0.0, tl.float32)
    tmp12 = tl.where(tmp7, tmp11, tmp10)
    tl.atomic_add(out_ptr0 + (x0 + 16*tmp4), tmp12, xmask, sem='relaxed')
''', device_str='cuda')


# kernel path: nn/cnnq7txiqq6mhsl27wyxz7en72zc5byst77ebflpwr5hm23k7y6v.py
# Topologically Sorted Source Nodes: [full_default, squeeze_1, squeeze_2, add_1, slice_3, full_default_7, eq_24, unsqueeze_27, where_30, index_put_24], Original ATen: [aten.threshold_backward, aten.squeeze, aten.add, aten.slice, aten.embedding_dense_backward]
# Source node to ATen node mapping:
#   add_1 => add_1
#   eq_24 => eq_24
#   full_default => full_default
#   full_default_7 => full_default_7
#   index_put_24 => index_put_24
#   slice_3 => slice_3
#   squeeze_1 => squeeze_1
#   squeeze_2 => squeeze_2
#   unsqueeze_27 => unsqueeze_27
#   where_30 => where_30
# Graph fragment:
#   %select_1 : Tensor "i64[128][26]cuda:0" = PlaceHolder[target=select_1]
#   %sum_5 : Tensor "f32[128, 1, 432][432, 432, 1]cuda:0" = PlaceHolder[target=sum_5]
#   %sum_4 : Tensor "f32[128, 432, 1][432, 1, 1]cuda:0" = PlaceHolder[target=sum_4]
#   %index_put_24 : Tensor "f32[10000, 16][16, 1]cuda:0" = PlaceHolder[target=index_put_24]
#   %full_default : Tensor "f32[][]cuda:0"[num_users=32] = call_function[target=torch.ops.aten.full.default](args = ([], 0.0), kwargs = {dtype: torch.float32, layout: torch.strided, device: cuda:0, pin_memory: False})
#   %squeeze_1 : Tensor "f32[128, 432][432, 1]cuda:0"[num_users=1] = call_function[target=torch.ops.aten.squeeze.dim](args = (%sum_5, 1), kwargs = {})
#   %squeeze_2 : Tensor "f32[128, 432][432, 1]cuda:0"[num_users=1] = call_function[target=torch.ops.aten.squeeze.dim](args = (%sum_4, 2), kwargs = {})
#   %add_1 : Tensor "f32[128, 432][432, 1]cuda:0"[num_users=27] = call_function[target=torch.ops.aten.add.Tensor](args = (%squeeze_1, %squeeze_2), kwargs = {})
#   %slice_3 : Tensor "f32[128, 16][432, 1]cuda:0"[num_users=1] = call_function[target=torch.ops.aten.slice.Tensor](args = (%add_1, 1, 32, 48), kwargs = {})
#   %full_default_7 : Tensor "f32[10000, 16][16, 1]cuda:0"[num_users=26] = call_function[target=torch.ops.aten.full.default](args = ([10000, 16], 0), kwargs = {dtype: torch.float32, layout: torch.strided, device: cuda:0, pin_memory: False})
#   %eq_24 : Tensor "b8[128][1]cuda:0"[num_users=1] = call_function[target=torch.ops.aten.eq.Scalar](args = (%select_1, -1), kwargs = {})
#   %unsqueeze_27 : Tensor "b8[128, 1][1, 1]cuda:0"[num_users=1] = call_function[target=torch.ops.aten.unsqueeze.default](args = (%eq_24, -1), kwargs = {})
#   %where_30 : Tensor "f32[128, 16][16, 1]cuda:0"[num_users=1] = call_function[target=torch.ops.aten.where.self](args = (%unsqueeze_27, %full_default, %slice_3), kwargs = {})
#   %index_put_24 : Tensor "f32[10000, 16][16, 1]cuda:0"[num_users=1] = call_function[target=torch.ops.aten.index_put.default](args = (%full_default_7, [%select_1], %where_30, True), kwargs = {})
#   return %buf78
triton_poi_fused_add_embedding_dense_backward_slice_squeeze_threshold_backward_29 = async_compile.triton('triton_poi_fused_add_embedding_dense_backward_slice_squeeze_threshold_backward_29', '''
import triton
import triton.language as tl

from torch._inductor.runtime import triton_helpers, triton_heuristics
from torch._inductor.runtime.triton_helpers import libdevice, math as tl_math
from torch._inductor.runtime.hints import AutotuneHint, ReductionHint, TileHint, DeviceProperties
triton_helpers.set_driver_to_gpu()

@triton_heuristics.pointwise(
    size_hints={'x': 2048}, 
    filename=__file__,
    triton_meta={'signature': {'in_ptr0': '*i64', 'in_ptr1': '*fp32', 'in_ptr2': '*fp32', 'out_ptr0': '*fp32', 'xnumel': 'i32', 'XBLOCK': 'constexpr'}, 'device': DeviceProperties(type='cuda', index=0, multi_processor_count=132, cc=90, major=9, regs_per_multiprocessor=65536, max_threads_per_multi_processor=2048, max_threads_per_block=1024, warp_size=32), 'constants': {}, 'native_matmul': False, 'enable_fp_fusion': True, 'launch_pdl': False, 'disable_ftz': False, 'configs': [{(1,): [['tt.divisibility', 16]], (2,): [['tt.divisibility', 16]], (3,): [['tt.divisibility', 16]], (4,): [['tt.divisibility', 16]]}]},
    inductor_meta={'grid_type': 'Grid1D', 'autotune_hints': set(), 'kernel_name': 'triton_poi_fused_add_embedding_dense_backward_slice_squeeze_threshold_backward_29', 'mutated_arg_names': ['out_ptr0'], 'optimize_mem': True, 'no_x_dim': False, 'atomic_add_found': True, 'num_load': 3, 'num_store': 1, 'num_reduction': 0, 'backend_hash': '91D1D1166449D9E2EB66EB9770C9E2C3B0FEB787341F27FEB4D3F0338DA50336', 'assert_indirect_indexing': True, 'autotune_local_cache': True, 'autotune_pointwise': True, 'autotune_remote_cache': None, 'force_disable_caches': True, 'dynamic_scale_rblock': True, 'max_autotune': False, 'max_autotune_pointwise': False, 'min_split_scan_rblock': 256, 'spill_threshold': 16, 'store_cubin': False, 'deterministic': False, 'force_filter_reduction_configs': False, 'mix_order_reduction_allow_multi_stages': False, 'are_deterministic_algorithms_enabled': False, 'tiling_scores': {'x': 16384}},
    min_elem_per_thread=0
)
@triton.jit
def triton_poi_fused_add_embedding_dense_backward_slice_squeeze_threshold_backward_29(in_ptr0, in_ptr1, in_ptr2, out_ptr0, xnumel, XBLOCK : tl.constexpr):
    xnumel = 2048
    xoffset = tl.program_id(0) * XBLOCK
    xindex = xoffset + tl.arange(0, XBLOCK)[:]
    xmask = xindex < xnumel
    x1 = xindex // 16
    x0 = (xindex % 16)
    tmp0 = tl.load(in_ptr0 + (26*x1), xmask, eviction_policy='evict_last')
    tmp8 = tl.load(in_ptr1 + (32 + x0 + 432*x1), xmask)
    tmp9 = tl.load(in_ptr2 + (32 + x0 + 432*x1), xmask)
    tmp1 = tl.full([XBLOCK], 10000, tl.int32)
    tmp2 = tmp0 + tmp1
    tmp3 = tmp0 < 0
    tmp4 = tl.where(tmp3, tmp2, tmp0)
    tl.device_assert(((0 <= tmp4) & (tmp4 < 10000)) | ~(xmask), "index out of bounds: 0 <= tmp4 < 10000")
    tmp6 = tl.full([1], -1, tl.int64)
    tmp7 = tmp0 == tmp6
    tmp10 = tmp8 + tmp9
    tmp11 = tl.full([1], 0.0, tl.float32)
    tmp12 = tl.where(tmp7, tmp11, tmp10)
    tl.atomic_add(out_ptr0 + (x0 + 16*tmp4), tmp12, xmask, sem='relaxed')
''', device_str='cuda')


# kernel path: yf/cyfri6xhjbcgekcck7lsygc7vgjw5zonj2af7vj3ir3n7g7avx4o.py
# Topologically Sorted Source Nodes: [full_default, squeeze_1, squeeze_2, add_1, slice_2, full_default_7, eq_25, unsqueeze_28, where_31, index_put_25], Original ATen: [aten.threshold_backward, aten.squeeze, aten.add, aten.slice, aten.embedding_dense_backward]
# Source node to ATen node mapping:
#   add_1 => add_1
#   eq_25 => eq_25
#   full_default => full_default
#   full_default_7 => full_default_7
#   index_put_25 => index_put_25
#   slice_2 => slice_2
#   squeeze_1 => squeeze_1
#   squeeze_2 => squeeze_2
#   unsqueeze_28 => unsqueeze_28
#   where_31 => where_31
# Graph fragment:
#   %select : Tensor "i64[128][26]cuda:0" = PlaceHolder[target=select]
#   %sum_5 : Tensor "f32[128, 1, 432][432, 432, 1]cuda:0" = PlaceHolder[target=sum_5]
#   %sum_4 : Tensor "f32[128, 432, 1][432, 1, 1]cuda:0" = PlaceHolder[target=sum_4]
#   %index_put_25 : Tensor "f32[10000, 16][16, 1]cuda:0" = PlaceHolder[target=index_put_25]
#   %full_default : Tensor "f32[][]cuda:0"[num_users=32] = call_function[target=torch.ops.aten.full.default](args = ([], 0.0), kwargs = {dtype: torch.float32, layout: torch.strided, device: cuda:0, pin_memory: False})
#   %squeeze_1 : Tensor "f32[128, 432][432, 1]cuda:0"[num_users=1] = call_function[target=torch.ops.aten.squeeze.dim](args = (%sum_5, 1), kwargs = {})
#   %squeeze_2 : Tensor "f32[128, 432][432, 1]cuda:0"[num_users=1] = call_function[target=torch.ops.aten.squeeze.dim](args = (%sum_4, 2), kwargs = {})
#   %add_1 : Tensor "f32[128, 432][432, 1]cuda:0"[num_users=27] = call_function[target=torch.ops.aten.add.Tensor](args = (%squeeze_1, %squeeze_2), kwargs = {})
#   %slice_2 : Tensor "f32[128, 16][432, 1]cuda:0"[num_users=1] = call_function[target=torch.ops.aten.slice.Tensor](args = (%add_1, 1, 16, 32), kwargs = {})
#   %full_default_7 : Tensor "f32[10000, 16][16, 1]cuda:0"[num_users=26] = call_function[target=torch.ops.aten.full.default](args = ([10000, 16], 0), kwargs = {dtype: torch.float32, layout: torch.strided, device: cuda:0, pin_memory: False})
#   %eq_25 : Tensor "b8[128][1]cuda:0"[num_users=1] = call_function[target=torch.ops.aten.eq.Scalar](args = (%select, -1), kwargs = {})
#   %unsqueeze_28 : Tensor "b8[128, 1][1, 1]cuda:0"[num_users=1] = call_function[target=torch.ops.aten.unsqueeze.default](args = (%eq_25, -1), kwargs = {})
#   %where_31 : Tensor "f32[128, 16][16, 1]cuda:0"[num_users=1] = call_function[target=torch.ops.aten.where.self](args = (%unsqueeze_28, %full_default, %slice_2), kwargs = {})
#   %index_put_25 : Tensor "f32[10000, 16][16, 1]cuda:0"[num_users=1] = call_function[target=torch.ops.aten.index_put_.default](args = (%full_default_7, [%select], %where_31, True), kwargs = {})
#   return %buf80
triton_poi_fused_add_embedding_dense_backward_slice_squeeze_threshold_backward_30 = async_compile.triton('triton_poi_fused_add_embedding_dense_backward_slice_squeeze_threshold_backward_30', '''
import triton
import triton.language as tl

from torch._inductor.runtime import triton_helpers, triton_heuristics
from torch._inductor.runtime.triton_helpers import libdevice, math as tl_math
from torch._inductor.runtime.hints import AutotuneHint, ReductionHint, TileHint, DeviceProperties
triton_helpers.set_driver_to_gpu()

@triton_heuristics.pointwise(
    size_hints={'x': 2048}, 
    filename=__file__,
    triton_meta={'signature': {'in_ptr0': '*i64', 'in_ptr1': '*fp32', 'in_ptr2': '*fp32', 'out_ptr0': '*fp32', 'xnumel': 'i32', 'XBLOCK': 'constexpr'}, 'device': DeviceProperties(type='cuda', index=0, multi_processor_count=132, cc=90, major=9, regs_per_multiprocessor=65536, max_threads_per_multi_processor=2048, max_threads_per_block=1024, warp_size=32), 'constants': {}, 'native_matmul': False, 'enable_fp_fusion': True, 'launch_pdl': False, 'disable_ftz': False, 'configs': [{(0,): [['tt.divisibility', 16]], (1,): [['tt.divisibility', 16]], (2,): [['tt.divisibility', 16]], (3,): [['tt.divisibility', 16]], (4,): [['tt.divisibility', 16]]}]},
    inductor_meta={'grid_type': 'Grid1D', 'autotune_hints': set(), 'kernel_name': 'triton_poi_fused_add_embedding_dense_backward_slice_squeeze_threshold_backward_30', 'mutated_arg_names': ['out_ptr0'], 'optimize_mem': True, 'no_x_dim': False, 'atomic_add_found': True, 'num_load': 3, 'num_store': 1, 'num_reduction': 0, 'backend_hash': '91D1D1166449D9E2EB66EB9770C9E2C3B0FEB787341F27FEB4D3F0338DA50336', 'assert_indirect_indexing': True, 'autotune_local_cache': True, 'autotune_pointwise': True, 'autotune_remote_cache': None, 'force_disable_caches': True, 'dynamic_scale_rblock': True, 'max_autotune': False, 'max_autotune_pointwise': False, 'min_split_scan_rblock': 256, 'spill_threshold': 16, 'store_cubin': False, 'deterministic': False, 'force_filter_reduction_configs': False, 'mix_order_reduction_allow_multi_stages': False, 'are_deterministic_algorithms_enabled': False, 'tiling_scores': {'x': 16384}},
    min_elem_per_thread=0
)
@triton.jit
def triton_poi_fused_add_embedding_dense_backward_slice_squeeze_threshold_backward_30(in_ptr0, in_ptr1, in_ptr2, out_ptr0, xnumel, XBLOCK : tl.constexpr):
    xnumel = 2048
    xoffset = tl.program_id(0) * XBLOCK
    xindex = xoffset + tl.arange(0, XBLOCK)[:]
    xmask = xindex < xnumel
    x1 = xindex // 16
    x0 = (xindex % 16)
    tmp0 = tl.load(in_ptr0 + (26*x1), xmask, eviction_policy='evict_last')
    tmp8 = tl.load(in_ptr1 + (16 + x0 + 432*x1), xmask)
    tmp9 = tl.load(in_ptr2 + (16 + x0 + 432*x1), xmask)
    tmp1 = tl.full([XBLOCK], 10000, tl.int32)
    tmp2 = tmp0 + tmp1
    tmp3 = tmp0 < 0
    tmp4 = tl.where(tmp3, tmp2, tmp0)
    tl.device_assert(((0 <= tmp4) & (tmp4 < 10000)) | ~(xmask), "index out of bounds: 0 <= tmp4 < 10000")
    tmp6 = tl.full([1], -1, tl.int64)
    tmp7 = tmp0 == tmp6
    tmp10 = tmp8 + tmp9
    tmp11 = tl.full([1], 0.0, tl.float32)
    tmp12 = tl.where(tmp7, tmp11, tmp10)
    tl.atomic_add(out_ptr0 + (x0 + 16*tmp4), tmp12, xmask, sem='relaxed')
''', device_str='cuda')


# kernel path: m6/cm6m7r2wnaioev3wh33mfpeq4uwruzf2w4x7foukpbl4vvms2rea.py
# Topologically Sorted Source Nodes: [full_default, squeeze_1, squeeze_2, add_1, slice_1, where_2, sum_6], Original ATen: [aten.threshold_backward, aten.squeeze, aten.add, aten.slice, aten.sum]
# Source node to ATen node mapping:
#   add_1 => add_1
#   full_default => full_default
#   slice_1 => slice_1
#   squeeze_1 => squeeze_1
#   squeeze_2 => squeeze_2
#   sum_6 => sum_6
#   where_2 => where_2
# Graph fragment:
#   %le_2 : Tensor "b8[128, 16][16, 1]cuda:0" = PlaceHolder[target=le_2]
#   %sum_5 : Tensor "f32[128, 1, 432][432, 432, 1]cuda:0" = PlaceHolder[target=sum_5]
#   %sum_4 : Tensor "f32[128, 432, 1][432, 1, 1]cuda:0" = PlaceHolder[target=sum_4]
#   %where_2 : Tensor "f32[128, 16][16, 1]cuda:0" = PlaceHolder[target=where_2]
#   %full_default : Tensor "f32[][]cuda:0"[num_users=32] = call_function[target=torch.ops.aten.full.default](args = ([], 0.0), kwargs = {dtype: torch.float32, layout: torch.strided, device: cuda:0, pin_memory: False})
#   %squeeze_1 : Tensor "f32[128, 432][432, 1]cuda:0"[num_users=1] = call_function[target=torch.ops.aten.squeeze.dim](args = (%sum_5, 1), kwargs = {})
#   %squeeze_2 : Tensor "f32[128, 432][432, 1]cuda:0"[num_users=1] = call_function[target=torch.ops.aten.squeeze.dim](args = (%sum_4, 2), kwargs = {})
#   %add_1 : Tensor "f32[128, 432][432, 1]cuda:0"[num_users=27] = call_function[target=torch.ops.aten.add.Tensor](args = (%squeeze_1, %squeeze_2), kwargs = {})
#   %slice_1 : Tensor "f32[128, 16][432, 1]cuda:0"[num_users=1] = call_function[target=torch.ops.aten.slice.Tensor](args = (%add_1, 1, 0, 16), kwargs = {})
#   %where_2 : Tensor "f32[128, 16][16, 1]cuda:0"[num_users=3] = call_function[target=torch.ops.aten.where.self](args = (%le_2, %full_default, %slice_1), kwargs = {})
#   %sum_6 : Tensor "f32[1, 16][16, 1]cuda:0"[num_users=1] = call_function[target=torch.ops.aten.sum.dim_IntList](args = (%where_2, [0], True), kwargs = {})
#   return %where_2,%sum_6
triton_red_fused_add_slice_squeeze_sum_threshold_backward_31 = async_compile.triton('triton_red_fused_add_slice_squeeze_sum_threshold_backward_31', '''
import triton
import triton.language as tl

from torch._inductor.runtime import triton_helpers, triton_heuristics
from torch._inductor.runtime.triton_helpers import libdevice, math as tl_math
from torch._inductor.runtime.hints import AutotuneHint, ReductionHint, TileHint, DeviceProperties
triton_helpers.set_driver_to_gpu()

@triton_heuristics.reduction(
    size_hints={'x': 16, 'r0_': 128},
    reduction_hint=ReductionHint.OUTER,
    filename=__file__,
    triton_meta={'signature': {'in_ptr0': '*i1', 'in_ptr1': '*fp32', 'in_ptr2': '*fp32', 'out_ptr0': '*fp32', 'out_ptr1': '*fp32', 'xnumel': 'i32', 'r0_numel': 'i32', 'XBLOCK': 'constexpr', 'R0_BLOCK': 'constexpr'}, 'device': DeviceProperties(type='cuda', index=0, multi_processor_count=132, cc=90, major=9, regs_per_multiprocessor=65536, max_threads_per_multi_processor=2048, max_threads_per_block=1024, warp_size=32), 'constants': {}, 'native_matmul': False, 'enable_fp_fusion': True, 'launch_pdl': False, 'disable_ftz': False, 'configs': [{(0,): [['tt.divisibility', 16]], (1,): [['tt.divisibility', 16]], (2,): [['tt.divisibility', 16]], (3,): [['tt.divisibility', 16]], (4,): [['tt.divisibility', 16]], (5,): [['tt.divisibility', 16]], (6,): [['tt.divisibility', 16]]}]},
    inductor_meta={'grid_type': 'Grid1D', 'autotune_hints': set(), 'kernel_name': 'triton_red_fused_add_slice_squeeze_sum_threshold_backward_31', 'mutated_arg_names': [], 'optimize_mem': True, 'no_x_dim': False, 'atomic_add_found': False, 'num_load': 3, 'num_store': 2, 'num_reduction': 1, 'backend_hash': '91D1D1166449D9E2EB66EB9770C9E2C3B0FEB787341F27FEB4D3F0338DA50336', 'assert_indirect_indexing': True, 'autotune_local_cache': True, 'autotune_pointwise': True, 'autotune_remote_cache': None, 'force_disable_caches': True, 'dynamic_scale_rblock': True, 'max_autotune': False, 'max_autotune_pointwise': False, 'min_split_scan_rblock': 256, 'spill_threshold': 16, 'store_cubin': False, 'deterministic': False, 'force_filter_reduction_configs': False, 'mix_order_reduction_allow_multi_stages': False, 'are_deterministic_algorithms_enabled': False, 'tiling_scores': {'x': 34944, 'r0_': 0}}
)
@triton.jit
def triton_red_fused_add_slice_squeeze_sum_threshold_backward_31(in_ptr0, in_ptr1, in_ptr2, out_ptr0, out_ptr1, xnumel, r0_numel, XBLOCK : tl.constexpr, R0_BLOCK : tl.constexpr):
    xnumel = 16
    r0_numel = 128
    rnumel = r0_numel
    RBLOCK: tl.constexpr = R0_BLOCK
    xoffset = tl.program_id(0) * XBLOCK
    xindex = xoffset + tl.arange(0, XBLOCK)[:, None]
    xmask = xindex < xnumel
    r0_base = tl.arange(0, R0_BLOCK)[None, :]
    rbase = r0_base
    x0 = xindex
    _tmp7 = tl.full([XBLOCK, R0_BLOCK], 0, tl.float32)
    for r0_offset in tl.range(0, r0_numel, R0_BLOCK):
        r0_index = r0_offset + r0_base
        r0_mask = r0_index < r0_numel
        roffset = r0_offset
        rindex = r0_index
        r0_1 = r0_index
        tmp0 = tl.load(in_ptr0 + (x0 + 16*r0_1), r0_mask & xmask, eviction_policy='evict_first', other=0.0).to(tl.int1)
        tmp1 = tl.load(in_ptr1 + (x0 + 432*r0_1), r0_mask & xmask, eviction_policy='evict_first', other=0.0)
        tmp2 = tl.load(in_ptr2 + (x0 + 432*r0_1), r0_mask & xmask, eviction_policy='evict_first', other=0.0)
        tmp3 = tmp1 + tmp2
        tmp4 = tl.full([1, 1], 0.0, tl.float32)
        tmp5 = tl.where(tmp0, tmp4, tmp3)
        tmp6 = tl.broadcast_to(tmp5, [XBLOCK, R0_BLOCK])
        tmp8 = _tmp7 + tmp6
        _tmp7 = tl.where(r0_mask & xmask, tmp8, _tmp7)
        tl.store(out_ptr0 + (x0 + 16*r0_1), tmp5, r0_mask & xmask)
    tmp7 = tl.sum(_tmp7, 1)[:, None]
    tl.store(out_ptr1 + (x0), tmp7, xmask)
''', device_str='cuda')


# kernel path: es/cesqs3rgr62bats642vzvxinmowiqjev4yku22aoig3kavvqf5pq.py
# Topologically Sorted Source Nodes: [full_default, le_3, where_3, sum_7], Original ATen: [aten.threshold_backward, aten.sum]
# Source node to ATen node mapping:
#   full_default => full_default
#   le_3 => le_3
#   sum_7 => sum_7
#   where_3 => where_3
# Graph fragment:
#   %relu_2 : Tensor "f32[128, 64][64, 1]cuda:0" = PlaceHolder[target=relu_2]
#   %mm_6 : Tensor "f32[128, 64][64, 1]cuda:0" = PlaceHolder[target=mm_6]
#   %where_3 : Tensor "f32[128, 64][64, 1]cuda:0" = PlaceHolder[target=where_3]
#   %full_default : Tensor "f32[][]cuda:0"[num_users=32] = call_function[target=torch.ops.aten.full.default](args = ([], 0.0), kwargs = {dtype: torch.float32, layout: torch.strided, device: cuda:0, pin_memory: False})
#   %le_3 : Tensor "b8[128, 64][64, 1]cuda:0"[num_users=1] = call_function[target=torch.ops.aten.le.Scalar](args = (%relu_2, 0), kwargs = {})
#   %where_3 : Tensor "f32[128, 64][64, 1]cuda:0"[num_users=3] = call_function[target=torch.ops.aten.where.self](args = (%le_3, %full_default, %mm_6), kwargs = {})
#   %sum_7 : Tensor "f32[1, 64][64, 1]cuda:0"[num_users=1] = call_function[target=torch.ops.aten.sum.dim_IntList](args = (%where_3, [0], True), kwargs = {})
#   return %where_3,%sum_7
triton_red_fused_sum_threshold_backward_32 = async_compile.triton('triton_red_fused_sum_threshold_backward_32', '''
import triton
import triton.language as tl

from torch._inductor.runtime import triton_helpers, triton_heuristics
from torch._inductor.runtime.triton_helpers import libdevice, math as tl_math
from torch._inductor.runtime.hints import AutotuneHint, ReductionHint, TileHint, DeviceProperties
triton_helpers.set_driver_to_gpu()

@triton_heuristics.reduction(
    size_hints={'x': 64, 'r0_': 128},
    reduction_hint=ReductionHint.OUTER,
    filename=__file__,
    triton_meta={'signature': {'in_out_ptr0': '*fp32', 'in_ptr0': '*fp32', 'out_ptr0': '*fp32', 'xnumel': 'i32', 'r0_numel': 'i32', 'XBLOCK': 'constexpr', 'R0_BLOCK': 'constexpr'}, 'device': DeviceProperties(type='cuda', index=0, multi_processor_count=132, cc=90, major=9, regs_per_multiprocessor=65536, max_threads_per_multi_processor=2048, max_threads_per_block=1024, warp_size=32), 'constants': {}, 'native_matmul': False, 'enable_fp_fusion': True, 'launch_pdl': False, 'disable_ftz': False, 'configs': [{(0,): [['tt.divisibility', 16]], (1,): [['tt.divisibility', 16]], (2,): [['tt.divisibility', 16]], (3,): [['tt.divisibility', 16]], (4,): [['tt.divisibility', 16]]}]},
    inductor_meta={'grid_type': 'Grid1D', 'autotune_hints': set(), 'kernel_name': 'triton_red_fused_sum_threshold_backward_32', 'mutated_arg_names': ['in_out_ptr0'], 'optimize_mem': True, 'no_x_dim': False, 'atomic_add_found': False, 'num_load': 2, 'num_store': 2, 'num_reduction': 1, 'backend_hash': '91D1D1166449D9E2EB66EB9770C9E2C3B0FEB787341F27FEB4D3F0338DA50336', 'assert_indirect_indexing': True, 'autotune_local_cache': True, 'autotune_pointwise': True, 'autotune_remote_cache': None, 'force_disable_caches': True, 'dynamic_scale_rblock': True, 'max_autotune': False, 'max_autotune_pointwise': False, 'min_split_scan_rblock': 256, 'spill_threshold': 16, 'store_cubin': False, 'deterministic': False, 'force_filter_reduction_configs': False, 'mix_order_reduction_allow_multi_stages': False, 'are_deterministic_algorithms_enabled': False, 'tiling_scores': {'x': 131584, 'r0_': 0}}
)
@triton.jit
def triton_red_fused_sum_threshold_backward_32(in_out_ptr0, in_ptr0, out_ptr0, xnumel, r0_numel, XBLOCK : tl.constexpr, R0_BLOCK : tl.constexpr):
    xnumel = 64
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
        tmp0 = tl.load(in_out_ptr0 + (x0 + 64*r0_1), r0_mask & xmask, eviction_policy='evict_first', other=0.0)
        tmp3 = tl.load(in_ptr0 + (x0 + 64*r0_1), r0_mask & xmask, eviction_policy='evict_first', other=0.0)
        tmp1 = tl.full([1, 1], 0.0, tl.float32)
        tmp2 = tmp0 <= tmp1
        tmp4 = tl.where(tmp2, tmp1, tmp3)
        tmp5 = tl.broadcast_to(tmp4, [XBLOCK, R0_BLOCK])
        tmp7 = _tmp6 + tmp5
        _tmp6 = tl.where(r0_mask & xmask, tmp7, _tmp6)
        tl.store(in_out_ptr0 + (x0 + 64*r0_1), tmp4, r0_mask & xmask)
    tmp6 = tl.sum(_tmp6, 1)[:, None]
    tl.store(out_ptr0 + (x0), tmp6, xmask)
''', device_str='cuda')


async_compile.wait(globals())
del async_compile

class Runner:
    def __init__(self, partitions):
        self.partitions = partitions

    def recursively_apply_fns(self, fns):
        new_callables = []
        for fn, c in zip(fns, self.partitions):
            new_callables.append(fn(c))
        self.partitions = new_callables

    def call(self, args):
        primals_31, primals_32, primals_34, primals_36, primals_38, primals_40, primals_42, select, select_1, select_2, select_3, select_4, select_5, select_6, select_7, select_8, select_9, select_10, select_11, select_12, select_13, select_14, select_15, select_16, select_17, select_18, select_19, select_20, select_21, select_22, select_23, select_24, select_25, relu, relu_1, relu_2, cat, view, relu_4, relu_5, mul_1, le_2, tangents_1 = args
        args.clear()
        assert_size_stride(primals_31, (128, 13), (13, 1))
        assert_size_stride(primals_32, (256, 512), (512, 1))
        assert_size_stride(primals_34, (64, 256), (256, 1))
        assert_size_stride(primals_36, (16, 64), (64, 1))
        assert_size_stride(primals_38, (512, 186624), (186624, 1))
        assert_size_stride(primals_40, (256, 512), (512, 1))
        assert_size_stride(primals_42, (1, 256), (256, 1))
        assert_size_stride(select, (128, ), (26, ))
        assert_size_stride(select_1, (128, ), (26, ))
        assert_size_stride(select_2, (128, ), (26, ))
        assert_size_stride(select_3, (128, ), (26, ))
        assert_size_stride(select_4, (128, ), (26, ))
        assert_size_stride(select_5, (128, ), (26, ))
        assert_size_stride(select_6, (128, ), (26, ))
        assert_size_stride(select_7, (128, ), (26, ))
        assert_size_stride(select_8, (128, ), (26, ))
        assert_size_stride(select_9, (128, ), (26, ))
        assert_size_stride(select_10, (128, ), (26, ))
        assert_size_stride(select_11, (128, ), (26, ))
        assert_size_stride(select_12, (128, ), (26, ))
        assert_size_stride(select_13, (128, ), (26, ))
        assert_size_stride(select_14, (128, ), (26, ))
        assert_size_stride(select_15, (128, ), (26, ))
        assert_size_stride(select_16, (128, ), (26, ))
        assert_size_stride(select_17, (128, ), (26, ))
        assert_size_stride(select_18, (128, ), (26, ))
        assert_size_stride(select_19, (128, ), (26, ))
        assert_size_stride(select_20, (128, ), (26, ))
        assert_size_stride(select_21, (128, ), (26, ))
        assert_size_stride(select_22, (128, ), (26, ))
        assert_size_stride(select_23, (128, ), (26, ))
        assert_size_stride(select_24, (128, ), (26, ))
        assert_size_stride(select_25, (128, ), (26, ))
        assert_size_stride(relu, (128, 512), (512, 1))
        assert_size_stride(relu_1, (128, 256), (256, 1))
        assert_size_stride(relu_2, (128, 64), (64, 1))
        assert_size_stride(cat, (128, 432), (432, 1))
        assert_size_stride(view, (128, 186624), (186624, 1))
        assert_size_stride(relu_4, (128, 512), (512, 1))
        assert_size_stride(relu_5, (128, 256), (256, 1))
        assert_size_stride(mul_1, (128, 1), (1, 1))
        assert_size_stride(le_2, (128, 16), (16, 1))
        assert_size_stride(tangents_1, (128, ), (1, ))
        with torch.cuda._DeviceGuard(0):
            torch.cuda.set_device(0)
            buf0 = mul_1; del mul_1  # reuse
            buf3 = empty_strided_cuda((1, 1), (1, 1), torch.float32)
            # Topologically Sorted Source Nodes: [unsqueeze_2, mul_2, sum_1], Original ATen: [aten.unsqueeze, aten.sigmoid_backward, aten.sum]
            stream0 = get_raw_stream(0)
            triton_per_fused_sigmoid_backward_sum_unsqueeze_0.run(buf0, tangents_1, buf3, 1, 128, stream=stream0)
            del tangents_1
            buf2 = empty_strided_cuda((1, 256), (256, 1), torch.float32)
            # Topologically Sorted Source Nodes: [permute_8, mm_1], Original ATen: [aten.t, aten.mm]
            extern_kernels.mm(reinterpret_tensor(buf0, (1, 128), (1, 1), 0), relu_5, out=buf2)
            buf1 = empty_strided_cuda((128, 256), (256, 1), torch.float32)
            # Topologically Sorted Source Nodes: [input_13, permute_7, mm], Original ATen: [aten.t, aten.mm]
            extern_kernels.mm(buf0, primals_42, out=buf1)
            del buf0
            del primals_42
            buf4 = relu_5; del relu_5  # reuse
            buf7 = empty_strided_cuda((1, 256), (256, 1), torch.float32)
            # Topologically Sorted Source Nodes: [le, full_default, where, sum_2], Original ATen: [aten.threshold_backward, aten.sum]
            stream0 = get_raw_stream(0)
            triton_red_fused_sum_threshold_backward_1.run(buf4, buf1, buf7, 256, 128, stream=stream0)
            del buf1
            buf5 = empty_strided_cuda((128, 512), (512, 1), torch.float32)
            # Topologically Sorted Source Nodes: [input_11, permute_11, mm_2], Original ATen: [aten.t, aten.mm]
            extern_kernels.mm(buf4, primals_40, out=buf5)
            del primals_40
            buf8 = buf5; del buf5  # reuse
            buf11 = empty_strided_cuda((1, 512), (512, 1), torch.float32)
            # Topologically Sorted Source Nodes: [full_default, le_1, where_1, sum_3], Original ATen: [aten.threshold_backward, aten.sum]
            stream0 = get_raw_stream(0)
            triton_red_fused_sum_threshold_backward_2.run(buf8, relu_4, buf11, 512, 128, stream=stream0)
            buf6 = empty_strided_cuda((256, 512), (512, 1), torch.float32)
            # Topologically Sorted Source Nodes: [permute_12, mm_3], Original ATen: [aten.t, aten.mm]
            extern_kernels.mm(reinterpret_tensor(buf4, (256, 128), (1, 256), 0), relu_4, out=buf6)
            del relu_4
            buf29 = empty_strided_cuda((10000, 16), (16, 1), torch.float32)
            # Topologically Sorted Source Nodes: [full_default, squeeze_1, squeeze_2, add_1, slice_27, eq, unsqueeze_3, where_6, full_default_7, index_put], Original ATen: [aten.threshold_backward, aten.squeeze, aten.add, aten.slice, aten.embedding_dense_backward]
            stream0 = get_raw_stream(0)
            triton_poi_fused_add_embedding_dense_backward_slice_squeeze_threshold_backward_3.run(buf29, 160000, stream=stream0)
            buf31 = empty_strided_cuda((10000, 16), (16, 1), torch.float32)
            # Topologically Sorted Source Nodes: [full_default, squeeze_1, squeeze_2, add_1, slice_26, full_default_7, eq_1, unsqueeze_4, where_7, index_put_1], Original ATen: [aten.threshold_backward, aten.squeeze, aten.add, aten.slice, aten.embedding_dense_backward]
            stream0 = get_raw_stream(0)
            triton_poi_fused_add_embedding_dense_backward_slice_squeeze_threshold_backward_3.run(buf31, 160000, stream=stream0)
            buf33 = empty_strided_cuda((10000, 16), (16, 1), torch.float32)
            # Topologically Sorted Source Nodes: [full_default, squeeze_1, squeeze_2, add_1, slice_25, full_default_7, eq_2, unsqueeze_5, where_8, index_put_2], Original ATen: [aten.threshold_backward, aten.squeeze, aten.add, aten.slice, aten.embedding_dense_backward]
            stream0 = get_raw_stream(0)
            triton_poi_fused_add_embedding_dense_backward_slice_squeeze_threshold_backward_3.run(buf33, 160000, stream=stream0)
            buf35 = empty_strided_cuda((10000, 16), (16, 1), torch.float32)
            # Topologically Sorted Source Nodes: [full_default, squeeze_1, squeeze_2, add_1, slice_24, full_default_7, eq_3, unsqueeze_6, where_9, index_put_3], Original ATen: [aten.threshold_backward, aten.squeeze, aten.add, aten.slice, aten.embedding_dense_backward]
            stream0 = get_raw_stream(0)
            triton_poi_fused_add_embedding_dense_backward_slice_squeeze_threshold_backward_3.run(buf35, 160000, stream=stream0)
            buf37 = empty_strided_cuda((10000, 16), (16, 1), torch.float32)
            # Topologically Sorted Source Nodes: [full_default, squeeze_1, squeeze_2, add_1, slice_23, full_default_7, eq_4, unsqueeze_7, where_10, index_put_4], Original ATen: [aten.threshold_backward, aten.squeeze, aten.add, aten.slice, aten.embedding_dense_backward]
            stream0 = get_raw_stream(0)
            triton_poi_fused_add_embedding_dense_backward_slice_squeeze_threshold_backward_3.run(buf37, 160000, stream=stream0)
            buf39 = empty_strided_cuda((10000, 16), (16, 1), torch.float32)
            # Topologically Sorted Source Nodes: [full_default, squeeze_1, squeeze_2, add_1, slice_22, full_default_7, eq_5, unsqueeze_8, where_11, index_put_5], Original ATen: [aten.threshold_backward, aten.squeeze, aten.add, aten.slice, aten.embedding_dense_backward]
            stream0 = get_raw_stream(0)
            triton_poi_fused_add_embedding_dense_backward_slice_squeeze_threshold_backward_3.run(buf39, 160000, stream=stream0)
            buf41 = empty_strided_cuda((10000, 16), (16, 1), torch.float32)
            # Topologically Sorted Source Nodes: [full_default, squeeze_1, squeeze_2, add_1, slice_21, full_default_7, eq_6, unsqueeze_9, where_12, index_put_6], Original ATen: [aten.threshold_backward, aten.squeeze, aten.add, aten.slice, aten.embedding_dense_backward]
            stream0 = get_raw_stream(0)
            triton_poi_fused_add_embedding_dense_backward_slice_squeeze_threshold_backward_3.run(buf41, 160000, stream=stream0)
            buf43 = empty_strided_cuda((10000, 16), (16, 1), torch.float32)
            # Topologically Sorted Source Nodes: [full_default, squeeze_1, squeeze_2, add_1, slice_20, full_default_7, eq_7, unsqueeze_10, where_13, index_put_7], Original ATen: [aten.threshold_backward, aten.squeeze, aten.add, aten.slice, aten.embedding_dense_backward]
            stream0 = get_raw_stream(0)
            triton_poi_fused_add_embedding_dense_backward_slice_squeeze_threshold_backward_3.run(buf43, 160000, stream=stream0)
            buf45 = empty_strided_cuda((10000, 16), (16, 1), torch.float32)
            # Topologically Sorted Source Nodes: [full_default, squeeze_1, squeeze_2, add_1, slice_19, full_default_7, eq_8, unsqueeze_11, where_14, index_put_8], Original ATen: [aten.threshold_backward, aten.squeeze, aten.add, aten.slice, aten.embedding_dense_backward]
            stream0 = get_raw_stream(0)
            triton_poi_fused_add_embedding_dense_backward_slice_squeeze_threshold_backward_3.run(buf45, 160000, stream=stream0)
            buf47 = empty_strided_cuda((10000, 16), (16, 1), torch.float32)
            # Topologically Sorted Source Nodes: [full_default, squeeze_1, squeeze_2, add_1, slice_18, full_default_7, eq_9, unsqueeze_12, where_15, index_put_9], Original ATen: [aten.threshold_backward, aten.squeeze, aten.add, aten.slice, aten.embedding_dense_backward]
            stream0 = get_raw_stream(0)
            triton_poi_fused_add_embedding_dense_backward_slice_squeeze_threshold_backward_3.run(buf47, 160000, stream=stream0)
            buf49 = empty_strided_cuda((10000, 16), (16, 1), torch.float32)
            # Topologically Sorted Source Nodes: [full_default, squeeze_1, squeeze_2, add_1, slice_17, full_default_7, eq_10, unsqueeze_13, where_16, index_put_10], Original ATen: [aten.threshold_backward, aten.squeeze, aten.add, aten.slice, aten.embedding_dense_backward]
            stream0 = get_raw_stream(0)
            triton_poi_fused_add_embedding_dense_backward_slice_squeeze_threshold_backward_3.run(buf49, 160000, stream=stream0)
            buf51 = empty_strided_cuda((10000, 16), (16, 1), torch.float32)
            # Topologically Sorted Source Nodes: [full_default, squeeze_1, squeeze_2, add_1, slice_16, full_default_7, eq_11, unsqueeze_14, where_17, index_put_11], Original ATen: [aten.threshold_backward, aten.squeeze, aten.add, aten.slice, aten.embedding_dense_backward]
            stream0 = get_raw_stream(0)
            triton_poi_fused_add_embedding_dense_backward_slice_squeeze_threshold_backward_3.run(buf51, 160000, stream=stream0)
            buf53 = empty_strided_cuda((10000, 16), (16, 1), torch.float32)
            # Topologically Sorted Source Nodes: [full_default, squeeze_1, squeeze_2, add_1, slice_15, full_default_7, eq_12, unsqueeze_15, where_18, index_put_12], Original ATen: [aten.threshold_backward, aten.squeeze, aten.add, aten.slice, aten.embedding_dense_backward]
            stream0 = get_raw_stream(0)
            triton_poi_fused_add_embedding_dense_backward_slice_squeeze_threshold_backward_3.run(buf53, 160000, stream=stream0)
            buf55 = empty_strided_cuda((10000, 16), (16, 1), torch.float32)
            # Topologically Sorted Source Nodes: [full_default, squeeze_1, squeeze_2, add_1, slice_14, full_default_7, eq_13, unsqueeze_16, where_19, index_put_13], Original ATen: [aten.threshold_backward, aten.squeeze, aten.add, aten.slice, aten.embedding_dense_backward]
            stream0 = get_raw_stream(0)
            triton_poi_fused_add_embedding_dense_backward_slice_squeeze_threshold_backward_3.run(buf55, 160000, stream=stream0)
            buf57 = empty_strided_cuda((10000, 16), (16, 1), torch.float32)
            # Topologically Sorted Source Nodes: [full_default, squeeze_1, squeeze_2, add_1, slice_13, full_default_7, eq_14, unsqueeze_17, where_20, index_put_14], Original ATen: [aten.threshold_backward, aten.squeeze, aten.add, aten.slice, aten.embedding_dense_backward]
            stream0 = get_raw_stream(0)
            triton_poi_fused_add_embedding_dense_backward_slice_squeeze_threshold_backward_3.run(buf57, 160000, stream=stream0)
            buf59 = empty_strided_cuda((10000, 16), (16, 1), torch.float32)
            # Topologically Sorted Source Nodes: [full_default, squeeze_1, squeeze_2, add_1, slice_12, full_default_7, eq_15, unsqueeze_18, where_21, index_put_15], Original ATen: [aten.threshold_backward, aten.squeeze, aten.add, aten.slice, aten.embedding_dense_backward]
            stream0 = get_raw_stream(0)
            triton_poi_fused_add_embedding_dense_backward_slice_squeeze_threshold_backward_3.run(buf59, 160000, stream=stream0)
            buf61 = empty_strided_cuda((10000, 16), (16, 1), torch.float32)
            # Topologically Sorted Source Nodes: [full_default, squeeze_1, squeeze_2, add_1, slice_11, full_default_7, eq_16, unsqueeze_19, where_22, index_put_16], Original ATen: [aten.threshold_backward, aten.squeeze, aten.add, aten.slice, aten.embedding_dense_backward]
            stream0 = get_raw_stream(0)
            triton_poi_fused_add_embedding_dense_backward_slice_squeeze_threshold_backward_3.run(buf61, 160000, stream=stream0)
            buf63 = empty_strided_cuda((10000, 16), (16, 1), torch.float32)
            # Topologically Sorted Source Nodes: [full_default, squeeze_1, squeeze_2, add_1, slice_10, full_default_7, eq_17, unsqueeze_20, where_23, index_put_17], Original ATen: [aten.threshold_backward, aten.squeeze, aten.add, aten.slice, aten.embedding_dense_backward]
            stream0 = get_raw_stream(0)
            triton_poi_fused_add_embedding_dense_backward_slice_squeeze_threshold_backward_3.run(buf63, 160000, stream=stream0)
            buf65 = empty_strided_cuda((10000, 16), (16, 1), torch.float32)
            # Topologically Sorted Source Nodes: [full_default, squeeze_1, squeeze_2, add_1, slice_9, full_default_7, eq_18, unsqueeze_21, where_24, index_put_18], Original ATen: [aten.threshold_backward, aten.squeeze, aten.add, aten.slice, aten.embedding_dense_backward]
            stream0 = get_raw_stream(0)
            triton_poi_fused_add_embedding_dense_backward_slice_squeeze_threshold_backward_3.run(buf65, 160000, stream=stream0)
            buf67 = empty_strided_cuda((10000, 16), (16, 1), torch.float32)
            # Topologically Sorted Source Nodes: [full_default, squeeze_1, squeeze_2, add_1, slice_8, full_default_7, eq_19, unsqueeze_22, where_25, index_put_19], Original ATen: [aten.threshold_backward, aten.squeeze, aten.add, aten.slice, aten.embedding_dense_backward]
            stream0 = get_raw_stream(0)
            triton_poi_fused_add_embedding_dense_backward_slice_squeeze_threshold_backward_3.run(buf67, 160000, stream=stream0)
            buf69 = empty_strided_cuda((10000, 16), (16, 1), torch.float32)
            # Topologically Sorted Source Nodes: [full_default, squeeze_1, squeeze_2, add_1, slice_7, full_default_7, eq_20, unsqueeze_23, where_26, index_put_20], Original ATen: [aten.threshold_backward, aten.squeeze, aten.add, aten.slice, aten.embedding_dense_backward]
            stream0 = get_raw_stream(0)
            triton_poi_fused_add_embedding_dense_backward_slice_squeeze_threshold_backward_3.run(buf69, 160000, stream=stream0)
            buf71 = empty_strided_cuda((10000, 16), (16, 1), torch.float32)
            # Topologically Sorted Source Nodes: [full_default, squeeze_1, squeeze_2, add_1, slice_6, full_default_7, eq_21, unsqueeze_24, where_27, index_put_21], Original ATen: [aten.threshold_backward, aten.squeeze, aten.add, aten.slice, aten.embedding_dense_backward]
            stream0 = get_raw_stream(0)
            triton_poi_fused_add_embedding_dense_backward_slice_squeeze_threshold_backward_3.run(buf71, 160000, stream=stream0)
            buf73 = empty_strided_cuda((10000, 16), (16, 1), torch.float32)
            # Topologically Sorted Source Nodes: [full_default, squeeze_1, squeeze_2, add_1, slice_5, full_default_7, eq_22, unsqueeze_25, where_28, index_put_22], Original ATen: [aten.threshold_backward, aten.squeeze, aten.add, aten.slice, aten.embedding_dense_backward]
            stream0 = get_raw_stream(0)
            triton_poi_fused_add_embedding_dense_backward_slice_squeeze_threshold_backward_3.run(buf73, 160000, stream=stream0)
            buf75 = empty_strided_cuda((10000, 16), (16, 1), torch.float32)
            # Topologically Sorted Source Nodes: [full_default, squeeze_1, squeeze_2, add_1, slice_4, full_default_7, eq_23, unsqueeze_26, where_29, index_put_23], Original ATen: [aten.threshold_backward, aten.squeeze, aten.add, aten.slice, aten.embedding_dense_backward]
            stream0 = get_raw_stream(0)
            triton_poi_fused_add_embedding_dense_backward_slice_squeeze_threshold_backward_3.run(buf75, 160000, stream=stream0)
            buf77 = empty_strided_cuda((10000, 16), (16, 1), torch.float32)
            # Topologically Sorted Source Nodes: [full_default, squeeze_1, squeeze_2, add_1, slice_3, full_default_7, eq_24, unsqueeze_27, where_30, index_put_24], Original ATen: [aten.threshold_backward, aten.squeeze, aten.add, aten.slice, aten.embedding_dense_backward]
            stream0 = get_raw_stream(0)
            triton_poi_fused_add_embedding_dense_backward_slice_squeeze_threshold_backward_3.run(buf77, 160000, stream=stream0)
            buf79 = empty_strided_cuda((10000, 16), (16, 1), torch.float32)
            # Topologically Sorted Source Nodes: [full_default_7], Original ATen: [aten.embedding_dense_backward]
            stream0 = get_raw_stream(0)
            triton_poi_fused_add_embedding_dense_backward_slice_squeeze_threshold_backward_3.run(buf79, 160000, stream=stream0)
            buf9 = empty_strided_cuda((128, 186624), (186624, 1), torch.float32)
            # Topologically Sorted Source Nodes: [input_9, permute_15, mm_4], Original ATen: [aten.t, aten.mm]
            extern_kernels.mm(buf8, primals_38, out=buf9)
            del primals_38
            buf12 = empty_strided_cuda((128, 432, 1), (432, 1, 1), torch.float32)
            buf13 = empty_strided_cuda((128, 1, 432), (432, 432, 1), torch.float32)
            # Topologically Sorted Source Nodes: [view_4, getitem_26, mul_3, getitem_27, mul_4, sum_4, sum_5], Original ATen: [aten.view, aten.unsqueeze, aten.mul, aten.sum]
            stream0 = get_raw_stream(0)
            triton_red_fused_mul_sum_unsqueeze_view_4.run(buf9, cat, buf12, buf13, 55296, 432, stream=stream0)
            del buf9
            del cat
            # Topologically Sorted Source Nodes: [full_default, squeeze_1, squeeze_2, add_1, slice_27, eq, unsqueeze_3, where_6, full_default_7, index_put], Original ATen: [aten.threshold_backward, aten.squeeze, aten.add, aten.slice, aten.embedding_dense_backward]
            stream0 = get_raw_stream(0)
            triton_poi_fused_add_embedding_dense_backward_slice_squeeze_threshold_backward_5.run(select_25, buf13, buf12, buf29, 2048, stream=stream0)
            del select_25
            # Topologically Sorted Source Nodes: [full_default, squeeze_1, squeeze_2, add_1, slice_26, full_default_7, eq_1, unsqueeze_4, where_7, index_put_1], Original ATen: [aten.threshold_backward, aten.squeeze, aten.add, aten.slice, aten.embedding_dense_backward]
            stream0 = get_raw_stream(0)
            triton_poi_fused_add_embedding_dense_backward_slice_squeeze_threshold_backward_6.run(select_24, buf13, buf12, buf31, 2048, stream=stream0)
            del select_24
            # Topologically Sorted Source Nodes: [full_default, squeeze_1, squeeze_2, add_1, slice_25, full_default_7, eq_2, unsqueeze_5, where_8, index_put_2], Original ATen: [aten.threshold_backward, aten.squeeze, aten.add, aten.slice, aten.embedding_dense_backward]
            stream0 = get_raw_stream(0)
            triton_poi_fused_add_embedding_dense_backward_slice_squeeze_threshold_backward_7.run(select_23, buf13, buf12, buf33, 2048, stream=stream0)
            del select_23
            # Topologically Sorted Source Nodes: [full_default, squeeze_1, squeeze_2, add_1, slice_24, full_default_7, eq_3, unsqueeze_6, where_9, index_put_3], Original ATen: [aten.threshold_backward, aten.squeeze, aten.add, aten.slice, aten.embedding_dense_backward]
            stream0 = get_raw_stream(0)
            triton_poi_fused_add_embedding_dense_backward_slice_squeeze_threshold_backward_8.run(select_22, buf13, buf12, buf35, 2048, stream=stream0)
            del select_22
            # Topologically Sorted Source Nodes: [full_default, squeeze_1, squeeze_2, add_1, slice_23, full_default_7, eq_4, unsqueeze_7, where_10, index_put_4], Original ATen: [aten.threshold_backward, aten.squeeze, aten.add, aten.slice, aten.embedding_dense_backward]
            stream0 = get_raw_stream(0)
            triton_poi_fused_add_embedding_dense_backward_slice_squeeze_threshold_backward_9.run(select_21, buf13, buf12, buf37, 2048, stream=stream0)
            del select_21
            # Topologically Sorted Source Nodes: [full_default, squeeze_1, squeeze_2, add_1, slice_22, full_default_7, eq_5, unsqueeze_8, where_11, index_put_5], Original ATen: [aten.threshold_backward, aten.squeeze, aten.add, aten.slice, aten.embedding_dense_backward]
            stream0 = get_raw_stream(0)
            triton_poi_fused_add_embedding_dense_backward_slice_squeeze_threshold_backward_10.run(select_20, buf13, buf12, buf39, 2048, stream=stream0)
            del select_20
            # Topologically Sorted Source Nodes: [full_default, squeeze_1, squeeze_2, add_1, slice_21, full_default_7, eq_6, unsqueeze_9, where_12, index_put_6], Original ATen: [aten.threshold_backward, aten.squeeze, aten.add, aten.slice, aten.embedding_dense_backward]
            stream0 = get_raw_stream(0)
            triton_poi_fused_add_embedding_dense_backward_slice_squeeze_threshold_backward_11.run(select_19, buf13, buf12, buf41, 2048, stream=stream0)
            del select_19
            # Topologically Sorted Source Nodes: [full_default, squeeze_1, squeeze_2, add_1, slice_20, full_default_7, eq_7, unsqueeze_10, where_13, index_put_7], Original ATen: [aten.threshold_backward, aten.squeeze, aten.add, aten.slice, aten.embedding_dense_backward]
            stream0 = get_raw_stream(0)
            triton_poi_fused_add_embedding_dense_backward_slice_squeeze_threshold_backward_12.run(select_18, buf13, buf12, buf43, 2048, stream=stream0)
            del select_18
            # Topologically Sorted Source Nodes: [full_default, squeeze_1, squeeze_2, add_1, slice_19, full_default_7, eq_8, unsqueeze_11, where_14, index_put_8], Original ATen: [aten.threshold_backward, aten.squeeze, aten.add, aten.slice, aten.embedding_dense_backward]
            stream0 = get_raw_stream(0)
            triton_poi_fused_add_embedding_dense_backward_slice_squeeze_threshold_backward_13.run(select_17, buf13, buf12, buf45, 2048, stream=stream0)
            del select_17
            # Topologically Sorted Source Nodes: [full_default, squeeze_1, squeeze_2, add_1, slice_18, full_default_7, eq_9, unsqueeze_12, where_15, index_put_9], Original ATen: [aten.threshold_backward, aten.squeeze, aten.add, aten.slice, aten.embedding_dense_backward]
            stream0 = get_raw_stream(0)
            triton_poi_fused_add_embedding_dense_backward_slice_squeeze_threshold_backward_14.run(select_16, buf13, buf12, buf47, 2048, stream=stream0)
            del select_16
            # Topologically Sorted Source Nodes: [full_default, squeeze_1, squeeze_2, add_1, slice_17, full_default_7, eq_10, unsqueeze_13, where_16, index_put_10], Original ATen: [aten.threshold_backward, aten.squeeze, aten.add, aten.slice, aten.embedding_dense_backward]
            stream0 = get_raw_stream(0)
            triton_poi_fused_add_embedding_dense_backward_slice_squeeze_threshold_backward_15.run(select_15, buf13, buf12, buf49, 2048, stream=stream0)
            del select_15
            # Topologically Sorted Source Nodes: [full_default, squeeze_1, squeeze_2, add_1, slice_16, full_default_7, eq_11, unsqueeze_14, where_17, index_put_11], Original ATen: [aten.threshold_backward, aten.squeeze, aten.add, aten.slice, aten.embedding_dense_backward]
            stream0 = get_raw_stream(0)
            triton_poi_fused_add_embedding_dense_backward_slice_squeeze_threshold_backward_16.run(select_14, buf13, buf12, buf51, 2048, stream=stream0)
            del select_14
            # Topologically Sorted Source Nodes: [full_default, squeeze_1, squeeze_2, add_1, slice_15, full_default_7, eq_12, unsqueeze_15, where_18, index_put_12], Original ATen: [aten.threshold_backward, aten.squeeze, aten.add, aten.slice, aten.embedding_dense_backward]
            stream0 = get_raw_stream(0)
            triton_poi_fused_add_embedding_dense_backward_slice_squeeze_threshold_backward_17.run(select_13, buf13, buf12, buf53, 2048, stream=stream0)
            del select_13
            # Topologically Sorted Source Nodes: [full_default, squeeze_1, squeeze_2, add_1, slice_14, full_default_7, eq_13, unsqueeze_16, where_19, index_put_13], Original ATen: [aten.threshold_backward, aten.squeeze, aten.add, aten.slice, aten.embedding_dense_backward]
            stream0 = get_raw_stream(0)
            triton_poi_fused_add_embedding_dense_backward_slice_squeeze_threshold_backward_18.run(select_12, buf13, buf12, buf55, 2048, stream=stream0)
            del select_12
            # Topologically Sorted Source Nodes: [full_default, squeeze_1, squeeze_2, add_1, slice_13, full_default_7, eq_14, unsqueeze_17, where_20, index_put_14], Original ATen: [aten.threshold_backward, aten.squeeze, aten.add, aten.slice, aten.embedding_dense_backward]
            stream0 = get_raw_stream(0)
            triton_poi_fused_add_embedding_dense_backward_slice_squeeze_threshold_backward_19.run(select_11, buf13, buf12, buf57, 2048, stream=stream0)
            del select_11
            # Topologically Sorted Source Nodes: [full_default, squeeze_1, squeeze_2, add_1, slice_12, full_default_7, eq_15, unsqueeze_18, where_21, index_put_15], Original ATen: [aten.threshold_backward, aten.squeeze, aten.add, aten.slice, aten.embedding_dense_backward]
            stream0 = get_raw_stream(0)
            triton_poi_fused_add_embedding_dense_backward_slice_squeeze_threshold_backward_20.run(select_10, buf13, buf12, buf59, 2048, stream=stream0)
            del select_10
            # Topologically Sorted Source Nodes: [full_default, squeeze_1, squeeze_2, add_1, slice_11, full_default_7, eq_16, unsqueeze_19, where_22, index_put_16], Original ATen: [aten.threshold_backward, aten.squeeze, aten.add, aten.slice, aten.embedding_dense_backward]
            stream0 = get_raw_stream(0)
            triton_poi_fused_add_embedding_dense_backward_slice_squeeze_threshold_backward_21.run(select_9, buf13, buf12, buf61, 2048, stream=stream0)
            del select_9
            # Topologically Sorted Source Nodes: [full_default, squeeze_1, squeeze_2, add_1, slice_10, full_default_7, eq_17, unsqueeze_20, where_23, index_put_17], Original ATen: [aten.threshold_backward, aten.squeeze, aten.add, aten.slice, aten.embedding_dense_backward]
            stream0 = get_raw_stream(0)
            triton_poi_fused_add_embedding_dense_backward_slice_squeeze_threshold_backward_22.run(select_8, buf13, buf12, buf63, 2048, stream=stream0)
            del select_8
            # Topologically Sorted Source Nodes: [full_default, squeeze_1, squeeze_2, add_1, slice_9, full_default_7, eq_18, unsqueeze_21, where_24, index_put_18], Original ATen: [aten.threshold_backward, aten.squeeze, aten.add, aten.slice, aten.embedding_dense_backward]
            stream0 = get_raw_stream(0)
            triton_poi_fused_add_embedding_dense_backward_slice_squeeze_threshold_backward_23.run(select_7, buf13, buf12, buf65, 2048, stream=stream0)
            del select_7
            # Topologically Sorted Source Nodes: [full_default, squeeze_1, squeeze_2, add_1, slice_8, full_default_7, eq_19, unsqueeze_22, where_25, index_put_19], Original ATen: [aten.threshold_backward, aten.squeeze, aten.add, aten.slice, aten.embedding_dense_backward]
            stream0 = get_raw_stream(0)
            triton_poi_fused_add_embedding_dense_backward_slice_squeeze_threshold_backward_24.run(select_6, buf13, buf12, buf67, 2048, stream=stream0)
            del select_6
            # Topologically Sorted Source Nodes: [full_default, squeeze_1, squeeze_2, add_1, slice_7, full_default_7, eq_20, unsqueeze_23, where_26, index_put_20], Original ATen: [aten.threshold_backward, aten.squeeze, aten.add, aten.slice, aten.embedding_dense_backward]
            stream0 = get_raw_stream(0)
            triton_poi_fused_add_embedding_dense_backward_slice_squeeze_threshold_backward_25.run(select_5, buf13, buf12, buf69, 2048, stream=stream0)
            del select_5
            # Topologically Sorted Source Nodes: [full_default, squeeze_1, squeeze_2, add_1, slice_6, full_default_7, eq_21, unsqueeze_24, where_27, index_put_21], Original ATen: [aten.threshold_backward, aten.squeeze, aten.add, aten.slice, aten.embedding_dense_backward]
            stream0 = get_raw_stream(0)
            triton_poi_fused_add_embedding_dense_backward_slice_squeeze_threshold_backward_26.run(select_4, buf13, buf12, buf71, 2048, stream=stream0)
            del select_4
            # Topologically Sorted Source Nodes: [full_default, squeeze_1, squeeze_2, add_1, slice_5, full_default_7, eq_22, unsqueeze_25, where_28, index_put_22], Original ATen: [aten.threshold_backward, aten.squeeze, aten.add, aten.slice, aten.embedding_dense_backward]
            stream0 = get_raw_stream(0)
            triton_poi_fused_add_embedding_dense_backward_slice_squeeze_threshold_backward_27.run(select_3, buf13, buf12, buf73, 2048, stream=stream0)
            del select_3
            # Topologically Sorted Source Nodes: [full_default, squeeze_1, squeeze_2, add_1, slice_4, full_default_7, eq_23, unsqueeze_26, where_29, index_put_23], Original ATen: [aten.threshold_backward, aten.squeeze, aten.add, aten.slice, aten.embedding_dense_backward]
            stream0 = get_raw_stream(0)
            triton_poi_fused_add_embedding_dense_backward_slice_squeeze_threshold_backward_28.run(select_2, buf13, buf12, buf75, 2048, stream=stream0)
            del select_2
            # Topologically Sorted Source Nodes: [full_default, squeeze_1, squeeze_2, add_1, slice_3, full_default_7, eq_24, unsqueeze_27, where_30, index_put_24], Original ATen: [aten.threshold_backward, aten.squeeze, aten.add, aten.slice, aten.embedding_dense_backward]
            stream0 = get_raw_stream(0)
            triton_poi_fused_add_embedding_dense_backward_slice_squeeze_threshold_backward_29.run(select_1, buf13, buf12, buf77, 2048, stream=stream0)
            del select_1
            # Topologically Sorted Source Nodes: [full_default, squeeze_1, squeeze_2, add_1, slice_2, full_default_7, eq_25, unsqueeze_28, where_31, index_put_25], Original ATen: [aten.threshold_backward, aten.squeeze, aten.add, aten.slice, aten.embedding_dense_backward]
            stream0 = get_raw_stream(0)
            triton_poi_fused_add_embedding_dense_backward_slice_squeeze_threshold_backward_30.run(select, buf13, buf12, buf79, 2048, stream=stream0)
            del select
            buf14 = empty_strided_cuda((128, 16), (16, 1), torch.float32)
            buf17 = empty_strided_cuda((1, 16), (16, 1), torch.float32)
            # Topologically Sorted Source Nodes: [full_default, squeeze_1, squeeze_2, add_1, slice_1, where_2, sum_6], Original ATen: [aten.threshold_backward, aten.squeeze, aten.add, aten.slice, aten.sum]
            stream0 = get_raw_stream(0)
            triton_red_fused_add_slice_squeeze_sum_threshold_backward_31.run(le_2, buf13, buf12, buf14, buf17, 16, 128, stream=stream0)
            del buf12
            del buf13
            del le_2
            buf16 = empty_strided_cuda((16, 64), (64, 1), torch.float32)
            # Topologically Sorted Source Nodes: [permute_20, mm_7], Original ATen: [aten.t, aten.mm]
            extern_kernels.mm(reinterpret_tensor(buf14, (16, 128), (1, 16), 0), relu_2, out=buf16)
            buf15 = empty_strided_cuda((128, 64), (64, 1), torch.float32)
            # Topologically Sorted Source Nodes: [input_7, permute_19, mm_6], Original ATen: [aten.t, aten.mm]
            extern_kernels.mm(buf14, primals_36, out=buf15)
            del buf14
            del primals_36
            buf18 = relu_2; del relu_2  # reuse
            buf21 = empty_strided_cuda((1, 64), (64, 1), torch.float32)
            # Topologically Sorted Source Nodes: [full_default, le_3, where_3, sum_7], Original ATen: [aten.threshold_backward, aten.sum]
            stream0 = get_raw_stream(0)
            triton_red_fused_sum_threshold_backward_32.run(buf18, buf15, buf21, 64, 128, stream=stream0)
            del buf15
            buf20 = empty_strided_cuda((64, 256), (256, 1), torch.float32)
            # Topologically Sorted Source Nodes: [permute_24, mm_9], Original ATen: [aten.t, aten.mm]
            extern_kernels.mm(reinterpret_tensor(buf18, (64, 128), (1, 64), 0), relu_1, out=buf20)
            buf19 = buf4; del buf4  # reuse
            # Topologically Sorted Source Nodes: [input_5, permute_23, mm_8], Original ATen: [aten.t, aten.mm]
            extern_kernels.mm(buf18, primals_34, out=buf19)
            del buf18
            del primals_34
            buf22 = relu_1; del relu_1  # reuse
            buf25 = empty_strided_cuda((1, 256), (256, 1), torch.float32)
            # Topologically Sorted Source Nodes: [full_default, le_4, where_4, sum_8], Original ATen: [aten.threshold_backward, aten.sum]
            stream0 = get_raw_stream(0)
            triton_red_fused_sum_threshold_backward_1.run(buf22, buf19, buf25, 256, 128, stream=stream0)
            del buf19
            buf23 = empty_strided_cuda((128, 512), (512, 1), torch.float32)
            # Topologically Sorted Source Nodes: [input_3, permute_27, mm_10], Original ATen: [aten.t, aten.mm]
            extern_kernels.mm(buf22, primals_32, out=buf23)
            del primals_32
            buf26 = buf23; del buf23  # reuse
            buf28 = empty_strided_cuda((1, 512), (512, 1), torch.float32)
            # Topologically Sorted Source Nodes: [full_default, le_5, where_5, sum_9], Original ATen: [aten.threshold_backward, aten.sum]
            stream0 = get_raw_stream(0)
            triton_red_fused_sum_threshold_backward_2.run(buf26, relu, buf28, 512, 128, stream=stream0)
            buf27 = empty_strided_cuda((512, 13), (13, 1), torch.float32)
            # Topologically Sorted Source Nodes: [full_default, le_5, where_5, permute_31, mm_12], Original ATen: [aten.threshold_backward, aten.t, aten.mm]
            extern_kernels.mm(reinterpret_tensor(buf26, (512, 128), (1, 512), 0), primals_31, out=buf27)
            del buf26
            del primals_31
            buf24 = empty_strided_cuda((256, 512), (512, 1), torch.float32)
            # Topologically Sorted Source Nodes: [permute_28, mm_11], Original ATen: [aten.t, aten.mm]
            extern_kernels.mm(reinterpret_tensor(buf22, (256, 128), (1, 256), 0), relu, out=buf24)
            del buf22
            del relu
            buf10 = empty_strided_cuda((512, 186624), (186624, 1), torch.float32)
            # Topologically Sorted Source Nodes: [permute_16, mm_5], Original ATen: [aten.t, aten.mm]
            extern_kernels.mm(reinterpret_tensor(buf8, (512, 128), (1, 512), 0), view, out=buf10)
            del buf8
            del view
        return (None, None, buf79, buf77, buf75, buf73, buf71, buf69, buf67, buf65, buf63, buf61, buf59, buf57, buf55, buf53, buf51, buf49, buf47, buf45, buf43, buf41, buf39, buf37, buf35, buf33, buf31, buf29, buf27, reinterpret_tensor(buf28, (512, ), (1, ), 0), None, buf24, reinterpret_tensor(buf25, (256, ), (1, ), 0), buf20, reinterpret_tensor(buf21, (64, ), (1, ), 0), buf16, reinterpret_tensor(buf17, (16, ), (1, ), 0), buf10, reinterpret_tensor(buf11, (512, ), (1, ), 0), buf6, reinterpret_tensor(buf7, (256, ), (1, ), 0), buf2, reinterpret_tensor(buf3, (1, ), (1, ), 0), )

runner = Runner(partitions=[])
call = runner.call
recursively_apply_fns = runner.recursively_apply_fns


def get_args():
    from torch._dynamo.testing import rand_strided
    primals_31 = rand_strided((128, 13), (13, 1), device='cuda:0', dtype=torch.float32)
    primals_32 = rand_strided((256, 512), (512, 1), device='cuda:0', dtype=torch.float32)
    primals_34 = rand_strided((64, 256), (256, 1), device='cuda:0', dtype=torch.float32)
    primals_36 = rand_strided((16, 64), (64, 1), device='cuda:0', dtype=torch.float32)
    primals_38 = rand_strided((512, 186624), (186624, 1), device='cuda:0', dtype=torch.float32)
    primals_40 = rand_strided((256, 512), (512, 1), device='cuda:0', dtype=torch.float32)
    primals_42 = rand_strided((1, 256), (256, 1), device='cuda:0', dtype=torch.float32)
    select = rand_strided((128, ), (26, ), device='cuda:0', dtype=torch.int64)
    select_1 = rand_strided((128, ), (26, ), device='cuda:0', dtype=torch.int64)
    select_2 = rand_strided((128, ), (26, ), device='cuda:0', dtype=torch.int64)
    select_3 = rand_strided((128, ), (26, ), device='cuda:0', dtype=torch.int64)
    select_4 = rand_strided((128, ), (26, ), device='cuda:0', dtype=torch.int64)
    select_5 = rand_strided((128, ), (26, ), device='cuda:0', dtype=torch.int64)
    select_6 = rand_strided((128, ), (26, ), device='cuda:0', dtype=torch.int64)
    select_7 = rand_strided((128, ), (26, ), device='cuda:0', dtype=torch.int64)
    select_8 = rand_strided((128, ), (26, ), device='cuda:0', dtype=torch.int64)
    select_9 = rand_strided((128, ), (26, ), device='cuda:0', dtype=torch.int64)
    select_10 = rand_strided((128, ), (26, ), device='cuda:0', dtype=torch.int64)
    select_11 = rand_strided((128, ), (26, ), device='cuda:0', dtype=torch.int64)
    select_12 = rand_strided((128, ), (26, ), device='cuda:0', dtype=torch.int64)
    select_13 = rand_strided((128, ), (26, ), device='cuda:0', dtype=torch.int64)
    select_14 = rand_strided((128, ), (26, ), device='cuda:0', dtype=torch.int64)
    select_15 = rand_strided((128, ), (26, ), device='cuda:0', dtype=torch.int64)
    select_16 = rand_strided((128, ), (26, ), device='cuda:0', dtype=torch.int64)
    select_17 = rand_strided((128, ), (26, ), device='cuda:0', dtype=torch.int64)
    select_18 = rand_strided((128, ), (26, ), device='cuda:0', dtype=torch.int64)
    select_19 = rand_strided((128, ), (26, ), device='cuda:0', dtype=torch.int64)
    select_20 = rand_strided((128, ), (26, ), device='cuda:0', dtype=torch.int64)
    select_21 = rand_strided((128, ), (26, ), device='cuda:0', dtype=torch.int64)
    select_22 = rand_strided((128, ), (26, ), device='cuda:0', dtype=torch.int64)
    select_23 = rand_strided((128, ), (26, ), device='cuda:0', dtype=torch.int64)
    select_24 = rand_strided((128, ), (26, ), device='cuda:0', dtype=torch.int64)
    select_25 = rand_strided((128, ), (26, ), device='cuda:0', dtype=torch.int64)
    relu = rand_strided((128, 512), (512, 1), device='cuda:0', dtype=torch.float32)
    relu_1 = rand_strided((128, 256), (256, 1), device='cuda:0', dtype=torch.float32)
    relu_2 = rand_strided((128, 64), (64, 1), device='cuda:0', dtype=torch.float32)
    cat = rand_strided((128, 432), (432, 1), device='cuda:0', dtype=torch.float32)
    view = rand_strided((128, 186624), (186624, 1), device='cuda:0', dtype=torch.float32)
    relu_4 = rand_strided((128, 512), (512, 1), device='cuda:0', dtype=torch.float32)
    relu_5 = rand_strided((128, 256), (256, 1), device='cuda:0', dtype=torch.float32)
    mul_1 = rand_strided((128, 1), (1, 1), device='cuda:0', dtype=torch.float32)
    le_2 = rand_strided((128, 16), (16, 1), device='cuda:0', dtype=torch.bool)
    tangents_1 = rand_strided((128, ), (1, ), device='cuda:0', dtype=torch.float32)
    return [primals_31, primals_32, primals_34, primals_36, primals_38, primals_40, primals_42, select, select_1, select_2, select_3, select_4, select_5, select_6, select_7, select_8, select_9, select_10, select_11, select_12, select_13, select_14, select_15, select_16, select_17, select_18, select_19, select_20, select_21, select_22, select_23, select_24, select_25, relu, relu_1, relu_2, cat, view, relu_4, relu_5, mul_1, le_2, tangents_1]


def benchmark_compiled_module(args, times=10, repeat=10):
    from torch._inductor.utils import print_performance
    fn = lambda: call(list(args))
    return print_performance(fn, times=times, repeat=repeat)


if __name__ == "__main__":
    from torch._inductor.wrapper_benchmark import compiled_module_main
    args = get_args()
    compiled_module_main('None', lambda times, repeat: benchmark_compiled_module(args, times=times, repeat=repeat))
