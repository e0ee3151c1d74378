"""Right ways that were once rejected: another order of a sum, a subnormal taken for 0, a mean where a sum overflows, a narrow dtype."""

from __future__ import annotations

from pathlib import Path

import pytest
from faults import corpus
from faults.other_ways import other_ways
from small_kernels import SMALL, edited, ejected

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


@pytest.mark.slow
def test_each_passes(tmp_path: Path) -> None:
    paths = []
    for number, (kernel, way) in enumerate(WAYS):
        paths.append(tmp_path / f"way_{number}.py")
        paths[-1].write_text(dict(other_ways(kernel, corpus.ejected(kernel)))[way])
    for way, found in zip(WAYS, verify_all(paths), strict=True):
        assert isinstance(found, Verdict) and found.verdict == "pass", (way, found)
        assert "edited since it was ejected" in found.notes, way


@pytest.mark.slow
def test_a_narrow_tensor_is_added_into_in_any_order(tmp_path: Path) -> None:
    """Each addition rounds: from the last row to the first another value comes out, also in eager."""
    small = SMALL["scatter"]
    wide = small.body.replace(
        "tmp1 = tl.load(in_ptr1 + (x2), xmask)", "tmp1 = tl.load(in_ptr1 + (x2), xmask).to(tl.float32)"
    )
    text = ejected(
        "scatter", body=wide.replace("3000", "30000"),
        tensors={name: text.replace("float32", "bfloat16").replace("40", "400") for name, text in small.tensors.items()},
        graph=small.graph.replace("f32", "bf16").replace("float32", "bfloat16").replace("[40", "[400"),
    )  # fmt: skip
    turned = edited(
        text,
        ("offset = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)", "offset = NUMEL - 1 - tl.program_id(0) * BLOCK - tl.arange(0, BLOCK)"),
        ("inside = offset < NUMEL", "inside = offset >= 0"),
    )  # fmt: skip
    without_one = edited(turned, ("inside = offset >= 0", "inside = (offset >= 0) & (offset != 7)"))
    paths = [tmp_path / "turned.py", tmp_path / "without_one.py"]
    for path, content in zip(paths, (turned, without_one), strict=True):
        path.write_text(content)
    found = [one.verdict for one in verify_all(paths, seed=15825) if isinstance(one, Verdict)]
    assert found == ["pass", "fail"]
