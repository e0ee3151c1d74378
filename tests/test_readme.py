"""The README says what was measured, and nothing else."""

from __future__ import annotations

import json
import os
import re
import runpy
import shutil
import subprocess
import sys
from itertools import pairwise
from pathlib import Path

import pytest

from inductor_lab.capture.run import Request, folder_name
from inductor_lab.measure.timing.samples import Method
from inductor_lab.models import WORKLOADS
from inductor_lab.records import Paired, PerfDiff, Timing

ROOT = Path(__file__).parents[1]
RESULTS = ROOT / "tests" / "benchmarks" / "results"
README = (ROOT / "README.md").read_text(encoding="utf-8")
GUIDE = (ROOT / "docs" / "guide.md").read_text(encoding="utf-8")
SNIPPET = re.compile(r"^```python\n(.*?)^```", re.MULTILINE | re.DOTALL)


@pytest.mark.parametrize("name", ["unedited", "clock", "grafts", "cuda_spans"])
def test_a_table_is_the_committed_result(name: str) -> None:
    made = runpy.run_path(str(ROOT / "tests" / "benchmarks" / "table.py"))
    file, table = made["TABLES"][name]
    start, end = made["markers"](name)
    assert start + table() + end in (ROOT / file).read_text(encoding="utf-8")


@pytest.mark.parametrize("name", ["unedited_corpus.md", "timing.md", "grafts.md"])
def test_every_row_of_a_table_is_beside_the_results(name: str) -> None:
    made = runpy.run_path(str(ROOT / "tests" / "benchmarks" / "table.py"))
    assert made["pages"]()[name] == (RESULTS / name).read_text(encoding="utf-8")


def test_the_talk_s_concatenation_is_26_kernels() -> None:
    document = (RESULTS / "dlrm" / "talk.md").read_text(encoding="utf-8")
    assert len(re.findall(r"^\| `fused_cat` .*\| 26 \| 26 \|", document, re.MULTILINE)) == 1


@pytest.mark.parametrize(("mark", "results"), [("spans", "spans"), ("live", "spans_live")])
def test_a_table_of_spans_is_the_committed_result(mark: str, results: str, monkeypatch: pytest.MonkeyPatch) -> None:
    benchmarks = ROOT / "tests" / "benchmarks"
    monkeypatch.syspath_prepend(benchmarks)
    rows = json.loads((RESULTS / f"{results}.json").read_text())["rows"]
    made = runpy.run_path(str(benchmarks / "spans.py"))
    page = (ROOT / "docs" / "spans.md").read_text(encoding="utf-8")
    assert f"<!-- {mark} -->\n{made['table'](rows)}\n<!-- /{mark} -->" in page
    assert made["by_capture"](rows) == (RESULTS / f"{results}.md").read_text(encoding="utf-8")


def test_the_unedited_table_has_both_ratios_and_its_page_the_configurations(monkeypatch: pytest.MonkeyPatch) -> None:
    """Of what the model would run: two ratios, of small models and at real sizes, and each kernel's candidates."""
    made = runpy.run_path(str(ROOT / "tests" / "benchmarks" / "table.py"))
    row = {"capture": "a", "category": "reduction", "verify": "pass"}
    unjudged = {"verify": "no verdict", "diff_notes": [made["HELD"]]}
    chosen = {"XBLOCK": 1, "num_warps": 16}
    document = {
        "gpu": "NVIDIA H200", "torch": "2.11", "triton": "3.6",
        "rows": [
            row | {"kernel": 3, "diff": "slower", "ratio": 0.5, "candidates": 6, "chosen": chosen, "matched": {"diff": "same", "ratio": 1.0}},
            row | {"kernel": 4, "diff": "slower", "ratio": 0.97, "candidates": 1, "chosen": chosen},
            row | {"kernel": 3, "style": "verbatim"},
            row | unjudged | {"kernel": 7, "capture": "real_a", "diff": "same", "ratio": 1.01, "candidates": 2, "chosen": chosen},
        ],
    }  # fmt: skip
    monkeypatch.setitem(made["unedited"].__globals__, "read", lambda name: document)
    lines = made["unedited"]().splitlines()
    assert lines[2] == "| reduction | 2 | 3 of 3 | 1, 0, 1, 0 | 0.985 | 0.970 | 0.696 | 0.500 |"
    assert lines[3] == "| reduction, real sizes | 1 | 0 of 1 | 1, 0, 0, 0 | 1.010 | 1.010 | 1.010 | 1.010 |"
    assert (
        "1.0100 over the 1 at real sizes. Under 0.98: a:4 0.970. 1 were not verified; `diff` held 1 of them"
        in lines[-1]
    )
    assert made["each"](document).splitlines()[4:6] == [
        "| a:3 | reduction | 6 | XBLOCK=1, num_warps=16 | 1.000 | 0.500 |",
        "| a:4 | reduction | 1 | XBLOCK=1, num_warps=16 | 0.970 | 0.970 |",
    ]


def test_a_row_of_the_unedited_table_has_what_the_autotuner_chose(monkeypatch: pytest.MonkeyPatch) -> None:
    made = runpy.run_path(str(ROOT / "tests" / "benchmarks" / "unedited.py"))
    candidates = ({"XBLOCK": 512}, {"XBLOCK": 256})
    timing = Timing(10.0, (9.9, 10.1), 30, None)
    found = PerfDiff(
        "slower", 0.8, (0.79, 0.81), 0.01, {"timing": timing}, {"timing": timing}, "NVIDIA H200", conditions={
            "autotuned": {"settings": candidates[1], "candidates": candidates}
        }, matched=Paired("matched", "same", 1.0, (0.99, 1.01)),
    )  # fmt: skip
    asked: list[Method] = []
    monkeypatch.setattr("inductor_lab.measure.diff.diff", lambda path, *, method: asked.append(method) or found)
    row = made["timed"]({"path": "mine.py"}, 0.3)
    assert (row["candidates"], row["chosen"], row["ratio"]) == (2, candidates[1], 0.8)
    assert row["matched"]["ratio"] == made["ratio_of_code"](row) == 1.0 and asked[0].seconds == 0.3
    draws = [row | {"matched": {"ratio": ratio}} for ratio in (0.9, 1.1, 1.0)]
    assert made["middle"](draws) == draws[2] | {"ratios": [0.9, 1.0, 1.1]}


@pytest.mark.slow
def test_the_python_snippet_runs(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """As a user would run it: where a log is, and nothing else."""
    pytest.importorskip("torch")
    (snippet,) = (code for code in SNIPPET.findall(README) if "import inductor_lab" in code)
    shutil.copy(ROOT / "captured" / "lora_mlp_h200" / "log.txt.gz", tmp_path / "run.log.gz")
    (tmp_path / "snippet.py").write_text(snippet)
    environment = {**os.environ, "PYTHONPATH": str(ROOT)}
    ran = subprocess.run(
        [sys.executable, "snippet.py"], cwd=tmp_path, env=environment, capture_output=True, text=True, check=True
    )
    assert "run:0 pointwise" in ran.stdout and "tmp8 = maximum(0, tmp6)" in ran.stdout
    assert "@triton.jit" in (tmp_path / "mine.py").read_text()


def test_every_capture_that_the_guide_names_was_made_before() -> None:
    """A reader types the commands in their order: what a step names, an earlier step has made."""
    made: set[str] = set()
    for words in re.findall(r"^    inductor-lab (.+?)(?: {2,}#.*)?$", GUIDE, re.MULTILINE):
        verb, *rest = words.split()
        names = [word.partition(":")[0] for word in rest if re.fullmatch(r"[a-z]\w*(:\d+)?", word)]
        if verb == "capture" and rest[0] in WORKLOADS:
            options = dict(pairwise(rest))
            asked = Request(rest[0], gpu=options.get("--gpu", "auto"), train="--train" in rest)
            made.add(folder_name(asked, "workload", asked.gpu))
        elif verb in ("list", "show", "report", "compare"):
            assert set(names) <= made, words


def test_both_set_up_commands_are_named() -> None:
    assert "make demo" in README and "make test" in README
