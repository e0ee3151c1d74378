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


# kernel path: f3/cf3hs6aneg5e5wkcijrlo5qax5ntpz6wskwqoi4z4bqavmy2hjub.py
# Topologically Sorted Source Nodes: [], Original ATen: []
# Source node to ATen node mapping:
# Graph fragment:
#   %tangents_1 : Tensor "f32[s77, 256][256, 1]cuda:0" = PlaceHolder[target=tangents_1]
#   %convert_element_type_default_5 : Tensor "f32[][]cpu" = PlaceHolder[target=convert_element_type_default_5]
#   %mul_tensor_3 : Tensor "f32[s77, 256][256, 1]cuda:0"[num_users=2] = call_function[target=torch.ops.aten.mul.Tensor](args = (%tangents_1, %convert_element_type_default_5), kwargs = {})
#   return %mul_tensor_3
triton_poi_fused_0 = async_compile.triton('triton_poi_fused_0', '''
import triton
import triton.language as tl

from torch._inductor.runtime import triton_helpers, triton_heuristics
from torch._inductor.runtime.triton_helpers import libdevice, math as tl_math
from torch._inductor.runtime.hints import AutotuneHint, ReductionHint, TileHint, DeviceProperties
triton_helpers.set_driver_to_gpu()

@triton_heuristics.pointwise(
    size_hints={'x': 1048576}, 
    filename=__file__,
    triton_meta={'signature': {'in_ptr0': '*fp32', 'in_ptr1': 'fp32', 'out_ptr0': '*fp32', 'xnumel': 'i32', 'XBLOCK': 'constexpr'}, 'device': DeviceProperties(type='cuda', index=0, multi_processor_count=132, cc=90, major=9, regs_per_multiprocessor=65536, max_threads_per_multi_processor=2048, max_threads_per_block=1024, warp_size=32), 'constants': {}, 'native_matmul': False, 'enable_fp_fusion': True, 'launch_pdl': False, 'disable_ftz': False, 'configs': [{(0,): [['tt.divisibility', 16]], (2,): [['tt.divisibility', 16]], (3,): [['tt.divisibility', 16]]}]},
    inductor_meta={'grid_type': 'Grid1D', 'autotune_hints': set(), 'kernel_name': 'triton_poi_fused_0', 'mutated_arg_names': [], 'optimize_mem': True, 'no_x_dim': False, 'atomic_add_found': False, 'num_load': 2, 'num_store': 1, 'num_reduction': 0, 'backend_hash': '91D1D1166449D9E2EB66EB9770C9E2C3B0FEB787341F27FEB4D3F0338DA50336', 'assert_indirect_indexing': True, 'autotune_local_cache': True, 'autotune_pointwise': True, 'autotune_remote_cache': None, 'force_disable_caches': True, 'dynamic_scale_rblock': True, 'max_autotune': False, 'max_autotune_pointwise': False, 'min_split_scan_rblock': 256, 'spill_threshold': 16, 'store_cubin': False, 'deterministic': False, 'force_filter_reduction_configs': False, 'mix_order_reduction_allow_multi_stages': False, 'are_deterministic_algorithms_enabled': False, 'tiling_scores': {'x': 12582912}},
    min_elem_per_thread=0
)
@triton.jit
def triton_poi_fused_0(in_ptr0, in_ptr1, out_ptr0, xnumel, XBLOCK : tl.constexpr):
    xoffset = tl.program_id(0) * XBLOCK
    xindex = xoffset + tl.arange(0, XBLOCK)[:]
    xmask = xindex < xnumel
    x0 = xindex
    tmp0 = tl.load(in_ptr0 + (x0), xmask)
    tmp1 = in_ptr1
    tmp2 = tmp0 * tmp1
    tl.store(out_ptr0 + (x0), tmp2, xmask)
''', device_str='cuda')


# kernel path: 3i/c3idg2xxgjh64fvwguohp3bq3sper6oj3xnkws2ys6le6la7mhy2.py
# Topologically Sorted Source Nodes: [add_60, le, full_default, where], Original ATen: [aten.add, aten.threshold_backward]
# Source node to ATen node mapping:
#   add_60 => add_60
#   full_default => full_default
#   le => le
#   where => where
# Graph fragment:
#   %relu_1 : Tensor "f32[s77, 1024][1024, 1]cuda:0" = PlaceHolder[target=relu_1]
#   %mm_9 : Tensor "f32[s77, 1024][1024, 1]cuda:0" = PlaceHolder[target=mm_9]
#   %mm_10 : Tensor "f32[s77, 1024][1024, 1]cuda:0" = PlaceHolder[target=mm_10]
#   %where : Tensor "f32[s77, 1024][1024, 1]cuda:0" = PlaceHolder[target=where]
#   %convert_element_type_default_3 : Tensor "f32[][]cpu" = PlaceHolder[target=convert_element_type_default_3]
#   %add_60 : Tensor "f32[s77, 1024][1024, 1]cuda:0"[num_users=1] = call_function[target=torch.ops.aten.add.Tensor](args = (%mm_9, %mm_10), kwargs = {})
#   %le : Tensor "b8[s77, 1024][1024, 1]cuda:0"[num_users=1] = call_function[target=torch.ops.aten.le.Scalar](args = (%relu_1, 0), kwargs = {})
#   %full_default : Tensor "f32[][]cuda:0"[num_users=2] = call_function[target=torch.ops.aten.full.default](args = ([], 0.0), kwargs = {dtype: torch.float32, layout: torch.strided, device: cuda:0, pin_memory: False})
#   %where : Tensor "f32[s77, 1024][1024, 1]cuda:0"[num_users=2] = call_function[target=torch.ops.aten.where.self](args = (%le, %full_default, %add_60), kwargs = {})
#   %mul_tensor_4 : Tensor "f32[s77, 1024][1024, 1]cuda:0"[num_users=2] = call_function[target=torch.ops.aten.mul.Tensor](args = (%where, %convert_element_type_default_3), kwargs = {})
#   return %where,%mul_tensor_4
triton_poi_fused_add_threshold_backward_1 = async_compile.triton('triton_poi_fused_add_threshold_backward_1', '''
import triton
import triton.language as tl

from torch._inductor.runtime import triton_helpers, triton_heuristics
from torch._inductor.runtime.triton_helpers import libdevice, math as tl_math
from torch._inductor.runtime.hints import AutotuneHint, ReductionHint, TileHint, DeviceProperties
triton_helpers.set_driver_to_gpu()

@triton_heuristics.pointwise(
    size_hints={'x': 4194304}, 
    filename=__file__,
    triton_meta={'signature': {'in_out_ptr0': '*fp32', 'in_ptr0': '*fp32', 'in_ptr1': '*fp32', 'in_ptr2': 'fp32', 'out_ptr0': '*fp32', 'xnumel': 'i32', 'XBLOCK': 'constexpr'}, 'device': DeviceProperties(type='cuda', index=0, multi_processor_count=132, cc=90, major=9, regs_per_multiprocessor=65536, max_threads_per_multi_processor=2048, max_threads_per_block=1024, warp_size=32), 'constants': {}, 'native_matmul': False, 'enable_fp_fusion': True, 'launch_pdl': False, 'disable_ftz': False, 'configs': [{(0,): [['tt.divisibility', 16]], (1,): [['tt.divisibility', 16]], (2,): [['tt.divisibility', 16]], (4,): [['tt.divisibility', 16]], (5,): [['tt.divisibility', 16]]}]},
    inductor_meta={'grid_type': 'Grid1D', 'autotune_hints': set(), 'kernel_name': 'triton_poi_fused_add_threshold_backward_1', 'mutated_arg_names': ['in_out_ptr0'], 'optimize_mem': True, 'no_x_dim': False, 'atomic_add_found': False, 'num_load': 4, 'num_store': 2, 'num_reduction': 0, 'backend_hash': '91D1D1166449D9E2EB66EB9770C9E2C3B0FEB787341F27FEB4D3F0338DA50336', 'assert_indirect_indexing': True, 'autotune_local_cache': True, 'autotune_pointwise': True, 'autotune_remote_cache': None, 'force_disable_caches': True, 'dynamic_scale_rblock': True, 'max_autotune': False, 'max_autotune_pointwise': False, 'min_split_scan_rblock': 256, 'spill_threshold': 16, 'store_cubin': False, 'deterministic': False, 'force_filter_reduction_configs': False, 'mix_order_reduction_allow_multi_stages': False, 'are_deterministic_algorithms_enabled': False, 'tiling_scores': {'x': 117440512}},
    min_elem_per_thread=0
)
@triton.jit
def triton_poi_fused_add_threshold_backward_1(in_out_ptr0, in_ptr0, in_ptr1, in_ptr2, out_ptr0, xnumel, XBLOCK : tl.constexpr):
    xoffset = tl.program_id(0) * XBLOCK
    xindex = xoffset + tl.arange(0, XBLOCK)[:]
    xmask = xindex < xnumel
    x0 = xindex
    tmp0 = tl.load(in_out_ptr0 + (x0), xmask)
    tmp3 = tl.load(in_ptr0 + (x0), xmask)
    tmp4 = tl.load(in_ptr1 + (x0), xmask)
    tmp7 = in_ptr2
    tmp1 = tl.full([1], 0.0, tl.float32)
    tmp2 = tmp0 <= tmp1
    tmp5 = tmp3 + tmp4
    tmp6 = tl.where(tmp2, tmp1, tmp5)
    tmp8 = tmp6 * tmp7
    tl.store(in_out_ptr0 + (x0), tmp6, xmask)
    tl.store(out_ptr0 + (x0), tmp8, xmask)
''', device_str='cuda')


# kernel path: tq/ctqfnp2zr3p4edoteuecyesettxiftxfrnc6t626g5xcq5lysqaz.py
# Topologically Sorted Source Nodes: [full_default, add_61, le_1, where_1], Original ATen: [aten.threshold_backward, aten.add]
# Source node to ATen node mapping:
#   add_61 => add_61
#   full_default => full_default
#   le_1 => le_1
#   where_1 => where_1
# Graph fragment:
#   %relu : Tensor "f32[s77, 1024][1024, 1]cuda:0" = PlaceHolder[target=relu]
#   %mm_14 : Tensor "f32[s77, 1024][1024, 1]cuda:0" = PlaceHolder[target=mm_14]
#   %mm_15 : Tensor "f32[s77, 1024][1024, 1]cuda:0" = PlaceHolder[target=mm_15]
#   %convert_element_type_default_1 : Tensor "f32[][]cpu" = PlaceHolder[target=convert_element_type_default_1]
#   %full_default : Tensor "f32[][]cuda:0"[num_users=2] = call_function[target=torch.ops.aten.full.default](args = ([], 0.0), kwargs = {dtype: torch.float32, layout: torch.strided, device: cuda:0, pin_memory: False})
#   %add_61 : Tensor "f32[s77, 1024][1024, 1]cuda:0"[num_users=1] = call_function[target=torch.ops.aten.add.Tensor](args = (%mm_14, %mm_15), kwargs = {})
#   %le_1 : Tensor "b8[s77, 1024][1024, 1]cuda:0"[num_users=1] = call_function[target=torch.ops.aten.le.Scalar](args = (%relu, 0), kwargs = {})
#   %where_1 : Tensor "f32[s77, 1024][1024, 1]cuda:0"[num_users=1] = call_function[target=torch.ops.aten.where.self](args = (%le_1, %full_default, %add_61), kwargs = {})
#   %mul_tensor_5 : Tensor "f32[s77, 1024][1024, 1]cuda:0"[num_users=2] = call_function[target=torch.ops.aten.mul.Tensor](args = (%where_1, %convert_element_type_default_1), kwargs = {})
#   return %mul_tensor_5
triton_poi_fused_add_threshold_backward_2 = async_compile.triton('triton_poi_fused_add_threshold_backward_2', '''
import triton
import triton.language as tl

from torch._inductor.runtime import triton_helpers, triton_heuristics
from torch._inductor.runtime.triton_helpers import libdevice, math as tl_math
from torch._inductor.runtime.hints import AutotuneHint, ReductionHint, TileHint, DeviceProperties
triton_helpers.set_driver_to_gpu()

@triton_heuristics.pointwise(
    size_hints={'x': 4194304}, 
    filename=__file__,
    triton_meta={'signature': {'in_out_ptr0': '*fp32', 'in_ptr0': '*fp32', 'in_ptr1': '*fp32', 'in_ptr2': 'fp32', 'xnumel': 'i32', 'XBLOCK': 'constexpr'}, 'device': DeviceProperties(type='cuda', index=0, multi_processor_count=132, cc=90, major=9, regs_per_multiprocessor=65536, max_threads_per_multi_processor=2048, max_threads_per_block=1024, warp_size=32), 'constants': {}, 'native_matmul': False, 'enable_fp_fusion': True, 'launch_pdl': False, 'disable_ftz': False, 'configs': [{(0,): [['tt.divisibility', 16]], (1,): [['tt.divisibility', 16]], (2,): [['tt.divisibility', 16]], (4,): [['tt.divisibility', 16]]}]},
    inductor_meta={'grid_type': 'Grid1D', 'autotune_hints': set(), 'kernel_name': 'triton_poi_fused_add_threshold_backward_2', 'mutated_arg_names': ['in_out_ptr0'], 'optimize_mem': True, 'no_x_dim': False, 'atomic_add_found': False, 'num_load': 4, 'num_store': 1, 'num_reduction': 0, 'backend_hash': '91D1D1166449D9E2EB66EB9770C9E2C3B0FEB787341F27FEB4D3F0338DA50336', 'assert_indirect_indexing': True, 'autotune_local_cache': True, 'autotune_pointwise': True, 'autotune_remote_cache': None, 'force_disable_caches': True, 'dynamic_scale_rblock': True, 'max_autotune': False, 'max_autotune_pointwise': False, 'min_split_scan_rblock': 256, 'spill_threshold': 16, 'store_cubin': False, 'deterministic': False, 'force_filter_reduction_configs': False, 'mix_order_reduction_allow_multi_stages': False, 'are_deterministic_algorithms_enabled': False, 'tiling_scores': {'x': 83886080}},
    min_elem_per_thread=0
)
@triton.jit
def triton_poi_fused_add_threshold_backward_2(in_out_ptr0, in_ptr0, in_ptr1, in_ptr2, xnumel, XBLOCK : tl.constexpr):
    xoffset = tl.program_id(0) * XBLOCK
    xindex = xoffset + tl.arange(0, XBLOCK)[:]
    xmask = xindex < xnumel
    x0 = xindex
    tmp0 = tl.load(in_out_ptr0 + (x0), xmask)
    tmp3 = tl.load(in_ptr0 + (x0), xmask)
    tmp4 = tl.load(in_ptr1 + (x0), xmask)
    tmp7 = in_ptr2
    tmp1 = tl.full([1], 0.0, tl.float32)
    tmp2 = tmp0 <= tmp1
    tmp5 = tmp3 + tmp4
    tmp6 = tl.where(tmp2, tmp1, tmp5)
    tmp8 = tmp6 * tmp7
    tl.store(in_out_ptr0 + (x0), tmp8, xmask)
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
        primals_3, primals_4, primals_6, primals_8, primals_10, primals_11, primals_13, primals_15, primals_16, mm, convert_element_type_default_1, relu, mm_2, convert_element_type_default_3, relu_1, mm_4, convert_element_type_default_5, tangents_1 = args
        args.clear()
        s77 = primals_3
        assert_size_stride(primals_4, (s77, 512), (512, 1))
        assert_size_stride(primals_6, (1024, 8), (8, 1))
        assert_size_stride(primals_8, (1024, 1024), (1024, 1))
        assert_size_stride(primals_10, (8, 1024), (1024, 1))
        assert_size_stride(primals_11, (1024, 8), (8, 1))
        assert_size_stride(primals_13, (256, 1024), (1024, 1))
        assert_size_stride(primals_15, (8, 1024), (1024, 1))
        assert_size_stride(primals_16, (256, 8), (8, 1))
        assert_size_stride(mm, (s77, 8), (8, 1))
        assert_size_stride(convert_element_type_default_1, (), ())
        assert_size_stride(relu, (s77, 1024), (1024, 1))
        assert_size_stride(mm_2, (s77, 8), (8, 1))
        assert_size_stride(convert_element_type_default_3, (), ())
        assert_size_stride(relu_1, (s77, 1024), (1024, 1))
        assert_size_stride(mm_4, (s77, 8), (8, 1))
        assert_size_stride(convert_element_type_default_5, (), ())
        assert_size_stride(tangents_1, (s77, 256), (256, 1))
        with torch.cuda._DeviceGuard(0):
            torch.cuda.set_device(0)
            buf0 = empty_strided_cuda((s77, 256), (256, 1), torch.float32)
            # Topologically Sorted Source Nodes: [], Original ATen: []
            triton_poi_fused_0_xnumel = 256*s77
            stream0 = get_raw_stream(0)
            triton_poi_fused_0.run(tangents_1, convert_element_type_default_5.item(), buf0, triton_poi_fused_0_xnumel, stream=stream0)
            del convert_element_type_default_5
            buf1 = empty_strided_cuda((256, 8), (8, 1), torch.float32)
            # Topologically Sorted Source Nodes: [permute_9, mm_6], Original ATen: [aten.t, aten.mm]
            extern_kernels.mm(reinterpret_tensor(buf0, (256, s77), (1, 256), 0), mm_4, out=buf1)
            del mm_4
            buf2 = empty_strided_cuda((s77, 8), (8, 1), torch.float32)
            # Topologically Sorted Source Nodes: [getattr_6, permute_11, mm_7], Original ATen: [aten.permute, aten.t, aten.mm]
            extern_kernels.mm(buf0, primals_16, out=buf2)
            del buf0
            del primals_16
            buf3 = empty_strided_cuda((8, 1024), (1024, 1), torch.float32)
            # Topologically Sorted Source Nodes: [permute_13, mm_8], Original ATen: [aten.t, aten.mm]
            extern_kernels.mm(reinterpret_tensor(buf2, (8, s77), (1, 8), 0), relu_1, out=buf3)
            buf4 = empty_strided_cuda((s77, 1024), (1024, 1), torch.float32)
            # Topologically Sorted Source Nodes: [getattr_5, permute_15, mm_9], Original ATen: [aten.permute, aten.t, aten.mm]
            extern_kernels.mm(buf2, primals_15, out=buf4)
            del buf2
            del primals_15
            buf5 = empty_strided_cuda((s77, 1024), (1024, 1), torch.float32)
            # Topologically Sorted Source Nodes: [linear_2, permute_17, mm_10], Original ATen: [aten.t, aten.mm]
            extern_kernels.mm(tangents_1, primals_13, out=buf5)
            del primals_13
            del tangents_1
            buf6 = relu_1; del relu_1  # reuse
            buf7 = empty_strided_cuda((s77, 1024), (1024, 1), torch.float32)
            # Topologically Sorted Source Nodes: [add_60, le, full_default, where], Original ATen: [aten.add, aten.threshold_backward]
            triton_poi_fused_add_threshold_backward_1_xnumel = 1024*s77
            stream0 = get_raw_stream(0)
            triton_poi_fused_add_threshold_backward_1.run(buf6, buf4, buf5, convert_element_type_default_3.item(), buf7, triton_poi_fused_add_threshold_backward_1_xnumel, stream=stream0)
            del buf4
            del convert_element_type_default_3
            buf8 = empty_strided_cuda((1024, 8), (8, 1), torch.float32)
            # Topologically Sorted Source Nodes: [permute_18, mm_11], Original ATen: [aten.t, aten.mm]
            extern_kernels.mm(reinterpret_tensor(buf7, (1024, s77), (1, 1024), 0), mm_2, out=buf8)
            del mm_2
            buf9 = empty_strided_cuda((s77, 8), (8, 1), torch.float32)
            # Topologically Sorted Source Nodes: [getattr_4, permute_20, mm_12], Original ATen: [aten.permute, aten.t, aten.mm]
            extern_kernels.mm(buf7, primals_11, out=buf9)
            del primals_11
            buf10 = empty_strided_cuda((8, 1024), (1024, 1), torch.float32)
            # Topologically Sorted Source Nodes: [permute_22, mm_13], Original ATen: [aten.t, aten.mm]
            extern_kernels.mm(reinterpret_tensor(buf9, (8, s77), (1, 8), 0), relu, out=buf10)
            buf11 = buf7; del buf7  # reuse
            # Topologically Sorted Source Nodes: [getattr_3, permute_24, mm_14], Original ATen: [aten.permute, aten.t, aten.mm]
            extern_kernels.mm(buf9, primals_10, out=buf11)
            del primals_10
            buf12 = buf5; del buf5  # reuse
            # Topologically Sorted Source Nodes: [linear_1, permute_26, mm_15], Original ATen: [aten.t, aten.mm]
            extern_kernels.mm(buf6, primals_8, out=buf12)
            del buf6
            del primals_8
            buf13 = relu; del relu  # reuse
            # Topologically Sorted Source Nodes: [full_default, add_61, le_1, where_1], Original ATen: [aten.threshold_backward, aten.add]
            triton_poi_fused_add_threshold_backward_2_xnumel = 1024*s77
            stream0 = get_raw_stream(0)
            triton_poi_fused_add_threshold_backward_2.run(buf13, buf11, buf12, convert_element_type_default_1.item(), triton_poi_fused_add_threshold_backward_2_xnumel, stream=stream0)
            del buf11
            del buf12
            del convert_element_type_default_1
            buf14 = empty_strided_cuda((1024, 8), (8, 1), torch.float32)
            # Topologically Sorted Source Nodes: [permute_27, mm_16], Original ATen: [aten.t, aten.mm]
            extern_kernels.mm(reinterpret_tensor(buf13, (1024, s77), (1, 1024), 0), mm, out=buf14)
            del mm
            buf15 = buf9; del buf9  # reuse
            # Topologically Sorted Source Nodes: [getattr_2, permute_29, mm_17], Original ATen: [aten.permute, aten.t, aten.mm]
            extern_kernels.mm(buf13, primals_6, out=buf15)
            del buf13
            del primals_6
            buf16 = empty_strided_cuda((8, 512), (512, 1), torch.float32)
            # Topologically Sorted Source Nodes: [permute_31, mm_18], Original ATen: [aten.t, aten.mm]
            extern_kernels.mm(reinterpret_tensor(buf15, (8, s77), (1, 8), 0), primals_4, out=buf16)
            del buf15
            del primals_4
        return (None, None, None, None, buf16, buf14, None, None, None, buf10, buf8, None, None, None, buf3, buf1, None, )

runner = Runner(partitions=[])
call = runner.call
recursively_apply_fns = runner.recursively_apply_fns


def get_args():
    from torch._dynamo.testing import rand_strided
    primals_3 = 4096
    primals_4 = rand_strided((4096, 512), (512, 1), device='cuda:0', dtype=torch.float32)
    primals_6 = rand_strided((1024, 8), (8, 1), device='cuda:0', dtype=torch.float32)
    primals_8 = rand_strided((1024, 1024), (1024, 1), device='cuda:0', dtype=torch.float32)
    primals_10 = rand_strided((8, 1024), (1024, 1), device='cuda:0', dtype=torch.float32)
    primals_11 = rand_strided((1024, 8), (8, 1), device='cuda:0', dtype=torch.float32)
    primals_13 = rand_strided((256, 1024), (1024, 1), device='cuda:0', dtype=torch.float32)
    primals_15 = rand_strided((8, 1024), (1024, 1), device='cuda:0', dtype=torch.float32)
    primals_16 = rand_strided((256, 8), (8, 1), device='cuda:0', dtype=torch.float32)
    mm = rand_strided((4096, 8), (8, 1), device='cuda:0', dtype=torch.float32)
    convert_element_type_default_1 = rand_strided((), (), device='cpu', dtype=torch.float32)
    relu = rand_strided((4096, 1024), (1024, 1), device='cuda:0', dtype=torch.float32)
    mm_2 = rand_strided((4096, 8), (8, 1), device='cuda:0', dtype=torch.float32)
    convert_element_type_default_3 = rand_strided((), (), device='cpu', dtype=torch.float32)
    relu_1 = rand_strided((4096, 1024), (1024, 1), device='cuda:0', dtype=torch.float32)
    mm_4 = rand_strided((4096, 8), (8, 1), device='cuda:0', dtype=torch.float32)
    convert_element_type_default_5 = rand_strided((), (), device='cpu', dtype=torch.float32)
    tangents_1 = rand_strided((4096, 256), (256, 1), device='cuda:0', dtype=torch.float32)
    return [primals_3, primals_4, primals_6, primals_8, primals_10, primals_11, primals_13, primals_15, primals_16, mm, convert_element_type_default_1, relu, mm_2, convert_element_type_default_3, relu_1, mm_4, convert_element_type_default_5, tangents_1]


def benchmark_compiled_module(args, times=10, repeat=10):
    from torch._inductor.utils import print_performance
    fn = lambda: call(list(args))
    return print_performance(fn, times=times, repeat=repeat)


if __name__ == "__main__":
    from torch._inductor.wrapper_benchmark import compiled_module_main
    args = get_args()
    compiled_module_main('None', lambda times, repeat: benchmark_compiled_module(args, times=times, repeat=repeat))
