"""`rotary` held to eager; `test_rotary.py` runs this."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import Any

import pytest
import torch
from torch import Tensor

ON = "cuda" if torch.cuda.is_available() else "cpu"
if ON == "cpu":
    from inductor_lab.judge import stand_ins

    stand_ins.install()  # Triton's own interpreter rounds bfloat16 otherwise

from inductor_lab.kernels.rotary import kernel  # noqa: E402
from inductor_lab.kernels.rotary.kernel import AXES, CANDIDATES, rotary, tile  # noqa: E402

BIG = {"TOKENS": 64, "HEADS": 8, "num_warps": 4}
"""Few programs: the interpreter runs one after the other."""


def eager(x: Tensor, cos: Tensor, sin: Tensor, layout: str, interleaved: bool, dimension: int) -> Tensor:
    """cos and sin [.., T, W], one row for each token."""
    x = x if layout == "BHTD" else x.transpose(1, 2)
    half = dimension // 2
    if cos.shape[-1] == half:
        cos, sin = (t.repeat_interleave(2, -1) if interleaved else torch.cat([t, t], -1) for t in (cos, sin))
    if cos.ndim == 3:
        cos, sin = cos[:, None], sin[:, None]
    own, rest = x[..., :dimension], x[..., dimension:]
    apart, neighbours = [-own[..., half:], own[..., :half]], [-own[..., 1::2], own[..., ::2]]
    turned = torch.stack(neighbours, -1).flatten(-2) if interleaved else torch.cat(apart, -1)  # a quarter
    out = torch.cat([own * cos + turned * sin, rest], -1)
    return out if layout == "BHTD" else out.transpose(1, 2)


def drawn(*shape: int, dtype: torch.dtype = torch.float32) -> Tensor:
    return torch.randn(*shape, device=ON).to(dtype)


def made(
    batch: int,
    heads: tuple[int, int],
    tokens: int,
    columns: int,
    layout: str = "BHTD",
    dtype: torch.dtype = torch.float32,
) -> list[Tensor]:
    """query and key."""
    torch.manual_seed(batch + tokens + columns)
    shapes = [(batch, count, tokens, columns) for count in heads]
    return [drawn(*(shape[axis] for axis in AXES[layout]), dtype=dtype).requires_grad_() for shape in shapes]


def holds(
    both: list[Tensor], cos: Tensor, sin: Tensor, *, positions: Tensor | None = None, offset: int = 0, **how: Any
) -> None:
    """Results and gradients as near to float64's as one rounding is."""
    layout, interleaved = how.get("layout", "BHTD"), how.get("interleaved", False)
    dimension = how.get("dimension") or both[0].shape[-1]
    before = [x.detach().clone() for x in (*both, cos, sin)]
    found = rotary(both[0], both[1], cos, sin, positions=positions, offset=offset, **{"configuration": BIG, **how})
    tokens = both[0].shape[AXES[layout][2]]
    tables = [
        t[..., offset : offset + tokens, :] if positions is None else t[positions] for t in (cos.double(), sin.double())
    ]
    exact = [x.detach().double().requires_grad_() for x in both]
    right = [eager(x, tables[0], tables[1], layout, interleaved, dimension) for x in exact]
    grads = [torch.randn_like(x) for x in found]
    given = torch.autograd.grad(found, both, grads)
    wanted = torch.autograd.grad(right, exact, [grad.double() for grad in grads])
    epsilon = torch.finfo(both[0].dtype).eps
    for own, its, x in zip((*found, *given), (*right, *wanted), (*both, *both), strict=True):
        assert own.dtype == x.dtype and own.shape == x.shape
        torch.testing.assert_close(own.double(), its, rtol=epsilon, atol=8 * min(epsilon, 1.2e-7))
    for x, was in zip((*both, cos, sin), before, strict=True):
        assert torch.equal(x, was)


@pytest.mark.parametrize("layout", AXES)
@pytest.mark.parametrize("interleaved", [False, True])
@pytest.mark.parametrize("width", [1, 2])
def test_both_layouts_pairings_and_tables(layout: str, interleaved: bool, width: int) -> None:
    cos, sin = (
        drawn(7, 8 * width),
        drawn(7, 8 * width),
    )  # with a width of 2, the members of a pair have angles of their own
    holds(made(2, (6, 2), 7, 16, layout), cos, sin, layout=layout, interleaved=interleaved)


@pytest.mark.parametrize("heads", [(4, 4), (32, 8), (7, 1), (1, 1), (3, 0), (2, 9)])
def test_heads(heads: tuple[int, int]) -> None:
    holds(made(1, heads, 5, 8), drawn(5, 4), drawn(5, 4))


@pytest.mark.parametrize("tokens", [1, 13, 64, 131])
def test_tokens_and_samples(tokens: int) -> None:
    holds(made(3, (2, 1), tokens, 8), drawn(tokens, 4), drawn(tokens, 4))


@pytest.mark.parametrize(("columns", "dimension"), [(2, 2), (80, 80), (24, 10), (64, 32), (20, 18), (256, 256)])
@pytest.mark.parametrize("interleaved", [False, True])
def test_columns_and_a_part_of_them(columns: int, dimension: int, interleaved: bool) -> None:
    tables = drawn(5, dimension // 2), drawn(5, dimension // 2)
    holds(made(1, (3, 1), 5, columns), *tables, dimension=dimension, interleaved=interleaved)


@pytest.mark.parametrize("dtype", [torch.bfloat16, torch.float16, torch.float32, torch.float64])
@pytest.mark.parametrize("of_tables", [None, torch.float32])
def test_dtypes(dtype: torch.dtype, of_tables: torch.dtype | None) -> None:
    tables = [drawn(5, 16, dtype=of_tables or dtype) for _ in range(2)]
    holds(made(2, (4, 2), 5, 32, dtype=dtype), *tables)


@pytest.mark.parametrize("configuration", CANDIDATES, ids=str)
def test_every_configuration_computes_the_same(configuration: dict[str, int]) -> None:
    holds(made(2, (5, 2), 9, 16, dtype=torch.float16), drawn(9, 8), drawn(9, 8), configuration=configuration)


def test_what_is_chosen() -> None:
    of = {"TOKENS": 2, "HEADS": 8, "num_warps": 4}
    holds(made(1, (4, 2), 5, 16), drawn(5, 8), drawn(5, 8), configuration=None)
    assert tile(8192, [32, 8], 256, of) == of
    assert tile(8192, [32, 8], 512, of) == of | {"TOKENS": 1}
    assert tile(8192, [1, 1], 256, of) == of | {"TOKENS": 8, "HEADS": 2}
    assert tile(1, [32, 8], 1 << 20, of) == of | {"TOKENS": 1, "HEADS": 1}


@pytest.mark.parametrize("kind", [torch.int64, torch.int32])
def test_positions(kind: torch.dtype) -> None:
    cos, sin = drawn(40, 8), drawn(40, 8)
    both = made(3, (4, 2), 6, 16)
    holds(both, cos, sin, positions=torch.tensor([39, 0, 7, 7, 3, 38], device=ON, dtype=kind))
    holds(both, cos, sin, positions=torch.randint(0, 40, (3, 12), device=ON, dtype=kind)[:, ::2])
    holds(both, cos, sin, offset=34)
    one = made(3, (4, 2), 1, 16)  # decoding: each sample is at a place of its own
    holds(one, cos, sin, positions=torch.tensor([[5], [39], [0]], device=ON, dtype=kind))


def test_tables_of_each_sample() -> None:
    holds(made(3, (4, 2), 6, 16), drawn(3, 6, 16), drawn(3, 6, 16))
    holds(made(3, (4, 2), 6, 16), drawn(1, 6, 16), drawn(1, 6, 16))


def test_slices_of_a_projection_are_read_where_they_lie(monkeypatch: pytest.MonkeyPatch) -> None:
    both = [x.detach().requires_grad_() for x in drawn(2, 6, 10, 16).transpose(1, 2).split((6, 2, 2), dim=1)[:2]]
    holds(both, drawn(6, 8), drawn(6, 8))
    out = rotary(both[0], both[1], drawn(6, 8), drawn(6, 8))
    assert [x.stride() for x in out] == [
        (576, 16, 96, 1),
        (192, 16, 32, 1),
    ]  # dense, a token's heads side by side as in the slice
    monkeypatch.setattr(Tensor, "contiguous", None)
    monkeypatch.setattr(Tensor, "clone", None)
    rotary(both[0], both[1], drawn(6, 8), drawn(6, 8))


def test_other_strides() -> None:
    both = [drawn(16, 5, 4, 2).permute(3, 2, 1, 0).requires_grad_(), drawn(2, 2, 5, 32)[..., ::2].requires_grad_()]
    holds(both, drawn(16, 5).t(), drawn(16, 10).t()[::2])
    tables = drawn(5, 8), drawn(5, 8)
    expanded = [x.detach().expand(2, 4, 5, 16).requires_grad_() for x in (drawn(1, 4, 5, 16), drawn(2, 1, 5, 16))]
    holds(expanded, *tables)
    query, key = made(2, (4, 2), 5, 16)
    first, second = rotary(query, key, *tables)
    (first.sum() + second.sum()).backward()  # a gradient of ones that all lie at one place
    wanted = torch.autograd.grad(eager(query, *tables, "BHTD", False, 16).sum(), query)
    torch.testing.assert_close(query.grad, wanted[0])


def test_one_gradient_of_two() -> None:
    query, key = made(2, (4, 2), 5, 16)
    tables = drawn(5, 8), drawn(5, 8)
    for at, x in enumerate((query, key)):
        wanted = torch.autograd.grad(eager(x, *tables, "BHTD", False, 16).square().sum(), x)
        own = [query, key] if at == 0 else [query.detach(), key]
        found = torch.autograd.grad(rotary(*own, *tables)[at].square().sum(), x)
        torch.testing.assert_close(found, wanted)
    assert not rotary(query.detach(), key.detach(), *tables)[0].requires_grad


def test_gradcheck_and_its_own_gradient() -> None:
    for interleaved, width in ((False, 4), (True, 2)):
        both, tables = (
            made(1, (2, 1), 2, 4, dtype=torch.float64),
            [drawn(2, width, dtype=torch.float64) for _ in range(2)],
        )

        def own(query: Tensor, key: Tensor, tables: Any = tables, interleaved: bool = interleaved) -> Any:
            return rotary(query, key, *tables, interleaved=interleaved, configuration=BIG)

        assert torch.autograd.gradcheck(own, both, fast_mode=True)
        assert torch.autograd.gradgradcheck(own, both, fast_mode=True)


def test_in_place() -> None:
    for columns, how in ((16, {}), (24, {"dimension": 16, "interleaved": True})):
        query, key = (x.detach() for x in made(2, (4, 2), 5, columns))
        tables = drawn(5, 8), drawn(5, 8)
        wanted = rotary(query, key, *tables, **how)
        found = rotary(query, key, *tables, in_place=True, **how)
        assert found[0] is query and found[1] is key
        assert all(torch.equal(own, its) for own, its in zip(found, wanted, strict=True))


def test_nothing_to_do() -> None:
    for batch, tokens in ((0, 5), (2, 0)):
        query, key = rotary(*made(batch, (4, 2), tokens, 16), drawn(5, 8), drawn(5, 8))
        assert query.shape == (batch, 4, tokens, 16) and key.shape == (batch, 2, tokens, 16)
        assert torch.autograd.grad(query.sum(), made(batch, (4, 2), tokens, 16), allow_unused=True) == (None, None)


def test_no_bits_beyond_31_are_lost() -> None:
    """Rows that lie more than 2**31 elements apart: on the CPU in memory that is never touched between them."""
    storage = torch.empty(2**31 + 64, dtype=torch.float16, device=ON)
    query = storage.as_strided((2, 1, 2, 16), (2**31, 16, 16, 1))
    query.copy_(made(2, (1, 1), 2, 16, dtype=torch.float16)[0].detach())
    tables = drawn(2, 8), drawn(2, 8)
    found = rotary(query, query.contiguous(), *tables)
    assert torch.equal(*found)


@pytest.mark.skipif(ON == "cuda", reason="the assertion ends the process's use of the card")
@pytest.mark.parametrize("position", [-1, 7])
def test_a_position_outside_is_an_error(position: int) -> None:
    with pytest.raises(IndexError, match="a position is outside of the 7 rows"):
        rotary(*made(1, (1, 1), 2, 16), drawn(7, 8), drawn(7, 8), positions=torch.tensor([0, position]))


Q, K, C = torch.zeros(2, 4, 5, 16), torch.zeros(2, 2, 5, 16), torch.zeros(5, 8)


@pytest.mark.parametrize(
    ("change", "said"),
    [
        ({"layout": "THD"}, "there is no layout 'THD': it is BHTD, BTHD"),
        ({"query": Q[0]}, r"query \[4, 5, 16\] and key \[2, 2, 5, 16\] do not belong together: both are \[B, H, T, D\], .* second"),
        ({"layout": "BTHD"}, r"both are \[B, T, H, D\], and differ in heads, the third, alone"),
        ({"key": K.half()}, "one floating-point dtype of 16, 32 or 64 bits"),
        ({"cos": C.long()}, "cos and sin such a one each, not torch.float32, torch.float32, torch.int64"),
        ({"dimension": 15}, "15 columns of 16 can not be rotated: it is an even number, at least 2"),
        ({"dimension": 18}, "18 columns of 16"),
        ({"cos": torch.zeros(5, 4)}, r"cos \[5, 4\] and sin \[5, 8\] are not both \[rows, W\] .* with W 8 or 16"),
        ({"dimension": 6}, "with W 3 or 6"),
        ({"cos": torch.zeros(3, 5, 8), "sin": torch.zeros(3, 5, 8)}, "cos and sin are of 3 samples, and query of 2"),
        ({"sin": C.to("meta")}, "all tensors lie on one device, not on cpu and meta"),
        ({"offset": 1}, "5 tokens from row 1 on are not in the 5 rows of cos and sin"),
        ({"offset": -1}, "from row -1 on"),
        ({"offset": 1, "positions": torch.zeros(5, dtype=torch.int64)}, "with positions there is no offset"),
        ({"positions": torch.zeros(5)}, "positions are signed integers, not torch.float32"),
        ({"positions": torch.zeros(3, 5, dtype=torch.int64)}, r"positions are \[5\] or \[2, 5\], and not \[3, 5\]"),
        ({"cos": C.clone().requires_grad_()}, "cos and sin have no gradient here: give them detached"),
        ({"query": Q.clone().requires_grad_(), "in_place": True}, "in place there is no gradient"),
        ({"query": Q, "key": Q, "in_place": True}, "memory of their own for every element"),
        ({"key": K[:, :, :1].expand(2, 2, 5, 16), "in_place": True}, "memory of their own for every element"),
    ],
)  # fmt: skip
def test_what_does_not_belong_together(change: dict[str, Any], said: str) -> None:
    given: dict[str, Any] = {"query": Q, "key": K, "cos": C, "sin": C} | change
    with pytest.raises(ValueError, match=said):
        rotary(**given)


def test_it_can_be_copied() -> None:
    """It imports torch and Triton, and else what Python has."""
    lines = Path(kernel.__file__).read_text(encoding="utf-8").splitlines()
    roots = {line.split()[1].partition(".")[0] for line in lines if line.startswith(("import ", "from "))}
    assert roots - sys.stdlib_module_names == {"torch", "triton"}


def test_a_derivative_forward_is_refused() -> None:
    q, k, c = (one.to(ON) for one in (Q, K, C))
    with torch.autograd.forward_ad.dual_level(), pytest.raises(NotImplementedError, match="jvp"):
        rotary(q, torch.autograd.forward_ad.make_dual(k, k), c, c)
