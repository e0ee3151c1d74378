"""Right ways that were once rejected: another order where a sum cancels, a subnormal taken for 0, a mean where a sum overflows, a narrow dtype."""

from __future__ import annotations

from pathlib import Path

import pytest
from faults import corpus
from faults.other_ways import other_ways

pytest.importorskip("torch")
pytest.importorskip("triton")

from inductor_lab.records import Verdict
from inductor_lab.verify import verify_all

WAYS = (
    ("argmax_bf16", "in bfloat16 throughout"),
    ("instance_norm_backward", "sums in two halves"),
    ("log_softmax_backward", "powers of two"),
    ("softplus_bf16", "means for sums"),
    ("mean_and_variance", "choices turned"),
)


def test_each_passes(tmp_path: Path) -> None:
    paths = []
    for number, (kernel, way) in enumerate(WAYS):
        paths.append(tmp_path / f"way_{number}.py")
        paths[-1].write_text(dict(other_ways(kernel, corpus.ejected(kernel)))[way])
    for way, found in zip(WAYS, verify_all(paths), strict=True):
        assert isinstance(found, Verdict) and found.verdict == "pass", (way, found)
        assert "edited since it was ejected" in found.notes, way
