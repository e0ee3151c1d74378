"""Sentences that readers found wrong, each on the smallest body that brought it about."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest
from kernels_as_text import LOOPED_SUM, LOOPED_SUM_TENSORS, ROWS, capture, kernel

from inductor_lab.annotate import computes, explain
from inductor_lab.annotate.titles import Namer
from inductor_lab.computation import computation
from inductor_lab.computation.naming.match import Asked
from inductor_lab.computation.naming.normal import Normal
from inductor_lab.computation.naming.reading import names
from inductor_lab.computation.text import Writer
from inductor_lab.costs.traffic import traffic
from inductor_lab.read import read
from inductor_lab.records import Argument, Claim, Kernel, Node
from inductor_lab.report.facts import facts, marks, role

GENERATIONS = Path(__file__).resolve().parents[1] / "generations"
FLAT = """
    xnumel = {count}
    xoffset = tl.program_id(0) * XBLOCK
    xindex = xoffset + tl.arange(0, XBLOCK)[:]
    xmask = xindex < xnumel
    x0 = xindex
"""


def notes(found: Kernel) -> dict[str, str]:
    """The sentence of each statement, by the name that it gives a value to."""
    lines = found.body.splitlines()
    return {
        lines[note.line - 1].split("=")[0].strip(): note.text
        for note in explain(found, capture(found))
        if note.line and "=" in lines[note.line - 1]
    }


def whole(found: Kernel, kind: str) -> list[str]:
    return [note.text for note in explain(found, capture(found)) if not note.line and note.kind == kind]


HALVES = """
    xnumel = 1024
    r0_numel = 64
    R0_BLOCK: tl.constexpr = 64
    xoffset = tl.program_id(0) * XBLOCK
    xindex = xoffset + tl.arange(0, XBLOCK)[:, None]
    xmask = xindex < xnumel
    r0_index = tl.arange(0, R0_BLOCK)[None, :]
    r0_offset = 0
    r0_mask = tl.full([R0_BLOCK], True, tl.int1)[None, :]
    r0_1 = r0_index
    x0 = xindex
    tmp0 = r0_1
    tmp1 = tl.full([1, 1], 32, tl.int64)
    tmp2 = tmp0 >= tmp1
    tmp3 = tl.load(in_ptr0 + ((-32) + r0_1 + 64*x0), tmp2 & xmask, other=0.0)
    tmp4 = tl.load(in_ptr0 + (r0_1 + 64*x0), xmask, other=0.0)
    tmp5 = tl.load(in_ptr1 + (r0_1 % 32), None)
    tmp6 = tl.broadcast_to(x0, [XBLOCK, R0_BLOCK]).to(tl.float32)
    tmp7 = tmp3 + tmp4 * tmp5 + tmp6
    tmp8 = tl.broadcast_to(tmp7, [XBLOCK, R0_BLOCK])
    tmp9 = tl.sum(tmp8, 1)[:, None].to(tl.float32)
    tl.store(out_ptr0 + (x0), tmp9, xmask)
"""


def halves() -> Kernel:
    tensors = {"in_ptr0": "float32[1024, 64]", "in_ptr1": "float32[32]", "out_ptr0": "float32[1024]"}
    return kernel(HALVES, tensors, category="persistent_reduction")


def test_half_of_a_row_is_half_also_where_the_row_is_cut_for_another_load() -> None:
    (remark,) = (text for text in whole(halves(), "hazard") if text.startswith("read twice"))
    assert "393.2 KB by address for 262.1 KB" in remark
    assert "32 of every 64 elements" in notes(halves())["tmp3"]
    assert traffic(halves()).read == 1024 * 64 * 4 + 32 * 4


def test_a_cast_after_a_repetition_is_of_what_is_repeated() -> None:
    assert notes(halves())["tmp6"] == "x0 as float32, repeated along the row"


def test_a_tensor_that_is_read_from_its_end_is_flipped() -> None:
    body = (
        FLAT.format(count=4096)
        + """
    tmp0 = tl.load(in_ptr0 + (4095 + (-1)*x0), xmask, eviction_policy='evict_last')
    tmp1 = libdevice.exp(tmp0)
    tl.store(out_ptr0 + (x0), tmp1, xmask)
"""
    )
    found = kernel(body, {"in_ptr0": "float32[4096]", "out_ptr0": "float32[4096]"})
    assert computes(found) == ("out_ptr0 = exp(flip(in_ptr0))",)
    said = notes(found)["tmp0"]
    assert "from the end to the start" in said
    assert said.endswith("keep it in cache")  # each element is read once


def test_indices_stand_in_the_order_of_the_dimensions() -> None:
    body = """
    xnumel = 1200
    xoffset = tl.program_id(0) * XBLOCK
    xindex = xoffset + tl.arange(0, XBLOCK)[:]
    xmask = xindex < xnumel
    x1 = xindex // 30
    x0 = (xindex % 30)
    x2 = xindex
    tmp0 = tl.load(in_ptr0 + (x1), xmask)
    tmp1 = tl.load(in_ptr1 + (x1), xmask)
    tmp2 = tl.load(in_ptr2 + (x2), xmask)
    tl.atomic_add(out_ptr0 + (tmp1 + 20*x0 + 600*tmp0), tmp2, xmask, sem='relaxed')
"""
    tensors = {
        "in_ptr0": "int64[40]", "in_ptr1": "int64[40]", "in_ptr2": "float32[40, 30]", "out_ptr0": "float32[50, 30, 20]",
    }  # fmt: skip
    assert computes(kernel(body, tensors)) == ("out_ptr0[in_ptr0, x0, in_ptr1] += in_ptr2",)


def test_a_rounded_division_is_a_division() -> None:
    body = (
        FLAT.format(count=4096)
        + """
    tmp0 = tl.load(in_ptr0 + (x0), xmask)
    tmp1 = tl.load(in_ptr1 + (x0), xmask)
    tmp2 = triton.language.div_rn(tmp0, tmp1)
    tl.store(out_ptr0 + (x0), tmp2, xmask)
"""
    )
    found = kernel(body, dict.fromkeys(("in_ptr0", "in_ptr1", "out_ptr0"), "float32[4096]"))
    assert notes(found)["tmp2"] == "in_ptr0 / in_ptr1"


SPLIT_SCAN = """
    xnumel = 1
    XBLOCK: tl.constexpr = 1
    r0_numel = 1048576
    rnumel = r0_numel
    RBLOCK: tl.constexpr = R0_BLOCK
    xoffset = tl.program_id(1) * XBLOCK
    xindex = tl.full([1], xoffset, tl.int32)
    xmask = tl.full([R0_BLOCK], True, tl.int1)
    r0_offset = tl.program_id(0) * R0_BLOCK
    r0_index = r0_offset + tl.arange(0, R0_BLOCK)[:]
    r0_mask = tl.full([R0_BLOCK], True, tl.int1)
    roffset = r0_offset
    rindex = r0_index
    r0_0 = r0_index
    tmp0 = tl.load(in_ptr0 + (r0_0), None)
    tmp1 = tmp0.to(tl.float32)
    tmp2 = tl.broadcast_to(tmp1, [R0_BLOCK])
    tmp3 = tl.reduce(tmp2, 0, _triton_helper_fn_add0)
    tmp4 = triton_helpers.exclusive_scan_decoupled_lookback(ws_ptr.to(tl.pointer_type(tl.uint64)), tmp3, tl.program_id(0), _triton_helper_fn_add0)
    tmp5 = tl.associative_scan(tmp2, 0, _triton_helper_fn_add0)
    tmp6 = _triton_helper_fn_add0(tmp4, tmp5)
    tmp7 = tl.where(roffset == 0, tmp5, tmp6)
    tl.store(out_ptr0 + (r0_0), tmp7, None)
"""


def test_a_scan_folds_nothing() -> None:
    tensors = {"in_ptr0": "float32[1048576]", "out_ptr0": "float32[1048576]", "ws_ptr": "uint8[32768]"}
    found = kernel(SPLIT_SCAN, tensors, category="split_scan")
    said = notes(found)
    assert said["xnumel"] == "1 row"
    assert said["r0_numel"] == "each row has 1,048,576 elements"
    assert said["r0_offset"] == "each program owns R0_BLOCK consecutive elements of its row"
    assert said["r0_mask"] == "always true: every R0_BLOCK that may be chosen divides the row's length"
    assert said["tmp3"] == "the sum over this program's part of the row"
    assert said["tmp5"] == "the sum of this block up to each element"
    assert said["tmp6"] == "goes on from what the blocks before came to"
    assert said["tmp7"] == "the sum of the row up to each element"
    assert whole(found, "launch")[0].startswith("1 row of 1,048,576 elements")


def fragment(*nodes: tuple[str, str, tuple[str, ...]]) -> tuple[Node, ...]:
    return tuple(Node(name, target, "", arguments, None, None) for name, target, arguments in nodes)


def test_a_product_without_a_node_is_called_by_nobody() -> None:
    nodes = fragment(("a", "placeholder", ()), ("b", "placeholder", ()), ("mul", "aten.mul.Tensor", ("a", "b")))
    claim = Claim(aten=("aten.bmm",), fragment=nodes, inputs=("a", "b"), outputs=("mul",))
    body = (
        FLAT.format(count=4096)
        + """
    tmp0 = tl.load(in_ptr0 + (x0), xmask)
    tmp1 = tl.load(in_ptr1 + (x0), xmask)
    tmp2 = tmp0 * tmp1
    tl.store(out_ptr0 + (x0), tmp2, xmask)
"""
    )
    found = kernel(body, dict.fromkeys(("in_ptr0", "in_ptr1", "out_ptr0"), "float32[4096]"), claim=claim)
    (remark,) = whole(found, "claim")
    assert "aten.bmm" in remark and "no product is called" in remark


def test_what_is_scattered_into_is_not_read() -> None:
    nodes = fragment(
        ("x", "placeholder", ()), ("i", "placeholder", ()), ("exp", "aten.exp.default", ("x",)),
        ("scatter", "aten.scatter.value", ("exp", "i")),
    )  # fmt: skip
    claim = Claim(aten=("aten.exp", "aten.scatter"), fragment=nodes, inputs=("i", "scatter"), outputs=("buf1",))
    body = (
        FLAT.format(count=4096)
        + """
    tmp0 = tl.load(in_ptr0 + (x0), xmask)
    tmp1 = tl.full([1], 3.5, tl.float32)
    tl.store(out_ptr0 + (tmp0), tmp1, xmask)
"""
    )
    found = kernel(body, {"in_ptr0": "int64[4096]", "out_ptr0": "float32[4096]"}, claim=claim)
    assert [remark for remark in whole(found, "claim") if "aten.exp" in remark] == [
        "the comment names aten.exp: another kernel has done it, in the memory that this one writes into"
    ]


def test_a_scheduler_s_number_is_no_node() -> None:
    nodes = fragment(("buf5", "placeholder", ()), ("exp", "aten.exp.default", ("buf5",)))
    claim = Claim(aten=("aten.exp",), fragment=nodes, inputs=("buf5",), nodes=("exp",), outputs=("exp",))
    body = (
        FLAT.format(count=4096)
        + """
    tmp0 = tl.load(in_ptr0 + (x0), xmask)
    tmp1 = libdevice.exp(tmp0)
    tl.store(out_ptr0 + (x0), tmp1, xmask)
"""
    )
    passed = {"in_ptr0": "buf4", "out_ptr0": "buf6"}
    found = kernel(body, dict.fromkeys(passed, "float32[4096]"), claim=claim, passed=passed)
    assert notes(found)["tmp0"].startswith("buf4 f32[4096]")


@pytest.mark.parametrize(("hint", "several"), [("DEFAULT", True), ("INNER", True), ("OUTER", False)])
def test_a_configuration_that_may_not_be_kept_is_called_the_first(hint: str, several: bool) -> None:
    found = halves()
    found = replace(found, size_hints={"x": 1024, "r0_": 64}, meta={"reduction_hint": f"ReductionHint.{hint}"})
    assert ("that the autotuner times" in whole(found, "launch")[0]) is several
    assert bool(whole(found, "choices")) is several


def test_the_choices_are_listed_and_what_was_kept_is_marked() -> None:
    found = replace(halves(), size_hints={"x": 1024, "r0_": 64}, meta={"reduction_hint": "ReductionHint.INNER"})
    (choices,) = whole(found, "choices")
    assert choices.split("; ")[:2] == ["XBLOCK 1, 2 warps", "XBLOCK 8, 2 warps"]
    found = replace(found, meta={**found.meta, "triton_meta": {"device": {"cc": 90}}})
    kept = replace(found, autotuned={"XBLOCK": 8, "num_warps": 2, "num_stages": 1})
    assert "XBLOCK 8, 2 warps, kept;" in whole(kept, "choices")[0]
    assert "autotuner" not in whole(kept, "launch")[0]


def test_what_a_masked_load_holds_elsewhere_is_told_as_it_is() -> None:
    """A max pooling's border: the address is outside where the mask is false, and -inf stands there."""
    body = """
    xnumel = 1024
    xoffset = tl.program_id(0) * XBLOCK
    xindex = xoffset + tl.arange(0, XBLOCK)[:]
    xmask = xindex < xnumel
    x0 = (xindex % 32)
    x1 = xindex // 32
    tmp0 = (-1) + 2*x0
    tmp1 = tl.full([1], 0, tl.int64)
    tmp2 = tmp0 >= tmp1
    tmp3 = tl.load(in_ptr0 + ((-1) + 2*x0 + 64*x1), tmp2 & xmask, eviction_policy='evict_last', other=float('-inf'))
    tl.store(out_ptr0 + (xindex), tmp3, xmask)
"""
    said = notes(kernel(body, {"in_ptr0": "float32[32, 64]", "out_ptr0": "float32[32, 32]"}))["tmp3"]
    assert "only where 2 * x0 - 1 >= 0, -inf elsewhere" in said
    assert "element by element, 2 elements apart" in said


PADDED = (
    ROWS
    + """
    tmp1 = tl.broadcast_to(tmp0, [XBLOCK, R0_BLOCK])
    tmp2 = tl.where(r0_mask & xmask, tmp1, {filler})
    tmp3 = tl.broadcast_to(r0_1, tmp2.shape)
    tmp4_val, tmp4_idx = triton_helpers.{fold}(tmp2, tmp3, 1)
    tl.store(out_ptr0 + (x0), tmp4_idx[:, None], xmask)
"""
)


@pytest.mark.parametrize(
    ("fold", "filler", "told"),
    [
        ("max_with_index", 'float("-inf")', "in_ptr0 where the element exists, -inf elsewhere: no matter to the largest and its place"),
        ("max_with_index", "0", "in_ptr0 where the element exists, 0 elsewhere"),
        ("min_with_index", 'float("inf")', "in_ptr0 where the element exists, inf elsewhere: no matter to the smallest and its place"),
    ],
)  # fmt: skip
def test_padding_is_no_concatenation(fold: str, filler: str, told: str) -> None:
    tensors = {"in_ptr0": "float32[8, 128]", "out_ptr0": "int64[8]"}
    body = PADDED.format(fold=fold, filler=filler)
    found = kernel(body, tensors, category="persistent_reduction", claim=Claim(aten=("aten.cat",)))
    assert notes(found)["tmp2"] == told
    assert notes(found)["tmp1"] == "the same as tmp0: in_ptr0"


LEFT_BEHIND = (
    ROWS.replace("r0_numel = 128", "r0_numel = 100").replace("128*x0", "100*x0")
    + """
    tmp1 = tl.where(r0_mask & xmask, tmp0, 0)
    tmp2 = tl.broadcast_to(tmp0, [XBLOCK, R0_BLOCK])
    tmp3 = tl.where(r0_mask & xmask, {}, 0)
    tmp4 = tl.sum(tmp3, 1)[:, None]
    tl.store(out_ptr0 + (x0), tmp4, xmask)
"""
)


@pytest.mark.parametrize(
    ("folded", "told"),
    [
        ("tmp2", "in_ptr0 where the element exists, 0 elsewhere; nothing reads it"),
        ("tmp1", "in_ptr0 where the element exists, 0 elsewhere"),
    ],
)
def test_a_line_that_nothing_reads_is_told_as_one(folded: str, told: str) -> None:
    """The first masks of a batch norm's sums stay behind: the sum takes the same values by another name."""
    found = kernel(
        LEFT_BEHIND.format(folded),
        {"in_ptr0": "float32[8, 100]", "out_ptr0": "float32[8]"},
        category="persistent_reduction",
    )
    assert notes(found)["tmp1"] == told


SIDES = """
    xnumel = 4096
    xoffset = tl.program_id(0) * XBLOCK
    xindex = xoffset + tl.arange(0, XBLOCK)[:]
    xmask = xindex < xnumel
    x0 = (xindex % 64)
    x1 = xindex // 64
    tmp0 = x0
    tmp1 = tl.full([1], 32, tl.int64)
    tmp2 = tmp0 < tmp1
    tmp3 = tl.load(in_ptr0 + (x0 + 32*x1), {mask}xmask, other=0.0)
    tmp4 = tmp0 >= tmp1
    tmp5 = tl.load(in_ptr1 + ((-32) + x0 + 32*x1), tmp4 & xmask, other=0.0)
    tmp6 = tl.where(tmp2, tmp3, tmp5)
    tl.store(out_ptr0 + (xindex), tmp6, xmask)
"""


@pytest.mark.parametrize(
    ("mask", "is_one"),
    [("tmp2 & ", True), ("", False), ("(tmp0 >= tmp1) & tmp2 & ", False)],  # the last holds for no element
)
def test_a_concatenation_is_one_where_each_side_is_read_only_where_it_is_chosen(mask: str, is_one: bool) -> None:
    tensors = {"in_ptr0": "float32[64, 32]", "in_ptr1": "float32[64, 32]", "out_ptr0": "float32[64, 64]"}
    said = notes(kernel(SIDES.format(mask=mask), tensors))
    assert " where x0 < 32, in_ptr1" in said["tmp6"]
    assert said["tmp6"].endswith("elsewhere; a concatenation: each element chooses its side") is is_one


STACKED = """
    xnumel = 6144
    xoffset = tl.program_id(0) * XBLOCK
    xindex = xoffset + tl.arange(0, XBLOCK)[:]
    xmask = xindex < xnumel
    x0 = (xindex % 96)
    x1 = ((xindex // 96) % 4)
    x2 = xindex // 384
    tmp0 = x2 + 16*x1
    tmp1 = tl.full([1], 0, tl.int64)
    tmp2 = tmp0 >= tmp1
    tmp3 = tl.full([1], 32, tl.int64)
    tmp4 = tmp0 < tmp3
    tmp5 = tl.load(in_ptr0 + (x0 + 96*x2 + 1536*x1), tmp4 & xmask, other=0.0)
    tmp6 = tmp0 >= tmp3
    tmp7 = tl.load(in_ptr1 + ((-3072) + x0 + 96*x2 + 1536*x1), tmp6 & xmask, other=0.0)
    tmp8 = tl.where(tmp4, tmp5, tmp7)
    tl.store(out_ptr0 + (xindex), tmp8, xmask)
"""


def test_a_bound_on_a_sum_of_coordinates_is_one_on_its_slowest() -> None:
    """Of `torch.stack`, moved: x2 + 16*x1 below 32 is x1 below 2."""
    tensors = dict.fromkeys(("in_ptr0", "in_ptr1"), "float32[3072]") | {"out_ptr0": "float32[6144]"}
    found = kernel(STACKED, tensors)
    said = notes(found)
    assert said["tmp2"] == "x2 + 16 * x1 >= 0: always true; nothing reads it"
    assert (
        "element by element, in runs of 96 consecutive elements, 1,536 apart; only where x2 + 16 * x1 < 32"
        in said["tmp5"]
    )
    assert said["tmp8"].endswith("a concatenation: each element chooses its side")
    assert traffic(found).read == 6144 * 4


@pytest.mark.parametrize(
    ("load", "told"),
    [
        ("in_ptr0 + (x0 + 2*x1)", "66 values, of which some serve several elements, in runs of 4 consecutive elements, 2 apart"),
        ("in_ptr0 + (x0 + 4*((x1 + x1 // 8) % 16))", "at a place computed from x0 and x1, 4 consecutive elements at a time"),
        ("in_ptr0 + (4*((x1 + x1 // 8) % 16) + 64*x0 + x1 % 2)", "at a place computed from x0 and x1"),
        ("in_ptr0 + (x1 + 40*x0)", "element by element, 32 of every 40 elements, transposed: neighbouring elements of the launch are 40 apart, 4 at a time"),
    ],
)  # fmt: skip
def test_an_address_is_told_by_the_names_and_runs_that_it_has(load: str, told: str) -> None:
    body = (
        FLAT.format(count=128).replace("x0 = xindex", "x0 = (xindex % 4)\n    x1 = xindex // 4")
        + f"""
    tmp0 = tl.load({load}, xmask)
    tl.store(out_ptr0 + (xindex), tmp0, xmask)
"""
    )
    said = notes(kernel(body, {"in_ptr0": "float32[256]", "out_ptr0": "float32[128]"}))["tmp0"]
    assert said == f"buf0 f32[256]; {told}"


def test_a_window_that_overlaps_its_neighbour_is_not_the_tensor_as_it_lies() -> None:
    body = ROWS.replace("r0_1 = r0_index", "r0_1 = (r0_index % 4)\n    r0_2 = r0_index // 4").replace(
        "r0_1 + 128*x0", "r0_1 + 2*r0_2 + 66*x0"
    )
    body += "    tl.store(out_ptr0 + (x0), tl.sum(tmp0, 1)[:, None], xmask)\n"
    found = kernel(body, {"in_ptr0": "float32[8, 66]", "out_ptr0": "float32[8]"}, category="persistent_reduction")
    assert "sum(in_ptr0[r0_1 + 2 * r0_2 + 66 * x0])" in explain(found, capture(found))[-1].text


def test_a_part_of_a_coordinate_goes_by_its_name() -> None:
    body = (
        FLAT.format(count=128).replace("x0 = xindex", "x0 = (xindex % 4)\n    x1 = xindex // 4")
        + """
    tmp0 = (xindex // 8) % 4
    tmp1 = tmp0 + 1
    tl.store(out_ptr0 + (xindex), tmp1, xmask)
"""
    )
    assert notes(kernel(body, {"out_ptr0": "int64[128]"}))["tmp1"] == "(x1 // 2 % 4) + 1"


def test_neighbouring_rows_are_consecutive_only_in_runs() -> None:
    body = ROWS.replace("xnumel = 8", "xnumel = 64").replace("x0 = xindex", "x0 = (xindex % 16)\n    x1 = xindex // 16")
    body = (
        body.replace("r0_1 + 128*x0", "x0 + 16*r0_1 + 2048*x1")
        + "    tl.store(out_ptr0 + (xindex), tl.sum(tmp0, 1)[:, None], xmask)\n"
    )
    found = kernel(body, {"in_ptr0": "float32[4, 128, 16]", "out_ptr0": "float32[64]"}, category="persistent_reduction")
    assert notes(found)["tmp0"].endswith(
        "element by element, 16 apart along the reduction, in runs of 16 from row to row"
    )


@pytest.mark.parametrize(("passed", "told"), [("", "the rest is left as it is"), ("buf1", "the rest is padding")])
def test_a_tensor_that_is_stored_whole_in_its_own_memory_is_padded(passed: str, told: str) -> None:
    body = FLAT.format(count=128) + "\n    tl.store(out_ptr0 + (xindex % 4 + 5*(xindex // 4)), x0, xmask)\n"
    found = kernel(body, {"in_ptr0": "int64[1]", "out_ptr0": "int64[32, 4]"})
    arguments = tuple(replace(a, storage=passed) for a in found.launches[0].arguments)
    found = replace(found, launches=(replace(found.launches[0], arguments=arguments),))
    assert explain(found, capture(found))[-1].text == f"x0 into buf1 i64[32, 4]; 4 of every 5 elements: {told}"


def test_what_is_one_element_long_is_not_repeated() -> None:
    looped = kernel(LOOPED_SUM.replace("xnumel = 8", "xnumel = 1"), LOOPED_SUM_TENSORS, category="reduction")
    assert "repeated" not in "".join(notes(looped).values())


def test_what_every_row_of_an_unknown_number_reads_is_read_again() -> None:
    body = (
        ROWS.replace("    xnumel = 8\n", "")
        + """
    tmp1 = tl.load(in_ptr1 + (r0_1), None, eviction_policy='evict_last')
    tmp2 = tmp0 * tmp1
    tl.store(out_ptr0 + (r0_1 + 128*x0), tmp2, xmask)
"""
    )
    tensors = {"in_ptr0": "float32[8, 128]", "in_ptr1": "float32[128]", "out_ptr0": "float32[8, 128]"}
    found = replace(kernel(body, tensors, category="persistent_reduction"), size_hints={"x": 8, "r0_": 128})
    said = notes(found)
    assert "each of 128 values is read again all along x; keep it in cache" in said["tmp1"]


def test_what_a_program_loads_once_for_its_row_is_not_read_again() -> None:
    body = (
        ROWS
        + """
    tmp1 = tl.load(in_ptr1 + (x0), xmask, eviction_policy='evict_last')
    tmp2 = tl.load(in_ptr2 + (r0_1), None, eviction_policy='evict_last')
    tl.store(out_ptr0 + (r0_1 + 128*x0), tmp0 * tmp1 + tmp2, xmask)
"""
    )
    tensors = {
        "in_ptr0": "float32[8, 128]",
        "in_ptr1": "float32[8]",
        "in_ptr2": "float32[128]",
        "out_ptr0": "float32[8, 128]",
    }
    said = notes(kernel(body, tensors, category="persistent_reduction"))
    assert said["tmp1"].endswith("each of 8 values serves 128 elements; keep it in cache")
    assert said["tmp2"].endswith("each of 128 values serves 8 elements; keep it in cache: it is read again")


def test_what_is_written_in_place_is_called_as_what_was_there() -> None:
    body = (
        FLAT.format(count=4096)
        + """
    tmp0 = tl.load(in_ptr0 + (x0), xmask)
    tmp1 = tmp0 * 0.5
    tl.store(out_ptr0 + (x0), tmp1, xmask)
"""
    )
    passed = {"in_ptr0": "running_var", "out_ptr0": "running_var"}
    found = kernel(body, dict.fromkeys(passed, "float32[4096]"), passed=passed)
    (said,) = (note.text for note in explain(found, capture(found)) if "in place" in note.text)
    assert said == "in_ptr0 * 0.5 over running_var, which in_ptr0 reads: in place"
    (shown,) = (note.text for note in facts(found, capture(found)).lines if "in place" in note.text)
    assert shown == "running_var * 0.5 over running_var, which in_ptr0 reads: in place"


def test_what_the_kernel_itself_stored_and_reads_back_is_not_overwritten() -> None:
    body = (
        FLAT.format(count=4096)
        + """
    tmp0 = tl.load(in_ptr0 + (x0), xmask)
    tmp1 = tmp0 * 0.5
    tl.store(out_ptr0 + (x0), tmp1, xmask)
    tmp2 = tl.load(out_ptr0 + (4095 + (-1)*x0), xmask)
    tmp3 = tmp1 + 1.0
    tmp4 = tmp2 * tmp3
    tl.store(out_ptr1 + (x0), tmp4, xmask)
"""
    )
    found = kernel(body, dict.fromkeys(("in_ptr0", "out_ptr0", "out_ptr1"), "float32[4096]"))
    assert not any("reused" in note.text for note in explain(found, capture(found)))
    assert computes(found)[1] == "out_ptr1 = flip(out_ptr0) * (out_ptr0 + 1.0)"
    roles = {argument.name: role(argument, found) for argument in found.arguments if argument.pointer}
    assert roles == {"in_ptr0": "read", "out_ptr0": "written, then read", "out_ptr1": "written"}


def test_the_same_elements_along_another_axis_are_not_at_the_same_address() -> None:
    along = LOOPED_SUM.replace("xnumel = 256", "xnumel = 128").replace("256*", "128*")
    body = along.replace(
        "    _tmp6 = tl.full", "    tmp8 = tl.load(in_ptr1 + (x0), xmask)\n    _tmp6 = tl.full", 1
    ).replace("        tmp1 = ", "        tmp9 = tl.load(in_ptr1 + (r0_1), r0_mask, other=0.0)\n        tmp1 = ")
    tensors = dict.fromkeys(LOOPED_SUM_TENSORS, "float32[128, 128]") | {"in_ptr1": "float32[128]"}
    said = notes(kernel(body, tensors, category="reduction"))
    assert "the same elements again, by another index" in said["tmp9"]


@pytest.mark.parametrize(
    ("blocks", "options", "expected"),
    [
        ((8, 1), {}, "always true: XBLOCK is 1 or 8, each of which divides 24"),
        ((8,), {}, "always true: XBLOCK is 8, which divides 24"),
        ((1,), {}, "always true: XBLOCK is 1"),
        ((1, 16), {}, "true inside: the last program may reach past 24"),
        ((1,), {"coordinate_descent_tuning": True}, "true inside: the last program may reach past 24"),
        ((), {}, "true inside: the last program may reach past 24"),
    ],
)
def test_a_mask_is_always_true_where_every_block_that_may_be_chosen_ends_with_its_axis(
    blocks: tuple[int, ...], options: dict[str, bool], expected: str
) -> None:
    body = (
        FLAT.format(count=24)
        + """
    tmp0 = tl.load(in_ptr0 + (x0), xmask)
    tl.store(out_ptr0 + (x0), tmp0 + 1.0, xmask)
"""
    )
    found = kernel(body, dict.fromkeys(("in_ptr0", "out_ptr0"), "float32[24]"))
    meta = {**found.meta, "triton_meta": {"device": {"cc": 90}}, "inductor_meta": options}
    listed = tuple({"XBLOCK": block, "num_warps": 1} for block in blocks)
    for category in ("pointwise", "combo", "cooperative_reduction"):  # programs may share a reduction, but no rows
        assert notes(replace(found, category=category, meta=meta, candidates=listed))["xmask"] == expected


def test_a_job_without_a_reduction_has_no_rows() -> None:
    body = (
        FLAT.format(count=4096)
        + """
    r0_numel = 1
    tmp0 = tl.load(in_ptr0 + (x0), xmask)
    tl.store(out_ptr0 + (x0), tmp0, xmask)
"""
    )
    found = kernel(body, dict.fromkeys(("in_ptr0", "out_ptr0"), "float32[4096]"))
    assert notes(found)["tmp0"].endswith("; element by element")


def test_a_loop_tells_what_it_begins_with_takes_in_and_goes_on_with() -> None:
    found = kernel(LOOPED_SUM, LOOPED_SUM_TENSORS, category="reduction")
    lines = found.body.splitlines()
    told = {lines[n.line - 1].strip(): n.text for n in explain(found, capture(found)) if n.line}
    (start,) = (text for code, text in told.items() if code.startswith("_tmp") and "tl.full" in code)
    (taken,) = (text for code, text in told.items() if " = _tmp" in code)
    (kept,) = (text for code, text in told.items() if code.startswith("_tmp") and "tl.where" in code)
    assert start == "an accumulator for each element of the tile, starting at 0"
    assert taken.startswith("this block's ") and taken.endswith(", taken into the sum so far")
    assert kept == "lanes outside the tensor keep what they had"


def test_a_condition_that_numbers_decide_chooses_before_it_runs() -> None:
    body = (
        FLAT.format(count=4096)
        + """
    tmp0 = tl.full([1], 0, tl.int64)
    tmp1 = tl.full([1], 1, tl.int64)
    tmp2 = tmp0 >= tmp1
    tmp3 = tmp0 < tmp1
    tmp4 = tmp2 & tmp3
    tmp5 = tl.load(in_ptr0 + (x0), xmask)
    tmp6 = tl.where(tmp4, tmp5, 4194303.0)
    tl.store(out_ptr0 + (x0), tmp6, xmask)
"""
    )
    said = notes(kernel(body, dict.fromkeys(("in_ptr0", "out_ptr0"), "float32[4096]")))
    assert (said["tmp3"], said["tmp4"], said["tmp6"]) == ("always true", "never true", "the constant 4194303")


def test_a_name_that_gets_another_value_is_not_said_for_the_old_one() -> None:
    body = (
        FLAT.format(count=4096)
        + """
    tmp0 = tl.load(in_ptr0 + (x0), xmask)
    tmp1 = tl_math.exp(tmp0 * 0.25 + 3.5)
    tmp2 = (tmp1 - 0.125) * tmp1
    tmp3 = tmp1
    tmp1 = tmp0 * 2.0
    tmp4 = (tmp3 - 0.625) * tmp3
    tl.store(out_ptr0 + (x0), tmp1 + tmp2 + tmp4, xmask)
"""
    )
    lines = notes(kernel(body, dict.fromkeys(("in_ptr0", "out_ptr0"), "float32[4096]")))
    assert lines["tmp2"] == "(tmp1 - 0.125) * tmp1"
    assert lines["tmp3"].startswith("the same as tmp1: exp(")
    assert "tmp1" not in lines["tmp4"]


MASKED = """
    xnumel = 4
    r0_numel = 10
    R0_BLOCK: tl.constexpr = 16
    xoffset = tl.program_id(0) * XBLOCK
    xindex = xoffset + tl.arange(0, XBLOCK)[:, None]
    xmask = xindex < xnumel
    r0_index = tl.arange(0, R0_BLOCK)[None, :]
    r0_offset = 0
    r0_mask = r0_index < r0_numel
    r0_1 = r0_index
    x0 = xindex
    tmp0 = tl.load(in_ptr0 + (r0_1 + 10*x0), r0_mask & xmask, other=0.0)
    tmp1 = tl.load(in_ptr1 + (r0_1 + 10*x0), r0_mask & xmask, other=0.0)
    tmp2 = tmp0 * tmp1 + tl_math.exp(tmp0)
    tmp3 = tl.broadcast_to(tmp2, [XBLOCK, R0_BLOCK])
    tmp5 = tl.where(r0_mask & xmask, tmp3, 0)
    tmp6 = tl.sum(tmp5, 1)[:, None].to(tl.float32)
    tmp7 = tl_math.exp(tmp1 * 0.125 + tmp0 * 0.375) * tmp6
    tmp8 = tmp2 - tmp7
    tl.store(out_ptr0 + (r0_1 + 10*x0), tmp8, r0_mask & xmask)
"""


def test_a_value_goes_by_its_own_name_and_not_by_that_of_its_masked_copy() -> None:
    """`tmp5` is 0 outside of the row, and a masked sum alone takes it in."""
    tensors = dict.fromkeys(("in_ptr0", "in_ptr1", "out_ptr0"), "float32[4, 10]")
    told = notes(kernel(MASKED, tensors, category="persistent_reduction"))
    assert told["tmp8"] == "tmp2 - tmp7"


def test_a_number_beside_a_whole_one_does_not_become_it() -> None:
    """Bessel's n / (n - 1) of a large batch is not 1."""
    body = (
        FLAT.format(count=4096)
        + """
    tmp0 = tl.load(in_ptr0 + (x0), xmask)
    tmp1 = tl.full([1], 1.0000004328256722, tl.float32)
    tmp2 = tmp0 * tmp1
    tmp3 = tmp2 * 0.3333333333333333
    tmp4 = tmp3 / 2310401.0
    tl.store(out_ptr0 + (x0), tmp4, xmask)
"""
    )
    told = notes(kernel(body, dict.fromkeys(("in_ptr0", "out_ptr0"), "float32[4096]")))
    assert told["tmp1"].startswith("the constant 1.0000004 as")
    assert told["tmp2"] == "in_ptr0 * 1.0000004"
    assert told["tmp4"] == "in_ptr0 * 1.0000004 * 0.333333 / 2310401.0"


def test_a_binary_search_is_told_by_its_values_and_boundaries() -> None:
    """It takes a pointer, and each search goes its own way: nothing is gathered twice by the same indices."""
    search = (
        "triton_helpers.bucketize_binary_search(tmp0, in_ptr1, 33, 33, 1, 0, tl.int64, {right}, None, None, None, )"
    )
    body = (
        FLAT.format(count=4096)
        + f"""
    tmp0 = tl.load(in_ptr0 + (x0), xmask)
    tmp1 = {search.format(right=False)}
    tmp2 = {search.format(right=True)}
    tl.store(out_ptr0 + (x0), tmp1, xmask)
    tl.store(out_ptr1 + (x0), tmp2, xmask)
"""
    )
    tensors = {
        "in_ptr0": "float32[4096]",
        "in_ptr1": "float32[33]",
        "out_ptr0": "int64[4096]",
        "out_ptr1": "int64[4096]",
    }
    found = kernel(body, tensors)
    told = Writer(computation(found))
    values = computation(found).names
    assert told.text(values["tmp1"]) == "bucketize(in_ptr0, in_ptr1)"
    assert told.text(values["tmp2"]) == "bucketize(in_ptr0, in_ptr1, right=True)"
    assert not [text for text in whole(found, "hazard") if "twice" in text]
    assert "gather" not in Namer(capture(found)).name(found).title


def test_a_title_has_the_dtype_of_what_is_folded() -> None:
    """An output, or a scale of each row, may be narrower than the tensor that the kernel goes over."""
    tensors = {**dict.fromkeys(("in_ptr0", "in_ptr1"), "float32[4, 10]"), "out_ptr0": "bfloat16[4, 10]"}
    found = kernel(MASKED, tensors, category="persistent_reduction")
    assert Namer(capture(found)).name(found).title.endswith("4 rows of 10 f32")


def test_a_policy_of_the_cache_is_the_compilers_hint_alone() -> None:
    body = FLAT.format(count=4096) + (
        "    tmp0 = tl.load(in_ptr0 + (x0 % 64), xmask, eviction_policy='evict_first')\n"
        "    tl.store(out_ptr0 + (x0), tmp0, xmask)\n"
    )
    said = notes(kernel(body, {"in_ptr0": "float32[64]", "out_ptr0": "float32[4096]"}))["tmp0"]
    assert said == "buf0 f32[64]; each of 64 values serves 64 elements; marked evict_first"


def test_a_group_of_rows_loads_each_rows_own_value_once() -> None:
    (found,) = read([GENERATIONS / "g7_torch_2.13_groups.txt"], "x").kernels
    lines = [note.text for note in explain(found, capture(found)) if "keep it in cache" in note.text]
    assert [text.endswith("it is read again") for text in lines] == [
        True,
        False,
        False,
    ]  # the weight, and two statistics


def test_a_turn_of_a_group_folds_its_own_rows_alone() -> None:
    (found,) = read([GENERATIONS / "g7_torch_2.13_groups.txt"], "x").kernels
    said = [
        note.text for note in explain(found, capture(found)) if "of_16_rows" in note.text or "column of" in note.text
    ]
    assert said == [
        "the sum of each column of in_ptr0 * ((in_ptr2 - in_ptr3) * in_ptr4) over this turn's rows",
        "the sum of each column of in_ptr0 over this turn's rows",
    ]
    assert "this block's tmp28, taken into the sum so far" in [note.text for note in explain(found, capture(found))]


def test_of_a_row_that_programs_share_each_has_a_part() -> None:
    tensors = {"in_ptr0": "float32[1048576]", "out_ptr0": "float32[1048576]", "ws_ptr": "uint8[32768]"}
    said = notes(kernel(SPLIT_SCAN, tensors, category="split_scan"))
    assert said["xoffset"] == "each program works on a part of XBLOCK consecutive rows"


def test_a_read_that_goes_backwards_is_told() -> None:
    body = FLAT.format(count=4096) + (
        "    tmp0 = tl.load(in_ptr0 + (4096 + (-1)*x0), xmask & (x0 > 0), other=0.0)\n"
        "    tl.store(out_ptr0 + (x0), tmp0, xmask)\n"
    )
    found = kernel(body, {"in_ptr0": "float32[4096]", "out_ptr0": "float32[4096]"})
    assert "backwards along x0" in notes(found)["tmp0"]
    assert "in_ptr0[-x0 + 4096]" in computes(found)[0]


@pytest.mark.parametrize(
    ("address", "told"),
    [
        ("3996 + x0 + (-4)*x1", "in runs of 4 consecutive elements, 4 apart, backwards along x1"),
        ("3 + (-1)*x0 + 4*x1", "in runs of 4 consecutive elements, 4 apart, backwards along x0"),
        ("3999 + (-1)*x0 + (-4)*x1", "element by element, from the end to the start"),
    ],
)
def test_only_what_is_turned_along_all_its_dimensions_goes_from_the_end_to_the_start(address: str, told: str) -> None:
    body = FLAT.format(count=4000).replace("x0 = xindex", "x0 = (xindex % 4)\n    x1 = xindex // 4") + (
        f"    tmp0 = tl.load(in_ptr0 + ({address}), xmask)\n    tl.store(out_ptr0 + (xindex), tmp0, xmask)\n"
    )
    found = kernel(body, {"in_ptr0": "float32[1000, 4]", "out_ptr0": "float32[4000]"})
    assert notes(found)["tmp0"].endswith(told)


def test_neighbours_that_lie_apart_do_so_only_as_long_as_they_do() -> None:
    body = """
    ynumel = 16
    xnumel = 384
    yoffset = tl.program_id(1) * YBLOCK
    yindex = yoffset + tl.arange(0, YBLOCK)[:, None]
    ymask = yindex < ynumel
    xoffset = tl.program_id(0) * XBLOCK
    xindex = xoffset + tl.arange(0, XBLOCK)[None, :]
    xmask = xindex < xnumel
    x2 = xindex
    y0 = (yindex % 4)
    y1 = yindex // 4
    tmp0 = tl.load(in_ptr0 + (2*((y0 + 4*y1) // 8) + 4*x2 + 1536*(y0 % 2) + 3072*(y1 % 2) + (y0 // 2)), xmask & ymask)
    tmp1 = tl.load(in_ptr1 + (yindex + 16*x2), xmask & ymask)
    tl.store(out_ptr0 + (x2 + 384*yindex), tmp0 + tmp1, xmask & ymask)
"""
    tensors = {"in_ptr0": "float32[768, 2, 2, 2]", "in_ptr1": "float32[384, 16]", "out_ptr0": "float32[16, 384]"}
    said = notes(kernel(body, tensors))
    assert said["tmp0"].endswith("element by element, 4 apart along x, 1,536 apart along y for 2 at a time")
    assert said["tmp1"].endswith("element by element, consecutive along y, 16 apart along x")


def test_a_condition_that_no_element_meets_is_never_true() -> None:
    body = FLAT.format(count=4096) + (
        "    tmp0 = 1 + x0\n    tmp1 = tmp0 < 1\n    tmp2 = tl.where(tmp1, x0, 0)\n"
        "    tl.store(out_ptr0 + (x0), tmp2, xmask)\n"
    )
    assert notes(kernel(body, {"out_ptr0": "int64[4096]"}))["tmp1"].endswith("never true")


def test_a_difference_is_no_addition() -> None:
    body = FLAT.format(count=4096) + (
        "    tmp0 = tl.load(in_ptr0 + (x0), xmask)\n    tmp1 = tl.load(in_ptr1 + (x0), xmask)\n"
        "    tmp2 = libdevice.tanh(tmp0)\n    tmp3 = libdevice.erf(tmp1 - tmp2)\n"
        "    tl.store(out_ptr0 + (x0), tmp3, xmask)\n"
    )
    job = computation(kernel(body, dict.fromkeys(("in_ptr0", "in_ptr1", "out_ptr0"), "float32[4096]")))
    found, _ = names(job, Asked(Normal(job), frozenset(), "inference", {}, {}))
    assert found == ("tanh", "sub", "erf")


def test_which_seed_is_no_size() -> None:
    assert role(Argument("load_seed_offset", "int32", "size"), kernel("    pass\n", {})) == "which seed"


def test_a_neighbour_that_is_padded_shows_that_rows_of_the_same_strides_are() -> None:
    body = FLAT.format(count=128) + (
        "    tl.store(out_ptr0 + (xindex % 4 + 5*(xindex // 4)), x0, xmask)\n"
        "    tl.store(out_ptr1 + (xindex % 4 + 5*(xindex // 4)), x0, xmask)\n"
    )
    found = kernel(body, {"out_ptr0": "int64[32, 4]", "out_ptr1": "int64[32, 4]"})
    first, *others = found.launches[0].arguments
    arguments = (replace(first, storage=""), *(replace(a, storage=a.value) for a in others))
    found = replace(found, launches=(replace(found.launches[0], arguments=arguments),))
    said = [note.text for note in explain(found, capture(found)) if "of every 5" in note.text]
    assert len(said) == 2
    assert all(text.endswith("the rest is padding") for text in said)


def test_a_choice_that_is_none_is_told_as_what_it_leaves() -> None:
    body = FLAT.format(count=4096) + (
        "    tmp0 = 1 + x0\n    tmp1 = tmp0 < 1\n    tmp2 = tl.load(in_ptr0 + (x0), xmask)\n"
        "    tmp3 = tl.where(tmp1, tmp2, -tmp2)\n    tmp4 = tmp2 > 0\n    tmp5 = tl.where(tmp4, tmp3, tmp3)\n"
        "    tl.store(out_ptr0 + (x0), tmp5, xmask)\n"
    )
    found = kernel(body, dict.fromkeys(("in_ptr0", "out_ptr0"), "float32[4096]"))
    said = notes(found)
    assert said["tmp3"] == "-in_ptr0: the condition is never true"
    assert said["tmp5"] == "-in_ptr0: both sides are the same"
    assert computes(found) == ("out_ptr0 = -in_ptr0",)


@pytest.mark.parametrize(
    ("first", "told"),
    [
        (1, "-in_ptr0: the condition is never true"),
        (9, "-in_ptr0: both sides are the same, each where it is chosen"),  # one is 0 where the other is not
    ],
)
def test_sides_that_agree_only_where_each_is_chosen_are_not_told_as_the_same(first: int, told: str) -> None:
    body = FLAT.format(count=4096) + (
        f"    tmp0 = 1 + x0\n    tmp1 = tmp0 < {first}\n    tmp2 = tmp0 >= {first}\n    tmp3 = tl.load(in_ptr0 + (x0), xmask)\n"
        "    tmp4 = -tmp3\n    tmp5 = tl.where(tmp1, tmp4, 0.0)\n    tmp6 = tl.where(tmp2, tmp4, 0.0)\n"
        "    tmp7 = tl.where(tmp1, tmp5, tmp6)\n    tl.store(out_ptr0 + (x0), tmp7, xmask)\n"
    )
    found = kernel(body, dict.fromkeys(("in_ptr0", "out_ptr0"), "float32[4096]"))
    assert notes(found)["tmp7"] == told


@pytest.mark.parametrize(
    ("stores", "told"),
    [
        (("in_ptr0 + (x0)",), ": they have loaded buf0 before it is written over"),
        (("out_ptr0 + (x0)",), ""),
        (("out_ptr0 + (x0)", "out_ptr0 + (4095 - x0)"), ": each then sees what others have stored in buf1"),
    ],
)
def test_a_barrier_is_told_by_what_it_stands_between(stores: tuple[str, ...], told: str) -> None:
    body = FLAT.format(count=4096) + "    tmp0 = tl.load(in_ptr0 + (x0), xmask)\n"
    for stored in stores[1:]:
        body += f"    tl.store({stored}, tmp0, xmask)\n"
    body += "    tl.debug_barrier()\n" + "    tmp1 = tl.load(out_ptr0 + (x0), xmask)\n" * (len(stores) - 1)
    found = kernel(
        body + f"    tl.store({stores[0]}, tmp0, xmask)\n", dict.fromkeys(("in_ptr0", "out_ptr0"), "float32[4096]")
    )
    (said,) = (note.text for note in explain(found, capture(found)) if note.text.startswith("waits"))
    assert said == f"waits until all threads of the program are here{told}"


def test_what_a_program_folds_its_part_to_is_no_fold_of_the_tensor() -> None:
    tensors = {"in_ptr0": "float32[1048576]", "out_ptr0": "float32[1048576]", "ws_ptr": "uint8[32768]"}
    body = SPLIT_SCAN + "    tmp8 = tmp3 + 1.0\n    tmp9 = tmp3 + 0.0\n"
    said = notes(kernel(body, tensors, category="split_scan"))
    assert said["tmp8"] == "tmp3 + 1.0; nothing reads it"


def test_jobs_that_take_programs_in_turns_do_not_follow_one_another() -> None:
    found = read([GENERATIONS / "g7_torch_2.13_combo_in_turn.txt"], "x").kernels[0]
    said = [note.text for note in explain(found, capture(found)) if note.line]
    assert said[0] == "which program this is: several jobs share the grid, in turns"
    assert said[1] == "of each 2 programs one is this job's: what follows is a kernel of its own"
    assert "no program comes here: each of 2 in turn has a job" in said


def test_where_programs_may_share_a_row_no_line_says_that_they_do() -> None:
    (found,) = (one for one in read([GENERATIONS / "g7_torch_2.13_cooperative.txt"], "x").kernels)
    said = [note.text for note in explain(found, capture(found)) if note.line]
    assert "which part of a row this program folds, where several share one" in said


def test_behind_the_wait_too_a_program_walks_over_its_part_of_a_row(tmp_path: Path) -> None:
    """The sum is of a row by then; what a second loop walks over is each program's part still."""
    text = (GENERATIONS / "g7_torch_2.13_cooperative.txt").read_text()
    head = "    for r0_offset in tl.range(rsplit_start, rsplit_end, R0_BLOCK):\n"
    loop = text[text.index(head) : text.index("    tmp2 = tl.sum(_tmp2, 1)[:, None]\n")]
    again = loop.partition("        tmp1 =")[0] + "        tl.store(out_ptr0 + (r0_0), tmp0 * tmp2, r0_mask)\n"
    stored = text.index("    if rsplit_id == (0 % RSPLIT):")
    (file := tmp_path / "twice.txt").write_text(text[:stored] + again + text[text.index("''', device_str", stored) :])
    (found,) = read([file], "x").kernels
    heads = [note.text for note in explain(found, capture(found)) if note.text.startswith("walk over")]
    assert heads == ["walk over this program's part of a row, R0_BLOCK at a time"] * 2


def test_what_is_read_back_behind_a_store_is_not_what_was_there() -> None:
    body = FLAT.format(count=4096) + (
        "    tmp0 = tl.load(in_out_ptr0 + (x0), xmask)\n    tmp1 = tmp0 * 0.5\n    tl.store(in_out_ptr0 + (x0), tmp1, xmask)\n"
        "    tmp2 = tl.load(in_out_ptr0 + (x0), xmask)\n    tmp3 = tmp2 - tmp0\n    tl.store(out_ptr0 + (x0), tmp3, xmask)\n"
    )
    said = notes(kernel(body, dict.fromkeys(("in_out_ptr0", "out_ptr0"), "float32[4096]")))
    assert "read back: the kernel has stored to it above" in said["tmp2"]
    assert said["tmp3"] == "in_out_ptr0_new - in_out_ptr0"


def test_a_mask_that_every_element_meets_leaves_nothing_out() -> None:
    body = FLAT.format(count=4096) + (
        "    tmp0 = 1 + x0\n    tmp1 = tmp0 >= 1\n    tmp2 = tl.load(in_ptr0 + (x0), tmp1 & xmask, other=0.0)\n"
        "    tl.store(out_ptr0 + (x0), tmp2, xmask)\n"
    )
    found = kernel(body, dict.fromkeys(("in_ptr0", "out_ptr0"), "float32[4096]"))
    assert "only where" not in notes(found)["tmp2"]
    assert computes(found) == ("out_ptr0 = in_ptr0",)


def test_a_slice_of_padded_rows_is_counted() -> None:
    body = FLAT.format(count=8192) + (
        "    tmp0 = tl.load(in_ptr0 + (1 + 1040*(x0 // 1024) + (x0 % 1024)), xmask)\n"
        "    tl.store(out_ptr0 + (x0), tmp0, xmask)\n"
    )
    found = kernel(body, {"in_ptr0": "int64[8, 1025]", "out_ptr0": "int64[8192]"})
    first, *others = found.launches[0].arguments
    assert first.type is not None
    padded = replace(first, type=replace(first.type, stride=(1040, 1)))
    found = replace(found, launches=(replace(found.launches[0], arguments=(padded, *others)),))
    assert (
        notes(found)["tmp0"] == "buf0 i64[8, 1025]; element by element, 1,024 of every 1,040 elements, from element 1"
    )


def test_a_shape_is_told_of_positions_that_run_over_it() -> None:
    straight = FLAT.format(count=4096) + "    tl.store(out_ptr0 + (x0), x0, xmask)\n"
    turned = straight.replace("(x0), x0", "(64*(x0 % 64) + x0 // 64), x0")
    told = [notes(kernel(body, {"out_ptr0": "int64[64, 64]"}))["xnumel"] for body in (straight, turned)]
    assert told == ["64 x 64 elements", "4,096 elements"]


def test_a_multiple_of_a_position_that_stays_below_a_bound_is_always_below() -> None:
    body = (
        FLAT.format(count=48)
        + "    tmp0 = 2*x0\n    tmp1 = tmp0 < {bound}\n    tl.store(out_ptr0 + (x0), tmp1, xmask)\n"
    )
    told = [notes(kernel(body.replace("{bound}", bound), {"out_ptr0": "bool[48]"}))["tmp1"] for bound in ("95", "94")]
    assert told == ["2 * x0 < 95: always true", "true where 2 * x0 < 94"]


@pytest.mark.parametrize(
    ("value", "rounded"), [("tmp0", False), ("tl.where(x0 < 5, tmp0, 0.0)", False), ("tmp0 * 3.0", True)]
)
def test_what_is_only_moved_is_not_rounded(value: str, rounded: bool) -> None:
    body = FLAT.format(count=4096) + (
        f"    tmp0 = tl.load(in_ptr0 + (x0), xmask).to(tl.float32)\n    tl.store(out_ptr0 + (x0), {value}, xmask)\n"
    )
    found = kernel(body, dict.fromkeys(("in_ptr0", "out_ptr0"), "bfloat16[4096]"))
    said = [note.text for note in explain(found, capture(found)) if note.line]
    assert said[-1].endswith("rounded to bfloat16") is rounded
    assert notes(found)["tmp0"].endswith("widened to float32" + " for the arithmetic" * rounded)


def test_what_is_written_over_an_input_by_another_pointer_is_in_place_too() -> None:
    """A running mean is two pointers to one tensor."""
    body = (
        FLAT.format(count=64)
        + "    tmp0 = tl.load(in_ptr0 + (x0), xmask)\n    tl.store(out_ptr0 + (x0), tmp0 * 0.9, xmask)\n"
    )
    for passed, told in (("primals_5", ("in place",)), ("buf3", ())):
        tensors = dict.fromkeys(("in_ptr0", "out_ptr0"), "float32[64]")
        assert marks(kernel(body, tensors, passed={"in_ptr0": "primals_5", "out_ptr0": passed})) == told
