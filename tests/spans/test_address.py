"""What people type for a span: kernels, steps of a graph, lines of the program."""

from __future__ import annotations

from pathlib import Path

import pytest
from folders import CAPTURED

from inductor_lab import store
from inductor_lab.cli.verify import _graft
from inductor_lab.errors import LabError
from inductor_lab.records.span import Span
from inductor_lab.spans import addressed, also

DLRM, SPARSE, SPARSE_TRAIN = (
    store.load(CAPTURED / name) for name in ("dlrm_h200", "sparse_ffn_h200", "sparse_ffn_train_h200")
)


def told(which: str) -> tuple[str, int, int]:
    found = addressed(DLRM, which)
    assert isinstance(found, Span)
    return found.graph, found.first, found.last


@pytest.mark.parametrize(
    ("which", "steps"),
    [
        ("4-29", (8, 33)),
        ("0-3", (1, 7)),
        ("0_inference:8-33", (8, 33)),
        ("dlrm.py:47", (8, 33)),
        ("dlrm_h200:0_inference:8-33", (8, 33)),
    ],
)
def test_an_address_is_kernels_or_steps_or_lines(which: str, steps: tuple[int, int]) -> None:
    assert told(which) == ("0_inference", *steps)


@pytest.mark.parametrize(
    ("which", "others"), [("dlrm.py:41-42", ["0_inference:35-40"]), ("dlrm.py:47", []), ("0_inference:8-33", [])]
)
def test_the_first_steps_of_lines_are_taken_and_the_others_named(which: str, others: list[str]) -> None:
    found = addressed(DLRM, which)
    assert found and also(DLRM, which, found) == others


def test_a_step_of_no_known_line_belongs_to_its_neighbours() -> None:
    """The last product of the FFN has a comment that speaks of `matmul_1`, and no line."""
    assert not SPARSE.extern_calls[-1].provenance.source
    found = addressed(SPARSE, "sparse_ffn.py:25-26")
    assert found and (found.first, found.last) == (0, 3)
    found = addressed(SPARSE_TRAIN, "sparse_ffn.py:26")
    assert found and (found.graph, found.first, found.last) == ("0_backward", 0, 3)


@pytest.mark.parametrize("which", ["4", "triton_poi_fused_addmm_relu_0", "triton_*"])
def test_a_kernel_is_no_span(which: str) -> None:
    assert addressed(DLRM, which) is None


@pytest.mark.parametrize(
    ("which", "why"),
    [
        ("4-99", "has no kernel 99 that is launched"),
        ("29-4", "names no kernels"),
        ("7-7", "^dlrm_h200:7-7 is no span but one kernel, dlrm_h200:7: a span has two steps at least$"),
        ("4-", "write the first and the last kernel, as in dlrm_h200:4-29"),
        ("x-y", "write the first and the last kernel"),
        ("0_inference:3-3", "is no span"),
        ("0_inference:x-y", "its numbers are missing, as in dlrm_h200:0_inference:8-33"),
        ("0_inferenc:8-33", r"no graph and no file .* called '0_inferenc': did you mean 0_inference\?"),
        ("0_inferenc", r"did you mean 0_inference\?"),
        ("GRAPH:8-33", "called 'GRAPH'; it has 0_inference, dlrm.py"),
        ("dlrn.py:41", r"did you mean dlrm\.py\?"),
        ("dlrm.py:44-41", "ends before it begins"),
        ("dlrm.py:1-39", "no two steps one after the other that lines 1 to 39 of dlrm.py are"),
        ("dlrm.py:52", r"line 52 of dlrm\.py are; alone stand 0_inference:34"),
    ],
)
def test_what_is_none_is_said(which: str, why: str) -> None:
    with pytest.raises(LabError, match=why):
        addressed(DLRM, which)


@pytest.mark.parametrize("name", ["4-29=mine.py", "0_inference:8-33=mine.py"])
def test_a_graft_is_addressed_the_same(name: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    Path("mine.py").write_text("")
    assert _graft(DLRM, "dlrm_h200", name) == ("dlrm_h200:0_inference:8-33", Path("mine.py"))
