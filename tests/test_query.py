"""SQL over captures and logs: what the tables hold, what is read again, and what a query can not do."""

from __future__ import annotations

import gzip
import json
import os
import re
import shutil
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from inductor_lab import processes, tables, workers
from inductor_lab.errors import LabError
from inductor_lab.store import load
from inductor_lab.tables import TABLES, rows, sources

duckdb = pytest.importorskip("duckdb", reason="the query extra is not installed: pip install 'inductor_lab[query]'")

from inductor_lab.query import Answer, keep, query  # noqa: E402

REPOSITORY = Path(__file__).parents[1]
CAPTURED = REPOSITORY / "captured"
Lab = Callable[..., Any]


def one(answer: Answer) -> Any:
    ((value,),) = answer.rows
    return value


@pytest.fixture
def logs(workdir: Path, lora_log: Path) -> Path:
    """`logs/` with the LoRA log twice, and one file that is no log."""
    (workdir / "logs" / "rank1").mkdir(parents=True)
    shutil.copy(lora_log, workdir / "logs" / "a.log.gz")
    (workdir / "logs" / "rank1" / "b.log").write_bytes(gzip.decompress(lora_log.read_bytes()))
    (workdir / "logs" / "notes.txt").write_text("epoch 1 loss 0.3\n")
    return workdir / "logs"


# Rows


def test_a_source_has_rows_for_every_table(lora_log: Path) -> None:
    found = rows(str(lora_log))
    counts = {table: len(several) for table, several in found.items()}
    assert counts == {
        "sources": 1,
        "kernels": 2,
        "launches": 3,
        "graphs": 1,
        "extern_calls": 9,
        "events": 0,
        "problems": 0,
    }
    for table, several in found.items():
        for row in several:
            assert set(row) <= set(TABLES[table])
            assert row["source"] == str(lora_log)
    relu = next(row for row in found["kernels"] if "relu" in row["name"])
    assert relu["code"].strip().startswith("x = ") or relu["code"]
    assert relu["launches"] == 2 and relu["read"] > 0


def test_what_can_not_be_read_is_a_row_with_the_reason(tmp_path: Path) -> None:
    (tmp_path / "x.log").write_text("nothing here")
    found = rows(str(tmp_path / "x.log"))
    assert list(found) == ["sources"]
    assert "no Inductor output code found" in found["sources"][0]["problem"]
    assert rows(str(tmp_path / "missing.log"))["sources"][0]["problem"]


def test_a_mistake_of_ours_in_one_log_does_not_end_the_run(lora_log: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def broken(*_: object, **__: object) -> None:
        raise RecursionError("too deep")

    monkeypatch.setattr(tables, "read", broken)
    assert rows(str(lora_log))["sources"][0]["problem"] == "RecursionError: too deep"


def test_what_one_log_taught_is_not_parsed_again_in_the_next(logs: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    from inductor_lab.read import kernel, parsing

    paths, known, parse = [str(logs / "a.log.gz"), str(logs / "rank1" / "b.log")], tables.Parsed(), kernel.list_source
    texts: list[str] = []
    monkeypatch.setattr(kernel, "list_source", lambda text: texts.append(text) or parse(text))
    for path in [*paths, *paths]:
        assert rows(path, known) == rows(path)
    one_by_one, texts[:] = len(texts), []
    monkeypatch.setattr(parsing, "KEPT", 0)  # modules and graphs are forgotten, bodies never
    known = tables.Parsed()
    for path in [*paths, *paths]:
        rows(path, known)
    assert 0 < len(texts) == len(set(texts)) < one_by_one


def test_sources_are_captures_and_logs(logs: Path) -> None:
    shutil.copytree(CAPTURED / "lora_mlp_h200", logs / "lora_mlp_h200")
    (logs / "table.parquet").write_bytes(b"")
    (logs / ".hidden").write_text("")
    os.mkfifo(logs / "pipe")
    for path in ("torch_compile_debug/run_1/torchinductor/model_0/output_code.py", "tl_out/compile_directory.json"):
        (logs / path).parent.mkdir(parents=True)
        (logs / path).write_text("")
    found = [Path(source).relative_to(logs).as_posix() for source in sources([str(logs)])]
    assert sorted(found) == ["a.log.gz", "lora_mlp_h200", "notes.txt", "rank1/b.log", "tl_out", "torch_compile_debug"]
    assert sources([str(logs / "*.gz"), str(logs / "a.log.gz")]) == [str(logs / "a.log.gz")]
    with pytest.raises(LabError, match="There is nothing at nowhere"):
        sources(["nowhere"])


# Queries


def test_the_same_body_in_many_logs_is_one_kernel(logs: Path) -> None:
    assert query("SELECT count(*), count(DISTINCT body_sha256) FROM kernels", [str(logs)]).rows == ((4, 2),)
    assert one(query("SELECT sum(launches) FROM kernels", [str(logs)])) == 6
    assert one(query("SELECT count(*) FROM sources WHERE problem IS NOT NULL", [str(logs)])) == 1


def test_captures_are_read_as_they_are_catalogued() -> None:
    over = [str(CAPTURED / "dlrm_h200"), str(CAPTURED / "dlrm_train_h200")]
    answer = query("SELECT capture, count(*) AS kernels, sum(launches) FROM kernels GROUP BY 1 ORDER BY 1", over)
    assert answer.columns == ("capture", "kernels", "sum(launches)")
    captures = [load(CAPTURED / name) for name in ("dlrm_h200", "dlrm_train_h200")]
    counted = tuple((c.name, len(c.kernels), sum(len(kernel.launches) for kernel in c.kernels)) for c in captures)
    assert answer.rows == counted
    assert counted[0] == ("dlrm_h200", 32, 34)
    total = sum(row[2] for row in counted)
    launched = query("SELECT (SELECT count(*) FROM launches), (SELECT sum(launches) FROM graphs)", over)
    assert launched.rows == ((total, total),)
    typed = query("SELECT a.dtype FROM (SELECT unnest(arguments) AS a FROM launches) WHERE a.name = 'in_ptr0'", over)
    assert ("float32",) in typed.rows


@pytest.mark.parametrize("name", ["store.duckdb", pytest.param("parquet", marks=pytest.mark.slow)])
def test_only_what_changed_is_read_again(logs: Path, name: str, monkeypatch: pytest.MonkeyPatch) -> None:
    import inductor_lab.query as module

    kept, count = logs.parent / "kept" / name, "SELECT count(*) FROM kernels"
    read: list[str] = []

    def watched(source: str, parsed: tables.Parsed) -> tables.Rows:
        read.append(Path(source).name)
        return rows(source, parsed)

    monkeypatch.setattr(module, "rows", watched)

    def ask() -> tuple[Any, list[str]]:
        read.clear()
        return one(query(count, [str(logs)], kept)), sorted(read)

    assert ask() == (4, ["a.log.gz", "b.log", "notes.txt"])
    assert ask() == (4, [])
    os.utime(logs / "a.log.gz", (1, 1))
    assert ask() == (4, ["a.log.gz"])
    (logs / "rank1" / "b.log").unlink()
    assert ask() == (2, [])
    assert one(query(count, [], kept)) == 2, "a store answers without its logs"
    assert read == []


def test_parquet_is_for_other_tools_too(logs: Path) -> None:
    query("SELECT 1", [str(logs)], logs.parent / "pq")
    assert {file.name for file in (logs.parent / "pq").iterdir()} == {f"{table}.parquet" for table in TABLES}
    with duckdb.connect() as database:
        found = database.execute("SELECT count(*) FROM read_parquet('pq/launches.parquet')").fetchone()
    assert found == (6,)


def test_rows_made_elsewhere_are_kept(logs: Path) -> None:
    keep(map(rows, sources([str(logs)])), Path("cluster.duckdb"))
    keep(map(rows, sources([str(logs)])), Path("cluster.duckdb"))
    assert one(query("SELECT count(*) FROM launches", [], Path("cluster.duckdb"))) == 6


@pytest.mark.slow
def test_many_logs_are_read_on_every_core(logs: Path, lora_log: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    for number in range(6):
        shutil.copy(lora_log, logs / f"{number}.log.gz")
    monkeypatch.setattr(workers, "PART", 1)
    monkeypatch.setattr(workers, "PARTS", 100)
    steps: list[str] = []
    assert one(query("SELECT count(*) FROM kernels", [str(logs)], progress=steps.append)) == 16
    assert steps[-1] == "9 of 9 sources"


def test_a_process_that_is_killed_is_said(logs: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(workers, "PART", 1)
    monkeypatch.setattr(workers, "PARTS", 100)
    monkeypatch.setattr(processes, "CHILD", "import sys; sys.exit(9)")
    with pytest.raises(LabError, match="likely for lack of memory"):
        query("SELECT count(*) FROM kernels", [str(logs)])


@pytest.mark.parametrize(
    ("sql", "said"),
    [
        ("SELCT 1", "syntax error"),
        ("SELECT nme FROM kernels", '"name"'),
        ("SELECT * FROM kernel", "kernels"),
        ("SELECT * FROM read_csv('/etc/passwd')", "Cannot access file"),
    ],
)
def test_wrong_sql_is_refused_before_anything_is_read(
    sql: str, said: str, logs: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("inductor_lab.query._update", lambda *_: pytest.fail("it was read"))
    with pytest.raises(LabError, match=said):
        query(sql, [str(logs)])


def test_odd_text_is_kept_as_text(workdir: Path) -> None:
    row = {"source": "a\ud800\0b", "capture": "c", "size": 2**70}
    keep([tables.writable({"sources": [row]})], Path("odd.duckdb"))
    assert query("SELECT source, size FROM sources", [], Path("odd.duckdb")).rows == (("a?\ufffdb", None),)


# What a query can not do


REFUSED = (
    "DROP TABLE kernels",
    "DELETE FROM kernels",
    "COPY kernels TO 'out.csv'",
    "ATTACH 'other.duckdb'",
    "INSTALL httpfs",
    "SET enable_external_access = true",
    "SELECT 1; DROP TABLE kernels",
    "SELECT * FROM read_text('secret.txt')",
    "SELECT * FROM 'secret.csv'",
    "SELECT * FROM glob('*')",
    "EXPLAIN ANALYZE COPY kernels TO 'out.csv'",
    "",
)


def test_a_query_reads_the_tables_and_nothing_else(logs: Path) -> None:
    Path("secret.txt").write_text("secret")
    Path("secret.csv").write_text("a\n1\n")
    kept = Path("store.duckdb")
    query("SELECT 1", [str(logs)], kept)
    for sql in REFUSED:
        with pytest.raises(LabError):
            query(sql, [], kept)
        assert one(query("SELECT count(*) FROM kernels", [], kept)) == 4, sql
        assert not Path("out.csv").exists(), sql


def test_a_store_is_never_made_of_something_else(workdir: Path) -> None:
    with duckdb.connect("mine.duckdb") as database:
        database.execute("CREATE TABLE precious AS SELECT 1 AS x")
    (workdir / "folder").mkdir()
    (workdir / "folder" / "precious.txt").write_text("x")
    (workdir / "text.duckdb").write_text("no database at all, but a text that is long enough to be looked at" * 9)
    for kept in ("mine.duckdb", "folder", "text.duckdb", "text.duckdb/folder", "text.duckdb/store.duckdb"):
        with pytest.raises(LabError, match=f"^{kept} "):
            query("SELECT 1", [str(CAPTURED / "lora_mlp_h200")], Path(kept))
    with duckdb.connect("mine.duckdb") as database:
        assert database.execute("SHOW TABLES").fetchall() == [("precious",)]
    assert [file.name for file in (workdir / "folder").iterdir()] == ["precious.txt"]


# The command line


def test_the_answer_as_a_table_and_as_json(lab: Lab, logs: Path) -> None:
    sql = "SELECT name, launches, ops FROM kernels ORDER BY launches DESC, name LIMIT 1"
    table = lab("query", sql, "--over", "logs")
    assert table.code == 0
    assert table.out.split()[:4] == ["name", "launches", "ops", "triton_poi_fused_add_mul_relu_0"]
    found = json.loads(lab("query", sql, "--over", logs, "--json").out)
    assert found["schema"] == 1
    assert [column["type"] for column in found["columns"]] == ["VARCHAR", "BIGINT", "VARCHAR[]"]
    assert found["rows"][0]["launches"] == 2


def test_two_columns_of_one_name_keep_both(lab: Lab, logs: Path) -> None:
    found = json.loads(lab("query", "SELECT 1 AS id, 2 AS id", "--over", "logs", "--json").out)
    assert found["rows"] == [{"id": 1, "id_1": 2}]


def test_without_sql_it_lists_the_tables(lab: Lab) -> None:
    assert "body_sha256" in lab("query").out
    assert list(json.loads(lab("query", "--json").out)["tables"]) == list(TABLES)


@pytest.mark.parametrize(
    ("words", "message"),
    [
        (["SELEC 1", "--over", "logs"], 'syntax error at or near "SELEC"'),
        (["SELECT * FROM kernel", "--over", "logs"], 'Did you mean "kernels"? `inductor-lab query` alone lists'),
        (["DROP TABLE kernels", "--over", "logs"], "A query is one SELECT"),
        (["SELECT 1"], "name folders or logs with --over"),
        (["SELECT 1", "--over", "nowhere"], "There is nothing at nowhere"),
    ],
)
def test_an_error_is_one_sentence_and_exit_code_2(lab: Lab, logs: Path, words: list[str], message: str) -> None:
    result = lab("query", *words)
    assert (result.code, result.out) == (2, "")
    last = result.err.rstrip().rpartition("\n")[2]
    assert last.startswith("error: ") and message in last


def test_without_duckdb_the_extra_is_named(lab: Lab, logs: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "duckdb", None)
    result = lab("query", "SELECT 1", "--over", "logs")
    assert result.code == 2
    assert "pip install 'inductor_lab[query]'" in result.err


# The documentation


def test_the_documentation_names_every_column() -> None:
    """A row a table; `query` itself prints what each column holds."""
    text = (REPOSITORY / "docs" / "scale.md").read_text()
    rows = re.findall(r"^\| `(\w+)` \| (.+) \|$", text, re.MULTILINE)
    assert [table for table, _ in rows] == list(TABLES)
    common = {"source", "capture"}
    assert common == set.intersection(*(set(columns) for columns in TABLES.values()))
    for table, told in rows:
        assert set(re.findall(r"`(\w+)`", told)) == TABLES[table].keys() - common, table


def test_the_example_on_an_engine_runs(logs: Path, monkeypatch: pytest.MonkeyPatch, capsys: Any) -> None:
    pytest.importorskip("dask.bag", reason="dask is not installed: pip install 'dask>=2024.8'")
    import runpy

    example = REPOSITORY / "docs" / "read_with_dask.py"
    monkeypatch.setattr(sys, "argv", [str(example), str(logs), "--store", "cluster.duckdb", "--scheduler", "sync"])
    runpy.run_path(str(example), run_name="__main__")
    assert "triton_poi_fused_add_mul_relu_0" in capsys.readouterr().out
    assert one(query("SELECT count(*) FROM kernels", [], Path("cluster.duckdb"))) == 4


def test_the_questions_in_the_documentation_have_answers(workdir: Path) -> None:
    text = (REPOSITORY / "docs" / "scale.md").read_text().partition("## Questions")[2].partition("\n## ")[0]
    questions = re.findall(r"(?:^    .+\n)+", text, re.MULTILINE)
    assert len(questions) >= 4
    query("SELECT 1", [str(CAPTURED / "lora_mlp_h200"), str(CAPTURED / "sparse_ffn_h200")], Path("store.duckdb"))
    for sql in questions:
        answer = query(sql, [], Path("store.duckdb"))
        assert answer.columns and (answer.rows or "problem" in sql)
