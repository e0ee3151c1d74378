"""tests/benchmarks/corpus.py and corpus_eject.py: the table names programs that there are, and what is told of kernels is what happened."""

from __future__ import annotations

import ast
import gzip
import json
import shutil
import sys
from pathlib import Path
from types import SimpleNamespace

import pytest
from folders import CAPTURED, GENERATIONS, LOGS, SOURCES, TESTS

from inductor_lab import store
from inductor_lab.eject import eject

sys.path.append(str(TESTS / "benchmarks"))
import corpus
import corpus_eject
from corpus_eject import Results, compiled_from, ejected, general, kernels, page, sources, summary

LORA = CAPTURED / "lora_mlp_h200"


# ---------------------------------------------------------------- the table


@pytest.mark.slow
def test_every_model_of_the_table_is_a_function_and_every_function_is_in_the_table() -> None:
    programs = {name for name, _ in corpus._returning("corpus_models.py", "Program")}
    assert set(corpus.MODELS) == programs
    text = (corpus.HERE / "corpus_models.py").read_text(encoding="utf-8")
    functions = {node.name for node in ast.parse(text).body if isinstance(node, ast.FunctionDef)}
    assert set(corpus.OPTIMISERS) < functions


def test_a_variant_is_a_function_and_options() -> None:
    found = {entry.name: entry for entry in corpus.entries()}
    assert len(found) == len(corpus.entries())
    assert found["llama_train_bf16_dynamic"].target == "corpus_models:train.bf16.llama"
    assert found["llama_train_bf16_dynamic"].options == ("--train", "--dynamic")
    assert (found["mobilenet_v3"].target, found["mobilenet_v3"].options) == ("corpus_models:fp32.mobilenet_v3", ())
    assert found["ops_combo"].options[:2] == ("--set", "combo_kernels=true")


def test_a_function_alone_is_captured_when_it_is_named() -> None:
    assert not any(entry.name.startswith("op_") for entry in corpus.chosen([]))
    (entry,) = corpus.chosen(["op_sort_rows"])
    assert (entry.target, entry.options) == ("corpus_operators:sort_rows", ("--train",))


def test_the_reason_is_the_last_error_without_the_terminals_wrapping() -> None:
    assert corpus._error("1 graph\nerror: The program\n   ended.\n") == "The program ended."
    assert corpus._error("") == "it said nothing"


# ---------------------------------------------------------------- kernels, ejected


def test_a_kernel_in_two_captures_is_one(tmp_path: Path) -> None:
    for name in ("one", "two"):
        shutil.copytree(LORA, tmp_path / "corpus" / name)
    (tmp_path / "corpus" / "README").write_text("no log")
    rows, told = kernels(sources([tmp_path / "corpus"]))
    assert {row["source"] for row in rows} == {"one"}
    assert [(row["kernels"], row["new"]) for row in told] == [(2, 2), (2, 0)]


def test_logs_of_all_generations_are_sources() -> None:
    found = [source.path.name for source in sources([GENERATIONS, SOURCES, LOGS])]
    assert len([name for name in found if name.endswith(".txt")]) == len(list((GENERATIONS).glob("*.txt")))
    assert "matrix.py" not in found
    assert "cpp_wrapper.py.gz" in found


def test_what_became_of_a_kernel_is_told(tmp_path: Path) -> None:
    rows, told = kernels(sources([LORA]))
    rows, capture = [row for row in rows if row["category"] == "pointwise"][:1], store.load(LORA)
    results = Results(tmp_path, "code")
    for style in ("readable", "verbatim"):
        results.add(ejected(capture, rows[0], style, tmp_path))
    results.add({"sha256": rows[0]["sha256"], "style": "verbatim", "compile": {"sm_90": "does not"}})
    asked = SimpleNamespace(
        styles=["readable", "verbatim"], targets=["sm_90"], sources=[LORA], seed=0, verify=0, only="", kernels=None, compile=-1,
        elsewhere=False,
    )  # fmt: skip
    document = summary(rows, told, results, asked, 1.0)
    assert document["by_category"]["pointwise"]["readable"] == {"ejected": 1, "tried": 0, "compiled": 0}
    assert document["compile_failures"][0]["of"] == {"sm_90": 1}
    assert str(tmp_path) not in json.dumps(document)
    assert "| pointwise | 1 | 1 | 0 of 0 | 1 | 0 of 1 |" in page(document)
    assert Results(tmp_path, "code").rows == results.rows
    assert not Results(tmp_path, "other code").rows


def test_what_a_compiler_sees_alike_is_not_compiled_again(tmp_path: Path) -> None:
    text = eject(store.load(LORA), store.load(LORA).kernels[0], file="x.py")
    same, other = (
        compiled_from(text.replace(*change)) for change in (("Captured", "Seen"), ("BLOCK=", "num_stages=2, BLOCK="))
    )
    assert same == compiled_from(text) != other
    known = tmp_path / "known.json.gz"
    row = {
        "sha256": "a" * 16,
        "style": "readable",
        "compile": {"sm_90": ""},
        "compiled_by": "triton",
        "compiled_from": same,
    }
    known.write_bytes(gzip.compress(json.dumps({"rows": [row]}).encode()))
    found = []
    for number, (style, seen) in enumerate([("readable", same), ("verbatim", same), ("readable", other)]):
        (folder := tmp_path / str(number)).mkdir()
        results = Results(folder, "code", known)
        results.add({"sha256": "a" * 64, "style": style, "status": "ejected", "compile": {}, "compiled_from": seen})
        found.append(results.rows["a" * 64, style]["compile"])
    assert found == [{"sm_90": ""}, {}, {}]


def test_a_process_that_ends_costs_one_kernel(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    dying = tmp_path / "dying"
    key = {"sha256": "abc", "style": "readable"}
    told = json.dumps({"begin": key})
    dying.write_text(f"#!/bin/sh\ncat > /dev/null\necho '{told}'\necho 'LLVM ERROR: no' >&2\nexit 1\n")
    dying.chmod(0o755)
    monkeypatch.setattr(corpus_eject.sys, "executable", str(dying))
    results = Results(tmp_path, "code")
    assert corpus_eject._child([key], {"status": "broken"}, results, tmp_path) == 1
    assert results.rows["abc", "readable"]["reason"] == "the process ended: LLVM ERROR: no"


def test_reasons_that_differ_in_names_and_numbers_are_one() -> None:
    first = (
        "g7_x.txt:3 (triton_poi_fused_cos_0) is launched with a symbolic size, xnumel = 128*s77; eject needs numbers"
    )
    second = "other:12 (triton_red_fused_sum_1) is launched with a symbolic size, xnumel = 64*s7; eject needs numbers"
    assert general(first) == general(second)
