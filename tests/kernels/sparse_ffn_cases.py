"""`sparse_ffn` and `indices` held to eager; `test_sparse_ffn.py` runs this."""

from __future__ import annotations

from typing import Any

import pytest
import torch
from torch import Tensor
from torch.nn import functional

ON = "cuda" if torch.cuda.is_available() else "cpu"
if ON == "cpu":
    from inductor_lab.judge import stand_ins

    stand_ins.install()  # Triton's own interpreter multiplies bfloat16 as whole numbers

from inductor_lab.kernels.sparse_ffn.kernel import (  # noqa: E402
    ACTIVATIONS,
    CANDIDATES,
    LARGEST,
    One,
    Parts,
    Tiles,
    chosen,
    sparse_ffn,
)
from inductor_lab.kernels.sparse_ffn.router import indices  # noqa: E402

LIMITS = {torch.float32: 1e-5, torch.float16: 2e-3, torch.bfloat16: 1.6e-2}


def eager(
    x: Tensor, up: Tensor, down: Tensor, active: Tensor, gate: Tensor | None = None, activation: str = "leaky_relu"
) -> Tensor:
    function = getattr(functional, activation, lambda values: values)
    hidden = x @ up[active].T
    return (function(hidden) if gate is None else function(x @ gate[active].T) * hidden) @ down[active]


def made(
    tokens: int, columns: int, neurons: int, active: int, *, dtype: torch.dtype = torch.float32, gated: bool = False
) -> dict[str, Any]:
    """Neurons from both ends, some of them twice."""
    torch.manual_seed(tokens + columns + active)
    up, down, gate = (torch.randn(neurons, columns, device=ON).to(dtype) / columns**0.5 for _ in range(3))
    x = torch.randn(tokens, columns, device=ON).to(dtype)
    chosen = torch.randint(-neurons, max(neurons, 1), (active,), device=ON)
    return {"x": x, "up": up, "down": down, "active": chosen} | ({"gate": gate} if gated else {})


def holds(given: dict[str, Any], *, activation: str = "leaky_relu", **how: Any) -> Tensor:
    """Against float64's, relative to the largest; inputs stay as they were."""
    before = {name: tensor.clone() for name, tensor in given.items()}
    found = sparse_ffn(**given, activation=activation, **how)
    asked = given | ({"active": given["active"][: int(how["count"])]} if "count" in how else {})
    wide = {name: tensor.double() if tensor.is_floating_point() else tensor for name, tensor in asked.items()}
    right = eager(**wide, activation=activation)
    assert found.dtype == given["x"].dtype and found.shape == right.shape and found.is_contiguous()
    assert not right.numel() or (found - right).abs().max() <= LIMITS[found.dtype] * max(right.abs().max(), 1e-9)
    assert all(torch.equal(given[name], before[name]) for name in given)
    return found


@pytest.mark.parametrize("tokens", [1, 4, 16, 130])
@pytest.mark.parametrize("gated", [False, True])
def test_tokens(tokens: int, gated: bool) -> None:
    holds(made(tokens, 64, 96, 40, gated=gated))


@pytest.mark.parametrize("name", ["x", "up", "down", "gate"])
@pytest.mark.parametrize("tokens", [1, 2])
def test_no_bits_beyond_31_are_lost(name: str, tokens: int) -> None:
    """Rows that lie 2**31 numbers apart: on the CPU in memory that is never touched between them."""
    given = made(tokens, 32, 2, 3, dtype=torch.float16, gated=True)
    close = sparse_ffn(**given, activation="silu")
    storage = torch.empty(2**31 + 64, dtype=torch.float16, device=ON)
    given[name] = storage.as_strided(given[name].shape, (2**31, 1)).copy_(given[name])
    torch.testing.assert_close(sparse_ffn(**given, activation="silu"), close)


@pytest.mark.parametrize("dtype", LIMITS)
def test_dtypes(dtype: torch.dtype) -> None:
    for tokens in (1, 3, 17):
        holds(made(tokens, 61, 37, 23, dtype=dtype))
        holds(made(tokens, 61, 37, 23, dtype=dtype, gated=True), activation="silu")


@pytest.mark.parametrize(
    "configuration",
    [
        One(neurons=4, columns=16, rows=8, down_warps=4),
        One(num_warps=1, columns=64, rows=16, tiles=1, down_warps=1),
        Parts(programs=4, num_warps=4, stages=4),
        Parts(columns=32, stages=1),
        Tiles(neurons=32, columns=64, rows=32, down_stages=3),
        Tiles(tokens=64, chunk=64, rows=16),
    ],
)
def test_configurations(configuration: One | Parts | Tiles) -> None:
    for tokens, columns in ((1, 257), *([(5, 130)] if isinstance(configuration, Tiles) else [])):
        holds(made(tokens, columns, 50, 41), configuration=configuration)


def test_activations() -> None:
    for activation in ACTIVATIONS:
        for tokens in (1, 5):
            holds(made(tokens, 32, 20, 11), activation=activation)
            holds(made(tokens, 32, 20, 11, gated=True), activation=activation)


def test_nothing_and_one() -> None:
    for shape in ((3, 32, 16, 0), (0, 32, 16, 4), (3, 0, 16, 4), (3, 32, 0, 0), (1, 1, 1, 1), (5, 1, 1, 1)):
        holds(made(*shape))
    assert not sparse_ffn(**made(3, 32, 16, 0)).any()


@pytest.mark.parametrize("tokens", [1, 9])
@pytest.mark.parametrize("held", [0, 1, 7, 30])
def test_a_count_on_the_device(tokens: int, held: int) -> None:
    given = made(tokens, 40, 50, 30)
    given["active"][held:] = 10**12  # which nobody reads
    for dtype in (torch.int32, torch.int64):
        holds(given, count=torch.tensor([held], device=ON, dtype=dtype))


@pytest.mark.parametrize("tokens", [1, 6])
def test_strides(tokens: int) -> None:
    """Every tensor as a part of another one: rows apart, columns apart, weights by columns of neurons, indices apart."""
    given = made(tokens, 48, 40, 21, gated=True)
    wide = torch.zeros(tokens, 120, device=ON)
    wide[:, 5:101:2] = given["x"]
    apart = torch.zeros(63, dtype=torch.int32, device=ON)
    apart[::3] = given["active"]
    holds(
        given
        | {"x": wide[:, 5:101:2], "active": apart[::3]}
        | {"down": given["down"].T.contiguous().T, "gate": given["gate"].repeat(2, 1)[::2].copy_(given["gate"])}
    )


def test_an_infinity_is_eager_s() -> None:
    """Neurons that fill up a program are no neurons: an infinity times their zero would be NaN."""
    given = made(1, 32, 20, 5)
    given["x"][0, 0], given["up"][:, 0] = torch.inf, -1.0
    wanted = eager(**given, activation="relu")
    assert torch.isfinite(wanted).all()
    for configuration in (One(neurons=4), Parts(), Tiles()):
        assert torch.equal(sparse_ffn(**given, activation="relu", configuration=configuration), wanted)
    given["x"][0, 0] = torch.nan
    assert sparse_ffn(**given, activation="relu").isnan().all()


@pytest.mark.parametrize("tokens", [1, 2])
def test_the_same_bits_each_time(tokens: int) -> None:
    given = made(tokens, 64, 64, 50)
    assert torch.equal(holds(given), sparse_ffn(**given))


@pytest.mark.parametrize("neurons", [0, 1, 97, 4096, 9000])
def test_a_mask_s_indices(neurons: int) -> None:
    torch.manual_seed(neurons)
    for share in (0.0, 0.3, 1.0):
        mask = torch.rand(2 * neurons, device=ON)[::2] < share
        active, count = indices(mask)
        assert active.shape == (neurons,)
        assert active[: int(count)].tolist() == mask.nonzero()[:, 0].tolist()
    mask = torch.zeros(neurons, dtype=torch.bool, device=ON)
    mask[neurons // 2 :: 50] = True
    active, count = indices(mask, bound=int(mask.sum()) + 3)
    assert active[: int(count)].tolist() == mask.nonzero()[:, 0].tolist()


def test_from_a_mask_to_the_result() -> None:
    given = made(4, 64, 80, 1)
    mask = torch.rand(4, 80, device=ON) < 0.1
    active, count = indices(mask.any(0), bound=60)
    found = sparse_ffn(**given | {"active": active}, count=count)
    torch.testing.assert_close(found, eager(**given | {"active": mask.any(0).nonzero()[:, 0]}), rtol=1e-4, atol=1e-5)


def test_a_configuration_follows_the_tokens() -> None:
    def of(tokens: int, active: int, columns: int = 4096) -> Any:
        return chosen(tokens, columns, active, itemsize=2, gated=False)

    assert isinstance(of(1, 1100), One) and isinstance(of(1, 1100, LARGEST + 1), Tiles)
    assert isinstance(of(1, 5504), Parts) and isinstance(of(1, 5504, LARGEST), One)
    assert of(16, 1100).tokens < of(130, 1100).tokens
    assert len({str(one) for one in CANDIDATES}) == len(CANDIDATES)


FLOATS, NEURONS = torch.zeros(3, 16), torch.zeros(5, 16)


@pytest.mark.parametrize(
    ("change", "said"),
    [
        ({"x": torch.zeros(16)}, r"x is \[T, D\] in bfloat16, float16 or float32, not \[16\] of torch.float32"),
        ({"x": FLOATS.double()}, r"not \[3, 16\] of torch.float64"),
        ({"down": torch.zeros(5, 8)}, r"down is \[5, 8\] of torch.float32, and not \[5, 16\] of torch.float32, a row"),
        ({"gate": torch.zeros(4, 16)}, r"gate is \[4, 16\]"),
        ({"up": NEURONS.half()}, r"up is .* of torch.float16, and not \[5, 16\] of torch.float32"),
        ({"up": torch.zeros(())}, r"up is \[\] of torch.float32"),
        ({"active": torch.zeros(2)}, r"active is \[L\] of int32 or int64, not \[2\] of torch.float32"),
        ({"active": torch.zeros(5, dtype=torch.bool)}, r"active is \[L\] of int32 or int64, not \[5\] of torch.bool"),
        ({"count": torch.tensor(3)}, r"count is \[1\] of int32 or int64, not \[\] of torch.int64"),
        ({"activation": "tanh"}, "there is no activation 'tanh': it is identity, relu"),
        ({"down": NEURONS.to("meta")}, "one device, not on cpu and meta"),
        ({"up": NEURONS.clone().requires_grad_()}, r"no gradient: call it under torch.no_grad\(\)"),
        ({"x": torch.zeros(1, LARGEST + 1), "up": torch.zeros(2, LARGEST + 1), "down": torch.zeros(2, LARGEST + 1),
          "configuration": One()}, f"one token of at most {LARGEST} numbers is for One"),
        ({"configuration": One()}, r"is for One and Parts, not \[3, 16\]: ask for Tiles"),
    ],
)  # fmt: skip
def test_what_does_not_belong_together(change: dict[str, Any], said: str) -> None:
    given: dict[str, Any] = {"x": FLOATS, "up": NEURONS, "down": NEURONS, "active": torch.tensor([0, 1])}
    with pytest.raises(ValueError, match=said):
        sparse_ffn(**(given | change))


def test_a_mask_that_is_none() -> None:
    with pytest.raises(ValueError, match=r"mask is \[F\] of bool, not \[2, 3\] of torch.float32"):
        indices(torch.zeros(2, 3))
    if ON == "cpu":  # on a card it is a device-side assertion, after which a process can do no more
        with pytest.raises(ValueError, match="a bound of 2 has no room"):
            indices(torch.ones(3, dtype=torch.bool), bound=2)
        for wrong in (5, -6):
            with pytest.raises(IndexError, match="there are 5 neurons"):
                sparse_ffn(FLOATS, NEURONS, NEURONS, torch.tensor([0, wrong]))
