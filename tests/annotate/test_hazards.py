"""Hazards: for each remark a kernel that has it, with its numbers, and the nearest one that has not."""

from __future__ import annotations

from dataclasses import replace

import pytest
from folders import GENERATIONS
from kernels_as_text import HEAD as FRAME
from kernels_as_text import ROWS, capture, kernel

from inductor_lab.annotate import explain, hazards
from inductor_lab.annotate.context import Context
from inductor_lab.annotate.hazards import unsought
from inductor_lab.read import read
from inductor_lab.records import Kernel, Launch
from inductor_lab.spans import unread


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


def joined(*masks: str) -> Kernel:
    """64 rows of 96 columns, which several loads under masks over the column give."""
    loads = "".join(
        f"    tmp{n} = tl.load(in_ptr{n} + (x0 + 96*x1), ({mask}) & xmask, other=0.0)\n" for n, mask in enumerate(masks)
    )
    body = (
        FRAME.format(numel=6144)
        + f"""    x0 = xindex % 96
    x1 = xindex // 96
    x2 = xindex
{loads}    tl.store(out_ptr0 + (x2), {" + ".join(f"tmp{n}" for n in range(len(masks)))}, xmask)
"""
    )
    tensors = {f"in_ptr{n}": "float32[64, 96]" for n in range(len(masks))}
    return kernel(body, tensors | {"out_ptr0": "float32[64, 96]"})


def test_a_lane_that_issues_the_loads_of_every_source_is_told() -> None:
    assert remarks(joined("x0 < 32", "(x0 >= 32) & (x0 < 64)", "(x0 >= 32) & (x0 < 64)", "x0 >= 64"), "choice") == [
        "choice: every lane issues 4 loads under tests of x0, of which at most 2 hold at once, as 3 ranges exclude each other: "
        "a program, or a launch, for each range issues only its own"
    ]


@pytest.mark.parametrize(
    "masks",
    [
        ("x0 < 48", "x0 >= 48"),  # two halves
        ("x0 < 95", "x0 >= 1", "x0 >= 2"),  # a window's places, most of which hold for most lanes
        ("x0 < 32", "x0 < 32", "x0 < 32"),  # one range
    ],
)
def test_two_halves_and_ranges_that_overlap_are_no_choice_of_many(masks: tuple[str, ...]) -> None:
    assert remarks(joined(*masks), "choice") == []


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


OF_CARD = {"triton_meta": {"device": {"cc": 90}}}


def columns(
    *blocks: int, index: str = "x0 + 256*r0_1", turn: int = 64, twice: str = "", tensor: str = "float32[2000, 256]"
) -> Kernel:
    """Sums of 256 columns of 2,000, of which a program takes as many as one of these blocks, `turn` elements of each at a time; `twice`: and
    what it loads there besides."""
    again = f"tl.load(in_ptr0 + ({twice}), r0_mask & xmask, other=0.0)" if twice else "0.0"
    body = f"""{HEAD}
    _tmp2 = tl.full([XBLOCK, R0_BLOCK], 0, tl.float32){TURN}
        tmp0 = tl.load(in_ptr0 + ({index}), r0_mask & xmask, eviction_policy='evict_first', other=0.0)
        tmp4 = {again}
        tmp5 = tmp0 + tmp4
        tmp1 = tl.broadcast_to(tmp5, [XBLOCK, R0_BLOCK])
        tmp3 = _tmp2 + tmp1
        _tmp2 = tl.where(r0_mask & xmask, tmp3, _tmp2)
    tmp2 = tl.sum(_tmp2, 1)[:, None]
    tl.store(out_ptr0 + (x0), tmp2, xmask)
"""
    made = kernel(body, {"in_ptr0": tensor, "out_ptr0": "float32[256]"}, category="reduction")
    return replace(
        made, meta=OF_CARD, candidates=tuple({"XBLOCK": each, "R0_BLOCK": turn, "num_warps": 2} for each in blocks)
    )


def test_a_program_of_few_columns_moves_sectors_for_its_neighbours() -> None:
    about = "of each 32 bytes, a sector, of in_ptr0 (2.0 MB) a program uses"
    all_of_them = "with XBLOCK 8 it would use all, but no such block is timed"
    assert remarks(columns(2), "narrow") == [f"narrow: {about} 8, as it holds 2 elements along x; {all_of_them}"]
    assert remarks(columns(2, 4), "narrow") == [
        f"narrow: {about} at most 16, as it holds at most 4 elements along x; {all_of_them}"
    ]
    assert remarks(columns(2, 8), "narrow") == []  # the autotuner times a block whose columns fill a sector
    assert remarks(columns(2, index="r0_1 + 2000*x0"), "narrow") == []  # the rows of a program do
    assert remarks(columns(2, index="r0_1 + 2000*x0", turn=4), "narrow") == []  # in two turns of its own loop


@pytest.mark.parametrize(
    ("tensor", "loads", "moved"),
    [
        (
            "float32[4000, 256]",
            ("x0 + 512*r0_1", "256 + x0 + 512*r0_1"),
            "4.1 MB",
        ),  # every other row, and the rows between
        ("float32[2000, 256]", ("x0 + 256*r0_1", "x0 + 256*r0_1"), "2.0 MB"),
    ],
)
def test_what_two_loads_reach_of_a_tensor_is_moved_once(tensor: str, loads: tuple[str, str], moved: str) -> None:
    (told,) = remarks(columns(2, index=loads[0], twice=loads[1], tensor=tensor), "narrow")
    assert f"of in_ptr0 ({moved})" in told


def test_the_rows_of_a_group_are_a_program_s_own(monkeypatch: pytest.MonkeyPatch) -> None:
    """16 statistics follow each other in a sector or two, whatever XBLOCK a turn takes of them."""
    monkeypatch.setattr(hazards, "LEAST_NARROW", 0)
    (found,) = read([GENERATIONS / "g7_torch_2.13_groups.txt"], "x").kernels
    one = replace(found, candidates=({"XBLOCK": 1, "num_warps": 1},))
    assert remarks(one, "narrow") == []


def centred(first: str, second: str, *, before: str = "", kept: str = "", block: int = 1024) -> Kernel:
    """256 rows of 2,000 less their sums: one loop adds up `first`, another loads `second`, `block` elements at a time."""
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
    made = kernel(body, tensors, category="reduction")
    return replace(made, meta=OF_CARD, candidates=({"XBLOCK": 1, "R0_BLOCK": block, "num_warps": 8},))


def test_a_row_that_two_loops_read_is_told_with_the_block_that_would_hold_it() -> None:
    assert remarks(centred("in_ptr0 + (r0_1 + 2000*x0)", "in_ptr0 + (r0_1 + 2000*x0)"), "read twice") == [
        "read twice: in_ptr0 has 2 loads, 4.1 MB by address for 2.0 MB: cheap only while the repeats hit in cache; "
        "a block that holds a whole row, 8.0 KB of it, loads it once"
    ]
    whole = centred("in_ptr0 + (r0_1 + 2000*x0)", "in_ptr0 + (r0_1 + 2000*x0)", block=2048)
    (held,) = remarks(whole, "read twice")
    assert held.endswith("; a body without a loop, as R0_BLOCK 2,048 holds a whole row, loads it once")
    (columns,) = remarks(centred("in_ptr0 + (x0 + 256*r0_1)", "in_ptr0 + (x0 + 256*r0_1)"), "read twice")
    assert columns.endswith("hit in cache")  # a row's elements are 256 apart: a block would hold many rows, not one
    assert remarks(centred("in_ptr0 + (r0_1 + 2000*x0)", "in_ptr0 + (512000 + r0_1 + 2000*x0)"), "read twice") == []


@pytest.mark.parametrize(("least", "told"), [(6, 1), (5, 0)])
def test_loads_under_a_mask_that_cuts_through_a_digit_are_not_counted(least: int, told: int) -> None:
    """Of `x0 // 3` and `x0 % 3` a bound of 6 leaves 98 threes, one of 5 has a third more: as a range of digits it would count too many."""
    body = (
        FRAME.format(numel=18000)
        + f"""
    x0 = (xindex % 300)
    x1 = xindex // 300
    x2 = xindex
    tmp0 = x0 >= {least}
    tmp1 = tl.load(in_ptr0 + (3*(x0 // 3) + 300*x1), tmp0 & xmask, other=0.0)
    tmp2 = tl.load(in_ptr0 + (x2), tmp0 & xmask, other=0.0)
    tmp3 = tl.load(in_ptr0 + (x2), xmask)
    tl.store(out_ptr0 + (x2), tmp1 + tmp2 + tmp3, xmask)
"""
    )
    found = kernel(body, dict.fromkeys(("in_ptr0", "out_ptr0"), "float32[60, 300]"))
    assert len(remarks(found, "read twice")) == told


def test_what_is_gathered_again_by_the_same_indices_is_read_twice() -> None:
    index = "    tmp9 = tl.load(in_ptr1 + (x0), xmask)"
    row, next_row = "in_ptr0 + (r0_1 + 2000*tmp9)", "in_ptr0 + (2000 + r0_1 + 2000*tmp9)"
    assert remarks(centred(row, row, before=index), "read twice") == [
        "read twice: 2 loads gather in_ptr0 by the same indices, 2.0 MB again: keep what was loaded"
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


LOOKED_UP = (
    FRAME.format(numel=8192)
    + """    x0 = xindex % {row}
    x1 = xindex // {row}
    x2 = xindex
    tmp0 = tl.load(in_ptr0 + (x1), xmask)
    tmp1 = {value}
    tl.store(out_ptr0 + (x2), tmp1, xmask)
"""
)
LOAD = "tl.load(in_ptr1 + (x0 + 4*tmp0), xmask)"


def looked_up(table: str, value: str, row: int = 4) -> list[str]:
    """What is said of gathers, where an index stands for so many elements."""
    tensors = {"in_ptr0": f"int64[{8192 // row}]", "in_ptr1": table, "out_ptr0": "float32[8192]"}
    return remarks(kernel(LOOKED_UP.format(row=row, value=value), tensors), "gather")


def test_short_rows_of_a_large_table_are_told() -> None:
    where = "wherever the data points: each may take a sector of 32 bytes of its own"
    assert looked_up("float32[8192, 4]", LOAD) == [f"gather: rows of 16 B from in_ptr1, {where}"]
    across = LOAD.replace("x0 + 4*tmp0", "x1 % 4 + 4*tmp0")  # neighbours are in one column, not in one row
    assert looked_up("float32[8192, 4]", across, row=1) == [f"gather: elements of 4 B from in_ptr1, {where}"]
    (longer,) = looked_up("float32[8192, 19]", LOAD.replace("4*", "19*"), row=19)
    assert "rows of 76 B" in longer and "at least 3 sectors" in longer
    assert looked_up("float32[64, 4]", LOAD) == []  # the table stays in the nearest cache
    assert looked_up("float32[8192, 64]", LOAD.replace("4*", "64*"), row=64) == []  # rows of 256 bytes
    search = "triton_helpers.bucketize_binary_search(tmp0.to(tl.float32), in_ptr1, 32768, 32768, 1, 0, tl.int64, False, None, None, None, [XBLOCK])"
    assert looked_up("float32[32768]", f"{search}.to(tl.float32)") == []


# ---------------------------------------------------------------- what is written for the rest of the graph

FILL = (
    FRAME.format(numel=4096)
    + "    x0 = xindex\n    tl.store(out_ptr0 + (x0), tl.full([XBLOCK], 0.0, tl.float32), xmask)\n"
)
ADDED = (
    FRAME.format(numel=2048)
    + "    x0 = xindex\n    tmp0 = tl.load(in_ptr0 + (x0), xmask)\n    tmp1 = tl.load(in_ptr1 + (x0), xmask)\n"
    "    tl.atomic_add(out_ptr0 + (tmp0), tmp1, xmask, sem='relaxed')\n"
)
FULL = {"in_ptr0": "int64[2048]", "in_ptr1": "float32[2048]", "out_ptr0": "float32[4096]"}


def launched(body: str, tensors: dict[str, str], line: int, **storage: str) -> Kernel:
    """A kernel that is launched in one line of its graph's module, on these buffers."""
    made = kernel(body, tensors)
    arguments = tuple(
        replace(a, value=storage.get(a.name, a.value), storage=storage.get(a.name, ""))
        for a in made.launches[0].arguments
    )
    return replace(made, id=f"test:{line}", launches=(Launch("0_inference", line, arguments),))


def of_first(about: str, *kernels: Kernel, module: str = "", hints: dict[str, int] | None = None) -> list[str]:
    """What is said of the first of several kernels of one module."""
    found = capture(*kernels)
    found = replace(found, graphs=(replace(found.graphs[0], module=module, hints=hints or {}),))
    context = Context(kernels[0], found, unread(found, kernels[0]))
    told = [note.text for note in explain(kernels[0], found, context) if note.kind == "hazard"]
    return [text for text in told if text.startswith(f"{about}: ")]


def test_a_fill_for_a_scatter_is_told_with_what_could_fill_instead() -> None:
    fill, scatter = (
        launched(FILL, {"out_ptr0": "float32[4096]"}, 20, out_ptr0="buf0"),
        launched(ADDED, FULL, 30, out_ptr0="buf0"),
    )
    what = "fill: buf0, 16.4 KB, is set to 0 since what follows, test:30, writes only where its data points: a memset"
    assert of_first("fill", fill, scatter) == [f"{what} can do that instead"]
    symbolic = of_first(
        "fill", fill, scatter, hints={"s7": 64}
    )  # of such a graph, all bytes are those of its first call
    assert symbolic == [f"{what} can do that instead (when compiled, s7 = 64)"]
    before = launched(ADDED, FULL, 10, out_ptr0="buf7")
    assert of_first("fill", fill, scatter, before) == [
        f"{what} or a kernel before it, besides its own work, can do that instead"
    ]
    in_use = launched(ADDED, FULL, 10, out_ptr0="buf0")  # that kernel writes what this memory held before
    assert of_first("fill", fill, scatter, in_use) == [f"{what} can do that instead"]
    other = launched(ADDED, FULL, 50, out_ptr0="buf1")
    (next_fill,) = launched(FILL, {"out_ptr0": "float32[4096]"}, 40, out_ptr0="buf1").launches
    (told,) = of_first("fill", replace(fill, launches=(*fill.launches, next_fill)), scatter, other)
    assert "since what follows, test:30 and 1 other, write only where their data points" in told


def test_a_fill_that_is_read_or_overwritten_in_order_waits_for_no_scatter() -> None:
    fill = launched(FILL, {"out_ptr0": "float32[4096]"}, 20, out_ptr0="buf0")
    in_order = launched(ADDED.replace("out_ptr0 + (tmp0)", "out_ptr0 + (x0)"), FULL, 30, out_ptr0="buf0")
    read = launched(ADDED, FULL, 30, in_ptr1="buf0", out_ptr0="buf1")
    assert of_first("fill", fill, in_order) == of_first("fill", fill, read) == []
    copy = FILL.replace("tl.full([XBLOCK], 0.0, tl.float32)", "tl.load(in_ptr0 + (x0), xmask)")
    no_fill = launched(copy, {"in_ptr0": "float32[4096]", "out_ptr0": "float32[4096]"}, 20, out_ptr0="buf0")
    assert of_first("fill", no_fill, launched(ADDED, FULL, 30, out_ptr0="buf0")) == []


MODULE = """def call(args):
    buf0 = empty_strided_cuda((4096, ), (1, ), torch.float32)
    triton_poi_fused_test_0.run(buf0, 4096, stream=raw_stream0)
    del buf0
    return (buf1, )
"""


@pytest.mark.parametrize(
    ("was", "now"),
    [
        ("return (buf1, )", "return (buf0, )"),
        ("    del buf0", "    extern_kernels.mm(buf0, arg0_1, out=buf1)\n    del buf0"),
        ("    del buf0", "    buf1 = buf0; del buf0  # reuse"),  # a kernel that works in place may read it
        ("    triton", "    buf1 = reinterpret_tensor(buf0, (64, 64), (64, 1), 0)\n    triton"),  # a view of it
        (
            "buf0 = empty_strided_cuda((4096, ), (1, ), torch.float32)",
            "buf0 = reinterpret_tensor(buf1, (4096, ), (1, ), 0)",
        ),
    ],
)
def test_a_buffer_that_its_module_only_deletes_is_unread(was: str, now: str) -> None:
    alone = launched(FILL, {"out_ptr0": "float32[4096]"}, 3, out_ptr0="buf0")
    assert of_first("unread", alone, module=MODULE) == [
        "unread: nobody reads out_ptr0 after the launch: 16.4 KB written, 4 ns; leave out the store"
    ]
    never = replace(alone, arguments=tuple(replace(a, untouched=True) for a in alone.arguments))
    assert of_first("unread", never, module=MODULE) == []  # a branch that is never compiled would write it
    assert was in MODULE
    # a view that is made first moves the launch down a line
    later = replace(alone, launches=(replace(alone.launches[0], line=3 + now.count("\n    triton")),))
    assert of_first("unread", later, module=MODULE.replace(was, now)) == []


COPY = (
    FRAME.format(numel=65536)
    + "    x0 = xindex\n    tmp0 = tl.load(in_ptr0 + (x0), xmask)\n    tl.store(out_ptr0 + (x0), tmp0, xmask)\n"
)
SECOND_HALF = COPY.replace("in_ptr0 + (x0)", "in_ptr0 + (65536 + x0)")
BOTH = {"in_ptr0": "float32[131072]", "out_ptr0": "float32[65536]"}


def test_what_the_launch_before_loads_too_is_read_again() -> None:
    first = launched(COPY, BOTH, 10, in_ptr0="arg0_1", out_ptr0="buf0")
    second = launched(COPY, BOTH, 20, in_ptr0="arg0_1", out_ptr0="buf1")
    assert of_first("read again", second, first) == [
        "read again: arg0_1, 262.1 KB at best from L2, which test:10 loads right before: "
        "neither needs what the other makes, so one kernel could load them once"
    ]
    assert of_first("read again", first, second) == []  # it is told once, of the later one
    third = launched(COPY, BOTH, 30, in_ptr0="arg0_1", out_ptr0="buf2")
    (again,) = launched(COPY, BOTH, 40, in_ptr0="arg0_1", out_ptr0="buf3").launches
    (told,) = of_first("read again", replace(second, launches=(*second.launches, again)), first, third)
    assert "test:10 loads right before (so in 1 of 2 launches): " in told  # before the other runs another kernel


@pytest.mark.parametrize(
    "second",
    [
        launched(SECOND_HALF, BOTH, 20, in_ptr0="arg0_1", out_ptr0="buf1"),  # other elements of it
        launched(COPY, BOTH, 20, in_ptr0="arg1_1", out_ptr0="buf1"),  # another tensor
        launched(COPY, BOTH, 20, in_ptr0="arg0_1", out_ptr0="buf0"),  # it overwrites what the first one makes
        launched(COPY, BOTH, 20, in_ptr0="buf0", out_ptr0="buf1"),  # it reads what the first one makes
        launched(COPY, BOTH, 40, in_ptr0="arg0_1", out_ptr0="buf1"),  # another launch stands between
    ],
)
def test_other_elements_and_what_waits_for_the_launch_before_are_not_read_again(second: Kernel) -> None:
    first = launched(COPY, BOTH, 10, in_ptr0="arg0_1", out_ptr0="buf0")
    between = launched(COPY, BOTH, 30, in_ptr0="arg2_1", out_ptr0="buf2")
    assert of_first("read again", second, first, between) == []


# ---------------------------------------------------------------- what was not looked for


def test_where_only_some_programs_do_what_the_text_says_lanes_are_told_and_why_accesses_are_not() -> None:
    (shared,) = (
        one
        for one in read([GENERATIONS / "g7_torch_2.13_cooperative.txt"], "x").kernels
        if one.name == "triton_unk_fused_sum_0"
    )
    few = replace(shared, autotuned={"XBLOCK": 1, "R0_BLOCK": 64, "RSPLIT": 1})
    assert unsought(few) == "statements that only some programs do"
    assert unsought(kernel(ROWS, {"in_ptr0": "float32[8, 128]"})) == ""
    assert remarks(few, "small") == ["small: 1 program for 132 SMs"]


def test_of_symbolic_sizes_lanes_are_told_as_they_were_when_compiled() -> None:
    found = read([GENERATIONS / "g7_torch_2.13_dynamic.txt"], "x")
    few = replace(found, graphs=(replace(found.graphs[0], hints={"s77": 8, "s27": 30}),))
    told = [[note.text for note in explain(one.kernels[0], one) if note.kind == "hazard"] for one in (found, few)]
    assert told == [[], ["small: 4 programs for 132 SMs (when compiled, s77 = 8, s27 = 30)"]]


def test_idle_lanes_of_a_job_beside_others_are_told() -> None:
    found = read([GENERATIONS / "g7_torch_2.13_combo_in_turn.txt"], "x")
    told = [note.text for note in explain(found.kernels[0], found) if note.kind == "hazard"]
    assert told == [
        "idle: 38 of 128 lanes never have work: a row has 90 elements, and its block is the next power of two"
    ]


@pytest.mark.parametrize(
    ("sharers", "warps", "told"),
    [
        (1, 8, []),  # all 1,024 lanes of a row of 1,000
        (2, 32, ["idle: 512 of a program's 1,024 threads have no element of their own: a program holds 512 elements at a time"]),
        (8, 8, ["idle: 128 of a program's 256 threads have no element of their own: a program holds 128 elements at a time"]),
    ],
)  # fmt: skip
def test_a_share_of_a_row_without_a_loop_is_as_long_as_the_number_of_sharers_makes_it(
    sharers: int, warps: int, told: list[str]
) -> None:
    block = "R0_BLOCK: tl.constexpr = triton_helpers.constexpr_next_power_of_2((1000 + RSPLIT - 1) // RSPLIT)"
    body = (
        ROWS.replace("R0_BLOCK: tl.constexpr = 128", block).replace("128", "1000").replace("xnumel = 8", "xnumel = 200")
    )
    body += "    tmp1 = tl.where(r0_mask & xmask, tmp0, 0)\n    tmp2 = tl.sum(tmp1, 1)[:, None]\n    tl.store(out_ptr0 + (x0), tmp2, xmask)\n"
    tensors = {"in_ptr0": "float32[200, 1000]", "out_ptr0": "float32[200]"}
    shared = replace(
        kernel(body, tensors, category="cooperative_reduction"),
        meta={"triton_meta": {"device": {"cc": 90}}},
        autotuned={"XBLOCK": 1, "RSPLIT": sharers, "num_warps": warps},
    )
    assert remarks(shared, "idle") == told
