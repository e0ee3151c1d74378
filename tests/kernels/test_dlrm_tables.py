"""docs/dlrm.md and the README say of DLRM's kernels what was measured, and whether it reaches its goal."""

from __future__ import annotations

import runpy
from typing import Any

import pytest
from folders import ROOT

pytest.importorskip("triton")

from inductor_lab.kernels.dlrm.lookups_grouped import faster

MADE = runpy.run_path(str(ROOT / "tests" / "benchmarks" / "dlrm_tables.py"))
RUN = {"card": "NVIDIA H200", "torch": "2.11", "triton": "3.6", "copy_bytes_per_s": 4e12}


def row(**given: Any) -> dict[str, Any]:
    """A row as `dlrm_kernels.py` writes it."""
    us = {"hand": [2.0, [1.9, 2.1]], "again": [2.0, [1.9, 2.1]], "eager": [50.0, [49, 51]], "default": [30.0, [29, 31]]}
    ratio = {"again": [1.01, [0.99, 1.02]], "eager": [25.0, [24, 26]], "default": [15.0, [14.5, 15.5]]}
    own = {"verb": "time", "kernel": "lookups", "batch": 128, "columns": 16, "rows": 10_000, "precision": "ieee"}
    told = {
        "bytes": 4_000_000,
        "copy_bytes_per_s": 4e12,
        "copy_share": 0.5,
        "us": us,
        "ratio": ratio,
        "best": "default",
    }
    return own | told | {"refused": {"fbgemm": "ImportError: it is not there"}} | given


@pytest.fixture
def tables(monkeypatch: pytest.MonkeyPatch) -> dict[str, Any]:
    rows = [
        row(),
        row(batch=65_536),
        row(kernel="outer", rows=0),
        row(verb="tune"),
        {name: value for name, value in row(kernel="pairwise", batch=2048, failed="no").items() if name != "us"},
    ]
    monkeypatch.setitem(
        MADE["goals"].__globals__, "kernels", lambda: ([RUN], [one for one in rows if one["verb"] == "time"])
    )
    return MADE


TALK = ("dlrm_talk", "dlrm_item", "dlrm_modes", "dlrm_rates", "dlrm_names")
CPU = ("dlrm_reader", "dlrm_trained", "dlrm_exported", "dlrm_outer_code", "dlrm_outer_3")
TRIED = ("dlrm_grouped", "dlrm_tiles")


@pytest.mark.parametrize("name", [*MADE["TABLES"], *TALK, *CPU, *TRIED])
def test_a_page_has_the_committed_results(name: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.syspath_prepend(ROOT / "tests" / "benchmarks")
    start, end = MADE["markers"](name)
    page = {"dlrm": ROOT / "README.md"} | dict.fromkeys(TALK, MADE["RESULTS"] / "talk.md")
    assert start + MADE["tables"]()[name]() + end in page.get(name, ROOT / "docs" / "dlrm.md").read_text(
        encoding="utf-8"
    )
    assert MADE["kernels"]()[1] == [] or (MADE["RESULTS"] / "kernels.md").read_text(encoding="utf-8") == MADE["every"]()


def test_a_goal_is_met_by_the_interval_or_the_row_says_how_far(tables: dict[str, Any]) -> None:
    lines = tables["goals"]().splitlines()
    assert len(lines) == 8 and lines[-1].startswith("NVIDIA H200, torch 2.11, triton 3.6; a copy moves 4.00 TB/s.")
    told = "2.00 | 30.00 default | 15.00 (14.50 to 15.50) | 50% |  |"
    assert lines[2] == f"| lookups | 128 | 16 | 10,000 | ieee | {told} 8x default | 15.00 (14.50 to 15.50), met |  |"
    missed = "| 85% of the copy rate | 50% (48% to 53%), missed by 41% | of tables larger than the L2 cache"
    assert missed in lines[3]
    assert "| 2x Inductor | no | all samples run at once" in lines[5]
    assert lines[4].startswith("| outer | 128 | 16 |  | ieee |") and lines[4].endswith(
        "| 1.05x best | 15.00 (14.50 to 15.50), met |  |"
    )
    assert "A time is of one recording of a CUDA graph: [another may take 3.5% longer](timing.md)" in lines[-1]


@pytest.mark.parametrize("name", ["goals", "grafted"])
def test_a_committed_row_that_misses_its_goal_says_why(name: str) -> None:
    for line in MADE[name]().splitlines()[2:]:
        *_, goal, reason, _ = (line if line.startswith("|") else "| met |  |").split("|")
        if "missed" in goal or "above" in goal or "not certain" in goal:
            assert reason.strip(), f"tests/benchmarks/goals.py has no reason in WHY for {line}"


def test_lookups_are_grouped_where_that_was_faster() -> None:
    """Than atomic additions in the kernel's own order: none adds `atomic, table after table`."""
    times: dict[tuple[int, int, int], dict[str, float]] = {}
    for one in MADE["kept"](MADE["RESULTS"] / "lookups_tried.json")["rows"]:
        if one["kernel"] == "lookups_backward" and one["ids"] == "evenly":
            times.setdefault((one["batch"], one["columns"], one["run"]), {})[one["variant"]] = one["us"]
    pairs = {key: own for key, own in times.items() if {"atomic", "grouped"} <= own.keys()}
    assert len(pairs) == 13
    for (batch, columns, _), own in pairs.items():
        assert faster(batch, [10_000] * 26, columns) == (own["grouped"] < own["atomic"])


def test_a_verdict_s_refusal_is_told_as_what_it_is(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.syspath_prepend(ROOT / "tests" / "benchmarks")
    made = MADE["tables"]()["dlrm_outer_3"]
    drawn = {"name": "groups of every kind, seed 80588", "passed": True, "message": ""}
    for message, told in (
        ("line 3 uses os.environ", "`verify` refused what its file used: line 3 uses os.environ."),
        ("line 81 uses inductor_lab.kernels.dlrm.outer.Folded, behind", "Now the file has what it imported"),
    ):
        refused = {"name": "what the file uses", "passed": False, "message": message}
        files = {"verify_outer_3.json": {"cases": (drawn, refused)}}
        monkeypatch.setitem(made.__globals__, "kept", lambda path, files=files: files.get(path.name, {}))
        assert made().startswith("`outer_3` passes all of 1 cases. `verify` refused") and told in " ".join(
            made().split()
        )
    wrong = {"message": "mm is off by 3 %", "where": {"wrong": 1, "of": 65536}}
    for passed, told in (
        (True, "It passes an earlier draw, too"),
        (False, "There mm is off by 3 %; 1 of 65,536 numbers."),
    ):
        files["verify_outer_3_case.json"] = {"device": "a card", "cases": [drawn | wrong | {"passed": passed}]}
        assert told in " ".join(made().split())


def test_arithmetic_is_a_share_of_the_rate_of_its_products() -> None:
    assert MADE["arithmetic"](row()) == ""
    half = {"us": {"hand": [2 * 128 * 512 * 432**2 / 989.4e12 / 0.5 * 1e6]}, "precision": "bf16"}
    assert MADE["arithmetic"](row(kernel="outer", **half)) == "50%"
    assert MADE["arithmetic"](row(kernel="outer_folded", **half)) == "25%"


def test_rows_of_several_commits_are_told_apart() -> None:
    runs = [{"copy_bytes_per_s": 1.0, "code": "a1"}, {"copy_bytes_per_s": 2.0, "code": "b2"}]
    rows = [row(copy_bytes_per_s=1.0), row(copy_bytes_per_s=1.0), row(copy_bytes_per_s=2.0, kernel="outer")]
    assert MADE["commits"](runs, rows) == " By commit, `a1`: lookups; `b2`: outer."
    assert MADE["commits"](runs, rows[:2]) == ""
    told = [*rows, row(copy_bytes_per_s=3.0, kernel="pairwise"), row(copy_bytes_per_s=3.0, kernel="outer", code="c3")]
    assert MADE["commits"](runs, told).endswith("; not told: pairwise; `c3`: outer.")


def test_every_row_has_who_was_not_timed_and_why(tables: dict[str, Any]) -> None:
    found = tables["every"]()
    assert "- fbgemm, 4 times: ImportError: it is not there" in found
    assert "differs from itself by 1.0% at most" in found and found.count("50.00 | 30.00 |") == 3


def test_what_is_grafted_together_has_a_line_by_graph_and_one_from_python(monkeypatch: pytest.MonkeyPatch) -> None:
    times = {"us": {"generated": [620.0, [619, 621]], "grafted": [240.0, [239, 241]]}, "noise": [0.1, [-0.5, 0.5]]}
    times |= {"saved": [380.0, [379, 381]], "ratio": [2.58, [2.57, 2.6]]}
    rows = [
        {"training": False, "steps": ["a", "b"], "graph": times, "wall": times},
        {"training": True, "steps": ["c"], "failed": "no | why"},
    ]
    monkeypatch.setitem(MADE["grafted"].__globals__, "kept", lambda path: {"runs": [RUN], "rows": rows})
    made = MADE["grafted"]().splitlines()
    told = (
        "620.0 (619.0 to 621.0) | 240.0 (239.0 to 241.0) | 380.0 (379.0 to 381.0) | 2.58 (2.57 to 2.60) | -0.5 to 0.5 |"
    )
    assert made[2] == f"| inference | a + b | CUDA graph | {told} 310 at most: met |  |"
    assert made[3].startswith("| inference | a + b | from Python | 620 (619 to 621) |")
    assert made[4] == "| training | c |  | failed: no \\| why |  |  |  |  |  |  |"
    monkeypatch.setitem(MADE["grafted"].__globals__, "kept", lambda path: {})
    assert MADE["grafted"]() == "Not measured yet.\n"


def test_the_talk_is_held_or_contradicted_by_the_rows(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.syspath_prepend(ROOT / "tests" / "benchmarks")
    tables = MADE["tables"]()
    base = {"config": "main", "training": False, "hash": "modulus", "blocking": False}
    timed = {"step_us": [900.0, [800, 1000]], "kernels": 9.0, "kernel_us": 450.0, "busy": 0.5, "cuda": [], "cpu": []}
    memory = {"peak_allocated": 2e6, "peak_reserved": 3e6}
    eager = base | timed | memory | {"experiment": "modes", "mode": "eager"}
    graph = eager | {"mode": "reduce-overhead", "busy": 0.8, "peak_allocated": 1e6, "guards": 7}
    graph |= {"graph_breaks": 0, "recompiles": 1}
    cost = {"item_us": 30, "item_share": 0.3, "item_is": "waiting", "item_waiting_share": 0.9}
    pairs = {"without_us": [850.0, [840, 860]], "costs_us": [50.0, [40, 60]], "noise_us": [1.0, [-5, 6]]}
    asks = eager | cost | pairs | {"experiment": "item"}
    launched = [{"name": "cudaLaunchKernel", "share": 0.4}]
    blocks = asks | {"blocking": True, "item_share": 0.1, "cpu": launched, "step_us": [990.0, [980, 1000]]}
    hashed = eager | {"experiment": "hash", "hash_share": 0.2}
    rows = [eager, graph, base | {"experiment": "modes", "mode": "default", "failed": "no | why"}, asks, blocks, hashed]
    run = RUN | {"cap": 100}
    monkeypatch.setitem(tables["dlrm_modes"].__globals__, "results", lambda: {"runs": [run], "rows": rows})

    made = tables["dlrm_modes"]()
    assert '- "GPU utilization goes up": held by 1 of 1 compiled rows.' in made
    assert "MB reserved: held by 0 of 1 compiled rows; contradicted by main inference reduce-overhead (3 to 3)." in made
    assert "| main inference | default | failed: no \\| why |" in made
    assert "hashes 3, `.item()` with `index-list` 2, main inference 2" in " ".join(made.split())
    told = "900 (800 to 1,000) | 850 (840 to 860) | 50 (40 to 60) | 1 (-5 to 6) |"
    assert f"| `modulus` | 0 | 30 | 30.0% | 0% | waiting, 90% | 450 | {told}" in tables["dlrm_item"]()

    said = {line.split(" | ")[0].strip("| "): line.split(" | ")[2] for line in tables["dlrm_talk"]().splitlines()[2:-2]}
    assert said["`loss.item()` in each step"] == (
        "held: `modulus` 30.0% of the host's time, 90% of which waits or copies; a step takes 50 (40 to 60) us more with it"
    )
    assert said["`CUDA_LAUNCH_BLOCKING=1`"] == (
        "`modulus`: `cudaLaunchKernel` 0% to 40% of the operators' time, `.item()` 30.0% to 10.0%, a step 900 to 990 us"
    )
    assert said["`modulus`"].startswith("contradicted: 20.0% of the host's time; a step takes 900 (800 to 1,000) us")
    assert said["hash of Python lists, `index-list`"] == "not measured"
    assert said["`torch.compile`, utilization"] == "held by all 1 compiled rows"
    assert said["`torch.compile`, memory"].endswith("; reserved, contradicted: by 1 of 1 compiled rows")
    assert (
        said["breaks, recompilations, guards"]
        == "0 graph breaks and 1 recompilations in 1 rows; guards: small , main 7"
    )
