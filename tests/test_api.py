"""From Python: a capture from text, from disk, from a live model; each explains, ejects and shows itself."""

from __future__ import annotations

import os
import subprocess
import sys
from io import StringIO
from pathlib import Path

import pytest

import inductor_lab
from inductor_lab.errors import LabError
from inductor_lab.report import html

ROOT = Path(__file__).parents[1]
GENERATIONS = Path(__file__).parent / "generations"
LOG = ROOT / "captured" / "lora_mlp_h200" / "log.txt.gz"


@pytest.fixture(scope="module")
def capture() -> inductor_lab.CaptureView:
    return inductor_lab.read_source(LOG, name="lora")


@pytest.fixture(scope="module")
def small() -> inductor_lab.KernelView:
    """A kernel of 2048 elements: the interpreter takes most of a minute for the log's, of millions."""
    return inductor_lab.read_source(GENERATIONS / "g6_torch_2.9.txt", name="small").kernels[0]


def test_every_verb_works_as_often_as_it_is_called_in_a_fresh_interpreter(tmp_path: Path) -> None:
    code = f"""
import sys, inductor_lab
for turn in range(2):
    capture = inductor_lab.read_source({str(LOG)!r}, name="run")
    assert [kernel.id for kernel in capture.kernels] == ["run:0", "run:1"]
    folder = capture.save()
    assert inductor_lab.load("run") == inductor_lab.load(folder) == inductor_lab.load("captured/run")
    import inductor_lab.read, inductor_lab.capture, inductor_lab.store, inductor_lab.api
assert not {{"torch", "triton"}} & set(sys.modules)
"""
    environment = {**os.environ, "PYTHONPATH": str(ROOT)}
    subprocess.run([sys.executable, "-c", code], check=True, cwd=tmp_path, env=environment)


def test_a_kernel_s_record_shows_through(capture: inductor_lab.CaptureView) -> None:
    first = capture.kernels[0]
    assert first.record.category == first.category == "pointwise"
    assert first is capture[0] is capture[first.name] is capture[first.body_sha256[:8]] and len(capture) == 2
    assert "launches" in dir(first) and "explain" in dir(first)
    with pytest.raises(AttributeError, match="lunches"):
        _ = first.lunches
    with pytest.raises(KeyError, match="0 kernels"):
        capture["triton_none"]


def test_kernels_are_found_by_name_by_glob_and_by_hash(capture: inductor_lab.CaptureView) -> None:
    kernels = capture.kernels
    first, second = kernels
    assert kernels[first.name] is kernels["*_0"] is kernels[first.body_sha256[:8]] is capture["*_0"] is first
    assert list(kernels.named("triton_poi_*")) == [first, second] == list(kernels[:]) and not kernels.named("red_*")
    with pytest.raises(KeyError, match=f"2 kernels are called 'triton_\\*': {first.name}, {second.name}"):
        kernels["triton_*"]


def test_an_explanation_prints_and_shows_itself_in_a_notebook(
    capture: inductor_lab.CaptureView, capsys: pytest.CaptureFixture[str]
) -> None:
    found = capture.kernels[0].explain()
    assert "tmp8 = maximum(0, tmp6)" in str(found) == repr(found)
    assert {note.kind for note in found.notes} >= {"launch", "traffic"}
    page = found._repr_html_()
    assert "<table>" in page and "tmp8 = maximum(0, tmp6)</" in page and "<script" not in page
    capture.kernels[0].show()
    assert capsys.readouterr().out.rstrip("\n") == str(found)


def test_a_capture_shows_its_kernels(capture: inductor_lab.CaptureView, capsys: pytest.CaptureFixture[str]) -> None:
    assert repr(capture) == "<capture lora: 2 kernels for sm_90>"
    assert capture[0].name in str(capture) and capture[0].name in capture._repr_html_()
    capture.show()
    assert capture[1].name in capsys.readouterr().out


def test_text_of_a_log_is_no_markup_in_a_notebook() -> None:
    from rich.console import Group
    from rich.table import Column, Table
    from rich.text import Text

    from inductor_lab.report import markup, render

    assert "<b>" not in markup.html(Text("<b>\x1b[31m")) and "&lt;b&gt;" in markup.html(Text("<b>"))
    table = Table(Column("<i>"), Column("n", justify="right"))
    table.add_row(Text("<b>", "bold"), "[red]1[/red]")
    page = markup.html(table, Group(Text("a\nb")))
    assert "<b>" not in page and "<i>" not in page and "text-align: right" in page
    assert "&lt;b&gt;</span>" in page and ">1</span>" in page and "a<br>b" in page and "background" not in page
    assert "\x1b" not in render.text(Text("a\x1b[31m"))


def test_ejecting_writes_a_file_once(capture: inductor_lab.CaptureView, tmp_path: Path) -> None:
    path = capture.kernels[0].eject(tmp_path / "mine.py")
    text = path.read_text()
    assert "@triton.jit" in text and "mine.py" in text
    assert capture.kernels[0].eject(path) == path, "the same text again is no loss"
    path.write_text(text + "# an edit\n")
    with pytest.raises(LabError, match="never overwritten"):
        capture.kernels[0].eject(path)
    assert "tl.load" in capture.kernels[0].eject(tmp_path / "exact.py", style="verbatim").read_text()
    with pytest.raises(LabError, match="no target metal"):
        capture.kernels[0].eject(tmp_path / "mine.py", target="metal")
    assert capture.kernels[0].eject(tmp_path / "card.py", target="cuda").with_suffix(".cu").is_file()
    with pytest.raises(LabError, match="is a folder"):
        capture.kernels[0].eject(tmp_path / "other.py", template=tmp_path)


def test_a_kernel_and_its_file_are_judged_from_python(small: inductor_lab.KernelView, tmp_path: Path) -> None:
    file = small.eject(tmp_path / "mine.py")
    assert inductor_lab.verify_file(file, effort="quick", seeds=1).verdict == "pass"
    codes = inductor_lab.inspect_file(file, "a100")
    assert set(codes) == {"hand", "generated"} and codes["hand"][0].registers
    assert small.inspect("a100").loads == codes["generated"][0].loads
    assert inductor_lab.diff_file(file).hand["machine"]


@pytest.mark.slow
def test_a_kernel_is_judged_as_it_is_ejected_or_as_a_file_has_it(
    small: inductor_lab.KernelView, tmp_path: Path
) -> None:
    assert small.verify(seeds=1).verdict == "pass"
    file = small.eject(tmp_path / "mine.py")
    kernel_text, launcher, rest = file.read_text().partition("\ndef launch(")
    file.write_text(kernel_text.replace("grad_out_1 * ", "grad_out_1 + ") + launcher + rest)
    assert small.verify(file, seeds=1).verdict == "fail"
    assert small.diff(gpu="a100").generated["machine"]


def test_kernels_show_themselves_as_a_table_and_in_rich(capture: inductor_lab.CaptureView) -> None:
    from rich.console import Console

    stream = StringIO()
    console = Console(width=120, file=stream)
    one = capture.kernels[:1]
    assert capture[0].name in one._repr_html_() and capture[1].name not in one._repr_html_()
    for shown, word in ((capture, capture[1].name), (one, "category"), (capture[0], "hazards")):
        console.print(shown)
        assert word in stream.getvalue()
        stream.truncate(0)
    assert "hazards" in str(capture[0].explain(full=True))


@pytest.mark.slow
def test_what_the_verbs_find_shows_itself(small: inductor_lab.KernelView, tmp_path: Path) -> None:
    file = small.eject(tmp_path / "mine.py")
    verdict = inductor_lab.verify_file(file, seeds=1, effort="quick")
    assert str(verdict).startswith("pass  ") and "<td" in verdict._repr_html_() and verdict.record.verdict == "pass"
    both = inductor_lab.inspect_file(file, "h200")
    assert "LDG.E.128" in repr(both) and ">generated</th>" in both._repr_html_() and len(both["hand"]) == 1
    assert "no time was measured" in str(inductor_lab.diff_file(file, "h200")) and "cases" in dir(verdict)


@pytest.mark.slow
def test_a_kernel_is_compiled_under_other_choices(capture: inductor_lab.CaptureView) -> None:
    kernel = capture.kernels[0]
    one, two = kernel.inspect("h200"), kernel.inspect("h200", XBLOCK=512, num_warps=2)
    assert (one.constants["XBLOCK"], one.num_warps) == (1024, 4) and (two.constants["XBLOCK"], two.num_warps) == (
        512,
        2,
    )
    assert ".reqntid 64" in kernel.code("ptx", "h200", XBLOCK=512, num_warps=2)
    assert "tt.load" in kernel.code("ttir", "h200") and "#ttg.blocked" in kernel.code("ttgir", "h200")
    assert "STG.E.128" in kernel.code(gpu="h200") and "global_store" in kernel.code(gpu="mi300x")
    with pytest.raises(LabError, match="has no YBLOCK to choose; it has XBLOCK"):
        kernel.inspect("h200", YBLOCK=4)
    with pytest.raises(LabError, match="no SASS"):
        kernel.code("sass", "mi300x")


def test_kernels_are_found_by_what_they_are_called_and_listed_as_a_frame(capture: inductor_lab.CaptureView) -> None:
    assert [kernel.id for kernel in capture.kernels.named("relu*")] == ["lora:0"]
    frame = capture.dataframe()
    assert list(frame["launches"]) == [2, 1] and len(capture.dataframe("launches")) == 3
    with pytest.raises(LabError, match="no table 'rows'"):
        capture.dataframe("rows")


def test_the_report_of_a_capture(capture: inductor_lab.CaptureView, tmp_path: Path) -> None:
    held = html.unpacked(capture.report(tmp_path / "page.html").read_text())
    assert held["kernels"][0]["name"] == capture[0].name


def test_nothing_to_read_is_said() -> None:
    with pytest.raises(LabError, match="needs a log"):
        inductor_lab.read_source()
    with pytest.raises(LabError, match="does not exist"):
        inductor_lab.read_source("nowhere.log")
    with pytest.raises(LabError, match="a source is a path"):
        inductor_lab.read_source(LOG.name + "\n" * 5_000)
    with pytest.raises(LabError, match="no capture"):
        inductor_lab.load("nowhere")
