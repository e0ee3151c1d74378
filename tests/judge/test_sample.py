"""Of a large launch some programs run: which they are, and that a fault in any of them is found, as is one that only all of them show."""

from __future__ import annotations

import os
from collections.abc import Mapping, Sequence
from pathlib import Path

import pytest

pytest.importorskip("torch")
pytest.importorskip("triton")

import torch
from asked import asked, some
from faults.kernels import ejected
from faults.records import applied

from inductor_lab.judge.compare.baseline import (
    FEWEST,
    MOST,
    MUCH,
    Part,
    chosen,
    differ,
    edges,
    how_many,
)
from inductor_lab.judge.watch.watch import Sample, Watch, WholeNeeded
from inductor_lab.records import Verdict
from inductor_lab.verify import verify_all

judging = pytest.mark.skipif(
    os.environ.get("CUDA_VISIBLE_DEVICES") != "" and Path("/dev/nvidiactl").exists(), reason="these are judged in the interpreter"
)  # fmt: skip


def test_the_first_and_the_last_programs_of_each_axis_are_among_them() -> None:
    found = chosen((1000, 3, 1), 40, [], seed=1)
    assert 40 <= len(found.places) <= 42
    assert {(x, y, 0) for x in (0, 1, 998, 999) for y in (0, 1, 2)} <= found.places
    assert found == chosen((1000, 3, 1), 40, [], seed=1) != chosen((1000, 3, 1), 40, [], seed=2)


def test_a_small_launch_runs_whole() -> None:
    assert len(chosen((5, 2, 1), 64, [], seed=0).places) == 10


def test_both_sides_of_each_edge_are_among_them() -> None:
    found = chosen((10_000, 1, 1), 64, [7, 8, 9000], seed=0)
    assert {(x, 0, 0) for x in (0, 1, 5, 6, 7, 8, 9, 8998, 8999, 9000, 9001, 9998, 9999)} <= found.places


def test_edges_are_found_by_halving() -> None:
    begins, asked = [0, 700, 701, 99_990], list[int]()

    def told(programs: Sequence[int]) -> Mapping[int, int]:
        asked.extend(programs)
        return {program: sum(program >= first for first in begins) for program in programs}

    assert edges(100_000, told) == [700, 701, 99_990]
    assert len(asked) < 100
    assert edges(1, told) == []


def test_more_work_in_a_program_means_fewer_of_them() -> None:
    assert how_many(1e-3) == MOST
    assert how_many(MUCH / 40) == 40
    assert how_many(10.0) == FEWEST


def test_of_programs_that_wait_for_each_other_it_is_told_how_many_there_are() -> None:
    watch = Watch({}, Sample((1, 1, 1), frozenset({(0, 0, 0)})))
    with pytest.raises(WholeNeeded, match="wait for each other") as needed:
        watch._fewer((2, 25_600), waits=True)({})
    assert needed.value.programs == 51_200


def test_of_another_launch_those_run_that_lie_as_far_along() -> None:
    sample = Sample((100, 1, 1), frozenset({(0, 0, 0), (1, 0, 0), (50, 0, 0), (98, 0, 0), (99, 0, 0)}))
    assert sample.of((100, 1, 1)) == sample.places
    assert sample.of((1000, 1, 1)) == {(0, 0, 0), (1, 0, 0), (500, 0, 0), (998, 0, 0), (999, 0, 0)}
    assert sample.of((2, 3, 1)) == {(0, 0, 0), (1, 0, 0)}


def test_a_part_is_the_rows_and_columns_of_what_is_marked() -> None:
    whole = torch.arange(24.0).reshape(2, 3, 4)
    marked = torch.zeros(2, 3, 4, dtype=torch.bool)
    marked[0, 1, 2] = marked[1, 2, 0] = True
    part = Part.of(marked)
    assert part(whole).tolist() == [[4, 6], [20, 22]] and part.counts.tolist() == [[False, True], [True, False]]
    assert torch.equal(part.marked(torch.ones(2, 2, dtype=torch.bool), whole.shape), marked)
    assert Part.of(torch.tensor(True))(torch.tensor(7.0)).tolist() == [[7.0]]


def test_a_nan_differs_from_another_and_a_zero_from_its_negative() -> None:
    x = torch.tensor([0.0, 1.0, torch.nan])
    assert differ(x, torch.tensor([-0.0, 1.0, torch.nan])).tolist() == [True, False, False]
    assert differ(torch.complex(x, x), torch.complex(x, x + 1)).tolist() == [True, True, False]


def large() -> str:
    """The catalogue's relu on two million elements."""
    text = ejected("relu")
    changes = (
        ("37, 200", "1311, 1601"), ("(200, 1)", "(1601, 1)"), ("7400", "2098911"),
        ("16384", "4194304"), ('8192}, "launch', '262144}, "launch'), ('XBLOCK": 8192', 'XBLOCK": 262144'),
    )  # fmt: skip
    for small, size in changes:
        assert small in text
        text = text.replace(small, size)
    return text


KERNEL = "relu_kernel[grid](arg0, relu, NUMEL=numel, BLOCK=BLOCK, num_warps=num_warps)"
EDITS = {
    "as it is": (),
    "the last element is left out": (("inside = offset < NUMEL", "inside = offset < NUMEL - 1"),),
    "another slope": (("tl.where(arg0 < 0, 0.0, arg0)", "tl.where(arg0 < 0, 1e-3 * arg0, arg0)"),),
    "every second program": (("tl.program_id(0) * BLOCK", "tl.program_id(0) // 2 * 2 * BLOCK"),),
    "two axes": (
        ("tl.program_id(0) * BLOCK", "(tl.program_id(0) * 8 + tl.program_id(1)) * BLOCK"),
        ("(triton.cdiv(numel, BLOCK),)", "(triton.cdiv(numel, 8 * BLOCK), 8)"),
    ),
    "two launches": ((KERNEL, f"{KERNEL}\n    {KERNEL}"),),
}


@pytest.fixture(scope="module")
def verdicts(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> dict[str, Verdict]:
    folder = tmp_path_factory.mktemp("large")
    edits, paths = asked(request, "edit"), []
    for number, edit in enumerate(edits):
        paths.append(folder / f"relu_{number}.py")
        paths[-1].write_text(applied(large(), EDITS[edit]) if EDITS[edit] else large(), encoding="utf-8")
    all_cases = "the last element is left out" in edits  # where it is wrong is told by the case of the whole size
    found = verify_all(paths, fail_fast=not all_cases)
    return {name: verdict for name, verdict in zip(edits, found, strict=True) if isinstance(verdict, Verdict)}


@pytest.mark.slow
@judging
@pytest.mark.parametrize("edit", ["as it is"])
def test_a_large_file_that_was_not_edited_passes_and_says_what_ran(verdicts: dict[str, Verdict], edit: str) -> None:
    found = verdicts[edit]
    assert found.verdict == "pass", found
    assert any(note.startswith(f"{MOST} of the launch's 8,199 programs ran in a case") for note in found.notes)


@judging
@pytest.mark.parametrize(
    "edit", some(["the last element is left out", "another slope", "every second program"], ["another slope"])
)
def test_a_fault_of_a_large_file_is_found_and_told_of_all_of_it(verdicts: dict[str, Verdict], edit: str) -> None:
    found = verdicts[edit]
    assert found.verdict == "fail"
    (where, *_) = [case.where for case in found.cases if not case.passed]
    if edit == "the last element is left out":
        assert where["index"] == [1310, 1600] and (where["wrong"], where["of"]) == (1, 2098911)


@pytest.mark.slow
@judging
@pytest.mark.parametrize(
    ("edit", "why"), [("two axes", "its programs own other elements"), ("two launches", "it launches several kernels")]
)
def test_where_some_programs_say_nothing_all_of_them_run(verdicts: dict[str, Verdict], edit: str, why: str) -> None:
    found = verdicts[edit]
    assert found.verdict == "pass", found
    assert any("all programs of the launch ran in each case" in note and why in note for note in found.notes)
