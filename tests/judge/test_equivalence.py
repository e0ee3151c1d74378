"""Each rule of equivalence proves a mutant that computes the same, and does not prove one near it that computes another thing."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace

import pytest
from faults.equivalence import why_equivalent
from faults.every_program import beside_each_other
from faults.filled import is_added, is_filled
from faults.inequalities import Linear, contradict, variable
from faults.kernels import ejected
from faults.linear import is_linear
from faults.loose import is_cast_by_the_store, is_own_arithmetic, is_promoted
from faults.mutation import Mutant, mutants
from faults.one_place import is_one_place
from faults.proving import RULES, proofs

pytest.importorskip("torch")
pytest.importorskip("triton")

Row = tuple[str, str, str]
"""A kernel, what is changed, and what stands there instead."""


GUARDED = {
    "row_sum": ("tl.sum(arg0, 1)", "tl.sum(tl.where(inside_r & inside, arg0, 0.0), 1)"),
    "column_sum": ("accumulator + arg0", "tl.where(inside_r & inside, accumulator + arg0, accumulator)"),
}
"""Sums of what is 0 by itself behind the end -> as a person may write them."""


def changed(kernel: str, before: str, after: str) -> list[Mutant]:
    text = ejected(kernel)
    if kernel in GUARDED:
        text = text.replace(*GUARDED[kernel])
    found = [one for one in mutants(kernel, text) if (one.before, one.after) == (before, after)]
    assert found, (kernel, before, after)
    return found


def proven(rows: Sequence[Row], rule: int) -> list[str]:
    """Whether one of the rules that run or compile proves each row: the first mutant of its name."""
    asked = [changed(*row)[0] for row in rows]
    found = proofs(asked, jobs=2, rules=RULES[rule : rule + 1])
    return [found.get(mutant.name, "") for mutant in asked]


@pytest.mark.slow
def test_same_code() -> None:
    same = {
        ("widened_product", "arg0.to(tl.int64)", "(arg0)"): "same code",  # Triton widens it as the other is
        ("concatenated", "ARG1_COLUMNS", "(ARG1_COLUMNS + 1)"): "",
        ("relu", "inside", "None"): "",
    }
    assert dict(zip(same, proven(list(same), 0), strict=True)) == same


@pytest.mark.slow
def test_same_in_every_program() -> None:
    same = {
        (
            "average_pool",
            "ARG0_COLUMNS",
            "(ARG0_COLUMNS - 1)",
        ): "same in every program",  # the last window ends before it
        ("max_pool", "column * 2 - 1", "(column * 2)"): "",  # the first window begins in the padding
        ("layer_norm", "tl.program_id(0) * BLOCK", "(tl.program_id(0))"): "",  # the same for blocks of one row alone
        ("relu", "inside", "None"): "",
        ("concatenated", "ARG1_COLUMNS", "(ARG1_COLUMNS + 1)"): "",
    }
    assert dict(zip(same, proven(list(same), 1), strict=True)) == same


@pytest.mark.slow
def test_in_bounds() -> None:
    same = {
        ("gelu", "inside", "None"): "",  # of arg0, whose last lanes are behind its end; the bias' are a column
        ("gather", "inside", "None"): "",  # data decides the row
    }
    assert dict(zip(same, proven(list(same), 2), strict=True)) == same
    (bias,) = [one for one in changed("gelu", "inside", "None") if "bias_ptr" in one.text.splitlines()[one.line - 1]]
    assert proofs([bias], jobs=1, rules=RULES[2:]) == {bias.name: "in bounds"}


def test_what_data_decides_is_no_part_of_every_program() -> None:
    (mutant,) = changed("causal", "row >= column", "((row) > (column))")
    assert "same_(row >= column, ((row) > (column)))" in beside_each_other(mutant)
    for kernel, before, after in (
        ("gather", "index < 0", "((index) <= (0))"),
        ("leaky", "arg0 > 0.0", "((arg0) >= (0.0))"),
    ):
        assert not any(beside_each_other(one) for one in changed(kernel, before, after))


@pytest.mark.parametrize(
    ("kernel", "before", "after", "places"),
    [
        ("row_sum", "tl.where(inside_r & inside, arg0, 0.0)", "(arg0)", 1),
        ("row_sum", "inside_r & inside", "(inside)", 1),  # of the where: that of the load and the store are not
        (
            "count_positive",
            "tl.where(inside_r & inside, (arg0 > 0.0).to(tl.int64), 0)",
            "((arg0 > 0.0).to(tl.int64))",
            1,
        ),
        (
            "softmax",
            "inside_r & inside",
            "(inside)",
            0,
        ),  # a maximum is filled with -inf, a load with 0, of which exp is not 0
        ("softmax", 'tl.where(inside_r & inside, arg0, float("-inf"))', "(arg0)", 0),
        ("layer_norm", "tl.where(inside_r & inside, difference * difference, 0.0)", "(difference * difference)", 0),
        ("row_sum", "tl.where(inside_r & inside, arg0, 0.0)", "(0.0)", 0),
    ],
)
def test_filled(kernel: str, before: str, after: str, places: int) -> None:
    assert sum(map(is_filled, changed(kernel, before, after))) == places


def test_a_bool_alone_has_another_dtype() -> None:
    text = ejected("count_positive").replace("(arg0 > 0.0).to(tl.int64), 0)", "arg0 > 0.0, 0)")
    (mutant,) = [
        one for one in mutants("count_positive", text) if one.after == "(arg0 > 0.0)" and one.kind == "branch taken"
    ]
    assert not is_filled(mutant)


@pytest.mark.parametrize(
    ("kernel", "before", "after", "holds"),
    [
        (
            "remainder",
            "(rest != 0) & ((rest < 0) != tl.full([1], False, tl.int1))",
            "((rest < 0) != tl.full([1], False, tl.int1))",
            True,
        ),
        ("remainder", "rest < 0", "((rest) <= (0))", True),  # it is not 0 beside it
        ("remainder", "rest < 0", "((rest) > (0))", False),
        ("remainder", "rest + 7", "((rest) - (7))", False),
        ("remainder", "rest != 0", "((rest) == (0))", False),
        ("floor_division", "0", "1", True),  # of `chosen < 0`, where it is never 0
        ("floor_division", "chosen < 0", "((chosen) > (0))", False),
        ("gather", "index < 0", "((index) <= (0))", False),
        ("leaky", "arg0 > 0.0", "((arg0) >= (0.0))", False),
    ],
)
def test_linear(kernel: str, before: str, after: str, holds: bool) -> None:
    assert any(map(is_linear, changed(kernel, before, after))) == holds


def test_a_sum_that_may_overflow_proves_nothing() -> None:
    text = (
        ejected("remainder")
        .replace("tl.where(both, rest + 7, rest)", "rest")
        .replace("rest = arg0 % 7", "rest = arg0 + 7 < arg0")
    )
    found = [
        one
        for one in mutants("remainder", text)
        if (one.before, one.after) == ("arg0 + 7 < arg0", "((arg0 + 7) <= (arg0))")
    ]
    assert found and not any(map(is_linear, found))


def test_inequalities_over_whole_numbers() -> None:
    x, y = variable("x"), variable("y")
    assert contradict([x.plus(y, -1).plus(Linear(1)), y.plus(x, -1)])  # x < y and y <= x
    assert not contradict([x.plus(y, -1), y.plus(x, -1)])
    assert contradict([Linear(1).plus(x.times(2), -1), x.plus(y), y.times(-1)])  # 2 x >= 1, x <= -y, y >= 0


@pytest.mark.parametrize(
    ("kernel", "holds"),
    [
        ("leaky_bf16", True),
        ("leaky_fp16", True),
        ("scaled_bf16", True),
        ("overflowing_fp16", False),
        ("row_sum_bf16", False),
    ],
)
def test_own_arithmetic(kernel: str, holds: bool) -> None:
    found = [
        one
        for one in mutants(kernel, ejected(kernel))
        if one.kind == "cast dropped" and one.before.startswith("tl.load(arg0_ptr")
    ]
    assert found and any(map(is_own_arithmetic, found)) == holds


def test_a_comparison_in_a_narrow_dtype_is_no_last_bit() -> None:
    text = ejected("leaky_bf16").replace("arg0 > 0.0", "arg0 > 3.01")
    found = [one for one in mutants("leaky_bf16", text) if one.kind == "cast dropped"]
    assert found and not any(map(is_own_arithmetic, found))


def test_cast_by_the_store() -> None:
    casts = {
        one.before: is_cast_by_the_store(one)
        for name in ("truncated", "stable_sort", "narrowed")
        for one in mutants(name, ejected(name))
        if one.kind == "cast dropped"
    }
    assert casts["(arg0 * 16.0).to(tl.int32)"] and casts["order.to(tl.int64)"] and not casts["r.to(tl.int16)"]
    text = ejected("truncated").replace("(arg0 * 16.0).to(tl.int32),", "(arg0 * 16.0).to(tl.int16),")
    assert not any(is_cast_by_the_store(one) for one in mutants("truncated", text))  # it wraps at 16 bits


def test_lanes_behind_the_end_of_a_row_are_behind_all_in_a_scan() -> None:
    text = ejected("cumsum")
    backwards = text.replace("1, _triton_helper_fn_add0)", "1, _triton_helper_fn_add0, reverse=True)")
    unmasked = text.replace("running, inside_r & inside)", "running, inside)")
    for made, why in ((text, "lanes outside"), (backwards, ""), (unmasked, "")):
        (other,) = [one for one in mutants("cumsum", made) if one.after == "1.0" and one.before == "0.0"]
        assert why_equivalent(other) == why


def test_a_part_of_a_mask_that_has_no_name_is_not_told() -> None:
    mask = "(column >= COLUMNS // 2) & inside"
    text = ejected("rotary").replace("+ partner), inside,", f"+ partner), {mask},")
    found = [
        one
        for one in mutants("rotary", text)
        if (one.before, one.after) == ("0.0", "1.0") and mask in one.text.splitlines()[one.line - 1]
    ]
    assert found and not any(map(why_equivalent, found))


def any_of(rule: Callable[[Mutant], object], *row: str) -> bool:
    return any(rule(mutant) for mutant in changed(*row))


def test_added() -> None:
    sum_ = "tl.where(inside_r & inside, accumulator + arg0, accumulator)"
    assert any_of(is_added, "column_sum", sum_, "(accumulator + arg0)")
    (mutant,) = changed("column_sum", sum_, "(accumulator + arg0)")
    other = mutant.text.replace("other=0.0", "other=1.0", 1)
    assert other != mutant.text and not is_added(replace(mutant, text=other))


def test_one_place() -> None:
    assert any_of(is_one_place, "total_2", "inside", "None")
    assert any_of(is_one_place, "total_2", "ROWS", "(ROWS + 1)")
    assert not any_of(is_one_place, "total_2", "ROWS", "(ROWS - 1)")  # the only row is left out
    assert not any_of(is_one_place, "row_sum", "ROWS", "(ROWS + 1)")
    assert not any_of(is_one_place, "embedding_backward", "inside", "None")


def test_promoted() -> None:
    bias = 'tl.load(bias_ptr + r, inside_r, other=0.0, eviction_policy="evict_last")'
    assert any_of(
        is_promoted,
        "overflowing_fp16",
        "tl.load(arg1_ptr + offset, inside).to(tl.float32)",
        "(tl.load(arg1_ptr + offset, inside))",
    )
    assert any_of(is_promoted, "layer_norm_fp16", f"{bias}.to(tl.float32)", f"({bias})")
    first = "tl.load(arg0_ptr + offset, inside)"  # times a number: in float16, which it overflows or not
    assert not any_of(is_promoted, "overflowing_fp16", f"{first}.to(tl.float32)", f"({first})")


def test_both_arms() -> None:
    assert any_of(why_equivalent, "softmax", "a > b", "((a) >= (b))")
    assert not any_of(why_equivalent, "softmax", "a > b", "((a) < (b))")
    assert not any_of(why_equivalent, "max_with_index", "a > b", "((a) >= (b))")  # the index of the first is chosen too
    assert not any_of(why_equivalent, "threshold", "arg0 > 3.0", "((arg0) >= (3.0))")
