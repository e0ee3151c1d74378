# AOT ID: ['1_inference']
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


# kernel path: ea/ceal4kn6c5nuc6pqpjppzvxx572my6juqwn2jk3p5z53kw22ev6r.py
# Topologically Sorted Source Nodes: [input_1, input_2], Original ATen: [aten.addmm, aten.relu]
# Source node to ATen node mapping:
#   input_1 => add_tensor_6
#   input_2 => relu
# Graph fragment:
#   %arg30_1 : Tensor "f32[512][1]cuda:0" = PlaceHolder[target=arg30_1]
#   %mm_default_6 : Tensor "f32[s35, 512][512, 1]cuda:0" = PlaceHolder[target=mm_default_6]
#   %add_tensor_6 : Tensor "f32[s35, 512][512, 1]cuda:0"[num_users=1] = call_function[target=torch.ops.aten.add.Tensor](args = (%arg30_1, %mm_default_6), kwargs = {})
#   %relu : Tensor "f32[s35, 512][512, 1]cuda:0"[num_users=1] = call_function[target=torch.ops.aten.relu.default](args = (%add_tensor_6,), kwargs = {})
#   return %relu
triton_poi_fused_addmm_relu_0 = async_compile.triton('triton_poi_fused_addmm_relu_0', '''
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
    inductor_meta={'grid_type': 'Grid1D', 'autotune_hints': set(), 'kernel_name': 'triton_poi_fused_addmm_relu_0', 'mutated_arg_names': ['in_out_ptr0'], 'optimize_mem': True, 'no_x_dim': False, 'atomic_add_found': False, 'num_load': 2, 'num_store': 1, 'num_reduction': 0, 'backend_hash': '91D1D1166449D9E2EB66EB9770C9E2C3B0FEB787341F27FEB4D3F0338DA50336', 'assert_indirect_indexing': True, 'autotune_local_cache': True, 'autotune_pointwise': True, 'autotune_remote_cache': None, 'force_disable_caches': True, 'dynamic_scale_rblock': True, 'max_autotune': False, 'max_autotune_pointwise': False, 'min_split_scan_rblock': 256, 'spill_threshold': 16, 'store_cubin': False, 'deterministic': False, 'force_filter_reduction_configs': False, 'mix_order_reduction_allow_multi_stages': False, 'are_deterministic_algorithms_enabled': False, 'tiling_scores': {'x': 788480}},
    min_elem_per_thread=0
)
@triton.jit
def triton_poi_fused_addmm_relu_0(in_out_ptr0, in_ptr0, xnumel, XBLOCK : tl.constexpr):
    xoffset = tl.program_id(0) * XBLOCK
    xindex = xoffset + tl.arange(0, XBLOCK)[:]
    xmask = xindex < xnumel
    x0 = (xindex % 512)
    x2 = xindex
    tmp0 = tl.load(in_ptr0 + (x0), xmask, eviction_policy='evict_last')
    tmp1 = tl.load(in_out_ptr0 + (x2), xmask)
    tmp2 = tmp0 + tmp1
    tmp3 = tl.full([1], 0, tl.int32)
    tmp4 = triton_helpers.maximum(tmp3, tmp2)
    tl.store(in_out_ptr0 + (x2), tmp4, xmask)
''', device_str='cuda')


# kernel path: 6z/c6zwyssrd33nukojukgoiqj4e3fk5mc3z2jdjy7mh46xq2vnr7jx.py
# Topologically Sorted Source Nodes: [input_3, input_4], Original ATen: [aten.addmm, aten.relu]
# Source node to ATen node mapping:
#   input_3 => add_tensor_5
#   input_4 => relu_1
# Graph fragment:
#   %arg33_1 : Tensor "f32[256][1]cuda:0" = PlaceHolder[target=arg33_1]
#   %mm_default_5 : Tensor "f32[s35, 256][256, 1]cuda:0" = PlaceHolder[target=mm_default_5]
#   %add_tensor_5 : Tensor "f32[s35, 256][256, 1]cuda:0"[num_users=1] = call_function[target=torch.ops.aten.add.Tensor](args = (%arg33_1, %mm_default_5), kwargs = {})
#   %relu_1 : Tensor "f32[s35, 256][256, 1]cuda:0"[num_users=1] = call_function[target=torch.ops.aten.relu.default](args = (%add_tensor_5,), kwargs = {})
#   return %relu_1
triton_poi_fused_addmm_relu_1 = async_compile.triton('triton_poi_fused_addmm_relu_1', '''
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
    inductor_meta={'grid_type': 'Grid1D', 'autotune_hints': set(), 'kernel_name': 'triton_poi_fused_addmm_relu_1', 'mutated_arg_names': ['in_out_ptr0'], 'optimize_mem': True, 'no_x_dim': False, 'atomic_add_found': False, 'num_load': 2, 'num_store': 1, 'num_reduction': 0, 'backend_hash': '91D1D1166449D9E2EB66EB9770C9E2C3B0FEB787341F27FEB4D3F0338DA50336', 'assert_indirect_indexing': True, 'autotune_local_cache': True, 'autotune_pointwise': True, 'autotune_remote_cache': None, 'force_disable_caches': True, 'dynamic_scale_rblock': True, 'max_autotune': False, 'max_autotune_pointwise': False, 'min_split_scan_rblock': 256, 'spill_threshold': 16, 'store_cubin': False, 'deterministic': False, 'force_filter_reduction_configs': False, 'mix_order_reduction_allow_multi_stages': False, 'are_deterministic_algorithms_enabled': False, 'tiling_scores': {'x': 394240}},
    min_elem_per_thread=0
)
@triton.jit
def triton_poi_fused_addmm_relu_1(in_out_ptr0, in_ptr0, xnumel, XBLOCK : tl.constexpr):
    xoffset = tl.program_id(0) * XBLOCK
    xindex = xoffset + tl.arange(0, XBLOCK)[:]
    xmask = xindex < xnumel
    x0 = (xindex % 256)
    x2 = xindex
    tmp0 = tl.load(in_ptr0 + (x0), xmask, eviction_policy='evict_last')
    tmp1 = tl.load(in_out_ptr0 + (x2), xmask)
    tmp2 = tmp0 + tmp1
    tmp3 = tl.full([1], 0, tl.int32)
    tmp4 = triton_helpers.maximum(tmp3, tmp2)
    tl.store(in_out_ptr0 + (x2), tmp4, xmask)
''', device_str='cuda')


# kernel path: jr/cjrtsrk7ttibxogdjkpwvelqbvajn7fmnbyrl5m6caqa3yba5ask.py
# Topologically Sorted Source Nodes: [input_5, input_6], Original ATen: [aten.addmm, aten.relu]
# Source node to ATen node mapping:
#   input_5 => add_tensor_4
#   input_6 => relu_2
# Graph fragment:
#   %arg35_1 : Tensor "f32[64][1]cuda:0" = PlaceHolder[target=arg35_1]
#   %mm_default_4 : Tensor "f32[s35, 64][64, 1]cuda:0" = PlaceHolder[target=mm_default_4]
#   %add_tensor_4 : Tensor "f32[s35, 64][64, 1]cuda:0"[num_users=1] = call_function[target=torch.ops.aten.add.Tensor](args = (%arg35_1, %mm_default_4), kwargs = {})
#   %relu_2 : Tensor "f32[s35, 64][64, 1]cuda:0"[num_users=1] = call_function[target=torch.ops.aten.relu.default](args = (%add_tensor_4,), kwargs = {})
#   return %relu_2
triton_poi_fused_addmm_relu_2 = async_compile.triton('triton_poi_fused_addmm_relu_2', '''
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
    inductor_meta={'grid_type': 'Grid1D', 'autotune_hints': set(), 'kernel_name': 'triton_poi_fused_addmm_relu_2', 'mutated_arg_names': ['in_out_ptr0'], 'optimize_mem': True, 'no_x_dim': False, 'atomic_add_found': False, 'num_load': 2, 'num_store': 1, 'num_reduction': 0, 'backend_hash': '91D1D1166449D9E2EB66EB9770C9E2C3B0FEB787341F27FEB4D3F0338DA50336', 'assert_indirect_indexing': True, 'autotune_local_cache': True, 'autotune_pointwise': True, 'autotune_remote_cache': None, 'force_disable_caches': True, 'dynamic_scale_rblock': True, 'max_autotune': False, 'max_autotune_pointwise': False, 'min_split_scan_rblock': 256, 'spill_threshold': 16, 'store_cubin': False, 'deterministic': False, 'force_filter_reduction_configs': False, 'mix_order_reduction_allow_multi_stages': False, 'are_deterministic_algorithms_enabled': False, 'tiling_scores': {'x': 98560}},
    min_elem_per_thread=0
)
@triton.jit
def triton_poi_fused_addmm_relu_2(in_out_ptr0, in_ptr0, xnumel, XBLOCK : tl.constexpr):
    xoffset = tl.program_id(0) * XBLOCK
    xindex = xoffset + tl.arange(0, XBLOCK)[:]
    xmask = xindex < xnumel
    x0 = (xindex % 64)
    x2 = xindex
    tmp0 = tl.load(in_ptr0 + (x0), xmask, eviction_policy='evict_last')
    tmp1 = tl.load(in_out_ptr0 + (x2), xmask)
    tmp2 = tmp0 + tmp1
    tmp3 = tl.full([1], 0, tl.int32)
    tmp4 = triton_helpers.maximum(tmp3, tmp2)
    tl.store(in_out_ptr0 + (x2), tmp4, xmask)
''', device_str='cuda')


# kernel path: qz/cqz2hn3lihg77hhdyw2kv3dwec35gsdji73czyo4fikwgmic3zpp.py
# Topologically Sorted Source Nodes: [input_7, input_8], Original ATen: [aten.addmm, aten.relu]
# Source node to ATen node mapping:
#   input_7 => add_tensor_3
#   input_8 => relu_3
# Graph fragment:
#   %arg37_1 : Tensor "f32[16][1]cuda:0" = PlaceHolder[target=arg37_1]
#   %mm_default_3 : Tensor "f32[s35, 16][16, 1]cuda:0" = PlaceHolder[target=mm_default_3]
#   %add_tensor_3 : Tensor "f32[s35, 16][16, 1]cuda:0"[num_users=1] = call_function[target=torch.ops.aten.add.Tensor](args = (%arg37_1, %mm_default_3), kwargs = {})
#   %relu_3 : Tensor "f32[s35, 16][16, 1]cuda:0"[num_users=1] = call_function[target=torch.ops.aten.relu.default](args = (%add_tensor_3,), kwargs = {})
#   return %relu_3
triton_poi_fused_addmm_relu_3 = async_compile.triton('triton_poi_fused_addmm_relu_3', '''
import triton
import triton.language as tl

from torch._inductor.runtime import triton_helpers, triton_heuristics
from torch._inductor.runtime.triton_helpers import libdevice, math as tl_math
from torch._inductor.runtime.hints import AutotuneHint, ReductionHint, TileHint, DeviceProperties
triton_helpers.set_driver_to_gpu()

@triton_heuristics.pointwise(
    size_hints={'x': 2048}, 
    filename=__file__,
    triton_meta={'signature': {'in_ptr0': '*fp32', 'in_ptr1': '*fp32', 'out_ptr0': '*fp32', 'xnumel': 'i32', 'XBLOCK': 'constexpr'}, 'device': DeviceProperties(type='cuda', index=0, multi_processor_count=132, cc=90, major=9, regs_per_multiprocessor=65536, max_threads_per_multi_processor=2048, max_threads_per_block=1024, warp_size=32), 'constants': {}, 'native_matmul': False, 'enable_fp_fusion': True, 'launch_pdl': False, 'disable_ftz': False, 'configs': [{(0,): [['tt.divisibility', 16]], (1,): [['tt.divisibility', 16]], (2,): [['tt.divisibility', 16]], (3,): [['tt.divisibility', 16]]}]},
    inductor_meta={'grid_type': 'Grid1D', 'autotune_hints': set(), 'kernel_name': 'triton_poi_fused_addmm_relu_3', 'mutated_arg_names': [], 'optimize_mem': True, 'no_x_dim': False, 'atomic_add_found': False, 'num_load': 2, 'num_store': 1, 'num_reduction': 0, 'backend_hash': '91D1D1166449D9E2EB66EB9770C9E2C3B0FEB787341F27FEB4D3F0338DA50336', 'assert_indirect_indexing': True, 'autotune_local_cache': True, 'autotune_pointwise': True, 'autotune_remote_cache': None, 'force_disable_caches': True, 'dynamic_scale_rblock': True, 'max_autotune': False, 'max_autotune_pointwise': False, 'min_split_scan_rblock': 256, 'spill_threshold': 16, 'store_cubin': False, 'deterministic': False, 'force_filter_reduction_configs': False, 'mix_order_reduction_allow_multi_stages': False, 'are_deterministic_algorithms_enabled': False, 'tiling_scores': {'x': 24640}},
    min_elem_per_thread=0
)
@triton.jit
def triton_poi_fused_addmm_relu_3(in_ptr0, in_ptr1, out_ptr0, xnumel, XBLOCK : tl.constexpr):
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
    tl.store(out_ptr0 + (x0 + 432*x1), tmp4, xmask)
''', device_str='cuda')


# kernel path: yu/cyuyll2mjctkq2vg7se6m2wjune7snnljecc3vntseolr3uavsju.py
# Topologically Sorted Source Nodes: [add, rows, getitem, embedding], Original ATen: [aten.add, aten.remainder, aten.select, aten.embedding]
# Source node to ATen node mapping:
#   add => add
#   embedding => embedding
#   getitem => select
#   rows => remainder
# Graph fragment:
#   %arg2_1 : Tensor "i64[s35, 26][26, 1]cuda:0" = PlaceHolder[target=arg2_1]
#   %arg0_1 : Tensor "i64[26][1]cuda:0" = PlaceHolder[target=arg0_1]
#   %arg3_1 : Tensor "f32[10000, 16][16, 1]cuda:0" = PlaceHolder[target=arg3_1]
#   %add : Tensor "i64[s35, 26][26, 1]cuda:0"[num_users=1] = call_function[target=torch.ops.aten.add.Tensor](args = (%arg2_1, 1), kwargs = {})
#   %remainder : Tensor "i64[s35, 26][26, 1]cuda:0"[num_users=26] = call_function[target=torch.ops.aten.remainder.Tensor](args = (%add, %arg0_1), kwargs = {})
#   %select : Tensor "i64[s35][26]cuda:0"[num_users=1] = call_function[target=torch.ops.aten.select.int](args = (%remainder, 1, 0), kwargs = {})
#   %embedding : Tensor "f32[s35, 16][16, 1]cuda:0"[num_users=1] = call_function[target=torch.ops.aten.embedding.default](args = (%arg3_1, %select), kwargs = {})
#   return %embedding
triton_poi_fused_add_embedding_remainder_select_4 = async_compile.triton('triton_poi_fused_add_embedding_remainder_select_4', '''
import triton
import triton.language as tl

from torch._inductor.runtime import triton_helpers, triton_heuristics
from torch._inductor.runtime.triton_helpers import libdevice, math as tl_math
from torch._inductor.runtime.hints import AutotuneHint, ReductionHint, TileHint, DeviceProperties
triton_helpers.set_driver_to_gpu()

@triton_heuristics.pointwise(
    size_hints={'x': 2048}, 
    filename=__file__,
    triton_meta={'signature': {'in_ptr0': '*i64', 'in_ptr1': '*i64', 'in_ptr2': '*fp32', 'out_ptr0': '*fp32', 'xnumel': 'i32', 'XBLOCK': 'constexpr'}, 'device': DeviceProperties(type='cuda', index=0, multi_processor_count=132, cc=90, major=9, regs_per_multiprocessor=65536, max_threads_per_multi_processor=2048, max_threads_per_block=1024, warp_size=32), 'constants': {}, 'native_matmul': False, 'enable_fp_fusion': True, 'launch_pdl': False, 'disable_ftz': False, 'configs': [{(0,): [['tt.divisibility', 16]], (1,): [['tt.divisibility', 16]], (2,): [['tt.divisibility', 16]], (3,): [['tt.divisibility', 16]], (4,): [['tt.divisibility', 16]]}]},
    inductor_meta={'grid_type': 'Grid1D', 'autotune_hints': set(), 'kernel_name': 'triton_poi_fused_add_embedding_remainder_select_4', 'mutated_arg_names': [], 'optimize_mem': True, 'no_x_dim': False, 'atomic_add_found': False, 'num_load': 2, 'num_store': 1, 'num_reduction': 0, 'backend_hash': '91D1D1166449D9E2EB66EB9770C9E2C3B0FEB787341F27FEB4D3F0338DA50336', 'assert_indirect_indexing': True, 'autotune_local_cache': True, 'autotune_pointwise': True, 'autotune_remote_cache': None, 'force_disable_caches': True, 'dynamic_scale_rblock': True, 'max_autotune': False, 'max_autotune_pointwise': False, 'min_split_scan_rblock': 256, 'spill_threshold': 16, 'store_cubin': False, 'deterministic': False, 'force_filter_reduction_configs': False, 'mix_order_reduction_allow_multi_stages': False, 'are_deterministic_algorithms_enabled': False, 'tiling_scores': {'x': 16384}},
    min_elem_per_thread=0
)
@triton.jit
def triton_poi_fused_add_embedding_remainder_select_4(in_ptr0, in_ptr1, in_ptr2, out_ptr0, xnumel, XBLOCK : tl.constexpr):
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
''', device_str='cuda')


# kernel path: v2/cv2cqrcau3w6scx3o4vk4ooc53leyrsba4tiovebqhnglkfzifml.py
# Topologically Sorted Source Nodes: [add, rows, getitem_1, embedding_1], Original ATen: [aten.add, aten.remainder, aten.select, aten.embedding]
# Source node to ATen node mapping:
#   add => add
#   embedding_1 => embedding_1
#   getitem_1 => select_1
#   rows => remainder
# Graph fragment:
#   %arg2_1 : Tensor "i64[s35, 26][26, 1]cuda:0" = PlaceHolder[target=arg2_1]
#   %arg0_1 : Tensor "i64[26][1]cuda:0" = PlaceHolder[target=arg0_1]
#   %arg4_1 : Tensor "f32[10000, 16][16, 1]cuda:0" = PlaceHolder[target=arg4_1]
#   %add : Tensor "i64[s35, 26][26, 1]cuda:0"[num_users=1] = call_function[target=torch.ops.aten.add.Tensor](args = (%arg2_1, 1), kwargs = {})
#   %remainder : Tensor "i64[s35, 26][26, 1]cuda:0"[num_users=26] = call_function[target=torch.ops.aten.remainder.Tensor](args = (%add, %arg0_1), kwargs = {})
#   %select_1 : Tensor "i64[s35][26]cuda:0"[num_users=1] = call_function[target=torch.ops.aten.select.int](args = (%remainder, 1, 1), kwargs = {})
#   %embedding_1 : Tensor "f32[s35, 16][16, 1]cuda:0"[num_users=1] = call_function[target=torch.ops.aten.embedding.default](args = (%arg4_1, %select_1), kwargs = {})
#   return %embedding_1
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
    triton_meta={'signature': {'in_ptr0': '*i64', 'in_ptr1': '*i64', 'in_ptr2': '*fp32', 'out_ptr0': '*fp32', 'xnumel': 'i32', 'XBLOCK': 'constexpr'}, 'device': DeviceProperties(type='cuda', index=0, multi_processor_count=132, cc=90, major=9, regs_per_multiprocessor=65536, max_threads_per_multi_processor=2048, max_threads_per_block=1024, warp_size=32), 'constants': {}, 'native_matmul': False, 'enable_fp_fusion': True, 'launch_pdl': False, 'disable_ftz': False, 'configs': [{(0,): [['tt.divisibility', 16]], (1,): [['tt.divisibility', 16]], (2,): [['tt.divisibility', 16]], (3,): [['tt.divisibility', 16]], (4,): [['tt.divisibility', 16]]}]},
    inductor_meta={'grid_type': 'Grid1D', 'autotune_hints': set(), 'kernel_name': 'triton_poi_fused_add_embedding_remainder_select_5', 'mutated_arg_names': [], 'optimize_mem': True, 'no_x_dim': False, 'atomic_add_found': False, 'num_load': 2, 'num_store': 1, 'num_reduction': 0, 'backend_hash': '91D1D1166449D9E2EB66EB9770C9E2C3B0FEB787341F27FEB4D3F0338DA50336', 'assert_indirect_indexing': True, 'autotune_local_cache': True, 'autotune_pointwise': True, 'autotune_remote_cache': None, 'force_disable_caches': True, 'dynamic_scale_rblock': True, 'max_autotune': False, 'max_autotune_pointwise': False, 'min_split_scan_rblock': 256, 'spill_threshold': 16, 'store_cubin': False, 'deterministic': False, 'force_filter_reduction_configs': False, 'mix_order_reduction_allow_multi_stages': False, 'are_deterministic_algorithms_enabled': False, 'tiling_scores': {'x': 16384}},
    min_elem_per_thread=0
)
@triton.jit
def triton_poi_fused_add_embedding_remainder_select_5(in_ptr0, in_ptr1, in_ptr2, out_ptr0, xnumel, XBLOCK : tl.constexpr):
    xoffset = tl.program_id(0) * XBLOCK
    xindex = xoffset + tl.arange(0, XBLOCK)[:]
    xmask = xindex < xnumel
    x1 = xindex // 16
    x0 = (xindex % 16)
    tmp0 = tl.load(in_ptr0 + (1 + 26*x1), xmask, eviction_policy='evict_last')
    tmp3 = tl.load(in_ptr1 + (1))
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
''', device_str='cuda')


# kernel path: 2x/c2xbsklc5ekw7fhf3tpwq2ltz4gas7ueo43ibejcxhbvtbkwofas.py
# Topologically Sorted Source Nodes: [add, rows, getitem_2, embedding_2], Original ATen: [aten.add, aten.remainder, aten.select, aten.embedding]
# Source node to ATen node mapping:
#   add => add
#   embedding_2 => embedding_2
#   getitem_2 => select_2
#   rows => remainder
# Graph fragment:
#   %arg2_1 : Tensor "i64[s35, 26][26, 1]cuda:0" = PlaceHolder[target=arg2_1]
#   %arg0_1 : Tensor "i64[26][1]cuda:0" = PlaceHolder[target=arg0_1]
#   %arg5_1 : Tensor "f32[10000, 16][16, 1]cuda:0" = PlaceHolder[target=arg5_1]
#   %add : Tensor "i64[s35, 26][26, 1]cuda:0"[num_users=1] = call_function[target=torch.ops.aten.add.Tensor](args = (%arg2_1, 1), kwargs = {})
#   %remainder : Tensor "i64[s35, 26][26, 1]cuda:0"[num_users=26] = call_function[target=torch.ops.aten.remainder.Tensor](args = (%add, %arg0_1), kwargs = {})
#   %select_2 : Tensor "i64[s35][26]cuda:0"[num_users=1] = call_function[target=torch.ops.aten.select.int](args = (%remainder, 1, 2), kwargs = {})
#   %embedding_2 : Tensor "f32[s35, 16][16, 1]cuda:0"[num_users=1] = call_function[target=torch.ops.aten.embedding.default](args = (%arg5_1, %select_2), kwargs = {})
#   return %embedding_2
triton_poi_fused_add_embedding_remainder_select_6 = async_compile.triton('triton_poi_fused_add_embedding_remainder_select_6', '''
import triton
import triton.language as tl

from torch._inductor.runtime import triton_helpers, triton_heuristics
from torch._inductor.runtime.triton_helpers import libdevice, math as tl_math
from torch._inductor.runtime.hints import AutotuneHint, ReductionHint, TileHint, DeviceProperties
triton_helpers.set_driver_to_gpu()

@triton_heuristics.pointwise(
    size_hints={'x': 2048}, 
    filename=__file__,
    triton_meta={'signature': {'in_ptr0': '*i64', 'in_ptr1': '*i64', 'in_ptr2': '*fp32', 'out_ptr0': '*fp32', 'xnumel': 'i32', 'XBLOCK': 'constexpr'}, 'device': DeviceProperties(type='cuda', index=0, multi_processor_count=132, cc=90, major=9, regs_per_multiprocessor=65536, max_threads_per_multi_processor=2048, max_threads_per_block=1024, warp_size=32), 'constants': {}, 'native_matmul': False, 'enable_fp_fusion': True, 'launch_pdl': False, 'disable_ftz': False, 'configs': [{(0,): [['tt.divisibility', 16]], (1,): [['tt.divisibility', 16]], (2,): [['tt.divisibility', 16]], (3,): [['tt.divisibility', 16]], (4,): [['tt.divisibility', 16]]}]},
    inductor_meta={'grid_type': 'Grid1D', 'autotune_hints': set(), 'kernel_name': 'triton_poi_fused_add_embedding_remainder_select_6', 'mutated_arg_names': [], 'optimize_mem': True, 'no_x_dim': False, 'atomic_add_found': False, 'num_load': 2, 'num_store': 1, 'num_reduction': 0, 'backend_hash': '91D1D1166449D9E2EB66EB9770C9E2C3B0FEB787341F27FEB4D3F0338DA50336', 'assert_indirect_indexing': True, 'autotune_local_cache': True, 'autotune_pointwise': True, 'autotune_remote_cache': None, 'force_disable_caches': True, 'dynamic_scale_rblock': True, 'max_autotune': False, 'max_autotune_pointwise': False, 'min_split_scan_rblock': 256, 'spill_threshold': 16, 'store_cubin': False, 'deterministic': False, 'force_filter_reduction_configs': False, 'mix_order_reduction_allow_multi_stages': False, 'are_deterministic_algorithms_enabled': False, 'tiling_scores': {'x': 16384}},
    min_elem_per_thread=0
)
@triton.jit
def triton_poi_fused_add_embedding_remainder_select_6(in_ptr0, in_ptr1, in_ptr2, out_ptr0, xnumel, XBLOCK : tl.constexpr):
    xoffset = tl.program_id(0) * XBLOCK
    xindex = xoffset + tl.arange(0, XBLOCK)[:]
    xmask = xindex < xnumel
    x1 = xindex // 16
    x0 = (xindex % 16)
    tmp0 = tl.load(in_ptr0 + (2 + 26*x1), xmask, eviction_policy='evict_last')
    tmp3 = tl.load(in_ptr1 + (2))
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
''', device_str='cuda')


# kernel path: cp/ccpvz722a7ve2k65d37rhkonbrbz4p5d4fv27htlgarlmajbvpvk.py
# Topologically Sorted Source Nodes: [add, rows, getitem_3, embedding_3], Original ATen: [aten.add, aten.remainder, aten.select, aten.embedding]
# Source node to ATen node mapping:
#   add => add
#   embedding_3 => embedding_3
#   getitem_3 => select_3
#   rows => remainder
# Graph fragment:
#   %arg2_1 : Tensor "i64[s35, 26][26, 1]cuda:0" = PlaceHolder[target=arg2_1]
#   %arg0_1 : Tensor "i64[26][1]cuda:0" = PlaceHolder[target=arg0_1]
#   %arg6_1 : Tensor "f32[10000, 16][16, 1]cuda:0" = PlaceHolder[target=arg6_1]
#   %add : Tensor "i64[s35, 26][26, 1]cuda:0"[num_users=1] = call_function[target=torch.ops.aten.add.Tensor](args = (%arg2_1, 1), kwargs = {})
#   %remainder : Tensor "i64[s35, 26][26, 1]cuda:0"[num_users=26] = call_function[target=torch.ops.aten.remainder.Tensor](args = (%add, %arg0_1), kwargs = {})
#   %select_3 : Tensor "i64[s35][26]cuda:0"[num_users=1] = call_function[target=torch.ops.aten.select.int](args = (%remainder, 1, 3), kwargs = {})
#   %embedding_3 : Tensor "f32[s35, 16][16, 1]cuda:0"[num_users=1] = call_function[target=torch.ops.aten.embedding.default](args = (%arg6_1, %select_3), kwargs = {})
#   return %embedding_3
triton_poi_fused_add_embedding_remainder_select_7 = async_compile.triton('triton_poi_fused_add_embedding_remainder_select_7', '''
import triton
import triton.language as tl

from torch._inductor.runtime import triton_helpers, triton_heuristics
from torch._inductor.runtime.triton_helpers import libdevice, math as tl_math
from torch._inductor.runtime.hints import AutotuneHint, ReductionHint, TileHint, DeviceProperties
triton_helpers.set_driver_to_gpu()

@triton_heuristics.pointwise(
    size_hints={'x': 2048}, 
    filename=__file__,
    triton_meta={'signature': {'in_ptr0': '*i64', 'in_ptr1': '*i64', 'in_ptr2': '*fp32', 'out_ptr0': '*fp32', 'xnumel': 'i32', 'XBLOCK': 'constexpr'}, 'device': DeviceProperties(type='cuda', index=0, multi_processor_count=132, cc=90, major=9, regs_per_multiprocessor=65536, max_threads_per_multi_processor=2048, max_threads_per_block=1024, warp_size=32), 'constants': {}, 'native_matmul': False, 'enable_fp_fusion': True, 'launch_pdl': False, 'disable_ftz': False, 'configs': [{(0,): [['tt.divisibility', 16]], (1,): [['tt.divisibility', 16]], (2,): [['tt.divisibility', 16]], (3,): [['tt.divisibility', 16]], (4,): [['tt.divisibility', 16]]}]},
    inductor_meta={'grid_type': 'Grid1D', 'autotune_hints': set(), 'kernel_name': 'triton_poi_fused_add_embedding_remainder_select_7', 'mutated_arg_names': [], 'optimize_mem': True, 'no_x_dim': False, 'atomic_add_found': False, 'num_load': 2, 'num_store': 1, 'num_reduction': 0, 'backend_hash': '91D1D1166449D9E2EB66EB9770C9E2C3B0FEB787341F27FEB4D3F0338DA50336', 'assert_indirect_indexing': True, 'autotune_local_cache': True, 'autotune_pointwise': True, 'autotune_remote_cache': None, 'force_disable_caches': True, 'dynamic_scale_rblock': True, 'max_autotune': False, 'max_autotune_pointwise': False, 'min_split_scan_rblock': 256, 'spill_threshold': 16, 'store_cubin': False, 'deterministic': False, 'force_filter_reduction_configs': False, 'mix_order_reduction_allow_multi_stages': False, 'are_deterministic_algorithms_enabled': False, 'tiling_scores': {'x': 16384}},
    min_elem_per_thread=0
)
@triton.jit
def triton_poi_fused_add_embedding_remainder_select_7(in_ptr0, in_ptr1, in_ptr2, out_ptr0, xnumel, XBLOCK : tl.constexpr):
    xoffset = tl.program_id(0) * XBLOCK
    xindex = xoffset + tl.arange(0, XBLOCK)[:]
    xmask = xindex < xnumel
    x1 = xindex // 16
    x0 = (xindex % 16)
    tmp0 = tl.load(in_ptr0 + (3 + 26*x1), xmask, eviction_policy='evict_last')
    tmp3 = tl.load(in_ptr1 + (3))
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
''', device_str='cuda')


# kernel path: 7n/c7nyfypijz523thyqgcxb4imuwumu5wkg66ioyhu24hs4czunvww.py
# Topologically Sorted Source Nodes: [add, rows, getitem_4, embedding_4], Original ATen: [aten.add, aten.remainder, aten.select, aten.embedding]
# Source node to ATen node mapping:
#   add => add
#   embedding_4 => embedding_4
#   getitem_4 => select_4
#   rows => remainder
# Graph fragment:
#   %arg2_1 : Tensor "i64[s35, 26][26, 1]cuda:0" = PlaceHolder[target=arg2_1]
#   %arg0_1 : Tensor "i64[26][1]cuda:0" = PlaceHolder[target=arg0_1]
#   %arg7_1 : Tensor "f32[10000, 16][16, 1]cuda:0" = PlaceHolder[target=arg7_1]
#   %add : Tensor "i64[s35, 26][26, 1]cuda:0"[num_users=1] = call_function[target=torch.ops.aten.add.Tensor](args = (%arg2_1, 1), kwargs = {})
#   %remainder : Tensor "i64[s35, 26][26, 1]cuda:0"[num_users=26] = call_function[target=torch.ops.aten.remainder.Tensor](args = (%add, %arg0_1), kwargs = {})
#   %select_4 : Tensor "i64[s35][26]cuda:0"[num_users=1] = call_function[target=torch.ops.aten.select.int](args = (%remainder, 1, 4), kwargs = {})
#   %embedding_4 : Tensor "f32[s35, 16][16, 1]cuda:0"[num_users=1] = call_function[target=torch.ops.aten.embedding.default](args = (%arg7_1, %select_4), kwargs = {})
#   return %embedding_4
triton_poi_fused_add_embedding_remainder_select_8 = async_compile.triton('triton_poi_fused_add_embedding_remainder_select_8', '''
import triton
import triton.language as tl

from torch._inductor.runtime import triton_helpers, triton_heuristics
from torch._inductor.runtime.triton_helpers import libdevice, math as tl_math
from torch._inductor.runtime.hints import AutotuneHint, ReductionHint, TileHint, DeviceProperties
triton_helpers.set_driver_to_gpu()

@triton_heuristics.pointwise(
    size_hints={'x': 2048}, 
    filename=__file__,
    triton_meta={'signature': {'in_ptr0': '*i64', 'in_ptr1': '*i64', 'in_ptr2': '*fp32', 'out_ptr0': '*fp32', 'xnumel': 'i32', 'XBLOCK': 'constexpr'}, 'device': DeviceProperties(type='cuda', index=0, multi_processor_count=132, cc=90, major=9, regs_per_multiprocessor=65536, max_threads_per_multi_processor=2048, max_threads_per_block=1024, warp_size=32), 'constants': {}, 'native_matmul': False, 'enable_fp_fusion': True, 'launch_pdl': False, 'disable_ftz': False, 'configs': [{(0,): [['tt.divisibility', 16]], (1,): [['tt.divisibility', 16]], (2,): [['tt.divisibility', 16]], (3,): [['tt.divisibility', 16]], (4,): [['tt.divisibility', 16]]}]},
    inductor_meta={'grid_type': 'Grid1D', 'autotune_hints': set(), 'kernel_name': 'triton_poi_fused_add_embedding_remainder_select_8', 'mutated_arg_names': [], 'optimize_mem': True, 'no_x_dim': False, 'atomic_add_found': False, 'num_load': 2, 'num_store': 1, 'num_reduction': 0, 'backend_hash': '91D1D1166449D9E2EB66EB9770C9E2C3B0FEB787341F27FEB4D3F0338DA50336', 'assert_indirect_indexing': True, 'autotune_local_cache': True, 'autotune_pointwise': True, 'autotune_remote_cache': None, 'force_disable_caches': True, 'dynamic_scale_rblock': True, 'max_autotune': False, 'max_autotune_pointwise': False, 'min_split_scan_rblock': 256, 'spill_threshold': 16, 'store_cubin': False, 'deterministic': False, 'force_filter_reduction_configs': False, 'mix_order_reduction_allow_multi_stages': False, 'are_deterministic_algorithms_enabled': False, 'tiling_scores': {'x': 16384}},
    min_elem_per_thread=0
)
@triton.jit
def triton_poi_fused_add_embedding_remainder_select_8(in_ptr0, in_ptr1, in_ptr2, out_ptr0, xnumel, XBLOCK : tl.constexpr):
    xoffset = tl.program_id(0) * XBLOCK
    xindex = xoffset + tl.arange(0, XBLOCK)[:]
    xmask = xindex < xnumel
    x1 = xindex // 16
    x0 = (xindex % 16)
    tmp0 = tl.load(in_ptr0 + (4 + 26*x1), xmask, eviction_policy='evict_last')
    tmp3 = tl.load(in_ptr1 + (4))
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
''', device_str='cuda')


# kernel path: 3d/c3d7gokq337pxnpb256qyvtilmhlf2abifdg4qmxc2rhvaw37fq4.py
# Topologically Sorted Source Nodes: [add, rows, getitem_5, embedding_5], Original ATen: [aten.add, aten.remainder, aten.select, aten.embedding]
# Source node to ATen node mapping:
#   add => add
#   embedding_5 => embedding_5
#   getitem_5 => select_5
#   rows => remainder
# Graph fragment:
#   %arg2_1 : Tensor "i64[s35, 26][26, 1]cuda:0" = PlaceHolder[target=arg2_1]
#   %arg0_1 : Tensor "i64[26][1]cuda:0" = PlaceHolder[target=arg0_1]
#   %arg8_1 : Tensor "f32[10000, 16][16, 1]cuda:0" = PlaceHolder[target=arg8_1]
#   %add : Tensor "i64[s35, 26][26, 1]cuda:0"[num_users=1] = call_function[target=torch.ops.aten.add.Tensor](args = (%arg2_1, 1), kwargs = {})
#   %remainder : Tensor "i64[s35, 26][26, 1]cuda:0"[num_users=26] = call_function[target=torch.ops.aten.remainder.Tensor](args = (%add, %arg0_1), kwargs = {})
#   %select_5 : Tensor "i64[s35][26]cuda:0"[num_users=1] = call_function[target=torch.ops.aten.select.int](args = (%remainder, 1, 5), kwargs = {})
#   %embedding_5 : Tensor "f32[s35, 16][16, 1]cuda:0"[num_users=1] = call_function[target=torch.ops.aten.embedding.default](args = (%arg8_1, %select_5), kwargs = {})
#   return %embedding_5
triton_poi_fused_add_embedding_remainder_select_9 = async_compile.triton('triton_poi_fused_add_embedding_remainder_select_9', '''
import triton
import triton.language as tl

from torch._inductor.runtime import triton_helpers, triton_heuristics
from torch._inductor.runtime.triton_helpers import libdevice, math as tl_math
from torch._inductor.runtime.hints import AutotuneHint, ReductionHint, TileHint, DeviceProperties
triton_helpers.set_driver_to_gpu()

@triton_heuristics.pointwise(
    size_hints={'x': 2048}, 
    filename=__file__,
    triton_meta={'signature': {'in_ptr0': '*i64', 'in_ptr1': '*i64', 'in_ptr2': '*fp32', 'out_ptr0': '*fp32', 'xnumel': 'i32', 'XBLOCK': 'constexpr'}, 'device': DeviceProperties(type='cuda', index=0, multi_processor_count=132, cc=90, major=9, regs_per_multiprocessor=65536, max_threads_per_multi_processor=2048, max_threads_per_block=1024, warp_size=32), 'constants': {}, 'native_matmul': False, 'enable_fp_fusion': True, 'launch_pdl': False, 'disable_ftz': False, 'configs': [{(0,): [['tt.divisibility', 16]], (1,): [['tt.divisibility', 16]], (2,): [['tt.divisibility', 16]], (3,): [['tt.divisibility', 16]], (4,): [['tt.divisibility', 16]]}]},
    inductor_meta={'grid_type': 'Grid1D', 'autotune_hints': set(), 'kernel_name': 'triton_poi_fused_add_embedding_remainder_select_9', 'mutated_arg_names': [], 'optimize_mem': True, 'no_x_dim': False, 'atomic_add_found': False, 'num_load': 2, 'num_store': 1, 'num_reduction': 0, 'backend_hash': '91D1D1166449D9E2EB66EB9770C9E2C3B0FEB787341F27FEB4D3F0338DA50336', 'assert_indirect_indexing': True, 'autotune_local_cache': True, 'autotune_pointwise': True, 'autotune_remote_cache': None, 'force_disable_caches': True, 'dynamic_scale_rblock': True, 'max_autotune': False, 'max_autotune_pointwise': False, 'min_split_scan_rblock': 256, 'spill_threshold': 16, 'store_cubin': False, 'deterministic': False, 'force_filter_reduction_configs': False, 'mix_order_reduction_allow_multi_stages': False, 'are_deterministic_algorithms_enabled': False, 'tiling_scores': {'x': 16384}},
    min_elem_per_thread=0
)
@triton.jit
def triton_poi_fused_add_embedding_remainder_select_9(in_ptr0, in_ptr1, in_ptr2, out_ptr0, xnumel, XBLOCK : tl.constexpr):
    xoffset = tl.program_id(0) * XBLOCK
    xindex = xoffset + tl.arange(0, XBLOCK)[:]
    xmask = xindex < xnumel
    x1 = xindex // 16
    x0 = (xindex % 16)
    tmp0 = tl.load(in_ptr0 + (5 + 26*x1), xmask, eviction_policy='evict_last')
    tmp3 = tl.load(in_ptr1 + (5))
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
''', device_str='cuda')


# kernel path: 2s/c2s76tix47db35w54xw7vv7hgf3vzfr37goccvyxdnuvfn3u5cft.py
# Topologically Sorted Source Nodes: [add, rows, getitem_6, embedding_6], Original ATen: [aten.add, aten.remainder, aten.select, aten.embedding]
# Source node to ATen node mapping:
#   add => add
#   embedding_6 => embedding_6
#   getitem_6 => select_6
#   rows => remainder
# Graph fragment:
#   %arg2_1 : Tensor "i64[s35, 26][26, 1]cuda:0" = PlaceHolder[target=arg2_1]
#   %arg0_1 : Tensor "i64[26][1]cuda:0" = PlaceHolder[target=arg0_1]
#   %arg9_1 : Tensor "f32[10000, 16][16, 1]cuda:0" = PlaceHolder[target=arg9_1]
#   %add : Tensor "i64[s35, 26][26, 1]cuda:0"[num_users=1] = call_function[target=torch.ops.aten.add.Tensor](args = (%arg2_1, 1), kwargs = {})
#   %remainder : Tensor "i64[s35, 26][26, 1]cuda:0"[num_users=26] = call_function[target=torch.ops.aten.remainder.Tensor](args = (%add, %arg0_1), kwargs = {})
#   %select_6 : Tensor "i64[s35][26]cuda:0"[num_users=1] = call_function[target=torch.ops.aten.select.int](args = (%remainder, 1, 6), kwargs = {})
#   %embedding_6 : Tensor "f32[s35, 16][16, 1]cuda:0"[num_users=1] = call_function[target=torch.ops.aten.embedding.default](args = (%arg9_1, %select_6), kwargs = {})
#   return %embedding_6
triton_poi_fused_add_embedding_remainder_select_10 = async_compile.triton('triton_poi_fused_add_embedding_remainder_select_10', '''
import triton
import triton.language as tl

from torch._inductor.runtime import triton_helpers, triton_heuristics
from torch._inductor.runtime.triton_helpers import libdevice, math as tl_math
from torch._inductor.runtime.hints import AutotuneHint, ReductionHint, TileHint, DeviceProperties
triton_helpers.set_driver_to_gpu()

@triton_heuristics.pointwise(
    size_hints={'x': 2048}, 
    filename=__file__,
    triton_meta={'signature': {'in_ptr0': '*i64', 'in_ptr1': '*i64', 'in_ptr2': '*fp32', 'out_ptr0': '*fp32', 'xnumel': 'i32', 'XBLOCK': 'constexpr'}, 'device': DeviceProperties(type='cuda', index=0, multi_processor_count=132, cc=90, major=9, regs_per_multiprocessor=65536, max_threads_per_multi_processor=2048, max_threads_per_block=1024, warp_size=32), 'constants': {}, 'native_matmul': False, 'enable_fp_fusion': True, 'launch_pdl': False, 'disable_ftz': False, 'configs': [{(0,): [['tt.divisibility', 16]], (1,): [['tt.divisibility', 16]], (2,): [['tt.divisibility', 16]], (3,): [['tt.divisibility', 16]], (4,): [['tt.divisibility', 16]]}]},
    inductor_meta={'grid_type': 'Grid1D', 'autotune_hints': set(), 'kernel_name': 'triton_poi_fused_add_embedding_remainder_select_10', 'mutated_arg_names': [], 'optimize_mem': True, 'no_x_dim': False, 'atomic_add_found': False, 'num_load': 2, 'num_store': 1, 'num_reduction': 0, 'backend_hash': '91D1D1166449D9E2EB66EB9770C9E2C3B0FEB787341F27FEB4D3F0338DA50336', 'assert_indirect_indexing': True, 'autotune_local_cache': True, 'autotune_pointwise': True, 'autotune_remote_cache': None, 'force_disable_caches': True, 'dynamic_scale_rblock': True, 'max_autotune': False, 'max_autotune_pointwise': False, 'min_split_scan_rblock': 256, 'spill_threshold': 16, 'store_cubin': False, 'deterministic': False, 'force_filter_reduction_configs': False, 'mix_order_reduction_allow_multi_stages': False, 'are_deterministic_algorithms_enabled': False, 'tiling_scores': {'x': 16384}},
    min_elem_per_thread=0
)
@triton.jit
def triton_poi_fused_add_embedding_remainder_select_10(in_ptr0, in_ptr1, in_ptr2, out_ptr0, xnumel, XBLOCK : tl.constexpr):
    xoffset = tl.program_id(0) * XBLOCK
    xindex = xoffset + tl.arange(0, XBLOCK)[:]
    xmask = xindex < xnumel
    x1 = xindex // 16
    x0 = (xindex % 16)
    tmp0 = tl.load(in_ptr0 + (6 + 26*x1), xmask, eviction_policy='evict_last')
    tmp3 = tl.load(in_ptr1 + (6))
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
''', device_str='cuda')


# kernel path: ll/cll65ddzxwh3cs57wypjd2um7c3gj7c66vy77cesjtlsoidas2pd.py
# Topologically Sorted Source Nodes: [add, rows, getitem_7, embedding_7], Original ATen: [aten.add, aten.remainder, aten.select, aten.embedding]
# Source node to ATen node mapping:
#   add => add
#   embedding_7 => embedding_7
#   getitem_7 => select_7
#   rows => remainder
# Graph fragment:
#   %arg2_1 : Tensor "i64[s35, 26][26, 1]cuda:0" = PlaceHolder[target=arg2_1]
#   %arg0_1 : Tensor "i64[26][1]cuda:0" = PlaceHolder[target=arg0_1]
#   %arg10_1 : Tensor "f32[10000, 16][16, 1]cuda:0" = PlaceHolder[target=arg10_1]
#   %add : Tensor "i64[s35, 26][26, 1]cuda:0"[num_users=1] = call_function[target=torch.ops.aten.add.Tensor](args = (%arg2_1, 1), kwargs = {})
#   %remainder : Tensor "i64[s35, 26][26, 1]cuda:0"[num_users=26] = call_function[target=torch.ops.aten.remainder.Tensor](args = (%add, %arg0_1), kwargs = {})
#   %select_7 : Tensor "i64[s35][26]cuda:0"[num_users=1] = call_function[target=torch.ops.aten.select.int](args = (%remainder, 1, 7), kwargs = {})
#   %embedding_7 : Tensor "f32[s35, 16][16, 1]cuda:0"[num_users=1] = call_function[target=torch.ops.aten.embedding.default](args = (%arg10_1, %select_7), kwargs = {})
#   return %embedding_7
triton_poi_fused_add_embedding_remainder_select_11 = async_compile.triton('triton_poi_fused_add_embedding_remainder_select_11', '''
import triton
import triton.language as tl

from torch._inductor.runtime import triton_helpers, triton_heuristics
from torch._inductor.runtime.triton_helpers import libdevice, math as tl_math
from torch._inductor.runtime.hints import AutotuneHint, ReductionHint, TileHint, DeviceProperties
triton_helpers.set_driver_to_gpu()

@triton_heuristics.pointwise(
    size_hints={'x': 2048}, 
    filename=__file__,
    triton_meta={'signature': {'in_ptr0': '*i64', 'in_ptr1': '*i64', 'in_ptr2': '*fp32', 'out_ptr0': '*fp32', 'xnumel': 'i32', 'XBLOCK': 'constexpr'}, 'device': DeviceProperties(type='cuda', index=0, multi_processor_count=132, cc=90, major=9, regs_per_multiprocessor=65536, max_threads_per_multi_processor=2048, max_threads_per_block=1024, warp_size=32), 'constants': {}, 'native_matmul': False, 'enable_fp_fusion': True, 'launch_pdl': False, 'disable_ftz': False, 'configs': [{(0,): [['tt.divisibility', 16]], (1,): [['tt.divisibility', 16]], (2,): [['tt.divisibility', 16]], (3,): [['tt.divisibility', 16]], (4,): [['tt.divisibility', 16]]}]},
    inductor_meta={'grid_type': 'Grid1D', 'autotune_hints': set(), 'kernel_name': 'triton_poi_fused_add_embedding_remainder_select_11', 'mutated_arg_names': [], 'optimize_mem': True, 'no_x_dim': False, 'atomic_add_found': False, 'num_load': 2, 'num_store': 1, 'num_reduction': 0, 'backend_hash': '91D1D1166449D9E2EB66EB9770C9E2C3B0FEB787341F27FEB4D3F0338DA50336', 'assert_indirect_indexing': True, 'autotune_local_cache': True, 'autotune_pointwise': True, 'autotune_remote_cache': None, 'force_disable_caches': True, 'dynamic_scale_rblock': True, 'max_autotune': False, 'max_autotune_pointwise': False, 'min_split_scan_rblock': 256, 'spill_threshold': 16, 'store_cubin': False, 'deterministic': False, 'force_filter_reduction_configs': False, 'mix_order_reduction_allow_multi_stages': False, 'are_deterministic_algorithms_enabled': False, 'tiling_scores': {'x': 16384}},
    min_elem_per_thread=0
)
@triton.jit
def triton_poi_fused_add_embedding_remainder_select_11(in_ptr0, in_ptr1, in_ptr2, out_ptr0, xnumel, XBLOCK : tl.constexpr):
    xoffset = tl.program_id(0) * XBLOCK
    xindex = xoffset + tl.arange(0, XBLOCK)[:]
    xmask = xindex < xnumel
    x1 = xindex // 16
    x0 = (xindex % 16)
    tmp0 = tl.load(in_ptr0 + (7 + 26*x1), xmask, eviction_policy='evict_last')
    tmp3 = tl.load(in_ptr1 + (7))
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
''', device_str='cuda')


# kernel path: tp/ctpdf5vedwutlthj4vnqgf2sn4qqijceefdsclo3s2u2b7l7qo4x.py
# Topologically Sorted Source Nodes: [add, rows, getitem_8, embedding_8], Original ATen: [aten.add, aten.remainder, aten.select, aten.embedding]
# Source node to ATen node mapping:
#   add => add
#   embedding_8 => embedding_8
#   getitem_8 => select_8
#   rows => remainder
# Graph fragment:
#   %arg2_1 : Tensor "i64[s35, 26][26, 1]cuda:0" = PlaceHolder[target=arg2_1]
#   %arg0_1 : Tensor "i64[26][1]cuda:0" = PlaceHolder[target=arg0_1]
#   %arg11_1 : Tensor "f32[10000, 16][16, 1]cuda:0" = PlaceHolder[target=arg11_1]
#   %add : Tensor "i64[s35, 26][26, 1]cuda:0"[num_users=1] = call_function[target=torch.ops.aten.add.Tensor](args = (%arg2_1, 1), kwargs = {})
#   %remainder : Tensor "i64[s35, 26][26, 1]cuda:0"[num_users=26] = call_function[target=torch.ops.aten.remainder.Tensor](args = (%add, %arg0_1), kwargs = {})
#   %select_8 : Tensor "i64[s35][26]cuda:0"[num_users=1] = call_function[target=torch.ops.aten.select.int](args = (%remainder, 1, 8), kwargs = {})
#   %embedding_8 : Tensor "f32[s35, 16][16, 1]cuda:0"[num_users=1] = call_function[target=torch.ops.aten.embedding.default](args = (%arg11_1, %select_8), kwargs = {})
#   return %embedding_8
triton_poi_fused_add_embedding_remainder_select_12 = async_compile.triton('triton_poi_fused_add_embedding_remainder_select_12', '''
import triton
import triton.language as tl

from torch._inductor.runtime import triton_helpers, triton_heuristics
from torch._inductor.runtime.triton_helpers import libdevice, math as tl_math
from torch._inductor.runtime.hints import AutotuneHint, ReductionHint, TileHint, DeviceProperties
triton_helpers.set_driver_to_gpu()

@triton_heuristics.pointwise(
    size_hints={'x': 2048}, 
    filename=__file__,
    triton_meta={'signature': {'in_ptr0': '*i64', 'in_ptr1': '*i64', 'in_ptr2': '*fp32', 'out_ptr0': '*fp32', 'xnumel': 'i32', 'XBLOCK': 'constexpr'}, 'device': DeviceProperties(type='cuda', index=0, multi_processor_count=132, cc=90, major=9, regs_per_multiprocessor=65536, max_threads_per_multi_processor=2048, max_threads_per_block=1024, warp_size=32), 'constants': {}, 'native_matmul': False, 'enable_fp_fusion': True, 'launch_pdl': False, 'disable_ftz': False, 'configs': [{(0,): [['tt.divisibility', 16]], (1,): [['tt.divisibility', 16]], (2,): [['tt.divisibility', 16]], (3,): [['tt.divisibility', 16]], (4,): [['tt.divisibility', 16]]}]},
    inductor_meta={'grid_type': 'Grid1D', 'autotune_hints': set(), 'kernel_name': 'triton_poi_fused_add_embedding_remainder_select_12', 'mutated_arg_names': [], 'optimize_mem': True, 'no_x_dim': False, 'atomic_add_found': False, 'num_load': 2, 'num_store': 1, 'num_reduction': 0, 'backend_hash': '91D1D1166449D9E2EB66EB9770C9E2C3B0FEB787341F27FEB4D3F0338DA50336', 'assert_indirect_indexing': True, 'autotune_local_cache': True, 'autotune_pointwise': True, 'autotune_remote_cache': None, 'force_disable_caches': True, 'dynamic_scale_rblock': True, 'max_autotune': False, 'max_autotune_pointwise': False, 'min_split_scan_rblock': 256, 'spill_threshold': 16, 'store_cubin': False, 'deterministic': False, 'force_filter_reduction_configs': False, 'mix_order_reduction_allow_multi_stages': False, 'are_deterministic_algorithms_enabled': False, 'tiling_scores': {'x': 16384}},
    min_elem_per_thread=0
)
@triton.jit
def triton_poi_fused_add_embedding_remainder_select_12(in_ptr0, in_ptr1, in_ptr2, out_ptr0, xnumel, XBLOCK : tl.constexpr):
    xoffset = tl.program_id(0) * XBLOCK
    xindex = xoffset + tl.arange(0, XBLOCK)[:]
    xmask = xindex < xnumel
    x1 = xindex // 16
    x0 = (xindex % 16)
    tmp0 = tl.load(in_ptr0 + (8 + 26*x1), xmask, eviction_policy='evict_last')
    tmp3 = tl.load(in_ptr1 + (8))
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
''', device_str='cuda')


# kernel path: je/cjei4v7l6ypbioawaehdd7b7kukrqo56vghdrhuwp3seceoo226k.py
# Topologically Sorted Source Nodes: [add, rows, getitem_9, embedding_9], Original ATen: [aten.add, aten.remainder, aten.select, aten.embedding]
# Source node to ATen node mapping:
#   add => add
#   embedding_9 => embedding_9
#   getitem_9 => select_9
#   rows => remainder
# Graph fragment:
#   %arg2_1 : Tensor "i64[s35, 26][26, 1]cuda:0" = PlaceHolder[target=arg2_1]
#   %arg0_1 : Tensor "i64[26][1]cuda:0" = PlaceHolder[target=arg0_1]
#   %arg12_1 : Tensor "f32[10000, 16][16, 1]cuda:0" = PlaceHolder[target=arg12_1]
#   %add : Tensor "i64[s35, 26][26, 1]cuda:0"[num_users=1] = call_function[target=torch.ops.aten.add.Tensor](args = (%arg2_1, 1), kwargs = {})
#   %remainder : Tensor "i64[s35, 26][26, 1]cuda:0"[num_users=26] = call_function[target=torch.ops.aten.remainder.Tensor](args = (%add, %arg0_1), kwargs = {})
#   %select_9 : Tensor "i64[s35][26]cuda:0"[num_users=1] = call_function[target=torch.ops.aten.select.int](args = (%remainder, 1, 9), kwargs = {})
#   %embedding_9 : Tensor "f32[s35, 16][16, 1]cuda:0"[num_users=1] = call_function[target=torch.ops.aten.embedding.default](args = (%arg12_1, %select_9), kwargs = {})
#   return %embedding_9
triton_poi_fused_add_embedding_remainder_select_13 = async_compile.triton('triton_poi_fused_add_embedding_remainder_select_13', '''
import triton
import triton.language as tl

from torch._inductor.runtime import triton_helpers, triton_heuristics
from torch._inductor.runtime.triton_helpers import libdevice, math as tl_math
from torch._inductor.runtime.hints import AutotuneHint, ReductionHint, TileHint, DeviceProperties
triton_helpers.set_driver_to_gpu()

@triton_heuristics.pointwise(
    size_hints={'x': 2048}, 
    filename=__file__,
    triton_meta={'signature': {'in_ptr0': '*i64', 'in_ptr1': '*i64', 'in_ptr2': '*fp32', 'out_ptr0': '*fp32', 'xnumel': 'i32', 'XBLOCK': 'constexpr'}, 'device': DeviceProperties(type='cuda', index=0, multi_processor_count=132, cc=90, major=9, regs_per_multiprocessor=65536, max_threads_per_multi_processor=2048, max_threads_per_block=1024, warp_size=32), 'constants': {}, 'native_matmul': False, 'enable_fp_fusion': True, 'launch_pdl': False, 'disable_ftz': False, 'configs': [{(0,): [['tt.divisibility', 16]], (1,): [['tt.divisibility', 16]], (2,): [['tt.divisibility', 16]], (3,): [['tt.divisibility', 16]], (4,): [['tt.divisibility', 16]]}]},
    inductor_meta={'grid_type': 'Grid1D', 'autotune_hints': set(), 'kernel_name': 'triton_poi_fused_add_embedding_remainder_select_13', 'mutated_arg_names': [], 'optimize_mem': True, 'no_x_dim': False, 'atomic_add_found': False, 'num_load': 2, 'num_store': 1, 'num_reduction': 0, 'backend_hash': '91D1D1166449D9E2EB66EB9770C9E2C3B0FEB787341F27FEB4D3F0338DA50336', 'assert_indirect_indexing': True, 'autotune_local_cache': True, 'autotune_pointwise': True, 'autotune_remote_cache': None, 'force_disable_caches': True, 'dynamic_scale_rblock': True, 'max_autotune': False, 'max_autotune_pointwise': False, 'min_split_scan_rblock': 256, 'spill_threshold': 16, 'store_cubin': False, 'deterministic': False, 'force_filter_reduction_configs': False, 'mix_order_reduction_allow_multi_stages': False, 'are_deterministic_algorithms_enabled': False, 'tiling_scores': {'x': 16384}},
    min_elem_per_thread=0
)
@triton.jit
def triton_poi_fused_add_embedding_remainder_select_13(in_ptr0, in_ptr1, in_ptr2, out_ptr0, xnumel, XBLOCK : tl.constexpr):
    xoffset = tl.program_id(0) * XBLOCK
    xindex = xoffset + tl.arange(0, XBLOCK)[:]
    xmask = xindex < xnumel
    x1 = xindex // 16
    x0 = (xindex % 16)
    tmp0 = tl.load(in_ptr0 + (9 + 26*x1), xmask, eviction_policy='evict_last')
    tmp3 = tl.load(in_ptr1 + (9))
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
''', device_str='cuda')


# kernel path: 75/c75hgomrtdb5wa5e65kryepxfrvfhur5fx6pgmfp5mqkwjw3jhx5.py
# Topologically Sorted Source Nodes: [add, rows, getitem_10, embedding_10], Original ATen: [aten.add, aten.remainder, aten.select, aten.embedding]
# Source node to ATen node mapping:
#   add => add
#   embedding_10 => embedding_10
#   getitem_10 => select_10
#   rows => remainder
# Graph fragment:
#   %arg2_1 : Tensor "i64[s35, 26][26, 1]cuda:0" = PlaceHolder[target=arg2_1]
#   %arg0_1 : Tensor "i64[26][1]cuda:0" = PlaceHolder[target=arg0_1]
#   %arg13_1 : Tensor "f32[10000, 16][16, 1]cuda:0" = PlaceHolder[target=arg13_1]
#   %add : Tensor "i64[s35, 26][26, 1]cuda:0"[num_users=1] = call_function[target=torch.ops.aten.add.Tensor](args = (%arg2_1, 1), kwargs = {})
#   %remainder : Tensor "i64[s35, 26][26, 1]cuda:0"[num_users=26] = call_function[target=torch.ops.aten.remainder.Tensor](args = (%add, %arg0_1), kwargs = {})
#   %select_10 : Tensor "i64[s35][26]cuda:0"[num_users=1] = call_function[target=torch.ops.aten.select.int](args = (%remainder, 1, 10), kwargs = {})
#   %embedding_10 : Tensor "f32[s35, 16][16, 1]cuda:0"[num_users=1] = call_function[target=torch.ops.aten.embedding.default](args = (%arg13_1, %select_10), kwargs = {})
#   return %embedding_10
triton_poi_fused_add_embedding_remainder_select_14 = async_compile.triton('triton_poi_fused_add_embedding_remainder_select_14', '''
import triton
import triton.language as tl

from torch._inductor.runtime import triton_helpers, triton_heuristics
from torch._inductor.runtime.triton_helpers import libdevice, math as tl_math
from torch._inductor.runtime.hints import AutotuneHint, ReductionHint, TileHint, DeviceProperties
triton_helpers.set_driver_to_gpu()

@triton_heuristics.pointwise(
    size_hints={'x': 2048}, 
    filename=__file__,
    triton_meta={'signature': {'in_ptr0': '*i64', 'in_ptr1': '*i64', 'in_ptr2': '*fp32', 'out_ptr0': '*fp32', 'xnumel': 'i32', 'XBLOCK': 'constexpr'}, 'device': DeviceProperties(type='cuda', index=0, multi_processor_count=132, cc=90, major=9, regs_per_multiprocessor=65536, max_threads_per_multi_processor=2048, max_threads_per_block=1024, warp_size=32), 'constants': {}, 'native_matmul': False, 'enable_fp_fusion': True, 'launch_pdl': False, 'disable_ftz': False, 'configs': [{(0,): [['tt.divisibility', 16]], (1,): [['tt.divisibility', 16]], (2,): [['tt.divisibility', 16]], (3,): [['tt.divisibility', 16]], (4,): [['tt.divisibility', 16]]}]},
    inductor_meta={'grid_type': 'Grid1D', 'autotune_hints': set(), 'kernel_name': 'triton_poi_fused_add_embedding_remainder_select_14', 'mutated_arg_names': [], 'optimize_mem': True, 'no_x_dim': False, 'atomic_add_found': False, 'num_load': 2, 'num_store': 1, 'num_reduction': 0, 'backend_hash': '91D1D1166449D9E2EB66EB9770C9E2C3B0FEB787341F27FEB4D3F0338DA50336', 'assert_indirect_indexing': True, 'autotune_local_cache': True, 'autotune_pointwise': True, 'autotune_remote_cache': None, 'force_disable_caches': True, 'dynamic_scale_rblock': True, 'max_autotune': False, 'max_autotune_pointwise': False, 'min_split_scan_rblock': 256, 'spill_threshold': 16, 'store_cubin': False, 'deterministic': False, 'force_filter_reduction_configs': False, 'mix_order_reduction_allow_multi_stages': False, 'are_deterministic_algorithms_enabled': False, 'tiling_scores': {'x': 16384}},
    min_elem_per_thread=0
)
@triton.jit
def triton_poi_fused_add_embedding_remainder_select_14(in_ptr0, in_ptr1, in_ptr2, out_ptr0, xnumel, XBLOCK : tl.constexpr):
    xoffset = tl.program_id(0) * XBLOCK
    xindex = xoffset + tl.arange(0, XBLOCK)[:]
    xmask = xindex < xnumel
    x1 = xindex // 16
    x0 = (xindex % 16)
    tmp0 = tl.load(in_ptr0 + (10 + 26*x1), xmask, eviction_policy='evict_last')
    tmp3 = tl.load(in_ptr1 + (10))
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
''', device_str='cuda')


# kernel path: 4a/c4azun4aacyopd4mqzviofszbr23fzzgf3ggjzw3v66sfgmeqlgd.py
# Topologically Sorted Source Nodes: [add, rows, getitem_11, embedding_11], Original ATen: [aten.add, aten.remainder, aten.select, aten.embedding]
# Source node to ATen node mapping:
#   add => add
#   embedding_11 => embedding_11
#   getitem_11 => select_11
#   rows => remainder
# Graph fragment:
#   %arg2_1 : Tensor "i64[s35, 26][26, 1]cuda:0" = PlaceHolder[target=arg2_1]
#   %arg0_1 : Tensor "i64[26][1]cuda:0" = PlaceHolder[target=arg0_1]
#   %arg14_1 : Tensor "f32[10000, 16][16, 1]cuda:0" = PlaceHolder[target=arg14_1]
#   %add : Tensor "i64[s35, 26][26, 1]cuda:0"[num_users=1] = call_function[target=torch.ops.aten.add.Tensor](args = (%arg2_1, 1), kwargs = {})
#   %remainder : Tensor "i64[s35, 26][26, 1]cuda:0"[num_users=26] = call_function[target=torch.ops.aten.remainder.Tensor](args = (%add, %arg0_1), kwargs = {})
#   %select_11 : Tensor "i64[s35][26]cuda:0"[num_users=1] = call_function[target=torch.ops.aten.select.int](args = (%remainder, 1, 11), kwargs = {})
#   %embedding_11 : Tensor "f32[s35, 16][16, 1]cuda:0"[num_users=1] = call_function[target=torch.ops.aten.embedding.default](args = (%arg14_1, %select_11), kwargs = {})
#   return %embedding_11
triton_poi_fused_add_embedding_remainder_select_15 = async_compile.triton('triton_poi_fused_add_embedding_remainder_select_15', '''
import triton
import triton.language as tl

from torch._inductor.runtime import triton_helpers, triton_heuristics
from torch._inductor.runtime.triton_helpers import libdevice, math as tl_math
from torch._inductor.runtime.hints import AutotuneHint, ReductionHint, TileHint, DeviceProperties
triton_helpers.set_driver_to_gpu()

@triton_heuristics.pointwise(
    size_hints={'x': 2048}, 
    filename=__file__,
    triton_meta={'signature': {'in_ptr0': '*i64', 'in_ptr1': '*i64', 'in_ptr2': '*fp32', 'out_ptr0': '*fp32', 'xnumel': 'i32', 'XBLOCK': 'constexpr'}, 'device': DeviceProperties(type='cuda', index=0, multi_processor_count=132, cc=90, major=9, regs_per_multiprocessor=65536, max_threads_per_multi_processor=2048, max_threads_per_block=1024, warp_size=32), 'constants': {}, 'native_matmul': False, 'enable_fp_fusion': True, 'launch_pdl': False, 'disable_ftz': False, 'configs': [{(0,): [['tt.divisibility', 16]], (1,): [['tt.divisibility', 16]], (2,): [['tt.divisibility', 16]], (3,): [['tt.divisibility', 16]], (4,): [['tt.divisibility', 16]]}]},
    inductor_meta={'grid_type': 'Grid1D', 'autotune_hints': set(), 'kernel_name': 'triton_poi_fused_add_embedding_remainder_select_15', 'mutated_arg_names': [], 'optimize_mem': True, 'no_x_dim': False, 'atomic_add_found': False, 'num_load': 2, 'num_store': 1, 'num_reduction': 0, 'backend_hash': '91D1D1166449D9E2EB66EB9770C9E2C3B0FEB787341F27FEB4D3F0338DA50336', 'assert_indirect_indexing': True, 'autotune_local_cache': True, 'autotune_pointwise': True, 'autotune_remote_cache': None, 'force_disable_caches': True, 'dynamic_scale_rblock': True, 'max_autotune': False, 'max_autotune_pointwise': False, 'min_split_scan_rblock': 256, 'spill_threshold': 16, 'store_cubin': False, 'deterministic': False, 'force_filter_reduction_configs': False, 'mix_order_reduction_allow_multi_stages': False, 'are_deterministic_algorithms_enabled': False, 'tiling_scores': {'x': 16384}},
    min_elem_per_thread=0
)
@triton.jit
def triton_poi_fused_add_embedding_remainder_select_15(in_ptr0, in_ptr1, in_ptr2, out_ptr0, xnumel, XBLOCK : tl.constexpr):
    xoffset = tl.program_id(0) * XBLOCK
    xindex = xoffset + tl.arange(0, XBLOCK)[:]
    xmask = xindex < xnumel
    x1 = xindex // 16
    x0 = (xindex % 16)
    tmp0 = tl.load(in_ptr0 + (11 + 26*x1), xmask, eviction_policy='evict_last')
    tmp3 = tl.load(in_ptr1 + (11))
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
''', device_str='cuda')


# kernel path: cd/ccd5ywdyeuhuhm4awy5vqvfnfjynscg26yquvqy3snwitzkwffol.py
# Topologically Sorted Source Nodes: [add, rows, getitem_12, embedding_12], Original ATen: [aten.add, aten.remainder, aten.select, aten.embedding]
# Source node to ATen node mapping:
#   add => add
#   embedding_12 => embedding_12
#   getitem_12 => select_12
#   rows => remainder
# Graph fragment:
#   %arg2_1 : Tensor "i64[s35, 26][26, 1]cuda:0" = PlaceHolder[target=arg2_1]
#   %arg0_1 : Tensor "i64[26][1]cuda:0" = PlaceHolder[target=arg0_1]
#   %arg15_1 : Tensor "f32[10000, 16][16, 1]cuda:0" = PlaceHolder[target=arg15_1]
#   %add : Tensor "i64[s35, 26][26, 1]cuda:0"[num_users=1] = call_function[target=torch.ops.aten.add.Tensor](args = (%arg2_1, 1), kwargs = {})
#   %remainder : Tensor "i64[s35, 26][26, 1]cuda:0"[num_users=26] = call_function[target=torch.ops.aten.remainder.Tensor](args = (%add, %arg0_1), kwargs = {})
#   %select_12 : Tensor "i64[s35][26]cuda:0"[num_users=1] = call_function[target=torch.ops.aten.select.int](args = (%remainder, 1, 12), kwargs = {})
#   %embedding_12 : Tensor "f32[s35, 16][16, 1]cuda:0"[num_users=1] = call_function[target=torch.ops.aten.embedding.default](args = (%arg15_1, %select_12), kwargs = {})
#   return %embedding_12
triton_poi_fused_add_embedding_remainder_select_16 = async_compile.triton('triton_poi_fused_add_embedding_remainder_select_16', '''
import triton
import triton.language as tl

from torch._inductor.runtime import triton_helpers, triton_heuristics
from torch._inductor.runtime.triton_helpers import libdevice, math as tl_math
from torch._inductor.runtime.hints import AutotuneHint, ReductionHint, TileHint, DeviceProperties
triton_helpers.set_driver_to_gpu()

@triton_heuristics.pointwise(
    size_hints={'x': 2048}, 
    filename=__file__,
    triton_meta={'signature': {'in_ptr0': '*i64', 'in_ptr1': '*i64', 'in_ptr2': '*fp32', 'out_ptr0': '*fp32', 'xnumel': 'i32', 'XBLOCK': 'constexpr'}, 'device': DeviceProperties(type='cuda', index=0, multi_processor_count=132, cc=90, major=9, regs_per_multiprocessor=65536, max_threads_per_multi_processor=2048, max_threads_per_block=1024, warp_size=32), 'constants': {}, 'native_matmul': False, 'enable_fp_fusion': True, 'launch_pdl': False, 'disable_ftz': False, 'configs': [{(0,): [['tt.divisibility', 16]], (1,): [['tt.divisibility', 16]], (2,): [['tt.divisibility', 16]], (3,): [['tt.divisibility', 16]], (4,): [['tt.divisibility', 16]]}]},
    inductor_meta={'grid_type': 'Grid1D', 'autotune_hints': set(), 'kernel_name': 'triton_poi_fused_add_embedding_remainder_select_16', 'mutated_arg_names': [], 'optimize_mem': True, 'no_x_dim': False, 'atomic_add_found': False, 'num_load': 2, 'num_store': 1, 'num_reduction': 0, 'backend_hash': '91D1D1166449D9E2EB66EB9770C9E2C3B0FEB787341F27FEB4D3F0338DA50336', 'assert_indirect_indexing': True, 'autotune_local_cache': True, 'autotune_pointwise': True, 'autotune_remote_cache': None, 'force_disable_caches': True, 'dynamic_scale_rblock': True, 'max_autotune': False, 'max_autotune_pointwise': False, 'min_split_scan_rblock': 256, 'spill_threshold': 16, 'store_cubin': False, 'deterministic': False, 'force_filter_reduction_configs': False, 'mix_order_reduction_allow_multi_stages': False, 'are_deterministic_algorithms_enabled': False, 'tiling_scores': {'x': 16384}},
    min_elem_per_thread=0
)
@triton.jit
def triton_poi_fused_add_embedding_remainder_select_16(in_ptr0, in_ptr1, in_ptr2, out_ptr0, xnumel, XBLOCK : tl.constexpr):
    xoffset = tl.program_id(0) * XBLOCK
    xindex = xoffset + tl.arange(0, XBLOCK)[:]
    xmask = xindex < xnumel
    x1 = xindex // 16
    x0 = (xindex % 16)
    tmp0 = tl.load(in_ptr0 + (12 + 26*x1), xmask, eviction_policy='evict_last')
    tmp3 = tl.load(in_ptr1 + (12))
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
''', device_str='cuda')


# kernel path: aw/cawlzau755eobtjda3dn7tfj5wszc6u7xrdbwehbleai42rfd3kb.py
# Topologically Sorted Source Nodes: [add, rows, getitem_13, embedding_13], Original ATen: [aten.add, aten.remainder, aten.select, aten.embedding]
# Source node to ATen node mapping:
#   add => add
#   embedding_13 => embedding_13
#   getitem_13 => select_13
#   rows => remainder
# Graph fragment:
#   %arg2_1 : Tensor "i64[s35, 26][26, 1]cuda:0" = PlaceHolder[target=arg2_1]
#   %arg0_1 : Tensor "i64[26][1]cuda:0" = PlaceHolder[target=arg0_1]
#   %arg16_1 : Tensor "f32[10000, 16][16, 1]cuda:0" = PlaceHolder[target=arg16_1]
#   %add : Tensor "i64[s35, 26][26, 1]cuda:0"[num_users=1] = call_function[target=torch.ops.aten.add.Tensor](args = (%arg2_1, 1), kwargs = {})
#   %remainder : Tensor "i64[s35, 26][26, 1]cuda:0"[num_users=26] = call_function[target=torch.ops.aten.remainder.Tensor](args = (%add, %arg0_1), kwargs = {})
#   %select_13 : Tensor "i64[s35][26]cuda:0"[num_users=1] = call_function[target=torch.ops.aten.select.int](args = (%remainder, 1, 13), kwargs = {})
#   %embedding_13 : Tensor "f32[s35, 16][16, 1]cuda:0"[num_users=1] = call_function[target=torch.ops.aten.embedding.default](args = (%arg16_1, %select_13), kwargs = {})
#   return %embedding_13
triton_poi_fused_add_embedding_remainder_select_17 = async_compile.triton('triton_poi_fused_add_embedding_remainder_select_17', '''
import triton
import triton.language as tl

from torch._inductor.runtime import triton_helpers, triton_heuristics
from torch._inductor.runtime.triton_helpers import libdevice, math as tl_math
from torch._inductor.runtime.hints import AutotuneHint, ReductionHint, TileHint, DeviceProperties
triton_helpers.set_driver_to_gpu()

@triton_heuristics.pointwise(
    size_hints={'x': 2048}, 
    filename=__file__,
    triton_meta={'signature': {'in_ptr0': '*i64', 'in_ptr1': '*i64', 'in_ptr2': '*fp32', 'out_ptr0': '*fp32', 'xnumel': 'i32', 'XBLOCK': 'constexpr'}, 'device': DeviceProperties(type='cuda', index=0, multi_processor_count=132, cc=90, major=9, regs_per_multiprocessor=65536, max_threads_per_multi_processor=2048, max_threads_per_block=1024, warp_size=32), 'constants': {}, 'native_matmul': False, 'enable_fp_fusion': True, 'launch_pdl': False, 'disable_ftz': False, 'configs': [{(0,): [['tt.divisibility', 16]], (1,): [['tt.divisibility', 16]], (2,): [['tt.divisibility', 16]], (3,): [['tt.divisibility', 16]], (4,): [['tt.divisibility', 16]]}]},
    inductor_meta={'grid_type': 'Grid1D', 'autotune_hints': set(), 'kernel_name': 'triton_poi_fused_add_embedding_remainder_select_17', 'mutated_arg_names': [], 'optimize_mem': True, 'no_x_dim': False, 'atomic_add_found': False, 'num_load': 2, 'num_store': 1, 'num_reduction': 0, 'backend_hash': '91D1D1166449D9E2EB66EB9770C9E2C3B0FEB787341F27FEB4D3F0338DA50336', 'assert_indirect_indexing': True, 'autotune_local_cache': True, 'autotune_pointwise': True, 'autotune_remote_cache': None, 'force_disable_caches': True, 'dynamic_scale_rblock': True, 'max_autotune': False, 'max_autotune_pointwise': False, 'min_split_scan_rblock': 256, 'spill_threshold': 16, 'store_cubin': False, 'deterministic': False, 'force_filter_reduction_configs': False, 'mix_order_reduction_allow_multi_stages': False, 'are_deterministic_algorithms_enabled': False, 'tiling_scores': {'x': 16384}},
    min_elem_per_thread=0
)
@triton.jit
def triton_poi_fused_add_embedding_remainder_select_17(in_ptr0, in_ptr1, in_ptr2, out_ptr0, xnumel, XBLOCK : tl.constexpr):
    xoffset = tl.program_id(0) * XBLOCK
    xindex = xoffset + tl.arange(0, XBLOCK)[:]
    xmask = xindex < xnumel
    x1 = xindex // 16
    x0 = (xindex % 16)
    tmp0 = tl.load(in_ptr0 + (13 + 26*x1), xmask, eviction_policy='evict_last')
    tmp3 = tl.load(in_ptr1 + (13))
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
''', device_str='cuda')


# kernel path: 25/c25x2i7yontukqwnbu54kjdux4mr4lmkrp5nlhzpa5eq4ebouses.py
# Topologically Sorted Source Nodes: [add, rows, getitem_14, embedding_14], Original ATen: [aten.add, aten.remainder, aten.select, aten.embedding]
# Source node to ATen node mapping:
#   add => add
#   embedding_14 => embedding_14
#   getitem_14 => select_14
#   rows => remainder
# Graph fragment:
#   %arg2_1 : Tensor "i64[s35, 26][26, 1]cuda:0" = PlaceHolder[target=arg2_1]
#   %arg0_1 : Tensor "i64[26][1]cuda:0" = PlaceHolder[target=arg0_1]
#   %arg17_1 : Tensor "f32[10000, 16][16, 1]cuda:0" = PlaceHolder[target=arg17_1]
#   %add : Tensor "i64[s35, 26][26, 1]cuda:0"[num_users=1] = call_function[target=torch.ops.aten.add.Tensor](args = (%arg2_1, 1), kwargs = {})
#   %remainder : Tensor "i64[s35, 26][26, 1]cuda:0"[num_users=26] = call_function[target=torch.ops.aten.remainder.Tensor](args = (%add, %arg0_1), kwargs = {})
#   %select_14 : Tensor "i64[s35][26]cuda:0"[num_users=1] = call_function[target=torch.ops.aten.select.int](args = (%remainder, 1, 14), kwargs = {})
#   %embedding_14 : Tensor "f32[s35, 16][16, 1]cuda:0"[num_users=1] = call_function[target=torch.ops.aten.embedding.default](args = (%arg17_1, %select_14), kwargs = {})
#   return %embedding_14
triton_poi_fused_add_embedding_remainder_select_18 = async_compile.triton('triton_poi_fused_add_embedding_remainder_select_18', '''
import triton
import triton.language as tl

from torch._inductor.runtime import triton_helpers, triton_heuristics
from torch._inductor.runtime.triton_helpers import libdevice, math as tl_math
from torch._inductor.runtime.hints import AutotuneHint, ReductionHint, TileHint, DeviceProperties
triton_helpers.set_driver_to_gpu()

@triton_heuristics.pointwise(
    size_hints={'x': 2048}, 
    filename=__file__,
    triton_meta={'signature': {'in_ptr0': '*i64', 'in_ptr1': '*i64', 'in_ptr2': '*fp32', 'out_ptr0': '*fp32', 'xnumel': 'i32', 'XBLOCK': 'constexpr'}, 'device': DeviceProperties(type='cuda', index=0, multi_processor_count=132, cc=90, major=9, regs_per_multiprocessor=65536, max_threads_per_multi_processor=2048, max_threads_per_block=1024, warp_size=32), 'constants': {}, 'native_matmul': False, 'enable_fp_fusion': True, 'launch_pdl': False, 'disable_ftz': False, 'configs': [{(0,): [['tt.divisibility', 16]], (1,): [['tt.divisibility', 16]], (2,): [['tt.divisibility', 16]], (3,): [['tt.divisibility', 16]], (4,): [['tt.divisibility', 16]]}]},
    inductor_meta={'grid_type': 'Grid1D', 'autotune_hints': set(), 'kernel_name': 'triton_poi_fused_add_embedding_remainder_select_18', 'mutated_arg_names': [], 'optimize_mem': True, 'no_x_dim': False, 'atomic_add_found': False, 'num_load': 2, 'num_store': 1, 'num_reduction': 0, 'backend_hash': '91D1D1166449D9E2EB66EB9770C9E2C3B0FEB787341F27FEB4D3F0338DA50336', 'assert_indirect_indexing': True, 'autotune_local_cache': True, 'autotune_pointwise': True, 'autotune_remote_cache': None, 'force_disable_caches': True, 'dynamic_scale_rblock': True, 'max_autotune': False, 'max_autotune_pointwise': False, 'min_split_scan_rblock': 256, 'spill_threshold': 16, 'store_cubin': False, 'deterministic': False, 'force_filter_reduction_configs': False, 'mix_order_reduction_allow_multi_stages': False, 'are_deterministic_algorithms_enabled': False, 'tiling_scores': {'x': 16384}},
    min_elem_per_thread=0
)
@triton.jit
def triton_poi_fused_add_embedding_remainder_select_18(in_ptr0, in_ptr1, in_ptr2, out_ptr0, xnumel, XBLOCK : tl.constexpr):
    xoffset = tl.program_id(0) * XBLOCK
    xindex = xoffset + tl.arange(0, XBLOCK)[:]
    xmask = xindex < xnumel
    x1 = xindex // 16
    x0 = (xindex % 16)
    tmp0 = tl.load(in_ptr0 + (14 + 26*x1), xmask, eviction_policy='evict_last')
    tmp3 = tl.load(in_ptr1 + (14))
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
''', device_str='cuda')


# kernel path: mf/cmf3apdaba2pczum7mluulkkmxyfmtexd6euce5rxhsxibd3b7lk.py
# Topologically Sorted Source Nodes: [add, rows, getitem_15, embedding_15], Original ATen: [aten.add, aten.remainder, aten.select, aten.embedding]
# Source node to ATen node mapping:
#   add => add
#   embedding_15 => embedding_15
#   getitem_15 => select_15
#   rows => remainder
# Graph fragment:
#   %arg2_1 : Tensor "i64[s35, 26][26, 1]cuda:0" = PlaceHolder[target=arg2_1]
#   %arg0_1 : Tensor "i64[26][1]cuda:0" = PlaceHolder[target=arg0_1]
#   %arg18_1 : Tensor "f32[10000, 16][16, 1]cuda:0" = PlaceHolder[target=arg18_1]
#   %add : Tensor "i64[s35, 26][26, 1]cuda:0"[num_users=1] = call_function[target=torch.ops.aten.add.Tensor](args = (%arg2_1, 1), kwargs = {})
#   %remainder : Tensor "i64[s35, 26][26, 1]cuda:0"[num_users=26] = call_function[target=torch.ops.aten.remainder.Tensor](args = (%add, %arg0_1), kwargs = {})
#   %select_15 : Tensor "i64[s35][26]cuda:0"[num_users=1] = call_function[target=torch.ops.aten.select.int](args = (%remainder, 1, 15), kwargs = {})
#   %embedding_15 : Tensor "f32[s35, 16][16, 1]cuda:0"[num_users=1] = call_function[target=torch.ops.aten.embedding.default](args = (%arg18_1, %select_15), kwargs = {})
#   return %embedding_15
triton_poi_fused_add_embedding_remainder_select_19 = async_compile.triton('triton_poi_fused_add_embedding_remainder_select_19', '''
import triton
import triton.language as tl

from torch._inductor.runtime import triton_helpers, triton_heuristics
from torch._inductor.runtime.triton_helpers import libdevice, math as tl_math
from torch._inductor.runtime.hints import AutotuneHint, ReductionHint, TileHint, DeviceProperties
triton_helpers.set_driver_to_gpu()

@triton_heuristics.pointwise(
    size_hints={'x': 2048}, 
    filename=__file__,
    triton_meta={'signature': {'in_ptr0': '*i64', 'in_ptr1': '*i64', 'in_ptr2': '*fp32', 'out_ptr0': '*fp32', 'xnumel': 'i32', 'XBLOCK': 'constexpr'}, 'device': DeviceProperties(type='cuda', index=0, multi_processor_count=132, cc=90, major=9, regs_per_multiprocessor=65536, max_threads_per_multi_processor=2048, max_threads_per_block=1024, warp_size=32), 'constants': {}, 'native_matmul': False, 'enable_fp_fusion': True, 'launch_pdl': False, 'disable_ftz': False, 'configs': [{(0,): [['tt.divisibility', 16]], (1,): [['tt.divisibility', 16]], (2,): [['tt.divisibility', 16]], (3,): [['tt.divisibility', 16]], (4,): [['tt.divisibility', 16]]}]},
    inductor_meta={'grid_type': 'Grid1D', 'autotune_hints': set(), 'kernel_name': 'triton_poi_fused_add_embedding_remainder_select_19', 'mutated_arg_names': [], 'optimize_mem': True, 'no_x_dim': False, 'atomic_add_found': False, 'num_load': 2, 'num_store': 1, 'num_reduction': 0, 'backend_hash': '91D1D1166449D9E2EB66EB9770C9E2C3B0FEB787341F27FEB4D3F0338DA50336', 'assert_indirect_indexing': True, 'autotune_local_cache': True, 'autotune_pointwise': True, 'autotune_remote_cache': None, 'force_disable_caches': True, 'dynamic_scale_rblock': True, 'max_autotune': False, 'max_autotune_pointwise': False, 'min_split_scan_rblock': 256, 'spill_threshold': 16, 'store_cubin': False, 'deterministic': False, 'force_filter_reduction_configs': False, 'mix_order_reduction_allow_multi_stages': False, 'are_deterministic_algorithms_enabled': False, 'tiling_scores': {'x': 16384}},
    min_elem_per_thread=0
)
@triton.jit
def triton_poi_fused_add_embedding_remainder_select_19(in_ptr0, in_ptr1, in_ptr2, out_ptr0, xnumel, XBLOCK : tl.constexpr):
    xoffset = tl.program_id(0) * XBLOCK
    xindex = xoffset + tl.arange(0, XBLOCK)[:]
    xmask = xindex < xnumel
    x1 = xindex // 16
    x0 = (xindex % 16)
    tmp0 = tl.load(in_ptr0 + (15 + 26*x1), xmask, eviction_policy='evict_last')
    tmp3 = tl.load(in_ptr1 + (15))
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
''', device_str='cuda')


# kernel path: 4h/c4h4gckjojyxuj33jn25gbgjjasmg5jtbb3u5nvfxh5dr5b2ffer.py
# Topologically Sorted Source Nodes: [add, rows, getitem_16, embedding_16], Original ATen: [aten.add, aten.remainder, aten.select, aten.embedding]
# Source node to ATen node mapping:
#   add => add
#   embedding_16 => embedding_16
#   getitem_16 => select_16
#   rows => remainder
# Graph fragment:
#   %arg2_1 : Tensor "i64[s35, 26][26, 1]cuda:0" = PlaceHolder[target=arg2_1]
#   %arg0_1 : Tensor "i64[26][1]cuda:0" = PlaceHolder[target=arg0_1]
#   %arg19_1 : Tensor "f32[10000, 16][16, 1]cuda:0" = PlaceHolder[target=arg19_1]
#   %add : Tensor "i64[s35, 26][26, 1]cuda:0"[num_users=1] = call_function[target=torch.ops.aten.add.Tensor](args = (%arg2_1, 1), kwargs = {})
#   %remainder : Tensor "i64[s35, 26][26, 1]cuda:0"[num_users=26] = call_function[target=torch.ops.aten.remainder.Tensor](args = (%add, %arg0_1), kwargs = {})
#   %select_16 : Tensor "i64[s35][26]cuda:0"[num_users=1] = call_function[target=torch.ops.aten.select.int](args = (%remainder, 1, 16), kwargs = {})
#   %embedding_16 : Tensor "f32[s35, 16][16, 1]cuda:0"[num_users=1] = call_function[target=torch.ops.aten.embedding.default](args = (%arg19_1, %select_16), kwargs = {})
#   return %embedding_16
triton_poi_fused_add_embedding_remainder_select_20 = async_compile.triton('triton_poi_fused_add_embedding_remainder_select_20', '''
import triton
import triton.language as tl

from torch._inductor.runtime import triton_helpers, triton_heuristics
from torch._inductor.runtime.triton_helpers import libdevice, math as tl_math
from torch._inductor.runtime.hints import AutotuneHint, ReductionHint, TileHint, DeviceProperties
triton_helpers.set_driver_to_gpu()

@triton_heuristics.pointwise(
    size_hints={'x': 2048}, 
    filename=__file__,
    triton_meta={'signature': {'in_ptr0': '*i64', 'in_ptr1': '*i64', 'in_ptr2': '*fp32', 'out_ptr0': '*fp32', 'xnumel': 'i32', 'XBLOCK': 'constexpr'}, 'device': DeviceProperties(type='cuda', index=0, multi_processor_count=132, cc=90, major=9, regs_per_multiprocessor=65536, max_threads_per_multi_processor=2048, max_threads_per_block=1024, warp_size=32), 'constants': {}, 'native_matmul': False, 'enable_fp_fusion': True, 'launch_pdl': False, 'disable_ftz': False, 'configs': [{(0,): [['tt.divisibility', 16]], (1,): [['tt.divisibility', 16]], (2,): [['tt.divisibility', 16]], (3,): [['tt.divisibility', 16]], (4,): [['tt.divisibility', 16]]}]},
    inductor_meta={'grid_type': 'Grid1D', 'autotune_hints': set(), 'kernel_name': 'triton_poi_fused_add_embedding_remainder_select_20', 'mutated_arg_names': [], 'optimize_mem': True, 'no_x_dim': False, 'atomic_add_found': False, 'num_load': 2, 'num_store': 1, 'num_reduction': 0, 'backend_hash': '91D1D1166449D9E2EB66EB9770C9E2C3B0FEB787341F27FEB4D3F0338DA50336', 'assert_indirect_indexing': True, 'autotune_local_cache': True, 'autotune_pointwise': True, 'autotune_remote_cache': None, 'force_disable_caches': True, 'dynamic_scale_rblock': True, 'max_autotune': False, 'max_autotune_pointwise': False, 'min_split_scan_rblock': 256, 'spill_threshold': 16, 'store_cubin': False, 'deterministic': False, 'force_filter_reduction_configs': False, 'mix_order_reduction_allow_multi_stages': False, 'are_deterministic_algorithms_enabled': False, 'tiling_scores': {'x': 16384}},
    min_elem_per_thread=0
)
@triton.jit
def triton_poi_fused_add_embedding_remainder_select_20(in_ptr0, in_ptr1, in_ptr2, out_ptr0, xnumel, XBLOCK : tl.constexpr):
    xoffset = tl.program_id(0) * XBLOCK
    xindex = xoffset + tl.arange(0, XBLOCK)[:]
    xmask = xindex < xnumel
    x1 = xindex // 16
    x0 = (xindex % 16)
    tmp0 = tl.load(in_ptr0 + (16 + 26*x1), xmask, eviction_policy='evict_last')
    tmp3 = tl.load(in_ptr1 + (16))
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
''', device_str='cuda')


# kernel path: hx/chxqwicrwpseeyvqt54uv6cck64l24vyse73yonw323yjqoig7vd.py
# Topologically Sorted Source Nodes: [add, rows, getitem_17, embedding_17], Original ATen: [aten.add, aten.remainder, aten.select, aten.embedding]
# Source node to ATen node mapping:
#   add => add
#   embedding_17 => embedding_17
#   getitem_17 => select_17
#   rows => remainder
# Graph fragment:
#   %arg2_1 : Tensor "i64[s35, 26][26, 1]cuda:0" = PlaceHolder[target=arg2_1]
#   %arg0_1 : Tensor "i64[26][1]cuda:0" = PlaceHolder[target=arg0_1]
#   %arg20_1 : Tensor "f32[10000, 16][16, 1]cuda:0" = PlaceHolder[target=arg20_1]
#   %add : Tensor "i64[s35, 26][26, 1]cuda:0"[num_users=1] = call_function[target=torch.ops.aten.add.Tensor](args = (%arg2_1, 1), kwargs = {})
#   %remainder : Tensor "i64[s35, 26][26, 1]cuda:0"[num_users=26] = call_function[target=torch.ops.aten.remainder.Tensor](args = (%add, %arg0_1), kwargs = {})
#   %select_17 : Tensor "i64[s35][26]cuda:0"[num_users=1] = call_function[target=torch.ops.aten.select.int](args = (%remainder, 1, 17), kwargs = {})
#   %embedding_17 : Tensor "f32[s35, 16][16, 1]cuda:0"[num_users=1] = call_function[target=torch.ops.aten.embedding.default](args = (%arg20_1, %select_17), kwargs = {})
#   return %embedding_17
triton_poi_fused_add_embedding_remainder_select_21 = async_compile.triton('triton_poi_fused_add_embedding_remainder_select_21', '''
import triton
import triton.language as tl

from torch._inductor.runtime import triton_helpers, triton_heuristics
from torch._inductor.runtime.triton_helpers import libdevice, math as tl_math
from torch._inductor.runtime.hints import AutotuneHint, ReductionHint, TileHint, DeviceProperties
triton_helpers.set_driver_to_gpu()

@triton_heuristics.pointwise(
    size_hints={'x': 2048}, 
    filename=__file__,
    triton_meta={'signature': {'in_ptr0': '*i64', 'in_ptr1': '*i64', 'in_ptr2': '*fp32', 'out_ptr0': '*fp32', 'xnumel': 'i32', 'XBLOCK': 'constexpr'}, 'device': DeviceProperties(type='cuda', index=0, multi_processor_count=132, cc=90, major=9, regs_per_multiprocessor=65536, max_threads_per_multi_processor=2048, max_threads_per_block=1024, warp_size=32), 'constants': {}, 'native_matmul': False, 'enable_fp_fusion': True, 'launch_pdl': False, 'disable_ftz': False, 'configs': [{(0,): [['tt.divisibility', 16]], (1,): [['tt.divisibility', 16]], (2,): [['tt.divisibility', 16]], (3,): [['tt.divisibility', 16]], (4,): [['tt.divisibility', 16]]}]},
    inductor_meta={'grid_type': 'Grid1D', 'autotune_hints': set(), 'kernel_name': 'triton_poi_fused_add_embedding_remainder_select_21', 'mutated_arg_names': [], 'optimize_mem': True, 'no_x_dim': False, 'atomic_add_found': False, 'num_load': 2, 'num_store': 1, 'num_reduction': 0, 'backend_hash': '91D1D1166449D9E2EB66EB9770C9E2C3B0FEB787341F27FEB4D3F0338DA50336', 'assert_indirect_indexing': True, 'autotune_local_cache': True, 'autotune_pointwise': True, 'autotune_remote_cache': None, 'force_disable_caches': True, 'dynamic_scale_rblock': True, 'max_autotune': False, 'max_autotune_pointwise': False, 'min_split_scan_rblock': 256, 'spill_threshold': 16, 'store_cubin': False, 'deterministic': False, 'force_filter_reduction_configs': False, 'mix_order_reduction_allow_multi_stages': False, 'are_deterministic_algorithms_enabled': False, 'tiling_scores': {'x': 16384}},
    min_elem_per_thread=0
)
@triton.jit
def triton_poi_fused_add_embedding_remainder_select_21(in_ptr0, in_ptr1, in_ptr2, out_ptr0, xnumel, XBLOCK : tl.constexpr):
    xoffset = tl.program_id(0) * XBLOCK
    xindex = xoffset + tl.arange(0, XBLOCK)[:]
    xmask = xindex < xnumel
    x1 = xindex // 16
    x0 = (xindex % 16)
    tmp0 = tl.load(in_ptr0 + (17 + 26*x1), xmask, eviction_policy='evict_last')
    tmp3 = tl.load(in_ptr1 + (17))
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
''', device_str='cuda')


# kernel path: zh/czh27pdx4qcpri4lgstacr565peinlyethrx6iymu6lcnqs5pkud.py
# Topologically Sorted Source Nodes: [add, rows, getitem_18, embedding_18], Original ATen: [aten.add, aten.remainder, aten.select, aten.embedding]
# Source node to ATen node mapping:
#   add => add
#   embedding_18 => embedding_18
#   getitem_18 => select_18
#   rows => remainder
# Graph fragment:
#   %arg2_1 : Tensor "i64[s35, 26][26, 1]cuda:0" = PlaceHolder[target=arg2_1]
#   %arg0_1 : Tensor "i64[26][1]cuda:0" = PlaceHolder[target=arg0_1]
#   %arg21_1 : Tensor "f32[10000, 16][16, 1]cuda:0" = PlaceHolder[target=arg21_1]
#   %add : Tensor "i64[s35, 26][26, 1]cuda:0"[num_users=1] = call_function[target=torch.ops.aten.add.Tensor](args = (%arg2_1, 1), kwargs = {})
#   %remainder : Tensor "i64[s35, 26][26, 1]cuda:0"[num_users=26] = call_function[target=torch.ops.aten.remainder.Tensor](args = (%add, %arg0_1), kwargs = {})
#   %select_18 : Tensor "i64[s35][26]cuda:0"[num_users=1] = call_function[target=torch.ops.aten.select.int](args = (%remainder, 1, 18), kwargs = {})
#   %embedding_18 : Tensor "f32[s35, 16][16, 1]cuda:0"[num_users=1] = call_function[target=torch.ops.aten.embedding.default](args = (%arg21_1, %select_18), kwargs = {})
#   return %embedding_18
triton_poi_fused_add_embedding_remainder_select_22 = async_compile.triton('triton_poi_fused_add_embedding_remainder_select_22', '''
import triton
import triton.language as tl

from torch._inductor.runtime import triton_helpers, triton_heuristics
from torch._inductor.runtime.triton_helpers import libdevice, math as tl_math
from torch._inductor.runtime.hints import AutotuneHint, ReductionHint, TileHint, DeviceProperties
triton_helpers.set_driver_to_gpu()

@triton_heuristics.pointwise(
    size_hints={'x': 2048}, 
    filename=__file__,
    triton_meta={'signature': {'in_ptr0': '*i64', 'in_ptr1': '*i64', 'in_ptr2': '*fp32', 'out_ptr0': '*fp32', 'xnumel': 'i32', 'XBLOCK': 'constexpr'}, 'device': DeviceProperties(type='cuda', index=0, multi_processor_count=132, cc=90, major=9, regs_per_multiprocessor=65536, max_threads_per_multi_processor=2048, max_threads_per_block=1024, warp_size=32), 'constants': {}, 'native_matmul': False, 'enable_fp_fusion': True, 'launch_pdl': False, 'disable_ftz': False, 'configs': [{(0,): [['tt.divisibility', 16]], (1,): [['tt.divisibility', 16]], (2,): [['tt.divisibility', 16]], (3,): [['tt.divisibility', 16]], (4,): [['tt.divisibility', 16]]}]},
    inductor_meta={'grid_type': 'Grid1D', 'autotune_hints': set(), 'kernel_name': 'triton_poi_fused_add_embedding_remainder_select_22', 'mutated_arg_names': [], 'optimize_mem': True, 'no_x_dim': False, 'atomic_add_found': False, 'num_load': 2, 'num_store': 1, 'num_reduction': 0, 'backend_hash': '91D1D1166449D9E2EB66EB9770C9E2C3B0FEB787341F27FEB4D3F0338DA50336', 'assert_indirect_indexing': True, 'autotune_local_cache': True, 'autotune_pointwise': True, 'autotune_remote_cache': None, 'force_disable_caches': True, 'dynamic_scale_rblock': True, 'max_autotune': False, 'max_autotune_pointwise': False, 'min_split_scan_rblock': 256, 'spill_threshold': 16, 'store_cubin': False, 'deterministic': False, 'force_filter_reduction_configs': False, 'mix_order_reduction_allow_multi_stages': False, 'are_deterministic_algorithms_enabled': False, 'tiling_scores': {'x': 16384}},
    min_elem_per_thread=0
)
@triton.jit
def triton_poi_fused_add_embedding_remainder_select_22(in_ptr0, in_ptr1, in_ptr2, out_ptr0, xnumel, XBLOCK : tl.constexpr):
    xoffset = tl.program_id(0) * XBLOCK
    xindex = xoffset + tl.arange(0, XBLOCK)[:]
    xmask = xindex < xnumel
    x1 = xindex // 16
    x0 = (xindex % 16)
    tmp0 = tl.load(in_ptr0 + (18 + 26*x1), xmask, eviction_policy='evict_last')
    tmp3 = tl.load(in_ptr1 + (18))
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
''', device_str='cuda')


# kernel path: 64/c64xghfp4jg4drt7ebpww2rqf2xjgtru5djxhfotfu2opmjiorit.py
# Topologically Sorted Source Nodes: [add, rows, getitem_19, embedding_19], Original ATen: [aten.add, aten.remainder, aten.select, aten.embedding]
# Source node to ATen node mapping:
#   add => add
#   embedding_19 => embedding_19
#   getitem_19 => select_19
#   rows => remainder
# Graph fragment:
#   %arg2_1 : Tensor "i64[s35, 26][26, 1]cuda:0" = PlaceHolder[target=arg2_1]
#   %arg0_1 : Tensor "i64[26][1]cuda:0" = PlaceHolder[target=arg0_1]
#   %arg22_1 : Tensor "f32[10000, 16][16, 1]cuda:0" = PlaceHolder[target=arg22_1]
#   %add : Tensor "i64[s35, 26][26, 1]cuda:0"[num_users=1] = call_function[target=torch.ops.aten.add.Tensor](args = (%arg2_1, 1), kwargs = {})
#   %remainder : Tensor "i64[s35, 26][26, 1]cuda:0"[num_users=26] = call_function[target=torch.ops.aten.remainder.Tensor](args = (%add, %arg0_1), kwargs = {})
#   %select_19 : Tensor "i64[s35][26]cuda:0"[num_users=1] = call_function[target=torch.ops.aten.select.int](args = (%remainder, 1, 19), kwargs = {})
#   %embedding_19 : Tensor "f32[s35, 16][16, 1]cuda:0"[num_users=1] = call_function[target=torch.ops.aten.embedding.default](args = (%arg22_1, %select_19), kwargs = {})
#   return %embedding_19
triton_poi_fused_add_embedding_remainder_select_23 = async_compile.triton('triton_poi_fused_add_embedding_remainder_select_23', '''
import triton
import triton.language as tl

from torch._inductor.runtime import triton_helpers, triton_heuristics
from torch._inductor.runtime.triton_helpers import libdevice, math as tl_math
from torch._inductor.runtime.hints import AutotuneHint, ReductionHint, TileHint, DeviceProperties
triton_helpers.set_driver_to_gpu()

@triton_heuristics.pointwise(
    size_hints={'x': 2048}, 
    filename=__file__,
    triton_meta={'signature': {'in_ptr0': '*i64', 'in_ptr1': '*i64', 'in_ptr2': '*fp32', 'out_ptr0': '*fp32', 'xnumel': 'i32', 'XBLOCK': 'constexpr'}, 'device': DeviceProperties(type='cuda', index=0, multi_processor_count=132, cc=90, major=9, regs_per_multiprocessor=65536, max_threads_per_multi_processor=2048, max_threads_per_block=1024, warp_size=32), 'constants': {}, 'native_matmul': False, 'enable_fp_fusion': True, 'launch_pdl': False, 'disable_ftz': False, 'configs': [{(0,): [['tt.divisibility', 16]], (1,): [['tt.divisibility', 16]], (2,): [['tt.divisibility', 16]], (3,): [['tt.divisibility', 16]], (4,): [['tt.divisibility', 16]]}]},
    inductor_meta={'grid_type': 'Grid1D', 'autotune_hints': set(), 'kernel_name': 'triton_poi_fused_add_embedding_remainder_select_23', 'mutated_arg_names': [], 'optimize_mem': True, 'no_x_dim': False, 'atomic_add_found': False, 'num_load': 2, 'num_store': 1, 'num_reduction': 0, 'backend_hash': '91D1D1166449D9E2EB66EB9770C9E2C3B0FEB787341F27FEB4D3F0338DA50336', 'assert_indirect_indexing': True, 'autotune_local_cache': True, 'autotune_pointwise': True, 'autotune_remote_cache': None, 'force_disable_caches': True, 'dynamic_scale_rblock': True, 'max_autotune': False, 'max_autotune_pointwise': False, 'min_split_scan_rblock': 256, 'spill_threshold': 16, 'store_cubin': False, 'deterministic': False, 'force_filter_reduction_configs': False, 'mix_order_reduction_allow_multi_stages': False, 'are_deterministic_algorithms_enabled': False, 'tiling_scores': {'x': 16384}},
    min_elem_per_thread=0
)
@triton.jit
def triton_poi_fused_add_embedding_remainder_select_23(in_ptr0, in_ptr1, in_ptr2, out_ptr0, xnumel, XBLOCK : tl.constexpr):
    xoffset = tl.program_id(0) * XBLOCK
    xindex = xoffset + tl.arange(0, XBLOCK)[:]
    xmask = xindex < xnumel
    x1 = xindex // 16
    x0 = (xindex % 16)
    tmp0 = tl.load(in_ptr0 + (19 + 26*x1), xmask, eviction_policy='evict_last')
    tmp3 = tl.load(in_ptr1 + (19))
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
''', device_str='cuda')


# kernel path: ld/clddtcqqcx5ftvl4nji2lorrknusjk2no2gqwljjtczpfuxzprkw.py
# Topologically Sorted Source Nodes: [add, rows, getitem_20, embedding_20], Original ATen: [aten.add, aten.remainder, aten.select, aten.embedding]
# Source node to ATen node mapping:
#   add => add
#   embedding_20 => embedding_20
#   getitem_20 => select_20
#   rows => remainder
# Graph fragment:
#   %arg2_1 : Tensor "i64[s35, 26][26, 1]cuda:0" = PlaceHolder[target=arg2_1]
#   %arg0_1 : Tensor "i64[26][1]cuda:0" = PlaceHolder[target=arg0_1]
#   %arg23_1 : Tensor "f32[10000, 16][16, 1]cuda:0" = PlaceHolder[target=arg23_1]
#   %add : Tensor "i64[s35, 26][26, 1]cuda:0"[num_users=1] = call_function[target=torch.ops.aten.add.Tensor](args = (%arg2_1, 1), kwargs = {})
#   %remainder : Tensor "i64[s35, 26][26, 1]cuda:0"[num_users=26] = call_function[target=torch.ops.aten.remainder.Tensor](args = (%add, %arg0_1), kwargs = {})
#   %select_20 : Tensor "i64[s35][26]cuda:0"[num_users=1] = call_function[target=torch.ops.aten.select.int](args = (%remainder, 1, 20), kwargs = {})
#   %embedding_20 : Tensor "f32[s35, 16][16, 1]cuda:0"[num_users=1] = call_function[target=torch.ops.aten.embedding.default](args = (%arg23_1, %select_20), kwargs = {})
#   return %embedding_20
triton_poi_fused_add_embedding_remainder_select_24 = async_compile.triton('triton_poi_fused_add_embedding_remainder_select_24', '''
import triton
import triton.language as tl

from torch._inductor.runtime import triton_helpers, triton_heuristics
from torch._inductor.runtime.triton_helpers import libdevice, math as tl_math
from torch._inductor.runtime.hints import AutotuneHint, ReductionHint, TileHint, DeviceProperties
triton_helpers.set_driver_to_gpu()

@triton_heuristics.pointwise(
    size_hints={'x': 2048}, 
    filename=__file__,
    triton_meta={'signature': {'in_ptr0': '*i64', 'in_ptr1': '*i64', 'in_ptr2': '*fp32', 'out_ptr0': '*fp32', 'xnumel': 'i32', 'XBLOCK': 'constexpr'}, 'device': DeviceProperties(type='cuda', index=0, multi_processor_count=132, cc=90, major=9, regs_per_multiprocessor=65536, max_threads_per_multi_processor=2048, max_threads_per_block=1024, warp_size=32), 'constants': {}, 'native_matmul': False, 'enable_fp_fusion': True, 'launch_pdl': False, 'disable_ftz': False, 'configs': [{(0,): [['tt.divisibility', 16]], (1,): [['tt.divisibility', 16]], (2,): [['tt.divisibility', 16]], (3,): [['tt.divisibility', 16]], (4,): [['tt.divisibility', 16]]}]},
    inductor_meta={'grid_type': 'Grid1D', 'autotune_hints': set(), 'kernel_name': 'triton_poi_fused_add_embedding_remainder_select_24', 'mutated_arg_names': [], 'optimize_mem': True, 'no_x_dim': False, 'atomic_add_found': False, 'num_load': 2, 'num_store': 1, 'num_reduction': 0, 'backend_hash': '91D1D1166449D9E2EB66EB9770C9E2C3B0FEB787341F27FEB4D3F0338DA50336', 'assert_indirect_indexing': True, 'autotune_local_cache': True, 'autotune_pointwise': True, 'autotune_remote_cache': None, 'force_disable_caches': True, 'dynamic_scale_rblock': True, 'max_autotune': False, 'max_autotune_pointwise': False, 'min_split_scan_rblock': 256, 'spill_threshold': 16, 'store_cubin': False, 'deterministic': False, 'force_filter_reduction_configs': False, 'mix_order_reduction_allow_multi_stages': False, 'are_deterministic_algorithms_enabled': False, 'tiling_scores': {'x': 16384}},
    min_elem_per_thread=0
)
@triton.jit
def triton_poi_fused_add_embedding_remainder_select_24(in_ptr0, in_ptr1, in_ptr2, out_ptr0, xnumel, XBLOCK : tl.constexpr):
    xoffset = tl.program_id(0) * XBLOCK
    xindex = xoffset + tl.arange(0, XBLOCK)[:]
    xmask = xindex < xnumel
    x1 = xindex // 16
    x0 = (xindex % 16)
    tmp0 = tl.load(in_ptr0 + (20 + 26*x1), xmask, eviction_policy='evict_last')
    tmp3 = tl.load(in_ptr1 + (20))
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
''', device_str='cuda')


# kernel path: lj/clj2ywudpxnqi356syfvxffa3de4tgetm65etw5cmkvlsghk2ghv.py
# Topologically Sorted Source Nodes: [add, rows, getitem_21, embedding_21], Original ATen: [aten.add, aten.remainder, aten.select, aten.embedding]
# Source node to ATen node mapping:
#   add => add
#   embedding_21 => embedding_21
#   getitem_21 => select_21
#   rows => remainder
# Graph fragment:
#   %arg2_1 : Tensor "i64[s35, 26][26, 1]cuda:0" = PlaceHolder[target=arg2_1]
#   %arg0_1 : Tensor "i64[26][1]cuda:0" = PlaceHolder[target=arg0_1]
#   %arg24_1 : Tensor "f32[10000, 16][16, 1]cuda:0" = PlaceHolder[target=arg24_1]
#   %add : Tensor "i64[s35, 26][26, 1]cuda:0"[num_users=1] = call_function[target=torch.ops.aten.add.Tensor](args = (%arg2_1, 1), kwargs = {})
#   %remainder : Tensor "i64[s35, 26][26, 1]cuda:0"[num_users=26] = call_function[target=torch.ops.aten.remainder.Tensor](args = (%add, %arg0_1), kwargs = {})
#   %select_21 : Tensor "i64[s35][26]cuda:0"[num_users=1] = call_function[target=torch.ops.aten.select.int](args = (%remainder, 1, 21), kwargs = {})
#   %embedding_21 : Tensor "f32[s35, 16][16, 1]cuda:0"[num_users=1] = call_function[target=torch.ops.aten.embedding.default](args = (%arg24_1, %select_21), kwargs = {})
#   return %embedding_21
triton_poi_fused_add_embedding_remainder_select_25 = async_compile.triton('triton_poi_fused_add_embedding_remainder_select_25', '''
import triton
import triton.language as tl

from torch._inductor.runtime import triton_helpers, triton_heuristics
from torch._inductor.runtime.triton_helpers import libdevice, math as tl_math
from torch._inductor.runtime.hints import AutotuneHint, ReductionHint, TileHint, DeviceProperties
triton_helpers.set_driver_to_gpu()

@triton_heuristics.pointwise(
    size_hints={'x': 2048}, 
    filename=__file__,
    triton_meta={'signature': {'in_ptr0': '*i64', 'in_ptr1': '*i64', 'in_ptr2': '*fp32', 'out_ptr0': '*fp32', 'xnumel': 'i32', 'XBLOCK': 'constexpr'}, 'device': DeviceProperties(type='cuda', index=0, multi_processor_count=132, cc=90, major=9, regs_per_multiprocessor=65536, max_threads_per_multi_processor=2048, max_threads_per_block=1024, warp_size=32), 'constants': {}, 'native_matmul': False, 'enable_fp_fusion': True, 'launch_pdl': False, 'disable_ftz': False, 'configs': [{(0,): [['tt.divisibility', 16]], (1,): [['tt.divisibility', 16]], (2,): [['tt.divisibility', 16]], (3,): [['tt.divisibility', 16]], (4,): [['tt.divisibility', 16]]}]},
    inductor_meta={'grid_type': 'Grid1D', 'autotune_hints': set(), 'kernel_name': 'triton_poi_fused_add_embedding_remainder_select_25', 'mutated_arg_names': [], 'optimize_mem': True, 'no_x_dim': False, 'atomic_add_found': False, 'num_load': 2, 'num_store': 1, 'num_reduction': 0, 'backend_hash': '91D1D1166449D9E2EB66EB9770C9E2C3B0FEB787341F27FEB4D3F0338DA50336', 'assert_indirect_indexing': True, 'autotune_local_cache': True, 'autotune_pointwise': True, 'autotune_remote_cache': None, 'force_disable_caches': True, 'dynamic_scale_rblock': True, 'max_autotune': False, 'max_autotune_pointwise': False, 'min_split_scan_rblock': 256, 'spill_threshold': 16, 'store_cubin': False, 'deterministic': False, 'force_filter_reduction_configs': False, 'mix_order_reduction_allow_multi_stages': False, 'are_deterministic_algorithms_enabled': False, 'tiling_scores': {'x': 16384}},
    min_elem_per_thread=0
)
@triton.jit
def triton_poi_fused_add_embedding_remainder_select_25(in_ptr0, in_ptr1, in_ptr2, out_ptr0, xnumel, XBLOCK : tl.constexpr):
    xoffset = tl.program_id(0) * XBLOCK
    xindex = xoffset + tl.arange(0, XBLOCK)[:]
    xmask = xindex < xnumel
    x1 = xindex // 16
    x0 = (xindex % 16)
    tmp0 = tl.load(in_ptr0 + (21 + 26*x1), xmask, eviction_policy='evict_last')
    tmp3 = tl.load(in_ptr1 + (21))
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
''', device_str='cuda')


# kernel path: r7/cr7jd3nwnjoimmpfougn7ygleydaxpwgzmwljxm7wvx37yoa42qs.py
# Topologically Sorted Source Nodes: [add, rows, getitem_22, embedding_22], Original ATen: [aten.add, aten.remainder, aten.select, aten.embedding]
# Source node to ATen node mapping:
#   add => add
#   embedding_22 => embedding_22
#   getitem_22 => select_22
#   rows => remainder
# Graph fragment:
#   %arg2_1 : Tensor "i64[s35, 26][26, 1]cuda:0" = PlaceHolder[target=arg2_1]
#   %arg0_1 : Tensor "i64[26][1]cuda:0" = PlaceHolder[target=arg0_1]
#   %arg25_1 : Tensor "f32[10000, 16][16, 1]cuda:0" = PlaceHolder[target=arg25_1]
#   %add : Tensor "i64[s35, 26][26, 1]cuda:0"[num_users=1] = call_function[target=torch.ops.aten.add.Tensor](args = (%arg2_1, 1), kwargs = {})
#   %remainder : Tensor "i64[s35, 26][26, 1]cuda:0"[num_users=26] = call_function[target=torch.ops.aten.remainder.Tensor](args = (%add, %arg0_1), kwargs = {})
#   %select_22 : Tensor "i64[s35][26]cuda:0"[num_users=1] = call_function[target=torch.ops.aten.select.int](args = (%remainder, 1, 22), kwargs = {})
#   %embedding_22 : Tensor "f32[s35, 16][16, 1]cuda:0"[num_users=1] = call_function[target=torch.ops.aten.embedding.default](args = (%arg25_1, %select_22), kwargs = {})
#   return %embedding_22
triton_poi_fused_add_embedding_remainder_select_26 = async_compile.triton('triton_poi_fused_add_embedding_remainder_select_26', '''
import triton
import triton.language as tl

from torch._inductor.runtime import triton_helpers, triton_heuristics
from torch._inductor.runtime.triton_helpers import libdevice, math as tl_math
from torch._inductor.runtime.hints import AutotuneHint, ReductionHint, TileHint, DeviceProperties
triton_helpers.set_driver_to_gpu()

@triton_heuristics.pointwise(
    size_hints={'x': 2048}, 
    filename=__file__,
    triton_meta={'signature': {'in_ptr0': '*i64', 'in_ptr1': '*i64', 'in_ptr2': '*fp32', 'out_ptr0': '*fp32', 'xnumel': 'i32', 'XBLOCK': 'constexpr'}, 'device': DeviceProperties(type='cuda', index=0, multi_processor_count=132, cc=90, major=9, regs_per_multiprocessor=65536, max_threads_per_multi_processor=2048, max_threads_per_block=1024, warp_size=32), 'constants': {}, 'native_matmul': False, 'enable_fp_fusion': True, 'launch_pdl': False, 'disable_ftz': False, 'configs': [{(0,): [['tt.divisibility', 16]], (1,): [['tt.divisibility', 16]], (2,): [['tt.divisibility', 16]], (3,): [['tt.divisibility', 16]], (4,): [['tt.divisibility', 16]]}]},
    inductor_meta={'grid_type': 'Grid1D', 'autotune_hints': set(), 'kernel_name': 'triton_poi_fused_add_embedding_remainder_select_26', 'mutated_arg_names': [], 'optimize_mem': True, 'no_x_dim': False, 'atomic_add_found': False, 'num_load': 2, 'num_store': 1, 'num_reduction': 0, 'backend_hash': '91D1D1166449D9E2EB66EB9770C9E2C3B0FEB787341F27FEB4D3F0338DA50336', 'assert_indirect_indexing': True, 'autotune_local_cache': True, 'autotune_pointwise': True, 'autotune_remote_cache': None, 'force_disable_caches': True, 'dynamic_scale_rblock': True, 'max_autotune': False, 'max_autotune_pointwise': False, 'min_split_scan_rblock': 256, 'spill_threshold': 16, 'store_cubin': False, 'deterministic': False, 'force_filter_reduction_configs': False, 'mix_order_reduction_allow_multi_stages': False, 'are_deterministic_algorithms_enabled': False, 'tiling_scores': {'x': 16384}},
    min_elem_per_thread=0
)
@triton.jit
def triton_poi_fused_add_embedding_remainder_select_26(in_ptr0, in_ptr1, in_ptr2, out_ptr0, xnumel, XBLOCK : tl.constexpr):
    xoffset = tl.program_id(0) * XBLOCK
    xindex = xoffset + tl.arange(0, XBLOCK)[:]
    xmask = xindex < xnumel
    x1 = xindex // 16
    x0 = (xindex % 16)
    tmp0 = tl.load(in_ptr0 + (22 + 26*x1), xmask, eviction_policy='evict_last')
    tmp3 = tl.load(in_ptr1 + (22))
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
''', device_str='cuda')


# kernel path: 4h/c4h7wk64fuzhpn4s6cszmauntrtvp6ooucy2zei2la5qzc7pcopw.py
# Topologically Sorted Source Nodes: [add, rows, getitem_23, embedding_23], Original ATen: [aten.add, aten.remainder, aten.select, aten.embedding]
# Source node to ATen node mapping:
#   add => add
#   embedding_23 => embedding_23
#   getitem_23 => select_23
#   rows => remainder
# Graph fragment:
#   %arg2_1 : Tensor "i64[s35, 26][26, 1]cuda:0" = PlaceHolder[target=arg2_1]
#   %arg0_1 : Tensor "i64[26][1]cuda:0" = PlaceHolder[target=arg0_1]
#   %arg26_1 : Tensor "f32[10000, 16][16, 1]cuda:0" = PlaceHolder[target=arg26_1]
#   %add : Tensor "i64[s35, 26][26, 1]cuda:0"[num_users=1] = call_function[target=torch.ops.aten.add.Tensor](args = (%arg2_1, 1), kwargs = {})
#   %remainder : Tensor "i64[s35, 26][26, 1]cuda:0"[num_users=26] = call_function[target=torch.ops.aten.remainder.Tensor](args = (%add, %arg0_1), kwargs = {})
#   %select_23 : Tensor "i64[s35][26]cuda:0"[num_users=1] = call_function[target=torch.ops.aten.select.int](args = (%remainder, 1, 23), kwargs = {})
#   %embedding_23 : Tensor "f32[s35, 16][16, 1]cuda:0"[num_users=1] = call_function[target=torch.ops.aten.embedding.default](args = (%arg26_1, %select_23), kwargs = {})
#   return %embedding_23
triton_poi_fused_add_embedding_remainder_select_27 = async_compile.triton('triton_poi_fused_add_embedding_remainder_select_27', '''
import triton
import triton.language as tl

from torch._inductor.runtime import triton_helpers, triton_heuristics
from torch._inductor.runtime.triton_helpers import libdevice, math as tl_math
from torch._inductor.runtime.hints import AutotuneHint, ReductionHint, TileHint, DeviceProperties
triton_helpers.set_driver_to_gpu()

@triton_heuristics.pointwise(
    size_hints={'x': 2048}, 
    filename=__file__,
    triton_meta={'signature': {'in_ptr0': '*i64', 'in_ptr1': '*i64', 'in_ptr2': '*fp32', 'out_ptr0': '*fp32', 'xnumel': 'i32', 'XBLOCK': 'constexpr'}, 'device': DeviceProperties(type='cuda', index=0, multi_processor_count=132, cc=90, major=9, regs_per_multiprocessor=65536, max_threads_per_multi_processor=2048, max_threads_per_block=1024, warp_size=32), 'constants': {}, 'native_matmul': False, 'enable_fp_fusion': True, 'launch_pdl': False, 'disable_ftz': False, 'configs': [{(0,): [['tt.divisibility', 16]], (1,): [['tt.divisibility', 16]], (2,): [['tt.divisibility', 16]], (3,): [['tt.divisibility', 16]], (4,): [['tt.divisibility', 16]]}]},
    inductor_meta={'grid_type': 'Grid1D', 'autotune_hints': set(), 'kernel_name': 'triton_poi_fused_add_embedding_remainder_select_27', 'mutated_arg_names': [], 'optimize_mem': True, 'no_x_dim': False, 'atomic_add_found': False, 'num_load': 2, 'num_store': 1, 'num_reduction': 0, 'backend_hash': '91D1D1166449D9E2EB66EB9770C9E2C3B0FEB787341F27FEB4D3F0338DA50336', 'assert_indirect_indexing': True, 'autotune_local_cache': True, 'autotune_pointwise': True, 'autotune_remote_cache': None, 'force_disable_caches': True, 'dynamic_scale_rblock': True, 'max_autotune': False, 'max_autotune_pointwise': False, 'min_split_scan_rblock': 256, 'spill_threshold': 16, 'store_cubin': False, 'deterministic': False, 'force_filter_reduction_configs': False, 'mix_order_reduction_allow_multi_stages': False, 'are_deterministic_algorithms_enabled': False, 'tiling_scores': {'x': 16384}},
    min_elem_per_thread=0
)
@triton.jit
def triton_poi_fused_add_embedding_remainder_select_27(in_ptr0, in_ptr1, in_ptr2, out_ptr0, xnumel, XBLOCK : tl.constexpr):
    xoffset = tl.program_id(0) * XBLOCK
    xindex = xoffset + tl.arange(0, XBLOCK)[:]
    xmask = xindex < xnumel
    x1 = xindex // 16
    x0 = (xindex % 16)
    tmp0 = tl.load(in_ptr0 + (23 + 26*x1), xmask, eviction_policy='evict_last')
    tmp3 = tl.load(in_ptr1 + (23))
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
''', device_str='cuda')


# kernel path: 2n/c2nqm3ledrenv6m7q3qj3323zzfehvbppryirbjryg6ynrtpmqyf.py
# Topologically Sorted Source Nodes: [add, rows, getitem_24, embedding_24], Original ATen: [aten.add, aten.remainder, aten.select, aten.embedding]
# Source node to ATen node mapping:
#   add => add
#   embedding_24 => embedding_24
#   getitem_24 => select_24
#   rows => remainder
# Graph fragment:
#   %arg2_1 : Tensor "i64[s35, 26][26, 1]cuda:0" = PlaceHolder[target=arg2_1]
#   %arg0_1 : Tensor "i64[26][1]cuda:0" = PlaceHolder[target=arg0_1]
#   %arg27_1 : Tensor "f32[10000, 16][16, 1]cuda:0" = PlaceHolder[target=arg27_1]
#   %add : Tensor "i64[s35, 26][26, 1]cuda:0"[num_users=1] = call_function[target=torch.ops.aten.add.Tensor](args = (%arg2_1, 1), kwargs = {})
#   %remainder : Tensor "i64[s35, 26][26, 1]cuda:0"[num_users=26] = call_function[target=torch.ops.aten.remainder.Tensor](args = (%add, %arg0_1), kwargs = {})
#   %select_24 : Tensor "i64[s35][26]cuda:0"[num_users=1] = call_function[target=torch.ops.aten.select.int](args = (%remainder, 1, 24), kwargs = {})
#   %embedding_24 : Tensor "f32[s35, 16][16, 1]cuda:0"[num_users=1] = call_function[target=torch.ops.aten.embedding.default](args = (%arg27_1, %select_24), kwargs = {})
#   return %embedding_24
triton_poi_fused_add_embedding_remainder_select_28 = async_compile.triton('triton_poi_fused_add_embedding_remainder_select_28', '''
import triton
import triton.language as tl

from torch._inductor.runtime import triton_helpers, triton_heuristics
from torch._inductor.runtime.triton_helpers import libdevice, math as tl_math
from torch._inductor.runtime.hints import AutotuneHint, ReductionHint, TileHint, DeviceProperties
triton_helpers.set_driver_to_gpu()

@triton_heuristics.pointwise(
    size_hints={'x': 2048}, 
    filename=__file__,
    triton_meta={'signature': {'in_ptr0': '*i64', 'in_ptr1': '*i64', 'in_ptr2': '*fp32', 'out_ptr0': '*fp32', 'xnumel': 'i32', 'XBLOCK': 'constexpr'}, 'device': DeviceProperties(type='cuda', index=0, multi_processor_count=132, cc=90, major=9, regs_per_multiprocessor=65536, max_threads_per_multi_processor=2048, max_threads_per_block=1024, warp_size=32), 'constants': {}, 'native_matmul': False, 'enable_fp_fusion': True, 'launch_pdl': False, 'disable_ftz': False, 'configs': [{(0,): [['tt.divisibility', 16]], (1,): [['tt.divisibility', 16]], (2,): [['tt.divisibility', 16]], (3,): [['tt.divisibility', 16]], (4,): [['tt.divisibility', 16]]}]},
    inductor_meta={'grid_type': 'Grid1D', 'autotune_hints': set(), 'kernel_name': 'triton_poi_fused_add_embedding_remainder_select_28', 'mutated_arg_names': [], 'optimize_mem': True, 'no_x_dim': False, 'atomic_add_found': False, 'num_load': 2, 'num_store': 1, 'num_reduction': 0, 'backend_hash': '91D1D1166449D9E2EB66EB9770C9E2C3B0FEB787341F27FEB4D3F0338DA50336', 'assert_indirect_indexing': True, 'autotune_local_cache': True, 'autotune_pointwise': True, 'autotune_remote_cache': None, 'force_disable_caches': True, 'dynamic_scale_rblock': True, 'max_autotune': False, 'max_autotune_pointwise': False, 'min_split_scan_rblock': 256, 'spill_threshold': 16, 'store_cubin': False, 'deterministic': False, 'force_filter_reduction_configs': False, 'mix_order_reduction_allow_multi_stages': False, 'are_deterministic_algorithms_enabled': False, 'tiling_scores': {'x': 16384}},
    min_elem_per_thread=0
)
@triton.jit
def triton_poi_fused_add_embedding_remainder_select_28(in_ptr0, in_ptr1, in_ptr2, out_ptr0, xnumel, XBLOCK : tl.constexpr):
    xoffset = tl.program_id(0) * XBLOCK
    xindex = xoffset + tl.arange(0, XBLOCK)[:]
    xmask = xindex < xnumel
    x1 = xindex // 16
    x0 = (xindex % 16)
    tmp0 = tl.load(in_ptr0 + (24 + 26*x1), xmask, eviction_policy='evict_last')
    tmp3 = tl.load(in_ptr1 + (24))
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
''', device_str='cuda')


# kernel path: uu/cuub5sw65i4wnyjelzqc627cig6g2y5f5x7r3yh5qivrnfcvnrqt.py
# Topologically Sorted Source Nodes: [add, rows, getitem_25, embedding_25], Original ATen: [aten.add, aten.remainder, aten.select, aten.embedding]
# Source node to ATen node mapping:
#   add => add
#   embedding_25 => embedding_25
#   getitem_25 => select_25
#   rows => remainder
# Graph fragment:
#   %arg2_1 : Tensor "i64[s35, 26][26, 1]cuda:0" = PlaceHolder[target=arg2_1]
#   %arg0_1 : Tensor "i64[26][1]cuda:0" = PlaceHolder[target=arg0_1]
#   %arg28_1 : Tensor "f32[10000, 16][16, 1]cuda:0" = PlaceHolder[target=arg28_1]
#   %add : Tensor "i64[s35, 26][26, 1]cuda:0"[num_users=1] = call_function[target=torch.ops.aten.add.Tensor](args = (%arg2_1, 1), kwargs = {})
#   %remainder : Tensor "i64[s35, 26][26, 1]cuda:0"[num_users=26] = call_function[target=torch.ops.aten.remainder.Tensor](args = (%add, %arg0_1), kwargs = {})
#   %select_25 : Tensor "i64[s35][26]cuda:0"[num_users=1] = call_function[target=torch.ops.aten.select.int](args = (%remainder, 1, 25), kwargs = {})
#   %embedding_25 : Tensor "f32[s35, 16][16, 1]cuda:0"[num_users=1] = call_function[target=torch.ops.aten.embedding.default](args = (%arg28_1, %select_25), kwargs = {})
#   return %embedding_25
triton_poi_fused_add_embedding_remainder_select_29 = async_compile.triton('triton_poi_fused_add_embedding_remainder_select_29', '''
import triton
import triton.language as tl

from torch._inductor.runtime import triton_helpers, triton_heuristics
from torch._inductor.runtime.triton_helpers import libdevice, math as tl_math
from torch._inductor.runtime.hints import AutotuneHint, ReductionHint, TileHint, DeviceProperties
triton_helpers.set_driver_to_gpu()

@triton_heuristics.pointwise(
    size_hints={'x': 2048}, 
    filename=__file__,
    triton_meta={'signature': {'in_ptr0': '*i64', 'in_ptr1': '*i64', 'in_ptr2': '*fp32', 'out_ptr0': '*fp32', 'xnumel': 'i32', 'XBLOCK': 'constexpr'}, 'device': DeviceProperties(type='cuda', index=0, multi_processor_count=132, cc=90, major=9, regs_per_multiprocessor=65536, max_threads_per_multi_processor=2048, max_threads_per_block=1024, warp_size=32), 'constants': {}, 'native_matmul': False, 'enable_fp_fusion': True, 'launch_pdl': False, 'disable_ftz': False, 'configs': [{(0,): [['tt.divisibility', 16]], (1,): [['tt.divisibility', 16]], (2,): [['tt.divisibility', 16]], (3,): [['tt.divisibility', 16]], (4,): [['tt.divisibility', 16]]}]},
    inductor_meta={'grid_type': 'Grid1D', 'autotune_hints': set(), 'kernel_name': 'triton_poi_fused_add_embedding_remainder_select_29', 'mutated_arg_names': [], 'optimize_mem': True, 'no_x_dim': False, 'atomic_add_found': False, 'num_load': 2, 'num_store': 1, 'num_reduction': 0, 'backend_hash': '91D1D1166449D9E2EB66EB9770C9E2C3B0FEB787341F27FEB4D3F0338DA50336', 'assert_indirect_indexing': True, 'autotune_local_cache': True, 'autotune_pointwise': True, 'autotune_remote_cache': None, 'force_disable_caches': True, 'dynamic_scale_rblock': True, 'max_autotune': False, 'max_autotune_pointwise': False, 'min_split_scan_rblock': 256, 'spill_threshold': 16, 'store_cubin': False, 'deterministic': False, 'force_filter_reduction_configs': False, 'mix_order_reduction_allow_multi_stages': False, 'are_deterministic_algorithms_enabled': False, 'tiling_scores': {'x': 16384}},
    min_elem_per_thread=0
)
@triton.jit
def triton_poi_fused_add_embedding_remainder_select_29(in_ptr0, in_ptr1, in_ptr2, out_ptr0, xnumel, XBLOCK : tl.constexpr):
    xoffset = tl.program_id(0) * XBLOCK
    xindex = xoffset + tl.arange(0, XBLOCK)[:]
    xmask = xindex < xnumel
    x1 = xindex // 16
    x0 = (xindex % 16)
    tmp0 = tl.load(in_ptr0 + (25 + 26*x1), xmask, eviction_policy='evict_last')
    tmp3 = tl.load(in_ptr1 + (25))
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
''', device_str='cuda')


# kernel path: xk/cxkjzjsst4rdov62mbq54j5z5knfdh6osdrw4g57jz2wwxaqixi7.py
# Topologically Sorted Source Nodes: [getitem_26, getitem_27, mul], Original ATen: [aten.unsqueeze, aten.mul]
# Source node to ATen node mapping:
#   getitem_26 => unsqueeze
#   getitem_27 => unsqueeze_1
#   mul => mul_186
# Graph fragment:
#   %cat : Tensor "f32[s35, 432][432, 1]cuda:0" = PlaceHolder[target=cat]
#   %unsqueeze : Tensor "f32[s35, 432, 1][432, 1, 1]cuda:0"[num_users=1] = call_function[target=torch.ops.aten.unsqueeze.default](args = (%cat, 2), kwargs = {})
#   %unsqueeze_1 : Tensor "f32[s35, 1, 432][432, 432, 1]cuda:0"[num_users=1] = call_function[target=torch.ops.aten.unsqueeze.default](args = (%cat, 1), kwargs = {})
#   %mul_186 : Tensor "f32[s35, 432, 432][186624, 432, 1]cuda:0"[num_users=1] = call_function[target=torch.ops.aten.mul.Tensor](args = (%unsqueeze, %unsqueeze_1), kwargs = {})
#   return %mul_186
triton_poi_fused_mul_unsqueeze_30 = async_compile.triton('triton_poi_fused_mul_unsqueeze_30', '''
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
    inductor_meta={'grid_type': 'Grid1D', 'autotune_hints': set(), 'kernel_name': 'triton_poi_fused_mul_unsqueeze_30', 'mutated_arg_names': [], 'optimize_mem': True, 'no_x_dim': False, 'atomic_add_found': False, 'num_load': 2, 'num_store': 1, 'num_reduction': 0, 'backend_hash': '91D1D1166449D9E2EB66EB9770C9E2C3B0FEB787341F27FEB4D3F0338DA50336', 'assert_indirect_indexing': True, 'autotune_local_cache': True, 'autotune_pointwise': True, 'autotune_remote_cache': None, 'force_disable_caches': True, 'dynamic_scale_rblock': True, 'max_autotune': False, 'max_autotune_pointwise': False, 'min_split_scan_rblock': 256, 'spill_threshold': 16, 'store_cubin': False, 'deterministic': False, 'force_filter_reduction_configs': False, 'mix_order_reduction_allow_multi_stages': False, 'are_deterministic_algorithms_enabled': False, 'tiling_scores': {'x': 191324160}},
    min_elem_per_thread=0
)
@triton.jit
def triton_poi_fused_mul_unsqueeze_30(in_ptr0, out_ptr0, xnumel, XBLOCK : tl.constexpr):
    xoffset = tl.program_id(0) * XBLOCK
    xindex = xoffset + tl.arange(0, XBLOCK)[:]
    xmask = xindex < xnumel
    x3 = xindex // 432
    x0 = (xindex % 432)
    x2 = xindex // 186624
    x4 = xindex
    tmp0 = tl.load(in_ptr0 + (x3), xmask, eviction_policy='evict_last')
    tmp1 = tl.load(in_ptr0 + (x0 + 432*x2), xmask, eviction_policy='evict_last')
    tmp2 = tmp0 * tmp1
    tl.store(out_ptr0 + (x4), tmp2, xmask)
''', device_str='cuda')


# kernel path: gw/cgwvng6nntqacjlohroqvpk3cpechi3raqnitchjuyczpzzymrsk.py
# Topologically Sorted Source Nodes: [input_13, sigmoid], Original ATen: [aten.addmm, aten.sigmoid]
# Source node to ATen node mapping:
#   input_13 => add_tensor
#   sigmoid => sigmoid
# Graph fragment:
#   %arg43_1 : Tensor "f32[1][1]cuda:0" = PlaceHolder[target=arg43_1]
#   %mm_default : Tensor "f32[s35, 1][1, 1]cuda:0" = PlaceHolder[target=mm_default]
#   %add_tensor : Tensor "f32[s35, 1][1, 1]cuda:0"[num_users=1] = call_function[target=torch.ops.aten.add.Tensor](args = (%arg43_1, %mm_default), kwargs = {})
#   %sigmoid : Tensor "f32[s35, 1][1, 1]cuda:0"[num_users=1] = call_function[target=torch.ops.aten.sigmoid.default](args = (%add_tensor,), kwargs = {})
#   return %sigmoid
triton_poi_fused_addmm_sigmoid_31 = async_compile.triton('triton_poi_fused_addmm_sigmoid_31', '''
import triton
import triton.language as tl

from torch._inductor.runtime import triton_helpers, triton_heuristics
from torch._inductor.runtime.triton_helpers import libdevice, math as tl_math
from torch._inductor.runtime.hints import AutotuneHint, ReductionHint, TileHint, DeviceProperties
triton_helpers.set_driver_to_gpu()

@triton_heuristics.pointwise(
    size_hints={'x': 128}, 
    filename=__file__,
    triton_meta={'signature': {'in_out_ptr0': '*fp32', 'in_ptr0': '*fp32', 'xnumel': 'i32', 'XBLOCK': 'constexpr'}, 'device': DeviceProperties(type='cuda', index=0, multi_processor_count=132, cc=90, major=9, regs_per_multiprocessor=65536, max_threads_per_multi_processor=2048, max_threads_per_block=1024, warp_size=32), 'constants': {}, 'native_matmul': False, 'enable_fp_fusion': True, 'launch_pdl': False, 'disable_ftz': False, 'configs': [{(0,): [['tt.divisibility', 16]], (1,): [['tt.divisibility', 16]]}]},
    inductor_meta={'grid_type': 'Grid1D', 'autotune_hints': set(), 'kernel_name': 'triton_poi_fused_addmm_sigmoid_31', 'mutated_arg_names': ['in_out_ptr0'], 'optimize_mem': True, 'no_x_dim': False, 'atomic_add_found': False, 'num_load': 2, 'num_store': 1, 'num_reduction': 0, 'backend_hash': '91D1D1166449D9E2EB66EB9770C9E2C3B0FEB787341F27FEB4D3F0338DA50336', 'assert_indirect_indexing': True, 'autotune_local_cache': True, 'autotune_pointwise': True, 'autotune_remote_cache': None, 'force_disable_caches': True, 'dynamic_scale_rblock': True, 'max_autotune': False, 'max_autotune_pointwise': False, 'min_split_scan_rblock': 256, 'spill_threshold': 16, 'store_cubin': False, 'deterministic': False, 'force_filter_reduction_configs': False, 'mix_order_reduction_allow_multi_stages': False, 'are_deterministic_algorithms_enabled': False, 'tiling_scores': {'x': 1536}},
    min_elem_per_thread=0
)
@triton.jit
def triton_poi_fused_addmm_sigmoid_31(in_out_ptr0, in_ptr0, xnumel, XBLOCK : tl.constexpr):
    xoffset = tl.program_id(0) * XBLOCK
    xindex = xoffset + tl.arange(0, XBLOCK)[:]
    xmask = xindex < xnumel
    x0 = xindex
    tmp0 = tl.load(in_ptr0 + (0))
    tmp1 = tl.broadcast_to(tmp0, [XBLOCK])
    tmp2 = tl.load(in_out_ptr0 + (x0), xmask)
    tmp3 = tmp1 + tmp2
    tmp4 = tl.sigmoid(tmp3)
    tl.store(in_out_ptr0 + (x0), tmp4, xmask)
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
        arg0_1, arg1_1, arg2_1, arg3_1, arg4_1, arg5_1, arg6_1, arg7_1, arg8_1, arg9_1, arg10_1, arg11_1, arg12_1, arg13_1, arg14_1, arg15_1, arg16_1, arg17_1, arg18_1, arg19_1, arg20_1, arg21_1, arg22_1, arg23_1, arg24_1, arg25_1, arg26_1, arg27_1, arg28_1, arg29_1, arg30_1, arg31_1, arg32_1, arg33_1, arg34_1, arg35_1, arg36_1, arg37_1, arg38_1, arg39_1, arg40_1, arg41_1, arg42_1, arg43_1 = args
        args.clear()
        s35 = arg1_1
        assert_size_stride(arg0_1, (26, ), (1, ))
        assert_size_stride(arg2_1, (s35, 26), (26, 1))
        assert_size_stride(arg3_1, (10000, 16), (16, 1))
        assert_size_stride(arg4_1, (10000, 16), (16, 1))
        assert_size_stride(arg5_1, (10000, 16), (16, 1))
        assert_size_stride(arg6_1, (10000, 16), (16, 1))
        assert_size_stride(arg7_1, (10000, 16), (16, 1))
        assert_size_stride(arg8_1, (10000, 16), (16, 1))
        assert_size_stride(arg9_1, (10000, 16), (16, 1))
        assert_size_stride(arg10_1, (10000, 16), (16, 1))
        assert_size_stride(arg11_1, (10000, 16), (16, 1))
        assert_size_stride(arg12_1, (10000, 16), (16, 1))
        assert_size_stride(arg13_1, (10000, 16), (16, 1))
        assert_size_stride(arg14_1, (10000, 16), (16, 1))
        assert_size_stride(arg15_1, (10000, 16), (16, 1))
        assert_size_stride(arg16_1, (10000, 16), (16, 1))
        assert_size_stride(arg17_1, (10000, 16), (16, 1))
        assert_size_stride(arg18_1, (10000, 16), (16, 1))
        assert_size_stride(arg19_1, (10000, 16), (16, 1))
        assert_size_stride(arg20_1, (10000, 16), (16, 1))
        assert_size_stride(arg21_1, (10000, 16), (16, 1))
        assert_size_stride(arg22_1, (10000, 16), (16, 1))
        assert_size_stride(arg23_1, (10000, 16), (16, 1))
        assert_size_stride(arg24_1, (10000, 16), (16, 1))
        assert_size_stride(arg25_1, (10000, 16), (16, 1))
        assert_size_stride(arg26_1, (10000, 16), (16, 1))
        assert_size_stride(arg27_1, (10000, 16), (16, 1))
        assert_size_stride(arg28_1, (10000, 16), (16, 1))
        assert_size_stride(arg29_1, (512, 13), (13, 1))
        assert_size_stride(arg30_1, (512, ), (1, ))
        assert_size_stride(arg31_1, (s35, 13), (13, 1))
        assert_size_stride(arg32_1, (256, 512), (512, 1))
        assert_size_stride(arg33_1, (256, ), (1, ))
        assert_size_stride(arg34_1, (64, 256), (256, 1))
        assert_size_stride(arg35_1, (64, ), (1, ))
        assert_size_stride(arg36_1, (16, 64), (64, 1))
        assert_size_stride(arg37_1, (16, ), (1, ))
        assert_size_stride(arg38_1, (512, 186624), (186624, 1))
        assert_size_stride(arg39_1, (512, ), (1, ))
        assert_size_stride(arg40_1, (256, 512), (512, 1))
        assert_size_stride(arg41_1, (256, ), (1, ))
        assert_size_stride(arg42_1, (1, 256), (256, 1))
        assert_size_stride(arg43_1, (1, ), (1, ))
        with torch.cuda._DeviceGuard(0):
            torch.cuda.set_device(0)
            buf0 = empty_strided_cuda((s35, 512), (512, 1), torch.float32)
            # Topologically Sorted Source Nodes: [input_1], Original ATen: [aten.t, aten.addmm]
            extern_kernels.mm(arg31_1, reinterpret_tensor(arg29_1, (13, 512), (1, 13), 0), out=buf0)
            del arg29_1
            del arg31_1
            buf1 = buf0; del buf0  # reuse
            # Topologically Sorted Source Nodes: [input_1, input_2], Original ATen: [aten.addmm, aten.relu]
            triton_poi_fused_addmm_relu_0_xnumel = 512*s35
            stream0 = get_raw_stream(0)
            triton_poi_fused_addmm_relu_0.run(buf1, arg30_1, triton_poi_fused_addmm_relu_0_xnumel, stream=stream0)
            del arg30_1
            buf2 = empty_strided_cuda((s35, 256), (256, 1), torch.float32)
            # Topologically Sorted Source Nodes: [input_1, input_2, input_3], Original ATen: [aten.addmm, aten.relu, aten.t]
            extern_kernels.mm(buf1, reinterpret_tensor(arg32_1, (512, 256), (1, 512), 0), out=buf2)
            del arg32_1
            del buf1
            buf3 = buf2; del buf2  # reuse
            # Topologically Sorted Source Nodes: [input_3, input_4], Original ATen: [aten.addmm, aten.relu]
            triton_poi_fused_addmm_relu_1_xnumel = 256*s35
            stream0 = get_raw_stream(0)
            triton_poi_fused_addmm_relu_1.run(buf3, arg33_1, triton_poi_fused_addmm_relu_1_xnumel, stream=stream0)
            del arg33_1
            buf4 = empty_strided_cuda((s35, 64), (64, 1), torch.float32)
            # Topologically Sorted Source Nodes: [input_3, input_4, input_5], Original ATen: [aten.addmm, aten.relu, aten.t]
            extern_kernels.mm(buf3, reinterpret_tensor(arg34_1, (256, 64), (1, 256), 0), out=buf4)
            del arg34_1
            del buf3
            buf5 = buf4; del buf4  # reuse
            # Topologically Sorted Source Nodes: [input_5, input_6], Original ATen: [aten.addmm, aten.relu]
            triton_poi_fused_addmm_relu_2_xnumel = 64*s35
            stream0 = get_raw_stream(0)
            triton_poi_fused_addmm_relu_2.run(buf5, arg35_1, triton_poi_fused_addmm_relu_2_xnumel, stream=stream0)
            del arg35_1
            buf6 = empty_strided_cuda((s35, 16), (16, 1), torch.float32)
            # Topologically Sorted Source Nodes: [input_5, input_6, input_7], Original ATen: [aten.addmm, aten.relu, aten.t]
            extern_kernels.mm(buf5, reinterpret_tensor(arg36_1, (64, 16), (1, 64), 0), out=buf6)
            del arg36_1
            del buf5
            buf34 = empty_strided_cuda((s35, 432), (432, 1), torch.float32)
            buf7 = reinterpret_tensor(buf34, (s35, 16), (432, 1), 0)  # alias
            # Topologically Sorted Source Nodes: [input_7, input_8], Original ATen: [aten.addmm, aten.relu]
            triton_poi_fused_addmm_relu_3_xnumel = 16*s35
            stream0 = get_raw_stream(0)
            triton_poi_fused_addmm_relu_3.run(arg37_1, buf6, buf7, triton_poi_fused_addmm_relu_3_xnumel, stream=stream0)
            del arg37_1
            del buf6
            buf8 = reinterpret_tensor(buf34, (s35, 16), (432, 1), 16)  # alias
            # Topologically Sorted Source Nodes: [add, rows, getitem, embedding], Original ATen: [aten.add, aten.remainder, aten.select, aten.embedding]
            triton_poi_fused_add_embedding_remainder_select_4_xnumel = 16*s35
            stream0 = get_raw_stream(0)
            triton_poi_fused_add_embedding_remainder_select_4.run(arg2_1, arg0_1, arg3_1, buf8, triton_poi_fused_add_embedding_remainder_select_4_xnumel, stream=stream0)
            del arg3_1
            buf9 = reinterpret_tensor(buf34, (s35, 16), (432, 1), 32)  # alias
            # Topologically Sorted Source Nodes: [add, rows, getitem_1, embedding_1], Original ATen: [aten.add, aten.remainder, aten.select, aten.embedding]
            triton_poi_fused_add_embedding_remainder_select_5_xnumel = 16*s35
            stream0 = get_raw_stream(0)
            triton_poi_fused_add_embedding_remainder_select_5.run(arg2_1, arg0_1, arg4_1, buf9, triton_poi_fused_add_embedding_remainder_select_5_xnumel, stream=stream0)
            del arg4_1
            buf10 = reinterpret_tensor(buf34, (s35, 16), (432, 1), 48)  # alias
            # Topologically Sorted Source Nodes: [add, rows, getitem_2, embedding_2], Original ATen: [aten.add, aten.remainder, aten.select, aten.embedding]
            triton_poi_fused_add_embedding_remainder_select_6_xnumel = 16*s35
            stream0 = get_raw_stream(0)
            triton_poi_fused_add_embedding_remainder_select_6.run(arg2_1, arg0_1, arg5_1, buf10, triton_poi_fused_add_embedding_remainder_select_6_xnumel, stream=stream0)
            del arg5_1
            buf11 = reinterpret_tensor(buf34, (s35, 16), (432, 1), 64)  # alias
            # Topologically Sorted Source Nodes: [add, rows, getitem_3, embedding_3], Original ATen: [aten.add, aten.remainder, aten.select, aten.embedding]
            triton_poi_fused_add_embedding_remainder_select_7_xnumel = 16*s35
            stream0 = get_raw_stream(0)
            triton_poi_fused_add_embedding_remainder_select_7.run(arg2_1, arg0_1, arg6_1, buf11, triton_poi_fused_add_embedding_remainder_select_7_xnumel, stream=stream0)
            del arg6_1
            buf12 = reinterpret_tensor(buf34, (s35, 16), (432, 1), 80)  # alias
            # Topologically Sorted Source Nodes: [add, rows, getitem_4, embedding_4], Original ATen: [aten.add, aten.remainder, aten.select, aten.embedding]
            triton_poi_fused_add_embedding_remainder_select_8_xnumel = 16*s35
            stream0 = get_raw_stream(0)
            triton_poi_fused_add_embedding_remainder_select_8.run(arg2_1, arg0_1, arg7_1, buf12, triton_poi_fused_add_embedding_remainder_select_8_xnumel, stream=stream0)
            del arg7_1
            buf13 = reinterpret_tensor(buf34, (s35, 16), (432, 1), 96)  # alias
            # Topologically Sorted Source Nodes: [add, rows, getitem_5, embedding_5], Original ATen: [aten.add, aten.remainder, aten.select, aten.embedding]
            triton_poi_fused_add_embedding_remainder_select_9_xnumel = 16*s35
            stream0 = get_raw_stream(0)
            triton_poi_fused_add_embedding_remainder_select_9.run(arg2_1, arg0_1, arg8_1, buf13, triton_poi_fused_add_embedding_remainder_select_9_xnumel, stream=stream0)
            del arg8_1
            buf14 = reinterpret_tensor(buf34, (s35, 16), (432, 1), 112)  # alias
            # Topologically Sorted Source Nodes: [add, rows, getitem_6, embedding_6], Original ATen: [aten.add, aten.remainder, aten.select, aten.embedding]
            triton_poi_fused_add_embedding_remainder_select_10_xnumel = 16*s35
            stream0 = get_raw_stream(0)
            triton_poi_fused_add_embedding_remainder_select_10.run(arg2_1, arg0_1, arg9_1, buf14, triton_poi_fused_add_embedding_remainder_select_10_xnumel, stream=stream0)
            del arg9_1
            buf15 = reinterpret_tensor(buf34, (s35, 16), (432, 1), 128)  # alias
            # Topologically Sorted Source Nodes: [add, rows, getitem_7, embedding_7], Original ATen: [aten.add, aten.remainder, aten.select, aten.embedding]
            triton_poi_fused_add_embedding_remainder_select_11_xnumel = 16*s35
            stream0 = get_raw_stream(0)
            triton_poi_fused_add_embedding_remainder_select_11.run(arg2_1, arg0_1, arg10_1, buf15, triton_poi_fused_add_embedding_remainder_select_11_xnumel, stream=stream0)
            del arg10_1
            buf16 = reinterpret_tensor(buf34, (s35, 16), (432, 1), 144)  # alias
            # Topologically Sorted Source Nodes: [add, rows, getitem_8, embedding_8], Original ATen: [aten.add, aten.remainder, aten.select, aten.embedding]
            triton_poi_fused_add_embedding_remainder_select_12_xnumel = 16*s35
            stream0 = get_raw_stream(0)
            triton_poi_fused_add_embedding_remainder_select_12.run(arg2_1, arg0_1, arg11_1, buf16, triton_poi_fused_add_embedding_remainder_select_12_xnumel, stream=stream0)
            del arg11_1
            buf17 = reinterpret_tensor(buf34, (s35, 16), (432, 1), 160)  # alias
            # Topologically Sorted Source Nodes: [add, rows, getitem_9, embedding_9], Original ATen: [aten.add, aten.remainder, aten.select, aten.embedding]
            triton_poi_fused_add_embedding_remainder_select_13_xnumel = 16*s35
            stream0 = get_raw_stream(0)
            triton_poi_fused_add_embedding_remainder_select_13.run(arg2_1, arg0_1, arg12_1, buf17, triton_poi_fused_add_embedding_remainder_select_13_xnumel, stream=stream0)
            del arg12_1
            buf18 = reinterpret_tensor(buf34, (s35, 16), (432, 1), 176)  # alias
            # Topologically Sorted Source Nodes: [add, rows, getitem_10, embedding_10], Original ATen: [aten.add, aten.remainder, aten.select, aten.embedding]
            triton_poi_fused_add_embedding_remainder_select_14_xnumel = 16*s35
            stream0 = get_raw_stream(0)
            triton_poi_fused_add_embedding_remainder_select_14.run(arg2_1, arg0_1, arg13_1, buf18, triton_poi_fused_add_embedding_remainder_select_14_xnumel, stream=stream0)
            del arg13_1
            buf19 = reinterpret_tensor(buf34, (s35, 16), (432, 1), 192)  # alias
            # Topologically Sorted Source Nodes: [add, rows, getitem_11, embedding_11], Original ATen: [aten.add, aten.remainder, aten.select, aten.embedding]
            triton_poi_fused_add_embedding_remainder_select_15_xnumel = 16*s35
            stream0 = get_raw_stream(0)
            triton_poi_fused_add_embedding_remainder_select_15.run(arg2_1, arg0_1, arg14_1, buf19, triton_poi_fused_add_embedding_remainder_select_15_xnumel, stream=stream0)
            del arg14_1
            buf20 = reinterpret_tensor(buf34, (s35, 16), (432, 1), 208)  # alias
            # Topologically Sorted Source Nodes: [add, rows, getitem_12, embedding_12], Original ATen: [aten.add, aten.remainder, aten.select, aten.embedding]
            triton_poi_fused_add_embedding_remainder_select_16_xnumel = 16*s35
            stream0 = get_raw_stream(0)
            triton_poi_fused_add_embedding_remainder_select_16.run(arg2_1, arg0_1, arg15_1, buf20, triton_poi_fused_add_embedding_remainder_select_16_xnumel, stream=stream0)
            del arg15_1
            buf21 = reinterpret_tensor(buf34, (s35, 16), (432, 1), 224)  # alias
            # Topologically Sorted Source Nodes: [add, rows, getitem_13, embedding_13], Original ATen: [aten.add, aten.remainder, aten.select, aten.embedding]
            triton_poi_fused_add_embedding_remainder_select_17_xnumel = 16*s35
            stream0 = get_raw_stream(0)
            triton_poi_fused_add_embedding_remainder_select_17.run(arg2_1, arg0_1, arg16_1, buf21, triton_poi_fused_add_embedding_remainder_select_17_xnumel, stream=stream0)
            del arg16_1
            buf22 = reinterpret_tensor(buf34, (s35, 16), (432, 1), 240)  # alias
            # Topologically Sorted Source Nodes: [add, rows, getitem_14, embedding_14], Original ATen: [aten.add, aten.remainder, aten.select, aten.embedding]
            triton_poi_fused_add_embedding_remainder_select_18_xnumel = 16*s35
            stream0 = get_raw_stream(0)
            triton_poi_fused_add_embedding_remainder_select_18.run(arg2_1, arg0_1, arg17_1, buf22, triton_poi_fused_add_embedding_remainder_select_18_xnumel, stream=stream0)
            del arg17_1
            buf23 = reinterpret_tensor(buf34, (s35, 16), (432, 1), 256)  # alias
            # Topologically Sorted Source Nodes: [add, rows, getitem_15, embedding_15], Original ATen: [aten.add, aten.remainder, aten.select, aten.embedding]
            triton_poi_fused_add_embedding_remainder_select_19_xnumel = 16*s35
            stream0 = get_raw_stream(0)
            triton_poi_fused_add_embedding_remainder_select_19.run(arg2_1, arg0_1, arg18_1, buf23, triton_poi_fused_add_embedding_remainder_select_19_xnumel, stream=stream0)
            del arg18_1
            buf24 = reinterpret_tensor(buf34, (s35, 16), (432, 1), 272)  # alias
            # Topologically Sorted Source Nodes: [add, rows, getitem_16, embedding_16], Original ATen: [aten.add, aten.remainder, aten.select, aten.embedding]
            triton_poi_fused_add_embedding_remainder_select_20_xnumel = 16*s35
            stream0 = get_raw_stream(0)
            triton_poi_fused_add_embedding_remainder_select_20.run(arg2_1, arg0_1, arg19_1, buf24, triton_poi_fused_add_embedding_remainder_select_20_xnumel, stream=stream0)
            del arg19_1
            buf25 = reinterpret_tensor(buf34, (s35, 16), (432, 1), 288)  # alias
            # Topologically Sorted Source Nodes: [add, rows, getitem_17, embedding_17], Original ATen: [aten.add, aten.remainder, aten.select, aten.embedding]
            triton_poi_fused_add_embedding_remainder_select_21_xnumel = 16*s35
            stream0 = get_raw_stream(0)
            triton_poi_fused_add_embedding_remainder_select_21.run(arg2_1, arg0_1, arg20_1, buf25, triton_poi_fused_add_embedding_remainder_select_21_xnumel, stream=stream0)
            del arg20_1
            buf26 = reinterpret_tensor(buf34, (s35, 16), (432, 1), 304)  # alias
            # Topologically Sorted Source Nodes: [add, rows, getitem_18, embedding_18], Original ATen: [aten.add, aten.remainder, aten.select, aten.embedding]
            triton_poi_fused_add_embedding_remainder_select_22_xnumel = 16*s35
            stream0 = get_raw_stream(0)
            triton_poi_fused_add_embedding_remainder_select_22.run(arg2_1, arg0_1, arg21_1, buf26, triton_poi_fused_add_embedding_remainder_select_22_xnumel, stream=stream0)
            del arg21_1
            buf27 = reinterpret_tensor(buf34, (s35, 16), (432, 1), 320)  # alias
            # Topologically Sorted Source Nodes: [add, rows, getitem_19, embedding_19], Original ATen: [aten.add, aten.remainder, aten.select, aten.embedding]
            triton_poi_fused_add_embedding_remainder_select_23_xnumel = 16*s35
            stream0 = get_raw_stream(0)
            triton_poi_fused_add_embedding_remainder_select_23.run(arg2_1, arg0_1, arg22_1, buf27, triton_poi_fused_add_embedding_remainder_select_23_xnumel, stream=stream0)
            del arg22_1
            buf28 = reinterpret_tensor(buf34, (s35, 16), (432, 1), 336)  # alias
            # Topologically Sorted Source Nodes: [add, rows, getitem_20, embedding_20], Original ATen: [aten.add, aten.remainder, aten.select, aten.embedding]
            triton_poi_fused_add_embedding_remainder_select_24_xnumel = 16*s35
            stream0 = get_raw_stream(0)
            triton_poi_fused_add_embedding_remainder_select_24.run(arg2_1, arg0_1, arg23_1, buf28, triton_poi_fused_add_embedding_remainder_select_24_xnumel, stream=stream0)
            del arg23_1
            buf29 = reinterpret_tensor(buf34, (s35, 16), (432, 1), 352)  # alias
            # Topologically Sorted Source Nodes: [add, rows, getitem_21, embedding_21], Original ATen: [aten.add, aten.remainder, aten.select, aten.embedding]
            triton_poi_fused_add_embedding_remainder_select_25_xnumel = 16*s35
            stream0 = get_raw_stream(0)
            triton_poi_fused_add_embedding_remainder_select_25.run(arg2_1, arg0_1, arg24_1, buf29, triton_poi_fused_add_embedding_remainder_select_25_xnumel, stream=stream0)
            del arg24_1
            buf30 = reinterpret_tensor(buf34, (s35, 16), (432, 1), 368)  # alias
            # Topologically Sorted Source Nodes: [add, rows, getitem_22, embedding_22], Original ATen: [aten.add, aten.remainder, aten.select, aten.embedding]
            triton_poi_fused_add_embedding_remainder_select_26_xnumel = 16*s35
            stream0 = get_raw_stream(0)
            triton_poi_fused_add_embedding_remainder_select_26.run(arg2_1, arg0_1, arg25_1, buf30, triton_poi_fused_add_embedding_remainder_select_26_xnumel, stream=stream0)
            del arg25_1
            buf31 = reinterpret_tensor(buf34, (s35, 16), (432, 1), 384)  # alias
            # Topologically Sorted Source Nodes: [add, rows, getitem_23, embedding_23], Original ATen: [aten.add, aten.remainder, aten.select, aten.embedding]
            triton_poi_fused_add_embedding_remainder_select_27_xnumel = 16*s35
            stream0 = get_raw_stream(0)
            triton_poi_fused_add_embedding_remainder_select_27.run(arg2_1, arg0_1, arg26_1, buf31, triton_poi_fused_add_embedding_remainder_select_27_xnumel, stream=stream0)
            del arg26_1
            buf32 = reinterpret_tensor(buf34, (s35, 16), (432, 1), 400)  # alias
            # Topologically Sorted Source Nodes: [add, rows, getitem_24, embedding_24], Original ATen: [aten.add, aten.remainder, aten.select, aten.embedding]
            triton_poi_fused_add_embedding_remainder_select_28_xnumel = 16*s35
            stream0 = get_raw_stream(0)
            triton_poi_fused_add_embedding_remainder_select_28.run(arg2_1, arg0_1, arg27_1, buf32, triton_poi_fused_add_embedding_remainder_select_28_xnumel, stream=stream0)
            del arg27_1
            buf33 = reinterpret_tensor(buf34, (s35, 16), (432, 1), 416)  # alias
            # Topologically Sorted Source Nodes: [add, rows, getitem_25, embedding_25], Original ATen: [aten.add, aten.remainder, aten.select, aten.embedding]
            triton_poi_fused_add_embedding_remainder_select_29_xnumel = 16*s35
            stream0 = get_raw_stream(0)
            triton_poi_fused_add_embedding_remainder_select_29.run(arg2_1, arg0_1, arg28_1, buf33, triton_poi_fused_add_embedding_remainder_select_29_xnumel, stream=stream0)
            del arg0_1
            del arg28_1
            del arg2_1
            buf35 = empty_strided_cuda((s35, 432, 432), (186624, 432, 1), torch.float32)
            # Topologically Sorted Source Nodes: [getitem_26, getitem_27, mul], Original ATen: [aten.unsqueeze, aten.mul]
            triton_poi_fused_mul_unsqueeze_30_xnumel = 186624*s35
            stream0 = get_raw_stream(0)
            triton_poi_fused_mul_unsqueeze_30.run(buf34, buf35, triton_poi_fused_mul_unsqueeze_30_xnumel, stream=stream0)
            del buf10
            del buf11
            del buf12
            del buf13
            del buf14
            del buf15
            del buf16
            del buf17
            del buf18
            del buf19
            del buf20
            del buf21
            del buf22
            del buf23
            del buf24
            del buf25
            del buf26
            del buf27
            del buf28
            del buf29
            del buf30
            del buf31
            del buf32
            del buf33
            del buf34
            del buf7
            del buf8
            del buf9
            buf36 = empty_strided_cuda((s35, 512), (512, 1), torch.float32)
            # Topologically Sorted Source Nodes: [getitem_26, getitem_27, mul, flatten, input_9], Original ATen: [aten.unsqueeze, aten.mul, aten.view, aten.t, aten.addmm]
            extern_kernels.mm(reinterpret_tensor(buf35, (s35, 186624), (186624, 1), 0), reinterpret_tensor(arg38_1, (186624, 512), (1, 186624), 0), out=buf36)
            del arg38_1
            del buf35
            buf37 = buf36; del buf36  # reuse
            # Topologically Sorted Source Nodes: [input_9, input_10], Original ATen: [aten.addmm, aten.relu]
            triton_poi_fused_addmm_relu_0_xnumel = 512*s35
            stream0 = get_raw_stream(0)
            triton_poi_fused_addmm_relu_0.run(buf37, arg39_1, triton_poi_fused_addmm_relu_0_xnumel, stream=stream0)
            del arg39_1
            buf38 = empty_strided_cuda((s35, 256), (256, 1), torch.float32)
            # Topologically Sorted Source Nodes: [input_9, input_10, input_11], Original ATen: [aten.addmm, aten.relu, aten.t]
            extern_kernels.mm(buf37, reinterpret_tensor(arg40_1, (512, 256), (1, 512), 0), out=buf38)
            del arg40_1
            del buf37
            buf39 = buf38; del buf38  # reuse
            # Topologically Sorted Source Nodes: [input_11, input_12], Original ATen: [aten.addmm, aten.relu]
            triton_poi_fused_addmm_relu_1_xnumel = 256*s35
            stream0 = get_raw_stream(0)
            triton_poi_fused_addmm_relu_1.run(buf39, arg41_1, triton_poi_fused_addmm_relu_1_xnumel, stream=stream0)
            del arg41_1
            buf40 = empty_strided_cuda((s35, 1), (1, 1), torch.float32)
            # Topologically Sorted Source Nodes: [input_11, input_12, input_13], Original ATen: [aten.addmm, aten.relu, aten.t]
            extern_kernels.mm(buf39, reinterpret_tensor(arg42_1, (256, 1), (1, 256), 0), out=buf40)
            del arg42_1
            del buf39
            buf41 = buf40; del buf40  # reuse
            # Topologically Sorted Source Nodes: [input_13, sigmoid], Original ATen: [aten.addmm, aten.sigmoid]
            stream0 = get_raw_stream(0)
            triton_poi_fused_addmm_sigmoid_31.run(buf41, arg43_1, s35, stream=stream0)
            del arg43_1
        return (reinterpret_tensor(buf41, (s35, ), (1, ), 0), )

runner = Runner(partitions=[])
call = runner.call
recursively_apply_fns = runner.recursively_apply_fns


def get_args():
    from torch._dynamo.testing import rand_strided
    arg0_1 = rand_strided((26, ), (1, ), device='cuda:0', dtype=torch.int64)
    arg1_1 = 128
    arg2_1 = rand_strided((128, 26), (26, 1), device='cuda:0', dtype=torch.int64)
    arg3_1 = rand_strided((10000, 16), (16, 1), device='cuda:0', dtype=torch.float32)
    arg4_1 = rand_strided((10000, 16), (16, 1), device='cuda:0', dtype=torch.float32)
    arg5_1 = rand_strided((10000, 16), (16, 1), device='cuda:0', dtype=torch.float32)
    arg6_1 = rand_strided((10000, 16), (16, 1), device='cuda:0', dtype=torch.float32)
    arg7_1 = rand_strided((10000, 16), (16, 1), device='cuda:0', dtype=torch.float32)
    arg8_1 = rand_strided((10000, 16), (16, 1), device='cuda:0', dtype=torch.float32)
    arg9_1 = rand_strided((10000, 16), (16, 1), device='cuda:0', dtype=torch.float32)
    arg10_1 = rand_strided((10000, 16), (16, 1), device='cuda:0', dtype=torch.float32)
    arg11_1 = rand_strided((10000, 16), (16, 1), device='cuda:0', dtype=torch.float32)
    arg12_1 = rand_strided((10000, 16), (16, 1), device='cuda:0', dtype=torch.float32)
    arg13_1 = rand_strided((10000, 16), (16, 1), device='cuda:0', dtype=torch.float32)
    arg14_1 = rand_strided((10000, 16), (16, 1), device='cuda:0', dtype=torch.float32)
    arg15_1 = rand_strided((10000, 16), (16, 1), device='cuda:0', dtype=torch.float32)
    arg16_1 = rand_strided((10000, 16), (16, 1), device='cuda:0', dtype=torch.float32)
    arg17_1 = rand_strided((10000, 16), (16, 1), device='cuda:0', dtype=torch.float32)
    arg18_1 = rand_strided((10000, 16), (16, 1), device='cuda:0', dtype=torch.float32)
    arg19_1 = rand_strided((10000, 16), (16, 1), device='cuda:0', dtype=torch.float32)
    arg20_1 = rand_strided((10000, 16), (16, 1), device='cuda:0', dtype=torch.float32)
    arg21_1 = rand_strided((10000, 16), (16, 1), device='cuda:0', dtype=torch.float32)
    arg22_1 = rand_strided((10000, 16), (16, 1), device='cuda:0', dtype=torch.float32)
    arg23_1 = rand_strided((10000, 16), (16, 1), device='cuda:0', dtype=torch.float32)
    arg24_1 = rand_strided((10000, 16), (16, 1), device='cuda:0', dtype=torch.float32)
    arg25_1 = rand_strided((10000, 16), (16, 1), device='cuda:0', dtype=torch.float32)
    arg26_1 = rand_strided((10000, 16), (16, 1), device='cuda:0', dtype=torch.float32)
    arg27_1 = rand_strided((10000, 16), (16, 1), device='cuda:0', dtype=torch.float32)
    arg28_1 = rand_strided((10000, 16), (16, 1), device='cuda:0', dtype=torch.float32)
    arg29_1 = rand_strided((512, 13), (13, 1), device='cuda:0', dtype=torch.float32)
    arg30_1 = rand_strided((512, ), (1, ), device='cuda:0', dtype=torch.float32)
    arg31_1 = rand_strided((128, 13), (13, 1), device='cuda:0', dtype=torch.float32)
    arg32_1 = rand_strided((256, 512), (512, 1), device='cuda:0', dtype=torch.float32)
    arg33_1 = rand_strided((256, ), (1, ), device='cuda:0', dtype=torch.float32)
    arg34_1 = rand_strided((64, 256), (256, 1), device='cuda:0', dtype=torch.float32)
    arg35_1 = rand_strided((64, ), (1, ), device='cuda:0', dtype=torch.float32)
    arg36_1 = rand_strided((16, 64), (64, 1), device='cuda:0', dtype=torch.float32)
    arg37_1 = rand_strided((16, ), (1, ), device='cuda:0', dtype=torch.float32)
    arg38_1 = rand_strided((512, 186624), (186624, 1), device='cuda:0', dtype=torch.float32)
    arg39_1 = rand_strided((512, ), (1, ), device='cuda:0', dtype=torch.float32)
    arg40_1 = rand_strided((256, 512), (512, 1), device='cuda:0', dtype=torch.float32)
    arg41_1 = rand_strided((256, ), (1, ), device='cuda:0', dtype=torch.float32)
    arg42_1 = rand_strided((1, 256), (256, 1), device='cuda:0', dtype=torch.float32)
    arg43_1 = rand_strided((1, ), (1, ), device='cuda:0', dtype=torch.float32)
    return [arg0_1, arg1_1, arg2_1, arg3_1, arg4_1, arg5_1, arg6_1, arg7_1, arg8_1, arg9_1, arg10_1, arg11_1, arg12_1, arg13_1, arg14_1, arg15_1, arg16_1, arg17_1, arg18_1, arg19_1, arg20_1, arg21_1, arg22_1, arg23_1, arg24_1, arg25_1, arg26_1, arg27_1, arg28_1, arg29_1, arg30_1, arg31_1, arg32_1, arg33_1, arg34_1, arg35_1, arg36_1, arg37_1, arg38_1, arg39_1, arg40_1, arg41_1, arg42_1, arg43_1]


def benchmark_compiled_module(args, times=10, repeat=10):
    from torch._inductor.utils import print_performance
    fn = lambda: call(list(args))
    return print_performance(fn, times=times, repeat=repeat)


if __name__ == "__main__":
    from torch._inductor.wrapper_benchmark import compiled_module_main
    args = get_args()
    compiled_module_main('None', lambda times, repeat: benchmark_compiled_module(args, times=times, repeat=repeat))
