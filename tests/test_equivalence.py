"""Each rule of equivalence proves a mutant that computes the same, and does not prove one near it that computes another thing."""

from __future__ import annotations

from collections.abc import Sequence

import pytest
from faults.every_program import beside_each_other
from faults.kernels import ejected
from faults.mutation import Mutant, mutants
from faults.proving import RULES, proofs

pytest.importorskip("torch")
pytest.importorskip("triton")

Row = tuple[str, str, str]
"""A kernel, what is changed, and what stands there instead."""


def changed(kernel: str, before: str, after: str) -> list[Mutant]:
    found = [one for one in mutants(kernel, ejected(kernel)) if (one.before, one.after) == (before, after)]
    assert found, (kernel, before, after)
    return found


def proven(rows: Sequence[Row], rule: int) -> list[str]:
    """Whether one of the rules that run or compile proves each row: the first mutant of its name."""
    asked = [changed(*row)[0] for row in rows]
    found = proofs(asked, jobs=2, rules=RULES[rule : rule + 1])
    return [found.get(mutant.name, "") for mutant in asked]


def test_same_code() -> None:
    same = {
        ("widened_product", "arg0.to(tl.int64)", "(arg0)"): "same code",  # Triton widens it as the other is
        ("concatenated", "ARG1_COLUMNS", "(ARG1_COLUMNS + 1)"): "",
        ("relu", "inside", "None"): "",
    }
    assert dict(zip(same, proven(list(same), 0), strict=True)) == same


def test_same_in_every_program() -> None:
    same = {
        ("concatenated", "column.to(tl.int64)", "(column)"): "same in every program",
        (
            "average_pool",
            "ARG0_COLUMNS",
            "(ARG0_COLUMNS - 1)",
        ): "same in every program",  # the last window ends before it
        ("max_pool", "d2 * 2 - 1", "(d2 * 2)"): "",  # the first window begins in the padding
        ("layer_norm", "tl.program_id(0) * BLOCK", "(tl.program_id(0))"): "",  # the same for blocks of one row alone
        ("relu", "inside", "None"): "",
        ("concatenated", "ARG1_COLUMNS", "(ARG1_COLUMNS + 1)"): "",
    }
    assert dict(zip(same, proven(list(same), 1), strict=True)) == same


def test_what_data_decides_is_no_part_of_every_program() -> None:
    (mutant,) = changed("causal", "row.to(tl.int64)", "(row)")
    assert "same_(row.to(tl.int64) >= column.to(tl.int64), (row) >= column.to(tl.int64))" in beside_each_other(mutant)
    for kernel, before, after in (
        ("gather", "index < 0", "((index) <= (0))"),
        ("leaky", "arg0 > 0.0", "((arg0) >= (0.0))"),
    ):
        assert not any(beside_each_other(one) for one in changed(kernel, before, after))
