"""What changes nothing is not printed: tests that hold for every element, casts, and what a loop works out again in every turn."""

from __future__ import annotations

import textwrap

import pytest
from kernels_as_text import LOOPED_SUM, LOOPED_SUM_TENSORS
from test_readable import MASKED, pointwise, readable

GRID = {"in_ptr0": "float32[100, 30]", "in_ptr1": "int64[100]", "out_ptr0": "float32[100, 30]"}


def condition(test: str) -> str:
    """What becomes of a test of x0, a column of 30, and x1, a row of 100; empty where it is left out."""
    body = f"""
        x0 = xindex % 30
        x1 = xindex // 30
        tmp0 = tl.load(in_ptr0 + (x0), xmask)
        tmp1 = tl.load(in_ptr1 + (x1), xmask)
        tmp2 = {test}
        tmp3 = tl.where(tmp2, tmp0, 5.0)
        tl.store(out_ptr0 + (xindex), tmp3, xmask)
    """
    found = readable(MASKED.replace("    x0 = xindex\n", "") + textwrap.indent(textwrap.dedent(body), "    "), GRID)
    stored = found.lines[-1]
    return stored.partition("tl.where(")[2].partition(", a, 5.0)")[0]


@pytest.mark.parametrize(
    ("test", "printed"),
    [
        ("x0.to(tl.int64) < tl.full([1], 7, tl.int64)", "column < 7"),
        ("tmp1 == x0.to(tl.int64)", "b == column"),
        ("x1.to(tl.int64) > x0.to(tl.int64)", "row > column"),
        ("(x0 + ((-1)*x1)).to(tl.int64) <= tl.full([1], 0, tl.int64)", "column <= row"),
        ("(x0 + ((-1)*x1)).to(tl.int64) <= tl.full([1], 3, tl.int64)", "column - row <= 3"),
        ("((x0 + ((-1)*x1)).to(tl.int64) <= tl.full([1], 0, tl.int64)) == 0", "column > row"),
        ("(tmp0 != tmp0) == 0", "a == a"),
        ("(x0 < 7) & tl.full([1], True, tl.int1)", "column < 7"),
        ("(2*x0 >= 0) & (2*x0 < 31)", "column * 2 < 31"),
        ("x0.to(tl.int64) < tl.full([1], 3000000000, tl.int64)", ""),
    ],
)
def test_a_test_is_as_short_as_it_can_be(test: str, printed: str) -> None:
    assert condition(test) == printed


@pytest.mark.parametrize(
    ("choice", "printed"),
    [
        ("tl.where(tmp0, tmp1, tl.where(x0 >= 20, 0.0, 0.0))", "a"),
        ("tl.where(tmp0, tmp1, 0.0)", "a"),
        ("tl.where(tmp0, tmp1, 1.0)", "tl.where(below, a, 1.0)"),
        ("tl.where(tmp0, tmp1, -0.0)", "tl.where(below, a, -0.0)"),
        ("tl.where(x0 < 19, tmp1, 0.0)", "tl.where(offset < 19, a, 0.0)"),
    ],
)
def test_no_choice_between_the_same_nor_one_that_the_mask_of_a_load_made(choice: str, printed: str) -> None:
    lines = f"""
        tmp0 = x0 < 20
        tmp1 = tl.load(in_ptr0 + (x0), tmp0 & xmask, other=0.0)
        tmp2 = {choice}
        tl.store(out_ptr0 + (x0), tmp2, xmask)
    """
    assert pointwise(lines).split("\n")[-1] == f"tl.store(out_ptr + offset, {printed}, inside)"


@pytest.mark.parametrize(
    ("test", "printed"),
    [
        ("triton_helpers.maximum(tmp1, tl.full([1], 0, tl.int64)) != tl.full([1], -100, tl.int64)", ""),
        ("triton_helpers.maximum(tmp0, 0.0) != -1.0", "maximum(a, 0.0) != -1.0"),
    ],
)
def test_a_whole_number_that_is_at_least_one_is_never_below_it(test: str, printed: str) -> None:
    """A float may be NaN, which is unequal to itself."""
    assert condition(test) == printed


def test_a_test_that_always_holds_is_neither_counted_nor_chosen_by() -> None:
    lines = """
        tmp0 = x0 != tl.full([1], -100, tl.int64)
        tmp1 = tl.where(tmp0, x0, tl.full([1], 0, tl.int64)) + tmp0.to(tl.int64)
        tmp2 = tl.load(in_ptr0 + (x0), xmask)
        tl.store(out_ptr0 + (x0), tmp2 * tmp1.to(tl.float32), xmask)
    """
    printed = pointwise(lines)
    assert "True" not in printed and "where" not in printed
    assert "a * (offset.to(tl.int64) + 1).to(tl.float32)" in printed


@pytest.mark.parametrize(
    ("choice", "printed"),
    [
        ("tl.where(x0 < 20, tmp1, tl.where(x0 >= 20, tmp1 * tmp1, 0.0))", "tl.where(offset < 20, a, a * a)"),
        (
            "tl.where(x0 < 20, tmp1, tl.where(x0 >= 21, tmp1 * tmp1, 0.0))",
            "tl.where(offset < 20, a, tl.where(offset >= 21, ",
        ),
        (
            "tl.where(tmp1 < 2.0, tmp1, tl.where(tmp1 >= 2.0, 2.0, 0.0))",
            "tl.where(a < 2.0, a, tl.where(a >= 2.0, 2.0, 0.0))",
        ),
    ],
)
def test_what_a_test_leaves_is_asked_no_more(choice: str, printed: str) -> None:
    """A NaN is neither below 2 nor at least 2."""
    lines = f"""
        tmp1 = tl.load(in_ptr0 + (x0), xmask)
        tl.store(out_ptr0 + (x0), {choice}, xmask)
    """
    assert printed in pointwise(lines)


@pytest.mark.parametrize(
    ("value", "vanishes"),
    [
        ("tmp0", True),
        ("tmp0 * tmp3", True),
        ("tmp0 * 2.0", True),
        ("(tmp0 * tmp3 + tmp0) * (tmp3 * tmp0 + tmp3) * (tmp3 + tmp0)", True),
        ("tmp0 * (tmp3 > 1.0).to(tl.float32)", True),
        ("tl.where(tmp0 > 1.0, tmp0, tmp3)", True),
        ("tmp0 * (-2.0)", False),
        ("tmp0 + 1.0", False),
        ("tmp0 * tl_math.exp(tmp3)", False),
        ("tl.where(tmp0 > 1.0, 1.0, tmp3)", False),
    ],
)
def test_what_is_0_by_itself_behind_the_end_is_added_unasked(value: str, vanishes: bool) -> None:
    """What is infinite times 0 is NaN, and 0 times what is below 0 is -0.0."""
    body = LOOPED_SUM.replace("tl.broadcast_to(tmp4,", f"tl.broadcast_to({value},")
    assert body != LOOPED_SUM
    (line,) = [line for line in readable(body, LOOPED_SUM_TENSORS).lines if line.startswith("    accumulator = ")]
    assert line.startswith(
        "    accumulator = accumulator + " if vanishes else "    accumulator = tl.where(inside_r & inside, "
    )


def test_a_barrier_stands_before_what_is_written_in_place_alone() -> None:
    lines = """
        tmp0 = tl.load({} + (x0), xmask)
        tl.debug_barrier()
        tl.store(in_out_ptr0 + (x0), tmp0 * 2.0, xmask)
    """
    tensors = {"in_out_ptr0": "float32[3000]", "in_ptr0": "float32[3000]"}
    assert "tl.debug_barrier()" not in pointwise(lines.format("in_ptr0"), tensors)
    assert "tl.debug_barrier()" in pointwise(lines.format("in_out_ptr0"), tensors)


def test_what_only_floats_decide_stays() -> None:
    """A NaN is not less than 1, and not at least 1 either; what is read may be anything."""
    assert condition("(tmp0 < 1.0) == 0") == "(a < 1.0) == 0"
    assert condition("tmp1 >= 0") == "b >= 0"


def test_a_load_whose_test_always_holds_is_masked_by_the_end_alone() -> None:
    found = pointwise(
        """
        tmp1 = tl.load(in_ptr0 + (x0), (x0 >= 0) & xmask, other=0.0)
        tl.store(out_ptr0 + (x0), tmp1, xmask)
        """
    )
    assert found.startswith("a = tl.load(a_ptr + offset, inside, other=0.0)")


def test_what_a_loop_does_not_change_stands_before_it() -> None:
    body = LOOPED_SUM.replace("    for r0_", "    tmp8 = tl.load(in_ptr1 + (x0), xmask)\n    for r0_", 1)
    body = body.replace("tmp1 = tl.full([1, 1], 0.0, tl.float32)", "tmp1 = tl_math.exp(tmp8)")
    found = readable(body, LOOPED_SUM_TENSORS | {"in_ptr1": "float32[256]"}).lines
    loop = next(n for n, line in enumerate(found) if line.startswith("for "))
    assert "exp = tl_math.exp(b)" in found[:loop]
    assert "    chosen = tl.where(base <= exp, exp, a)" in found[loop:]


ROTARY = """
    x1 = (xindex % 10)
    x2 = xindex // 10
    tmp0 = tl.load(in_ptr0 + (xindex), xmask)
    tmp1 = x1.to(tl.int64)
    tmp2 = tl.full([1], 5, tl.int64)
    tmp3 = tmp1 < tmp2
    tmp4 = tl.load(in_ptr0 + (5 + x1 + 10*x2), tmp3 & xmask, other=0.0)
    tmp5 = -tmp4
    tmp6 = tl.full(tmp5.shape, 0.0, tmp5.dtype)
    tmp7 = tl.where(tmp3, tmp5, tmp6)
    tmp8 = tmp1 >= tmp2
    tmp9 = tl.load(in_ptr0 + ((-5) + x1 + 10*x2), tmp8 & xmask, other=0.0)
    tmp10 = tl.where(tmp3, tmp7, tmp9)
    tl.store(out_ptr0 + (xindex), tmp0 * tmp10, xmask)
"""


def rotated(text: str) -> list[str]:
    sizes = dict.fromkeys(("in_ptr0", "out_ptr0"), "float32[300, 10]") | {"in_ptr1": "float32[300, 10]"}
    lines = list(readable(MASKED.replace("    x0 = xindex\n", "") + text, sizes).lines)
    return lines[next(n for n, line in enumerate(lines) if line.startswith(("below", "partner"))) :]


def test_halves_that_are_exchanged_are_read_once() -> None:
    assert rotated(ROTARY) == [
        "below = column < COLUMNS // 2",
        "partner = column + tl.where(below, COLUMNS // 2, -(COLUMNS // 2))",
        "a_partner = tl.load(a_ptr + (partner + row * COLUMNS), inside, other=0.0)",
        "tl.store(out_ptr + offset, a * tl.where(below, -a_partner, a_partner), inside)",
    ]


def test_halves_that_are_exchanged_alone_are_what_was_read() -> None:
    assert (
        rotated(ROTARY.replace("tmp5 = -tmp4", "tmp5 = tmp4"))[-1]
        == "tl.store(out_ptr + offset, a * a_partner, inside)"
    )


@pytest.mark.parametrize(
    ("said", "otherwise"),
    [
        ("in_ptr0 + ((-5)", "in_ptr1 + ((-5)"),  # of another tensor
        ("5 + x1 + 10*x2), tmp3", "3 + x1 + 10*x2), tmp3"),  # not as far away
        ("tmp8 & xmask", "tmp8 & (x2 < 7) & xmask"),  # under another test
        ("tl.full([1], 5, tl.int64)", "tl.full([1], 4, tl.int64)"),  # no halves
        ("tmp8 = tmp1 >= tmp2", "tmp8 = tmp1 >= 4"),
    ],
)
def test_what_are_no_two_halves_stays_two_loads(said: str, otherwise: str) -> None:
    assert said in ROTARY
    assert "partner" not in "\n".join(rotated(ROTARY.replace(said, otherwise)))
