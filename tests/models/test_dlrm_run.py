"""The command that measures all of DLRM: what is done is not done again, what fails leaves its last line, and no file is half-written."""

from __future__ import annotations

import importlib
import json
import os
import subprocess
import sys
import threading
from pathlib import Path
from types import ModuleType

import pytest
from folders import ROOT

from inductor_lab.errors import LabError
from inductor_lab.kernels.dlrm.steps import STEPS

BENCHMARKS = ROOT / "tests" / "benchmarks"


@pytest.fixture
def dlrm(monkeypatch: pytest.MonkeyPatch) -> ModuleType:
    monkeypatch.syspath_prepend(BENCHMARKS)
    return importlib.import_module("dlrm")


def says(text: str) -> list[str]:
    return [sys.executable, "-c", text]


def told(folder: Path) -> dict[str, dict[str, object]]:
    return {row["job"]: row for row in json.loads((folder / "jobs.json").read_text())["rows"]}


def test_what_has_its_result_is_not_run_again(dlrm: ModuleType, tmp_path: Path) -> None:
    made = says("from pathlib import Path; Path('made').write_text('pass')")
    good = dlrm.Job("good", [made, says("""print('{"verdict": "%s"}' % open('made').read())""")], "good.json", 60)
    bad = dlrm.Job("bad", [says("print('{'); import sys; sys.exit('why\\nat last')")], "bad.json", 60)
    slow = dlrm.Job("slow", [says("print('{', flush=True); import time; time.sleep(60)")], "slow.json", 1)
    rows = dlrm.Job(
        "rows", [says(f"import sys; print('FILE', SECONDS > 0); sys.exit({dlrm.LEFT})")], "r.json", rows=("a", "b")
    )
    every = [bad, slow, good, rows]
    dlrm.Run(tmp_path, every, 300).on(["0", "1"])
    assert json.loads((tmp_path / "good.json").read_text()) == {"verdict": "pass"}
    assert sorted(path.name for path in tmp_path.iterdir()) == ["good.json", "jobs.json"]
    found = told(tmp_path)
    assert (found["bad"]["failed"], found["slow"]["failed"]) == ("at last", "it took longer than 1 s")
    assert found["rows"]["left"] is True and not {"failed", "left"} & found["good"].keys()
    assert dlrm.left(tmp_path, every, ()) == [rows, bad, slow], "what failed is tried again, last"

    with pytest.raises(LabError, match="there is no other: it is bad, slow, good, rows"):
        dlrm.left(tmp_path, every, ["other"])
    assert good in dlrm.left(tmp_path, every, ["good"]) and not (tmp_path / "good.json").exists()


def test_what_is_cut_off_is_begun_anew(dlrm: ModuleType, tmp_path: Path) -> None:
    job = dlrm.Job("slow", [says("import time; time.sleep(60)")], "slow.json", 1.8)
    dlrm.Run(tmp_path, [job], 1).on([""])
    assert list(tmp_path.iterdir()) == [] and dlrm.left(tmp_path, [job], ()) == [job]
    begun = dlrm.Run(tmp_path, [dlrm.Job("long", job.commands, "long.json", 300)], 1)
    begun.on([""])
    assert len(begun.waiting) == 1, "it is not begun where there is no time for it"


def test_rows_of_several_processes_are_all_kept_and_taken_out_by_what_they_have(
    dlrm: ModuleType, tmp_path: Path
) -> None:
    path = tmp_path / "rows.json"
    adding = [
        threading.Thread(target=lambda kind=kind: [dlrm.Results(path, "").add({"kind": kind}) for _ in range(10)])
        for kind in "ab"
    ]
    for thread in adding:
        thread.start()
    for thread in adding:
        thread.join()
    assert len(dlrm.Results(path, "").rows()) == 20
    first, second = (dlrm.Job(name, [says("")], path.name, rows=("kind", "a")) for name in ("first", "second"))
    run = dlrm.Run(tmp_path, [first, second], 300)
    assert run._next() is first and run._next() is None, "two jobs may add the same row"
    dlrm.Run(tmp_path, [first, second], 300).on(["", ""])
    assert dlrm.left(tmp_path, [first, second], ()) == []
    assert dlrm.left(tmp_path, [first, second], ["first"]) == [first, second]
    assert [row["kind"] for row in dlrm.Results(path, "").rows()] == ["b"] * 10


def test_every_step_is_timed_and_judged_and_jobs_have_names_of_their_own(dlrm: ModuleType) -> None:
    names = [job.name for job in dlrm.jobs()]
    assert len({*names}) == len(names) and {f"{verb}_{step}" for step in STEPS for verb in ("diff", "verify")} < {
        *names
    }


def test_each_card_that_cuda_may_see_or_a_sentence(dlrm: ModuleType, monkeypatch: pytest.MonkeyPatch) -> None:
    torch = pytest.importorskip("torch")
    monkeypatch.setattr(torch.cuda, "is_available", lambda: False)
    with pytest.raises(LabError, match="This needs a GPU"):
        dlrm.cards(False)
    monkeypatch.setattr(torch.cuda, "is_available", lambda: True)
    monkeypatch.setenv("CUDA_VISIBLE_DEVICES", "2,3")
    assert dlrm.cards(False) == ["2", "3"] and dlrm.cards(True) == [""]


@pytest.mark.slow
def test_a_part_of_it_at_tiny_sizes(tmp_path: Path) -> None:
    pytest.importorskip("triton")
    words = [sys.executable, str(BENCHMARKS / "dlrm.py"), "--smoke", "-o", str(tmp_path)]
    done = subprocess.run(
        words, env=os.environ | {"TRITON_INTERPRET": "1"}, capture_output=True, text=True, check=False
    )
    assert done.returncode == 0 and done.stdout.endswith("left: nothing\n"), done.stdout + done.stderr
    inference, training = json.loads((tmp_path / "grafted.json").read_text())["rows"]
    assert inference["far"]["grafted"] < 1e-6 and training["far"]["grafted"] < 1e-5
