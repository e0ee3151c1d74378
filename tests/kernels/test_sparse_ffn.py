"""The sparse feed-forward layer's cases, in Triton's interpreter and on a card; its steps, and the faults that `verify` must see."""

from __future__ import annotations

import importlib
import re
from pathlib import Path

import pytest
import torch
from folders import ROOT

import inductor_lab
from inductor_lab import store
from inductor_lab.eject import eject
from inductor_lab.verify import verify

pytest.importorskip("triton")

from inductor_lab.kernels.sparse_ffn import kernel
from inductor_lab.kernels.sparse_ffn.steps import STEPS, layer, one_token
from inductor_lab.kernels.steps import EDITED, END, definitions, edit, written
from inductor_lab.spans.address import addressed

# ---------------------------------------------------------------- the steps


def judged(text: str, file: Path) -> str:
    file.write_text(text, encoding="utf-8")
    return verify(file, effort="quick").verdict


@pytest.mark.parametrize("step", [pytest.param(step, marks=pytest.mark.slow) for step in STEPS])
def test_a_step_computes_what_its_span_does(step: str, tmp_path: Path) -> None:
    own = ROOT / "captured" / STEPS[step].capture
    if not own.exists():
        small = one_token(dim=64, neurons=96, active=24)
        inductor_lab.capture_model(layer, *small, gpu="h200").save(own := tmp_path / "token")
    assert judged(written("sparse_ffn", step, own, f"{step}.py"), tmp_path / f"{step}.py") == "pass"


def test_the_last_step_is_the_kernel() -> None:
    text, names = edit("sparse_ffn", "step_6"), ["hidden_of_one", "down_of_one"]
    assert all(text.count(part) == 1 for part in definitions(Path(kernel.__file__).read_text("utf-8"), names))
    assert "inductor_lab.kernels" not in text


# ---------------------------------------------------------------- faults

RIGHT = """
@triton.jit
def ffn(
    x_ptr, up_ptr, down_ptr, active_ptr, total_ptr, tokens, columns, neurons, active, x_stride, total_stride,
    TOKENS: tl.constexpr, NEURONS: tl.constexpr, COLUMNS: tl.constexpr,
):
    place = tl.program_id(0) * NEURONS + tl.arange(0, NEURONS)
    row = tl.load(active_ptr + place, place < active, other=0)
    row = tl.where(row < 0, row + neurons, row)[:, None] * columns
    token = (tl.program_id(1) * TOKENS + tl.arange(0, TOKENS))[:, None]
    hidden = tl.zeros([TOKENS, NEURONS], tl.float32)
    for start in range(0, columns, COLUMNS):
        column = (start + tl.arange(0, COLUMNS))[None, :]
        x = tl.load(x_ptr + token * x_stride + column, (token < tokens) & (column < columns), other=0)
        up = tl.load(up_ptr + row + column, (place < active)[:, None] & (column < columns), other=0)
        hidden = tl.dot(x, tl.trans(up), hidden)
    hidden = hidden.to(x_ptr.dtype.element_ty)
    hidden = tl.where(hidden > 0, hidden, hidden * 0.01)
    for start in range(0, columns, COLUMNS):
        column = (start + tl.arange(0, COLUMNS))[None, :]
        down = tl.load(down_ptr + row + column, (place < active)[:, None] & (column < columns), other=0)
        part = tl.dot(hidden, down)
        tl.atomic_add(total_ptr + token * total_stride + column, part, (token < tokens) & (column < columns))


CHOSEN = {}


def launch(active, up, down, arg7, mm_2, *, NEURONS=16):
    (tokens, columns), count, neurons = arg7.shape, active.shape[0], up.shape[0]
    total = torch.empty((tokens, columns), dtype=torch.float32, device=arg7.device)
    for tried in (NEURONS, 2 * NEURONS):  # as a tuner does, each on the same result
        total.zero_()
        programs = triton.cdiv(count, tried)
        ffn[programs, triton.cdiv(tokens, 16)](
            arg7, up, down, active, total, tokens, columns, neurons, count, arg7.stride(0), total.stride(0),
            TOKENS=16, NEURONS=tried, COLUMNS=32,
        )
    mm_2.copy_(total)
    return mm_2
"""
"""The layer as one kernel with atomic additions, tried under two blocks in the call."""
FAULTS = {
    "right": ("", ""),
    "the result is not cleared before each block that is tried": ("        total.zero_()\n", ""),
    "the grid is kept by a key that has no number of active neurons": (
        "programs = triton.cdiv(count, tried)",
        "programs = CHOSEN.setdefault((tokens, columns, neurons, tried), triton.cdiv(count, tried))",
    ),
    "a product of float32 and float16": ("    hidden = hidden.to(x_ptr.dtype.element_ty)\n", ""),
    "the result's rows lie as the input's": ("arg7.stride(0), total.stride(0)", "arg7.stride(0), arg7.stride(0)"),
}


@pytest.fixture(scope="module")
def ejected(tmp_path_factory: pytest.TempPathFactory) -> tuple[str, str]:
    """What stands before and behind the edited part: of four tokens, parts of longer rows, judged for more active neurons too."""
    folder = tmp_path_factory.mktemp("faults")
    _, active, up, down = one_token(dim=64, neurons=96, active=24)
    given = torch.randn(4, 128).half()[:, :64], active, up.half(), down.half()
    inductor_lab.capture_model(layer, *given, gpu="h200", dynamic=True, name="layer").save(folder / "layer")
    found = store.load(folder / "layer")
    text = eject(found, addressed(found, "0_inference:0-3"), file="layer.py")
    sizes = re.search(r"^SIZES = (\{.*?\})", text, re.MULTILINE)
    assert sizes and sizes[1].count(": 24") == 1
    text = re.sub(
        r"^OTHER_SIZES = .*$", f"OTHER_SIZES = [{sizes[1].replace(': 24', ': 77')}]", text, flags=re.MULTILINE
    )
    before, after = EDITED.split(text)
    return before + text[len(before) : -len(after)], END + after.partition(END)[2]


@pytest.mark.parametrize("fault", FAULTS)
def test_a_fault_is_seen(fault: str, ejected: tuple[str, str], tmp_path: Path) -> None:
    good, bad = FAULTS[fault]
    assert good in RIGHT
    verdict = judged(ejected[0] + RIGHT.replace(good, bad) + "\n\n" + ejected[1], tmp_path / "layer.py")
    assert verdict == ("pass" if fault == "right" else "fail")


def test_the_page_counts_sectors_right(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.syspath_prepend(ROOT / "tests" / "benchmarks")
    sectors = importlib.import_module("contests.sparse_ffn").sectors
    page = Path(kernel.__file__).with_name("README.md").read_text(encoding="utf-8")
    rows = [[float(number) for number in row] for row in re.findall(r"\| (\d+) % \| ([\d.]+) % \| ([\d.]+) \|", page)]
    assert len(rows) == 4
    for active, touched, read in rows:
        share = 1 - (1 - active / 100) ** 16
        assert touched == round(100 * share, 1) and read == round(100 * share / active, 1)
    torch.manual_seed(0)
    assert sectors(torch.randperm(160_000)[:16_000], 2) / 10_000 == pytest.approx(1 - 0.9**16, rel=0.01)
    assert sectors(torch.arange(16), 2) == 1 and sectors(torch.arange(16), 4) == 2
