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


# kernel path: 4h/c4hhgucuvkulbni4heb337onftctbqgocm56ddps6ilbkmfsc5b6.py
# Topologically Sorted Source Nodes: [chunk, mul, neg, cat, mul_1, add], Original ATen: [aten.split, aten.mul, aten.neg, aten.cat, aten.add]
# Source node to ATen node mapping:
#   add => add
#   cat => cat
#   chunk => split
#   mul => mul
#   mul_1 => mul_1
#   neg => neg
# Graph fragment:
#   %arg0_1 : Tensor "bf16[1, 32, 8192, 128][33554432, 128, 4096, 1]cuda:0" = PlaceHolder[target=arg0_1]
#   %arg1_1 : Tensor "bf16[8192, 128][128, 1]cuda:0" = PlaceHolder[target=arg1_1]
#   %arg2_1 : Tensor "bf16[8192, 128][128, 1]cuda:0" = PlaceHolder[target=arg2_1]
#   %split : [num_users=2] = call_function[target=torch.ops.aten.split.Tensor](args = (%arg0_1, 64, -1), kwargs = {})
#   %mul : Tensor "bf16[1, 32, 8192, 128][33554432, 128, 4096, 1]cuda:0"[num_users=1] = call_function[target=torch.ops.aten.mul.Tensor](args = (%arg0_1, %arg1_1), kwargs = {})
#   %neg : Tensor "bf16[1, 32, 8192, 64][16777216, 64, 2048, 1]cuda:0"[num_users=1] = call_function[target=torch.ops.aten.neg.default](args = (%getitem_1,), kwargs = {})
#   %cat : Tensor "bf16[1, 32, 8192, 128][33554432, 1048576, 128, 1]cuda:0"[num_users=1] = call_function[target=torch.ops.aten.cat.default](args = ([%neg, %getitem], -1), kwargs = {})
#   %mul_1 : Tensor "bf16[1, 32, 8192, 128][33554432, 1048576, 128, 1]cuda:0"[num_users=1] = call_function[target=torch.ops.aten.mul.Tensor](args = (%cat, %arg2_1), kwargs = {})
#   %add : Tensor "bf16[1, 32, 8192, 128][33554432, 128, 4096, 1]cuda:0"[num_users=1] = call_function[target=torch.ops.aten.add.Tensor](args = (%mul, %mul_1), kwargs = {})
#   return %add
triton_poi_fused_add_cat_mul_neg_split_0 = async_compile.triton('triton_poi_fused_add_cat_mul_neg_split_0', '''
import triton
import triton.language as tl

from torch._inductor.runtime import triton_helpers, triton_heuristics
from torch._inductor.runtime.triton_helpers import libdevice, math as tl_math
from torch._inductor.runtime.hints import AutotuneHint, ReductionHint, TileHint, DeviceProperties
triton_helpers.set_driver_to_gpu()

@triton_heuristics.pointwise(
    size_hints={'x': 33554432}, 
    filename=__file__,
    triton_meta={'signature': {'in_ptr0': '*bf16', 'in_ptr1': '*bf16', 'in_ptr2': '*bf16', 'out_ptr0': '*bf16', 'xnumel': 'i32', 'XBLOCK': 'constexpr'}, 'device': DeviceProperties(type='cuda', index=0, multi_processor_count=132, cc=90, major=9, regs_per_multiprocessor=65536, max_threads_per_multi_processor=2048, max_threads_per_block=1024, warp_size=32), 'constants': {}, 'native_matmul': False, 'enable_fp_fusion': True, 'launch_pdl': False, 'disable_ftz': False, 'configs': [{(0,): [['tt.divisibility', 16]], (1,): [['tt.divisibility', 16]], (2,): [['tt.divisibility', 16]], (3,): [['tt.divisibility', 16]], (4,): [['tt.divisibility', 16]]}]},
    inductor_meta={'grid_type': 'Grid1D', 'kernel_name': 'triton_poi_fused_add_cat_mul_neg_split_0', 'mutated_arg_names': [], 'optimize_mem': True, 'no_x_dim': False, 'atomic_add_found': False, 'num_load': 5, 'num_store': 1, 'num_reduction': 0, 'autotune_hints': set(), 'tiling_scores': {'x': 339738624}, 'backend_hash': 'A7974629523B4D795A8C0C90B2297822F17759D8C9C132184692A517F69FBE14', 'assert_indirect_indexing': True, 'autotune_local_cache': True, 'autotune_pointwise': True, 'autotune_remote_cache': None, 'force_disable_caches': True, 'dynamic_scale_rblock': True, 'incremental_autotune': False, 'max_autotune': False, 'max_autotune_pointwise': False, 'min_split_scan_rblock': 256, 'spill_threshold': 16, 'store_cubin': False, 'deterministic': False, 'batch_invariant': False, 'force_filter_reduction_configs': False, 'mix_order_reduction_allow_multi_stages': True, 'dynamic_disable_pipelining': True, 'are_deterministic_algorithms_enabled': False},
    min_elem_per_thread=0
)
@triton.jit
def triton_poi_fused_add_cat_mul_neg_split_0(in_ptr0, in_ptr1, in_ptr2, out_ptr0, xnumel, XBLOCK : tl.constexpr):
    xnumel = 33554432
    xoffset = tl.program_id(0) * XBLOCK
    xindex = xoffset + tl.arange(0, XBLOCK)[:]
    xmask = tl.full([XBLOCK], True, tl.int1)[:]
    x3 = xindex
    x0 = (xindex % 128)
    x2 = xindex // 4096
    x4 = xindex // 128
    tmp0 = tl.load(in_ptr0 + (x3), None).to(tl.float32)
    tmp1 = tl.load(in_ptr1 + (x0 + 128*x2), None, eviction_policy='evict_last').to(tl.float32)
    tmp19 = tl.load(in_ptr2 + (x0 + 128*x2), None, eviction_policy='evict_last').to(tl.float32)
    tmp2 = tmp0 * tmp1
    tmp3 = (x0).to(tl.int32)
    tmp4 = tl.full([1], 0, tl.int64)
    tmp5 = tmp3 >= tmp4
    tmp6 = (x0).to(tl.int64)
    tmp7 = (tmp6).to(tl.int64)
    tmp8 = tl.full([1], 64, tl.int64)
    tmp9 = tmp7 < tmp8
    tmp10 = tl.load(in_ptr0 + (64 + 128*x4 + (x0)), tmp9, eviction_policy='evict_last', other=0.0).to(tl.float32)
    tmp11 = -tmp10
    tmp12 = tl.full(tmp11.shape, 0.0, tmp11.dtype)
    tmp13 = tl.where(tmp9, tmp11, tmp12)
    tmp14 = tmp3 >= tmp8
    tmp15 = tl.full([1], 128, tl.int64)
    tmp16 = tmp3 < tmp15
    tmp17 = tl.load(in_ptr0 + (128*x4 + ((-64) + x0)), tmp14, eviction_policy='evict_last', other=0.0).to(tl.float32)
    tmp18 = tl.where(tmp9, tmp13, tmp17)
    tmp20 = tmp18 * tmp19
    tmp21 = tmp2 + tmp20
    tl.store(out_ptr0 + (x3), tmp21, None)
''', device_str='cuda')


# kernel path: 65/c65uxt2r22nx47kalcrvjrvyf52ybawcprbyqbs3675es6xfpdhs.py
# Topologically Sorted Source Nodes: [chunk_1, mul_2, neg_1, cat_1, mul_3, add_1], Original ATen: [aten.split, aten.mul, aten.neg, aten.cat, aten.add]
# Source node to ATen node mapping:
#   add_1 => add_1
#   cat_1 => cat_1
#   chunk_1 => split_1
#   mul_2 => mul_2
#   mul_3 => mul_3
#   neg_1 => neg_1
# Graph fragment:
#   %arg3_1 : Tensor "bf16[1, 8, 8192, 128][8388608, 128, 1024, 1]cuda:0" = PlaceHolder[target=arg3_1]
#   %arg1_1 : Tensor "bf16[8192, 128][128, 1]cuda:0" = PlaceHolder[target=arg1_1]
#   %arg2_1 : Tensor "bf16[8192, 128][128, 1]cuda:0" = PlaceHolder[target=arg2_1]
#   %split_1 : [num_users=2] = call_function[target=torch.ops.aten.split.Tensor](args = (%arg3_1, 64, -1), kwargs = {})
#   %mul_2 : Tensor "bf16[1, 8, 8192, 128][8388608, 128, 1024, 1]cuda:0"[num_users=1] = call_function[target=torch.ops.aten.mul.Tensor](args = (%arg3_1, %arg1_1), kwargs = {})
#   %neg_1 : Tensor "bf16[1, 8, 8192, 64][4194304, 64, 512, 1]cuda:0"[num_users=1] = call_function[target=torch.ops.aten.neg.default](args = (%getitem_3,), kwargs = {})
#   %cat_1 : Tensor "bf16[1, 8, 8192, 128][8388608, 1048576, 128, 1]cuda:0"[num_users=1] = call_function[target=torch.ops.aten.cat.default](args = ([%neg_1, %getitem_2], -1), kwargs = {})
#   %mul_3 : Tensor "bf16[1, 8, 8192, 128][8388608, 1048576, 128, 1]cuda:0"[num_users=1] = call_function[target=torch.ops.aten.mul.Tensor](args = (%cat_1, %arg2_1), kwargs = {})
#   %add_1 : Tensor "bf16[1, 8, 8192, 128][8388608, 128, 1024, 1]cuda:0"[num_users=1] = call_function[target=torch.ops.aten.add.Tensor](args = (%mul_2, %mul_3), kwargs = {})
#   return %add_1
triton_poi_fused_add_cat_mul_neg_split_1 = async_compile.triton('triton_poi_fused_add_cat_mul_neg_split_1', '''
import triton
import triton.language as tl

from torch._inductor.runtime import triton_helpers, triton_heuristics
from torch._inductor.runtime.triton_helpers import libdevice, math as tl_math
from torch._inductor.runtime.hints import AutotuneHint, ReductionHint, TileHint, DeviceProperties
triton_helpers.set_driver_to_gpu()

@triton_heuristics.pointwise(
    size_hints={'x': 8388608}, 
    filename=__file__,
    triton_meta={'signature': {'in_ptr0': '*bf16', 'in_ptr1': '*bf16', 'in_ptr2': '*bf16', 'out_ptr0': '*bf16', 'xnumel': 'i32', 'XBLOCK': 'constexpr'}, 'device': DeviceProperties(type='cuda', index=0, multi_processor_count=132, cc=90, major=9, regs_per_multiprocessor=65536, max_threads_per_multi_processor=2048, max_threads_per_block=1024, warp_size=32), 'constants': {}, 'native_matmul': False, 'enable_fp_fusion': True, 'launch_pdl': False, 'disable_ftz': False, 'configs': [{(0,): [['tt.divisibility', 16]], (1,): [['tt.divisibility', 16]], (2,): [['tt.divisibility', 16]], (3,): [['tt.divisibility', 16]], (4,): [['tt.divisibility', 16]]}]},
    inductor_meta={'grid_type': 'Grid1D', 'kernel_name': 'triton_poi_fused_add_cat_mul_neg_split_1', 'mutated_arg_names': [], 'optimize_mem': True, 'no_x_dim': False, 'atomic_add_found': False, 'num_load': 5, 'num_store': 1, 'num_reduction': 0, 'autotune_hints': set(), 'tiling_scores': {'x': 88080384}, 'backend_hash': 'A7974629523B4D795A8C0C90B2297822F17759D8C9C132184692A517F69FBE14', 'assert_indirect_indexing': True, 'autotune_local_cache': True, 'autotune_pointwise': True, 'autotune_remote_cache': None, 'force_disable_caches': True, 'dynamic_scale_rblock': True, 'incremental_autotune': False, 'max_autotune': False, 'max_autotune_pointwise': False, 'min_split_scan_rblock': 256, 'spill_threshold': 16, 'store_cubin': False, 'deterministic': False, 'batch_invariant': False, 'force_filter_reduction_configs': False, 'mix_order_reduction_allow_multi_stages': True, 'dynamic_disable_pipelining': True, 'are_deterministic_algorithms_enabled': False},
    min_elem_per_thread=0
)
@triton.jit
def triton_poi_fused_add_cat_mul_neg_split_1(in_ptr0, in_ptr1, in_ptr2, out_ptr0, xnumel, XBLOCK : tl.constexpr):
    xnumel = 8388608
    xoffset = tl.program_id(0) * XBLOCK
    xindex = xoffset + tl.arange(0, XBLOCK)[:]
    xmask = tl.full([XBLOCK], True, tl.int1)[:]
    x3 = xindex
    x0 = (xindex % 128)
    x2 = xindex // 1024
    x4 = xindex // 128
    tmp0 = tl.load(in_ptr0 + (x3), None).to(tl.float32)
    tmp1 = tl.load(in_ptr1 + (x0 + 128*x2), None, eviction_policy='evict_last').to(tl.float32)
    tmp19 = tl.load(in_ptr2 + (x0 + 128*x2), None, eviction_policy='evict_last').to(tl.float32)
    tmp2 = tmp0 * tmp1
    tmp3 = (x0).to(tl.int32)
    tmp4 = tl.full([1], 0, tl.int64)
    tmp5 = tmp3 >= tmp4
    tmp6 = (x0).to(tl.int64)
    tmp7 = (tmp6).to(tl.int64)
    tmp8 = tl.full([1], 64, tl.int64)
    tmp9 = tmp7 < tmp8
    tmp10 = tl.load(in_ptr0 + (64 + 128*x4 + (x0)), tmp9, eviction_policy='evict_last', other=0.0).to(tl.float32)
    tmp11 = -tmp10
    tmp12 = tl.full(tmp11.shape, 0.0, tmp11.dtype)
    tmp13 = tl.where(tmp9, tmp11, tmp12)
    tmp14 = tmp3 >= tmp8
    tmp15 = tl.full([1], 128, tl.int64)
    tmp16 = tmp3 < tmp15
    tmp17 = tl.load(in_ptr0 + (128*x4 + ((-64) + x0)), tmp14, eviction_policy='evict_last', other=0.0).to(tl.float32)
    tmp18 = tl.where(tmp9, tmp13, tmp17)
    tmp20 = tmp18 * tmp19
    tmp21 = tmp2 + tmp20
    tl.store(out_ptr0 + (x3), tmp21, None)
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
        arg0_1, arg1_1, arg2_1, arg3_1 = args
        args.clear()
        assert_size_stride(arg0_1, (1, 32, 8192, 128), (33554432, 128, 4096, 1), 'input')
        assert_size_stride(arg1_1, (8192, 128), (128, 1), 'input')
        assert_size_stride(arg2_1, (8192, 128), (128, 1), 'input')
        with torch.cuda._DeviceGuard(0):
            torch.cuda.set_device(0)
            arg0_1 = copy_if_misaligned(arg0_1)
            arg1_1 = copy_if_misaligned(arg1_1)
            arg2_1 = copy_if_misaligned(arg2_1)
            buf0 = empty_strided_cuda((1, 32, 8192, 128), (33554432, 128, 4096, 1), torch.bfloat16)
            # Topologically Sorted Source Nodes: [chunk, mul, neg, cat, mul_1, add], Original ATen: [aten.split, aten.mul, aten.neg, aten.cat, aten.add]
            raw_stream0 = get_raw_stream(0)
            triton_poi_fused_add_cat_mul_neg_split_0.run(arg0_1, arg1_1, arg2_1, buf0, 33554432, stream=raw_stream0)
            del arg0_1
            assert_size_stride(arg3_1, (1, 8, 8192, 128), (8388608, 128, 1024, 1), 'input')
            arg3_1 = copy_if_misaligned(arg3_1)
            buf1 = empty_strided_cuda((1, 8, 8192, 128), (8388608, 128, 1024, 1), torch.bfloat16)
            # Topologically Sorted Source Nodes: [chunk_1, mul_2, neg_1, cat_1, mul_3, add_1], Original ATen: [aten.split, aten.mul, aten.neg, aten.cat, aten.add]
            raw_stream0 = get_raw_stream(0)
            triton_poi_fused_add_cat_mul_neg_split_1.run(arg3_1, arg1_1, arg2_1, buf1, 8388608, stream=raw_stream0)
            del arg1_1
            del arg2_1
            del arg3_1
        return (buf0, buf1, )

runner = Runner(partitions=[])
call = runner.call
recursively_apply_fns = runner.recursively_apply_fns


def get_args():
    from torch._dynamo.testing import rand_strided
    arg0_1 = rand_strided((1, 32, 8192, 128), (33554432, 128, 4096, 1), device='cuda:0', dtype=torch.bfloat16)
    arg1_1 = rand_strided((8192, 128), (128, 1), device='cuda:0', dtype=torch.bfloat16)
    arg2_1 = rand_strided((8192, 128), (128, 1), device='cuda:0', dtype=torch.bfloat16)
    arg3_1 = rand_strided((1, 8, 8192, 128), (8388608, 128, 1024, 1), device='cuda:0', dtype=torch.bfloat16)
    return [arg0_1, arg1_1, arg2_1, arg3_1]


def benchmark_compiled_module(args, times=10, repeat=10):
    from torch._inductor.utils import print_performance
    fn = lambda: call(list(args))
    return print_performance(fn, times=times, repeat=repeat, device='cuda')


if __name__ == "__main__":
    from torch._inductor.wrapper_benchmark import compiled_module_main
    args = get_args()
    compiled_module_main('None', lambda times, repeat: benchmark_compiled_module(args, times=times, repeat=repeat))
