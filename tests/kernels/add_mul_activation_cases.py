"""`add_mul_activation` held to eager; `test_kernels.py` runs this."""

from __future__ import annotations

from typing import Any

import pytest
import torch
from torch import Tensor

ON = "cuda" if torch.cuda.is_available() else "cpu"
if ON == "cpu":
    from inductor_lab.judge import stand_ins

    stand_ins.install()  # Triton's own interpreter rounds to bfloat16 otherwise than a card

from inductor_lab.kernels.add_mul_activation.kernel import ACTIVATIONS, CANDIDATES, MOST, add_mul_activation  # noqa: E402

LIMITS = {torch.float64: 1e-14, torch.float32: 1e-6, torch.float16: 1e-3, torch.bfloat16: 8e-3}
EAGER = {
    "identity": lambda x: x,
    "relu": torch.relu,
    "sigmoid": torch.sigmoid,
    "gelu": torch.nn.functional.gelu,
    "silu": torch.nn.functional.silu,
}


def made(*shape: int, dtype: torch.dtype = torch.float32) -> tuple[Tensor, Tensor, Tensor]:
    torch.manual_seed(sum(shape))
    return tuple(torch.randn(*one, dtype=dtype, device=ON, requires_grad=True) for one in (shape, shape, shape[-1:]))


def holds(x: Tensor, y: Tensor, bias: Tensor | None, activation: str = "relu", scale: float = 0.5, **how: Any) -> None:
    """Result and gradients against float64's, relative to the largest; what is given stays as it was."""
    given = [one for one in (x, y, bias) if one is not None]
    before = [one.detach().clone() for one in given]
    exact = [one.detach().double().requires_grad_() for one in given]
    found = add_mul_activation(x, y, bias, scale=scale, activation=activation, **how)
    right = EAGER[activation](exact[0] + scale * exact[1] + sum(exact[2:]))
    grad = torch.randn(x.shape, dtype=x.dtype, device=ON)
    pairs = [(found, right)]
    pairs += zip(torch.autograd.grad(found, given, grad), torch.autograd.grad(right, exact, grad.double()), strict=True)
    for own, its in pairs:
        assert own.shape == its.shape and own.dtype == x.dtype
        # relu and sigmoid take their derivative of the result, which is rounded
        assert (own - its).abs().max() <= 2 * LIMITS[x.dtype] * its.abs().max().clamp(min=1)
    assert all(torch.equal(one, was) for one, was in zip(given, before, strict=True))


@pytest.mark.parametrize("activation", ACTIVATIONS)
@pytest.mark.parametrize("dtype", LIMITS, ids=str)
def test_activations_and_dtypes(activation: str, dtype: torch.dtype) -> None:
    holds(*made(9, 37, dtype=dtype), activation)


def test_gelu_of_every_float16() -> None:
    """By a formula, not by erf: rounded as erf's would be, but for 7.5e-8 of the input."""
    x = torch.arange(-(2**15), 2**15, dtype=torch.int32).to(torch.int16).view(torch.float16).to(ON)
    x = x[x.isfinite()]
    right = torch.nn.functional.gelu(x.double())
    found = add_mul_activation(x, torch.zeros_like(x), activation="gelu").double()
    assert ((found - right).abs() <= 2**-11 * right.abs() + 7.5e-8 * x.double().abs() + 2**-25).all()


@pytest.mark.parametrize(
    ("rows", "columns"), [(4, 4), (16, 8), (64, 16), (1, 1), (1, 1025), (131, 1), (7, 127), (3, 2048), (67, 521)]
)
def test_sizes(rows: int, columns: int) -> None:
    holds(*made(rows, columns), "gelu")


@pytest.mark.parametrize("shape", [(5,), (2, 3, 5), (2, 1, 3, 8)], ids=str)
def test_other_ranks(shape: tuple[int, ...]) -> None:
    holds(*made(*shape), "silu")


@pytest.mark.parametrize("configuration", CANDIDATES, ids=str)
def test_every_configuration_computes_the_same(configuration: dict[str, int]) -> None:
    holds(*made(17, 300), configuration=configuration)


def test_places_of_64_bits(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("inductor_lab.kernels.add_mul_activation.kernel.LONG", 0)
    holds(*made(40, 64))
    holds(*made(41, 67))
    holds(*(one.detach()[..., 3:20].requires_grad_() for one in made(9, 40)))


def test_without_a_bias_and_with_another_scale() -> None:
    x, y, _ = made(7, 24)
    holds(x, y, None, "sigmoid", scale=-1.7)


def test_what_is_not_contiguous() -> None:
    x, y, bias = (one.detach() for one in made(12, 40))
    strided = [x[::2, 3:21], x[:6, 3:21], y[1::2, 4:22].mT.contiguous().mT, y.mT[4:10, :1].expand(6, 18)]
    for one in strided:
        for other in strided:
            holds(one.requires_grad_(), other.detach().requires_grad_(), bias[1:37:2].requires_grad_(), "gelu")
    holds(*(one.detach()[..., 2:6].requires_grad_() for one in made(2, 3, 8)))


def test_infinite_numbers_and_nan() -> None:
    x = torch.tensor([[float("nan"), float("inf"), -float("inf"), -0.0, 1e30, -1e30]], device=ON, requires_grad=True)
    y = torch.zeros_like(x)
    for activation in ("identity", "relu", "sigmoid", "silu"):
        right = EAGER[activation](x + 0.5 * y)
        torch.testing.assert_close(add_mul_activation(x, y, activation=activation), right, equal_nan=True)
    grad = torch.ones_like(x)
    own, its = (torch.autograd.grad(form, x, grad)[0] for form in (add_mul_activation(x, y), torch.relu(x + 0.5 * y)))
    assert torch.equal(own, its)


def test_gradcheck() -> None:
    x, y, bias = made(3, 5, dtype=torch.float64)
    for activation in ACTIVATIONS:
        assert torch.autograd.gradcheck(
            lambda *given, a=activation: add_mul_activation(*given, activation=a), (x, y, bias), fast_mode=True
        )
    bias.requires_grad_(False)
    assert torch.autograd.gradcheck(lambda x: add_mul_activation(x, y.detach(), bias), (x,))


def test_into_a_tensor_that_is_there_and_into_its_own_input() -> None:
    x, y, bias = (one.detach() for one in made(6, 18))
    right = add_mul_activation(x, y, bias)
    out = x.new_full((6, 40), 7.0)
    assert add_mul_activation(x, y, bias, out=out[:, 2:20]).data_ptr() == out[:, 2:].data_ptr()
    assert torch.equal(out[:, 2:20], right) and (out[:, :2] == 7).all() and (out[:, 20:] == 7).all()
    assert add_mul_activation(x, y, bias, out=x) is x and torch.equal(x, right)


def test_nothing_to_compute() -> None:
    for shape in ((0, 16), (5, 0), (0,)):
        x, y, bias = made(*shape)
        found = add_mul_activation(x, y, bias)
        assert found.shape == shape
        assert [one.shape for one in torch.autograd.grad(found, (x, y, bias), found)] == [x.shape, y.shape, bias.shape]
        assert add_mul_activation(x.detach(), y.detach(), out=torch.empty(shape, device=ON)).shape == shape


def test_what_it_can_not_do() -> None:
    x, y, bias = made(3, 16)
    with pytest.raises(ValueError, match=r"x \[3, 16\], y \[3, 15\] do not belong together: .* bias \[N\]"):
        add_mul_activation(x, y[:, :15])
    with pytest.raises(
        ValueError, match=r"one floating-point dtype and one device are needed, not x .*float32.*float16"
    ):
        add_mul_activation(x, y.half())
    with pytest.raises(ValueError, match="one floating-point dtype"):
        add_mul_activation(x.long(), y.long())
    with pytest.raises(ValueError, match="there is no activation 'tanh': it is identity, relu"):
        add_mul_activation(x, y, activation="tanh")
    with pytest.raises(ValueError, match="has no gradient"):
        add_mul_activation(x, y, bias, out=torch.empty_like(x))
    with pytest.raises(ValueError, match=r"out has strides \[1, 3\]"), torch.no_grad():
        add_mul_activation(x, y, bias, out=torch.empty(16, 3, device=ON).mT)
    many = torch.empty(1, device=ON).expand(MOST)
    with pytest.raises(ValueError, match="1,073,741,824 columns are too many"):
        add_mul_activation(many, many)


def test_a_derivative_forward_is_refused() -> None:
    with torch.autograd.forward_ad.dual_level():
        one = torch.ones(2, 8, device=ON)
        twice = torch.autograd.forward_ad.make_dual(one, one)
        with pytest.raises(NotImplementedError, match="jvp"):
            add_mul_activation(one, twice)
        with pytest.raises(NotImplementedError, match="jvp"):
            add_mul_activation(one, one, bias=twice[0])
