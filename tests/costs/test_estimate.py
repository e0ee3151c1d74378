"""About how long a launch takes: what is counted beside its bytes, and how near that is to kernels that were timed."""

from __future__ import annotations

import json
import re
from dataclasses import replace
from pathlib import Path

import pytest
from kernels_as_text import LOOPED_SUM, LOOPED_SUM_TENSORS, ROWS, capture, kernel

from inductor_lab import store
from inductor_lab.annotate import explain
from inductor_lab.costs.hints import of_graphs
from inductor_lab.costs.launches import estimate, of_kernel, parts, told
from inductor_lab.costs.roofline import bound
from inductor_lab.costs.traffic import traffic
from inductor_lab.gpus import GPUS
from inductor_lab.records import Kernel, Traffic

H200 = GPUS["h200"]
MEASURED = Path(__file__).parents[1] / "benchmarks" / "results" / "estimates.json"
CAPTURED = Path(__file__).parents[2] / "captured"


def pointwise(value: str, numel: int = 1 << 26, store: str = "tl.store(out_ptr0 + (x0), tmp1, None)") -> Kernel:
    body = f"""
    xnumel = {numel}
    xoffset = tl.program_id(0) * XBLOCK
    xindex = xoffset + tl.arange(0, XBLOCK)[:]
    xmask = tl.full([XBLOCK], True, tl.int1)[:]
    x0 = xindex
    tmp0 = tl.load(in_ptr0 + (x0), None)
    tmp1 = {value}
    {store}
"""
    return kernel(body, dict.fromkeys(("in_ptr0", "out_ptr0"), f"float32[{numel}]"))


def over(one: Kernel) -> float:
    """How many times the bound the estimate is."""
    counted = traffic(one)
    found, least = estimate(one, counted, H200), bound(counted, H200)
    assert found is not None and least is not None
    return found / least.seconds


def test_what_is_only_moved_takes_what_its_bytes_need() -> None:
    assert 1 <= over(pointwise("tmp0 + 1.0")) < 1.05


def test_instructions_that_are_more_than_the_bytes_are_counted() -> None:
    assert over(pointwise("libdevice.erf(libdevice.erf(libdevice.erf(tmp0)))")) > 1.5
    assert over(pointwise("tl.rand(7, x0) * tmp0")) > over(pointwise("tmp0 * 3.0"))


def test_atomic_additions_take_longer_than_stores() -> None:
    adds = "tl.atomic_add(out_ptr0 + (x0), tmp1, None, sem='relaxed')"
    assert over(pointwise("tmp0 + 1.0", store=adds)) > over(pointwise("tmp0 + 1.0"))


def test_the_turns_of_a_loop_wait_where_few_programs_run() -> None:
    looped = kernel(LOOPED_SUM, LOOPED_SUM_TENSORS, category="reduction")
    assert over(looped) > 10
    rows = ROWS + "    tmp1 = tl.sum(tmp0, 1)[:, None]\n    tl.store(out_ptr0 + (x0), tmp1, xmask)\n"
    held = kernel(rows, {"in_ptr0": "float32[8, 128]", "out_ptr0": "float32[8]"}, category="persistent_reduction")
    assert estimate(held, traffic(held), H200) < estimate(looped, traffic(looped), H200)  # type: ignore[operator]


def test_a_loop_that_loads_nothing_waits_for_nothing() -> None:
    looped = kernel(LOOPED_SUM, LOOPED_SUM_TENSORS, category="reduction")
    counts = kernel(
        re.sub(r"tl\.load\(.*\)", "r0_1.to(tl.float32)", LOOPED_SUM), LOOPED_SUM_TENSORS, category="reduction"
    )
    waiting = [(parts(one, traffic(one), H200) or {})["waiting for a loop's loads"] for one in (looped, counts)]
    assert waiting[0] > 0 == waiting[1]


def test_what_it_is_made_of_is_told_where_the_bound_does_not_say_it_all() -> None:
    plain, heavy = pointwise("tmp0 + 1.0"), pointwise("libdevice.erf(libdevice.erf(libdevice.erf(tmp0)))")
    assert told(plain, traffic(plain), H200) == ""
    text = told(heavy, traffic(heavy), H200)
    assert re.fullmatch(r"about [\d.]+ us: bound by instructions, [\d.]+ us; memory [\d.]+ us", text)


def test_one_line_says_what_binds() -> None:
    """A loop that waits is not bound by launching, though its bytes are few; what takes less than a launch is."""
    turns = LOOPED_SUM.replace("256", "8").replace("r0_numel = 128", "r0_numel = 131072")
    tensors = {"in_out_ptr0": "float32[131072, 8]", "in_ptr0": "float32[131072, 8]", "out_ptr0": "float32[1, 8]"}
    waiting = kernel(turns, tensors, category="reduction")
    for one, notes in (
        (waiting, {"estimate": "bound by waiting for a loop's loads"}),
        (pointwise("tmp0 + 1.0"), {"traffic": "bound by memory"}),
        (pointwise("tl.sin(tmp0)", numel=1024), {"traffic": "bound by launching"}),
    ):
        told = explain(replace(one, traffic=traffic(one)), capture(one))
        assert {note.kind: re.findall("bound by [a-z' ]+", note.text) for note in told if "bound by" in note.text} == {
            kind: [words] for kind, words in notes.items()
        }


def test_what_is_not_counted_is_not_estimated() -> None:
    plain = pointwise("tmp0 + 1.0")
    assert estimate(plain, Traffic(), H200) is None
    assert estimate(plain, replace(traffic(plain), least=True), H200) is None
    assert of_kernel(replace(plain, traffic=traffic(plain)), H200, {}).estimate is not None


def test_the_larger_kernels_here_take_about_what_was_estimated() -> None:
    """Within half of the time that an H200 took; the committed table has the others."""
    table = json.loads(MEASURED.read_text())
    assert table["pairs in the right order"]["estimate less bound"] > 0.9 > table["pairs in the right order"]["bound"]
    here = [row for row in table["rows"] if (CAPTURED / row["kernel"].partition(":")[0]).is_dir() and row["time"] > 10]
    assert len(here) > 5
    for row in here:
        capture, _, number = row["kernel"].partition(":")
        found = store.load(CAPTURED / capture)
        (one,) = (k for k in found.kernels if k.id.rpartition(":")[2] == number)
        cost = of_kernel(replace(one, launches=one.launches[:1]), H200, of_graphs(found))
        assert cost.estimate is not None
        assert 1e6 * cost.estimate == pytest.approx(row["time"], rel=0.5)
