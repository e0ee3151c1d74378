"""Where a tensor is wrong, told in one sentence."""

from __future__ import annotations

import dataclasses
import json
import math
from typing import Any

import pytest
import torch
from torch import Tensor
from torch.utils._python_dispatch import TorchDispatchMode

from inductor_lab.judge.compare.pattern import Where, where
from inductor_lab.report.results import _where

ROWS, COLUMNS = 64, 96
GENERATOR = torch.Generator().manual_seed(0)
X = torch.randn(ROWS, COLUMNS, generator=GENERATOR)
X[5, 6] = X[50, 60] = 0.0
X[7, 8] = math.nan
LABELS = torch.randint(0, 50, (ROWS,), generator=GENERATOR)
LABELS[[3, 8, 40]] = -100
ROW, COLUMN = torch.arange(ROWS)[:, None], torch.arange(COLUMNS)[None, :]
FLAT = ROW * COLUMNS + COLUMN
OTHER = torch.randn(ROWS, COLUMNS, generator=GENERATOR)
RESULT = torch.relu(X + OTHER)


def told(wrong: Tensor, **inputs: Tensor) -> Where:
    wrong = wrong.expand(ROWS, COLUMNS)
    want = torch.ones(ROWS, COLUMNS)
    return where(want.where(~wrong, 2.0), want, want.double(), wrong, inputs)


@pytest.mark.parametrize(
    ("wrong", "pattern"),
    [
        (FLAT >= 0, "every element"),
        (COLUMN == COLUMNS - 1, "every element of the last column"),
        (COLUMN == 3, "every element of column 3"),
        (ROW == 0, "every element of row 0"),
        (FLAT >= ROWS * COLUMNS - 37, "the last 37 elements, counted row by row"),
        (ROW >= 60, "the last 4 rows, from 60 on"),
        (COLUMN >= 64, "the last 32 columns, from 64 on"),
        (COLUMN < 32, "every column up to 31"),
        (COLUMN % 16 == 0, "every 16th column"),
        (FLAT % 7 == 0, "every 7th element"),
        ((ROW >= 3) & (ROW < 8) & (FLAT % 3 == 1), "in rows 3 to 7, columns 1 to 94"),
        (FLAT == 1000, "in row 10, column 40"),
        (LABELS[:, None] == -100, "rows where labels is -100"),
        (X == 0, "only where x is exactly 0"),
        (X.isnan(), "only where x is NaN"),
        (X < 0, "only where x is negative"),
        (X > 1.5, "only where x is > 1.5"),
        (X.abs() > 1.5, "only where x is > 1.5 in magnitude"),
        (X.abs() < 0.25, "only where x is < 0.25 in magnitude"),
        ((FLAT + ROW) % 100 != 70, "nearly every element"),
        ((FLAT % 3 == 0) & (X > 0) | (FLAT == 0) | (FLAT == ROWS * COLUMNS - 1), "all over the tensor"),
    ],
    ids=lambda value: value if isinstance(value, str) else "",
)
def test_what_the_wrong_elements_have_in_common(wrong: Tensor, pattern: str) -> None:
    assert told(wrong, x=X, labels=LABELS).pattern == pattern


def test_an_input_of_a_row_s_length_is_not_taken_for_each_element() -> None:
    weight = torch.randn(COLUMNS, generator=GENERATOR)
    assert told(weight < 0, weight=weight).pattern == "only where weight is negative"


def test_the_first_wrong_element() -> None:
    found = told((ROW == 2) & (COLUMN >= 5))
    assert (found.index, found.value, found.eager, found.exact) == ((2, 5), 2.0, 1.0, 1.0)
    assert (found.wrong, found.of) == (COLUMNS - 5, ROWS * COLUMNS)
    assert found.ulps == 2.0**23
    json.dumps(dataclasses.asdict(found))


@pytest.mark.parametrize(
    ("wrong", "pattern"),
    [
        (RESULT == 0, "only where eager is exactly 0"),
        (RESULT > 0, "only where eager is positive"),
        (RESULT > 0.2, "only where eager is > 0.2"),
        ((RESULT > 0) & (OTHER.abs() > 0.1), "only where eager is positive"),
        ((RESULT == 0) & (COLUMN < 40), "in columns 0 to 39"),
    ],
    ids=lambda value: value if isinstance(value, str) else "",
)
def test_what_only_the_result_tells(wrong: Tensor, pattern: str) -> None:
    """As where a relu of a sum clips wrongly: no summand alone says where."""
    out = (RESULT + 1).where(wrong, RESULT)
    assert where(out, RESULT, RESULT.double(), wrong, {"x": X, "other": OTHER}).pattern == pattern


def test_a_value_of_an_input_goes_before_one_of_the_result() -> None:
    out = torch.relu(X)
    wrong = X < 0
    assert where(out + 1, out, out.double(), wrong, {"x": X}).pattern == "only where x is negative"


def test_what_holds_nearly_everywhere_is_no_condition() -> None:
    wrong = X.nan_to_num() > -2.5
    wrong[10:20, 30] = False
    assert told(wrong, x=X).pattern == "nearly every element"


def test_integers_and_bools_are_told_exactly() -> None:
    want = torch.tensor([[5, 2**62 + 1], [7, 8]])
    wrong = torch.tensor([[False, True], [False, True]])
    found = where(want.where(~wrong, 2**62), want, want, wrong, {})
    assert (found.value, found.eager, found.ulps) == (2**62, 2**62 + 1, 1.0)
    (line, *_) = _where({"tensor": "n", **dataclasses.asdict(found)})
    assert line == f"first wrong   n[0, 1] is {2**62}, eager {2**62 + 1}"
    found = where(wrong, ~wrong, ~wrong, torch.ones(2, 2, dtype=torch.bool), {})
    assert (found.value, found.eager) == (False, True)


def test_a_nan_is_called_so_as_in_the_verdict_s_sentence() -> None:
    want = X.where(~X.isnan(), 1.0)
    found = where(X, want, want.double(), X.isnan(), {})
    (line, *_) = _where({"tensor": "x", **dataclasses.asdict(found)})
    assert line == "first wrong   x[7, 8] is NaN, eager 1, float64 1"


def test_what_overflows() -> None:
    exact = X.nan_to_num().double() * 1e5
    wrong = exact.abs() > 65504
    out = exact.half().where(~wrong, 0.0)
    assert where(out, exact.half(), exact, wrong, {}).pattern == "only where the result is too large for float16"


def test_an_infinity_that_is_meant_is_no_overflow() -> None:
    want = X.nan_to_num().where(X != 0, -math.inf)
    out = want.where(X != 0, -1e4)
    assert where(out, want, want.double(), X == 0, {}).pattern == "only where eager is infinite"


HIDDEN = torch.rand(ROWS, COLUMNS, generator=GENERATOR) < 0.5
HIDDEN[[7, 20]] = True
SCORES = OTHER.clone()
SCORES[30] = SCORES[31, ::2] = -math.inf


@pytest.mark.parametrize(
    ("inputs", "pattern"),
    [
        ({"scores": OTHER, "mask": HIDDEN}, "only in fully masked rows, where mask is True throughout"),
        ({"scores": OTHER, "keep": ~HIDDEN}, "only in fully masked rows, where keep is False throughout"),
        ({"scores": SCORES}, "only in fully masked rows, where scores is -inf throughout"),
        ({"scores": SCORES, "mask": HIDDEN}, "only in fully masked rows, where scores is -inf or mask is True throughout"),
    ],
    ids=["mask", "keep", "-inf", "both"],
)  # fmt: skip
def test_fully_masked_rows(inputs: dict[str, Tensor], pattern: str) -> None:
    """As where a softmax has -1e4 for -inf: eager has NaN in such a row, the kernel the same number everywhere."""
    hidden = inputs["scores"] == -math.inf
    for name, x in inputs.items():
        hidden = hidden | (x if name == "mask" else ~x if name == "keep" else hidden)
    want = inputs["scores"].masked_fill(hidden, -math.inf).softmax(-1)
    wrong = want.isnan()
    assert where(want.nan_to_num(1 / COLUMNS), want, want.double(), wrong, inputs).pattern == pattern
    folded = want.sum(-1)
    assert where(folded.nan_to_num(1.0), folded, folded.double(), folded.isnan(), inputs).pattern == pattern
    more = (wrong | (ROW == 40)) & (COLUMN < 90)
    found = where(want.nan_to_num(1 / COLUMNS) + (ROW == 40), want, want.double(), more, inputs).pattern
    cause = pattern.removeprefix("only ")
    assert found.startswith("in rows ") and found.endswith(f"; {int((wrong & more).sum())} of them {cause}")


def test_a_row_that_is_not_masked_throughout_is_no_masked_row() -> None:
    mask = HIDDEN.clone()
    mask[20, 5] = False
    want = OTHER.masked_fill(HIDDEN, -math.inf).softmax(-1)
    found = where(want.nan_to_num(0.5), want, want.double(), want.isnan(), {"scores": OTHER, "mask": mask})
    assert found.pattern == "only where eager is NaN"


def test_a_flag_of_rows_that_hides_nothing_is_no_mask() -> None:
    flag = HIDDEN.clone()
    wrong = ((ROW == 7) | (ROW == 20)).expand(ROWS, COLUMNS)
    assert told(wrong, flag=flag).pattern == "in rows 7 to 20"


def test_what_is_wrong_where_one_input_is_minus_infinity_needs_no_row() -> None:
    x = OTHER.clone()
    x[30] = -math.inf
    want = x.exp()
    assert where(want + 1.0 * (x < -9), want, want.double(), x < -9, {"x": x}).pattern == "every element of row 30"


@pytest.mark.parametrize("fewer", [False, True], ids=["each element", "rows"])
def test_a_nan_that_is_dropped(fewer: bool) -> None:
    x, y = X.clone(), OTHER.clone()
    y[9, 9] = math.nan
    total = x + y
    want = total.amax(-1) if fewer else total.relu()
    out = total.nan_to_num(0.0).amax(-1) if fewer else total.nan_to_num(0.0).relu()
    found = where(out, want, want.double(), want.isnan(), {"x": x, "y": y}).pattern
    assert found == f"only {'in rows ' * fewer}where a NaN of x or y is dropped"
    without = where(out, want, want.double(), want.isnan(), {"x": x, "y": OTHER}).pattern
    assert without == "only where eager is NaN", "a NaN that no input explains"


@pytest.mark.parametrize(
    ("left", "pattern"),
    [
        (FLAT >= 5632, "one block too few (BLOCK=512): the last 512 elements, counted row by row, written by no program"),
        (ROW >= 48, "one block too few (BLOCK_M=16): the last 16 rows, from 48 on, written by no program"),
        (ROW >= 32, "the last 32 rows, from 32 on, written by no program"),
        (COLUMN == COLUMNS - 1, "every element of the last column, written by no program"),
        (COLUMN >= COLUMNS - 3, "the last 3 columns, from 93 on, written by no program"),
        (FLAT >= 0, "every element, written by no program"),
    ],
)  # fmt: skip
def test_what_no_program_wrote(left: Tensor, pattern: str) -> None:
    left = left.expand(ROWS, COLUMNS)
    blocks = {"BLOCK": 512, "BLOCK_M": 16, "NUM": 1}
    want = RESULT.nan_to_num()
    for wrong in (left, left & (want != 0)):  # written in place, what was there is right by luck
        out = want.where(~wrong, -1.0)
        assert where(out, want, want.double(), wrong, {}, blocks, left).pattern == pattern


def test_a_last_block_that_was_written_was_not_left_out() -> None:
    want, wrong = torch.ones(1000), torch.arange(1000) >= 768
    written = [None, torch.zeros(1000, dtype=torch.bool)]
    for unwritten in written:
        found = where(want + wrong, want, want.double(), wrong, {}, {"BLOCK": 256}, unwritten)
        assert found.pattern == "exactly the last block (BLOCK=256): the last 232 elements"


def test_what_no_program_wrote_is_told_beside_what_it_spoils() -> None:
    found = where(OTHER, OTHER, OTHER.double(), FLAT % 2 == 1, {}, {}, (COLUMN == COLUMNS - 1).expand(ROWS, COLUMNS))
    assert found.pattern == "every 2nd column, from 1 on; written by no program: every element of the last column"


def test_a_dimension_that_is_wrong_throughout_is_not_told() -> None:
    wrong = torch.zeros(4, 6, 8, 10, dtype=torch.bool)
    wrong[:, 1:4, :, :5] = True
    wrong[0, 2, 3, 3] = False
    x = torch.zeros(wrong.shape)
    assert where(x, x, x.double(), wrong, {}).pattern == "in indices 1 to 3 of dimension 1, columns 0 to 4"
    wrong = torch.zeros(4, 6, 8, 10, dtype=torch.bool)
    wrong[:, 2] = True
    assert where(x, x, x.double(), wrong, {}).pattern == "every element of index 2 of dimension 1"


def test_float8_is_told_as_other_floats_are() -> None:
    x = X.nan_to_num().to(torch.float8_e4m3fn)
    wrong = x.float() < 0
    assert where(x, x, x.double(), wrong, {"x": x}).pattern == "only where x is negative"
    assert where(x, x, x.double(), wrong, {}).pattern == "only where eager is negative"


def test_the_last_element_is_told_by_its_index() -> None:
    assert told(FLAT == ROWS * COLUMNS - 1).pattern == f"in row {ROWS - 1}, column {COLUMNS - 1}"


def test_a_single_element_of_one_dimension() -> None:
    x = torch.zeros(10)
    wrong = torch.arange(10) == 9
    assert where(x, x, x.double(), wrong, {}).pattern == "the last element"
    scalar = torch.zeros(())
    assert where(scalar, scalar, scalar.double(), torch.ones((), dtype=torch.bool), {}).pattern == "every element"


class Counted(TorchDispatchMode):
    """How many operations run inside of it."""

    operations = 0

    def __torch_dispatch__(self, operator: Any, types: Any, args: Any = (), kwargs: Any = None) -> Any:
        self.operations += 1
        return operator(*args, **(kwargs or {}))


def test_a_million_elements_take_no_more_operations_than_a_few_thousand() -> None:
    """They are looked at by tensors and not one by one; how long that takes is the machine's affair."""

    def operations(size: int) -> int:
        x = torch.randn(size, size, generator=GENERATOR)
        wrong = torch.rand(x.shape, generator=GENERATOR) < 0.1
        with Counted() as counted:
            where(x, x, x.double(), wrong, {"x": x})
        return counted.operations

    assert 0 < operations(1024) <= 1.2 * operations(64)
