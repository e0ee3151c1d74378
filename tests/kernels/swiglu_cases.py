"""`swiglu` and `swiglu_halves` held to eager in float64; `test_kernels.py` runs this."""

from __future__ import annotations

from typing import Any

import pytest
import torch
from torch import Tensor
from torch.nn.functional import silu

ON = "cuda" if torch.cuda.is_available() else "cpu"
if ON == "cpu":
    from inductor_lab.judge import stand_ins

    stand_ins.install()  # Triton's own interpreter rounds to bfloat16 otherwise than a card

from inductor_lab.kernels.swiglu.kernel import CANDIDATES, LARGE, SMALL, chosen, swiglu, swiglu_halves  # noqa: E402

LIMITS = {torch.float64: 1e-14, torch.float32: 1e-6, torch.float16: 1e-3, torch.bfloat16: 8e-3}


def made(*shape: int, dtype: torch.dtype = torch.float32) -> Tensor:
    torch.manual_seed(sum(shape))
    return torch.randn(*shape, dtype=dtype, device=ON, requires_grad=True)


def pair(*shape: int, dtype: torch.dtype = torch.float32) -> tuple[Tensor, Tensor]:
    gate, up = made(2, *shape, dtype=dtype).detach()
    return gate.requires_grad_(), up.requires_grad_()


def near(own: Tensor, right: Tensor, dtype: torch.dtype) -> None:
    assert own.shape == right.shape and own.dtype == dtype
    if own.numel():
        assert (own - right).abs().max() <= LIMITS[dtype] * right.abs().max()


def holds(gate: Tensor, up: Tensor, **how: Any) -> None:
    """Result and gradients of two tensors, and of both in one; what is given stays as it was."""
    before, both = (gate.detach().clone(), up.detach().clone()), torch.cat([gate, up], -1).detach().requires_grad_()
    exact = gate.detach().double().requires_grad_(), up.detach().double().requires_grad_()
    found, right, halves = swiglu(gate, up, **how), silu(exact[0]) * exact[1], swiglu_halves(both, **how)
    grad = torch.randn_like(found)
    own, its = torch.autograd.grad(found, (gate, up), grad), torch.autograd.grad(right, exact, grad.double())
    for one, other in zip((found, *own), (right, *its), strict=True):
        near(one, other, gate.dtype)
    near(halves, right, gate.dtype)
    near(torch.autograd.grad(halves, both, grad)[0], torch.cat(its, -1), gate.dtype)
    assert torch.equal(gate, before[0]) and torch.equal(up, before[1])


@pytest.mark.parametrize(
    "shape", [(1, 1100), (7, 131), (37, 1), (2, 3, 5, 16), (5,), (3, 1031), (0, 8), (3, 0)], ids=str
)
def test_shapes(shape: tuple[int, ...]) -> None:
    holds(*pair(*shape))


@pytest.mark.parametrize("dtype", LIMITS, ids=str)
def test_dtypes(dtype: torch.dtype) -> None:
    holds(*pair(5, 33, dtype=dtype))


@pytest.mark.parametrize("configuration", CANDIDATES, ids=str)
def test_every_configuration_computes_the_same(configuration: dict[str, int]) -> None:
    holds(*pair(3, 600), configuration=configuration)


def test_what_is_chosen() -> None:
    assert chosen(1, 11_008) == SMALL and chosen(4096, 11_008) == LARGE


def test_what_is_not_contiguous() -> None:
    wide = made(6, 80).detach()
    holds(wide[:, :40].requires_grad_(), wide[:, 40:].requires_grad_())
    holds(wide.t().contiguous().t()[:, 3:43].requires_grad_(), wide[:, ::2].requires_grad_())
    holds(wide[:1, :40].expand(4, 40).requires_grad_(), wide[:4, 1:41].requires_grad_())
    apart = wide[:, 5:75].requires_grad_()
    (grad,) = torch.autograd.grad(swiglu_halves(apart).sum(), apart)  # from a gradient that is expanded
    near(grad, torch.autograd.grad(swiglu(*apart.chunk(2, -1)).sum(), apart)[0], grad.dtype)


def test_a_gradient_of_two_large_numbers_is_0_where_the_gate_is_shut() -> None:
    large = torch.full((1, 4), 3e38, device=ON)
    gate, up = (-large).requires_grad_(), large.clone().requires_grad_()
    found = torch.autograd.grad(swiglu(gate, up), (gate, up), torch.ones_like(large) * 3e38)
    assert found[1].count_nonzero() == 0 and found[1].isfinite().all()


def test_gradcheck() -> None:
    assert torch.autograd.gradcheck(swiglu, pair(3, 5, dtype=torch.float64), fast_mode=True)
    assert torch.autograd.gradcheck(swiglu_halves, made(3, 8, dtype=torch.float64), fast_mode=True)


def test_in_place_of_its_inputs_where_that_is_asked_for() -> None:
    gate, up = pair(3, 40)
    wanted = torch.autograd.grad(swiglu(gate, up).sum(), (gate, up))
    halves = torch.cat([gate, up], -1).detach()
    own = gate.detach().clone(), up.detach().clone()
    result = swiglu(own[0].requires_grad_(), own[1].requires_grad_(), in_place=True)
    found = torch.autograd.grad(result.sum(), own, retain_graph=True)
    for grad, right, over in zip(found, wanted, own, strict=True):
        torch.testing.assert_close(grad, right)
        assert grad.data_ptr() == over.data_ptr()
    with pytest.raises(RuntimeError, match="modified by an inplace operation"):
        torch.autograd.grad(result.sum(), own)
    (grad,) = torch.autograd.grad(swiglu_halves(halves.requires_grad_(), in_place=True).sum(), halves)
    torch.testing.assert_close(grad, torch.cat(wanted, -1))
    assert grad.data_ptr() == halves.data_ptr()


def test_edges() -> None:
    gate = torch.tensor([[-200.0, 200.0, -torch.inf, torch.inf, torch.nan]], device=ON)
    torch.testing.assert_close(swiglu(gate, torch.ones_like(gate)), silu(gate), equal_nan=True)


def test_rows_that_lie_2_to_the_31_numbers_apart() -> None:
    gate = torch.empty(2**31 + 8, device=ON, dtype=torch.bfloat16).as_strided(
        (2, 8), (2**31, 1)
    )  # on the CPU two pages
    gate.copy_(torch.randn(2, 8))
    holds(gate.requires_grad_(), made(2, 8, dtype=gate.dtype))


@pytest.mark.skipif(ON == "cpu", reason="12 GB")
def test_more_than_2_to_the_31_numbers_on_a_card() -> None:
    both = torch.zeros(2**20 + 424, 4096, device=ON, dtype=torch.bfloat16)
    both[-1] = 3
    found = swiglu_halves(both)
    assert not found[:-1].any() and torch.equal(found[-1], (silu(both[-1, :2048].float()) * 3).bfloat16())


@pytest.mark.parametrize(
    ("call", "said"),
    [
        (lambda x: swiglu(x.long(), x.long()), "gate and up are of torch.float32, .*, and not of torch.int64"),
        (lambda x: swiglu(x[0, 0], x[0, 0]), "not single numbers"),
        (lambda x: swiglu(x, x[:, :7]), r"up is \[4, 7\] .*, and not \[4, 9\]"),
        (lambda x: swiglu(x, x.half()), r"up is \[4, 9\] of torch.float16"),
        (lambda x: swiglu(x, x.to("meta")), "on meta, and not .* on cpu, as gate is"),
        (lambda x: swiglu_halves(x), "an even number of columns, and not 9"),
        (lambda x: swiglu(x.expand(4, 9)[:, ::2], x[:, :5], in_place=True), "in_place asks for rows whose numbers lie"),
        (lambda x: swiglu_halves(x[:, ::2][:, :4], in_place=True), "in_place asks for rows whose numbers lie"),
    ],
)
def test_what_does_not_belong_together(call: Any, said: str) -> None:
    with pytest.raises(ValueError, match=said):
        call(torch.zeros(4, 9))


def test_a_derivative_forward_is_refused() -> None:
    with torch.autograd.forward_ad.dual_level():
        one = torch.ones(2, 8, device=ON)
        twice = torch.autograd.forward_ad.make_dual(one, one)
        with pytest.raises(NotImplementedError, match="jvp"):
            swiglu(one, twice)
        with pytest.raises(NotImplementedError, match="jvp"):
            swiglu_halves(twice)
