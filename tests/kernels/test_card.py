"""The card that several processes take turns at, with files in its place."""

from __future__ import annotations

import json
import os
import sys
import time
from concurrent.futures import ThreadPoolExecutor
from itertools import pairwise
from pathlib import Path
from typing import Any

import pytest
import torch
from folders import ROOT
from forking import interpreted

pytest.importorskip("triton")

BENCHMARKS = ROOT / "tests" / "benchmarks"
sys.path.append(str(BENCHMARKS))

import card  # noqa: E402


def noted(lock: Path, had: list[tuple[float, float]]) -> None:
    """Holds the card and lends it, and notes when it had it."""
    own = card.Card(lock)
    for _ in range(3):
        with own.held():
            begin = time.monotonic()
            time.sleep(0.01)
            had.append((begin, time.monotonic()))
            with own.held(False):
                time.sleep(0.01)


def test_no_two_hold_the_card_at_once(tmp_path: Path) -> None:
    had: list[tuple[float, float]] = []
    with ThreadPoolExecutor() as pool:
        for one in [pool.submit(noted, tmp_path / "lock", had) for _ in range(4)]:
            one.result()
    assert len(had) == 12
    assert all(end <= begin for (_, end), (begin, _) in pairwise(sorted(had)))


def test_what_is_held_is_not_taken_again_and_what_is_not_is_not_lent(tmp_path: Path) -> None:
    one, other = card.Card(tmp_path / "lock"), card.Card(tmp_path / "lock")
    with one.held(False):
        assert not one.ours
    with one.held(), one.held(), one.held(False), other.held():
        assert other.ours and not one.ours
    assert not one.ours and not other.ours


def test_a_failure_gives_the_card_back(tmp_path: Path) -> None:
    one, other = card.Card(tmp_path / "lock"), card.Card(tmp_path / "lock")
    with pytest.raises(ValueError, match="wrong"), one.held(), one.held(False):
        raise ValueError("wrong")
    with other.held():
        assert other.ours


def compiled(lock: str) -> list[tuple[str, bool]]:
    """Whose the card was while something was compiled, while a candidate was timed, and afterwards."""
    from torch._inductor.runtime.benchmarking import InductorBenchmarker

    found: list[tuple[str, bool]] = []
    card.CARD = card.Card(Path(lock))
    InductorBenchmarker.benchmark_gpu = lambda *_: found.append(("timed", card.CARD.ours))  # type: ignore[method-assign]
    card.share()

    def backend(graph: Any, inputs: Any) -> Any:
        found.append(("compiled", card.CARD.ours))
        InductorBenchmarker().benchmark_gpu(None)
        return graph

    with card.CARD.held():
        torch.compiler.reset()
        card.compiling_lends()
        torch.compile(torch.sin, backend=backend)(torch.ones(2))
        found.append(("ran", card.CARD.ours))
    return found


@pytest.mark.slow
def test_who_compiles_lends_the_card_but_for_the_candidates_that_are_timed(tmp_path: Path) -> None:
    for found in card.each(compiled, [(str(tmp_path / "lock"),)] * 2, 2):
        assert found == [("compiled", False), ("timed", True), ("ran", True)]


def test_one_process_is_this_one() -> None:
    assert list(card.each(lambda number: (number, os.getpid()), [(1,), (2,)], 1)) == [
        (1, os.getpid()),
        (2, os.getpid()),
    ]


@pytest.mark.slow
def test_several_processes_have_all_rows() -> None:
    said = interpreted(BENCHMARKS / "hand_kernels.py", "rotary", "--smoke", "--jobs", "2")
    rows = [json.loads(line) for line in said.splitlines()]
    assert len(rows) == 4 and not any(row["refused"] for row in rows)


def timed(path: Path, monkeypatch: pytest.MonkeyPatch, *options: str) -> list[dict[str, Any]]:
    """The rows of a run that measures nothing."""
    import hand_kernels

    monkeypatch.setattr(sys, "argv", ["hand_kernels.py", "swiglu", "-o", str(path), "--jobs", "1", *options])
    monkeypatch.setattr(hand_kernels, "copied", lambda: 1.0)
    monkeypatch.setattr(hand_kernels, "measured", lambda *_: {"bytes": 0})
    monkeypatch.setattr(hand_kernels, "of_step", lambda *_, verb, step, **how: {"step": step})
    hand_kernels.main()
    return json.loads(path.read_text())["rows"]  # type: ignore[no-any-return]


def test_a_run_goes_on_where_one_stopped_and_ends_with_the_verdicts(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = tmp_path / "results.json"
    with pytest.raises(SystemExit) as stopped:
        timed(path, monkeypatch, "--stop", "50")  # less than a step is given
    assert stopped.value.code == 3
    first = json.loads(path.read_text())["rows"]
    rows = timed(path, monkeypatch)
    assert rows[: len(first)] == first and {row["verb"] for row in first} == {"time"}
    assert [row["verb"] for row in rows[len(first) :]] == ["step"] * 2 + ["verify"] * 2
    assert timed(path, monkeypatch) == rows
