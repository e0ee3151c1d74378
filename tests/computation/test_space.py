"""Axes cut into digits, and addresses that are computed of coordinates: counted here by going through all elements of a launch."""

from __future__ import annotations

import pytest
from kernels_as_text import ROWS, kernel

from inductor_lab.computation.index import Coordinate
from inductor_lab.computation.space import Digits
from inductor_lab.costs.traffic import traffic
from inductor_lab.records.size import ONE, Size

ROW = "(r0_1 + 128*x0) // 16 % 16"
"""Of 8 x 128 elements, 4 images of 16 rows of 16, which row one is in: as the backward of a slice of every other row asks."""


@pytest.mark.parametrize(
    ("address", "condition", "bound"),
    [
        (f"{ROW} // 2 + 8*((r0_1 + 128*x0) // 256)", f"{ROW} % 2", 0),
        (f"{ROW} // 2 + 8*(r0_1 % 16)", ROW, 3),
        (f"{ROW} // 2 + 8*(r0_1 % 16)", "x0 // 2", 1),
    ],
)
def test_a_computed_address_under_a_computed_mask_is_counted_place_by_place(
    address: str, condition: str, bound: int
) -> None:
    load = f"tmp9 = tl.load(in_ptr1 + ({address}), tmp2 & xmask, other=0.0)"
    body = f"""{ROWS}
    tmp1 = {condition}
    tmp2 = tmp1 == {bound}
    {load}
    tmp5 = tl.sum(tmp9, 1)[:, None]
    tl.store(out_ptr0 + (x0), tmp5, xmask)
"""
    tensors = {"in_ptr0": "float32[8, 128]", "in_ptr1": "float32[1024]", "out_ptr0": "float32[8]"}
    places = [{"x0": row, "r0_1": lane} for row in range(8) for lane in range(128)]
    loaded = {eval(address, place) for place in places if eval(condition, dict(place)) == bound}
    counted = traffic(kernel(body, tensors, category="persistent_reduction"))
    assert counted.read == 4 * (8 * 128 + len(loaded))


def test_an_axis_of_symbolic_size_is_cut_where_its_coordinates_start_and_end() -> None:
    digits = Digits.cut(Size.of("64*s0*s1"), map(Size.of, ("64", "64*s1")), exact=True)
    assert [(str(stride), str(size)) for stride, size in digits.sizes] == [("1", "64"), ("64", "s1"), ("64*s1", "s0")]
    assert digits.places(Coordinate("x", 64, "ks1"), {"ks1": "s1"}) == [(1, ONE)]
    assert digits.places(Coordinate("x", 64, None)) == [(1, ONE), (2, Size.of("s1"))]
    assert digits.places(Coordinate("x", "64*s0*s1", None)) == []
    assert digits.places(Coordinate("x", 32, None)) is None


def test_cuts_that_do_not_nest_are_left_out_the_last_ones_first() -> None:
    digits = Digits.cut(Size(150), map(Size, (30, 50, 10)), exact=True)
    assert digits.parts == ((1, 10), (10, 3), (30, 5))
    assert not digits.nested
    assert digits.places(Coordinate("x", 1, 50)) is None


def test_the_slowest_digit_is_cut_short_unless_the_digits_must_make_up_the_whole() -> None:
    assert Digits.cut(Size(100), [Size(64)]).parts == ((1, 64), (64, 2))
    assert Digits.cut(Size(100), [Size(64)], exact=True).parts == ((1, 100),)
