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


# kernel path: at/catv5lu6cnjqujlei7qeravhjl3kdrjj2n7zuly2or65zpv4xqzz.py
# Topologically Sorted Source Nodes: [mul_4, slice_1, slice_2, neg_2, cat_2, mul_5, add_2, mul_6, slice_3, slice_4, neg_3, cat_3, mul_7, add_3], Original ATen: [aten.mul, aten.slice, aten.neg, aten.cat, aten.add]
# Source node to ATen node mapping:
#   add_2 => add_2
#   add_3 => add_3
#   cat_2 => cat_2
#   cat_3 => cat_3
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
#   %tangents_2 : Tensor "bf16[4, 16, 1024, 64][1048576, 65536, 64, 1]cuda:0" = PlaceHolder[target=tangents_2]
#   %primals_3 : Tensor "bf16[1024, 64][64, 1]cuda:0" = PlaceHolder[target=primals_3]
#   %primals_2 : Tensor "bf16[1024, 64][64, 1]cuda:0" = PlaceHolder[target=primals_2]
#   %tangents_1 : Tensor "bf16[4, 16, 1024, 64][1048576, 65536, 64, 1]cuda:0" = PlaceHolder[target=tangents_1]
#   %mul_4 : Tensor "bf16[4, 16, 1024, 64][1048576, 65536, 64, 1]cuda:0"[num_users=2] = call_function[target=torch.ops.aten.mul.Tensor](args = (%tangents_2, %primals_3), kwargs = {})
#   %slice_1 : Tensor "bf16[4, 16, 1024, 32][1048576, 65536, 64, 1]cuda:0"[num_users=1] = call_function[target=torch.ops.aten.slice.Tensor](args = (%mul_4, 3, 0, 32), kwargs = {})
#   %slice_2 : Tensor "bf16[4, 16, 1024, 32][1048576, 65536, 64, 1]cuda:0"[num_users=1] = call_function[target=torch.ops.aten.slice.Tensor](args = (%mul_4, 3, 32, 64), kwargs = {})
#   %neg_2 : Tensor "bf16[4, 16, 1024, 32][524288, 32768, 32, 1]cuda:0"[num_users=1] = call_function[target=torch.ops.aten.neg.default](args = (%slice_1,), kwargs = {})
#   %cat_2 : Tensor "bf16[4, 16, 1024, 64][1048576, 65536, 64, 1]cuda:0"[num_users=1] = call_function[target=torch.ops.aten.cat.default](args = ([%slice_2, %neg_2], 3), kwargs = {})
#   %mul_5 : Tensor "bf16[4, 16, 1024, 64][1048576, 65536, 64, 1]cuda:0"[num_users=1] = call_function[target=torch.ops.aten.mul.Tensor](args = (%tangents_2, %primals_2), kwargs = {})
#   %add_2 : Tensor "bf16[4, 16, 1024, 64][1048576, 65536, 64, 1]cuda:0"[num_users=1] = call_function[target=torch.ops.aten.add.Tensor](args = (%cat_2, %mul_5), kwargs = {})
#   %mul_6 : Tensor "bf16[4, 16, 1024, 64][1048576, 65536, 64, 1]cuda:0"[num_users=2] = call_function[target=torch.ops.aten.mul.Tensor](args = (%tangents_1, %primals_3), kwargs = {})
#   %slice_3 : Tensor "bf16[4, 16, 1024, 32][1048576, 65536, 64, 1]cuda:0"[num_users=1] = call_function[target=torch.ops.aten.slice.Tensor](args = (%mul_6, 3, 0, 32), kwargs = {})
#   %slice_4 : Tensor "bf16[4, 16, 1024, 32][1048576, 65536, 64, 1]cuda:0"[num_users=1] = call_function[target=torch.ops.aten.slice.Tensor](args = (%mul_6, 3, 32, 64), kwargs = {})
#   %neg_3 : Tensor "bf16[4, 16, 1024, 32][524288, 32768, 32, 1]cuda:0"[num_users=1] = call_function[target=torch.ops.aten.neg.default](args = (%slice_3,), kwargs = {})
#   %cat_3 : Tensor "bf16[4, 16, 1024, 64][1048576, 65536, 64, 1]cuda:0"[num_users=1] = call_function[target=torch.ops.aten.cat.default](args = ([%slice_4, %neg_3], 3), kwargs = {})
#   %mul_7 : Tensor "bf16[4, 16, 1024, 64][1048576, 65536, 64, 1]cuda:0"[num_users=1] = call_function[target=torch.ops.aten.mul.Tensor](args = (%tangents_1, %primals_2), kwargs = {})
#   %add_3 : Tensor "bf16[4, 16, 1024, 64][1048576, 65536, 64, 1]cuda:0"[num_users=1] = call_function[target=torch.ops.aten.add.Tensor](args = (%cat_3, %mul_7), kwargs = {})
#   return %add_2,%add_3
triton_poi_fused_add_cat_mul_neg_slice_0 = async_compile.triton('triton_poi_fused_add_cat_mul_neg_slice_0', '''
import triton
import triton.language as tl

from torch._inductor.runtime import triton_helpers, triton_heuristics
from torch._inductor.runtime.triton_helpers import libdevice, math as tl_math
from torch._inductor.runtime.hints import AutotuneHint, ReductionHint, TileHint, DeviceProperties
triton_helpers.set_driver_to_gpu()

@triton_heuristics.pointwise(
    size_hints={'x': 4194304}, 
    filename=__file__,
    triton_meta={'signature': {'in_ptr0': '*bf16', 'in_ptr1': '*bf16', 'in_ptr2': '*bf16', 'in_ptr3': '*bf16', 'out_ptr0': '*bf16', 'out_ptr1': '*bf16', 'xnumel': 'i32', 'XBLOCK': 'constexpr'}, 'device': DeviceProperties(type='cuda', index=0, multi_processor_count=132, cc=90, major=9, regs_per_multiprocessor=65536, max_threads_per_multi_processor=2048, max_threads_per_block=1024, warp_size=32), 'constants': {}, 'native_matmul': False, 'enable_fp_fusion': True, 'launch_pdl': False, 'disable_ftz': False, 'configs': [{(0,): [['tt.divisibility', 16]], (1,): [['tt.divisibility', 16]], (2,): [['tt.divisibility', 16]], (3,): [['tt.divisibility', 16]], (4,): [['tt.divisibility', 16]], (5,): [['tt.divisibility', 16]], (6,): [['tt.divisibility', 16]]}]},
    inductor_meta={'grid_type': 'Grid1D', 'autotune_hints': set(), 'kernel_name': 'triton_poi_fused_add_cat_mul_neg_slice_0', 'mutated_arg_names': [], 'optimize_mem': True, 'no_x_dim': False, 'atomic_add_found': False, 'num_load': 9, 'num_store': 2, 'num_reduction': 0, 'backend_hash': '91D1D1166449D9E2EB66EB9770C9E2C3B0FEB787341F27FEB4D3F0338DA50336', 'assert_indirect_indexing': True, 'autotune_local_cache': True, 'autotune_pointwise': True, 'autotune_remote_cache': None, 'force_disable_caches': True, 'dynamic_scale_rblock': True, 'max_autotune': False, 'max_autotune_pointwise': False, 'min_split_scan_rblock': 256, 'spill_threshold': 16, 'store_cubin': False, 'deterministic': False, 'force_filter_reduction_configs': False, 'mix_order_reduction_allow_multi_stages': False, 'are_deterministic_algorithms_enabled': False, 'tiling_scores': {'x': 84279296}},
    min_elem_per_thread=0
)
@triton.jit
def triton_poi_fused_add_cat_mul_neg_slice_0(in_ptr0, in_ptr1, in_ptr2, in_ptr3, out_ptr0, out_ptr1, xnumel, XBLOCK : tl.constexpr):
    xnumel = 4194304
    xoffset = tl.program_id(0) * XBLOCK
    xindex = xoffset + tl.arange(0, XBLOCK)[:]
    xmask = tl.full([XBLOCK], True, tl.int1)[:]
    x0 = (xindex % 64)
    x3 = xindex // 64
    x1 = ((xindex // 64) % 1024)
    x4 = xindex
    x5 = (xindex % 65536)
    tmp20 = tl.load(in_ptr0 + (x4), None).to(tl.float32)
    tmp21 = tl.load(in_ptr2 + (x5), None, eviction_policy='evict_last').to(tl.float32)
    tmp34 = tl.load(in_ptr3 + (x4), None).to(tl.float32)
    tmp0 = x0
    tmp1 = tl.full([1], 0, tl.int64)
    tmp2 = tmp0 >= tmp1
    tmp3 = tl.full([1], 32, tl.int64)
    tmp4 = tmp0 < tmp3
    tmp5 = tl.load(in_ptr0 + (32 + 64*x3 + (x0)), tmp4, eviction_policy='evict_last', other=0.0).to(tl.float32)
    tmp6 = tl.load(in_ptr1 + (32 + 64*x1 + (x0)), tmp4, eviction_policy='evict_last', other=0.0).to(tl.float32)
    tmp7 = tmp5 * tmp6
    tmp8 = tl.full(tmp7.shape, 0.0, tmp7.dtype)
    tmp9 = tl.where(tmp4, tmp7, tmp8)
    tmp10 = tmp0 >= tmp3
    tmp11 = tl.full([1], 64, tl.int64)
    tmp12 = tmp0 < tmp11
    tmp13 = tl.load(in_ptr0 + (64*x3 + ((-32) + x0)), tmp10, eviction_policy='evict_last', other=0.0).to(tl.float32)
    tmp14 = tl.load(in_ptr1 + (64*x1 + ((-32) + x0)), tmp10, eviction_policy='evict_last', other=0.0).to(tl.float32)
    tmp15 = tmp13 * tmp14
    tmp16 = -tmp15
    tmp17 = tl.full(tmp16.shape, 0.0, tmp16.dtype)
    tmp18 = tl.where(tmp10, tmp16, tmp17)
    tmp19 = tl.where(tmp4, tmp9, tmp18)
    tmp22 = tmp20 * tmp21
    tmp23 = tmp19 + tmp22
    tmp24 = tl.load(in_ptr3 + (32 + 64*x3 + (x0)), tmp4, eviction_policy='evict_last', other=0.0).to(tl.float32)
    tmp25 = tmp24 * tmp6
    tmp26 = tl.full(tmp25.shape, 0.0, tmp25.dtype)
    tmp27 = tl.where(tmp4, tmp25, tmp26)
    tmp28 = tl.load(in_ptr3 + (64*x3 + ((-32) + x0)), tmp10, eviction_policy='evict_last', other=0.0).to(tl.float32)
    tmp29 = tmp28 * tmp14
    tmp30 = -tmp29
    tmp31 = tl.full(tmp30.shape, 0.0, tmp30.dtype)
    tmp32 = tl.where(tmp10, tmp30, tmp31)
    tmp33 = tl.where(tmp4, tmp27, tmp32)
    tmp35 = tmp34 * tmp21
    tmp36 = tmp33 + tmp35
    tl.store(out_ptr0 + (x4), tmp23, None)
    tl.store(out_ptr1 + (x4), tmp36, None)
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
        primals_2, primals_3, tangents_1, tangents_2 = args
        args.clear()
        assert_size_stride(primals_2, (1024, 64), (64, 1))
        assert_size_stride(primals_3, (1024, 64), (64, 1))
        assert_size_stride(tangents_1, (4, 16, 1024, 64), (1048576, 65536, 64, 1))
        assert_size_stride(tangents_2, (4, 16, 1024, 64), (1048576, 65536, 64, 1))
        with torch.cuda._DeviceGuard(0):
            torch.cuda.set_device(0)
            buf0 = empty_strided_cuda((4, 16, 1024, 64), (1048576, 65536, 64, 1), torch.bfloat16)
            buf1 = empty_strided_cuda((4, 16, 1024, 64), (1048576, 65536, 64, 1), torch.bfloat16)
            # Topologically Sorted Source Nodes: [mul_4, slice_1, slice_2, neg_2, cat_2, mul_5, add_2, mul_6, slice_3, slice_4, neg_3, cat_3, mul_7, add_3], Original ATen: [aten.mul, aten.slice, aten.neg, aten.cat, aten.add]
            stream0 = get_raw_stream(0)
            triton_poi_fused_add_cat_mul_neg_slice_0.run(tangents_2, primals_3, primals_2, tangents_1, buf0, buf1, 4194304, stream=stream0)
            del primals_2
            del primals_3
            del tangents_1
            del tangents_2
        return (buf1, None, None, buf0, )

runner = Runner(partitions=[])
call = runner.call
recursively_apply_fns = runner.recursively_apply_fns


def get_args():
    from torch._dynamo.testing import rand_strided
    primals_2 = rand_strided((1024, 64), (64, 1), device='cuda:0', dtype=torch.bfloat16)
    primals_3 = rand_strided((1024, 64), (64, 1), device='cuda:0', dtype=torch.bfloat16)
    tangents_1 = rand_strided((4, 16, 1024, 64), (1048576, 65536, 64, 1), device='cuda:0', dtype=torch.bfloat16)
    tangents_2 = rand_strided((4, 16, 1024, 64), (1048576, 65536, 64, 1), device='cuda:0', dtype=torch.bfloat16)
    return [primals_2, primals_3, tangents_1, tangents_2]


def benchmark_compiled_module(args, times=10, repeat=10):
    from torch._inductor.utils import print_performance
    fn = lambda: call(list(args))
    return print_performance(fn, times=times, repeat=repeat)


if __name__ == "__main__":
    from torch._inductor.wrapper_benchmark import compiled_module_main
    args = get_args()
    compiled_module_main('None', lambda times, repeat: benchmark_compiled_module(args, times=times, repeat=repeat))
