"""What people see: tables in a terminal, one page in a browser. Text from a log must stay text in both."""

from __future__ import annotations

import gzip
import json
import re
from dataclasses import replace
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest
from drawing import HOSTILE, drawn, parsed, printed, sample
from folders import GENERATIONS
from kernels_as_text import ADD_RELU, ADD_RELU_TENSORS, capture, kernel

from inductor_lab.annotate import annotate
from inductor_lab.annotate.summary import listed as listing_rows
from inductor_lab.bind.names import Tensor
from inductor_lab.errors import LabError
from inductor_lab.read import read
from inductor_lab.records import (
    Capture,
    Case,
    Ceiling,
    Claim,
    Input,
    Kept,
    MachineCode,
    Node,
    Note,
    Paired,
    PerfDiff,
    Problem,
    Provenance,
    SourceLine,
    Timing,
    Verdict,
)
from inductor_lab.report import html, lists, terminal
from inductor_lab.report.body import brief, lines, listing
from inductor_lab.report.facts import marks, role, spoken
from inductor_lab.report.history import Seen, profile
from inductor_lab.report.results import result


def test_kernels_has_a_row_for_each() -> None:
    text = printed(terminal.kernels(sample()))
    for word in ("test:0", "test:1", "relu(buf", "50.3 MB", "triton_poi_fused_test_0"):
        assert word in text


def test_a_list_of_120_columns_has_the_titles_that_show_opens_with() -> None:
    found = sample()
    table = printed(lists.kernels(listing_rows(found), {}), 120)
    column = table.partition("\n")[0].index("computes")
    told = " ".join(line[column:].partition("  ")[0].strip() for line in table.splitlines())
    for one in found.kernels:
        title = printed(terminal.show(one, found), 120).partition("  ")[0]
        assert title and title in told


def test_captures_has_a_row_for_each() -> None:
    row = SimpleNamespace(name="lora", torch="2.13.0", gpu=sample().gpu, created="2026-11-20T10:00:00+00:00", kernels=2,
                          launches=3, problems=1)  # fmt: skip
    text = printed(lists.captures([(Path("captured/lora"), row)]))
    assert "lora" in text
    assert "NVIDIA H200 (virtual)" in text
    assert "1 problem" in text


@pytest.mark.parametrize("width", [80, 100, 160])
def test_show_fits_any_width_and_loses_nothing(width: int) -> None:
    found = sample()
    text = printed(terminal.show(found.kernels[0], found), width)
    assert max(len(line) for line in text.splitlines()) <= width
    squeezed = re.sub(r"\s+", "", text)
    for word in ("test:0", "in place", "11.8 us on an H200", "f32[4096, 1024]", "load(in_ptr0 + x0,", "tmp5 = tmp3 * 0.5",
                 "the inner part of the flat position, 0 to 1,023", "NaN stays NaN", "hazards", "inductor-lab eject test:0"):  # fmt: skip
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
        if line.strip().startswith(("tmp", "_tmp")) and "tl.full([1, 1]" not in line:
            assert line.split(" = ")[0].strip() + " = " in brief_


def test_a_name_for_a_number_has_no_line_and_what_uses_it_says_the_number() -> None:
    short = {1: "tmp0 = x2", 2: "tmp1 = 32", 3: "tmp2 = tmp0 < tmp1", 4: "tmp3 = full(tmp2.shape, 0.0, tmp2.dtype)", 5: "tmp4 = where(tmp2, tmp9, tmp3)",
             6: "store(out_ptr0 + x0, tmp1)", 7: "    tmp1 = load(in_ptr0 + tmp10)", 8: "tmp5 = tmp1 + -1.5"}  # fmt: skip
    assert {line.label: line.code for line in listing(short, {})} == {
        "3": "tmp2 = x2 < 32", "5": "tmp4 = where(tmp2, tmp9, 0.0)", "6": "store(out_ptr0 + x0, 32)",
        "7": "    tmp1 = load(in_ptr0 + tmp10)", "8": "tmp5 = tmp1 + -1.5",
    }  # fmt: skip
    assert [line.code for line in listing(short, {}, full=True)] == list(short.values())


def test_a_job_s_block_has_the_job_s_number_and_second_names_for_it_none_the_less_say_nothing() -> None:
    short = {1: "r0_numel = 391", 2: "R0_BLOCK_0: constexpr = 512", 3: "rnumel = r0_numel", 4: "RBLOCK: constexpr = R0_BLOCK_0",
             5: "r0_index = arange(0, R0_BLOCK_0)[None, :]", 6: "rindex = r0_index", 7: "r0_0 = r0_index"}  # fmt: skip
    said = {
        2: "one block of 512",
        3: "another name for r0_numel",
        4: "another name for R0_BLOCK_0",
        6: "another name for r0_index",
    }
    (line,) = listing(short, {number: Note(number, text) for number, text in said.items()})
    assert (line.label, line.text) == ("1-7", "one block of 512")


def test_an_expression_has_the_names_of_the_table_of_arguments() -> None:
    node = Node("mul_3", "aten.mul", "", (), None, None)
    named = {
        "in_ptr0": Tensor("in_ptr0", "arg0", None, None, True, Input("parameter", "fc.bias")),
        "in_ptr1": Tensor("in_ptr1", "buf0", None, node, False),
        "in_ptr10": Tensor("in_ptr10", "buf1", None, None, True),
    }
    assert spoken("relu(in_ptr0 + in_ptr1) - in_ptr10 * in_ptr2", named) == "relu(fc.bias + mul_3?) - buf1 * in_ptr2"
    assert spoken("in_ptr1_new = in_ptr1 + in_ptr10_new", named) == "mul_3_new? = mul_3? + buf1_new"
    later = replace(named["in_ptr1"], later=Node("add_1", "aten.add", "", (), None, None))
    assert spoken("in_ptr1_new = in_ptr1 + 1.0", {"in_ptr1": later}) == "add_1 = mul_3? + 1.0"


def test_a_narrow_terminal_has_code_above_explanation() -> None:
    found = sample()
    narrow, wide = (printed(terminal.show(found.kernels[0], found), width).splitlines() for width in (70, 150))
    (at,) = (number for number, line in enumerate(narrow) if "tmp5 = tmp3 * 0.5" in line)
    assert narrow[at].strip().endswith("tmp5 = tmp3 * 0.5") and "buf2 * 0.5" in narrow[at + 1]
    assert any("tmp5 = tmp3 * 0.5" in line and "buf2 * 0.5" in line for line in wide)
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
    (address,) = lines(
        "tl.store(out_ptr1 + (tl.full([1, 1], 0, tl.int32).broadcast_to(XBLOCK, 1)), tmp25, None)"
    ).values()
    assert address == "store(out_ptr1 + 0, tmp25)"
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


def test_the_page_holds_every_kernel_and_line_and_fetches_nothing() -> None:
    found = sample()
    text = html.page(found)
    page, held = parsed(text), html.unpacked(text)
    assert page.tags["script"] == 2 and page.tags["style"] == 1
    assert page.loud == [] and "default-src 'none'" in text
    assert len(page.ids) == len(set(page.ids))
    assert [kernel["number"] for kernel in held["kernels"]] == ["0", "1"]
    for record, shown in zip(found.kernels, held["kernels"], strict=True):
        assert shown["body"] == record.body
        assert [row["line"] for row in shown["lines"]] == list(range(1, len(record.body.splitlines()) + 1))
    first = held["kernels"][0]
    assert (first["cost"]["read"], first["cost"]["written"], first["cost"]["all_bytes"]) == (
        33_558_528,
        16_777_216,
        50_335_744,
    )
    assert first["cost"]["seconds"] == pytest.approx(11.8e-6, rel=0.01)
    for word in ("relu(buf1 + buf0 + buf2 * 0.5)", "the inner part of the flat position, 0 to 1,023", "NaN stays NaN"):
        assert word in drawn(text)


def test_hostile_text_never_leaves_the_packed_data() -> None:
    """What is drawn of it is tested in a browser: tests/report/test_report_browser.py."""
    text = html.page(hostile(), {f"{HOSTILE}:0": {"verdict": Verdict(HOSTILE, {}, 0.0, (), HOSTILE, (HOSTILE,))}})
    page = parsed(text)
    assert page.tags["script"] == 2
    assert page.loud == []
    assert not {"img", "textarea"} & set(page.tags)
    assert ">49<" not in text and HOSTILE not in text
    assert drawn(text).count(HOSTILE) > 8


def hostile() -> Capture:
    """A capture whose log says what it should not wherever it can."""
    first = kernel(
        ADD_RELU + f"    # {HOSTILE}\n    tl.device_assert(tmp7, {HOSTILE!r})\n",
        ADD_RELU_TENSORS,
        source=(SourceLine(HOSTILE, 1, HOSTILE),),
        claim=Claim(aten=(HOSTILE,)),
        passed={"in_ptr0": HOSTILE},
    )
    found = replace(capture(first, command=HOSTILE, name=HOSTILE), problems=(Problem(HOSTILE, HOSTILE),))
    return replace(found, kernels=(replace(first, id=f"{HOSTILE}:0", category=HOSTILE),))


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
                "faster", 1.21, (1.19, 1.23), 0.01, {"timing": timing, "machine": (code,)}, {}, "NVIDIA H200"
            ),
        }
    }
    text = drawn(html.page(sample(), results))
    for word in ("Verified", "1 of 1 cases on cpu", "1.210x", "11.90 us", "4 LDG.E.128", "32 a thread", "faster"):
        assert word in text
    assert text.count("Verified") == 1
    other = html.page(sample(), {"test:1": {"diff": PerfDiff("inconclusive", None, None, None, {}, {}, "")}})
    assert "inconclusive" in drawn(other)


def test_whom_a_hand_kernel_was_held_against_stands_with_the_comparison() -> None:
    timing = Timing(10.0, (9.9, 10.1), 100, None)
    matched = Paired("matched", "same", 1.0, (0.99, 1.01), hand=timing, timing=timing, hand_settings={"BLOCK": 512})
    eager = Paired("eager", "faster", 3.0, (2.9, 3.1), hand=timing, timing=timing)
    diff = PerfDiff(
        "faster", 1.2, (1.1, 1.3), 0.01, {"timing": timing}, {"timing": replace(timing, median=12.0)}, "NVIDIA H200",
        matched=matched, against=(eager,),
    )  # fmt: skip
    held = html.unpacked(html.page(sample(), {"test:0": {"diff": diff}}))["kernels"][0]
    against = next(result for result in held["results"] if result["title"] == "Against others")
    assert [row[:3] for row in against["rows"]] == [
        ["one configuration", "same", "1.000x"],
        ["eager", "faster", "3.000x"],
    ]
    assert [(time["who"], time["seconds"]) for time in held["measured"]] == [
        ("generated", pytest.approx(12e-6)),
        ("hand", pytest.approx(10e-6)),
    ]


def test_the_roof_that_was_measured_is_the_last_comparison_s() -> None:
    def compared(date: str, fp32: float) -> Kept:
        ceilings = (Ceiling("copy", 4.3e12, "a copy", 500.0), Ceiling("fp32", fp32, "a product", 500.0))
        found = PerfDiff("same", None, None, None, {}, {}, "NVIDIA H200", ceilings=ceilings)
        return Kept("diff", date, "mine.py", "a" * 64, "b" * 64, "k of x", "NVIDIA H200", {}, found)

    early, last = compared("2026-11-21T10:00:00", 5.0e13), compared("2026-11-22T10:02:00", 5.1e13)
    untimed = replace(last, date="2026-11-23T10:00:00", result=PerfDiff("same", None, None, None, {}, {}, ""))
    body = sample().kernels[0].body_sha256
    card = html.unpacked(html.page(sample(), kept={body: [last, early, untimed]}))["card"]
    told = "on NVIDIA H200, mine.py, 2026-11-22 10:02"
    assert card["measured"] == {"told": told, "bandwidth": 4.3e12, "flops": {"fp32": 5.1e13}}
    assert html.unpacked(html.page(sample()))["card"]["measured"] is None


def test_an_empty_capture_is_a_page() -> None:
    assert html.unpacked(html.page(capture()))["kernels"] == []


def test_machine_code_tells_what_it_was_compiled_with() -> None:
    code = MachineCode("k", "mi300x", "gfx942", 14, 0, 0, 4, {"global_load_dwordx4": 3}, {}, {"XBLOCK": 1024})
    rows = dict(result({"generated": [code]}).rows)
    assert (rows["warps"], rows["constants"], rows["loads"]) == ("4 of 64", "XBLOCK 1024", "3 global_load_dwordx4")
    assert dict(result({"generated": [replace(code, arch="sm_90")]}).rows)["warps"] == "4"


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


def test_costs_are_of_one_launch_and_of_all() -> None:
    costs = [kernel["cost"] for kernel in html.unpacked(html.page(launched(3)))["kernels"]]
    assert [cost["launches"] for cost in costs] == [3, 1]
    assert [cost["read"] + cost["written"] for cost in costs] == [50_335_744, 50_335_744]
    assert [cost["all_bytes"] for cost in costs] == [3 * 50_335_744, 50_335_744]
    assert costs[0]["all_seconds"] == pytest.approx(3 * costs[1]["all_seconds"])


def test_the_list_and_the_page_say_the_same_costs() -> None:
    found = launched(3)
    never = replace(found.kernels[1], id="test:2", launches=())
    found = replace(found, kernels=(*found.kernels, never))
    page = [kernel["cost"] for kernel in html.unpacked(html.page(found))["kernels"]]
    rows = listing_rows(found)
    assert [row.launches for row in rows] == [3, 1, 0] == [cost["launches"] for cost in page]
    assert [row.all_bytes for row in rows] == [3 * 50_335_744, 50_335_744, 0] == [cost["all_bytes"] for cost in page]
    assert [row.all_seconds for row in rows] == [cost["all_seconds"] for cost in page]


def test_the_floor_of_a_launch_is_no_less_than_launching_costs() -> None:
    tiny = kernel(ADD_RELU.replace("4194304", "64"), dict.fromkeys(ADD_RELU_TENSORS, "float32[64]"))
    cost = html.unpacked(html.page(annotate(capture(tiny))))["kernels"][0]["cost"]
    assert (cost["limit"], cost["all_seconds"]) == ("launch", 2e-6) and cost["seconds"] < 1e-7


def test_every_launch_tells_what_it_passes_and_where_it_is_from() -> None:
    found = launched(12)
    rows = html.unpacked(html.page(found))["kernels"][0]["launches"]
    assert [(row["passed"], row["place"]) for row in rows] == [
        (f"in_ptr0 = layer{number}", f"model.py:{30 + number}") for number in range(12)
    ]
    shown = printed(terminal.show(found.kernels[0], found), 160)
    assert "0_inference:103" in shown
    assert "in_ptr0 = layer3" in shown
    assert "model.py:33" in shown
    assert "and 4 more" in shown
    assert "launch  at" not in printed(terminal.show(found.kernels[1], found), 160)
    first, *others = found.kernels[0].launches
    unknown = replace(found.kernels[0], launches=(replace(first, provenance=Provenance()), *others))
    assert "not told" not in shown and "not told" in printed(terminal.show(unknown, found), 160)
    several = Provenance("graph", source=tuple(SourceLine("model.py", number, "") for number in range(1, 6)))
    cut = replace(found.kernels[0], launches=(replace(first, provenance=several), *others))
    assert "model.py:1, model.py:2, model.py:3 and 2 more" in printed(terminal.show(cut, found), 160)


def test_the_map_follows_buffers_from_launch_to_launch() -> None:
    (graph,) = html.unpacked(html.page(launched(3)))["graphs"]
    assert [(step["kernel"], step["line"]) for step in graph["steps"]] == [(1, 1), (0, 100), (0, 101), (0, 102)]
    assert [buffer["name"] for buffer in graph["steps"][1]["reads"]] == ["buf0", "layer0", "buf2"]
    assert [(buffer["name"], buffer["bytes"]) for buffer in graph["steps"][1]["writes"]] == [("buf0", 16_777_216)]


def test_a_profile_gives_each_kernel_its_time() -> None:
    trace = {
        "traceEvents": [
            {"cat": "kernel", "name": "triton_poi_fused_test_0", "ph": "X", "dur": duration} for duration in (10, 14)
        ]
        + [{"cat": "cpu_op", "name": "triton_poi_fused_test_0", "dur": 900}, {"name": "process_name", "ph": "M"}]
    }
    seen = profile(trace, "trace.json")
    assert seen.kernels == {"triton_poi_fused_test_0": Seen(2, pytest.approx(24e-6))}
    alone = annotate(capture(kernel(ADD_RELU, ADD_RELU_TENSORS)))
    held = html.unpacked(html.page(alone, profile=seen))
    assert held["trace"] == "trace.json"
    assert held["kernels"][0]["measured"] == [
        {"who": "generated", "seconds": pytest.approx(12e-6), "count": 2, "told": "in trace.json"}
    ]
    both = html.unpacked(html.page(sample(), profile=seen))["kernels"]
    assert both[0]["measured"][0]["told"] == "in trace.json, of the 2 kernels of this name together"


@pytest.mark.parametrize("document", [{}, [], {"traceEvents": [{"cat": "cpu_op", "name": "k", "dur": 1}]}, 3, None])
def test_what_is_no_profile_is_refused(document: Any) -> None:
    with pytest.raises(LabError, match=r"trace\.json"):
        profile(document, "trace.json")


def of_foreach() -> Capture:
    log = GENERATIONS / "g7_torch_2.13_foreach.txt"
    return annotate(read([log], "each"))


def test_of_a_long_kernel_of_several_jobs_the_first_is_shown_and_all_on_request(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr("inductor_lab.report.body.MOST_LINES", 20)
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
    assert first.startswith("in_out_ptr0_new = ") and second.startswith("out_ptr0 = sum(")
    assert "buf2 = sum(buf0_new)" in [line.rstrip() for line in text.splitlines()]


def test_stores_that_the_title_has_all_of_are_not_listed_once_more() -> None:
    found = sample()
    first, second = "buf0_new = where(buf0 <= 0.0, 0.0, buf1)", "buf2 = sum(buf0_new)"
    both, one = (replace(found.kernels[1], title=f"{told}, 256 columns") for told in (f"{first}; {second}", first))
    assert printed(terminal.show(both, found), 150).count(first) == 1
    text = printed(terminal.show(one, found), 150)
    assert text.count(first) == 2 and text.count(second) == 1


def test_scratch_memory_makes_a_kernel_neither_in_place_nor_a_gather() -> None:
    log = GENERATIONS / "g7_torch_2.13_cooperative.txt"
    kernel = next(
        kernel for kernel in read([str(log)], "capture").kernels if kernel.category == "cooperative_reduction"
    )
    assert {argument.name for argument in kernel.arguments} >= {"sem_ptr", "ws_ptr"} and "load.gather" in kernel.ops
    assert marks(kernel) == ()
    scratch = next(argument for argument in kernel.arguments if argument.name == "ws_ptr")
    assert role(scratch, kernel) == "read and written, if RSPLIT is above 1"


def test_report_takes_machine_code_and_a_profile(lora: Any) -> None:
    held = html.unpacked(_report(lora, "lora"))
    assert all(row["code"] == [] for row in held["kernels"]) and held["code_card"] == ""
    name = held["kernels"][0]["name"]
    events = {"traceEvents": [{"cat": "kernel", "name": name, "dur": 7.5}]}
    Path("trace.json.gz").write_bytes(gzip.compress(json.dumps(events).encode()))
    held = html.unpacked(_report(lora, "lora", "--code", "--kernels", "1", "--trace", "trace.json.gz"))
    assert sorted(len(row["code"]) for row in held["kernels"]) == [0, 5] and held["code_card"] == "h200"
    assert held["kernels"][0]["measured"][0]["seconds"] == pytest.approx(7.5e-6)
    assert lora("report", "lora", "--trace", "none.json").code == 2
    Path("broken.json").write_text("{")
    refused = lora("report", "lora", "--trace", "broken.json")
    assert refused.code == 2 and "is no JSON" in refused.err
    assert "did you mean" in lora("report", "lora", "--code", "--gpu", "h20").err


def _report(lab: Any, *arguments: str) -> str:
    assert lab("report", *arguments, "-o", "page.html").code == 0
    return Path("page.html").read_text()
