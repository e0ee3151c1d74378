"""What a kernel may be off: right ways to compute the same pass on every kind of input, in every dtype; faults do not."""

from __future__ import annotations

import functools
import itertools
import math
import re
from collections.abc import Callable
from functools import partial

import pytest
import torch
from asked import some
from torch import Tensor
from variants import (
    FORMS,
    INPUTS,
    LOG2E,
    compared,
    computed,
    drawn,
    naive_norm,
    naive_softmax,
    naive_variance,
    nudges,
    variants,
)

from inductor_lab.judge.compare import bias
from inductor_lab.judge.compare.limits import Finding, against_generated

DTYPES = (torch.float64, torch.float32, torch.bfloat16, torch.float16)
NARROW = (torch.bfloat16, torch.float16)
SEEDS = range(2)


def judged(out: Tensor, name: str, x: Tensor, generated: Tensor | None = None) -> Finding:
    form = FORMS[name]
    return compared(out, form.eager(x), form.eager(x.double()), generated, lambda: nudges(form.eager, x))


FIRST = {name: (name, variant) for name, variant in reversed(list(variants()))}
"""Of each form one of its right variants."""


@pytest.mark.parametrize(("name", "variant"), some(list(variants()), FIRST.values()))
def test_a_right_variant_passes(name: str, variant: str) -> None:
    for dtype, family, seed in itertools.product(DTYPES, INPUTS, SEEDS):
        x = drawn(seed, (32, 512 if seed % 2 else 256), family, dtype)
        out = computed(FORMS[name].right[variant], x)
        generated = computed(FORMS[name].eager, x) if seed % 2 else None
        assert not judged(out, name, x, generated).message, (dtype, family, seed)


def pointwise(out: Tensor, x: Tensor, eager: Tensor, exact: Tensor) -> Finding:
    return compared(out, eager, exact, eager, lambda: [exact * (1 + 2.0**-23), exact * (1 - 2.0**-23)])


def scaled(x: Tensor, by: float) -> Tensor:
    return computed(lambda y: y * by, x)


@pytest.mark.parametrize(("dtype", "scale"), [(torch.bfloat16, 0.502), (torch.float16, 0.50025)])
def test_a_constant_that_is_a_little_off_is_found(dtype: torch.dtype, scale: float) -> None:
    """0.502 for 0.5 is half of a bfloat16's last bit, 0.50025 of a float16's: no element is further off than rounding, but all lean to one side."""
    x = drawn(0, (256, 512), "normal", dtype)
    right, exact = x * 0.5, x.double() * 0.5
    assert not pointwise(scaled(x, 0.5), x, right, exact).message
    assert "is biased: " in pointwise(scaled(x, scale), x, right, exact).message


@pytest.mark.parametrize("dtype", NARROW)
def test_arithmetic_in_the_narrow_dtype_throughout_passes(dtype: torch.dtype) -> None:
    for seed in range(20):
        x = drawn(seed, (128, 512), "normal", dtype)
        steps = ((x * 0.01 + x.sigmoid()) * 1.7, (x.sigmoid() + x * 0.01) * 1.7)
        exact = (x.double() * 0.01 + x.double().sigmoid()) * 1.7
        assert not compared(
            steps[1], steps[0], exact, computed(lambda y: (y * 0.01 + y.sigmoid()) * 1.7, x), list
        ).message


@pytest.mark.parametrize("family", ["normal", "mixed", "constant"])
def test_gelu_in_bfloat16_throughout_passes_in_another_order(family: str) -> None:
    def steps(x: Tensor) -> Tensor:
        return 0.5 * x * (1 + torch.tanh(0.79788456 * (x + 0.044715 * x * x * x)))

    for seed in range(4):
        x = drawn(seed, (64, 512), family, torch.bfloat16)
        out = x * 0.5 * (1 + torch.tanh(0.79788456 * x * (1 + 0.044715 * x * x)))
        assert not compared(out, steps(x), steps(x.double()), computed(steps, x), partial(nudges, steps, x)).message


@pytest.mark.parametrize("dtype", [torch.float32, torch.float16])
def test_the_naive_variance_of_offset_values_is_rejected(dtype: torch.dtype) -> None:
    for seed in SEEDS:
        x = drawn(seed, (64, 512), "offset", dtype)
        assert judged(computed(naive_variance, x), "variance", x, computed(FORMS["variance"].eager, x)).message
        assert judged(computed(naive_norm, x), "layer_norm", x).message


@pytest.mark.parametrize("dtype", [torch.float32, torch.bfloat16, torch.float16])
def test_a_softmax_without_its_maximum_is_rejected(dtype: torch.dtype) -> None:
    x = drawn(0, (64, 512), "large", dtype)
    assert judged(computed(naive_softmax, x), "softmax", x).message


def test_a_summand_left_out_is_found() -> None:
    x = drawn(0, (64, 512), "normal", torch.float32)
    assert judged(x[:, :-1].sum(-1), "sum", x).message


def test_a_tiny_row_beside_a_huge_one_is_judged_by_itself() -> None:
    x = drawn(0, (64, 512), "normal", torch.float32)
    x[3], x[4] = x[3] * 1e-20, x[4] * 1e20
    out = x * 2
    out[3, 7] *= 1.01
    found = compared(out, x * 2, x.double() * 2, x * 2, lambda: [x.double() * 2 * (1 + 1e-7)])
    assert found.wrong is not None
    assert found.wrong.nonzero().tolist() == [[3, 7]]


def test_a_boundary_that_is_not_right_is_found_though_the_last_bit_crosses_it() -> None:
    x = drawn(0, (64, 512), "normal", torch.float32)
    x[:, ::5] = 3.0

    def cut(x: Tensor) -> Tensor:
        return torch.where(x > 3, 10.0, x)

    found = compared(torch.where(x >= 3, 10.0, x), cut(x), cut(x.double()), cut(x), lambda: nudges(cut, x))
    assert found.wrong is not None
    assert bool((found.wrong == (x == 3)).all())
    flags = compared(x >= 3, x > 3, x > 3, x > 3, lambda: nudges(lambda x: x > 3, x))
    assert flags.message.startswith("differs from eager at")


def test_a_comparison_with_a_sum_may_fall_on_the_other_side() -> None:
    """Rows that add up to nothing but rounding: eager, float64 and a sum in another order do not agree on the sign."""
    x = drawn(0, (64, 512), "normal", torch.float32)
    x[::2, 256:] = -x[::2, :256].flip(-1)[:, torch.randperm(256, generator=torch.Generator().manual_seed(0))]
    eager, exact = x.sum(-1) <= 0, x.double().sum(-1) <= 0
    out = FORMS["sum"].right["blocks of 32"](x) <= 0
    assert not torch.equal(out, eager)
    assert not compared(out, eager, exact, None, lambda: nudges(lambda x: x.sum(-1) <= 0, x)).message
    assert compared(~out, eager, exact, None, lambda: nudges(lambda x: x.sum(-1) <= 0, x)).message


def test_a_comparison_with_a_sum_may_mask_on_the_other_side() -> None:
    """Rows of equal numbers, masked from where nine tenths of the sum are reached: rounding decides at which of two elements."""
    x = drawn(0, (64, 512), "normal", torch.float32)
    x[0] = 1 / 512

    def masked(x: Tensor) -> Tensor:
        return torch.where((x.abs() / x.abs().sum(-1, keepdim=True)).cumsum(-1) > 0.9, -math.inf, x)

    def moved(x: Tensor, at: int) -> Tensor:
        """The mask of the first row begins elsewhere."""
        x = masked(x)
        x[0] = torch.where(torch.arange(512) >= at, -math.inf, 1 / 512)
        return x

    edge = int(masked(x)[0].isinf().nonzero()[0])
    near = [moved(x.double(), edge), moved(x.double(), edge + 1)]
    out = moved(x, edge + 1)
    assert not compared(out, masked(x), masked(x.double()), masked(x), lambda: near).message
    assert compared(out, masked(x), masked(x.double()), masked(x), list).message
    assert compared(moved(x, edge + 9), masked(x), masked(x.double()), masked(x), lambda: near).message


def test_what_overflows_in_eager_may_be_finite() -> None:
    x = torch.tensor([3e38, 1.0, -3e38, math.inf, math.nan]).repeat(8)
    eager, exact = (x * 4) / 8, (x.double() * 4) / 8
    assert not compared(x / 2, eager, exact, None, list).message
    assert not compared(eager, eager, exact, None, list).message
    for wrong in (math.nan, math.inf):
        assert compared(eager.where(x != 1, wrong), eager, exact, None, list).message
    assert compared(eager.where(~x.isnan(), 0.0), eager, exact, None, list).message


def test_a_subnormal_number_may_be_taken_for_zero() -> None:
    """The GPU's approximate square root and logarithm do."""
    x = drawn(0, (8, 64), "normal", torch.float32).abs()
    x[3, 5], x[4, 6] = -1e-40, 1e-40
    flushed = x.where(x.abs() > 1e-38, 0.0)
    for function in (torch.sqrt, torch.log):
        eager, exact, rough = function(x), function(x.double()), function(flushed.double())
        assert not compared(function(flushed), eager, exact, eager, list, flushed=lambda rough=rough: [rough]).message
        assert compared(function(flushed), eager, exact, eager, list).message
        other = function(flushed).index_fill(1, torch.tensor([7]), 0.5)
        assert compared(other, eager, exact, eager, list, flushed=lambda rough=rough: [rough]).message


def test_eight_bits_are_judged_too() -> None:
    x = drawn(0, (64, 512), "normal", torch.float32)
    narrow = x.to(torch.float8_e4m3fn)
    assert not compared(narrow, narrow, x.double(), None, list).message
    assert compared((x * 1.2).to(torch.float8_e4m3fn), narrow, x.double(), None, list).message


def test_a_minus_zero_is_a_zero() -> None:
    zero = torch.zeros(8, 8)
    assert not compared(-zero, zero, zero.double(), zero, list).message


def test_where_the_generated_kernel_differs_from_eager_it_is_what_counts() -> None:
    x = drawn(0, (64, 512), "normal", torch.float32)
    generated = x.where(x < 2, 7.0)
    found = compared(generated * (1 + 2.0**-23), x, x.double(), generated, list)
    assert (found.message, found.against) == ("", "generated")
    assert compared(generated.where(x > -2, 0.0), x, x.double(), generated, list).message


def test_where_the_reference_is_another_function_the_generated_kernel_measures() -> None:
    """Of terms that cancel another order has other last bits: by the sizes of sin, or of the sums, that would be wrong."""
    x = drawn(0, (64, 128), "normal", torch.float32)
    x[:, 1::2] -= 1e3 * x[:, ::2]
    x[:, ::2] *= 1e3
    weight = drawn(1, (64, 32), "normal", torch.float32).repeat_interleave(2, 0)
    generated, hand = x @ weight, (x[:, ::2] @ weight[::2]) + (x[:, 1::2] @ weight[1::2])

    def again() -> list[Tensor]:
        return [(x * (1 + 2.0**-23 * sign)) @ weight for sign in (1, torch.where(x > 0, -1, 1))]

    wrong = generated.sin()
    found = compared(hand, wrong, wrong.double(), generated, list, regenerated=again)
    assert (found.message, found.against) == ("", "generated")
    assert not against_generated(hand, generated, again).message
    for fault in (hand * 1.01, hand.where(hand > 0, 0.0), hand.index_fill(0, torch.tensor([5]), 0.0)):
        assert compared(fault, wrong, wrong.double(), generated, list, regenerated=again).message
        assert "the generated kernel says" in against_generated(fault, generated, again).message
    signs = generated > 0
    told = against_generated(~signs, signs, lambda: [draw > 0 for draw in again()]).message
    assert told.startswith("differs from the generated kernel at")
    assert compared(hand, wrong, wrong.double(), generated, list).message, "by rounding alone it would be wrong"


def test_integers_are_equal() -> None:
    x = torch.arange(1024).reshape(32, 32)
    assert not compared(x, x, x, x, list).message
    assert compared(x + (x == 77), x, x, x, lambda: [x] * 4).message == "differs from eager at 1 of 1024 elements"


def test_an_empty_tensor_passes() -> None:
    assert not compared(torch.empty(0, 3), torch.empty(0, 3), torch.empty(0, 3).double(), None, list).message


def test_a_long_sum_and_a_long_scan_pass() -> None:
    for family, dtype in itertools.product(("normal", "offset", "tiny"), (torch.float32, torch.bfloat16)):
        x = drawn(1, (1, 10**6), family, dtype)
        for variant in ("blocks of 4096", "pairwise", "float64"):
            assert not judged(computed(FORMS["sum"].right[variant], x), "sum", x).message, (variant, family)
        x = x[:, : 10**5]
        assert not judged(computed(FORMS["cumsum"].right["by halves"], x), "cumsum", x).message


def test_sums_of_equal_terms_are_all_rounded_the_same_way() -> None:
    """As a kernel adds them up that has few neurons at a time: their roundings do not cancel, as those of other terms do."""
    term = torch.randn(1, 4096, generator=torch.Generator().manual_seed(0))
    exact = term.double() * 450
    one_by_one = functools.reduce(torch.add, [term] * 450)
    signs = torch.randn(exact.shape, generator=torch.Generator().manual_seed(1)).sign()
    shaken = (exact * (1 + 2.0**-15 * signs)).float()

    def message(values: Tensor, alike: bool) -> str:
        errors = bias.Errors(
            hand=values.double(), eager=exact.float().double(), generated=None, exact=exact, dtype=torch.float32, arithmetic=2.0**-23,
            scale=exact.abs(), moved=None, judged=torch.ones_like(exact, dtype=torch.bool), calibrated=True, alike=alike,
        )  # fmt: skip
        found = bias.found(errors)
        return found.message if found else ""

    assert "rounding errors" in message(one_by_one, alike=False)
    assert not message(one_by_one, alike=True)
    assert "rounding errors" in message(shaken, alike=True)


def test_a_power_of_two_by_the_wrong_constant_is_found() -> None:
    x = drawn(0, (64, 512), "normal", torch.float32)
    exact = x.double().exp()
    assert not pointwise(torch.exp2(x * LOG2E), x, x.exp(), exact).message
    assert pointwise(torch.exp2(x * 1.4427), x, x.exp(), exact).message


def closer(function: Callable[[Tensor], Tensor], x: Tensor) -> list[Tensor]:
    """What `nudges` gives, for inputs off by a quarter of that."""
    return nudges(lambda y: function(x.double() + (y - x.double()) / 4), x)


def test_a_sum_that_cancels_may_be_taken_in_any_order_and_must_be_taken_whole() -> None:
    """Two huge numbers of a row leave what comes first: nothing but the order tells, and eager is near by chance."""
    x = drawn(3, (64, 256), "normal", torch.float32)
    x[::4, 100], x[::4, 200] = 3e8, -3e8
    exact, eager = x.double().sum(1), x.double().sum(1).float()
    halves = x[:, :128].sum(1) + x[:, 128:].sum(1)
    left_out = halves - x[:, 7]

    def total(y: Tensor) -> Tensor:
        return y.sum(1)

    draws = partial(nudges, total, x)
    assert compared(halves, eager, exact, None, draws).message
    assert not compared(halves, eager, exact, None, draws, closer=partial(closer, total, x)).message
    assert compared(left_out, eager, exact, None, draws, closer=partial(closer, total, x)).message


def test_a_sum_of_the_largest_numbers_may_overflow_on_the_way() -> None:
    x = drawn(3, (64, 256), "normal", torch.float32)
    x[::4, 100:102], x[::4, 200:202] = 3e38, -3e38

    def total(y: Tensor) -> Tensor:
        return y.sum(1)

    exact = total(x.double())
    out = total(x[:, :128]) + total(x[:, 128:])
    assert bool(out[::4].isnan().all()), "it is to overflow"
    draws = partial(nudges, total, x)
    assert not compared(out, exact.float(), exact, None, draws).message
    assert compared(out.index_fill(0, torch.tensor([1]), math.nan), exact.float(), exact, None, draws).message


@pytest.mark.parametrize("left", [0.0, math.inf, math.nan])
def test_terms_of_both_signs_that_overflow_leave_what_their_order_leaves(left: float) -> None:
    """A ReLU of 1e44 - 2e43 is 0, infinite or NaN in float32, by the order in which the terms are added: eager's NaN tells that they were."""
    exact = torch.ones(8, 8, dtype=torch.float64)
    exact[::4] = 8e43
    out, eager = exact.float(), exact.float()
    out[::4], eager[::4] = left, math.nan
    assert not compared(out, eager, exact, eager, list).message
    if left == 0:
        assert compared(out, exact.float(), exact, None, list).message
        assert compared(out, eager, exact.where(exact < 2, math.inf), None, list).message


def test_a_step_is_no_cancellation() -> None:
    """`>` for `>=` on the boundary: the last bit moves the result there by 1, and a quarter of it by as much or not at all."""
    x = drawn(5, (64, 256), "normal", torch.float32)
    x[:, ::16] = 0.5

    def step(y: Tensor) -> Tensor:
        return (y >= 0.5).to(y.dtype) * 3

    wrong, eager, exact = (x > 0.5).float() * 3, step(x), step(x.double())
    assert compared(wrong, eager, exact, None, partial(nudges, step, x), closer=partial(closer, step, x)).message


@pytest.mark.parametrize(("every", "passes"), [(128, True), (32, False)])
def test_a_nan_for_an_infinity_is_rare(every: int, passes: bool) -> None:
    eager = drawn(1, (64, 256), "normal", torch.float32)
    eager.view(-1)[::every] = torch.inf
    out = torch.where(eager.isinf(), torch.nan, eager)
    assert bool(compared(out, eager, eager.double(), None, list).message) is not passes
    finite = eager.double().nan_to_num(posinf=3.0)
    assert not compared(finite.float(), eager, finite, None, list).message


@pytest.mark.parametrize(
    ("wrong", "exact", "message"),
    [
        (0.4082, 0.7418, "is off by 45 % where it is worst; allowed 0.001 %; float64 says 0.7418, the kernel 0.4082"),
        (0.83920, 0.83915, "is off by 0.006 % where it is worst; allowed 0.00092 %; float64 says 0.83915, the kernel 0.8392"),
        (2.5, 1e-6, "is off by 2.5 where it is worst; allowed 7.6e-06; float64 says 1e-06, the kernel 2.5"),
        (math.nan, 0.25, "is NaN where float64 says 0.25"),
        (-math.inf, 0.25, "is -inf where float64 says 0.25"),
        (0.0, math.nan, "is 0 where float64 says NaN"),
        (0.0, 1e39, "is off by 1e+39 where it is worst; allowed 7.6e-06; float64 says 1e+39, too large for float32, the kernel 0"),
    ],
)  # fmt: skip
def test_what_is_wrong_is_told_by_the_numbers(wrong: float, exact: float, message: str) -> None:
    right = torch.ones(64, 64, dtype=torch.float64)
    right[3, 5] = exact
    out = right.float()
    out[3, 5] = wrong
    assert compared(out, right.float(), right, right.float(), list).message == message


def test_a_message_counts_what_is_wrong_and_what_is_no_number() -> None:
    right = torch.ones(64, 64, dtype=torch.float64)
    out = right.float()
    out[:2], out[3, 5] = 2.0, math.nan
    message = "is NaN where float64 says 1; 129 elements are wrong, 1 of them in this way"
    assert compared(out, right.float(), right, right.float(), list).message == message


def test_what_is_zero_and_not_the_kernel_s_is_told_without_a_limit() -> None:
    right = torch.zeros(8, 8)
    assert (
        compared(right + 1, right, right.double(), right, list).message
        == "is 1 where float64 says 0; 64 elements are wrong"
    )


def test_a_bias_is_told_in_percent() -> None:
    x = drawn(0, (256, 512), "normal", torch.bfloat16)
    message = pointwise(scaled(x, 0.502), x, x * 0.5, x.double() * 0.5).message
    assert re.fullmatch(
        r"is biased: all elements are too large in magnitude by 0\.\d+ % on average; allowed 0\.\d+ %", message
    )
