"""The linear layer with a low-rank correction against eager in float64; `test_lora_linear.py` runs this."""

from __future__ import annotations

import math
from typing import Any

import pytest
import torch
from torch import Tensor

from inductor_lab.kernels.lora_linear import kernel
from inductor_lab.kernels.lora_linear.kernel import CANDIDATES, chosen, lora_linear

ON = "cuda" if torch.cuda.is_available() else "cpu"
if ON == "cpu":
    from inductor_lab.judge import stand_ins

    stand_ins.install()  # Triton's interpreter multiplies the bits of bfloat16
ACTIVATIONS = {
    "identity": lambda z: z,
    "relu": torch.relu,
    "sigmoid": torch.sigmoid,
    "gelu": torch.nn.functional.gelu,
    "silu": torch.nn.functional.silu,
}
SMALL = {"BLOCK_M": 16, "BLOCK_K": 64, "num_warps": 1, "num_stages": 2}
LIMIT = {torch.float32: 1e-5, torch.float16: 4e-3, torch.bfloat16: 3e-2}


def eager(
    x: Tensor, weight: Tensor, a: Tensor, b: Tensor, bias: Tensor | None, scale: float, activation: str
) -> Tensor:
    low_rank = scale * (x @ a.mT) @ b.mT
    return ACTIVATIONS[activation](x @ weight.mT + low_rank + (0 if bias is None else bias))


def drawn(rows: int, depth: int, outputs: int, rank: int, dtype: torch.dtype = torch.float32) -> list[Tensor]:
    """x, weight, a, b, bias: none is zero, `b` least of all."""
    generator = torch.Generator().manual_seed(rows + depth + outputs)
    less = depth**-0.5
    shapes = [
        ((rows, depth), 1.0),
        ((outputs, depth), less),
        ((rank, depth), less),
        ((outputs, rank), 1.0),
        ((outputs,), 1.0),
    ]
    made = [torch.randn(shape, generator=generator) * by for shape, by in shapes]
    return [one.to(ON, dtype) for one in made]


def far(found: Tensor, right: Tensor) -> float:
    return float((found.detach().double() - right.detach()).abs().max() / right.detach().abs().max())


HOW = [{"TURNED": turned, "BLOCK_N": size} for turned, size in ((0, 16), (1, 16), (0, 32))]


@pytest.mark.parametrize("pitch", [2**31, 2**31 + 1], ids=["descriptors", "strides"])
@pytest.mark.parametrize("turned", [0, 1])
@pytest.mark.parametrize("number", range(4), ids=["x", "weight", "a", "b"])
def test_no_bits_beyond_31_are_lost(number: int, turned: int, pitch: int) -> None:
    """Rows that lie so far apart: on the CPU in memory that is never touched between them."""
    given = [one.requires_grad_() for one in drawn(2, 64, 2, 2, torch.float16)]
    how: dict[str, Any] = {
        "scale": 0.5,
        "activation": "silu",
        "configuration": SMALL | {"TURNED": turned, "BLOCK_N": 16},
    }
    grad = torch.ones(2, 2, device=ON, dtype=torch.float16)
    wanted = lora_linear(*given, **how)
    storage = torch.empty(2**31 + 128, dtype=torch.float16, device=ON)
    apart = storage.as_strided(given[number].shape, (pitch, 1)).copy_(given[number].detach()).requires_grad_()
    others = [*given[:number], apart, *given[number + 1 :]]
    found = lora_linear(*others, **how)
    torch.testing.assert_close(found, wanted)
    own, its = (torch.autograd.grad(result, tensors, grad) for result, tensors in ((found, others), (wanted, given)))
    torch.testing.assert_close(own, its)


@pytest.mark.parametrize("how", HOW)
@pytest.mark.parametrize(
    ("rows", "depth", "outputs", "rank", "dtype"),
    [
        (1, 64, 48, 5, torch.float32),
        (19, 67, 41, 12, torch.float32),
        (33, 72, 40, 16, torch.bfloat16),
        (17, 64, 16, 64, torch.float16),
        (8, 16, 8, 5, torch.float32),
        (18, 64, 24, 70, torch.float32),
    ],
)
def test_it_is_what_eager_has(
    how: dict[str, int], rows: int, depth: int, outputs: int, rank: int, dtype: torch.dtype
) -> None:
    given = drawn(rows, depth, outputs, rank, dtype)
    before = [one.clone() for one in given]
    out = lora_linear(*given, scale=0.5, activation="relu", configuration=SMALL | how)
    assert far(out, eager(*(one.double() for one in given), 0.5, "relu")) < LIMIT[dtype]
    assert all(torch.equal(one, its) for one, its in zip(given, before, strict=True))


@pytest.mark.parametrize("activation", ACTIVATIONS)
@pytest.mark.parametrize(("rows", "with_bias", "how"), [(19, True, HOW[0]), (5, False, HOW[1]), (33, True, HOW[2])])
def test_gradients_are_float64_s(activation: str, rows: int, with_bias: bool, how: dict[str, int]) -> None:
    given = drawn(rows, 40, 29, 12)[: 5 if with_bias else 4]
    exact = [one.double().requires_grad_() for one in given]
    own = [one.requires_grad_() for one in given]
    asked = torch.randn(rows, 29, generator=torch.Generator().manual_seed(3)).to(ON)
    right = eager(*exact, *([] if with_bias else [None]), 0.5, activation)
    out = lora_linear(*own, scale=0.5, activation=activation, configuration=SMALL | how)
    out.backward(asked)
    right.backward(asked.double())
    assert far(out, right) < 1e-5
    assert max(far(one.grad, its.grad) for one, its in zip(own, exact, strict=True)) < 1e-5


@pytest.mark.parametrize("wanted", [(0,), (2,), (3,), (4,), (2, 3), (0, 1, 4)])
@pytest.mark.parametrize("activation", ["identity", "relu"])
def test_only_the_gradients_that_are_asked_for(wanted: tuple[int, ...], activation: str) -> None:
    given = drawn(9, 24, 20, 5)
    exact = [one.double().requires_grad_(number in wanted) for number, one in enumerate(given)]
    own = [one.requires_grad_(number in wanted) for number, one in enumerate(given)]
    lora_linear(*own, scale=2.0, activation=activation).sum().backward()  # a gradient without strides
    eager(*exact, 2.0, activation).sum().backward()
    for number, (one, its) in enumerate(zip(own, exact, strict=True)):
        assert one.grad is None if number not in wanted else far(one.grad, its.grad) < 1e-5


def test_half_precision_gradients() -> None:
    given = drawn(40, 48, 32, 16, torch.float16)
    exact = [one.double().requires_grad_() for one in given]
    own = [one.requires_grad_() for one in given]
    lora_linear(*own, activation="gelu").sum().backward()
    eager(*exact, 1.0, "gelu").sum().backward()
    assert [one.grad.dtype for one in own] == [torch.float16] * 5
    assert max(far(one.grad, its.grad) for one, its in zip(own, exact, strict=True)) < 1e-2


def test_strides_more_dimensions_and_no_rows() -> None:
    x, weight, a, b, bias = drawn(12, 32, 24, 5)
    same = lora_linear(x, weight, a, b, bias)
    apart = torch.stack([x, -x], dim=2)[..., 0]
    turned = [one.t().contiguous().t() for one in (x, weight, a, b)]
    spread = torch.stack([bias, bias], dim=1)[:, 0]
    for how in HOW:
        configuration = SMALL | how
        for given in ((apart, weight, a, b, bias), (*turned, bias), (x, weight, a, b, spread)):
            torch.testing.assert_close(lora_linear(*given, configuration=configuration), same, rtol=1e-5, atol=1e-5)
    assert lora_linear(x.view(3, 2, 2, 32), weight, a, b, bias).shape == (3, 2, 2, 24)
    assert lora_linear(x[0], weight, a, b, bias).shape == (24,)
    assert torch.equal(
        lora_linear(x.view(3, 4, 32).transpose(0, 1), weight, a, b, bias).transpose(0, 1).reshape(12, 24), same
    )
    given = [one.requires_grad_() for one in (x, weight, a, b, bias)]
    empty = lora_linear(x[:0], *given[1:], activation="silu")
    assert empty.shape == (0, 24)
    empty.sum().backward()
    assert all(one.grad is not None and not one.grad.any() for one in given)


def test_nan_stays_where_it_is() -> None:
    x, weight, a, b, bias = drawn(40, 32, 24, 5)
    x[7, 3] = math.nan
    out = lora_linear(x, weight, a, b, bias, activation="relu")
    assert out[7].isnan().all() and out.isnan().sum() == 24


def test_a_configuration_for_each_size() -> None:
    sizes = [(1, 4096), (16, 14336), (64, 4096), (256, 4096), (1024, 1024), (512, 4096), (1024, 4096), (4096, 4096)]
    found = [CANDIDATES.index(chosen(rows, outputs)) for rows, outputs in sizes]
    assert found == [0, 0, 1, 2, 2, 3, 3, 3]
    assert chosen(4096, 4096, aligned=False) is CANDIDATES[4]
    assert [chosen(rows, 4096, ieee=True) for rows in (16, 64, 4096)] == [kernel.FEW, CANDIDATES[1], kernel.IEEE]


X, WEIGHT, A, B, BIAS = (one.cpu() for one in drawn(4, 16, 8, 5))


@pytest.mark.parametrize(
    ("change", "said"),
    [
        ({"x": X.double()}, r"x \[4, 16\] of torch.float64, .* are not \[..., K\] of float32, bfloat16 or float16"),
        (
            {"x": X[:, :15]},
            r"x is \[4, 15\] of torch.float32 on cpu, and not \[4, 16\] of torch.float32 on cpu, as weight",
        ),
        ({"weight": WEIGHT.bfloat16()}, r"weight is \[8, 16\] of torch.bfloat16 on cpu, and not"),
        ({"a": A[:, 1:]}, r"a is \[5, 15\] .*, and not \[5, 16\]"),
        ({"b": B[:, 1:]}, r"b is \[8, 4\] .*, and not \[8, 5\]"),
        ({"bias": BIAS[1:]}, r"bias is \[7\] .*, and not \[8\]"),
        ({"bias": BIAS.to("meta")}, "bias is .* on meta, and not .* on cpu"),
        ({"a": A[:0], "b": B[:, :0]}, r"a \[0, 16\] are not .*, N, K, r > 0"),
        ({"x": X[0, 0]}, r"x is \[\] of .*, and not \[16\]"),
        ({"weight": WEIGHT[0]}, r"weight \[16\] and a \[5, 16\] are not"),
        ({"weight": WEIGHT[:, :0]}, r"weight \[8, 0\] and a \[5, 16\] are not .*, N, K, r > 0"),
        ({"activation": "tanh"}, "there is no activation 'tanh': it is identity, relu, sigmoid, gelu, silu"),
        ({"precision": "bf16"}, "there is no precision 'bf16': it is ieee, tf32"),
    ],
)
def test_what_does_not_belong_together_is_told(change: dict[str, Any], said: str) -> None:
    given = {"x": X, "weight": WEIGHT, "a": A, "b": B, "bias": BIAS} | change
    with pytest.raises(ValueError, match=said):
        lora_linear(**given)
