"""The grouped gradient of `lookups` held to sums in float64; `test_kernels.py` runs this."""

from __future__ import annotations

from typing import Any

import pytest
import torch
from torch import Tensor

from inductor_lab.kernels.dlrm.lookups_grouped import CANDIDATES, gradients

ON = "cuda" if torch.cuda.is_available() else "cpu"


def holds(batch: int, rows: list[int], columns: int, sparse: Tensor | None = None, **how: Any) -> None:
    """With the hash and without it."""
    torch.manual_seed(batch + columns)
    dtype = how.pop("dtype", torch.float32)
    if sparse is None:
        sparse = torch.randint(-(2**63), 2**63 - 1, (batch, len(rows)), device=ON)
    cardinalities = torch.tensor(rows, device=ON)
    grad = torch.randn(batch, (len(rows) + 1) * columns, device=ON, dtype=dtype)
    found = (sparse + 1) % cardinalities
    parts = grad.double().split(columns, dim=1)[1:]
    for given in ((sparse, cardinalities), (found, None)):
        own = gradients(grad, given[0], rows, given[1], **how)
        for table, part in enumerate(parts):
            right = part.new_zeros(rows[table], columns).index_add_(0, found[:, table], part)
            assert own[table].dtype == dtype
            torch.testing.assert_close(
                own[table], right.to(dtype), **({"rtol": 1e-5, "atol": 1e-5} if dtype.itemsize > 2 else {})
            )


@pytest.mark.parametrize("configuration", CANDIDATES, ids=str)
def test_every_configuration(configuration: dict[str, int]) -> None:
    holds(77, [1, 40, 3, 300], 16, configuration=configuration)


@pytest.mark.parametrize("batch", [1, 8, 129, 300])
def test_batches(batch: int) -> None:
    holds(batch, [7, 2], 16)


@pytest.mark.parametrize("columns", [1, 17, 48, 128])
def test_rows_of_other_lengths(columns: int) -> None:
    holds(33, [5, 90, 1], columns)


@pytest.mark.parametrize("dtype", [torch.bfloat16, torch.float16, torch.float64])
def test_dtypes(dtype: torch.dtype) -> None:
    holds(33, [5, 9], 16, dtype=dtype)


@pytest.mark.parametrize("tables", [1, 20, 40])
def test_numbers_of_tables(tables: int) -> None:
    holds(9, [4] * tables, 4)


def test_everybody_asks_for_the_same_row() -> None:
    holds(300, [40, 7], 16, torch.full((300, 2), 1651969401, device=ON))


def test_what_is_not_contiguous() -> None:
    holds(33, [5, 9, 4], 16, torch.randint(0, 2**32, (3, 33), device=ON).t())
    holds(33, [5, 9, 4], 16, torch.randint(0, 2**32, (33, 6), device=ON)[:, ::2])
