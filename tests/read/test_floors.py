"""Floors of fractions, as Inductor's wrappers have them where sizes are dynamic."""

from __future__ import annotations

import ast
import math

import pytest

from inductor_lab.read.types import whole


@pytest.mark.parametrize(
    ("text", "wanted"),
    [
        ("192*math.floor(15/16 + (1/16)*s33)", "192 * ((15 + s33) // 16)"),
        ("math.floor((1/2)*s0 + 1/3)", "(3 * s0 + 2) // 6"),
        ("floor(s0*s1/4)", "s0 * s1 // 4"),
        ("math.floor(s0)", "s0"),
        ("s0*s1 + 7", "s0 * s1 + 7"),
        ("math.ceil(s0/2)", "math.ceil(s0 / 2)"),
    ],
)
def test_a_floor_of_fractions_is_a_whole_division(text: str, wanted: str) -> None:
    found = ast.unparse(whole(ast.parse(text, mode="eval").body))
    assert found == wanted
    for s0 in (1, 2, 15, 16, 17, 320):
        sizes = {"s0": s0, "s1": 3, "s33": s0, "math": math, "floor": math.floor}
        assert eval(found, sizes) == eval(text, sizes)
