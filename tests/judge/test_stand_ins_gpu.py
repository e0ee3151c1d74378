"""What stands in for a card's operations in the interpreter is held to a card; without one, that the kernels which do so run and are compared."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest

pytest.importorskip("torch")
pytest.importorskip("triton")

TESTS = next(folder for folder in Path(__file__).resolve().parents if (folder / "benchmarks").is_dir())
RESULTS = TESTS / "benchmarks" / "results" / "stand_ins.json"
PROGRAM = TESTS / "benchmarks" / "stand_ins_on_a_card.py"
sys.path.append(str(PROGRAM.parent))

import stand_ins_on_a_card as held  # noqa: E402
from operations_of_a_card import operations  # noqa: E402


@pytest.mark.gpu
def test_a_card_computes_what_stands_in_for_it(tmp_path: Path) -> None:
    card = held.run_in(tmp_path / "card.npz", "*", interpreted=False)
    ours = held.run_in(tmp_path / "ours.npz", "*", interpreted=True)
    rows = held.table(card, ours, "*")
    held.show(rows)
    known = {row["name"] for row in json.loads(RESULTS.read_text())["disagree"]}
    assert len(rows) > 400 and {row.name for row in rows if not row.agrees} <= known  # docs/judge.md says which and why


SOME = "*[en] of float32"
"""`tl.sin of float32`, `libdevice.rsqrt_rn of float32` and their like."""


@pytest.fixture(scope="module")
def ours(tmp_path_factory: pytest.TempPathFactory) -> dict[str, np.ndarray]:
    return held.run_in(tmp_path_factory.mktemp("ours") / "ours.npz", SOME, interpreted=True)


def test_every_operation_runs_and_agrees_with_itself(ours: dict[str, np.ndarray]) -> None:
    rows = held.table(ours, ours, SOME)
    assert len(rows) > 8 and all(row.agrees and row.lanes > 190_000 and not row.ulp for row in rows)


@pytest.mark.parametrize(
    ("value", "other", "found"),
    [
        (np.nan, 0.0, "special"), (0.0, -0.0, "special"), (np.inf, -np.inf, "special"), (np.inf, 1.0, "special"), (1.0, 0.0, "special"),
        (1.0, 1.0 + 2.0**-21, "over"), (1.0, 1.0 + 2.0**-23, ""), (-1.0, 1.0, "special"), (np.nan, -np.nan, ""),
    ],
)  # fmt: skip
def test_what_disagrees_is_told(ours: dict[str, np.ndarray], value: float, other: float, found: str) -> None:
    (sine,) = operations("tl.sin of float32")
    card, here = ours[sine.name].copy(), ours[sine.name].copy()
    card[5], here[5] = value, other
    row = held.compared(sine, card, here)
    assert (row.special, row.over) == (found == "special", found == "over")
    assert row.agrees is (not found) and len(row.examples) == bool(found)


@pytest.mark.slow
def test_without_a_card_it_says_so() -> None:
    environment = os.environ | {"CUDA_VISIBLE_DEVICES": ""}
    done = subprocess.run([sys.executable, str(PROGRAM)], env=environment, capture_output=True, text=True, check=False)
    assert done.returncode == 2 and "no GPU here" in done.stderr
