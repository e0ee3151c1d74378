"""Results of ejected files: kept where a user asks for it, found by the body's hash, and shown with the kernel."""

from __future__ import annotations

import json
import shutil
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from conftest import Result
from drawing import HOSTILE, drawn, parsed, printed, sample
from small_kernels import ejected

from inductor_lab import files
from inductor_lab.api import load
from inductor_lab.errors import LabError
from inductor_lab.measure.history import Keeper, kept
from inductor_lab.records import Case, Kept, KernelTime, PerfDiff, Roofline, Timing, Verdict
from inductor_lab.report import html, terminal
from inductor_lab.report.history import MOST, history, last_ratio, last_told
from inductor_lab.views import ResultView

CAPTURED = Path(__file__).parents[2] / "captured"
Lab = Callable[..., Result]
TIMING = Timing(12.0, (11.9, 12.1), 300, 4.0e12)


@pytest.fixture
def file(workdir: Path) -> Path:
    path = workdir / "mine.py"
    path.write_text(ejected("affine"))
    return path


def body(file: Path) -> str:
    from inductor_lab.staleness import origin_of

    return str(origin_of(file, file.read_text())["body_sha256"])


def test_results_lie_beside_the_captures_and_are_found_by_the_body(file: Path, workdir: Path) -> None:
    keeper = Keeper(file)
    first, second = (
        keeper.add(TIMING, "NVIDIA H200"),
        keeper.add(Verdict("pass", {}, 0.0, (), "cpu")),
    )
    assert keeper.path == Path("captured/results.jsonl")
    found = kept(workdir / "captured" / "any", [body(file), "0" * 64])
    assert found == {body(file): (first, second)}
    assert (first.device, second.device) == ("NVIDIA H200", "cpu")
    assert first.result == TIMING and first.versions["python"] and len(first.file_sha256) == 64
    assert all(json.loads(line)["schema"] == 1 for line in keeper.path.read_text().splitlines())
    assert kept(workdir / "elsewhere" / "any", [body(file)]) == found
    assert kept(workdir / "captured" / "any", ["1" * 64]) == {}
    (workdir / "captured").rename(workdir / "other")
    assert kept(workdir / "elsewhere" / "any", [body(file)]) == {}
    assert kept(workdir / "other" / "any", [body(file)]) == found


def test_an_edit_has_another_hash_and_so_has_one_of_the_cuda_beside(file: Path) -> None:
    before = Keeper(file).add(TIMING)
    file.write_text(file.read_text() + "\n")
    edited = Keeper(file).add(TIMING)
    file.with_suffix(".cu").write_text("__global__ void k() {}")
    beside = Keeper(file).add(TIMING)
    assert len({before.file_sha256, edited.file_sha256, beside.file_sha256}) == 3
    assert before.body_sha256 == edited.body_sha256 == beside.body_sha256


def test_what_was_found_of_another_text_is_not_kept(file: Path) -> None:
    keeper = Keeper(file)
    file.write_text(file.read_text() + "\n")
    with pytest.raises(LabError, match="was saved in the meantime"):
        keeper.add(TIMING)
    assert not keeper.path.exists()


def test_what_a_killed_process_left_torn_hides_nothing(file: Path, workdir: Path) -> None:
    keeper = Keeper(file)
    keeper.add(TIMING)
    whole = keeper.path.read_bytes()
    keeper.path.write_bytes(whole + whole[: len(whole) // 2])
    keeper.add(replace(TIMING, median=11.0))
    (workdir / "captured/results.jsonl").open("a").write(f'{{"body_sha256": "{body(file)}"}}\n[1]\n')
    found = kept(workdir / "captured" / "any", [body(file)])[body(file)]
    assert [one.result for one in found] == [TIMING, replace(TIMING, median=11.0)]


def test_where_nothing_can_be_kept_is_said_before_anything_is_measured(file: Path, workdir: Path) -> None:
    (workdir / "captured" / "results.jsonl").mkdir(parents=True)
    with pytest.raises(LabError, match="can not write"):
        Keeper(file)
    (workdir / "plain.py").write_text("x = 1\n")
    with pytest.raises(LabError, match="no ejected file"):
        Keeper(workdir / "plain.py")
    with pytest.raises(LabError, match="can not be read"):
        list(files.lines(workdir / "captured" / "results.jsonl"))


def test_bench_and_diff_keep_when_asked_and_leave_nothing_unasked(
    lab: Lab, file: Path, workdir: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    torch = pytest.importorskip("torch")
    import inductor_lab.api
    import inductor_lab.measure.diff

    found = PerfDiff("faster", 1.2, (1.1, 1.3), 0.01, {"timing": TIMING}, {"timing": TIMING}, "NVIDIA H200")
    monkeypatch.setattr(inductor_lab.measure.diff, "bench", lambda file, **asked: TIMING)
    monkeypatch.setattr(inductor_lab.api, "diff_file", lambda file, gpu, **asked: ResultView(found))
    monkeypatch.setattr(torch.cuda, "get_device_name", lambda: "NVIDIA H200")
    assert lab("bench", file).code == lab("diff", file, "--json").code == 0
    assert not (workdir / "captured").exists()
    assert lab("bench", file, "--keep").code == 0
    told = lab("diff", file, "--keep", "--json")
    assert json.loads(told.out)["verdict"] == "faster" and "captured/results.jsonl" in told.err
    results = kept(workdir / "captured" / "any", [body(file)])[body(file)]
    assert [one.kind for one in results] == ["timing", "diff"] and results[1].result == found
    assert {one.device for one in results} == {"NVIDIA H200"}


def test_verify_keeps_what_it_found_of_each_file(
    lab: Lab, file: Path, workdir: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    import inductor_lab.verify

    failed = Verdict("fail", {}, 0.0, (), "cpu")
    monkeypatch.setattr(inductor_lab.verify, "verify", lambda *_, **__: failed)
    monkeypatch.setattr(inductor_lab.verify, "verify_all", lambda files, **_: [failed, LabError("no")])
    (workdir / "other.py").write_text(file.read_text())
    assert lab("verify", file, "--keep").code == 1
    assert lab("verify", file, "other.py", "--keep").code == 2
    assert len(kept(workdir / "captured" / "any", [body(file)])[body(file)]) == 2
    assert lab("verify", file, "--keep", "--watch").code == 2


def test_kept_results_are_no_log(file: Path, workdir: Path) -> None:
    from inductor_lab.tables import sources

    Keeper(file).add(TIMING)
    (workdir / "captured" / "run.log").write_text("nothing")
    assert sources([str(workdir / "captured")]) == [str(workdir / "captured" / "run.log")]


# ---------------------------------------------------------------- shown


def result_of(kind: str, found: Any, number: int = 0, **more: Any) -> Kept:
    """A result of the body `a...`, as it is read."""
    given: dict[str, Any] = {
        "file": "mine.py",
        "file_sha256": f"{number:08d}".ljust(64, "0"),
        "device": "NVIDIA H200",
        "date": f"2026-11-22T10:{number:02d}:00+00:00",
    }
    return Kept(kind, body_sha256="a" * 64, kernel="k of test", versions={}, result=found, **{**given, **more})


def comparison(ratio: float, verdict: str) -> PerfDiff:
    span = (ratio - 0.02, ratio + 0.02)
    return PerfDiff(verdict, ratio, span, 0.01, {"timing": TIMING}, {"timing": TIMING}, "NVIDIA H200")


SLOWER = result_of("diff", comparison(0.9, "slower"), 1)
FASTER = result_of("diff", comparison(1.2, "faster"), 2)
UNTIMED = result_of("diff", PerfDiff("inconclusive", None, None, None, {}, {}, "no GPU"), 3)
PASSED = result_of("verdict", Verdict("pass", {}, 0.0, (Case("seed 0", True, {}),), "cpu"), 4)


def page_of(*results: Kept) -> str:
    found = sample()
    kernels = (replace(found.kernels[0], body_sha256="a" * 64), *found.kernels[1:])
    return html.page(replace(found, kernels=kernels), kept={"a" * 64: results})


def test_the_last_time_ratio_and_file_are_told_in_a_line() -> None:
    told = last_told([SLOWER, FASTER, UNTIMED, PASSED])
    assert told == (
        "faster 1.200x (95 %: 1.180 to 1.220), 12.00 us, 4.00 TB/s, 93 % of a copy: mine.py on NVIDIA H200, 2026-11-22 10:02"
    )
    assert last_ratio([SLOWER, FASTER, UNTIMED, PASSED]) == "1.200x faster"
    assert last_told([UNTIMED, PASSED]) == "pass, 1 of 1 cases: mine.py on NVIDIA H200, 2026-11-22 10:04"
    assert last_ratio([UNTIMED]) == "not timed" and last_ratio([result_of("timing", TIMING)]) == "12.00 us"


def test_the_copy_s_own_rate_of_the_same_run_comes_first_and_an_unknown_card_has_none() -> None:
    placed = comparison(1.2, "faster")
    place = Roofline(100, None, None, 4.0e12, None, 0.5, None, "memory")
    beside = replace(placed, hand={**placed.hand, "roofline": place})
    assert "50 % of a copy" in last_told([result_of("diff", beside)])
    assert "of a copy" not in last_told([result_of("diff", placed, device="NVIDIA Unheard")])


def test_the_page_has_the_history_of_the_kernel_and_of_no_other() -> None:
    text = page_of(SLOWER, FASTER, UNTIMED, PASSED)
    first, second = html.unpacked(text)["kernels"]
    assert second["history"] is None and len(first["history"]["chart"]["points"]) == 2
    assert drawn(text).count("Against the generated kernel") == 1
    for word in ("12.00 us", "1.200x", "4.00 TB/s, 93 % of a copy", "not timed", "1 of 1 cases", "00000002"):
        assert word in drawn(text)
    dates = [one["date"] for one in first["history"]["past"]]
    assert dates == sorted(dates, reverse=True) and len(dates) == 4
    assert [time["who"] for time in first["measured"]] == ["generated", "hand"]
    assert html.unpacked(page_of(FASTER))["kernels"][0]["history"]["chart"] is None
    assert html.unpacked(page_of())["kernels"][0]["history"] is None


def test_the_chart_stays_inside_and_has_the_fastest_on_top() -> None:
    found = history([SLOWER, FASTER, result_of("diff", comparison(3.0, "faster"), 5)])
    assert found and found.chart
    heights = [point.y for point in found.chart.points]
    assert heights == sorted(heights, reverse=True) and heights[0] > found.chart.one > heights[1]
    assert all(0 < point.high < point.y < point.low < found.chart.height for point in found.chart.points)
    assert [point.tone for point in found.chart.points] == ["bad", "good", "good"]


@pytest.mark.parametrize(
    "other",
    [
        {"device": "NVIDIA A100"},
        {"result": replace(comparison(5.0, "faster"), hand={"timing": replace(TIMING, launch="graph")})},
        {"result": replace(comparison(5.0, "faster"), hand={"timing": replace(TIMING, cache="warm")})},
    ],
)
def test_the_chart_is_of_one_card_launch_and_cache(other: dict[str, Any]) -> None:
    found = history([replace(FASTER, **other), SLOWER, FASTER])
    assert found and found.chart and len(found.chart.points) == 2 and len(found.past) == 3
    assert all(point.title.endswith("on NVIDIA H200, bare, cold") for point in found.chart.points)
    alone = history([SLOWER, FASTER, replace(FASTER, **other)])
    assert alone and alone.chart is None


def test_a_rate_on_a_warm_cache_is_no_part_of_a_copy_s() -> None:
    warm = result_of("timing", replace(TIMING, cache="warm"))
    assert "4.00 TB/s: mine.py" in last_told([warm]) and "of a copy" in last_told([result_of("timing", TIMING)])


def test_a_long_history_keeps_the_page_small() -> None:
    found = history([replace(FASTER, date=f"2026-{1 + n // 28:02d}-{1 + n % 28:02d}T00:00:00") for n in range(300)])
    assert found and len(found.past) == MOST and found.earlier == 300 - MOST
    assert found.chart and len(found.chart.points) == MOST


def test_what_a_result_says_is_shown_and_not_obeyed() -> None:
    found = page_of(*(replace(one, file=HOSTILE, device=HOSTILE, date=HOSTILE) for one in (SLOWER, FASTER)))
    page = parsed(found)
    assert page.loud == [] and page.tags["script"] == 2 and not {"img", "textarea"} & set(page.tags)
    assert HOSTILE in drawn(found)
    terminal_text = printed(terminal.show(sample().kernels[0], sample(), measured=f"1x: {HOSTILE}"), 400)
    assert "[red]markup[/red]" in terminal_text


def test_list_show_and_report_tell_what_was_kept(lab: Lab, workdir: Path) -> None:
    shutil.copytree(CAPTURED / "lora_mlp_h200", "captured/lora_mlp_h200")
    assert lab("eject", "lora_mlp_h200:0", "-o", "mine.py").code == 0
    assert "measured" not in lab("list", "lora_mlp_h200").out and "measured" not in lab("show", "lora_mlp_h200:0").out
    keeper = Keeper(Path("mine.py"))
    keeper.add(comparison(1.2, "faster"))
    assert "1.200x faster" in lab("list", "lora_mlp_h200").out
    assert "1.200x faster" in lab("list", workdir / "captured" / "lora_mlp_h200").out
    assert "measured   faster 1.200x" in lab("show", "lora_mlp_h200:0").out
    shown = json.loads(lab("show", "lora_mlp_h200:0", "--json").out)["kernels"][0]["results"]
    assert [(one["file"], one["result"]["ratio"]) for one in shown] == [("mine.py", 1.2)]
    assert lab("report", "lora_mlp_h200", "-o", "page.html").code == 0
    assert "faster 1.200x" in drawn(Path("page.html").read_text())
    assert "faster 1.200x" in drawn(load("lora_mlp_h200").report("view.html").read_text())
    keeper.path.write_text(keeper.path.read_text().replace('"ratio": 1.2', '"ratio": "quick"'))
    assert lab("report", "lora_mlp_h200", "-o", "page.html").code == 0
    assert "faster 1.200x" not in drawn(Path("page.html").read_text())


def test_a_span_s_results_are_on_the_page_with_its_steps(lab: Lab, workdir: Path) -> None:
    shutil.copytree(CAPTURED / "lora_mlp_h200", "captured/lora_mlp_h200")
    assert lab("eject", "lora_mlp_h200:0_inference:1-3", "-o", "span.py").code == 0
    launches = (KernelTime("add_mul_relu", 7.0), KernelTime("sgemm", 5.0))
    found = comparison(1.2, "faster")
    keeper = Keeper(Path("span.py"))
    one = keeper.add(replace(found, hand={**found.hand, "launches": launches}))
    assert one.span == "lora_mlp_h200:0_inference:1-3" and one.body_sha256 == body(Path("span.py"))
    assert "measured" not in lab("list", "lora_mlp_h200").out
    assert lab("report", "lora_mlp_h200", "-o", "page.html").code == 0
    text = Path("page.html").read_text()
    (row,) = html.unpacked(text)["kept_spans"]
    assert (row["first"], row["last"], len(row["steps"])) == (1, 3, 3)
    assert row["steps"][:2] == ["extern_kernels.mm"] * 2 and "faster 1.200x" in row["told"]
    assert "7.00 us" in drawn(text) and "sgemm" in drawn(text)
    keeper.path.write_text(
        keeper.path.read_text().replace("0_inference:1-3", "0_inference:2-4")
    )  # other steps stand there
    assert lab("report", "lora_mlp_h200", "-o", "page.html").code == 0
    assert html.unpacked(Path("page.html").read_text())["kept_spans"] == []
