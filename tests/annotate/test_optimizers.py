"""What each tensor is to the step of an optimizer, by the formula alone."""

from __future__ import annotations

import pytest
from kernels_as_text import kernel

from inductor_lab.computation import computation
from inductor_lab.computation.naming.functions import roles

TENSORS = dict.fromkeys(("in_ptr0", "in_ptr1", "in_ptr2", "in_ptr3"), "float32[3000]")
TENSORS |= {"in_ptr4": "float32[]", "out_ptr0": "float32[3000]", "out_ptr1": "float32[3000]"}
ADAMW = """
    xnumel = 3000
    xoffset = tl.program_id(0) * XBLOCK
    xindex = xoffset + tl.arange(0, XBLOCK)[:]
    xmask = xindex < xnumel
    x0 = xindex
    tmp0 = tl.load(in_ptr0 + (x0), xmask)
    tmp1 = tl.load(in_ptr1 + (x0), xmask)
    tmp5 = tl.load(in_ptr2 + (x0), xmask)
    tmp11 = tl.load(in_ptr3 + (x0), xmask)
    tmp15 = tl.load(in_ptr4 + (0))
    tmp16 = tl.broadcast_to(tmp15, [XBLOCK])
    tmp2 = tmp1 - tmp0
    tmp3 = tl.full([1], 0.1, tl.float32)
    tmp4 = tl.fma(tmp3, tmp2, tmp0)
    tmp6 = tl.full([1], 0.999, tl.float32)
    tmp7 = tmp5 * tmp6
    tmp8 = tmp1 * tmp1
    tmp9 = tl.full([1], 0.001, tl.float32)
    tmp10 = tl.fma(tmp9, tmp8, tmp7)
    tmp12 = tl.full([1], 0.99999, tl.float32)
    tmp13 = tmp11 * tmp12
    tmp14 = tl.sqrt_rn(tmp10)
    tmp17 = libdevice.pow(tmp6, tmp16)
    tmp18 = tl.full([1], 1.0, tl.float32)
    tmp20 = -(tmp17 - tmp18)
    tmp24 = tmp14 / tl.sqrt_rn(tmp20) + 1e-08
    tmp25 = tl.full([1], 0.9, tl.float32)
    tmp26 = libdevice.pow(tmp25, tmp16)
    tmp31 = tmp24 / (tmp18 / ((tmp26 - tmp18) * 1000.0))
    tmp33 = tmp13 + tmp4 / tmp31
    tl.store(out_ptr0 + (x0), tmp4, xmask)
    tl.store(out_ptr1 + (x0), tmp33, xmask)
"""
TOLD = {"in_ptr0": "exp_avg", "in_ptr1": "grad", "in_ptr2": "exp_avg_sq", "in_ptr3": "param", "in_ptr4": "step"}


@pytest.mark.parametrize(
    ("body", "told"),
    [
        pytest.param(ADAMW, TOLD, id="AdamW"),
        pytest.param(ADAMW.replace("tmp11 * tmp12", "tmp11"), TOLD, id="Adam"),
        pytest.param(ADAMW.replace("tmp2 = tmp1 - tmp0", "tmp2 = tmp0 - tmp1").replace("tmp2, tmp0)", "tmp2, tmp1)"), TOLD, id="the lerp's other end"),
        pytest.param(ADAMW.replace("tmp8 = tmp1 * tmp1", "tmp8 = tmp1"), {}, id="nothing is squared"),
        pytest.param(ADAMW.replace("tmp14 = tl.sqrt_rn(tmp10)", "tmp14 = tmp10"), {}, id="no root"),
    ],
)  # fmt: skip
def test_a_step_says_what_its_tensors_are(body: str, told: dict[str, str]) -> None:
    assert roles(computation(kernel(body, TENSORS))) == told
