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


# ---------------------------------------------------------------- what is moved twice

HEAD = """
    xnumel = 256
    r0_numel = 2000
    rnumel = r0_numel
    RBLOCK: tl.constexpr = R0_BLOCK
    xoffset = tl.program_id(0) * XBLOCK
    xindex = xoffset + tl.arange(0, XBLOCK)[:, None]
    xmask = xindex < xnumel
    r0_base = tl.arange(0, R0_BLOCK)[None, :]
    rbase = r0_base
    x0 = xindex
"""
TURN = """
    for r0_offset in tl.range(0, r0_numel, R0_BLOCK):
        r0_index = r0_offset + r0_base
        r0_mask = r0_index < r0_numel
        roffset = r0_offset
        rindex = r0_index
        r0_1 = r0_index
"""


def centred(first: str, second: str, *, before: str = "", kept: str = "") -> Kernel:
    """256 rows of 2,000 less their sums: one loop adds up `first`, another loads `second`."""
    body = f"""{HEAD}{before}
    _tmp2 = tl.full([XBLOCK, R0_BLOCK], 0, tl.float32){TURN}
        tmp0 = tl.load({first}, r0_mask & xmask, other=0.0)
        tmp1 = tl.broadcast_to(tmp0 * 2.0, [XBLOCK, R0_BLOCK])
        tmp3 = _tmp2 + tmp1
        _tmp2 = tl.where(r0_mask & xmask, tmp3, _tmp2)
{kept}
    tmp2 = tl.sum(_tmp2, 1)[:, None]{TURN}
        tmp4 = tl.load({second}, r0_mask & xmask, other=0.0)
        tl.store(out_ptr1 + (r0_1 + 2000*x0), tmp4 - tmp2, r0_mask & xmask)
"""
    tensors = {
        "in_ptr0": "float32[4096, 2000]",
        "in_ptr1": "int64[256]",
        "out_ptr0": "float32[256, 2000]",
        "out_ptr1": "float32[256, 2000]",
    }
    return kernel(body, tensors, category="reduction")


def test_a_row_that_two_loops_read_is_told_with_the_block_that_would_hold_it() -> None:
    assert remarks(centred("in_ptr0 + (r0_1 + 2000*x0)", "in_ptr0 + (r0_1 + 2000*x0)"), "read twice") == [
        "read twice: in_ptr0 has 2 loads, 4.1 MB by address for 2.0 MB: cheap only while the repeats hit in cache; "
        "a block that holds a whole row, 8.0 KB of it, loads it once"
    ]
    (columns,) = remarks(centred("in_ptr0 + (x0 + 256*r0_1)", "in_ptr0 + (x0 + 256*r0_1)"), "read twice")
    assert columns.endswith("hit in cache")  # a row's elements are 256 apart: a block would hold many rows, not one
    assert remarks(centred("in_ptr0 + (r0_1 + 2000*x0)", "in_ptr0 + (512000 + r0_1 + 2000*x0)"), "read twice") == []


def test_what_is_gathered_again_by_the_same_indices_is_read_twice() -> None:
    index = "    tmp9 = tl.load(in_ptr1 + (x0), xmask)"
    row, next_row = "in_ptr0 + (r0_1 + 2000*tmp9)", "in_ptr0 + (2000 + r0_1 + 2000*tmp9)"
    assert remarks(centred(row, row, before=index), "read twice") == [
        "read twice: in_ptr0 is gathered twice by the same indices, 2.0 MB again: keep what was loaded"
    ]
    assert remarks(centred(row, next_row, before=index), "read twice") == []


def test_what_the_first_loop_stores_and_the_second_loads_is_read_back() -> None:
    row = "out_ptr0 + (r0_1 + 2000*x0)"
    kept = f"        tl.store({row}, tmp1, r0_mask & xmask)"
    assert remarks(centred("in_ptr0 + (r0_1 + 2000*x0)", row, kept=kept), "read back") == [
        "read back: out_ptr0 is stored and loaded again by the same program, 2.0 MB: "
        "a block that holds a whole row, 8.0 KB of it, has it in registers"
    ]
    other = centred("in_ptr0 + (r0_1 + 2000*x0)", "out_ptr0 + (r0_1 + 2000*(255 - x0))", kept=kept)
    assert remarks(other, "read back") == []  # another program's row
    assert remarks(centred("in_ptr0 + (r0_1 + 2000*x0)", "in_ptr0 + (r0_1 + 2000*x0)", kept=kept), "read back") == []
