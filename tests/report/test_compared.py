"""The page of two captures: what it holds, as data; what a log said is text there, whatever it looks like."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import browsing
import pytest
from browsing import HOSTILE, two
from folders import CAPTURED

from inductor_lab import store
from inductor_lab.compare import compare
from inductor_lab.measure.why.texts import every, programs
from inductor_lab.records import MachineCode
from inductor_lab.report import comparison, html


@pytest.fixture
def captured(workdir: Path) -> Path:
    (workdir / "captured").symlink_to(CAPTURED)
    return workdir


def held(old: str, new: str) -> dict[str, Any]:
    found = compare(store.load(CAPTURED / old), store.load(CAPTURED / new))
    page = comparison.page(found, every(found), programs(found.a, found.b))
    return dict(html.unpacked(page))


@pytest.mark.slow
def test_every_kernel_of_both_is_in_one_pair() -> None:
    found = held("dlrm_h200", "dlrm_train_h200")
    for side, key in (("a", "a"), ("b", "b")):
        numbers = sorted(pair[key] for pair in found["pairs"] if pair[key] >= 0)
        assert numbers == list(range(len(found[side]["kernels"])))
    states = {pair["state"] for pair in found["pairs"]}
    assert states == {"same", "changed", "added"}
    assert [(call["target"], call["a"], call["b"]) for call in found["calls"]] == [("extern_kernels.mm", 7, 20)]
    assert [change["kind"] for change in found["fusions"]] == ["moved"]


@pytest.mark.slow
def test_changes_that_are_alike_name_the_first_of_them() -> None:
    pairs = held("dlrm_h200", "dlrm_train_h200")["pairs"]
    firsts = {pair["as_in"] for pair in pairs} - {-1}
    assert firsts and all(pairs[first]["as_in"] == -1 and pairs[first]["state"] == "changed" for first in firsts)


def test_arguments_belong_together_by_what_they_hold_before_their_names() -> None:
    found = held("lora_mlp_train_h200", "lora_mlp_train_bf16_h200")
    pair = next(pair for pair in found["pairs"] if pair["a"] == 0)
    old, new = (found[side]["kernels"][0]["arguments"] for side in ("a", "b"))
    names = [(a >= 0 and old[a]["name"], b >= 0 and new[b]["name"]) for a, b in pair["arguments"]]
    assert ("in_ptr1", "in_ptr0") in names and ("in_ptr0", False) in names
    assert sorted(a for a, _ in pair["arguments"] if a >= 0) == list(range(len(old)))
    assert sorted(b for _, b in pair["arguments"] if b >= 0) == list(range(len(new)))


def test_captures_whose_kernels_have_the_same_ids() -> None:
    old, new = two()
    assert {kernel.id for kernel in old.kernels} & {kernel.id for kernel in new.kernels}
    found = compare(old, new)
    pairs = comparison.compared(found, every(found), programs(old, new), ({}, {}), {}).pairs
    assert [(pair.state, pair.a, pair.b) for pair in pairs] == [
        ("changed", 0, 0),
        ("added", -1, 4),
        ("removed", 1, -1),
        ("moved", 2, 2),
        ("same", 3, 1),
        ("same", 4, 3),
    ]
    assert pairs[3].places == (("0_inference:20",), ("0_inference:60",))


def test_no_text_of_a_log_is_markup() -> None:
    page = browsing.compared_page()
    assert HOSTILE not in page and "<img" not in page.partition('id="data"')[2].partition("</script>")[0]
    assert HOSTILE in json.dumps(html.unpacked(page)).encode().decode("unicode_escape") or HOSTILE in str(
        html.unpacked(page)
    )


def test_compare_writes_a_page_and_keeps_its_exit_code(lab: Any, captured: Path) -> None:
    done = lab("compare", "lora_mlp_h200", "lora_mlp_bf16_h200", "--report", "pages/both.html")
    assert (done.code, done.out) == (1, "") and "both.html: open it in a browser." in done.err
    found = html.unpacked(Path("pages/both.html").read_text())
    assert [text["name"] for text in found["pairs"][0]["texts"]] == ["source", "computation"]
    assert found["pairs"][0]["machine"] is None
    same = lab("compare", "lora_mlp_h200", "lora_mlp_h200_virtual", "--report", "same.html", "--json")
    assert same.code == 0 and json.loads(same.out)["verdict"] == "same"
    assert "name its file with --report FILE" in lab("compare", "lora_mlp_h200", "lora_mlp_bf16_h200", "--code").err


def test_instructions_are_counted_by_kind_where_the_code_is_read_so() -> None:
    old, new = two()
    found = compare(old, new)
    nvidia = MachineCode("k", "h200", "sm_90", 32, 0, 0, 4, instructions={"fp32": 5, "integer": 2})
    amd = MachineCode("k", "mi300x", "gfx942", 14, 0, 0, 4)
    pair = comparison.compared(found, {}, programs(old, new), ({"test:0": nvidia}, {"test:0": amd}), {}).pairs[0]
    assert pair.machine is not None
    rows = {title: values for title, *values in pair.machine.rows}
    assert rows["registers"] == ["32 a thread", "14 a thread"]
    assert (rows["instructions"], rows["fp32"], rows["integer"]) == (["7", ""], ["5", ""], ["2", ""])


@pytest.mark.slow
def test_code_is_compiled_for_each_capture_s_card(lab: Any, captured: Path) -> None:
    pytest.importorskip("triton")
    assert (
        lab("compare", "lora_mlp_h200", "lora_mlp_bf16_h200", "--report", "page.html", "--code", "--kernels", "1").code
        == 1
    )
    pairs = html.unpacked(Path("page.html").read_text())["pairs"]
    names = [[text["name"] for text in pair["texts"]] for pair in pairs]
    assert sorted(map(len, names)) == [2, 7] and max(names, key=len)[2:] == ["ttir", "ttgir", "llir", "ptx", "sass"]
    (made,) = (pair["machine"] for pair in pairs if pair["machine"])
    assert made["columns"] == ["", "old", "new"] and "registers" in [row[0] for row in made["rows"]]
