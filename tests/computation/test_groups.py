"""Kernels that fold rows, and the columns of groups of rows besides: Inductor's layer norm backward of torch 2.13, 320 rows in groups of 16."""

from __future__ import annotations

import re
from dataclasses import replace
from pathlib import Path

import pytest

from inductor_lab.annotate import annotate
from inductor_lab.computation import Computation, computation
from inductor_lab.computation.index import Coordinate
from inductor_lab.computation.schedule import Loop
from inductor_lab.computation.tree import Reduction
from inductor_lab.costs.traffic import traffic
from inductor_lab.eject import eject
from inductor_lab.errors import LabError
from inductor_lab.read import read
from inductor_lab.records import Capture, Kernel

GENERATION = Path(__file__).resolve().parents[1] / "generations" / "g7_torch_2.13_groups.txt"
ROWS, COLUMNS, GROUP = 320, 96, 16


@pytest.fixture(scope="module")
def capture() -> Capture:
    return annotate(read([GENERATION], "x"))


@pytest.fixture(scope="module")
def kernel(capture: Capture) -> Kernel:
    return capture.kernels[0]


@pytest.fixture(scope="module")
def found(kernel: Kernel) -> Computation:
    return computation(kernel)


def test_a_program_goes_along_its_group(found: Computation) -> None:
    assert found.schedule.group == GROUP and not found.schedule.opaque and not found.unknown
    (loop,) = (step for step in found.schedule.every() if isinstance(step, Loop))
    assert loop.axis == "x" and [carry.name for carry in loop.carries] == ["accum0", "accum1"]


def test_each_column_of_a_group_is_folded_to_one_value(found: Computation) -> None:
    left = [access for access in found.stores if access.pointer == "ws_ptr"]
    for number, access in enumerate(left):
        fold = access.value
        assert isinstance(fold, Reduction) and (fold.name, fold.over, fold.group) == ("sum", {"x"}, GROUP)
        assert fold.axes == {"x", "r0_"}
        assert Coordinate("x", GROUP, None) in set(access.index.coordinates())
        box = found.box(access)
        assert box is not None and box.count == ROWS // GROUP * COLUMNS
        assert box.start == number * ROWS // GROUP * COLUMNS
    assert len(left) == 2


def test_rows_are_folded_as_in_any_kernel(found: Computation) -> None:
    (row,) = (access for access in found.stores if access.pointer == "out_ptr2")
    folds = {node for node in _reductions(row.value) if node.over == {"r0_"}}
    assert len(folds) == 2 and all(node.group is None and node.axes == {"x"} for node in folds)


def _reductions(value: object) -> list[Reduction]:
    from inductor_lab.computation.tree import Expression, walk

    assert isinstance(value, Expression)
    return [node for node in walk(value) if isinstance(node, Reduction)]


def test_its_traffic_is_that_of_its_tensors(kernel: Kernel) -> None:
    counted = traffic(kernel)
    tensor, row, partial = 4 * ROWS * COLUMNS, 4 * ROWS, 4 * ROWS // GROUP * COLUMNS
    assert (counted.read, counted.written) == (2 * tensor + 4 * COLUMNS + 2 * row, tensor + 2 * partial)
    index = "    tmp30 = tl.load(in_ptr4 + (x0 // 7 % 14), xmask).to(tl.int64)\n"  # as a shifted window has it
    gathered = kernel.body.replace("    tmp0 = ", f"{index}    tmp0 = ").replace(
        "in_ptr0 + (r0_1 + 96*x0)", "in_ptr0 + (r0_1 + 96*tmp30)"
    )
    assert traffic(replace(kernel, body=gathered)).read == counted.read  # at most the whole tensor


def test_without_the_rows_of_a_program_nothing_is_claimed(kernel: Kernel) -> None:
    untold = replace(kernel, meta={**kernel.meta, "inductor_meta": {}})
    assert computation(untold).schedule.opaque
    assert (traffic(untold).read, traffic(untold).written) == (None, None)


def test_the_readable_kernel_has_both_loops_of_a_person(capture: Capture, kernel: Kernel) -> None:
    text = eject(capture, kernel)
    assert "for row_start in tl.range(first_row, min(first_row + ROWS_PER_PROGRAM, ROWS), BLOCK" in text
    assert "tl.static_assert(ROWS_PER_PROGRAM % BLOCK == 0)" in text
    assert re.search(
        r"tl\.store\(partial_sums_ptr \+ \(tl\.num_programs\(0\) \* R \+ program \* R \+ r\), column_sums_2", text
    )
    assert re.search(r"partial_sums_new\.view\(40, 96\)\[20:\] = .*\.sum\(-2\)", text), "the reference"
    assert "grid = (triton.cdiv(rows, ROWS_PER_PROGRAM),)" in text


def test_rows_that_make_no_whole_groups_have_no_reference(capture: Capture, kernel: Kernel) -> None:
    body = kernel.body.replace("xnumel = 320", "xnumel = 312")
    text = eject(capture, replace(kernel, body=body))
    assert "reference = None" in text and "its rows make no whole groups of 16" in text


def test_the_folds_behind_the_launch_are_calls_of_the_module(capture: Capture) -> None:
    folds = capture.extern_calls
    assert [call.target for call in folds] == ["aten.sum"] * 2
    assert all(call.arguments[0].storage == "workspace_0" for call in folds)
    assert [str(call.outputs[0].value) for call in folds] == ["buf4", "buf6"]
    lines, line = 4 * ROWS // GROUP * COLUMNS, 4 * COLUMNS
    assert [(call.traffic.read, call.traffic.written) for call in folds] == [(lines, line)] * 2


def test_cuda_says_what_it_has_no_form_for(capture: Capture, kernel: Kernel) -> None:
    with pytest.raises(LabError, match=r"has no form in CUDA C\+\+: it folds the columns of a group of rows"):
        eject(capture, kernel, target="cuda")
