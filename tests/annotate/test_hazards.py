"""Hazards: for each remark a kernel that has it, with its numbers, and the nearest one that has not."""

from __future__ import annotations

import pytest
from kernels_as_text import ROWS, capture, kernel

from inductor_lab.annotate import explain
from inductor_lab.records import Kernel


def remarks(found: Kernel, about: str) -> list[str]:
    """What is said of a kernel alone under one word."""
    told = [note.text for note in explain(found, capture(found)) if note.kind == "hazard"]
    return [text for text in told if text.startswith(f"{about}: ")]


# ---------------------------------------------------------------- arithmetic


def gradient(selected: str, *, scale: str = "tmp0") -> Kernel:
    """A sum along rows of 128 of `selected`, times a scale; `in_ptr0` holds a label and `in_ptr1` a weight of each of the 8 rows."""
    body = (
        ROWS.replace("in_ptr0 + (r0_1 + 128*x0)", "in_ptr2 + (r0_1 + 128*x0)")
        + f"""
    tmp1 = tl.load(in_ptr0 + (x0), xmask, eviction_policy='evict_last')
    tmp2 = tl.load(in_ptr1 + (x0), xmask, eviction_policy='evict_last')
    tmp3 = r0_1
    tmp4 = tl.full([1, 1], -1.0, tl.float32)
    tmp5 = tl.full([1, 1], 0.0, tl.float32)
    tmp6 = {selected}
    tmp7 = tmp6 * {scale}
    tmp8 = tl.broadcast_to(tmp7, [XBLOCK, R0_BLOCK])
    tmp9 = tl.where(xmask, tmp8, 0)
    tmp10 = tl.sum(tmp9, 1)[:, None]
    tl.store(out_ptr0 + (r0_1 + 128*x0), tmp0 * tmp10, xmask)
"""
    )
    tensors = {
        "in_ptr0": "int64[8]",
        "in_ptr1": "float32[8]",
        "in_ptr2": "float32[8, 128]",
        "out_ptr0": "float32[8, 128]",
    }
    return kernel(body, tensors, category="persistent_reduction")


def test_a_sum_of_a_one_hot_is_one_element() -> None:
    """The gradient of a cross entropy sums `where(label == column, -1, 0) * weight` along all classes."""
    assert remarks(gradient("tl.where(tmp1 == tmp3, tmp4, tmp5)", scale="tmp2"), "one-hot") == [
        "one-hot: a sum walks 128 columns, 1,024 elements in all, though at most the one at in_ptr0 is not 0: "
        "take the value at that column, if it is one of them, instead of summing"
    ]


@pytest.mark.parametrize(
    ("selected", "scale"),
    [
        ("tl.where(tmp1 != tmp3, tmp4, tmp5)", "tmp2"),  # all columns but one
        ("tl.where(tmp1 == tmp3, tmp5, tmp4)", "tmp2"),  # the others are -1
        ("tl.where(tmp1 <= tmp3, tmp4, tmp5)", "tmp2"),  # all columns from one on
        ("tl.where(tmp1 == r0_1 // 2, tmp4, tmp5)", "tmp2"),  # two columns
        ("tl.where(tmp1 == x0, tmp4, tmp5)", "tmp2"),  # of one row, every column
        ("tl.where(tmp1 == tmp3, tmp4, tmp5)", "tmp0"),  # times a column's own factor, which may be infinite
    ],
)
def test_a_sum_of_more_than_one_element_is_no_one_hot(selected: str, scale: str) -> None:
    assert remarks(gradient(selected, scale=scale), "one-hot") == []
