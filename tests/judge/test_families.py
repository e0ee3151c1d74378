"""Inputs beyond normal numbers: every family keeps what a fill asks, and holds what it is for."""

from __future__ import annotations

import math
from typing import Any

import pytest
from asked import some

torch = pytest.importorskip("torch")
pytest.importorskip("triton")

from inductor_lab.judge.alone import valid_values  # noqa: E402
from inductor_lab.judge.inputs.domains import Domain  # noqa: E402
from inductor_lab.judge.inputs.families import (  # noqa: E402
    FAMILIES,
    LAYOUTS,
    MIXES,
    are_alike,
    drawn,
    layout_of,
    values,
)
from inductor_lab.judge.inputs.placement import placed  # noqa: E402

ALL = [*FAMILIES, *MIXES]
SHAPES = [(), (7,), (40, 33), (1, 50), (6, 4, 9), (2, 3, 5, 4), (0, 4)]
WHOLE = [torch.int8, torch.uint8, torch.int16, torch.int32, torch.int64, torch.bool]
FLOATS = [torch.float32, torch.bfloat16, torch.float16, torch.float64, torch.float8_e4m3fn, torch.float8_e5m2]


def of(family: str, fill: Any = "normal", dtype: Any = torch.float32, shape: tuple[int, ...] = (64, 48), seed: int = 0, **odd: bool) -> Any:  # fmt: skip
    return values(shape, Domain(fill, dtype), family, torch.Generator().manual_seed(seed), **odd)


@pytest.mark.parametrize("family", ALL)
@pytest.mark.parametrize("dtype", some(FLOATS, [torch.float32, torch.bfloat16, torch.float8_e4m3fn]), ids=str)
def test_a_family_is_of_the_shape_and_dtype_asked_for(family: str, dtype: Any) -> None:
    for shape in SHAPES:
        made = of(family, dtype=dtype, shape=shape)
        assert (tuple(made.shape), made.dtype, made.is_contiguous()) == (shape, dtype, True)
    again, other = (torch.cat([of(family, shape=shape, seed=seed).flatten() for shape in SHAPES]) for seed in (0, 1))
    made = torch.cat([of(family, shape=shape).flatten() for shape in SHAPES])
    assert torch.equal(made.nan_to_num(9.0), again.nan_to_num(9.0))
    assert not torch.equal(made, other) or family in {"zero", "lowest", "highest"}


@pytest.mark.parametrize("family", ALL)
@pytest.mark.parametrize("dtype", some([torch.float32, torch.bfloat16, torch.float16], [torch.float32]), ids=str)
@pytest.mark.parametrize("fill", ["finite", "positive", "unit", "above_one", "count", "sorted"])
def test_a_word_holds_in_every_family(family: str, dtype: Any, fill: str) -> None:
    for seed in range(3):
        for shape in SHAPES:
            made = of(family, fill, dtype, shape, seed).double()
            if family != "edges" or fill in {"finite", "count", "sorted"}:
                assert torch.isfinite(made).all()
            made = made[~made.isnan()]
            if fill in {"positive", "count"}:
                assert (made > 0).all()
            elif fill == "above_one":
                assert (made >= 1).all()
            elif fill == "unit":
                assert (made.abs() <= 1).all()
            elif fill == "sorted" and shape:
                assert (of(family, fill, dtype, shape, seed).double().diff(dim=-1) >= 0).all()


@pytest.mark.parametrize("family", ALL)
@pytest.mark.parametrize("fill", [(0, 50), (-50, 50), (1, 10_000), (3, 4), (0, 50, -100), (0, 9, 3, 4, 5)], ids=str)
def test_a_whole_number_stays_in_its_range(family: str, fill: tuple[int, ...]) -> None:
    low, high, *others = fill
    for shape in SHAPES:
        made = of(family, fill, torch.int64, shape)
        inside = (made >= low) & (made < high)
        for other in others:
            inside |= made == other
        assert inside.all() and made.dtype == torch.int64 and tuple(made.shape) == shape


@pytest.mark.parametrize("family", ALL)
@pytest.mark.parametrize("along", [(0,), (1,), (0, 1), (1, 2)], ids=str)
def test_numbers_that_must_differ_do(family: str, along: tuple[int, ...]) -> None:
    shape = (5, 6, 7)
    made = of(family, (-3, 100, "distinct", *along), torch.int64, shape)
    rest = [d for d in range(3) if d not in along]
    groups = made.permute(*rest, *along).reshape(math.prod(shape[d] for d in rest), -1)
    assert all(len(set(group)) == len(group) for group in groups.tolist())
    assert made.min() >= -3 and made.max() < 100
    if family == "ascending":
        assert (made.diff(dim=along[-1]) > 0).all()


@pytest.mark.parametrize("dtype", some(WHOLE, [torch.uint8, torch.int64, torch.bool]), ids=str)
@pytest.mark.parametrize("family", ALL)
def test_numbers_of_which_nothing_is_asked(family: str, dtype: Any) -> None:
    for shape in SHAPES:
        made = of(family, "bool" if dtype == torch.bool else "any", dtype, shape)
        assert (made.dtype, tuple(made.shape)) == (dtype, shape)


def test_what_numbers_of_which_nothing_is_asked_hold() -> None:
    usual, wide = of("offset", "any", torch.int64), of("powers", "any", torch.int64)
    assert {0, 1, -1, 7, 2**63 - 1, -(2**63)} <= set(usual.flatten().tolist())
    assert {2**15, 2**31, 2**31 - 1, -(2**31) - 1, 2**62} <= set(wide.flatten().tolist())
    narrow = of("powers", "any", torch.int32).tolist()
    assert max(map(max, narrow)) >= 2**30 and min(map(min, narrow)) <= -(2**30)
    assert of("constant", (0, 50), torch.int64, (1000,)).unique().numel() == 1
    ends = of("edges", (0, 50), torch.int64)
    assert (ends == 0).float().mean() > 0.2 < (ends == 49).float().mean()
    assert (of("masked", (0, 50, -100), torch.int64)[3::4] == -100).all()
    assert (of("ascending", (0, 50), torch.int64).diff() >= 0).all()
    assert (of("descending", (0, 50), torch.int64).diff() <= 0).all()
    signed = of("tiny", (-50, 50), torch.int64).sign().flatten().tolist()
    assert all(signed.count(sign) > len(signed) / 8 for sign in (-1, 0, 1))
    masks = of("every kind", "bool", torch.bool)
    assert masks.all(1).any() and (~masks).all(1).any() and (masks.any(1) & ~masks.all(1)).any()


# ------------------------------------------------------------ what a family is for


def test_a_naive_variance_shows_in_the_offset_family() -> None:
    x = of("offset")
    naive = x.square().mean(1) - x.mean(1).square()
    assert ((naive - x.var(1, unbiased=False)).abs() > 0.1).any()
    assert ((of("normal").square().mean(1) - of("normal").mean(1).square()) > 0.1).all()


@pytest.mark.parametrize("dtype", [torch.float32, torch.float16, torch.bfloat16], ids=str)
def test_an_exponential_without_the_maximum_shows_in_the_large_family(dtype: Any) -> None:
    x = of("large", dtype=dtype).float()
    assert torch.isfinite(x).all() and torch.isinf(x.exp()).any(1).all()
    assert dtype != torch.float16 or x.abs().max() > 3e4


@pytest.mark.parametrize("dtype", [torch.float32, torch.float16, torch.bfloat16], ids=str)
def test_an_eps_shows_in_tiny_and_in_constant_rows(dtype: Any) -> None:
    for family in ("tiny", "constant"):
        x = of(family, dtype=dtype).double()
        with_eps, without = (x * torch.rsqrt(x.var(1, keepdim=True) + eps) for eps in (1e-5, 1e-8))
        assert ((with_eps - without).abs() > 0.1 * with_eps.abs().clamp_min(1e-3)).any()
    tiny = of("tiny", dtype=dtype)
    assert ((tiny != 0) & (tiny.abs() < torch.finfo(dtype).tiny)).any()


def test_rows_are_masked_throughout_and_in_part() -> None:
    hidden = of("masked").isinf()
    assert hidden.all(1).any() and (hidden.any(1) & ~hidden.all(1)).any()
    assert not of("masked", "positive").isinf().any()


def test_cancelling_pairs_leave_little() -> None:
    x = of("cancellation", shape=(64, 48)).double()
    assert x.abs().mean() > 1e3 and x.sum(1).abs().max() < 100


def test_ties_and_whole_numbers_are_what_they_say() -> None:
    assert of("ties").unique().numel() == 5
    x = of("exact", dtype=torch.bfloat16)
    assert x.float().unique().tolist() == [-3, -2, -1, 0, 1, 2, 3]


def test_each_row_and_each_column_of_a_sparse_tensor_has_something() -> None:
    x = of("sparse")
    assert (x != 0).any(0).all() and (x != 0).any(1).all() and (x == 0).float().mean() > 0.9
    assert sorted(x.unique().tolist()) == [-1, 0, 1]


def test_odd_values_stand_alone() -> None:
    x = of("edges", shape=(200, 80))
    odd = ~x.isfinite() | (x == 0) | (x.abs() > 1e9) | (x.abs() < 1e-30)
    assert (odd.sum(1) == 1 + (x.isnan().sum(1) == 2).long())[
        odd.any(1)
    ].all()  # of NaN there are two: which one counts?
    assert odd.any(1).float().mean() == 0.25 and odd.any(0).float().mean() <= 0.25
    assert x.isnan().any() and (x == math.inf).any() and (x == -math.inf).any()
    assert (torch.signbit(x) & (x == 0)).any() and (~torch.signbit(x) & (x == 0)).any()
    line = of("edges", shape=(200,))
    assert line.isnan().any() and line.isfinite().float().mean() > 0.8


def test_powers_span_what_the_dtype_holds() -> None:
    x = of("powers").abs()
    assert x.min() < 2**-18 and x.max() > 2**19
    assert all(of("powers", dtype=dtype).isfinite().all() for dtype in FLOATS[:4])


def laid(mix: str, name: str, shape: tuple[int, ...], seed: int = 0, counts: tuple[int, ...] = (), **how: Any) -> Any:
    generator = torch.Generator().manual_seed(seed)
    return values(
        shape, Domain("normal", torch.float32), mix, generator, layout_of(name, shape, counts, generator), **how
    )


def test_all_families_are_tried_by_rows_and_by_columns() -> None:
    def told(x: Any) -> tuple[bool, ...]:
        """Whether there is a line of each kind."""
        size, first = x.abs(), x[:, :1]
        return (
            bool((size > 5e3).all(1).any()), bool((size < 1e-5).all(1).any()), bool((x == first).all(1).any()),
            bool(((x == x.round()) & (size <= 3)).all(1).any()), bool((size > 100).any(1).any()), bool((x.abs() < 4).all(1).any()),
        )  # fmt: skip

    most = len(FAMILIES) * 3
    for seed in range(3):
        rows, columns = laid("every kind", "rows", (most, 64), seed), laid("finite", "columns", (64, most), seed)
        assert all(told(rows)) and all(told(columns.T))
        assert rows.isinf().all(1).any() and not columns.isinf().any()
    whole = of("every kind", (0, 1000), torch.int64, (most, 64))
    assert (whole == whole[:, :1]).all(1).any() and (whole.diff() > 0).all(1).any() and (whole.diff() < 0).all(1).any()


def hidden_throughout(shape: tuple[int, ...], dims: tuple[int, ...]) -> bool:
    """Whether somewhere nothing but -inf is reduced along these dimensions, in eight draws of groups."""
    counts = (math.prod(shape[d] for d in range(len(shape)) if d not in dims),)
    draws = [laid("masks", "groups", shape, seed, counts) for seed in range(8)]
    return any(bool((x == -math.inf).all(dims[1]).all(dims[0]).any()) for x in draws)


def test_groups_are_what_another_tensor_has_an_element_for() -> None:
    assert hidden_throughout((6, 5, 8), (0, 2))  # a batch norm's statistics, of each channel
    assert hidden_throughout((8, 4, 6), (1, 2))
    pieces = [laid("masks", "groups", (4, 48, 15), seed, (32,)).reshape(32, -1) for seed in range(3)]  # a group norm's
    assert all((x == -math.inf).all(1).any() and not (x == -math.inf).all(1).all() for x in pieces)


def test_runs_follow_each_other_in_a_row() -> None:
    parts = laid("masks", "runs", (3, 100)).isinf().reshape(3, 5, 20)
    assert parts.all(2).any() and not parts.all(2).all()


def test_of_the_terms_each_leads_somewhere() -> None:
    shape, names = (60, 8), ("a", "b", "c")
    found = drawn(dict.fromkeys(names, (shape, (8, 1), torch.float32, "normal")), "terms", 1)
    large = torch.stack([found[name].abs().amax(1) > 0.1 for name in names])
    alone = [bool((large[at] & (large.sum(0) == 1)).any()) for at in range(3)]
    assert all(alone) and (large.sum(0) == 2).any() and (large.sum(0) == 0).any()
    scalars = dict.fromkeys(names, ((), (), torch.float32, "normal"))
    leading = [
        {name for name, x in drawn(scalars, "terms", seed, "whole").items() if x.abs() > 1e-2} for seed in range(40)
    ]
    assert all({name} in leading for name in names)


def test_odd_values_are_several_in_a_row() -> None:
    x = of("odd")
    assert (x.isnan().sum(1) > 1).any() and ((x == math.inf).sum(1) > 1).any() and ((x == -math.inf).sum(1) > 1).any()
    assert not (x.isnan().any(1) & x.isinf().any(1)).any()


def test_what_is_masked_is_masked_throughout() -> None:
    assert not of("ignored", "bool", torch.bool).any() and of("taken", "bool", torch.bool).all()
    assert (of("ignored", (0, 50, -100), torch.int64) == -100).all()
    assert (of("taken", (0, 50, -100, 7), torch.int64) != 7).all() and (
        of("taken", (0, 50, -100), torch.int64) >= 0
    ).all()
    assert (of("lowest") == -math.inf).all() and (of("highest") == math.inf).all()
    assert of("ignored").isfinite().all()


def test_whole_numbers_count_on() -> None:
    assert (of("ascending", "any", torch.int64)[1::2].diff() == 1).float().mean() > 0.7


# ------------------------------------------------------------ a file's arguments

ARGUMENTS = {
    "x": ((32, 16), (16, 1), torch.float32, "normal"),
    "bias": ((16,), (1,), torch.float32, "normal"),
    "scale": ((32, 16), (1, 0), torch.float32, "normal"),
    "ids": ((32,), (1,), torch.int64, (0, 50, -100)),
    "out": ((32, 16), (16, 1), torch.float32, "out"),
    "x_new": ((32, 16), (16, 1), torch.float32, ("same", "x")),
}


@pytest.mark.parametrize("family", ALL)
def test_every_argument_that_is_read_is_drawn(family: str) -> None:
    found = drawn(ARGUMENTS, family, 3)
    assert list(found) == ["x", "bias", "scale", "ids", "x_new"] and found["x"] is found["x_new"]
    masks = family in {"masks", "infinite", "masked", "lowest", "highest"}
    assert masks or found["bias"].isfinite().all()  # an odd value there reaches every row
    assert masks or family in MIXES or found["scale"].isfinite().all()  # one of each row's own, which a mix may have
    assert torch.equal(found["scale"], found["scale"][:, :1].expand(32, 16))
    memory, view = placed(found["scale"], *ARGUMENTS["scale"][:3], torch.Generator())
    assert torch.equal(view, found["scale"]) and memory.numel() > view.nbytes
    again = drawn(ARGUMENTS, family, 3)
    assert all(torch.equal(found[name].nan_to_num(9.0), again[name].nan_to_num(9.0)) for name in found)


def test_a_bias_is_normal_half_of_the_time() -> None:
    biases = [drawn(ARGUMENTS, "every kind", seed)["bias"] for seed in range(40)]
    assert 8 < sum(bool(bias.abs().max() > 10) for bias in biases) < 32


def test_normal_is_what_a_file_s_own_check_draws() -> None:
    for shape, dtype, fill in (((4, 5), torch.float32, "unit"), ((30,), torch.int64, (0, 9, -1))):
        mine = values(shape, Domain(fill, dtype), "normal", torch.Generator().manual_seed(5))
        assert torch.equal(mine, valid_values(shape, dtype, fill, torch.Generator().manual_seed(5)))


EVERY_FILL = {
    **{fill: ((6, 9, 4), (36, 4, 1), torch.float32, fill) for fill in ["normal", "finite", "positive", "unit", "above_one", "count", "sorted"]},
    "of floats": ((4,), (1,), torch.float64, "normal"),
    "narrow": ((9, 4), (4, 1), torch.float16, "normal"),
    "expanded": ((6, 9, 4), (0, 4, 1), torch.bfloat16, "normal"),
    "index": ((6, 9), (9, 1), torch.int64, (0, 40, -100)),
    "apart": ((6, 9), (9, 1), torch.int64, (0, 90, "distinct", 1)),
    "any": ((9, 4), (4, 1), torch.int32, "any"),
    "mask": ((6, 9), (9, 1), torch.bool, "bool"),
    "out": ((6,), (1,), torch.float32, "out"),
}  # fmt: skip


@pytest.mark.parametrize("default", [torch.float64, torch.bfloat16], ids=str)
@pytest.mark.parametrize("family", ALL)
def test_no_default_dtype_changes_what_is_drawn(family: str, default: Any) -> None:
    """Beside a card the next inputs are drawn while another thread computes in float64, which sets the default dtype of all threads."""
    right = [drawn(EVERY_FILL, family, seed, layout) for seed, layout in enumerate(LAYOUTS)]
    torch.set_default_dtype(default)
    try:
        found = [drawn(EVERY_FILL, family, seed, layout) for seed, layout in enumerate(LAYOUTS)]
    finally:
        torch.set_default_dtype(torch.float32)
    for one, other in zip(right, found, strict=True):
        assert all(torch.equal(_bits(one[name]), _bits(other[name])) for name in one), family


def _bits(x: Any) -> Any:
    return x.contiguous().view(-1).view(torch.uint8)


def test_where_each_tensor_is_of_another_kind_the_terms_of_a_sum_may_be_alike() -> None:
    """An index that is one row of a table makes all of its terms the same: their roundings go the same way, as in `constant`."""
    arguments = {
        "index": ((64,), (1,), torch.int64, (-96, 96)),
        "table": ((96, 48), (48, 1), torch.float32, "normal"),
        "x": ((8, 48), (48, 1), torch.float32, "normal"),
    }

    def kinds(family: str, layout: str) -> set[int]:
        return {len(drawn(arguments, family, seed, layout)["index"].unique()) for seed in range(40)}

    for layout in ("whole", "groups"):
        assert 1 in kinds("finite", layout) and are_alike("finite", layout)
    assert min(kinds("finite", "rows")) > 1 and not are_alike("finite", "rows")
    assert are_alike("constant", "rows") and not are_alike("terms", "whole") and not are_alike("normal", "whole")
