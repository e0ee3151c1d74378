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


# kernel path: 5h/c5hgjz6i2h2dcofvwyblqq4tmuqhc34i7tm3d6jgo4pgi52szmtf.py
# Topologically Sorted Source Nodes: [mul_4, slice_1, slice_2, neg_2, cat_2, mul_5, add_2, mul_6, slice_3, slice_4, neg_3, cat_3, mul_7, add_3, cat_4], Original ATen: [aten.mul, aten.slice, aten.neg, aten.cat, aten.add]
# Source node to ATen node mapping:
#   add_2 => add_2
#   add_3 => add_3
#   cat_2 => cat_2
#   cat_3 => cat_3
#   cat_4 => cat_4
#   mul_4 => mul_4
#   mul_5 => mul_5
#   mul_6 => mul_6
#   mul_7 => mul_7
#   neg_2 => neg_2
#   neg_3 => neg_3
#   slice_1 => slice_1
#   slice_2 => slice_2
#   slice_3 => slice_3
#   slice_4 => slice_4
# Graph fragment:
#   %getitem_11 : Tensor "f32[4, 16, 1024, 64][1048576, 64, 1024, 1]cuda:0" = PlaceHolder[target=getitem_11]
#   %primals_4 : Tensor "f32[1024, 64][64, 1]cuda:0" = PlaceHolder[target=primals_4]
#   %primals_3 : Tensor "f32[1024, 64][64, 1]cuda:0" = PlaceHolder[target=primals_3]
#   %getitem_12 : Tensor "f32[4, 16, 1024, 64][1048576, 64, 1024, 1]cuda:0" = PlaceHolder[target=getitem_12]
#   %getitem_13 : Tensor "f32[4, 16, 1024, 64][1048576, 64, 1024, 1]cuda:0" = PlaceHolder[target=getitem_13]
#   %mul_4 : Tensor "f32[4, 16, 1024, 64][1048576, 64, 1024, 1]cuda:0"[num_users=2] = call_function[target=torch.ops.aten.mul.Tensor](args = (%getitem_12, %primals_4), kwargs = {})
#   %slice_1 : Tensor "f32[4, 16, 1024, 32][1048576, 64, 1024, 1]cuda:0"[num_users=1] = call_function[target=torch.ops.aten.slice.Tensor](args = (%mul_4, 3, 0, 32), kwargs = {})
#   %slice_2 : Tensor "f32[4, 16, 1024, 32][1048576, 64, 1024, 1]cuda:0"[num_users=1] = call_function[target=torch.ops.aten.slice.Tensor](args = (%mul_4, 3, 32, 64), kwargs = {})
#   %neg_2 : Tensor "f32[4, 16, 1024, 32][524288, 32, 512, 1]cuda:0"[num_users=1] = call_function[target=torch.ops.aten.neg.default](args = (%slice_1,), kwargs = {})
#   %cat_2 : Tensor "f32[4, 16, 1024, 64][1048576, 65536, 64, 1]cuda:0"[num_users=1] = call_function[target=torch.ops.aten.cat.default](args = ([%slice_2, %neg_2], 3), kwargs = {})
#   %mul_5 : Tensor "f32[4, 16, 1024, 64][1048576, 64, 1024, 1]cuda:0"[num_users=1] = call_function[target=torch.ops.aten.mul.Tensor](args = (%getitem_12, %primals_3), kwargs = {})
#   %add_2 : Tensor "f32[4, 16, 1024, 64][1048576, 65536, 64, 1]cuda:0"[num_users=1] = call_function[target=torch.ops.aten.add.Tensor](args = (%cat_2, %mul_5), kwargs = {})
#   %mul_6 : Tensor "f32[4, 16, 1024, 64][1048576, 64, 1024, 1]cuda:0"[num_users=2] = call_function[target=torch.ops.aten.mul.Tensor](args = (%getitem_11, %primals_4), kwargs = {})
#   %slice_3 : Tensor "f32[4, 16, 1024, 32][1048576, 64, 1024, 1]cuda:0"[num_users=1] = call_function[target=torch.ops.aten.slice.Tensor](args = (%mul_6, 3, 0, 32), kwargs = {})
#   %slice_4 : Tensor "f32[4, 16, 1024, 32][1048576, 64, 1024, 1]cuda:0"[num_users=1] = call_function[target=torch.ops.aten.slice.Tensor](args = (%mul_6, 3, 32, 64), kwargs = {})
#   %neg_3 : Tensor "f32[4, 16, 1024, 32][524288, 32, 512, 1]cuda:0"[num_users=1] = call_function[target=torch.ops.aten.neg.default](args = (%slice_3,), kwargs = {})
#   %cat_3 : Tensor "f32[4, 16, 1024, 64][1048576, 65536, 64, 1]cuda:0"[num_users=1] = call_function[target=torch.ops.aten.cat.default](args = ([%slice_4, %neg_3], 3), kwargs = {})
#   %mul_7 : Tensor "f32[4, 16, 1024, 64][1048576, 64, 1024, 1]cuda:0"[num_users=1] = call_function[target=torch.ops.aten.mul.Tensor](args = (%getitem_11, %primals_3), kwargs = {})
#   %add_3 : Tensor "f32[4, 16, 1024, 64][1048576, 65536, 64, 1]cuda:0"[num_users=1] = call_function[target=torch.ops.aten.add.Tensor](args = (%cat_3, %mul_7), kwargs = {})
#   %cat_4 : Tensor "f32[4, 48, 1024, 64][3145728, 65536, 64, 1]cuda:0"[num_users=1] = call_function[target=torch.ops.aten.cat.default](args = ([%add_3, %add_2, %getitem_13], 1), kwargs = {})
#   return %cat_4
triton_poi_fused_add_cat_mul_neg_slice_0 = async_compile.triton('triton_poi_fused_add_cat_mul_neg_slice_0', '''
import triton
import triton.language as tl

from torch._inductor.runtime import triton_helpers, triton_heuristics
from torch._inductor.runtime.triton_helpers import libdevice, math as tl_math
from torch._inductor.runtime.hints import AutotuneHint, ReductionHint, TileHint, DeviceProperties
triton_helpers.set_driver_to_gpu()

@triton_heuristics.pointwise(
    size_hints={'x': 16777216}, 
    filename=__file__,
    triton_meta={'signature': {'in_ptr0': '*fp32', 'in_ptr1': '*fp32', 'in_ptr2': '*fp32', 'in_ptr3': '*fp32', 'in_ptr4': '*fp32', 'out_ptr0': '*fp32', 'xnumel': 'i32', 'XBLOCK': 'constexpr'}, 'device': DeviceProperties(type='cuda', index=0, multi_processor_count=132, cc=90, major=9, regs_per_multiprocessor=65536, max_threads_per_multi_processor=2048, max_threads_per_block=1024, warp_size=32), 'constants': {}, 'native_matmul': False, 'enable_fp_fusion': True, 'launch_pdl': False, 'disable_ftz': False, 'configs': [{(0,): [['tt.divisibility', 16]], (1,): [['tt.divisibility', 16]], (2,): [['tt.divisibility', 16]], (3,): [['tt.divisibility', 16]], (4,): [['tt.divisibility', 16]], (5,): [['tt.divisibility', 16]], (6,): [['tt.divisibility', 16]]}]},
    inductor_meta={'grid_type': 'Grid1D', 'autotune_hints': set(), 'kernel_name': 'triton_poi_fused_add_cat_mul_neg_slice_0', 'mutated_arg_names': [], 'optimize_mem': True, 'no_x_dim': False, 'atomic_add_found': False, 'num_load': 13, 'num_store': 1, 'num_reduction': 0, 'backend_hash': '91D1D1166449D9E2EB66EB9770C9E2C3B0FEB787341F27FEB4D3F0338DA50336', 'assert_indirect_indexing': True, 'autotune_local_cache': True, 'autotune_pointwise': True, 'autotune_remote_cache': None, 'force_disable_caches': True, 'dynamic_scale_rblock': True, 'max_autotune': False, 'max_autotune_pointwise': False, 'min_split_scan_rblock': 256, 'spill_threshold': 16, 'store_cubin': False, 'deterministic': False, 'force_filter_reduction_configs': False, 'mix_order_reduction_allow_multi_stages': False, 'are_deterministic_algorithms_enabled': False, 'tiling_scores': {'x': 218890240}},
    min_elem_per_thread=0
)
@triton.jit
def triton_poi_fused_add_cat_mul_neg_slice_0(in_ptr0, in_ptr1, in_ptr2, in_ptr3, in_ptr4, out_ptr0, xnumel, XBLOCK : tl.constexpr):
    xnumel = 12582912
    xoffset = tl.program_id(0) * XBLOCK
    xindex = xoffset + tl.arange(0, XBLOCK)[:]
    xmask = tl.full([XBLOCK], True, tl.int1)[:]
    x2 = ((xindex // 65536) % 48)
    x0 = (xindex % 64)
    x1 = ((xindex // 64) % 1024)
    x3 = xindex // 3145728
    x5 = (xindex % 65536)
    x6 = xindex
    tmp0 = x2
    tmp1 = tl.full([1], 0, tl.int64)
    tmp2 = tmp0 >= tmp1
    tmp3 = tl.full([1], 16, tl.int64)
    tmp4 = tmp0 < tmp3
    tmp5 = x0
    tmp6 = tl.full([1], 0, tl.int64)
    tmp7 = tmp5 >= tmp6
    tmp8 = tl.full([1], 32, tl.int64)
    tmp9 = tmp5 < tmp8
    tmp10 = tmp9 & tmp4
    tmp11 = tl.load(in_ptr0 + (32 + 64*(x2) + 1024*x1 + 1048576*x3 + (x0)), tmp10, eviction_policy='evict_last', other=0.0)
    tmp12 = tl.load(in_ptr1 + (32 + 64*x1 + (x0)), tmp10, eviction_policy='evict_last', other=0.0)
    tmp13 = tmp11 * tmp12
    tmp14 = tl.full(tmp13.shape, 0.0, tmp13.dtype)
    tmp15 = tl.where(tmp10, tmp13, tmp14)
    tmp16 = tmp5 >= tmp8
    tmp17 = tl.full([1], 64, tl.int64)
    tmp18 = tmp5 < tmp17
    tmp19 = tmp16 & tmp4
    tmp20 = tl.load(in_ptr0 + (64*(x2) + 1024*x1 + 1048576*x3 + ((-32) + x0)), tmp19, eviction_policy='evict_last', other=0.0)
    tmp21 = tl.load(in_ptr1 + (64*x1 + ((-32) + x0)), tmp19, eviction_policy='evict_last', other=0.0)
    tmp22 = tmp20 * tmp21
    tmp23 = -tmp22
    tmp24 = tl.full(tmp23.shape, 0.0, tmp23.dtype)
    tmp25 = tl.where(tmp19, tmp23, tmp24)
    tmp26 = tl.where(tmp9, tmp15, tmp25)
    tmp27 = tl.load(in_ptr0 + (x0 + 64*(x2) + 1024*x1 + 1048576*x3), tmp4, other=0.0)
    tmp28 = tl.load(in_ptr2 + (x5), tmp4, eviction_policy='evict_last', other=0.0)
    tmp29 = tmp27 * tmp28
    tmp30 = tmp26 + tmp29
    tmp31 = tl.full(tmp30.shape, 0.0, tmp30.dtype)
    tmp32 = tl.where(tmp4, tmp30, tmp31)
    tmp33 = tmp0 >= tmp3
    tmp34 = tl.full([1], 32, tl.int64)
    tmp35 = tmp0 < tmp34
    tmp36 = tmp33 & tmp35
    tmp37 = x0
    tmp38 = tl.full([1], 0, tl.int64)
    tmp39 = tmp37 >= tmp38
    tmp40 = tl.full([1], 32, tl.int64)
    tmp41 = tmp37 < tmp40
    tmp42 = tmp41 & tmp36
    tmp43 = tl.load(in_ptr3 + (32 + 64*((-16) + x2) + 1024*x1 + 1048576*x3 + (x0)), tmp42, eviction_policy='evict_last', other=0.0)
    tmp44 = tl.load(in_ptr1 + (32 + 64*x1 + (x0)), tmp42, eviction_policy='evict_last', other=0.0)
    tmp45 = tmp43 * tmp44
    tmp46 = tl.full(tmp45.shape, 0.0, tmp45.dtype)
    tmp47 = tl.where(tmp42, tmp45, tmp46)
    tmp48 = tmp37 >= tmp40
    tmp49 = tl.full([1], 64, tl.int64)
    tmp50 = tmp37 < tmp49
    tmp51 = tmp48 & tmp36
    tmp52 = tl.load(in_ptr3 + (64*((-16) + x2) + 1024*x1 + 1048576*x3 + ((-32) + x0)), tmp51, eviction_policy='evict_last', other=0.0)
    tmp53 = tl.load(in_ptr1 + (64*x1 + ((-32) + x0)), tmp51, eviction_policy='evict_last', other=0.0)
    tmp54 = tmp52 * tmp53
    tmp55 = -tmp54
    tmp56 = tl.full(tmp55.shape, 0.0, tmp55.dtype)
    tmp57 = tl.where(tmp51, tmp55, tmp56)
    tmp58 = tl.where(tmp41, tmp47, tmp57)
    tmp59 = tl.load(in_ptr3 + (x0 + 64*((-16) + x2) + 1024*x1 + 1048576*x3), tmp36, other=0.0)
    tmp60 = tl.load(in_ptr2 + (x5), tmp36, eviction_policy='evict_last', other=0.0)
    tmp61 = tmp59 * tmp60
    tmp62 = tmp58 + tmp61
    tmp63 = tl.full(tmp62.shape, 0.0, tmp62.dtype)
    tmp64 = tl.where(tmp36, tmp62, tmp63)
    tmp65 = tmp0 >= tmp34
    tmp66 = tl.full([1], 48, tl.int64)
    tmp67 = tmp0 < tmp66
    tmp68 = tl.load(in_ptr4 + (x0 + 64*((-32) + x2) + 1024*x1 + 1048576*x3), tmp65, other=0.0)
    tmp69 = tl.where(tmp36, tmp64, tmp68)
    tmp70 = tl.where(tmp4, tmp32, tmp69)
    tl.store(out_ptr0 + (x6), tmp70, None)
''', device_str='cuda')


# kernel path: u7/cu7goobmfqhwk6oug2q2wirh4wphaw7gi7w2clw2ti5xvfilqoju.py
# Topologically Sorted Source Nodes: [permute_9, clone, view_9, view_10], Original ATen: [aten.transpose, aten.clone, aten._unsafe_view, aten.view]
# Source node to ATen node mapping:
#   clone => clone
#   permute_9 => permute_9
#   view_10 => view_10
#   view_9 => view_9
# Graph fragment:
#   %cat_4 : Tensor "f32[4, 48, 1024, 64][3145728, 65536, 64, 1]cuda:0" = PlaceHolder[target=cat_4]
#   %permute_9 : Tensor "f32[4, 1024, 48, 64][3145728, 64, 65536, 1]cuda:0"[num_users=1] = call_function[target=torch.ops.aten.permute.default](args = (%cat_4, [0, 2, 1, 3]), kwargs = {})
#   %clone : Tensor "f32[4, 1024, 48, 64][3145728, 3072, 64, 1]cuda:0"[num_users=1] = call_function[target=torch.ops.aten.clone.default](args = (%permute_9,), kwargs = {memory_format: torch.contiguous_format})
#   %view_9 : Tensor "f32[4, 1024, 3072][3145728, 3072, 1]cuda:0"[num_users=1] = call_function[target=torch.ops.aten.reshape.default](args = (%clone, [4, 1024, 3072]), kwargs = {})
#   %view_10 : Tensor "f32[4096, 3072][3072, 1]cuda:0"[num_users=2] = call_function[target=torch.ops.aten.reshape.default](args = (%view_9, [4096, 3072]), kwargs = {})
#   return %view_10
triton_poi_fused__unsafe_view_clone_transpose_view_1 = async_compile.triton('triton_poi_fused__unsafe_view_clone_transpose_view_1', '''
import triton
import triton.language as tl

from torch._inductor.runtime import triton_helpers, triton_heuristics
from torch._inductor.runtime.triton_helpers import libdevice, math as tl_math
from torch._inductor.runtime.hints import AutotuneHint, ReductionHint, TileHint, DeviceProperties
triton_helpers.set_driver_to_gpu()

@triton_heuristics.pointwise(
    size_hints={'x': 16777216}, 
    filename=__file__,
    triton_meta={'signature': {'in_ptr0': '*fp32', 'out_ptr0': '*fp32', 'xnumel': 'i32', 'XBLOCK': 'constexpr'}, 'device': DeviceProperties(type='cuda', index=0, multi_processor_count=132, cc=90, major=9, regs_per_multiprocessor=65536, max_threads_per_multi_processor=2048, max_threads_per_block=1024, warp_size=32), 'constants': {}, 'native_matmul': False, 'enable_fp_fusion': True, 'launch_pdl': False, 'disable_ftz': False, 'configs': [{(0,): [['tt.divisibility', 16]], (1,): [['tt.divisibility', 16]], (2,): [['tt.divisibility', 16]]}]},
    inductor_meta={'grid_type': 'Grid1D', 'autotune_hints': set(), 'kernel_name': 'triton_poi_fused__unsafe_view_clone_transpose_view_1', 'mutated_arg_names': [], 'optimize_mem': True, 'no_x_dim': False, 'atomic_add_found': False, 'num_load': 1, 'num_store': 1, 'num_reduction': 0, 'backend_hash': '91D1D1166449D9E2EB66EB9770C9E2C3B0FEB787341F27FEB4D3F0338DA50336', 'assert_indirect_indexing': True, 'autotune_local_cache': True, 'autotune_pointwise': True, 'autotune_remote_cache': None, 'force_disable_caches': True, 'dynamic_scale_rblock': True, 'max_autotune': False, 'max_autotune_pointwise': False, 'min_split_scan_rblock': 256, 'spill_threshold': 16, 'store_cubin': False, 'deterministic': False, 'force_filter_reduction_configs': False, 'mix_order_reduction_allow_multi_stages': False, 'are_deterministic_algorithms_enabled': False, 'tiling_scores': {'x': 150994944}},
    min_elem_per_thread=0
)
@triton.jit
def triton_poi_fused__unsafe_view_clone_transpose_view_1(in_ptr0, out_ptr0, xnumel, XBLOCK : tl.constexpr):
    xnumel = 12582912
    xoffset = tl.program_id(0) * XBLOCK
    xindex = xoffset + tl.arange(0, XBLOCK)[:]
    xmask = tl.full([XBLOCK], True, tl.int1)[:]
    x0 = (xindex % 3072)
    x1 = xindex // 3072
    x2 = xindex
    tmp0 = tl.load(in_ptr0 + (64*((x1 % 1024)) + 65536*(x0 // 64) + 3145728*(x1 // 1024) + ((x0 % 64))), None)
    tl.store(out_ptr0 + (x2), tmp0, None)
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
        primals_2, primals_3, primals_4, primals_5, view, getitem_2, add, add_1, getitem_7, getitem_8, getitem_9, getitem_10, tangents_1 = args
        args.clear()
        assert_size_stride(primals_2, (3072, 1024), (1024, 1))
        assert_size_stride(primals_3, (1024, 64), (64, 1))
        assert_size_stride(primals_4, (1024, 64), (64, 1))
        assert_size_stride(primals_5, (1024, 1024), (1024, 1))
        assert_size_stride(view, (4096, 1024), (1024, 1))
        assert_size_stride(getitem_2, (4, 16, 1024, 64), (3145728, 64, 3072, 1))
        assert_size_stride(add, (4, 16, 1024, 64), (1048576, 64, 1024, 1))
        assert_size_stride(add_1, (4, 16, 1024, 64), (1048576, 64, 1024, 1))
        assert_size_stride(getitem_7, (4, 16, 1024, 64), (1048576, 64, 1024, 1))
        assert_size_stride(getitem_8, (4, 16, 1024), (16384, 1024, 1))
        assert_size_stride(getitem_9, (), ())
        assert_size_stride(getitem_10, (), ())
        assert_size_stride(tangents_1, (4, 1024, 1024), (1048576, 1024, 1))
        with torch.cuda._DeviceGuard(0):
            torch.cuda.set_device(0)
            buf1 = empty_strided_cuda((4096, 1024), (1024, 1), torch.float32)
            # Topologically Sorted Source Nodes: [view_6, linear_1, permute_6, mm_3], Original ATen: [aten.view, aten.t, aten.mm]
            extern_kernels.mm(reinterpret_tensor(tangents_1, (4096, 1024), (1024, 1), 0), primals_5, out=buf1)
            del primals_5
            # Topologically Sorted Source Nodes: [view_7, view_8, permute_8, _scaled_dot_product_efficient_attention_backward], Original ATen: [aten.view, aten.transpose, aten._scaled_dot_product_efficient_attention_backward]
            buf2 = torch.ops.aten._scaled_dot_product_efficient_attention_backward.default(reinterpret_tensor(buf1, (4, 16, 1024, 64), (1048576, 64, 1024, 1), 0), add, add_1, getitem_2, None, getitem_7, getitem_8, getitem_9, getitem_10, 0.0, [True, True, True, False], True)
            del add
            del add_1
            del buf1
            del getitem_10
            del getitem_2
            del getitem_8
            del getitem_9
            buf3 = buf2[0]
            assert_size_stride(buf3, (4, 16, 1024, 64), (1048576, 64, 1024, 1), 'torch.ops.aten._scaled_dot_product_efficient_attention_backward.default')
            assert_alignment(buf3, 16, 'torch.ops.aten._scaled_dot_product_efficient_attention_backward.default')
            buf4 = buf2[1]
            assert_size_stride(buf4, (4, 16, 1024, 64), (1048576, 64, 1024, 1), 'torch.ops.aten._scaled_dot_product_efficient_attention_backward.default')
            assert_alignment(buf4, 16, 'torch.ops.aten._scaled_dot_product_efficient_attention_backward.default')
            buf5 = buf2[2]
            assert_size_stride(buf5, (4, 16, 1024, 64), (1048576, 64, 1024, 1), 'torch.ops.aten._scaled_dot_product_efficient_attention_backward.default')
            assert_alignment(buf5, 16, 'torch.ops.aten._scaled_dot_product_efficient_attention_backward.default')
            del buf2
            buf0 = empty_strided_cuda((1024, 1024), (1024, 1), torch.float32)
            # Topologically Sorted Source Nodes: [view_6, permute_4, transpose_1, reshape, linear_1, mm_2], Original ATen: [aten.view, aten.t, aten.transpose, aten.mm]
            extern_kernels.mm(reinterpret_tensor(tangents_1, (1024, 4096), (1, 1024), 0), reinterpret_tensor(getitem_7, (4096, 1024), (1024, 1), 0), out=buf0)
            del getitem_7
            del tangents_1
            buf6 = empty_strided_cuda((4, 48, 1024, 64), (3145728, 65536, 64, 1), torch.float32)
            # Topologically Sorted Source Nodes: [mul_4, slice_1, slice_2, neg_2, cat_2, mul_5, add_2, mul_6, slice_3, slice_4, neg_3, cat_3, mul_7, add_3, cat_4], Original ATen: [aten.mul, aten.slice, aten.neg, aten.cat, aten.add]
            stream0 = get_raw_stream(0)
            triton_poi_fused_add_cat_mul_neg_slice_0.run(buf3, primals_4, primals_3, buf4, buf5, buf6, 12582912, stream=stream0)
            del buf3
            del buf4
            del primals_3
            del primals_4
            buf7 = empty_strided_cuda((4096, 3072), (3072, 1), torch.float32)
            # Topologically Sorted Source Nodes: [permute_9, clone, view_9, view_10], Original ATen: [aten.transpose, aten.clone, aten._unsafe_view, aten.view]
            stream0 = get_raw_stream(0)
            triton_poi_fused__unsafe_view_clone_transpose_view_1.run(buf6, buf7, 12582912, stream=stream0)
            del buf6
            buf9 = reinterpret_tensor(buf5, (4096, 1024), (1024, 1), 0); del buf5  # reuse
            # Topologically Sorted Source Nodes: [linear, permute_12, mm_5], Original ATen: [aten.t, aten.mm]
            extern_kernels.mm(buf7, primals_2, out=buf9)
            del primals_2
            buf8 = empty_strided_cuda((3072, 1024), (1024, 1), torch.float32)
            # Topologically Sorted Source Nodes: [permute_10, mm_4], Original ATen: [aten.t, aten.mm]
            extern_kernels.mm(reinterpret_tensor(buf7, (3072, 4096), (1, 3072), 0), view, out=buf8)
            del buf7
            del view
        return (reinterpret_tensor(buf9, (4, 1024, 1024), (1048576, 1024, 1), 0), buf8, None, None, buf0, )

runner = Runner(partitions=[])
call = runner.call
recursively_apply_fns = runner.recursively_apply_fns


def get_args():
    from torch._dynamo.testing import rand_strided
    primals_2 = rand_strided((3072, 1024), (1024, 1), device='cuda:0', dtype=torch.float32)
    primals_3 = rand_strided((1024, 64), (64, 1), device='cuda:0', dtype=torch.float32)
    primals_4 = rand_strided((1024, 64), (64, 1), device='cuda:0', dtype=torch.float32)
    primals_5 = rand_strided((1024, 1024), (1024, 1), device='cuda:0', dtype=torch.float32)
    view = rand_strided((4096, 1024), (1024, 1), device='cuda:0', dtype=torch.float32)
    getitem_2 = rand_strided((4, 16, 1024, 64), (3145728, 64, 3072, 1), device='cuda:0', dtype=torch.float32)
    add = rand_strided((4, 16, 1024, 64), (1048576, 64, 1024, 1), device='cuda:0', dtype=torch.float32)
    add_1 = rand_strided((4, 16, 1024, 64), (1048576, 64, 1024, 1), device='cuda:0', dtype=torch.float32)
    getitem_7 = rand_strided((4, 16, 1024, 64), (1048576, 64, 1024, 1), device='cuda:0', dtype=torch.float32)
    getitem_8 = rand_strided((4, 16, 1024), (16384, 1024, 1), device='cuda:0', dtype=torch.float32)
    getitem_9 = rand_strided((), (), device='cuda:0', dtype=torch.int64)
    getitem_10 = rand_strided((), (), device='cuda:0', dtype=torch.int64)
    tangents_1 = rand_strided((4, 1024, 1024), (1048576, 1024, 1), device='cuda:0', dtype=torch.float32)
    return [primals_2, primals_3, primals_4, primals_5, view, getitem_2, add, add_1, getitem_7, getitem_8, getitem_9, getitem_10, tangents_1]


def benchmark_compiled_module(args, times=10, repeat=10):
    from torch._inductor.utils import print_performance
    fn = lambda: call(list(args))
    return print_performance(fn, times=times, repeat=repeat)


if __name__ == "__main__":
    from torch._inductor.wrapper_benchmark import compiled_module_main
    args = get_args()
    compiled_module_main('None', lambda times, repeat: benchmark_compiled_module(args, times=times, repeat=repeat))
