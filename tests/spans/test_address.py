"""What people type for a span: kernels, steps of a graph, lines of the program."""

from __future__ import annotations

import pytest
from folders import ROOT

from inductor_lab import store
from inductor_lab.errors import LabError
from inductor_lab.records.span import Span
from inductor_lab.spans.address import addressed

DLRM = store.load(ROOT / "captured" / "dlrm_h200")


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
        ("dlrm.py:1-39", None),
    ],
)
def test_an_address_is_kernels_or_steps_or_lines(which: str, steps: tuple[int, int] | None) -> None:
    if steps is None:
        with pytest.raises(LabError, match=r"has no two steps one after the other that lines 1 to 39 of dlrm\.py are"):
            addressed(DLRM, which)
    else:
        assert told(which) == ("0_inference", *steps)


@pytest.mark.parametrize("which", ["4", "triton_poi_fused_addmm_relu_0", "triton_*"])
def test_a_kernel_is_no_span(which: str) -> None:
    assert addressed(DLRM, which) is None


@pytest.mark.parametrize(
    ("which", "why"),
    [("4-99", "has no kernel 99 that is launched"), ("29-4", "names no kernels"), ("0_inference:3-3", "is no span")],
)
def test_what_is_none_is_said(which: str, why: str) -> None:
    with pytest.raises(LabError, match=why):
        addressed(DLRM, which)
