"""`lookups` held to eager; `test_kernels.py` runs this."""

from __future__ import annotations

from typing import Any

import pytest
import torch
from torch import Tensor
from torch.nn.functional import embedding

from inductor_lab.kernels.dlrm import lookups_grouped
from inductor_lab.kernels.dlrm.lookups import CANDIDATES, LARGE, SMALL, chosen, launch_backward, lookups

ON = "cuda" if torch.cuda.is_available() else "cpu"
BIG = {"SAMPLES": 128, "FEATURES": 4, "num_warps": 4}
"""Few programs: the interpreter runs one after the other."""


def eager(dense: Tensor, sparse: Tensor, tables: list[Tensor], cardinalities: Tensor | None) -> Tensor:
    rows = sparse if cardinalities is None else (sparse + 1) % cardinalities
    return torch.cat([dense, *(embedding(rows[:, i], table) for i, table in enumerate(tables))], dim=1)


def made(batch: int, tables: int, columns: int, dtype: torch.dtype = torch.float32) -> tuple[Any, ...]:
    """dense, sparse of any int64, tables of 1 to 40 rows, cardinalities."""
    torch.manual_seed(batch + tables + columns)
    cardinalities = torch.randint(1, 41, (tables,), device=ON)
    own = [torch.randn(int(rows), columns, dtype=dtype, device=ON, requires_grad=True) for rows in cardinalities]
    dense = torch.randn(batch, columns, dtype=dtype, device=ON, requires_grad=True)
    sparse = torch.randint(-(2**63), 2**63 - 1, (batch, tables), device=ON)
    return dense, sparse, own, cardinalities


def holds(dense: Tensor, sparse: Tensor, tables: list[Tensor], cardinalities: Tensor | None, **how: Any) -> None:
    """The result to the bit; gradients as near to float64's as the dtype is, where eager may be further."""
    found, wanted = lookups(dense, sparse, tables, cardinalities, **how), eager(dense, sparse, tables, cardinalities)
    assert torch.equal(found, wanted)
    grad = torch.randn_like(found)
    exact = [tensor.detach().double().requires_grad_() for tensor in (dense, *tables)]
    right = torch.autograd.grad(eager(exact[0], sparse, exact[1:], cardinalities), exact, grad.double())
    for own, its in zip(torch.autograd.grad(found, [dense, *tables], grad), right, strict=True):
        torch.testing.assert_close(
            own, its.to(own.dtype), **({"rtol": 1e-4, "atol": 1e-4} if own.dtype.itemsize > 2 else {})
        )


@pytest.mark.parametrize("batch", [1, 77, 129, 300])
def test_batches(batch: int) -> None:
    holds(*made(batch, 8, 16), configuration=BIG)


@pytest.mark.parametrize("tables", [1, 20, 26, 40])
def test_numbers_of_tables(tables: int) -> None:
    holds(*made(77, tables, 16), configuration=BIG)


@pytest.mark.parametrize("columns", [1, 17, 48, 128])
def test_rows_of_other_lengths(columns: int) -> None:
    holds(*made(33, 3, columns), configuration=BIG)


@pytest.mark.parametrize("dtype", [torch.bfloat16, torch.float16, torch.float64])
def test_dtypes(dtype: torch.dtype) -> None:
    holds(*made(33, 3, 16, dtype), configuration=BIG)


@pytest.mark.parametrize("configuration", CANDIDATES, ids=str)
def test_every_configuration_computes_the_same(configuration: dict[str, int]) -> None:
    holds(*made(9, 5, 16), configuration=configuration)


def test_what_is_chosen() -> None:
    assert chosen(9, 3, 64) == SMALL and chosen(65_536, 27, 64) == LARGE
    holds(*made(9, 2, 16))


def test_the_hash_is_python_s() -> None:
    edges = [-(2**63), -(2**32) - 1, -(2**32), -2, -1, 0, 1, 6, 7, 2**31 - 1, 2**32 - 2, 2**32 - 1, 2**32, 2**63 - 2]
    table = torch.arange(7.0, device=ON)[:, None]
    sparse = torch.tensor(edges, device=ON)[:, None]
    found = lookups(torch.zeros(len(edges), 1, device=ON), sparse, [table], torch.tensor([7], device=ON))
    assert found[:, 1].tolist() == [(edge + 1) % 7 for edge in edges]


@pytest.mark.parametrize("category", [1651969401, -7, 2**63 - 1])
def test_everybody_asks_for_the_same_row(category: int) -> None:
    dense, sparse, tables, cardinalities = made(300, 3, 16)
    holds(dense, torch.full_like(sparse, category), tables, cardinalities, configuration=BIG)


def test_few_categories_are_most_of_a_batch() -> None:
    dense, sparse, tables, cardinalities = made(300, 8, 16)
    skewed = (40 ** torch.rand(sparse.shape, device=ON)).long()  # n about as often as 1 / n
    holds(dense, skewed, tables, cardinalities, configuration=BIG)


def test_what_is_not_contiguous() -> None:
    dense, sparse, tables, cardinalities = made(33, 4, 16)
    wide = [torch.randn(len(table), 20, device=ON)[:, 2:18].requires_grad_() for table in tables]
    holds(dense.detach().t().contiguous().t().requires_grad_(), sparse.t().contiguous().t(), wide, cardinalities)
    holds(dense, sparse.repeat_interleave(2, 1)[:, ::2], tables, torch.stack([cardinalities, cardinalities], 1)[:, 0])


def test_gradients_that_nobody_wants() -> None:
    dense, sparse, tables, cardinalities = made(5, 3, 16)
    found = lookups(dense.detach(), sparse, [tables[0], *(table.detach() for table in tables[1:])], cardinalities)
    (grad,) = torch.autograd.grad(found.sum(), tables[0])
    counts = ((sparse[:, 0] + 1) % cardinalities[0]).bincount(minlength=len(tables[0]))
    assert torch.equal(grad, counts[:, None].float().expand(-1, 16))
    assert not lookups(dense.detach(), sparse, [table.detach() for table in tables], cardinalities).requires_grad


def test_gradcheck() -> None:
    dense, sparse, tables, cardinalities = made(3, 2, 2, torch.float64)
    assert torch.autograd.gradcheck(
        lambda *given: lookups(given[0], sparse, given[1:], cardinalities), (dense, *tables), fast_mode=True
    )


def test_in_an_order_where_that_is_asked_for() -> None:
    dense, sparse, tables, cardinalities = made(33, 3, 16)
    torch.use_deterministic_algorithms(True)
    try:
        holds(dense, sparse, tables, cardinalities, configuration=BIG)
    finally:
        torch.use_deterministic_algorithms(False)


def test_grouped_where_that_is_faster(monkeypatch: pytest.MonkeyPatch) -> None:
    assert lookups_grouped.faster(65_536, [10_000] * 26, 64)
    assert not lookups_grouped.faster(65_536, [10_000] * 26, 16)  # few columns
    assert not lookups_grouped.faster(65_536, [1_000_000] * 26, 64)  # more rows than lookups
    assert not lookups_grouped.faster(128, [3] * 26, 64)  # few lookups
    monkeypatch.setattr(lookups_grouped, "faster", lambda batch, rows, columns: True)
    holds(*made(33, 3, 16))


def test_rows_without_a_hash() -> None:
    dense, sparse, tables, cardinalities = made(33, 3, 16)
    holds(dense, sparse % cardinalities, tables, None, configuration=BIG)


@pytest.mark.skipif(ON == "cuda", reason="the assertion ends the process's use of the card")
@pytest.mark.parametrize("row", [-1, 5])
def test_a_row_outside_is_an_error(row: int) -> None:
    with pytest.raises(IndexError, match="index out of range in self"):
        lookups(torch.zeros(3, 16), torch.tensor([[0], [row], [2]]), [torch.zeros(5, 16)], None)


def test_a_table_of_more_than_2_to_the_31_numbers() -> None:
    """On the CPU in memory that is never touched between its first and its last rows."""
    count = 2**27 + 3
    table = torch.empty(count, 16, device=ON, dtype=torch.float16)
    rows = torch.tensor([0, count - 1, 2**27, 1, count - 2], device=ON)
    table[rows] = torch.randn(len(rows), 16, device=ON).half()
    dense, sparse, small, cardinalities = made(len(rows), 1, 16, torch.float16)
    both, counts = torch.stack([rows - 1, sparse[:, 0]], 1), cardinalities.new_tensor([count, len(small[0])])
    found = lookups(dense, both, [table, *small], counts)
    assert torch.equal(found, torch.cat([dense, table[rows], eager(dense, sparse, small, cardinalities)[:, 16:]], 1))


def test_the_gradient_of_a_table_of_more_than_2_to_the_31_numbers() -> None:
    count = 2**27 + 3
    summed = torch.empty(count, 16, device=ON, dtype=torch.float32)
    rows = torch.tensor([count - 1, 0, 2**27, count - 1], device=ON)
    summed[rows] = 0
    grad = torch.randn(len(rows), 32, device=ON)
    launch_backward([summed], grad, rows[:, None], None)
    right = torch.stack([grad[0] + grad[3], grad[1], grad[2]])[:, 16:]
    torch.testing.assert_close(summed[[count - 1, 0, 2**27]], right)


def test_an_empty_batch() -> None:
    _, _, tables, cardinalities = made(1, 3, 16)
    none = torch.zeros(0, 16, device=ON), torch.zeros(0, 3, dtype=torch.int64, device=ON)
    assert lookups(*none, tables, cardinalities).shape == (0, 64)


@pytest.mark.parametrize(
    ("change", "said"),
    [
        ({"dense": torch.zeros(4, 16)}, r"dense \[4, 16\], sparse \[3, 2\] and 2 tables do not belong together"),
        ({"dense": torch.zeros(3, 0)}, "D and T at least one"),
        ({"tables": []}, "0 tables do not belong together"),
        ({"tables": [torch.zeros(5, 16), torch.zeros(5, 8)]}, r"table 1 is \[5, 8\] of torch.float32, and not \[rows, 16\]"),
        ({"tables": [torch.zeros(5, 16), torch.zeros(5, 16).half()]}, "table 1 is .* of torch.float16"),
        ({"sparse": torch.zeros(3, 2)}, "sparse int64, not torch.float32 and torch.float32"),
        ({"cardinalities": torch.tensor([5])}, r"cardinalities are \[1\] of torch.int64, and not \[2\]"),
        ({"cardinalities": torch.tensor([5, 5], device="meta")}, "one device, not on cpu and meta"),
        ({"cardinalities": torch.tensor([5, 6])}, r"cardinalities \[5, 6\] are not 1 to a table's rows, \[5, 5\]"),
        ({"cardinalities": torch.tensor([0, 5])}, r"cardinalities \[0, 5\] are not 1 to"),
    ],
)  # fmt: skip
def test_what_does_not_belong_together(change: dict[str, Any], said: str) -> None:
    given = {
        "dense": torch.zeros(3, 16),
        "sparse": torch.zeros(3, 2, dtype=torch.int64),
        "tables": [torch.zeros(5, 16)] * 2,
        "cardinalities": torch.tensor([5, 5]),
    }
    with pytest.raises(ValueError, match=said):
        lookups(**(given | change))
