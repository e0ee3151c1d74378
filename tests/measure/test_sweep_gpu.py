"""Sweeps on a real GPU: `pytest -m gpu`. No test asserts a time."""

from __future__ import annotations

import json
from functools import partial
from pathlib import Path

import pytest
from folders import ROOT

from inductor_lab import store
from inductor_lab.eject import eject
from inductor_lab.measure.sweep import sweep as sweeping
from inductor_lab.measure.sweep.points import axes
from inductor_lab.measure.sweep.results import CONTESTANTS
from inductor_lab.measure.sweep.sweep import sweep
from inductor_lab.measure.timing.samples import Method

pytestmark = pytest.mark.gpu
FEW = Method(rounds=30)


@pytest.fixture
def file(tmp_path: Path) -> Path:
    capture = store.load(ROOT / "captured" / "lora_mlp_h200")
    path = tmp_path / "lora.py"
    path.write_text(eject(capture, capture.kernels[0], generalize=True, file=path.name))
    return path


def test_every_contestant_is_timed_at_every_size_and_dtype(file: Path) -> None:
    out = file.parent / "out"
    swept = sweep(
        file, axes("rows=33,4096,cols=1024"), ["float32", "bfloat16"], folder=out, method=FEW,
        contestants=(*CONTESTANTS, "torchscript"),
    )  # fmt: skip
    assert [(row.outcome, row.why) for row in swept.rows] == [("timed", "")] * 4
    always = {"hand", "inductor", "eager", "torchscript", "copy"}
    assert [set(row.times) - always for row in swept.rows] == [set(), {"generated"}, set(), set()]
    assert all(always <= set(row.times) for row in swept.rows)
    assert not any("left out" in note or "float64" in note for row in swept.rows for note in row.notes)
    for row in swept.rows:
        width = 4 if row.dtype == "float32" else 2
        assert row.bytes == width * (3 * row.sizes["s0"] * 1024 + 1024)
        assert row.against == "inductor" and row.copy_ceiling
    assert {path.name for path in swept.plots} == {"rate.png", "time.png"}
    assert sweep(
        file, axes("rows=33,4096,cols=1024"), ["float32", "bfloat16"], folder=out, method=FEW,
        contestants=(*CONTESTANTS, "torchscript"),
    ).measured == 0  # fmt: skip


def test_a_size_that_does_not_fit_is_a_row_and_the_next_is_timed(file: Path) -> None:
    text = file.read_text().replace("< 2**31", "< 2**63")  # the file itself refuses positions beyond int32
    file.write_text(text)
    swept = sweep(file, axes("rows=2**30,64,cols=1024"), folder=file.parent / "out", method=FEW)
    assert [row.outcome for row in swept.rows] == ["does not fit", "timed"]


def test_positions_beyond_int32_are_a_row(file: Path) -> None:
    swept = sweep(file, axes("rows=2**21,cols=1024"), folder=file.parent / "out", method=FEW)
    assert [(row.outcome, row.why) for row in swept.rows] == [("failed", "the file's `launch` refuses these shapes")]


def test_a_kernel_that_crashes_its_process_costs_its_row_alone(file: Path) -> None:
    """At 65 rows it writes far outside of its tensors."""
    text = file.read_text()
    file.write_text(
        text.replace("mm_ptr + offset, tl.where", "mm_ptr + offset + (numel == 65 * 1024) * (1 << 40), tl.where")
    )
    assert file.read_text() != text
    swept = sweep(file, axes("rows=64,65,66,cols=1024"), folder=file.parent / "out", method=FEW)
    assert [row.outcome for row in swept.rows] == ["timed", "failed", "timed"]


def test_in_a_cuda_graph_and_on_a_warm_cache(file: Path) -> None:
    for number, method in enumerate((Method("graph", rounds=30), Method(cache="warm", rounds=30))):
        (row,) = sweep(file, axes("rows=64"), folder=file.parent / str(number), method=method).rows
        assert row.outcome == "timed" and {"hand", "inductor", "eager"} <= set(row.times)
        assert (row.conditions["launch"], row.conditions["cache"]) == (method.launch, method.cache)


def test_several_gpus_share_a_sweep(file: Path) -> None:
    torch = pytest.importorskip("torch")
    if torch.cuda.device_count() < 2:
        pytest.skip("needs two GPUs")
    out = file.parent / "out"
    engine = partial(sweeping.on_this_host, gpus=(0, 1))
    swept = sweep(file, axes("rows=2**6..2**9"), folder=out, method=FEW, engine=engine)
    assert [row.outcome for row in swept.rows] == ["timed"] * 4
    assert len(json.loads((out / "results.json").read_text())["rows"]) == 4
