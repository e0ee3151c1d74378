"""What the special function unit does at least: counted off the tree, held against the machine code."""

from __future__ import annotations

from dataclasses import replace

import pytest
from kernels_as_text import ROWS, capture, kernel

from inductor_lab.annotate.explain import explain
from inductor_lab.computation.operators import TABLE
from inductor_lab.costs.roofline import bound
from inductor_lab.costs.traffic import traffic
from inductor_lab.gpus import GPUS
from inductor_lab.records import Kernel, Traffic

ELEMENTS = 524_288_000
POINTWISE = f"""
    xnumel = {ELEMENTS}
    xoffset = tl.program_id(0) * XBLOCK
    xindex = xoffset + tl.arange(0, XBLOCK)[:]
    xmask = tl.full([XBLOCK], True, tl.int1)[:]
    x0 = xindex
    tmp0 = tl.load(in_ptr0 + (x0), None).to(tl.float32)
    tmp1 = {{}}
    tl.store(out_ptr0 + (x0), tmp1, None)
"""


def pointwise(value: str, dtype: str = "bfloat16") -> Kernel:
    return kernel(POINTWISE.format(value), dict.fromkeys(("in_ptr0", "out_ptr0"), f"{dtype}[{ELEMENTS}]"))


@pytest.mark.parametrize(
    ("value", "count"),
    [
        ("tl_math.exp(tmp0)", 1),
        ("tl.sigmoid(libdevice.rsqrt(tmp0))", 3),
        ("libdevice.exp(tmp0) + libdevice.exp(tmp0)", 1),  # the compiler sees that too
        ("tmp0 / libdevice.sqrt(tmp0)", 2),
        ("tmp0 / 3.0", 0),
        ("tl_math.log(tmp0) + tl_math.sin(tmp0) + libdevice.erf(tmp0)", 0),
        ("libdevice.tanh(tmp0)", 0),  # a polynomial near zero: the data decide
        ("libdevice.exp(tmp0.to(tl.float64))", 0),
    ],
)
def test_what_every_element_needs(value: str, count: int) -> None:
    assert traffic(pointwise(value)).special == count * ELEMENTS


def test_a_row_s_sum_is_inverted_once_whatever_is_divided_by_it() -> None:
    softmax = (
        ROWS
        + """
    tmp1 = libdevice.exp(tmp0)
    tmp2 = tl.broadcast_to(tmp1, [XBLOCK, R0_BLOCK])
    tmp4 = tl.where(xmask, tmp2, 0)
    tmp5 = tl.sum(tmp4, 1)[:, None]
    tmp6 = (tmp1 / tmp5)
    tl.store(out_ptr0 + (r0_1 + 128*x0), tmp6, xmask)
"""
    )
    tensors = {"in_ptr0": "float32[8, 128]", "out_ptr0": "float32[8, 128]"}
    assert traffic(kernel(softmax, tensors, category="persistent_reduction")).special == 8 * 128 + 8


def test_a_loop_s_online_softmax_scales_both_sides() -> None:
    looped = """
    xnumel = 8
    r0_numel = 4096
    xoffset = tl.program_id(0) * XBLOCK
    xindex = xoffset + tl.arange(0, XBLOCK)[:, None]
    xmask = xindex < xnumel
    r0_base = tl.arange(0, R0_BLOCK)[None, :]
    x0 = xindex
    _tmp3_max = tl.full([XBLOCK, R0_BLOCK], float('-inf'), tl.float32)
    _tmp3_sum = tl.zeros([XBLOCK, R0_BLOCK], tl.float32)
    for r0_offset in tl.range(0, r0_numel, R0_BLOCK):
        r0_index = r0_offset + r0_base
        r0_mask = r0_index < r0_numel
        r0_1 = r0_index
        tmp0 = tl.load(in_ptr0 + (r0_1 + 4096*x0), r0_mask & xmask, eviction_policy='evict_first', other=0.0)
        tmp1 = tl.broadcast_to(tmp0, [XBLOCK, R0_BLOCK])
        _tmp3_max_next, _tmp3_sum_next = triton_helpers.online_softmax_combine(_tmp3_max, _tmp3_sum, tmp1, False)
        _tmp3_max = tl.where(r0_mask & xmask, _tmp3_max_next, _tmp3_max)
        _tmp3_sum = tl.where(r0_mask & xmask, _tmp3_sum_next, _tmp3_sum)
    tmp3, tmp4 = triton_helpers.online_softmax_reduce(_tmp3_max, _tmp3_sum, 1, False)
    tmp3 = tmp3[:, None]
    tmp4 = tmp4[:, None]
    tl.store(out_ptr0 + (x0), tmp3, xmask)
    tl.store(out_ptr1 + (x0), tmp4, xmask)
"""
    tensors = {"in_ptr0": "float32[8, 4096]", "out_ptr0": "float32[8]", "out_ptr1": "float32[8]"}
    assert traffic(kernel(looped, tensors, category="reduction")).special == 2 * 8 * 4096


def test_the_bound_is_what_takes_longest() -> None:
    """Of 262 MB at 4.28 TB/s and 524 million exponentials at 16 a clock on each of 132 SMs at 1.98 GHz, the latter."""
    found = Traffic(262_144_000, 0, 0, special=ELEMENTS)
    on_h200, on_mi300x = bound(found, GPUS["h200"]), bound(found, GPUS["mi300x"])
    assert on_h200 is not None and on_mi300x is not None
    assert on_h200.seconds == pytest.approx(ELEMENTS / (16 * 132 * 1.98e9)) and on_h200.limit == "special functions"
    assert on_mi300x.limit == "memory"  # its maker tells no rate


def test_it_is_told_with_what_the_bytes_alone_take() -> None:
    found = pointwise("tl.sigmoid(tl.sigmoid(tl.sigmoid(tmp0)))")
    found = replace(found, traffic=traffic(found))
    told = next(note.text for note in explain(found, capture(found)) if note.kind == "traffic")
    assert " by 3,145,728,000 exponentials, roots or quotients, of which an SM makes 16 a clock" in told
    assert told.endswith("its bytes alone take 490.0 us")


@pytest.mark.parametrize("arch", ["sm_80", "sm_90", "sm_100"])
def test_the_machine_code_has_as_many(arch: str) -> None:
    """One element for each thread, all operators of the table beside each other."""
    pytest.importorskip("triton")
    from inductor_lab.machine import inspect_kernel

    special = {
        row.name: row.issued[0] for row in TABLE.values() if row.issued[0] and row.name not in ("div", "online_softmax")
    }
    calls = {"sigmoid": "tl.sigmoid(tmp0)", "silu": "0.0", "hypot": "libdevice.hypot(tmp0, tmp0 + 1.0)"}
    terms = [calls.get(name, f"libdevice.{name}(tmp0)") for name in special]
    found = pointwise(" + ".join(terms), "float32")
    meta = {
        "triton_meta": {"signature": {"in_ptr0": "*fp32", "out_ptr0": "*fp32", "xnumel": "i32", "XBLOCK": "constexpr"}}
    }
    code = inspect_kernel(replace(found, meta=meta), arch, {"XBLOCK": 128, "num_warps": 4})
    assert code.instructions["special functions"] >= sum(special.values()) - special["silu"]
