# AOT ID: ['0_forward']
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


# kernel path: sx/csxwxhq7itc3y3apcfd2jrmtfgnc7xnjfdwlnj7v26rt3id4pact.py
# Topologically Sorted Source Nodes: [add, rows], Original ATen: [aten.add, aten.remainder]
# Source node to ATen node mapping:
#   add => add
#   rows => remainder
# Graph fragment:
#   %primals_2 : Tensor "i64[128, 26][26, 1]cuda:0" = PlaceHolder[target=primals_2]
#   %primals_1 : Tensor "i64[26][1]cuda:0" = PlaceHolder[target=primals_1]
#   %add : Tensor "i64[128, 26][26, 1]cuda:0"[num_users=1] = call_function[target=torch.ops.aten.add.Tensor](args = (%primals_2, 1), kwargs = {})
#   %remainder : Tensor "i64[128, 26][26, 1]cuda:0"[num_users=26] = call_function[target=torch.ops.aten.remainder.Tensor](args = (%add, %primals_1), kwargs = {})
#   return %remainder
triton_poi_fused_add_remainder_0 = async_compile.triton('triton_poi_fused_add_remainder_0', '''
import triton
import triton.language as tl

from torch._inductor.runtime import triton_helpers, triton_heuristics
from torch._inductor.runtime.triton_helpers import libdevice, math as tl_math
from torch._inductor.runtime.hints import AutotuneHint, ReductionHint, TileHint, DeviceProperties
triton_helpers.set_driver_to_gpu()

@triton_heuristics.pointwise(
    size_hints={'x': 4096}, 
    filename=__file__,
    triton_meta={'signature': {'in_ptr0': '*i64', 'in_ptr1': '*i64', 'out_ptr0': '*i64', 'xnumel': 'i32', 'XBLOCK': 'constexpr'}, 'device': DeviceProperties(type='cuda', index=0, multi_processor_count=132, cc=90, major=9, regs_per_multiprocessor=65536, max_threads_per_multi_processor=2048, max_threads_per_block=1024, warp_size=32), 'constants': {}, 'native_matmul': False, 'enable_fp_fusion': True, 'launch_pdl': False, 'disable_ftz': False, 'configs': [{(0,): [['tt.divisibility', 16]], (1,): [['tt.divisibility', 16]], (2,): [['tt.divisibility', 16]], (3,): [['tt.divisibility', 16]]}]},
    inductor_meta={'grid_type': 'Grid1D', 'autotune_hints': set(), 'kernel_name': 'triton_poi_fused_add_remainder_0', 'mutated_arg_names': [], 'optimize_mem': False, 'no_x_dim': False, 'atomic_add_found': False, 'num_load': 2, 'num_store': 1, 'num_reduction': 0, 'backend_hash': '91D1D1166449D9E2EB66EB9770C9E2C3B0FEB787341F27FEB4D3F0338DA50336', 'assert_indirect_indexing': True, 'autotune_local_cache': True, 'autotune_pointwise': True, 'autotune_remote_cache': None, 'force_disable_caches': True, 'dynamic_scale_rblock': True, 'max_autotune': False, 'max_autotune_pointwise': False, 'min_split_scan_rblock': 256, 'spill_threshold': 16, 'store_cubin': False, 'deterministic': False, 'force_filter_reduction_configs': False, 'mix_order_reduction_allow_multi_stages': False, 'are_deterministic_algorithms_enabled': False, 'tiling_scores': {'x': 80080}},
    min_elem_per_thread=0
)
@triton.jit
def triton_poi_fused_add_remainder_0(in_ptr0, in_ptr1, out_ptr0, xnumel, XBLOCK : tl.constexpr):
    xnumel = 3328
    xoffset = tl.program_id(0) * XBLOCK
    xindex = xoffset + tl.arange(0, XBLOCK)[:]
    xmask = xindex < xnumel
    x2 = xindex
    x0 = (xindex % 26)
    tmp0 = tl.load(in_ptr0 + (x2), xmask)
    tmp3 = tl.load(in_ptr1 + (x0), xmask, eviction_policy='evict_last')
    tmp1 = tl.full([1], 1, tl.int64)
    tmp2 = tmp0 + tmp1
    tmp4 = (tmp2 % tmp3)
    tmp5 = tl.full([1], 0, tl.int32)
    tmp6 = tmp4 != tmp5
    tmp7 = (libdevice.signbit(tmp4) != 0) if (tmp4).dtype is tl.float32 else tmp4 < 0
    tmp8 = (libdevice.signbit(tmp3) != 0) if (tmp3).dtype is tl.float32 else tmp3 < 0
    tmp9 = tmp7 != tmp8
    tmp10 = tmp6 & tmp9
    tmp11 = tmp4 + tmp3
    tmp12 = tl.where(tmp10, tmp11, tmp4)
    tl.store(out_ptr0 + (x2), tmp12, xmask)
''', device_str='cuda')


# kernel path: ko/ckocebe2vbq3whwymzvup6jse4jrp2c4tciclsd4rs4kvwytojav.py
# Topologically Sorted Source Nodes: [input_1, input_2], Original ATen: [aten.addmm, aten.relu]
# Source node to ATen node mapping:
#   input_1 => add_tensor_6
#   input_2 => relu
# Graph fragment:
#   %primals_30 : Tensor "f32[512][1]cuda:0" = PlaceHolder[target=primals_30]
#   %mm_default_6 : Tensor "f32[128, 512][512, 1]cuda:0" = PlaceHolder[target=mm_default_6]
#   %add_tensor_6 : Tensor "f32[128, 512][512, 1]cuda:0"[num_users=1] = call_function[target=torch.ops.aten.add.Tensor](args = (%primals_30, %mm_default_6), kwargs = {})
#   %relu : Tensor "f32[128, 512][512, 1]cuda:0"[num_users=2] = call_function[target=torch.ops.aten.relu.default](args = (%add_tensor_6,), kwargs = {})
#   return %relu
triton_poi_fused_addmm_relu_1 = async_compile.triton('triton_poi_fused_addmm_relu_1', '''
import triton
import triton.language as tl

from torch._inductor.runtime import triton_helpers, triton_heuristics
from torch._inductor.runtime.triton_helpers import libdevice, math as tl_math
from torch._inductor.runtime.hints import AutotuneHint, ReductionHint, TileHint, DeviceProperties
triton_helpers.set_driver_to_gpu()

@triton_heuristics.pointwise(
    size_hints={'x': 65536}, 
    filename=__file__,
    triton_meta={'signature': {'in_out_ptr0': '*fp32', 'in_ptr0': '*fp32', 'xnumel': 'i32', 'XBLOCK': 'constexpr'}, 'device': DeviceProperties(type='cuda', index=0, multi_processor_count=132, cc=90, major=9, regs_per_multiprocessor=65536, max_threads_per_multi_processor=2048, max_threads_per_block=1024, warp_size=32), 'constants': {}, 'native_matmul': False, 'enable_fp_fusion': True, 'launch_pdl': False, 'disable_ftz': False, 'configs': [{(0,): [['tt.divisibility', 16]], (1,): [['tt.divisibility', 16]], (2,): [['tt.divisibility', 16]]}]},
    inductor_meta={'grid_type': 'Grid1D', 'autotune_hints': set(), 'kernel_name': 'triton_poi_fused_addmm_relu_1', 'mutated_arg_names': ['in_out_ptr0'], 'optimize_mem': False, 'no_x_dim': False, 'atomic_add_found': False, 'num_load': 2, 'num_store': 1, 'num_reduction': 0, 'backend_hash': '91D1D1166449D9E2EB66EB9770C9E2C3B0FEB787341F27FEB4D3F0338DA50336', 'assert_indirect_indexing': True, 'autotune_local_cache': True, 'autotune_pointwise': True, 'autotune_remote_cache': None, 'force_disable_caches': True, 'dynamic_scale_rblock': True, 'max_autotune': False, 'max_autotune_pointwise': False, 'min_split_scan_rblock': 256, 'spill_threshold': 16, 'store_cubin': False, 'deterministic': False, 'force_filter_reduction_configs': False, 'mix_order_reduction_allow_multi_stages': False, 'are_deterministic_algorithms_enabled': False, 'tiling_scores': {'x': 788480}},
    min_elem_per_thread=0
)
@triton.jit
def triton_poi_fused_addmm_relu_1(in_out_ptr0, in_ptr0, xnumel, XBLOCK : tl.constexpr):
    xnumel = 65536
    xoffset = tl.program_id(0) * XBLOCK
    xindex = xoffset + tl.arange(0, XBLOCK)[:]
    xmask = tl.full([XBLOCK], True, tl.int1)[:]
    x0 = (xindex % 512)
    x2 = xindex
    tmp0 = tl.load(in_ptr0 + (x0), None, eviction_policy='evict_last')
    tmp1 = tl.load(in_out_ptr0 + (x2), None)
    tmp2 = tmp0 + tmp1
    tmp3 = tl.full([1], 0, tl.int32)
    tmp4 = triton_helpers.maximum(tmp3, tmp2)
    tl.store(in_out_ptr0 + (x2), tmp4, None)
''', device_str='cuda')


# kernel path: id/cidfz633uyi2pq45njbtw44ejjnki56say4pek2ipse5vuqhgeko.py
# Topologically Sorted Source Nodes: [input_3, input_4], Original ATen: [aten.addmm, aten.relu]
# Source node to ATen node mapping:
#   input_3 => add_tensor_5
#   input_4 => relu_1
# Graph fragment:
#   %primals_33 : Tensor "f32[256][1]cuda:0" = PlaceHolder[target=primals_33]
#   %mm_default_5 : Tensor "f32[128, 256][256, 1]cuda:0" = PlaceHolder[target=mm_default_5]
#   %add_tensor_5 : Tensor "f32[128, 256][256, 1]cuda:0"[num_users=1] = call_function[target=torch.ops.aten.add.Tensor](args = (%primals_33, %mm_default_5), kwargs = {})
#   %relu_1 : Tensor "f32[128, 256][256, 1]cuda:0"[num_users=2] = call_function[target=torch.ops.aten.relu.default](args = (%add_tensor_5,), kwargs = {})
#   return %relu_1
triton_poi_fused_addmm_relu_2 = async_compile.triton('triton_poi_fused_addmm_relu_2', '''
import triton
import triton.language as tl

from torch._inductor.runtime import triton_helpers, triton_heuristics
from torch._inductor.runtime.triton_helpers import libdevice, math as tl_math
from torch._inductor.runtime.hints import AutotuneHint, ReductionHint, TileHint, DeviceProperties
triton_helpers.set_driver_to_gpu()

@triton_heuristics.pointwise(
    size_hints={'x': 32768}, 
    filename=__file__,
    triton_meta={'signature': {'in_out_ptr0': '*fp32', 'in_ptr0': '*fp32', 'xnumel': 'i32', 'XBLOCK': 'constexpr'}, 'device': DeviceProperties(type='cuda', index=0, multi_processor_count=132, cc=90, major=9, regs_per_multiprocessor=65536, max_threads_per_multi_processor=2048, max_threads_per_block=1024, warp_size=32), 'constants': {}, 'native_matmul': False, 'enable_fp_fusion': True, 'launch_pdl': False, 'disable_ftz': False, 'configs': [{(0,): [['tt.divisibility', 16]], (1,): [['tt.divisibility', 16]], (2,): [['tt.divisibility', 16]]}]},
    inductor_meta={'grid_type': 'Grid1D', 'autotune_hints': set(), 'kernel_name': 'triton_poi_fused_addmm_relu_2', 'mutated_arg_names': ['in_out_ptr0'], 'optimize_mem': False, 'no_x_dim': False, 'atomic_add_found': False, 'num_load': 2, 'num_store': 1, 'num_reduction': 0, 'backend_hash': '91D1D1166449D9E2EB66EB9770C9E2C3B0FEB787341F27FEB4D3F0338DA50336', 'assert_indirect_indexing': True, 'autotune_local_cache': True, 'autotune_pointwise': True, 'autotune_remote_cache': None, 'force_disable_caches': True, 'dynamic_scale_rblock': True, 'max_autotune': False, 'max_autotune_pointwise': False, 'min_split_scan_rblock': 256, 'spill_threshold': 16, 'store_cubin': False, 'deterministic': False, 'force_filter_reduction_configs': False, 'mix_order_reduction_allow_multi_stages': False, 'are_deterministic_algorithms_enabled': False, 'tiling_scores': {'x': 394240}},
    min_elem_per_thread=0
)
@triton.jit
def triton_poi_fused_addmm_relu_2(in_out_ptr0, in_ptr0, xnumel, XBLOCK : tl.constexpr):
    xnumel = 32768
    xoffset = tl.program_id(0) * XBLOCK
    xindex = xoffset + tl.arange(0, XBLOCK)[:]
    xmask = tl.full([XBLOCK], True, tl.int1)[:]
    x0 = (xindex % 256)
    x2 = xindex
    tmp0 = tl.load(in_ptr0 + (x0), None, eviction_policy='evict_last')
    tmp1 = tl.load(in_out_ptr0 + (x2), None)
    tmp2 = tmp0 + tmp1
    tmp3 = tl.full([1], 0, tl.int32)
    tmp4 = triton_helpers.maximum(tmp3, tmp2)
    tl.store(in_out_ptr0 + (x2), tmp4, None)
''', device_str='cuda')


# kernel path: ne/cnewk6cjd7mmautkie53uqigyldxv3n75sacqchsircawszlstzl.py
# Topologically Sorted Source Nodes: [input_5, input_6], Original ATen: [aten.addmm, aten.relu]
# Source node to ATen node mapping:
#   input_5 => add_tensor_4
#   input_6 => relu_2
# Graph fragment:
#   %primals_35 : Tensor "f32[64][1]cuda:0" = PlaceHolder[target=primals_35]
#   %mm_default_4 : Tensor "f32[128, 64][64, 1]cuda:0" = PlaceHolder[target=mm_default_4]
#   %add_tensor_4 : Tensor "f32[128, 64][64, 1]cuda:0"[num_users=1] = call_function[target=torch.ops.aten.add.Tensor](args = (%primals_35, %mm_default_4), kwargs = {})
#   %relu_2 : Tensor "f32[128, 64][64, 1]cuda:0"[num_users=2] = call_function[target=torch.ops.aten.relu.default](args = (%add_tensor_4,), kwargs = {})
#   return %relu_2
triton_poi_fused_addmm_relu_3 = async_compile.triton('triton_poi_fused_addmm_relu_3', '''
import triton
import triton.language as tl

from torch._inductor.runtime import triton_helpers, triton_heuristics
from torch._inductor.runtime.triton_helpers import libdevice, math as tl_math
from torch._inductor.runtime.hints import AutotuneHint, ReductionHint, TileHint, DeviceProperties
triton_helpers.set_driver_to_gpu()

@triton_heuristics.pointwise(
    size_hints={'x': 8192}, 
    filename=__file__,
    triton_meta={'signature': {'in_out_ptr0': '*fp32', 'in_ptr0': '*fp32', 'xnumel': 'i32', 'XBLOCK': 'constexpr'}, 'device': DeviceProperties(type='cuda', index=0, multi_processor_count=132, cc=90, major=9, regs_per_multiprocessor=65536, max_threads_per_multi_processor=2048, max_threads_per_block=1024, warp_size=32), 'constants': {}, 'native_matmul': False, 'enable_fp_fusion': True, 'launch_pdl': False, 'disable_ftz': False, 'configs': [{(0,): [['tt.divisibility', 16]], (1,): [['tt.divisibility', 16]], (2,): [['tt.divisibility', 16]]}]},
    inductor_meta={'grid_type': 'Grid1D', 'autotune_hints': set(), 'kernel_name': 'triton_poi_fused_addmm_relu_3', 'mutated_arg_names': ['in_out_ptr0'], 'optimize_mem': False, 'no_x_dim': False, 'atomic_add_found': False, 'num_load': 2, 'num_store': 1, 'num_reduction': 0, 'backend_hash': '91D1D1166449D9E2EB66EB9770C9E2C3B0FEB787341F27FEB4D3F0338DA50336', 'assert_indirect_indexing': True, 'autotune_local_cache': True, 'autotune_pointwise': True, 'autotune_remote_cache': None, 'force_disable_caches': True, 'dynamic_scale_rblock': True, 'max_autotune': False, 'max_autotune_pointwise': False, 'min_split_scan_rblock': 256, 'spill_threshold': 16, 'store_cubin': False, 'deterministic': False, 'force_filter_reduction_configs': False, 'mix_order_reduction_allow_multi_stages': False, 'are_deterministic_algorithms_enabled': False, 'tiling_scores': {'x': 98560}},
    min_elem_per_thread=0
)
@triton.jit
def triton_poi_fused_addmm_relu_3(in_out_ptr0, in_ptr0, xnumel, XBLOCK : tl.constexpr):
    xnumel = 8192
    xoffset = tl.program_id(0) * XBLOCK
    xindex = xoffset + tl.arange(0, XBLOCK)[:]
    xmask = tl.full([XBLOCK], True, tl.int1)[:]
    x0 = (xindex % 64)
    x2 = xindex
    tmp0 = tl.load(in_ptr0 + (x0), None, eviction_policy='evict_last')
    tmp1 = tl.load(in_out_ptr0 + (x2), None)
    tmp2 = tmp0 + tmp1
    tmp3 = tl.full([1], 0, tl.int32)
    tmp4 = triton_helpers.maximum(tmp3, tmp2)
    tl.store(in_out_ptr0 + (x2), tmp4, None)
''', device_str='cuda')


# kernel path: vd/cvdtdoucvkqqx5ygnkziimu3t3ixicqgobafo7y6z2hylg4dbys6.py
# Topologically Sorted Source Nodes: [input_7, input_8, le_2], Original ATen: [aten.addmm, aten.relu, aten.threshold_backward]
# Source node to ATen node mapping:
#   input_7 => add_tensor_3
#   input_8 => relu_3
#   le_2 => le_2
# Graph fragment:
#   %primals_37 : Tensor "f32[16][1]cuda:0" = PlaceHolder[target=primals_37]
#   %mm_default_3 : Tensor "f32[128, 16][16, 1]cuda:0" = PlaceHolder[target=mm_default_3]
#   %relu_3 : Tensor "f32[128, 16][432, 1]cuda:0" = PlaceHolder[target=relu_3]
#   %add_tensor_3 : Tensor "f32[128, 16][16, 1]cuda:0"[num_users=1] = call_function[target=torch.ops.aten.add.Tensor](args = (%primals_37, %mm_default_3), kwargs = {})
#   %relu_3 : Tensor "f32[128, 16][16, 1]cuda:0"[num_users=2] = call_function[target=torch.ops.aten.relu.default](args = (%add_tensor_3,), kwargs = {})
#   %le_2 : Tensor "b8[128, 16][16, 1]cuda:0"[num_users=1] = call_function[target=torch.ops.aten.le.Scalar](args = (%relu_3, 0), kwargs = {})
#   return %relu_3,%le_2
triton_poi_fused_addmm_relu_threshold_backward_4 = async_compile.triton('triton_poi_fused_addmm_relu_threshold_backward_4', '''
import triton
import triton.language as tl

from torch._inductor.runtime import triton_helpers, triton_heuristics
from torch._inductor.runtime.triton_helpers import libdevice, math as tl_math
from torch._inductor.runtime.hints import AutotuneHint, ReductionHint, TileHint, DeviceProperties
triton_helpers.set_driver_to_gpu()

@triton_heuristics.pointwise(
    size_hints={'x': 2048}, 
    filename=__file__,
    triton_meta={'signature': {'in_ptr0': '*fp32', 'in_ptr1': '*fp32', 'out_ptr0': '*fp32', 'out_ptr1': '*i1', 'xnumel': 'i32', 'XBLOCK': 'constexpr'}, 'device': DeviceProperties(type='cuda', index=0, multi_processor_count=132, cc=90, major=9, regs_per_multiprocessor=65536, max_threads_per_multi_processor=2048, max_threads_per_block=1024, warp_size=32), 'constants': {}, 'native_matmul': False, 'enable_fp_fusion': True, 'launch_pdl': False, 'disable_ftz': False, 'configs': [{(0,): [['tt.divisibility', 16]], (1,): [['tt.divisibility', 16]], (2,): [['tt.divisibility', 16]], (3,): [['tt.divisibility', 16]], (4,): [['tt.divisibility', 16]]}]},
    inductor_meta={'grid_type': 'Grid1D', 'autotune_hints': set(), 'kernel_name': 'triton_poi_fused_addmm_relu_threshold_backward_4', 'mutated_arg_names': [], 'optimize_mem': False, 'no_x_dim': False, 'atomic_add_found': False, 'num_load': 2, 'num_store': 2, 'num_reduction': 0, 'backend_hash': '91D1D1166449D9E2EB66EB9770C9E2C3B0FEB787341F27FEB4D3F0338DA50336', 'assert_indirect_indexing': True, 'autotune_local_cache': True, 'autotune_pointwise': True, 'autotune_remote_cache': None, 'force_disable_caches': True, 'dynamic_scale_rblock': True, 'max_autotune': False, 'max_autotune_pointwise': False, 'min_split_scan_rblock': 256, 'spill_threshold': 16, 'store_cubin': False, 'deterministic': False, 'force_filter_reduction_configs': False, 'mix_order_reduction_allow_multi_stages': False, 'are_deterministic_algorithms_enabled': False, 'tiling_scores': {'x': 28736}},
    min_elem_per_thread=0
)
@triton.jit
def triton_poi_fused_addmm_relu_threshold_backward_4(in_ptr0, in_ptr1, out_ptr0, out_ptr1, xnumel, XBLOCK : tl.constexpr):
    xnumel = 2048
    xoffset = tl.program_id(0) * XBLOCK
    xindex = xoffset + tl.arange(0, XBLOCK)[:]
    xmask = xindex < xnumel
    x0 = (xindex % 16)
    x2 = xindex
    x1 = xindex // 16
    tmp0 = tl.load(in_ptr0 + (x0), xmask, eviction_policy='evict_last')
    tmp1 = tl.load(in_ptr1 + (x2), xmask)
    tmp2 = tmp0 + tmp1
    tmp3 = tl.full([1], 0, tl.int32)
    tmp4 = triton_helpers.maximum(tmp3, tmp2)
    tmp5 = tl.full([1], 0.0, tl.float32)
    tmp6 = tmp4 <= tmp5
    tl.store(out_ptr0 + (x0 + 432*x1), tmp4, xmask)
    tl.store(out_ptr1 + (x2), tmp6, xmask)
''', device_str='cuda')


# kernel path: wq/cwqdugvc4256vsgeipvx6dsfykhxqiz75uxydj7smrfal3gwiyzz.py
# Topologically Sorted Source Nodes: [add, rows, getitem, embedding], Original ATen: [aten.add, aten.remainder, aten.select, aten.embedding]
# Source node to ATen node mapping:
#   add => add
#   embedding => embedding
#   getitem => select
#   rows => remainder
# Graph fragment:
#   %remainder : Tensor "i64[128, 26][26, 1]cuda:0" = PlaceHolder[target=remainder]
#   %primals_3 : Tensor "f32[10000, 16][16, 1]cuda:0" = PlaceHolder[target=primals_3]
#   %add : Tensor "i64[128, 26][26, 1]cuda:0"[num_users=1] = call_function[target=torch.ops.aten.add.Tensor](args = (%primals_2, 1), kwargs = {})
#   %remainder : Tensor "i64[128, 26][26, 1]cuda:0"[num_users=26] = call_function[target=torch.ops.aten.remainder.Tensor](args = (%add, %primals_1), kwargs = {})
#   %select : Tensor "i64[128][26]cuda:0"[num_users=2] = call_function[target=torch.ops.aten.select.int](args = (%remainder, 1, 0), kwargs = {})
#   %embedding : Tensor "f32[128, 16][16, 1]cuda:0"[num_users=1] = call_function[target=torch.ops.aten.embedding.default](args = (%primals_3, %select), kwargs = {})
#   return %embedding
triton_poi_fused_add_embedding_remainder_select_5 = async_compile.triton('triton_poi_fused_add_embedding_remainder_select_5', '''
import triton
import triton.language as tl

from torch._inductor.runtime import triton_helpers, triton_heuristics
from torch._inductor.runtime.triton_helpers import libdevice, math as tl_math
from torch._inductor.runtime.hints import AutotuneHint, ReductionHint, TileHint, DeviceProperties
triton_helpers.set_driver_to_gpu()

@triton_heuristics.pointwise(
    size_hints={'x': 2048}, 
    filename=__file__,
    triton_meta={'signature': {'in_ptr0': '*i64', 'in_ptr1': '*fp32', 'out_ptr0': '*fp32', 'xnumel': 'i32', 'XBLOCK': 'constexpr'}, 'device': DeviceProperties(type='cuda', index=0, multi_processor_count=132, cc=90, major=9, regs_per_multiprocessor=65536, max_threads_per_multi_processor=2048, max_threads_per_block=1024, warp_size=32), 'constants': {}, 'native_matmul': False, 'enable_fp_fusion': True, 'launch_pdl': False, 'disable_ftz': False, 'configs': [{(0,): [['tt.divisibility', 16]], (1,): [['tt.divisibility', 16]], (2,): [['tt.divisibility', 16]], (3,): [['tt.divisibility', 16]]}]},
    inductor_meta={'grid_type': 'Grid1D', 'autotune_hints': set(), 'kernel_name': 'triton_poi_fused_add_embedding_remainder_select_5', 'mutated_arg_names': [], 'optimize_mem': False, 'no_x_dim': False, 'atomic_add_found': False, 'num_load': 1, 'num_store': 1, 'num_reduction': 0, 'backend_hash': '91D1D1166449D9E2EB66EB9770C9E2C3B0FEB787341F27FEB4D3F0338DA50336', 'assert_indirect_indexing': True, 'autotune_local_cache': True, 'autotune_pointwise': True, 'autotune_remote_cache': None, 'force_disable_caches': True, 'dynamic_scale_rblock': True, 'max_autotune': False, 'max_autotune_pointwise': False, 'min_split_scan_rblock': 256, 'spill_threshold': 16, 'store_cubin': False, 'deterministic': False, 'force_filter_reduction_configs': False, 'mix_order_reduction_allow_multi_stages': False, 'are_deterministic_algorithms_enabled': False, 'tiling_scores': {'x': 16384}},
    min_elem_per_thread=0
)
@triton.jit
def triton_poi_fused_add_embedding_remainder_select_5(in_ptr0, in_ptr1, out_ptr0, xnumel, XBLOCK : tl.constexpr):
    xnumel = 2048
    xoffset = tl.program_id(0) * XBLOCK
    xindex = xoffset + tl.arange(0, XBLOCK)[:]
    xmask = xindex < xnumel
    x1 = xindex // 16
    x0 = (xindex % 16)
    tmp0 = tl.load(in_ptr0 + (26*x1), xmask, eviction_policy='evict_last')
    tmp1 = tl.full([XBLOCK], 10000, tl.int32)
    tmp2 = tmp0 + tmp1
    tmp3 = tmp0 < 0
    tmp4 = tl.where(tmp3, tmp2, tmp0)
    tl.device_assert(((0 <= tmp4) & (tmp4 < 10000)) | ~(xmask), "index out of bounds: 0 <= tmp4 < 10000")
    tmp6 = tl.load(in_ptr1 + (x0 + 16*tmp4), xmask)
    tl.store(out_ptr0 + (x0 + 432*x1), tmp6, xmask)
''', device_str='cuda')


# kernel path: pc/cpcoyr5ewepxsggtiijgnwmaakvsygvpdeoiv6da4lrgp3csgeti.py
# Topologically Sorted Source Nodes: [getitem_1, embedding_1], Original ATen: [aten.select, aten.embedding]
# Source node to ATen node mapping:
#   embedding_1 => embedding_1
#   getitem_1 => select_1
# Graph fragment:
#   %remainder : Tensor "i64[128, 26][26, 1]cuda:0" = PlaceHolder[target=remainder]
#   %primals_4 : Tensor "f32[10000, 16][16, 1]cuda:0" = PlaceHolder[target=primals_4]
#   %select_1 : Tensor "i64[128][26]cuda:0"[num_users=2] = call_function[target=torch.ops.aten.select.int](args = (%remainder, 1, 1), kwargs = {})
#   %embedding_1 : Tensor "f32[128, 16][16, 1]cuda:0"[num_users=1] = call_function[target=torch.ops.aten.embedding.default](args = (%primals_4, %select_1), kwargs = {})
#   return %embedding_1
triton_poi_fused_embedding_select_6 = async_compile.triton('triton_poi_fused_embedding_select_6', '''
import triton
import triton.language as tl

from torch._inductor.runtime import triton_helpers, triton_heuristics
from torch._inductor.runtime.triton_helpers import libdevice, math as tl_math
from torch._inductor.runtime.hints import AutotuneHint, ReductionHint, TileHint, DeviceProperties
triton_helpers.set_driver_to_gpu()

@triton_heuristics.pointwise(
    size_hints={'x': 2048}, 
    filename=__file__,
    triton_meta={'signature': {'in_ptr0': '*i64', 'in_ptr1': '*fp32', 'out_ptr0': '*fp32', 'xnumel': 'i32', 'XBLOCK': 'constexpr'}, 'device': DeviceProperties(type='cuda', index=0, multi_processor_count=132, cc=90, major=9, regs_per_multiprocessor=65536, max_threads_per_multi_processor=2048, max_threads_per_block=1024, warp_size=32), 'constants': {}, 'native_matmul': False, 'enable_fp_fusion': True, 'launch_pdl': False, 'disable_ftz': False, 'configs': [{(0,): [['tt.divisibility', 16]], (1,): [['tt.divisibility', 16]], (2,): [['tt.divisibility', 16]], (3,): [['tt.divisibility', 16]]}]},
    inductor_meta={'grid_type': 'Grid1D', 'autotune_hints': set(), 'kernel_name': 'triton_poi_fused_embedding_select_6', 'mutated_arg_names': [], 'optimize_mem': False, 'no_x_dim': False, 'atomic_add_found': False, 'num_load': 1, 'num_store': 1, 'num_reduction': 0, 'backend_hash': '91D1D1166449D9E2EB66EB9770C9E2C3B0FEB787341F27FEB4D3F0338DA50336', 'assert_indirect_indexing': True, 'autotune_local_cache': True, 'autotune_pointwise': True, 'autotune_remote_cache': None, 'force_disable_caches': True, 'dynamic_scale_rblock': True, 'max_autotune': False, 'max_autotune_pointwise': False, 'min_split_scan_rblock': 256, 'spill_threshold': 16, 'store_cubin': False, 'deterministic': False, 'force_filter_reduction_configs': False, 'mix_order_reduction_allow_multi_stages': False, 'are_deterministic_algorithms_enabled': False, 'tiling_scores': {'x': 16384}},
    min_elem_per_thread=0
)
@triton.jit
def triton_poi_fused_embedding_select_6(in_ptr0, in_ptr1, out_ptr0, xnumel, XBLOCK : tl.constexpr):
    xnumel = 2048
    xoffset = tl.program_id(0) * XBLOCK
    xindex = xoffset + tl.arange(0, XBLOCK)[:]
    xmask = xindex < xnumel
    x1 = xindex // 16
    x0 = (xindex % 16)
    tmp0 = tl.load(in_ptr0 + (1 + 26*x1), xmask, eviction_policy='evict_last')
    tmp1 = tl.full([XBLOCK], 10000, tl.int32)
    tmp2 = tmp0 + tmp1
    tmp3 = tmp0 < 0
    tmp4 = tl.where(tmp3, tmp2, tmp0)
    tl.device_assert(((0 <= tmp4) & (tmp4 < 10000)) | ~(xmask), "index out of bounds: 0 <= tmp4 < 10000")
    tmp6 = tl.load(in_ptr1 + (x0 + 16*tmp4), xmask)
    tl.store(out_ptr0 + (x0 + 432*x1), tmp6, xmask)
''', device_str='cuda')


# kernel path: tc/ctcg3zkl2z2ha25zssd4lfozwfy2yg4g35jz7ntigbp4wp64ufgc.py
# Topologically Sorted Source Nodes: [getitem_2, embedding_2], Original ATen: [aten.select, aten.embedding]
# Source node to ATen node mapping:
#   embedding_2 => embedding_2
#   getitem_2 => select_2
# Graph fragment:
#   %remainder : Tensor "i64[128, 26][26, 1]cuda:0" = PlaceHolder[target=remainder]
#   %primals_5 : Tensor "f32[10000, 16][16, 1]cuda:0" = PlaceHolder[target=primals_5]
#   %select_2 : Tensor "i64[128][26]cuda:0"[num_users=2] = call_function[target=torch.ops.aten.select.int](args = (%remainder, 1, 2), kwargs = {})
#   %embedding_2 : Tensor "f32[128, 16][16, 1]cuda:0"[num_users=1] = call_function[target=torch.ops.aten.embedding.default](args = (%primals_5, %select_2), kwargs = {})
#   return %embedding_2
triton_poi_fused_embedding_select_7 = async_compile.triton('triton_poi_fused_embedding_select_7', '''
import triton
import triton.language as tl

from torch._inductor.runtime import triton_helpers, triton_heuristics
from torch._inductor.runtime.triton_helpers import libdevice, math as tl_math
from torch._inductor.runtime.hints import AutotuneHint, ReductionHint, TileHint, DeviceProperties
triton_helpers.set_driver_to_gpu()

@triton_heuristics.pointwise(
    size_hints={'x': 2048}, 
    filename=__file__,
    triton_meta={'signature': {'in_ptr0': '*i64', 'in_ptr1': '*fp32', 'out_ptr0': '*fp32', 'xnumel': 'i32', 'XBLOCK': 'constexpr'}, 'device': DeviceProperties(type='cuda', index=0, multi_processor_count=132, cc=90, major=9, regs_per_multiprocessor=65536, max_threads_per_multi_processor=2048, max_threads_per_block=1024, warp_size=32), 'constants': {}, 'native_matmul': False, 'enable_fp_fusion': True, 'launch_pdl': False, 'disable_ftz': False, 'configs': [{(0,): [['tt.divisibility', 16]], (1,): [['tt.divisibility', 16]], (2,): [['tt.divisibility', 16]], (3,): [['tt.divisibility', 16]]}]},
    inductor_meta={'grid_type': 'Grid1D', 'autotune_hints': set(), 'kernel_name': 'triton_poi_fused_embedding_select_7', 'mutated_arg_names': [], 'optimize_mem': False, 'no_x_dim': False, 'atomic_add_found': False, 'num_load': 1, 'num_store': 1, 'num_reduction': 0, 'backend_hash': '91D1D1166449D9E2EB66EB9770C9E2C3B0FEB787341F27FEB4D3F0338DA50336', 'assert_indirect_indexing': True, 'autotune_local_cache': True, 'autotune_pointwise': True, 'autotune_remote_cache': None, 'force_disable_caches': True, 'dynamic_scale_rblock': True, 'max_autotune': False, 'max_autotune_pointwise': False, 'min_split_scan_rblock': 256, 'spill_threshold': 16, 'store_cubin': False, 'deterministic': False, 'force_filter_reduction_configs': False, 'mix_order_reduction_allow_multi_stages': False, 'are_deterministic_algorithms_enabled': False, 'tiling_scores': {'x': 16384}},
    min_elem_per_thread=0
)
@triton.jit
def triton_poi_fused_embedding_select_7(in_ptr0, in_ptr1, out_ptr0, xnumel, XBLOCK : tl.constexpr):
    xnumel = 2048
    xoffset = tl.program_id(0) * XBLOCK
    xindex = xoffset + tl.arange(0, XBLOCK)[:]
    xmask = xindex < xnumel
    x1 = xindex // 16
    x0 = (xindex % 16)
    tmp0 = tl.load(in_ptr0 + (2 + 26*x1), xmask, eviction_policy='evict_last')
    tmp1 = tl.full([XBLOCK], 10000, tl.int32)
    tmp2 = tmp0 + tmp1
    tmp3 = tmp0 < 0
    tmp4 = tl.where(tmp3, tmp2, tmp0)
    tl.device_assert(((0 <= tmp4) & (tmp4 < 10000)) | ~(xmask), "index out of bounds: 0 <= tmp4 < 10000")
    tmp6 = tl.load(in_ptr1 + (x0 + 16*tmp4), xmask)
    tl.store(out_ptr0 + (x0 + 432*x1), tmp6, xmask)
''', device_str='cuda')


# kernel path: k5/ck546rgykpnc4daihtx5imnv5wq55heis76gsdzhpuhircmauewv.py
# Topologically Sorted Source Nodes: [getitem_3, embedding_3], Original ATen: [aten.select, aten.embedding]
# Source node to ATen node mapping:
#   embedding_3 => embedding_3
#   getitem_3 => select_3
# Graph fragment:
#   %remainder : Tensor "i64[128, 26][26, 1]cuda:0" = PlaceHolder[target=remainder]
#   %primals_6 : Tensor "f32[10000, 16][16, 1]cuda:0" = PlaceHolder[target=primals_6]
#   %select_3 : Tensor "i64[128][26]cuda:0"[num_users=2] = call_function[target=torch.ops.aten.select.int](args = (%remainder, 1, 3), kwargs = {})
#   %embedding_3 : Tensor "f32[128, 16][16, 1]cuda:0"[num_users=1] = call_function[target=torch.ops.aten.embedding.default](args = (%primals_6, %select_3), kwargs = {})
#   return %embedding_3
triton_poi_fused_embedding_select_8 = async_compile.triton('triton_poi_fused_embedding_select_8', '''
import triton
import triton.language as tl

from torch._inductor.runtime import triton_helpers, triton_heuristics
from torch._inductor.runtime.triton_helpers import libdevice, math as tl_math
from torch._inductor.runtime.hints import AutotuneHint, ReductionHint, TileHint, DeviceProperties
triton_helpers.set_driver_to_gpu()

@triton_heuristics.pointwise(
    size_hints={'x': 2048}, 
    filename=__file__,
    triton_meta={'signature': {'in_ptr0': '*i64', 'in_ptr1': '*fp32', 'out_ptr0': '*fp32', 'xnumel': 'i32', 'XBLOCK': 'constexpr'}, 'device': DeviceProperties(type='cuda', index=0, multi_processor_count=132, cc=90, major=9, regs_per_multiprocessor=65536, max_threads_per_multi_processor=2048, max_threads_per_block=1024, warp_size=32), 'constants': {}, 'native_matmul': False, 'enable_fp_fusion': True, 'launch_pdl': False, 'disable_ftz': False, 'configs': [{(0,): [['tt.divisibility', 16]], (1,): [['tt.divisibility', 16]], (2,): [['tt.divisibility', 16]], (3,): [['tt.divisibility', 16]]}]},
    inductor_meta={'grid_type': 'Grid1D', 'autotune_hints': set(), 'kernel_name': 'triton_poi_fused_embedding_select_8', 'mutated_arg_names': [], 'optimize_mem': False, 'no_x_dim': False, 'atomic_add_found': False, 'num_load': 1, 'num_store': 1, 'num_reduction': 0, 'backend_hash': '91D1D1166449D9E2EB66EB9770C9E2C3B0FEB787341F27FEB4D3F0338DA50336', 'assert_indirect_indexing': True, 'autotune_local_cache': True, 'autotune_pointwise': True, 'autotune_remote_cache': None, 'force_disable_caches': True, 'dynamic_scale_rblock': True, 'max_autotune': False, 'max_autotune_pointwise': False, 'min_split_scan_rblock': 256, 'spill_threshold': 16, 'store_cubin': False, 'deterministic': False, 'force_filter_reduction_configs': False, 'mix_order_reduction_allow_multi_stages': False, 'are_deterministic_algorithms_enabled': False, 'tiling_scores': {'x': 16384}},
    min_elem_per_thread=0
)
@triton.jit
def triton_poi_fused_embedding_select_8(in_ptr0, in_ptr1, out_ptr0, xnumel, XBLOCK : tl.constexpr):
    xnumel = 2048
    xoffset = tl.program_id(0) * XBLOCK
    xindex = xoffset + tl.arange(0, XBLOCK)[:]
    xmask = xindex < xnumel
    x1 = xindex // 16
    x0 = (xindex % 16)
    tmp0 = tl.load(in_ptr0 + (3 + 26*x1), xmask, eviction_policy='evict_last')
    tmp1 = tl.full([XBLOCK], 10000, tl.int32)
    tmp2 = tmp0 + tmp1
    tmp3 = tmp0 < 0
    tmp4 = tl.where(tmp3, tmp2, tmp0)
    tl.device_assert(((0 <= tmp4) & (tmp4 < 10000)) | ~(xmask), "index out of bounds: 0 <= tmp4 < 10000")
    tmp6 = tl.load(in_ptr1 + (x0 + 16*tmp4), xmask)
    tl.store(out_ptr0 + (x0 + 432*x1), tmp6, xmask)
''', device_str='cuda')


# kernel path: vl/cvlfobuwccne6wglfytutoprszrqqpvoabewuwg52ph6m7kf7jq4.py
# Topologically Sorted Source Nodes: [getitem_4, embedding_4], Original ATen: [aten.select, aten.embedding]
# Source node to ATen node mapping:
#   embedding_4 => embedding_4
#   getitem_4 => select_4
# Graph fragment:
#   %remainder : Tensor "i64[128, 26][26, 1]cuda:0" = PlaceHolder[target=remainder]
#   %primals_7 : Tensor "f32[10000, 16][16, 1]cuda:0" = PlaceHolder[target=primals_7]
#   %select_4 : Tensor "i64[128][26]cuda:0"[num_users=2] = call_function[target=torch.ops.aten.select.int](args = (%remainder, 1, 4), kwargs = {})
#   %embedding_4 : Tensor "f32[128, 16][16, 1]cuda:0"[num_users=1] = call_function[target=torch.ops.aten.embedding.default](args = (%primals_7, %select_4), kwargs = {})
#   return %embedding_4
triton_poi_fused_embedding_select_9 = async_compile.triton('triton_poi_fused_embedding_select_9', '''
import triton
import triton.language as tl

from torch._inductor.runtime import triton_helpers, triton_heuristics
from torch._inductor.runtime.triton_helpers import libdevice, math as tl_math
from torch._inductor.runtime.hints import AutotuneHint, ReductionHint, TileHint, DeviceProperties
triton_helpers.set_driver_to_gpu()

@triton_heuristics.pointwise(
    size_hints={'x': 2048}, 
    filename=__file__,
    triton_meta={'signature': {'in_ptr0': '*i64', 'in_ptr1': '*fp32', 'out_ptr0': '*fp32', 'xnumel': 'i32', 'XBLOCK': 'constexpr'}, 'device': DeviceProperties(type='cuda', index=0, multi_processor_count=132, cc=90, major=9, regs_per_multiprocessor=65536, max_threads_per_multi_processor=2048, max_threads_per_block=1024, warp_size=32), 'constants': {}, 'native_matmul': False, 'enable_fp_fusion': True, 'launch_pdl': False, 'disable_ftz': False, 'configs': [{(0,): [['tt.divisibility', 16]], (1,): [['tt.divisibility', 16]], (2,): [['tt.divisibility', 16]], (3,): [['tt.divisibility', 16]]}]},
    inductor_meta={'grid_type': 'Grid1D', 'autotune_hints': set(), 'kernel_name': 'triton_poi_fused_embedding_select_9', 'mutated_arg_names': [], 'optimize_mem': False, 'no_x_dim': False, 'atomic_add_found': False, 'num_load': 1, 'num_store': 1, 'num_reduction': 0, 'backend_hash': '91D1D1166449D9E2EB66EB9770C9E2C3B0FEB787341F27FEB4D3F0338DA50336', 'assert_indirect_indexing': True, 'autotune_local_cache': True, 'autotune_pointwise': True, 'autotune_remote_cache': None, 'force_disable_caches': True, 'dynamic_scale_rblock': True, 'max_autotune': False, 'max_autotune_pointwise': False, 'min_split_scan_rblock': 256, 'spill_threshold': 16, 'store_cubin': False, 'deterministic': False, 'force_filter_reduction_configs': False, 'mix_order_reduction_allow_multi_stages': False, 'are_deterministic_algorithms_enabled': False, 'tiling_scores': {'x': 16384}},
    min_elem_per_thread=0
)
@triton.jit
def triton_poi_fused_embedding_select_9(in_ptr0, in_ptr1, out_ptr0, xnumel, XBLOCK : tl.constexpr):
    xnumel = 2048
    xoffset = tl.program_id(0) * XBLOCK
    xindex = xoffset + tl.arange(0, XBLOCK)[:]
    xmask = xindex < xnumel
    x1 = xindex // 16
    x0 = (xindex % 16)
    tmp0 = tl.load(in_ptr0 + (4 + 26*x1), xmask, eviction_policy='evict_last')
    tmp1 = tl.full([XBLOCK], 10000, tl.int32)
    tmp2 = tmp0 + tmp1
    tmp3 = tmp0 < 0
    tmp4 = tl.where(tmp3, tmp2, tmp0)
    tl.device_assert(((0 <= tmp4) & (tmp4 < 10000)) | ~(xmask), "index out of bounds: 0 <= tmp4 < 10000")
    tmp6 = tl.load(in_ptr1 + (x0 + 16*tmp4), xmask)
    tl.store(out_ptr0 + (x0 + 432*x1), tmp6, xmask)
''', device_str='cuda')


# kernel path: nc/cnc6l4lsaycdak4ykw2s635bvyxpb7truwve6x3ouzkeiptxoj75.py
# Topologically Sorted Source Nodes: [getitem_5, embedding_5], Original ATen: [aten.select, aten.embedding]
# Source node to ATen node mapping:
#   embedding_5 => embedding_5
#   getitem_5 => select_5
# Graph fragment:
#   %remainder : Tensor "i64[128, 26][26, 1]cuda:0" = PlaceHolder[target=remainder]
#   %primals_8 : Tensor "f32[10000, 16][16, 1]cuda:0" = PlaceHolder[target=primals_8]
#   %select_5 : Tensor "i64[128][26]cuda:0"[num_users=2] = call_function[target=torch.ops.aten.select.int](args = (%remainder, 1, 5), kwargs = {})
#   %embedding_5 : Tensor "f32[128, 16][16, 1]cuda:0"[num_users=1] = call_function[target=torch.ops.aten.embedding.default](args = (%primals_8, %select_5), kwargs = {})
#   return %embedding_5
triton_poi_fused_embedding_select_10 = async_compile.triton('triton_poi_fused_embedding_select_10', '''
import triton
import triton.language as tl

from torch._inductor.runtime import triton_helpers, triton_heuristics
from torch._inductor.runtime.triton_helpers import libdevice, math as tl_math
from torch._inductor.runtime.hints import AutotuneHint, ReductionHint, TileHint, DeviceProperties
triton_helpers.set_driver_to_gpu()

@triton_heuristics.pointwise(
    size_hints={'x': 2048}, 
    filename=__file__,
    triton_meta={'signature': {'in_ptr0': '*i64', 'in_ptr1': '*fp32', 'out_ptr0': '*fp32', 'xnumel': 'i32', 'XBLOCK': 'constexpr'}, 'device': DeviceProperties(type='cuda', index=0, multi_processor_count=132, cc=90, major=9, regs_per_multiprocessor=65536, max_threads_per_multi_processor=2048, max_threads_per_block=1024, warp_size=32), 'constants': {}, 'native_matmul': False, 'enable_fp_fusion': True, 'launch_pdl': False, 'disable_ftz': False, 'configs': [{(0,): [['tt.divisibility', 16]], (1,): [['tt.divisibility', 16]], (2,): [['tt.divisibility', 16]], (3,): [['tt.divisibility', 16]]}]},
    inductor_meta={'grid_type': 'Grid1D', 'autotune_hints': set(), 'kernel_name': 'triton_poi_fused_embedding_select_10', 'mutated_arg_names': [], 'optimize_mem': False, 'no_x_dim': False, 'atomic_add_found': False, 'num_load': 1, 'num_store': 1, 'num_reduction': 0, 'backend_hash': '91D1D1166449D9E2EB66EB9770C9E2C3B0FEB787341F27FEB4D3F0338DA50336', 'assert_indirect_indexing': True, 'autotune_local_cache': True, 'autotune_pointwise': True, 'autotune_remote_cache': None, 'force_disable_caches': True, 'dynamic_scale_rblock': True, 'max_autotune': False, 'max_autotune_pointwise': False, 'min_split_scan_rblock': 256, 'spill_threshold': 16, 'store_cubin': False, 'deterministic': False, 'force_filter_reduction_configs': False, 'mix_order_reduction_allow_multi_stages': False, 'are_deterministic_algorithms_enabled': False, 'tiling_scores': {'x': 16384}},
    min_elem_per_thread=0
)
@triton.jit
def triton_poi_fused_embedding_select_10(in_ptr0, in_ptr1, out_ptr0, xnumel, XBLOCK : tl.constexpr):
    xnumel = 2048
    xoffset = tl.program_id(0) * XBLOCK
    xindex = xoffset + tl.arange(0, XBLOCK)[:]
    xmask = xindex < xnumel
    x1 = xindex // 16
    x0 = (xindex % 16)
    tmp0 = tl.load(in_ptr0 + (5 + 26*x1), xmask, eviction_policy='evict_last')
    tmp1 = tl.full([XBLOCK], 10000, tl.int32)
    tmp2 = tmp0 + tmp1
    tmp3 = tmp0 < 0
    tmp4 = tl.where(tmp3, tmp2, tmp0)
    tl.device_assert(((0 <= tmp4) & (tmp4 < 10000)) | ~(xmask), "index out of bounds: 0 <= tmp4 < 10000")
    tmp6 = tl.load(in_ptr1 + (x0 + 16*tmp4), xmask)
    tl.store(out_ptr0 + (x0 + 432*x1), tmp6, xmask)
''', device_str='cuda')


# kernel path: kl/cklb2dn2jijphswkjz73dmlkbdj36bqpl4olgv6ehzouxmec45ha.py
# Topologically Sorted Source Nodes: [getitem_6, embedding_6], Original ATen: [aten.select, aten.embedding]
# Source node to ATen node mapping:
#   embedding_6 => embedding_6
#   getitem_6 => select_6
# Graph fragment:
#   %remainder : Tensor "i64[128, 26][26, 1]cuda:0" = PlaceHolder[target=remainder]
#   %primals_9 : Tensor "f32[10000, 16][16, 1]cuda:0" = PlaceHolder[target=primals_9]
#   %select_6 : Tensor "i64[128][26]cuda:0"[num_users=2] = call_function[target=torch.ops.aten.select.int](args = (%remainder, 1, 6), kwargs = {})
#   %embedding_6 : Tensor "f32[128, 16][16, 1]cuda:0"[num_users=1] = call_function[target=torch.ops.aten.embedding.default](args = (%primals_9, %select_6), kwargs = {})
#   return %embedding_6
triton_poi_fused_embedding_select_11 = async_compile.triton('triton_poi_fused_embedding_select_11', '''
import triton
import triton.language as tl

from torch._inductor.runtime import triton_helpers, triton_heuristics
from torch._inductor.runtime.triton_helpers import libdevice, math as tl_math
from torch._inductor.runtime.hints import AutotuneHint, ReductionHint, TileHint, DeviceProperties
triton_helpers.set_driver_to_gpu()

@triton_heuristics.pointwise(
    size_hints={'x': 2048}, 
    filename=__file__,
    triton_meta={'signature': {'in_ptr0': '*i64', 'in_ptr1': '*fp32', 'out_ptr0': '*fp32', 'xnumel': 'i32', 'XBLOCK': 'constexpr'}, 'device': DeviceProperties(type='cuda', index=0, multi_processor_count=132, cc=90, major=9, regs_per_multiprocessor=65536, max_threads_per_multi_processor=2048, max_threads_per_block=1024, warp_size=32), 'constants': {}, 'native_matmul': False, 'enable_fp_fusion': True, 'launch_pdl': False, 'disable_ftz': False, 'configs': [{(0,): [['tt.divisibility', 16]], (1,): [['tt.divisibility', 16]], (2,): [['tt.divisibility', 16]], (3,): [['tt.divisibility', 16]]}]},
    inductor_meta={'grid_type': 'Grid1D', 'autotune_hints': set(), 'kernel_name': 'triton_poi_fused_embedding_select_11', 'mutated_arg_names': [], 'optimize_mem': False, 'no_x_dim': False, 'atomic_add_found': False, 'num_load': 1, 'num_store': 1, 'num_reduction': 0, 'backend_hash': '91D1D1166449D9E2EB66EB9770C9E2C3B0FEB787341F27FEB4D3F0338DA50336', 'assert_indirect_indexing': True, 'autotune_local_cache': True, 'autotune_pointwise': True, 'autotune_remote_cache': None, 'force_disable_caches': True, 'dynamic_scale_rblock': True, 'max_autotune': False, 'max_autotune_pointwise': False, 'min_split_scan_rblock': 256, 'spill_threshold': 16, 'store_cubin': False, 'deterministic': False, 'force_filter_reduction_configs': False, 'mix_order_reduction_allow_multi_stages': False, 'are_deterministic_algorithms_enabled': False, 'tiling_scores': {'x': 16384}},
    min_elem_per_thread=0
)
@triton.jit
def triton_poi_fused_embedding_select_11(in_ptr0, in_ptr1, out_ptr0, xnumel, XBLOCK : tl.constexpr):
    xnumel = 2048
    xoffset = tl.program_id(0) * XBLOCK
    xindex = xoffset + tl.arange(0, XBLOCK)[:]
    xmask = xindex < xnumel
    x1 = xindex // 16
    x0 = (xindex % 16)
    tmp0 = tl.load(in_ptr0 + (6 + 26*x1), xmask, eviction_policy='evict_last')
    tmp1 = tl.full([XBLOCK], 10000, tl.int32)
    tmp2 = tmp0 + tmp1
    tmp3 = tmp0 < 0
    tmp4 = tl.where(tmp3, tmp2, tmp0)
    tl.device_assert(((0 <= tmp4) & (tmp4 < 10000)) | ~(xmask), "index out of bounds: 0 <= tmp4 < 10000")
    tmp6 = tl.load(in_ptr1 + (x0 + 16*tmp4), xmask)
    tl.store(out_ptr0 + (x0 + 432*x1), tmp6, xmask)
''', device_str='cuda')


# kernel path: 2b/c2bdjl6kw6ygfuds5goodry2k6oce2poqjuz2wjukrcuxyc2hizc.py
# Topologically Sorted Source Nodes: [getitem_7, embedding_7], Original ATen: [aten.select, aten.embedding]
# Source node to ATen node mapping:
#   embedding_7 => embedding_7
#   getitem_7 => select_7
# Graph fragment:
#   %remainder : Tensor "i64[128, 26][26, 1]cuda:0" = PlaceHolder[target=remainder]
#   %primals_10 : Tensor "f32[10000, 16][16, 1]cuda:0" = PlaceHolder[target=primals_10]
#   %select_7 : Tensor "i64[128][26]cuda:0"[num_users=2] = call_function[target=torch.ops.aten.select.int](args = (%remainder, 1, 7), kwargs = {})
#   %embedding_7 : Tensor "f32[128, 16][16, 1]cuda:0"[num_users=1] = call_function[target=torch.ops.aten.embedding.default](args = (%primals_10, %select_7), kwargs = {})
#   return %embedding_7
triton_poi_fused_embedding_select_12 = async_compile.triton('triton_poi_fused_embedding_select_12', '''
import triton
import triton.language as tl

from torch._inductor.runtime import triton_helpers, triton_heuristics
from torch._inductor.runtime.triton_helpers import libdevice, math as tl_math
from torch._inductor.runtime.hints import AutotuneHint, ReductionHint, TileHint, DeviceProperties
triton_helpers.set_driver_to_gpu()

@triton_heuristics.pointwise(
    size_hints={'x': 2048}, 
    filename=__file__,
    triton_meta={'signature': {'in_ptr0': '*i64', 'in_ptr1': '*fp32', 'out_ptr0': '*fp32', 'xnumel': 'i32', 'XBLOCK': 'constexpr'}, 'device': DeviceProperties(type='cuda', index=0, multi_processor_count=132, cc=90, major=9, regs_per_multiprocessor=65536, max_threads_per_multi_processor=2048, max_threads_per_block=1024, warp_size=32), 'constants': {}, 'native_matmul': False, 'enable_fp_fusion': True, 'launch_pdl': False, 'disable_ftz': False, 'configs': [{(0,): [['tt.divisibility', 16]], (1,): [['tt.divisibility', 16]], (2,): [['tt.divisibility', 16]], (3,): [['tt.divisibility', 16]]}]},
    inductor_meta={'grid_type': 'Grid1D', 'autotune_hints': set(), 'kernel_name': 'triton_poi_fused_embedding_select_12', 'mutated_arg_names': [], 'optimize_mem': False, 'no_x_dim': False, 'atomic_add_found': False, 'num_load': 1, 'num_store': 1, 'num_reduction': 0, 'backend_hash': '91D1D1166449D9E2EB66EB9770C9E2C3B0FEB787341F27FEB4D3F0338DA50336', 'assert_indirect_indexing': True, 'autotune_local_cache': True, 'autotune_pointwise': True, 'autotune_remote_cache': None, 'force_disable_caches': True, 'dynamic_scale_rblock': True, 'max_autotune': False, 'max_autotune_pointwise': False, 'min_split_scan_rblock': 256, 'spill_threshold': 16, 'store_cubin': False, 'deterministic': False, 'force_filter_reduction_configs': False, 'mix_order_reduction_allow_multi_stages': False, 'are_deterministic_algorithms_enabled': False, 'tiling_scores': {'x': 16384}},
    min_elem_per_thread=0
)
@triton.jit
def triton_poi_fused_embedding_select_12(in_ptr0, in_ptr1, out_ptr0, xnumel, XBLOCK : tl.constexpr):
    xnumel = 2048
    xoffset = tl.program_id(0) * XBLOCK
    xindex = xoffset + tl.arange(0, XBLOCK)[:]
    xmask = xindex < xnumel
    x1 = xindex // 16
    x0 = (xindex % 16)
    tmp0 = tl.load(in_ptr0 + (7 + 26*x1), xmask, eviction_policy='evict_last')
    tmp1 = tl.full([XBLOCK], 10000, tl.int32)
    tmp2 = tmp0 + tmp1
    tmp3 = tmp0 < 0
    tmp4 = tl.where(tmp3, tmp2, tmp0)
    tl.device_assert(((0 <= tmp4) & (tmp4 < 10000)) | ~(xmask), "index out of bounds: 0 <= tmp4 < 10000")
    tmp6 = tl.load(in_ptr1 + (x0 + 16*tmp4), xmask)
    tl.store(out_ptr0 + (x0 + 432*x1), tmp6, xmask)
''', device_str='cuda')


# kernel path: xp/cxpcofpehjv5obqh2ots3h7o275qvsw6dtcnyuaq2m7q4tlwt2ve.py
# Topologically Sorted Source Nodes: [getitem_8, embedding_8], Original ATen: [aten.select, aten.embedding]
# Source node to ATen node mapping:
#   embedding_8 => embedding_8
#   getitem_8 => select_8
# Graph fragment:
#   %remainder : Tensor "i64[128, 26][26, 1]cuda:0" = PlaceHolder[target=remainder]
#   %primals_11 : Tensor "f32[10000, 16][16, 1]cuda:0" = PlaceHolder[target=primals_11]
#   %select_8 : Tensor "i64[128][26]cuda:0"[num_users=2] = call_function[target=torch.ops.aten.select.int](args = (%remainder, 1, 8), kwargs = {})
#   %embedding_8 : Tensor "f32[128, 16][16, 1]cuda:0"[num_users=1] = call_function[target=torch.ops.aten.embedding.default](args = (%primals_11, %select_8), kwargs = {})
#   return %embedding_8
triton_poi_fused_embedding_select_13 = async_compile.triton('triton_poi_fused_embedding_select_13', '''
import triton
import triton.language as tl

from torch._inductor.runtime import triton_helpers, triton_heuristics
from torch._inductor.runtime.triton_helpers import libdevice, math as tl_math
from torch._inductor.runtime.hints import AutotuneHint, ReductionHint, TileHint, DeviceProperties
triton_helpers.set_driver_to_gpu()

@triton_heuristics.pointwise(
    size_hints={'x': 2048}, 
    filename=__file__,
    triton_meta={'signature': {'in_ptr0': '*i64', 'in_ptr1': '*fp32', 'out_ptr0': '*fp32', 'xnumel': 'i32', 'XBLOCK': 'constexpr'}, 'device': DeviceProperties(type='cuda', index=0, multi_processor_count=132, cc=90, major=9, regs_per_multiprocessor=65536, max_threads_per_multi_processor=2048, max_threads_per_block=1024, warp_size=32), 'constants': {}, 'native_matmul': False, 'enable_fp_fusion': True, 'launch_pdl': False, 'disable_ftz': False, 'configs': [{(0,): [['tt.divisibility', 16]], (1,): [['tt.divisibility', 16]], (2,): [['tt.divisibility', 16]], (3,): [['tt.divisibility', 16]]}]},
    inductor_meta={'grid_type': 'Grid1D', 'autotune_hints': set(), 'kernel_name': 'triton_poi_fused_embedding_select_13', 'mutated_arg_names': [], 'optimize_mem': False, 'no_x_dim': False, 'atomic_add_found': False, 'num_load': 1, 'num_store': 1, 'num_reduction': 0, 'backend_hash': '91D1D1166449D9E2EB66EB9770C9E2C3B0FEB787341F27FEB4D3F0338DA50336', 'assert_indirect_indexing': True, 'autotune_local_cache': True, 'autotune_pointwise': True, 'autotune_remote_cache': None, 'force_disable_caches': True, 'dynamic_scale_rblock': True, 'max_autotune': False, 'max_autotune_pointwise': False, 'min_split_scan_rblock': 256, 'spill_threshold': 16, 'store_cubin': False, 'deterministic': False, 'force_filter_reduction_configs': False, 'mix_order_reduction_allow_multi_stages': False, 'are_deterministic_algorithms_enabled': False, 'tiling_scores': {'x': 16384}},
    min_elem_per_thread=0
)
@triton.jit
def triton_poi_fused_embedding_select_13(in_ptr0, in_ptr1, out_ptr0, xnumel, XBLOCK : tl.constexpr):
    xnumel = 2048
    xoffset = tl.program_id(0) * XBLOCK
    xindex = xoffset + tl.arange(0, XBLOCK)[:]
    xmask = xindex < xnumel
    x1 = xindex // 16
    x0 = (xindex % 16)
    tmp0 = tl.load(in_ptr0 + (8 + 26*x1), xmask, eviction_policy='evict_last')
    tmp1 = tl.full([XBLOCK], 10000, tl.int32)
    tmp2 = tmp0 + tmp1
    tmp3 = tmp0 < 0
    tmp4 = tl.where(tmp3, tmp2, tmp0)
    tl.device_assert(((0 <= tmp4) & (tmp4 < 10000)) | ~(xmask), "index out of bounds: 0 <= tmp4 < 10000")
    tmp6 = tl.load(in_ptr1 + (x0 + 16*tmp4), xmask)
    tl.store(out_ptr0 + (x0 + 432*x1), tmp6, xmask)
''', device_str='cuda')


# kernel path: 7c/c7crlf3wdhiej4pvscvc7jmeqib632xpmisvkhr2szwktde562ma.py
# Topologically Sorted Source Nodes: [getitem_9, embedding_9], Original ATen: [aten.select, aten.embedding]
# Source node to ATen node mapping:
#   embedding_9 => embedding_9
#   getitem_9 => select_9
# Graph fragment:
#   %remainder : Tensor "i64[128, 26][26, 1]cuda:0" = PlaceHolder[target=remainder]
#   %primals_12 : Tensor "f32[10000, 16][16, 1]cuda:0" = PlaceHolder[target=primals_12]
#   %select_9 : Tensor "i64[128][26]cuda:0"[num_users=2] = call_function[target=torch.ops.aten.select.int](args = (%remainder, 1, 9), kwargs = {})
#   %embedding_9 : Tensor "f32[128, 16][16, 1]cuda:0"[num_users=1] = call_function[target=torch.ops.aten.embedding.default](args = (%primals_12, %select_9), kwargs = {})
#   return %embedding_9
triton_poi_fused_embedding_select_14 = async_compile.triton('triton_poi_fused_embedding_select_14', '''
import triton
import triton.language as tl

from torch._inductor.runtime import triton_helpers, triton_heuristics
from torch._inductor.runtime.triton_helpers import libdevice, math as tl_math
from torch._inductor.runtime.hints import AutotuneHint, ReductionHint, TileHint, DeviceProperties
triton_helpers.set_driver_to_gpu()

@triton_heuristics.pointwise(
    size_hints={'x': 2048}, 
    filename=__file__,
    triton_meta={'signature': {'in_ptr0': '*i64', 'in_ptr1': '*fp32', 'out_ptr0': '*fp32', 'xnumel': 'i32', 'XBLOCK': 'constexpr'}, 'device': DeviceProperties(type='cuda', index=0, multi_processor_count=132, cc=90, major=9, regs_per_multiprocessor=65536, max_threads_per_multi_processor=2048, max_threads_per_block=1024, warp_size=32), 'constants': {}, 'native_matmul': False, 'enable_fp_fusion': True, 'launch_pdl': False, 'disable_ftz': False, 'configs': [{(0,): [['tt.divisibility', 16]], (1,): [['tt.divisibility', 16]], (2,): [['tt.divisibility', 16]], (3,): [['tt.divisibility', 16]]}]},
    inductor_meta={'grid_type': 'Grid1D', 'autotune_hints': set(), 'kernel_name': 'triton_poi_fused_embedding_select_14', 'mutated_arg_names': [], 'optimize_mem': False, 'no_x_dim': False, 'atomic_add_found': False, 'num_load': 1, 'num_store': 1, 'num_reduction': 0, 'backend_hash': '91D1D1166449D9E2EB66EB9770C9E2C3B0FEB787341F27FEB4D3F0338DA50336', 'assert_indirect_indexing': True, 'autotune_local_cache': True, 'autotune_pointwise': True, 'autotune_remote_cache': None, 'force_disable_caches': True, 'dynamic_scale_rblock': True, 'max_autotune': False, 'max_autotune_pointwise': False, 'min_split_scan_rblock': 256, 'spill_threshold': 16, 'store_cubin': False, 'deterministic': False, 'force_filter_reduction_configs': False, 'mix_order_reduction_allow_multi_stages': False, 'are_deterministic_algorithms_enabled': False, 'tiling_scores': {'x': 16384}},
    min_elem_per_thread=0
)
@triton.jit
def triton_poi_fused_embedding_select_14(in_ptr0, in_ptr1, out_ptr0, xnumel, XBLOCK : tl.constexpr):
    xnumel = 2048
    xoffset = tl.program_id(0) * XBLOCK
    xindex = xoffset + tl.arange(0, XBLOCK)[:]
    xmask = xindex < xnumel
    x1 = xindex // 16
    x0 = (xindex % 16)
    tmp0 = tl.load(in_ptr0 + (9 + 26*x1), xmask, eviction_policy='evict_last')
    tmp1 = tl.full([XBLOCK], 10000, tl.int32)
    tmp2 = tmp0 + tmp1
    tmp3 = tmp0 < 0
    tmp4 = tl.where(tmp3, tmp2, tmp0)
    tl.device_assert(((0 <= tmp4) & (tmp4 < 10000)) | ~(xmask), "index out of bounds: 0 <= tmp4 < 10000")
    tmp6 = tl.load(in_ptr1 + (x0 + 16*tmp4), xmask)
    tl.store(out_ptr0 + (x0 + 432*x1), tmp6, xmask)
''', device_str='cuda')


# kernel path: iq/ciqkxyrlq2mvu5dctkdmxfu7pobxhntytni6n6o67k4xup7oynsu.py
# Topologically Sorted Source Nodes: [getitem_10, embedding_10], Original ATen: [aten.select, aten.embedding]
# Source node to ATen node mapping:
#   embedding_10 => embedding_10
#   getitem_10 => select_10
# Graph fragment:
#   %remainder : Tensor "i64[128, 26][26, 1]cuda:0" = PlaceHolder[target=remainder]
#   %primals_13 : Tensor "f32[10000, 16][16, 1]cuda:0" = PlaceHolder[target=primals_13]
#   %select_10 : Tensor "i64[128][26]cuda:0"[num_users=2] = call_function[target=torch.ops.aten.select.int](args = (%remainder, 1, 10), kwargs = {})
#   %embedding_10 : Tensor "f32[128, 16][16, 1]cuda:0"[num_users=1] = call_function[target=torch.ops.aten.embedding.default](args = (%primals_13, %select_10), kwargs = {})
#   return %embedding_10
triton_poi_fused_embedding_select_15 = async_compile.triton('triton_poi_fused_embedding_select_15', '''
import triton
import triton.language as tl

from torch._inductor.runtime import triton_helpers, triton_heuristics
from torch._inductor.runtime.triton_helpers import libdevice, math as tl_math
from torch._inductor.runtime.hints import AutotuneHint, ReductionHint, TileHint, DeviceProperties
triton_helpers.set_driver_to_gpu()

@triton_heuristics.pointwise(
    size_hints={'x': 2048}, 
    filename=__file__,
    triton_meta={'signature': {'in_ptr0': '*i64', 'in_ptr1': '*fp32', 'out_ptr0': '*fp32', 'xnumel': 'i32', 'XBLOCK': 'constexpr'}, 'device': DeviceProperties(type='cuda', index=0, multi_processor_count=132, cc=90, major=9, regs_per_multiprocessor=65536, max_threads_per_multi_processor=2048, max_threads_per_block=1024, warp_size=32), 'constants': {}, 'native_matmul': False, 'enable_fp_fusion': True, 'launch_pdl': False, 'disable_ftz': False, 'configs': [{(0,): [['tt.divisibility', 16]], (1,): [['tt.divisibility', 16]], (2,): [['tt.divisibility', 16]], (3,): [['tt.divisibility', 16]]}]},
    inductor_meta={'grid_type': 'Grid1D', 'autotune_hints': set(), 'kernel_name': 'triton_poi_fused_embedding_select_15', 'mutated_arg_names': [], 'optimize_mem': False, 'no_x_dim': False, 'atomic_add_found': False, 'num_load': 1, 'num_store': 1, 'num_reduction': 0, 'backend_hash': '91D1D1166449D9E2EB66EB9770C9E2C3B0FEB787341F27FEB4D3F0338DA50336', 'assert_indirect_indexing': True, 'autotune_local_cache': True, 'autotune_pointwise': True, 'autotune_remote_cache': None, 'force_disable_caches': True, 'dynamic_scale_rblock': True, 'max_autotune': False, 'max_autotune_pointwise': False, 'min_split_scan_rblock': 256, 'spill_threshold': 16, 'store_cubin': False, 'deterministic': False, 'force_filter_reduction_configs': False, 'mix_order_reduction_allow_multi_stages': False, 'are_deterministic_algorithms_enabled': False, 'tiling_scores': {'x': 16384}},
    min_elem_per_thread=0
)
@triton.jit
def triton_poi_fused_embedding_select_15(in_ptr0, in_ptr1, out_ptr0, xnumel, XBLOCK : tl.constexpr):
    xnumel = 2048
    xoffset = tl.program_id(0) * XBLOCK
    xindex = xoffset + tl.arange(0, XBLOCK)[:]
    xmask = xindex < xnumel
    x1 = xindex // 16
    x0 = (xindex % 16)
    tmp0 = tl.load(in_ptr0 + (10 + 26*x1), xmask, eviction_policy='evict_last')
    tmp1 = tl.full([XBLOCK], 10000, tl.int32)
    tmp2 = tmp0 + tmp1
    tmp3 = tmp0 < 0
    tmp4 = tl.where(tmp3, tmp2, tmp0)
    tl.device_assert(((0 <= tmp4) & (tmp4 < 10000)) | ~(xmask), "index out of bounds: 0 <= tmp4 < 10000")
    tmp6 = tl.load(in_ptr1 + (x0 + 16*tmp4), xmask)
    tl.store(out_ptr0 + (x0 + 432*x1), tmp6, xmask)
''', device_str='cuda')


# kernel path: 66/c66nmltif5lhvwkkopecluged33bnxflhjpmrgbfspembfz24t5w.py
# Topologically Sorted Source Nodes: [getitem_11, embedding_11], Original ATen: [aten.select, aten.embedding]
# Source node to ATen node mapping:
#   embedding_11 => embedding_11
#   getitem_11 => select_11
# Graph fragment:
#   %remainder : Tensor "i64[128, 26][26, 1]cuda:0" = PlaceHolder[target=remainder]
#   %primals_14 : Tensor "f32[10000, 16][16, 1]cuda:0" = PlaceHolder[target=primals_14]
#   %select_11 : Tensor "i64[128][26]cuda:0"[num_users=2] = call_function[target=torch.ops.aten.select.int](args = (%remainder, 1, 11), kwargs = {})
#   %embedding_11 : Tensor "f32[128, 16][16, 1]cuda:0"[num_users=1] = call_function[target=torch.ops.aten.embedding.default](args = (%primals_14, %select_11), kwargs = {})
#   return %embedding_11
triton_poi_fused_embedding_select_16 = async_compile.triton('triton_poi_fused_embedding_select_16', '''
import triton
import triton.language as tl

from torch._inductor.runtime import triton_helpers, triton_heuristics
from torch._inductor.runtime.triton_helpers import libdevice, math as tl_math
from torch._inductor.runtime.hints import AutotuneHint, ReductionHint, TileHint, DeviceProperties
triton_helpers.set_driver_to_gpu()

@triton_heuristics.pointwise(
    size_hints={'x': 2048}, 
    filename=__file__,
    triton_meta={'signature': {'in_ptr0': '*i64', 'in_ptr1': '*fp32', 'out_ptr0': '*fp32', 'xnumel': 'i32', 'XBLOCK': 'constexpr'}, 'device': DeviceProperties(type='cuda', index=0, multi_processor_count=132, cc=90, major=9, regs_per_multiprocessor=65536, max_threads_per_multi_processor=2048, max_threads_per_block=1024, warp_size=32), 'constants': {}, 'native_matmul': False, 'enable_fp_fusion': True, 'launch_pdl': False, 'disable_ftz': False, 'configs': [{(0,): [['tt.divisibility', 16]], (1,): [['tt.divisibility', 16]], (2,): [['tt.divisibility', 16]], (3,): [['tt.divisibility', 16]]}]},
    inductor_meta={'grid_type': 'Grid1D', 'autotune_hints': set(), 'kernel_name': 'triton_poi_fused_embedding_select_16', 'mutated_arg_names': [], 'optimize_mem': False, 'no_x_dim': False, 'atomic_add_found': False, 'num_load': 1, 'num_store': 1, 'num_reduction': 0, 'backend_hash': '91D1D1166449D9E2EB66EB9770C9E2C3B0FEB787341F27FEB4D3F0338DA50336', 'assert_indirect_indexing': True, 'autotune_local_cache': True, 'autotune_pointwise': True, 'autotune_remote_cache': None, 'force_disable_caches': True, 'dynamic_scale_rblock': True, 'max_autotune': False, 'max_autotune_pointwise': False, 'min_split_scan_rblock': 256, 'spill_threshold': 16, 'store_cubin': False, 'deterministic': False, 'force_filter_reduction_configs': False, 'mix_order_reduction_allow_multi_stages': False, 'are_deterministic_algorithms_enabled': False, 'tiling_scores': {'x': 16384}},
    min_elem_per_thread=0
)
@triton.jit
def triton_poi_fused_embedding_select_16(in_ptr0, in_ptr1, out_ptr0, xnumel, XBLOCK : tl.constexpr):
    xnumel = 2048
    xoffset = tl.program_id(0) * XBLOCK
    xindex = xoffset + tl.arange(0, XBLOCK)[:]
    xmask = xindex < xnumel
    x1 = xindex // 16
    x0 = (xindex % 16)
    tmp0 = tl.load(in_ptr0 + (11 + 26*x1), xmask, eviction_policy='evict_last')
    tmp1 = tl.full([XBLOCK], 10000, tl.int32)
    tmp2 = tmp0 + tmp1
    tmp3 = tmp0 < 0
    tmp4 = tl.where(tmp3, tmp2, tmp0)
    tl.device_assert(((0 <= tmp4) & (tmp4 < 10000)) | ~(xmask), "index out of bounds: 0 <= tmp4 < 10000")
    tmp6 = tl.load(in_ptr1 + (x0 + 16*tmp4), xmask)
    tl.store(out_ptr0 + (x0 + 432*x1), tmp6, xmask)
''', device_str='cuda')


# kernel path: cb/ccbihvyhfbsqeqe4pjr23xk6klebsxcj3q2llbutkemh45qkdmie.py
# Topologically Sorted Source Nodes: [getitem_12, embedding_12], Original ATen: [aten.select, aten.embedding]
# Source node to ATen node mapping:
#   embedding_12 => embedding_12
#   getitem_12 => select_12
# Graph fragment:
#   %remainder : Tensor "i64[128, 26][26, 1]cuda:0" = PlaceHolder[target=remainder]
#   %primals_15 : Tensor "f32[10000, 16][16, 1]cuda:0" = PlaceHolder[target=primals_15]
#   %select_12 : Tensor "i64[128][26]cuda:0"[num_users=2] = call_function[target=torch.ops.aten.select.int](args = (%remainder, 1, 12), kwargs = {})
#   %embedding_12 : Tensor "f32[128, 16][16, 1]cuda:0"[num_users=1] = call_function[target=torch.ops.aten.embedding.default](args = (%primals_15, %select_12), kwargs = {})
#   return %embedding_12
triton_poi_fused_embedding_select_17 = async_compile.triton('triton_poi_fused_embedding_select_17', '''
import triton
import triton.language as tl

from torch._inductor.runtime import triton_helpers, triton_heuristics
from torch._inductor.runtime.triton_helpers import libdevice, math as tl_math
from torch._inductor.runtime.hints import AutotuneHint, ReductionHint, TileHint, DeviceProperties
triton_helpers.set_driver_to_gpu()

@triton_heuristics.pointwise(
    size_hints={'x': 2048}, 
    filename=__file__,
    triton_meta={'signature': {'in_ptr0': '*i64', 'in_ptr1': '*fp32', 'out_ptr0': '*fp32', 'xnumel': 'i32', 'XBLOCK': 'constexpr'}, 'device': DeviceProperties(type='cuda', index=0, multi_processor_count=132, cc=90, major=9, regs_per_multiprocessor=65536, max_threads_per_multi_processor=2048, max_threads_per_block=1024, warp_size=32), 'constants': {}, 'native_matmul': False, 'enable_fp_fusion': True, 'launch_pdl': False, 'disable_ftz': False, 'configs': [{(0,): [['tt.divisibility', 16]], (1,): [['tt.divisibility', 16]], (2,): [['tt.divisibility', 16]], (3,): [['tt.divisibility', 16]]}]},
    inductor_meta={'grid_type': 'Grid1D', 'autotune_hints': set(), 'kernel_name': 'triton_poi_fused_embedding_select_17', 'mutated_arg_names': [], 'optimize_mem': False, 'no_x_dim': False, 'atomic_add_found': False, 'num_load': 1, 'num_store': 1, 'num_reduction': 0, 'backend_hash': '91D1D1166449D9E2EB66EB9770C9E2C3B0FEB787341F27FEB4D3F0338DA50336', 'assert_indirect_indexing': True, 'autotune_local_cache': True, 'autotune_pointwise': True, 'autotune_remote_cache': None, 'force_disable_caches': True, 'dynamic_scale_rblock': True, 'max_autotune': False, 'max_autotune_pointwise': False, 'min_split_scan_rblock': 256, 'spill_threshold': 16, 'store_cubin': False, 'deterministic': False, 'force_filter_reduction_configs': False, 'mix_order_reduction_allow_multi_stages': False, 'are_deterministic_algorithms_enabled': False, 'tiling_scores': {'x': 16384}},
    min_elem_per_thread=0
)
@triton.jit
def triton_poi_fused_embedding_select_17(in_ptr0, in_ptr1, out_ptr0, xnumel, XBLOCK : tl.constexpr):
    xnumel = 2048
    xoffset = tl.program_id(0) * XBLOCK
    xindex = xoffset + tl.arange(0, XBLOCK)[:]
    xmask = xindex < xnumel
    x1 = xindex // 16
    x0 = (xindex % 16)
    tmp0 = tl.load(in_ptr0 + (12 + 26*x1), xmask, eviction_policy='evict_last')
    tmp1 = tl.full([XBLOCK], 10000, tl.int32)
    tmp2 = tmp0 + tmp1
    tmp3 = tmp0 < 0
    tmp4 = tl.where(tmp3, tmp2, tmp0)
    tl.device_assert(((0 <= tmp4) & (tmp4 < 10000)) | ~(xmask), "index out of bounds: 0 <= tmp4 < 10000")
    tmp6 = tl.load(in_ptr1 + (x0 + 16*tmp4), xmask)
    tl.store(out_ptr0 + (x0 + 432*x1), tmp6, xmask)
''', device_str='cuda')


# kernel path: xx/cxxrzzrrab22bsf7ivvyk5ruf7yfiq5y4pjrsltqdau4n6weeium.py
# Topologically Sorted Source Nodes: [getitem_13, embedding_13], Original ATen: [aten.select, aten.embedding]
# Source node to ATen node mapping:
#   embedding_13 => embedding_13
#   getitem_13 => select_13
# Graph fragment:
#   %remainder : Tensor "i64[128, 26][26, 1]cuda:0" = PlaceHolder[target=remainder]
#   %primals_16 : Tensor "f32[10000, 16][16, 1]cuda:0" = PlaceHolder[target=primals_16]
#   %select_13 : Tensor "i64[128][26]cuda:0"[num_users=2] = call_function[target=torch.ops.aten.select.int](args = (%remainder, 1, 13), kwargs = {})
#   %embedding_13 : Tensor "f32[128, 16][16, 1]cuda:0"[num_users=1] = call_function[target=torch.ops.aten.embedding.default](args = (%primals_16, %select_13), kwargs = {})
#   return %embedding_13
triton_poi_fused_embedding_select_18 = async_compile.triton('triton_poi_fused_embedding_select_18', '''
import triton
import triton.language as tl

from torch._inductor.runtime import triton_helpers, triton_heuristics
from torch._inductor.runtime.triton_helpers import libdevice, math as tl_math
from torch._inductor.runtime.hints import AutotuneHint, ReductionHint, TileHint, DeviceProperties
triton_helpers.set_driver_to_gpu()

@triton_heuristics.pointwise(
    size_hints={'x': 2048}, 
    filename=__file__,
    triton_meta={'signature': {'in_ptr0': '*i64', 'in_ptr1': '*fp32', 'out_ptr0': '*fp32', 'xnumel': 'i32', 'XBLOCK': 'constexpr'}, 'device': DeviceProperties(type='cuda', index=0, multi_processor_count=132, cc=90, major=9, regs_per_multiprocessor=65536, max_threads_per_multi_processor=2048, max_threads_per_block=1024, warp_size=32), 'constants': {}, 'native_matmul': False, 'enable_fp_fusion': True, 'launch_pdl': False, 'disable_ftz': False, 'configs': [{(0,): [['tt.divisibility', 16]], (1,): [['tt.divisibility', 16]], (2,): [['tt.divisibility', 16]], (3,): [['tt.divisibility', 16]]}]},
    inductor_meta={'grid_type': 'Grid1D', 'autotune_hints': set(), 'kernel_name': 'triton_poi_fused_embedding_select_18', 'mutated_arg_names': [], 'optimize_mem': False, 'no_x_dim': False, 'atomic_add_found': False, 'num_load': 1, 'num_store': 1, 'num_reduction': 0, 'backend_hash': '91D1D1166449D9E2EB66EB9770C9E2C3B0FEB787341F27FEB4D3F0338DA50336', 'assert_indirect_indexing': True, 'autotune_local_cache': True, 'autotune_pointwise': True, 'autotune_remote_cache': None, 'force_disable_caches': True, 'dynamic_scale_rblock': True, 'max_autotune': False, 'max_autotune_pointwise': False, 'min_split_scan_rblock': 256, 'spill_threshold': 16, 'store_cubin': False, 'deterministic': False, 'force_filter_reduction_configs': False, 'mix_order_reduction_allow_multi_stages': False, 'are_deterministic_algorithms_enabled': False, 'tiling_scores': {'x': 16384}},
    min_elem_per_thread=0
)
@triton.jit
def triton_poi_fused_embedding_select_18(in_ptr0, in_ptr1, out_ptr0, xnumel, XBLOCK : tl.constexpr):
    xnumel = 2048
    xoffset = tl.program_id(0) * XBLOCK
    xindex = xoffset + tl.arange(0, XBLOCK)[:]
    xmask = xindex < xnumel
    x1 = xindex // 16
    x0 = (xindex % 16)
    tmp0 = tl.load(in_ptr0 + (13 + 26*x1), xmask, eviction_policy='evict_last')
    tmp1 = tl.full([XBLOCK], 10000, tl.int32)
    tmp2 = tmp0 + tmp1
    tmp3 = tmp0 < 0
    tmp4 = tl.where(tmp3, tmp2, tmp0)
    tl.device_assert(((0 <= tmp4) & (tmp4 < 10000)) | ~(xmask), "index out of bounds: 0 <= tmp4 < 10000")
    tmp6 = tl.load(in_ptr1 + (x0 + 16*tmp4), xmask)
    tl.store(out_ptr0 + (x0 + 432*x1), tmp6, xmask)
''', device_str='cuda')


# kernel path: 46/c46oiobtzhgxx2ng5r2wuipgqc72b4bg37lhim4xkp7s2kben6yq.py
# Topologically Sorted Source Nodes: [getitem_14, embedding_14], Original ATen: [aten.select, aten.embedding]
# Source node to ATen node mapping:
#   embedding_14 => embedding_14
#   getitem_14 => select_14
# Graph fragment:
#   %remainder : Tensor "i64[128, 26][26, 1]cuda:0" = PlaceHolder[target=remainder]
#   %primals_17 : Tensor "f32[10000, 16][16, 1]cuda:0" = PlaceHolder[target=primals_17]
#   %select_14 : Tensor "i64[128][26]cuda:0"[num_users=2] = call_function[target=torch.ops.aten.select.int](args = (%remainder, 1, 14), kwargs = {})
#   %embedding_14 : Tensor "f32[128, 16][16, 1]cuda:0"[num_users=1] = call_function[target=torch.ops.aten.embedding.default](args = (%primals_17, %select_14), kwargs = {})
#   return %embedding_14
triton_poi_fused_embedding_select_19 = async_compile.triton('triton_poi_fused_embedding_select_19', '''
import triton
import triton.language as tl

from torch._inductor.runtime import triton_helpers, triton_heuristics
from torch._inductor.runtime.triton_helpers import libdevice, math as tl_math
from torch._inductor.runtime.hints import AutotuneHint, ReductionHint, TileHint, DeviceProperties
triton_helpers.set_driver_to_gpu()

@triton_heuristics.pointwise(
    size_hints={'x': 2048}, 
    filename=__file__,
    triton_meta={'signature': {'in_ptr0': '*i64', 'in_ptr1': '*fp32', 'out_ptr0': '*fp32', 'xnumel': 'i32', 'XBLOCK': 'constexpr'}, 'device': DeviceProperties(type='cuda', index=0, multi_processor_count=132, cc=90, major=9, regs_per_multiprocessor=65536, max_threads_per_multi_processor=2048, max_threads_per_block=1024, warp_size=32), 'constants': {}, 'native_matmul': False, 'enable_fp_fusion': True, 'launch_pdl': False, 'disable_ftz': False, 'configs': [{(0,): [['tt.divisibility', 16]], (1,): [['tt.divisibility', 16]], (2,): [['tt.divisibility', 16]], (3,): [['tt.divisibility', 16]]}]},
    inductor_meta={'grid_type': 'Grid1D', 'autotune_hints': set(), 'kernel_name': 'triton_poi_fused_embedding_select_19', 'mutated_arg_names': [], 'optimize_mem': False, 'no_x_dim': False, 'atomic_add_found': False, 'num_load': 1, 'num_store': 1, 'num_reduction': 0, 'backend_hash': '91D1D1166449D9E2EB66EB9770C9E2C3B0FEB787341F27FEB4D3F0338DA50336', 'assert_indirect_indexing': True, 'autotune_local_cache': True, 'autotune_pointwise': True, 'autotune_remote_cache': None, 'force_disable_caches': True, 'dynamic_scale_rblock': True, 'max_autotune': False, 'max_autotune_pointwise': False, 'min_split_scan_rblock': 256, 'spill_threshold': 16, 'store_cubin': False, 'deterministic': False, 'force_filter_reduction_configs': False, 'mix_order_reduction_allow_multi_stages': False, 'are_deterministic_algorithms_enabled': False, 'tiling_scores': {'x': 16384}},
    min_elem_per_thread=0
)
@triton.jit
def triton_poi_fused_embedding_select_19(in_ptr0, in_ptr1, out_ptr0, xnumel, XBLOCK : tl.constexpr):
    xnumel = 2048
    xoffset = tl.program_id(0) * XBLOCK
    xindex = xoffset + tl.arange(0, XBLOCK)[:]
    xmask = xindex < xnumel
    x1 = xindex // 16
    x0 = (xindex % 16)
    tmp0 = tl.load(in_ptr0 + (14 + 26*x1), xmask, eviction_policy='evict_last')
    tmp1 = tl.full([XBLOCK], 10000, tl.int32)
    tmp2 = tmp0 + tmp1
    tmp3 = tmp0 < 0
    tmp4 = tl.where(tmp3, tmp2, tmp0)
    tl.device_assert(((0 <= tmp4) & (tmp4 < 10000)) | ~(xmask), "index out of bounds: 0 <= tmp4 < 10000")
    tmp6 = tl.load(in_ptr1 + (x0 + 16*tmp4), xmask)
    tl.store(out_ptr0 + (x0 + 432*x1), tmp6, xmask)
''', device_str='cuda')


# kernel path: a7/ca74qvwptc4cjgdfsqtxa232jupwuv4ub4ropic4xql2et7e4tkx.py
# Topologically Sorted Source Nodes: [getitem_15, embedding_15], Original ATen: [aten.select, aten.embedding]
# Source node to ATen node mapping:
#   embedding_15 => embedding_15
#   getitem_15 => select_15
# Graph fragment:
#   %remainder : Tensor "i64[128, 26][26, 1]cuda:0" = PlaceHolder[target=remainder]
#   %primals_18 : Tensor "f32[10000, 16][16, 1]cuda:0" = PlaceHolder[target=primals_18]
#   %select_15 : Tensor "i64[128][26]cuda:0"[num_users=2] = call_function[target=torch.ops.aten.select.int](args = (%remainder, 1, 15), kwargs = {})
#   %embedding_15 : Tensor "f32[128, 16][16, 1]cuda:0"[num_users=1] = call_function[target=torch.ops.aten.embedding.default](args = (%primals_18, %select_15), kwargs = {})
#   return %embedding_15
triton_poi_fused_embedding_select_20 = async_compile.triton('triton_poi_fused_embedding_select_20', '''
import triton
import triton.language as tl

from torch._inductor.runtime import triton_helpers, triton_heuristics
from torch._inductor.runtime.triton_helpers import libdevice, math as tl_math
from torch._inductor.runtime.hints import AutotuneHint, ReductionHint, TileHint, DeviceProperties
triton_helpers.set_driver_to_gpu()

@triton_heuristics.pointwise(
    size_hints={'x': 2048}, 
    filename=__file__,
    triton_meta={'signature': {'in_ptr0': '*i64', 'in_ptr1': '*fp32', 'out_ptr0': '*fp32', 'xnumel': 'i32', 'XBLOCK': 'constexpr'}, 'device': DeviceProperties(type='cuda', index=0, multi_processor_count=132, cc=90, major=9, regs_per_multiprocessor=65536, max_threads_per_multi_processor=2048, max_threads_per_block=1024, warp_size=32), 'constants': {}, 'native_matmul': False, 'enable_fp_fusion': True, 'launch_pdl': False, 'disable_ftz': False, 'configs': [{(0,): [['tt.divisibility', 16]], (1,): [['tt.divisibility', 16]], (2,): [['tt.divisibility', 16]], (3,): [['tt.divisibility', 16]]}]},
    inductor_meta={'grid_type': 'Grid1D', 'autotune_hints': set(), 'kernel_name': 'triton_poi_fused_embedding_select_20', 'mutated_arg_names': [], 'optimize_mem': False, 'no_x_dim': False, 'atomic_add_found': False, 'num_load': 1, 'num_store': 1, 'num_reduction': 0, 'backend_hash': '91D1D1166449D9E2EB66EB9770C9E2C3B0FEB787341F27FEB4D3F0338DA50336', 'assert_indirect_indexing': True, 'autotune_local_cache': True, 'autotune_pointwise': True, 'autotune_remote_cache': None, 'force_disable_caches': True, 'dynamic_scale_rblock': True, 'max_autotune': False, 'max_autotune_pointwise': False, 'min_split_scan_rblock': 256, 'spill_threshold': 16, 'store_cubin': False, 'deterministic': False, 'force_filter_reduction_configs': False, 'mix_order_reduction_allow_multi_stages': False, 'are_deterministic_algorithms_enabled': False, 'tiling_scores': {'x': 16384}},
    min_elem_per_thread=0
)
@triton.jit
def triton_poi_fused_embedding_select_20(in_ptr0, in_ptr1, out_ptr0, xnumel, XBLOCK : tl.constexpr):
    xnumel = 2048
    xoffset = tl.program_id(0) * XBLOCK
    xindex = xoffset + tl.arange(0, XBLOCK)[:]
    xmask = xindex < xnumel
    x1 = xindex // 16
    x0 = (xindex % 16)
    tmp0 = tl.load(in_ptr0 + (15 + 26*x1), xmask, eviction_policy='evict_last')
    tmp1 = tl.full([XBLOCK], 10000, tl.int32)
    tmp2 = tmp0 + tmp1
    tmp3 = tmp0 < 0
    tmp4 = tl.where(tmp3, tmp2, tmp0)
    tl.device_assert(((0 <= tmp4) & (tmp4 < 10000)) | ~(xmask), "index out of bounds: 0 <= tmp4 < 10000")
    tmp6 = tl.load(in_ptr1 + (x0 + 16*tmp4), xmask)
    tl.store(out_ptr0 + (x0 + 432*x1), tmp6, xmask)
''', device_str='cuda')


# kernel path: qs/cqswflgg2cw2x4vhssfx4sycpoz72ute4qbn2ajsoss4omr7humi.py
# Topologically Sorted Source Nodes: [getitem_16, embedding_16], Original ATen: [aten.select, aten.embedding]
# Source node to ATen node mapping:
#   embedding_16 => embedding_16
#   getitem_16 => select_16
# Graph fragment:
#   %remainder : Tensor "i64[128, 26][26, 1]cuda:0" = PlaceHolder[target=remainder]
#   %primals_19 : Tensor "f32[10000, 16][16, 1]cuda:0" = PlaceHolder[target=primals_19]
#   %select_16 : Tensor "i64[128][26]cuda:0"[num_users=2] = call_function[target=torch.ops.aten.select.int](args = (%remainder, 1, 16), kwargs = {})
#   %embedding_16 : Tensor "f32[128, 16][16, 1]cuda:0"[num_users=1] = call_function[target=torch.ops.aten.embedding.default](args = (%primals_19, %select_16), kwargs = {})
#   return %embedding_16
triton_poi_fused_embedding_select_21 = async_compile.triton('triton_poi_fused_embedding_select_21', '''
import triton
import triton.language as tl

from torch._inductor.runtime import triton_helpers, triton_heuristics
from torch._inductor.runtime.triton_helpers import libdevice, math as tl_math
from torch._inductor.runtime.hints import AutotuneHint, ReductionHint, TileHint, DeviceProperties
triton_helpers.set_driver_to_gpu()

@triton_heuristics.pointwise(
    size_hints={'x': 2048}, 
    filename=__file__,
    triton_meta={'signature': {'in_ptr0': '*i64', 'in_ptr1': '*fp32', 'out_ptr0': '*fp32', 'xnumel': 'i32', 'XBLOCK': 'constexpr'}, 'device': DeviceProperties(type='cuda', index=0, multi_processor_count=132, cc=90, major=9, regs_per_multiprocessor=65536, max_threads_per_multi_processor=2048, max_threads_per_block=1024, warp_size=32), 'constants': {}, 'native_matmul': False, 'enable_fp_fusion': True, 'launch_pdl': False, 'disable_ftz': False, 'configs': [{(0,): [['tt.divisibility', 16]], (1,): [['tt.divisibility', 16]], (2,): [['tt.divisibility', 16]], (3,): [['tt.divisibility', 16]]}]},
    inductor_meta={'grid_type': 'Grid1D', 'autotune_hints': set(), 'kernel_name': 'triton_poi_fused_embedding_select_21', 'mutated_arg_names': [], 'optimize_mem': False, 'no_x_dim': False, 'atomic_add_found': False, 'num_load': 1, 'num_store': 1, 'num_reduction': 0, 'backend_hash': '91D1D1166449D9E2EB66EB9770C9E2C3B0FEB787341F27FEB4D3F0338DA50336', 'assert_indirect_indexing': True, 'autotune_local_cache': True, 'autotune_pointwise': True, 'autotune_remote_cache': None, 'force_disable_caches': True, 'dynamic_scale_rblock': True, 'max_autotune': False, 'max_autotune_pointwise': False, 'min_split_scan_rblock': 256, 'spill_threshold': 16, 'store_cubin': False, 'deterministic': False, 'force_filter_reduction_configs': False, 'mix_order_reduction_allow_multi_stages': False, 'are_deterministic_algorithms_enabled': False, 'tiling_scores': {'x': 16384}},
    min_elem_per_thread=0
)
@triton.jit
def triton_poi_fused_embedding_select_21(in_ptr0, in_ptr1, out_ptr0, xnumel, XBLOCK : tl.constexpr):
    xnumel = 2048
    xoffset = tl.program_id(0) * XBLOCK
    xindex = xoffset + tl.arange(0, XBLOCK)[:]
    xmask = xindex < xnumel
    x1 = xindex // 16
    x0 = (xindex % 16)
    tmp0 = tl.load(in_ptr0 + (16 + 26*x1), xmask, eviction_policy='evict_last')
    tmp1 = tl.full([XBLOCK], 10000, tl.int32)
    tmp2 = tmp0 + tmp1
    tmp3 = tmp0 < 0
    tmp4 = tl.where(tmp3, tmp2, tmp0)
    tl.device_assert(((0 <= tmp4) & (tmp4 < 10000)) | ~(xmask), "index out of bounds: 0 <= tmp4 < 10000")
    tmp6 = tl.load(in_ptr1 + (x0 + 16*tmp4), xmask)
    tl.store(out_ptr0 + (x0 + 432*x1), tmp6, xmask)
''', device_str='cuda')


# kernel path: np/cnpa2nlavfh3y7xvz3vutuowbyfcelitd4zihmcqtwzkkxxm4pgh.py
# Topologically Sorted Source Nodes: [getitem_17, embedding_17], Original ATen: [aten.select, aten.embedding]
# Source node to ATen node mapping:
#   embedding_17 => embedding_17
#   getitem_17 => select_17
# Graph fragment:
#   %remainder : Tensor "i64[128, 26][26, 1]cuda:0" = PlaceHolder[target=remainder]
#   %primals_20 : Tensor "f32[10000, 16][16, 1]cuda:0" = PlaceHolder[target=primals_20]
#   %select_17 : Tensor "i64[128][26]cuda:0"[num_users=2] = call_function[target=torch.ops.aten.select.int](args = (%remainder, 1, 17), kwargs = {})
#   %embedding_17 : Tensor "f32[128, 16][16, 1]cuda:0"[num_users=1] = call_function[target=torch.ops.aten.embedding.default](args = (%primals_20, %select_17), kwargs = {})
#   return %embedding_17
triton_poi_fused_embedding_select_22 = async_compile.triton('triton_poi_fused_embedding_select_22', '''
import triton
import triton.language as tl

from torch._inductor.runtime import triton_helpers, triton_heuristics
from torch._inductor.runtime.triton_helpers import libdevice, math as tl_math
from torch._inductor.runtime.hints import AutotuneHint, ReductionHint, TileHint, DeviceProperties
triton_helpers.set_driver_to_gpu()

@triton_heuristics.pointwise(
    size_hints={'x': 2048}, 
    filename=__file__,
    triton_meta={'signature': {'in_ptr0': '*i64', 'in_ptr1': '*fp32', 'out_ptr0': '*fp32', 'xnumel': 'i32', 'XBLOCK': 'constexpr'}, 'device': DeviceProperties(type='cuda', index=0, multi_processor_count=132, cc=90, major=9, regs_per_multiprocessor=65536, max_threads_per_multi_processor=2048, max_threads_per_block=1024, warp_size=32), 'constants': {}, 'native_matmul': False, 'enable_fp_fusion': True, 'launch_pdl': False, 'disable_ftz': False, 'configs': [{(0,): [['tt.divisibility', 16]], (1,): [['tt.divisibility', 16]], (2,): [['tt.divisibility', 16]], (3,): [['tt.divisibility', 16]]}]},
    inductor_meta={'grid_type': 'Grid1D', 'autotune_hints': set(), 'kernel_name': 'triton_poi_fused_embedding_select_22', 'mutated_arg_names': [], 'optimize_mem': False, 'no_x_dim': False, 'atomic_add_found': False, 'num_load': 1, 'num_store': 1, 'num_reduction': 0, 'backend_hash': '91D1D1166449D9E2EB66EB9770C9E2C3B0FEB787341F27FEB4D3F0338DA50336', 'assert_indirect_indexing': True, 'autotune_local_cache': True, 'autotune_pointwise': True, 'autotune_remote_cache': None, 'force_disable_caches': True, 'dynamic_scale_rblock': True, 'max_autotune': False, 'max_autotune_pointwise': False, 'min_split_scan_rblock': 256, 'spill_threshold': 16, 'store_cubin': False, 'deterministic': False, 'force_filter_reduction_configs': False, 'mix_order_reduction_allow_multi_stages': False, 'are_deterministic_algorithms_enabled': False, 'tiling_scores': {'x': 16384}},
    min_elem_per_thread=0
)
@triton.jit
def triton_poi_fused_embedding_select_22(in_ptr0, in_ptr1, out_ptr0, xnumel, XBLOCK : tl.constexpr):
    xnumel = 2048
    xoffset = tl.program_id(0) * XBLOCK
    xindex = xoffset + tl.arange(0, XBLOCK)[:]
    xmask = xindex < xnumel
    x1 = xindex // 16
    x0 = (xindex % 16)
    tmp0 = tl.load(in_ptr0 + (17 + 26*x1), xmask, eviction_policy='evict_last')
    tmp1 = tl.full([XBLOCK], 10000, tl.int32)
    tmp2 = tmp0 + tmp1
    tmp3 = tmp0 < 0
    tmp4 = tl.where(tmp3, tmp2, tmp0)
    tl.device_assert(((0 <= tmp4) & (tmp4 < 10000)) | ~(xmask), "index out of bounds: 0 <= tmp4 < 10000")
    tmp6 = tl.load(in_ptr1 + (x0 + 16*tmp4), xmask)
    tl.store(out_ptr0 + (x0 + 432*x1), tmp6, xmask)
''', device_str='cuda')


# kernel path: ln/clnrxbvlxfkx36hevh65n5czp55exsvjswoshealwclt4b6mjjr2.py
# Topologically Sorted Source Nodes: [getitem_18, embedding_18], Original ATen: [aten.select, aten.embedding]
# Source node to ATen node mapping:
#   embedding_18 => embedding_18
#   getitem_18 => select_18
# Graph fragment:
#   %remainder : Tensor "i64[128, 26][26, 1]cuda:0" = PlaceHolder[target=remainder]
#   %primals_21 : Tensor "f32[10000, 16][16, 1]cuda:0" = PlaceHolder[target=primals_21]
#   %select_18 : Tensor "i64[128][26]cuda:0"[num_users=2] = call_function[target=torch.ops.aten.select.int](args = (%remainder, 1, 18), kwargs = {})
#   %embedding_18 : Tensor "f32[128, 16][16, 1]cuda:0"[num_users=1] = call_function[target=torch.ops.aten.embedding.default](args = (%primals_21, %select_18), kwargs = {})
#   return %embedding_18
triton_poi_fused_embedding_select_23 = async_compile.triton('triton_poi_fused_embedding_select_23', '''
import triton
import triton.language as tl

from torch._inductor.runtime import triton_helpers, triton_heuristics
from torch._inductor.runtime.triton_helpers import libdevice, math as tl_math
from torch._inductor.runtime.hints import AutotuneHint, ReductionHint, TileHint, DeviceProperties
triton_helpers.set_driver_to_gpu()

@triton_heuristics.pointwise(
    size_hints={'x': 2048}, 
    filename=__file__,
    triton_meta={'signature': {'in_ptr0': '*i64', 'in_ptr1': '*fp32', 'out_ptr0': '*fp32', 'xnumel': 'i32', 'XBLOCK': 'constexpr'}, 'device': DeviceProperties(type='cuda', index=0, multi_processor_count=132, cc=90, major=9, regs_per_multiprocessor=65536, max_threads_per_multi_processor=2048, max_threads_per_block=1024, warp_size=32), 'constants': {}, 'native_matmul': False, 'enable_fp_fusion': True, 'launch_pdl': False, 'disable_ftz': False, 'configs': [{(0,): [['tt.divisibility', 16]], (1,): [['tt.divisibility', 16]], (2,): [['tt.divisibility', 16]], (3,): [['tt.divisibility', 16]]}]},
    inductor_meta={'grid_type': 'Grid1D', 'autotune_hints': set(), 'kernel_name': 'triton_poi_fused_embedding_select_23', 'mutated_arg_names': [], 'optimize_mem': False, 'no_x_dim': False, 'atomic_add_found': False, 'num_load': 1, 'num_store': 1, 'num_reduction': 0, 'backend_hash': '91D1D1166449D9E2EB66EB9770C9E2C3B0FEB787341F27FEB4D3F0338DA50336', 'assert_indirect_indexing': True, 'autotune_local_cache': True, 'autotune_pointwise': True, 'autotune_remote_cache': None, 'force_disable_caches': True, 'dynamic_scale_rblock': True, 'max_autotune': False, 'max_autotune_pointwise': False, 'min_split_scan_rblock': 256, 'spill_threshold': 16, 'store_cubin': False, 'deterministic': False, 'force_filter_reduction_configs': False, 'mix_order_reduction_allow_multi_stages': False, 'are_deterministic_algorithms_enabled': False, 'tiling_scores': {'x': 16384}},
    min_elem_per_thread=0
)
@triton.jit
def triton_poi_fused_embedding_select_23(in_ptr0, in_ptr1, out_ptr0, xnumel, XBLOCK : tl.constexpr):
    xnumel = 2048
    xoffset = tl.program_id(0) * XBLOCK
    xindex = xoffset + tl.arange(0, XBLOCK)[:]
    xmask = xindex < xnumel
    x1 = xindex // 16
    x0 = (xindex % 16)
    tmp0 = tl.load(in_ptr0 + (18 + 26*x1), xmask, eviction_policy='evict_last')
    tmp1 = tl.full([XBLOCK], 10000, tl.int32)
    tmp2 = tmp0 + tmp1
    tmp3 = tmp0 < 0
    tmp4 = tl.where(tmp3, tmp2, tmp0)
    tl.device_assert(((0 <= tmp4) & (tmp4 < 10000)) | ~(xmask), "index out of bounds: 0 <= tmp4 < 10000")
    tmp6 = tl.load(in_ptr1 + (x0 + 16*tmp4), xmask)
    tl.store(out_ptr0 + (x0 + 432*x1), tmp6, xmask)
''', device_str='cuda')


# kernel path: dn/cdnayn6jbnshuytwad3otq6sdw5ihwdirs2kqmhgtjy3iwhvxodq.py
# Topologically Sorted Source Nodes: [getitem_19, embedding_19], Original ATen: [aten.select, aten.embedding]
# Source node to ATen node mapping:
#   embedding_19 => embedding_19
#   getitem_19 => select_19
# Graph fragment:
#   %remainder : Tensor "i64[128, 26][26, 1]cuda:0" = PlaceHolder[target=remainder]
#   %primals_22 : Tensor "f32[10000, 16][16, 1]cuda:0" = PlaceHolder[target=primals_22]
#   %select_19 : Tensor "i64[128][26]cuda:0"[num_users=2] = call_function[target=torch.ops.aten.select.int](args = (%remainder, 1, 19), kwargs = {})
#   %embedding_19 : Tensor "f32[128, 16][16, 1]cuda:0"[num_users=1] = call_function[target=torch.ops.aten.embedding.default](args = (%primals_22, %select_19), kwargs = {})
#   return %embedding_19
triton_poi_fused_embedding_select_24 = async_compile.triton('triton_poi_fused_embedding_select_24', '''
import triton
import triton.language as tl

from torch._inductor.runtime import triton_helpers, triton_heuristics
from torch._inductor.runtime.triton_helpers import libdevice, math as tl_math
from torch._inductor.runtime.hints import AutotuneHint, ReductionHint, TileHint, DeviceProperties
triton_helpers.set_driver_to_gpu()

@triton_heuristics.pointwise(
    size_hints={'x': 2048}, 
    filename=__file__,
    triton_meta={'signature': {'in_ptr0': '*i64', 'in_ptr1': '*fp32', 'out_ptr0': '*fp32', 'xnumel': 'i32', 'XBLOCK': 'constexpr'}, 'device': DeviceProperties(type='cuda', index=0, multi_processor_count=132, cc=90, major=9, regs_per_multiprocessor=65536, max_threads_per_multi_processor=2048, max_threads_per_block=1024, warp_size=32), 'constants': {}, 'native_matmul': False, 'enable_fp_fusion': True, 'launch_pdl': False, 'disable_ftz': False, 'configs': [{(0,): [['tt.divisibility', 16]], (1,): [['tt.divisibility', 16]], (2,): [['tt.divisibility', 16]], (3,): [['tt.divisibility', 16]]}]},
    inductor_meta={'grid_type': 'Grid1D', 'autotune_hints': set(), 'kernel_name': 'triton_poi_fused_embedding_select_24', 'mutated_arg_names': [], 'optimize_mem': False, 'no_x_dim': False, 'atomic_add_found': False, 'num_load': 1, 'num_store': 1, 'num_reduction': 0, 'backend_hash': '91D1D1166449D9E2EB66EB9770C9E2C3B0FEB787341F27FEB4D3F0338DA50336', 'assert_indirect_indexing': True, 'autotune_local_cache': True, 'autotune_pointwise': True, 'autotune_remote_cache': None, 'force_disable_caches': True, 'dynamic_scale_rblock': True, 'max_autotune': False, 'max_autotune_pointwise': False, 'min_split_scan_rblock': 256, 'spill_threshold': 16, 'store_cubin': False, 'deterministic': False, 'force_filter_reduction_configs': False, 'mix_order_reduction_allow_multi_stages': False, 'are_deterministic_algorithms_enabled': False, 'tiling_scores': {'x': 16384}},
    min_elem_per_thread=0
)
@triton.jit
def triton_poi_fused_embedding_select_24(in_ptr0, in_ptr1, out_ptr0, xnumel, XBLOCK : tl.constexpr):
    xnumel = 2048
    xoffset = tl.program_id(0) * XBLOCK
    xindex = xoffset + tl.arange(0, XBLOCK)[:]
    xmask = xindex < xnumel
    x1 = xindex // 16
    x0 = (xindex % 16)
    tmp0 = tl.load(in_ptr0 + (19 + 26*x1), xmask, eviction_policy='evict_last')
    tmp1 = tl.full([XBLOCK], 10000, tl.int32)
    tmp2 = tmp0 + tmp1
    tmp3 = tmp0 < 0
    tmp4 = tl.where(tmp3, tmp2, tmp0)
    tl.device_assert(((0 <= tmp4) & (tmp4 < 10000)) | ~(xmask), "index out of bounds: 0 <= tmp4 < 10000")
    tmp6 = tl.load(in_ptr1 + (x0 + 16*tmp4), xmask)
    tl.store(out_ptr0 + (x0 + 432*x1), tmp6, xmask)
''', device_str='cuda')


# kernel path: oq/coqaqx73njieyykydfsaahrrs3wfnkedlh4nng2imsvkbyzvhkkg.py
# Topologically Sorted Source Nodes: [getitem_20, embedding_20], Original ATen: [aten.select, aten.embedding]
# Source node to ATen node mapping:
#   embedding_20 => embedding_20
#   getitem_20 => select_20
# Graph fragment:
#   %remainder : Tensor "i64[128, 26][26, 1]cuda:0" = PlaceHolder[target=remainder]
#   %primals_23 : Tensor "f32[10000, 16][16, 1]cuda:0" = PlaceHolder[target=primals_23]
#   %select_20 : Tensor "i64[128][26]cuda:0"[num_users=2] = call_function[target=torch.ops.aten.select.int](args = (%remainder, 1, 20), kwargs = {})
#   %embedding_20 : Tensor "f32[128, 16][16, 1]cuda:0"[num_users=1] = call_function[target=torch.ops.aten.embedding.default](args = (%primals_23, %select_20), kwargs = {})
#   return %embedding_20
triton_poi_fused_embedding_select_25 = async_compile.triton('triton_poi_fused_embedding_select_25', '''
import triton
import triton.language as tl

from torch._inductor.runtime import triton_helpers, triton_heuristics
from torch._inductor.runtime.triton_helpers import libdevice, math as tl_math
from torch._inductor.runtime.hints import AutotuneHint, ReductionHint, TileHint, DeviceProperties
triton_helpers.set_driver_to_gpu()

@triton_heuristics.pointwise(
    size_hints={'x': 2048}, 
    filename=__file__,
    triton_meta={'signature': {'in_ptr0': '*i64', 'in_ptr1': '*fp32', 'out_ptr0': '*fp32', 'xnumel': 'i32', 'XBLOCK': 'constexpr'}, 'device': DeviceProperties(type='cuda', index=0, multi_processor_count=132, cc=90, major=9, regs_per_multiprocessor=65536, max_threads_per_multi_processor=2048, max_threads_per_block=1024, warp_size=32), 'constants': {}, 'native_matmul': False, 'enable_fp_fusion': True, 'launch_pdl': False, 'disable_ftz': False, 'configs': [{(0,): [['tt.divisibility', 16]], (1,): [['tt.divisibility', 16]], (2,): [['tt.divisibility', 16]], (3,): [['tt.divisibility', 16]]}]},
    inductor_meta={'grid_type': 'Grid1D', 'autotune_hints': set(), 'kernel_name': 'triton_poi_fused_embedding_select_25', 'mutated_arg_names': [], 'optimize_mem': False, 'no_x_dim': False, 'atomic_add_found': False, 'num_load': 1, 'num_store': 1, 'num_reduction': 0, 'backend_hash': '91D1D1166449D9E2EB66EB9770C9E2C3B0FEB787341F27FEB4D3F0338DA50336', 'assert_indirect_indexing': True, 'autotune_local_cache': True, 'autotune_pointwise': True, 'autotune_remote_cache': None, 'force_disable_caches': True, 'dynamic_scale_rblock': True, 'max_autotune': False, 'max_autotune_pointwise': False, 'min_split_scan_rblock': 256, 'spill_threshold': 16, 'store_cubin': False, 'deterministic': False, 'force_filter_reduction_configs': False, 'mix_order_reduction_allow_multi_stages': False, 'are_deterministic_algorithms_enabled': False, 'tiling_scores': {'x': 16384}},
    min_elem_per_thread=0
)
@triton.jit
def triton_poi_fused_embedding_select_25(in_ptr0, in_ptr1, out_ptr0, xnumel, XBLOCK : tl.constexpr):
    xnumel = 2048
    xoffset = tl.program_id(0) * XBLOCK
    xindex = xoffset + tl.arange(0, XBLOCK)[:]
    xmask = xindex < xnumel
    x1 = xindex // 16
    x0 = (xindex % 16)
    tmp0 = tl.load(in_ptr0 + (20 + 26*x1), xmask, eviction_policy='evict_last')
    tmp1 = tl.full([XBLOCK], 10000, tl.int32)
    tmp2 = tmp0 + tmp1
    tmp3 = tmp0 < 0
    tmp4 = tl.where(tmp3, tmp2, tmp0)
    tl.device_assert(((0 <= tmp4) & (tmp4 < 10000)) | ~(xmask), "index out of bounds: 0 <= tmp4 < 10000")
    tmp6 = tl.load(in_ptr1 + (x0 + 16*tmp4), xmask)
    tl.store(out_ptr0 + (x0 + 432*x1), tmp6, xmask)
''', device_str='cuda')


# kernel path: vn/cvnngjeyngp2qqdvne7u32xzylhuw6kcjciqdvy7z3h77vmjnozm.py
# Topologically Sorted Source Nodes: [getitem_21, embedding_21], Original ATen: [aten.select, aten.embedding]
# Source node to ATen node mapping:
#   embedding_21 => embedding_21
#   getitem_21 => select_21
# Graph fragment:
#   %remainder : Tensor "i64[128, 26][26, 1]cuda:0" = PlaceHolder[target=remainder]
#   %primals_24 : Tensor "f32[10000, 16][16, 1]cuda:0" = PlaceHolder[target=primals_24]
#   %select_21 : Tensor "i64[128][26]cuda:0"[num_users=2] = call_function[target=torch.ops.aten.select.int](args = (%remainder, 1, 21), kwargs = {})
#   %embedding_21 : Tensor "f32[128, 16][16, 1]cuda:0"[num_users=1] = call_function[target=torch.ops.aten.embedding.default](args = (%primals_24, %select_21), kwargs = {})
#   return %embedding_21
triton_poi_fused_embedding_select_26 = async_compile.triton('triton_poi_fused_embedding_select_26', '''
import triton
import triton.language as tl

from torch._inductor.runtime import triton_helpers, triton_heuristics
from torch._inductor.runtime.triton_helpers import libdevice, math as tl_math
from torch._inductor.runtime.hints import AutotuneHint, ReductionHint, TileHint, DeviceProperties
triton_helpers.set_driver_to_gpu()

@triton_heuristics.pointwise(
    size_hints={'x': 2048}, 
    filename=__file__,
    triton_meta={'signature': {'in_ptr0': '*i64', 'in_ptr1': '*fp32', 'out_ptr0': '*fp32', 'xnumel': 'i32', 'XBLOCK': 'constexpr'}, 'device': DeviceProperties(type='cuda', index=0, multi_processor_count=132, cc=90, major=9, regs_per_multiprocessor=65536, max_threads_per_multi_processor=2048, max_threads_per_block=1024, warp_size=32), 'constants': {}, 'native_matmul': False, 'enable_fp_fusion': True, 'launch_pdl': False, 'disable_ftz': False, 'configs': [{(0,): [['tt.divisibility', 16]], (1,): [['tt.divisibility', 16]], (2,): [['tt.divisibility', 16]], (3,): [['tt.divisibility', 16]]}]},
    inductor_meta={'grid_type': 'Grid1D', 'autotune_hints': set(), 'kernel_name': 'triton_poi_fused_embedding_select_26', 'mutated_arg_names': [], 'optimize_mem': False, 'no_x_dim': False, 'atomic_add_found': False, 'num_load': 1, 'num_store': 1, 'num_reduction': 0, 'backend_hash': '91D1D1166449D9E2EB66EB9770C9E2C3B0FEB787341F27FEB4D3F0338DA50336', 'assert_indirect_indexing': True, 'autotune_local_cache': True, 'autotune_pointwise': True, 'autotune_remote_cache': None, 'force_disable_caches': True, 'dynamic_scale_rblock': True, 'max_autotune': False, 'max_autotune_pointwise': False, 'min_split_scan_rblock': 256, 'spill_threshold': 16, 'store_cubin': False, 'deterministic': False, 'force_filter_reduction_configs': False, 'mix_order_reduction_allow_multi_stages': False, 'are_deterministic_algorithms_enabled': False, 'tiling_scores': {'x': 16384}},
    min_elem_per_thread=0
)
@triton.jit
def triton_poi_fused_embedding_select_26(in_ptr0, in_ptr1, out_ptr0, xnumel, XBLOCK : tl.constexpr):
    xnumel = 2048
    xoffset = tl.program_id(0) * XBLOCK
    xindex = xoffset + tl.arange(0, XBLOCK)[:]
    xmask = xindex < xnumel
    x1 = xindex // 16
    x0 = (xindex % 16)
    tmp0 = tl.load(in_ptr0 + (21 + 26*x1), xmask, eviction_policy='evict_last')
    tmp1 = tl.full([XBLOCK], 10000, tl.int32)
    tmp2 = tmp0 + tmp1
    tmp3 = tmp0 < 0
    tmp4 = tl.where(tmp3, tmp2, tmp0)
    tl.device_assert(((0 <= tmp4) & (tmp4 < 10000)) | ~(xmask), "index out of bounds: 0 <= tmp4 < 10000")
    tmp6 = tl.load(in_ptr1 + (x0 + 16*tmp4), xmask)
    tl.store(out_ptr0 + (x0 + 432*x1), tmp6, xmask)
''', device_str='cuda')


# kernel path: lv/clv7xiouh3lr62c6drq5anft6liwh2xmq2wqckz2mmrvsrlq5mnp.py
# Topologically Sorted Source Nodes: [getitem_22, embedding_22], Original ATen: [aten.select, aten.embedding]
# Source node to ATen node mapping:
#   embedding_22 => embedding_22
#   getitem_22 => select_22
# Graph fragment:
#   %remainder : Tensor "i64[128, 26][26, 1]cuda:0" = PlaceHolder[target=remainder]
#   %primals_25 : Tensor "f32[10000, 16][16, 1]cuda:0" = PlaceHolder[target=primals_25]
#   %select_22 : Tensor "i64[128][26]cuda:0"[num_users=2] = call_function[target=torch.ops.aten.select.int](args = (%remainder, 1, 22), kwargs = {})
#   %embedding_22 : Tensor "f32[128, 16][16, 1]cuda:0"[num_users=1] = call_function[target=torch.ops.aten.embedding.default](args = (%primals_25, %select_22), kwargs = {})
#   return %embedding_22
triton_poi_fused_embedding_select_27 = async_compile.triton('triton_poi_fused_embedding_select_27', '''
import triton
import triton.language as tl

from torch._inductor.runtime import triton_helpers, triton_heuristics
from torch._inductor.runtime.triton_helpers import libdevice, math as tl_math
from torch._inductor.runtime.hints import AutotuneHint, ReductionHint, TileHint, DeviceProperties
triton_helpers.set_driver_to_gpu()

@triton_heuristics.pointwise(
    size_hints={'x': 2048}, 
    filename=__file__,
    triton_meta={'signature': {'in_ptr0': '*i64', 'in_ptr1': '*fp32', 'out_ptr0': '*fp32', 'xnumel': 'i32', 'XBLOCK': 'constexpr'}, 'device': DeviceProperties(type='cuda', index=0, multi_processor_count=132, cc=90, major=9, regs_per_multiprocessor=65536, max_threads_per_multi_processor=2048, max_threads_per_block=1024, warp_size=32), 'constants': {}, 'native_matmul': False, 'enable_fp_fusion': True, 'launch_pdl': False, 'disable_ftz': False, 'configs': [{(0,): [['tt.divisibility', 16]], (1,): [['tt.divisibility', 16]], (2,): [['tt.divisibility', 16]], (3,): [['tt.divisibility', 16]]}]},
    inductor_meta={'grid_type': 'Grid1D', 'autotune_hints': set(), 'kernel_name': 'triton_poi_fused_embedding_select_27', 'mutated_arg_names': [], 'optimize_mem': False, 'no_x_dim': False, 'atomic_add_found': False, 'num_load': 1, 'num_store': 1, 'num_reduction': 0, 'backend_hash': '91D1D1166449D9E2EB66EB9770C9E2C3B0FEB787341F27FEB4D3F0338DA50336', 'assert_indirect_indexing': True, 'autotune_local_cache': True, 'autotune_pointwise': True, 'autotune_remote_cache': None, 'force_disable_caches': True, 'dynamic_scale_rblock': True, 'max_autotune': False, 'max_autotune_pointwise': False, 'min_split_scan_rblock': 256, 'spill_threshold': 16, 'store_cubin': False, 'deterministic': False, 'force_filter_reduction_configs': False, 'mix_order_reduction_allow_multi_stages': False, 'are_deterministic_algorithms_enabled': False, 'tiling_scores': {'x': 16384}},
    min_elem_per_thread=0
)
@triton.jit
def triton_poi_fused_embedding_select_27(in_ptr0, in_ptr1, out_ptr0, xnumel, XBLOCK : tl.constexpr):
    xnumel = 2048
    xoffset = tl.program_id(0) * XBLOCK
    xindex = xoffset + tl.arange(0, XBLOCK)[:]
    xmask = xindex < xnumel
    x1 = xindex // 16
    x0 = (xindex % 16)
    tmp0 = tl.load(in_ptr0 + (22 + 26*x1), xmask, eviction_policy='evict_last')
    tmp1 = tl.full([XBLOCK], 10000, tl.int32)
    tmp2 = tmp0 + tmp1
    tmp3 = tmp0 < 0
    tmp4 = tl.where(tmp3, tmp2, tmp0)
    tl.device_assert(((0 <= tmp4) & (tmp4 < 10000)) | ~(xmask), "index out of bounds: 0 <= tmp4 < 10000")
    tmp6 = tl.load(in_ptr1 + (x0 + 16*tmp4), xmask)
    tl.store(out_ptr0 + (x0 + 432*x1), tmp6, xmask)
''', device_str='cuda')


# kernel path: xf/cxf5hx34qlgdleod2sn6rm3wckifymzmo7nc3ntwnn27rlq4ojyq.py
# Topologically Sorted Source Nodes: [getitem_23, embedding_23], Original ATen: [aten.select, aten.embedding]
# Source node to ATen node mapping:
#   embedding_23 => embedding_23
#   getitem_23 => select_23
# Graph fragment:
#   %remainder : Tensor "i64[128, 26][26, 1]cuda:0" = PlaceHolder[target=remainder]
#   %primals_26 : Tensor "f32[10000, 16][16, 1]cuda:0" = PlaceHolder[target=primals_26]
#   %select_23 : Tensor "i64[128][26]cuda:0"[num_users=2] = call_function[target=torch.ops.aten.select.int](args = (%remainder, 1, 23), kwargs = {})
#   %embedding_23 : Tensor "f32[128, 16][16, 1]cuda:0"[num_users=1] = call_function[target=torch.ops.aten.embedding.default](args = (%primals_26, %select_23), kwargs = {})
#   return %embedding_23
triton_poi_fused_embedding_select_28 = async_compile.triton('triton_poi_fused_embedding_select_28', '''
import triton
import triton.language as tl

from torch._inductor.runtime import triton_helpers, triton_heuristics
from torch._inductor.runtime.triton_helpers import libdevice, math as tl_math
from torch._inductor.runtime.hints import AutotuneHint, ReductionHint, TileHint, DeviceProperties
triton_helpers.set_driver_to_gpu()

@triton_heuristics.pointwise(
    size_hints={'x': 2048}, 
    filename=__file__,
    triton_meta={'signature': {'in_ptr0': '*i64', 'in_ptr1': '*fp32', 'out_ptr0': '*fp32', 'xnumel': 'i32', 'XBLOCK': 'constexpr'}, 'device': DeviceProperties(type='cuda', index=0, multi_processor_count=132, cc=90, major=9, regs_per_multiprocessor=65536, max_threads_per_multi_processor=2048, max_threads_per_block=1024, warp_size=32), 'constants': {}, 'native_matmul': False, 'enable_fp_fusion': True, 'launch_pdl': False, 'disable_ftz': False, 'configs': [{(0,): [['tt.divisibility', 16]], (1,): [['tt.divisibility', 16]], (2,): [['tt.divisibility', 16]], (3,): [['tt.divisibility', 16]]}]},
    inductor_meta={'grid_type': 'Grid1D', 'autotune_hints': set(), 'kernel_name': 'triton_poi_fused_embedding_select_28', 'mutated_arg_names': [], 'optimize_mem': False, 'no_x_dim': False, 'atomic_add_found': False, 'num_load': 1, 'num_store': 1, 'num_reduction': 0, 'backend_hash': '91D1D1166449D9E2EB66EB9770C9E2C3B0FEB787341F27FEB4D3F0338DA50336', 'assert_indirect_indexing': True, 'autotune_local_cache': True, 'autotune_pointwise': True, 'autotune_remote_cache': None, 'force_disable_caches': True, 'dynamic_scale_rblock': True, 'max_autotune': False, 'max_autotune_pointwise': False, 'min_split_scan_rblock': 256, 'spill_threshold': 16, 'store_cubin': False, 'deterministic': False, 'force_filter_reduction_configs': False, 'mix_order_reduction_allow_multi_stages': False, 'are_deterministic_algorithms_enabled': False, 'tiling_scores': {'x': 16384}},
    min_elem_per_thread=0
)
@triton.jit
def triton_poi_fused_embedding_select_28(in_ptr0, in_ptr1, out_ptr0, xnumel, XBLOCK : tl.constexpr):
    xnumel = 2048
    xoffset = tl.program_id(0) * XBLOCK
    xindex = xoffset + tl.arange(0, XBLOCK)[:]
    xmask = xindex < xnumel
    x1 = xindex // 16
    x0 = (xindex % 16)
    tmp0 = tl.load(in_ptr0 + (23 + 26*x1), xmask, eviction_policy='evict_last')
    tmp1 = tl.full([XBLOCK], 10000, tl.int32)
    tmp2 = tmp0 + tmp1
    tmp3 = tmp0 < 0
    tmp4 = tl.where(tmp3, tmp2, tmp0)
    tl.device_assert(((0 <= tmp4) & (tmp4 < 10000)) | ~(xmask), "index out of bounds: 0 <= tmp4 < 10000")
    tmp6 = tl.load(in_ptr1 + (x0 + 16*tmp4), xmask)
    tl.store(out_ptr0 + (x0 + 432*x1), tmp6, xmask)
''', device_str='cuda')


# kernel path: 5n/c5nxejt2siazhgpitzvlig7nkllqasxgcqj6dvjyz446i3d7idle.py
# Topologically Sorted Source Nodes: [getitem_24, embedding_24], Original ATen: [aten.select, aten.embedding]
# Source node to ATen node mapping:
#   embedding_24 => embedding_24
#   getitem_24 => select_24
# Graph fragment:
#   %remainder : Tensor "i64[128, 26][26, 1]cuda:0" = PlaceHolder[target=remainder]
#   %primals_27 : Tensor "f32[10000, 16][16, 1]cuda:0" = PlaceHolder[target=primals_27]
#   %select_24 : Tensor "i64[128][26]cuda:0"[num_users=2] = call_function[target=torch.ops.aten.select.int](args = (%remainder, 1, 24), kwargs = {})
#   %embedding_24 : Tensor "f32[128, 16][16, 1]cuda:0"[num_users=1] = call_function[target=torch.ops.aten.embedding.default](args = (%primals_27, %select_24), kwargs = {})
#   return %embedding_24
triton_poi_fused_embedding_select_29 = async_compile.triton('triton_poi_fused_embedding_select_29', '''
import triton
import triton.language as tl

from torch._inductor.runtime import triton_helpers, triton_heuristics
from torch._inductor.runtime.triton_helpers import libdevice, math as tl_math
from torch._inductor.runtime.hints import AutotuneHint, ReductionHint, TileHint, DeviceProperties
triton_helpers.set_driver_to_gpu()

@triton_heuristics.pointwise(
    size_hints={'x': 2048}, 
    filename=__file__,
    triton_meta={'signature': {'in_ptr0': '*i64', 'in_ptr1': '*fp32', 'out_ptr0': '*fp32', 'xnumel': 'i32', 'XBLOCK': 'constexpr'}, 'device': DeviceProperties(type='cuda', index=0, multi_processor_count=132, cc=90, major=9, regs_per_multiprocessor=65536, max_threads_per_multi_processor=2048, max_threads_per_block=1024, warp_size=32), 'constants': {}, 'native_matmul': False, 'enable_fp_fusion': True, 'launch_pdl': False, 'disable_ftz': False, 'configs': [{(0,): [['tt.divisibility', 16]], (1,): [['tt.divisibility', 16]], (2,): [['tt.divisibility', 16]], (3,): [['tt.divisibility', 16]]}]},
    inductor_meta={'grid_type': 'Grid1D', 'autotune_hints': set(), 'kernel_name': 'triton_poi_fused_embedding_select_29', 'mutated_arg_names': [], 'optimize_mem': False, 'no_x_dim': False, 'atomic_add_found': False, 'num_load': 1, 'num_store': 1, 'num_reduction': 0, 'backend_hash': '91D1D1166449D9E2EB66EB9770C9E2C3B0FEB787341F27FEB4D3F0338DA50336', 'assert_indirect_indexing': True, 'autotune_local_cache': True, 'autotune_pointwise': True, 'autotune_remote_cache': None, 'force_disable_caches': True, 'dynamic_scale_rblock': True, 'max_autotune': False, 'max_autotune_pointwise': False, 'min_split_scan_rblock': 256, 'spill_threshold': 16, 'store_cubin': False, 'deterministic': False, 'force_filter_reduction_configs': False, 'mix_order_reduction_allow_multi_stages': False, 'are_deterministic_algorithms_enabled': False, 'tiling_scores': {'x': 16384}},
    min_elem_per_thread=0
)
@triton.jit
def triton_poi_fused_embedding_select_29(in_ptr0, in_ptr1, out_ptr0, xnumel, XBLOCK : tl.constexpr):
    xnumel = 2048
    xoffset = tl.program_id(0) * XBLOCK
    xindex = xoffset + tl.arange(0, XBLOCK)[:]
    xmask = xindex < xnumel
    x1 = xindex // 16
    x0 = (xindex % 16)
    tmp0 = tl.load(in_ptr0 + (24 + 26*x1), xmask, eviction_policy='evict_last')
    tmp1 = tl.full([XBLOCK], 10000, tl.int32)
    tmp2 = tmp0 + tmp1
    tmp3 = tmp0 < 0
    tmp4 = tl.where(tmp3, tmp2, tmp0)
    tl.device_assert(((0 <= tmp4) & (tmp4 < 10000)) | ~(xmask), "index out of bounds: 0 <= tmp4 < 10000")
    tmp6 = tl.load(in_ptr1 + (x0 + 16*tmp4), xmask)
    tl.store(out_ptr0 + (x0 + 432*x1), tmp6, xmask)
''', device_str='cuda')


# kernel path: 3r/c3r5aaqc4ayuqeu4k4ikpovzylx4hortvzeqmlmphgzoxqaaqhfi.py
# Topologically Sorted Source Nodes: [getitem_25, embedding_25], Original ATen: [aten.select, aten.embedding]
# Source node to ATen node mapping:
#   embedding_25 => embedding_25
#   getitem_25 => select_25
# Graph fragment:
#   %remainder : Tensor "i64[128, 26][26, 1]cuda:0" = PlaceHolder[target=remainder]
#   %primals_28 : Tensor "f32[10000, 16][16, 1]cuda:0" = PlaceHolder[target=primals_28]
#   %select_25 : Tensor "i64[128][26]cuda:0"[num_users=2] = call_function[target=torch.ops.aten.select.int](args = (%remainder, 1, 25), kwargs = {})
#   %embedding_25 : Tensor "f32[128, 16][16, 1]cuda:0"[num_users=1] = call_function[target=torch.ops.aten.embedding.default](args = (%primals_28, %select_25), kwargs = {})
#   return %embedding_25
triton_poi_fused_embedding_select_30 = async_compile.triton('triton_poi_fused_embedding_select_30', '''
import triton
import triton.language as tl

from torch._inductor.runtime import triton_helpers, triton_heuristics
from torch._inductor.runtime.triton_helpers import libdevice, math as tl_math
from torch._inductor.runtime.hints import AutotuneHint, ReductionHint, TileHint, DeviceProperties
triton_helpers.set_driver_to_gpu()

@triton_heuristics.pointwise(
    size_hints={'x': 2048}, 
    filename=__file__,
    triton_meta={'signature': {'in_ptr0': '*i64', 'in_ptr1': '*fp32', 'out_ptr0': '*fp32', 'xnumel': 'i32', 'XBLOCK': 'constexpr'}, 'device': DeviceProperties(type='cuda', index=0, multi_processor_count=132, cc=90, major=9, regs_per_multiprocessor=65536, max_threads_per_multi_processor=2048, max_threads_per_block=1024, warp_size=32), 'constants': {}, 'native_matmul': False, 'enable_fp_fusion': True, 'launch_pdl': False, 'disable_ftz': False, 'configs': [{(0,): [['tt.divisibility', 16]], (1,): [['tt.divisibility', 16]], (2,): [['tt.divisibility', 16]], (3,): [['tt.divisibility', 16]]}]},
    inductor_meta={'grid_type': 'Grid1D', 'autotune_hints': set(), 'kernel_name': 'triton_poi_fused_embedding_select_30', 'mutated_arg_names': [], 'optimize_mem': False, 'no_x_dim': False, 'atomic_add_found': False, 'num_load': 1, 'num_store': 1, 'num_reduction': 0, 'backend_hash': '91D1D1166449D9E2EB66EB9770C9E2C3B0FEB787341F27FEB4D3F0338DA50336', 'assert_indirect_indexing': True, 'autotune_local_cache': True, 'autotune_pointwise': True, 'autotune_remote_cache': None, 'force_disable_caches': True, 'dynamic_scale_rblock': True, 'max_autotune': False, 'max_autotune_pointwise': False, 'min_split_scan_rblock': 256, 'spill_threshold': 16, 'store_cubin': False, 'deterministic': False, 'force_filter_reduction_configs': False, 'mix_order_reduction_allow_multi_stages': False, 'are_deterministic_algorithms_enabled': False, 'tiling_scores': {'x': 16384}},
    min_elem_per_thread=0
)
@triton.jit
def triton_poi_fused_embedding_select_30(in_ptr0, in_ptr1, out_ptr0, xnumel, XBLOCK : tl.constexpr):
    xnumel = 2048
    xoffset = tl.program_id(0) * XBLOCK
    xindex = xoffset + tl.arange(0, XBLOCK)[:]
    xmask = xindex < xnumel
    x1 = xindex // 16
    x0 = (xindex % 16)
    tmp0 = tl.load(in_ptr0 + (25 + 26*x1), xmask, eviction_policy='evict_last')
    tmp1 = tl.full([XBLOCK], 10000, tl.int32)
    tmp2 = tmp0 + tmp1
    tmp3 = tmp0 < 0
    tmp4 = tl.where(tmp3, tmp2, tmp0)
    tl.device_assert(((0 <= tmp4) & (tmp4 < 10000)) | ~(xmask), "index out of bounds: 0 <= tmp4 < 10000")
    tmp6 = tl.load(in_ptr1 + (x0 + 16*tmp4), xmask)
    tl.store(out_ptr0 + (x0 + 432*x1), tmp6, xmask)
''', device_str='cuda')


# kernel path: fy/cfyhxva5aoz3uqp74un2nl7wahkpbqmyvznmchyyxm4inngay3jf.py
# Topologically Sorted Source Nodes: [getitem_26, getitem_27, mul], Original ATen: [aten.unsqueeze, aten.mul]
# Source node to ATen node mapping:
#   getitem_26 => unsqueeze
#   getitem_27 => unsqueeze_1
#   mul => mul
# Graph fragment:
#   %cat : Tensor "f32[128, 432][432, 1]cuda:0" = PlaceHolder[target=cat]
#   %unsqueeze : Tensor "f32[128, 432, 1][432, 1, 1]cuda:0"[num_users=1] = call_function[target=torch.ops.aten.unsqueeze.default](args = (%cat, 2), kwargs = {})
#   %unsqueeze_1 : Tensor "f32[128, 1, 432][432, 432, 1]cuda:0"[num_users=1] = call_function[target=torch.ops.aten.unsqueeze.default](args = (%cat, 1), kwargs = {})
#   %mul : Tensor "f32[128, 432, 432][186624, 432, 1]cuda:0"[num_users=1] = call_function[target=torch.ops.aten.mul.Tensor](args = (%unsqueeze, %unsqueeze_1), kwargs = {})
#   return %mul
triton_poi_fused_mul_unsqueeze_31 = async_compile.triton('triton_poi_fused_mul_unsqueeze_31', '''
import triton
import triton.language as tl

from torch._inductor.runtime import triton_helpers, triton_heuristics
from torch._inductor.runtime.triton_helpers import libdevice, math as tl_math
from torch._inductor.runtime.hints import AutotuneHint, ReductionHint, TileHint, DeviceProperties
triton_helpers.set_driver_to_gpu()

@triton_heuristics.pointwise(
    size_hints={'x': 33554432}, 
    filename=__file__,
    triton_meta={'signature': {'in_ptr0': '*fp32', 'out_ptr0': '*fp32', 'xnumel': 'i32', 'XBLOCK': 'constexpr'}, 'device': DeviceProperties(type='cuda', index=0, multi_processor_count=132, cc=90, major=9, regs_per_multiprocessor=65536, max_threads_per_multi_processor=2048, max_threads_per_block=1024, warp_size=32), 'constants': {}, 'native_matmul': False, 'enable_fp_fusion': True, 'launch_pdl': False, 'disable_ftz': False, 'configs': [{(0,): [['tt.divisibility', 16]], (1,): [['tt.divisibility', 16]], (2,): [['tt.divisibility', 16]]}]},
    inductor_meta={'grid_type': 'Grid1D', 'autotune_hints': set(), 'kernel_name': 'triton_poi_fused_mul_unsqueeze_31', 'mutated_arg_names': [], 'optimize_mem': False, 'no_x_dim': False, 'atomic_add_found': False, 'num_load': 2, 'num_store': 1, 'num_reduction': 0, 'backend_hash': '91D1D1166449D9E2EB66EB9770C9E2C3B0FEB787341F27FEB4D3F0338DA50336', 'assert_indirect_indexing': True, 'autotune_local_cache': True, 'autotune_pointwise': True, 'autotune_remote_cache': None, 'force_disable_caches': True, 'dynamic_scale_rblock': True, 'max_autotune': False, 'max_autotune_pointwise': False, 'min_split_scan_rblock': 256, 'spill_threshold': 16, 'store_cubin': False, 'deterministic': False, 'force_filter_reduction_configs': False, 'mix_order_reduction_allow_multi_stages': False, 'are_deterministic_algorithms_enabled': False, 'tiling_scores': {'x': 191324160}},
    min_elem_per_thread=0
)
@triton.jit
def triton_poi_fused_mul_unsqueeze_31(in_ptr0, out_ptr0, xnumel, XBLOCK : tl.constexpr):
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
''', device_str='cuda')


# kernel path: ru/crucrr2hqcusjrlilzmo3qu7dzlnsuz2aicrkwvvd5erzeyjhifc.py
# Topologically Sorted Source Nodes: [input_13, sigmoid, sub, mul_1], Original ATen: [aten.addmm, aten.sigmoid, aten.sigmoid_backward]
# Source node to ATen node mapping:
#   input_13 => add_tensor
#   mul_1 => mul_1
#   sigmoid => sigmoid
#   sub => sub
# Graph fragment:
#   %primals_43 : Tensor "f32[1][1]cuda:0" = PlaceHolder[target=primals_43]
#   %mm_default : Tensor "f32[128, 1][1, 1]cuda:0" = PlaceHolder[target=mm_default]
#   %sigmoid : Tensor "f32[128, 1][1, 1]cuda:0" = PlaceHolder[target=sigmoid]
#   %add_tensor : Tensor "f32[128, 1][1, 1]cuda:0"[num_users=1] = call_function[target=torch.ops.aten.add.Tensor](args = (%primals_43, %mm_default), kwargs = {})
#   %sigmoid : Tensor "f32[128, 1][1, 1]cuda:0"[num_users=3] = call_function[target=torch.ops.aten.sigmoid.default](args = (%add_tensor,), kwargs = {})
#   %sub : Tensor "f32[128, 1][1, 1]cuda:0"[num_users=1] = call_function[target=torch.ops.aten.sub.Tensor](args = (1, %sigmoid), kwargs = {})
#   %mul_1 : Tensor "f32[128, 1][1, 1]cuda:0"[num_users=1] = call_function[target=torch.ops.aten.mul.Tensor](args = (%sigmoid, %sub), kwargs = {})
#   return %sigmoid,%mul_1
triton_poi_fused_addmm_sigmoid_sigmoid_backward_32 = async_compile.triton('triton_poi_fused_addmm_sigmoid_sigmoid_backward_32', '''
import triton
import triton.language as tl

from torch._inductor.runtime import triton_helpers, triton_heuristics
from torch._inductor.runtime.triton_helpers import libdevice, math as tl_math
from torch._inductor.runtime.hints import AutotuneHint, ReductionHint, TileHint, DeviceProperties
triton_helpers.set_driver_to_gpu()

@triton_heuristics.pointwise(
    size_hints={'x': 128}, 
    filename=__file__,
    triton_meta={'signature': {'in_out_ptr0': '*fp32', 'in_ptr0': '*fp32', 'out_ptr0': '*fp32', 'xnumel': 'i32', 'XBLOCK': 'constexpr'}, 'device': DeviceProperties(type='cuda', index=0, multi_processor_count=132, cc=90, major=9, regs_per_multiprocessor=65536, max_threads_per_multi_processor=2048, max_threads_per_block=1024, warp_size=32), 'constants': {}, 'native_matmul': False, 'enable_fp_fusion': True, 'launch_pdl': False, 'disable_ftz': False, 'configs': [{(0,): [['tt.divisibility', 16]], (1,): [['tt.divisibility', 16]], (2,): [['tt.divisibility', 16]], (3,): [['tt.divisibility', 16]]}]},
    inductor_meta={'grid_type': 'Grid1D', 'autotune_hints': set(), 'kernel_name': 'triton_poi_fused_addmm_sigmoid_sigmoid_backward_32', 'mutated_arg_names': ['in_out_ptr0'], 'optimize_mem': False, 'no_x_dim': False, 'atomic_add_found': False, 'num_load': 2, 'num_store': 2, 'num_reduction': 0, 'backend_hash': '91D1D1166449D9E2EB66EB9770C9E2C3B0FEB787341F27FEB4D3F0338DA50336', 'assert_indirect_indexing': True, 'autotune_local_cache': True, 'autotune_pointwise': True, 'autotune_remote_cache': None, 'force_disable_caches': True, 'dynamic_scale_rblock': True, 'max_autotune': False, 'max_autotune_pointwise': False, 'min_split_scan_rblock': 256, 'spill_threshold': 16, 'store_cubin': False, 'deterministic': False, 'force_filter_reduction_configs': False, 'mix_order_reduction_allow_multi_stages': False, 'are_deterministic_algorithms_enabled': False, 'tiling_scores': {'x': 2560}},
    min_elem_per_thread=0
)
@triton.jit
def triton_poi_fused_addmm_sigmoid_sigmoid_backward_32(in_out_ptr0, in_ptr0, out_ptr0, xnumel, XBLOCK : tl.constexpr):
    xnumel = 128
    xoffset = tl.program_id(0) * XBLOCK
    xindex = xoffset + tl.arange(0, XBLOCK)[:]
    xmask = xindex < xnumel
    x0 = xindex
    tmp0 = tl.load(in_ptr0 + (0))
    tmp1 = tl.broadcast_to(tmp0, [XBLOCK])
    tmp2 = tl.load(in_out_ptr0 + (x0), xmask)
    tmp3 = tmp1 + tmp2
    tmp4 = tl.sigmoid(tmp3)
    tmp5 = tl.full([1], 1.0, tl.float32)
    tmp6 = tmp5 - tmp4
    tmp7 = tmp4 * tmp6
    tl.store(in_out_ptr0 + (x0), tmp4, xmask)
    tl.store(out_ptr0 + (x0), tmp7, xmask)
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
        primals_1, primals_2, primals_3, primals_4, primals_5, primals_6, primals_7, primals_8, primals_9, primals_10, primals_11, primals_12, primals_13, primals_14, primals_15, primals_16, primals_17, primals_18, primals_19, primals_20, primals_21, primals_22, primals_23, primals_24, primals_25, primals_26, primals_27, primals_28, primals_29, primals_30, primals_31, primals_32, primals_33, primals_34, primals_35, primals_36, primals_37, primals_38, primals_39, primals_40, primals_41, primals_42, primals_43 = args
        args.clear()
        assert_size_stride(primals_1, (26, ), (1, ))
        assert_size_stride(primals_2, (128, 26), (26, 1))
        assert_size_stride(primals_3, (10000, 16), (16, 1))
        assert_size_stride(primals_4, (10000, 16), (16, 1))
        assert_size_stride(primals_5, (10000, 16), (16, 1))
        assert_size_stride(primals_6, (10000, 16), (16, 1))
        assert_size_stride(primals_7, (10000, 16), (16, 1))
        assert_size_stride(primals_8, (10000, 16), (16, 1))
        assert_size_stride(primals_9, (10000, 16), (16, 1))
        assert_size_stride(primals_10, (10000, 16), (16, 1))
        assert_size_stride(primals_11, (10000, 16), (16, 1))
        assert_size_stride(primals_12, (10000, 16), (16, 1))
        assert_size_stride(primals_13, (10000, 16), (16, 1))
        assert_size_stride(primals_14, (10000, 16), (16, 1))
        assert_size_stride(primals_15, (10000, 16), (16, 1))
        assert_size_stride(primals_16, (10000, 16), (16, 1))
        assert_size_stride(primals_17, (10000, 16), (16, 1))
        assert_size_stride(primals_18, (10000, 16), (16, 1))
        assert_size_stride(primals_19, (10000, 16), (16, 1))
        assert_size_stride(primals_20, (10000, 16), (16, 1))
        assert_size_stride(primals_21, (10000, 16), (16, 1))
        assert_size_stride(primals_22, (10000, 16), (16, 1))
        assert_size_stride(primals_23, (10000, 16), (16, 1))
        assert_size_stride(primals_24, (10000, 16), (16, 1))
        assert_size_stride(primals_25, (10000, 16), (16, 1))
        assert_size_stride(primals_26, (10000, 16), (16, 1))
        assert_size_stride(primals_27, (10000, 16), (16, 1))
        assert_size_stride(primals_28, (10000, 16), (16, 1))
        assert_size_stride(primals_29, (512, 13), (13, 1))
        assert_size_stride(primals_30, (512, ), (1, ))
        assert_size_stride(primals_31, (128, 13), (13, 1))
        assert_size_stride(primals_32, (256, 512), (512, 1))
        assert_size_stride(primals_33, (256, ), (1, ))
        assert_size_stride(primals_34, (64, 256), (256, 1))
        assert_size_stride(primals_35, (64, ), (1, ))
        assert_size_stride(primals_36, (16, 64), (64, 1))
        assert_size_stride(primals_37, (16, ), (1, ))
        assert_size_stride(primals_38, (512, 186624), (186624, 1))
        assert_size_stride(primals_39, (512, ), (1, ))
        assert_size_stride(primals_40, (256, 512), (512, 1))
        assert_size_stride(primals_41, (256, ), (1, ))
        assert_size_stride(primals_42, (1, 256), (256, 1))
        assert_size_stride(primals_43, (1, ), (1, ))
        with torch.cuda._DeviceGuard(0):
            torch.cuda.set_device(0)
            buf0 = empty_strided_cuda((128, 26), (26, 1), torch.int64)
            # Topologically Sorted Source Nodes: [add, rows], Original ATen: [aten.add, aten.remainder]
            stream0 = get_raw_stream(0)
            triton_poi_fused_add_remainder_0.run(primals_2, primals_1, buf0, 3328, stream=stream0)
            del primals_1
            del primals_2
            buf1 = empty_strided_cuda((128, 512), (512, 1), torch.float32)
            # Topologically Sorted Source Nodes: [input_1], Original ATen: [aten.t, aten.addmm]
            extern_kernels.mm(primals_31, reinterpret_tensor(primals_29, (13, 512), (1, 13), 0), out=buf1)
            del primals_29
            buf2 = buf1; del buf1  # reuse
            # Topologically Sorted Source Nodes: [input_1, input_2], Original ATen: [aten.addmm, aten.relu]
            stream0 = get_raw_stream(0)
            triton_poi_fused_addmm_relu_1.run(buf2, primals_30, 65536, stream=stream0)
            del primals_30
            buf3 = empty_strided_cuda((128, 256), (256, 1), torch.float32)
            # Topologically Sorted Source Nodes: [input_3], Original ATen: [aten.t, aten.addmm]
            extern_kernels.mm(buf2, reinterpret_tensor(primals_32, (512, 256), (1, 512), 0), out=buf3)
            buf4 = buf3; del buf3  # reuse
            # Topologically Sorted Source Nodes: [input_3, input_4], Original ATen: [aten.addmm, aten.relu]
            stream0 = get_raw_stream(0)
            triton_poi_fused_addmm_relu_2.run(buf4, primals_33, 32768, stream=stream0)
            del primals_33
            buf5 = empty_strided_cuda((128, 64), (64, 1), torch.float32)
            # Topologically Sorted Source Nodes: [input_5], Original ATen: [aten.t, aten.addmm]
            extern_kernels.mm(buf4, reinterpret_tensor(primals_34, (256, 64), (1, 256), 0), out=buf5)
            buf6 = buf5; del buf5  # reuse
            # Topologically Sorted Source Nodes: [input_5, input_6], Original ATen: [aten.addmm, aten.relu]
            stream0 = get_raw_stream(0)
            triton_poi_fused_addmm_relu_3.run(buf6, primals_35, 8192, stream=stream0)
            del primals_35
            buf7 = empty_strided_cuda((128, 16), (16, 1), torch.float32)
            # Topologically Sorted Source Nodes: [input_7], Original ATen: [aten.t, aten.addmm]
            extern_kernels.mm(buf6, reinterpret_tensor(primals_36, (64, 16), (1, 64), 0), out=buf7)
            buf35 = empty_strided_cuda((128, 432), (432, 1), torch.float32)
            buf8 = reinterpret_tensor(buf35, (128, 16), (432, 1), 0)  # alias
            buf44 = empty_strided_cuda((128, 16), (16, 1), torch.bool)
            # Topologically Sorted Source Nodes: [input_7, input_8, le_2], Original ATen: [aten.addmm, aten.relu, aten.threshold_backward]
            stream0 = get_raw_stream(0)
            triton_poi_fused_addmm_relu_threshold_backward_4.run(primals_37, buf7, buf8, buf44, 2048, stream=stream0)
            del buf7
            del primals_37
            buf9 = reinterpret_tensor(buf35, (128, 16), (432, 1), 16)  # alias
            # Topologically Sorted Source Nodes: [add, rows, getitem, embedding], Original ATen: [aten.add, aten.remainder, aten.select, aten.embedding]
            stream0 = get_raw_stream(0)
            triton_poi_fused_add_embedding_remainder_select_5.run(buf0, primals_3, buf9, 2048, stream=stream0)
            del primals_3
            buf10 = reinterpret_tensor(buf35, (128, 16), (432, 1), 32)  # alias
            # Topologically Sorted Source Nodes: [getitem_1, embedding_1], Original ATen: [aten.select, aten.embedding]
            stream0 = get_raw_stream(0)
            triton_poi_fused_embedding_select_6.run(buf0, primals_4, buf10, 2048, stream=stream0)
            del primals_4
            buf11 = reinterpret_tensor(buf35, (128, 16), (432, 1), 48)  # alias
            # Topologically Sorted Source Nodes: [getitem_2, embedding_2], Original ATen: [aten.select, aten.embedding]
            stream0 = get_raw_stream(0)
            triton_poi_fused_embedding_select_7.run(buf0, primals_5, buf11, 2048, stream=stream0)
            del primals_5
            buf12 = reinterpret_tensor(buf35, (128, 16), (432, 1), 64)  # alias
            # Topologically Sorted Source Nodes: [getitem_3, embedding_3], Original ATen: [aten.select, aten.embedding]
            stream0 = get_raw_stream(0)
            triton_poi_fused_embedding_select_8.run(buf0, primals_6, buf12, 2048, stream=stream0)
            del primals_6
            buf13 = reinterpret_tensor(buf35, (128, 16), (432, 1), 80)  # alias
            # Topologically Sorted Source Nodes: [getitem_4, embedding_4], Original ATen: [aten.select, aten.embedding]
            stream0 = get_raw_stream(0)
            triton_poi_fused_embedding_select_9.run(buf0, primals_7, buf13, 2048, stream=stream0)
            del primals_7
            buf14 = reinterpret_tensor(buf35, (128, 16), (432, 1), 96)  # alias
            # Topologically Sorted Source Nodes: [getitem_5, embedding_5], Original ATen: [aten.select, aten.embedding]
            stream0 = get_raw_stream(0)
            triton_poi_fused_embedding_select_10.run(buf0, primals_8, buf14, 2048, stream=stream0)
            del primals_8
            buf15 = reinterpret_tensor(buf35, (128, 16), (432, 1), 112)  # alias
            # Topologically Sorted Source Nodes: [getitem_6, embedding_6], Original ATen: [aten.select, aten.embedding]
            stream0 = get_raw_stream(0)
            triton_poi_fused_embedding_select_11.run(buf0, primals_9, buf15, 2048, stream=stream0)
            del primals_9
            buf16 = reinterpret_tensor(buf35, (128, 16), (432, 1), 128)  # alias
            # Topologically Sorted Source Nodes: [getitem_7, embedding_7], Original ATen: [aten.select, aten.embedding]
            stream0 = get_raw_stream(0)
            triton_poi_fused_embedding_select_12.run(buf0, primals_10, buf16, 2048, stream=stream0)
            del primals_10
            buf17 = reinterpret_tensor(buf35, (128, 16), (432, 1), 144)  # alias
            # Topologically Sorted Source Nodes: [getitem_8, embedding_8], Original ATen: [aten.select, aten.embedding]
            stream0 = get_raw_stream(0)
            triton_poi_fused_embedding_select_13.run(buf0, primals_11, buf17, 2048, stream=stream0)
            del primals_11
            buf18 = reinterpret_tensor(buf35, (128, 16), (432, 1), 160)  # alias
            # Topologically Sorted Source Nodes: [getitem_9, embedding_9], Original ATen: [aten.select, aten.embedding]
            stream0 = get_raw_stream(0)
            triton_poi_fused_embedding_select_14.run(buf0, primals_12, buf18, 2048, stream=stream0)
            del primals_12
            buf19 = reinterpret_tensor(buf35, (128, 16), (432, 1), 176)  # alias
            # Topologically Sorted Source Nodes: [getitem_10, embedding_10], Original ATen: [aten.select, aten.embedding]
            stream0 = get_raw_stream(0)
            triton_poi_fused_embedding_select_15.run(buf0, primals_13, buf19, 2048, stream=stream0)
            del primals_13
            buf20 = reinterpret_tensor(buf35, (128, 16), (432, 1), 192)  # alias
            # Topologically Sorted Source Nodes: [getitem_11, embedding_11], Original ATen: [aten.select, aten.embedding]
            stream0 = get_raw_stream(0)
            triton_poi_fused_embedding_select_16.run(buf0, primals_14, buf20, 2048, stream=stream0)
            del primals_14
            buf21 = reinterpret_tensor(buf35, (128, 16), (432, 1), 208)  # alias
            # Topologically Sorted Source Nodes: [getitem_12, embedding_12], Original ATen: [aten.select, aten.embedding]
            stream0 = get_raw_stream(0)
            triton_poi_fused_embedding_select_17.run(buf0, primals_15, buf21, 2048, stream=stream0)
            del primals_15
            buf22 = reinterpret_tensor(buf35, (128, 16), (432, 1), 224)  # alias
            # Topologically Sorted Source Nodes: [getitem_13, embedding_13], Original ATen: [aten.select, aten.embedding]
            stream0 = get_raw_stream(0)
            triton_poi_fused_embedding_select_18.run(buf0, primals_16, buf22, 2048, stream=stream0)
            del primals_16
            buf23 = reinterpret_tensor(buf35, (128, 16), (432, 1), 240)  # alias
            # Topologically Sorted Source Nodes: [getitem_14, embedding_14], Original ATen: [aten.select, aten.embedding]
            stream0 = get_raw_stream(0)
            triton_poi_fused_embedding_select_19.run(buf0, primals_17, buf23, 2048, stream=stream0)
            del primals_17
            buf24 = reinterpret_tensor(buf35, (128, 16), (432, 1), 256)  # alias
            # Topologically Sorted Source Nodes: [getitem_15, embedding_15], Original ATen: [aten.select, aten.embedding]
            stream0 = get_raw_stream(0)
            triton_poi_fused_embedding_select_20.run(buf0, primals_18, buf24, 2048, stream=stream0)
            del primals_18
            buf25 = reinterpret_tensor(buf35, (128, 16), (432, 1), 272)  # alias
            # Topologically Sorted Source Nodes: [getitem_16, embedding_16], Original ATen: [aten.select, aten.embedding]
            stream0 = get_raw_stream(0)
            triton_poi_fused_embedding_select_21.run(buf0, primals_19, buf25, 2048, stream=stream0)
            del primals_19
            buf26 = reinterpret_tensor(buf35, (128, 16), (432, 1), 288)  # alias
            # Topologically Sorted Source Nodes: [getitem_17, embedding_17], Original ATen: [aten.select, aten.embedding]
            stream0 = get_raw_stream(0)
            triton_poi_fused_embedding_select_22.run(buf0, primals_20, buf26, 2048, stream=stream0)
            del primals_20
            buf27 = reinterpret_tensor(buf35, (128, 16), (432, 1), 304)  # alias
            # Topologically Sorted Source Nodes: [getitem_18, embedding_18], Original ATen: [aten.select, aten.embedding]
            stream0 = get_raw_stream(0)
            triton_poi_fused_embedding_select_23.run(buf0, primals_21, buf27, 2048, stream=stream0)
            del primals_21
            buf28 = reinterpret_tensor(buf35, (128, 16), (432, 1), 320)  # alias
            # Topologically Sorted Source Nodes: [getitem_19, embedding_19], Original ATen: [aten.select, aten.embedding]
            stream0 = get_raw_stream(0)
            triton_poi_fused_embedding_select_24.run(buf0, primals_22, buf28, 2048, stream=stream0)
            del primals_22
            buf29 = reinterpret_tensor(buf35, (128, 16), (432, 1), 336)  # alias
            # Topologically Sorted Source Nodes: [getitem_20, embedding_20], Original ATen: [aten.select, aten.embedding]
            stream0 = get_raw_stream(0)
            triton_poi_fused_embedding_select_25.run(buf0, primals_23, buf29, 2048, stream=stream0)
            del primals_23
            buf30 = reinterpret_tensor(buf35, (128, 16), (432, 1), 352)  # alias
            # Topologically Sorted Source Nodes: [getitem_21, embedding_21], Original ATen: [aten.select, aten.embedding]
            stream0 = get_raw_stream(0)
            triton_poi_fused_embedding_select_26.run(buf0, primals_24, buf30, 2048, stream=stream0)
            del primals_24
            buf31 = reinterpret_tensor(buf35, (128, 16), (432, 1), 368)  # alias
            # Topologically Sorted Source Nodes: [getitem_22, embedding_22], Original ATen: [aten.select, aten.embedding]
            stream0 = get_raw_stream(0)
            triton_poi_fused_embedding_select_27.run(buf0, primals_25, buf31, 2048, stream=stream0)
            del primals_25
            buf32 = reinterpret_tensor(buf35, (128, 16), (432, 1), 384)  # alias
            # Topologically Sorted Source Nodes: [getitem_23, embedding_23], Original ATen: [aten.select, aten.embedding]
            stream0 = get_raw_stream(0)
            triton_poi_fused_embedding_select_28.run(buf0, primals_26, buf32, 2048, stream=stream0)
            del primals_26
            buf33 = reinterpret_tensor(buf35, (128, 16), (432, 1), 400)  # alias
            # Topologically Sorted Source Nodes: [getitem_24, embedding_24], Original ATen: [aten.select, aten.embedding]
            stream0 = get_raw_stream(0)
            triton_poi_fused_embedding_select_29.run(buf0, primals_27, buf33, 2048, stream=stream0)
            del primals_27
            buf34 = reinterpret_tensor(buf35, (128, 16), (432, 1), 416)  # alias
            # Topologically Sorted Source Nodes: [getitem_25, embedding_25], Original ATen: [aten.select, aten.embedding]
            stream0 = get_raw_stream(0)
            triton_poi_fused_embedding_select_30.run(buf0, primals_28, buf34, 2048, stream=stream0)
            del primals_28
            buf36 = empty_strided_cuda((128, 432, 432), (186624, 432, 1), torch.float32)
            # Topologically Sorted Source Nodes: [getitem_26, getitem_27, mul], Original ATen: [aten.unsqueeze, aten.mul]
            stream0 = get_raw_stream(0)
            triton_poi_fused_mul_unsqueeze_31.run(buf35, buf36, 23887872, stream=stream0)
            buf37 = empty_strided_cuda((128, 512), (512, 1), torch.float32)
            # Topologically Sorted Source Nodes: [getitem_26, getitem_27, mul, flatten, input_9], Original ATen: [aten.unsqueeze, aten.mul, aten.view, aten.t, aten.addmm]
            extern_kernels.mm(reinterpret_tensor(buf36, (128, 186624), (186624, 1), 0), reinterpret_tensor(primals_38, (186624, 512), (1, 186624), 0), out=buf37)
            buf38 = buf37; del buf37  # reuse
            # Topologically Sorted Source Nodes: [input_9, input_10], Original ATen: [aten.addmm, aten.relu]
            stream0 = get_raw_stream(0)
            triton_poi_fused_addmm_relu_1.run(buf38, primals_39, 65536, stream=stream0)
            del primals_39
            buf39 = empty_strided_cuda((128, 256), (256, 1), torch.float32)
            # Topologically Sorted Source Nodes: [input_11], Original ATen: [aten.t, aten.addmm]
            extern_kernels.mm(buf38, reinterpret_tensor(primals_40, (512, 256), (1, 512), 0), out=buf39)
            buf40 = buf39; del buf39  # reuse
            # Topologically Sorted Source Nodes: [input_11, input_12], Original ATen: [aten.addmm, aten.relu]
            stream0 = get_raw_stream(0)
            triton_poi_fused_addmm_relu_2.run(buf40, primals_41, 32768, stream=stream0)
            del primals_41
            buf41 = empty_strided_cuda((128, 1), (1, 1), torch.float32)
            # Topologically Sorted Source Nodes: [input_13], Original ATen: [aten.t, aten.addmm]
            extern_kernels.mm(buf40, reinterpret_tensor(primals_42, (256, 1), (1, 256), 0), out=buf41)
            buf42 = buf41; del buf41  # reuse
            buf43 = empty_strided_cuda((128, 1), (1, 1), torch.float32)
            # Topologically Sorted Source Nodes: [input_13, sigmoid, sub, mul_1], Original ATen: [aten.addmm, aten.sigmoid, aten.sigmoid_backward]
            stream0 = get_raw_stream(0)
            triton_poi_fused_addmm_sigmoid_sigmoid_backward_32.run(buf42, primals_43, buf43, 128, stream=stream0)
            del primals_43
        return (reinterpret_tensor(buf42, (128, ), (1, ), 0), primals_31, primals_32, primals_34, primals_36, primals_38, primals_40, primals_42, reinterpret_tensor(buf0, (128, ), (26, ), 0), reinterpret_tensor(buf0, (128, ), (26, ), 1), reinterpret_tensor(buf0, (128, ), (26, ), 2), reinterpret_tensor(buf0, (128, ), (26, ), 3), reinterpret_tensor(buf0, (128, ), (26, ), 4), reinterpret_tensor(buf0, (128, ), (26, ), 5), reinterpret_tensor(buf0, (128, ), (26, ), 6), reinterpret_tensor(buf0, (128, ), (26, ), 7), reinterpret_tensor(buf0, (128, ), (26, ), 8), reinterpret_tensor(buf0, (128, ), (26, ), 9), reinterpret_tensor(buf0, (128, ), (26, ), 10), reinterpret_tensor(buf0, (128, ), (26, ), 11), reinterpret_tensor(buf0, (128, ), (26, ), 12), reinterpret_tensor(buf0, (128, ), (26, ), 13), reinterpret_tensor(buf0, (128, ), (26, ), 14), reinterpret_tensor(buf0, (128, ), (26, ), 15), reinterpret_tensor(buf0, (128, ), (26, ), 16), reinterpret_tensor(buf0, (128, ), (26, ), 17), reinterpret_tensor(buf0, (128, ), (26, ), 18), reinterpret_tensor(buf0, (128, ), (26, ), 19), reinterpret_tensor(buf0, (128, ), (26, ), 20), reinterpret_tensor(buf0, (128, ), (26, ), 21), reinterpret_tensor(buf0, (128, ), (26, ), 22), reinterpret_tensor(buf0, (128, ), (26, ), 23), reinterpret_tensor(buf0, (128, ), (26, ), 24), reinterpret_tensor(buf0, (128, ), (26, ), 25), buf2, buf4, buf6, buf35, reinterpret_tensor(buf36, (128, 186624), (186624, 1), 0), buf38, buf40, buf43, buf44, )

runner = Runner(partitions=[])
call = runner.call
recursively_apply_fns = runner.recursively_apply_fns


def get_args():
    from torch._dynamo.testing import rand_strided
    primals_1 = rand_strided((26, ), (1, ), device='cuda:0', dtype=torch.int64)
    primals_2 = rand_strided((128, 26), (26, 1), device='cuda:0', dtype=torch.int64)
    primals_3 = rand_strided((10000, 16), (16, 1), device='cuda:0', dtype=torch.float32)
    primals_4 = rand_strided((10000, 16), (16, 1), device='cuda:0', dtype=torch.float32)
    primals_5 = rand_strided((10000, 16), (16, 1), device='cuda:0', dtype=torch.float32)
    primals_6 = rand_strided((10000, 16), (16, 1), device='cuda:0', dtype=torch.float32)
    primals_7 = rand_strided((10000, 16), (16, 1), device='cuda:0', dtype=torch.float32)
    primals_8 = rand_strided((10000, 16), (16, 1), device='cuda:0', dtype=torch.float32)
    primals_9 = rand_strided((10000, 16), (16, 1), device='cuda:0', dtype=torch.float32)
    primals_10 = rand_strided((10000, 16), (16, 1), device='cuda:0', dtype=torch.float32)
    primals_11 = rand_strided((10000, 16), (16, 1), device='cuda:0', dtype=torch.float32)
    primals_12 = rand_strided((10000, 16), (16, 1), device='cuda:0', dtype=torch.float32)
    primals_13 = rand_strided((10000, 16), (16, 1), device='cuda:0', dtype=torch.float32)
    primals_14 = rand_strided((10000, 16), (16, 1), device='cuda:0', dtype=torch.float32)
    primals_15 = rand_strided((10000, 16), (16, 1), device='cuda:0', dtype=torch.float32)
    primals_16 = rand_strided((10000, 16), (16, 1), device='cuda:0', dtype=torch.float32)
    primals_17 = rand_strided((10000, 16), (16, 1), device='cuda:0', dtype=torch.float32)
    primals_18 = rand_strided((10000, 16), (16, 1), device='cuda:0', dtype=torch.float32)
    primals_19 = rand_strided((10000, 16), (16, 1), device='cuda:0', dtype=torch.float32)
    primals_20 = rand_strided((10000, 16), (16, 1), device='cuda:0', dtype=torch.float32)
    primals_21 = rand_strided((10000, 16), (16, 1), device='cuda:0', dtype=torch.float32)
    primals_22 = rand_strided((10000, 16), (16, 1), device='cuda:0', dtype=torch.float32)
    primals_23 = rand_strided((10000, 16), (16, 1), device='cuda:0', dtype=torch.float32)
    primals_24 = rand_strided((10000, 16), (16, 1), device='cuda:0', dtype=torch.float32)
    primals_25 = rand_strided((10000, 16), (16, 1), device='cuda:0', dtype=torch.float32)
    primals_26 = rand_strided((10000, 16), (16, 1), device='cuda:0', dtype=torch.float32)
    primals_27 = rand_strided((10000, 16), (16, 1), device='cuda:0', dtype=torch.float32)
    primals_28 = rand_strided((10000, 16), (16, 1), device='cuda:0', dtype=torch.float32)
    primals_29 = rand_strided((512, 13), (13, 1), device='cuda:0', dtype=torch.float32)
    primals_30 = rand_strided((512, ), (1, ), device='cuda:0', dtype=torch.float32)
    primals_31 = rand_strided((128, 13), (13, 1), device='cuda:0', dtype=torch.float32)
    primals_32 = rand_strided((256, 512), (512, 1), device='cuda:0', dtype=torch.float32)
    primals_33 = rand_strided((256, ), (1, ), device='cuda:0', dtype=torch.float32)
    primals_34 = rand_strided((64, 256), (256, 1), device='cuda:0', dtype=torch.float32)
    primals_35 = rand_strided((64, ), (1, ), device='cuda:0', dtype=torch.float32)
    primals_36 = rand_strided((16, 64), (64, 1), device='cuda:0', dtype=torch.float32)
    primals_37 = rand_strided((16, ), (1, ), device='cuda:0', dtype=torch.float32)
    primals_38 = rand_strided((512, 186624), (186624, 1), device='cuda:0', dtype=torch.float32)
    primals_39 = rand_strided((512, ), (1, ), device='cuda:0', dtype=torch.float32)
    primals_40 = rand_strided((256, 512), (512, 1), device='cuda:0', dtype=torch.float32)
    primals_41 = rand_strided((256, ), (1, ), device='cuda:0', dtype=torch.float32)
    primals_42 = rand_strided((1, 256), (256, 1), device='cuda:0', dtype=torch.float32)
    primals_43 = rand_strided((1, ), (1, ), device='cuda:0', dtype=torch.float32)
    return [primals_1, primals_2, primals_3, primals_4, primals_5, primals_6, primals_7, primals_8, primals_9, primals_10, primals_11, primals_12, primals_13, primals_14, primals_15, primals_16, primals_17, primals_18, primals_19, primals_20, primals_21, primals_22, primals_23, primals_24, primals_25, primals_26, primals_27, primals_28, primals_29, primals_30, primals_31, primals_32, primals_33, primals_34, primals_35, primals_36, primals_37, primals_38, primals_39, primals_40, primals_41, primals_42, primals_43]


def benchmark_compiled_module(args, times=10, repeat=10):
    from torch._inductor.utils import print_performance
    fn = lambda: call(list(args))
    return print_performance(fn, times=times, repeat=repeat)


if __name__ == "__main__":
    from torch._inductor.wrapper_benchmark import compiled_module_main
    args = get_args()
    compiled_module_main('None', lambda times, repeat: benchmark_compiled_module(args, times=times, repeat=repeat))
