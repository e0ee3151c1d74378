"""The command that measures all of DLRM: what is done is not done again, what fails leaves its last line, and no file is half-written."""

from __future__ import annotations

import argparse
import importlib
import json
import os
import subprocess
import sys
import threading
from pathlib import Path
from types import ModuleType, SimpleNamespace

import pytest
from folders import CAPTURED, ROOT

from inductor_lab.errors import LabError
from inductor_lab.kernels.steps import STEPS

BENCHMARKS = ROOT / "tests" / "benchmarks"


@pytest.fixture
def jobs(monkeypatch: pytest.MonkeyPatch) -> ModuleType:
    monkeypatch.syspath_prepend(BENCHMARKS)
    return importlib.import_module("jobs")


@pytest.fixture
def dlrm(jobs: ModuleType) -> ModuleType:
    pytest.importorskip("triton")
    return importlib.import_module("dlrm")


def says(text: str) -> list[str]:
    return [sys.executable, "-c", text]


def told(folder: Path) -> dict[str, dict[str, object]]:
    return {row["job"]: row for row in json.loads((folder / "jobs.json").read_text())["rows"]}


def test_what_has_its_result_is_not_run_again(jobs: ModuleType, tmp_path: Path) -> None:
    made = says("from pathlib import Path; Path('made').write_text('pass')")
    good = jobs.Job("good", [made, says("""print('{"verdict": "%s"}' % open('made').read())""")], "good.json", 60)
    bad = jobs.Job("bad", [says("print('{'); import sys; sys.exit('why\\nat last')")], "bad.json", 60)
    slow = jobs.Job("slow", [says("print('{', flush=True); import time; time.sleep(60)")], "slow.json", 1)
    rows = jobs.Job(
        "rows", [says(f"import sys; print('FILE', SECONDS > 0); sys.exit({jobs.LEFT})")], "r.json", rows=("a", "b")
    )
    every = [bad, slow, good, rows]
    jobs.Run(tmp_path, every, 300).on(["0", "1"])
    assert json.loads((tmp_path / "good.json").read_text()) == {"verdict": "pass"}
    assert sorted(path.name for path in tmp_path.iterdir()) == ["good.json", "jobs.json"]
    found = told(tmp_path)
    assert (found["bad"]["failed"], found["slow"]["failed"]) == ("at last", "it took longer than 1 s")
    assert found["rows"]["left"] is True and not {"failed", "left"} & found["good"].keys()
    assert jobs.left(tmp_path, every, ()) == [rows, bad, slow], "what failed is tried again, last"

    with pytest.raises(LabError, match="there is no other: it is bad, slow, good, rows"):
        jobs.left(tmp_path, every, ["other"])
    assert good in jobs.left(tmp_path, every, ["good"]) and not (tmp_path / "good.json").exists()


def test_what_is_cut_off_is_begun_anew(jobs: ModuleType, tmp_path: Path) -> None:
    job = jobs.Job("slow", [says("import time; time.sleep(60)")], "slow.json", 1.8)
    jobs.Run(tmp_path, [job], 1).on([""])
    assert list(tmp_path.iterdir()) == [] and jobs.left(tmp_path, [job], ()) == [job]
    begun = jobs.Run(tmp_path, [jobs.Job("long", job.commands, "long.json", 300)], 1)
    begun.on([""])
    assert len(begun.waiting) == 1, "it is not begun where there is no time for it"


def test_rows_of_several_processes_are_all_kept_and_taken_out_by_what_they_have(
    jobs: ModuleType, tmp_path: Path
) -> None:
    path = tmp_path / "rows.json"
    adding = [
        threading.Thread(target=lambda kind=kind: [jobs.Results(path, "").add({"kind": kind}) for _ in range(10)])
        for kind in "ab"
    ]
    for thread in adding:
        thread.start()
    for thread in adding:
        thread.join()
    assert len(jobs.Results(path, "").rows()) == 20
    first, second = (jobs.Job(name, [says("")], path.name, rows=("kind", "a")) for name in ("first", "second"))
    run = jobs.Run(tmp_path, [first, second], 300)
    assert run._next() is first and run._next() is None, "two jobs may add the same row"
    jobs.Run(tmp_path, [first, second], 300).on(["", ""])
    assert jobs.left(tmp_path, [first, second], ()) == []
    assert jobs.left(tmp_path, [first, second], ["first"]) == [first, second]
    assert [row["kind"] for row in jobs.Results(path, "").rows()] == ["b"] * 10


def test_a_run_says_how_long_it_took_to_its_last_row(jobs: ModuleType, tmp_path: Path) -> None:
    path = tmp_path / "rows.json"
    for kind in "ab":
        results = jobs.Results(path, "")
        results.begin("script.py")
        results.add({"kind": kind})
    first, second = json.loads(path.read_text(encoding="utf-8"))["runs"]
    assert 0 <= first["took_s"] <= second["took_s"]


def test_every_step_is_timed_and_judged_and_jobs_have_names_of_their_own(dlrm: ModuleType) -> None:
    names = [job.name for job in dlrm.every()]
    assert len({*names}) == len(names) and {
        f"{verb}_{step}" for step in STEPS["dlrm"] for verb in ("diff", "verify")
    } < {*names}


def test_what_is_left_follows_from_the_rows_that_are_there(jobs: ModuleType, dlrm: ModuleType, tmp_path: Path) -> None:
    job = dlrm.kernels("pairwise", "goal_pairwise", "--batches 2048 --columns 16 --precisions ieee tf32")
    assert job in jobs.left(tmp_path, [job], ())
    kept = jobs.Results(tmp_path / job.file, "")
    for verb, point in (("tune", job.points[0]), ("time", job.points[0]), ("time", job.points[1])):
        assert jobs.left(tmp_path, [job], ()) == [job]
        kept.add({**point, "verb": verb, "us": {}})
    assert not jobs.left(tmp_path, [job], ()) and not (tmp_path / "jobs.json").exists()

    grafted = dlrm.script("grafted", dlrm.dlrm_grafted.SMOKE)
    for point in dlrm.dlrm_grafted.SMOKE:
        assert jobs.left(tmp_path, [grafted], ()) == [grafted]
        jobs.Results(tmp_path / grafted.file, "").add({"training": point.training, "steps": [*point.steps]})
    assert not jobs.left(tmp_path, [grafted], ())


def test_each_card_that_cuda_may_see_or_a_sentence(jobs: ModuleType, monkeypatch: pytest.MonkeyPatch) -> None:
    torch = pytest.importorskip("torch")
    monkeypatch.setattr(torch.cuda, "is_available", lambda: False)
    with pytest.raises(LabError, match="This needs a GPU"):
        jobs.cards(False)
    monkeypatch.setattr(torch.cuda, "is_available", lambda: True)
    monkeypatch.setenv("CUDA_VISIBLE_DEVICES", "2,3")
    assert jobs.cards(False) == ["2", "3"] and jobs.cards(True) == [""]


@pytest.mark.slow
def test_a_part_of_it_at_tiny_sizes(tmp_path: Path) -> None:
    pytest.importorskip("triton")
    words = [sys.executable, str(BENCHMARKS / "dlrm.py"), "--smoke", "-o", str(tmp_path)]
    done = subprocess.run(
        words, env=os.environ | {"TRITON_INTERPRET": "1"}, capture_output=True, text=True, check=False
    )
    assert done.returncode == 0 and done.stdout.endswith("nothing is left to do\n"), done.stdout + done.stderr
    inference, training = json.loads((tmp_path / "grafted.json").read_text())["rows"]
    assert inference["far"]["grafted"] < 1e-6 and training["far"]["grafted"] < 1e-5


def test_of_spans_each_capture_is_verified_and_then_replayed_the_small_ones_first(
    jobs: ModuleType, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    of_spans = importlib.import_module("spans_on_cards")
    folders = [CAPTURED / name for name in ("dlrm_h200", "rotary_attention_h200")]
    asked = argparse.Namespace(captures=folders, output=tmp_path, into=tmp_path / "all.json")
    every = of_spans.every(asked)
    assert [job.name for job in every] == [
        f"{verb}_{name}_h200" for name in ("rotary_attention", "dlrm") for verb in ("verify", "replay")
    ]
    of_spans.begin(tmp_path, argparse.Namespace(**{**vars(asked), "captures": folders[1:]}))
    (row,) = json.loads((tmp_path / "rotary_attention_h200.json").read_text())["rows"] or [{}]
    assert row["eject"] == "pass" and (tmp_path / "files" / row["file"]).exists()
    (tmp_path / "rotary_attention_h200.json").write_text(
        json.dumps({"what": "", "runs": [], "rows": [row | {"verify": "pass"}]})
    )
    asked.into.write_text(json.dumps({"rows": [{"span": row["span"], "lines": 1}, {"span": "another"}]}))
    of_spans.end(tmp_path, asked)
    assert json.loads(asked.into.read_text())["rows"] == [
        {"span": row["span"], "lines": 1, "verify": "pass"},
        {"span": "another"},
    ]


def test_of_spans_grafted_live_what_fails_is_halved_and_what_was_not_used_is_tried_alone(
    jobs: ModuleType, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    pytest.importorskip("torch")
    live = importlib.import_module("spans_live")
    rows = [{"span": f"m:0_forward:{n}-{n}", "eject": "pass", "file": "", "body": f"{n}"} for n in range(5)]
    ran: list[list[int]] = []

    def run(model: object, some: list[dict[str, str]], *rest: object) -> dict[str, object]:
        """The second is wrong, the last is used by nobody."""
        own = [rows.index(row) for row in some]
        ran.append(own)
        idle = {row["span"]: "no wrapper" for n, row in zip(own, some, strict=True) if n == 4}
        launches = {row["span"]: int(row["span"] not in idle) for row in some}
        return {"live": "fail" if 1 in own else "pass", "live_says": "off" * (1 in own), "held": {}, "idle": idle, "launches": launches}  # fmt: skip

    monkeypatch.setattr(live, "_run", run)
    found: list[dict[str, object]] = []
    restored: list[int] = []
    model = SimpleNamespace(restore=lambda: restored.append(len(ran)))
    live.grafted(
        model, [*rows, {"span": "m:0_forward:9-9", "eject": "it is a barrier"}], tmp_path, {}, found.append, str
    )
    assert ran == [[0, 1, 2, 3, 4], [0, 1], [2, 3, 4], [0], [1], [4]]
    assert restored == [1, 2, 5], "behind each that was wrong"
    said = {row["span"]: (row["live"], row["live_says"], row["live_launches"]) for row in found}
    assert [said[row["span"]] for row in rows] == [
        ("pass", "", 1), ("fail", "off", 1), ("pass", "", 1), ("pass", "", 1), ("not used", "no wrapper", 0),
    ]  # fmt: skip
    again = rows[2] | {"span": "m:0_forward:7-7"}
    assert live.together([*rows, again]) == [rows, [again]], "one graft takes one file for a body"


@pytest.mark.slow
@pytest.mark.from_nothing
def test_the_spans_of_a_small_model_are_grafted_live_and_a_wrong_file_is_noticed(tmp_path: Path) -> None:
    """Forward and backward under torch.compile, in Triton's interpreter. The wrong file writes over weights too, which the next one must not see."""
    pytest.importorskip("triton")
    words = [sys.executable, str(BENCHMARKS / "spans_live.py"), "--smoke", "-o", str(tmp_path)]
    environment = os.environ | {"TRITON_INTERPRET": "1"}
    done = subprocess.run(words, env=environment, capture_output=True, text=True, check=False)
    assert done.returncode == 0 and done.stdout.endswith("nothing is left to do\n"), done.stdout + done.stderr
    results = tmp_path / "spans_live.json"
    rows = json.loads(results.read_text())["rows"]
    assert {row["span"].rpartition(":")[0] for row in rows} == {"smoke:0_forward", "smoke:0_backward"}
    assert all((row["live"], row["live_launches"], row["live_with"]) == ("pass", 1, 2) for row in rows)
    results.unlink()
    wrong = f"""
import sys
sys.path.insert(0, {str(BENCHMARKS)!r})
import spans_live
def spoiled(found, folder, top):
    rows = ejected_of(found, folder, top)
    file = folder / rows[0]["file"]
    launch = "def launch(*tensors):\\n    for one in tensors:\\n        one.mul_(1.02)\\n\\n\\n"
    file.write_text(file.read_text().replace("\\ndef launch(", f"\\n{{launch}}def unused(", 1))
    return rows
ejected_of, spans_live.ejected_of = spans_live.ejected_of, spoiled
sys.argv = ["", "--here", "smoke", "-o", {str(tmp_path)!r}]
spans_live.here()
"""
    environment["PYTHONPATH"] = str(ROOT)
    done = subprocess.run([sys.executable, "-c", wrong], env=environment, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    assert [row["live"] for row in json.loads(results.read_text())["rows"]] == ["fail", "pass"]
