"""A click log as a data set: what is read, in which order, and what is said of values that are missing or can not be."""

from __future__ import annotations

import multiprocessing
import sys
from pathlib import Path

import pytest

pyarrow = pytest.importorskip("pyarrow", reason="the dlrm extra is not installed: pip install 'inductor_lab[dlrm]'")
torch = pytest.importorskip("torch")

import golden  # noqa: E402

from inductor_lab.criteo.format import COLUMNS, parquet, read_metadata  # noqa: E402
from inductor_lab.criteo.reader import ClickLog, batches  # noqa: E402
from inductor_lab.errors import LabError  # noqa: E402


def log(missing: str = "zero", **span: int) -> ClickLog:
    return ClickLog(golden.FILE, missing=missing, **span)


def labels_and_first(found: list) -> list[tuple[int, int]]:
    """What a row is known by in these tests."""
    return [(int(a), int(b)) for rows in found for a, b in zip(rows.labels, rows.sparse[:, 0], strict=True)]


def test_the_golden_file_is_what_its_recipe_says() -> None:
    table = parquet().read_table(golden.FILE)
    assert list(map(list, zip(*table.to_pydict().values(), strict=True))) == golden.rows()


def test_the_first_batch_is_the_talk_s() -> None:
    labels, dense, sparse = next(batches(log(), 2))
    assert (labels.shape, dense.shape, sparse.shape) == ((2,), (2, 13), (2, 26))
    assert (labels.dtype, dense.dtype, sparse.dtype) == (torch.float32, torch.float32, torch.int64)
    assert dense.tolist() == golden.TALK_DENSE
    assert sparse.tolist() == golden.TALK_SPARSE


@pytest.mark.parametrize("workers", [0, 2])
def test_a_pass_reads_every_row_once_in_one_order_for_any_number_of_workers(workers: int) -> None:
    wanted = [(row[0], row[14]) for row in golden.rows()]
    assert labels_and_first(list(batches(log(), 3, rest=True, workers=workers))) == wanted
    shuffled = labels_and_first(list(batches(log(), 3, rest=True, shuffled=(0, 1), workers=workers)))
    assert shuffled == labels_and_first(list(batches(log(), 3, rest=True, shuffled=(0, 1)))) != wanted
    assert sorted(shuffled) == sorted(wanted)
    assert shuffled != labels_and_first(list(batches(log(), 3, rest=True, shuffled=(0, 2))))


def test_batches_reach_over_row_groups_and_the_rest_is_left_out() -> None:
    assert [len(rows.labels) for rows in batches(log(), 6)] == [6, 6, 6]
    assert [len(rows.labels) for rows in batches(log(), 6, rest=True)] == [6, 6, 6, 2]


def test_a_part_of_the_rows_is_of_their_row_groups_alone() -> None:
    part = log(first=6, last=10)
    assert [group for group, _, _ in part.spans] == [0, 1]
    assert labels_and_first(list(batches(part, 4))) == [(row[0], row[14]) for row in golden.rows()[6:10]]
    assert log(first=16).missing_values == {}


def test_missing_values_are_told_and_become_what_was_asked_for() -> None:
    assert log().missing_values == {"DENSE_3": 1, "SPARSE_25": 1}
    (whole,) = batches(log(), 20)
    assert (whole.dense[7, 3], whole.sparse[11, 25]) == (0, 0)
    (rest,) = batches(log("skip"), 18)
    assert labels_and_first([rest]) == [(row[0], row[14]) for row in golden.rows() if None not in row]
    with pytest.raises(LabError, match=r'row 7: DENSE_3 is missing; with missing="zero" it is read as 0'):
        log("error")
    with pytest.raises(LabError, match=r"row 11: SPARSE_25 is missing"):
        log("error", first=8)
    assert log("error", first=16).rows == 4


@pytest.mark.parametrize("workers", [0, 1])
@pytest.mark.parametrize(
    ("row", "column", "value", "said"),
    [
        (3, "labels", 2, "row 3: labels is 2; a label is 0 or 1."),
        (9, "SPARSE_4", -1, "row 9: SPARSE_4 is -1; a category is an unsigned 32-bit hash."),
        (19, "SPARSE_25", 1 << 32, "row 19: SPARSE_25 is 4294967296; a category is an unsigned 32-bit hash."),
    ],
)
def test_a_malformed_value_is_told_by_row_and_column(row, column, value, said, workers, tmp_path: Path) -> None:
    rows = golden.rows()
    rows[row][COLUMNS.index(column)] = value
    path = golden.write(tmp_path / "log.parquet", rows)
    begun = set(multiprocessing.active_children())
    with pytest.raises(LabError) as wrong:
        list(batches(ClickLog(path, missing="zero"), 2, workers=workers))
    assert str(wrong.value) == f"{path}, {said}"
    assert set(multiprocessing.active_children()) <= begun, "who holds the error holds no worker"


def test_the_first_row_that_is_wrong_is_told_first(tmp_path: Path) -> None:
    rows = golden.rows()
    rows[5][0], rows[4][COLUMNS.index("SPARSE_2")] = 7, -3
    with pytest.raises(LabError, match="row 4: SPARSE_2 is -3"):
        list(batches(ClickLog(golden.write(tmp_path / "log.parquet", rows), missing="zero"), 2))


def test_a_count_that_is_no_number_is_malformed(tmp_path: Path) -> None:
    table = parquet().read_table(golden.FILE)
    counts = pyarrow.array([1.5] * 12 + [float("nan")] * 8)
    path = tmp_path / "log.parquet"
    parquet().write_table(table.set_column(table.schema.get_field_index("DENSE_0"), "DENSE_0", counts), path)
    with pytest.raises(LabError, match="row 12: DENSE_0 is nan; a count has to be finite"):
        next(batches(ClickLog(path, missing="zero"), 2))


def test_files_that_are_no_log_are_said_to_be_none(tmp_path: Path) -> None:
    table = parquet().read_table(golden.FILE)
    text = pyarrow.array(["a"] * 20)
    for name, content, said in (
        ("short.parquet", table.drop_columns(["SPARSE_25"]), "has no column SPARSE_25"),
        (
            "typed.parquet",
            table.drop_columns(["SPARSE_3"]).append_column("SPARSE_3", text),
            "SPARSE_3 is of type string",
        ),
        ("empty.parquet", table.slice(0, 0), "has no rows"),
    ):
        parquet().write_table(content, tmp_path / name)
        with pytest.raises(LabError, match=said):
            ClickLog(tmp_path / name)
    (tmp_path / "nothing.parquet").touch()
    with pytest.raises(LabError, match="is no Parquet file"):
        ClickLog(tmp_path / "nothing.parquet")
    with pytest.raises(LabError, match="There is no file"):
        ClickLog(tmp_path / "absent.parquet")
    with pytest.raises(LabError, match="no rows from 20 to 20"):
        log(first=20, last=30)
    with pytest.raises(LabError, match="not 'guess'"):
        log("guess")


def test_without_pyarrow_the_extra_is_named(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "pyarrow.parquet", None)
    with pytest.raises(LabError, match=r"pip install 'inductor_lab\[dlrm\]'"):
        log()


@pytest.mark.parametrize(
    ("said", "why"),
    [
        ("{", "is no JSON"),
        ("[]", "says nothing of SPARSE_0"),
        ('{"SPARSE_0": {"cardinality": 0}}', "the cardinality of SPARSE_0 is 0"),
        ('{"SPARSE_0": {"cardinality": 2, "tokenizer_values": [1]}}', "has 1 tokenizer_values and a cardinality of 2"),
        ('{"SPARSE_0": {"cardinality": 1, "tokenizer_values": ["a"]}}', "have to be a list of whole numbers"),
    ],
)
def test_metadata_that_says_something_else_is_refused(said: str, why: str, tmp_path: Path) -> None:
    (tmp_path / "log.json").write_text(said)
    with pytest.raises(LabError, match=why):
        read_metadata(tmp_path / "log.json")
