"""What is stated of an access, by hand on small bodies, and held to addresses that were counted over everything that is kept here."""

from __future__ import annotations

from collections import Counter
from types import SimpleNamespace
from typing import Any

import pytest
from agreeing import Seen, agreement, compare
from agreeing_sentences import claimed, claims
from counting import UncountedError, run, small
from folders import GENERATIONS
from kernels_as_text import ROWS, capture, kernel
from test_named import CAPTURES, KERNELS, real

from inductor_lab import store
from inductor_lab.annotate import explain
from inductor_lab.annotate.facts import Facts, facts
from inductor_lab.computation import computation
from inductor_lab.computation.space import Box
from inductor_lab.read import read
from inductor_lab.records import Kernel

FLAT = """
    xnumel = {count}
    xoffset = tl.program_id(0) * XBLOCK
    xindex = xoffset + tl.arange(0, XBLOCK)[:]
    xmask = xindex < xnumel
    x0 = (xindex % 64)
    x1 = xindex // 64
    x2 = xindex
"""
PADDED = (
    FLAT.format(count=4096)
    + """
    tmp0 = x0
    tmp1 = tl.full([1], 1, tl.int64)
    tmp2 = tmp0 >= tmp1
    tmp3 = tl.load(in_ptr0 + ((-1) + 2*x0 + 128*x1), tmp2 & xmask, other=float("-inf"))
    tmp4 = tl.load(in_ptr1 + (x0), xmask, eviction_policy='evict_last')
    tmp5 = triton_helpers.maximum(tmp3, tmp4)
    tl.store(out_ptr0 + (x2), tmp5, xmask)
"""
)
TENSORS = {"in_ptr0": "float32[64, 128]", "in_ptr1": "float32[64]", "out_ptr0": "bfloat16[64, 64]"}


def padded() -> Kernel:
    return kernel(PADDED, TENSORS)


def stated(found: Kernel) -> dict[str, Facts]:
    """By what is loaded, `tmp3`, or stored to, `out_ptr0`."""
    lines = found.body.splitlines()
    return {
        one.pointer if one.kind == "store" else lines[one.line - 1].split("=")[0].strip(): one
        for one in facts(found, computation(found))
    }


def test_a_fill_and_a_stride_are_told_as_they_are() -> None:
    one = stated(padded())["tmp3"]
    assert (one.masked, one.fill, one.values, one.steps["x"]) == (True, float("-inf"), 63 * 64, 2)
    assert one.box == Box(1, ((2, 63), (128, 64)))
    assert one.runs["x"] == ((63, 2), (64, 128))


def test_a_row_that_every_row_reads_again() -> None:
    one = stated(padded())["tmp4"]
    assert (one.values, one.serves, one.several, one.width) == (64, 64, True, 4)
    assert stated(padded())["out_ptr0"].width == 2


DYNAMIC = """
    xoffset = tl.program_id(0) * XBLOCK
    xindex = xoffset + tl.arange(0, XBLOCK)[:, None]
    xmask = xindex < xnumel
    r0_base = tl.arange(0, R0_BLOCK)[None, :]
    x0 = xindex
    for r0_offset in tl.range(0, r0_numel, R0_BLOCK):
        r0_index = r0_offset + r0_base
        r0_mask = r0_index < r0_numel
        r0_1 = r0_index
        tmp0 = tl.load(in_ptr0 + (r0_1 + ks0*x0), r0_mask & xmask, eviction_policy='evict_first', other=0.0)
        tmp1 = tl.load(in_ptr1 + (r0_1), r0_mask, eviction_policy='evict_last', other=0.0)
        tmp2 = tl.load(in_ptr0 + (x0 + ks0*r0_1), r0_mask & xmask, eviction_policy='evict_last', other=0.0)
        tl.store(out_ptr0 + (r0_1 + ks0*x0), tmp0 * tmp1 + tmp2, r0_mask & xmask)
"""


def test_what_sizes_that_are_no_numbers_prove() -> None:
    passed = {"ks0": "s27", "xnumel": "s27", "r0_numel": "s27"}
    tensors = dict.fromkeys(("in_ptr0", "in_ptr1", "out_ptr0"), "float32[8]")
    found = kernel(DYNAMIC, tensors, category="reduction", passed=passed)
    told = stated(found)
    assert (told["tmp0"].several, told["tmp0"].steps) == (False, {"x": "ks0", "r0_": 1})
    assert (told["tmp1"].several, told["tmp1"].still) == (True, {"x"})
    assert told["tmp2"].steps == {"x": 1, "r0_": "ks0"}
    assert not agreement(found).reds


HALVES = (
    FLAT.format(count=4096)
    + """
    tmp0 = tl.load(in_ptr0 + (x0 + 128*x1), xmask)
    tmp1 = tl.load(in_ptr0 + (64 + x0 + 128*x1), xmask)
    tmp2 = tl.load(in_ptr0 + (1 + x0 + 128*x1), xmask)
    tmp3 = tl.load(in_ptr0 + (x0 + 128*x1), xmask)
    tl.store(out_ptr0 + (x0 + 128*x1), tmp0 + tmp1 + tmp2 + tmp3, xmask)
"""
)


def test_what_is_loaded_again_and_what_is_written_over() -> None:
    tensors = {"in_ptr0": "float32[64, 128]", "out_ptr0": "float32[64, 128]"}
    found = kernel(HALVES, tensors, passed={"in_ptr0": "running", "out_ptr0": "running"})
    told = stated(found)
    assert list(told["tmp1"].again.values()) == ["apart"]
    assert list(told["tmp2"].again.values()) == ["part", "part"]
    assert list(told["tmp3"].again.values()) == ["same", "apart", "part"]
    assert told["out_ptr0"].over == ("in_ptr0",)
    assert not agreement(found).reds
    assert not stated(kernel(HALVES, tensors))["out_ptr0"].over
    said = {note.line: note.text for note in explain(found, capture(found))}
    assert "other elements than are loaded above" in said[told["tmp1"].line]
    assert "read again in part, at another address" in said[told["tmp2"].line]
    assert "read again, at the same address" in said[told["tmp3"].line]


SET_IN = (
    FLAT.format(count=4096)
    + """
    tmp0 = x2 >= 64
    tmp1 = x2 < 128
    tmp2 = tl.load(in_ptr0 + ((-64) + x2), tmp0 & tmp1 & xmask, eviction_policy='evict_last', other=0.0)
    tmp3 = x1 < 1
    tmp4 = tl.load(in_ptr1 + (x0), tmp3 & xmask, eviction_policy='evict_last', other=0.0)
    tmp5 = x1 < 2
    tmp6 = tl.load(in_ptr2 + (x0), tmp5 & xmask, eviction_policy='evict_last', other=0.0)
    tl.store(out_ptr0 + (x2), tmp2 + tmp4 + tmp6, xmask)
"""
)


def test_what_a_mask_leaves_to_one_iteration_is_loaded_once() -> None:
    found = kernel(
        SET_IN,
        {"in_ptr0": "float32[64]", "in_ptr1": "float32[64]", "in_ptr2": "float32[64]", "out_ptr0": "float32[4096]"},
    )
    told = stated(found)
    assert [told[name].loaded_again for name in ("tmp2", "tmp4", "tmp6")] == [False, False, True]
    assert not agreement(found).reds


SHIFTED = (
    FLAT.format(count=4096)
    + """
    tmp0 = tl.load(in_ptr0 + (x2), xmask)
    tmp1 = tl.full([1], 1, tl.int64)
    tmp2 = x1 >= tmp1
    tmp3 = tl.load(in_ptr0 + (64 + x0 + 64*((-1) + x1)), tmp2 & xmask, other=0.0)
    tmp4 = tl.full([1], 0, tl.int64)
    tmp5 = tmp4 >= tmp1
    tmp6 = tl.load(in_ptr0 + (x2), tmp5 & xmask, other=0.0)
    tl.store(out_ptr0 + (x2), tmp0 + tmp3 + tmp6, xmask)
"""
)


def test_an_address_is_the_same_however_it_is_written() -> None:
    found = kernel(SHIFTED, {"in_ptr0": "float32[64, 64]", "out_ptr0": "float32[64, 64]"})
    said = {note.line: note.text for note in explain(found, capture(found))}
    assert "read again in part, at the same address" in said[stated(found)["tmp3"].line]
    assert said[stated(found)["tmp6"].line] == "loads nothing: its mask holds for no element; 0 everywhere"


EMPTY = (
    FLAT.format(count=4096)
    + """
    tmp0 = tl.full([1], 1, tl.int64)
    tmp1 = x1 >= tmp0
    tmp2 = x1 < tmp0
    tmp3 = tmp2 & tmp1
    tmp4 = tl.load(in_ptr0 + (x2), tmp3 & xmask, other=0.0)
    tmp5 = tl.load(in_ptr0 + (x2), tmp2 & xmask, other=0.0)
    tl.store(out_ptr0 + (x2), tmp4 + tmp5, xmask)
"""
)


def test_a_mask_whose_bounds_leave_nothing_between_them_is_never_true() -> None:
    """A concatenation inside of another one's piece; what it does not load is not read again either."""
    found = kernel(EMPTY, {"in_ptr0": "float32[64, 64]", "out_ptr0": "float32[64, 64]"})
    told = stated(found)
    said = {note.line: note.text for note in explain(found, capture(found))}
    assert said[told["tmp4"].line] == "loads nothing: its mask holds for no element; 0 everywhere"
    assert said[told["tmp4"].line - 1] == "(x1 < 1) & (x1 >= 1): never true"
    assert "again" not in said[told["tmp5"].line]
    assert not agreement(found).reds


KEPT = (
    FLAT.format(count=4096)
    + """
    tmp0 = tl.load(in_out_ptr0 + (x2), xmask)
    tl.store(in_out_ptr0 + (x2), tmp0, xmask)
"""
)


def test_what_is_stored_where_it_was_loaded_changes_nothing() -> None:
    found = kernel(KEPT, {"in_out_ptr0": "float32[64, 64]"})
    said = [note.text for note in explain(found, capture(found)) if "where it was loaded: nothing changes" in note.text]
    assert len(said) == 1


ADDED = (
    ROWS
    + """
    tmp1 = tl.load(in_ptr1 + (x0), xmask, eviction_policy='evict_last')
    tmp2 = tl.broadcast_to(tmp0, [XBLOCK, R0_BLOCK])
    tmp3 = tl.sum(tmp2, 1)[:, None]
    tl.atomic_add(out_ptr0 + (tmp1), tmp3, xmask, sem='relaxed')
"""
)


def test_an_index_that_a_row_adds_at_meets_no_element_of_it() -> None:
    tensors = {"in_ptr0": "float32[8, 128]", "in_ptr1": "int64[8]", "out_ptr0": "float32[5]"}
    found = kernel(ADDED, tensors, category="persistent_reduction")
    assert (stated(found)["tmp1"].rows, stated(found)["tmp1"].several) == (True, False)
    assert not agreement(found).reds


AGAIN = (
    ROWS
    + """
    tmp1 = tl.load(in_ptr1 + (x0), xmask, eviction_policy='evict_last')
    tmp2 = tl.load(in_ptr1 + (x0), xmask)
    tmp3 = tl.broadcast_to(tmp0, [XBLOCK, R0_BLOCK])
    tmp4 = tl.sum(tmp3, 1)[:, None]
    tmp5 = tmp4 * tmp2
    tmp6 = tmp1 * tmp1
    tmp7 = tmp4 * tmp6
    tmp8 = tmp0 - tmp7
    tl.store(out_ptr0 + (x0), tmp5, xmask)
    tl.store(out_ptr1 + (r0_1 + 128*x0), tmp8, xmask)
"""
)


def test_of_two_lines_that_load_one_value_each_is_told_by_what_it_meets() -> None:
    tensors = {
        "in_ptr0": "float32[8, 128]",
        "in_ptr1": "float32[8]",
        "out_ptr0": "float32[8]",
        "out_ptr1": "float32[8, 128]",
    }
    found = kernel(AGAIN, tensors, category="persistent_reduction")
    told = stated(found)
    assert [(told[name].rows, told[name].serves) for name in ("tmp1", "tmp2")] == [(False, 128), (True, 1)]
    assert not agreement(found).reds


DIAGONAL = (
    FLAT.format(count=128)
    + """
    tmp0 = x0
    tmp1 = tl.where(tmp0 < 0, tmp0 + 128, tmp0)
    tmp2 = tl.load(in_ptr0 + (x0 + 128*tmp1), xmask)
    tl.store(out_ptr0 + (x0), tmp2, xmask)
"""
)


def test_a_row_that_moves_with_its_own_column_is_no_row() -> None:
    found = kernel(DIAGONAL, {"in_ptr0": "float32[128, 128]", "out_ptr0": "float32[128]"})
    assert stated(found)["tmp2"].row is None and not agreement(found).reds


PLACE = (
    ROWS
    + """
    tmp1 = tl.broadcast_to(tmp0, [XBLOCK, R0_BLOCK])
    tmp2 = tl.broadcast_to(r0_index, tmp1.shape)
    tmp3_val, tmp3_idx = triton_helpers.max_with_first_index(tmp1, tmp2, 1)
    tmp3 = tmp3_idx[:, None]
    tl.store(out_ptr0 + (x0), tmp3, xmask)
"""
)


def test_a_place_that_torch_2_15_folds_is_one_a_row() -> None:
    found = kernel(PLACE, {"in_ptr0": "float32[128, 128]", "out_ptr0": "int64[128]"})
    assert not agreement(found).reds


# Counted


def every() -> list[Kernel]:
    """Each body once: the captures, every generation of Inductor's text, the smallest kernel of each name."""
    captures = [store.load(folder) for folder in CAPTURES]
    captures += [read([path], path.stem) for path in sorted(GENERATIONS.glob("*.txt"))]
    found = [one for capture in captures for one in capture.kernels] + [real(saved) for saved in KERNELS]
    return list({one.body_sha256: one for one in found}.values())


@pytest.mark.slow
def test_stated_and_counted_agree() -> None:
    held: Counter[str] = Counter()
    reds, uncounted = [], Counter[str]()
    for one in every():
        try:
            found = agreement(one)
        except UncountedError as error:
            uncounted[str(error)] += 1
            continue
        reds += [(one.id, one.name, red) for red in found.reds]
        held.update(fact for _, fact in found.held.elements())
    assert not reds
    assert set(uncounted) == {
        "a template or a user's own kernel, not in Inductor's frame", "no launch tells its sizes",
    }  # fmt: skip
    assert min(held[fact] for fact in ("width", "steps", "still", "runs", "values", "serves", "several", "rows")) > 500
    assert min(held[fact] for fact in ("fill", "again", "over")) > 20
    assert held["moved"] > 100


FAULTS: dict[str, tuple[str, dict[str, Any]]] = {
    "another width": ("tmp4", {"width": 2}),
    "another stride": ("tmp3", {"steps": {"x": 1}}),
    "a run that goes on": ("tmp3", {"runs": {"x": ((63 * 64, 2),)}}),
    "another fill": ("tmp3", {"fill": 0.0}),
    "no fill": ("tmp3", {"fill": None}),
    "no mask": ("tmp3", {"masked": False}),
    "each element once": ("tmp4", {"several": False}),
    "another number of rows": ("tmp4", {"serves": 32}),
    "another number of values": ("tmp4", {"values": 4096}),
    "another beginning": ("tmp3", {"box": Box(0, ((2, 63), (128, 64)))}),
    "one value for the launch": ("tmp4", {"still": frozenset({"x"})}),
    "a value for each row": ("tmp4", {"rows": True}),
    "data that decides": ("tmp4", {"gathered": frozenset({"in_ptr0"})}),
    "a tensor that is not read": ("out_ptr0", {"over": ("in_ptr0",)}),
    "a line that is not there": ("tmp4", {"line": 1}),
}


def planted(fact: Facts, **wrong: Any) -> Any:
    """The same facts but for some."""
    every = {name for name in (*vars(fact), *vars(Facts)) if not name.startswith("_")}
    return SimpleNamespace(**{name: getattr(fact, name) for name in every} | wrong)


@pytest.mark.parametrize("fault", FAULTS)
def test_what_is_stated_wrongly_is_red(fault: str) -> None:
    name, wrong = FAULTS[fault]
    found = small(padded())
    told = stated(found)
    one = planted(told[name], **wrong)
    reds = compare([*(other for key, other in told.items() if key != name), one], run(found), found, {}).reds
    told_as = {"line": "access", "box": "start"}
    assert {red.fact for red in reds} == {told_as.get(name, name) for name in wrong}


def test_a_line_that_loads_again_is_red_where_it_loads_others() -> None:
    found = small(kernel(HALVES, {"in_ptr0": "float32[64, 128]", "out_ptr0": "float32[64, 128]"}))
    told = stated(found)
    wrong = planted(told["tmp1"], again=dict.fromkeys(told["tmp1"].again, "same"))
    (red,) = compare([*(one for key, one in told.items() if key != "tmp1"), wrong], run(found), found, {}).reds
    assert (red.fact, red.stated, red.counted) == ("again", "same", "apart")


# Sentences


@pytest.mark.slow
def test_what_is_said_in_numbers_was_counted() -> None:
    captures = [store.load(folder) for folder in CAPTURES]
    captures += [read([path], path.stem) for path in sorted(GENERATIONS.glob("*.txt"))]
    seen: set[str] = set()
    said, red = 0, []
    for found in captures:
        for one in found.kernels:
            if one.body_sha256 in seen or not one.launches or one.category in {"template", "user_autotune"}:
                continue
            seen.add(one.body_sha256)
            held = list(claimed(one, found))
            said += len(held)
            red += [(one.id, claim) for claim in held if claim.counted]
    assert not red
    assert said > 1000


@pytest.mark.parametrize(
    ("name", "right", "wrong"),
    [
        ("tmp4", "each of 64 values serves 64 elements", "each of 64 values serves 32 elements"),
        ("tmp4", "each of 64 values serves several elements", "element by element"),
        ("tmp3", "2 elements apart, from element 1; only where x0 >= 1, -inf elsewhere", "only where x0 >= 1, 0 elsewhere"),
        ("tmp3", "element by element; only where x0 >= 1, -inf elsewhere", "each value serves several; only where x0 >= 1, -inf elsewhere"),
        ("tmp3", "2 elements apart, from element 1; only where x0 >= 1, -inf elsewhere", "from element 1"),
        ("out_ptr0", "element by element", "2 of every 4 elements"),
        ("out_ptr0", "consecutive along x", "in runs of 64 along x"),
        ("tmp4", "in runs of 64 along x", "64 apart along x"),
        ("tmp4", "keep it in cache: it is read again", "2 apart along x for 32 at a time"),
        ("out_ptr0", "element by element", "keep it in cache: it is read again"),
    ],
)  # fmt: skip
def test_a_sentence_that_is_not_so_is_found(name: str, right: str, wrong: str) -> None:
    found = small(padded())
    line = stated(found)[name].line
    (one,) = (Seen(touched, found) for touched in run(found) if touched.line == line)
    assert [counted for _, counted in claims(right, one, [])] == [""] * len(list(claims(right, one, [])))
    assert any(counted for _, counted in claims(wrong, one, []))
