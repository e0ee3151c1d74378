"""The README says what was measured, and nothing else."""

from __future__ import annotations

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
from inductor_lab.models import WORKLOADS

ROOT = Path(__file__).parents[1]
README = (ROOT / "README.md").read_text(encoding="utf-8")
SNIPPET = re.compile(r"^```python\n(.*?)^```", re.MULTILINE | re.DOTALL)


@pytest.mark.parametrize("name", ["unedited", "clock", "grafts"])
def test_a_table_is_the_committed_result(name: str) -> None:
    made = runpy.run_path(str(ROOT / "tests" / "benchmarks" / "table.py"))
    file, table = made["TABLES"][name]
    start, end = made["markers"](name)
    assert start + table() + end in (ROOT / file).read_text(encoding="utf-8")


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
    assert "run:0 pointwise" in ran.stdout and "tmp8 = maximum(tmp7, tmp6)" in ran.stdout
    assert "@triton.jit" in (tmp_path / "mine.py").read_text()


def test_every_capture_that_the_loop_names_was_made_before() -> None:
    """A reader types the commands in their order: what a step names, an earlier step has made."""
    made: set[str] = set()
    for words in re.findall(r"^    inductor-lab (.+?)(?: {2,}#.*)?$", README, re.MULTILINE):
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
