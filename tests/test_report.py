"""What people see: tables in a terminal, one page in a browser. Text from a log must stay text in both."""

from __future__ import annotations

import re
from dataclasses import asdict, replace
from html.parser import HTMLParser
from io import StringIO
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest
from kernels_as_text import ADD_RELU, ADD_RELU_TENSORS, LOOPED_SUM, LOOPED_SUM_TENSORS, capture, kernel
from rich.console import Console

from inductor_lab.annotate import annotate
from inductor_lab.read import read
from inductor_lab.records import (
    Capture,
    Case,
    Claim,
    MachineCode,
    PerfDiff,
    Problem,
    Provenance,
    SourceLine,
    Timing,
    Verdict,
)
from inductor_lab.report import html, listed, terminal
from inductor_lab.report.brief import brief
from inductor_lab.report.facts import marks
from inductor_lab.report.results import result
from inductor_lab.report.terse import lines

HOSTILE = "<script>alert(1)</script></textarea>{{ 7 * 7 }}{% raw %}\"'><img src=x onerror=alert(2)> [red]markup[/red]"


def sample(**more: Any) -> Capture:
    first = kernel(ADD_RELU, ADD_RELU_TENSORS, **more)
    second = replace(kernel(LOOPED_SUM, LOOPED_SUM_TENSORS, category="reduction"), id="test:1")
    return annotate(capture(first, second))


def printed(renderable: Any, width: int = 100) -> str:
    stream = StringIO()
    Console(file=stream, width=width, no_color=True, highlight=False).print(renderable)
    return stream.getvalue()


def test_kernels_has_a_row_for_each() -> None:
    text = printed(terminal.kernels(sample()))
    for word in ("test:0", "test:1", "relu(in_ptr0 + in_out_ptr0 + in_ptr1", "50.3 MB", "triton_poi_fused_test_0"):
        assert word in text


def test_captures_has_a_row_for_each() -> None:
    row = SimpleNamespace(name="lora", torch="2.13.0", gpu=sample().gpu, created="2026-11-20T10:00:00+00:00", kernels=2,
                          launches=3, problems=1)  # fmt: skip
    text = printed(listed.captures([(Path("captured/lora"), row)]))
    assert "lora" in text
    assert "NVIDIA H200 (virtual)" in text
    assert "1 problem" in text


@pytest.mark.parametrize("width", [80, 100, 160])
def test_show_fits_any_width_and_loses_nothing(width: int) -> None:
    found = sample()
    text = printed(terminal.show(found.kernels[0], found), width)
    assert max(len(line) for line in text.splitlines()) <= width
    squeezed = re.sub(r"\s+", "", text)
    for word in ("test:0", "in place", "11.8 us on an H200", "f32[4096, 1024]", "load(in_ptr0 + x0,", "tmp4 = 0.5",
                 "column, 0 to 1,023", "NaN stays NaN", "hazards", "inductor-lab eject test:0"):  # fmt: skip
        assert word.replace(" ", "") in squeezed


@pytest.mark.parametrize("width", [60, 200])
def test_what_a_program_has_of_each_axis_is_one_line(width: int) -> None:
    found = sample()
    brief_, full = (printed(terminal.show(found.kernels[1], found, full=full), width) for full in (False, True))
    squeezed = " ".join(brief_.split())
    assert "= xindex = program_id(0) * XBLOCK + arange(0, XBLOCK)[:, None]" in squeezed
    assert "xoffset" not in brief_ and "kept for older code" not in brief_
    assert "xmask: " in squeezed, "what is said of a mask is said with its name"
    assert "xoffset = program_id(0) * XBLOCK" in full
    for line in found.kernels[1].body.splitlines():  # what computes stands by itself
        if line.strip().startswith(("tmp", "_tmp")):
            assert line.split(" = ")[0].strip() + " = " in brief_


def test_a_narrow_terminal_has_code_above_explanation() -> None:
    found = sample()
    narrow, wide = (printed(terminal.show(found.kernels[0], found), width).splitlines() for width in (70, 150))
    (at,) = (number for number, line in enumerate(narrow) if "tmp4 = 0.5" in line)
    assert narrow[at].strip().endswith("tmp4 = 0.5") and "the constant 0.5" in narrow[at + 1]
    assert any("tmp4 = 0.5" in line and "the constant 0.5" in line for line in wide)
    assert narrow[0].split()[0] == "test:0" and wide[0].split()[0] != "test:0"


def test_brackets_in_a_log_are_no_markup() -> None:
    found = sample(source=(SourceLine("model.py", 3, "x[red] = y[/red][bold]"),))
    text = printed(terminal.show(found.kernels[0], found))
    assert "x[red] = y[/red][bold]" in text


def test_terse_lines_leave_out_what_says_nothing() -> None:
    short = lines(kernel(ADD_RELU, ADD_RELU_TENSORS).body)
    assert short[7] == "tmp0 = load(in_ptr0 + x0, evict_last)"
    assert short[11] == "tmp4 = 0.5"
    assert short[16] == "store(in_out_ptr0 + x2, tmp8)"
    assert lines("not ( python") == {1: "not ( python"}


def test_terse_lines_keep_what_decides_a_value() -> None:
    body = """if pid < 4:
    tmp0 = tl.load(in_ptr0 + (x0), xmask, eviction_policy='evict_first', other=0.0)
elif pid < 8:
    tmp1 = (tl.full([1, 1], 384, tl.int32)).to(tl.float32)
else:
    tmp2 = tmp0.to(tl.float32)
"""
    assert lines(body) == {
        1: "if pid < 4:",
        2: "    tmp0 = load(in_ptr0 + x0, xmask, evict_first, other=0.0)",
        3: "elif pid < 8:",
        4: "    tmp1 = 384.0",
        5: "else:",
        6: "    tmp2 = tmp0.to(float32)",
    }


class _Page(HTMLParser):
    """Counts elements, and finds anything that would be fetched or run."""

    def __init__(self) -> None:
        super().__init__()
        self.tags: dict[str, int] = {}
        self.loud: list[str] = []
        self.ids: list[str] = []

    def handle_starttag(self, tag: str, attributes: list[tuple[str, str | None]]) -> None:
        self.tags[tag] = self.tags.get(tag, 0) + 1
        for name, value in attributes:
            if name.startswith("on") or name == "src" or (name == "href" and not (value or "").startswith("#")):
                self.loud.append(f"{tag} {name}={value}")
            if name == "id":
                self.ids.append(value or "")


def parsed(text: str) -> _Page:
    page = _Page()
    page.feed(text)
    return page


def test_the_page_shows_every_kernel_and_line_and_fetches_nothing() -> None:
    found = sample()
    text = html.page(found)
    page = parsed(text)
    assert page.tags["article"] == 2
    assert page.tags["script"] == page.tags["style"] == 1
    assert page.loud == []
    assert "http://" not in text
    assert "https://" not in text
    assert len(page.ids) == len(set(page.ids))
    for word in (
        "relu(in_ptr0 + in_out_ptr0 + in_ptr1 * 0.5)",
        "50.3 MB",
        "column, 0 to 1,023",
        "11.8 us",
        "NaN stays NaN",
    ):
        assert word in text


def test_hostile_text_is_shown_and_not_obeyed() -> None:
    first = kernel(
        ADD_RELU + f"    # {HOSTILE}\n    tl.device_assert(tmp7, {HOSTILE!r})\n",
        ADD_RELU_TENSORS,
        source=(SourceLine(HOSTILE, 1, HOSTILE),),
        claim=Claim(aten=(HOSTILE,)),
        passed={"in_ptr0": HOSTILE},
    )
    found = replace(capture(first, command=HOSTILE, name=HOSTILE), problems=(Problem(HOSTILE, HOSTILE),))
    found = replace(found, kernels=(replace(first, id=f"{HOSTILE}:0", category=HOSTILE),))
    text = html.page(
        found, {f"{HOSTILE}:0": {"verdict": Verdict(HOSTILE, {}, 0.0, (), HOSTILE, (HOSTILE,)), HOSTILE: HOSTILE}}
    )
    page = parsed(text)
    assert page.tags["script"] == 1
    assert page.loud == []
    assert not {"img", "textarea"} & set(page.tags)
    assert "{{ 7 * 7 }}" in text
    assert ">49<" not in text


def test_results_stand_with_their_kernel() -> None:
    code = MachineCode("k", "h200", "sm_90", 32, 0, 0, 4, {"LDG.E.128": 4}, {"STG.E.128": 2})
    timing = Timing(11.9, (11.8, 12.0), 100, 4.2e12)
    results: dict[str, dict[str, Any]] = {
        "test:0": {
            "verdict": Verdict(
                "pass", {"hand": 6e-8, "eager": 6e-8}, 1e-7, (Case("seed 0", True, {"hand": 6e-8}),), "cpu"
            ),
            "machine": {"hand": [code], "generated": [code]},
            "diff": PerfDiff(
                "faster", 1.21, (1.19, 1.23), 0.01, {"timing": timing, "machine": code}, {}, "NVIDIA H200"
            ),
        }
    }
    text = html.page(sample(), results)
    for word in ("Verified", "1 of 1 cases on cpu", "1.210x", "11.90 us", "4 LDG.E.128", "32 a thread", "faster"):
        assert word in text
    assert text.count("Verified") == 1
    assert "inconclusive" in html.page(
        sample(), {"test:1": {"diff": PerfDiff("inconclusive", None, None, None, {}, {}, "")}}
    )


def test_an_empty_capture_is_a_page() -> None:
    assert parsed(html.page(capture())).tags["h1"] == 1


def test_machine_code_tells_what_it_was_compiled_with() -> None:
    code = MachineCode("k", "mi300x", "gfx942", 14, 0, 0, 4, {"global_load_dwordx4": 3}, {}, {"XBLOCK": 1024})
    rows = dict(result("machine", {"generated": [asdict(code)]}).rows)
    assert (rows["warps"], rows["constants"], rows["loads"]) == ("4 of 64", "XBLOCK 1024", "3 global_load_dwordx4")
    assert dict(result("machine", {"generated": [asdict(replace(code, arch="sm_90"))]}).rows)["warps"] == "4"


# ---------------------------------------------------------------- several launches of one kernel


def launched(times: int) -> Capture:
    """A kernel that is launched for several layers, each on buffers and from a line of its own."""
    once = kernel(ADD_RELU, ADD_RELU_TENSORS)
    (launch,) = once.launches
    every = tuple(
        replace(
            launch,
            line=100 + number,
            arguments=tuple(
                replace(argument, value=f"layer{number}") if argument.name == "in_ptr0" else argument
                for argument in launch.arguments
            ),
            provenance=Provenance("graph", source=(SourceLine("/home/me/model.py", 30 + number, "x = self.layer(x)"),)),
        )
        for number in range(times)
    )
    return annotate(capture(replace(once, launches=every), replace(once, id="test:1")))


def test_numbers_and_bars_of_the_list_are_of_all_launches() -> None:
    text = html.page(launched(3))
    listed = re.findall(
        r'<span class="bytes"( title="[^"]*")?>([^<]*)</span>\s*<span class="bar" style="width: ([\d.]+)%', text
    )
    assert listed == [(' title="3 launches of 50.3 MB"', "151.0 MB", "100.0"), ("", "50.3 MB", "33.33")]
    assert "33.6 MB read, 16.8 MB written, each launch" in text


def test_every_launch_tells_what_it_passes_and_where_it_is_from() -> None:
    found = launched(12)
    text = html.page(found)
    for number in range(12):
        assert f"in_ptr0 = layer{number}</td>" in text
        assert f"model.py:{30 + number}" in text
    shown = printed(terminal.show(found.kernels[0], found), 160)
    assert "0_inference:103" in shown
    assert "in_ptr0 = layer3" in shown
    assert "model.py:33" in shown
    assert "and 4 more" in shown
    assert "launch  at" not in printed(terminal.show(found.kernels[1], found), 160)


def of_foreach() -> Capture:
    log = Path(__file__).parent / "generations" / "g7_torch_2.13_foreach.txt"
    return annotate(read([log], "each"))


def test_of_a_long_kernel_of_several_jobs_the_first_is_shown_and_all_on_request(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr("inductor_lab.report.brief.MOST_LINES", 20)
    found = of_foreach()
    kernel = next(kernel for kernel in found.kernels if kernel.category == "foreach")
    assert "in_ptr0" in kernel.body and "in_ptr1" in kernel.body
    short, full = (printed(terminal.show(kernel, found, full=full), 140) for full in (False, True))
    assert "the first of " in short and f"inductor-lab show {kernel.id} --full" in short
    assert "the programs of one job" in short and "elif pid" not in short
    assert "elif pid" in full and "--full" not in full
    assert len(short.splitlines()) + 10 < len(full.splitlines())
    for argument in kernel.arguments:
        assert argument.role == "constexpr" or argument.name in full


def test_the_first_lines_of_a_long_body_are_shown_and_all_on_request() -> None:
    more = "".join(f"    tmp{n} = tmp{n - 1} * tmp{n - 1}\n" for n in range(9, 109))
    body = ADD_RELU.replace("    tl.store(", f"{more}    tl.store(", 1).replace("tmp8, ", "tmp108, ")
    found = annotate(capture(kernel(body, ADD_RELU_TENSORS)))
    short, full = (printed(terminal.show(found.kernels[0], found, full=full)) for full in (False, True))
    assert "lines more: inductor-lab show test:0 --full" in short and "store(" not in short
    assert "store(in_out_ptr0 + x2, tmp108)" in full


def test_what_a_kernel_of_several_stores_computes_is_a_line_a_store() -> None:
    found = sample()
    text = printed(terminal.show(found.kernels[1], found))
    first, second = brief(found.kernels[1]).computes
    assert first.startswith("in_out_ptr0 = ") and second.startswith("out_ptr0 = sum(")
    assert second in [line.rstrip() for line in text.splitlines()]


def test_scratch_memory_makes_a_kernel_neither_in_place_nor_a_gather() -> None:
    log = Path(__file__).parent / "generations" / "g7_torch_2.13_cooperative.txt"
    kernel = next(
        kernel for kernel in read([str(log)], "capture").kernels if kernel.category == "cooperative_reduction"
    )
    assert {argument.name for argument in kernel.arguments} >= {"sem_ptr", "ws_ptr"} and "load.gather" in kernel.ops
    assert marks(kernel) == ()
