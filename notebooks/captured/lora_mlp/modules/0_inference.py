# AOT ID: ['0_inference']
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
from torch._C._dynamo.guards import copy_if_misaligned
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


# kernel path: fo/cfoktcvx25kobwhsejpd2pweo4sc2g4tvolnt2nigd4sf3oajxd7.py
# Topologically Sorted Source Nodes: [linear, mul, add, x], Original ATen: [aten.addmm, aten.mul, aten.add, aten.relu]
# Source node to ATen node mapping:
#   add => add
#   linear => add_tensor_1
#   mul => mul
#   x => relu
# Graph fragment:
#   %arg1_1 : Tensor "f32[8][1]cuda:0" = PlaceHolder[target=arg1_1]
#   %mm_default_1 : Tensor "f32[8, 8][8, 1]cuda:0" = PlaceHolder[target=mm_default_1]
#   %mm_1 : Tensor "f32[8, 8][8, 1]cuda:0" = PlaceHolder[target=mm_1]
#   %add_tensor_1 : Tensor "f32[8, 8][8, 1]cuda:0"[num_users=1] = call_function[target=torch.ops.aten.add.Tensor](args = (%arg1_1, %mm_default_1), kwargs = {})
#   %mul : Tensor "f32[8, 8][8, 1]cuda:0"[num_users=1] = call_function[target=torch.ops.aten.mul.Tensor](args = (%mm_1, 0.5), kwargs = {})
#   %add : Tensor "f32[8, 8][8, 1]cuda:0"[num_users=1] = call_function[target=torch.ops.aten.add.Tensor](args = (%add_tensor_1, %mul), kwargs = {})
#   %relu : Tensor "f32[8, 8][8, 1]cuda:0"[num_users=2] = call_function[target=torch.ops.aten.relu.default](args = (%add,), kwargs = {})
#   return %relu
triton_poi_fused_add_addmm_mul_relu_0 = async_compile.triton('triton_poi_fused_add_addmm_mul_relu_0', '''
import triton
import triton.language as tl

from torch._inductor.runtime import triton_helpers, triton_heuristics
from torch._inductor.runtime.triton_helpers import libdevice, math as tl_math
from torch._inductor.runtime.hints import AutotuneHint, ReductionHint, TileHint, DeviceProperties
triton_helpers.set_driver_to_gpu()

@triton_heuristics.pointwise(
    size_hints={'x': 64}, 
    filename=__file__,
    triton_meta={'signature': {'in_out_ptr0': '*fp32', 'in_ptr0': '*fp32', 'in_ptr1': '*fp32', 'xnumel': 'i32', 'XBLOCK': 'constexpr'}, 'device': DeviceProperties(type='cuda', index=0, multi_processor_count=132, cc=90, major=9, regs_per_multiprocessor=65536, max_threads_per_multi_processor=2048, max_threads_per_block=1024, warp_size=32), 'constants': {}, 'native_matmul': False, 'enable_fp_fusion': True, 'launch_pdl': False, 'disable_ftz': False, 'configs': [{(0,): [['tt.divisibility', 16]], (1,): [['tt.divisibility', 16]], (2,): [['tt.divisibility', 16]], (3,): [['tt.divisibility', 16]]}]},
    inductor_meta={'grid_type': 'Grid1D', 'kernel_name': 'triton_poi_fused_add_addmm_mul_relu_0', 'mutated_arg_names': ['in_out_ptr0'], 'optimize_mem': True, 'no_x_dim': False, 'atomic_add_found': False, 'num_load': 3, 'num_store': 1, 'num_reduction': 0, 'autotune_hints': set(), 'tiling_scores': {'x': 1056}, 'backend_hash': 'A7974629523B4D795A8C0C90B2297822F17759D8C9C132184692A517F69FBE14', 'assert_indirect_indexing': True, 'autotune_local_cache': True, 'autotune_pointwise': True, 'autotune_remote_cache': None, 'force_disable_caches': True, 'dynamic_scale_rblock': True, 'incremental_autotune': False, 'max_autotune': False, 'max_autotune_pointwise': False, 'min_split_scan_rblock': 256, 'spill_threshold': 16, 'store_cubin': False, 'deterministic': False, 'batch_invariant': False, 'force_filter_reduction_configs': False, 'mix_order_reduction_allow_multi_stages': True, 'dynamic_disable_pipelining': True, 'are_deterministic_algorithms_enabled': False},
    min_elem_per_thread=0
)
@triton.jit
def triton_poi_fused_add_addmm_mul_relu_0(in_out_ptr0, in_ptr0, in_ptr1, xnumel, XBLOCK : tl.constexpr):
    xnumel = 64
    xoffset = tl.program_id(0) * XBLOCK
    xindex = xoffset + tl.arange(0, XBLOCK)[:]
    xmask = xindex < xnumel
    x0 = (xindex % 8)
    x2 = xindex
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
''', device_str='cuda')


# kernel path: wa/cwae52nex5nwu5w63zhzpkq2sliey62x3fw3skismgtyoy4tq6yk.py
# Topologically Sorted Source Nodes: [linear_1, mul_1, add_1], Original ATen: [aten.addmm, aten.mul, aten.add]
# Source node to ATen node mapping:
#   add_1 => add_1
#   linear_1 => add_tensor
#   mul_1 => mul_1
# Graph fragment:
#   %arg6_1 : Tensor "f32[4][1]cuda:0" = PlaceHolder[target=arg6_1]
#   %mm_default : Tensor "f32[8, 4][4, 1]cuda:0" = PlaceHolder[target=mm_default]
#   %mm_3 : Tensor "f32[8, 4][4, 1]cuda:0" = PlaceHolder[target=mm_3]
#   %add_tensor : Tensor "f32[8, 4][4, 1]cuda:0"[num_users=1] = call_function[target=torch.ops.aten.add.Tensor](args = (%arg6_1, %mm_default), kwargs = {})
#   %mul_1 : Tensor "f32[8, 4][4, 1]cuda:0"[num_users=1] = call_function[target=torch.ops.aten.mul.Tensor](args = (%mm_3, 0.5), kwargs = {})
#   %add_1 : Tensor "f32[8, 4][4, 1]cuda:0"[num_users=1] = call_function[target=torch.ops.aten.add.Tensor](args = (%add_tensor, %mul_1), kwargs = {})
#   return %add_1
triton_poi_fused_add_addmm_mul_1 = async_compile.triton('triton_poi_fused_add_addmm_mul_1', '''
import triton
import triton.language as tl

from torch._inductor.runtime import triton_helpers, triton_heuristics
from torch._inductor.runtime.triton_helpers import libdevice, math as tl_math
from torch._inductor.runtime.hints import AutotuneHint, ReductionHint, TileHint, DeviceProperties
triton_helpers.set_driver_to_gpu()

@triton_heuristics.pointwise(
    size_hints={'x': 32}, 
    filename=__file__,
    triton_meta={'signature': {'in_out_ptr0': '*fp32', 'in_ptr0': '*fp32', 'in_ptr1': '*fp32', 'xnumel': 'i32', 'XBLOCK': 'constexpr'}, 'device': DeviceProperties(type='cuda', index=0, multi_processor_count=132, cc=90, major=9, regs_per_multiprocessor=65536, max_threads_per_multi_processor=2048, max_threads_per_block=1024, warp_size=32), 'constants': {}, 'native_matmul': False, 'enable_fp_fusion': True, 'launch_pdl': False, 'disable_ftz': False, 'configs': [{(0,): [['tt.divisibility', 16]], (1,): [['tt.divisibility', 16]], (2,): [['tt.divisibility', 16]], (3,): [['tt.divisibility', 16]]}]},
    inductor_meta={'grid_type': 'Grid1D', 'kernel_name': 'triton_poi_fused_add_addmm_mul_1', 'mutated_arg_names': ['in_out_ptr0'], 'optimize_mem': True, 'no_x_dim': False, 'atomic_add_found': False, 'num_load': 3, 'num_store': 1, 'num_reduction': 0, 'autotune_hints': set(), 'tiling_scores': {'x': 528}, 'backend_hash': 'A7974629523B4D795A8C0C90B2297822F17759D8C9C132184692A517F69FBE14', 'assert_indirect_indexing': True, 'autotune_local_cache': True, 'autotune_pointwise': True, 'autotune_remote_cache': None, 'force_disable_caches': True, 'dynamic_scale_rblock': True, 'incremental_autotune': False, 'max_autotune': False, 'max_autotune_pointwise': False, 'min_split_scan_rblock': 256, 'spill_threshold': 16, 'store_cubin': False, 'deterministic': False, 'batch_invariant': False, 'force_filter_reduction_configs': False, 'mix_order_reduction_allow_multi_stages': True, 'dynamic_disable_pipelining': True, 'are_deterministic_algorithms_enabled': False},
    min_elem_per_thread=0
)
@triton.jit
def triton_poi_fused_add_addmm_mul_1(in_out_ptr0, in_ptr0, in_ptr1, xnumel, XBLOCK : tl.constexpr):
    xnumel = 32
    xoffset = tl.program_id(0) * XBLOCK
    xindex = xoffset + tl.arange(0, XBLOCK)[:]
    xmask = xindex < xnumel
    x0 = (xindex % 4)
    x2 = xindex
    tmp0 = tl.load(in_ptr0 + (x0), xmask, eviction_policy='evict_last')
    tmp1 = tl.load(in_out_ptr0 + (x2), xmask)
    tmp3 = tl.load(in_ptr1 + (x2), xmask)
    tmp2 = tmp0 + tmp1
    tmp4 = tl.full([1], 0.5, tl.float32)
    tmp5 = tmp3 * tmp4
    tmp6 = tmp2 + tmp5
    tl.store(in_out_ptr0 + (x2), tmp6, xmask)
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
        arg0_1, arg1_1, arg2_1, arg3_1, arg4_1, arg5_1, arg6_1, arg7_1, arg8_1 = args
        args.clear()
        assert_size_stride(arg2_1, (8, 16), (16, 1), 'input')
        assert_size_stride(arg0_1, (8, 16), (16, 1), 'input')
        with torch.cuda._DeviceGuard(0):
            torch.cuda.set_device(0)
            arg2_1 = copy_if_misaligned(arg2_1)
            buf0 = empty_strided_cuda((8, 8), (8, 1), torch.float32)
            # Topologically Sorted Source Nodes: [linear], Original ATen: [aten.t, aten.addmm]
            extern_kernels.mm(arg2_1, reinterpret_tensor(arg0_1, (16, 8), (1, 16), 0), out=buf0)
            del arg0_1
            assert_size_stride(arg3_1, (5, 16), (16, 1), 'input')
            buf1 = empty_strided_cuda((8, 5), (5, 1), torch.float32)
            # Topologically Sorted Source Nodes: [getattr_1, matmul], Original ATen: [aten.permute, aten.mm]
            extern_kernels.mm(arg2_1, reinterpret_tensor(arg3_1, (16, 5), (1, 16), 0), out=buf1)
            del arg2_1
            del arg3_1
            assert_size_stride(arg4_1, (8, 5), (5, 1), 'input')
            buf2 = empty_strided_cuda((8, 8), (8, 1), torch.float32)
            # Topologically Sorted Source Nodes: [getattr_2, matmul_1], Original ATen: [aten.permute, aten.mm]
            extern_kernels.mm(buf1, reinterpret_tensor(arg4_1, (5, 8), (1, 5), 0), out=buf2)
            del arg4_1
            del buf1
            assert_size_stride(arg1_1, (8, ), (1, ), 'input')
            buf3 = buf0; del buf0  # reuse
            # Topologically Sorted Source Nodes: [linear, mul, add, x], Original ATen: [aten.addmm, aten.mul, aten.add, aten.relu]
            raw_stream0 = get_raw_stream(0)
            triton_poi_fused_add_addmm_mul_relu_0.run(buf3, arg1_1, buf2, 64, stream=raw_stream0)
            del arg1_1
            del buf2
            assert_size_stride(arg5_1, (4, 8), (8, 1), 'input')
            buf4 = empty_strided_cuda((8, 4), (4, 1), torch.float32)
            # Topologically Sorted Source Nodes: [linear_1], Original ATen: [aten.t, aten.addmm]
            extern_kernels.mm(buf3, reinterpret_tensor(arg5_1, (8, 4), (1, 8), 0), out=buf4)
            del arg5_1
            assert_size_stride(arg7_1, (5, 8), (8, 1), 'input')
            buf5 = empty_strided_cuda((8, 5), (5, 1), torch.float32)
            # Topologically Sorted Source Nodes: [getattr_3, matmul_2], Original ATen: [aten.permute, aten.mm]
            extern_kernels.mm(buf3, reinterpret_tensor(arg7_1, (8, 5), (1, 8), 0), out=buf5)
            del arg7_1
            del buf3
            assert_size_stride(arg8_1, (4, 5), (5, 1), 'input')
            buf6 = empty_strided_cuda((8, 4), (4, 1), torch.float32)
            # Topologically Sorted Source Nodes: [getattr_4, matmul_3], Original ATen: [aten.permute, aten.mm]
            extern_kernels.mm(buf5, reinterpret_tensor(arg8_1, (5, 4), (1, 5), 0), out=buf6)
            del arg8_1
            del buf5
            assert_size_stride(arg6_1, (4, ), (1, ), 'input')
            buf7 = buf4; del buf4  # reuse
            # Topologically Sorted Source Nodes: [linear_1, mul_1, add_1], Original ATen: [aten.addmm, aten.mul, aten.add]
            raw_stream0 = get_raw_stream(0)
            triton_poi_fused_add_addmm_mul_1.run(buf7, arg6_1, buf6, 32, stream=raw_stream0)
            del arg6_1
            del buf6
        return (buf7, )

runner = Runner(partitions=[])
call = runner.call
recursively_apply_fns = runner.recursively_apply_fns


def get_args():
    from torch._dynamo.testing import rand_strided
    arg0_1 = rand_strided((8, 16), (16, 1), device='cuda:0', dtype=torch.float32)
    arg1_1 = rand_strided((8, ), (1, ), device='cuda:0', dtype=torch.float32)
    arg2_1 = rand_strided((8, 16), (16, 1), device='cuda:0', dtype=torch.float32)
    arg3_1 = rand_strided((5, 16), (16, 1), device='cuda:0', dtype=torch.float32)
    arg4_1 = rand_strided((8, 5), (5, 1), device='cuda:0', dtype=torch.float32)
    arg5_1 = rand_strided((4, 8), (8, 1), device='cuda:0', dtype=torch.float32)
    arg6_1 = rand_strided((4, ), (1, ), device='cuda:0', dtype=torch.float32)
    arg7_1 = rand_strided((5, 8), (8, 1), device='cuda:0', dtype=torch.float32)
    arg8_1 = rand_strided((4, 5), (5, 1), device='cuda:0', dtype=torch.float32)
    return [arg0_1, arg1_1, arg2_1, arg3_1, arg4_1, arg5_1, arg6_1, arg7_1, arg8_1]


def benchmark_compiled_module(args, times=10, repeat=10):
    from torch._inductor.utils import print_performance
    fn = lambda: call(list(args))
    return print_performance(fn, times=times, repeat=repeat, device='cuda')


if __name__ == "__main__":
    from torch._inductor.wrapper_benchmark import compiled_module_main
    args = get_args()
    compiled_module_main('None', lambda times, repeat: benchmark_compiled_module(args, times=times, repeat=repeat))
