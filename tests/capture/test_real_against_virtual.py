"""tests/benchmarks/real_against_virtual.py: how two captures are aligned, and that its page says what it measured."""

from __future__ import annotations

import dataclasses
import gzip
import json
import shutil
import sys
from pathlib import Path

import pytest
from folders import CAPTURED, TESTS

from inductor_lab.records import Capture
from inductor_lab.store import load

sys.path.append(str(TESTS / "benchmarks"))
from real_against_virtual import PROBES, WORKLOADS, Combination, Run, aligned, captured, combinations, keep, row
from virtual_gpu_page import PAGE, RESULTS, Cause, explained, page

# ---------------------------------------------------------------- docs/virtual_gpu.md


def test_the_page_on_the_virtual_gpu_is_what_was_measured() -> None:
    document = json.loads(RESULTS.read_text(encoding="utf-8"))
    assert document == explained(document), "python tests/benchmarks/virtual_gpu_page.py"
    assert PAGE.read_text(encoding="utf-8") == page(document), "python tests/benchmarks/virtual_gpu_page.py"


def test_every_difference_that_was_measured_has_a_cause_and_nothing_failed() -> None:
    rows = json.loads(RESULTS.read_text(encoding="utf-8"))["rows"]
    assert all("error" not in row[where] for row in rows for where in ("real", "virtual"))
    assert all(one["explanation"] for row in rows for one in row["differences"])
    assert {row["combination"] for row in rows} == {each.name for each in combinations()}


def test_every_workload_is_measured_in_every_way() -> None:
    names = {each.name for each in combinations()}
    ways = ["", "_train", "_bf16", "_dynamic", "_train_bf16", "_train_dynamic", "_bf16_dynamic", "_train_bf16_dynamic"]
    assert {f"{workload}{way}" for workload in WORKLOADS for way in ways} <= names
    assert {f"probe_{probe}" for probe in PROBES} <= names
    assert len(names) == len(combinations())


# ---------------------------------------------------------------- how two captures are aligned


@pytest.fixture(scope="module")
def trained() -> Capture:
    return load(CAPTURED / "lora_mlp_train_h200")


def told(real: Capture, virtual: Capture) -> list[tuple[str, str, str]]:
    return [(one["kind"], one["real"], one["virtual"]) for one in aligned(real, virtual)["differences"]]


def test_a_kernel_that_one_side_lacks_is_told(trained: Capture) -> None:
    lost, kept = trained.kernels[0], trained.kernels[1:]
    less = dataclasses.replace(trained, kernels=kept)
    assert told(trained, less) == [("only real", lost.name, "")]
    assert told(less, trained) == [("only virtual", "", lost.name)]
    assert aligned(trained, less)["identical"] == len(kept)


def test_a_changed_body_is_told_with_what_changed(trained: Capture) -> None:
    old = trained.kernels[0]
    changed = dataclasses.replace(old, body_sha256="0" * 64, text=old.text.replace("0.5", "0.25"))
    assert changed.text != old.text
    found = aligned(trained, dataclasses.replace(trained, kernels=(changed, *trained.kernels[1:])))
    (one,) = found["differences"]
    assert one["kind"] == "changed" and one["category"] == "pointwise"
    assert any(line.startswith("+") and "0.25" in line for line in one["diff"])


def test_launches_and_library_calls_are_counted(trained: Capture) -> None:
    first = dataclasses.replace(trained.kernels[0], launches=trained.kernels[0].launches * 2)
    more = dataclasses.replace(trained, kernels=(first, *trained.kernels[1:]), extern_calls=trained.extern_calls[1:])
    assert {kind for kind, _, _ in told(trained, more)} == {"launches", "extern calls"}
    assert not aligned(trained, more)["same_launches"] and not aligned(trained, more)["same_extern_calls"]


def test_a_wrapper_is_told_when_its_kernels_are_the_same(trained: Capture) -> None:
    graph = trained.graphs[0]
    other = dataclasses.replace(graph, module=graph.module.replace("extern_kernels.mm(", "extern_kernels.bmm(", 1))
    assert told(trained, dataclasses.replace(trained, graphs=(other, *trained.graphs[1:]))) == [
        ("wrapper", graph.id, graph.id)
    ]


def test_a_capture_that_failed_is_a_failure_whatever_an_earlier_run_left_there(tmp_path: Path) -> None:
    real, virtual = CAPTURED / "dlrm_h200", CAPTURED / "dlrm_h200_virtual"
    found = row(combinations()[0], real, virtual, {virtual: "not done in 180 s"})
    assert found["virtual"] == {"error": "not done in 180 s"} and found["real"]["kernels"] == 32
    assert "identical" not in found
    assert "holds no capture" in row(combinations()[0], tmp_path, virtual, {})["real"]["error"]
    assert row(combinations()[0], None, virtual, {})["real"] is None


def test_a_cause_explains_by_program_kernel_kind_and_text() -> None:
    one = {"kind": "changed", "real": "triton_poi_fused_a_1", "virtual": "triton_poi_fused_b_1", "diff": ["+ rsqrt"]}
    assert Cause("x", "", "dlrm*", "*_b_*", ("changed",), "rsqrt").explains("dlrm_train", one)
    for wrong in ({"combination": "lora*"}, {"kernel": "*_c_*"}, {"kinds": ("only real",)}, {"text": "sqrtf"}):
        assert not dataclasses.replace(Cause("x", ""), **wrong).explains("dlrm_train", one)


def test_what_is_kept_is_the_capture_under_its_name_there(tmp_path: Path) -> None:
    for end in ("h200", "h200_virtual"):
        shutil.copytree(CAPTURED / f"rotary_{end}", tmp_path / "made" / f"rotary_bf16_{end}")
    keep(tmp_path / "made", tmp_path / "kept", "h200")
    assert {path.name for path in (tmp_path / "kept").iterdir()} == {"rotary_h200", "rotary_h200_virtual"}
    made, kept = (load(tmp_path / where) for where in ("made/rotary_bf16_h200", "kept/rotary_h200"))
    assert kept.name == "rotary_h200" and kept.kernels[0].id.endswith("/rotary_h200:0")
    assert [one.text for one in kept.kernels] == [one.text for one in made.kernels]
    assert (kept.graphs, kept.extern_calls, kept.command) == (made.graphs, made.extern_calls, made.command)
    log = "rotary_h200/log.txt.gz"
    packed = (
        tmp_path / "kept" / log,
        CAPTURED / log,
    )  # Pythons before and after 3.13 name the system differently in what they pack
    assert len({gzip.decompress(path.read_bytes()) for path in packed}) == 1


# ---------------------------------------------------------------- several captures at once


@pytest.mark.slow
def test_two_captures_at_once_are_each_whole_and_leave_nothing_beside_them(tmp_path: Path) -> None:
    pytest.importorskip("torch")
    small = Combination("lora_mlp", ("--size", "laptop"))
    runs = [Run(small, "h200", tmp_path / name) for name in ("one", "other")]
    assert captured(runs, jobs=2, seconds=60) == {}
    assert sorted(path.name for path in tmp_path.iterdir()) == ["one", "other"]
    first, second = (load(run.folder) for run in runs)
    assert first.kernels and first.problems == second.problems
    assert aligned(first, second)["differences"] == []


def test_a_capture_that_fails_says_why_and_one_that_is_too_late_is_not_begun(tmp_path: Path) -> None:
    run = Run(Combination("lora_mpl"), "h200", tmp_path / "x")
    assert "did you mean lora_mlp" in captured([run], jobs=1, seconds=60)[run.folder]
    assert captured([run], jobs=1, seconds=-1) == {run.folder: "not begun after -1 s"}
