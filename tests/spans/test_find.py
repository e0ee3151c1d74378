"""Which spans are listed, by what one kernel would save: on windows written by hand, and on the captures."""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Mapping
from functools import cache
from typing import Any

import pytest
from folders import CAPTURED, ROOT

from inductor_lab import shelf
from inductor_lab.annotate.steps import Step
from inductor_lab.costs.roofline import LAUNCH_SECONDS
from inductor_lab.gpus import find_gpu
from inductor_lab.records import Capture, ExternCall, LaunchArgument, TensorType
from inductor_lab.records.span import FoundSpan
from inductor_lab.spans import span
from inductor_lab.spans.find import spans
from inductor_lab.spans.weights import Barrier, Cost, Memory, Use, WeighedStep, Weights
from inductor_lab.spans.windows import Window, Windows

H200 = find_gpu("h200")
LARGE = 100 << 20
"""Bytes that take far longer than a launch."""


@cache
def capture(name: str) -> Capture:
    return shelf.whole(str(CAPTURED / name))


@cache
def found(name: str, **asked: Any) -> tuple[FoundSpan, ...]:
    return spans(capture(name), **asked)[0]


def by_steps(rows: tuple[FoundSpan, ...]) -> dict[tuple[int, int], FoundSpan]:
    return {(row.first, row.last): row for row in rows}


# ---------------------------------------------------------------- windows, written by hand


def product(number: int, reads: str, writes: str, *, columns: int = 4096, seconds: float = 0.0) -> WeighedStep:
    """`writes = reads @ w`, of this many columns; its operations take so long."""
    type_ = TensorType("float32", (4096, columns), (columns, 1))
    made = ExternCall("extern_kernels.mm", "0_inference", number)
    step = Step(
        number, made, (LaunchArgument("0", reads, None, reads),), (LaunchArgument("out", writes, type_, writes),)
    )
    moved = 2 * LARGE / H200.reachable
    cost = Cost({"products": seconds}, max(moved, seconds), False, max(moved, seconds), {})
    uses = Use(reads, reads, True, LARGE, 0), Use(writes, writes, False, 0, LARGE)
    return WeighedStep(number, step, (number,), cost, uses, {})


def windows(*steps: WeighedStep | Barrier, producers: Mapping[int, Mapping[int, str]]) -> dict[tuple[int, int], Window]:
    """All windows of steps, by their first and last; memory is alive while somebody reads it, and the last one's result."""
    made, events = list[WeighedStep | Barrier](), dict[str, list[tuple[int, bool, bool]]]()
    for at, step in enumerate(steps):
        if isinstance(step, WeighedStep):
            made.append(WeighedStep(step.number, step.step, step.key, step.cost, step.uses, producers.get(at, {})))
            for use in step.uses:
                events.setdefault(use.base, []).append((at, use.reads, not use.reads))
        else:
            made.append(step)
    last = steps[-1]
    kept = {use.base for use in last.uses if use.written} if isinstance(last, WeighedStep) else set[str]()
    memories = {base: Memory(LARGE, of, base in kept) for base, of in events.items()}
    grown = Windows(Weights(made, memories), H200)
    return {(one.first, one.last): one for first in range(len(steps)) for one in grown.grown(first, len(steps))}


def test_two_wide_products_in_a_row_save_nothing_as_each_row_of_the_second_needs_a_whole_row_of_the_first() -> None:
    both = windows(product(0, "x", "a"), product(1, "a", "y"), producers={1: {0: "a"}})[0, 1]
    assert both.waits == 1
    assert both.moved == both.apart
    assert both.saves == pytest.approx(0)


def test_a_narrow_result_stays_with_the_program_that_made_it() -> None:
    both = windows(product(0, "x", "a", columns=16), product(1, "a", "y"), producers={1: {0: "a"}})[0, 1]
    assert both.waits == 0
    assert both.moved == 2 * LARGE and both.apart == 4 * LARGE
    assert both.saves == pytest.approx(2 * LARGE / H200.reachable)


def test_one_kernel_still_has_to_compute_what_its_steps_do() -> None:
    seconds = 5e-3
    steps = product(0, "x", "a", columns=16, seconds=seconds), product(1, "a", "y", seconds=seconds)
    assert windows(*steps, producers={1: {0: "a"}})[0, 1].bound == pytest.approx(2 * seconds)


def test_an_input_that_two_steps_read_is_read_once_and_both_take_their_time() -> None:
    seconds = 5e-3
    both = windows(product(0, "x", "a", seconds=seconds), product(1, "x", "b"), producers={})[0, 1]
    assert both.moved == 2 * LARGE  # x once, b; nobody reads a
    assert both.bound == pytest.approx(seconds + LARGE / H200.reachable)  # and b is not written in the other's shadow


def test_an_input_is_read_again_behind_a_wait() -> None:
    second = product(1, "a", "y")
    again = WeighedStep(1, second.step, second.key, second.cost, (*second.uses, Use("x", "x", True, LARGE, 0)), {})
    both = windows(product(0, "x", "a"), again, producers={1: {0: "a"}})[0, 1]
    assert both.waits == 1 and both.moved == both.apart == 5 * LARGE


def test_no_window_reaches_across_a_wall() -> None:
    found = windows(product(0, "x", "a"), Barrier(1, "waits for other ranks"), product(2, "a", "y"), producers={})
    assert sorted(found) == [(0, 0), (2, 2)]


# ---------------------------------------------------------------- captures


def test_26_lookups_are_one_span_and_save_25_launches() -> None:
    best = found("dlrm_h200")[0]
    assert (best.first, best.last, best.launches, best.calls) == (8, 33, 26, 0)
    assert best.name == "dlrm_h200:0_inference:8-33"
    assert best.title == "26 x embedding"
    assert best.saves == pytest.approx(25 * LAUNCH_SECONDS)
    assert [one.reason for one in best.why] == ["apart"]


def test_an_outer_product_need_not_go_through_memory_before_the_product_that_reads_it() -> None:
    row = by_steps(found("dlrm_h200"))[34, 35]
    written = 128 * 432 * 432 * 4
    assert row.apart - row.moved == pytest.approx(2 * written, rel=0.01)
    assert row.limit == "products"
    assert [one.reason for one in row.why] == ["library"]


@pytest.mark.parametrize(
    ("name", "words"),
    [
        ("sparse_ffn_h200", "gather, mm, leaky_relu"),
        ("lora_mlp_train_h200", "relu, 3 x mm, relu"),
        ("rotary_attention_h200", "mm, rope"),
    ],
)
def test_what_a_person_would_merge_is_listed(name: str, words: str) -> None:
    assert words in [row.title for row in found(name)]


@pytest.mark.parametrize(
    "name",
    [
        pytest.param("dlrm_train_h200", marks=pytest.mark.slow),
        "lora_mlp_train_h200",
        "sparse_ffn_train_h200",
        "dlrm_dynamic_h200",
    ],
)
def test_every_listed_span_can_be_ejected_and_overlaps_no_other(name: str) -> None:
    taken = set[tuple[str, int]]()
    for row in found(name):
        for alike in row.alike:
            graph, _, steps = alike.partition(":")[2].partition(":")
            first, _, last = steps.partition("-")
            assert span(capture(name), graph, int(first), int(last)).sha256 == row.sha256
            own = {(graph, step) for step in range(int(first), int(last) + 1)}
            assert not own & taken
            taken |= own
    assert taken


def test_those_that_overlap_a_better_one_say_which() -> None:
    every = found("lora_mlp_train_h200", overlapping=True)
    listed = {row.name for row in every if not row.hidden}
    assert listed == {row.name for row in found("lora_mlp_train_h200")}
    assert {row.hidden for row in every} - {""} <= listed
    assert len(every) > len(listed)


def test_a_span_has_no_more_steps_than_is_asked() -> None:
    assert max(len(row.steps) for row in found("dlrm_h200", most=8)) == 8


def test_a_measured_time_stands_instead_of_the_estimate() -> None:
    kernel = next(one for one in capture("dlrm_h200").kernels if one.id == "dlrm_h200:30")
    row = by_steps(spans(capture("dlrm_h200"), measured={kernel.body_sha256: 1e-3})[0])[34, 35]
    assert row.measured and row.seconds > 1e-3
    assert row.saves == by_steps(found("dlrm_h200"))[34, 35].saves  # which is of the least that both need


def test_a_slower_card_has_more_at_stake() -> None:
    here, there = (by_steps(found("dlrm_h200", on=find_gpu(card)))[34, 35] for card in ("h200", "a100"))
    assert there.saves > here.saves


def test_what_can_be_in_no_span_is_told_with_its_reason() -> None:
    refused = spans(capture("rotary_attention_h200"))[1]
    assert any("attention" in one.why for one in refused)
    assert all(one.name.startswith("rotary_attention_h200:0_inference:") for one in refused)


# ---------------------------------------------------------------- the command line


def test_the_verb_lists_them(lab: Callable[..., Any]) -> None:
    asked = "spans", CAPTURED / "dlrm_h200"
    text = lab(*asked, "--top", "1")
    assert "26 x embedding" in text.out and "none reads another's result" in text.out
    assert f"inductor-lab eject {asked[1]}:0_inference:8-33" in text.out
    document = json.loads(lab(*asked, "--json", "--filter", "MM").out)
    assert document["card"] == "h200"
    assert [row["first"] for row in document["spans"]] == [34, 3, 36, 1, 39]
    assert all("mm" in row["title"] for row in document["spans"])
    first = document["spans"][0]
    assert first["all"] == first["saves"] == pytest.approx(22.4, abs=0.1)  # microseconds, as in the table
    assert first["id"].endswith("dlrm_h200:0_inference:34-35") and first["between"] == first["apart"] - first["moved"]
    assert (len(first["launches"]), first["extern_calls"]) == (1, ["mm"])
    page = (ROOT / "docs" / "spans.md").read_text(encoding="utf-8")
    told = re.findall(r"`(\w+)`", "".join(line.split("|")[1] for line in page.splitlines() if line.startswith("| `")))
    assert sorted(told) == sorted(document["spans"][0]), "docs/spans.md lists the keys"


def test_by_what_is_at_stake_now_a_kernel_that_is_written_badly_counts_too(lab: Callable[..., Any]) -> None:
    rows = json.loads(lab("spans", CAPTURED / "sparse_ffn_train_h200", "--sort", "stake", "--json").out)["spans"]
    stakes = [row["stake"] for row in rows]
    assert stakes == sorted(stakes, reverse=True)
    assert all(row["stake"] >= row["all"] - 1e-9 for row in rows)


def test_those_that_overlap_a_better_one_are_in_no_sum(lab: Callable[..., Any]) -> None:
    asked = "spans", CAPTURED / "dlrm_h200"
    assert "6 spans; one kernel each saves 8" in lab(*asked).out
    many = lab(*asked, "--all").out
    assert "; all overlap better ones; what is saved on an H200" in many and "; overlaps " in many


def test_what_is_refused_is_told_once_for_each_reason(lab: Callable[..., Any]) -> None:
    told = lab("spans", CAPTURED / "rotary_attention_train_h200", "--refused").out
    assert told.count("is a fused attention") == 2  # forward and backward
    assert lab("spans", CAPTURED / "dlrm_h200", "--sort", "size").code == 2
