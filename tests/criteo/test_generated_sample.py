"""A generated log has Kaggle's tables, Zipf's skew and the missing values that were asked for, and Kaggle's text is read as what it says."""

from __future__ import annotations

import gzip
import json
from collections.abc import Callable
from pathlib import Path

import pytest

pyarrow = pytest.importorskip("pyarrow", reason="the dlrm extra is not installed: pip install 'inductor_lab[dlrm]'")
pytest.importorskip("torch")

import golden  # noqa: E402
import numpy as np  # noqa: E402

from inductor_lab.cli import main  # noqa: E402
from inductor_lab.criteo.__main__ import app  # noqa: E402
from inductor_lab.criteo.convert import convert  # noqa: E402
from inductor_lab.criteo.format import COLUMNS, DENSE, SPARSE, parquet, read_metadata  # noqa: E402
from inductor_lab.criteo.reader import describe  # noqa: E402
from inductor_lab.criteo.sample import KAGGLE, hashes, write_sample, zipf  # noqa: E402
from inductor_lab.errors import LabError  # noqa: E402

ROWS, CAP, MISSING = 20_000, 1000, 0.03


@pytest.fixture(scope="module")
def sample(tmp_path_factory: pytest.TempPathFactory) -> Path:
    path = tmp_path_factory.mktemp("sample") / "log.parquet"
    write_sample(path, path.with_suffix(".json"), ROWS, seed=3, cap=CAP, missing=MISSING)
    return path


def test_a_sample_has_the_statistics_that_were_asked_for(sample: Path) -> None:
    tables = read_metadata(sample.with_suffix(".json"))
    assert [table.cardinality for table in tables] == [min(size, CAP) for size in KAGGLE]
    assert all(len(set(table.tokenizer_values)) == table.cardinality for table in tables)
    found = describe(sample, tables)
    assert (found.rows, [column.name for column in found.columns]) == (ROWS, [*DENSE, *SPARSE])
    assert 0.1 < found.clicks / ROWS < 0.6
    for column in found.columns:
        assert column.missing / ROWS == pytest.approx(MISSING, abs=0.006)  # five standard deviations
        assert column.least >= 0
    categories = found.columns[len(DENSE) :]
    assert {column.unlisted for column in categories} == {0}
    assert [column.values for column in categories if column.name in ("SPARSE_8", "SPARSE_19", "SPARSE_16")] == [
        3,
        10,
        4,
    ]


def test_ranks_are_zipf_s() -> None:
    ranks = zipf(np.random.default_rng(0), 1000, 1 << 20, 1.05)
    often = np.bincount(ranks, minlength=1000)
    assert ranks.min() == 0 and ranks.max() == 999
    # The share of ranks a to b is the integral of x ** -1.05 over them, to within the noise of what was drawn.
    integral = lambda a, b: (a**-0.05 - b**-0.05) / (1 - 1001**-0.05)  # noqa: E731
    for a, b in ((1, 2), (2, 4), (10, 100), (500, 1001)):
        assert often[a - 1 : b - 1].sum() / len(ranks) == pytest.approx(integral(a, b), rel=0.01)
    assert zipf(np.random.default_rng(0), 5, 1000, 1.0).max() == 4


def test_a_category_is_a_hash_that_no_other_rank_has() -> None:
    found = hashes(3, np.arange(1 << 18), seed=5)
    assert len(np.unique(found)) == 1 << 18
    assert found.min() >= 0 and found.max() < 1 << 32
    assert not np.isin(found[:1000], hashes(4, np.arange(1 << 18), seed=5)).any()


def test_the_seed_decides_the_log(sample: Path, tmp_path: Path) -> None:
    for seed, same in ((3, True), (4, False)):
        path = tmp_path / f"{seed}.parquet"
        write_sample(path, path.with_suffix(".json"), ROWS, seed=seed, cap=CAP, missing=MISSING)
        assert parquet().read_table(path).equals(parquet().read_table(sample)) is same


def test_a_sample_that_can_not_be_leaves_nothing(tmp_path: Path) -> None:
    path = tmp_path / "log.parquet"
    for asked in ({"rows": 0}, {"cap": 0}, {"skew": 0.0}, {"missing": 1.0}, {"seed": -1}):
        with pytest.raises(LabError, match=r"and not (0|0\.0|1\.0|-1)\.$"):
            write_sample(path, path.with_suffix(".json"), **{"rows": 5, **asked})
    with pytest.raises(ValueError, match="broken off"):
        write_sample(path, path.with_suffix(".json"), 5, progress=broken_off)
    assert not list(tmp_path.iterdir())


def broken_off(done: int, of: int) -> None:
    raise ValueError("broken off")


# ---------------------------------------------------------------- Kaggle's text


def kaggle(rows: list[list[int | None]]) -> list[str]:
    """Lines of Kaggle's text."""
    forms = ["{}"] * 14 + ["{:08x}"] * 26
    return [
        "\t".join("" if field is None else form.format(field) for form, field in zip(forms, row, strict=True))
        for row in rows
    ]


def converted(folder: Path, lines: list[str], **asked: bool) -> tuple[int, list[str]]:
    (folder / "train.txt").write_text("".join(f"{line}\n" for line in lines))
    return convert(folder / "train.txt", folder / "log.parquet", folder / "log.json", **asked)


def test_kaggle_s_text_becomes_the_log_that_it_says(tmp_path: Path) -> None:
    assert converted(tmp_path, kaggle(golden.rows())) == (20, [])
    assert parquet().read_table(tmp_path / "log.parquet").equals(parquet().read_table(golden.FILE))
    tables = read_metadata(tmp_path / "log.json")
    last = sorted(row[-1] for row in golden.rows() if row[-1] is not None)
    assert (tables[25].cardinality, tables[25].tokenizer_values) == (19, last)
    (tmp_path / "train.gz").write_bytes(gzip.compress((tmp_path / "train.txt").read_bytes()))
    assert convert(tmp_path / "train.gz", tmp_path / "packed.parquet", tmp_path / "packed.json")[0] == 20
    assert (tmp_path / "packed.json").read_bytes() == (tmp_path / "log.json").read_bytes()


def test_a_column_without_a_value_has_a_table_of_one_row(tmp_path: Path) -> None:
    converted(tmp_path, kaggle([[*row[:-1], None] for row in golden.rows()]))
    assert read_metadata(tmp_path / "log.json")[25].tokenizer_values == [0]


def malformed() -> tuple[list[str], list[str]]:
    """Lines of which some are malformed, and what is said of these."""
    lines = kaggle(golden.rows())
    lines[2] = lines[2].replace("000000c8", "xyz", 1)
    lines[4] += "\t00000000"
    lines[5] = ""
    lines[9] = lines[9].replace("\t0\t", "\t1.5\t", 1)
    lines[12] = "2" + lines[12][1:]
    lines[19] = "caf\u00e9"
    return lines, [
        "line 3: SPARSE_0 is 'xyz', and a category is up to eight hexadecimal digits",
        "line 5: it has 41 fields, and not 40",
        "line 6: labels is missing, and a label is 0 or 1",
        "line 10: DENSE_0 is '1.5', and a count is a whole number",
        "line 13: labels is '2', and a label is 0 or 1",
        "line 20: it has 1 fields, and not 40",
    ]


def test_malformed_lines_are_told_by_number_and_column(tmp_path: Path) -> None:
    lines, said = malformed()
    rows, left_out = converted(tmp_path, lines, skip=True)
    assert rows == 14
    assert left_out == said


def test_a_malformed_line_is_an_error_and_nothing_is_written(tmp_path: Path) -> None:
    with pytest.raises(LabError, match=r"train.txt, line 3: SPARSE_0 is 'xyz'"):
        converted(tmp_path, malformed()[0])
    with pytest.raises(LabError, match="Empty CSV file"):
        converted(tmp_path, [])
    with pytest.raises(LabError, match="no well-formed line"):
        converted(tmp_path, ["nothing"], skip=True)
    assert [path.name for path in tmp_path.iterdir()] == ["train.txt"]


def test_a_text_that_breaks_off_is_told_as_what_can_not_be_read(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("inductor_lab.criteo.convert.BLOCK", 1 << 13)  # the first blocks are whole
    categories = np.random.default_rng(0).integers(0, 2**32, (4000, 26)).tolist()
    packed = gzip.compress("\n".join(kaggle([[1] * 14 + row for row in categories])).encode())
    (tmp_path / "train.gz").write_bytes(packed[: len(packed) // 2])
    with pytest.raises(LabError, match=r"Can not read .*train.gz: Truncated"):
        convert(tmp_path / "train.gz", tmp_path / "log.parquet", tmp_path / "log.json")
    assert [path.name for path in tmp_path.iterdir()] == ["train.gz"]


# ---------------------------------------------------------------- the command line


@pytest.fixture
def criteo(workdir: Path, capsys: pytest.CaptureFixture[str]) -> Callable[..., tuple[int, str, str]]:
    """`python -m inductor_lab.criteo` with these words, in an empty folder: exit code, stdout, stderr."""

    def run(*words: str) -> tuple[int, str, str]:
        with pytest.raises(SystemExit) as left:
            main(words, app, "criteo")
        return (left.value.code or 0, *capsys.readouterr())

    return run


def test_a_sample_is_written_and_described(criteo: Callable[..., tuple[int, str, str]]) -> None:
    code, out, err = criteo("sample", "-o", "log.parquet", "--rows", "500", "--cap", "50", "--json")
    assert (code, json.loads(out)["rows"], err) == (0, 500, "")
    assert json.loads(criteo("describe", "log.parquet", "--json")[1])["rows"] == 500
    _, shown, _ = criteo("describe", "log.parquet")
    assert shown.startswith("log.parquet: 500 rows") and all(name in shown for name in COLUMNS[1:])


def test_left_out_lines_are_told(criteo: Callable[..., tuple[int, str, str]], workdir: Path) -> None:
    (workdir / "train.txt").write_text("\n".join([*kaggle(golden.rows()), *["short"] * 12]) + "\n")
    code, out, err = criteo("convert", "train.txt", "-o", "log.parquet", "--skip")
    assert (code, out) == (0, "log.parquet: 20 rows; its tables: log.json\n")
    assert err.splitlines()[0] == "left out: train.txt, line 21: it has 1 fields, and not 40"
    assert err.splitlines()[-1] == "left out: 2 more lines"


def test_what_is_wrong_is_one_sentence(criteo: Callable[..., tuple[int, str, str]]) -> None:
    assert criteo("describe", "absent.parquet") == (2, "", "error: There is no file absent.parquet.\n")
    said = "error: Can not read absent.txt: No such file or directory.\n"
    assert criteo("convert", "absent.txt", "-o", "log.parquet") == (2, "", said)
