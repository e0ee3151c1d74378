"""Where much cancels, any order of a long sum is right: eager's own may have been a lucky one."""

from __future__ import annotations

from types import SimpleNamespace

import pytest
import torch
from torch import Tensor

from inductor_lab.judge.compare.limits import Draws, Finding, compared
from inductor_lab.judge.compare.orders import furthest_order
from inductor_lab.judge.inputs.placement import place_inputs

ROWS, TERMS, COLUMNS = 32, 8192, 16
PRODUCT = SimpleNamespace(
    reference=lambda x, weight: (x @ weight,),
    ARGUMENTS={
        "x": ((ROWS, TERMS), (TERMS, 1), torch.float32, "normal"),
        "weight": ((TERMS, COLUMNS), (COLUMNS, 1), torch.float32, "normal"),
    },
    TAKES=("x", "weight"),
    WRITTEN=("y",),
)


@pytest.fixture(scope="module")
def factors() -> tuple[Tensor, Tensor]:
    generator = torch.Generator().manual_seed(5)
    return torch.randn(ROWS, TERMS, generator=generator), torch.randn(TERMS, COLUMNS, generator=generator)


def furthest(x: Tensor, weight: Tensor) -> Tensor:
    exact = x.double() @ weight.double()
    found = furthest_order(PRODUCT, place_inputs(PRODUCT, {"x": x, "weight": weight}, 0), 0, exact)
    assert found is not None
    return found


def held(out: Tensor, eager: Tensor, exact: Tensor) -> Finding:
    return compared(out, eager, exact, None, Draws(lambda: [exact]))


def test_of_a_product_the_order_of_its_terms_is_drawn(factors: tuple[Tensor, Tensor]) -> None:
    exact = factors[0].double() @ factors[1].double()
    missed, by_eager = ((each.double() - exact).abs() for each in (furthest(*factors), factors[0] @ factors[1]))
    assert 0 < missed.mean() < 1e-4 * exact.abs().mean()
    assert missed.mean() > 1.5 * by_eager.mean()


def test_an_element_that_another_order_explains_is_right(factors: tuple[Tensor, Tensor]) -> None:
    """Its terms are as large as those of the others, and nearly nothing is left: eager, which has float64's value here, was lucky."""
    x, weight = (each.clone() for each in factors)
    weight[:, 0] *= 1e6
    x[0, -1] = 1.0
    weight[-1, 0] = float(10.0 - x[0, :-1].double() @ weight[:-1, 0].double())
    exact = x.double() @ weight.double()
    far = furthest(x, weight)
    hand = exact.float()
    hand[0, 0] = far[0, 0].float()
    found = held(hand, exact.float(), exact)
    assert found.message and found.few
    assert not held(hand, far.float(), exact).message


def test_factors_of_ten_bits_are_not(factors: tuple[Tensor, Tensor]) -> None:
    x, weight = factors
    exact = x.double() @ weight.double()
    rounded = [each * (1 + 2.0**13) - each * 2.0**13 for each in factors]
    assert held(rounded[0] @ rounded[1], furthest(x, weight).float(), exact).message


def test_many_wrong_elements_are_no_matter_of_order(factors: tuple[Tensor, Tensor]) -> None:
    exact = factors[0].double() @ factors[1].double()
    found = held(exact.float() * 1.001, exact.float(), exact)
    assert found.message and not found.few


def test_what_adds_nothing_up_has_one_order() -> None:
    x = torch.randn(8)
    file = SimpleNamespace(
        reference=lambda x: (x * 2,),
        ARGUMENTS={"x": ((8,), (1,), torch.float32, "normal")},
        TAKES=("x",),
        WRITTEN=("y",),
    )
    assert furthest_order(file, place_inputs(file, {"x": x}, 0), 0, 2 * x.double()) is None


def test_an_order_that_overflows_tells_of_nothing() -> None:
    """Terms of both signs near float32's largest: in some orders a partial sum is infinite, which would let any value pass."""
    x = torch.ones(ROWS, TERMS)
    weight = torch.zeros(TERMS, COLUMNS)
    weight[:64, 0] = torch.tensor([1e38, -1e38]).repeat(32)
    weight[64, 0] = 1e37
    assert not furthest(x, weight).isinf().any()
